"""Sums of uniform numbers against their shift: Irwin-Hall laws, without their alternating series.

Few numbers are added one by one (`densities`), many by tilted Fourier integrals (`uniform_tails`).
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import (
    HELD,
    add_up,
    difference_down,
    exponential,
    float_down,
    float_up,
    lowered,
    raised,
    times_down,
    times_up,
)
from dalenius.numerics import uniform_tails
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import Floats

GRID = 1 << 40  # places are multiples of 1/GRID, so that adding whole numbers to them is exact
FEW = 255  # uniform numbers that are added one by one
STEPS = 60
FAR = 1e-290  # densities below this may have lost digits


def densities(count: int, starts: Floats) -> tuple[Floats, Floats]:
    """f_m and f_(m+1), m = `count`, at start + 0, 1, 2, ... for each start in [0, 1), a multiple of 1/GRID.

    f_1 = 1 on [0, 1), and f_k(x) = (x f_(k-1)(x) + (k - x) f_(k-1)(x - 1)) / (k - 1). All terms are positive and x and
    k - x are exact, so each step adds three units of relative error. Cost O(m²) a start.
    """
    x = starts[:, None] + np.arange(count + 1)
    now = np.zeros_like(x)
    now[:, 0] = 1.0
    before = now
    for k in range(2, count + 2):
        before, now = now, np.zeros_like(x)
        now[:, :k] = x[:, :k] * before[:, :k]
        now[:, 1:k] += (k - x[:, 1:k]) * before[:, : k - 1]
        now[:, :k] /= k - 1
    return before, now


@final
@dataclass(frozen=True, slots=True, eq=False)
class UniformSum(Curve):
    """δ of the sum of `count` independent numbers, uniform on [0, 1], against its shift by `shift`.

    The density f is log-concave, so f(y - h) / f(y) grows with y: the worst events are half-lines, both directions are
    alike (f is symmetric), δ grows with h, and δ = max over y of F(y) = G(y - h) - e^ε G(y), G(y) = P(sum > y), where F
    rises while f(y - h) < e^ε f(y) and falls after. The turning point is found by false position and enclosed between
    two places a, b at which the comparison of densities is beyond their errors: then δ ≤ G(a - h) - e^ε G(b), and δ
    is at least F(a). G_m(y) is the sum of f_(m+1)(y + j), j = 1, 2, ... (telescoping). One uniform number: δ = h, by
    F(y) = h - (e^ε - 1)(1 - y). Cost O(count²) up to `FEW` numbers; beyond, some thirty integrals of about a hundred
    frequencies, however many numbers there are.
    """

    count: int
    shift: Fraction

    def delta(self, epsilon: Fraction) -> Bracket:
        if self.shift <= 0:
            return Bracket(0.0, 0.0)
        if self.count == 0 or self.shift >= self.count:
            return Bracket(1.0, 1.0)
        if self.count == 1:
            return _around(self.shift)
        grid, enclosed = (
            (GRID, _enclosed) if self.count <= FEW else (uniform_tails.grid(self.count), uniform_tails.delta)
        )
        least, most = Fraction(math.floor(self.shift * grid), grid), Fraction(math.ceil(self.shift * grid), grid)
        if most >= self.count:
            return Bracket(0.0, 1.0)
        found = enclosed(self.count, most, epsilon)
        lower = found.lower if least == most else enclosed(self.count, least, epsilon).lower
        return Bracket(lower, found.upper)


def _around(number: Fraction) -> Bracket:
    return Bracket(float_down(number), min(1.0, float_up(number)))


def _enclosed(count: int, shift: Fraction, epsilon: Fraction) -> Bracket:
    """δ for a shift that is a multiple of 1/GRID below the count, of at least two numbers."""
    h = float(shift)
    if h == 0.0:
        return Bracket(0.0, 0.0)
    middle = _turning(count, h, min(float(epsilon), 700.0))
    resolved = math.ceil(count * count / h / 1024)  # how many steps of the grid the densities' errors may blur
    steps = [max(8, resolved) * 4**turn / GRID for turn in range(STEPS)]
    first = next(at for step in steps if (at := max(h, middle - step)) == h or _side(count, h, at, epsilon) < 0)
    top = float(count)
    last = next(at for step in steps if (at := min(top, middle + step)) == top or _side(count, h, at, epsilon) > 0)
    least, most = exponential(epsilon)
    ahead, behind, here = _survival(count, np.array([first - h, last, first]))
    # three roundings for each step of the densities, and one of their sum; what is below `HELD` may have been lost
    left, right, at = (Balls.rounded(value, 4 * count + 32) for value in (ahead, behind, here))
    upper = add_up(add_up(float(left.upper), HELD), -times_down(float(right.positive), least))
    loss = times_up(most, add_up(float(at.upper), HELD)) if first < top else 0.0
    upper = min(1.0, max(upper, 0.0))
    return Bracket(min(upper, difference_down(float(left.positive), loss)), upper)


def _turning(count: int, h: float, epsilon: float) -> float:
    """About where f(y - h) = e^ε f(y), on the grid; nothing rests on it but sharpness."""
    low, high = h, float(count)
    at = min(max((count + h) / 2 + epsilon * count / 12 / h, low + (high - low) / 8), high - (high - low) / 8)
    for turn in range(STEPS):
        at = round(at * GRID) / GRID
        gap, slope = _log_ratio(count, h, at, epsilon)
        low, high = (at, high) if gap < 0 else (low, at)
        if high - low <= 2 / GRID or abs(gap) < 1e-13:
            break
        better = at - gap / slope if slope > 0 and turn % 8 != 7 else (low + high) / 2
        at = better if low < better < high else (low + high) / 2
    return at


def _log_ratio(count: int, h: float, at: float, epsilon: float) -> tuple[float, float]:
    """Ln f(y - h) - ln f(y) - ε, and its slope by a small step."""
    step = 2.0**-20
    moved, here, moved_on, here_on = _density(count, np.array([at - h, at, at - h + step, at + step]))
    if min(moved, moved_on) <= 0:
        return -1.0, 0.0
    if min(here, here_on) <= 0:
        return 1.0, 0.0
    gap = math.log(moved) - math.log(here)
    return gap - epsilon, (math.log(moved_on) - math.log(here_on) - gap) / step


def _side(count: int, h: float, at: float, epsilon: Fraction) -> int:
    """The sign of f(y - h) - e^ε f(y), or 0 if it is within the errors; those of both densities count at one."""
    moved, here = _density(count, np.array([at - h, at]))
    (least, most), roundings = exponential(epsilon), 8 * count + 64
    if moved + FAR < least * (lowered(here, roundings) - FAR):
        return -1
    return 1 if moved - FAR > most * (raised(here, roundings) + FAR) else 0


def _split(places: Floats) -> tuple[Floats, Floats]:
    whole = np.floor(places)
    return places - whole, whole.astype(int)


def _density(count: int, places: Floats) -> list[float]:
    starts, whole = _split(places)
    table = densities(count, starts)[0]
    inside = (whole >= 0) & (whole < count)
    return [float(row[at]) if ok else 0.0 for row, at, ok in zip(table, whole, inside, strict=True)]


def _survival(count: int, places: Floats) -> list[float]:
    """P(sum of `count` uniform numbers > place), summed from the far end."""
    starts, whole = _split(places)
    table = densities(count, starts)[1]
    found = []
    for row, at in zip(table, whole, strict=True):
        found.append(1.0 if at < 0 else math.fsum(row[at + 1 :].tolist()) if at < count else 0.0)
    return found
