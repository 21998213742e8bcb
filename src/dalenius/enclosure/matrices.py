r"""Long products of matrices Q_t whose entries are those of a positive matrix Q, turned: chains at their frequencies.

**Entries** (`entry_slip`). An entry is a chance, times an exponential of a tilt times what a state adds, times and over
what makes rows sum to about one, turned: 2 `LIBM` + 32 units, and 2 for each unit of the exponent.

**Products** (`product_slip`). |fl(p Q_t^n z) - p Q_t^n z| is at most n (entry + (2 states + 8) u), as a power, of the
same product at t = 0, where all terms are positive: complex products are added in two steps, a sum of `states` terms
errs by as many units, a product by `COMPLEX`. Of two matrices in the norm of absolute row sums (`square_slip`): 2
(states + 6) units of the product of the norms.

**Powers** (`Powers`). With B known within e, in that norm, B C is within e (‖C‖ + f) + ‖B‖ (f + s ‖C‖), for C within f
and s the loss of a product. Norms are raised by s as well, and by what products of small entries may lose: `LOST`.

**Blocks of rank nearly one** (`nearly_rank_one`). A block B with a largest entry B_ij is x yᵀ + E, x = B_·j / B_ij and
y = B_i·. E is what is left of B, computed; an entry of B errs by `slip` of that at t = 0, and x, y and their product
by 8 units of it. What is lost below the smallest floats is `SUNK` for B and as much for the product.

**Sums over frequencies** (`inverse_slip`). A mass is Σ_j w_j (Re v_j cos t_j k - Im v_j sin t_j k), one product of
matrices of 2n terms: 2n units; a cosine errs by `LIBM` and by a product of up to 2π times a unit and the quotient,
whole turns being taken off in whole numbers; w_j v_j by two more.
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Balls, Floats
from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.enclosure.transforms import Complexes

LOST = 1e-290  # what products of small entries may lose
SUNK = 1e-300  # what may be lost below the smallest floats, relative to the largest numbers


def entry_slip(exponent: float) -> float:
    """How far an entry may be off relatively, the largest exponent of the tilt being this."""
    return (2 * LIBM + 32 + 2 * exponent) * UNIT


def product_slip(count: int | NDArray[np.int64], entry: float, states: int) -> Floats:
    """How far a product of so many matrices, between two vectors, may be off, of the same product at t = 0."""
    return np.asarray(np.expm1(count * (entry + (2 * states + 8) * UNIT)))


def quotient_slips(slips: Floats) -> Floats:
    """How far a quotient of two products may be off, both by their slip relative to the larger one, which is below it;
    and what the quotient, a power of it and a product of such lose.
    """
    return 2 * slips + 4 * slips**2 + 8 * UNIT


def square_slip(states: int) -> float:
    """How far a product of two matrices may be off, in the norm of absolute row sums."""
    return 2 * (states + 6) * UNIT


def norms(matrices: Complexes, product: float) -> Floats:
    """The largest sum of sizes in a row, from above."""
    return np.asarray(np.abs(matrices).sum(axis=2).max(axis=1)) * (1 + product) + LOST


@final
@dataclass(frozen=True, slots=True, eq=False)
class Powers:
    """A power of Q_t at each of many frequencies: as computed, its norm from above, and how far it is off in norm."""

    matrices: Complexes
    norms: Floats
    errors: Floats
    product: float  # what a product loses

    @classmethod
    def of(cls, matrices: Complexes, entry: float) -> "Powers":
        """Matrices whose entries are within `entry` relatively of those at t = 0, of which rows sum to about one."""
        product = square_slip(matrices.shape[1])
        size = norms(matrices, product)
        return cls(matrices, size, 2 * size * entry, product)

    @property
    def most(self) -> Floats:
        """The norm of what is meant, from above."""
        return self.norms + self.errors

    def only(self, kept: NDArray[np.bool_]) -> "Powers":
        """At these frequencies."""
        return Powers(self.matrices[kept], self.norms[kept], self.errors[kept], self.product)

    def times(self, other: "Powers") -> "Powers":
        """The product with another one at the same frequencies."""
        errors = self.errors * (other.norms + other.errors) + self.norms * (other.errors + self.product * other.norms)
        found = self.matrices @ other.matrices
        return Powers(found, norms(found, self.product), errors, self.product)

    def largest_split(self, pieces: int) -> Floats:
        """The largest ‖B^j‖ ‖B^(pieces - j)‖ over all j."""
        power, table = self, [np.ones(len(self.matrices)), self.most]
        for _ in range(pieces - 1):
            power = power.times(self)
            table.append(power.most)
        stacked = np.stack(table[: max(pieces, 0) + 1])
        return np.asarray((stacked * stacked[::-1]).max(axis=0))


def nearly_rank_one(block: Complexes, plain: Floats, slip: Floats) -> tuple[Complexes, Complexes, Floats]:
    """Blocks as x yᵀ and a rest of at most these sizes; `plain` are the sizes at t = 0, of which a block may be off by
    `slip`.
    """
    every, (rows, columns) = np.arange(len(block)), block.shape[1:]
    pivot = np.abs(block).reshape(len(block), -1).argmax(axis=1)
    row, column = np.unravel_index(pivot, (rows, columns))
    x, y = block[every, :, column] / block[every, row, column][:, None], block[every, row, :]
    rest = np.abs(block - x[:, :, None] * y[:, None, :]) + plain * (slip[:, None, None] + 8 * UNIT) + 2 * SUNK
    return x, y, rest


def logs_of_products(wholes: Floats, lengths: Floats, counts: Floats, log_scale: float) -> Balls:
    """Σ counts (lengths log λ + ln whole), for a log λ that was computed as one logarithm."""
    logs = np.log(wholes)
    parts = counts * (lengths * log_scale + logs)
    size = (counts * (lengths * abs(log_scale) + np.abs(logs))).sum()
    return Balls.within(np.asarray(parts.sum()), (LIBM + 8 + len(parts)) * UNIT * float(size))


def log_growth(steps: int, most: float, begin: float, entry: float, states: int) -> float:
    """`steps` times log `most`, and log `begin`, from above, where both were made of entries that are off by `entry`
    and of sums over states.
    """
    found = steps * math.log(most) + math.log(begin)
    each = entry + (states + LIBM * (1 + abs(math.log(most)))) * UNIT
    return found + 2 * (steps + 1) * each + 8 * UNIT * abs(found)


def sum_up_logs(first: float, second: float, error: float) -> float:
    """The sum of two logarithms, the second of which may be off, from above."""
    return (first + second + error) + 4 * UNIT * (abs(first) + abs(second))


def chain_scale(
    steps: int, log_scale: float, beside: float, theta: float, places: NDArray[np.int64], furthest: int
) -> tuple[Floats, float]:
    """λ^steps e^(beside - θ k) at each place k, up to the furthest, and its relative error, λ being known by a computed
    logarithm: `LIBM` and 8 units of the exponent's terms, and the exponential.
    """
    exponent = steps * log_scale + beside - theta * places
    size = float(np.abs(exponent).max()) + 2 * abs(theta) * max(furthest, 1)
    relative = ((LIBM + 8) * size + 4 * LIBM) * UNIT + math.expm1((LIBM + 12) * UNIT * abs(beside))
    return np.exp(exponent), relative


def inverse_slip(frequencies: int) -> float:
    """How far a sum over so many frequencies may be off, of the sum of sizes."""
    return (2 * frequencies + 2 * LIBM + 40) * UNIT
