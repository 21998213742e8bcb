"""The games of Kasiviswanathan and Smith: the attacker sees the real release, or one from which a record was missing.

In Game 0 the attacker sees A(x); in Game i they see A(x_-i), where record i was replaced by a default. A belief b over
datasets becomes b(x | t) in each game, by Bayes' rule with that game's likelihood.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError, require
from dalenius.facts.records import Number
from dalenius.facts.statistics import Statistic
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.numerics.outcomes import Masses, divided, fractions, total
from dalenius.papers.definitions.tables import WIDEST, Places, numbered, tabulated
from dalenius.papers.mechanisms.finite import FiniteMechanism, check_numbers, published_on, totals_of
from dalenius.papers.worlds import Dataset, Finite

Release: TypeAlias = Mechanism | Statistic | Callable[[Dataset], Mapping[Hashable, Number]]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """Datasets that no transcript tells apart, neither in Game 0 nor in the other games looked at, are of one kind.

    Whatever is asked about posteriors depends on the datasets through their kinds alone.
    """

    kind: Places  # of each dataset
    real: Masses  # kinds x transcripts: the likelihoods in Game 0
    without: tuple[Masses, ...]  # the same, in each of the other games


@final
@dataclass(frozen=True, slots=True, eq=False)
class Games:
    """A belief with the real release and, for each record, the release without that record.

    All mechanisms have the same outputs, and one state for each dataset of the belief, in its order. An attacker who
    knows something besides plays for each value of it by itself (`by_side`); what `semantic` computes is the worst.
    """

    belief: Finite
    real: FiniteMechanism
    without: tuple[FiniteMechanism, ...]

    def __post_init__(self) -> None:
        require(self.belief.n > 0, "datasets with at least one record", got=self.belief.n)
        count = len(self.without)
        require(count == self.belief.n, f"a release without each of {self.belief.n} records", got=count)
        played = (self.real, *self.without)
        sizes = {len(game.state) for game in played}
        require(sizes == {self.belief.size}, f"a state for each of {self.belief.size} datasets", got=sorted(sizes))
        same = all(game.outputs == self.real.outputs for game in played)
        require(same, "the same outputs in all games, in the same order", got="others")
        slack = max(game.slack for game in played)
        require(slack == 0, "a release known exactly", got=f"noise cut at {slack}", remedy="Use rational noise.")

    @classmethod
    def of(cls, release: Release, belief: Finite, *, default: Hashable) -> "Games":
        """From a function that gives the probabilities of the outputs on any dataset, the default included, or from
        `statistic >> channel`, where the default may be any value, or None for a record that is absent.

        The function is called once for each dataset, with or without a record. Cost O(records x datasets) besides.
        """
        values, inputs, extra = _inputs(belief, default)
        if isinstance(release, Mechanism | Statistic):
            made = release if isinstance(release, Mechanism) else Mechanism(release)
            codes = np.concatenate([belief.codes, extra])
            check_numbers(made.statistic, [(values, codes)])
            totals = totals_of(made.statistic, values, codes)
            return cls._played(belief, next(published_on(made, [totals])), inputs)
        require(
            callable(release),
            "a function of the dataset, or statistic >> channel",
            got=type(release).__name__,
            remedy="For a mechanism on listed datasets use Games.on.",
        )
        rows = [*belief.datasets(), *(tuple(values[code] for code in row) for row in extra.tolist())]
        return cls._played(belief, tabulated(release, rows), inputs)

    @classmethod
    def on(cls, belief: Finite, mechanism: FiniteMechanism, *, default: Hashable) -> "Games":
        """From a mechanism on the datasets of the belief, which must contain each dataset with the default put in."""
        size = len(mechanism.state)
        require(size == belief.size, f"a mechanism on the {belief.size} datasets of the belief", got=size)
        values, inputs, extra = _inputs(belief, default)
        if len(extra):
            raise InputError(
                f"Every dataset with a record replaced by {default!r} must be listed in the belief, but "
                f"{tuple(values[code] for code in extra[0].tolist())} is not. List it with probability 0, or use "
                "Games.of with a function."
            )
        return cls._played(belief, mechanism, inputs)

    @classmethod
    def _played(cls, belief: Finite, mechanism: FiniteMechanism, inputs: Sequence[Places]) -> "Games":
        real, *without = (mechanism.moved(places) for places in inputs)
        return cls(belief, real, tuple(without))

    def under(self, prior: Finite) -> "Games":
        """The same games for another belief over these datasets, of an attacker who knows nothing besides."""
        return Games(self.belief.weighed_by(prior), self.real, self.without)

    def kinds(self, records: Sequence[int]) -> Kinds:
        """The kinds of datasets as far as Game 0 and the games without these records go. Cost O(datasets) a record."""
        played = (self.real, *(self.without[record] for record in records))
        kind = np.zeros(self.belief.size, dtype=np.int64)
        for game in played:
            kind = numbered(kind * (int(game.state.max()) + 1) + game.state)
        first = np.empty(int(kind.max()) + 1, dtype=np.int64)
        first[kind[::-1]] = np.arange(len(kind))[::-1]
        real, *without = (_likelihoods(game, game.state[first]) for game in played)
        return Kinds(kind, real, tuple(without))

    def by_side(self) -> "list[Games]":
        """The games given each thing that may be known besides."""
        belief, found = self.belief, []
        if belief.side is None:
            return [self]
        for place in range(len(belief.sides)):
            mass = belief.mass * belief.side_is(place)
            if weight := total(mass):
                given = Finite(belief.values, belief.codes, divided(mass, weight))
                found.append(Games(given, self.real, self.without))
        return found

    def require_one_side(self) -> None:
        """Refuse a belief of which what is known besides has not been fixed."""
        require(
            self.belief.knows_nothing,
            "a belief without auxiliary information",
            got=f"one of {len(self.belief.sides)} things known besides",
            remedy="Take the games of games.by_side() one by one.",
        )

    def chances(self) -> Masses:
        """How likely the belief holds each transcript of the real release."""
        self.require_one_side()
        law = self.real.law(self.belief, np.ones(self.belief.size, dtype=bool))
        return fractions([]) if law is None else law.mass

    def posteriors(self, transcript: Hashable, record: int) -> tuple[Masses | None, Masses | None]:
        """What is believed of each dataset after the transcript, in Game 0 and in the game without the record; None
        where the transcript is impossible.
        """
        self.require_one_side()
        require(transcript in self.real.outputs, f"one of the transcripts {self.real.outputs}", got=transcript)
        place = self.real.outputs.index(transcript)
        return self.real.posterior(self.belief, place), self.without[record].posterior(self.belief, place)


def _inputs(belief: Finite, default: Hashable) -> tuple[tuple[Hashable, ...], list[Places], Places]:
    """What the mechanism is run on, as places: in Game 0 the datasets, then for each record the datasets without it;
    and the codes of those that the belief does not list, whose places follow.
    """
    values = belief.values if default in belief.values else (*belief.values, default)
    blank, weight = values.index(default), _weights(len(values), belief.n)
    if weight is None:
        return _sorted_inputs(belief, values, blank)
    names = belief.codes @ weight
    without = [names + (blank - belief.codes[:, i]) * weight[i] for i in range(belief.n)]
    order = np.argsort(names, kind="stable")
    inputs, missing = [np.arange(belief.size)], [np.empty(0, dtype=np.int64)]
    for some in without:
        near = order[np.minimum(np.searchsorted(names, some, sorter=order), belief.size - 1)]
        inputs.append(np.where(names[near] == some, near, -1))
        missing.append(np.unique(some[inputs[-1] < 0]))
    extra = np.unique(np.concatenate(missing))
    for places, some in zip(inputs[1:], without, strict=True):
        gone = places < 0
        places[gone] = belief.size + np.searchsorted(extra, some[gone])
    return values, inputs, (extra[:, None] // weight) % len(values)


def _weights(base: int, length: int) -> Places | None:
    """Powers of the base, if every dataset can be named by one whole number; the first record counts most, so that the
    datasets of a product come in order, and are found fast.
    """
    return base ** np.arange(length, dtype=np.int64)[::-1] if base**length < WIDEST else None


def _sorted_inputs(
    belief: Finite, values: tuple[Hashable, ...], blank: int
) -> tuple[tuple[Hashable, ...], list[Places], Places]:
    """The same for many records, by sorting whole datasets."""
    rows = list(map(tuple, belief.codes.tolist()))
    places = {row: place for place, row in reversed(list(enumerate(rows)))}
    extra: dict[tuple[int, ...], int] = {}
    inputs = [np.arange(belief.size)]
    for i in range(belief.n):
        scrubbed = ((*row[:i], blank, *row[i + 1 :]) for row in rows)
        inputs.append(np.array([_place(row, places, extra, belief.size) for row in scrubbed], dtype=np.int64))
    return values, inputs, np.array(list(extra), dtype=np.int64).reshape(-1, belief.n)


def _place(
    row: tuple[int, ...], listed: dict[tuple[int, ...], int], extra: dict[tuple[int, ...], int], size: int
) -> int:
    found = listed.get(row)
    return extra.setdefault(row, size + len(extra)) if found is None else found


def _likelihoods(game: FiniteMechanism, states: Places) -> Masses:
    """A row of output probabilities for each of these states."""
    if game.rows is not None:
        found: Masses = game.rows[states]
        return found
    rows = np.full((len(states), len(game.outputs)), Fraction(0), dtype=object)
    rows[np.arange(len(states)), states] = Fraction(1)
    return rows
