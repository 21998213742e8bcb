"""Minimum difference between tables: two groups that are both published differ by at least d persons.

The difference of two published counts is the exact count of the d persons who are in one group only. Who they are is
public; what they answered is not. If each of them has the attribute with a rate between two known ones, the count is as
safe as an exact count of d persons, and that falls with d: a larger group is a smaller one plus others.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from dalenius.basics.errors import InputError
from dalenius.beliefs.vertices import Rates
from dalenius.facts.records import exact
from dalenius.facts.statistics import Count
from dalenius.judge.definition import noiseless
from dalenius.judge.verification import curve
from dalenius.numerics.curve import Curve
from dalenius.numerics.least import doubled, least, scan, whole_halfway

Number: TypeAlias = float | str | Fraction
LARGEST = 1 << 24


def difference_curve(least: int, *, rates: Sequence[Number]) -> Curve:
    """δ(ε) of what the difference of two counts tells about one of at least `least` persons, whose rates lie between
    these two.

    >>> print(difference_curve(10, rates=("1/10", "1/2")).delta(Fraction(1)))
    [0.3874, 0.3875]
    """
    if isinstance(least, bool) or least != int(least) or least < 1:
        raise InputError(f"A minimum difference must be a whole number of at least 1, but got {least!r}. Common is 10.")
    low, high = _checked(rates)
    return curve(Count(), noiseless(Rates(between=(low, high), n=least)))


def difference_needed(*, epsilon: Number, delta: Number, rates: Sequence[Number]) -> int:
    """The least difference that keeps δ at this ε.

    >>> difference_needed(epsilon=1, delta="1/1000", rates=("1/10", "1/2"))
    127
    """
    at, wanted = exact(epsilon, name="epsilon"), exact(delta, name="delta")

    def enough(persons: int) -> bool:
        return difference_curve(persons, rates=rates).delta(at).certainly_at_most(wanted)

    low, high = scan(enough, 1, doubled(2, LARGEST))
    if high is None:
        raise InputError(f"No difference up to {LARGEST} persons is enough. Allow a larger epsilon or delta.")
    return least(enough, low, high, middle=whole_halfway)[1]


def _checked(rates: Sequence[Number]) -> tuple[Fraction, Fraction]:
    found = [exact(rate, name="A rate") for rate in rates]
    if len(found) != 2 or not 0 < found[0] <= found[1] < 1:
        raise InputError(
            f"A minimum difference needs two rates strictly between 0 and 1, the least first, but got "
            f"{', '.join(map(str, rates)) or 'none'}. If the rate may be 0 the attribute may be so rare that a count "
            "of 1 is the person (δ = 1), whatever the difference."
        )
    return found[0], found[1]
