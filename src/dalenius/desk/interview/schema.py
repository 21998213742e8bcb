"""What the interview may see of a table: names and types; and the values of columns that were declared public."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

from dalenius.basics.errors import DataError
from dalenius.data.opening import open_source
from dalenius.data.source import Source
from dalenius.facts.records import Label

NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)")
MOST = 200  # different values of a public column that are listed


@final
@dataclass(frozen=True, slots=True)
class Schema:
    """Names and types of the columns. Opening reads the header and nothing else. Whether the first line of a text is a
    header, somebody has to say: until then no name is shown.
    """

    source: Source
    names: tuple[str, ...]
    types: tuple[str, ...]
    suggested: Mapping[str, tuple[Label, ...]] = field(default_factory=dict)  # what columns may hold, by their types

    def labels(self, public: str) -> "list[Label] | dict[str, object]":
        """The values of a column that was declared public, in order: those that its type lists, or else one grouped
        query on this column alone. Where some are missing, that is a value too.
        """
        if public in self.suggested:
            return list(self.suggested[public])
        source = self.source.through_ibis()
        relation, columns = source.select([public])
        keyed = relation.select(label=columns[public])
        rows = source.run(keyed.group_by("label").aggregate(n=keyed.count()).limit(MOST + 1))
        found = [row["label"] for row in rows if row["label"] is not None]
        missing = len(found) < len(rows)
        if len(found) > MOST:
            raise DataError(
                f"The public column {public} needs at most {MOST} different values to be listed, but it has more. Say "
                f"what it may contain ({public}: bins 0, 18, 65, 120; or {public}: 0 to 120), or leave it out."
            )
        if not found or not all(isinstance(label, bool | int | str) for label in found):
            raise DataError(
                f"The public column {public} needs text or whole numbers, but has others or none. Say what it may "
                f"contain ({public}: bins 0, 18, 65, 120; or {public}: 0 to 120)."
            )
        labels: list[Label] = sorted(found, key=lambda label: (str(type(label)), label))
        return {"values": labels, "missing": "as a value"} if missing else labels


def schema_of(data: str, table: str | None = None) -> Schema:
    """The schema of a table, or of one in a database."""
    source = open_source(data, table)
    types = _types(source, source.names)
    if source.first_line:
        if any(NUMBER.fullmatch(name.strip()) for name in source.names):
            raise DataError(
                f"Needed the names of the columns in the first line of {data}, but there is a number, so that it seems "
                "to be a record. Add a line with names, or name such a column in words."
            )
        types = tuple(f"{kind} (CSV)" for kind in types)
    return Schema(source, tuple(source.names), types, source.domains())


def _types(source: Source, names: Sequence[str]) -> tuple[str, ...]:
    """In words. A CSV file has text only: what it looks like is never asked of the values."""
    unique = [name for name in names if list(names).count(name) == 1]
    _, columns = source.select(unique)
    return tuple(_plainly(str(columns[name].type())) if name in columns else "?" for name in names)


def _plainly(kind: str) -> str:
    """A type, for those who do not program.

    >>> _plainly("int64"), _plainly("!string"), _plainly("timestamp(6)")
    ('whole number', 'text', 'timestamp(6)')
    """
    kind = kind.removeprefix("!")
    words = {"string": "text", "int": "whole number", "uint": "whole number", "float": "number", "decimal": "number"}
    return words.get(kind.rstrip("0123456789").split("(")[0], kind)
