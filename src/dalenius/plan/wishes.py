"""What matters to whoever publishes: figures and cells to keep as they are, and how much each figure matters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.facts.records import Cell
from dalenius.tables.figures import Figure

Kept: TypeAlias = tuple[str, Cell | None]  # a figure, and one of its cells or all of them


@final
@dataclass(frozen=True, slots=True)
class Wishes:
    """`keep`: figures, or cells of figures, that are to go out exactly; a change that touches them is not taken.
    `weights`: how many times an ordinary figure one matters, where numbers lost and errors are added up.
    """

    keep: frozenset[Kept] = frozenset()
    weights: Mapping[str, Fraction] = field(default_factory=lambda: MappingProxyType({}))

    def weight(self, name: str) -> Fraction:
        """How much a figure matters: 1 if nothing else is said."""
        return self.weights.get(name, Fraction(1))

    def kept(self, name: str, cell: Cell | None = None) -> bool:
        """Whether a whole figure, or one of its cells, is to go out exactly."""
        return (name, None) in self.keep or (cell is not None and (name, cell) in self.keep)

    def broken(self, figure: Figure, becomes: Iterable[Figure]) -> bool:
        """Whether these, in the figure's place, leave out or change what is to be kept."""
        mine = {cell for name, cell in self.keep if name == figure.name}
        if not mine:
            return False
        exact = [new for new in becomes if new.channel == figure.channel and new.by == figure.by]
        if None in mine:
            return figure not in exact
        return not all(cell is None or any(_there(new, figure, cell) for new in exact) for cell in mine)

    def check(self, figures: Iterable[Figure]) -> None:
        """InputError unless what is named is there."""
        by_name = {figure.name: figure for figure in figures}
        for name in [*(name for name, _ in self.keep), *self.weights]:
            if name not in by_name:
                raise InputError(
                    f"What is to be kept, or matters more, are figures of the release, but got {name!r}. Name one of "
                    f"{', '.join(by_name)}."
                )
        for name, weight in self.weights.items():
            if weight <= 0:
                raise InputError(
                    f"The weight of {name!r} must be positive, but got {float(weight):g}. Leave it out for 1."
                )
        for name, cell in self.keep:
            if cell is not None and len(cell) != len(by_name[name].by):
                raise InputError(
                    f"A cell of {name!r} needs a value for each of {', '.join(by_name[name].by) or 'no columns'}, but "
                    f"got {len(cell)}. Name one value of each."
                )


def _there(new: Figure, figure: Figure, cell: Cell) -> bool:
    """Whether the cell is published as it was."""
    return new.where.leaves(dict(zip(figure.by, cell, strict=True)))


NOTHING_SPECIAL = Wishes()
