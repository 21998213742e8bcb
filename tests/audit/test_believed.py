"""What a belief says of hidden numbers and of one person, against all tables of people and all datasets there are."""

import json
import random
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import exp, factorial

import pytest
import yaml
from typer.testing import CliRunner

import dalenius as dl
from amount import repetitions
from audit.test_linked_tables import LABELS, SPACE, fits, published, worlds
from dalenius.audit.examination import examine
from dalenius.audit.persons import believe
from dalenius.audit.spread import VariableLaw
from dalenius.audit.tables import Cell, Convention, MarkRule, PublishedTable
from dalenius.basics.errors import InputError
from dalenius.cli import app

NAMES = list(LABELS)
HALF = Fraction(1, 2)


def split(rng: random.Random) -> tuple[Fraction, Fraction]:
    part = Fraction(rng.randint(1, 9), 10)
    return part, 1 - part


def random_laws(rng: random.Random) -> tuple[VariableLaw, ...]:
    """Age may depend on sex, and work on age."""
    laws = []
    for at, name in enumerate(NAMES):
        given = (NAMES[at - 1],) if at and rng.random() < 0.6 else ()
        cells = product(*(LABELS[each] for each in given))
        laws.append(
            VariableLaw(name, given, {cell: dict(zip(LABELS[name], split(rng), strict=True)) for cell in cells}, "a")
        )
    return tuple(laws)


def chance_of(person, laws) -> Fraction:
    own = dict(zip(NAMES, person, strict=True))
    chance = Fraction(1)
    for law in laws:
        chance *= law.laws[tuple(own[name] for name in law.given)][own[law.variable]]
    return chance


def weight(world, laws) -> Fraction:
    found = Fraction(1)
    for person, number in world.items():
        found *= chance_of(person, laws) ** number / factorial(number)
    return found


def counted(world, group) -> int:
    return sum(number for person, number in world.items() if within(person, group))


def within(person, group) -> bool:
    return all(person[NAMES.index(name)] in labels for name, labels in group)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [None, (0, 3)])
def test_probabilities_of_linked_tables_are_those_of_all_worlds(rule):
    rng = random.Random(f"believed {rule}")
    asked = several = 0
    for _ in range(repetitions(8, 600)):
        people = rng.randint(2, 4)
        every = worlds(people)
        world = rng.choice(every)
        sets = rng.sample([("sex", "age"), ("age", "work"), ("sex", "work"), ("sex",), ("sex", "age", "work")], 2)
        sets.append(NAMES[:1] + NAMES[2:] if rng.random() < 0.3 else NAMES[1:])  # every variable is in some table
        sets += [(name,) for name in NAMES if not any(name in each for each in sets)]
        tables = [published(rng, world, f"{at}.csv", tuple(variables)) for at, variables in enumerate(sets)]
        laws = random_laws(rng)
        rules = () if rule is None else (MarkRule("x", *rule),)
        examined = examine(tables, Convention(rules=rules, beliefs=laws), seconds=None)
        found = believe(examined)
        assert found is not None
        assert found.people == people
        possible = [(each, weight(each, laws)) for each in every if fits(each, tables, rule)]
        whole = sum(own for _, own in possible)
        for each in found.numbers:
            truth: dict[int, Fraction] = defaultdict(Fraction)
            for one, own in possible:
                truth[counted(one, each.asked.group)] += own / whole
            assert each.values.values == {value: (chance,) * 2 for value, chance in truth.items()}
            mean = sum(value * chance for value, chance in truth.items()) / people
            assert each.after == (mean, mean)
            before = sum(chance_of(person, laws) for person in SPACE if within(person, each.asked.group))
            assert each.before == before
            asked += 1
        several += len({law.given for law in laws}) > 1
    assert asked > 10
    assert several


def hockey_stick(one, other, epsilon) -> float:
    return sum(max(0.0, float(chance) - exp(epsilon) * float(other[out])) for out, chance in one.items())


def at_least(rng: random.Random, table, world):
    """Some hidden numbers are said to be at least one."""
    cells = [
        replace(cell, lower=Fraction(1), mark="1+")
        if cell.mark == "x" and rng.random() < 0.5 and counted(world, group_of(table, cell))
        else cell
        for cell in table.cells
    ]
    return replace(table, cells=tuple(cells))


def group_of(table, cell):
    return [(name, frozenset((label,))) for name, label in zip(table.variables, cell.labels, strict=True) if label]


def outcome(people, tables, *, every: bool) -> tuple[int, ...]:
    """What such tables say of these people: all numbers, or those that are shown and what is said of the others."""
    said = []
    for table in tables:
        for cell in table.cells:
            count = sum(within(one, group_of(table, cell)) for one in people)
            if every or not cell.hidden:
                said.append(count)
            elif cell.lower is not None:
                said.append(int(count >= cell.lower))
    return tuple(said)


@pytest.mark.slow
def test_the_risk_of_one_person_is_not_below_that_of_all_datasets():
    """Every dataset of a few people: how well the best test tells two persons apart by what the tables say."""
    rng = random.Random("risk")
    for _ in range(repetitions(6, 60)):
        people = rng.randint(1, 3)
        world = rng.choice(worlds(people))
        tables = [published(rng, world, f"{at}.csv", each) for at, each in enumerate([("sex", "age"), ("age", "work")])]
        tables = [at_least(rng, table, world) for table in tables]
        tables[1] = replace(tables[1], earlier=rng.random() < 0.5)
        laws = random_laws(rng)
        found = believe(examine(tables, Convention(beliefs=laws), seconds=None)).risk
        for risk, every in ((found.fixed, False), (found.chosen, True)):
            given = {}
            for person in SPACE:
                law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
                for others in product(SPACE, repeat=people - 1):
                    chance = Fraction(1)
                    for each in others:
                        chance *= chance_of(each, laws)
                    law[outcome((person, *others), tables, every=every)] += chance
                given[person] = law
            for epsilon, delta in risk.points:
                worst = max(hockey_stick(given[one], given[two], epsilon) for one, two in permutations(SPACE, 2))
                assert worst <= float(delta) + 1e-9


def test_numbers_that_an_earlier_table_hides_may_be_told_by_which_of_them_it_hides():
    cells = [Cell((label,), None, None, "x") for label in LABELS["sex"]]
    whole = Cell((None,), Fraction(2), Fraction(2))
    earlier = PublishedTable("old.csv", ("sex",), (*cells, whole), earlier=True)
    everybody = PublishedTable("new.csv", ("age",), (Cell((None,), Fraction(2), Fraction(2)), *ages(1, 1)))
    laws = (
        VariableLaw("sex", (), {(): {"f": HALF, "m": HALF}}, "a"),
        VariableLaw("age", (), {(): {"old": HALF, "young": HALF}}, "a"),
    )
    found = believe(examine([everybody, earlier], Convention(beliefs=laws))).risk
    assert found.fixed.points[0][1] == pytest.approx(0.5)
    assert found.chosen.points[0][1] == pytest.approx(0.75)


def ages(*numbers: int) -> list[Cell]:
    return [Cell((label,), Fraction(one), Fraction(one)) for label, one in zip(LABELS["age"], numbers, strict=True)]


def test_where_a_rule_says_what_is_hidden_nothing_is_said_as_if_there_were_none(table):
    found = dl.audit(table, tables_file=COLUMNS, beliefs=BELIEF, rules=["hidden means 0 to 30"])
    assert found.believed.risk.fixed is None
    assert "decided without looking" not in found.text()
    assert "however it was decided" in found.text()


TABLE = "sex,young,old,Total\nf,20,x,24\nm,x,x,30\nTotal,24,30,54\n"
BELIEF = {
    "sex": {"probabilities": {"f": 0.4, "m": "rest"}, "source": "census"},
    "age": {
        "by": "sex",
        "cells": {"f": {"young": 0.5, "old": 0.5}, "m": {"young": 0.1, "old": "rest"}},
        "source": "survey",
    },
}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


COLUMNS = {"tables": {"a.csv": {"columns": ["age"]}}}


def test_what_there_was_no_time_for_is_named(table):
    table.write_text("sex,young,old,Total\nf,x,x,24\nm,x,x,30\nTotal,24,30,54\n", encoding="utf-8")
    found = dl.audit(table, tables_file=COLUMNS, beliefs=BELIEF, seconds=0)
    assert len(found.believed.untried) == 4
    assert found.believed.unjudged == "the time was up"
    assert "For 4 hidden numbers there was no time" in found.text()


def test_the_command_tells_chances_and_one_person(table, tmp_path):
    beliefs, said = tmp_path / "beliefs.yaml", tmp_path / "tables.yaml"
    beliefs.write_text(yaml.safe_dump(BELIEF, sort_keys=False), encoding="utf-8")
    said.write_text(yaml.safe_dump(COLUMNS), encoding="utf-8")
    line = ["audit", str(table), "-t", str(said), "--belief", str(beliefs)]
    out = CliRunner().invoke(app, [*line, "--page", str(tmp_path / "a.html")])
    assert out.exit_code == 1
    assert "With the stated belief (source: census; survey), 54 people" in " ".join(out.output.split())
    assert "Risk of publishing tables of this form" in out.output
    assert "With the stated belief" in (tmp_path / "a.html").read_text(encoding="utf-8")
    told = json.loads(CliRunner().invoke(app, [*line, "--json"]).output)["belief"]
    assert told["people"] == 54
    assert all(
        each["values"] == {str(value): [1.0, 1.0]} for each, value in zip(told["numbers"], (4, 4, 26), strict=True)
    )
    assert set(told["risk"]) == {
        "if which numbers are hidden was decided without looking at them",
        "however it was decided by these numbers which of them are hidden",
    }


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"age": None}, "none for 'age'"),
        ({"sex": {"probabilities": {"f": 0.4}, "source": "s"}}, "none for 'm'"),
        ({"sex": {"probabilities": {"f": 0.4, "m": 0.5}, "source": "s"}}, "sum to 0.9"),
        ({"sex": {"probabilities": {"f": 0.4, "m": 0.7}, "source": "s"}}, "sum to at most 1"),
        ({"sex": {"probabilities": {"f": 0.4, "m": 0.5, "d": 0.1}, "source": "s"}}, "has the label 'd'"),
        ({"work": {"probabilities": {"yes": 1}, "source": "s"}}, "beliefs is about 'work'"),
        ({"sex": {"by": "age", "cells": {"young": {"f": 1, "m": 0}}, "source": "s"}}, "not in a circle"),
        ({"sex": {"by": "age", "probabilities": {"f": 1, "m": 0}, "source": "s"}}, "needs probabilities, or by"),
        ({"age": {"by": "sex", "cells": {"f": {"young": 1, "old": 0}}, "source": "s"}}, "where sex = m needs"),
        ({"age": {"by": "sex", "cells": {"f": 3}, "source": "s"}}, "needs labels"),
    ],
)
def test_beliefs_that_cannot_be_used_say_what_is_needed(table, change, says):
    beliefs = {name: own for name, own in {**BELIEF, **change}.items() if own is not None}
    with pytest.raises(InputError, match=says):
        dl.audit(table, tables_file=COLUMNS, beliefs=beliefs)


def test_numbers_that_were_rounded_by_chance_have_no_belief(table):
    table.write_text("sex,young,old,Total\nf,21,x,24\nm,x,x,30\nTotal,24,30,54\n", encoding="utf-8")
    with pytest.raises(InputError, match="rounded by chance"):
        dl.audit(table, tables_file=COLUMNS, beliefs=BELIEF, rounded="random 3")


def test_a_belief_needs_to_know_how_many_people_there_are(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("sex,count\nf,x\nm,30\n", encoding="utf-8")
    beliefs = {"sex": BELIEF["sex"]}
    with pytest.raises(InputError, match="how many people there are in all"):
        dl.audit(path, beliefs=beliefs)
    known = {"known": [{"group": {}, "at_least": 33, "at_most": 33}]}
    found = dl.audit(path, tables_file=known, beliefs=beliefs)
    assert [each.values.values for each in found.believed.numbers] == [{3: (1, 1)}]
