"""How many draws an audit of a mechanism needs for a lower bound of 95 % of the truth, beside a classifier's.

Beside it stands the usual way: a classifier is fitted to half of the draws, its best event is tested on the other half,
and the two probabilities are bounded by Clopper and Pearson. Both are given the same draws and the same confidence.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias, final

import numpy as np
from scipy import stats

import dalenius as dl
from benchmarks.claim import Row, at_most, remark
from dalenius.data import InBatches

Dice: TypeAlias = np.random.Generator
GRID = tuple(round(10_000 * 2 ** (step / 2)) for step in range(16))  # to 1.8 million
RUNS = 9
CLOSE = 0.95
RISK = 0.05
CELLS = 64  # of the classifier's histogram


@final
@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism, what it gives away at ε, and how it is drawn: of each world so many."""

    name: str
    epsilon: float
    delta: float
    draw: Callable[[Dice, int, int], Any]


def _binomial(people: int, rate: float, epsilon: float) -> float:
    chances = stats.binom.pmf(np.arange(people), people - 1, rate)
    one, other = np.append(chances, 0.0), np.insert(chances, 0, 0.0)
    return max(float(np.maximum(p - math.exp(epsilon) * q, 0).sum()) for p, q in ((one, other), (other, one)))


def _normal(scale: float, epsilon: float) -> float:
    half, far = 1 / (2 * scale), epsilon * scale
    return float(stats.norm.cdf(half - far) - math.exp(epsilon) * stats.norm.cdf(-half - far))


def _geometric(true: float, epsilon: float) -> float:
    noise = np.exp(-true * np.abs(np.arange(-2000, 2001)))
    noise /= noise.sum()
    return float(np.maximum(noise[1:] - math.exp(epsilon) * noise[:-1], 0).sum())


CASES = (
    Case("exact count of 30", 0.1, _binomial(30, 0.5, 0.1), lambda dice, fact, n: fact + dice.binomial(29, 0.5, n)),
    Case(
        "geometric noise, ε 0.5",
        0.25,
        _geometric(0.5, 0.25),
        lambda dice, fact, n: fact + dice.geometric(1 - math.exp(-0.5), n) - dice.geometric(1 - math.exp(-0.5), n),
    ),
    Case(
        "Gaussian noise, scale 2",
        0.25,
        _normal(2.0, 0.25),
        lambda dice, fact, n: np.round((fact + dice.normal(0, 2.0, n)) * 2**20),
    ),
)


def classified(case: Case, dice: Dice, draws: int) -> float:
    """The lower bound of a classifier on half of the draws, tested on the other half."""
    first, second = (case.draw(dice, fact, draws) for fact in (0, 1))
    half = draws // 2
    edges = np.unique(np.quantile(np.concatenate([first[:half], second[:half]]), np.linspace(0, 1, CELLS + 1)[1:-1]))
    found = 0.0
    for one, other in ((first, second), (second, first)):
        cells = [np.searchsorted(edges, each, side="right") for each in (one, other)]
        counts = [np.bincount(each[:half], minlength=len(edges) + 1) for each in cells]
        event = counts[0] > math.exp(case.epsilon) * counts[1]
        hits, misses = (int(event[each[half:]].sum()) for each in cells)
        tested = draws - half
        # two orders and two probabilities share the risk
        low = stats.beta.ppf(RISK / 4, hits, tested - hits + 1) if hits else 0.0
        high = stats.beta.ppf(1 - RISK / 4, misses + 1, tested - misses) if misses < tested else 1.0
        found = max(found, float(low - math.exp(case.epsilon) * high))
    return found


def audited(case: Case, dice: Dice, draws: int) -> float:
    """Ours, with the same confidence for δ alone: half of its risk goes to ε, so it is given twice as much."""
    release = InBatches(lambda fact, count: case.draw(dice, fact, count))
    confidence = str(1 - 2 * RISK)
    found = dl.audit_mechanism(
        release, [(0, 1)], epsilon=str(case.epsilon), draws=draws, confidence=confidence, until="done", seconds=1e6
    )
    return found.delta


def needed(case: Case, bound: Callable[[Case, Dice, int], float]) -> float:
    """The fewest draws of each world, on the grid, from which on the median of some runs is close enough."""
    for draws in GRID:
        if median(bound(case, np.random.default_rng(seed), draws) for seed in range(RUNS)) >= CLOSE * case.delta:
            return draws
    return math.inf


def audit_mechanism() -> list[Row]:
    """Ours beside a classifier's."""
    rows = []
    for case in CASES:
        ours, theirs = needed(case, audited), needed(case, classified)
        rows.append(
            at_most(
                f"{case.name}, ε = {case.epsilon}, δ = {case.delta:.4f}: draws of each world for a bound of 95 %",
                ours,
                1_000_000,
            )
        )
        rows.append(remark("the same by a classifier on half of them", f"{theirs:.3g} draws"))
    return rows
