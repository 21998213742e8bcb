"""Exact laws and how far apart two of them are.

A law is a dict from outcomes to exact probabilities (`Fraction`). An outcome is an int, a
tuple of ints (a vector), or any other hashable thing once a channel has been applied.
Laws with irrational masses (noise) are `BallLaw`s: balls on a window, and a bound on the
mass outside it.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import Any

from flint import arb, fmpz_poly

from .balls import ball, between, exponential, largest, precise

Outcome = Any
Law = Mapping[Outcome, Fraction]


@dataclass(frozen=True)
class BallLaw:
    """Masses as balls on finitely many outcomes; all others together have at most `missing`."""

    masses: Mapping[Outcome, arb]
    missing: arb

    @precise
    def mass(self, outcome: Outcome) -> arb:
        """The probability of one outcome, inside the window or not."""
        if outcome in self.masses:
            return self.masses[outcome]
        return between(arb(0), self.missing)


def point(outcome: Outcome) -> Law:
    """The law that always gives `outcome`."""
    return {outcome: Fraction(1)}


def bernoulli(p: Fraction) -> Law:
    """One with probability p, otherwise zero; impossible outcomes are left out."""
    return _without_zeros({0: 1 - p, 1: p})


def binomial(n: int, p: Fraction) -> Law:
    """The number of ones among n independent records with rate p."""
    yes, no = p.numerator, p.denominator - p.numerator
    scale = p.denominator**n
    return _without_zeros({k: Fraction(comb(n, k) * yes**k * no ** (n - k), scale) for k in range(n + 1)})


def add(a: Outcome, b: Outcome) -> Outcome:
    """The sum of two numbers or of two vectors."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return tuple(x + y for x, y in zip(a, b, strict=True))
    return a + b


def convolve(first: Law, second: Law) -> Law:
    """The law of the sum of two independent variables."""
    a, a_scale = _as_integers(first)
    b, b_scale = _as_integers(second)
    sums: dict[Outcome, int] = defaultdict(int)
    if _dense(a) and _dense(b):
        low = min(a) + min(b)
        product = fmpz_poly(_coefficients(a)) * fmpz_poly(_coefficients(b))
        sums.update((low + k, int(mass)) for k, mass in enumerate(product.coeffs()) if mass)
    else:
        for (x, px), (y, py) in itertools.product(a.items(), b.items()):
            sums[add(x, y)] += px * py
    return {k: Fraction(mass, a_scale * b_scale) for k, mass in sums.items()}


def _dense(masses: Mapping[Outcome, int]) -> bool:
    """Whether many whole numbers near each other are possible, and each of them is: then a law is a polynomial."""
    if len(masses) < 20 or any(type(k) is not int for k in masses) or min(masses.values()) <= 0:
        return False
    return bool(max(masses) - min(masses) < 20 * len(masses))


def _coefficients(masses: Mapping[int, int]) -> list[int]:
    return [masses.get(k, 0) for k in range(min(masses), max(masses) + 1)]


def power(law: Law, n: int) -> Law:
    """The law of the sum of n >= 1 independent copies."""
    if n < 1:
        raise ValueError(f"power needs at least one copy, but got n={n}")
    if n == 1:
        return dict(law)
    half = power(law, n // 2)
    even = convolve(half, half)
    return convolve(even, law) if n % 2 else even


def sum_of(laws: Sequence[Law], *, zero: Outcome = 0) -> Law:
    """The law of the sum of independent variables; `zero` is the empty sum."""
    result = point(zero)
    for law in laws:
        result = convolve(result, law)
    return result


def shift(law: Law, by: Outcome) -> Law:
    """The law of the variable plus a constant."""
    return {add(k, by): mass for k, mass in law.items()}


def pushforward(law: Law, function: Callable[[Outcome], Outcome]) -> Law:
    """The law of a function of the variable."""
    images: dict[Outcome, Fraction] = defaultdict(Fraction)
    for k, mass in law.items():
        images[function(k)] += mass
    return dict(images)


def mixture(weights: Sequence[Fraction], laws: Sequence[Law]) -> Law:
    """Draw a law with the given weights, then draw from it."""
    masses: dict[Outcome, Fraction] = defaultdict(Fraction)
    for weight, law in zip(weights, laws, strict=True):
        for k, mass in law.items():
            masses[k] += weight * mass
    return _without_zeros(masses)


def product(laws: Sequence[Law]) -> Law:
    """The joint law of independent variables, as tuples."""
    joint: dict[Outcome, Fraction] = {}
    for draws in itertools.product(*(law.items() for law in laws)):
        mass = Fraction(1)
        for _, each in draws:
            mass *= each
        joint[tuple(k for k, _ in draws)] = mass
    return joint


@precise
def as_balls(law: Law | BallLaw) -> BallLaw:
    """The same law with balls for masses."""
    if isinstance(law, BallLaw):
        return law
    return BallLaw({k: ball(mass) for k, mass in law.items()}, arb(0))


@precise
def hockey_stick(p: Law | BallLaw, q: Law | BallLaw, epsilon: Fraction) -> arb:
    """H(P || Q) = sum over k of max(0, P(k) - e^epsilon Q(k)), as a ball.

    Outcomes outside P's window add something between zero and the missing mass of P.
    At epsilon = 0 with exact laws the sum is rational, so ties cost nothing.
    """
    if epsilon == 0 and not isinstance(p, BallLaw) and not isinstance(q, BallLaw):
        return ball(sum((max(Fraction(0), m - q.get(k, Fraction(0))) for k, m in p.items()), Fraction(0)))
    alpha = exponential(epsilon)
    first, second = as_balls(p), as_balls(q)
    excess = between(arb(0), first.missing)
    for k, mass in first.masses.items():
        excess += (mass - alpha * second.mass(k)).nonnegative_part()
    return excess


def both_ways(p: Law | BallLaw, q: Law | BallLaw, epsilon: Fraction) -> arb:
    """The larger of H(P || Q) and H(Q || P)."""
    return largest([hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon)])


def total_variation(p: Law, q: Law) -> Fraction:
    """The largest difference of the probabilities of one event."""
    zero = Fraction(0)
    return sum((abs(p.get(k, zero) - q.get(k, zero)) for k in {*p, *q}), zero) / 2


@precise
def max_divergence(p: Law, q: Law) -> arb:
    """The largest log-likelihood ratio of P against Q; infinity if P can do what Q cannot."""
    ratio = curve_ratio_one_way(p, q, Fraction(0))
    return arb.pos_inf() if ratio is None else ball(ratio).log()


def curve_ratio(p: Law, q: Law, delta: Fraction) -> Fraction | None:
    """The least e^epsilon >= 1 with H <= delta in both directions; None if there is none."""
    ratios = [curve_ratio_one_way(p, q, delta), curve_ratio_one_way(q, p, delta)]
    finite = [ratio for ratio in ratios if ratio is not None]
    return max([Fraction(1), *finite]) if len(finite) == len(ratios) else None


@precise
def curve_epsilon(p: Law, q: Law, delta: Fraction) -> arb:
    """The least epsilon >= 0 with H <= delta in both directions; infinity if there is none."""
    ratio = curve_ratio(p, q, delta)
    return arb.pos_inf() if ratio is None else ball(ratio).log()


def curve_ratio_one_way(p: Law, q: Law, delta: Fraction) -> Fraction | None:
    """The least a >= 0 with sum of max(0, P - a Q) <= delta, exactly; None if there is none.

    The sum is the maximum of P(B) - a Q(B) over the events B that hold the outcomes of
    highest likelihood ratio. Each such event needs a >= (P(B) - delta) / Q(B).
    """
    p_mass = q_mass = needed = Fraction(0)
    for mass, other in _by_falling_ratio(p, q):
        p_mass, q_mass = p_mass + mass, q_mass + other
        if p_mass <= delta:
            continue
        if q_mass == 0:
            return None
        needed = max(needed, (p_mass - delta) / q_mass)
    return needed


def _by_falling_ratio(p: Law, q: Law) -> list[tuple[Fraction, Fraction]]:
    """The masses (P(k), Q(k)) with P(k) > 0, the highest ratio first."""
    pairs = [(mass, q.get(k, Fraction(0))) for k, mass in p.items() if mass > 0]
    return sorted(pairs, key=lambda pair: pair[1] / pair[0])


def _as_integers(law: Law) -> tuple[dict[Outcome, int], int]:
    """Integer weights and their common denominator."""
    scale = lcm(*(mass.denominator for mass in law.values()))
    return {k: mass.numerator * (scale // mass.denominator) for k, mass in law.items()}, scale


def _without_zeros(law: Mapping[Outcome, Fraction]) -> Law:
    return {k: mass for k, mass in law.items() if mass != 0}


def check(law: Law) -> None:
    """Complain unless the masses are non-negative and add up to one."""
    if any(mass < 0 for mass in law.values()) or sum(law.values()) != 1:
        raise ValueError(f"a law needs non-negative masses with sum 1, but got {dict(law)}")
