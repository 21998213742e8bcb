"""What an audit finds of each target: an interval that is proved, values that are shown to be possible, and what that
means.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from dalenius.audit.problem import End, Problem, Sought
    from dalenius.audit.system import Step


class CellStatus(StrEnum):
    """What follows from the published numbers about a target.

    >>> import dalenius as dl
    >>> print([str(status) for status in dl.audit.CellStatus])
    ['follows', 'pinned', 'open', 'undecided']
    """

    FOLLOWS = "follows"  # one value is possible
    PINNED = "pinned"  # several are, but fewer than asked for
    OPEN = "open"  # as many as asked for
    UNDECIDED = "undecided"  # not settled in the time given


@final
@dataclass(frozen=True, slots=True)
class CellFinding:
    """One target: it lies between `low` and `high` (proved; None is open), and `seen` are the least and the largest
    value that it has in tables which fit everything published. The interval is exact if the two agree.

    >>> import dalenius as dl
    >>> total = dl.audit.Statement(((0, 1), (1, 1)), 5, 5, "the total of table 1")
    >>> unknowns = (dl.audit.Unknown("a"), dl.audit.Unknown("b"))
    >>> asked = dl.audit.Problem(unknowns, (total,), (dl.audit.Sought("a", ((0, 1),)),))
    >>> dl.audit.follow(asked).each
    (CellFinding(target=Sought(name='a', terms=((0, 1),), width=1, reach=None), low=0, high=5, seen=(0, 5)),)
    """

    target: "Sought"
    low: "End"
    high: "End"
    seen: tuple[int, int] | None

    @property
    def exact(self) -> bool:
        """Whether both ends are attained."""
        return self.seen is not None and self.seen == (self.low, self.high)

    @property
    def status(self) -> CellStatus:
        """What that means, given how much was asked for."""
        if self.low is not None and self.low == self.high:
            return CellStatus.FOLLOWS
        if self.seen is not None and _wide(self.target, *self.seen):
            return CellStatus.OPEN
        if self.low is not None and self.high is not None and not _wide(self.target, self.low, self.high):
            return CellStatus.PINNED
        if self.target.reach is not None and not _reaches(self.target.reach, self.low, self.high):
            return CellStatus.PINNED
        return CellStatus.UNDECIDED


def _wide(target: "Sought", low: int, high: int) -> bool:
    return high - low >= max(1, target.width) and (target.reach is None or _reaches(target.reach, low, high))


def _reaches(reach: tuple[int, int], low: "End", high: "End") -> bool:
    return (low is None or low <= reach[0]) and (high is None or high >= reach[1])


@final
@dataclass(frozen=True, slots=True)
class Shown:
    """Where the proofs of one finding are: the steps that bound it from below and above, and the tables in which it
    is least and largest. None if there is none.
    """

    low: int | None
    high: int | None
    least: int | None
    most: int | None


@final
@dataclass(frozen=True, slots=True)
class Findings:
    """What was found of every target, in their order; the steps of the proofs; and tables that fit everything: one in
    full, and the others by where they differ from it.

    >>> import dalenius as dl
    >>> total = dl.audit.Statement(((0, 1), (1, 1)), 5, 5, "the total of table 1")
    >>> unknowns = (dl.audit.Unknown("a"), dl.audit.Unknown("b"))
    >>> asked = dl.audit.Problem(unknowns, (total,), (dl.audit.Sought("a", ((0, 1),)),))
    >>> found = dl.audit.follow(asked)
    >>> isinstance(found, dl.audit.Findings), len(found.each)
    (True, 1)
    """

    problem: "Problem"
    each: tuple[CellFinding, ...]
    shown: tuple[Shown, ...] = field(repr=False)
    steps: tuple["Step", ...] = field(repr=False)
    table: tuple[int, ...] | None = field(repr=False)
    changes: tuple[tuple[tuple[int, int], ...], ...] = field(repr=False)

    @property
    def status(self) -> CellStatus:
        """The worst: something follows; else is pinned; else is undecided; else all is open."""
        found = {finding.status for finding in self.each}
        return next(
            (status for status in (CellStatus.FOLLOWS, CellStatus.PINNED, CellStatus.UNDECIDED) if status in found),
            CellStatus.OPEN,
        )

    def point(self, place: int) -> list[int]:
        """A complete table that fits everything published; its place is that of its changes, from 1, and 0 is the
        first.
        """
        values = list(self.table or ())
        for at, value in self.changes[place - 1] if place else ():
            values[at] = value
        return values


@final
@dataclass(frozen=True, slots=True)
class Refutation:
    """Statements that no table fits, and the steps that show it: by the last one, 0 is at most a number below 0."""

    problem: "Problem"
    steps: tuple["Step", ...] = field(repr=False)
