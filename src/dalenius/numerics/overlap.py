"""Fair coins inside records: how often a record is V + step · coin, and what so many coins hide, in closed form."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import LN_2, Balls
from dalenius.enclosure.outward import exp_up, lowered
from dalenius.numerics.law import Floats

Table: TypeAlias = tuple[tuple[Floats, Floats], ...]  # for each of `HOPS`, of two steps: rows are moves, columns types
WIDEST = 4096  # from the least value to the largest: beyond, coins of every step are not looked for
HOPS = (1, 2, 3, 4)  # in which a move may be made
STEEPEST = Fraction(20)  # an epsilon above it is taken as this one


def overlaps(values: NDArray[np.int64], chances: Floats, step: int) -> Floats:
    """For each row of chances, a weight with which a record is V + step · (a fair coin), V independent of the coin.

    Greedy from the left: m_k is as large as the masses at k (less what k - step took) and at k + step allow. Cost:
    range / step passes of `step` places each.
    """
    low, high = int(values[0]), int(values[-1])
    if step > high - low:
        return np.zeros(len(chances))
    blocks = (high - low) // step + 1
    masses = np.zeros((len(chances), (blocks + 1) * step))
    masses[:, values - low] = chances
    doubled = 2 * masses.reshape(len(chances), blocks + 1, step)
    taken, total = np.zeros((len(chances), step)), np.zeros(len(chances))
    for block in range(blocks):
        taken = np.maximum(0.0, np.minimum(doubled[:, block] - taken, doubled[:, block + 1]))
        total += taken.sum(axis=1)
    # a rounding for each sum; what is taken at a place may be too much by three, for chances and differences
    return np.minimum(lowered(total, high - low + 6), 1.0)


def overlap_table(values: NDArray[np.int64], chances: Floats, moves: tuple[int, ...]) -> Table | None:
    """The weights of coins for every move; None where the values are far apart."""
    if int(values[-1]) - int(values[0]) > WIDEST:
        return None
    return _table(values.tobytes(), chances.tobytes(), len(chances), moves)


@lru_cache(maxsize=64)
def _table(values: bytes, chances: bytes, types: int, moves: tuple[int, ...]) -> Table:
    """Remembered: it is the same for any number of records."""
    ascending, rows = np.frombuffer(values, dtype=np.int64), np.frombuffer(chances).reshape(types, -1)
    return table_of(lambda step: overlaps(ascending, rows, step), moves, types)


def table_of(weights: Callable[[int], Floats], moves: tuple[int, ...], types: int) -> Table:
    """For each number of hops, the weights of their shorter and of their longer step, one row a move; zeros where a
    move is shorter than its hops are many.
    """
    steps = {move // hops + more for hops in HOPS for move in moves if move >= hops for more in (0, 1)}
    found = {step: weights(step) for step in steps}
    nothing = np.zeros(types)

    def rows(hops: int, *, up: bool) -> Floats:
        return np.array(
            [found[-(-move // hops) if up else move // hops] if move >= hops else nothing for move in moves]
        )

    return tuple((rows(hops, up=False), rows(hops, up=True)) for hops in HOPS)


def coin_bound(table: Table, counts: NDArray[np.int64], removed: int, epsilon: Fraction) -> float:
    r"""A bound on δ of an exact total when a record makes any of several moves, by a table of `table_of`. The worst
    `removed` records are taken out.

    First a move of one step. Reveal all but the coins of that step. Then K coins are left, and δ is that of
    B = Bin(K, 1/2) against B + 1. Their masses have the ratio k / (K - k + 1) at k, which exceeds e^ε where
    k > (K + 1) p, p = e^ε / (1 + e^ε). By Chernoff's bound at tilt ε the chance of that is at most

    $$ e^{\epsilon (1 - p)} e^{-\kappa K}, \quad \kappa = \log 2 + p \log p + (1 - p) \log(1 - p), $$

    and so it is the other way round, by symmetry. The mean over K is the product over the records of 1 - w (1 - e^-κ).

    Then a move in j hops of ε/j each, of as equal steps as there are. One after the other they make at most j times
    e^(ε (j - 1) / j) times the largest of their δ. Each move is judged by its best j. Cost O(moves · types), whatever
    the counts.
    """
    each = [
        np.maximum(*(_exponents(weights, counts, removed, epsilon / hops, hops) for weights in pair))
        for pair, hops in zip(table, HOPS, strict=True)
    ]
    worst = float(np.min(each, axis=0).max())
    return min(1.0, exp_up(worst))


def fair_coins(weights: Floats, counts: NDArray[np.int64], removed: int, epsilon: Fraction) -> Floats:
    """The same bound for moves of one step each: rows are moves, columns types of records, with their weights of fair
    coins.
    """
    exponents = _exponents(weights, counts, removed, epsilon, 1)
    return np.minimum(1.0, Balls.of(np.minimum(exponents, 1.0)).exp().upper)


def _exponents(weights: Floats, counts: NDArray[np.int64], removed: int, epsilon: Fraction, hops: int) -> Floats:
    """The logarithm of the bound for each move, with ε/j given, from above: with a smaller κ it is larger."""
    at = Balls.of(min(epsilon, STEEPEST))
    p, rest = 1 / ((-at).exp() + 1), 1 / (at.exp() + 1)
    kappa = np.maximum(0.0, (LN_2 + p * p.log() + rest * rest.log()).lower)
    order = np.argsort(-weights, axis=1)
    sorted_counts = counts[order]
    before = np.cumsum(sorted_counts, axis=1) - sorted_counts
    left = sorted_counts - np.clip(removed - before, 0, sorted_counts)
    logs = (Balls.of(-kappa).expm1() * np.take_along_axis(weights, order, axis=1)).log1p()
    return np.asarray((Balls.of(hops).log() + at * (hops - p) + (logs * left).sum(axis=1)).upper)
