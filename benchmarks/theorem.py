"""What is exact beside what a theorem promises."""

import math
from fractions import Fraction

import numpy as np

from benchmarks.claim import Row, at_most, remark
from dalenius.beliefs.crowd import law_of_rates
from dalenius.numerics.curve import PairCurve

BITS = 10_000


def theorem() -> list[Row]:
    """Grining and Klonowski 2017, Theorem 2, for 10,000 fair bits: (ε, δ) = (0.061, 0.031). The exact δ at that ε is at
    most a thousandth of it.
    """
    epsilon, delta = theorem_2(BITS, spread=1.0, variance=0.25, third=0.125)
    law = law_of_rates(np.array([0.5]), np.array([BITS - 1]))
    exact = PairCurve(law, law.shifted(1)).delta(Fraction(epsilon))
    paper = max(abs(epsilon - 0.061), abs(delta - 0.031))
    return [
        remark("10,000 fair bits", f"ε = {epsilon:.4f}: Theorem 2 δ = {delta:.4f}, exact δ in {exact}"),
        at_most("10,000 fair bits: our Theorem 2 less the paper's (0.061, 0.031)", paper, 0.0005),
        at_most("10,000 fair bits: exact δ / Theorem 2's", exact.upper / delta, 1e-3),
        at_most("10,000 fair bits: width of the exact δ / δ", exact.width / exact.lower, 1e-6),
    ]


def theorem_2(n: int, *, spread: float, variance: float, third: float) -> tuple[float, float]:
    """The theorem's ε and δ for n records with this range, variance and third absolute central moment."""
    epsilon = math.sqrt(spread**2 * math.log(n) / (n * variance))
    delta = 1.12 * n * third / (n * variance) ** 1.5 * (1 + math.exp(epsilon)) + 4 / (5 * math.sqrt(n))
    return epsilon, delta
