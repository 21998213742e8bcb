r"""Characteristic functions of other stretches of a Markov chain, whose sums are added: at the tilts and frequencies
of `chaintilt`.

Records that are known cut a chain into stretches, whose sums R_1, R_2, ... are independent given what is known. With
Q_t of `chaintilt`, p_t and z those of a stretch of m records,

$$ E[e^{(θ+it)R};\, \text{its end}] = λ^{m-1}\, p_t Q_t^{m-1} z, $$

so φ(t) = E e^{(θ+it)R} / E e^{θR} is a quotient of two such products, at t and at 0, both given the ends. Its absolute
value is at most 1, and all stretches together have the product of their φ.

*Rounding.* A product at t is off by at most s of the same product at t = 0, where all terms are positive
(`enclosure/matrices.py`); what is lost below the smallest floats is at most `SUNK` times what the vectors
may grow to, and counts in units of the product at t = 0. So φ is off by at most 2s + 4s², a power φ^c by c times
as much, and log E e^{θR} by 2s and what the logarithms lose.

*Frequencies left out* have a φ that is far below its error. There |p_t Q_t^{m-1} z| ≤ |p|_1 max z Π ‖Q_t^{2^k}‖ over
the binary digits of m - 1, in the norm of absolute row sums; the error of a square stays small beside the norm.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.matrices import SUNK, Powers, logs_of_products, product_slip, quotient_slips
from dalenius.enclosure.outward import HELD, add_up, bounds_up
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics.law import Floats

AT_ONCE = 2_000_000  # numbers that are kept at once
CLEAR = 1e-12  # and no more of a product than this


@final
@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """Stretches under one tilt."""

    moves: Floats  # Q
    firsts: Floats  # p, a row for each stretch
    lasts: Floats  # z
    lengths: NDArray[np.int64]  # records
    counts: NDArray[np.int64]  # how often each stretch comes
    slips: Floats  # relative error of a product at t = 0
    wholes: Floats  # the products at t = 0
    entry: float  # relative error of an entry of Q_t

    @classmethod
    def of(
        cls, moves: Floats, firsts: Floats, lasts: Floats, lengths: Sequence[int], counts: Sequence[int], entry: float
    ) -> "Beside":
        size, many = moves.shape[0], np.array(lengths, dtype=np.int64)
        wholes = _products(moves[None].astype(complex), firsts[None].astype(complex), lasts, many)[0].real
        slips = product_slip(many, entry, size)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            growth = np.exp(many * math.log(max(1.0, float(moves.sum(axis=1).max())))) * (1 + 2 * slips)
            sunk = SUNK * np.maximum(firsts.sum(axis=1), 1.0) * np.maximum(lasts.max(axis=1), 1.0) * growth**2 / wholes
        if not (sunk < CLEAR).all():
            raise InputError(
                "A chain with known records needs values that are not next to impossible beside each other, but some "
                "known values have nearly no chance given the others. Judge a shorter stretch of the chain."
            )
        return cls(moves, firsts, lasts, many, np.array(counts, dtype=np.int64), slips + 8 * sunk, wholes, entry)

    @property
    def slip(self) -> float:
        """The error of all φ together, and of the logarithm of all products at t = 0."""
        return math.expm1(bounds_up(float((self.counts * quotient_slips(self.slips)).sum())))

    def log_mean(self, log_scale: float) -> tuple[float, float]:
        """Log E[e^{θR}; the ends], of all stretches together, and its error."""
        found = logs_of_products(self.wholes, np.asarray(self.lengths - 1.0), self.counts.astype(float), log_scale)
        return float(found.middle), add_up(self.slip, float(found.radius))

    def factors(self, turns: Complexes) -> Complexes:
        """The product of all φ at each frequency, of which `turns` has e^{it c(b)} for each state."""
        found = np.empty(len(turns), dtype=complex)
        block = max(1, AT_ONCE // (len(self.counts) * self.moves.shape[0] + self.moves.size))
        for first in range(0, len(turns), block):
            part = turns[first : first + block]
            values = _products(self.moves * part[:, None, :], self.firsts * part[:, None, :], self.lasts, self.lengths)
            found[first : first + block] = _powers(values / self.wholes, self.counts).prod(axis=1)
        return found

    def most(self, turns: Complexes) -> Floats:
        """An upper bound on its size, by norms."""
        power, steps = Powers.of(self.moves * turns[:, None, :], self.entry), self.lengths - 1
        sizes = self.firsts.sum(axis=1) * self.lasts.max(axis=1) / self.wholes
        logs = np.log(np.maximum(sizes, HELD)) + 4 * self.slips + 2 * self.entry
        total = np.full(len(turns), float((self.counts * logs).sum()))
        while steps.any():
            total += float((self.counts * (steps & 1)).sum()) * np.log(power.most)
            power, steps = power.times(power), steps >> 1
        return np.asarray(bounds_up(np.exp(np.minimum(total, 0.0))))


def _products(moves: Complexes, firsts: Complexes, lasts: Floats, lengths: NDArray[np.int64]) -> Complexes:
    """First · Q^(length - 1) · last as [frequency, stretch]; the squares of Q are shared by all stretches."""
    rows, steps = firsts, lengths - 1
    while steps.any():
        odd = (steps & 1).astype(bool)
        if odd.any():
            rows = rows.copy()
            rows[:, odd] = rows[:, odd] @ moves
        steps = steps >> 1
        moves = moves @ moves if steps.any() else moves
    return np.asarray((rows * lasts).sum(axis=2))


def _powers(values: Complexes, counts: NDArray[np.int64]) -> Complexes:
    """Each column to its whole power, by squaring."""
    found, left = np.ones_like(values), counts.copy()
    while left.any():
        odd = (left & 1).astype(bool)
        found[:, odd] *= values[:, odd]
        left = left >> 1
        values = values * values if left.any() else values
    return found
