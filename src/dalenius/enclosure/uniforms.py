r"""The sum of many uniform numbers: logarithms of its density and of its tail, by tilted Fourier integrals, far into
the tail.

X is the sum of m independent numbers, uniform on [-1/2, 1/2]. For z = θ + it, θ > 0,

$$ E e^{zX} = e^{K(z)}, \qquad K(z) = m \log\frac{\sinh(z/2)}{z/2}, $$
$$ f(v) = \frac{1}{2\pi}\int e^{K(z) - zv}\,dt, \qquad P(X > v) = \frac{1}{2\pi}\int e^{K(z) - zv}\,\frac{dt}{z}. $$

Under the tilt with K'(θ) = v the integrands are bells of width 1/σ, σ² = K''(θ), and the sums over t = kτ converge at
once. All errors are relative to e^(K(θ) - θv), which is about the probability looked for, however small it is.

Certified. What is charged:

- *folding*: the sum over t = kτ is the sum of e^(θx - K(θ)) f(x) over x = v + jP, P = 2π/τ (Poisson). To the left
  f ≤ 1 and P(X > x) ≤ 1; to the right both are at most e^(K(ψ) - ψ(x - 1/2)) for every ψ > θ (Chernoff; f(x) is the
  probability that m - 1 numbers come within 1/2 of x);
- *frequencies left out*: |E e^(zX)| / e^(K(θ)) = q(t)^(m/2), q(t) = (1 + sin²(t/2)/sinh²(θ/2)) / (1 + t²/θ²). Up to π
  this falls: its slope has the sign of sin(t)(θ² + t²) - 4t(sinh²(θ/2) + sin²(t/2)), and sinh²(θ/2) ≥ θ²/4,
  t sin(t) ≤ 4 sin²(t/2). Beyond T ≥ π it is at most (1 + 1/sinh²(θ/2)) / (1 + t²/θ²), whose power m/2 has over t > T
  an integral of at most its value at T times T / (a (m - 2)), a = T²/(θ² + T²);
- *rounding*: of the exponent, by its terms, and of sums.

K(z) - K(θ) is (z² - θ²) q(z²), with q the divided difference of the series of log(sinh(z/2)/(z/2)) in z², as long as
|z| ≤ 1: nothing cancels, and the error does not grow with m. Beyond, by logarithms and angles, with an error that grows
with m; but there m is at most some ten thousands, or the probability is below 1e-300.

**Logarithms of probabilities** are kept with how far they may be off, absolutely: nothing underflows. Differences and
products of them (`log_ratio`, `scaled`) err by four units of their terms more; bounds on errors are rounded to nearest,
and raised by a thousandth where they are used.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Floats
from dalenius.enclosure.floats import COMPLEX, LIBM, RAISED, TINY, UNIT
from dalenius.enclosure.outward import HIGHEST_POWER, add_up

# log(sinh(z/2) / (z/2)) = Σ B_2j z^2j / (2j (2j)!), j = 1, 2, ...
SERIES = (
    Fraction(1, 24),
    Fraction(-1, 2_880),
    Fraction(1, 181_440),
    Fraction(-1, 9_676_800),
    Fraction(1, 479_001_600),
    Fraction(-691, 15_692_092_416_000),
    Fraction(1, 1_046_139_494_400),
    Fraction(-3_617, 170_729_965_486_080_000),
    Fraction(43_867, 91_963_695_909_076_992_000),
    Fraction(-174_611, 16_057_153_253_965_824_000_000),
    Fraction(77_683, 310_224_200_866_619_719_680_000),
)
COEFFICIENTS = tuple(float(term) for term in SERIES)
OMITTED = 1e-18  # what later terms may change, relative to the first: at |z| <= 1 they fall by 39 each
STEEPEST = 64.0  # the largest tilt: the probabilities of 256 numbers are below 1e-300 there
FOLDED = 44.0  # folding is below exp(-FOLDED) of one frequency
WINDOW = 8.0  # standard deviations of which the period has more
DAMPED = 44.0  # so are the frequencies left out
SERIES_UNITS = 48.0  # of (z² - θ²) q(z²): eleven steps of Horner's rule, each a 39th of the one after
STEPS = 60
LEAST = -745.0  # logarithm of the smallest float
SURE = 0.75  # a probability from which on its complement is not taken
ROOM = 1e-9  # more than logarithms, exponents and a period are rounded by
Logarithm: TypeAlias = tuple[float, float]  # of a probability, and how far it may be off


@final
@dataclass(frozen=True, slots=True)
class Tails:
    """Logarithms of the density at a place and of the probability beyond it; each may be off by its error."""

    density: float
    density_error: float
    survival: float
    survival_error: float


def survival(count: int, place: float) -> Logarithm:
    """The logarithm of P(X > place), and its error; to the left of the middle from the other side."""
    found = tails(count, abs(place))
    if place >= 0:
        return found.survival, found.survival_error
    rest = math.exp(found.survival)
    error = rest / (1 - rest) if rest < SURE else 4.0
    return math.log1p(-min(rest, SURE)), error * (found.survival_error + 2 * LIBM * UNIT) + 2 * LIBM * UNIT


def up_of(number: Logarithm) -> float:
    """The logarithm from above."""
    return add_up(number[0], number[1] * RAISED)


def log_ratio(here: Logarithm, moved: Logarithm, epsilon: Fraction) -> tuple[float, float]:
    """The ends of ε + here - moved."""
    if math.isinf(here[1] + moved[1]):
        return -math.inf, math.inf
    rate = float(epsilon)
    middle = rate + here[0] - moved[0]
    error = (here[1] + moved[1] + 4 * UNIT * (rate + abs(here[0]) + abs(moved[0]))) * RAISED
    return middle - error, middle + error


def scaled(moved: Logarithm, gap: float, sign: int) -> float:
    """e^moved (e^gap - 1), rounded down or up: nothing cancels but what must."""
    if gap > HIGHEST_POWER:
        return math.inf if sign > 0 else 0.0
    height = math.expm1(gap)
    toward = sign if height > 0 else -sign  # a larger scale moves it away from 0
    exponent = moved[0] + toward * moved[1] * RAISED
    if exponent > HIGHEST_POWER:
        return sign * math.inf
    found = height * math.exp(max(exponent, LEAST)) * (1 + toward * 4 * LIBM * UNIT)
    return found + sign * TINY


def tails(count: int, place: float) -> Tails:
    """Ln f and ln P(X > place), for a place from 0 up to count/2."""
    if place >= count / 2:
        return Tails(-math.inf, 0.0, -math.inf, 0.0)
    theta = max(tilt(count, place), 1 / math.sqrt(count * variance(0.0)))
    height, height_error = cumulant(count, theta)
    step, folded = _step(count, theta, place, height)
    t, left_out = _frequencies(count, theta, step)
    spectrum, errors = _spectrum(count, theta, place, t)
    scale, scale_error = height - theta * place, height_error + 2 * UNIT * (height + theta * place)
    waves = np.where(t == 0.0, 1.0, 2.0)
    parts = (spectrum.real, (spectrum / (theta + 1j * t)).real)
    sizes = (np.abs(spectrum), np.abs(spectrum) / np.hypot(theta, t))
    found: list[float] = []
    for part, size, more in zip(parts, sizes, (1.0, 1 / theta), strict=True):
        value = math.fsum((waves * part).tolist())
        # a quotient and an absolute value for each term; what is left out is divided by |z| > θ
        off = float((waves * size * (errors + (3 * COMPLEX + 4) * UNIT)).sum()) + left_out * more
        off = (off + folded * (2 * math.pi / step)) * RAISED
        found += _logarithm(value, off, scale + math.log(step / (2 * math.pi)), scale_error)
    return Tails(*found)


def _logarithm(value: float, off: float, scale: float, scale_error: float) -> Logarithm:
    """Ln of a value that may be off, plus a scale."""
    if not value > 2 * off:
        return scale + math.log(max(value, off)), math.inf
    log = math.log(value)
    return scale + log, off / (value - off) * RAISED + scale_error + LIBM * UNIT * (4 + abs(log) + abs(scale))


def mean(theta: float) -> float:
    """K'/m, for tilts of at least 0."""
    if theta < 1e-3:
        return theta / 12
    return 0.5 / math.tanh(theta / 2) - 1 / theta


def variance(theta: float) -> float:
    """K''/m."""
    if theta < 1e-2:
        return 1 / 12 - theta * theta / 240
    return 1 / (theta * theta) - 0.25 / math.sinh(theta / 2) ** 2


def tilt(count: int, place: float) -> float:
    """About the θ with K'(θ) = place, at most `STEEPEST`."""
    goal = place / count
    theta = min(12 * goal / max(1 - 2 * goal, 1e-3), STEEPEST)
    for _ in range(STEPS):
        move = (goal - mean(theta)) / variance(theta)
        theta = min(max(theta + move, theta / 2), 2 * theta + 1e-9, STEEPEST)
        if abs(move) <= 1e-9 * theta:
            break
    return theta


def cumulant(count: int, theta: float) -> tuple[float, float]:
    """K(θ), and its error."""
    if theta <= 1.0:
        square, found = theta * theta, 0.0
        for term in reversed(COEFFICIENTS):
            found = found * square + term
        return count * found * square, count * square / 24 * (8 * UNIT + OMITTED)
    ratio = math.log(math.expm1(theta) / theta)
    units = 2 * LIBM + 8 + 2 * LIBM * abs(ratio) + 2 * theta
    return count * (ratio - theta / 2), count * units * UNIT


def _step(count: int, theta: float, place: float, height: float) -> tuple[float, float]:
    """A distance of frequencies, with few digits, and a bound on what is folded in."""
    sigma = math.sqrt(count * variance(theta))
    above = theta + 8 / sigma
    more = (cumulant(count, above)[0] - height + above / 2) * (1 + ROOM)
    rate = theta * place - height
    enough = FOLDED + math.log(sigma + 1)
    period = max((rate + enough) / theta, (more + enough) * sigma / 8 - place, WINDOW * sigma)
    step = _short(2 * math.pi / period)
    period = 2 * math.pi / step * (1 - ROOM)
    left = math.exp(rate - theta * period + ROOM * (rate + 1)) / -math.expm1(-theta * period)
    right = math.exp(more - (above - theta) * (place + period) * (1 - ROOM)) / -math.expm1(-(above - theta) * period)
    return step, (left + right) * RAISED


def _short(number: float) -> float:
    """About the number, a little less, with twelve binary digits: its small multiples are exact."""
    mantissa, power = math.frexp(number)
    return math.ldexp(math.floor(mantissa * 4096), power - 12)


def _damping(count: int, theta: float, t: float) -> float:
    """The logarithm of a bound on |E e^(zX)| / e^K(θ) at t and beyond, a little more than it is."""
    grown = math.expm1(theta)
    wave = math.sin(t / 2) ** 2 if t < math.pi else 1.0
    found = math.log1p(wave * 4 * (1 + grown) / (grown * grown)) - math.log1p(t * t / (theta * theta))
    return count / 2 * (found + 16 * LIBM * UNIT * (1 + math.log1p(t * t / (theta * theta))))


def _frequencies(count: int, theta: float, step: float) -> tuple[Floats, float]:
    """Those that count, from 0 on, and a bound on the sum of the others' sizes, of both signs."""
    last = 4 / math.sqrt(count * variance(theta))
    while _damping(count, theta, last) > -DAMPED:
        last *= 1.25
    steps = math.ceil(last / step)
    t: Floats = np.arange(steps + 1, dtype=np.float64) * step
    edge = max(float(t[-1]), math.pi)
    share = edge * edge / (theta * theta + edge * edge)
    near = math.exp(_damping(count, theta, float(t[-1]))) * max(0.0, (math.pi - float(t[-1])) / step + 1)
    far = math.exp(_damping(count, theta, edge)) * (1 + edge / (step * share * (count - 2)))
    return t, 2 * (near + far) * RAISED


def _spectrum(count: int, theta: float, place: float, t: Floats) -> tuple[NDArray[np.complex128], Floats]:
    """E e^(zX - z v) / e^(K(θ) - θv) at each frequency, and its relative error."""
    if math.hypot(theta, float(t[-1])) <= 1.0:
        exponent, error = _near(count, theta, t)
    else:
        exponent, error = _by_logarithms(count, theta, t)
    turn = t * place
    error = error + UNIT * (2 * turn + 2 * np.abs(exponent) + 2 * np.abs(exponent - 1j * turn))
    error = np.expm1(error * RAISED) + 4 * LIBM * UNIT
    return np.exp(exponent - 1j * turn), error


def _near(count: int, theta: float, t: Floats) -> tuple[NDArray[np.complex128], Floats]:
    """K(z) - K(θ) by its series, |z| ≤ 1, and its error."""
    square, steps, step = theta * theta, [], 0.0
    for term in reversed(COEFFICIENTS):
        step = term + square * step
        steps.append(step)
    apart = -t * t + 2j * theta * t  # z² - θ²
    z, quotient = square + apart, np.zeros_like(apart)
    for step in steps:
        quotient = quotient * z + step
    found = count * (apart * quotient)
    return found, count * np.abs(apart) / 24 * (SERIES_UNITS * UNIT + 16 * OMITTED)


def _by_logarithms(count: int, theta: float, t: Floats) -> tuple[NDArray[np.complex128], Floats]:
    """The same for any z, but for whole turns, and its error."""
    grown = math.expm1(theta)
    sines, cosines = np.sin(t / 2), np.cos(t / 2)
    up, down = np.log1p(sines * sines * (4 * (1 + grown) / (grown * grown))), np.log1p(t * t / (theta * theta))
    angle, less = np.arctan2((grown + 2) / grown * sines, cosines), np.arctan2(t, theta)
    found = count * ((up - down) / 2 + 1j * (angle - less))
    # a relative error of its argument moves log1p by no more, and an angle by half of it at most
    units = (3 * LIBM + 12) * (np.minimum(up, 1.0) + up + np.minimum(down, 1.0) + down + 2 + np.abs(angle) + less)
    return found, count * units * UNIT
