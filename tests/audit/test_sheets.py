"""Tables as spreadsheets write them: what stands around a table is taken off, and nothing that matters is guessed."""

from pathlib import Path

import pytest

import dalenius as dl
from dalenius.basics.errors import InputError

HEAD = "Region,Men,Women,Total"
BODY = ["North,1204,x,1209", "South,930,820,1750", "Total,2134,825,2959"]


def lines(*rows: str, newline: str = "\n") -> bytes:
    return (newline.join(rows) + newline).encode()


def values(folder: Path, content: bytes, **options):
    path = folder / "t.csv"
    path.write_bytes(content)
    found = dl.audit(path, remedy=False, **options)
    return [(each["low"], each["high"]) for each in found.json()["numbers"]], found


GERMAN = ["Region;Männer;Frauen;Insgesamt", "Nord;1.204;x;1.209", "Süd;930;820;1.750", "Insgesamt;2.134;825;2.959"]


@pytest.mark.parametrize(
    "content",
    [
        lines("Table 1: people by region, 2024", "", HEAD, *BODY, "", "x: fewer than ten", "Source: a, b and c"),
        lines("Table 1,,,", HEAD, *BODY, ",,,", "x means fewer than ten,,,"),
        lines(HEAD, *BODY, "Source: the register,,,"),
        lines("sep=;", *(each.replace(",", ";") for each in (HEAD, *BODY)), newline="\r\n"),
        lines(f"{HEAD},", *(f"{each}," for each in BODY), ",,,,"),
        b"\xef\xbb\xbf" + lines(*GERMAN, newline="\r\n"),
        lines(*GERMAN).decode().encode("cp1252"),
        lines(*(each.replace(",", "\t") for each in (HEAD, *BODY))).decode().encode("utf-16"),
        lines(HEAD, 'North,"1,204",x,"1,209"', *BODY[1:]),
        lines(HEAD, "North,1 204,x(1),1 209", "South,930*,820,1750 [a]", "Total,2134,825,2959"),
        lines("Region,Men,Women,Row total", *BODY[:2], "Column total,2134,825,2959"),
        lines("Region,Men,Women,Total (n)", *BODY[:2], "All regions,2134,825,2959"),
    ],
    ids=["titles", "padded", "note", "sep", "blank column", "German", "Windows", "UTF-16", "commas", "marks",
         "row total", "all regions"],
)  # fmt: skip
def test_tables_of_spreadsheets_are_read(tmp_path, content):
    assert values(tmp_path, content)[0] == [(5, 5)]


def test_percentages_are_left_out_and_not_said_to_tell_nothing(tmp_path):
    beside = lines("Region,Men,% men,Women,Total", "North,1204,99%,x,x", "South,930,53%,820,1750")
    within = lines("Region,Men,Women", "North,1204 (99.6%),x", "South,930 (53.1%),820 (46.9%)")
    long = lines("Region,Sex,N,Percent", "North,Men,1204,99.6", "North,Women,x,x", "South,Men,930,53.1")
    for content in (beside, within, long):
        _, found = values(tmp_path, content)
        assert found.verdict == "review" and found.answer.startswith("Not decided")
        assert any("percentages" in note for note in found.notes)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (lines("kind,count", "a,10", "b,20", "c,30", "altogether,60"), "the sum of all others"),
        (lines("region,m,f,All kinds", "north,x,x,30", "south,x,x,40"), "called like one"),
        (lines(HEAD, "Somewhere,,,", *BODY), "heading or a note"),
        (lines(HEAD, "North,1204,x,1209", "South,,820,1750", BODY[2]), "are they hidden too"),
    ],
    ids=["adds up", "called so", "heading", "blanks"],
)
def test_what_can_be_read_in_two_ways_is_asked(tmp_path, content, says):
    with pytest.raises(InputError, match=says):
        values(tmp_path, content)


def test_answers_to_these_questions_are_taken(tmp_path):
    sums = lines("kind,count", "a,x", "b,20", "c,30", "altogether,60")
    assert values(tmp_path, sums, tables_file={"variables": {"kind": {"total": ["altogether"]}}})[0] == [(10, 10)]
    groups = lines("kind,count", "a,10", "b,20", "c,30")
    assert values(tmp_path, groups, tables_file={"variables": {"kind": {"total": []}}})[0] == []
    blanks = lines(HEAD, "North,1204,x,1209", "South,,820,820", "Total,1204,825,2029")
    assert values(tmp_path, blanks, tables_file={"zero": ["blank"]})[0] == [(5, 5)]
    assert len(values(tmp_path, blanks, tables_file={"hidden": ["blank"]})[0]) == 2


def test_labels_that_have_the_word_of_a_total_stay_labels_where_they_add_nothing_up(tmp_path):
    content = lines("operation,count", "total hip replacement,30", "knee,45", "all other,x", "Total,90")
    assert values(tmp_path, content)[0] == [(15, 15)]


def test_three_tables_of_pairs_tell_what_the_table_of_all_three_would(tmp_path):
    """Of 12 young women 10 work: 2 do not, which no table shows, and all that are shown are 10 or more, or nobody."""
    rows = {
        "sex-age": ["f,old,15", "f,young,12", "m,old,14", "m,young,41"],
        "sex-work": ["f,yes,10", "f,no,17", "m,yes,11", "m,no,44"],
        "age-work": ["old,yes,0", "old,no,29", "young,yes,21", "young,no,32"],
    }
    for name, body in rows.items():
        (tmp_path / f"{name}.csv").write_bytes(lines(f"{name.replace('-', ',')},count", *body))
    found = dl.audit(tmp_path, remedy=False)
    told = [each for each in found.json()["numbers"] if each["status"] == "follows" and each["low"]]
    assert found.verdict == "fail"
    assert {(each["name"], each["low"]) for each in told if each["low"] < 10} == {
        ("no table lists it: age = young, sex = f, work = no", 2)
    }


def test_a_remedy_that_what_is_known_does_not_allow_is_not_offered(tmp_path):
    """That everybody is a man or a woman is known; without the table of the women it would be false."""
    for name, body in {"all": ["no,x", "yes,x", "Total,40"], "f": ["no,12", "yes,3"], "m": ["no,20", "yes,5"]}.items():
        (tmp_path / f"{name}.csv").write_bytes(lines("work,count", *body))
    meaning = {
        "tables": {"f.csv": {"where": {"sex": "f"}}, "m.csv": {"where": {"sex": "m"}}},
        "known": [{"group": {"sex": "any other"}, "at_most": 0}],
    }
    found = dl.audit(tmp_path, tables_file=meaning)
    assert found.verdict == "fail" and {each.kind for each in found.advice.remedies} >= {"hide"}
    assert any("none of f, m" in note for note in found.notes)
