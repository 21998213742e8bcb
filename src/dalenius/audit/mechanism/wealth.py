r"""What draws of a mechanism prove: lower bounds on δ and on ε, valid at whatever time one looks.

A mechanism keeps (ε, δ) for a pair of worlds if P(S) ≤ e^ε Q(S) + δ for every event S. Draw a pair of outputs, one of
each world, and let Z = [x ∈ S] − e^ε [y ∈ S]: its mean is P(S) − e^ε Q(S), so at most δ whatever S is.

**The bet.** Before each pair is drawn, the pair of worlds, the event S and a stake λ in [0, 1 / (1 + e^ε)] are chosen,
from earlier draws alone. The wealth is multiplied by 1 + λ (Z − m).

**Theorem.** If δ(ε) ≤ m for every pair of worlds that may be drawn from, then the wealth ever reaches 1/r with
probability at most r. *Proof.* A factor is at least 1 − λ (e^ε + m) ≥ 0, and given all earlier draws its mean is
1 + λ (P(S) − e^ε Q(S) − m) ≤ 1. So the wealth is a nonnegative supermartingale that begins at 1; by Ville's inequality
it ever reaches 1/r with probability at most r. A mean of several such wealths is one, too. ∎

So nothing else is paid for: not for looking often, nor for stopping early, nor for searching among events and pairs of
worlds. What was searched was searched in draws that the bet does not count.

**Lower bound on δ.** Stakes do not depend on m and each factor falls with m, so the wealth falls with m. Let L be the
largest m at which it ever reached 1/r. If L were above δ(ε), it would have reached 1/r at m = δ(ε), too: probability
at most r.

**Lower bound on ε** for a given δ. The same with m = δ, and ε unknown: each factor falls with ε as long as
λ (e^ε + δ) ≤ 1; beyond, the wealth counts as 0. So it falls with ε, and the largest ε at which it ever reached 1/r
exceeds the true one with probability at most r.

Rounding: a logarithm of the wealth is a sum of at most some thousands of products, each to within a few units in the
last place of numbers below 10^9: no bet loses more than `ALL` of the money, since the logarithm of next to nothing
would magnify what rounding does to it. `SLACK` is more than that, and must be exceeded as well.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import require
from dalenius.enclosure.outward import exp_up, lowered
from dalenius.numerics.least import halfway, least

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

SLACK = 1e-4  # of a logarithm of the wealth
ALL = 0.999999  # of the money: a bet of more than this share is none
HALVINGS = 60  # of a bisection
FIXED = 12  # stakes that never change, each half of the one before
BEST = 0.75  # of the money, on the stake that is best at the last draw
LARGEST_EPSILON = 40.0  # that is ever looked for


@final
@dataclass(frozen=True, slots=True)
class Tally:
    """Pairs of draws of one round: in the event in both worlds, in the first alone, in the second alone, in neither."""

    both: int
    first: int
    second: int
    neither: int

    @classmethod
    def of(cls, first: Flags, second: Flags) -> "Tally":
        """The k-th draw of one world beside the k-th of the other."""
        require(len(first) == len(second), "as many draws of one world as of the other", got=(len(first), len(second)))
        both = int(np.count_nonzero(first & second))
        one, other = int(np.count_nonzero(first)) - both, int(np.count_nonzero(second)) - both
        return cls(both, one, other, len(first) - both - one - other)


@final
class DeltaWealth:
    """Bets against "δ at this ε is at most m", for all m at once; `risk` is the probability of a false bound.

    Most of the money is on the stake that is best at the last draw, if the event is as good as it seems; the rest on
    stakes that never change, so that what is plain is seen early.
    """

    def __init__(self, epsilon: float, *, risk: float, horizon: int) -> None:
        self.ratio = exp_up(epsilon)  # rounded up: a larger ratio makes every factor smaller
        self.bar = -math.log(risk) + SLACK
        self.horizon = horizon
        self.most = lowered(ALL / (1 + self.ratio), 1000)
        self.fixed = self.most * 0.5 ** np.arange(FIXED)
        self.shares = np.concatenate([[BEST], np.full(FIXED, (1 - BEST) / FIXED)])
        self.rounds: list[tuple[Tally, Floats]] = []
        self.lower = 0.0

    def variance(self, first: float, second: float) -> float:
        """Of Z, for an event that has these probabilities."""
        return first * (1 - first) + self.ratio**2 * second * (1 - second)

    def bet(self, tally: Tally, first: float, second: float) -> None:
        """One round. `first` and `second` are what earlier draws say of the event's probabilities; a wrong guess costs
        power and nothing else.
        """
        spread = max(self.variance(first, second), 1e-9)
        best = min(self.most, math.sqrt(2 * (self.bar - math.log(BEST)) / (self.horizon * spread)))
        self.rounds.append((tally, np.concatenate([[best], self.fixed])))
        self.lower = max(self.lower, self._bound())

    def log_wealth(self, m: float) -> float:
        """At this m."""
        if not self.rounds:
            return 0.0
        logs = np.log(self.shares)
        for tally, stakes in self.rounds:
            gains = (
                (1 - self.ratio, tally.both),
                (1.0, tally.first),
                (-self.ratio, tally.second),
                (0.0, tally.neither),
            )
            for gain, times in gains:
                if times:
                    logs = logs + times * np.log1p(stakes * (gain - m))
        return _log_sum(logs)

    def refutes(self, m: float) -> bool:
        """Whether it is now proved that δ is above m."""
        return self.lower > m

    def _bound(self) -> float:
        """The largest m at which the wealth is above the bar; 0 if there is none."""
        return _last(lambda m: self.log_wealth(m) >= self.bar, self.lower, 1.0)


@final
class EpsilonWealth:
    """Bets against "ε at this δ is at most so much", for all ε at once."""

    def __init__(self, delta: float, *, risk: float, horizon: int) -> None:
        self.delta = delta
        self.bar = -math.log(risk) + SLACK
        self.horizon = horizon
        self.parts = np.array([0.999, 0.5, 0.25, 0.1, 0.04, 0.01, 0.003])
        self.shares = np.concatenate([[BEST], np.full(len(self.parts), (1 - BEST) / len(self.parts))])
        self.rounds: list[tuple[Tally, Floats]] = []
        self.lower = 0.0

    def bet(self, tally: Tally, first: float, second: float) -> None:
        """One round, as of `DeltaWealth`."""
        # The ε that the event would show if its probabilities were these; a little more leaves room.
        ratio = min(max((first - self.delta) / max(second, 1e-12), 1.0), math.exp(LARGEST_EPSILON))
        # With a stake of 1/ratio, hits alone win the bet if there are ratio times the bar of them; so no more is hoped.
        ratio = min(ratio, max(1.0, self.horizon * max(first - self.delta, 0.0) / (1.5 * self.bar)))
        most = 1 / (self.delta + ratio * 1.05)
        spread = max(first * (1 - first) + ratio**2 * second * (1 - second), 1e-12)
        best = min(0.999 * most, math.sqrt(2 * (self.bar - math.log(BEST)) / (self.horizon * spread)))
        self.rounds.append((tally, np.concatenate([[best], most * self.parts])))
        self.lower = max(self.lower, self._bound())

    def log_wealth(self, epsilon: float) -> float:
        """At this ε."""
        ratio = exp_up(epsilon)
        logs = np.log(self.shares)
        for tally, stakes in self.rounds:
            logs = np.where(stakes * (ratio + self.delta) < ALL, logs, -np.inf)
            held = np.minimum(stakes, ALL / (ratio + self.delta))  # only so that logarithms exist
            gains = ((1 - ratio, tally.both), (1.0, tally.first), (-ratio, tally.second), (0.0, tally.neither))
            for gain, times in gains:
                if times:
                    logs = logs + times * np.log1p(held * (gain - self.delta))
        return _log_sum(logs)

    def refutes(self, epsilon: float) -> bool:
        """Whether it is now proved that ε is above this."""
        return self.lower > epsilon

    def _bound(self) -> float:
        return _last(lambda epsilon: self.log_wealth(epsilon) >= self.bar, self.lower, LARGEST_EPSILON)


def _log_sum(logs: Floats) -> float:
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).sum())) if top > -math.inf else -math.inf


def _last(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The last place where a condition that stops somewhere still holds; `low` if it does not hold there."""
    if not holds(low):
        return low
    return least(lambda at: not holds(at), low, high, middle=halfway, steps=HALVINGS)[0]
