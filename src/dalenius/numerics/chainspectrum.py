r"""Spectra of a long Markov chain, of rank nearly one, at a few frequencies: what each record's state has to do with
the sum.

With Q_t, p_t and z of `chaintilt`, let G_i(a) = (p_t Q_t^{i-1})_a (Q_t^{n-i} z)_a.

*The interior.* Let d be the period, C_0, ..., C_{d-1} the cyclic classes, w a multiple of d. Q_t^w maps each class to
itself; write its block on C_r as x_r y_rᵀ + E_r, which is nearly of rank one once w steps forget where they began.
For w < i ≤ n - w and a in C_r, with i - 1 = j + w and n - i = l + w,

$$ G_i(a) = x_r(a) y_r(a)\; p_t Q_t^j x_r\, y_r^T Q_t^l z + \ldots
          = x_r(a) y_r(a)\; (p_t Π_s) Q_t^{n-1-w} z + \ldots, \qquad s = r - (i - 1) \bmod d, $$

since a path that is in C_r at time i began in C_s, whatever i. The rest has E_r in every term: it is bounded by
|p|_1 max z times |x y|(a) Σ|E| + Σ_b |E(b, a)| + max|x| |y(a)| Σ_b |E(a, b)|. So d laws stand for all records of the
interior, whatever the spectrum of Q_t is: E_r is computed, not assumed to be small.

*Rounding.* Each product adds to the relative error of an entry, measured by the same entry at t = 0, where all terms
are positive (`enclosure/matrices.py`). What falls below the smallest floats is lost as it is: at most 5e-324 an entry
and a product, four of them in a complex one. In the norm of absolute row sums losses add up, with g the largest norm
of a power of |Q|: a power of Q_t is off by at most 20 n states² g 5e-324 ≤ `SUNK` g, and G by at most max(|p|_1, 1)
max(z, 1) g² `SUNK`, and a few times that.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.matrices import SUNK, nearly_rank_one, product_slip
from dalenius.enclosure.outward import bounds_up
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics.chain import MarkovChain
from dalenius.numerics.chaintilt import ChainRung, entry_of
from dalenius.numerics.law import Floats

LEAST = 1.0  # what is lost in a product is no less where |p|_1 or z is small


def connected(chain: MarkovChain) -> bool:
    """Whether all states can be reached from each other."""
    reached = np.array(
        [[chance > 0 or one == two for two, chance in enumerate(row)] for one, row in enumerate(chain.moves)]
    )
    for _ in range(chain.size.bit_length()):
        reached = (reached.astype(int) @ reached.astype(int)) > 0
    return bool(reached.all())


def classes(chain: MarkovChain) -> tuple[int, NDArray[np.int64]]:
    """The period of an irreducible chain, and the cyclic class of each state.

    Refuses a chain in which some value cannot be reached from another one.
    """
    arrows = np.array([[bool(chance) for chance in row] for row in chain.moves])
    level, period, waiting = {0: 0}, 0, [0]
    while waiting:
        one = waiting.pop()
        for two in np.flatnonzero(arrows[one]).tolist():
            if two in level:
                period = math.gcd(period, level[one] + 1 - level[two])
            else:
                level[two] = level[one] + 1
                waiting.append(two)
    if not connected(chain):
        raise InputError(
            "A chain of this many records needs values that can all be reached from each other, but some cannot. "
            "Leave out the values that die out, judge the parts that fall apart one by one, or use fewer records."
        )
    return period, np.array([level[state] % period for state in range(chain.size)])


def possible(
    chain: MarkovChain, period: int, cyclic: NDArray[np.int64], places: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which states the records at these places may have, as [place, state]: no chance is so small that it is none.
    If there is an end, those from which it can be reached.
    """
    ahead = _ahead(chain, period, cyclic, places)
    if not chain.end:
        return ahead
    return ahead & _ahead(chain.backwards, period, -cyclic % period, chain.n + 1 - places)


def _ahead(chain: MarkovChain, period: int, cyclic: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which states can be reached from the first record's.

    From some place on, these are all states of the classes that the first record's lead to: for at most about
    period · states² places they are followed one by one.
    """
    arrows = np.array([[bool(chance) for chance in row] for row in chain.moves])
    now = np.array([bool(chance) for chance in chain.start])
    every = np.array([np.isin((cyclic - step) % period, cyclic[now]) for step in range(period)])
    early: list[NDArray[np.bool_]] = []
    while len(early) < chain.n and (now != every[len(early) % period]).any():
        early.append(now)
        now = arrows[now].any(axis=0)
    found = every[(places - 1) % period]
    for row in np.flatnonzero(places <= len(early)):
        found[row] = early[places[row] - 1]
    return np.asarray(found)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """All kept frequencies of all rungs, one after the other."""

    moves: Complexes  # Q_t, [point, state, state]
    first: Complexes  # p_t
    last: Complexes  # z
    starts: NDArray[np.int64]  # where each rung's frequencies begin; the first of them is t = 0
    rungs: Sequence[ChainRung]
    slip: Floats  # the relative error of G at each point, of G at t = 0
    growth: Floats  # how much longer a vector may get in n steps: rows of Q sum to one only up to rounding
    sunk: Floats  # and what G has lost below the smallest floats

    @classmethod
    def of(cls, chain: MarkovChain, found: Sequence[ChainRung]) -> "Points":
        turned = [rung.turned(chain.adds) for rung in found]
        moves = [rung.tilt.moves * turn[:, None, :] for rung, turn in zip(found, turned, strict=True)]
        first = [
            rung.tilt.first * turn * (1.0 if rung.factors is None else rung.factors[:, None])
            for rung, turn in zip(found, turned, strict=True)
        ]
        last = [
            np.broadcast_to(rung.tilt.last.astype(complex), turn.shape)
            for rung, turn in zip(found, turned, strict=True)
        ]
        slips = [np.full(len(turn), _slip(chain, rung)) for rung, turn in zip(found, turned, strict=True)]
        starts = np.cumsum([0] + [len(turn) for turn in turned])
        joined = [np.concatenate(part) for part in (moves, first, last, slips)]
        most = np.abs(joined[0]).sum(axis=2).max(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            growth = np.exp(chain.n * np.log(np.maximum(most, 1.0))) * (1 + 2 * joined[3])
            begun = np.maximum(np.abs(joined[1]).sum(axis=1), LEAST)
            sunk = SUNK * begun * np.maximum(np.abs(joined[2]).max(axis=1), LEAST) * growth**2
        return cls(joined[0], joined[1], joined[2], starts, found, joined[3], growth, sunk)

    def of_rung(self, rung: int) -> slice:
        return slice(int(self.starts[rung]), int(self.starts[rung + 1]))

    @property
    def zeros(self) -> NDArray[np.int64]:
        """For each point the point t = 0 of its rung."""
        return np.repeat(self.starts[:-1], np.diff(self.starts))

    @property
    def span(self) -> int:
        """How many integers the rungs answer for."""
        return self.rungs[-1].last - self.rungs[0].first + 1

    @property
    def centre(self) -> int:
        """The rung without a tilt."""
        return next(place for place, rung in enumerate(self.rungs) if rung.tilt.theta == 0)


def _slip(chain: MarkovChain, rung: ChainRung) -> float:
    """The relative error of G on a rung: of its own product, and of what stretches beside the chain multiply it by."""
    own = float(product_slip(chain.n, entry_of(chain, rung.tilt.theta), chain.size))
    return bounds_up(own if rung.tilt.beside is None else own + rung.tilt.beside.slip * (1 + own))


def _power(matrices: Complexes, count: int) -> Complexes:
    result: Complexes = np.broadcast_to(np.eye(matrices.shape[1], dtype=complex), matrices.shape)
    while count:
        if count & 1:
            result = result @ matrices
        count >>= 1
        if count:
            matrices = matrices @ matrices
    return result


def _rows(first: Complexes, matrices: Complexes, count: int) -> Complexes:
    """The rows first · Q^r for r = 0, ..., count - 1, as [point, r, state]; in about √count products."""
    size = matrices.shape[1]
    block = math.isqrt(max(count - 1, 0)) + 1
    small = [np.broadcast_to(np.eye(size, dtype=complex), matrices.shape)]
    for _ in range(block - 1):
        small.append(small[-1] @ matrices)
    big, rows = small[-1] @ matrices, [first]
    for _ in range(-(-count // block) - 1):
        rows.append((rows[-1][:, None, :] @ big)[:, 0])
    wide = np.stack(small, axis=2).reshape(len(matrices), size, -1)  # [point, from, step * to]
    return np.asarray((np.stack(rows, axis=1) @ wide).reshape(len(matrices), -1, size)[:, :count])


@final
@dataclass(frozen=True, slots=True, eq=False)
class ChainRecords:
    """G of some records, as [point, record, state], with what it may be off beside rounding."""

    places: NDArray[np.int64]  # i, from 1 up; for the interior one record for each residue of i - 1
    values: Complexes
    loose: Floats
    until: int = 0  # the last record of the interior


def ends(chain: MarkovChain, points: Points, left: int, right: int) -> list[ChainRecords]:
    """G of the first `left` and of the last `right` records, one by one."""
    back = np.swapaxes(points.moves, 1, 2)
    found = []
    if left:
        far = (_power(points.moves, chain.n - left) @ points.last[:, :, None])[:, :, 0]
        values = _rows(points.first, points.moves, left) * _rows(far, back, left)[:, ::-1]
        found.append(ChainRecords(np.arange(1, left + 1), values, np.zeros(values.shape)))
    if right:
        far = (points.first[:, None, :] @ _power(points.moves, chain.n - right))[:, 0]
        values = _rows(far, points.moves, right) * _rows(points.last, back, right)[:, ::-1]
        found.append(ChainRecords(np.arange(chain.n - right + 1, chain.n + 1), values, np.zeros(values.shape)))
    return found


def interior(chain: MarkovChain, points: Points, period: int, cyclic: NDArray[np.int64], memory: int) -> ChainRecords:
    """G of all records more than `memory` from both ends: one for each residue of i - 1 by the period."""
    if not (points.growth < 2).all():
        raise InputError(
            "A chain of this many records is too uneven to be tilted. Judge a shorter stretch of the chain."
        )
    count, size = len(points.slip), chain.size
    whole, rest = _power(points.moves, memory), _power(points.moves, chain.n - 1 - memory)
    far = (rest @ points.last[:, :, None])[:, :, 0]
    values, loose = np.zeros((count, period, size), dtype=complex), np.zeros((count, period, size))
    mass = np.abs(points.first).sum(axis=1) * np.abs(points.last).max(axis=1) * points.growth
    for r in range(period):
        states = np.flatnonzero(cyclic == r)
        block = whole[:, states[:, None], states]
        x, y, e = nearly_rank_one(block, np.abs(block[points.zeros]), points.slip * (memory / chain.n))
        product = np.abs(x * y)
        bad = product * e.sum(axis=(1, 2))[:, None] + e.sum(axis=1)
        bad += np.abs(x).max(axis=1)[:, None] * np.abs(y) * e.sum(axis=2)
        for s in range(period):
            began = np.flatnonzero(cyclic == s)
            if not any(chain.start[state] for state in began):
                continue
            whole_sum = (points.first[:, began] * far[:, began]).sum(axis=1)
            residue = (r - s) % period
            values[:, residue, states] = x * y * whole_sum[:, None]
            rounding = points.slip[:, None] * product * np.abs(whole_sum[points.zeros])[:, None]
            loose[:, residue, states] = bad * mass[:, None] + rounding
    # the first of the interior is record memory + 1, and memory is a multiple of the period
    return ChainRecords(memory + 1 + np.arange(period), values, loose, chain.n - memory)
