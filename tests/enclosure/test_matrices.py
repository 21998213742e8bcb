"""Long products of turned matrices: enclosed, and noticed if what a step loses is left out."""

import math

import numpy as np
import pytest
from flint import acb, acb_mat, arb

from amount import repetitions
from dalenius.enclosure import matrices
from dalenius.enclosure.matrices import Powers, nearly_rank_one, product_slip
from enclosure.arrays import RNG, precise

COUNT = repetitions(12, 300)
Random = np.random.Generator


def number(value: complex) -> acb:
    return acb(float(value.real), float(value.imag))


def exactly(matrix: np.ndarray) -> acb_mat:
    return acb_mat([[number(value) for value in row] for row in matrix])


def norm(matrix: acb_mat) -> arb:
    return max(sum((abs(matrix[i, j]) for j in range(matrix.ncols())), arb(0)) for i in range(matrix.nrows()))


def moves(rng: Random, states: int) -> np.ndarray:
    """Rows that sum to about one, some entries next to nothing."""
    found = rng.dirichlet(np.ones(states), states)
    return np.where(rng.uniform(size=found.shape) < 0.2, 10.0 ** rng.uniform(-200, -5, found.shape), found)


@precise
def products_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        states, steps = int(rng.integers(1, 5)), int(rng.choice([1, 2, 17, 64]))
        plain, turns = moves(rng, states), np.exp(1j * rng.uniform(0, 2 * math.pi, states))
        turned = plain * turns
        first, last = rng.uniform(0, 1, states), rng.uniform(0, 1, states)
        row, level = first.astype(complex), first
        power, exact = Powers.of(turned[None], 0.0), exactly(turned)
        done = exactly(turned)
        for step in range(steps):
            row, level = row @ turned, level @ plain
            if step:
                power, done = power.times(Powers.of(turned[None], 0.0)), done * exact
        truth = (acb_mat([[number(x) for x in first]]) * done * acb_mat([[number(x)] for x in last]))[0, 0]
        slip = float(product_slip(steps + 1, 0.0, states))
        if not bool(abs(truth - number(row @ last)) <= arb(slip) * arb(float(level @ last)) + arb(1e-300)):
            return False
        off = norm(done - exactly(power.matrices[0]))
        if not (
            bool(off <= arb(float(power.errors[0])) + arb(1e-280)) and bool(norm(done) <= arb(float(power.most[0])))
        ):
            return False
    return True


def test_products_of_turned_matrices_are_enclosed_however_long() -> None:
    assert products_are_enclosed(81)


def test_products_that_are_thought_to_be_exact_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "UNIT", 0.0)
    assert not products_are_enclosed(81)


@precise
def test_the_largest_split_bounds_every_split() -> None:
    rng = RNG(82)
    for _ in range(COUNT):
        states, pieces = int(rng.integers(1, 4)), int(rng.integers(0, 7))
        turned = moves(rng, states) * np.exp(1j * rng.uniform(0, 2 * math.pi, states))
        found = float(Powers.of(turned[None], 1e-12).largest_split(pieces)[0])
        powers = [exactly(np.eye(states))]
        for _step in range(max(pieces, 0)):
            powers.append(powers[-1] * exactly(turned))
        for j in range(pieces + 1):
            assert bool(norm(powers[j]) * norm(powers[pieces - j]) <= arb(found))


@precise
def blocks_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        rows, columns = (int(rng.integers(1, 5)) for _ in range(2))
        block = np.outer(rng.uniform(0, 1, rows), np.exp(1j * rng.uniform(0, 6, columns))) * rng.uniform(0, 1, columns)
        block = block + 10.0 ** rng.uniform(-18, -1) * rng.normal(size=block.shape)
        x, y, rest = nearly_rank_one(block[None], np.abs(block)[None], np.zeros(1))
        for i in range(rows):
            for j in range(columns):
                left = abs(number(block[i, j]) - number(x[0, i]) * number(y[0, j]))
                if not bool(left <= arb(float(rest[0, i, j]))):
                    return False
    return True


def test_blocks_of_rank_nearly_one_are_enclosed() -> None:
    assert blocks_are_enclosed(83)


def test_blocks_without_their_rest_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "UNIT", 0.0)
    monkeypatch.setattr(matrices, "SUNK", 0.0)
    assert not blocks_are_enclosed(83)


@precise
def test_logarithms_scales_and_growth_are_enclosed() -> None:
    rng = RNG(84)
    for _ in range(6 * COUNT):
        count = int(rng.integers(1, 9))
        wholes = 10.0 ** rng.uniform(-280, 3, count)
        lengths, counts = rng.integers(0, 10**6, count).astype(float), rng.integers(1, 99, count).astype(float)
        scale = float(rng.uniform(0.5, 2))
        found = matrices.logs_of_products(wholes, lengths, counts, math.log(scale))
        truth = arb(0)
        for whole, length, often in zip(wholes.tolist(), lengths.tolist(), counts.tolist(), strict=True):
            truth += arb(often) * (arb(length) * arb(scale).log() + arb(whole).log())
        assert bool(abs(truth - arb(float(found.middle))) <= arb(float(found.radius)))
        steps, begin = int(rng.integers(1, 10**6)), float(10.0 ** rng.uniform(-200, 200))
        truth = steps * arb(scale).log() + arb(begin).log()
        bound = matrices.log_growth(steps, scale, begin, 0.0, 1)
        assert bool(truth <= arb(bound))
        assert bool(truth + arb(begin) <= arb(matrices.sum_up_logs(bound, begin, 0.0)))
        theta, beside = float(rng.normal()), float(rng.uniform(-400, 400))
        place = round((steps * math.log(scale) + beside) / (theta or 1.0))
        places = place + np.arange(-3, 4)
        values, relative = matrices.chain_scale(steps, math.log(scale), beside, theta, places, int(abs(places).max()))
        for k, value in zip(places.tolist(), values.tolist(), strict=True):
            exact = (steps * arb(scale).log() + arb(beside) - arb(theta) * k).exp()
            assert bool(abs(exact - arb(value)) <= arb(relative) * exact)


@precise
def test_quotients_of_products_and_sums_over_frequencies_are_enclosed() -> None:
    rng = RNG(85)
    for _ in range(COUNT):
        slip = float(rng.choice([1e-15, 1e-9, 1e-3]))
        whole, part = float(rng.uniform(0.1, 1)), complex(rng.uniform(-1, 1), rng.uniform(-1, 1))
        part = part / abs(part) * whole * float(rng.uniform(0, 1))
        found, allowed = part / whole, float(matrices.quotient_slips(np.array([slip]))[0])
        for way in (-1, 1):
            truth = (number(part) + way * arb(slip) * arb(whole)) / (arb(whole) * (1 - way * arb(slip) * arb("0.999")))
            assert bool(abs(truth - number(found)) <= arb(allowed) * (1 + 3 * arb(slip)))
        length = int(rng.integers(20, 10**4))
        kept = np.arange(int(rng.integers(1, 60)))
        values = rng.normal(size=len(kept)) + 1j * rng.normal(size=len(kept))
        k = int(rng.integers(0, 10**6))
        angles = (2 * math.pi / length) * ((kept * (k % length)) % length)
        mass = float(np.hstack([values.real, values.imag]) @ np.concatenate([np.cos(angles), np.sin(angles)]))
        truth = arb(0)
        for f, value in zip(kept.tolist(), values.tolist(), strict=True):
            truth += (number(value) * (acb(0, -2) * arb.pi() * f * k / length).exp()).real
        assert bool(abs(truth - arb(mass)) <= arb(matrices.inverse_slip(len(kept)) * float(np.abs(values).sum())))
