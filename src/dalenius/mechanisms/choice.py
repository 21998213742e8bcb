"""Choices: releases that say only where a total lies, such as on which side of a threshold, or which of some rates the
number of ones speaks for.

A choice is a function of the total and of the number of records. It changes at a few totals only (`Steps`), so its law
is that of the total on a few intervals, and one person matters only where the choice is about to change.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, PreconditionError, require
from dalenius.enclosure.formats import short
from dalenius.facts.records import Number, exact, is_integer
from dalenius.mechanisms.channel import Channel
from dalenius.numerics.law import Law
from dalenius.numerics.powers import sign

if TYPE_CHECKING:
    from dalenius.numerics.coupling import CouplingSteps

Ties: TypeAlias = Literal["first", "last"]
FARTHEST = 2**60  # totals and limits, in units: differences of two stay below what 64 bits hold


class Choice(Channel):
    """One of a few outputs, numbered from 0, by where the total lies."""

    @abstractmethod
    def steps(self, people: int) -> "CouplingSteps":
        """The output as a function of the total, among this many records."""

    @property
    @abstractmethod
    def outputs(self) -> tuple[str, ...]:
        """What each output says."""

    def among(self, people: int) -> "ThresholdChoice":
        """The same choice for a fixed number of records, as a function of the total alone."""
        steps = self.steps(people)
        return ThresholdChoice(steps.starts, steps.outputs, self.outputs)

    @property
    def random(self) -> bool:
        return False

    @property
    def hides(self) -> bool:
        return True

    @property
    def period(self) -> int:
        """None: so every computation that rests on one refuses a choice."""
        raise InputError(
            f"A choice ({self}) is judged for IID, Independent and Markov records, as the last step after exact "
            "figures or noise, but not here. Publish it alone, under one of these beliefs."
        )

    def push(self, law: Law) -> Law:
        raise InputError(
            f"A choice ({self}) needs the number of records. Fix it with .among(n), or write a function of the dataset."
        )


@final
@dataclass(frozen=True, slots=True)
class ThresholdChoice(Choice):
    """How many of some limits the total reaches: with one limit, whether it is reached."""

    starts: tuple[int, ...]
    places: tuple[int, ...]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        starts = tuple(int(start) if is_integer(start) else start for start in self.starts)
        object.__setattr__(self, "starts", starts)
        require(
            all(type(start) is int for start in self.starts),
            "limits that are whole numbers of units",
            got=self.starts,
            remedy="Give limits in units of the figure.",
        )
        require(
            all(abs(start) < FARTHEST for start in self.starts),
            "limits below 2^60 units",
            got=self.starts,
            remedy="Declare a coarser unit.",
        )
        if list(self.starts) != sorted(set(self.starts)):
            raise InputError(f"Limits must ascend, but got {list(self.starts)}. Write each once, the lowest first.")

    @property
    def outputs(self) -> tuple[str, ...]:
        return self.names

    def steps(self, people: int) -> "CouplingSteps":
        from dalenius.numerics.coupling import CouplingSteps

        return CouplingSteps(self.starts, self.places)

    def among(self, people: int) -> "ThresholdChoice":
        return self

    def apply(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        """The output for each total."""
        return np.array(self.places, dtype=np.int64)[np.searchsorted(self.starts, totals, side="right")]

    def push(self, law: Law) -> Law:
        return law.pushed(self.apply(np.arange(law.start, law.stop)))

    def __str__(self) -> str:
        if len(self.starts) == 1:
            return f"whether it reaches {self.starts[0]}"
        return f"how many of {len(self.starts)} limits it reaches"


@final
@dataclass(frozen=True, slots=True)
class Majority(Choice):
    """Whether at least half of the records are ones, or more than half: the tie rule is part of the definition."""

    ties: Literal["yes", "no"] = "yes"

    def __post_init__(self) -> None:
        require(
            self.ties in ("yes", "no"), 'ties="yes" or ties="no"', got=self.ties, remedy="Say what a tie counts as."
        )

    @property
    def outputs(self) -> tuple[str, ...]:
        return "no", "yes"

    def steps(self, people: int) -> "CouplingSteps":
        from dalenius.numerics.coupling import CouplingSteps

        return CouplingSteps(((people + 1) // 2 if self.ties == "yes" else people // 2 + 1,), (0, 1))

    def __str__(self) -> str:
        return "whether ones are a majority" + (" (or half)" if self.ties == "yes" else "")


@final
@dataclass(frozen=True, slots=True)
class LikeliestRate(Choice):
    """The rate that yes/no records speak for: the i with the largest weight_i rate_i^ones (1 - rate_i)^(others).

    Of several with the same posterior probability the first (or the last) listed is chosen. Likelihoods are compared
    exactly, whatever the number of records: as products of powers of fractions.
    """

    rates: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    ties: Ties = "first"

    def __post_init__(self) -> None:
        check_weights(self.weights, len(self.rates))
        check_ties(self.ties)
        for rate in self.rates:
            require(0 <= rate <= 1, "rates between 0 and 1", got=str(rate))
            if rate in (0, 1) and set(self.rates) != {rate}:
                raise PreconditionError(
                    f"Choosing a model needs rates strictly between 0 and 1, but got {rate}: no M has "
                    f"f(a) <= M·{rate if rate == 0 else 1 - rate} for the value a that it excludes and another rate "
                    "allows, so one record may exclude it for sure. Use 0.001 for what is rare."
                )

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(f"rate {short(rate)}" for rate in self.rates)

    def winner(self, ones: int, people: int) -> int:
        """The place of the rate chosen. Cost: a comparison for each rate."""
        best = 0
        for other in range(1, len(self.rates)):
            against = _better(self.rates, self.weights, other, best, ones, people - ones)
            if against > 0 or (against == 0 and self.ties == "last"):
                best = other
        return best

    def steps(self, people: int) -> "CouplingSteps":
        return _regions(self, people)

    def __str__(self) -> str:
        shown = [short(rate) for rate in self.rates]
        return f"which of the rates {', '.join(shown[:-1])} and {shown[-1]} is the likeliest"


def _better(rates: Sequence[Fraction], weights: Sequence[Fraction], one: int, two: int, ones: int, zeros: int) -> int:
    p, q = rates[one], rates[two]
    if p == q:
        return sign([weights[one] / weights[two]], [1])
    return sign([weights[one] / weights[two], p / q, (1 - p) / (1 - q)], [1, ones, zeros])


@lru_cache(maxsize=256)
def _regions(choice: LikeliestRate, people: int) -> "CouplingSteps":
    """Each rate wins on a run of totals, since logarithms of posteriors are straight lines in the total: halving finds
    where the winner changes. Cost O(rates² log people) comparisons.
    """
    from dalenius.numerics.coupling import CouplingSteps

    starts: list[int] = []
    winners = [choice.winner(0, people)]
    todo = [(0, people, winners[0], choice.winner(people, people))]
    while todo:
        low, high, first, last = todo.pop()
        if first == last:
            continue
        if high == low + 1:
            starts.append(high)
            winners.append(last)
            continue
        middle = (low + high) // 2
        found = choice.winner(middle, people)
        todo += [(middle, high, found, last), (low, middle, first, found)]
    return CouplingSteps(tuple(starts), tuple(winners))


def check_weights(weights: Sequence[Fraction], models: int) -> None:
    """Weights of models: one each, above 0."""
    require(models >= 2, "at least two models to choose from", got=models, remedy="Add one.")
    require(len(weights) == models, f"{models} weights, one for each model", got=len(weights), remedy="List them all.")
    require(
        all(weight > 0 for weight in weights),
        "weights above 0",
        got=[str(weight) for weight in weights],
        remedy="Leave out models that must not be chosen.",
    )


def check_ties(ties: str) -> None:
    """Which of several models with the same posterior is chosen."""
    require(ties in ("first", "last"), 'ties="first" or ties="last"', got=ties, remedy="Say which model a tie goes to.")


def threshold(*limits: int) -> ThresholdChoice:
    """Whether the figure reaches a limit, in units; with several limits, how many of them it reaches.

    >>> print(threshold(100), "|", threshold(10, 20, 50))
    whether it reaches 100 | how many of 3 limits it reaches
    """
    require(bool(limits), "at least one limit", got=limits, remedy="Write threshold(100).")
    names = ("below", "reached") if len(limits) == 1 else tuple(f"{place} reached" for place in range(len(limits) + 1))
    return ThresholdChoice(limits, tuple(range(len(limits) + 1)), names)


def majority(*, ties: Literal["yes", "no"] = "yes") -> Majority:
    """Whether at least half of the records (ties="no": more than half) are ones.

    >>> import dalenius as dl
    >>> print(dl.mechanisms.majority())
    whether ones are a majority (or half)
    """
    return Majority(ties)


def likeliest_rate(*rates: Number, weights: Sequence[Number] | None = None, ties: Ties = "first") -> LikeliestRate:
    """The rate with the largest posterior probability (a MAP estimate); weights are equal by default.

    >>> import dalenius as dl
    >>> print(dl.mechanisms.likeliest_rate("1/10", "1/2"))
    which of the rates 0.1 and 0.5 is the likeliest
    """
    found = tuple(exact(rate, name="rate") for rate in rates)
    given = [Fraction(1)] * len(found) if weights is None else [exact(weight, name="weight") for weight in weights]
    return LikeliestRate(found, tuple(given), ties)
