"""Poisson, binomial and hypergeometric laws, against ball arithmetic and exact fractions."""

import math
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from dalenius.numerics.counts import binomial, hypergeometric, poisson


@pytest.fixture(autouse=True)
def _precise():
    before, ctx.prec = ctx.prec, 300
    yield
    ctx.prec = before


def ball(number):
    return arb(Fraction(number).numerator) / Fraction(number).denominator


def chosen(n, k):
    return arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()


def poisson_mass(mean):
    return lambda c: (ball(mean).log() * c - ball(mean) - arb(c + 1).lgamma()).exp()


def binomial_mass(n, p):
    return lambda c: (chosen(n, c) + ball(p).log() * c + ball(1 - p).log() * (n - c)).exp()


def hypergeometric_mass(marked, others, drawn):
    return lambda c: (chosen(marked, c) + chosen(others, drawn - c) - chosen(marked + others, drawn)).exp()


POISSON = 5  # the first so many
LAWS = [
    *((poisson(mean), poisson_mass(mean)) for mean in map(Fraction, ("1e-9", "1/10", "33/10", 1000, 10**6))),
    *(
        (binomial(n, Fraction(p)), binomial_mass(n, Fraction(p)))
        for n, p in ((5, "1/3"), (10**6, "1/3"), (10**6, "999/1000"), (10**4, "1/10000"))
    ),
    *(
        (hypergeometric(*sizes), hypergeometric_mass(*sizes))
        for sizes in ((100, 900, 500), (1000, 10**6, 10**5), (100, 900, 995))
    ),
]


@pytest.mark.parametrize("which", range(len(LAWS)))
def test_masses_are_within_their_errors_in_the_tails_too(which):
    law, truth = LAWS[which]
    step = max(1, len(law.mass) // 60)
    for place in [*range(0, len(law.mass), step), len(law.mass) - 1]:
        mass, error = float(law.mass[place]), float(law.error[place])
        gap = abs(arb(mass) - truth(law.start + place))
        assert gap <= arb(error), (law.start + place, float(gap), error)
        assert error <= 1e-10 * mass
    assert law.tail < 1e-285
    assert law.tail > 0 or which >= POISSON
    if law.tail:
        assert truth(law.stop) + (truth(law.start - 1) if law.start else 0) <= arb(law.tail)


@given(st.integers(0, 25), st.integers(0, 25), st.data())
def test_small_hypergeometric_and_binomial_laws_agree_with_counting(marked, others, data):
    drawn = data.draw(st.integers(0, marked + others))
    law = hypergeometric(marked, others, drawn)
    every = math.comb(marked + others, drawn)
    for c in range(marked + 1):
        truth = Fraction(math.comb(marked, c) * (math.comb(others, drawn - c) if drawn >= c else 0), every)
        mass, error = law.window(c, c + 1)
        assert abs(Fraction(float(mass[0])) - truth) <= Fraction(float(error[0])) <= Fraction(1, 10**12)
    p = Fraction(marked, marked + others + 1)
    law = binomial(others, p)
    for c in range(others + 1):
        truth = math.comb(others, c) * p**c * (1 - p) ** (others - c)
        mass, error = law.window(c, c + 1)
        assert abs(Fraction(float(mass[0])) - truth) <= Fraction(float(error[0])) <= Fraction(1, 10**12)


def test_certain_counts_are_points():
    assert (poisson(0).start, binomial(7, Fraction(1)).start, hypergeometric(3, 0, 2).start) == (0, 7, 2)
    assert binomial(7, Fraction(0)).mass.tolist() == poisson(0).mass.tolist() == [1.0]
