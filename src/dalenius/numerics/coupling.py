r"""The overlap coupling of two functions of the same unknown: how far apart their laws are, from where they differ.

Let J(s, t) = P(first = s, second = t). The two laws are the sums of its rows and of its columns, and

$$ P(t) - e^\epsilon Q(t) = \sum_{s \ne t} J(t, s) - (e^\epsilon - 1) J(t, t) - e^\epsilon \sum_{s \ne t} J(s, t) $$

so that the hockey-stick divergence keeps its relative accuracy where the two nearly always agree: what they share is
never subtracted. At epsilon = 0 it is at most the probability that they differ (coupled worlds, Theorem 11).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import (
    add_up,
    difference_down,
    growth,
    lowered,
    raised,
    sum_down,
    sum_up,
    times_down,
    times_up,
)
from dalenius.numerics.curve import Curve
from dalenius.numerics.intervals import Intervals
from dalenius.numerics.law import Floats

FAR = 2**61  # beyond all totals


@final
@dataclass(frozen=True, slots=True, eq=False)
class Coupling:
    """Bounds on J(s, t) for many cases: arrays [case, s, t]."""

    least: Floats
    most: Floats

    def disagreement(self) -> tuple[Floats, Floats]:
        """Bounds on the probability, in each case, that the two differ."""
        few, many = (_off(values).reshape(len(values), -1) for values in (self.least, self.most))
        return sum_down(few, axis=1), np.minimum(sum_up(many, axis=1), 1.0)

    def outputs(self) -> tuple[Floats, Floats]:
        """Lower bounds on the probability of each output, in each case: of the first and of the second."""
        return sum_down(self.least, axis=2), sum_down(self.least, axis=1)

    def mirrored(self) -> "Coupling":
        """The two in the other order."""
        return Coupling(self.least.transpose(0, 2, 1), self.most.transpose(0, 2, 1))

    def hockey_sticks(self, epsilon: Fraction) -> tuple[Floats, Floats]:
        """Bounds, for each case, on how far the first exceeds e^epsilon times the second. Cost O(cases · outputs²)."""
        low, high = growth(epsilon)
        lower, upper = _excess_below(self.least, self.most, high), _excess_above(self.most, self.least, low)
        return np.minimum(lower, 1.0), np.minimum(upper, 1.0)


def _excess_above(ahead: Floats, behind: Floats, factor: float) -> Floats:
    """The sum over outputs t of Σ_s J(t, s) - factor J(t, t) - (1 + factor) Σ_s J(s, t), where positive, from above."""
    same, other = np.diagonal(behind, axis1=1, axis2=2), sum_down(_off(behind), axis=1)
    loss = lowered(times_down(same, factor) + times_down(other, 1 + factor), 2)
    return sum_up(raised(np.maximum(sum_up(_off(ahead), axis=2) - loss, 0.0), 1), axis=1)


def _excess_below(ahead: Floats, behind: Floats, factor: float) -> Floats:
    """The same sum from below; the factor may be infinite."""
    same, other = np.diagonal(behind, axis1=1, axis2=2), sum_up(_off(behind), axis=1)
    loss = raised(times_up(same, factor) + times_up(other, add_up(1.0, factor)), 2)
    return sum_down(difference_down(sum_down(_off(ahead), axis=2), loss), axis=1)


def _off(joint: Floats) -> Floats:
    """Where the two differ."""
    size = joint.shape[1]
    return np.where(np.eye(size, dtype=bool), 0.0, joint)


@final
@dataclass(frozen=True, slots=True, eq=False)
class CouplingCurve(Curve):
    """The worst case of some couplings, both ways round. Cases that were left out (`partial`) have a delta of at most
    `floor`.
    """

    couplings: tuple[Coupling, ...]
    floor: float = 0.0
    partial: bool = False

    def delta(self, epsilon: Fraction) -> Bracket:
        worst = Bracket(0.0, min(self.floor, 1.0))
        for coupling in self.couplings:
            for one in (coupling, coupling.mirrored()):
                lower, upper = one.hockey_sticks(epsilon)
                worst = worst.join(Bracket(float(lower.max(initial=0.0)), float(upper.max(initial=0.0))))
        return worst

    def disagreement(self) -> Bracket:
        """The largest probability that the two differ."""
        worst = Bracket(0.0, min(1.0, self.floor))
        for coupling in self.couplings:
            lower, upper = coupling.disagreement()
            worst = worst.join(Bracket(float(lower.max(initial=0.0)), float(upper.max(initial=0.0))))
        return worst

    def least_output(self) -> float:
        """A lower bound on the probability of every output of the first, in every case; 0 if some were left out."""
        if self.partial:
            return 0.0
        return min(float(coupling.outputs()[0].min(initial=1.0)) for coupling in self.couplings)


@final
@dataclass(frozen=True, slots=True, eq=False)
class CouplingSteps:
    """A function of a whole number that changes at a few places: outputs[i] from starts[i - 1] up to starts[i]."""

    starts: tuple[int, ...]
    outputs: tuple[int, ...]

    def at(self, total: int) -> int:
        """The output for this total."""
        return self.outputs[sum(start <= total for start in self.starts)]

    def moved(self, by: int) -> "CouplingSteps":
        """The same function of the total less `by`: f(total + by)."""
        return CouplingSteps(tuple(start - by for start in self.starts), self.outputs)


def pieces(first: CouplingSteps, second: CouplingSteps) -> list[tuple[int | None, int | None, int, int]]:
    """The places where two functions of one total are both constant: from, up to, and the two outputs there."""
    cuts = sorted({*first.starts, *second.starts})
    ends = list(zip([None, *cuts], [*cuts, None], strict=True))
    return [
        (low, high, first.at(at), second.at(at))
        for low, high in ends
        for at in [low if low is not None else (cuts[0] - 1 if cuts else 0)]
    ]


def joint(
    masses: Intervals, first: CouplingSteps, second: CouplingSteps, offsets: NDArray[np.int64], outputs: int
) -> tuple[Floats, Floats]:
    """Bounds on J for the functions first(K + c) and second(K + c), for each offset c. Cost O(offsets · pieces)."""
    least, most = np.zeros((2, len(offsets), outputs, outputs))
    parts = pieces(first, second)
    for low, high, one, two in parts:
        lows, highs = (
            np.array(-FAR if low is None else low) - offsets,
            np.array(FAR if high is None else high) - offsets,
        )
        few, many = masses.between(lows, highs)
        least[:, one, two] += few
        most[:, one, two] += many
    return lowered(least, len(parts)), np.minimum(raised(most, len(parts)), 1.0)
