"""Laws on finite sets of outcomes: as floats with errors, or as exact fractions where asked for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.balls import Balls, log_of
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import nearly
from dalenius.enclosure.outward import HELD, exponential, float_down, float_up
from dalenius.numerics.divergence import hockey_stick, max_divergence
from dalenius.numerics.law import Floats, Law

Masses: TypeAlias = Floats | NDArray[np.object_]  # floats, or fractions
FEW = 4096  # so many floats may be added one after the other
SURE = 1e-280  # sums of products above this have lost nothing that counts below the smallest float
ROUNDING = 2.0**-38  # relative error of masses that were computed in floating point
GIVEN = 8  # roundings behind masses that somebody gives as floats


def is_exact(mass: Masses) -> bool:
    """Whether the masses are fractions."""
    return mass.dtype == object


def fractions(values: Sequence[Fraction]) -> NDArray[np.object_]:
    """An array of fractions."""
    found = np.empty(len(values), dtype=object)
    found[:] = [value if type(value) is Fraction else Fraction(value) for value in values]
    return found


def total(mass: Masses) -> Fraction | float:
    """The sum, exactly for fractions."""
    return sum(filter(None, mass.tolist()), Fraction(0)) if is_exact(mass) else float(mass.sum())


def divided(mass: Masses, weight: Fraction | float) -> Masses:
    """The masses, each divided by a weight."""
    if is_exact(mass):
        return fractions([value / weight for value in mass.tolist()])
    return np.asarray(mass.astype(float) / float(weight))


def joint(mass: Masses, chances: Masses) -> Masses:
    """The products, one by one: exact if both are, else floats. Those that floats cannot hold are refused."""
    if is_exact(mass) and is_exact(chances):
        return np.asarray(mass * chances)
    found = np.asarray(mass.astype(float) * chances.astype(float))
    least = float(found[((mass != 0) & (chances != 0)).astype(bool)].min(initial=1.0))
    if not least > HELD:
        raise InputError(
            f"Probabilities in floating point must be above {HELD}, but one is {nearly(least)}. Give the belief and "
            "the mechanism as fractions."
        )
    return found


def underflow(mass: Masses, rows: Masses, law: Masses) -> float:
    """What may be lost of the law of the output of `rows`, drawn from `mass`, below the smallest float.

    Each product and each conversion to a float loses at most 5e-324, so that a sum of up to 10^20 of them loses less
    than 1e-24 of anything above `SURE`; and nothing at all of an output that cannot occur.
    """
    if is_exact(law):
        return 0.0
    small = np.flatnonzero(law < SURE)
    if not len(small):
        return 0.0
    possible = ((mass != 0).astype(bool)[:, None] & (rows[:, small] != 0).astype(bool)).any()
    return HELD * len(law) if possible else 0.0


def collected(places: NDArray[np.int64], mass: Masses, size: int) -> Masses:
    """The mass at each of `size` places. A sum of n floats errs by at most 2√n + `FEW` units."""
    if not is_exact(mass):
        return _collected_floats(places, mass.astype(float), size)
    found = [Fraction(0)] * size
    for place, value in zip(places.tolist(), mass.tolist(), strict=True):
        if value:
            found[place] += value
    return fractions(found)


def _collected_floats(places: NDArray[np.int64], mass: Floats, size: int) -> Floats:
    """In √n pieces if there are few places; else at once, and again, pairwise, where many masses meet."""
    step = max(FEW // 4, math.isqrt(len(mass)))
    if size * step <= 2 * len(mass) + FEW**2:
        summed = np.zeros(size)
        for start in range(0, len(mass), step):
            part = slice(start, start + step)
            summed += np.bincount(places[part], weights=mass[part], minlength=size)
        return summed
    summed = np.bincount(places, weights=mass, minlength=size).astype(float)
    counts = np.bincount(places, minlength=size)
    crowded = np.flatnonzero(counts > FEW)
    if len(crowded):
        order, ends = np.argsort(places, kind="stable"), np.cumsum(counts)
        for place in crowded.tolist():
            summed[place] = mass[order[ends[place] - counts[place] : ends[place]]].sum()
    return summed


@final
@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Probabilities of outcomes 0, 1, ...: exact fractions, or floats each within `error` of the truth.

    If there is a slack, the true law is one within that total variation distance, and it may have other outcomes too.
    """

    mass: Masses
    error: float = 0.0  # relative, for floats
    slack: float = 0.0

    @property
    def fractional(self) -> bool:
        """Whether the law is known exactly."""
        return is_exact(self.mass) and not self.slack

    def law(self) -> Law:
        """As a law on the integers."""
        if is_exact(self.mass):
            masses = Balls.nearest(self.mass.tolist())
        else:
            mass = self.mass.astype(float)
            masses = Balls.rounded(mass, GIVEN).widened(mass * self.error)
        return Law.enclosing(0, masses.widened(self.slack) if self.slack else masses, self.slack)

    def delta(self, other: "Outcomes", epsilon: Fraction) -> Bracket:
        """How far this law exceeds e^epsilon times the other, at worst over events (one direction)."""
        if self.fractional and other.fractional:
            return _exact_hockey_stick(self.mass.tolist(), other.mass.tolist(), epsilon)
        return hockey_stick(self.law(), other.law(), epsilon=epsilon)

    def epsilon(self, other: "Outcomes") -> Bracket:
        """The largest log ratio of this law to the other (one direction); infinite if this has mass where the other
        has none.
        """
        if self.fractional and other.fractional:
            return _exact_max_divergence(self.mass.tolist(), other.mass.tolist())
        return max_divergence(self.law(), other.law())


def both_ways(first: Outcomes, second: Outcomes, epsilon: Fraction) -> Bracket:
    """δ at epsilon, over both directions."""
    return first.delta(second, epsilon).join(second.delta(first, epsilon))


def both_ratios(first: Outcomes, second: Outcomes) -> Bracket:
    """The least epsilon with δ = 0, over both directions."""
    return first.epsilon(second).join(second.epsilon(first))


def _exact_hockey_stick(p: list[Fraction], q: list[Fraction], epsilon: Fraction) -> Bracket:
    if len(p) != len(q):
        raise InputError(f"Two laws need the same outcomes, but they have {len(p)} and {len(q)}.")
    least, most = exponential(epsilon)
    if math.isinf(most):
        sure = sum((a for a, b in zip(p, q, strict=True) if b == 0), Fraction(0))
        upper = sum((max(Fraction(0), a - Fraction(least) * b) for a, b in zip(p, q, strict=True)), Fraction(0))
        return _outward(sure, upper)
    lower = sum((max(Fraction(0), a - Fraction(most) * b) for a, b in zip(p, q, strict=True)), Fraction(0))
    upper = sum((max(Fraction(0), a - Fraction(least) * b) for a, b in zip(p, q, strict=True)), Fraction(0))
    return _outward(lower, upper)


def _exact_max_divergence(p: list[Fraction], q: list[Fraction]) -> Bracket:
    if any(a > 0 and b == 0 for a, b in zip(p, q, strict=True)):
        return Bracket(math.inf, math.inf)
    ratio = max((a / b for a, b in zip(p, q, strict=True) if b), default=Fraction(1))
    if ratio <= 1:
        return Bracket(0.0, 0.0)
    value = log_of(ratio)
    return Bracket(max(0.0, float(value.lower)), float(value.upper))


def _outward(lower: Fraction, upper: Fraction) -> Bracket:
    """Floats around two fractions."""
    return Bracket(max(0.0, float_down(lower)), float_up(upper))
