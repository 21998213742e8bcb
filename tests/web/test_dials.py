"""Dials: what is remembered from one turn to the next changes no number, and what passes at a glance passes."""

import random
from fractions import Fraction

import pandas as pd
import pytest

import dalenius as dl
from amount import repetitions
from dalenius.basics.errors import InputError
from dalenius.desk.dials import Dials, turned
from dalenius.desk.examples.demo import specify
from edges.desk import INCOME, SMOKERS, people, spec

BY_REGION = {**SMOKERS, "by": "region"}
SPECS = {
    "one column": {"figures": [BY_REGION]},
    "two columns": {"figures": [BY_REGION, INCOME]},
    "a difference": {"figures": [SMOKERS, {**SMOKERS, "name": "north", "where": {"smoker": "yes", "region": "north"}}]},
    "noise": {"figures": [{**BY_REGION, "noise": {"geometric": 4}}, {**INCOME, "round": 2000}]},
}


def moves(often, seed=7):
    dice = random.Random(seed)
    place = {"knows": "0.05", "wrong": "0", "epsilon": "0.5"}
    for _ in range(often):
        name = dice.choice(list(place))
        most = {"knows": 95, "wrong": 30, "epsilon": 300}[name]
        place[name] = str(Fraction(dice.randrange(0 if name != "epsilon" else 5, most), 100))
        yield dict(place)


def compare(decision, often):
    dials = Dials(decision)
    for place in moves(often):
        kept, anew = dials.turned(**place), turned(decision, **place)
        assert kept.verdict == anew.verdict
        assert [one.delta for one in kept.findings] == [one.delta for one in anew.findings], place
        assert [one.known for one in kept.findings] == [one.known for one in anew.findings]


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
def test_what_is_remembered_changes_no_number(tmp_path, name):
    decision = dl.decide(spec(**SPECS[name]), pd.DataFrame(people()), ledger=tmp_path / "l.sqlite", margins=False)
    compare(decision, repetitions(12, 120))


@pytest.mark.slow
def test_the_register_turned_is_the_register_judged_anew(tmp_path):
    specify(tmp_path / "work")
    decision = dl.decide(tmp_path / "work" / "release.yaml", ledger=tmp_path / "l.sqlite", margins=False, seconds=0)
    compare(decision, repetitions(6, 60))
    as_it_is = Dials(decision).turned()
    pairs = list(zip(as_it_is.findings, decision.as_specified.findings, strict=True))
    assert all(one.atom == other.atom for one, other in pairs) and as_it_is.verdict == decision.verdict == "pass"
    assert all(one.delta.upper >= other.delta.lower for one, other in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one column", "two columns"])
def test_what_passes_at_a_glance_passes(tmp_path, name):
    rows, dials = pd.DataFrame(people()), None
    for place in moves(repetitions(4, 40), seed=11):
        asked = spec(
            **SPECS[name],
            attacker={"knows": place["knows"], "source": "x"},
            target={"epsilon": place["epsilon"], "delta": "1e-3"},
        )
        decision = dl.decide(asked, rows, ledger=tmp_path / "l.sqlite", margins=False, seconds=0)
        dials = dials or Dials(decision)
        glance = dials.turned(knows=place["knows"], epsilon=place["epsilon"])
        assert (glance.verdict, decision.verdict) not in (("pass", "fail"), ("pass", "review"), ("fail", "pass"))


def test_what_no_dial_turns_at_is_said(tmp_path):
    rows = pd.DataFrame(people())
    decision = dl.decide(spec(figures=[BY_REGION]), rows, ledger=tmp_path / "l.sqlite", margins=False)
    for wrong in ({"knows": "1"}, {"knows": "-0.1"}, {"epsilon": "many"}, {"wrong": "2"}):
        with pytest.raises(InputError):
            turned(decision, **wrong)
