"""Rows of whole numbers and what has been proved of them so far: every bound is a step that anybody can add up again.

A *row* says that a sum of unknowns lies between two ends. A *combination* of rows, each multiplied by a whole number,
says that

    over · form  ≤  Σ multiple · (upper end of the row, or its lower end if the multiple is negative)
                    + Σ rest · (upper end of the unknown, or its lower end if the rest is negative),

where the rest is over · form minus the combined rows, unknown by unknown. Whatever the multiples are, that is true;
so they may come from a solver that computes with floats. The form is a whole number, so the right side may be divided
by `over` and rounded down (the rounding of Gomory and Chvátal). All sums are of 64-bit whole numbers that cannot
overflow, or of Python's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.audit.problem import ContradictionError, End, Problem, Terms
from dalenius.basics.errors import InputError

Ints: TypeAlias = NDArray[np.int64]
Multiples: TypeAlias = tuple[tuple[int, int], ...]  # place of a row, and how often it is taken
FAR = 1 << 61  # what no sum may reach
OPEN = 1 << 40  # an open end, where a search needs a number; never in a proof
ROUNDS = 60  # of propagation: each is sound by itself


@final
@dataclass(frozen=True, slots=True)
class Leaf:
    """A combination of rows: over · form is at most what it adds up to. With over = 0 it shows that nothing fits."""

    over: int
    rows: Multiples


@final
@dataclass(frozen=True, slots=True)
class Split:
    """An unknown is at most `most`, or it is more: two proofs."""

    place: int
    most: int
    below: "Proof"
    above: "Proof"


@final
@dataclass(frozen=True, slots=True)
class Tight:
    """A row whose least value is its upper end: everything in it is at the end that makes it least."""

    row: int


Proof: TypeAlias = Leaf | Split | Tight


@final
@dataclass(frozen=True, slots=True)
class Step:
    """`form` is at most `value`, by `proof`, which rests on earlier steps. A tight row sets all its unknowns, and has
    no form of its own.
    """

    form: Terms
    value: int
    proof: Proof
    rests_on: tuple[int, ...] = field(repr=False)


class RefutedError(Exception):
    """No table fits: `step` of a system says so. Whoever asked catches it, and says which numbers it rests on."""

    def __init__(self, system: "System", step: int) -> None:
        super().__init__()
        self.system, self.step = system, step


class System:
    """The rows of a problem, the best ends of its unknowns, and the steps by which they were found."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.sources = [statement.source for statement in problem.statements]
        self.rows: list[Terms] = [statement.terms for statement in problem.statements]
        self.ends: list[tuple[End, End]] = [statement.ends for statement in problem.statements]
        self.row_step: list[int] = [-1] * len(self.rows)
        self.steps: list[Step] = []
        self.lower, self.upper = (
            _ends([each.lower for each in problem.unknowns], -FAR),
            _ends([each.upper for each in problem.unknowns], FAR),
        )
        self.lower_step = np.full(len(problem.unknowns), -1, dtype=np.int64)
        self.upper_step = self.lower_step.copy()
        self._within_reach()
        self._gather()
        self._crossed(np.arange(len(problem.unknowns)))

    def _within_reach(self) -> None:
        """No sum of 64-bit numbers may overflow: InputError if one could."""
        finite = [abs(int(end)) for end in (*self.lower, *self.upper) if abs(int(end)) < FAR]
        far = max([1, *finite, *(abs(end) for ends in self.ends for end in ends if end is not None)])
        heavy = max([1, *(sum(abs(often) for _, often in row) for row in self.rows)])
        if far * heavy * 4 >= FAR:
            raise InputError(
                f"Needed numbers whose sums stay below {FAR // 4}, but got ends up to {far} counted {heavy} times. "
                "Write them in a larger unit."
            )

    def _gather(self) -> None:
        """The rows as one matrix, and their ends."""
        lengths = [len(row) for row in self.rows]
        places = np.fromiter((place for row in self.rows for place, _ in row), dtype=np.int64, count=sum(lengths))
        often = np.fromiter((times for row in self.rows for _, times in row), dtype=np.int64, count=sum(lengths))
        starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
        self.matrix = sparse.csr_matrix((often, places, starts), shape=(len(self.rows), len(self.lower)))
        self._coarsest = int(np.abs(often).max(initial=0))
        self.entry_row = np.repeat(np.arange(len(self.rows)), lengths)
        self.row_lower = _ends([lower for lower, _ in self.ends], -FAR)
        self.row_upper = _ends([upper for _, upper in self.ends], FAR)

    def known(self, place: int) -> bool:
        """Whether an unknown has one value left."""
        return bool(self.lower[place] == self.upper[place])

    def evaluated(self, form: Terms, over: int, rows: Multiples) -> tuple[int | None, Ints]:
        """What over · form is at most, by this combination and the ends so far (None if an end is open), and the
        rest.
        """
        rest, total, fine = self._rest(form, over, rows)
        used = np.flatnonzero(rest)
        ends = np.where(rest[used] > 0, self.upper[used], self.lower[used])
        if not fine or bool(np.any(np.abs(ends) >= FAR)):
            return None, rest
        weight = int(np.abs(rest[used]).max(initial=0)) * int(np.abs(ends).max(initial=0)) * max(1, len(used))
        if weight < FAR:
            return total + int(rest[used] @ ends), rest
        return total + sum(int(a) * int(b) for a, b in zip(rest[used], ends, strict=True)), rest

    def _rest(self, form: Terms, over: int, rows: Multiples) -> tuple[Any, int, bool]:
        """Over · form minus the combined rows, the sum of their ends, and whether none of these is open."""
        multiples = [(row, times) for row, times in rows if times]
        total, fine = 0, True
        for row, times in multiples:
            end = self.ends[row][times > 0]
            fine = fine and end is not None
            total += times * (end or 0)
        largest = max([abs(over), *(abs(times) for _, times in multiples)])
        coarse = max([self._coarsest, *(abs(times) for _, times in form)])
        exact = largest * 1000 * (len(multiples) + 2) < FAR and coarse < 1000
        rest = np.zeros(len(self.lower), dtype=np.int64 if exact else object)
        for place, times in form:
            rest[place] += over * times
        for row, times in multiples:
            start, stop = self.matrix.indptr[row], self.matrix.indptr[row + 1]
            often = self.matrix.data[start:stop]
            rest[self.matrix.indices[start:stop]] -= (often if exact else often.astype(object)) * times
        return rest, total, fine

    def prove(self, form: Terms, leaf: Leaf) -> int | None:
        """The bound that a combination gives for a form, noted as a step if it is finite; its place."""
        total, rest = self.evaluated(form, leaf.over, leaf.rows)
        return None if total is None else self.note(form, total // leaf.over, leaf, rest)

    def note(self, form: Terms, value: int, proof: Leaf, rest: Ints) -> int:
        """A step more; what is proved of one unknown becomes its end."""
        self.steps.append(Step(form, value, proof, self.rests_on(proof, rest)))
        place = len(self.steps) - 1
        if len(form) == 1 and abs(form[0][1]) == 1:
            self._bound(form[0][0], form[0][1], value, place)
        return place

    def note_tree(self, form: Terms, value: int, proof: Proof, rests: set[int]) -> int:
        """A step that was proved by cases."""
        self.steps.append(Step(form, value, proof, tuple(sorted(rests))))
        return len(self.steps) - 1

    def rests_on(self, proof: Leaf, rest: Ints) -> tuple[int, ...]:
        """The steps that a leaf uses: those of its rows, and of the ends of what is left."""
        rows = [self.row_step[row] for row, times in proof.rows if times]
        used = np.flatnonzero(rest)
        ends = np.where(rest[used] > 0, self.upper_step[used], self.lower_step[used])
        return tuple({*(step for step in rows if step >= 0), *(int(step) for step in np.unique(ends) if step >= 0)})

    def _bound(self, place: int, sign: int, value: int, step: int) -> None:
        if sign > 0 and value < self.upper[place]:
            self.upper[place], self.upper_step[place] = value, step
        elif sign < 0 and -value > self.lower[place]:
            self.lower[place], self.lower_step[place] = -value, step

    def add_row(self, step: int) -> int:
        """What a step has proved, as a row that others can use."""
        self.rows.append(self.steps[step].form)
        self.ends.append((None, self.steps[step].value))
        self.row_step.append(step)
        self._gather()
        return len(self.rows) - 1

    def tighten(self, row: int) -> None:
        """A row that cannot be less than its upper end: all its unknowns are where that makes them be."""
        terms = self.rows[row]
        ends = [int(self.lower[place] if times > 0 else self.upper[place]) for place, times in terms]
        least = sum(times * end for (_, times), end in zip(terms, ends, strict=True))
        if least != self.ends[row][1]:
            raise AssertionError("a tight row must be at its end")
        steps = [self.lower_step[place] if times > 0 else self.upper_step[place] for place, times in terms]
        rests = tuple({self.row_step[row], *map(int, steps)} - {-1})
        self.steps.append(Step((), 0, Tight(row), rests))
        for (place, times), end in zip(terms, ends, strict=True):
            self._bound(place, 1 if times > 0 else -1, end if times > 0 else -end, len(self.steps) - 1)

    def propagate(self, end: float = inf) -> None:
        """Ends of unknowns by one row at a time, until nothing changes, or for some rounds; at least one, even if no
        time is left. Each is a step.
        """
        for turn in range(ROUNDS):
            if turn and monotonic() > end:
                return
            changed = self._round()
            if not len(changed):
                return
            self._crossed(changed)

    def _round(self) -> Ints:
        """One look at every row; the unknowns whose ends it moved."""
        from_upper = self._offers(self.row_upper, 1)
        from_lower = self._offers(self.row_lower, -1)
        moved = []
        for place, side, value, leaf in (*from_upper, *from_lower):
            better = value < self.upper[place] if side > 0 else -value > self.lower[place]
            if better and self.prove(((place, side),), leaf) is not None:
                moved.append(place)
        return np.unique(np.array(moved, dtype=np.int64))

    def _offers(self, ends: Ints, sign: int) -> list[tuple[int, int, int, Leaf]]:
        """The best end that the rows with these ends offer to each unknown: its place, side, value, and why."""
        data, places = self.matrix.data * sign, self.matrix.indices
        low = np.where(data > 0, self.lower[places], self.upper[places])  # what makes the row least
        infinite = np.abs(low) >= FAR
        part = np.where(infinite, 0, data * np.where(infinite, 0, low))
        least = np.zeros(len(self.rows), dtype=np.int64)
        np.add.at(least, self.entry_row, part)
        open_ends = np.zeros(len(self.rows), dtype=np.int64)
        np.add.at(open_ends, self.entry_row, infinite)
        usable = (np.abs(ends[self.entry_row]) < FAR) & (open_ends[self.entry_row] == infinite) & (data != 0)
        room = sign * ends[self.entry_row] - (least[self.entry_row] - part)
        value = np.where(usable, room // np.maximum(1, np.abs(data)), FAR)  # of x, or of -x
        up = data > 0
        gain = np.where(up, self.upper[places] - value, -value - self.lower[places])
        good = np.flatnonzero(usable & (gain > 0))
        side = np.where(up[good], 1, -1)
        order = np.lexsort((value[good], side, places[good]))
        first = np.ones(len(good), dtype=bool)
        keys = np.stack([places[good][order], side[order]])
        first[1:] = np.any(keys[:, 1:] != keys[:, :-1], axis=0)
        chosen = good[order][first]
        return [
            (
                int(places[at]),
                1 if up[at] else -1,
                int(value[at]),
                Leaf(abs(int(data[at])), ((int(self.entry_row[at]), sign),)),
            )
            for at in chosen
        ]

    def _crossed(self, places: Ints) -> None:
        """ContradictionError if an unknown has no value left: its two ends, added up, say so."""
        for place in places:
            if self.lower[place] > self.upper[place]:
                steps = sorted({int(self.lower_step[place]), int(self.upper_step[place])} - {-1})
                if not steps:
                    name, low, high = self.problem.unknowns[place].name, self.lower[place], self.upper[place]
                    raise ContradictionError(
                        f"Needed a least value that is at most the largest, but {name} is said to be at least {low} "
                        f"and at most {high}. Correct what is known of it.",
                        (name,),
                    )
                leaf = Leaf(0, tuple((self.add_row(step), 1) for step in steps))
                total, rest = self.evaluated((), 0, leaf.rows)
                if total is None or total >= 0:
                    raise AssertionError("ends that cross add up to less than nothing")
                self.steps.append(Step((), total, leaf, self.rests_on(leaf, rest)))
                raise RefutedError(self, len(self.steps) - 1)

    def stated_by(self, steps: Sequence[int]) -> tuple[str, ...]:
        """The sources of all statements on which these steps rest."""
        rows: set[int] = set()
        for step in self.needed(steps):
            rows |= {row for row in rows_of(self.steps[step].proof) if row < len(self.sources)}
        return tuple(self.sources[row] for row in sorted(rows))

    def needed(self, steps: Sequence[int]) -> list[int]:
        """These steps and all on which they rest, in order."""
        found: set[int] = set()
        waiting = [step for step in steps if step >= 0]
        while waiting:
            step = waiting.pop()
            if step not in found:
                found.add(step)
                waiting += self.steps[step].rests_on
        return sorted(found)


def rows_of(proof: Proof) -> set[int]:
    """The rows that a proof uses."""
    match proof:
        case Leaf(_, rows):
            return {row for row, times in rows if times}
        case Tight(row):
            return {row}
        case Split(_, _, below, above):
            return rows_of(below) | rows_of(above)


def _ends(ends: Sequence[End], far: int) -> Ints:
    return np.array([far if end is None else end for end in ends], dtype=np.int64)
