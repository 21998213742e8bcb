"""Records that move together, against all states of small households."""

import itertools
import random
from fractions import Fraction

import pytest

from amount import repetitions
from dalenius.facts.near import InIntervals, ListedPairs, OfHousehold, WithinPercent, WithinRange, WithinShare
from dalenius.facts.records import Between, Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Household
from dalenius.judge.group import Target
from dalenius.mechanisms import Chain, Rounded, two_sided_geometric
from dalenius.plan import Question, assess
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame, Together
from dalenius.tables.history import History
from oracle import households as brute

HAIR = 1e-9


def _judged(labels, law, weight, frame, coins, household, known, epsilon, figures):
    """The largest upper end of all groups of people."""
    column = labels if isinstance(labels, Numbers) else Categories(tuple(labels))
    belief = ColumnBelief("x", {(): tuple(zip(column.values, law, strict=True))}, "test")
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


@pytest.mark.slow
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


@pytest.mark.parametrize("seed", range(repetitions(3, 1000)))
def test_who_of_a_household_is_there_is_hidden_too(seed):
    """One number or two, all members in one group; a member who is not there adds nothing."""
    rng = random.Random(seed)
    law = [Fraction(n, 10) for n in rng.choice([(3, 7), (5, 5)])]
    sizes = [rng.randint(1, 2) for _ in range(6)]
    homes = [brute.joints(law, size, rng) for size in sizes]
    weight = min([brute.own_weight(home, law) for home in homes] + [Fraction(99, 100)])
    labels = ("y",) if seed % 3 else ("n", "y")

    def adds(_home, _member, value):
        return tuple(int("ny"[value] == label) for label in labels)

    known, epsilon = rng.randint(0, 1), rng.choice([1, 2])
    truth = brute.largest_delta(homes, adds, known, float(epsilon), absent=True)
    household = Household(max(sizes), presence=True)
    frame, coins = {("a",): sum(sizes)}, {("a",): len(sizes)}
    channel = Chain((Rounded(3),)) if seed % 2 and len(labels) == 1 else None
    if channel:  # wherever the others put the number
        total = _total_of(homes[1:])
        told = [_rounded(total, fact, 3) for fact in range(max(sizes) + 1)]
        truth = max(brute.stick(one, two, float(epsilon)) for one in told for two in told) if not known else 0.0
    figures = [_count(label, channel=channel) for label in labels]
    upper, lower = _judged("ny", law, weight, frame, coins, household, known, epsilon, figures)
    assert upper >= truth - HAIR
    assert lower <= 1


NUMBERS = Numbers(Fraction(1), Fraction(0), Fraction(3))
PROPERTIES = [
    OfHousehold("x", WithinRange(Fraction(1, 2))),
    OfHousehold("x", InIntervals((Fraction(0), Fraction(3), Fraction(9)))),
    OfHousehold("x", ListedPairs(((Fraction(1), Fraction(3)), (Fraction(0), Fraction(2))))),
    OfHousehold("x", WithinPercent(Fraction(10))),
    OfHousehold("x", WithinShare(Fraction(3), Fraction(4))),
]


def _alike(one, relation):
    """Whether two totals are compared, by the words of the secret."""
    a, b = one
    match relation:
        case WithinRange(k):
            return 0 < abs(a - b) < 4 * k
        case InIntervals((_, cut, _)):
            return (a < cut) != (b < cut)
        case ListedPairs(pairs):
            return (a, b) in pairs or (b, a) in pairs
        case WithinPercent(p):
            return a * b > 0 and a != b and max(a, b) * (1 - p / 100) ** 4 < min(a, b)
        case WithinShare(points, others):
            return a != b and abs(Fraction(a) / (a + others) - Fraction(b) / (b + others)) < 4 * points / 100
    raise AssertionError(relation)


@pytest.mark.parametrize("only", PROPERTIES, ids=str)
@pytest.mark.parametrize("seed", range(repetitions(1, 200)))
def test_of_a_property_of_a_household_all_that_is_compared_counts_and_nothing_else(only, seed):
    rng = random.Random(seed)
    law = [Fraction(n, 10) for n in rng.choice([(3, 3, 2, 2), (4, 2, 3, 1)])]
    sizes = [rng.randint(1, 2) for _ in range(6)]
    homes = [brute.joints(law, size, rng) for size in sizes]
    weight = min([brute.own_weight(home, law) for home in homes] + [Fraction(99, 100)])
    rich = seed % 2 == 1

    def adds(_home, _member, value):
        return (int(value >= 2),) if rich else (value,)

    def compared(one, two):
        return _alike((sum(one), sum(two)), only.relation)

    truth = brute.largest_delta(homes, adds, 0, 1.0, compared=compared)
    figure = Figure("rich", "count", None, Where((("x", Between(Fraction(2), None)),)), ("g",))
    figure = figure if rich else Figure("sum", "sum", "x", by=("g",))
    world = (weight, {("a",): sum(sizes)}, {("a",): len(sizes)})
    upper, lower = _judged(NUMBERS, law, *world, Household(max(sizes), only=only), 0, 1, [figure])
    whole, _ = _judged(NUMBERS, law, *world, Household(max(sizes)), 0, 1, [figure])
    assert lower == 0
    assert truth - HAIR <= upper <= whole
    shifts = {
        abs(adds(0, 0, 0)[0] + sum(adds(0, 0, v)[0] for v in one) - sum(adds(0, 0, v)[0] for v in two))
        for size in range(1, max(sizes) + 1)
        for one, two in itertools.permutations(itertools.product(range(4), repeat=size), 2)
        if compared(one, two)
    }
    rows, places = list(range(4)), [[at] for at in range(4)]
    found = only.changes([("x", NUMBERS)], places, [adds(0, 0, row)[0] for row in rows], max(sizes))
    assert set(found) == shifts - {0}


@pytest.mark.slow
def test_how_many_members_have_something_may_be_what_is_secret():
    """Nobody, or one of them: as much as one person in a count; their number to the last one is not."""
    law, frame, coins = [Fraction(7, 10), Fraction(3, 10)], {("a",): 400}, {("a",): 200}
    one = OfHousehold("x", ListedPairs(((Fraction(0), Fraction(1)),)), ("y",))
    found = [
        _judged("ny", law, Fraction(1, 2), frame, coins, household, 0, 1, [_count("y")])[0]
        for household in (Household(4, only=one), Household(1), Household(4))
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    assert found[0] < found[2] / 100
    noisy = _count("y", channel=Chain((two_sided_geometric(1),)))
    hidden, whole = (
        _judged("ny", law, Fraction(1, 2), {("a",): 4}, {("a",): 1}, household, 0, 1, [noisy])[0]
        for household in (Household(4, only=one), Household(4))
    )
    assert hidden == 0 < whole


def test_of_several_numbers_of_a_household_any_two_states_are_compared():
    """Within a household a fact about one column says something about the others."""
    law, frame, coins = [Fraction(3, 10), Fraction(3, 10), Fraction(4, 10)], {("a",): 400}, {("a",): 200}
    one = OfHousehold("x", ListedPairs(((Fraction(0), Fraction(1)),)), ("a",))
    figures = [_count("a"), _count("b")]
    world = ("abc", law, Fraction(1, 2), frame, coins)
    assert _judged(*world, Household(2, only=one), 0, 3, figures) == _judged(*world, Household(2), 0, 3, figures)


@pytest.mark.slow
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
    total = _total_of(homes[1:])
    told = [_rounded(total, fact, base) for fact in range(3)]
    worst = max(brute.stick(one, two, 2.0) for one in told for two in told)
    assert 0 < worst <= rounded + HAIR


def _total_of(homes):
    total = {0: Fraction(1)}
    for home in homes:
        total = _with(total, home)
    return total


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
