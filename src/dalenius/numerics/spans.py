"""Sets of means over which the worst is wanted: all of them, all whole numbers, or a list."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, final

from dalenius.numerics.families import Mean


@final
@dataclass(frozen=True, slots=True)
class Span:
    """Everything from `low` to `high`, both included; above `low` without limit if `high` is None.

    In a list they are places in the list.
    """

    low: Mean
    high: Mean | None


Spans: TypeAlias = tuple[Span, ...]


class Means(Protocol):
    """A set of means, as spans that can be cut."""

    def whole(self) -> Spans: ...

    def cut(self, span: Span) -> Spans:
        """Two spans that cover this one; none if it is down to its ends."""
        ...

    def ends(self, span: Span) -> tuple[Mean, Mean | None]: ...

    def between(self, span: Span) -> bool:
        """Whether the span has means between its ends."""
        ...


@final
@dataclass(frozen=True, slots=True)
class AnyMean:
    """Every mean from `low` on, up to `high` if there is one."""

    low: float = 0.0
    high: float = math.inf

    def whole(self) -> Spans:
        return (Span(self.low, None if math.isinf(self.high) else self.high),)

    def cut(self, span: Span) -> Spans:
        if span.high is None:
            at = max(1.0, 2.0 * span.low)
            return Span(span.low, at), Span(at, None)
        middle = (span.low + span.high) / 2
        return (Span(span.low, middle), Span(middle, span.high)) if span.low < middle < span.high else ()

    def ends(self, span: Span) -> tuple[Mean, Mean | None]:
        return span.low, span.high

    def between(self, span: Span) -> bool:
        return span.low != span.high


@final
@dataclass(frozen=True, slots=True)
class AnyNumber:
    """Every whole number from 0 on."""

    def whole(self) -> Spans:
        return (Span(0, None),)

    def cut(self, span: Span) -> Spans:
        if span.high is None:
            at = max(1, 2 * int(span.low))
            return Span(span.low, at), Span(at, None)
        return _halves(span)

    def ends(self, span: Span) -> tuple[Mean, Mean | None]:
        return span.low, span.high

    def between(self, span: Span) -> bool:
        return bool(_halves(span))


@final
@dataclass(frozen=True, slots=True)
class ListedMeans:
    """These, in ascending order."""

    values: Sequence[Mean]

    def whole(self) -> Spans:
        return (Span(0, len(self.values) - 1),)

    def cut(self, span: Span) -> Spans:
        return _halves(span)

    def ends(self, span: Span) -> tuple[Mean, Mean | None]:
        return self.values[int(span.low)], self.values[int(span.high or 0)]

    def between(self, span: Span) -> bool:
        return bool(_halves(span))


def _halves(span: Span) -> Spans:
    low, high = int(span.low), int(span.high or 0)
    if high - low <= 1:
        return ()
    middle = (low + high) // 2
    return Span(low, middle), Span(middle, high)
