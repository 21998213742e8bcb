"""Multivariate hypergeometric totals: draws without replacement from a population of a few kinds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.numerics.convolve import convolve
from dalenius.numerics.law import Law, point
from dalenius.numerics.logconcave import averaged, hypergeometric

MOST_WORK = 20_000_000_000  # products
KEPT = 4096  # laws remembered


@final
@dataclass(frozen=True, slots=True, eq=False)
class Urn:
    """So many members of each kind; a member that is drawn adds steps[kind] >= 0.

    One kind adds a constant, two kinds a hypergeometric number of steps. More kinds are halved: the number drawn from
    one half is hypergeometric, and given it the halves are independent. All terms are positive, so that masses keep
    small relative errors. Cost of three kinds: the square of the standard deviation; each further doubling of the
    kinds costs that factor again.
    """

    steps: tuple[int, ...]
    counts: tuple[int, ...]
    _laws: dict[int, Law] = field(default_factory=dict, repr=False)
    _halves: list["Urn"] = field(default_factory=list, repr=False)

    @property
    def size(self) -> int:
        return sum(self.counts)

    def law(self, draws: int) -> Law:
        """The total of so many draws."""
        if draws not in self._laws:
            if len(self._laws) >= KEPT:
                self._laws.clear()
            self._laws[draws] = self._fresh(draws)
        return self._laws[draws]

    def _fresh(self, draws: int) -> Law:
        kinds = [(step, count) for step, count in zip(self.steps, self.counts, strict=True) if count]
        if not kinds or draws == 0:
            return point(0)
        if len(kinds) == 1:
            return point(kinds[0][0] * draws)
        if len(kinds) == 2:
            (one, many), (other, rest) = kinds
            return spread(hypergeometric(rest, many, draws), other - one).shifted(one * draws)
        return self._split(draws, kinds)

    def _split(self, draws: int, kinds: Sequence[tuple[int, int]]) -> Law:
        first, second = self._parts(kinds)
        number = hypergeometric(first.size, second.size, draws)
        self._check(draws, kinds, len(number.mass))
        laws = [convolve(first.law(taken), second.law(draws - taken)) for taken in range(number.start, number.stop)]
        return averaged(number, laws)

    def _parts(self, kinds: Sequence[tuple[int, int]]) -> list["Urn"]:
        if not self._halves:
            ordered = sorted(kinds, key=lambda kind: -kind[1])
            parts = (ordered[:1], ordered[1:]) if len(kinds) == 3 else (ordered[::2], ordered[1::2])
            for part in parts:
                self._halves.append(Urn(tuple(step for step, _ in part), tuple(count for _, count in part)))
        return self._halves

    def _check(self, draws: int, kinds: Sequence[tuple[int, int]], width: int) -> None:
        """Three kinds: `width` laws are added up. More: so many convolutions, and again for each doubling."""
        reach = width * max(1, max(step for step, _ in kinds) - min(step for step, _ in kinds))
        doublings = (len(kinds) - 1).bit_length() - 1
        if width**doublings * reach * (reach if doublings > 1 or len(kinds) > 3 else 1) > MOST_WORK:
            raise InputError(
                f"The total of {draws} draws without replacement from {len(kinds)} kinds of members is too much to go "
                "through. Merge values, declare a coarser unit, or take the sample as drawn with a rate (rate=...)."
            )


def spread(law: Law, step: int) -> Law:
    """The law of `step` times the number; a negative step mirrors it."""
    if step < 0:
        return spread(law, -step).mirrored()
    mass, error = (np.zeros((len(law.mass) - 1) * step + 1) for _ in range(2))
    mass[::step], error[::step] = law.mass, law.error
    return Law(law.start * step, mass, error, law.tail)
