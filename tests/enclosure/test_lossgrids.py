"""Sums of privacy losses: enclosed, however they are merged, split and weighed; what is left out is noticed."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from amount import repetitions
from dalenius.enclosure import lossgrids as grids
from enclosure.arrays import RNG, precise

COUNT = repetitions(15, 250)
F = Fraction
Random = np.random.Generator


def pair(rng: Random, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes of two laws, some next to impossible, some of the same loss."""
    p, q = (rng.dirichlet(np.ones(count)) for _ in range(2))
    if rng.integers(2):
        q = q * 10.0 ** rng.uniform(-40, 0, count)
    if rng.integers(2):
        q[: count // 2] = p[: count // 2] * 0.75
    return p, q


def excess(first: list[tuple[arb, arb]], factor: arb) -> arb:
    total = arb(0)
    for p, q in first:
        gap = p - factor * q
        total += gap if gap > 0 else arb(0)
    return total


def products(*pairs: tuple[np.ndarray, np.ndarray]) -> list[tuple[arb, arb]]:
    found = [(arb(1), arb(1))]
    for p, q in pairs:
        found = [(a * arb(x), b * arb(y)) for a, b in found for x, y in zip(p.tolist(), q.tolist(), strict=True)]
    return found


@precise
def lists_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        one, two = pair(rng, int(rng.integers(1, 9))), pair(rng, int(rng.integers(1, 9)))
        if rng.integers(2):  # one loss of both together is epsilon, but for rounding
            two[1][0] = two[0][0] * one[0][0] / one[1][0] * math.exp(-1.0)
        epsilon = F(int(rng.choice([0, 1, 1, 3])))
        truth = excess(products(one, two), arb(int(epsilon)).exp())
        ends = [grids.two_lists((*one, 0.0), (*two, 0.0), epsilon, over=over) for over in (False, True)]
        if not bool(arb(ends[0]) <= truth <= arb(ends[1])):
            return False
    return True


@precise
def placed_is_enclosed(seed: int) -> bool:
    """What is split tells at least as much, what is merged at most as much, but for how far losses may have moved."""
    rng = RNG(seed)
    for _ in range(COUNT):
        p, q = pair(rng, int(rng.integers(1, 30)))
        step = float(10.0 ** rng.uniform(-3, 0))
        exact = products((p, q))
        for place, way in ((grids.split, 1), (grids.merge, -1)):
            at, masses, moved = place(p, q, step)
            drift = arb(grids.loss_drift(p, q) + moved)
            for epsilon in (0.0, 0.7):
                found = arb(0)
                for k, mass in zip(at.tolist(), masses.tolist(), strict=True):
                    gap = arb(k) * arb(step) - arb(epsilon) + way * drift
                    found += arb(mass) * (1 - (-gap).exp()) if gap > 0 else arb(0)
                truth = excess(exact, arb(epsilon).exp())
                if not bool(truth <= found if way > 0 else found <= truth):
                    return False
    return True


@precise
def weighed_is_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        masses, exponents = rng.dirichlet(np.ones(6)), rng.uniform(-400, 400, 6)
        found, log, off = grids.weighed(exponents, masses)
        for value, mass, exponent in zip(found.tolist(), masses.tolist(), exponents.tolist(), strict=True):
            truth = arb(mass) * (arb(exponent) - arb(log)).exp()
            if not bool(abs(arb(value) - truth) <= arb(off) * truth + arb(1e-300)):
                return False
    return True


def added_is_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(max(2, COUNT // 10)):
        at, mass, count = np.sort(rng.integers(-50, 60, 5)), rng.dirichlet(np.ones(5)), int(rng.integers(1, 4))
        first = -50 * count - int(rng.integers(9))
        found, error = grids.added([(at, mass, count)], first)
        exact = {0: F(1)}
        for _step in range(count):
            more: dict[int, Fraction] = {}
            for place, value in exact.items():
                for by, chance in zip(at.tolist(), mass.tolist(), strict=True):
                    more[place + by] = more.get(place + by, F(0)) + value * F(chance)
            exact = more
        places = [(place - first) % grids.GRID for place in exact]
        square = sum((F(float(found[k])) - value) ** 2 for k, value in zip(places, exact.values(), strict=True))
        rest = np.delete(found, places)
        if square + F(float((rest**2).sum())) > F(error) ** 2:
            return False
    return True


@precise
def means_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        tilt, step, first = float(rng.choice([0.0, 0.5, 30.0])), 2.0**-6, int(rng.integers(-60, 60))
        masses = rng.dirichlet(np.ones(40))
        losses = (first + np.arange(40)) * step
        heavy, log, off = grids.weighed(tilt * losses, masses)
        whole = grids.GridSum(grids.Decay.of(tilt, step), first, heavy, log, 0.0, 0.125, 0.0, 0.0, off)
        epsilon = F(int(rng.integers(0, 90)), 64)
        truth = arb("0.125")
        for loss, mass in zip(losses.tolist(), masses.tolist(), strict=True):
            gap = arb(loss) - arb(epsilon.numerator) / epsilon.denominator
            truth += arb(mass) * (1 - (-gap).exp()) if gap > 0 else arb(0)
        low, high = whole.lower(epsilon), whole.upper(epsilon)
        if not bool(arb(low) <= truth <= arb(high)):
            return False
    return True


KERNELS = [lists_are_enclosed, placed_is_enclosed, weighed_is_enclosed, added_is_enclosed, means_are_enclosed]


@pytest.mark.parametrize("enclosed", KERNELS)
def test_losses_are_enclosed(enclosed: Callable[[int], bool]) -> None:
    assert enclosed(95)


@pytest.mark.parametrize("enclosed", KERNELS)
def test_losses_without_their_units_are_found(enclosed: Callable[[int], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UNIT", "TINY"):
        monkeypatch.setattr(grids, name, 0.0)
    monkeypatch.setattr(grids, "up", lambda value: value)
    assert not enclosed(95)


def test_a_polygon_is_that_of_its_pair() -> None:
    rng = RNG(96)
    for _ in range(COUNT):
        x = np.append(1.0, 1.0 + np.sort(rng.uniform(0, 9, 12)))
        y = 0.4 * np.exp(-rng.uniform(0.1, 1) * (x - 1)) * rng.uniform(1, 1.001, 13)
        x, y = grids.convex(x, y)
        p, q, infinite = grids.polygon(x, y)
        for at, value in zip(x.tolist(), y.tolist(), strict=True):
            gaps = (F(a) - F(at) * F(b) for a, b in zip(p.tolist(), q.tolist(), strict=True))
            assert F(value) <= sum((gap for gap in gaps if gap > 0), F(0)) + F(infinite)
