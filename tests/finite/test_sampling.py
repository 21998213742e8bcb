"""Beliefs from sampling schemes, against an enumeration of every way to draw the sample."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.papers.sampling import bernoulli_sample, independent_draws, poisson_sample, simple_random_sample
from dalenius.papers.worlds import Finite
from oracle.strategies import masses

UGLY = st.sampled_from([Fraction(0), Fraction(1, 7), Fraction(96, 97), Fraction(1)])


@st.composite
def populations(draw):
    """A belief over the values of three people."""
    rows = draw(st.lists(st.tuples(*[st.sampled_from("ab")] * 3), min_size=1, max_size=3, unique=True))
    return Finite.table(dict(zip(rows, draw(masses(len(rows))), strict=True)))


def by_hand(population, chance_of):
    """Every population with every subset of its people, which has this chance."""
    found = {}
    for row, chance in population.items():
        for inside in itertools.chain.from_iterable(itertools.combinations(range(3), k) for k in range(4)):
            sample = tuple(value if i in inside else None for i, value in enumerate(row))
            found[sample] = found.get(sample, 0) + chance * chance_of(set(inside))
    return {sample: chance for sample, chance in found.items() if chance}


def possible(belief):
    return {row: chance for row, chance in belief.items() if chance}


@given(populations(), st.lists(UGLY, min_size=3, max_size=3))
def test_poisson_sampling_draws_everybody_with_their_own_rate(population, rates):
    truth = by_hand(population, lambda inside: math.prod(rates[i] if i in inside else 1 - rates[i] for i in range(3)))
    assert possible(poisson_sample(population, rates)) == truth


@given(populations(), UGLY)
def test_bernoulli_sampling_has_one_rate(population, rate):
    assert possible(bernoulli_sample(population, rate)) == possible(poisson_sample(population, [rate] * 3))


@given(populations(), st.integers(0, 3))
def test_simple_random_sampling_takes_every_set_of_that_size(population, size):
    truth = by_hand(population, lambda inside: Fraction(len(inside) == size, math.comb(3, size)))
    assert possible(simple_random_sample(population, size)) == truth


@given(populations(), masses(4))
def test_a_random_size_mixes_the_sizes(population, law):
    truth = by_hand(population, lambda inside: law[len(inside)] / math.comb(3, len(inside)))
    assert possible(simple_random_sample(population, dict(enumerate(law)))) == truth


@given(populations(), masses(3))
def test_draws_with_replacement_are_drawn_one_by_one(population, law):
    truth = {}
    most = max(size for size, chance in enumerate(law) if chance)
    for row, chance in population.items():
        for size, share in enumerate(law):
            for people in itertools.product(range(3), repeat=size):
                sample = (*(row[i] for i in people), *(None,) * (most - size))
                truth[sample] = truth.get(sample, 0) + chance * share / 3**size
    truth = {sample[:most]: chance for sample, chance in truth.items() if chance}
    assert possible(independent_draws(population, dict(enumerate(law)))) == truth


def test_a_binomial_size_is_bernoulli_sampling():
    rate, people = Fraction(2, 7), ["a", "b", "a"]
    law = {k: math.comb(3, k) * rate**k * (1 - rate) ** (3 - k) for k in range(4)}
    assert possible(simple_random_sample(people, law)) == possible(bernoulli_sample(people, rate))


def test_independent_draws_of_a_known_size_are_a_product():
    drawn = independent_draws(["a", "b", "b"], 2)
    assert possible(drawn) == possible(Finite.product([{"a": "1/3", "b": "2/3"}] * 2))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: poisson_sample("ab", [1]), "2 rates"),
        (lambda: bernoulli_sample("ab", 2), "between 0 and 1"),
        (lambda: bernoulli_sample("ab", float("nan")), "finite number"),
        (lambda: simple_random_sample("ab", 3), "at most 2 persons"),
        (lambda: simple_random_sample("ab", {0: "1/2", 1: "1/4"}), "sum to 1"),
        (lambda: simple_random_sample("ab", -1), "at least 0"),
        (lambda: independent_draws("ab", {0.5: 1}), "whole numbers"),
        (lambda: independent_draws([], 1), "at least one person"),
        (lambda: independent_draws(range(1000), 9), "at most 2000000 samples"),
        (lambda: bernoulli_sample(["a", None], "1/2"), "not in the sample"),
        (lambda: bernoulli_sample("a" * 30, "1/2"), "at most 2000000 samples"),
    ],
)
def test_bad_schemes_are_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()
