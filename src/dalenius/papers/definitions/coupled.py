"""Coupled-worlds privacy on finite worlds: the release says no more about what is private than a simulator could that
sees only the scrubbed data.

Bassily, Groce, Katz and Smith, "Coupled-worlds privacy" (FOCS 2013), Definitions 3 and 5. A function of the dataset or
of the scrubbed data may be random: then it returns a dict from outputs to their probabilities.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import require
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Number, exact
from dalenius.facts.statistics import Statistic
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.numerics.outcomes import (
    ROUNDING,
    Masses,
    Outcomes,
    both_ratios,
    both_ways,
    collected,
    divided,
    is_exact,
    underflow,
)
from dalenius.papers.definitions.hides import Hide, Ranged, Release, check_same_outputs, on, record
from dalenius.papers.definitions.tables import Drawn, Listing, Places, called, law_of, numbered, places_of, stacked
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite

FEW = 4096  # so many floats may be added one after the other within the rounding that is charged

# -- the definition -------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class CoupledWorlds:
    """F(X) | priv = v, Z = z looks like Sim(alt(X)) | priv = v, Z = z: one simulator for all beliefs, pairs (priv,
    alt), and all (v, z) that are possible. Z is what the belief knows besides (`Finite.knowing`).
    """

    beliefs: tuple[Finite, ...]
    hides: tuple[Hide, ...]

    def __post_init__(self) -> None:
        require(bool(self.beliefs), "at least one belief", got=self.beliefs, remedy="Add one.")
        require(bool(self.hides), "at least one pair of priv and alt", got=self.hides, remedy="Add record(0).")

    def scenes(self) -> Iterator["Scene"]:
        """Every belief with every pair (priv, alt)."""
        for b, listing in enumerate(map(Listing, self.beliefs)):
            for h, hide in enumerate(self.hides):
                priv, alt = self.private(h, listing), hide.scrubbed(listing, self.beliefs[0])
                yield Scene(b, h, listing.belief, priv, alt)

    def private(self, h: int, listing: Listing) -> FiniteMechanism:
        """The private value of pair h on each dataset of a belief; it must not be random."""
        found = self.hides[h].private(listing, self.beliefs[0])
        require(found.rows is None, "a private value without coins", got=str(self.hides[h]), remedy="Return no dict.")
        return found

    def worlds(self, release: Release) -> "CoupledPairs":
        """What is published and what is seen, given every private value and all that is known besides.

        Cost: one call of the release for each dataset and belief, one of priv and of alt for each pair besides.
        """
        if isinstance(release, Mechanism | Statistic):
            ranged = Ranged.over(release, self.beliefs, self.hides)
            made = ranged.on(self.beliefs)
            return replace(gathered((scene, made[scene.b]) for scene in self.scenes()), ranged=ranged)
        made = [on(release, listing, self.beliefs[0]) for listing in map(Listing, self.beliefs)]
        return gathered((scene, made[scene.b]) for scene in self.scenes())


def distributional(beliefs: Iterable[Finite], *, records: Iterable[int] | None = None) -> CoupledWorlds:
    """Distributional differential privacy (Definition 3) of these records, by default of all of them."""
    found = tuple(beliefs)
    wanted = range(found[0].n if found else 0) if records is None else records
    return CoupledWorlds(found, tuple(record(i) for i in wanted))


class CoupledCells(NamedTuple):
    """The private values and sides that are possible together: what they are, how likely, and where (-1: nowhere)."""

    value: Sequence[Hashable]
    side: Sequence[Hashable]
    chance: Masses
    place: Places


@final
@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Belief b with pair h, tabulated: what is private and what is seen, for each dataset."""

    b: int
    h: int
    belief: Finite
    priv: FiniteMechanism
    alt: FiniteMechanism

    def cells(self) -> CoupledCells:
        """Every private value with every side, if the belief holds them possible together."""
        return cells_of(self.belief, self.priv)


def cells_of(belief: Finite, priv: FiniteMechanism) -> CoupledCells:
    """Every private value with every side, if the belief holds them possible together. Cost O(datasets)."""
    names = priv.state if belief.side is None else belief.side * len(priv.outputs) + priv.state
    place = numbered(names)
    name = np.empty(int(place.max()) + 1, dtype=np.int64)
    name[place] = names
    chance = summed(place, belief.mass, len(name))
    alive = np.flatnonzero(chance > 0)
    after = np.full(len(name), -1, dtype=np.int64)
    after[alive] = np.arange(len(alive))
    side, value = np.divmod(name[alive], len(priv.outputs))
    values = [priv.outputs[v] for v in value.tolist()]
    return CoupledCells(values, [belief.sides[z] for z in side.tolist()], chance[alive], after[place])


def summed(places: Places, mass: Masses, size: int) -> Masses:
    """The mass at each of `size` places, within what is charged for rounding."""
    if not is_exact(mass) and size > FEW and int(np.bincount(places, minlength=size).max()) <= FEW:
        return np.bincount(places, weights=mass.astype(float), minlength=size).astype(float)
    return collected(places, mass, size)


def laws_in(cells: CoupledCells, belief: Finite, made: FiniteMechanism) -> Iterator[tuple[Places, Masses]]:
    """For each cell the states of the mechanism that are possible in it, with their probabilities.

    One pass over the datasets for all cells. Cost O(datasets), and O(states) for every cell.
    """
    size = len(made.outputs) if made.rows is None else len(made.rows)
    here = np.flatnonzero((cells.place >= 0) & (belief.mass > 0))
    names = cells.place[here] * size + made.state[here]
    kind = numbered(names)
    name = np.empty(int(kind.max()) + 1, dtype=np.int64)
    name[kind] = names
    mass = summed(kind, belief.mass[here], len(name))
    cuts = np.searchsorted(name, np.arange(len(cells.value) + 1) * size)  # names are numbered in increasing order
    for cell, (start, stop) in enumerate(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)):
        yield name[start:stop] % size, divided(mass[start:stop], cells.chance[cell])


# -- the two worlds -------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, eq=False)
class CoupledCase:
    """One belief b, one pair h, one private value and one side: what is published, and what a simulator sees."""

    b: int
    h: int
    value: Hashable
    side: Hashable
    chance: Fraction | float  # of the value and the side
    real: Masses  # the law of the output
    seen: Masses  # the law of the scrubbed data, at the places `at` of the list of them
    at: Places
    slack: float = 0.0  # of the law of the output

    def outcomes(self) -> Outcomes:
        """The law of the output with its errors."""
        return Outcomes(self.real, 0.0 if is_exact(self.real) else 2 * ROUNDING, self.slack)

    def sees_the_same(self, other: "CoupledCase") -> bool:
        """Whether the scrubbed data have the same law in both cases."""
        return np.array_equal(self.at, other.at) and np.array_equal(self.seen, other.seen)


@final
@dataclass(frozen=True, slots=True, eq=False)
class CoupledPairs:
    """Every case, over shared lists of outputs and of scrubbed data; and the release, if it is `statistic >> channel`,
    with the totals that its outputs were made for.
    """

    outputs: tuple[Hashable, ...]
    alts: tuple[Hashable, ...]
    cases: tuple[CoupledCase, ...]
    ranged: Ranged | None = None

    @property
    def is_exact(self) -> bool:
        """Whether all probabilities are fractions."""
        return all(is_exact(case.real) and is_exact(case.seen) and not case.slack for case in self.cases)

    def faced(self, simulator: "Simulator") -> Iterator[tuple[CoupledCase, Outcomes, Outcomes]]:
        """Every case with the law of the real and of the ideal output."""
        rows = simulator.rows_for(self.alts)
        check_same_outputs(self.outputs, simulator.outputs)
        outputs = dict.fromkeys((*self.outputs, *simulator.outputs))
        ours = places_of(self.outputs, tuple(outputs))
        theirs = places_of(simulator.outputs, tuple(outputs))
        for case in self.cases:
            law = pushed(case.seen, rows[case.at])
            lost, ideal = underflow(case.seen, rows[case.at], law), spread(law, theirs, len(outputs))
            real = Outcomes(spread(case.real, ours, len(outputs)), case.outcomes().error, case.slack)
            yield case, real, Outcomes(ideal, 0.0 if is_exact(ideal) else 2 * ROUNDING, lost)

    def sight(self) -> NDArray[np.object_]:
        """The laws of the scrubbed data, cases x alts."""
        rows = [spread(case.seen, case.at, len(self.alts)) for case in self.cases]
        return np.array(rows, dtype=object).reshape(len(rows), len(self.alts))


def gathered(staged: Iterable[tuple[Scene, FiniteMechanism]]) -> CoupledPairs:
    """The cases of these scenes, each with its mechanism."""
    outputs: dict[Hashable, int] = {}
    alts: dict[Hashable, int] = {}
    found: list[tuple[CoupledCase, Places]] = []
    for scene, made in staged:
        ours = np.array([outputs.setdefault(one, len(outputs)) for one in made.outputs], dtype=np.int64)
        theirs = np.array([alts.setdefault(one, len(alts)) for one in scene.alt.outputs], dtype=np.int64)
        require(not scene.alt.slack, "scrubbed data known exactly", got=f"noise cut at {scene.alt.slack}")
        cells = scene.cells()
        laws = zip(laws_in(cells, scene.belief, made), laws_in(cells, scene.belief, scene.alt), strict=True)
        for value, side, chance, (one, two) in zip(cells.value, cells.side, cells.chance.tolist(), laws, strict=True):
            (place, real, lost), (at, seen, hidden) = _published(one, made), _published(two, scene.alt)
            require(
                not hidden, "scrubbed data that floats can hold", got="chances below 1e-280", remedy="Use fractions."
            )
            whole, slack = spread(real, place, len(made.outputs)), made.slack + lost
            found.append((CoupledCase(scene.b, scene.h, value, side, chance, whole, seen, theirs[at], slack), ours))
    return CoupledPairs(tuple(outputs), tuple(alts), tuple(_widened(case, ours, len(outputs)) for case, ours in found))


def _published(states: tuple[Places, Masses], made: FiniteMechanism) -> tuple[Places, Masses, float]:
    """Where the law of the output is, what it is there, given that of the state, and what floats may have lost."""
    if made.rows is None:
        return *states, 0.0
    law = pushed(states[1], made.rows[states[0]])
    lost = underflow(states[1], made.rows[states[0]], law)
    alive = np.flatnonzero(law)
    return alive, law[alive], lost


def _widened(case: CoupledCase, places: Places, size: int) -> CoupledCase:
    real, order = spread(case.real, places, size), np.argsort(case.at, kind="stable")
    return CoupledCase(
        case.b, case.h, case.value, case.side, case.chance, real, case.seen[order], case.at[order], case.slack
    )


def spread(mass: Masses, places: Places, size: int) -> Masses:
    """The masses at their places among `size`, zero elsewhere."""
    found = np.full(size, Fraction(0), dtype=object) if is_exact(mass) else np.zeros(size)
    found[places] = mass
    return found


def pushed(mass: Masses, rows: Masses) -> Masses:
    """The law of the output of `rows` when the row is drawn from `mass`."""
    if is_exact(mass) and is_exact(rows):
        live = np.flatnonzero(mass)
        return np.asarray((mass[live, None] * rows[live]).sum(axis=0) + Fraction(0))
    first, found = mass.astype(float), np.zeros(rows.shape[1])
    for start in range(0, len(first), FEW):
        found += first[start : start + FEW] @ rows[start : start + FEW].astype(float)
    return found


# -- simulators -----------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, eq=False)
class Simulator:
    """For each scrubbed dataset a law of outputs: a function of what alt leaves, and of nothing else."""

    alts: tuple[Hashable, ...]
    outputs: tuple[Hashable, ...]
    rows: NDArray[np.object_]  # alts x outputs, fractions

    @classmethod
    def of(cls, function: Callable[[Hashable], Drawn], alts: Iterable[Hashable]) -> "Simulator":
        """From a function of the scrubbed data: in them a record that alt removed is None. A function of the whole
        dataset goes through `factored`.
        """
        seen = tuple(dict.fromkeys(alts))
        laws = [law_of(drawn) for drawn in called(function, seen)]
        outputs = tuple(dict.fromkeys(output for law in laws for output in law))
        return cls(seen, outputs, stacked(laws, outputs))

    def rows_for(self, alts: Sequence[Hashable]) -> NDArray[np.object_]:
        """The rows of these scrubbed datasets, in their order."""
        if alts == self.alts:
            return self.rows
        missing = len(set(alts) - set(self.alts))
        require(not missing, "a simulator for all scrubbed data", got=f"{missing} without a law", remedy="Add them.")
        return np.asarray(self.rows[places_of(alts, self.alts)])


def coupled_delta(worlds: CoupledPairs, simulator: Simulator, *, epsilon: Number) -> Bracket:
    """The least δ for this simulator: worst over beliefs, pairs, private values and sides, both directions."""
    return worst_case(worlds, simulator, epsilon=epsilon)[0]


def worst_case(worlds: CoupledPairs, simulator: Simulator, *, epsilon: Number) -> tuple[Bracket, CoupledCase]:
    """δ at ε, and a case that reaches it."""
    bound = exact(epsilon, name="epsilon")
    require(bound >= 0, "ε of at least 0", got=epsilon)
    found = [(both_ways(real, ideal, bound), case) for case, real, ideal in worlds.faced(simulator)]
    delta, worst = max(found, key=lambda pair: pair[0].lower)
    for other, _ in found:
        delta = delta.join(other)
    return delta, worst


def coupled_epsilon(worlds: CoupledPairs, simulator: Simulator) -> Bracket:
    """The least ε with δ = 0 for this simulator; infinite if there is none."""
    found = Bracket(0.0, 0.0)
    for _, real, ideal in worlds.faced(simulator):
        found = found.join(both_ratios(real, ideal))
    return found
