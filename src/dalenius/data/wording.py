"""How names, labels and numbers are shown in a message."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction

MOST_SHOWN = 12


def nearest(name: str, names: Sequence[str]) -> str:
    """A question that names the closest of the names, if there is a close one. They must be names that somebody
    declared, or that a database has for its tables: never those of columns that nobody declared.

    >>> nearest("incom", ["id", "Income"])
    " Did you mean 'Income'?"
    """
    folded = {other.casefold().strip(): other for other in reversed(names)}
    close = get_close_matches(name.casefold().strip(), folded, n=1)
    return f" Did you mean {folded[close[0]]!r}?" if close else " Name one of these."


def shown_list(things: Iterable[object]) -> str:
    """The first dozen, and how many more.

    >>> shown_list(["a", "b"])
    'a, b'
    """
    items = [str(thing) for thing in things]
    more = f" and {len(items) - MOST_SHOWN} more" if len(items) > MOST_SHOWN else ""
    return ", ".join(items[:MOST_SHOWN]) + more


def shown_number(number: Fraction) -> str:
    """As a decimal if it has one that ends, otherwise as a fraction.

    >>> shown_number(Fraction(1, 20)), shown_number(Fraction(1, 3))
    ('0.05', '1/3')
    """
    decimal = Decimal(number.numerator) / Decimal(number.denominator)
    return f"{decimal:f}" if Fraction(decimal) == number else str(number)
