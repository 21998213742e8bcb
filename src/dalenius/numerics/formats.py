"""Where the writing of numbers was before."""

from dalenius.enclosure.formats import (
    DECIMALS,
    MOST_DIGITS,
    SHOWN,
    apart,
    at_least,
    at_most,
    digits,
    in_decimals,
    nearly,
    one_in,
    percent,
    plain,
    raised,
    short,
    tick,
    upwards,
)

__all__ = [
    "DECIMALS",
    "MOST_DIGITS",
    "SHOWN",
    "apart",
    "at_least",
    "at_most",
    "digits",
    "in_decimals",
    "nearly",
    "one_in",
    "percent",
    "plain",
    "raised",
    "short",
    "tick",
    "upwards",
]
