"""Rungs of ladders, narrow and wide: what turning, scaling and exponentials lose, met and made up for."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import acb, arb

from dalenius.enclosure.floats import UNIT
from dalenius.numerics import charfun
from dalenius.numerics.charfun import PUSHES, LatticeWindow
from dalenius.numerics.cumulant import Far
from dalenius.numerics.wide import WideLaw, WideRung, _spectrum
from numerics.test_planted_margins import Nothing
from oracle import balls

F = Fraction
SEEDS = range(12)


def window(centre: int = 0) -> LatticeWindow:
    return LatticeWindow(0.0, centre, 1.0, 0, 0, 20, 2, 0.0, 1.0)


# -- spectra ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_a_bound_of_what_is_not_known_is_rounded_up(seed: int) -> None:
    """A cumulant function of which only the real part is bounded, seen from a large one at zero."""
    base, value = np.random.default_rng(seed).uniform(1e6, 1e6 + 3, 2).tolist()
    base, value = max(base, value), min(base, value)
    values = np.full(PUSHES + 1, complex(base))
    values[-1] = value
    errors = np.zeros(PUSHES + 1)
    errors[-1] = 1.0
    truth = (arb(value) - arb(base)).exp()
    rung = charfun._rung(Nothing(), window(), Far(values, errors, 0.0))
    assert balls.upper(truth) <= F(float(rung.spectrum_error[0])) <= balls.lower(truth) * (1 + F(1, 10**8))
    _, slip = _spectrum(window(), np.zeros(1), base, values[-1:], errors[-1:])
    assert 2 * balls.upper(truth) <= F(slip)


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_a_value_that_is_turned_far_is_off_by_the_units_of_its_angle(seed: int) -> None:
    rng, centre = np.random.default_rng(seed), 10**9 + 7
    t, base = float(rng.uniform(0.1, 0.2)), float(rng.uniform(1e6, 2e6))
    value = complex(base - rng.uniform(0, 1), rng.uniform(1e8, 2e8))
    (found,), slip = _spectrum(window(centre), np.array([t]), base, np.array([value]), np.zeros(1))
    truth = acb(arb(value.real) - arb(base), arb(value.imag) - arb(t) * centre).exp()
    assert 2 * balls.upper(abs(truth - acb(found.real, found.imag))) <= F(slip) <= F(1, 10**5)


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_the_error_of_a_spectrum_is_rounded_up(seed: int) -> None:
    real, error = np.random.default_rng(seed).uniform(-0.4, -0.2, 2).tolist()
    (found,), slip = _spectrum(window(), np.zeros(1), 0.0, np.array([complex(real)]), np.array([-error]))
    turned = 2 * UNIT * (abs(real) + 20)
    truth = arb(found.real) * ((arb(-error) + arb(turned)).exp() - 1)
    assert 2 * balls.upper(truth) <= F(slip)


# -- rungs of wide laws -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("far", [False, True])
@balls.precise
def test_a_scale_is_off_by_no_more_than_stated(far: bool) -> None:
    rng, worst = np.random.default_rng(5), F(0)
    for _ in range(40):
        theta = float(rng.uniform(1, 2)) if far else 0.0
        place = int(rng.integers(1, 10**9)) if far else 1
        cumulant = theta * place + float(rng.uniform(-1, 1) if far else rng.uniform(0, 1e-3))
        one = WideRung(theta, cumulant, 0, 4, 4, (np.zeros(1, dtype=complex),) * 2, (0.0, 0.0))
        (scale,), relative = one.scale(np.array([place]))
        truth = (arb(cumulant) - arb(theta) * place).exp()
        worst = max(worst, off := balls.upper(abs(arb(float(scale)) / truth - 1)))
        assert off <= F(relative)
    assert worst > (100 if far else F(1, 10)) * F(UNIT)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_value_is_off_by_its_scale_and_a_product(seed: int) -> None:
    value, scale, relative = np.random.default_rng(seed).uniform(0.1, 0.2, 3).tolist()
    for off in (0.0, relative):
        one = SimpleNamespace(
            theta=0.0,
            values=lambda *_: (np.full(2, value), np.zeros(2)),
            scale=lambda _, off=off: (np.full(2, scale), off),
            error=lambda _: 0.0,
            bound=lambda *_: 0.0,
        )
        law = WideLaw((one,), 0, 1, 4, np.zeros(1, dtype=np.int64), 0.0, None)  # type: ignore[arg-type]
        found = law._within(one, np.zeros(1, dtype=np.int64), 0)  # type: ignore[arg-type]
        for sign in (-1, 1):
            truth = F(value) * F(scale) * (1 + sign * F(off))
            assert abs(F(float(found[0, 0])) - truth) <= F(float(found[2, 0]))


def test_a_slope_that_is_lost_in_rounding_is_none() -> None:
    """A function known to the last digit whose slope is θ times its value, as a float; it is tilted back by θ."""
    for seed in SEEDS:
        theta, value = np.random.default_rng(seed).uniform(0.1, 0.2, 2).tolist()
        one = SimpleNamespace(
            theta=theta,
            values=lambda *_, v=value, s=theta * value: (np.full(2, v), np.full(2, s)),
            slip=lambda *_: 0.0,
            bound=lambda _, order, v=value, s=theta * value: (v, s, 0.0, 0.0)[order],
        )
        law = WideLaw((one,), 0, 1, 4, np.zeros(1, dtype=np.int64), 0.0, None)  # type: ignore[arg-type]
        rises, falls = law.slopes()
        assert not rises[0] and not falls[0]
