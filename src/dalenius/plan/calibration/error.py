"""What a channel does to a figure: the absolute error that is to be expected."""

import math
from fractions import Fraction

from dalenius.mechanisms import Chain, DiscreteGaussian, Rounded, RoundedGaussian, TwoSidedGeometric
from dalenius.mechanisms.channel import Channel

FAR = 40  # standard deviations of normal noise beyond which nothing is added up
SMOOTH = 1000  # scales from which on sums are integrals, to a part in a million


def expected_error(channel: Chain) -> float:
    """The expected absolute error of the published number, in units of the figure.

    Noise: E|K|, whatever the figure. Rounding: if every place between two multiples is equally likely, b/4 for even
    bases b and (b² - 1)/4b for odd ones. Several links: their errors added up, which is an upper bound. A cost to
    compare plans by, not a bound that privacy rests on.

    >>> expected_error(Chain((Rounded(10),)))
    2.5
    """
    whole, step = 0.0, 1
    for link in channel.links:
        whole += _of(link) * step
        step *= link.period or 1
    return whole


def _of(link: Channel) -> float:
    match link:
        case Rounded(base):
            return base / 4 if base % 2 == 0 else (base * base - 1) / (4 * base)
        case TwoSidedGeometric(scale):
            return _geometric(scale)
        case DiscreteGaussian(scale):
            return _gaussian(float(scale))
        case RoundedGaussian(scale):
            return _normal(float(scale))
        case _:
            return 0.0


def _geometric(scale: Fraction) -> float:
    """2x / (1 - x²) with x = exp(-1/scale)."""
    return 1 / math.sinh(1 / float(scale)) if scale > Fraction(1, 500) else 0.0


def _gaussian(scale: float) -> float:
    if scale > SMOOTH:
        return scale * math.sqrt(2 / math.pi)
    weights = [math.exp(-k * k / (2 * scale * scale)) for k in range(1, math.ceil(FAR * scale) + 2)]
    total = 1 + 2 * math.fsum(weights)
    return 2 * math.fsum(k * weight for k, weight in enumerate(weights, 1)) / total


def _normal(scale: float) -> float:
    """E|round(s N)| = 2 Σ P(s N > k - 1/2)."""
    if scale > SMOOTH:
        return scale * math.sqrt(2 / math.pi)
    return math.fsum(math.erfc((k - 0.5) / (scale * math.sqrt(2))) for k in range(1, math.ceil(FAR * scale) + 2))
