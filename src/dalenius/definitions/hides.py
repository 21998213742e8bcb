"""What is hidden, and what the ideal world of coupled worlds sees instead: pairs (priv, alt), and their instances.

Functions of the dataset. A function may be random: then it returns a dict from outputs to their probabilities.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np

from dalenius.beliefs.finite import Dataset, Finite, Number
from dalenius.definitions.tables import Drawn, Listing, named, tabulated, written
from dalenius.errors import InputError, require
from dalenius.mechanisms.finite import FiniteMechanism
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.secret import ABSENT
from dalenius.statistics import Statistic

Release: TypeAlias = FiniteMechanism | Mechanism | Statistic | Callable[[Dataset], Drawn]


@final
@dataclass(frozen=True, slots=True)
class Hide:
    """A pair (priv, alt): what is private, and the scrubbed data that a simulator sees in the ideal world.

    Functions of the dataset, or, for large worlds, already tabulated. Where priv only shows some records, or alt only
    marks some as absent, saying so (`shows`, `removes`) replaces the calls: cost O(datasets) without looping.
    """

    priv: FiniteMechanism | Callable[[Dataset], Hashable]
    alt: FiniteMechanism | Callable[[Dataset], Drawn]
    name: str = "priv"
    shows: int | tuple[int, ...] | None = None  # a record, or a tuple of records
    removes: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return self.name

    def private(self, listing: Listing, first: Finite) -> FiniteMechanism:
        """The private value of each dataset of the belief."""
        belief = listing.belief
        if self.shows is None:
            return on(self.priv, listing, first)
        places = (self.shows,) if isinstance(self.shows, int) else self.shows
        _check_records(belief, places, self)
        part = belief.codes[:, list(places)]
        first_ones, kind = named(part, len(belief.values))
        values = written(belief.values, part[first_ones])
        return FiniteMechanism(tuple(row[0] for row in values) if isinstance(self.shows, int) else tuple(values), kind)

    def scrubbed(self, listing: Listing, first: Finite) -> FiniteMechanism:
        """What alt leaves of each dataset of the belief."""
        belief = listing.belief
        if self.removes is None:
            return on(self.alt, listing, first)
        _check_records(belief, self.removes, self)
        stay = [place for place in range(belief.n) if place not in self.removes]
        first_ones, kind = named(belief.codes[:, stay], len(belief.values))
        return FiniteMechanism(tuple(written(belief.values, belief.codes[first_ones], self.removes)), kind)


def on(release: Release, listing: Listing, first: Finite) -> FiniteMechanism:
    """A release on the datasets of a belief. One given as rows is for the datasets of the first belief."""
    belief = listing.belief
    if isinstance(release, Mechanism | Statistic):
        return FiniteMechanism.of(release, belief)
    if not isinstance(release, FiniteMechanism):
        return tabulated(release, listing.rows)
    same = belief is first or (belief.values == first.values and np.array_equal(belief.codes, first.codes))
    if not same or len(release.state) != belief.size:
        raise InputError(
            f"A mechanism given as rows needs one row for each of the {belief.size} datasets, the same ones in every "
            f"belief, but it has {len(release.state)}. Give it as a function of the dataset."
        )
    return release


def _check_records(belief: Finite, places: Iterable[int], hide: Hide) -> None:
    stray = [place for place in places if not 0 <= place < belief.n]
    require(not stray, f"records 0 to {belief.n - 1} to hide", got=f"{stray} in {hide}")


# -- instances --------------------------------------------------------------------------------------------------------


def without(dataset: Dataset, records: Iterable[int]) -> Dataset:
    """The dataset with these records marked as absent.

    >>> without((3, 5, 8), [1])
    (3, None, 8)
    """
    gone = set(records)
    return tuple(ABSENT if place in gone else value for place, value in enumerate(dataset))


def record(i: int) -> Hide:
    """Record i is private, and the ideal world runs without it: distributional differential privacy."""
    return Hide(lambda data: data[i], lambda data: without(data, [i]), f"x[{i}]", i, (i,))


def node(i: int, edges: Sequence[frozenset[int]], *, people: int) -> Hide:
    """Node i of a social network: its own record and its edges are private, and gone in the ideal world.

    The dataset lists first one record for each of the `people`, then one for each of the `edges`.
    """
    require(0 <= i < people, f"a node among {people} people", got=i)
    own = (i, *(people + place for place, edge in enumerate(edges) if i in edge))
    return Hide(
        lambda data: tuple(data[k] for k in own), lambda data: without(data, own), f"node {i} and its edges", own, own
    )


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
    return Hide(
        lambda data: data[i], lambda data: without(data, school), f"x[{i}], its school out", i, tuple(set(school))
    )


def blurred(i: int, noise: Mapping[int, Number]) -> Hide:
    """The number in record i (a firm's assets) is private; the ideal world sees it with this noise added."""

    def scrubbed(data: Dataset) -> Mapping[Hashable, Number]:
        own = data[i]
        if not isinstance(own, int | Fraction):
            raise InputError(f"Noise can be added to numbers only, but record {i} has another type. Code it.")
        return {(*data[:i], own + step, *data[i + 1 :]): chance for step, chance in noise.items()}

    return Hide(lambda data: data[i], scrubbed, f"x[{i}], blurred", i)
