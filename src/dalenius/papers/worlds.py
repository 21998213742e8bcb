"""An explicit distribution over datasets: the oracle for everything that scales, and the bench for the papers'
theorems.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, require
from dalenius.enclosure.formats import nearly
from dalenius.enclosure.outward import HELD
from dalenius.facts.records import Number, exact
from dalenius.numerics.outcomes import Masses, divided, fractions, is_exact, joint, total

Dataset: TypeAlias = tuple[Hashable, ...]  # one entry a record; None is a record that is absent
Key = TypeVar("Key", bound=Hashable)
LARGEST = 20_000_000  # datasets in floating point
LARGEST_EXACT = 2**21  # datasets with exact probabilities
CLOSE = 1e-9  # so far may a sum of floats be from 1; they are then divided by it
ROUNDED = 1e-13  # so far it may be by rounding


@final
@dataclass(frozen=True, slots=True, eq=False)
class Finite:
    """Datasets with their probabilities, and what the attacker knows besides (`side`), all explicit.

    Row r of `codes` is a dataset: entry i is the place of record i's value among `values`. `mass` holds exact
    fractions or floats; those are divided by their sum. `side[r]` is the place of dataset r's auxiliary information
    among `sides`.
    """

    values: tuple[Hashable, ...]
    codes: NDArray[np.int64]
    mass: Masses
    sides: tuple[Hashable, ...] = (None,)
    side: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if len(self.codes) != len(self.mass) or not len(self.codes):
            raise InputError(
                f"Every dataset needs a probability, but got {len(self.codes)} datasets and {len(self.mass)} "
                "probabilities. Give one for each, and at least one dataset."
            )
        _check_nonnegative(self.mass)
        whole = total(self.mass)
        if (whole != 1) if is_exact(self.mass) else abs(float(whole) - 1) > CLOSE:
            raise InputError(
                f"The probabilities of all datasets must sum to 1, but they sum to {shown(whole)}. Correct them, "
                "or divide them by their sum."
            )
        if not is_exact(self.mass):
            _check_above_tiny(math.log10(self.mass.min(where=self.mass > 0, initial=1.0)))
            if abs(float(whole) - 1) > ROUNDED:
                object.__setattr__(self, "mass", divided(self.mass, whole))

    def __str__(self) -> str:
        """In one line, with the likeliest datasets.

        >>> print(Finite.product([{0: "1/4", 1: "3/4"}] * 2))
        4 datasets of 2 records: (1, 1) 9/16, (0, 1) 3/16, (1, 0) 3/16, ...
        """
        first = np.argsort(-self.mass.astype(float), kind="stable")[:3].tolist()
        rows = (tuple(self.values[code] for code in self.codes[row].tolist()) for row in first)
        likely = ", ".join(
            f"{row} {chance if len(str(chance)) < 10 else nearly(chance, 4)}"
            for row, chance in zip(rows, self.mass[first].tolist(), strict=True)
        )
        seen = "" if self.side is None else f"; one of {len(self.sides)} things is known besides"
        more = ", ..." if self.size > len(first) else ""
        names = ("dataset" if self.size == 1 else "datasets", "record" if self.n == 1 else "records")
        return f"{self.size} {names[0]} of {self.n} {names[1]}: {likely}{more}{seen}"

    # -- how to make one ---------------------------------------------------------------------------------------------

    @classmethod
    def table(cls, chances: Mapping[Dataset, Number], *, side: Callable[[Dataset], Hashable] | None = None) -> "Finite":
        """From datasets with their probabilities, exactly.

        >>> Finite.table({(0, 0): "1/4", (0, 1): "1/4", (1, 1): "1/2"}).size
        3
        """
        rows = list(chances)
        found = fractions([exact(chances[row], name=f"The probability of {row}") for row in rows])
        values, codes = _coded(rows)
        return cls(values, codes, found).knowing(side) if side else cls(values, codes, found)

    @classmethod
    def product(cls, marginals: Sequence[Mapping[Hashable, Number]]) -> "Finite":
        """Independent records, each with its own marginal. Exact: 100,000 datasets take a second."""
        require(len(marginals) > 0, "at least one record", got=0)
        laws = [checked_law(law, f"record {i}") for i, law in enumerate(marginals)]
        _check_listed([len(law) for law in laws], LARGEST_EXACT)
        values = tuple(dict.fromkeys(value for law in laws for value, _ in law))
        places = {value: place for place, value in enumerate(values)}
        mass = [Fraction(1)]
        for law in laws:
            mass = [whole * chance for whole in mass for _, chance in law]
        grid = np.indices([len(law) for law in laws]).reshape(len(laws), -1).T
        codes = np.empty(grid.shape, dtype=np.int64, order="F")
        for record, law in enumerate(laws):
            codes[:, record] = np.array([places[value] for value, _ in law])[grid[:, record]]
        return cls(values, codes, fractions(mass))

    @classmethod
    def product_of_floats(cls, marginals: Sequence[Mapping[Hashable, float]]) -> "Finite":
        """Independent records in floating point, for millions of datasets. Each marginal is divided by its sum."""
        values = tuple(dict.fromkeys(value for marginal in marginals for value in marginal))
        places = {value: place for place, value in enumerate(values)}
        laws = [_float_law(marginal, record) for record, marginal in enumerate(marginals)]
        _check_above_tiny(sum(math.log10(law[law > 0].min()) for law in laws))
        size = _check_listed([len(marginal) for marginal in marginals], LARGEST)
        grid = np.indices([len(marginal) for marginal in marginals]).reshape(len(marginals), -1).T
        codes = np.empty(grid.shape, dtype=np.int64, order="F")  # records are looked at one by one
        mass = np.ones(size)
        for record, marginal in enumerate(marginals):
            codes[:, record] = np.array([places[value] for value in marginal])[grid[:, record]]
            mass *= laws[record][grid[:, record]]
        return cls(values, codes, mass)

    @classmethod
    def mixture(cls, parts: Iterable[tuple[Number, "Finite"]]) -> "Finite":
        """One of several beliefs, drawn with these weights and then forgotten. What the attacker knows besides is kept:
        all parts must have it, or none.
        """
        chances: dict[tuple[Dataset, Hashable], Fraction] = {}
        several = list(parts)
        informed = {belief.side is not None for _, belief in several}
        require(len(informed) <= 1, "auxiliary information in every part, or in none", got="some parts with it")
        for weight, belief in several:
            share = exact(weight, name="The weight of a part")
            require(share >= 0, "weights of at least 0", got=weight, remedy="Leave the part out.")
            for (dataset, chance), seen in zip(belief.items(), belief.seen(), strict=True):
                chances[dataset, seen] = chances.get((dataset, seen), Fraction(0)) + share * Fraction(chance)
        if informed != {True}:
            return cls.table({dataset: chance for (dataset, _), chance in chances.items()})
        values, codes = _coded([dataset for dataset, _ in chances])
        sides = tuple(dict.fromkeys(seen for _, seen in chances))
        places = {seen: place for place, seen in enumerate(sides)}
        known = np.array([places[seen] for _, seen in chances], dtype=np.int64)
        return cls(values, codes, fractions(list(chances.values())), sides, known)

    @classmethod
    def chain(
        cls, initial: Mapping[Hashable, Number], transition: Mapping[Hashable, Mapping[Hashable, Number]], n: int
    ) -> "Finite":
        """A Markov chain of n records."""
        require(n >= 1, "at least one record", got=n)
        moves = {state: checked_law(row, f"the record after {state}") for state, row in transition.items()}
        start = checked_law(initial, "the first record")
        stray = next(
            (s for s in dict.fromkeys([*initial, *(a for row in moves.values() for a, _ in row)]) if s not in moves),
            None,
        )
        require(stray is None or n == 1, "a row of the transition matrix for every state", got=f"none for {stray}")
        ends = dict.fromkeys(initial, 1)  # how many paths end there
        for _ in range(n - 1):
            many: dict[Hashable, int] = {}
            for state, paths_to in ends.items():
                for after, step in moves[state]:
                    many[after] = many.get(after, 0) + (paths_to if step else 0)
            ends = many
        if sum(ends.values()) > LARGEST_EXACT:
            raise InputError(
                f"At most {LARGEST_EXACT} datasets can be listed with exact probabilities, but {n} records of this "
                "chain have more. Use fewer records, or a belief that is not listed: dalenius.beliefs.Markov."
            )
        paths: dict[Dataset, Fraction] = {(state,): chance for state, chance in start}
        for _ in range(n - 1):
            paths = {
                (*path, after): chance * step
                for path, chance in paths.items()
                for after, step in moves[path[-1]]
                if step
            }
        return cls.table(paths)

    @classmethod
    def weighted(cls, choices: Sequence[Iterable[Hashable]], weight: Callable[[Dataset], Number]) -> "Finite":
        """Every dataset with record i among the i-th choices, with a probability proportional to a function of it.

        >>> len(
        ...     [
        ...         row
        ...         for row, p in Finite.weighted([(0, 1)] * 3, lambda row: 1 + sum(row)).items()
        ...         if p == Fraction(1, 10)
        ...     ]
        ... )
        3
        """
        listed = [tuple(choice) for choice in choices]
        _check_listed(list(map(len, listed)), LARGEST_EXACT)
        weights = {row: exact(weight(row), name=f"The weight of {row}") for row in itertools.product(*listed)}
        whole = sum(weights.values(), Fraction(0))
        require(whole > 0 <= min(weights.values()), "weights of at least 0, not all 0", got=f"a sum of {whole}")
        return cls.table({row: chance / whole for row, chance in weights.items()})

    # -- how to change one -------------------------------------------------------------------------------------------

    def constrained(self, holds: Callable[[Dataset], bool]) -> "Finite":
        """Given that a fact about the whole dataset is public."""
        return self.given(np.array([bool(holds(dataset)) for dataset in self.datasets()]))

    def given(self, where: NDArray[np.bool_]) -> "Finite":
        """Given that the dataset is one of those marked."""
        require(len(where) == self.size, f"a mark for each of {self.size} datasets", got=len(where))
        weight = total(self.mass[where])
        if weight == 0:
            raise InputError(
                "A belief cannot be conditioned on something that it holds impossible. Choose another fact."
            )
        mass = divided(self.mass[where], weight)
        side = None if self.side is None else self.side[where]
        return Finite(self.values, self.codes[where], mass, self.sides, side)

    def knowing(self, side: Callable[[Dataset], Hashable | Mapping[Hashable, Number]]) -> "Finite":
        """The same belief, of an attacker who also sees this function of the dataset.

        It may be random: then it returns a dict from what is seen to its probability, and a dataset is listed once
        for each of these. Make mechanisms from the new belief. What the attacker sees already is kept: they then see
        a pair.
        """
        told = [side(dataset) for dataset in self.datasets()]
        random = any(isinstance(seen, Mapping) for seen in told)
        if random:
            laws = [checked_law(one if isinstance(one, Mapping) else {one: 1}, "Z") for one in told]
            if self.side is not None:
                laws = [[((old, new), p) for new, p in law] for old, law in zip(self.seen(), laws, strict=True)]
            return self._hearing(laws)
        found: list[Hashable] = [one for one in told if not isinstance(one, Mapping)]
        if self.side is not None:
            found = list(zip(self.seen(), found, strict=True))
        sides = tuple(dict.fromkeys(found))
        places = {value: place for place, value in enumerate(sides)}
        known = np.array([places[value] for value in found], dtype=np.int64)
        return Finite(self.values, self.codes, self.mass, sides, known)

    def _hearing(self, laws: Sequence[Sequence[tuple[Hashable, Fraction]]]) -> "Finite":
        """Datasets split by what is heard about each."""
        sides = tuple(dict.fromkeys(seen for law in laws for seen, chance in law if chance))
        places = {value: place for place, value in enumerate(sides)}
        split = [(row, places[seen], chance) for row, law in enumerate(laws) for seen, chance in law if chance]
        origin = np.array([row for row, _, _ in split], dtype=np.int64)
        known = np.array([place for _, place, _ in split], dtype=np.int64)
        mass = joint(self.mass[origin], fractions([chance for _, _, chance in split]))
        return Finite(self.values, self.codes[origin], mass, sides, known)

    def weighed_by(self, other: "Finite") -> "Finite":
        """The same datasets in the same order, with the probabilities of another belief over some of them."""
        require(
            other.knows_nothing,
            "a belief without auxiliary information",
            got=f"one of {len(other.sides)} things known besides",
            remedy="Take other.given(other.side_is(z)).forgetting() for each z in turn.",
        )
        chances: dict[Dataset, Fraction | float] = {}
        for row, chance in other.items():
            chances[row] = chances.get(row, 0) + chance
        rows = list(self.datasets())
        stray = next(iter(chances.keys() - set(rows)), None)
        if stray is not None:
            raise InputError(
                f"The other belief must be over the {self.size} datasets of this one, but {stray} is not one of them. "
                "List it here with probability 0."
            )
        masses = [chances.get(row, Fraction(0)) for row in rows]
        mass = fractions([Fraction(value) for value in masses]) if is_exact(other.mass) else np.array(masses, float)
        return Finite(self.values, self.codes, mass)

    # -- how to look at one ------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        return len(self.codes)

    @property
    def n(self) -> int:
        """The number of records, absent ones included."""
        return int(self.codes.shape[1])

    def datasets(self) -> Iterator[Dataset]:
        """Every dataset, in order."""
        for row in self.codes.tolist():
            yield tuple(self.values[code] for code in row)

    def items(self) -> Iterator[tuple[Dataset, Fraction | float]]:
        """Every dataset with its probability."""
        yield from zip(self.datasets(), self.mass.tolist(), strict=True)

    def record_is(self, record: int, value: Hashable) -> NDArray[np.bool_]:
        """Where the record has this value. Cost O(datasets), without looping."""
        require(0 <= record < self.n, f"one of the records 0 to {self.n - 1}", got=record)
        if value not in self.values:
            return np.zeros(self.size, dtype=bool)
        return np.asarray(self.codes[:, record] == self.values.index(value))

    def seen(self) -> Iterator[Hashable]:
        """What the attacker knows besides, for each dataset in order."""
        return iter([None] * self.size if self.side is None else [self.sides[place] for place in self.side.tolist()])

    @property
    def knows_nothing(self) -> bool:
        """Whether no more than one thing can be known besides."""
        return self.side is None or len(np.unique(self.side[np.asarray(self.mass != 0, dtype=bool)])) <= 1

    def forgetting(self) -> "Finite":
        """The same belief, of an attacker who sees nothing besides."""
        return Finite(self.values, self.codes, self.mass)

    def side_is(self, place: int) -> NDArray[np.bool_]:
        """Where the auxiliary information is the one at this place."""
        return np.ones(self.size, dtype=bool) if self.side is None else np.asarray(self.side == place)


def _check_listed(sizes: Sequence[int], most: int) -> int:
    """How many datasets there are with so many values of each record, if they can be listed."""
    size = math.prod(sizes)
    if size > most:
        kind = "with exact probabilities" if most == LARGEST_EXACT else "in floating point"
        raise InputError(
            f"At most {most} datasets can be listed {kind}, but {len(sizes)} records make "
            f"{size if size < 10**15 else f'about 1e{math.log10(size):.0f}'}. Use fewer records or values"
            f"{', or Finite.product_of_floats' if size <= LARGEST else ''}. A belief that is not listed, such as "
            "dl.IID(...), has no such limit."
        )
    return size


def replaced(dataset: Dataset, record: int, value: Hashable) -> Dataset:
    """The dataset with one record replaced."""
    return (*dataset[:record], value, *dataset[record + 1 :])


def checked_law(law: Mapping[Key, Number], of: str) -> list[tuple[Key, Fraction]]:
    """The values with their probabilities, exactly: at least 0, with sum 1."""
    found = [(value, exact(chance, name=f"The probability of {value}")) for value, chance in law.items()]
    whole = sum((chance for _, chance in found), Fraction(0))
    if whole != 1 or min(chance for _, chance in found) < 0:
        raise InputError(
            f"The probabilities of the values of {of} must be at least 0 and sum to 1, but {dict(law)} sums to "
            f"{shown(whole)}. Correct them."
        )
    return found


def shown(whole: Fraction | float) -> str:
    """A sum that is not what it should be: 1. If that does not show in twelve digits, by how much.

    >>> shown(Fraction(9, 10)), shown(3 * Fraction("0.3333333333333333"))
    ('0.9', "1 - 1e-16 (a third is '1/3', in quotation marks)")
    """
    off = float(whole - 1)
    if off and nearly(whole, 12) == "1":
        return f"1 {'+' if off > 0 else '-'} {nearly(abs(off))} (a third is '1/3', in quotation marks)"
    return nearly(whole, 12)


def _float_law(marginal: Mapping[Hashable, float], record: int) -> NDArray[np.float64]:
    """A marginal in floats, checked and divided by its sum."""
    law = np.array(list(marginal.values()), dtype=float)
    require(len(law) > 0, f"at least one value of record {record}", got=0)
    _check_nonnegative(law)
    whole = float(law.sum())
    if not abs(whole - 1) <= CLOSE:
        raise InputError(
            f"The probabilities of the values of record {record} must sum to 1, but they sum to {shown(whole)}. "
            "Correct them, or divide them by their sum."
        )
    return np.asarray(law / whole)


def _check_above_tiny(power: float) -> None:
    """Whether floats hold probabilities of ten to this power and more, and products of a few sums of them."""
    if power <= math.log10(HELD):
        raise InputError(
            f"Datasets with probabilities in floating point need ones above {HELD}, or 0, but the least is "
            f"about 1e{power:.0f}. Give fractions: Finite.table or Finite.product."
        )


def _coded(rows: Sequence[Dataset]) -> tuple[tuple[Hashable, ...], NDArray[np.int64]]:
    """The values that occur, and each dataset as their places."""
    _same_length(rows)
    values = tuple(dict.fromkeys(value for row in rows for value in row))
    places = {value: place for place, value in enumerate(values)}
    return values, np.array([[places[value] for value in row] for row in rows], dtype=np.int64).reshape(len(rows), -1)


def _sign(chance: Fraction) -> int:
    return chance.numerator


def _check_nonnegative(mass: Masses) -> None:
    exactly = is_exact(mass)
    least = min(filter(None, mass.tolist()), key=_sign, default=0) if exactly else float(mass.min())  # NaN if any is
    if not least >= 0:
        raise InputError(f"Probabilities must be at least 0, but one of them is {nearly(least, 12)}. Correct them.")


def _same_length(rows: Sequence[Dataset]) -> None:
    if not rows:
        raise InputError("A belief needs at least one dataset, but got none. List those that are possible.")
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise InputError(
            f"All datasets need the same number of records, but got {sorted(lengths)}. "
            "Write None for a record that is absent."
        )
