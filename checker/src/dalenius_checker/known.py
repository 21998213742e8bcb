"""Which records are the worst to know: so many of each type.

To take out more records never makes delta smaller, since it reveals records that are independent of all others. So a
box of choices (at least `low`, at most `high` of each type) is bounded by what they take out together.
"""

from collections.abc import Callable
from fractions import Fraction

from dalenius_checker.laws import TooLargeError, Types

MOST_BOXES = 300


def without(types: Types, taken: tuple[int, ...]) -> Types:
    """The records that are left."""
    pairs = zip(types, taken, strict=True)
    return tuple((letters, count - some) for (letters, count), some in pairs if count > some)


def worst(types: Types, removed: int, upper: Callable[[Types], Fraction], enough: Fraction) -> Fraction:
    """An upper bound on the largest delta over all ways to take `removed` records out; `upper` bounds it for those that
    are left. Boxes are halved until each is at most `enough`, or there is nothing left to choose.
    """
    counts = tuple(count for _, count in types)
    boxes, found, tried = [((0,) * len(counts), counts)], Fraction(0), 0
    while boxes:
        low, high = boxes.pop()
        spare, lacking = removed - sum(low), sum(high) - removed
        if spare < 0 or lacking < 0:
            continue
        pairs = list(zip(low, high, strict=True))
        low, high = tuple(max(a, b - lacking) for a, b in pairs), tuple(min(b, a + spare) for a, b in pairs)
        tried += 1
        if tried > MOST_BOXES:
            raise TooLargeError(f"the worst known records were not found among {MOST_BOXES} sets of choices")
        delta = upper(without(types, high))
        if low == high and delta > enough:
            return delta  # nothing else matters
        if delta <= enough:
            found = max(found, delta)
            continue
        axis = max(range(len(counts)), key=lambda place: high[place] - low[place])
        middle = (low[axis] + high[axis]) // 2
        boxes.append((low, (*high[:axis], middle, *high[axis + 1 :])))
        boxes.append(((*low[:axis], middle + 1, *low[axis + 1 :]), high))
    return found
