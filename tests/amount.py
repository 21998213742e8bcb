"""How much of the same is tried: a part by default, all of it where there is time (thorough, deep)."""

import os
from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

Case = TypeVar("Case")
ALL = os.environ.get("HYPOTHESIS_PROFILE") in ("thorough", "deep")


def repetitions(default: int, deep: int) -> int:
    """How often something is tried."""
    return deep if ALL else default


def worlds(default: int, deep: int) -> int:
    """How many random worlds: half as many in the fast profile, five times as many in the thorough one."""
    profile = os.environ.get("HYPOTHESIS_PROFILE", "default")
    return {"fast": -(-default // 2), "default": default, "thorough": 5 * default}.get(profile, deep)


def examples(default: int) -> int:
    """How many examples of a property that is slow: no more than so many, or as many as of any other."""
    wanted = settings().max_examples
    return wanted if ALL else min(default, wanted)


def spread(cases: Iterable[Case], default: int) -> list[Case]:
    """All of the cases, or so many of them, evenly spread, with the first and the last.

    >>> spread(range(10), 4) if not ALL else [0, 3, 6, 9]
    [0, 3, 6, 9]
    """
    found = list(cases)
    if ALL or default >= len(found):
        return found
    return [found[round(k * (len(found) - 1) / (default - 1))] for k in range(default)] if default > 1 else found[:1]
