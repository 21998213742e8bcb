"""Pufferfish privacy on worlds whose datasets are listed (Kifer and Machanavajjhala 2014): secrets, pairs of them that
must not be told apart, and the attackers (evolution scenarios) who must not tell them apart.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final, overload

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, require
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import nearly
from dalenius.facts.records import Number, exact
from dalenius.numerics.outcomes import Outcomes, both_ratios, both_ways, divided, fractions, total
from dalenius.papers.definitions.finite import Neighbours
from dalenius.papers.definitions.neighbouring import state_pairs, telling_outcome, worst_states
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset, Finite

Mask: TypeAlias = NDArray[np.bool_]
Law: TypeAlias = Mapping[Hashable, Number]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """A potential secret: a statement that is true of some datasets of a world and false of the others."""

    name: str
    where: Mask

    def __post_init__(self) -> None:
        if not isinstance(self.where, np.ndarray):
            raise InputError(
                f"The fact {self.name!r} needs True or False for each dataset of a world, but got "
                f"{type(self.where).__name__}. Write Fact.of({self.name!r}, predicate, world)."
            )

    @classmethod
    def of(cls, name: str, holds: Callable[[Dataset], bool], world: Finite) -> "Fact":
        return cls(name, np.array([bool(holds(dataset)) for dataset in world.datasets()]))

    @classmethod
    def record_is(cls, world: Finite, record: int, value: Hashable) -> "Fact":
        """The record is there and has this value; it is absent, for None. Without looping over datasets."""
        name = f"record {record} is absent" if value is None else f"record {record} = {value}"
        return cls(name, world.record_is(record, value))

    @classmethod
    def record_in(cls, world: Finite, record: int, values: Sequence[Hashable], name: str) -> "Fact":
        """The record is there and has one of these values."""
        listed = np.array([value in values for value in world.values])
        return cls(name, listed[world.codes[:, record]])


Pair: TypeAlias = tuple[Fact, Fact]


@final
@dataclass(frozen=True, slots=True)
class FactOdds:
    """What an output does to a bet on the first secret of a pair against the second."""

    prior: Fraction | float
    posterior: Fraction | float
    ratio: Fraction | float

    def __str__(self) -> str:
        return f"odds {nearly(self.prior, 4)} before, {nearly(self.posterior, 4)} after: {nearly(self.ratio, 4)} times"


@final
@dataclass(frozen=True, slots=True)
class Skipped:
    """A pair that says nothing about an attacker, who holds one of its secrets (or both) impossible."""

    scenario: int
    pair: tuple[str, str]
    impossible: tuple[str, ...]
    side: Hashable = None


@final
@dataclass(frozen=True, slots=True)
class Leak:
    """ε (or δ) with the pair, attacker and output at which it is worst; no pair at all if every one was skipped."""

    value: Bracket
    skipped: Sequence[Skipped]
    pair: tuple[str, str] | None = None
    scenario: int | None = None
    side: Hashable = None
    output: Hashable = None
    odds: FactOdds | None = None

    def __str__(self) -> str:
        many = "1 pair" if len(self.skipped) == 1 else f"{len(self.skipped)} pairs"
        passed = f"; {many} skipped, a secret being impossible" if self.skipped else ""
        if self.pair is None:
            return f"{self.value}: nothing to tell apart{passed}"
        knows = "" if self.side is None else f" who knows {self.side}"
        return (
            f"{self.value}: {self.pair[0]} against {self.pair[1]}, scenario {self.scenario}{knows}; "
            f"at output {self.output} {self.odds}{passed}"
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class Pufferfish:
    """Given either secret of a pair, the output must look alike to every attacker who holds both possible.

    All scenarios list the same datasets, in the same order; a dataset that an attacker rules out has mass 0. If a
    scenario has auxiliary information, its attacker sees it: secrets are compared given each value of it.
    """

    pairs: tuple[Pair, ...]
    scenarios: "tuple[Finite, ...] | TwoPoints"
    assumes: str = ""

    def __post_init__(self) -> None:
        given: tuple[object, object] = (self.pairs, self.scenarios)
        if not all(isinstance(one, tuple | list | TwoPoints) for one in given):
            raise InputError(
                "Pufferfish needs a tuple of pairs and a tuple of beliefs, but got "
                f"{' and '.join(type(one).__name__ for one in given)}. For one belief write (belief,)."
            )
        if not self.scenarios:
            raise InputError(
                "Pufferfish needs at least one evolution scenario, but got none: without an attacker every mechanism "
                "would pass. List the beliefs to protect against."
            )
        require(bool(self.pairs), "at least one discriminative pair", got=self.pairs)
        world = self.scenarios[0]
        stray = next((secret for pair in self.pairs for secret in pair if len(secret.where) != world.size), None)
        if stray is not None:
            raise InputError(
                f"Secrets must be about the {world.size} datasets of the scenarios, but '{stray.name}' is about "
                f"{len(stray.where)}. Make it from the same world."
            )
        if isinstance(self.scenarios, TwoPoints):
            self._check_exclusive(0, self.scenarios.possible())
            return
        for number, scenario in enumerate(self.scenarios):
            if scenario.values != world.values or not np.array_equal(scenario.codes, world.codes):
                raise InputError(
                    f"All scenarios need the same datasets in the same order, but scenario {number} lists others than "
                    "scenario 0. Give datasets that an attacker rules out the probability 0 (see `restricted`)."
                )
            self._check_exclusive(number, np.asarray(scenario.mass != 0, dtype=bool))

    def _check_exclusive(self, number: int, possible: Mask) -> None:
        for first, second in self.pairs:
            both = first.where & second.where & possible
            if both.any():
                dataset = next(itertools.islice(self.scenarios[number].datasets(), int(both.argmax()), None))
                raise InputError(
                    f"The secrets of a pair must exclude each other, but '{first.name}' and '{second.name}' are both "
                    f"true of {dataset} in scenario {number}. Use one secret and the negation of the other."
                )

    def epsilon(self, mechanism: FiniteMechanism) -> Leak:
        """The least ε with δ = 0, possibly infinite."""
        return self._worst(mechanism, None)

    def delta(self, mechanism: FiniteMechanism, *, epsilon: Number) -> Leak:
        """The least δ at this ε, over every event."""
        at = exact(epsilon, name="epsilon")
        require(at >= 0, "an epsilon of at least 0", got=epsilon)
        return self._worst(mechanism, at)

    def attackers(self) -> Iterator[tuple[int, Finite, Hashable, Mask]]:
        """Every scenario with every value of its auxiliary information, and the datasets that go with it."""
        for number, belief in enumerate(self.scenarios):
            for place, side in enumerate(belief.sides):
                yield number, belief, side, belief.side_is(place)

    def _worst(self, mechanism: FiniteMechanism, epsilon: Fraction | None) -> Leak:
        if isinstance(self.scenarios, TwoPoints):
            return self._worst_of_two_points(mechanism, self.scenarios, epsilon)
        return self._worst_of_all(mechanism, epsilon)

    def _worst_of_two_points(
        self, mechanism: FiniteMechanism, scenarios: "TwoPoints", epsilon: Fraction | None
    ) -> Leak:
        """An attacker who is torn between two datasets is told what a mechanism tells of the two, if a pair of secrets
        separates them; all other pairs are skipped. Cost O(neighbours x pairs), and the comparison of their states.
        """
        size = scenarios.world.size
        require(len(mechanism.state) == size, f"a mechanism on the {size} datasets", got=len(mechanism.state))
        skipped = Passed(self.pairs, scenarios)
        told = skipped.told()
        if not told.any():
            return Leak(Bracket(0.0, 0.0), skipped)
        rows = scenarios.first[told], scenarios.second[told]
        left, right = (mechanism.state[one] for one in rows)
        states = int(mechanism.state.max()) + 1
        value, pair = worst_states(mechanism, *state_pairs(left, right, states), epsilon)
        place = int(((left == pair[0]) & (right == pair[1]) | (left == pair[1]) & (right == pair[0])).argmax())
        number = int(np.flatnonzero(told)[place])
        a, b = (int(one[place]) for one in rows)
        first, second = next(pair for pair in self.pairs if separates(pair, a, b))
        attacker = scenarios[number]
        p, q = mechanism.law(attacker, first.where), mechanism.law(attacker, second.where)
        if p is None or q is None:
            raise InputError("A secret of a separated pair is impossible. This is a defect: report it.")
        output = telling_outcome(p, q, epsilon=epsilon)
        found = _odds(Fraction(1), p, q, output)
        names = first.name, second.name
        return Leak(value, skipped, names, number, None, mechanism.outputs[output], found)

    def _worst_of_all(self, mechanism: FiniteMechanism, epsilon: Fraction | None) -> Leak:
        """Cost: one law for each secret and attacker, O(datasets), and one comparison for each pair, O(outputs)."""
        worst, far, value, skipped = None, (0.0, 0.0), Bracket(0.0, 0.0), []
        for case in self._cases(mechanism):
            if not all(case.chances) or case.first_law is None or case.second_law is None:
                skipped.append(case.skipped())
                continue
            laws = case.first_law, case.second_law
            here = both_ratios(*laws) if epsilon is None else both_ways(*laws, epsilon)
            if worst is None or (here.upper, here.lower) > far:
                worst, far = (case, laws), (here.upper, here.lower)
            value = value.join(here)
        if worst is None:
            return Leak(value, tuple(skipped))
        case, laws = worst
        place = telling_outcome(*laws, epsilon=epsilon)
        found, output = _odds(case.prior, *laws, place), mechanism.outputs[place]
        return Leak(value, tuple(skipped), case.names, case.scenario, case.side, output, found)

    def _cases(self, mechanism: FiniteMechanism) -> Iterator["_Case"]:
        size = self.scenarios[0].size
        require(len(mechanism.state) == size, f"a mechanism on the {size} datasets", got=len(mechanism.state))
        secrets = dict.fromkeys(secret for pair in self.pairs for secret in pair)
        for number, belief, side, seen in self.attackers():
            chances = {secret: total(belief.mass[secret.where & seen]) for secret in secrets}
            asked = dict.fromkeys(one for pair in self.pairs if all(chances[s] for s in pair) for one in pair)
            laws = {secret: mechanism.law(belief, secret.where & seen) for secret in asked}
            for first, second in self.pairs:
                names, pair = (first.name, second.name), (chances[first], chances[second])
                yield _Case(number, side, names, pair, laws.get(first), laws.get(second))


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Case:
    """A pair in the eyes of an attacker: how likely each secret is, and what the output looks like given it; None if a
    secret of the pair is impossible.
    """

    scenario: int
    side: Hashable
    names: tuple[str, str]
    chances: tuple[Fraction | float, Fraction | float]
    first_law: Outcomes | None
    second_law: Outcomes | None

    @property
    def prior(self) -> Fraction | float:
        return _ratio(*self.chances)

    def skipped(self) -> Skipped:
        impossible = tuple(name for name, chance in zip(self.names, self.chances, strict=True) if not chance)
        return Skipped(self.scenario, self.names, impossible, self.side)


def odds(mechanism: FiniteMechanism, belief: Finite, pair: Pair, output: Hashable) -> FactOdds:
    """The odds-ratio reading (section 3.1): what this output does to the attacker's odds of the pair."""
    first, second = pair
    require(
        belief.knows_nothing,
        "an attacker of whom it is said what they know besides",
        got=f"one of {len(belief.sides)} things",
        remedy="Use restricted(belief, belief.side_is(z)).",
    )
    p, q = mechanism.law(belief, first.where), mechanism.law(belief, second.where)
    if p is None or q is None:
        raise InputError(f"Odds need two possible secrets, but '{(second if p else first).name}' has probability 0.")
    require(output in mechanism.outputs, f"one of {len(mechanism.outputs)} outputs", got=output)
    prior = _ratio(total(belief.mass[first.where]), total(belief.mass[second.where]))
    return _odds(prior, p, q, mechanism.outputs.index(output))


def _odds(prior: Fraction | float, p: Outcomes, q: Outcomes, place: int) -> FactOdds:
    ratio = _ratio(p.mass[place], q.mass[place])
    return FactOdds(prior, prior * ratio, ratio)


def _ratio(a: Fraction | float, b: Fraction | float) -> Fraction | float:
    return a / b if b else (math.inf if a else math.nan)


# -- attackers ---------------------------------------------------------------------------------------------------------


def restricted(belief: Finite, where: Mask) -> Finite:
    """The belief given that the dataset is one of those marked, on the same list of datasets."""
    mass = belief.mass * where
    require(bool(total(mass)), "at least one possible dataset among those marked", got="none")
    return Finite(belief.values, belief.codes, divided(mass, total(mass)), belief.sides, belief.side)


def independent_given(world: Finite, marginals: Sequence[Law]) -> Finite:
    """Independent records with these marginals, given that the dataset is one of those of the world (equation 25)."""
    require(len(marginals) == world.n, f"{world.n} marginals, one a record", got=len(marginals))
    laws = [{value: exact(chance, name="A probability") for value, chance in law.items()} for law in marginals]
    weights = fractions([Fraction(chance_of(laws, row)) for row in world.datasets()])
    require(total(weights) > 0, "marginals under which a dataset of the world is possible", got="none")
    return Finite(world.values, world.codes, divided(weights, total(weights)))


def chance_of(laws: Sequence[Mapping[Hashable, Fraction]], row: Dataset) -> Fraction | int:
    """The probability of a dataset of independent records."""
    return math.prod(law.get(value, Fraction(0)) for law, value in zip(laws, row, strict=True))


@final
class TwoPoints(Sequence[Finite]):
    """One attacker for each two neighbours, who holds both equally likely and everything else impossible. They are made
    when somebody asks for one; a definition looks at the two datasets only.
    """

    def __init__(self, neighbours: Neighbours) -> None:
        self.world = neighbours.world
        self.first, self.second = neighbours.pairs()

    def __len__(self) -> int:
        return len(self.first)

    @overload
    def __getitem__(self, place: int) -> Finite: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Finite, ...]: ...
    def __getitem__(self, place: int | slice) -> Finite | tuple[Finite, ...]:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(len(self))))
        mass = np.full(self.world.size, Fraction(0), dtype=object)
        mass[[int(self.first[place]), int(self.second[place])]] = Fraction(1, 2)
        return Finite(self.world.values, self.world.codes, mass)

    def possible(self) -> Mask:
        """The datasets that somebody holds possible."""
        found = np.zeros(self.world.size, dtype=bool)
        found[self.first] = found[self.second] = True
        return found


def two_points(neighbours: Neighbours) -> TwoPoints:
    """One attacker for each two neighbours, who holds both equally likely and everything else impossible."""
    return TwoPoints(neighbours)


def separates(pair: Pair, a: int, b: int) -> bool:
    """Whether one secret is true of one dataset, and the other of the other."""
    first, second = pair
    return bool(first.where[a] & second.where[b] | first.where[b] & second.where[a])


@final
class Passed(Sequence[Skipped]):
    """The pairs that say nothing to attackers who are torn between two datasets, in order, made when asked for."""

    def __init__(self, pairs: Sequence[Pair], scenarios: TwoPoints) -> None:
        self.pairs, self.scenarios = pairs, scenarios
        self._apart: list[Mask] = []
        for first, second in pairs:
            a, b = scenarios.first, scenarios.second
            self._apart.append(first.where[a] & second.where[b] | first.where[b] & second.where[a])

    def told(self) -> Mask:
        """Which attackers have a pair of secrets that are both possible."""
        return np.asarray(np.logical_or.reduce(self._apart), dtype=bool)

    def __len__(self) -> int:
        return len(self.pairs) * len(self.scenarios) - sum(int(apart.sum()) for apart in self._apart)

    @overload
    def __getitem__(self, place: int) -> Skipped: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Skipped, ...]: ...
    def __getitem__(self, place: int | slice) -> Skipped | tuple[Skipped, ...]:
        if isinstance(place, slice):
            return tuple(itertools.islice(self, *place.indices(len(self))))
        found = next(itertools.islice(self, place + len(self) if place < 0 else place, None), None)
        if found is None:
            raise IndexError(place)
        return found

    def __iter__(self) -> Iterator[Skipped]:
        for number in range(len(self.scenarios)):
            two = [int(self.scenarios.first[number]), int(self.scenarios.second[number])]
            for pair, apart in zip(self.pairs, self._apart, strict=True):
                if not apart[number]:
                    impossible = tuple(secret.name for secret in pair if not secret.where[two].any())
                    yield Skipped(number, (pair[0].name, pair[1].name), impossible)


# -- pairs -------------------------------------------------------------------------------------------------------------


def value_pairs(world: Finite) -> tuple[Pair, ...]:
    """Every two values of every record."""
    present = [value for value in world.values if value is not None]
    return tuple(
        pair
        for record in range(world.n)
        for pair in itertools.combinations([Fact.record_is(world, record, value) for value in present], 2)
    )


def absence_pairs(world: Finite) -> tuple[Pair, ...]:
    """Every value of every record, against its absence (equation 7)."""
    return tuple(
        (Fact.record_is(world, record, value), gone)
        for record in range(world.n)
        for gone in [Fact.record_is(world, record, None)]
        for value in world.values
        if value is not None
    )


def presence_pairs(world: Finite) -> tuple[Pair, ...]:
    """The presence of every record, whatever its value, against its absence (equation 4)."""
    gone = [Fact.record_is(world, record, None) for record in range(world.n)]
    return tuple((Fact(f"record {record} is present", ~fact.where), fact) for record, fact in enumerate(gone))
