"""A policy fills what a specification leaves out, and refuses what asks for less."""

import hashlib
import json

import pytest
import yaml

from dalenius.basics.errors import SpecError
from dalenius.desk.policy import Policy, load_policy, policy_of
from dalenius.desk.session import decide
from dalenius.record.certificate.recheck import recheck
from edges.desk import Desk, dalenius, spec

POLICY = {"name": "Office rules 7", "epsilon": "0.5", "delta": "1e-3", "known": "5 %", "safe_threshold": 10}
# ACRO's default.yaml, as it is installed.
ACRO = """
safe_threshold: 10
safe_dof_threshold: 10
safe_nk_n: 2
safe_nk_k: 0.90
safe_pratio_p: 0.10
check_missing_values: False
survival_safe_threshold: 10
zeros_are_disclosive: True
safe_round_base: 5
federated: false
blocked_extensions:
  - .svg
  - .gph
"""


@pytest.fixture
def desk(tmp_path, monkeypatch) -> Desk:
    monkeypatch.delenv("DALENIUS_POLICY", raising=False)
    return Desk(tmp_path)


def put(desk, **changes):
    path = desk.folder / "policy.yaml"
    path.write_text(yaml.safe_dump({**POLICY, **changes}), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_release_within_the_policy_names_it(desk):
    put(desk)
    answer = desk.check(spec(policy="policy.yaml"), None, "--json")
    assert answer.code == 0
    (named,) = answer.json["policies"]
    assert named["name"] == "Office rules 7" and "epsilon at most 0.5" in named["demands"]
    assert "Held to Office rules 7" in desk.check(spec(policy="policy.yaml")).out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "policy", "told"),
    [
        ({"target": {"epsilon": "0.51", "delta": "1e-3"}}, {}, "demands target.epsilon of at most 0.5"),
        (
            {"target": {"epsilon": "0.5000001", "delta": "1e-3"}},
            {},
            "0.5, but the specification asks for 0.5000001",
        ),
        ({"target": {"epsilon": "0.5", "delta": "0.0010000000000000001"}}, {}, "asks for 0.0010000000000000001"),
        ({"attacker": {"knows": "0.049999999", "source": "x"}}, {}, "says 4.9999999 %"),
        ({"target": {"epsilon": "0.5", "delta": "0.0011"}}, {}, "demands target.delta of at most 1e-3"),
        ({"attacker": {"knows": "0.049", "source": "x"}}, {}, "at least 5 % of the records (20 of 400)"),
        ({"attacker": {"knows": "1 %", "source": "x"}}, {}, "but the specification says 1 %. Raise"),
        ({"attacker": {"knows": 19, "source": "x"}}, {}, "but the specification says 19"),
        ({"attacker": {"knows": "0.05", "in_every_group": True, "source": "x"}}, {}, "in_every_group: true"),
        ({}, {"safe_threshold": 1000}, "at least 1000 people behind every published number"),
    ],
)
def test_a_specification_that_asks_for_less_is_refused(desk, change, policy, told):
    put(desk, **policy)
    refused = desk.refusal(spec(policy="policy.yaml", **change))
    assert refused.startswith("Error: Office rules 7 demands") and told in refused


@pytest.mark.slow
def test_a_certificate_names_the_policy_and_its_limits(desk):
    path = put(desk)
    decision = decide(desk.put(spec(policy="policy.yaml")), margins=False)
    document = json.loads(decision.certificate(b"figure,value\n"))
    limits = {"epsilon": "1/2", "delta": "1/1000", "known": "1/20", "safe_threshold": 10}
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert document["policies"] == [{"name": "Office rules 7", "sha256": digest, **limits}]
    assert recheck(json.dumps(document).encode()).code == 0


@pytest.mark.slow
def test_what_is_exactly_demanded_is_enough(desk):
    put(desk)
    assert desk.check(spec(policy="policy.yaml", attacker={"knows": 20, "source": "x"})).code == 0


@pytest.mark.slow
def test_all_that_is_less_is_told_at_once(desk):
    put(desk, safe_threshold=1000)
    told = desk.refusal(spec(policy="policy.yaml", target={"epsilon": 1, "delta": "0.01"}))
    assert len(told.splitlines()) == 4  # epsilon, delta, two regions


@pytest.mark.slow
def test_the_policy_fills_what_the_specification_leaves_out(desk):
    put(desk)
    answer = desk.check(spec(policy="policy.yaml", target=None, attacker=None), None, "--json")
    assert answer.code == 0
    assert answer.json["claim"]["epsilon"] == "1/2" and answer.json["attacker"]["source"] == "Office rules 7"
    assert answer.json["attacker"]["knows"] == "1/20"


@pytest.mark.slow
def test_the_option_the_environment_and_python(desk, monkeypatch):
    path, file = put(desk, epsilon="0.1"), desk.put()
    assert dalenius("check", file, "--quick").code == 0
    assert "at most 0.1" in dalenius("check", file, "--policy", path).err
    assert "at most 0.1" in dalenius("release", file, "-o", desk.folder / "out", "--policy", path, "--seconds", 0).err
    with pytest.raises(SpecError, match=r"at most 0\.1"):
        decide(file, policy=path, margins=False)
    monkeypatch.setenv("DALENIUS_POLICY", str(path))
    assert dalenius("check", file, "--quick").code == 2
    with pytest.raises(SpecError, match=r"at most 0\.1"):
        decide(file, margins=False)


@pytest.mark.slow
def test_a_lax_policy_does_not_replace_a_strict_one(desk, monkeypatch):
    strict = put(desk, epsilon="0.1")
    strict = strict.rename(desk.folder / "strict.yaml")
    monkeypatch.setenv("DALENIUS_POLICY", str(strict))
    put(desk, epsilon="2")
    assert "at most 0.1" in desk.check(spec(policy="policy.yaml")).err


@pytest.mark.slow
def test_acros_risk_appetite_is_read_as_it_is(desk):
    (desk.folder / "default.yaml").write_text(ACRO, encoding="utf-8")
    policy = load_policy(desk.folder / "default.yaml")
    assert policy.safe_threshold == 10 and policy.name == "the policy default.yaml"
    assert "safe_nk_n" in policy.unused and "check_missing_values" not in policy.unused
    assert desk.check(spec(policy="default.yaml")).code == 0
    assert "the policy default.yaml" in desk.check(spec(policy="default.yaml")).out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("epsilom: 1", "Did you mean 'epsilon'?"),
        ("epsilon: -1", "from 0 to 100"),
        ("epsilon: small", "must be a finite number"),
        ("delta: 2", "from 0 to 1"),
        ("known: 100 %", "below 1"),
        ("safe_threshold: many", "a whole number"),
        ("safe_threshold: true", "a whole number"),
        ("safe_threshold: -1", "safe_threshold"),
        ("- a", "needs keys such as name"),
        ("", "needs keys such as name"),
        ("a: [", "needs to be YAML"),
    ],
)
def test_a_policy_that_is_none(desk, text, told):
    (desk.folder / "policy.yaml").write_text(text, encoding="utf-8")
    assert told in desk.refusal(spec(policy="policy.yaml"))


def test_a_policy_that_is_not_there(desk):
    assert "Needed the policy, a YAML file, at" in desk.refusal(spec(policy="nowhere.yaml"))


def test_new_takes_the_target_from_the_policy(desk):
    desk.put()
    answers = {
        "person": "id",
        "public": "none",
        "confidential": {"smoker": ["no", "yes"]},
        "secret": "value",
        "figures": "smokers: count where smoker = yes",
        "attacker": "group",
        "knows": "6 %",
        "because": "x",
        "beliefs": {"smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "s"}},
        "population": "everybody",
        "together": "nobody",
        "published": "nothing",
    }
    (desk.folder / "a.yaml").write_text(yaml.safe_dump(answers), encoding="utf-8")
    more = ["--answers", desk.folder / "a.yaml", "--policy", put(desk, epsilon="0.3"), "-o", desk.folder / "n.yaml"]
    assert dalenius("new", desk.folder / "people.csv", *more).code == 0
    assert "target: {epsilon: 0.3, delta: 1e-3}" in (desk.folder / "n.yaml").read_text(encoding="utf-8")


def test_a_policy_of_nothing_demands_nothing():
    assert policy_of({}).demands == [] and isinstance(policy_of({}), Policy)


@pytest.mark.parametrize(("public", "passes"), [(["region"], True), ([], False), (["sex"], False)])
def test_only_what_the_policy_names_is_called_public(desk, public, passes, monkeypatch):
    """Whoever calls a confidential column public is told how many people have each value of it."""
    put(desk, public=public, safe_threshold=1)
    asked = spec(policy="policy.yaml")
    if passes:
        assert "that only these columns are public: region" in str(desk.check(asked, None, "--json").json["policies"])
        return
    monkeypatch.setattr("dalenius.data.engine.Table.marks", None)  # nothing was read
    assert "demands that nothing but" in desk.refusal(asked) and "region is" in desk.refusal(asked)
