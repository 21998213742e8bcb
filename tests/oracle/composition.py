"""The exact hockey stick of several independent releases, in three ways.

Each release is a pair (P, Q) of exact laws: what it looks like in the one world and in the
other. The releases use independent randomness, so the joint laws are products.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import arb

from .balls import ball, exponential, precise
from .laws import Law, hockey_stick, product

Pair = tuple[Law, Law]
Losses = dict[Fraction, Fraction]


def composed_hockey_stick(pairs: Sequence[Pair], epsilon: Fraction) -> arb:
    """H of the joint laws, from the literal product laws (tiny supports only)."""
    return hockey_stick(product([p for p, _ in pairs]), product([q for _, q in pairs]), epsilon)


@precise
def composed_by_ratio(pairs: Sequence[Pair], epsilon: Fraction) -> arb:
    """The same, merging outcomes that have the same likelihood ratio after each release.

    With r = Q(k) / P(k), H is the sum over r of P(ratio = r) * max(0, 1 - e^epsilon r).
    Ratios multiply and stay exact, so equal releases merge into few classes.
    """
    joint: Losses = {Fraction(1): Fraction(1)}
    for p, q in pairs:
        joint = _multiply(joint, ratios(p, q))
    if epsilon == 0:
        return ball(sum((m * max(Fraction(0), 1 - r) for r, m in joint.items()), Fraction(0)))
    alpha, excess = exponential(epsilon), arb(0)
    for ratio, mass in joint.items():
        excess += ball(mass) * (1 - alpha * ball(ratio)).nonnegative_part()
    return excess


def ratios(p: Law, q: Law) -> Losses:
    """The law under P of the likelihood ratio Q / P."""
    losses: Losses = defaultdict(Fraction)
    for k, mass in p.items():
        if mass > 0:
            losses[q.get(k, Fraction(0)) / mass] += mass
    return dict(losses)


def _multiply(first: Losses, second: Losses) -> Losses:
    joint: Losses = defaultdict(Fraction)
    for r, p in first.items():
        for s, q in second.items():
            joint[r * s] += p * q
    return dict(joint)


@precise
def composed_copies(p: Law, q: Law, copies: int, epsilon: Fraction) -> arb:
    """H of `copies` releases with the same pair, by types, in ball arithmetic.

    A type says how many of the releases fell into each class of equal likelihood ratio.
    Its probability is multinomial. The number of types is binomial(copies + c - 1, c - 1)
    for c classes; a hundred thousand of them take about a second.
    """
    classes = [(ball(r), ball(m)) for r, m in sorted(ratios(p, q).items())]
    alpha, excess = exponential(epsilon), arb(0)
    for ratio, mass in _types(classes, copies):
        excess += mass * (1 - alpha * ratio).nonnegative_part()
    return excess * arb(copies).fac()


def _types(classes: Sequence[tuple[arb, arb]], copies: int) -> Iterator[tuple[arb, arb]]:
    """For every type its ratio and its probability divided by copies!."""
    (ratio, mass), rest = classes[0], classes[1:]
    if not rest:
        yield ratio**copies, mass**copies / arb(copies).fac()
        return
    r, m = arb(1), arb(1)
    for count in range(copies + 1):
        for other_ratio, other_mass in _types(rest, copies - count):
            yield r * other_ratio, m * other_mass
        r, m = r * ratio, m * mass / (count + 1)
