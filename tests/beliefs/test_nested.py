"""Counts, and sums inside what they count: never below the truth, and close to it where people are many."""

import math
import random
from fractions import Fraction
from itertools import permutations

import pytest

from amount import worlds
from dalenius.beliefs.joint import VectorCurve, joint_law
from dalenius.beliefs.nested import nested_curve

WORLDS = worlds(6, 600)
HALF = Fraction(1, 2)
CLOSE = 1e-12
OFTEN = Fraction(4)  # of which a hundredth may be missing: that is charged, and leaves some draws among few records


def sums(law: dict, others: int) -> dict:
    """The law of the sum of so many independent vectors, in fractions."""
    found = {(0,) * len(next(iter(law))): Fraction(1)}
    for _ in range(others):
        longer: dict = {}
        for total, chance in found.items():
            for vector, more in law.items():
                at = tuple(a + b for a, b in zip(total, vector, strict=True))
                longer[at] = longer.get(at, Fraction(0)) + chance * more
        found = longer
    return found


def truth(law: dict, others: int, facts: list, factor: Fraction) -> Fraction:
    """How far one fact exceeds `factor` times another at worst over events, for the worst two facts."""
    whole, worst = sums(law, others), Fraction(0)
    for one, two in permutations(facts, 2):
        back = tuple(a - b for a, b in zip(one, two, strict=True))
        moved = [whole.get(tuple(a + b for a, b in zip(at, back, strict=True)), Fraction(0)) for at in whole]
        worst = max(worst, sum(max(Fraction(0), p - factor * q) for p, q in zip(whole.values(), moved, strict=True)))
    return worst


def random_law(dice: random.Random) -> dict:
    """Two or three classes, some with several values in steps; a class may be counted twice, a sum published twice."""
    step, classes = dice.choice([(1,), (2,), (1, 2), (1, 1)]), dice.choice([2, 2, 3])
    law = {}
    for place in range(classes):
        counts = tuple(int(place == other) for other in range(dice.choice([classes - 1, classes])))[: classes - 1]
        for value in dice.sample(range(-1, 4), dice.choice([1, 2, 3])):
            law[(*counts, *(value * part for part in step))] = Fraction(dice.randint(1, 6))
    whole = sum(law.values())
    return {vector: chance / whole for vector, chance in law.items()}


@pytest.mark.slow
def test_never_below_the_truth() -> None:
    dice, tried = random.Random("nested"), 0
    while tried < WORLDS:
        law, others = random_law(dice), dice.randint(5, 9)
        curve = nested_curve(law, others, list(law), OFTEN)
        if curve is not None:
            tried += 1
            for factor in (Fraction(1), Fraction(3, 2), Fraction(4)):
                upper = curve.delta(Fraction(math.log(factor))).upper
                assert truth(law, others, list(law), factor) <= upper + CLOSE, (law, others, factor)


def wages(people: int) -> dict:
    """Seven in ten have a wage of 0 to 6."""
    return {(0, 0): Fraction(3, 10), **{(1, wage): Fraction(1, 10) for wage in range(7)}}


@pytest.mark.slow
def test_close_to_the_joint_law_of_many_people() -> None:
    law, others, epsilon = wages(3000), 3000, HALF
    moves = {tuple(b - a for a, b in zip(one, two, strict=True)) for one, two in permutations(law, 2)}
    exact = VectorCurve(joint_law(law, others), tuple(sorted(moves))).delta(epsilon)
    close = nested_curve(law, others, list(law), Fraction(1, 10**6))
    assert close is not None
    upper = close.delta(epsilon).upper
    assert exact.lower <= upper <= max(50 * exact.upper, 1e-7)


def test_other_numbers_have_no_such_form() -> None:
    crossed = {(a, b, v): Fraction(1, 12) for a in (0, 1) for b in (0, 1) for v in range(3)}
    for law in (
        {(v,): Fraction(1, 3) for v in range(3)},  # a sum alone
        {(0, 1): HALF, (1, 0): HALF},  # counts alone
        crossed,  # counts that do not tell who is of which class
        {(0, 0, 0): Fraction(1, 4), (1, 0, 1): Fraction(1, 4), (1, 1, 0): Fraction(1, 4), (1, 2, 5): Fraction(1, 4)},
    ):
        assert nested_curve(law, 20, list(law), HALF) is None
    few = nested_curve(wages(3), 3, list(wages(3)), Fraction(1, 10**6))
    assert few is None  # perhaps nobody has a wage
