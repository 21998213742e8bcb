"""Stretches beside a chain: whatever is wrong by what it says, or lost below the smallest floats, is charged."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dalenius.basics.errors import InputError
from dalenius.enclosure import matrices
from dalenius.enclosure.floats import LIBM, TINY, UNIT
from dalenius.numerics import chainbeside, chaintilt
from dalenius.numerics.chain import MarkovChain, total
from dalenius.numerics.chainbeside import Beside
from dalenius.numerics.chainspectrum import Points, classes, possible
from dalenius.numerics.chainworlds import _OnRung

F = Fraction
MOVES = ((F(9, 10), F(1, 10)), (F(1, 5), F(4, 5)))
STRETCH = MarkovChain(MOVES[0], MOVES, (0, 1), 40, (F(9, 10), F(1, 5)))
TARGET = MarkovChain(MOVES[1], MOVES, (0, 1), 30, (), ((STRETCH, 2),))


# -- the law of a stretch ---------------------------------------------------------------------------------------------


def test_a_total_that_may_have_lost_something_says_so() -> None:
    small = F(1, 10**200)
    moves = ((1 - small, small), (F(1), F(0)))
    law = total(MarkovChain(moves[0], moves, (0, 1), 4, ()))
    assert law.mass[2] == 0 < TINY <= law.error[2]


# -- the transform of stretches ---------------------------------------------------------------------------------------


def beside(**changes: object) -> Beside:
    """One state that is kept with a chance of 9/10, eleven records, five times."""
    plain = Beside(
        np.full((1, 1), 0.9),
        np.ones((1, 1)),
        np.ones((1, 1)),
        np.array([11]),
        np.array([5]),
        np.zeros(1),
        np.ones(1),
        0.0,
    )
    return replace(plain, **changes)


def test_a_product_counts_its_entries_and_its_sums() -> None:
    moves, ones = np.array([[0.9, 0.1], [0.2, 0.8]]), np.ones((1, 2))
    found = Beside.of(moves, ones, ones, [1000], [1], 50 * UNIT)
    assert found.slips[0] >= math.expm1(1000 * (50 + 2 + 7.9) * UNIT)


def test_what_is_lost_below_the_smallest_floats_grows_with_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chainbeside, "SUNK", 1e-20)
    monkeypatch.setattr(matrices, "UNIT", 0.0)
    ones, many = np.ones((1, 1)), [101]
    for first, last in ((1.0, 1.0), (1e-3, 1.0), (1.0, 1e-3), (1.0, 50.0)):
        found = Beside.of(np.full((1, 1), 1.05), first * ones, last * ones, many, [1], 0.0)
        needed = 1e-20 * max(first, 1.0) * max(last, 1.0) * 1.05**200 / (first * last * 1.05**100)
        assert found.slips[0] >= needed
    with pytest.raises(InputError, match="next to impossible"):
        Beside.of(np.full((1, 1), 0.5), ones, ones, [60], [1], 0.0)


def test_every_stretch_counts_its_slip_twice_and_as_often_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    for slip in (1e-6, 1e-2):
        found = beside(slips=np.full(1, slip))
        assert found.slip >= ((1 + slip) / (1 - slip)) ** 5 - 1
        assert found.log_mean(0.0)[1] >= 5 * math.log1p(slip)
    monkeypatch.setattr(matrices, "UNIT", 1e-3)
    assert beside().slip >= (1 + 6e-3) ** 5 - 1 + 3e-3


def test_logarithms_are_charged_by_their_size() -> None:
    found = beside(wholes=np.full(1, math.exp(-3.0)))
    mean, off = found.log_mean(-0.25)
    assert mean == pytest.approx(5 * (10 * -0.25 - 3))
    assert off >= LIBM * UNIT * 5 * (10 * 0.25 + 3)


def largest(**changes: object) -> float:
    return float(beside(**changes).most(np.ones((1, 1), dtype=complex))[0])


@pytest.mark.parametrize(
    ("changes", "unit", "truth"),
    [
        ({}, 0.0, 0.9**50),
        ({"entry": 1e-3}, 1e-3, (0.9 * 1.001) ** 50 * (1 + 3e-3) ** 40),
        ({}, 1e-3, 0.9**50 * (1 + 3e-3) ** 45),
        ({"slips": np.full(1, 0.01)}, 0.0, (0.9**10 / 0.99) ** 5),
        ({"firsts": np.full((1, 1), 3.0), "lasts": np.full((1, 1), 2.0)}, 0.0, (6 * 0.9**10) ** 5),
    ],
    ids=range(5),
)
def test_the_size_of_a_frequency_is_bounded(
    changes: dict[str, object], unit: float, truth: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry too small by its error, every product by its own, the whole too large by its slip."""
    monkeypatch.setattr(matrices, "UNIT", unit)
    assert largest(**changes) >= min(truth, 1.0)
    if unit:
        assert largest(**changes) > 1.002 * 0.9**50 * (1 + unit) ** 50


def test_errors_of_entries_add_up_over_all_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the entries alone: 1024 records, one large power."""
    monkeypatch.setattr(matrices, "UNIT", 1e-9)
    parts = {"lengths": np.array([1025]), "counts": np.array([1]), "moves": np.full((1, 1), 0.999)}
    with_entries, without = largest(**parts, entry=1e-4), largest(**parts, entry=0.0)
    assert with_entries >= without * (1 + 1e-4) ** 1024 * (1 - 1e-3)


def test_errors_of_products_add_up_over_all_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "UNIT", 1e-5)
    parts = {"lengths": np.array([1025]), "counts": np.array([1]), "moves": np.full((1, 1), 0.999)}
    assert largest(**parts) >= 0.999**1024 * (1 + 3e-5) ** 1023


def test_first_and_last_entries_are_off_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "UNIT", 1e-3)
    assert largest(lengths=np.array([1]), wholes=np.full(1, 2.0), entry=1e-2) >= (0.5 * 1.01) ** 5 * (1 + 1e-3)


def test_what_a_square_lost_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "LOST", 1e-3)
    parts = {"lengths": np.array([3]), "counts": np.array([1]), "moves": np.full((1, 1), 1e-9)}
    assert largest(**parts) >= 1e-3


# -- where it is used -------------------------------------------------------------------------------------------------


def test_the_mean_of_stretches_is_given_their_ends() -> None:
    """Against the law of a stretch."""
    law = total(STRETCH)
    for theta in (-0.3, 0.2):
        truth = 2 * math.log(float((law.mass * np.exp(theta * np.arange(len(law.mass)))).sum()))
        tilt = chaintilt.tilted(TARGET, theta)
        assert tilt.log_beside == pytest.approx(truth, abs=1e-10)
        under = chaintilt.tilted(TARGET, theta).beside
        assert under is not None
        plain = chaintilt.tilted(TARGET, 0.0).beside
        assert plain is not None
        assert tilt.off >= under.slip + plain.slip


def test_bounds_are_raised_by_what_the_stretches_may_be_off(monkeypatch: pytest.MonkeyPatch) -> None:
    right, plain = chaintilt.tilted, chaintilt.bound(TARGET, 0.2)
    tilt = right(TARGET, 0.2)
    place = chaintilt._place(TARGET, 0.2, 4.0)
    alias = chaintilt._alias(TARGET, tilt, place, 10, 20, 25)
    assert chaintilt._alias(TARGET, replace(tilt, off=0.5), place, 10, 20, 25) >= alias * math.exp(0.5) * (1 - 1e-9)
    monkeypatch.setattr(chaintilt, "tilted", lambda *args: replace(right(*args), off=0.5))
    assert chaintilt.bound(TARGET, 0.2) >= plain + 0.5 - 1e-9


def test_frequencies_are_left_out_by_a_bound_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is used instead of what was computed, and multiplies what the target's own stretch leaves."""
    monkeypatch.setattr(Beside, "most", lambda _, turns: np.full(len(turns), 1e-30))
    kept, dropped, factors = chaintilt._kept(TARGET, chaintilt.tilted(TARGET, 0.0), 111)
    assert kept.tolist() == [0]
    assert 0 < dropped < 1e-25
    assert factors is not None
    assert factors[0] == pytest.approx(1)


def test_the_bound_on_a_frequency_holds() -> None:
    tilt = chaintilt.tilted(TARGET, 0.1)
    assert tilt.beside is not None
    turned = chaintilt.turns(np.arange(56), np.array([0, 1]), 111)
    assert (tilt.beside.most(turned) >= np.abs(tilt.beside.factors(turned)) - tilt.beside.slip).all()


def points(of: MarkovChain, **changes: object) -> Points:
    found = chaintilt.rungs(of, 1e-9, 10**9)
    assert found is not None
    planted = []
    for rung in found[0]:
        assert rung.tilt.beside is not None
        tilt = replace(rung.tilt, beside=replace(rung.tilt.beside, **changes))
        planted.append(replace(rung, tilt=tilt))
    return Points.of(of, planted)


def test_the_slip_of_stretches_is_one_of_the_whole() -> None:
    assert (points(TARGET, slips=np.full(1, 1e-4)).slip >= 4e-4).all()


def test_an_end_may_itself_be_lost_below_the_smallest_floats() -> None:
    small = replace(TARGET, end=(F(1, 10**80), F(1, 10**80)))
    found = points(small)
    assert (found.sunk >= 1e-300 * (1 - 1e-9)).all()


def test_a_rung_is_off_by_what_its_stretches_are() -> None:
    found = points(TARGET)
    number = found.centre
    off = replace(found.rungs[number], tilt=replace(found.rungs[number].tilt, off=1e-3))
    rungs = [off if place == number else rung for place, rung in enumerate(found.rungs)]
    planted = _OnRung.of(TARGET, replace(found, rungs=rungs), number, 1.0, np.arange(5))
    assert planted.relative >= math.expm1(1e-3)


def test_what_is_possible_can_be_reached_from_both_ends() -> None:
    """From 0 to 0 in a chain that alternates: the records between are 1, 0, 1."""
    turns = ((F(0), F(1)), (F(1), F(0)))
    of = MarkovChain(turns[0], turns, (0, 1), 3, (F(0), F(1)))
    assert possible(of, *classes(of), np.arange(1, 4)).tolist() == [[False, True], [True, False], [False, True]]
    stuck = MarkovChain((F(1, 2), F(1, 2)), turns, (0, 1), 3, (F(0), F(1)))
    assert possible(stuck, *classes(stuck), np.arange(1, 4)).tolist() == [[False, True], [True, False], [False, True]]
