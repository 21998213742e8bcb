"""Exact numbers, labels, cells and brackets as JSON, and back. Numbers are text, never floats; labels are what they
are.
"""

import re
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

from dalenius.basics.errors import InputError
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import digits
from dalenius.facts.records import Cell, Label
from dalenius.record.codec.form import Json

RECORDED = re.compile(r"-?[0-9]{1,4300}(/[0-9]{1,4300})?")  # as long as Python reads whole numbers
PLACES = 6  # digits of a delta


def text_or_none(number: Fraction | None) -> str | None:
    """An exact number as text, if there is one."""
    return None if number is None else str(number)


def number_of(text: Json) -> Fraction:
    """An exact number as it was recorded: a whole number or a fraction, as text."""
    if not isinstance(text, str) or not RECORDED.fullmatch(text):
        raise InputError("A number is recorded as 3 or 1/3, but this is something else. This is no entry of ours.")
    return Fraction(text)


def number_or_none(text: Json) -> Fraction | None:
    """The same, if there is one."""
    return None if text is None else number_of(text)


def label_of(found: Json) -> Label:
    """A label as it was recorded."""
    if not isinstance(found, bool | int | str):
        raise InputError(f"A label is text or a number, but this is {type(found).__name__}. This is no entry of ours.")
    return found


def value_json(value: Label | Fraction) -> Json:
    """A label as it is; a number as exact text, marked so that it is not taken for a label."""
    return {"number": str(value)} if isinstance(value, Fraction) else value


def value_of(found: Json) -> Label | Fraction:
    """The value behind its JSON."""
    return number_of(found["number"]) if isinstance(found, dict) else label_of(found)


def cell_json(cell: Cell) -> Json:
    """The values of a cell, in order."""
    return [value_json(value) for value in cell]


def cell_of(found: Json) -> Cell:
    """The cell behind its JSON."""
    return tuple(value_of(value) for value in found)


def bracket_text(delta: Bracket, wanted: Fraction) -> tuple[str, str]:
    """Both ends as decimals, rounded outwards; an upper end that passes still does."""
    lower, upper = (
        digits(end, rounding=way, places=PLACES)
        for end, way in ((delta.lower, ROUND_FLOOR), (delta.upper, ROUND_CEILING))
    )
    if delta.upper <= wanted < Fraction(upper):
        upper = str(wanted)
    return lower, upper
