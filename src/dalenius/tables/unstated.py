"""Beliefs without probabilities: of each person's law it is only said that no value is below, or above, something.

Everybody has a law of their own on the k values of a column (or on the k rows of several columns that move together);
records are independent. Let B(r) be all such laws in which **no value is less likely than r**, and A(q) those in which
**no value is more likely than q**. Nothing is known of the values if r = 0 or q = 1.

*1. What figures see of B(r).* Let f(x) be what a value x adds to some figures. The laws of f(X), X in B(r), are exactly
those that give every vector v at least r times the number of values x with f(x) = v. *Proof.* They give it at least so
much. Given such a law L of f(X), share what L(v) has beyond the least evenly among the values that add v. ∎ So the
judge's masses that no probability is below (`ColumnBelief.least`) say all that B(r) says, and no more.

*2. A weight adds nothing new.* Laws that are a member of B(r) with weight w and anything else otherwise are B(w r).
*Proof.* They are in it. Given P in B(w r) let U(x) = r + t (P(x) / w - r) with t = (1 - k r) / (1 / w - k r), which is
from 0 to 1: U sums to 1, is nowhere below r, and w U(x) <= P(x) as t <= 1 and P(x) >= w r; P - w U is the rest. ∎

*3. Two values.* A(q) is B(1 - q), as one of two probabilities is above q if the other one is below 1 - q. By 2, whoever
follows some law of A(9/10) with weight w has no value above 1 - w / 10.

*4. Three values or more.* If q >= 1 / (k - 1), then A(q) leaves open that nobody has a given value a: the law that is
even on all others is in it. Then a count of those who have a tells for sure whether somebody does, whatever epsilon is.
Of a sum, k values 0 to k - 1 and q >= 1 / ceil(k / 2): the law that is even on the even numbers is in A(q), and
then the parity of the sum tells that of the target's value. No number of people cures either, so A(q) is taken
for two values only, and B(r) for any number: in B(r) everybody's value is with weight k r an even draw from *all*
values, so that no part of the lattice is left out.

*5. Monotone.* B(r) contains B(s) for s > r, so that delta of the worst member falls as r rises: if figures pass at r,
they pass at every s above it.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import prod

from dalenius.enclosure.formats import plain
from dalenius.facts.records import Cell, Column, Label
from dalenius.tables.figures import ColumnBelief, told_together

UNKNOWN = "nothing is assumed"  # the source of a belief that says nothing


def none_below(columns: Mapping[str, Column], chance: Fraction, source: str, words: str = "") -> ColumnBelief:
    """B(r): no value is less likely than `chance` for anybody; nothing is assumed if that is 0. `words` say it in
    another way.
    """
    size = prod(column.size for column in columns.values())
    first, *beside = columns
    rows: list[Cell] = list(product(*(column.values for column in columns.values())))
    keys: list[Label | Fraction | Cell] = [row if beside else row[0] for row in rows]
    even = tuple((key, Fraction(1, size)) for key in keys)
    least = tuple((key, chance) for key in keys)
    told = words or _told(list(columns), chance)
    return ColumnBelief(first, {(): even}, source, least={(): least}, differ=told, beside=tuple(beside), stated=False)


def _told(names: list[str], chance: Fraction) -> str:
    if not chance:
        return f"nothing is assumed of the values of {told_together(names)} but which they may be"
    what = "value" if len(names) == 1 else "combination of values"
    return f"no {what} of {told_together(names)} is less than {plain(100 * chance)} % likely, for anybody"


def says_nothing(belief: ColumnBelief) -> bool:
    """Whether nothing is assumed of the values."""
    return not belief.stated and not any(chance for _, chance in (belief.least or {}).get((), ()))
