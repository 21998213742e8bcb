"""The curve of a normal law against its shift: the exact profile, never a rule of thumb for it. And normal noise
that is rounded to whole numbers.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import ERFCX, LIBM, RAISED, TINY, UNIT
from dalenius.enclosure.formats import apart
from dalenius.enclosure.outward import exponential
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.losses import Losses, Masses, edges_below
from dalenius.numerics.special import erfcx

DRAWN = Fraction(1, 2**51)  # noise is drawn at a scale that may be larger by a factor of up to 1 + 2^-52
STEEPEST = 60  # a ratio above which nearly every loss is beyond all that is told apart
FAR = 12.0  # standard deviations around the losses that matter; beyond them there is less than 1e-32 of what does


@final
@dataclass(frozen=True, slots=True, eq=False)
class GaussianCurve(Curve):
    r"""N(0, 1) against N(r, 1), where r = shift / standard deviation.

    $$ \delta(\epsilon) = \Phi(-a) - e^\epsilon \Phi(-b), \qquad a = \epsilon/r - r/2, \quad b = \epsilon/r + r/2 $$

    (Balle and Wang 2018, Theorem 8). Since e^epsilon = exp((b² - a²)/2), this is exp(-a²/2) (E(a) - E(b)) / 2 with
    the scaled error function E(x) = erfcx(x / sqrt 2), in which nothing overflows and little cancels.

    Certified. a and b err by 4 units of their terms, which E passes on by at most (2|x| + 2)² and exp by |a|; E
    itself errs by `ERFCX` units.
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
        first, second = (float(erfcx(x / math.sqrt(2))) for x in (a, b))
        if a < -26:  # erfcx grows without limit there; Phi(-a) is one to the last digit
            return Bracket(0.99, 1.0)
        scale = math.exp(-a * a / 2) / 2
        # the square has room for the exponential too, which errs by LIBM + 4 + 2a² units of less than the first
        units = (ERFCX + 8 * (2 * abs(a) + 2) ** 2) * first + (ERFCX + 16) * second
        middle, error = scale * (first - second), scale * units * UNIT * 1.01 + TINY
        return Bracket(max(0.0, middle - error), min(1.0, middle + error))


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
    more = (1 + exponential(epsilon)[1]) * gap * (1 + 1e-12)
    upper = math.nextafter(ideal.upper + more, math.inf)
    return Bracket(max(0.0, ideal.lower * (1 - 1e-10) - more), min(1.0, upper))


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
        p, p_error = _normal_cells(edges, r, -r / 2)
        q, q_error = _normal_cells(edges, r, r / 2)
        p, q = p + p_error, np.maximum(q - q_error, 0.0)
        # what lies below the edges is raised to the first of them, what lies above tells everything
        q[0] = p[0] * math.exp(-max(float(edges[0]), -700.0)) * (1 - 1e-12)
        return p[:-1], q[:-1], float(p[-1])

    def below(self, width: float, tilt: float) -> Masses:
        r = min(self.least, STEEPEST)
        edges = edges_below(*self._likely(r, tilt), width)
        p, p_error = _normal_cells(edges, r, -r / 2)
        q, q_error = _normal_cells(edges, r, r / 2)
        return np.maximum(p - p_error, 0.0), q + q_error, 0.0

    def _likely(self, r: float, tilt: float) -> tuple[float, float]:
        """Losses outside which, weighed, there is less than e^-72. From above all that is below becomes the first: far
        out, at z standard deviations, that is nearly everything, and weighs e^(z²/2 - zx) at x below z.
        """
        middle, z = r * r * (0.5 + tilt), r * tilt
        return middle - r * (FAR if z <= FAR else min(z / 2 + FAR * FAR / (2 * z), 2 * FAR)), middle + FAR * r


def _normal_cells(edges: Floats, r: float, shift: float) -> tuple[Floats, Floats]:
    """The mass of a normal law up to the first edge, between neighbours, and beyond the last, where an edge t is at z =
    t/r + shift; and its error.

    Between a and b, both positive, it is exp(-a²/2) (E(a) - exp((a² - b²)/2) E(b)) / 2 with E(x) = erfcx(x / sqrt 2),
    and likewise from the other side; around zero it is one less both tails. z errs by 4 units of its terms, and moves a
    mass by at most its density.
    """
    z = edges / r + shift
    moved = 4 * UNIT * (np.abs(edges) / r + abs(shift) * 2)
    tails, tail_errors = _normal_tails(np.array([-z[0], z[-1]]), np.array([moved[0], moved[-1]]))
    low = np.where(z[:-1] + z[1:] >= 0, z[:-1], -z[1:])
    high = np.where(z[:-1] + z[1:] >= 0, z[1:], -z[:-1])
    moved = moved[:-1] + moved[1:]
    near = np.maximum(low, 0.0)
    fall, gap = np.exp(-near * near / 2) / 2, (high - near) * (high + near) / 2
    first, second = erfcx(near / math.sqrt(2)), np.exp(-gap) * erfcx(high / math.sqrt(2))
    units = ERFCX + 16 + 3 * LIBM + 4 * near * near + 4 * np.minimum(gap, 700.0)
    mass, error = fall * (first - second), fall * (first + second) * units * UNIT
    around = low < 0
    ends = [_normal_tails(np.abs(side[around]), 0 * moved[around]) for side in (low, high)]
    mass[around] = 1 - ends[0][0] - ends[1][0]
    error[around] = ends[0][1] + ends[1][1] + 4 * UNIT
    error = (error + fall * moved) * RAISED + TINY
    return (
        np.concatenate([tails[:1], np.maximum(mass, 0.0), tails[1:]]),
        np.concatenate([tail_errors[:1], error, tail_errors[1:]]),
    )


def _normal_tails(z: Floats, moved: Floats) -> tuple[Floats, Floats]:
    """P(N > z), and its error where z is off by `moved`."""
    far = np.abs(z)
    fall = np.exp(-far * far / 2) / 2
    tail = fall * erfcx(far / math.sqrt(2))
    error = (tail * (ERFCX + 16 + LIBM + 4 * far * far) * UNIT + fall * moved) * RAISED + 4 * UNIT * (z < 0) + TINY
    return np.where(z < 0, 1 - tail, tail), error


LARGEST_NORMAL = 2**40
SMALLEST_NORMAL = Fraction(1, 2**10)
LARGEST_LISTED = 2**20  # the scale up to which masses are listed
CUT = 13.7  # standard deviations; beyond them there is less than 1e-41
WIDE = 512  # a scale from which on a unit cell is so narrow that its mass is expanded around its middle


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
    half, error = (_wide_cells if tau > WIDE else _cells)(np.arange(cut + 1.0), tau)
    edge = (np.arange(cut + 1) + 0.5) / tau
    error = (error + half * 16 * (1 + edge * edge) * UNIT) * 1.01 + TINY
    tail = math.exp(-(float(edge[-1]) ** 2) / 2) * (1 + 1e-9) + TINY
    return Law(-cut, np.append(half[:0:-1], half), np.append(error[:0:-1], error), tail)


def _cells(m: Floats, tau: float) -> tuple[Floats, Floats]:
    """P(m - 1/2 < tau N < m + 1/2) = exp(-a²/2) (E(a) - exp(-m/tau²) E(b)) / 2 with E(x) = erfcx(x / sqrt 2), and its
    error. At zero it is 1 - exp(-b²/2) E(b).
    """
    a, b = (m - 0.5) / tau, (m + 0.5) / tau
    fall, step = np.exp(-a * a / 2) / 2, np.exp(-m / (tau * tau))
    first, second = erfcx(np.abs(a) / math.sqrt(2)), step * erfcx(b / math.sqrt(2))
    both = ERFCX + 8 + 3 * LIBM + 4 * a * a + 8 * m / (tau * tau)
    mass, error = fall * (first - second), fall * both * (first + second) * UNIT
    middle = 2 * float(fall[0] * first[0])
    mass[0], error[0] = 1 - middle, 2 * float(both[0]) * UNIT
    return np.maximum(mass, 0.0), error


def _wide_cells(m: Floats, tau: float) -> tuple[Floats, Floats]:
    """The same for large scales: f(m) times the integral of exp(-2cx) (1 - y) over half a unit either way, c = m/2tau²,
    y = x²/2tau². Of exp(-y), y²/2 is left out at most; of the integral of y cosh(2cx), 1/24tau² (cosh(c) - 1) at most.
    """
    c = m / (2 * tau * tau)
    shape = 1 + c * c / 6 + c**4 / 120 - 1 / (24 * tau * tau)
    mass = np.exp(-m * m / (2 * tau * tau)) / (tau * math.sqrt(2 * math.pi)) * shape
    left_out = c**6 / 5000 + np.cosh(c) / (128 * tau**4) + (np.cosh(c) - 1) / (24 * tau * tau)
    return mass, mass * (1.01 * left_out + (LIBM + 32 + 4 * m * m / (tau * tau)) * UNIT)
