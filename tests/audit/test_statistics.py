"""Counts, means and medians from a file to an answer."""

import json

import pytest
from typer.testing import CliRunner

from dalenius.basics.errors import InputError
from dalenius.cli import app
from dalenius.desk.audit.statistics import audit_statistics
from dalenius_checker.__main__ import run

BLOCK = """sex,race,status,age from,age to,count,median,mean
,,,,,7,30,38.0
female,,,,,4,30,33.5
male,,,,,3,30,44
,black,,,,4,51,48.5
,white,,,,3,24,24
,,single,18,,[c],[c],[c]
,,married,,,4,51,54
female,black,,,,3,36,36.7
male,black,,,,[c],[c],[c]
male,white,,,,[c],[c],[c]
female,white,,,,[c],[c],[c]
,,,,4,[c],[c],[c]
,,,,17,[c],[c],[c]
,,,64,,[c],[c],[c]
,,married,,14,0,[c],[c]
"""
RULE = "[c] means at most 2"


def written(tmp_path, text):
    path = tmp_path / "block.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_block_of_seven_people_from_its_file(tmp_path):
    path, output = written(tmp_path, BLOCK), tmp_path / "audit.json"
    asked = ["audit", str(path), "--people", "age 0 to 125", "--rule", RULE, "-o", str(output), "--json"]
    found = CliRunner().invoke(app, asked)
    assert found.exit_code == 1, found.output
    answer = json.loads(found.output)
    assert answer["answer"] == "Everybody is known: one list of 7 people fits what is published, and no other."
    assert {"sex": "male", "race": "black", "status": "married", "number": 84} in answer["known"]
    assert run([str(output), "--table", str(path)])[0] == 0


def test_a_hidden_mean_that_is_the_same_for_all_who_fit_follows(tmp_path):
    path = written(tmp_path, "sex,count,mean\n,4,30.0\nf,2,20.0\nm,[c],[c]\n")
    found = audit_statistics([path], "age 10 to 50")
    assert found.found.complete
    assert found.known == ()
    assert found.verdict == "fail"
    assert "block.csv, row 4: mean is hidden, and must be 40" in found.text()
    assert "block.csv, row 4: count is hidden, and must be 2" in found.text()


def test_nobody_is_known_where_lists_have_nothing_in_common(tmp_path):
    path = written(tmp_path, "sex,count,mean\n,4,30.0\nf,[c],[c]\nm,[c],[c]\n")
    found = audit_statistics([path], "age 0 to 125")
    assert found.verdict in ("pass", "review")
    assert (found.verdict == "pass") == (not found.known and not found.told)
    assert found.text().startswith(("Nobody", "Not settled"))


def test_some_people_are_known_where_others_are_not(tmp_path):
    """One woman of 30, and two men whose mean is 30 as well."""
    found = audit_statistics([written(tmp_path, "sex,count,mean\n,3,30\nf,1,30.0\nm,2,30.0\n")], "age 28 to 32")
    assert found.verdict == "fail"
    assert found.known == ((("f",), 30),)
    assert "Something follows: 1 person and 0 hidden numbers are the same in all 3 lists" in found.text()


@pytest.mark.parametrize(
    ("text", "number", "said"),
    [
        ("sex,count\n,3\n", "age", "such as 'age 0 to 125'"),
        ("sex,mean\n,3\n", "age 0 to 9", "among them count"),
        ("sex,count,mean\n,3\n", "age 0 to 9", "3 fields in every row"),
        ("sex,count,mean\n,3,many\n", "age 0 to 9", "needs a number"),
        ("sex,age from,count\n,a,3\n", "age 0 to 9", "whole numbers"),
        ("sex,count,mean\nf,3,5\n", "age 0 to 9", "how many people there are"),
        ("", "age 0 to 9", "among them count"),
    ],
)
def test_files_that_cannot_be_read_say_why(tmp_path, text, number, said):
    with pytest.raises(InputError, match=said):
        audit_statistics([written(tmp_path, text)], number)


def test_options_that_have_no_meaning_there_are_refused(tmp_path):
    path = written(tmp_path, BLOCK)
    found = CliRunner().invoke(app, ["audit", str(path), "--people", "age 0 to 125", "--width", "5"])
    assert isinstance(found.exception, InputError)


def test_files_of_one_name_are_all_read(tmp_path):
    """In whatever order they are named: one of them alone says that nobody is known."""
    paths = [tmp_path / "a" / "x.csv", tmp_path / "b" / "x.csv", tmp_path / "c" / "b" / "x.csv"]
    texts = ["sex,count,mean\n,3,30.0\n", "sex,count,median\n,3,30\n", "sex,count\n,3\nf,1\nm,2\n"]
    for path, text in zip(paths, texts, strict=True):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    found = [audit_statistics(order, "age 0 to 40") for order in (paths, paths[::-1])]
    assert [set(each.contents) for each in found] == [
        {"x.csv", "b/x.csv", "b/x.csv (2)"},
        {"x.csv", "b/x.csv", "a/x.csv"},
    ]
    assert found[0].found.people.variables == found[1].found.people.variables
    assert found[0].found.each == found[1].found.each


def test_a_label_that_is_called_another_is_one_label(tmp_path):
    found = audit_statistics([written(tmp_path, "sex,count,mean\n,2,30.0\nanother,1,20.0\n")], "age 0 to 40")
    assert found.known == ((("another",), 20), (("yet another",), 40))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        ",".join(f"v{at}" for at in range(6))
        + ",count\n"
        + "".join(f"a{at}," * 6 + "1\n" for at in range(12))
        + ",,,,,,5\n",
        "sex,count\n,5\n" + "".join(f"f,{at % 3}\n" for at in range(30_000)),
    ],
)
def test_more_than_can_be_gone_through_is_refused_at_once(tmp_path, text):
    with pytest.raises(InputError, match="Needed at most 1000 numbers of people with at most 400 combinations"):
        audit_statistics([written(tmp_path, text)], "age 0 to 40")


def test_many_people_with_far_ends_end_in_time(tmp_path):
    text = "sex,count\n,60\n" + "".join(f"l{at},[c]\n" for at in range(300))
    found = audit_statistics([written(tmp_path, text)], "money -999999999 to 999999999", seconds=0.5)
    assert found.verdict in ("pass", "review")
