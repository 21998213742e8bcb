"""The published table, against the certificate that it was made with."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from dalenius.enclosure.formats import DECIMALS
from dalenius.facts.records import Column, Numbers
from dalenius.mechanisms.registry import COMPARES, NOISES
from dalenius.record.certificate.again import people_of
from dalenius.record.certificate.computed import Key, expected
from dalenius.record.certificate.document import CertificateModel, CertifiedFigure
from dalenius.record.codec import channel_of, digest
from dalenius.tables.computed import NAMED, Computed
from dalenius.tables.figures import Figure
from dalenius.tables.published import LEFT_OUT, text_of

TOLD = re.compile(r"(exactly|about) (-?[0-9]{1,20})")
VALUE = re.compile(rf"-?[0-9]+(\.[0-9]{{1,{DECIMALS}}})?")


def compared(document: CertificateModel, content: bytes) -> list[str]:
    """What of figures.csv is not of this certificate: its hash, figures, cells, values or words."""
    if digest(content) != document.figures_sha256:
        return ["these are not the figures that it is about: their sha256 differs"]
    try:
        return list(_differences(document, content.decode()))
    except (csv.Error, UnicodeDecodeError):
        return ["these figures are no table: they cannot be read"]


def _differences(document: CertificateModel, text: str) -> Iterator[str]:
    new = {figure.name: figure for figure in document.figures if not figure.already_out}
    covered, sizes, missing = people_of(document), dict[tuple[str, ...], int](), set[tuple[str, ...]]()
    for place, (at, cell) in enumerate(document.numbers):
        key = (document.figures[at].name, *map(str, cell))
        sizes[key] = covered[place]
        missing |= set() if document.figures[at].already_out else {key}
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    rows = [[text_of(cell) for cell in row] for row in rows]
    columns = rows[0][1:-2] if rows else []
    split = {name for figure in new.values() for name in figure.by}
    if not rows or rows[0] != ["figure", *columns, "value", "release"] or sorted(columns) != sorted(split):
        yield "these figures have other columns than those that the certificate's figures are split by"
        return
    seen, numbers = set[tuple[str, ...]](), dict[tuple[str, ...], Fraction | None]()
    made = {one.name: new[one.parts[0]].by for one in document.computed or () if one.parts[0] in new}
    computed = dict[tuple[str, ...], tuple[str, str]]()
    for name, *cells, value, release in (row for row in rows[1:] if len(row) == len(rows[0])):
        values, figure = dict(zip(columns, cells, strict=True)), new.get(name)
        if name in made:
            key = (name, *(values[column] for column in made[name]))
            if key in computed or any(some and column not in made[name] for column, some in values.items()):
                yield f"{name}: a number is there twice, or is split by what the figure is not"
            computed[key] = value, release
            continue
        if figure is None:
            yield f"the certificate has no figure {name!r} that is new"
            continue
        key = (name, *(values[column] for column in figure.by))
        if key in seen or any(some and column not in figure.by for column, some in values.items()):
            yield f"{name}: a number is there twice, or is split by what the figure is not"
        seen.add(key)
        gone = key[1:] in {tuple(cell) for cell in figure.left_out or ()}
        if gone or release == LEFT_OUT:
            if not gone or value or release != LEFT_OUT or key in sizes:
                yield f"{name}: the certificate has other cells that are left out, or a number in one of them"
            continue
        if not _possible(figure, value, sizes.get(key, 0)):
            yield f"{name}: {value!r} is not what the certificate says can be published"
            continue
        numbers[key] = Fraction(value) if VALUE.fullmatch(value) else None
        if release != _told(figure):
            yield f"{name}: it is said to be released otherwise than the certificate says"
    missing |= {(name, *cell) for name, figure in new.items() for cell in figure.left_out or ()}
    if missing - seen or any(len(row) != len(rows[0]) for row in rows):
        yield "a number that the certificate has is not in the table, or a row has too few entries"
    elif not _follow(document, computed, numbers, sizes):
        yield "a computed figure is not what follows from the numbers that it is computed from"


def _follow(
    document: CertificateModel,
    computed: Mapping[Key, tuple[str, str]],
    numbers: Mapping[Key, Fraction | None],
    sizes: Mapping[Key, int],
) -> bool:
    """Whether computed figures follow from the numbers; of counts that are only compared, whether one of them is named
    where there is somebody.
    """
    wanted = expected(document, numbers, sizes)
    named = {one.name: one for one in document.computed or () if one.kind in NAMED}
    for key, (value, release) in computed.items():
        one = named.get(key[0])
        if one is None:
            continue
        there = sizes.get((one.parts[0], *key[1:]), 0)
        if (
            key not in wanted
            or release != wanted[key][1]
            or value not in (Computed.of(one.model_dump()).names if there else [""])
        ):
            return False
    rest = {key: told for key, told in computed.items() if key[0] not in named}
    return computed.keys() == wanted.keys() and rest == {k: told for k, told in wanted.items() if k[0] not in named}


def _possible(figure: CertifiedFigure, value: str, people: int) -> bool:
    """Whether a value is a multiple of what it is rounded to; nothing, where there is nobody and no noise."""
    if figure.kind == "mean" and not people:
        return not value
    if any(name in COMPARES for name, _ in figure.channel):
        return not value
    choosing, earning = _released(figure).choosing, _released(figure).earning
    if choosing is not None:
        return value in choosing.outputs if people else not value
    if earning is not None:
        told = TOLD.fullmatch(value)
        if not people or told is None:
            return not people and not value
        return told[1] == "about" or int(told[2]) in earning.window(people)
    hiding = _released(figure).hiding
    if hiding is not None and value == hiding.text:
        return True
    if not VALUE.fullmatch(value) or (hiding is not None and hiding.covers(int(Fraction(value)))):
        return False
    times = people if figure.kind == "mean" else 1
    total, slack = Fraction(value) * times, Fraction(times, 2 * 10**DECIMALS)  # it is written with so many decimals
    noisy = any(name in NOISES for name, _ in figure.channel)
    if not people and not noisy:
        return abs(total) <= slack
    step = Fraction(figure.unit) * next((Fraction(size) for name, size in figure.channel if name == "round"), 1)
    return abs(total - round(total / step) * step) <= slack


def _told(figure: CertifiedFigure) -> str:
    """How it was released, in the words of the table."""
    return _released(figure).released(_columns(figure))


def _columns(figure: CertifiedFigure) -> dict[str, Column]:
    unit = Fraction(figure.unit)
    return {} if figure.column is None else {figure.column: Numbers(unit, Fraction(0), unit)}


def _released(figure: CertifiedFigure) -> Figure:
    """The figure, as far as what happens to it goes."""
    cut = None if figure.truncated is None else (Fraction(figure.truncated[0]), Fraction(figure.truncated[1]))
    return Figure(figure.name, figure.kind, figure.column, channel=channel_of(figure.channel), truncated=cut)
