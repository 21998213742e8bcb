"""Noise that hides every record of a Markov chain, as a mechanism that states its guarantee."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import Belief
from dalenius.beliefs.markov import CHAIN, Markov
from dalenius.claims import Evidence, Guarantee, Notion
from dalenius.enclosure.brackets import around
from dalenius.facts.records import Number
from dalenius.facts.secret import Secret, Value
from dalenius.facts.statistics import Statistic
from dalenius.mechanisms.correlated import HiddenFact, least_noise, markov_quilt, wasserstein
from dalenius.mechanisms.stated import Answer, Company, Stated, pure

Chains: TypeAlias = Markov | Sequence[Markov]
SOURCE = "Song, Wang and Chaudhuri 2017, Pufferfish privacy mechanisms for correlated data"


@final
@dataclass(frozen=True, eq=False)
class ChainNoise(Stated):
    """A figure of records that form one of these chains, plus two-sided geometric noise (`hidden`).

    >>> import dalenius as dl
    >>> chain = dl.Markov(start={0: "2/3", 1: "1/3"}, moves={0: {0: 0.9, 1: 0.1}, 1: {0: 0.2, 1: 0.8}}, n=100)
    >>> print(dl.mechanisms.ChainNoise.by_quilts(chain, dl.Count(), epsilon=1).told())
    count, plus two-sided geometric noise of scale 22.29836064956...
    """

    hidden: HiddenFact
    chains: tuple[Markov, ...]
    company = Company.NOTHING
    alone_because = "Its noise was chosen for one figure, and records that move together tell of each other."

    @classmethod
    def by_quilts(cls, chains: Chains, figure: Statistic, *, epsilon: Number) -> Self:
        """Noise by Markov quilts: see `markov_quilt`."""
        return cls._of(markov_quilt, chains, figure, epsilon)

    @classmethod
    def by_distance(cls, chains: Chains, figure: Statistic, *, epsilon: Number) -> Self:
        """Noise by the distance of laws: see `wasserstein`."""
        return cls._of(wasserstein, chains, figure, epsilon)

    @classmethod
    def least(cls, chains: Chains, figure: Statistic, *, epsilon: Number) -> Self:
        """The least noise for exactly these chains: see `least_noise`."""
        return cls._of(lambda *of, **at: least_noise(*of, **at)[0], chains, figure, epsilon)

    @classmethod
    def _of(cls, hide: Callable[..., HiddenFact], chains: Chains, figure: Statistic, epsilon: Number) -> Self:
        if not isinstance(figure, Statistic):
            raise InputError(f"Noise for a chain needs a figure that is one number, but got {figure}. Write Count().")
        listed = (chains,) if isinstance(chains, Markov) else tuple(chains)
        return cls(hide(chains, figure, epsilon=epsilon), listed)

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
