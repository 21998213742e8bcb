"""Coupled worlds: the paper's examples and mechanisms, its numbers beside ours.

Run: python examples/papers/coupled_worlds.py
"""

# ruff: noqa: INP001, T201 - a script that prints

import math
from fractions import Fraction

import dalenius as dl
from dalenius.beliefs.sample_sizes import repaired_bound, sufficient_threshold
from dalenius.beliefs.truncated import TruncatedHistogram
from dalenius.beliefs.uniform_part import simulated_sum
from dalenius.enclosure.brackets import at_most
from dalenius.judge.selection import printed_delta, theorem_15_counterexample
from dalenius.mechanisms.selected import model_curve
from dalenius.papers.definitions.axioms import values_apart
from dalenius.papers.finite import Dataset, Finite, best_simulator, distributional
from dalenius.papers.theorems import find

HALF, ONE = Fraction(1, 2), Fraction(1)


def parity() -> None:
    """Example 1: three fair bits, whose parity is known and published."""

    def told(data: Dataset) -> int:
        return sum(map(int, map(str, data))) % 2

    worlds = distributional([Finite.product([{0: "1/2", 1: "1/2"}] * 3).knowing(told)]).worlds(told)
    print("Example 1, parity: the attacker learns nothing, yet no simulator has δ below (paper: not private)")
    for epsilon in (0, 1, 5):
        print(f"  ε = {epsilon}: {best_simulator(worlds, epsilon=epsilon).delta}")


def common_mean() -> None:
    """Section II-E: records within 1/2 of a mean that is 1 or -1, and the sign of their sum."""
    halves = [Fraction(k, 2) for k in (1, 3)]
    table = {(mu * a, mu * b): Fraction(1, 8) for mu in (1, -1) for a in halves for b in halves}
    belief = Finite.table(table)

    def sign(data: Dataset) -> bool:
        return sum(Fraction(str(value)) for value in data) > 0

    def mean(data: Dataset) -> bool:
        return Fraction(str(data[0])) > 0

    unknown = values_apart(distributional([belief]).worlds(sign), epsilon=5)
    known = values_apart(distributional([belief.knowing(mean)]).worlds(sign), epsilon=5)
    print("\nSection II-E, a common mean (paper: noiselessly private if the mean is known)")
    print(f"  δ at ε = 5, mean unknown {unknown}, known {known}: to know more can make it private")
    entry = find("CW-mean")[0]
    if entry.counterexample is not None:
        print(f"  records far from the mean: {entry.counterexample()}")


def sums() -> None:
    """Theorem 8, density at least 1/4 on [-1, 1]."""
    print("\nTheorem 8: n other records with density at least 1/4 on [-1, 1]; paper: exp(-Ω(...)), here without the Ω")
    print(f"{'n':>6}{'ε':>6}{'paper':>12}{'ours, at most':>16}")
    slow = Fraction(2, 3) / 4
    for n in (25, 50, 100):
        for epsilon in (Fraction(1, 10), HALF, ONE):
            printed = math.exp(-slow * min(slow, epsilon**2) * n)
            ours = simulated_sum(n + 1, density="1/4", close=1e-2).delta(epsilon).upper
            print(f"{n:6}{float(epsilon):6}{printed:12.4g}{at_most(ours):>16}")
    uniform = simulated_sum(201, density="1/2").delta(HALF)
    print(f"uniform records, n = 200, ε = 1/2: {uniform}; paper {math.exp(-50 / 3):.3g}: the constant is not 1")


def histograms() -> None:
    """Theorem 10, and what is exact."""
    print("\nTheorem 10: counts of at least k of a sample; paper: (3ε, 3δ) for k > C log(1/δ)/ε², C unknown")
    least = sufficient_threshold(HALF, "1e-6")
    print(f"  repaired: ε = 1/2, δ = 1e-6 need k = {least}, which adds {at_most(repaired_bound(least, HALF, 0.0))}")
    print(
        f"  Poisson samples, k = 20, means 12 and 40, ε = 1/2: {TruncatedHistogram(20).poisson([12, 40]).delta(HALF)}"
    )
    share = TruncatedHistogram(20).bernoulli([101], "1/5").delta(HALF)
    print(f"  each of 101 with probability 1/5, k = 20, ε = 1/2: {share}")
    for key in ("CW-D9", "CW-L2", "CW-T10", "CW-T10-fraction"):
        entry = find(key)[0]
        if entry.counterexample is not None:
            print(f"- {entry.number}: {entry.counterexample()}")


def choices() -> None:
    """Theorems 11 to 15."""
    crowd = dl.noiseless(dl.IID(p="1/2", n=101), secret=dl.PresenceOnly())
    stable = dl.judge.stability(dl.curve(dl.Count() >> dl.mechanisms.majority(), crowd))
    print(f"\nTheorem 11, the majority of 101 fair bits: δ = {stable.disagreement}")
    least, change = stable.least, stable.disagreement.upper
    paper = math.log((least + change) / (least - change))
    print(f"Theorem 12: ε = {at_most(stable.epsilon)}; paper {paper:.4f}")
    quarters = dl.mechanisms.likeliest_rate(0.25, 0.75)
    exact = model_curve(quarters, n=61).delta(Fraction(0))
    bound = find("CW-T13")[0](choice=quarters, n=61).delta.upper
    print(f"Theorem 13, rates 1/4 or 3/4, n = 60: paper {printed_delta(quarters, records=60):.4g}, ", end="")
    print(f"sharpened {at_most(bound)}, exact {exact}")
    claimed, truth = theorem_15_counterexample()
    print(f"Theorem 15, 50 known ones and 100 others: paper {claimed:.3g}, truth {truth}")


def main() -> None:
    """Print all of them."""
    parity()
    common_mean()
    sums()
    histograms()
    choices()


if __name__ == "__main__":
    main()
