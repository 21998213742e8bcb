"""Each error term of the certificate of moves, where it can be seen."""

import math
from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.beliefs.coins import Coins, CoinsCurve, below, coin_of, coins_mean
from dalenius.mechanisms import DiscreteGaussian
from dalenius.mechanisms.repeated import repeated
from dalenius.numerics.law import Law
from dalenius.tables.algebra import PRIME, Algebra, fraction_of, verified
from dalenius.tables.history import Cover
from dalenius.tables.packing import Packer, Proposals, move_weights
from judgement.worlds import truth
from linked.tables import moves, table, world

F = Fraction
fractions = st.fractions(F(1, 1000), F(999, 1000), max_denominator=1000)


def binomial_delta(count: int, rate: Fraction, factor: Fraction) -> Fraction:
    """Binomial(count, rate) against itself moved by one, in fractions, the worse of both directions."""
    masses = [math.comb(count, k) * rate**k * (1 - rate) ** (count - k) for k in range(count + 1)]
    padded = [F(0), *masses, F(0)]
    ways = [(padded[k + 1] - factor * padded[k], padded[k] - factor * padded[k + 1]) for k in range(count + 2 - 1)]
    return max(sum((max(F(0), way[side]) for way in ways), F(0)) for side in (0, 1))


@given(weights=st.lists(fractions, min_size=1, max_size=6), rate=fractions, known=st.integers(0, 3))
def test_the_mean_over_coins_is_never_below_its_value_in_fractions(weights, rate, known):
    floats, near = [below(weight) for weight in weights], F(float(rate))
    left = sorted(map(F, floats))[: max(0, len(floats) - known)]
    numbers = {0: F(1)}
    for weight in left:
        numbers = {
            k: numbers.get(k, F(0)) * (1 - weight) + numbers.get(k - 1, F(0)) * weight for k in range(len(numbers) + 1)
        }
    exact = sum((mass * binomial_delta(k, near, F(1)) for k, mass in numbers.items()), F(0))
    curve = coins_mean(np.array(floats), np.ones(len(floats), dtype=np.int64), known, float(rate), Coins())
    found = curve.delta(F(0)).upper
    assert exact <= F(found)
    assert found <= exact + F(1, 500)


@given(number=fractions)
def test_weights_are_rounded_down(number):
    assert F(below(number)) <= number
    assert number - F(below(number)) < F(1, 2**50)


def planted(mass: list[float], error: float, tail: float) -> CoinsCurve:
    return CoinsCurve(Law(0, np.array(mass), np.full(len(mass), error), tail), 0.5, Coins())


def test_errors_and_tails_of_the_number_of_coins_are_charged():
    plain = planted([0.5, 0.5], 0.0, 0.0).delta(F(0)).upper  # no coin: 1; one coin: 1/2
    assert plain == pytest.approx(0.75)
    assert planted([0.5, 0.5], 1e-3, 0.0).delta(F(0)).upper >= 0.75 + 1.5e-3
    assert planted([0.5, 0.5], 0.0, 1e-3).delta(F(0)).upper >= 0.75 + 1e-3


def test_a_sure_number_of_coins_says_with_what_probability_there_are_fewer():
    number = Law(0, np.full(40, 0.025), np.full(40, 1e-4), 1e-4)
    count, missing = CoinsCurve(number, 0.5, Coins()).sure(0.3)
    assert count > 0
    assert missing >= count * (0.025 + 1e-4) + 1e-4
    assert missing <= 0.3
    assert CoinsCurve(number, 0.5, Coins()).sure(1e-5)[0] == 0


laws = st.lists(st.integers(0, 5), min_size=2, max_size=6).filter(lambda w: sum(w) > 0)


@given(weights=laws, step=st.integers(1, 2), rate=fractions)
def test_a_record_contains_the_coins_that_are_taken_of_it(weights, step, rate):
    law: Mapping[tuple[int, ...], Fraction] = {(k,): F(w, sum(weights)) for k, w in enumerate(weights)}
    low, high = coin_of(law, (step,), rate)
    assert low + high <= 1
    pairs = [(law[k,], law[k + step,]) for k in range(len(weights) - step) if law[k,] and law[k + step,]]
    if len(pairs) == 1:
        assert (low, high) == pairs[0]
    else:
        assert low * rate == high * (1 - rate)
        # no more than what a chain of pairs can hold: each mass is used at most once
        assert low <= sum((p for p, _ in pairs), F(0))
        assert high <= sum((q for _, q in pairs), F(0))


def test_a_chain_of_three_values_is_not_used_twice():
    third = {(k,): F(1, 3) for k in range(3)}
    assert coin_of(third, (1,), F(1, 2)) == (F(1, 3), F(1, 3))


def test_moves_that_do_not_fit_are_thrown_away():
    small = world({(0, 0): 1, (0, 1): 3, (1, 0): 3, (1, 1): 3}, [table("rows", "r"), table("columns", "c")])
    cover = Cover.of(small.figures, small.frame, small.columns)
    codes = np.array([[r for r, _ in cover.tuples], [c for _, c in cover.tuples]])
    packer = Packer.of(cover, codes, (0, 1), (frozenset({0}), frozenset({1})))
    rows, signs = np.array([[1, 2, 3], [1, 3, 2], [3, 2, 1], [1, 2, -1]]), np.array([1, 1, -1])
    assert packer.checked(0, Proposals(rows, signs)).tolist() == [True, False, False, False]
    packed = packer.packed(0, np.full(4, 0.5), np.full(4, 0.5), 0.5, math.inf)
    assert packed.count == 3
    assert packed.used(4).tolist() == [0, 3, 3, 3]
    weight = move_weights(Proposals(rows[:1], signs), np.full(4, 0.1), np.full(4, 0.3), 0.7)[0]
    assert F(float(weight)) <= min(F(0.3) ** 2 * F(0.1) / F(0.7), F(0.1) ** 2 * F(0.3) / (1 - F(0.7)))
    assert weight == pytest.approx(min(0.009 / 0.7, 0.003 / 0.3))


def test_the_person_is_no_cover_for_themselves():
    small = world({(0, 0): 2, (0, 1): 2}, [table("rows", "r"), table("columns", "c")])
    found = moves(small)
    assert found.judged(0, 0).delta.upper >= truth(small, found.cover.atoms[0])
    assert found.judged(0, 0).delta.upper == pytest.approx(0.5, rel=1e-4)


def test_a_combination_counts_only_if_it_multiplies_out():
    small = world({(0, 0): 1, (0, 1): 3, (1, 0): 3, (1, 1): 3}, [table("rows", "r"), table("columns", "c")])
    algebra = Algebra(Cover.of(small.figures, small.frame, small.columns))
    rows = algebra._exact_rows(small.figures[0])
    entry = next(iter(rows))
    assert not verified(((F(1), entry),), rows, 0)
    assert algebra.revealing([0, 1, 2, 3], small.figures[0]) == {}


@given(number=st.fractions(F(-50), F(50), max_denominator=60))
def test_residues_are_read_as_fractions(number):
    residue = number.numerator * pow(number.denominator, -1, PRIME) % PRIME
    assert fraction_of(residue) == number


@cache
def centred(variance: F, centre: F) -> dict[int, Decimal]:
    """The masses of discrete Gaussian noise around a centre, to fifty digits."""
    with localcontext() as context:
        context.prec = 50
        twice, middle = (Decimal(n.numerator) / Decimal(n.denominator) for n in (2 * variance, centre))
        weights = {k: (-((k - middle) ** 2) / twice).exp() for k in range(-120, 121)}
        whole = sum(weights.values())
        return {k: weight / whole for k, weight in weights.items()}


@pytest.mark.slow
@pytest.mark.parametrize("scales", [("1", "1"), ("1/2", "3/2"), ("2", "2", "2")])
def test_the_noise_of_several_releases_has_the_right_masses(scales):
    ways = repeated([DiscreteGaussian(F(scale)) for scale in scales])
    assert ways is not None
    for way in ways:
        law = way.noise()
        for k, mass, error in zip(range(law.start, law.stop), law.mass.tolist(), law.error.tolist(), strict=True):
            truth = centred(way.variance, way.centre)[k]
            assert abs(truth - Decimal(mass)) <= Decimal(error)
            assert error <= 1e-12 * mass + 1e-30
        assert law.tail > 0
    assert 1 / ways[0].variance == sum(1 / F(scale) ** 2 for scale in scales)
    assert repeated([DiscreteGaussian(F("0.731")), DiscreteGaussian(F("1.377"))]) is None
