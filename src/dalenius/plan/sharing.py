r"""How much noise each of several figures gets, so that all errors together are least.

A pair of facts about a person moves figure f by d_f; with scales s it spends \sum_f d_f / s_f of epsilon (geometric
noise; of discrete Gaussian noise about the root of the sum of squares). What is asked for is

$$ \min_s \sum_f c_f s_f \quad\text{such that}\quad \sum_f (d_f / s_f)^p \le 1 \text{ for every pair of facts,} $$

with p = 1 or 2 and c_f what a unit of noise costs in figure f. It is convex in y = s^{-p}. With a multiplier for every
pair of facts the best y is known, and multipliers grow where a pair spends more than it may: a search in floats, from
which nothing but the *proportion* of the scales is taken. How large they must be is worked out exactly afterwards.
"""

from collections.abc import Mapping, Sequence

import numpy as np

STEPS = 2000  # of the search
STILL = 1e-7  # of what is spent, within which multipliers stay as they are


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
