"""Coupled-worlds privacy on finite worlds: the release says no more about what is private than a simulator could that
sees only the scrubbed data.

Bassily, Groce, Katz and Smith, "Coupled-worlds privacy" (FOCS 2013), Definitions 3 and 5. A function of the dataset or
of the scrubbed data may be random: then it returns a dict from outputs to their probabilities.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.beliefs.finite import Dataset, Finite, Number
from dalenius.errors import InputError, require
from dalenius.mechanisms.finite import ROUNDING, FiniteMechanism
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.outcomes import Masses, Outcomes, both_ratios, both_ways, is_exact, total
from dalenius.records import exact
from dalenius.secret import ABSENT

Drawn: TypeAlias = Hashable | Mapping[Hashable, Number]  # an output, or a law of outputs
Release: TypeAlias = FiniteMechanism | Callable[[Dataset], Drawn]
Places: TypeAlias = NDArray[np.int64]

# -- what is hidden, and what the ideal world sees -----------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Hide:
    """A pair (priv, alt): what is private, and the scrubbed data that a simulator sees in the ideal world.

    Functions of the dataset, or, for large worlds, already tabulated.
    """

    priv: FiniteMechanism | Callable[[Dataset], Hashable]
    alt: Release
    name: str = "priv"

    def __str__(self) -> str:
        return self.name


def without(dataset: Dataset, records: Iterable[int]) -> Dataset:
    """The dataset with these records marked as absent.

    >>> without((3, 5, 8), [1])
    (3, None, 8)
    """
    gone = set(records)
    return tuple(ABSENT if place in gone else value for place, value in enumerate(dataset))


def record(i: int) -> Hide:
    """Record i is private, and the ideal world runs without it: distributional differential privacy."""
    return Hide(lambda data: data[i], lambda data: without(data, [i]), f"x[{i}]")


def node(i: int, edges: Sequence[frozenset[int]], *, people: int) -> Hide:
    """Node i of a social network: its own record and its edges are private, and gone in the ideal world.

    The dataset lists first one record for each of the `people`, then one for each of the `edges`.
    """
    own = (i, *(people + place for place, edge in enumerate(edges) if i in edge))
    return Hide(lambda data: tuple(data[k] for k in own), lambda data: without(data, own), f"node {i} and its edges")


def attributes(i: int, private: Sequence[int]) -> Hide:
    """These attributes of record i, a tuple, are private; its other attributes are public and stay."""

    def own(data: Dataset) -> tuple[Hashable, ...]:
        found = data[i]
        require(isinstance(found, tuple), "records that are tuples of attributes", got=type(found).__name__)
        return found if isinstance(found, tuple) else ()

    def scrubbed(data: Dataset) -> Hashable:
        return (*data[:i], without(own(data), private), *data[i + 1 :])

    return Hide(lambda data: tuple(own(data)[k] for k in private), scrubbed, f"attributes {list(private)} of x[{i}]")


def student(i: int, school: Sequence[int]) -> Hide:
    """The record of student i is private; in the ideal world the whole school stays out."""
    require(i in school, f"a school that student {i} goes to", got=list(school), remedy="Add the student to it.")
    return Hide(lambda data: data[i], lambda data: without(data, school), f"x[{i}], its school out")


def blurred(i: int, noise: Mapping[int, Number]) -> Hide:
    """The number in record i (a firm's assets) is private; the ideal world sees it with this noise added."""

    def scrubbed(data: Dataset) -> Mapping[Hashable, Number]:
        own = data[i]
        if not isinstance(own, int | Fraction):
            raise InputError(f"Noise can be added to numbers only, but record {i} has another type. Code it.")
        return {(*data[:i], own + step, *data[i + 1 :]): chance for step, chance in noise.items()}

    return Hide(lambda data: data[i], scrubbed, f"x[{i}], blurred")


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
        for b, belief in enumerate(self.beliefs):
            for h, hide in enumerate(self.hides):
                priv, alt = (_on(part, belief, self.beliefs[0]) for part in (hide.priv, hide.alt))
                require(priv.rows is None, "a private value without coins", got=str(hide), remedy="Return no dict.")
                yield Scene(b, h, belief, priv, alt)

    def worlds(self, release: Release) -> "Worlds":
        """What is published and what is seen, given every private value and all that is known besides."""
        made = [_on(release, belief, self.beliefs[0]) for belief in self.beliefs]
        return gathered((scene, made[scene.b]) for scene in self.scenes())


def distributional(beliefs: Iterable[Finite], *, records: Iterable[int] | None = None) -> CoupledWorlds:
    """Distributional differential privacy (Definition 3) of these records, by default of all of them."""
    found = tuple(beliefs)
    wanted = range(found[0].n if found else 0) if records is None else records
    return CoupledWorlds(found, tuple(record(i) for i in wanted))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Belief b with pair h, tabulated: what is private and what is seen, for each dataset."""

    b: int
    h: int
    belief: Finite
    priv: FiniteMechanism
    alt: FiniteMechanism

    def cells(self) -> Iterator[tuple[Hashable, Hashable, NDArray[np.bool_]]]:
        """Every private value and side, and where they are so."""
        for z, side in enumerate(self.belief.sides):
            here = self.belief.side_is(z)
            for v in np.unique(self.priv.state[here]).tolist():
                yield self.priv.outputs[v], side, here & (self.priv.state == v)


def tabulated(function: Callable[[Dataset], Drawn], belief: Finite) -> FiniteMechanism:
    """The function at every dataset of the belief; datasets with the same law share a row."""
    found = [function(dataset) for dataset in belief.datasets()]
    if not any(isinstance(output, Mapping) for output in found):
        sure = tuple(dict.fromkeys(found))
        return FiniteMechanism(sure, places_of(found, sure))
    laws = [law_of(output) for output in found]
    keys = [frozenset(law.items()) for law in laws]
    distinct = dict(zip(keys, laws, strict=True))
    outputs = tuple(dict.fromkeys(output for law in laws for output in law))
    return FiniteMechanism(outputs, places_of(keys, tuple(distinct)), stacked(list(distinct.values()), outputs))


def stacked(laws: Sequence[Mapping[Hashable, Fraction]], outputs: Sequence[Hashable]) -> NDArray[np.object_]:
    """One row of exact probabilities for each law."""
    rows = np.full((len(laws), len(outputs)), Fraction(0), dtype=object)
    places = {output: place for place, output in enumerate(outputs)}
    for row, law in zip(rows, laws, strict=True):
        for output, chance in law.items():
            row[places[output]] = chance
    return rows


def law_of(drawn: Drawn) -> dict[Hashable, Fraction]:
    """A law of outputs, checked; an output alone is certain.

    >>> law_of("yes"), law_of({"yes": 0.25, "no": 0.75})
    ({'yes': Fraction(1, 1)}, {'yes': Fraction(1, 4), 'no': Fraction(3, 4)})
    """
    if not isinstance(drawn, Mapping):
        return {drawn: Fraction(1)}
    law = {output: exact(chance, name=f"The probability of {output}") for output, chance in drawn.items()}
    whole = sum(law.values(), Fraction(0))
    if whole != 1 or min(law.values()) < 0:
        raise InputError(
            f"A law of outputs needs probabilities of at least 0 that sum to 1, but these sum to {float(whole):.12g}. "
            "Write them as fractions."
        )
    return {output: chance for output, chance in law.items() if chance}


def _on(release: Release, belief: Finite, first: Finite) -> FiniteMechanism:
    if not isinstance(release, FiniteMechanism):
        return tabulated(release, belief)
    same = belief is first or (belief.values == first.values and np.array_equal(belief.codes, first.codes))
    if not same or len(release.state) != belief.size:
        raise InputError(
            f"A mechanism given as rows needs one row for each of the {belief.size} datasets, the same ones in every "
            f"belief, but it has {len(release.state)}. Give it as a function of the dataset."
        )
    return release


# -- the two worlds -------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One belief b, one pair h, one private value and one side: what is published, and what a simulator sees."""

    b: int
    h: int
    value: Hashable
    side: Hashable
    chance: Fraction | float  # of the value and the side
    real: Masses  # the law of the output
    seen: Masses  # the law of the scrubbed data


@final
@dataclass(frozen=True, slots=True, eq=False)
class Worlds:
    """Every case, over shared lists of outputs and of scrubbed data."""

    outputs: tuple[Hashable, ...]
    alts: tuple[Hashable, ...]
    cases: tuple[Case, ...]

    @property
    def is_exact(self) -> bool:
        """Whether all probabilities are fractions."""
        return all(is_exact(case.real) and is_exact(case.seen) for case in self.cases)

    def faced(self, simulator: "Simulator") -> Iterator[tuple[Case, Outcomes, Outcomes]]:
        """Every case with the law of the real and of the ideal output."""
        rows = simulator.rows_for(self.alts)
        outputs = dict.fromkeys((*self.outputs, *simulator.outputs))
        ours = places_of(self.outputs, tuple(outputs))
        theirs = places_of(simulator.outputs, tuple(outputs))
        for case in self.cases:
            ideal = spread(pushed(case.seen, rows), theirs, len(outputs))
            real = spread(case.real, ours, len(outputs))
            errors = [0.0 if is_exact(mass) else 2 * ROUNDING for mass in (real, ideal)]
            yield case, Outcomes(real, errors[0]), Outcomes(ideal, errors[1])


def gathered(staged: Iterable[tuple[Scene, FiniteMechanism]]) -> Worlds:
    """The cases of these scenes, each with its mechanism."""
    found = list(staged)
    outputs = tuple(dict.fromkeys(output for _, made in found for output in made.outputs))
    alts = tuple(dict.fromkeys(alt for scene, _ in found for alt in scene.alt.outputs))
    cases: list[Case] = []
    for scene, made in found:
        ours, theirs = places_of(made.outputs, outputs), places_of(scene.alt.outputs, alts)
        for value, side, where in scene.cells():
            real, seen = made.law(scene.belief, where), scene.alt.law(scene.belief, where)
            if real is None or seen is None:
                continue  # impossible under this belief
            laws = spread(real.mass, ours, len(outputs)), spread(seen.mass, theirs, len(alts))
            cases.append(Case(scene.b, scene.h, value, side, total(scene.belief.mass[where]), *laws))
    return Worlds(outputs, alts, tuple(cases))


def places_of(some: Sequence[Hashable], every: Sequence[Hashable]) -> Places:
    """Where each of `some` is in `every`."""
    places = {key: place for place, key in enumerate(every)}
    return np.array([places[key] for key in some], dtype=np.int64)


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
    return np.asarray(mass.astype(float) @ rows.astype(float))


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
        """From a function of the scrubbed data."""
        seen = tuple(dict.fromkeys(alts))
        laws = [law_of(function(alt)) for alt in seen]
        outputs = tuple(dict.fromkeys(output for law in laws for output in law))
        return cls(seen, outputs, stacked(laws, outputs))

    def rows_for(self, alts: Sequence[Hashable]) -> NDArray[np.object_]:
        """The rows of these scrubbed datasets, in their order."""
        missing = len(set(alts) - set(self.alts))
        require(not missing, "a simulator for all scrubbed data", got=f"{missing} without a law", remedy="Add them.")
        return np.asarray(self.rows[places_of(alts, self.alts)])


def coupled_delta(worlds: Worlds, simulator: Simulator, *, epsilon: Number) -> Bracket:
    """The least δ for this simulator: worst over beliefs, pairs, private values and sides, both directions."""
    return worst_case(worlds, simulator, epsilon=epsilon)[0]


def worst_case(worlds: Worlds, simulator: Simulator, *, epsilon: Number) -> tuple[Bracket, Case]:
    """δ at ε, and a case that reaches it."""
    bound = exact(epsilon, name="epsilon")
    require(bound >= 0, "ε of at least 0", got=epsilon)
    found = [(both_ways(real, ideal, bound), case) for case, real, ideal in worlds.faced(simulator)]
    delta, worst = max(found, key=lambda pair: pair[0].lower)
    for other, _ in found:
        delta = delta.join(other)
    return delta, worst


def coupled_epsilon(worlds: Worlds, simulator: Simulator) -> Bracket:
    """The least ε with δ = 0 for this simulator; infinite if there is none."""
    found = Bracket(0.0, 0.0)
    for _, real, ideal in worlds.faced(simulator):
        found = found.join(both_ratios(real, ideal))
    return found
