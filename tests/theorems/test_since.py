"""The theory since the five papers: each statement against brute force, and each counterexample run."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from tests.amount import repetitions

from dalenius.numerics.proportions import radius
from dalenius.papers.definitions.finite import indistinguishability
from dalenius.papers.theorems import find
from dalenius.papers.theorems.since import leakage_near

WORLDS = repetitions(60, 3000)
HAIR = 1e-12


def law(dice, size, zeros=0.0):
    weights = [0 if dice.random() < zeros else dice.randint(1, 9) for _ in range(size)]
    whole = sum(weights)
    return [Fraction(weight, whole) for weight in weights] if whole else law(dice, size)


def ratio(p, q):
    """The largest log-ratio, both ways."""
    return max(abs(math.log(one / other)) for one, other in zip(p, q, strict=True))


def excess(p, q, epsilon):
    """The least δ, both ways, straight from the definition: over all events."""
    steep, places = math.exp(epsilon), range(len(p))
    events = itertools.chain.from_iterable(itertools.combinations(places, size) for size in range(len(p) + 1))
    return max(
        max(
            float(sum(p[k] for k in event)) - steep * float(sum(q[k] for k in event)),
            float(sum(q[k] for k in event)) - steep * float(sum(p[k] for k in event)),
        )
        for event in events
    )


def broken(key):
    violation = find(key)[0].counterexample()
    assert violation.holds, str(violation)
    return violation


def test_two_perfect_releases_tell_all_together():
    assert broken("PC-1").found.lower == 1
    for bit in (0, 1):
        outputs = [(coin, (coin + bit) % 2) for coin in (0, 1)]
        assert sorted(second for _, second in outputs) == [0, 1]  # each by itself is a fair coin
        assert {(first + second) % 2 for first, second in outputs} == {bit}


def test_releases_compose_given_each_output_of_the_first():
    dice = random.Random(1)
    attained = 0.0
    for _ in range(WORLDS):
        outputs = dice.randint(2, 3), dice.randint(2, 3)
        firsts = [law(dice, outputs[0]) for _ in range(2)]
        seconds = [[law(dice, outputs[1]) for _ in range(outputs[0])] for _ in range(2)]
        one = ratio(*firsts)
        other = max(ratio(seconds[0][o], seconds[1][o]) for o in range(outputs[0]))
        joint = [
            [firsts[s][o] * seconds[s][o][k] for o in range(outputs[0]) for k in range(outputs[1])] for s in range(2)
        ]
        together = ratio(*joint)
        assert together <= one + other + HAIR
        attained = max(attained, together / (one + other)) if one + other else attained
    assert attained > 0.9


def mixed(weights, rows):
    return [sum(w * row[k] for w, row in zip(weights, rows, strict=True)) for k in range(len(rows[0]))]


def test_a_release_that_no_dataset_moves_far_composes():
    dice = random.Random(2)
    for _ in range(WORLDS):
        datasets = dice.randint(2, 4)
        beliefs = [law(dice, datasets, zeros=0.3) for _ in range(2)]
        one = [law(dice, 2) for _ in range(datasets)]
        other = [law(dice, 2) for _ in range(datasets)]
        both = [[p * q for p in one[x] for q in other[x]] for x in range(datasets)]
        first = ratio(*(mixed(belief, one) for belief in beliefs))
        second = max(ratio(p, q) for p, q in itertools.combinations(other, 2))
        assert ratio(*(mixed(belief, both) for belief in beliefs)) <= first + second + HAIR


def test_neighbours_or_dice_in_common_are_not_enough_to_compose():
    nothing = [Fraction(1)]
    answers = {data: law_of_two(data) for data in itertools.product((0, 1), repeat=2)}
    near = max(ratio(answers[x], answers[y]) for x, y in (((0, 0), (0, 1)), ((0, 0), (1, 0))))
    worlds = [[p * q for p in nothing for q in answers[data]] for data in ((0, 0), (1, 1))]  # both records are alike
    assert ratio(*worlds) == pytest.approx(2 * near)
    # one coin for both: a coin, and the secret bit added to it; no dataset moves either of them at all
    both = [
        [Fraction(k in ((0, 0 ^ bit), (1, 1 ^ bit)), 2) for k in itertools.product((0, 1), repeat=2)] for bit in (0, 1)
    ]
    for place in (0, 1):
        each = [
            [
                sum(p for p, k in zip(one, itertools.product((0, 1), repeat=2), strict=True) if k[place] == out)
                for out in (0, 1)
            ]
            for one in both
        ]
        assert ratio(*each) == 0
    assert excess(*both, 10.0) == 1


def test_sampling_two_values_alone_does_not_shrink_epsilon():
    assert broken("SP-1").found.lower == pytest.approx(0.05, abs=1e-4)


def thinned(people, rate, drawn, adds):
    """An exact count of the people who were drawn, by going through everybody: the target drawn, and adding so much."""
    chance = rate * drawn
    counts = [math.comb(people, k) * chance**k * (1 - chance) ** (people - k) for k in range(people + 1)]
    return [Fraction(0)] * adds + counts + [Fraction(0)] * (1 - adds)


@pytest.mark.slow
def test_sampling_shrinks_both_where_absence_is_hidden_too():
    """An exact count of independent people, each drawn with chance λ; and laws of any kind."""
    dice = random.Random(3)
    for _ in range(WORLDS):
        drawn, epsilon = Fraction(dice.randint(1, 9), 10), dice.choice([0.1, 0.5, 1.0])
        if dice.random() < 0.5:
            people, rate = dice.randint(1, 6), Fraction(dice.randint(1, 9), 10)
            out, no, yes = (thinned(people, rate, drawn, adds) for adds in (0, 0, 1))
        else:
            out, no, yes = (law(dice, 4, zeros=0.2) for _ in range(3))
        delta = max(excess(no, yes, epsilon), excess(no, out, epsilon), excess(yes, out, epsilon))
        smaller = math.log(1 + float(drawn) * (math.exp(epsilon) - 1))
        sampled = [[(1 - drawn) * r + drawn * p for r, p in zip(out, value, strict=True)] for value in (no, yes)]
        assert excess(*sampled, epsilon) <= float(drawn) * excess(no, yes, epsilon) + HAIR
        assert excess(*sampled, smaller) <= float(drawn) * delta + HAIR
        assert indistinguishability(*sampled, epsilon=str(smaller)).upper <= float(drawn) * delta + 1e-9


def test_sampling_does_not_shrink_what_everybody_hides():
    """A count among nine people hides somebody; among the one or so of them who are drawn it hardly does."""
    people, rate, drawn, epsilon = 8, Fraction(1, 2), Fraction(1, 10), 1.0
    everybody = excess(*(thinned(people, rate, Fraction(1), adds) for adds in (0, 1)), epsilon)
    out, yes = (thinned(people, rate, drawn, adds) for adds in (0, 1))
    sampled = [(1 - drawn) * r + drawn * p for r, p in zip(out, yes, strict=True)]
    smaller = math.log(1 + float(drawn) * (math.exp(epsilon) - 1))
    assert excess(out, sampled, smaller) > 2 * float(drawn) * everybody


def test_exact_totals_are_told_for_sure():
    assert broken("SD-1").found.lower == 1


def test_beside_a_public_total_two_records_change():
    """Random private mechanisms on three records; among datasets of one total that are as near as can be."""
    dice = random.Random(4)
    datasets = list(itertools.product((0, 1), repeat=3))
    attained = 0.0
    for _ in range(WORLDS):
        rows = {data: law(dice, 3) for data in datasets}
        near = [(x, y) for x, y in itertools.combinations(datasets, 2) if sum(map(int.__ne__, x, y)) == 1]
        epsilon = max(ratio(rows[x], rows[y]) for x, y in near)
        among = [(x, y) for x, y in itertools.combinations(datasets, 2) if sum(x) == sum(y)]
        pairs = [(x, y) for x, y in among if sum(map(int.__ne__, x, y)) == 2]
        assert pairs
        assert min(sum(map(int.__ne__, x, y)) for x, y in among) == 2
        most = max(ratio(rows[x], rows[y]) for x, y in pairs)
        assert most <= 2 * epsilon + HAIR
        attained = max(attained, most / epsilon)
    # the first record answered at random: datasets of one total that differ in it and in another
    far = {data: [Fraction(3 ** sum(data[:1]), 4), 1 - Fraction(3 ** sum(data[:1]), 4)] for data in datasets}
    assert ratio(far[1, 0, 0], far[0, 1, 0]) == pytest.approx(math.log(3))
    # and two records whose noise adds up: no smaller factor does
    two = {d: law_of_two(d) for d in datasets}
    assert ratio(two[1, 0, 0], two[0, 1, 0]) == pytest.approx(2 * ratio(two[1, 0, 0], two[0, 0, 0]))


def law_of_two(data):
    """Randomised answers of the first and the second record."""
    each = [[Fraction(3, 4), Fraction(1, 4)] if answer else [Fraction(1, 4), Fraction(3, 4)] for answer in data[:2]]
    return [p * q for p in each[0] for q in each[1]]


def test_no_decision_is_right_more_often():
    dice = random.Random(5)
    for _ in range(WORLDS):
        p, q, epsilon = law(dice, 4, zeros=0.2), law(dice, 4, zeros=0.2), dice.choice([0.0, 0.3, 1.0])
        delta = excess(p, q, epsilon)
        assert indistinguishability(p, q, epsilon=str(epsilon)).upper >= delta - HAIR
        right = sum(max(one, other) for one, other in zip(p, q, strict=True)) / 2
        assert float(right) <= (math.exp(epsilon) + delta) / (1 + math.exp(epsilon)) + HAIR
    kept = Fraction(3, 4)
    assert float(kept) == pytest.approx(3 / (1 + 3))  # randomised response at ε = ln 3 attains it


def test_no_pay_rises_by_more():
    dice = random.Random(6)
    for _ in range(WORLDS):
        p, q, epsilon = law(dice, 4, zeros=0.2), law(dice, 4, zeros=0.2), dice.choice([0.0, 0.3, 1.0])
        delta = indistinguishability(p, q, epsilon=str(epsilon)).upper
        pays = [dice.random() for _ in range(4)]
        one, other = (sum(float(m) * pay for m, pay in zip(each, pays, strict=True)) for each in (p, q))
        assert one - other <= (math.exp(epsilon) - 1) * other + delta + HAIR


def leakage(prior, chances):
    return math.log(max(chances) / sum(p * c for p, c in zip(prior, chances, strict=True)))


def test_leakage_at_an_estimate_is_too_small():
    broken("PL-1")


def test_leakage_near_an_estimate_is_bounded_and_the_bound_attained():
    dice = random.Random(7)
    attained = 0
    for _ in range(WORLDS):
        size = dice.randint(2, 4)
        estimate, chances = law(dice, size), [Fraction(dice.randint(1, 20), 20) for _ in range(size)]
        far = Fraction(dice.randint(1, 9), 100)
        share = min(chances) / max(chances)
        bound = leakage_near(leakage(estimate, chances), share, far)
        for _ in range(20):
            other = law(dice, size)
            distance = sum(abs(p - q) for p, q in zip(estimate, other, strict=True)) / 2
            if distance:
                step = min(Fraction(1), far / distance)
                near = [p + step * (q - p) for p, q in zip(estimate, other, strict=True)]
                assert leakage(near, chances) <= bound.upper + HAIR
        top, low = chances.index(max(chances)), chances.index(min(chances))
        if estimate[top] >= far and share < 1:
            worst = list(estimate)
            worst[top], worst[low] = worst[top] - far, worst[low] + far
            assert leakage(worst, chances) == pytest.approx(bound.upper, rel=1e-9)
            attained += 1
    assert attained > 5
    assert leakage_near(3.0, Fraction(0), Fraction(1, 2)).upper == math.inf


def test_the_radius_of_a_sample_bounds_leakage_at_the_truth():
    dice = np.random.default_rng(8)
    truth, chances, missed = np.array([0.2, 0.3, 0.5]), [Fraction(9, 10), Fraction(1, 2), Fraction(1, 10)], 0
    far = radius(3, 500, Fraction(1, 20))
    for _ in range(200):
        counts = dice.multinomial(500, truth)
        estimate = [Fraction(int(count), 500) for count in counts]
        bound = leakage_near(leakage(estimate, chances), Fraction(1, 9), far)
        missed += leakage([Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)], chances) > bound.upper
    assert missed <= 20


def test_over_all_priors_leakage_is_local_privacy():
    dice = random.Random(9)
    for _ in range(WORLDS):
        chances = [Fraction(dice.randint(1, 20), 20) for _ in range(3)]
        most = math.log(max(chances) / min(chances))
        assert all(leakage(law(dice, 3), chances) <= most + HAIR for _ in range(5))
        nearly = [Fraction(1, 10**6)] * 3
        nearly[chances.index(min(chances))] = 1 - Fraction(2, 10**6)
        assert leakage(nearly, chances) >= most - 1e-4


def test_two_outputs_tell_a_bit():
    assert broken("CO-1").found.lower == 1


def outputs(release, others, values):
    return len({release(value, others) for value in values})


def test_numbers_of_outputs_multiply_at_most():
    dice = random.Random(10)
    for _ in range(WORLDS):
        values, others = range(dice.randint(2, 6)), dice.randint(0, 9)
        tables = [[dice.randint(0, 3) for _ in range(20)] for _ in range(2)]
        each = [outputs(lambda v, o, t=t: t[v + o], others, values) for t in tables]
        assert outputs(lambda v, o, t=tables: (t[0][v + o], t[1][v + o]), others, values) <= math.prod(each)


def test_a_rounded_sum_has_few_outputs():
    half = Fraction(1, 2)
    for base, width in itertools.product(range(1, 9), range(1, 20)):
        up, even = math.ceil(Fraction(width, base)) + 1, width // base + 2
        rounded = ({math.floor(Fraction(v + o, base) + half) for v in range(width + 1)} for o in range(base))
        assert max(map(len, rounded)) == up <= even
        # in halves, so that there are ties; `round` takes them to the even neighbour
        to_even = ({round(Fraction(v + o, 2 * base)) for v in range(2 * width + 1)} for o in range(4 * base))
        assert max(map(len, to_even)) == (up if width % (2 * base) == 0 else even)


def test_normal_noise_within_a_coupling():
    """Laws on whole numbers, coupled in order; the divergence of the two mixtures of normal laws by a fine sum."""
    dice = random.Random(11)
    grid = np.linspace(-25, 35, 30_001)
    step = grid[1] - grid[0]
    for _ in range(repetitions(8, 300)):
        scale, order = dice.choice([1.0, 2.0, 3.0]), dice.choice([1.5, 2.0, 4.0])
        base = [(dice.randint(0, 8), dice.randint(0, 3)) for _ in range(dice.randint(1, 4))]
        weights = np.array([dice.randint(1, 9) for _ in base], dtype=float)
        weights /= weights.sum()
        far = max(shift for _, shift in base)
        p, q = (
            sum(
                w * np.exp(-((grid - x - (s if moved else 0)) ** 2) / (2 * scale**2)) / (scale * math.sqrt(2 * math.pi))
                for w, (x, s) in zip(weights, base, strict=True)
            )
            for moved in (False, True)
        )
        inside = (p > 1e-280) & (q > 1e-280)
        whole = float((p[inside] ** order * q[inside] ** (1 - order)).sum() * step)
        assert math.log(whole) / (order - 1) <= order * far**2 / (2 * scale**2) + 1e-6
        if len(base) == 1:
            assert math.log(whole) / (order - 1) == pytest.approx(order * far**2 / (2 * scale**2), abs=1e-6)


def test_renyi_divergence_gives_epsilon_and_delta():
    dice = random.Random(12)
    for _ in range(WORLDS):
        p, q, order = law(dice, 4), law(dice, 4), dice.choice([1.5, 2.0, 5.0])
        both = [
            math.log(sum(float(a) ** order * float(b) ** (1 - order) for a, b in zip(one, other, strict=True)))
            / (order - 1)
            for one, other in ((p, q), (q, p))
        ]
        delta = dice.choice([0.5, 0.1, 0.01])
        epsilon = max(max(both) + math.log(1 / delta) / (order - 1), 0.0)
        assert excess(p, q, epsilon) <= delta + HAIR
        assert indistinguishability(p, q, epsilon=str(epsilon)).lower <= delta
