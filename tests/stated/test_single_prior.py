"""Counts that are exact where one law has earned it: the kernel, its windows, and what they leak."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.mechanisms.earned import Kernel
from dalenius.mechanisms.single_prior import _noisy_part
from dalenius.papers.definitions.instances import single_prior
from dalenius.papers.mechanisms.finite import FiniteMechanism
from oracle import balls
from oracle.balls import ball, precise
from stated import kernels

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text())["pf_alg1"]["examples"]
SMALL = [(n, q, e) for n in range(1, 9) for q, e in (("0.3", "1"), ("1/2", "1/5"), ("0.05", "3"), ("0.3", "1/5"))]
F = Fraction
rates = st.fractions(Fraction(1, 100), Fraction(99, 100))
levels = st.fractions(Fraction(1, 50), Fraction(4))


def parts(name):
    return {key: value for key, _, value in (part.partition("=") for part in name.split(","))}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_windows_chances_and_leaks(name):
    case, golden = parts(name), GOLDEN[name]
    n, k = int(case["n"]), golden["k"]
    printed = dl.mechanisms.SinglePriorCount(case["q"], n=n, epsilon=case["eps"], pairs="value")
    sharp = dl.mechanisms.SinglePriorCount(case["q"], n=n, epsilon=case["eps"])
    assert (printed.window.low, printed.window.high) == (golden["k_lo"], golden["k_hi"])
    assert (sharp.window.low, sharp.window.high) == (golden["k_lo_sharp"], golden["k_hi_sharp"])
    law = printed.law(k)
    assert law.chance(dl.mechanisms.Told(k, exactly=True)).lower == pytest.approx(golden["P_true"], rel=1e-12)
    assert law.chance(dl.mechanisms.Told(k, exactly=False)).upper == pytest.approx(golden["P_noisy_k"], rel=1e-12)
    for made, key in ((printed, "eps_exact"), (sharp, "eps_exact_sharp")):
        leak = made.leak("presence")
        assert leak.lower - 1e-12 <= golden[key] <= leak.upper + 1e-12
        assert leak.width < 1e-9


@pytest.mark.parametrize(("n", "q", "epsilon"), SMALL)
@pytest.mark.parametrize("pairs", ["presence", "value"])
def test_leaks_are_those_of_brute_force(n, q, epsilon, pairs):
    made = dl.mechanisms.SinglePriorCount(q, n=n, epsilon=epsilon, pairs=pairs)
    x = Fraction(math.exp(-float(Fraction(epsilon))))
    found = kernels.worlds(n, (made.window.low, made.window.high), x, [(1, Fraction(q))])
    for name, truth in (("presence", kernels.presence(found)), ("value", kernels.values(found))):
        leak = made.leak(name)
        assert leak.lower - 1e-12 <= truth <= leak.upper + 1e-12
        assert leak.width < 1e-11
    assert made.leak(pairs).upper <= float(Fraction(epsilon)) * (1 + 1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "q", "epsilon"), SMALL)
def test_windows_cannot_be_wider(n, q, epsilon):
    """One count more on either side, and an exact count tells more than ε (the value window leaves 0 and n out)."""
    x = Fraction(math.exp(-float(Fraction(epsilon))))
    for pairs, size in (("presence", kernels.presence), ("value", kernels.values)):
        window = dl.mechanisms.SinglePriorCount(q, n=n, epsilon=epsilon, pairs=pairs).window
        for wider in ((window.low - 1, window.low - 1), (window.high + 1, window.high + 1)):
            if 0 <= wider[0] <= n and not window.empty:
                assert size(kernels.worlds(n, wider, x, [(1, Fraction(q))])) > float(Fraction(epsilon)) * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 3, 6, 8])
def test_the_definition_on_finite_worlds_agrees(n):
    """The same through Pufferfish with one belief, where datasets are listed."""
    q, epsilon = Fraction(3, 10), Fraction(1)
    made = dl.mechanisms.SinglePriorCount(q, n=n, epsilon=epsilon)
    hidden = single_prior({0: 1 - q, 1: q}, n)
    rows = [kernels.kernel(n, (made.window.low, made.window.high), Fraction(math.exp(-1)), k) for k in range(n + 1)]
    mechanism = FiniteMechanism.random(lambda row: rows[sum(v for v in row if v is not None)], hidden.scenarios[0])
    found = hidden.epsilon(mechanism).value
    assert found.upper == pytest.approx(made.leak("presence").upper, abs=1e-12)


@pytest.mark.parametrize(("n", "q", "epsilon"), SMALL[::5])
def test_laws_are_those_of_the_paper(n, q, epsilon):
    made = dl.mechanisms.SinglePriorCount(q, n=n, epsilon=epsilon)
    x = Fraction(math.exp(-1 / float(made.kernel.scale)))
    for k in range(n + 1):
        truth, law = kernels.kernel(n, (made.window.low, made.window.high), x, k), made.law(k)
        for r in range(n + 1):
            assert law.chance(dl.mechanisms.Told(r, exactly=False)).upper == pytest.approx(
                float(truth["noisy", r]), rel=1e-12
            )
        assert law.chance(dl.mechanisms.Told(k, exactly=True)).upper == pytest.approx(
            float(truth.get(("true", k), 0)), abs=1e-14
        )
        assert law.chance(dl.mechanisms.Told(k + 1, exactly=True)).upper == 0


@precise
def exponential_chance(kernel, count, output):
    """P(noisy output | count) in balls."""
    step = 1 / ball(kernel.scale)
    x = (-step).exp()
    power = int(kernel.exponents(count, np.array([output]))[0])
    return (1 - x) / (1 + x) * (-step * power).exp()


@pytest.mark.slow
@settings(max_examples=30)
@given(n=st.integers(1, 3000), ends=st.tuples(st.integers(0, 3000), st.integers(0, 3000)), scale=levels, data=st.data())
def test_laws_hold_the_truth_and_are_narrow(n, ends, scale, data):
    kernel = Kernel(n, dl.mechanisms.Window(min(*ends, n), min(max(ends), n)), scale)
    count = data.draw(st.integers(0, n))
    law = kernel.law(count)
    for output in data.draw(st.lists(st.integers(law.noisy.start, law.noisy.stop - 1), min_size=1, max_size=5)):
        chance, truth = law.chance(dl.mechanisms.Told(output, exactly=False)), exponential_chance(kernel, count, output)
        assert Fraction(chance.lower) <= balls.upper(truth) and balls.lower(truth) <= Fraction(chance.upper)
        assert chance.width <= 1e-11 * chance.upper + 3e-300
    with_balls = exact_chance(kernel, count)
    assert Fraction(law.exactly.lower) <= balls.upper(with_balls)
    assert balls.lower(with_balls) <= Fraction(law.exactly.upper)
    assert law.exactly.width <= 1e-14 * law.exactly.upper


@precise
def exact_chance(kernel, count):
    if count not in kernel.window:
        return arb(0)
    left, right = count - kernel.window.low + 1, kernel.window.high - count + 1
    step = 1 / ball(kernel.scale)
    return (1 - (-step * left).exp()) * (1 - (-step * right).exp())


@pytest.mark.slow
@settings(max_examples=30)
@given(q=rates, n=st.integers(1, 10**9), epsilon=levels)
def test_windows_of_any_size_keep_epsilon_and_are_the_widest(q, n, epsilon):
    """Likelihood ratios at the ends and one beyond, in balls."""

    @precise
    def within(k, pairs):
        yes, no = Fraction(k) / (n * q), Fraction(n - k) / (n * (1 - q))
        if not (yes and no):
            return False
        ratios = (yes, no) if pairs == "presence" else (yes / no,)
        return all(abs(ball(ratio).log()) <= ball(epsilon) for ratio in ratios)

    for pairs in ("presence", "value"):
        window = dl.mechanisms.SinglePriorCount(q, n=n, epsilon=epsilon, pairs=pairs).window
        if not window.empty:
            assert within(window.low, pairs) and within(window.high, pairs)
        assert not within(window.low - 1, pairs) and not within(window.high + 1, pairs)


@precise
def leaks_in_balls(made):
    """Presence and value leaks of all noisy outputs, at the scale that is drawn."""
    n, q, step = made.n, ball(made.q), 1 / ball(made.kernel.scale)

    def chance(out, more, size):
        terms = (
            math.comb(size, k) * q**k * (1 - q) ** (size - k) * (-step * power(k + more, out)).exp()
            for k in range(size + 1)
        )
        return sum(terms, ball(0))

    def power(k, out):
        return int(made.kernel.exponents(k, np.array([out]))[0])

    found = [balls.largest([ball(0)]), balls.largest([ball(0)])]
    for out in range(n + 1):
        yes, no, absent = chance(out, 1, n - 1), chance(out, 0, n - 1), chance(out, 0, n)
        found[0] = balls.largest([found[0], *(abs((world / absent).log()) for world in (yes, no))])
        found[1] = balls.largest([found[1], abs((yes / no).log())])
    return found


@pytest.mark.parametrize(
    ("n", "q", "epsilon"), [(1, "0.3", "1"), (4, "0.3", "0.7"), (7, "1/7", "1/5"), (12, "0.6", "2")]
)
def test_leaks_of_noisy_outputs_hold_the_truth_to_the_last_digit(n, q, epsilon):
    made = dl.mechanisms.SinglePriorCount(q, n=n, epsilon=epsilon)
    for pairs, truth in zip(("presence", "value"), leaks_in_balls(made), strict=True):
        found = _noisy_part(made.kernel, made.q, pairs)
        assert F(found.lower) <= balls.upper(truth) and balls.lower(truth) <= F(found.upper)
        assert found.width < 1e-12


@settings(max_examples=20)
@given(n=st.integers(1, 50), scale=levels, count=st.integers(0, 50))
def test_what_a_law_leaves_out_is_in_its_tail(n, scale, count):
    kernel = Kernel(n, dl.mechanisms.Window(1, 0), scale)
    law = kernel.law(min(count, n)).noisy

    @precise
    def outside():
        x = (-1 / ball(scale)).exp()
        return x ** (law.stop - min(count, n)) * 2 / (1 + x)

    assert balls.lower(outside()) <= F(law.tail)


def test_an_empty_window_is_told_not_raised():
    made = dl.mechanisms.SinglePriorCount("1/2", n=1, epsilon="1/10")
    assert made.window.empty
    assert made.law(0).exactly.upper == 0
    assert "no count can be earned" in str(made)


def test_large_leaks_are_between_the_closed_form_and_the_theorem():
    leak = dl.mechanisms.SinglePriorCount("0.3", n=10**6, epsilon="0.5").leak("presence")
    assert leak.lower == pytest.approx(0.5, abs=1e-5)
    assert leak.upper <= 0.5000000001


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q": 0, "n": 5, "epsilon": 1}, "strictly between 0 and 1"),
        ({"q": 1, "n": 5, "epsilon": 1}, "strictly between 0 and 1"),
        ({"q": "0.5", "n": 0, "epsilon": 1}, "at least one record"),
        ({"q": "0.5", "n": 5, "epsilon": 0}, "above 0"),
        ({"q": "0.5", "n": 5, "epsilon": -1}, "above 0"),
        ({"q": "0.5", "n": 5, "epsilon": 1, "pairs": "both"}, "presence"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(dl.InputError, match=message):
        dl.mechanisms.SinglePriorCount(arguments.pop("q"), **arguments)


def test_a_count_that_cannot_be_is_refused_without_being_shown():
    with pytest.raises(dl.InputError) as caught:
        dl.mechanisms.SinglePriorCount("1/2", n=10, epsilon=1).law(77)
    assert "77" not in str(caught.value)
    with pytest.raises(dl.InputError, match="from 0 to 10"):
        dl.mechanisms.SinglePriorCount("1/2", n=10, epsilon=1).law(-1)


@pytest.mark.parametrize("pairs", ["presence", "value"])
@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("epsilon", ["1", "25", "31"])
@pytest.mark.parametrize("small", ["4e-17", "3e-15", "1e-400"])
@pytest.mark.parametrize("flipped", [False, True])
def test_rates_that_no_float_can_hold(small, flipped, epsilon, n, pairs):
    """Nothing is exact, so that the noise has all: the sums themselves, in balls."""
    q = 1 - F(small) if flipped else F(small)
    made = dl.mechanisms.SinglePriorCount(q, n=n, epsilon=epsilon)
    assert made.window.empty
    with ctx.workprec(4000):
        x, rate = (-ball(1 / made.kernel.scale)).exp(), ball(q)
        others = [math.comb(n - 1, k) * rate**k * (1 - rate) ** (n - 1 - k) for k in range(n)]
        worst = 0.0
        for r in range(n + 1):
            no, yes = (sum(p * x ** abs(r - k - more) for k, p in enumerate(others)) for more in (0, 1))
            absent = (1 - rate) * no + rate * yes
            ratios = (no / absent, yes / absent) if pairs == "presence" else (yes / no,)
            worst = max([worst, *(abs(float(ratio.log())) for ratio in ratios)])
    found = made.leak(pairs)
    assert found.lower <= worst * (1 + 1e-15) and found.upper >= worst * (1 - 1e-15) and found.width < 1e-9
