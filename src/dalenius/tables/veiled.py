"""Moves beside noise: coins hide what exact numbers tell, and noise what the moved records change in noisy ones.

Fix a pair of facts about a person. The exact numbers change by a and the noisy ones by n; move g of other records
changes the exact ones by exactly a, and the noisy ones by n_g. Let m moves be coins of rate ρ (all else is revealed),
K of which fell. The exact numbers tell K, or K + 1 with the person's change. Given K = k the set of those that fell is
uniform among all of its size, in both worlds, so that the two are coupled by removing one of the k at random: it is
each of the m with probability 1/m, *whatever k is*. Then noise has to hide n_g - n, for the removed g. The divergence
is jointly convex, so with Z_g the pair of the noise and the noise moved by n_g - n,

    δ(ε) <= E (1/m) Σ_g δ[(Binomial(m, ρ), itself moved by one) and Z_g, both published](ε).

It is summed over k: the loss of k is known, and what is left of ε is the noise's. With m_0 moves that leave the noise
nothing to hide and m_1 others, each taken as the worst of these, it is E (m_0 f_0(m) + m_1 f_1(m)) / m, m = m_0 + m_1.

*Known records.* To lose a coin of the first kind is worse than one of the second: f_0 <= f_1, so that the mean grows,
and both fall with m. So if no weight of the second kind is above one of the first, those of the first kind are lost
first, largest weights first; otherwise all moves are taken as of the second kind.

*Two-sided geometric noise* of scale s moved by d has d + 1 different losses, (d - 2 j) / s; that of several numbers is
their sum. Other noise is composed as a curve. Losses and ε are moved apart by more than rounding can.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.coins import Coins, CoinsCurve, Ints, coins_mean
from dalenius.beliefs.crowd import law_of_rates
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses
from dalenius.judge.engine import composed
from dalenius.judge.noise import NoiseAlone, Profile
from dalenius.mechanisms import TwoSidedGeometric
from dalenius.numerics.curve import Constant, Curve
from dalenius.numerics.law import Floats, Law, point

Losses: TypeAlias = tuple[Floats, Floats]  # of noise: log-ratios, and the probabilities of each
MOST_LOSSES = 4000  # of the noise of one pair of facts
MOST_COINS = 4096  # up to which the losses of coins are gone through one by one
MOST_CASES = 1 << 18  # numbers of coins of both kinds
APART = 1e-12  # by which losses may be off
ROUNDING = 1e-9  # more than a few thousand additions and products lose


@final
@dataclass(frozen=True, slots=True, eq=False)
class Veiled(Curve):
    """δ(ε) of moves, from above: weights and numbers of those that leave the noise nothing to hide, and of the others,
    for which it has to hide any of these profiles.
    """

    plain: tuple[Floats, Ints]
    other: tuple[Floats, Ints]
    profiles: tuple[Profile, ...]
    known: int
    rate: float
    coins: Coins
    _numbers: list[tuple[Law, Law]] = field(default_factory=list, repr=False, init=False)
    _found: dict[Fraction, Bracket] = field(default_factory=dict, repr=False, init=False)

    def delta(self, epsilon: Fraction) -> Bracket:
        if epsilon not in self._found:
            self._found[epsilon] = Bracket(0.0, min(1.0, self._fresh(epsilon)))
        return self._found[epsilon]

    def _fresh(self, epsilon: Fraction) -> float:
        if not self.profiles:
            return self._all().delta(epsilon).upper
        if any(listed(profile) is None for profile in self.profiles):
            return self._composed(epsilon)
        return self._upper(epsilon)

    def _all(self) -> Curve:
        """All of them, as if none left the noise anything to hide."""
        weights, times = (np.concatenate(both) for both in zip(self.plain, self.other, strict=True))
        return coins_mean(weights, times, self.known, self.rate, self.coins)

    def _composed(self, epsilon: Fraction) -> float:
        """Every move as one of the second kind, composed with noise of any sort."""
        coins, noise = self._all(), NoiseAlone(((self.profiles,),))
        if isinstance(coins, Constant):
            return 1.0
        try:
            return max(composed([coins, one]).delta(epsilon).upper for one in noise.curves())
        except InputError:  # too much to list
            return 1.0

    def _upper(self, epsilon: Fraction) -> float:
        first, second = self._laws()
        most = first.stop + second.stop
        if len(first.mass) * len(second.mass) > MOST_CASES or most > MOST_COINS:
            return self._coarsely(epsilon)
        chances = np.outer(largest_masses(first.mass, first.error), largest_masses(second.mass, second.error))
        ones = np.arange(first.start, first.stop)[:, None] + np.zeros(len(second.mass), dtype=np.int64)
        whole = ones + np.arange(second.start, second.stop)
        free, veiled = np.ones(most), np.ones(most)
        for number in np.unique(whole[whole > 0]).tolist():
            free[number] = self.coins.most(self.rate, epsilon, number)
            veiled[number] = self._at(number, epsilon)
        share = ones / np.maximum(whole, 1)
        value = share * free[whole] + (1 - share) * np.maximum(free, veiled)[whole]
        return float((chances * value).sum()) * (1 + ROUNDING) + first.tail + second.tail

    def _coarsely(self, epsilon: Fraction) -> float:
        """Every move as one of the second kind, by few different numbers of them."""
        coins = self._all()
        if not isinstance(coins, CoinsCurve):
            return 1.0
        terms = [mass * self._at(number, epsilon) for number, mass in coins.numbers()]
        return math.fsum(terms) * (1 + ROUNDING) + coins.number.tail

    def _at(self, number: int, epsilon: Fraction) -> float:
        """So many coins, beside the worst of the noises."""
        if number == 0:
            return 1.0
        return max(together(min(number, MOST_COINS), self.rate, profile, epsilon) for profile in self.profiles)

    def _laws(self) -> tuple[Law, Law]:
        """How many moves of each kind are coins, without those that the attacker can undo."""
        if not self._numbers:
            (first, times), (second, others) = self.plain, self.other
            mine, theirs = first[times > 0], second[others > 0]
            ordered = not len(mine) or not len(theirs) or float(mine.min()) >= float(theirs.max())
            if ordered or not self.known:
                lost = min(self.known, int(times.sum()))
                laws = _number(first, times, lost, self), _number(second, others, self.known - lost, self)
            else:
                weights, every = np.concatenate([first, second]), np.concatenate([times, others])
                laws = point(0), _number(weights, every, self.known, self)
            self._numbers.append(laws)
        return self._numbers[0]


def _number(weights: Floats, times: Ints, known: int, curve: Veiled) -> Law:
    found = coins_mean(weights, times, known, curve.rate, curve.coins) if len(weights) else None
    return found.number if isinstance(found, CoinsCurve) else point(0)


@lru_cache(maxsize=512)
def listed(profile: Profile) -> Losses | None:
    """The losses of geometric noise on several numbers, each against itself moved; None for other noise, or too many.

    >>> losses, chances = listed(((TwoSidedGeometric(Fraction(1)), 1),))
    >>> losses.tolist(), round(float(chances[1] / chances[0]), 6)
    ([-1.0, 1.0], 2.718282)
    """
    found: dict[Fraction, float] = {Fraction(0): 1.0}
    for noise, far in profile:
        if not isinstance(noise, TwoSidedGeometric) or (far + 1) * len(found) > MOST_LOSSES:
            return None
        scale = Fraction(noise.scale)
        x = math.exp(-float(1 / scale))
        inside = [((1 - x) / (1 + x)) * x**place for place in range(1, far)]
        masses = [1 / (1 + x), *inside, x**far / (1 + x)]
        after: dict[Fraction, float] = {}
        for loss, chance in found.items():
            for place, mass in enumerate(masses):
                at = loss + (far - 2 * place) / scale
                after[at] = after.get(at, 0.0) + chance * mass
        found = after
    places = sorted(found)
    return np.array([float(at) for at in places]), np.array([found[at] for at in places]) * (1 + ROUNDING)


@lru_cache(maxsize=1 << 14)
def together(number: int, rate: float, profile: Profile, epsilon: Fraction) -> float:
    """δ of so many coins against themselves moved by one, and geometric noise that is moved so, at once: the worse
    direction.

    At k the loss of the coins is log P(k) / P(k - 1), with P(k) / P(k - 1) = (number - k + 1) ρ / (k (1 - ρ)); the
    other way round log P(k) / P(k + 1). At the end it is infinite.
    """
    law = law_of_rates(np.array([rate]), np.array([number]))
    masses = largest_masses(law.mass, law.error)
    k = np.arange(law.start, law.stop, dtype=np.float64)
    odds = math.log(rate) - math.log1p(-rate)
    noise = listed(profile)
    if noise is None:
        return 1.0
    worst, (losses, chances) = 0.0, noise
    with np.errstate(divide="ignore"):
        ways = (np.log(number - k + 1) - np.log(k) + odds, np.log(k + 1) - np.log(number - k) - odds)
    for loss in ways:
        exponent = float(epsilon) - loss[:, None] - losses[None, :]
        exponent -= APART * (1 + abs(float(epsilon)) + np.abs(losses)[None, :] + 40)
        gain = np.where(np.isneginf(exponent), 1.0, -np.expm1(np.minimum(exponent, 0.0)))
        worst = max(worst, float(masses @ (gain @ chances)))
    return min(1.0, worst * (1 + ROUNDING) + law.tail)
