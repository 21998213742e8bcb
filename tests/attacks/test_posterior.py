"""Exact posteriors against datasets that are listed one by one."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalenius as dl
from dalenius.judge.posterior import Outcome, outcomes
from dalenius.numerics.law import law_of

LAWS = st.lists(st.integers(1, 9), min_size=3, max_size=3)


def totals(chances: list[Fraction], n: int) -> dict[int, Fraction]:
    """The law of the sum of n records that are 0, 1, 2, ... with these chances, dataset by dataset."""
    found: dict[int, Fraction] = {}
    for data in itertools.product(range(len(chances)), repeat=n):
        chance = math.prod((chances[value] for value in data), start=Fraction(1))
        found[sum(data)] = found.get(sum(data), Fraction(0)) + chance
    return found


@given(
    parts=LAWS, n=st.integers(2, 6), known=st.integers(0, 2), facts=st.permutations([0, 1, 2]), tenths=st.integers(1, 9)
)
def test_outcomes_are_those_of_bayes_rule(parts, n, known, facts, tenths):
    known, prior = min(known, n - 2), Fraction(tenths, 10)
    chances = [Fraction(part, sum(parts)) for part in parts]
    belief = dl.IID(values=dict(enumerate(chances)), n=n, known=known)
    places = [Fraction(k, 20) for k in range(1, 20)]
    others = totals(chances, n - 1 - known)
    one, other = facts[0], facts[1]
    for found in dl.posteriors(dl.Sum(), dl.noiseless(belief), (one, other), places=places):
        p, q = (others.get(found.value - adds, Fraction(0)) for adds in (one, other))
        assert found.one.lower <= p <= found.one.upper and found.other.lower <= q <= found.other.upper
        if p + q:
            after, truth = found.after(prior), prior * p / (prior * p + (1 - prior) * q)
            assert after.lower <= truth <= after.upper and after.width < 1e-9


@given(parts=LAWS, n=st.integers(2, 6), base=st.integers(2, 3))
def test_rounded_figures_have_posteriors_too(parts, n, base):
    chances = [Fraction(part, sum(parts)) for part in parts]
    belief = dl.noiseless(dl.IID(values=dict(enumerate(chances)), n=n))
    others = totals(chances, n - 1)
    for found in dl.posteriors(dl.Sum() >> dl.Rounded(base), belief, (2, 0)):
        for adds, bracket in ((2, found.one), (0, found.other)):
            inside = [chance for at, chance in others.items() if (at + adds + base // 2) // base == found.value]
            assert bracket.lower <= sum(inside, Fraction(0)) <= bracket.upper


def test_noise_is_carried_along():
    belief = dl.noiseless(dl.IID(p=Fraction(1, 3), n=3))
    found = dl.posteriors(dl.Count() >> dl.two_sided_geometric(1), belief, (1, 0))
    x = math.exp(-1)
    for one in found:
        truth = sum(
            chance * (1 - x) / (1 + x) * x ** abs(one.value - at - 1)
            for at, chance in ((0, 4 / 9), (1, 4 / 9), (2, 1 / 9))
        )
        assert one.one.lower <= truth * (1 + 1e-13) and truth * (1 - 1e-13) <= one.one.upper and one.one.width < 1e-12


def test_errors_of_a_law_widen_a_posterior():
    """Masses that are known to within 10 %: the bracket must hold what any of them give."""
    one, other = law_of({0: Fraction(1, 2), 1: Fraction(1, 2)}), law_of({0: Fraction(1, 4), 1: Fraction(3, 4)})
    blurred = type(one)(one.start, one.mass, one.mass * 0.1, 0.01)
    found = outcomes(blurred, other, [Fraction(1, 100)])[0].after("0.5")
    assert found.lower <= 0.45 / 0.70 and found.upper >= 0.55 / 0.80
    outside = outcomes(other.shifted(5), blurred, [Fraction(99, 100)])[0]
    assert outside.other.upper >= 0.01 and outside.after("0.5").lower < 1


def test_what_is_impossible_in_both_worlds_may_be_believed_as_one_likes():
    nothing = dl.Bracket(0.0, 0.0)
    assert str(Outcome(3, nothing, nothing).after("0.2")) == "[0, 1]"
    assert Outcome(3, dl.Bracket(0.1, 0.1), nothing).after("0.2").lower == 1


@pytest.mark.parametrize(
    ("mechanism", "belief", "facts", "told"),
    [
        (dl.Count(), dl.Blocks(values={0: "0.5", 1: "0.5"}, sizes={2: 5}), (1, 0), "independent records"),
        (dl.Count() >> dl.mechanisms.majority(), dl.IID(p=0.5, n=9), (1, 0), "Leave out the rounding or the choice"),
        (dl.Count() >> dl.Rounded(2), dl.IID(p=0.5, n=9, known=1), (1, 0), "let nobody be known"),
        (dl.Count(), dl.IID(p=0.5, n=9), (1, 1), "two of the numbers"),
        (dl.Count(), dl.IID(p=0.5, n=9), (2, 0), "two of the numbers"),
    ],
)
def test_what_has_no_exact_posterior_says_why(mechanism, belief, facts, told):
    with pytest.raises(dl.DaleniusError, match=told):
        dl.posteriors(mechanism, dl.noiseless(belief), facts)


def test_a_prior_is_a_probability():
    with pytest.raises(dl.InputError, match="between 0 and 1, but got 2"):
        dl.posteriors(dl.Count(), dl.noiseless(dl.IID(p=0.5, n=9)), (1, 0))[0].after(2)


def test_a_mixture_is_bayes_on_all_datasets():
    """Six records of one of two laws, three values: probabilities given each fact, by listing all datasets."""
    laws = [
        {0: Fraction(1, 2), 1: Fraction(1, 4), 3: Fraction(1, 4)},
        {0: Fraction(1, 10), 1: Fraction(4, 5), 3: Fraction(1, 10)},
    ]
    weights = [Fraction(1, 3), Fraction(2, 3)]
    parts = [(w, dl.IID(values=dict(law), n=5)) for w, law in zip(weights, laws, strict=True)]
    belief = dl.beliefs.Mixture(parts)
    for facts in ((3, 0), (1, 3)):
        given = {}
        for fact in facts:
            law, whole = {}, Fraction(0)
            for weight, one in zip(weights, laws, strict=True):
                for rows in itertools.product(one, repeat=4):
                    chance = weight * one[fact] * math.prod((one[v] for v in rows), start=Fraction(1))
                    law[fact + sum(rows)] = law.get(fact + sum(rows), Fraction(0)) + chance
                    whole += chance
            given[fact] = {total: chance / whole for total, chance in law.items()}
        for outcome in dl.posteriors(dl.Sum(), dl.noiseless(belief), facts):
            for bracket, fact in ((outcome.one, facts[0]), (outcome.other, facts[1])):
                truth = float(given[fact].get(outcome.value, Fraction(0)))
                assert bracket.lower - 1e-12 <= truth <= bracket.upper + 1e-12
                assert bracket.upper - bracket.lower < 1e-9
    with pytest.raises(dl.InputError, match="that a person can add"):
        dl.posteriors(dl.Sum(), dl.noiseless(belief), (2, 0))
