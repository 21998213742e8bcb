r"""A change hidden in parts, all of them told at once, beside others of the person's own group.

A change a of all published numbers is a sum a_1 + ... + a_J; leg j are records of others each of which can change
everything by a_j, and K_j of its coins fell. Other people of the person's own group change everything by a, as the
person does: K of these coins fell. All are independent, and no two share a record. Then the numbers tell the K + K_j,
for j = 1 ... J, and no more, and under the other fact each of them is one more. So with P the law of all K + K_j,

$$ \delta(\epsilon) \le \sum_y \max(0, P(y) - e^\epsilon P(y - 1)) $$

or the same the other way round. (Composed, the K_j are told one by one, and K does not hide anything.) More coins hide
better, so that numbers of coins that are certainly there but for `miss` stand for all.

*Noise beside it.* The two worlds tell y. In the first, the law of K given that is α(k) ~ P_0(k) Π_j P_j(y_j - k), in
the other β(k) ~ P_0(k) Π_j P_j(y_j - 1 - k). Laws of coins are log-concave: α(k) / β(k) does not fall with k, and
α(k) / β(k - 1) = P_0(k) / P_0(k - 1), but for a factor, does not grow. So quantiles of α are those of β, or one above.
Where K is one more, a coin of the person's own group makes up for the person, and noise has nothing to hide; where it
is the same, one coin of each leg does, and noise has to hide what these change. Which coins fell is uniform given how
many. The first has the probability

$$ E_\alpha k - E_\beta k = M(y) / P(y) - M(y - 1) / P(y - 1),   M(y) = \sum_k k P_0(k) \prod_j P_j(y_j - k). $$

Divergences are jointly convex: δ is at most the sum over y of the mean of both cases. Laws are cut where they hardly
are; cut laws are log-concave as well, and what is cut off is added. Rounding is bounded for the masses as a whole.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.beliefs.coins import CoinsCurve
from dalenius.beliefs.crowd import law_of_rates
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses
from dalenius.judge.noise import Profile
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import Floats
from dalenius.tables.veiled import Losses, listed

MISS = 1e-4  # of what is enough, that there are fewer coins; and that is cut off each law
MOST_PLACES = 1 << 22  # results, times numbers of coins of the person's own group
MOST_LEGS = 4
MOST_LOSSES = 64  # of all that noise may have to hide
TINY = 1e-280  # below which nothing is said of what noise has to hide
ROUNDING = 1e-9  # more than the sums of a few million terms lose


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Coins:
    """How many coins fell: masses where most of the law is, from 0 on, and what they may be off by."""

    mass: Floats
    error: float
    relative: float
    lost: float

    @classmethod
    def of(cls, rate: float, number: int, cut: float) -> "_Coins":
        """Without two ends that have at most `cut` together."""
        law = law_of_rates(np.array([rate]), np.array([number]))
        most = largest_masses(law.mass, law.error)
        low, high = np.cumsum(most), np.cumsum(most[::-1])[::-1]
        inside = (low > cut / 2) & (high > cut / 2) & (law.mass > 0)
        lost = float(most[~inside].sum()) * (1 + ROUNDING) + law.tail
        mass, error = law.mass[inside], law.error[inside]
        return cls(mass, float(error.sum()), float((error / mass).max(initial=0.0)), lost)


@final
@dataclass(frozen=True, slots=True, eq=False)
class LegsCurve(Curve):
    """δ(ε), from above: coins of the person's own group, and of each leg; noise has to hide any of these losses where
    one coin of each leg is moved. There are fewer coins with a probability of at most `miss`.
    """

    own: _Coins
    legs: tuple[_Coins, ...]
    noises: tuple[Losses, ...]
    miss: float
    _told: list[tuple[Floats, Floats, Floats, float, float]] = field(default_factory=list, repr=False, init=False)
    _found: dict[Fraction, Bracket] = field(default_factory=dict, repr=False, init=False)

    @classmethod
    def of(
        cls, own: Curve, legs: Sequence[tuple[Curve, int]], profiles: Sequence[Profile], enough: Fraction
    ) -> "LegsCurve | None":
        """The coins of the person's own group, and of each leg with its sign; None where it is too much to list."""
        miss, missing = MISS * float(enough), 0.0
        noises = [listed(profile) for profile in profiles]
        found = [noise for noise in noises if noise is not None]
        many = sum(len(losses) for losses, _ in found)
        if not 1 < len(legs) <= MOST_LEGS or len(found) < len(noises) or many > MOST_LOSSES:
            return None
        coins = list[_Coins]()
        for curve, sign in ((own, 1), *legs):
            if isinstance(curve, CoinsCurve):
                number, fewer = curve.surely(miss)
                coins.append(_Coins.of(curve.rate if sign > 0 else 1 - curve.rate, number, miss))
                missing += fewer
            elif curve is own:  # nobody else, or nobody unknown
                coins.append(_Coins.of(0.5, 0, miss))
            else:
                return None
        made = cls(coins[0], tuple(coins[1:]), tuple(found), missing * (1 + ROUNDING))
        return made if math.prod(made.shape) * len(made.own.mass) <= MOST_PLACES else None

    @property
    def shape(self) -> tuple[int, ...]:
        """How many results each leg has, with room for one more."""
        return tuple(len(leg.mass) + len(self.own.mass) for leg in self.legs)

    def delta(self, epsilon: Fraction) -> Bracket:
        if epsilon not in self._found:
            self._found[epsilon] = Bracket(0.0, min(1.0, self._upper(epsilon)))
        return self._found[epsilon]

    def _upper(self, epsilon: Fraction) -> float:
        one, other, free, error, lost = self._laws()
        factor, worst = math.exp(float(epsilon)), 0.0
        for p, q in ((one, other), (other, one)):
            value = np.maximum(p - factor * q, 0)
            veiled = value
            for losses, chances in self.noises:
                hidden = np.zeros_like(p)
                for loss, chance in zip(losses.tolist(), chances.tolist(), strict=True):
                    hidden += chance * np.maximum(p - math.exp(float(epsilon) - loss) * q, 0)
                veiled = np.maximum(veiled, hidden)
            worst = max(worst, float((free * value + (1 - free) * veiled).sum()))
        largest = max((float(np.abs(losses).max()) for losses, _ in self.noises), default=0.0)
        error += float(Balls.rounded(1.0, float(epsilon) + largest + 8).radius)  # of the factors
        return worst * (1 + ROUNDING) + (1 + factor) * error + lost + self.miss

    def _laws(self) -> tuple[Floats, Floats, Floats, float, float]:
        """The law of what is told, in both worlds; how likely noise has nothing to hide, given what is told, at least;
        what the masses are off by, all together; and what was cut off.
        """
        if not self._told:
            self._told.append(self._fresh())
        return self._told[0]

    def _fresh(self) -> tuple[Floats, Floats, Floats, float, float]:
        own, legs, shape = self.own, self.legs, self.shape
        told, weighted = np.zeros(shape), np.zeros(shape)
        outer = np.array(1.0)
        for leg in legs:
            outer = np.multiply.outer(outer, leg.mass)
        for k, chance in enumerate(own.mass.tolist()):
            here = tuple(slice(k, k + len(leg.mass)) for leg in legs)
            told[here] += chance * outer
            weighted[here] += k * chance * outer
        steps = float(Balls.rounded(1.0, len(own.mass) + 2 * len(legs) + 8).radius)
        error = (math.fsum(part.error for part in (own, *legs)) + steps) * (1 + ROUNDING)
        relative = math.fsum(part.relative for part in (own, *legs)) + steps
        lost = math.fsum(part.lost for part in (own, *legs)) * (1 + ROUNDING)
        moved, beyond = _moved(told), _moved(weighted)
        both = (told > TINY) & (moved > TINY)
        free = np.zeros(shape)
        free[both] = weighted[both] / told[both] - beyond[both] / moved[both] - 8 * len(own.mass) * relative - ROUNDING
        return told, moved, np.clip(free, 0.0, 1.0), error, lost


def _moved(law: Floats) -> Floats:
    """By one in every direction; there is room for it."""
    found = np.zeros_like(law)
    found[(slice(1, None),) * law.ndim] = law[(slice(None, -1),) * law.ndim]
    return found
