"""From a specification to the least change that lets its figures go out: in words, for machines, as a specification."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from dalenius.basics.errors import InputError, OutputError
from dalenius.desk.session import Decision, decide
from dalenius.desk.session.place import LEDGER, LEDGER_VARIABLE
from dalenius.desk.session.reading import read_spec
from dalenius.desk.spec.write import changed_spec, write_spec
from dalenius.plan import AddNoise, Coarsen, Progress, Publish
from dalenius.plan.calibration import LADDER
from dalenius.show.plan import answer, plan_json, plan_text
from dalenius.tables.figures import Figure


@final
@dataclass(frozen=True, slots=True)
class Proposal:
    """A decision, and the specification that it is about."""

    decision: Decision
    source: Path

    def text(self) -> str:
        """The plan, every alternative, its cost and the reason."""
        decision = self.decision
        seconds = decision.budget.seconds
        told = plan_text(decision.plan, decision.question, decision.prepared.figures, seconds=seconds)
        return "\n".join([told.rstrip("\n"), *decision.weakest_lines()]) + "\n"

    def json(self) -> dict[str, Any]:
        """The same for machines."""
        decision = self.decision
        found = plan_json(decision.plan, decision.question, decision.prepared.figures, version=decision.version)
        return {**found, "weakest": [one.json() for one in decision.weakest()]}

    @property
    def possible(self) -> bool:
        """Whether the figures may go out, as they are or changed."""
        return isinstance(self.decision.plan, Publish | Coarsen | AddNoise)

    @property
    def becomes(self) -> Mapping[str, tuple[Figure, ...]]:
        """What each changed figure becomes."""
        found = self.decision.plan
        if isinstance(found, Publish):
            return {}
        if not isinstance(found, Coarsen | AddNoise):
            raise OutputError(
                "Needed a plan that lets the figures go out, but none was found, so that there is nothing to write. "
                "Change the target or the figures."
            )
        return {change.figure: change.becomes for way in found.alternatives if way.chosen for change in way.changes}

    def write(self, target: Path | str) -> None:
        """A new specification with the chosen change; comments are not kept. What a policy says is written out. In
        another folder it names the ledger, which would else be looked for there.
        """
        model, _ = read_spec(self.source, self.source.parent)
        if model.ledger is None and not same_folder(self.source, Path(target)) and not os.environ.get(LEDGER_VARIABLE):
            model = model.model_copy(update={"ledger": LEDGER})
        changed = changed_spec(model, self.decision.prepared.figures, self.becomes)
        kept = {one.name for one in changed.computed}
        write_spec(changed, self.source, Path(target), [one.name for one in model.computed if one.name not in kept])

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Proposal: {answer(self.decision.plan)}>"


def propose(
    spec: str | Path,
    data: object | None = None,
    *,
    ladder: str | None = None,
    policy: str | Path | None = None,
    ledger: str | Path | None = None,
    ledger_keys: Sequence[str | Path] | None = None,
    progress: Progress = lambda _what, _done, _of: None,
    seconds: float | None = None,
) -> Proposal:
    """The least change that lets the figures of a specification go out. `ladder`: the roundings to try, "5,10,100".
    `seconds`: how long to look for it, by default as long as it takes; what was not tried is named.
    """
    steps = LADDER if ladder is None else read_ladder(ladder)
    found = decide(
        spec,
        data,
        ladder=steps,
        policy=policy,
        ledger=ledger,
        ledger_keys=ledger_keys,
        progress=progress,
        margins=False,
        seconds=seconds,
    )
    found.look_for_change()
    return Proposal(found, Path(spec))


def same_folder(one: Path, other: Path) -> bool:
    """Whether two files stand, or would stand, in one folder."""
    return one.absolute().parent.resolve() == other.absolute().parent.resolve()


def read_ladder(given: str) -> tuple[int, ...]:
    """Bases, separated by commas."""
    words = [word.strip() for word in given.split(",") if word.strip()]
    wrong = [word for word in words if not word.isdecimal()]
    if wrong:
        raise InputError(f"A ladder is a list of whole numbers, but got {wrong[0]!r} in it. Write 5,10,100.")
    return tuple(int(word) for word in words)
