"""How long a search may go on: whoever began it has a clock, and says whether there is time left.

The mathematics reads no clock. What it has certified by then stands; what was not tried is named.
"""

from collections.abc import Callable
from typing import TypeAlias

Left: TypeAlias = Callable[[], bool]  # whether there is time left


class TimeUpError(Exception):
    """No time is left for this search. Whoever gave the time catches it: it never reaches a caller."""


def always() -> bool:
    """As long as it takes."""
    return True


def go_on(left: Left) -> None:
    """TimeUpError unless there is time left."""
    if not left():
        raise TimeUpError
