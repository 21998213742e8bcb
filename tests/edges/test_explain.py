"""dalenius explain: what a person has to fear, what a verdict rests on, charts, and bad input."""

import os
import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

import dalenius as dl
from dalenius.desk.explain import carried, explain
from dalenius.plan.margins.limits import MarginLimit
from dalenius.plan.margins.lines import sensitivity_lines
from dalenius.show.chart import Chart
from dalenius.show.charts import check_charts, write_chart
from edges.desk import INCOME, SMOKERS, Desk, dalenius, people, spec

SYMBOLS = re.compile(r"[ε-ωΑ-Ω]|epsilon|delta|gamma", re.IGNORECASE)
NORTH = {"name": "north", "kind": "count", "where": {"smoker": "yes", "region": "north"}}
SECOND = "WHICH ASSUMPTION CARRIES THE VERDICT"


def parts(text: str) -> tuple[str, str]:
    first, second = text.split(SECOND)
    return " ".join(first.split()), " ".join(second.split())


@pytest.mark.slow
def test_a_person_is_told_in_plain_words(desk: Desk) -> None:
    answer = dalenius("explain", desk.put())
    first, second = parts(answer.out)
    assert answer.code == 0 and not SYMBOLS.search(first)
    assert "Without your record in them, the figures tell that person nothing about you" in first
    assert "go up or down by a factor of at most 1.9" in first and "1 in 1,000" in first
    assert "10 % 10 % 5.4" in first and "percentage points" in first and "comes out as" in first
    assert "The verdict rests most on what the attacker knows" in second and "still holds until" in second
    assert "(75 of 400 records)" in second and "households of" in second and "It would be broken by" in second


@pytest.mark.slow
def test_a_refusal_shows_what_may_happen(desk: Desk) -> None:
    tight = spec(target={"epsilon": "0.5", "delta": "1e-6"}, figures=[SMOKERS, NORTH])
    answer = dalenius("explain", desk.put(tight))
    first, second = parts(answer.out)
    assert answer.code == 1 and not SYMBOLS.search(first)
    assert "An example of what may happen" in first and "becomes at least" in first
    assert "The verdict would be turned first by" in second and "would hold at" in second
    told = sensitivity_lines(dl.decide(tight, people_frame()))
    assert told[0].startswith("The target would be met") and any("how many people" in line for line in told)


def people_frame() -> object:
    import polars as pl

    return pl.DataFrame(people())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        ({"target": {"epsilon": "0", "delta": "0.1"}}, 0, "10 %"),
        ({"target": {"epsilon": "0.5", "delta": "0"}}, 1, "but for a chance of at most 1 in 1,000,000"),
        ({"figures": [{**SMOKERS, "noise": {"geometric": 2}}]}, 0, "factor of at most"),
        ({"figures": [{**SMOKERS, "round": 5}], "attacker": {"knows": 0, "source": "s"}}, 0, "nobody else"),
        ({"figures": [SMOKERS, NORTH]}, 0, "factor of at most"),
        ({"figures": [{"name": "people", "kind": "count"}]}, 0, "they tell nothing about you either"),
        (
            {"secret": "presence", "sizes": {"by": ["region"], "cells": {"north": 190, "south": 190}}},
            0,
            "wonders whether you took part",
        ),
        (
            {"secret": "presence", "sizes": {"by": [], "cells": 380}, "figures": [{"name": "all", "kind": "count"}]},
            1,
            "the figures may give away whether you took part",
        ),
        ({"attacker": {"knows": "0.05", "in_every_group": True, "source": "s"}}, 0, "20 of the 400 people"),
        ({"published": [SMOKERS], "figures": [NORTH]}, 0, "factor of at most"),
    ],
)
def test_every_kind_of_decision_is_explained(desk: Desk, change: dict, code: int, told: str) -> None:
    answer = dalenius("explain", desk.put(spec(**change)), "--json")
    assert answer.code == code and not answer.err
    found = answer.json
    text = " ".join(found["subject"]["text"])
    assert told in text and not SYMBOLS.search(text)
    assert found["limits"] and found["sensitivity"] and found["charts"] == []
    for row in found["sensitivity"]:
        assert 0 <= row["delta"][0] <= row["delta"][1] <= 1


@pytest.mark.slow
def test_a_fitted_belief_is_no_promise(desk: Desk) -> None:
    fitted = {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "the data", "fitted": True}
    answer = dalenius("explain", desk.put(spec(beliefs={"smoker": fitted, "income": spec()["beliefs"]["income"]})))
    assert answer.code == 3 and "None of this is a promise" in " ".join(answer.out.split())


@pytest.mark.slow
def test_nobody_in_the_figures(desk: Desk) -> None:
    nobody = spec(
        public={"region": ["north", "south", "moon"]},
        figures=[{**SMOKERS, "where": {"smoker": "yes", "region": "moon"}}],
    )
    answer = dalenius("explain", desk.put(nobody), "--charts", desk.folder / "charts")
    assert answer.code == 0 and "tell nothing about anybody" in answer.out and not (desk.folder / "charts").exists()


@pytest.mark.slow
def test_charts_are_drawn(desk: Desk) -> None:
    answer = dalenius("explain", desk.put(), "--charts", desk.folder / "charts", "--json")
    names = {"delta-by-epsilon", "delta-by-known", "delta-by-radius", "noise-by-people"}
    files = {path.name for path in (desk.folder / "charts").iterdir()}
    assert files == {f"{name}.svg" for name in names}
    assert {Path(path).name for path in answer.json["charts"]} == files
    svg = (desk.folder / "charts" / "delta-by-known.svg").read_text(encoding="utf-8")
    assert "share of the records" in svg and "holds until: 18.75 %" in svg and "stated: 5 %" in svg


def test_charts_need_a_folder(desk: Desk) -> None:
    path = desk.put()
    (desk.folder / "file").write_text("here already", encoding="utf-8")
    for place, told in (("file", "is a file. Name a folder"), ("no/such/place", "parent folder is not there")):
        answer = dalenius("explain", path, "--charts", desk.folder / place)
        assert answer.code == 2 and told in answer.err and answer.out == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_charts_need_a_folder_that_can_be_written(desk: Desk) -> None:
    (desk.folder / "locked").mkdir(mode=0o500)
    answer = dalenius("explain", desk.put(), "--charts", desk.folder / "locked" / "charts")
    assert answer.code == 2 and "can be written" in answer.err


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(dl.OutputError, match=r"can be written, but .* cannot\. Choose another"):
        check_charts(desk.folder / "charts")
    with pytest.raises(dl.OutputError, match="could not be written"):
        write_chart(desk.folder / "none" / "chart.svg", Chart("a", "b", curves=(((0.0, 1.0), (1.0, 2.0)),)))


def test_bad_input_is_refused_as_always(desk: Desk) -> None:
    assert dalenius("explain", desk.folder / "nothing.yaml").code == 2
    answer = dalenius("explain", desk.put(spec(target={"epsilon": "-1", "delta": "1e-3"})), "--json")
    assert answer.code == 2 and answer.json["errors"]


@pytest.mark.slow
def test_a_short_answer_is_certified_too(desk: Desk) -> None:
    decision = dl.decide(spec(), people_frame())
    lines = sensitivity_lines(decision)
    assert lines[0].startswith("How far what was assumed may be wrong") and len(lines) == 4
    assert "(75 of 400 records)" in lines[1] and "69 %" in lines[2] and "off by 0.05" in lines[3]
    assert decision.largest_known == 75
    assert explain(decision).sensitivity.carried_by.assumption == "what the attacker knows"
    pure = dl.decide(spec(figures=[{**INCOME, "noise": {"geometric": 100}}]), people_frame())
    assert sensitivity_lines(pure) == []


@pytest.mark.parametrize("holds", [True, False])
def test_what_was_stated_is_said_where_it_says_something(holds: bool) -> None:
    limits = (
        MarginLimit("what the attacker knows", "5 % (20 of 400 records)", None, "18.7 %", "", Fraction(2)),
        MarginLimit("the stated probabilities", "as stated", None, "each may be off by 0.1", "", Fraction(1, 2)),
    )
    number, table = (carried(SimpleNamespace(carried_by=limit), holds=holds) for limit in limits)  # type: ignore[arg-type]
    assert "Stated: 5 % (20 of 400 records); " in number
    assert "tated: as stated" not in table
    assert ("Certified until: each may" if holds else "The target would be met at: each may") in table


@pytest.mark.slow
def test_what_there_is_no_time_for_is_told():
    decision = dl.decide(spec(), people_frame())
    none = dl.explain(decision, seconds=0)
    assert "0 seconds were given for it" in " ".join(none.text().split())
    assert none.json()["whole"] is False
    assert none.json()["carried_by"] is None
    assert none.subject is not None
    assert none.subject.odds is not None
    whole = dl.explain(decision)
    assert whole.json()["whole"] is True
    assert "seconds were given" not in whole.text()
    assert whole.subject.odds.log <= none.subject.odds.log * (1 + 1e-9)
