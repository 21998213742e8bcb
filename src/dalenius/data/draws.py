"""Drawing from mechanisms. All chance comes from the sampler's two-sided geometric noise; what is done with it is
exact.

Two-sided geometric noise Z of ratio x = e^(-1/scale) holds all the coins that are needed:

- P(Z >= 0) = 1/(1 + x): a coin with the chance e^ε/(1 + e^ε) of randomised response, for scale 1/ε;
- given Z >= 0, P(Z >= m) = x^m: a coin with any power of x;
- given Z != 0, the sign of Z is a fair coin, and fair coins make one of any rational chance.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction

from dalenius.basics.errors import InputError, require
from dalenius.data.sampler import add_noise
from dalenius.facts.records import is_integer
from dalenius.mechanisms.earned import Kernel, Told
from dalenius.mechanisms.gaussian import DiscreteGaussianNoise, GaussianNoise
from dalenius.mechanisms.hedging import HedgedCount
from dalenius.mechanisms.laplace import LaplaceNoise, Lattice
from dalenius.mechanisms.local_sensitivity import LocalLaplaceNoise
from dalenius.mechanisms.margins import BusinessTotal, GeometricMeanWithin, SumWithin
from dalenius.mechanisms.prior_ball import BallCount
from dalenius.mechanisms.randomized_response import RandomizedResponse
from dalenius.mechanisms.single_prior import SinglePriorCount
from dalenius.mechanisms.single_prior_histogram import SinglePriorHistogram

BATCH = 64
WIDE = Fraction(64)  # the scale of noise whose signs are fair coins: rarely zero

Earned = SinglePriorCount | BallCount | HedgedCount
Noisy = LaplaceNoise | LocalLaplaceNoise | SumWithin | GeometricMeanWithin | BusinessTotal


def told_count(mechanism: Earned, count: int) -> Told:
    """What is published of a count: exactly it, or about so many."""
    return _told(mechanism.kernel, count)


def told_histogram(mechanism: SinglePriorHistogram, counts: Mapping[Hashable, int]) -> dict[Hashable, Told]:
    """What is published of each cell; each rolls its own dice. The counts must be those of all n records."""
    # numpy's small numbers would wrap; what is no whole number is refused cell by cell
    found = {mechanism.checked_cell(cell): int(n) if is_integer(n) else n for cell, n in counts.items()}
    complete = len(found) == len(mechanism.cells) and sum(found.values()) == mechanism.n
    require(complete, f"a count for each cell, {mechanism.n} in all", got="other counts")
    return {cell: _told(mechanism.kernels[cell], found[cell]) for cell in mechanism.cells}


def _told(kernel: Kernel, count: int) -> Told:
    """Geometric noise; a noisy count r that lies in the window with the true one is kept with chance x^(e - |r-k|), e
    being its exponent, and otherwise gives way to the exact count.
    """
    count = kernel.checked(count)
    noisy = add_noise([count], "two_sided_geometric", kernel.scale)[0]
    if count not in kernel.window or noisy not in kernel.window:
        return Told(noisy, exactly=False)
    low, high = kernel.window.low, kernel.window.high
    exponent = 2 + min(noisy - low + count - low, high - noisy + high - count)
    kept = _power(kernel.scale, exponent - abs(noisy - count))
    return Told(noisy, exactly=False) if kept else Told(count, exactly=True)


def _power(scale: Fraction, exponent: int) -> bool:
    """A coin with chance x^exponent: one-sided geometric noise, which is two-sided noise that is not negative."""
    while True:
        for z in add_noise([0] * 4, "two_sided_geometric", scale):
            if z >= 0:
                return z >= exponent


def randomized_answers(mechanism: RandomizedResponse, answers: Sequence[int]) -> list[int]:
    """Each answer, kept or flipped. About 10 µs an answer if ε was stated, 20 µs if a chance was."""
    if any(answer not in (0, 1) for answer in answers):
        raise InputError("Randomised response needs answers that are 0 or 1, but some are not. Ask a yes/no question.")
    if mechanism.scale is not None:
        coins = [z >= 0 for z in add_noise([0] * len(answers), "two_sided_geometric", mechanism.scale)]
    else:
        coins = _rational_coins(mechanism.keep or Fraction(0), len(answers))
    return [int(answer) if kept else 1 - int(answer) for answer, kept in zip(answers, coins, strict=True)]


def _rational_coins(chance: Fraction, count: int) -> list[bool]:
    """Coins of a rational chance p: a fair binary fraction U < p, read digit by digit until it differs from p; two
    digits on average.
    """
    fair, found = _fair_coins(), []
    for _ in range(count):
        left = chance
        while True:
            left *= 2
            digit = left >= 1
            left -= digit
            if next(fair) != digit:
                found.append(digit)  # U has 0 where p has 1, or 1 where p has 0
                break
            if not left:
                found.append(False)  # U >= p: p has no more digits
                break
    return found


def _fair_coins() -> Iterator[bool]:
    """Fair coins without end: the signs of noise that is not zero."""
    while True:
        yield from (z > 0 for z in add_noise([0] * BATCH, "two_sided_geometric", WIDE) if z)


def noisy_figure(mechanism: Noisy, figure: float | str | Fraction) -> Fraction:
    """The figure plus Laplace noise, a multiple of the lattice's step."""
    lattice: Lattice = mechanism.noise.lattice if isinstance(mechanism, LocalLaplaceNoise) else mechanism.lattice
    return add_noise([lattice.places(figure)], "two_sided_geometric", lattice.scale)[0] * lattice.step


def normal_figure(mechanism: GaussianNoise | DiscreteGaussianNoise, figure: int) -> int:
    """A figure in units plus normal noise, in units."""
    if isinstance(mechanism, GaussianNoise):
        return add_noise([figure], "rounded_gaussian", mechanism.channel.scale)[0]
    return add_noise([figure], "discrete_gaussian", mechanism.scale)[0]
