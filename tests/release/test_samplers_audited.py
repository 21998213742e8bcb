"""Every mechanism that draws is audited by draws: against its own law it is not refuted, and the lower bound comes
close to the law, so that the audit would have seen noise that is too small. In the deep profile with more draws.
"""

import inspect
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from tests.amount import repetitions

import dalenius as dl
from dalenius.data import InBatches, add_noise, draws
from dalenius.mechanisms.registry import NOISES, ROWS, made
from dalenius.numerics.law import Law, point

DRAWS = repetitions(1_200, 200_000)
SURE = "0.9999"  # of each of some dozens


def excess(first: Counter | Law, second: Counter | Law, epsilon: float) -> float:
    """δ of two laws, either way round."""
    if isinstance(first, Law):
        start = min(first.start, second.start)
        end = max(first.start + len(first.mass), second.start + len(second.mass))
        one, other = np.zeros(end - start), np.zeros(end - start)
        for law, whole in ((first, one), (second, other)):
            whole[law.start - start : law.start - start + len(law.mass)] = law.mass
    else:
        keys = [*{*first, *second}]
        one, other = (np.array([law[key] for key in keys]) for law in (first, second))
    ratio = math.exp(epsilon)
    return max(float(np.maximum(p - ratio * q, 0).sum()) for p, q in ((one, other), (other, one)))


def audit_against_law(draw, first, second, epsilon: str, pair) -> None:
    """The truth is not refuted, and what is proved comes close to it."""
    truth = excess(first, second, float(epsilon))
    assert truth > 0.05
    found = dl.audit_mechanism(
        draw, [pair], epsilon=epsilon, delta=truth + 1e-9, draws=DRAWS, confidence=SURE, until="done", seconds=1e6
    )
    assert not found.refuted, found.text()
    assert found.delta >= max(0.0, 0.95 * truth - 5 * math.sqrt(2 / DRAWS))


@pytest.mark.parametrize("size", ["1/2", "10/3"])
@pytest.mark.parametrize("noise", NOISES)
def test_noise_of_every_row_of_the_registry(noise, size):
    channel = made(noise, size)
    step = 1 if size == "1/2" else 3
    laws = [channel.push(point(value)) for value in (5, 5 + step)]
    scale = ROWS[noise].size(channel)
    draw = InBatches(lambda value, count: add_noise([value] * count, ROWS[noise].drawn, scale))
    audit_against_law(draw, *laws, "0.1", (5, 5 + step))


FIGURES = [
    (dl.mechanisms.LaplaceNoise(1, epsilon=1), "3", "4"),
    (dl.mechanisms.LocalLaplaceNoise(1, epsilon=1, delta="0.1"), "3", "4"),
    (dl.mechanisms.SumWithin(2, epsilon=1), "3", "13"),
    (dl.mechanisms.GaussianNoise(1, scale=2), 3, 5),
    (dl.mechanisms.DiscreteGaussianNoise(1, scale=2), 3, 5),
]


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "one", "other"), FIGURES, ids=lambda each: type(each).__name__)
def test_figures_with_noise(mechanism, one, other):
    drawn = dl.data.normal_figure if hasattr(mechanism, "channel") else dl.data.noisy_figure
    laws = [mechanism.law(each) for each in (one, other)]
    audit_against_law(lambda value: Fraction(drawn(mechanism, value)), *laws, "0.2", (one, other))


COUNTS = [
    (dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5"), 6),
    (dl.mechanisms.BallCount("1/2", n=60, epsilon=1, beta="0.1"), 38),
    (dl.mechanisms.HedgedCount("1/2", n=200, epsilon="0.5", alpha="0.001"), 75),
]


def told_chances(law) -> Counter:
    noisy = {(law.noisy.start + place, False): float(mass) for place, mass in enumerate(law.noisy.mass)}
    return Counter({**noisy, (law.count, True): float(law.exactly.upper)})


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "count"), COUNTS, ids=lambda each: type(each).__name__)
def test_counts_that_earn_it(mechanism, count):
    laws = [told_chances(mechanism.law(each)) for each in (count, count + 1)]

    def draw(value):
        told = dl.data.told_count(mechanism, value)
        return told.count, told.exactly

    audit_against_law(draw, *laws, "0.1", (count, count + 1))


@pytest.mark.slow
def test_counts_that_earn_it_keep_their_guarantee_before_the_belief_they_are_made_for():
    mechanism = dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5")
    attacker = dl.IID(p="0.3", n=20)
    level = dl.verify(mechanism, attacker, delta=0).epsilon.upper

    def release(people):
        told = dl.data.told_count(mechanism, int(people.sum()))
        return told.count, told.exactly

    asked = {"definition": dl.noiseless(attacker), "confidence": SURE, "seconds": 1e6}
    assert not dl.audit_mechanism(release, epsilon=level, draws=DRAWS, **asked).refuted
    # What is true at ε = 0 is 0.16: five times as many draws see 0.05, so that chance plays no part.
    assert dl.audit_mechanism(release, epsilon=0, draws=5 * DRAWS, **asked).refuted


@pytest.mark.slow
def test_a_histogram_that_earns_it():
    mechanism = dl.mechanisms.SinglePriorHistogram(
        {"a": "0.3", "b": "0.3", "c": "0.4"}, n=30, eligible=["a"], noise="0.5", rest="1", exact="1.5"
    )
    one, other = {"a": 9, "b": 9, "c": 12}, {"a": 10, "b": 8, "c": 12}

    def draw(counts):
        told = dl.data.told_histogram(mechanism, counts)
        return [part for cell in "ab" for part in (told[cell].count, told[cell].exactly)]

    # each cell rolls its own dice, and the third has the same count in both
    both = []
    for counts in (one, other):
        cells = [told_chances(mechanism.law(cell, counts[cell])) for cell in "ab"]
        both.append(Counter({(a, b): p * q for a, p in cells[0].items() for b, q in cells[1].items()}))
    audit_against_law(draw, *both, "0.1", (one, other))


def test_randomised_answers():
    mechanism = dl.mechanisms.RandomizedResponse(epsilon=1)
    kept = math.e / (1 + math.e)
    laws = [Counter({answer: kept, 1 - answer: 1 - kept}) for answer in (0, 1)]
    draw = InBatches(lambda answer, count: dl.data.randomized_answers(mechanism, [answer] * count))
    audit_against_law(draw, *laws, "0.2", (0, 1))


def test_everything_that_draws_is_audited_here():
    audited = {"told_count", "told_histogram", "noisy_figure", "normal_figure", "randomized_answers", "told_by"}
    public = {
        name
        for name, function in inspect.getmembers(draws, inspect.isfunction)
        if function.__module__ == draws.__name__ and not name.startswith("_")
    }
    assert public == audited
