"""What is compared about a person when a certificate is computed again: by value, and where presence is secret."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from dalenius.judge.group import Laws
from dalenius.record.certificate.moved import Hidden
from dalenius.tables.moves import Several
from dalenius_checker.groups import Examiner, Part
from dalenius_checker.moves import Mover

VALUES = (3,), (4,), (6,)
PART = SimpleNamespace(figures=[0], domain=list(VALUES))
HOW_FAR = {"value": {1, 2, 3}, "presence": {1, 2, 3, 4, 6}}


@pytest.mark.parametrize("secret", HOW_FAR)
def test_every_two_values_and_where_presence_is_secret_every_value_and_absence(secret: str) -> None:
    document: Any = SimpleNamespace(secret=secret, groups=[(0, [0])], kinds=[SimpleNamespace(parts=[PART])], figures=[])
    stage: Any = SimpleNamespace(document=document)
    hidden = Hidden(stage, [[Laws((), VALUES)]], {}, Several(Fraction(1), Fraction(1)))
    assert {abs(change[0]) for change in hidden._changes(0, frozenset({0}))} == HOW_FAR[secret]
    assert {abs(change[0]) for change in Mover(document, None, 64)._changes([PART])} == HOW_FAR[secret]
    law = (((3,), Fraction(1)),)
    places = Examiner(document, None, 64)._places(Part(VALUES, ((law, 5),), (None,), 1), 0)
    assert {abs(move[0]) for _, move in places} == HOW_FAR[secret]
    assert {move for _, move in places} == {(-move[0],) for _, move in places}


@pytest.mark.parametrize(("secret", "enough"), [("value", 3), ("presence", 6)])
def test_noise_hides_the_largest_difference(secret: str, enough: int) -> None:
    """Geometric noise of scale 1 hides a move by d from epsilon d on."""
    figure = SimpleNamespace(noise=("geometric", Fraction(1)))
    for epsilon in (enough, enough - 1):
        document: Any = SimpleNamespace(secret=secret, figures=[figure], epsilon=Fraction(epsilon))
        examiner = Examiner(document, SimpleNamespace(parts=[PART]), 64)
        assert (examiner.noise(examiner.certificate.epsilon) == 0) == (epsilon == enough)
