"""dalenius plan: what it prints, what it writes, and how it ends."""

import pytest
import yaml

from edges.desk import INCOME, PATIENT, SMOKERS, dalenius, people, spec

RARE = {"smoker": {"probabilities": {"yes": "0.02", "no": "rest"}, "source": "x"}}
NOBODY = {"knows": 0, "source": "x"}


def planned(desk, content, n, *more):
    return dalenius("plan", desk.put(content, people(n)), *more)


@pytest.mark.slow
def test_figures_that_may_go_out(desk):
    answer = planned(desk, spec(), 2000)
    assert answer.code == 0
    assert answer.out.startswith("PUBLISH: ")


@pytest.mark.slow
def test_a_change_is_needed_and_every_alternative_is_listed(desk):
    answer = planned(desk, spec(figures=[SMOKERS]), 60)
    assert answer.code == 1
    assert answer.out.startswith("ADD NOISE: ")
    for word in ("rounding", "truncation", "data and noise", "noise alone", "merging", "leaving out", "DP alone"):
        assert word in answer.out
    assert "chosen: keeps every number, at the least cost" in " ".join(answer.out.split())


@pytest.mark.slow
def test_the_same_for_machines(desk):
    found = planned(desk, spec(figures=[SMOKERS]), 60, "--json").json
    assert found["plan"] == "AddNoise"
    (chosen,) = [way for way in found["alternatives"] if way["chosen"]]
    assert chosen["certified"]
    assert chosen["changes"][0]["expected_error"] <= chosen["changes"][0]["differential_privacy_alone"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "n"),
    [
        (spec(figures=[SMOKERS]), 60),
        (spec(figures=[SMOKERS], beliefs=RARE, attacker=NOBODY, target={"epsilon": 1, "delta": "1e-2"}), 50),
        (spec(figures=[SMOKERS, {**SMOKERS, "name": "again", "by": "region"}]), 60),
        (spec(figures=[{**INCOME, "kind": "mean", "by": "region", "round": 5}]), 60),
    ],
)
def test_what_is_written_passes(desk, content, n):
    path = desk.folder / "deep" / "changed.yaml"
    path.parent.mkdir()
    answer = planned(desk, content, n, "--write", path)
    assert answer.code == 1
    assert f"Written: {path}" in answer.out
    assert "Comments were not kept" in path.read_text()
    assert dalenius("check", path, "--quick").code == 0
    assert dalenius("plan", path).code == 0
    assert dalenius("plan", path, "--write", path).code == 2  # it is there already
    assert yaml.safe_load(path.read_text())["data"] == "../people.csv"


@pytest.mark.slow
def test_a_target_that_nothing_meets_is_refused_with_the_nearest(desk):
    answer = planned(desk, spec(figures=[SMOKERS], target={"epsilon": 0, "delta": 0}), 400)
    assert answer.code == 1
    assert answer.out.startswith("REFUSE: ")
    assert "at epsilon 0 the least delta that is met as they are is 0.0" in answer.out
    again = dalenius("plan", desk.folder / "release.yaml", "--write", desk.folder / "x.yaml")
    assert again.code == 1
    assert again.out == answer.out
    assert "Nothing was written to" in again.err
    assert not (desk.folder / "x.yaml").exists()


@pytest.mark.slow
def test_a_written_plan_truncates_and_keeps_its_policy_and_its_ledger(desk, monkeypatch):
    monkeypatch.delenv("DALENIUS_LEDGER", raising=False)
    content = spec(
        confidential={"income": {"unit": 1000, "bounds": [0, 99000]}},
        beliefs={"income": {"probabilities": {"0 to 9000": 1}, "source": "x"}},
        figures=[INCOME],
        attacker=NOBODY,
        policy="house.yaml",
        target=None,
    )
    (desk.folder / "house.yaml").write_text("{name: house, epsilon: 0.5, delta: 1e-3}")
    (desk.folder / "deep").mkdir()
    path = desk.folder / "deep" / "changed.yaml"
    data = people(400)
    answer = planned(desk, content, 400, "--write", path)
    assert answer.code == 1
    assert "truncate: [0, 9000]" in answer.out
    written = yaml.safe_load(path.read_text())
    assert written["figures"][0]["truncate"] == [0, 9000]
    assert (written["policy"], written["ledger"]) == ("../house.yaml", "../dalenius-ledger.sqlite")
    assert dalenius("release", path, "--output", desk.folder / "out", "--seconds", 0).code == 0
    table = (desk.folder / "out" / "figures.csv").read_text()
    assert f"income,{sum(data['income'])},values truncated to 0 at least and 9000 at most; exact" in table
    assert dalenius("verify", desk.folder / "out" / "certificate.json").code == 0
    assert desk.folder.joinpath("dalenius-ledger.sqlite").exists()


@pytest.mark.slow
def test_a_fitted_belief_is_for_a_person(desk):
    fitted = {"smoker": {**RARE["smoker"], "fitted": True}}
    answer = planned(desk, spec(figures=[SMOKERS], beliefs=fitted), 400)
    assert answer.code == 3
    assert "Take the belief from a public source." in answer.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ladder", "words"),
    [(",", "it is empty"), ("5,ten", "'ten' in it"), ("1", "from 2 to 1000000"), ("5,-5", "'-5' in it")],
)
def test_a_ladder_of_bases(desk, ladder, words):
    answer = planned(desk, spec(figures=[SMOKERS]), 60, "--ladder", ladder)
    assert answer.code == 2
    assert words in answer.err


@pytest.mark.slow
def test_the_ladder_is_what_is_tried(desk):
    content = spec(figures=[SMOKERS], beliefs=RARE, attacker=NOBODY, target={"epsilon": 1, "delta": "1e-2"})
    answer = planned(desk, content, 100, "--ladder", "7")
    assert "round: 7" in answer.out
    assert "the least base of the ladder 7" in answer.out


@pytest.mark.slow
def test_check_names_the_least_change(desk):
    answer = desk.check(spec(figures=[SMOKERS]), people(60), *PATIENT)
    assert answer.code == 1
    assert 'The least change of all that were tried (dalenius plan lists them): "smokers": noise:' in " ".join(
        answer.out.split()
    )


@pytest.mark.slow
def test_cells_that_a_condition_excludes_are_not_published_as_zero(desk):
    figure = {**SMOKERS, "where": {"smoker": "yes", "region": ["north"]}, "by": "region"}
    answer = desk.release(spec(figures=[figure]), people(2000))
    assert answer.code == 0
    rows = (desk.folder / "out" / "figures.csv").read_text().splitlines()
    assert len(rows) == 2
