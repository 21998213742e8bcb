"""Noiseless privacy in two papers: fixing a record's value, or taking the record out. Neither implies the other.

Run: python examples/papers/noiseless.py
"""

# ruff: noqa: INP001, T201 - a script that prints

from collections.abc import Hashable

from dalenius.papers.definitions.noiseless_worlds import noiseless_by_presence, noiseless_by_value
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset, Finite

# Every record is the common mean (-10 or 10), give or take 1: whoever sees one record knows the mean.
COMMON_MEAN = Finite.mixture(("1/2", Finite.product([{mean - 1: "1/2", mean + 1: "1/2"}] * 3)) for mean in (-10, 10))
COINS = Finite.product([{0: "1/2", 1: "1/2"}] * 3)


def sign(x: Dataset) -> dict[Hashable, int]:
    """Which mean the records have: the sign of their sum."""
    return {sum(int(str(value)) for value in x if value is not None) > 0: 1}


def size(x: Dataset) -> dict[Hashable, int]:
    """How many records there are."""
    return {sum(value is not None for value in x): 1}


def main() -> None:
    """Print δ at ε = 0 for both readings."""
    print(f"{'release':34}{'a value against another':>25}{'with against without':>22}")
    for name, release, belief in (
        ("sign of the common mean", sign, COMMON_MEAN),
        ("sign, the mean being known", sign, COMMON_MEAN.knowing(lambda x: int(str(x[0])) > 0)),
        ("number of records, fair coins", size, COINS),
    ):
        by_value = noiseless_by_value(belief, FiniteMechanism.random(release, belief), 0)
        by_presence = noiseless_by_presence(release, belief, 0, added=belief.values)
        print(f"{name:34}{'δ = ' + str(by_value):>25}{'δ = ' + str(by_presence):>22}")
    print("\nA record tells about the others that depend on it; that a record is there tells about the number of them.")


if __name__ == "__main__":
    main()
