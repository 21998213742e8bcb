"""Figures that are computed from others, as a certificate has them: that they fit together, and their values."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from dalenius.mechanisms.compared import FEWEST_COMPARED, FEWEST_MODELS, MOST_COMPARED, MOST_MODELS, OnlyCompared
from dalenius.mechanisms.registry import written
from dalenius.record.certificate.document import CertificateModel, CertifiedComputed, CertifiedFigure
from dalenius.tables.computed import NAMED, OF_COUNTS, SPREADS, Computed, ComputedNumber

Key = tuple[str, ...]  # a figure, and the values of its cell


def unfit(document: CertificateModel) -> Iterator[str]:
    """What does not fit: computed figures are made of new ones that are split alike, and have names of their own."""
    new = {figure.name: figure for figure in document.figures if not figure.already_out}
    names = [one.name for one in document.computed or ()]
    if len({*names, *new}) != len(names) + len(new):
        yield "a computed figure has the name of another figure"
    for one in document.computed or ():
        if not new.keys() >= {*one.parts, *one.over}:
            yield f"{one.name}: it is computed from figures that are not new, or not there"
            continue
        scale = Fraction(one.weights[0]) if one.kind == "place" and one.weights else None
        at = Fraction(one.at) if one.kind == "place" else None
        models = Computed.of(one.model_dump()).models
        link = OnlyCompared(len(one.parts), at, scale, models) if _many(one) else None
        apart = [new[part].channel != ([written(link)] if link else []) for part in one.parts]
        places = [[*new].index(part) for part in one.parts]
        if one.kind in NAMED and (any(apart) or places != sorted(places)):
            yield f"{one.name}: a value is named of counts that are only compared with each other, in their order"
        split = {frozenset(new[name].by) for name in (*one.parts, *one.over)}
        if len(split) > 1 or not _made(one, presence=document.secret == "presence"):
            yield f"{one.name}: a {one.kind} is not made like this"


def _many(one: CertifiedComputed) -> bool:
    moved = one.kind == "winner" or all(Fraction(scale) > 0 for scale in one.weights)
    return (
        one.kind in NAMED
        and _models(one)
        and FEWEST_COMPARED <= len(one.parts) <= MOST_COMPARED
        and 0 <= Fraction(one.at) <= 1
        and moved
    )


def _models(one: CertifiedComputed) -> bool:
    """Whether a model gives each value a chance, and all are different ones; of other kinds: whatever they are."""
    models = Computed.of(one.model_dump()).models
    fine = FEWEST_MODELS <= len({*models}) == len(models) <= MOST_MODELS
    whole = all(len(model) == len(one.parts) and min(model) > 0 and sum(model) == 1 for model in models)
    return one.kind != "model" or (fine and whole)


def _made(one: CertifiedComputed, *, presence: bool) -> bool:
    counts = one.kind in OF_COUNTS or (one.kind in SPREADS and bool(one.values))
    fine = len(one.values) == (len(one.parts) if counts else 0)
    if one.kind in SPREADS and not counts:
        fine = fine and len(one.parts) == 2 and len(one.over) < 2
    fine = fine and not (one.over and (counts or one.kind == "total"))
    if one.kind == "place" and one.weights:
        return fine and len(one.weights) == 1  # the scale of the noise
    if one.kind == "model":
        return fine and _models(one)
    if one.weights:
        same = len(one.weights) == len(one.parts) == len(one.over or one.parts)
        fine = fine and same and one.kind in ("total", "quotient")
    fine = fine and (0 < Fraction(one.at) <= 1 or (one.kind == "place" and Fraction(one.at) == 0))
    fine = fine and Fraction(one.times) > 0
    return fine and not (presence and Computed.of(one.model_dump()).needs_people)


def expected(
    document: CertificateModel, numbers: Mapping[Key, Fraction | None], people: Mapping[Key, int]
) -> dict[Key, tuple[str, str]]:
    """The value and the words of each computed number, from the numbers of the table."""
    new = {figure.name: figure for figure in document.figures if not figure.already_out}
    found: dict[Key, tuple[str, str]] = {}
    for one in (Computed.of(keys.model_dump()) for keys in document.computed or ()):
        first = new[one.parts[0]]
        for _, *cell in [key for key in numbers if key[0] == first.name]:
            parts, over = (_keys(names, new, first, cell) for names in (one.parts, one.over))
            values = [numbers.get(key) for key in (*parts, *over)]
            some = [value for value in values if value is not None]
            covered = [people.get(key, 0) for key in parts]
            whole = len(some) == len(values)
            value = one.value(some[: len(parts)], some[len(parts) :], covered) if whole else None
            found[(one.name, *cell)] = ComputedNumber(one, tuple(first.by), tuple(cell), value).text, one.released
    return found


def _keys(
    names: Sequence[str], new: Mapping[str, CertifiedFigure], first: CertifiedFigure, cell: Sequence[str]
) -> list[Key]:
    values = dict(zip(first.by, cell, strict=True))
    return [(name, *(values[column] for column in new[name].by)) for name in names]
