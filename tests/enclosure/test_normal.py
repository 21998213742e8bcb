"""The normal law and rows of binomials: enclosed at every size, and noticed if what a step loses is left out."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb

from amount import repetitions
from dalenius.enclosure import normal, rows
from dalenius.enclosure.balls import Balls
from enclosure.arrays import RNG, precise

COUNT = repetitions(30, 700)
F = Fraction


def tail(z: arb) -> arb:
    return (z / arb(2).sqrt()).erfc() / 2


def held(balls: Balls, place: int, truth: arb) -> bool:
    return bool(abs(truth - arb(float(balls.middle[place]))) <= arb(float(balls.radius[place])))


@precise
def cells_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        r = float(10.0 ** rng.uniform(-3, 2))
        shift = float(rng.choice([-1, 1])) * r / 2
        start, step = float(rng.uniform(-30, 10)) * r, float(10.0 ** rng.uniform(-6, 0.5)) * r
        edges = start + np.arange(8.0) * step
        found = normal.cells(edges, r, shift)
        z = [arb(edge) / arb(r) + arb(shift) for edge in edges.tolist()]
        truths = [tail(-z[0]), *(tail(a) - tail(b) for a, b in pairwise(z)), tail(z[-1])]
        if not all(held(found, place, truth) for place, truth in enumerate(truths)):
            return False
    return True


@precise
def units_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT // 3):
        tau = float(10.0 ** rng.uniform(-3, 6))
        cut = min(math.ceil(13.7 * tau), 10**5)
        found = normal.rounded_cells(cut, tau, 0.0)
        for m in {0, 1, cut, int(rng.integers(cut + 1))}:
            low, high = ((arb(m) + arb(side) / 2) / arb(tau) for side in (-1, 1))
            if not held(found, m, tail(low) - tail(high)):
                return False
    return True


@precise
def profiles_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(6 * COUNT):
        epsilon = F(int(rng.integers(0, 3000)), 100)
        r = F(int(rng.integers(1, 10**6)), int(10 ** rng.integers(4, 7)))
        a, b = epsilon / r - r / 2, epsilon / r + r / 2
        if -26 < a < 37:
            low, high = normal.profile(float(a), float(b))
            one, two, e = (arb(x.numerator) / x.denominator for x in (a, b, epsilon))
            if not bool(arb(low) <= tail(one) - e.exp() * tail(two) <= arb(high)):
                return False
    return True


KERNELS = [cells_are_enclosed, units_are_enclosed, profiles_are_enclosed]


@pytest.mark.parametrize("enclosed", KERNELS)
def test_the_normal_law_is_enclosed(enclosed):
    assert enclosed(71)


@pytest.mark.parametrize("enclosed", KERNELS)
def test_an_error_function_that_is_off_is_found(enclosed, monkeypatch):
    right = normal.erfcx
    monkeypatch.setattr(normal, "erfcx", lambda x: right(x) * (1 + 1e-11))
    assert not enclosed(71)


@pytest.mark.parametrize("enclosed", KERNELS[1:])
def test_a_normal_law_that_is_thought_to_be_exact_is_found(enclosed, monkeypatch):
    for name in ("UNIT", "TINY"):
        monkeypatch.setattr(normal, name, 0.0)
    assert not enclosed(71)


# -- rows -------------------------------------------------------------------------------------------------------------


def binomial(m: int, odds: Fraction) -> list[Fraction]:
    return [math.comb(m, k) * odds**k / (1 + odds) ** m for k in range(m + 1)]


def moved_by_one(masses: list[Fraction], factor: Fraction) -> Fraction:
    """In fractions, for a factor that is one."""
    ways = (masses, masses[::-1])
    return max(sum(max(F(0), b - factor * a) for a, b in zip([F(0), *row], [*row, F(0)], strict=True)) for row in ways)


def rows_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        counts = rng.integers(1, 60, 3).astype(float)
        odds = 10.0 ** rng.uniform(-2, 2, 3)
        half = int(rng.integers(3, 40))
        found = rows.binomial_rows(counts, odds, odds / (1 + odds), half)
        factor = float(rng.choice([1.0, 1.5, 3.0]))
        above = rows.rise(np.pad(found.mass, ((0, 0), (1, 1))), found.slip, factor) + found.lost
        below = rows.rise_below(found.mass, found.slip, factor)
        base = int(rng.integers(1, 6))
        for row in range(3):
            exact = binomial(int(counts[row]), F(odds[row]))
            start, slip = int(found.start[row]), F(float(found.slip[row])) if found.slip[row] < math.inf else None
            seen = [exact[k] if 0 <= k < len(exact) else F(0) for k in range(start, start + found.width)]
            if slip is None:
                continue
            for mass, truth in zip(found.mass[row].tolist(), seen, strict=True):
                if abs(F(mass) - truth) > slip * truth + F(1, 10**300):
                    return False
            truth = moved_by_one(exact, F(factor))
            if not (
                1 - sum(seen) <= F(float(found.lost[row])) and F(float(below[row])) <= truth <= F(float(above[row]))
            ):
                return False
            bins = rows.binned(found.mass[[row]], 1, base)[0]
            sums = [F(0)] * len(bins)
            for place, value in enumerate(seen):
                sums[(place + 1) // base] += value
            room = slip + (base + 4) * F(1, 2**53)
            if any(abs(F(x) - y) > room * y + F(1, 10**299) for x, y in zip(bins.tolist(), sums, strict=True)):
                return False
    return True


def test_rows_of_binomials_are_enclosed():
    assert rows_are_enclosed(72)


def test_rows_without_their_units_are_found(monkeypatch):
    monkeypatch.setattr(rows, "UNIT", 1e-30)
    assert not rows_are_enclosed(72)


@precise
def test_rows_with_noise_are_enclosed():
    rng = RNG(73)
    for _ in range(COUNT // 3):
        count, odds, scale = int(rng.integers(1, 30)), float(10.0 ** rng.uniform(-1, 1)), float(rng.uniform(0.3, 4))
        block = rows.binomial_rows(np.array([float(count)]), np.array([odds]), np.array([odds / (1 + odds)]), 40)
        more, exact = math.ceil(40 * scale) + 1, binomial(count, F(odds))
        smooth = rows.with_geometric(block, scale, more)
        x = (-1 / arb(scale)).exp()
        start = int(smooth.start[0])
        for place in range(0, smooth.width, 7):
            truth = arb(0)
            for k, mass in enumerate(exact):
                truth += arb(mass.numerator) / mass.denominator * x ** abs(start + place - k)
            truth *= (1 - x) / (1 + x)
            off = abs(truth - arb(float(smooth.mass[0, place])))
            # what is outside of the window before the noise is in `lost`
            assert bool(off <= arb(float(smooth.slip[0])) * truth + arb(float(smooth.lost[0])))
        noise = Balls.within(np.array([0.25, 0.5, 0.25]), np.array([0.0, 1e-9, 1e-3]))
        found = rows.noisy_rise(block, noise, 1e-6, 1.0)[0]
        for way in (-1, 1):
            chances = [F(m) + way * F(r) for m, r in zip(noise.middle.tolist(), noise.radius.tolist(), strict=True)]
            summed = [F(0)] * (count + 3)
            for k, mass in enumerate(exact):
                for j, chance in enumerate(chances):
                    summed[k + j] += mass * chance
            assert moved_by_one(summed, F(1)) <= F(float(found))
    first, kept, lost = rows.trimmed(Balls.within(np.array([0.1, 0.5, 0.4, 0.0]), 0.01), 0.2)
    assert (first, len(kept)) == (1, 2)
    assert lost >= 0.12
