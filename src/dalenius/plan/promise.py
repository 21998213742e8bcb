"""Which definition a claim about figures is one of, in words, and what follows from it for other definitions."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

from dalenius.claims.notion import Notion, notion_of
from dalenius.enclosure.brackets import around
from dalenius.enclosure.formats import at_most, short
from dalenius.facts.secret import hides_presence, partly
from dalenius.plan.grounds import hidden_by_noise
from dalenius.plan.outcome import Plan, Publish
from dalenius.plan.question import Question

if TYPE_CHECKING:
    from dalenius.claims.implications import Implication

NOT_DIFFERENTIAL = (
    "It is not differential privacy, which would hold against somebody who knows all other records, and that does not "
    "follow from it."
)


# The definitions that a specification can ask for, by their word.
PROMISES: Mapping[str, Notion] = MappingProxyType(
    {
        "noiseless": Notion.NOISELESS,
        "Pufferfish": Notion.PUFFERFISH,
        "distributional": Notion.DISTRIBUTIONAL,
        "coupled worlds": Notion.COUPLED,
        "semantic": Notion.SEMANTIC,
        "differential": Notion.DIFFERENTIAL,
    }
)
BY_NOISE = ("semantic", "differential")  # what noise alone can give, so that nothing is believed
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
    some = partly(question.secret) or hides_presence(question.secret)
    if noise is not None and not some:
        unit = "one record" if question.frame.together is None else "all records of one household"
        told = (
            f"The noise by itself gives differential privacy for exchanging the values of {unit}, with "
            f"{_level(question, noise)}: it holds whatever the attacker knows of the others and whatever they believe."
        )
        return [told, *_semantic(question, noise)]
    if _hedged(question):
        told = (
            f"What is certified is hedging privacy, with {_level(question, 0.0)}: against whoever gives the stated law "
            "its weight and leans to any other, with the same weights for any two values of one record. "
            f"{NOT_DIFFERENTIAL}"
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


def _semantic(question: Question, delta: float) -> Iterator[str]:
    """What follows from differential privacy for what anybody believes."""
    for path in _paths(question, Notion.DIFFERENTIAL, Notion.SEMANTIC, Fraction(delta)):
        if path.epsilon.upper < 1 and path.delta.upper < 1:
            but = f", but with a probability of at most {at_most(path.delta.upper)}" if path.delta.upper else ""
            yield (
                "It implies semantic privacy: no record shifts what anybody believes, whatever it was, by more than "
                f"{at_most(path.epsilon.upper)} (in total variation){but}."
            )
            return


def _hedged(question: Question) -> bool:
    """Whether some attackers hedge."""
    stances = [belief.stance for belief in question.beliefs if belief.stance is not None]
    if not stances:
        return False
    from dalenius.tables.stances import Hedging

    return any(isinstance(stance, Hedging) for stance in stances)


def certified(plan: Publish, question: Question) -> tuple[Notion | None, float]:
    """What a plan that lets figures out certifies, and its delta; of attackers who hedge it has no name here."""
    noise = hidden_by_noise(plan, question)
    if noise is not None and not partly(question.secret):
        return Notion.DIFFERENTIAL, noise
    delta = max((finding.delta.upper for finding in plan.findings), default=0.0)
    if _hedged(question):
        return None, delta
    return Notion.PUFFERFISH if question.frame.together is not None else notion_of(question.secret), delta


def broken_promise(plan: Plan, question: Question) -> str:
    """Why the definition that was asked for does not follow from what is certified; nothing if it does, or if none was
    asked for.
    """
    if not question.promise or not isinstance(plan, Publish) or not plan.findings:
        return ""
    wanted = PROMISES[question.promise]
    if any(one.method == "series" for one in plan.findings):
        return f"{wanted} is not worked out over several editions"
    start, delta = certified(plan, question)
    if start is None:
        return f"{wanted} does not follow from what is certified of attackers who hedge"
    paths = _paths(question, start, wanted, Fraction(delta))
    target = question.target
    if wanted is Notion.SEMANTIC:  # its numbers are others: a shift of beliefs, and how likely more is
        kept = [path for path in paths if path.epsilon.upper < 1 and path.delta.upper < 1]
    else:
        kept = [path for path in paths if path.epsilon.upper <= target.epsilon and path.delta.upper <= target.delta]
    if kept:
        return ""
    if paths:
        best = paths[0]
        return (
            f"only {wanted} with epsilon {at_most(best.epsilon.upper)} and delta {at_most(best.delta.upper)} follows "
            "from what is certified"
        )
    return f"{wanted} does not follow from {start}, which is certified"


def _paths(question: Question, start: Notion, end: Notion, delta: Fraction) -> "list[Implication]":
    from dalenius.claims.implications import implications

    epsilon = question.target.epsilon
    one = not question.attacker.known and all(belief.least is None for belief in question.beliefs)
    facts = {"independent": not question.special, "no_side": True, "one_belief": one, "n": question.frame.size}
    return implications(start, end, (around(epsilon, epsilon), around(delta, delta)), facts)


def _level(question: Question, delta: float) -> str:
    return f"epsilon {short(question.target.epsilon)} and delta at most {at_most(delta)}"


def _implied(question: Question, delta: Fraction) -> Iterator[str]:
    """What follows from noiseless privacy, by the theorems of the catalogue."""
    for end, words in FOLLOWS:
        paths = _paths(question, Notion.NOISELESS, end, delta)
        if paths:
            yield words.format(*(at_most(number.upper) for number in (paths[0].epsilon, paths[0].delta)))
