"""Examples of the Pufferfish paper: the exam queue, a bucketised table, and averages of noisy answers.

Run: python examples/papers/pufferfish.py
"""

# ruff: noqa: INP001, T201 - a script that prints

import math
from fractions import Fraction

from dalenius.papers.attacks.averaging import Averaging
from dalenius.papers.definitions.pufferfish import Fact, odds, value_pairs
from dalenius.papers.finite import Finite, FiniteMechanism, Neighbours, Pufferfish


def queue(students: int, epsilon: float) -> tuple[float, float]:
    """Students come to an exam in a known order. Noise on their number: ε for neighbours, and for the first student."""
    rows = [(1,) * k + (0,) * (students - k) for k in range(students + 1)]
    world = Finite.table(dict.fromkeys(rows, Fraction(1, students + 1)))
    x = Fraction(math.exp(-epsilon))
    top = [x ** (students - sum(row)) / (1 + x) for row in rows]
    noisy = FiniteMechanism.matrix([[p, 1 - p] for p in top], (students, "less"))
    first = (Fact.record_is(world, 0, 1), Fact.record_is(world, 0, 0))
    told = Pufferfish((first,), (world,)).epsilon(noisy).value
    return Neighbours.replace(world).epsilon(noisy).value.upper, told.upper


def main() -> None:
    """Print each example."""
    print("Example 10.5, the exam queue: noise at ε, and the log ratio for whether the first student came")
    for students, epsilon in ((2, 1.0), (10, 0.1)):
        neighbours, first = queue(students, epsilon)
        print(f"  {students:3} students, ε = {epsilon}: neighbours {neighbours:.4f}, the first student {first:.4f}")
    group = Finite.product([{"cancer": "0.05", "well": "0.95"}, {"cancer": "0.01", "well": "0.99"}])
    bucket = FiniteMechanism.of(lambda row: row.count("cancer"), group)
    found = odds(bucket, group, value_pairs(group)[0], 1)
    posterior = found.posterior / (1 + found.posterior)
    print("\nSection 11: one of two persons has cancer; how likely is it the smoker?")
    print(f"  printed 0.84, exactly {float(posterior):.6f}; odds printed 5.25, exactly {float(found.posterior):.4f}")
    attack, once = Averaging(cells=100, scale=1), Averaging(cells=1, scale=1)
    print("\nSection 6.3.2: 100 noisy cells at ε = 1 whose neighbouring sums are out, averaged")
    print(f"  variance printed 0.02 for Laplace noise; for geometric noise {attack.variance()}")
    print(f"  the first cell is hit exactly with a chance of {attack.hit()}; one noisy cell alone {once.hit()}")
    print(f"  and its step is told to ε = {attack.epsilon()}")


if __name__ == "__main__":
    main()
