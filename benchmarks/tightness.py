"""How sharp the certified brackets are."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from benchmarks import people
from benchmarks.claim import Row, at_most
from dalenius.beliefs.belief import Belief, Independent
from dalenius.beliefs.worst import WorstCurve
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Value, pairs
from dalenius.facts.statistics import Count, Statistic, Sum
from dalenius.mechanisms import Mechanism

LIMITS = ((1e-12, 1e-6), (1e-30, 1e-3))  # where δ is at least the first, the width is at most the second times δ
SIZES = (100, 1000, 100_000, people.MILLION)
TYPES = (Fraction("0.1"), Fraction("0.3"), Fraction("0.55"), Fraction("0.8"))
LATTICE = (("1/2", "1/4", "1/4"), ("2/3", "1/6", "1/6"), ("9/10", "1/20", "1/20"), ("1/5", "2/5", "2/5"))
COUNT = Count()
LEVELS, FEWER_LEVELS = 40, 12  # values of ε; fewer where each is a search
LARGEST = 10.0  # the largest ε that anybody would ask about


def tightness() -> list[Row]:
    """With no known records, or with at most 4 types of record, n up to a million: the bracket of δ is at most 1e-6 δ
    wide where δ ≥ 1e-12, and at most 1e-3 δ where δ ≥ 1e-30.
    """
    rows = []
    for crowd in (people.uniform, people.skewed, people.rare):
        for n in SIZES:
            rates = crowd(n)
            brackets = _brackets(Independent(rates=rates), float((rates * (1 - rates)).sum()), LEVELS)
            rows += _rows(f"{crowd.__name__} rates, n = {n:.0e}", brackets)
    for known, count in (("0", LEVELS), ("0.2", FEWER_LEVELS)):
        for n in SIZES:
            belief = Independent(groups=[({0: 1 - p, 1: p}, n // len(TYPES)) for p in TYPES], known=known)
            variance = float(sum(p * (1 - p) for p in TYPES)) / len(TYPES) * (n - belief.known)
            rows += _rows(f"4 types, {float(known):.0%} known, n = {n:.0e}", _brackets(belief, variance, count))
    for types, known, n in product((2, 4), ("0", "0.2"), SIZES):
        laws = [dict(enumerate(map(Fraction, law))) for law in LATTICE[:types]]
        belief = Independent(groups=[(law, n // types) for law in laws], known=known)
        brackets = _brackets(belief, _variance(laws) * (n - belief.known) / 4, FEWER_LEVELS, Sum())
        rows += _rows(f"{types} types of 3 values, {float(known):.0%} known, n = {n:.0e}", brackets)
    return rows


def _variance(laws: Sequence[dict[int, Fraction]]) -> float:
    """The mean variance of one record."""
    means = [sum(k * mass for k, mass in law.items()) for law in laws]
    squares = [sum(k * k * mass for k, mass in law.items()) for law in laws]
    return float(sum(square - mean**2 for mean, square in zip(means, squares, strict=True))) / len(laws)


def _brackets(belief: Belief, variance: float, count: int, statistic: Statistic = COUNT) -> list[Bracket]:
    """Brackets of δ from ε = 0 to where δ has fallen to about 1e-32, for a sum of this variance."""
    worlds = tuple(pairs(Value(), [statistic.contribution(value) for value in belief.domain()]))
    curve = WorstCurve(belief.crowd(statistic), worlds, Mechanism(statistic).channel, belief.known)
    epsilons = np.linspace(0, min(LARGEST, 12 / variance**0.5), count)
    return [curve.delta(Fraction(float(epsilon))) for epsilon in epsilons]


def _rows(name: str, brackets: Sequence[Bracket]) -> list[Row]:
    return [
        at_most(f"{name}: width / δ where δ ≥ {least:g}", _widest(brackets, least), limit) for least, limit in LIMITS
    ]


def _widest(brackets: Sequence[Bracket], least: float) -> float:
    """A bracket whose upper end reaches `least` counts: its δ may be that large."""
    reaching = [bracket for bracket in brackets if bracket.upper >= least]
    return max(bracket.width / bracket.lower if bracket.lower else float("inf") for bracket in reaching)
