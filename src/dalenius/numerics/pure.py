"""Curves in closed form: whatever is pure at some epsilon, randomised response, Laplace noise and geometric noise."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.enclosure.balls import Balls, joined
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import (
    BELOW_ONE,
    LARGEST,
    add_down,
    add_up,
    exp_down,
    exp_of,
    exponential,
    fall_of,
    float_down,
    float_up,
    quotient_down,
    quotient_up,
    times_down,
    times_up,
)
from dalenius.numerics.curve import Curve
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
        odds = (-Balls.of(min(self.level, LARGEST))).exp()
        if self.level > LARGEST:
            odds = Balls.between(0.0, odds.upper)
        right = 1 / (odds + 1)
        chances = joined([right.reshape(1), (odds * right).reshape(1)])
        over = chances.upper, chances.positive[::-1], 0.0
        return Listed(over, NOTHING, float(min(self.level, BEYOND)))

    def delta(self, epsilon: Fraction) -> Bracket:
        if epsilon >= self.level:
            return Bracket(0.0, 0.0)
        if self.level > LARGEST:
            return Bracket(0.0, 1.0)
        # (1 - e^(epsilon - level)) / (1 + e^-level)
        return Bracket(
            0.0, min(1.0, quotient_up(fall_of(self.level - epsilon)[1], add_down(1.0, exp_of(-self.level)[0])))
        )


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
        return Fraction(float(_log_ratio(self.most).upper))

    def losses(self) -> Losses:
        most, least = (self.most, 1 - self.most), (self.least, 1 - self.least)
        return Listed(
            (np.array([*map(float_up, most)]), np.array([*map(float_down, most[::-1])]), 0.0),
            (np.array([*map(float_down, least)]), np.array([*map(float_up, least[::-1])]), 0.0),
            float(_log_ratio(self.most).middle) if self.most < 1 else 0.0,
        )

    def delta(self, epsilon: Fraction) -> Bracket:
        low, high = exponential(epsilon)
        upper = self.most - Fraction(low) * (1 - self.most)
        most = float_up(upper) if upper > 0 else 0.0
        if math.isinf(high):
            return Bracket(0.0, most)
        lower = self.least - Fraction(high) * (1 - self.least)
        return Bracket(float_down(max(Fraction(0), lower)), most)


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
        return Bracket(*fall_of(min(self.level - epsilon, BEYOND) / 2))


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
            return Bracket(BELOW_ONE if epsilon <= LARGEST else 0.0, 1.0)
        first, x = fall_of((t + 1) / scale), exp_of(-1 / scale)
        power = epsilon - (m - t - 1) / scale  # x - b = x (1 - e^power), power < 1/scale
        if power <= 0:
            fall = fall_of(-power)
            second = times_down(fall[0], x[0]), times_up(fall[1], x[1])
        else:  # x (1 - e^power) = -e^(power - 1/scale) (1 - e^-power)
            fall, rest = fall_of(power), exp_of(power - 1 / scale)
            second = -times_up(fall[1], rest[1]), -times_down(fall[0], rest[0])
        lower, upper = add_down(first[0], second[0]), add_up(first[1], second[1])
        return Bracket(
            max(0.0, quotient_down(lower, add_up(1.0, x[1]))), min(1.0, quotient_up(upper, add_down(1.0, x[0])))
        )


def _log_ratio(chance: Fraction) -> Balls:
    """log(chance / (1 - chance)), of a chance of at least one half and below one."""
    return Balls.of((2 * chance - 1) / (1 - chance)).log1p()


def _likely(level: float, tilt: float) -> float:
    """A loss below which, weighed by exp(tilt · loss), there is less than e^-50 of Laplace or geometric noise: its
    losses up to t have at most e^((t - level)/2) of the mass.
    """
    return max(-level, level - 50 / (tilt + 0.5)) if tilt >= 0 else -level


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
        q[1:] = np.minimum(q[1:], times_down(p[1:], exp_down(-max(float(inside[0]), -700.0))))
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
        p, q = self._cells(np.concatenate([[-self.level], inside[inside > -self.level], [self.level]]))
        return _raised(p.upper, q.positive, inside if least > -self.level else inside[:0])

    def log_moment(self, tilt: float) -> float:
        return _laplace_moment(self.level, tilt)

    def below(self, width: float, tilt: float) -> Masses:
        inside = edges_below(_likely(self.level, tilt), self.level, width)
        p, q = self._cells(np.concatenate([[-self.level], inside[inside > -self.level]]))
        return p.positive, q.upper, 0.0

    def _cells(self, edges: Floats) -> tuple[Balls, Balls]:
        """Masses between the edges and at the two ends. Edges are known as well as the level is, which they may be. All
        are halved as floats, where nothing is rounded.
        """
        level, ends = Balls.rounded(self.level / 2), Balls.rounded(edges / 2)
        low, high = ends[:-1], ends[1:]
        share = -(low - high).expm1() * 0.5
        p, q = (high - level).exp() * share, (-(low + level)).exp() * share
        end, half = ((-level).exp() ** 2 * 0.5).reshape(1), Balls.of([0.5])
        return joined([end, p, half]), joined([half, q, end])


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
        return log_moment(*_every_loss(self.shift, self.scale), tilt)

    def below(self, width: float, tilt: float) -> Masses:
        if self.shift <= MOST_LISTED:
            return self._under(np.arange(1.0, self.shift + 1))
        level = self.shift / self.scale
        edges = edges_below(_likely(level, tilt), level, width)
        starts = np.clip(np.ceil((self.shift - edges * self.scale) / 2), 1.0, self.shift)
        return self._under(np.unique(np.append(starts, [1.0, self.shift])))

    def _under(self, starts: Floats) -> Masses:
        p, q = self._cells(starts)
        return p.positive, q.upper, 0.0

    def _over(self, starts: Floats) -> Masses:
        p, q = self._cells(starts)
        return p.upper, q.positive, 0.0

    def _cells(self, starts: Floats) -> tuple[Balls, Balls]:
        """Masses of the first outcome, of those from each start to before the next, and of the last."""
        first, wide = starts[:-1], np.diff(starts)
        fall = -1 / Balls.rounded(self.scale)
        both = fall.exp() + 1
        share = -(fall * wide).expm1() / both
        p, q = (fall * first).exp() * share, (fall * (self.shift - first - wide + 1)).exp() * share
        end, start = ((fall * self.shift).exp() / both).reshape(1), (1 / both).reshape(1)
        return joined([start, p, end]), joined([end, q, start])


@lru_cache(maxsize=64)
def _every_loss(shift: int, scale: float) -> tuple[Floats, Floats]:
    """All losses of geometric noise, which many tilts ask for."""
    return finite(clipped_below(_GeometricLosses(shift, scale)._under(np.arange(1.0, shift + 1))))
