"""What an attacker thinks of records where laws of independent ones do not say it: an order of people or time in which
each depends on the one before, one of several laws of which nobody knows which, only how much values vary.

A stance belongs to the belief about a column (or several), and says what is believed of all the records at once; it is
judged where one number is told of these columns, and it covers everybody.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import IID
from dalenius.enclosure.formats import plain
from dalenius.facts.records import Cell, Label
from dalenius.facts.secret import Value
from dalenius.facts.statistics import Statistic, Sum, Tabled
from dalenius.judge.definition import NoiselessPrivacy
from dalenius.judge.group import Believed

if TYPE_CHECKING:
    from dalenius.beliefs.hedged import Hedged
    from dalenius.beliefs.markov import Markov
    from dalenius.beliefs.mixture import Mixture
    from dalenius.beliefs.moments import RangeVariance

Rows: TypeAlias = Sequence[Label | Fraction | Cell]  # of the columns
Likely: TypeAlias = tuple[tuple[Label | Fraction | Cell, Fraction], ...]  # rows of the columns, with probabilities


MORE_THAN_BEFORE = "records that depend on more than the one before them"
OTHER_LAW = "a law that is none of the stated ones, or weights of them that are far from what is stated"
LESS_VARIED = "records that vary less than stated"
LESS_WEIGHT = "an attacker who gives the stated law less weight, or anything else that is told of the same records"


class Stance(ABC):
    """What is believed of all the records of a column."""

    @abstractmethod
    def believed(self, rows: Rows, adds: Sequence[int], people: int, law: Likely) -> Believed:
        """The belief about what so many records add to one number, of a record with each of these rows `adds`. `law`:
        the probabilities of the rows that stand in the table.
        """

    @property
    def independent(self) -> bool:
        """Whether records are, so that noise by itself hides one of them."""
        return False

    @property
    @abstractmethod
    def lines(self) -> tuple[str, ...]:
        """What is assumed, in words, instead of independent records of stated laws."""

    @property
    @abstractmethod
    def broken_by(self) -> str:
        """What would make it wrong."""


@final
@dataclass(frozen=True, slots=True)
class Ordered(Stance):
    """Records in an order that is known, each of which depends on the one before it: a Markov chain. `known_at`: the
    places, counted from 1, whose records are known, if it is stated which.
    """

    column: str
    start: Likely
    moves: tuple[tuple[Label | Fraction | Cell, Likely], ...]
    known_at: tuple[int, ...] = ()

    def believed(self, rows: Rows, adds: Sequence[int], people: int, law: Likely) -> Believed:
        from dalenius.beliefs.markov import Markov

        states = [row for row, _ in self.moves]
        place = {row: at for at, row in enumerate(states)}
        amount = dict(zip(rows, adds, strict=True))
        belief = Markov(
            start={place[row]: chance for row, chance in self.start},
            moves={place[row]: {place[to]: chance for to, chance in law} for row, law in self.moves},
            n=people,
            known_at=self.known_at,
        )
        return _held(belief, Tabled(tuple(amount[row] for row in states)))

    @property
    def lines(self) -> tuple[str, ...]:
        said = (
            f"in the order of {self.column}, which is known to anybody, each record depends on the one before it, with "
            "the stated moves, and on nothing else"
        )
        if not self.known_at:
            return (said,)
        shown = ", ".join(map(str, self.known_at[:8])) + (", ..." if len(self.known_at) > 8 else "")
        return said, f"the attacker knows the records at the places {shown}, and nothing else about the rest"

    @property
    def broken_by(self) -> str:
        return MORE_THAN_BEFORE


@final
@dataclass(frozen=True, slots=True)
class Scenarios(Stance):
    """All records follow the same one of several laws, each with its weight, and nobody knows which."""

    parts: tuple[tuple[Fraction, Likely], ...]

    def believed(self, rows: Rows, adds: Sequence[int], people: int, law: Likely) -> Believed:
        from dalenius.beliefs.mixture import Mixture

        place = {row: at for at, row in enumerate(rows)}
        each = [
            (weight, IID(values={place[row]: chance for row, chance in law}, n=people)) for weight, law in self.parts
        ]
        return _held(Mixture(each), Tabled(tuple(adds)))

    @property
    def lines(self) -> tuple[str, ...]:
        weights = ", ".join(plain(weight) for weight, _ in self.parts)
        said = (
            f"all records follow the same one of {len(self.parts)} stated laws, with weights {weights}, nobody knows "
            "which, and given that law they are independent"
        )
        return (said,)

    @property
    def broken_by(self) -> str:
        return OTHER_LAW


@final
@dataclass(frozen=True, slots=True)
class Variation(Stance):
    """Independent records of which only the range and a variance that each has at least are known. `unit`: what one
    step of the column is worth.
    """

    bounds: tuple[Fraction, Fraction]
    variance: Fraction
    unit: Fraction

    def believed(self, rows: Rows, adds: Sequence[int], people: int, law: Likely) -> Believed:
        from dalenius.beliefs.moments import RangeVariance

        steps = [row / self.unit if isinstance(row, Fraction | int) else None for row in rows]
        if list(adds) != steps:
            raise InputError(
                "Where only a range and a variance are known, the whole column is added up: another figure may depend "
                "on what is not said. Publish the sum."
            )
        low, high = (bound / self.unit for bound in self.bounds)
        belief = RangeVariance(n=people, bounds=(low, high), variance=self.variance / self.unit**2)
        return _held(belief, Sum())

    @property
    def independent(self) -> bool:
        return True

    @property
    def lines(self) -> tuple[str, ...]:
        varies = f"each has a variance of at least {plain(self.variance)}, whatever the attacker knows"
        return (f"records are independent, within their bounds, and {varies}",)

    @property
    def broken_by(self) -> str:
        return LESS_VARIED


@final
@dataclass(frozen=True, slots=True)
class Hedging(Stance):
    """Of all records together only that the stated law has at least this weight; else they follow any other law. For
    each value of the columns that the law depends on by itself.
    """

    weight: Fraction

    def believed(self, rows: Rows, adds: Sequence[int], people: int, law: Likely) -> Believed:
        from dalenius.beliefs.hedged import Hedged

        place = {row: at for at, row in enumerate(rows)}
        belief = Hedged({place[row]: chance for row, chance in law}, weight=self.weight, n=people)
        return _held(belief, Tabled(tuple(adds)))

    @property
    def independent(self) -> bool:
        return True

    @property
    def lines(self) -> tuple[str, ...]:
        said = (
            f"all records follow one law, the stated one with a weight of at least {plain(self.weight)}, or any other; "
            "what is true of one person does not change that weight, and neither do records with another law"
        )
        return (said,)

    @property
    def broken_by(self) -> str:
        return LESS_WEIGHT


def _held(belief: "Markov | Mixture | RangeVariance | Hedged", statistic: Statistic) -> Believed:
    return Believed(NoiselessPrivacy(belief, Value()), statistic)
