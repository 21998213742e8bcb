"""Everybody left out at once: the worst person's δ is bracketed, whoever it is, both ways, deep into the tails."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import chebyshev

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics import charfun, leaveoneout
from dalenius.numerics.charfun import FLOOR, Ladder
from dalenius.numerics.cumulant import Cumulant
from dalenius.numerics.curve import EverybodyCurve
from dalenius.numerics.leaveoneout import leave_one_out
from dalenius.numerics.trade import rates_of, traded
from dalenius.numerics.yesno import RateSum, rate_sum
from numerics.checks import fractions_of, holds, narrow
from oracle import balls, profile, profile_of_types
from oracle import laws as lw
from oracle.poisson_binomial import poisson_binomial

EPSILONS = tuple(map(Fraction, ("0", "0.01", "0.5", "1", "3", "10", "50")))


def everybody(rates: np.ndarray, total: Cumulant | None = None, floor: float = FLOOR) -> EverybodyCurve:
    with np.errstate(all="ignore"):
        return EverybodyCurve(leave_one_out(np.unique(rates), rate_sum(rates) if total is None else total, floor))


def worst_of(rates: Sequence[Fraction], people: Sequence[int], epsilon: Fraction) -> arb:
    """The larger direction, for the worst of these people."""
    return balls.largest(balls.largest(profile([*rates[:i], *rates[i + 1 :]], epsilon)) for i in people)


rates_of_people = st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 1.0, 0.5, 1e-9, 1 - 1e-9, 0.1, 1 / 3, 1e-3]))


@pytest.mark.slow
@given(numbers=st.lists(rates_of_people, min_size=2, max_size=9), epsilon=st.sampled_from(EPSILONS))
def test_no_small_crowd_is_misjudged(numbers: list[float], epsilon: Fraction) -> None:
    """Only containment: few people leave the series little to work with (they are judged one by one elsewhere)."""
    bracket = everybody(np.array(numbers)).delta(epsilon)
    assert holds(bracket, worst_of(fractions_of(numbers), range(len(numbers)), epsilon))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["any", "alike", "rare", "common", "one fair", "sure"])
@pytest.mark.parametrize("epsilon", EPSILONS[1:4])
def test_forty_people_are_judged_like_one_by_one(kind: str, epsilon: Fraction) -> None:
    rng = np.random.default_rng(len(kind))
    rates = {
        "any": rng.uniform(0, 1, 40),
        "alike": rng.uniform(0.3, 0.32, 40),
        "rare": 10 ** rng.uniform(-5, -1, 40),
        "common": 1 - 10 ** rng.uniform(-5, -1, 40),
        "one fair": np.append(rng.uniform(0.01, 0.05, 39), 0.5),
        "sure": np.concatenate([[0.0, 1.0], rng.uniform(0.4, 0.6, 38)]),
    }[kind]
    bracket = everybody(rates).delta(epsilon)
    assert holds(bracket, worst_of(fractions_of(rates.tolist()), range(40), epsilon))


CROWDS = {
    "low": (0.02, 0.05, 500),
    "middle": (0.3, 0.5, 400),
    "wide": (0.1, 0.9, 800),
    "anything": (0.0, 1.0, 1500),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CROWDS)
@pytest.mark.parametrize("epsilon", EPSILONS[:4])
def test_the_worst_of_hundreds_is_bracketed_and_nobody_is_worse(name: str, epsilon: Fraction) -> None:
    low, high, n = CROWDS[name]
    rates = np.sort(np.random.default_rng(n).uniform(low, high, n))
    curve = everybody(rates)
    bracket = curve.delta(epsilon)
    if bracket.upper < 1e-60:
        return
    found = [(group.worst(epsilon)[0].lower, group.rate(group.worst(epsilon)[1])) for group in curve.groups]
    claimed = int(np.argmin(np.abs(rates - max(found)[1])))
    exact = fractions_of(rates.tolist())
    truth = worst_of(exact, [claimed], epsilon)
    assert holds(bracket, truth)
    assert narrow(bracket, truth, relative=1e-7)
    assert balls.lower(worst_of(exact, [0, n // 3, n - 1], epsilon)) <= Fraction(bracket.upper)


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "size"), [("0.5", 1e-6), ("1", 1e-14), ("2", 1e-28)])
def test_deltas_down_to_a_thousandth_of_a_billionth_cubed_keep_their_digits(epsilon: str, size: float) -> None:
    rates = np.sort(np.random.default_rng(5).uniform(0.025, 0.055, 2500))
    bracket = everybody(rates).delta(Fraction(epsilon))
    truth = worst_of(fractions_of(rates.tolist()), [0, 1249, 2499], Fraction(epsilon))
    assert float(balls.upper(truth)) < size
    assert balls.lower(truth) <= Fraction(bracket.upper)
    assert bracket.width <= 1e-6 * bracket.upper


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS[1:4])
def test_each_direction_matters(epsilon: Fraction) -> None:
    """Rare ones: the event "few" tells more. Mirrored, the event "many" does. Each direction is needed once."""
    rates = np.sort(np.random.default_rng(8).uniform(0.01, 0.03, 300))
    for numbers in (rates, np.sort(1 - rates)):
        bracket = everybody(numbers).delta(epsilon)
        exact = fractions_of(numbers.tolist())
        truth = worst_of(exact, [0, 299], epsilon)
        one, other = profile(exact[1:], epsilon)
        assert not balls.upper(one) >= balls.lower(other) >= balls.lower(one)
        assert balls.lower(truth) <= Fraction(bracket.upper)
        assert narrow(bracket, truth, relative=1e-6)


@pytest.mark.slow
def test_people_in_cells_are_bounded_between_the_ends_of_their_cell() -> None:
    """More people than cells: a cell's upper bound covers all of its members."""
    rates = np.sort(np.random.default_rng(1).uniform(0.02, 0.6, 2600))
    bracket = everybody(rates).delta(Fraction(1, 10))
    exact = fractions_of(rates.tolist())
    for i in (0, 17, 1300, 2599):
        assert balls.lower(balls.largest(profile([*exact[:i], *exact[i + 1 :]], Fraction(1, 10)))) <= Fraction(
            bracket.upper
        )
    assert bracket.width <= 1e-6 * bracket.upper


@pytest.mark.slow
@pytest.mark.parametrize("floor", [1e-2, 1e-3])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(2), Fraction(5)])
def test_what_a_high_floor_leaves_out_is_charged_to_everybody(floor: float, epsilon: Fraction) -> None:
    """Somebody who is surely a one moves all of the tail by a step when left out."""
    rates = np.append(np.random.default_rng(2).uniform(0.1, 0.2, 58), [1.0, 0.0])
    bracket = everybody(rates, floor=floor).delta(epsilon)
    assert holds(bracket, worst_of(fractions_of(rates.tolist()), range(60), epsilon))


@pytest.mark.parametrize("order", [2, 4, 8])
def test_a_total_known_only_roughly_still_brackets_everybody(order: int) -> None:
    rates = np.linspace(0.3, 0.4, 60)
    bracket = everybody(rates, RateSum.of(rates, order=order)).delta(Fraction(1, 2))
    assert holds(bracket, worst_of(fractions_of(rates.tolist()), [0, 30, 59], Fraction(1, 2)))


def test_beyond_an_epsilon_of_seven_hundred_nothing_is_claimed_from_below() -> None:
    bracket = everybody(np.linspace(0.3, 0.4, 100)).delta(Fraction(800))
    assert bracket.lower == 0.0


@pytest.mark.slow
@given(
    first=st.floats(0.05, 0.95),
    second=st.floats(0.05, 0.95),
    epsilon=st.sampled_from([Fraction(0), Fraction(1, 20), Fraction(1, 5)]),
)
@settings(max_examples=6)
def test_runs_that_trade_two_rates_are_judged_at_once(first: float, second: float, epsilon: Fraction) -> None:
    """L + 1 crowds that differ in how many records of each rate they have: the worst of them, and where."""
    length, rest = 8, 0.3
    middle = rates_of(np.array([first, second, rest]), np.array([3000, 2000, 1000]))
    bracket, cut = traded(middle, first, second, length).worst(epsilon)
    crowds = [[(2996 + j, first), (2004 - j, second), (1000, rest)] for j in range(length + 1)]
    deltas = [balls.largest(profile_of_types([(n, Fraction(p)) for n, p in crowd], epsilon)) for crowd in crowds]
    truth = balls.largest(deltas)
    assert holds(bracket, truth)
    if float(balls.upper(truth)) > 1e-30:
        assert narrow(bracket, truth, relative=1e-6)
        at = round((cut.x + 1) / 2 * length)
        assert balls.upper(deltas[at]) >= Fraction(bracket.lower)


def test_a_bracket_of_the_larger_group_wins() -> None:
    rates = np.concatenate([np.linspace(0.01, 0.011, 200), np.linspace(0.95, 0.96, 200)])
    curve = everybody(rates)
    whole = curve.delta(Fraction(1, 2))
    single = Bracket(0.0, 0.0)
    for group in curve.groups:
        single = single.join(group.worst(Fraction(1, 2))[0])
    assert (whole.lower, whole.upper) == (single.lower, single.upper)


def others(rates: Sequence[Fraction], i: int) -> lw.Law:
    return lw.sum_of([lw.bernoulli(p) for j, p in enumerate(rates) if j != i])


@pytest.mark.parametrize("length", [8, 12, 16, 20])
def test_mass_that_a_short_window_folds_back_is_charged_to_everybody(length: int) -> None:
    """One rung with a window that is too short: the family's first mass is f_x(first), within its error, for all x."""
    rates = np.linspace(0.3, 0.35, 40)
    total = RateSum.of(rates, order=40)
    place = charfun.Place(0.0, total.mean, math.sqrt(total.variance))
    plan = charfun._plan(total, place, round(total.mean) - 2, round(total.mean) + 2)
    rung = charfun._filled(total, [replace(plan, length=length, frequencies=length // 2 + 1)])[0]
    (group,) = [leaveoneout._group(rates, Ladder((rung,), 0.0, 0.0))]
    laws = group.laws
    for i in (0, 20, 39):
        x = (rates[i] - group.centre) / group.half
        exact = others(fractions_of(rates.tolist()), i)
        for sums, errors, k in ((laws.lower, laws.lower_error, 0), (laws.upper, laws.upper_error, 4)):
            value, truth = chebyshev.chebval(x, sums[:, k]), exact[rung.first + k]
            assert abs(Fraction(float(value)) - truth) <= Fraction(float(errors[k])) + Fraction(1, 10**15)
    assert laws.lower_error[0] >= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("floor", [1e-1, 1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("rate", [0.9, 0.98, 0.999, 0.9999])
def test_the_mass_beyond_the_window_is_bounded_for_everybody(floor: float, rate: float) -> None:
    """Leaving out somebody who is nearly surely a one moves the lower tail up by a step."""
    rates = np.full(150, rate)
    groups = leave_one_out(rates, RateSum.of(rates, order=2), floor)
    exact = lw.binomial(149, Fraction(rate))
    for group in groups:
        start, stop = group.laws.start, group.laws.start + group.laws.lower.shape[1]
        outside = sum((m for k, m in exact.items() if not start <= k < stop), Fraction(0))
        assert 0 < outside <= Fraction(group.laws.beyond)


def test_between_the_ends_of_a_cell_a_series_may_bend() -> None:
    """-T_2(x) = 1 - 2x² is -1 at both ends of a cell, and 1 in its middle."""
    laws = everybody(np.linspace(0.3, 0.4, 100)).groups[0].laws
    cells = np.array([[-1.0, 1.0]])
    wide = replace(
        laws, cells=cells, table=chebyshev.chebvander(cells.T.ravel(), 2), gaps=(cells[:, 1] - cells[:, 0]) ** 2 / 8
    )
    assert 1.0 <= wide._largest(np.array([0.0, 0.0, -1.0]), 0.0)[0].upper <= 1.001


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_an_exponential_series_that_stops_early_is_charged_for_its_rest(
    degree: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalenius.enclosure.chebyshev._degree", lambda _: degree)
    middle = rates_of(np.array([0.2, 0.4, 0.3]), np.array([300, 200, 100]))
    laws = traded(middle, 0.2, 0.4, 8)
    k = 180 - laws.start  # near the mean, where the error of the series is largest
    for j in (0, 4, 8):
        crowd = [Fraction(0.2)] * (296 + j) + [Fraction(0.4)] * (204 - j) + [Fraction(0.3)] * 100
        below = sum((balls.upper(mass) for mass in poisson_binomial(crowd)[:181]), Fraction(0))
        value = Fraction(float(chebyshev.chebval(2 * j / 8 - 1, laws.lower[:, k])))
        assert abs(value - below) <= Fraction(float(laws.lower_error[k]))
    assert laws.lower_error[k] >= 1e-9  # it is the rest of the series that is charged here
