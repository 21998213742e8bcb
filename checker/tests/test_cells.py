"""Pairs of cells, and laws in rows: against enumeration of all datasets."""

import random
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import exp
from types import SimpleNamespace

import pytest

from dalenius_checker import groups
from dalenius_checker.cells import least_likely, pairs_of_cells, tell_all_cells
from dalenius_checker.groups import Examiner, Part, differences
from dalenius_checker.laws import Law, Packed, bounds, coin, delta, total

F = Fraction
BITS = 120
HAIR = F(1, 10**12)
EPSILON = F(1, 2)
RATIO = F(exp(0.5))
ALL, SOME = ((0, 0), (1, 0), (0, 1)), ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
COUNT_AND_SUM = ((0, 0), (0, 1), (1, 2), (1, 3))


def seen(types, fact):
    """The law of what is published if the person has this fact: over all datasets of the others."""
    law = Counter()
    for others in product(*(letters for letters, count in types for _ in range(count))):
        mass = F(1)
        for _, chance in others:
            mass *= chance
        law[tuple(map(sum, zip(fact, *(vector for vector, _ in others), strict=True)))] += mass
    return law


def truth(types, facts):
    """The worst delta over every two facts, both ways round."""
    laws = {fact: seen(types, fact) for fact in facts}
    pairs = [(laws[one], laws[two]) for one, two in permutations(facts, 2)]
    return max(sum(max(F(0), mass - RATIO * other[at]) for at, mass in one.items()) for one, other in pairs)


def shared(dice, facts, least=1):
    weights = [dice.randint(least, 9) for _ in facts]
    return tuple((fact, F(w, sum(weights))) for fact, w in zip(facts, weights, strict=True) if w)


@pytest.mark.parametrize("facts", [ALL, SOME])
@pytest.mark.parametrize("seed", range(4))
def test_two_cells_are_all_that_counts_where_all_have_one_law(facts, seed):
    """Counts of all labels: the two least likely tell as much as the worst pair of all datasets, and no more."""
    dice = random.Random(seed)
    types = ((shared(dice, facts), dice.randint(1, 5)),)
    exactly = truth(types, facts)
    assert tell_all_cells(facts)
    assert len(least_likely(facts, types)) == 2
    found = [bounds(points, EPSILON, BITS) for points in pairs_of_cells(facts, types, 500, BITS)]
    assert exactly - HAIR <= max(one.lower for one in found) <= exactly + HAIR
    assert exactly - HAIR <= max(one.upper for one in found) <= exactly + HAIR


@pytest.mark.parametrize("facts", [ALL, COUNT_AND_SUM])
@pytest.mark.parametrize("seed", range(4))
def test_two_cells_bound_whatever_is_published_about_different_people(facts, seed):
    """Several laws, some without a fact that others have, and numbers that do not tell all cells."""
    dice = random.Random(seed)
    types = tuple((shared(dice, facts, least=seed % 2), dice.randint(1, 3)) for _ in range(2))
    upper = max(delta(points, EPSILON, BITS) for points in pairs_of_cells(facts, types, 500, BITS))
    assert truth(types, facts) <= upper + HAIR
    assert tell_all_cells(facts) == (facts is ALL)


def test_what_is_known_of_laws_from_below_bounds_all_of_them():
    known = tuple((fact, F(1, 5)) for fact in ALL)
    rests = [tuple((fact, F(1, 5) + F(2, 5) * (fact == more)) for fact in ALL) for more in ALL]
    upper = max(delta(points, EPSILON, BITS) for points in pairs_of_cells(ALL, ((known, 3),), 500, BITS))
    assert max(truth(((one, 1), (two, 2)), ALL) for one in rests for two in rests) <= upper + HAIR


@pytest.mark.slow
def test_how_many_coins_there_are_may_be_rounded_and_is_bounded_both_ways():
    types = ((tuple((fact, F(1, 3)) for fact in ALL), 200),)
    close, coarse = (
        [
            max(bounds(p, EPSILON, BITS) for p in pairs_of_cells(ALL, types, fine, BITS, most=most))
            for most in (False, True)
        ]
        for fine in (10**6, 10)
    )
    assert coarse[1].lower < close[0].lower <= close[0].upper < coarse[0].upper
    assert close[0].upper - close[1].lower < HAIR


def examiner(secret="value"):
    certificate = SimpleNamespace(epsilon=EPSILON, wanted=F(1), secret=secret)
    return Examiner(certificate, SimpleNamespace(), BITS)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("enough", [F(0), F(1)])
def test_linked_figures_are_bounded_both_ways_by_their_law(seed, enough):
    """A count and a sum of one column, which do not tell all cells; ranges of moves at once, or one by one."""
    dice = random.Random(seed)
    types = ((shared(dice, COUNT_AND_SUM), 3), (shared(dice, COUNT_AND_SUM), 2))
    exactly = truth(types, COUNT_AND_SUM)
    found = examiner()._output(Part(COUNT_AND_SUM, types, (None, None), 1), types, enough)
    assert exactly <= found.upper + HAIR and found.lower <= exactly + HAIR
    if not enough:
        assert found.upper - found.lower < HAIR


@pytest.mark.parametrize("domain", [ALL, ALL[1:], SOME])
def test_counts_of_all_labels_where_presence_is_secret(domain):
    """Who is absent adds nothing, as those do whose label is not counted; where all are counted, nothing hides them."""
    types = ((shared(random.Random(7), domain), 4),)
    exactly = truth(types, {*domain, (0,) * len(domain[0])})
    found = examiner("presence")._output(Part(domain, types, (None,) * len(domain[0]), 1), types, F(0))
    assert exactly - HAIR <= found.lower + HAIR and found.upper <= exactly + HAIR
    assert exactly <= found.upper + HAIR and (exactly == 1) == (domain is not ALL and domain is not SOME)


@pytest.mark.parametrize("cells", [True, False])
def test_what_is_too_large_is_bounded_by_cells(cells, monkeypatch):
    monkeypatch.setattr(groups, "MOST_TERMS", 10 if cells else 10**8)
    law = ((((0, 0), F(1, 4)), ((0, 1), F(1, 4)), ((1, 2), F(1, 4)), ((1, 3), F(1, 4))), 5)
    exactly = truth((law,), COUNT_AND_SUM)
    found = examiner()._output(Part(COUNT_AND_SUM, (law,), (None, None), 1), (law,), F(0))
    assert exactly <= found.upper + HAIR
    assert (found.lower == 0) == cells and (found.upper > exactly + HAIR) == cells


def test_rows_rise_and_fall_and_are_nowhere_larger():
    dice = random.Random(3)
    mass = [dice.randint(0, 99) for _ in range(47)]
    packed = Packed(Law(-5, mass), (9, 1), Law(4, [1] * 6))
    ridged = packed.ridged()
    where = {ridged.law.start + at: value for at, value in enumerate(ridged.law.mass)}
    assert all(value <= (mass[at + 5] if 0 <= at + 5 < len(mass) else 0) for at, value in where.items())
    for first in range(4 - 9 * 2, 50, 9):
        row = [where.get(at, 0) for at in range(first, first + 9)]
        top = row.index(max(row))
        assert row[: top + 1] == sorted(row[: top + 1]) and row[top:] == sorted(row[top:], reverse=True)
        assert row[6:] == [0, 0, 0]


def test_a_range_of_moves_is_bounded_by_its_ends():
    dice = random.Random(5)
    for _ in range(20):
        mass = [dice.randint(0, 99) for _ in range(60)]
        packed = Packed(Law(0, mass), (12, 1), Law(0, [1] * 8)).ridged()  # moves of up to 4, so many are between rows
        for rest in (0, 1, -1):
            ends = sorted(dice.sample(range(-4, 5), 2))
            upper = packed.gain((rest, ends[0]), (rest, ends[1]), 5, 2)
            assert all(packed.gain((rest, k), (rest, k), 5, 2) <= upper for k in range(ends[0], ends[1] + 1))


def test_the_law_of_many_records_is_cut_a_little_and_never_too_large():
    """Against the binomial law, in whole numbers."""
    start, mass = total(((coin(F(1, 2)), 64),), [None], (1,), 80)
    exactly = [1]
    for k in range(64):
        exactly.append(exactly[-1] * (64 - k) // (k + 1))
    assert start > 0 or len(mass) < 65
    for at, some in enumerate(mass, start):
        assert exactly[at] * (1 << 16) - (1 << 10) <= some <= exactly[at] * (1 << 16)
    assert 0 <= (1 << 80) - sum(mass) <= 64 << 30


def test_differences_of_numbers():
    numbers = [3, 4, 9, 17]
    assert differences(numbers) == sorted({a - b for a in numbers for b in numbers if a >= b})
