"""Beliefs about a sample of a population: who is drawn is uncertain, and record i is absent (None) if person i is not.

The population is known (a tuple of values), or is itself a `Finite` belief; then it is drawn first.
Everything is exact; cost O(2^people) for each population.
"""

import itertools
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from dalenius.basics.errors import InputError, require
from dalenius.facts.records import Number, exact, is_whole
from dalenius.papers.worlds import Dataset, Finite, checked_law

Population: TypeAlias = Finite | Sequence[Hashable]
Sizes: TypeAlias = int | Mapping[int, Number]  # a number of records, or its law
LARGEST_SAMPLES = 2_000_000


def poisson_sample(population: Population, rates: Sequence[Number]) -> Finite:
    """Each person is in the sample with a probability of their own, independently of the others.

    >>> dict(poisson_sample(["a", "b"], ["1/2", 1]).items())
    {('a', 'b'): Fraction(1, 2), (None, 'b'): Fraction(1, 2)}
    """
    drawn = _populations(population)
    people = len(drawn[0][0])
    found = [exact(rate, name="A rate") for rate in rates]
    require(len(found) == people, f"{people} rates, one for each person", got=len(found))
    require(all(0 <= rate <= 1 for rate in found), "rates between 0 and 1", got=list(map(str, rates)))
    return _sampled(
        drawn,
        (
            (inside, Fraction(math.prod(rate if here else 1 - rate for rate, here in zip(found, inside, strict=True))))
            for inside in _subsets(people, len(drawn))
        ),
    )


def bernoulli_sample(population: Population, rate: Number) -> Finite:
    """Each person is in the sample with the same probability, independently of the others."""
    return poisson_sample(population, [rate] * len(_populations(population)[0][0]))


def simple_random_sample(population: Population, size: Sizes) -> Finite:
    """So many different persons (or a random number of them, with this law), each set of that size equally likely.

    >>> simple_random_sample(["a", "b", "c"], 2).size
    3
    >>> simple_random_sample(["a", "b", "c"], {0: "1/2", 2: "1/2"}).size
    4
    """
    drawn = _populations(population)
    people, sizes = len(drawn[0][0]), _size_law(size)
    require(max(sizes) <= people, f"samples of at most {people} persons", got=max(sizes))
    return _sampled(
        drawn,
        (
            (inside, sizes[sum(inside)] / math.comb(people, sum(inside)))
            for inside in _subsets(people, len(drawn))
            if sizes.get(sum(inside))
        ),
    )


def independent_draws(population: Population, size: Sizes) -> Finite:
    """Draws with replacement, each person equally likely each time: so many, or a random number with this law.

    Record k is the value of the k-th draw; there are as many records as draws at most, and None for those not made.

    >>> dict(independent_draws([0, 1], {0: "1/2", 1: "1/2"}).items())
    {(None,): Fraction(1, 2), (0,): Fraction(1, 4), (1,): Fraction(1, 4)}
    """
    drawn, sizes = _populations(population), _size_law(size)
    most = max(sizes)
    _check_number(sum(len(set(row)) ** most for row, _ in drawn))
    chances: dict[Dataset, Fraction] = {}
    for row, chance in drawn:
        shares = {value: Fraction(row.count(value), len(row)) for value in dict.fromkeys(row)}
        for made, share in sizes.items():
            for values in itertools.product(shares, repeat=made):
                sample = (*values, *(None,) * (most - made))
                weight = Fraction(math.prod(shares[value] for value in values)) * chance * share
                chances[sample] = chances.get(sample, Fraction(0)) + weight
    return Finite.table(chances)


def _populations(population: Population) -> list[tuple[Dataset, Fraction]]:
    """Every population that is possible, with its probability."""
    if isinstance(population, Finite):
        require(
            population.knows_nothing,
            "a population about which nothing is known besides",
            got=f"one of {len(population.sides)} things",
            remedy="Take population.forgetting(), and say what is known of the sample.",
        )
        found = [(row, Fraction(chance)) for row, chance in population.items() if chance]
    else:
        found = [(tuple(population), Fraction(1))]
    require(len(found[0][0]) > 0, "a population of at least one person", got=0)
    if any(None in row for row, _ in found):
        raise InputError(
            "Everybody in a population has a value, but got None for somebody: it marks a person who is not in the "
            "sample. Use another value for one that is missing."
        )
    return found


def _size_law(size: Sizes) -> dict[int, Fraction]:
    law: Mapping[int, Number] = size if isinstance(size, Mapping) else {size: 1}
    stray = next((number for number in law if not is_whole(number)), None)
    require(stray is None, "sample sizes that are whole numbers of at least 0", got=stray)
    return {int(number): chance for number, chance in checked_law(law, "the sample size") if chance}


def _subsets(people: int, populations: int) -> Iterable[tuple[bool, ...]]:
    _check_number(populations * 2**people)
    return itertools.product((True, False), repeat=people)


def _check_number(samples: int) -> None:
    require(
        samples <= LARGEST_SAMPLES,
        f"at most {LARGEST_SAMPLES} samples, since each is listed",
        got=samples,
        remedy="Take fewer people, or group those who are alike.",
    )


def _sampled(
    populations: Sequence[tuple[Dataset, Fraction]], inclusions: Iterable[tuple[tuple[bool, ...], Fraction]]
) -> Finite:
    chances: dict[Dataset, Fraction] = {}
    for inside, share in inclusions:
        if share:
            for row, chance in populations:
                sample = tuple(value if here else None for value, here in zip(row, inside, strict=True))
                chances[sample] = chances.get(sample, Fraction(0)) + share * chance
    return Finite.table(chances)
