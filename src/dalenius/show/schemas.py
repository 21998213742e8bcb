"""What `--json` prints: a JSON Schema of every command. Keys may be added later; none gets another meaning.

A shape is written as `"type: what it means"`, a mapping of keys, or a list with the shape of its items. A key that ends
with `?` may be missing; a type that ends with `?` may be null.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Shape: TypeAlias = "str | Mapping[str, Shape] | Sequence[Shape]"

TYPES: Mapping[str, Mapping[str, Any]] = {
    "text": {"type": "string"},
    "whole": {"type": "integer"},
    "number": {"type": "number"},
    "yes/no": {"type": "boolean"},
    "bracket": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    "texts": {"type": "array", "items": {"type": "string"}},
    "numbers": {"type": "array", "items": {"type": "number"}},
    "object": {"type": "object"},
    "label": {"type": ["string", "number", "integer", "boolean"]},
    "any": {},
}
VERDICT = "text: pass, fail or review"
RISK: Shape = {
    "advantage": "bracket: how much better than guessing the best attacker tells two facts apart",
    "found": {
        "false_alarms": "text: the share of false alarms that is granted",
        "share": "bracket: of those who have the fact, how many are found then",
    },
    "guessed": "object: by how many equally likely values, the chance to guess the right one, a bracket",
    "differential_privacy_alone": "object: by figure, the error of noise that needs no belief",
}
DECISION: Mapping[str, Shape] = {
    "schema": "text: dalenius/decision/2",
    "software": "text: the program and its version",
    "verdict": VERDICT,
    "answer": "text: the first line of what is printed",
    "remarks": "texts: what should be known besides",
    "claim": {
        "definition": "text: what is promised",
        "events": "text: of which events",
        "evidence": "text: how it is known",
        "epsilon": "text: exact",
        "delta_wanted": "text: exact",
        "delta_at_most": "number?: certified, of the worst group",
    },
    "secret": "text: which facts are not told apart",
    "attacker": {
        "knows": "text: a share or a number of records",
        "in_every_group": "yes/no: whether that share holds in every group",
        "source": "text: why",
        "largest_known?": "whole?: so many known records are certified too, if it was looked for",
    },
    "columns": "object: by confidential column, its values",
    "beliefs": [
        {
            "column": "text: which",
            "by": "texts: given these public columns",
            "source": "text: where it comes from",
            "fitted": "yes/no: whether it was fitted to the data",
            "confidence": "text?: of public counts",
            "cells": "any: probabilities by cell",
        }
    ],
    "people": "whole: how many records",
    "figures": [
        {
            "name": "text: of the figure",
            "kind": "text: count, sum, mean, …",
            "column": "text?: what is added up",
            "where": "text: which records",
            "by": "texts: by which columns",
            "release": "text: exact, or what happens to it",
        }
    ],
    "published": "any: what is out already",
    "groups": [
        {
            "numbers": "texts: in which numbers these people are",
            "people": "whole: how many",
            "known": "whole: how many of them an attacker may know",
            "delta": "bracket: certified",
            "verdict": VERDICT,
            "witness": "text?: an event that tells",
            "reveals": "any: the combination of numbers that reveals them",
        }
    ],
    "margins": "yes/no: whether margins and remedies were looked for",
    "remedies?": "texts: least changes",
    "advice?": "text: what else could be done",
    "untried?": "texts: for what there was no time",
    "assumes": "texts: what it rests on",
    "not_needed": "any: what was stated but is not needed",
    "broken_by": "texts: what would break it",
    "sources": "texts: of definitions and theorems",
    "risk?": "any: the same in words that people use, see plan",
    "ledger": "text: where it is recorded",
}
CASE: Shape = {
    "submission": "text: its id",
    "entry": "whole: of the ledger",
    "hash": "text: of the entry",
    "when": "text: UTC",
    "user": "text: who submitted it",
    "dataset": "text: which",
    "figures": "texts: what is asked for",
    "words": "text: why",
    "verdict": VERDICT,
    "answer": "text: what dalenius found",
    "state": "text: open, approved, rejected or released",
    "decided": "whole: how many have voted",
    "rule": {
        "by": "texts: who may decide; nobody named: anybody else",
        "signatures": "whole: how many must agree",
        "everything": "yes/no: whether every release needs it",
        "overrule": "text: which verdicts persons may overrule",
    },
    "decisions": "any: votes, once all are in",
    "comments": [{"user": "text: who", "when": "text: UTC", "words": "text: what"}],
    "release": "text?: what became of it",
    "alike": "any: what was decided alike before",
}
WORTH: Shape = {
    "rule": "text: in words",
    "epsilon": "number: asked for",
    "delta": "bracket: worst over the unknown count",
    "delta_printed": "texts: the same, as it is printed",
    "secret": "text: which facts",
    "rate": "number?: of the attribute",
    "known": "whole: members whom the attacker knows",
    "worst_others_expected": "numbers: where it is worst",
    "witness": "text?: an event that tells",
    "why": "text: by which argument",
}
THEOREM: Shape = {
    "key": "text: of the catalogue",
    "paper": "text: which",
    "number": "text: of the statement",
    "covers": "texts: numbers that it covers",
    "status": "text: true, false, …",
    "printed": "text: what it says, in our words",
    "holds": "text: what is true",
    "because": "text: why",
    "assumes": "texts: what that needs",
    "computed_by": "texts: names",
    "shown_by": "texts: tests",
    "applies": "yes/no: whether its conditions can be checked here",
    "has_counterexample": "yes/no: whether one runs",
}
SHAPES: Mapping[str, Shape] = {
    "check": {**DECISION, "ledger_exists": "yes/no: whether it is there", "earlier_releases": "whole: in it"},
    "release": {
        "verdict": VERDICT,
        "release": "text?: its id, if it was released",
        "ledger": "text: where it is recorded",
        "written": "text?: the folder",
        "completed?": "yes/no: whether an earlier release was written again",
        "approval?": "object: whose judgement it rests on",
        "answer?": "text: and all else of a decision, if one was made",
    },
    "plan": {
        "schema": "text: dalenius/plan/1",
        "software": "text: the program and its version",
        "plan": "text: which kind of change",
        "answer": "text: the first line of what is printed",
        "target": {"epsilon": "text: exact", "delta": "text: exact"},
        "delta_at_most": "number?: as specified",
        "risk?": RISK,
        "figures": "texts: what is asked for",
        "alternatives": [
            {
                "way": "text: kind of change",
                "figures": "texts: as they would be then",
                "changes": "any: by figure",
                "cost": "number?: in the stated convention",
                "numbers_lost": "whole?: how many are not published",
                "certified": "yes/no: whether it was judged, and passed",
                "frontier": "yes/no: whether no other way is better in everything",
                "chosen": "yes/no: the least",
                "why": "text: why not, or why",
            }
        ],
        "nearest": "any: groups that are nearest to the target",
        "next": "text: what to do",
        "untried": "texts: for what there was no time",
        "convention": "text: what cost means",
        "weakest": "any: the weakest beliefs that would do",
    },
    "explain": {
        "verdict": VERDICT,
        "answer": "text: the first line of what is printed",
        "subject": "any: what somebody could learn about one person",
        "carried_by": "any: the assumption that carries the verdict",
        "limits": "any: until where each assumption holds",
        "sensitivity": [
            {
                "assumption": "text: which one is changed",
                "value": "text: to what",
                "told": "text: in words",
                "delta": "bracket: then",
                "epsilon_at_most": "number?: then",
                "holds": "yes/no: whether the target is kept",
                "stated": "yes/no: whether this is the stated one",
            }
        ],
        "whole": "yes/no: whether all that was asked was tried",
        "groups_followed": "text: which groups",
        "broken_by": "texts: what would break it",
        "charts": "texts: files that were written",
    },
    "next": {
        "questions": [
            {
                "figure": "text: what is asked",
                "verdict": VERDICT,
                "people": "whole: in the smallest of its numbers",
                "because": "text: why",
                "delta_at_least": "number: certified",
                "witness": {
                    "numbers": "any: weights and numbers whose sum is that of these people alone",
                    "people": "whole: how many they are",
                    "who": "any: their public values, with how many have them",
                },
            }
        ],
        "unsettled": "texts: questions that only a decision about everything settles",
        "not_named": {
            "questions": "whole: further ones that were found",
            "unsettled": "whole: further ones that are not settled",
        },
        "closest": [
            {
                "people": "whole: in a group",
                "who": "text: what they have in common",
                "delta_at_most": "number: as things are",
            }
        ],
        "tried": "whole: how many questions",
        "complete": "yes/no: whether all that were to be tried were",
    },
    "audit": {
        "verdict": VERDICT,
        "answer": "text: the first line of what is printed",
        "written": "texts: files that were written",
        "attacker?": "text: who asks",
        "tables?": [{"name": "text: file", "variables": "texts: of the table", "cells": "whole: how many"}],
        "numbers?": [
            {
                "name": "text: which number",
                "status": "text: follows, open, wide or undecided",
                "low": "any: it is at least this",
                "high": "any: it is at most this",
                "because": "texts: the combination that shows it",
            }
        ],
        "remedies?": "any: what else to hide, merge or withdraw; null if it was not looked for",
        "untried?": "texts: for what there was no time",
        "no_help?": "texts: what cannot help, and why",
        "notes?": "texts: how tables were read",
        "lists?": "whole: of a few people: how many lists of people fit",
        "complete?": "yes/no: whether these are all",
        "known?": "any: people who are in all lists",
        "hidden?": "any: hidden numbers that are known then",
        "belief?": "any: how likely hidden numbers are",
    },
    "audit-mechanism": {
        "refuted": "yes/no: whether draws prove that the claim is false",
        "answer": "text: the first line of what is printed",
        "claim": {"epsilon": "number: claimed", "delta": "number: claimed"},
        "confidence": "number: of a refutation",
        "at_least": "object: delta and epsilon that were proved with that confidence",
        "power": "any: what would have been seen",
        "draws": "whole: of each world",
        "bets": "whole: rounds in which an event was chosen",
        "pairs": "texts: the pairs of worlds",
        "untried": "any: pairs for which there was no time",
        "complete": "yes/no: whether all draws were made",
        "event": "any: the event that tells, and how often it was seen",
    },
    "verify": {
        "verdict": "text: holds, or refused",
        "refused": "texts: why",
        "skipped": "texts: what was not checked",
        "signed": "yes/no: whether a signature was checked",
        "presence_meant_less": "yes/no: a certificate of version 4 about presence",
    },
    "ledger list": [
        {
            "release": "text: its id",
            "when": "text: UTC",
            "user": "text: who",
            "dataset": "text: which",
            "edition": "any: of a table that changes",
            "figures": "texts: names",
            "folder": "text: where it was written",
            "state": "text: written, or recorded",
            "certified": "yes/no: or released on the judgement of a person",
            "hash": "text: of the entry",
            "signed_by": "text?: whose key",
        }
    ],
    "ledger show": {
        "schema": "text: of the entry",
        "when": "text: UTC",
        "user": "text: who",
        "dataset": "text: which",
        "figures": "any: with their numbers",
        "files": "object: hashes of the files by name",
        "guarantee": "object: verdict, epsilon, delta",
        "target": "object: epsilon and delta",
        "beliefs": "any: exact",
        "attacker": "object: what was stated",
    },
    "ledger verify": {
        "ledger": "text: where",
        "entries": "whole: how many",
        "head": "text?: hash of the last one",
        "signed": "whole: how many are signed",
        "signed_by": "texts: whose keys",
        "signatures_checked": "yes/no: whether keys were named",
        "holds": "any: the entry that was asked for",
    },
    "ledger sign": {
        "until": "whole: the last entry that is answered for",
        "entry": "whole: of the signature itself",
        "hash": "text: of that entry",
    },
    "sign": {"signature": "text: the file that was written"},
    "key new": {"private": "text: the file that stays with you", "public": "text: the file for everybody"},
    "ledger complete": [{"release": "text: its id", "folder": "text: where it was written"}],
    "review submit": CASE,
    "review list": [CASE],
    "review show": CASE,
    "review comment": CASE,
    "review approve": CASE,
    "review reject": CASE,
    "rules": {
        "asked": [WORTH],
        "beside": [WORTH],
        "needed": "any: the least threshold that would do",
        "note": "text: what no rule hides",
        "assumes": "texts: what it rests on",
    },
    "respond": {
        "epsilon": "bracket: what an answer tells",
        "total": "any: estimate, error and interval of the answers that were given",
        "people_needed": "whole?: for the accuracy that was asked for",
    },
    "theorems": [THEOREM],
    "schema": "any: a list of names, or a JSON Schema",
    "doctor": {
        "well": "yes/no: whether all that is needed works",
        "items": [
            {"what": "text: what was looked at", "found": "text: what it is", "state": "text: ok, missing, broken"}
        ],
    },
}
ERROR: Shape = {
    "verdict": "any: null",
    "errors": "texts: what is needed, what came, what to do",
    "done?": "texts: what was done all the same",
}


def schema(command: str) -> dict[str, Any]:
    """The JSON Schema of what a command prints with --json, also when it refuses."""
    home = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"dalenius {command} --json"}
    return home | {"anyOf": [_schema(SHAPES[command]), _schema(ERROR)]}


def _schema(shape: Shape) -> dict[str, Any]:
    if isinstance(shape, str):
        kind, _, said = shape.partition(": ")
        found = dict(TYPES[kind.removesuffix("?")])
        if kind.endswith("?"):
            found = {"anyOf": [found, {"type": "null"}]}
        return found | {"description": said}
    if isinstance(shape, Mapping):
        return {
            "type": "object",
            "properties": {key.removesuffix("?"): _schema(inner) for key, inner in shape.items()},
            "required": [key for key in shape if not key.endswith("?")],
        }
    return {"type": "array", "items": _schema(shape[0])}
