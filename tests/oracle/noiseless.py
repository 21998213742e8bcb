"""Noiseless privacy by brute force, for a handful of independent records.

The attacker tries to tell two secrets about one person apart, and knows g of the other
records. The worst person, the worst g records, the worst values of these records that can
occur, and the worst pair of secrets are found by trying all of them. The law of the unknown
records' total is an exact convolution. `datasets.by_datasets` finds the same number by
listing all datasets instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, Literal

from flint import arb

from . import balls
from .channels import Channel, exact, publish
from .laws import BallLaw, Law, add, curve_epsilon, hockey_stick, pushforward, shift, sum_of

Value = Any
ABSENT = "absent"
Secret = Literal["value", "presence", "presence only"]


def itself(value: Any) -> Any:
    """A record's contribution is its value."""
    return value


@dataclass(frozen=True)
class Problem:
    """Records, figure, channel, secret and attacker.

    `marginals` holds one law per person. `domain` lists the values that a target may have,
    whether or not the belief gives them mass. An absent person contributes nothing.
    `known` is how many of the others the attacker knows: with values that can occur, or if
    `declared` with any values of the domain. `targets` restricts the persons
    under attack (default: all).
    """

    marginals: Sequence[Mapping[Value, Fraction]]
    domain: Sequence[Value] = (0, 1)
    contribution: Callable[[Any], Any] = itself
    channel: Channel = exact
    secret: Secret = "value"
    known: int = 0
    targets: Sequence[int] | None = None
    declared: bool = False

    @property
    def persons(self) -> Sequence[int]:
        """Who is attacked."""
        return range(len(self.marginals)) if self.targets is None else self.targets

    @property
    def zero(self) -> Any:
        """The contribution of nobody: 0, or a vector of zeros."""
        like = self.contribution(self.domain[0])
        return tuple(0 for _ in like) if isinstance(like, tuple) else 0

    def pairs(self) -> list[tuple[Value, Value]]:
        """Every two secrets that must not be told apart, in both orders."""
        facts = {"value": [*self.domain], "presence": [*self.domain, ABSENT]}
        if self.secret in facts:
            return list(itertools.permutations(facts[self.secret], 2))
        return [pair for x in self.domain for pair in ((x, ABSENT), (ABSENT, x))]


@dataclass(frozen=True)
class Case:
    """One attack: on whom, knowing which records with which values, and which two secrets."""

    person: int
    known: tuple[int, ...]
    values: tuple[Value, ...]
    pair: tuple[Value, Value]


@dataclass(frozen=True)
class Worst:
    """The exact answer as a ball, and an attack that reaches it."""

    delta: arb
    case: Case

    @property
    def lower(self) -> Fraction:
        """Not above the true delta."""
        return balls.lower(self.delta)

    @property
    def upper(self) -> Fraction:
        """Not below the true delta."""
        return balls.upper(self.delta)


def pairs_of_worlds(problem: Problem) -> Iterator[tuple[Case, Law | BallLaw, Law | BallLaw]]:
    """Every attack with the laws of the published figure in its two worlds.

    Known values matter through their total only, so one representative per total is kept.
    """
    totals = [pushforward(law, problem.contribution) for law in problem.marginals]
    for person in problem.persons:
        others = [j for j in range(len(totals)) if j != person]
        for known in itertools.combinations(others, problem.known):
            rest = sum_of([totals[j] for j in others if j not in known], zero=problem.zero)
            for base, values in _known_totals(problem, known).items():
                worlds = _worlds(problem, shift(rest, base))
                for pair in problem.pairs():
                    yield Case(person, known, values, pair), worlds[pair[0]], worlds[pair[1]]


def _known_totals(problem: Problem, known: tuple[int, ...]) -> dict[Any, tuple[Value, ...]]:
    """Each total that the known records can have, with values that give it."""
    possible = [[v for v, mass in problem.marginals[j].items() if mass > 0] for j in known]
    if problem.declared:
        possible = [list(problem.domain) for _ in known]
    return {
        reduce(add, map(problem.contribution, values), problem.zero): values for values in itertools.product(*possible)
    }


def _worlds(problem: Problem, rest: Law) -> dict[Value, Law | BallLaw]:
    """The law of the published figure for each value of the target."""
    worlds = {x: publish(shift(rest, problem.contribution(x)), problem.channel) for x in problem.domain}
    return {**worlds, ABSENT: publish(rest, problem.channel)}


def worst_delta(problem: Problem, epsilon: Fraction) -> Worst:
    """The least delta such that the figure is (epsilon, delta) noiseless private."""
    return _worst((case, hockey_stick(p, q, epsilon)) for case, p, q in pairs_of_worlds(problem))


def worst_epsilon(problem: Problem, delta: Fraction) -> arb:
    """The least epsilon >= 0 for a given delta (channels with exact laws only)."""
    if isinstance(problem.channel, BallLaw):
        raise TypeError("worst_epsilon needs exact laws; use least_epsilon with worst_delta")
    return balls.largest(
        curve_epsilon(p, q, delta)
        for _, p, q in pairs_of_worlds(problem)
        if not isinstance(p, BallLaw) and not isinstance(q, BallLaw)
    )


def _worst(found: Iterator[tuple[Case, arb]]) -> Worst:
    cases = list(found)
    if not cases:
        raise ValueError("there is no attack to try: too many known records or a tiny domain")
    highest = max(cases, key=lambda item: balls.upper(item[1]))
    return Worst(balls.largest(delta for _, delta in cases), highest[0])
