"""Who attacks, what is secret and how it is released, mixed, beside each other and history, against all datasets."""

import random

import pytest

from amount import worlds
from spec.mixed import mixed
from spec.test_hidden_counts import certified

WORLDS = worlds(24, 10_000)
PIECES = 8
CLOSE = 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("piece", range(PIECES))
def test_no_mixture_tells_more_than_is_certified(piece: int) -> None:
    """And what is certainly told is told: no lower end is above the truth."""
    for seed in range(piece, WORLDS, PIECES):
        world = mixed(random.Random(seed))
        upper, lower = certified(world.keys, world.people, world.out)
        truth = world.truth()
        assert truth <= upper + CLOSE, (seed, world.words, world.keys)
        assert lower <= truth + CLOSE, (seed, world.words, world.keys)
