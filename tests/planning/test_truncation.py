"""Truncated sums: what they hide and what they cost, against worlds that are listed; what is wrong with limits."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certificates.tampering import resealed
from dalenius.basics.errors import DataError, InputError
from dalenius.data import Request, open_table
from dalenius.facts.records import Between, Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.mechanisms import Chain, Rounded, TwoSidedGeometric
from dalenius.plan import Alternative, Coarsen, Publish, Question, Target, largest_known, plan
from dalenius.plan.examination import examine
from dalenius.plan.part import Desk, Part, parts_of
from dalenius.plan.truncating import COUNTS, _TruncatedSum, truncation
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import certificate
from dalenius.record.codec import figure_json, figure_of
from dalenius.record.ledger.meaning import meaning
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History, quantities
from dalenius_checker.__main__ import run
from judgement.strategies import EXACT, worlds
from judgement.test_brute_force import factors, target
from judgement.worlds import CLOSE, World, truth
from planning.specs import question

F = Fraction
COLUMN = Numbers(F(1), F(0), F(20))
TOTAL = Figure("total", "sum", "v")


def heavy(rest: int, n: int = 400, *, delta: str = "1e-3", kind: str = "sum") -> tuple[Figure, Question]:
    """Values of 0 to 4, all alike; and one in `rest` has 20."""
    law = (*((F(value), (1 - F(1, rest)) / 5) for value in range(5)), (F(20), F(1, rest)))
    belief = ColumnBelief("v", {(): law}, "test")
    asked = Question(Frame((), {(): n}), {"v": COLUMN}, (belief,), Attacker(0), Value(), Target(F(1, 2), F(delta)))
    return replace(TOTAL, kind=kind), asked


def looked_at(figures: Sequence[Figure], asked: Question) -> tuple[Part, Desk]:
    examined = examine(figures, asked, lambda *_: None)
    (part,) = parts_of(tuple(figures), (), examined)
    return part, Desk(asked, examined.docket, examined.sizes, tuple(figures), (2,), lambda *_: None)


def truncated(figures: Sequence[Figure], asked: Question) -> Alternative:
    return truncation(*looked_at(figures, asked), {})


# What it hides ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(world=worlds([EXACT], most=4, figures_at_most=2), factor=factors)
@settings(max_examples=30)
def test_what_is_certified_by_truncation_is_safe(world: World, factor: float) -> None:
    delta = target(world, factor)
    asked = world.question(delta)
    examined = examine(world.figures, asked, lambda *_: None)
    desk = Desk(asked, examined.docket, examined.sizes, world.figures, (2,), lambda *_: None)
    for part in parts_of(world.figures, (), examined):
        found = truncation(part, desk, {})
        if found.certified:
            becomes = {change.figure: change.becomes[0] for change in found.changes}
            figures = tuple(becomes.get(figure.name, figure) for figure in part.new)
            assert truth(replace(world, figures=figures)) <= float(delta) + CLOSE


def test_a_plain_and_a_truncated_sum_are_two_quantities_of_one_law() -> None:
    """Their difference is what was cut off, so that both tell more than either."""
    belief = ColumnBelief("v", {(): tuple((F(v), F(1, 4)) for v in range(4))}, "test")
    cut = replace(TOTAL, name="cut", truncated=(F(0), F(2)))
    column = Numbers(F(1), F(0), F(3))
    world = World(Frame((), {(): 4}), {"v": column}, (belief,), (TOTAL, cut), Value(), 0, F(1))
    alone = [truth(replace(world, figures=(figure,))) for figure in world.figures]
    both = truth(world)
    assert both > max(alone) + 0.01
    decision = examine(world.figures, world.question(F(1, 100)), lambda *_: None)
    assert decision.findings[0].delta.upper == pytest.approx(both, rel=1e-6)
    assert quantities((TOTAL, cut), world.columns) == [0, 1]


# What it costs ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_tail_that_is_cut_off_costs_what_is_cut_off() -> None:
    figure, asked = heavy(10**4)
    found = plan((figure,), History(), asked)
    assert isinstance(found, Coarsen)
    (chosen,) = [one for one in found.alternatives if one.chosen]
    (change,) = chosen.changes
    assert (chosen.way, change.line) == ("truncation", "truncate: [0, 4]")
    assert change.error == pytest.approx(400 * (20 - 4) / 10**4)
    assert chosen.cost == pytest.approx(change.error / 20)
    assert change.error < change.alone
    assert isinstance(plan(found.figures, History(), asked), Publish)


def test_the_cost_of_a_mean_is_that_of_the_published_number() -> None:
    figure, asked = heavy(10**4, kind="mean")
    (change,) = truncated((figure,), asked).changes
    assert change.error == pytest.approx((20 - 4) / 10**4)


def test_values_that_nobody_has_are_cut_off_for_nothing() -> None:
    figure, asked = heavy(10**4)
    law = tuple((F(value), F(1, 5)) for value in range(3, 8))
    asked = replace(asked, beliefs=(ColumnBelief("v", {(): law}, "test"),))
    (change,) = truncated((figure,), asked).changes
    assert (change.line, change.error) == ("truncate: [3, 7]", 0.0)


@given(
    weights=st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any),
    low=st.integers(0, 2),
    span=st.integers(1, 2),
    n=st.integers(1, 4),
)
@settings(max_examples=25)
def test_the_cost_is_the_expected_error_or_a_little_more(weights: list[int], low: int, span: int, n: int) -> None:
    high = min(3, low + span)
    law = {value: F(weight, sum(weights)) for value, weight in enumerate(weights)}
    column = Numbers(F(1), F(0), F(3))
    belief = ColumnBelief("v", {(): tuple((F(v), p) for v, p in law.items())}, "test")
    asked = Question(Frame((), {(): n}), {"v": column}, (belief,), Attacker(0), Value(), Target(F(1), F(1, 10)))
    cost = _TruncatedSum.of(TOTAL, column, *looked_at((TOTAL,), asked)).error(
        replace(TOTAL, truncated=(F(low), F(high)))
    )
    exact = F(0)
    for values in itertools.product(law, repeat=n):
        chance = F(1)
        for value in values:
            chance *= law[value]
        exact += chance * abs(sum(min(max(value, low), high) - value for value in values))
    assert float(exact) <= cost * (1 + 1e-9) + 1e-12
    if low == 0 or high == 3:
        assert cost == pytest.approx(float(exact), abs=1e-12)


def test_figures_that_share_people_are_truncated_alike() -> None:
    figure, asked = heavy(10**4)
    asked = replace(asked, frame=Frame(("r",), {("a",): 300, ("b",): 350}))
    found = truncated((figure, replace(figure, name="by r", by=("r",))), asked)
    assert found.certified
    assert {change.line for change in found.changes} == {"truncate: [0, 4]"}
    assert found.cost == pytest.approx((650 + 350) * 16 / 10**4 / 20)


@pytest.mark.slow
def test_limits_of_a_figure_that_had_noise_before_are_not_taken_for_noise() -> None:
    """A noisy sum, and an exact one of the same people, both of which pass within the same limits."""
    figure, asked = heavy(400)
    noisy = replace(figure, name="noisy", channel=Chain((TwoSidedGeometric(F(2)),)))
    found = plan([noisy, figure], History(), asked)
    assert any(one.way == "truncation" and one.possible and one.noisy for one in found.alternatives)
    assert all(isinstance(one.channel.links[0], TwoSidedGeometric) for one in found.advice.remedies)
    assert {one.figure for one in found.advice.remedies} == {"noisy", figure.name}


def test_counts_have_no_values_to_cut_off_and_some_limits_are_not_enough() -> None:
    counted = Figure("all", "count", None, Where((("u", OneOf(("yes",))),)))
    assert truncated((counted,), question({"a": 40}, {"a": "1/9"})).why == COUNTS
    figure, asked = heavy(2, n=5, delta="1e-6")
    one = truncated((figure,), asked)
    assert not one.certified
    assert "is enough" in one.why


def test_limits_that_are_there_are_narrowed() -> None:
    figure, asked = heavy(10**4)
    (change,) = truncated((replace(figure, truncated=(F(0), F(19))),), asked).changes
    assert change.error == pytest.approx(400 * (19 - 4) / 10**4)


# What is said, recorded and computed --------------------------------------------------------------------------------


def test_a_truncated_figure_says_so() -> None:
    cut = replace(TOTAL, truncated=(F(0), F(5, 2)))
    assert cut.released({"v": COLUMN}) == "values truncated to 0 at least and 2.5 at most; exact"
    rounded = replace(cut, channel=Chain((Rounded(5),)))
    assert rounded.released({"v": COLUMN}).startswith("values truncated to 0 at least and 2.5 at most; rounded")


def test_the_ledger_keeps_limits_and_reads_figures_without_them() -> None:
    cut = replace(TOTAL, truncated=(F(-1, 3), F(5)), channel=Chain((Rounded(5),)))
    assert figure_of(figure_json(cut)) == cut
    assert figure_of(figure_json(TOTAL)) == TOTAL
    assert "truncated" not in str(figure_json(TOTAL))
    assert len({meaning(figure) for figure in (cut, TOTAL, replace(cut, truncated=(F(0), F(5))))}) == 3


@pytest.mark.slow
@given(
    rows=st.lists(st.tuples(st.sampled_from("ab"), st.integers(-5, 20)), min_size=1, max_size=12),
    ends=st.tuples(st.integers(-5, 20), st.integers(-5, 20)).filter(lambda ends: ends[0] < ends[1]),
)
@settings(max_examples=5)
def test_the_engine_truncates_every_value(rows: list[tuple[str, int]], ends: tuple[int, int]) -> None:
    table = open_table(pl.DataFrame({"g": [g for g, _ in rows], "v": [v / 2 for _, v in rows]}))
    columns = {"g": Categories(("a", "b")), "v": Numbers(F(1, 2), F(-5, 2), F(10))}
    low, high = (F(end, 2) for end in ends)
    some = Where((("v", Between(lower=F(0))),))
    asked = [Request("cut", ("g",), some, "v", (low, high)), Request("plain", ("g",), some, "v")]
    cut, plain = table.totals(asked, columns)
    for cell in {g for g, _ in rows}:
        values = [v for g, v in rows if g == cell and v >= 0]
        assert cut[(cell,)] == sum(min(max(v, ends[0]), ends[1]) for v in values)
        assert plain[(cell,)] == sum(values)
    with pytest.raises(DataError, match="multiples of the unit"):
        table.totals([Request("off", (), Where(), "v", (F(0), F(1, 3)))], columns)


@pytest.mark.slow
def test_a_certificate_has_the_limits_and_refuses_others(tmp_path: Path) -> None:
    figure, asked = heavy(10**4)
    cut = replace(figure, truncated=(F(0), F(4)))
    found = plan((cut,), History(), asked)
    content = certificate(found, asked, (cut,), (), version="1", largest_known=largest_known(found, asked), table=b"x")
    document = json.loads(content)
    assert document["figures"][0]["truncated"] == ["0", "4"]
    assert document["answer"].endswith("with the truncated values that are specified for them.")
    assert recheck(content).text().startswith("HOLDS")
    (tmp_path / "good.json").write_bytes(content)
    assert run([str(tmp_path / "good.json")])[0] == 0
    document["figures"][0]["truncated"] = ["0", "3"]
    assert "a record adds more than values that are truncated so can" in recheck(resealed(document)).text()
    (tmp_path / "bad.json").write_bytes(resealed(document))
    assert run([str(tmp_path / "bad.json")])[0] == 1


# What is wrong with limits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "word"),
    [
        ((F(5), F(5)), "a low value and a higher one, but got 5 and 5"),
        ((F(7), F(5)), "a low value and a higher one"),
        ((F(0), F(1, 2)), "two multiples of 1 within 0 to 20"),
        ((F(-1), F(5)), "the bounds of v"),
        ((F(0), F(21)), "but got 0 and 21"),
        ((F(0), F(20)), "and not both of these"),
    ],
)
def test_limits_lie_within_the_column(limits: tuple[Fraction, Fraction], word: str) -> None:
    _, asked = heavy(10)
    with pytest.raises(InputError, match=word):
        plan((replace(TOTAL, truncated=limits),), History(), asked)


def test_a_count_is_not_truncated() -> None:
    with pytest.raises(InputError, match="a count has none"):
        Figure("all", "count", truncated=(F(0), F(1)))
