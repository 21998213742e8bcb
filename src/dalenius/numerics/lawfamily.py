"""Chebyshev expansions of laws that depend on one number x in [-1, 1], and the worst of them, no law computed twice.

In the frequency domain each law of the family is one common spectrum times a factor F_x, and F_x is a short
Chebyshev series in x. So the laws themselves are polynomials,

    f_x(k) = Σ_m T_m(x) C_m(k),

whose coefficients are inverted once. For a threshold event {S <= k} (or {S >= k}) the gap between a person's two
worlds at level epsilon is a polynomial in x as well, and its maximum over the family's own values of x is found
directly. The laws here are counts of yes/no records, hence log-concave, so that only threshold events matter.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.chebyshev import running_errors, value_error
from dalenius.enclosure.exponents import scaled_errors
from dalenius.enclosure.outward import LARGEST, add_up, exp_up, exponential, times_up
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics.charfun import Ladder, Rung
from dalenius.numerics.law import Floats
from dalenius.numerics.least import last_true


@final
@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """F_x at the frequencies of one rung: the rows of `powers` are its Chebyshev coefficients.

    `slip` bounds, at each frequency and for every x, the error of the series. Frequencies marked `far` have no
    series; there, and for frequencies left out, the law's own decay is used, of which a member of the family may
    have lost `less`. `growth` bounds |F_x| at frequency 0 and what moving the law does to the mass that is folded in.
    """

    powers: Complexes
    slip: Floats
    far: NDArray[np.bool_]
    growth: float
    less: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Where the worst of a family lies: its x, the threshold, and which side of it the event is."""

    x: float
    threshold: int
    below: bool  # the event is "at most the threshold", which speaks for the world in which the person adds nothing


@final
@dataclass(frozen=True, slots=True, eq=False)
class LawFamily:
    """`lower[m, k]` is Σ_(j <= k) C_m(j) and `upper[m, k]` is Σ_(j >= k) C_m(j), with j counted from `start`; the
    errors bound the error of the polynomial's value, for every x in [-1, 1].
    """

    start: int
    lower: Floats
    lower_error: Floats
    upper: Floats
    upper_error: Floats
    beyond: float  # a bound on the mass outside the window, for every member
    cells: Floats  # two columns: the least and the greatest x of the members in a cell
    table: Floats  # T_m at the cells' least members, then at their greatest
    gaps: Floats  # width²/8 of each cell: how far a bend of one may rise between its ends

    def worst(self, epsilon: Fraction) -> tuple[Bracket, Cut]:
        """delta(epsilon) of the worst member against its shift by one, both ways, and where. Cost: a few
        polynomials.
        """
        if epsilon > LARGEST:
            bracket, cut = self.worst(LARGEST)
            return Bracket(0.0, bracket.upper), cut
        best, where = Bracket(0.0, 0.0), Cut(0.0, self.start, below=True)
        for below in (True, False):
            bracket, found = self._side(epsilon, below=below)
            if bracket.lower >= best.lower:
                where = found
            best = best.join(bracket)
        return Bracket(min(1.0, best.lower), min(1.0, best.upper)), where

    def odds(self, cut: Cut) -> tuple[float, float]:
        """The probability of the cut's event in the world it speaks for, from below, and in the other, from above."""
        sums, errors = (self.lower, self.lower_error) if cut.below else (self.upper[:, ::-1], self.upper_error[::-1])
        k = cut.threshold - self.start if cut.below else self.start + self.lower.shape[1] - 1 - cut.threshold
        table = chebyshev.chebvander(np.array([cut.x]), len(sums) - 1)[0]
        first = float(table @ sums[:, k]) - value_error(sums[:, k]) - float(errors[k])
        second = float(table @ sums[:, k - 1]) + value_error(sums[:, k - 1]) + float(errors[k - 1]) if k else 0.0
        return max(0.0, first), min(1.0, second + self.beyond)

    def _side(self, epsilon: Fraction, *, below: bool) -> tuple[Bracket, Cut]:
        """H(S || S+1) is the largest F(k) - e^eps F(k-1); H(S+1 || S) the largest G(k) - e^eps G(k+1), G(k) = P(S >=
        k).
        """
        sums, errors = (self.lower, self.lower_error) if below else (self.upper[:, ::-1], self.upper_error[::-1])
        least, most = exponential(epsilon)
        first, last = _range_of_cuts(sums, errors, most)
        best, where = Bracket(0.0, min(1.0, self.beyond)), (0.0, 0)
        for k in range(first, last + 1):
            before = sums[:, k - 1] if k else np.zeros(len(sums))
            slip = float(errors[k] + most * (errors[k - 1] if k else 0.0)) + (1 + most) * self.beyond
            bracket, x = self._largest(sums[:, k] - least * before, slip + (most - least) * float(np.abs(before).sum()))
            if bracket.lower >= best.lower:
                where = (x, k)
            best = best.join(bracket)
        x, k = where
        threshold = self.start + k if below else self.start + self.lower.shape[1] - 1 - k
        return best, Cut(x, threshold, below=below)

    def _largest(self, coefficients: Floats, slip: float) -> tuple[Bracket, float]:
        """The largest value of a Chebyshev series over the members, with the value's own error `slip`."""
        steps = np.arange(len(coefficients))
        sizes = np.abs(coefficients)
        slip += value_error(coefficients)
        bend = float((sizes * steps**2 * (steps**2 - 1) / 3).sum())  # |series''| <= this
        values = (self.table @ coefficients).reshape(2, -1)
        ends = np.maximum(values[0], values[1])
        peaks = ends + bend * self.gaps
        at = int(np.argmax(ends))
        x = float(self.cells[at, int(values[1, at] > values[0, at])])
        return Bracket(max(0.0, float(ends[at]) - slip), max(float(peaks.max()) + slip, 0.0)), x


def _range_of_cuts(sums: Floats, errors: Floats, factor: float) -> tuple[int, int]:
    """Thresholds that can be optimal for some member.

    The gain of the next point, f_x(k) - e^eps f_x(k-1), falls through zero once as k grows. So no threshold before
    one at which everybody still gains, nor after one at which everybody loses, can be best. They are looked for near
    the crossing of the member in the middle, then everywhere.
    """
    size = len(errors)

    def gains(k: int) -> bool:
        before = sums[0, k - 1] - (sums[0, k - 2] if k > 1 else 0.0)
        return bool(sums[0, k] - sums[0, k - 1] > factor * before)

    near = last_true(gains, 1, size - 1)  # the middle member's crossing; only a hint, so rounding does no harm
    first, last = _sure(sums, errors, factor, max(0, near - 40), min(size, near + 40))
    if first is None or last is None:
        first, last = _sure(sums, errors, factor, 0, size)
    return (0 if first is None else first), (size - 1 if last is None else last)


def _sure(sums: Floats, errors: Floats, factor: float, start: int, stop: int) -> tuple[int | None, int | None]:
    """The last threshold in [start, stop) at which everybody gains, and the first after it at which everybody loses."""
    window = np.zeros((len(sums), stop - start + 2))
    lead = min(start, 2)
    window[:, 2 - lead :] = sums[:, start - lead : stop]
    terms = np.diff(window, axis=1)
    gains = terms[:, 1:] - factor * terms[:, :-1]
    spread = np.abs(gains[1:]).sum(axis=0)
    noise = 4 * (1 + factor) * errors[start:stop]  # of three sums: errors grow, and half is for rounding
    gaining = np.flatnonzero(gains[0] - spread - noise > 0)
    first = int(gaining[-1]) if len(gaining) else 0
    losing = np.flatnonzero((gains[0] + spread + noise)[first:] < 0)
    return (start + first if len(gaining) else None), (start + first + int(losing[0]) if len(losing) else None)


def family(steps: Ladder, expand: Callable[[Rung], Expansion], cells: Floats, *, moved: float) -> LawFamily:
    """The family whose spectrum is that of the ladder times the expansion; `cells` are its members.

    A member's sum may differ from the ladder's by up to `moved` more than its tilt says: its tails are charged for
    that. Cost: one short FFT a rung and a coefficient.
    """
    parts, errors = [], []
    for rung in steps.rungs:
        expansion = expand(rung)
        values, bound = rung.inverted(expansion.powers)
        known = np.abs(rung.spectrum) + rung.spectrum_error
        bound += 2 * float((expansion.slip * known)[~expansion.far].sum()) / rung.length
        lost = 2 * float(rung.cap(expansion.less)[expansion.far].sum()) + rung.damped(expansion.less)
        bound += expansion.growth * (lost / rung.length + rung.alias)
        scale, relative = rung.scale()
        stacked = values * scale
        parts.append(stacked)
        errors.append(scaled_errors(stacked, bound, scale, relative))
    degree = max(len(part) for part in parts)
    coefficients = np.concatenate([np.pad(part, ((0, degree - len(part)), (0, 0))) for part in parts], axis=1)
    tilt = 1.1 * max(abs(rung.theta) for rung in steps.rungs)  # the tails are bounded with tilts up to that
    return _summed(steps, coefficients, np.concatenate(errors), cells, exp_up(tilt * moved))


def _summed(steps: Ladder, coefficients: Floats, errors: Floats, cells: Floats, grow: float) -> LawFamily:
    lower = np.cumsum(coefficients, axis=1)
    upper = np.cumsum(coefficients[:, ::-1], axis=1)[:, ::-1]
    return LawFamily(
        steps.start,
        lower,
        running_errors(coefficients, errors),
        upper,
        running_errors(coefficients[:, ::-1], errors[::-1])[::-1],
        times_up(add_up(steps.below, steps.above), grow),
        cells,
        np.asarray(chebyshev.chebvander(cells.T.ravel(), len(coefficients) - 1), dtype=float),
        (cells[:, 1] - cells[:, 0]) ** 2 / 8,
    )
