"""Many shifts at once, against the oracle that goes through them one by one."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.numerics import shifts as module
from dalenius.numerics.law import Law, law_of
from dalenius.numerics.shifts import ShiftCurve
from numerics.checks import holds
from oracle import balls, strategies
from oracle import laws as lw

many = st.lists(st.integers(1, 12), min_size=5, max_size=12, unique=True)


@given(exact=strategies.laws(), shifts=many, epsilon=strategies.epsilons())
def test_many_shifts_are_judged_by_the_worst_of_them(exact: lw.Law, shifts: list[int], epsilon: Fraction) -> None:
    bracket = ShiftCurve(law_of(exact), tuple(shifts)).delta(epsilon)
    truth = balls.largest(lw.both_ways(exact, lw.shift(exact, by), epsilon) for by in shifts)
    assert holds(bracket, truth)
    assert bracket.width <= 1e-11 * bracket.upper + 200 * 2.0**-53 * (1 + float(epsilon))


@given(exact=strategies.laws(), shifts=many, epsilon=strategies.epsilons())
def test_a_search_that_is_cut_short_is_still_certified(exact: lw.Law, shifts: list[int], epsilon: Fraction) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_WORK", 0)
        patch.setattr(module, "FEW", 1)
        bracket = ShiftCurve(law_of(exact), tuple(shifts)).delta(epsilon)
    assert holds(bracket, balls.largest(lw.both_ways(exact, lw.shift(exact, by), epsilon) for by in shifts))


@given(exact=strategies.laws(), shifts=many, data=st.data())
def test_knots_bound_every_shift(exact: lw.Law, shifts: list[int], data: st.DataObject) -> None:
    epsilons = np.array(sorted(data.draw(st.sets(st.floats(0, 5), min_size=2, max_size=4))))
    most = data.draw(st.sampled_from([0, module.MOST_WORK]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_WORK", most)
        _, values = ShiftCurve(law_of(exact), tuple(shifts)).knots(epsilons)
    for at, value in zip(epsilons.tolist(), values.tolist(), strict=True):
        curves = [ShiftCurve(law_of(exact), (by,)).delta(Fraction(at)).lower for by in shifts]
        assert value >= max(curves)


def test_a_thousand_shifts_of_a_smooth_law_take_a_handful_of_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    at = np.arange(-4000, 4001)
    mass = np.exp(-((at / 900) ** 2) / 2) * (1 + 0.001 * np.cos(at))
    law = Law(0, mass / mass.sum(), np.zeros(len(mass)))
    looks = []
    real = ShiftCurve._pair
    monkeypatch.setattr(ShiftCurve, "_pair", lambda self, shift: (looks.append(shift), real(self, shift))[1])
    bracket = ShiftCurve(law, tuple(range(1, 1001))).delta(Fraction(1))
    assert bracket.width <= 1e-11 * bracket.upper
    assert bracket.lower >= max(real(ShiftCurve(law, (1,)), by).delta(Fraction(1)).lower for by in (999, 1000))
    assert len(looks) < 100


def test_the_worst_shift_need_not_be_the_largest() -> None:
    thin = Law(0, np.tile([0.04, 0.0], 25), np.zeros(50))
    bracket = ShiftCurve(thin, (2, 3, 4, 6, 8, 10)).delta(Fraction(0))
    assert bracket.lower == pytest.approx(1.0)


def test_knots_of_few_shifts_are_those_of_the_worst_at_each_epsilon() -> None:
    law = law_of({k: Fraction(9 - k, 45) for k in range(9)})
    epsilons = np.array([0.0, 0.5, 1.0])
    _, both = ShiftCurve(law, (1, 3)).knots(epsilons)
    _, far = ShiftCurve(law, (3,)).knots(epsilons)
    _, near = ShiftCurve(law, (1,)).knots(epsilons)
    assert (both == far).all()
    assert (far > near).all()
