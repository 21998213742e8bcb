"""Noise for records that move together: how much of it hides one record of a Markov chain, three ways.

- `wasserstein`: the two laws of the figure, given X_i = a and given X_i = b, can be coupled within W units, so noise
  for a figure that one person moves by W is enough.
- `markov_quilt`: far records hardly know of X_i; near ones are taken to move with it. It needs no law of the figure, so
  it is for long chains.
- `least_noise`: the least scale that is enough for exactly this model, by the ratio of the laws of the noisy figure.

All give two-sided geometric noise on whole units. Laplace noise of the same scale gives the same ε. The first and the
last promise nothing about several releases; quilts compose if each record keeps its quilt.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import final

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.markov import Markov
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.formats import nearly, raised
from dalenius.facts.records import Number, exact
from dalenius.facts.statistics import Statistic
from dalenius.mechanisms.channel import TwoSidedGeometric
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.numerics.chain import MarkovChain, afters, befores, reduced, world
from dalenius.numerics.law import Law
from dalenius.numerics.least import climb, least
from dalenius.numerics.quilts import Influences, Quilt, best_scale
from dalenius.numerics.wasserstein import distance, exact_distance, smoothed

MOST_WORK = 10_000_000_000  # additions for the laws of all records: 3,000 of two values
MOST_SMOOTHED = 1_500_000_000  # the same, where the laws are smoothed again and again
EXACT = 400  # records up to which ties are decided in whole numbers
STEPS = 60
CLOSE = Fraction(1, 10**7)


@final
@dataclass(frozen=True, slots=True)
class HiddenFact:
    """Noise that hides every record of a chain: its scale, in units of the figure, and why it is enough."""

    statistic: Statistic
    epsilon: Fraction
    scale: Fraction
    attacker: str
    because: str
    proved: bool = True  # by a theorem, not by computing the laws of the noisy figure

    @property
    def mechanism(self) -> Mechanism:
        """The figure plus two-sided geometric noise of this scale."""
        return Mechanism(self.statistic, (TwoSidedGeometric(self.scale),))

    def __str__(self) -> str:
        noise = f"two-sided geometric noise of scale {raised(self.scale)}"
        return f"{noise} for ε = {float(self.epsilon):g}: {self.because}"


# -- Wasserstein ------------------------------------------------------------------------------------------------------


def wasserstein_distance(beliefs: Markov | Sequence[Markov], statistic: Statistic) -> tuple[int, int]:
    """How far, in units of the figure, its laws given two values of a record are apart, at worst over records, values
    and beliefs: at least, at most. They agree, but for chains of more than 400 records whose sums nearly tie.

    Cost: a convolution for each record and value.

    >>> import dalenius as dl
    >>> chain = dl.Markov(start={0: "2/3", 1: "1/3"}, moves={0: {0: 0.9, 1: 0.1}, 1: {0: 0.2, 1: 0.8}}, n=100)
    >>> dl.mechanisms.wasserstein_distance(chain, dl.Count())
    (6, 6)
    """
    low = high = 0
    for belief in _listed(beliefs):
        chain, step = _chain(belief, statistic)
        for record, laws in enumerate(_laws(chain)):
            for (one, p), (two, q) in combinations(laws, 2):
                least, most = distance(p, q)
                if most * step > max(high, least * step) and chain.n <= EXACT:  # two sums nearly tie
                    least = most = exact_distance(*(exact_law(chain, record, state) for state in (one, two)))
                low, high = max(low, least * step), max(high, most * step)
    return low, high


def wasserstein(beliefs: Markov | Sequence[Markov], statistic: Statistic, *, epsilon: Number) -> HiddenFact:
    """The Wasserstein mechanism: noise of scale W/ε, for a finite set of chains.

    Proof. Couple the two laws so that the figures differ by at most W; noise of scale W/ε then has masses within e^ε.

    >>> import dalenius as dl
    >>> chain = dl.Markov(start={0: "2/3", 1: "1/3"}, moves={0: {0: 0.9, 1: 0.1}, 1: {0: 0.2, 1: 0.8}}, n=100)
    >>> dl.mechanisms.wasserstein(chain, dl.Count(), epsilon=1).scale
    Fraction(6, 1)
    """
    at = _level(epsilon)
    far = max(1, wasserstein_distance(beliefs, statistic)[1])
    return HiddenFact(
        statistic,
        at,
        far / at,
        _told(beliefs),
        f"laws of the figure given two values of a record are within {far} units",
    )


# -- quilts -----------------------------------------------------------------------------------------------------------


def markov_quilt(beliefs: Markov | Sequence[Markov], statistic: Statistic, *, epsilon: Number) -> HiddenFact:
    """The Markov quilt mechanism, for a finite set of chains of one length. Cost O(n), and O(card²) near the ends.

    >>> import dalenius as dl
    >>> chain = dl.Markov(start={0: "2/3", 1: "1/3"}, moves={0: {0: 0.9, 1: 0.1}, 1: {0: 0.2, 1: 0.8}}, n=100)
    >>> print(round(float(dl.mechanisms.markov_quilt(chain, dl.Count(), epsilon=1).scale), 2))
    22.3
    """
    at, quilt = _level(epsilon), quilt_of(beliefs, epsilon=epsilon)
    adds = [statistic.contribution(state) for belief in _listed(beliefs) for state in belief.states]
    moved = max(adds) - min(adds)
    if not moved:
        raise InputError(f"Noise is for a figure that records can change, but none changes {statistic}. Publish it.")
    return HiddenFact(
        statistic,
        at,
        moved * quilt.scale,
        _told(beliefs),
        f"{quilt}, influence {nearly(quilt.influence)}, {quilt.card} records",
    )


def quilt_of(beliefs: Markov | Sequence[Markov], *, epsilon: Number) -> Quilt:
    """The best quilt found of the record that needs the most noise; its scale is in units of what a record changes."""
    listed = _listed(beliefs)
    return best_scale([Influences(belief.start, belief.moves, belief.n) for belief in listed], _level(epsilon))


# -- the least noise --------------------------------------------------------------------------------------------------


def exact_epsilon(beliefs: Markov | Sequence[Markov], statistic: Statistic, *, scale: Number) -> Bracket:
    """The ε that geometric (or Laplace) noise of this scale gives, at worst over records, values and beliefs.

    >>> import dalenius as dl
    >>> chain = dl.Markov(start={0: "2/3", 1: "1/3"}, moves={0: {0: 0.9, 1: 0.1}, 1: {0: 0.2, 1: 0.8}}, n=20)
    >>> print(dl.mechanisms.exact_epsilon(chain, dl.Count(), scale=6))
    [0.9521, 0.9522]
    """
    at = exact(scale, name="scale")
    require(at > 0, "a scale above 0", got=scale)
    return _loss(_everything(beliefs, statistic), at)


def least_noise(
    beliefs: Markov | Sequence[Markov], statistic: Statistic, *, epsilon: Number
) -> tuple[HiddenFact, Bracket]:
    """The least noise for exactly these models, and a bracket of its scale.

    Wider noise is narrower noise plus more, so ε falls with the scale, and bisection finds it. Cost: the laws, then
    some 40 smoothings of all of them.

    >>> import dalenius as dl
    >>> chain = dl.Markov(start={0: "2/3", 1: "1/3"}, moves={0: {0: 0.9, 1: 0.1}, 1: {0: 0.2, 1: 0.8}}, n=20)
    >>> hidden, scale = dl.mechanisms.least_noise(chain, dl.Count(), epsilon=1)
    >>> print(scale)
    [5.714, 5.715]
    """
    at, worlds = _level(epsilon), _everything(beliefs, statistic)
    doubling = climb(Fraction(1), lambda scale: 2 * scale, lambda _: False)
    top = next(scale for scale in doubling if _loss(worlds, scale).upper <= at)
    upper = _bisected(lambda scale: _loss(worlds, scale).upper <= at, top)[1]
    lower = _bisected(lambda scale: _loss(worlds, scale).lower <= at, upper)[0]
    because = "computed from the laws of the noisy figure given each value of each record"
    return HiddenFact(statistic, at, upper, _told(beliefs), because, proved=False), around(lower, upper)


def _bisected(holds: Callable[[Fraction], bool], top: Fraction) -> tuple[Fraction, Fraction]:
    """Two scales, close to each other, at the second of which it holds, and not at the first (or it is 0)."""
    return least(
        holds,
        Fraction(0),
        top,
        middle=lambda low, high: Fraction(float((low + high) / 2)),
        close=lambda low, high: high - low <= CLOSE * high,
        steps=STEPS,
    )


def _everything(beliefs: Markov | Sequence[Markov], statistic: Statistic) -> list[tuple[int, list[Law]]]:
    """The step of the lattice and the laws of each record of each belief."""
    found = []
    for belief in _listed(beliefs):
        chain, step = _chain(belief, statistic, MOST_SMOOTHED)
        found += [(step, [law for _, law in laws]) for laws in _laws(chain)]
    return found


def _loss(worlds: Sequence[tuple[int, list[Law]]], scale: Fraction) -> Bracket:
    """The largest logarithm of a ratio of two laws of the noisy figure, which lies at a point of the lattice."""
    worst = Bracket(0.0, 0.0)
    for step, laws in worlds:
        if len(laws) < 2:
            continue
        least, most = smoothed(laws, scale=float(scale / step))
        few, many = Balls.of(least).log(), Balls.of(most).log()
        for one, two in combinations(range(len(laws)), 2):
            for a, b in ((one, two), (two, one)):
                lower, upper = float((few[a] - many[b]).lower.max()), float((many[a] - few[b]).upper.max())
                worst = worst.join(Bracket(max(0.0, lower), max(upper, 0.0)))
    return worst


# -- laws -------------------------------------------------------------------------------------------------------------


def _chain(belief: Markov, statistic: Statistic, most: int = MOST_WORK) -> tuple[MarkovChain, int]:
    """The chain of what records add, as (figure - least) / step, and the step."""
    live = [state for state in range(len(belief.states)) if _possible(belief, state)]
    adds, _, step = reduced([statistic.contribution(belief.states[state]) for state in live])
    start = tuple(belief.start[state] for state in live)
    moves = tuple(tuple(belief.moves[one][two] for two in live) for one in live)
    chain = MarkovChain(start, moves, adds, belief.n)
    work = chain.size * chain.n * (chain.highest + 1) ** 2 // 6
    require(
        work <= most,
        f"a chain whose laws take at most {most} additions",
        got=work,
        remedy="Use fewer records or a coarser unit, or markov_quilt(...), which is made for long chains.",
    )
    return chain, step


def _laws(chain: MarkovChain) -> Iterator[list[tuple[int, Law]]]:
    """For each record its possible values and the laws of the sum given each, without tails: every outcome counts."""
    rights = list(afters(chain))
    for before, weights, after in zip(befores(chain), chain.weights(), reversed(rights), strict=True):
        yield [(state, world(before, after, state, chain)) for state, weight in enumerate(weights) if weight]


def exact_law(chain: MarkovChain, record: int, state: int) -> dict[int, Fraction]:
    """The law of the sum given the value of one record (counted from 0), in whole numbers. Cost O(n² states²)."""
    moves, scale = chain.whole_moves(), math.lcm(*(chance.denominator for chance in chain.start))
    ways = [{add: int(chance * scale)} for add, chance in zip(chain.adds, chain.start, strict=True)]
    for place in range(chain.n):
        if place:
            ways = [_moved(ways, [row[two] for row in moves], add) for two, add in enumerate(chain.adds)]
        if place == record:
            ways = [way if one == state else {} for one, way in enumerate(ways)]
    counts: dict[int, int] = {}
    for way in ways:
        for total, count in way.items():
            counts[total] = counts.get(total, 0) + count
    whole = sum(counts.values())
    return {total: Fraction(count, whole) for total, count in counts.items() if count}


def _moved(ways: list[dict[int, int]], chances: list[int], add: int) -> dict[int, int]:
    """The ways to be in a state one record later, by what has been added."""
    found: dict[int, int] = {}
    for way, chance in zip(ways, chances, strict=True):
        if chance:
            for total, count in way.items():
                found[total + add] = found.get(total + add, 0) + count * chance
    return found


def _possible(belief: Markov, state: int) -> bool:
    """Whether some record may have this value."""
    found, fresh = set[int](), {one for one, chance in enumerate(belief.start) if chance}
    while fresh:
        found |= fresh
        fresh = {two for one in fresh for two, chance in enumerate(belief.moves[one]) if chance} - found
    return state in found


def _listed(beliefs: object) -> list[Markov]:
    given = list(beliefs) if isinstance(beliefs, list | tuple) else [beliefs]
    found = [belief for belief in given if isinstance(belief, Markov)]
    require(
        len(found) == len(given) > 0,
        "one Markov chain, or a list of them",
        got=[type(belief).__name__ for belief in given],
        remedy="Describe the records by Markov(...).",
    )
    require(
        not any(belief.known or belief.settled for belief in found),
        "chains of which nobody knows a record, for the value of any record",
        got=f"{max(belief.known for belief in found)} known records, or a stated target",
        remedy="This noise is not proved against whoever knows some; judge the figure itself with verify(...).",
    )
    require(
        not any(belief.fitted for belief in found),
        "chains that were stated, not fitted to the confidential data",
        got="a fitted one",
        remedy="Take them from a public source: noise that is chosen by the data proves nothing.",
    )
    require(
        len({(belief.n, belief.states) for belief in found}) == 1,
        "chains of one length and with the same values",
        got=sorted({(belief.n, len(belief.states)) for belief in found}),
        remedy="Pad the shorter ones, and list the values in the same order.",
    )
    return found


def _told(beliefs: Markov | Sequence[Markov]) -> str:
    found = _listed(beliefs)
    return str(found[0]) if len(found) == 1 else f"one of {len(found)} chains, each {found[0]}"


def _level(epsilon: Number) -> Fraction:
    at = exact(epsilon, name="epsilon")
    require(at > 0, "epsilon above 0", got=epsilon, remedy="Typical values are 0.1 to 2.")
    return at
