"""Gaussian noise, continuous and discrete, by its exact profile and never by a rule of thumb."""

import math
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError, require
from dalenius.claims import Evidence, Guarantee, Notion
from dalenius.enclosure.formats import short
from dalenius.facts.records import exact, whole
from dalenius.mechanisms.channel import DiscreteGaussian, RoundedGaussian
from dalenius.mechanisms.stated import Stated, checked_epsilon, drawn_scale, pure
from dalenius.numerics.curve import Curve, PairCurve
from dalenius.numerics.gaussian import GaussianCurve, Nearly
from dalenius.numerics.law import Law, point
from dalenius.numerics.least import climb, doubled, halfway, least, outwards

Number = float | str | Fraction
BITS = 40  # relative precision of a least scale
MOST = 2**1000  # scales that are tried


def least_scale(epsilon: Number, delta: Number, *, sensitivity: Number = 1) -> Fraction:
    """A scale of normal noise at which the profile is certainly at most δ at ε, and larger than the least by less than
    one part in 10¹¹.

    The formula √(2 ln(1.25/δ)) s/ε asks for more below ε = 1 and is false above; log(1/δ)/ε² for the variance is false
    for small δ.

    >>> print(f"{float(least_scale(1, '1e-6')):.6f}")
    4.224679
    """
    at, target, moved = checked_epsilon(epsilon), exact(delta, name="delta"), exact(sensitivity, name="sensitivity")
    require(0 < target < 1, "δ between 0 and 1", got=delta, remedy="For δ = 0 use LaplaceNoise.")
    require(moved > 0, "a sensitivity above 0", got=sensitivity)

    def enough(scale: Fraction) -> bool:
        return GaussianCurve(1 / scale).delta(at).certainly_at_most(target)

    smaller = climb(Fraction(1, 2), lambda scale: scale / 2, lambda _: False)
    low, high = outwards(enough, Fraction(1), down=smaller, up=doubled(Fraction(2), Fraction(MOST) / 2))
    if low is None or high is None:
        raise InputError(
            f"Needed a δ that floats can tell from 0, 1e-290 or more, but got '{short(target)}'. Ask for a larger one."
        )
    return least(enough, low, high, middle=halfway, close=lambda one, two: two - one <= one / 2**BITS)[1] * moved


@final
class GaussianNoise(Stated):
    """A figure plus normal noise of standard deviation `scale`, rounded to the unit, where one record moves the figure
    by at most s. Rounding is post-processing; what is drawn is within 2⁻⁸⁰ or so of it, and that is charged.

    >>> print(GaussianNoise(1, scale=1).curve().delta(Fraction(1)))
    [0.1269, 0.127]
    """

    differential = True

    def __init__(self, sensitivity: Number, *, scale: Number, unit: Number = 1) -> None:
        self.sensitivity, self.scale = exact(sensitivity, name="sensitivity"), exact(scale, name="scale")
        self.unit = exact(unit, name="unit")
        require(self.sensitivity > 0 and self.unit > 0, "a sensitivity and a unit above 0", got=(sensitivity, unit))
        self.channel = RoundedGaussian(self.scale / self.unit)

    @classmethod
    def within(cls, sensitivity: Number, *, epsilon: Number, delta: Number, unit: Number = 1) -> "GaussianNoise":
        """The least noise that is (ε, δ)-differentially private; the gap between what is drawn and the ideal is left
        room for.
        """
        target = exact(delta, name="delta")
        room = target * (1 - Fraction(1, 10**9))
        made = cls(sensitivity, scale=least_scale(epsilon, room, sensitivity=sensitivity), unit=unit)
        if not made.curve().delta(exact(epsilon, name="epsilon")).certainly_at_most(target):
            raise InputError(f"δ = {delta} is below what rounded noise can be shown to keep. Ask for a larger one.")
        return made

    def law(self, figure: int) -> Law:
        """The law of what is published of a figure in units."""
        return self.channel.push(point(whole(figure, name="The figure", remedy="It counts units.")))

    def curve(self) -> Curve:
        """The exact profile, widened by the gap."""
        return Nearly(GaussianCurve(self.sensitivity / self.scale), self.channel.normal()[1])

    def told(self) -> str:
        return (
            f"the figure plus normal noise of scale {float(self.scale):g}, rounded to a multiple of {short(self.unit)}"
        )

    def guarantees(self) -> tuple[Guarantee, ...]:
        return (_guarantee(self, self.sensitivity),)


@final
class DiscreteGaussianNoise(Stated):
    """A whole-number figure plus discrete Gaussian noise, P(k) ∝ exp(-k²/2scale²), where one record moves the figure by
    at most `shift`: the exact profile, a sum over the lattice, at the scale that a float can hold.

    Noise is log-concave, so that the best event is a half-line and the largest shift tells most.

    >>> import dalenius as dl
    >>> print(dl.mechanisms.DiscreteGaussianNoise(1, scale=5).guarantees()[0].epsilon)
    [1.1, 1.101]
    """

    differential = True

    def __init__(self, shift: int, *, scale: Number) -> None:
        require(shift >= 1, "a shift of at least 1 unit", got=shift)
        self.shift = whole(shift, name="The shift", remedy="It counts units.")
        self.channel = DiscreteGaussian(drawn_scale(exact(scale, name="scale")))
        self.scale = self.channel.scale

    def law(self, figure: int) -> Law:
        """The law of what is published of a figure in units."""
        return self.channel.push(point(whole(figure, name="The figure", remedy="It counts units.")))

    def curve(self) -> PairCurve:
        """Noise against itself, shifted."""
        noise = self.channel.noise()
        return PairCurve(noise, noise.shifted(self.shift))

    def told(self) -> str:
        return f"the figure plus discrete Gaussian noise of scale {float(self.scale):g}"

    def guarantees(self) -> tuple[Guarantee, ...]:
        return (_guarantee(self, Fraction(self.shift)),)


def _guarantee(mechanism: GaussianNoise | DiscreteGaussianNoise, sensitivity: Fraction) -> Guarantee:
    """At δ = 1e-9."""
    wanted = Fraction(1, 10**9)
    return pure(
        mechanism,
        definition="differential privacy",
        hides="one record's value",
        attacker="knows every record but one",
        epsilon=mechanism.curve().epsilon(wanted),
        because="computed from the exact profile of the noise against its shift",
        assumes=(f"one record moves the figure by at most {short(sensitivity)}", "the noise is drawn as stated"),
        breaks=("a person with more than one record",),
        sources=("Balle and Wang 2018, Theorem 8", "Canonne, Kamath and Steinke 2020"),
        notion=Notion.DIFFERENTIAL,
        delta=wanted,
        evidence=Evidence.COMPUTED,
    )


def posterior_shift(scale: Number, seen: Number) -> float:
    """How far one record's belief is moved for an attacker who holds 0 and 1 to be equally likely totals of everybody,
    and sees this noisy total: tanh((2t - 1)/4σ²)/2 (Kasiviswanathan and Smith 2014, Theorem A.2, misprint mended).

    It tends to 1/2 where the true total is far from both, whatever σ: noise protects those whom it was made for.
    """
    sigma, t = exact(scale, name="scale"), exact(seen, name="The noisy total")
    require(sigma > 0, "a scale above 0", got=scale)
    return math.tanh(float((2 * t - 1) / (4 * sigma * sigma))) / 2
