"""Error terms of wide ranges that only planted cases show."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx

from dalenius.numerics.charfun import LatticeWindow
from dalenius.numerics.resonance import spare
from dalenius.numerics.runs import Runs
from dalenius.numerics.wide import Smooth, _spectrum, wide_law
from dalenius.numerics.widecurve import WideShifts, _above, _below, _sum

from .test_wide import PLAIN, Run, far_off, law_of, listed, masses, precisely, sticks

F = Fraction


@pytest.mark.slow
def test_a_smaller_shift_may_be_worse() -> None:
    """Two humps of equal weight: moved by their distance one falls upon the other, by half of that upon nothing."""
    runs: list[Run] = [(0, 1, 100, F(1, 2)), (700, 1, 100, F(1, 2))]
    truth = listed(runs, 30)
    law = wide_law([Runs.of(runs)], [[run[3] for run in runs]], [30], None, fine=100, floor=1e-12)
    assert law is not None
    found = WideShifts(law, 700).delta(F(1, 10))
    assert 1.5 * sticks(truth, (700,), 0.1) < sticks(truth, (350,), 0.1) <= found.upper
    assert found.lower <= sticks(truth, (700,), 0.1) + 1e-11


def test_without_a_lattice_all_is_left_to_runs() -> None:
    law = np.fft.fft(masses(PLAIN), 9000) ** 40
    found = spare([Runs.of(PLAIN)], [40], 0.0, length=9000, kept=2, lattice=None)
    truth = np.abs(law[3:8998]).sum()
    assert truth <= found.rest * (1 + 1e-9) <= 300 * truth


@pytest.mark.slow
def test_a_cell_rises_only_if_all_of_it_does() -> None:
    law, truth = law_of(PLAIN, 300, fine=12), listed(PLAIN, 300)
    rises, falls = law.slopes()
    for start, up, down in zip(law.nodes().tolist(), rises, falls, strict=True):
        if start >= 0 and start + law.cell < len(truth):
            steps = np.diff(truth[start : start + law.cell + 1])
            assert not up or steps.min() >= -1e-15
            assert not down or steps.max() <= 1e-15
    assert rises.any() and falls.any() and not (rises & falls).any()


def cell(value: float, error: float = 0.0, bend: float = 0.0) -> Smooth:
    return Smooth(*(np.array([one]) for one in (value, value, error, error, bend)))


def test_one_cell_by_hand() -> None:
    """A cell of 7 points: errors and bends go up in the one bound and down in the other."""
    none, lost, ends = cell(0.0), (np.zeros(1), np.zeros(1)), (4.0, 3.0)
    law, part, less = cell(1.0, 0.125, 0.25), cell(2.0, 0.5, 1.0), cell(0.25, 0.0625, 0.03125)
    assert math.isclose(_above(law, None, (none, none), lost, 2.0, ends), 7 * 1.375)
    assert math.isclose(_above(law, part, (none, none), lost, 2.0, ends), 7 * 4.875)
    assert math.isclose(_above(law, None, (less, less), lost, 2.0, ends), 7 * (1.375 - 2 * (0.25 - 0.0625 - 0.03125)))
    assert math.isclose(_above(law, None, (less, none), lost, 2.0, ends), 7 * 1.375)
    assert math.isclose(_above(law, None, (less, less), (np.ones(1) / 8, np.zeros(1)), 2.0, ends), 7 * (1.3125))
    bent, more = cell(1.0, 0.0, 1.0), cell(0.75)  # at its ends it is below twice the other by a half, between them not
    assert math.isclose(_above(bent, None, (more, more), lost, 2.0, ends), 7 * (1.0 - 0.5))
    assert math.isclose(_below([law, part], [less], 2.0, ends)[0], 7 * (0.625 + 0.5 - 2 * (0.3125 + 0.03125)))
    assert math.isclose(_sum([law], np.ones(1, dtype=bool), ends, 1), 7 * 1.375)
    assert math.isclose(_sum([law], np.ones(1, dtype=bool), ends, -1), 7 * 0.625)


@pytest.mark.parametrize("near", [1e-9, 3e-8, 1e-7])
def test_next_to_a_resonance_an_ulp_counts(near: float) -> None:
    """A run whose middle is the base: only its own transform is left, where it comes near one again."""
    runs: list[Run] = [(0, 1000, 9001, F(1))]
    t_values = 2 * math.pi * 0.437 + near * (1 + 0.01 * np.arange(40))
    found, error = Runs.of(runs).grown(np.zeros(40), t_values, 4_500_000)
    with ctx.workprec(300):
        off = [
            far_off(complex(value), precisely(runs, complex(0, t), 4_500_000) - 1)
            for value, t in zip(found, t_values.tolist(), strict=True)
        ]
    assert np.all(np.array(off) <= error)
    assert max(off) > 1e-14  # which no rounding of the transform itself explains


def test_an_unknown_frequency_is_charged_by_its_bound() -> None:
    window = LatticeWindow(0.0, 0, 1.0, -5, 5, 20, 2, 0.0, 1.0)
    values = np.array([0.0, math.log(0.3)], dtype=complex)
    spectrum, slip = _spectrum(window, np.array([0.0, 0.3]), 0.0, values, np.array([0.0, 1.0]))
    assert spectrum[1] == 0
    assert 2 * 0.3 <= slip < 0.62
