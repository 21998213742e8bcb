"""The groups of people that a decision rests on, written for somebody who has neither the data nor this program."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any, Generic, TypeAlias, TypeVar, final

from dalenius.contributions import Vector, linked
from dalenius.errors import InputError
from dalenius.figures import Figure
from dalenius.history import Entry
from dalenius.judgement import Judge
from dalenius.kinds import Kind, Types
from dalenius.mechanisms import Channel, DiscreteGaussian, Rounded, RoundedGaussian, TwoSidedGeometric
from dalenius.numerics.bracket import Bracket, digits
from dalenius.planning import Finding, Question
from dalenius.report.ways import moves_json

T = TypeVar("T")
PLACES = 6  # digits of a delta
Letters: TypeAlias = tuple[tuple[Vector, Fraction | None], ...]  # vectors in order, with or without their probability
Part: TypeAlias = tuple[tuple[int, ...], int, tuple[tuple[int, int], ...], tuple[tuple[int, int], ...] | None]


@final
@dataclass(frozen=True, slots=True)
class Numbered(Generic[T]):
    """Things that occur more than once, by number."""

    places: dict[T, int] = field(default_factory=dict)

    def place(self, thing: T) -> int:
        return self.places.setdefault(thing, len(self.places))


@final
@dataclass(frozen=True, slots=True)
class Shelves:
    """What groups have in common, each by number."""

    figures: tuple[Figure, ...]
    places: dict[Figure, int] = field(default_factory=dict)
    numbers: Numbered[Entry] = field(default_factory=Numbered)
    domains: Numbered[Letters] = field(default_factory=Numbered)
    laws: Numbered[Letters] = field(default_factory=Numbered)
    kinds: Numbered[tuple[Any, ...]] = field(default_factory=Numbered)

    def figure(self, figure: Figure) -> int:
        if not self.places:
            self.places.update({one: place for place, one in reversed(list(enumerate(self.figures)))})
        return self.places[figure]

    def part(self, figures: Sequence[Figure], kind: Kind) -> Part:
        """One part of a group, with its domain and its laws by number."""
        domain = self.domains.place(tuple((vector, None) for vector in sorted(kind.domain)))
        least = self.types(kind.least) if kind.least else None
        return tuple(map(self.figure, figures)), domain, self.types(kind.types), least

    def types(self, types: Types) -> tuple[tuple[int, int], ...]:
        return tuple((self.laws.place(law), count) for law, count in types)


def grouped(findings: Sequence[Finding], question: Question, figures: Sequence[Figure]) -> dict[str, Any]:
    """Numbers, domains, laws, kinds and groups: equal kinds once, all else by number.

    Cost: one law for each group and type of record, and all rows of the columns that its figures use.
    """
    target = question.target
    judge = Judge(question.columns, question.beliefs, question.frame, question.secret, target.epsilon, target.delta)
    covering = Counter(entry for finding in findings for entry in finding.atom.entries)
    shelves, groups = Shelves(tuple(figures)), []
    for finding in findings:
        entries = finding.atom.entries
        mine = [entry.figure for entry in entries]
        parts = [shelves.part(part, judge.whole_kind(finding.atom, part)) for part in linked(mine, question.columns)]
        alone = len(entries) == 1 and covering[entries[0]] == 1
        delta = delta_text(finding.delta, target.delta)
        about = (*map(shelves.figure, mine),), (*parts,), finding.atom.size, finding.known, alone, delta
        kind = shelves.kinds.place((*about, finding.method))
        groups.append([kind, [shelves.numbers.place(entry) for entry in entries]])
    return {
        "numbers": [[shelves.figure(entry.figure), list(entry.cell)] for entry in shelves.numbers.places],
        "domains": [runs(domain) for domain in shelves.domains.places],
        "laws": [runs(law) for law in shelves.laws.places],
        "kinds": [_kind(*kind) for kind in shelves.kinds.places],
        "groups": groups,
        "moves": moves_json(findings, question, figures, judge),
    }


def _kind(
    figures: tuple[int, ...],
    parts: Sequence[Part],
    people: int,
    known: int,
    alone: bool,  # noqa: FBT001 - a row of the table above
    delta: tuple[str, str],
    method: str,
) -> dict[str, Any]:
    return {
        "figures": list(figures),
        "parts": [
            {
                "figures": list(mine),
                "domain": domain,
                "types": [list(one) for one in types],
                "least": None if least is None else [list(one) for one in least],
            }
            for mine, domain, types, least in parts
        ],
        "people": people,
        "known": known,
        "alone": alone,
        "delta": list(delta),
        "evidence": {"method": method},
    }


def runs(letters: Letters) -> list[list[Any]]:
    """Vectors that follow each other by equal steps, with equal probabilities, as one line.

    >>> runs((((0,), Fraction(1, 4)), ((1,), Fraction(1, 4)), ((5,), Fraction(1, 2))))
    [[[0], [1], 2, '1/4'], [[5], [0], 1, '1/2']]
    """
    found: list[tuple[Vector, Vector, int, Fraction | None]] = []
    for vector, chance in letters:
        if found:
            first, step, count, same = found[-1]
            ahead = tuple(a - b for a, b in zip(vector, first, strict=True))
            if chance == same and (count == 1 or ahead == tuple(count * one for one in step)):
                found[-1] = first, ahead if count == 1 else step, count + 1, same
                continue
        found.append((vector, (0,) * len(vector), 1, chance))
    return [
        [list(first), list(step), count, *([] if chance is None else [str(chance)])]
        for first, step, count, chance in found
    ]


def delta_text(delta: Bracket, wanted: Fraction) -> tuple[str, str]:
    """Both ends as decimals, rounded outwards; an upper end that passes still does."""
    lower, upper = (
        digits(end, rounding=way, places=PLACES)
        for end, way in ((delta.lower, ROUND_FLOOR), (delta.upper, ROUND_CEILING))
    )
    if delta.upper <= wanted < Fraction(upper):
        upper = str(wanted)
    return lower, upper


def channel_json(links: Sequence[Channel]) -> list[list[str]]:
    """What happens to a total, with exact parameters in steps."""
    return [_link(link) for link in links]


def _link(link: Channel) -> list[str]:
    match link:
        case TwoSidedGeometric(scale):
            return ["geometric", str(scale)]
        case DiscreteGaussian(scale):
            return ["gaussian", str(scale)]
        case RoundedGaussian(scale):
            return ["normal", str(scale)]
        case Rounded(base):
            return ["round", str(base)]
        case _:
            raise InputError(f"A certificate has no words for the channel {link}. This is a defect: report it.")
