"""A person's change over a spell of editions, against all histories of small worlds."""

import random
from fractions import Fraction
from math import comb

import pytest
from tests.amount import repetitions
from tests.oracle.histories import histories, worst, worst_of_many, worst_value

from dalenius.tables.spells import Spells, Stay, Stratum, certainly

# not above e^epsilon, so that the truth is not below itself
FACTORS = {Fraction(1, 2): Fraction("1.648721270700128"), Fraction(1): Fraction("2.718281828459045")}
ALMOST = 1e-12  # what the factor loses
ONE_KNOWN = 780  # the only person who stays as long as they do, and not the one in question, is known


def world(dice):
    """Who is there when, a law, how often values are drawn anew, and what each value adds."""
    editions = dice.choice([1, 2, 2, 3])
    people = []
    for _ in range(dice.randint(1, 3)):
        first = dice.choice([1, 1, dice.randint(1, editions)])
        last = dice.choice([editions, editions, dice.randint(first, editions)])
        people += [(first, last)] * dice.randint(1, 4 if editions == 2 else 2)
    weights = [dice.randint(1, 6) for _ in range(2 if editions == 3 else dice.choice([2, 2, 2, 3]))]
    law = [Fraction(weight, sum(weights)) for weight in weights]
    steps = [Fraction(dice.randint(0, 10), 10) for _ in range(editions - 1)]
    adds = dice.choice([[(0,), (1,), (2,)], [(1, 0), (0, 1), (0, 0)], [(0,), (1,), (5,)]])[: len(law)]
    return people, law, steps, adds


def stratum(people, law, steps, adds, known):
    rows = tuple(sorted(zip(adds, law, strict=True)))
    stays = [Stay(*stay, rows, people.count(stay), min(known, people.count(stay) - 1)) for stay in sorted(set(people))]
    return Stratum(tuple(stays), tuple((step, step) for step in steps))


def wanted(seed):
    """Enough for coins to do, or so little that the joint law of all editions is worked out."""
    return Fraction(9, 10) if seed % 3 else Fraction(1, 10**6)


def compared(seed):
    """The truth for spells, the truth for values of one edition, and the bound."""
    dice = random.Random(seed)
    people, law, steps, adds = world(dice)
    known, epsilon = dice.choice([0, 0, 1]), dice.choice(list(FACTORS))
    judge = Spells(epsilon, wanted(seed), Fraction(dice.choice([1, 4, 8]), 16), Fraction(dice.choice([1, 8]), 16))
    bound = judge.upper(stratum(people, law, steps, adds, known), adds)
    each = {stay: histories(*stay, law, steps) for stay in set(people)}
    there = [each[stay] for stay in people]
    truth = worst(there, adds, FACTORS[epsilon], known)
    return float(truth), float(worst_value(there, adds, FACTORS[epsilon])), bound


@pytest.mark.slow
def test_the_bound_is_never_below_the_truth():
    found = [compared(seed) for seed in (*range(repetitions(60, 1500)), ONE_KNOWN)]
    assert all(max(spell, value) <= bound + ALMOST for spell, value, bound in found)
    assert any(spell < bound < 1 for spell, _, bound in found)


def compared_with_absence(seed):
    """The truth for spells of absence too, and the bound; what values add may never be nothing."""
    dice = random.Random(seed)
    people, law, steps, adds = world(dice)
    adds = [tuple(x + 1 for x in add) for add in adds] if seed % 2 else adds
    epsilon = dice.choice(list(FACTORS))
    judge = Spells(epsilon, wanted(seed))
    absent = (0,) * len(adds[0])
    bound = judge.upper(stratum(people, law, steps, adds, 0), list(dict.fromkeys([*adds, absent])))
    each = {stay: histories(*stay, law, steps) for stay in set(people)}
    truth = worst([each[stay] for stay in people], adds, FACTORS[epsilon], 0, presence=True)
    return float(truth), bound


@pytest.mark.slow
def test_nor_is_it_where_somebody_may_be_absent_over_a_spell():
    found = [compared_with_absence(seed) for seed in range(repetitions(24, 1000))]
    assert all(truth <= bound + ALMOST for truth, bound in found)
    assert any(truth < bound < 1 for truth, bound in found)


def many_people(seed, enough=None):
    """The truth and the bound for dozens of people whose value is yes or no."""
    dice = random.Random(seed)
    editions = dice.choice([2, 2, 3])
    most = 80 if editions == 2 else 16
    stays = {(1, editions): dice.randint(most // 2, most), (editions, editions): dice.randint(most // 4, most)}
    if editions == 3:
        stays[2, 3] = dice.randint(4, 12)
    left = (1, dice.randint(1, editions - 1))
    stays |= {left: dice.randint(1, most // 2)} if dice.random() < 0.8 else {}
    rate, steps = Fraction(dice.randint(2, 8), 16), [Fraction(dice.randint(0, 12), 16) for _ in range(editions - 1)]
    epsilon = dice.choice(list(FACTORS))
    law = (((0,), 1 - rate), ((1,), rate))
    whole = Stratum(tuple(Stay(*stay, law, n, 0) for stay, n in stays.items()), tuple((step, step) for step in steps))
    wanted = Fraction(dice.choice([1, 4]), 10)
    judge = Spells(epsilon, enough or wanted, hub=Fraction(dice.choice([1, 4, 8]), 16))
    truth = worst_of_many(stays, float(rate), list(map(float, steps)), float(FACTORS[epsilon]))
    return truth, judge.upper(whole, [(0,), (1,)])


@pytest.mark.slow
def test_among_many_people_the_bound_is_above_the_truth_and_says_something():
    found = [many_people(seed) for seed in range(repetitions(20, 1000))]
    assert all(truth <= bound + 1e-9 for truth, bound in found)
    assert sum(bound < 0.5 for _, bound in found) > len(found) / 3


@pytest.mark.slow
def test_where_coins_are_not_enough_the_joint_law_of_all_editions_is_close():
    found = [many_people(seed, Fraction(1, 10**6)) for seed in range(repetitions(20, 300))]
    assert all(truth <= bound + 1e-9 for truth, bound in found)
    assert sum(bound <= truth * 1.001 + 1e-9 for truth, bound in found) > len(found) * 0.8


def test_a_number_that_is_certain():
    for people, weight, miss in [(30, 0.3, 1e-2), (30, 0.9, 1e-4), (200, 0.02, 0.05), (5, 0.5, 0.6)]:
        number = certainly(people, weight, miss)
        chances = [comb(people, k) * weight**k * (1 - weight) ** (people - k) for k in range(people + 1)]
        assert sum(chances[:number]) <= miss * (1 + 1e-9) < sum(chances[: number + 1]) * (1 + 1e-6)
