"""Privacy loss distributions: what a pair of laws (P, Q) tells by log(P/Q), as outcomes with masses under P and Q.

A list *from above* tells at least as much as the pair: P's masses from above and Q's from below, and what is neither
listed nor known counts as an infinite loss. A list *from below* tells at most as much: P from below, Q from above.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TypeAlias, final

import numpy as np

from dalenius.enclosure.excess import largest_masses, least_masses
from dalenius.numerics.law import Floats, Law

Masses: TypeAlias = tuple[Floats, Floats, float]  # P, Q, and P-mass that may be anywhere

FAINT = 1e-280  # masses below this lose digits when they are multiplied; all losses listed are between its logarithms
CELLS = 8192  # cells of a continuous loss that are enough from below

NOTHING: Masses = (np.ones(1), np.ones(1), 0.0)


class Losses(ABC):
    """The losses of one pair, which may have so many outcomes that they are put into cells."""

    @property
    def grain(self) -> float:
        """A number of which the likely losses are multiples, as far as rounding goes; 0 if there is none."""
        return 0.0

    @abstractmethod
    def above(self, step: float, tilt: float) -> Masses:
        """A list from above. Outcomes may be merged if no multiple of the step lies between their losses: whoever then
        splits each between the multiples around its loss gets what splitting all of them would give.

        It should be sharp where losses are likely once they are weighed by exp(tilt · loss).
        """

    @abstractmethod
    def below(self, width: float, tilt: float) -> Masses:
        """A list from below. Outcomes may be merged if their losses lie in a cell of this width, or in one of `CELLS`
        cells that cover what is likely.
        """

    @abstractmethod
    def log_moment(self, tilt: float) -> float:
        """Log E exp(tilt · loss), about."""

    def log_moment_below(self, tilt: float) -> float:
        """The same of the list from below, where that is known to differ."""
        return self.log_moment(tilt)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Listed(Losses):
    """Outcomes that are listed anyway."""

    over: Masses
    under: Masses
    unit: float = 0.0
    _finite: dict[bool, tuple[Floats, Floats]] = field(default_factory=dict, repr=False)  # by whether it is from above

    @property
    def grain(self) -> float:
        return self.unit

    def log_moment(self, tilt: float) -> float:
        if True not in self._finite:
            self._finite[True] = finite(clipped_above(self.over))
        return log_moment(*self._finite[True], tilt)

    def log_moment_below(self, tilt: float) -> float:
        if False not in self._finite:
            self._finite[False] = finite(clipped_below(self.under))
        return log_moment(*self._finite[False], tilt)

    def above(self, step: float, tilt: float) -> Masses:
        return self.over

    def below(self, width: float, tilt: float) -> Masses:
        return self.under


def losses_of(p: Law, q: Law) -> Listed:
    """P against Q, in this direction."""
    return Listed(_ends_above(p, q), _ends_below(p, q))


def _ends_above(p: Law, q: Law) -> Masses:
    """P's tail may be anywhere, so it counts as an infinite loss."""
    return largest_masses(p.mass, p.error), least_masses(*q.window(p.start, p.stop)), p.tail


def _ends_below(p: Law, q: Law) -> Masses:
    """Where Q is only known to be in its tail, P counts for nothing."""
    p_mass, q_upper = least_masses(p.mass, p.error), largest_masses(*q.window(p.start, p.stop))
    if q.tail:
        places = np.arange(p.start, p.stop)
        p_mass = np.where((places >= q.start) & (places < q.stop), p_mass, 0.0)
    return p_mass, q_upper, 0.0


def clipped_above(masses: Masses) -> Masses:
    """Faint masses of P raised, and of Q forgotten, so that what is left keeps its digits."""
    p, q, tail = masses
    return np.where(p > 0, np.maximum(p, FAINT), 0.0), np.where(q < FAINT, 0.0, q), tail


def clipped_below(masses: Masses) -> Masses:
    """Faint masses of Q raised, and of P forgotten."""
    p, q, tail = masses
    return np.where(p < FAINT, 0.0, p), np.where(q > 0, np.maximum(q, FAINT), 0.0), tail


def finite(masses: Masses) -> tuple[Floats, Floats]:
    """Losses that are finite, and their P-masses."""
    p, q, _ = masses
    sure = (p > 0) & (q > 0)
    return np.log(p[sure] / q[sure]), p[sure]


def log_moment(loss: Floats, mass: Floats, tilt: float) -> float:
    """Log E exp(tilt · loss), from above; 0 if there are no losses."""
    if not len(loss):
        return 0.0
    top = float((tilt * loss).max())
    return top + math.log(float((mass * np.exp(tilt * loss - top)).sum()) or 1.0) + 1e-13 * (1 + abs(top))


def edges_below(low: float, high: float, width: float) -> Floats:
    """Edges of cells of at least this width, and of not more than `CELLS`."""
    return np.linspace(low, high, max(1, int(min(CELLS, (high - low) / width))) + 1)
