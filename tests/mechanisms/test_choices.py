"""Thresholds, majorities and the likeliest rate: golden values, brute force on every small case, scale, bad input."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.basics.errors import InputError, PreconditionError
from dalenius.mechanisms.choice import LikeliestRate, Majority, ThresholdChoice
from dalenius.numerics.coupling import CouplingCurve
from dalenius.numerics.intervals import Intervals
from dalenius.numerics.law import Law
from mechanisms import choosing

CW = json.loads((Path(__file__).parent.parent / "golden/semantics.json").read_text())["CW"]
NEAR = 1e-9
ZERO = Fraction(0)
PRESENCE = dl.PresenceOnly()


def narrow(bracket, truth, rel=1e-9):
    """The bracket holds the truth (known to 1e-13) and is narrow."""
    slack = 1e-12 * (1 + truth)
    return bracket.lower <= truth + slack and truth - slack <= bracket.upper and bracket.width <= rel * truth + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", CW["thm11_12_majority"])
def test_the_majority_of_real_crowds(name):
    n, p = name.replace("N=", "").replace("p=", "").split(",")
    case = CW["thm11_12_majority"][name][0]
    curve = dl.curve(dl.Count() >> dl.mechanisms.majority(), dl.noiseless(dl.IID(p=p, n=int(n)), secret=PRESENCE))
    assert isinstance(curve, CouplingCurve)
    assert curve.delta(ZERO).upper == pytest.approx(case["tv"], rel=NEAR)
    assert curve.delta(ZERO).lower == pytest.approx(case["tv"], rel=NEAR)
    assert curve.disagreement().upper == pytest.approx(case["disagree"], rel=NEAR)
    assert curve.epsilon(ZERO).upper == pytest.approx(case["eps_exact"], rel=1e-7)
    stable = dl.judge.stability(curve)
    assert stable.disagreement.upper >= curve.delta(ZERO).lower  # Theorem 11
    assert stable.least == pytest.approx(min(c["c"] for c in CW["thm11_12_majority"][name]), rel=NEAR)
    assert stable.epsilon >= curve.epsilon(ZERO).lower  # Theorem 12
    if stable.disagreement.upper < stable.least:
        least, moved = stable.least, stable.disagreement.upper
        assert stable.epsilon == pytest.approx(math.log(least / (least - moved)), rel=1e-9)
    value = dl.curve(dl.Count() >> dl.mechanisms.majority(), dl.noiseless(dl.IID(p=p, n=int(n))))
    (_, twice), (pure, _) = stable.noiseless
    assert value.delta(ZERO).lower <= twice  # Corollary 2
    assert value.epsilon(ZERO).lower <= pure


SMALL = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(1, 8), SMALL, st.data())
def test_every_threshold_of_small_crowds(n, p, data):
    limits = sorted(data.draw(st.sets(st.integers(-1, n + 1), min_size=1, max_size=3)))
    known, epsilon = data.draw(st.integers(0, n - 1)), data.draw(st.sampled_from([0, 0.25, 1]))
    secret = data.draw(st.sampled_from([PRESENCE, dl.Value()]))
    curve = dl.curve(
        dl.Count() >> dl.mechanisms.threshold(*limits), dl.noiseless(dl.IID(p=p, n=n, known=known), secret=secret)
    )
    pairs = list(
        choosing.worlds(
            lambda row: sum(limit <= row[1] for limit in limits),
            [(1 - p, p)],
            n=n,
            known=known,
            noiseless=secret != PRESENCE,
        )
    )
    truth = choosing.delta(pairs, epsilon)
    assert narrow(curve.delta(Fraction(epsilon)), truth)


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(1, 8), SMALL, st.sampled_from(["yes", "no"]), st.data())
def test_the_majority_of_small_crowds_with_both_tie_rules(n, p, ties, data):
    known = data.draw(st.integers(0, n - 1))
    belief = dl.noiseless(dl.IID(p=p, n=n, known=known), secret=PRESENCE)
    curve = dl.curve(dl.Count() >> dl.mechanisms.majority(ties=ties), belief)
    pairs = list(
        choosing.worlds(
            lambda row: 2 * row[1] >= sum(row) if ties == "yes" else 2 * row[1] > sum(row),
            [(1 - p, p)],
            n=n,
            known=known,
        )
    )
    assert narrow(curve.delta(ZERO), choosing.delta(pairs, 0))
    assert narrow(curve.delta(Fraction(1, 2)), choosing.delta(pairs, 0.5))
    truth = choosing.epsilon(pairs)
    found = curve.epsilon(ZERO)
    assert found.lower <= truth * (1 + 1e-9) + 1e-12 and truth <= found.upper * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("ties", ["yes", "no"])
def test_the_finite_worlds_agree(ties):
    world = dl.papers.Finite.product([{0: "2/3", 1: "1/3"}] * 6)

    def release(data):
        people = [value for value in data if value is not None]
        return 2 * sum(people) >= len(people) if ties == "yes" else 2 * sum(people) > len(people)

    truth = dl.papers.canonical_delta(dl.papers.distributional([world]), release, epsilon="1/10")
    curve = dl.curve(
        dl.Count() >> dl.mechanisms.majority(ties=ties), dl.noiseless(dl.IID(p="1/3", n=6), secret=PRESENCE)
    )
    assert curve.delta(Fraction(1, 10)).upper == pytest.approx(truth.upper, rel=1e-12)
    made = dl.papers.FiniteMechanism.of(dl.Count() >> dl.mechanisms.threshold(2, 4), world)
    assert made.outputs == (0, 1, 2)
    whole = dl.papers.noiseless_by_value(world, made, "1/10")
    value = dl.curve(dl.Count() >> dl.mechanisms.threshold(2, 4), dl.noiseless(dl.IID(p="1/3", n=6)))
    assert value.delta(Fraction(1, 10)).upper == pytest.approx(whole.upper, rel=1e-12)


def test_noise_before_a_threshold():
    belief = dl.IID(p=0.5, n=40)
    noisy = dl.curve(dl.Count() >> dl.two_sided_geometric(2) >> dl.mechanisms.threshold(22), dl.noiseless(belief))
    plain = dl.curve(dl.Count() >> dl.mechanisms.threshold(22), dl.noiseless(belief))
    assert 0 < noisy.delta(ZERO).upper < plain.delta(ZERO).lower
    law = [math.comb(39, k) / 2**39 for k in range(40)]
    x = math.exp(-1 / 2)
    above = [sum(law[k] * _geometric_above(22 - k - bit, x) for k in range(40)) for bit in (0, 1)]
    assert noisy.delta(ZERO).upper == pytest.approx(above[1] - above[0], rel=1e-9)
    private = dl.verify(
        dl.Count() >> dl.two_sided_geometric(2) >> dl.mechanisms.threshold(22),
        dl.differential_privacy(),
        epsilon=0.5,
        delta=0,
    )
    assert private.verdict == dl.Verdict.PASS
    assert dl.verify(dl.Count() >> dl.mechanisms.threshold(22), dl.differential_privacy(), epsilon=9).delta.upper == 1


def _geometric_above(limit, x):
    """P(K >= limit)."""
    return x**limit / (1 + x) if limit >= 1 else 1 - x ** (1 - limit) / (1 + x)


def test_sums_of_several_values_with_known_records():
    belief = dl.IID(values={0: "1/2", 2: "1/4", 5: "1/4"}, n=5, known=2)
    curve = dl.curve(dl.Sum() >> dl.mechanisms.threshold(7, 12), dl.noiseless(belief))
    values, chances = (0, 2, 5), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    pairs = list(
        choosing.worlds(
            lambda row: sum(limit <= sum(c * v for c, v in zip(row, values, strict=True)) for limit in (7, 12)),
            [chances],
            n=5,
            known=2,
            noiseless=True,
        )
    )
    assert narrow(curve.delta(Fraction(1, 4)), choosing.delta(pairs, 0.25))


def test_different_people_and_chains():
    people = dl.Independent(groups=[({0: "1/2", 1: "1/2"}, 3), ({0: "9/10", 1: "1/10"}, 3)])
    curve = dl.curve(dl.Count() >> dl.mechanisms.threshold(3), dl.noiseless(people))
    rates = [Fraction(1, 2)] * 3 + [Fraction(1, 10)] * 3
    worst = 0
    for target in (0, 5):
        law = [Fraction(1)]
        for p in rates[:target] + rates[target + 1 :]:
            law = [a * (1 - p) + b * p for a, b in zip([*law, 0], [0, *law], strict=True)]
        worst = max(worst, law[2])  # the others make two
    assert narrow(curve.delta(ZERO), float(worst))
    known = dl.Independent(groups=[({0: "1/2", 1: "1/2"}, 30), ({0: "9/10", 1: "1/10"}, 30)], known=3)
    loose = dl.curve(dl.Count() >> dl.mechanisms.threshold(20), dl.noiseless(known)).delta(Fraction(1, 4))
    assert loose.lower == 0 < loose.upper <= dl.curve(dl.Count(), dl.noiseless(known)).delta(Fraction(1, 4)).upper
    with pytest.raises(InputError, match=r"one law only.*hide the value"):
        dl.curve(dl.Count() >> dl.mechanisms.majority(), dl.noiseless(known, secret=PRESENCE))
    chain = dl.Markov(start={0: "1/2", 1: "1/2"}, moves={0: {0: 0.9, 1: 0.1}, 1: {0: 0.1, 1: 0.9}}, n=6)
    world = {}
    for data in choosing.itertools.product((0, 1), repeat=6):
        chance = Fraction(1, 2) * math.prod(
            (Fraction(9, 10) if a == b else Fraction(1, 10) for a, b in choosing.itertools.pairwise(data)), start=1
        )
        world[data] = chance
    worst = 0
    for i in range(6):
        above = [sum(c for d, c in world.items() if d[i] == x and sum(d) >= 3) * 2 for x in (0, 1)]
        worst = max(worst, abs(above[1] - above[0]))
    found = dl.curve(dl.Count() >> dl.mechanisms.majority(), dl.noiseless(chain)).delta(ZERO)
    assert narrow(found, float(worst))


@pytest.mark.parametrize(("p", "known"), [(0.5, 0), (0.3, 0.2)])
def test_a_million_records(p, known):
    g = dl.verify(
        dl.Count() >> dl.mechanisms.majority(), dl.noiseless(dl.IID(p=p, n=1_000_001, known=known)), epsilon=0
    )
    if p == 0.5:  # the two worlds differ if exactly half of the others are ones
        truth = math.exp(math.lgamma(10**6 + 1) - 2 * math.lgamma(500_001) - 10**6 * math.log(2))
        assert g.delta.lower <= truth * (1 + 1e-8) and truth * (1 - 1e-8) <= g.delta.upper
        assert g.delta.width < 1e-9
    else:
        assert g.delta.upper < 1e-50
    assert "overlapping" in " ".join(g.breaks)


def test_likeliest_rates_change_where_posteriors_tie():
    """Equal weights, rates p and 1 - p: half of the records is a tie."""
    for ties, start in (("first", 500_001), ("last", 500_000)):
        steps = dl.mechanisms.likeliest_rate(0.25, 0.75, ties=ties).steps(1_000_000)
        assert steps.starts == (start,) and steps.outputs == (0, 1)


@pytest.mark.slow
@settings(max_examples=25)
@given(st.lists(SMALL, min_size=2, max_size=4), st.data())
def test_steps_are_those_of_exact_posteriors(rates, data):
    weights = data.draw(st.lists(SMALL, min_size=len(rates), max_size=len(rates)))
    ties, people = data.draw(st.sampled_from(["first", "last"])), data.draw(st.integers(0, 12))
    choice = LikeliestRate(tuple(rates), tuple(weights), ties)
    steps = choice.steps(people)
    for ones in range(people + 1):
        row = (people - ones, ones)
        best = choosing.posterior([(1 - p, p) for p in rates], weights, row, last=ties == "last")
        assert steps.at(ones) == best


@pytest.mark.parametrize("ties", ["first", "last"])
@pytest.mark.parametrize("known", [0, 2])
def test_the_simulator_chooses_among_one_record_less(ties, known):
    """The rate chosen from n records against that chosen from n - 1, under a rate that is none of them."""
    rates, p = (Fraction(1, 10), Fraction(1, 5), Fraction(1, 2)), Fraction(1, 3)
    models = [(1 - rate, rate) for rate in rates]
    release = dl.Count() >> dl.mechanisms.likeliest_rate(*rates, ties=ties)
    for n in (3, 6, 7):
        belief = dl.IID(p=p, n=n, known=known)
        pairs = list(
            choosing.worlds(
                lambda row: choosing.posterior(models, (1, 1, 1), row, last=ties == "last"),
                [(1 - p, p)],
                n=n,
                known=known,
            )
        )
        if not known:
            moved = [Fraction(0), Fraction(0)]
            for row, chance in choosing.spread((1 - p, p), n - 1).items():
                for x in (0, 1):
                    both = (row, choosing.plus(row, choosing.unit(2, x)))
                    one, two = (choosing.posterior(models, (1, 1, 1), some, last=ties == "last") for some in both)
                    moved[x] += chance * (one != two)
            curve = dl.curve(release, dl.noiseless(belief, secret=PRESENCE))
            assert narrow(curve.disagreement(), float(max(moved)))
        for epsilon in (0, 0.5):
            found = dl.curve(release, dl.noiseless(belief, secret=PRESENCE)).delta(Fraction(epsilon))
            assert narrow(found, choosing.delta(pairs, epsilon))


BAD = [
    (dl.mechanisms.threshold, InputError, "at least one limit"),
    (lambda: dl.mechanisms.threshold(3, 2), InputError, "must ascend"),
    (lambda: dl.mechanisms.threshold(2.5), InputError, "whole numbers"),
    (lambda: dl.mechanisms.threshold(2**60), InputError, r"below 2\^60 units"),
    (
        lambda: dl.curve(
            dl.Sum() >> dl.mechanisms.threshold(5), dl.noiseless(dl.IID(values={0: 0.5, 2**58: 0.5}, n=5))
        ),
        InputError,
        "5 records may add up to more",
    ),
    (
        lambda: dl.curve(dl.Sum(), dl.noiseless(dl.IID(values={0: 0.5, 1: 0.25, 2**62: 0.25}, n=5))),
        InputError,
        r"below 2\^62 units",
    ),
    (lambda: dl.mechanisms.majority(ties="maybe"), InputError, 'ties="yes" or ties="no"'),
    (lambda: dl.mechanisms.likeliest_rate(0.5), InputError, "at least two models"),
    (lambda: dl.mechanisms.likeliest_rate(0.5, 0.6, weights=[1]), InputError, "2 weights"),
    (lambda: dl.mechanisms.likeliest_rate(0.5, 0.6, weights=[1, 0]), InputError, "weights above 0"),
    (lambda: dl.mechanisms.likeliest_rate(0.5, 1.5), InputError, "between 0 and 1"),
    (lambda: dl.mechanisms.likeliest_rate(0, 0.5), PreconditionError, r"no M has f\(a\) <= M·0"),
    (lambda: dl.mechanisms.likeliest_rate(0.1, 0.5, ties="none"), InputError, 'ties="first"'),
    (lambda: Majority().push(None), InputError, r"\.among\(n\)"),
    (lambda: Majority().period, InputError, "IID, Independent and Markov"),
    (
        lambda: dl.curve(
            dl.Count() >> dl.mechanisms.threshold(3) >> dl.two_sided_geometric(1), dl.noiseless(dl.IID(p=0.5, n=9))
        ).delta(ZERO),
        InputError,
        "as the last step",
    ),
    (
        lambda: dl.curve(
            dl.Count() >> dl.mechanisms.Rounded(2) >> dl.mechanisms.threshold(3), dl.noiseless(dl.IID(p=0.5, n=9))
        ),
        InputError,
        "noise only",
    ),
    (
        lambda: dl.curve(
            dl.Count() >> dl.mechanisms.majority(), dl.noiseless(dl.Mixture([(1, dl.IID(p=0.5, n=9))]))
        ).delta(ZERO),
        InputError,
        "judged for IID",
    ),
    (
        lambda: dl.papers.FiniteMechanism.of(
            dl.Count() >> dl.mechanisms.majority(), dl.papers.Finite.product([{0: "1/2", 1: "1/2"}])
        ),
        InputError,
        "number of records",
    ),
]


@pytest.mark.parametrize(("make", "error", "says"), BAD)
def test_bad_input(make, error, says):
    with pytest.raises(error, match=says):
        make()


def test_totals_far_from_zero_are_compared_without_overflow():
    """Both beyond the window; a difference of the two does not fit into 64 bits."""
    law = Law(-6 * 10**18, np.array([0.25, 0.75]), np.zeros(2))
    low, high = np.array([-7 * 10**18, 5 * 10**18]), np.array([5 * 10**18, 6 * 10**18])
    for start in (law.start, law.start - 2 * 10**18):
        lower, upper = Intervals.of(replace(law, start=start)).between(low, high)
        assert lower.round(9).tolist() == upper.round(9).tolist() == [float(start == law.start), 0.0]


def test_a_choice_for_a_fixed_number_is_a_threshold():
    fixed = dl.mechanisms.likeliest_rate(0.25, 0.75).among(10)
    assert isinstance(fixed, ThresholdChoice) and fixed.starts == (6,) and fixed.among(99) is fixed
