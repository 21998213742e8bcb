"""Guarantees for noise that hides one record among others that move with it."""

from fractions import Fraction

from dalenius.beliefs.markov import CHAIN
from dalenius.claims import Evidence, Guarantee, Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.floats import ASSUMPTIONS
from dalenius.mechanisms.correlated import HiddenFact

SOURCE = "Song, Wang and Chaudhuri 2017, Pufferfish privacy mechanisms for correlated data"


def correlated_guarantee(hidden: HiddenFact) -> Guarantee:
    """What the noise guarantees: ε-Pufferfish privacy of the value of every record, with δ = 0.

    >>> import dalenius as dl
    >>> chain = dl.Markov(start={0: "2/3", 1: "1/3"}, moves={0: {0: 0.9, 1: 0.1}, 1: {0: 0.2, 1: 0.8}}, n=100)
    >>> print(dl.judge.correlated_guarantee(dl.mechanisms.markov_quilt(chain, dl.Count(), epsilon=1)).verdict)
    pass
    """
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
