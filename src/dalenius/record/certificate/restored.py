"""The laws, the domains and the figures of a certificate, as this program's own judge knows them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import final

from dalenius.basics.errors import InputError
from dalenius.beliefs.moments import RangeVariance
from dalenius.judge.group import (
    Believed,
    Group,
    Laws,
    Others,
    Rows,
    Types,
    Vector,
    farthest,
    first_noise,
    fits,
    named_apart,
)
from dalenius.mechanisms import Chain
from dalenius.record.certificate.document import CertificateModel, KindModel, PartModel
from dalenius.record.codec import believed_of, channel_of
from dalenius.record.codec.runs import vectors
from dalenius.tables.contributions import independent_axes

Law = tuple[tuple[Vector, Fraction], ...]
LONGEST = 1_000_000  # changes of one part


@final
@dataclass(frozen=True, slots=True)
class Restored:
    """What kinds have in common is read once: there may be thousands of kinds, each with a thousand figures."""

    document: CertificateModel
    presence: bool  # whether it is secret who is in the data
    _channels: dict[int, Chain] = field(default_factory=dict)
    _domains: dict[int, tuple[Vector, ...]] = field(default_factory=dict)
    _laws: dict[int, tuple[Law, Fraction]] = field(default_factory=dict)
    _inside: set[tuple[int, int]] = field(default_factory=set)

    def channel(self, figure: int) -> Chain:
        """What happens to the numbers of a figure."""
        if figure not in self._channels:
            self._channels[figure] = channel_of(self.document.figures[figure].channel)
        return self._channels[figure]

    def group(self, stated: KindModel, wholes: Sequence[Laws]) -> Group:
        """A kind of group as the judge is asked about it. `wholes`: the laws of its parts."""
        if any(part.believed for part in stated.parts):
            raise InputError("what is believed of all records is asked by strata")
        others = tuple(essential(whole, distinct_axes(whole), affine=not self.presence) for whole in wholes)
        release = tuple(map(self.channel, stated.figures))
        alone = stated.alone and named_apart(release, [whole.domain for whole in wholes], others)
        return Group(others, release, stated.known, alone, self.rows(stated, wholes, stated.figures))

    def groups(self, stated: KindModel, wholes: Sequence[Laws]) -> tuple[Group, ...]:
        """A kind as the judge is asked about it: where something is believed of all records of a sample, one group for
        each stratum; of several scenarios one for each.
        """
        further = max((len(part.also) for part in stated.parts), default=0)
        if further:
            others = (
                [self.laws(in_scenario(part, place), stated.people) for part in stated.parts]
                for place in range(further)
            )
            return tuple(self.group(stated, some) for some in (wholes, *others))
        if not any(part.believed for part in stated.parts):
            return (self.group(stated, wholes),)
        release, every = tuple(map(self.channel, stated.figures)), list[tuple[Others, ...]]()
        for part, whole in zip(stated.parts, wholes, strict=True):
            public = part.believed is not None or not self.presence  # how many people there are
            plainly = essential(whole, distinct_axes(whole), affine=public)
            if part.believed is None:
                every.append((plainly,))
                continue
            held = tuple(
                believed_of(self.document.believed[one].model_dump(exclude_none=True)) for one in part.believed
            )
            self._check_told(part, plainly, held)
            every.append(held)
        rows = self.rows(stated, wholes, stated.figures)
        told = [others for some in every for others in some if isinstance(others, Believed)]
        if not all(others.belief.independent for others in told):
            rows = ()
        if len(every) == 1:
            (strata,) = every
            one = stated.alone and len(strata) == 1
            return tuple(Group((others,), release, min(stated.known, others.size - 1), one, rows) for others in strata)
        if any(len(some) > 1 for some in every):
            raise InputError("a sample has one part")
        return (Group(tuple(others for (others,) in every), release, stated.known, stated.alone, rows),)

    def _check_told(self, part: PartModel, plainly: Laws, held: Sequence[Believed]) -> None:
        """InputError unless one number is told, and what records may add to it is what they are said to."""
        axes = len(plainly.domain[0])
        told = {vector[0] for vector in plainly.domain} if axes == 1 else set()
        for others in held:
            adds = {others.statistic.contribution(value) for value in others.belief.domain()}
            ends = isinstance(others.belief, RangeVariance) and adds == {min(told, default=0), max(told, default=0)}
            if axes != 1 or not (adds == told or ends):
                raise InputError(f"what is believed of figures {list(part.figures)} is about another number")

    def rows(self, stated: KindModel, wholes: Sequence[Laws], inside: Sequence[int]) -> tuple[Rows, ...]:
        """What one record may add to these figures of a kind, which are all of some of its parts, if each that it moves
        begins with noise.
        """
        place = {figure: at for at, figure in enumerate(inside)}
        found = []
        for part, whole in zip(stated.parts, wholes, strict=True):
            axes = sorted(
                (axis for axis, figure in enumerate(part.figures) if figure in place),
                key=lambda axis: place[part.figures[axis]],
            )
            if not axes:
                continue
            reach = tuple(_reach(whole, axis, presence=self.presence) for axis in axes)
            channels = [self.channel(part.figures[axis]) for axis in axes]
            if any(far and not first_noise(channel).random for far, channel in zip(reach, channels, strict=True)):
                return ()
            vectors = tuple(dict.fromkeys(tuple(vector[axis] for axis in axes) for vector in whole.domain))
            if whole.changes is not None:
                both = farthest(whole.domain, whole.changes)
                vectors = tuple(tuple(vector[axis] for axis in axes) for vector in both)
                reach = tuple(abs(both[1][axis]) for axis in axes)
            limited = self.document.together is not None and whole.changes is not None
            found.append(Rows(tuple(place[part.figures[axis]] for axis in axes), vectors, reach, limited))
        return tuple(found)

    def laws(self, part: PartModel, people: int) -> Laws:
        """One part of a kind; InputError where its laws and its domain do not fit together."""
        domain = self._domain(part.domain)
        if len(domain[0]) != len(part.figures):
            raise InputError("a domain has not one coordinate for each figure")
        least = () if part.least is None else self._types(part.least, part.domain, people, whole=False)
        types = self._types(part.types, part.domain, people, whole=True)
        if not fits(types, least):
            raise InputError("its laws are below the masses that no probability is below")
        answered = None if part.answered is None else Fraction(part.answered)
        if answered is not None:
            _check_answered(types, domain, answered)
        return Laws(types, domain, least, changes_of(part), answered=answered)

    def _domain(self, place: int) -> tuple[Vector, ...]:
        if place not in self._domains:
            domain = tuple(vectors(self.document.domains[place]))
            if len(set(domain)) != len(domain) or len({len(vector) for vector in domain}) != 1:
                raise InputError("a domain has no vector, one twice, or some of different lengths")
            self._domains[place] = domain
        return self._domains[place]

    def _types(self, stated: Sequence[tuple[int, int]], domain: int, people: int, *, whole: bool) -> Types:
        if sum(count for _, count in stated) != people:
            raise InputError(f"its laws are not those of {people} people")
        found = []
        for place, count in stated:
            law, mass = self._law(place)
            if mass != 1 if whole else mass > 1:
                raise InputError("probabilities do not sum to one")
            if (place, domain) not in self._inside and not {vector for vector, _ in law} <= set(self._domain(domain)):
                raise InputError("a law has a vector outside its domain")
            self._inside.add((place, domain))
            found.append((law, count))
        return tuple(found)

    def _law(self, place: int) -> tuple[Law, Fraction]:
        """A law, sorted, and its whole mass."""
        if place not in self._laws:
            runs = self.document.laws[place]
            chances = [Fraction(chance) for _, _, many, chance in runs for _ in range(many)]
            law = tuple(sorted(zip(vectors(runs), chances, strict=True)))
            if len(dict(law)) != len(law) or any(chance <= 0 for chance in chances):
                raise InputError("a law has a vector twice, or a probability that is not above 0")
            self._laws[place] = law, sum(chances, Fraction(0))
        return self._laws[place]


def in_scenario(part: PartModel, place: int) -> PartModel:
    """The part in one of the further scenarios."""
    other = part.also[place]
    return part.model_copy(update={"types": other.types, "least": other.least, "also": []})


def _check_answered(types: Types, domain: Sequence[Vector], keep: Fraction) -> None:
    """InputError unless these may be laws of answers that a coin kept with this chance."""
    each = [dict(law).get(vector, Fraction(0)) for law, _ in types for vector in domain]
    if len(domain) > 2 or not Fraction(1, 2) < keep < 1 or any(chance < 1 - keep for chance in each if len(domain) > 1):
        raise InputError("its laws are none of answers that went through such a coin")


def changes_of(part: PartModel) -> tuple[int, ...] | None:
    """By how much facts that are compared differ; None if any two of the domain are."""
    if part.changes is None:
        return None
    found = tuple(first + place * step for first, step, many in part.changes for place in range(many))
    if sum(many for _, _, many in part.changes) > LONGEST or any(b <= a for a, b in pairwise(found)):
        raise InputError("by how much facts differ is not written as rising numbers")
    return found


def essential(kind: Laws, axes: Sequence[int], *, affine: bool) -> Laws:
    """The kind with these coordinates, but without those that are (affine) linear combinations of earlier ones."""
    some = [tuple(vector[axis] for axis in axes) for vector in kind.domain]
    kept = [axes[place] for place in independent_axes(some, affine=affine)]

    def fewer(types: Types) -> Types:
        found: Counter[Law] = Counter()
        for law, count in types:
            masses: dict[Vector, Fraction] = {}
            for vector, chance in law:
                at = tuple(vector[axis] for axis in kept)
                masses[at] = masses.get(at, Fraction(0)) + chance
            found[tuple(sorted(masses.items()))] += count
        return tuple(found.items())

    domain = tuple(dict.fromkeys(tuple(vector[axis] for axis in kept) for vector in kind.domain))
    return Laws(fewer(kind.types), domain, fewer(kind.least), kind.changes, answered=kind.answered)


def distinct_axes(whole: Laws) -> list[int]:
    """The coordinates of laws, without those that equal an earlier one everywhere."""
    columns = list(zip(*whole.domain, strict=True))
    return sorted({column: axis for axis, column in reversed(list(enumerate(columns)))}.values())


def _reach(whole: Laws, axis: int, *, presence: bool) -> int:
    """How far one record can move a number; where presence is secret, also by being there at all."""
    ends = [vector[axis] for vector in whole.domain] + ([0] if presence else [])
    return max(ends) - min(ends)
