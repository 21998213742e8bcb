"""The worst removal among {0 <= r <= counts, Σ r = size}, by branch and bound over simplices.

The polytope is covered by simplices with corners at its own corners; each is halved at its most costly edge until its
bound is below a value that some removal attains, or until it holds so few whole removals that these are judged one by
one. Corners of simplices need not be whole.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.largest import Largest, Region, largest
from dalenius.numerics.law import Floats
from dalenius.numerics.removals import Bound, Vertex
from dalenius.numerics.search import Removal

Simplex: TypeAlias = tuple[Vertex, ...]
CLOSE = 1e-7  # relative gap at which the search stops
LEAST = 1e-45  # delta below which nothing is told apart
MANY = 20_000  # whole removals whose places are looked at


def cover(counts: Sequence[int], size: int) -> tuple[Simplex, ...]:
    """Simplices whose union is the polytope.

    From any corner v the polytope is the union of the cones over those of its faces r_t = 0 and r_t = counts[t] that
    do not hold v: a ray from v leaves it through one of them, as a side through v is never left by a ray that starts
    inside. The faces are polytopes of the same kind with one type fewer.
    """
    return tuple(dict.fromkeys(_cones({}, tuple(counts), size)))


def _cones(fixed: dict[int, int], counts: tuple[int, ...], size: int) -> list[Simplex]:
    free = [t for t in range(len(counts)) if t not in fixed]
    left = size - sum(fixed.values())
    if not 0 <= left <= sum(counts[t] for t in free):
        return []
    corner, rest = dict(fixed), left
    for t in free:
        corner[t] = min(counts[t], rest)
        rest -= corner[t]
    vertex = tuple(float(corner[t]) for t in range(len(counts)))
    if left in (0, sum(counts[t] for t in free)) or len(free) <= 1:
        return [(vertex,)]
    sides = [(t, side) for t in free for side in dict.fromkeys((0, counts[t])) if corner[t] != side]
    return [(vertex, *face) for t, side in sides for face in _cones({**fixed, t: side}, counts, size)]


def inside(simplex: Simplex, counts: Sequence[int], size: int) -> Floats | None:
    """All whole removals in the simplex, and perhaps some beside it; None if there are too many to look at."""
    corners = np.array(simplex)
    low, high = np.ceil(corners.min(axis=0)), np.floor(corners.max(axis=0))
    low, high = np.maximum(low, 0), np.minimum(high, counts)
    last = int(np.argmax(high - low))
    others = [t for t in range(len(counts)) if t != last]
    widths = np.maximum(high - low + 1, 0)
    if float(np.prod(widths[others])) > MANY:
        return None
    grids = np.meshgrid(*(np.arange(low[t], high[t] + 1) for t in others), indexing="ij")
    points = np.zeros((grids[0].size, len(counts)))
    for t, grid in zip(others, grids, strict=True):
        points[:, t] = grid.ravel()
    points[:, last] = size - points.sum(axis=1)
    return np.asarray(points[(points[:, last] >= low[last]) & (points[:, last] <= high[last])])


def halves(simplex: Simplex, edge: tuple[int, int]) -> tuple[Simplex, ...]:
    """Both halves of the simplex, cut at the middle of an edge; none if the middle is no float: corners are exact."""
    one, two = simplex[edge[0]], simplex[edge[1]]
    middle = tuple((a + b) / 2 for a, b in zip(one, two, strict=True))
    if any(math.fsum((a, b, -2 * c)) for a, b, c in zip(one, two, middle, strict=True)):
        return ()
    first, second = list(simplex), list(simplex)
    first[edge[0]], second[edge[1]] = middle, middle
    return tuple(first), tuple(second)


class SimplexSearch:
    """The largest delta so far, shared by the searches of all shifts and directions."""

    def __init__(
        self, counts: Sequence[int], size: int, evaluate: Callable[[Removal], Bracket], *, budget: int, few: int
    ) -> None:
        """Up to `few` whole removals are judged one by one rather than halved further; `budget` looks in all."""
        self.counts, self.size, self.evaluate, self.left, self.few = tuple(counts), size, evaluate, budget, few
        self.found: dict[Removal, Bracket] = {}
        self.lower, self.upper, self.chosen = 0.0, 0.0, (0,) * len(counts)

    def see(self, removal: Removal) -> float:
        """The upper bound on delta of one removal, which counts from now on."""
        if removal not in self.found:
            self.found[removal] = self.evaluate(removal)
            self.left -= 1
        bracket = self.found[removal]
        if bracket.lower >= self.lower:
            self.lower, self.chosen = bracket.lower, removal
        self.upper = max(self.upper, bracket.upper)
        return bracket.upper

    def enough(self, ceiling: float) -> bool:
        """Whether a bound need not be improved."""
        return ceiling <= max(self.near, self.upper)

    @property
    def near(self) -> float:
        return max(self.lower * (1 + CLOSE), LEAST)

    def run(self, bound: Callable[[Simplex], Bound], offsets: Callable[[Floats], tuple[Floats, Floats]]) -> None:
        """Raise `upper` to at least the largest that `bound` speaks of, over all whole removals."""

        def look(simplex: Simplex) -> Region[float, None]:
            found = bound(simplex)
            self.left -= 1
            most, few = self._among(simplex, found, offsets)
            if few is not None and len(few) <= self.few and self.left > 0:
                seen = [self.see(tuple(int(r) for r in point)) for point in few]
                return Region(max(seen, default=0.0))
            return Region(min(most, 1.0), split=lambda _: map(look, halves(simplex, found.widest)))

        def stop(found: Largest[float, None]) -> bool:
            return self.left <= 0 or found.settled or self.enough(found.open)

        found = largest((0.0, None), map(look, cover(self.counts, self.size)), stop=stop)
        self.upper = max(self.upper, found.upper)

    def _among(
        self, simplex: Simplex, found: Bound, offsets: Callable[[Floats], tuple[Floats, Floats]]
    ) -> tuple[float, Floats | None]:
        """The largest bound of a whole removal, and those that may exceed what is attained (None: too many)."""
        if self.enough(found.most):
            return found.most, None
        points = inside(simplex, self.counts, self.size)
        if points is None:
            return found.most, None
        if not len(points):
            return 0.0, points
        first, last = (found.steps[a.astype(int)] for a in offsets(points))
        most = np.maximum(first, last)
        open_ones = most > self.near
        self.upper = max(self.upper, float(most[~open_ones].max(initial=0.0)))
        return float(most.max()), points[open_ones]
