"""One number whose records have log-concave laws, by its tails: against enumeration of all datasets."""

import random
from fractions import Fraction
from itertools import product
from math import comb, prod
from types import SimpleNamespace

import pytest
from flint import arb, ctx

from dalenius_checker import laws, tails
from dalenius_checker.groups import Examiner, Part

F = Fraction
BITS = 200
HAIR = F(1, 10**12)


def log_concave(dice, start, size):
    """A law without gaps whose masses rise at a falling rate."""
    weights, ratio = [F(1)], F(dice.randint(1, 60), 10)
    for _ in range(size - 1):
        weights.append(weights[-1] * ratio)
        ratio *= F(dice.randint(3, 10), 10)
    return tuple(((start + at,), w / sum(weights)) for at, w in enumerate(weights))


def e_to(epsilon, lower):
    """A fraction just below or above e^epsilon."""
    ctx.prec = 300
    ball = arb(epsilon.numerator) / epsilon.denominator
    end = (ball.exp().lower() if lower else ball.exp().upper()).mid()
    man, power = end.man_exp()
    return F(int(man)) * F(2) ** int(power)


def truth(types, move, epsilon):
    """The worst delta both ways round, in fractions, between two ends that hardly differ."""
    law = {}
    for others in product(*(letters for letters, count in types for _ in range(count))):
        total = sum(at for (at,), _ in others)
        law[total] = law.get(total, F(0)) + prod(chance for _, chance in others)

    def worst(ratio):
        return max(
            sum(max(F(0), mass - ratio * law.get(at - way, F(0))) for at, mass in law.items())
            for size in range(1, move + 1)
            for way in (size, -size)
        )

    return worst(e_to(epsilon, lower=False)), worst(e_to(epsilon, lower=True))


@pytest.mark.parametrize("seed", range(12))
def test_tails_are_the_truth_for_every_move(seed):
    """Of the largest move and of all smaller ones; people of one law or of two; losses small and large."""
    dice = random.Random(seed)
    types = tuple(
        (log_concave(dice, dice.randint(-3, 3), dice.randint(1, 4)), dice.randint(1, 3))
        for _ in range(dice.randint(1, 2))
    )
    move, epsilon = dice.randint(1, 5), F(dice.choice([0, 1, 5, 20, 80]), 10)
    low, high = truth(types, move, epsilon)
    found = tails.bounds(types, move, epsilon, BITS)
    assert found.lower <= high and low <= found.upper
    assert found.upper - found.lower <= HAIR * found.upper


def test_a_delta_however_small_is_seen_to_its_digits():
    """10^-200, by masses of 80 binary digits."""
    coin, n, epsilon = laws.coin(F(1, 2)), 700, F(6)
    found = tails.bounds(((coin, n),), 1, epsilon, 3000)
    ratio = e_to(epsilon, lower=True)
    exactly = sum(max(F(0), comb(n, k) - ratio * comb(n, k - 1)) for k in range(1, n + 1)) + 1
    assert exactly / 2**n < F(1, 10**200)
    assert found.lower * (1 - HAIR) <= exactly / 2**n <= found.upper * (1 + HAIR)
    assert found.upper <= found.lower * (1 + HAIR)


def test_laws_with_gaps_or_two_tops_are_left_to_others():
    gap = (((0,), F(1, 2)), ((2,), F(1, 2)))
    tops = (((0,), F(2, 5)), ((1,), F(1, 5)), ((2,), F(2, 5)))
    even = tuple(((at,), F(1, 4)) for at in range(4))
    assert [tails.log_concave(some) for some in (gap, tops, even)] == [False, False, True]
    assert tails.bounds(((even, 3), (tops, 1)), 2, F(1), BITS) is None
    assert tails.bounds(((even, 3),), 2, F(1), BITS) is not None


@pytest.mark.parametrize("secret", ["value", "presence"])
def test_an_exact_sum_has_the_same_bounds_by_its_tails_and_by_its_law(secret, monkeypatch):
    domain = tuple((at,) for at in range(2, 6))
    types = ((log_concave(random.Random(3), 2, 4), 6),)
    certificate = SimpleNamespace(epsilon=F(1, 2), wanted=F(1), secret=secret)
    examiner, part = Examiner(certificate, SimpleNamespace(), BITS), Part(domain, types, (None,), 1)
    close = examiner._output(part, types, F(0))
    monkeypatch.setattr(tails, "bounds", lambda *_: None)
    other = examiner._output(part, types, F(0))
    assert abs(close.upper - other.upper) < HAIR and abs(close.lower - other.lower) < HAIR
    exactly = truth(types, 5 if secret == "presence" else 3, F(1, 2))
    assert exactly[0] <= close.upper and close.lower <= exactly[1]


@pytest.mark.slow
def test_a_large_sum_needs_no_more_points_for_a_smaller_delta(monkeypatch):
    """200 values, 300 people: by masses that reach as far as they tell it would need more than twice the points."""
    monkeypatch.setattr(laws, "LARGEST", 25_000)
    law = tuple(((at,), F(1, 200)) for at in range(200))
    found = tails.bounds(((law, 300),), 199, F(5), 800)
    assert F(1, 10**89) < found.lower <= found.upper < found.lower * F(1001, 1000) < F(1, 10**87)
    with pytest.raises(laws.TooLargeError):
        laws.total(((law, 300),), [None], (1,), 800)
