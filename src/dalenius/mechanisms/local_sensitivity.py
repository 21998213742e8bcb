"""Laplace noise for the sensitivity that the data probably have."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeAlias, final

from dalenius.basics.errors import InputError, require
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.formats import short
from dalenius.facts.records import exact
from dalenius.mechanisms.laplace import LaplaceNoise
from dalenius.mechanisms.stated import Stated, pure
from dalenius.numerics.curve import Average, Constant, Curve, Enclosed
from dalenius.numerics.law import Law
from dalenius.numerics.outcomes import ROUNDING, is_exact

Number = float | str | Fraction
Dataset: TypeAlias = tuple[Hashable, ...]


class ListedWorld(Protocol):
    """Datasets with their probabilities, all explicit, such as `dl.papers.Finite`."""

    @property
    def values(self) -> Sequence[Hashable]: ...

    @property
    def mass(self) -> Any: ...

    def items(self) -> Iterable[tuple[Dataset, Fraction | float]]: ...


@final
class LocalLaplaceNoise(Stated):
    """A figure plus Laplace noise of scale s/ε, where, as the attacker believes, no record could move the figure by
    more than s (the local sensitivity), but with probability δ.

    Then data and output, with a record or with it replaced, are (ε, δ)-indistinguishable for that attacker: on the good
    datasets the noise is pure, so that δ enters once. What follows for beliefs is
    `dl.papers.conversions.semantic_from_dp(epsilon, delta, n=n, above=x)` (Kasiviswanathan and Smith 2014, Corollary
    5.2, with its constants).

    >>> import dalenius as dl
    >>> rare = dl.papers.Finite.product([{0: "9/10", 1: "1/10"}] * 9)
    >>> middle = lambda row: sorted(row)[len(row) // 2]
    >>> print(float(dl.mechanisms.LocalLaplaceNoise.of(middle, rare, "1/2", epsilon=1, unit="1/2").delta))
    0.00826686
    """

    def __init__(self, sensitivity: Number, *, epsilon: Number, delta: Number, unit: Number = 1) -> None:
        self.noise = LaplaceNoise(sensitivity, epsilon=epsilon, unit=unit)
        self.delta = exact(delta, name="delta")
        if not 0 <= self.delta < 1:
            raise InputError(
                f"delta, the chance that a record could move the figure further, must be at least 0 and below 1, but "
                f"got {delta}. Take a larger sensitivity."
            )

    @classmethod
    def of(
        cls,
        figure: Callable[[Dataset], Number],
        belief: ListedWorld,
        sensitivity: Number,
        *,
        epsilon: Number,
        unit: Number = 1,
    ) -> "LocalLaplaceNoise":
        """The same with δ counted: the belief's chance of datasets in which replacing one record by some value moves
        the figure by more than s. Cost O(datasets x records x values).
        """
        limit = exact(sensitivity, name="sensitivity")
        bad = sum((Fraction(p) for row, p in belief.items() if _steepest(figure, row, belief) > limit), Fraction(0))
        bad = bad if is_exact(belief.mass) else bad * (1 + Fraction(ROUNDING))
        require(bad < 1, "a larger sensitivity: no dataset has as little", got=sensitivity)
        return cls(sensitivity, epsilon=epsilon, delta=bad, unit=unit)

    def law(self, figure: Number) -> Law:
        """The law of what is published, in steps of 1/1024 unit."""
        return self.noise.law(figure)

    def curve(self) -> Curve:
        """An upper bound: that of the noise on the good datasets, and 1 on the others."""
        return Enclosed(Constant(0.0), Average((float(1 - self.delta),), (self.noise.curve(),)))

    def told(self) -> str:
        return self.noise.told()

    def guarantees(self) -> tuple[Guarantee, ...]:
        level = self.noise.guarantees()[0].epsilon
        return (
            pure(
                self,
                definition="indistinguishability of data and output, with a record and with it replaced",
                hides="one record's value",
                attacker=f"believes that, but for a chance of {short(self.delta)}, no record could move the figure by "
                f"more than {short(self.noise.sensitivity)}",
                epsilon=level,
                because="the noise is pure on datasets of small local sensitivity, and the rest is δ",
                assumes=("the sensitivity was chosen without looking at the data", "the noise is drawn as stated"),
                breaks=("an attacker who holds other datasets likely",),
                sources=("Kasiviswanathan and Smith 2014, Theorem 5.1 and Corollary 5.2 (repaired)",),
                notion=Notion.INDISTINGUISHABLE,
                delta=self.delta,
            ),
        )


def _steepest(figure: Callable[[Dataset], Number], row: Dataset, belief: ListedWorld) -> Fraction:
    """The local sensitivity of a dataset."""
    here = exact(figure(row), name="The figure")
    others = ((*row[:place], value, *row[place + 1 :]) for place in range(len(row)) for value in belief.values)
    return max(abs(exact(figure(other), name="The figure") - here) for other in others)
