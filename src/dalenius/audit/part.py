"""A connected part of a problem: the unknowns that are still open in it, tables that fit it, and bounds that are
proved.

Parts share no row, so that what fits each of them fits together. Every table here is checked in whole numbers against
every row, every bound is added up in whole numbers; the linear programs only say where to look.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, final

import numpy as np
from scipy import sparse

from dalenius.audit.search import Floats, Optimum, Program, Search
from dalenius.audit.system import FAR, Ints, Leaf, Multiples, Proof, Split, System
from dalenius.basics.patience import TimeUpError

if TYPE_CHECKING:
    from dalenius.audit.problem import Terms

OVERS = (1, 2, 6, 60, 2520, 1 << 20, 1 << 30)  # denominators that are tried for a solver's multiples
HAIR = 1e-6
MOST_NODES = 4000  # of one tree
DEEPEST = 150  # cases within cases


@final
class ProblemPart:
    """Some unknowns, the rows about them, and the targets made of them."""

    def __init__(
        self, system: System, columns: Ints, targets: Sequence[int], seconds_left: Callable[[], float]
    ) -> None:
        self.system, self.columns, self.targets = system, columns, list(targets)
        self._seconds_left = seconds_left
        width = len(system.lower)
        inside = np.zeros(width, dtype=bool)
        inside[columns] = True
        entries = inside[system.matrix.indices]
        self._touched = touched = np.unique(system.entry_row[entries])
        fixed = np.where(inside, 0, np.where(system.lower == system.upper, system.lower, 0))
        self._all = system.matrix[touched][:, columns].tocsr()
        offset = system.matrix[touched] @ fixed
        self._lower = np.where(system.row_lower[touched] <= -FAR, -FAR, system.row_lower[touched] - offset)
        self._upper = np.where(system.row_upper[touched] >= FAR, FAR, system.row_upper[touched] - offset)
        self.rows = touched[self._kept(touched)]
        self.cap = 4 * int(np.abs(np.concatenate([self._ends()[0], self._ends()[1], [250_000]])).max())
        self.points: list[Ints] = []
        terms = [system.problem.targets[target].terms for target in self.targets]
        starts = np.cumsum([0, *map(len, terms)])
        places = np.array([place for each in terms for place, _ in each], dtype=np.int64)
        times = np.array([often for each in terms for _, often in each], dtype=np.int64)
        whole = sparse.csr_matrix((times, places, starts), shape=(len(terms), width))
        self.shape, self.fixed = whole[:, columns].tocsr(), whole @ fixed
        self.least = np.full(len(self.targets), FAR, dtype=np.int64)
        self.most = np.full(len(self.targets), -FAR, dtype=np.int64)
        self.low_seen, self.high_seen = np.full(len(columns), np.inf), np.full(len(columns), -np.inf)
        self._search: Search | None = None

    def _ends(self) -> tuple[Ints, Ints]:
        lower, upper = self.system.lower[self.columns], self.system.upper[self.columns]
        return np.where(lower <= -FAR, 0, lower), np.where(upper >= FAR, 0, upper)

    def _kept(self, touched: Ints) -> Ints:
        """Rows that say something: not more than the ends of their unknowns, and not the same again."""
        lower, upper = self.system.lower[self.columns], self.system.upper[self.columns]
        open_low, open_high = lower <= -FAR, upper >= FAR
        plus, minus = self._all.maximum(0), (-self._all).maximum(0)
        lower, upper = np.where(open_low, 0, lower), np.where(open_high, 0, upper)
        least, most = plus @ lower - minus @ upper, plus @ upper - minus @ lower
        no_least = (plus @ open_low.astype(np.int64) + minus @ open_high.astype(np.int64)) > 0
        no_most = (plus @ open_high.astype(np.int64) + minus @ open_low.astype(np.int64)) > 0
        needed = ((self._lower > -FAR) & (no_least | (least < self._lower))) | (
            (self._upper < FAR) & (no_most | (most > self._upper))
        )
        found: dict[tuple[bytes, bytes, int, int], int] = {}
        for row in np.flatnonzero(needed):
            start, stop = self._all.indptr[row], self._all.indptr[row + 1]
            order = np.argsort(self._all.indices[start:stop])
            key = (self._all.indices[start:stop][order].tobytes(), self._all.data[start:stop][order].tobytes())
            found.setdefault((*key, int(self._lower[row]), int(self._upper[row])), int(row))
        return np.array(sorted(found.values()), dtype=np.int64)

    def floats(self) -> tuple[Floats, Floats]:
        """The ends of the unknowns for a search, open ones far away."""
        lower = np.maximum(self.system.lower[self.columns], -self.cap)
        return lower.astype(float), np.minimum(self.system.upper[self.columns], self.cap).astype(float)

    def largest(self, sum_of: Floats) -> Optimum | None:
        """Where a sum is largest, by a solver; whatever fits there is kept."""
        seconds = self._seconds_left()
        if seconds <= 0:
            raise TimeUpError
        lower, upper = self.floats()
        if self._search is None:
            place = np.searchsorted(self._touched, self.rows)
            matrix = self._all[place].astype(float)
            ends = [
                np.where(np.abs(end) >= FAR, np.where(end > 0, np.inf, -np.inf), end)
                for end in (self._lower, self._upper)
            ]
            self._search = Search(Program(matrix, ends[0][place], ends[1][place]), lower, upper)
        found = self._search.largest(sum_of, lower, upper, seconds)
        if found is not None and found.at is not None:
            self.low_seen = np.minimum(self.low_seen, found.at)
            self.high_seen = np.maximum(self.high_seen, found.at)
            self.take(np.rint(found.at).astype(np.int64))
        return found

    def take(self, point: Ints) -> bool:
        """Keep a table if it fits every row and every end, in whole numbers, and shows something new."""
        sums = self._all @ point
        fits = (
            bool(np.all(sums >= self._lower))
            and bool(np.all(sums <= self._upper))
            and bool(np.all(point >= self.system.lower[self.columns]))
            and bool(np.all(point <= self.system.upper[self.columns]))
        )
        if not fits:
            return False
        values = self.shape @ point + self.fixed
        if not self.points or bool(np.any(values < self.least)) or bool(np.any(values > self.most)):
            self.points.append(point)
            self.least, self.most = np.minimum(self.least, values), np.maximum(self.most, values)
        self.low_seen, self.high_seen = np.minimum(self.low_seen, point), np.maximum(self.high_seen, point)
        return True

    def multiples(self, rows: Floats, over: int) -> Multiples:
        """A solver's multiples, as whole numbers of 1/over."""
        whole = np.rint(rows * over)
        return tuple((int(self.rows[place]), int(whole[place])) for place in np.flatnonzero(whole))

    def bound(self, form: "Terms", found: Optimum, goal: int) -> int | None:
        """A step by which a form is at most `goal`, or at most what can be proved: the simplest multiples that do."""
        best: tuple[int, Leaf] | None = None
        for over in OVERS:
            leaf = Leaf(over, self.multiples(found.rows, over))
            total, _ = self.system.evaluated(form, over, leaf.rows)
            if total is not None and (best is None or total // over < best[0]):
                best = (total // over, leaf)
                if best[0] <= goal:
                    break
        return None if best is None else self.system.prove(form, best[1])

    def tree(
        self, form: "Terms", sum_of: Floats, constant: int, goal: int, *, most_nodes: int = MOST_NODES
    ) -> int | None:
        """A step by which a form is at most `goal`, by cases; None if a table shows that it is not, or time is up."""
        kept = [array.copy() for array in self._arrays()]
        rests: set[int] = set()
        nodes = [most_nodes, 0]  # left, and how deep
        try:
            proof = self._cases(form, sum_of, goal - constant, goal, rests, nodes)
        finally:
            for array, was in zip(self._arrays(), kept, strict=True):
                array[:] = was
        return None if proof is None else self.system.note_tree(form, goal, proof, rests)

    def _arrays(self) -> tuple[Ints, Ints, Ints, Ints]:
        return self.system.lower, self.system.upper, self.system.lower_step, self.system.upper_step

    def _cases(
        self, form: "Terms", sum_of: Floats, most: int, goal: int, rests: set[int], nodes: list[int]
    ) -> Proof | None:
        nodes[0] -= 1
        found = self.largest(sum_of) if nodes[0] > 0 and nodes[1] <= DEEPEST else None
        if found is None:
            return None
        leaf = self._leaf(form, found, goal, rests)
        if leaf is not None or found.at is None:
            return leaf
        away = np.abs(found.at - np.rint(found.at))
        place = int(np.argmax(away))
        if away[place] < HAIR:
            if sum_of @ np.rint(found.at) > most:
                return None  # a table that shows more, or floats that fail
            spread = self.floats()[1] - self.floats()[0]
            place = int(np.argmax(spread))
            if spread[place] < 1:
                return None
        return self._both(form, sum_of, most, goal, rests, nodes, place, int(np.floor(found.at[place] + HAIR)))

    def _both(
        self,
        form: "Terms",
        sum_of: Floats,
        most: int,
        goal: int,
        rests: set[int],
        nodes: list[int],
        place: int,
        value: int,
    ) -> Proof | None:
        """The two cases of an unknown: at most a value, or more."""
        column, system = int(self.columns[place]), self.system
        value = min(value, int(system.upper[column]) - 1)
        proofs: list[Proof] = []
        sides = ((system.upper, system.upper_step, value), (system.lower, system.lower_step, value + 1))
        for ends, steps, end in sides:
            was = int(ends[column]), int(steps[column])
            ends[column], steps[column] = end, -1
            nodes[1] += 1
            proof = self._cases(form, sum_of, most, goal, rests, nodes)
            nodes[1] -= 1
            ends[column], steps[column] = was
            if proof is None:
                return None
            proofs.append(proof)
        return Split(column, value, proofs[0], proofs[1])

    def _leaf(self, form: "Terms", found: Optimum, goal: int, rests: set[int]) -> Leaf | None:
        """A combination by which the form is at most `goal` here, or nothing fits here."""
        if found.at is not None and found.value > self.cap:
            return None
        for over in OVERS:
            leaf = Leaf(0 if found.at is None else over, self.multiples(found.rows, over))
            total, rest = self.system.evaluated(form, leaf.over, leaf.rows)
            if total is not None and (total < 0 if leaf.over == 0 else total // leaf.over <= goal):
                rests.update(self.system.rests_on(leaf, rest))
                return leaf
        return None
