"""The bounds that a witness prints are bounds after rounding too."""

import importlib
import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.cells import FoundCell
from dalenius.plan.rules import Threshold, attack

F = Fraction
module = importlib.import_module("dalenius.plan.rules.worth")
told = importlib.import_module("dalenius.judge.resonance")
SIZE, TAIL = 300, 0.125


def witness(lows: list[np.ndarray], highs: list[np.ndarray], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The witness at ε = 0 where cell k has labels of these chances, at least and at most, in its two worlds."""
    points = [
        SimpleNamespace(low=np.array([low]), high=np.array([high]), tail=TAIL)
        for low, high in zip(lows, highs, strict=True)
    ]
    cells = [SimpleNamespace(point=lambda _, here=here: here, counts_at=lambda _: range(SIZE)) for here in points]
    waiting = iter(cells)
    monkeypatch.setattr(module, "LabelCell", lambda *_: next(waiting))
    found = SimpleNamespace(at=(1,) * len(cells), forward=True)
    return module._witness(Threshold(1), F(0), attack(), (0,) * len(cells), found)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("size", [1, 2])
def test_the_chances_of_a_witness_are_rounded_outwards(seed: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    count = SIZE if size == 1 else 17
    low, high = rng.uniform(0.2, 0.3, (size, 2, count)) / count, rng.uniform(0.1, 0.19, (size, 2, count)) / count
    high *= 1e-13 if seed % 2 else 1  # less than the tails' rounding
    said = witness(list(low), list(high), monkeypatch)
    if size == 1:
        first, second = sum(map(F, low[0, 0].tolist())), sum(map(F, high[0, 1].tolist()))
    else:
        first = sum(map(F, low[0, 0].tolist())) * sum(map(F, low[1, 1].tolist()))
        second = sum(map(F, high[0, 1].tolist())) * sum(map(F, high[1, 0].tolist()))
    assert first * (1 - F(1, 10**11)) <= F(said.first) <= first
    assert second + size * F(TAIL) <= F(said.second) <= (second + size * F(TAIL)) * (1 + F(1, 10**11))


def test_the_chance_of_a_hidden_lattice_is_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The float nearest to ln 1/4 is above it: its exponential is above 1/4, which is what floats make of it."""
    rest = SimpleNamespace(span=1, counts=(), lattice=SimpleNamespace(q=7, logarithm=lambda _: math.log(0.25)))

    class Wide:
        shift, grain = 1, 1
        crowd = SimpleNamespace(without=lambda _: rest)

        def find(self, _: Fraction) -> tuple[None, tuple[int, ...]]:
            return None, (0,)

    monkeypatch.setattr(told, "WideCurve", Wide)
    assert math.exp(math.log(0.25)) == 0.25
    telling: Any = SimpleNamespace(unit=F(1))
    assert "with probability 0.2501 all other values lie on a lattice of step 7" in told.resonance(
        Wide(), F(1), telling
    )


@pytest.mark.parametrize("enough", [None, F(1, 2)])
def test_numbers_of_known_persons_that_are_not_looked_at_may_be_worse(
    enough: Fraction | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody known settles it; with one, δ is 1."""
    deltas = iter([Bracket(1 - 5e-10, 1 - 4e-10), Bracket(1.0, 1.0)])
    worst = SimpleNamespace(find=lambda *_, **__: FoundCell(next(deltas), (1.0,), True))
    monkeypatch.setattr(module, "WorstMeans", lambda *_, **__: worst)
    _, found = module._find(Threshold(5, zeros="shown"), F(1), attack(known=1), None, enough)
    assert found.delta.upper == 1.0
