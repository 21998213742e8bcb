"""Answers that are short phrases: the values of a column, a figure, probabilities."""

import re
from typing import Any

from dalenius.errors import SpecError
from dalenius.interview.question import Question, shown

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"^\s*({_NUMBER})\s+to\s+({_NUMBER})(?:\s+by\s+({_NUMBER}))?\s*$")
_HALF = re.compile(rf"^\s*(?:{_NUMBER}\s+to\b|to\s+{_NUMBER})")  # of a range: hardly a label
_FIGURE = re.compile(
    r"^(count|sum of (?P<sum>.+?)|mean of (?P<mean>.+?))(?: where (?P<where>.+?))?(?: by (?P<by>.+?))?$"
)
_TEST = re.compile(r"^(?P<column>.+?)\s*(?P<sign>>=|<=|=| in )\s*(?P<value>.+)$")


def domain(question: Question, given: Any) -> Any:
    """What a column may contain: "no, yes", a list, "0 to 60", "0 to 60 by 0.5", or unit and bounds as in a
    specification.
    """
    if isinstance(given, dict) and given:
        return given
    if isinstance(given, str) and (found := _RANGE.match(given)):
        low, high, unit = found.groups()
        return {"unit": unit or "1", "bounds": [low, high]}
    labels = [label.strip() for label in given.split(",")] if isinstance(given, str) else given
    half = isinstance(given, str) and _HALF.match(given)
    if (
        not half
        and isinstance(labels, list)
        and labels
        and all(isinstance(x, bool | int) or (isinstance(x, str) and x) for x in labels)
    ):
        return labels
    raise SpecError(
        f"{question.named} needs labels (no, yes) or a range (0 to 60, or 0 to 60 by 0.5), but got {shown(given)}. "
        "Say what the column may contain at most, from its definition and not from the data."
    )


def hidden(question: Question, given: Any) -> Any:
    """What a confidential column may contain: two values at least, since one that is certain is no secret."""
    found = domain(question, given)
    values = found if isinstance(found, list) else found.get("bounds", "ab")
    if len({str(value) for value in values}) < 2:
        raise SpecError(
            f"{question.named} needs at least two values, such as no, yes, but got only {shown(values[0])}. A column "
            "that can only contain one value hides nothing: say all that it may contain, or leave it out."
        )
    return found


def figures(question: Question, given: Any) -> list[dict[str, Any]]:
    """One or more figures: lines such as "smokers: count where smoker = yes by region", or the keys of a
    specification.
    """
    items = given if isinstance(given, list) else given.split(";") if isinstance(given, str) else [given]
    found = [_figure(question, item) for item in items]
    if not found:
        raise SpecError(f"{question.named} needs at least one figure, but got none. {EXAMPLE}")
    return found


EXAMPLE = "Write: smokers: count where smoker = yes by region."


def _figure(question: Question, given: Any) -> dict[str, Any]:
    if isinstance(given, dict) and "kind" in given:
        return given
    if isinstance(given, dict) and len(given) == 1:
        ((name, phrase),) = given.items()
    elif isinstance(given, str) and ":" in given:
        name, phrase = given.split(":", 1)
    else:
        raise SpecError(f"{question.named} needs a name and what it is, but got {shown(given)}. {EXAMPLE}")
    found = _FIGURE.match(" ".join(str(phrase).split()))
    if not found or not str(name).strip():
        raise SpecError(
            f'{question.named} needs "count", "sum of COLUMN" or "mean of COLUMN", then "where COLUMN = VALUE" and "by '
            f'COLUMN" if wanted, but got {shown(phrase)}. {EXAMPLE}'
        )
    figure: dict[str, Any] = {"name": str(name).strip(), "kind": found[1].split()[0]}
    if column := found["sum"] or found["mean"]:
        figure["column"] = column.strip()
    if found["where"]:
        figure["where"] = _tests(question, found["where"])
    if found["by"]:
        figure["by"] = [part.strip() for part in found["by"].split(",")]
    return figure


def _tests(question: Question, given: str) -> dict[str, Any]:
    tests: dict[str, Any] = {}
    for part in given.split(" and "):
        found = _TEST.match(part.strip())
        if not found:
            raise SpecError(
                f"{question.named} needs conditions such as smoker = yes, age >= 18 or region in north, south, joined "
                f"by and; but got {shown(part)}. {EXAMPLE}"
            )
        column, sign, value = found["column"].strip(), found["sign"].strip(), found["value"].strip()
        if sign == "in":
            tests[column] = [item.strip() for item in value.split(",")]
        elif sign == "=":
            tests[column] = value
        else:
            bound = "at_least" if sign == ">=" else "at_most"
            old = tests.get(column, {})
            tests[column] = {**(old if isinstance(old, dict) else {}), bound: value}
    return tests


def share(question: Question, given: Any) -> str:
    """A share (5 %, 0.05, 1/20) or a number of records (200)."""
    told = str(given).strip()
    if isinstance(given, bool) or not re.match(r"^\d+(?:[./]\d+)?\s*%?$", told):
        raise SpecError(
            f"{question.named} needs a share (5 %, 0.05 or 1/20) or a number of records (200), but got {shown(given)}. "
            f"{question.why}"
        )
    return told.replace(" ", "")


def number(question: Question, given: Any) -> str:
    """A number as it is written."""
    told = str(given).strip()
    if isinstance(given, bool) or not re.match(rf"^(?:{_NUMBER}|\d+/\d+)$", told):
        raise SpecError(f"{question.named} needs a number such as 0.5 or 1e-6, but got {shown(given)}. {question.why}")
    return told


def belief(question: Question, given: Any) -> dict[str, Any]:
    """Public counts ("counts survey.csv by region"), probabilities ("yes 0.1, no rest"), or the keys of a
    specification. The source is asked for by itself, unless it is among the keys.
    """
    if isinstance(given, dict) and given:
        return dict(given)
    told = given.strip() if isinstance(given, str) else ""
    if found := re.match(r"^counts (.+?\.csv)(?: by (.+))?$", told):
        keys: dict[str, Any] = {"counts": found[1], "confidence": "0.999"}
        return {**keys, "by": [part.strip() for part in found[2].split(",")]} if found[2] else keys
    parts = [re.match(rf"^(.+?)\s+({_NUMBER}|rest|\d+/\d+)$", part.strip()) for part in told.split(",")]
    if told and all(parts):
        return {"probabilities": {part[1]: part[2] for part in parts if part}}
    raise SpecError(
        f"{question.named} needs a file of public counts (counts survey.csv by region) or probabilities (yes 0.1, no "
        f"rest), but got {shown(given)}. {question.why}"
    )
