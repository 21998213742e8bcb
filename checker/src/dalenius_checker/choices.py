"""Which records are the worst to know: so many of each type.

To take out more records never makes delta smaller, since it reveals records that are independent of all others. So a
box of choices is bounded by what they take out together.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Protocol

from dalenius_checker.document import Types
from dalenius_checker.laws import TooLargeError

Choice = tuple[int, ...]
Bounds = tuple[Fraction, Fraction]
FEW = 12  # choices that are all gone through
MOST_BOXES = 200


class Evaluate(Protocol):
    """Bounds on delta."""

    def __call__(self, types: Types, *, exactly: bool) -> Bounds:
        """With these records left: exactly these, or at least these."""
        ...


def left(types: Types, choice: Choice) -> Types:
    """The records that are left."""
    pairs = zip(types, choice, strict=True)
    return tuple((letters, count - taken) for (letters, count), taken in pairs if count > taken)


def number_of_choices(counts: Sequence[int], removed: int) -> int:
    """How many choices there are, up to a little more than are ever gone through."""
    ways = [1] + [0] * min(removed, sum(counts))
    for count in counts:
        running, sums = 0, []
        for place, way in enumerate(ways):
            running += way - (ways[place - count - 1] if place > count else 0)
            sums.append(running)
        ways = sums
    return ways[removed]


def all_choices(counts: Sequence[int], removed: int) -> Iterator[Choice]:
    """Every way to take `removed` records out."""
    if len(counts) == 1:
        yield (removed,)
        return
    rest = sum(counts[1:])
    for taken in range(max(0, removed - rest), min(counts[0], removed) + 1):
        for others in all_choices(counts[1:], removed - taken):
            yield (taken, *others)


def worst(types: Types, removed: int, evaluate: Evaluate, enough: Fraction) -> Bounds:
    """Bounds on the largest delta over all choices. If there are many, the upper bound is only taken as far down as
    `enough`, and the lower one is that of some choices.
    """
    counts = [count for _, count in types]
    if removed > 100_000 * len(counts) or number_of_choices(counts, removed) > FEW:
        return _some(types, removed, evaluate), _halved(types, removed, evaluate, enough)
    found = [evaluate(left(types, choice), exactly=True) for choice in all_choices(counts, removed)]
    return max(lower for lower, _ in found), max(upper for _, upper in found)


def _some(types: Types, removed: int, evaluate: Evaluate) -> Fraction:
    """A lower bound: take out one type after the other, from each end."""
    found = Fraction(0)
    for order in (range(len(types)), range(len(types) - 1, -1, -1)):
        rest, choice = removed, [0] * len(types)
        for place in order:
            choice[place] = min(rest, types[place][1])
            rest -= choice[place]
        found = max(found, evaluate(left(types, tuple(choice)), exactly=True)[0])
    return found


def _halved(types: Types, removed: int, evaluate: Evaluate, enough: Fraction) -> Fraction:
    """An upper bound: boxes of choices, halved until each is fine or there is nothing left to choose."""
    counts = tuple(count for _, count in types)
    boxes, upper, tried = [((0,) * len(counts), counts)], Fraction(0), 0
    while boxes:
        low, high = boxes.pop()
        spare, lacking = removed - sum(low), sum(high) - removed
        low, high = (
            tuple(max(a, b - lacking) for a, b in zip(low, high, strict=True)),
            tuple(min(b, a + spare) for a, b in zip(low, high, strict=True)),
        )
        if any(a > b for a, b in zip(low, high, strict=True)):
            continue
        tried += 1
        if tried > MOST_BOXES:
            raise TooLargeError(f"the worst known records were not found among {MOST_BOXES} sets of choices")
        found = evaluate(left(types, high), exactly=sum(high) == removed)[1]
        if found <= enough or low == high:
            upper = max(upper, found)
            if found > enough:
                return found  # nothing else matters
            continue
        axis = max(range(len(counts)), key=lambda place: high[place] - low[place])
        middle = (low[axis] + high[axis]) // 2
        boxes.append((low, (*high[:axis], middle, *high[axis + 1 :])))
        boxes.append(((*low[:axis], middle + 1, *low[axis + 1 :]), high))
    return upper
