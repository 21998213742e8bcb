"""The worst of all beliefs: no belief exceeds the upper end, one reaches the lower end, and grids agree with both."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.papers.definitions.games import Games
from dalenius.papers.definitions.semantic import failure, oblivious_failure, worst_shift
from dalenius.papers.definitions.worst_belief import worst_failure, worst_informed_failure, worst_oblivious_failure
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite
from finite.test_semantic import BIT, BITS, HALF, PAIRS, games_on, laws, matrices, xor_games

LEVELS = st.sampled_from(["0", "1/20", "1/7", "3/10", "2/3"])
NARROW = Fraction(1, 50)
FEWER = settings(max_examples=max(5, settings.default.max_examples // 5))  # each one takes a while


def believing(weights):
    return Finite.table(dict(zip(PAIRS, weights, strict=True)))


def saying_yes(*chances):
    """Games on two bits with a yes-or-no release."""
    rows = [[Fraction(chance), 1 - Fraction(chance)] for chance in chances]
    return Games.on(BITS, FiniteMechanism.matrix(rows), default=0)


@pytest.mark.slow
@FEWER
@given(rows=matrices(), priors=st.lists(laws(4), min_size=4, max_size=8), level=LEVELS)
def test_no_belief_fails_more_often_and_one_fails_that_often(rows, priors, level):
    games = games_on(rows)
    for judge, search in ((failure, worst_failure), (oblivious_failure, worst_oblivious_failure)):
        worst = search(games, level, width=NARROW, boxes=60)
        for prior in priors:
            assert judge(games.under(believing(prior)), level).lower <= worst.chance.upper
        assert judge(games.under(worst.belief), level).upper >= worst.chance.lower


@pytest.mark.slow
@FEWER
@given(rows=matrices(least=1), level=LEVELS)
def test_above_the_largest_shift_nothing_fails(rows, level):
    games = games_on(rows)
    size = worst_shift(games).size
    above = Fraction(size.upper)
    assert worst_failure(games, above).chance.upper == worst_oblivious_failure(games, above).chance.upper == 0
    if Fraction(level) < Fraction(size.lower):
        assert worst_failure(games, level, width=NARROW, boxes=60).chance.lower > 0


def on_a_grid(rows, level, size, *, oblivious=False):
    """The largest chance of failing over beliefs on a grid of step 1/size, from the definition, in floats."""
    weights = np.array([w for w in itertools.product(range(size + 1), repeat=3) if sum(w) <= size], dtype=float) / size
    beliefs = np.column_stack([weights, 1 - weights.sum(axis=1)])
    real = np.array(rows, dtype=float)
    chance = np.zeros(len(beliefs))
    truths = np.zeros((len(beliefs), 4))
    for t in range(real.shape[1]):
        joint = beliefs * real[:, t]
        bad = np.zeros(len(beliefs), dtype=bool)
        for i in range(2):
            without = real[[PAIRS.index((0, y) if i == 0 else (x, 0)) for x, y in PAIRS], t]
            other = beliefs * without
            after = joint / joint.sum(axis=1, keepdims=True), other / other.sum(axis=1, keepdims=True)
            bad |= np.abs(after[0] - after[1]).sum(axis=1) / 2 > level
        chance += np.where(bad, joint.sum(axis=1), 0.0)
        truths += np.where(bad[:, None], real[:, t], 0.0)
    return float((truths if oblivious else chance).max())


@pytest.mark.slow
@pytest.mark.parametrize("level", ["0.08", "0.19", "0.31"])
@pytest.mark.parametrize(
    "rows",
    [
        [["7/20", "13/20"], ["1/10", "9/10"], ["7/10", "3/10"], ["9/20", "11/20"]],
        [["1/2", "1/4", "1/4"], ["1/8", "5/8", "1/4"], ["1/3", "1/3", "1/3"], ["1/5", "1/5", "3/5"]],
    ],
    ids=["two", "three"],
)
def test_a_fine_grid_of_beliefs_comes_up_to_the_worst(rows, level):
    exactly = [[Fraction(chance) for chance in row] for row in rows]
    games = games_on(exactly)
    for oblivious, search in ((False, worst_failure), (True, worst_oblivious_failure)):
        worst = search(games, level, width="1/200").chance
        found = on_a_grid(exactly, float(level), 40, oblivious=oblivious)
        assert worst.width <= 1 / 200
        assert found <= worst.upper + 1e-12
        assert worst.lower <= found + 0.06  # one step of the grid moves a chance by about as much


@pytest.mark.slow
def test_two_datasets_do_not_make_the_worst_belief():
    """P(yes) on 00, 01, 10, 11: whoever holds all four equally likely is always shifted by more than 0.15, while a
    belief on two datasets is so at most 0.58 of the time.
    """
    games, found = saying_yes("1/4", "1/2", "1/2", "9/10"), 0.0
    assert worst_failure(games, "0.15").chance.lower == 1
    assert failure(games, "0.15").lower == 1
    for x, y in itertools.combinations(range(4), 2):
        for u in range(1, 50):
            prior = [Fraction(0)] * 4
            prior[x], prior[y] = Fraction(u, 50), 1 - Fraction(u, 50)
            found = max(found, failure(games.under(believing(prior)), "0.15").upper)
    assert found < 0.6


def test_the_worst_belief_on_one_bit_in_closed_form():
    """Randomised response with odds 3, known default: with P(1) = u the answer 1 shifts the belief by
    u (1 - u) 2 / (1 + 2u) > 0.26 as long as u is below a root, and has the chance (1 + 2u) / 4.
    """
    games = Games.of(lambda x: {x[0]: "3/4", 1 - x[0]: "1/4"}, BIT, default=0)
    level = 0.26
    root = ((1 - level) + math.sqrt((1 - level) ** 2 - 2 * level)) / 2  # of 2u (1 - u) = level (1 + 2u)
    worst = worst_failure(games, "0.26", width="1/100000").chance
    assert worst.lower - 1e-6 <= (1 + 2 * root) / 4 <= worst.upper + 1e-9  # the answer 0 is the mirror image
    assert worst.width <= 1e-5


@pytest.mark.slow
def test_informed_beliefs_lie_on_lines():
    games = saying_yes("1/4", "1/2", "1/2", "9/10")
    free = worst_failure(games, "0.2").chance
    any_record = worst_informed_failure(games, "0.2", about="any record").chance
    unknown = worst_informed_failure(games, "0.2", about="the unknown record").chance
    assert 0 < unknown.lower <= any_record.upper <= free.upper
    found = 0.0
    for line in ([0, 1], [2, 3], [0, 2], [1, 3]):
        for u in range(1, 100):
            prior = [Fraction(0)] * 4
            prior[line[0]], prior[line[1]] = Fraction(u, 100), 1 - Fraction(u, 100)
            found = max(found, failure(games.under(believing(prior)), "0.2").upper)
    assert any_record.lower - 0.01 <= found <= any_record.upper
    wrong = worst_informed_failure(games, "0.2", about="any record", reality="any").chance
    assert wrong.lower >= any_record.lower - 1e-3


def test_the_exclusive_or_is_the_extreme_of_the_closed_form():
    level = math.tanh(0.5)
    games = xor_games(1.0)
    assert worst_failure(games, level + 1e-6).chance.upper == 0
    assert worst_failure(games, level - 1e-6, width="1/100").chance.lower > 0.2


def test_an_undefined_posterior_fails_at_every_level():
    """Half the time the record is shown; without it that cannot be."""
    games = Games.of(lambda x: {"d": 1} if x[0] == "default" else {x[0]: HALF, "d": HALF}, BIT, default="default")
    for level in ("0.17", "1", "5"):
        worst = worst_failure(games, level)
        assert worst.chance.lower == worst.chance.upper == 0.5
    assert worst_oblivious_failure(games, 1).chance.lower == 0.5


def test_reality_may_be_what_the_belief_rules_out():
    games = Games.of(lambda x: {x[0]: 1}, BIT, default=0)
    worst = worst_oblivious_failure(games, "1/2")
    assert worst.chance.lower == 1
    assert oblivious_failure(games.under(worst.belief), "1/2").lower == 1


def test_the_bracket_is_certified_however_few_boxes_are_looked_at():
    games = games_on([[Fraction(n, 10) for n in row] for row in ([1, 2, 7], [3, 3, 4], [5, 4, 1], [2, 2, 6])])
    whole = worst_failure(games, "0.2", width="1/500").chance
    for boxes in (0, 1, 7, 20):
        some = worst_failure(games, "0.2", width=0, boxes=boxes).chance
        assert some.lower <= whole.upper and whole.lower <= some.upper
    assert whole.width <= 1 / 500


def test_transcripts_that_say_the_same_count_as_one():
    whole = saying_yes("1/4", "1/2", "1/2", "9/10")
    rows = [[Fraction(chance) / 3] * 3 + [1 - Fraction(chance)] for chance in ("1/4", "1/2", "1/2", "9/10")]
    parts = Games.on(BITS, FiniteMechanism.matrix(rows), default=0)
    assert worst_failure(parts, "0.3").chance == worst_failure(whole, "0.3").chance


def test_bad_input():
    games = xor_games(1.0)
    with pytest.raises(InputError, match="an epsilon of at least 0"):
        worst_failure(games, -1)
    with pytest.raises(InputError, match="a width of at least 0"):
        worst_failure(games, 0.1, width=-1)
    with pytest.raises(InputError, match="the unknown record"):
        worst_informed_failure(games, 0.1, about="somebody")
    with pytest.raises(InputError, match="drawn from the belief"):
        worst_informed_failure(games, 0.1, about="any record", reality="none")
    floats = FiniteMechanism(games.real.outputs, games.real.state, games.real.rows.astype(float))
    with pytest.raises(InputError, match="exact probabilities"):
        worst_failure(Games(games.belief, floats, (floats, floats)), 0.1)


def test_footnote_4_is_refuted_by_one_bit():
    """ε = 1/2: answers with log ratio 1.3 > 2ε shift no belief by more than (e^ε - 1)/2, whatever is real."""
    up = Fraction(math.exp(1.3)).limit_denominator(10**6)
    true = up / (1 + up)
    coin = Finite.product([{0: "1/2", 1: "1/2"}])
    games = Games.of(lambda x: {x[0]: true, 1 - x[0]: 1 - true}, coin, default=0)
    level = Fraction((math.exp(0.5) - 1) / 2).limit_denominator(10**9)
    assert worst_oblivious_failure(games, level).chance.upper == 0
    assert math.log(true / (1 - true)) > 2 * 0.5
