"""Names and labels in what goes out: a spreadsheet computes none of them, and none does anything to a screen."""

import csv
import io
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dalenius.basics.errors import SpecError
from dalenius.desk.spec import build, spec_of
from dalenius.desk.spec.load import parse_keys
from dalenius.tables.published import cell_text, text_of
from dalenius_checker.__main__ import run
from edges.desk import SMOKERS, Desk, dalenius, people, spec

COMPUTED = re.compile("[-=+@\uff0d\uff1d\uff0b\uff20]")
TEXTS = st.text(
    alphabet=st.sampled_from("=+-@';,\"a1.／＝") | st.characters(exclude_categories=["Cs", "Cc"]), max_size=9
)


@pytest.mark.slow
@given(TEXTS)
@example("'=1+1")
@example("x;'=1")
@example("''")
def test_no_cell_is_computed_and_every_name_comes_back(text):
    cell = cell_text(text)
    assert text_of(cell) == text
    for part in cell.split(";"):  # as a spreadsheet cuts it where commas are decimal
        assert not COMPUTED.match(part) or re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?", cell)


@pytest.mark.slow
def test_formulas_as_names_are_texts_in_the_table_and_both_programs_know_them(tmp_path, monkeypatch):
    desk = Desk(tmp_path)
    monkeypatch.setattr("dalenius.desk.curves.measured", lambda *_: ((), None, ()))
    name, column, labels = "=HYPERLINK(A1)", "+region", ["@north", "-5"]
    content = spec(public={column: labels}, figures=[{**SMOKERS, "name": name, "by": column}])
    table = people()
    table[column] = [labels[region == "south"] for region in table.pop("region")]
    answer = desk.release(content, table)
    assert answer.code == 0, answer
    rows = list(csv.reader(io.StringIO((desk.folder / "out" / "figures.csv").read_text(encoding="utf-8"))))
    assert rows[0] == ["figure", "'+region", "value", "release"]
    assert [row[:2] for row in rows[1:]] == [["'=HYPERLINK(A1)", "'@north"], ["'=HYPERLINK(A1)", "-5"]]
    files = [str(desk.folder / "out" / "certificate.json"), "--figures", str(desk.folder / "out" / "figures.csv")]
    assert dalenius("verify", *files).code == 0
    assert run(files)[0] == 0


BAD = ["\x1b[2J", "a\x00", "a\x07", "\u202egnp.exe", "a\u2028b", "\x9b2J", "\ud800"]


@pytest.mark.parametrize("bad", [*BAD, "a\tb", "a\nb", "a\rb"])
def test_names_that_would_do_something_are_refused(bad):
    figure = {**SMOKERS, "name": bad}
    for changes in (
        {"figures": [figure]},
        {"published": [figure]},
        {"public": {"region": ["north", bad]}},
        {"public": {bad: ["north", "south"]}},
        {"confidential": spec()["confidential"] | {bad: ["x"]}},
        {"dataset": f"a{bad}b"},
    ):
        with pytest.raises(SpecError, match=r"has the character U\+[0-9A-F]{4}. Take it out") as caught:
            build(spec_of(spec(**changes)))
        assert bad not in str(caught.value)


@pytest.mark.parametrize("bad", BAD)
def test_no_other_text_does_anything_either(bad):
    with pytest.raises(SpecError, match="needs text that can be printed under source, but"):
        spec_of(spec(attacker={"knows": 0, "source": bad}))
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in bad)
    with pytest.raises(SpecError, match="The policy needs text that can be printed under name, but"):
        parse_keys(f'name: "{escaped}"\n', "policy")


def test_a_source_may_have_several_lines():
    assert spec_of(spec(attacker={"knows": 0, "source": "one\n\ttwo"})).attacker.source == "one\n\ttwo"
