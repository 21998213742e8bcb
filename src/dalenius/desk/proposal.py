"""From a specification to the least change that lets its figures go out: in words, for machines, as a specification."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, final

from dalenius.basics.errors import InputError, OutputError
from dalenius.desk.session import Decision, decide
from dalenius.desk.session.place import LEDGER, LEDGER_VARIABLE
from dalenius.desk.session.reading import read_spec
from dalenius.desk.spec.write import changed_spec, write_spec
from dalenius.facts.records import exact
from dalenius.plan import AddNoise, Coarsen, Progress, Publish
from dalenius.plan.calibration import LADDER
from dalenius.plan.examination import certified
from dalenius.plan.part import cells_of
from dalenius.plan.wishes import Kept, Wishes
from dalenius.show.cell_bar import silent, watched
from dalenius.show.layout import wrapped
from dalenius.show.plan import answer, plan_json, plan_text, tables_after
from dalenius.show.text import stopped_line
from dalenius.tables.figures import Figure, Frame

LONGEST = 9  # digits of a number in a list


@final
@dataclass(frozen=True, slots=True)
class Proposal:
    """A decision, and the specification that it is about."""

    decision: Decision
    source: Path
    taken: Mapping[str, tuple[Figure, ...]] | None = None  # what figures become, if it is not what the plan chose

    def text(self) -> str:
        """The plan, every alternative, its cost and the reason."""
        decision = self.decision
        seconds = decision.budget.seconds
        told = plan_text(decision.plan, decision.question, decision.prepared.figures, seconds=seconds)
        lines = decision.weakest_lines()
        if seconds is not None and decision.untried_beliefs:
            lines = [*lines, f"\n{wrapped(stopped_line(seconds, decision.untried_beliefs))}"]
        return "\n".join([told.rstrip("\n"), *lines]) + "\n"

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
        if self.taken is not None:
            return self.taken
        if isinstance(found, Publish):
            return {}
        if not isinstance(found, Coarsen | AddNoise):
            raise OutputError(
                "Needed a plan that lets the figures go out, but none was found, so that there is nothing to write. "
                "Change the target or the figures."
            )
        return {change.figure: change.becomes for way in found.alternatives if way.chosen for change in way.changes}

    def taking(self, numbers: Sequence[int]) -> "Proposal":
        """The same with other alternatives than the plan chose, by their numbers in its table: each in place of what
        was chosen for the same figures. All figures are judged again with them.
        """
        plan, decision = self.decision.plan, self.decision
        ways = () if isinstance(plan, Publish) else plan.alternatives
        for number in numbers:
            if not 1 <= number <= len(ways) or not ways[number - 1].possible:
                known = ", ".join(str(at) for at, way in enumerate(ways, 1) if way.possible) or "none"
                raise InputError(
                    f"Needed the number of a certified alternative of the plan ({known}), but got {number}. Choose one."
                )
        chosen = [ways[number - 1] for number in numbers]
        if len({way.concerns for way in chosen}) < len(chosen):
            raise InputError("Needed one alternative for each group of figures, but two are about the same. Keep one.")
        others = [way for way in ways if way.chosen and way.concerns not in {one.concerns for one in chosen}]
        taken = {change.figure: change.becomes for way in (*chosen, *others) for change in way.changes}
        figures = tuple(new for one in decision.prepared.figures for new in taken.get(one.name, (one,)))
        if not certified((*decision.prepared.history.figures, *figures), decision.question):
            raise InputError(
                "Needed alternatives with which all figures pass together, but with these some do not. Take a change "
                "for each group of figures."
            )
        return replace(self, taken=taken)

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

    def _repr_html_(self) -> str:
        """In a notebook: the answer, and every alternative."""
        from dalenius.show.html.notebook import plan_fragment

        decision, plan = self.decision, self.decision.plan
        ways = () if isinstance(plan, Publish) else plan.alternatives
        after = [tables_after(decision.prepared.figures, way, decision.question) for way in ways]
        return plan_fragment(answer(plan), decision.verdict, ways, after)

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
    progress: Progress = silent,
    seconds: float | None = None,
    keep: Sequence[str] = (),
    weights: Sequence[str] = (),
) -> Proposal:
    """The least change that lets the figures of a specification go out. `ladder`: the roundings to try, "5,10,100".
    `seconds`: how long to look for it, by default as long as it takes; what was not tried is named. `keep`: figures, or
    cells of them ("smokers: north, old"), that are to stay as they are; `weights`: how much figures matter
    ("smokers=3").

    >>> import dalenius as dl
    >>> from importlib.resources import files
    >>> dl.propose(files("dalenius.desk.examples") / "differencing.yaml")
    <Proposal: ADD NOISE: the figures may go out after this change.>
    """
    progress = watched(progress)
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
    found = found.wishing(read_wishes(keep, weights, found.prepared.figures, found.question.frame))
    found.look_for_change()
    return Proposal(found, Path(spec))


def same_folder(one: Path, other: Path) -> bool:
    """Whether two files stand, or would stand, in one folder."""
    return one.absolute().parent.resolve() == other.absolute().parent.resolve()


def read_ladder(given: str) -> tuple[int, ...]:
    """Bases, separated by commas."""
    return _whole(given, "A ladder", "5,10,100")


def read_wishes(keep: Sequence[str], weights: Sequence[str], figures: Sequence[Figure], frame: Frame) -> Wishes:
    """What is to be kept, and what matters more, as it is written on the command line."""
    by_name, kept, heavy = {figure.name: figure for figure in figures}, set[Kept](), dict[str, Fraction]()
    for words in keep:
        if words in by_name:
            kept.add((words, None))
            continue
        name, colon, cell = words.rpartition(":")
        values = tuple(value.strip() for value in cell.split(","))
        if not colon or name.strip() not in by_name:
            raise InputError(
                f"--keep needs a figure of the release ({', '.join(by_name)}), or one with a cell after a colon, but "
                f"got {words[:80]!r}. Write --keep 'FIGURE: value, value'."
            )
        cells = {tuple(map(str, one)): one for one in cells_of(by_name[name.strip()], frame)}
        if values not in cells:
            raise InputError(
                f"--keep needs a cell of {name.strip()!r}, a value of each of {', '.join(by_name[name.strip()].by)}, "
                f"but got {cell.strip()[:80]!r}. Write the values as the table has them."
            )
        kept.add((name.strip(), cells[values]))
    for words in weights:
        name, _, number = words.rpartition("=")
        heavy[name.strip()] = exact(number.strip(), name="--weight")
    wishes = Wishes(frozenset(kept), heavy)
    wishes.check(figures)
    return wishes


def read_numbers(given: str) -> tuple[int, ...]:
    """Numbers of alternatives, separated by commas."""
    return _whole(given, "What is taken", "11 or 3,11")


def _whole(given: str, what: str, example: str) -> tuple[int, ...]:
    words = [word.strip() for word in given.split(",") if word.strip()]
    wrong = [word for word in words if not (word.isascii() and word.isdecimal()) or len(word) > LONGEST]
    if wrong:
        raise InputError(f"{what} is a list of whole numbers, but got {wrong[0][:40]!r} in it. Write {example}.")
    return tuple(int(word) for word in words)
