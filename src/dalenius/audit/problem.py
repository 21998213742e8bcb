"""What an audit is asked: whole numbers that nobody was told, what is published about them, and which of them, or
sums and differences of them, must not be known.

An *unknown* is a whole number, as a rule how many people there are in a cell. A *statement* is a published number: a
sum of unknowns (margins, cells of coarser tables, rounded ones) and the interval in which it says that this sum lies.
A *target* is a sum, or a difference, that is asked about: a hidden cell. Cells of linked tables are sums over the
cells of one common table of all their variables; its cells are then the unknowns, so that what fits everything is a
table of people, not one table for each table.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, TypeAlias, final

from dalenius.basics.errors import InputError

if TYPE_CHECKING:
    from dalenius.audit.findings import Refutation

Terms: TypeAlias = tuple[tuple[int, int], ...]  # place of an unknown, and how often it is counted
End: TypeAlias = int | None  # None is open
Range: TypeAlias = tuple[End, End]


class ContradictionError(InputError):
    """Published numbers that cannot all be true. `sources` names a small set of them, and `refutation` proves it.

    >>> import dalenius as dl
    >>> unknowns = (dl.audit.Unknown("a"), dl.audit.Unknown("b"))
    >>> said = dl.audit.Statement(((0, 1), (1, 1)), 5, 5, "one"), dl.audit.Statement(((0, 1), (1, 1)), 6, 6, "two")
    >>> try:
    ...     dl.audit.follow(dl.audit.Problem(unknowns, said, (dl.audit.Sought("a", ((0, 1),)),)))
    ... except dl.audit.ContradictionError as error:
    ...     print(sorted(error.sources))
    ['one', 'two']
    """

    def __init__(self, message: str, sources: tuple[str, ...], refutation: "Refutation | None" = None) -> None:
        super().__init__(message)
        self.sources = sources
        self.refutation = refutation


@final
@dataclass(frozen=True, slots=True)
class Unknown:
    """A whole number between two ends, which nobody was told.

    >>> import dalenius as dl
    >>> dl.audit.Unknown("young in the north", 1, 9)
    Unknown(name='young in the north', lower=1, upper=9)
    """

    name: str
    lower: End = 0
    upper: End = None


@final
@dataclass(frozen=True, slots=True)
class Statement:
    """What is published: a sum of unknowns lies between two ends. `source` says in which number of which table.

    >>> import dalenius as dl
    >>> dl.audit.Statement(((0, 1), (1, 1)), 44, 44, "the total of the north").source
    'the total of the north'
    """

    terms: Terms
    lower: Fraction | int | None
    upper: Fraction | int | None
    source: str

    @property
    def ends(self) -> Range:
        """The whole numbers at its ends: a sum of whole numbers is one."""
        return (
            None if self.lower is None else ceil(self.lower),
            None if self.upper is None else floor(self.upper),
        )


@final
@dataclass(frozen=True, slots=True)
class Sought:
    """A sum that is asked about. It is protected if its possible values are at least `width` apart, and if they reach
    both ends of `reach` (what a p % rule, or a rule about the largest contributions, wants left possible).

    >>> import dalenius as dl
    >>> dl.audit.Sought("young in the north", ((0, 1),)).width
    1
    """

    name: str
    terms: Terms
    width: int = 1
    reach: tuple[int, int] | None = None


@final
@dataclass(frozen=True, slots=True)
class Problem:
    """What is published, and what is asked about it.

    >>> from dalenius.audit import Problem, Statement, Sought, Unknown
    >>> cells = (Unknown("north"), Unknown("south"))
    >>> total = Statement(((0, 1), (1, 1)), 0, 0, "the total of table 1")
    >>> Problem(cells, (total,), (Sought("north", ((0, 1),)),)).targets[0].name
    'north'
    """

    unknowns: tuple[Unknown, ...]
    statements: tuple[Statement, ...]
    targets: tuple[Sought, ...]

    def __post_init__(self) -> None:
        for terms, name in [
            *((each.terms, each.source) for each in self.statements),
            *((each.terms, each.name) for each in self.targets),
        ]:
            places = [place for place, _ in terms]
            if len(set(places)) < len(places) or not all(0 <= place < len(self.unknowns) for place in places):
                raise InputError(
                    f"{name} needs each of the {len(self.unknowns)} unknowns at most once, by its place from 0, but got"
                    f" {places[:10]}. Add up what stands there twice."
                )

    def knowing(self, ranges: Mapping[int, Range], statements: Iterable[Statement] = ()) -> "Problem":
        """The same, for an attacker who knows more: ends of unknowns (the rule by which cells were hidden), and sums
        (what a respondent adds to a cell). What was known before stays known.
        """
        unknowns = list(self.unknowns)
        for place, (lower, upper) in ranges.items():
            was = unknowns[place]
            unknowns[place] = replace(was, lower=_largest(was.lower, lower), upper=_least(was.upper, upper))
        return replace(self, unknowns=tuple(unknowns), statements=(*self.statements, *statements))


def _largest(one: End, other: End) -> End:
    return other if one is None else one if other is None else max(one, other)


def _least(one: End, other: End) -> End:
    return other if one is None else one if other is None else min(one, other)
