"""The excess of one law over another: never on the wrong side of ball arithmetic, and not far from it."""

import math

import numpy as np
import pytest
from flint import arb

from amount import repetitions
from dalenius.enclosure import excess
from dalenius.enclosure.balls import Balls
from enclosure.arrays import RNG, members, precise, radii, sizes

COUNT = repetitions(150, 3000)
FACTORS = (1.0, 1.0 + 2.0**-52, math.exp(0.1), math.e, 1e3, 1e300)


def laws(rng: np.random.Generator) -> tuple[Balls, Balls]:
    length = int(rng.choice([1, 2, 9, 200]))
    p = sizes(rng, length)
    q = p * rng.choice([1.0, 1.0, 0.5, 1 - 2.0**-52]) if rng.integers(2) else sizes(rng, length)
    return Balls.within(p, radii(rng, p)), Balls.within(q, radii(rng, q))


def held(balls: Balls, rng: np.random.Generator) -> list[list[arb]]:
    """Members that are masses: none below 0."""
    return [[x if x >= 0 else arb(0) for x in numbers] for numbers in members(balls, rng)]


def truth(p: list[arb], q: list[arb], factor: arb) -> arb:
    gaps = (a - factor * b for a, b in zip(p, q, strict=True))
    return sum((gap for gap in gaps if gap > 0), arb(0))


@pytest.mark.parametrize("factor", FACTORS)
@precise
def test_the_excess_is_enclosed(factor: float) -> None:
    rng = RNG(int(factor) % 97)
    for _ in range(COUNT // 4):
        p, q = laws(rng)
        with np.errstate(all="ignore"):
            above, below = excess.excess_above(p, q, factor), excess.excess_below(p, q, factor)
            rows = excess.sticks_above(
                excess.largest_masses(p.middle, p.radius), excess.least_masses(q.middle, q.radius), factor
            )
            least = excess.sticks_below(
                excess.least_masses(p.middle, p.radius), excess.largest_masses(q.middle, q.radius), factor
            )
        for a in held(p, rng):
            for b in held(q, rng):
                exact = truth(a, b, arb(factor))
                assert above == math.inf or bool(exact <= arb(above))
                assert bool(arb(below) <= exact)
                assert float(rows) == math.inf or bool(exact <= arb(float(rows)))
                assert bool(arb(float(least)) <= exact)


@precise
def test_the_excess_of_exact_laws_is_narrow() -> None:
    """Relative to itself, not to the masses, wherever the gaps are not themselves lost in the rounding of a mass."""
    rng = RNG(7)
    for _ in range(COUNT):
        p, q = Balls.of(10.0 ** rng.uniform(-70, -50, 300)), Balls.of(10.0 ** rng.uniform(-70, -50, 300))
        above, below = excess.excess_above(p, q, math.e), excess.excess_below(p, q, math.e)
        assert below <= above <= below * (1 + 1e-13)


def test_equal_laws_exceed_each_other_by_nothing() -> None:
    p = Balls.of(RNG(1).uniform(0, 1, 100))
    assert excess.excess_above(p, p, 1.0) == 0.0
    assert excess.excess_below(p, p, 1.0) == 0.0
    assert excess.excess_above(p, p, 2.0) == 0.0


def test_over_an_infinite_multiple_only_counts_what_the_other_certainly_lacks() -> None:
    p = Balls.of(np.array([0.25, 0.25, 0.5]))
    q = Balls.within(np.array([0.0, 0.0, 1.0]), np.array([0.0, 1e-300, 0.0]))
    assert 0.25 * (1 - 1e-13) <= excess.excess_below(p, q, math.inf) <= 0.25
    assert excess.sticks_below(p.middle, np.array([0.0, 1e-300, 1.0]), math.inf) == pytest.approx(0.25, rel=1e-13)


@pytest.mark.slow
@precise
def test_many_multiples_at_once_and_the_largest_ratio() -> None:
    rng = RNG(11)
    epsilons = np.array([0.0, 1e-9, 0.1, 1.0, 3.0, 50.0])
    for _ in range(COUNT // 2):
        p, q = laws(rng)
        if p.middle.max() > 1e100 or q.middle.max() > 1e100:
            continue
        values = excess.excesses_above(p, q, epsilons)
        most, beside = excess.largest_ratio_above(p, q), float(rng.choice([0.0, 1e-20]))
        sure = excess.largest_ratio_below(p, q, beside)
        for a in held(p, rng):
            for b in held(q, rng):
                for epsilon, value in zip(epsilons.tolist(), values.tolist(), strict=True):
                    assert bool(truth(a, b, arb(epsilon).exp()) <= arb(value))
                for x, y in zip(a, b, strict=True):
                    assert most == math.inf or bool(x <= y * arb(most))
                if math.isfinite(sure):
                    assert any(bool(arb(sure) * (y + beside) <= x) for x, y in zip(a, b, strict=True)) or sure == 0.0
                else:
                    assert any(x > 0 and y == 0 for x, y in zip(a, b, strict=True)) and not beside


@precise
def test_sums_of_masses() -> None:
    rng = RNG(12)
    for _ in range(COUNT):
        p, _ = laws(rng)
        above, below = excess.mass_above(p), excess.mass_below(p)
        for numbers in held(p, rng):
            total = sum(numbers, arb(0))
            assert above == math.inf or bool(total <= arb(above))
            assert bool(arb(below) <= total)


def test_a_ratio_below_the_smallest_float_is_not_nothing() -> None:
    assert excess.largest_ratio_above(Balls.of(np.array([1e-304])), Balls.of(np.array([1e80]))) > 0.0
    assert excess.largest_ratio_above(Balls.of(np.zeros(1)), Balls.of(np.ones(1))) == 0.0


def test_many_multiples_beyond_all_floats_and_of_the_smallest_masses() -> None:
    p, q = Balls.of(np.array([0.5, 0.5])), Balls.of(np.array([0.0, 1.0]))
    for value in excess.excesses_above(p, q, np.array([700.0, 710.0, 1e5])):
        assert 0.5 <= value <= 0.5 * (1 + 1e-14)
    few, fewer = Balls.of(np.array([15e-324])), Balls.of(np.array([5e-324]))
    assert excess.excesses_above(few, fewer, np.array([0.45]))[0] >= 1e-323  # 3 - e^0.45 smallest floats: above 1
