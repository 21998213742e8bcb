"""A random number of coins of one rate: what is left of records of which only a part is known to be a coin."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.beliefs.crowd import law_of_rates
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses
from dalenius.enclosure.outward import add_up, float_down, raised, running_up, times_up, total_up
from dalenius.numerics.curve import Constant, Curve
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.shifts import ShiftCurve

Vector: TypeAlias = tuple[int, ...]
Ints: TypeAlias = NDArray[np.int64]
Masses: TypeAlias = Mapping[Vector, Fraction]
FINE = 32  # coins are counted one by one up to twice this; above, in steps of about this part of their number
DIGITS = 1 << 16  # weights are rounded down to such parts of a power of two, so that many are equal
COARSE = 3  # binary digits of a number of coins that are certainly there


@final
@dataclass(frozen=True, slots=True, eq=False)
class Coins:
    """δ_k(ε) of k coins of one rate against their shift by one, from above; both it and the law are remembered."""

    _found: dict[tuple[float, Fraction], dict[int, float]] = field(default_factory=dict, repr=False)
    _curves: dict[tuple[float, int], ShiftCurve] = field(default_factory=dict, repr=False)
    _at_all: dict[tuple[float, int, bytes], Floats] = field(default_factory=dict, repr=False)

    def most(self, rate: float, epsilon: Fraction, count: int) -> float:
        table = self._found.setdefault((rate, epsilon), {0: 1.0})
        if count not in table:
            table[count] = self._curve(rate, count).delta(epsilon).upper
        return table[count]

    def at_all(self, rate: float, epsilons: Floats, count: int) -> Floats:
        """The same at many ε at once."""
        key = rate, count, epsilons.tobytes()
        if key not in self._at_all:
            self._at_all[key] = self._curve(rate, count).uppers(epsilons) if count else np.ones(len(epsilons))
        return self._at_all[key]

    def _curve(self, rate: float, count: int) -> ShiftCurve:
        if (rate, count) not in self._curves:
            self._curves[rate, count] = ShiftCurve(law_of_rates(np.array([rate]), np.array([count])), (1,))
        return self._curves[rate, count]


def _rounded_down(counts: Ints) -> Ints:
    """Few different numbers, none above the one it stands for."""
    step = np.left_shift(1, np.maximum(np.frexp(counts / (2.0 * FINE))[1], 0).astype(np.int64))
    return np.asarray(counts // step * step)


@final
@dataclass(frozen=True, slots=True, eq=False)
class CoinsCurve(Curve):
    """E δ_K(ε), from above: K has this law, whose masses enter with their errors; its tail counts as δ = 1."""

    number: Law
    rate: float
    coins: Coins

    def delta(self, epsilon: Fraction) -> Bracket:
        terms = (times_up(mass, self.coins.most(self.rate, epsilon, count)) for count, mass in self.numbers())
        return Bracket(0.0, min(1.0, add_up(total_up(terms), self.number.tail)))

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        values = np.zeros(len(epsilons))
        for count, mass in self.numbers():
            values = add_up(values, times_up(mass, self.coins.at_all(self.rate, epsilons, count)))
        return epsilons, np.minimum(add_up(values, self.number.tail), 1.0)

    def numbers(self) -> list[tuple[int, float]]:
        """How many coins there may be, and a bound on how likely that is."""
        masses = largest_masses(self.number.mass, self.number.error)
        counts = _rounded_down(np.arange(self.number.start, self.number.stop))
        distinct, firsts = np.unique(counts, return_index=True)
        longest = int(np.diff(firsts, append=len(masses)).max())  # so many are added up at most
        sums = raised(np.add.reduceat(masses, firsts), longest)
        return [(count, mass) for count, mass in zip(distinct.tolist(), sums.tolist(), strict=True) if mass]

    @property
    def key(self) -> bytes:
        """Equal for equal curves only."""
        law = self.number
        numbers = np.array([law.start, self.rate, law.tail])
        return numbers.tobytes() + law.mass.tobytes() + law.error.tobytes()

    def sure(self, miss: float) -> tuple[int, float]:
        """A number of coins (of few different ones), and a bound on the probability, at most `miss`, that there are
        fewer.
        """
        least, below = self._below(miss)
        step = 1 << max(0, (self.number.start + least).bit_length() - COARSE)
        return self._fewer((self.number.start + least) // step * step, below)

    def surely(self, miss: float) -> tuple[int, float]:
        """The same, to the last coin."""
        least, below = self._below(miss)
        return self._fewer(self.number.start + least, below)

    def _below(self, miss: float) -> tuple[int, Floats]:
        """The largest place below which there is at most `miss`, and how much there is up to each."""
        below = add_up(running_up(largest_masses(self.number.mass, self.number.error)), self.number.tail)
        return int(np.searchsorted(below, miss)), below

    def _fewer(self, count: int, below: Floats) -> tuple[int, float]:
        place = count - self.number.start
        return count, float(below[place - 1]) if place > 0 else self.number.tail


def coins_mean(weights: Floats, times: Ints, known: int, rate: float, coins: Coins) -> Curve:
    """The curve of moves of these weights (each used `times` often), without the `known` that weigh most."""
    weights = _few_digits(weights)
    distinct, inverse = np.unique(weights, return_inverse=True)
    counts = np.bincount(inverse, weights=times, minlength=len(distinct)).astype(np.int64)
    before = np.append(np.cumsum(counts[::-1])[::-1][1:], 0)  # how many weigh more
    counts -= np.clip(known - before, 0, counts)
    live = (counts > 0) & (distinct > 0)
    if not live.any():
        return Constant(1.0)
    sure = live & (distinct >= 1)
    some = live & ~sure
    law = law_of_rates(distinct[some], counts[some]).shifted(int(counts[sure].sum()))
    return CoinsCurve(law, rate, coins)


def _few_digits(weights: Floats) -> Floats:
    """Rounded down to a few binary digits, or so that what is missing to 1 has a few; 1 stays 1."""
    parts, powers = np.frexp(weights)
    few = np.ldexp(np.floor(parts * DIGITS) / DIGITS, powers)
    parts, powers = np.frexp(1 - weights)  # exact from 1/2 on
    near = 1 - np.ldexp(np.ceil(parts * DIGITS) / DIGITS, powers)
    return np.asarray(np.where((weights >= 0.5) & (near <= weights), np.maximum(few, near), few))


def coin_of(law: Masses, change: Vector, rate: Fraction) -> tuple[Fraction, Fraction]:
    """How much of the law lies in a pair of states that differ by the change: at the lower, and at the upper end.

    Where there are several such pairs, they are made into coins of one rate: greedily, each pair takes what those
    before it have left, so that no mass is used twice.
    """
    pairs = {low: high for low in law if law[low] and law.get(high := plus(low, change), Fraction(0))}
    if len(pairs) == 1:
        ((low, high),) = pairs.items()
        return law[low], law[high]
    taken: dict[Vector, Fraction] = {}
    for low, high in sorted(pairs.items(), key=lambda pair: sum(x * d for x, d in zip(pair[0], change, strict=True))):
        before = taken.get(plus(low, tuple(-step for step in change)), Fraction(0))
        taken[low] = max(Fraction(0), min((law[low] - before * rate) / (1 - rate), law[high] / rate))
    whole = sum(taken.values(), Fraction(0))
    return whole * (1 - rate), whole * rate


def plus(one: Vector, other: Vector) -> Vector:
    """The sum, coordinate by coordinate."""
    return tuple(x + y for x, y in zip(one, other, strict=True))


def below(number: Fraction) -> float:
    """A float that is not above the number."""
    return float_down(number)
