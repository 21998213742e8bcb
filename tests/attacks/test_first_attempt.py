"""The impossibility of the first attempt, by Bayes' rule on two datasets."""

import random
from fractions import Fraction

import pytest

from dalenius.papers.attacks.first_attempt import moved_belief
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite

WORLD = Finite.product([{0: "1/2", 1: "1/2"}] * 3)


@pytest.mark.parametrize("seed", range(8))
def test_some_belief_moves_unless_the_output_tells_nothing(seed: int) -> None:
    dice = random.Random(seed)
    kinds = [[Fraction(dice.randrange(1, 9)) for _ in range(3)] for _ in range(1 + seed % 3)]
    laws = {row: [w / sum(kind) for w in kind] for row in WORLD.datasets() for kind in [dice.choice(kinds)]}
    mechanism = FiniteMechanism.random(lambda row: dict(enumerate(laws[row])), WORLD)
    moved = moved_belief(mechanism, WORLD)
    if len(set(map(tuple, laws.values()))) == 1:
        assert moved is None
        return
    assert moved is not None
    p, q = laws[moved.ill][moved.output], laws[moved.well][moved.output]
    assert moved.posterior == p / (p + q) > moved.prior == Fraction(1, 2)


def test_an_exact_figure_tells_all() -> None:
    moved = moved_belief(FiniteMechanism.of(sum, WORLD), WORLD)
    assert moved is not None and moved.posterior == 1
    assert moved_belief(FiniteMechanism.of(lambda _: "nothing", WORLD), WORLD) is None
