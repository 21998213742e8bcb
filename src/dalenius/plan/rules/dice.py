"""Random rules for counts: what they publish is drawn, by a law that depends on the count alone.

*What one is worth*: how well two counts that differ by one person are told apart, worst over the count, which nobody
knows. A law of the published value for every count, exact fractions; from some count on it is the same law, moved along
with the count by whole periods, so that finitely many pairs of counts are all there are. The hockey-stick divergence of
each pair is a finite sum, worked out in whole numbers with e^ε enclosed between two fractions.

*Asked again.* Independent draws of one cell compose: the best test sees all of them. Keyed noise (the same cell gives
the same noise) shows nothing new when the same cell is asked again. **Different** cells that a person is in are taken
to have independent noise, an assumption that is printed: keys are sums of the keys of records. The counts of such cells
may be anything, so that any pairs may meet: what composes is the worst of all pairs at each ε.
"""

import csv
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError, require
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import short, upwards
from dalenius.enclosure.outward import float_down, float_up
from dalenius.facts.records import is_whole
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Curve, PairCurve, Supremum
from dalenius.numerics.law import Law
from dalenius.plan.rules.rule import checked_base

Chances: TypeAlias = Mapping[int, Fraction]  # of each published value
Repeated: TypeAlias = Literal["independent", "keyed"]

HIDDEN = -1  # what is published of a count that is not shown
MOST_ROWS = 2_000_000  # of a perturbation table's file
MOST_QUERIES = 10_000
DIGITS = 60


class RandomRule(ABC):
    """A law of what is published, for every count.

    Rules derive from it and say the law of every count, and from which count on the law is the same but for its place.
    """

    @abstractmethod
    def law(self, count: int) -> Chances:
        """How likely each published value is; `HIDDEN` if the count is not shown."""

    @property
    @abstractmethod
    def settled(self) -> int:
        """From this count on, the law of a count that is larger by `period` is that of the count, moved by as much."""

    @property
    @abstractmethod
    def period(self) -> int:
        """See `settled`."""

    def pairs(self) -> Iterator[tuple[int, Chances, Chances]]:
        """All pairs of neighbouring counts, as far as they differ: the lesser count, its law, and that of one more."""
        last = self.law(0)
        for count in range(self.settled + self.period):
            more = self.law(count + 1)
            yield count, last, more
            last = more


@final
@dataclass(frozen=True, slots=True)
class RandomRounding(RandomRule):
    """To a neighbouring multiple of the base, each as likely as the count is near to the other one: without bias.

    >>> dict(RandomRounding(3).law(4)) == {3: Fraction(2, 3), 6: Fraction(1, 3)}
    True
    """

    base: int

    def __post_init__(self) -> None:
        checked_base(self.base)

    def law(self, count: int) -> Chances:
        low, above = count // self.base * self.base, count % self.base
        if not above:
            return {count: Fraction(1)}
        return {low: Fraction(self.base - above, self.base), low + self.base: Fraction(above, self.base)}

    @property
    def settled(self) -> int:
        return 0

    @property
    def period(self) -> int:
        return self.base

    def __str__(self) -> str:
        return f"rounded at random to {self.base}"


@final
@dataclass(frozen=True, slots=True)
class Fixed(RandomRule):
    """A rule without dice, as a random one: worst over the count, it tells for sure wherever two counts differ."""

    least: int = 1  # below, counts are hidden
    base: int = 1

    def law(self, count: int) -> Chances:
        return {HIDDEN if count < self.least > 1 else (count + self.base // 2) // self.base * self.base: Fraction(1)}

    @property
    def settled(self) -> int:
        return self.least + self.base

    @property
    def period(self) -> int:
        return self.base

    def __str__(self) -> str:
        hidden = f"hide below {self.least}" if self.least > 1 else "exact"
        return f"{hidden}, rounded to {self.base}" if self.base > 1 else hidden


@final
@dataclass(frozen=True, slots=True)
class Then(RandomRule):
    """One rule after the other, on what the first one publishes: hide below 10, then round at random to 5."""

    first: RandomRule
    second: RandomRule

    def law(self, count: int) -> Chances:
        found: dict[int, Fraction] = {}
        for value, chance in self.first.law(count).items():
            after = {HIDDEN: Fraction(1)} if value == HIDDEN else self.second.law(value)
            for shown, share in after.items():
                found[shown] = found.get(shown, Fraction(0)) + chance * share
        return found

    @property
    def settled(self) -> int:
        """Where all values that the first one may publish are beyond what settles the second one."""
        count, period = self.first.settled, self.first.period
        while min(value for at in range(count, count + period) for value in self.first.law(at)) < self.second.settled:
            count += period  # which moves all of these values as far
        return count

    @property
    def period(self) -> int:
        return math.lcm(self.first.period, self.second.period)

    def __str__(self) -> str:
        return f"{self.first}, then {self.second}"


@final
@dataclass(frozen=True, slots=True, eq=False)
class CellKeys(RandomRule):
    """Noise looked up in a perturbation table, by the count and by a key of the cell that is as good as drawn evenly.

    `rows`: for each count from 1 on (0 is published as 0, unless there is a row for it), the law of what is added;
    counts beyond the last row use the last `again` rows in turn. Results below `least` are hidden.
    """

    rows: Mapping[int, Chances]
    again: int
    least: int = 0
    name: str = "cell keys"
    _laws: dict[int, Chances] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        last = max(self.rows, default=0)
        if not 1 <= self.again <= last or any(count not in self.rows for count in range(1, last + 1)):
            raise InputError(
                f"A perturbation table needs a row for each count from 1 to its last one, of which the last few are "
                f"used again, but got {len(self.rows)} rows up to {last}, and {self.again} to be used again. Give all."
            )
        for count, law in self.rows.items():
            if sum(law.values()) != 1 or any(chance < 0 for chance in law.values()):
                raise InputError(f"The chances of a perturbation table must add up to 1, but those of {count} do not.")
            if any(count + step < 0 for step in law):
                raise InputError(f"A perturbation table must not make counts negative, but that of {count} does.")

    @property
    def last(self) -> int:
        return max(self.rows)

    def law(self, count: int) -> Chances:
        if count not in self._laws:
            row = count if count <= self.last else (count - 1) % self.again + self.last - self.again + 1
            steps = self.rows.get(row, {0: Fraction(1)}) if count else self.rows.get(0, {0: Fraction(1)})
            found: dict[int, Fraction] = {}
            for step, chance in steps.items():
                value = count + step
                shown = HIDDEN if value < self.least else value
                found[shown] = found.get(shown, Fraction(0)) + chance
            self._laws[count] = found
        return self._laws[count]

    @property
    def settled(self) -> int:
        # counts beyond the last row go on where they are in turn, which is the row after it only if all fits
        rows = self.last + 1 if self.last % self.again else self.last - self.again + 1
        return max(rows, self.least + max(-min(law) for law in self.rows.values()))

    @property
    def period(self) -> int:
        return self.again

    @classmethod
    def read(cls, path: Path | str, *, again: int = 250, least: int = 10) -> "CellKeys":
        """A table as the package cell-key-perturbation ships it: a CSV with pcv, ckey and pvalue. Keys are as likely as
        each other. Its own defaults are `again` and `least`.
        """
        rows: dict[int, dict[int, int]] = {}
        try:
            with Path(path).open(newline="", encoding="utf-8") as file:
                for place, line in enumerate(csv.DictReader(file)):
                    if place >= MOST_ROWS:
                        raise InputError(f"A perturbation table has at most {MOST_ROWS} lines. Check the file.")
                    count, step = int(line["pcv"]), int(line["pvalue"])
                    steps = rows.setdefault(count, {})
                    steps[step] = steps.get(step, 0) + 1
        except (OSError, UnicodeDecodeError) as problem:
            raise InputError(
                f"Needed a perturbation table at {path}, but it cannot be read. Check the file."
            ) from problem
        except (KeyError, TypeError, ValueError) as problem:
            raise InputError(
                f"A perturbation table is a CSV with whole numbers in the columns pcv, ckey and pvalue, but {path} is "
                "not one. Check the file."
            ) from problem
        laws = {
            count: {step: Fraction(times, sum(steps.values())) for step, times in steps.items()}
            for count, steps in rows.items()
        }
        return cls(laws, again, least, f"cell keys by {Path(path).name}" + (f", hidden below {least}" if least else ""))

    def __str__(self) -> str:
        return self.name


# -- what it is worth ------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class RandomWorth:
    """δ of a random rule at one ε, worst over the count, and where that is."""

    rule: RandomRule
    epsilon: Fraction
    delta: Bracket
    count: int  # the lesser of the two counts that are told apart best
    cells: int
    times: int
    repeated: Repeated
    spread: Fraction  # the largest variance of what is published of a count that is shown
    bias: Fraction  # the largest bias

    def __str__(self) -> str:
        often = f", each asked {self.times} times ({self.repeated})" if self.times > 1 else ""
        cells = f", {self.cells} cell{'s' * (self.cells > 1)}{often}" if self.cells > 1 or often else ""
        bias = f", bias at most {upwards(float(self.bias))}" if self.bias else ""
        return (
            f"{self.rule}{cells}: ε = {short(self.epsilon)}, δ = {self.delta}; worst between counts of {self.count} "
            f"and {self.count + 1}; variance at most {upwards(float(self.spread), places=4)}{bias}"
        )


def told_apart(one: Chances, other: Chances, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """The hockey-stick divergence of two laws, between two fractions."""
    low, high = exp_between(epsilon)
    zero = Fraction(0)
    upper = sum((max(zero, chance - low * other.get(value, zero)) for value, chance in one.items()), zero)
    lower = sum((max(zero, chance - high * other.get(value, zero)) for value, chance in one.items()), zero)
    return lower, upper


def exp_between(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """e^ε between two fractions that agree in some sixty digits."""
    if epsilon == 0:
        return Fraction(1), Fraction(1)
    with localcontext(Context(prec=DIGITS + 10)):
        near = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
        slack = near.scaleb(3 - DIGITS)  # far more than the last digits of the quotient and of exp may be off
        return Fraction(near - slack), Fraction(near + slack)


def price(
    rule: RandomRule, *, epsilon: Fraction, cells: int = 1, times: int = 1, repeated: Repeated = "independent"
) -> RandomWorth:
    """What a random rule is worth, worst over the unknown counts of so many `cells` that a person is in, each of which
    is asked so many `times`: `independent` answers draw again each time; `keyed` ones are the same each time.
    """
    for number, what in ((cells, "cells"), (times, "times")):
        require(is_whole(number) and 1 <= number <= MOST_QUERIES, f"1 to {MOST_QUERIES} {what}", got=number)
    require(repeated in ("independent", "keyed"), '"independent" or "keyed" answers', got=repeated)
    worst, lower, at = Fraction(0), Fraction(0), 0
    distinct: dict[tuple[tuple[tuple[int, Fraction], ...], ...], int] = {}
    for count, one, more in rule.pairs():
        distinct.setdefault(_shape(count, one, more), count)
    for count in distinct.values():
        one, more = rule.law(count), rule.law(count + 1)
        for first, second in ((one, more), (more, one)):
            least, most = told_apart(first, second, epsilon)
            lower = max(lower, least)
            if most > worst:
                worst, at = most, count
    spread, bias = _moments(rule)
    delta = _outward(lower, worst)
    draws = cells * (times if repeated == "independent" else 1)
    if draws > 1:
        delta = _several(rule, list(distinct.values()), at, epsilon, draws, delta)
    return RandomWorth(rule, epsilon, delta, at, cells, times, repeated, spread, bias)


def _shape(count: int, one: Chances, more: Chances) -> tuple[tuple[tuple[int, Fraction], ...], ...]:
    """Two laws by where they are from the count; those that hide are what they are."""
    return tuple(
        tuple(sorted((value - count if value != HIDDEN else -(10**9), chance) for value, chance in law.items()))
        for law in (one, more)
    )


def _outward(lower: Fraction, upper: Fraction) -> Bracket:
    return Bracket(max(0.0, float_down(lower)), min(1.0, float_up(upper)))


def _several(
    rule: RandomRule, counts: Sequence[int], worst: int, epsilon: Fraction, draws: int, once: Bracket
) -> Bracket:
    """Several draws: the worst of all pairs at each ε composes; from below, the worst pair several times."""
    curves = {count: PairCurve(*_laws(rule.law(count), rule.law(count + 1))) for count in counts}
    every: Curve = Supremum(tuple(curves.values())) if len(curves) > 1 else curves[worst]
    upper = compose([(every, draws)]).delta(epsilon).upper
    lower = compose([(curves[worst], draws)]).delta(epsilon).lower
    return Bracket(min(max(lower, once.lower), upper), min(1.0, upper))


def _laws(one: Chances, more: Chances) -> tuple[Law, Law]:
    """Both on the same places, one after the other: which value stands where does not matter."""
    places = sorted({*one, *more})

    def law(chances: Chances) -> Law:
        return Law.enclosing(0, Balls.nearest([Fraction(chances.get(place, 0)) for place in places]))

    return law(one), law(more)


def _moments(rule: RandomRule) -> tuple[Fraction, Fraction]:
    """The largest variance, and the largest bias, of counts that are never hidden."""
    spread = bias = Fraction(0)
    for count in range(rule.settled + rule.period + 1):
        law = rule.law(count)
        if HIDDEN in law:
            continue
        mean = sum((value * chance for value, chance in law.items()), Fraction(0))
        square = sum(((value - mean) ** 2 * chance for value, chance in law.items()), Fraction(0))
        spread, bias = max(spread, square), max(bias, abs(mean - count))
    return spread, bias


def averaged(rule: RandomRule, count: int, answers: int) -> float:
    """How likely the mean of so many independent answers about one cell, rounded, is the true count.

    In floats, by repeated convolution of the law: a number to know, on which no promise rests.

    >>> averaged(RandomRounding(3), 4, 1), round(averaged(RandomRounding(3), 4, 20), 2)
    (0.0, 0.85)
    """
    law = rule.law(count)
    if HIDDEN in law:
        return 0.0
    low, high = min(law), max(law)
    mass = np.array([float(law.get(value, 0)) for value in range(low, high + 1)])
    total, start, power, base = np.ones(1), 0, answers, low
    while power:  # answers in binary digits
        if power & 1:
            total, start = np.convolve(total, mass), start + base
        mass, base, power = np.convolve(mass, mass), 2 * base, power >> 1
    sums = start + np.arange(len(total))
    return float(total[np.abs(sums - answers * count) * 2 < answers].sum())
