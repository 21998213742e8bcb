"""Classes of marginals around published ones: a ball around a table, and everything between several tables."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.answers import Adds
from dalenius.beliefs.at_least import MarginalClass, checked_size, some_of
from dalenius.beliefs.belief import Marginal, Share, contributions, declared_domain, known_records, marginal_of
from dalenius.beliefs.common import Weights
from dalenius.beliefs.crowd import crowd_of
from dalenius.facts.records import Label, exact

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

Table = Mapping[Label | Fraction, float | str | Fraction]
TWO = 2
WIDE = 100_000  # units between the values of a law, above which fair coins are not looked for


def coin_part(laws: Sequence[Adds], step: int) -> Fraction:
    """A weight with which a draw from each of the laws is V + step · (a fair coin), V independent of the coin."""
    if any(max(law) - min(law) > WIDE for law in laws):
        return Fraction(0)
    weights = []
    for law in laws:
        crowd = crowd_of([law, {0: Fraction(1, 3), step: Fraction(1, 3), 3 * step: Fraction(1, 3)}], [1, 1])
        weights.append(Fraction(float(crowd.overlaps(step)[0][0])))
    return min(weights)


def shared(law: Mapping[int, Fraction], weight: Fraction) -> Adds:
    """Masses that sum to the weight, as a law."""
    return {at: mass / weight for at, mass in law.items() if mass}


class TableClass(MarginalClass):
    """A class that every record's law may be any member of, the same for all n records."""

    def commons(self, statistic: "Statistic", step: int) -> Sequence[tuple[Adds, Weights]]:
        """The common part of all members, and fair coins: whichever is better at each ε."""
        least, coins = self.least(statistic), self.coins(statistic, step)
        weight = sum(least.values(), Fraction(0))
        found: list[tuple[Adds, Weights]] = [(shared(least, weight), Weights({weight: self.n}))] if weight else []
        if coins > 0:
            found.append(({0: Fraction(1, 2), step: Fraction(1, 2)}, Weights({coins: self.n})))
        return found

    @abstractmethod
    def least(self, statistic: "Statistic") -> Adds:
        """What a record adds, each with a probability that no member goes below."""

    @abstractmethod
    def coins(self, statistic: "Statistic", step: int) -> Fraction:
        """A weight of V + step · (a fair coin) that no member goes below, or a number below 0."""

    @abstractmethod
    def corners(self, statistic: "Statistic") -> Sequence[Adds]:
        """Some members; the first and the last have the least and the largest rate, if records add two numbers."""

    def members(self, statistic: "Statistic") -> Sequence[Sequence[tuple[Adds, int]]]:
        return [[(law, self.n - self.known - 1)] for law in self.corners(statistic)]

    def possible(self, statistic: "Statistic") -> frozenset[int]:
        return frozenset(at for at, chance in self.corners(statistic)[0].items() if chance)

    def ends(self, statistic: "Statistic") -> tuple[Adds, Adds] | None:
        if len({statistic.contribution(value) for value in self._domain}) != TWO:
            return None
        corners = self.corners(statistic)
        return corners[0], corners[-1]


@final
class Around(TableClass):
    """Every record's law is within total variation distance `radius` of the table's, on the domain (by default the
    table's values); each record's in its own way.

    Whatever the law, what a record adds has each of its values with a probability of at least (p - radius)+, p being
    the table's, and these are the largest such numbers: together they are the common part. And if the table's law is V
    + step · (a fair coin) with weight u, then each law of the ball is with weight u - 2 radius: where a law lacks e(k)
    of p(k), with Σ e ≤ radius, the coins that use k are cut by 2 e(k) together. Each gives an upper bound; the lower
    end of the bracket is the table moved as far as it goes to one value.

    >>> import dalenius as dl
    >>> ages = {0: "0.4", 1: "0.3", 2: "0.2", 3: "0.1"}
    >>> guarantee = dl.verify(dl.Sum(), dl.noiseless(Around(ages, "0.05", n=2000)), epsilon=1)
    >>> guarantee.delta.upper < 1e-6
    True
    """

    def __init__(
        self,
        table: Table,
        radius: float | str | Fraction,
        *,
        n: int,
        known: Share = 0,
        domain: Iterable[Label | Fraction] | None = None,
    ) -> None:
        self.table, self.radius = marginal_of(table), exact(radius, name="radius")
        if not 0 <= self.radius <= 1:
            raise InputError(
                f"A radius is a total variation distance, between 0 and 1, but got {radius}. Write 0.05 if at most "
                "one record in twenty strays from the table."
            )
        self.n = checked_size(n, "Around")
        self.known = known_records(known, n)
        self._domain = declared_domain(domain, [self.table])

    def least(self, statistic: "Statistic") -> Adds:
        law = contributions(self.table, statistic)
        return {at: max(Fraction(0), chance - self.radius) for at, chance in law.items()}

    def coins(self, statistic: "Statistic", step: int) -> Fraction:
        return coin_part([contributions(self.table, statistic)], step) - 2 * self.radius

    def corners(self, statistic: "Statistic") -> Sequence[Adds]:
        law = contributions(self.table, statistic)
        return [
            moved(law, towards, self.radius)
            for towards in some_of(statistic.contribution(value) for value in self._domain)
        ]

    def __str__(self) -> str:
        return (
            f"independent records within {float(self.radius):g} of a table of {len(self.table)} values, n={self.n}, "
            f"attacker knows {self.known}"
        )


def moved(law: Adds, towards: int, radius: Fraction) -> Adds:
    """The law with mass `radius` (or all there is) moved to one value, the farthest mass first."""
    left, found = radius, dict(law)
    for at in sorted(law, key=lambda at: -abs(at - towards)):
        taken = Fraction(0) if at == towards else min(left, found[at])
        left -= taken
        found[at] -= taken
        found[towards] = found.get(towards, Fraction(0)) + taken
    return {at: chance for at, chance in found.items() if chance}


@final
class Hull(TableClass):
    """Every record's law is one of several, or any mixture of them; each record's in its own way.

    Every member has each value with a probability of at least the least of the given laws', and each law's weight of
    fair coins is at least their least weight of these. The lower end is the worst of the given laws, for all records.

    >>> import dalenius as dl
    >>> belief = Hull([{0: "0.7", 1: "0.2", 2: "0.1"}, {0: "0.5", 1: "0.2", 2: "0.3"}], n=2000, known=0.1)
    >>> guarantee = dl.verify(dl.Sum(), dl.noiseless(belief), epsilon=1)
    >>> guarantee.delta.upper < 1e-9
    True
    """

    def __init__(
        self,
        laws: Iterable[Table],
        *,
        n: int,
        known: Share = 0,
        domain: Iterable[Label | Fraction] | None = None,
    ) -> None:
        self.laws: tuple[Marginal, ...] = tuple(marginal_of(law) for law in laws)
        if not self.laws:
            raise InputError("Hull needs at least one law, but got none. Give [{value: probability}, ...].")
        self.n = checked_size(n, "Hull")
        self.known = known_records(known, n)
        self._domain = declared_domain(domain, self.laws)

    def least(self, statistic: "Statistic") -> Adds:
        laws = self.corners(statistic)
        return {at: min(law.get(at, Fraction(0)) for law in laws) for at in laws[0]}

    def coins(self, statistic: "Statistic", step: int) -> Fraction:
        return coin_part(self.corners(statistic), step)

    def corners(self, statistic: "Statistic") -> Sequence[Adds]:
        laws = [contributions(law, statistic) for law in self.laws]
        return sorted(laws, key=lambda law: sum(at * chance for at, chance in law.items()))

    def __str__(self) -> str:
        return f"independent records between {len(self.laws)} laws, n={self.n}, attacker knows {self.known}"
