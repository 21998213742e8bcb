"""Noise that hides every record of a Markov chain, as a mechanism that states its guarantee."""

from dataclasses import dataclass
from typing import final

from dalenius.beliefs.belief import Belief
from dalenius.beliefs.markov import CHAIN, Markov
from dalenius.claims import Evidence, Guarantee, Notion
from dalenius.facts.secret import Secret, Value
from dalenius.mechanisms.correlated import HiddenFact
from dalenius.mechanisms.stated import Answer, Company, Stated, pure
from dalenius.numerics.bracket import around

SOURCE = "Song, Wang and Chaudhuri 2017, Pufferfish privacy mechanisms for correlated data"


@final
@dataclass(frozen=True, eq=False)
class ChainNoise(Stated):
    """A figure of records that form one of these chains, plus two-sided geometric noise (`hidden`)."""

    hidden: HiddenFact
    chains: tuple[Markov, ...]
    company = Company.NOTHING
    alone_because = "Its noise was chosen for one figure, and records that move together tell of each other."

    def told(self) -> str:
        return str(self.hidden.mechanism)

    def guarantees(self) -> tuple[Guarantee, ...]:
        return (
            pure(
                self,
                definition="Pufferfish privacy",
                hides="the value of any one record",
                attacker=self.hidden.attacker,
                epsilon=around(self.hidden.epsilon, self.hidden.epsilon),
                because=self.hidden.because,
                assumes=(CHAIN, "the noise is drawn as stated, at this scale or wider"),
                breaks=("a chain that is none of those stated",),
                sources=(SOURCE,),
                notion=Notion.PUFFERFISH,
                evidence=Evidence.PROVED if self.hidden.proved else Evidence.COMPUTED,
            ),
        )

    def answers(self, belief: Belief, secret: Secret) -> Answer | None:
        """For the chains that it was made for, of which nobody knows a record."""
        known = isinstance(belief, Markov) and any(_same(belief, chain) for chain in self.chains)
        return (self.guarantees()[0], self.curve()) if known and isinstance(secret, Value) else None


def _same(one: Markov, other: Markov) -> bool:
    alike = (one.states, one.start, one.moves, one.n) == (other.states, other.start, other.moves, other.n)
    return alike and not (one.known or one.fitted)
