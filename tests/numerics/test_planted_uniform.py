"""Sums of uniform numbers whose densities are wrong by exactly what they may be."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics import irwin_hall
from dalenius.numerics.irwin_hall import UniformSum

F = Fraction
ZERO = F(0)


def planted(
    monkeypatch: pytest.MonkeyPatch, survivals: dict[str, float], *, exponential: tuple[float, float] = (1.0, 1.0)
) -> list[list[float]]:
    """One turning point, and these probabilities ahead of it, behind it and there; what was asked for is kept."""
    asked: list[list[float]] = []

    def survival(_: int, places: np.ndarray) -> list[float]:
        asked.append(places.tolist())
        return [survivals["ahead"], survivals["behind"], survivals["here"]]

    monkeypatch.setattr(irwin_hall, "_turning", lambda *_: 1.25)
    monkeypatch.setattr(irwin_hall, "_side", lambda _, __, at, ___: -1 if at < 1.25 else 1)
    monkeypatch.setattr(irwin_hall, "_survival", survival)
    monkeypatch.setattr(irwin_hall, "exponential", lambda _: exponential)
    return asked


def test_the_turning_point_is_enclosed() -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        asked = planted(monkeypatch, {"ahead": 0.5, "behind": 0.25, "here": 0.25})
        irwin_hall._enclosed(2, F(1, 2), ZERO)
    ((ahead, behind, here),) = asked
    assert ahead + 0.5 < 1.25 < behind
    assert here == ahead + 0.5


def test_the_exponential_counts_from_the_side_that_is_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, {"ahead": 0.75, "behind": 0.25, "here": 0.25}, exponential=(1.0, 2.0))
    bracket = irwin_hall._enclosed(2, F(1, 2), ZERO)
    assert bracket.lower <= 0.25
    assert bracket.upper >= 0.5


def test_what_vanishes_below_the_smallest_floats_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, {"ahead": 0.0, "behind": 0.0, "here": 0.0})
    assert irwin_hall._enclosed(2, F(1, 2), ZERO).upper >= 1e-300
    planted(monkeypatch, {"ahead": 1e-9, "behind": 0.0, "here": 0.0}, exponential=(1e295, 1e295))
    assert irwin_hall._enclosed(2, F(1, 2), ZERO).lower == 0.0


@pytest.mark.parametrize(("moved", "here", "side"), [(0.4, 0.5, 0), (0.9, 0.5, 0), (0.3, 0.5, -1), (1.1, 0.5, 1)])
def test_densities_are_compared_with_both_ends_of_the_exponential(
    moved: float, here: float, side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(irwin_hall, "exponential", lambda _: (0.7, 2.0))
    monkeypatch.setattr(irwin_hall, "_density", lambda *_: [moved, here])
    assert irwin_hall._side(2, 0.5, 1.0, ZERO) == side


def test_what_may_be_lost_counts_on_either_side_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A density of nothing beside one of 1.5 and of 0.5 times what may be lost."""
    for exponential in ((1e3, 1e3), (1e-3, 1e-3)):
        monkeypatch.setattr(irwin_hall, "exponential", lambda _, pair=exponential: pair)
        large = irwin_hall.FAR * exponential[0] / 2
        for pair in ([large, 0.0], [0.0, irwin_hall.FAR / 2], [irwin_hall.FAR / 2, 0.0]):
            monkeypatch.setattr(irwin_hall, "_density", lambda *_, pair=pair: pair)
            assert irwin_hall._side(2, 0.5, 1.0, ZERO) == 0
        monkeypatch.setattr(irwin_hall, "_density", lambda *_, at=exponential[0]: [0.0, irwin_hall.FAR / 2 / at])
        assert irwin_hall._side(2, 0.5, 1.0, ZERO) == 0


def test_one_uniform_number_is_rounded_outwards() -> None:
    for shift in (F(1, 3), F(2, 3), F(1, 10), F(7, 10)):
        bracket = UniformSum(1, shift).delta(F(1))
        assert F(bracket.lower) <= shift <= F(bracket.upper)


def test_a_shift_between_two_places_of_the_grid_counts_as_the_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    """And from below as the smaller."""
    right, asked = irwin_hall._enclosed, {}

    def enclosed(count: int, shift: Fraction, epsilon: Fraction) -> Bracket:
        found = right(count, shift, epsilon)
        asked[shift] = found
        return found

    monkeypatch.setattr(irwin_hall, "_enclosed", enclosed)
    bracket = UniformSum(2, F(1, 3)).delta(ZERO)
    least, most = min(asked), max(asked)
    assert least < F(1, 3) < most
    assert (bracket.lower, bracket.upper) == (asked[least].lower, asked[most].upper)
