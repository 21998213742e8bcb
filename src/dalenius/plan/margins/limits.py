"""How far each assumption can be wrong before the verdict changes; every number given is itself certified."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log10
from typing import final

from dalenius.beliefs.belief import known_records
from dalenius.enclosure.formats import percent
from dalenius.numerics.least import climb, geometric, last_below, last_true, least, outwards
from dalenius.plan.margins.case import Case, Setting, knowing, off_by, off_by_share, rarer, resized
from dalenius.plan.margins.households import household_delta

ATTACKER, PEOPLE, PROBABILITIES = "what the attacker knows", "how many people there are", "the stated probabilities"
AS_STATED = "as stated"  # of what is no number
HOUSEHOLDS = (2, 3, 5)
ROUND = tuple(Fraction(n, 1000) for n in (1, 2, 5, 10, 20, 50, 100, 200))  # radii for a short answer
SHARES = 1000  # steps of a share of known records
RAREST = Fraction(1, 1000)  # of the stated rates, below which none are looked for
LARGEST = 1000  # times as many people, beyond which no more are looked for
PRECISE = Fraction(101, 100)
STEP, SCANNED = Fraction(3, 2), Fraction(21, 20)  # of a search outwards


@final
@dataclass(frozen=True, slots=True)
class MarginLimit:
    """An assumption, what was stated of it, and how far it may be wrong.

    `until` is the farthest value at which the target is certainly met; None if none is. `change` is how much of the
    assumption has to be wrong to get there, as a share of it: 0 is at once, None is never (or not looked for).
    """

    assumption: str
    stated: str
    until: Fraction | None
    told: str
    beyond: str
    change: Fraction | None


def known_limit(setting: Setting) -> MarginLimit:
    """γ*: how many records the attacker may know. Knowing more never helps privacy."""
    question = setting.question
    n, attacker = question.frame.size, question.attacker
    stated = known_records(attacker.known, n) if n > 1 else 0
    everywhere = attacker.in_every_group and not isinstance(attacker.known, int)
    steps = SHARES if everywhere else n

    def most(known: int, *, worst: bool) -> float:
        asked = knowing(question, Fraction(known, SHARES) if everywhere else known)
        return setting.case(asked, worst=worst).delta().upper

    def last(*, worst: bool, below: int) -> int | None:
        return last_below(lambda known: most(known, worst=worst), question.target.delta, below)

    found = last(worst=True, below=steps - 1) if n > 1 else None
    if found is not None and most(found, worst=False) > question.target.delta:
        found = last(worst=False, below=found)
    until, share = None if found is None else Fraction(found, steps), Fraction(stated, n)
    told = "not even if they know nobody" if until is None else _known(until, None if everywhere else n)
    return MarginLimit(
        ATTACKER,
        _known(share, n),
        until,
        told,
        "an attacker who knows more can tell a person's values from the figures",
        None if until is None or found == steps - 1 else _part(share, until),
    )


def _part(share: Fraction, until: Fraction) -> Fraction:
    """How much of the unknown records has to become known; or, if too many are, how much of the known ones unknown."""
    return (until - share) / (1 - share) if until >= share else (share - until) / share


def _known(share: Fraction, n: int | None) -> str:
    """A share, rounded down; and the number of records, if it is one of `n`."""
    percent = f"{floor(1000 * share) / 10:g} %"
    return percent if n is None else f"{percent} ({round(share * n)} of {n} records)"


def size_limit(setting: Setting) -> MarginLimit:
    """How many people there have to be, in proportion: the least factor on all groups, within 1 %."""
    size, rounded = setting.question.frame.size, _rounded(setting)
    until = setting.search(
        lambda holds: least_factor(holds, Fraction(1, size), Fraction(LARGEST), scan=rounded),
        lambda factor: resized(setting.question, factor),
    )
    if until is None:
        told = f"not even with {LARGEST} times as many"
    elif until * size <= 1:
        told = "one person in every group"
    else:
        many = f"{percent(until, up=True)} of them" if until <= 1 else f"{_decimal(until, up=True)} times as many"
        told = f"{many} in every group{' (in steps of 5 %)' if rounded else ''}"
    return MarginLimit(
        PEOPLE,
        f"{size} people",
        until,
        told,
        "too few people are left to hide a person among",
        None if until is None or until * size <= 1 else abs(1 - until),
    )


def round_radius(setting: Setting) -> Fraction:
    """The largest of a few round numbers by which every probability may be off; 0 if not even the least of them."""

    def largest(holds: Callable[[Fraction], bool]) -> Fraction:
        place = last_true(lambda at: holds(ROUND[at]), 0, len(ROUND) - 1)
        return ROUND[place] if place >= 0 else Fraction(0)

    found = setting.search(largest, lambda radius: off_by(setting.question, radius))
    return found or Fraction(0)


def radius_of(setting: Setting) -> Fraction | None:
    """The prior radius: by how much every probability may be off, for each person in their own way, within 1 %.

    Certified for all beliefs within it at once; None if the target is not even met by the stated ones.
    """
    tables = (law for belief in setting.question.beliefs for law in belief.table.values())
    largest = max((chance for law in tables for _, chance in law), default=Fraction(1))
    return setting.search(lambda holds: largest_radius(holds, largest), lambda radius: off_by(setting.question, radius))


def _rounded(setting: Setting) -> bool:
    """Whether a figure is rounded without noise before, or hidden where it is small: then fewer people may hide more,
    so nothing is monotone.
    """
    return any(figure.channel.folds for figure in (*setting.history.figures, *setting.figures))


def radius_limit(setting: Setting) -> MarginLimit:
    """The prior radius; and the same in proportion, where every probability may be too large by a share of itself."""
    until, share = radius_of(setting), None
    if until is None:
        told = "not even if they are exactly as stated"
    elif not until:
        share = Fraction(0)
        told = "no error is certified, not even a small one"
    else:
        share = setting.search(
            lambda holds: largest_radius(holds, Fraction(1)), lambda part: off_by_share(setting.question, part)
        )
        told = f"each may be off by {_decimal(until)}, or by {percent(share or Fraction(0))} of itself"
    return MarginLimit(
        PROBABILITIES,
        AS_STATED,
        until,
        told,
        "an attacker who is surer than stated can tell more",
        None if share == 1 else share,
    )


def rate_limit(setting: Setting) -> MarginLimit:
    """How much rarer all but the likeliest values may be, for everybody alike, within 1 %."""
    rounded = _rounded(setting)
    until = setting.search(
        lambda holds: least_factor(holds, RAREST, Fraction(LARGEST), scan=rounded),
        lambda factor: rarer(setting.question, factor),
    )
    told = "at no other rate" if until is None else f"{_decimal(until, up=True)} times as likely as stated"
    return MarginLimit(
        "how likely the rarer values are",
        AS_STATED,
        until,
        told,
        "where nearly everybody has the same value, one who has another stands out",
        None if until is None or until <= RAREST else abs(1 - until),
    )


def household_limit(setting: Setting) -> MarginLimit | None:
    """The largest of a few sizes of households that may move as one; None where presence is secret, or people pass by
    moves, which are not looked for among households.
    """
    case = setting.case()
    if case.docket.presence or setting.moves:
        return None
    holding = [size for size in (1, *HOUSEHOLDS) if _met(case, size)]
    until = Fraction(max(holding)) if holding else None
    if until is None:
        told = "not even if people are independent"
    else:
        told = "households of 1 only" if until == 1 else f"households of {until} that all have the same values"
    return MarginLimit(
        "people are independent",
        "households of 1",
        until,
        told,
        "a household that moves as one stands out as much as all its members together",
        None if until is None or until == HOUSEHOLDS[-1] else 1 - 1 / Fraction(_next(int(until))),
    )


def _next(size: int) -> int:
    return next(other for other in HOUSEHOLDS if other > size)


def _met(case: Case, size: int) -> bool:
    if size == 1:
        return case.holds
    return household_delta(case, size).certainly_at_most(case.question.target.delta)


# -- searches --------------------------------------------------------------------------------------------------------


def least_factor(
    holds: Callable[[Fraction], bool], lowest: Fraction, highest: Fraction, *, scan: bool = False
) -> Fraction | None:
    """The least factor, within 1 % and with three digits, at which something holds that holds for large ones: below 1
    if it holds at 1. None if it holds nowhere on the way up. What is returned has been tried.

    From 1 in steps, then by bisection. `scan`: if it need not be monotone, in steps of 5 % and no further than these.
    """
    step, start = SCANNED if scan else STEP, Fraction(1)

    def smaller(factor: Fraction) -> Fraction:
        return max(lowest, short(factor / step, up=True))

    def larger(factor: Fraction) -> Fraction:
        return short(factor * step, up=True)

    down = climb(smaller(start), smaller, lambda factor: factor <= lowest) if lowest < start else ()
    low, high = outwards(holds, start, down=down, up=climb(larger(start), larger, lambda factor: factor > highest))
    if scan or low is None or high is None:
        return high
    return least(holds, low, high, middle=short_geometric, close=lambda one, two: two <= one * PRECISE)[1]


def largest_radius(holds: Callable[[Fraction], bool], highest: Fraction) -> Fraction | None:
    """The largest number up to `highest`, within 1 % and with three digits, at which something holds that holds for
    small ones; None if not at 0. What is returned has been tried.
    """
    if not holds(Fraction(0)):
        return None
    if holds(highest):
        return highest

    def middle(low: Fraction, high: Fraction) -> Fraction:
        return short((low + high) / 2 if low else high / 4, up=False)

    def near(low: Fraction, high: Fraction) -> bool:
        return high - low <= max(low / 100, highest / 10**5)

    return least(lambda radius: not holds(radius), Fraction(0), highest, middle=middle, close=near)[0]


def short_geometric(low: Fraction, high: Fraction) -> Fraction:
    """About half way on logarithms, in three digits."""
    return short(geometric(low, high), up=True)


def short(number: Fraction, *, up: bool) -> Fraction:
    """A number of three digits next to this one."""
    power = Fraction(10) ** (floor(log10(float(number))) - 2)
    return (ceil(number / power) if up else floor(number / power)) * power


def _decimal(number: Fraction, *, up: bool = False) -> str:
    return f"{float(short(number, up=up)) if number else 0:g}"
