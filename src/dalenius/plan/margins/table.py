"""How ε and δ move with each assumption: a small table around what was stated, every number certified."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import final

from dalenius.basics.patience import TimeUpError
from dalenius.beliefs.belief import known_records
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import nearly
from dalenius.plan import Progress
from dalenius.plan.margins.case import Case, Setting, knowing, least_epsilon, off_by, rarer, resized, rising
from dalenius.plan.margins.households import household_delta
from dalenius.plan.margins.limits import (
    HOUSEHOLDS,
    MarginLimit,
    household_limit,
    known_limit,
    radius_limit,
    rate_limit,
    size_limit,
)

FACTORS = (Fraction(1, 2), Fraction(3, 4), Fraction(1), Fraction(3, 2), Fraction(2))
SHARES = (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))  # times what is stated
FEW = (Fraction(0), Fraction(1, 100), Fraction(1, 20), Fraction(1, 10))  # if nobody is known
RADII = (Fraction(0), Fraction(1, 100), Fraction(1, 50), Fraction(1, 20))
KNOWN, PEOPLE, RATES, HOMES, RADIUS = (
    "the attacker knows",
    "people in every group",
    "the rarer values are",
    "households of",
    "every probability may be off by",
)


@final
@dataclass(frozen=True, slots=True)
class Row:
    """One assumption moved to one place: δ at the target's ε, and an ε at which the target's δ is met."""

    assumption: str
    value: Fraction
    told: str
    delta: Bracket
    epsilon: float
    holds: bool
    stated: bool = False


@final
@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How the numbers of a decision move with what was assumed, and how far each assumption may be wrong.

    `groups`: 0 if everybody is followed, else how many of the groups, those that fare worst.
    """

    rows: tuple[Row, ...]
    limits: tuple[MarginLimit, ...]
    groups: int
    whole: bool = True  # whether there was time for all of it

    @property
    def carried_by(self) -> MarginLimit | None:
        """The assumption whose smallest relative change turns the verdict; None if none of them does."""
        turning = [limit for limit in self.limits if limit.change is not None]
        return min(turning, key=lambda limit: limit.change or Fraction(0), default=None)


def sensitivity(setting: Setting, *, progress: Progress = lambda _what, _done, _of: None) -> Sensitivity:
    """The table and the limits. Cost: some fifty times that of judging the release, each about its worst groups."""
    rows: list[Row] = []
    about = (radius_limit, rate_limit) if setting.stated else ()  # probabilities that nobody stated are not wrong
    searches = (known_limit, size_limit, *about, household_limit)
    limits, steps, in_time = [], 5 + len(searches), True
    for part in (_known, _people, _rates, _households, _radius):
        progress("looking how much each assumption matters", len(rows) // 5, steps)
        found, whole = _in_time(part(setting))
        rows += _rising(found) if part in (_known, _radius) else found
        in_time = in_time and whole
    for done, search in enumerate(searches):
        progress("looking how far each assumption may be wrong", 5 + done, steps)
        try:
            limits.append(search(setting))
        except TimeUpError:
            in_time = False
    followed = len(setting.groups) if setting.groups is not None else 0
    told = tuple(limit for limit in limits if limit is not None)
    return Sensitivity(tuple(rows), told, followed, whole=in_time)


def _in_time(rows: Iterator[Row]) -> tuple[list[Row], bool]:
    """The rows for which there was time, and whether these are all."""
    found: list[Row] = []
    try:
        for row in rows:
            found.append(row)  # noqa: PERF402 - those before the time is up stay
    except TimeUpError:
        return found, False
    return found, True


def _rising(given: Iterable[Row]) -> list[Row]:
    """Rows in which each assumption contains those before it: what is certified of one holds for all before it."""
    rows = list(given)
    epsilons = reversed(list(accumulate((row.epsilon for row in reversed(rows)), min)))
    holding = reversed(list(accumulate((row.holds for row in reversed(rows)), max)))
    closer = zip(rows, rising([row.delta for row in rows]), epsilons, holding, strict=True)
    return [replace(row, delta=delta, epsilon=epsilon, holds=holds) for row, delta, epsilon, holds in closer]


def _row(case: Case, assumption: str, value: Fraction, told: str, *, stated: bool = False) -> Row:
    return Row(assumption, value, told, case.delta(), case.epsilon(), case.holds, stated)


def _known(setting: Setting) -> Iterator[Row]:
    question = setting.question
    n, attacker = question.frame.size, question.attacker
    if n < 2:
        return
    stated = Fraction(attacker.known) if not isinstance(attacker.known, int) else Fraction(attacker.known, n)
    for share in dict.fromkeys(times * stated for times in SHARES) if stated else FEW:
        if share >= 1:
            continue
        known: int | Fraction = round(share * n) if isinstance(attacker.known, int) else share
        asked = knowing(question, known)
        exactly = Fraction(known, n) if isinstance(known, int) else share
        told = f"{nearly(100 * exactly, places=6)} % ({known_records(known, n)} of {n} records)"
        yield _row(setting.case(asked), KNOWN, share, told, stated=share == stated)


def _people(setting: Setting) -> Iterator[Row]:
    for factor in FACTORS:
        asked = resized(setting.question, factor)
        told = f"{_times(factor)} ({asked.frame.size})"
        yield _row(setting.case(asked), PEOPLE, factor, told, stated=factor == 1)


def _rates(setting: Setting) -> Iterator[Row]:
    for factor in FACTORS if setting.stated else ():
        asked = rarer(setting.question, factor)
        if asked is not None:
            told = f"{_times(factor)} as likely" if factor != 1 else "as likely as stated"
            yield _row(setting.case(asked), RATES, factor, told, stated=factor == 1)


def _households(setting: Setting) -> Iterator[Row]:
    case = setting.case()
    if case.docket.presence or setting.moves:
        return
    yield _row(case, HOMES, Fraction(1), "1: all people are independent", stated=True)
    target = case.question.target

    def most(at: Fraction, size: int) -> float:
        return household_delta(case, size, at).upper

    for size in HOUSEHOLDS:
        found, told = household_delta(case, size), f"{size}, all with the same values"
        epsilon = least_epsilon(partial(most, size=size), target.delta, target.epsilon)
        yield Row(HOMES, Fraction(size), told, found, epsilon, found.certainly_at_most(target.delta))


def _radius(setting: Setting) -> Iterator[Row]:
    for radius in RADII if setting.stated else ():
        told = nearly(radius, places=6) if radius else "nothing: as stated"
        yield _row(setting.case(off_by(setting.question, radius)), RADIUS, radius, told, stated=not radius)


def _times(factor: Fraction) -> str:
    return {Fraction(1, 2): "half", Fraction(3, 4): "three quarters", Fraction(1): "as stated"}.get(
        factor, f"{nearly(factor, places=6)} times"
    )


def shown_epsilon(epsilon: float) -> str:
    """An ε for a table, rounded up to a thousandth.

    >>> shown_epsilon(0.07), shown_epsilon(0.12300000000000001)
    ('0.07', '0.124')
    """
    return "none" if math.isinf(epsilon) else f"{math.ceil(1000 * Fraction(repr(epsilon))) / 1000:g}"
