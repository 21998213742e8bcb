"""Who fits counts, means and medians: that the listed people do is computed; that no others do is searched again.

Everybody has labels and a whole number. All numbers of people of each kind are gone through; then everybody's number
lies in a range, which sums cut and which is halved until one number is left. Sums, means and medians grow if a number
grows, so the least and the largest numbers of the ranges enclose them: where they cannot be what is published, nobody
fits, and nothing else is left out.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

LONGEST = 3_000_000  # cases


class RefusedError(Exception):
    """An audit that contradicts itself, or a proof that does not add up."""


class NoAuditError(Exception):
    """Not an audit that this program can read."""


class TooLongError(Exception):
    """More cases than are gone through here."""


def require(holds: object, words: str) -> None:
    """RefusedError unless it holds."""
    if not holds:
        raise RefusedError(words)


class Crowd:
    """Some people of each kind, in a fixed order, whose numbers are given to them one by one."""

    def __init__(self, asked: Any) -> None:
        self.names = [name for name, _ in asked["variables"]]
        self.kinds = list(product(*(labels for _, labels in asked["variables"])))
        _, self.least, self.most = asked["number"]
        self.said = [
            (one, *(None if one[key] is None else Fraction(one[key]) for key in ("least", "most")))
            for one in asked["statements"]
        ]
        whole = [high for one, _, high in self.said if high is not None and self.plain(one) and not one["labels"]]
        require(whole, "how many people there are is published")
        self.size, self.cases = int(min(whole)), 0

    @staticmethod
    def plain(one: Any) -> bool:
        """A count that is about labels alone."""
        return bool(one["what"] == "count" and one["from"] is None and one["to"] is None)

    def has(self, kind: Any, one: Any) -> bool:
        """Whether people of a kind have the labels of a statement."""
        return all(kind[self.names.index(name)] in labels for name, labels in one["labels"])

    def fits(self, crowd: list[tuple[Any, int]]) -> bool:
        """Whether these people fit everything published."""
        return all(self.holds(each, [(kind, n, n) for kind, n in crowd]) for each in self.said)

    def holds(self, each: Any, crowd: list[tuple[Any, int, int]]) -> bool:
        """Whether a statement holds of people with numbers between ends, or may still hold."""
        one, low, high = each
        own = [(least, most) for kind, least, most in crowd if self.has(kind, one)]
        first, last = one["from"], one["to"]
        sure = [p for p in own if (first is None or p[0] >= first) and (last is None or p[1] <= last)]
        maybe = [p for p in own if (first is None or p[1] >= first) and (last is None or p[0] <= last)]
        if one["what"] == "count":
            return (high is None or len(sure) <= high) and (low is None or len(maybe) >= low)
        if len(sure) < len(maybe):
            return True
        ends = [self.value(one["what"], sorted(p[side] for p in sure)) for side in (0, 1)]
        if not sure and one["what"] != "sum":
            return False
        return (high is None or ends[0] <= high) and (low is None or ends[1] >= low)

    @staticmethod
    def value(what: str, numbers: list[int]) -> Fraction:
        """Sum, mean or median of numbers in order: each grows if one of the numbers does."""
        if what == "sum" or not numbers:
            return Fraction(sum(numbers))
        if what == "mean":
            return Fraction(sum(numbers), len(numbers))
        require(what == "median", "a count, a sum, a mean or a median")
        return Fraction(numbers[(len(numbers) - 1) // 2] + numbers[len(numbers) // 2], 2)

    def everybody(self) -> Iterator[list[tuple[Any, int]]]:
        """All crowds that fit."""
        for counts in self.numbers_of_people([]):
            kinds = [kind for kind, count in zip(self.kinds, counts, strict=True) for _ in range(count)]
            yield from self.given([(kind, self.least, self.most) for kind in kinds])

    def numbers_of_people(self, counts: list[int]) -> Iterator[list[int]]:
        """How many people there are of each kind, as the counts that are about labels alone have it."""
        last = len(counts) == len(self.kinds)
        for one, low, high in self.said:
            if self.plain(one):
                now = sum(count for count, kind in zip(counts, self.kinds, strict=False) if self.has(kind, one))
                if (high is not None and now > high) or (last and low is not None and now < low):
                    return
        if last:
            yield counts
            return
        for count in range(self.size - sum(counts) + 1):
            yield from self.numbers_of_people([*counts, count])

    def given(self, crowd: list[tuple[Any, int, int]]) -> Iterator[list[tuple[Any, int]]]:
        """Everybody's number: ranges are cut by sums, and the shortest one is halved."""
        self.cases += 1
        if self.cases > LONGEST:
            raise TooLongError(f"more than {LONGEST} cases")
        now = self.cut(crowd)
        if now is None or not all(self.holds(each, now) for each in self.said):
            return
        open_ = [(most - least, at) for at, (_, least, most) in enumerate(now) if most > least]
        if not open_:
            yield [(kind, least) for kind, least, _ in now]
            return
        _, at = min(open_)
        kind, least, most = now[at]
        middle = (least + most) // 2
        for half in ((kind, least, middle), (kind, middle + 1, most)):
            yield from self.given([*now[:at], half, *now[at + 1 :]])

    def cut(self, crowd: list[tuple[Any, int, int]]) -> list[tuple[Any, int, int]] | None:
        """Ranges without numbers that no sum allows: what the others have at least, or at most, is taken off it.
        People with the same labels come in the order of their numbers. None if a range is empty.
        """
        ranges = [[least, most] for _, least, most in crowd]
        while True:
            before = [list(each) for each in ranges]
            for one, low, high in self.said:
                own = [at for at, (kind, _, _) in enumerate(crowd) if self.has(kind, one)]
                if one["what"] not in ("sum", "mean") or one["from"] is not None or one["to"] is not None:
                    continue
                times = len(own) if one["what"] == "mean" else 1
                least, most = sum(ranges[at][0] for at in own), sum(ranges[at][1] for at in own)
                for at in own:
                    was = tuple(ranges[at])
                    if high is not None:
                        ranges[at][1] = min(was[1], floor(high * times) - (least - was[0]))
                    if low is not None:
                        ranges[at][0] = max(was[0], ceil(low * times) - (most - was[1]))
            for at in range(1, len(crowd)):
                if crowd[at][0] == crowd[at - 1][0]:
                    ranges[at][0] = max(ranges[at][0], ranges[at - 1][0])
                    ranges[at - 1][1] = min(ranges[at - 1][1], ranges[at][1])
            if any(least > most for least, most in ranges):
                return None
            if ranges == before:
                return [(kind, *each) for (kind, _, _), each in zip(crowd, ranges, strict=True)]


def examined(asked: Any) -> str:
    """What is said of these people, if it is so; TooLongError if it takes too long to see."""
    crowd = Crowd(asked)
    found = {tuple(sorted((tuple(labels), int(number)) for labels, number in each)) for each in asked["found"]}
    require(len(found) == len(asked["found"]) and found, "each list of people stands there once")
    for each in found:
        require(all(kind in crowd.kinds and crowd.least <= n <= crowd.most for kind, n in each), "people there can be")
        require(crowd.fits(list(each)), "people who are listed do not fit what is published")
    if asked["complete"] is not True:
        return f"{len(found)} lists of people fit, and others may"
    for other in crowd.everybody():
        require(tuple(sorted(other)) in found, "others fit as well, who are not listed")
    return f"{len(found)} list(s) of people fit what is published, and no others ({crowd.cases} cases gone through)"
