"""The total of randomised answers, for an attacker who is uncertain too: dice and uncertainty hide together."""

from dataclasses import replace
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import IID, Belief
from dalenius.beliefs.crowd import law_of_rates
from dalenius.claims import Evidence, Guarantee, Notion
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import mass_below
from dalenius.enclosure.outward import float_down
from dalenius.facts.secret import Secret, Value
from dalenius.facts.statistics import Count
from dalenius.mechanisms.randomized_response import SOURCE, RandomizedResponse
from dalenius.mechanisms.stated import Answer, Company, Stated, pure
from dalenius.numerics.curve import Average, Curve, Enclosed, PairCurve, Supremum
from dalenius.numerics.law import Law, mixture
from dalenius.numerics.pure import ResponseCurve

FEW = 64  # known records up to which all ways to be "yes" or "no" are tried
SHARES = (1e-25, 1e-18, 1e-13, 1e-9, 1e-6, 1e-3, 0.1, 0.5)  # where numbers of fair coins are cut into blocks


@final
class ResponseTotal(Stated):
    """How many randomised answers are "yes", and nothing else, where the attacker holds the records to be independent
    with P(1) = p and knows the true answers of some of them (but not their coins).

    Given the person's answer the total is S + B, with S the others' answers and B one coin of chance keep or 1 - keep.
    An unknown record's published answer is "yes" with chance keep p + (1 - keep)(1 - p). A known one's, with chance
    keep or 1 - keep: which is worst is tried for up to 64 known records, and beyond bounded. For that, each is a fair
    coin with chance 2(1 - keep) and known otherwise; telling the attacker which is which only helps them.

    >>> total = ResponseTotal(RandomizedResponse(epsilon=1), IID(p=0.1, n=1000))
    >>> print(total.curve().delta(Fraction(1, 10)))
    [9.18e-6, 9.181e-6]
    """

    company = Company.NOTHING
    alone_because = "It rests on what is uncertain about the other answers, of which another release tells."

    def __init__(self, response: RandomizedResponse, belief: IID) -> None:
        if set(belief.domain()) - {0, 1}:
            raise InputError(
                f"Answers need a belief about yes/no records, but it has the values {list(belief.domain())}. Give "
                "IID(p=..., n=...) with the chance that the question is answered with yes."
            )
        self.response, self.belief = response, belief
        self.p = sum((chance for value, chance in belief.marginal if value == 1), Fraction(0))

    def law(self, answer: int, known_ones: int = 0) -> Law:
        """The law of the total where the person's true answer is this, and so many of the known ones are "yes"."""
        if answer not in (0, 1) or not 0 <= known_ones <= self.belief.known:
            raise InputError(
                f"An answer of 0 or 1 and up to {self.belief.known} known records are needed, but got {answer} and "
                f"{known_ones}. Correct them."
            )
        return self._world(self._others(known_ones), answer)

    def _others(self, known_ones: int) -> Law:
        known = self.belief.known
        groups = [(self.p, self.belief.n - 1 - known), (Fraction(1), known_ones), (Fraction(0), known - known_ones)]
        return self.response.counts(groups)

    def _world(self, others: Law, answer: int) -> Law:
        low, high = self.response.chances()  # some 1e-39 apart, which the mixture's rounding covers
        yes = (low + high) / 2 if answer else 1 - (low + high) / 2
        return mixture([(yes, others.shifted(1)), (1 - yes, others)])

    def _pair(self, others: Law) -> PairCurve:
        return PairCurve(self._world(others, 0), self._world(others, 1), only=True)

    def curve(self) -> Curve:
        """δ(ε), worst over what the known records are, of all that the belief holds possible."""
        known = self.belief.known
        possible = [ones for ones in range(known + 1) if (self.p > 0 or not ones) and (self.p < 1 or ones == known)]
        if len(possible) <= FEW:
            return Supremum(tuple(self._pair(self._others(ones)) for ones in possible))
        tried = Supremum(tuple(self._pair(self._others(ones)) for ones in (0, known // 2, known)))
        return Enclosed(tried, self._with_fair_coins())

    def _with_fair_coins(self) -> Curve:
        """An average over the number of fair coins among the known answers, in blocks, each with its least number: more
        coins never help the attacker. Weights are from below; what is missing counts as δ = 1.
        """
        known, left = self.belief.known, self.belief.n - 1 - self.belief.known
        fair = float_down(2 * (1 - self.response.chances()[1]))  # at most as many coins as there are
        coins = law_of_rates(np.array([fair]), np.array([known]))
        below = np.cumsum(coins.mass)
        cuts = np.unique(coins.start + np.searchsorted(below, SHARES)).tolist()
        weights, curves = [], []
        for first, after in zip(cuts, [*cuts[1:], known + 1], strict=True):
            weights.append(mass_below(coins.over(first, after)))
            curves.append(self._pair(self.response.counts([(self.p, left), (Fraction(1, 2), first)])))
        return Average(tuple(weights), tuple(curves))

    def told(self) -> str:
        return f"the total of {self.belief.n} randomised answers ({self.response.told()})"

    def guarantees(self) -> tuple[Guarantee, ...]:
        """At δ = 1e-9. The local ε holds besides, at δ = 0."""
        wanted = Fraction(1, 10**9)
        least = self.curve().epsilon(wanted)
        both = self.response.level()
        return (
            pure(
                self,
                definition="noiseless privacy of randomised answers",
                hides="a person's true answer",
                attacker=str(self.belief),
                epsilon=Bracket(min(least.lower, both.upper), min(least.upper, both.upper)),
                because="computed from the law of the total: coins of everybody, and uncertainty about the unknown",
                assumes=(*self.belief.assumes, "the coins are drawn as stated", "only the total is published"),
                breaks=(self.belief.breaks, "publishing the answers themselves: then the local guarantee holds"),
                sources=(SOURCE,),
                notion=Notion.NOISELESS,
                delta=wanted,
                evidence=Evidence.HEURISTIC if self.belief.fitted else Evidence.COMPUTED,
            ),
            *self.response.guarantees(),
        )

    def answers(self, belief: Belief, secret: Secret) -> Answer | None:
        """For its own belief."""
        mine = self.belief
        same = isinstance(belief, IID) and (belief.marginal, belief.n, belief.known) == (
            mine.marginal,
            mine.n,
            mine.known,
        )
        return (self.guarantees()[0], self.curve()) if same and isinstance(secret, Value) else None


@final
class LocalCount(Stated):
    """`RandomizedResponse(...) >> Count()`: how many randomised answers to "is the record one of these?" are "yes".

    Whatever the attacker knows, it is as private as an answer. If all they see is the number, and they believe in
    independent records of one law, the others' coins and their uncertainty hide a person besides (`ResponseTotal`).
    """

    differential = True

    def __init__(self, response: RandomizedResponse, count: object) -> None:
        if not isinstance(count, Count):
            raise InputError(
                f"After randomised answers comes the number of those that are yes, but {count} came. Write "
                "RandomizedResponse(epsilon=1) >> Count()."
            )
        self.response, self.count = response, count

    def told(self) -> str:
        return f"the number of randomised answers that are yes ({self.response.told()})"

    def curve(self) -> ResponseCurve:
        return self.response.curve()

    def guarantees(self) -> tuple[Guarantee, ...]:
        return tuple(replace(one, release=self.told()) for one in self.response.guarantees())

    def answers(self, belief: Belief, secret: Secret) -> Answer | None:
        """For any independent records of one law."""
        if not isinstance(belief, IID) or not isinstance(secret, Value):
            return None
        self.count.check(belief.domain())
        p = sum((chance for value, chance in belief.marginal if self.count.contribution(value)), Fraction(0))
        total = ResponseTotal(self.response, IID(p=p, n=belief.n, known=belief.known))
        return replace(total.guarantees()[0], attacker=str(belief)), total.curve()
