"""Means, windows, zeros of waves and influences: what they lose in floats, met or planted, and made up for."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb

from dalenius.enclosure import normal
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import UNIT
from dalenius.numerics import (
    chainsides,
    chaintilt,
    histograms,
    irwin_hall,
    leaveoneout,
    pure,
)
from dalenius.numerics import range_variance as rv
from dalenius.numerics.cells import _Comparison
from dalenius.numerics.chain import MarkovChain
from dalenius.numerics.curve import Constant
from dalenius.numerics.dependent_moments import GraphMoments
from dalenius.numerics.gaussian import GaussianCurve, rounded_normal
from dalenius.numerics.histograms import Multinomial
from dalenius.numerics.labels import Labels
from dalenius.numerics.law import Law
from dalenius.numerics.mixing import Mixing
from dalenius.numerics.moments import MomentCurve
from dalenius.numerics.pure import ResponseCurve
from dalenius.numerics.resonance import Tilted
from dalenius.numerics.runs import Runs
from dalenius.numerics.sized import SizedCell
from numerics.test_last_units import GAINS, LOSES, NOTHING, TERMS, summed
from numerics.test_planted_uniform import planted
from oracle import balls

F = Fraction
SEEDS = range(12)


# -- waves --------------------------------------------------------------------------------------------------------


def tilted(step: int, kappa: float, share: float = 1.0) -> Tilted:
    one = Runs.of([(0, step, 9, F(1))])
    return Tilted(one, 0.0, np.ones(1), np.full(1, kappa), np.ones(1), share, 0.0)


@balls.precise
def test_a_zero_that_is_lost_in_rounding_is_a_zero() -> None:
    """Half a step times the lower end comes out above a multiple of π that it is below."""
    counted = 0
    for turn in range(10**6, 10**6 + 400):
        low = turn * math.pi / 1.5
        exact = balls.ball(F(low) * F(3, 2)) - turn * arb.pi()
        if exact < 0 < low * 1.5 - turn * math.pi or (exact < 0 and math.floor(low * 1.5 / math.pi) == turn):
            counted += 1
            found = tilted(3, 1e-12).incoherent(np.array([low]), np.array([low + 1e-6]))
            assert found[0] >= 1
    assert counted > 20


def test_a_size_counts_what_it_may_be_off_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Runs, "grown", lambda *_: (np.array([-0.75 + 0j, 0j]), np.array([0.25, 0.0625])))
    assert tilted(1, 1.0).sizes(np.ones(1))[0] >= (0.25 + 0.25) / (1 - 0.0625)


# -- tails and means ----------------------------------------------------------------------------------------------


def test_a_bound_from_tilts_is_never_nothing() -> None:
    assert rv._beyond(1.0, 2.0, 1e9, 1.0, 1.0, 1.0) > 0


def test_a_normal_curve_and_what_is_added_are_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GaussianCurve, "delta", lambda *_: Bracket(0.0, 0.25))
    stated = type("Stated", (), {"variance": F(1), "distance": 0.1 * UNIT})()
    found = MomentCurve(stated, F(1), 1).delta(F(0)).upper
    assert F(found) >= F(1, 4) + 2 * F(0.1 * UNIT)


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_a_distance_of_dependent_records_is_rounded_up(seed: int) -> None:
    third, fourth = (F(int(value), 7) for value in np.random.default_rng(seed).integers(10**6, 2 * 10**6, 2))
    fourth *= 4
    variance, degree = F(10**5, 3), 3
    ours = GraphMoments(10**6, degree, variance, third, fourth).wasserstein
    root = balls.ball(variance).sqrt()
    first = degree**2 * balls.ball(third) / root**3
    truth = first + (8 * degree**3 / arb.pi() * balls.ball(fourth)).sqrt() / balls.ball(variance)
    assert balls.upper(truth) <= F(ours) <= balls.lower(truth) * (1 + F(1, 10**12))


def test_a_response_at_a_large_epsilon_is_rounded_up() -> None:
    low = pure.exponential(F(701))[0]
    for seed in SEEDS:
        rest = F(int(np.random.default_rng(seed).integers(1, 10**9)), 10**9) / 2 / F(low)
        found = ResponseCurve(1 - rest, 1 - rest).delta(F(701)).upper
        assert 1 - rest - F(low) * rest <= F(found)


def test_a_mean_over_blocks_is_rounded_up() -> None:
    """The sum of the masses of a block, its product and what is added to it may each lose half a unit."""
    rng = np.random.default_rng(4)
    for _ in range(500):
        mass, (delta, tail) = rng.uniform(0.1, 0.15, 5), rng.uniform(0.1, 0.9, 2).tolist()
        mixed = Mixing(Law(0, mass, 0 * mass, tail / 8), lambda _, d=delta: Constant(d), budget=1)
        assert summed(mass) * F(delta) + F(tail / 8) <= F(mixed.delta(F(1)).upper)


# -- histograms and cells -----------------------------------------------------------------------------------------


def test_outputs_of_histograms_are_added_up_with_room() -> None:
    places = np.zeros(TERMS, dtype=np.int64)
    rows = np.zeros((TERMS, 1), dtype=np.int64)
    least, most = Multinomial(rows, GAINS, LOSES, 0.0).joint(places, places, 1)
    assert F(float(least[0, 0, 0])) <= summed(GAINS)
    assert summed(LOSES) <= F(float(most[0, 0, 0]))


@balls.precise
def test_counts_that_are_left_out_are_as_rare_as_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mass to leave out for which the reach is a whole number, but for a hair."""
    total, half = 10**9, F(1, 2)
    for reach in range(60_000, 60_060):
        exponent = reach**2 / (2 * (total / 4 + reach / 3))
        monkeypatch.setattr(histograms, "LEFT_OUT", 4 * math.exp(-exponent))
        ends, missing = histograms.near([half, half], total)
        beyond = arb(total // 2 - ends[0][0] + 1)
        rare = 4 * (-(beyond**2) / (2 * (arb(total) / 4 + beyond / 3))).exp()
        assert balls.upper(rare) <= F(missing)
        assert ends[0][0] > total // 2 - reach - 4


def test_a_cell_of_unknown_size_counts_what_its_sums_lose() -> None:
    row = np.zeros((2, 1, TERMS))
    row[0, 0] = LOSES
    assert summed(LOSES) <= F(SizedCell(row, row, 0.0).directed(F(0), 0).upper)
    gains = np.zeros((2, 1, TERMS))
    gains[0, 0] = GAINS
    assert F(SizedCell(gains, gains, 0.0).directed(F(0), 0).lower) <= summed(GAINS)


# -- influences ---------------------------------------------------------------------------------------------------


# -- what was left ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [LOSES, GAINS])
def test_labels_that_only_one_world_has_are_added_up_with_room(values: np.ndarray) -> None:
    rows = np.array([[values, np.zeros(TERMS)]])
    many = Labels(rows, rows, np.zeros((2, TERMS)), np.zeros((2, TERMS)), 0.0, 0.0)
    assert F(_Comparison(many, NOTHING, 0, (math.inf, math.inf))._lower(0, 0)) <= summed(values)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_window_of_cells_leaves_out_is_rounded_up(seed: int) -> None:
    mass = np.sort(np.random.default_rng(seed).uniform(0.01, 0.02, 60))
    found = chainsides.SideCells.of(Law(0, mass, 0 * mass), 2)
    assert found is not None
    assert summed(mass[:6]) + summed(mass[54:]) <= F(found.outside)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("seed", SEEDS)
def test_sums_of_sides_are_rounded_outwards(seed: int, sign: int) -> None:
    left, right, mass = np.random.default_rng(seed).uniform(0.1, 1, (3, 4))
    found = chainsides._sums(left[None, :], right[None, :], Law(0, mass, 0 * mass), sign)[0]
    exact = [F(0)] * len(found)
    for a, b, c in product(range(4), repeat=3):
        exact[a + b + c] += F(float(left[a])) * F(float(right[b])) * F(float(mass[c]))
    assert all(sign * truth <= sign * F(float(value)) for truth, value in zip(exact, found, strict=True))


def test_stretches_beside_a_chain_are_added_with_room(monkeypatch: pytest.MonkeyPatch) -> None:
    moves = ((F(2, 3), F(1, 3)), (F(1, 5), F(4, 5)))
    plain = MarkovChain(moves[0], moves, (0, 1), 3)
    alone = F(chaintilt.bound(plain, 0.25))
    for more in np.random.default_rng(6).uniform(1e6, 2e6, 12).tolist():
        monkeypatch.setattr(chaintilt, "tilted", lambda *_, m=more: SimpleNamespace(log_beside=m, off=0.0))
        assert alone + F(more) <= F(chaintilt.bound(replace(plain, beside=((plain, 1),)), 0.25))


def test_narrow_noise_may_reach_further_than_floats_tell() -> None:
    noise = rounded_normal(F(1, 1024))
    assert (noise.mass > 0).sum() == 1
    assert (noise.error > 0).all()


@balls.precise
def test_masses_of_wide_noise_are_off_by_their_units() -> None:
    tau = 999_983.0
    places = np.arange(1.0, 9e6, 450_007.0)
    masses, errors = normal.wide_cells(places, tau)
    for m, mass, error in zip(places.tolist(), masses.tolist(), errors.tolist(), strict=True):
        root = arb(2).sqrt() * arb(tau)
        truth = (((arb(m) - arb("0.5")) / root).erfc() - ((arb(m) + arb("0.5")) / root).erfc()) / 2
        assert balls.upper(abs(arb(mass) - truth)) <= F(error) <= F(mass) / 10**12


def test_a_sum_of_uniform_numbers_may_be_lost_below_all_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, {"ahead": 0.0, "behind": 5e-324, "here": 0.0})
    assert irwin_hall._enclosed(2, F(1, 2), F(0)).upper >= 1e-310


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_how_a_person_grows_under_a_tilt_counts_what_cancels(seed: int) -> None:
    rate = 1 - float(np.random.default_rng(seed).uniform(1e-11, 1e-10))
    grown = 1 + arb(rate) * arb(-30).expm1()
    assert balls.upper(1 / grown) <= F(leaveoneout._growth(-30.0, rate, 0.0))
