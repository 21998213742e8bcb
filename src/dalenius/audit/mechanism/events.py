"""Events that tell two worlds apart, found in draws: half-lines, sets of outputs, ranges, trees, a linear classifier.

Each kind gives an output a score, about the logarithm of how much likelier it is in the first world; an event is a
score of at least so much. Scores are fitted on one half of the draws; which kind and which threshold, is chosen on the
other. Nothing here is certified: what an event is worth is told by draws that come after (`wealth`).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from dalenius.audit.mechanism.outputs import EACH, Outputs, column_name
from dalenius.enclosure.formats import nearly

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST_FITTED = 200_000  # draws of a world that a score is fitted to
MOST_THRESHOLDS = 400
MOST_COLUMNS = 48
BINS = 64  # of a column
CUTS = 32  # of a column, that a tree may split at
DEPTH = 6  # of a tree
LEAST_LEAF = 20  # draws, of both worlds
STEPS = 8  # of Newton's, for the linear classifier
SHARE = 4  # a set of outputs is only looked at if each is seen so often at the average


class Score(Protocol):
    """How much likelier an output is in the first world."""

    def of(self, outputs: Outputs) -> Floats: ...

    @property
    def words(self) -> str: ...


@final
@dataclass(frozen=True)
class Event:
    """Outputs whose score is at least `least`; `first` and `second`: its frequency in the draws it was found in."""

    score: Score
    least: float
    first: float
    second: float
    swapped: bool  # whether the event is likelier in the second world of the pair

    def holds(self, outputs: Outputs) -> Flags:
        """For each output, whether it is in the event."""
        return np.asarray(self.score.of(outputs) >= self.least)

    def __str__(self) -> str:
        return self.score.words.format(least=nearly(self.least, 6), most=nearly(-self.least, 6))


@final
@dataclass(frozen=True)
class HalfLine:
    """A column, or its negative."""

    column: int
    sign: int
    name: str

    def of(self, outputs: Outputs) -> Floats:
        if self.column >= outputs.width:
            return np.full(len(outputs), -math.inf)
        return self.sign * outputs.rows[:, self.column]

    @property
    def words(self) -> str:
        return f"{self.name} at least {{least}}" if self.sign > 0 else f"{self.name} at most {{most}}"


@final
@dataclass(frozen=True)
class OneOutput:
    """Whole outputs, each by how often it came."""

    words_of: NDArray[np.uint64]  # sorted
    scores: Floats

    def of(self, outputs: Outputs) -> Floats:
        places = np.minimum(np.searchsorted(self.words_of, outputs.whole), len(self.words_of) - 1)
        return np.where(self.words_of[places] == outputs.whole, self.scores[places], 0.0)

    @property
    def words(self) -> str:
        return "one of a set of outputs"


@final
@dataclass(frozen=True)
class Binned:
    """Ranges of a column, each by how often it came."""

    column: int
    edges: Floats
    scores: Floats
    name: str

    def of(self, outputs: Outputs) -> Floats:
        if self.column >= outputs.width:
            return np.zeros(len(outputs))
        return self.scores[np.searchsorted(self.edges, outputs.rows[:, self.column], side="right")]

    @property
    def words(self) -> str:
        return f"{self.name} in a set of ranges"


@final
@dataclass(frozen=True)
class Tree:
    """Splits of columns, one after the other; each leaf by how often it came."""

    columns: tuple[int, ...]  # of each node; -1 in a leaf
    cuts: tuple[float, ...]
    below: tuple[int, ...]  # the node where the column is below the cut; the next one is the other
    scores: tuple[float, ...]

    def of(self, outputs: Outputs) -> Floats:
        at = np.zeros(len(outputs), dtype=np.int64)
        columns, cuts = np.array(self.columns), np.array(self.cuts)
        below, scores = np.array(self.below), np.array(self.scores)
        rows = np.arange(len(outputs))
        for _ in range(DEPTH):
            inner = columns[at] >= 0
            if not inner.any():
                break
            values = outputs.rows[rows, np.minimum(np.maximum(columns[at], 0), outputs.width - 1)]
            at = np.where(inner, below[at] + (values >= cuts[at]), at)
        return scores[at]

    @property
    def words(self) -> str:
        return "a set of leaves of a tree"


@final
@dataclass(frozen=True)
class Linear:
    """A weighted sum of columns and their squares."""

    columns: tuple[int, ...]
    centre: Floats
    width: Floats
    weights: Floats

    def of(self, outputs: Outputs) -> Floats:
        rows = (outputs.rows[:, list(self.columns)] - self.centre) / self.width
        scores: Floats = _with_squares(np.clip(rows, -30, 30)) @ self.weights
        return scores

    @property
    def words(self) -> str:
        return "a weighted sum of the outputs and their squares at least {least}"


def delta_worth(epsilon: float, *, seen: int, horizon: int) -> Callable[[Floats, Floats], Floats]:
    """What an event of these frequencies is worth for a bound on δ: its excess, less what chance may have added, less
    what the bound will lose.
    """
    ratio = math.exp(epsilon)

    def worth(first: Floats, second: Floats) -> Floats:
        spread = first * (1 - first) + ratio**2 * second * (1 - second) + ratio**2 / seen**2
        return np.asarray(first - ratio * second - np.sqrt(spread) * (1 / math.sqrt(seen) + 3 / math.sqrt(horizon)))

    return worth


def epsilon_worth(delta: float, *, seen: int, horizon: int) -> Callable[[Floats, Floats], Floats]:
    """The same for a bound on ε: the logarithm of the ratio."""

    def worth(first: Floats, second: Floats) -> Floats:
        loss = 1 / math.sqrt(seen) + 2 / math.sqrt(horizon)
        above = first - delta - loss * np.sqrt(first * (1 - first) + 1 / seen)
        below = second + loss * np.sqrt(second * (1 - second)) + 1 / seen + 3 / horizon
        return np.where(above > 0, np.log(np.maximum(above, 1e-300) / below), above - 10.0)

    return worth


Worth = Callable[[int], Callable[[Floats, Floats], Floats]]  # by how many draws the frequencies rest on


def best_events(first: Outputs, second: Outputs, worths: Sequence[Worth]) -> list[tuple[Event, float]]:
    """For each way to value events the one that is worth most, in either direction, and what it is worth."""
    count = min(len(first), len(second))
    halves = [each.part(slice(start, count, 2)) for each in (first, second) for start in (0, 1)]
    fitted_first, other_first, fitted_second, other_second = halves
    best: list[tuple[Event, float] | None] = [None] * len(worths)

    def consider(score: Score, one: Floats, two: Floats, *, swapped: bool) -> None:
        high, low = np.sort(one), np.sort(two)
        cuts = np.unique(np.concatenate([_spread(high), _spread(low)]))
        above = 1 - np.searchsorted(high, cuts, side="left") / len(high)
        beside = 1 - np.searchsorted(low, cuts, side="left") / len(low)
        for place, worth in enumerate(worths):
            values = worth(len(high))(above, beside)
            at = int(np.argmax(values))
            held = best[place]
            if held is None or values[at] > held[1]:
                event = Event(score, float(cuts[at]), float(above[at]), float(beside[at]), swapped)
                best[place] = event, float(values[at])

    for line in _lines(first, second):
        one, two = line.of(first), line.of(second)
        for turned, sign in ((line, 1), (_Negative(line), -1)):
            consider(turned, sign * one, sign * two, swapped=False)
            consider(turned, sign * two, sign * one, swapped=True)
    for fit in _fits(fitted_first, fitted_second):
        one, two = fit.of(other_first), fit.of(other_second)
        consider(fit, one, two, swapped=False)
        consider(_Negative(fit), -two, -one, swapped=True)
    return [each for each in best if each is not None]


def _spread(ordered: Floats) -> Floats:
    """Values at evenly spread ranks, and the extremes one by one."""
    count = len(ordered)
    inner = np.linspace(0, count - 1, MOST_THRESHOLDS).astype(np.int64)
    ends = np.unique(np.geomspace(1, count, 40).astype(np.int64)) - 1
    spread: Floats = ordered[np.concatenate([inner, ends, count - 1 - ends])]
    return spread


@final
@dataclass(frozen=True)
class _Negative:
    score: Score

    def of(self, outputs: Outputs) -> Floats:
        return -self.score.of(outputs)

    @property
    def words(self) -> str:
        if isinstance(self.score, HalfLine):
            return HalfLine(self.score.column, -self.score.sign, self.score.name).words
        return self.score.words


def _columns(first: Outputs, second: Outputs) -> list[int]:
    """Columns that are not the same everywhere."""
    rows = (first.rows, second.rows)
    low = np.minimum(*(each.min(axis=0) for each in rows))
    high = np.maximum(*(each.max(axis=0) for each in rows))
    moving = [int(column) for column in np.flatnonzero(low < high)]
    # how fine whole numbers are, follows from their values
    told = [
        column
        for column in moving
        if column % EACH != 1 or any((each[:, column - 1] != np.floor(each[:, column - 1])).any() for each in rows)
    ]
    # values first, then what they are made of
    return sorted(told, key=lambda column: (column % EACH, column))[:MOST_COLUMNS]


def _lines(first: Outputs, second: Outputs) -> Iterator[Score]:
    for column in _columns(first, second) or [0]:
        yield HalfLine(column, 1, column_name(column, first.width))


def _fits(first: Outputs, second: Outputs) -> Iterator[Score]:
    """Scores of each kind."""
    first, second = first.part(slice(MOST_FITTED)), second.part(slice(MOST_FITTED))
    columns = _columns(first, second)
    if not columns:
        return
    yield from _single(first, second)
    for column in columns:
        yield from _binned(column, first, second)
    if len(columns) > 1:
        yield _tree(columns, first, second)
        values = [column for column in columns if column % EACH == 0]
        if len(values) > 1:
            yield from _linear(values, first, second)


def _log_ratio(first: Floats, second: Floats) -> Floats:
    """Of counts out of as many draws; half a draw more each, so that nothing is for sure."""
    return np.asarray(np.log((first + 0.5) / (second + 0.5)))


def _single(first: Outputs, second: Outputs) -> Iterator[Score]:
    words, places = np.unique(np.concatenate([first.whole, second.whole]), return_inverse=True)
    if len(words) * SHARE > 2 * len(first):
        # Too many to count each: those that came often, and all others together.
        counts = np.bincount(places)
        kept = counts >= LEAST_LEAF
        if not kept.any():
            return
    else:
        kept = np.ones(len(words), dtype=bool)
    ones = np.bincount(places[: len(first)], minlength=len(words)).astype(np.float64)
    twos = np.bincount(places[len(first) :], minlength=len(words)).astype(np.float64)
    yield OneOutput(words[kept], _log_ratio(ones, twos)[kept])


def _edges(values: Floats, bins: int) -> Floats:
    distinct = np.unique(values)
    if len(distinct) <= bins:
        return distinct[1:]
    return np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]))


def _binned(column: int, first: Outputs, second: Outputs) -> Iterator[Score]:
    one, two = first.rows[:, column], second.rows[:, column]
    edges = _edges(np.concatenate([one, two]), BINS)
    if not len(edges):
        return
    ones = np.bincount(np.searchsorted(edges, one, side="right"), minlength=len(edges) + 1)
    twos = np.bincount(np.searchsorted(edges, two, side="right"), minlength=len(edges) + 1)
    yield Binned(column, edges, _log_ratio(ones.astype(float), twos.astype(float)), column_name(column, first.width))


def _tree(columns: Sequence[int], first: Outputs, second: Outputs) -> Score:
    """Split, as long as there are enough draws, where the split tells most about the world."""
    table = np.concatenate([first.rows[:, list(columns)], second.rows[:, list(columns)]])
    cuts = [_edges(table[:, place], CUTS) for place in range(len(columns))]
    binned = np.stack(
        [np.searchsorted(edges, table[:, place], side="right") for place, edges in enumerate(cuts)], axis=1
    ).astype(np.uint8)
    worlds = np.zeros(len(table), dtype=bool)
    worlds[: len(first)] = True
    nodes: list[list[float]] = []  # column, cut, the node below, score

    def grow(rows: NDArray[np.int64], depth: int, node: int) -> None:
        ones = int(np.count_nonzero(worlds[rows]))
        nodes[node][3] = float(_log_ratio(np.array(float(ones)), np.array(float(len(rows) - ones))))
        if depth == DEPTH - 1 or len(rows) < 2 * LEAST_LEAF:
            return
        best = (1e-9, -1, -1)
        for place, edges in enumerate(cuts):
            if not len(edges):
                continue
            held = binned[rows, place]
            one = np.cumsum(np.bincount(held[worlds[rows]], minlength=len(edges) + 1))[:-1].astype(float)
            two = np.cumsum(np.bincount(held[~worlds[rows]], minlength=len(edges) + 1))[:-1].astype(float)
            gain = _told(one, two) + _told(ones - one, len(rows) - ones - two)
            gain = np.where((one + two >= LEAST_LEAF) & (len(rows) - one - two >= LEAST_LEAF), gain, -math.inf)
            at = int(np.argmax(gain))
            whole = float(_told(np.array(float(ones)), np.array(float(len(rows) - ones))))
            best = max(best, (float(gain[at]) - whole, place, at))
        _, place, at = best
        if place < 0:
            return
        left = binned[rows, place] <= at
        nodes[node][:3] = [columns[place], float(cuts[place][at]), len(nodes)]
        nodes.extend([[-1, 0.0, 0, 0.0], [-1, 0.0, 0, 0.0]])
        below = len(nodes) - 2
        grow(rows[left], depth + 1, below)
        grow(rows[~left], depth + 1, below + 1)

    nodes.append([-1, 0.0, 0, 0.0])
    grow(np.arange(len(table)), 0, 0)
    return Tree(
        tuple(int(node[0]) for node in nodes),
        tuple(float(node[1]) for node in nodes),
        tuple(int(node[2]) for node in nodes),
        tuple(float(node[3]) for node in nodes),
    )


def _told(one: Floats, two: Floats) -> Floats:
    """Log-likelihood of the worlds of so many draws."""
    whole = one + two
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(one > 0, one * np.log(one / whole), 0.0) + np.where(two > 0, two * np.log(two / whole), 0.0)
    return np.asarray(terms)


def _with_squares(rows: Floats) -> Floats:
    return np.concatenate([np.ones((len(rows), 1)), rows, rows**2], axis=1)


def _linear(columns: Sequence[int], first: Outputs, second: Outputs) -> Iterator[Score]:
    """Logistic regression, by Newton's steps, a little drawn to 0."""
    table = np.concatenate([first.rows[:, list(columns)], second.rows[:, list(columns)]])
    centre = np.median(table, axis=0)
    width = np.maximum(np.abs(table - centre).mean(axis=0), 1e-300)
    features = _with_squares(np.clip((table - centre) / width, -30, 30))
    wanted = np.zeros(len(table))
    wanted[: len(first)] = 1.0
    weights = np.zeros(features.shape[1])
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        slope = features.T @ (wanted - chances) - weights
        bend = (features * (chances * (1 - chances))[:, None]).T @ features + np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, slope)
    if np.isfinite(weights).all():
        yield Linear(tuple(columns), centre, width, weights)
