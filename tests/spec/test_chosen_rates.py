"""Which of some rates a count speaks for: against all datasets, from the command line to the confirmed certificate."""

import csv
import io
import itertools
import json
import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest
import yaml

import dalenius as dl
from amount import worlds
from dalenius.basics.errors import SpecError
from dalenius.desk.session import decide, release_folder
from dalenius.desk.spec import build, spec_of
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import sealed
from dalenius_checker.__main__ import run
from dalenius_checker.laws import turns
from edges.desk import dalenius
from spec.kinds import Kind, Row, Small, total, yes
from spec.test_earned_counts import SMOKERS, people
from spec.test_hidden_counts import certified

WORLDS = worlds(12, 10_000)
CLOSE = 1e-9
RATES = ["1/10", "3/10", "1/2", "7/10", "9/10"]


def likeliest(count: int, size: int, rates: Sequence[str]) -> str:
    """By hand; nothing is said of nobody."""
    found = [Fraction(rate) ** count * (1 - Fraction(rate)) ** (size - count) for rate in rates]
    return rates[found.index(max(found))] if size else ""


def random_release(dice: random.Random) -> tuple[list[dict[str, object]], Callable[[Sequence[Row]], object], str]:
    """Some figures, what they say of rows, and which columns they use: a rate that is chosen, and others beside."""
    rates, split = dice.sample(RATES, dice.choice([2, 3])), dice.choice(["", "region"])
    figures: list[dict[str, object]] = [{**SMOKERS, "by": [split] * bool(split), "choose": rates}]
    beside = dice.choice(["nothing", "nothing", "nothing", "total", "sum", "again"])
    more: dict[str, dict[str, object]] = {
        "total": {**SMOKERS, "name": "all"},
        "sum": {"name": "sum", "kind": "sum", "column": "v"},
        "again": {**SMOKERS, "name": "again", "choose": rates[::-1]},
    }
    figures += [more[beside]] if beside in more else []

    def told(rows: Sequence[Row]) -> object:
        parts = [[row for row in rows if row["region"] == region] for region in "ns"] if split else [rows]
        what = [likeliest(len(yes(part)), len(part), rates) for part in parts]
        also = {
            "total": lambda: len(yes(rows)),
            "sum": lambda: total(rows),
            "again": lambda: likeliest(len(yes(rows)), len(rows), rates[::-1]),
        }
        return (*what, also[beside]() if beside in also else None)

    return figures, told, "sv" if beside == "sum" else "s"


@pytest.mark.parametrize(("chance", "rates"), [("0", ["1/5", "3/5"]), ("1", ["4/5", "2/5"])])
def test_known_records_may_have_values_that_were_held_impossible(chance: str, rates: list[str]) -> None:
    """Of three people two are known: where just one of them is counted the third one decides."""
    three = (("n", "1"),) * 3
    spread = {0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 4)}
    small = Small(
        three, {"s": (1 - Fraction(chance), Fraction(chance)), "v": tuple(spread.values())}, 2, Fraction(1, 2)
    )
    figure = {**SMOKERS, "choose": rates}
    keys = {**small.specification(Kind({}, len, "s")), "figures": [figure]}
    apart = {likeliest(count, 3, rates) for count in (1, 2)}
    assert len(apart) == 2
    upper, lower = certified(keys, three, 0)
    assert (lower, upper) == (0, 1)


@pytest.mark.slow
def test_chosen_rates_beside_others_and_history_tell_no_more_than_is_certified() -> None:
    dice = random.Random("chosen")
    for _ in range(WORLDS):
        figures, says, uses = random_release(dice)
        small = Small.random(dice, most=4 if uses == "sv" else 6)
        out = dice.choice([0, 0, len(figures) - 1])
        truth = small.truth(says, uses)
        specification = {**small.specification(Kind({}, says, uses)), "figures": figures}
        upper, lower = certified(specification, small.people, out)
        assert lower - CLOSE <= truth <= upper + CLOSE, (figures, small)


def test_by_itself_it_is_exact() -> None:
    dice = random.Random("exact")
    for _ in range(12):
        size, rates = dice.randint(2, 40), dice.sample(RATES, 2)
        known, rate, epsilon = dice.choice([0, 0, 1, 3]), Fraction(dice.randint(1, 9), 10), dice.choice(["0.3", "1"])
        known = min(known, size - 1)
        worst = 0.0
        for counted in range(known + 1):
            laws = []
            for adds in (0, 1):
                law: dict[str, float] = {}
                for ones in range(size - known):
                    rest = size - 1 - known
                    out = likeliest(ones + counted + adds, size, rates)
                    law[out] = law.get(out, 0.0) + float(comb(rest, ones) * rate**ones * (1 - rate) ** (rest - ones))
                laws.append(law)
            for one, two in itertools.permutations(laws):
                gain = (mass - math.exp(float(epsilon)) * two.get(out, 0.0) for out, mass in one.items())
                worst = max(worst, math.fsum(max(0.0, part) for part in gain))
        mechanism = dl.Count() >> dl.mechanisms.likeliest_rate(*rates)
        delta = dl.verify(mechanism, dl.noiseless(dl.IID(p=rate, n=size, known=known)), epsilon=epsilon).delta
        assert delta.lower * (1 - 1e-9) - 1e-13 <= worst <= delta.upper * (1 + 1e-9) + 1e-13


def test_the_checker_turns_from_one_rate_to_the_next_at_the_same_counts() -> None:
    """Ties too: 0.3 and 0.7 are as likely where half of the people are counted."""
    dice = random.Random("turns")
    for _ in range(20):
        size, rates = dice.choice([1, 2, 10, 101, 2000]), dice.sample(RATES, dice.choice([2, 3, 4]))
        by_hand = [likeliest(count, size, rates) for count in range(size + 1)] if size < 200 else None
        choice = dl.mechanisms.likeliest_rate(*rates)
        found = turns([Fraction(rate) for rate in rates], size, 90)
        assert found == list(choice.steps(size).starts)
        if by_hand:
            assert found == [k for k in range(1, size + 1) if by_hand[k] != by_hand[k - 1]]


def spec(*more: dict[str, object], **keys: object) -> dict[str, Any]:
    return {
        "data": "people.csv",
        "person": "id",
        "public": {"region": ["n", "s"]},
        "confidential": {"s": ["no", "yes"]},
        "beliefs": {"s": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"}},
        "attacker": {"knows": 2, "source": "a guess"},
        "target": {"epsilon": "0.5", "delta": "1e-6"},
        "figures": [{**SMOKERS, "by": "region", "choose": ["0.3", "0.9"]}, *more],
        **keys,
    }


@pytest.mark.slow
def test_from_the_command_line_to_the_confirmed_certificate_and_the_next_release(tmp_path: Path) -> None:
    """Few people: the count by itself would tell too much. The same again tells nothing more; the count does."""
    people(200, 3).to_csv(tmp_path / "people.csv", index=False)
    for name, keys in {
        "release": spec(),
        "plain": spec(figures=[{**SMOKERS, "by": "region"}]),
        "noise": spec(figures=[{**SMOKERS, "by": "region", "noise": {"geometric": 2}}]),
    }.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(keys))
    assert dalenius("check", tmp_path / "plain.yaml", "--quick").code == 1
    said = dalenius("release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--seconds", 0)
    assert said.code == 0, said
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "figures.csv").read_text())))
    assert {row["value"] for row in rows} == {"rate 0.3"}
    files = [tmp_path / "out" / name for name in ("certificate.json", "figures.csv")]
    assert dalenius("verify", files[0], "--figures", files[1]).code == 0
    assert run([str(files[0]), "--figures", str(files[1])])[0] == 0
    assert dalenius("check", tmp_path / "release.yaml", "--quick").code == 0
    for name in ("plain", "noise"):
        assert dalenius("check", tmp_path / f"{name}.yaml", "--seconds", "1").code in (1, 3)
    assert dalenius("explain", tmp_path / "release.yaml").code == 0


@pytest.mark.slow
def test_what_is_claimed_of_other_rates_is_not_confirmed(tmp_path: Path) -> None:
    decision = decide(spec(), people(200, 3), ledger=tmp_path / "ledger.sqlite", margins=False)
    release_folder(decision.within(0), tmp_path / "out")
    whole = json.loads((tmp_path / "out" / "certificate.json").read_bytes())
    for numbers in ("1/5 2/5", "3/10", "3/10 3/10", "0 1/2", "3/10 1", None):
        channel = [] if numbers is None else [["choose", numbers]]
        figures = [{**whole["figures"][0], "channel": channel}]
        forged = sealed({key: part for key, part in {**whole, "figures": figures}.items() if key != "sha256"})
        (tmp_path / "forged.json").write_bytes(forged)
        said = dalenius("verify", tmp_path / "forged.json")
        assert said.code in (1, 2, 3), (numbers, said)
        assert run([str(tmp_path / "forged.json")])[0] in (1, 2, 3), numbers
    assert recheck((tmp_path / "out" / "certificate.json").read_bytes()).code == 0


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ({"choose": []}, "different ones"),
        ({"choose": ["0.3"]}, "different ones"),
        ({"choose": ["0.3", "0.30"]}, "different ones"),
        ({"choose": [0, "0.3"]}, "above 0 and below 1"),
        ({"choose": ["0.3", "0.4"], "round": 5}, "also has round"),
        ({"choose": ["0.3", "0.4"], "hide": {"below": 5, "zeros": "shown"}}, "also has"),
        ({"choose": ["0.3", "0.4"], "kind": "percentage", "of": {"s": "yes"}, "where": {}}, "has no choose"),
    ],
)
def test_bad_rates_are_refused_with_what_to_do(figure: dict[str, object], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        build(spec_of(spec(figures=[{**SMOKERS, **figure}])))
