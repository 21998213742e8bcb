"""Guarantees for noise that hides one record among others that move with it."""

from fractions import Fraction

from dalenius.beliefs.markov import CHAIN
from dalenius.claims import Evidence, Guarantee, Notion
from dalenius.mechanisms.correlated import HiddenFact
from dalenius.numerics.bracket import Bracket, around
from dalenius.numerics.rounding import ASSUMPTIONS

SOURCE = "Song, Wang and Chaudhuri 2017, Pufferfish privacy mechanisms for correlated data"


def correlated_guarantee(hidden: HiddenFact) -> Guarantee:
    """What the noise guarantees: ε-Pufferfish privacy of the value of every record, with δ = 0."""
    return Guarantee(
        definition="Pufferfish privacy",
        hides="the value of any one record",
        attacker=hidden.attacker,
        release=str(hidden.mechanism),
        epsilon=around(hidden.epsilon, hidden.epsilon),
        delta=Bracket(0.0, 0.0),
        target_epsilon=hidden.epsilon,
        target_delta=Fraction(0),
        because=hidden.because,
        assumes=(CHAIN, "the noise is drawn as stated, at this scale or wider", *ASSUMPTIONS[:1]),
        breaks=(
            "a chain that is none of those stated",
            "a second release about the same records, unless both use the same quilt for each record",
        ),
        evidence=Evidence.PROVED if hidden.proved else Evidence.COMPUTED,
        sources=(SOURCE,),
        notion=Notion.PUFFERFISH,
    )
