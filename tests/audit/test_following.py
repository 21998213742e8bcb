"""What follows, against all tables there are; and both kinds of proof, added up by the independent checker."""

import json
from collections import Counter
from random import Random

import pytest

from amount import repetitions
from audit.problems import MOST, random_problem
from dalenius.audit.findings import CellStatus
from dalenius.audit.following import follow
from dalenius.audit.problem import ContradictionError, Problem, Sought, Statement, Unknown
from dalenius.record.proofs import audit_json, refutation_json
from dalenius_checker import audit as checker
from oracle.published import fitting

TABLES = repetitions(60, 2000)


def ranges(problem):
    """The least and the largest value of every target, of all tables that fit."""
    tables = fitting(
        [(each.lower, each.upper) for each in problem.unknowns],
        [(each.terms, each.lower, each.upper) for each in problem.statements],
        MOST,
    )
    found = [[sum(times * table[at] for at, times in target.terms) for target in problem.targets] for table in tables]
    return [(min(values), max(values)) for values in zip(*found, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("tenth", range(10))
def test_intervals_are_those_of_all_tables_and_the_checker_confirms_them(tenth):
    for number in range(tenth, TABLES, 10):
        problem = random_problem(Random(number))
        found = follow(problem, seconds=None)
        assert [(each.low, each.high) for each in found.each] == ranges(problem), number
        assert all(each.exact for each in found.each), number
        checker.examined(checker.load(audit_json({"knows the tables": found}).encode()))


def line(published, hidden, *, least=0):
    """One line of a table: a total, cells that are shown, and cells that are not."""
    unknowns = tuple(Unknown(f"x{place}", least) for place in range(hidden))
    rest = published[0] - sum(published[1:])
    terms = tuple((place, 1) for place in range(hidden))
    total = Statement(terms, rest, rest, " + ".join(map(str, published)))
    return Problem(unknowns, (total,), tuple(Sought(each.name, ((place, 1),)) for place, each in enumerate(unknowns)))


@pytest.mark.parametrize(
    ("problem", "value"),
    [(line((0, 0), 2), 0), (line((15, 10, 5), 2), 0), (line((15, 10, 3), 2, least=1), 1)],
    ids=["0 = x + x + 0", "15 = 10 + 5 + x + x", "15 = 10 + 3 + x + x, x at least 1"],
)
def test_hidden_cells_that_are_known_all_the_same(problem, value):
    found = follow(problem)
    assert found.status == CellStatus.FOLLOWS
    assert [(each.low, each.high) for each in found.each] == [(value, value)] * 2


def test_a_hidden_pair_is_open_if_nothing_else_is_known():
    found = follow(line((15, 10, 3), 2))
    assert found.status == CellStatus.OPEN
    assert [(each.low, each.high) for each in found.each] == [(0, 2)] * 2
    assert sorted(found.point(table)[0] for table in (found.shown[0].least, found.shown[0].most)) == [0, 2]


def test_whole_numbers_follow_where_fractions_do_not():
    """x + y, y + z and x + z are 2, 2 and at most 3, all at least: fractions allow x = 3/2."""
    pairs = [((0, 1), (1, 1)), ((1, 1), (2, 1)), ((0, 1), (2, 1))]
    statements = tuple(Statement(pair, 1, 1, str(pair)) for pair in pairs[:2])
    odd = Statement(((0, 2), (1, 2), (2, -2)), 1, 2, "twice")
    problem = Problem(tuple(Unknown(name) for name in "xyz"), (*statements, odd), (Sought("x", ((0, 1),)),))
    found = follow(problem)
    assert [(each.low, each.high) for each in found.each] == ranges(problem)


def test_what_is_too_far_away_for_the_time_given_is_undecided():
    found = follow(line((15, 10, 3), 2), seconds=0.0)
    assert found.status in (CellStatus.UNDECIDED, CellStatus.OPEN)
    assert [(each.low, each.high) for each in found.each] == [(0, 2)] * 2


def test_an_open_end_is_not_bounded():
    problem = Problem(
        (Unknown("x"), Unknown("y", None)),
        (Statement(((0, 1), (1, 1)), 3, 3, "three"),),
        (Sought("x", ((0, 1),)), Sought("y", ((1, 1),))),
    )
    found = follow(problem)
    assert [(each.low, each.high) for each in found.each] == [(0, None), (None, 3)]
    assert found.status == CellStatus.OPEN
    checker.examined(checker.load(audit_json({"": found}).encode()))


def test_rules_ask_for_width_and_reach():
    total = Statement(((0, 1), (1, 1)), 10, 10, "ten")
    cells = (Unknown("x"), Unknown("y"))
    targets = tuple(
        Sought("x", ((0, 1),), width, reach)
        for width, reach in ((10, None), (11, None), (1, (2, 8)), (1, (0, 11)), (1, (-1, 3)))
    )
    found = follow(Problem(cells, (total,), targets))
    assert [each.status for each in found.each] == [
        CellStatus.OPEN,
        CellStatus.PINNED,
        CellStatus.OPEN,
        CellStatus.PINNED,
        CellStatus.PINNED,
    ]


@pytest.mark.slow
def test_an_attacker_who_knows_more_knows_no_less():
    for number in range(20):
        random = Random(number)
        problem = random_problem(random)
        table = next(
            fitting(
                [(each.lower, each.upper) for each in problem.unknowns],
                [(each.terms, each.lower, each.upper) for each in problem.statements],
                MOST,
            )
        )
        place = random.randrange(len(table))
        knows = problem.knowing({place: (table[place], None)})
        before, after = follow(problem), follow(knows)
        for one, other in zip(before.each, after.each, strict=True):
            assert one.low <= other.low <= other.high <= one.high
        written = audit_json({"the tables": before, "a cell too": after})
        assert "; " in checker.examined(checker.load(written.encode()))


@pytest.mark.slow
def test_contradictions_are_named_and_proved():
    """Random problems in which one number is wrong: either some table fits, or a few numbers are named, which alone
    contradict each other.
    """
    outcomes = Counter()
    for number in range(repetitions(40, 400)):
        random = Random(number)
        problem = random_problem(random)
        at = random.randrange(len(problem.statements))
        wrong = problem.statements[at]
        off = random.choice((-2, -1, 1, 2))
        low, high = (None if end is None else end + off for end in (wrong.lower, wrong.upper))
        statements = list(problem.statements)
        statements[at] = Statement(wrong.terms, low, high, "the wrong one")
        problem = Problem(problem.unknowns, tuple(statements), problem.targets)
        fits = any(True for _ in fitting([(0, None)] * len(problem.unknowns), _said(problem.statements), MOST))
        outcomes[fits] += 1
        if fits:
            follow(problem)
            continue
        with pytest.raises(ContradictionError) as raised:
            follow(problem)
        error = raised.value
        assert "the wrong one" in error.sources
        assert {each.source for each in error.refutation.problem.statements} >= set(error.sources)
        assert len(error.sources) <= 12
        words = checker.examined(checker.load(refutation_json(error.refutation).encode()))
        assert words.startswith("no table")
    assert min(outcomes.values()) > 3


def _said(statements):
    return [(each.terms, each.lower, each.upper) for each in statements]


def test_ends_of_an_unknown_that_cross_are_named():
    problem = line((15, 10, 3), 2).knowing({0: (3, None)}).knowing({0: (None, 1)})
    with pytest.raises(ContradictionError, match="x0 is said to be at least 3 and at most 1"):
        follow(problem)


def test_written_audits_read_back_as_json():
    found = follow(line((15, 10, 3), 2), seconds=None)
    document = json.loads(audit_json({"knows the tables": found}, tables={"a.csv": b"x"}, notes=("a note",)))
    assert document["tables"]["a.csv"] == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    assert [each["status"] for each in document["audits"][0]["findings"]] == ["open", "open"]
