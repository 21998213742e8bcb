"""Integer noise with irrational masses, on a window with a rigorous bound on the rest."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from flint import arb, arb_poly

from .balls import ball, between, exponential, precise, total
from .laws import BallLaw, Law, as_balls

TAIL_NATS = 160  # e^-160 is about 2^-230: below every digit that matters here


@precise
def two_sided_geometric(epsilon: Fraction) -> BallLaw:
    """P(k) = (1 - x) / (1 + x) * x^|k| with x = e^-epsilon.

    Also known as discrete Laplace noise of scale 1/epsilon. The mass beyond the window's
    end K is exactly 2 x^(K+1) / (1 + x).
    """
    if epsilon <= 0:
        raise ValueError(f"two-sided geometric noise needs epsilon > 0, but got {epsilon}")
    x = exponential(-epsilon)
    end = int(TAIL_NATS / epsilon) + 1
    peak = (1 - x) / (1 + x)
    powers = [peak]
    for _ in range(end):
        powers.append(powers[-1] * x)
    masses = {k: powers[abs(k)] for k in range(-end, end + 1)}
    return BallLaw(masses, (2 * x ** (end + 1) / (1 + x)).upper())


@precise
def discrete_gaussian(variance: Fraction) -> BallLaw:
    """P(k) proportional to exp(-k^2 / (2 variance)); `variance` is the parameter, not the moment.

    Beyond the window's end K each weight is at most exp(-(2K+3) / (2 variance)) times the
    one before, so a geometric series bounds the rest, in the normaliser too.
    """
    if variance <= 0:
        raise ValueError(f"discrete Gaussian noise needs a variance > 0, but got {variance}")
    end = isqrt(int(2 * TAIL_NATS * variance)) + 2
    weights = [exponential(-Fraction(k * k) / (2 * variance)) for k in range(end + 2)]
    ratio = exponential(-Fraction(2 * end + 3) / (2 * variance))
    rest = 2 * weights[end + 1] / (1 - ratio)
    norm = 2 * total(weights[1 : end + 1]) + weights[0] + between(arb(0), rest)
    masses = {k: weights[abs(k)] / norm for k in range(-end, end + 1)}
    return BallLaw(masses, (rest / norm).upper())


@precise
def add_noise(law: Law, noise: BallLaw) -> BallLaw:
    """The law of an integer variable plus independent noise.

    Leaving out the noise's missing mass lowers each mass of the sum by at most that much,
    and all of them together by at most that much.
    """
    first, second = as_balls(law), noise
    start = _first(first) + _first(second)
    coefficients = (_polynomial(first) * _polynomial(second)).coeffs()
    slack = between(arb(0), second.missing)
    masses = {start + i: mass + slack for i, mass in enumerate(coefficients)}
    return BallLaw(masses, second.missing)


def shift_balls(law: BallLaw, by: int) -> BallLaw:
    """The law of the variable plus a constant."""
    return BallLaw({k + by: mass for k, mass in law.masses.items()}, law.missing)


def _first(law: BallLaw) -> int:
    return int(min(law.masses))


def _polynomial(law: BallLaw) -> arb_poly:
    start, end = _first(law), max(law.masses)
    return arb_poly([law.masses.get(k, ball(0)) for k in range(start, end + 1)])
