"""With a belief, how likely each value of a hidden number is, given everything published.

The belief: people are independent of each other, and each is in a cell with a stated probability, or how many people
there are in a cell is a Poisson number of its own with a stated mean; given how many there are in all the two say the
same. So a table x is as likely as

    weight(x) = Π_j  p_j^{x_j} / x_j!

among the tables that fit everything published. What is known is that one of these is true, so the probability of a
value is the weight of the fitting tables that have it, divided by the weight of all. Unknowns that share no published
number with the target cancel.

Where the unknowns are the cells of several tables that overlap (cliques of a junction tree, see `linking`), and the
belief makes what two of them do not share independent given what they share, a full table is a matching of theirs, and
their weight is

    Π_j  p_j^{x_j} / x_j!  ·  Π_S  n_S! / p_S^{n_S},

with one S for each label that two neighbours share, and n_S people there (Dawid and Lauritzen 1993, Hyper Markov laws,
the law of the margins of a decomposable model).

Unknowns are gone through one after the other. What has been set matters for the rest only by the sums of the rows that
are not complete yet, so tables that agree in these sums are one *state*, with one weight: the sum of theirs. If all
states are kept, the answer is exact. If they are too many, the lightest are left out; what was left out has at most a
weight R (its weight so far, times the sums of all weights of what is left). With W the weight of what was found, W_v of
it with value v, the probability of v lies between W_v / (W + R) and (W_v + R) / (W + R): what was left out has all
other values, or all of it this one. All of it is done in whole numbers.

**One person.** Somebody of whom nothing else is known is equally likely any of the people. Their probability to be in a
cell is then its expected number divided by the number of people, p_j before. So between two cells a and b the tables
change anybody's odds by the factor (E x_a / p_a) / (E x_b / p_b): `odds_moved`. For Poisson numbers it is how much more
likely the tables are with one person more in a than with one more in b. It is what these tables, as they came out, say
of one person under this belief; a guarantee before anything is published is another thing (`audit.persons`).
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import TypeAlias, final

from dalenius.audit.following import follow
from dalenius.audit.problem import End, Problem, Terms
from dalenius.audit.system import FAR, RefutedError, System
from dalenius.basics.errors import InputError
from dalenius.basics.patience import Left, always, go_on

MOST_CASES = 20_000  # states that are kept
MOST_RANGE = 10_000
Between: TypeAlias = tuple[Fraction, Fraction]
Shared: TypeAlias = Sequence[tuple[Terms, Fraction]]  # sums that two tables share, and how likely a person is in each


@final
@dataclass(frozen=True, slots=True)
class Likely:
    """How likely each value of a target is, and its mean, each between two fractions; the same if it is exact. A value
    that is not listed is as likely as `other` at most.

    >>> from fractions import Fraction
    >>> import dalenius as dl
    >>> total = dl.audit.Statement(((0, 1), (1, 1)), 1, 1, "the total")
    >>> unknowns = (dl.audit.Unknown("a"), dl.audit.Unknown("b"))
    >>> asked = dl.audit.Problem(unknowns, (total,), (dl.audit.Sought("a", ((0, 1),)),))
    >>> print(dl.audit.likely(asked, 0, (Fraction(1, 2), Fraction(1, 2))).mean[0])
    1/2
    """

    values: dict[int, Between]
    mean: Between
    other: Fraction

    @property
    def exact(self) -> bool:
        """Whether everything that fits was gone through."""
        return self.other == 0


def likely(
    problem: Problem,
    target: int,
    chances: Sequence[Fraction],
    *,
    shared: Shared = (),
    most_cases: int = MOST_CASES,
    left: Left = always,
) -> Likely:
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
    return _Weighing(system, problem.targets[target].terms, chances, shared).likely(most_cases, left)


def odds_moved(
    problem: Problem, first: int, second: int, chances: Sequence[Fraction], *, most_cases: int = MOST_CASES
) -> tuple[Fraction, Fraction | None]:
    """By which factor the published tables move the odds that somebody is of the people of one target rather than of
    those of another, for whom the belief knows nothing else; between two numbers, None if it may be any.

    >>> from fractions import Fraction
    >>> import dalenius as dl
    >>> total = dl.audit.Statement(((0, 1), (1, 1)), 1, 1, "the total")
    >>> unknowns = (dl.audit.Unknown("a"), dl.audit.Unknown("b"))
    >>> targets = (dl.audit.Sought("a", ((0, 1),)), dl.audit.Sought("b", ((1, 1),)))
    >>> asked = dl.audit.Problem(unknowns, (total,), targets)
    >>> dl.audit.odds_moved(asked, 0, 1, (Fraction(1, 4), Fraction(3, 4)))
    (Fraction(1, 1), Fraction(1, 1))
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


@dataclass
class _Followed:
    """A sum of unknowns that has to be followed: a row with its ends, a sum that two tables share, or the target."""

    terms: dict[int, int]
    low: End = None
    high: End = None
    weight: Callable[[int], int] | None = None  # of the sum, once it is complete
    heaviest: int = 1
    kept: bool = False


class _Weighing:
    """The weights of all tables that fit, by the value of a target."""

    def __init__(self, system: System, terms: Terms, chances: Sequence[Fraction], shared: Shared) -> None:
        places = _around(system, terms)
        at = {place: column for column, place in enumerate(places)}
        self._ends = [(int(system.lower[place]), int(system.upper[place])) for place in places]
        if any(high >= FAR or high - low > MOST_RANGE for low, high in self._ends):
            raise InputError(
                f"How likely a number is needs cells that are bounded, by at most {MOST_RANGE}, but one beside it may "
                "be any. Publish, or state, how many people there are in all."
            )
        self._weights = [_weights(Fraction(chances[place]), *self._ends[at[place]]) for place in places]
        self._fixed = sum(times * int(system.lower[place]) for place, times in terms if place not in at)
        self._sums = [_Followed(dict(own), low, high) for own, low, high in _rows(system, at)]
        for own, chance in shared:
            inside = {at[place]: times for place, times in own if place in at}
            if inside:
                known = sum(times * int(system.lower[place]) for place, times in own if place not in at)
                self._sums.append(self._shared(inside, known, chance))
        self._target = _Followed({at[place]: times for place, times in terms if place in at}, kept=True)
        self._span = self._reach(self._target.terms)

    def _reach(self, terms: Mapping[int, int]) -> tuple[int, int]:
        """The ends of a sum by those of its unknowns."""
        low = sum(times * self._ends[at][times < 0] for at, times in terms.items())
        return low, sum(times * self._ends[at][times > 0] for at, times in terms.items())

    def _shared(self, terms: dict[int, int], known: int, chance: Fraction) -> _Followed:
        """The factor n! / p^n of what two tables share, as whole numbers: times what is the same for all n."""
        low, high = self._reach(terms)
        above, below = chance.numerator, chance.denominator

        def weight(value: int) -> int:
            if not above:  # nobody can be there, and the cells inside it say so
                return 1
            return int(factorial(value + known) * below ** (value - low) * above ** (high - value))

        return _Followed(terms, weight=weight, heaviest=max(map(weight, range(low, high + 1))))

    def likely(self, most_cases: int, left: Left) -> Likely:
        found, unseen = self._gone_through(most_cases, left)
        total = sum(found.values())
        whole = total + unseen
        if whole == 0:
            raise InputError(
                "Needed a belief under which the published tables are possible, but it gives every table that fits "
                "them probability 0. Give each cell that may hold somebody a probability above 0."
            )
        values = {
            self._fixed + value: (Fraction(weight, whole), Fraction(weight + unseen, whole))
            for value, weight in sorted(found.items())
            if weight
        }
        added = sum((self._fixed + value) * weight for value, weight in found.items())
        low, high = (self._fixed + end for end in self._span)
        mean = Fraction(added + unseen * low, whole), Fraction(added + unseen * high, whole)
        return Likely(values, mean, Fraction(unseen, whole))

    def _gone_through(self, most_cases: int, left: Left) -> tuple[dict[int, int], int]:
        """The weight of each value of the target, and at most what was left out weighs."""
        order = _order(len(self._ends), [each.terms for each in self._sums], self._ends)
        last = [max(order.index(at) for at in each.terms) for each in self._sums]
        later = self._later(order, last)
        live: list[int] = []  # sums that are begun and not complete, as they stand in a state after the target's
        states: dict[tuple[int, ...], int] = {(0,): 1}
        unseen = 0
        for step, at in enumerate(order):
            go_on(left)
            begun = [k for k, each in enumerate(self._sums) if at in each.terms and k not in live]
            live += begun
            touched = [(place, k) for place, k in enumerate(live, 1) if at in self._sums[k].terms]
            rules = [(place, k, self._sums[k].terms[at], *self._room(k, order[step + 1 :])) for place, k in touched]
            done = {place for place, k in enumerate(live, 1) if last[k] == step}
            moves = self._target.terms.get(at, 0)
            found: dict[tuple[int, ...], int] = defaultdict(int)
            values = list(zip(range(self._ends[at][0], self._ends[at][1] + 1), self._weights[at], strict=True))
            blank = (0,) * len(begun)
            for state, weight in states.items():
                before = [*state, *blank]
                for value, heavy in values:
                    if not heavy:
                        continue
                    after = before.copy()
                    after[0] += moves * value
                    mass = weight * heavy
                    for place, k, times, least, most in rules:
                        now = after[place] + times * value
                        if (least is not None and now < least) or (most is not None and now > most):
                            break
                        after[place] = now
                        own = self._sums[k].weight
                        if own is not None and place in done:
                            mass *= own(now)
                    else:
                        found[tuple(each for place, each in enumerate(after) if place not in done)] += mass
            live = [k for place, k in enumerate(live, 1) if place not in done]
            if len(found) > most_cases:
                kept = dict(heapq.nlargest(most_cases, found.items(), key=lambda each: each[1]))
                unseen += (sum(found.values()) - sum(kept.values())) * later[step]
                found = defaultdict(int, kept)
            states = found
        return {state[0]: weight for state, weight in states.items()}, unseen

    def _later(self, order: Sequence[int], last: Sequence[int]) -> list[int]:
        """After each step, at most by how much a weight can still grow."""
        found = [1]
        for step in range(len(order) - 1, 0, -1):
            grown = found[-1] * sum(self._weights[order[step]])
            for k, each in enumerate(self._sums):
                if last[k] == step:
                    grown *= each.heaviest
            found.append(grown)
        return found[::-1]

    def _room(self, k: int, rest: Sequence[int]) -> tuple[End, End]:
        """Between which ends a sum must be now, so that it can end where it has to."""
        each = self._sums[k]
        low, high = self._reach({at: each.terms[at] for at in rest if at in each.terms})
        return None if each.low is None else each.low - high, None if each.high is None else each.high - low


def _weights(chance: Fraction, low: int, high: int) -> list[int]:
    """p^x / x! from one end to the other, as whole numbers: times what is the same for all x."""
    above, below = chance.numerator, chance.denominator
    found, product = [], 1  # high! / x!
    for value in range(high, low - 1, -1):
        found.append(above**value * below ** (high - value) * product)
        product *= max(1, value)
    return found[::-1]


def _order(count: int, sums: Sequence[Mapping[int, int]], ends: Sequence[tuple[int, int]]) -> list[int]:
    """Unknowns in an order in which few sums are begun and not complete, and these have few values."""
    left = [set(each) for each in sums]
    inside: dict[int, list[int]] = defaultdict(list)
    for k, each in enumerate(sums):
        for at in each:
            inside[at].append(k)
    live: set[int] = set()
    waiting = set(range(count))
    found: list[int] = []

    def price(at: int) -> tuple[int, int, int]:
        begun = sum(k not in live for k in inside[at])
        ended = sum(len(left[k]) == 1 for k in inside[at])
        return begun - ended, min((len(left[k]) for k in inside[at]), default=0), ends[at][1] - ends[at][0]

    while waiting:
        at = min(sorted(waiting), key=price)
        waiting.remove(at)
        found.append(at)
        for k in inside[at]:
            left[k].discard(at)
            live.add(k)
            if not left[k]:
                live.discard(k)
    return found


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
    """The rows about these unknowns, less what is known, each once."""
    rows: dict[_Row, None] = {}
    for row, (low, high) in zip(system.rows, system.ends, strict=True):
        own = tuple(sorted((at[place], times) for place, times in row if times and place in at))
        if own:
            known = sum(times * int(system.lower[place]) for place, times in row if place not in at)
            rows[own, None if low is None else low - known, None if high is None else high - known] = None
    return list(rows)
