"""Coins by the thousand and laws on boxes: enclosed, and noticed if what a step loses is left out."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from amount import repetitions
from dalenius.enclosure import coins, transforms
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.floats import TINY, UNIT
from dalenius.enclosure.transforms import powers, sum_on_box, turns
from enclosure.arrays import RNG, precise

COUNT = repetitions(12, 200)
F = Fraction


def binomial(m: int, k: int, share: Fraction) -> Fraction:
    return math.comb(m, k) * share**k * (1 - share) ** (m - k) if 0 <= k <= m else F(0)


@precise
def tails_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        share = F(int(rng.integers(1, 1000)), 1000 * int(rng.choice([1, 1, 1000]))) or F(1, 2)
        epsilon = F(int(rng.integers(0, 300)), 100)
        counts = np.arange(first := int(rng.integers(1, 60)), first + int(rng.integers(1, 60)))
        tops = coins.tops_of(counts, share, epsilon)
        if share == 1 or np.diff(tops).max(initial=0) > 1:
            continue
        start = int(rng.integers(len(counts)))
        exact = binomial(int(counts[start]), int(tops[start]), share)
        found = coins.tail_excess(counts, tops, share, epsilon, start, Balls.of(exact))
        factor = (arb(epsilon.numerator) / epsilon.denominator).exp()
        if found is None:
            continue
        for m, low, high in zip(counts.tolist(), found.lower.tolist(), found.upper.tolist(), strict=True):
            truth = arb(0)
            for k in range(m + 1):
                here, before = binomial(m, k, share), binomial(m, k - 1, share)
                gap = arb(here.numerator) / here.denominator - factor * arb(before.numerator) / before.denominator
                truth += gap if gap > 0 else arb(0)
            if not bool(arb(low) <= truth <= arb(high)):
                return False
    return True


def test_the_excess_of_many_binomials_over_their_steps_is_enclosed() -> None:
    assert tails_are_enclosed(61)


def test_units_that_are_left_out_of_the_tails_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coins, "UNIT", 0.0)
    monkeypatch.setattr(coins, "TINY", 0.0)
    assert not tails_are_enclosed(61)


def boxes_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        sides, many = int(rng.integers(1, 3)), int(rng.integers(1, 4))
        counts = [int(rng.integers(0, 9 // many + 1)) for _ in range(many)]
        shape = [2 * sum(counts) + 1 + int(rng.integers(3)) for _ in range(sides)]
        exact = {(0,) * sides: F(1)}
        types = []
        for count in counts:
            vectors = sorted({tuple(rng.integers(0, 3, sides).tolist()) for _ in range(3)})
            chances = [float(chance) for chance in rng.dirichlet(np.ones(len(vectors)))]
            one = np.zeros(shape, dtype=complex)
            for vector, chance in zip(vectors, chances, strict=True):
                part = np.asarray(chance + 0j)
                for size, step in zip(shape, vector, strict=True):
                    part = np.multiply.outer(part, turns(size, step))
                one += part
            types.append((one, count, len(vectors)))
            for _step in range(count):
                more: dict[tuple[int, ...], Fraction] = {}
                for at, mass in exact.items():
                    for vector, chance in zip(vectors, chances, strict=True):
                        place = tuple(a + b for a, b in zip(at, vector, strict=True))
                        more[place] = more.get(place, F(0)) + mass * F(chance)
                exact = more
        start = [int(rng.integers(-5, 3)) for _ in range(sides)]
        found, error = sum_on_box(types, start)
        folded = {at: F(0) for at in np.ndindex(*shape)}
        for at, mass in exact.items():
            folded[tuple((a - first) % size for a, first, size in zip(at, start, shape, strict=True))] += mass
        if any(abs(F(float(found[at])) - mass) > F(error) for at, mass in folded.items()):
            return False
    return True


def test_sums_of_vectors_on_a_box_are_enclosed() -> None:
    assert boxes_are_enclosed(62)


@precise
def test_powers_of_transforms_that_are_off_are_enclosed_however_many_or_small() -> None:
    off = (2 + transforms.PHASE) * UNIT  # by which the transform of one vector of two letters may be off
    for count in (0, 1, 2, 5, 10**6, 10**13, 10**15):
        for value in (0.0, 1e-20, 1e-14, 0.25, 1.0):
            transform = np.array([value], dtype=complex)
            whole, slip = transforms._power((transform, count, 2))
            apart = (arb(value) + arb(off)) ** count - arb(float(whole[0].real))
            assert bool(abs(apart) <= arb(float(slip[0])) * (1 + arb(64 * UNIT)) + arb(TINY))


def test_a_turn_that_is_off_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transforms, "turns", lambda size, step: turns(size, step) * (1 + 1e-13))
    assert not boxes_are_enclosed(62)


def test_whole_powers_are_those_of_each_value() -> None:
    values = np.array([2.0 + 0j, 1j, 0.5])
    assert powers(values, 0).tolist() == [1, 1, 1]
    assert powers(values, 5).tolist() == [32, 1j, 0.03125]
