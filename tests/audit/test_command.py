"""`dalenius audit`: what people have in their folders, what it answers, and how it refuses."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import dalenius as dl
from dalenius.basics.errors import DaleniusError, InputError
from dalenius.cli import app

WIDE = "region,m,f,Total\nnorth,10,x,15\nsouth,30,20,50\nTotal,40,25,65\n"


def file(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(*words: object):
    return CliRunner().invoke(app, ["audit", *map(str, words)])


@pytest.mark.parametrize(
    ("parts", "rules", "values"),
    [
        (["0,x", "1,x", "2,0", "Total,0"], {}, [0, 0]),
        (["0,10", "1,5", "2,x", "3,x", "Total,15"], {}, [0, 0]),
        (["0,10", "1,3", "2,x", "3,x", "Total,15"], {"zeros": "shown"}, [1, 1]),
    ],
)
def test_hidden_cells_that_are_known_all_the_same(tmp_path, parts, rules, values):
    found = dl.audit(file(tmp_path, "t.csv", "kind,count", *parts), **rules)
    assert found.verdict == "fail"
    assert [(each["low"], each["high"]) for each in found.json()["numbers"]] == [(each, each) for each in values]


@pytest.mark.parametrize("mark", ["", "x", "[c]", "[REDACTED]", "<10", "≤7", "suppressed", "*", "1-9"])
def test_every_mark_of_a_hidden_cell_is_read(tmp_path, mark):
    path = file(tmp_path, "t.csv", "region,m,f,Total", f"north,10,{mark},15", "south,30,20,50", "Total,40,25,65")
    answer = run(path, "--json")
    assert answer.exit_code == 1
    told = json.loads(answer.stdout)
    assert told["verdict"] == "fail" and [each["low"] for each in told["numbers"]] == [5]


def test_statuses_of_tau_argus_and_sdctable_are_read(tmp_path):
    lines = ["region,sex,freq,sdcStatus", "n,m,10,s", "n,f,5,u", "n,Total,15,s", "s,m,12,z", "s,f,6,x", "s,Total,18,s"]
    path = file(tmp_path, "t.csv", *lines, "Total,m,22,s", "Total,f,11,x", "Total,Total,33,s")
    told = json.loads(run(path, "--json").stdout)
    assert {each["places"][0]["mark"]: each["low"] for each in told["numbers"][:2]} == {"u": 5, "x": 6}


def test_rounded_numbers_leave_room(tmp_path):
    lines = ["region,m,f,Total", "north,10,5,20", "south,30,20,50", "Total,40,25,65"]
    path = file(tmp_path, "t.csv", *lines)
    refused = run(path)
    assert refused.exit_code != 0 and "--rounded 5" in str(refused.exception)
    assert run(path, "--rounded", "5").exit_code == 0


def test_nested_labels_are_asked_for_and_then_used(tmp_path):
    bands = file(tmp_path, "bands.csv", "age,count", "0-19,20", "20-39,30")
    groups = file(tmp_path, "groups.csv", "age,count", "0-9,x", "10-19,18", "20-29,x", "30-39,x")
    with pytest.raises(InputError, match="nested"):
        dl.audit(bands, groups)
    nested = {"0-19": ["0-9", "10-19"], "20-39": ["20-29", "30-39"]}
    found = dl.audit(bands, groups, tables_file={"variables": {"age": {"nested": nested}}})
    numbers = {each["name"]: (each["low"], each["high"]) for each in found.json()["numbers"]}
    assert numbers["groups.csv: age = 0-9"] == (2, 2)
    assert numbers["groups.csv: age = 20-29"] == (0, 30)


def test_sums_with_stated_bounds(tmp_path):
    people = file(tmp_path, "people.csv", "region,count", "north,3", "south,20", "Total,23")
    money = file(tmp_path, "money.csv", "region,value", "north,x", "south,x", "Total,900")
    meaning = {"measures": {"income": {"bounds": [0, 50]}}, "tables": {"money.csv": {"measure": "income"}}}
    told = dl.audit(people, money, tables_file=meaning).json()["numbers"]
    assert {each["name"]: (each["low"], each["high"]) for each in told} == {
        "money.csv: region = north": (0, 150),
        "money.csv: region = south": (750, 900),
    }


def test_what_was_published_before_counts_and_is_not_changed(tmp_path):
    now = file(tmp_path, "now.csv", "region,count", "north,x", "south,x", "east,40", "Total,60")
    before = file(tmp_path, "before.csv", "region,count", "north,4", "south,16", "east,40", "Total,60")
    assert dl.audit(now).verdict == "pass"
    found = dl.audit(now, earlier=[before])
    assert found.verdict == "fail" and not found.advice.remedies
    assert run(now, "--earlier", before).exit_code == 1


@pytest.mark.slow
def test_exit_codes_say_what_was_proved(tmp_path):
    lines = ["region,a,b,Total", "n,x,x,15", "s,x,x,50", "Total,40,25,65"]
    path = file(tmp_path, "t.csv", *lines)
    assert run(path).exit_code == 0
    assert run(path, "--seconds", "0").exit_code == 3
    assert run(path, "--width", "100").exit_code == 1


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens and cannot be read")
def test_a_file_that_cannot_be_read_is_said_to_be_one():
    answer = run("/proc/self/mem")
    assert isinstance(answer.exception, DaleniusError) and "cannot be read" in str(answer.exception)


def test_the_remedy_is_audited_again_and_keeps_what_is_important(tmp_path):
    one = file(tmp_path, "one.csv", "region,count", "north,x", "south,20", "east,30", "Total,55")
    found = dl.audit(one)
    assert found.advice.remedies[0].kind == "hide"
    assert len(found.advice.remedies[0].hidden) == 1 and str(found.advice.remedies[0].examined.answer) == "pass"
    assert [cell.lower for _, cell in found.advice.remedies[0].hidden] == [
        20
    ]  # the smallest, where nothing is declared


def test_proofs_and_a_page_are_written(tmp_path):
    from dalenius_checker.__main__ import audited

    path = file(tmp_path, "t.csv", *WIDE.splitlines())
    out, page = tmp_path / "audit.json", tmp_path / "audit.html"
    answer = run(path, "-o", out, "--page", page, "--no-remedy")
    assert answer.exit_code == 1 and str(out) in answer.stdout
    assert audited(out.read_bytes(), [path.read_bytes()]).startswith("AGREES")
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text and 'class="grip known"' in text
    again = run(path, "-o", out)
    assert isinstance(again.exception, DaleniusError) and "is there already" in str(again.exception)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["region,m,f,Total", "north,10,6,15", "south,30,20,50", "Total,40,26,65"], "does not add up"),
        (["region,m,f,Total", "north,10,many,15", "south,30,20,50", "Total,40,25,65"], "another text"),
        (["region,m,f", "north,-3,4", "south,5,6"], "negative"),
        (["region,m,f", "north,12%,4", "south,5,6"], "percentage"),
        (["region,m,f", "north,-,4", "south,5,6"], "zero to some"),
        (["region"], "at least two columns"),
        (["region,m,f", "north,3"], "columns"),
        (["region,m,f", "north,3,4", "north,4,5"], "twice"),
    ],
)
def test_bad_tables_are_refused_in_words(tmp_path, lines, says):
    answer = run(file(tmp_path, "t.csv", *lines))
    assert isinstance(answer.exception, InputError) and says in str(answer.exception)


def test_an_empty_file_and_a_folder_without_tables(tmp_path):
    (tmp_path / "t.csv").write_text("")
    assert "Needed a table" in str(run(tmp_path / "t.csv").exception)
    (tmp_path / "none").mkdir()
    assert "there are none" in str(run(tmp_path / "none").exception)
    assert "there is none" in str(run(tmp_path / "missing.csv").exception)


def test_a_million_cells_are_too_many(tmp_path):
    head = "row," + ",".join(f"c{at}" for at in range(1000))
    line = "," + ",".join("3" for _ in range(1000))
    path = file(tmp_path, "t.csv", head, *(f"r{at}{line}" for at in range(1000)))
    assert "more than 200000 cells" in str(run(path).exception)


def test_tables_that_contradict_each_other_are_named(tmp_path):
    one = file(tmp_path, "one.csv", "region,count", "north,x", "south,x", "Total,60")
    two = file(tmp_path, "two.csv", "region,count", "north,40", "south,30")
    message = str(run(one, two).exception)
    assert (
        "contradict" in message and "one.csv: the total is 60" in message and "two.csv: region = north is 40" in message
    )


def test_labels_that_nearly_match_are_asked_about(tmp_path):
    one = file(tmp_path, "one.csv", "region,count", "Northern,10", "Southern,x")
    two = file(tmp_path, "two.csv", "region,count", "Northen,10", "Southern,12")
    message = str(run(one, two).exception)
    assert "look alike" in message and "labels: " in message and "different: " in message
    same = {"variables": {"region": {"labels": {"Northen": "Northern"}}}}
    assert dl.audit(one, two, tables_file=same).verdict == "fail"


def test_a_rule_that_does_not_hold_is_said_to_be_the_cause(tmp_path):
    path = file(tmp_path, "t.csv", "region,count", "north,x", "south,x", "Total,60")
    assert "rule does not hold" in str(run(path, "--rule", "hidden means 1 to 9").exception)


def test_options_are_checked(tmp_path):
    path = file(tmp_path, "t.csv", *WIDE.splitlines())
    for words in (
        ["--zeros", "maybe"],
        ["--attacker", "me"],
        ["--width", "0"],
        ["--rounded", "x"],
        ["--rule", "small"],
    ):
        assert isinstance(run(path, *words).exception, InputError)
    assert "ACRO wrote" in str(run(path, "--annotate").exception)


def test_a_folder_that_was_released_counts_as_history(tmp_path):
    """Smokers by region went out; a table of those who do not smoke hides what the total then gives."""
    released = tmp_path / "out"
    released.mkdir()
    figure = {"name": "smokers", "kind": "count", "where": "smoker = yes", "by": ["region"], "channel": []}
    noisy = figure | {"name": "noisy", "channel": [["geometric", 4]]}
    (released / "certificate.json").write_text(json.dumps({"figures": [figure, noisy]}))
    file(released, "figures.csv", "figure,region,value,release", "smokers,north,60,exact", "smokers,south,65,exact")
    now = file(tmp_path, "now.csv", "region,yes,no,Total", "north,x,x,64", "south,x,x,90", "Total,x,x,154")
    meaning = {"tables": {"now.csv": {"columns": ["smoker"]}}}
    assert dl.audit(now, tables_file=meaning).verdict == "pass"
    found = dl.audit(now, tables_file=meaning, earlier=[released])
    numbers = {each["name"]: (each["low"], each["high"]) for each in found.json()["numbers"]}
    assert numbers["now.csv: region = north, smoker = no"] == (4, 4)
    assert found.verdict == "fail" and any("noisy" in note for note in found.notes)


def test_a_ledger_counts_as_history(tmp_path, monkeypatch):
    """All its releases, if they are about one table of people."""
    ledger = tmp_path / "ledger.sqlite"
    ledger.write_bytes(b"SQLite format 3\0")
    figure = {"name": "smokers", "kind": "count", "where": "smoker = yes", "by": ["region"], "channel": []}
    files = {
        "certificate.json": json.dumps({"figures": [figure]}).encode(),
        "figures.csv": b"figure,region,value,release\nsmokers,north,60,exact\nsmokers,south,65,exact\n",
    }
    releases = [SimpleNamespace(id="R1", dataset="people")]
    opened = SimpleNamespace(exists=lambda: True, releases=lambda: tuple(releases), files=lambda _: files)
    monkeypatch.setattr("dalenius.record.ledger.open_ledger", lambda _: opened)
    now = file(tmp_path, "now.csv", "region,yes,no,Total", "north,x,x,64", "south,x,x,90", "Total,x,x,154")
    found = dl.audit(now, tables_file={"tables": {"now.csv": {"columns": ["smoker"]}}}, earlier=[ledger], remedy=False)
    numbers = {each["name"]: each["low"] for each in found.json()["numbers"] if each["status"] == "follows"}
    assert numbers["now.csv: region = north, smoker = no"] == 4
    releases.append(SimpleNamespace(id="R2", dataset="others"))
    with pytest.raises(InputError, match="one table of people"):
        dl.audit(now, earlier=[ledger])


def test_tables_at_the_edge_are_read(tmp_path):
    """A table of totals alone, one without any label, and one whose first row is hidden as a whole."""
    totals = file(tmp_path, "totals.csv", "region,Total", "north,12", "south,x")
    assert dl.audit(totals).verdict == "pass"
    bare = file(tmp_path, "bare.csv", "status,value", "s,15")
    assert dl.audit(bare).verdict == "pass"
    first = file(tmp_path, "first.csv", "sex,age,a,b", "f,old,x,x", "f,young,12,13", "m,old,14,15", "m,young,16,17")
    meaning = {"tables": {"first.csv": {"rows": ["sex", "age"], "columns": ["work"]}}}
    assert len(dl.audit(first, tables_file=meaning).json()["numbers"]) == 3  # and all who are f and old
    letters = file(tmp_path, "letters.csv", "age,n,s,Total", "old,[c],[c],[c]", "young,[c],[c],[c]")
    meaning = {"tables": {"letters.csv": {"columns": ["region"]}}}
    assert len(dl.audit(letters, tables_file=meaning).json()["numbers"]) == 8  # and both columns


def test_what_one_person_can_rule_out_is_not_said_to_everybody(tmp_path):
    """Somebody in one of the cells knows that it is not empty; the interval that is printed holds for all."""
    path = file(tmp_path, "t.csv", "kind,count", "a,x", "b,x", "c,x", "Total,5")
    numbers = dl.audit(path, attacker="member").json()["numbers"]
    assert {(each["low"], each["high"]) for each in numbers} == {(0, 5)}


def test_a_rule_about_the_largest_parts_asks_for_a_wide_interval(tmp_path):
    """The largest of three adds 100 of 110, and the others 8 and 2: 102 to 118 must stay possible, and 105 to 115 is
    what a range beside it leaves.
    """
    head = "region,value,status,max1,max2"
    lines = ["north,110,u,100,8", "south,90,x,20,20", "Total,200,s,100,20"]
    sums = file(tmp_path, "sums.csv", head, *lines)
    near = file(tmp_path, "near.csv", "region,value", "north,105-115", "south,x", "Total,200")
    table = {"measure": "sales", "parts": ["max1", "max2"], "dominance": "p 10"}
    both = {"sums.csv": table, "near.csv": {"measure": "sales"}}
    assert dl.audit(sums, tables_file={"tables": {"sums.csv": table}}).verdict == "pass"
    found = dl.audit(sums, near, tables_file={"tables": both}, remedy=False)
    assert {each["status"] for each in found.json()["numbers"] if "north" in each["name"]} == {"pinned"}
    for wrong in (table | {"dominance": "10 %"}, table | {"parts": []}):
        with pytest.raises(InputError, match="dominance"):
            dl.audit(sums, tables_file={"tables": {"sums.csv": wrong}})
