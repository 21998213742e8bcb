"""Common tables: how long the verdict takes, as against one law of as many people."""

import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from benchmarks.claim import Row, at_most
from dalenius.beliefs.crowd import law_of_rates
from dalenius.facts.records import Categories, Column, Numbers, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.plan import Question, Target
from dalenius.plan.examination import examine
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame

F = Fraction


def tables() -> list[Row]:
    """All counts of a column of fifty values, of a million people in fifty groups: two seconds of the processor. Two
    columns in one table, 14 counts of 944 people: five. The sum of a column of 25,000 values: ten.
    """
    law = _seconds(lambda: law_of_rates(np.array([0.3]), np.array([10**6])))
    rows = []
    for words, question, limit in (
        ("50 values, 10^6 people, 50 groups: verdict", _values(50, 10**6, 50), 2.0),
        ("6 values, 944 people: verdict", _values(6, 944, 1), 2.0),
        ("7 x 2 values, 944 people: verdict", _crossed(7, 2, 944), 5.0),
        ("sum of 25,000 values, 944 people: verdict", _sum(25_000, 944), 10.0),
    ):
        seconds = _seconds(lambda asked=question: examine(*asked, lambda _what, _done, _of: None))
        rows.append(at_most(words, seconds, limit, " s", note=f"{seconds / law:.0f} times one law of 10^6 coins"))
    return rows


def _seconds(work: Callable[[], object]) -> float:
    """Of the processor, whatever else the machine does."""
    started = time.process_time()
    work()
    return time.process_time() - started


def _even(name: str, column: Column) -> ColumnBelief:
    values = list(column.values)
    return ColumnBelief(name, {(): tuple((value, F(1, len(values))) for value in values)}, "a source")


def _asked(columns: dict[str, Column], people: int, groups: int) -> Question:
    frame = Frame(("region",), {(f"g{place}",): people // groups for place in range(groups)})
    beliefs = tuple(_even(name, column) for name, column in columns.items())
    return Question(frame, columns, beliefs, Attacker(F(1, 20)), Value(), Target(F(1, 2), F(1, 10**6)))


def _counted(*tests: tuple[str, OneOf]) -> Figure:
    return Figure(" ".join(str(test.values[0]) for _, test in tests), "count", None, Where(tests), ("region",))


def _values(number: int, people: int, groups: int) -> tuple[list[Figure], Question]:
    column = Categories(tuple(f"v{place}" for place in range(number)))
    return [_counted(("c", OneOf((value,)))) for value in column.values], _asked({"c": column}, people, groups)


def _crossed(first: int, second: int, people: int) -> tuple[list[Figure], Question]:
    one = Categories(tuple(f"a{place}" for place in range(first)))
    two = Categories(tuple(f"b{place}" for place in range(second)))
    figures = [_counted(("a", OneOf((x,))), ("b", OneOf((y,)))) for x in one.values for y in two.values]
    return figures, _asked({"a": one, "b": two}, people, 1)


def _sum(number: int, people: int) -> tuple[list[Figure], Question]:
    return [Figure("sum", "sum", "c")], _asked({"c": Numbers(F(1), F(0), F(number - 1))}, people, 1)
