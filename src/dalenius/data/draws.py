"""Drawing from mechanisms. All chance comes from the sampler's two-sided geometric noise and fair bits; what is done
with them is exact.

Two-sided geometric noise Z of ratio x = e^(-1/scale) holds the coins that counts need:

- given Z >= 0, P(Z >= m) = x^m: a coin with any power of x.

Randomised answers need one coin each, of a chance that is compared with fair bits, exactly.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, require
from dalenius.data.sampler import add_noise, fair_words
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

DIGITS = 64  # of a binary fraction, drawn at once

Earned = SinglePriorCount | BallCount | HedgedCount
Noisy = LaplaceNoise | LocalLaplaceNoise | SumWithin | GeometricMeanWithin | BusinessTotal


def told_count(mechanism: Earned, count: int) -> Told:
    """What is published of a count: exactly it, or about so many.

    >>> import dalenius as dl
    >>> count = dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5")
    >>> isinstance(dl.data.told_count(count, 6), dl.mechanisms.Told)
    True
    """
    return told_by(mechanism.kernel, count)


def told_histogram(mechanism: SinglePriorHistogram, counts: Mapping[Hashable, int]) -> dict[Hashable, Told]:
    """What is published of each cell; each rolls its own dice. The counts must be those of all n records.

    >>> import dalenius as dl
    >>> cells = {"A": "0.11", "B": "0.39", "other": "0.5"}
    >>> table = dl.mechanisms.SinglePriorHistogram(cells, n=100, eligible=["A", "B"], noise="0.25", rest="0.5", exact=1)
    >>> sorted(dl.data.told_histogram(table, {"A": 12, "B": 38, "other": 50}))
    ['A', 'B', 'other']
    """
    # numpy's small numbers would wrap; what is no whole number is refused cell by cell
    found = {mechanism.checked_cell(cell): int(n) if is_integer(n) else n for cell, n in counts.items()}
    complete = len(found) == len(mechanism.cells) and sum(found.values()) == mechanism.n
    require(complete, f"a count for each cell, {mechanism.n} in all", got="other counts")
    return {cell: told_by(mechanism.kernels[cell], found[cell]) for cell in mechanism.cells}


def told_by(kernel: Kernel, count: int) -> Told:
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
    """Each answer, kept or flipped. A million answers take about a second.

    >>> import dalenius as dl
    >>> survey = dl.mechanisms.RandomizedResponse(keep="3/4")
    >>> len(dl.data.randomized_answers(survey, [1, 0, 0, 1]))
    4
    """
    if any(answer not in (0, 1) for answer in answers):
        raise InputError("Randomised response needs answers that are 0 or 1, but some are not. Ask a yes/no question.")
    kept = _coins(mechanism, len(answers)).tolist()
    return [int(answer) if same else 1 - int(answer) for answer, same in zip(answers, kept, strict=True)]


def _coins(mechanism: RandomizedResponse, count: int) -> NDArray[np.bool_]:
    """Coins of the chance p of a true answer: a fair binary fraction U < p, of which 64 digits decide unless they are
    those of p. Then as many more are drawn as are needed, and compared exactly.
    """
    words = fair_words(count)
    low, high = (math.floor(chance * 2**DIGITS) for chance in mechanism.chances())
    kept = words < np.uint64(low)
    for place in np.flatnonzero(~kept & (words <= np.uint64(high))).tolist():
        kept[place] = _closer(mechanism, int(words[place]))
    return kept


def _closer(mechanism: RandomizedResponse, word: int) -> bool:
    """Whether U < p, for a U that begins with these digits: more of them until the interval that is left is on one side
    of p.
    """
    digits = DIGITS
    while True:
        if not mechanism.is_below_chance(Fraction(word, 2**digits)):
            return False
        if mechanism.is_below_chance(Fraction(word + 1, 2**digits)):
            return True
        word = (word << DIGITS) | int(fair_words(1)[0])
        digits += DIGITS


def noisy_figure(mechanism: Noisy, figure: float | str | Fraction) -> Fraction:
    """The figure plus Laplace noise, a multiple of the lattice's step.

    >>> import dalenius as dl
    >>> noise = dl.mechanisms.LaplaceNoise(1, epsilon="1/2")
    >>> told = dl.data.noisy_figure(noise, 317)
    >>> abs(told - 317) < 1000
    True
    """
    lattice: Lattice = mechanism.noise.lattice if isinstance(mechanism, LocalLaplaceNoise) else mechanism.lattice
    return add_noise([lattice.places(figure)], "two_sided_geometric", lattice.scale)[0] * lattice.step


def normal_figure(mechanism: GaussianNoise | DiscreteGaussianNoise, figure: int) -> int:
    """A figure in units plus normal noise, in units.

    >>> import dalenius as dl
    >>> told = dl.data.normal_figure(dl.mechanisms.GaussianNoise(1, scale=5), 317)
    >>> abs(told - 317) < 1000
    True
    """
    if isinstance(mechanism, GaussianNoise):
        return add_noise([figure], "rounded_gaussian", mechanism.channel.scale)[0]
    return add_noise([figure], "discrete_gaussian", mechanism.scale)[0]
