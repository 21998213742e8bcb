"""Counts, means and medians of the same few people: a CSV file of them is read, and it is said who is known by them.

Each row is a group: a label of each variable (blank or a total: any), and between which numbers, in columns `age from`
and `age to` if there are such. The other columns are `count`, `mean`, `median` and `sum`. What is hidden says nothing,
or what the rules say of it. Means are rounded to as many decimals as the column has; the rest is exact.
"""

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import Any, final

from dalenius.audit.examination import AuditAnswer
from dalenius.audit.marks import MARKS, plain, rule_of
from dalenius.audit.people import Found, People, Person, Said, What, Who, people_that_fit, shared, value_of
from dalenius.audit.tables import HIDDEN, MarkRule, number
from dalenius.audit.totals import TOTALS
from dalenius.basics.errors import InputError
from dalenius.basics.inputs import path_of, read_bytes

MOST_BYTES = 1 << 20
MOST_LISTS = 200  # of people who fit: enough to see who is in all of them
_ASKED = re.compile(r"\s*(\S.*?)\s+(-?\d{1,9})\s*(?:to|-|–)\s*(-?\d{1,9})\s*")
_EXACT = re.compile(r"[+-]?\d{1,15}(?:\.(\d{1,15}))?")


@final
@dataclass(frozen=True)
class Statistics:
    """Who fits counts, means and medians, and who is known by them."""

    found: Found
    contents: Mapping[str, bytes]
    hidden: tuple[Said, ...]

    @property
    def known(self) -> tuple[Person, ...]:
        """The people who are in every list that fits, or in every one that was found."""
        return tuple(sorted(shared(self.found).elements()))

    @property
    def told(self) -> tuple[tuple[str, Fraction], ...]:
        """The hidden numbers that are the same in all these lists, and their values."""
        names = [name for name, _ in self.found.people.variables]
        values = [(each, {value_of(each, crowd, names) for crowd in self.found.each}) for each in self.hidden]
        return tuple(
            (each.source, value) for each, own in values if len(own) == 1 for value in own if value is not None
        )

    @property
    def verdict(self) -> str:
        """Fail if somebody, or a hidden number, is known for sure; pass if lists that fit have nobody and no hidden
        number in common; else review.
        """
        common = bool(self.known or self.told)
        if not self.found.complete and (common or len(self.found.each) < 2):
            return str(AuditAnswer.UNDECIDED)
        return str(AuditAnswer.FOLLOWS if common else AuditAnswer.NOTHING)

    @property
    def answer(self) -> str:
        """In a sentence."""
        lists, known, told = len(self.found.each), len(self.known), len(self.told)
        if self.found.known:
            return f"Everybody is known: one list of {known} people fits what is published, and no other."
        if self.verdict == AuditAnswer.FOLLOWS:
            persons = f"{known} person{'' if known == 1 else 's'}"
            numbers = f"{told} hidden number{'' if told == 1 else 's'}"
            return f"Something follows: {persons} and {numbers} are the same in all {lists} lists of people that fit."
        if self.verdict == AuditAnswer.NOTHING:
            more = "" if self.found.complete else " or more"
            return (
                f"Nobody and no hidden number is known for sure: {lists}{more} lists of people fit what is published."
            )
        return f"Not settled: {lists} lists of people were found that fit what is published, and there may be others."

    def text(self) -> str:
        """The answer, and who is known."""
        people = self.found.people
        lines = [self.answer, f"{self.found.cases} cases were gone through.", ""]
        if self.verdict == AuditAnswer.FOLLOWS:
            lines += [f"  - {', '.join((*labels, f'{people.number} {value}'))}" for labels, value in self.known]
            lines += [f"  - {where}, and must be {number(value)}" for where, value in self.told]
        return "\n".join(lines).rstrip() + "\n"

    def json(self) -> dict[str, Any]:
        """The same for machines."""
        names = [name for name, _ in self.found.people.variables]
        sure = self.verdict == AuditAnswer.FOLLOWS
        known, told = (self.known, self.told) if sure else ((), ())
        return {
            "verdict": self.verdict,
            "answer": self.answer,
            "lists": len(self.found.each),
            "complete": self.found.complete,
            "known": [{**dict(zip(names, labels, strict=True)), "number": value} for labels, value in known],
            "hidden": [{"number": where, "value": number(value)} for where, value in told],
        }


def audit_statistics(
    tables: Sequence[str | Path], asked: str, *, rules: Sequence[str] = (), seconds: float = 60.0
) -> Statistics:
    """Who fits the counts, means and medians of these files, of a number such as "age 0 to 125"."""
    found = _ASKED.fullmatch(asked)
    if found is None:
        raise InputError(f"Needed a number and its range, such as 'age 0 to 125', but got {asked[:60]!r}. Write it so.")
    contents = {
        name: read_bytes(path, MOST_BYTES, "a table of statistics")
        for name, path in _named([path_of(table) for table in tables]).items()
    }
    means = {rule.mark: rule for rule in map(rule_of, rules)}
    rows = [row for name, content in contents.items() for row in _rows(name, content, found[1])]
    people = _people(rows, found[1], int(found[2]), int(found[3]), means)
    hidden = tuple(each for row in rows for each in _hidden(row))
    end = monotonic() + seconds
    return Statistics(people_that_fit(people, most=MOST_LISTS, left=lambda: monotonic() < end), contents, hidden)


def _named(paths: Sequence[Path]) -> dict[str, Path]:
    """Each file by its name; of several of one name the others with their folder, and a number if that is taken too."""
    found: dict[str, Path] = {}
    for path in paths:
        longer = f"{path.absolute().parent.name}/{path.name}"
        numbered = (f"{longer} ({number})" for number in range(2, len(paths) + 2))
        found[next(name for name in (path.name, longer, *numbered) if name not in found)] = path
    return found


@final
@dataclass(frozen=True)
class _Row:
    """One group: its labels, what is said of it, how many decimals its means have, and where it stands."""

    labels: Mapping[str, str]
    ends: tuple[int | None, int | None]
    said: Mapping[What, str]
    decimals: int
    where: str


def _rows(name: str, content: bytes, number: str) -> Iterator[_Row]:
    try:
        lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    except (UnicodeDecodeError, csv.Error):
        raise InputError(f"{name} needs to be a CSV file in UTF-8, and is not. Save it as one.") from None
    header = [plain(each) for each in lines[0]] if lines else []
    kinds = {at: What(each) for at, each in enumerate(header) if each in set(What)}
    edges = [plain(f"{number} from"), plain(f"{number} to")]
    if What.COUNT not in kinds.values() or len(set(header)) < len(header):
        raise InputError(
            f"{name} needs a header with different names, among them count, and mean, median or sum, but has "
            f"{len(header)} columns that are not so. Name them."
        )
    body = [line for line in lines[1:] if any(each.strip() for each in line)]
    if any(len(line) != len(header) for line in body):
        raise InputError(f"{name} needs {len(header)} fields in every row, and has a row with more or fewer. Mend it.")
    mean = [at for at, kind in kinds.items() if kind == What.MEAN]
    decimals = max(
        (len(m[1] or "") for line in body for at in mean if (m := _EXACT.fullmatch(line[at].strip()))), default=0
    )
    for place, line in enumerate(body, 2):
        fields = [each.strip() for each in line]
        labels = {
            lines[0][at].strip(): field
            for at, field in enumerate(fields)
            if at not in kinds and header[at] not in edges and field and plain(field) not in TOTALS
        }
        ends = [_edge(fields[header.index(each)], name) if each in header else None for each in edges]
        yield _Row(
            labels,
            (ends[0], ends[1]),
            {kind: fields[at] for at, kind in kinds.items()},
            decimals,
            f"{name}, row {place}",
        )


def _edge(field: str, name: str) -> int | None:
    if field and not re.fullmatch(r"-?\d{1,9}", field):
        raise InputError(f"{name} needs whole numbers, or nothing, in the columns from and to, and has another text.")
    return int(field) if field else None


def _people(rows: Sequence[_Row], number: str, least: int, most: int, rules: Mapping[str, MarkRule]) -> People:
    labels: dict[str, dict[str, None]] = {}
    for row in rows:
        for variable, label in row.labels.items():
            labels.setdefault(variable, {})[label] = None
    variables = tuple((name, (*own, *([_another(own)] if len(own) == 1 else []))) for name, own in labels.items())
    said = [each for row in rows for each in _said(row, rules)]
    return People(variables, number, least, most, tuple(said))


def _another(labels: Collection[str]) -> str:
    """Of a variable with one label there are people with another."""
    name = "another"
    while name in labels:
        name = f"yet {name}"
    return name


def _hidden(row: _Row) -> Iterator[Said]:
    """What the row does not tell: nothing is said of it yet."""
    who = Who(tuple((name, (label,)) for name, label in row.labels.items()), *row.ends)
    for what, field in row.said.items():
        if plain(field) in MARKS:
            yield Said(what, who, None, None, f"{row.where}: {what} is hidden")


def _said(row: _Row, rules: Mapping[str, MarkRule]) -> Iterator[Said]:
    who = Who(tuple((name, (label,)) for name, label in row.labels.items()), *row.ends)
    for what, field in row.said.items():
        if plain(field) in MARKS:
            rule = rules.get(plain(field), rules.get(HIDDEN))
            if what == What.COUNT and rule is not None:
                yield Said(what, who, rule.lower, rule.upper, f"{row.where}: {what} is hidden")
            continue
        if not _EXACT.fullmatch(field):
            raise InputError(
                f"{row.where} needs a number, or a mark that it is hidden, as {what}, but has another text."
            )
        slack = Fraction(1, 2 * 10**row.decimals) if what == What.MEAN else Fraction(0)
        value = Fraction(field)
        yield Said(what, who, value - slack, value + slack, f"{row.where}: {what} is {field}")
