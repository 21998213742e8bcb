"""Who is in the table was drawn by chance from a population whose members, and what is true of them, may be known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias, final

from dalenius.enclosure.formats import short
from dalenius.facts.records import Cell

DrawnAs: TypeAlias = Literal["simple", "independent"]
VOLUNTEERS = "a list of who took part, or a sample that was not drawn by chance (volunteers, a rule that saw the data)"
KNOWN_MEMBERS = "what is true of the members of the population may be known to anybody, but for one of them"


@final
@dataclass(frozen=True, slots=True)
class DrawnBy:
    """How the table was drawn. `simple`: of each stratum (a combination of the columns `by`) a number that is public,
    each set of so many members equally likely; `drawn`: that number, as the table has it. `independent`: every member
    by a coin of their own, of the stratum's rate. `secret`: whether it is secret too who was drawn.
    """

    design: DrawnAs
    by: tuple[str, ...]
    members: Mapping[Cell, int]
    source: str
    rates: Mapping[Cell, Fraction] = field(default_factory=dict)
    secret: bool = True
    drawn: Mapping[Cell, int] = field(default_factory=dict)

    @property
    def lines(self) -> tuple[str, ...]:
        """What is assumed, in words, instead of independent records of stated laws."""
        strata = f" of each {' and '.join(self.by)}" if self.by else ""
        if self.design == "simple":
            how = f"every set of so many members{strata} was equally likely to be drawn, and how many is public"
        else:
            rates = sorted(set(self.rates.values()))
            at = short(rates[0]) if len(rates) == 1 else f"{short(rates[0])} to {short(rates[-1])}"
            how = f"every member{strata} was drawn by a coin of their own, of probability {at}"
        who = "who was drawn is not known" if self.secret else "that the person was drawn may be known, of others not"
        return f"{how}, and {who} (source: {self.source})", KNOWN_MEMBERS

    @property
    def broken_by(self) -> str:
        return VOLUNTEERS
