"""What is drawn follows the mechanism's law: by Kolmogorov's distance (Massart's constant) at a false-alarm rate of
1e-9, and, with dice that are fixed, to the letter.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest

import dalenius as dl
from dalenius.data import draws

FALSE_ALARM = 1e-9
FEW, MANY = 1500, 20_000


def threshold(count):
    return math.sqrt(math.log(2 / FALSE_ALARM) / (2 * count))


def distance(found, law):
    """The largest difference of distribution functions, over outputs in the order of the law."""
    counts, size = Counter(found), len(found)
    assert set(counts) <= set(law)
    first, second = accumulate(counts[out] / size for out in law), accumulate(law.values())
    return max(abs(p - q) for p, q in zip(first, second, strict=True))


def told_law(law):
    """Chances of all outputs that matter, the exact one last."""
    found = {dl.mechanisms.Told(law.noisy.start + k, exactly=False): float(p) for k, p in enumerate(law.noisy.mass)}
    return found | {dl.mechanisms.Told(law.count, exactly=True): law.exactly.upper}


COUNTS = [
    (dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5"), 6),
    (dl.mechanisms.BallCount("1/2", n=60, epsilon=1, beta="0.1"), 38),
    (dl.mechanisms.HedgedCount("1/2", n=200, epsilon="0.5", alpha="0.001"), 75),
    (dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5"), 17),
]


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "count"), COUNTS, ids=["single", "ball", "hedged", "outside"])
def test_told_counts_follow_their_law(mechanism, count):
    found = [dl.data.told_count(mechanism, count) for _ in range(FEW)]
    assert distance(found, told_law(mechanism.law(count))) <= threshold(FEW)


def test_the_test_would_notice_another_law():
    mechanism, count = COUNTS[0]
    law = told_law(mechanism.law(count))
    for wrong in (
        dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5", pairs="value").law(count),
        dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="1").law(count),
        mechanism.law(count + 1),
        mechanism.law(17),
    ):
        other = told_law(wrong)
        everything = dict.fromkeys([*law, *other], 0.0)
        first, second = (accumulate({**everything, **one}.values()) for one in (law, other))
        assert max(abs(p - q) for p, q in zip(first, second, strict=True)) > 2 * threshold(FEW)


@pytest.fixture
def fixed(monkeypatch):
    """Dice that fall as told, and the scales that they were asked for."""
    asked = []

    def fix(*falls):
        left = list(falls)

        def add_noise(values, noise, scale):
            asked.append((noise, scale))
            return [value + left.pop(0) for value in values]

        monkeypatch.setattr(draws, "add_noise", add_noise)
        return asked

    return fix


@pytest.mark.parametrize("count", [4, 6, 9])
def test_noise_inside_the_window_is_kept_with_the_chance_of_the_paper(fixed, count):
    """The first fall is the noise; the next that is not negative must reach the exponent that is missing."""
    mechanism = dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5")  # 4 to 9
    for noisy in range(4, 10):
        missing = 2 + min(noisy - 4 + count - 4, 9 - noisy + 9 - count) - abs(noisy - count)
        assert missing >= 2 or mechanism.window.low == mechanism.window.high
        asked = fixed(noisy - count, -1, -3, missing, 0)
        assert dl.data.told_count(mechanism, count) == dl.mechanisms.Told(noisy, exactly=False)
        assert set(asked) == {("two_sided_geometric", mechanism.kernel.scale)}
        fixed(noisy - count, -5, missing - 1, 99, 99)
        assert dl.data.told_count(mechanism, count) == dl.mechanisms.Told(count, exactly=True)


def test_noise_outside_the_window_stays(fixed):
    mechanism = dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5")
    for count, fall in ((6, 4), (6, -3), (3, 2), (10, -2), (20, 0)):
        fixed(fall)
        assert dl.data.told_count(mechanism, count) == dl.mechanisms.Told(count + fall, exactly=False)


def test_a_coin_that_only_falls_below_zero_is_thrown_again(fixed):
    fixed(-1, -1, -1, -1, -1, 5, 0, 0)
    assert draws._power(Fraction(1), 5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "response", [dl.mechanisms.RandomizedResponse(keep="2/3"), dl.mechanisms.RandomizedResponse(epsilon="0.7")]
)
@pytest.mark.parametrize("answer", [0, 1])
def test_randomised_answers_follow_their_law(response, answer):
    found = dl.data.randomized_answers(response, [answer] * MANY)
    no, yes = (chance.upper for chance in response.law(answer))
    assert distance(found, {0: no, 1: yes}) <= threshold(MANY)
    assert distance(found, {0: no - 0.05, 1: yes + 0.05}) > threshold(MANY)


def words(monkeypatch, *falls):
    """These bits, 64 at a time."""
    left = list(falls)
    monkeypatch.setattr(
        draws, "fair_words", lambda count: np.array([left.pop(0) for _ in range(count)], dtype=np.uint64)
    )
    return left


@pytest.mark.parametrize(
    "response", [dl.mechanisms.RandomizedResponse(keep="2/3"), dl.mechanisms.RandomizedResponse(epsilon="0.7")]
)
def test_coins_are_compared_with_their_chance_to_the_last_digit(response, monkeypatch):
    """Digits of the chance itself, then one less, one more: by its own expansion to 60 digits."""
    low, high = response.chances()
    digits = [int(low * 2 ** (64 * k)) % 2**64 for k in (1, 2)]
    assert digits == [int(high * 2 ** (64 * k)) % 2**64 for k in (1, 2)]
    for falls, kept in (
        ((digits[0] - 1,), 1),
        ((digits[0] + 1,), 0),
        ((digits[0], digits[1] - 1), 1),
        ((digits[0], digits[1] + 1), 0),
    ):
        left = words(monkeypatch, *falls)
        assert dl.data.randomized_answers(response, [1]) == [kept]
        assert not left


def test_a_chance_with_few_digits_is_not_exceeded(monkeypatch):
    """5/8 is 0.101 in binary: U that begins so is not below it, whatever follows but zeros, which never end."""
    response = dl.mechanisms.RandomizedResponse(keep="5/8")
    words(monkeypatch, 5 * 2**61, 0, 1)
    assert dl.data.randomized_answers(response, [1]) == [0]
    words(monkeypatch, 5 * 2**61 - 1)
    assert dl.data.randomized_answers(response, [1]) == [1]


def test_answers_are_kept_or_flipped(monkeypatch):
    words(monkeypatch, 0, 2**64 - 1, 0, 2**64 - 1)
    response = dl.mechanisms.RandomizedResponse(epsilon=1)
    assert dl.data.randomized_answers(response, [1, 1, 0, 0]) == [1, 0, 0, 1]
    with pytest.raises(dl.InputError, match="0 or 1"):
        dl.data.randomized_answers(response, [2])


CELLS = dl.mechanisms.SinglePriorHistogram(
    {"a": "0.3", "b": "0.3", "c": "0.4"}, n=30, eligible=["a"], noise="0.5", rest="1", exact="1.5"
)


@pytest.mark.slow
def test_told_histograms_follow_their_law():
    found = [dl.data.told_histogram(CELLS, {"a": 9, "b": 9, "c": 12}) for _ in range(FEW // 3)]
    for cell, count in (("a", 9), ("c", 12)):
        law = told_law(CELLS.law(cell, count))
        assert distance([one[cell] for one in found], law) <= threshold(len(found))
    assert not any(one["b"].exactly or one["c"].exactly for one in found)
    assert any(one["a"].exactly for one in found)


@pytest.mark.parametrize("counts", [{"a": 9, "b": 9}, {"a": 9, "b": 9, "c": 9}, {"a": 1, "b": 1, "z": 28}])
def test_histograms_that_cannot_be_are_refused(counts):
    with pytest.raises(dl.InputError):
        dl.data.told_histogram(CELLS, counts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "figure"),
    [
        (dl.mechanisms.LaplaceNoise(1, epsilon=20, unit=1), 5),
        (dl.mechanisms.SumWithin(1, epsilon=40), -7),
        (dl.mechanisms.BusinessTotal(1, epsilon=30), 0),
        (dl.mechanisms.LocalLaplaceNoise(1, epsilon=20, delta="0.1"), 5),
    ],
)
def test_noisy_figures_follow_their_law(mechanism, figure):
    law = mechanism.law(figure)
    lattice = mechanism.noise.lattice if isinstance(mechanism, dl.mechanisms.LocalLaplaceNoise) else mechanism.lattice
    found = [dl.data.noisy_figure(mechanism, figure) / lattice.step for _ in range(FEW)]
    assert distance(found, {law.start + k: float(p) for k, p in enumerate(law.mass)}) <= threshold(FEW)


@pytest.mark.slow
@pytest.mark.parametrize(
    "mechanism", [dl.mechanisms.GaussianNoise(1, scale="2.5"), dl.mechanisms.DiscreteGaussianNoise(1, scale="2.5")]
)
def test_normal_figures_follow_their_law(mechanism):
    law = mechanism.law(12)
    found = [dl.data.normal_figure(mechanism, 12) for _ in range(FEW)]
    assert distance(found, {law.start + k: float(p) for k, p in enumerate(law.mass)}) <= threshold(FEW)


def test_figures_off_their_lattice_are_refused():
    with pytest.raises(dl.InputError, match="multiple of the unit"):
        dl.data.noisy_figure(dl.mechanisms.SumWithin(10, epsilon=1), "0.5")
    made = dl.mechanisms.GeometricMeanWithin("0.9", epsilon=1)
    assert dl.data.noisy_figure(made, made.figure([5, 6])) % made.lattice.step == 0
