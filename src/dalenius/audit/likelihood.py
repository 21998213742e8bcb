"""With a belief, how likely each value of a hidden number is, given everything published.

The belief: people are independent of each other, and each is in a cell with a stated probability, or how many people
there are in a cell is a Poisson number of its own with a stated mean; given how many there are in all the two say the
same. So a table x is as likely as

    weight(x) = Π_j  p_j^{x_j} / x_j!

among the tables that fit everything published. What is known is that one of these is true, so the probability of a
value is the weight of the fitting tables that have it, divided by the weight of all. Unknowns that share no published
number with the target cancel.

Tables are gone through in the order of their weight: a set of tables is given by ends of each unknown, its weight is at
most the product of Σ p^x / x! between these ends, and the heaviest set is split first. If all are gone through, the
answer is exact. If not, what was not looked at has at most a weight R, and with W the weight of what was found, W_v of
it with value v, the probability of v lies between W_v / (W + R) and (W_v + R) / (W + R): the unseen is all elsewhere,
or all there. All of it is done in fractions.

**One person.** Somebody of whom nothing else is known is equally likely any of the people. Their probability to be in a
cell is then its expected number divided by the number of people, p_j before. So between two cells a and b the tables
change anybody's odds by the factor (E x_a / p_a) / (E x_b / p_b): `odds_moved`. For Poisson numbers it is how much more
likely the tables are with one person more in a than with one more in b. It is what these tables, as they came out, say
of one person under this belief; a guarantee before anything is published is another thing (`dalenius check`).
"""

import heapq
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from math import factorial
from typing import TypeAlias, final

from dalenius.audit.following import follow
from dalenius.audit.problem import End, Problem, Terms
from dalenius.audit.system import FAR, RefutedError, System
from dalenius.basics.errors import InputError

MOST_CASES = 20_000
MOST_RANGE = 10_000
Between: TypeAlias = tuple[Fraction, Fraction]
Ends: TypeAlias = tuple[tuple[int, int], ...]


@final
@dataclass(frozen=True, slots=True)
class Likely:
    """How likely each value of a target is, and its mean, each between two fractions; the same if it is exact. A value
    that is not listed is as likely as `other` at most.
    """

    values: dict[int, Between]
    mean: Between
    other: Fraction

    @property
    def exact(self) -> bool:
        """Whether everything that fits was gone through."""
        return self.other == 0


def likely(problem: Problem, target: int, chances: Sequence[Fraction], *, most_cases: int = MOST_CASES) -> Likely:
    """How likely each value of a target is, if each person is in the cell of unknown j with probability `chances[j]`.

    >>> from fractions import Fraction
    >>> from dalenius.audit import Problem, Statement, Sought, Unknown
    >>> two = Statement(((0, 1), (1, 1)), 2, 2, "two people")
    >>> asked = Problem((Unknown("north"), Unknown("south")), (two,), (Sought("north", ((0, 1),)),))
    >>> found = likely(asked, 0, (Fraction(1, 4), Fraction(3, 4)))
    >>> {value: str(low) for value, (low, _) in found.values.items()}, str(found.mean[0])
    ({0: '9/16', 1: '3/8', 2: '1/16'}, '1/2')
    """
    _check(problem, chances)
    system = System(problem)
    try:
        system.propagate()
    except RefutedError:
        follow(problem)  # names the numbers that contradict each other
        raise
    terms = problem.targets[target].terms
    search = _LikelySearch(system, terms, chances)
    search.run(most_cases)
    if search.total + search.unseen == 0:
        raise InputError(
            "Needed a belief under which the published tables are possible, but it gives every table that fits them "
            "probability 0. Give each cell that may hold somebody a probability above 0."
        )
    return search.likely()


def odds_moved(
    problem: Problem, first: int, second: int, chances: Sequence[Fraction], *, most_cases: int = MOST_CASES
) -> tuple[Fraction, Fraction | None]:
    """By which factor the published tables move the odds that somebody is of the people of one target rather than of
    those of another, for whom the belief knows nothing else; between two numbers, None if it may be any.
    """
    ends: list[Between] = []
    for target in (first, second):
        mean = likely(problem, target, chances, most_cases=most_cases).mean
        asked = problem.targets[target]
        before = sum((times * chances[place] for place, times in asked.terms), Fraction(0))
        if before <= 0 or any(times < 0 for _, times in asked.terms):
            raise InputError(
                f"Odds need people who are possible, counted and not subtracted, but {asked.name} has probability "
                f"{before}. Ask about cells, or sums of cells."
            )
        ends.append((mean[0] / before, mean[1] / before))
    (low, high), (less, more) = ends
    return (low / more if more else Fraction(0)), (high / less if less else None)


def _check(problem: Problem, chances: Sequence[Fraction]) -> None:
    if len(chances) != len(problem.unknowns) or any(chance < 0 for chance in chances):
        raise InputError(
            f"A belief needs a probability for each of the {len(problem.unknowns)} unknowns, not negative, but got "
            f"{len(chances)}. List them in the order of the unknowns."
        )
    if any(each.lower is None or each.lower < 0 for each in problem.unknowns):
        raise InputError(
            "A belief about people needs unknowns that count people: give each a least value of 0 or more."
        )


class _LikelySearch:
    """The sets of tables that were not gone through yet, the heaviest first, and what was found."""

    def __init__(self, system: System, terms: Terms, chances: Sequence[Fraction]) -> None:
        self._places = _around(system, terms)
        at = {place: column for column, place in enumerate(self._places)}
        self._chances = [Fraction(chances[place]) for place in self._places]
        self._rows = _rows(system, at)
        self._terms = [(at[place], times) for place, times in terms if place in at]
        self._fixed = sum(times * int(system.lower[place]) for place, times in terms if place not in at)
        ends = [(int(system.lower[place]), int(system.upper[place])) for place in self._places]
        if any(high >= FAR or high - low > MOST_RANGE for low, high in ends):
            raise InputError(
                f"How likely a number is needs cells that are bounded, by at most {MOST_RANGE}, but one beside it may "
                "be any. Publish, or state, how many people there are in all."
            )
        self._sums = [self._running(column, high) for column, (_, high) in enumerate(ends)]
        self._weights: dict[int, Fraction] = defaultdict(Fraction)
        self._ties = count()
        self._waiting: list[tuple[float, int, Ends, Fraction]] = []
        self._all = tuple(ends)
        self._push(self._all)

    def _running(self, column: int, high: int) -> list[Fraction]:
        """Σ p^x / x! of all x below each number."""
        sums = [Fraction(0)]
        for value in range(high + 1):
            sums.append(sums[-1] + self._chances[column] ** value / factorial(value))
        return sums

    @property
    def total(self) -> Fraction:
        return sum(self._weights.values(), Fraction(0))

    @property
    def unseen(self) -> Fraction:
        return sum((weight for *_, weight in self._waiting), Fraction(0))

    def run(self, most_cases: int) -> None:
        for _ in range(most_cases):
            if not self._waiting:
                return
            *_, ends, weight = heapq.heappop(self._waiting)
            wide = [(high - low, column) for column, (low, high) in enumerate(ends) if high > low]
            if not wide:
                value = self._fixed + sum(times * ends[column][0] for column, times in self._terms)
                self._weights[value] += weight
                continue
            _, column = min(wide)
            low, high = ends[column]
            middle = (low + high) // 2
            for half in ((low, middle), (middle + 1, high)):
                self._push((*ends[:column], half, *ends[column + 1 :]))

    def _push(self, ends: Ends) -> None:
        """A set of tables, if some may fit: ends drawn together by one row after the other."""
        drawn = _drawn(list(ends), self._rows)
        if drawn is None:
            return
        weight = Fraction(1)
        for (low, high), sums in zip(drawn, self._sums, strict=True):
            weight *= sums[high + 1] - sums[low]
        if weight:
            order = weight.numerator.bit_length() - weight.denominator.bit_length()
            heapq.heappush(self._waiting, (-float(order), next(self._ties), tuple(drawn), weight))

    def likely(self) -> Likely:
        total, unseen = self.total, self.unseen
        whole = total + unseen
        values = {value: (weight / whole, (weight + unseen) / whole) for value, weight in sorted(self._weights.items())}
        added = sum((value * weight for value, weight in self._weights.items()), Fraction(0))
        low = self._fixed + sum(times * self._all[at][times < 0] for at, times in self._terms)
        high = self._fixed + sum(times * self._all[at][times > 0] for at, times in self._terms)
        return Likely(values, ((added + unseen * low) / whole, (added + unseen * high) / whole), unseen / whole)


def _around(system: System, terms: Terms) -> list[int]:
    """The open unknowns of a target, and all that are tied to them by a row."""
    rows_of: dict[int, list[int]] = defaultdict(list)
    inside = [[place for place, times in row if times and not system.known(place)] for row in system.rows]
    for row, places in enumerate(inside):
        for place in places:
            rows_of[place].append(row)
    waiting = [place for place, times in terms if times and not system.known(place)]
    found, seen = set(waiting), set()
    while waiting:
        for row in rows_of[waiting.pop()]:
            if row not in seen:
                seen.add(row)
                new = set(inside[row]) - found
                found |= new
                waiting += new
    return sorted(found)


_Row: TypeAlias = tuple[tuple[tuple[int, int], ...], End, End]


def _rows(system: System, at: dict[int, int]) -> list[_Row]:
    """The rows about these unknowns, less what is known."""
    rows: list[_Row] = []
    for row, (low, high) in zip(system.rows, system.ends, strict=True):
        own = tuple((at[place], times) for place, times in row if times and place in at)
        if own:
            known = sum(times * int(system.lower[place]) for place, times in row if place not in at)
            rows.append((own, None if low is None else low - known, None if high is None else high - known))
    return rows


def _drawn(ends: list[tuple[int, int]], rows: Sequence[_Row]) -> list[tuple[int, int]] | None:
    """Ends that no row rules out; None if nothing fits."""
    changed = True
    while changed:
        changed = False
        for terms, low, high in rows:
            least = sum(times * ends[at][times < 0] for at, times in terms)
            most = sum(times * ends[at][times > 0] for at, times in terms)
            if (high is not None and least > high) or (low is not None and most < low):
                return None
            for at, times in terms:
                was = start, stop = ends[at]
                up = None if high is None else high - (least - times * was[times < 0])  # times · x is at most this
                down = None if low is None else low - (most - times * was[times > 0])  # and at least this
                if times < 0:
                    up, down = (None if down is None else -down), (None if up is None else -up)
                size = abs(times)
                start = start if down is None else max(start, -(-down // size))
                stop = stop if up is None else min(stop, up // size)
                if start > stop:
                    return None
                if (start, stop) != was:
                    ends[at], changed = (start, stop), True
                    least += (times * ends[at][times < 0]) - (times * was[times < 0])
                    most += (times * ends[at][times > 0]) - (times * was[times > 0])
    return ends
