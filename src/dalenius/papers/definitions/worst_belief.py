r"""Semantic privacy with δ > 0 over **all** beliefs: the largest chance that a record shifts the belief by more than ε.

For one transcript two datasets make the worst belief (`semantic.worst_shift`). For the chance of failing they do not:
mass on a third dataset, at which the transcript is likely, dilutes the shift down to ε and makes it happen more often.

Fix which transcripts t fail and by which record i. Write w and v for their likelihoods in Game 0 and in Game i, and
s = W / (W + V) for the share of Game 0, with W = Σ b w and V = Σ b v. Then "t shifts the belief b by more than ε" says

$$ \sum_x b(x) f_x(s) = 0, \quad \sum_x b(x) g_x(s) > 0, \qquad
   f_x(s) = (1 - s) w(x) - s v(x), \quad g_x(s) = \max(0, f_x(s)) - ε (1 - s) w(x), $$

and s = 1 is the posterior that is not defined in Game i. For given s this is linear in b, with two rows for each
failing transcript: so 2 T + 1 datasets suffice for T of them. Only the numbers s remain: branch and bound on them.

Bound of a box low ≤ s ≤ high. Take any numbers y_f(s) and y_g(s) ≥ 0 that are linear in s. Every belief in the box has
Σ b(x) (y_f f_x + y_g g_x)(s) ≥ 0. As g_x is convex, it lies below its chord, and y_f f_x + y_g g_x below a quadratic
polynomial, hence below the largest m_x of its three Bernstein coefficients. So the chance of failing, Σ b c, is at most
max_x (c_x + Σ_t m_tx). A linear program proposes y; the maximum is then taken in exact fractions, so that the bound
holds whatever the program did. Boxes without a kink of g lose O(width²) only. The lower end is a belief, judged
exactly.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, final

import numpy as np

from dalenius.basics.errors import require
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.numerics.largest import Largest, Region, largest
from dalenius.numerics.outcomes import fractions, is_exact
from dalenius.papers.definitions.belief_boxes import Bad, BeliefBoxes, Exact, Floats, Node, exactly
from dalenius.papers.definitions.belief_scouts import scouts
from dalenius.papers.definitions.games import Games, Kinds
from dalenius.papers.definitions.semantic import level_of, lines
from dalenius.papers.worlds import Finite

MOST_KINDS = 200  # of datasets, beyond which the linear programs take too long


@final
@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """The largest chance of a shift above ε: certified for every belief, and reached up to `chance.lower` by one."""

    chance: Bracket
    belief: Finite
    boxes: int  # how many were bounded

    def __str__(self) -> str:
        return f"{self.chance}: {self.boxes} boxes of beliefs bounded\n  believing {self.belief}"


def worst_failure(games: Games, epsilon: Number, *, width: Number = "1/1000", boxes: int = 2000) -> Failure:
    """Definition 2.3: the least δ' with which the release is (ε, δ')-semantically private, over **all** beliefs.

    The search ends when the bracket is at most `width` wide, or after so many boxes: it is certified in either case.
    Cost: a linear program for each box; with T transcripts and n records up to (n + 1)^T families of boxes. At a level
    ε that beliefs reach but do not exceed the bracket may stay wide, since boxes cannot tell > from ≥.

    >>> coin = Finite.product([{0: "1/2", 1: "1/2"}])
    >>> games = Games.of(lambda x: {x[0]: "3/4", 1 - x[0]: "1/4"}, coin, default=0)
    >>> print(worst_failure(games, "0.27").chance)
    0
    >>> 0.475 < worst_failure(games, "0.26").chance.lower < worst_failure(games, "0.26").chance.upper < 0.478
    True
    """
    everybody, kinds = tuple(range(games.belief.n)), games.kinds(range(games.belief.n))
    task = _Task.of(games, kinds, everybody, tuple(range(len(kinds.real))), level_of(epsilon))
    return _searched(games, kinds, [task], exact(width, name="width"), boxes)


def worst_oblivious_failure(games: Games, epsilon: Number, *, width: Number = "1/1000", boxes: int = 2000) -> Failure:
    """Definition A.1: the same when the true dataset may be any one of the games, whatever the belief says about it. A
    transcript that the belief holds impossible is a failure.
    """
    everybody, kinds = tuple(range(games.belief.n)), games.kinds(range(games.belief.n))
    task = _Task.of(games, kinds, everybody, tuple(range(len(kinds.real))), level_of(epsilon)).oblivious()
    return _searched(games, kinds, [task], exact(width, name="width"), boxes)


def worst_informed_failure(
    games: Games,
    epsilon: Number,
    *,
    about: Literal["the unknown record", "any record"],
    reality: Literal["drawn from the belief", "any"] = "drawn from the belief",
    width: Number = "1/1000",
    boxes: int = 2000,
) -> Failure:
    """The same over informed beliefs: every record but one is known. With reality "any" (Theorem A.3) the true dataset
    agrees with what is known, and is otherwise arbitrary.
    """
    require(about in ("the unknown record", "any record"), '"the unknown record" or "any record"', got=about)
    require(reality in ("drawn from the belief", "any"), '"drawn from the belief" or "any"', got=reality)
    everybody, kinds = tuple(range(games.belief.n)), games.kinds(range(games.belief.n))
    tasks: list[_Task] = []
    for free in everybody:
        records = (free,) if about == "the unknown record" else everybody
        found = [_Task.of(games, kinds, records, line, level_of(epsilon)) for line in lines(games, kinds.kind, free)]
        tasks += [task.oblivious() for task in found] if reality == "any" else found
    return _searched(games, kinds, tasks, exact(width, name="width"), boxes)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """The boxes of beliefs on some kinds, the ways in which each transcript may fail, and where they start."""

    boxes: BeliefBoxes
    places: tuple[int, ...]  # of the kinds among those of the games
    ways: tuple[tuple[Bad, ...], ...]

    @classmethod
    def of(
        cls, games: Games, kinds: Kinds, records: Sequence[int], places: tuple[int, ...], level: Fraction
    ) -> "_Task":
        require(len(places) <= MOST_KINDS, f"at most {MOST_KINDS} kinds of datasets", got=len(places))
        rows = (kinds.real, *(kinds.without[record] for record in records))
        require(all(map(is_exact, rows)), "a mechanism with exact probabilities", got="floats", remedy="Use fractions.")
        real, *without = _merged([game[list(places)].T.tolist() for game in rows])
        return cls(BeliefBoxes(real, tuple(without), level, None), places, ())._open()

    def oblivious(self) -> "_Task":
        """The same with any reality."""
        everything = tuple(range(self.boxes.kinds))
        boxes = BeliefBoxes(self.boxes.real, self.boxes.without, self.boxes.level, everything)
        return _Task(boxes, self.places, ())._open()

    def _open(self) -> "_Task":
        return _Task(self.boxes, self.places, tuple(tuple(self.boxes.ways(t)) for t in range(len(self.boxes.real))))

    @property
    def root(self) -> Node:
        """Nothing said yet about the transcripts that may fail."""
        return tuple(bool(ways) for ways in self.ways)

    def seeds(self) -> Iterator[list[Fraction]]:
        """Beliefs to start with: sure ones, the even one, and those that scouts found."""
        size = self.boxes.kinds
        for place in range(size):
            yield [Fraction(place == other) for other in range(size)]
        yield [Fraction(1, size)] * size
        yield from scouts(self.boxes)

    def parts(self, node: Node, belief: Floats) -> list[Node]:
        """Nodes that together cover all beliefs of this one: a transcript is decided, or a box is cut in two."""
        open_ = [t for t, state in enumerate(node) if state is True]
        if open_:
            seen = [float(belief @ np.array(self.boxes.real[t], dtype=float)) for t in open_]
            t = open_[int(np.argmax(seen))]
            choices: list[Bad | bool] = [*self.ways[t], False]
            return [(*node[:t], state, *node[t + 1 :]) for state in choices]
        wide = [(bad.high - bad.low, t) for t, bad in enumerate(node) if isinstance(bad, Bad)]
        width, t = max(wide, default=(Fraction(0), 0))
        bad = node[t] if node else False
        if width == 0 or not isinstance(bad, Bad):
            return []
        cut = self._cut(t, bad)
        halves = Bad(bad.record, bad.low, cut), Bad(bad.record, cut, bad.high)
        return [(*node[:t], half, *node[t + 1 :]) for half in halves]

    def _cut(self, t: int, bad: Bad) -> Fraction:
        """The kink nearest the middle of the box, or a short number near its middle."""
        middle = (bad.low + bad.high) / 2
        inside = [kink for kink in self.boxes.kinks(t, bad.record) if bad.low < kink < bad.high]
        if inside:
            return min(inside, key=lambda kink: abs(kink - middle))
        short = Fraction(float(middle))
        return short if bad.low < short < bad.high else middle


_Found: TypeAlias = Largest[Fraction, tuple[_Task, list[Fraction]]]
_Region: TypeAlias = Region[Fraction, tuple[_Task, list[Fraction]]]


def _merged(games: list[Exact]) -> list[Exact]:
    """Transcripts with proportional likelihoods in all games leave the same beliefs: they count as one."""
    sums: dict[tuple[Fraction, ...], list[Fraction]] = {}
    for rows in zip(*games, strict=True):
        flat = [value for row in rows for value in row]
        scale = sum(rows[0], Fraction(0))
        if not scale:
            continue  # never seen in Game 0
        key = tuple(value / scale for value in flat)
        before = sums.get(key, [Fraction(0)] * len(flat))
        sums[key] = [a + b for a, b in zip(before, flat, strict=True)]
    size = len(games[0][0]) if games[0] else 0
    return [[flat[g * size : (g + 1) * size] for flat in sums.values()] for g in range(len(games))]


def _searched(games: Games, kinds: Kinds, tasks: Sequence[_Task], width: Fraction, limit: int) -> Failure:
    """Best first: the node with the largest bound is cut, until none is far above what a belief has reached."""
    require(width >= 0, "a width of at least 0", got=width)
    best, where, belief = Fraction(-1), tasks[0], [Fraction(1)]
    for task, seed in ((one, seed) for one in tasks for seed in one.seeds()):
        if (reached := task.boxes.reached(seed)) > best:
            best, where, belief = reached, task, seed

    def halves(task: _Task, node: Node, guess: Floats | None) -> Callable[[_Found], Iterator[_Region]]:
        def split(found: _Found) -> Iterator[_Region]:
            near = np.full(task.boxes.kinds, 1 / task.boxes.kinds) if guess is None else guess
            for part in task.parts(node, near):
                bound, better = task.boxes.bound(part)
                if bound <= found.lower:
                    yield Region(bound)
                    continue
                tried = [(task.boxes.reached(one), (task, one)) for one in _tried(task, part, better)]
                attained = max(tried, key=lambda one: one[0], default=None)
                yield Region(bound, attained, halves(task, part, better))

        return split

    def whole(task: _Task) -> _Region:
        bound, guess = task.boxes.bound(task.root)
        return Region(bound, split=halves(task, task.root, guess))

    def stop(found: _Found) -> bool:
        return found.open <= found.lower + width or found.looks >= limit

    found = largest((best, (where, belief)), map(whole, tasks), stop=stop)
    return Failure(around(found.lower, found.upper), _spread_out(games, kinds, *found.at), found.looks)


def _tried(task: _Task, node: Node, guess: Floats | None) -> Iterator[list[Fraction]]:
    if guess is not None:
        for tried in (exactly(guess), task.boxes.improved(node, guess)):
            if tried is not None:
                yield tried


def _spread_out(games: Games, kinds: Kinds, task: _Task, belief: Sequence[Fraction]) -> Finite:
    """A belief about kinds as one about datasets: one dataset of each kind."""
    weights = [Fraction(0)] * games.belief.size
    for place, weight in zip(task.places, belief, strict=True):
        weights[int(np.flatnonzero(kinds.kind == place)[0])] = weight
    return Finite(games.belief.values, games.belief.codes, fractions(weights))
