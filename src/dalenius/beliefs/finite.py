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

from dalenius.errors import InputError, require
from dalenius.numerics.outcomes import Masses, divided, fractions, is_exact, total
from dalenius.records import exact

Dataset: TypeAlias = tuple[Hashable, ...]  # one entry a record; None is a record that is absent
Number: TypeAlias = float | str | Fraction
Key = TypeVar("Key", bound=Hashable)
LARGEST = 20_000_000


@final
@dataclass(frozen=True, slots=True, eq=False)
class Finite:
    """Datasets with their probabilities, and what the attacker knows besides (`side`), all explicit.

    Row r of `codes` is a dataset: entry i is the place of record i's value among `values`. `mass` holds exact
    fractions or floats. `side[r]` is the place of dataset r's auxiliary information among `sides`.
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
        if (whole != 1) if is_exact(self.mass) else abs(float(whole) - 1) > 1e-9:
            raise InputError(
                f"The probabilities of all datasets must sum to 1, but they sum to {float(whole):.12g}. Correct them, "
                "or divide them by their sum."
            )

    # -- how to make one ---------------------------------------------------------------------------------------------

    @classmethod
    def table(cls, chances: Mapping[Dataset, Number], *, side: Callable[[Dataset], Hashable] | None = None) -> "Finite":
        """From datasets with their probabilities, exactly.

        >>> Finite.table({(0, 0): "1/4", (0, 1): "1/4", (1, 1): "1/2"}).size
        3
        """
        rows = list(chances)
        _same_length(rows)
        found = fractions([exact(chances[row], name=f"The probability of {row}") for row in rows])
        values = tuple(dict.fromkeys(value for row in rows for value in row))
        places = {value: place for place, value in enumerate(values)}
        codes = np.array([[places[value] for value in row] for row in rows], dtype=np.int64).reshape(len(rows), -1)
        return cls(values, codes, found).knowing(side) if side else cls(values, codes, found)

    @classmethod
    def product(cls, marginals: Sequence[Mapping[Hashable, Number]]) -> "Finite":
        """Independent records, each with its own marginal. Exact."""
        return cls._combined([checked_law(law, f"record {i}") for i, law in enumerate(marginals)])

    @classmethod
    def product_of_floats(cls, marginals: Sequence[Mapping[Hashable, float]]) -> "Finite":
        """Independent records in floating point, for up to millions of datasets."""
        values = tuple(dict.fromkeys(value for marginal in marginals for value in marginal))
        places = {value: place for place, value in enumerate(values)}
        for marginal in marginals:
            _check_nonnegative(np.array(list(marginal.values()), dtype=float))
        size = math.prod(len(marginal) for marginal in marginals)
        if size > LARGEST:
            raise InputError(
                f"At most {LARGEST} datasets can be listed, but there are {size}. Use fewer records or values."
            )
        grid = np.indices([len(marginal) for marginal in marginals]).reshape(len(marginals), -1).T
        codes = np.empty(grid.shape, dtype=np.int64, order="F")  # records are looked at one by one
        mass = np.ones(size)
        for record, marginal in enumerate(marginals):
            codes[:, record] = np.array([places[value] for value in marginal])[grid[:, record]]
            mass *= np.array(list(marginal.values()), dtype=float)[grid[:, record]]
        return cls(values, codes, mass)

    @classmethod
    def _combined(cls, laws: Sequence[Sequence[tuple[Hashable, Fraction]]]) -> "Finite":
        chances: dict[Dataset, Fraction] = {}
        for row in itertools.product(*laws):
            chance = Fraction(1)
            for _, part in row:
                chance *= part
            dataset = tuple(value for value, _ in row)
            chances[dataset] = chances.get(dataset, Fraction(0)) + chance
        return cls.table(chances)

    @classmethod
    def mixture(cls, parts: Iterable[tuple[Number, "Finite"]]) -> "Finite":
        """One of several beliefs, drawn with these weights and then forgotten."""
        chances: dict[Dataset, Fraction] = {}
        for weight, belief in parts:
            share = exact(weight, name="The weight of a part")
            require(share >= 0, "weights of at least 0", got=weight, remedy="Leave the part out.")
            for dataset, chance in belief.items():
                chances[dataset] = chances.get(dataset, Fraction(0)) + share * Fraction(chance)
        return cls.table(chances)

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
        weights = {row: exact(weight(row), name=f"The weight of {row}") for row in itertools.product(*choices)}
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
        for each of these. Make mechanisms from the new belief.
        """
        found = [side(dataset) for dataset in self.datasets()]
        if any(isinstance(seen, Mapping) for seen in found):
            return self._hearing([checked_law(one if isinstance(one, Mapping) else {one: 1}, "Z") for one in found])
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
        shares = fractions([chance for _, _, chance in split])
        mass = self.mass[origin] * (shares if is_exact(self.mass) else shares.astype(float))
        return Finite(self.values, self.codes[origin], mass, sides, known)

    def weighed_by(self, other: "Finite") -> "Finite":
        """The same datasets in the same order, with the probabilities of another belief over some of them."""
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

    def side_is(self, place: int) -> NDArray[np.bool_]:
        """Where the auxiliary information is the one at this place."""
        return np.ones(self.size, dtype=bool) if self.side is None else np.asarray(self.side == place)


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
            f"{float(whole):.12g}. Correct them."
        )
    return found


def _sign(chance: Fraction) -> int:
    return chance.numerator


def _check_nonnegative(mass: Masses) -> None:
    exactly = is_exact(mass)
    least = min(filter(None, mass.tolist()), key=_sign, default=0) if exactly else float(mass.min())  # NaN if any is
    if not least >= 0:
        raise InputError(f"Probabilities must be at least 0, but one of them is {float(least):.12g}. Correct them.")


def _same_length(rows: Sequence[Dataset]) -> None:
    if not rows:
        raise InputError("A belief needs at least one dataset, but got none. List those that are possible.")
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise InputError(
            f"All datasets need the same number of records, but got {sorted(lengths)}. "
            "Write None for a record that is absent."
        )
