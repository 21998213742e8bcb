"""Texts that go onto paper, screens and into tables: no character in them does anything but stand there."""

import re
from typing import Any

from dalenius.basics.errors import SpecError, without_passwords

# Control characters, halves of letters, ends of lines, and what turns the direction of the line that it stands in.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
BREAKS = re.compile(r"[\t\n\r]")


def check_printable(content: Any, what: str) -> None:
    """SpecError if a text anywhere in it, key or value, has such a character. Each part is looked at once, however
    often it is referred to.
    """
    seen: set[int] = set()
    left: list[tuple[str, Any]] = [("", content)]
    while left:
        where, part = left.pop()
        if isinstance(part, str):
            _check(UNPRINTABLE, part, f"The {what} needs text that can be printed{where}")
        elif isinstance(part, dict | list | tuple) and id(part) not in seen:
            seen.add(id(part))
            items = part.items() if isinstance(part, dict) else ((None, item) for item in part)
            for key, item in items:
                left.append((where, key))
                left.append((f" under {key}" if isinstance(key, str) and not UNPRINTABLE.search(key) else where, item))


def check_name(name: object, what: str) -> None:
    """SpecError if a name or a label does not fit into one line and one cell of a table."""
    if isinstance(name, str):
        _check(UNPRINTABLE, name, f"{what} needs to be text that can be printed")
        _check(BREAKS, name, f"{what} needs to stand in one line, without tabs")


def _check(wrong: re.Pattern[str], text: str, needed: str) -> None:
    there = wrong.search(text)
    if there:
        raise SpecError(
            f"{needed}, but {without_passwords(text)!a:.60} has the character U+{ord(there[0]):04X}. Take it out."
        )
