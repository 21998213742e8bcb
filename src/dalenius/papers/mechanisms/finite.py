"""Mechanisms on finite worlds: a row of output probabilities for each dataset."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, require
from dalenius.enclosure.formats import nearly
from dalenius.enclosure.outward import HELD
from dalenius.facts.records import Label, Number, exact
from dalenius.facts.statistics import Statistic
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.numerics.outcomes import (
    ROUNDING,
    Masses,
    Outcomes,
    collected,
    divided,
    fractions,
    is_exact,
    joint,
    total,
    underflow,
)
from dalenius.papers.mechanisms.rows import published
from dalenius.papers.worlds import Dataset, Finite, shown

# Relative error charged for sums of floats: 2 √n units each for n datasets and n states (n up to 2e7), and noise rows.
PIECE = 1024


@final
@dataclass(frozen=True, slots=True, eq=False)
class FiniteMechanism:
    """Dataset r of a belief is in state `state[r]`, and a state's row of `rows` has the probability of each output.

    `rows` is None for a deterministic mechanism: then the state is the output. If there is a slack (noise that was
    cut), the laws of the output are within it in total variation, and δ is widened by it.
    """

    outputs: tuple[Hashable, ...]
    state: NDArray[np.int64]
    rows: Masses | None = None  # states x outputs
    slack: float = 0.0

    def __post_init__(self) -> None:
        size = len(self.outputs) if self.rows is None else len(self.rows)
        if len(self.state) and not 0 <= int(self.state.min()) <= int(self.state.max()) < size:
            raise InputError(
                f"Every dataset needs one of {size} states, but got {self.state.min()} to {self.state.max()}. Number "
                "the rows from 0 on."
            )
        if self.rows is not None and not is_exact(self.rows):
            sums = _checked_sums(self.rows)
            if float(abs(sums - 1).max(initial=0.0)) > 1e-12:
                object.__setattr__(self, "rows", self.rows / sums[:, None])

    @classmethod
    def of(cls, release: Callable[[Dataset], Hashable] | Mechanism | Statistic, belief: Finite) -> "FiniteMechanism":
        """A deterministic function of the dataset, or `statistic >> channel`.

        Rounded and rational geometric noise are exact. A figure is in units of its statistic (a rounded one in
        bases), and absent records add nothing.

        >>> from dalenius.mechanisms import rational_geometric
        >>> from dalenius.facts.statistics import Count
        >>> coin = Finite.product([{0: "1/2", 1: "1/2"}])
        >>> made = FiniteMechanism.of(Count() >> rational_geometric("1/3"), coin)
        >>> made.outputs, made.row(0).tolist()
        (('0 or less', '1 or more'), [Fraction(3, 4), Fraction(1, 4)])
        """
        if isinstance(release, Mechanism | Statistic):
            return cls._published(release if isinstance(release, Mechanism) else Mechanism(release), belief)
        return cls._function(release, belief)

    @classmethod
    def _published(cls, mechanism: Mechanism, belief: Finite) -> "FiniteMechanism":
        """Cost O(datasets) for the totals, then O(totals x outputs)."""
        check_numbers(mechanism.statistic, [(belief.values, belief.codes)])
        totals = totals_of(mechanism.statistic, belief.values, belief.codes)
        return next(published_on(mechanism, [totals]))

    @classmethod
    def _function(cls, function: Callable[[Dataset], Hashable], belief: Finite) -> "FiniteMechanism":
        require(callable(function), "a function of the dataset, or statistic >> channel", got=type(function).__name__)
        found = [function(dataset) for dataset in belief.datasets()]
        drawn = next((output for output in found if isinstance(output, Mapping)), None)
        if drawn is not None:
            raise InputError(
                f"FiniteMechanism.of needs a function that returns an output, but it returned the dict {drawn}. For "
                "the probabilities of outputs use FiniteMechanism.random."
            )
        outputs = tuple(dict.fromkeys(found))
        places = {output: place for place, output in enumerate(outputs)}
        return cls(outputs, np.array([places[output] for output in found], dtype=np.int64))

    @classmethod
    def random(cls, function: Callable[[Dataset], Mapping[Hashable, Number]], belief: Finite) -> "FiniteMechanism":
        """A randomised function: for each dataset the probabilities of the outputs, which must sum to one. Exact."""
        laws = [
            tuple(
                sorted(
                    ((repr(out), out, exact(p, name="A probability")) for out, p in _dict(function(d)).items()),
                    key=lambda x: x[0],
                )
            )
            for d in belief.datasets()
        ]
        return cls._stacked([{out: p for _, out, p in law} for law in laws])

    @classmethod
    def matrix(cls, rows: Sequence[Sequence[Number]], outputs: Sequence[Hashable] | None = None) -> "FiniteMechanism":
        """A stochastic matrix, one row for each dataset of the belief, in its order."""
        require(len(rows) > 0, "a row for each dataset", got=0)
        names = tuple(outputs) if outputs is not None else tuple(range(len(rows[0])))
        require(len(set(names)) == len(names), "outputs that differ", got=names, remedy="Add up equal ones.")
        for place, row in enumerate(rows):
            if len(row) != len(names):
                raise InputError(
                    f"Every row needs {len(names)} probabilities, one for each output, but row {place} has {len(row)}. "
                    "Write 0 for an output that cannot occur."
                )
        return cls._stacked(
            [{out: exact(p, name="A probability") for out, p in zip(names, row, strict=True)} for row in rows]
        )

    @classmethod
    def _stacked(cls, laws: Sequence[Mapping[Hashable, Fraction]]) -> "FiniteMechanism":
        outputs = tuple(dict.fromkeys(output for law in laws for output in law))
        rows = np.empty((len(laws), len(outputs)), dtype=object)
        for place, law in enumerate(laws):
            whole = sum(law.values(), Fraction(0))
            if whole != 1 or min(law.values()) < 0:
                raise InputError(
                    f"Every row of output probabilities must be at least 0 and sum to 1, but row {place} sums to "
                    f"{shown(whole)}, and its least is {nearly(min(law.values(), default=0), 12)}. Correct it."
                )
            rows[place] = [law.get(output, Fraction(0)) for output in outputs]
        return cls(outputs, np.arange(len(laws)), rows)

    def law(self, belief: Finite, where: NDArray[np.bool_]) -> Outcomes | None:
        """The law of the output given that the dataset is one of those marked; None if the belief holds that
        impossible.
        """
        if len(self.state) != belief.size:
            raise InputError(
                f"A mechanism on the {belief.size} datasets of the belief is needed, but it is on {len(self.state)}. "
                "Make it from the same belief."
            )
        mass = belief.mass[where]
        weight = total(mass)
        if weight == 0:
            return None
        size = len(self.outputs) if self.rows is None else len(self.rows)
        states = divided(collected(self.state[where], mass, size), weight)
        law = states if self.rows is None else _pushed(states, self.rows)
        lost = 0.0 if self.rows is None else underflow(states, self.rows, law)
        return Outcomes(law, 0.0 if is_exact(law) else ROUNDING, self.slack + lost)

    def row(self, dataset: int) -> Masses:
        """The probability of each output on the dataset at this place."""
        state = int(self.state[dataset])
        if self.rows is None:
            return fractions([Fraction(place == state) for place in range(len(self.outputs))])
        return np.asarray(self.rows[state])

    def likelihood(self, output: int) -> Masses:
        """The probability of the output at this place, on each dataset."""
        if self.rows is None:
            return fractions([Fraction(state == output) for state in self.state.tolist()])
        return np.asarray(self.rows[self.state, output])

    def posterior(self, belief: Finite, output: int) -> Masses | None:
        """What is believed of each dataset once the output at this place is seen; None if it cannot be seen."""
        if self.rows is None:
            both = belief.mass.copy()
            both[self.state != output] *= 0
        else:
            both = joint(belief.mass, self.rows[self.state, output])
        weight = total(both)
        return divided(both, weight) if weight > 0 else None

    def moved(self, origin: NDArray[np.int64]) -> "FiniteMechanism":
        """The same mechanism for rows that come from these datasets."""
        return FiniteMechanism(self.outputs, self.state[origin], self.rows, self.slack)

    def draws(self, mass: Masses) -> tuple[NDArray[np.int64], NDArray[np.int64], Masses]:
        """Every dataset with every output that it may have: the dataset, the output, and the mass of both."""
        if self.rows is None:
            return np.arange(len(mass)), self.state, mass
        origin, output = np.nonzero(self.rows[self.state])
        return origin, output, joint(mass[origin], self.rows[self.state[origin], output])

    def beside(self, other: "FiniteMechanism") -> "FiniteMechanism":
        """Both outputs, with independent coins."""
        size = len(other.outputs) if other.rows is None else len(other.rows)
        names, state = np.unique(self.state * size + other.state, return_inverse=True)
        pairs = list(zip((names // size).tolist(), (names % size).tolist(), strict=True))
        if self.rows is None and other.rows is None:
            seen = tuple((self.outputs[one], other.outputs[two]) for one, two in pairs)
            return FiniteMechanism(seen, state.reshape(-1))
        outputs = tuple((one, two) for one in self.outputs for two in other.outputs)
        first, second = (_explicit(made) for made in (self, other))
        kind = object if is_exact(first) and is_exact(second) else float
        rows = np.array([np.multiply.outer(first[a], second[b]).ravel() for a, b in pairs], dtype=kind)
        least = [min(map(float, made[made != 0].ravel().tolist()), default=1.0) for made in (first, second)]
        lost = HELD * len(outputs) if kind is float and least[0] * least[1] <= HELD else 0.0
        return FiniteMechanism(outputs, state.reshape(-1), rows, self.slack + other.slack + lost)


def _explicit(made: FiniteMechanism) -> Masses:
    """The rows, also of a deterministic mechanism."""
    if made.rows is not None:
        return made.rows
    rows = np.full((len(made.outputs), len(made.outputs)), Fraction(0), dtype=object)
    np.fill_diagonal(rows, Fraction(1))
    return rows


def _pushed(states: Masses, rows: Masses) -> Masses:
    if is_exact(states) and is_exact(rows):
        live = [place for place, value in enumerate(states.tolist()) if value]
        return fractions([sum((states[s] * rows[s, o] for s in live), Fraction(0)) for o in range(rows.shape[1])])
    first, second, found = states.astype(float), rows.astype(float), np.zeros(rows.shape[1])
    step = max(PIECE, math.isqrt(len(first)))
    for start in range(0, len(first), step):
        found += first[start : start + step] @ second[start : start + step]
    return found


def _dict(drawn: Mapping[Hashable, Number]) -> Mapping[Hashable, Number]:
    if not isinstance(drawn, Mapping):
        raise InputError(
            f"FiniteMechanism.random needs a function that returns a dict from outputs to their probabilities, but it "
            f"returned {drawn!r}. For a function that returns the output use FiniteMechanism.of."
        )
    return drawn


def _checked_sums(rows: Masses) -> NDArray[np.float64]:
    """The sum of each row, close to 1."""
    sums = rows.sum(axis=1)
    bad = ~((rows >= 0).all(axis=1) & (abs(sums - 1) <= 1e-9))
    if bad.any():
        place = int(bad.argmax())
        raise InputError(
            f"Every row of output probabilities must be at least 0 and sum to 1, but row {place} sums to "
            f"{shown(float(sums[place]))}, and its least is {nearly(rows[place].min(), 12)}. Correct it."
        )
    return np.asarray(sums)


# -- statistic >> channel ----------------------------------------------------------------------------------------------


def totals_of(
    statistic: Statistic, values: Sequence[Hashable], codes: NDArray[np.int64], records: Sequence[int] | None = None
) -> NDArray[np.int64]:
    """The figure on each dataset, or what these records add to it, in units; absent records add nothing."""
    adds = [added(statistic, value) for value in values]
    size, n = codes.shape
    largest = max(map(abs, adds), default=0)
    require(largest * n < 2**62, "a figure below 2**62 units", got=largest)
    table, totals = np.array(adds, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for record in range(n) if records is None else records:
        totals += table[codes[:, record]]
    return totals


def check_numbers(
    statistic: Statistic, worlds: Iterable[tuple[Sequence[Hashable], NDArray[np.int64]]]
) -> frozenset[int]:
    """How many records the datasets (values and codes) have, those that are absent left out; InputError if there are
    several numbers, and the figure is divided by it.
    """
    numbers: set[int] = set()
    for values, codes in worlds:
        there = np.array([value is not None for value in values], dtype=bool)
        numbers.update(np.unique(there[codes].sum(axis=1)).tolist())
    if len(numbers) > 1:
        statistic.check_number(f"the datasets have {min(numbers)} to {max(numbers)}")
    return frozenset(numbers)


def added(statistic: Statistic, value: Hashable) -> int:
    """What a record of this value adds to the figure; nothing if it is absent."""
    return 0 if value is None else statistic.contribution(_label(value))


def published_on(
    mechanism: Mechanism, totals: Sequence[NDArray[np.int64]], reach: Sequence[int] = ()
) -> Iterator[FiniteMechanism]:
    """What is published on each of several lists of datasets with these totals, with the same outputs for all.

    Totals within `reach` are possible besides. Cost O(datasets), and O(different totals x outputs).
    """
    every = np.unique(np.concatenate([*map(distinct, totals), np.array(reach, dtype=np.int64)]))
    found = published(mechanism.channel.links, every)
    for some in totals:
        yield FiniteMechanism(found.outputs, found.state[np.searchsorted(every, some)], found.rows, found.slack)


def distinct(totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different totals, in order; by a table where they are close together, else by sorting."""
    if not len(totals):
        return totals
    least, most = int(totals.min()), int(totals.max())
    if most - least > 8 * len(totals):
        return np.asarray(np.unique(totals))
    return np.asarray(least + np.flatnonzero(np.bincount(totals - least)))


def as_function(mechanism: Mechanism, belief: Finite) -> Callable[[Dataset], dict[Hashable, Fraction]]:
    """`statistic >> channel` as a function from a dataset to the law of its output, for definitions that run it on data
    with a record removed, replaced or added: any dataset with the values of the belief and at most one record more.

    Only for exact channels: rounding, and one noise `rational_geometric`.
    """
    numbers = check_numbers(mechanism.statistic, [(belief.values, belief.codes)])
    adds = {value: added(mechanism.statistic, value) for value in belief.values}
    low, high = ((belief.n + 1) * edge for edge in (min(0, *adds.values()), max(0, *adds.values())))
    found = published(mechanism.channel.links, np.arange(low, high + 1))
    made = FiniteMechanism(found.outputs, found.state, found.rows, found.slack)
    require(
        made.rows is None or is_exact(made.rows),
        "exact probabilities",
        got=str(mechanism.channel),
        remedy="Use rational_geometric, or list all datasets and use FiniteMechanism.of.",
    )

    def law(dataset: Dataset) -> dict[Hashable, Fraction]:
        stray = next((value for value in dataset if value is not None and value not in adds), None)
        require(
            stray is None,
            "a dataset with values of the belief",
            got=stray,
            remedy="List the value in the belief, with probability 0.",
        )
        require(
            len(dataset) <= belief.n + 1,
            f"a dataset of at most {belief.n + 1} records: one more than the belief has",
            got=len(dataset),
            remedy="Make the function from a belief with as many records.",
        )
        present = [value for value in dataset if value is not None]
        if len(present) not in numbers:
            mechanism.statistic.check_number(f"this dataset has {len(present)}, and those of the belief {max(numbers)}")
        total = sum(adds[value] for value in present)
        row = made.row(total - low).tolist()
        return {output: chance for output, chance in zip(made.outputs, row, strict=True) if chance}

    return law


def _label(value: Hashable) -> Label | Fraction:
    if not isinstance(value, str | int | Fraction):
        raise InputError(f"A statistic counts or adds labels and numbers, but a record is {value!r}. Code it as one.")
    return value
