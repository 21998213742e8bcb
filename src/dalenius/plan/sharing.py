r"""How much noise each of several figures gets, so that all errors together are least.

A pair of facts about a person moves figure f by d_f; with scales s it spends \sum_f d_f / s_f of epsilon (geometric
noise; of discrete Gaussian noise about the root of the sum of squares). What is asked for is

$$ \min_s \sum_f c_f s_f \quad\text{such that}\quad \sum_f (d_f / s_f)^p \le 1 \text{ for every pair of facts,} $$

with p = 1 or 2 and c_f what a unit of noise costs in figure f. It is convex in y = s^{-p}. With a multiplier for every
pair of facts the best y is known, and multipliers grow where a pair spends more than it may: a search in floats, from
which nothing but the *proportion* of the scales is taken. How large they must be is worked out exactly afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np

from dalenius.judge.noise import Difference
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure

STEPS = 2000  # of the search
STILL = 1e-7  # of what is spent, within which multipliers stay as they are
ZERO = Fraction(0)


def shares(apart: Sequence[Mapping[int, int]], costs: Sequence[float], power: int) -> list[float]:
    """Scales in the proportion that costs least. `apart`: how far each pair of facts moves each figure.

    >>> [round(scale, 3) for scale in shares([{0: 1, 1: 1}, {0: 1, 2: 1}], [1, 1, 1], 1)]
    [2.414, 1.707, 1.707]
    """
    from scipy.sparse import csr_array

    rows = [row for row, one in enumerate(apart) for _ in one]
    columns = [place for one in apart for place in one]
    far = np.array([float(step) for one in apart for step in one.values()]) ** power
    moved = csr_array((far, (rows, columns)), (len(apart), len(costs)))
    worth = np.asarray(costs, dtype=float) / power
    multipliers = np.full(len(apart), 1 / len(apart))
    best, cheapest = np.ones(len(costs)), np.inf
    for _ in range(STEPS):
        inverse = (worth / np.maximum(moved.T @ multipliers, 1e-300)) ** (power / (power + 1))
        spent = moved @ inverse
        scales = inverse ** (-1 / power) * spent.max() ** (1 / power)
        cost = float(np.dot(costs, scales))
        if cost < cheapest:
            best, cheapest = scales, cost
        # pairs that spend less than they may matter less, and at last not at all
        multipliers = multipliers * np.sqrt(spent)
        if np.all((np.abs(spent - 1) < STILL) | (multipliers < STILL * multipliers.max())):
            break
    return [float(scale) for scale in best]


def enough(
    docket: Docket, combinations: Sequence[tuple[Figure, ...]], base: Mapping[str, Fraction]
) -> dict[str, Fraction]:
    """The least scales in this proportion; none if there are none."""
    spending = [_Spending.of(docket, figures, base) for figures in combinations]
    factors = [some.factor(docket.epsilon) for some in spending]
    if not base or any(factor is None for factor in factors):
        return {}
    most = max(filter(None, factors), default=ZERO)
    return {name: far * most for name, far in base.items()} if most else {}


Spent: TypeAlias = tuple[Fraction, Fraction]  # of epsilon: in figures that are out; in new ones, divided by a factor f


@final
@dataclass(frozen=True, slots=True)
class _Spending:
    """What pairs of facts about a person spend, if every new figure has geometric noise of f times its base: for both
    kinds of pairs (see `NoiseAlone`), for each independent part of a record.
    """

    worlds: tuple[tuple[tuple[Spent, ...], ...], ...]

    @classmethod
    def of(cls, docket: Docket, figures: Sequence[Figure], base: Mapping[str, Fraction]) -> "_Spending":
        parts = docket.records.linked(figures)

        def spent(part: Sequence[Figure], apart: Difference) -> Spent:
            before, now = Fraction(0), Fraction(0)
            for figure, far in ((part[place], far) for place, far in apart):
                pure = figure.channel.pure(far)
                if figure.name in base:
                    now += Fraction(far) / base[figure.name]
                else:  # noise that is out and never hides completely leaves nothing
                    before += docket.epsilon + 1 if pure is None else pure
            return before, now

        apart = [[{spent(part, one) for one in some} for some in docket.apart(part)] for part in parts]
        return cls(tuple(tuple(tuple(some) for some in world) for world in zip(*apart, strict=True)))

    def most(self, rate: Fraction) -> Spent:
        """What the pair of facts spends that spends most, at this 1/f."""
        chosen = [
            [max(some, key=lambda one: (one[0] + one[1] * rate, one[1])) for some in parts if some]
            for parts in self.worlds
        ]
        whole = [(sum((one[0] for one in some), ZERO), sum((one[1] for one in some), ZERO)) for some in chosen]
        return max(whole, key=lambda one: (one[0] + one[1] * rate, one[1]), default=(ZERO, ZERO))

    def factor(self, epsilon: Fraction) -> Fraction | None:
        """The least f at which no pair of facts spends more than epsilon; 0 if none spends anything, None if there is
        no such f. From a large 1/f downwards: what is spent is convex in it, so Newton's steps end at the solution.
        """
        rate = max(
            (epsilon / one[1] for parts in self.worlds for some in parts for one in some if one[1]), default=ZERO
        )
        while True:
            before, now = self.most(rate)
            if before + now * rate <= epsilon:
                return 1 / rate if rate else ZERO
            if not now or before >= epsilon:
                return None
            rate = (epsilon - before) / now
