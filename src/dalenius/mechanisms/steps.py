"""Steps that follow a figure and make of it a mechanism with a theorem of its own: `Count() >> Hedged(...)`.

A channel maps laws to laws, and `verify` judges what comes of it. A step is the other kind: what it guarantees is a
theorem about one kind of figure, so it is checked to follow that figure, and gives the mechanism that states it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import ClassVar, Generic, TypeVar, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.markov import Markov
from dalenius.facts.records import Label, Number
from dalenius.facts.statistics import Count, GeometricMean, Histogram, Statistic, Sum
from dalenius.mechanisms.chain_noise import ChainNoise
from dalenius.mechanisms.correlated import HiddenFact, least_noise, markov_quilt, wasserstein
from dalenius.mechanisms.hedging import Cut, HedgedCount
from dalenius.mechanisms.margins import BusinessTotal, GeometricMeanWithin, SumWithin
from dalenius.mechanisms.prior_ball import BallCount
from dalenius.mechanisms.single_prior import Pairs, SinglePriorCount
from dalenius.mechanisms.single_prior_histogram import SinglePriorHistogram
from dalenius.mechanisms.stated import Stated

Kind = TypeVar("Kind")


class Step(ABC, Generic[Kind]):
    """What comes right after a figure of one kind."""

    follows: ClassVar[type]
    example: ClassVar[str]

    @abstractmethod
    def after(self, figure: Kind) -> Stated:
        """The mechanism; `figure` is of the kind that the step follows."""

    def __rrshift__(self, figure: Kind) -> Stated:
        if not isinstance(figure, self.follows):
            raise InputError(
                f"{type(self).__name__} needs to come right after {self.follows.__name__}, but it came after "
                f"{figure}. Write {self.example}."
            )
        return self.after(figure)


@final
@dataclass(frozen=True)
class SinglePrior(Step[Count]):
    """A count of n records, each "yes" with chance q: see `SinglePriorCount`."""

    q: Number
    _: KW_ONLY
    n: int
    epsilon: Number
    pairs: Pairs = "presence"
    follows: ClassVar[type] = Count
    example: ClassVar[str] = 'Count() >> SinglePrior("0.3", n=20, epsilon="0.5")'

    def after(self, figure: Count) -> SinglePriorCount:
        return SinglePriorCount(self.q, n=self.n, epsilon=self.epsilon, pairs=self.pairs)


@final
@dataclass(frozen=True)
class Hedged(Step[Count]):
    """A count for attackers who give the rate q some weight: see `HedgedCount`. Nothing else may be released."""

    q: Number
    _: KW_ONLY
    n: int
    epsilon: Number
    alpha: Number
    pairs: Pairs = "presence"
    cut: Cut = "exact"
    follows: ClassVar[type] = Count
    example: ClassVar[str] = 'Count() >> Hedged("1/2", n=1000, epsilon="0.9", alpha="0.001")'

    def after(self, figure: Count) -> HedgedCount:
        return HedgedCount(self.q, n=self.n, epsilon=self.epsilon, alpha=self.alpha, pairs=self.pairs, cut=self.cut)


@final
@dataclass(frozen=True)
class InBall(Step[Count]):
    """A count for attackers whose rate is near q: see `BallCount`."""

    q: Number
    _: KW_ONLY
    n: int
    epsilon: Number
    beta: Number
    follows: ClassVar[type] = Count
    example: ClassVar[str] = 'Count() >> InBall("1/2", n=1000, epsilon="0.9", beta="0.3")'

    def after(self, figure: Count) -> BallCount:
        return BallCount(self.q, n=self.n, epsilon=self.epsilon, beta=self.beta)


@final
@dataclass(frozen=True)
class SinglePriorCells(Step[Histogram]):
    """A histogram of n records with these chances of cells: see `SinglePriorHistogram`."""

    cells: Mapping[Label | Fraction, Number]
    _: KW_ONLY
    n: int
    eligible: Iterable[Label | Fraction]
    noise: Number
    rest: Number
    exact: Number
    follows: ClassVar[type] = Histogram
    example: ClassVar[str] = 'Histogram("A", "B") >> SinglePriorCells({"A": "0.1", "B": "0.9"}, n=..., ...)'

    def after(self, figure: Histogram) -> SinglePriorHistogram:
        figure.check(self.cells)
        return SinglePriorHistogram(
            self.cells, n=self.n, eligible=self.eligible, noise=self.noise, rest=self.rest, exact=self.exact
        )


@final
@dataclass(frozen=True)
class ValueMargin(Step[Sum]):
    """A total that hides each value to within ±margin: see `SumWithin`. The unit is that of the sum."""

    margin: Number
    _: KW_ONLY
    epsilon: Number
    follows: ClassVar[type] = Sum
    example: ClassVar[str] = "Sum() >> ValueMargin(1000, epsilon=1)"

    def after(self, figure: Sum) -> SumWithin:
        return SumWithin(self.margin, epsilon=self.epsilon, unit=figure.unit)


@final
@dataclass(frozen=True)
class BusinessMargin(Step[Sum]):
    """A total that hides each business's own total to within ±margin: see `BusinessTotal`."""

    margin: Number
    _: KW_ONLY
    epsilon: Number
    ranges: str = "ring"
    follows: ClassVar[type] = Sum
    example: ClassVar[str] = 'Sum(unit=100) >> BusinessMargin(50_000, epsilon="0.5")'

    def after(self, figure: Sum) -> BusinessTotal:
        return BusinessTotal(self.margin, epsilon=self.epsilon, unit=figure.unit, ranges=self.ranges)


@final
@dataclass(frozen=True)
class RelativeMargin(Step[GeometricMean]):
    """A geometric mean that hides each value to within a factor: see `GeometricMeanWithin`."""

    factor: Number
    _: KW_ONLY
    epsilon: Number
    follows: ClassVar[type] = GeometricMean
    example: ClassVar[str] = 'GeometricMean() >> RelativeMargin("0.9", epsilon=1)'

    def after(self, figure: GeometricMean) -> GeometricMeanWithin:
        return GeometricMeanWithin(self.factor, epsilon=self.epsilon)


class _ChainStep(Step[Statistic]):
    """Noise for records of one of these chains."""

    chains: Markov | Sequence[Markov]
    follows: ClassVar[type] = Statistic

    def _noise(self, hidden: HiddenFact) -> ChainNoise:
        return ChainNoise(hidden, (self.chains,) if isinstance(self.chains, Markov) else tuple(self.chains))


@final
@dataclass(frozen=True)
class QuiltNoise(_ChainStep):
    """Noise by Markov quilts: see `markov_quilt`."""

    chains: Markov | Sequence[Markov]
    _: KW_ONLY
    epsilon: Number
    example: ClassVar[str] = "Sum() >> QuiltNoise(chain, epsilon=1)"

    def after(self, figure: Statistic) -> ChainNoise:
        return self._noise(markov_quilt(self.chains, figure, epsilon=self.epsilon))


@final
@dataclass(frozen=True)
class WassersteinNoise(_ChainStep):
    """Noise by the distance of laws: see `wasserstein`."""

    chains: Markov | Sequence[Markov]
    _: KW_ONLY
    epsilon: Number
    example: ClassVar[str] = "Sum() >> WassersteinNoise(chain, epsilon=1)"

    def after(self, figure: Statistic) -> ChainNoise:
        return self._noise(wasserstein(self.chains, figure, epsilon=self.epsilon))


@final
@dataclass(frozen=True)
class LeastNoise(_ChainStep):
    """The least noise for exactly these chains: see `least_noise`."""

    chains: Markov | Sequence[Markov]
    _: KW_ONLY
    epsilon: Number
    example: ClassVar[str] = "Sum() >> LeastNoise(chain, epsilon=1)"

    def after(self, figure: Statistic) -> ChainNoise:
        return self._noise(least_noise(self.chains, figure, epsilon=self.epsilon)[0])
