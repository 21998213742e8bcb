"""Counts, means and medians of a few people: which people there can be, whatever they are called.

Everybody has a label of each variable and one whole number, such as an age. Published is that a count, a sum, a mean
or a median of some of them lies between two ends; hidden numbers say little ("fewer than three"), or nothing. Means and
medians are no sums of unknown counts, so they have a search of their own: first how many people there are with which
labels, then their numbers, each between two ends that are drawn together by one statement after the other, and cut in
half where that is not enough. Nothing is left out: a search that ends has seen everybody there can be. All of it is
done in whole numbers.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import product
from math import ceil, floor, prod
from typing import TypeAlias, final

from dalenius.audit.problem import ContradictionError
from dalenius.basics.errors import InputError
from dalenius.basics.limits import MOST_KINDS, MOST_STATED
from dalenius.basics.patience import Left, TimeUpError, always, go_on

Person: TypeAlias = tuple[tuple[str, ...], int]  # labels, in the order of the variables, and the number
Ends: TypeAlias = tuple[int, int]
MOST_PEOPLE = 60


class What(StrEnum):
    """What is published of some people.

    >>> import dalenius as dl
    >>> print([str(what) for what in dl.audit.What])
    ['count', 'sum', 'mean', 'median']
    """

    COUNT = "count"
    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"  # the mean of the two in the middle, if they are even in number


@final
@dataclass(frozen=True, slots=True)
class Who:
    """Some people: of each variable that is named one of these labels, and a number between two ends (None: any).

    >>> import dalenius as dl
    >>> dl.audit.Who(least=18, most=30)
    Who(labels=(), least=18, most=30)
    """

    labels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    least: int | None = None
    most: int | None = None

    @property
    def by_number(self) -> bool:
        """Whether the number decides who belongs to them."""
        return self.least is not None or self.most is not None


@final
@dataclass(frozen=True, slots=True)
class Said:
    """What is published: a count, sum, mean or median of some people lies between two ends (None: open). A mean that
    was rounded to 36.7 lies between 36.65 and 36.75. There is no mean and no median of nobody.

    >>> import dalenius as dl
    >>> dl.audit.Said(dl.audit.What.COUNT, dl.audit.Who(), 7, 7, "table 1").source
    'table 1'
    """

    what: What
    who: Who
    lower: Fraction | int | None
    upper: Fraction | int | None
    source: str


@final
@dataclass(frozen=True, slots=True)
class People:
    """A few people of whom something is published.

    >>> from dalenius.audit import People, Said, What, Who, people_that_fit
    >>> said = (
    ...     Said(What.COUNT, Who(), 3, 3, "three people"),
    ...     Said(What.MEAN, Who(), 1, 1, "of mean age 1"),
    ...     Said(What.MEDIAN, Who(), 0, 0, "and median age 0"),
    ... )
    >>> found = people_that_fit(People((), "age", 0, 125, said))
    >>> found.each, found.complete
    (((((), 0), ((), 0), ((), 3)),), True)
    """

    variables: tuple[tuple[str, tuple[str, ...]], ...]
    number: str
    least: int
    most: int
    said: tuple[Said, ...]

    def __post_init__(self) -> None:
        have = dict(self.variables)
        for each in self.said:
            for variable, labels in each.who.labels:
                if not set(labels) <= set(have.get(variable, ())):
                    raise InputError(
                        f"{each.source} needs labels of {variable} that there are ({', '.join(have.get(variable, ()))}"
                        f"), but got {', '.join(labels)}. Name them under variables."
                    )
        kinds = prod(len(labels) for _, labels in self.variables)
        if kinds > MOST_KINDS or len(self.said) > MOST_STATED:
            raise InputError(
                f"Needed at most {MOST_STATED} numbers of people with at most {MOST_KINDS} combinations of labels, but "
                f"got {len(self.said)} of people with {kinds}. Audit means and medians of fewer variables, or of a "
                "smaller area."
            )
        if self.least > self.most:
            raise InputError(f"{self.number} needs a least value up to {self.most}, but got {self.least}. Swap them.")


@final
@dataclass(frozen=True, slots=True)
class Found:
    """Who fits, each a list of people in order; `complete` if there are no others; how many cases were looked at.

    >>> import dalenius as dl
    >>> who = dl.audit.Who()
    >>> count = dl.audit.Said(dl.audit.What.COUNT, who, 2, 2, "count")
    >>> mean = dl.audit.Said(dl.audit.What.MEAN, who, 3, 3, "mean")
    >>> found = dl.audit.people_that_fit(dl.audit.People((), "age", 3, 4, (count, mean)))
    >>> found.each, found.complete
    (((((), 3), ((), 3)),), True)
    """

    people: People
    each: tuple[tuple[Person, ...], ...]
    complete: bool
    cases: int

    @property
    def known(self) -> bool:
        """Whether everybody is known: one list of people fits, and no other."""
        return self.complete and len(self.each) == 1


def people_that_fit(people: People, *, most: int = 2, left: Left = always) -> Found:
    """Everybody who fits what is published, up to `most` lists; two are enough to see that nothing is certain.
    ContradictionError if nobody does.

    >>> import dalenius as dl
    >>> who = dl.audit.Who()
    >>> count = dl.audit.Said(dl.audit.What.COUNT, who, 2, 2, "count")
    >>> mean = dl.audit.Said(dl.audit.What.MEAN, who, 3, 3, "mean")
    >>> dl.audit.people_that_fit(dl.audit.People((), "age", 3, 4, (count, mean))).each
    ((((), 3), ((), 3)),)
    """
    search = _PeopleSearch(people, left)
    found: list[tuple[Person, ...]] = []
    complete = True
    try:
        for each in search.found():
            if len(found) == most:
                complete = False
                break
            found.append(each)
    except TimeUpError:
        complete = False
    if complete and not found:
        raise _contradiction(people, left)
    return Found(people, tuple(found), complete, search.cases)


def _contradiction(people: People, left: Left) -> ContradictionError:
    """As few statements as nobody fits, the size of the crowd among them."""
    kept = list(people.said)
    for each in people.said:
        rest = tuple(other for other in kept if other is not each)
        if any(_everybody(other) for other in rest):
            search = _PeopleSearch(People(people.variables, people.number, people.least, people.most, rest), left)
            try:
                if next(search.found(most_cases=20_000), None) is None:
                    kept = list(rest)
            except TimeUpError:
                continue
    names = tuple(each.source for each in kept)
    return ContradictionError(
        f"Needed published numbers that some people fit, but these contradict each other: {'; '.join(names)}. Look for "
        "a misprint, a rounding that is not stated, or tables of different people.",
        names,
    )


def _everybody(said: Said) -> bool:
    return said.what == What.COUNT and said.who == Who() and said.upper is not None


class _PeopleSearch:
    """One search under way."""

    def __init__(self, people: People, left: Left) -> None:
        self.people, self._left, self.cases = people, left, 0
        self._names = [name for name, _ in people.variables]
        self._kinds = list(product(*(labels for _, labels in people.variables)))
        whole = [floor(each.upper) for each in people.said if _everybody(each) and each.upper is not None]
        if not whole or min(whole) > MOST_PEOPLE:
            raise InputError(
                f"Needed how many people there are in all, at most {MOST_PEOPLE}, but "
                f"{f'there may be {min(whole)}' if whole else 'no such number is published'}. Audit means and medians "
                "of a smaller area."
            )
        self._most = min(whole)
        self._most_cases: int | None = None

    def found(self, *, most_cases: int | None = None) -> Iterator[tuple[Person, ...]]:
        """All lists of people that fit."""
        self._most_cases = most_cases
        rules = [
            ([self._belongs(kind, each.who) for kind in self._kinds], each.lower, each.upper)
            for each in self.people.said
            if each.what == What.COUNT and not each.who.by_number
        ]
        for counts in self._counts(rules):
            yield from self._aged(counts)

    def _case(self) -> None:
        self.cases += 1
        go_on(self._left)
        if self._most_cases is not None and self.cases > self._most_cases:
            raise TimeUpError

    def _belongs(self, kind: Sequence[str], who: Who) -> bool:
        return all(kind[self._names.index(variable)] in labels for variable, labels in who.labels)

    def _counts(
        self, rules: Sequence[tuple[list[bool], Fraction | int | None, Fraction | int | None]]
    ) -> Iterator[list[int]]:
        """How many people there are of each kind, by the counts alone."""
        waiting: list[list[int]] = [[]]
        while waiting:
            counts = waiting.pop()
            self._case()
            if not all(self._possible(counts, *rule) for rule in rules):
                continue
            if len(counts) == len(self._kinds):
                yield counts
            else:
                waiting += [[*counts, count] for count in range(self._most - sum(counts), -1, -1)]

    def _possible(
        self, counts: Sequence[int], inside: Sequence[bool], lower: Fraction | int | None, upper: Fraction | int | None
    ) -> bool:
        """Whether so many people of the first kinds leave a count between its ends."""
        now = sum(count for count, own in zip(counts, inside, strict=False) if own)
        enough = lower is None or now >= lower or any(inside[len(counts) :])
        return enough and (upper is None or now <= upper)

    def _aged(self, counts: Sequence[int]) -> Iterator[tuple[Person, ...]]:
        """Numbers for so many people of each kind."""
        kinds = [kind for kind, count in zip(self._kinds, counts, strict=True) for _ in range(count)]
        rules: list[_Rule] = [_ordered(kinds)]
        for said in self.people.said:
            members = [place for place, kind in enumerate(kinds) if self._belongs(kind, said.who)]
            if said.who.by_number:
                rules.append(_by_number(said, members))
            elif said.what != What.COUNT:
                rules.append(_of(said, members))
        for ends in self._narrowed([(self.people.least, self.people.most)] * len(kinds), rules):
            yield tuple(sorted((kind, low) for kind, (low, _) in zip(kinds, ends, strict=True)))

    def _narrowed(self, ends: list[Ends], rules: Sequence["_Rule"]) -> Iterator[list[Ends]]:
        """Every way in which all numbers are settled: rules draw ends together, and the shortest range is halved."""
        waiting = [ends]
        while waiting:
            now = waiting.pop()
            self._case()
            if _drawn(now, rules) is None:
                continue
            spread = [(high - low, place) for place, (low, high) in enumerate(now) if high > low]
            if not spread:
                yield now
                continue
            _, place = min(spread)
            low, high = now[place]
            halves = ((low + high) // 2 + 1, high), (low, (low + high) // 2)
            waiting += [[*now[:place], half, *now[place + 1 :]] for half in halves]


_Rule: TypeAlias = Callable[[list[Ends]], bool]  # draws ends together; False if nothing fits


def _drawn(ends: list[Ends], rules: Sequence[_Rule]) -> list[Ends] | None:
    while True:
        before = list(ends)
        for rule in rules:
            if not rule(ends):
                return None
        if ends == before:
            return ends


def _draw(ends: list[Ends], place: int, low: int | None, high: int | None) -> bool:
    """Ends drawn together; False if they cross."""
    was = ends[place]
    ends[place] = (was[0] if low is None else max(was[0], low), was[1] if high is None else min(was[1], high))
    return ends[place][0] <= ends[place][1]


def _ordered(kinds: Sequence[tuple[str, ...]]) -> _Rule:
    """People with the same labels come in the order of their numbers: names do not matter."""
    same = [place for place in range(1, len(kinds)) if kinds[place] == kinds[place - 1]]

    def rule(ends: list[Ends]) -> bool:
        return all(_draw(ends, place, ends[place - 1][0], None) for place in same) and all(
            _draw(ends, place - 1, None, ends[place][1]) for place in reversed(same)
        )

    return rule


def _of(said: Said, members: Sequence[int]) -> _Rule:
    """A sum, a mean or a median of people who are settled."""
    if said.what == What.MEDIAN:
        return _median(said, members)
    times = len(members) if said.what == What.MEAN else 1
    low = None if said.lower is None else ceil(said.lower * times)
    high = None if said.upper is None else floor(said.upper * times)
    nobody = said.what == What.MEAN and not members

    def rule(ends: list[Ends]) -> bool:
        least, most = sum(ends[place][0] for place in members), sum(ends[place][1] for place in members)
        if nobody or (high is not None and least > high) or (low is not None and most < low):
            return False
        for place in members:
            own = ends[place]
            if not _draw(
                ends,
                place,
                None if low is None else low - (most - own[1]),
                None if high is None else high - (least - own[0]),
            ):
                return False
        return True

    return rule


def _median(said: Said, members: Sequence[int]) -> _Rule:
    """The middle one, or the mean of the two in the middle. With x the lower and y the upper of the two (they are the
    same if members are odd in number), x + y lies between twice the ends; x is at least the lower ends' own middle, and
    so on; and where only so many members can be on one side of a value, the others are on the other side.
    """
    count = len(members)
    first, second = (count - 1) // 2, count // 2
    low2 = None if said.lower is None else ceil(2 * said.lower)
    high2 = None if said.upper is None else floor(2 * said.upper)

    def rule(ends: list[Ends]) -> bool:
        if not count:
            return False
        lows, highs = sorted(ends[place][0] for place in members), sorted(ends[place][1] for place in members)
        if high2 is not None and lows[first] + lows[second] > high2:
            return False
        if low2 is not None and highs[first] + highs[second] < low2:
            return False
        if high2 is not None:
            both = ((high2 // 2, first + 1), (high2 - lows[first], second + 1))
            if not all(_at_most(ends, members, *each) for each in both):
                return False
        if low2 is not None:
            both = ((-(-low2 // 2), count - second), (low2 - highs[second], count - first))
            return all(_at_least(ends, members, *each) for each in both)
        return True

    return rule


def _at_most(ends: list[Ends], members: Sequence[int], value: int, needed: int) -> bool:
    """So many members are at most a value: if no more than these can be, they are."""
    able = [place for place in members if ends[place][0] <= value]
    return len(able) >= needed and (len(able) > needed or all(_draw(ends, place, None, value) for place in able))


def _at_least(ends: list[Ends], members: Sequence[int], value: int, needed: int) -> bool:
    able = [place for place in members if ends[place][1] >= value]
    return len(able) >= needed and (len(able) > needed or all(_draw(ends, place, value, None) for place in able))


def _by_number(said: Said, possible: Sequence[int]) -> _Rule:
    """People whose number decides whether they belong: a count; or what is said of them, once that is settled."""
    who = said.who
    low = None if said.lower is None else ceil(said.lower)
    high = None if said.upper is None else floor(said.upper)

    def sure(own: Ends) -> bool:
        return (who.least is None or own[0] >= who.least) and (who.most is None or own[1] <= who.most)

    def able(own: Ends) -> bool:
        return (who.least is None or own[1] >= who.least) and (who.most is None or own[0] <= who.most)

    def count(ends: list[Ends]) -> bool:
        inside = [place for place in possible if sure(ends[place])]
        maybe = [place for place in possible if able(ends[place]) and not sure(ends[place])]
        if (high is not None and len(inside) > high) or (low is not None and len(inside) + len(maybe) < low):
            return False
        if low is not None and len(inside) + len(maybe) == low:
            return all(_draw(ends, place, who.least, who.most) for place in maybe)
        if high is not None and len(inside) == high:
            return all(_kept_out(ends, place, who) for place in maybe)
        return True

    def settled(ends: list[Ends]) -> bool:
        if any(able(ends[place]) and not sure(ends[place]) for place in possible):
            return True
        return _of(said, [place for place in possible if sure(ends[place])])(ends)

    return count if said.what == What.COUNT else settled


def _kept_out(ends: list[Ends], place: int, who: Who) -> bool:
    """A number that is not between the ends of a group, where only one side is left."""
    own = ends[place]
    if who.most is None or own[1] <= who.most:
        return _draw(ends, place, None, None if who.least is None else who.least - 1)
    if who.least is None or own[0] >= who.least:
        return _draw(ends, place, who.most + 1, None)
    return True


def shared(found: Found) -> Counter[Person]:
    """The people who are in every list that fits: these are known, if the search was complete."""
    lists = [Counter(each) for each in found.each]
    common = lists[0] if lists else Counter()
    for each in lists[1:]:
        common &= each
    return common


def value_of(said: Said, crowd: Sequence[Person], names: Sequence[str]) -> Fraction | None:
    """What a statement is about, of these people; None if it is the mean or the median of nobody."""
    who = said.who
    own = sorted(
        number
        for labels, number in crowd
        if all(labels[names.index(variable)] in wanted for variable, wanted in who.labels)
        and (who.least is None or number >= who.least)
        and (who.most is None or number <= who.most)
    )
    match said.what:
        case What.COUNT:
            return Fraction(len(own))
        case What.SUM:
            return Fraction(sum(own))
        case What.MEAN:
            return Fraction(sum(own), len(own)) if own else None
        case What.MEDIAN:
            return Fraction(own[(len(own) - 1) // 2] + own[len(own) // 2], 2) if own else None
