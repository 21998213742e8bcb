"""Several tables of the same people against all tables of people that fit them, counted one by one.

The enumeration shares nothing with the audit but the text of the tables: it goes through every way to put at most so
many people into the cells of all variables together, writes the tables down as the publisher would, and compares.
"""

import random
from fractions import Fraction
from itertools import product

import pytest

import dalenius as dl
from amount import repetitions
from dalenius.audit.examination import examine
from dalenius.audit.findings import CellStatus
from dalenius.audit.linking import OTHER
from dalenius.audit.remedy import advise
from dalenius.audit.tables import Cell, Convention, MarkRule, PublishedTable

LABELS = {"sex": ("f", "m"), "age": ("old", "young"), "work": ("no", "yes")}
SPACE = list(product(*LABELS.values()))


def worlds(people: int) -> list[dict[tuple[str, ...], int]]:
    """All ways to put exactly so many people into the cells."""

    def ways(left: int, cells: int):
        if cells == 1:
            yield (left,)
            return
        for first in range(left + 1):
            for rest in ways(left - first, cells - 1):
                yield (first, *rest)

    return [dict(zip(SPACE, way, strict=True)) for way in ways(people, len(SPACE))]


def counted(world, variables, labels) -> int:
    places = [list(LABELS).index(name) for name in variables]
    return sum(
        number
        for person, number in world.items()
        if all(label is None or person[at] == label for at, label in zip(places, labels, strict=True))
    )


def published(rng: random.Random, world, name: str, variables: tuple[str, ...]) -> PublishedTable:
    """A table with margins in which some numbers are hidden or rounded; its total stays."""
    cells = []
    for labels in product(*((*LABELS[each], None) for each in variables)):
        value = counted(world, variables, labels)
        whole = all(label is None for label in labels)
        if not whole and rng.random() < 0.45 and value <= 3:
            cells.append(Cell(labels, None, None, "x"))
        elif not whole and rng.random() < 0.1:
            base = Fraction(3 * round(value / 3))
            ends = max(Fraction(0), base - Fraction(3, 2)), base + Fraction(3, 2)
            cells.append(Cell(labels, *ends, "rounded"))
        else:
            cells.append(Cell(labels, Fraction(value), Fraction(value)))
    return PublishedTable(name, variables, tuple(cells))


def fits(world, tables, rule) -> bool:
    for table in tables:
        for cell in table.cells:
            value = counted(world, table.variables, cell.labels)
            if cell.lower is not None and value < cell.lower:
                return False
            if cell.upper is not None and value > cell.upper:
                return False
            if rule is not None and cell.mark == "x" and not rule[0] <= value <= rule[1]:
                return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("known", [None, (0, 3)])
def test_intervals_of_linked_tables_are_those_of_all_worlds(known):
    rng = random.Random(f"linked {known}")
    asked = 0
    for _ in range(repetitions(25, 1500)):
        people = rng.randint(2, 5)
        every = worlds(people)
        world = rng.choice(every)
        sets = rng.sample([("sex", "age"), ("age", "work"), ("sex", "work"), ("sex",), ("sex", "age", "work")], 3)
        tables = [published(rng, world, f"{at}.csv", variables) for at, variables in enumerate(sets)]
        rules = () if known is None else (MarkRule("x", *known),)
        found = examine(tables, Convention(rules=rules), seconds=None)
        possible = [each for each in every if fits(each, tables, known)]
        assert world in possible
        for conclusion in found.conclusions:
            asked += 1
            chosen = dict(conclusion.asked.group)
            values = {
                sum(
                    number
                    for person, number in each.items()
                    if all(person[list(LABELS).index(name)] in labels for name, labels in chosen.items())
                )
                for each in possible
            }
            assert (conclusion.finding.low, conclusion.finding.high) == (min(values), max(values))
            assert (conclusion.status == CellStatus.FOLLOWS) == (
                len(values) == 1 and (conclusion.asked.hidden or 0 not in values)
            )
    assert asked > 50


@pytest.mark.slow
def test_a_remedy_leaves_more_than_one_world_for_every_number():
    rng = random.Random("remedies")
    offered = 0
    for _ in range(repetitions(5, 200)):
        world = rng.choice(worlds(4))
        tables = [published(rng, world, f"{at}.csv", each) for at, each in enumerate([("sex", "age"), ("age", "work")])]
        found = examine(tables, Convention(threshold=3), seconds=None)
        for remedy in advise(found, seconds=20).remedies:
            if remedy.kind == "merge":
                continue
            offered += 1
            possible = [each for number in range(3, 6) for each in worlds(number) if fits(each, remedy.tables, None)]
            hidden = [(table, cell) for table in remedy.tables for cell in table.cells if cell.hidden]
            for table, cell in hidden:
                assert len({counted(each, table.variables, cell.labels) for each in possible}) > 1
    assert offered


def test_a_table_about_some_people_is_not_one_about_everybody():
    """Those at work are some of all: the rest follows by subtraction, and is not said to be nobody."""
    whole = PublishedTable("all.csv", ("sex",), cells(("f", 30), ("m", 40)))
    some = PublishedTable("work.csv", ("sex",), cells(("f", 27), ("m", 25)), where=(("work", ("yes",)),))
    found = examine([whole, some])
    formed = {frozenset(each.asked.group): each for each in found.conclusions}
    women = formed[frozenset({("sex", frozenset({"f"})), ("work", frozenset({OTHER}))})]
    assert (women.status, women.interval) == (CellStatus.FOLLOWS, "3")
    men = formed[frozenset({("sex", frozenset({"m"})), ("work", frozenset({OTHER}))})]
    assert men.status == CellStatus.OPEN  # 15 are no small number


def cells(*pairs: tuple[str, int]) -> tuple[Cell, ...]:
    return tuple(Cell((label,), Fraction(number), Fraction(number)) for label, number in pairs)


def test_whoever_is_in_a_cell_learns_more():
    """Two hidden numbers that add up to 1: one of the two persons is the one who looks, so the other cell is empty."""
    hidden = tuple(Cell((label,), None, None, "x") for label in ("a", "b"))
    table = PublishedTable("t.csv", ("kind",), (*hidden, *cells(("c", 20)), Cell((None,), Fraction(21), Fraction(21))))
    assert str(examine([table]).answer) == "pass"
    found = examine([table], Convention(member=True))
    assert str(found.answer) == "fail"
    assert all("a person who is in" in each.to[0] for each in found.conclusions if each.tells)


def test_small_groups_that_are_coarser_than_the_cells_are_asked_about(tmp_path):
    """No table lists the north, nor those of it who are f; what all hidden cells of a group come to is known."""
    ward = tmp_path / "ward.csv"
    ward.write_text("ward,f,m\na,x,x\nb,x,x\nc,20,30\nTotal,22,39\n")
    bands = {"variables": {"ward": {"nested": {"north": ["a", "b"]}}}, "tables": {"ward.csv": {"columns": ["sex"]}}}
    found = dl.audit(ward, tables_file=bands, remedy=False, threshold=5)
    told = {each["name"]: each["low"] for each in found.json()["numbers"] if each["status"] == "follows"}
    assert found.verdict == "fail"
    assert told == {"no table lists it: sex = f, ward = a or b": 2}
    assert found.answer.startswith("Something follows: 1 small number that no table shows can be worked out")
    shown = tmp_path / "shown.csv"
    shown.write_text("ward,f,m\na,1,4\nb,1,5\nc,20,30\nTotal,22,39\n")
    bands["tables"] = {"shown.csv": {"columns": ["sex"]}}
    assert dl.audit(shown, tables_file=bands).verdict == "pass"  # sums of what is shown say nothing new


def test_groups_that_three_tables_of_pairs_tell_together_are_asked_about(tmp_path):
    """Each of the three variables alone, and pairs that only the others tell."""
    pairs = {"ab": "a,b", "bc": "b,c", "cd": "c,d", "da": "d,a"}
    files = []
    for name, header in pairs.items():
        files.append(tmp_path / f"{name}.csv")
        files[-1].write_text(f"{header},count\n1,1,x\n1,2,x\n2,1,x\n2,2,3\nTotal,Total,20\n")
    found = dl.audit(*files, remedy=False)
    names = {each["name"] for each in found.json()["numbers"]}
    across = {f"no table lists it: a = {one}, c = {other}" for one in "12" for other in "12"}
    assert across <= names or {name.replace("a =", "b =").replace("c =", "d =") for name in across} <= names


def test_a_coarse_line_that_is_not_listed_is_nobody_if_no_finer_one_is(tmp_path):
    path = tmp_path / "bands.csv"
    path.write_text("band,sex,count\n0-19,f,x\n0-19,m,x\n20-39,m,5\nTotal,f,3\nTotal,m,9\nTotal,Total,12\n")
    bands = {"variables": {"band": {"nested": {"0-19": ["0-9", "10-19"], "20-39": ["20-29", "30-39"]}}}}
    low_high = {
        each["name"]: (each["low"], each["high"]) for each in dl.audit(path, tables_file=bands).json()["numbers"]
    }
    assert low_high["bands.csv: band = 0-19, sex = f"] == (3, 3)


def test_lines_that_may_be_missing_are_said_to_be_of_labels_that_are_listed(tmp_path):
    path = tmp_path / "lines.csv"
    path.write_text("region,sex,count\nnorth,f,3\nsouth,m,x\nTotal,Total,10\n")
    found = dl.audit(path, tables_file={"tables": {"lines.csv": {"absent": "hidden"}}})
    assert any("everybody's region is taken to be one that some table lists" in note for note in found.notes)
    path.write_text("region,count\nnorth,3\nsouth,2\nTotal,10\n")
    with pytest.raises(dl.InputError, match="left out on purpose, write it, with x"):
        dl.audit(path)


def test_numbers_that_are_known_to_be_nobody_are_not_counted_as_open(tmp_path):
    """The sentence says how many have two complete tables: not those of which it is known that nobody is there."""
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("kind,count\na,0\nb,30\nTotal,30\n")
    two.write_text("kind,sex,count\nTotal,f,x\nTotal,m,x\na,Total,0\nb,Total,30\n")
    with pytest.raises(dl.InputError, match="absent: hidden"):
        dl.audit(one, two)
    found = dl.audit(one, two, tables_file={"tables": {"two.csv": {"absent": "hidden"}}})
    numbers = [each for each in found.json()["numbers"] if each["low"] != each["high"]]
    hidden = sum(bool(each.get("places")) for each in numbers)
    assert found.verdict == "pass"
    assert f"each of {hidden} hidden numbers and {len(numbers) - hidden} others that could be small" in found.answer


def test_a_remedy_protects_groups_that_are_asked_about_only_when_it_hides_their_cells(tmp_path):
    """To hide what protects one cell hides another group's cells, and what these come to may be told."""
    path = tmp_path / "wards.csv"
    path.write_text(
        "ward,f,m,Total\na,x,12,14\nb,3,1,4\nc,30,20,50\nd,2,1,3\nTotal,37,34,71\n",
    )
    meaning = {"variables": {"ward": {"nested": {"north": ["b", "d"]}}}, "tables": {"wards.csv": {"columns": ["sex"]}}}
    found = dl.audit(path, tables_file=meaning)
    hides = [each for each in found.advice.remedies if each.kind == "hide"]
    assert hides
    assert all(str(each.examined.answer) == "pass" for each in found.advice.remedies)
    assert found.json()["untried"] == []


def test_no_time_is_kept_to_from_the_start(tmp_path):
    path = tmp_path / "wards.csv"
    path.write_text("ward,f,m,Total\na,x,x,14\nb,x,x,4\nTotal,7,11,18\n")
    found = dl.audit(path, tables_file={"tables": {"wards.csv": {"columns": ["sex"]}}}, seconds=0, remedy=False)
    assert found.verdict == "review"
    assert "4 were not settled" in found.answer
