"""Cells that are left out: what that means wherever figures go, and that nothing is promised which does not hold."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pandas as pd
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from amount import examples
from dalenius.basics.errors import InputError, SpecError
from dalenius.claims import Verdict
from dalenius.desk.proposal import propose
from dalenius.desk.spec.conditions import where_of
from dalenius.facts.records import Categories, Combinations, Where
from dalenius.plan import Coarsen, Publish, plan
from dalenius.plan.examination import examine
from dalenius.record.certificate.recheck import recheck
from dalenius.record.codec.figures import where_json
from dalenius.record.codec.figures import where_of as where_behind
from dalenius.record.ledger.meaning import meaning
from dalenius.tables.figures import Figure
from dalenius.tables.history import History, atoms_of
from judgement.strategies import EXACT, NOISY, worlds
from judgement.worlds import CLOSE, World, truth

PUBLIC = {"region": Categories(("n", "s", "w")), "age": Categories(("young", "mid", "old"))}
SIZES = {
    ("n", "young"): 400, ("n", "mid"): 350, ("n", "old"): 300,
    ("s", "young"): 500, ("s", "mid"): 380, ("s", "old"): 12,
    ("w", "young"): 420, ("w", "mid"): 330, ("w", "old"): 310,
}  # fmt: skip
cells = st.lists(st.sampled_from(list(product("nsw", ["young", "mid", "old"]))), min_size=1, max_size=5, unique=True)


def spec(*figures: dict) -> dict:
    return {
        "person": "p",
        "public": {"region": ["n", "s", "w"], "age": ["young", "mid", "old"]},
        "confidential": {"ill": ["no", "yes"]},
        "beliefs": {"ill": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"}},
        "attacker": {"knows": 0, "source": "to see what happens"},
        "target": {"epsilon": 1, "delta": "1e-6"},
        "figures": list(figures),
    }


def count(name: str, by: list[str], **keys: object) -> dict:
    return {"name": name, "kind": "count", "where": {"ill": "yes"}, "by": by, **keys}


def people() -> pd.DataFrame:
    rows = [(region, age, place % 3 == 0) for (region, age), size in SIZES.items() for place in range(size)]
    table = pd.DataFrame(rows, columns=["region", "age", "ill"])
    return table.assign(ill=table.ill.map({True: "yes", False: "no"}), p=range(len(table)))


@given(some=cells, left_out=st.booleans())
@settings(max_examples=examples(20))
def test_combinations_say_the_same_in_every_form(some: list, left_out: bool) -> None:
    test = Where((Combinations(("region", "age"), tuple(some), left_out),))
    written, back = where_of(str(test), PUBLIC, {}, "here"), where_behind(where_json(test))
    assert back == test
    for cell in product("nsw", ["young", "mid", "old"]):
        row = dict(zip(("region", "age"), cell, strict=True))
        assert test.holds(row) == written.holds(row) == test.leaves(row) == ((cell in some) != left_out)
    turned = Where((Combinations(("age", "region"), tuple((age, region) for region, age in some), left_out),))
    assert meaning(Figure("a", "count", None, test)) == meaning(Figure("b", "count", None, turned))


@pytest.mark.slow
@given(world=worlds([EXACT, EXACT, *NOISY], most=5), dice=st.randoms(use_true_random=False))
@settings(max_examples=examples(25))
def test_no_bound_beside_cells_that_are_left_out_is_below_the_truth(world: World, dice) -> None:
    figures = []
    for figure in world.figures:
        places = [world.frame.columns.index(name) for name in figure.by]
        here = sorted({tuple(cell[place] for place in places) for cell in world.frame.groups})
        gone = dice.sample(here, dice.randint(0, len(here) - 1)) if figure.by else []
        figures.append(figure.without(gone) if gone else figure)
    less = replace(world, figures=tuple(figures))
    findings = examine(less.figures, less.question(Fraction(1, 20)), lambda *_: None).findings
    groups = len(atoms_of(less.figures, less.frame, less.columns))
    for finding in findings[:groups]:  # those that follow are about single numbers
        assert truth(less, finding.atom, declared=True) <= finding.delta.upper + CLOSE
    for finding in findings:
        if finding.verdict == Verdict.FAIL:
            assert truth(less, finding.atom) >= 1 / 20 - CLOSE


@pytest.mark.slow
def test_cells_of_a_table_with_margins_are_left_out_so_that_nothing_brings_them_back(tmp_path) -> None:
    figures = [count("ill", ["region", "age"]), count("by region", ["region"]), count("by age", ["age"])]
    decision = dl.decide(spec(*figures), people(), margins=False)
    assert decision.verdict != "pass"
    (way,) = [one for one in decision.plan.alternatives if one.way == "leaving out" and one.certified and one.lost < 9]
    becomes = {change.figure: change.becomes for change in way.changes}
    changed = tuple(new for one in decision.prepared.figures for new in becomes.get(one.name, (one,)))
    assert isinstance(plan(changed, History(), decision.question), Publish)
    assert ("s", "old") in changed[0].left_out and 1 < way.lost <= 4
    # with any one of them put back it does not pass: none is left out in vain
    for figure in changed:
        for cell in figure.left_out:
            kept = [other for other in figure.left_out if other != cell]
            asked = next(one for one in decision.prepared.figures if one.name == figure.name)
            more = asked.without(kept) if kept else asked
            again = tuple(more if other.name == figure.name else other for other in changed)
            assert not isinstance(plan(again, History(), decision.question), Publish), cell


@pytest.mark.slow
def test_left_out_cells_are_marked_and_both_programs_confirm_the_table(tmp_path) -> None:
    from dalenius_checker.__main__ import run as checker

    asked = spec(count("ill", ["region", "age"], leave_out=[{"region": "s", "age": "old"}]))
    decision = dl.decide(asked, people(), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert decision.verdict == "pass"
    dl.release_folder(decision.within(0), tmp_path / "out")
    rows = (tmp_path / "out/figures.csv").read_text().splitlines()
    assert rows[-1] == "ill,s,old,,left out" and len(rows) == 10
    certificate, table = tmp_path / "out/certificate.json", tmp_path / "out/figures.csv"
    assert checker([str(certificate), "--figures", str(table)])[0] == 0
    assert recheck(certificate.read_bytes(), table.read_bytes()).code == 0
    # the same figure with the cell would give it away together with what is out
    again = dl.decide(spec(count("ill", ["region", "age"])), people(), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert again.verdict == "fail"


@pytest.mark.slow
def test_a_change_is_made_in_the_cells_that_need_it() -> None:
    decision = dl.decide(spec(count("ill", ["region", "age"])), people(), margins=False)
    exact, noisy = decision.plan.figures
    assert exact.left_out == (("s", "old"),) and exact.channel.exact
    assert list(noisy.cells(PUBLIC)) == [("s", "old")] and noisy.channel.random
    assert not isinstance(decision.plan, Coarsen)


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        (count("ill", [], leave_out=[{"region": "s"}]), "not split"),
        (count("ill", ["age"], leave_out=[{"region": "s"}]), "needs a split column"),
        (count("ill", ["age"], leave_out=[{}]), "empty cell"),
        (count("ill", ["age"], leave_out=[{"age": "ancient"}]), "ancient"),
        (count("ill", ["age"], leave_out=[{"age": age} for age in ("young", "mid", "old")]), "leave some age"),
    ],
)
def test_cells_that_are_none_are_refused(figure: dict, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        dl.decide(spec(figure), people(), margins=False)


@pytest.mark.slow
def test_another_alternative_is_written_and_passes(tmp_path) -> None:
    people().to_csv(tmp_path / "people.csv", index=False)
    asked = {"data": "people.csv", **spec(count("ill", ["region", "age"]), count("by region", ["region"]))}
    (tmp_path / "asked.yaml").write_text(yaml.safe_dump(asked))
    proposal = propose(tmp_path / "asked.yaml")
    ways = proposal.decision.plan.alternatives
    certified = [number for number, way in enumerate(ways, 1) if way.possible]
    assert {ways[number - 1].way for number in certified} >= {"merging", "leaving out", "data and noise"}
    for number in certified:
        target = tmp_path / f"changed{number}.yaml"
        proposal.taking([number]).write(target)
        assert dl.decide(target, margins=False).verdict == "pass", str(ways[number - 1])
    refused = next(number for number in range(1, 50) if number not in certified)
    for wrong in ([refused], [0], certified[:2]):
        with pytest.raises(InputError):
            proposal.taking(wrong)
