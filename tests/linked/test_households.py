"""Records that move together, against all states of small households."""

import random
from fractions import Fraction

import pytest

from amount import repetitions
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Household
from dalenius.judge.group import Target
from dalenius.mechanisms import Chain, Rounded
from dalenius.plan import Question, assess
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame, Together
from dalenius.tables.history import History
from oracle import households as brute

HAIR = 1e-9


def _judged(labels, law, weight, frame, coins, household, known, epsilon, figures):
    """The largest upper end of all groups of people."""
    column = Categories(tuple(labels))
    belief = ColumnBelief("x", {(): tuple(zip(labels, law, strict=True))}, "test")
    together = Together("home", weight, "test", coins)
    question = Question(
        Frame(("g",), frame, together),
        {"x": column},
        (belief,),
        Attacker(known),
        household,
        Target(Fraction(epsilon), Fraction(1, 100)),
    )
    found = assess(figures, History(), question).findings
    return max(finding.delta.upper for finding in found), max(finding.delta.lower for finding in found)


def _count(label, by=("g",), channel=None):
    where = Where((("x", OneOf((label,))),))
    return Figure(f"number of {label}", "count", None, where, by, channel or Chain(()))


@pytest.mark.parametrize("seed", range(repetitions(6, 2000)))
def test_no_household_is_told_more_of_than_is_printed(seed):
    """One number a group; all members in one group, or in two."""
    rng = random.Random(seed)
    apart = seed % 2 == 1
    rate = Fraction(rng.randint(2, 8), 10)
    law, sizes = (1 - rate, rate), [rng.randint(1, 2 + seed % 3 // 2) for _ in range(rng.randint(6, 9))]
    homes = [brute.joints(law, size, rng) for size in sizes]
    weight = min([brute.own_weight(home, law) for home in homes] + [Fraction(99, 100)])
    cells = [[rng.randint(0, 1) if apart else home % 2 for _ in range(size)] for home, size in enumerate(sizes)]
    frame, coins = {}, {}
    for some in cells:
        for cell in some:
            frame[cell,] = frame.get((cell,), 0) + 1
        coins[some[0],] = coins.get((some[0],), 0) + 1
    known, epsilon = rng.randint(0, 1), rng.choice([2, 3, 4])

    def adds(home, member, value):
        return tuple(value if cells[home][member] == cell else 0 for cell in (0, 1))

    truth = brute.largest_delta(homes, adds, known, float(epsilon))
    household = Household(max(sizes), max(len(set(some)) for some in cells))
    upper, _ = _judged("ny", law, weight, frame, coins, household, known, epsilon, [_count("y")])
    assert upper >= truth - HAIR


@pytest.mark.parametrize("seed", range(repetitions(2, 1000)))
def test_counts_of_several_labels_are_hidden_in_shares(seed):
    rng = random.Random(seed)
    law = [Fraction(n, 10) for n in rng.choice([(3, 3, 4), (2, 5, 3)])]
    sizes = [rng.randint(1, 2) for _ in range(7)]
    homes = [brute.joints(law, size, rng) for size in sizes]
    weight = min([brute.own_weight(home, law) for home in homes] + [Fraction(99, 100)])
    frame, coins = {("a",): sum(sizes)}, {("a",): len(sizes)}

    def adds(_home, _member, value):
        return tuple(int(value == label) for label in range(3))

    truth = brute.largest_delta(homes, adds, 0, 3.0)
    figures = [_count(label) for label in "abc"]
    upper, _ = _judged("abc", law, weight, frame, coins, Household(max(sizes)), 0, 3, figures)
    assert upper >= truth - HAIR


def test_a_bound_is_worth_something():
    """Many households: the whole of one is hidden, in one number and in several."""
    law, frame, coins = [Fraction(3, 10), Fraction(3, 10), Fraction(4, 10)], {("a",): 4000}, {("a",): 2000}
    figures = [_count(label) for label in "abc"]
    one, _ = _judged("abc", law, Fraction(1, 2), frame, coins, Household(2), 20, 2, figures[:1])
    three, _ = _judged("abc", law, Fraction(1, 2), frame, coins, Household(2), 20, 2, figures)
    assert 0 < one < 1e-6
    assert one < three < 1e-2


def test_a_refusal_is_one_of_a_single_person_among_independent_ones():
    """The lower end is what is told of one member if all records are independent, which households allow."""
    rate = Fraction(3, 10)
    law, n = (1 - rate, rate), 6
    homes = [{(0,): law[0], (1,): law[1]} for _ in range(n)]
    truth = brute.largest_delta(homes, lambda _h, _m, value: (value,), 0, 1.0)
    _, lower = _judged("ny", law, Fraction(1, 2), {("a",): n}, {("a",): 3}, Household(2), 0, 1, [_count("y")])
    assert 0 < lower <= truth + HAIR


@pytest.mark.parametrize("base", [2, 5])
def test_rounding_counts_only_from_wherever_the_others_put_the_number(base):
    rng = random.Random(base)
    law = (Fraction(1, 2), Fraction(1, 2))
    homes = [brute.joints(law, 2, rng) for _ in range(5)]
    weight = min(brute.own_weight(home, law) for home in homes)
    world = (law, weight, {("a",): 10}, {("a",): 5}, Household(2), 0, 2)
    exact, _ = _judged("ny", *world, [_count("y")])
    rounded, _ = _judged("ny", *world, [_count("y", channel=Chain((Rounded(base),)))])
    assert rounded <= exact
    total = {0: Fraction(1)}
    for home in homes[1:]:
        total = _with(total, home)
    told = [_rounded(total, fact, base) for fact in range(3)]
    worst = max(brute.stick(one, two, 2.0) for one in told for two in told)
    assert 0 < worst <= rounded + HAIR


def _with(total, home):
    found = {}
    for at, p in total.items():
        for state, q in home.items():
            found[at + sum(state)] = found.get(at + sum(state), 0) + p * q
    return found


def _rounded(total, fact, base):
    found = {}
    for at, chance in total.items():
        shown = ((2 * (at + fact) + base) // (2 * base),)
        found[shown] = found.get(shown, 0) + chance
    return found
