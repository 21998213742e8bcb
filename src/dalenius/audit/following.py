"""What follows from published numbers: for every target an interval that is proved, and tables that reach its ends.

In the order of what it costs:

1. rows one at a time (`System.propagate`), then the parts that share no row;
2. unknowns that no table can move: those that no solution of a linear program has moved are asked about all at once,
and one combination of rows settles them together; 3. tables that move as many targets as possible at once; 4. each
target that never moved: one program for its largest value and one for its least, and the combination of rows that the
solver found, rounded to fractions and added up in whole numbers; 5. the ends of the others, in the same way; where
fractions leave a gap, by cases.
"""

from collections.abc import Iterable
from math import inf
from time import monotonic

import numpy as np

from dalenius.audit.contradiction import named
from dalenius.audit.findings import Findings
from dalenius.audit.gathering import gathered
from dalenius.audit.part import HAIR, ProblemPart
from dalenius.audit.problem import Problem, Terms
from dalenius.audit.search import Floats, Optimum
from dalenius.audit.system import Ints, Leaf, RefutedError, System
from dalenius.basics.patience import TimeUpError

TRIES = 40  # programs that look for what moves
SIDES = (1, -1)  # a largest value, and a least one


def follow(problem: Problem, *, seconds: float | None = 60.0) -> Findings:
    """The interval of every target, whole numbers considered, with proofs; what was not settled in `seconds` says so
    (None: as long as it takes).

    >>> from dalenius.audit import Problem, Statement, Sought, Unknown, follow
    >>> cells = (Unknown("a", 1), Unknown("b", 1))
    >>> total = Statement(((0, 1), (1, 1)), 2, 2, "15 - 10 - 3")
    >>> found = follow(Problem(cells, (total,), (Sought("a", ((0, 1),)),)))
    >>> found.each[0].low, found.each[0].high, str(found.status)
    (1, 1, 'follows')
    """
    end = inf if seconds is None else monotonic() + seconds
    try:
        return _Following(problem, end).found()
    except RefutedError as error:
        raise named(error.system, error.step, end) from None


class _Following:
    """One audit under way."""

    def __init__(self, problem: Problem, end: float) -> None:
        self.problem, self._end = problem, end
        self.system = System(problem)
        self.proved: dict[tuple[int, int], int] = {}  # target and side, to the step that bounds it
        self.system.propagate(self._end)
        self.parts = self._split([])

    def seconds_left(self) -> float:
        return self._end - monotonic()

    def found(self) -> Findings:
        """Each stage as long as there is time; what is proved by then is proved."""
        try:
            self._settle()
            for part in self.parts:
                self._inhabit(part)
            for stage in (self._move, self._constant, self._reach, self._by_cases):
                for part in self.parts:
                    stage(part)
        except TimeUpError:
            pass
        return self._findings()

    def _split(self, before: Iterable[ProblemPart]) -> list[ProblemPart]:
        """The parts that share neither a row nor a target, with the tables found before."""
        system, groups = self.system, _Groups(len(self.system.lower))
        open_ = system.lower != system.upper
        keep = open_[system.matrix.indices]
        groups.join(system.entry_row[keep], system.matrix.indices[keep])
        moving: list[tuple[int, list[int]]] = []
        for target, each in enumerate(self.problem.targets):
            places = [place for place, times in each.terms if times and open_[place]]
            if places:
                moving.append((target, places))
        lengths = [len(places) for _, places in moving]
        owners = np.repeat(np.arange(len(moving)), lengths)
        groups.join(owners, np.array([place for _, places in moving for place in places], dtype=np.int64))
        roots = groups.roots()
        columns: dict[int, list[int]] = {}
        for place in np.flatnonzero(open_):
            columns.setdefault(int(roots[place]), []).append(int(place))
        targets: dict[int, list[int]] = {}
        for target, places in moving:
            targets.setdefault(int(roots[places[0]]), []).append(target)
        parts = [
            ProblemPart(system, np.array(places), targets.get(root, []), self.seconds_left)
            for root, places in columns.items()
        ]
        for part in parts:
            for old in before:
                _hand_over(old, part)
        return parts

    def _settle(self) -> None:
        """Unknowns that cannot leave an end: one combination shows it for all of them."""
        settled = False
        for part in self.parts:
            settled = self._frozen(part) or settled
        if settled:
            self.system.propagate(self._end)
            self.parts = self._split(self.parts)

    def _frozen(self, part: ProblemPart) -> bool:
        part.largest(np.zeros(len(part.columns)))
        for _ in range(TRIES):
            lower, upper = part.floats()
            at_low = (part.high_seen < lower + HAIR) & (upper < part.cap)
            at_high = (part.low_seen > upper - HAIR) & (upper < part.cap)
            weights = at_low.astype(float) - at_high.astype(float)
            if not weights.any():
                return False
            found = part.largest(weights)
            if found is None or found.at is None:
                return False
            goal = int(np.rint(weights @ np.where(at_low, lower, upper)))
            if found.value < goal + HAIR:
                return self._freeze(part, weights, found, goal)
        return False

    def _freeze(self, part: ProblemPart, weights: Floats, found: Optimum, goal: int) -> bool:
        places = np.flatnonzero(weights)
        form: Terms = tuple((int(part.columns[place]), int(weights[place])) for place in places)
        step = part.bound(form, found, goal)
        if step is None or self.system.steps[step].value > goal:
            return False
        if len(form) > 1:
            self.system.tighten(self.system.add_row(step))
        return True

    def _inhabit(self, part: ProblemPart) -> None:
        """One table that fits, or a proof that there is none."""
        if not part.points:
            part.largest(np.zeros(len(part.columns)))
        while not part.points:
            step = part.tree((), np.zeros(len(part.columns)), 0, -1)
            if step is not None:
                raise RefutedError(self.system, step)
            if not part.points:
                return

    def _move(self, part: ProblemPart) -> None:
        """Tables that move many targets at once, until nothing new moves."""
        idle = 0
        for turn in range(TRIES):
            still = np.flatnonzero(part.least >= part.most)
            if not len(still) or idle > 3:
                return
            signs = np.where((np.arange(len(still)) >> max(0, turn // 2 - 1)) & (turn > 1), -1, 1) * (-1) ** turn
            part.largest(np.asarray(part.shape[still].T @ signs, dtype=float))
            idle = 0 if np.count_nonzero(part.least >= part.most) < len(still) else idle + 1

    def _constant(self, part: ProblemPart) -> None:
        """Targets that never moved: their largest and their least value."""
        for place in range(len(part.targets)):
            if part.least[place] >= part.most[place]:
                self._ends(part, place)

    def _reach(self, part: ProblemPart) -> None:
        """The ends of all others."""
        for place in range(len(part.targets)):
            self._ends(part, place)

    def _ends(self, part: ProblemPart, place: int) -> None:
        for side in SIDES:
            if not self._reached(part, place, side) and (part.targets[place], side) not in self.proved:
                sum_of = np.asarray(part.shape[[place]].todense(), dtype=float)[0] * side
                found = part.largest(sum_of)
                if found is not None and found.at is not None and found.value < part.cap / 2:
                    constant = int(part.fixed[place]) * side
                    goal = int(np.floor(found.value + HAIR)) + constant
                    self._note(
                        part.targets[place], side, part.bound(self._form(part.targets[place], side), found, goal)
                    )

    def _by_cases(self, part: ProblemPart) -> None:
        """Ends that fractions do not reach."""
        for place, target in enumerate(part.targets):
            for side in SIDES:
                while not self._reached(part, place, side) and self._value(target, side) is not None and part.points:
                    sum_of = np.asarray(part.shape[[place]].todense(), dtype=float)[0] * side
                    goal = int(part.most[place] if side > 0 else -part.least[place])
                    constant = int(part.fixed[place]) * side
                    self._note(target, side, part.tree(self._form(target, side), sum_of, constant, goal))
                    now = int(part.most[place] if side > 0 else -part.least[place])
                    if now == goal:
                        break

    def _form(self, target: int, side: int) -> Terms:
        return tuple((place, side * times) for place, times in self.problem.targets[target].terms)

    def _note(self, target: int, side: int, step: int | None) -> None:
        best = self.proved.get((target, side))
        if step is not None and (best is None or self.system.steps[step].value < self.system.steps[best].value):
            self.proved[target, side] = step

    def _value(self, target: int, side: int) -> int | None:
        """What is proved: the target (or minus it) is at most this. The ends of its unknowns count too."""
        total, _ = self.system.evaluated(self._form(target, side), 1, ())
        if (target, side) in self.proved:
            noted = self.system.steps[self.proved[target, side]].value
            return noted if total is None else min(noted, total)
        return total

    def _reached(self, part: ProblemPart, place: int, side: int) -> bool:
        seen = int(part.most[place]) if side > 0 else -int(part.least[place])
        value = self._value(part.targets[place], side)
        return value is not None and bool(part.points) and seen >= value

    def _findings(self) -> Findings:
        for target in range(len(self.problem.targets)):
            for side in SIDES:
                total, _ = self.system.evaluated(self._form(target, side), 1, ())
                noted = self.proved.get((target, side))
                if total is not None and (noted is None or self.system.steps[noted].value > total):
                    self._note(target, side, self.system.prove(self._form(target, side), Leaf(1, ())))
        return gathered(self.system, self.parts, self.proved)


def _hand_over(old: ProblemPart, part: ProblemPart) -> None:
    """Tables of a part that was larger, for what is left of it."""
    places = np.searchsorted(old.columns, part.columns)
    if places.max(initial=0) < len(old.columns) and np.array_equal(old.columns[places], part.columns):
        for point in old.points:
            part.take(point[places])
        part.low_seen, part.high_seen = old.low_seen[places], old.high_seen[places]


class _Groups:
    """Sets that are joined where two share a member."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pairs: list[tuple[Ints, Ints]] = []

    def join(self, owners: Ints, members: Ints) -> None:
        """All members of one owner belong together; owners must come in order."""
        same = owners[1:] == owners[:-1]
        self._pairs.append((members[1:][same], members[:-1][same]))

    def roots(self) -> Ints:
        """A name of its set for each member."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        one = np.concatenate([pair[0] for pair in self._pairs])
        other = np.concatenate([pair[1] for pair in self._pairs])
        graph = coo_matrix((np.ones(len(one), dtype=np.int8), (one, other)), shape=(self._count, self._count))
        return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
