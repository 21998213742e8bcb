"""Moves against small worlds, listed one by one: never below the truth, and not far above it."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from dalenius.claims import Verdict
from dalenius.facts.records import Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Value
from dalenius.plan import Publish, assess
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from judgement.worlds import World, truth
from linked.tables import YES, moves, table, world, worlds

F = Fraction
MARGINS = [table("rows", "r"), table("columns", "c")]
HAIR = 1e-12


def square(first: int, *others: int) -> dict[tuple[object, ...], int]:
    return dict(zip([(0, 0), (0, 1), (1, 0), (1, 1)], (first, *others), strict=True))


def test_the_margins_of_a_square():
    """Golden: one other record in the person's cell, eight in each other cell; by listing all datasets 0.2507. By moves
    alone it is 0.2961; told in parts, with the other record, nothing is lost.
    """
    small = world(square(2, 8, 8, 8), MARGINS)
    found = moves(small)
    judged = found.judged(0, 0)
    assert truth(small, found.cover.atoms[0]) == pytest.approx(0.25073586105878526, rel=1e-9)
    assert 0.25073586105878526 <= judged.delta.upper <= 0.25073586105878526 * (1 + 1e-7)
    assert "9 sets of others' records" in judged.because
    alone = found.docket.atom(found.cover.atoms[0], 0, alone=False)
    assert alone.delta.lower == pytest.approx(0.5)


def test_absence_is_a_fact_where_presence_is_secret():
    """A column of 3 to 6: values are up to 3 apart, and 3 to 6 from absence."""
    thirds = ColumnBelief("x", {(): tuple((F(value), F(1, 3)) for value in (3, 4, 6))}, "test")
    columns = {"x": Numbers(F(1), F(3), F(6))}
    sums = tuple(Figure(name, "sum", "x", Where(), (name,)) for name in "rc")
    for secret, apart in ((Value(), {1, 2, 3}), (Presence(), {1, 2, 3, 4, 5, 6})):
        here = World(Frame(("r", "c"), square(2, 2, 2, 2)), columns, (thirds,), sums, secret, 0, F(1))
        (topic,) = moves(here)._all_topics()
        changes = topic.changes(frozenset({0}), presence=secret == Presence())
        assert {max(map(abs, change)) for change in changes} == apart


@pytest.mark.slow
@settings(max_examples=40)
@given(small=worlds(most=7))
def test_moves_are_never_below_the_truth(small: World):
    found = moves(small)
    for place, atom in enumerate(found.cover.atoms):
        judged = found.judged(place, min(atom.size - 1, small.known))
        assert truth(small, atom) <= judged.delta.upper + HAIR


@pytest.mark.slow
@settings(max_examples=20)
@given(small=worlds(most=6))
def test_a_plan_of_linked_tables_is_never_below_the_truth(small: World):
    exact = truth(small)
    for factor in (F(9, 10), F(11, 10)):
        delta = min(F(1), factor * F(exact).limit_denominator(10**6))
        found = assess(small.figures, History(), small.question(delta)).answer
        assert not isinstance(found, Publish) or exact <= float(delta) + HAIR
        for finding in found.findings:
            assert finding.verdict != Verdict.FAIL or truth(small, finding.atom) >= float(delta) - HAIR


@pytest.mark.slow
@pytest.mark.parametrize("known", [0, 1, 2, 3])
def test_each_known_record_undoes_one_move(known: int):
    small = world(square(1, 3, 3, 3), MARGINS, known=known)
    found = moves(small)
    judged = found.judged(0, 0)
    exact = truth(small, found.cover.atoms[0])
    assert exact <= judged.delta.upper
    assert judged.delta.upper <= 1.5 * exact


@pytest.mark.slow
@pytest.mark.parametrize("rate", ["1/5", "1/2", "2/3"])
def test_bounds_stay_near_the_truth(rate: str):
    small = world(square(1, 4, 4, 4), MARGINS, rate=rate, epsilon="1")
    found = moves(small)
    for place, atom in enumerate(found.cover.atoms):
        exact = truth(small, atom)
        assert exact <= found.judged(place, 0).delta.upper <= 2.5 * exact + 0.02


def test_two_overlapping_filters_are_a_move_of_two_records():
    """Those in both filters change as one of the first only and one of the second only do together."""
    left = Where((("r", OneOf((0, 1))), *YES.tests))
    right = Where((("r", OneOf((1, 2))), *YES.tests))
    small = world({(0,): 4, (1,): 1, (2,): 4}, [table("a", where=left), table("b", where=right)], names=("r",))
    found = moves(small)
    place = next(at for at, atom in enumerate(found.cover.atoms) if atom.size == 1)
    exact = truth(small, found.cover.atoms[place])
    assert exact <= found.judged(place, 0).delta.upper < 0.6


@pytest.mark.slow
def test_all_tables_of_two_of_three_columns_have_cubes_for_moves():
    cells = {(a, b, c): 3 for a in (0, 1) for b in (0, 1) for c in (0, 1)}
    cells[0, 0, 0] = 1
    two = [table("ab", "a", "b"), table("ac", "a", "c"), table("bc", "b", "c")]
    small = world(cells, two, names=("a", "b", "c"), epsilon="1")
    found = moves(small)
    judged = found.judged(0, 0)
    assert "3 sets" in judged.because
    by_moves = (1 - 1 / 64) ** 3  # all seven records in the right states, of three moves none
    assert truth(small, found.cover.atoms[0]) <= judged.delta.upper < by_moves  # and in seven parts less


def test_a_full_table_has_no_moves():
    small = world(square(1, 8, 8, 8), [*MARGINS, table("cells", "r", "c")])
    assert moves(small).judged(0, 0).delta.upper == 1
