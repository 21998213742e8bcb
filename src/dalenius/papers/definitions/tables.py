"""Functions of the dataset, tabulated: each law of outputs once, and for every dataset which one is its own."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.facts.records import Number, exact
from dalenius.facts.secret import ABSENT
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset, Finite, shown

Drawn: TypeAlias = Hashable | Mapping[Hashable, Number]  # an output, or a law of outputs
Places: TypeAlias = NDArray[np.int64]
WIDEST = 2**62  # whole numbers below this can name a dataset


@final
@dataclass(frozen=True, eq=False)
class Listing:
    """A belief whose datasets are written out once, when they are first asked for, and shared by all who ask."""

    belief: Finite

    @cached_property
    def rows(self) -> list[Dataset]:
        """Every dataset, in order. Cost: about 200 bytes for a dataset of 20 records."""
        return written(self.belief.values, self.belief.codes)


def written(values: Sequence[Hashable], codes: Places, gone: Sequence[int] = ()) -> list[Dataset]:
    """The datasets of these codes, with the records `gone` marked as absent; column by column, which is quick."""
    names = np.empty(len(values), dtype=object)
    names[:] = values
    size, n = codes.shape
    columns = [[ABSENT] * size if place in gone else names[codes[:, place]].tolist() for place in range(n)]
    return list(zip(*columns, strict=True)) if columns else [()] * size


def tabulated(function: Callable[[Dataset], Drawn], rows: Iterable[Dataset]) -> FiniteMechanism:
    """The function at every dataset; datasets with the same law share a row. Cost: one call for each dataset."""
    found = called(function, rows)
    if not any(issubclass(kind, Mapping) for kind in set(map(type, found))):
        sure, state = ranked(found)
        return FiniteMechanism(sure, state)
    objects = dict(zip(map(id, found), found, strict=True))  # a function may return the same law again and again
    laws = [law_of(drawn) for drawn in objects.values()]
    state = places_of(list(map(id, found)), tuple(objects))
    _, place = ranked([frozenset(law.items()) for law in laws])
    outputs = tuple(dict.fromkeys(output for law in laws for output in law))
    distinct = [laws[row] for row in np.unique(place, return_index=True)[1]]
    return FiniteMechanism(outputs, place[state], stacked(distinct, outputs))


def called(function: Callable[[Dataset], Drawn], rows: Iterable[Hashable]) -> list[Drawn]:
    """What the function returns on each dataset. One that cannot deal with absent records is told so."""
    if not callable(function):
        raise InputError(
            f"Needed a function of the dataset, but got {type(function).__name__}. Write one that returns an output, "
            "or a dict from outputs to their probabilities."
        )
    found: list[Drawn] = []
    row: Hashable = None
    try:
        for row in rows:
            found.append(function(row))  # type: ignore[arg-type]  # rows are what it takes
    except (TypeError, AttributeError) as error:
        if not (isinstance(row, tuple) and ABSENT in row):
            raise
        raise InputError(
            f"A function must deal with data from which records were removed, here {row}, where None stands for one, "
            f"but it failed: {error}. A simulator may look only at what alt leaves: skip None, or write it for the "
            "whole dataset and use factored, which checks that it does not depend on the rest."
        ) from error
    return found


def ranked(found: Sequence[Hashable]) -> tuple[tuple[Hashable, ...], Places]:
    """The distinct ones in order of appearance, and where each is among them."""
    places = {one: place for place, one in enumerate(dict.fromkeys(found))}
    return tuple(places), np.fromiter(map(places.__getitem__, found), dtype=np.int64, count=len(found))


def stacked(laws: Sequence[Mapping[Hashable, Fraction]], outputs: Sequence[Hashable]) -> NDArray[np.object_]:
    """One row of exact probabilities for each law."""
    rows = np.full((len(laws), len(outputs)), Fraction(0), dtype=object)
    places = {output: place for place, output in enumerate(outputs)}
    for row, law in zip(rows, laws, strict=True):
        for output, chance in law.items():
            row[places[output]] = chance
    return rows


def law_of(drawn: Drawn) -> dict[Hashable, Fraction]:
    """A law of outputs, checked; an output alone is certain.

    >>> law_of("yes"), law_of({"yes": 0.25, "no": 0.75})
    ({'yes': Fraction(1, 1)}, {'yes': Fraction(1, 4), 'no': Fraction(3, 4)})
    """
    if not isinstance(drawn, Mapping):
        return {drawn: Fraction(1)}
    law = {output: exact(chance, name=f"The probability of {output}") for output, chance in drawn.items()}
    whole = sum(law.values(), Fraction(0))
    if whole != 1 or min(law.values()) < 0:
        raise InputError(
            f"A law of outputs needs probabilities of at least 0 that sum to 1, but these sum to {shown(whole)}. "
            "Write them as fractions."
        )
    return {output: chance for output, chance in law.items() if chance}


def places_of(some: Sequence[Hashable], every: Sequence[Hashable]) -> Places:
    """Where each of `some` is in `every`."""
    places = {key: place for place, key in enumerate(every)}
    return np.array([places[key] for key in some], dtype=np.int64)


def named(codes: Places, base: int) -> tuple[Places, Places]:
    """Where each distinct row of codes (each below `base`) stands first, and the number of every row among them."""
    if base ** codes.shape[1] < WIDEST:
        names = np.asarray(codes @ base ** np.arange(codes.shape[1], dtype=np.int64))
    else:
        names = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
    kind = numbered(names)
    first = np.empty(int(kind.max()) + 1, dtype=np.int64)
    first[kind[::-1]] = np.arange(len(kind))[::-1]
    return first, kind


def numbered(names: Places) -> Places:
    """0, 1, ... in place of names, in their order. By a table where the names are small numbers, else by sorting."""
    if int(names.max()) < 8 * len(names) + 1000:
        seen = np.zeros(int(names.max()) + 1, dtype=bool)
        seen[names] = True
        return np.asarray((np.cumsum(seen) - 1)[names])
    return np.asarray(np.unique(names, return_inverse=True)[1].reshape(-1), dtype=np.int64)
