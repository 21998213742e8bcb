"""A cheap bound by fair coins: how many are counted on, and what is added, are rounded to the safe side."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb

from dalenius.basics.patience import always
from dalenius.enclosure.floats import UNIT
from dalenius.judge.group import Laws
from dalenius.plan.calibration import cells
from dalenius.plan.calibration.figure import FEW, FigureSetting
from oracle import balls

F = Fraction


class Planted:
    """Fair coins of which nothing is computed: they are counted, and have this δ."""

    seen = 0
    delta = 0.5

    def __init__(self, counts: np.ndarray, *_: object) -> None:
        Planted.seen = int(counts[0])

    def exact(self, _: Fraction) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(1), np.array([self.delta])


def coins(mean: Fraction) -> Laws:
    """A thousand records, of which so many are fair coins on average."""
    rate = mean / 2000
    return Laws((((((0,), 1 - rate), ((1,), rate)), 1000),), ((0,), (1,)))


@balls.precise
def test_no_more_coins_are_counted_on_than_there_are_for_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as a whole number, but for a hair."""
    monkeypatch.setattr(cells, "Binomials", Planted)
    wanted = F(1, 10**6)
    twice = 2 * (1 / balls.ball(F(float(wanted) / 100))).log()
    for whole in range(50, 150):
        mean = balls.lower(((twice.sqrt() + (twice + 4 * whole).sqrt()) / 2) ** 2) * (1 - F(1, 10**17))
        cells.coins_bound(coins(mean), 0, F(1), wanted)
        sure: arb = balls.ball(mean) - (balls.ball(mean) * twice).sqrt()
        assert whole - 1 <= Planted.seen <= balls.lower(sure)


def test_the_chance_of_fewer_coins_is_added_and_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "Binomials", Planted)
    wanted = F(UNIT) * 20
    found = cells.coins_bound(coins(F(500)), 0, F(1), wanted)
    assert F(found) >= F(1, 2) + F(float(wanted) / 100)


def test_a_chance_that_is_no_float_bounds_nothing() -> None:
    assert cells.coins_bound(coins(F(500)), 0, F(1), F(1, 10**400)) == 1.0


def test_the_records_that_hide_most_are_those_that_are_known() -> None:
    """A hundred fair coins are known; a hundred rare records are left, mostly all of them zeros."""
    types = tuple(((((0,), 1 - rate), ((1,), rate)), 100) for rate in (F(1, 2), F(1, 1000)))
    found = cells.coins_bound(Laws(types, ((0,), (1,))), 100, F(1), F(1, 1000))
    assert F(found) >= F(999, 1000) ** 100


def test_whoever_passes_by_a_closer_look_does_not_speak_for_the_others() -> None:
    """Bounds of all are above what is wanted; of the first, which is the worst, the bound is too wide, of the last not.
    Then all are looked at; and so is a case of which nothing was said.
    """
    truths = tuple([0.05] * FEW + [0.3])
    for bounds, left in (([0.5] + [0.4] * FEW, ()), ([0.05] * FEW, (FEW,))):
        rows: Any = SimpleNamespace(uppers=lambda *_, b=bounds, r=left: (np.array(b), r), places=range(len(bounds)))
        docket = SimpleNamespace(epsilon=F(1), enough=F(1, 10))
        asked: Any = SimpleNamespace(
            cases=truths, docket=docket, left=always, _cells=[rows], _one_by_one=lambda _, some: max(some)
        )
        anything: Any = None  # the channel does not matter here
        assert FigureSetting.most(asked, anything) == 0.3
