"""The reviewers' desk from the command line."""

import pytest
import yaml

from edges.desk import Desk, dalenius, spec

FIGURES = [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}]


@pytest.mark.slow
def test_from_a_submission_to_a_release_in_the_names_of_two(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    desk = Desk(tmp_path)
    rule = {"review": {"by": ["anna", "ben"], "signatures": 2, "overrule": "fail"}}
    (tmp_path / "policy.yaml").write_text(yaml.safe_dump({"name": "Rules 7", **rule}), encoding="utf-8")
    told = spec(policy="policy.yaml", target={"epsilon": "0.05", "delta": "1e-9"}, figures=FIGURES)
    assert desk.check(told, None, "--quick").code == 1

    def by(user, *words):
        monkeypatch.setenv("LOGNAME", user)
        return dalenius(*words)

    answer = by("cleo", "review", "submit", "release.yaml", "--words", "the ministry asked", "--json")
    assert answer.code == 0 and answer.json["submission"] == "S1" and answer.json["verdict"] == "fail"
    assert by("cleo", "review", "comment", "S1", "--words", "please by Friday").code == 0
    assert by("cleo", "review", "approve", "S1", "--because", "mine").code == 2
    assert by("anna", "review", "approve", "S1", "--because", "old enough").code == 0
    assert "old enough" not in by("ben", "review", "show", "S1").out
    assert by("cleo", "release", "release.yaml", "-o", "out").code == 1
    assert by("cleo", "release", "release.yaml", "-o", "out", "--submission", "S1").code == 2
    assert not (tmp_path / "out").exists()
    assert by("ben", "review", "approve", "S1", "--because", "nobody is alone").code == 0
    answer = by("cleo", "release", "release.yaml", "-o", "out", "--submission", "S1", "--json")
    assert answer.code == 0 and answer.json["approval"]["by"] == ["anna", "ben"]
    assert answer.json["verdict"] == "fail"  # what dalenius found
    (listed,) = by("cleo", "review", "list", "--json").json
    assert listed["state"] == "released" and listed["release"] == "R1"
    assert by("cleo", "review", "list", "--open").out.strip() == "Nothing was submitted."
    assert "not certified" in by("cleo", "ledger", "list").out
    assert by("cleo", "verify", "out/certificate.json").code == 2
    again = by("cleo", "release", "release.yaml", "-o", "out", "--submission", "S1")
    assert again.code == 2 and "there already" in again.err
