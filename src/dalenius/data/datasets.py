"""Data sets for audits of mechanisms: always the same, drawn from a belief given what is secret, or drawn by others.

The value of a record is drawn by a whole number below 2^64 of the operating system, compared with the belief's chances
rounded to such numbers: its law is off by at most 2^-64 a value in total variation. `off` says by how much a data set
is; an audit adds it, for all that it draws, to its risk.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.belief import IID, Belief, Independent, Marginal, marginal_of
from dalenius.data.sampler import fair_words
from dalenius.facts.records import Label
from dalenius.facts.secret import Presence, PresenceOnly, Secret, Value, Within
from dalenius.judge.definition import DifferentialPrivacy, NoiselessPrivacy

WORDS = 2**64
FEW_KNOWN = 4  # values that all known records are tried to have
ENDS = 8  # values of a secret beyond which only the first and the last are compared


@final
@dataclass(frozen=True)
class SameData:
    """One data set, again and again: neighbours of a differentially private release are a pair of these."""

    data: Any
    off: Fraction = Fraction(0)

    def draw(self, count: int) -> list[Any]:
        """So many of them."""
        return [self.data] * count

    def __str__(self) -> str:
        return "a data set"


@final
@dataclass(frozen=True)
class DrawnData:
    """Data sets that a function of yours draws, each anew: `function()` gives one. Its dice are yours to answer for.

    >>> import dalenius as dl
    >>> dl.data.DrawnData(lambda: [0, 1]).draw(2)
    [[0, 1], [0, 1]]
    """

    function: Callable[[], Any]
    off: Fraction = Fraction(0)

    def draw(self, count: int) -> list[Any]:
        """So many of them."""
        return [self.function() for _ in range(count)]

    def __str__(self) -> str:
        return "data sets of a function"


@final
@dataclass(frozen=True)
class BelievedData:
    """Records as an attacker believes them to be: independent, the target's and the known ones as they are stated.

    `marginals`: of each group of records, with their number; the target is the first record, and absent if `absent`;
    the last `known` records have the value `known_value`.
    """

    marginals: tuple[tuple[Marginal, int], ...]
    fact: Label | Fraction | None
    absent: bool
    known: int
    known_value: Label | Fraction | None

    @property
    def size(self) -> int:
        """How many records there are."""
        return sum(number for _, number in self.marginals)

    @property
    def off(self) -> Fraction:
        """How far the law of a data set may be off, in total variation."""
        return Fraction(sum(len(marginal) * count for marginal, count in self.marginals), WORDS)

    def draw(self, count: int) -> NDArray[Any]:
        """So many, one a row."""
        values: list[Any] = list(dict.fromkeys(value for marginal, _ in self.marginals for value, _ in marginal))
        for stated in (self.fact, self.known_value):
            if stated is not None and stated not in values:
                values.append(stated)
        records = self.size
        places = np.empty((count, records), dtype=np.int64)
        start = 0
        for marginal, number in self.marginals:
            ends, total = [], Fraction(0)
            for _, chance in marginal[:-1]:
                total += chance
                ends.append(min(WORDS - 1, round(total * WORDS)))
            words = fair_words(count * number)
            drawn = np.searchsorted(np.array(ends, dtype=np.uint64), words, side="right")
            own = np.array([values.index(value) for value, _ in marginal])
            places[:, start : start + number] = own[drawn].reshape(count, number)
            start += number
        if self.known:
            places[:, records - self.known :] = values.index(self.known_value)
        if not self.absent:
            places[:, 0] = values.index(self.fact)
        return _as_array(values)[places[:, 1:] if self.absent else places]

    def __str__(self) -> str:
        target = "the target absent" if self.absent else f"the target {self.fact}"
        known = f", {self.known} known records {self.known_value}" if self.known else ""
        return target + known


Datasets: TypeAlias = SameData | DrawnData | BelievedData


@final
@dataclass(frozen=True)
class WorldPair:
    """Two worlds whose outputs must look alike, either way round."""

    first: Datasets
    second: Datasets
    name: str

    @property
    def off(self) -> Fraction:
        """How far the two laws of a data set may be off together."""
        return self.first.off + self.second.off


def world_pairs(pairs: object) -> tuple[WorldPair, ...]:
    """Pairs as somebody gives them: of data sets, or of what draws data sets."""
    listed: list[Any] = list(pairs) if isinstance(pairs, Sequence) else []
    whole = bool(listed) and all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in listed)
    require(
        whole, "pairs of data sets", got=type(pairs).__name__, remedy="Write pairs=[(data, neighbour)], one or more."
    )
    found = []
    for place, pair in enumerate(listed, 1):
        first, second = (_datasets(each) for each in pair)
        found.append(WorldPair(first, second, f"pair {place}"))
    return tuple(found)


def _datasets(given: Any) -> Datasets:
    return given if isinstance(given, SameData | DrawnData | BelievedData) else SameData(given)


def pairs_under(definition: object) -> tuple[WorldPair, ...]:
    """The pairs of worlds that a definition compares: every two facts about a person of each kind; with known records,
    all of them at one value, for each of a few.
    """
    if isinstance(definition, DifferentialPrivacy):
        raise InputError(
            "Differential privacy compares all neighbouring data sets, of any size. Give the ones to try: "
            "pairs=[(data, neighbour), ...]."
        )
    if not isinstance(definition, NoiselessPrivacy):
        raise InputError(f"Needed a definition such as dl.noiseless(dl.IID(p=0.1, n=100)), but got {definition!r}.")
    groups = _groups(definition.belief)
    found: dict[tuple[Hashable, ...], WorldPair] = {}
    for place in range(len(groups)):
        # the target is the first record: the group it is from goes first
        ordered = (groups[place], *groups[:place], *groups[place + 1 :])
        domain = definition.belief.domain()
        for one, other in _facts(definition.secret, domain):
            for value in _known_values(definition.belief.known, domain):
                first, second = (
                    BelievedData(ordered, fact, fact is None, definition.belief.known, value) for fact in (one, other)
                )
                name = f"{first} against {'absent' if other is None else other}"
                found.setdefault((place, one, other, value), WorldPair(first, second, name))
    return tuple(found.values())


def _groups(belief: Belief) -> tuple[tuple[Marginal, int], ...]:
    if isinstance(belief, IID):
        return ((belief.marginal, belief.n),)
    if isinstance(belief, Independent):
        if belief.rates is not None:
            distinct, counts = np.unique(belief.rates, return_counts=True)
            rates = [(Fraction(float(rate)), int(count)) for rate, count in zip(distinct, counts, strict=True)]
            return tuple((marginal_of({0: 1 - rate, 1: rate}), count) for rate, count in rates)
        return belief.groups
    raise InputError(
        f"Data sets are drawn from IID and Independent beliefs, but got {belief}. Audit against members of it, or give "
        "pairs=[(dalenius.data.DrawnData(first), dalenius.data.DrawnData(second))] with functions that draw data sets."
    )


def _facts(secret: Secret, domain: Sequence[Label | Fraction]) -> Iterator[tuple[Any, Any]]:
    values = list(domain)
    if len(values) > ENDS:
        values = [values[0], values[-1]]
    if isinstance(secret, Value | Presence):
        yield from ((one, other) for one, other in permutations(values, 2) if values.index(one) < values.index(other))
    if isinstance(secret, Presence | PresenceOnly):
        yield from ((value, None) for value in values)
    if isinstance(secret, Within):
        yield from (
            (one, other)
            for place, one in enumerate(domain)
            for other in domain[place + 1 : place + 2]
            if abs(Fraction(other) - Fraction(one)) < secret.apart
        )


def _known_values(known: int, domain: Sequence[Label | Fraction]) -> list[Label | Fraction | None]:
    if not known:
        return [None]
    values = list(domain)
    return [*values] if len(values) <= FEW_KNOWN else [values[0], values[len(values) // 2], values[-1]]


def _as_array(values: Sequence[Any]) -> NDArray[Any]:
    """Numbers as numbers, all else as it is."""
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.int64)
    if all(isinstance(value, int | Fraction) and not isinstance(value, bool) for value in values):
        return np.array([float(value) for value in values])
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
