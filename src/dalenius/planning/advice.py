"""What would make figures safe."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from dalenius.calibration import Case, Remedy, least_noise, least_rounding, shared_noise
from dalenius.figures import Figure
from dalenius.guarantees import Verdict
from dalenius.history import Atom, History
from dalenius.judgement import Judge
from dalenius.planning.finding import Finding
from dalenius.planning.question import Progress


@final
@dataclass(frozen=True, slots=True)
class Advice:
    """Certified changes, one of which for each figure makes all of them safe; and what else there is to say."""

    remedies: tuple[Remedy, ...] = ()
    words: str = ""


def advise(
    figures: Sequence[Figure],
    history: History,
    found: Sequence[Finding],
    atoms: Sequence[Atom],
    judge: Judge,
    progress: Progress,
) -> Advice:
    """What would make the figures safe. Where numbers overlap, only noise on all of them will do."""
    if judge.epsilon == 0:
        return Advice(words="No noise reaches epsilon 0. Allow a positive epsilon, or leave figures out.")
    if history.figures:
        changes = shared_noise(judge, figures, atoms, history.figures)
        return Advice(changes, "" if changes else _taken_back(found, history))
    if any(len(atom.entries) > 1 for atom in atoms):
        words = "Or leave figures out, until no two of them differ by a small group."
        return Advice(shared_noise(judge, figures, atoms), words)
    remedies, none = [], []
    for place, figure in enumerate(figures):
        progress("looking for the least change of each figure", place, len(figures))
        mine = [finding for finding in found if finding.atom.entries[0].figure == figure]
        if any(finding.verdict != Verdict.PASS for finding in mine):
            cases = [Case(finding.atom, finding.known) for finding in mine]
            ways = [least_noise(judge, figure, cases), least_rounding(judge, figure, cases)]
            remedies += [way for way in ways if way is not None]
            none += [] if any(ways) else [figure.name]
    words = f"No noise and no rounding was found for {' and '.join(none)}: leave it out." if none else ""
    return Advice(tuple(remedies), words)


def _taken_back(found: Sequence[Finding], history: History) -> str:
    """What to do where figures that are already out stand in the way."""
    old = [finding for finding in found if finding.verdict != Verdict.PASS]
    alone = [finding for finding in old if all(entry.figure in history.figures for entry in finding.atom.entries)]
    names = " and ".join(dict.fromkeys(entry.figure.name for finding in alone for entry in finding.atom.entries))
    if alone:
        return (
            f"What is already out ({names}) does not meet this target by itself, and cannot be taken back: nothing "
            "that is added can mend that. Judge the new figures without it only if it concerns other people."
        )
    return (
        "What is already out cannot be taken back or changed, and beside exact figures noise hides nothing. Leave out "
        "the new figures that share some, but not all, of their people with it."
    )
