"""Randomised answers in a table: against all datasets and all coins, from the command line to the certificate."""

import itertools
import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

import dalenius as dl
from amount import worlds
from dalenius.basics.errors import SpecError
from dalenius.desk.session import decide, release_folder
from dalenius.desk.spec import build, spec_of
from dalenius.numerics.answered import ThroughCoin
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import sealed
from dalenius_checker.__main__ import run
from edges.desk import dalenius
from spec.kinds import Drawn, Kind, Row, Small, many, total, yes
from spec.test_earned_counts import SMOKERS, people
from spec.test_hidden_counts import certified

WORLDS = worlds(8, 10_000)
CLOSE = 1e-9


def random_release(dice: random.Random) -> tuple[list[dict[str, object]], Callable[[Sequence[Row]], object], str]:
    """Some figures of answers, what they say of the rows that came out, and which columns they use."""
    split = dice.choice(["", "region"])
    figures: list[dict[str, object]] = [{**SMOKERS, "by": [split] * bool(split)}]
    hide = {"hide": {"below": 2, "zeros": "hidden"}}
    rule = dice.choice([{}, {}, hide, {"round": 2}, {"choose": ["1/3", "2/3"]}])
    figures[0] |= rule
    beside = dice.choice(["nothing", "nothing", "total", "no", "sum", "both"])
    more: dict[str, dict[str, object]] = {
        "total": {**SMOKERS, "name": "all"},
        "no": {**SMOKERS, "name": "no", "where": {"s": "no"}},
        "sum": {"name": "sum", "kind": "sum", "column": "v"},
        "both": {"name": "both", "kind": "count", "where": {"s": "yes", "v": {"at_least": 1}}},
    }
    figures += [more[beside]] if beside in more else []

    def one(part: Sequence[Row]) -> object:
        count = len(yes(part))
        if "hide" in rule:
            return count if count >= 2 else "small"
        if "round" in rule:
            return (count + 1) // 2
        if "choose" in rule:
            return 2 * count > len(part) if part else ""
        return count

    def told(rows: Sequence[Row]) -> object:
        parts = [[row for row in rows if row["region"] == region] for region in "ns"] if split else [rows]
        also = {
            "total": lambda: len(yes(rows)),
            "no": lambda: len(rows) - len(yes(rows)),
            "sum": lambda: total(rows),
            "both": lambda: len(many(yes(rows))),
        }
        return (*map(one, parts), also[beside]() if beside in also else None)

    return figures, told, "sv" if beside in ("sum", "both") else "s"


def through_coins(says: Callable[[Sequence[Row]], object], keep: Fraction) -> Callable[[Sequence[Row]], object]:
    """What goes out of true rows: each answer is kept with this chance."""

    def told(rows: Sequence[Row]) -> Drawn:
        law: dict[object, float] = {}
        for kept in itertools.product((True, False), repeat=len(rows)):
            flipped = [
                row if same else {**row, "s": "no" if row["s"] == "yes" else "yes"}
                for row, same in zip(rows, kept, strict=True)
            ]
            chance = math.prod(float(keep if same else 1 - keep) for same in kept)
            law[says(flipped)] = law.get(says(flipped), 0.0) + chance
        return Drawn(law)

    return told


@pytest.mark.slow
def test_what_is_told_of_true_answers_is_no_more_than_is_certified() -> None:
    """Beside others and history; the attacker may know a true answer, but nobody's coin."""
    dice = random.Random("answered")
    for _ in range(WORLDS):
        figures, says, uses = random_release(dice)
        keep = Fraction(dice.choice(["3/5", "3/4", "9/10"]))
        small = Small.random(dice, most=3 if uses == "sv" else 4)
        small = replace(small, epsilon=Fraction(dice.choice(["0", "1/4", "1/2", "1", "2"])))
        out = dice.choice([0, 0, len(figures) - 1])
        truth = small.truth(through_coins(says, keep), uses)
        specification: dict[str, Any] = {**small.specification(Kind({}, says, uses)), "figures": figures}
        specification["beliefs"]["s"] |= {"answered": str(keep)}
        upper, lower = certified(specification, small.people, out)
        assert lower - CLOSE <= truth <= upper + CLOSE, (figures, small, keep)
        if len(figures) == 1 and not small.known:
            assert upper <= truth * (1 + 1e-6) + 1e-9, (figures, small, keep)


def test_it_is_the_theorem_of_the_total_of_answers() -> None:
    """For nobody known: the same bracket by another way."""
    for keep, size, epsilon in itertools.product(("3/5", "3/4"), (20, 300), ("0.1", "0.3", "1")):
        answers = dl.mechanisms.RandomizedResponse(keep=keep)
        total = dl.mechanisms.ResponseTotal(answers, dl.IID(p="0.2", n=size))
        one = total.curve().delta(Fraction(epsilon))
        came = Fraction(keep) * Fraction(1, 5) + (1 - Fraction(keep)) * Fraction(4, 5)
        published = dl.curve(dl.Count(), dl.noiseless(dl.IID(p=came, n=size)))
        two = ThroughCoin(published, Fraction(keep), attained=True).delta(Fraction(epsilon))
        assert two.lower <= one.upper + 1e-14
        assert one.lower <= two.upper + 1e-14
        assert two.upper - two.lower <= 1e-9


def spec(**keys: object) -> dict[str, Any]:
    return {
        "data": "people.csv",
        "person": "id",
        "public": {"region": ["n", "s"]},
        "confidential": {"s": ["no", "yes"]},
        "beliefs": {"s": {"probabilities": {"yes": "0.1", "no": "rest"}, "answered": "0.75", "source": "a survey"}},
        "attacker": {"knows": 1, "source": "a guess"},
        "target": {"epsilon": "0.5", "delta": "1e-3"},
        "figures": [{**SMOKERS, "by": "region"}],
        **keys,
    }


@pytest.mark.slow
def test_from_the_command_line_to_the_confirmed_certificate_and_the_next_release(tmp_path: Path) -> None:
    """What would tell too much of a plain column does not of answers; the ledger judges what is asked beside it."""
    people(360, 3).to_csv(tmp_path / "people.csv", index=False)
    plain = {"s": {"probabilities": {"yes": "0.1", "no": "rest"}, "source": "a survey"}}
    for name, keys in {
        "release": spec(),
        "plain": spec(beliefs=plain),
        "odd": spec(
            figures=[{**SMOKERS, "where": {"s": "yes"}, "name": "x", "by": "region", "noise": {"geometric": 9}}]
        ),
    }.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(keys))
    assert dalenius("check", tmp_path / "plain.yaml", "--seconds", "1").code == 1
    said = dalenius("release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--seconds", 0)
    assert said.code == 0, said
    assert "went through a coin" in " ".join(said.out.split())
    files = [tmp_path / "out" / name for name in ("certificate.json", "figures.csv")]
    assert dalenius("verify", files[0], "--figures", files[1]).code == 0
    assert run([str(files[0]), "--figures", str(files[1])])[0] == 0
    assert "off by about" in (tmp_path / "out" / "report.txt").read_text() + said.out
    assert dalenius("check", tmp_path / "release.yaml", "--seconds", "1").code == 0
    assert dalenius("explain", tmp_path / "release.yaml").code == 0


@pytest.mark.slow
def test_the_true_total_is_estimated_and_confirmed(tmp_path: Path) -> None:
    """As `dalenius respond` does: 120 of 360 answers are yes."""
    figures = [{"name": "true", "kind": "answers", "of": {"s": "yes"}}]
    decision = decide(spec(figures=figures), people(360, 3), ledger=tmp_path / "ledger.sqlite", margins=False)
    release_folder(decision.within(0), tmp_path / "out")
    files = [tmp_path / "out" / name for name in ("certificate.json", "figures.csv")]
    table = files[1].read_text().splitlines()
    estimate = dl.mechanisms.RandomizedResponse(keep="0.75").estimate(yes=120, n=360)
    assert estimate.lower == estimate.upper == 60
    assert table[1].split(",")[1] == "60", table
    assert dalenius("verify", files[0], "--figures", files[1]).code == 0
    assert run([str(files[0]), "--figures", str(files[1])])[0] == 0
    for wrong in ({"s": "maybe"}, {"region": "n"}, {"s": ["yes", "no"]}):
        with pytest.raises(SpecError):
            build(spec_of(spec(figures=[{"name": "true", "kind": "answers", "of": wrong}])))


@pytest.mark.slow
def test_what_is_claimed_of_other_coins_is_not_confirmed(tmp_path: Path) -> None:
    decision = decide(spec(), people(360, 3), ledger=tmp_path / "ledger.sqlite", margins=False)
    release_folder(decision.within(0), tmp_path / "out")
    whole = json.loads((tmp_path / "out" / "certificate.json").read_bytes())
    for keep in ("99/100", "1/2", "1", "3/5", None):
        kinds = json.loads(json.dumps(whole["kinds"]))
        for kind in kinds:
            for part in kind["parts"]:
                part.pop("answered")
                part.update({} if keep is None else {"answered": keep})
        forged = sealed({key: part for key, part in {**whole, "kinds": kinds}.items() if key != "sha256"})
        (tmp_path / "forged.json").write_bytes(forged)
        assert dalenius("verify", tmp_path / "forged.json").code in (1, 2, 3), keep
        assert run([str(tmp_path / "forged.json")])[0] in (1, 2, 3), keep
    assert recheck((tmp_path / "out" / "certificate.json").read_bytes()).code == 0


@pytest.mark.parametrize(
    ("belief", "said"),
    [
        ({"answered": "0.5"}, "above 1/2 and below 1"),
        ({"answered": 1}, "above 1/2 and below 1"),
        ({"answered": "0.75", "hedged": "0.1"}, "answered is for one column"),
    ],
)
def test_bad_coins_are_refused_with_what_to_do(belief: dict[str, object], said: str) -> None:
    keys = {"probabilities": {"yes": "0.1", "no": "rest"}, "source": "?", **belief}
    with pytest.raises(SpecError, match=said):
        build(spec_of(spec(beliefs={"s": keys})))
    three = spec(confidential={"s": ["no", "yes", "?"]}, beliefs={"s": {"unknown": True, "answered": "0.75"}})
    with pytest.raises(SpecError, match="two values"):
        build(spec_of(three))
