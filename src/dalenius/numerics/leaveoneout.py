"""The worst of very many different yes/no persons, without computing anybody's law twice.

Leave the person with rate p = c + hx out of a count: by the series of `yesno`, the law of the others is

    f_x(k) = Σ_m T_m(x) C_m(k),

a polynomial in x whose coefficients are inverted once. For a threshold event {S <= k} (or {S >= k}) the gap between the
person's two worlds at level epsilon is then a polynomial in x as well, and its maximum over all persons is found on
the persons' own rates. Counts of yes/no records are log-concave, so that only threshold events matter.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.polynomial import chebyshev

from dalenius.numerics.bracket import Bracket
from dalenius.numerics.charfun import FLOOR, Ladder, ladder
from dalenius.numerics.cumulant import Cumulant, expm1_complex
from dalenius.numerics.divergence import LARGEST, exponential
from dalenius.numerics.law import Floats
from dalenius.numerics.rounding import TINY, UNIT
from dalenius.numerics.yesno import series

CELLS = 2048  # persons are grouped into at most this many cells of neighbouring rates
DEGREE = 24


@final
@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """The worst person for one epsilon: rate, threshold, and which side of it the event is."""

    rate: float
    threshold: int
    below: bool  # the event is "at most the threshold", which speaks for the world where the person's value is 0


@final
@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut:
    """Counts of the others, for every person at once.

    `lower[m, k]` is Σ_(j <= k) C_m(j) and `upper[m, k]` is Σ_(j >= k) C_m(j), with j counted from `start`; the errors bound, for
    every x in [-1, 1], the error of the polynomial's value.
    """

    start: int
    lower: Floats
    lower_error: Floats
    upper: Floats
    upper_error: Floats
    beyond: float  # a bound on the mass outside the window, for everybody
    cells: Floats  # two columns: the least and the greatest x of the persons in a cell
    centre: float
    half: float

    def worst(self, epsilon: Fraction) -> tuple[Bracket, Person]:
        """delta(epsilon) of the worst person, over both directions, and who and where that is. Cost: a few polynomials."""
        if epsilon > LARGEST:
            bracket, person = self.worst(LARGEST)
            return Bracket(0.0, bracket.upper), person
        best, person = Bracket(0.0, 0.0), Person(self.centre, self.start, below=True)
        for below in (True, False):
            bracket, found = self._side(epsilon, below=below)
            if bracket.lower >= best.lower:
                person = found
            best = best.join(bracket)
        return Bracket(min(1.0, best.lower), min(1.0, best.upper)), person

    def _side(self, epsilon: Fraction, *, below: bool) -> tuple[Bracket, Person]:
        """H(S || S+1) is the largest F(k) - e^eps F(k-1); H(S+1 || S) the largest G(k) - e^eps G(k+1), G(k) = P(S >= k)."""
        sums, errors = (self.lower, self.lower_error) if below else (self.upper[:, ::-1], self.upper_error[::-1])
        beyond = self.beyond
        least, most = exponential(epsilon)
        first, last = _range_of_cuts(sums, errors, most)
        best, where = Bracket(0.0, min(1.0, beyond)), (0.0, 0)
        for k in range(first, last + 1):
            before = sums[:, k - 1] if k else np.zeros(len(sums))
            slip = errors[k] + most * (errors[k - 1] if k else 0.0) + (1 + most) * beyond
            bracket, x = self._largest(sums[:, k] - least * before, slip + (most - least) * float(np.abs(before).sum()))
            if bracket.lower >= best.lower:
                where = (x, k)
            best = best.join(bracket)
        x, k = where
        threshold = self.start + k if below else self.start + self.lower.shape[1] - 1 - k
        return best, Person(self.centre + self.half * x, threshold, below=below)

    def _largest(self, coefficients: Floats, slip: float) -> tuple[Bracket, float]:
        """The largest value of a Chebyshev series over the persons, with the value's own error `slip`."""
        steps = np.arange(len(coefficients))
        sizes = np.abs(coefficients)
        slip += 4 * UNIT * len(coefficients) ** 2 * float(sizes.sum())
        bend = float((sizes * steps**2 * (steps**2 - 1) / 3).sum())  # |series''| <= this
        values = chebyshev.chebval(self.cells, coefficients)
        widths = self.cells[:, 1] - self.cells[:, 0]
        peaks = values.max(axis=1) + bend * widths**2 / 8
        at = int(np.argmax(values.max(axis=1)))
        x = float(self.cells[at, int(np.argmax(values[at]))])
        return Bracket(max(0.0, float(values.max()) - slip), max(0.0, float(peaks.max()) + slip)), x


def _range_of_cuts(sums: Floats, errors: Floats, factor: float) -> tuple[int, int]:
    """Thresholds that can be optimal for somebody.

    The gain of the next point, f_x(k) - e^eps f_x(k-1), falls through zero once as k grows. So no threshold before one at
    which everybody still gains, nor after one at which everybody loses, can be best. They are looked for near the
    crossing of the person in the middle, then everywhere.
    """
    size = len(errors)
    low, high = 0, size - 1
    while low < high:  # the middle person's crossing; only a hint, so rounding does no harm
        k = (low + high + 1) // 2
        before = sums[0, k - 1] - (sums[0, k - 2] if k > 1 else 0.0)
        low, high = (k, high) if sums[0, k] - sums[0, k - 1] > factor * before else (low, k - 1)
    first, last = _sure(sums, errors, factor, max(0, low - 40), min(size, low + 40))
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
    noise = 2 * (1 + factor) * (errors[start:stop] + errors[np.maximum(np.arange(start, stop) - 1, 0)])
    gaining = np.flatnonzero(gains[0] - spread - noise > 0)
    first = int(gaining[-1]) if len(gaining) else 0
    losing = np.flatnonzero((gains[0] + spread + noise)[first:] < 0)
    return (start + first if len(gaining) else None), (start + first + int(losing[0]) if len(losing) else None)


def leave_one_out(rates: Floats, total: Cumulant, floor: float = FLOOR) -> tuple[LeaveOneOut, ...]:
    """All persons at once, in groups of rates close enough for the series to converge (mostly a single group).

    `total` is the sum over everybody. Cost: one ladder, and one short FFT a rung and a coefficient (about ten).
    """
    steps = ladder(total, floor)
    return tuple(_group(group, steps) for group in _groups(np.unique(rates), steps))


def _groups(rates: Floats, steps: Ladder) -> list[Floats]:
    """Sorted rates, halved until |r| <= 1/2 at every frequency that matters."""
    centre, half = (rates[0] + rates[-1]) / 2, (rates[-1] - rates[0]) / 2
    if half == 0 or _largest_ratio(steps, float(centre), float(half)) <= 0.5:
        return [rates]
    cut = int(np.searchsorted(rates, centre, side="right"))
    return [*_groups(rates[:cut], steps), *_groups(rates[cut:], steps)]


def _largest_ratio(steps: Ladder, centre: float, half: float) -> float:
    largest = 0.0
    for rung in steps.rungs:
        weight = np.abs(rung.spectrum) > 1e-18
        v, _ = expm1_complex(np.full(len(rung.t), rung.theta), rung.t)
        largest = max(largest, float(np.abs(series(v, centre, half)[1][weight]).max()))
    return largest


def _group(rates: Floats, steps: Ladder) -> LeaveOneOut:
    centre, half = float(rates[0] + rates[-1]) / 2, float(rates[-1] - rates[0]) / 2
    coefficients, errors = _coefficients(steps, centre, half)
    n = coefficients.shape[1]
    lower = np.cumsum(coefficients, axis=1)
    upper = np.cumsum(coefficients[:, ::-1], axis=1)[:, ::-1]
    sizes = np.abs(coefficients).sum(axis=0)
    rounding = 2 * UNIT * np.arange(1, n + 1)  # sequential sums
    lower_error = np.cumsum(errors) + rounding * np.cumsum(sizes)
    upper_error = (np.cumsum(errors[::-1]) + rounding * np.cumsum(sizes[::-1]))[::-1]
    grow = float(np.exp(max(abs(rung.theta) for rung in steps.rungs)))
    return LeaveOneOut(
        steps.start, lower, lower_error * 1.001 + TINY, upper, upper_error * 1.001 + TINY,
        (steps.below + steps.above) * grow, _cells(rates, centre, half), centre, half)


def _coefficients(steps: Ladder, centre: float, half: float) -> tuple[Floats, Floats]:
    """C_m(k) for all k of the ladder, and for each k a bound on the error of Σ_m T_m(x) C_m(k), uniform in x."""
    parts, errors = [], []
    worst = _largest_ratio(steps, centre, half)
    degree = 1 if worst < 1e-16 else int(min(DEGREE, max(2, np.ceil(-41.0 / np.log(worst)))))
    for rung in steps.rungs:
        v, v_error = expm1_complex(np.full(len(rung.t), rung.theta), rung.t)
        a, r = series(v, centre, half)
        g, ratio = (1 + r * r) / (a * (1 - r * r)), np.minimum(np.abs(r), 0.99)
        nearest = np.maximum(np.abs(a) - half * np.abs(v), 1e-300)
        rounded = (v_error + 2 * UNIT * np.abs(v)) / nearest**2 + 40 * UNIT * np.abs(g) * (1 + ratio) / (1 - ratio) ** 2
        cut = np.where(np.abs(r) < 0.99, 2 * np.abs(g) * ratio ** (degree + 1) / (1 - ratio), 1 / nearest + np.abs(g) * 1e3)
        scale, relative = rung.scale()
        first, bound = rung.inverted(g, rounded + cut, _largest_factor(rung.theta, centre, half))
        values = [first]
        for m in range(1, degree + 1):
            value, error = rung.inverted(2 * g * r**m, np.zeros(len(g)), 0.0)
            values.append(value)
            bound = bound + error
        stacked = np.stack(values) * scale
        parts.append(stacked)
        slack = np.abs(stacked).sum(axis=0) * (relative + 8 * UNIT)
        errors.append((bound * scale * (1 + relative) + slack) * 1.001 + TINY)
    return np.concatenate(parts, axis=1), np.concatenate(errors)


def _largest_factor(theta: float, centre: float, half: float) -> float:
    """A bound on 1 / E exp(theta X) over all persons, and on what one record less damps less: exp(2 · 1/4)."""
    grown = float(np.expm1(theta))
    least = min(1 + (centre - half) * grown, 1 + (centre + half) * grown)
    return 1.66 / max(least, 1e-300)


def _cells(rates: Floats, centre: float, half: float) -> Floats:
    """The persons' x in at most CELLS cells, each as its least and greatest member; rates are sorted and distinct."""
    if half == 0:
        return np.zeros((1, 2))
    x = np.clip((rates - centre) / half, -1.0, 1.0)
    if len(x) <= CELLS:
        return np.column_stack([x, x])
    edges = np.searchsorted(x, np.linspace(-1, 1, CELLS + 1)[1:-1])
    starts = np.unique(np.concatenate([[0], edges]))
    starts = starts[starts < len(x)]
    return np.column_stack([x[starts], x[np.append(starts[1:], len(x)) - 1]])
