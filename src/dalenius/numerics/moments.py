"""Berry-Esseen bounds: what three moments say of a sum of independent records, for half-lines, intervals and buckets.

No such statement holds for all events: the sum of even records betrays an odd one, whatever the moments.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, final

from dalenius.basics.errors import InputError
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import apart
from dalenius.enclosure.outward import exponential
from dalenius.numerics.curve import Curve
from dalenius.numerics.gaussian import GaussianCurve

BERRY_ESSEEN = Fraction(56, 100)  # Shevtsova 2013 has 0.5583 for independent records; cited, not proved here
FAR = (
    Fraction(10) ** 300
)  # shifts of more standard deviations, squared, are told apart for sure at every epsilon below 700


@final
@dataclass(frozen=True, slots=True)
class Moments:
    """The sum of the unknown records: its variance, and the sum of their third absolute central moments.

    >>> Moments(records=10_000, variance=Fraction(40_000), third=Fraction(30_000))
    Traceback (most recent call last):
    ...
    dalenius.basics.errors.InputError: No 10000 records have these moments: Σ E|X|³ ≥ (Σ Var X)^(3/2) / √n = 80000...
    """

    records: int
    variance: Fraction
    third: Fraction

    def __post_init__(self) -> None:
        for name in ("variance", "third"):
            try:
                object.__setattr__(self, name, Fraction(str(getattr(self, name))))  # 0.1 is one tenth
            except ValueError:
                raise InputError(f"{name} must be a finite number, but got {getattr(self, name)!r}.") from None
        if self.records < 1 or self.variance <= 0:
            raise InputError(
                f"Moments need at least one record and a variance above 0, but got {self.records} and {self.variance}."
            )
        # E|X|³ >= (Var X)^(3/2) (Lyapunov), and the power mean of the n variances is at least their mean
        if self.third**2 * self.records < self.variance**3:
            least = math.sqrt(float(self.variance**3 / self.records))
            raise InputError(
                f"No {self.records} records have these moments: Σ E|X|³ ≥ (Σ Var X)^(3/2) / √n = {least:g} always, but "
                f"got {float(self.third):g}. Correct the third moments or the variance."
            )

    @classmethod
    def within(cls, spread: Fraction, *, records: int, variance: Fraction) -> "Moments":
        """From a range alone: records that stay within `spread` have E|X|³ at most spread times Var X."""
        most = records * spread**2 / 4
        if variance > most:
            raise InputError(
                f"{records} independent records within a range of {spread} have a variance of at most n · range²/4 = "
                f"{apart(most, variance)}, but got {apart(variance, most)}. Correct the variance or the range."
            )
        return cls(records, variance, spread * variance)

    def __str__(self) -> str:
        return f"n={self.records}, total variance {float(self.variance):g}, Σ E|X|³ at most {float(self.third):g}"

    @property
    def distance(self) -> float:
        """An upper bound on the largest difference between the distribution functions of the sum and of the normal law:
        0.56 Σ E|X|³ / (Σ Var X)^(3/2).
        """
        square = BERRY_ESSEEN**2 * self.third**2 / self.variance**3
        return float(Balls.of(square).sqrt().upper)


class NearlyNormal(Protocol):
    """A sum whose distribution function is near that of a normal law."""

    @property
    def variance(self) -> Fraction:
        """Of the sum."""
        ...

    @property
    def distance(self) -> float:
        """An upper bound on the largest difference between the two distribution functions."""
        ...


@final
@dataclass(frozen=True, slots=True, eq=False)
class MomentCurve(Curve):
    """The sum against its shifts by up to `shift`, for events that are unions of `halves` / 2 intervals; a half-line
    counts as half an interval.

    An event's probability is a sum of `halves` values of the distribution function, each of which is within the
    stated distance of the normal law's; so delta is at most that of the normal law plus halves (1 + e^epsilon)
    times the distance. An upper bound only. A smaller shift has a smaller normal curve.
    """

    moments: NearlyNormal
    shift: Fraction
    halves: int

    def delta(self, epsilon: Fraction) -> Bracket:
        if self.shift == 0:
            return Bracket(0.0, 0.0)
        square = min(max(self.shift**2 / self.moments.variance, 1 / FAR), FAR)  # each of them may be beyond all floats
        normal = GaussianCurve(Fraction(float(Balls.of(square).sqrt().upper))).delta(epsilon).upper
        charge = (Balls.of(exponential(epsilon)[1]) + 1) * self.halves * self.moments.distance
        return Bracket(0.0, min(1.0, float((charge + normal).upper)))
