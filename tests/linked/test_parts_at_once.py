"""All parts of a change told at once, beside others of the person's own group: never below the truth, and near it."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from amount import repetitions
from dalenius.beliefs.coins import Coins, coins_mean
from dalenius.mechanisms import TwoSidedGeometric, discrete_gaussian
from dalenius.numerics.curve import Constant, Curve
from dalenius.tables.legs import LegsCurve
from judgement.clamped import clamped_truth
from linked.tables import moves, table, world
from linked.test_veiled import released, veiled

F = Fraction
ENOUGH = F(1, 10**6)


def some(number: int, rate: float) -> Curve:
    return coins_mean(np.array([1.0]), np.array([number]), 0, rate, Coins()) if number else Constant(1.0)


def binomial(number: int, rate: float) -> list[float]:
    return [math.comb(number, k) * rate**k * (1 - rate) ** (number - k) for k in range(number + 1)]


@pytest.mark.parametrize("seed", range(repetitions(12, 300)))
def test_all_results_are_listed(seed: int):
    """Against a list of all numbers of coins; a leg against the change counts those that did not fall."""
    dice = random.Random(seed)
    legs = [(dice.randint(1, 5), dice.uniform(0.05, 0.95), dice.choice((1, -1))) for _ in range(dice.choice((2, 3, 3)))]
    mine, rate, epsilon = dice.randint(0, 5), dice.uniform(0.05, 0.95), F(dice.choice(("0", "1/2", "1", "3")))
    rates = [p if sign > 0 else 1 - p for _, p, sign in legs]
    law: dict[tuple[int, ...], float] = {}
    for k, chance in enumerate(binomial(mine, rate)):
        for each in itertools.product(*(range(number + 1) for number, *_ in legs)):
            masses = [binomial(number, p)[j] for (number, *_), p, j in zip(legs, rates, each, strict=True)]
            told = tuple(k + j for j in each)
            law[told] = law.get(told, 0.0) + chance * math.prod(masses)
    moved = {tuple(at + 1 for at in told): chance for told, chance in law.items()}
    exact = max(
        math.fsum(max(0.0, p - math.exp(epsilon) * b.get(told, 0.0)) for told, p in a.items())
        for a, b in ((law, moved), (moved, law))
    )
    found = LegsCurve.of(some(mine, rate), [(some(n, p), sign) for n, p, sign in legs], (), ENOUGH)
    assert found is not None
    assert exact * (1 - 1e-12) <= found.delta(epsilon).upper <= exact + 2e-9


def test_too_much_is_not_listed():
    """Noise of other sorts, legs without coins, one leg, and more results than are listed."""
    own, leg = some(3, 0.5), (some(4, 0.5), 1)
    assert LegsCurve.of(own, [leg, leg], (), ENOUGH) is not None
    assert LegsCurve.of(own, [leg], (), ENOUGH) is None
    assert LegsCurve.of(own, [leg, (Constant(1.0), 1)], (), ENOUGH) is None
    assert LegsCurve.of(own, [leg, leg], (((discrete_gaussian(2), 1),),), ENOUGH) is None
    many = some(10**6, 0.5), 1
    assert LegsCurve.of(own, [many, many, many], (), ENOUGH) is None


def test_known_coins_and_noise_only_tell_more():
    legs = [(some(n, 0.5), 1) for n in (8, 9, 10)]
    noise = [(((TwoSidedGeometric(F(scale)), 1),) * 4,) for scale in (2, 4, 64)]
    told = [LegsCurve.of(some(6, 0.5), legs, profiles, ENOUGH) for profiles in (*noise, ())]
    less = LegsCurve.of(some(5, 0.5), legs, (), ENOUGH)
    deltas = [curve.delta(F(1)).upper for curve in told if curve is not None]
    assert deltas == sorted(deltas, reverse=True)
    assert less is not None
    assert less.delta(F(1)).upper > deltas[-1]
    alone = LegsCurve.of(Constant(1.0), legs, noise[0], ENOUGH)
    assert alone is not None
    assert alone.delta(F(1)).upper > deltas[0]


@pytest.mark.parametrize("rate", ["1/2", "1/5"])
@pytest.mark.parametrize(("sizes", "epsilon"), [((3, 3, 3, 3), 2), ((1, 4, 5, 3), 1), ((6, 3, 2, 4), 3)])
def test_exact_margins_of_a_square_are_judged_as_they_are(sizes: tuple[int, ...], epsilon: int, rate: str):
    groups = {divmod(at, 2): size for at, size in enumerate(sizes)}
    small = world(groups, [table("r", "r"), table("c", "c")], rate=rate, epsilon=str(epsilon))
    found = moves(small)
    for place, atom in enumerate(found.cover.atoms):
        exact, upper = clamped_truth(small, atom), found.judged(place, 0).delta.upper
        assert exact - 1e-9 <= upper <= 1.001 * exact


@pytest.mark.parametrize("epsilon", [1, 2, 3])
@pytest.mark.parametrize(("sizes", "scale", "most"), [((2,) * 4, 2, 1.04), ((3,) * 4, 4, 1.05), ((5,) * 4, 4, 1.13)])
def test_margins_beside_noisy_cells_of_several_people(sizes: tuple[int, ...], scale: int, most: float, epsilon: int):
    small = released(sizes, scale=scale, epsilon=epsilon)
    exact = clamped_truth(small, moves(small).cover.atoms[0])
    assert exact - 1e-9 <= veiled(small, 0) <= most * exact
