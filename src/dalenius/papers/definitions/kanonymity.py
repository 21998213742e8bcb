"""k-anonymity of a table with generalised values, as the contrast: it limits the form of a table, not what it tells.

A table is k-anonymous if every combination of its quasi-identifiers (age, zip code, ...) occurs at least k times.
Two tables that are k-anonymous each may together leave one person a single value: `candidates_in_all`.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never, final

from dalenius.basics.errors import InputError, require
from dalenius.facts.records import exact


@final
@dataclass(frozen=True, slots=True)
class Anything:
    """A suppressed value: `*`."""

    def __str__(self) -> str:
        return "*"


@final
@dataclass(frozen=True, slots=True)
class Pattern:
    """A value with characters hidden, one for each star: 130** or 3*."""

    shape: str

    def __str__(self) -> str:
        return self.shape


@final
@dataclass(frozen=True, slots=True)
class CodeSpan:
    """Numbers between two limits, which may be excluded (<30) or included (30-34); None is no limit."""

    lower: int | None = None
    upper: int | None = None
    limits: str = "included"

    def __post_init__(self) -> None:
        require(self.limits in ("included", "excluded"), 'limits "included" or "excluded"', got=self.limits)
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise InputError(f"A span needs lower ≤ upper, but got {self.lower} to {self.upper}. Swap them.")

    def __str__(self) -> str:
        if self.lower is None:
            return f"{'<' if self.limits == 'excluded' else '≤'}{self.upper}"
        if self.upper is None:
            return f"{'>' if self.limits == 'excluded' else '≥'}{self.lower}"
        return f"{self.lower}-{self.upper}"


@final
@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of several values; a single one is a value that was not generalised."""

    values: frozenset[Hashable]

    def __str__(self) -> str:
        return " or ".join(sorted(map(str, self.values)))


Generalised: TypeAlias = Anything | Pattern | CodeSpan | AnyOf


def generalised(text: str) -> Generalised:
    """What a cell of a published table stands for.

    >>> [type(generalised(text)).__name__ for text in ("*", "130**", "<30", "30-34", "Dutch or French")]
    ['Anything', 'Pattern', 'CodeSpan', 'CodeSpan', 'AnyOf']
    """
    lower, dash, upper = text.partition("-")
    if text == "*":
        return Anything()
    if text[:1] in ("<", ">"):
        require(text[1:].isdecimal(), "a whole number after < or >", got=text, remedy="Write <30 or >40.")
        return (
            CodeSpan(upper=int(text[1:]), limits="excluded")
            if text[0] == "<"
            else CodeSpan(int(text[1:]), None, "excluded")
        )
    if dash and lower.isdecimal() and upper.isdecimal():
        return CodeSpan(int(lower), int(upper))
    return Pattern(text) if "*" in text else AnyOf(frozenset(text.split(" or ")))


def covers(cell: Generalised, value: Hashable) -> bool:
    """Whether the value may stand behind the cell. A number and its digits are the same value.

    >>> covers(generalised("130**"), 13012), covers(generalised("<30"), 28), covers(generalised(">40"), 40)
    (True, True, False)
    """
    match cell:
        case Anything():
            return True
        case Pattern(shape):
            text = str(value)
            return len(text) == len(shape) and all(s in ("*", t) for s, t in zip(shape, text, strict=True))
        case CodeSpan(lower, upper, limits):
            number = exact(str(value), name="A value that is compared with an interval")
            if limits == "excluded":
                return (lower is None or number > lower) and (upper is None or number < upper)
            return (lower is None or number >= lower) and (upper is None or number <= upper)
        case AnyOf(values):
            return str(value) in {str(wanted) for wanted in values}
        case _:
            assert_never(cell)


def _rows_of(table: object) -> Iterable[Sequence[object]]:
    """The rows of a list of rows, or of a data frame, over which one would go by columns."""
    for method, options in (("iter_rows", {}), ("itertuples", {"index": False, "name": None}), ("to_pylist", {})):
        if callable(read := getattr(table, method, None)):
            return [tuple(row.values()) if isinstance(row, Mapping) else row for row in read(**options)]
    if isinstance(table, str | bytes | Mapping) or not isinstance(table, Iterable):
        raise InputError(f"A table is a list of rows or a data frame, but got {type(table).__name__}. Give its rows.")
    rows = list(table)
    stray = next((row for row in rows if isinstance(row, str | bytes) or not isinstance(row, Sequence)), None)
    require(stray is None, "rows that are lists of cells", got=type(stray).__name__, remedy="Write [[...], [...]].")
    return rows


def _printed(value: object) -> str:
    """A cell as text: whole numbers without a point, as frames sometimes have them."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


@final
@dataclass(frozen=True, slots=True)
class GeneralisedTable:
    """Rows of generalised quasi-identifiers, each with its sensitive value in clear."""

    columns: tuple[str, ...]
    cells: tuple[tuple[Generalised, ...], ...]
    sensitive: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        require(len(self.cells) > 0, "at least one row", got=len(self.cells), remedy="Give the rows of the table.")
        require(len(self.cells) == len(self.sensitive), "a sensitive value for each row", got=len(self.sensitive))
        for place, row in enumerate(self.cells):
            if len(row) != len(self.columns):
                raise InputError(
                    f"Every row needs {len(self.columns)} quasi-identifiers, but row {place} has {len(row)}. "
                    "Write * for a value that is hidden."
                )

    @classmethod
    def read(cls, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> "GeneralisedTable":
        """From rows as they are printed: the quasi-identifiers, and the sensitive value last. A number stands for
        itself. A data frame (pandas, Polars, Arrow) is read row by row.

        >>> print(*GeneralisedTable.read(["age"], [[34, "flu"], ["30-34", "flu"]]).cells[0])
        34
        """
        found = [tuple(row) for row in _rows_of(rows)]
        require(all(found), "at least a sensitive value in each row", got="an empty row")
        cells = tuple(tuple(generalised(_printed(value)) for value in row[:-1]) for row in found)
        return cls(tuple(columns), cells, tuple(row[-1] for row in found))

    def classes(self) -> dict[tuple[Generalised, ...], Counter[Hashable]]:
        """The rows that look alike, with how often each sensitive value occurs among them."""
        found: dict[tuple[Generalised, ...], Counter[Hashable]] = {}
        for row, value in zip(self.cells, self.sensitive, strict=True):
            found.setdefault(row, Counter())[value] += 1
        return found

    @property
    def k(self) -> int:
        """The largest k for which the table is k-anonymous: the size of the smallest class."""
        return min(alike.total() for alike in self.classes().values())

    @property
    def diversity(self) -> tuple[int, ...]:
        """How many different sensitive values each class has; the table is l-diverse for the least of them."""
        return tuple(len(alike) for alike in self.classes().values())

    def candidates(self, known: Mapping[str, Hashable]) -> frozenset[Hashable]:
        """The sensitive values of the rows that may belong to someone of whom this is known.

        A person who matches one row matches at least k rows; someone who matches none is not in the table.
        """
        stray = sorted(set(known) - set(self.columns))
        require(not stray, f"only columns among {list(self.columns)}", got=stray, remedy="Correct the names.")
        places = [(self.columns.index(column), value) for column, value in known.items()]
        return frozenset(
            value
            for row, value in zip(self.cells, self.sensitive, strict=True)
            if all(covers(row[place], wanted) for place, wanted in places)
        )


def candidates_in_all(tables: Sequence[GeneralisedTable], known: Mapping[str, Hashable]) -> frozenset[Hashable]:
    """The intersection attack: what a person who is in every one of these tables may have."""
    require(len(tables) > 0, "at least one table", got=0, remedy="Give the tables that the person is in.")
    return frozenset.intersection(*(table.candidates(known) for table in tables))
