"""Several topics at once, and shares that hold in every table: the terms of the certificate that only show there."""

from fractions import Fraction

import numpy as np

from dalenius.beliefs.coins import Coins, CoinsCurve
from dalenius.facts.records import OneOf, Where
from dalenius.numerics.law import Law
from dalenius.tables.moves import Several
from dalenius.tables.packing import Packed, Proposals
from linked.tables import YES, moves, table, world

F = Fraction


def test_coins_that_may_be_missing_are_charged():
    found, coins = Several(F(20), F(1, 2)), Coins()
    number = Law(40, np.array([1e-8, 1 - 1e-8]), np.zeros(2))
    curves = [CoinsCurve(number, 0.5, coins)] * 2
    count, missing = curves[0].sure(0.5 / 16)
    assert found.together(curves) >= found.binomials(((0.5, count),) * 2) + 2 * missing
    rare = Law(39, np.array([0.02, 0.98]), np.zeros(2))
    curves = [CoinsCurve(rare, 0.5, coins)] * 2
    count, missing = curves[0].sure(0.5 / 16)
    assert (count, missing > 0.019) == (40, True)
    assert found.together(curves) >= 2 * missing


def test_a_share_of_every_number_undoes_no_more_than_its_cells_hold_and_all_that_no_number_covers():
    groups = {(r, c): 10 for r in range(4) for c in range(2)}
    small = world(groups, [table("rows", "r"), table("first", "c", where=_first())])
    found = moves(small)
    shared = type(found)(found.cover, found.docket, 20, F(1, 10))
    codes = shared._coded()
    assert codes.shape == (2, 8)
    shape = Proposals(np.arange(8).reshape(1, 8), np.ones(8, dtype=np.int64))
    target = 0
    packed = Packed(((shape, np.array([3])),))
    assert shared._undone(target, packed) == 4 * 2  # a tenth of every row, all of which have more than that
    outside = type(found)(found.cover, found.docket, 20, F(0))
    # nobody is known in any cell, and the rows cover everybody: nothing can be undone
    assert outside._undone(target, packed) == 0
    partly = moves(world(groups, [table("first", "c", where=_first())]))
    some = type(partly)(partly.cover, partly.docket, 20, F(0))
    # rows 2 and 3 are in no number: any of their 12 records may be known
    assert some._undone(target, packed) == 12


def _first() -> Where:
    return Where((("r", OneOf((0, 1))), *YES.tests))
