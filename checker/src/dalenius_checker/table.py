"""The published figures.csv, against its certificate: no figure and no number that it does not have, and none left out;
values that can come out of the channel, in decimals of which there are ten at most; and how they are said to be made.
"""

import csv
import hashlib
import io
import re
from fractions import Fraction
from typing import Any

from dalenius_checker.document import require


def compare(c: Any, content: bytes) -> None:
    """RefusedError unless the table is that of the certificate."""
    same = hashlib.sha256(content).hexdigest() == c.figures_sha256
    require(same, "figures.csv is not the file that the certificate is about: its sha256 differs")
    new, seen = {figure.name: figure for figure in c.figures if not figure.already_out}, set()
    sizes = {(c.figures[at].name, *map(str, cell)): c.covered[n] for n, (at, cell) in enumerate(c.numbers)}
    for row in csv.DictReader(io.StringIO(content.decode()), restval="", strict=True):
        name, value, release = row.pop("figure"), row.pop("value"), row.pop("release")
        require(name in new, f"the certificate has no new figure {name!r}")
        key = (name, *(row.pop(column) for column in new[name].by))
        require(key not in seen and not any(row.values()), f"{name}: a number is there twice, or split otherwise")
        seen.add(key)
        require(_possible(new[name], value, sizes.get(key, 0)), f"{name}: {value!r} cannot be published")
        require(_told(new[name], release), f"{name}: it is released otherwise")
    every = {(c.figures[at].name, *map(str, cell)) for at, cell in c.numbers if not c.figures[at].already_out}
    require(every <= seen, "figures.csv does not have all numbers of the certificate")


def _possible(figure: Any, value: str, people: int) -> bool:
    """Whether it is a multiple of what is published; nothing where there is nobody and no noise."""
    if (figure.kind == "mean" and not people) or not re.fullmatch(r"-?[0-9]+(\.[0-9]{1,10})?", value):
        return figure.kind == "mean" and not people and not value
    times, step = people if figure.kind == "mean" else 1, Fraction(figure.unit) * figure.base
    multiple = round(Fraction(value) * times / step) if people or figure.noise else 0
    return bool(abs(Fraction(value) * times - multiple * step) <= Fraction(times, 2 * 10**10))


def _told(figure: Any, release: str) -> bool:
    """Whether it has the numbers of the channel, in the figure's own unit, and is exact if it has none."""
    sizes = [Fraction(figure.unit) * Fraction(size) for _, size in figure.channel]
    numbers = [*map(Fraction, getattr(figure, "truncated", None) or ()), *sizes]
    told = [float(Fraction(number)) for number in re.findall("-?[0-9][0-9./e+-]*", release)]
    return told == [*map(float, numbers)] and release.endswith("exact") == (not sizes)
