"""A way to change figures so that they may go out, what it costs, and why it was taken or not."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, final

from dalenius.enclosure.formats import nearly
from dalenius.tables.figures import Figure

Way: TypeAlias = Literal[
    "rounding",
    "truncation",
    "truncation and noise",
    "merging",
    "leaving out",
    "leaving out and noise",
    "data and noise",
    "range, variance and noise",
    "noise alone",
    "a narrower secret",
]


@final
@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one figure: nothing if it is left out, two figures if its small cells are merged."""

    figure: str
    becomes: tuple[Figure, ...]
    line: str  # for the specification
    error: float = 0.0  # expected absolute error of the published number, in its own units
    alone: float | None = None  # the same, if differential privacy by itself had to do it
    most: Fraction = Fraction(0)  # how far the published number can be off, if it is rounded

    @property
    def altered(self) -> Figure:
        """What is published otherwise than exactly, if anything is; else the first of what it becomes."""
        return next((new for new in self.becomes if not new.channel.exact), self.becomes[0])


@final
@dataclass(frozen=True, slots=True)
class Alternative:
    """Changes of one figure, or of figures that share people, after which all of them may go out.

    `cost`: expected absolute errors, each divided by what one person can move the figure, added up. `lost`: how many
    published numbers fewer there are. `rough`: 1 if fewer than four fifths of the exact numbers stay so, 2 if fewer
    than half. What is least rough comes first; then alternatives are compared by `lost`, then by `cost`: a change that
    keeps every number comes before one that does not, and what matters more counts more (`Wishes`). Of two that cost
    the same, noise alone comes first: it needs no belief.
    `certified`: judged again from scratch, and it passed. `why`: why it was chosen, or was not, or does not apply.
    """

    way: Way
    concerns: tuple[str, ...]  # figures of the release
    changes: tuple[Change, ...] = ()
    cost: float = 0.0
    lost: int = 0
    certified: bool = False
    chosen: bool = False
    why: str = ""
    rough: int = 0
    loss: float = 0.0  # numbers lost, each as often as its figure matters
    frontier: bool = False  # nothing else loses as few numbers at as small a cost

    @property
    def rank(self) -> tuple[int, float, float, bool]:
        """What is compared: how many numbers stay exact, numbers lost, the cost (but for how it was added up), and
        whether it rests on beliefs.
        """
        return self.rough, self.loss, float(nearly(self.cost, 9)), self.way != "noise alone"

    @property
    def possible(self) -> bool:
        """Whether figures can be changed so that they pass: not if what changes is what is promised."""
        return self.certified and bool(self.changes)

    @property
    def noisy(self) -> bool:
        """Whether dice are rolled."""
        return any(figure.channel.random for change in self.changes for figure in change.becomes)

    def dominates(self, other: "Alternative") -> bool:
        """Whether it is certified, about the same figures, and better than another."""
        return self.possible and self.concerns == other.concerns and self.rank < other.rank

    def __str__(self) -> str:
        told = "; ".join(f"{change.figure}: {change.line}" for change in self.changes)
        return f"{self.way}: {told or self.why}"
