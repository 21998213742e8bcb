"""Counts that are exact if the data earn it: the kernel that single-prior, ball and hedged counts share.

A window of counts is fixed in advance. Outside it a count k goes out with two-sided geometric noise. Inside, noise is
left out as far as neighbouring counts still look alike, and the mass that is left over goes to "k, exactly". With
x = e^(-1/scale) and c = (1 - x)/(1 + x):

- P(noisy r | k) = c x^|r-k| if k or r lies outside the window;
- P(noisy r | k) = c x^(2 + min(|r-low| + k-low, |r-high| + high-k)) if both lie inside;
- P(exactly k | k) = (1 - x^(k-low+1)) (1 - x^(high-k+1)) if k lies inside.

Neighbouring counts give every noisy output chances within a factor e^(1/scale). Proof: the exponents of k and k+1
differ by one; at the edge k = low - 1 it is r - low + 1, and 2 + r - low at k = low; at the other edge likewise.

Kifer and Machanavajjhala 2014, Algorithm 1, line 8, with the noise e^(-ε|r|) where e^(-|r|) is printed in section
7.1.2, and the leftover mass summed up.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, require
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import is_integer
from dalenius.mechanisms.channel import NOISE_TAIL
from dalenius.numerics.law import Law

LARGEST_LISTED = 4_000_000  # outputs of a law


@final
@dataclass(frozen=True, slots=True)
class Window:
    """The counts low, ..., high; empty if low > high.

    >>> import dalenius as dl
    >>> dl.mechanisms.Window(10, 20).low
    10
    """

    low: int
    high: int

    @property
    def empty(self) -> bool:
        return self.low > self.high

    def __contains__(self, count: object) -> bool:
        return is_integer(count) and self.low <= count <= self.high

    def __str__(self) -> str:
        return "no count" if self.empty else f"{self.low} to {self.high}"


EMPTY = Window(1, 0)


@final
@dataclass(frozen=True, slots=True)
class Told:
    """What is published: a count that is said to be exact, or a noisy one.

    >>> import dalenius as dl
    >>> print(dl.mechanisms.Told(317, exactly=True))
    exactly 317
    """

    count: int
    exactly: bool

    def __str__(self) -> str:
        return f"exactly {self.count}" if self.exactly else f"about {self.count}"


@final
@dataclass(frozen=True, slots=True, eq=False)
class ToldLaw:
    """What is published of one count: the chance of "exactly k", and the law of noisy counts, whose masses are the
    rest.

    >>> import dalenius as dl
    >>> print(dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5").law(6).exactly)
    [0.6717, 0.6718]
    """

    count: int
    exactly: Bracket
    noisy: Law

    def chance(self, told: Told) -> Bracket:
        """The chance of this output."""
        if told.exactly:
            return self.exactly if told.count == self.count else Bracket(0.0, 0.0)
        mass, error = (float(part[0]) for part in self.noisy.window(told.count, told.count + 1))
        inside = self.noisy.start <= told.count < self.noisy.stop
        if not inside:
            return Bracket(0.0, self.noisy.tail)
        return around(max(Fraction(0), Fraction(mass) - Fraction(error)), Fraction(mass) + Fraction(error))


@final
@dataclass(frozen=True, slots=True)
class Kernel:
    """Counts from 0 to n; those in the window may go out exactly, the rest with geometric noise of this scale."""

    n: int
    window: Window
    scale: Fraction

    def __post_init__(self) -> None:
        require(self.n >= 1, "at least one record", got=self.n, remedy="Without records there is nothing to count.")

    def checked(self, count: int) -> int:
        """A count that n records can have. The message does not tell a confidential one."""
        if not is_integer(count):
            raise InputError(
                f"A count of {self.n} records must be a whole number, but this one is of the type "
                f"{type(count).__name__}. Write int(count)."
            )
        if not 0 <= count <= self.n:
            raise InputError(f"A count of {self.n} records must be from 0 to {self.n}, but this one is not. Recount.")
        return int(count)

    def exponents(self, count: int, outputs: NDArray[np.int64]) -> NDArray[np.int64]:
        """The power of x in the chance of each noisy output."""
        plain = np.abs(outputs - count)
        low, high = self.window.low, self.window.high
        if count not in self.window:
            return plain
        around = 2 + np.minimum(np.abs(outputs - low) + count - low, np.abs(outputs - high) + high - count)
        return np.where((outputs >= low) & (outputs <= high), around, plain)

    def exactly(self, count: int) -> Bracket:
        """The chance of "exactly k"."""
        if count not in self.window:
            return Bracket(0.0, 0.0)
        left, right = count - self.window.low + 1, self.window.high - count + 1
        found = (-Balls.of(left / self.scale)).expm1() * (-Balls.of(right / self.scale)).expm1()
        return Bracket(max(0.0, float(found.lower)), min(1.0, float(found.upper)))

    def law(self, count: int) -> ToldLaw:
        """The law of what is published of this count. Cost O(scale + length of the window)."""
        count = self.checked(count)
        reach = math.ceil(-math.log(NOISE_TAIL) * float(self.scale)) + 2
        start, stop = count - reach, count + reach + 1
        if count in self.window:
            start, stop = min(start, self.window.low), max(stop, self.window.high + 1)
        require(
            stop - start <= LARGEST_LISTED,
            f"a law of at most {LARGEST_LISTED} outputs",
            got=stop - start,
            remedy="Use a larger epsilon, or ask for single chances.",
        )
        return ToldLaw(count, self.exactly(count), self._noisy(count, np.arange(start, stop)))

    def _noisy(self, count: int, outputs: NDArray[np.int64]) -> Law:
        step = Balls.of(1 / self.scale)
        weight = -(-step).expm1() / ((-step).exp() + 1)
        masses = weight * (-step * self.exponents(count, outputs)).exp()
        return Law.enclosing(int(outputs[0]), masses, 2.0 * NOISE_TAIL)
