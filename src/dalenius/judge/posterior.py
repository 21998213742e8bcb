"""Exact posteriors: what one outcome of a release makes of the odds for a fact about a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.beliefs.belief import IID, Marginals, contributions
from dalenius.beliefs.common import sum_law
from dalenius.beliefs.crowd import Crowd
from dalenius.beliefs.mixture import Mixture
from dalenius.beliefs.worst import WorstCurve
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.facts.secret import Pair
from dalenius.facts.statistics import Statistic
from dalenius.judge.definition import NoiselessPrivacy
from dalenius.mechanisms import Chain, Mechanism
from dalenius.numerics.law import Law, mixture

PLACES = (Fraction(1, 1000), Fraction(1, 20), Fraction(1, 2), Fraction(19, 20), Fraction(999, 1000))


@final
@dataclass(frozen=True, slots=True)
class Outcome:
    """One value that may be published, in units (less what the attacker knows), and its probabilities given either
    fact about the person.

    >>> import dalenius as dl
    >>> outcomes = dl.posteriors(dl.Count(), dl.noiseless(dl.IID(p="0.1", n=100)), (1, 0))
    >>> print(outcomes[0].value, outcomes[0].after("0.1"))
    2 [0.01999, 0.02001]
    """

    value: int
    one: Bracket
    other: Bracket

    def after(self, prior: Number) -> Bracket:
        """What the probability of the first fact becomes, if it was `prior` before and the other fact the rest.

        Exact fractions of certified ends: p grows with the first probability and falls with the second.
        """
        chance = exact(prior, name="prior")
        if not 0 <= chance <= 1:
            raise InputError(f"A prior probability must lie between 0 and 1, but got {prior}. Write 0.1.")
        least, _ = _posterior(chance, self.one.lower, self.other.upper)
        _, most = _posterior(chance, self.one.upper, self.other.lower)
        return around(least, most)


def _posterior(prior: Fraction, one: float, other: float) -> tuple[Fraction, Fraction]:
    """By Bayes' rule, from below and from above: they differ where the outcome has probability 0 in both worlds."""
    first, second = prior * Fraction(one), (1 - prior) * Fraction(other)
    if first + second == 0:
        return Fraction(0), Fraction(1)
    return (first / (first + second),) * 2


def compared(crowd: Crowd, pair: Pair, channel: Chain, known: int, epsilon: Fraction) -> tuple[Law, Law]:
    """The laws of what is published, less what the attacker knows, if the person adds the pair's first number, and if
    they add its second. The person, and the known records, are those that are worst at epsilon.
    """
    whole = WorstCurve(crowd, (pair, Pair(pair.second, pair.first)), channel, known)
    removal = whole.find(epsilon)[1]
    left = crowd.law(removal if removal is not None else crowd.samples(known + 1)[0]).spread_out()
    return channel.push(left.shifted(pair.first)), channel.push(left.shifted(pair.second))


def outcomes(one: Law, other: Law, places: Sequence[Fraction] = PLACES) -> tuple[Outcome, ...]:
    """The two probabilities of typical outcomes: those at these places of the even mixture of the two laws.

    The places only choose which values are shown; the probabilities are certified. Cost O(length).
    """
    start, stop = min(one.start, other.start), max(one.stop, other.stop)
    first, second = one.window(start, stop), other.window(start, stop)
    below = np.cumsum(first[0] + second[0])
    wanted = [int(np.searchsorted(below, float(place) * below[-1])) for place in places]
    return tuple(
        Outcome(start + at, _chance(one, start + at), _chance(other, start + at)) for at in dict.fromkeys(wanted)
    )


def _chance(law: Law, value: int) -> Bracket:
    """The probability of one value; outside the window it is at most the tail."""
    if not law.start <= value < law.stop:
        return Bracket(0.0, min(1.0, law.tail))
    mass, error = (Fraction(float(part[value - law.start])) for part in (law.mass, law.error))
    return around(max(Fraction(0), mass - error), min(Fraction(1), mass + error))


def posteriors(
    mechanism: Mechanism | Statistic,
    definition: NoiselessPrivacy,
    facts: tuple[int, int],
    *,
    epsilon: Number = 0,
    places: Sequence[Fraction] = PLACES,
) -> tuple[Outcome, ...]:
    """Typical outcomes of a release of independent records (or of a mixture of such beliefs, if nobody is known), with
    their probabilities if a person adds the first of two numbers (in units) and if they add the second; for the person,
    and the known records, that are worst at epsilon.

    >>> import dalenius as dl
    >>> middle = posteriors(dl.Count(), dl.noiseless(dl.IID(p=0.2, n=1001)), (1, 0))[2]
    >>> middle.value, str(middle.after("0.1"))
    (200, '[0.09988, 0.09989]')
    """
    mechanism = mechanism if isinstance(mechanism, Mechanism) else Mechanism(mechanism)
    belief = definition.belief
    if isinstance(belief, Mixture) and not belief.known:
        return outcomes(*_mixed(belief, mechanism, facts), places)
    if not isinstance(belief, Marginals):
        raise PreconditionError(
            f"Exact posteriors need independent records with known probabilities, or a mixture of such laws of which "
            f"nobody is known, but got {belief}. Use IID, Independent or Mixture, or bound the odds with "
            "odds_from(...)."
        )
    if mechanism.channel.choice is not None or (mechanism.channel.period and belief.known):
        raise PreconditionError(
            f"Exact posteriors need a figure that moves with what the attacker knows, but got {mechanism} and "
            f"{belief.known} known records. Leave out the rounding or the choice, or let nobody be known."
        )
    mechanism.statistic.check_number(belief.secret_number(definition.secret))
    absent = () if mechanism.statistic.divided else (0,)
    allowed = {*map(mechanism.statistic.contribution, belief.domain()), *absent}
    if len(set(facts)) < 2 or not set(facts) <= allowed:
        raise InputError(f"Two facts are two of the numbers {sorted(allowed)} that a person can add, but got {facts}.")
    crowd, at = belief.crowd(mechanism.statistic), exact(epsilon, name="epsilon")
    return outcomes(*compared(crowd, Pair(*facts), mechanism.channel, belief.known, at), places)


def _mixed(belief: Mixture, mechanism: Mechanism, facts: tuple[int, int]) -> tuple[Law, Law]:
    """The laws of what is published where one of several laws is true: given what a person adds, the part θ has a
    weight proportional to w_θ P_θ(that), and the others follow it.
    """
    chances = [_adding(part, mechanism.statistic) for _, part in belief.parts]
    allowed = sorted({add for law in chances for add in law})
    if len(set(facts)) < 2 or not set(facts) <= set(allowed):
        raise InputError(f"Two facts are two of the numbers {allowed} that a person can add, but got {facts}.")
    others = [
        sum_law([(contributions(part.marginal, mechanism.statistic), belief.n - 1)])[0].spread_out()
        for _, part in belief.parts
    ]
    found = []
    for add in facts:
        weights = [weight * law.get(add, Fraction(0)) for (weight, _), law in zip(belief.parts, chances, strict=True)]
        whole = sum(weights, Fraction(0))
        law = mixture((weight / whole, one) for weight, one in zip(weights, others, strict=True) if weight)
        found.append(mechanism.channel.push(law.shifted(add)))
    return found[0], found[1]


def _adding(part: IID, statistic: Statistic) -> dict[int, Fraction]:
    """How likely a record is to add each number."""
    found: dict[int, Fraction] = {}
    for value, chance in part.marginal:
        if chance:
            add = statistic.contribution(value)
            found[add] = found.get(add, Fraction(0)) + chance
    return found
