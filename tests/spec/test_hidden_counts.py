"""Small counts hidden: against all datasets, from the command line to the confirmed certificate, and bad input."""

import csv
import io
import itertools
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

import dalenius as dl
from amount import worlds
from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.session import decide, release_folder
from dalenius.desk.spec import build, spec_of
from dalenius.plan import Question
from dalenius.plan.assessment import assess
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import sealed
from dalenius.tables.figures import Frame
from dalenius.tables.history import History
from dalenius_checker.__main__ import run
from edges.desk import dalenius
from spec.kinds import Kind, Row, Small, total, yes

WORLDS = worlds(12, 10_000)
CLOSE = 1e-9
SMOKERS = {"name": "smokers", "kind": "count", "where": {"s": "yes"}}


def hidden(below: int, zeros: str) -> Callable[[int], object]:
    return lambda count: count if count >= below or (count == 0 and zeros == "shown") else "small"


def random_release(dice: random.Random) -> tuple[list[dict[str, object]], Callable[[Sequence[Row]], object], str]:
    """Some figures, what they say of rows, and which columns they use: small counts hidden, and others beside."""
    below, zeros = dice.choice([(2, "hidden"), (3, "hidden"), (3, "shown"), (4, "shown")])
    split, says = dice.choice(["", "region"]), hidden(below, zeros)
    figures: list[dict[str, object]] = [
        {**SMOKERS, "by": [split] * bool(split), "hide": {"below": below, "zeros": zeros}}
    ]
    beside = dice.choice(["nothing", "nothing", "total", "north", "sum", "hidden too"])
    more: dict[str, dict[str, object]] = {
        "total": {**SMOKERS, "name": "all"},
        "north": {**SMOKERS, "name": "north", "where": {"s": "yes", "region": "n"}},
        "sum": {"name": "sum", "kind": "sum", "column": "v"},
        "hidden too": {**SMOKERS, "name": "again", "hide": {"below": 2, "zeros": "hidden"}},
    }
    figures += [more[beside]] if beside in more else []

    def told(rows: Sequence[Row]) -> object:
        parts = [[row for row in rows if row["region"] == region] for region in "ns"] if split else [rows]
        what = [says(len(yes(part))) for part in parts]
        also = {
            "total": lambda: len(yes(rows)),
            "north": lambda: len([row for row in yes(rows) if row["region"] == "n"]),
            "sum": lambda: total(rows),
            "hidden too": lambda: hidden(2, "hidden")(len(yes(rows))),
        }
        return (*what, also[beside]() if beside in also else None)

    return figures, told, "sv" if beside == "sum" else "s"


def certified(specification: Mapping[str, object], people: Sequence[tuple[str, str]], out: int) -> tuple[float, bool]:
    """The largest bound, where the first `out` of the figures are out already; and whether one is refused."""
    asked = build(spec_of(specification))
    groups: dict[tuple[object, ...], int] = {}
    for region, weight in people:
        row = {"region": region, "w": asked.public["w"].values[int(weight) - 1]}
        cell = tuple(row[name] for name in asked.frame_columns)
        groups[cell] = groups.get(cell, 0) + 1
    question = Question(
        Frame(asked.frame_columns, groups),
        asked.confidential,
        asked.beliefs,
        asked.attacker,
        asked.secret,
        asked.target,
    )
    found = assess(asked.figures[out:], History(asked.figures[:out]), question).findings
    return max((one.delta.upper for one in found), default=0.0), max((one.delta.lower for one in found), default=0.0)


@pytest.mark.slow
def test_hidden_counts_beside_others_and_history_tell_no_more_than_is_certified() -> None:
    dice = random.Random("hidden")
    for _ in range(WORLDS):
        figures, says, uses = random_release(dice)
        small = Small.random(dice, most=4 if uses == "sv" else 6)
        out = dice.choice([0, 0, len(figures) - 1])
        truth = small.truth(says, uses)
        specification = {**small.specification(Kind({}, says, uses)), "figures": figures}
        upper, lower = certified(specification, small.people, out)
        assert lower - CLOSE <= truth <= upper + CLOSE, (figures, small)


def by_hand(size: int, rate: Fraction, below: int, zeros: str, known: int, epsilon: float) -> float:
    """The exact delta of one count of which small ones are hidden: the known records may be anything."""
    rest, worst, says = size - 1 - known, 0.0, hidden(below, zeros)
    for counted in range(known + 1):
        laws = []
        for adds in (0, 1):
            law: dict[object, Fraction] = {}
            for ones in range(rest + 1):
                out = says(ones + counted + adds)
                law[out] = law.get(out, Fraction(0)) + comb(rest, ones) * rate**ones * (1 - rate) ** (rest - ones)
            laws.append(law)
        for one, two in itertools.permutations(laws):
            excess = (float(mass) - math.exp(epsilon) * float(two.get(out, 0)) for out, mass in one.items())
            worst = max(worst, math.fsum(max(0.0, part) for part in excess))
    return worst


@pytest.mark.parametrize("zeros", ["hidden", "shown"])
def test_by_itself_it_is_exact(zeros: str) -> None:
    """Also for verify, with a belief; and it is less than what the count tells."""
    dice = random.Random(zeros)
    for _ in range(12):
        size, below, known = dice.randint(2, 40), dice.randint(2, 12), dice.choice([0, 0, 1, 4])
        rate, epsilon = Fraction(dice.choice([1, 5, 10]), 20), dice.choice(["0.3", "1", "2"])
        known = min(known, size - 1)
        mechanism = dl.Count() >> dl.mechanisms.small_counts_hidden(below, zeros=zeros)
        belief = dl.noiseless(dl.IID(p=rate, n=size, known=known))
        delta = dl.verify(mechanism, belief, epsilon=epsilon).delta
        truth = by_hand(size, rate, below, zeros, known, float(epsilon))
        assert delta.lower * (1 - 1e-9) - 1e-15 <= truth <= delta.upper * (1 + 1e-9) + 1e-15
        assert delta.upper - delta.lower <= 1e-9
        assert delta.upper <= dl.verify(dl.Count(), belief, epsilon=epsilon).delta.upper * (1 + 1e-9) + 1e-15


def people(count: int, every: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": range(count),
            "region": ["ns"[n % 2] for n in range(count)],
            "s": ["no" if n % every else "yes" for n in range(count)],
        }
    )


def spec(*more: dict[str, object], **keys: object) -> dict[str, Any]:
    return {
        "data": "people.csv",
        "person": "id",
        "public": {"region": ["n", "s"]},
        "confidential": {"s": ["no", "yes"]},
        "beliefs": {"s": {"probabilities": {"yes": "0.05", "no": "rest"}, "source": "a survey"}},
        "attacker": {"knows": 0, "source": "a guess"},
        "target": {"epsilon": 1, "delta": "1e-5"},
        "figures": [{**SMOKERS, "by": "region", "hide": {"below": 11, "zeros": "hidden"}}, *more],
        **keys,
    }


@pytest.mark.slow
def test_from_the_command_line_to_the_confirmed_certificate_and_the_next_release(tmp_path: Path) -> None:
    """Few people: the count by itself would tell too much. Afterwards the ledger judges what is asked beside it."""
    people(384, 35).to_csv(tmp_path / "people.csv", index=False)
    for name, keys in {
        "release": spec(),
        "plain": spec(figures=[{**SMOKERS, "by": "region"}]),
        "beside": spec(figures=[{**SMOKERS, "name": "all"}]),
    }.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(keys))
    assert dalenius("check", tmp_path / "plain.yaml", "--quick").code == 1
    said = dalenius("release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--seconds", 0)
    assert said.code == 0, said
    assert "hidden if below 11, zeros too" in (tmp_path / "out" / "report.txt").read_text()
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "figures.csv").read_text())))
    assert {row["value"] for row in rows} == {"<11"}
    assert "&lt;11" in (tmp_path / "out" / "report.html").read_text()
    certificate = tmp_path / "out" / "certificate.json"
    assert dalenius("verify", certificate, "--figures", tmp_path / "out" / "figures.csv").code == 0
    assert run([str(certificate), "--figures", str(tmp_path / "out" / "figures.csv")])[0] == 0
    again = dalenius("check", tmp_path / "release.yaml")
    assert again.code == 0  # the same numbers, that are out
    assert dalenius("check", tmp_path / "beside.yaml", "--quick").code in (1, 3)  # the total, beside two hidden counts
    assert dalenius("check", tmp_path / "plain.yaml", "--quick").code in (1, 3)


@pytest.mark.slow
def test_what_is_claimed_too_low_or_shown_although_hidden_is_not_confirmed(tmp_path: Path) -> None:
    frame = people(384, 35)
    decision = decide(spec(), frame, ledger=tmp_path / "ledger.sqlite", margins=False)
    release_folder(decision.within(0), tmp_path / "out")
    whole = json.loads((tmp_path / "out" / "certificate.json").read_bytes())
    for change in ({"channel": []}, {"channel": [["hide", "3"]]}, {"channel": [["hide but zeros", "11"]]}):
        figures = [{**whole["figures"][0], **change}]
        forged = sealed({key: part for key, part in {**whole, "figures": figures}.items() if key != "sha256"})
        (tmp_path / "forged.json").write_bytes(forged)
        assert recheck(forged).code != 0
        assert run([str(tmp_path / "forged.json")])[0] != 0
    table = (tmp_path / "out" / "figures.csv").read_text()
    assert "<11" in table
    (tmp_path / "shown.csv").write_text(table.replace("<11", "6", 1))
    shown = dalenius("verify", tmp_path / "out" / "certificate.json", "--figures", tmp_path / "shown.csv")
    assert shown.code != 0


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ({"hide": {"below": 10}}, "zeros"),
        ({"hide": {"below": 0, "zeros": "hidden"}}, "from 1"),
        ({"hide": {"below": 1, "zeros": "hidden"}}, "at most one count"),
        ({"hide": {"below": 2, "zeros": "shown"}}, "at most one count"),
        ({"hide": {"below": 10, "zeros": "some"}}, "shown"),
        ({"hide": {"below": 10, "zeros": "hidden"}, "round": 5}, "also has round"),
        ({"hide": {"below": 10, "zeros": "hidden"}, "noise": {"geometric": 2}}, "also has noise"),
    ],
)
def test_bad_rules_are_refused_with_what_to_do(figure: dict[str, object], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        build(spec_of(spec(figures=[{**SMOKERS, **figure}])))


def test_sums_are_not_hidden() -> None:
    keys = spec(confidential={"s": {"bounds": [0, 3]}}, beliefs={"s": {"probabilities": {"0 to 3": 1}, "source": "?"}})
    keys["figures"] = [{"name": "sum", "kind": "sum", "column": "s", "hide": {"below": 10, "zeros": "shown"}}]
    with pytest.raises(SpecError, match="has no hide"):
        build(spec_of(keys))


def test_other_beliefs_are_judged_as_if_the_count_was_shown() -> None:
    """What is not worked out by itself is bounded by the count: a chain, and a class of laws."""
    chain = dl.Markov(start={0: "1/2", 1: "1/2"}, moves={0: {0: "0.6", 1: "0.4"}, 1: {0: "0.4", 1: "0.6"}}, n=30)
    for belief in (chain, dl.AtLeast({0: "0.5", 1: "0.5"}, weight="0.8", n=30)):
        whole = dl.verify(dl.Count(), dl.noiseless(belief), epsilon=1).delta
        some = dl.verify(
            dl.Count() >> dl.mechanisms.small_counts_hidden(5, zeros="shown"), dl.noiseless(belief), epsilon=1
        )
        assert 0 <= some.delta.lower <= some.delta.upper <= whole.upper


def test_what_comes_before_or_after_is_refused() -> None:
    hide = dl.mechanisms.small_counts_hidden(5, zeros="shown")
    for mechanism in (dl.Count() >> dl.Rounded(5) >> hide, dl.Count() >> hide >> dl.Rounded(5)):
        with pytest.raises(InputError):
            dl.verify(mechanism, dl.noiseless(dl.IID(p="0.1", n=30)), epsilon=1)
