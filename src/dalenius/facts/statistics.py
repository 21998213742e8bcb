"""Figures as sums of what each record adds. Every figure here is one: a count, a sum, a mean with a public n."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, final

from dalenius.basics.errors import InputError
from dalenius.facts.records import exact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dalenius.facts.records import Label


class Statistic(ABC):
    """What each record adds to a figure, in whole units. `divided`: the total is divided by the number of records.

    >>> import dalenius as dl
    >>> isinstance(dl.Count(), dl.facts.Statistic)
    True
    """

    divided: ClassVar[bool] = False

    @abstractmethod
    def contribution(self, value: "Label | Fraction") -> int:
        """What a record of this value adds."""

    def __rshift__(self, step: float | str | None) -> Any:
        """Channels and mechanisms say themselves how they follow a figure; nothing else can."""
        follows = getattr(type(step), "__rrshift__", None)
        if follows is None or follows(step, self) is NotImplemented:
            raise InputError(
                f"What follows {self} must be a channel or a mechanism, but got {step!r}. Write Count() >> Exact(), "
                "Count() >> Rounded(5) or Count() >> two_sided_geometric(2)."
            )
        return NotImplemented

    def __rrshift__(self, before: object) -> NoReturn:
        raise InputError(
            f"A figure comes first, or after randomised answers, but {self} came after {before}. Write Count() >> "
            "Exact()."
        )

    def check(self, domain: "Iterable[Label | Fraction]") -> None:  # noqa: B027 - most figures have nothing to refuse
        """InputError if the figure makes no sense for values of this domain."""

    def check_number(self, secret_because: str) -> None:
        """InputError if the figure is divided by a number of records that is not public, for this reason; none if it
        is public.

        A total divided by a secret number is no function of the total: the two may tell apart what neither does.
        """
        if self.divided and secret_because:
            raise InputError(
                f"A mean needs a public number of records, but {secret_because}. Publish the total: Sum()."
            )


@final
@dataclass(frozen=True, slots=True)
class Count(Statistic):
    """The number of records whose value is one of `of` (by default: is 1, or true).

    >>> import dalenius as dl
    >>> print(dl.Count())
    count
    """

    of: frozenset["Label | Fraction"] = frozenset({1})

    def __post_init__(self) -> None:
        if not isinstance(self.of, frozenset | set):  # within a text, parts of it would be found
            raise InputError(
                f"A count needs the set of values that it counts, but got {self.of!r}. Write "
                f"Count(frozenset({{{self.of!r}}}))."
            )

    def contribution(self, value: "Label | Fraction") -> int:
        return int(value in self.of)

    def check(self, domain: "Iterable[Label | Fraction]") -> None:
        """A count of what cannot occur is always 0, and would pass whatever the data are."""
        values = list(domain)
        if not any(value in self.of for value in values):
            counted = " or ".join(sorted(map(repr, self.of)))
            some = ", ".join(repr(value) for value in values[:3]) + (", ..." if len(values) > 3 else "")
            raise InputError(
                f"This counts records whose value is {counted}, but the domain has only {some}. Say what to count: "
                f"Count(frozenset({{{values[0]!r}}}))."
            )

    def __str__(self) -> str:
        return "count" if self.of == {1} else f"count of {', '.join(sorted(map(str, self.of)))}"


@final
@dataclass(frozen=True, slots=True)
class Sum(Statistic):
    """The total of the values, which must be multiples of `unit`.

    >>> Sum(unit=Fraction(1000)).contribution(Fraction(3000))
    3
    """

    unit: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit", exact(self.unit, name="unit"))
        if self.unit <= 0:
            raise InputError(f"A total needs a unit above 0, but got {self.unit}. Write unit=1.")

    def contribution(self, value: "Label | Fraction") -> int:
        if isinstance(value, str):
            raise InputError(f"A sum needs numbers, but the domain has the label {value!r}. Count it instead.")
        steps = exact(value, name="value") / self.unit
        if steps.denominator != 1:
            raise InputError(
                f"A sum in units of {self.unit} needs multiples of it, but the domain has {value}. Choose a finer unit."
            )
        return int(steps)

    def __str__(self) -> str:
        return "sum" if self.unit == 1 else f"sum in units of {self.unit}"


@final
@dataclass(frozen=True, slots=True)
class Mean(Statistic):
    """The total divided by a public number of records: it tells exactly what the total tells. A channel changes the
    total, before it is divided.

    >>> import dalenius as dl
    >>> ages = dl.Independent(groups=[({20: "1/2", 40: "1/2"}, 1000)])
    >>> print(dl.verify(dl.Mean(), dl.noiseless(ages), epsilon=1, delta="1e-6").verdict)
    pass
    """

    divided: ClassVar[bool] = True
    unit: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit", Sum(self.unit).unit)

    def contribution(self, value: "Label | Fraction") -> int:
        return Sum(self.unit).contribution(value)

    def __str__(self) -> str:
        return "mean (public number of records)"


@final
@dataclass(frozen=True, slots=True)
class Tabled(Statistic):
    """What a record of each of the values 0, 1, 2, ... adds, one after the other.

    >>> Tabled((5, 0, 7)).contribution(2)
    7
    """

    amounts: tuple[int, ...]

    def contribution(self, value: "Label | Fraction") -> int:
        return self.amounts[int(value)]

    def __str__(self) -> str:
        return f"total of what {len(self.amounts)} values add"


@final
@dataclass(frozen=True, slots=True, init=False)
class Histogram:
    """How many records have each of these values: not one number, so it has steps of its own.

    >>> print(Histogram("A", "B", "other"))
    histogram of 3 cells
    """

    values: tuple["Label | Fraction", ...]

    def __init__(self, *values: "Label | Fraction") -> None:
        if len(values) < 2 or len(set(values)) != len(values):
            raise InputError(
                f"A histogram needs at least two different values, but got {list(values)}. Write "
                'Histogram("A", "B"); a single cell is a count.'
            )
        object.__setattr__(self, "values", values)

    def check(self, cells: "Iterable[Label | Fraction]") -> None:
        """InputError unless these are the cells, in any order."""
        found = list(cells)
        stray = [cell for cell in found if cell not in self.values] or [
            cell for cell in self.values if cell not in found
        ]
        if stray:
            raise InputError(
                f"The cells must be those of the histogram, {list(self.values)[:8]}, but {stray[0]!r} is on one side "
                "only. List the same values in both places."
            )

    def __str__(self) -> str:
        return f"histogram of {len(self.values)} cells"
