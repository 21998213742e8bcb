"""How many records a sample has, as far as an attacker can tell; and what that uncertainty is worth for histograms.

Coupled worlds, Definition 9, asks that P(N = n) and P(N = n - 1) differ by a factor e^ε at most, except with
probability δ over n drawn from N. That is one-sided: N with P(n) ∝ e^(εn) up to a largest value passes, and N + 1 then
has an outcome that N has not. What is used here are both sides, for the number s of others given that the person is
present:

    (2')  P(p(s + 1) < e^-ε p(s)) ≤ δ  and  P(p(s) > e^ε p(s - 1)) ≤ δ,   s drawn from p, p(-1) = 0.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Literal, TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError, require
from dalenius.enclosure.balls import Balls, choose
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses, least_masses
from dalenius.enclosure.outward import add_up, exp_up, exponential, sum_down, sum_up, times_down, times_up, up
from dalenius.facts.records import exact, is_whole
from dalenius.numerics.decimals import decimal
from dalenius.numerics.law import Floats, Law, law_of

Number: TypeAlias = float | str | Fraction
Sizes: TypeAlias = Mapping[int, Number] | Law
Person: TypeAlias = Literal["named"] | int


def equation_2(sizes: Law, epsilon: Fraction) -> Bracket:
    """The probability that N falls on an n with P(n) / P(n - 1) outside of e^±ε: Definition 9 as printed, one-sided."""
    here, before = _bounds(sizes, 0), _bounds(sizes, -1)
    return _mass(sizes, here, before, epsilon, both=True)


def hidden_sizes(others: Law, epsilon: Fraction) -> Bracket:
    """The δ of (2'), the larger of its two sides, for the law of the number of others."""
    here, before, after = (_bounds(others, by) for by in (0, -1, 1))
    return _mass(others, here, before, epsilon).join(_mass(others, here, after, epsilon))


def _bounds(law: Law, by: int) -> tuple[Floats, Floats]:
    """Bounds on P(n + by) for n in the window."""
    mass, error = law.window(law.start + by, law.stop + by)
    outside = np.arange(law.start + by, law.stop + by)
    error = add_up(error, np.where((outside < law.start) | (outside >= law.stop), law.tail, 0.0))
    return least_masses(mass, error), largest_masses(mass, error)


def _mass(
    law: Law, here: tuple[Floats, Floats], other: tuple[Floats, Floats], epsilon: Fraction, *, both: bool = False
) -> Bracket:
    """The mass of n where P(n) > e^ε times the other (or, if `both`, where the other is that much larger)."""
    least, most = exponential(epsilon)
    sure, possible = here[0] > times_up(other[1], most), here[1] > times_down(other[0], least)
    if both:
        sure = sure | (other[0] > times_up(here[1], most))
        possible = possible | (other[1] > times_down(here[0], least))
    low, high = float(sum_down(here[0][sure])), add_up(float(sum_up(here[1][possible])), law.tail)
    return Bracket(min(low, high), min(1.0, high))


def poisson_bound(least: int, epsilon: Number) -> float:
    """exp(ε - k (e^-ε - 1 + ε)), from above: a bound on δ of a k-truncated cell of a Poisson sample, whatever its mean,
    in both directions. `rules.worth` is exact.

    >>> round(poisson_bound(20, 1), 8)
    0.00173354
    """
    at = _positive(epsilon)
    return min(1.0, _power(at, least))


def repaired_bound(least: int, epsilon: Number, hidden: float) -> float:
    """Theorem 10 of coupled worlds, repaired: for independent draws whose number satisfies (2') with (ε, `hidden`), the
    k-truncated histogram is (3ε, hidden + 2 exp(2ε - k (e^-2ε - 1 + 2ε)))-private, with the simulator that leaves the
    person out. Not for samples without replacement.
    """
    at = _positive(epsilon)
    return min(1.0, up(hidden + 2 * _power(2 * at, least)))


def sufficient_threshold(epsilon: Number, delta: Number) -> int:
    """A k for which `repaired_bound` adds at most 2δ: k ≥ (log(1/δ) + 2ε) / (e^-2ε - 1 + 2ε).

    >>> sufficient_threshold("1/2", "1e-6")
    41
    """
    at, small = _positive(epsilon), exact(delta, name="delta")
    require(0 < small < 1, "a delta strictly between 0 and 1", got=delta)
    lost = 2 * max(0, len(str(at.denominator)) - len(str(at.numerator)) + 1)  # digits that cancel
    with localcontext(Context(prec=60 + 2 * lost, Emin=-(10**15), Emax=10**15)):
        twice = decimal(2 * at)
        needed = (twice - decimal(small).ln()) / ((-twice).exp() - 1 + twice)
        return math.ceil(needed * (1 + Decimal("1e-40")))


def _positive(epsilon: Number) -> Fraction:
    at = exact(epsilon, name="epsilon")
    require(at > 0, "an epsilon above 0", got=epsilon)
    return at


def _power(rate: Fraction, least: int) -> float:
    """exp(rate - least (e^-rate - 1 + rate)), from above. No number on the way there is above least times rate."""
    require(least >= 1, "a least count of at least 1", got=least)
    step = Balls.of(rate)
    return exp_up(float((step - least * ((-step).expm1() + step)).upper))


def others_in_sample(sizes: Sizes, *, person: Person = "named") -> Law:
    """The law of the number of others in the sample, given that the person is in it.

    "named": P(N - 1 = s | present) is proportional to (s + 1) P(N = s + 1). A number i: the person is record number i,
    present if N ≥ i, so it is proportional to P(N = s + 1) for s + 1 ≥ i, and 0 below. The larger i, the more is known
    about N; record 1 is the mildest, and the last possible record tells N.
    """
    least = _least_size(person)
    law = sizes if isinstance(sizes, Law) else law_of(_size_law(sizes))
    numbers = np.arange(law.start, law.stop, dtype=float)
    keep = numbers >= least
    people = "one person" if least == 1 else f"{least} persons"
    require(bool((law.mass[keep] > 0).any()), f"a sample of at least {people} with positive probability", got="none")
    factor = numbers[keep] if person == "named" else np.ones(int(keep.sum()))
    if law.tail and person == "named":
        raise InputError(
            "The law of sizes leaves a tail open, which a named person makes heavier. Give a law with a largest size."
        )
    weights = law.balls[keep] * factor
    whole = weights.sum().widened(law.tail)
    spread = float(whole.radius / whole.middle)
    require(
        spread < 0.5, f"a law of sizes that is known where there are at least {people}", got="only its tail or noise"
    )
    return Law.enclosing(int(numbers[keep][0]) - 1, weights / whole, float((law.tail / whole).upper))


def _least_size(person: object) -> int:
    """From how many records on the person is in the sample, or may be."""
    if person == "named":
        return 1
    if not is_whole(person) or person == 0:
        raise InputError(
            f'Needed a person who is "named", or the number of their record, from 1 on, but got {person!r}. Write 1 '
            "for the first record. Later records are present in large samples only."
        )
    return int(person)


def _size_law(sizes: Mapping[int, Number]) -> dict[int, Fraction]:
    stray = next((size for size in sizes if isinstance(size, bool | np.bool_) or size != int(size) or size < 0), None)
    require(stray is None and bool(sizes), "sample sizes that are whole numbers of at least 0", got=stray)
    return {int(size): exact(chance, name="The probability of a size") for size, chance in sizes.items()}


@final
@dataclass(frozen=True, slots=True)
class Discarding:
    """Make the size of a sample of `records` uncertain by discarding a few of them at random: [K + t]₊ of them, where K
    is two-sided geometric, P(K = k) ∝ exp(-ε |k|), and t = ⌈log(1/δ) / ε⌉.

    What it costs: about t records; and with probability `untouched` nothing is discarded, which any claim must bear.
    """

    records: int
    epsilon: Fraction
    delta: Fraction

    @property
    def usual(self) -> int:
        """How many are discarded when K = 0."""
        return math.ceil(-math.log(float(self.delta)) / float(self.epsilon) - 1e-12)

    @property
    def sizes(self) -> Law:
        """The law of what is left. Two ends take up all that lies beyond."""
        rate, t = Balls.of(self.epsilon), self.usual
        k = np.arange(-t, self.records - t + 1, dtype=float)
        inner = -(-rate).expm1() / ((-rate).exp() + 1)
        ends = 1 / ((-rate).exp() + 1)  # K ≤ -t: nothing is discarded; K ≥ records - t: everything
        weight = choose((k == k[0]) | (k == k[-1]), ends, inner)
        return Law.enclosing(0, (weight * (-rate * np.abs(k)).exp())[::-1])

    @property
    def untouched(self) -> Bracket:
        """The probability that nothing is discarded; every δ of the scheme is at least about this."""
        last = self.sizes.balls[-1]
        return Bracket(float(last.positive), float(last.upper))

    @property
    def expected(self) -> Bracket:
        """The mean number of records discarded."""
        law = self.sizes
        gone = self.records - np.arange(law.start, law.stop)
        mean = (law.balls * gone).sum()
        return Bracket(float(mean.lower), float(mean.upper))


def discarding(records: int, *, epsilon: Number, delta: Number) -> Discarding:
    """The scheme that discards about log(1/δ)/ε records, checked.

    >>> import dalenius as dl
    >>> print(dl.beliefs.discarding(1000, epsilon="1/2", delta="1e-6"))
    Discarding(records=1000, epsilon=Fraction(1, 2), delta=Fraction(1, 1000000))
    """
    rate, small = exact(epsilon, name="epsilon"), exact(delta, name="delta")
    require(rate > 0, "an epsilon above 0", got=epsilon)
    require(0 < small < 1, "a delta strictly between 0 and 1", got=delta)
    found = Discarding(records, rate, small)
    require(
        records > found.usual,
        f"more records than the {found.usual} that are usually discarded",
        got=records,
        remedy="Take a larger epsilon or delta.",
    )
    return found
