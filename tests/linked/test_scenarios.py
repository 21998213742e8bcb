"""Several scenarios, of which one holds for everybody: each must be safe by itself, and none is mixed with another."""

import json
import random
from fractions import Fraction
from math import exp

import pandas as pd
import pytest

import dalenius as dl
from amount import repetitions
from dalenius.basics.errors import SpecError
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.judge.group import Target
from dalenius.plan import Question, assess
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import sealed
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from dalenius_checker.__main__ import run

HAIR = 1e-9


def truth(laws, adds, others, epsilon):
    """The worst scenario and pair of values, by the law of what all others add."""
    worst = 0.0
    for law in laws:
        total = {0: Fraction(1)}
        for _ in range(others):
            more = {}
            for at, p in total.items():
                for value, q in enumerate(law):
                    more[at + adds[value]] = more.get(at + adds[value], 0) + p * q
            total = more
        for a in adds:
            for b in adds:
                told = [{at + x: p for at, p in total.items()} for x in (a, b)]
                gain = sum(max(0.0, float(p) - exp(epsilon) * float(told[1].get(at, 0))) for at, p in told[0].items())
                worst = max(worst, gain)
    return worst


@pytest.mark.parametrize("seed", range(repetitions(8, 400)))
def test_the_worst_scenario_counts_and_nothing_else(seed):
    rng = random.Random(seed)
    labels, n, known = "abc", rng.randint(4, 9), rng.randint(0, 1)
    laws = []
    for _ in range(rng.randint(2, 3)):
        masses = [Fraction(rng.randint(1, 6)) for _ in labels]
        laws.append([mass / sum(masses) for mass in masses])
    tables = [{(): tuple(zip(labels, law, strict=True))} for law in laws]
    belief = ColumnBelief("x", tables[0], "test", scenarios=tuple(tables[1:]))
    figure = Figure("number of a", "count", None, Where((("x", OneOf(("a",))),)))
    epsilon = rng.choice([1, 2])
    target = Target(Fraction(epsilon), Fraction(1, 10**6))
    columns = {"x": Categories(tuple(labels))}
    asked = Question(Frame((), {(): n}), columns, (belief,), Attacker(known), Value(), target)
    (finding,) = assess([figure], History(), asked).findings[-1:]
    expected = truth(laws, [1, 0, 0], n - 1 - known, float(epsilon))
    assert expected - HAIR <= finding.delta.upper <= expected * (1 + 1e-6) + HAIR
    assert finding.delta.lower <= expected + HAIR


N = 1200
SPEC = {
    "person": "id",
    "public": {"region": ["n", "s"]},
    "confidential": {"smoker": ["no", "yes"], "diagnosis": ["flu", "none"]},
    "beliefs": {
        "smoker": {"scenarios": [{"yes": "0.3", "no": "rest"}, {"yes": "0.2", "no": "rest"}], "source": "two surveys"},
        "diagnosis": {
            "scenarios": [
                {"flu": "0.2", "none": "rest"},
                {"flu": "0.3", "none": "rest"},
                {"flu": "0.4", "none": "rest"},
            ],
            "source": "three registers",
        },
    },
    "attacker": {"knows": "1%", "source": "a guess"},
    "target": {"epsilon": 2, "delta": "1e-4"},
}
SMOKERS = {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}
FLU = {"name": "flu", "kind": "count", "where": {"diagnosis": "flu"}, "by": "region"}


def people():
    every = range(N)
    columns = {
        "smoker": [("yes", "no")[k % 3 > 0] for k in every],
        "diagnosis": [("flu", "none")[k % 4 > 0] for k in every],
    }
    return pd.DataFrame({"id": every, "region": [("n", "s")[k % 2] for k in every], **columns})


def decided(folder, figures, **changes):
    return dl.decide({**SPEC, "figures": figures, **changes}, people(), ledger=folder / "ledger.sqlite", margins=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("figures", "number"),
    [([SMOKERS], 2), ([SMOKERS, {**FLU, "by": []}], 6), ([{**FLU, "noise": {"geometric": 1}}], 3)],
)
def test_all_scenarios_stand_in_a_certificate_that_is_confirmed(tmp_path, figures, number):
    decision = decided(tmp_path, figures)
    assert decision.verdict == "pass"
    assert f"in the worst of {number} scenarios" in decision.as_specified.findings[0].because
    assert "everybody follows the same one of" in " ".join(decision.story().split())
    dl.release_folder(decision.within(0), tmp_path / "out")
    path = tmp_path / "out" / "certificate.json"
    assert recheck(path.read_bytes()).code == 0
    code, words = run([str(path), "--figures", str(tmp_path / "out" / "figures.csv")])
    assert code == 0, words
    document = json.loads(path.read_text(encoding="utf-8"))
    document.pop("sha256")
    for part in document["kinds"][0]["parts"]:
        part["also"] = part["also"][:-1]
    content = sealed(document)
    assert any("all scenarios" in why for why in recheck(content).refused)
    (tmp_path / "forged.json").write_bytes(content)
    assert run([str(tmp_path / "forged.json")])[0] == 1
    again = decided(tmp_path, [{**figures[0], "name": "again"}])
    assert again.verdict in ("pass", "review", "fail")  # what is out is remembered with its scenarios


@pytest.mark.slow
def test_a_scenario_is_not_mixed_with_another(tmp_path):
    """Two laws without a common part: of a mixture nothing would be left, each by itself hides."""
    laws = [{"flu": "0.4", "cancer": "0.6", "none": 0}, {"flu": 0, "cancer": "0.5", "none": "0.5"}]
    confidential = {"smoker": ["no", "yes"], "diagnosis": ["flu", "cancer", "none"]}
    figure = {"name": "cancer", "kind": "count", "where": {"diagnosis": "cancer"}}
    for key, most in (("scenarios", 1e-9), ("one_of", 1)):
        beliefs = {"diagnosis": {key: laws, "source": "two registers"}}
        table = people().replace({"diagnosis": {"none": "cancer"}})
        given = {**SPEC, "confidential": confidential, "beliefs": beliefs, "figures": [figure]}
        found = dl.decide(given, table, ledger=tmp_path / f"{key}.sqlite", margins=False).as_specified.findings[0]
        assert found.delta.upper <= most


@pytest.mark.parametrize(
    ("smoker", "told"),
    [
        ({"scenarios": [{"yes": "0.3", "no": "rest"}]}, "2 to 16 laws"),
        ({"scenarios": [{"yes": "0.3", "no": "rest"}, {"yes": "1.3", "no": "rest"}]}, "yes"),
        ({"scenarios": [{"yes": "0.3", "no": "rest"}] * 2, "weight": "0.5"}, "weight beside it"),
        ({"scenarios": [{"yes": "0.3", "no": "rest"}] * 6}, "make 18 together"),
    ],
)
def test_scenarios_that_cannot_be_meant_are_explained(tmp_path, smoker, told):
    beliefs = {**SPEC["beliefs"], "smoker": {**smoker, "source": "x"}}
    with pytest.raises(SpecError, match=told):
        decided(tmp_path, [SMOKERS], beliefs=beliefs)
