"""Curves in closed form: whatever is pure at some epsilon, randomised response, Laplace noise and geometric noise."""

import math
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.basics.values import dataclass
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import LIBM, SMALLEST, UNIT, down, up
from dalenius.numerics.curve import Curve
from dalenius.numerics.divergence import LARGEST, exponential
from dalenius.numerics.law import Floats
from dalenius.numerics.losses import NOTHING, Listed, Losses, Masses, clipped_below, edges_below, finite, log_moment

BEYOND = Fraction(10**4)  # a loss of which nothing more is told apart
MOST_LISTED = 4096  # steps of geometric noise that are listed one by one


class Closed(Curve):
    """A curve of dice alone in closed form, so cheap that all of it is looked at when it is composed."""

    __slots__ = ()

    @property
    def alone(self) -> bool:
        return False

    def knots(self, epsilons: Floats) -> tuple[Floats, Floats]:
        return epsilons, np.array([self.delta(Fraction(float(at))).upper for at in epsilons])


@final
@dataclass(frozen=True, slots=True, eq=False)
class PureCurve(Closed):
    r"""All pairs of laws whose likelihood ratio is at most e^level, of which nothing else is known.

    $$ \delta(\epsilon) \le \frac{e^{level} - e^\epsilon}{e^{level} + 1} $$

    Proof. A = {P > e^epsilon Q} has P(A) <= e^level Q(A), so with q = Q(A) the excess is at most
    (e^level - e^epsilon) q; and the complement gives P(A) <= 1 - (1 - q) e^-level, hence an excess of at most
    1 - e^-level + (e^-level - e^epsilon) q. The first grows and the second falls in q; they meet at
    q = 1 / (1 + e^level).
    """

    level: Fraction
    only: bool = False  # whether the release must be the only one about its records

    @property
    def alone(self) -> bool:
        return self.only

    @property
    def pure_level(self) -> Fraction:
        return self.level

    def losses(self) -> Losses:
        """From above one answer that is true with odds of e^level, which dominates all these pairs; from below
        nothing.
        """
        level = float(min(self.level, BEYOND))
        wrong = math.exp(-level) / (1 + math.exp(-level)) if level < float(LARGEST) else 0.0
        units = 4 * LIBM + 8 + 2 * level
        chances = np.array([1 / (1 + math.exp(-min(level, float(LARGEST)))), wrong])
        return Listed((chances * (1 + units * UNIT), chances[::-1] * (1 - units * UNIT), 0.0), NOTHING, level)

    def delta(self, epsilon: Fraction) -> Bracket:
        if epsilon >= self.level:
            return Bracket(0.0, 0.0)
        if self.level > LARGEST:
            return Bracket(0.0, 1.0)
        # (1 - e^(epsilon - level)) / (1 + e^-level)
        gap = -math.expm1(float(epsilon - self.level))
        upper = up(gap / (1 + math.exp(-float(self.level))), 4 * LIBM + 2 * float(self.level))
        return Bracket(0.0, min(1.0, upper + SMALLEST))  # a gap that no float can hold is not nothing


@final
@dataclass(frozen=True, slots=True, eq=False)
class ResponseCurve(Closed):
    """One answer that is true with a chance between `least` and `most`, above one half: max(0, keep - e^ε (1 - keep)).
    It falls in ε and grows in the chance.
    """

    least: Fraction
    most: Fraction

    @property
    def pure_level(self) -> Fraction | None:
        if self.most == 1:
            return None
        level = _log_ratio(self.most)
        return Fraction(level * (1 + 4 * LIBM * UNIT) + 4 * UNIT)

    def losses(self) -> Losses:
        over, under = (np.array([float(chance), float(1 - chance)]) for chance in (self.most, self.least))
        raised, lowered = 1 + 4 * UNIT, 1 - 4 * UNIT
        return Listed(
            (over * raised + SMALLEST, over[::-1] * lowered, 0.0),
            (under * lowered, under[::-1] * raised + SMALLEST, 0.0),
            _log_ratio(self.most) if self.most < 1 else 0.0,
        )

    def delta(self, epsilon: Fraction) -> Bracket:
        low, high = exponential(epsilon)
        upper = self.most - Fraction(low) * (1 - self.most)
        most = up(float(upper)) + SMALLEST if upper > 0 else 0.0
        if math.isinf(high):
            return Bracket(0.0, most)
        lower = self.least - Fraction(high) * (1 - self.least)
        return Bracket(down(float(max(Fraction(0), lower))), most)


@final
@dataclass(frozen=True, slots=True, eq=False)
class LaplaceCurve(Closed):
    r"""Laplace noise against itself, shifted by `level` times its scale.

    $$ \delta(\epsilon) = \max(0, 1 - e^{(\epsilon - level)/2}) $$

    The likelihood ratio falls, so the best event is a half-line, that left of (1 - epsilon/level) / 2 of the shift.
    """

    level: Fraction

    @property
    def pure_level(self) -> Fraction:
        return self.level

    def losses(self) -> Losses:
        return _LaplaceLosses(float(min(self.level, BEYOND)))

    def delta(self, epsilon: Fraction) -> Bracket:
        if epsilon >= self.level:
            return Bracket(0.0, 0.0)
        found = -math.expm1(float(max(epsilon - self.level, -BEYOND) / 2))
        return Bracket(down(found, 2 * LIBM), min(1.0, up(found, 2 * LIBM) + SMALLEST))


@final
@dataclass(frozen=True, slots=True, eq=False)
class GeometricCurve(Closed):
    r"""Two-sided geometric noise, P(k) ∝ x^|k| with x = e^(-1/scale), against itself, shifted by `shift` whole steps.

    $$ \delta(\epsilon) = 1 - \frac{x^{t+1} + e^\epsilon x^{m-t}}{1 + x}, \qquad
       t = \lceil (m - \epsilon \cdot scale) / 2 \rceil - 1 $$

    The ratio x^(|k| - |k-m|) falls in k and exceeds e^epsilon up to k = t, which lies in [0, m) if epsilon < m/scale;
    then P(K <= t) = 1 - x^(t+1)/(1+x) and P(K + m <= t) = x^(m-t)/(1+x). It may exceed the curve of Laplace noise of
    the same scale, by at most 1 - 1/cosh(1/2scale).

    Rounding. 1 - (a + b)/(1 + x) = ((1 - a) + (x - b))/(1 + x), where both are expm1s, and nothing cancels.
    """

    shift: int
    scale: Fraction

    def __post_init__(self) -> None:
        if self.shift < 0 or self.scale <= 0:
            raise InputError(
                f"Geometric noise needs a shift of at least 0 and a scale above 0, but got {self.shift} and "
                f"{self.scale}. Correct them."
            )

    @property
    def pure_level(self) -> Fraction:
        return self.shift / self.scale

    def losses(self) -> Losses:
        scale = float(max(self.scale, 1 / BEYOND))
        return _GeometricLosses(self.shift, scale) if self.shift else Listed(NOTHING, NOTHING)

    def delta(self, epsilon: Fraction) -> Bracket:
        m, scale = self.shift, self.scale
        if epsilon * scale >= m:
            return Bracket(0.0, 0.0)
        t = math.ceil((m - epsilon * scale) / 2) - 1
        if scale < 1 / BEYOND:  # one noise in e^10000 is not 0
            return Bracket(1 - UNIT if epsilon <= LARGEST else 0.0, 1.0)
        first = -math.expm1(-float((t + 1) / scale))
        x = math.exp(-1 / float(scale))
        power = epsilon - (m - t - 1) / scale  # x - b = x (1 - e^power), power < 1/scale
        second = -math.expm1(float(power)) * x if scale >= 1 else x - math.exp(float(power - 1 / scale))
        found = (first + second) / (1 + x)
        slip = (4 * LIBM + 8 + 4 * float(1 / scale)) * UNIT * (abs(first) + abs(second))
        return Bracket(max(0.0, found - slip), min(1.0, found + slip))


def _log_ratio(chance: Fraction) -> float:
    """log(chance / (1 - chance)), of a chance of at least one half and below one."""
    return math.log1p(float((2 * chance - 1) / (1 - chance)))


def _likely(level: float, tilt: float) -> float:
    """A loss below which, weighed by exp(tilt · loss), there is less than e^-80 of Laplace or geometric noise: its
    losses up to t have at most e^((t - level)/2) of the mass.
    """
    return max(-level, level - 80 / (tilt + 0.5)) if tilt >= 0 else -level


def _laplace_moment(level: float, tilt: float) -> float:
    """Log E exp(tilt · loss) of Laplace noise, about; it is the same at tilt and at -1 - tilt."""
    tilt = max(tilt, -1 - tilt)
    turned = math.exp(-(1 + 2 * tilt) * level)
    between = (1 - turned) / (4 * tilt + 2) if tilt > -0.49 else level / 2
    return tilt * level + math.log(0.5 + 0.5 * turned + between)


def _raised(p: Floats, q: Floats, inside: Floats) -> Masses:
    """A list from above, the least loss first, in which all others are raised to the first number inside, if there is
    one.
    """
    if len(inside):
        q[1:] = np.minimum(q[1:], p[1:] * math.exp(-max(float(inside[0]), -700.0)) * (1 - 1e-12))
    return p, q, 0.0


@final
@dataclass(frozen=True, slots=True, eq=False)
class _LaplaceLosses(Losses):
    """The loss is `level` with P-mass 1/2, -level with mass e^-level / 2, and has between them P(loss <= t) =
    e^((t - level)/2) / 2; Q is P with the sign of the loss turned.
    """

    level: float

    @property
    def grain(self) -> float:
        return self.level

    def above(self, step: float, tilt: float) -> Masses:
        least = _likely(self.level, tilt)
        inside = np.arange(math.floor(least / step) + 1.0, math.ceil(min(self.level, float(LARGEST)) / step)) * step
        p, q, units = self._cells(np.concatenate([[-self.level], inside[inside > -self.level], [self.level]]))
        return _raised(p * (1 + units) + SMALLEST, q * (1 - units), inside if least > -self.level else inside[:0])

    def log_moment(self, tilt: float) -> float:
        return _laplace_moment(self.level, tilt)

    def below(self, width: float, tilt: float) -> Masses:
        inside = edges_below(_likely(self.level, tilt), self.level, width)
        p, q, units = self._cells(np.concatenate([[-self.level], inside[inside > -self.level]]))
        return p * (1 - units), q * (1 + units) + SMALLEST, 0.0

    def _cells(self, edges: Floats) -> tuple[Floats, Floats, float]:
        """Masses between the edges and at the two ends, and their relative error. Where an edge itself lies does not
        matter, if only P and Q are cut at the same place.
        """
        low, wide = edges[:-1], np.maximum(np.diff(edges), 0.0)
        share = -np.expm1(-wide / 2) / 2
        p, q = np.exp((low + wide - self.level) / 2) * share, np.exp(-(low + self.level) / 2) * share
        end = math.exp(-self.level) / 2
        units = (4 * LIBM + 16 + 4 * self.level) * UNIT
        return np.concatenate([[end], p, [0.5]]), np.concatenate([[0.5], q, [end]]), units


@final
@dataclass(frozen=True, slots=True, eq=False)
class _GeometricLosses(Losses):
    """Outcomes 0 and less have a loss of shift/scale, `shift` and more the negative of it, and k between them has
    (shift - 2k)/scale. P of k to l is x^k (1 - x^(l-k+1)) / (1 + x), and Q is the same from the other end.
    """

    shift: int
    scale: float

    @property
    def grain(self) -> float:
        return 1 / self.scale if self.shift <= MOST_LISTED else self.shift / self.scale

    def above(self, step: float, tilt: float) -> Masses:
        if self.shift <= MOST_LISTED:
            return self._over(np.arange(1.0, self.shift + 1))
        last = math.floor(min(self.shift / self.scale, float(LARGEST)) / step)
        level = self.shift / self.scale
        least = _likely(level, tilt)
        inside = np.arange(float(last), math.floor(least / step), -1) * step
        starts = np.ceil((self.shift - inside * self.scale) / 2)
        p, q, _ = self._over(np.unique(np.concatenate([[1.0, self.shift], np.clip(starts, 1.0, self.shift)])))
        return _raised(p[::-1], q[::-1], inside[::-1] if least > -level else inside[:0])

    def log_moment(self, tilt: float) -> float:
        if self.shift > MOST_LISTED:
            return _laplace_moment(self.shift / self.scale, tilt)
        return log_moment(*finite(clipped_below(self._under(np.arange(1.0, self.shift + 1)))), tilt)

    def below(self, width: float, tilt: float) -> Masses:
        if self.shift <= MOST_LISTED:
            return self._under(np.arange(1.0, self.shift + 1))
        level = self.shift / self.scale
        edges = edges_below(_likely(level, tilt), level, width)
        starts = np.clip(np.ceil((self.shift - edges * self.scale) / 2), 1.0, self.shift)
        return self._under(np.unique(np.append(starts, [1.0, self.shift])))

    def _under(self, starts: Floats) -> Masses:
        p, q, units = self._cells(starts)
        return p * (1 - units), q * (1 + units) + SMALLEST, 0.0

    def _over(self, starts: Floats) -> Masses:
        p, q, units = self._cells(starts)
        return p * (1 + units) + SMALLEST, q * (1 - units), 0.0

    def _cells(self, starts: Floats) -> tuple[Floats, Floats, float]:
        """Masses of the first outcome, of those from each start to before the next, and of the last; and their relative
        error.
        """
        first, wide = starts[:-1], np.diff(starts)
        both = 1 + math.exp(-1 / self.scale)
        share = -np.expm1(-wide / self.scale) / both
        p = np.exp(-first / self.scale) * share
        q = np.exp(-(self.shift - first - wide + 1) / self.scale) * share
        level = self.shift / self.scale
        end = math.exp(-level) / both
        units = (4 * LIBM + 16 + 4 * min(level, float(LARGEST))) * UNIT
        return np.concatenate([[1 / both], p, [end]]), np.concatenate([[end], q, [1 / both]]), units
