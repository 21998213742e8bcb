"""Outputs of a mechanism, of whatever kind, as rows of numbers in which events can be looked for.

Each scalar gives three columns: its value, how fine it is (the exponent of the lowest bit of a double: noise in plain
floating point betrays its centre there), and its kind (a number, nothing, a text, no number). Texts are numbers by
their checksum. Lists and tables of numbers are as long as they are; beyond `WIDEST` places their least, largest and
total stand for the rest.
"""

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

WIDEST = 32  # places of a list that have columns of their own
ABSENT, NUMBER, NOTHING, TEXT, NO_NUMBER, OTHER, LENGTH = range(-1, 6)
EACH = 3  # columns of a scalar
NAMES = ("value", "lowest bit", "kind")
EXACTLY = 2**53  # whole numbers below are doubles
MIXING = np.uint64(0x9E3779B97F4A7C15)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """One row an output; `whole` is one word for all of it, the same for the same output."""

    rows: Floats
    whole: Words

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return int(self.rows.shape[1])

    def widened(self, width: int) -> "Outputs":
        """With columns of an absent scalar, up to this width."""
        return self if width <= self.width else _outputs(_padded(self.rows, width))

    def part(self, rows: slice) -> "Outputs":
        """Some of them."""
        return Outputs(self.rows[rows], self.whole[rows])


def joined(parts: Sequence[Outputs]) -> Outputs:
    """All of them, at the same width."""
    width = max(part.width for part in parts)
    wide = [part.widened(width) for part in parts]
    return Outputs(np.concatenate([part.rows for part in wide]), np.concatenate([part.whole for part in wide]))


def described(outputs: object) -> Outputs:
    """Outputs of any kind: an array with a row an output, or a list with an entry an output."""
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf" and outputs.ndim <= 2:
        table = outputs.reshape(len(outputs), -1)
        if table.dtype.kind in "bf" or np.abs(table.astype(np.float64)).max(initial=0) < EXACTLY:
            return _outputs(_of_numbers(table.astype(np.float64)))
    listed: list[object] = list(outputs) if isinstance(outputs, Iterable) else [outputs]
    kinds = set(map(type, listed))
    if kinds <= {float, int, bool} and all(abs(value) < EXACTLY for value in listed if type(value) is int):
        return _outputs(_of_numbers(np.array(listed, dtype=np.float64).reshape(-1, 1)))
    places = [_places(output) for output in listed]
    width = max((len(each) for each in places), default=1)
    values = np.zeros((len(places), width))
    kinds_of = np.full((len(places), width), float(ABSENT))
    extra = np.full((len(places), width), np.nan)
    for at, row in enumerate(places):
        for place, (value, kind, fine) in enumerate(row):
            values[at, place], kinds_of[at, place] = value, kind
            extra[at, place] = np.nan if fine is None else fine
    table = _of_numbers(values)
    table[:, EACH - 1 :: EACH] = np.where(table[:, EACH - 1 :: EACH] == NO_NUMBER, NO_NUMBER, kinds_of)
    table[:, 1::EACH] = np.where(np.isnan(extra), table[:, 1::EACH], extra)
    return _outputs(table)


def column_name(column: int, width: int) -> str:
    """What a column is, in words."""
    place, kind = divmod(column, EACH)
    what = NAMES[kind] if kind else "output"
    return what if width == EACH else f"{what}, place {place + 1}" if kind else f"place {place + 1}"


def _of_numbers(table: Floats) -> Floats:
    """Value, lowest bit and kind of every number."""
    finite = np.isfinite(table)
    values = np.where(finite, table, 0.0)
    # m · 2^e with m in [1/2, 1): 53 bits of m as a whole number, whose lowest bit is what is left of it
    mantissas, exponents = np.frexp(values)
    bits = np.abs(mantissas * 2.0**53).astype(np.int64)
    lowest = (bits & -bits).astype(np.float64)
    fine = np.where(bits > 0, exponents - 53 + np.log2(np.maximum(lowest, 1.0)), 2000.0)
    kinds = np.where(finite, float(NUMBER), float(NO_NUMBER))
    named = np.where(np.isnan(table), 1.0, np.where(finite, 0.0, 2.0 * np.sign(np.where(finite, 0.0, table))))
    # the sign of a zero is part of an output
    fine = np.where((values == 0) & np.signbit(values), 2001.0, fine)
    wide = np.empty((len(table), EACH * table.shape[1]))
    wide[:, 0::EACH] = np.where(finite, values, named)
    wide[:, 1::EACH] = fine
    wide[:, 2::EACH] = kinds
    return wide


def _places(output: object) -> list[tuple[float, float, float | None]]:
    """Value, kind and, if it is not that of the value, fineness of each scalar in an output."""
    scalars = list(_scalars(output))
    if not isinstance(output, list | tuple | np.ndarray | Mapping | set | frozenset):
        return [_scalar(scalars[0])]
    found = [_scalar(each) for each in scalars[:WIDEST]]
    numbers = [value for value, kind, _ in map(_scalar, scalars) if kind == NUMBER]
    if len(scalars) > WIDEST:
        found += [
            (each, float(NUMBER), None) for each in (sum(numbers), min(numbers, default=0), max(numbers, default=0))
        ]
    return [(float(len(scalars)), float(LENGTH), None), *found]


def _scalars(output: object) -> Iterable[object]:
    if isinstance(output, Mapping):
        for key in sorted(output, key=repr):
            yield key
            yield from _scalars(output[key])
    elif isinstance(output, np.ndarray):
        yield from output.ravel().tolist()
    elif isinstance(output, list | tuple):
        for each in output:
            yield from _scalars(each)
    elif isinstance(output, set | frozenset):
        yield from sorted(output, key=repr)
    else:
        yield output


def _scalar(value: object) -> tuple[float, float, float | None]:
    if value is None:
        return 0.0, float(NOTHING), None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return float(value), float(NUMBER), None
    if isinstance(value, int):
        large = abs(value) >= EXACTLY
        near = float(value) if abs(value) < 2**1000 else math.copysign(2.0**1000, value)
        return near, float(NUMBER), float(value & 0xFFFFFFFF) if large else None
    if isinstance(value, float):
        return value, float(NUMBER), None
    if isinstance(value, Fraction):
        return float(value), float(NUMBER), float(zlib.crc32(str(value).encode()))
    if isinstance(value, str | bytes):
        words = value.encode(errors="surrogatepass") if isinstance(value, str) else value
        return float(zlib.crc32(words)), float(TEXT if isinstance(value, str) else OTHER), None
    return float(zlib.crc32(repr(value).encode(errors="surrogatepass"))), float(OTHER), None


def _padded(rows: Floats, width: int) -> Floats:
    wide = np.zeros((len(rows), width))
    wide[:, : rows.shape[1]] = rows
    wide[:, rows.shape[1] + 1 :: EACH] = 2000.0  # the lowest bit of nothing
    wide[:, rows.shape[1] + 2 :: EACH] = ABSENT
    return wide


def _outputs(rows: Floats) -> Outputs:
    """With a word for the whole row, absent places left out so that widening changes nothing."""
    bits = np.ascontiguousarray(rows + 0.0).view(np.uint64)  # + 0.0: one zero
    whole = np.zeros(len(rows), dtype=np.uint64)
    for place in range(rows.shape[1] // EACH):
        there = rows[:, EACH * place + 2] != ABSENT
        mixed = whole
        for column in range(EACH * place, EACH * place + EACH):
            mixed = (mixed ^ bits[:, column] ^ (mixed >> np.uint64(29))) * MIXING + np.uint64(column + 1)
        whole = np.where(there, mixed, whole)
    return Outputs(rows, whole)
