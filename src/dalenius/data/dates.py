"""Columns of dates in the engine: stored as dates, as times without a zone, or as text in ISO 8601."""

from dalenius.basics.errors import DataError
from dalenius.data.source import Expr
from dalenius.facts.dates import LENGTH

# Every day that there is, from the year 1000 on: engines disagree on what 2023-02-30 is.
LEAP = "([0-9][0-9](0[48]|[2468][048]|[13579][26])|([2468][048]|[13579][26])00)"
DAYS = (
    "[1-9][0-9]{3}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
    f"|{LEAP}-02-29"
)
TIME = "([T ][0-9:.]{1,20})?"
TEXTS = {  # what a text may be, by the unit that is wanted
    "day": f"^(({DAYS}){TIME})$",
    "month": f"^(({DAYS}){TIME}|[1-9][0-9]{{3}}-(0[1-9]|1[0-2]))$",
    "year": f"^(({DAYS}){TIME}|[1-9][0-9]{{3}}(-(0[1-9]|1[0-2]))?)$",
}


def date_text(raw: Expr, unit: str, *, name: str) -> Expr:
    """The day, month or year of each row as text; missing where there is none; DataError if it is no type of dates."""
    kind = raw.type()
    if kind.is_timestamp() and kind.timezone is not None:
        raise DataError(
            f"Column {name!r} must hold dates, but it holds times with a time zone, so that the day depends on where "
            "one is. Convert it to dates first."
        )
    if kind.is_date() or kind.is_timestamp():
        return raw.cast("date").cast("string").substr(0, LENGTH[unit])
    whole = kind.is_integer() and unit == "year"
    if kind.is_string() or whole:
        text = raw.cast("string") if whole else raw
        return text.re_search(TEXTS[unit]).ifelse(text.substr(0, LENGTH[unit]), None)
    raise DataError(
        f"Column {name!r} must hold dates, but its type is {str(kind).lstrip('!')}. Convert it, or declare the column "
        "otherwise."
    )


def date_number(text: Expr) -> Expr:
    """A date as a whole number in the order of dates: 20240331 or 202403."""
    return text.replace("-", "").cast("int64")


def date_of(number: Expr, unit: str) -> Expr:
    """The text of a date from its number."""
    text = number.cast("string")
    if unit == "year":
        return text
    month = text.substr(0, 4) + "-" + text.substr(4, 2)
    return month if unit == "month" else month + "-" + text.substr(6, 2)
