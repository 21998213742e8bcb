"""Proofs that somebody changed: refused, unless what they say is true all the same, by all tables there are."""

import json
from copy import deepcopy
from fractions import Fraction
from random import Random

import pytest

from amount import repetitions
from audit.problems import MOST, random_problem
from dalenius.audit.following import follow
from dalenius.record.codec import canonical, digest
from dalenius.record.proofs import audit_json
from dalenius_checker import audit as checker
from dalenius_checker.__main__ import run
from dalenius_checker.people import NoAuditError, RefusedError
from oracle.published import fitting

REFUSED = repetitions(60, 500)


def sealed(document):
    """With a hash of its own that fits: whoever forges proofs can do that too."""
    rest = {key: value for key, value in document.items() if key != "sha256"}
    return canonical({**rest, "sha256": digest(canonical(rest))}).encode()


def written(number):
    problem = random_problem(Random(number))
    return json.loads(audit_json({"knows the tables": follow(problem, seconds=None)}))


def whole_numbers(node, path=()):
    """The paths to all whole numbers in it."""
    if isinstance(node, dict | list):
        for key, inside in node.items() if isinstance(node, dict) else enumerate(node):
            yield from whole_numbers(inside, (*path, key))
    elif type(node) is int:
        yield path


def put(document, path, change):
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = change(document[path[-1]])


def is_true(document):
    """Whether every finding holds of all tables that fit the problem as it is written there."""
    problem, audit = document["problem"], document["audits"][0]
    pairs = [
        [(each, 1) if isinstance(each, int) else tuple(each) for each in one["sum"]]
        for one in (*problem["statements"], *problem["targets"])
    ]
    ends = [
        tuple(None if end is None else Fraction(end) for end in (each["least"], each["most"]))
        for each in problem["statements"]
    ]
    statements = [(terms, *both) for terms, both in zip(pairs, ends, strict=False)]
    tables = list(fitting([(low, high) for _, low, high in problem["unknowns"]], statements, MOST + 2))
    for target, finding in zip(audit["targets"], audit["findings"], strict=True):
        terms = pairs[len(statements) + target]
        values = {sum(times * table[at] for at, times in terms) for table in tables}
        if any(value < finding["low"] or value > finding["high"] for value in values):
            return False
        if not values >= set(finding["seen"]):
            return False
    return True


def accepted(document):
    try:
        checker.examined(checker.load(sealed(document)))
    except (RefusedError, NoAuditError, LookupError, ValueError):
        return False
    return True


@pytest.mark.slow
def test_a_number_that_was_changed_anywhere_is_refused_or_leaves_what_is_said_true():
    refused, number = 0, 0
    while refused < REFUSED:
        number += 1
        random = Random(number)
        document = written(number % 100)
        put(document, random.choice(list(whole_numbers(document))), lambda was: was + random.choice((-2, -1, 1, 2)))  # noqa: B023 - used at once
        if accepted(document):
            assert is_true(document), number
        else:
            refused += 1
    assert number < 8 * REFUSED


def test_ends_that_are_too_tight_are_refused_whatever_is_changed_with_them():
    count = 0
    for number in range(repetitions(15, 200)):
        document = written(number)
        for place, finding in enumerate(document["audits"][0]["findings"]):
            for side, key, by in ((0, "low", 1), (1, "high", -1)):
                forged = deepcopy(document)
                audit = forged["audits"][0]
                own = audit["findings"][place]
                own[key] += by
                own["seen"][side] = own[key]
                own["status"] = "follows" if own["low"] == own["high"] else finding["status"]
                audit["steps"][own["proved"][side]]["most"] -= 1
                assert not accepted(forged)
                count += 1
    assert count > 20


def test_a_status_that_does_not_follow_is_refused():
    for number in range(10):
        document = written(number)
        own = document["audits"][0]["findings"][0]
        own["status"] = "open" if own["status"] == "follows" else "follows"
        assert not accepted(document)


def test_another_table_is_refused_without_its_hash(tmp_path):
    problem = random_problem(Random(1))
    text = audit_json({"knows the tables": follow(problem)}, tables={"a.csv": b"a,b\n1,2\n"})
    (tmp_path / "audit.json").write_text(text, encoding="utf-8")
    (tmp_path / "a.csv").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "b.csv").write_bytes(b"a,b\n1,3\n")
    good = run([str(tmp_path / "audit.json"), "--table", str(tmp_path / "a.csv")])
    assert good[0] == 0
    assert good[1].startswith("AGREES: all that is said is so")
    assert run([str(tmp_path / "audit.json"), "--table", str(tmp_path / "b.csv")])[0] == 1
    (tmp_path / "audit.json").write_text(text.replace('"status":"', '"status":" '), encoding="utf-8")
    assert run([str(tmp_path / "audit.json")])[0] == 1


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"schema":"dalenius/audit/1"}', b"\xff"])
def test_what_is_no_audit_is_not_confirmed(content):
    with pytest.raises((NoAuditError, RefusedError)):
        checker.examined(checker.load(content))
