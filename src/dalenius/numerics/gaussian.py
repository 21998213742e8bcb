"""The curve of a normal law against its shift: the exact profile, never a rule of thumb for it."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from scipy.special import erfcx

from dalenius.errors import InputError
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.curve import Curve
from dalenius.numerics.rounding import ERFCX, LIBM, TINY, UNIT


@final
@dataclass(frozen=True, slots=True, eq=False)
class GaussianCurve(Curve):
    r"""N(0, 1) against N(r, 1), where r = shift / standard deviation.

    $$ \delta(\epsilon) = \Phi(-a) - e^\epsilon \Phi(-b), \qquad a = \epsilon/r - r/2, \quad b = \epsilon/r + r/2 $$

    (Balle and Wang 2018, Theorem 8). Since e^epsilon = exp((b² - a²)/2), this is exp(-a²/2) (E(a) - E(b)) / 2 with
    the scaled error function E(x) = erfcx(x / sqrt 2), in which nothing overflows and little cancels.

    Certified. a and b err by 4 units of their terms, which E passes on by at most (2|x| + 2)² and exp by |a|; E
    itself errs by `ERFCX` units.
    """

    ratio: Fraction

    def __post_init__(self) -> None:
        if self.ratio <= 0:
            raise InputError(f"A ratio of shift to standard deviation must be above 0, but got {self.ratio}.")

    def delta(self, epsilon: Fraction) -> Bracket:
        a, b = float(epsilon / self.ratio - self.ratio / 2), float(epsilon / self.ratio + self.ratio / 2)
        if a > 38:
            return Bracket(0.0, math.exp(-700))
        first, second = (float(erfcx(x / math.sqrt(2))) for x in (a, b))
        if a < -26:  # erfcx grows without limit there; Phi(-a) is one to the last digit
            return Bracket(0.99, 1.0)
        scale = math.exp(-a * a / 2) / 2
        units = (
            (ERFCX + 8 * (2 * abs(a) + 2) ** 2) * first
            + (ERFCX + 16) * second
            + (LIBM + 4 + 2 * a * a) * (first - second)
        )
        middle, error = scale * (first - second), scale * units * UNIT * 1.01 + TINY
        return Bracket(max(0.0, middle - error), min(1.0, middle + error))
