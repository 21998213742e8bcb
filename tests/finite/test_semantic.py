"""Semantic and noiseless privacy on finite worlds: literal brute force, the papers' numbers, bad input."""

import itertools
import json
import math
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.facts.statistics import Count
from dalenius.mechanisms import DiscreteGaussian
from dalenius.numerics.outcomes import Outcomes, both_ratios, fractions
from dalenius.papers.definitions.games import Games
from dalenius.papers.definitions.noiseless_worlds import noiseless_by_presence
from dalenius.papers.definitions.semantic import (
    distances,
    failure,
    largest_ratio,
    largest_shift,
    oblivious_failure,
    worst_informed_shift,
    worst_shift,
)
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite, replaced

ALL = json.loads((Path(__file__).parents[1] / "golden" / "semantics.json").read_text())
KS, CH = ALL["KS"], ALL["CH"]
HALF = Fraction(1, 2)
PAIRS = list(itertools.product((0, 1), repeat=2))
BITS = Finite.table(dict.fromkeys(PAIRS, Fraction(1, 4)))
BIT = Finite.product([{0: HALF, 1: HALF}])


def laws(size, *, least=0):
    return (
        st.lists(st.integers(least, 5), min_size=size, max_size=size)
        .filter(any)
        .map(lambda weights: [Fraction(weight, sum(weights)) for weight in weights])
    )


def matrices(*, least=0):
    return st.lists(laws(3, least=least), min_size=4, max_size=4)


def games_on(rows, prior=None):
    games = Games.on(BITS, FiniteMechanism.matrix(rows), default=0)
    return games if prior is None else games.under(Finite.table(dict(zip(PAIRS, prior, strict=True))))


def told(rows, x, t):
    return rows[PAIRS.index(x)][t]


def literal_posterior(rows, prior, t, record=None):
    """Bayes' rule, term by term; None if nothing can have led to t."""
    seen = {x: x if record is None else replaced(x, record, 0) for x in PAIRS}
    joint = {x: chance * told(rows, seen[x], t) for x, chance in zip(PAIRS, prior, strict=True)}
    whole = sum(joint.values())
    return {x: part / whole for x, part in joint.items()} if whole else None


def literal_distance(one, two):
    """The largest gap over every event."""
    if one is None or two is None:
        return math.inf
    events = itertools.chain.from_iterable(itertools.combinations(PAIRS, size) for size in range(5))
    return max(abs(sum(one[x] - two[x] for x in event)) for event in events)


def literal_table(rows, prior):
    return [
        [literal_distance(literal_posterior(rows, prior, t), literal_posterior(rows, prior, t, i)) for t in range(3)]
        for i in range(2)
    ]


def literal_failure(weights, table, level):
    return sum((weight for t, weight in enumerate(weights) if any(row[t] > level for row in table)), Fraction(0))


def inside(bracket, number, slack=0.0):
    return bracket.lower - slack <= number <= bracket.upper + slack


# -- given beliefs -----------------------------------------------------------------------------------------------------


@given(rows=matrices(), prior=laws(4), level=st.sampled_from(["0", "1/10", "1/3", "3/4", "1"]))
def test_a_given_belief_agrees_with_brute_force(rows, prior, level):
    games, table = games_on(rows, prior), literal_table(rows, prior)
    seen = [sum(chance * told(rows, x, t) for x, chance in zip(PAIRS, prior, strict=True)) for t in range(3)]
    assert distances(games) == table
    worst = max(table[i][t] for i in range(2) for t in range(3) if seen[t])
    assert inside(largest_shift(games).size, worst)
    assert inside(failure(games, level), literal_failure(seen, table, Fraction(level)))
    each = [literal_failure(rows[place], table, Fraction(level)) for place in range(4)]
    assert inside(oblivious_failure(games, level), max(each))
    assert inside(oblivious_failure(games, level, [PAIRS[2]]), each[2])


@pytest.mark.slow
@given(rows=matrices(), prior=laws(4, least=1), level=st.sampled_from(["0.0501", "0.3003", "0.7507"]))
def test_floats_bracket_the_fractions(rows, prior, level):
    games = games_on(rows, prior)
    floats = Games(
        Finite(games.belief.values, games.belief.codes, games.belief.mass.astype(float)), games.real, games.without
    )
    for blurred, sharp in (
        (largest_shift(floats).size, largest_shift(games).size),
        (failure(floats, level), failure(games, level)),
        (oblivious_failure(floats, level), oblivious_failure(games, level)),
        (largest_ratio(floats), largest_ratio(games)),
    ):
        assert blurred.lower <= sharp.upper and sharp.lower <= blurred.upper
        assert blurred.lower == blurred.upper or blurred.width < 1e-9


def test_a_float_distance_at_the_level_is_undecided():
    games = Games.of(lambda x: {x[0]: "3/4", 1 - x[0]: "1/4"}, Finite.product_of_floats([{0: 0.5, 1: 0.5}]), default=0)
    at, above, below = (failure(games, level) for level in ("0.25", "0.26", "0.24"))
    assert at.lower == 0 and at.upper == 1
    assert above.upper < 1e-9 and below.lower > 1 - 1e-9


def test_a_mechanism_and_the_function_it_came_from_play_the_same_games():
    def release(x):
        return {x[0] & x[1]: "2/3", "none": "1/3"}

    of = Games.of(release, BITS, default=0)
    on = Games.on(BITS, FiniteMechanism.random(release, BITS), default=0)
    assert [sorted(map(float, row)) for row in distances(of)] == [sorted(map(float, row)) for row in distances(on)]
    assert worst_shift(of).size == worst_shift(on).size


def test_a_deterministic_mechanism_is_played_without_rows():
    games = Games.on(BITS, FiniteMechanism.of(lambda x: x[0] ^ x[1], BITS), default=0)
    # Seeing 1: (0, 1) or (1, 0) in reality, (0, 1) or (1, 1) without record 0.
    assert inside(largest_shift(games).size, HALF)
    sharp = Games.of(lambda x: {x[0] ^ x[1]: 1}, BITS, default=0)
    assert failure(games, "1/2") == failure(sharp, "1/2")
    assert oblivious_failure(games, "1/3").upper == 1
    floats = Games(Finite.product_of_floats([{0: 0.5, 1: 0.5}] * 2), games.real, games.without)
    assert inside(largest_shift(floats).size, 0.5)


# -- all beliefs -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(rows=matrices(), priors=st.lists(laws(4), min_size=1, max_size=8))
@example(rows=[[1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]], priors=[[1, 0, 0, 0]])
def test_no_belief_shifts_more_than_the_worst_and_two_points_attain_it(rows, priors):
    games = games_on(rows)
    worst = worst_shift(games)
    for prior in priors:
        under = games.under(Finite.table(dict(zip(PAIRS, prior, strict=True))))
        assert largest_shift(under).size.lower <= worst.size.upper
        assert largest_ratio(under).lower <= worst.ratio.upper
    attained = largest_shift(games.under(worst.prior)).size
    assert attained.upper >= worst.size.lower - (0 if math.isinf(worst.size.lower) else 1e-10)
    assert sum(chance > 0 for chance in worst.prior.mass.tolist()) <= 2


@given(rows=matrices(least=1))
def test_a_fine_grid_of_two_point_beliefs_comes_up_to_the_worst(rows):
    games, found = games_on(rows), 0.0
    share = np.linspace(0, 1, 1001)[1:-1]
    for (x, y), i, t in itertools.product(itertools.combinations(PAIRS, 2), range(2), range(3)):
        real = [float(told(rows, z, t)) for z in (x, y)]
        without = [float(told(rows, replaced(z, i, 0), t)) for z in (x, y)]
        after = [share * one / (share * one + (1 - share) * two) for one, two in (real, without)]
        found = max(found, float(np.abs(after[0] - after[1]).max()))
    size = worst_shift(games).size
    assert found <= size.upper + 1e-14
    assert size.lower - found < 1e-4


@given(rows=matrices(least=1))
def test_informed_beliefs_are_those_on_a_line(rows):
    games = games_on(rows)
    roots = {"the unknown record": [], "any record": []}
    for free, known in itertools.product(range(2), (0, 1)):
        line = [x for x in PAIRS if x[1 - free] == known]
        for i, t in itertools.product(range(2), range(3)):
            ratios = [told(rows, x, t) / told(rows, replaced(x, i, 0), t) for x in line]
            root = math.sqrt(max(ratios) / min(ratios))
            roots["any record"].append((root - 1) / (root + 1))
            if i == free:
                roots["the unknown record"].append((root - 1) / (root + 1))
    for about, found in roots.items():
        assert inside(worst_informed_shift(games, about=about).size, max(found), 1e-14)
    unknown = worst_informed_shift(games, about="the unknown record").size
    assert unknown.lower <= worst_informed_shift(games, about="any record").size.upper <= worst_shift(games).size.upper


def test_a_transcript_that_is_impossible_without_the_record_fails_at_every_level():
    # Skipping it would call this private at level 0.17 although no finite ε will do (errata, section 6).
    games = Games.of(lambda x: {"d": 1} if x[0] == "default" else {x[0]: HALF, "d": HALF}, BIT, default="default")
    assert worst_shift(games).size.lower == math.inf
    assert inside(failure(games, 1), HALF)
    assert largest_ratio(games).lower == math.inf


def test_a_supremum_of_one_is_not_an_undefined_posterior():
    games = Games.of(lambda x: {0: 1} if x[0] else {0: HALF, 1: HALF}, BIT, default=0)
    worst = worst_shift(games)
    assert 1 - 1e-15 < worst.size.lower <= worst.size.upper == 1
    assert worst.ratio.lower == math.inf
    assert largest_shift(games.under(worst.prior)).size.upper > 1 - 1e-11


def test_who_is_wrong_about_reality_may_think_that_much_is_learned():
    """Theorem A.2 in small: believing in (0, 0, 0) or (1, 0, 0) when the truth is (1, 1, 1)."""

    def release(x):
        weights = [Fraction(1, 1 + 9 * (t - sum(x)) ** 4) for t in range(4)]
        return {t: weight / sum(weights) for t, weight in enumerate(weights)}

    cube = Finite.product([{0: HALF, 1: HALF}] * 3)
    games = Games.of(release, cube, default=0).under(Finite.table({(0, 0, 0): HALF, (1, 0, 0): HALF}))
    usual = oblivious_failure(games, "0.3", [(0, 0, 0), (1, 0, 0)])
    assert inside(oblivious_failure(games, "0.3"), float(oblivious_failure(games, "0.3", [(1, 1, 1)]).upper), 1e-15)
    assert oblivious_failure(games, "0.3").lower >= usual.upper >= failure(games, "0.3").upper


def test_a_transcript_that_the_belief_rules_out_is_a_failure_for_reality_only():
    games = Games.of(lambda x: {x[0]: 1}, BIT, default=0).under(Finite.table({(0,): 1}))
    assert failure(games, 0).upper == 0
    assert oblivious_failure(games, 1).lower == 1


# -- the papers' numbers -----------------------------------------------------------------------------------------------


def responses(epsilon, fact):
    """Randomised response about one fact."""
    odds = Fraction(math.exp(epsilon))
    return lambda x: {fact(x): odds / (1 + odds), 1 - fact(x): 1 / (1 + odds)}


def xor_games(epsilon):
    return Games.of(responses(epsilon, lambda x: x[0] ^ x[1]), BITS, default=0)


def on_ten(share):
    share = Fraction(str(share))
    return Finite.table({(1, 0): share, (1, 1): 1 - share})


def first_ratio(games):
    """The log ratio of the beliefs without record 0, at transcript 1."""
    return both_ratios(*(Outcomes(law) for law in games.posteriors(1, 0))).upper


@pytest.mark.parametrize("case", KS["thm2.2_forward"], ids=str)
def test_theorem_2_2_forward_with_its_tight_constant(case):
    games = xor_games(case["eps"])
    at_half = games.under(on_ten("1/2"))
    assert distances(at_half)[0][games.real.outputs.index(1)] == pytest.approx(case["attained_sd"], rel=1e-11)
    worst = worst_shift(games)
    assert worst.size.upper == pytest.approx(case["tight_tanh_half"], rel=1e-11)
    assert worst.size.upper < case["paper"]
    assert worst.ratio.upper == pytest.approx(2 * case["eps"], rel=1e-12)
    alone = worst_shift(Games.of(responses(case["eps"], lambda x: x[0]), BIT, default=0))
    informed = worst_informed_shift(games, about="the unknown record")
    assert alone.size.upper == pytest.approx(case["n1_or_informed_tight"], rel=1e-11)
    assert informed.size.upper == pytest.approx(case["n1_or_informed_tight"], rel=1e-11)
    # The example is informed, but about a record that the attacker knows (errata, section 6, 1).
    assert worst_informed_shift(games, about="any record").size.upper == pytest.approx(worst.size.upper, rel=1e-12)
    for share, ratio in case["log_ratio_by_prior"]:
        assert first_ratio(games.under(on_ten(share))) == pytest.approx(ratio, rel=1e-11)


@pytest.mark.parametrize("case", KS["thm2.2_converse"]["cases"], ids=str)
def test_theorem_2_2_converse_is_refuted_by_one_bit(case):
    level = 4 * math.atanh(math.expm1(case["eps"]) / 2)
    games = Games.of(responses(level, lambda x: x[0]), BIT, default=0)
    worst = worst_shift(games)
    differential = both_ratios(*(Outcomes(games.real.row(place)) for place in range(2))).lower
    assert worst.size.upper == pytest.approx(case["s"], rel=1e-11)
    assert differential == pytest.approx(case["dp_level_of_mechanism"], rel=1e-11)
    assert (differential > case["claimed_dp"]) is case["violated"]
    # The repair: s-semantic privacy gives 4 artanh(s), and this mechanism attains it.
    assert 4 * math.atanh(worst.size.upper) == pytest.approx(differential, rel=1e-12)
    assert math.tanh(case["eps"] / 2) == pytest.approx(case["repaired_s_for_2eps"], rel=1e-11)


@pytest.mark.parametrize("case", CH["thm4.1_xor_rr_eps1"]["cases"], ids=str)
def test_theorem_4_1_on_the_xor_of_two_bits(case):
    games = xor_games(1.0).under(on_ten(case["prior_on_10"]))
    real, without = games.posteriors(1, 0)
    places = [PAIRS.index((1, 0)), PAIRS.index((1, 1))]
    assert [float(real[place]) for place in places] == pytest.approx(case["posterior"], rel=1e-10)
    assert [float(without[place]) for place in places] == pytest.approx(case["posterior_minus_i"], rel=1e-10)
    assert first_ratio(games) == pytest.approx(case["max_log_ratio"], rel=1e-10)
    assert first_ratio(games) - 1e-12 <= largest_ratio(games).upper <= CH["thm4.1_xor_rr_eps1"]["sup"] + 1e-12
    assert float(distances(games)[0][games.real.outputs.index(1)]) == pytest.approx(case["tv"], rel=1e-9)
    worst = worst_shift(xor_games(1.0))
    assert worst.ratio.upper == pytest.approx(CH["thm4.1_xor_rr_eps1"]["sup"], rel=1e-12)
    assert worst.size.upper == pytest.approx(CH["thm4.1_xor_rr_eps1"]["tv_sup"], rel=1e-11)


def test_theorem_4_1_with_one_record():
    games = Games.of(responses(1.0, lambda x: x[0]), BIT, default=0)
    rare = games.under(Finite.table({(0,): 1 - Fraction(1, 10**9), (1,): Fraction(1, 10**9)}))
    assert first_ratio(rare) == pytest.approx(CH["thm4.1_n1"]["value"], abs=2e-12)
    assert first_ratio(rare) <= largest_ratio(rare).upper <= 1  # the other transcript comes closer to the supremum ε
    assert worst_shift(games).ratio.upper == pytest.approx(1.0, rel=1e-13)


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_bad_input_is_refused_with_a_remedy():
    with pytest.raises(InputError, match="List it with probability 0"):
        Games.on(on_ten("1/2"), FiniteMechanism.of(lambda x: x, on_ten("1/2")), default=0)
    games = xor_games(1.0)
    with pytest.raises(InputError, match="List it here with probability 0"):
        games.under(Finite.table({(2, 2): 1}))
    with pytest.raises(InputError, match="one of the transcripts"):
        games.posteriors("never", 0)
    with pytest.raises(InputError, match="a dataset of the games"):
        oblivious_failure(games, 0, [(7, 7)])
    with pytest.raises(InputError, match="the unknown record"):
        worst_informed_shift(games, about="somebody")
    with pytest.raises(InputError, match="averaged"):
        noiseless_by_presence(lambda _: {0: 1}, BITS, 0, added=(), taken_out="sometimes")
    with pytest.raises(InputError, match="a release without each of 2 records"):
        Games(BITS, games.real, games.without[:1])
    with pytest.raises(InputError, match="a state for each of 4 datasets"):
        Games(BITS, games.real, (games.real, games.real.moved(np.array([0]))))
    other = FiniteMechanism.of(lambda x: ("other", x), BITS)
    with pytest.raises(InputError, match="the same outputs in all games"):
        Games(BITS, games.real, (games.real, other))
    with pytest.raises(InputError, match="a release known exactly"):
        Games.on(BITS, FiniteMechanism.of(Count() >> DiscreteGaussian(1), BITS), default=0)
    with pytest.raises(InputError, match="at least one record"):
        Games(Finite((), np.zeros((1, 0), dtype=np.int64), fractions([Fraction(1)])), games.real, ())


@pytest.mark.slow
def test_a_million_datasets_and_twenty_records():
    """Twenty bits and a noisy count given as a function: games, failure and the worst of all beliefs."""
    belief = Finite.product_of_floats([{0: 0.7, 1: 0.3}] * 20)
    weights = [[Fraction(1, 2 ** abs(t - count)) for t in range(21)] for count in range(21)]
    noisy = [{t: weight / sum(row) for t, weight in enumerate(row)} for row in weights]
    start = time.process_time()
    games = Games.of(lambda x: noisy[sum(x)], belief, default=0)
    worst, chance = worst_shift(games), failure(games, "1/5")
    assert time.process_time() - start < 20  # about 5 s on an idle machine
    ratios = [
        [noisy[count][t] / noisy[count - own][t] for count in range(21) for own in (0, 1) if 0 <= count - own <= 19]
        for t in range(21)
    ]
    root = max(math.sqrt(max(some) / min(some)) for some in ratios)
    assert inside(worst.size, (root - 1) / (root + 1), 1e-12)
    assert chance.upper < 1e-9
