"""Noise for Markov chains: golden values, brute force over all datasets, classes of chains, samples, bad input."""

import itertools
import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.data import add_noise, representable
from dalenius.mechanisms.correlated import _chain, exact_law, quilt_of
from dalenius.numerics.wasserstein import exact_distance

GOLDEN = json.loads((Path(__file__).parent.parent / "golden/sums.json").read_text())["pf_wasserstein_mqm"]
COUNT = dl.Count()


def chain(moves, n, start=None):
    (a, b), (c, d) = ([Fraction(str(chance)) for chance in row] for row in moves)
    first = b / (b + c) if start is None else Fraction(str(start))
    return dl.Markov(start={0: 1 - first, 1: first}, moves={0: {0: a, 1: b}, 1: {0: c, 1: d}}, n=n)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in GOLDEN if name.startswith("P=")])
def test_golden_chains(name):
    case = GOLDEN[name]
    belief, epsilon = chain(case["P"], case["T"]), Fraction(str(case["eps"]))
    assert dl.mechanisms.wasserstein_distance(belief, COUNT) == (case["W_inf"], case["W_inf"])
    wide = dl.mechanisms.wasserstein(belief, COUNT, epsilon=epsilon)
    assert float(wide.scale) == case["wass_scale"]
    quilt = quilt_of(belief, epsilon=epsilon)
    assert case["mqm_scale"] * (1 - 1e-12) <= float(quilt.scale) <= case["mqm_scale"] * (1 + 1e-8)
    assert (quilt.before, quilt.after) == (
        (None, None) if "trivial" in case["mqm_argmax"] else _ends(case["mqm_argmax"])
    )
    hidden, least = dl.mechanisms.least_noise(belief, COUNT, epsilon=epsilon)
    golden = case["exact_min_laplace_scale"]
    assert least.lower <= golden * (1 + 1e-9) and golden * (1 - 1e-9) <= least.upper and least.width < 1e-6 * golden
    assert float(hidden.scale) == pytest.approx(golden, rel=1e-6)
    for scale, truth in ((quilt.scale, case["mqm_exact_eps"]), (wide.scale, case["wass_exact_eps"])):
        found = dl.mechanisms.exact_epsilon(belief, COUNT, scale=scale)
        assert found.lower == pytest.approx(truth, rel=1e-7) and found.upper == pytest.approx(truth, rel=1e-7)


def _ends(text):
    return tuple(int(part.strip(" )")) for part in text.split(",")[2:])


def test_golden_laws():
    for place, name in enumerate(("T=3 chain .8/.2 i=1", "T=3 chain .8/.2 i=2")):
        case, made = GOLDEN[name], _chain(chain(((0.8, 0.2), (0.2, 0.8)), 3), COUNT)[0]
        for state in (0, 1):
            law = exact_law(made, place, state)
            assert [float(law.get(k, 0)) for k in range(4)] == pytest.approx(case[f"given{state}"], rel=1e-12)
        assert exact_distance(*(exact_law(made, place, state) for state in (0, 1))) == case["W_inf"]


# -- brute force ------------------------------------------------------------------------------------------------------


def datasets(belief):
    found = {}
    for data in itertools.product(range(len(belief.states)), repeat=belief.n):
        chance = belief.start[data[0]]
        for one, two in itertools.pairwise(data):
            chance *= belief.moves[one][two]
        if chance:
            found[data] = chance
    return found


def given_value(world, i, x):
    found = {data: chance for data, chance in world.items() if data[i] == x}
    total = sum(found.values())
    return {data: chance / total for data, chance in found.items()} if total else None


def laws(belief, adds):
    """For each record, the law of the sum given each of its values."""
    world = datasets(belief)
    for i in range(belief.n):
        row = []
        for x in range(len(belief.states)):
            part = given_value(world, i, x)
            if part:
                law = {}
                for data, chance in part.items():
                    total = sum(adds[value] for value in data)
                    law[total] = law.get(total, Fraction(0)) + chance
                row.append(law)
        yield row


def quantile_distance(p, q):
    """By the definition: the largest difference of quantiles."""

    def steps(law):
        total, found = Fraction(0), []
        for k in sorted(law):
            total += law[k]
            found.append((total, k))
        return found

    one, two = steps(p), steps(q)
    levels = sorted({level for level, _ in one + two})
    return max(
        abs(next(k for top, k in one if top >= level) - next(k for top, k in two if top >= level)) for level in levels
    )


@st.composite
def chains(draw, most=5):
    size, n = draw(st.integers(2, 3)), draw(st.integers(1, most))
    rows = []
    for _ in range(size + 1):
        parts = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any))
        rows.append({x: Fraction(part, sum(parts)) for x, part in enumerate(parts)})
    return dl.Markov(start=rows[0], moves=dict(enumerate(rows[1:])), n=n)


@pytest.mark.slow
@settings(max_examples=30)
@given(chains())
def test_the_distance_is_that_of_the_quantiles(belief):
    adds = [0, 2, 3][: len(belief.states)]
    pairs = [pair for row in laws(belief, adds) for pair in itertools.combinations(row, 2)]
    assert all(exact_distance(p, q) == quantile_distance(p, q) for p, q in pairs)
    truth = max((quantile_distance(p, q) for p, q in pairs), default=0)
    low, high = dl.mechanisms.wasserstein_distance(_relabelled(belief, adds), dl.Sum())
    assert low == truth == high


def _relabelled(belief, adds):
    moves = {adds[i]: dict(zip(adds, row, strict=True)) for i, row in enumerate(belief.moves)}
    return dl.Markov(start=dict(zip(adds, belief.start, strict=True)), moves=moves, n=belief.n)


def loss(belief, adds, scale):
    """The largest log ratio on a fine grid of places between and beyond the sums, with Laplace noise."""
    worst = 0.0
    for row in laws(belief, adds):
        for p, q in itertools.permutations(row, 2):
            for place in range(-8, 8 * (belief.n * max(adds) + 1) + 1):
                y = place / 8
                one, two = (sum(float(c) * math.exp(-abs(y - k) / scale) for k, c in law.items()) for law in (p, q))
                worst = max(worst, math.log(one / two))
    return worst


@pytest.mark.slow
@settings(max_examples=15)
@given(chains(4), st.sampled_from([0.5, 1, 3]))
def test_epsilon_is_that_of_a_fine_grid(belief, scale):
    adds = list(range(len(belief.states)))
    found, truth = dl.mechanisms.exact_epsilon(belief, dl.Sum(), scale=scale), loss(belief, adds, scale)
    assert found.lower <= truth + 1e-12 and truth - 1e-12 <= found.upper and found.width < 1e-9
    if truth > 0.01:
        hidden, least = dl.mechanisms.least_noise(belief, dl.Sum(), epsilon=Fraction(truth))
        assert least.lower <= scale * (1 + 1e-6) and float(hidden.scale) >= scale * (1 - 1e-6)


def brute_scale(beliefs, epsilon):
    worlds, n = [datasets(belief) for belief in beliefs], beliefs[0].n
    worst = 0.0
    for record in range(n):
        best = n / epsilon
        lefts, rights = [None, *range(1, record + 1)], [None, *range(1, n - record)]
        for before, after in itertools.product(lefts, rights):
            if before is None and after is None:
                continue
            card = (record if before is None else before - 1) + 1 + (n - 1 - record if after is None else after - 1)
            values = range(len(beliefs[0].states))
            e = max(_influence(world, record, before, after, values) for world in worlds)
            if e < epsilon:
                best = min(best, card / (epsilon - e))
        worst = max(worst, best)
    return worst


def _influence(world, record, before, after, values):
    ends = ([] if before is None else [record - before]) + ([] if after is None else [record + after])
    rows = []
    for x in values:
        part = given_value(world, record, x)
        if part:
            law = {}
            for data, chance in part.items():
                key = tuple(data[end] for end in ends)
                law[key] = law.get(key, Fraction(0)) + chance
            rows.append(law)
    worst = 0.0
    for p, q in itertools.permutations(rows, 2):
        for key, chance in p.items():
            worst = max(worst, math.log(chance / q[key]) if q.get(key) else math.inf)
    return worst


@pytest.mark.slow
@settings(max_examples=30)
@given(chains(6), st.sampled_from([0.25, 1, 4]))
def test_quilts_are_those_of_every_dataset(belief, epsilon):
    truth, found = brute_scale([belief], epsilon), float(quilt_of(belief, epsilon=epsilon).scale)
    assert truth * (1 - 1e-12) <= found <= truth * (1 + 1e-6)


def test_a_class_of_chains_takes_the_worst_influence_of_each_quilt():
    some = [chain(((0.6, 0.4), (0.3, 0.7)), 6), chain(((0.5, 0.5), (0.45, 0.55)), 6, start=0.2)]
    truth, found = brute_scale(some, 2), float(quilt_of(some, epsilon=2).scale)
    assert found == pytest.approx(truth, rel=1e-6) and found >= truth * (1 - 1e-12)
    assert found >= max(float(quilt_of(one, epsilon=2).scale) for one in some) * (1 - 1e-9)
    apart = [dl.mechanisms.wasserstein_distance(one, COUNT)[1] for one in some]
    assert dl.mechanisms.wasserstein_distance(some, COUNT)[1] == max(apart)


@pytest.mark.slow
@settings(max_examples=10)
@given(chains(5))
def test_each_noise_is_enough(belief):
    """Pufferfish privacy itself, by the exact law of the noisy sum."""
    for make in (dl.mechanisms.wasserstein, dl.mechanisms.markov_quilt):
        hidden = make(belief, dl.Sum(), epsilon=1)
        assert dl.mechanisms.exact_epsilon(belief, dl.Sum(), scale=hidden.scale).lower <= 1
    g = dl.judge.correlated_guarantee(dl.mechanisms.wasserstein(belief, dl.Sum(), epsilon=1))
    assert g.verdict == dl.Verdict.PASS and "same quilt" in str(g)


@pytest.mark.slow
def test_verify_agrees_with_the_least_noise():
    belief = chain(((0.8, 0.2), (0.2, 0.8)), 10)
    hidden, _ = dl.mechanisms.least_noise(belief, COUNT, epsilon=1)
    assert dl.verify(hidden.mechanism, dl.noiseless(belief), epsilon="1.0000001").delta.upper < 1e-15
    less = COUNT >> dl.two_sided_geometric(hidden.scale * Fraction(9, 10))
    assert dl.verify(less, dl.noiseless(belief), epsilon=1).delta.lower > 0


@pytest.mark.slow
def test_long_chains_by_quilts():
    """Ten thousand records: as much noise as for a hundred, since far records do not matter."""
    long, short = (quilt_of(chain(((0.9, 0.1), (0.2, 0.8)), n), epsilon=1) for n in (10_000, 100))
    assert long.scale == short.scale and "9 before and 9 after" in str(long)
    slow = quilt_of(chain(((0.99, 0.01), (0.01, 0.99)), 10_000), epsilon=1)
    assert slow.scale < 365
    started = quilt_of(chain(((0.9, 0.1), (0.2, 0.8)), 10_000, start=0), epsilon=1)
    assert long.scale <= started.scale < 1.05 * long.scale
    far = quilt_of(chain(((0.998, 0.002), (0.002, 0.998)), 3_000), epsilon=1)
    assert far.before is not None and far.before > 256


# -- samples ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_samples_follow_the_law_of_the_mechanism():
    """Kolmogorov's distance, at a false-alarm rate of 1e-9 (Dvoretzky, Kiefer, Wolfowitz; Massart)."""
    belief = chain(((0.9, 0.1), (0.2, 0.8)), 100)
    hidden = dl.mechanisms.wasserstein(belief, COUNT, epsilon=1)
    drawn = representable(hidden.scale)
    assert drawn >= hidden.scale
    draws = 40_000
    counts = Counter(add_noise([37] * draws, "two_sided_geometric", hidden.scale))
    x = math.exp(-1 / float(drawn))
    seen = worst = 0.0
    for k in range(-200, 275):
        seen += counts[k]
        true = x ** (37 - k) / (1 + x) if k < 37 else 1 - x ** (k - 36) / (1 + x)
        worst = max(worst, abs(seen / draws - true))
    assert worst <= math.sqrt(math.log(2 / 1e-9) / (2 * draws))


BAD = [
    (lambda: dl.mechanisms.wasserstein(dl.IID(p=0.5, n=5), COUNT, epsilon=1), "one Markov chain"),
    (lambda: dl.mechanisms.wasserstein([], COUNT, epsilon=1), "one Markov chain"),
    (
        lambda: dl.mechanisms.markov_quilt([chain(((0.5, 0.5), (0.5, 0.5)), n) for n in (5, 6)], COUNT, epsilon=1),
        "one length",
    ),
    (lambda: dl.mechanisms.markov_quilt(chain(((0.5, 0.5), (0.5, 0.5)), 5), COUNT, epsilon=0), "epsilon above 0"),
    (lambda: dl.mechanisms.exact_epsilon(chain(((0.5, 0.5), (0.5, 0.5)), 5), COUNT, scale=0), "scale above 0"),
    (lambda: dl.mechanisms.least_noise(chain(((0.5, 0.5), (0.5, 0.5)), 20_000), COUNT, epsilon=1), "markov_quilt"),
    (
        lambda: dl.mechanisms.markov_quilt(chain(((0.5, 0.5), (0.5, 0.5)), 5), dl.Count(of=frozenset({9})), epsilon=1),
        "Publish it",
    ),
]


@pytest.mark.parametrize(("make", "says"), BAD)
def test_bad_input(make, says):
    with pytest.raises(InputError, match=says):
        make()
