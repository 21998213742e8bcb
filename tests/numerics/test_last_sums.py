"""A tail, or what is missing, is added last: where it is by far the larger part, the rest must not be lost."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dalenius.enclosure.floats import UNIT
from dalenius.numerics import proportions
from dalenius.numerics.chainsides import HiddenSide
from dalenius.numerics.histograms import Multinomial
from dalenius.numerics.law import Law
from dalenius.numerics.proportions import tail_at_most
from dalenius.numerics.widecurve import WideShifts

F = Fraction
TINY = 0.05 * UNIT
WHOLE = F(1, 4) + F(TINY)


def test_of_a_law() -> None:
    assert F(Law(0, np.ones(1), np.full(1, TINY), 0.25).additive) >= WHOLE


def test_of_a_number_of_successes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proportions, "binomial", lambda *_: Law(0, np.full(1, TINY), np.zeros(1), 0.25))
    assert F(tail_at_most(5, F(1, 2), 0)) >= WHOLE


def test_of_a_law_in_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    law = SimpleNamespace(tail=0.25)
    here: Any = SimpleNamespace(
        law=law,
        shift=1,
        _events=lambda _: [SimpleNamespace(value=0.0)],
        _most=lambda *_: TINY,
        _pieces=lambda _: [None],
    )
    assert F(WideShifts.delta(here, F(1)).upper) >= WHOLE
    monkeypatch.setattr("dalenius.numerics.widecurve.weights", lambda *_: [None])
    monkeypatch.setattr("dalenius.numerics.widecurve._sum", lambda *_: TINY)
    some: Any = (None,)
    assert F(WideShifts.probabilities(here, 1, some)[1]) >= WHOLE


def test_of_a_neighbourhood() -> None:
    seen = (np.zeros(1), np.full(1, 1e9))
    assert F(HiddenSide(0.25, np.full(1, TINY), (seen,), None, 0.0).delta(F(1))) >= WHOLE
    worlds = [(np.full((1, 1), TINY), np.zeros((1, 1)))]
    assert F(HiddenSide(0.0, np.zeros(1), (), worlds, 0.25).delta(F(1))) >= WHOLE


def test_of_histograms() -> None:
    none: Any = np.zeros(1, dtype=np.int64)
    found = Multinomial(none[None, :], np.zeros(1), np.full(1, TINY), 0.25).joint(none, none, 1)[1]
    assert F(float(found[0, 0, 0])) >= WHOLE
