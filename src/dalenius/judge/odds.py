r"""From a curve to odds: how far a release can move what anybody believes of one person.

Let P and Q be the laws of the release given a fact about the person and given its opposite; an attacker's odds move by
the factor r = P/Q at what is published, whatever they were before. If P and Q are (ε, δ)-alike both ways, then by
`pointwise_from_indistinguishability` the mass of {r > e^a or r < e^-a} is at most δ (1 + e^-a) / (1 - e^(ε - a)),
under P and under Q. This is at most η as soon as e^-a <= (η - δ) / (δ + η e^ε), and a curve offers many pairs (ε, δ)
to choose from. With δ = 0 the odds never move by more than e^ε.

Facts that several values make true: P and Q are then mixtures, weighted as the attacker weighs the values, and mixtures
of laws that are pairwise alike are alike (joint convexity). The probability η is that of the mixture.

The release without the person's record is a function of the other records alone. Where these are independent of the
person's, it moves no odds about the person. Nothing is said here of facts about other people, or about groups.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, localcontext
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.basics.errors import InputError, require
from dalenius.claims.conversions import unknown_shift_from_dp
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import DIGITS, decimal, evaluated, rounded

Points: TypeAlias = Iterable[tuple[Fraction, float]]  # an epsilon, and a delta that is certified there
LARGEST = 700  # logarithms of factors beyond which nothing is promised


@final
@dataclass(frozen=True, slots=True)
class Odds:
    """But for a probability of at most `failure`, nobody's odds for a fact about a person move by more than e^log.

    >>> from fractions import Fraction
    >>> import dalenius as dl
    >>> print(round(dl.odds_from([(Fraction(1, 2), 1e-8)], "1e-6").factor, 2))
    1.68
    """

    log: Fraction
    failure: Fraction

    @property
    def factor(self) -> float:
        """At most by how much the odds move, up or down."""
        return evaluated(lambda: decimal(self.log).exp()).upper

    def after(self, prior: Number) -> Bracket:
        """Between what a belief of this probability can become.

        >>> print(Odds(Fraction(1, 2), Fraction(1, 10**6)).after("0.1"))
        [0.06313, 0.1549]
        """
        chance = exact(prior, name="prior")
        require(0 <= chance <= 1, "a prior probability between 0 and 1", got=prior)
        with localcontext(Context(prec=DIGITS)):
            p, rest, steep = decimal(chance), decimal(1 - chance), decimal(self.log).exp()
            least, most = p / (p + rest * steep), p * steep / (p * steep + rest)
            return Bracket(rounded(least, most=1.0).lower, rounded(most, most=1.0).upper)

    @property
    def shift(self) -> float:
        """At most by how much the probability of any fact moves, whatever it was: tanh(log / 4)."""
        return unknown_shift_from_dp(self.log).upper


def odds_from(points: Points, failure: Number) -> Odds | None:
    """The least factor, but for at most this probability, that the certified points of one curve prove; None if they
    prove none.

    >>> print(round(odds_from([(Fraction(1, 2), 1e-8)], "1e-6").factor, 3))
    1.675
    >>> print(round(odds_from([(Fraction(1, 2), 0.0)], 0).factor, 3))
    1.649
    """
    limit = exact(failure, name="failure")
    if not 0 <= limit < 1:
        raise InputError(f"A probability of failure is at least 0 and below 1, but got {failure}. Write 1e-6.")
    found = [(_log(epsilon, delta, limit), limit if delta else Fraction(0)) for epsilon, delta in points]
    log, lost = min(found, default=(math.inf, limit))
    return Odds(Fraction(log), lost) if log < LARGEST else None


def _log(epsilon: Fraction, delta: float, limit: Fraction) -> float:
    """The logarithm of the factor that one point proves, rounded up; infinite if it proves none."""
    if delta == 0:
        return evaluated(lambda: decimal(epsilon)).upper if epsilon else 0.0
    lost = Fraction(delta)
    if lost >= limit or epsilon > LARGEST:
        return math.inf
    with localcontext(Context(prec=DIGITS)):
        ratio = (decimal(lost) + decimal(limit) * decimal(epsilon).exp()) / decimal(limit - lost)
        return rounded(ratio.ln(), positive=True).upper
