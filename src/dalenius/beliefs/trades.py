"""The worst known records of a crowd of a few types of record on a lattice."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from dalenius.beliefs.crowd import SMALL, Types
from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.removals import Removals
from dalenius.numerics.search import Removal, Settled
from dalenius.numerics.simplices import SimplexSearch
from dalenius.numerics.tilts import TiltedRecords, corners_of

MOST_TYPES = 4
MOST_SHIFTS = 8
BUDGET = 1200  # simplices and removals looked at
FLOOR = 1e-60
BELOW = 1e-14  # mass left out at the ends, relative to delta
FEW, MANY = 6, 256  # removals that are judged one by one, where laws are dear and where they are cheap
MOST_VALUES = 1000  # steps of one record


def worst_trade(
    crowd: Types, removed: int, shifts: Sequence[int], epsilon: Fraction, evaluate: Callable[[Removal], Bracket]
) -> Settled | None:
    """Delta of an exact sum without the worst `removed` records, against itself moved by each of the shifts; None where
    this is not the way to search.
    """
    held = [t for t, count in enumerate(crowd.counts.tolist()) if count]
    if not (2 <= len(held) <= MOST_TYPES and len(held) == len(crowd.counts) and 1 < removed < crowd.size):
        return None
    steps = [crowd.values[row > 0] - crowd.values[row > 0][0] for row in crowd.chances]
    span = math.gcd(*(int(step) for row in steps for step in row))
    if not 0 < len(shifts) <= MOST_SHIFTS or not span or any(shift % span for shift in shifts):
        return None
    if max(int(row[-1]) for row in steps) > MOST_VALUES * span:
        return None
    chances = tuple(row[row > 0] for row in crowd.chances)
    records = TiltedRecords(tuple(row // span for row in steps), chances, crowd.counts.astype(float), removed)
    return _searched(records, [shift // span for shift in shifts], epsilon, evaluate)


def _searched(
    records: TiltedRecords, shifts: Sequence[int], epsilon: Fraction, evaluate: Callable[[Removal], Bracket]
) -> Settled | None:
    counts = [int(count) for count in records.counts]
    corners = corners_of(counts, records.size)
    reach = sum(count * int(steps[-1]) for count, steps in zip(counts, records.steps, strict=True))
    search = SimplexSearch(counts, records.size, evaluate, budget=BUDGET, few=MANY if reach <= SMALL else FEW)
    for corner in corners:
        search.see(tuple(int(taken) for taken in corner))
    floor = max(FLOOR, BELOW * search.lower)
    for shift in sorted(
        {sign * abs(shift) for shift in shifts for sign in (1, -1)}, key=lambda shift: (-abs(shift), shift)
    ):
        if search.lower >= 1.0:
            break
        removals = Removals.of(records, corners, shift, epsilon, floor=floor)
        if removals is None:
            return None
        search.run(removals.bound, removals.offsets)
    upper = min(1.0, search.upper)
    return Bracket(min(search.lower, upper), upper), search.chosen
