r"""The curve of a sum about which only a range and a variance are known, plus a little Gaussian noise. All events.

Independent records, each within an interval of length 1 (the unit of everything here), whose variances add up to at
least s²; the sum S is released as Y = S + tau N, or as any function of Y. A secret moves S by at most A.

The proof, in five steps. (1) Let f be the density of Y, K its cumulant function, and θ(z) the tilt that moves the mean
to z. Then (log f)'(z) = -θ(z) + f_θ'(z)/f_θ(z). A tilt by at most θbar keeps records independent and in range, and
changes each variance by a factor between exp(-θbar) and exp(θbar). (2) The characteristic function of such a sum of
variance σ² is at most exp(-σ²(1 - cos t)) in modulus for |t| <= 2π. (3) It differs from that of the normal law by at
most D(t) (zero-bias coupling: Goldstein 2010, W1(X, X*) <= E|X|³ / 2 Var X). Fourier inversion at the mean gives
|f_θ'/f_θ| <= `drift`. (4) So log f(y)/f(y - a) <= a (-θ(y) + a/2κ + drift) with κ = s² exp(-θbar) + tau²: only tilts
beyond `near` matter, and their probability is bounded by Chernoff and by a bound on the density. (5) A sum of
larger variance contains one of variance in [s², s² + 1/4]; what is left over is independent of it.

Quadrature is from above. A function whose logarithm has second derivative at least -κ lies, on a cell of width h,
below exp(κh²/8) times the chord of its values at the ends; a convex function lies below its chord; the integral of a
product of two chords is known. Floating point: exponents that matter are below 750 and err by at most 100 units
relatively, sums of positive terms by less; `UP` and `DOWN` cover both a thousand times over.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.normal import erfcx
from dalenius.enclosure.outward import HELD, amply_down, amply_up, exponential
from dalenius.numerics.curve import Curve
from dalenius.numerics.gaussian import GaussianCurve
from dalenius.numerics.law import Floats
from dalenius.numerics.least import doubled, halfway, least, scan

UP, DOWN = amply_up(1.0), amply_down(1.0)
NODES = 192  # cells of each integral over frequencies
REACH = 12.0  # how far an integral is done in cells, in units of the decay of its integrand
STEPS = 1000  # cells of the integral over tilts
TILTS = (1.5, 2.0, 3.0)  # θbar, in multiples of epsilon / A
PLACES = (4.0, 6.0, 9.0)  # and in multiples of 1 / s
LARGEST_RATE = Fraction(3)  # epsilon / A beyond which delta is that of a smaller epsilon
Mesh: TypeAlias = tuple[Floats, Floats, Floats, Floats]
RUNGS = np.arange(NODES + 1)[:, None] / NODES


@final
@dataclass(frozen=True, slots=True, eq=False)
class RangeVarianceCurve(Curve):
    """Sums of independent records of range 1 and total variance at least `variance`, plus Gaussian noise, against their
    shifts by up to `shift`; `slack` is how far, in total variation, what is drawn is from that noise.

    An upper bound only: the lower end of the bracket is 0. Cost of `delta`: about 20 ms, whatever the variance.
    """

    variance: Fraction
    shift: Fraction
    noise: Fraction
    slack: float = 0.0

    def __post_init__(self) -> None:
        if self.noise <= 0:
            raise InputError(
                f"Range and variance need noise of a scale above 0, but got {self.noise}. No exact release can be "
                "certified from moments alone: the sum of records that are all even betrays an odd one."
            )
        if self.shift < 0 or self.variance < 0:
            raise InputError(f"A shift and a variance are at least 0, but got {self.shift} and {self.variance}.")

    def delta(self, epsilon: Fraction) -> Bracket:
        if self.shift == 0:
            return Bracket(0.0, 0.0)
        charge = (1 + exponential(epsilon)[1]) * self.slack
        return Bracket(0.0, min(1.0, (self._upper(epsilon) + charge) * UP))

    def _upper(self, epsilon: Fraction) -> float:
        """The least of many valid bounds: noise alone, several θbar, a sum of less variance, a smaller epsilon."""
        best = GaussianCurve(self.shift / self.noise).delta(epsilon).upper
        rate = min(epsilon / self.shift, LARGEST_RATE)
        for at in (rate, rate / 2) if rate > 1 else (rate,):
            for spread in self._spreads(float(at)):
                tilts = sorted(times * float(at) for times in TILTS) + [times / spread for times in PLACES]
                for tilt in (tilt for tilt in tilts if tilt > 0):
                    best = min(best, self.at_tilt(at * self.shift, tilt, spread=spread, enough=best))
        return best

    def _spreads(self, rate: float) -> Iterator[float]:
        """Standard deviations to try: the drift grows with them, about as 1/2s² + 0.8 s exp(-2π²tau²)/tau²."""
        whole, tau = math.sqrt(float(self.variance)), float(self.noise)  # its square is rounded down, in `at_tilt`
        if whole < 1:
            return
        yield whole
        growth = 0.8 * math.exp(-min(700.0, 2 * (math.pi * tau) ** 2)) / (tau * tau)
        fewer = (rate / (2 * growth), rate / (3 * growth), growth ** (-1 / 3))
        yield from (less for less in fewer if 1 <= less < whole)

    def at_tilt(self, epsilon: Fraction, tilt: float, *, spread: float, enough: float = 1.0) -> float:
        """An upper bound on delta, from tilts of at most this size and a part of the sum with standard deviation at
        least `spread`; 1 where there is none, or none below `enough`.
        """
        # These three are rounded by more than all that is made of them here loses; `far` may be far larger than they.
        s2, tau, shift = spread * spread * DOWN, float(self.noise) * DOWN, float(self.shift) * UP
        least, most = s2 * math.exp(-tilt), (spread * spread + 0.25) * math.exp(tilt) * UP
        kappa = least + tau * tau
        far = (tilt - shift / kappa) * DOWN
        ideal = float(epsilon) / shift - shift / (2 * kappa)
        if least < 0.25 or not -1 < ideal < far or far <= 0:
            return 1.0
        peak = density(least, tau)
        if _beyond(ideal, far, s2, tau, shift, peak) >= enough:  # not even if there were no drift
            return 1.0
        near = ideal - drift(least, most, tau)
        return min(1.0, _beyond(near, far, s2, tau, shift, peak)) if near > -1 else 1.0


def _beyond(near: float, far: float, s2: float, tau: float, shift: float, peak: float) -> float:
    r"""The integral of A exp(-A(u - near)) P(tilt >= u) from `near` to `far`, and twice P(tilt >= far).

    Past a place where the probability has become negligible, it is bounded by its value there. All terms are positive;
    they and their factors are rounded up at once, in the end.
    """
    start = max(near, 0.0)
    steep = (s2 * math.exp(-start) + tau * tau) * start
    wide = min(30 / steep if steep else math.inf, 9 / math.sqrt(s2 * math.exp(-far) + tau * tau))
    stop = min(far, start + wide)
    u = start + (stop - start) * (np.arange(STEPS + 1) / STEPS)
    width = (stop - start) / STEPS
    plain, dense = _tails(u, s2, tau, peak)
    weight = shift * np.exp(-shift * (u - near))
    grown = math.exp((s2 + tau * tau) * width * width / 8) * width / 2
    cells = np.minimum(*((weight * tail)[1:] + (weight * tail)[:-1] for tail in (plain, dense)))
    last, final_ = (float(np.minimum(*_tails(np.array([at]), s2, tau, peak))[0]) for at in (stop, far))
    low = -math.expm1(-shift * (start - near)) if near < 0 else 0.0  # where the probability is at most 1
    rest = last if stop < far else 0.0
    return (low + grown * float(cells.sum()) + rest + 2 * final_) * UP + HELD


def _tails(u: Floats, s2: float, tau: float, peak: float) -> tuple[Floats, Floats]:
    r"""Two upper bounds on P(tilt >= u), but for less than `UP` is above one: exp(-I(u)), and exp(-I(u)) fbar/u.

    I(u) = s²(1 - (1 + u) exp(-u)) + tau² u²/2 is at most the integral of x K''(-x) from 0 to u, and I'' is at most
    s² + tau². The two terms of the first part cancel.
    """
    fall = -Balls.of(u)
    rate = (-fall.expm1() + fall * fall.exp()) * s2 + fall * fall * (tau * tau / 2)
    plain = (-rate).exp().upper
    with np.errstate(divide="ignore"):
        return plain, plain * (peak / u)


def density(variance: float, tau: float) -> float:
    """An upper bound, but for less than `UP` is above one, on the density of Y where S has at least this variance: the
    integral of the modulus of its characteristic function.
    """
    h, t, drop, grown = _mesh(np.array([variance]), tau)
    first = np.exp(-variance * drop - tau * tau * t * t / 2)
    last = np.exp(-variance * drop - (tau * (2 * math.pi - t)) ** 2 / 2)
    cells = grown * _chords(np.ones_like(t), first + last, h).sum(axis=0)
    rest = 2 * np.maximum(math.pi - t[-1], 0.0) * np.exp(-variance * drop[-1] - (tau * t[-1]) ** 2 / 2)
    return float((cells + rest)[0] + beyond_two_pi(tau)) / math.pi


def _mesh(variance: Floats, tau: float) -> Mesh:
    """For each variance: width of a cell, nodes up to `REACH` in units of the decay (at most π), 1 - cos there, and the
    factor by which chords are raised. That π is a float is worth 1e-15 of an integral, and `UP` is more.
    """
    h = np.minimum(math.pi, REACH / np.sqrt(variance + tau * tau)) / NODES
    t = RUNGS * (h * NODES)
    return h, t, 2 * np.sin(t / 2) ** 2, np.exp((variance + tau * tau) * h * h / 8)


def _chords(first: Floats, second: Floats, h: Floats) -> Floats:
    """The integral over each cell of the product of two chords."""
    f, g, p, q = first[:-1], first[1:], second[:-1], second[1:]
    return h / 6 * (2 * f * p + f * q + g * p + 2 * g * q)


def beyond_two_pi(tau: float) -> float:
    """The integral of exp(-tau² t²/2) from 2π on."""
    at = math.sqrt(2) * math.pi * tau
    return math.sqrt(math.pi / 2) / tau * math.exp(-at * at) * float(erfcx(at))


def drift(least: float, most: float, tau: float) -> float:
    """An upper bound on |f'/f| at the mean, over all variances of S from `least` to `most`.

    The bound is not monotone in the variance, so the range is cut into cells on which it is bounded; the worst cells
    are cut again. Cost: about 90 cells.
    """
    edges = np.geomspace(least, most, 25)
    edges[0], edges[-1] = least, most
    low, high = edges[:-1], edges[1:]
    bounds = drift_in_cells(low, high, tau)
    for _ in range(2):
        order = np.argsort(bounds)
        kept, split = order[:-8], order[-8:]
        inner = low[split] + np.arange(5)[:, None] / 4 * (high[split] - low[split])
        inner[-1] = high[split]
        more = (inner[:-1].ravel(), inner[1:].ravel())
        low, high = (np.append(old[kept], new) for old, new in zip((low, high), more, strict=True))
        bounds = np.append(bounds[kept], drift_in_cells(*more, tau))
    return float(bounds.max())


def drift_in_cells(low: Floats, high: Floats, tau: float) -> Floats:
    r"""An upper bound on |f'/f| at the mean for variances in each [low, high]: the ratio of bounds N1 / N0.

    $$ \pi N_1 = \int_0^\pi t D + \int_\pi^{2\pi} t e^{-\sigma^2(1-\cos t) - \tau^2t^2/2} + e^{-2\pi^2\tau^2}/\tau^2 $$
    $$ \pi N_0 = \sqrt{\pi/2}/v - \int_0^\pi D - \int_\pi^{2\pi} e^{-\sigma^2(1-\cos t) - \tau^2t^2/2}
       - \int_{2\pi}^\infty e^{-\tau^2t^2/2} - \int_\pi^\infty e^{-v^2t^2/2}, \qquad v^2 = \sigma^2 + \tau^2 $$

    Every exponent is taken at `low`, and so are the tails; the factor of D and the leading term at `high`.
    """
    mesh = h, t, drop, grown = _mesh(low, tau)
    plain, moment = _near_zero(low, high, tau, mesh)
    back = 2 * math.pi - t
    peak = np.exp(-low * drop - (tau * back) ** 2 / 2)
    rest = np.maximum(math.pi - t[-1], 0.0) * np.exp(-low * drop[-1] - (tau * math.pi) ** 2 / 2)
    plain = plain + grown * _chords(np.ones_like(t), peak, h).sum(axis=0) + rest
    moment = moment + grown * _chords(back, peak, h).sum(axis=0) + 2 * math.pi * rest
    moment = moment + math.exp(-2 * (math.pi * tau) ** 2) / (tau * tau)
    v = np.sqrt(low + tau * tau)
    normal_tail = math.sqrt(math.pi / 2) / v * np.exp(-((math.pi * v) ** 2) / 2) * erfcx(math.pi * v / math.sqrt(2))
    lost = plain + beyond_two_pi(tau) + normal_tail
    # rounded down by more than all terms and the quotient may err: what is lost, and what is left, is less
    left = math.sqrt(math.pi / 2) / np.sqrt(high + tau * tau) * DOWN - lost
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(left > 0, moment / left, np.inf)


def _near_zero(low: Floats, high: Floats, tau: float, mesh: Mesh) -> tuple[Floats, Floats]:
    r"""Upper bounds on the integrals over [0, π] of D(t) and t D(t), where D is exp(-tau²t²/2) times the lesser of

    $$ \frac{\sigma^2}{2} \int_0^t u^2 e^{-(\sigma^2 - 1/4)(1-\cos u) - \sigma^2(t^2-u^2)/2} du
       \quad\text{and}\quad e^{-\sigma^2(1-\cos t)} + e^{-\sigma^2t^2/2}. $$

    u² exp(σ²u²/2 - (σ² - 1/4)(1 - cos u)) is convex where σ² >= 1/4, and so are its integral and t times that.
    """
    h, t, drop, grown = mesh
    normal = np.exp(-(low + tau * tau) * t * t / 2)
    inside = t * t * np.exp(low * t * t / 2 - (low - 0.25) * drop)
    within = np.concatenate([np.zeros((1, len(low))), np.cumsum(h / 2 * (inside[1:] + inside[:-1]), axis=0)])
    either = np.exp(-low * drop - (tau * t) ** 2 / 2) + normal
    first, second = high / 2 * within, np.ones_like(t)
    rest = np.maximum(math.pi - t[-1], 0.0) * either[-1]
    plain = np.minimum(_chords(first, normal, h), _chords(second, either, h)).sum(axis=0)
    moment = np.minimum(_chords(t * first, normal, h), _chords(t, either, h)).sum(axis=0)
    return grown * plain + rest, grown * moment + math.pi * rest


def least_noise(holds: Callable[[Fraction], bool], *, start: Fraction) -> Fraction | None:
    """The least scale above `start`, within 1 %, at which a property of Gaussian noise holds that more noise cannot
    break; None if a million times `start` is too little. The answer has itself been tried.
    """
    low, high = scan(holds, start, doubled(2 * start, start * 10**6))
    if high is None:
        return None
    return least(holds, low, high, middle=halfway, close=lambda one, two: two <= one * Fraction(101, 100))[1]


def least_tau(epsilon: Fraction, delta: Fraction, variance: Fraction, shift: Fraction = Fraction(1)) -> Fraction | None:
    """The least noise, within 1 %, that this curve certifies for (epsilon, delta); None if there is none.

    More Gaussian noise is less of it plus independent noise, so bisection is sound. Cost: about ten evaluations.
    """

    def holds(tau: Fraction) -> bool:
        return RangeVarianceCurve(variance, shift, tau).delta(epsilon).certainly_at_most(delta)

    return least_noise(holds, start=Fraction(1, 5))
