"""Random worlds for the statements about side information."""

import math
from fractions import Fraction

from dalenius.theorems import find
from theorems.brute import apart, bad_mass, distance, ln
from theorems.trial import law, level, near, trial

TINY = Fraction(1, 10**30)  # what the brute force may lose by rounding e^ε


def two_laws(dice):
    size = dice.randint(2, 5)
    p = law(dice, size)
    return p, dice.choice([law(dice, size), near(dice, p)])


def apply(key, **given):
    return find(key)[0](**given)


@trial("KS-3.3.1")
def pointwise_is_enough(dice):
    (p, q), at = two_laws(dice), level(dice)
    delta = bad_mass(p, q, at)
    promised = apply("KS-3.3.1", epsilon=at, delta=delta)
    assert apart(p, q, at) <= Fraction(promised.delta.upper)


@trial("KS-3.3.2")
def pointwise(dice):
    (p, q), at = two_laws(dice), level(dice)
    above = at + dice.choice([Fraction(1, 100), Fraction(1, 2), at + 1])
    delta = min(apart(p, q, at) + TINY, Fraction(1))
    promised = apply("KS-3.3.2", epsilon=at, delta=delta, above=above)
    assert bad_mass(p, q, above) <= Fraction(promised.delta.upper)


@trial("KS-3.3.3")
def joint(dice):
    _jointly(dice, "KS-3.3.3", exceptions=0)


@trial("KS-3.3.4")
def mostly_joint(dice):
    _jointly(dice, "KS-3.3.4", exceptions=1)


def _jointly(dice, key, exceptions):
    """(X, A(X)) and (X, A'(X)) listed in full; the last values of X may be exceptions."""
    count, at = dice.randint(1 + exceptions, 3), level(dice)
    chances = law(dice, count)
    rows = [two_laws(dice) for _ in range(count)]
    first = [chance * a for chance, (p, _) in zip(chances, rows, strict=True) for a in p]
    second = [chance * b for chance, (_, q) in zip(chances, rows, strict=True) for b in q]
    kept = rows[: count - exceptions]
    delta = min(max(apart(p, q, at) for p, q in kept) + TINY, Fraction(1))
    given = {"epsilon": at, "delta": delta}
    if exceptions:
        given["exceptions"] = sum(chances[count - exceptions :], Fraction(0))
    assert apart(first, second, at) <= Fraction(apply(key, **given).delta.upper)


@trial("KS-3.3.6")
def variation(dice):
    (p, q), at = two_laws(dice), level(dice)
    delta = min(apart(p, q, at) + TINY, Fraction(1))
    assert distance(p, q) <= Fraction(apply("KS-3.3.6", epsilon=at, delta=delta).delta.upper)


def rows_on_two_bits(dice):
    """P(output | dataset) for the four datasets of two bits, and the least ε by which neighbours are alike."""
    rows = [law(dice, 3, zeros=False) for _ in range(4)]
    if dice.random() < 0.5:
        rows = [near(dice, rows[0]) for _ in range(4)]
    ratio = max(max(a / b, b / a) for i, j in NEIGHBOURS for a, b in zip(rows[i], rows[j], strict=True))
    return rows, ratio


PLACES = ((0, 0), (0, 1), (1, 0), (1, 1))
NEIGHBOURS = [(0, 1), (0, 2), (1, 3), (2, 3)]


def posterior(belief, column):
    whole = sum(b * c for b, c in zip(belief, column, strict=True))
    return [b * c / whole for b, c in zip(belief, column, strict=True)] if whole else None


def largest_shift(rows, belief):
    """Over outputs and records: the posterior given A(x) against that given A(x with the record set to 0)."""
    found = Fraction(0)
    for t, i in ((t, i) for t in range(3) for i in range(2)):
        real = [row[t] for row in rows]
        without = [rows[PLACES.index(tuple(0 if j == i else bit for j, bit in enumerate(x)))][t] for x in PLACES]
        found = max(found, distance(posterior(belief, real), posterior(belief, without)))
    return found


@trial("KS-2.2")
def semantic(dice):
    rows, ratio = rows_on_two_bits(dice)
    at = ln(ratio, up=True)
    belief = dice.choice([law(dice, 4), [Fraction(0), Fraction(0), Fraction(1, 2), Fraction(1, 2)]])
    assert largest_shift(rows, belief) <= Fraction(apply("KS-2.2", epsilon=at).epsilon.upper)


@trial("KS-2.2-converse")
def differential(dice):
    """The best belief on two neighbours is a lower bound on the semantic level; with it the theorem gives the ratio."""
    rows, ratio = rows_on_two_bits(dice)
    shift = Fraction(0)
    for x in ((0, 1), (1, 0), (1, 1)):
        for i in (i for i in range(2) if x[i]):
            y = tuple(0 if j == i else bit for j, bit in enumerate(x))
            shift = max(shift, *(two_point_shift(rows[PLACES.index(x)][t], rows[PLACES.index(y)][t]) for t in range(3)))
    promised = apply("KS-2.2-converse", shift=min(shift, 1 - TINY))
    assert ln(ratio, up=False) <= Fraction(promised.epsilon.upper)


def two_point_shift(a, b):
    """How far the belief (u, 1 - u) on a dataset and the one without the record can move, at u = 1 / (1 + √c)."""
    c = max(a / b, b / a)
    root = Fraction(math.isqrt(int(c * 10**80)), 10**40)
    u = 1 / (1 + root)
    return distance(posterior([u, 1 - u], [c, Fraction(1)]), [u, 1 - u]) + TINY
