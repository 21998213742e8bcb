"""Poisson binomial laws without one record: the worst of very many different yes/no persons, of rates p = c + hx.

By the series of `enclosure/chebyshev.py`, dividing by 1 + pv is a Chebyshev series in x, so the laws of the others form
a `LawFamily`.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.chebyshev import reciprocal, series
from dalenius.enclosure.complexes import expm1_complex
from dalenius.enclosure.exponents import tilted_mean
from dalenius.numerics.charfun import FLOOR, Ladder, Rung, ladder
from dalenius.numerics.cumulant import Cumulant
from dalenius.numerics.law import Floats
from dalenius.numerics.lawfamily import Cut, Expansion, LawFamily, family

CELLS = 2048  # persons are grouped into at most this many cells of neighbouring rates
DEGREE = 24  # of the series at most
HALVED = 0.5  # |r| up to which a group of rates is one series
DEEP = -41.0  # logarithm of what a series leaves out
SEEN = 1e-18  # a spectrum below which the ratio does not matter
MOST_VARIANCE = 0.25  # of a yes/no record


@final
@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut:
    """The counts of the others, for every person whose rate lies in one range."""

    laws: LawFamily
    centre: float
    half: float

    def worst(self, epsilon: Fraction) -> tuple[Bracket, Cut]:
        """delta(epsilon) of the worst person, over both directions, and where that is."""
        return self.laws.worst(epsilon)

    def rate(self, cut: Cut) -> float:
        """The worst person's rate."""
        return self.centre + self.half * cut.x


def leave_one_out(rates: Floats, total: Cumulant, floor: float = FLOOR) -> tuple[LeaveOneOut, ...]:
    """All persons at once, in groups of rates close enough for the series to converge (mostly a single group).

    `total` is the sum over everybody. Cost: one ladder, and one short FFT a rung and a coefficient (about ten).
    """
    steps = ladder(total, floor)
    return tuple(_group(group, steps) for group in _groups(np.sort(rates), steps))


def _groups(rates: Floats, steps: Ladder) -> list[Floats]:
    """Sorted rates, halved until |r| <= 1/2 at every frequency that matters."""
    centre, half = (rates[0] + rates[-1]) / 2, (rates[-1] - rates[0]) / 2
    if half == 0 or _largest_ratio(steps, float(centre), float(half)) <= HALVED:
        return [rates]
    cut = int(np.searchsorted(rates, centre, side="right"))
    return [*_groups(rates[:cut], steps), *_groups(rates[cut:], steps)]


def _largest_ratio(steps: Ladder, centre: float, half: float) -> float:
    largest = 0.0
    for rung in steps.rungs:
        weight = np.abs(rung.spectrum) > SEEN
        v, _ = expm1_complex(np.full(len(rung.t), rung.theta), rung.t)
        largest = max(largest, float(np.abs(series(v, centre, half)[1][weight]).max(initial=0.0)))
    return largest


def _group(rates: Floats, steps: Ladder) -> LeaveOneOut:
    centre, half = float(rates[0] + rates[-1]) / 2, float(rates[-1] - rates[0]) / 2
    worst = _largest_ratio(steps, centre, half)
    degree = 1 if worst < 1e-16 else int(min(DEGREE, max(2, np.ceil(DEEP / np.log(worst)))))
    laws = family(steps, lambda rung: _division(rung, centre, half, degree), _cells(rates, centre, half), moved=1.0)
    return LeaveOneOut(laws, centre, half)


def _division(rung: Rung, centre: float, half: float, degree: int) -> Expansion:
    """1 / E exp(wX) of the person with rate centre + half x, cut at the degree; where the series converges too slowly
    the others' own decay must do.
    """
    powers, slip, far = reciprocal(rung.theta, rung.t, centre, half, degree)
    return Expansion(powers, slip, far, _growth(rung.theta, centre, half), less=MOST_VARIANCE)


def _growth(theta: float, centre: float, half: float) -> float:
    """A bound on 1 / E exp(theta X) over all persons. (The alias has a step to spare for the record that is left
    out.)
    """
    return 1 / min(tilted_mean(rate, theta)[0] for rate in (centre - half, centre + half))


def _cells(rates: Floats, centre: float, half: float) -> Floats:
    """The persons' x in at most CELLS cells, each as its least and greatest member; rates are sorted."""
    if half == 0:
        return np.zeros((1, 2))
    if len(rates) <= CELLS:
        x = np.clip((rates - centre) / half, -1.0, 1.0)
        return np.column_stack([x, x])
    edges = np.searchsorted(rates, centre + half * np.linspace(-1, 1, CELLS + 1)[1:-1])
    starts = np.unique(np.concatenate([[0], edges]))
    starts = starts[starts < len(rates)]
    ends = np.column_stack([rates[starts], rates[np.append(starts[1:], len(rates)) - 1]])
    return np.asarray(np.clip((ends - centre) / half, -1.0, 1.0))
