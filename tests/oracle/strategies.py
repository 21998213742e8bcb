"""Hypothesis strategies for the places where numerical code breaks.

Masses are ugly on purpose: dyadic masses convolve without rounding and hide missing error terms.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

from .laws import Law, shift

UGLY = (7, 13, 97, 10**2 + 1, 10**5 + 1, 10**9 + 1)
TINY = Fraction(1, 10**20)
ORDINARY_RATES = tuple(map(Fraction, ("0.5", "0.1", "0.3", "0.05", "0.95", "0.001")))
TYPICAL_EPSILONS = tuple(map(Fraction, ("0", "0.01", "0.1", "0.5", "1", "1.7", "3", "10", "50")))
TYPICAL_DELTAS = tuple(map(Fraction, ("0", "1e-30", "1e-12", "1e-6", "1e-3", "0.05", "0.5", "1")))


def ugly_fractions() -> st.SearchStrategy[Fraction]:
    """Numbers strictly between 0 and 1 with denominators that no float can hold."""
    return st.sampled_from(UGLY).flatmap(lambda d: st.integers(1, d - 1).map(lambda k: Fraction(k, d)))


def rates() -> st.SearchStrategy[Fraction]:
    """Probabilities of a one: ugly, ordinary, 0, 1, and within 1e-20 of these."""
    edges = st.sampled_from([Fraction(0), Fraction(1), TINY, 1 - TINY])
    return st.one_of(ugly_fractions(), st.sampled_from(ORDINARY_RATES), edges)


def inner_rates() -> st.SearchStrategy[Fraction]:
    """Rates other than 0 and 1."""
    return rates().filter(lambda p: 0 < p < 1)


def epsilons() -> st.SearchStrategy[Fraction]:
    """Typical values, 0 and 50 among them, and ugly ones."""
    return st.one_of(st.sampled_from(TYPICAL_EPSILONS), ugly_fractions())


def deltas() -> st.SearchStrategy[Fraction]:
    """Typical values, 0 and 1 among them, and ugly ones."""
    return st.one_of(st.sampled_from(TYPICAL_DELTAS), ugly_fractions())


@st.composite
def masses(draw: st.DrawFn, size: int) -> list[Fraction]:
    """`size` masses with sum one and an ugly common denominator; zeros occur."""
    denominator = draw(st.sampled_from(UGLY))
    cuts = sorted(draw(st.lists(st.integers(0, denominator), min_size=size - 1, max_size=size - 1)))
    ends = [0, *cuts, denominator]
    return [Fraction(b - a, denominator) for a, b in pairwise(ends)]


@st.composite
def laws(draw: st.DrawFn, *, max_size: int = 6, low: int = -3, high: int = 8) -> Law:
    """A law on a few integers; some with zero-mass points, some with a mass of 1e-20."""
    support = draw(st.lists(st.integers(low, high), min_size=1, max_size=max_size, unique=True))
    law = dict(zip(support, draw(masses(len(support))), strict=True))
    if draw(st.booleans()):
        rare = draw(st.sampled_from(support))
        law = {k: mass * (1 - TINY) for k, mass in law.items()}
        law[rare] += TINY
    return law


@st.composite
def tied_pairs(draw: st.DrawFn, *, max_size: int = 6) -> tuple[Law, Law]:
    """Two laws with few distinct likelihood ratios, so that the order has ties."""
    p = draw(laws(max_size=max_size))
    factors = draw(st.lists(st.sampled_from([1, 2, 3]), min_size=len(p), max_size=len(p)))
    weights = {k: mass * f for (k, mass), f in zip(p.items(), factors, strict=True)}
    whole = sum(weights.values(), Fraction(0))
    return p, {k: weight / whole for k, weight in weights.items()}


@st.composite
def disjoint_pairs(draw: st.DrawFn, *, max_size: int = 6) -> tuple[Law, Law]:
    """Two laws that never give the same outcome."""
    p = draw(laws(max_size=max_size))
    return p, shift(draw(laws(max_size=max_size)), 100)


@st.composite
def shifted_pairs(draw: st.DrawFn, *, max_size: int = 6) -> tuple[Law, Law]:
    """A law and its shift by a small constant."""
    p = draw(laws(max_size=max_size))
    return p, shift(p, draw(st.integers(-3, 3)))


def law_pairs(*, max_size: int = 6) -> st.SearchStrategy[tuple[Law, Law]]:
    """Two laws: unrelated, tied, disjoint, or a law and its shift."""
    unrelated = st.tuples(laws(max_size=max_size), laws(max_size=max_size))
    return st.one_of(
        unrelated,
        tied_pairs(max_size=max_size),
        disjoint_pairs(max_size=max_size),
        shifted_pairs(max_size=max_size),
    )


def bit_records(*, min_size: int = 1, max_size: int = 6) -> st.SearchStrategy[list[Law]]:
    """One law on {0, 1} per person, zeros kept: n = 1, sure zeros and sure ones occur."""
    bits = rates().map(lambda p: {0: 1 - p, 1: p})
    return st.lists(bits, min_size=min_size, max_size=max_size)


def integer_records(*, min_size: int = 1, max_size: int = 4) -> st.SearchStrategy[list[Law]]:
    """One law on a few small integers per person; lattices such as {0, 2} occur."""
    even = laws(max_size=2, low=0, high=1).map(lambda law: {2 * k: m for k, m in law.items()})
    any_law = st.one_of(laws(max_size=3, low=0, high=3), even)
    return st.lists(any_law, min_size=min_size, max_size=max_size)
