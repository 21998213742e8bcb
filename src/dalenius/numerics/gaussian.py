"""The curve of a normal law against its shift: the exact profile, never a rule of thumb for it. And normal noise
that is rounded to whole numbers.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.enclosure.balls import joined
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import apart
from dalenius.enclosure.normal import cells, profile, rounded_cells
from dalenius.enclosure.outward import (
    HELD,
    HIGHEST_POWER,
    add_up,
    difference_down,
    exp_down,
    exp_of,
    exponential,
    times_down,
    times_up,
)
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import Law
from dalenius.numerics.losses import Losses, Masses, edges_below

NARROWED = 0.9999999999  # of δ is less than is left of it where the scale is larger by `DRAWN`
DRAWN = Fraction(1, 2**51)  # noise is drawn at a scale that may be larger by a factor of up to 1 + 2^-52
STEEPEST = 60  # a ratio above which nearly every loss is beyond all that is told apart
FAR = 12.0  # standard deviations around the losses that matter; beyond them there is less than 1e-32 of what does


@final
@dataclass(frozen=True, slots=True, eq=False)
class GaussianCurve(Curve):
    r"""N(0, 1) against N(r, 1), where r = shift / standard deviation.

    $$ \delta(\epsilon) = \Phi(-a) - e^\epsilon \Phi(-b), \qquad a = \epsilon/r - r/2, \quad b = \epsilon/r + r/2 $$

    (Balle and Wang 2018, Theorem 8). Since e^epsilon = exp((b² - a²)/2), this is exp(-a²/2) (E(a) - E(b)) / 2 with
    the scaled error function E(x) = erfcx(x / sqrt 2), in which nothing overflows and little cancels
    (`enclosure/normal.py`).
    """

    ratio: Fraction

    def __post_init__(self) -> None:
        if self.ratio <= 0:
            raise InputError(f"A ratio of shift to standard deviation must be above 0, but got {self.ratio}.")

    @property
    def alone(self) -> bool:
        return False

    def losses(self) -> Losses:
        ratio = min(self.ratio, Fraction(10 * STEEPEST))
        return _NormalLosses(float(ratio), float(ratio * (1 - DRAWN)))

    def delta(self, epsilon: Fraction) -> Bracket:
        a, b = float(epsilon / self.ratio - self.ratio / 2), float(epsilon / self.ratio + self.ratio / 2)
        if a > 38:
            return Bracket(0.0, math.exp(-700))
        if a < -26:  # erfcx grows without limit there; Phi(-a) is one to the last digit
            return Bracket(0.99, 1.0)
        return Bracket(*profile(a, b))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Nearly(Curve):
    """A curve, where what is drawn is within `gap` of its laws in total variation: δ differs by at most (1 + e^ε) gap.

    Noise is drawn at a scale that may be larger by a factor of 1 + 2^-52, which can only lower δ.
    """

    ideal: Curve
    gap: float

    @property
    def alone(self) -> bool:
        return self.ideal.alone

    def delta(self, epsilon: Fraction) -> Bracket:
        return near(self.ideal.delta(epsilon), self.gap, epsilon)


def near(ideal: Bracket, gap: float, epsilon: Fraction) -> Bracket:
    """δ of what is drawn, where that of the ideal is known."""
    more = times_up(add_up(1.0, exponential(epsilon)[1]), gap)
    lower = difference_down(times_down(ideal.lower, NARROWED), more)
    return Bracket(lower, min(1.0, add_up(ideal.upper, more)))


@final
@dataclass(frozen=True, slots=True, eq=False)
class _NormalLosses(Losses):
    """The loss is normal with mean r²/2 under P and -r²/2 under Q, and has the standard deviation r."""

    ratio: float
    least: float  # from below

    def log_moment(self, tilt: float) -> float:
        return tilt * (tilt + 1) * self.ratio * self.ratio / 2

    def above(self, step: float, tilt: float) -> Masses:
        r = self.ratio
        if r > STEEPEST:
            return np.zeros(0), np.zeros(0), 1.0
        low, high = self._likely(r, tilt)
        edges = np.arange(math.floor(low / step), math.ceil(high / step) + 1.0) * step
        p, q = cells(edges, r, -r / 2).upper, cells(edges, r, r / 2).positive
        # what lies below the edges is raised to the first of them, what lies above tells everything
        q[0] = times_down(float(p[0]), exp_down(-max(float(edges[0]), -HIGHEST_POWER)))
        return p[:-1], q[:-1], float(p[-1])

    def below(self, width: float, tilt: float) -> Masses:
        r = min(self.least, STEEPEST)
        edges = edges_below(*self._likely(r, tilt), width)
        return cells(edges, r, -r / 2).positive, cells(edges, r, r / 2).upper, 0.0

    def _likely(self, r: float, tilt: float) -> tuple[float, float]:
        """Losses outside which, weighed, there is less than e^-72. From above all that is below becomes the first: far
        out, at z standard deviations, that is nearly everything, and weighs e^(z²/2 - zx) at x below z.
        """
        middle, z = r * r * (0.5 + tilt), r * tilt
        return middle - r * (FAR if z <= FAR else min(z / 2 + FAR * FAR / (2 * z), 2 * FAR)), middle + FAR * r


LARGEST_NORMAL = 2**40
SMALLEST_NORMAL = Fraction(1, 2**10)
LARGEST_LISTED = 2**20  # the scale up to which masses are listed
CUT = 13.7  # standard deviations; beyond them there is less than 1e-41
FINER = 16.0  # units of a mass, times 1 + x², by which a wider scale and a finer lattice may change it


def fineness(scale: Fraction) -> int:
    """How many steps a unit is cut into before discrete Gaussian noise is drawn and rounded: an odd number, so that no
    step lies half way between two units. About 2^40, and less where the noise would leave 64 bits.
    """
    if not SMALLEST_NORMAL <= scale <= LARGEST_NORMAL:
        raise InputError(f"Normal noise needs a scale from 2^-10 to 2^40, but got {scale}. Choose another unit.")
    return int(2 ** min(40, 52 - max(0, math.ceil(math.log2(scale)))) + 1)


def rounding_gap(scale: Fraction, steps: int) -> float:
    r"""How far, in total variation, a discrete Gaussian on steps of 1/`steps` (an odd number), rounded to units, is
    from the normal law of that scale, rounded to units.

    A step's mass is g f(x), x its middle; the normal law has there the integral of f. The midpoint rule errs by at most
    g²/8 times the integral of |f''|, which is 4 / (scale² sqrt(2πe)) over the line; total variation is half of the sum.
    The discrete law's normaliser differs from 1 by 2 exp(-2π² steps² scale²), or less than that by the same.
    """
    fine = steps * float(scale)
    return 0.0605 / (fine * fine) * (1 + 1e-3) + 4 * math.exp(-min(700.0, 2 * (math.pi * fine) ** 2))


def rounded_normal(scale: Fraction) -> Law:
    """The law of normal noise of this scale, rounded to whole numbers.

    Masses have small relative errors. They also cover scales that are larger by a factor of up to 1 + 2^-50, and the
    discrete law on `fineness` steps, which differs relatively by at most (1 + x²) / (20 fineness² scale²) at x standard
    deviations: both change a mass by less than 16 (1 + x²) units.
    """
    if scale > LARGEST_LISTED:
        raise InputError(
            "The law of normal noise is listed up to a scale of 2^20 units, but got "
            f"{apart(scale, LARGEST_LISTED)}. Declare a coarser unit, or state range and variance only."
        )
    tau = float(scale)
    cut = math.ceil(CUT * tau) + 2
    half = rounded_cells(cut, tau, FINER)
    edge = (cut + Fraction(1, 2)) / (scale * (1 + 2 * DRAWN))
    return Law.enclosing(-cut, joined([half[:0:-1], half]), add_up(exp_of(-edge * edge / 2)[1], HELD))
