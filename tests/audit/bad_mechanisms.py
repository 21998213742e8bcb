"""Mechanisms that do not keep what is claimed of them, each in a way that is known; and some that do.

Each takes its dice, a numpy generator, so that a test is the same each time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

import dalenius as dl
from dalenius.data import InBatches
from dalenius.desk.audit.mechanisms import MechanismAudit


@dataclass(frozen=True)
class Case:
    """A release made of dice, the pairs to try or the definition, and what is claimed."""

    name: str
    release: Callable[[np.random.Generator], Any]
    claim: dict[str, Any]
    pairs: Sequence[tuple[Any, Any]] | None = None
    definition: object = field(default=None)

    def audit(self, seed: int, **options: Any) -> MechanismAudit:
        """With dice from a seed."""
        release = self.release(np.random.default_rng(seed))
        return dl.audit_mechanism(release, self.pairs, definition=self.definition, **{**self.claim, **options})


def geometric(dice: np.random.Generator, epsilon: float, count: int) -> Any:
    """Two-sided geometric noise that gives ε for a step of one."""
    chance = 1 - np.exp(-epsilon)
    return dice.geometric(chance, count) - dice.geometric(chance, count)


STOPPED = -99


def sparse(
    dice: np.random.Generator,
    of_threshold: float,
    of_query: float | None,
    most: int,
    *,
    told: bool = False,
) -> InBatches:
    """The sparse-vector technique with noise of the ε's given, for the threshold 0: which queries are above it, up to
    `most` of them, or with their noisy values.
    """

    def answers(queries: Sequence[int], draws: int) -> Any:
        bar = geometric(dice, of_threshold, draws)[:, None]
        noisy = np.array(queries) + np.zeros((draws, 1), dtype=np.int64)
        if of_query is not None:
            noisy = noisy + geometric(dice, of_query, draws * len(queries)).reshape(draws, -1)
        above = noisy >= bar
        asked = np.cumsum(above, axis=1) - above < most
        return np.where(asked, np.where(above, noisy if told else 1, STOPPED + 1), STOPPED)

    return InBatches(answers)


UP_AND_DOWN = ([1] * 10 + [0] * 10, [0] * 10 + [1] * 10)


def mean_of_secret_size(dice: np.random.Generator) -> Callable[[list[int]], float]:
    """A noisy sum is divided by how many there are, which nobody may know."""
    return lambda data: round((sum(data) + int(geometric(dice, 1.0, 1)[0])) / len(data), 3)


def zeros_shown(dice: np.random.Generator) -> InBatches:
    """Noisy counts below 3 are hidden, but a true zero is shown as it is."""

    def counts(count: int, draws: int) -> Any:
        noisy = count + geometric(dice, 1.0, draws)
        return np.where(count == 0, 0, np.where(noisy < 3, -1, noisy))

    return InBatches(counts)


def exact_count(_: np.random.Generator) -> Callable[[Any], int]:
    return lambda people: int(people.sum())


def too_optimistic() -> dict[str, Any]:
    """What is true of an exact count for an attacker who knows nobody, where half are known."""
    told = dl.verify(dl.Count(), dl.noiseless(dl.IID(p="0.3", n=60)), epsilon="0.5")
    return {"epsilon": "0.5", "delta": told.delta.upper}


BAD = [
    Case(
        "half the scale",
        lambda dice: InBatches(lambda count, draws: count + geometric(dice, 1.0, draws)),
        {"epsilon": "0.5", "delta": "1e-6"},
        [(0, 1)],
    ),
    Case(
        "Laplace noise in floating point",
        lambda dice: InBatches(lambda count, draws: count + dice.laplace(0, 1, draws)),
        {"epsilon": 1, "delta": "1e-6"},
        [(0.0, 1.0)],
    ),
    Case(
        "Gaussian noise of too small a scale",
        lambda dice: InBatches(lambda count, draws: np.round((count + dice.normal(0, 3.0, draws)) * 2**20)),
        {"epsilon": "0.5", "delta": "1e-3"},
        [(0.0, 1.0)],
    ),
    Case(
        "sparse vector: no noise for queries",
        lambda dice: sparse(dice, 0.5, None, 99),
        {"epsilon": 1, "delta": "1e-6"},
        [UP_AND_DOWN],
    ),
    Case(
        "sparse vector: no limit on yes",
        lambda dice: sparse(dice, 0.5, 0.5, 99),
        {"epsilon": 1},
        [UP_AND_DOWN],
    ),
    Case(
        "sparse vector: the noisy query is told",
        # worked out from the laws: δ is 0.0098 at ε = 4
        lambda dice: sparse(dice, 2.0, 1.0, 1, told=True),
        {"epsilon": 4},
        [([0] * 4 + [1], [1] * 4 + [0])],
    ),
    Case(
        "sparse vector: noise for one yes, ten given",
        lambda dice: sparse(dice, 0.25, 0.75, 10),
        {"epsilon": 1},
        [UP_AND_DOWN],
    ),
    Case(
        "a mean whose size is secret",
        mean_of_secret_size,
        {"epsilon": 1, "delta": "1e-6"},
        [([1, 0, 0, 0], [1, 0, 0, 0, 0]), ([1] * 4, [1] * 5)],
    ),
    Case("a threshold that shows zeros", zeros_shown, {"epsilon": 1, "delta": "1e-6"}, [(0, 1), (1, 2)]),
    Case(
        "an exact count, for a belief that is too optimistic",
        exact_count,
        too_optimistic(),
        definition=dl.noiseless(dl.IID(p="0.3", n=60, known=30)),
    ),
]


def normal_delta(scale: float, epsilon: float) -> float:
    """Of Gaussian noise, for a step of one (Balle and Wang 2018, Theorem 8)."""
    half, far = 1 / (2 * scale), epsilon * scale
    return float(stats.norm.cdf(half - far) - np.exp(epsilon) * stats.norm.cdf(-half - far))


def binomial_delta(people: int, rate: float, epsilon: float) -> float:
    """Of an exact count of independent people, the worse way round."""
    chances = stats.binom.pmf(np.arange(people), people - 1, rate)
    without, beside = np.append(chances, 0.0), np.insert(chances, 0, 0.0)
    ways = ((without, beside), (beside, without))
    return max(float(np.maximum(one - np.exp(epsilon) * other, 0).sum()) for one, other in ways)


def geometric_delta(true: float, epsilon: float) -> float:
    """Of two-sided geometric noise that gives ε = `true`, at a smaller ε."""
    noise = np.exp(-true * np.abs(np.arange(-2000, 2001)))
    noise /= noise.sum()
    return float(np.maximum(noise[1:] - np.exp(epsilon) * noise[:-1], 0).sum())


def count_of(people: int, rate: float) -> Callable[[np.random.Generator], InBatches]:
    """An exact count, drawn at once: the target's answer beside those of the others."""
    return lambda dice: InBatches(lambda fact, draws: fact + dice.binomial(people - 1, rate, draws))


TRUE = [
    Case(
        "geometric noise",
        lambda dice: InBatches(lambda count, draws: count + geometric(dice, 1.0, draws)),
        {"epsilon": "0.5", "delta": geometric_delta(1.0, 0.5)},
        [(0, 1)],
    ),
    Case(
        "geometric noise, at its ε",
        lambda dice: InBatches(lambda count, draws: count + geometric(dice, 1.0, draws)),
        {"epsilon": 1, "delta": 0},
        [(0, 1), (3, 2), (10, 9)],
    ),
    Case(
        "Gaussian noise, on a grid",
        lambda dice: InBatches(lambda count, draws: np.round((count + dice.normal(0, 2.0, draws)) * 2**20)),
        # the mass that rounding to a grid of 2^-20 may move is below the seventh digit
        {"epsilon": "0.25", "delta": normal_delta(2.0, 0.25) + 1e-7},
        [(0.0, 1.0)],
    ),
    Case("an exact count", count_of(40, 0.5), {"epsilon": "0.1", "delta": binomial_delta(40, 0.5, 0.1)}, [(0, 1)]),
    Case(
        "sparse vector, as it is proved",
        lambda dice: sparse(dice, 0.5, 0.25, 1),
        {"epsilon": 1, "delta": 0},
        [UP_AND_DOWN],
    ),
]
