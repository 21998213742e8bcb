"""Several topics at once, and shares that hold in every table: the terms of the certificate that only show there."""

from fractions import Fraction

import numpy as np

from dalenius.beliefs.coins import CoinsCurve
from dalenius.numerics.law import Law
from dalenius.packing import Packed, Proposals
from dalenius.records import OneOf, Where
from linked.tables import YES, moves, table, world

F = Fraction


def test_coins_that_may_be_missing_are_charged():
    found = moves(world({(0, 0): 3, (0, 1): 3}, [table("rows", "r")], epsilon="20"))
    number = Law(40, np.array([1e-8, 1 - 1e-8]), np.zeros(2))
    object.__setattr__(found.judge, "enough", F(1, 2))
    curves = [CoinsCurve(number, 0.5, found.coins)] * 2
    count, missing = curves[0].sure(0.5 / 16)
    assert found._together(curves) >= found._binomials(((0.5, count),) * 2) + 2 * missing
    rare = Law(39, np.array([0.02, 0.98]), np.zeros(2))
    curves = [CoinsCurve(rare, 0.5, found.coins)] * 2
    count, missing = curves[0].sure(0.5 / 16)
    assert (count, missing > 0.019) == (40, True)
    assert found._together(curves) >= 2 * missing


def test_a_share_of_every_number_undoes_no_more_than_its_cells_hold_and_all_that_no_number_covers():
    groups = {(r, c): 10 for r in range(4) for c in range(2)}
    small = world(groups, [table("rows", "r"), table("first", "c", where=_first())])
    found = moves(small)
    shared = type(found)(found.cover, found.judge, 20, F(1, 10))
    codes = shared._coded()
    packer = shared._packer(shared._all_topics()[0], (1,))
    assert codes.shape == (2, 8)
    shape = Proposals(np.arange(8).reshape(1, 8), np.ones(8, dtype=np.int64))
    target = 0
    packed = Packed(((shape, np.array([3])),))
    mine = packer.member == packer.member[target]
    rows = [min(2, 3 * 2 + 7 * int(mine[2 * r]) + 7 * int(mine[2 * r + 1])) for r in range(4)]
    assert shared._undone(packer, target, packed) == sum(rows)
    outside = type(found)(found.cover, found.judge, 20, F(0))
    # nobody is known in any cell, and the rows cover everybody: nothing can be undone
    assert outside._undone(packer, target, packed) == 0
    partly = moves(world(groups, [table("first", "c", where=_first())]))
    some = type(partly)(partly.cover, partly.judge, 20, F(0))
    other = some._packer(some._all_topics()[0], (1,))
    # rows 2 and 3 are in no number: any of their 12 records may be known
    assert some._undone(other, target, packed) == 12


def _first() -> Where:
    return Where((("r", OneOf((0, 1))), *YES.tests))
