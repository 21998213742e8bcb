"""Roundings that are met a million times, and those that stand beside a small difference."""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import acb, arb

from dalenius.enclosure import exponents
from dalenius.enclosure.complexes import LOOSE, log1p_complex
from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.numerics import leaveoneout, removals
from dalenius.numerics.families import BinomialFamily, PoissonFamily
from dalenius.numerics.removals import PLACED, Removals
from dalenius.numerics.tilts import TiltedRecords, TiltFrame, corners_of
from numerics.test_last_units import off_by
from oracle import balls

F = Fraction
# where the square of a complex number's absolute value, as the library has it, errs by almost five units
FOUND = (-1.000104544000806 + 4.216752061993955e-05j, -1.000808486537079 - 0.00017251954176001315j)


def near_minus_one(size: float) -> np.ndarray:
    angles = np.random.default_rng(7).uniform(0, 2 * np.pi, 300)
    return np.asarray(-1 + size * np.exp(1j * angles))


@pytest.mark.parametrize("s", [np.array(FOUND), *map(near_minus_one, (0.1, 1e-4, 3e-8))])
@balls.precise
def test_a_logarithm_next_to_zero(s: np.ndarray) -> None:
    values, errors = log1p_complex(s)
    for one, value, error in zip(s.tolist(), values.tolist(), errors.tolist(), strict=True):
        truth = (1 + acb(one.real, one.imag)).log()
        assert error >= LOOSE or balls.upper(abs(truth - acb(value.real, value.imag))) <= F(error)


def test_a_logarithm_next_to_zero_counts_what_may_be_left() -> None:
    """The square of 1 + s is known up to `off`: it may be as much less than it seems."""
    s = near_minus_one(2.5e-8)
    square = 2 * s.real + (s.real**2 + s.imag**2)
    seen, off = 1 + square, UNIT * (np.abs(square) + 2 * np.abs(s) ** 2)
    least = np.where(seen > off, np.log(seen / np.maximum(seen - off, 1e-300)) / 2, np.inf)
    assert (np.where(least < LOOSE, least, 0) <= log1p_complex(s)[1]).all()
    assert (least < LOOSE).any()


@pytest.mark.parametrize("way", [-LIBM, LIBM])
@balls.precise
def test_how_a_person_grows_if_next_to_nothing_is_left(way: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exponents, "math", off_by(way, expm1=math.expm1))
    for theta in np.linspace(-36, -33, 13).tolist():
        for rate in (1 - 8e-16, 1 - 5e-15):
            truth = 1 / (1 + arb(rate) * arb(theta).expm1())
            assert balls.upper(truth) <= F(leaveoneout._growth(theta, rate, 0.0))
    assert 1e290 < leaveoneout._growth(-40.0, 1 - UNIT, 0.0) < math.inf


@pytest.mark.parametrize("way", [-LIBM, LIBM])
@balls.precise
def test_a_tilted_mean_is_between_two_numbers(way: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exponents, "math", off_by(way, expm1=math.expm1))
    for rate, theta in ((1 - 8e-16, -35.0), (0.3, -0.5), (0.75, 7.0), (1e-9, 30.0)):
        low, high = exponents.tilted_mean(rate, theta)
        truth = 1 + arb(rate) * arb(theta).expm1()
        assert F(low) <= balls.lower(truth) and balls.upper(truth) <= F(high)


@balls.precise
def test_a_poisson_law_between_means_that_are_millions_apart() -> None:
    """A count next to one of the means: what it grows by is a small part of one, very often."""
    low, high = 1e10 + 0.3, 1.1e10 + 0.7
    apart = arb(high) - arb(low)
    for more in range(1, 40):
        counts = np.array([math.floor(low) + more, math.floor(high) - more], dtype=float)
        grown = (apart * (arb(counts[0]) / low - 1)).exp(), (apart * (1 - arb(counts[1]) / high)).exp()
        for place, truth in enumerate(grown):
            masses = np.full(2, math.inf), np.full(2, math.inf)
            masses[place][:] = 1e-3
            found = PoissonFamily().largest(counts, (low, high), masses)[place]
            assert balls.upper(truth) * F(1e-3) <= F(found)
            assert found <= 1e-3 * (1 + 1e-8) * float(balls.upper(truth))


@balls.precise
def test_a_binomial_law_between_numbers_that_are_millions_apart() -> None:
    """Nobody among none: the probability is one, which is that among `high`, divided by that of `high` failures."""
    high, counted = 10**8, 0
    for chance in (F(k, 7 * 10**9) for k in range(20, 50)):
        none = float(balls.upper(((1 - balls.ball(chance)).log() * high).exp()))
        masses = (np.array([math.inf]), np.array([math.nextafter(none, 1)]))
        found = BinomialFamily(chance).largest(np.zeros(1), (0, high), masses)
        counted += (float(1 - chance) * high) / high != float(1 - chance)
        assert found[0] == 1.0
        # and one of one: it falls from there on
        most = BinomialFamily(chance).largest(np.ones(1), (high, 2 * high), (np.array([0.1]), np.array([math.inf])))
        with_more = 2 * (1 - balls.ball(chance)) ** high
        assert balls.upper(arb(0.1) * with_more) <= F(float(most[0]))
    assert counted


@pytest.mark.parametrize("apart", [1e-7, 1e-8, 1e-10, 1e-13])
@balls.precise
def test_means_that_are_close(apart: float) -> None:
    family = PoissonFamily()
    for low in np.random.default_rng(1).uniform(1, 100, 40).tolist():
        high = low * (1 + apart)
        rate, one, two = (arb(high) / arb(low)).log(), arb(low), arb(high)
        middle = (one + two) / 2 - (one * two).sqrt()
        assert balls.upper(middle) <= F(float(family.swell(np.ones(1), (low, high))[0]))
        behind = arb(0.5) - (rate / 2).expm1() / rate.expm1()
        assert balls.upper(behind) <= F(family.lag((low, high)))


def inverted(count: int) -> np.ndarray:
    """Ratios that grow, each of which gains about a unit when it is inverted and another in the running product."""
    rng, product, found = np.random.default_rng(5), 1.0, np.zeros(count)
    for step in range(count):
        some = (2 - 1e-5 * (1 + count - step + rng.uniform(0.1, 0.9, 60))).tolist()
        found[step] = max(some, key=lambda one, last=product: F(last * (1 / one)) * F(one))  # type: ignore[misc]
        product *= 1 / float(found[step])
    return found


def test_places_of_removals_are_known_up_to_their_rounding() -> None:
    rng, fine = np.random.default_rng(2), 128
    frame = TiltFrame(0, -rng.uniform(900, 1000, 3), rng.integers(1, 10**9, 3) / 3)
    some: Any = SimpleNamespace(frame=frame, fine=fine)
    points = rng.integers(1, 10**9, (1500, 3)).astype(float)
    first, last = Removals.offsets(some, points)
    exact = [(F(c), F(m)) for c, m in zip(frame.slopes.tolist(), frame.middle.tolist(), strict=True)]
    for point, one, two in zip(points.tolist(), first.tolist(), last.tolist(), strict=True):
        moved = sum((F(r) - m) * c for r, (c, m) in zip(point, exact, strict=True))
        assert math.floor(-moved % 1 * fine) in (one, two)
    few = Removals.offsets(some, frame.middle + rng.uniform(-9, 9, (400, 3)))
    assert (few[0] == few[1]).mean() > 0.99


def test_places_that_are_lost_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """By as much as a sum of so many records is off; then no tilt is even asked for."""
    steps, chances = np.arange(2), np.array([0.5, 0.5])
    for count in (40, 10**13):
        counts = [count, count // 2]
        records = TiltedRecords((steps, steps), (chances, chances), np.array(counts, dtype=float), 2)
        assert records.lost >= 3 * UNIT * sum(counts)
        if count > 40:
            monkeypatch.delattr(removals, "tilts")
        found = Removals.of(records, corners_of(counts, 2), 1, F(1), floor=1e-20)
        assert (found is not None) == (records.lost <= PLACED) == (count == 40)
