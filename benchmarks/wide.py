"""Incomes to ten million: how the time grows with people and with values, and how tight the brackets are."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import dalenius as dl
from benchmarks.claim import Row, at_most
from benchmarks.timing import medians

EPSILON, DELTA = Fraction(1, 2), Fraction(1, 10**6)


def incomes(n: int, top: int, brackets: int = 60) -> dl.beliefs.Brackets:
    """About a lognormal law up to `top`, the same in units of the top."""
    scale = top // 10**4
    edges = sorted({0, *(scale * round(2 * 5000 ** (i / (brackets - 1))) for i in range(brackets))})

    def below(x: int) -> float:
        return 0.5 * (1 + math.erf(math.log(x / (30 * scale)) / (0.8 * math.sqrt(2)))) if x else 0.0

    weights = [Fraction(round(1e12 * max(below(b) - below(a), 1e-12))) for a, b in pairwise(edges)]
    whole = sum(weights, Fraction(0))
    histogram = [(a, b - 1, weight / whole) for (a, b), weight in zip(pairwise(edges), weights, strict=True)]
    return dl.beliefs.Brackets(histogram, n=n, bounds=(0, top))


def judged(n: int, top: int) -> Callable[[], dl.Bracket]:
    """The full range, which fails, so that the bracket has two sides."""
    belief = incomes(n, top)
    return lambda: dl.curve(dl.Sum(), dl.noiseless(belief)).delta(EPSILON)


def wide() -> list[Row]:
    """Ten times the people or the values take about the same time; a value to within ±1000 is certified in 10 s."""
    base, people, values = (judged(*size) for size in ((10**5, 10**6), (10**6, 10**6), (10**5, 10**7)))
    near = dl.noiseless(incomes(10**5, 10**7), secret=dl.Within(1000))
    whole = {
        "base": base,
        "people": people,
        "values": values,
        "verify": lambda: dl.verify(dl.Sum(), near, epsilon=EPSILON, delta=DELTA),
    }
    seconds = medians(whole, repetitions=3)
    found = values()
    return [
        at_most("incomes: time of 1e6 people / of 1e5", seconds["people"] / seconds["base"], 3),
        at_most("incomes: time of 1e7 values / of 1e6", seconds["values"] / seconds["base"], 2),
        at_most("incomes to 1e7, ±1000: the whole guarantee", seconds["verify"], 10, " s"),
        at_most("incomes to 1e7: width of delta, relative", found.width / found.lower, 2e-3),
    ]
