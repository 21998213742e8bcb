r"""Conditional laws of the sum of a long Markov chain, given each state of every record: laws for some records, and
others that cover all between them.

The interior has one law for each residue of the place by the period (`chainspectrum`). Near the ends G_i is computed
for each record at the few frequencies that matter. In a block of records i_0 < ... < i_1 that are a multiple of the
period apart, let g be G divided by P(X_i = a): a mass lies within Σ_t |g_i - line(g_{i_0}, g_{i_1})| / length of the
line between the masses at the two ends of the block, hence between the lesser and the larger of them up to that. So one
`Law` whose error reaches from the least to the largest mass covers the whole block, or several blocks.

Which states are possible is read from the moves, never from numbers that may be too small to be seen. Of a state that
is possible with a chance below `RARE` nothing is said but that it has a law: any law.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.matrices import chain_scale, inverse_slip
from dalenius.enclosure.outward import HELD, add_up, bounds_up
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics.chain import MarkovChain
from dalenius.numerics.chainspectrum import ChainRecords, Points, classes, ends, interior, possible
from dalenius.numerics.chaintilt import FAINT, chances, rungs, turns, unlikely
from dalenius.numerics.law import Floats, Law

SMALL = 1e-300  # a scale below this has lost its precision
RARE = 1e-250  # states of a lower chance are not looked into
FORGOTTEN = 1e-12  # what w steps may remember
LONGEST_MEMORY = 40_000
MOST_NUMBERS = 30_000_000
TABLE = 20_000_000  # frequencies times integers that are inverted at once
FLOORS = (1e-22, 1e-16, 1e-12, 1e-9)  # mass that may be left out at each end
STRAIGHT = 0.06  # a block may be off its line by so much of what it is away from the interior
FINER = 15  # so many times less where laws are short
SINGLES = 48  # and up to so many records at each end by themselves
BESIDE = 20  # times as many in stretches beside known records
LONG = 40_000  # integers from which on a law is long
FLAT = 1e-8  # or by so much of everything
CHUNK = 16  # blocks that one law covers
HARDLY = 0.5  # a relative error r up to which 1 / (1 - r) is at most 1 + 2r; beyond, masses may be anything


@final
@dataclass(frozen=True, slots=True, eq=False)
class ChainWorlds:
    """Laws for groups of records: [group][state], None where the state is impossible; each covers all of its group."""

    groups: tuple[range, ...]  # the records of each group
    laws: tuple[tuple[Law | None, ...], ...]


def worlds(chain: MarkovChain) -> ChainWorlds:
    """Laws that cover every record of the chain given each of its states. Cost about O(log n) products a frequency,
    plus the memory of the chain and the window's length.
    """
    if unlikely(chain) and (chain.end or chain.beside):
        raise InputError(
            f"A long chain with known records needs chances of at least {FAINT:g} or 0, but some are between. "
            "Write 0 for what cannot happen, or judge a shorter stretch of the chain."
        )
    period, cyclic = classes(chain)
    memory, turning = _memory(chain, period)
    points, outside = _affordable(chain, min(2 * memory, chain.n))
    if 2 * memory + 2 * period < chain.n:
        records = [*ends(chain, points, memory, memory), interior(chain, points, period, cyclic, memory)]
    else:
        records = ends(chain, points, (chain.n + 1) // 2, chain.n // 2)
    groups, least = [], 1.0
    for part in records:
        chance, loose = _chances(part, points)
        may, sure = possible(chain, period, cyclic, part.places), loose <= chance / 4
        if (chance[~sure] >= RARE).any() and not unlikely(chain):
            raise InputError(
                f"A chain that is nearly periodic or falls nearly apart remembers more than {memory} records, which is "
                "too much to go through. Judge a shorter stretch of the chain."
            )
        sure &= chance >= RARE
        known = np.where(sure, chance, 1.0)
        least, doubt = min(least, float(known.min())), float((np.where(sure, loose, 0.0) / known).max())
        finer = BESIDE if chain.end or chain.beside else 1  # beside a known record there are the worst targets
        for blocks in _groups(part, known, may, points, turning, finer):
            rare = ~sure[[place for block in blocks for place in block]].all(axis=0)
            groups.append(_Group(part, known, may[blocks[0][0]], np.asarray(rare), blocks, doubt))
    least *= 0.7  # the chances may be off by a quarter
    laws = _laws(chain, points, groups, outside, least)
    return ChainWorlds(tuple(group.records for group in groups), laws)


def _affordable(chain: MarkovChain, records: int) -> tuple[Points, float]:
    """The frequencies of as many rungs as can be gone through; what is beyond them is charged."""
    for floor in FLOORS:
        found = rungs(chain, floor, MOST_NUMBERS // (records * chain.size))
        if found is not None:
            return Points.of(chain, found[0]), found[1]
    raise InputError(
        f"A chain of {chain.n} records that remembers {records // 2} of them on each side is too much to go through. "
        "Declare a coarser unit or fewer values, or judge a shorter stretch of the chain."
    )


def _memory(chain: MarkovChain, period: int) -> tuple[int, int]:
    """After how many steps (a multiple of the period) the start is forgotten, and the stride in which records near the
    ends change smoothly. Roughly: all that must hold is that every state of a class can follow every other by then,
    for which (states - 1)² + 1 rounds suffice (Wielandt).
    """
    rounds = (chain.size - 1) ** 2 + 2
    sizes = np.linalg.eigvals(np.linalg.matrix_power(chances(chain)[1], period))
    sizes = sizes[np.argsort(-np.abs(sizes))][period:]
    second = complex(sizes[0]) if len(sizes) else 0j
    if abs(second) < 1e-12:
        return period * rounds, period
    rate = max(-math.log(abs(second)), 1e-9) if abs(second) < 1 else 1e-9
    steps = min(math.ceil(-math.log(FORGOTTEN) / rate), LONGEST_MEMORY)
    return max(steps, rounds) * period, period * (2 if second.real < 0 else 1)


def _chances(part: ChainRecords, points: Points) -> tuple[Floats, Floats]:
    """P(X_i = a), computed without a tilt, and what it may be off beside rounding."""
    at = points.starts[points.centre]
    return np.asarray(part.values[at].real), np.asarray(part.loose[at])


Block = tuple[int, ...]  # places in a part, at a constant stride: the law is known at the first and at the last


def _groups(
    part: ChainRecords, known: Floats, may: NDArray[np.bool_], points: Points, stride: int, finer: int
) -> Iterator[Sequence[Block]]:
    """The blocks of a part, in groups that one law each will cover."""
    count = len(part.places)
    if part.until or count <= 4 * stride:
        yield from ([(place,)] for place in range(count))
        return
    at_left = part.places[0] == 1
    order = np.arange(count) if at_left else np.arange(count)[::-1]
    same = (may[order[stride:]] == may[order[:-stride]]).all(axis=1)
    ragged = int(np.flatnonzero(~same).max()) + 1 if not same.all() else 0
    long = points.span > LONG
    singles = min(count, max(ragged, stride, min(SINGLES, finer * LONG // (5 * points.span))))
    yield from ([(int(place),)] for place in order[:singles])
    kept = points.of_rung(points.centre)
    weights = points.rungs[points.centre].weights
    relative = part.values[kept] / known
    for offset in range(stride):
        line = order[singles + offset :: stride]
        if not len(line):
            continue
        values = relative[:, line]
        away = (weights[:, None, None] * np.abs(values - values[:, -1:])).sum(axis=0).max(axis=1)
        scale = float((weights[:, None] * np.abs(values[:, -1])).sum(axis=0).max())
        allowed = (STRAIGHT if long else STRAIGHT / FINER) * away + FLAT * scale
        blocks = [tuple(line[a : b + 1].tolist()) for a, b in _cuts(values, weights, allowed, 0, len(line) - 1)]
        chunk = CHUNK if long else CHUNK // 4
        yield from (blocks[at : at + chunk] for at in range(0, len(blocks), chunk))


def _cuts(values: Complexes, weights: Floats, allowed: Floats, first: int, last: int) -> list[tuple[int, int]]:
    """Blocks that are straight enough, by halving."""
    if last - first <= 1:
        return [(first, last)]
    if float(_bend(values[:, first : last + 1], weights).max()) <= allowed[last]:
        return [(first, last)]
    middle = (first + last) // 2
    return [*_cuts(values, weights, allowed, first, middle), *_cuts(values, weights, allowed, middle, last)]


def _bend(values: Complexes, weights: Floats) -> Floats:
    """For each state, how far a record's masses may be off the line between the first and the last record's."""
    share = np.linspace(0, 1, values.shape[1])[:, None]
    line = values[:, :1] + share * (values[:, -1:] - values[:, :1])
    return np.asarray((weights[:, None, None] * np.abs(values - line)).sum(axis=0).max(axis=0))


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Blocks of records that one law for each state covers."""

    part: ChainRecords
    chance: Floats  # P(X_i = a) of the records of the part; 1 where it is 0 or next to it
    possible: NDArray[np.bool_]  # which states
    rare: NDArray[np.bool_]  # those of next to no chance at some record
    blocks: Sequence[Block]
    doubt: float  # the relative error of the chances, beside rounding: at most a quarter

    @property
    def nodes(self) -> list[int]:
        return sorted({place for block in self.blocks for place in (block[0], block[-1])})

    @property
    def records(self) -> range:
        """Which records the group stands for."""
        if self.part.until:
            first = int(self.part.places[self.blocks[0][0]])
            return range(first, self.part.until + 1, len(self.part.places))
        flat = sorted({int(self.part.places[place]) for block in self.blocks for place in block})
        return range(flat[0], flat[-1] + 1, flat[1] - flat[0] if len(flat) > 1 else 1)


def _laws(
    chain: MarkovChain, points: Points, groups: list[_Group], outside: float, least: float
) -> tuple[tuple[Law | None, ...], ...]:
    """One law for each group and state, rung by rung."""
    faint = bounds_up(unlikely(chain) / least)
    tail, start = add_up(bounds_up(outside / least), faint), points.rungs[0].first
    anything = Law(start, np.zeros(points.span), np.ones(points.span), 1.0)
    lowers: list[list[Floats]] = [[] for _ in groups]
    uppers: list[list[Floats]] = [[] for _ in groups]
    for number, rung in enumerate(points.rungs):
        for first in range(rung.first, rung.last + 1, max(1, TABLE // len(rung.kept))):
            last = min(rung.last, first + max(1, TABLE // len(rung.kept)) - 1)
            part = _OnRung.of(chain, points, number, least, np.arange(first, last + 1))
            for place, group in enumerate(groups):
                lower, upper = part.masses(group)
                lowers[place].append(lower)
                uppers[place].append(upper)
    found = []
    for group, lower_parts, upper_parts in zip(groups, lowers, uppers, strict=True):
        lower, upper = np.concatenate(lower_parts, axis=1), np.concatenate(upper_parts, axis=1)
        masses = Balls.between(lower, upper).widened(HELD + faint)
        known = [anything if group.rare[a] else Law.enclosing(start, masses[a], tail) for a in range(chain.size)]
        found.append(tuple(law if may else None for law, may in zip(known, group.possible, strict=True)))
    return tuple(found)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _OnRung:
    """The inverse transform of one rung, at some of its integers."""

    where: slice
    weights: Floats
    table: Floats  # cos tk for each frequency, then sin tk
    scale: Floats  # λ^{n-1} e^{-θk}
    relative: float  # its relative error, and that of the chance of a state
    slip: float
    outside: float  # frequencies left out and mass folded in

    @classmethod
    def of(cls, chain: MarkovChain, points: Points, number: int, least: float, k: NDArray[np.int64]) -> "_OnRung":
        rung, where = points.rungs[number], points.of_rung(number)
        tilt = rung.tilt
        scale, relative = chain_scale(chain.n - 1, tilt.log_scale, tilt.log_beside, tilt.theta, k, rung.last)
        relative = bounds_up(relative + float(points.slip.max()) + math.expm1(tilt.off))
        outside = (rung.dropped / rung.length + rung.alias + 8 * float(points.sunk[where].max())) / least
        turned = turns(rung.kept, k, rung.length)
        table = np.concatenate([turned.real, turned.imag])
        slip = float(points.slip[where][0])
        return cls(where, rung.weights, table, scale, relative, slip, outside)

    def masses(self, group: _Group) -> tuple[Floats, Floats]:
        """The least and the largest mass at each integer, for each state, over all records of the group."""
        nodes, relative = group.nodes, bounds_up(self.relative + group.doubt)
        if not relative <= HARDLY:
            shape = group.chance.shape[-1], len(self.scale)
            return np.zeros(shape), np.ones(shape)
        values = group.part.values[self.where][:, nodes] / group.chance[nodes]
        loose = group.part.loose[self.where][:, nodes] / group.chance[nodes]
        masses = self._inverted(values)
        errors = (self.weights[:, None, None] * (np.abs(values) * self._units + loose)).sum(axis=0)
        errors += self.weights.sum() * self.slip * np.abs(values[0]) + self.outside
        at = {node: place for place, node in enumerate(nodes)}
        least, most = np.full(masses.shape[1:], np.inf), np.zeros(masses.shape[1:])
        for block in group.blocks:
            one, two = at[block[0]], at[block[-1]]
            off = bounds_up(np.maximum(errors[one], errors[two]) + self._off(group, block))[:, None]
            np.maximum(most, np.maximum(masses[one], masses[two]) + off, out=most)
            np.minimum(least, np.minimum(masses[one], masses[two]) - off, out=least)
        with np.errstate(invalid="ignore", over="ignore"):
            lower = least * np.where(self.scale < SMALL, 0.0, self.scale) * (1 - relative)
            upper = most * np.maximum(self.scale, SMALL) * (1 + 2 * relative)
        return np.fmax(lower, 0.0), np.fmin(upper, 1.0)  # what is no number is anything

    def _off(self, group: _Group, block: Block) -> Floats | float:
        """How far the records of a block may be off the line between its ends, for each state."""
        if len(block) <= 2:
            return 0.0
        values = group.part.values[self.where][:, list(block)] / group.chance[list(block)]
        rounding = 2 * self.weights.sum() * (self.slip + self._units) * np.abs(values[0]).max(axis=0)
        return np.asarray(_bend(values, self.weights) * (1 + self._units) + rounding)

    @property
    def _units(self) -> float:
        """The relative error of a sum over the frequencies, and of its terms."""
        return inverse_slip(len(self.weights))

    def _inverted(self, values: Complexes) -> Floats:
        """Masses as [node, state, integer], relative to the scale."""
        _, nodes, states = values.shape
        scaled = (self.weights[:, None] * values.reshape(len(values), -1)).T
        return (np.hstack([scaled.real, scaled.imag]) @ self.table).reshape(nodes, states, -1)
