"""The attacks of the page, played with fixed dice: rules fall, noise leaves a little, dalenius leaves a coin."""

import numpy as np
import pytest
from examples.attacks import ATTACKS, DELTA, EPSILON, Played, averaging

RUNS = 4000
NOISE = {"exam queue": (0.85, 0.97)}  # what depends on each other is not hidden by noise for one
BEST = np.exp(float(EPSILON)) / (1 + np.exp(float(EPSILON))) + float(DELTA)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_the_attack_succeeds_as_often_as_the_page_says(attack):
    played = attack(np.random.default_rng(5), RUNS)
    assert played.rule > 0.999
    low, high = NOISE.get(played.attack, (0.47, BEST + 0.03))
    assert low < played.noise < high
    assert 0.47 < played.dalenius < 0.53
    assert str(round(100 * played.rule)) in played.line()


def test_few_questions_do_not_undo_the_dice():
    few = averaging(np.random.default_rng(6), RUNS, questions=1)
    assert few.rule < 0.8
    assert isinstance(few, Played)
