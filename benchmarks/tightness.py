"""How sharp the certified brackets are."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from benchmarks import people
from benchmarks.claim import Row, at_most
from dalenius.beliefs.belief import Belief, Independent
from dalenius.beliefs.worst import WorstCurve
from dalenius.definitions import noiseless
from dalenius.mechanisms import Mechanism
from dalenius.numerics.bracket import Bracket
from dalenius.secret import pairs
from dalenius.statistics import Count

LIMITS = ((1e-12, 1e-6), (1e-30, 1e-3))  # where δ is at least the first, the width is at most the second times δ
SIZES = (1000, 100_000, people.MILLION)
TYPES = (Fraction("0.1"), Fraction("0.3"), Fraction("0.55"), Fraction("0.8"))


def tightness() -> list[Row]:
    """With no known records, or with at most 4 types of record, n up to a million: the bracket of δ is at most 1e-6 δ wide where
    δ ≥ 1e-12, and at most 1e-3 δ where δ ≥ 1e-30.
    """
    rows = []
    for n in SIZES:
        rows += _rows(f"different rates, n = {n:.0e}", _brackets(Independent(rates=people.uniform(n)), 40))
    for known, count in (("0", 40), ("0.2", 12)):
        for n in SIZES:
            belief = Independent(groups=[({0: 1 - p, 1: p}, n // len(TYPES)) for p in TYPES], known=known)
            rows += _rows(f"4 types, n = {n:.0e}, known {float(known):.0%}", _brackets(belief, count))
    return rows


def _brackets(belief: Belief, count: int) -> list[Bracket]:
    mechanism, definition = Mechanism(Count()), noiseless(belief)
    contributions = [mechanism.statistic.contribution(value) for value in belief.domain()]
    curve = WorstCurve(
        belief.crowd(mechanism.statistic), tuple(pairs(definition.secret, contributions)), mechanism.channel, belief.known)
    return [curve.delta(epsilon) for epsilon in _levels(belief, count)]


def _levels(belief: Belief, count: int) -> list[Fraction]:
    """Values of ε from 0 to where δ has fallen to about 1e-32, for those who are left."""
    deviation = np.sqrt((belief.n - belief.known) * 0.18)
    return [Fraction(float(at)) for at in np.linspace(0, 12 / deviation, count)]


def _rows(name: str, brackets: Sequence[Bracket]) -> list[Row]:
    return [
        at_most(f"{name}: width / δ for δ ≥ {least:g}", _widest(brackets, least), limit) for least, limit in LIMITS]


def _widest(brackets: Sequence[Bracket], least: float) -> float:
    """A bracket whose upper end reaches `least` counts: its δ may be that large."""
    return max(bracket.width / max(bracket.lower, 1e-300) for bracket in brackets if bracket.upper >= least)
