"""Attackers who hold a stated law to be possible, and lean to any other (hedging, Pufferfish section 7.2)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.answers import EVERYTHING, NOTHING, Answer, BoundedBy, Inquiry
from dalenius.beliefs.belief import IID, Belief
from dalenius.facts.records import Label, exact

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic


@final
class Hedged(Belief):
    """All records follow one law: with a weight of at least `weight` that of `values`, and else any other one. What the
    attacker knows of one record does not change these weights.

    Whatever law they lean to may be one under which an exact count tells everything, so that nothing exact is hidden.
    What `HedgedCount` publishes is, by its theorem; and noise hides a record by itself.

    >>> print(Hedged({1: "0.3", 0: "0.7"}, weight="0.001", n=100))
    one law for all, that of the values with weight at least 0.001, n=100
    """

    independent = True  # given either fact about a person, the others are what they are: noise by itself hides one

    def __init__(
        self,
        values: Mapping[Label | Fraction, float | str | Fraction],
        *,
        weight: float | str | Fraction,
        n: int,
    ) -> None:
        self.stated = IID(values=values, n=n)
        self.weight, self.n, self.known = exact(weight, name="weight"), self.stated.n, 0
        if not 0 < self.weight < Fraction(1, 2):
            raise InputError(
                f"The weight that every attacker gives to the stated law must lie between 0 and 1/2, but got {weight}. "
                "A small one promises more: 0.001 is usual."
            )

    @property
    def assumes(self) -> tuple[str, ...]:
        return (
            f"records follow one law: the stated one with a weight of at least {self.weight}, or any other",
            "what is true of one person does not change that weight, and the attacker knows no record",
        )

    @property
    def route(self) -> str:
        return "theorem of the hedged count"

    @property
    def breaks(self) -> str:
        return "an attacker who gives the stated law less weight; anything else that is told of these records"

    def domain(self) -> Sequence[Label | Fraction]:
        return self.stated.domain()

    def rate(self, statistic: "Statistic") -> Fraction | None:
        """How likely a record is to add one, under the stated law, if records add nothing or one."""
        adds = [(statistic.contribution(value), chance) for value, chance in self.stated.marginal]
        if not {add for add, _ in adds} <= {0, 1}:
            return None
        return sum((chance for add, chance in adds if add), Fraction(0))

    def answer(self, statistic: "Statistic", asked: Inquiry) -> Answer:
        """Nothing exact is hidden: whoever leans to no other law is one of these attackers, and gives a lower bound."""
        if len({statistic.contribution(value) for value in self.domain()}) == 1:
            return NOTHING
        return BoundedBy((EVERYTHING,), (self.stated.answer(statistic, asked),))

    def __str__(self) -> str:
        return f"one law for all, that of the values with weight at least {float(self.weight):g}, n={self.n}"
