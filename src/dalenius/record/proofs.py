"""audit.json: what follows from published tables, and the proofs of it. Whoever reads it needs no solver, and not this
program: every proof is added up in whole numbers, and every table is compared with what is published.

A sum is a list of places of unknowns, counted from 0; one that counts more than once, or is subtracted, is a pair of
place and times. Ends are whole numbers, fractions as text, or null where there is none. A proof is a list of nodes,
the last of which is its root:

- ["add", over, [[row, times], ...]]: over · sum is at most what these rows give, and the ends of what is left over;
- ["cases", place, most, below, above]: an unknown is at most `most`, or more; the two places are of earlier nodes;
- ["tight", row]: the least value of a row is its upper end, so everything in it is at the end that makes it least.

A row from 0 is a statement; row -1 - k is what step k has proved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from dalenius.audit.problem import Problem, Sought, Statement, Terms, Unknown
from dalenius.audit.system import Leaf, Proof, Split, Step, Tight
from dalenius.record.codec import Json, canonical, digest

if TYPE_CHECKING:
    from dalenius.audit.findings import CellFinding, Findings, Refutation, Shown
    from dalenius.audit.people import Found, Said

SCHEMA = "dalenius/audit/1"


def audit_json(
    audits: Mapping[str, "Findings"], *, tables: Mapping[str, bytes] | None = None, notes: Sequence[str] = ()
) -> str:
    """The findings against each attacker (in words: what they know), as one document. They are about the same
    unknowns; what the one who knows least knows (`Problem.knowing`) is known to all; and each may have been asked about
    other targets. `tables` are the audited files, whose SHA-256 it carries.

    >>> import json
    >>> from dalenius.audit import Problem, Sought, Statement, Unknown, follow
    >>> total = Statement(((0, 1), (1, 1)), 0, 0, "the total of table 1")
    >>> asked = Problem((Unknown("north"), Unknown("south")), (total,), (Sought("north", ((0, 1),)),))
    >>> written = json.loads(audit_json({"knows only the tables": follow(asked)}))
    >>> written["audits"][0]["findings"][0]["status"], written["schema"]
    ('follows', 'dalenius/audit/1')
    """
    least = min((found.problem for found in audits.values()), key=lambda each: len(each.statements))
    targets = dict.fromkeys(target for found in audits.values() for target in found.problem.targets)
    base = replace(least, targets=tuple(targets))
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "notes": list(notes),
        "tables": {name: digest(content) for name, content in (tables or {}).items()},
        "problem": _problem(base),
        "audits": [_audit(attacker, found, base) for attacker, found in audits.items()],
    }
    return _sealed(document)


def refutation_json(refutation: "Refutation", *, tables: Mapping[str, bytes] | None = None) -> str:
    """Published numbers that contradict each other, and why, as a document of the same kind."""
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "notes": [],
        "tables": {name: digest(content) for name, content in (tables or {}).items()},
        "problem": _problem(refutation.problem),
        "contradiction": [_step(step) for step in refutation.steps],
    }
    return _sealed(document)


def people_json(found: "Found", *, tables: Mapping[str, bytes] | None = None, notes: Sequence[str] = ()) -> str:
    """Who fits counts, means and medians, as a document of the same kind. That there are no others has no short proof:
    whoever checks it searches again.
    """
    people = found.people
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "notes": list(notes),
        "tables": {name: digest(content) for name, content in (tables or {}).items()},
        "people": {
            "variables": [[name, list(labels)] for name, labels in people.variables],
            "number": [people.number, people.least, people.most],
            "statements": [_said(said) for said in people.said],
            "found": [[[list(labels), number] for labels, number in each] for each in found.each],
            "complete": found.complete,
        },
    }
    return _sealed(document)


def _said(said: "Said") -> Json:
    return {
        "says": said.source,
        "what": str(said.what),
        "labels": [[name, list(labels)] for name, labels in said.who.labels],
        "from": said.who.least,
        "to": said.who.most,
        "least": _end(said.lower),
        "most": _end(said.upper),
    }


def _sealed(document: dict[str, Json]) -> str:
    """With the SHA-256 of the rest: keys sorted, no spaces, UTF-8."""
    return canonical({**document, "sha256": digest(canonical(document))})


def _problem(problem: Problem) -> Json:
    return {
        "unknowns": [_unknown(each) for each in problem.unknowns],
        "statements": [_statement(each) for each in problem.statements],
        "targets": [_target(each) for each in problem.targets],
    }


def _unknown(unknown: Unknown) -> Json:
    return [unknown.name, unknown.lower, unknown.upper]


def _statement(statement: Statement) -> Json:
    return {
        "says": statement.source,
        "sum": _sum(statement.terms),
        "least": _end(statement.lower),
        "most": _end(statement.upper),
    }


def _target(target: Sought) -> Json:
    return {
        "name": target.name,
        "sum": _sum(target.terms),
        "width": target.width,
        "reach": None if target.reach is None else list(target.reach),
    }


def _audit(attacker: str, found: "Findings", base: Problem) -> Json:
    own, count = found.problem, len(base.statements)
    if own.statements[:count] != base.statements:
        raise AssertionError("every attacker knows what the one who knows least knows")
    at = {target: place for place, target in enumerate(base.targets)}
    return {
        "attacker": attacker,
        "targets": [at[target] for target in own.targets],
        "ends": [
            [place, one.lower, one.upper]
            for place, (one, first) in enumerate(zip(own.unknowns, base.unknowns, strict=True))
            if one != first
        ],
        "statements": [_statement(each) for each in own.statements[count:]],
        "findings": [_finding(*each) for each in zip(found.each, found.shown, strict=True)],
        "steps": [_step(step) for step in found.steps],
        "table": None if found.table is None else list(found.table),
        "changes": [[[place, value] for place, value in change] for change in found.changes],
    }


def _finding(finding: "CellFinding", shown: "Shown") -> Json:
    return {
        "low": finding.low,
        "high": finding.high,
        "seen": None if finding.seen is None else list(finding.seen),
        "status": str(finding.status),
        "proved": [shown.low, shown.high],
        "tables": [shown.least, shown.most],
    }


def _step(step: Step) -> Json:
    nodes: list[Json] = []
    _nodes(step.proof, nodes)
    return {"sum": _sum(step.form), "most": step.value, "rests": list(step.rests_on), "proof": nodes}


def _nodes(proof: Proof, nodes: list[Json]) -> int:
    """The nodes of a proof, behind the others; the place of its root."""
    match proof:
        case Leaf(over, rows):
            nodes.append(["add", over, [[row, times] for row, times in rows]])
        case Tight(row):
            nodes.append(["tight", row])
        case Split(place, most, below, above):
            nodes.append(["cases", place, most, _nodes(below, nodes), _nodes(above, nodes)])
    return len(nodes) - 1


def _sum(terms: Terms) -> list[Json]:
    return [place if times == 1 else [place, times] for place, times in terms]


def _end(end: Fraction | int | None) -> Json:
    return end if end is None or isinstance(end, int) else str(end) if end.denominator > 1 else int(end)
