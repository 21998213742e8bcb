"""The data are a sample: the attacker knows the whole population, but not who was drawn."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_FLOOR
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, final

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.answers import NOTHING, Answer, Inquiry, WorstOf
from dalenius.beliefs.belief import Belief, Share, known_records
from dalenius.beliefs.designs import Bernoulli, Design, Independently, Poisson, SampleAsked
from dalenius.beliefs.fixed_size import WithoutReplacement
from dalenius.enclosure.formats import apart, digits
from dalenius.facts.records import Label, exact, is_whole
from dalenius.facts.secret import BOTH, Facts, Secret

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

Value: TypeAlias = Label | Fraction
Number: TypeAlias = float | str | Fraction
MOST_SIZES = 2000
MUCH = Fraction(1, 2)  # share of the population above which the output says how much it is
DRAWN = (
    "who is in the data was drawn by chance as stated, and only that hides a person: this is about sampling; the "
    "attacker may know everybody's value"
)
SHARE = "of no more members than stated does the attacker know whether they were drawn"
RANDOM_SIZE = "the size of the sample is random, and not published"
CENSUS = (
    "A census is not a sample: everybody is in the data, so no uncertainty about who was drawn hides anybody. "
    "State what the attacker thinks of the records instead (IID and the like), or add noise."
)


@final
class Sampled(Belief):
    """A sample from a known population: `cells` says how many members have each value. One of

    - `rate=0.1`: each member is drawn with this probability, independently of the others (Bernoulli sampling);
    - `poisson=0.1`: each member stands in the data a Poisson number of times with this mean;
    - `size=1000`: so many different members, each set equally likely; the size is public;
    - `size=1000, replace=True`: so many records, each drawn from the shares of the population (i.i.d.);
    - `sizes={900: "1/2", 1000: "1/2"}`, with or without replacement: a random size, not public.

    *PresenceOnly*: the laws of the figure given that a member was drawn, and given that they were not, for members of
    every value. *Value*: the attacker knows that the target was drawn, and everybody else's value; with
    `participation="secret"` the target may or may not have been drawn, as for populations that differ in one member.
    *Presence*: both.
    `known`: of so many other members (with replacement: records) the attacker knows whether they were drawn; the worst
    ones, and the worst that can be known of them.

    >>> import dalenius as dl
    >>> survey = Sampled({0: 9000, 1: 1000}, size=1000)
    >>> print(dl.verify(dl.Count(), dl.noiseless(survey, secret=dl.PresenceOnly()), epsilon=1).delta)
    [8.589e-16, 8.59e-16]
    """

    def __init__(
        self,
        cells: Mapping[Value, int],
        *,
        rate: Number | None = None,
        poisson: Number | None = None,
        size: int | None = None,
        sizes: Mapping[int, Number] | None = None,
        replace: bool = False,
        participation: str = "known",
        known: Share = 0,
        domain: Iterable[Value] | None = None,
    ) -> None:
        self.cells = _checked_cells(cells)
        self.members = sum(self.cells.values())
        self.design = _design(self.members, rate, poisson, _size_law(size, sizes), replace=replace)
        if participation not in ("known", "secret"):
            raise InputError(f'participation must be "known" or "secret", but got {participation!r}. Choose one.')
        if participation == "secret" and isinstance(self.design, Poisson | Independently):
            raise InputError(
                "Whether a target was drawn can be secret beside their value only where each member is drawn at most "
                'once, but here members are drawn again. Leave participation="known", or use rate=... or size=....'
            )
        self.told = participation == "known"
        self.n = self.design.records(self.members)
        self.known = known_records(known, self.n)
        self._domain = _domain(domain, self.cells)

    @property
    def assumes(self) -> tuple[str, ...]:
        fraction = self.design.fraction(self.members)
        if fraction is None or fraction < MUCH:
            return DRAWN, SHARE
        share = digits(100 * float(fraction), rounding=ROUND_FLOOR, places=6)
        note = f"{share} % of the population is in the sample: the nearer to a census, the less this hides"
        return DRAWN, SHARE, note

    @property
    def breaks(self) -> str:
        return "a list of who took part, a sample that was not drawn by chance (volunteers), a person drawn twice"

    @property
    def sources(self) -> tuple[str, ...]:
        return (
            "Bassily et al. 2013, Coupled-worlds privacy, Definition 9 (repaired: given that a named person is in)",
        )

    def domain(self) -> Sequence[Value]:
        return self._domain

    def secret_number(self, secret: Secret) -> str:
        """Where the size is fixed it is public, whoever is drawn; else it depends on that."""
        return "" if self.design.size_is_public else RANDOM_SIZE

    @property
    def route(self) -> str:
        return "design of the sample"

    def answer(self, statistic: "Statistic", asked: Inquiry) -> Answer:
        facts = asked.facts
        adds = tuple(dict.fromkeys(statistic.contribution(value) for value in self._domain))
        if facts.presence and facts.values:  # somebody who is not drawn does not merely add nothing: others are drawn
            each = (replace(asked, facts=Facts.of(secret, adds)) for secret in BOTH)
            return WorstOf(tuple(self.answer(statistic, some) for some in each))
        members: dict[int, int] = {}
        for value, count in self.cells.items():
            if count:
                at = statistic.contribution(value)
                members[at] = members.get(at, 0) + count
        if not facts.presence and not facts.reach:
            return NOTHING
        return self.design.answer(
            SampleAsked(members, adds, facts, asked.channel, asked.known, self.told, asked.enough)
        )

    def __str__(self) -> str:
        of = "records" if isinstance(self.design, Independently) else "members"
        secret = "" if self.told else ", who took part is secret"
        return (
            f"a sample of a population of {self.members}, known to the attacker: {self.design}{secret}; "
            f"attacker knows {self.known} {of} of {self.n}"
        )


def _checked_cells(cells: Mapping[Value, int]) -> dict[Value, int]:
    require(isinstance(cells, Mapping), "cells={value: members}, the members of the population by value", got=cells)
    for value, count in cells.items():
        if not is_whole(count):
            raise InputError(
                f"A cell of the population needs a whole number of members, at least 0, but {value} has {count!r}. "
                "Correct it."
            )
    if not any(cells.values()):
        raise InputError("A population needs at least one member, but got none. Give cells={value: members}.")
    return {value: int(count) for value, count in cells.items()}


def _domain(declared: Iterable[Value] | None, cells: Mapping[Value, int]) -> tuple[Value, ...]:
    if declared is None:
        return tuple(cells)
    domain = tuple(dict.fromkeys(declared))
    for value in cells:
        if value not in domain:
            raise InputError(f"The domain must hold every value of the population, but {value} is missing. Add it.")
    return domain


def _size_law(size: int | None, sizes: Mapping[int, Number] | None) -> tuple[tuple[int, int], ...] | None:
    """Sizes with whole numbers that are proportional to their probabilities."""
    if size is not None and sizes is not None:
        raise InputError("A sample has a size or a law of its size, but got both. Give size=... or sizes={...}.")
    if size is None and sizes is None:
        return None
    law = (
        {size: Fraction(1)}
        if size is not None
        else {s: exact(p, name=f"The probability of {s}") for s, p in (sizes or {}).items()}
    )
    for number, chance in law.items():
        if not is_whole(number):
            raise InputError(f"The size of a sample is a whole number of at least 0, but got {number!r}. Correct it.")
        if chance < 0:
            raise InputError(f"Probabilities must be at least 0, but size {number} has {apart(chance, 0)}. Correct it.")
    total = sum(law.values(), Fraction(0))
    if total != 1:
        raise InputError(f"The probabilities of sizes must sum to 1, but sum to {apart(total, 1)}. Correct them.")
    live = {int(number): chance for number, chance in law.items() if chance}
    if len(live) > MOST_SIZES:
        raise InputError(f"At most {MOST_SIZES} sizes can be gone through, but got {len(live)}. Take fewer.")
    if max(live) == 0:
        raise InputError("A sample needs at least one record, but its size is 0. Without records nothing is to hide.")
    whole = math.lcm(*(chance.denominator for chance in live.values()))
    return tuple((number, int(chance * whole)) for number, chance in sorted(live.items()))


def _design(
    members: int,
    rate: Number | None,
    poisson: Number | None,
    sizes: tuple[tuple[int, int], ...] | None,
    *,
    replace: bool,
) -> Design:
    if sum(given is not None for given in (rate, poisson, sizes)) != 1:
        raise InputError(
            "A sample is drawn in one way: give one of rate=0.1, poisson=0.1, size=1000 and sizes={1000: 1}, but got "
            f"{sum(given is not None for given in (rate, poisson, sizes))} of them."
        )
    if replace and sizes is None:
        raise InputError("replace=True belongs to size=... or sizes=..., but got none of them. Leave it out.")
    if rate is not None:
        return Bernoulli(_checked_rate(rate, most=1))
    if poisson is not None:
        return Poisson(_checked_rate(poisson, most=None))
    found = sizes or ()
    if replace:
        return Independently(found)
    if found[-1][0] > members:
        raise InputError(
            f"Without replacement at most {members} members can be drawn, but the size is {found[-1][0]}. Correct it, "
            "or write replace=True."
        )
    if found[0][0] == members:
        raise InputError(CENSUS)
    return WithoutReplacement(found)


def _checked_rate(rate: Number, *, most: int | None) -> Fraction:
    found = exact(rate, name="The rate of a sample")
    if most is not None and found == most:
        raise InputError(CENSUS)
    if found <= 0 or (most is not None and found > most):
        ends = "above 0 and below 1" if most else "above 0"
        raise InputError(f"The rate of a sample must be {ends}, but got {rate}. Write 0.1 for one member in ten.")
    return found
