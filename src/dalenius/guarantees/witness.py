"""The event behind a lower bound, in words and with its two probabilities."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.beliefs.crowd import SpanLaw
from dalenius.beliefs.worst import WorstCurve
from dalenius.guarantees.guarantee import Witness
from dalenius.numerics.divergence import exponential, hockey_stick
from dalenius.numerics.law import Law
from dalenius.numerics.residues import ResidueCurve
from dalenius.numerics.search import Removal

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
        at = np.arange(law.start, law.stop)
        if self.listed:
            inside = np.isin(at, self.listed)
        else:
            inside = (at >= (self.least if self.least is not None else law.start)) & (
                at <= (self.most if self.most is not None else law.stop)
            )
        lower = float(np.maximum(law.mass - law.error, 0.0)[inside].sum()) * (1 - 1e-12)
        upper = float((law.mass + law.error)[inside].sum()) * (1 + 1e-12) + law.tail
        return lower, min(1.0, upper)

    def words(self, scale: int) -> str:
        if self.listed:
            shown = ", ".join(str(value * scale) for value in self.listed[:NAMED])
            return f"is one of {shown}" + (f" and {len(self.listed) - NAMED} more" if len(self.listed) > NAMED else "")
        if self.least is None:
            return f"is at most {(self.most or 0) * scale}"
        return (
            f"is at least {self.least * scale}"
            if self.most is None
            else f"lies from {self.least * scale} to {self.most * scale}"
        )


def witness(whole: WorstCurve, epsilon: Fraction) -> Witness | None:
    """The event behind the lower bound of the curve at epsilon, or None where that is 0."""
    bracket, removal = whole.find(epsilon)
    if bracket.lower <= 0:
        return None
    if removal is None:
        return _series_witness(whole, epsilon)
    return pair_witness(whole, removal, epsilon)


def _series_witness(whole: WorstCurve, epsilon: Fraction) -> Witness:
    found = [(group, *group.worst(epsilon)) for group in whole.everybody().groups]
    group, _, cut = max(found, key=lambda item: item[1].lower)
    side = f"at most {cut.threshold}" if cut.below else f"at least {cut.threshold + 1}"
    worlds = f"a person with rate {group.rate(cut):.4g}, " + ("value 0 against 1" if cut.below else "value 1 against 0")
    return Witness(f"the count is {side}", worlds, *group.laws.odds(cut))


def pair_witness(whole: WorstCurve, removal: Removal, epsilon: Fraction) -> Witness | None:
    """The best event of the worst pair, when these records are taken out. Cost: one hockey stick for each different
    move.
    """
    left = whole.crowd.law(removal)
    known = whole.known > 0
    curve = whole.left(removal)
    if isinstance(curve, ResidueCurve):
        place, move = curve.worst(epsilon)[1]
        found = [(place, move), (place + move, -move)]
    else:
        firsts = {pair.second - pair.first: pair.first for pair in reversed(whole.pairs)}
        found = [(first, move) for move, first in firsts.items() if move]
        odd = [(first, move) for first, move in found if left.span == 0 or move % left.span]
        if whole.channel.exact and odd:
            first, move = odd[0]
            worlds = f"the target adds {first} against {first + move}"
            return Witness(_lattice_event(left, first, known=known), worlds, 1.0, 0.0)
    best: tuple[float, Witness] | None = None
    law = left.spread_out()
    for first, move in found:
        p, q = whole.channel.push(law.shifted(first)), whole.channel.push(law.shifted(first + move))
        value = hockey_stick(p, q, epsilon=epsilon).lower
        if value > 0 and (best is None or value > best[0]):
            best = value, _described(whole, p, q, epsilon, (first, first + move))
    return best[1] if best else None


def _described(whole: WorstCurve, p: Law, q: Law, epsilon: Fraction, ends: tuple[int, int]) -> Witness:
    event = _event(p, q, epsilon)
    rounded = whole.channel.period > 0
    worlds = f"the target adds {ends[0]} against {ends[1]}"
    if rounded:
        worlds = f"target and known records add {ends[0]} against {ends[1]}, up to a multiple of {whole.channel.period}"
    words = f"{_subject(known=whole.known > 0 and not rounded)} {event.words(max(1, whole.channel.period))}"
    return Witness(words, worlds, event.probability(p)[0], event.probability(q)[1])


def _subject(*, known: bool) -> str:
    return "the figure, less what the attacker knows," if known else "the figure"


def _lattice_event(left: SpanLaw, first: int, *, known: bool) -> str:
    subject = "the total, less what the attacker knows," if known else "the total"
    if left.span == 0:
        return f"{subject} is {left.offset + first}"
    at = (left.offset + first) % left.span
    if left.span == 2:
        return f"{subject} is odd" if at else f"{subject} is even"
    return f"{subject} is not a multiple of {left.span}" if at else f"{subject} is a multiple of {left.span}"


def _event(p: Law, q: Law, epsilon: Fraction) -> _Event:
    """Where P certainly exceeds e^epsilon Q; as a threshold where that is what it is."""
    q_mass, q_error = q.window(p.start, p.stop)
    chosen = np.flatnonzero(p.mass - p.error > exponential(epsilon)[1] * (q_mass + q_error)) + p.start
    first, last = int(chosen[0]), int(chosen[-1])
    centre = float((p.mass * np.arange(p.start, p.stop)).sum())
    other = float((q.mass * np.arange(q.start, q.stop)).sum())
    if len(chosen) == last - first + 1:
        return _Event(None, last) if centre < other else _Event(first, None)
    return _Event(None, None, tuple(chosen.tolist()))
