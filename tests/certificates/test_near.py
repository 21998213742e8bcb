"""What of a column is secret, from a specification to a certificate that another program confirms."""

import json

import pandas as pd
import pytest
import yaml

import dalenius as dl
from amount import spread
from dalenius.basics.errors import SpecError
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import sealed
from dalenius_checker.__main__ import run
from edges.desk import dalenius

N = 400
SPEC = {
    "data": "people.csv",
    "person": "id",
    "confidential": {"income": {"bounds": [0, 40]}, "smoker": ["no", "yes"]},
    "beliefs": {
        "income": {"probabilities": {"0 to 40": 1}, "source": "a survey"},
        "smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"},
    },
    "attacker": {"knows": "0.05", "source": "a guess"},
    "target": {"epsilon": "0.5", "delta": "1e-6"},
    "figures": [{"name": "incomes", "kind": "sum", "column": "income"}],
}


def people():
    incomes = [(7 * i) % 41 for i in range(N)]
    return pd.DataFrame({"id": range(N), "income": incomes, "smoker": ["yes", "no"] * (N // 2)})


@pytest.fixture
def room(tmp_path):
    people().to_csv(tmp_path / "people.csv", index=False)
    return tmp_path


def write(room, name="release.yaml", **changes):
    (room / name).write_text(yaml.safe_dump({**SPEC, **changes}, sort_keys=False), encoding="utf-8")
    return room / name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("secret", "changes"),
    spread(
        [
            ({"within": {"income": 2}}, [[1, 1, 7]]),
            ({"percent": {"income": 10}}, [[1, 1, 13]]),
            ({"share": {"income": {"points": 2, "others": 100}}}, [[1, 1, 12]]),
            ({"pairs": {"income": [[0, 5], [5, 20]]}}, [[5, 10, 2]]),
        ],
        2,
    ),
)
def test_near_values_go_out_with_a_certificate_that_is_confirmed(room, secret, changes):
    told = dalenius("release", write(room, secret=secret), "-o", room / "out", "--seconds", 0)
    assert told.code == 0, told.out + told.err
    path = room / "out" / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["kinds"][0]["parts"][0]["changes"] == changes and document["near"]
    assert dalenius("verify", path, "--figures", room / "out" / "figures.csv").code == 0
    code, words = run([str(path), "--figures", str(room / "out" / "figures.csv")])
    assert code == 0, words
    assert "less than" in told.out if "pairs" not in secret else "5 and 20" in told.out
    again = dalenius("check", write(room), "--seconds", 0)
    assert again.code == 2 and "secret: it was" in again.err


@pytest.mark.slow
def test_any_two_incomes_are_too_much_to_hide(room):
    found = dl.decide(SPEC, people(), ledger=room / "ledger.sqlite", margins=False)
    near = dl.decide(
        {**SPEC, "secret": {"within": {"income": 2}}}, people(), ledger=room / "ledger.sqlite", margins=False
    )
    assert (found.verdict, near.verdict) == ("fail", "pass")
    told = " ".join(str(dl.explain(near)).split())
    assert "two values of yours that must look alike" in told and "any fact about you go" not in told


@pytest.mark.slow
def test_more_changes_than_pass_or_none_that_are_said_are_refused(room):
    dalenius("release", write(room, secret={"within": {"income": 2}}), "-o", room / "out", "--seconds", 0)
    document = json.loads((room / "out" / "certificate.json").read_text(encoding="utf-8"))
    document.pop("sha256")
    for changes, near in (([[1, 1, 40]], document["near"]), ([[1, 1, 7]], None), ([[3, 1, 2], [1, 1, 2]], ["x"])):
        forged = json.loads(json.dumps(document))
        forged["kinds"][0]["parts"][0]["changes"] = changes
        forged["near"] = near
        forged = {key: part for key, part in forged.items() if part is not None or key != "near"}
        content = sealed(forged)
        assert recheck(content).refused
        (room / "forged.json").write_bytes(content)
        assert run([str(room / "forged.json")])[0] in (1, 3)


def test_intervals_and_another_column_that_is_wholly_secret(room):
    """Smoking is secret as before; of the income only whether it is above 20."""
    figures = [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}]
    secret = {"intervals": {"income": [0, 20, 41]}}
    plain = dl.decide({**SPEC, "figures": figures}, people(), ledger=room / "one.sqlite", margins=False).as_specified
    near = dl.decide(
        {**SPEC, "figures": figures, "secret": secret}, people(), ledger=room / "two.sqlite", margins=False
    ).as_specified
    assert near.findings[0].delta == plain.findings[0].delta


@pytest.mark.parametrize(
    ("secret", "told"),
    [
        ({"within": {"incme": 2}}, "Did you mean 'income'"),
        ({"within": {"smoker": 2}}, "has labels"),
        ({"within": {"income": 2}, "percent": {"income": 5}}, "two things of income"),
        ({}, "needs within, percent, share, intervals or pairs"),
        ({"pairs": {"smoker": [["yes", "perhaps"]]}}, "needs one of no, yes"),
    ],
)
def test_a_secret_that_cannot_be_meant_is_explained(secret, told):
    with pytest.raises(SpecError, match=told):
        dl.decide({**SPEC, "secret": secret}, people(), margins=False)
