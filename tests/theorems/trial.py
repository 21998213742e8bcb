"""Random worlds on which a theorem of the catalogue is compared with brute force."""

import os
import random
from fractions import Fraction

TRIALS = {}
ROUNDS = {"fast": 20, "thorough": 200, "deep": 10_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 80)


def trial(key):
    """The decorated function draws a world from a `random.Random` and asserts that the theorem holds on it."""

    def put(function):
        assert key not in TRIALS, key
        TRIALS[key] = function
        return function

    return put


def run(key, rounds=ROUNDS):
    """As many rounds as the profile wants, each with a seed of its own, so that a failure names its seed."""
    for seed in range(rounds):
        try:
            TRIALS[key](random.Random(f"{key} {seed}"))
        except AssertionError as error:
            raise AssertionError(f"{key}, seed {seed}: {error}") from error


def law(dice, size, *, zeros=True):
    """A random law with ugly masses; ties, tiny masses and zeros are common."""
    kind = dice.randrange(4)
    if kind == 0:
        weights = [dice.randint(0 if zeros else 1, 3) for _ in range(size)]
    elif kind == 1:
        weights = [dice.randint(1, 10**6) for _ in range(size)]
    elif kind == 2:
        weights = [10 ** dice.randint(0, 12) for _ in range(size)]
    else:
        weights = [dice.choice([1, 1, 2, 10**9]) for _ in range(size)]
    if not any(weights):
        weights[dice.randrange(size)] = 1
    return [Fraction(weight, sum(weights)) for weight in weights]


def near(dice, base):
    """A law near another: some masses moved."""
    weights = [mass * dice.choice([1, 1, Fraction(9, 10), 2, Fraction(1, 3)]) for mass in base]
    whole = sum(weights)
    return [weight / whole for weight in weights]


def level(dice):
    """An ε: zero, tiny, ordinary, large."""
    return dice.choice(
        [Fraction(0), Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(3), Fraction(20)]
    )
