"""What a specification says of a table that comes out in editions."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from dalenius.basics.errors import SpecError
from dalenius.desk.spec.model import SeriesModel
from dalenius.desk.spec.values import named
from dalenius.facts.records import Column, exact
from dalenius.record.ledger import Edition
from dalenius.tables.figures import Figure

if TYPE_CHECKING:
    from dalenius.tables.series import Series
    from dalenius.tables.spells import Rate

MOST_EDITIONS = 120  # that can be announced


def series_of(
    model: SeriesModel | None,
    edition: Edition | None,
    public: Mapping[str, Column],
    confidential: Mapping[str, Column],
) -> "Series | None":
    """The series that a specification declares, checked against its columns and its edition."""
    if model is None:
        return None
    if edition is None or edition.since is None:
        raise SpecError(
            "series needs edition with a column since beside it, but there is none. Write edition: {now: 1, since: "
            "...}, with a public column that says since which edition a row is there."
        )
    if not 1 <= model.editions <= MOST_EDITIONS:
        raise SpecError(f"series: editions needs a number from 1 to {MOST_EDITIONS}, but got {model.editions}.")
    for name in model.changes:
        named(name, list(confidential), "series: changes", needed="confidential", other=list(public))
    joins, leaves = (
        _share(given, f"series: {name}") for name, given in (("joins", model.joins), ("leaves", model.leaves))
    )
    from dalenius.tables.series import Series, place_of

    return Series(
        edition.since,
        edition.until,
        {name: _rate(name, given) for name, given in model.changes.items()},
        model.editions,
        joins,
        leaves,
        model.source,
        place_of(public[edition.since], edition.now),
        {name: public[name] for name in edition.columns},
    )


def months_of(series: "Series | None", pairs: Iterable[tuple[Figure, Figure]], place: int) -> "Series | None":
    """The series with figures of one edition: each with and without the condition of the edition."""
    if series is None:
        return None
    return series.with_months({within.name: (place, figure) for figure, within in pairs})


def _rate(name: str, given: object) -> "Rate":
    """A probability, or the least and the largest that it may be."""
    ends = given if isinstance(given, tuple | list) else (given, given)
    low, high = (_share(end, f"series: changes of {name}") for end in ends)
    if low > high:
        raise SpecError(f"series: changes of {name} needs the least probability first, but got {low} and {high}.")
    return low, high


def _share(given: object, what: str) -> Fraction:
    share = exact(given, name=what)  # type: ignore[arg-type]  # the model has only numbers there
    if not 0 <= share <= 1:
        raise SpecError(
            f"{what} needs a probability between 0 and 1 from one edition to the next, but got {given}. Write 0.01 for "
            "one in a hundred."
        )
    return share
