"""Examples and exercises of the papers: the scripts in examples/papers, additive secrecy, noiseless privacy."""

import itertools
import json
import math
import runpy
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.numerics.outcomes import Outcomes, both_ratios, both_ways, fractions
from dalenius.papers.definitions.finite import Neighbours
from dalenius.papers.definitions.games import Games
from dalenius.papers.definitions.noiseless_worlds import noiseless_by_presence, noiseless_by_value
from dalenius.papers.definitions.semantic import failure, largest_ratio, largest_shift
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite, replaced

ALL = json.loads((Path(__file__).parents[1] / "golden" / "semantics.json").read_text())
KS, CH = ALL["KS"], ALL["CH"]
HALF = Fraction(1, 2)
PAIRS = list(itertools.product((0, 1), repeat=2))
BITS = Finite.table(dict.fromkeys(PAIRS, Fraction(1, 4)))
PAPERS = Path(__file__).parents[2] / "examples" / "papers"


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        (
            "smoking.py",
            [
                "count with noise, ε = ln 3              0.489        0.500",
                "count as it is                          0.488        0.500",
                'count, and "Alice: no cancer"           0.000        0.500',
            ],
        ),
        ("two_tables.py", ["Together: she has AIDS"]),
        (
            "noiseless.py",
            [
                "sign of the common mean                               δ = 1                 δ = 0",
                "sign, the mean being known                            δ = 0                 δ = 0",
                "number of records, fair coins                         δ = 0                 δ = 1",
            ],
        ),
    ],
)
def test_an_example_prints_what_it_promises(script, lines, capsys):
    runpy.run_path(str(PAPERS / script), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    for line in lines:
        assert line in printed


def test_what_smoking_teaches_about_alice_by_hand():
    """Given the count of 20, by hand: theories weighed by the chance of 20 among 41 (with her) or 40 (without)."""
    names = runpy.run_path(str(PAPERS / "smoking.py"))
    games = names["Games"].of(names["counted"], names["BELIEF"], default=0)
    low, high = Fraction(1, 10), Fraction(1, 2)
    # Exchangeable: given 20 cases among 41 people, each of them is a case with chance 20/41.
    with_her, without = names["cancer"](games, 20)
    assert with_her == Fraction(20, 41)
    weights = [p**20 * (1 - p) ** 20 for p in (low, high)]
    assert without == (weights[0] * low + weights[1] * high) / sum(weights)


def test_the_noisy_count_is_as_private_for_alice_as_it_says():
    names = runpy.run_path(str(PAPERS / "smoking.py"))
    for others in (0, 20, 40):
        one, two = (names["noisy"]((alice, others)) for alice in (0, 1))
        assert max(max(one[t] / two[t], two[t] / one[t]) for t in one) == 3


def laws(size):
    return (
        st.lists(st.integers(0, 5), min_size=size, max_size=size)
        .filter(any)
        .map(lambda weights: [Fraction(weight, sum(weights)) for weight in weights])
    )


def inside(bracket, number, slack=0.0):
    return bracket.lower - slack <= number <= bracket.upper + slack


# -- the note on side information ------------------------------------------------------------------------------------


def test_claim_3_3_2_is_refuted_by_three_points():
    case = KS["claim3.3_2_rational"]
    p, q = ([Fraction(str(value)) for value in case[name]] for name in "PQ")
    epsilon = Fraction(math.log(case["exp_eps"]))
    assert both_ways(Outcomes(fractions(p)), Outcomes(fractions(q)), epsilon).upper == pytest.approx(case["hs"])
    square = case["exp_eps"] ** 2
    bad = sum(a for a, b in zip(p, q, strict=True) if a > square * b or b > square * a)
    assert float(bad) == case["bad"] > case["claimed"]
    assert 2 * case["hs"] / (math.log(2) * 2) == pytest.approx(case["claimed"], rel=1e-11)


def test_claim_3_3_4_costs_two_delta_less_its_square():
    case = KS["claim3.3_4"]
    rare = Fraction(str(case["delta"]))
    # A record a is bad with chance δ, and then the two laws are disjoint; otherwise they are δ apart.
    p = fractions([rare, Fraction(0), (1 - rare) * rare, (1 - rare) * (1 - rare)])
    q = fractions([Fraction(0), rare, Fraction(0), 1 - rare])
    found = both_ways(Outcomes(p), Outcomes(q), Fraction(str(case["eps"])))
    assert found.upper == pytest.approx(case["joint_hs"], rel=1e-12)
    assert case["sharp"] == pytest.approx(float(2 * rare - rare**2), rel=1e-12)


@pytest.mark.parametrize("case", KS["claim3.3_6"]["cases"], ids=str)
def test_claim_3_3_6_with_its_tight_constant(case):
    apart = (math.expm1(case["eps"]) + 2 * case["delta"]) / (math.exp(case["eps"]) + 1)
    high, low = (1 + Fraction(apart)) / 2, (1 - Fraction(apart)) / 2
    one, two = Outcomes(fractions([high, low])), Outcomes(fractions([low, high]))
    assert apart == pytest.approx(case["tight"], rel=1e-11)
    assert both_ways(one, two, Fraction(0)).upper == pytest.approx(case["attained_tv"], rel=1e-11)
    assert both_ways(one, two, Fraction(str(case["eps"]))).upper == pytest.approx(case["delta"], abs=1e-12)


def test_the_inference_theorem_is_refuted_by_49_values():
    case = KS["thm1_2_counterexample"]
    delta, steep, values = Fraction(str(case["delta"])), Fraction(math.exp(case["eps"])), range(case["K"])

    def release(x):
        if x[0] is None:
            return {**dict.fromkeys(values, delta), "rest": 1 - case["K"] * delta}
        others = {t: steep * delta for t in values if t != x[0]}
        return {**others, "rest": 1 - (case["K"] - 1) * steep * delta}

    belief = Finite.product([dict.fromkeys(values, Fraction(1, case["K"]))])
    games = Games.of(release, belief, default=None)
    apart = both_ways(*(Outcomes(law.row(0)) for law in (games.real, games.without[0])), Fraction(str(case["eps"])))
    assert apart.upper == pytest.approx(case["ddp_delta_exact"], rel=1e-10)
    failing = failure(games, Fraction(str(case["claimed_fail"])))
    assert failing.lower == pytest.approx(case["actual_fail"], rel=1e-11)
    assert failing.lower > case["claimed_fail"]
    assert failure(games, Fraction(1, 49)).upper == 0


# -- the fundamentals chapter -----------------------------------------------------------------------------------------


def test_exercise_3_4_probabilities_of_neighbours():
    bounds = {"0.2": CH["ex3.4"]["i"], "0.5": CH["ex3.4"]["ii"], **CH["ex3.4"]["extra"]}
    for text, ends in bounds.items():
        p = Fraction(text)
        one = Outcomes(fractions([p, 1 - p]))
        for end, outward in zip(ends, (-1, 1), strict=True):
            q = Fraction(str(end))
            if p not in (0, 1):
                assert both_ratios(one, Outcomes(fractions([q, 1 - q]))).upper == pytest.approx(math.log(5 / 4))
            past = q + Fraction(outward, 10**6)
            if 0 <= past <= 1:
                assert both_ratios(one, Outcomes(fractions([past, 1 - past]))).lower > math.log(5 / 4) + 1e-7


def test_proposition_3_2_randomised_response():
    odds = Fraction(math.exp(CH["prop3.2"]["eps"]))

    def release(x):
        keep = {True: odds / (1 + odds), False: 1 / (1 + odds)}
        return {y: keep[y[0] == x[0]] * keep[y[1] == x[1]] for y in PAIRS}

    made = FiniteMechanism.random(release, BITS)
    found = Neighbours.replace(BITS).epsilon(made).value
    assert found.lower == pytest.approx(CH["prop3.2"]["exact"], rel=1e-13)
    assert found.upper == pytest.approx(CH["prop3.2"]["exact"], rel=1e-13)


def named_and_shamed(x, chance):
    """Each record in clear with this chance, else nothing."""
    choices = [[((i, value), chance), (None, 1 - chance)] for i, value in enumerate(x)]
    return {tuple(out for out, _ in row): math.prod(p for _, p in row) for row in itertools.product(*choices)}


def apart(release, *datasets):
    made = FiniteMechanism.random(release, Finite.table(dict.fromkeys(datasets, Fraction(1, len(datasets)))))
    return [Outcomes(made.row(place)) for place in range(len(datasets))]


def secrecy(release, *datasets):
    """δ of additive secrecy over these datasets, of which every two differ in one record."""
    world = Finite.table(dict.fromkeys(datasets, Fraction(1, len(datasets))))
    return Neighbours.replace(world).additive_secrecy(FiniteMechanism.random(release, world)).value.upper


@pytest.mark.slow
def test_name_and_shame_is_additively_secret_and_tells_all():
    golden, tenth = CH["name_and_shame"], Fraction(1, 10)
    found = secrecy(lambda x: named_and_shamed(x, tenth), (0, 0), (1, 0))
    assert found == pytest.approx(golden["brute_tv_n2_delta0p1"], rel=1e-15)
    case = next(case for case in golden["cases"] if case["n"] == 10)
    zeros, ones, near = apart(lambda x: named_and_shamed(x, tenth), (0,) * 10, (1,) * 10, (1, *(0,) * 9))
    assert both_ways(zeros, ones, Fraction(0)).upper == pytest.approx(case["group_tv_all_n"], rel=1e-9)
    assert both_ways(zeros, near, Fraction(0)).upper == pytest.approx(case["additive_secrecy_exact"], rel=1e-12)
    assert both_ratios(zeros, near).lower == float(case["dp_eps"])
    law = named_and_shamed((0,) * 10, tenth)
    published = 1 - law[(None,) * 10]
    assert float(published) == pytest.approx(case["prob_some_published"], rel=1e-9)
    assert sum(p * sum(y is not None for y in out) for out, p in law.items()) == case["expected_published"]


def test_name_and_shame_breaks_theorem_4_1_whenever_it_publishes():
    games = Games.of(lambda x: named_and_shamed(x, Fraction(1, 10)), BITS, default=0)
    assert largest_ratio(games).lower == math.inf
    assert largest_shift(games).size.lower == math.inf
    # Without record i, (i, 1) is impossible and (i, 0) tells nothing of it, while in reality both tell all.
    assert inside(failure(games, "0.49"), 1 - Fraction(9, 10) ** 2)


def test_publishing_one_record_is_additively_secret():
    golden = CH["publish_one_record"]
    n = golden["n"]
    found = secrecy(lambda x: {(i, x[i]): Fraction(1, n) for i in range(n)}, (0,) * n, (1, *(0,) * (n - 1)))
    assert found == pytest.approx(golden["tv"], rel=1e-15)


def test_additive_secrecy_composes():
    golden = CH["additive_secrecy_composition"]
    chance, k = Fraction(str(golden["delta"])), golden["k"]

    def release(x):
        once = named_and_shamed(x, chance).items()
        runs = list(itertools.product(once, repeat=k))
        return {tuple(out for out, _ in run): math.prod(p for _, p in run) for run in runs}

    assert secrecy(release, (0,), (1,)) == pytest.approx(golden["exact_ns"], rel=1e-14)
    assert golden["exact_ns"] <= golden["bound"] == float(k * chance)


# -- noiseless privacy -------------------------------------------------------------------------------------------------


def literal_apart(one, two, factor):
    outs = set(one) | set(two)
    ahead = sum(max(0, one.get(t, 0) - factor * two.get(t, 0)) for t in outs)
    return max(ahead, sum(max(0, two.get(t, 0) - factor * one.get(t, 0)) for t in outs))


def literal_law(release, worlds):
    whole, law = sum(chance for _, chance in worlds), {}
    for x, chance in worlds:
        for t, p in release(x).items():
            law[t] = law.get(t, 0) + chance * p / whole
    return law


@given(
    prior=laws(4), table=st.lists(st.integers(0, 2), min_size=27, max_size=27), epsilon=st.sampled_from(["0", "1/2"])
)
def test_noiseless_privacy_agrees_with_brute_force(prior, table, epsilon):
    inputs = list(itertools.product((0, 1, None), repeat=3))

    def release(x):
        return {table[inputs.index((*x, None)[:3])]: 1}

    worlds = [(x, chance) for x, chance in zip(PAIRS, prior, strict=True) if chance]
    belief = Finite.table(dict(zip(PAIRS, prior, strict=True)))
    factor = Fraction(math.exp(Fraction(epsilon)))
    by_value, given_value, averaged = [0], [0], [0]
    for i in range(2):
        parts = [[world for world in worlds if world[0][i] == value] for value in (0, 1)]
        if all(parts):
            by_value.append(literal_apart(*(literal_law(release, part) for part in parts), factor))
        for part, found in [*((part, given_value) for part in parts if part), (worlds, averaged)]:
            removed = [(replaced(x, i, None), chance) for x, chance in part]
            found.append(literal_apart(literal_law(release, part), literal_law(release, removed), factor))
    for value in (0, 1):
        longer = literal_apart(
            literal_law(release, worlds), literal_law(release, [((*x, value), chance) for x, chance in worlds]), factor
        )
        given_value.append(longer)
        averaged.append(longer)
    made = FiniteMechanism.random(release, belief)
    assert inside(noiseless_by_value(belief, made, epsilon), max(by_value), 1e-14)
    repaired = noiseless_by_presence(release, belief, epsilon, added=(0, 1))
    printed = noiseless_by_presence(release, belief, epsilon, added=(0, 1), taken_out="averaged")
    assert inside(repaired, max(given_value), 1e-14)
    assert inside(printed, max(averaged), 1e-14)
    assert printed.lower <= repaired.upper


def test_side_information_may_help_noiseless_privacy_by_value():
    mean = Finite.mixture([(HALF, Finite.product([{m - 1: HALF, m + 1: HALF}] * 2)) for m in (-9, 9)])
    made = FiniteMechanism.of(lambda x: sum(x) > 0, mean)
    assert noiseless_by_value(mean, made, 1).lower == 1
    assert noiseless_by_value(mean.knowing(lambda x: x[0] > 0), made, 0).upper == 0
