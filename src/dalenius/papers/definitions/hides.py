"""What is hidden, and what the ideal world of coupled worlds sees instead: pairs (priv, alt), and their instances.

Functions of the dataset. A function may be random: then it returns a dict from outputs to their probabilities.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError, require
from dalenius.facts.records import Number
from dalenius.facts.secret import ABSENT
from dalenius.facts.statistics import Statistic
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.numerics.outcomes import is_exact
from dalenius.papers.definitions.tables import Drawn, Listing, named, tabulated, written
from dalenius.papers.mechanisms.finite import FiniteMechanism, added, check_numbers, published_on, totals_of
from dalenius.papers.mechanisms.rows import lumped
from dalenius.papers.worlds import Dataset, Finite

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
        found = FiniteMechanism.of(release, belief)
        require(
            not any(map(lumped, found.outputs)),
            "a function of the dataset, or a statistic without noise",
            got=str(release),
            remedy="Write it as a function that returns a dict from outputs to their probabilities.",
        )
        return found
    if not isinstance(release, FiniteMechanism):
        return tabulated(release, listing.rows)
    same = belief is first or (belief.values == first.values and np.array_equal(belief.codes, first.codes))
    if not same or len(release.state) != belief.size:
        raise InputError(
            f"A mechanism given as rows needs one row for each of the {belief.size} datasets, the same ones in every "
            f"belief, but it has {len(release.state)}. Give it as a function of the dataset."
        )
    return release


# -- statistic >> channel, with the same outputs everywhere ---------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Ranged:
    """`statistic >> channel` for all totals from `low` to `high`: what its outputs "k or less" and "k or more" stand
    for depends on this range, so that everything that is compared must share it.
    """

    mechanism: Mechanism
    low: int
    high: int

    @classmethod
    def over(cls, release: Mechanism | Statistic, beliefs: Sequence[Finite], hides: Sequence[Hide]) -> "Ranged":
        """For the datasets of all beliefs, and for these with any values, or none, in place of what alt removes."""
        made = release if isinstance(release, Mechanism) else Mechanism(release)
        check_numbers(made.statistic, [(belief.values, belief.codes) for belief in beliefs])
        ends: list[int] = []
        for belief in beliefs:
            adds = [0, *(added(made.statistic, value) for value in belief.values)]
            whole = totals_of(made.statistic, belief.values, belief.codes)
            ends += [int(whole.min()), int(whole.max())]
            for gone in (hide.removes for hide in hides if hide.removes is not None):
                _check_records(belief, gone, "what alt removes")
                left = whole - totals_of(made.statistic, belief.values, belief.codes, gone)
                ends += [int(left.min()) + len(gone) * min(adds), int(left.max()) + len(gone) * max(adds)]
        return cls(made, min(ends), max(ends))

    def on(self, beliefs: Iterable[Finite]) -> list[FiniteMechanism]:
        """What is published on each of the beliefs."""
        totals = [totals_of(self.mechanism.statistic, belief.values, belief.codes) for belief in beliefs]
        return list(published_on(self.mechanism, totals, (self.low, self.high)))

    def law(self, dataset: Dataset) -> dict[Hashable, Fraction]:
        """The law of the output on a dataset, absent records included."""
        at = sum(added(self.mechanism.statistic, value) for value in dataset)
        if self.mechanism.channel.random and not self.low <= at <= self.high:
            raise InputError(
                f"The outputs of the worlds tell totals from {self.low} to {self.high} apart, but a simulator would "
                f"publish the total {at}. Give the release as a function of the dataset, to the worlds and here."
            )
        return dict(_law_at(self, at))


@lru_cache(maxsize=1024)
def _law_at(ranged: Ranged, at: int) -> dict[Hashable, Fraction]:
    (made,) = published_on(ranged.mechanism, [np.array([at])], (ranged.low, ranged.high))
    require(
        made.rows is None or is_exact(made.rows),
        "exact probabilities",
        got=str(ranged.mechanism),
        remedy="Use rational_geometric, or canonical_delta.",
    )
    return {output: chance for output, chance in zip(made.outputs, made.row(0).tolist(), strict=True) if chance}


def check_same_outputs(real: Sequence[Hashable], ideal: Sequence[Hashable]) -> None:
    """Refuse two lists of outputs whose "k or less" and "k or more" were made for different totals."""
    if any(map(lumped, (*real, *ideal))) and not set(ideal) <= set(real):
        stray = next(output for output in ideal if output not in set(real))
        raise InputError(
            f"A simulator may publish only what the release does, where an output like '{_lump(real, ideal)}' stands "
            f"for many, but it publishes {stray!r}, and the release one of {list(real)[:5]}. Use canonical or midpoint "
            "with the same statistic >> channel as the worlds, or a function for both."
        )


def _lump(real: Sequence[Hashable], ideal: Sequence[Hashable]) -> Hashable:
    return next(filter(lumped, (*real, *ideal)))


def _check_records(belief: Finite, places: Iterable[int], hide: object) -> None:
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
