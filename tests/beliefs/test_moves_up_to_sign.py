"""The changes of several numbers by one person: all of them up to sign, or none where there are too many."""

from fractions import Fraction
from itertools import product

import pytest

from dalenius.beliefs.linked import LinkedCurve


def curve(domain):
    law = {vector: Fraction(1, len(domain)) for vector in domain}
    return LinkedCurve([law], [50], domain, 0, presence=False, enough=Fraction(1, 1000))


@pytest.mark.parametrize(
    "domain", [[(0, 0), (1, 1), (1, 2), (3, 1)], list(product(range(3), repeat=2)), [(0, 1), (0, 1), (2, 1)]]
)
def test_every_change_is_there_once(domain):
    differences = {tuple(b - a for a, b in zip(one, other, strict=True)) for one in domain for other in domain}
    wanted = {max(move, tuple(-step for step in move)) for move in differences if any(move)}
    assert curve(domain)._moves() == sorted(wanted)


@pytest.mark.parametrize(("values", "listed"), [(41, True), (42, False), (60_000, False)])
def test_too_many_are_not_listed(values, listed, monkeypatch):
    """Whatever they are: of 60,000 values there are two thousand million pairs."""
    monkeypatch.setattr("dalenius.beliefs.linked.MOST_MOVES", 40)
    moves = curve([(value, 1) for value in range(values)])._moves()
    assert (moves is not None and len(moves) == 40) if listed else moves is None
