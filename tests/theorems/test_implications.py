"""What a guarantee implies for other definitions: golden parameters, missing facts, and where no path can be."""

import json
import math
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.basics.errors import InputError, PreconditionError
from dalenius.claims import Notion
from dalenius.claims.implications import implications
from dalenius.enclosure.brackets import Bracket
from dalenius.papers.theorems import find
from dalenius.papers.theorems.theorem import proved

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "semantics.json").read_text())


def claim(notion, epsilon, delta=0.0):
    return proved(
        notion, epsilon=Bracket(epsilon, epsilon), delta=Bracket(delta, delta), because="given", source="a test"
    )


@pytest.mark.parametrize("case", GOLDEN["KS"]["thm2.4_5.1_A3_golden"], ids=str)
def test_differential_to_semantic_privacy(case):
    found = claim(Notion.DIFFERENTIAL, case["eps"], case["delta"]).implies("semantic privacy", n=case["n"])
    assert found.epsilon.upper == pytest.approx(case["eps_prime"], rel=1e-6)
    assert found.delta.upper == pytest.approx(case["delta_prime_sharp"], rel=1e-5)


@pytest.mark.parametrize("case", GOLDEN["KS"]["thm2.2_forward"], ids=str)
def test_differential_to_semantic_privacy_and_back(case):
    there = claim(Notion.DIFFERENTIAL, case["eps"]).implies(Notion.SEMANTIC)
    assert there.epsilon.upper == pytest.approx(case["tight_tanh_half"], rel=1e-10)
    back = claim(Notion.SEMANTIC, there.epsilon.upper).implies(Notion.DIFFERENTIAL)
    assert back.epsilon.upper == pytest.approx(2 * case["eps"], rel=1e-10)
    assert [step.theorem for step in there.steps] == ["KS-2.2"]


@pytest.mark.parametrize("case", GOLDEN["KS"]["thm2.4_converse"]["cases"], ids=str)
def test_semantic_to_differential_privacy_has_two_readings(case):
    level = (Bracket(case["s"], case["s"]), Bracket(case["delta"], case["delta"]))
    found = implications(Notion.SEMANTIC, Notion.DIFFERENTIAL, level, {})
    reached = {(round(one.epsilon.upper, 8), round(one.delta.upper, 8)) for one in found}
    for name in ("R1", "R2"):
        if f"{name}_eps" in case and case[f"{name}_eps"] is not None:
            assert (round(case[f"{name}_eps"], 8), round(case[f"{name}_delta"], 8)) in reached


def test_distributional_to_noiseless_privacy_under_independence():
    found = claim(Notion.DISTRIBUTIONAL, 0.5, 0.01).implies("noiseless privacy", independent=True)
    assert found.epsilon.upper == 1.0
    assert found.delta.upper == pytest.approx(GOLDEN["CW"]["gehrke_equiv"]["formula"], rel=1e-10)
    with pytest.raises(PreconditionError, match=r"independent=\.\.\..*CW-hidden-mean"):
        claim(Notion.DISTRIBUTIONAL, 0.5, 0.01).implies("noiseless privacy")


@pytest.mark.parametrize("case", GOLDEN["CW"]["thm1_2_repaired"], ids=str)
def test_coupled_worlds_to_posteriors(case):
    found = claim(Notion.COUPLED, case["eps"], case["delta"]).implies("inference-based privacy", pairs=case["Gamma"])
    assert found.epsilon.upper == pytest.approx(2 * case["eps"])
    assert found.delta.upper == pytest.approx(case["out_delta_exact_root"], rel=1e-9)
    assert found.delta.upper <= case["out_delta_simple"] * (1 + 1e-12)


def test_pufferfish_to_posteriors():
    found = claim(Notion.PUFFERFISH, 0.7, 0.02).implies(Notion.POSTERIOR, binary=True)
    assert (found.epsilon.upper, found.delta.upper) == pytest.approx((0.7, 0.1))


def test_a_noiseless_guarantee_reads_as_a_statement_about_posteriors_but_not_as_differential_privacy():
    g = dl.verify(dl.Count(), dl.noiseless(dl.IID(p=0.5, n=1001)), epsilon=1, delta=1e-6)
    told = str(g.implies("inference-based Pufferfish privacy", binary=True))
    assert "CW-D7" in told and "CW-T7" in told
    with pytest.raises(PreconditionError, match="GK-noiseless-is-not-DP"):
        g.implies("differential privacy")
    with pytest.raises(PreconditionError, match="GK-noiseless-is-not-DP"):
        g.implies("differential privacy", independent=True, one_belief=True, no_side=True)


def test_one_belief_does_not_become_all_of_them():
    """A simulator that draws from one belief would otherwise lead from noiseless to differential privacy."""
    level = (Bracket(0.1, 0.1), Bracket(0.0, 0.0))
    facts = {
        "independent": True,
        "one_belief": True,
        "no_side": True,
        "all_beliefs": True,
        "n": 10,
        "pairs": 10,
        "binary": True,
    }
    assert implications(Notion.NOISELESS, Notion.DIFFERENTIAL, level, facts) == []


def test_the_same_definition_is_implied_without_a_step():
    found = claim(Notion.NOISELESS, 0.3, 0.1).implies(Notion.NOISELESS)
    assert found.steps == () and found.epsilon.upper == 0.3 and "the same" in str(found)


def test_what_cannot_be_read_otherwise_is_refused():
    with pytest.raises(InputError, match="A definition is one of"):
        claim(Notion.NOISELESS, 0.3).implies("privacy")
    some = dl.numerics.Moments(records=1_000_000, variance=250_000, third=125_000)
    buckets = dl.judge.threshold_guarantee(some, shift=1, events=4, epsilon=0.1)
    with pytest.raises(PreconditionError, match="other reading"):
        buckets.implies("Pufferfish privacy")
    with pytest.raises(PreconditionError, match="the number of records"):
        claim(Notion.DIFFERENTIAL, 0.3, 1e-9).implies("semantic privacy")


def test_printed_numbers_round_up():
    told = str(claim(Notion.DIFFERENTIAL, 1.0).implies("semantic privacy"))
    printed = float(told.split("(")[2].partition(",")[0])
    assert math.tanh(0.5) <= printed < math.tanh(0.5) + 1e-3


def test_what_is_removed_guessed_or_endless_has_no_other_reading():
    sums = dl.Sum() >> dl.mechanisms.DiscreteGaussian(2)
    removed = dl.verify(sums, dl.differential_privacy((-1, 0, 1), neighbours="add or remove"), epsilon=1)
    guess = dl.verify(dl.Count(), dl.noiseless(dl.fitted(dl.IID(p="1/2", n=100))), epsilon=1)
    endless = dl.verify(dl.Count(), dl.differential_privacy(), delta=0)
    for g in (removed, guess, endless):
        with pytest.raises(PreconditionError):
            g.implies("Pufferfish privacy", independent=True)


def test_what_holds_for_one_belief_says_nothing_of_neighbours():
    for key, given in (
        ("KS-4.2", {"delta": 0}),
        ("KS-5.1", {"delta": 0, "exceptions": 0, "n": 1}),
        ("KS-5.2", {"exceptions": "0.001", "n": 1}),
    ):
        with pytest.raises(PreconditionError):
            find(key)[0](epsilon=1, **given).implies("differential privacy")


def test_pure_differential_privacy_holds_whatever_the_data_are():
    assert claim(Notion.DIFFERENTIAL, 1.0).implies(Notion.OBLIVIOUS).epsilon.upper == pytest.approx(math.tanh(0.5))
    with pytest.raises(PreconditionError, match="KS-A"):
        claim(Notion.DIFFERENTIAL, 1.0, 1e-9).implies(Notion.OBLIVIOUS)


def test_numbers_that_are_none_are_refused():
    for key, given in (
        ("KM-T9.1-DP", {"first": -5, "second": 7}),
        ("GK-R1", {"epsilon": 1, "delta": 3}),
        ("KS-3.3.1", {"epsilon": -1, "delta": 0}),
        ("CW-T7", {"epsilon": 1, "delta": -1}),
        ("CW-T2", {"epsilon": 1, "delta": "0.1", "pairs": 2.5}),
    ):
        with pytest.raises(InputError):
            find(key)[0](**given)
    with pytest.raises(InputError, match="whole number"):
        claim(Notion.COUPLED, 0.5, 0.01).implies("inference-based privacy", pairs=2.9)


def test_a_definition_may_be_named_by_itself():
    g = dl.verify(dl.Count() >> dl.two_sided_geometric(2), dl.differential_privacy(), epsilon="0.5")
    found = g.implies(dl.noiseless(dl.IID(p="1/2", n=10)), independent=True)
    assert found.epsilon.upper == 0.5 and [step.theorem for step in found.steps] == ["GK-R1"]
    with pytest.raises(PreconditionError, match="noiseless privacy of presence"):
        g.implies(dl.noiseless(dl.IID(p="1/2", n=10), secret=dl.Presence()))
