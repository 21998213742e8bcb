"""Which definition a claim about figures is one of, in words, and what follows from it for other definitions."""

from collections.abc import Iterator
from fractions import Fraction

from dalenius.claims.implications import implications
from dalenius.claims.notion import Notion
from dalenius.facts.near import Near
from dalenius.facts.secret import Presence
from dalenius.numerics.bracket import around
from dalenius.numerics.formats import at_most, short
from dalenius.plan.grounds import hidden_by_noise
from dalenius.plan.outcome import Plan, Publish
from dalenius.plan.question import Question

NOT_DIFFERENTIAL = (
    "It is not differential privacy, which would hold against somebody who knows all other records, and that does not "
    "follow from it."
)


FOLLOWS = (
    (Notion.VARIATION, "No event is more likely under one value than under another by more than {1}."),
    (
        Notion.DISTRIBUTIONAL,
        (
            "It implies distributional differential privacy, and coupled-worlds privacy with the simulator that draws "
            "the record anew from the belief, with epsilon {0} and delta {1}."
        ),
    ),
)


def promised(plan: Plan, question: Question) -> list[str]:
    """What is promised by figures that may go out: the definition, and what it implies. Nothing for others, nor over
    several editions, where what is hidden is a spell of them.
    """
    if not isinstance(plan, Publish) or not plan.findings or any(one.method == "series" for one in plan.findings):
        return []
    noise = hidden_by_noise(plan, question)
    some = isinstance(question.secret, Near | Presence)
    if noise is not None and not some:
        unit = "one record" if question.frame.together is None else "all records of one household"
        told = (
            f"The noise by itself gives differential privacy for exchanging the values of {unit}, with "
            f"{_level(question, noise)}: it holds whatever the attacker knows of the others and whatever they believe."
        )
        return [told]
    delta = max(finding.delta.upper for finding in plan.findings)
    if some or question.frame.together is not None:
        told = (
            f"What is certified is Pufferfish privacy, with {_level(question, delta)}. The secrets are "
            f"{question.secret}; the beliefs are those that are stated, with every choice of known records. "
        )
        return [told + NOT_DIFFERENTIAL]
    told = (
        f"What is certified is noiseless privacy, with {_level(question, delta)}: against the stated attacker, under "
        f"the stated beliefs, for any two values of any one record. {NOT_DIFFERENTIAL} It is Pufferfish privacy with "
        "these values as secrets and these beliefs, with the same numbers."
    )
    return [told, *_implied(question, Fraction(delta))]


def _level(question: Question, delta: float) -> str:
    return f"epsilon {short(question.target.epsilon)} and delta at most {at_most(delta)}"


def _implied(question: Question, delta: Fraction) -> Iterator[str]:
    """What follows from noiseless privacy, by the theorems of the catalogue."""
    epsilon = question.target.epsilon
    one = not question.attacker.known and all(belief.least is None for belief in question.beliefs)
    facts = {"independent": True, "no_side": True, "one_belief": one}
    for end, words in FOLLOWS:
        paths = implications(Notion.NOISELESS, end, (around(epsilon, epsilon), around(delta, delta)), facts)
        if paths:
            yield words.format(*(at_most(number.upper) for number in (paths[0].epsilon, paths[0].delta)))
