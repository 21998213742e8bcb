"""Errors and tails go with the numbers that they belong to, wherever a law is moved, cut, mixed or inverted."""

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dalenius.enclosure import complexes
from dalenius.enclosure import rows as kernels
from dalenius.enclosure.floats import UNIT
from dalenius.numerics import cumulant, trade, wide, widecurve, worlds
from dalenius.numerics.cells import _Comparison
from dalenius.numerics.chainsides import SURE, SideCells
from dalenius.numerics.convolve import convolve
from dalenius.numerics.cumulant import TypeSum
from dalenius.numerics.histograms import Multinomial
from dalenius.numerics.labels import Labels
from dalenius.numerics.law import Law
from dalenius.numerics.many_binomials import Binomials
from dalenius.numerics.outcomes import Outcomes, fractions
from dalenius.numerics.removals import Removals
from dalenius.numerics.resonance import Spare
from dalenius.numerics.sized import SizedCell
from dalenius.numerics.tilts import Tilt
from dalenius.numerics.wide import Smooth
from dalenius.numerics.widecurve import WideShifts, _Losses
from dalenius.numerics.withoutreplacement import spread
from dalenius.numerics.yesno import RateSum

F = Fraction
LAW = Law(3, np.array([0.5, 0.25, 0.125]), np.array([0.05, 0.05, 0.01]), 0.0625)


# -- laws -------------------------------------------------------------------------------------------------------------


def test_a_law_that_is_moved_or_turned_keeps_its_errors() -> None:
    moved, turned = LAW.shifted(4), LAW.mirrored()
    assert (moved.start, moved.error.tolist(), moved.tail) == (7, LAW.error.tolist(), LAW.tail)
    assert (turned.start, turned.mass.tolist(), turned.tail) == (-5, [0.125, 0.25, 0.5], LAW.tail)
    assert turned.error.tolist() == [0.01, 0.05, 0.05]
    assert LAW.relative == 0.2


def test_either_law_of_a_sum_brings_its_errors() -> None:
    sure = Law(0, np.array([1.0]), np.zeros(1))
    for found in (convolve(LAW, sure), convolve(sure, LAW)):
        assert (found.error >= LAW.error + LAW.tail).all()
        assert found.tail >= LAW.tail


# -- exact laws, beyond the largest exponential -----------------------------------------------------------------------


@pytest.mark.parametrize("parts", [3, 5, 7, 11, 13])
def test_what_only_one_law_says_is_rounded_outwards(parts: int) -> None:
    for part in range(1, parts):
        first = Outcomes(fractions([F(part, parts), 1 - F(part, parts)]))
        found = first.delta(Outcomes(fractions([F(0), F(1)])), F(800))
        assert F(found.lower) <= F(part, parts) <= F(found.upper)
        assert found.width <= 2.0**-52


# -- a chain beside a target ------------------------------------------------------------------------------------------


def test_cells_are_as_wide_as_the_masses_are_unsure() -> None:
    """Masses off by 1 ± d: slopes of their logarithm by up to 2d, bends by up to 4d, and masses by d."""
    mass = np.array([math.comb(200, k) / 2.0**200 for k in range(201)])
    d = SURE / 2
    plain, unsure = (SideCells.of(Law(0, mass, error), 2) for error in (0 * mass, d * mass))
    assert plain is not None and unsure is not None
    assert (unsure.half >= plain.half + 2 * d).all()
    assert (unsure.bend >= plain.bend + 4 * d).all()
    assert (unsure.mass >= plain.mass * (1 + d / 2)).all()
    assert unsure.outside >= plain.outside * (1 + d / 2)
    for odd in (0, 1):  # every second mass is off: each quotient by that one
        mixed = SideCells.of(Law(0, mass, np.where(np.arange(201) % 2 == odd, d, 0.0) * mass), 2)
        assert mixed is not None
        assert (mixed.theta + mixed.half >= plain.theta + plain.half + d).all()
        assert (mixed.theta - mixed.half <= plain.theta - plain.half - d).all()


# -- characteristic functions -----------------------------------------------------------------------------------------


def test_the_logarithm_of_an_unsure_number_is_off_by_more_than_its_quotient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number within 0.4 of 1 may be 0.6, whose logarithm is -0.51."""
    monkeypatch.setattr(cumulant, "transformed", lambda *_: (np.ones(9, dtype=complex), 0.4))
    total = TypeSum.of(np.array([0, 1]), np.full((1, 2), 0.5), np.array([1]))
    assert (total.far(0.0, 16, 0, 9, 0.0).errors >= -math.log(0.6)).all()


def test_an_error_passes_through_a_logarithm_by_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 + v/2 within 0.15 of 0.55; and both of 1 + v within 0.15 of one half, a twentieth of the difference."""
    monkeypatch.setattr(complexes, "expm1_complex", lambda *_: (np.full(1, -0.9 + 0j), np.full(1, 0.3)))
    (error,) = RateSum.of(np.array([0.5]), order=1).at(np.array([-2.0]), np.zeros(1))[1]
    assert error >= math.log(0.55 / 0.4)
    monkeypatch.setattr(complexes, "expm1_complex", lambda *_: (np.full(1, -0.5 + 0j), np.full(1, 0.15)))
    rung: Any = SimpleNamespace(t=np.zeros(1), theta=0.0, push=0.0)
    assert trade._exponential(rung, 1.0, 1.0, 0.05).slip[0] >= 0.05 * 2 * 0.15 / 0.35


@pytest.mark.parametrize("seed", range(8))
def test_how_fast_a_spectrum_falls_is_rounded_down(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 1.0, 9)
    chances = weights / weights.sum()
    exact = [F(chance) for chance in chances.tolist()]
    truth = 1000 * sum(a * b for a, b in itertools.pairwise(exact)) / sum(exact) ** 2
    found = TypeSum.of(np.arange(9), chances[None, :], np.array([1000])).decay(0.0)
    assert truth * (1 - F(1, 10**8)) <= F(found) <= truth


# -- noise on many binomials ------------------------------------------------------------------------------------------


def test_noise_that_is_unsure_may_be_less(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(kernels, "rise", lambda *given: seen.append(given) or np.zeros(1))
    noise = Law(-1, np.array([0.25, 0.5, 0.25]), np.array([0.05, 0.1, 0.05]))
    many = Binomials(np.array([10]), np.array([1.0]))
    many.noisy(F(1), noise)
    ((_, block),) = many._blocks(3)
    (above, _, _, below) = seen[0]
    for found, chances, sign in ((above, noise.mass + noise.error, 1), (below, noise.mass - noise.error, -1)):
        truth = np.convolve(block.mass[0], chances)
        assert (sign * (found[0, 1 : 1 + len(truth)] - truth) >= -1e-15).all()


def test_what_is_cut_off_a_law_counts_with_its_errors() -> None:
    law = Law(0, np.array([0.01, 0.5, 0.49, 0.01]), np.array([0.02, 0.0, 0.0, 0.03]), 0.125)
    assert kernels.trimmed(law.balls, 0.1)[2] >= 0.07


# -- removals ---------------------------------------------------------------------------------------------------------


def test_places_at_a_border_are_looked_at_on_both_sides() -> None:
    frame = SimpleNamespace(moved=lambda points: points, middle=0.0, rounding=lambda _: 2e-9)
    here: Any = SimpleNamespace(frame=frame, fine=8)
    first, last = Removals.offsets(here, np.array([0.0, 1e-9, 0.25, 0.25 + 1e-9, 0.3]))
    assert first.tolist() == [7, 7, 5, 5, 5]
    assert last.tolist() == [0, 0, 6, 6, 5]


def test_how_well_a_tilt_is_known_is_told() -> None:
    tilt: Any = SimpleNamespace(error=np.array([0.5, 0.0]))
    assert Tilt.slack.fget(tilt) >= math.expm1(0.5)


# -- wide sums --------------------------------------------------------------------------------------------------------


def test_what_a_rung_leaves_out_counts_with_all_of_the_tilted_mass() -> None:
    window: Any = SimpleNamespace(theta=0.0, length=16, frequencies=1, centre=0, deviation=1.0)
    values, errors = np.zeros(wide.PUSHES + 1, dtype=complex), np.zeros(wide.PUSHES + 1)
    errors[0] = 0.4
    here: Any = SimpleNamespace(part=None, cell=1)
    rung = wide._Maker._filled(here, window, values, errors, 0.125, Spare(0.5, 0.25, 0.125))
    assert rung.errors[0] >= (0.5 / 16 + 0.125) * math.exp(0.4)
    assert rung.errors[1] >= (0.25 / 16 + 0.125) * math.exp(0.4)


@pytest.mark.parametrize("low", [3.0, 0.5])
def test_a_law_may_fail_to_rise_by_its_errors_and_its_bends(low: float) -> None:
    """Four cells, of which the first rises and the last falls for sure; the second is the highest."""
    left, right = np.array([0.5, 4.0, 5.0, low]), np.array([low, 5.0, 2.0, 0.5])
    rises = np.array([True, False, False, False])
    for first, second in ((0.1, 0.3), (0.3, 0.1)):
        smooth = Smooth(left, right, np.full(4, first), np.full(4, second), np.full(4, 0.5))
        law: Any = SimpleNamespace(at=lambda *_, one=smooth: one, slopes=lambda: (rises, rises[::-1]), cells=4)
        found = _Losses.of(law)
        outer = max(0.6, low + 0.3 - (4.0 - 0.8)), max(0.6, low + 0.3 - (2.0 - 0.8))
        assert found.rising.tolist() == pytest.approx([outer[0], 2.6, 0.0, 0.0])
        assert found.falling.tolist() == pytest.approx([0.0, 2.6, 4.6, outer[1]])
        assert found.least.tolist() == pytest.approx([0.2, 3.2, 1.2, 0.2])


def test_a_law_that_is_spread_keeps_its_errors() -> None:
    for step in (2, -2):
        found = spread(LAW, step)
        assert found.error[:: 2 * (1 if step > 0 else -1)].tolist() == LAW.error.tolist()
        assert (found.start, found.tail) == (6 if step > 0 else -10, LAW.tail)


def smooth(left: float, right: float, off: tuple[float, float], bend: float) -> Smooth:
    """The same in each of three cells."""
    return Smooth(*(np.full(3, value) for value in (left, right, *off, bend)))


@pytest.mark.parametrize("far", [0.03, 0.01])
@pytest.mark.parametrize("on", [False, True])
def test_what_a_cell_may_exceed_counts_every_error(far: float, on: bool) -> None:
    """Ends as far apart as their errors and losses allow, and chords as far off as their bends, at three points."""
    here, part = smooth(1.0, 2.0, (0.1, 0.2), 0.05), smooth(0.5, 0.25, (0.01, 0.02), 0.04)
    lower = smooth(0.5, 0.6, (0.01, 0.02), 0.04 - far), smooth(0.5, 0.6, (0.01, 0.02), far)
    ends, factor, lost = (2.0, 1.0), 1.5, 0.07
    for fallen in ((np.full(3, lost), np.zeros(3)), (np.zeros(3), np.full(3, lost))):
        found = widecurve._above(here, part if on else None, lower, fallen, factor, ends)
        left, right, bend = (1.1 + 0.51, 2.2 + 0.27, 0.09) if on else (1.1, 2.2, 0.05)
        each = 2 * (left - factor * (0.49 - lost)) + right - factor * (0.58 - lost) + 3 * (bend + factor * 0.03)
        assert found >= 3 * each * (1 - 1e-12)
        nothing = widecurve._above(smooth(0.0, 0.0, (0.0, 0.0), 0.9), None, lower, fallen, factor, ends)
        assert nothing >= 9 * (0.9 + factor * (0.03 - 0.49 + lost)) * (1 - 1e-12)


@pytest.mark.parametrize("part", [0.55, 0.6, 0.7, 0.9])
def test_what_a_cell_exceeds_another_by_is_rounded_up(part: float) -> None:
    """Next to nothing is taken from one: the nearest float is below the difference."""
    small, none = smooth(part * UNIT, part * UNIT, (0.0, 0.0), 0.0), np.zeros(3)
    found = widecurve._above(smooth(1.0, 1.0, (0.0, 0.0), 0.0), None, (small, small), (none, none), 1.0, (1.0, 0.0))
    assert Fraction(found) >= 3 * (1 - Fraction(part * UNIT))


@pytest.mark.parametrize("lattice", [None, object()])
def test_what_a_range_of_shifts_may_exceed_counts_every_error(lattice: object) -> None:
    v, u = smooth(1.0, 2.0, (0.1, 0.2), 0.05), smooth(0.5, 0.75, (0.01, 0.02), 0.04)
    turned = v if lattice is None else smooth(2.0, 1.0, (0.2, 0.1), 0.05)
    for one in (v, turned):
        here: Any = SimpleNamespace(
            law=SimpleNamespace(cell=4, q=2, lattice=lattice),
            _losses=lambda: SimpleNamespace(least=np.zeros(3)),
            _at=lambda _, part, one=one: u if part else one,
        )
        most, on = 2.25, 0 if lattice is None else 2
        truth = 3 * ((4 - on) * most + on * (most + 2 * 0.81))
        assert WideShifts._range(here, F(0), 0, 1) >= truth * (1 - 1e-12)


def test_the_tail_of_a_wide_law_counts() -> None:
    here: Any = SimpleNamespace(
        law=SimpleNamespace(tail=0.125, cell=4, q=1, lattice=None),
        shift=1,
        _events=lambda _: [SimpleNamespace(value=0.0)],
        _most=lambda *_: 0.25,
        _searched=lambda *_: 1.0,
        _pieces=lambda _: [[smooth(0.1, 0.1, (0.0, 0.0), 0.0)]] * 3,
    )
    assert WideShifts.delta(here, F(1)).upper >= 0.375
    some = np.array([True, False, False])
    assert WideShifts.probabilities(here, 1, (some, some, some))[1] >= 0.4 + 0.125


# -- cells of labels, and worlds --------------------------------------------------------------------------------------


def test_a_label_may_swell_even_if_the_other_world_had_none_of_it() -> None:
    """Of twice what it is at the corners, nothing is taken away: the chance of the other world has no logarithm."""
    labels = SimpleNamespace(swell=np.full((2, 1), math.log(2) / 2))
    here: Any = SimpleNamespace(p=0, one=labels, two=labels, factor=(1.0, 1.0), _lag=lambda *_: np.zeros(1))
    ones, high = np.ones((2, 1)), np.full(1, 1e9)
    found = _Comparison._geometric(here, np.ones((1, 1), dtype=bool), high, ones, 0 * ones, np.ones(2))
    assert found >= 1 + 2


def test_what_lies_outside_of_either_window_counts() -> None:
    """Two labels each; the first world has the first of both for sure, the other the second."""
    ends = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    for tails in ((0.125, 0.0), (0.0, 0.125)):
        one, two = (SimpleNamespace(low=ends, high=ends, tail=tail) for tail in tails)
        here: Any = SimpleNamespace(p=0, one=one, two=two, factor=(1.0, 1.0))
        assert _Comparison._lower(here, 0, 0) <= 1 - 0.125
        half, none = np.full((1, 2, 2), 0.5), np.zeros((2, 2))
        first, second = (Labels(half, half, none, none, 0.0, tail) for tail in tails)
        assert _Comparison(first, second, 0, (1.0, 1.0)).upper() >= 0.125


def test_worlds_are_stacked_with_their_errors() -> None:
    found = worlds._stacked([LAW], [[LAW]])
    assert (found.upper[0] >= LAW.mass + LAW.error).all()
    assert (found.lower[0] <= LAW.mass - LAW.error).all()
    assert found.tail[0] == LAW.tail


def test_a_cell_that_floats_cannot_hold_is_not_impossible() -> None:
    """A size and a count of 1e-200 each."""
    rare = Law(0, np.array([0.5, 1e-200, 0.5]), np.zeros(3))
    found = SizedCell.of(rare, lambda _: rare, lambda counts: counts)
    assert found is not None
    assert np.count_nonzero(found.high[1]) == 9


def test_labels_may_bend_away_from_their_chords() -> None:
    low, high = np.full((2, 2, 1), 0.25), np.full((2, 2, 1), 0.5)
    found = Labels(low, high, np.full((2, 1), 0.125), np.zeros((2, 1)), 0.0, 0.0)
    assert (found.most >= 0.625).all()
    assert (found.least <= 0.125).all()


def test_a_histogram_that_floats_hardly_hold_is_enclosed() -> None:
    """9e-324 is nearly twice the smallest float."""
    rare = F(3, 10**162)
    found = Multinomial.of([rare, 1 - rare], 2)
    (place,) = np.flatnonzero((found.rows == [2, 0]).all(axis=1))
    assert F(float(found.least[place])) <= rare**2 <= F(float(found.most[place]))
