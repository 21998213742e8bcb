"""All parts of a change told at once, beside others of the person's own group: never below the truth, and near it."""

import itertools
import math
import random
from collections import Counter
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


def law_of_all(
    own: tuple[int, float], lists: list[list[tuple[int, float]]]
) -> dict[tuple[tuple[int, ...], int], float]:
    """Every number of coins: how far numbers are from the sum of the firsts of the lists, and how many of the own group
    fell, and that sum. Of one list its first number is that sum.
    """
    law: dict[tuple[tuple[int, ...], int], float] = Counter()
    shared, *beside = lists if len(lists) > 1 else [lists[0][1:], lists[0][:1]]
    coins = [own, *shared, *itertools.chain(*beside)]
    for numbers in itertools.product(*(range(number + 1) for number, _ in coins)):
        chance = math.prod(binomial(*one)[k] for one, k in zip(coins, numbers, strict=True))
        mine, *rest = numbers
        of_lists, at, apart = rest[len(shared) :], 0, list[int]()
        total = 0
        for some in beside:
            total += of_lists[at]
            apart += [k - of_lists[at] for k in of_lists[at + 1 : at + len(some)]]
            at += len(some)
        law[(*(k - total for k in rest[: len(shared)]), *apart, mine + total), mine] += chance
    return law


def exactly(law: dict[tuple[tuple[int, ...], int], float], scales: list[F], epsilon: F) -> float:
    """What the numbers and the noise on so many others, each of which moves with the own group's coins and the person,
    tell of the person: all results of the noise, cut where they tell nothing.
    """
    most = max(mine for _, mine in law) + 1
    told: list[dict[tuple[int, ...], float]] = [Counter(), Counter()]
    for (numbers, mine), chance in law.items():
        for person in (0, 1):
            seen = (*numbers[:-1], numbers[-1] + person)
            for results in itertools.product(range(most + 1), repeat=len(scales)):
                noise = math.prod(
                    cut(math.exp(-1 / scale), at, mine + person, most)
                    for at, scale in zip(results, scales, strict=True)
                )
                told[person][*seen, *results] += chance * noise
    return max(
        math.fsum(max(0.0, p - math.exp(epsilon) * b[at]) for at, p in a.items()) for a, b in (told, reversed(told))
    )


def cut(x: float, at: int, number: int, most: int) -> float:
    """Two-sided geometric noise on a number from 0 to `most`, beyond which results are as one with the ends."""
    return x ** abs(at - number) * (1 if at in (0, most) else 1 - x) / (1 + x)


@pytest.mark.parametrize("seed", range(repetitions(24, 600)))
def test_all_results_are_listed(seed: int):
    """Against a list of all numbers of coins, and of the noise.

    A leg against the change counts those that did not fall.
    """
    dice = random.Random(seed)
    wide = dice.choice(([3], [2], [1, 1, 1], [0, 2, 2], [1, 2, 2], [2, 1, 1]))
    lists = [[(dice.randint(1, 3), dice.uniform(0.05, 0.95), dice.choice((1, -1))) for _ in range(n)] for n in wide]
    mine, rate, epsilon = dice.randint(0, 3), dice.uniform(0.05, 0.95), F(dice.choice(("0", "1/2", "1", "3")))
    scales = [F(dice.choice(("1/2", "1", "2", "5"))) for _ in range(dice.choice((0, 1, 2)))]
    plain = [[(number, p if sign > 0 else 1 - p) for number, p, sign in some] for some in lists]
    exact = exactly(law_of_all((mine, rate), plain), scales, epsilon)
    shared, *beside = [[(some(n, p), sign) for n, p, sign in one] for one in lists]
    profiles = (tuple((TwoSidedGeometric(scale), 1) for scale in scales),) if scales else ()
    found = LegsCurve.of(some(mine, rate), shared, beside, profiles, ENOUGH)
    assert found is not None
    assert exact * (1 - 1e-12) <= found.delta(epsilon).upper <= exact + 2e-9
    for run in (1, 2):  # pieces of what is told are added up
        parts = LegsCurve(found.own, found.rest, found.profiles, run, found.error, found.lost)
        more = parts.delta(epsilon).upper
        assert exact * (1 - 1e-12) <= more
        assert not scales or more <= found.delta(epsilon).upper * 2
    steps = LegsCurve.of(some(mine, rate), shared, beside, profiles, ENOUGH, steps=2)
    assert steps is not None
    assert exact * (1 - 1e-12) <= steps.delta(epsilon).upper


def test_too_much_is_not_listed():
    """Noise of other sorts, legs without coins, one leg, and more results than are listed."""
    own, leg = some(3, 0.5), (some(4, 0.5), 1)
    assert LegsCurve.of(own, [leg, leg], [], (), ENOUGH) is not None
    assert LegsCurve.of(own, [leg], [[leg], [leg]], (), ENOUGH) is not None
    assert LegsCurve.of(own, [leg], [], (), ENOUGH) is None
    assert LegsCurve.of(own, [leg], [[leg], []], (), ENOUGH) is None
    assert LegsCurve.of(own, [leg, (Constant(1.0), 1)], [], (), ENOUGH) is None
    assert LegsCurve.of(own, [leg, leg], [], (((discrete_gaussian(2), 1),),), ENOUGH) is None
    many = some(10**6, 0.5), 1
    assert LegsCurve.of(own, [many, many, many], [], (), ENOUGH) is None


def test_known_coins_and_noise_only_tell_more():
    legs = [(some(n, 0.5), 1) for n in (8, 9, 10)]
    noise = [(((TwoSidedGeometric(F(scale)), 1),) * 4,) for scale in (2, 4, 64)]
    told = [LegsCurve.of(some(6, 0.5), legs, [], profiles, ENOUGH) for profiles in (*noise, ())]
    less = LegsCurve.of(some(5, 0.5), legs, [], (), ENOUGH)
    more = LegsCurve.of(some(6, 0.5), legs[:1], [legs[1:], legs[1:]], (), ENOUGH)
    deltas = [curve.delta(F(1)).upper for curve in told if curve is not None]
    assert deltas == sorted(deltas, reverse=True)
    assert less is not None
    assert less.delta(F(1)).upper > deltas[-1]
    assert more is not None
    assert more.delta(F(1)).upper < deltas[-1]
    alone = LegsCurve.of(Constant(1.0), legs, [], noise[0], ENOUGH)
    assert alone is not None
    assert alone.delta(F(1)).upper > deltas[0]


@pytest.mark.parametrize("rate", ["1/2", "1/5"])
@pytest.mark.parametrize(("sizes", "epsilon"), [((3, 3, 3, 3), 2), ((1, 4, 5, 3), 1), ((6, 3, 2, 4), 3)])
def test_exact_margins_of_a_square_are_judged_as_they_are(sizes: tuple[int, ...], epsilon: int, rate: str):
    groups = {divmod(at, 2): size for at, size in enumerate(sizes)}
    small = world(groups, [table("r", "r"), table("c", "c")], rate=rate, epsilon=str(epsilon))
    for place, atom in enumerate(moves(small).cover.atoms):
        exact = clamped_truth(small, atom)
        upper = moves(small, exact).judged(place, 0).delta.upper
        assert exact - 1e-9 <= upper <= 1.001 * exact


@pytest.mark.parametrize("scale", [2, 4])
@pytest.mark.parametrize(
    ("sizes", "wide", "most"),
    [((5,) * 4, 2, 1.001), ((6, 3, 4, 5), 2, 1.001), ((1,) * 8, 4, 1.02), ((2,) * 6, 3, 1.08), ((1,) * 9, 3, 1.25)],
)
def test_margins_beside_noisy_cells(sizes: tuple[int, ...], wide: int, most: float, scale: int):
    """A square is judged as it is; wider tables nearly so, by several squares at once."""
    small = released(sizes, wide=wide, scale=scale, epsilon=2)
    exact = clamped_truth(small, moves(small).cover.atoms[0])
    assert exact - 1e-9 <= veiled(small, 0, exact) <= most * exact
