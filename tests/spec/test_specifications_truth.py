"""Random specifications against all datasets: what is certified is never below the truth."""

import random

import pytest

from amount import worlds
from spec.specifications import Specified, specified
from spec.test_hidden_counts import certified

WORLDS = worlds(40, 10_000)
PIECES = 8
CLOSE = 1e-9


def ends(small: Specified) -> tuple[float, float]:
    """The truth, and what is certified of everybody."""
    return small.truth(), certified(dict(small.keys), small.people, 0)[0]


@pytest.mark.slow
@pytest.mark.parametrize("piece", range(PIECES))
def test_no_specification_tells_more_than_is_certified(piece: int) -> None:
    dice = random.Random(piece)
    for _ in range(WORLDS // PIECES):
        small = specified(dice)
        truth, upper = ends(small)
        assert truth <= upper + CLOSE, (small.words, small)
