"""A certificate as it is read: strictly, by one table of what stands where."""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from dalenius_checker.laws import Letters, TooLargeError, Types, Vector

LARGEST_FILE = 1 << 28
LARGEST_NUMBER = 1 << 30  # persons, or steps that a record adds
LARGEST_ALPHABET = 200_000  # vectors of one law or domain
NUMBER = re.compile(r"-?[0-9]{1,2000}(/0{0,2000}[1-9][0-9]{0,1999}|(\.[0-9]{1,2000})?(e-?[0-9]{1,3})?)")


class UnreadableError(Exception):
    """Not a certificate that this checker can read."""


class RefusedError(Exception):
    """A certificate that contradicts itself, or the computation."""


@dataclass(frozen=True)
class Maybe:
    """Or null."""

    shape: Any


@dataclass(frozen=True)
class Added(Maybe):
    """Or not there: a key that not every certificate has."""


# What stands where: `str`, `int`, `bool`; EXACT, an exact number in text; {a word, another}; [item] for a list, (one,
# two) for a row; {key: ...}; Maybe(...) where null may stand, Added(...) a key that may be missing; a
# pattern for text.
# fmt: off
EXACT, DIGEST = "exact", re.compile("[0-9a-f]{64}")
COUNTS = [(int, int)]  # [a law, how many people have it], or [a group, one of its laws]
CLAIM = {
    "definition": {"noiseless privacy"}, "events": {"all events"}, "evidence": {"computed"},
    "epsilon": EXACT, "delta_wanted": EXACT, "delta_at_most": EXACT,
}
FIGURE = {
    "name": str, "kind": {"count", "sum", "mean"}, "column": Maybe(str), "where": str, "by": [str], "already_out": bool,
    "unit": EXACT, "least": Maybe(EXACT), "most": Maybe(EXACT),
    "channel": [({"geometric", "gaussian", "normal", "round"}, EXACT)], "truncated": Added((EXACT, EXACT)),
}
PART = {"figures": [int], "domain": int, "types": COUNTS, "least": Maybe(COUNTS)}
KIND = {
    "figures": [int], "parts": [PART], "people": int, "known": int, "alone": bool, "delta": (EXACT, EXACT),
    "evidence": {"method": str},
}
POLICY = {
    "name": str, "sha256": Maybe(DIGEST), "epsilon": Maybe(EXACT), "delta": Maybe(EXACT), "known": Maybe(EXACT),
    "safe_threshold": Maybe(int),
}
MOVES = {
    "group": int, "ways": [{"change": [(int, int)], "rate": EXACT, "packing": int}],
    "packings": [[(int, COUNTS, COUNTS)]],
}
VERSION_2: dict[str, Any] = {
    "schema": str, "software": str, "verdict": {"pass"}, "answer": str, "claim": CLAIM, "secret": {"value", "presence"},
    "attacker": {"knows": EXACT, "in_every_group": bool, "source": str, "largest_known": Maybe(int)},
    "people": {"all": int, "in_no_figure": int},
    "beliefs": [{"column": str, "by": [str], "source": str, "confidence": Maybe(EXACT), "differ": str}],
    "figures": [FIGURE], "numbers": [(int, [object])],
    "domains": [[([int], [int], int)]], "laws": [[([int], [int], int, EXACT)]],
    "kinds": [KIND], "groups": [(int, [int])],
    "assumes": [str], "broken_by": [str], "sources": [str], "figures_sha256": DIGEST, "sha256": DIGEST,
}
# fmt: on
VERSIONS = {2: VERSION_2, 3: {**VERSION_2, "policies": [POLICY], "moves": [MOVES]}}


def exact(text: str) -> Fraction:
    """An exact number, which is written as a fraction or with decimals."""
    if not NUMBER.fullmatch(text):
        raise UnreadableError(f"a number is written as 1/20 or 2.5e-7, but got {text[:40]!r}")
    return Fraction(text)


def shaped(value: Any, shape: Any, where: str) -> Any:
    """The value, if it has this shape: lists become tuples, keys attributes, and exact numbers fractions."""

    def needs(holds: object, what: str) -> None:
        if not holds:
            raise UnreadableError(f"{where} needs {what}, but got {str(value)[:60]!r}")

    if isinstance(shape, Maybe):
        return None if value is None else shaped(value, shape.shape, where)
    if isinstance(shape, dict):
        needs(isinstance(value, dict), "keys")
        left_out = {key: None for key, inner in shape.items() if isinstance(inner, Added) and key not in value}
        wrong = sorted((value | left_out).keys() ^ shape.keys())
        needs(not wrong, f"the keys {', '.join(shape)} (missing or unknown: {', '.join(wrong)})")
        found = {key: shaped(item, shape[key], f"{where}.{key}") for key, item in value.items()}
        return SimpleNamespace(**found, **left_out)
    if isinstance(shape, list):
        needs(isinstance(value, list), "a list")
        return tuple(shaped(item, shape[0], f"{where}[{place}]") for place, item in enumerate(value))
    if isinstance(shape, tuple):
        needs(isinstance(value, list) and len(value) == len(shape), f"a row of {len(shape)}")
        return tuple(shaped(item, shape[place], f"{where}[{place}]") for place, item in enumerate(value))
    if isinstance(shape, set | re.Pattern):
        fits = isinstance(value, str) and (shape.fullmatch(value) if isinstance(shape, re.Pattern) else value in shape)
        needs(fits, shape.pattern if isinstance(shape, re.Pattern) else " or ".join(sorted(shape)))
        return value
    if shape == EXACT:
        needs(isinstance(value, str), "an exact number in text")
        return exact(value)
    needs(isinstance(value, shape) and (shape is not int or not isinstance(value, bool)), shape.__name__)
    return value


def read(content: bytes) -> Any:
    """The certificate, with its laws and domains written out; RefusedError if its own hash is wrong."""
    if len(content) > LARGEST_FILE:
        raise TooLargeError(f"the file has {len(content)} bytes, more than {LARGEST_FILE}")
    try:
        document = json.loads(content.decode(), parse_float=_none, parse_constant=_none, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"this is not JSON: {str(error)[:200]}") from None
    schema = document.get("schema") if isinstance(document, dict) else None
    version = re.fullmatch("dalenius/certificate/([0-9]{1,6})", schema) if isinstance(schema, str) else None
    if version is None:
        raise UnreadableError("this is not a certificate of dalenius: there is no schema dalenius/certificate/...")
    if int(version[1]) not in VERSIONS:
        advice = "Get a newer checker" if int(version[1]) > max(VERSIONS) else "Release the figures again"
        known = " and ".join(map(str, VERSIONS))
        raise UnreadableError(f"this checker reads versions {known}, but the certificate has {version[1]}. {advice}")
    found = shaped(document, VERSIONS[int(version[1])], "certificate")
    if own_hash(document) != found.sha256:
        raise RefusedError("the certificate was changed after it was written: its own sha256 does not fit")
    if int(version[1]) == 2:
        found.policies, found.moves = (), ()
    return _written_out(found)


def _none(text: str) -> None:
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


def _written_out(certificate: Any) -> Any:
    """With vectors for runs of them, and laws and domains in the place of their numbers."""
    domains = [tuple(vector for vector, _ in _vectors((*run, None) for run in runs)) for runs in certificate.domains]
    laws: list[Letters] = [tuple(_vectors(runs)) for runs in certificate.laws]

    def types(counts: tuple[tuple[int, int], ...]) -> Types:
        return tuple((item(laws, law, "law"), count) for law, count in counts)

    used, places = set[int](), {part.domain for kind in certificate.kinds for part in kind.parts}
    for kind in certificate.kinds:
        for part in kind.parts:
            part.domain = item(domains, part.domain, "domain")
            used |= {law for law, _ in (*part.types, *(part.least or ()))}
            part.types, part.least = types(part.types), None if part.least is None else types(part.least)
    if not len(places) == len(domains) or not len(used) == len(laws):
        raise RefusedError("a law or a domain is listed that nobody has")
    return certificate


def _vectors(runs: Any) -> Iterator[tuple[Vector, Any]]:
    """Vectors with what is said of each: a run is [first, step, how many, what]."""
    listed = 0
    for first, step, count, what in runs:
        listed += count
        if len(first) != len(step) or not first or count < 1 or (count == 1) == any(step):
            raise UnreadableError(f"a run is [first, step, how many], but got {[first, step, count]}")
        if listed > LARGEST_ALPHABET or max(map(abs, (*first, *step))) > LARGEST_NUMBER:
            raise TooLargeError(f"a law or a domain has more than {LARGEST_ALPHABET} vectors, or larger numbers")
        for place in range(count):
            yield tuple(a + place * b for a, b in zip(first, step, strict=True)), what


def item(some: Any, place: int, what: str) -> Any:
    """One of a list, by its number."""
    if not 0 <= place < len(some):
        raise RefusedError(f"there is no {what} number {place}")
    return some[place]
