"""The weakest belief under which figures pass as they are: what somebody without probabilities would have to assume.

Every number that is printed has been tried: the figures pass with it, and so with everything stronger, since each of
these beliefs contains all that are stronger (`tables/unstated.py`, point 5; a larger weight and a smaller distance
leave fewer laws open). Each is the least, within 1 %, for which the judge's bound passes; or, if time was up, one for
which it passes, and that says so.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, prod
from typing import Any, TypeAlias, final

from dalenius.basics.patience import Left, TimeUpError, always, go_on
from dalenius.enclosure.formats import plain
from dalenius.facts.records import Column
from dalenius.numerics.least import least
from dalenius.plan import Publish
from dalenius.plan.assessment import assess
from dalenius.plan.finding import Finding
from dalenius.plan.margins.case import Setting, resized
from dalenius.plan.margins.limits import PRECISE, largest_radius, least_factor, short, short_geometric
from dalenius.plan.margins.lines import Decided
from dalenius.plan.question import Question
from dalenius.tables.figures import ColumnBelief
from dalenius.tables.unstated import none_below, says_nothing

Columns: TypeAlias = Mapping[str, Column]
LEAST_WEIGHT = Fraction(1, 10**6)  # of an even draw from all values, below which none is looked for
USUAL = Fraction(9, 10)  # a law of two values none of which is above this is what the weight is told of
LARGEST = 1000  # times as many people, beyond which no more are looked for
BELIEF, NOTHING = "belief", "nothing"
WEAKEST = "the weakest belief under which the figures pass"
LESS = "which weaker beliefs would do with more people"
STOPPED = "; there was no time to look for less"


@final
@dataclass(frozen=True, slots=True)
class Weakest:
    """What of one assumption is enough for the figures to pass as they are, all else being as it was stated: in words,
    and as it is written in a specification (`beliefs` by the columns, joined by "and"; empty for a number of people).
    """

    assumption: str  # belief, weight, within or people; "nothing" if no belief is enough
    beliefs: dict[str, dict[str, str]]
    people: int | None
    words: str
    least: bool = True  # not, if time was up before less could be tried

    def json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "assumption": self.assumption,
            "beliefs": self.beliefs,
            "people_in_the_smallest_group": self.people,
            "words": self.words,
            "least": self.least,
        }


def weakest_of(decision: Decided, left: Left = always, last: Left = always) -> Iterator[Weakest]:
    """What is enough for the figures of a decision. Of figures that pass only for beliefs without probabilities, and
    not for those that assume nothing: less cannot be assumed. `left`: whether there is time to look for less; `last`:
    to check what was found.
    """
    plan, prepared, question = decision.as_specified, decision.prepared, decision.question
    fitted = any(belief.fitted for belief in question.beliefs)
    if fitted or not plan.findings or all(finding.delta.upper == 0 for finding in plan.findings):
        return
    setting = replace(Setting.of(prepared.figures, prepared.history, question, plan.findings), left=left)
    passes = isinstance(plan, Publish)
    if passes and all(belief.stated or says_nothing(belief) for belief in setting.question.beliefs):
        return
    for one in weakest(setting, plan.findings, last):
        if not passes or one.assumption == BELIEF:
            who = f" (for the {len(setting.groups)} groups that fare worst)" if setting.groups else ""
            yield replace(one, words=f"{one.words}{who}")


def weakest(setting: Setting, findings: Sequence[Finding], last: Left = always) -> Iterator[Weakest]:
    """One at a time, each as soon as it is found: for beliefs without probabilities how unlikely no value may be, and
    how many people it takes where no value is above 90 %; for those from which people may differ the least weight and
    the largest distance. Cost: some fifteen times that of judging the release, each.
    """
    beliefs = setting.question.beliefs
    unstated = [belief for belief in beliefs if not belief.stated]
    if unstated:
        yield from _unstated(setting, unstated, findings, last)
    differing = [belief for belief in beliefs if belief.stated and belief.differ and belief.least is not None]
    if differing:
        yield from _differing(setting, differing)


# -- without probabilities -------------------------------------------------------------------------------------------


def _unstated(
    setting: Setting, unstated: Sequence[ColumnBelief], findings: Sequence[Finding], last: Left
) -> Iterator[Weakest]:
    columns, ended = setting.question.columns, True

    def moved(weight: Fraction) -> Question:
        return _with(setting.question, [_evenly(belief, columns, weight) for belief in unstated])

    def lowest(holds: Callable[[Fraction], bool]) -> Fraction | None:
        nonlocal ended
        passing: list[Fraction] = []

        def noted(weight: Fraction) -> bool:
            if holds(weight):
                passing.append(weight)
            return weight in passing

        try:
            if not noted(Fraction(1)):
                return None
            return least(
                noted,
                LEAST_WEIGHT,
                Fraction(1),
                middle=short_geometric,
                close=lambda one, two: two <= one * PRECISE,
            )[1]
        except TimeUpError:
            if not passing:
                raise
            ended = False
            return min(passing)

    followed = setting
    found = followed.search(lowest, moved, last)
    if found is None and not setting.moves and _passes(setting, moved(Fraction(1))):  # by what others hide
        followed = replace(setting, moves=True)
        found = followed.search(lowest, moved, last)
    if found is None:
        told = f"nothing that could be assumed of {' and '.join(map(str, unstated))} is enough by itself"
        yield Weakest(NOTHING, {}, None, f"{told}, not even that all values are equally likely for everybody")
    else:
        least_chances = [(belief, _chance(belief, columns, found)) for belief in unstated]
        written = {str(belief): _written(belief, columns, chance) for belief, chance in least_chances}
        told = " and ".join(_told(belief, columns, chance) for belief, chance in least_chances)
        yield Weakest(BELIEF, written, None, told if ended else f"{told}{STOPPED}", ended)
    people = _people(followed, unstated, findings)
    if people is not None:
        yield people


def _passes(setting: Setting, question: Question) -> bool:
    """Whether the figures pass under another question, by any way there is."""
    go_on(setting.left)
    asked = assess(setting.figures, setting.history, question, progress=lambda *_: go_on(setting.left))
    return asked.settled


def _people(setting: Setting, unstated: Sequence[ColumnBelief], findings: Sequence[Finding]) -> Weakest | None:
    """How many people it takes if everybody's value is an even draw with the weight that 90 % of two values leaves."""
    columns, weight = setting.question.columns, 2 * (1 - USUAL)
    asked = _with(setting.question, [_evenly(belief, columns, weight) for belief in unstated])
    smallest = min(finding.atom.size for finding in findings)
    factor = setting.search(
        lambda holds: least_factor(holds, Fraction(1, smallest), Fraction(LARGEST)),
        lambda factor: resized(asked, factor),
    )
    if factor is None:
        return None
    number = ceil(factor * smallest)
    chances = [(belief, _chance(belief, columns, weight)) for belief in unstated]
    said = " and ".join(_likely(belief, columns, chance) for belief, chance in chances)
    written = {str(belief): _written(belief, columns, chance) for belief, chance in chances}
    few = f"at least {number} people"
    if len(findings) > 1:
        few = f"{few} in the smallest group, and in proportion in the others"
    have = f"now {smallest}"
    return Weakest("people", written, number, f"{said}, and there are {few} ({have})")


def _size(belief: ColumnBelief, columns: Columns) -> int:
    return prod(columns[name].size for name in belief.columns)


def _chance(belief: ColumnBelief, columns: Columns, weight: Fraction) -> Fraction:
    """What no value is below, in three digits, where everybody's is with this weight an even draw from all."""
    size = _size(belief, columns)
    return min(short(weight / size, up=True), Fraction(1, size))


def _evenly(belief: ColumnBelief, columns: Columns, weight: Fraction) -> ColumnBelief:
    mine = {name: columns[name] for name in belief.columns}
    return none_below(mine, _chance(belief, columns, weight), belief.source)


def _written(belief: ColumnBelief, columns: Columns, chance: Fraction) -> dict[str, str]:
    if _size(belief, columns) == 2:
        return {"none_above": plain(1 - chance)}
    return {"none_below": plain(chance)}


def _likely(belief: ColumnBelief, columns: Columns, chance: Fraction) -> str:
    if _size(belief, columns) == 2:
        return f"no value of {belief} is more than {plain(100 * (1 - chance))} % likely, for anybody"
    what = "value" if len(belief.columns) == 1 else "combination of values"
    return f"no {what} of {belief} is less than {plain(100 * chance)} % likely, for anybody"


def _told(belief: ColumnBelief, columns: Columns, chance: Fraction) -> str:
    """The threshold, as a sentence and as it is written; of two values also as a weight of a law that is not sure."""
    (key, value), *_ = _written(belief, columns, chance).items()
    line = f"{_likely(belief, columns, chance)} ({key}: {value})"
    if _size(belief, columns) != 2 or chance >= 1 - USUAL:
        return line
    weight = short(chance / (1 - USUAL), up=True)
    same = f"everybody follows, with a weight of at least {plain(weight)}, some law with no value above 90 %"
    return f"{line}, or, which is as much, {same} (none_above: 0.9, weight: {plain(weight)})"


# -- people who differ from stated probabilities -----------------------------------------------------------------------


def _differing(setting: Setting, differing: Sequence[ColumnBelief]) -> Iterator[Weakest]:
    about = " and ".join(map(str, differing))

    def weighed(weight: Fraction) -> Question:
        return _lowered(setting.question, differing, lambda chance: weight * chance)

    def nearer(radius: Fraction) -> Question:
        return _lowered(setting.question, differing, lambda chance: max(chance - radius, Fraction(0)))

    share = setting.search(lambda holds: largest_radius(holds, Fraction(1)), lambda less: weighed(1 - less))
    if share is None:
        return
    if share < 1:
        weight = 1 - share
        words = f"everybody follows the stated probabilities of {about} with a weight of at least {plain(weight)}"
        yield Weakest("weight", _each(differing, "weight", weight), None, f"{words} (weight: {plain(weight)})")
    radius = setting.search(lambda holds: largest_radius(holds, Fraction(1)), nearer)
    if radius:
        words = f"nobody's probability of a value of {about} is more than {plain(radius)} below the stated one"
        yield Weakest("within", _each(differing, "within", radius), None, f"{words} (within: {plain(radius)})")


def _each(beliefs: Sequence[ColumnBelief], key: str, value: Fraction) -> dict[str, dict[str, str]]:
    return {str(belief): {key: plain(value)} for belief in beliefs}


def _lowered(
    question: Question, differing: Sequence[ColumnBelief], lowered: Callable[[Fraction], Fraction]
) -> Question:
    """The question with other masses that no probability is below, for these beliefs."""
    changed = []
    for belief in differing:
        table = {cell: tuple((value, lowered(chance)) for value, chance in law) for cell, law in belief.table.items()}
        changed.append(replace(belief, least=table))
    return _with(question, changed)


def _with(question: Question, changed: Sequence[ColumnBelief]) -> Question:
    """The question with beliefs in the place of those about the same columns."""
    new = {belief.columns: belief for belief in changed}
    return replace(question, beliefs=tuple(new.get(belief.columns, belief) for belief in question.beliefs))
