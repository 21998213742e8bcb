"""Figures of a table that comes out in editions: the least noise that lets one go out, and a look at those to come."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

from dalenius.basics.limits import LARGEST_PEOPLE
from dalenius.basics.patience import Left, TimeUpError, always, go_on
from dalenius.claims import Verdict
from dalenius.facts.records import Categories, Cell, Label, Numbers
from dalenius.mechanisms import Chain, TwoSidedGeometric
from dalenius.numerics.least import doubled, halfway, least, scan, whole_halfway
from dalenius.plan.advice import Advice
from dalenius.plan.assessment import OPEN, Assessment
from dalenius.plan.calibration.noise import told
from dalenius.plan.examination import passes
from dalenius.plan.outcome import Plan, Refuse, Undecided
from dalenius.plan.question import Progress, Question
from dalenius.tables.figures import Figure, Frame
from dalenius.tables.series import Series, place_of

LARGEST_SCALE = Fraction(1 << 12)
CLOSE = Fraction(9, 8)  # how near a scale is looked for


def noise_over_editions(assessed: Assessment, progress: Progress, left: Left) -> Plan:
    """The least geometric noise on the new figures that lets them go out beside all editions, in words."""
    out, question = assessed.history.figures, assessed.question

    def holds(scale: Fraction) -> bool:
        progress("looking for the least noise over all editions", 0, 1)
        go_on(left)
        return passes((*out, *_noisy(assessed.figures, scale)), question)

    try:
        words = _words(_least(holds))
    except TimeUpError:
        words = "There was no time to look for noise that lets these figures go out (--seconds, or seconds= in Python)."
    if any(finding.verdict == Verdict.FAIL for finding in assessed.findings):
        return Refuse(assessed.findings, Advice(words=words))
    return Undecided(assessed.findings, Advice(words=words), OPEN)


def _words(scale: Fraction | None) -> str:
    if scale is None:
        return "No noise on these figures was found that lets them go out beside the editions that are out."
    add = f"Add noise: {{geometric: {told(scale)}}} to each of these figures"
    return f"{add}: judged again over all editions, they may go out then."


def _noisy(figures: Sequence[Figure], scale: Fraction) -> tuple[Figure, ...]:
    return tuple(replace(figure, channel=Chain((TwoSidedGeometric(scale),))) for figure in figures)


def _least(holds: Callable[[Fraction], bool]) -> Fraction | None:
    """The least scale, to an eighth, at which it holds; None if it does at none."""
    low, high = scan(holds, Fraction(1, 2), doubled(Fraction(1), Fraction(LARGEST_SCALE)))
    if high is None:
        return None
    return least(holds, low, high, middle=halfway, close=lambda low, high: high <= low * CLOSE)[1]


@final
@dataclass(frozen=True, slots=True)
class Outlook:
    """How the same figures will fare in the editions that are announced, if people join, leave and change as stated."""

    announced: int
    seen: int  # of these, the first ones, as far as the column can name them and the people can be counted
    exact: int  # of these, the first ones that pass exactly
    noise: Fraction | None = None  # on every edition from now on, where not all pass exactly

    def __str__(self) -> str:
        first = "" if self.seen >= self.announced else f"first {self.seen} of the "
        whole = f"the {first}{self.announced} editions that are announced"
        if self.exact >= self.seen:
            return f"Looking ahead: if people join, leave and change as stated, {whole} may all go out exactly."
        lasts = (
            "no noise was found that lasts for all of them"
            if self.noise is None
            else f"noise: {{geometric: {told(self.noise)}}} on every one, from this one on, lasts for all of them"
        )
        if_so = "Looking ahead: if people join, leave and change as stated,"
        return f"{if_so} exact figures last for {self.exact} of {whole}; {lasts}."


def outlook(
    figures: Sequence[Figure], out: Sequence[Figure], question: Question, left: Left = always
) -> Outlook | None:
    """A forecast, not a certificate: each edition is judged with all before it when it comes. TimeUpError when there is
    no time left.
    """
    series = question.series
    if series is None:
        return None
    past = len({series.month(figure) for figure in out} - {series.now})
    cases = _forecasts(figures, question, series, min(series.editions - past, _room(series)), left)
    if not cases:
        return None

    def lasts(count: int) -> bool:
        go_on(left)
        later, changed = cases[count]
        return passes((*out, *figures, *later), changed)

    high = max(cases)
    seen = past + high
    if lasts(high):
        return Outlook(series.editions, seen, seen)
    later, changed = cases[high]
    last, _ = least(lambda count: not lasts(count), 1, high, middle=whole_halfway)

    def noise_lasts(scale: Fraction) -> bool:
        go_on(left)
        return passes((*out, *_noisy((*figures, *later), scale)), changed)

    return Outlook(series.editions, seen, past + last, _least(noise_lasts))


def _room(series: Series) -> int:
    """How many editions, from this one on, the column can name."""
    column = series.calendar[series.since]
    last = len(column.values) - 1 if isinstance(column, Categories) else place_of(column, column.upper)
    return last - series.now + 1


def _forecasts(
    figures: Sequence[Figure], question: Question, series: Series, most: int, left: Left
) -> dict[int, tuple[list[Figure], Question]]:
    """For each number of editions from two on, this one included: the figures of those to come, and the question with
    those who will be there; as long as people can be counted.
    """
    later, months, columns = list[Figure](), dict[str, tuple[int, Figure]](), question.frame.columns
    people = dict(question.frame.groups)
    at, until = columns.index(series.since), None if series.until is None else columns.index(series.until)
    cases: dict[int, tuple[list[Figure], Question]] = {}
    for step in range(1, most):
        go_on(left)
        month = series.now + step
        for figure in figures:
            base = replace(series.base(figure), name=f"{figure.name} ({step} later)")
            months[base.name] = (month, base)
            later.append(base)
        _turn(people, at, until, series, month)
        if sum(people.values()) > LARGEST_PEOPLE:
            break
        changed = replace(question, frame=Frame(columns, dict(people)), series=series.with_months(months))
        cases[step + 1] = list(later), changed
    return cases


def _turn(people: dict[Cell, int], at: int, until: int | None, series: Series, month: int) -> None:
    """One edition later: of those who are there, a share left after the one before, and a share came."""
    now, before = _value(series, series.since, month), _value(series, series.until or series.since, month - 1)
    there: dict[Cell, int] = {}  # of each kind of people, wherever they began
    for cell, count in list(people.items()):
        ends = None if until is None else place_of(series.calendar[series.until or ""], cell[until])
        if ends is not None and ends < month:
            continue
        kind = tuple(now if place == at else value for place, value in enumerate(cell))
        there[kind] = there.get(kind, 0) + count
        gone = int(count * series.leaves) if until is not None else 0
        if gone and until is not None:
            left = tuple(before if place == until else value for place, value in enumerate(cell))
            people[cell] -= gone
            people[left] = people.get(left, 0) + gone
    for kind, count in there.items():
        came = int(count * series.joins)
        if came:
            people[kind] = people.get(kind, 0) + came


def _value(series: Series, column: str, place: int) -> Label | Fraction:
    """The edition of a place, as its column names it."""
    calendar = series.calendar[column]
    return calendar.lower + place * calendar.unit if isinstance(calendar, Numbers) else calendar.values[place]
