"""The least noise: by bisection, since more of these noises is less of them plus independent noise."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from dalenius.basics.errors import InputError
from dalenius.mechanisms import Chain
from dalenius.mechanisms.channel import LARGEST_GEOMETRIC
from dalenius.mechanisms.registry import ROWS
from dalenius.numerics.law import point
from dalenius.numerics.least import FalsePosition, doubled, least, scan
from dalenius.numerics.shifts import ShiftCurve
from dalenius.plan.calibration.figure import FigureSetting

UP = Context(prec=17, rounding=ROUND_CEILING)
CLOSE = Fraction(1005, 1000)
LEAST = Fraction(1, 1000)  # of what differential privacy needs: less noise than that is not looked for
LARGEST_LISTED = LARGEST_GEOMETRIC  # units of scale up to which the law of noise by itself is looked at
LARGEST_DRAWN = 2**40  # and up to which it is drawn


def alone(kind: str, move: int, epsilon: Fraction, delta: Fraction) -> Fraction | None:
    """The least scale, to 1 %, at which noise by itself is (epsilon, delta)-differentially private for a figure that
    one person moves by up to `move` units; None if there is none.

    These noises are log-concave, so the largest move tells most. Geometric noise never needs more than move/epsilon.
    """
    if move == 0:
        return None
    if kind == "geometric" and epsilon > 0 and (delta == 0 or move / epsilon > LARGEST_LISTED):
        return shortened(move / epsilon) if move / epsilon <= LARGEST_DRAWN else None
    if delta == 0:
        return None
    make = ROWS[kind].made

    def most(scale: Fraction) -> float:
        noise = make(scale)
        pure = noise.pure(move)
        if pure is not None and pure <= epsilon:
            return 0.0
        return ShiftCurve(noise.push(point(0)), (move,)).delta(epsilon).upper

    high = Fraction(move) / epsilon if epsilon and kind == "geometric" else Fraction(move)
    try:
        return least_from(most, delta, high, Fraction(LARGEST_LISTED))
    except InputError:  # too much to list
        return None


def least_noise(setting: FigureSetting, kind: str, enough: Fraction) -> Fraction | None:
    """The least scale of this noise, to 1 %, that makes every case safe, given that `enough` of it would; None if
    that much is too much to compute. A few of the cases are bisected, the answer is checked on all.
    """

    def most(scale: Fraction, *, few: bool) -> float:
        return setting.most(Chain((ROWS[kind].made(scale),)), few=few)

    wanted = setting.docket.enough
    if most(enough, few=False) > wanted:
        return None
    scale = least_between(lambda at: most(at, few=True), wanted, enough * LEAST, enough)
    if most(scale, few=False) > wanted:
        scale = least_between(lambda at: most(at, few=False), wanted, scale, enough)
    return scale


def least_from(most: Callable[[Fraction], float], wanted: Fraction, start: Fraction, last: Fraction) -> Fraction | None:
    """The least scale, within 1 %, at which `most` is at most what is wanted: doubled from a start until it is; None if
    it is not up to the last.
    """
    high = scan(lambda scale: most(scale) <= wanted, start, doubled(start, last))[1]
    return None if high is None else least_between(most, wanted, high * LEAST, high)


def least_between(most: Callable[[Fraction], float], wanted: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """The least scale, within 1 %, at which `most` is at most what is wanted, with four digits, given that `high` will
    do: false position on logarithms, with a bisection every third time.
    """
    search = FalsePosition(most, wanted, margin=0.02)

    def middle(low: Fraction, high: Fraction) -> Fraction:
        return Fraction(float(low) * (float(high) / float(low)) ** search.share(low, high))

    high = least(search.holds, low, high, middle=middle, close=lambda one, two: two <= one * CLOSE)[1]
    short = shortened(high)
    # it holds at the shorter number too, unless the arithmetic is at its limit
    return short if short == high or most(short) <= wanted else high


def shortened(scale: Fraction) -> Fraction:
    """A number of at most four digits that is not below the scale; more noise is never less safe."""
    power = Fraction(10) ** (math.floor(math.log10(float(scale))) - 3)
    return math.ceil(scale / power) * power


def told(scale: Fraction) -> str:
    """The scale as a decimal number, rounded up to at most seventeen digits."""
    if scale.denominator == 1:
        return str(scale.numerator)
    number = UP.divide(Decimal(scale.numerator), Decimal(scale.denominator))
    return f"{number.normalize(UP):f}"
