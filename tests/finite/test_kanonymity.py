"""k-anonymity: literal counting, the chapter's two figures, bad input."""

import json
import runpy
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.papers.definitions.kanonymity import (
    AnyOf,
    Anything,
    CodeSpan,
    GeneralisedTable,
    Pattern,
    candidates_in_all,
    covers,
    generalised,
)

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "tests" / "golden" / "semantics.json").read_text())["CH"]["k_anonymity"]
FIGURES = runpy.run_path(str(ROOT / "examples" / "papers" / "two_tables.py"))
CELLS = {"*": set(range(100)), "<30": set(range(30)), ">40": set(range(41, 100)), "3*": set(range(30, 40))}
CELLS |= {"20-34": set(range(20, 35)), "28": {28}, "28 or 31": {28, 31}}


def test_the_two_figures_leave_one_condition():
    one, two, alice = FIGURES["FIGURE_1"], FIGURES["FIGURE_2"], FIGURES["ALICE"]
    assert (one.k, two.k) == (GOLDEN["fig1_k"], GOLDEN["fig2_k"])
    assert list(one.diversity) == GOLDEN["l_diversity_fig1"]
    assert sorted(one.candidates(alice)) == GOLDEN["alice_fig1"]
    assert sorted(two.candidates(alice)) == GOLDEN["alice_fig2"]
    assert sorted(candidates_in_all([one, two], alice)) == GOLDEN["intersection"]
    assert sorted(one.candidates({"age": 40})) == GOLDEN["age40_in_fig1"]
    assert sorted(two.candidates({"age": 35})) == GOLDEN["age35_in_fig2"]


@given(st.sampled_from(sorted(CELLS)), st.integers(10, 99))
def test_a_cell_covers_what_it_says(text, age):
    assert covers(generalised(text), age) is (age in CELLS[text])
    assert covers(generalised(text), str(age)) is (age in CELLS[text])


@given(
    st.lists(
        st.tuples(st.sampled_from(["*", "<30", "3*"]), st.sampled_from(["130**", "13053"]), st.sampled_from("abc")),
        min_size=1,
        max_size=12,
    ),
    st.integers(10, 99),
)
def test_a_table_agrees_with_counting(rows, age):
    table = GeneralisedTable.read(("age", "zip code"), rows)
    alike = Counter(row[:2] for row in rows)
    assert table.k == min(alike.values())
    assert sorted(table.diversity) == sorted(len({row[2] for row in rows if row[:2] == key}) for key in alike)
    assert sum(group.total() for group in table.classes().values()) == len(rows)
    matching = [row for row in rows if age in CELLS[row[0]]]
    assert table.candidates({"age": age}) == {row[2] for row in matching}
    # Who matches one row by all quasi-identifiers matches at least k.
    full = [row for row in matching if row[1] in ("130**", "13053")]
    assert not full or len(full) >= table.k


def test_cells_print_as_they_are_read():
    for text in ("*", "130**", "<30", ">40", "30-34", "Dutch", "Dutch or French"):
        assert str(generalised(text)) == text
    assert [str(CodeSpan(upper=3)), str(CodeSpan(lower=3))] == ["≤3", "≥3"]
    assert generalised("*") == Anything()
    assert generalised("3*") == Pattern("3*")
    assert generalised("Dutch") == AnyOf(frozenset({"Dutch"}))
    assert covers(CodeSpan(lower=3), 3) and covers(CodeSpan(upper=3), 3)


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="quasi-identifiers, but row 1 has 1"):
        GeneralisedTable.read(("age", "zip code"), [("*", "*", "flu"), ("*", "flu")])
    with pytest.raises(InputError, match="at least one row"):
        GeneralisedTable.read(("age",), [])
    with pytest.raises(InputError, match="a sensitive value for each row"):
        GeneralisedTable(("age",), ((Anything(),),), ())
    with pytest.raises(InputError, match="at least a sensitive value"):
        GeneralisedTable.read((), [()])
    with pytest.raises(InputError, match="only columns among"):
        FIGURES["FIGURE_1"].candidates({"height": 180})
    with pytest.raises(InputError, match="at least one table"):
        candidates_in_all([], {})
    with pytest.raises(InputError, match="lower ≤ upper"):
        generalised("40-30")
    with pytest.raises(InputError, match="whole number"):
        generalised("<young")
    with pytest.raises(InputError, match="finite number"):
        covers(generalised("<30"), "young")
    with pytest.raises(InputError, match="included"):
        CodeSpan(1, 2, "sometimes")
