"""Long histories are judged as short ones are, and told in few words."""

import pickle
from fractions import Fraction

import pytest

from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.plan import Publish, Question, Target, known, plan
from dalenius.plan.judging import docket_of
from dalenius.show.text import AtomNames, story
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import Atom, Entry, History

YES = ("answer", OneOf(("yes",)))


def question(sizes: dict) -> Question:
    rates = {("a",): Fraction(1, 2), ("b",): Fraction(1, 3)}
    table = {cell: (("no", 1 - rate), ("yes", rate)) for cell, rate in rates.items()}
    return Question(
        Frame(("group", "kind"), sizes),
        {"answer": Categories(("no", "yes"))},
        (ColumnBelief("answer", table, "census", ("kind",)),),
        Attacker(3),
        Value(),
        Target(Fraction(1), Fraction(1, 100)),
    )


def tables(groups: int) -> list[Figure]:
    """All, by group, and of the groups up to each."""
    whole = [
        Figure("all", "count", None, Where((YES,))),
        Figure("each", "count", None, Where((YES,)), ("group", "kind")),
    ]
    return whole + [
        Figure(f"to {last}", "count", None, Where((YES, ("group", OneOf(tuple(range(last)))))))
        for last in range(1, groups)
    ]


@pytest.mark.slow
def test_of_many_groups_of_one_law_the_smallest_says_how_much_may_be_known(monkeypatch):
    sizes = {(group, kind): 90 + 7 * (group * 5 % 8) for group in range(8) for kind in "ab"}
    asked = question(sizes)
    found = plan(tables(8), History(), asked)
    assert isinstance(found, Publish)
    atoms = [finding.atom for finding in found.findings]
    assert len(known._smallest(atoms, docket_of(asked))) < len(atoms) / 4
    one_by_one = known.largest_known(found, asked)
    monkeypatch.setattr(known, "MANY", 0)
    assert known.largest_known(found, asked) == one_by_one > 3


@pytest.mark.slow
def test_names_of_groups_in_many_numbers_and_long_lists_are_cut():
    asked = question({(group, "a"): 200 for group in range(70)})
    found = plan(tables(70)[:1], History(tuple(tables(70)[2:])), asked)
    name = AtomNames(found.findings)[id(found.findings[0])]
    assert name.startswith("to 1 and to 2 and ") and "to 12 and 58 more" in name
    told = story(found, asked, tables(70)[:1], tables(70)[2:])
    assert "... and 9 more; `dalenius ledger list` has them all" in told


def test_a_number_that_goes_to_another_process_is_hashed_there():
    entry = Entry(tables(2)[0], (Fraction(1),))
    fresh = hash(entry)
    object.__setattr__(entry, "_hash", 7)
    assert hash(pickle.loads(pickle.dumps(Atom((entry,), ()))).entries[0]) == fresh
