"""Columns that move together, against small worlds that are listed one by one: never below the truth, and tight."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from amount import examples
from dalenius.claims import Verdict
from dalenius.facts.records import Categories, Column, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Value
from dalenius.mechanisms import Chain
from dalenius.plan.examination import examine
from dalenius.tables.contributions import linked
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from dalenius.tables.history import atoms_of
from judgement.strategies import EXACT, NOISY
from judgement.test_brute_force import assert_sound, factors, target
from judgement.worlds import CLOSE, World, truth

YES_NO = Categories(("no", "yes"))
COLUMNS: list[Column] = [YES_NO, Categories(("p", "q", "z")), Numbers(Fraction(1), Fraction(0), Fraction(2))]


@st.composite
def tables(draw: st.DrawFn, columns: list[Column]) -> tuple:
    """Probabilities of all rows; columns may determine each other, or exclude combinations."""
    rows = list(product(*(column.values for column in columns)))
    weights = draw(st.lists(st.sampled_from([0, 0, 1, 2, 7]), min_size=len(rows), max_size=len(rows)))
    assume(sum(weights))
    return tuple((row, Fraction(weight, sum(weights))) for row, weight in zip(rows, weights, strict=True))


@st.composite
def figures(draw: st.DrawFn, name: str, columns: dict[str, Column], channels: list[Chain]) -> Figure:
    used = draw(st.sampled_from([["u"], ["v"], ["u", "v"], ["u", "w"]]))
    tests = []
    for column in (name for name in used if name in columns):
        some = draw(st.lists(st.sampled_from(list(columns[column].values)), min_size=1, max_size=2, unique=True))
        tests.append((column, OneOf(tuple(some))))
    by = draw(st.sampled_from([(), (), ("r",)]))
    return Figure(name, "count", None, Where(tuple(tests)), by, draw(st.sampled_from(channels)))


@st.composite
def joint_worlds(draw: st.DrawFn, channels: list[Chain], *, most: int = 5) -> World:
    """Columns u and v that move together, and sometimes w, which does not."""
    groups = {("a",): draw(st.integers(1, 4)), ("b",): draw(st.integers(0, 2))}
    groups = {cell: count for cell, count in groups.items() if count}
    assume(sum(groups.values()) <= most)
    columns = {name: draw(st.sampled_from(COLUMNS)) for name in ("u", "v")}
    by = draw(st.sampled_from([(), ("r",)]))
    keys = list(groups) if by else [()]
    together = {key: draw(tables(list(columns.values()))) for key in keys}
    beliefs = [ColumnBelief("u", together, "test", by, beside=("v",))]
    if draw(st.booleans()):
        columns["w"] = YES_NO
        beliefs.append(ColumnBelief("w", {(): (("no", Fraction(2, 3)), ("yes", Fraction(1, 3)))}, "test"))
    found = tuple(draw(figures(f"f{at}", columns, channels)) for at in range(draw(st.integers(1, 3))))
    known = draw(st.integers(0, sum(groups.values()) - 1))
    epsilon = Fraction(draw(st.sampled_from(["0", "0.1", "0.5", "1", "3"])))
    secret = draw(st.sampled_from([Value(), Value(), Presence()]))
    world = World(Frame(("r",), groups), columns, tuple(beliefs), found, secret, known, epsilon)
    assume(sum(not figure.channel.exact for figure, _ in world.numbers) <= 1)
    return world


@pytest.mark.slow
@given(world=joint_worlds([EXACT]), factor=factors)
@settings(max_examples=examples(60))
def test_exact_figures_are_never_judged_safer_than_they_are(world: World, factor: float) -> None:
    assert_sound(world, target(world, factor))


@pytest.mark.slow
@given(world=joint_worlds([EXACT, *NOISY], most=4), factor=factors)
@settings(max_examples=examples(25))
def test_noise_beside_exact_figures_is_never_judged_safer_than_it_is(world: World, factor: float) -> None:
    assert_sound(world, target(world, factor))


def crosstab(rows: dict[tuple[str, str], str], n: int, *figures: Figure) -> World:
    table = tuple((row, Fraction(chance)) for row, chance in rows.items())
    belief = ColumnBelief("u", {(): table}, "test", beside=("v",))
    cells = tuple(
        Figure(f"{u}{v}", "count", None, Where((("u", OneOf((u,))), ("v", OneOf((v,))))))
        for u, v in product(YES_NO.values, repeat=2)
    )
    columns = {"u": YES_NO, "v": YES_NO}
    return World(Frame((), {(): n}), columns, (belief,), figures or cells, Value(), 1, Fraction(1, 2))


def upper(world: World) -> float:
    findings = examine(world.figures, world.question(Fraction(1, 100)), lambda *_: None).findings
    return max(finding.delta.upper for finding in findings)


MOSTLY_ALIKE = {("no", "no"): "0.5", ("no", "yes"): "0.1", ("yes", "no"): "0.1", ("yes", "yes"): "0.3"}


@pytest.mark.parametrize("n", [3, 6, 9])
def test_a_crosstab_is_judged_by_its_joint_law_exactly(n: int) -> None:
    world = crosstab(MOSTLY_ALIKE, n)
    exact = truth(world)
    assert exact <= upper(world) + CLOSE
    assert upper(world) <= exact * (1 + 1e-6) + CLOSE


def one(column: str) -> Figure:
    return Figure(f"all {column}", "count", None, Where(((column, OneOf(("yes",))),)))


def test_margins_of_columns_that_move_together_are_never_judged_apart() -> None:
    """Where v is u, the two counts tell of a person with u but not v at once; two independent columns would hide it."""
    same = {("no", "no"): "1/2", ("no", "yes"): "0", ("yes", "no"): "0", ("yes", "yes"): "1/2"}
    world = crosstab(same, 8, one("u"), one("v"))
    half = (("no", Fraction(1, 2)), ("yes", Fraction(1, 2)))
    alone = tuple(ColumnBelief(name, {(): half}, "test") for name in "uv")
    assert truth(world) == 1
    assert upper(world) >= 1 - CLOSE
    assert upper(replace(world, beliefs=alone)) < 0.6
    assert len(linked(world.figures, world.columns, world.beliefs)) == 1
    assert len(linked(world.figures, world.columns, alone)) == 2


def test_a_column_that_no_figure_uses_links_those_that_move_with_it() -> None:
    """u and w have nothing in common but v, on which no figure depends."""
    columns = dict.fromkeys("uvw", YES_NO)
    table = tuple((row, Fraction(1, 8)) for row in product(YES_NO.values, repeat=3))
    belief = ColumnBelief("u", {(): table}, "test", beside=("v", "w"))
    assert len(linked((one("u"), one("w")), columns, (belief,))) == 1


def test_a_table_of_independent_columns_gives_what_independence_gives() -> None:
    third = {"no": Fraction(2, 3), "yes": Fraction(1, 3)}
    product_law = {(u, v): str(third[u] * third[v]) for u, v in product(third, repeat=2)}
    world = crosstab(product_law, 7)
    alone = tuple(ColumnBelief(name, {(): tuple(third.items())}, "test") for name in "uv")
    assert upper(world) == upper(replace(world, beliefs=alone))


def test_masses_that_no_probability_is_below_are_added_up() -> None:
    """With a weight of 0.8, the count of one of the columns is judged by that weight of its margin."""
    world = crosstab(MOSTLY_ALIKE, 8, one("u"))
    (belief,) = world.beliefs
    least = {(): tuple((row, chance * Fraction(4, 5)) for row, chance in belief.table[()])}
    margin = (("no", Fraction(3, 5)), ("yes", Fraction(2, 5)))
    single = ColumnBelief("u", {(): margin}, "test", least={(): tuple((v, p * Fraction(4, 5)) for v, p in margin)})
    v = ColumnBelief("v", {(): margin}, "test")
    assert upper(replace(world, beliefs=(replace(belief, least=least),))) == upper(replace(world, beliefs=(single, v)))


def test_every_group_has_a_verdict() -> None:
    world = crosstab(MOSTLY_ALIKE, 9)
    (finding,) = examine(world.figures, world.question(Fraction(1)), lambda *_: None).findings
    assert finding.verdict == Verdict.PASS
    assert len(atoms_of(world.figures, world.frame, world.columns)) == 1
