"""Probabilities on the integers, with the error that they may carry."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.enclosure.balls import Balls, gathered
from dalenius.enclosure.formats import apart
from dalenius.enclosure.outward import add_up, float_up, sum_up, times_up

Floats: TypeAlias = NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """A law P on the integers, known to within certified errors.

    For every k in the window [start, start + len(mass)):  |P(k) - mass[k - start]| <= error[k - start].
    The mass outside the window is at most `tail`. Where numbers allow it the error is a small multiple of the mass
    (relative); where it is not (after an FFT, at points of nearly no mass) it is additive. The window's masses may
    sum to less or more than one by what the errors and the tail allow.

    >>> import numpy as np
    >>> import dalenius as dl
    >>> coin = dl.numerics.Law(0, np.array([0.5, 0.5]), np.zeros(2))
    >>> coin.mass.sum()
    np.float64(1.0)
    """

    start: int
    mass: Floats
    error: Floats
    tail: float = 0.0

    def __post_init__(self) -> None:
        self.mass.setflags(write=False)
        self.error.setflags(write=False)
        if math.isnan(float(self.mass.sum()) + float(self.error.sum()) + self.tail):
            raise PreconditionError("A law needs masses and errors that are numbers, but got NaN. Report this defect.")

    @classmethod
    def enclosing(cls, start: int, masses: Balls, tail: float = 0.0) -> "Law":
        """The law with these masses from `start` on."""
        return cls(start, masses.middle, masses.radius, tail)

    @property
    def stop(self) -> int:
        return self.start + len(self.mass)

    @property
    def relative(self) -> float:
        """The largest error relative to its mass, over points of positive mass."""
        positive = self.mass > 0
        return float(np.max(self.error[positive] / self.mass[positive])) if positive.any() else 0.0

    @property
    def additive(self) -> float:
        """A bound on the total variation distance between the law and the masses stored."""
        return add_up(float(sum_up(self.error)), self.tail)

    @property
    def balls(self) -> Balls:
        """The masses of the window."""
        return Balls(self.mass, self.error)

    def over(self, start: int, stop: int) -> Balls:
        """The masses on [start, stop), 0 where nothing is stored (there the tail speaks)."""
        return Balls(*self.window(start, stop))

    def shifted(self, by: int) -> "Law":
        return Law(self.start + by, self.mass, self.error, self.tail)

    def mirrored(self) -> "Law":
        """The law of the negative."""
        return Law(1 - self.stop, self.mass[::-1].copy(), self.error[::-1].copy(), self.tail)

    def window(self, start: int, stop: int) -> tuple[Floats, Floats]:
        """Masses and errors on [start, stop), zero where nothing is stored (there the tail speaks)."""
        mass, error = np.zeros(stop - start), np.zeros(stop - start)
        low, high = max(start, self.start), min(stop, self.stop)
        if low < high:
            mass[low - start : high - start] = self.mass[low - self.start : high - self.start]
            error[low - start : high - start] = self.error[low - self.start : high - self.start]
        return mass, error

    def pushed(self, images: NDArray[np.int64]) -> "Law":
        """The law of f(K), where `images[k - start]` is f(k) for each k of the window; elsewhere f may be anything.

        Cost O(length).
        """
        low = int(images.min())
        size = int(images.max()) - low + 1
        # the tail may land on any image, also inside the window
        return Law.enclosing(low, gathered(self.balls, images - low, size).widened(self.tail), self.tail)


def point(at: int) -> Law:
    """All mass on one integer."""
    return Law(at, np.ones(1), np.zeros(1))


def law_of(masses: Mapping[int, Fraction]) -> Law:
    """The law with these exact masses, which must be probabilities that sum to one.

    >>> law_of({0: Fraction(2, 3), 2: Fraction(1, 3)}).mass.round(3).tolist()
    [0.667, 0.0, 0.333]
    """
    total = sum(masses.values(), Fraction(0))
    if total != 1 or min(masses.values()) < 0:
        raise InputError(
            f"Probabilities must be at least 0 and sum to 1, but they sum to {apart(total, 1)}. Correct them."
        )
    start, stop = min(masses), max(masses) + 1
    places, known = [at - start for at in masses], Balls.nearest(list(masses.values()))
    mass, error = np.zeros((2, stop - start))
    mass[places], error[places] = known.middle, known.radius
    return Law(start, mass, error)


def mixture(parts: Iterable[tuple[Fraction, Law]]) -> Law:
    """The law that is each part with its weight; the weights must sum to one."""
    weighted = [(weight, law) for weight, law in parts if weight]
    if sum((weight for weight, _ in weighted), Fraction(0)) != 1:
        raise InputError("The weights of a mixture must sum to 1. Correct them.")
    start, stop = min(law.start for _, law in weighted), max(law.stop for _, law in weighted)
    masses, tail = Balls.of(np.zeros(stop - start)), 0.0
    for weight, law in weighted:
        more, more_error = law.window(start, stop)
        more_error[: law.start - start] = law.tail  # a part's tail may lie inside the window of another
        more_error[law.stop - start :] = law.tail
        masses = masses + Balls.of(weight) * Balls.within(more, more_error)
        tail = add_up(tail, times_up(float_up(weight), law.tail))
    return Law.enclosing(start, masses, tail)
