"""Figures 1 to 5 of the noiseless paper: what is printed there beside what is true.

Run: python examples/papers/noiseless_figures.py
"""

# ruff: noqa: INP001, T201 - a script that prints

import math
from fractions import Fraction

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.papers.theorems.gk import printed_binomial

SIZES = {1: (500, 1000, 2000, 4000), 2: (50, 100, 200, 300)}
SETTINGS = {1: (Fraction(95, 100), Fraction(1, 2)), 2: (Fraction(1, 5), Fraction(1))}


def exact(n: int, p: Fraction, epsilon: Fraction) -> dl.Bracket:
    """δ of an exact count of n records beside the target's, over all events."""
    return dl.verify(dl.Count(), dl.noiseless(dl.IID(p=p, n=n + 1)), epsilon=epsilon).delta


def by_formula(n: int, *, third: int) -> tuple[float, float]:
    """Theorem 2 as printed, for Example 1: Δ = 30, mean variance 4."""
    epsilon = math.sqrt(900 * math.log(n) / (4 * n))
    return epsilon, 1.12 * third * n / (4 * n) ** 1.5 * (1 + math.exp(epsilon)) + 0.8 / math.sqrt(n)


def needed(n: float, variance: float) -> float:
    """The variance of the noise by Observation 2 for Δ = 10 and ε = 0.2; not proved for all events."""
    return max((100 * math.log(n) - 0.04 * variance) / 0.04, 0.0)


def crossing(target: float) -> int:
    """The least n at which no more noise than this is needed, with σ = n/10."""
    return next(n for n in range(500, 3000) if needed(n, n * n / 100) <= target)


def main() -> None:
    """Print the five figures as tables."""
    for figure, sizes in SIZES.items():
        p, epsilon = SETTINGS[figure]
        print(f"Figure {figure}: a count at rate {float(p)}, ε = {float(epsilon)}")
        print(f"{'n':>8}{'δ by Theorem 1':>18}{'δ, exact':>26}")
        for n in sizes:
            print(f"{n:8}{printed_binomial(n, p, epsilon).upper:18.4g}{exact(n, p, epsilon)!s:>26}")
    print("\nFigures 3 and 4: Example 1, by Theorem 2 as printed (for all events it is false)")
    print(f"{'n':>8}{'ε':>10}{'δ':>10}{'δ, least possible third moment':>33}")
    for n in (1000, 10_000):
        (epsilon_n, delta), (_, least) = by_formula(n, third=3), by_formula(n, third=8)
        print(f"{n:8}{epsilon_n:10.4f}{delta:10.4f}{least:33.4f}")
    try:
        dl.numerics.Moments(records=10_000, variance=40_000, third=30_000)
    except InputError as error:
        print(f"dalenius refuses its moments: {error}")
    print(
        "\nFigure 5: Example 2, Δ = 10, ε = 0.2, σ = n/10 (n/10 for σ² is a misprint); Laplace needs a variance of 5000"
    )
    for n in (1000, 1100, 1200, 1300, 1400):
        print(f"{n:8}{needed(n, n * n / 100):12.1f}")
    print(f"less than Laplace from n = {crossing(5000)} on, none from n = {crossing(0)} on")


if __name__ == "__main__":
    main()
