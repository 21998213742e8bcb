"""Rounding in many binomial totals at once: planted where it goes the wrong way, and made up for."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dalenius.enclosure import rows
from dalenius.enclosure.floats import UNIT, pairwise
from dalenius.numerics import many_binomials as many
from dalenius.numerics.law import Law
from oracle import balls

F = Fraction
NONE = np.zeros(1)


def pair(masses: list[Fraction], factor: Fraction) -> Fraction:
    """The larger of the sums of max(0, P(k) - factor P(k-1)) and of max(0, P(k) - factor P(k+1)), in fractions."""
    rows = (masses, masses[::-1])
    return max(sum(max(F(0), b - factor * a) for a, b in zip([F(0), *row], [*row, F(0)], strict=True)) for row in rows)


def test_a_sum_of_masses_that_loses_is_made_up_for() -> None:
    """Eight terms in eight accumulators, then some that are lost one after the other."""
    mass = np.zeros((1, 15))
    mass[0, 1], mass[0, 10::2] = 0.25, 0.24 * UNIT
    exact = [F(value) for value in mass[0].tolist()]
    assert pair(exact, F(1)) <= F(float(rows.rise(mass, NONE, 1.0)[0]))
    gains = mass.copy()
    gains[0, 10::2] = 0.26 * UNIT
    exact = [F(value) for value in gains[0].tolist()]
    assert F(float(rows.rise_below(gains, NONE, 1.0)[0])) <= pair(exact, F(1))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_masses_that_nearly_cancel_are_compared_with_room(seed: int) -> None:
    """They rise by less than the factor from next to nothing, but for one step that is just above it."""
    rng = np.random.default_rng(seed)
    factor, rise = float(rng.uniform(1.6, 1.8)), [1e-30]
    while rise[-1] < 0.02:
        rise.append(rise[-1] * 1.5)
    for off in (2, 6):
        mass = np.array([[*rise, rise[-1] * factor * (1 + off * UNIT), *rise[::-1]]])
        exact = [F(value) for value in mass[0].tolist()]
        truth = pair(exact, F(factor))
        assert truth <= F(float(rows.rise(mass, NONE, factor)[0]))
        assert F(float(rows.rise_below(mass, NONE, factor)[0])) <= truth


def test_masses_that_are_off_are_raised_and_lowered() -> None:
    mass, slip = np.array([[0.0, 0.25, 0.25, 0.0]]), np.array([0.125])
    assert rows.rise(mass, slip, 1.0)[0] >= 0.25 * 1.125 + 0.25 * 0.25
    mass = np.array([[0.125, 0.5]])
    assert rows.rise_below(mass, slip, 1.0)[0] <= 0.5 * 0.875 - 0.125 * 1.125


@pytest.mark.parametrize("away", [1e-12, 1e-13])
def test_masses_that_hardly_fall_may_fall_a_little_less(away: float) -> None:
    ratio = F(1 - away) * (1 + 3 * F(UNIT))
    found = rows.beyond(np.array([[0.25]]), np.array([[1 - away]]))
    assert F(1, 4) * ratio / (1 - ratio) <= F(float(found[0]))


def test_what_is_trimmed_is_charged_with_room() -> None:
    law = Law(0, np.array([0.1 * UNIT, 0.5, 0.1]), np.array([0.0, 0.0, 0.0]), 0.25)
    assert F(rows.trimmed(law.balls, 0.2)[2]) >= F(0.1) + F(0.1 * UNIT)


def planted(
    monkeypatch: pytest.MonkeyPatch, mass: list[float], slip: float, lost: float, start: int = 0
) -> many.Binomials:
    """A row of masses that are off by so much, and leave so much out."""
    block = rows.LawRows(np.array([mass]), np.array([slip]), np.array([lost]), np.array([start]))
    monkeypatch.setattr(many.Binomials, "_blocks", lambda *_: [(np.zeros(1, dtype=np.int64), block)])
    return many.Binomials(np.array([1]), np.array([1.0]), 1.0)


def test_rounded_totals_count_errors_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """A total that leaves its cell for sure, and one that stays in it for sure."""
    one = planted(monkeypatch, [0.5], 0.125, 0.0625)
    assert one.rounded(F(0), 2, np.ones(1, dtype=bool))[0] >= 0.5 * 1.125 + 0.0625
    for start in range(3):
        stays = planted(monkeypatch, [0.5], 0.125, 0.0, start).rounded(F(0), 3, np.zeros(1, dtype=bool))[0]
        assert stays >= 0.125


def test_noise_that_leaves_something_out_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    one = planted(monkeypatch, [0.25], 0.125, 0.125)
    noise = Law(0, np.ones(1), np.zeros(1), 0.125)
    assert one.noisy(F(0), noise)[0] >= 0.25 * 1.125 + 0.125 + 0.125
    tiny = planted(monkeypatch, [1e-300], 0.0, 0.0)
    assert tiny.geometric(F(0), F(1))[0] >= 2 * math.exp(-2)


# -- what is charged beside the masses ----------------------------------------------------------------------------


def test_masses_of_the_smallest_floats_are_charged() -> None:
    """That no coin falls, and what that may be as a float: some 5e-324 times a whole number."""
    counts = np.arange(1055, 1075)
    low, high = many.Binomials(counts, np.full(20, 0.9996), 800.0).exact(F(700))
    for count, least, most in zip(counts.tolist(), low.tolist(), high.tolist(), strict=True):
        assert F(least) <= (1 + F(0.9996)) ** -count <= F(most) <= 1e-290


def test_masses_that_may_be_rounded_to_nothing_are_not_counted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    (low,), _ = planted(monkeypatch, [0.0, 1e-301, 0.0], 0.0, 0.0).exact(F(0))
    assert low == 0.0


def test_the_units_of_masses_count_their_sum_and_a_division() -> None:
    """Four a step of a product, as much for their mean, the additions of the sum, and one for the quotient."""
    for half in (9, 10, 30):
        found = rows.binomial_rows(np.array([9.0]), np.ones(1), np.array([0.5]), half)
        assert found.slip[0] >= (8 * half + pairwise(found.width) + 1) * UNIT


def test_noise_by_recursions_is_charged_for_their_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two units a step of either recursion, all of them downwards."""

    def both_ways(values: np.ndarray, _: float) -> np.ndarray:
        found = np.zeros_like(values)
        found[0, 7] = float(F(1, 4) * (1 - 4 * values.shape[1] * F(UNIT)))
        return found

    monkeypatch.setattr(rows, "both_ways", both_ways)
    one = replace(planted(monkeypatch, [0.25], 0.0, 0.0), tail=60.0)
    step = balls.exponential(F(-1, 10))
    assert balls.upper((1 - step) / (1 + step) / 4) <= F(float(one.geometric(F(0), F(10))[0]))


def test_sums_over_the_noise_are_charged_for_each_term(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter at one place, and what is lost there each time when a unit of it is added."""
    count, small = 400, math.sqrt(0.999 * UNIT / 4)
    one = planted(monkeypatch, [*[small] * count, 0.5], 0.0, 0.0)
    noise = Law(0, np.array([0.5, *[small] * count]), np.zeros(count + 1))
    peak, before = F(1, 4) + count * F(small) ** 2, F(small) / 2 + (count - 1) * F(small) ** 2
    truth = balls.ball(F(small) / 2 + peak) - balls.exponential(1) * balls.ball(before)
    found = replace(one, tail=60.0).noisy(F(1), noise)[0]
    assert balls.upper(truth) <= F(float(found)) <= balls.lower(truth) * (1 + F(1, 10**9))


def test_what_is_left_out_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    one = planted(monkeypatch, [0.25], 0.125, 0.0625)
    assert one.exact(F(0))[1][0] >= 0.25 * 1.125 + 0.0625
    plain = planted(monkeypatch, [0.0], 0.0, 0.0625)
    assert plain.geometric(F(0), F(1))[0] >= 2 * math.exp(-2) + 0.0625


def test_sums_over_a_multiple_are_charged_for_each_term(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand terms may lose as many units, or gain them."""
    base = 1000
    off = (base - 1) * F(UNIT)

    def binned(*call: object) -> np.ndarray:
        return np.array([[float(F(1, 8) * (1 + off) if call[1] else F(1, 4) * (1 - off))]])

    monkeypatch.setattr(rows, "binned", binned)
    one = planted(monkeypatch, [0.25], 0.0, 0.0, start=base // 2)
    assert one.rounded(F(0), base, np.zeros(1, dtype=bool))[0] >= 1 / 8


def test_a_sum_of_multiples_that_loses_is_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    mass = np.zeros(127)
    mass[1:8:2], mass[9::2] = 1 / 16, 0.999 * UNIT / 16
    one = planted(monkeypatch, mass.tolist(), 0.0, 0.0)
    found = one.rounded(F(0), 1, np.zeros(1, dtype=bool))[0]
    assert pair([F(value) for value in mass.tolist()], F(1)) <= F(found)
