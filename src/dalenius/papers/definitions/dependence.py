"""Which records of a stated belief depend on each other: worked out from the law, not tested on data."""

import itertools
from fractions import Fraction
from typing import TypeAlias

from dalenius.basics.errors import require
from dalenius.numerics.outcomes import is_exact
from dalenius.papers.worlds import Finite

Law: TypeAlias = dict[tuple[object, ...], Fraction]
MOST_RECORDS = 12


def independent_blocks(belief: Finite) -> tuple[tuple[int, ...], ...]:
    """The finest groups of records that are independent of each other, under a belief with exact probabilities.

    If the law is a product over two ways to split the records, it is one over what both have in common; so there is a
    finest. Cost O(2^records x datasets).

    >>> even = Finite.weighted([(0, 1)] * 4, lambda row: 1 - (row[0] + row[1]) % 2)
    >>> independent_blocks(even)
    ((0, 1), (2,), (3,))
    """
    require(belief.n <= MOST_RECORDS, f"at most {MOST_RECORDS} records", got=belief.n, remedy="Split the belief.")
    law = _law(belief)
    left, blocks = list(range(belief.n)), []
    while left:
        first, *others = left
        block = next(
            (first, *some)
            for size in range(len(others) + 1)
            for some in itertools.combinations(others, size)
            if _is_apart(law, (first, *some), belief.n)
        )
        blocks.append(block)
        left = [record for record in left if record not in block]
    return tuple(blocks)


def dependent_pairs(belief: Finite) -> tuple[tuple[int, int], ...]:
    """The pairs of records that depend on each other, all others unseen: what a test of pairs could find at best.

    >>> even = Finite.weighted([(0, 1)] * 3, lambda row: 1 - sum(row) % 2)
    >>> dependent_pairs(even), independent_blocks(even)
    ((), ((0, 1, 2),))
    """
    law, found = _law(belief), []
    for pair in itertools.combinations(range(belief.n), 2):
        seen = _marginal(law, pair)
        one, two = (_marginal(law, (record,)) for record in pair)
        if any(seen.get((a, b), 0) != p * q for ((a,), p), ((b,), q) in itertools.product(one.items(), two.items())):
            found.append(pair)
    return tuple(found)


def _law(belief: Finite) -> Law:
    require(is_exact(belief.mass), "exact probabilities", got="floats", remedy="Use Finite.product or Finite.table.")
    law: Law = {}
    for row, chance in belief.items():
        law[row] = law.get(row, Fraction(0)) + Fraction(chance)
    return law


def _is_apart(law: Law, some: tuple[int, ...], n: int) -> bool:
    """Whether these records are independent of all others."""
    rest = tuple(record for record in range(n) if record not in some)
    one, two = _marginal(law, some), _marginal(law, rest)
    both: dict[tuple[tuple[object, ...], tuple[object, ...]], Fraction] = {}
    for row, chance in law.items():
        key = tuple(row[i] for i in some), tuple(row[i] for i in rest)
        both[key] = both.get(key, Fraction(0)) + chance
    return all(both.get((a, b), 0) == p * q for (a, p), (b, q) in itertools.product(one.items(), two.items()))


def _marginal(law: Law, some: tuple[int, ...]) -> Law:
    found: Law = {}
    for row, chance in law.items():
        key = tuple(row[record] for record in some)
        found[key] = found.get(key, Fraction(0)) + chance
    return {key: chance for key, chance in found.items() if chance}
