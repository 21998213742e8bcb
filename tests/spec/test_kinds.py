"""Kinds of figures from the specification to the released table, its certificate, its ledger, and the next release."""

import csv
import hashlib
import io
import json
import os
import random
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

import dalenius as dl
from dalenius.desk.proposal import propose
from dalenius.desk.session import decide, release_folder
from dalenius.desk.spec import SpecModel, spec_of
from dalenius.desk.spec.kinds import written_out
from dalenius.record.certificate.recheck import faults_of, recheck
from dalenius.record.certificate.written import sealed
from dalenius_checker.__main__ import run
from dalenius_checker.document import RefusedError, UnreadableError, check, compare, read
from edges.desk import dalenius
from spec.kinds import KINDS

SEEDS = 60 if os.environ.get("HYPOTHESIS_PROFILE") == "deep" else 3
N = 400
DICE = np.random.default_rng(3)
PEOPLE = pd.DataFrame(
    {
        "id": range(N),
        "region": DICE.choice(["n", "s"], N),
        "w": DICE.choice([1.0, 1.5, 2.0], N),
        "s": DICE.choice(["yes", "no"], N, p=[0.3, 0.7]),
        "v": DICE.integers(0, 4, N),
        "age": DICE.integers(0, 90, N),
    }
)
SPEC: dict[str, Any] = {
    "person": "id",
    "public": {"region": ["n", "s"], "w": {"unit": "0.5", "bounds": [1, 2]}},
    "confidential": {
        "s": ["no", "yes"],
        "v": {"bounds": [0, 3]},
        "age": {"bins": [0, 30, 60, 90], "missing": "as a value"},
    },
    "beliefs": {
        "s": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"},
        "v": {"probabilities": {"0 to 3": 1}, "source": "a table"},
        "age": {
            "probabilities": {"0 to under 30": "0.3", "30 to under 60": "0.3", "60 to 90": "0.3", "missing": "0.1"},
            "source": "a census",
        },
    },
    "attacker": {"knows": 5, "source": "a guess"},
    "target": {"epsilon": 3, "delta": "0.01"},
}


@pytest.fixture(autouse=True)
def no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts, and how far assumptions may be wrong, are others' tests, and take long."""
    monkeypatch.setattr("dalenius.desk.curves.measured", lambda *_: ((), None, ()))
    monkeypatch.setattr("dalenius.plan.margins.lines.margins", lambda *_, **__: iter(()))


def asked(*figures: dict[str, Any], **changes: Any) -> dict[str, Any]:
    named = [{"name": f"f{place}", **figure} for place, figure in enumerate(figures)]
    return {**SPEC, "figures": named, **changes}


def released(tmp_path: Path, spec: dict[str, Any], data: pd.DataFrame = PEOPLE, out: str = "out") -> pd.DataFrame:
    """Release, and let both checkers confirm the certificate with the table."""
    decision = decide(spec, data, ledger=tmp_path / "l.sqlite", margins=False)
    assert decision.verdict == "pass", decision.brief()
    release_folder(decision.within(0), tmp_path / out)
    files = [tmp_path / out / name for name in ("certificate.json", "figures.csv")]
    found = recheck(*(file.read_bytes() for file in files))
    assert not found.refused and not found.skipped, found.text()
    code, text = run([str(files[0]), "--figures", str(files[1])])
    assert code == 0, text
    return pd.read_csv(files[1], dtype=str, keep_default_na=False)


def value(table: pd.DataFrame, name: str, region: str = "") -> str:
    rows = table[table["figure"] == name]
    (found,) = rows["value"] if "region" not in rows else rows[rows["region"] == region]["value"]
    return str(found)


SOME, NORTH = PEOPLE[PEOPLE.s == "yes"], PEOPLE[PEOPLE.region == "n"]


@pytest.mark.slow
def test_quotients_are_what_they_say(tmp_path: Path) -> None:
    spec = asked(
        {"kind": "percentage", "of": {"s": "yes"}, "by": "region"},
        {"kind": "mean", "column": "v", "where": {"s": "yes"}},
        {"kind": "ratio", "of": {"s": "yes"}, "to": {"s": "no"}},
    )
    table = released(tmp_path, spec)
    assert float(value(table, "f0", "n")) == pytest.approx(100 * (NORTH.s == "yes").mean(), rel=1e-9)
    assert float(value(table, "f1")) == pytest.approx(SOME.v.mean(), rel=1e-9)
    assert float(value(table, "f2")) == pytest.approx(len(SOME) / (N - len(SOME)), rel=1e-9)
    assert {"f0, numerator", "f1, total", "f1, count"} <= set(table.figure)
    assert "f2, numerator" not in set(table.figure)  # the same number stands there once
    text = (tmp_path / "out" / "report.txt").read_text(encoding="utf-8")
    assert "Computed from them and published with them, so that they cost nothing beyond them:" in text
    assert 'f1: "f1, total" / "f1, count"' in text
    assert "f1 (computed: " in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    shown = dalenius("ledger", "show", "R1", "--ledger", tmp_path / "l.sqlite")
    assert '  computed  f1: "f1, total" / "f1, count"' in shown.out


@pytest.mark.slow
def test_weighted_figures_are_what_they_say(tmp_path: Path) -> None:
    spec = asked(
        {"kind": "count", "where": {"s": "yes"}, "weight": "w"},
        {"kind": "mean", "column": "v", "weight": "w", "by": "region"},
        {"kind": "rate", "column": "v", "per": 100},
    )
    table = released(tmp_path, spec)
    assert float(value(table, "f0")) == pytest.approx(SOME.w.sum(), rel=1e-9)
    assert float(value(table, "f1", "n")) == pytest.approx((NORTH.v * NORTH.w).sum() / NORTH.w.sum(), rel=1e-9)
    assert float(value(table, "f2")) == pytest.approx(100 * PEOPLE.v.mean(), rel=1e-9)


@pytest.mark.slow
def test_spreads_places_and_modes_are_what_they_say(tmp_path: Path) -> None:
    spec = asked(
        {"kind": "sd", "column": "v"},
        {"kind": "median", "column": "v", "by": "region"},
        {"kind": "quantile", "at": "0.9", "column": "v"},
        {"kind": "min", "column": "v"},
        {"kind": "largest", "column": "v"},
        {"kind": "mode", "column": "age"},
    )
    table = released(tmp_path, spec)
    assert float(value(table, "f0")) == pytest.approx(statistics.stdev(PEOPLE.v.tolist()), rel=1e-9)
    assert int(value(table, "f1", "n")) == sorted(NORTH.v)[(len(NORTH) - 1) // 2]
    assert int(value(table, "f2")) == sorted(PEOPLE.v)[-(-9 * N // 10) - 1]
    assert (value(table, "f3"), value(table, "f4")) == ("0", "3")
    bins = pd.cut(PEOPLE.age, [0, 30, 60, 91], right=False, labels=["0 to under 30", "30 to under 60", "60 to 90"])
    assert value(table, "f5") == bins.mode()[0]
    assert "f0, v 0" in set(table.figure) and "f2, v 0" not in set(table.figure)


@pytest.mark.slow
def test_what_a_figure_is_computed_from_is_judged_with_what_comes_later(tmp_path: Path) -> None:
    released(tmp_path, asked({"kind": "percentage", "of": {"s": "yes"}, "by": "region"}))
    later = asked({"kind": "count", "where": {"s": "yes", "w": [1, 2]}, "by": "region"})
    found = decide(later, PEOPLE, ledger=tmp_path / "l.sqlite", margins=False)
    assert [figure.name for figure in found.prepared.history.figures] == ["R1/f0, numerator"]
    again = asked({"kind": "count", "where": {"s": "yes"}, "by": "region"})
    found = decide(again, PEOPLE, ledger=tmp_path / "l.sqlite", margins=False)
    assert found.verdict == "pass" and found.prepared.history.again == {"f0"}
    other = PEOPLE.assign(s=["no"] * N)
    with pytest.raises(dl.DataError, match="is not what it was in R1"):
        release_folder(decide(again, other, ledger=tmp_path / "l.sqlite", margins=False, seconds=0), tmp_path / "other")


def test_a_percentage_that_is_out_from_elsewhere_counts_by_its_numbers() -> None:
    spec = asked({"kind": "count", "where": {"s": "yes"}})
    spec["published"] = [{"name": "before", "kind": "percentage", "of": {"s": "yes"}, "where": "v >= 1"}]
    found = decide(spec, PEOPLE, margins=False)
    assert [figure.name for figure in found.prepared.history.figures] == ["before, numerator", "before, denominator"]
    assert found.prepared.computed == ()


@pytest.mark.slow
def test_a_table_whose_computed_figure_does_not_follow_is_refused(tmp_path: Path) -> None:
    released(tmp_path, asked({"kind": "mean", "column": "v", "where": {"s": "yes"}}, {"kind": "median", "column": "v"}))
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    rows = list(csv.reader(io.StringIO((tmp_path / "out" / "figures.csv").read_text(encoding="utf-8"))))
    for change in (
        lambda rows: [[*row[:1], "9", *row[2:]] if row[0] == "f0" else row for row in rows],
        lambda rows: [[*row[:1], "3", *row[2:]] if row[0] == "f1" else row for row in rows],
        lambda rows: [row for row in rows if row[0] != "f0"],
        lambda rows: [*rows, next(row for row in rows if row[0] == "f1")],
    ):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(change(rows))
        table = out.getvalue().encode()
        keys = {key: part for key, part in certificate.items() if key != "sha256"}
        content = sealed({**keys, "figures_sha256": hashlib.sha256(table).hexdigest()})
        assert recheck(content, table).refused
        document = read(content)
        check(document)
        with pytest.raises(RefusedError):
            compare(document, table)


WRONG = {
    "nothing": {"parts": ["f0, total", "nobody"]},
    "itself": {"name": "f0, total"},
    "quantile": {"kind": "quantile"},
    "over": {"kind": "total"},
    "weights": {"weights": ["1", "2", "3"]},
    "times": {"times": "-1"},
}


@pytest.mark.slow
def test_a_certificate_whose_computed_figures_do_not_fit_is_refused(tmp_path: Path) -> None:
    released(tmp_path, asked({"kind": "mean", "column": "v", "where": {"s": "yes"}}))
    keys = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    del keys["sha256"]
    for name, wrong in WRONG.items():
        content = sealed({**keys, "computed": [{**keys["computed"][0], **wrong}]})
        assert any("f0" in why or "name" in why for why in faults_of(content)), name
        with pytest.raises(RefusedError):
            check(read(content))
    unknown = sealed({**keys, "computed": [{**keys["computed"][0], "kind": "median"}]})
    with pytest.raises(dl.InputError, match="computed"):
        faults_of(unknown)
    with pytest.raises(UnreadableError):
        read(unknown)


@pytest.mark.slow
def test_the_order_of_figures_does_not_matter() -> None:
    kinds = ["percentage of some", "median", "weighted count", "mean of some", "mode"]
    figures = [{"name": name, **KINDS[name].keys} for name in kinds]
    found = []
    for shuffled in (figures, figures[::-1], [figures[k] for k in (2, 0, 4, 1, 3)]):
        decision = decide({**SPEC, "figures": shuffled}, PEOPLE, margins=False)
        found.append((decision.verdict, sorted(finding.delta.upper for finding in decision.as_specified.findings)))
    assert found[0] == found[1] == found[2]


def random_spec(dice: random.Random) -> tuple[dict[str, Any], pd.DataFrame]:
    names = dice.sample(sorted(KINDS), 1 if SEEDS < 60 else dice.choice([1, 2]))
    figures = [{"name": name, **KINDS[name].keys} for name in names]
    for figure in figures:
        figure.update({"noise": {"geometric": dice.choice([3, 8])}} if dice.random() < 0.3 else {})
    data = PEOPLE.head(dice.choice([30, 100, 150]))
    epsilon, delta = dice.choice(["1", "3"]), dice.choice(["1e-2", "1e-4"])
    return {**SPEC, "figures": figures, "target": {"epsilon": epsilon, "delta": delta}}, data


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_passes_is_released_and_confirmed(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    done = 0
    for place in range(12):
        spec, data = random_spec(dice)
        decision = decide(spec, data, ledger=tmp_path / f"{place}.sqlite", margins=False)
        if decision.verdict == "pass":
            release_folder(decision.within(0), tmp_path / f"out{place}")
            files = [tmp_path / f"out{place}" / name for name in ("certificate.json", "figures.csv")]
            assert not recheck(*(file.read_bytes() for file in files)).refused, spec
            assert run([str(files[0]), "--figures", str(files[1])])[0] in (0, 3), spec
            done += 1
        if done == 2:
            break
    assert done


@pytest.mark.slow
def test_a_plan_for_a_percentage_is_written_and_passes(tmp_path: Path) -> None:
    PEOPLE.head(60).to_csv(tmp_path / "people.csv", index=False)
    figure = {"kind": "percentage", "of": {"s": "yes"}, "where": {"v": 3}}
    spec = asked(figure, data="people.csv", target={"epsilon": "0.5", "delta": "1e-6"})
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(spec), encoding="utf-8")
    found = propose(tmp_path / "release.yaml")
    assert found.possible, found.text()
    found.write(tmp_path / "new.yaml")
    written = yaml.safe_load((tmp_path / "new.yaml").read_text(encoding="utf-8"))
    assert [one["name"] for one in written["computed"]] == ["f0"]
    answer = dalenius("release", tmp_path / "new.yaml", "-o", tmp_path / "out", "--seconds", 0)
    assert answer.code == 0, answer
    table = pd.read_csv(tmp_path / "out" / "figures.csv", keep_default_na=False)
    assert list(table.figure) == ["f0", "f0, numerator", "f0, denominator"]


def test_a_mean_where_presence_is_secret_needs_noise_on_its_count() -> None:
    sizes = {"by": [], "cells": 350}
    mean = {"kind": "mean", "column": "v"}
    spec = asked(mean, secret="presence", sizes=sizes)
    assert decide(spec, PEOPLE, margins=False).verdict == "fail"
    found = decide(asked({**mean, "noise": {"geometric": 30}}, secret="presence", sizes=sizes), PEOPLE, margins=False)
    assert found.verdict == "pass"
    assert [one.over for one in found.prepared.computed] == [("f0, count",)]


def test_weights_off_their_unit_are_refused_without_a_value() -> None:
    spec = asked({"kind": "count", "where": {"s": "yes"}, "weight": "w"})
    with pytest.raises(dl.DataError) as problem:
        decide(spec, PEOPLE.assign(w=[1.25] * N), margins=False)
    assert "'w' must hold multiples of its unit 0.5" in str(problem.value) and "1.25" not in str(problem.value)


def test_a_mean_over_a_public_number_stays_one_figure() -> None:
    found = decide(asked({"kind": "mean", "column": "v", "by": "region"}), PEOPLE, margins=False)
    assert [figure.kind for figure in found.prepared.figures] == ["mean"] and not found.prepared.computed


def test_a_specification_that_is_made_by_hand_is_written_out_too() -> None:
    by_hand = SpecModel.model_validate(asked({"kind": "percentage", "of": {"s": "yes"}, "by": "region"}))
    found = decide(by_hand, PEOPLE, margins=False)
    assert [figure.name for figure in found.prepared.figures] == ["f0, numerator"]
    assert written_out(spec_of(asked({"kind": "mode", "column": "v"}))) == spec_of(
        asked({"kind": "mode", "column": "v"})
    )
