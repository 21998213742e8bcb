"""What every test asserts: the bracket holds the truth, and is narrow. And laws that are as wrong as they may be."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from flint import arb
from hypothesis import strategies as st

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.law import Law
from oracle import balls
from oracle import laws as lw


@balls.precise
def holds(bracket: Bracket, truth: arb) -> bool:
    """Whether the truth may lie in the bracket; oracle balls are so narrow that "may" is "does".

    Ends of balls are compared as they are: as a fraction, e to the power of a billion would fill the memory.
    """
    if balls.is_infinite(truth):
        return bracket.upper == math.inf
    if not truth.is_finite():
        raise ValueError(f"a finite ball is needed to compare with it, but got {truth}")
    return bool(arb(bracket.lower) <= truth.upper()) and bool(truth.lower() <= arb(bracket.upper))


def narrow(bracket: Bracket, truth: arb, *, relative: float, absolute: float = 0.0) -> bool:
    """Whether the bracket's width is small beside the truth."""
    if balls.is_infinite(truth):
        return bracket.lower == math.inf
    return bracket.width <= relative * float(balls.upper(truth)) + absolute


def assert_covers(law: Law, exact: Mapping[int, Fraction]) -> None:
    """Every true mass within the error of the stored one, and no more than `tail` outside the window."""
    for i, (mass, error) in enumerate(zip(law.mass.tolist(), law.error.tolist(), strict=True)):
        truth = exact.get(law.start + i, Fraction(0))
        assert abs(truth - Fraction(mass)) <= Fraction(error), (law.start + i, mass, error, float(truth))
    outside = sum((mass for k, mass in exact.items() if not law.start <= k < law.stop), Fraction(0))
    assert outside <= Fraction(law.tail)


def assert_covers_balls(law: Law, start: int, masses: Sequence[arb]) -> None:
    """The same for masses that are known as balls."""
    outside = Fraction(0)
    for k, ball in enumerate(masses, start=start):
        low, high = balls.lower(ball), balls.upper(ball)
        if not law.start <= k < law.stop:
            outside += max(Fraction(0), low)
            continue
        mass, error = Fraction(law.mass[k - law.start].item()), Fraction(law.error[k - law.start].item())
        assert mass - error <= high and low <= mass + error, (k, float(mass), float(error), float(low))
    assert outside <= Fraction(law.tail)


def rounded_up(number: Fraction) -> float:
    """The least float that is not below the number."""
    near = float(number)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)


def as_wrong_as_it_may_be(exact: Mapping[int, Fraction], moves: Mapping[int, Fraction], kept: Sequence[int]) -> Law:
    """A Law about `exact` that keeps its promise with nothing to spare.

    Masses are moved by `moves`, the error is exactly that, and outcomes that are not `kept` are in the tail.
    """
    start, stop = min(kept), max(kept) + 1
    mass, error = np.zeros(stop - start), np.zeros(stop - start)
    for k in range(start, stop):
        truth = exact.get(k, Fraction(0)) if k in kept else Fraction(0)
        mass[k - start] = float(max(Fraction(0), truth + moves.get(k, Fraction(0))))
        error[k - start] = rounded_up(abs(exact.get(k, Fraction(0)) - Fraction(mass[k - start].item())))
    outside = sum((m for k, m in exact.items() if not start <= k < stop), Fraction(0))
    return Law(start, mass, error, rounded_up(outside))


SIZES = tuple(map(Fraction, ("0", "1e-18", "1.7e-17", "1e-16", "1e-12", "1e-6", "0.01")))


@st.composite
def wrong_laws(draw: st.DrawFn, exact: lw.Law) -> Law:
    """Any such law: some masses moved, some ends of the support cut off."""
    points = sorted(exact)
    first = draw(st.integers(0, len(points) - 1))
    last = draw(st.integers(first, len(points) - 1))
    signs, sizes = st.sampled_from([-1, 1]), st.sampled_from(SIZES)
    kept = points[first : last + 1]
    moves = {k: draw(signs) * draw(sizes) for k in kept}
    return as_wrong_as_it_may_be(exact, moves, kept)


def slack(law: Law) -> float:
    """All the error that a law may carry."""
    return float(law.error.sum()) + law.tail


def fractions_of(rates: Sequence[float]) -> list[Fraction]:
    """Floats as the exact numbers that they are."""
    return [Fraction(rate) for rate in rates]
