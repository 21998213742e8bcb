"""Counts, and sums inside what they count: a number of people who have a wage, and the total of their wages.

Let some of the numbers be counts that tell how many records are of which *class* (affinely independent patterns of 0
and 1), and let every record have one law. Given how many records are of each class, those of one class are independent
draws from the law inside that class, and the other numbers are sums of what they add.

*Theorem.* Fix two facts, one of class c and one of class d. Let X be the counts: a pair of worlds X_1, X_2 that the two
facts make, with the curve of two cells. If at least m_c and m_d of the other records are of these classes, then the
release is at most as telling as the composition of (X_1, X_2), of "m_c draws of class c, and some value of that class
against some other", and of the same in d. If c = d, the first pair and the last are left out.

*Proof.* Reveal the sums of every class by themselves. Given the counts x, let k be those of class c. In the first world
they are k - 1 draws and the target's value, in the second k draws, which is a mean over what the last of them adds: by
joint convexity at most the worst value. A further draw only adds what is independent, so k - 1 draws tell no more than
m_c of them. In d it is the same with the worlds exchanged; other classes have one law in both worlds, and given x
classes are independent. What is told given x is below one pair of curves for all x, so the composition is adaptive, and
bounded by that of the pairs ("Optimal accounting of differential privacy via characteristic function",
arXiv:2106.08567v3, Theorem 10). That fewer records are there has a small probability in either world, which is added. ∎
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import gcd
from typing import TypeAlias

from dalenius.beliefs.answers import Crowded, Inquiry
from dalenius.beliefs.crowd import crowd_of
from dalenius.beliefs.joint import sure_count
from dalenius.beliefs.two_facts import TwoFacts, least_likely, tells_all
from dalenius.beliefs.worst import AsItIs
from dalenius.facts.secret import Facts, Value, pairs, wide
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Charged, Curve, Supremum

Vector: TypeAlias = tuple[int, ...]
Masses: TypeAlias = Mapping[Vector, Fraction]
MOST_CLASSES = 40
MOST_PAIRS = 3  # of classes that are composed one by one; of more, the worst of all classes twice
MISSING = Fraction(1, 100)  # of what is enough, that there are fewer records


def nested_curve(law: Masses, others: int, facts: Sequence[Vector], enough: Fraction) -> Curve | None:
    """A bound for so many other records of one law; None where the numbers are not of this form."""
    counted = [axis for axis in range(len(facts[0])) if {fact[axis] for fact in (*facts, *law)} <= {0, 1}]
    classes: dict[Vector, set[Vector]] = {}
    for fact in (*facts, *law):
        classes.setdefault(_at(fact, counted), set()).add(fact)
    if not 1 < len(classes) <= MOST_CLASSES or len(counted) == len(facts[0]) or not tells_all(tuple(classes)):
        return None
    inside: list[tuple[Curve, float]] = []
    for own in classes.values():
        if len(own) > 1:
            found = _inside(law, others, own, enough * MISSING / len(classes))
            if found is None:
                return None
            inside.append(found)
    shares = {name: sum((law.get(fact, Fraction(0)) for fact in own), Fraction(0)) for name, own in classes.items()}
    counts = TwoFacts(least_likely(shares, tuple(classes)), others, enough)
    curves = [curve for curve, _ in inside]
    if len(curves) <= 1:
        ways = [compose([(counts, 1), *((curve, 1) for curve in curves)], about="independent columns")]
    else:
        both = list(combinations(curves, 2))
        some = both if len(both) <= MOST_PAIRS else [(Supremum(tuple(curves)),) * 2]
        ways = [compose([(counts, 1), (one, 1), (two, 1)], about="independent columns") for one, two in some]
    return Charged(ways[0] if len(ways) == 1 else Supremum(tuple(ways)), 2 * sum(missing for _, missing in inside))


def _inside(law: Masses, others: int, own: set[Vector], miss: Fraction) -> tuple[Curve, float] | None:
    """What sums inside one class tell of a value against another, and the probability that fewer records are there."""
    steps = _in_steps(sorted(own))
    share = sum((law.get(fact, Fraction(0)) for fact in own), Fraction(0))
    if steps is None or not share:
        return None
    there, missing = sure_count(others, share, float(miss))
    draws = (
        there - 1
    )  # where the target is of another class in one world, one of those who are counted is not the target
    if draws < 1:
        return None
    each: dict[int, Fraction] = {}
    for fact, step in steps.items():
        each[step] = each.get(step, Fraction(0)) + law.get(fact, Fraction(0)) / share
    adds = tuple(sorted(each))
    both = tuple(pairs(Value(), adds))
    asked = Inquiry(Facts(both, wide(adds), adds=frozenset(adds)), AsItIs(), 0)
    from dalenius.beliefs.interpreter import interpret  # which opens this one

    crowd = crowd_of([{step: chance for step, chance in each.items() if chance}], [draws + 1])
    return interpret(Crowded(crowd, decided=False), asked), missing


def _in_steps(facts: Sequence[Vector]) -> dict[Vector, int] | None:
    """Facts that lie on one line, by how many steps they are from the first; None if they do not."""
    moves = {fact: tuple(b - a for a, b in zip(facts[0], fact, strict=True)) for fact in facts}
    last = moves[facts[-1]]
    step = tuple(part // reduce(gcd, last) for part in last)
    axis = next(place for place, part in enumerate(step) if part)
    found = {}
    for fact, move in moves.items():
        times = move[axis] // step[axis]
        if tuple(times * part for part in step) != move:
            return None
        found[fact] = times
    return found


def _at(fact: Vector, axes: Sequence[int]) -> Vector:
    return tuple(fact[axis] for axis in axes)
