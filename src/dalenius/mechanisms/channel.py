"""Channels: what happens to a statistic before it is published. A channel pushes a law to a law."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, final, overload

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.formats import apart, short
from dalenius.enclosure.outward import add_up
from dalenius.facts.records import exact, whole
from dalenius.facts.statistics import Histogram, Statistic
from dalenius.numerics.convolve import convolve
from dalenius.numerics.law import Law

if TYPE_CHECKING:
    from dalenius.mechanisms.histogram_release import HistogramRelease
    from dalenius.mechanisms.mechanism import Mechanism

LARGEST_BASE = 2**60
LARGEST_GEOMETRIC = 200_000  # scale up to which the law of geometric noise is listed: a hundred times as many places
NOISE_TAIL = 1e-40  # noise beyond this probability is charged, not computed
BOTH_TAILS = 2 * NOISE_TAIL
LEAST_LISTED = 2.0**-10  # a scale at which discrete Gaussian noise is nothing but 0, to all digits of a float


class Channel(ABC):
    """A (randomised) function of a whole number, seen as a map of laws.

    >>> import dalenius as dl
    >>> isinstance(dl.Rounded(5), dl.mechanisms.Channel)
    True
    """

    @property
    @abstractmethod
    def period(self) -> int:
        """0 for noise, where moving the input moves the output alike; otherwise moving the input by this much moves the
        output by one. A channel that has none (a cap, a choice) raises InputError here and says what `random` is: what
        rests on a period then refuses it.
        """

    @abstractmethod
    def push(self, law: Law) -> Law:
        """The law of the output, given the law of the input."""

    @property
    def exact(self) -> bool:
        return isinstance(self, Exact)

    @property
    def random(self) -> bool:
        """Whether it is noise, which hides a record whatever the others are."""
        return self.period == 0 and not self.exact

    @property
    def dice(self) -> bool:
        """Whether publishing the same number again tells more: of noise, and of whatever else is drawn."""
        return self.random

    @property
    def hides(self) -> bool:
        """Whether a rule other than rounding says what is told of the number, or whether it is told as it is."""
        return False

    @property
    def step(self) -> int:
        """What one step of the output is worth in steps of the input."""
        return 1 if self.hides else self.period or 1

    def told(self, unit: Fraction) -> str:
        """In words, where one step is worth `unit`."""
        return str(self)

    def pure(self, shift: int) -> Fraction | None:
        """An epsilon from which on delta is 0, when the input moves by at most `shift`; None if there is none."""
        return None

    def normal(self) -> tuple[Fraction, float] | None:
        """The scale of normal noise such that the output is a function of the figure plus that noise, and how far, in
        total variation, what is drawn is from it; None if there is none.
        """
        return None

    def __rrshift__(self, statistic: Statistic) -> "Mechanism":
        from dalenius.mechanisms.mechanism import Mechanism  # which is made of channels

        if not isinstance(statistic, Statistic):
            raise InputError(
                f"A channel ({self}) comes after a figure that is one number, but it came after {statistic}. Write "
                "Count() >> ...; of a histogram, publish Histogram(...) >> Exact(), Truncated(k) or mode(...)."
            )
        return Mechanism(statistic, (self,))


@final
@dataclass(frozen=True, slots=True)
class Exact(Channel):
    """The figure as it is.

    >>> import dalenius as dl
    >>> print(dl.Count() >> dl.Exact())
    count, exact
    """

    @property
    def period(self) -> int:
        return 0

    def push(self, law: Law) -> Law:
        return law

    @overload
    def __rrshift__(self, statistic: Statistic) -> "Mechanism": ...

    @overload
    def __rrshift__(self, statistic: Histogram) -> "HistogramRelease": ...

    def __rrshift__(self, statistic: Statistic | Histogram) -> "Mechanism | HistogramRelease":
        from dalenius.mechanisms.histogram_release import HistogramRelease

        if isinstance(statistic, Histogram):
            return HistogramRelease(statistic, self)
        return Channel.__rrshift__(self, statistic)

    def __str__(self) -> str:
        return "exact"


@final
@dataclass(frozen=True, slots=True)
class Rounded(Channel):
    """The nearest multiple of `base` units; a figure half way between two goes up.

    Rounding coarser may leak more: the place where a total lies between two multiples matters.

    >>> import dalenius as dl
    >>> print(dl.Count() >> dl.Rounded(5))
    count, rounded to the nearest multiple of 5
    """

    base: int

    def __post_init__(self) -> None:
        base = whole(self.base, name="The base of a rounding", remedy="Write 5 to round to fives.")
        object.__setattr__(self, "base", base)
        if not 1 <= self.base <= LARGEST_BASE:
            raise InputError(
                f"Rounding needs a base from 1 to 2^60 units, but got {self.base}. Write 5 to round to fives."
            )

    @property
    def period(self) -> int:
        return self.base

    def push(self, law: Law) -> Law:
        turns, place = divmod(law.start, self.base)  # a total may be larger than what an array holds
        return law.pushed(self.apply(np.arange(place, place + len(law.mass)))).shifted(turns)

    def apply(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rounded totals, as numbers of bases."""
        return (totals + self.base // 2) // self.base

    def told(self, unit: Fraction) -> str:
        return f"rounded to the nearest multiple of {short(self.base * unit)}"

    def __str__(self) -> str:
        return self.told(Fraction(1))


@final
@dataclass(frozen=True, slots=True)
class TwoSidedGeometric(Channel):
    """The figure plus whole-number noise K with P(K = k) proportional to exp(-|k| / scale).

    >>> import dalenius as dl
    >>> dl.two_sided_geometric(2) == dl.mechanisms.TwoSidedGeometric(2)
    True
    """

    scale: Fraction

    def __post_init__(self) -> None:
        _check_scale(self.scale)

    @property
    def period(self) -> int:
        return 0

    def push(self, law: Law) -> Law:
        _check_listed(self.scale, LARGEST_GEOMETRIC)
        scale = max(self.scale, Fraction(LEAST_LISTED))
        more = math.ceil(-math.log(NOISE_TAIL) * float(scale)) + 1
        step = 1 / Balls.of(scale)
        x = (-step).exp()
        return _smoothed(law, x, -(-step).expm1() / (x + 1), more)

    def pure(self, shift: int) -> Fraction | None:
        """P(K = k) / P(K = k + shift) <= exp(shift / scale), whatever else is added."""
        return shift / self.scale

    def told(self, unit: Fraction) -> str:
        return f"plus two-sided geometric noise of scale {short(self.scale * unit)}"

    def __str__(self) -> str:
        return self.told(Fraction(1))


@final
@dataclass(frozen=True, slots=True)
class RationalGeometric(Channel):
    """The figure plus whole-number noise K with P(K = k) proportional to ratio^|k|: two-sided geometric noise that is
    exact in fractions. If one record moves the figure by 1, it is ln(1/ratio)-differentially private.

    >>> from fractions import Fraction
    >>> import dalenius as dl
    >>> dl.mechanisms.rational_geometric("1/2") == dl.mechanisms.RationalGeometric(Fraction(1, 2))
    True
    """

    ratio: Fraction

    def __post_init__(self) -> None:
        if not 0 < self.ratio < 1:
            raise InputError(
                f"Geometric noise needs a ratio between 0 and 1, but got {self.ratio}. Write 1/2 for ε = ln 2."
            )

    @property
    def period(self) -> int:
        return 0

    def push(self, law: Law) -> Law:
        _check_listed(1 / (1 - self.ratio), LARGEST_GEOMETRIC)  # which is above 1 / rate
        more = math.ceil(-math.log(NOISE_TAIL) / self.rate) + 1
        return _smoothed(law, Balls.of(self.ratio), Balls.of((1 - self.ratio) / (1 + self.ratio)), more)

    def pure(self, shift: int) -> Fraction | None:
        return shift * Fraction(float(Balls.of(1 / self.ratio - 1).log1p().upper))

    @property
    def rate(self) -> float:
        """ln(1/ratio), within a few units also where the ratio is near 1."""
        return math.log1p(float(1 / self.ratio - 1))

    def __str__(self) -> str:
        return f"plus two-sided geometric noise of ratio {self.ratio}"


def _smoothed(law: Law, x: Balls, weight: Balls, more: int) -> Law:
    """The law plus two-sided geometric noise of ratio x, which has mass `weight` at 0. Cost O(length)."""
    from dalenius.enclosure.recurrences import smoothed

    mass, error = (np.pad(values, more) for values in (law.mass, law.error))
    noisy = weight * smoothed(mass, x)
    slip = (weight * smoothed(error, x)).upper
    return Law.enclosing(law.start - more, noisy.widened(slip).widened(law.tail), add_up(law.tail, BOTH_TAILS))


@final
@dataclass(frozen=True, slots=True)
class DiscreteGaussian(Channel):
    """The figure plus whole-number noise K with P(K = k) proportional to exp(-k² / (2 scale²)).

    >>> import dalenius as dl
    >>> dl.discrete_gaussian(3) == dl.mechanisms.DiscreteGaussian(3)
    True
    """

    scale: Fraction

    def __post_init__(self) -> None:
        _check_scale(self.scale)

    @property
    def period(self) -> int:
        return 0

    def push(self, law: Law) -> Law:
        return convolve(law, self.noise())

    def noise(self) -> Law:
        """The noise itself. Beyond c its mass is at most 2 exp(-c²/2s²) (1 + s²/c) against a sum of at least 1 at
        zero; what floats cannot hold, of a tail or of a mass, is far less than `TINY`. So is all but the mass at zero
        at `LEAST_LISTED` and below: they have one law.
        """
        from dalenius.numerics.gaussian import LARGEST_LISTED

        _check_listed(self.scale, LARGEST_LISTED)
        scale = max(self.scale, Fraction(LEAST_LISTED))
        cut = math.ceil(float(scale) * math.sqrt(-2 * math.log(NOISE_TAIL)) + 2)
        k = np.arange(-cut, cut + 1, dtype=float)
        square = Balls.of(scale**2)
        weights = (Balls.of(-k * k) / (2 * square)).exp()
        tail = float((2 * (-Balls.of((cut + 1) ** 2) / (2 * square)).exp() * (1 + square / cut)).upper)
        return Law.enclosing(-cut, (weights / weights.sum()).widened(tail), tail)

    def told(self, unit: Fraction) -> str:
        return f"plus discrete Gaussian noise of scale {short(self.scale * unit)}"

    def __str__(self) -> str:
        return self.told(Fraction(1))


@final
@dataclass(frozen=True, slots=True)
class RoundedGaussian(Channel):
    """The figure plus normal noise of standard deviation `scale`, rounded to whole numbers.

    It is a function of the figure plus normal noise, which `DiscreteGaussian` is not: theorems about normal noise cover
    it. It is drawn as discrete Gaussian noise on a grid about 2^-40 finer, and rounded.

    >>> import dalenius as dl
    >>> dl.rounded_gaussian(3) == dl.mechanisms.RoundedGaussian(3)
    True
    """

    scale: Fraction

    def __post_init__(self) -> None:
        from dalenius.numerics.gaussian import fineness

        fineness(self.scale)  # which checks it

    @property
    def period(self) -> int:
        return 0

    def push(self, law: Law) -> Law:
        from dalenius.numerics.gaussian import rounded_normal

        return convolve(law, rounded_normal(self.scale))

    def normal(self) -> tuple[Fraction, float]:
        from dalenius.numerics.gaussian import fineness, rounding_gap

        return self.scale, rounding_gap(self.scale, fineness(self.scale))

    def told(self, unit: Fraction) -> str:
        return f"plus rounded normal noise of scale {short(self.scale * unit)}"

    def __str__(self) -> str:
        return self.told(Fraction(1))


def _check_scale(scale: Fraction) -> None:
    if scale <= 0:
        raise InputError(
            f"Noise needs a scale above 0, but got {scale}. Leave the noise out to publish the exact figure."
        )


def _check_listed(scale: Fraction, most: int) -> None:
    """The masses of wider noise are too many to list."""
    if scale > most:
        raise InputError(
            f"The law of this noise is listed up to a scale of {most} units, but got {apart(scale, most)}. Declare a "
            "coarser unit."
        )


def two_sided_geometric(scale: float | str | Fraction) -> TwoSidedGeometric:
    """Two-sided geometric noise of this scale, in units of the figure.

    >>> import dalenius as dl
    >>> print(dl.Count() >> dl.two_sided_geometric(2))
    count, plus two-sided geometric noise of scale 2
    """
    return TwoSidedGeometric(exact(scale, name="scale"))


def discrete_gaussian(scale: float | str | Fraction) -> DiscreteGaussian:
    """Discrete Gaussian noise of this scale, in units of the figure.

    >>> import dalenius as dl
    >>> print(dl.Count() >> dl.discrete_gaussian(3))
    count, plus discrete Gaussian noise of scale 3
    """
    return DiscreteGaussian(exact(scale, name="scale"))


def rounded_gaussian(scale: float | str | Fraction) -> RoundedGaussian:
    """Normal noise of this scale, in units of the figure, rounded to whole units.

    >>> import dalenius as dl
    >>> print(dl.Count() >> dl.rounded_gaussian(3))
    count, plus rounded normal noise of scale 3
    """
    return RoundedGaussian(exact(scale, name="scale"))


def rational_geometric(ratio: float | str | Fraction) -> RationalGeometric:
    """Two-sided geometric noise with P(K = k) proportional to ratio^|k|.

    >>> import dalenius as dl
    >>> noisy = dl.Count() >> dl.mechanisms.rational_geometric("1/2")
    >>> print(dl.verify(noisy, dl.differential_privacy(), delta=0).epsilon)
    [0.6931, 0.6932]
    """
    return RationalGeometric(exact(ratio, name="ratio"))
