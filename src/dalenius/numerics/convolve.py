"""Sums of independent numbers: convolution, direct where it can be, by FFT where it must."""

import numpy as np

from dalenius.enclosure.excess import largest_masses
from dalenius.enclosure.outward import add_up, running_up
from dalenius.enclosure.transforms import convolution
from dalenius.numerics import fourier
from dalenius.numerics.law import Law, point

DIRECT = 60_000_000  # products above which an FFT is used; a direct convolution of this size takes about 0.05 s


def convolve(first: Law, second: Law) -> Law:
    """The law of the sum of two independent numbers.

    Direct: every term is positive, so masses keep their relative accuracy, tails included; cost is the product of
    the two lengths. Above `DIRECT` products: one FFT, with an additive error (1e-16 of the Euclidean norm).

    Certified by the kernel (`enclosure/transforms.py`); mass from the tails lands anywhere, so it is charged at every
    point and outside.
    """
    size = len(first.mass) + len(second.mass) - 1
    direct = len(first.mass) * len(second.mass) <= DIRECT
    masses = convolution(first.balls, second.balls, length=None if direct else fourier.next_fast_len(size, real=True))
    tails = add_up(first.tail, second.tail)
    return Law.enclosing(first.start + second.start, masses.widened(tails) if tails else masses, tails)


def power(law: Law, count: int) -> Law:
    """The law of the sum of `count` independent copies, by repeated squaring. Cost O(length² log count) when direct."""
    result, square = point(0), law
    while count:
        if count & 1:
            result = convolve(result, square)
        count >>= 1
        if count:
            square = convolve(square, square)
    return result


def trimmed(law: Law, floor: float) -> Law:
    """The law without ends of total mass at most `floor`, which go to the tail."""
    upper = largest_masses(law.mass, law.error)
    left = int(np.searchsorted(running_up(upper), floor / 2))
    right = int(np.searchsorted(running_up(upper[::-1]), floor / 2))
    if left + right >= len(upper):
        return law
    keep = slice(left, len(upper) - right)
    return Law(law.start + left, law.mass[keep].copy(), law.error[keep].copy(), add_up(law.tail, floor))
