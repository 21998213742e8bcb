"""A median, a quantile, the smallest and the largest value without the counts: by hand, and to the certificate."""

import csv
import io
import itertools
import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

import dalenius as dl
from amount import worlds
from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.spec import build, spec_of
from dalenius.desk.spec.kinds import written_out
from dalenius.facts.secret import Value
from dalenius.judge.engine import ORDER, Judge
from dalenius.judge.group import Group, Laws
from dalenius.judge.order import order_curve
from dalenius.mechanisms import Chain, OnlyCompared
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import sealed
from dalenius_checker.__main__ import run
from edges.desk import dalenius
from spec.kinds import Drawn, Kind, Row, Small, in_order, quantile
from spec.test_hidden_counts import certified

WORLDS = worlds(12, 3_000)
CLOSE = 1e-9
PLACES = {"median": Fraction(1, 2), "smallest": Fraction(0), "largest": Fraction(1), "quantile": Fraction(9, 10)}


def group_of(chances: Sequence[Fraction], at: Fraction, people: int, known: int) -> Group:
    """The counts of all values; the last has no coordinate of its own."""
    many = len(chances)
    values = [tuple(int(axis == place) for axis in range(many - 1)) for place in range(many)]
    law = tuple(sorted((value, chance) for value, chance in zip(values, chances, strict=True) if chance))
    return Group((Laws(((law, people),), tuple(values)),), (Chain((OnlyCompared(many, at),)),) * many, known)


def by_hand(
    chances: Sequence[Fraction], at: Fraction, people: int, known: int, epsilon: float, scale: Fraction | None = None
) -> float:
    """All datasets, and all values of the known records that are possible."""
    many, place, worst = len(chances), max(1, math.ceil(at * people)), 0.0
    told_as = moved(many, scale) if scale else [[float(a == b) for b in range(many)] for a in range(many)]
    possible = [value for value in range(many) if chances[value]]
    for told in itertools.combinations_with_replacement(possible, known):
        laws = [[0.0] * many for _ in range(many)]
        for data in itertools.product(possible, repeat=people - 1 - known):
            mass = math.prod(float(chances[value]) for value in data)
            for mine in range(many):
                for shown, chance in enumerate(told_as[sorted([*data, *told, mine])[place - 1]]):
                    laws[mine][shown] += mass * chance
        for one, two in itertools.permutations(laws, 2):
            worst = max(worst, sum(max(0.0, p - math.exp(epsilon) * q) for p, q in zip(one, two, strict=True)))
    return worst


def test_it_is_exact_where_nobody_is_known_and_never_below_the_truth() -> None:
    dice = random.Random("order")
    for _ in range(WORLDS):
        weights = [dice.randint(0, 5) for _ in range(dice.choice([2, 3, 4]))]
        weights[dice.randrange(len(weights))] += 1
        chances = [Fraction(weight, sum(weights)) for weight in weights]
        people, at, epsilon = dice.randint(2, 6), dice.choice(list(PLACES.values())), dice.choice([0, 1, 2, 4]) / 2
        known = dice.choice([0, 0, 1, min(2, people - 1)])
        curve = order_curve(group_of(chances, at, people, known), presence=False)
        assert curve is not None
        truth, delta = by_hand(chances, at, people, known, epsilon), curve.delta(Fraction(epsilon))
        assert delta.lower - CLOSE <= truth <= delta.upper + CLOSE, (chances, at, people, known, epsilon)
        assert known or delta.upper <= delta.lower + CLOSE


def moved(many: int, scale: Fraction) -> list[list[float]]:
    """How likely noise moves each value to each: of all that goes beyond the ends, to the ends."""
    x, found = math.exp(-1 / float(scale)), [[0.0] * many for _ in range(many)]
    for value in range(many):
        for far in range(-300, 301):
            found[value][min(max(value + far, 0), many - 1)] += (1 - x) / (1 + x) * x ** abs(far)
    return found


def test_a_value_that_is_moved_is_judged_exactly_where_nobody_is_known_and_else_from_above() -> None:
    dice, loose = random.Random("moved"), []
    for _ in range(WORLDS):
        weights = [dice.randint(0, 5) for _ in range(dice.choice([2, 3, 4]))]
        weights[dice.randrange(len(weights))] += 1
        chances = [Fraction(weight, sum(weights)) for weight in weights]
        people, at, epsilon = dice.randint(2, 5), dice.choice(list(PLACES.values())), dice.choice([0, 1, 2, 3]) / 4
        known, scale = dice.choice([0, 0, 1, min(2, people - 1)]), Fraction(dice.choice(["1/2", "1", "2", "5"]))
        group = group_of(chances, at, people, known)
        link = OnlyCompared(len(chances), at, scale)
        curve = order_curve(replace(group, release=(Chain((link,)),) * len(chances)), presence=False)
        assert curve is not None
        truth, delta = by_hand(chances, at, people, known, epsilon, scale), curve.delta(Fraction(epsilon))
        assert delta.lower - CLOSE <= truth <= delta.upper + CLOSE, (chances, at, people, known, epsilon, scale)
        assert known or delta.upper <= delta.lower + CLOSE
        loose += [delta.upper / truth] if known and truth > CLOSE else []
    assert sorted(loose)[len(loose) // 2] < 2


def says(kind: str, rows: Sequence[Row]) -> object:
    if kind in ("smallest", "largest"):
        return (min if kind == "smallest" else max)(in_order(rows), default=None)
    return quantile(rows, PLACES[kind])


@pytest.mark.slow
def test_beside_others_it_tells_no_more_than_is_certified() -> None:
    dice = random.Random("beside")
    for _ in range(WORLDS):
        kind, split, beside = dice.choice(list(PLACES)), dice.choice([False, True]), dice.choice([False, True])
        figure = {"name": "f", "kind": kind, "column": "v", "counts": "hidden"}
        figure |= ({"by": "region"} if split else {}) | ({"at": "0.9"} if kind == "quantile" else {})
        noise = dice.choice([None, Fraction(1), Fraction(3)])
        figure |= {"noise": {"geometric": str(noise)}} if noise else {}
        figures = [figure, *([{"name": "two", "kind": "count", "where": {"v": 2}}] if beside else [])]

        def told(
            rows: Sequence[Row],
            kind: str = kind,
            split: bool = split,
            beside: bool = beside,
            noise: Fraction | None = noise,
        ) -> object:
            parts = [[row for row in rows if row["region"] == region] for region in "ns"] if split else [rows]
            also = sum(row["v"] == 2 for row in rows) if beside else None
            if noise is None:
                return tuple(says(kind, part) for part in parts), also
            laws = [dict(enumerate(moved(3, noise)[says(kind, part)])) if part else {None: 1.0} for part in parts]
            every = itertools.product(*(law.items() for law in laws))
            return Drawn({(*(out for out, _ in one), also): math.prod(p for _, p in one) for one in every})

        small = Small.random(dice)
        keys = {**small.specification(Kind({}, told, "v")), "figures": figures}
        upper, lower = certified(keys, small.people, dice.choice([0, len(figures) - 1]) if beside else 0)
        truth = small.truth(told, "v")
        assert truth <= upper + CLOSE, (figures, small)
        assert beside or lower <= truth + CLOSE, (figures, small)


def spec(*more: dict[str, object], **keys: object) -> dict[str, Any]:
    figure = {"name": "middle", "kind": "median", "column": "age", "counts": "hidden", "by": "region"}
    return {
        "data": "people.csv",
        "person": "id",
        "public": {"region": ["n", "s"]},
        "confidential": {"age": {"bins": [0, 20, 40, 60, 100]}},
        "beliefs": {
            "age": {
                "probabilities": {
                    "0 to under 20": "0.2",
                    "20 to under 40": "0.3",
                    "40 to under 60": "0.3",
                    "60 to 100": "rest",
                },
                "source": "a census",
            }
        },
        "attacker": {"knows": 0, "source": "nobody is known"},
        "target": {"epsilon": "0.5", "delta": "1e-4"},
        "figures": [figure, *more],
        **keys,
    }


@pytest.mark.slow
def test_from_the_command_line_to_both_checkers(tmp_path: Path) -> None:
    """The counts would tell too much of so few people. What is out is judged with what is asked next."""
    ages = [(n * 37) % 100 for n in range(240)]
    table = {"id": range(240), "region": ["ns"[n % 2] for n in range(240)], "age": ages}
    pd.DataFrame(table).to_csv(tmp_path / "people.csv", index=False)
    shown = {key: value for key, value in spec()["figures"][0].items() if key != "counts"}
    for name, keys in {"release": spec(), "counts": spec(figures=[shown])}.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(keys))
    assert dalenius("check", tmp_path / "counts.yaml", "--quick").code in (1, 3)
    told = dalenius("release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--seconds", 0)
    assert told.code == 0, told
    assert "the value at 0.5 of all by 4 counts that are not published" in told.out
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "figures.csv").read_text())))
    assert [row["value"] for row in rows] == ["40 to under 60"] * 2 + [""] * 8
    certificate, figures = tmp_path / "out" / "certificate.json", tmp_path / "out" / "figures.csv"
    assert dalenius("verify", certificate, "--figures", figures).code == 0
    code, words = run([str(certificate), "--figures", str(figures)])
    assert code == 0, words
    whole = json.loads(certificate.read_text())
    for number in ("4 9/10", "3 1/2", "4"):
        forged = [{**one, "channel": [["order", number]]} for one in whole["figures"]]
        again = sealed({key: part for key, part in {**whole, "figures": forged}.items() if key != "sha256"})
        certificate.write_bytes(again)
        assert dalenius("verify", certificate).code in (1, 2), number
        assert run([str(certificate)])[0] in (1, 2), number
    assert dalenius("check", tmp_path / "counts.yaml", "--quick").code in (1, 3)


@pytest.mark.slow
def test_a_value_that_is_moved_goes_to_both_checkers_and_is_drawn_once(tmp_path: Path) -> None:
    """One value of many, whose exact place would tell too much: a second draw is judged as if the counts were out."""
    table = {"id": range(60), "region": ["ns"[n % 2] for n in range(60)], "age": [(n * 37) % 100 for n in range(60)]}
    pd.DataFrame(table).to_csv(tmp_path / "people.csv", index=False)
    figure, target = spec()["figures"][0], {"epsilon": 1, "delta": "1e-5"}
    assert dl.decide(spec(target=target), pd.DataFrame(table), margins=False).verdict != "pass"
    keys = spec(figures=[{**figure, "noise": {"geometric": 1}}], target=target)
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(keys))
    told = dalenius("release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--seconds", 0)
    assert told.code == 0, told
    assert "with the noise and naming of a value by its place" in told.out
    certificate, figures = tmp_path / "out" / "certificate.json", tmp_path / "out" / "figures.csv"
    rows = list(csv.DictReader(io.StringIO(figures.read_text())))
    assert all("moved by two-sided geometric noise of scale 1" in row["release"] for row in rows)
    assert all(row["value"] for row in rows[:2])
    assert not any(row["value"] for row in rows[2:])
    assert dalenius("verify", certificate, "--figures", figures).code == 0
    code, words = run([str(certificate), "--figures", str(figures)])
    assert code == 0, words
    whole = json.loads(certificate.read_text())
    for channel in (["moved", "4 1/2 2"], ["moved", "4 1/2"], ["moved", "4 1/2 -1"], ["order", "4 1/2"]):
        forged = [{**one, "channel": [channel]} for one in whole["figures"]]
        again = sealed({key: part for key, part in {**whole, "figures": forged}.items() if key != "sha256"})
        certificate.write_bytes(again)
        try:
            assert recheck(again).code in (1, 2), channel
        except InputError:
            assert channel in (["moved", "4 1/2"], ["moved", "4 1/2 -1"])
        assert run([str(certificate)])[0] in (1, 2), channel
    assert dalenius("check", tmp_path / "release.yaml", "--quick").code in (1, 3)


def test_many_people_and_known_records_are_quickly_judged() -> None:
    chances = [Fraction(1, 10), Fraction(3, 10), Fraction(2, 5), Fraction(1, 5)]
    found = Judge(Value(), Fraction(1, 2), Fraction(1, 10**9)).judged(group_of(chances, Fraction(1, 2), 1_000_000, 500))
    assert (found.route, found.delta.upper < 1e-50) == (ORDER, True)


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ({"noise": {"geometric": 2}, "kind": "winner", "counts": None}, "counts as they are"),
        ({"noise": {"gaussian": 2}}, "is geometric"),
        ({"noise": {"geometric": 0}}, "scale above 0"),
        ({"round": 5}, "counts as they are"),
        ({"kind": "mode"}, "has no counts"),
        ({"kind": "count", "column": None}, "has no counts"),
        ({"counts": "some"}, "hidden"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_to_do(figure: dict[str, object], said: str) -> None:
    keys = spec()
    with pytest.raises(SpecError, match=said):
        build(written_out(spec_of({**keys, "figures": [{**keys["figures"][0], **figure}]})))


def test_counts_are_put_in_the_order_in_which_they_stand() -> None:
    names = ["young", "old"]
    counts = [
        {"name": name, "kind": "count", "where": {"age": label}, "compare": 2, "at": "0.5"}
        for name, label in zip(names, ["0 to under 20", "60 to 100"], strict=True)
    ]
    place = {"name": "middle", "kind": "place", "parts": names, "values": names, "at": "0.5"}
    build(spec_of(spec(figures=counts, computed=[place])))
    for wrong, said in (
        ({"parts": names[::-1]}, "in the order"),
        ({"at": "0.4"}, "Write compare: 2 and at: 0.4"),
        ({"at": 2}, "a share from 0 to 1|Write compare"),
        ({"kind": "winner"}, "names a value"),
    ):
        with pytest.raises(SpecError, match=said):
            build(spec_of(spec(figures=counts, computed=[{**place, **wrong}])))
    with pytest.raises(InputError, match="from 0 to 1"):
        OnlyCompared(2, Fraction(3, 2))
