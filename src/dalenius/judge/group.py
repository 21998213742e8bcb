"""The question: a group of people who are in exactly the same published numbers, as the attacker sees them."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import Belief
from dalenius.enclosure.formats import apart
from dalenius.facts.secret import Facts
from dalenius.facts.statistics import Statistic
from dalenius.mechanisms import Chain, Channel, Exact
from dalenius.mechanisms.compared import only_compared

if TYPE_CHECKING:
    from dalenius.judge.definition import Definition

Vector: TypeAlias = tuple[int, ...]  # what a record adds to some numbers, in steps
Law: TypeAlias = Mapping[Vector, Fraction]
Types: TypeAlias = tuple[tuple[tuple[tuple[Vector, Fraction], ...], int], ...]  # laws, and how many have them


@final
@dataclass(frozen=True, slots=True)
class Target:
    """What is wanted: delta at epsilon.

    >>> from fractions import Fraction
    >>> import dalenius as dl
    >>> dl.judge.Target(Fraction(1, 2), Fraction(1, 10**6))
    Target(epsilon=Fraction(1, 2), delta=Fraction(1, 1000000))
    """

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        if self.epsilon < 0:
            raise InputError(
                f"epsilon must be at least 0, but got {apart(self.epsilon, 0)}. Typical values are 0.1 to 2."
            )
        if not 0 <= self.delta <= 1:
            raise InputError(
                f"delta must lie between 0 and 1, but got {apart(self.delta, 1)}. Typical values are 1e-9 to 1e-3."
            )


class Others(ABC):
    """What a record may add to some numbers, and who else is in them, as the attacker sees them. Everything that can be
    believed of a group is one of these; the judge alone makes curves of them.
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """How many records there are, the target's among them."""


@final
@dataclass(frozen=True, slots=True)
class Laws(Others):
    """Independent records: one law a type of record, and the vectors that the domain allows. `least`: masses that no
    probability is below, where the laws are only known in part. `changes`: by how much what a record adds to the one
    number that is told of it differs between two facts that are compared, if not any two of the domain are.
    `attained`: each law that keeps above the masses is meant; if not, they bound what is told from above only.
    `answered`: what is added are two answers that went through a coin, which keeps them with this chance.

    >>> from fractions import Fraction
    >>> import dalenius as dl
    >>> coin = (((0,), Fraction(1, 2)), ((1,), Fraction(1, 2)))
    >>> dl.judge.Laws(((coin, 100),), ((0,), (1,))).size
    100
    """

    types: Types
    domain: tuple[Vector, ...]
    least: Types = ()
    changes: tuple[int, ...] | None = None
    attained: bool = True
    answered: Fraction | None = None
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Long laws take long to hash, and are looked up often: their ends and numbers do."""
        ends = [(len(law), law[:2], law[-2:], count) for law, count in (*self.types, *self.least)]
        object.__setattr__(self, "_hash", hash((*ends, len(self.domain), self.domain[:2], self.domain[-2:])))

    def __hash__(self) -> int:
        return self._hash

    @property
    def size(self) -> int:
        return sum(self.counts)

    @property
    def laws(self) -> list[dict[Vector, Fraction]]:
        return [dict(law) for law, _ in self.types]

    @property
    def counts(self) -> list[int]:
        return [count for _, count in self.types]

    @property
    def stated(self) -> "Laws":
        """The laws themselves, whatever else is left open."""
        return replace(self, least=(), attained=True) if self.least else self

    @property
    def unknown(self) -> bool:
        """Whether nothing is known of the laws: then everybody else may have any value for sure, which is as if the
        attacker knew them all (delta is convex in each law, so that the worst are points, and any of them is allowed).
        """
        return bool(self.least) and self.size > 0 and not any(law for law, _ in self.least)

    @property
    def evenly(self) -> "Laws":
        """The same people, each of whom may have anything that the domain allows."""
        even = tuple((vector, Fraction(1, len(self.domain))) for vector in sorted(self.domain))
        return replace(self, types=((even, self.size),), least=(), attained=True)

    @property
    def plain(self) -> bool:
        """Whether everybody adds the same, and not nothing: whoever is there shows for sure."""
        return len(self.domain) == 1 and any(self.domain[0])


@final
@dataclass(frozen=True)
class Believed(Others):
    """One number of records about which a belief of any kind is held, under a definition.

    >>> from fractions import Fraction
    >>> import dalenius as dl
    >>> others = dl.judge.Believed(dl.noiseless(dl.IID(p="0.3", n=1000)), dl.Count())
    >>> group = dl.judge.Group((others,), ((dl.Count() >> dl.Exact()).channel,), known=0)
    >>> print(dl.judge.judge(group, dl.Value(), dl.judge.Target(Fraction(1), Fraction(1, 10**6))).verdict)
    pass
    """

    definition: "Definition"
    statistic: Statistic

    @property
    def belief(self) -> Belief:
        return self.definition.belief

    @property
    def size(self) -> int:
        return self.belief.n

    @property
    def everybody(self) -> bool:
        """Whether all other records are known: differential privacy."""
        from dalenius.judge.definition import DifferentialPrivacy

        return isinstance(self.definition, DifferentialPrivacy)

    @property
    def apart(self) -> bool:
        """Whether records are independent, so that noise by itself hides one of them."""
        return self.everybody or self.belief.independent

    @cached_property
    def facts(self) -> Facts:
        """What the secret says about what one person adds."""
        return self.belief.facts(self.statistic, self.definition.secret)


@final
@dataclass(frozen=True, slots=True)
class Rows:
    """What one record may add to some numbers at once, over all facts: by this noise is judged, pair of facts by pair
    of facts. `vectors` is empty where they are too many; `reach` is how far one record can move each number.
    """

    numbers: tuple[int, ...]  # places among the group's numbers
    vectors: tuple[Vector, ...]
    reach: tuple[int, ...]
    whole: bool = False  # whether it is what a whole household may add that is listed
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ends = (len(self.vectors), self.vectors[:2], self.vectors[-2:])
        object.__setattr__(self, "_hash", hash((self.numbers, self.reach, *ends)))

    def __hash__(self) -> int:
        return self._hash


@final
@dataclass(frozen=True, slots=True)
class Group:
    """People who are in exactly the same published numbers: all that a certificate lists of them, and all that the
    judge is asked.

    >>> import dalenius as dl
    >>> others = dl.judge.Believed(dl.noiseless(dl.IID(p="0.3", n=1000)), dl.Count())
    >>> dl.judge.Group((others,), ((dl.Count() >> dl.Exact()).channel,), known=0).alone
    True
    """

    others: tuple[Others, ...]  # for each independent part of a record, without numbers that tell nothing new of it
    release: tuple[Chain, ...]  # what happens to each number before it is published
    known: int  # records that the attacker knows, the worst ones
    alone: bool = True  # whether the only number covers nobody else, or those do not that are only compared
    rows: tuple[Rows, ...] = ()  # where every number that a record moves begins with noise: what a record may add

    @property
    def size(self) -> int:
        """How many people there are."""
        return max((one.size for one in self.others), default=0)

    @property
    def blurred(self) -> bool:
        """Whether some number is not published as it is."""
        return not all(channel.exact for channel in self.release)

    @property
    def compared(self) -> bool:
        """Whether the numbers are the counts of which one value is named, and no others."""
        many, first = len(self.release), self.release[0]
        return many > 1 and only_compared(first.links, many) and all(channel == first for channel in self.release)

    @property
    def repeats(self) -> bool:
        """Whether all the numbers add up the same, so that only their noise differs."""
        vectors = self.rows[0].vectors if len(self.rows) == 1 else ()
        return bool(vectors) and all(len(set(vector)) == 1 for vector in vectors)


def farthest(domain: Sequence[Vector], changes: Sequence[int]) -> tuple[Vector, ...]:
    """Two vectors that differ most among those that are compared, where all lie on one line: `changes` are in steps of
    the first coordinate that is not the same for all. Noise that hides them hides all others.

    >>> farthest([(1, 0, 5), (1, 2, 6), (1, 4, 7)], (2,))
    ((0, 0, 0), (0, 2, 1))
    """
    low, high = min(domain), max(domain)
    whole = next((b - a for a, b in zip(low, high, strict=True) if a != b), 1)
    most = max(changes, default=0)
    return (0,) * len(low), tuple((b - a) * most // whole for a, b in zip(low, high, strict=True))


def first_noise(channel: Chain) -> Channel:
    """The noise that a channel begins with, without what follows; none at all if it does not begin with noise."""
    return channel.links[0] if channel.links and channel.links[0].random else Exact()


def records_told(size: int, known: int) -> str:
    """How many records a group has, and how many of them the attacker could know, at worst.

    >>> records_told(61, 60), records_told(61, 5), records_told(1, 0)
    ('61 records, of which the attacker could know all but one', '61 records, of which the attacker could know 5', \
'1 record, which the attacker does not know')
    """
    if size == 1:
        return "1 record, which the attacker does not know"
    some = "none" if not known else "all but one" if known == size - 1 else str(known)
    return f"{size} records, of which the attacker could know {some}"


def named_apart(release: Sequence[Chain], domains: Sequence[Sequence[Vector]], others: Sequence[Others]) -> bool:
    """Whether counts of which only one value is named are of different values, one each, and nobody is in none of them;
    or, if none of them tells nothing new, somebody may be. Otherwise who is in none looks like who is in the last one.
    `domains`: what a record adds to all of the numbers; `others`: the same without those that tell nothing new.
    """
    many = len(release)
    if not only_compared(release[0].links, many):
        return True
    if len(domains) != 1 or len(others) != 1:
        return False
    (domain,), (kept,) = domains, others
    values, nowhere = {tuple(int(axis == value) for axis in range(many)) for value in range(many)}, (0,) * many
    whole = isinstance(kept, Laws) and len(kept.domain[0]) == many
    return {*domain} == values or (whole and {*domain} == {*values, nowhere})


# -- groups that somebody makes by hand --------------------------------------------------------------------------------


def checked(group: Group) -> Group:
    """The group, if it is one: laws that are laws, on their domain, of as many records in each part; no more known than
    there are others. What noise hides by itself is taken from the domain, not from what is claimed of it.
    """
    if not group.release or not group.others:
        raise InputError("A group needs at least one number and who is in it, but one of them is missing. Add it.")
    if len(group.release) == 1 and len(group.others) > 1:
        raise InputError(f"One number has one part, but got {len(group.others)}. Give the law of what is added to it.")
    sizes = {others.size for others in group.others}
    if len(sizes) > 1:
        raise InputError(f"All parts of a group have the same people, but they have {sorted(sizes)}. Correct them.")
    if type(group.known) is not int or not 0 <= group.known < max(group.size, 1):
        raise InputError(
            f"The attacker knows some of the others, from 0 to {group.size - 1} records, but got {group.known!r}."
        )
    if not all(isinstance(channel, Chain) for channel in group.release):
        raise InputError("What happens to a number is a Chain of channels, Chain(()) if nothing does. Write that.")
    if len(group.others) > 1 and not all(isinstance(others, Laws) for others in group.others):
        raise InputError("A belief is about one number; several parts are given by their laws. Write Laws.")
    for others in group.others:
        if isinstance(others, Laws):
            _check_laws(others)
        elif isinstance(others, Believed) and group.known < others.belief.known:
            raise InputError(
                f"The belief has {others.belief.known} records known, but the group {group.known}. Say it once."
            )
    axes = sum(len(others.domain[0]) for others in group.others if isinstance(others, Laws))
    if isinstance(group.others[0], Laws) and axes != len(group.release):
        raise InputError(f"A group of {len(group.release)} numbers has as many coordinates, but got {axes}.")
    return replace(group, rows=_own_rows(group))


def _check_laws(laws: Laws) -> None:
    lengths = {len(vector) for vector in laws.domain}
    if len(lengths) != 1 or len(set(laws.domain)) != len(laws.domain):
        raise InputError("A domain has different vectors of one length. Correct it.")
    if not laws.types or any(type(count) is not int or count < 1 for _, count in (*laws.types, *laws.least)):
        raise InputError("Laws need at least one record each, a whole number of them. Correct the counts.")
    domain = frozenset(laws.domain)
    for some, whole in ((laws.types, True), (laws.least, False)):
        for law, _ in some:
            mass = sum((chance for _, chance in law), Fraction(0))
            if any(chance < 0 for _, chance in law) or (mass != 1 if whole else mass > 1):
                raise InputError(f"Probabilities are at least 0 and sum to 1, but they sum to {mass}. Correct them.")
            if len(dict(law)) != len(law) or not domain.issuperset(vector for vector, _ in law):
                raise InputError("A law has vectors of its domain, each once. Correct it, or the domain.")
    if laws.least and sum(count for _, count in laws.least) != laws.size:
        raise InputError("What no probability is below is stated for all records, or for none. Correct the counts.")
    if not fits(laws.types, laws.least):
        raise InputError("No probability is below what is stated of it, but some are. Correct the laws, or the masses.")


def fits(types: Types, least: Types) -> bool:
    """Whether laws are nowhere below the masses that no probability is below: all of them together."""
    room: dict[Vector, Fraction] = defaultdict(Fraction)
    for sign, some in ((1, types), (-1, least)) if least else ():
        for law, count in some:
            for vector, chance in law:
                room[vector] += sign * count * chance
    return all(mass >= 0 for mass in room.values())


def believed_rows(others: Believed, channel: Chain) -> tuple[Rows, ...]:
    """What one record may add to a noisy number, where records are independent, so that noise by itself hides one."""
    if not others.apart or not first_noise(channel).random or not others.facts.adds:
        return ()
    adds = tuple((amount,) for amount in sorted(others.facts.adds))
    return (Rows((0,), adds, (others.facts.reach,)),)


def _own_rows(group: Group) -> tuple[Rows, ...]:
    """What a record may add to the numbers, where each of them has noise and is a coordinate of the one part."""
    (first, *more) = group.others
    if isinstance(first, Believed):
        return believed_rows(first, group.release[0])
    if more or not isinstance(first, Laws) or not all(first_noise(channel).random for channel in group.release):
        return ()
    reach = tuple(max(column) - min(0, *column) for column in zip(*first.domain, strict=True))
    return (Rows(tuple(range(len(reach))), first.domain, reach),)
