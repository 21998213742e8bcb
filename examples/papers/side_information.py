"""What a differentially private output does to a belief: the printed bounds beside the sharp ones.

Run: python examples/papers/side_information.py
"""

# ruff: noqa: INP001, T201 - a script that prints

import math
from collections.abc import Hashable, Mapping
from fractions import Fraction

from dalenius.facts.records import Number
from dalenius.papers.finite import Dataset, Finite, Games, worst_shift
from dalenius.papers.theorems import find

BITS = Finite.product([{0: "1/2", 1: "1/2"}] * 2)


def answer(epsilon: float) -> Games:
    """Randomised response about whether two bits differ: ε-differentially private."""
    odds = Fraction(math.exp(epsilon))

    def release(data: Dataset) -> Mapping[Hashable, Number]:
        truth = int(data[0] != data[1])
        return {truth: odds / (1 + odds), 1 - truth: 1 / (1 + odds)}

    return Games.of(release, BITS, default=0)


def main() -> None:
    """Print the largest shift of a belief, and what is promised."""
    theorem = find("KS-2.2")[0]
    print("How far can a belief move, as a total variation, if a record is left out?")
    print(f"{'ε':>6}{'printed e^ε - 1':>18}{'tanh(ε/2)':>22}{'attained':>22}")
    for epsilon in (0.1, 0.5, 1.0):
        promised, found = theorem(epsilon=epsilon).epsilon, worst_shift(answer(epsilon)).size
        print(f"{epsilon:6}{math.expm1(epsilon):18.4f}{promised!s:>22}{found!s:>22}")
    print("\nThe printed statements that fail, each on a small world:")
    for key in ("KS-3.3.2", "KS-2.2-converse", "KS-4.1", "KS-A.2-noise"):
        entry = find(key)[0]
        if entry.counterexample is not None:
            print(f"- {entry.number}: {entry.counterexample()}")


if __name__ == "__main__":
    main()
