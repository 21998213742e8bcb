"""Public columns of so many values that their products do not fit into 64 bits."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dalenius.facts.records import Categories, OneOf, Where
from dalenius.tables.figures import Figure, Frame
from dalenius.tables.history import Cover
from dalenius.tables.packing import Packer

VALUES, COLUMNS = 1 << 13, ("a", "b", "c", "d", "e", "f")  # (2^13)^5 = 2^65


def people() -> Frame:
    """Everybody has one value in all columns, but for two who differ from somebody in the first column only."""
    groups = {(v,) * len(COLUMNS): 1 for v in range(VALUES)}
    return Frame(COLUMNS, {**groups, (1, 0, 0, 0, 0, 0): 1, (2, 0, 0, 0, 0, 0): 1})


@pytest.mark.slow
def test_cells_that_differ_in_the_first_column_only_stay_apart() -> None:
    figure = Figure("yes", "count", None, Where((("x", OneOf(("yes",))),)), COLUMNS)
    frame = people()
    cover = Cover.of([figure], frame, {"x": Categories(("no", "yes"))})
    assert len(cover.atoms) == len(frame.groups)
    assert all(atom.size == 1 for atom in cover.atoms)


@pytest.mark.slow
def test_moves_are_not_looked_for_where_places_cannot_be_listed() -> None:
    """Sizes whose product is 2^64: in 64 bits it would be 0, and times a little more a small number."""
    figure = Figure("yes", "count", None, Where((("x", OneOf(("yes",))),)), ("a",))
    frame = people()
    cover = Cover.of([figure], frame, {"x": Categories(("no", "yes"))})
    codes = np.array(list(itertools.chain(frame.groups)), dtype=np.int64).T
    packer = Packer.of(cover, codes, [0], [frozenset({0})])
    assert len(packer.place) == 0
    assert packer.patterns == ()
    assert packer.packed(0, *(np.full(len(cover.counts), 0.5),) * 2, 0.5, float(Fraction(5))).count == 0
