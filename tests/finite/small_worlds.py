"""Tiny worlds, mechanisms and beliefs for the tests of Pufferfish."""

import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from dalenius.papers.definitions import pufferfish as pf
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset, Finite
from oracle.strategies import masses

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text(encoding="utf-8"))
HAIR = 1e-9


def listed(*choices: tuple[object, ...]) -> Finite:
    rows = list(itertools.product(*choices))
    return Finite.table({row: Fraction(1, len(rows)) for row in rows})


PEOPLE = listed((None, "t", "u"), (None, "t", "u"))


def saying_yes(world: Finite, chances: dict[Dataset, float]) -> FiniteMechanism:
    """Output 1 with this probability, else 0."""
    rows = [Fraction(chances[dataset]) for dataset in world.datasets()]
    return FiniteMechanism.matrix([[p, 1 - p] for p in rows], (1, 0))


@st.composite
def mechanisms(draw: st.DrawFn, world: Finite) -> FiniteMechanism:
    """Every output is possible."""
    rows = [draw(masses(3)) for _ in range(world.size)]
    return FiniteMechanism.matrix([[(p + Fraction(1, 50)) / (1 + Fraction(3, 50)) for p in row] for row in rows])


@st.composite
def marginals(draw: st.DrawFn, world: Finite) -> list[dict[object, Fraction]]:
    size = len(world.values)
    return [dict(zip(world.values, draw(masses(size)), strict=True)) for _ in range(world.n)]


@st.composite
def beliefs(draw: st.DrawFn, world: Finite) -> Finite:
    return Finite(world.values, world.codes, np.array(draw(masses(world.size)), dtype=object))


def close(value: pf.Bracket, golden: float) -> bool:
    return abs(value.lower - golden) < HAIR and abs(value.upper - golden) < HAIR


SAME_SIZE = listed((None, "t", "u"), (None, "t", "u"), (None, "t", "u")).constrained(lambda row: row.count(None) == 1)


def feasible(world: Finite, laws: list[dict[object, Fraction]]) -> bool:
    return any(all(law[value] for law, value in zip(laws, row, strict=True)) for row in world.datasets())


def counted(people: int) -> Finite:
    return listed(*[(None, "t", "u")] * people).constrained(lambda row: row.count("t") == 1)
