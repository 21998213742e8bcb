"""Counts exact where the data earn it: against all datasets, from the command line to the confirmed certificate."""

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
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import sealed
from dalenius_checker.__main__ import run
from edges.desk import dalenius
from spec.kinds import Drawn, Kind, Row, Small, total, yes
from spec.test_hidden_counts import certified

WORLDS = worlds(6, 10_000)
CLOSE = 1e-9
SMOKERS = {"name": "smokers", "kind": "count", "where": {"s": "yes"}}
Told = Mapping[object, float]


def outcomes(count: int, people: int, low: Fraction, high: Fraction, scale: Fraction) -> Told:
    """How it is drawn: geometric noise; where the count and the noisy one are both in the window, the noisy one is kept
    with the chance that is left, and else the count is told exactly.
    """
    if not people:
        return {"": 1.0}
    x, found = math.exp(-1 / float(scale)), dict[object, float]()
    first, last = math.ceil(low * people), math.floor(high * people)
    for noisy in range(-60, people + 61):
        chance = (1 - x) / (1 + x) * x ** abs(noisy - count)
        if first <= count <= last and first <= noisy <= last:
            exponent = 2 + min(noisy - first + count - first, last - noisy + last - count)
            kept = x ** (exponent - abs(noisy - count))
            found["exactly", count] = found.get(("exactly", count), 0.0) + chance * (1 - kept)
            chance *= kept
        found["about", noisy] = chance
    return found


def all_of(parts: Sequence[Told]) -> Drawn:
    """Several numbers, each with dice of its own; what is hardly ever told is left out."""
    law: dict[object, float] = {}
    for chosen in itertools.product(*([(out, p) for out, p in part.items() if p > 1e-12] for part in parts)):
        law[tuple(out for out, _ in chosen)] = math.prod(p for _, p in chosen)
    return Drawn(law)


def random_release(dice: random.Random) -> tuple[list[dict[str, object]], Callable[[Sequence[Row]], object], str]:
    """Some figures, what they say of rows, and which columns they use: counts that are earned, and others beside."""
    between = dice.choice([("1/5", "4/5"), ("1/3", "2/3"), ("2/5", "9/10"), ("1/2", "1/2"), ("9/20", "11/20")])
    low, high, scale = (*map(Fraction, between), Fraction(dice.choice(["1/2", "1"])))
    split = dice.choice(["", "region"])
    earned = {"earned": {"between": list(between), "scale": str(scale)}}
    figures: list[dict[str, object]] = [{**SMOKERS, "by": [split] * bool(split), **earned}]
    beside = dice.choice(["nothing", "nothing", "nothing", "total", "sum"] + ["again"] * (not split))
    more: dict[str, dict[str, object]] = {
        "total": {**SMOKERS, "name": "all"},
        "sum": {"name": "sum", "kind": "sum", "column": "v"},
        "again": {**SMOKERS, "name": "again", **earned},
    }
    figures += [more[beside]] if beside in more else []

    def told(rows: Sequence[Row]) -> object:
        parts = [[row for row in rows if row["region"] == region] for region in "ns"] if split else [rows]
        what = [outcomes(len(yes(part)), len(part), low, high, scale) for part in parts]
        also: dict[str, Callable[[], Told]] = {
            "total": lambda: {len(yes(rows)): 1.0},
            "sum": lambda: {total(rows): 1.0},
            "again": lambda: outcomes(len(yes(rows)), len(rows), low, high, scale),
        }
        return all_of([*what, *([also[beside]()] if beside in also else [])])

    return figures, told, "sv" if beside == "sum" else "s"


@pytest.mark.slow
def test_earned_counts_beside_others_and_history_tell_no_more_than_is_certified() -> None:
    dice = random.Random("earned")
    for _ in range(WORLDS):
        figures, says, uses = random_release(dice)
        small = Small.random(dice, most=4 if uses == "sv" else 5)
        out = dice.choice([0, 0, len(figures) - 1])
        truth = small.truth(says, uses)
        specification = {**small.specification(Kind({}, says, uses)), "figures": figures}
        upper, lower = certified(specification, small.people, out)
        assert lower - CLOSE <= truth <= upper + CLOSE, (figures, small)


def by_hand(size: int, rate: Fraction, rule: tuple[Fraction, Fraction, Fraction], known: int, epsilon: float) -> float:
    """The exact delta of one such count: the known records may be anything."""
    rest, worst = size - 1 - known, 0.0
    every = [outcomes(count, size, *rule) for count in range(size + 1)]
    for counted in range(known + 1):
        laws = []
        for adds in (0, 1):
            law: dict[object, float] = {}
            for ones in range(rest + 1):
                chance = float(comb(rest, ones) * rate**ones * (1 - rate) ** (rest - ones))
                for out, some in every[ones + counted + adds].items():
                    law[out] = law.get(out, 0.0) + chance * some
            laws.append(law)
        for one, two in itertools.permutations(laws):
            excess = (mass - math.exp(epsilon) * two.get(out, 0.0) for out, mass in one.items())
            worst = max(worst, math.fsum(max(0.0, part) for part in excess))
    return worst


def test_by_itself_it_is_exact() -> None:
    """From the epsilon of the noise on; and always at most what the count itself tells."""
    dice = random.Random("one")
    for _ in range(12):
        size, known = dice.randint(2, 30), dice.choice([0, 0, 1, 3])
        rate, scale = Fraction(dice.choice([1, 5, 10]), 20), Fraction(dice.choice(["1", "2", "4"]))
        known, epsilon = min(known, size - 1), dice.choice(["0.3", "1", "2"])
        low = Fraction(dice.randint(1, 10), 20)
        high = low + Fraction(dice.randint(0, 9), 20)
        mechanism = dl.Count() >> dl.mechanisms.exact_if_earned(low, high, scale=scale)
        belief = dl.noiseless(dl.IID(p=rate, n=size, known=known))
        delta = dl.verify(mechanism, belief, epsilon=epsilon).delta
        truth = by_hand(size, rate, (low, high, scale), known, float(epsilon))
        assert delta.lower * (1 - 1e-9) - 1e-13 <= truth <= delta.upper * (1 + 1e-9) + 1e-13
        if Fraction(epsilon) * scale >= 1 and not known:
            assert delta.upper - delta.lower <= 1e-9
        assert delta.upper <= dl.verify(dl.Count(), belief, epsilon=epsilon).delta.upper * (1 + 1e-9) + 1e-13


def test_by_the_theorem_of_the_mechanism_nothing_is_told_at_its_epsilon() -> None:
    """The window that `earned` makes of a chance is that of the single-prior count, whose proof is another one."""
    for chance, epsilon, size in itertools.product(("0.05", "0.3", "0.5"), ("0.2", "1"), (10, 101, 1000)):
        rule = build(spec_of(spec(figures=[{**SMOKERS, "earned": {"chance": chance, "epsilon": epsilon}}])))
        link = rule.figures[0].earning
        assert link is not None
        known = dl.mechanisms.SinglePriorCount(chance, n=size, epsilon=epsilon, pairs="value")
        assert link.window(size) == known.window or (link.window(size).empty and known.window.empty)
        belief = dl.noiseless(dl.IID(p=chance, n=size))
        assert dl.verify(dl.Count() >> link, belief, epsilon=epsilon).delta.upper <= 1e-12


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
        "beliefs": {"s": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"}},
        "attacker": {"knows": 0, "source": "a guess"},
        "target": {"epsilon": "0.5", "delta": "1e-6"},
        "figures": [{**SMOKERS, "by": "region", "earned": {"chance": "0.3", "epsilon": "0.5"}}, *more],
        **keys,
    }


@pytest.mark.slow
def test_from_the_command_line_to_the_confirmed_certificate_and_the_next_release(tmp_path: Path) -> None:
    """Few people: the count by itself would tell too much. Afterwards the ledger judges what is asked beside it, and
    the same again: it is drawn anew, and two of them tell more than one.
    """
    people(120, 3).to_csv(tmp_path / "people.csv", index=False)
    for name, keys in {
        "release": spec(),
        "plain": spec(figures=[{**SMOKERS, "by": "region"}]),
        "beside": spec(figures=[{**SMOKERS, "name": "all"}]),
        "knows": spec(attacker={"knows": 3, "source": "?"}),
    }.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(keys))
    assert dalenius("check", tmp_path / "plain.yaml", "--quick").code == 1
    assert dalenius("check", tmp_path / "knows.yaml", "--quick").code in (1, 3)
    assert dalenius("explain", tmp_path / "release.yaml").code == 0
    said = dalenius("release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--seconds", 0)
    assert said.code == 0, said
    assert "choice between exact and noisy counts" in said.out
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "figures.csv").read_text())))
    assert {row["value"].split()[0] for row in rows} <= {"exactly", "about"}
    assert rows[0]["value"] in (tmp_path / "out" / "report.html").read_text()
    files = [tmp_path / "out" / name for name in ("certificate.json", "figures.csv")]
    assert dalenius("verify", files[0], "--figures", files[1]).code == 0
    assert run([str(files[0]), "--figures", str(files[1])])[0] == 0
    for name in ("release", "beside", "plain"):
        assert dalenius("check", tmp_path / f"{name}.yaml", "--quick").code in (1, 3)


@pytest.mark.slow
def test_what_is_claimed_too_low_or_told_otherwise_is_not_confirmed(tmp_path: Path) -> None:
    decision = decide(spec(), people(120, 3), ledger=tmp_path / "ledger.sqlite", margins=False)
    release_folder(decision.within(0), tmp_path / "out")
    whole = json.loads((tmp_path / "out" / "certificate.json").read_bytes())
    low, high, scale = whole["figures"][0]["channel"][0][1].split()
    for numbers in (
        None,
        f"{low} {high} 1",
        f"1/10 {high} {scale}",
        f"{low} 9/10 {scale}",
        f"{high} {low} {scale}",
        f"{low} {high}",
        f"{low} 1 {scale}",
        f"{low} {high} 0",
    ):
        channel = [] if numbers is None else [["earned", numbers]]
        figures = [{**whole["figures"][0], "channel": channel}]
        forged = sealed({key: part for key, part in {**whole, "figures": figures}.items() if key != "sha256"})
        (tmp_path / "forged.json").write_bytes(forged)
        said = dalenius("verify", tmp_path / "forged.json")
        assert said.code in (1, 2, 3), (numbers, said)
        assert run([str(tmp_path / "forged.json")])[0] in (1, 2, 3), numbers
    for wrong in ("exactly 2", "20", "about 1.5", ""):
        figures = [{**whole["figures"][0]}]
        table = (tmp_path / "out" / "figures.csv").read_text().splitlines()
        row = next(csv.reader([table[1]]))
        out = io.StringIO()
        csv.writer(out).writerow([*row[:2], wrong, row[3]])
        content = "\n".join([table[0], out.getvalue().strip(), *table[2:], ""]).encode()
        sha = {"figures_sha256": __import__("hashlib").sha256(content).hexdigest()}
        (tmp_path / "forged.json").write_bytes(sealed({k: v for k, v in {**whole, **sha}.items() if k != "sha256"}))
        (tmp_path / "shown.csv").write_bytes(content)
        assert dalenius("verify", tmp_path / "forged.json", "--figures", tmp_path / "shown.csv").code == 1, wrong
        assert run([str(tmp_path / "forged.json"), "--figures", str(tmp_path / "shown.csv")])[0] == 1, wrong
    assert recheck((tmp_path / "out" / "certificate.json").read_bytes()).code == 0


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ({"earned": {}}, "but got none"),
        ({"earned": {"chance": "0.3"}}, "needs chance and epsilon"),
        ({"earned": {"chance": "0.3", "scale": 2}}, "needs chance and epsilon"),
        ({"earned": {"chance": 0, "epsilon": 1}}, "between 0 and 1"),
        ({"earned": {"chance": "0.5", "epsilon": 0}}, "above 0"),
        ({"earned": {"between": ["0.4", "0.2"], "scale": 2}}, "not above the second"),
        ({"earned": {"between": [0, "0.2"], "scale": 2}}, "above 0 and below 1"),
        ({"earned": {"between": ["0.1", "0.2"], "scale": 0}}, "scale above 0"),
        ({"earned": {"chance": "0.3", "epsilon": 1}, "round": 5}, "also has round"),
        ({"earned": {"chance": "0.3", "epsilon": 1}, "noise": {"geometric": 2}}, "also has noise"),
        ({"earned": {"chance": "0.3", "epsilon": 1}, "hide": {"below": 5, "zeros": "shown"}}, "also has"),
    ],
)
def test_bad_rules_are_refused_with_what_to_do(figure: dict[str, object], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        build(spec_of(spec(figures=[{**SMOKERS, **figure}])))


def test_it_is_for_counts_of_a_public_number_of_people() -> None:
    keys = spec(confidential={"s": {"bounds": [0, 3]}}, beliefs={"s": {"probabilities": {"0 to 3": 1}, "source": "?"}})
    rule = {"earned": {"chance": "0.3", "epsilon": 1}}
    with pytest.raises(SpecError, match="has no earned"):
        build(spec_of({**keys, "figures": [{"name": "sum", "kind": "sum", "column": "s", **rule}]}))
    with pytest.raises(SpecError, match="presence is secret"):
        build(spec_of(spec(figures=[{**SMOKERS, **rule}], secret="presence", sizes={"cells": 100})))
    mechanism = dl.Count() >> dl.mechanisms.exact_if_earned("0.2", "0.4", scale=2)
    with pytest.raises(InputError):
        dl.verify(mechanism >> dl.Rounded(5), dl.noiseless(dl.IID(p="0.1", n=30)), epsilon=1)
