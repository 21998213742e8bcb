"""Values that draw themselves, for lectures and notebooks: a curve, and what outcomes make of a belief."""

from collections.abc import Sequence
from fractions import Fraction

from dalenius.basics.errors import InputError
from dalenius.enclosure.formats import nearly
from dalenius.facts.records import Number, exact
from dalenius.judge.posterior import Outcome
from dalenius.numerics.curve import Curve
from dalenius.show.chart import Axis, Chart, Line, picture

POINTS = 25
LARGEST = Fraction(20)  # ε
FLAT = 1e-12  # δ below which a curve is not followed further


def curve_picture(curve: Curve, *, largest: Number | None = None) -> str:
    """δ against ε, its upper end and its lower end, as an SVG picture. Up to `largest`, or to where δ is below 1e-12
    (at most 20). Cost: 25 points of the curve, and a few more to see where it ends.

    >>> import dalenius as dl
    >>> curve_picture(dl.curve(dl.Count(), dl.IID(p=0.2, n=100)), largest=1)[:25]
    '<svg role="img" aria-labe'
    """
    top = _end(curve) if largest is None else exact(largest, name="largest")
    if top <= 0:
        raise InputError(f"A picture of a curve needs a largest ε above 0, but got {largest}. Write 2.")
    levels = [top * place / (POINTS - 1) for place in range(POINTS)]
    brackets = [curve.delta(level) for level in levels]
    above = tuple((float(at), one.upper) for at, one in zip(levels, brackets, strict=True) if one.upper > 0)
    below = tuple((float(at), one.lower) for at, one in zip(levels, brackets, strict=True) if one.lower > 0)
    if not above:
        nothing = ((0.0, 0.0), (float(top), 0.0))
        told = "δ is 0 at every ε: nothing is told."
        return picture(Chart("δ at each ε", told, Axis("ε"), Axis("δ"), curves=(nothing,))).decode()
    wide = any(one.upper > one.lower * 1.02 for one in brackets)
    lines, key = ((above, below), ("at most", "at least")) if wide and below else ((above,), ())
    first, last = above[0], above[-1]
    told = f"δ falls from {nearly(first[1])} at ε = {nearly(first[0])} to {nearly(last[1])} at ε = {nearly(last[0])}."
    axes = Axis("ε: how far odds may move"), Axis("δ: outside of that", log=True)
    return picture(Chart("δ at each ε", told, *axes, curves=lines, key=key)).decode()


def _end(curve: Curve) -> Fraction:
    """About where the curve is negligible."""
    top = Fraction(1, 16)
    while top < LARGEST and curve.delta(top).upper > FLAT:
        top = min(2 * top, LARGEST)
    return top


def posterior_picture(outcomes: Sequence[Outcome], *, prior: Number) -> str:
    """What each outcome makes of a belief of this probability, as an SVG picture: the prior is the dashed line.

    >>> import dalenius as dl
    >>> made = dl.posteriors(dl.Count(), dl.noiseless(dl.IID(p=0.2, n=101)), (1, 0))
    >>> "before" in posterior_picture(made, prior="0.1")
    True
    """
    if not outcomes:
        raise InputError("A picture of posteriors needs at least one outcome, but got none. See dl.posteriors.")
    before = exact(prior, name="prior")
    after = [(float(one.value), one.after(before)) for one in outcomes]
    lines = tuple(tuple((at, getattr(bracket, end)) for at, bracket in after) for end in ("upper", "lower"))
    wide = any(bracket.upper - bracket.lower > 0.005 for _, bracket in after)
    told = f"A belief of {float(before):g} becomes {after[0][1]} to {after[-1][1]} over the outcomes shown."
    return picture(
        Chart(
            "What an attacker believes after each outcome",
            told,
            Axis("what is published"),
            Axis("probability of the fact"),
            curves=lines if wide else lines[:1],
            limits=(Line(float(before), "before"),),
            key=("at most", "at least") if wide else (),
        )
    ).decode()
