"""Rounded figures: the output depends on where the total stands between two multiples, so every place is judged, all
at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses, least_masses, sticks_above, sticks_below
from dalenius.enclosure.outward import add_down, add_up, exponential, times_up
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import Floats, Law

FARTHEST = 2**62  # units between two worlds: with a place added, 64 bits still hold it


@final
@dataclass(frozen=True, slots=True, eq=False)
class ResidueCurve(Curve):
    """Outputs of a channel with a period: row r of `mass` is the law of the output when the input is moved by r.

    Moving the input by a whole period moves the output by `step`. `cases` lists (place, move): what the target and
    the known records add in one world, reduced to a period, and how much more it is in the other. Cost of `delta`:
    O(width) a case.
    """

    mass: Floats
    error: Floats
    tail: float
    period: int
    step: int
    cases: NDArray[np.int64]

    @classmethod
    def of(cls, law: Law, push: Callable[[Law], Law], period: int, cases: Sequence[tuple[int, int]]) -> "ResidueCurve":
        if any(abs(move) >= FARTHEST for _, move in cases):
            raise InputError("Rounding needs worlds less than 2^62 units apart, but some are more. Use a coarser unit.")
        laws = [push(law.shifted(place)) for place in range(period)]
        step = push(law.shifted(period)).start - laws[0].start
        start, stop = min(one.start for one in laws), max(one.stop for one in laws)
        windows = [one.window(start, stop) for one in laws]
        tail = max(one.tail for one in laws)
        return cls(
            np.array([mass for mass, _ in windows]),
            np.array([error for _, error in windows]),
            tail,
            period,
            step,
            np.array(sorted(set(cases)), dtype=np.int64).reshape(-1, 2),
        )

    def delta(self, epsilon: Fraction) -> Bracket:
        return self.worst(epsilon)[0]

    def worst(self, epsilon: Fraction) -> tuple[Bracket, tuple[int, int]]:
        """The bracket over all cases and both directions, and the case with the largest lower bound."""
        best, case = Bracket(0.0, 0.0), (0, 0)
        ends = self.cases.sum(axis=1)
        turns = ends // self.period
        for move, turn in sorted({(int(m), int(t)) for m, t in zip(self.cases[:, 1], turns, strict=True)}):
            chosen = (self.cases[:, 1] == move) & (turns == turn)
            rows, others = self.cases[chosen, 0], ends[chosen] % self.period
            for forth in (True, False):
                lower, upper = self._sticks(rows, others, turn * self.step, epsilon, forth=forth)
                if float(lower.max()) > best.lower:
                    case = (int(rows[int(lower.argmax())]), move)
                best = best.join(Bracket(float(lower.max()), max(float(lower.max()), float(upper.max()))))
        return Bracket(best.lower, best.upper), case

    def _sticks(
        self, rows: NDArray[np.int64], others: NDArray[np.int64], shift: int, epsilon: Fraction, *, forth: bool
    ) -> tuple[Floats, Floats]:
        """Hockey sticks of the rows against the others moved by `shift` outputs, or the other way round."""
        shift = min(max(shift, -self.mass.shape[1]), self.mass.shape[1])  # further apart they share nothing either
        one, one_error = self._moved(rows, 0, abs(shift))
        two, two_error = self._moved(others, shift, abs(shift))
        p, p_error, q, q_error = (one, one_error, two, two_error) if forth else (two, two_error, one, one_error)
        least, most = exponential(epsilon)
        upper = sticks_above(largest_masses(p, p_error), least_masses(q, q_error), least)
        upper = add_up(upper, self.tail)
        lower = sticks_below(least_masses(p, p_error), largest_masses(q, q_error), most)
        lower = add_down(lower, -times_up(most, self.tail))
        return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)

    def _moved(self, rows: NDArray[np.int64], shift: int, room: int) -> tuple[Floats, Floats]:
        """Rows of the table on a window widened by `room` on both sides, moved by `shift`."""
        width = self.mass.shape[1]
        mass, error = np.zeros((len(rows), width + 2 * room)), np.zeros((len(rows), width + 2 * room))
        mass[:, room + shift : room + shift + width] = self.mass[rows]
        error[:, room + shift : room + shift + width] = self.error[rows]
        return mass, error
