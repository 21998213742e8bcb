"""Dates as days, months or years: labels in their order, written as ISO 8601 has them."""

import calendar
import re
from typing import Literal, TypeAlias, get_args

from dalenius.basics.errors import InputError
from dalenius.basics.limits import MOST_LABELS

DateUnit: TypeAlias = Literal["day", "month", "year"]

UNITS: tuple[str, ...] = get_args(DateUnit)
LENGTH = {"year": 4, "month": 7, "day": 10}  # of a label
EXAMPLE = {"year": "2024", "month": "2024-03", "day": "2024-03-31"}


def date_label(given: object, unit: str) -> str:
    """A day, a month or a year, as it is written.

    >>> date_label("2024-02-29", "day"), date_label(2024, "year")
    ('2024-02-29', '2024')
    """
    text = str(given).strip()
    if re.fullmatch(r"[1-9]\d{3}(-\d{2}){0,2}", text) and len(text) == LENGTH[unit]:
        year, month, day = (*map(int, text.split("-")), 1, 1)[:3]
        if 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]:
            return text
    raise InputError(f"A {unit} is written as {EXAMPLE[unit]}, from 1000 on, but got {text[:40]!r}. Correct it.")


def date_labels(low: object, high: object, unit: str) -> tuple[str, ...]:
    """All days, months or years between two, both included.

    >>> date_labels("2023-11", "2024-02", "month")
    ('2023-11', '2023-12', '2024-01', '2024-02')
    """
    first, last = date_label(low, unit), date_label(high, unit)
    if first > last:
        raise InputError(f"Dates go from the earlier to the later one, but got {first} and {last}. Swap them.")
    found = [first]
    while found[-1] != last:
        if len(found) >= MOST_LABELS:
            raise InputError(
                f"A column has at most {MOST_LABELS} dates, but {first} to {last} has more. Take months or years."
            )
        found.append(_step(found[-1], unit, 1))
    return tuple(found)


def date_bins(cuts: list[str], unit: str) -> tuple[str, ...]:
    """Labels of bins: from each date to the last one before the next; the last date is included.

    >>> date_bins(["2020", "2022", "2024"], "year")
    ('2020 to 2021', '2022 to 2024')
    """
    ends = [*(_step(cut, unit, -1) for cut in cuts[1:-1]), cuts[-1]]
    return tuple(low if low == high else f"{low} to {high}" for low, high in zip(cuts[:-1], ends, strict=True))


def _step(label: str, unit: str, by: int) -> str:
    """The next date, or the one before."""
    year, month, day = (*map(int, label.split("-")), 1, 1)[:3]
    if unit == "year":
        return f"{year + by:04d}"
    day += by if unit == "day" else 0
    month += by if unit == "month" else 0
    if unit == "day" and day > calendar.monthrange(year, month)[1]:
        month, day = month + 1, 1
    if unit == "day" and day < 1:
        month, day = month - 1, 0
    year, month = (year + 1, 1) if month > 12 else (year - 1, 12) if month < 1 else (year, month)
    if unit == "month":
        return f"{year:04d}-{month:02d}"
    return f"{year:04d}-{month:02d}-{day or calendar.monthrange(year, month)[1]:02d}"
