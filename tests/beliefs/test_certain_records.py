"""Records that are certain (of rate 0 or 1) among those that an attacker may know: knowing them is worth nothing."""

import itertools
import math
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import settings

import dalenius as dl
from dalenius.beliefs.crowd import YesNo
from dalenius.numerics.search import Windows
from dalenius.numerics.trade import rates_of, traded

F = Fraction
Types = Sequence[tuple[Fraction, int]]
DIGITS = Context(prec=80, Emin=-(10**6), Emax=10**6)


def law(types: Types) -> list[Fraction]:
    """The number of ones: the coefficients of Π (1 - p + p X)^n, read off one long whole number at X = 2^bits."""
    whole = math.prod(rate.denominator**count for rate, count in types)
    bits, people = whole.bit_length() + 1, sum(count for _, count in types)
    product = math.prod(
        (rate.denominator - rate.numerator + (rate.numerator << bits)) ** count for rate, count in types
    )
    return [F(product >> (bits * k) & ((1 << bits) - 1), whole) for k in range(people + 1)]


def delta(masses: Sequence[Fraction], epsilon: Fraction) -> Decimal:
    """Of the law against itself, moved by one, both ways round."""
    with localcontext(DIGITS):
        factor = (Decimal(epsilon.numerator) / epsilon.denominator).exp()
        numbers = [Decimal(mass.numerator) / mass.denominator for mass in masses]
        here, moved = [*numbers, Decimal(0)], [Decimal(0), *numbers]
        return max(
            sum((max(Decimal(0), a - factor * b) for a, b in zip(one, two, strict=True)), Decimal(0))
            for one, two in ((here, moved), (moved, here))
        )


def removals(types: Types, number: int) -> Iterator[list[int]]:
    """All ways to take so many records out, by how many of each type."""
    for some in itertools.product(*(range(min(count, number) + 1) for _, count in types[:-1])):
        last = number - sum(some)
        if 0 <= last <= types[-1][1]:
            yield [*some, last]


def worst(types: Types, known: int, epsilon: Fraction) -> Decimal:
    left = (
        [(rate, count - gone) for (rate, count), gone in zip(types, out, strict=True)]
        for out in removals(types, known + 1)
    )
    return max(delta(law(some), epsilon) for some in left)


def judged(types: Types, known: int, epsilon: Fraction) -> dl.Bracket:
    belief = dl.Independent(groups=[({0: 1 - rate, 1: rate}, count) for rate, count in types], known=known)
    return dl.curve(dl.Count(), belief).delta(epsilon)


CROWDS = [
    (((F(0), 6), (F(1, 2), 59)), 24, F(5)),
    (((F(1, 2), 59), (F(1), 6)), 24, F(5)),
    (((F(0), 5), (F(1, 2), 45), (F(1), 5)), 12, F(3)),
    (((F(0), 8), (F(1, 3), 60)), 20, F(2)),
    (((F(0), 5), (F(5, 16), 51), (F(3, 8), 41), (F(1), 4)), 9, F(27, 8)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("types", "known", "epsilon"), CROWDS)
def test_a_known_run_is_never_worse_than_the_worst_records_to_know(types: Types, known: int, epsilon: Fraction) -> None:
    truth, bracket = worst(types, known, epsilon), judged(types, known, epsilon)
    assert bracket.lower <= truth <= bracket.upper
    assert bracket.width <= 1e-3 * bracket.lower


def random_crowd(seed: int) -> tuple[Types, int, Fraction]:
    dice = np.random.default_rng(seed)
    rates = [F(0), F(1), *(F(int(k), 16) for k in dice.choice(np.arange(1, 16), 2, replace=False))]
    some = sorted({rates[i] for i in dice.choice(4, int(dice.integers(2, 4)), replace=False)} | {rates[2]})
    types = [(rate, int(dice.integers(4, 10)) if rate in (0, 1) else int(dice.integers(30, 60))) for rate in some]
    people = sum(count for _, count in types)
    return types, int(dice.integers(4, people // 2)), F(int(dice.integers(1, 41)), 8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(max(4, settings.default.max_examples // 25)))
def test_random_crowds_in_which_some_are_certain(seed: int) -> None:
    types, known, epsilon = random_crowd(seed)
    truth, bracket = worst(types, known, epsilon), judged(types, known, epsilon)
    assert bracket.lower <= truth <= bracket.upper
    assert bracket.width <= 1e-2 * max(bracket.lower, 1e-40)


@pytest.mark.parametrize("certain", [F(0), F(1)])
@pytest.mark.parametrize("epsilon", [F(1, 4), F(1), F(5)])
def test_the_family_of_a_trade_holds_every_member(certain: Fraction, epsilon: Fraction) -> None:
    """Eight neighbouring runs: each leaves j - 4 certain records more than the middle, and as many coins fewer."""
    length, coins = 8, 20
    rates = np.array([float(certain), 0.5])
    members = [law([(certain, 6 + j), (F(1, 2), coins + length // 2 - j)]) for j in range(length + 1)]
    truth = max(delta(member, epsilon) for member in members)
    family = traded(rates_of(rates, np.array([10, coins])), float(certain), 0.5, length)
    bracket = family.worst(epsilon)[0]
    assert bracket.lower <= truth <= bracket.upper


def test_runs_that_trade_certain_records_are_still_settled_at_once_where_the_tails_allow_it() -> None:
    crowd = YesNo(0, 1, np.array([0.0, 0.5]), np.array([40, 4000]))
    settled = crowd.traded(Windows(400, 10, 26, ()), F(1, 4))
    assert settled is not None
    bracket, (start, stop) = settled
    alone = dl.curve(dl.Count(), dl.IID(p="1/2", n=4001 - (stop - 40))).delta(F(1, 4))
    assert bracket.lower <= alone.upper and alone.lower <= bracket.upper
    assert stop - start == 400 and bracket.width <= 1e-4 * bracket.lower
