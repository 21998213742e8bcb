"""Round after round: look for an event in the draws there are, draw more, bet on it.

Which pair of worlds is drawn from next is chosen like everything else from earlier draws alone, so that the search
costs nothing in confidence (`wealth`): the pair that may still be worth most goes next.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, final

from dalenius.audit.mechanism.events import Event, best_events, delta_worth, epsilon_worth
from dalenius.audit.mechanism.outputs import Outputs, joined
from dalenius.audit.mechanism.wealth import BEST, DeltaWealth, EpsilonWealth, Tally
from dalenius.basics.patience import Left, always

Draw: TypeAlias = Callable[[int, int], tuple[Outputs, Outputs]]  # of this pair, so many of each world

FIRST = 500  # draws of each world of a pair, before anything is bet
FEWEST = 2  # of them: one half to fit a score to, one to choose by
GROWTH = 0.3  # a round draws so much of what was drawn of the pair
KEPT = 400_000  # draws of a world that are kept to look for events in
NINE_IN_TEN = 1.29  # standard deviations of a normal number
CURIOUS = 2.0  # standard errors that are added to what a pair seems worth


@final
@dataclass(frozen=True, slots=True)
class Claim:
    """What is said of a mechanism: (ε, δ) for every pair of worlds that must look alike."""

    epsilon: float
    delta: float


@final
@dataclass(frozen=True, slots=True)
class Sighting:
    """An event that was bet on, and how often it came in the draws of that round, made after it was chosen."""

    pair: int
    event: Event
    draws: int
    tally: Tally


@final
@dataclass(frozen=True, slots=True)
class MechanismFound:
    """Lower bounds, each exceeded by the truth but for half the risk; how many draws of each world; the event that was
    bet on last.
    """

    claim: Claim
    delta: float
    epsilon: float
    draws: int
    rounds: int
    pairs: int
    untried: int
    seen: tuple[Sighting, ...]  # the last bets: against δ, against ε
    by_pair: tuple[float, ...]  # what each pair seemed worth, a guess
    power: float  # a δ that would have been refuted nine times in ten

    @property
    def refuted(self) -> bool:
        """Whether the claim is proved false."""
        return self.delta > self.claim.delta or self.epsilon > self.claim.epsilon

    @property
    def sighting(self) -> Sighting | None:
        """The last event of the bet that refutes the claim, or else of the one about δ."""
        if not self.seen:
            return None
        return self.seen[0] if self.delta > self.claim.delta or not self.refuted else self.seen[1]


@final
@dataclass
class _Pair:
    first: Outputs
    second: Outputs
    draws: int
    for_delta: tuple[Event, float]
    for_epsilon: tuple[Event, float]

    @property
    def hope(self) -> float:
        event = self.for_delta[0]
        spread = event.first * (1 - event.first) + event.second * (1 - event.second) + 1 / self.draws
        return self.for_delta[1] + CURIOUS * math.sqrt(spread / self.draws)


@final
@dataclass
class EventSearch:
    """An audit as it goes on. `risk`: that a bound is false; half of it for each of the two. `pairs`: how many pairs
    of worlds there are. `until_refuted`: whether to stop at the first refutation, or to go on for larger bounds.
    """

    draw: Draw
    pairs: int
    claim: Claim
    risk: float
    draws: int
    until_refuted: bool
    left: Left = always
    progress: Callable[[str, int, int], None] = lambda *_: None
    _known: dict[int, _Pair] = field(default_factory=dict)
    _spent: int = 0
    _rounds: int = 0
    _width: int = 0
    _seen: tuple[Sighting, ...] = ()

    def run(self) -> MechanismFound:
        """To the end of draws or of time, or to a refutation."""
        delta = DeltaWealth(self.claim.epsilon, risk=self.risk / 2, horizon=self.draws)
        epsilon = EpsilonWealth(self.claim.delta, risk=self.risk / 2, horizon=self.draws)
        for pair in range(self.pairs):
            rest = self.draws - self._spent
            if rest < FEWEST or (self._known and not self.left()):
                break
            self._meet(pair, min(FIRST, max(FEWEST, rest // (2 * (self.pairs - pair)))))
        while self._spent < self.draws and self.left():
            refuted = delta.refutes(self.claim.delta) or epsilon.refutes(self.claim.epsilon)
            if refuted and self.until_refuted:
                break
            self._round(delta, epsilon)
            self.progress("draws", self._spent, self.draws)
        return MechanismFound(
            self.claim,
            delta.lower,
            epsilon.lower,
            self._spent,
            self._rounds,
            len(self._known),
            self.pairs - len(self._known),
            self._seen,
            tuple(self._known[pair].for_delta[1] for pair in sorted(self._known)),
            self._power(delta),
        )

    def _meet(self, pair: int, count: int) -> None:
        """The first draws of a pair: nothing is bet on them."""
        first, second = self._drawn(pair, count)
        self._known[pair] = _Pair(first, second, count, *self._look(first, second, count))

    def _drawn(self, pair: int, count: int) -> tuple[Outputs, Outputs]:
        """More draws, as wide as any before, so that what was learnt speaks of them."""
        first, second = self.draw(pair, count)
        self._spent += count
        self._width = max(self._width, first.width, second.width)
        return first.widened(self._width), second.widened(self._width)

    def _look(self, first: Outputs, second: Outputs, count: int) -> tuple[tuple[Event, float], tuple[Event, float]]:
        claim, horizon = self.claim, self.draws
        first, second = first.widened(self._width), second.widened(self._width)
        for_delta, for_epsilon = best_events(
            first,
            second,
            [
                lambda seen: delta_worth(claim.epsilon, seen=seen, horizon=horizon),
                lambda seen: epsilon_worth(claim.delta, seen=seen, horizon=horizon),
            ],
        )
        return for_delta, for_epsilon

    def _round(self, delta: DeltaWealth, epsilon: EpsilonWealth) -> None:
        pair = max(self._known, key=lambda each: self._known[each].hope)
        held = self._known[pair]
        count = min(self.draws - self._spent, max(FIRST, math.ceil(GROWTH * held.draws)))
        first, second = self._drawn(pair, count)
        self._rounds += 1
        seen = []
        for wealth, (event, _) in ((delta, held.for_delta), (epsilon, held.for_epsilon)):
            one, two = event.holds(first), event.holds(second)
            tally = Tally.of(two, one) if event.swapped else Tally.of(one, two)
            wealth.bet(tally, event.first, event.second)
            seen.append(Sighting(pair, event, count, tally))
        self._seen = tuple(seen)
        held.first = joined([held.first, first]).part(slice(-KEPT, None))
        held.second = joined([held.second, second]).part(slice(-KEPT, None))
        held.draws += count
        held.for_delta, held.for_epsilon = self._look(held.first, held.second, held.draws)

    def _power(self, wealth: DeltaWealth) -> float:
        """A δ that would have been refuted nine times in ten, had any event with it been bet on in all draws.

        With stake λ over n draws the logarithm of the wealth is about n (λ (δ - m) - λ² V / 2), up to a normal error of
        standard deviation λ √(n V); at its best λ it reaches the bar where δ - m = (√(2 bar) + 1.29) √(V / n). V is
        largest for events of about even odds; rarer ones are seen sooner.
        """
        if not self._rounds:
            return 1.0
        shares = [share / 200 for share in range(201)]
        spread = max(
            wealth.variance(min(1.0, wealth.ratio * share + self.claim.delta), share)
            for share in shares
            if wealth.ratio * share <= 1
        )
        loss = math.sqrt(2 * (wealth.bar - math.log(BEST))) + NINE_IN_TEN
        return min(1.0, self.claim.delta + loss * math.sqrt(max(spread, 1 / self._spent) / self._spent))
