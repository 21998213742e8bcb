"""The edition of a table, and figures of it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dalenius.basics.errors import SpecError
from dalenius.desk.spec.model import EditionModel
from dalenius.desk.spec.values import named, value_of
from dalenius.facts.records import Column, Test, Where
from dalenius.record.ledger import Edition
from dalenius.tables.figures import Figure


def edition_of(
    model: EditionModel | None, public: Mapping[str, Column], confidential: Mapping[str, Column]
) -> Edition | None:
    """The edition that a specification declares, checked against its columns."""
    if model is None:
        return None
    if model.until is not None and model.since is None:
        raise SpecError(
            "edition: until needs since beside it, but there is none. Name the column that says since when."
        )
    columns = [name for name in (model.since, model.until) if name is not None]
    for name in columns:
        named(name, list(public), "edition", needed="public", other=list(confidential))
    values = [value_of(name, model.now, public[name], "edition: now") for name in columns]
    return Edition(values[0] if values else str(model.now), model.since, model.until)


def editions_before(model: EditionModel | None, public: Mapping[str, Column]) -> dict[str, Edition]:
    """The editions of earlier releases, as they are told now."""
    if model is None or not model.before:
        return {}
    if model.since is None:
        raise SpecError(
            "edition: before needs since beside it, but there is none. Name the column that says since when."
        )
    columns = [name for name in (model.since, model.until) if name is not None]
    found = {}
    for release, now in model.before.items():
        values = [value_of(name, now, public[name], f"edition: before {release}") for name in columns]
        found[release] = Edition(values[0], model.since, model.until)
    return found


def within(figures: Iterable[Figure], tests: tuple[tuple[str, Test], ...]) -> tuple[Figure, ...]:
    """The same figures of the rows that pass these tests too."""
    return tuple(replace(figure, where=Where((*figure.where.tests, *tests))) for figure in figures)
