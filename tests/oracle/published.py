"""All tables of whole numbers that fit what is published, by going through them one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

Sum = Sequence[tuple[int, int]]
Range = tuple[Any, Any]


def fitting(unknowns: Sequence[Range], statements: Sequence[tuple[Sum, Any, Any]], most: int) -> Iterator[list[int]]:
    """Every table whose unknowns lie in their ranges and whose sums lie in theirs; open ranges end at `most`. A sum of
    whole numbers counted in turn is given up as soon as it is above its upper end and can only grow.
    """
    ends = [(0 if low is None else low, most if high is None else high) for low, high in unknowns]
    rows = [(dict(sum_of), low, high) for sum_of, low, high in statements]
    growing = [
        (sum_of, high)
        for sum_of, _, high in rows
        if high is not None and all(times >= 0 and ends[at][0] >= 0 for at, times in sum_of.items())
    ]
    table: list[int] = []

    def fits() -> bool:
        for sum_of, low, high in rows:
            value = Fraction(sum(times * table[at] for at, times in sum_of.items()))
            if (low is not None and value < low) or (high is not None and value > high):
                return False
        return True

    def further() -> Iterator[list[int]]:
        if len(table) == len(ends):
            if fits():
                yield list(table)
            return
        low, high = ends[len(table)]
        for value in range(low, high + 1):
            table.append(value)
            if all(sum(t * table[at] for at, t in sum_of.items() if at < len(table)) <= up for sum_of, up in growing):
                yield from further()
            table.pop()

    yield from further()
