"""The event behind a lower bound, in words and with its two probabilities."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.basics.errors import PreconditionError
from dalenius.beliefs.crowd import SpanLaw, YesNo
from dalenius.beliefs.worst import WorstCurve
from dalenius.claims.guarantee import Witness
from dalenius.enclosure.excess import mass_above, mass_below
from dalenius.enclosure.formats import nearly, plain
from dalenius.enclosure.outward import add_up, exponential
from dalenius.facts.secret import Pair
from dalenius.numerics.curve import Curve
from dalenius.numerics.divergence import hockey_stick
from dalenius.numerics.law import Law
from dalenius.numerics.search import Removal
from dalenius.numerics.shifts import ShiftCurve

NAMED = 6  # values that are listed by name


@final
@dataclass(frozen=True, slots=True)
class _Event:
    """All integers from `least` to `most` (None: no limit), or just the listed ones."""

    least: int | None
    most: int | None
    listed: tuple[int, ...] = ()

    def probability(self, law: Law) -> tuple[float, float]:
        """Lower and upper bound."""
        inside = np.zeros(len(law.mass), dtype=bool)  # by places in the window: totals may be larger than arrays hold
        if self.listed:
            inside[[at - law.start for at in self.listed if law.start <= at < law.stop]] = True
        else:
            first = 0 if self.least is None else max(0, self.least - law.start)
            inside[first : len(inside) if self.most is None else max(0, self.most + 1 - law.start)] = True
        masses = law.balls[inside]
        return mass_below(masses), min(1.0, add_up(mass_above(masses), law.tail))

    def words(self, scale: Fraction) -> str:
        if self.listed:
            shown = ", ".join(plain(value * scale) for value in self.listed[:NAMED])
            return f"is one of {shown}" + (f" and {len(self.listed) - NAMED} more" if len(self.listed) > NAMED else "")
        if self.least is None:
            return f"is at most {plain((self.most or 0) * scale)}"
        return (
            f"is at least {plain(self.least * scale)}"
            if self.most is None
            else f"lies from {plain(self.least * scale)} to {plain(self.most * scale)}"
            if self.least < self.most
            else f"is {plain(self.least * scale)}"
        )


@final
@dataclass(frozen=True, slots=True)
class Telling:
    """How a witness speaks of a figure: its name, and what one step of it is worth."""

    subject: str = "the figure"
    unit: Fraction = Fraction(1)

    def about(self, *, known: bool) -> str:
        return f"{self.subject}, less what the attacker knows," if known else self.subject

    def adds(self, amount: int) -> str:
        return f"a person adds {plain(amount * self.unit)}"


def witness(whole: WorstCurve, epsilon: Fraction, telling: Telling | None = None) -> Witness | None:
    """The event behind the lower bound of the curve at epsilon, or None where that is 0."""
    whole = whole.likely()
    bracket, removal = whole.find(epsilon)
    telling = telling or Telling()
    if bracket.lower <= 0:
        return None
    if removal is None:
        return _series_witness(whole, epsilon, telling)
    return pair_witness(whole, removal, epsilon, telling)


def _series_witness(whole: WorstCurve, epsilon: Fraction, telling: Telling) -> Witness:
    crowd = whole.crowd
    if not isinstance(crowd, YesNo):
        raise PreconditionError("Only yes/no records are left out by series.")
    found = [(group, *group.worst(epsilon)) for group in whole.everybody().groups]
    group, _, cut = max(found, key=lambda item: item[1].lower)
    low, high = crowd.low, crowd.high
    at = low * crowd.size + (high - low) * (cut.threshold + (not cut.below))
    side = f"at {'most' if cut.below else 'least'} {plain(at * telling.unit)}"
    who = f"a person whose rate is {nearly(group.rate(cut), 4)} adds"
    yes, no = (f"{who} {plain(adds * telling.unit)}" for adds in (high, low))
    one, other = (no, yes) if cut.below else (yes, no)
    return Witness(f"{telling.subject} is {side}", one, other, *group.laws.odds(cut))


def pair_witness(whole: WorstCurve, removal: Removal, epsilon: Fraction, telling: Telling) -> Witness | None:
    """The best event of the worst pair, when these records are taken out. Cost: that of delta, and two hockey sticks
    more.
    """
    left, curve = whole.crowd.law(removal), whole.left(removal)
    odd = _off_lattice(whole, left)
    if odd is not None:
        event = _lattice_event(left, odd, telling, known=_knows(whole))
        return Witness(event, telling.adds(odd.first), telling.adds(odd.second), 1.0, 0.0)
    law = left.spread_out()
    best: tuple[float, Witness] | None = None
    for pair, known in _ends(whole, left, curve, epsilon):
        p, q = (whole.channel.push(law.shifted(known + end)) for end in (pair.first, pair.second))
        value = hockey_stick(p, q, epsilon=epsilon).lower
        if value > 0 and (best is None or value > best[0]):
            best = value, _described(whole, _event(p, q, epsilon), (p, q), pair, known, telling)
    return best[1] if best else None


def _knows(whole: WorstCurve) -> bool:
    return whole.known > 0 or whole.others is not None


def _off_lattice(whole: WorstCurve, left: SpanLaw) -> Pair | None:
    """Two contributions that exact totals tell apart for sure, since they do not differ by a multiple of the span; if
    possible such that the second is on the lattice of multiples and the first is not.
    """
    if not whole.channel.exact:
        return None
    span = left.span
    found = [
        pair for pair in whole.pairs if pair.first != pair.second and (not span or (pair.second - pair.first) % span)
    ]
    odd = (pair for pair in found if span and not (left.offset + pair.second) % span)
    return next(odd, found[0] if found else None)


def _ends(whole: WorstCurve, left: SpanLaw, curve: Curve, epsilon: Fraction) -> list[tuple[Pair, int]]:
    """What the target adds in the two worlds of the worst pair, in both orders; and where rounding counts, what the
    known records add, up to multiples of the period.
    """
    if whole.channel.period:
        from dalenius.numerics.residues import ResidueCurve

        if isinstance(curve, ResidueCurve):
            (place, move), period = curve.worst(epsilon)[1], whole.channel.period
            moved = (pair for pair in whole.pairs if pair.second - pair.first == move)
            pair = next((pair for pair in moved if (place - pair.first) % period in whole.offsets()), None)
            if pair is None:
                return []
            known = (place - pair.first) % period
            return [(pair, known), (Pair(pair.second, pair.first), known)]
    step = max(1, left.span) if whole.channel.exact else 1
    moves = {curve.worst(epsilon)[1] * step} if isinstance(curve, ShiftCurve) else set()
    found = [pair for pair in whole.pairs if abs(pair.second - pair.first) in moves]
    kept = {pair.second - pair.first: pair for pair in reversed(found)}
    return [(pair, 0) for pair in kept.values()]


def _described(
    whole: WorstCurve, event: _Event, laws: tuple[Law, Law], pair: Pair, known: int, telling: Telling
) -> Witness:
    period, knows = whole.channel.period, _knows(whole)
    one, other = telling.adds(pair.first), telling.adds(pair.second)
    about = telling.about(known=knows and not period)
    if knows and period:
        step, more = plain(period * telling.unit), plain(known * telling.unit)
        about = f"{telling.subject}, less m,"
        one += f" and the known records m + {more} (m is a multiple of {step})"
        other += " instead"
    words = f"{about} {event.words(max(1, period) * telling.unit)}"
    return Witness(words, one, other, event.probability(laws[0])[0], event.probability(laws[1])[1])


def _lattice_event(left: SpanLaw, pair: Pair, telling: Telling, *, known: bool) -> str:
    """What is sure in the first world and impossible in the second."""
    subject, unit = telling.about(known=known), telling.unit
    if left.span == 0:
        return f"{subject} is {plain((left.offset + pair.first) * unit)}"
    at, other = ((left.offset + end) % left.span for end in (pair.first, pair.second))
    if left.span == 2 and unit == 1:
        return f"{subject} is odd" if at else f"{subject} is even"
    span = plain(left.span * unit)
    if at and other:
        return f"{subject} leaves the remainder {plain(at * unit)} when divided by {span}"
    return f"{subject} is not a multiple of {span}" if at else f"{subject} is a multiple of {span}"


def _event(p: Law, q: Law, epsilon: Fraction) -> _Event:
    """Where P certainly exceeds e^epsilon Q; as a half-line where that shows as much, or as a range."""
    q_mass, q_error = q.window(p.start, p.stop)
    factor = exponential(epsilon)[1]
    free = (q_mass + q_error == 0) if math.isinf(factor) else np.ones(len(q_mass), dtype=bool)
    factor = 0.0 if math.isinf(factor) else factor
    places = np.flatnonzero(free & (p.mass - p.error > factor * (q_mass + q_error))).tolist()
    first, last = p.start + places[0], p.start + places[-1]
    if len(places) < last - first + 1:
        return _Event(None, None, tuple(p.start + place for place in places))
    within = _Event(first, last)
    halves = [_Event(None, last), _Event(first, None)]
    return next((half for half in halves if _shows(half, p, q, epsilon) >= _shows(within, p, q, epsilon)), within)


def _shows(event: _Event, p: Law, q: Law, epsilon: Fraction) -> float:
    """About how much of delta an event proves."""
    lower, upper = event.probability(p)[0], event.probability(q)[1]
    simple = event.least is None or event.most is None
    return lower * (1 + 1e-9 * simple) - min(exponential(epsilon)[1], 1e300) * upper
