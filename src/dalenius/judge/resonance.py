"""The event behind a lower bound for a sum over a wide range, and hidden lattices in words."""

import math
from fractions import Fraction

import numpy as np

from dalenius.beliefs.wide import Shifted, Sure, WideCrowd, WideCurve
from dalenius.claims import Witness
from dalenius.enclosure.formats import at_most, plain
from dalenius.enclosure.outward import amply_up, exponential
from dalenius.judge.witness import Telling
from dalenius.numerics.curve import Curve
from dalenius.numerics.widecurve import Chosen, Moved, WideShifts

RARE = 1e-15  # probability below which a lattice is not worth a word


def wide_witness(whole: WideCurve, epsilon: Fraction, telling: Telling) -> Witness | None:
    """The event behind the lower bound of the curve at epsilon, or None where that is 0."""
    bracket, removal = whole.find(epsilon)
    if bracket.lower <= 0 or removal is None:
        return None
    left = whole.left(removal)
    if isinstance(left, Sure):
        return _sure(whole, left.span, whole.crowd.without(removal), telling)
    shifts = left.shifts(epsilon) if isinstance(left, Shifted) else None
    return None if shifts is None else _best(whole, shifts, epsilon, telling)


def _sure(whole: WideCurve, span: int, rest: WideCrowd, telling: Telling) -> Witness:
    """What is sure in one world and impossible in the other; if possible, the total is a multiple of the span."""
    sign = 1 if whole.pair.second > whole.pair.first else -1
    about = telling.about(known=whole.known > 0)
    ends = whole.pair.first, whole.pair.first + sign * whole.grain
    if whole.pair.first == 0:  # the record may be absent: then it adds something that is off the lattice
        on = span > 0 and whole.shift % span == 0
        ends = 0, whole.pair.second - sign * whole.grain * on
    if not span:
        total = plain((rest.offset * whole.grain + ends[0]) * telling.unit)
        return Witness(f"{about} is {total}", telling.adds(ends[0]), telling.adds(ends[1]), 1.0, 0.0)
    lacking = -(rest.offset + ends[0] // whole.grain) * sign % span
    if ends[0] and lacking < whole.shift:  # there is room for a value that makes the total a multiple
        ends = ends[0] + sign * lacking * whole.grain, ends[1] + sign * lacking * whole.grain
    event = _remainder((rest.offset * whole.grain + ends[0]), span * whole.grain, telling.unit)
    return Witness(f"{about} {event}", telling.adds(ends[0]), telling.adds(ends[1]), 1.0, 0.0)


def _remainder(total: int, modulus: int, unit: Fraction) -> str:
    at = total % modulus
    if not at:
        return f"is a multiple of {plain(modulus * unit)}"
    return f"leaves the remainder {plain(at * unit)} when divided by {plain(modulus * unit)}"


def _best(whole: WideCurve, shifts: WideShifts, epsilon: Fraction, telling: Telling) -> Witness | None:
    """The remainder modulo a hidden lattice, or a half-line or range: whichever proves most."""
    moved, about = shifts.event(epsilon), telling.about(known=whole.known > 0)
    sign, grain, law = (1 if whole.pair.second > whole.pair.first else -1), whole.grain, shifts.law
    ends = whole.pair.first, whole.pair.first + sign * abs(moved.shift) * grain
    one, other = ends if ends[1] - ends[0] == moved.shift * grain else ends[::-1]
    factor = min(exponential(epsilon)[1], 1e300)
    found: list[tuple[float, Witness]] = []
    for chosen, limits in _events(shifts, moved):
        first, second = shifts.probabilities(moved.shift, chosen)
        if limits is None:
            words = _remainder(law.start * grain + one, law.q * grain, telling.unit)
        else:
            words = _between(limits, grain, one, telling.unit)
        shown = Witness(f"{about} {words}", telling.adds(one), telling.adds(other), first, second)
        found.append((first - factor * second, shown))
    best = max(found, key=lambda item: item[0], default=(0.0, None))
    return best[1] if best[0] > 0 else None


Limits = tuple[int | None, int | None]


def _events(shifts: WideShifts, moved: Moved) -> list[tuple[Chosen, Limits | None]]:
    law = shifts.law
    none, every = np.zeros(law.cells, dtype=bool), np.ones(law.cells, dtype=bool)
    found: list[tuple[Chosen, Limits | None]] = [((every, none, none), None)] if law.lattice is not None else []
    cells = np.flatnonzero(moved.chosen[2])
    if len(cells):
        first, last = int(cells[0]), int(cells[-1])
        least, most = law.start + first * law.cell, law.start + (last + 1) * law.cell - 1
        for low, high in ((True, False), (False, True), (True, True)):
            inside = every.copy()
            inside[:first] &= not low
            inside[last + 1 :] &= not high
            found.append(((inside, inside, inside), (least if low else None, most if high else None)))
    return found


def _between(limits: Limits, grain: int, more: int, unit: Fraction) -> str:
    least, most = (None if limit is None else plain((limit * grain + more) * unit) for limit in limits)
    if least is None:
        return f"is at most {most}"
    return f"is at least {least}" if most is None else f"lies from {least} to {most}"


def resonance(whole: Curve, epsilon: Fraction, telling: Telling) -> str:
    """A remark on a hidden lattice, if there is one; else nothing."""
    if not isinstance(whole, WideCurve) or not whole.shift:
        return ""
    removal = whole.find(epsilon)[1]
    if removal is None:
        return ""
    rest = whole.crowd.without(removal)
    if rest.span > 1:
        step, unit = plain(rest.span * whole.grain * telling.unit), plain(whole.grain * telling.unit)
        return f"; resonance: all other values lie on a lattice of step {step}, and the domain is in units of {unit}"
    lattice = rest.lattice
    if lattice is None:
        return ""
    chance = amply_up(math.exp(lattice.logarithm(rest.counts)))
    step = plain(lattice.q * whole.grain * telling.unit)
    if chance < RARE:
        return ""
    return f"; resonance: with probability {at_most(chance)} all other values lie on a lattice of step {step}"
