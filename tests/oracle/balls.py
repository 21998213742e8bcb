"""Ball arithmetic: numbers that carry a rigorous radius, at 256 bits.

`flint.arb` takes its precision from a global context, so every function that creates a
ball is wrapped in `precise`; the caller's context is left as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import wraps
from typing import ParamSpec, TypeVar

from flint import arb, ctx, fmpq

BITS = 256

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def precise(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Run `function` with 256 bits of working precision."""

    @wraps(function)
    def wrapped(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with ctx.workprec(BITS):
            return function(*args, **kwargs)

    return wrapped


@precise
def ball(number: Fraction | int) -> arb:
    """The ball around an exact number."""
    exact = Fraction(number)
    return arb(fmpq(exact.numerator, exact.denominator))


@precise
def exponential(number: Fraction | int) -> arb:
    """Return e to the power of an exact number; exactly 1 at 0."""
    return ball(number).exp()


@precise
def between(lower: arb, upper: arb) -> arb:
    """A ball that contains everything from `lower` to `upper`."""
    return lower.union(upper)


@precise
def total(terms: Iterable[arb]) -> arb:
    """The sum of the balls."""
    result = arb(0)
    for term in terms:
        result += term
    return result


def largest(values: Iterable[arb]) -> arb:
    """A ball that contains the maximum of the true values (infinity if one is infinite)."""
    result: arb | None = None
    for value in values:
        result = value if result is None else _larger(result, value)
    if result is None:
        raise ValueError("largest needs at least one value, but got none")
    return result


@precise
def _larger(a: arb, b: arb) -> arb:
    if is_infinite(a) or is_infinite(b):
        return arb.pos_inf()
    return a.max(b)


def is_infinite(value: arb) -> bool:
    """Whether the value is plus infinity."""
    return not value.is_finite() and bool(value > 0)


@precise
def lower(value: arb) -> Fraction:
    """An exact rational that is not above the true value."""
    return _as_fraction(value.lower())


@precise
def upper(value: arb) -> Fraction:
    """An exact rational that is not below the true value."""
    return _as_fraction(value.upper())


@precise
def width(value: arb) -> Fraction:
    """How far apart `lower` and `upper` are."""
    return upper(value) - lower(value)


def _as_fraction(endpoint: arb) -> Fraction:
    if not endpoint.is_finite():
        raise ValueError(f"a finite ball is needed to take its bounds, but got {endpoint}")
    mantissa, exponent = map(int, endpoint.man_exp())
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


@precise
def least_epsilon(curve: Callable[[Fraction], arb], delta: Fraction, *, width: Fraction = Fraction(1, 10**15)) -> arb:
    """The least epsilon >= 0 with curve(epsilon) <= delta, for a falling curve, by bisection.

    Every end of the interval is certain. A comparison that the balls cannot decide (delta
    inside the ball) ends the search early with a wider interval. Infinity means that the
    curve is certainly still above delta at epsilon = 10^6.
    """
    goal = ball(delta)
    if curve(Fraction(0)) <= goal:
        return arb(0)
    low, high = _start(curve, goal)
    if high is None:
        return arb.pos_inf()
    while high - low > width:
        middle = (low + high) / 2
        value = curve(middle)
        if value <= goal:
            high = middle
        elif value > goal:
            low = middle
        else:
            break
    return between(ball(low), ball(high))


def _start(curve: Callable[[Fraction], arb], goal: arb) -> tuple[Fraction, Fraction | None]:
    """Where the curve is certainly above the goal (or 0), and where it certainly is not."""
    low, high = Fraction(0), Fraction(1)
    while high <= 10**6:
        value = curve(high)
        if value <= goal:
            return low, high
        low, high = (high if value > goal else low), 2 * high
    if 2 * low == high:
        return low, None
    raise ArithmeticError("the curve comes too close to delta to be told apart from it")
