"""What the records of an atom can add to figures: one law a type of record, and what the domain allows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.contributions import Adding, Vector
from dalenius.history import Atom

Law: TypeAlias = Mapping[Vector, Fraction]
Types: TypeAlias = tuple[tuple[tuple[tuple[Vector, Fraction], ...], int], ...]  # laws, and how many have them


@final
@dataclass(frozen=True, slots=True)
class Kind:
    """What the records of an atom can add to linked figures: one law a type of record, and the vectors that the
    domain allows. `least`: masses that no probability is below, where the laws are only estimated.
    """

    types: Types
    domain: tuple[Vector, ...]
    least: Types = ()
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Long laws take long to hash, and are looked up often: their ends and numbers do."""
        ends = [(len(law), law[:2], law[-2:], count) for law, count in (*self.types, *self.least)]
        object.__setattr__(self, "_hash", hash((*ends, len(self.domain), self.domain[:2], self.domain[-2:])))

    def __hash__(self) -> int:
        return self._hash

    @property
    def laws(self) -> list[dict[Vector, Fraction]]:
        return [dict(law) for law, _ in self.types]

    @property
    def counts(self) -> list[int]:
        return [count for _, count in self.types]


def kind_of(atom: Atom, adding: Adding) -> Kind:
    """The kind of an atom's records, by what they add."""
    least = _types(atom, adding, least=True) if adding.estimated else ()
    return Kind(_types(atom, adding, least=False), adding.domain, least)


def _types(atom: Atom, adding: Adding, *, least: bool) -> Types:
    if len(atom.groups) == 1:  # nothing to compare: long laws take long to hash
        ((cell, count),) = atom.groups
        return ((adding.law(cell, least=least), count),)
    types: dict[tuple[tuple[Vector, Fraction], ...], int] = {}
    for cell, count in atom.groups:
        law = adding.law(cell, least=least)
        types[law] = types.get(law, 0) + count
    return tuple(types.items())
