r"""Running products of ratios: log-concave laws (Poisson, binomial, hypergeometric), from the mode outwards.

**Statement.** For ratios x_i in m_i ± r_i, m_i > 0, `running_products` encloses x_1, x_1 x_2, ... With ρ_i = r_i /
m_i the i-th product is within the factor exp(±Σ_(j<=i) (ρ_j + u')) of the computed one, u' a hair above the unit u:
so a mass d steps away errs by a few units for each step, relatively, at 1e-250 as at the mode.

**Proof.** x_j = m_j (1 + θ_j), |θ_j| <= ρ_j, and each product is rounded once: fl = Π m_j Π (1 + δ_j), so that Π x_j
/ fl = Π (1 + θ_j) / Π (1 + δ_j). From above that is at most Π (1 + ρ_j) / (1 - u) <= exp(Σ (ρ_j + u')). From below it
is at least Π (1 - ρ_j)(1 - u) >= 1 - Σ (ρ_j + u'), and 1 - s >= 1 - (e^s - 1). The sum of at most 2^22 terms errs by
less than 1e-9 of itself. From where a product is below `HELD` on, digits may be lost: there the product is below 2
`HELD` as long as no ratio exceeds 1, and nothing is known after one does. ∎
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.enclosure.balls import BIGGEST_WHOLE, FLOOR, Balls, Floats, joined
from dalenius.enclosure.floats import TINY, UNIT

ROUNDED = UNIT * (1.0 + 1e-6)
SUMMED = 1.0 + 4e-9


@final
@dataclass(frozen=True, slots=True, eq=False)
class Ratios:
    """Positive numbers, all known within one relative error."""

    middle: Floats
    relative: float

    def inverse(self) -> "Ratios":
        return Ratios(1.0 / self.middle, self.relative + ROUNDED)

    def at(self, place: int) -> Balls:
        """One of them."""
        middle = float(self.middle[place])
        return Balls.within(np.asarray(middle), middle * self.relative if self.relative < np.inf else np.inf)


def quotients(above: Sequence[Floats], below: Sequence[Floats], factor: Balls) -> Ratios:
    """Products of whole numbers over products of whole numbers, exact and at least 0, times a positive factor: one
    rounding an operation, and the factor's error. Far from the ends of what floats hold, or nothing is known; nor is
    it where whole numbers, which rise or fall, are too large for floats to hold each.
    """
    middle, roundings = above[0], 0
    for numbers in above[1:]:
        middle, roundings = middle * numbers, roundings + 1
    for numbers in below:
        middle, roundings = middle / numbers, roundings + 1
    near = float(factor.middle)
    middle, relative = middle * near, float(factor.radius) / near if near > TINY else np.inf
    unknown = bool(((middle < TINY) & (middle > 0.0)).any())
    for numbers in (*above, *below):
        unknown = unknown or (len(numbers) > 0 and bool(max(numbers[0], numbers[-1]) >= BIGGEST_WHOLE))
    return Ratios(middle, np.inf if unknown else (relative + (roundings + 1) * ROUNDED) * (1.0 + 1e-6))


def continued(steps: Floats, last: float) -> Floats:
    """The products of the first 1, 2, ... steps and of what came before them: one rounding a step."""
    first = steps.copy()
    first[:1] *= last
    return np.asarray(np.cumprod(first, dtype=np.float64))


def enclosed(products: Floats, relative: float) -> Balls:
    """Products of the first 1, 2, ... ratios, as `continued` has them, each ratio known within `relative`: with s = i
    (relative + u') below 1, e^s - 1 <= s + s². From the first faint one on nothing is known.
    """
    drift = np.arange(1.0, len(products) + 1.0) * ((relative + ROUNDED) * SUMMED)
    plain = not len(products) or drift[-1] < 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        radius = products * (drift + drift * drift if plain else np.expm1(drift) * (1.0 + 32.0 * UNIT))
    if len(products) and float(products.min()) < TINY:
        radius = np.where(np.cumsum(products < TINY) > 0, np.inf, radius)
    return Balls.within(products, radius)


def running_products(ratios: Balls) -> Balls:
    """The products of the first 1, 2, ... ratios, none of which is negative. Cost: a few passes."""
    middle, radius = ratios.middle, ratios.radius
    products: Floats = np.cumprod(middle, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        off = np.where(middle > 0.0, radius / middle, np.where(radius > 0.0, np.inf, 0.0))
        slip = np.expm1(np.cumsum(off + ROUNDED) * SUMMED) * (1.0 + 32.0 * UNIT)
        found = np.where(products > 0.0, products * slip, 0.0)
    sunk = np.cumsum((middle == 0.0) & (radius == 0.0)) > 0  # a ratio was 0, and so is what follows
    faint = np.flatnonzero((products < TINY) & ~sunk)
    if len(faint):
        first = int(faint[0])
        most = np.inf if not middle[first] > 0.0 else (products[first] + found[first]) * (1.0 + 8.0 * UNIT) + TINY
        grows = np.cumsum(ratios.upper[first + 1 :] > 1.0) > 0
        found[first] = most
        found[first + 1 :] = np.where(sunk[first + 1 :], 0.0, np.where(grows, np.inf, most))
    return Balls.within(products, found)


def shares(below: Balls, above: Balls, beyond: float) -> tuple[Balls, float]:
    """Weights relative to a mode of weight 1, as shares of all: those below it (from the mode downwards), itself, those
    above; and a bound on the share of what is beyond them, of which the weight is at most `beyond`.
    """
    weights = joined([below[::-1], Balls.of([1.0]), above])
    whole = weights.sum()
    most = whole + Balls.between(0.0, beyond)
    size, off = float(most.middle), float(most.radius)
    if not off < size / 2.0:
        masses = weights / most
    else:  # |x/X - m/M| <= (r + R m/M) / (M - R), and the quotient is rounded
        least = (size - off) * (1.0 - 4.0 * UNIT)
        middle = weights.middle / size
        radius = weights.radius / least + middle * (off / least + 2.0 * UNIT)
        masses = Balls.within(middle, radius * (1.0 + 16.0 * UNIT) + np.where(middle > 0.0, FLOOR, 0.0))
    return masses, float((beyond / whole).upper) if beyond else 0.0


def geometric_rest(last: Balls, ratio: Balls) -> float:
    """What can follow a weight if ratios fall from here on, from above: a geometric series; infinite from ratio 1
    on.
    """
    room = 1.0 - ratio
    return float((last * ratio / room).upper) if float(room.lower) > 0.0 else np.inf
