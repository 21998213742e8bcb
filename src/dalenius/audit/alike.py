"""Which variables and labels of several tables are the same. What looks alike and is not written alike is asked."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from dalenius.audit.tables import UNNAMED, Convention, PublishedTable
from dalenius.basics.errors import InputError

# Labels that many variables have: they do not tell which one it is.
COMMON = frozenset(("yes", "no", "y", "n", "true", "false", "0", "1", "2", "unknown", "other", "missing", "none"))
_RANGE = re.compile(r"(\d+)\s*(?:-|to)\s*(\d+)|(\d+)\s*(\+)|(\d+) and over")


def name_columns(tables: Sequence[PublishedTable]) -> tuple[tuple[PublishedTable, ...], tuple[str, ...]]:
    """Tables whose variables all have names: one without is recognised by its labels, if they tell. With it, what was
    taken for the same.
    """
    notes: list[str] = []
    named: list[PublishedTable] = []
    for table in tables:
        for variable in table.variables:
            if UNNAMED.fullmatch(variable):
                other = _recognised(table, variable, [*named, *(each for each in tables if each is not table)])
                if other is not None:
                    names = tuple(other if each == variable else each for each in table.variables)
                    table = replace(table, variables=names)  # noqa: PLW2901 - the same table, better named
                    notes.append(f"{variable[0].upper()}{variable[1:]} are taken for {other}: they have its labels.")
        named.append(table)
    return tuple(named), tuple(notes)


def _recognised(table: PublishedTable, variable: str, others: Sequence[PublishedTable]) -> str | None:
    own = set(table.labels(variable))
    found: dict[str, set[str]] = {}
    for other in others:
        for name in other.variables:
            if name != variable and name not in table.variables:
                found[name] = found.get(name, set()) | set(other.labels(name))
    fitting = [name for name, labels in found.items() if own <= labels or labels <= own]
    fitting = [name for name in fitting if not UNNAMED.fullmatch(name)] or fitting[:1]
    if not fitting:
        return None
    if len(fitting) == 1 and len({_plain(label) for label in own & found[fitting[0]]} - COMMON) >= 2:
        return fitting[0]
    kinds = " or ".join(fitting)
    raise InputError(
        f"Needed to know what {variable} are about: their labels could be those of {kinds}, or of something else. "
        f"Write in the tables file: tables: {{{table.name}: {{columns: [NAME]}}}}."
    )


def check_alike(tables: Sequence[PublishedTable], convention: Convention) -> None:
    """InputError if names of variables, or labels of one, look alike and are not the same, or if ranges overlap. Two
    that stand in one table are different ones.
    """
    labels: dict[str, dict[str, str]] = {}
    for table in tables:
        for variable in table.variables:
            own = labels.setdefault(variable, {})
            for label in table.labels(variable):
                own.setdefault(label, table.name)
    together = [set(table.variables) for table in tables]
    _check_pairs(list(labels), together, convention, "Variables", "same: {PAIR}")
    for variable, own in labels.items():
        remedy = f"variables: {{{variable}: {{labels: {{PAIR}}}}}}"
        together = [set(table.labels(variable)) for table in tables if variable in table.variables]
        _check_pairs(list(own), together, convention, f"Labels of {variable}", remedy)
        _check_ranges(variable, list(own), convention)


def _check_pairs(
    names: Sequence[str], together: Sequence[set[str]], convention: Convention, what: str, remedy: str
) -> None:
    for one, other in _near(names):
        if frozenset((one, other)) in convention.different or any({one, other} <= each for each in together):
            continue
        raise InputError(
            f"{what} look alike and are not the same: {one!r} and {other!r}. If they mean the same, write in the "
            f"tables file: {remedy.replace('PAIR', f'{other!r}: {one!r}')}; if not, different: "
            f"[[{one!r}, {other!r}]]."
        )


def _near(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs that differ in how they are written, or by one letter in a longer word."""
    plain: dict[str, str] = {}
    for name in names:
        if _plain(name) in plain:
            yield plain[_plain(name)], name
        plain.setdefault(_plain(name), name)
    words = [name for name in names if len(name) >= 5 and not re.search(r"\d", name)]
    if len(words) <= 400:
        for one, other in combinations(words, 2):
            if _one_letter(one.casefold(), other.casefold()):
                yield one, other


def _one_letter(one: str, other: str) -> bool:
    """Whether one letter is left out, doubled, or two are swapped. A letter for another makes another word."""
    if abs(len(one) - len(other)) == 1:
        short, long = sorted((one, other), key=len)
        return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    differ = [at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
    swapped = len(one) == len(other) and len(differ) == 2 and differ[1] == differ[0] + 1
    return swapped and one[differ[0]] == other[differ[1]] and one[differ[1]] == other[differ[0]]


def _plain(text: str) -> str:
    """A text as one hears it: no capitals, no accents of print, one kind of dash, no spaces."""
    flat = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\s_.]+", "", re.sub(r"[‐-―−]", "-", flat))


def _check_ranges(variable: str, labels: Sequence[str], convention: Convention) -> None:
    """Ages 0-19 beside 0-9 and 10-19 are nested, and must be said to be."""
    nested = convention.nested.get(variable, {})
    spans = {label: span for label in labels if (span := _span(label)) is not None}
    for one, other in combinations(sorted(spans, key=lambda each: spans[each]), 2):
        (low, high), (start, end) = spans[one], spans[other]
        if start > high or end < low or one in nested or other in nested:
            continue
        coarse = one if high - low >= end - start else other
        parts = [
            label
            for label, (first, last) in spans.items()
            if label != coarse and spans[coarse][0] <= first and last <= spans[coarse][1]
        ]
        raise InputError(
            f"Labels of {variable} overlap: {one!r} and {other!r}. If one is inside the other, write in the tables "
            f"file: variables: {{{variable}: {{nested: {{{coarse!r}: {parts}}}}}}}; if they are of two variables, give "
            "them two names."
        )


def _span(label: str) -> tuple[int, int] | None:
    found = _RANGE.fullmatch(_dashes(label))
    if found is None:
        return None
    if found[1]:
        return (int(found[1]), int(found[2])) if int(found[1]) < int(found[2]) else None
    return int(found[3] or found[5]), 10**9


def _dashes(label: str) -> str:
    return re.sub(r"[‐-―−]", "-", label.strip())
