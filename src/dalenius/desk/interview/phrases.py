"""Answers that are short phrases: the values of a column, a figure, probabilities."""

import re
from collections.abc import Callable
from typing import Any

from dalenius.basics.errors import SpecError
from dalenius.desk.interview.question import Asking, knows_nothing, shown
from dalenius.desk.spec.load import parse_keys
from dalenius.facts.dates import LENGTH
from dalenius.facts.derived import WITH_LIMITS
from dalenius.tables.unstated import UNKNOWN as SAYS_NOTHING

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"^\s*({_NUMBER})\s+to\s+({_NUMBER})(?:\s+by\s+({_NUMBER}))?\s*$")
_DATES = re.compile(r"^\s*(\d{4}-\d{2}(?:-\d{2})?)\s+to\s+(\d{4}-\d{2}(?:-\d{2})?)\s*$")
_HALF = re.compile(rf"^\s*(?:{_NUMBER}\s+to\b|to\s+{_NUMBER})")  # of a range: hardly a label
_DASHED = re.compile(rf"({_NUMBER})\s*(?:-|–|\.\.+|…)\s*({_NUMBER})")  # as some write a range
_BETWEEN = re.compile(r"[/|;]")
_QUOTED = r"(?:[^'\"]|'[^']*'|\"[^\"]*\")"
_FIGURE = re.compile(
    r"^(?P<kind>count|(?:sum|mean|percentage|variance|standard\s+deviation|median|smallest|largest|mode|winner|model|answers)"
    rf"\s+of\s+(?P<of>{_QUOTED}+?))(?:\s+where\s+(?P<where>{_QUOTED}+?))?"
    r"(?:\s+by\s+(?P<by>.+?))?$",
    re.DOTALL,
)
_SHARE = r"\d+(?:\.\d+)?"
_SHOWN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], dict[str, Any]]], ...] = (
    (
        re.compile(r",?\s+hidden\s+below\s+(\d+)(\s+but\s+zeros)?\s*$"),
        lambda found: {"hide": {"below": int(found[1]), "zeros": "shown" if found[2] else "hidden"}},
    ),
    (re.compile(r",?\s+rounded\s+to\s+(\d+)\s*$"), lambda found: {"round": int(found[1])}),
    (
        re.compile(rf",?\s+with\s+(geometric|gaussian|normal|quilt|distance)\s+noise\s+({_SHARE})\s*$"),
        lambda found: {"noise": {found[1]: found[2]}},
    ),
    (re.compile(r",?\s+without\s+(?:the|its)\s+counts\s*$"), lambda _: {"counts": "hidden"}),
    (
        re.compile(r",?\s+among\s+(\{.*\}(?:\s+or\s+\{.*\})+)\s*$", re.DOTALL),
        lambda found: {"models": re.split(r"(?<=\})\s+or\s+(?=\{)", found[1])},
    ),
    (
        re.compile(rf",?\s+exact\s+where\s+earned\s+at\s+({_SHARE})\s+within\s+({_SHARE})\s*$"),
        lambda found: {"earned": {"chance": found[1], "epsilon": found[2]}},
    ),
    (
        re.compile(rf",?\s+likeliest\s+of\s+({_SHARE}(?:\s*,\s*{_SHARE})+)\s*$"),
        lambda found: {"choose": [rate.strip() for rate in found[1].split(",")]},
    ),
)
_RECORD = re.compile(
    r"^(?P<take>number\s+of\s+rows|any|all|(?:sum|largest|smallest|first)\s+of\s+(?P<of>\S+))(?:\s+rows?)?"
    rf"(?:\s+by\s+(?P<by>\S+?))?(?:\s+where\s+(?P<where>{_QUOTED}+?))?"
    rf"(?:(?:\s*,\s*|\s+from\s+)(?P<limits>{_NUMBER}\s+to\s+{_NUMBER}))?$",
    re.DOTALL,
)
_SEVERAL = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
_MISSING = re.compile(r"\s*,?\s+or\s+missing\s*$")
_ROUNDED = re.compile(r"\s*,?\s+rounded\s*$")
_BINS = re.compile(rf"^\s*bins?\s*:?\s*({_NUMBER}(?:\s*,\s*{_NUMBER})+)\s*$")
_TABLE = re.compile(r"^(?P<file>.+\.csv)(?:\s+by\s+(?P<by>.+))?$", re.IGNORECASE)
ABOUT = (  # what a belief says, one of them
    *("probabilities", "cells", "counts", "none_above", "none_below", "unknown"),
    *("one_of", "scenarios", "order", "nobody_knows", "variance"),
)
_BESIDE = re.compile(rf"\s*,\s*(hedged|answered|weight|within)\s+({_SHARE})\s*$")  # what is said of probabilities
_VARIES = re.compile(rf"^\s*varies\s+by\s+(?:at\s+least\s+)?({_SHARE})\s*$")
_CHAIN = re.compile(r"^\s*in\s+the\s+order\s+of\s+(\S+)\s*:\s*(\{.*\})\s*,\s*then\s+(\{.*\})\s*$", re.DOTALL)
UNKNOWN = "unknown"
USUAL_CONFIDENCE = "0.999"


def domain(question: Asking, given: Any) -> Any:
    """What a column may contain: "no, yes", "0 to 60", "0 to 60 by 0.5" (and "rounded"), "bins 0, 18, 65", "2020-01 to
    2024-12", each "or missing"; or as in a specification: [no, yes], or unit and bounds.
    """
    given = as_written(question, given)
    if isinstance(given, dict) and given:
        return given
    if isinstance(given, str) and (found := _MISSING.search(given)):
        inner = domain(question, given[: found.start()])
        return {**({"values": inner} if isinstance(inner, list) else inner), "missing": "as a value"}
    if isinstance(given, str) and (found := _ROUNDED.search(given)) and _RANGE.match(given[: found.start()]):
        return {**domain(question, given[: found.start()]), "round": "nearest"}
    if isinstance(given, str) and (found := _BINS.match(given)):
        return {"bins": [cut.strip() for cut in found[1].split(",")]}
    if isinstance(given, str) and (found := _RANGE.match(given)):
        low, high, unit = found.groups()
        return {"unit": unit or "1", "bounds": [low, high]}
    if isinstance(given, str) and (found := _DATES.match(given)) and len(found[1]) == len(found[2]):
        unit = next(unit for unit, length in LENGTH.items() if length == len(found[1]))
        return {"unit": unit, "bounds": list(found.groups())}
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
        f"{question.named} needs labels ([no, yes]), a range (0 to 60, or 0 to 60 by 0.5; 2020-01 to 2024-12) or bins "
        f"(bins 0, 18, 65), with or missing where values are missing, but got {shown(given)}. "
        "Say what the column may contain at most, from its definition and not from the data."
    )


def hidden(question: Asking, given: Any) -> Any:
    """What a confidential column may contain: two values at least, since one that is certain is no secret."""
    found = domain(question, given)
    values = found if isinstance(found, list) else found.get("bounds", "ab")
    if isinstance(found, dict) and found.get("missing") is not None:
        return found  # what is missing is a value too
    if len({str(value) for value in values}) < 2:
        raise SpecError(
            f"{question.named} needs at least two values, such as no, yes, but got only {shown(values[0])}. "
            f"{_meant(str(values[0]))}A column that can only contain one value hides nothing: say all that it may "
            "contain, or leave it out."
        )
    return found


def _meant(one: str) -> str:
    """What somebody may have meant who wrote several values as one."""
    if found := _DASHED.fullmatch(one.strip()):
        return f"If it is a range, write {found[1]} to {found[2]}. "
    parts = [part.strip() for part in _BETWEEN.split(one) if part.strip()]
    return f"If these are several, put commas between them: {', '.join(parts)}. " if len(parts) > 1 else ""


def figures(question: Asking, given: Any) -> list[dict[str, Any]]:
    """One or more figures: lines such as "smokers: count where smoker = yes by region", each with how it is shown if
    not as it is ("hidden below 10", "rounded to 5", "with geometric noise 4", "exact where earned at 0.3 within 0.5",
    "likeliest of 0.1, 0.3"; a model "among {a: 0.1, b: rest} or {a: 0.3, b: rest}"; a median "without its counts"; of
    records in an order "with quilt noise 3"), or the keys of a specification.
    """
    given = as_written(question, given)
    items = given if isinstance(given, list) else given.split(";") if isinstance(given, str) else [given]
    found = [_figure(question, item) for item in items]
    if not found:
        raise SpecError(f"{question.named} needs at least one figure, but got none. {EXAMPLE}")
    return found


EXAMPLE = "Write: smokers: count where smoker = yes by region."


def _figure(question: Asking, given: Any) -> dict[str, Any]:
    given = as_written(question, given)
    if isinstance(given, dict) and "kind" in given:
        return given
    if isinstance(given, dict) and len(given) == 1:
        ((name, phrase),) = given.items()
    elif isinstance(given, str) and ":" in given:
        name, phrase = given.split(":", 1)
    else:
        raise SpecError(f"{question.named} needs a name and what it is, but got {shown(given)}. {EXAMPLE}")
    phrase, how = _how(str(phrase))
    if "models" in how:
        how = {"models": [as_written(question, model) for model in how["models"]]}
    found = _FIGURE.match(phrase.strip())
    if not found or not str(name).strip():
        raise SpecError(
            f'{question.named} needs "count", "sum of COLUMN" (or mean, median, variance, standard deviation, '
            'smallest, largest, mode, winner, model) or "percentage of CONDITION" (or answers of), then "where '
            f'CONDITION" and "by COLUMN" if wanted, but got {shown(phrase)}. {EXAMPLE}'
        )
    kind = " ".join(found["kind"].split(" of ")[0].split())
    figure: dict[str, Any] = {"name": str(name).strip(), "kind": kind}
    if found["of"]:
        figure["of" if kind in ("percentage", "answers") else "column"] = found["of"].strip()
    if found["where"]:
        figure["where"] = found["where"].strip()
    if found["by"]:
        figure["by"] = [part.strip() for part in _SEVERAL.split(found["by"])]
    return {**figure, **how}


def _how(phrase: str) -> tuple[str, dict[str, Any]]:
    """What is to be published, and how it is shown, if not as it is.

    >>> _how("count where smoker = yes by region, hidden below 10 but zeros")
    ('count where smoker = yes by region', {'hide': {'below': 10, 'zeros': 'shown'}})
    >>> _how("count where smoker = yes, likeliest of 0.1, 0.3")
    ('count where smoker = yes', {'choose': ['0.1', '0.3']})
    """
    for shape, read in _SHOWN:
        if found := shape.search(phrase):
            return phrase[: found.start()], read(found)
    return phrase, {}


def share(question: Asking, given: Any) -> str:
    """A share (5 %, 0.05, 1/20) or a number of records (200)."""
    told = str(given).strip()
    if isinstance(given, bool) or not re.match(r"^\d+(?:[./]\d+)?\s*%?$", told):
        raise SpecError(
            f"{question.named} needs a share (5 %, 0.05 or 1/20) or a number of records (200), but got {shown(given)}. "
            f"{question.why}"
        )
    return told.replace(" ", "")


def number(question: Asking, given: Any) -> str:
    """A number as it is written."""
    told = str(given).strip()
    if isinstance(given, bool) or not re.match(rf"^(?:{_NUMBER}|\d+/\d+)$", told):
        raise SpecError(f"{question.named} needs a number such as 0.5 or 1e-6, but got {shown(given)}. {question.why}")
    return told


def records(question: Asking, given: Any) -> dict[str, Any]:
    """What is taken of a person's rows: lines such as "visits: number of rows where fever = yes, 0 to 10", or the keys
    of a specification.
    """
    given = as_written(question, given)
    if isinstance(given, dict):
        items = list(given.items())
    else:
        lines = given.split(";") if isinstance(given, str) else given
        items = [_named_line(question, line) for line in lines] if isinstance(lines, list) else []
    found = {str(name).strip(): _record(question, phrase) for name, phrase in items}
    if not found or len(found) < len(items):
        raise SpecError(f"{question.named} needs at least one record, each with a name of its own. {RECORD}")
    return found


RECORD = "Write: visits: number of rows, 0 to 10."


def _named_line(question: Asking, line: Any) -> tuple[str, Any]:
    if isinstance(line, dict) and len(line) == 1:
        ((name, phrase),) = line.items()
        return str(name), phrase
    if isinstance(line, str) and ":" in line and line.split(":", 1)[0].strip():
        name, phrase = line.split(":", 1)
        return name, phrase
    raise SpecError(f"{question.named} needs a name and what is taken, but got {shown(line)}. {RECORD}")


def _record(question: Asking, phrase: Any) -> dict[str, Any]:
    phrase = as_written(question, phrase.strip() if isinstance(phrase, str) else phrase)
    if isinstance(phrase, dict) and "take" in phrase:
        return phrase
    found = _RECORD.match(phrase) if isinstance(phrase, str) else None
    if not found:
        raise SpecError(
            f'{question.named} needs "number of rows" or "sum of COLUMN" with limits (", 0 to 10"), "any" or "all" '
            '"where CONDITION", "largest of COLUMN", "smallest of COLUMN" or "first of COLUMN by COLUMN", but got '
            f"{shown(phrase)}. {RECORD}"
        )
    take = " ".join(found["take"].split(" of ")[0].split()) if found["of"] else " ".join(found["take"].split())
    record: dict[str, Any] = {"take": take}
    for key in ("of", "by", "where"):
        if found[key]:
            record[key] = found[key].strip()
    if take in WITH_LIMITS and not found["limits"]:
        raise SpecError(
            f"{question.named} needs limits, to which a {take} is clipped, but got {shown(phrase)}, by which one "
            f"person could add any number. {RECORD}"
        )
    if found["limits"]:
        record["limits"] = [end.strip() for end in re.split(r"\s+to\s+", found["limits"])]
    return record


def belief(question: Asking, given: Any) -> dict[str, Any]:
    """What is believed of a column, as a specification has it: its keys, or only the probabilities; a file of public
    counts; or that nobody knows; in a few words also that probabilities are hedged ("{yes: 0.3, no: rest}, hedged
    0.001"), that a value varies ("varies by at least 100"), or of records in an order first the probabilities, then
    those of the next one ("in the order of day: {no: 0.7, yes: 0.3}, then {no: {no: 0.8, yes: rest}, yes: ...}"). The
    source is asked for by itself, unless it is among the keys.
    """
    if isinstance(given, str) and (found := _BESIDE.search(given)):
        return {**belief(question, given[: found.start()]), found[1]: found[2]}
    if isinstance(given, str) and (found := _VARIES.match(given)):
        return {"variance": found[1]}
    if isinstance(given, str) and (found := _CHAIN.match(given)):
        start, moves = (as_written(question, part) for part in found.groups()[1:])
        return {"order": found[1], "start": start, "moves": moves}
    keys = given
    if isinstance(given, str) and knows_nothing(given):
        return {UNKNOWN: True, "source": SAYS_NOTHING}
    if isinstance(given, str) and not given.strip().startswith("{") and (found := _TABLE.match(given.strip())):
        by = {"by": [part.strip() for part in found["by"].split(",")]} if found["by"] else {}
        return {"counts": found["file"].strip(), **by, "confidence": USUAL_CONFIDENCE}
    if isinstance(given, str):
        told = given.strip()
        keys = as_written(question, told if told.startswith("{") else f"{{{told}}}")
    if isinstance(keys, dict) and keys and None not in keys.values():
        return {"probabilities": keys} if isinstance(given, str) and keys.keys().isdisjoint(ABOUT) else dict(keys)
    raise SpecError(
        f"{question.named} needs probabilities ({{yes: 0.1, no: rest}}), a file of public counts (survey.csv by "
        f"region) or unknown, but got {shown(given)}. {question.why}"
    )


def as_written(question: Asking, given: Any) -> Any:
    """A text in brackets or braces as the list or the keys that it is in a specification; anything else as it is."""
    told = given.strip() if isinstance(given, str) else ""
    if not told.startswith(("[", "{")):
        return given
    try:
        return parse_keys(f"answer: {told}", "answers file")["answer"]
    except SpecError:
        raise SpecError(
            f"{question.named} needs what stands in brackets or braces as a specification has it, such as [no, yes] or "
            f"{{yes: 0.1, no: rest}}, but got {shown(given)}. Close them, and put unusual text in quotes."
        ) from None
