"""What a figure says, whatever it is called."""

from collections.abc import Hashable
from dataclasses import replace

from dalenius.facts.records import Between, Either, Test, Where
from dalenius.tables.figures import Figure


def meaning(figure: Figure) -> Hashable:
    """What a figure says, whatever it is called and in whatever order its conditions and columns stand."""
    rest = replace(figure, name="", where=Where(), by=())  # all else that a figure has, or will have
    return rest, _meant(figure.where), frozenset(figure.by)


def _meant(where: Where) -> Hashable:
    """The parts of a condition, each once, without an order."""
    return frozenset(
        frozenset(map(_meant, item.parts)) if isinstance(item, Either) else (item[0], _tested(item[1]))
        for item in where.tests
    )


def _tested(test: Test) -> Hashable:
    if isinstance(test, Between):
        return test
    return frozenset((type(value), value) for value in test.values)
