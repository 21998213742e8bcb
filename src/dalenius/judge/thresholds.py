"""What moments alone guarantee: releases that tell on which side of a threshold, or in which bucket, a total lies."""

from fractions import Fraction
from typing import Literal, TypeAlias

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.claims.guarantee import Evidence, Guarantee
from dalenius.enclosure.brackets import around
from dalenius.enclosure.floats import ASSUMPTIONS
from dalenius.enclosure.formats import upwards
from dalenius.facts.records import exact
from dalenius.numerics.dependent_moments import BlockMoments, GraphMoments
from dalenius.numerics.moments import MomentCurve, Moments

Sums: TypeAlias = Moments | GraphMoments | BlockMoments
Hides: TypeAlias = Literal["a record", "an added constant"]
Events: TypeAlias = Literal["half-lines", "intervals"] | int  # a number: that many ordered buckets

STEIN = (
    "Grining and Klonowski 2017, Theorem 3 (repaired: a dependency graph, intervals only, constants only)",
    "Ross 2011, Fundamentals of Stein's method (bounds on the solution of Stein's equation)",
)
SOURCES = (
    "Grining and Klonowski 2017, Theorem 2 (repaired: intervals only)",
    "Shevtsova 2013, Berry-Esseen constant 0.5583 (cited; 0.56 is used)",
)


def threshold_curve(moments: Sums, *, shift: float | str | Fraction, events: Events) -> MomentCurve:
    """δ(ε) of a total against its shifts by up to `shift`, for these events; any other are refused. The shift is a
    constant, or independent of the records that the moments speak of.

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
    moments: Sums,
    *,
    shift: float | str | Fraction,
    events: Events,
    epsilon: float | str | Fraction,
    delta: float | str | Fraction | None = None,
    hides: Hides = "a record",
) -> Guarantee:
    """What moments guarantee of a release that tells only these events. It never passes a figure that is published as
    it is: the verdict is `review` at best.

    `moments` are those of the records that are neither known nor the target's (in blocks: without the target's block,
    and without all blocks that hold a known record); `shift` is the most that one person moves the total (in blocks:
    the range of the sum of the target's block). With a dependency graph only a constant is hidden that is added to the
    total, and does not change what the records are: the value of a record changes the law of its neighbours, and of
    theirs, so that to leave out a neighbourhood is not enough.

    >>> import dalenius as dl
    >>> some = dl.numerics.Moments(records=1_000_000, variance=250_000, third=125_000)
    >>> print(dl.judge.threshold_guarantee(some, shift=1, events=4, epsilon=0.1, delta=0.01).delta)
    [0, 0.003537]
    """
    _refuse_unsound(moments, hides)
    at = exact(epsilon, name="epsilon")
    wanted = None if delta is None else exact(delta, name="delta")
    if at < 0:
        raise InputError(f"epsilon must be at least 0, but got {epsilon}. Typical values are 0.1 to 2.")
    named = events if isinstance(events, str) else f"{events} ordered buckets"
    return Guarantee(
        definition="noiseless privacy",
        hides="the value of any one record" if hides == "a record" else "a constant that is added to the total",
        attacker=f"independent records, {moments}" if isinstance(moments, Moments) else str(moments),
        release=f"a function of the total that tells {named} only",
        epsilon=around(at, at),
        delta=threshold_curve(moments, shift=shift, events=events).delta(at),
        target_epsilon=at,
        target_delta=wanted,
        because=f"normal approximation of the total, within {upwards(moments.distance)} for every half-line",
        assumes=(*_assumes(moments), *ASSUMPTIONS),
        breaks=("publishing the total itself, or more of it than these events",),
        evidence=Evidence.PROVED,
        events=named,
        sources=STEIN if isinstance(moments, GraphMoments) else SOURCES,
    )


def _refuse_unsound(moments: Sums, hides: Hides) -> None:
    if hides not in ("a record", "an added constant"):
        raise InputError(f'hides must be "a record" or "an added constant", but got {hides!r}. Correct it.')
    if isinstance(moments, GraphMoments) and hides == "a record":
        raise PreconditionError(
            "With a dependency graph only a constant can be hidden that is added to the total and leaves the law of "
            "the records as it is, but got a record's value: its neighbours move with it, and theirs with them, and to "
            'leave them out is not enough. Give hides="an added constant" if that is what is secret, or BlockMoments '
            "if the records fall into independent blocks."
        )


def _assumes(moments: Sums) -> tuple[str, ...]:
    match moments:
        case GraphMoments():
            return (
                "sets of records without an edge between them are independent, as sets; the moments hold",
                "what is hidden is a constant, and the law of the records is the same whatever it is",
            )
        case BlockMoments():
            return (
                "blocks are independent; the moments leave out the target's block and every block with a known record",
                "the shift is at least the range of what the target's block adds",
                "the Berry-Esseen constant 0.56, which is cited",
            )
        case Moments():
            return (
                "records are independent; the moments are those of the unknown records, without the target's",
                "the Berry-Esseen constant 0.56, which is cited",
            )
