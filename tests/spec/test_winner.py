"""The most frequent value without the counts: against all datasets, to the certificate, and bad input."""

import csv
import io
import random
from collections import Counter
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
from dalenius.facts.records import Where
from dalenius.facts.secret import Value
from dalenius.judge.engine import Judge
from dalenius.judge.group import Group, Laws
from dalenius.mechanisms import Chain, OnlyCompared
from dalenius.mechanisms.compared import MOST_COMPARED, only_compared
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Entry
from dalenius_checker.__main__ import run
from edges.desk import dalenius
from spec.kinds import Kind, Row, Small, yes
from spec.test_hidden_counts import certified

WORLDS = worlds(8, 3_000)
CLOSE = 1e-9
FIRST = {"name": "first", "kind": "winner", "column": "v"}


def first(rows: Sequence[Row]) -> object:
    counts = Counter(row["v"] for row in rows)
    return min(counts, key=lambda value: (-counts[value], value), default=None)


def random_release(dice: random.Random) -> tuple[list[dict[str, object]], Callable[[Sequence[Row]], object], int]:
    """A winner, alone or beside something, how many figures are out already, and what all of it says."""
    split = dice.choice([False, True])
    beside = dice.choice(["nothing", "nothing", "two", "large", "smokers", "again"])
    figures: list[dict[str, object]] = [{**FIRST, **({"by": "region"} if split else {})}]
    more: dict[str, tuple[dict[str, object], Callable[[Sequence[Row]], object]]] = {
        "two": ({"name": "two", "kind": "count", "where": {"v": 2}}, lambda rows: sum(row["v"] == 2 for row in rows)),
        "large": (
            {"name": "large", "kind": "count", "where": "v >= 1", "hide": {"below": 2, "zeros": "hidden"}},
            lambda rows: max(1, sum(row["v"] >= 1 for row in rows)),
        ),
        "smokers": ({"name": "smokers", "kind": "count", "where": {"s": "yes"}}, lambda rows: len(yes(rows))),
        "again": (
            {**FIRST, "name": "north", "where": {"region": "n"}},
            lambda rows: first([row for row in rows if row["region"] == "n"]),
        ),
    }
    figures += [more[beside][0]] if beside in more else []

    def told(rows: Sequence[Row]) -> object:
        parts = [[row for row in rows if row["region"] == region] for region in "ns"] if split else [rows]
        return tuple(map(first, parts)), more[beside][1](rows) if beside in more else None

    return figures, told, dice.choice([0, 3]) if beside in more else 0


@pytest.mark.slow
def test_winners_beside_others_and_history_tell_no_more_than_is_certified() -> None:
    dice = random.Random("winner")
    for _ in range(WORLDS):
        figures, says, out = random_release(dice)
        uses = "sv" if any(figure["name"] == "smokers" for figure in figures) else "v"
        small = Small.random(dice, most=4 if uses == "sv" else 5)
        truth = small.truth(says, uses)
        keys = {**small.specification(Kind({}, says, uses)), "figures": figures}
        upper, lower = certified(keys, small.people, out)
        assert truth <= upper + CLOSE, (figures, small)
        assert len(figures) > 1 or lower <= truth + CLOSE, (figures, small)


def middle(rows: Sequence[Row]) -> object:
    values = sorted(row["v"] for row in rows)
    return values[(len(values) + 1) // 2 - 1] if values else None


def likelier(rows: Sequence[Row]) -> object:
    counts = Counter(row["v"] for row in rows)
    return counts[1] > counts[0] if rows else None


MODELS = [{0: "0.4", 1: "0.2", 2: "rest"}, {0: "0.2", 1: "0.4", 2: "rest"}]
OF_SOME: list[tuple[dict[str, object], Callable[[Sequence[Row]], object]]] = [
    ({"kind": "winner"}, first),
    ({"kind": "median", "counts": "hidden"}, middle),
    ({"kind": "model", "models": MODELS}, likelier),
]


@pytest.mark.parametrize(("keys", "says"), OF_SOME)
@pytest.mark.parametrize("where", ["v <= 1", "v >= 1", "v = 0 or v = 2"])
def test_whoever_is_left_out_by_their_value_has_not_the_last_value(
    keys: dict[str, object], says: Callable[[Sequence[Row]], object], where: str
) -> None:
    """A condition on the column itself: the count of a value that it leaves out is 0, and tells nothing."""
    left_out = {"v <= 1": 2, "v >= 1": 0}.get(where, 1)

    def told(rows: Sequence[Row]) -> object:
        return says([row for row in rows if row["v"] != left_out])

    dice = random.Random(where)
    for _ in range(3):
        small = Small.random(dice, most=5)
        figure = {"name": "of some", "column": "v", "where": where, **keys}
        upper, lower = certified({**small.specification(Kind({}, told, "v")), "figures": [figure]}, small.people, 0)
        truth = small.truth(told, "v")
        assert lower - CLOSE <= truth <= upper + CLOSE, small


@pytest.mark.parametrize("last", [["a", "b"], "b"])
def test_counts_that_are_not_of_one_value_each_tell_as_much_as_themselves(last: object, tmp_path: Path) -> None:
    """Sixty people of whom two or three are counted: nearly all are in no count at all."""
    counts = [{"name": f"n{at}", "kind": "count", "where": {"v": some}} for at, some in enumerate(("a", "b", last))]
    keys = {
        "person": "id",
        "confidential": {"v": ["a", "b", "c"]},
        "beliefs": {"v": {"probabilities": {"a": "0.02", "b": "0.02", "c": "rest"}, "source": "a poll"}},
        "attacker": {"knows": 0, "source": "nobody"},
        "target": {"epsilon": "0.5", "delta": "1e-2"},
        "figures": [{**count, "compare": 3} for count in counts],
        "computed": [{"name": "w", "kind": "winner", "parts": ["n0", "n1", "n2"], "values": ["a", "b", "c"]}],
    }
    table = pd.DataFrame({"id": range(60), "v": "c"})
    decision = decide(keys, table, ledger=tmp_path / "ledger.sqlite", margins=False, seconds=0)
    assert decision.verdict != "pass"


def test_by_itself_it_is_exact_where_histograms_can_be_listed() -> None:
    dice = random.Random("alone")
    for _ in range(4):
        small = Small.random(dice, most=5)
        small = Small(tuple(("n", weight) for _, weight in small.people), small.laws, small.known, small.epsilon)
        keys = {**small.specification(Kind({}, first, "v")), "figures": [FIRST]}
        upper, lower = certified(keys, small.people, 0)
        assert lower - CLOSE <= small.truth(first, "v") <= upper + CLOSE
        assert upper <= small.truth(first, "v") + CLOSE


def spec(*more: dict[str, object], **keys: object) -> dict[str, Any]:
    return {
        "data": "people.csv",
        "person": "id",
        "public": {"region": ["n", "s"]},
        "confidential": {"v": ["red", "blue", "green"]},
        "beliefs": {"v": {"probabilities": {"red": "0.5", "blue": "0.3", "green": "0.2"}, "source": "a poll"}},
        "attacker": {"knows": 2, "source": "a guess"},
        "target": {"epsilon": "0.5", "delta": "1e-4"},
        "figures": [{**FIRST, "by": "region"}, *more],
        **keys,
    }


@pytest.mark.slow
def test_from_the_command_line_to_the_certificate_and_the_next_release(tmp_path: Path) -> None:
    """The counts by themselves would tell too much. Afterwards the ledger judges what is asked beside it."""
    votes = ["red", "red", "red", "red", "red", "blue", "blue", "blue", "green", "green"]
    table = {
        "id": range(400),
        "region": ["ns"[n % 2] for n in range(400)],
        "v": [votes[n // 2 % 10] for n in range(400)],
    }
    pd.DataFrame(table).to_csv(tmp_path / "people.csv", index=False)
    counts = {"name": "red", "kind": "count", "where": {"v": "red"}, "by": "region"}
    for name, keys in {
        "release": spec(),
        "together": spec(counts),
        "counts": spec(figures=[counts]),
    }.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(keys))
    assert dalenius("check", tmp_path / "counts.yaml", "--quick").code == 0  # by itself
    assert dalenius("check", tmp_path / "together.yaml", "--quick").code in (1, 3)
    said = dalenius("release", tmp_path / "release.yaml", "-o", tmp_path / "out", "--seconds", 0)
    assert said.code == 0, said
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "figures.csv").read_text())))
    assert [row["value"] for row in rows] == ["red", "red", *[""] * 6]
    certificate, figures = tmp_path / "out" / "certificate.json", tmp_path / "out" / "figures.csv"
    assert dalenius("verify", certificate, "--figures", figures).code == 0
    code, words = run([str(certificate), "--figures", str(figures)])
    assert code == 3, words
    assert "the value that is named of several counts is not worked out" in words
    assert dalenius("check", tmp_path / "release.yaml", "--quick").code == 0  # the same, that is out
    assert dalenius("check", tmp_path / "counts.yaml", "--quick").code in (1, 3)
    figures.write_text(figures.read_text().replace(",red,", ",purple,", 1))
    assert dalenius("verify", certificate, "--figures", figures).code != 0


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ({"noise": {"geometric": 2}}, "counts as they are"),
        ({"round": 5}, "counts as they are"),
        ({"column": None}, "needs a column"),
        ({"hide": {"below": 5, "zeros": "hidden"}}, "has no hide"),
    ],
)
def test_bad_winners_are_refused_with_what_to_do(figure: dict[str, object], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        build(written_out(spec_of(spec(figures=[{**FIRST, **figure}]))))


def test_what_is_computed_needs_numbers_that_are_published() -> None:
    part = {"kind": "count", "hide": {"below": 5, "zeros": "hidden"}}
    for kind in ("mode", "winner"):
        figures = [{**part, "name": value, "where": {"v": value}} for value in ("red", "blue")]
        computed = [{"name": "x", "kind": kind, "parts": ["red", "blue"], "values": ["red", "blue"]}]
        with pytest.raises(SpecError, match="only compared"):
            build(spec_of(spec(figures=figures, computed=computed)))


def test_counts_are_compared_with_others_of_the_same_people() -> None:
    """Red in the north with red in the south, blue likewise: by the look of a group it is red with blue."""
    figures = [
        {"name": f"{value} {region}", "kind": "count", "where": {"v": value, "region": region}, "compare": 2}
        for value in ("red", "blue")
        for region in "ns"
    ]
    computed = [
        {"name": value, "kind": "winner", "parts": [f"{value} n", f"{value} s"], "values": ["n", "s"]}
        for value in ("red", "blue")
    ]
    with pytest.raises(SpecError, match="the same people"):
        build(spec_of(spec(figures=figures, computed=computed)))
    with pytest.raises(SpecError, match="no figure names the largest"):
        build(spec_of(spec(figures=figures[::2])))
    with pytest.raises(SpecError, match="of the same people are compared, but there are 1"):
        build(spec_of(spec(figures=[{**figures[0], "compare": 3}])))
    with pytest.raises(SpecError, match="of the same people are compared, but there are 1"):
        build(spec_of(spec(published=figures[:1])))


def test_a_winner_of_many_people_is_judged_quickly_enough() -> None:
    """By pairs of counts; far below what the counts themselves tell."""
    law = (((0, 0), Fraction(1, 5)), ((0, 1), Fraction(3, 10)), ((1, 0), Fraction(1, 2)))
    laws = Laws(((law, 100_000),), ((1, 0), (0, 1), (0, 0)))
    release = (Chain((OnlyCompared(3),)),) * 3
    group = Group((laws,), release, 1000)
    found = Judge(Value(), Fraction(1, 10), Fraction(1, 10**9)).judged(group)
    assert found.delta.upper < 1e-80


def test_people_in_more_numbers_than_are_ever_compared_are_not_taken_for_a_comparison() -> None:
    entries = tuple(Entry(Figure(str(at), "count", None, Where()), ()) for at in range(MOST_COMPARED + 1))
    assert not Atom(entries, (((), 5),)).alone(lambda _: True)
    assert not only_compared((), 1)
