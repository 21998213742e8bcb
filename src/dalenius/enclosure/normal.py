r"""The normal law: tails, cells, and its profile against a shift, through the scaled complementary error function.

With E(x) = erfcx(x / √2) the tail P(N > x) is exp(-x²/2) E(x) / 2. E errs by `ERFCX` units, 8x² more at negative x, and
an x that is off by d passes on at most (|x| + 1) d; an exponential of -x²/2 errs by `LIBM` + 4 units and by 2x², its
square being rounded. What falls below `TINY` is charged.

**The profile** (`profile`). Φ(-a) - e^ε Φ(-b) = exp(-a²/2) (E(a) - E(b)) / 2 for a = ε/r - r/2, b = ε/r + r/2, since
e^ε = exp((b² - a²)/2): nothing overflows and little cancels. a and b are the floats nearest to exact ones, off by at
most 4 units of their terms, which E passes on by at most (2|x| + 2)² and exp by |a|; the square has room for the
exponential, which errs by `LIBM` + 4 + 2a² units of less than the first.

**Cells** (`cells`). A normal law has between a and b, both positive, exp(-a²/2) (E(a) - exp((a² - b²)/2) E(b)) / 2, and
likewise from the other side; around zero it is one less both tails. z = t/r + shift errs by 4 units of its terms, and
moves a mass by at most its density, below exp(-z²/2) / 2.

**Cells of one unit** (`rounded_cells`). P(m - 1/2 < τN < m + 1/2) likewise with a = (m - 1/2)/τ, b = (m + 1/2)/τ, (b² -
a²)/2 = m/τ². For τ above `WIDE` cells are so narrow that this cancels: there it is f(m) times the integral of exp(-2cx)
(1 - y) over half a unit either way, c = m/2τ², y = x²/2τ². Of exp(-y), y²/2 is left out at most; of the integral of y
cosh(2cx), 1/24τ² (cosh(c) - 1) at most; of sinh(c)/c, c⁶/5000.
"""

import math
from typing import Any

import numpy as np

from dalenius.enclosure.balls import Balls, Floats, joined
from dalenius.enclosure.floats import ERFCX, LIBM, RAISED, TINY, UNIT

WIDE = 512  # a scale from which on a unit cell is expanded around its middle
LEFT_OUT = 1.01  # for what the expansion leaves out, which is itself rounded
HIGHEST = 700.0  # a difference of exponents from which on the smaller one is nothing
ROOT = math.sqrt(2.0)


def erfcx(x: Any) -> Any:
    """exp(x²) erfc(x)."""
    from scipy.special import erfcx as scaled  # heavy, and most requests need none of it

    return scaled(x)


def profile(a: float, b: float) -> tuple[float, float]:
    """Φ(-a) - e^((b² - a²)/2) Φ(-b) for a <= b, a >= -26, of which these are the nearest floats: from below and from
    above.
    """
    first, second = (float(erfcx(x / ROOT)) for x in (a, b))
    scale = math.exp(-a * a / 2) / 2
    units = (ERFCX + 8 * (2 * abs(a) + 2) ** 2) * first + (ERFCX + 16) * second
    middle, error = scale * (first - second), scale * units * UNIT * RAISED * RAISED + TINY
    return max(0.0, middle - error), min(1.0, middle + error)


def cells(edges: Floats, r: float, shift: float) -> Balls:
    """The mass of a normal law up to the first edge, between neighbours, and beyond the last, where an edge t is at z =
    t/r + shift.
    """
    z = edges / r + shift
    moved = 4 * UNIT * (np.abs(edges) / r + abs(shift) * 2)
    ends = tails(np.array([-z[0], z[-1]]), np.array([moved[0], moved[-1]]))
    low = np.where(z[:-1] + z[1:] >= 0, z[:-1], -z[1:])
    high = np.where(z[:-1] + z[1:] >= 0, z[1:], -z[:-1])
    moved = moved[:-1] + moved[1:]
    near = np.maximum(low, 0.0)
    fall, gap = np.exp(-near * near / 2) / 2, (high - near) * (high + near) / 2
    first, second = erfcx(near / ROOT), np.exp(-gap) * erfcx(high / ROOT)
    units = ERFCX + 16 + 3 * LIBM + 4 * near * near + 4 * np.minimum(gap, HIGHEST)
    mass, error = fall * (first - second), fall * (first + second) * units * UNIT
    around = low < 0
    sides = [tails(np.abs(side[around]), 0 * moved[around]) for side in (low, high)]
    mass[around] = 1 - sides[0].middle - sides[1].middle
    error[around] = sides[0].radius + sides[1].radius + 4 * UNIT
    inner = Balls.within(np.maximum(mass, 0.0), (error + fall * moved) * RAISED + TINY)
    return joined([ends[:1], inner, ends[1:]])


def tails(z: Floats, moved: Floats) -> Balls:
    """P(N > z), where z is off by `moved`."""
    far = np.abs(z)
    fall = np.exp(-far * far / 2) / 2
    tail = fall * erfcx(far / ROOT)
    error = (tail * (ERFCX + 16 + LIBM + 4 * far * far) * UNIT + fall * moved) * RAISED + 4 * UNIT * (z < 0) + TINY
    return Balls.within(np.where(z < 0, 1 - tail, tail), error)


def rounded_cells(cut: int, tau: float, roundings: float) -> Balls:
    """P(m - 1/2 < τN < m + 1/2) for m = 0, ..., cut; also where masses may be others by so many units, times 1 + x² at
    x standard deviations.
    """
    half, error = (wide_cells if tau > WIDE else plain_cells)(np.arange(cut + 1.0), tau)
    edge = (np.arange(cut + 1) + 0.5) / tau
    return Balls.within(half, (error + half * roundings * (1 + edge * edge) * UNIT) * RAISED * RAISED + TINY)


def plain_cells(m: Floats, tau: float) -> tuple[Floats, Floats]:
    """Masses of cells of one unit, and their errors. At zero it is 1 - exp(-b²/2) E(b)."""
    a, b = (m - 0.5) / tau, (m + 0.5) / tau
    fall, step = np.exp(-a * a / 2) / 2, np.exp(-m / (tau * tau))
    first, second = erfcx(np.abs(a) / ROOT), step * erfcx(b / ROOT)
    both = ERFCX + 8 + 3 * LIBM + 4 * a * a + 8 * m / (tau * tau)
    mass, error = fall * (first - second), fall * both * (first + second) * UNIT
    middle = 2 * float(fall[0] * first[0])
    mass[0], error[0] = 1 - middle, 2 * float(both[0]) * UNIT
    return np.maximum(mass, 0.0), error


def wide_cells(m: Floats, tau: float) -> tuple[Floats, Floats]:
    """The same for large scales."""
    c = m / (2 * tau * tau)
    shape = 1 + c * c / 6 + c**4 / 120 - 1 / (24 * tau * tau)
    mass = np.exp(-m * m / (2 * tau * tau)) / (tau * math.sqrt(2 * math.pi)) * shape
    left_out = c**6 / 5000 + np.cosh(c) / (128 * tau**4) + (np.cosh(c) - 1) / (24 * tau * tau)
    return mass, mass * (LEFT_OUT * left_out + (LIBM + 32 + 4 * m * m / (tau * tau)) * UNIT)
