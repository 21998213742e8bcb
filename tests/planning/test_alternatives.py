"""Alternatives of a plan: a narrower secret, limits with noise, cells left out beside noise, wishes, wider columns."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dalenius.basics.errors import InputError
from dalenius.facts.near import Near, WithinRange
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.mechanisms import Chain, TwoSidedGeometric
from dalenius.plan import Question, Target, plan
from dalenius.plan.examination import certified, passes
from dalenius.plan.wishes import Wishes
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History

F = Fraction
YES = Where((("smoker", OneOf(("yes",))),))
SMOKING = ColumnBelief("smoker", {(): (("no", F(7, 10)), ("yes", F(3, 10)))}, "a survey")


def asked(frame: Frame, within: dict[str, str] | None = None) -> Question:
    target = Target(F(1), F(1, 1000))
    columns = {"smoker": Categories(("no", "yes"))}
    return Question(frame, columns, (SMOKING,), Attacker(2, source="x"), Value(), target, within=within or {})


@pytest.mark.slow
def test_a_narrower_secret_is_the_widest_with_which_the_figure_passes_exactly_and_is_never_chosen() -> None:
    law = tuple((F(value), F(1, 40)) for value in range(40))
    question = Question(
        Frame((), {(): 60}),
        {"hours": Numbers(F(1), F(0), F(39))},
        (ColumnBelief("hours", {(): law}, "x"),),
        Attacker(0, source="x"),
        Value(),
        Target(F(1, 2), F(1, 1000)),
    )
    figure = Figure("hours", "sum", "hours")
    found = plan((figure,), History(), question, ladder=(2,))
    (offered,) = [way for way in found.alternatives if way.way == "a narrower secret"]
    assert offered.certified and not offered.chosen and not offered.changes
    k = F(offered.why.split("±")[1].split(" ")[0])

    def holds(k: Fraction) -> bool:
        return passes((figure,), replace(question, secret=Near((("hours", WithinRange(k)),))))

    assert holds(k) and not holds(k * F(11, 10) + F(1, 2))
    assert f"within: {{hours: {offered.why.split('±')[1].split(' ')[0]}}}" in offered.why
    assert offered.why.startswith("exact, if")
    noisy = replace(figure, channel=Chain((TwoSidedGeometric(F(2)),)))
    found = plan((noisy,), History(), question, ladder=(2,))
    (offered,) = [way for way in found.alternatives if way.way == "a narrower secret"]
    assert offered.why.startswith("as it is, if")


@pytest.mark.slow
def test_limits_and_noise_together_err_less_than_noise() -> None:
    law = (*((F(value), F(9999, 50_000)) for value in range(5)), (F(20), F(1, 10_000)))
    question = Question(
        Frame((), {(): 40}),
        {"visits": Numbers(F(1), F(0), F(20))},
        (ColumnBelief("visits", {(): law}, "x"),),
        Attacker(0, source="x"),
        Value(),
        Target(F(1, 2), F(1, 10**6)),
    )
    found = plan((Figure("visits", "sum", "visits"),), History(), question, ladder=(2,))
    ways = {way.way: way for way in found.alternatives if way.certified}
    both = ways["truncation and noise"]
    (after,) = both.changes[0].becomes
    assert after.truncated == (0, 4) and after.channel.random
    assert both.cost < ways["noise alone"].cost / 3
    assert certified((after,), question)


CROSSED = Frame(("r", "s"), {("a", "m"): 200, ("a", "f"): 170, ("b", "m"): 180, ("b", "f"): 6, ("c", "m"): 150})


def crossed() -> tuple[Figure, ...]:
    return Figure("table", "count", None, YES, ("r", "s")), Figure("by r", "count", None, YES, ("r",))


@pytest.mark.slow
def test_what_is_to_be_kept_is_kept_and_what_matters_more_is_lost_last() -> None:
    figures, question = crossed(), asked(CROSSED)
    found = plan(figures, History(), question, wishes=Wishes(frozenset({("by r", None)}), {"table": F(100)}))
    possible = [way for way in found.alternatives if way.certified]
    assert possible and all("by r" not in {change.figure for change in way.changes} for way in possible)
    assert all(way.loss == 100 * way.lost for way in possible) and any(way.lost for way in possible)
    table = plan(figures, History(), question, wishes=Wishes(frozenset({("table", None)})))
    assert not any(way.certified for way in table.alternatives)  # one of its cells does not pass
    cell = plan(figures, History(), question, wishes=Wishes(frozenset({("table", ("b", "m"))})))
    for way in (way for way in cell.alternatives if way.certified):
        mine = [change.becomes for change in way.changes if change.figure == "table"]
        assert all(any(one.channel.exact and one.where.leaves({"r": "b", "s": "m"}) for one in new) for new in mine)
    with pytest.raises(InputError, match="figures of the release"):
        plan(figures, History(), question, wishes=Wishes(frozenset({("nothing", None)})))


@pytest.mark.slow
def test_the_frontier_holds_what_nothing_else_dominates() -> None:
    found = plan(crossed(), History(), asked(CROSSED))
    possible = [way for way in found.alternatives if way.possible]
    chosen = next(way for way in possible if way.chosen)
    front = [way for way in possible if way.frontier]
    assert front
    for way in possible:
        better = [o for o in possible if o.loss <= way.loss and o.cost <= way.cost and o is not way]
        strictly = [o for o in better if (o.loss, o.cost) != (way.loss, way.cost)]
        assert way.frontier == (not strictly)
    assert chosen.certified


@pytest.mark.slow
def test_cells_are_merged_within_a_wider_column() -> None:
    towns = {"a1": ("A", 200), "a2": ("A", 6), "a3": ("A", 8), "b1": ("B", 190), "c1": ("C", 150)}
    frame = Frame(("town", "county"), {(town, county): count for town, (county, count) in towns.items()})
    figures = Figure("table", "count", None, YES, ("town",)), Figure("all", "count", None, YES)
    found = plan(figures, History(), asked(frame, {"town": "county"}))
    (way,) = [way for way in found.alternatives if "within county" in " ".join(c.line for c in way.changes)]
    assert way.certified
    (change,) = way.changes
    kept, merged = change.becomes
    assert kept.by == ("town",) and merged.by == ("county",)
    assert certified((kept, merged, figures[1]), asked(frame, {"town": "county"}))
    wrong = Frame(("town", "county"), {("a1", "A"): 20, ("a1", "B"): 20, ("b", "B"): 900})
    with pytest.raises(InputError, match="lies in one county"):
        plan(figures, History(), asked(wrong, {"town": "county"}))
