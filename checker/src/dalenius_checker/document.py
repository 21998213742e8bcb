"""A certificate as it is read: strictly, and with everything that follows from something else computed again."""

import hashlib
import json
import re
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from dalenius_checker.laws import Letters, TooLargeError, Vector

SCHEMA, VERSION = "dalenius/certificate/", 2
LARGEST_FILE = 1 << 28
LARGEST_GROUP = 1 << 30  # persons
LARGEST_ALPHABET = 200_000  # vectors of one law or domain
NUMBER = re.compile(r"-?[0-9]{1,2000}(/[0-9]{1,2000}|(\.[0-9]{1,2000})?(e-?[0-9]{1,3})?)")
Types = tuple[tuple[Letters, int], ...]


class UnreadableError(Exception):
    """Not a certificate that this checker can read."""


class RefusedError(Exception):
    """A certificate that contradicts itself, or the computation."""


def exact(text: str) -> Fraction:
    """An exact number, which is written as a fraction or with decimals."""
    if not NUMBER.fullmatch(text):
        raise UnreadableError(f"a number is written as 1/20 or 2.5e-7, but got {text[:40]!r}")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise UnreadableError(f"a number has the denominator 0: {text[:40]!r}") from None


@dataclass(frozen=True)
class Figure:
    """What is published, and what happens to it before."""

    name: str
    unit: Fraction
    ends: tuple[Fraction, Fraction] | None
    channel: tuple[tuple[str, Fraction], ...]
    truncated: tuple[Fraction, Fraction] | None


@dataclass(frozen=True)
class Part:
    """What records add to some figures of a group: all vectors that are possible, and how many have each law."""

    figures: tuple[int, ...]
    domain: tuple[Vector, ...]
    types: Types
    least: Types | None


@dataclass(frozen=True)
class Kind:
    """People who are in exactly the same published numbers."""

    figures: tuple[int, ...]
    parts: tuple[Part, ...]
    people: int
    known: int
    alone: bool
    delta: tuple[Fraction, Fraction]
    method: str


@dataclass(frozen=True)
class Certificate:
    """All that the claim depends on."""

    epsilon: Fraction
    wanted: Fraction
    at_most: Fraction
    presence: bool
    knows: Fraction
    in_every_group: bool
    largest_known: int | None
    people: int
    in_no_figure: int
    figures: tuple[Figure, ...]
    numbers: tuple[int, ...]  # of which figure each is
    kinds: tuple[Kind, ...]
    groups: tuple[tuple[int, tuple[int, ...]], ...]
    figures_sha256: str


# What is in a certificate: `str`, `int`, `bool`; EXACT; [item] for a list, (one, two) for a row, {key: ...}, and
# Maybe(...) where null may stand; Added(...) where the key may be missing.
EXACT = "exact"


@dataclass(frozen=True)
class Maybe:
    """Or null."""

    shape: Any


@dataclass(frozen=True)
class Added:
    """Or not there: a key that not every certificate has."""

    shape: Any


TYPES = [(int, int)]
SHAPE: dict[str, Any] = {
    "schema": str,
    "software": str,
    "verdict": str,
    "answer": str,
    "claim": {
        "definition": str,
        "events": str,
        "evidence": str,
        "epsilon": EXACT,
        "delta_wanted": EXACT,
        "delta_at_most": EXACT,
    },
    "secret": str,
    "attacker": {"knows": EXACT, "in_every_group": bool, "source": str, "largest_known": Maybe(int)},
    "people": {"all": int, "in_no_figure": int},
    "beliefs": [{"column": str, "by": [str], "source": str, "confidence": Maybe(EXACT), "differ": str}],
    "figures": [
        {
            "name": str,
            "kind": str,
            "column": Maybe(str),
            "where": str,
            "by": [str],
            "already_out": bool,
            "unit": EXACT,
            "least": Maybe(EXACT),
            "most": Maybe(EXACT),
            "channel": [(str, EXACT)],
            "truncated": Added((EXACT, EXACT)),
        }
    ],
    "numbers": [(int, [object])],
    "domains": [[([int], [int], int)]],
    "laws": [[([int], [int], int, EXACT)]],
    "kinds": [
        {
            "figures": [int],
            "parts": [{"figures": [int], "domain": int, "types": TYPES, "least": Maybe(TYPES)}],
            "people": int,
            "known": int,
            "alone": bool,
            "delta": (EXACT, EXACT),
            "evidence": {"method": str},
        }
    ],
    "groups": [(int, [int])],
    "assumes": [str],
    "broken_by": [str],
    "sources": [str],
    "figures_sha256": str,
    "sha256": str,
}


def fits(value: Any, shape: Any, where: str) -> None:
    """UnreadableError unless the value has this shape."""
    if isinstance(shape, Maybe):
        if value is not None:
            fits(value, shape.shape, where)
    elif isinstance(shape, dict):
        added = {key for key, inner in shape.items() if isinstance(inner, Added)}
        wrong = value.keys() ^ (shape.keys() - (added - value.keys())) if isinstance(value, dict) else {type(value)}
        if wrong:
            raise UnreadableError(
                f"{where} needs the keys {', '.join(shape)}; missing or unknown: {sorted(map(str, wrong))}"
            )
        for key, item in value.items():
            fits(item, shape[key].shape if key in added else shape[key], f"{where}.{key}")
    elif isinstance(shape, list):
        _needs(isinstance(value, list), "a list", where, value)
        for place, item in enumerate(value):
            fits(item, shape[0], f"{where}[{place}]")
    elif isinstance(shape, tuple):
        _needs(isinstance(value, list) and len(value) == len(shape), f"a row of {len(shape)}", where, value)
        for place, (item, inner) in enumerate(zip(value, shape, strict=True)):
            fits(item, inner, f"{where}[{place}]")
    elif shape == EXACT:
        _needs(isinstance(value, str), "an exact number in text", where, value)
        exact(value)
    elif shape is int:
        _needs(isinstance(value, int) and not isinstance(value, bool), "a whole number", where, value)
    elif shape is not object:
        _needs(isinstance(value, shape), shape.__name__, where, value)


def _needs(holds: object, what: str, where: str, value: Any) -> None:
    if not holds:
        raise UnreadableError(f"{where} needs {what}, but got {str(value)[:60]!r}")


def parsed(content: bytes) -> dict[str, Any]:
    """The JSON document, if it is a certificate of this version. No floats, no key twice."""
    if len(content) > LARGEST_FILE:
        raise TooLargeError(f"the file has {len(content)} bytes, more than {LARGEST_FILE}")
    try:
        document = json.loads(
            content.decode(), parse_float=_no_float, parse_constant=_no_float, object_pairs_hook=_once
        )
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"this is not JSON: {str(error)[:200]}") from None
    schema = document.get("schema") if isinstance(document, dict) else None
    version = re.fullmatch(re.escape(SCHEMA) + "([0-9]{1,6})", schema) if isinstance(schema, str) else None
    if version is None:
        raise UnreadableError("this is not a certificate of dalenius: there is no schema dalenius/certificate/...")
    if int(version[1]) != VERSION:
        advice = "Get a newer checker." if int(version[1]) > VERSION else "Release the figures again."
        raise UnreadableError(f"this checker reads version {VERSION}, but the certificate has {version[1]}. {advice}")
    fits(document, SHAPE, "certificate")
    return dict(document)


def _no_float(text: str) -> None:
    raise ValueError(f"numbers are whole ones or text, but got {text[:40]}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def own_hash(document: dict[str, Any]) -> str:
    """SHA-256 of the document without its own hash: ASCII, keys sorted, no spaces."""
    rest = {key: value for key, value in document.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read(content: bytes) -> Certificate:
    """The certificate; RefusedError if its own hash is wrong."""
    document = parsed(content)
    if own_hash(document) != document["sha256"]:
        raise RefusedError("the certificate was changed after it was written: its own sha256 does not fit")
    claim, attacker = document["claim"], document["attacker"]
    fixed = {
        "verdict": (document["verdict"], ("pass",)),
        "definition": (claim["definition"], ("noiseless privacy",)),
        "events": (claim["events"], ("all events",)),
        "evidence": (claim["evidence"], ("computed",)),
        "secret": (document["secret"], ("value", "presence")),
    }
    for name, (value, allowed) in fixed.items():
        if value not in allowed:
            raise UnreadableError(f"{name} must be {' or '.join(allowed)}, but got {value[:60]!r}")
    domains = [_vectors(runs) for runs in document["domains"]]
    laws = [_letters(runs) for runs in document["laws"]]
    return Certificate(
        exact(claim["epsilon"]),
        exact(claim["delta_wanted"]),
        exact(claim["delta_at_most"]),
        document["secret"] == "presence",
        exact(attacker["knows"]),
        attacker["in_every_group"],
        attacker["largest_known"],
        document["people"]["all"],
        document["people"]["in_no_figure"],
        tuple(map(_figure, document["figures"])),
        tuple(figure for figure, _ in document["numbers"]),
        tuple(_kind(kind, domains, laws) for kind in document["kinds"]),
        tuple((kind, tuple(numbers)) for kind, numbers in document["groups"]),
        document["figures_sha256"],
    )


def _vectors(runs: list[Any]) -> tuple[Vector, ...]:
    if sum(count for _, _, count, *_ in runs) > LARGEST_ALPHABET:
        raise TooLargeError(f"a domain or a law has more than {LARGEST_ALPHABET} vectors")
    return tuple(
        tuple(a + place * b for a, b in zip(first, step, strict=True))
        for first, step, count, *_ in runs
        for place in range(_listed(first, step, count))
    )


def _listed(first: list[int], step: list[int], count: int) -> int:
    if len(first) != len(step) or not first or count < 1 or (count == 1) == any(step):
        raise UnreadableError(
            f"a run is [first, step, how many], with vectors of one length, but got {[first, step, count]}"
        )
    if max(map(abs, (*first, *step))) > LARGEST_GROUP:
        raise TooLargeError(f"a record adds more than {LARGEST_GROUP} steps")
    return count


def _letters(runs: list[Any]) -> Letters:
    vectors = _vectors(runs)
    chances = [exact(chance) for _, _, count, chance in runs for _ in range(count)]
    return tuple(zip(vectors, chances, strict=True))


def _figure(figure: dict[str, Any]) -> Figure:
    ends = (
        None if figure["least"] is None or figure["most"] is None else (exact(figure["least"]), exact(figure["most"]))
    )
    channel = tuple((name, exact(size)) for name, size in figure["channel"])
    low, high = map(exact, figure.get("truncated", ("0", "0")))
    return Figure(figure["name"], exact(figure["unit"]), ends, channel, (low, high) if "truncated" in figure else None)


def _kind(kind: dict[str, Any], domains: list[tuple[Vector, ...]], laws: list[Letters]) -> Kind:
    def types(listed: list[list[int]]) -> Types:
        return tuple((_item(laws, law, "law"), count) for law, count in listed)

    parts = tuple(
        Part(
            tuple(part["figures"]),
            _item(domains, part["domain"], "domain"),
            types(part["types"]),
            None if part["least"] is None else types(part["least"]),
        )
        for part in kind["parts"]
    )
    delta = exact(kind["delta"][0]), exact(kind["delta"][1])
    method = kind["evidence"]["method"]
    return Kind(tuple(kind["figures"]), parts, kind["people"], kind["known"], kind["alone"], delta, method)


def _item(some: Any, place: int, what: str) -> Any:
    if not 0 <= place < len(some):
        raise RefusedError(f"there is no {what} number {place}")
    return some[place]


def known_of_all(certificate: Certificate) -> int:
    """How many records the attacker knows."""
    share, people = certificate.knows, certificate.people
    return 0 if people < 2 else min(people - 1, ceil(share * people) if share < 1 else int(share))


def known_in(certificate: Certificate, kind: Kind, sizes: list[int]) -> int:
    """How many records of a group the attacker knows: all that are known, as far as they fit; if the share holds in
    every published number, no more than that share of any that covers the group.
    """
    known, share = known_of_all(certificate), certificate.knows
    if certificate.in_every_group and share < 1:
        known = min([known, *(ceil(share * size) for size in sizes)])
    return min(kind.people - 1, known)
