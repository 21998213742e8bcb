"""What moments alone guarantee: releases that tell on which side of a threshold, or in which bucket, a total lies."""

from fractions import Fraction
from typing import Literal, TypeAlias

from dalenius.claims.guarantee import Evidence, Guarantee
from dalenius.errors import InputError, PreconditionError
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.moments import MomentCurve, Moments
from dalenius.numerics.rounding import ASSUMPTIONS
from dalenius.records import exact

Events: TypeAlias = Literal["half-lines", "intervals"] | int  # a number: that many ordered buckets

SOURCES = (
    "Grining and Klonowski 2017, Theorem 2 (repaired: intervals only)",
    "Shevtsova 2013, Berry-Esseen constant 0.5583 (cited; 0.56 is used)",
)


def threshold_curve(moments: Moments, *, shift: float | str | Fraction, events: Events) -> MomentCurve:
    """δ(ε) of a total against its shifts by up to `shift`, for these events; any other are refused.

    An event of k ordered buckets is told by at most k - 1 values of the distribution function, an interval by two,
    a half-line by one.

    >>> some = Moments(records=10_000, variance=Fraction(2500), third=Fraction(1250))
    >>> print(threshold_curve(some, shift=1, events="half-lines").delta(Fraction(1, 10)))
    [0, 0.01179]
    """
    move = exact(shift, name="The shift")
    if move < 0:
        raise InputError(f"A shift must be at least 0, but got {shift}. Give the most that one person moves the total.")
    match events:
        case "half-lines":
            return MomentCurve(moments, move, 1)
        case "intervals":
            return MomentCurve(moments, move, 2)
        case int() if not isinstance(events, bool) and events >= 2:
            return MomentCurve(moments, move, events - 1)
    raise PreconditionError(
        f'Moments speak of "half-lines", "intervals" or a number of at least 2 ordered buckets, but got {events!r}. '
        "For all events they say nothing (parity: if all records are even, an odd one shows): add normal noise and use "
        "RangeVariance, or state the probabilities of values."
    )


def threshold_guarantee(
    moments: Moments,
    *,
    shift: float | str | Fraction,
    events: Events,
    epsilon: float | str | Fraction,
    delta: float | str | Fraction | None = None,
) -> Guarantee:
    """What three moments guarantee of a release that tells only these events. It never passes a figure that is
    published as it is: the verdict is `review` at best.

    `moments` are those of the records that are neither known nor the target's; `shift` is the most that one person
    moves the total.
    """
    at = exact(epsilon, name="epsilon")
    wanted = None if delta is None else exact(delta, name="delta")
    if at < 0:
        raise InputError(f"epsilon must be at least 0, but got {epsilon}. Typical values are 0.1 to 2.")
    named = events if isinstance(events, str) else f"{events} ordered buckets"
    return Guarantee(
        definition="noiseless privacy",
        hides="the value of any one record",
        attacker=f"independent records, {moments}",
        release=f"a function of the total that tells {named} only",
        epsilon=Bracket(float(at), float(at)),
        delta=threshold_curve(moments, shift=shift, events=events).delta(at),
        target_epsilon=at,
        target_delta=wanted,
        because=f"normal approximation of the total, within {moments.distance:.3g} for every half-line",
        assumes=(
            "records are independent; the moments are those of the unknown records, without the target's",
            "the Berry-Esseen constant 0.56, which is cited",
            *ASSUMPTIONS,
        ),
        breaks=("publishing the total itself, or more of it than these events",),
        evidence=Evidence.PROVED,
        events=named,
        sources=SOURCES,
    )
