"""What is to be published, about whom, and what the attacker is thought to know: the words of a specification."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Literal, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import Share, number_known
from dalenius.enclosure.formats import plain
from dalenius.facts.records import Categories, Cell, Column, Combinations, Label, Numbers, Where, whole
from dalenius.facts.secret import Hidden, hides_presence
from dalenius.mechanisms import Chain, Channel

if TYPE_CHECKING:
    from dalenius.mechanisms.choice import LikeliestRate
    from dalenius.mechanisms.earned_count import ExactIfEarned
    from dalenius.mechanisms.small_counts import SmallCountsHidden
    from dalenius.tables.sample import DrawnBy
    from dalenius.tables.stances import Stance

Kind: TypeAlias = Literal["count", "sum", "mean"]
Row: TypeAlias = Mapping[str, Label | Fraction]
Chances: TypeAlias = tuple[tuple[Label | Fraction | Cell, Fraction], ...]  # of values, or of rows of several columns


@final
@dataclass(frozen=True, slots=True)
class Figure:
    """A count, a sum or a mean of the records that satisfy `where`, whole or for each cell of the public columns
    `by`. `truncated`: every value below the first number counts as that, every value above the second as the second.
    """

    name: str
    kind: Kind
    column: str | None = None
    where: Where = field(default_factory=Where)
    by: tuple[str, ...] = ()
    channel: Chain = field(default_factory=lambda: Chain(()))
    truncated: tuple[Fraction, Fraction] | None = None
    _hash: int = field(init=False, repr=False, compare=False)
    _used: frozenset[str] = field(init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type["Figure"], tuple[object, ...]]:
        """Another process has other hashes."""
        return Figure, self._fields()

    def _fields(self) -> tuple[object, ...]:
        return self.name, self.kind, self.column, self.where, self.by, self.channel, self.truncated

    def __post_init__(self) -> None:
        """Figures are long, and looked up often: they are hashed, and their columns found, once."""
        object.__setattr__(self, "_hash", hash(self._fields()))
        own = frozenset() if self.column is None else frozenset({self.column})
        object.__setattr__(self, "_used", self.where.columns | own)
        if (self.column is None) != (self.kind == "count"):
            wrong = "has no" if self.kind == "count" else "needs a"
            raise InputError(f"Figure {self.name!r}: a {self.kind} {wrong} column. Correct it.")
        if self.truncated is not None:
            self._check_truncated(*self.truncated)

    def _check_truncated(self, low: Fraction, high: Fraction) -> None:
        if self.column is None:
            raise InputError(
                f"Figure {self.name!r}: what is truncated are the values of a column, but a count has none. Leave it "
                "out."
            )
        if not low < high:
            raise InputError(
                f"Figure {self.name!r}: truncate needs a low value and a higher one, but got {low} and {high}. "
                "Write truncate: [0, 5000]."
            )

    def check_limits(self, columns: Mapping[str, Column]) -> None:
        """InputError unless values are truncated to a part of the column, between two of its own values."""
        column = columns.get(self.column or "")
        if self.truncated is None or not isinstance(column, Numbers):
            return
        low, high = self.truncated
        inside = column.lower <= low and high <= column.upper and (low, high) != (column.lower, column.upper)
        if not inside or low % column.unit or high % column.unit:
            raise InputError(
                f"Figure {self.name!r}: truncate needs two multiples of {plain(column.unit)} within "
                f"{plain(column.lower)} to {plain(column.upper)}, the bounds of {self.column}, and not both of these, "
                f"but got {plain(low)} and {plain(high)}. Write truncate: [low, high], or leave it out."
            )

    def check_number(self, columns: Mapping[str, Column], secret: Hidden) -> None:
        """InputError if it is a mean, and how many records it is taken over depends on confidential values or on a
        secret presence: then it tells more than its total, which is what is judged.
        """
        if self.kind != "mean":
            return
        needs = f"Figure {self.name!r}: a mean needs a public number of records, but"
        if hides_presence(secret):
            raise InputError(f"{needs} where presence is secret there is none. Publish the sum.")
        column = columns.get(self.column or "")
        if column is not None and column.missing is not None:
            raise InputError(
                f"{needs} {self.column} may be missing, and for whom is confidential. Write `missing: leave out of "
                "this figure`, which publishes the sum and the number of those who have one."
            )
        if self.where.columns.intersection(columns):
            raise InputError(f"{needs} its condition uses a confidential column. Publish the sum and the count.")

    def confidential(self, columns: Mapping[str, Column]) -> frozenset[str]:
        """The confidential columns that the figure depends on."""
        return self._used.intersection(columns)

    @property
    def _rule(self) -> Channel | None:
        """What decides by the data what is told, if anything does: it comes last."""
        links = self.channel.links
        return links[-1] if links and links[-1].hides else None

    @property
    def hiding(self) -> "SmallCountsHidden | None":
        """What hides small counts, if anything does."""
        if self._rule is None:
            return None
        from dalenius.mechanisms.small_counts import SmallCountsHidden

        return self._rule if isinstance(self._rule, SmallCountsHidden) else None

    @property
    def earning(self) -> "ExactIfEarned | None":
        """Within which shares a count may go out exactly, if only there it may."""
        if self._rule is None:
            return None
        from dalenius.mechanisms.earned_count import ExactIfEarned

        return self._rule if isinstance(self._rule, ExactIfEarned) else None

    @property
    def choosing(self) -> "LikeliestRate | None":
        """Of which rates the likeliest is told, if only that is."""
        if self._rule is None:
            return None
        from dalenius.mechanisms.choice import LikeliestRate

        return self._rule if isinstance(self._rule, LikeliestRate) else None

    @property
    def left_out(self) -> tuple[Cell, ...]:
        """The cells that the condition leaves out by name, so that they are shown with a mark, and not as nothing."""
        found: dict[Cell, None] = {}
        for item in self.where.tests:
            if isinstance(item, Combinations) and item.left_out and item.columns == frozenset(self.by):
                places = [item.names.index(name) for name in self.by]
                found |= dict.fromkeys(tuple(cell[place] for place in places) for cell in item.cells)
        return tuple(found)

    def without(self, cells: Sequence[Cell]) -> "Figure":
        """The same figure, but for these cells."""
        return replace(self, where=Where((*self.where.tests, Combinations(self.by, tuple(cells), left_out=True))))

    def only(self, cells: Sequence[Cell]) -> "Figure":
        """The same figure, in these cells."""
        return replace(self, where=Where((*self.where.tests, Combinations(self.by, tuple(cells)))))

    def cells(self, public: Mapping[str, Column]) -> Iterator[Cell]:
        """The cells of the declared domain that have a number, in its order: those that the condition leaves."""
        for cell in product(*(public[name].values for name in self.by)):
            if self.where.leaves(dict(zip(self.by, cell, strict=True))):
                yield cell

    def contribution(self, row: Row, columns: Mapping[str, Column]) -> int:
        """What a record with these confidential values adds, in units."""
        if not self.where.on(frozenset(row)).holds(row):
            return 0
        if self.column is None:
            return 1
        column = columns[self.column]
        if isinstance(column, Categories):
            raise InputError(
                f"Figure {self.name!r}: a {self.kind} needs numbers, but {self.column} has labels. Count them instead."
            )
        if row[self.column] == column.missing:
            return 0
        said = row[self.column]
        value = said if type(said) is Fraction else Fraction(said)  # sums of wide ranges have many thousands
        if self.truncated is not None:
            value = min(max(value, self.truncated[0]), self.truncated[1])
        steps, per = value.numerator * column.unit.denominator, value.denominator * column.unit.numerator
        return steps // per if steps >= 0 else -(-steps // per)

    def released(self, columns: Mapping[str, Column]) -> str:
        """What happens to the figure before it goes out, in the column's own numbers."""
        cut = f"values {truncated_text(self.truncated)}; " if self.truncated is not None else ""
        if self.channel.exact:
            return f"{cut}exact"
        told, step = [], self.unit(columns)
        for link in self.channel.links:
            told.append(link.told(step))
            step *= link.step
        of = "total: " if self.kind == "mean" else ""
        return cut + of + ", ".join(told)

    def unit(self, columns: Mapping[str, Column]) -> Fraction:
        """What one step of the figure is worth."""
        column = columns[self.column] if self.column is not None else None
        return column.unit if isinstance(column, Numbers) else Fraction(1)


def truncated_text(limits: tuple[Fraction, Fraction]) -> str:
    """In words: between which two numbers every value is kept.

    >>> truncated_text((Fraction(0), Fraction(5000)))
    'truncated to 0 at least and 5000 at most'
    """
    low, high = limits
    return f"truncated to {plain(low)} at least and {plain(high)} at most"


@final
@dataclass(frozen=True, slots=True)
class ColumnBelief:
    """What the attacker thinks of one column: a marginal for each cell of the public columns `by`. Of several columns
    that move together, the further ones are `beside` it, and the table is about their rows: tuples in this order.
    """

    column: str
    table: Mapping[Cell, Chances]
    source: str
    by: tuple[str, ...] = ()
    fitted: bool = False  # to the confidential data: then it is only heuristic
    least: Mapping[Cell, Chances] | None = None  # what no probability is below, if the table is only estimated
    confidence: Fraction | None = None  # with which that holds
    differ: str = ""  # how people may differ from the table, in words
    beside: tuple[str, ...] = ()
    stated: bool = True  # else the table is only one of the laws that are left open, and `differ` is all that is said
    widened: bool = False  # more laws keep above `least` than are meant: then nothing from below rests on it
    stance: "Stance | None" = None  # what is believed of all records at once, if not that they are independent
    scenarios: tuple[Mapping[Cell, Chances], ...] = ()  # tables beside the first: everybody follows the same one of all
    answered: Fraction | None = None  # of answers that went through a coin, the chance with which it kept them

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that it is about."""
        return (self.column, *self.beside)

    def __str__(self) -> str:
        """The columns in words."""
        return told_together(self.columns)

    def row(self, value: Label | Fraction | Cell) -> Cell:
        """An item of the table as a row of the columns."""
        return value if isinstance(value, tuple) else (value,)


def told_together(names: Sequence[str]) -> str:
    """Names in words.

    >>> told_together(["smoker"]), told_together(["diagnosis", "smoker", "income"])
    ('smoker', 'diagnosis, smoker and income')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


@final
@dataclass(frozen=True, slots=True)
class Together:
    """Records that move together: those with one value of `column`, a household. Given the rest of their household a
    record still follows its stated law with weight at least `weight`. `coins`: how many households have the one member
    that hides others among the persons with each combination of public values. `largest` and `groups`: how many members
    a household has at most, and in how many groups, where that is declared since presence is secret.
    """

    column: str
    weight: Fraction
    source: str
    coins: Mapping[Cell, int] = field(default_factory=dict)
    largest: int | None = None
    groups: int = 1

    def among(self, cell: Cell, count: int, people: int) -> int:
        """How many coins are among so many of the people of a cell: all of them, or as many of the share as is sure."""
        return self.coins.get(cell, 0) if count == people else self.coins.get(cell, 0) * count // max(people, 1)


@final
@dataclass(frozen=True, slots=True)
class Frame:
    """Who is in the data, as far as everybody may know: how many persons have each combination of public values; and
    whose records move together, if any do. `sample`: how they were drawn; then the groups are those of the population.
    """

    columns: tuple[str, ...]
    groups: Mapping[Cell, int]
    together: Together | None = None
    sample: "DrawnBy | None" = None
    size: int = field(init=False, repr=False, compare=False)  # of all groups together

    def __post_init__(self) -> None:
        """Tables may have many thousands of groups: they are added up once."""
        if any(type(count) is not int for count in self.groups.values()):
            counted = {cell: whole(count, name="The size of a group") for cell, count in self.groups.items()}
            object.__setattr__(self, "groups", counted)
        object.__setattr__(self, "size", sum(self.groups.values()))


@final
@dataclass(frozen=True, slots=True)
class Attacker:
    """The share (or number) of the records that the attacker knows: anywhere, or in every group alike."""

    known: Share = 0
    in_every_group: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", number_known(self.known))
