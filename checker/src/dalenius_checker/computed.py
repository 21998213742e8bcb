"""Figures that are computed from published numbers: they tell nothing beyond these, if that is what they are."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

Key = tuple[str, ...]  # the name of a figure, and the values of its cell
PLACES = 10**10
NAMED = ("winner", "place", "model")  # by counts that are not published


def listed(c: Any) -> list[Any]:
    """The computed figures of a certificate, if it has any."""
    return getattr(c, "computed", None) or []


def check(c: Any, require: Callable[[object, str], None]) -> None:
    """Each is made of new figures that are split alike, and of as many as its kind needs."""
    new = {figure.name: figure for figure in c.figures if not figure.already_out}
    names = [one.name for one in listed(c)]
    require(len({*names, *new}) == len(names) + len(new), "a computed figure has the name of another figure")
    for one in listed(c):
        known = all(name in new for name in (*one.parts, *one.over))
        require(known, f"{one.name}: it is computed from figures that are not new, or not there")
        alike = len({frozenset(new[name].by) for name in (*one.parts, *one.over)}) == 1
        require(alike and _made(one), f"{one.name}: a {one.kind} is not made like this")
        compared = {(new[name].among, new[name].place) for name in one.parts}
        wanted = (len(one.parts), Fraction(one.at) if one.kind == "place" else None) if one.kind in NAMED else (0, None)
        noise = Fraction(one.weights[0]) if one.kind == "place" and one.weights else None
        moved = {new[name].moved for name in one.parts} == {noise}
        moved &= {new[name].models for name in one.parts} == {_models(one)}
        places = [[*new].index(name) for name in one.parts]
        fine = (
            compared == {wanted}
            and (moved or one.kind not in NAMED)
            and (one.kind not in NAMED or places == sorted(places))
        )
        require(
            fine, f"{one.name}: a value is named by counts that are only compared, in their order, and nothing else"
        )
        public = c.secret != "presence" or one.over or one.values or one.kind == "total"
        require(public, f"{one.name}: where presence is secret there is no public number of people")


def models_of(many: int, chances: Sequence[Fraction]) -> tuple[tuple[Fraction, ...], ...]:
    """The chances of so many values under each model, which stand one model after the other."""
    return tuple(tuple(chances[start : start + many]) for start in range(0, len(chances), many))


def _models(one: Any) -> tuple[tuple[Fraction, ...], ...]:
    return models_of(len(one.parts), [Fraction(weight) for weight in one.weights] if one.kind == "model" else [])


def _made(one: Any) -> bool:
    parts, over, values, weights = (len(each) for each in (one.parts, one.over, one.values, one.weights))
    fine = (0 < Fraction(one.at) <= 1 or (one.kind == "place" and one.at == "0")) and Fraction(one.times) > 0
    if one.kind in ("total", "quotient"):
        return (
            fine
            and not values
            and not (one.kind == "total" and over)
            and weights in (0, parts)
            and (not weights or over in (0, parts))
        )
    if values:
        fits = weights <= (one.kind == "place") or one.kind == "model"
        return fine and values == parts and not over and fits
    return fine and one.kind in ("variance", "standard deviation") and (parts, weights) == (2, 0) and over < 2


def values(
    c: Any, new: Mapping[str, Any], numbers: Mapping[Key, Fraction | None], people: Mapping[Key, int]
) -> dict[Key, str]:
    """What the table must say of each computed number."""
    found = {}
    for one in listed(c):
        if one.kind in NAMED:
            continue  # of counts that are not published: see `winners`
        first = new[one.parts[0]]
        for name, *cell in numbers:
            if name != first.name:
                continue
            at = dict(zip(first.by, cell, strict=True))
            keys = [(part, *(at[column] for column in new[part].by)) for part in (*one.parts, *one.over)]
            given = [numbers.get(key) for key in keys]
            known = [number for number in given if number is not None]
            size = len(one.parts)
            whole = len(known) == len(given)
            below = known[size:] or [Fraction(people.get(key, 0)) for key in keys[:size]]
            found[one.name, *cell] = _value(one, known[:size], below) if whole else ""
    return found


def winners(c: Any, new: Mapping[str, Any], people: Mapping[Key, int]) -> dict[Key, list[str]]:
    """What the table may say of each value that is named by counts that are not published: one of theirs, or nothing
    where there is nobody.
    """
    found = {}
    for one in listed(c):
        first = one.parts[0]
        for name, *cell in people if one.kind in NAMED else ():
            if name == first:
                models = [f"model {place}" for place in range(1, len(_models(one)) + 1)]
                found[one.name, *cell] = models or [str(value) for value in one.values]
    return found


def _value(one: Any, parts: Sequence[Fraction], below: Sequence[Fraction]) -> str:
    if one.kind in ("total", "quotient"):
        times = [Fraction(weight) for weight in one.weights] or [Fraction(1)] * max(len(parts), len(below))
        top = sum(a * b for a, b in zip(times, parts, strict=False))
        if one.kind == "total":
            return _text(Fraction(top))
        bottom = sum(a * b for a, b in zip(times, below, strict=False))
        return _text(Fraction(one.times) * top / bottom) if bottom > 0 else ""
    if one.kind in ("variance", "standard deviation"):
        return _spread(one, parts, below[0])
    people = [(count, value) for count, value in zip(parts, one.values, strict=True) if count > 0]
    if not people:
        return ""
    most, everybody = max(count for count, _ in people), sum(count for count, _ in people)
    if one.kind == "quantile":
        within = (sum(count for count, _ in people[: place + 1]) for place in range(len(people)))
        return next(str(people[p][1]) for p, some in enumerate(within) if some >= Fraction(one.at) * everybody)
    place = {"smallest": 0, "largest": -1, "mode": [count for count, _ in people].index(most)}[one.kind]
    return str(people[place][1])


def _spread(one: Any, parts: Sequence[Fraction], number: Fraction) -> str:
    total, squares = parts if not one.values else (Fraction(0), Fraction(0))
    if one.values:
        people = [(max(count, Fraction(0)), Fraction(value)) for count, value in zip(parts, one.values, strict=True)]
        number = sum((count for count, _ in people), Fraction(0))
        total = sum((count * value for count, value in people), Fraction(0))
        squares = sum((count * value * value for count, value in people), Fraction(0))
    if number < 2:
        return ""
    variance = max(Fraction(0), (number * squares - total * total) / (number * (number - 1)))
    if one.kind == "variance":
        return _text(variance)
    return _text(Fraction(isqrt(variance.numerator * PLACES**2 // variance.denominator), PLACES))


def _text(number: Fraction) -> str:
    """With ten decimals at most, to the nearest; half to even."""
    steps = round(number * PLACES)
    text = f"{abs(steps) // PLACES}.{abs(steps) % PLACES:010d}".rstrip("0").rstrip(".")
    return f"-{text}" if steps < 0 else text
