"""Exact sums of numbers of whose laws only a uniform part is known: coupled worlds, Theorems 8, 9 and 17.

Every record is independent of the others, lies in [a, b], and has a density of at least η there, besides whatever else.
So it is uniform on [a, b] with weight w = η (b - a). Reveal all that is not drawn from there: by joint convexity

    δ(ε) ≤ E D(K, ε),  K ~ Binomial(unknown others, w),  D(0, ε) = 1,

with D(k, ε) the curve of the sum of k uniform numbers (Irwin-Hall) against its shift. It falls with k, so that which
records are known does not matter. What the shift is depends on what is compared:

- with a *simulator* that sees the data without the record (Theorems 8 and 9), the sum is compared with the others' sum
  plus a constant. The midpoint (a + b)/2 is best: the shift is then at most half of the range. The canonical simulator
  adds nothing, and its shift is the largest absolute value: on [10, 12] it fails, so "without loss of generality
  [-1, 1]" holds for the midpoint only;
- with two *values* of the record (noiseless privacy, Theorem 17) the shift is at most the range. Directly, this is
  sharper than the theorem's passage through the simulator, (2ε, (1 + e^ε) δ).
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Literal, TypeAlias

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.at_least import checked_size
from dalenius.beliefs.belief import Share, known_records
from dalenius.beliefs.common import Weights, number_of
from dalenius.enclosure.formats import apart
from dalenius.facts.records import exact
from dalenius.numerics.curve import Curve
from dalenius.numerics.irwin_hall import UniformSum
from dalenius.numerics.mixing import CLOSE, Mixing

Number: TypeAlias = float | str | Fraction
UNIT_RANGE = (-1, 1)


def simulated_sum(
    n: int,
    *,
    density: Number,
    bounds: Sequence[Number] = UNIT_RANGE,
    known: Share = 0,
    simulator: Literal["midpoint", "canonical"] = "midpoint",
    close: float = CLOSE,
) -> Curve:
    """δ(ε) of distributional privacy for the exact sum of n records, the target's among them, with this simulator.

    The curve's upper end bounds every member of the class, within the relative gap `close` of E D(K, ε).

    >>> print(simulated_sum(201, density="1/2").delta(Fraction(1, 2)))  # all uniform on [-1, 1]
    [9.696e-7, 9.697e-7]
    """
    low, high, weight = _checked(bounds, density)
    require(simulator in ("midpoint", "canonical"), '"midpoint" or "canonical"', got=simulator)
    shift = (high - low) / 2 if simulator == "midpoint" else max(abs(low), abs(high))
    return _mixed(n, known, weight, shift / (high - low), close)


def sum_by_value(
    n: int,
    *,
    density: Number,
    bounds: Sequence[Number] = UNIT_RANGE,
    known: Share = 0,
    close: float = CLOSE,
) -> Curve:
    """δ(ε) of noiseless privacy for the exact sum: the target's value is a or b, at worst the two bounds.

    >>> print(sum_by_value(51, density="1/2").delta(Fraction(1)))
    [0.006372, 0.006373]
    """
    _, _, weight = _checked(bounds, density)
    return _mixed(n, known, weight, Fraction(1), close)


def _mixed(n: int, known: Share, weight: Fraction, shift: Fraction, close: float) -> Curve:
    others = checked_size(n, "A sum") - 1 - known_records(known, n)
    return Mixing(number_of(Weights({weight: others})), partial(_uniform, shift), close)


def _uniform(shift: Fraction, number: int) -> Curve:
    return UniformSum(number, shift)


def _checked(bounds: Sequence[Number], density: Number) -> tuple[Fraction, Fraction, Fraction]:
    ends = [exact(end, name="A bound") for end in bounds]
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise InputError(f"bounds must be (least, largest), but got {', '.join(map(str, ends))}. Correct them.")
    weight = exact(density, name="density") * (ends[1] - ends[0])
    if not 0 <= weight <= 1:
        raise InputError(
            f"A density of at least {density} on an interval of length {float(ends[1] - ends[0]):g} has mass "
            f"{apart(weight, 1)}, which must lie between 0 and 1. Give a smaller density."
        )
    return ends[0], ends[1], weight
