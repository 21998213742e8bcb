r"""Markov quilts: how far the neighbours of a record must be taken with it, so that the rest hardly knows of it.

For a chain X_1, ..., X_T and a record i, a quilt Q is {i - a, i + b}, one of the two, or nothing. Given X_Q, what lies
beyond Q is independent of X_i. Its influence is

$$ e(Q | i) = \max_{x, x', y} \ln \frac{P(X_Q = y | X_i = x)}{P(X_Q = y | X_i = x')} $$

and records between the ends of the quilt, `card` of them with i, are taken to move with X_i. Noise of scale
card/(ε - e), in units of what one record can change, hides X_i: what X_Q betrays costs e, and what card records change
costs ε - e. Song, Wang and Chaudhuri, "Pufferfish privacy mechanisms for correlated data" (SIGMOD 2017). Every quilt
with e < ε will do, so the best one found is sound whether or not it is the best of all.

Certified. Powers of the moves are sums of positive terms, and ratios are rounded upwards; whether a probability is zero
is decided without rounding. Influences of i - a depend on the odds of X_i, which are rounded up to multiples of 1e-9,
so that places that differ by less share a computation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.outward import raised
from dalenius.numerics.law import Floats

Moves: TypeAlias = tuple[tuple[Fraction, ...], ...]
Pattern: TypeAlias = NDArray[np.bool_]

GRID = 1e-9
DENSE = 256  # distances up to here are all tried; beyond, one in fifty
SPARSE = Fraction(51, 50)
FIRST = 32  # how far the first look goes
NEAR_ZERO = 1e-290


def distances(most: int) -> list[int]:
    """1, 2, ... and then fewer and fewer, up to at most this far."""
    found = list(range(1, min(most, DENSE) + 1))
    while found and math.ceil(found[-1] * SPARSE) <= most and found[-1] >= DENSE:
        found.append(math.ceil(found[-1] * SPARSE))
    return found


@final
@dataclass(frozen=True, slots=True)
class Quilt:
    """The best quilt found of the worst record: how far it lies before and after it (None: not there)."""

    record: int
    before: int | None
    after: int | None
    card: int
    influence: float
    scale: Fraction  # card / (ε - influence), in units of what one record can change

    def __str__(self) -> str:
        ends = [f"{self.before} before"] * (self.before is not None) + [f"{self.after} after"] * (
            self.after is not None
        )
        return f"record {self.record}: " + (f"quilt {' and '.join(ends)} it" if ends else "no quilt")


@final
class Influences:
    """The influences of records at distances 1, 2, ... of one chain; computed as far as they are asked for."""

    def __init__(self, start: Sequence[Fraction], moves: Moves, n: int) -> None:
        self.size, self.n = len(start), n
        self._moves = np.array([[float(chance) for chance in row] for row in moves])
        self._can = np.array([[chance > 0 for chance in row] for row in moves])
        self._power, self._reach = np.eye(self.size), np.asarray(np.eye(self.size, dtype=bool))
        self.far = np.zeros(0, dtype=np.int64)
        self.forth = np.zeros((0, self.size, self.size))  # [place of the distance, x, x']
        self._back = np.zeros((0, self.size, self.size, self.size))  # [place, y, x, x'], without the odds of X_i
        self.odds, self.support = self._places(start)

    def _places(self, start: Sequence[Fraction]) -> tuple[Floats, Pattern]:
        """The logarithms of P(X_i = x') / P(X_i = x), from above, as [i, x, x']; and which values are
        possible. Cost O(n).
        """
        chance, can = np.array([float(value) for value in start]), np.array([value > 0 for value in start])
        chances, patterns = np.empty((self.n, self.size)), np.empty((self.n, self.size), dtype=bool)
        for place in range(self.n):
            chances[place], patterns[place] = chance, can
            chance, can = chance @ self._moves, np.asarray((can[:, None] & self._can).any(axis=0))
        known = Balls.rounded(chances, np.asarray((np.arange(self.n) + 2.0) * (self.size + 3))[:, None])
        found = _log_ratios(known[:, None, :], known[:, :, None], patterns[:, None, :], patterns[:, :, None])
        both = patterns[:, None, :] & patterns[:, :, None]
        return np.where(both, np.ceil(np.where(both, found, 0.0) / GRID + 1e-3) * GRID, 0.0), patterns

    def extend(self, far: int) -> None:
        """Influences at all distances up to this one. Cost O(distances · states³)."""
        forth, back = [self.forth], [self._back]
        for step in distances(far)[len(self.far) :]:
            more = step - (int(self.far[-1]) if len(self.far) else 0)
            power, reach = _power(self._moves, self._can, more)
            self._power, self._reach = self._power @ power, _then(self._reach, reach)
            p, can = Balls.rounded(self._power, step * (self.size + 3)), self._reach
            ahead = _log_ratios(p[:, None, :], p[None], can[:, None, :], can[None])  # [x, x', y]
            forth.append(ahead.max(axis=2)[None])
            back.append(_log_ratios(p[:, :, None], p[:, None, :], can[:, :, None], can[:, None, :])[None])
            self.far = np.append(self.far, step)
        self.forth, self._back = np.concatenate(forth), np.concatenate(back)

    def before(self, record: int, count: int) -> Floats:
        """Influences of records at the first `count` distances before this one (counted from 0), as [place, x, x']."""
        if not count:
            return np.zeros((0, self.size, self.size))
        possible = self.support[record - self.far[:count]]
        found = self._back[:count]
        if not possible.all():
            found = np.where(possible[:, :, None, None], found, -np.inf)
        return np.asarray(found.max(axis=1) + self.odds[record])

    def pairs(self, record: int) -> Pattern:
        """Which pairs of values are both possible here."""
        here = self.support[record]
        return np.asarray(here[:, None] & here[None] & ~np.eye(self.size, dtype=bool))


def _log_ratios(p: Balls, q: Balls, can_p: Pattern, can_q: Pattern) -> Floats:
    """Upper bounds on ln(p/q): -∞ where p is impossible, ∞ where only q is (or may be lost below all floats)."""
    lost = can_p & (~can_q | (q.middle < NEAR_ZERO))
    found = (p.at_least(NEAR_ZERO).log() - q.at_least(NEAR_ZERO).log()).upper
    return np.where(lost, np.inf, np.where(can_p, found, -np.inf))


def _power(moves: Floats, can: Pattern, count: int) -> tuple[Floats, Pattern]:
    """The chances of `count` moves, and which of them are possible, by repeated squaring."""
    power, reach = np.eye(len(moves)), np.eye(len(moves), dtype=bool)
    while count:
        if count & 1:
            power, reach = power @ moves, _then(reach, can)
        count >>= 1
        if count:
            moves, can = moves @ moves, _then(can, can)
    return power, reach


def _then(first: Pattern, second: Pattern) -> Pattern:
    """Which moves are possible, one after the other."""
    return np.asarray((first[:, :, None] & second[None]).any(axis=1))


def best_scale(chains: Sequence[Influences], epsilon: Fraction) -> Quilt:
    """The largest, over all records, of the least scale of a quilt, for a class of chains of the same length.

    The record in the middle says how far to look: no quilt of a larger card is better. Places with the same odds and
    enough room on both sides are computed once; near the ends a quick look that is no worse than the worst so far is
    enough. Cost O(n) and, for each record near an end, O(distances).
    """
    n, far = chains[0].n, FIRST
    while True:
        for chain in chains:
            chain.extend(min(far, n))
        middle = _best(chains, n // 2, far, epsilon)
        needed = math.ceil(middle.scale * epsilon)
        if needed <= far or far >= n:
            break
        far = min(2 * far, n)
    return _worst(chains, epsilon, min(far, needed), middle)


def _worst(chains: Sequence[Influences], epsilon: Fraction, far: int, worst: Quilt) -> Quilt:
    n, seen = chains[0].n, set()
    for record in range(n):
        inside = min(record, n - 1 - record) >= far
        key = tuple(_signature(chain, record, far) for chain in chains) if inside else None
        if inside and key in seen:
            continue
        seen.add(key)
        if not inside and _best(chains, record, far, epsilon, quick=True).scale <= worst.scale:
            continue
        # far from the ends all records of a key share their quilt, so none may use how near an end it is
        found = _best(chains, record, far, epsilon, sides=not inside)
        worst = max(worst, found, key=lambda quilt: quilt.scale)
    return worst


def _signature(chain: Influences, record: int, room: int) -> tuple[bytes, bytes]:
    return chain.odds[record].tobytes(), chain.support[record - room : record + 1].tobytes()


def _best(
    chains: Sequence[Influences],
    record: int,
    far: int,
    epsilon: Fraction,
    *,
    quick: bool = False,
    sides: bool = True,
) -> Quilt:
    """The best quilt of one record (counted from 0), with ends up to so far away; `quick` tries fewer pairs of ends,
    `sides` tries quilts of one side as well.
    """
    n, steps = chains[0].n, chains[0].far
    left, right = (int(np.searchsorted(steps, min(room, far), side="right")) for room in (record, n - 1 - record))
    a, b = _ends(left, right, quick=quick)
    before, after, both = np.zeros(left), np.zeros(right), np.zeros(len(a))
    for chain in chains:
        live = chain.pairs(record)
        if live.any():
            back, forth = chain.before(record, left)[:, live], chain.forth[:right][:, live]
            before, after = np.maximum(before, back.max(axis=1)), np.maximum(after, forth.max(axis=1))
            both = np.maximum(both, (back[a] + forth[b]).max(axis=1))
    found = [Quilt(record + 1, None, None, n, 0.0, n / epsilon)]
    if len(a):
        at, card, influence = _least(both, steps[a] + steps[b] - 1, epsilon)
        found += _quilt(record, int(steps[a[at]]), int(steps[b[at]]), card, influence, epsilon)
    if left and sides:
        at, card, influence = _least(before, n - 1 - record + steps[:left], epsilon)
        found += _quilt(record, int(steps[at]), None, card, influence, epsilon)
    if right and sides:
        at, card, influence = _least(after, record + steps[:right], epsilon)
        found += _quilt(record, None, int(steps[at]), card, influence, epsilon)
    return min(found, key=lambda quilt: quilt.scale)


def _ends(left: int, right: int, *, quick: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of ends: all, or those that are about as far on both sides or as far as can be on one."""
    if not quick:
        a, b = np.divmod(np.arange(left * right), max(right, 1))
        return a, b
    same = np.arange(min(left, right))
    ones, twos = np.arange(left), np.arange(right)
    a = np.concatenate([same, ones, np.full(right if left else 0, left - 1)])
    b = np.concatenate([same, np.full(left if right else 0, right - 1), twos if left else twos[:0]])
    return (a, b) if right else (same, same)


def _least(influences: Floats, cards: NDArray[np.int64], epsilon: Fraction) -> tuple[int, int, float]:
    """The place of the least card / (ε - e), roughly; the card and the influence there."""
    rest = float(epsilon) - influences
    scores = np.where(rest > 0, cards / np.where(rest > 0, rest, 1.0), np.inf)
    place = int(np.argmin(scores))
    return place, int(cards[place]), float(influences[place])


def _quilt(
    record: int, before: int | None, after: int | None, card: int, influence: float, epsilon: Fraction
) -> list[Quilt]:
    """The quilt, if its influence (with the rounding of the sum of two) leaves anything of epsilon."""
    most = raised(influence, 1)
    if not most < epsilon:
        return []
    return [Quilt(record + 1, before, after, card, most, card / (epsilon - Fraction(most)))]
