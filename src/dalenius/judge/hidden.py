"""Counts of which small ones are hidden: what is told of a person by the number that they alone are in.

Hiding is a function of the count, so that nobody learns more than from the count. By itself it may tell less: the law
of what is published is that of the count, with all hidden ones in one place. Records that the attacker knows move the
count: where k of them are counted, of those whom nobody knows all below t - k are hidden, so that the more of them are
counted, the less is hidden (one partition of the outcomes is finer than the other). Zeros that are shown are an outcome
of their own only if none of them is counted. So the worst is one of two: none of the known records is counted, or all.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import IID
from dalenius.beliefs.crowd import YesNo
from dalenius.claims import Witness
from dalenius.enclosure.outward import exponential
from dalenius.facts.secret import Value
from dalenius.judge.earned import earned_curve
from dalenius.judge.group import Believed, Group, Laws, Others
from dalenius.judge.witness import Telling
from dalenius.mechanisms import Chain
from dalenius.mechanisms.choice import Choice
from dalenius.mechanisms.chosen import listable, of_crowd
from dalenius.mechanisms.compared import OnlyCompared
from dalenius.mechanisms.earned_count import ExactIfEarned
from dalenius.mechanisms.models import mode
from dalenius.mechanisms.modes import mode_curve, pairwise_curve
from dalenius.mechanisms.small_counts import SmallCountsHidden
from dalenius.mechanisms.wrong_models import Among
from dalenius.numerics.curve import Curve, PairCurve, Supremum
from dalenius.numerics.law import Law
from dalenius.numerics.mixing import Guarded
from dalenius.numerics.search import Removal

if TYPE_CHECKING:
    from dalenius.judge.engine import Judge

PAIR = 2  # counts of which the larger is told by their difference
MOST_HISTOGRAMS = 50_000  # that are listed although a bound by pairs would do
MOST_KNOWN = 5_000  # histograms of the known records that are gone through
MOST_TYPES = 64  # of records with a rate of their own, each of which is left out in turn
CAREFUL = 1e-12  # far more than a sum of floats loses


def hidden_curve(judge: "Judge", others: Others, known: int, channel: Chain) -> Curve:
    """δ(ε) of a count that is not told as it is, but by a rule."""
    only = channel.links[0] if len(channel.links) == 1 else None
    if isinstance(only, ExactIfEarned):
        return earned_curve(judge, others, known, only)
    if channel.choice is not None:
        return _chosen(judge, others, known, channel, channel.choice)
    for link in channel.links:
        if isinstance(link, Choice):
            _ = link.period  # which says that a choice comes last
    exact = judge.curve(others, known, Chain(()))
    if isinstance(only, OnlyCompared):  # by itself it is not published at all
        return Guarded((exact,))
    link = hiding(channel)
    crowd, left_open = judge.crowd_of(others), isinstance(others, Laws) and bool(others.least)
    if not isinstance(crowd, YesNo) or (crowd.low, crowd.high) != (0, 1):
        return Guarded((exact,))
    every, some = _removals(crowd, known)
    sure = not left_open and not judge.presence
    above = [exact]
    if every and sure:
        above.append(Supremum(tuple(curve for removal in every for curve in _curves(crowd, removal, known, link))))
    attained = _likely(crowd, known) and not (isinstance(others, Laws) and left_open and not others.attained)
    below = [curve for removal in some for curve in _curves(crowd, removal, known, link)] if attained else []
    return Guarded(tuple(above), tuple(below))


def _likely(crowd: YesNo, known: int) -> bool:
    """Whether known records may be anything; if not, nobody can know the worst ones."""
    return known == 0 or bool(crowd.rates[0] > 0 and crowd.rates[-1] < 1)


def _chosen(judge: "Judge", others: Others, known: int, channel: Chain, choice: Choice) -> Curve:
    """A choice tells no more than the number that it is a function of."""
    if isinstance(others, Believed):
        return judge.chosen(others, known, channel)
    exact, crowd = judge.curve(others, known, Chain(channel.links[:-1])), judge.crowd_of(others)
    left_open = isinstance(others, Laws) and bool(others.least)
    if not isinstance(crowd, YesNo) or (crowd.low, crowd.high) != (0, 1) or left_open or judge.presence:
        return Guarded((exact,))
    if len(channel.links) > 1 or not listable(crowd, known):
        return Guarded((exact,))
    found = of_crowd(crowd, choice, Chain(()), Value(), (0, 1), others.size, known=known)
    return Guarded((found, exact), (found,) if _likely(crowd, known) else ())


def largest_curve(group: Group, epsilon: Fraction, enough: Fraction, *, presence: bool) -> Curve | None:
    """δ(ε) of which of several counts is the largest, where a group has nothing else and these cover nobody else: the
    counts of all values of one column, in order, among independent records of one law that allows each of them. None
    where that is not what they are: then it tells no more than the counts do.

    Of the counts of all values one follows from the others and the number of people, so that the last of them has no
    coordinate of its own: its vector is 0. By pairs of counts where all histograms would be many, and that is enough.
    """
    others, many = group.others[0], len(group.release)
    if (
        len(group.others) > 1
        or not isinstance(others, Laws)
        or others.least
        or others.changes is not None
        or presence
        or others.answered is not None
    ):
        return None
    if len(others.types) != 1:
        return None
    axes = len(others.domain[0])
    values = [tuple(int(axis == place) for axis in range(axes)) for place in range(many)]
    law = dict(others.types[0][0])
    if axes not in (many - 1, many) or {*values} != {*others.domain} or not all(law.get(value) for value in values):
        return None
    names = [str(place) for place in range(many)]
    chances = {name: law[value] for name, value in zip(names, values, strict=True)}
    histograms = math.comb(others.size - group.known + many - 2, many - 1)
    what_is_known = math.comb(group.known + many - 1, many - 1)
    if many > PAIR and (histograms > MOST_HISTOGRAMS or what_is_known > MOST_KNOWN):
        law_of_values = tuple(chances.values())
        bound = pairwise_curve(mode(*names), law_of_values, Among(others.size, group.known, noiseless=True))
        if bound.delta(epsilon).upper <= enough or what_is_known > MOST_KNOWN:
            return bound
    marginal: dict[str | int | bool | Fraction, float | str | Fraction] = {name: chances[name] for name in names}
    return mode_curve(mode(*names), IID(values=marginal, n=others.size, known=group.known))


def hiding(channel: Chain) -> SmallCountsHidden:
    """What hides small counts, by itself: nothing comes before or after it."""
    if len(channel.links) != 1 or not isinstance(channel.links[0], SmallCountsHidden):
        raise InputError(
            "Small counts are hidden in a count as it is, without noise or rounding before or after. Leave that out, "
            "or do not hide."
        )
    return channel.links[0]


def _removals(crowd: YesNo, known: int) -> tuple[tuple[Removal, ...], tuple[Removal, ...]]:
    """All ways to take the target and the known records out (none if they are too many), and some of them."""
    some = crowd.samples(known + 1)
    if len(crowd.counts) == 1:
        return some[:1], some[:1]
    if known or len(crowd.counts) > MOST_TYPES:
        return (), some
    ends = np.cumsum(crowd.counts).tolist()
    each = tuple((end - 1, end) for end in ends)
    return each, each


def _curves(crowd: YesNo, removal: Removal, known: int, link: SmallCountsHidden) -> Iterator[Curve]:
    for one, two in _worlds(crowd, removal, known, link).values():
        yield PairCurve(one, two, only=True)


def _worlds(crowd: YesNo, removal: Removal, known: int, link: SmallCountsHidden) -> dict[int, tuple[Law, Law]]:
    """What is published without the person and with them, where none of the known records is counted, or all are."""
    law = crowd.law(removal).spread_out()
    return {
        counted: (link.push(law.shifted(counted)), link.push(law.shifted(counted + 1)))
        for counted in dict.fromkeys((0, known))
    }


def hidden_witness(judge: "Judge", others: Others, known: int, channel: Chain, telling: Telling) -> Witness | None:
    """The event by which such a count tells whether a person is counted."""
    if channel.choice is not None or not isinstance(channel.links[0], SmallCountsHidden):
        return None
    link, crowd = hiding(channel), judge.crowd_of(others)
    if not isinstance(crowd, YesNo) or (crowd.low, crowd.high) != (0, 1):
        return None
    best: Witness | None = None
    for removal in _removals(crowd, known)[1]:
        for counted, pair in _worlds(crowd, removal, known, link).items():
            for order in (0, 1):
                found = _event(pair[order], pair[1 - order], judge.epsilon, link, counted, known, order, telling)
                if found is not None and (best is None or _gain(found, judge.epsilon) > _gain(best, judge.epsilon)):
                    best = found
    return best


def _gain(found: Witness, epsilon: Fraction) -> float:
    return found.first - min(exponential(epsilon)[1], 1e300) * found.second


def _event(
    p: Law, q: Law, epsilon: Fraction, link: SmallCountsHidden, counted: int, known: int, order: int, telling: Telling
) -> Witness | None:
    start, stop = min(p.start, q.start), max(p.stop, q.stop)
    (mass, error), (other, slip) = p.window(start, stop), q.window(start, stop)
    chosen = mass - error > min(exponential(epsilon)[1], 1e300) * (other + slip)
    if not chosen.any():
        return None
    first = float(np.maximum(mass - error, 0.0)[chosen].sum()) * (1 - CAREFUL)
    second = min(1.0, (float((other + slip)[chosen].sum()) + q.tail) * (1 + CAREFUL))
    known_too = f" and {counted} of the {known} known records are counted" if known else ""
    worlds = (f"a person adds 0{known_too}", f"a person adds 1{known_too}")
    words = f"{telling.subject} {_named((start + np.flatnonzero(chosen)).tolist(), link)}"
    return Witness(words, worlds[order], worlds[1 - order], first, second)


def _named(places: list[int], link: SmallCountsHidden) -> str:
    """Outcomes in words: the hidden counts are one of them."""
    shown = [place for place in places if place != link.mark]
    parts = ["is hidden"] if link.mark in places else []
    if shown and shown[0] == 0 and link.zeros == "shown":
        parts.append("is 0")
        shown = shown[1:]
    if shown:
        low, high = shown[0], shown[-1]
        whole = len(shown) == high - low + 1
        parts.append(f"is {low}" if low == high else f"is from {low} to {high}" if whole else f"is one of {shown[:6]}")
    return " or ".join(parts)
