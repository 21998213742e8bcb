"""The guard and the next question: nothing passes or fails that a decision about everything says otherwise of, and no
planted difference is missed.
"""

import json
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from tests.amount import worlds
from typer.testing import CliRunner

import dalenius as dl
from dalenius.basics.errors import SpecError
from dalenius.claims import Verdict
from dalenius.cli import app
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Presence, Value
from dalenius.judge.group import Target
from dalenius.mechanisms import Chain, two_sided_geometric
from dalenius.plan.assessment import assess
from dalenius.plan.candidates import next_questions
from dalenius.plan.question import Question
from dalenius.plan.standing import Standing
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History

YES = ("s", OneOf(("yes",)))
COLUMNS = {"s": Categories(("no", "yes")), "t": Categories(("u", "v", "w"))}
BELIEFS = (
    ColumnBelief("s", {(): (("yes", Fraction(2, 5)), ("no", Fraction(3, 5)))}, "a survey"),
    ColumnBelief("t", {(): (("u", Fraction(1, 5)), ("v", Fraction(2, 5)), ("w", Fraction(2, 5)))}, "a survey"),
)
PUBLIC = {"a": ("a1", "a2", "a3"), "b": ("b1", "b2", "b3"), "c": ("c1", "c2", "c3", "c4")}


def question(rng, low, high, *, known=2, secret=None, delta="1e-2", share=False) -> Question:
    groups = {(a, b, c): int(rng.integers(low, high)) for a in PUBLIC["a"] for b in PUBLIC["b"] for c in PUBLIC["c"]}
    attacker = Attacker(Fraction(1, 20), in_every_group=True) if share else Attacker(known)
    target = Target(Fraction(1), Fraction(delta))
    return Question(Frame(tuple(PUBLIC), groups), COLUMNS, BELIEFS, attacker, secret or Value(), target)


def condition(rng, chance=0.5):
    tests = []
    for name, values in PUBLIC.items():
        if rng.random() < chance:
            size = int(rng.integers(1, len(values)))
            tests.append((name, OneOf(tuple(str(value) for value in rng.choice(values, size, replace=False)))))
    return tuple(tests)


def figure(rng, name) -> Figure:
    private = YES if rng.random() < 0.7 else ("t", OneOf((str(rng.choice(["u", "v", "w"])),)))
    by = ("a",) if rng.random() < 0.25 else ()
    return Figure(name, "count", where=Where((*condition(rng), private)), by=by)


@pytest.mark.slow
def test_the_guard_says_nothing_that_a_decision_contradicts():
    """Random ledgers, some with small groups, shares of every number known, or presence secret."""
    said = dict.fromkeys(Verdict, 0)
    for seed in range(worlds(18, 600)):
        rng = np.random.default_rng(seed)
        low, high = [(1, 6), (40, 90), (150, 300)][seed % 3]
        asked = question(rng, low, high, share=seed % 5 == 0, secret=Presence() if seed % 7 == 0 else Value())
        out = [figure(rng, f"out {place}") for place in range(int(rng.integers(0, 8)))]
        standing = Standing(out, asked)
        for place in range(3):
            more = figure(rng, f"more {place}")
            outlook = standing.ask(more)
            said[outlook.verdict] += 1
            if outlook.verdict == Verdict.REVIEW:
                continue
            findings = assess([more], History(tuple(out)), asked).findings
            verdicts = {finding.verdict for finding in findings}
            if outlook.verdict == Verdict.PASS:
                assert verdicts <= {Verdict.PASS}, (seed, place)
            else:
                assert Verdict.FAIL in verdicts, (seed, place)
                check_witness(standing, more, outlook, asked)
    assert said[Verdict.PASS] > 4
    assert said[Verdict.FAIL] > 4


def check_witness(standing, more, outlook, asked):
    """The numbers that are named add up to the group, person by person."""
    total = dict.fromkeys(asked.frame.groups, Fraction(0))
    for weight, entry in outlook.finding.reveals:
        part = entry.figure
        for cell in total:
            row = dict(zip(asked.frame.columns, cell, strict=True))
            there = part.where.on(frozenset(row)).holds(row) and tuple(row[name] for name in part.by) == entry.cell
            total[cell] += weight * there
    inside = dict(outlook.finding.atom.groups)
    assert {cell for cell, times in total.items() if times} == set(inside)
    assert {total[cell] for cell in inside} == {Fraction(1)}
    assert outlook.finding.delta.lower > asked.target.delta


def planted(rng):
    """A ledger of tables that pass, and a question that differs from one of its numbers by a few persons."""
    asked = question(rng, 150, 400)
    cell = tuple(str(rng.choice(values)) for values in PUBLIC.values())
    asked.frame.groups[cell] = int(rng.integers(1, 5))
    asked = Question(
        Frame(tuple(PUBLIC), dict(asked.frame.groups)), COLUMNS, BELIEFS, asked.attacker, asked.secret, asked.target
    )
    row = dict(zip(PUBLIC, cell, strict=True))
    # out: everybody with two of the three values of the small group; the others by one column each
    kept = [str(name) for name in rng.choice(list(PUBLIC), 2, replace=False)]
    (last,) = set(PUBLIC) - set(kept)
    base = tuple((name, OneOf((row[name],))) for name in kept)
    out = [Figure("planted", "count", where=Where((*base, YES)))]
    out += [Figure(f"by {name}", "count", where=Where((YES,)), by=(name,)) for name in PUBLIC if rng.random() < 0.5]
    others = tuple(value for value in PUBLIC[last] if value != row[last])
    return asked, out, Figure("next", "count", where=Where((*base, (last, OneOf(others)), YES))), cell


@pytest.mark.slow
def test_every_planted_difference_is_found():
    for seed in range(worlds(15, 200)):
        asked, out, wanted, cell = planted(np.random.default_rng(1000 + seed))
        standing = Standing(out, asked)
        outlook = standing.ask(wanted)
        assert outlook.verdict == Verdict.FAIL, seed
        assert dict(outlook.finding.atom.groups).keys() == {cell}
        mask = standing.tuples.labels(wanted.where.on(standing.public), ())[0] >= 0
        names = [
            each
            for each in next_questions(standing, most=10_000, left=countdown(80)).found  # neighbours come first
            if (standing.tuples.labels(each.figure.where.on(standing.public), ())[0] >= 0).tolist() == mask.tolist()
            and dict(each.finding.atom.groups).keys() == {cell}
        ]
        assert names, seed


@pytest.mark.slow
def test_questions_that_are_found_look_harmless_and_are_ranked():
    asked, out, _, _ = planted(np.random.default_rng(3))
    found = next_questions(Standing(out, asked), harmless=100)
    assert found.complete
    assert found.tried > 100
    assert [each.certain for each in found.found] == sorted((each.certain for each in found.found), reverse=True)
    for each in found.found:
        assert each.people >= 100
        assert Standing((), asked).ask(each.figure).verdict == Verdict.PASS
    assert found.closest[0][1] >= found.closest[-1][1]
    stopped = next_questions(Standing(out, asked), left=lambda: False)
    assert not stopped.complete
    assert stopped.tried == 0


@pytest.mark.slow
def test_where_nobody_can_be_given_away_nothing_is_found():
    rng = np.random.default_rng(5)
    asked = question(rng, 3000, 4000, delta="1e-1")
    out = [Figure("all", "count", where=Where((YES,)))]
    assert not next_questions(Standing(out, asked), left=countdown(400)).found


def countdown(times):
    left = iter(range(times))
    return lambda: next(left, None) is not None


def test_what_is_not_exact_needs_a_decision():
    rng = np.random.default_rng(9)
    asked = question(rng, 200, 300)
    noisy = Figure("noisy", "count", where=Where((YES,)), channel=Chain((two_sided_geometric(2),)))
    exact = Figure("exact", "count", where=Where((YES,)))
    assert Standing([noisy], asked).ask(exact).verdict == Verdict.REVIEW
    assert Standing([exact], asked).ask(noisy).verdict == Verdict.REVIEW


SPEC = {
    "person": "person",
    "public": {"region": ["north", "south"], "age": ["young", "old"], "town": ["a", "b", "c"]},
    "confidential": {"smoker": ["no", "yes"]},
    "beliefs": {"smoker": {"probabilities": {"yes": 0.4, "no": "rest"}, "source": "a survey"}},
    "attacker": {"knows": 2, "source": "nobody knows more"},
    "target": {"epsilon": 1, "delta": 0.01},
    "figures": [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}, "by": "region"}],
}
TOWN_C = {"region": "north", "town": ["a", "b"], "smoker": "yes"}


@pytest.fixture
def people():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    rows = [
        (region, age, town, "yes" if rng.random() < 0.4 else "no")
        for region in ("north", "south")
        for age in ("young", "old")
        for town in "abc"
        for _ in range(2 if (region, town) == ("north", "c") else 300)
    ]
    frame = pandas.DataFrame(rows, columns=["region", "age", "town", "smoker"])
    frame["person"] = range(len(frame))
    return frame


@pytest.mark.slow
def test_the_guard_of_a_ledger_sees_what_is_released(people, tmp_path):
    ledger = tmp_path / "ledger.sqlite"
    guard = dl.Guard(
        {**SPEC, "figures": [{"name": "all", "kind": "count", "where": {"smoker": "yes"}}]}, people, ledger=ledger
    )
    asked = {"name": "two towns", "kind": "count", "where": TOWN_C}
    assert guard.may(asked).verdict == "pass"
    dl.release_folder(dl.decide(SPEC, people, ledger=ledger, margins=False, seconds=0), tmp_path / "out")
    answer = guard.may(asked)
    assert answer.verdict == "fail"
    assert "4 persons (region north, town c) alone" in " ".join(answer.text().split())
    assert answer.json()["witness"]["people"] == 4
    assert dl.decide({**SPEC, "figures": [asked]}, people, ledger=ledger, margins=False).verdict == "fail"
    with pytest.raises(SpecError, match="as under figures"):
        guard.may({"name": "x"})


@pytest.mark.slow
def test_the_command_names_the_next_question(people, tmp_path):
    people.to_csv(tmp_path / "people.csv", index=False)
    spec = tmp_path / "release.yaml"
    spec.write_text(json.dumps(SPEC | {"data": "people.csv"}), encoding="utf-8")
    told = CliRunner().invoke(app, ["next", str(spec), "--harmless", "50"])
    assert told.exit_code == 1, told.output
    assert "town c) alone" in " ".join(told.output.split())
    found = json.loads(CliRunner().invoke(app, ["next", str(spec), "--json", "--most", "1"]).output)
    assert len(found["questions"]) == 1
    assert found["not_named"]["questions"] > 0
    shown = CliRunner().invoke(app, ["next", str(spec), "--most", "1"]).output
    assert f"{found['not_named']['questions'] + 1} questions that look harmless" in shown
    assert "1 of them" in " ".join(shown.split())
    assert found["complete"]
    for option in ("--most", "--harmless"):  # none named would look like none found
        refused = CliRunner().invoke(app, ["next", str(spec), option, "0"])
        assert "from 1 up" in str(refused.exception)


@pytest.mark.slow
def test_over_several_editions_no_bound_of_one_edition_is_shown(tmp_path):
    """Who did not change hides nobody there: the law of 500 people would say far too little is told of them."""
    people = [{"id": at, "since": 1, "until": 9, "s": "yes" if at % 3 else "no"} for at in range(500)]
    spec = {
        "person": "id",
        "public": {"since": {"bounds": [1, 9]}, "until": {"bounds": [1, 9]}},
        "confidential": {"s": ["no", "yes"]},
        "beliefs": {"s": {"probabilities": {"yes": "0.4", "no": "rest"}, "source": "a survey"}},
        "attacker": {"knows": 1, "source": "oneself"},
        "target": {"epsilon": 1, "delta": "0.1"},
        "edition": {"now": 1, "since": "since", "until": "until"},
        "series": {"editions": 2, "changes": {"s": "0.2"}, "source": "last year"},
        "figures": [{"name": "f", "kind": "count", "where": {"s": "yes"}}],
    }
    ledger = tmp_path / "ledger.sqlite"
    assert dl.Guard(spec, pa.Table.from_pylist(people), ledger=ledger).next().questions.closest
    first = dl.decide(spec, pa.Table.from_pylist(people), ledger=ledger, margins=False)
    dl.release_folder(first, tmp_path / "first")
    spec["edition"]["now"] = 2
    told = dl.Guard(spec, pa.Table.from_pylist(people), ledger=ledger).next()
    assert not told.questions.closest
    assert "as things are" not in str(told)
    second = dl.decide(spec, pa.Table.from_pylist(people), ledger=ledger, margins=False)
    explained = dl.explain(second)
    assert second.verdict == "pass"
    assert explained.sensitivity is None
    assert "Over several editions the assumptions are not varied" in " ".join(str(explained).split())
