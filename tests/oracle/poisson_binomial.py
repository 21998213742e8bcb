"""Counts of independent yes/no records with different rates, in ball arithmetic.

The trick that keeps every digit far out in the tail: tilt each record by 1/alpha = e^-epsilon.
With M = prod (1 - p + p/alpha) and the tilted law T, P(j) = M alpha^j T(j), hence

    H(S || S+1) = sum of max(0, P(j) - alpha P(j-1)) = M * sum of alpha^j max(0, T(j) - T(j-1)).

The cut where P(j) falls below alpha P(j-1) is the mode of T, so absolute errors of T are harmless.
T is a Poisson binomial too, hence log-concave: it rises before its mode and falls after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, arb_poly

from .balls import BITS, ball, between, exponential, precise, total

Window = tuple[int, list[arb], arb]
"""First outcome, masses from there on, and the mass left out, at most."""

Types = Sequence[tuple[int, Fraction]]
"""How many records, and their common rate."""


@precise
def poisson_binomial(rates: Sequence[Fraction]) -> list[arb]:
    """P(S = k) for k = 0..n with absolute errors near 2^-240: seconds for thousands of rates."""
    return _law([ball(p) for p in rates])


def profile(rates: Sequence[Fraction], epsilon: Fraction) -> tuple[arb, arb]:
    """H(S || S+1) and H(S+1 || S) for records with their own rates, without the target."""
    return _profile(rates, epsilon), _profile([1 - p for p in rates], epsilon)


def profile_of_types(types: Types, epsilon: Fraction) -> tuple[arb, arb]:
    """The same two numbers for few distinct rates and up to millions of records."""
    flipped = [(n, 1 - p) for n, p in types]
    return _profile_of_types(types, epsilon), _profile_of_types(flipped, epsilon)


@precise
def _profile(rates: Sequence[Fraction], epsilon: Fraction) -> arb:
    rates = [p for p in rates if p not in (0, 1)]  # constants shift both laws alike
    norm = arb(1)
    for p in rates:
        norm *= _norm(p, epsilon)
    law = _law([_tilted(p, epsilon) for p in rates])
    return norm * _rise(0, law, len(rates), epsilon)


@precise
def _profile_of_types(types: Types, epsilon: Fraction) -> arb:
    types = [(n, p) for n, p in types if n > 0 and p not in (0, 1)]
    norm, start, mass, missing = arb(1), 0, arb_poly([1]), arb(0)
    for n, p in types:
        norm *= _norm(p, epsilon) ** n
        first, masses, left_out = binomial_window(n, _tilted(p, epsilon))
        start, mass, missing = start + first, mass * arb_poly(masses), missing + left_out
    slack = between(arb(0), missing)
    masses = [m + slack for m in mass.coeffs()]
    return norm * _rise(start, masses, sum(n for n, _ in types), epsilon)


def _norm(p: Fraction, epsilon: Fraction) -> arb:
    return ball(1 - p) + ball(p) * exponential(-epsilon)


def _tilted(p: Fraction, epsilon: Fraction) -> arb:
    return ball(p) * exponential(-epsilon) / _norm(p, epsilon)


def _law(rates: Sequence[arb]) -> list[arb]:
    """The coefficients of prod (1 - p + p z), by halves."""

    def factor(part: Sequence[arb]) -> arb_poly:
        if len(part) <= 1:
            return arb_poly([1 - part[0], part[0]] if part else [1])
        middle = len(part) // 2
        return factor(part[:middle]) * factor(part[middle:])

    return factor(rates).coeffs()


def binomial_window(n: int, p: arb) -> Window:
    """Bin(n, p) around its mode, 0 < p < 1, with a mass of about 2^-230 left out.

    Weights relative to the mode follow from ratios; their sum (with the bound on the
    rest) normalises them. Ratios shrink away from the mode, so the rest is geometric.
    """
    odds = p / (1 - p)
    mode = min(n, int(float((n + 1) * p)))  # any place near the mode will do
    up, rest_up = _weights(n, mode, odds, step=1)
    down, rest_down = _weights(n, mode, odds, step=-1)
    weights = [*reversed(down), arb(1), *up]
    rest = between(arb(0), rest_up + rest_down)
    norm = total(weights) + rest
    return mode - len(down), [w / norm for w in weights], (rest / norm).upper()


def _weights(n: int, mode: int, odds: arb, *, step: int) -> tuple[list[arb], arb]:
    """P(j) / P(mode) in one direction, and a bound on what follows the last one."""
    weights: list[arb] = []
    weight, j, negligible = arb(1), mode, arb(2) ** -(BITS - 20)
    while 0 <= j + step <= n:
        ratio = odds * (n - j) / (j + 1) if step > 0 else j / (odds * (n - j + 1))
        if ratio < 1 and (rest := weight * ratio / (1 - ratio)) < negligible:
            return weights, rest
        weight, j = weight * ratio, j + step
        weights.append(weight)
    return weights, arb(0)


def _rise(start: int, masses: list[arb], top: int, epsilon: Fraction) -> arb:
    """The sum of alpha^j max(0, T(j) - T(j-1)) for masses T(start), ..., on 0..top.

    Left of a place `low` where T certainly rises it rises everywhere, and the sum up to
    there is at most alpha^low T(low). From the first certain fall on all terms are zero.
    """
    alpha, low, first = exponential(epsilon), 0, masses[0]
    if start > 0:
        low = next(i for i in range(len(masses) - 1) if masses[i] < masses[i + 1])
        first = between(arb(0), masses[low])
    height = alpha ** (start + low)
    excess = height * first
    for i in range(low + 1, len(masses)):
        height *= alpha
        if masses[i] < masses[i - 1]:
            return excess
        excess += height * (masses[i] - masses[i - 1]).nonnegative_part()
    if start + len(masses) > top:
        return excess
    raise ArithmeticError("the window ends before the law falls: raise the precision")
