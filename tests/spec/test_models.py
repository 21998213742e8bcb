"""Which of some models the values of a column speak for: against all datasets, to the confirmed certificate."""

import csv
import io
import itertools
import json
import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from amount import worlds
from dalenius.basics.errors import SpecError
from dalenius.desk.session.decision import decide
from dalenius.desk.spec import build, spec_of
from dalenius.desk.spec.kinds import written_out
from dalenius.facts.secret import Value
from dalenius.judge.engine import Judge
from dalenius.judge.group import Group, Laws
from dalenius.judge.models import models_curve
from dalenius.mechanisms import Chain, OnlyCompared
from dalenius.record.certificate.written import sealed
from dalenius_checker.__main__ import run
from edges.desk import dalenius
from spec.kinds import Kind, Row, Small, yes
from spec.test_hidden_counts import certified

WORLDS = worlds(8, 3_000)
CLOSE = 1e-9
Model = dict[int, Fraction]


def a_model(dice: random.Random) -> Model:
    weights = [dice.randint(1, 9) for _ in range(3)]
    return {value: Fraction(weight, sum(weights)) for value, weight in enumerate(weights)}


def some_models(dice: random.Random, number: int) -> list[Model]:
    found: list[Model] = []
    while len(found) < number:
        one = a_model(dice)
        found += [one] if one not in found else []
    return found


def named(rows: Sequence[Row], models: Sequence[Model]) -> object:
    """By hand: the first of the likeliest; nothing of nobody."""
    chances = [math.prod((model[int(str(row["v"]))] for row in rows), start=Fraction(1)) for model in models]
    return chances.index(max(chances)) if rows else None


def figure(models: Sequence[Model], **keys: object) -> dict[str, object]:
    shown = [{value: str(chance) for value, chance in model.items()} for model in models]
    return {"name": "which", "kind": "model", "column": "v", "models": shown, **keys}


def random_release(dice: random.Random) -> tuple[list[dict[str, object]], Callable[[Sequence[Row]], object], int]:
    """A model, alone or beside something, how many figures are out already, and what all of it says."""
    models, split = some_models(dice, dice.choice([2, 2, 3])), dice.choice([False, True])
    beside = dice.choice(["nothing", "nothing", "two", "smokers", "again", "some"])
    figures = [figure(models, **({"by": "region"} if split else {}))]
    more: dict[str, tuple[dict[str, object], Callable[[Sequence[Row]], object]]] = {
        "two": ({"name": "two", "kind": "count", "where": {"v": 2}}, lambda rows: sum(row["v"] == 2 for row in rows)),
        "smokers": ({"name": "smokers", "kind": "count", "where": {"s": "yes"}}, lambda rows: len(yes(rows))),
        "again": (
            figure(models[::-1], name="north", where={"region": "n"}),
            lambda rows: named([row for row in rows if row["region"] == "n"], models[::-1]),
        ),
        "some": (
            figure(models, name="of smokers", where={"s": "yes"}),
            lambda rows: named(yes(rows), models),
        ),
    }
    figures += [more[beside][0]] if beside in more else []

    def told(rows: Sequence[Row]) -> object:
        parts = [[row for row in rows if row["region"] == region] for region in "ns"] if split else [rows]
        return tuple(named(part, models) for part in parts), more[beside][1](rows) if beside in more else None

    return figures, told, dice.choice([0, 1]) if beside in more else 0


def test_models_beside_others_and_history_tell_no_more_than_is_certified() -> None:
    dice = random.Random("model")
    for _ in range(WORLDS):
        figures, says, out = random_release(dice)
        conditions = [figure.get("where") for figure in figures]
        uses = "sv" if any(isinstance(where, dict) and "s" in where for where in conditions) else "v"
        small = Small.random(dice, most=4 if uses == "sv" else 5)
        truth = small.truth(says, uses)
        keys = {**small.specification(Kind({}, says, uses)), "figures": figures}
        upper, lower = certified(keys, small.people, out)
        assert truth <= upper + CLOSE, (figures, small)
        assert lower <= truth + CLOSE, (figures, small)


def truth(laws: Sequence[tuple[Sequence[Fraction], int]], models: Sequence[Model], known: int, epsilon: float) -> float:
    """Of a few people with laws of their own, by listing all: the worst person, known records, and two values."""
    each = [law for law, count in laws for _ in range(count)]
    worst = 0.0
    for target in range(len(each)):
        others = [place for place in range(len(each)) if place != target]
        for seen in itertools.combinations(others, known):
            left = [place for place in others if place not in seen]
            for said in itertools.product(range(3), repeat=known):
                told: list[dict[object, float]] = []
                for value in range(3):
                    law: dict[object, float] = {}
                    for rest in itertools.product(range(3), repeat=len(left)):
                        chance = math.prod(float(each[place][v]) for place, v in zip(left, rest, strict=True))
                        out = named([{"v": v} for v in (value, *said, *rest)], models)
                        law[out] = law.get(out, 0.0) + chance
                    told.append(law)
                for one, two in itertools.permutations(told, 2):
                    gain = (mass - math.exp(epsilon) * two.get(out, 0.0) for out, mass in one.items())
                    worst = max(worst, math.fsum(max(0.0, part) for part in gain))
    return worst


def group_of(laws: Sequence[tuple[Sequence[Fraction], int]], models: Sequence[Model], known: int, left: int) -> Group:
    """People of some laws; of the first so many tenths of each are all that is known, if there are any."""
    values = ((1, 0), (0, 1), (0, 0))
    types = tuple((tuple(zip(values, law, strict=True)), count) for law, count in laws)
    least = tuple((tuple((v, p * left / 10) for v, p in law), count) for law, count in types) if left else ()
    link = OnlyCompared(3, models=tuple(tuple(model.values()) for model in models))
    return Group((Laws(types, values, least),), (Chain((link,)),) * 3, known)


def test_records_of_any_laws_tell_no_more_than_is_certified() -> None:
    """The models need not be true of anybody."""
    dice = random.Random("laws")
    for _ in range(worlds(12, 1_000)):
        models = some_models(dice, dice.choice([2, 3]))
        laws = [(tuple(a_model(dice).values()), dice.randint(1, 3)) for _ in range(dice.choice([1, 2]))]
        size = sum(count for _, count in laws)
        known = dice.choice([0, 0, 1]) if size > 1 else 0
        epsilon = Fraction(dice.choice([0, 1, 2]), 2)
        curve = models_curve(group_of(laws, models, known, dice.choice([0, 0, 5])), Fraction(0), presence=False)
        assert curve is not None
        found, by_hand = curve.delta(epsilon), truth(laws, models, known, float(epsilon))
        assert found.lower - CLOSE <= by_hand <= found.upper + CLOSE, (models, laws, known)


def test_of_households_all_others_may_be_anything(tmp_path: Path) -> None:
    """A hundred households of three: two members of each may have just those values that leave it to the third ones."""
    models = [{"red": "0.7", "blue": "0.3"}, {"red": "0.3", "blue": "0.7"}]
    keys = {
        "person": "id",
        "confidential": {"v": ["red", "blue"]},
        "beliefs": {"v": {"probabilities": models[0], "source": "a poll"}},
        "attacker": {"knows": 0, "source": "nobody"},
        "together": {"column": "home", "weight": "0.95", "source": "a panel"},
        "target": {"epsilon": "0.5", "delta": "1e-2"},
        "figures": [{"name": "which", "kind": "model", "column": "v", "models": models}],
    }
    table = pd.DataFrame({"id": range(300), "home": [f"h{n // 3}" for n in range(300)], "v": "red"})
    ahead = [0.0] * 303  # at least so many of the 99 third ones are red
    for k in range(99, -1, -1):
        ahead[k] = ahead[k + 1] + math.comb(99, k) * 0.7**k * 0.3 ** (99 - k)
    by_hand = max(ahead[k] - math.exp(0.5) * ahead[k + 3] for k in range(100))
    assert by_hand > 0.09
    decision = decide(keys, table, ledger=tmp_path / "ledger.sqlite", margins=False, seconds=0)
    assert decision.verdict != "pass"
    assert max(finding.delta.upper for finding in decision.plan.findings) >= by_hand


def test_known_records_may_have_values_that_were_held_impossible() -> None:
    """As elsewhere: worst over all declared values of the known records. By what is left all speak for one model."""
    dice = random.Random("impossible")
    above = []
    for _ in range(worlds(12, 1_000)):
        models, known = some_models(dice, 2), dice.choice([0, 1, 1, 2])
        chance = Fraction(dice.randint(1, 4), 4)
        law = dice.sample([chance, 1 - chance, Fraction(0)], 3)
        laws = [(law, dice.randint(known + 1, known + 3))]
        curve = models_curve(group_of(laws, models, known, 0), Fraction(0), presence=False)
        assert curve is not None
        by_hand = truth(laws, models, known, 0.5)
        above.append(by_hand > 0.9 and known > 0)
        assert by_hand <= curve.delta(Fraction(1, 2)).upper + CLOSE, (models, laws, known)
    assert any(above)


@pytest.mark.parametrize("known", [0, 3])
def test_chernoff_is_above_what_histograms_say(known: int) -> None:
    """Of one law what is told is worked out; of several, and of laws that are open in part, it is bounded."""
    models = [{0: Fraction(1, 5), 1: Fraction(3, 10), 2: Fraction(1, 2)}, dict.fromkeys(range(3), Fraction(1, 3))]
    law = [(tuple(models[0].values()), 300)]
    exact, open_ = (models_curve(group_of(law, models, known, left), Fraction(0), presence=False) for left in (0, 9))
    assert exact is not None and open_ is not None
    assert 0 < exact.delta(Fraction(0)).lower <= exact.delta(Fraction(0)).upper < open_.delta(Fraction(0)).upper < 1
    mixed = models_curve(
        group_of([*law, (tuple(models[0].values()), 1)], models, known, 0), Fraction(0), presence=False
    )
    assert mixed is not None
    assert exact.delta(Fraction(0)).lower < mixed.delta(Fraction(0)).upper < open_.delta(Fraction(0)).upper


def test_a_million_people_and_many_models_are_judged_in_seconds() -> None:
    dice = random.Random("million")
    models = some_models(dice, 5)
    laws = [(tuple(models[0].values()), 500_000), (tuple(models[0].values())[::-1], 1_000)]
    found = Judge(Value(), Fraction(1, 10), Fraction(1, 10**9)).judged(group_of(laws, models, 1000, 0))
    assert found.delta.upper < 1e-100


MODELS = [{"red": "0.5", "blue": "0.3", "green": "rest"}, {"red": "0.3", "blue": "0.3", "green": "rest"}]


def spec(*more: dict[str, object], **keys: object) -> dict[str, Any]:
    return {
        "data": "people.csv",
        "person": "id",
        "public": {"region": ["n", "s"]},
        "confidential": {"v": ["red", "blue", "green"]},
        "beliefs": {"v": {"scenarios": MODELS, "source": "two polls"}},
        "attacker": {"knows": 2, "source": "a guess"},
        "target": {"epsilon": "0.1", "delta": "1e-4"},
        "figures": [{"name": "which", "kind": "model", "column": "v", "models": MODELS, "by": "region"}, *more],
        **keys,
    }


@pytest.mark.slow
def test_from_the_command_line_to_the_confirmed_certificate_and_the_next_release(tmp_path: Path) -> None:
    """The counts by themselves would tell too much. Afterwards the ledger judges what is asked beside it."""
    votes = ["red", "red", "red", "red", "red", "blue", "blue", "blue", "green", "green"]
    table = {
        "id": range(900),
        "region": ["ns"[n % 2] for n in range(900)],
        "v": [votes[n // 2 % 10] for n in range(900)],
    }
    pd.DataFrame(table).to_csv(tmp_path / "people.csv", index=False)
    counts = {"name": "red", "kind": "count", "where": {"v": "red"}, "by": "region"}
    for name, keys in {"release": spec(), "together": spec(counts), "counts": spec(figures=[counts])}.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(keys))
    assert dalenius("check", tmp_path / "together.yaml", "--quick").code in (1, 3)
    said = dalenius("release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--seconds", 0)
    assert said.code == 0, said
    assert "choice of the likeliest model" in said.out
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "figures.csv").read_text())))
    assert [row["value"] for row in rows] == ["model 1", "model 1", *[""] * 6]
    certificate, figures = tmp_path / "out" / "certificate.json", tmp_path / "out" / "figures.csv"
    assert dalenius("verify", certificate, "--figures", figures).code == 0
    code, words = run([str(certificate), "--figures", str(figures)])
    assert code == 0, words
    assert dalenius("check", tmp_path / "release.yaml", "--quick").code == 0  # the same, that is out
    assert dalenius("check", tmp_path / "counts.yaml", "--quick").code in (1, 3)
    figures.write_text(figures.read_text().replace(",model 1,", ",model 3,", 1))
    assert dalenius("verify", certificate, "--figures", figures).code != 0
    whole = json.loads(certificate.read_bytes())
    others = "3 3/10 3/10 2/5 1/2 3/10 1/5"
    for numbers in ("3 1/2 3/10 1/5", others, "3 1 0 0 1/2 3/10 1/5", "2 1/2 1/2 1/3 2/3", None):
        channel = [] if numbers is None else [["model", numbers]]
        forged = {**whole, "figures": [{**one, "channel": channel} for one in whole["figures"]]}
        (tmp_path / "forged.json").write_bytes(sealed({key: part for key, part in forged.items() if key != "sha256"}))
        assert dalenius("verify", tmp_path / "forged.json").code in (1, 2, 3), numbers
        assert run([str(tmp_path / "forged.json")])[0] in (1, 2, 3), numbers


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"models": None}, "needs models"),
        ({"models": [MODELS[0]]}, "different ones"),
        ({"models": [MODELS[0], MODELS[0]]}, "different ones"),
        ({"models": [MODELS[0], {"red": "0.5", "blue": "0.5"}]}, "chance above 0 for each value"),
        ({"models": [MODELS[0], {"red": "0.5", "blue": "0.6", "green": "-0.1"}]}, "models"),
        ({"models": [MODELS[0], {"red": "0.5", "pink": "0.5"}]}, "pink"),
        ({"noise": {"geometric": 2}}, "counts as they are"),
        ({"round": 5}, "counts as they are"),
        ({"column": None}, "needs a column"),
        ({"hide": {"below": 5, "zeros": "hidden"}}, "has no hide"),
        ({"kind": "winner"}, "has no models"),
        ({"kind": "count", "column": None, "where": {"v": "red"}}, "has no models"),
    ],
)
def test_bad_models_are_refused_with_what_to_do(keys: dict[str, object], said: str) -> None:
    bad = spec(figures=[{"name": "which", "kind": "model", "column": "v", "models": MODELS, **keys}])
    with pytest.raises(SpecError, match=said):
        build(written_out(spec_of(bad)))
