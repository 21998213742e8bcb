"""One spelling for each value, so that equal things have equal hashes."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def canonical(value: Any) -> str:
    """JSON with sorted keys, no blanks and no floats: the same text for the same value, whoever writes it.

    >>> canonical({"b": [1, True], "a": "é"})
    '{"a":"é","b":[1,true]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(content: str | bytes) -> str:
    """SHA-256, as hexadecimal text."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """The hash of each file."""
    return {name: digest(content) for name, content in files.items()}
