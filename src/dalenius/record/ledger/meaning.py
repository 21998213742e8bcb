"""What a figure says, whatever it is called."""

from collections.abc import Hashable
from dataclasses import replace

from dalenius.facts.records import Between, Combinations, Conjunct, Either, Test, Where
from dalenius.tables.figures import Figure


def meaning(figure: Figure) -> Hashable:
    """What a figure says, whatever it is called and in whatever order its conditions and columns stand."""
    rest = replace(figure, name="", where=Where(), by=())  # all else that a figure has, or will have
    return rest, _meant(figure.where), frozenset(figure.by)


def _meant(where: Where) -> Hashable:
    """The parts of a condition, each once, without an order."""
    return frozenset(map(_asked, where.tests))


def _asked(item: Conjunct) -> Hashable:
    match item:
        case Either(parts):
            return frozenset(map(_meant, parts))
        case Combinations(columns, cells, left_out):
            named = (frozenset(zip(columns, cell, map(type, cell), strict=True)) for cell in cells)
            return left_out, frozenset(named)
        case (name, test):
            return name, _tested(test)


def _tested(test: Test) -> Hashable:
    if isinstance(test, Between):
        return test
    return frozenset((type(value), value) for value in test.values)
