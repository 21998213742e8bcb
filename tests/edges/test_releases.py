"""What is released: the same from every kind of table, all of it or nothing, and nothing confidential beside it."""

import hashlib
import json
import re

import pandas as pd
import polars as pl
import pytest
import yaml

from dalenius.basics.errors import InputError
from dalenius.desk.session import decide, publish, release_folder
from edges.desk import INCOME, PATIENT, PEOPLE, SMOKERS, dalenius, model, people, spec

ABOUT = "\nThis report is about:"  # the release, which is another one each time
PAPERS = ("figures.csv", "certificate.json", "report.txt", "report.html", "results.json")
FILES = {"out", "out/checksums", *(f"out/{name}" for name in PAPERS), *(f"out/checksums/{name}.txt" for name in PAPERS)}
EASY = {"epsilon": 2, "delta": "1e-3"}
MEANS = [{"name": "mean income", "kind": "mean", "column": "income", "by": "region"}]
KINDS = [spec()["figures"], [{**INCOME, "where": {"smoker": "yes"}}], MEANS]


def forms(folder, table) -> list[object]:
    frame = pd.DataFrame(table)
    frame.to_csv(folder / "people.csv", index=False)
    frame.to_parquet(folder / "people.parquet")
    return [folder / "people.csv", folder / "people.parquet", frame, pl.DataFrame(table)]


@pytest.mark.slow
@pytest.mark.parametrize("figures", KINDS)
def test_csv_parquet_pandas_and_polars_give_the_same_decision_and_the_same_figures(tmp_path, figures):
    content = model(figures=figures, target=EASY)
    whole = figures is KINDS[0]  # what comes after the verdict does not look at the table again
    decisions = [
        decide(content, form, seconds=None if whole else 0, margins=False) for form in forms(tmp_path, people())
    ]
    assert decisions[0].verdict == "pass"
    for other in decisions[1:]:
        assert other.json() == decisions[0].json()
        assert other.story() == decisions[0].story()
        assert publish(other) == publish(decisions[0])


@pytest.mark.slow
def test_csv_and_parquet_give_the_same_files_on_the_command_line(desk):
    path = desk.put(spec(figures=MEANS, target=EASY))
    pd.DataFrame(people()).to_parquet(desk.folder / "people.parquet")
    assert dalenius("release", path, "-o", desk.folder / "one", "--seconds", 0).code == 0
    more = ["--data", desk.folder / "people.parquet"]
    assert dalenius("release", path, "-o", desk.folder / "two", *more, "--seconds", 0).code == 0
    for name in ("figures.csv", "certificate.json"):
        assert (desk.folder / "one" / name).read_bytes() == (desk.folder / "two" / name).read_bytes()
    told = [(desk.folder / folder / "report.txt").read_text(encoding="utf-8") for folder in ("one", "two")]
    assert told[0].partition(ABOUT)[0] == told[1].partition(ABOUT)[0] and "release: R2" in told[1].partition(ABOUT)[2]


@pytest.mark.slow
def test_a_release_writes_its_files_and_says_so(desk):
    path = desk.put()
    before = desk.files()
    answer = dalenius("release", path, "-o", desk.folder / "out", "--seconds", 0)
    assert (answer.code, answer.err) == (0, "")
    assert desk.files() - before == FILES
    assert answer.out.startswith("YES: ")
    assert f"Written: {desk.folder / 'out'}/figures.csv, certificate.json, report.html" in answer.out
    told = (desk.folder / "out" / "report.txt").read_text(encoding="utf-8")
    assert answer.out.startswith(told.partition(ABOUT)[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "code", "verdict"),
    [
        ({}, 0, "pass"),
        ({"attacker": {"knows": PEOPLE - 1, "source": "x"}}, 1, "fail"),
        (
            {"beliefs": {"smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "x", "fitted": True}}},
            3,
            "review",
        ),
    ],
)
def test_exit_codes_verdicts_and_files_agree(desk, changes, code, verdict):
    path = desk.put(spec(**changes))
    before = desk.files()
    for command in (["check", path], ["release", path, "-o", desk.folder / "out"]):
        answer = dalenius(*command, "--json", "--seconds", 0)
        assert (answer.code, answer.err) == (code, "")
        assert answer.json["verdict"] == verdict
        assert answer.json["schema"] == "dalenius/decision/2"
    assert answer.json["written"] == (str(desk.folder / "out") if code == 0 else None)
    assert desk.files() - before == (FILES if code == 0 else set())
    assert dalenius("check", path, "--quick").code == code
    assert desk.files() - before == (FILES if code == 0 else set())


@pytest.mark.slow
def test_a_refused_release_says_that_nothing_was_written(desk):
    answer = desk.release(spec(attacker={"knows": PEOPLE - 1, "source": "x"}))
    assert answer.code == 1
    assert answer.out.startswith("NO: ")
    assert answer.out.rstrip().endswith("Nothing was written.")
    assert not (desk.folder / "out").exists()


@pytest.mark.slow
def test_a_belief_that_was_fitted_to_the_data_is_for_review_whatever_the_numbers(desk):
    belief = {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "these data", "fitted": True}
    answer = desk.release(spec(beliefs={"smoker": belief}))
    assert answer.code == 3
    assert answer.out.startswith("REVIEW: ")
    assert "fitted to the confidential data" in answer.out
    assert "FITTED TO THE CONFIDENTIAL DATA" in answer.out


@pytest.mark.slow
def test_figures_that_did_not_pass_cannot_be_computed_in_python_either(tmp_path):
    decision = decide(model(attacker={"knows": PEOPLE - 1, "source": "x"}), pd.DataFrame(people()), margins=False)
    assert decision.verdict == "fail"
    with pytest.raises(InputError, match="Only figures that passed"):
        publish(decision)
    with pytest.raises(InputError, match="Only figures that passed"):
        release_folder(decision, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def planted() -> dict[str, list]:
    """A table in which every confidential value and every person is distinctive."""
    table = people()
    table["id"] = [f"PERSON-{place}-OF-THE-TEST" for place in range(PEOPLE)]
    table["income"] = [7_654_321 if place % 3 else 1_234_567 for place in range(PEOPLE)]
    table["notes"] = ["NOT DECLARED AT ALL"] * PEOPLE
    return table


@pytest.mark.slow
def test_certificate_report_and_screen_carry_no_confidential_value(desk):
    content = spec(
        confidential={"smoker": ["no", "yes"], "income": {"unit": 1, "bounds": [1_234_560, 7_654_329]}},
        beliefs={"smoker": spec()["beliefs"]["smoker"]},
    )
    answer = desk.release(content, planted())
    assert answer.code == 0, answer
    shown = answer.out + (desk.folder / "out" / "report.txt").read_text(encoding="utf-8")
    sealed = (desk.folder / "out" / "certificate.json").read_text(encoding="utf-8")
    for text in (shown, sealed):
        for value in ("7654321", "1234567", "PERSON-", "OF-THE-TEST", "NOT DECLARED"):
            assert value not in text


@pytest.mark.slow
def test_the_certificate_is_bound_to_the_figures_and_repeats_the_decision(desk):
    path = desk.put(spec(figures=MEANS, target=EASY))
    checked = dalenius("check", path, "--json", "--seconds", 0).json
    assert dalenius("release", path, "-o", desk.folder / "out", "--seconds", 0).code == 0
    figures = (desk.folder / "out" / "figures.csv").read_bytes()
    sealed = json.loads((desk.folder / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert sealed["figures_sha256"] == hashlib.sha256(figures).hexdigest()
    assert sealed["answer"] == checked["answer"]
    assert checked["claim"]["delta_at_most"] <= float(sealed["claim"]["delta_at_most"]) <= 1e-3
    assert sealed["people"]["all"] == checked["people"] == PEOPLE
    found = [(kind["people"], kind["known"]) for place, _ in sealed["groups"] for kind in [sealed["kinds"][place]]]
    assert found == [(group["people"], group["known"]) for group in checked["groups"]]


@pytest.mark.slow
def test_json_and_text_tell_the_same_answer(desk):
    path = desk.put()
    text = dalenius("check", path, "--seconds", 0).out
    machine = dalenius("check", path, "--seconds", 0, "--json").json
    assert text.splitlines()[0] == machine["answer"]
    assert machine["attacker"]["source"] in " ".join(text.split())
    for group in machine["groups"]:
        assert " and ".join(group["numbers"]) in text


# What would make them safe --------------------------------------------------------------------------------------


def advice(answer) -> list[tuple[str, dict]]:
    """(figure, keys of the specification with values) of each remedy, as a reader would copy them."""
    found = []
    for remedy in answer.json["remedies"]:
        name, line = re.fullmatch(r"(.*?): add (.*) \(.*\)", remedy).groups()
        found.append((name, yaml.safe_load(f"{{{line}}}")))
    return found


def followed(content: dict, remedies, keys: frozenset[str]) -> dict:
    figures = [dict(figure) for figure in content["figures"]]
    for name, change in remedies:
        for figure in figures:
            if figure["name"] == name and change.keys() == keys:
                figure.update(change)
    return {**content, "figures": figures}


RARE = {"smoker": {"probabilities": {"yes": "0.02", "no": "rest"}, "source": "x"}}
NONE_KNOWN = {"knows": 0, "source": "x"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "n", "keys"),
    [
        (spec(figures=[SMOKERS]), 60, {"noise"}),
        (spec(), 60, {"noise"}),
        (spec(figures=[INCOME]), 60, {"noise"}),
        (spec(figures=[{**INCOME, "kind": "mean", "by": "region"}]), 60, {"noise", "truncate"}),
        (spec(figures=[SMOKERS], target={"epsilon": "0.7", "delta": 0}), 60, {"noise"}),
        (
            spec(figures=[SMOKERS], beliefs=RARE, attacker=NONE_KNOWN, target={"epsilon": 1, "delta": "1e-2"}),
            100,
            {"noise", "round"},
        ),
        (spec(figures=[SMOKERS, {**SMOKERS, "name": "again", "by": "region"}]), 60, {"noise"}),
        (spec(figures=[SMOKERS, INCOME]), 60, {"noise"}),
        (
            spec(figures=[SMOKERS, {**SMOKERS, "name": "again", "by": "region"}, {"name": "persons", "kind": "count"}]),
            60,
            {"noise"},
        ),
    ],
)
def test_following_the_advice_makes_the_figures_pass(desk, content, n, keys):
    refused = desk.release(content, people(n), "--json", *PATIENT)
    assert refused.code == 1
    assert not (desk.folder / "out").exists()
    remedies = advice(refused)
    assert {key for _, change in remedies for key in change} == keys
    for together in {frozenset(change) for _, change in remedies}:
        assert desk.check(followed(content, remedies, together), people(n)).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("target", [{"epsilon": "0.7", "delta": "1e-9"}, {"epsilon": "0.3", "delta": 0}])
def test_following_the_advice_for_overlapping_figures_makes_them_pass(desk, target):
    content = spec(figures=[SMOKERS, {**SMOKERS, "name": "again", "by": "region"}, INCOME], target=target)
    remedies = advice(desk.check(content, people(60), "--json", *PATIENT))
    assert {name for name, _ in remedies} == {"smokers", "again", "income"}
    assert desk.check(followed(content, remedies, frozenset({"noise"})), people(60)).code == 0


@pytest.mark.slow
def test_a_little_less_noise_than_advised_is_not_enough(desk):
    content = spec(figures=[SMOKERS])
    remedies = advice(desk.check(content, people(60), "--json", *PATIENT))
    ((name, change),) = remedies
    assert "What would make them safe (" in desk.check(content, people(60), *PATIENT).out
    less = [(name, {"noise": {"geometric": change["noise"]["geometric"] * 0.97}})]
    assert desk.check(followed(content, less, frozenset({"noise"})), people(60)).code == 1


@pytest.mark.slow
def test_no_noise_makes_a_figure_safe_if_nothing_at_all_may_be_revealed(desk):
    answer = desk.check(spec(figures=[SMOKERS], target={"epsilon": 0, "delta": 0}), None, "--json", *PATIENT)
    assert answer.code == 1
    assert answer.json["remedies"] == []
