"""ACRO: folders that it wrote are read and annotated; a session answers with the audit while the analyst works.

The sessions here are stand-ins with ACRO's own interface; benchmarks/acro_sessions.py runs real ones.
"""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from typer.testing import CliRunner

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.cli import app
from dalenius.desk.acro import attach

CHECK = "PresenceOfLinkedTableCheck"


def record(uid: str, name: str, independent: list[str], mitigation: str = "suppress") -> dict:
    return {
        "uid": uid,
        "status": "review",
        "type": "table",
        "properties": {"method": "crosstab", "mitigation": mitigation},
        "files": [{"name": name, "sdc": {"summary": {CHECK: 0}, "cells": {CHECK: []}}}],
        "outcome": {},
        "command": "",
        "summary": "FrequencyTable : a manual review is recommended",
        "timestamp": "",
        "comments": ["ours"],
        "exception": "",
        "fair": {"statbarn": "Frequencies", "independent": independent, "check_status": {CHECK: "pass"}},
    }


def folder(path: Path, tables: dict[str, tuple[list[str], str]]) -> Path:
    path.mkdir()
    results = {}
    for at, (name, (variables, text)) in enumerate(tables.items()):
        (path / name).write_text(text, encoding="utf-8")
        results[f"output_{at}"] = record(f"output_{at}", name, variables)
    content = json.dumps({"version": "1.0.2", "tool": {}, "results": results})
    (path / "results.json").write_text(content, encoding="utf-8")
    (path / "config.json").write_text(json.dumps({"safe_threshold": 10}), encoding="utf-8")
    (path / "checksums").mkdir()
    (path / "checksums" / "results.json.txt").write_text(hashlib.sha256(content.encode()).hexdigest())
    return path


LEAKING = {
    "output_0_0.csv": (["sex", "age"], "sex,old,young,All\nf,20.0,,20.0\nm,30.0,40.0,70.0\nAll,50.0,40.0,90.0\n"),
    "output_1_0.csv": (["sex", "work"], "sex,no,yes,All\nf,12,11,23\nm,30,40,70\nAll,42,51,93\n"),
}


def test_totals_of_what_is_shown_do_not_add_up_all_and_other_tables_do(tmp_path):
    """The total of the first table leaves its hidden cell out; the second table counts 23 women, so it is 3."""
    path = folder(tmp_path / "outputs", LEAKING)
    found = dl.audit(path)
    assert found.verdict == "fail"
    (number,) = found.json()["numbers"]
    assert (number["low"], number["high"], number["to"][0]) == (3, 3, "anybody who has the tables")
    alone = folder(tmp_path / "alone", {"output_0_0.csv": LEAKING["output_0_0.csv"]})
    assert dl.audit(alone).verdict == "pass"


def test_annotations_are_what_the_viewer_shows_and_can_be_made_again(tmp_path):
    path = folder(tmp_path / "outputs", LEAKING)
    for _ in range(2):
        assert CliRunner().invoke(app, ["audit", str(path), "--annotate"]).exit_code == 1
        text = (path / "results.json").read_text(encoding="utf-8")
        assert (path / "checksums" / "results.json.txt").read_text() == hashlib.sha256(text.encode()).hexdigest()
        first, second = json.loads(text)["results"].values()
        assert first["status"] == "fail" and first["summary"].startswith("fail; FrequencyTable")
        assert first["files"][0]["sdc"] == {"summary": {CHECK: 1}, "cells": {CHECK: [[0, 1]]}}
        assert first["fair"]["check_status"][CHECK] == "fail"
        assert (
            first["comments"][0] == "ours"
            and "age = young is 3" in first["comments"][1]
            and len(first["comments"]) == 2
        )
        assert second["status"] == "review" and second["files"][0]["sdc"]["cells"] == {CHECK: []}


def test_outputs_that_are_not_read_leave_the_answer_open(tmp_path):
    path = folder(tmp_path / "outputs", {"output_0_0.csv": LEAKING["output_0_0.csv"]})
    whole = json.loads((path / "results.json").read_text())
    whole["results"]["output_9"] = record("output_9", "means.csv", ["sex"])
    whole["results"]["output_9"]["fair"]["statbarn"] = "LinearAggregations"
    (path / "results.json").write_text(json.dumps(whole))
    found = dl.audit(path)
    assert found.verdict == "review" and "output_9" in found.text()


class Records:
    """What a session of ACRO keeps."""

    def __init__(self):
        self.results, self.output_id, self.finalised = {}, 0, 0

    def finalise(self):
        self.finalised += 1


def session() -> SimpleNamespace:
    methods = {CHECK: lambda *_: ("pass", "a manual review is recommended", None)}
    checks = SimpleNamespace(check_to_method=methods, risk_appetite={"safe_threshold": 10})
    return SimpleNamespace(sdc_checks=checks, results=Records(), suppress=True)


def crosstab(at: SimpleNamespace, people: pd.DataFrame, one: str, other: str) -> tuple[str, str, pd.DataFrame]:
    """What ACRO does with a table of counts: its check, then the table with small counts hidden, then a record."""
    counts = pd.crosstab(people[one], people[other], margins=True)
    model = SimpleNamespace(
        index=[people[one]],
        columns=[people[other]],
        get_dimension_names=lambda: [one, other],
        get_count_table=lambda: counts,
        get_allfalse_table=lambda: counts.astype(bool) & False,
    )
    answer = at.sdc_checks.check_to_method[CHECK]("FrequencyTable", None, model)
    inner = counts.iloc[:-1, :-1].astype(float)
    shown = inner.where(inner >= 10)
    shown["All"] = shown.sum(axis=1, min_count=1)  # the records of a line that is hidden are gone
    shown.loc["All"] = shown.sum(axis=0)
    uid = f"output_{at.results.output_id}"
    at.results.results[uid] = SimpleNamespace(
        output_type="table",
        status="review",
        summary="FrequencyTable",
        comments=[],
        sdc={"summary": {}, "cells": {}},
        fair={"statbarn": "Frequencies", "independent": [one, other], "check_status": {}},
        properties={"mitigation": "suppress"},
        output=[shown],
    )
    at.results.output_id += 1
    return answer


def sample(counts: dict[tuple[str, str, str], int]) -> pd.DataFrame:
    rows = [labels for labels, number in counts.items() for _ in range(number)]
    return pd.DataFrame(rows, columns=["sex", "age", "work"])


def test_a_session_is_told_while_the_analyst_works_and_ends_as_fail():
    people = sample({("f", "old", "no"): 20, ("f", "young", "yes"): 13, ("f", "mid", "no"): 3, ("m", "old", "no"): 30,
                     ("m", "young", "yes"): 40, ("m", "mid", "yes"): 25})  # fmt: skip
    at = session()
    attach(at)
    status, summary, mask = crosstab(at, people, "sex", "age")
    assert status == "pass" and not mask.to_numpy().any()
    status, summary, mask = crosstab(at, people, "sex", "work")
    assert status == "fail" and "output_0: sex = f, age = mid is 3" in summary
    at.results.finalise()
    assert at.results.finalised == 1
    first, second = at.results.results.values()
    assert first.status == "fail" and first.sdc["cells"][CHECK] == [[0, 0]] and first.summary.startswith("fail; ")
    assert second.status == "review"


def test_a_session_in_which_nothing_follows_does_not_fail():
    people = sample(
        {("f", "old", "no"): 20, ("f", "young", "yes"): 30, ("m", "old", "yes"): 30, ("m", "young", "no"): 40}
    )
    at = session()
    attach(at)
    assert crosstab(at, people, "sex", "age")[0] == crosstab(at, people, "sex", "work")[0] == "pass"
    at.results.finalise()
    assert {each.status for each in at.results.results.values()} == {"review"}


def test_a_line_in_which_all_is_hidden_is_one_and_no_note():
    people = sample({("f", "old", "no"): 20, ("f", "young", "yes"): 30, ("d", "old", "no"): 2, ("d", "young", "yes"): 3,
                     ("m", "old", "no"): 30, ("m", "young", "yes"): 40})  # fmt: skip
    at = session()
    attach(at)
    assert crosstab(at, people, "sex", "age")[0] == "pass"
    crosstab(at, people, "sex", "work")
    at.results.finalise()
    written = [comment for each in at.results.results.values() for comment in each.comments]
    assert len(written) == 2 and not any("not possible" in each for each in written)


def test_only_sessions_of_acro_are_taken():
    with pytest.raises(InputError, match="session of ACRO"):
        attach(object())
