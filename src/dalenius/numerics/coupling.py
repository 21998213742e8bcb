r"""Two releases that are functions of the same unknown: how far apart their laws are, from where they differ.

Let J(s, t) = P(first = s, second = t). The two laws are the sums of its rows and of its columns, and

$$ P(t) - e^\epsilon Q(t) = \sum_{s \ne t} J(t, s) - (e^\epsilon - 1) J(t, t) - e^\epsilon \sum_{s \ne t} J(s, t) $$

so that the hockey-stick divergence keeps its relative accuracy where the two nearly always agree: what they share is
never subtracted. At epsilon = 0 it is at most the probability that they differ (coupled worlds, Theorem 11).
"""

import math
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.values import dataclass
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.numerics.curve import Curve
from dalenius.numerics.divergence import LARGEST
from dalenius.numerics.intervals import Intervals
from dalenius.numerics.law import Floats

FAR = 2**61  # beyond all totals


def growth(epsilon: Fraction) -> tuple[float, float]:
    """Bounds on e^epsilon - 1, with a small relative error also where epsilon is small (infinite above 700)."""
    if epsilon > LARGEST:
        return math.expm1(700.0) * (1 - 1e-12), math.inf
    value, units = math.expm1(float(epsilon)), (2 * LIBM + 2 * float(epsilon) + 4) * UNIT
    return value * (1 - units), value * (1 + units)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Coupling:
    """Bounds on J(s, t) for many cases: arrays [case, s, t]."""

    least: Floats
    most: Floats

    def disagreement(self) -> tuple[Floats, Floats]:
        """Bounds on the probability, in each case, that the two differ."""
        few, many = (_off(values).sum(axis=(1, 2)) for values in (self.least, self.most))
        units = 2 * (self.least.shape[1] ** 2 + 2) * UNIT
        return few * (1 - units), np.minimum(many * (1 + units), 1.0)

    def outputs(self) -> tuple[Floats, Floats]:
        """Lower bounds on the probability of each output, in each case: of the first and of the second."""
        units = 2 * (self.least.shape[1] + 2) * UNIT
        return self.least.sum(axis=2) * (1 - units), self.least.sum(axis=1) * (1 - units)

    def mirrored(self) -> "Coupling":
        """The two in the other order."""
        return Coupling(self.least.transpose(0, 2, 1), self.most.transpose(0, 2, 1))

    def hockey_sticks(self, epsilon: Fraction) -> tuple[Floats, Floats]:
        """Bounds, for each case, on how far the first exceeds e^epsilon times the second. Cost O(cases · outputs²)."""
        low, high = growth(epsilon)
        units = 2 * (self.least.shape[1] + 4) * UNIT
        lower = _excess(self.least, self.most, high, -units).sum(axis=1)
        upper = _excess(self.most, self.least, low, units).sum(axis=1)
        return np.minimum(lower, 1.0), np.minimum(upper, 1.0)


def _excess(ahead: Floats, behind: Floats, factor: float, slack: float) -> Floats:
    """Σ_s J(t, s) - factor J(t, t) - (1 + factor) Σ_s J(s, t) for each output t, where positive: from above if the
    slack is positive, `ahead` is from above and `behind` and the factor are from below; else the other way round.

    With k outputs the gain errs by k + 1 units, the loss by k + 3, their difference and its sum over the outputs by k.
    Where the difference is positive the gain is the larger, so that 2k + 8 units of it are more than all of these.
    """
    gain = _off(ahead).sum(axis=2) * (1 + slack)
    same, other = np.diagonal(behind, axis1=1, axis2=2), _off(behind).sum(axis=1)
    if math.isinf(factor):
        return np.where((same > 0) | (other > 0), 0.0, gain)
    loss = factor * same + (1 + factor) * other
    return np.asarray(np.maximum(gain - loss, 0.0))


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
    units = 2 * (len(parts) + 2) * UNIT
    return least * (1 - units), np.minimum(most * (1 + units), 1.0)
