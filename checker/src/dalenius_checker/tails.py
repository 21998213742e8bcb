"""One exact number whose records have log-concave laws: its two tails are all that tells, and a tilted law shows them.

Let P be the law of the total of all other records, and let a person move it by m > 0 (for moves down, all is mirrored).
A law of whole numbers is log-concave if its masses have no gaps and P(k)² >= P(k - 1) P(k + 1); sums of independent
such numbers are log-concave (Keilson and Gerber 1971). Then P(k) / P(k - m) falls in k, so that

    H(m) = sum of max(0, P(k) - e^epsilon P(k - m)) = max over c of [F(c) - e^epsilon F(c - m)]

for F(c) the probability of less than c, which grows with m: *only the largest move matters; and if P(c) is at most
e^epsilon P(c - m), which is not 0, only the k below c do.*

*Tilt.* Let t = e^(-epsilon / m), let U be the mean of t^total, or a little more, and Q(k) = P(k) t^k / U: the law of
the total of records whose own laws are tilted by t. Since t^m = e^-epsilon,

    P(k) - e^epsilon P(k - m) = U t^-k [Q(k) - Q(k - m)].

So H is U t^-c times what is decided in the middle of Q: its digits do not depend on how small delta is, and no tail of
it has to reach as far as the place where P begins to tell.

*What is rounded.* T is never above Q, and `lost`, all that T is short of one, is at least what it is short of Q in
all. Let c be the first place with T(c) + lost <= T(c - m) > 0. There Q(c) <= Q(c - m) > 0, so that only the k below c
count, where t^-k is at most t^-(c - 1):

    H <= U t^-(c - 1) [sum over k < c of t^(c - 1 - k) max(0, T(k) - T(k - m))  +  lost],
    H >= U t^-(c - 1) [sum over k < c of t^(c - 1 - k) (T(k) - T(k - m))  -  lost].
"""

from fractions import Fraction
from itertools import pairwise

from flint import arb

from dalenius_checker import laws
from dalenius_checker.laws import ONE, ZERO, Bounds, Letters, Types

DIGITS = 80  # binary digits of masses of tilted laws


def log_concave(letters: Letters) -> bool:
    """Whether what a record adds, one number, has masses without gaps that are log-concave."""
    masses = {vector[0]: chance for vector, chance in letters if chance}
    row = [masses.get(place, ZERO) for place in range(min(masses), max(masses) + 1)] if masses else []
    whole = len(row) == len(masses) > 0
    return whole and all(b * b >= a * c for (a, b), (_, c) in pairwise(pairwise(row)))


def bounds(types: Types, move: int, epsilon: Fraction, bits: int) -> Bounds | None:
    """Bounds on delta, both ways round, where the largest move is `move`; None if the law is not log-concave, or if it
    is not seen where its tails begin.
    """
    if not (move and all(log_concave(letters) for letters, _ in types)):
        return None
    mirrored = tuple((tuple(((-vector[0],), chance) for vector, chance in law), count) for law, count in types)
    found = [_one_way(some, move, epsilon, bits) for some in (types, mirrored)]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    return Bounds(max(one.lower for one in known), min(ONE, max(one.upper for one in known)))


def _one_way(types: Types, move: int, epsilon: Fraction, bits: int) -> Bounds | None:
    """Bounds on the sum of max(0, P(k) - e^epsilon P(k - move)), as is proved above."""
    slope = laws.ball(epsilon / move, bits)
    tilted, moment = [], arb(0)
    for letters, count in types:
        weights = [(vector, laws.ball(chance, bits) * (-slope * vector[0]).exp()) for vector, chance in letters]
        mean = sum((weight for _, weight in weights), arb(0)).upper()
        moment += count * mean.log()
        masses = ((vector, Fraction(laws.floor(weight / mean, DIGITS), 1 << DIGITS)) for vector, weight in weights)
        tilted.append((tuple((vector, mass) for vector, mass in masses if mass), count))
    law = laws.total(tuple(tilted), [None], (1,), DIGITS)
    lost = (1 << DIGITS) - sum(law.mass)
    zeros = [0] * move
    stayed, moved = [*law.mass, *zeros], [*zeros, *law.mass]
    size = next((at for at, (p, q) in enumerate(zip(stayed, moved, strict=True)) if p + lost <= q > 0), 0)
    if not size:
        return None
    above, below, weight = 0, 0, 1 << DIGITS
    factor = laws.floor((-slope).exp(), DIGITS) + 1
    for p, q in zip(stayed[size - 1 :: -1], moved[size - 1 :: -1], strict=True):
        if p > q:
            above += weight * (p - q)
        else:
            below += weight * (q - p)
        weight = (weight * factor >> DIGITS) + 1  # never too small, and at most two units more than the last was
    scale = (moment + slope * (law.start + size - 1)).exp()
    slip = 2 * size  # units by which a weight may be too large
    upper, lower = above + (lost << DIGITS), above - below - (lost + slip << DIGITS)
    return Bounds(max(ZERO, _scaled(lower, scale.lower(), bits)), -_scaled(-upper, scale.upper(), bits))


def _scaled(number: int, scale: arb, bits: int) -> Fraction:
    """A number in 2^-(2 DIGITS), times a scale, from below."""
    return Fraction(laws.floor(arb(number) * scale / arb(2) ** (2 * DIGITS), bits), 1 << bits)
