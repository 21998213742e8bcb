"""A plan never looks at confidential values: whatever they are, the decision is the same."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.basics.errors import DataError
from dalenius.data import open_table
from dalenius.desk.session import decide, publish
from dalenius.facts.records import Cell
from edges.desk import PEOPLE, SMOKERS, model, people, spec

ROWS = people()
DECIDED: dict[str, dict] = {}
HARD = {"epsilon": "0.1", "delta": 0}
RELEASES = {
    "passes": {},
    "fails": {"attacker": {"knows": PEOPLE - 1, "source": "x"}},
    "fails with a remedy": {"figures": [SMOKERS], "target": {"epsilon": "0.1", "delta": "1e-4"}},
    "fails for two": {"figures": [SMOKERS, {**SMOKERS, "name": "again", "by": "region"}], "target": HARD},
}


def confidential(draw_income, draw_smoker) -> pd.DataFrame:
    return pd.DataFrame({**ROWS, "income": draw_income, "smoker": draw_smoker})


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
@settings(max_examples=5)
@given(data=st.data())
def test_the_decision_is_the_same_whatever_the_confidential_columns_hold(release, data):
    values = data.draw(
        st.one_of(
            st.sampled_from([(0, "no"), (9000, "yes"), (0, "yes"), (9000, "no")]),
            st.integers(0, 2**32 - 1),
        )
    )
    if isinstance(values, tuple):
        table = confidential([values[0]] * PEOPLE, [values[1]] * PEOPLE)
    else:
        dice = np.random.default_rng(values)
        table = confidential(1000 * dice.integers(0, 10, PEOPLE), dice.choice(["yes", "no"], PEOPLE))
    content = model(**RELEASES[release])
    if release not in DECIDED:
        DECIDED[release] = decide(content, pd.DataFrame(ROWS)).json()
    assert decide(content, table).json() == DECIDED[release]
    assert release.startswith(DECIDED[release]["verdict"])


@pytest.mark.slow
def test_a_figure_of_nobody_but_ones_and_one_of_nobody_but_zeros_are_judged_alike():
    ones, zeros = (confidential([income] * PEOPLE, [smoker] * PEOPLE) for income, smoker in ((9000, "yes"), (0, "no")))
    one, zero = decide(model(), ones), decide(model(), zeros)
    assert one.story() == zero.story()
    assert [item.value for item in publish(zero)] == [0, 0]
    assert sum(item.value for item in publish(one)) == PEOPLE


class Locked:
    """A table that answers nothing but what anybody may know."""

    def __init__(self, source: object, table: str | None = None) -> None:
        self.table = open_table(source, table)
        self.asked: list[tuple[str, ...]] = []

    def check(self, **declared) -> None:
        self.table.check(**declared)

    def columns(self) -> tuple[str, ...]:
        return self.table.columns()

    def marks(self, columns, *, person, public):
        assert set(columns) <= set(public)
        self.asked.append(tuple(columns))
        return self.table.marks(columns, person=person, public=public)

    def groups(self, columns, *, public) -> dict[Cell, int]:
        assert set(columns) <= set(public)
        self.asked.append(tuple(columns))
        return self.table.groups(columns, public=public)

    def totals(self, *_: object) -> None:
        raise AssertionError("a confidential value was read")

    rows = totals


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_nothing_but_public_columns_is_asked_for_before_the_decision(release, monkeypatch):
    opened: list[Locked] = []

    def locked(source: object, table: str | None) -> Locked:
        opened.append(Locked(source, table))
        return opened[-1]

    monkeypatch.setattr("dalenius.desk.session.decision.open_table", locked)
    decision = decide(model(**RELEASES[release]), pd.DataFrame(ROWS))
    assert decision.json()["verdict"] in ("pass", "fail")
    assert decision.story()
    asked = [columns for table in opened for columns in table.asked]
    assert set(asked) <= {("region",), ()}
    if decision.verdict == "pass":
        with pytest.raises(AssertionError, match="a confidential value was read"):
            publish(decision)


SIZES = {"by": "region", "cells": {"north": 200, "south": 200}}


@pytest.mark.slow
def test_where_presence_is_secret_the_decision_does_not_depend_on_who_is_there(monkeypatch):
    content = model(secret="presence", sizes=SIZES)
    whole = decide(content, pd.DataFrame(ROWS)).json()
    for rows in (people(10), people(399), people(401), people(1500, seed=5)):
        assert decide(content, pd.DataFrame(rows)).json() == whole
    monkeypatch.setattr("dalenius.desk.session.decision.open_table", Locked)
    asked = decide(content, pd.DataFrame(ROWS)).table
    assert isinstance(asked, Locked)
    assert asked.asked == []
    assert whole["people"] == 400


@pytest.mark.slow
def test_sizes_that_are_too_large_are_refused_and_smaller_ones_are_not():
    table = pd.DataFrame(people(600)).sort_values("region")
    north, south = (table[table.region == region] for region in ("north", "south"))
    for more in (-20, -1, 0, 1, 50):
        rows = pd.concat([north[: 200 + more], south[:210]])
        decision = decide(model(secret="presence", sizes=SIZES), rows)
        if more >= 0:
            assert sum(item.value for item in publish(decision)) == (rows.smoker == "yes").sum()
        else:
            with pytest.raises(DataError, match="declares at least 200 persons in north, but there are fewer"):
                publish(decision)


@pytest.mark.slow
def test_a_group_that_was_declared_empty_may_not_have_anybody_in_it(desk):
    sizes = {"by": "region", "cells": {"north": 150, "south": 0}}
    content = spec(secret="presence", sizes=sizes)
    answer = desk.release(content)
    assert answer.code == 2
    assert "sizes declares that nobody is in south, but somebody is." in answer.err
    assert not (desk.folder / "out").exists()
    table = people()
    table["region"] = ["north"] * PEOPLE
    assert desk.release(content, table, "--seconds", 0).code == 0
    empty = {"figure": "smokers", "region": "south", "value": "0", "release": "exact"}
    assert desk.figures()[1] == empty


@pytest.mark.slow
def test_the_size_of_the_groups_is_an_assumption_where_presence_is_secret():
    present = decide(model(secret="presence", sizes=SIZES), pd.DataFrame(ROWS)).story()
    value = decide(model(), pd.DataFrame(ROWS)).story()
    assert "the groups have at least the sizes that were declared" in present
    assert "the sizes that were declared" not in value


@pytest.mark.slow
def test_rounding_alone_does_not_hide_presence_in_a_count_of_persons():
    sizes = {"by": "region", "cells": {"north": 200, "south": 200}}
    figure = {"name": "persons", "kind": "count", "by": "region"}
    exact = decide(model(secret="presence", sizes=sizes, figures=[figure]), pd.DataFrame(ROWS))
    assert exact.verdict == "fail"
    rounded = decide(model(secret="presence", sizes=sizes, figures=[{**figure, "round": 2}]), pd.DataFrame(ROWS))
    assert rounded.verdict == "review"


@pytest.mark.slow
def test_a_count_that_only_uses_public_columns_tells_nothing_about_values(desk):
    figure = {"name": "persons", "kind": "count", "by": "region"}
    answer = desk.check(spec(figures=[figure], beliefs=None, target={"epsilon": 0, "delta": 0}), None, "--json")
    assert answer.code == 0
    assert answer.json["claim"]["delta_at_most"] == 0
