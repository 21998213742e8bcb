"""Figures are judged together: with each other, with what is already out, and against what the attacker can know."""

import pandas as pd
import pytest

from dalenius.desk.session import decide
from edges.desk import SMOKERS, dalenius, model, spec

FIVE = ["a", "b", "c", "d", "e"]


def crowd(groups: dict[str, int], **columns) -> pd.DataFrame:
    """So many persons of each group; other columns are the same for everybody."""
    labels = [label for label, count in groups.items() for _ in range(count)]
    return pd.DataFrame({"id": range(len(labels)), "group": labels, "smoker": "no", **columns})


def smokers(rate="0.3", *, groups=FIVE, figures=None, **changes):
    beliefs = {"smoker": {"probabilities": {"yes": rate, "no": "rest"}, "source": "x"}}
    return model(
        public={"group": groups},
        confidential={"smoker": ["no", "yes"]},
        figures=figures or [{**SMOKERS, "by": "group"}],
        **{"beliefs": beliefs, **changes},
    )


def without(group: str, name: str = "the others") -> dict:
    return {"name": name, "kind": "count", "where": {"smoker": "yes", "group": [g for g in FIVE if g != group]}}


def findings(decision) -> dict[str, dict]:
    return {" + ".join(group["numbers"]): group for group in decision.json()["groups"]}


# Differences ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_totals_that_differ_by_one_person_are_refused_with_the_witness():
    table = crowd({"a": 1, "b": 999})
    decision = decide(smokers(figures=[SMOKERS, without("a")]), table, margins=False)
    assert decision.verdict == "fail"
    (told,) = [group for group in decision.json()["groups"] if group["people"] == 1]
    assert told["delta"] == [1, 1]
    assert sorted(told["reveals"]) == [["-1", "the others"], ["1", "smokers"]]
    assert "probability at least 1 if a person adds 0, at most 0 if a person adds 1" in told["witness"]
    assert 'Refused because "smokers − the others" reveals too much. An event that tells: ' in decision.story()


@pytest.mark.slow
def test_each_of_two_totals_that_differ_by_one_person_may_go_out_alone():
    table = crowd({"a": 1, "b": 999})
    for figure in (SMOKERS, without("a")):
        assert decide(smokers(figures=[figure]), table, margins=False).verdict == "pass"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sum", "mean"])
def test_totals_and_means_that_differ_by_one_person_are_refused_too(kind):
    columns = {"x": {"unit": "0.5", "bounds": [0, "1.5"]}}
    beliefs = {"x": {"probabilities": {"0 to 1.5": 1}, "source": "x"}}
    whole = {"name": "whole", "kind": kind, "column": "x"}
    part = {"name": "part", "kind": "sum", "column": "x", "where": {"group": FIVE[1:]}}
    content = {"public": {"group": FIVE}, "confidential": columns, "beliefs": beliefs}
    decision = decide(model(figures=[whole, part], **content), crowd({"a": 1, "b": 500}, x=0.5), margins=False)
    assert decision.verdict == "fail"
    assert f'"{"501 · " if kind == "mean" else ""}whole − part"' in decision.story()
    assert decide(model(figures=[whole], **content), crowd({"a": 1, "b": 500}, x=0.5), margins=False).verdict == "pass"


@pytest.mark.slow
def test_a_difference_hidden_in_a_chain_of_three_figures_is_found():
    figures = [
        {**SMOKERS, "name": "ab", "where": {"smoker": "yes", "group": ["a", "b"]}},
        {**SMOKERS, "name": "bc", "where": {"smoker": "yes", "group": ["b", "c"]}},
        {**SMOKERS, "name": "ac", "where": {"smoker": "yes", "group": ["a", "c"]}},
    ]
    table = crowd({"a": 2, "b": 500, "c": 500})
    decision = decide(smokers(figures=figures), table, margins=False)
    assert decision.verdict == "fail"
    (told,) = [group for group in decision.json()["groups"] if group["people"] == 2]
    assert sorted(told["reveals"]) == [["-1/2", "bc"], ["1/2", "ab"], ["1/2", "ac"]]
    # without the third, somebody of b more and somebody of c less look the same as somebody of a more
    two = decide(smokers(figures=figures[:2]), table, margins=False)
    assert two.verdict == "pass"
    assert "(moves)" in two.story()
    page = two.html().decode()
    assert "comparison with other tables of the same totals" in page and "No curves are drawn." in page


@pytest.mark.slow
def test_saying_yes_and_no_says_nothing_more_than_saying_yes():
    both = [{**SMOKERS, "by": "group"}, {"name": "others", "kind": "count", "where": {"smoker": "no"}, "by": "group"}]
    table = crowd(dict.fromkeys(FIVE, 300))
    one, two = decide(smokers(), table, margins=False), decide(smokers(figures=both), table, margins=False)
    assert one.verdict == two.verdict == "pass"
    assert one.json()["claim"]["delta_at_most"] == two.json()["claim"]["delta_at_most"]


# What is already out --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_was_published_before_is_judged_together_with_what_is_new():
    table = crowd({"a": 1, "b": 999})
    new = smokers(figures=[without("a")], published=[SMOKERS])
    decision = decide(new, table, margins=False)
    assert decision.verdict == "fail"
    assert '"smokers − the others"' in decision.story()
    assert [figure["name"] for figure in decision.json()["figures"]] == ["the others"]


@pytest.mark.slow
def test_a_history_that_covers_other_people_does_no_harm():
    table = crowd({"a": 500, "b": 500})
    figures = [{**SMOKERS, "name": group, "where": {"smoker": "yes", "group": group}} for group in ("a", "b")]
    decision = decide(smokers(figures=figures[1:], published=figures[:1]), table, margins=False)
    assert decision.verdict == "pass"
    assert set(findings(decision)) == {"a", "b"}


@pytest.mark.slow
def test_only_new_figures_are_released(desk):
    table = crowd({"a": 500, "b": 500})
    table.to_csv(desk.folder / "table.csv", index=False)
    figures = [{**SMOKERS, "name": group, "where": {"smoker": "yes", "group": group}} for group in ("a", "b")]
    path = desk.put(
        spec(
            public={"group": FIVE},
            confidential={"smoker": ["no", "yes"]},
            beliefs={"smoker": spec()["beliefs"]["smoker"]},
            figures=figures[1:],
            published=figures[:1],
        )
    )
    assert (
        dalenius("release", path, "-o", desk.folder / "out", "--data", desk.folder / "table.csv", "--seconds", 0).code
        == 0
    )
    assert desk.figures() == [{"figure": "b", "value": "0", "release": "exact"}]


# Groups ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_known_share_is_spent_inside_the_group_of_the_target():
    sizes = {"a": 400, "b": 300, "c": 150, "d": 100, "e": 50}
    decision = decide(smokers(attacker={"knows": "0.2", "source": "x"}), crowd(sizes), margins=False)
    known = {group["people"]: group["known"] for group in decision.json()["groups"]}
    assert known == {400: 200, 300: 200, 150: 149, 100: 99, 50: 49}
    assert decision.verdict == "fail"
    assert findings(decision)["smokers (group c)"]["delta"][1] == 1


@pytest.mark.slow
def test_five_equal_groups_are_known_but_for_one_person_each():
    decision = decide(smokers(attacker={"knows": "0.2", "source": "x"}), crowd(dict.fromkeys(FIVE, 200)), margins=False)
    assert {group["known"] for group in decision.json()["groups"]} == {199}
    assert decision.verdict == "fail"
    whole = decide(
        smokers(figures=[SMOKERS], attacker={"knows": "0.2", "source": "x"}),
        crowd(dict.fromkeys(FIVE, 200)),
        margins=False,
    )
    assert whole.verdict == "pass"
    assert [group["known"] for group in whole.json()["groups"]] == [200]


@pytest.mark.slow
def test_a_share_that_holds_in_every_group_is_spent_group_by_group():
    attacker = {"knows": "0.2", "in_every_group": True, "source": "x"}
    decision = decide(smokers(attacker=attacker), crowd(dict.fromkeys(FIVE, 200)), margins=False)
    assert {group["known"] for group in decision.json()["groups"]} == {40}
    assert decision.verdict == "pass"
    assert "in every published group alike" in decision.story()


@pytest.mark.slow
def test_a_large_group_at_a_low_rate_is_worse_than_a_small_one_at_an_even_rate():
    cells = {"a": {"yes": "0.002", "no": "rest"}, "b": {"yes": "0.5", "no": "rest"}}
    beliefs = {"smoker": {"by": "group", "cells": cells, "source": "x"}}
    attacker = {"knows": 0, "source": "x"}
    decision = decide(
        smokers(groups=["a", "b"], beliefs=beliefs, attacker=attacker), crowd({"a": 1000, "b": 100}), margins=False
    )
    found = findings(decision)
    large, small = found["smokers (group a)"], found["smokers (group b)"]
    assert (large["people"], small["people"]) == (1000, 100)
    assert large["delta"][0] > small["delta"][1]
    assert decision.story().index("smokers (group a)") < decision.story().index("smokers (group b)")
    assert 'The worst: "smokers" (group a)' in decision.story()


@pytest.mark.slow
def test_a_declared_group_with_nobody_in_it_is_not_judged_and_goes_out_as_zero(desk):
    table = crowd({"a": 500, "b": 500}, x=3)
    table.to_csv(desk.folder / "table.csv", index=False)
    content = spec(
        public={"group": FIVE},
        confidential={"smoker": ["no", "yes"], "x": {"bounds": [0, 5]}},
        beliefs={**spec()["beliefs"], "x": {"probabilities": {"0 to 5": 1}, "source": "x"}},
        figures=[{"name": "x", "kind": "mean", "column": "x", "by": "group"}],
    )
    content["beliefs"].pop("income")
    path = desk.put(content)
    answer = dalenius(
        "release", path, "-o", desk.folder / "out", "--data", desk.folder / "table.csv", "--json", "--seconds", 0
    )
    assert answer.code == 0
    assert len(answer.json["groups"]) == 2
    assert [row["value"] for row in desk.figures()] == ["3", "3", "", "", ""]
    path = desk.put({**content, "figures": [{**SMOKERS, "by": "group"}]})
    assert (
        dalenius("release", path, "-o", desk.folder / "two", "--data", desk.folder / "table.csv", "--seconds", 0).code
        == 0
    )
    assert (desk.folder / "two" / "figures.csv").read_text(encoding="utf-8").splitlines()[-1] == "smokers,e,0,exact"


def test_figures_that_cover_nobody_tell_nothing(desk):
    table = crowd({"a": 50})
    decision = decide(smokers(figures=[{**SMOKERS, "where": {"smoker": "yes", "group": "e"}}]), table, margins=False)
    assert decision.verdict == "pass"
    assert "No person is in any of the figures" in decision.story()
    assert decision.json()["claim"]["delta_at_most"] == 0


# Lattices -------------------------------------------------------------------------------------------------------


def totals(values: dict, bounds, n: int, unit=1):
    content = model(
        public={},
        confidential={"x": {"unit": unit, "bounds": bounds}},
        beliefs={"x": {"probabilities": values, "source": "x"}},
        attacker={"knows": 0, "source": "x"},
        figures=[{"name": "total", "kind": "sum", "column": "x"}],
    )
    return decide(content, pd.DataFrame({"id": range(n), "x": 0}), margins=False, seconds=0)


@pytest.mark.slow
def test_an_even_total_betrays_the_one_person_who_may_be_odd():
    decision = totals({0: "1/2", 2: "1/2"}, [0, 2], 10_000)
    assert decision.verdict == "fail"
    (group,) = decision.json()["groups"]
    assert group["delta"] == [1, 1]
    assert group["witness"].startswith("the total is odd: probability at least 1 if a person adds 1, at most 0 if")
    assert "the total is even" in decision.story() or "the total is odd" in decision.story()


def test_the_same_records_may_go_out_if_nobody_can_be_odd():
    assert totals({0: "1/2", 2: "1/2"}, [0, 2], 10_000, unit=2).verdict == "pass"


@pytest.mark.slow
def test_incomes_in_tens_betray_the_one_that_is_not():
    decision = totals({"0": "1/3", "10": "1/3", "20": "1/3"}, [0, 25], 200)
    assert decision.verdict == "fail"
    (group,) = decision.json()["groups"]
    assert group["delta"] == [1, 1]
    assert "multiple of 10" in group["witness"]


@pytest.mark.slow
def test_incomes_in_thousands_betray_the_one_that_is_not():
    decision = totals({str(1000 * step): "1/10" for step in range(10)}, [0, 9000], 200)
    assert decision.verdict == "fail"


@pytest.mark.slow
def test_a_share_that_holds_in_every_group_is_not_spent_in_one_of_them():
    """Half of each group is known: ten records of the second stay unknown, which is enough."""
    beliefs = {
        "smoker": {
            "by": "group",
            "cells": {"a": {"yes": "0.001", "no": "rest"}, "b": {"yes": "0.5", "no": "rest"}},
            "source": "x",
        }
    }
    figures = [
        SMOKERS,
        {**SMOKERS, "name": "b", "where": {"smoker": "yes", "group": ["b"]}, "noise": {"geometric": 100}},
    ]
    attacker = {"knows": "0.5", "in_every_group": True, "source": "x"}
    content = smokers(groups=["a", "b"], beliefs=beliefs, attacker=attacker, figures=figures)
    content = content.model_copy(update={"target": type(content.target)(epsilon="0.5", delta="0.2")})
    assert decide(content, crowd({"a": 20, "b": 20}), margins=False).verdict == "review"


def test_a_figure_that_nobody_can_move_beside_others_that_moves_hide():
    """The sum of the values of at least 0 of a column from -1 to 0: whatever a record says, it adds 0."""
    keys = {
        "public": {"region": ["north", "south"]},
        "confidential": {"u": {"bounds": [0, 2]}, "v": {"bounds": [-1, 0]}},
        "beliefs": {
            "u": {"by": "region", "cells": {}, "source": "x"},
            "v": {"none_below": "0.31", "source": "x"},
        },
        "attacker": {"knows": 2, "source": "x"},
        "target": {"epsilon": "0.1", "delta": "0.7"},
        "figures": [
            {"name": "some", "kind": "count", "where": {"u": {"at_least": 1}}},
            {"name": "north", "kind": "count", "where": {"region": ["north"]}},
            {"name": "nothing", "kind": "sum", "column": "v", "by": ["region"], "where": {"v": {"at_least": 0}}},
        ],
    }
    keys["beliefs"]["u"]["cells"] = {"north": {"0": "1/2", "1": "1/8", "2": "3/8"}, "south": {"0": 0, "1": 0, "2": 1}}
    table = pd.DataFrame(
        {"id": [*"abcd"], "region": ["south", "north", "north", "south"], "u": [0, 1, 1, 1], "v": [-1, 0, -1, 0]}
    )
    assert decide({"person": "id", **keys}, table, margins=False).verdict == "fail"
