"""Certificates with one number changed: every sort of number that stands in certificates, in turn."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dalenius.record.certificate.written import own_hash

DECLARED = ("beliefs", "already_out")  # covered by the hash and by a signature only


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where numbers stand, and what is true or false."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for key, inner in enumerate(value):
            yield from places(inner, (*path, key))
    elif isinstance(value, int) or (isinstance(value, str) and numeric(value) and path[-2:-1] != (1,)):
        yield path


def numeric(text: str) -> bool:
    try:
        return bool(Fraction(text)) or True
    except (ValueError, ZeroDivisionError):
        return False


def changed(value: Any, dice: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return dice.choice([value + 1, value - 1, 2 * value + 3])
    number = Fraction(value)
    near = [number * Fraction(9, 10), number * Fraction(3, 2), number + 1] if number else [Fraction(1, 7)]
    return str(dice.choice(near))


LISTS = dict.fromkeys(("policies", "figures", "numbers", "kinds", "parts", "types", "least", "groups", "moves"), 1)
LISTS |= dict.fromkeys(("ways", "change", "channel"), 1) | dict.fromkeys(("domains", "laws", "packings"), 2)


def sort_of(path: tuple[Any, ...]) -> tuple[Any, ...]:
    """Where a number stands, whichever item of a list it belongs to; the places of a row are told apart."""
    found: list[Any] = []
    for key in path:
        if isinstance(key, str):
            left, row = LISTS.get(key, 0), False
        elif left:
            left -= 1
        else:
            row = not row  # a row may have lists of rows: place in the row, item of the list, place in the row
        found.append(key if isinstance(key, str) or (not left and row) else "*")
    return tuple(found)


def tampered(certificate: bytes, dice: random.Random, seen: Counter[Any]) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """The document with one number changed, and where: one of a sort that was changed least often (`seen` counts)."""
    document = json.loads(certificate)
    found: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for path in places(document):
        if not {path[0], path[-1]} & set(DECLARED):
            found.setdefault(sort_of(path), []).append(path)
    least = min(seen[sort] for sort in found)
    sort = dice.choice([sort for sort in found if seen[sort] == least])
    seen[sort] += 1
    path = dice.choice(found[sort])
    inside = document
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = changed(inside[path[-1]], dice)
    return document, path


def resealed(document: dict[str, Any]) -> bytes:
    """With the hash of its new content, as somebody would do who means it."""
    return json.dumps({**document, "sha256": own_hash(document)}).encode()
