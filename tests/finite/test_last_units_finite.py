"""Laws of small worlds that are known up to an error or a slack: both reach what is claimed."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.numerics.outcomes import Outcomes
from dalenius.papers.definitions import coupled, inference, semantic
from dalenius.papers.definitions.finite import _enclosed, pointwise_indistinguishability
from dalenius.papers.mechanisms.finite import ROUNDING, FiniteMechanism

F = Fraction


def test_a_law_is_enclosed_with_its_error_and_its_slack() -> None:
    (ends,) = _enclosed(Outcomes(np.array([0.5]), 0.01, 0.125))
    assert ends[0] <= F(1, 2) * F(99, 100) - F(1, 8)
    assert ends[1] >= F(1, 2) * (1 + F(0.01)) + F(1, 8)
    (ends,) = _enclosed(Outcomes(np.array([0.5]), 0.01))
    assert ends[0] <= F(1, 2) * (1 - F(0.01))
    assert ends[1] >= F(1, 2) * (1 + F(0.01))
    (ends,) = _enclosed(Outcomes(np.array([0.5])))
    assert ends[0] < F(1, 2) < ends[1]


def test_outcomes_that_a_slack_leaves_open_count_in_full() -> None:
    sure, open_ = (Outcomes(np.array([1.0]), 0.0, slack) for slack in (0.0, 0.125))
    for one, two in ((sure, open_), (open_, sure)):
        assert pointwise_indistinguishability(one, two, epsilon=1).upper >= 0.125


def test_a_chance_in_floats_is_known_up_to_a_few_roundings() -> None:
    found = inference.around(0.5, 0.5)
    assert found.lower <= 0.5 * (1 - 16 * ROUNDING)
    assert found.upper >= 0.5 * (1 + 16 * ROUNDING)
    third = inference.around(F(1, 3), F(1, 3))
    assert F(third.lower) <= F(1, 3) <= F(third.upper)
    third = inference.around(F(2, 3), F(2, 3))
    assert F(third.lower) <= F(2, 3) <= F(third.upper)


def test_a_distance_in_floats_is_known_up_to_its_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "rounding", lambda _: 0.0625)
    found = semantic._around(0.5, None)  # type: ignore[arg-type]
    assert (found.lower, found.upper) == (0.4375, 0.5625)
    chances = np.array([0.5, 0.25, 0.25])
    failing = semantic._failing(None, chances, [[0.3, 0.36, 0.2]], F(3, 10))  # type: ignore[arg-type]
    assert failing.lower == 0
    assert failing.upper >= 0.75


def test_what_a_world_loses_below_the_smallest_float_is_told() -> None:
    made = FiniteMechanism((0, 1), np.array([0]), np.array([[1e-200, 1.0]]))
    *_, lost = coupled._published((np.array([0]), np.array([1e-200])), made)
    assert lost > 0
