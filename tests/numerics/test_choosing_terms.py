"""The numbers behind choices and quilts: every bound holds against exact arithmetic, term by term."""

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.enclosure.outward import exp_up, growth
from dalenius.mechanisms.choice import likeliest_rate
from dalenius.mechanisms.selected import _mixed, _weights
from dalenius.mechanisms.wrong_models import Among, chernoff_curve
from dalenius.numerics.chernoff import Affinity, log_up
from dalenius.numerics.coupling import Coupling, CouplingCurve, CouplingSteps, joint, pieces
from dalenius.numerics.histograms import Multinomial, histograms, how_many, log_factorials, near, windowed
from dalenius.numerics.intervals import Intervals
from dalenius.numerics.law import Law
from dalenius.numerics.powers import coprime, exponents_in_base, sign
from dalenius.numerics.quilts import Influences, distances
from dalenius.numerics.wasserstein import distance, exact_distance, smoothed


def ln(number):
    """The logarithm of a fraction to fifty digits."""
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).ln())


def exp(number):
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).exp())


# -- powers -----------------------------------------------------------------------------------------------------------

FRACTIONS = st.fractions(Fraction(1, 50), 50, max_denominator=50)


@given(st.lists(st.tuples(FRACTIONS, st.integers(-9, 9)), max_size=5))
def test_signs_of_products_of_powers(parts):
    product = math.prod((b**e for b, e in parts), start=Fraction(1))
    assert sign([b for b, _ in parts], [e for _, e in parts]) == (product > 1) - (product < 1)


def test_signs_where_floats_cannot_tell():
    """2^a against 3^b at convergents of ln 2 / ln 3, and a tie of huge powers."""
    ratio, (a, b), (c, d) = ln(Fraction(2)) / ln(Fraction(3)), (0, 1), (1, 0)
    for _ in range(40):  # b/a are the convergents, up to twenty digits
        whole = math.floor(ratio)
        (a, b), (c, d) = (c, d), (a + whole * c, b + whole * d)
        ratio = 1 / (ratio - whole)
        truth = 1 if d * ln(Fraction(2)) > c * ln(Fraction(3)) else -1
        assert sign([Fraction(2), Fraction(3)], [d, -c]) == truth
    assert d > 10**18
    assert sign([Fraction(6), Fraction(4), Fraction(9)], [2 * 10**12, -(10**12), -(10**12)]) == 0
    with pytest.raises(InputError, match="above 0"):
        sign([Fraction(0)], [1])


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(-4, 4)), max_size=5))
def test_coprime_bases(parts):
    found = coprime(parts)
    assert math.prod((Fraction(b) ** e for b, e in found), start=Fraction(1)) == math.prod(
        (Fraction(b) ** e for b, e in parts), start=Fraction(1)
    )
    assert all(math.gcd(a, b) == 1 for i, (a, _) in enumerate(found) for b, _ in found[:i])


@given(st.lists(FRACTIONS, min_size=1, max_size=4))
def test_exponents_tell_equal_numbers(numbers):
    table = exponents_in_base(numbers)
    for one, a in zip(numbers, table, strict=True):
        for two, b in zip(numbers, table, strict=True):
            assert (one == two) is bool((a == b).all())


# -- intervals and couplings ------------------------------------------------------------------------------------------


def rough_law(size, seed, tail=0.0, error=0.0):
    dice = random.Random(seed)
    mass = np.array([dice.random() * 10.0 ** dice.randint(-6, 0) for _ in range(size)])
    mass /= mass.sum() * (1 + 1e-9)
    return Law(-3, mass, mass * error, tail)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_intervals_hold_their_sums(seed):
    law, dice = rough_law(700, seed), random.Random(seed)
    masses, table = [Fraction(m) for m in law.mass.tolist()], Intervals.of(law)
    ends = [sorted((dice.randint(-10, 705), dice.randint(-10, 705))) for _ in range(300)]
    ends += [(a, a + dice.randint(0, 60)) for a, _ in ends]
    for some in (ends, ends[:20]):
        lower, upper = table.between(np.array([a for a, _ in some]), np.array([b for _, b in some]))
        for (a, b), low, high in zip(some, lower.tolist(), upper.tolist(), strict=True):
            truth = sum(masses[max(0, a + 3) : max(0, b + 3)], Fraction(0))
            assert Fraction(low) <= truth <= Fraction(high)
            assert high - low <= 1e-12


def test_short_intervals_in_the_far_tails_keep_their_digits():
    mass = np.concatenate([10.0 ** np.arange(-200, 0, 1.0), 10.0 ** np.arange(-1, -201, -1.0)]) / 3
    table = Intervals.of(Law(0, mass, mass * 1e-16))
    lower, upper = table.between(np.array([3, 390]), np.array([5, 396]))
    assert (upper - lower <= 1e-12 * upper).all() and (lower > 0).all()


def test_what_lies_outside_the_window_may_be_anywhere_outside():
    table = Intervals.of(rough_law(10, 1, tail=1e-3))
    lower, upper = table.between(np.array([-50, 100, 0, 5, -50]), np.array([-40, 200, 2, 5, -50]))
    assert (lower[[0, 1, 3, 4]] == 0).all()
    assert (upper[:2] >= 1e-3).all() and upper[2] < 1 and (upper[3:] == 0).all()


def truth_of(joint_masses, epsilon):
    factor, size = exp(epsilon), len(joint_masses)
    rows = [sum(joint_masses[t][s] for s in range(size)) for t in range(size)]
    columns = [sum(joint_masses[s][t] for s in range(size)) for t in range(size)]
    return sum(max(Fraction(0), p - factor * q) for p, q in zip(rows, columns, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 10**9), Fraction(1, 3), Fraction(5)])
def test_couplings_hold_their_divergence(epsilon):
    dice = random.Random(7)
    for _ in range(120):
        size = dice.randint(2, 4)
        found = np.array([[dice.random() * 10.0 ** dice.randint(-12, 0) for _ in range(size)] for _ in range(size)])
        found /= found.sum() * 1.0001
        masses = [[Fraction(value) for value in row] for row in found.tolist()]
        coupling = Coupling(found[None], found[None])
        lower, upper = coupling.hockey_sticks(epsilon)
        truth = truth_of(masses, epsilon)
        assert Fraction(lower[0]) <= truth <= Fraction(upper[0])
        assert upper[0] - lower[0] <= 1e-13 * (float(truth) + float(exp(epsilon)) * 1e-2 + 1)
        few, many = coupling.disagreement()
        off = sum(masses[s][t] for s in range(size) for t in range(size) if s != t)
        assert Fraction(few[0]) <= off <= Fraction(many[0])
        first, second = coupling.outputs()
        assert all(Fraction(first[0][t]) <= sum(masses[t]) for t in range(size))
        assert all(Fraction(second[0][t]) <= sum(row[t] for row in masses) for t in range(size))


def test_small_differences_keep_their_digits():
    found = np.array([[[0.5, 1e-30], [0.0, 0.5 - 1e-30]]])
    lower, upper = Coupling(found, found).hockey_sticks(Fraction(0))
    assert lower[0] == pytest.approx(1e-30, rel=1e-12) and upper[0] == pytest.approx(1e-30, rel=1e-12)


def test_beyond_all_exponentials_only_what_is_impossible_counts():
    found = np.array([[[0.5, 0.25], [0.0, 0.25]]])
    lower, upper = Coupling(found, found).hockey_sticks(Fraction(1000))
    assert lower[0] == 0 and upper[0] < 1
    apart = np.array([[[0.0, 0.25], [0.0, 0.75]]])
    assert Coupling(apart, apart).hockey_sticks(Fraction(1000))[0][0] == pytest.approx(0.25)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**12), Fraction(1, 7), Fraction(2, 3), Fraction(13), Fraction(300)])
def test_growth(epsilon):
    low, high = growth(epsilon)
    assert Fraction(low) < exp(epsilon) - 1 < Fraction(high) and high - low <= 1e-12 * high


def test_cases_left_out_are_charged():
    curve = CouplingCurve((), 1e-9, partial=True)
    assert curve.delta(Fraction(0)).upper == 1e-9 == curve.disagreement().upper
    assert curve.least_output() == 0


@pytest.mark.parametrize("seed", range(4))
def test_joint_laws_of_two_functions(seed):
    law, dice = rough_law(60, seed), random.Random(seed)
    masses = [Fraction(m) for m in law.mass.tolist()]
    cuts = [tuple(sorted(dice.sample(range(-5, 65), 3))) for _ in range(2)]
    first, second = (CouplingSteps(cut, (0, 1, 2, 1)) for cut in cuts)
    offsets = np.arange(-4, 5)
    least, most = joint(Intervals.of(law), first, second, offsets, 3)
    for case, offset in enumerate(offsets.tolist()):
        truth = [[Fraction(0)] * 3 for _ in range(3)]
        for k, mass in enumerate(masses, start=-3):
            truth[first.at(k + offset)][second.at(k + offset)] += mass
        for s in range(3):
            for t in range(3):
                assert Fraction(least[case][s][t]) <= truth[s][t] <= Fraction(most[case][s][t])
    assert pieces(CouplingSteps((), (1,)), CouplingSteps((), (0,))) == [(None, None, 1, 0)]


# -- histograms, weights, exponents -----------------------------------------------------------------------------------


def test_histograms_and_their_chances():
    chances, total = (Fraction(1, 7), Fraction(2, 7), Fraction(4, 7)), 60
    rows = histograms(total, 3)
    assert len(rows) == how_many(total, 3) == len({tuple(row) for row in rows.tolist()})
    spread = Multinomial.of(chances, total)
    for row, low, high in zip(rows.tolist(), spread.least.tolist(), spread.most.tolist(), strict=True):
        ways = math.factorial(total) // math.prod(math.factorial(count) for count in row)
        truth = ways * math.prod(p**c for p, c in zip(chances, row, strict=True))
        assert Fraction(low) <= truth <= Fraction(high) and high <= low * (1 + 1e-10)
    never = Multinomial.of((Fraction(1, 2), Fraction(1, 2), Fraction(0)), 5)
    assert (never.most[never.rows[:, 2] > 0] == 0).all()
    least, most = spread.joint(rows[:, 0] % 2, rows[:, 1] % 2, 2)
    assert least.sum() <= 1 <= most.sum()


def test_factorials_by_their_series():
    logs = log_factorials(3000)
    value = 1
    for k in range(1, 3001):
        value *= k
        if k in (1, 2, 10, 255, 256, 257, 300, 1000, 3000):
            assert Fraction(float(logs[k].lower)) <= ln(Fraction(value)) <= Fraction(float(logs[k].upper))
            assert logs[k].radius <= 1e-14 * (1 + logs[k].middle)


def test_what_windows_leave_out_is_charged():
    chances, total = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), 300
    rows, missing = windowed(chances, total)
    assert 0 < missing < 1e-15 and len(rows) < how_many(total, 3)
    outside = math.fsum(Multinomial.of(chances, total).most) - math.fsum(Multinomial.of(chances, total, rows).least)
    assert outside < 1e-9
    for cell, (low, high) in enumerate(near(chances, total)[0]):
        p = chances[cell]
        mass = sum(math.comb(total, k) * p**k * (1 - p) ** (total - k) for k in range(total + 1) if not low <= k < high)
        assert mass <= missing / 3
    spread = Multinomial.of(chances, total, rows, missing)
    most = spread.joint(np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64), 2)[1]
    assert (most[0] >= missing).all()
    assert windowed(chances, 5)[1] == 0 and len(windowed(chances, 5)[0]) == how_many(5, 3)


def test_weights_of_models_hold():
    rates, prior = (Fraction(1, 4), Fraction(2, 3), Fraction(9, 10)), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    ones = np.array([0, 7, 150, 299, 300])
    least, most = _weights(rates, prior, ones, 300)
    for row, one in enumerate(ones.tolist()):
        parts = [w * p**one * (1 - p) ** (300 - one) for p, w in zip(rates, prior, strict=True)]
        for j, part in enumerate(parts):
            assert Fraction(least[row][j]) <= part / sum(parts) <= Fraction(most[row][j])
    part = np.array([[[0.1, 0.2], [0.3, 0.4]]])
    mixed = _mixed([(part, part)] * 3, np.array([[0.1, 0.7, 0.1]]), np.array([[0.1, 0.7, 0.1]]))
    truth = sum(Fraction(w) * Fraction(0.3) for w in (0.1, 0.7, 0.1))
    assert Fraction(mixed.least[0][1][0]) < truth < Fraction(mixed.most[0][1][0])


CHANCES = st.integers(1, 30)


@pytest.mark.slow
@given(st.lists(st.tuples(CHANCES, CHANCES), min_size=2, max_size=4), st.sampled_from([0.1, 0.25, 0.5, 0.8]))
def test_exponents_are_rounded_upwards(parts, s):
    wrong, true = (tuple(Fraction(p, sum(column)) for p in column) for column in zip(*parts, strict=True))
    power = Fraction(s)
    total = sum(exp(power * ln(p) + (1 - power) * ln(q)) for p, q in zip(wrong, true, strict=True))
    pair = Affinity(wrong, true)
    if total < 1 - Fraction(1, 10**12):
        assert ln(total) < Fraction(pair.log(s)) <= ln(total) + Fraction(1, 10**13)
        assert exp(power / 3 + 50 * Fraction(pair.log(s))) < Fraction(pair.bound(1 / 3, 50, s=s) * (1 + 1e-16))
    assert pair.log(0.0) == pair.log(1.0) == 0.0
    assert pair.bound(0.0, 40) <= min(pair.bound(0.0, 40, s=k / 50) for k in range(51)) * (1 + 1e-9)


@given(st.fractions(Fraction(1, 10**6), 10**6))
def test_logarithms_and_exponentials_are_rounded_upwards(number):
    assert ln(number) < Fraction(log_up(number)) < ln(number) + Fraction(1, 10**12)
    small = number / 10**5
    assert exp(small) < Fraction(exp_up(float(small)) * (1 + 2**-52))
    assert log_up(Fraction(10) ** 5000) == pytest.approx(5000 * math.log(10)) and exp_up(1e4) == math.inf


def test_chernoff_bounds_add_up_the_models():
    three = likeliest_rate(0.2, 0.5, 0.8)
    pair = likeliest_rate(0.5, 0.8)
    one, both = chernoff_curve(pair, Among(200)).most, chernoff_curve(three, Among(200)).most
    assert both > 1.2 * one


# -- distances and smoothing ------------------------------------------------------------------------------------------

LAWS = st.dictionaries(st.integers(-6, 9), st.integers(1, 9), min_size=1, max_size=6)


def exact_law(parts):
    return {k: Fraction(part, sum(parts.values())) for k, part in parts.items()}


def float_law(law):
    start, stop = min(law), max(law) + 1
    mass = np.array([float(law.get(k, 0)) for k in range(start, stop)])
    return Law(start, mass, mass * 2.0**-52)


@given(LAWS, LAWS)
def test_the_distance_by_sums_holds_the_one_by_quantiles(p, q):
    one, two = exact_law(p), exact_law(q)
    low, high = distance(float_law(one), float_law(two))
    truth = exact_distance(one, two)
    assert low <= truth <= high
    cdf = [[sum(m for k, m in law.items() if k <= at) for at in range(-30, 40)] for law in (one, two)]

    def feasible(d):
        return all(
            a[i] <= b[min(i + d, 69)] for a, b in ((cdf[0], cdf[1]), (cdf[1], cdf[0])) for i in range(len(cdf[0]))
        )

    assert feasible(truth) and (truth == 0 or not feasible(truth - 1))


def test_laws_with_tails_are_refused():
    with pytest.raises(PreconditionError, match="tails"):
        distance(Law(0, np.ones(1), np.zeros(1), 1e-9), Law(0, np.ones(1), np.zeros(1)))


def test_tails_matter_however_light():
    one = {0: 1 - Fraction(1, 10**250), 40: Fraction(1, 10**250)}
    assert distance(float_law(one), float_law({0: Fraction(1)})) == (40, 40)


@pytest.mark.parametrize("scale", [0.3, 2.0, 17.0])
def test_smoothing_holds(scale):
    laws = [rough_law(400, seed) for seed in range(3)]
    least, most = smoothed(laws, scale=scale)
    with localcontext() as context:
        context.prec = 60
        x = (-1 / Decimal(scale)).exp()
        powers_of_x = [x**k for k in range(400)]
        for row, law in enumerate(laws):
            masses = [Decimal(m) for m in law.mass.tolist()]
            for k in (0, 1, 57, 200, 399):
                truth = sum(m * powers_of_x[abs(k - j)] for j, m in enumerate(masses))
                assert Decimal(least[row][k].item()) <= truth <= Decimal(most[row][k].item())
                assert most[row][k] - least[row][k] <= 1e-10 * most[row][k]


# -- quilts -----------------------------------------------------------------------------------------------------------


def powers(moves, count):
    size = len(moves)
    found = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    for _ in range(count):
        found = [[sum(row[k] * moves[k][j] for k in range(size)) for j in range(size)] for row in found]
    return found


@pytest.mark.slow
def test_influences_are_rounded_upwards():
    moves = tuple(tuple(Fraction(p, 21) for p in row) for row in ((3, 7, 11), (13, 5, 3), (1, 10, 10)))
    start = (Fraction(1, 7), Fraction(2, 7), Fraction(4, 7))
    table = Influences(start, moves, 60)
    table.extend(50)
    for step in (1, 2, 3, 5, 8, 13, 30, 50):
        power = powers(moves, step)
        back = table.before(51, step)[step - 1]
        here = [sum(start[k] * powers(moves, 51)[k][x] for k in range(3)) for x in range(3)] if step < 9 else None
        for x in range(3):
            for y in range(3):
                truth = max(ln(power[x][z] / power[y][z]) for z in range(3))
                found = Fraction(table.forth[step - 1][x][y])
                if x != y:
                    assert truth < found < truth + Fraction(1, 10**12)
                if here and x != y:
                    truth = max(ln(power[z][x] / power[z][y]) for z in range(3)) + ln(here[y] / here[x])
                    assert truth < Fraction(back[x][y]) < truth + Fraction(3, 10**9)


def test_impossible_moves_are_no_matter_of_rounding():
    moves = ((Fraction(1, 2), Fraction(1, 2)), (Fraction(0), Fraction(1)))
    table = Influences((Fraction(1), Fraction(0)), moves, 2000)
    table.extend(1500)
    assert (table.forth[:, 0, 1] == np.inf).all()  # from 1 there is no way back to 0
    assert table.support[0].tolist() == [True, False] and table.support[1].all()
    assert distances(3) == [1, 2, 3] and distances(400)[-1] <= 400 and distances(0) == []
