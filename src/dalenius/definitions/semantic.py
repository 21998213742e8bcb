"""Semantic privacy on finite worlds: what is believed after the real release, and after a release without one record.

Kasiviswanathan and Smith, "A Note on Differential Privacy: Defining Resistance to Arbitrary Side Information", play
n + 1 games. In Game 0 the attacker sees A(x); in Game i they see A(x_-i), where record i was replaced by a default. A
belief b over datasets becomes b(x | t) in each game, by Bayes' rule with that game's likelihood. Privacy means that
the belief of Game 0 and that of Game i are close in statistical distance, for every record i.

An undefined posterior (the transcript is impossible in that game) is a failure at every level, a distance of infinity:
without this the converse theorems are false. Auxiliary information z: use `belief.given(belief.side_is(z))`.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.beliefs.finite import Dataset, Finite, Number, replaced
from dalenius.errors import InputError, require
from dalenius.mechanisms.finite import ROUNDING, FiniteMechanism
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.outcomes import Masses, Outcomes, both_ratios, both_ways, fractions, is_exact, total
from dalenius.records import exact

Release: TypeAlias = Callable[[Dataset], Mapping[Hashable, Number]]
NOTHING = Bracket(0.0, 0.0)
NEVER = Bracket(math.inf, math.inf)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Games:
    """A belief with the real release and, for each record, the release without that record.

    All mechanisms have the same outputs, and one state for each dataset of the belief, in its order.
    """

    belief: Finite
    real: FiniteMechanism
    without: tuple[FiniteMechanism, ...]

    def __post_init__(self) -> None:
        require(self.belief.n > 0, "datasets with at least one record", got=self.belief.n)

    @classmethod
    def of(cls, release: Release, belief: Finite, *, default: Hashable) -> "Games":
        """From a function that gives the probabilities of the outputs on any dataset, the default included.

        >>> coin = Finite.product([{0: "1/2", 1: "1/2"}])
        >>> print(largest_shift(Games.of(lambda x: {x[0]: "3/4", 1 - x[0]: "1/4"}, coin, default=0)).size)
        0.25
        """
        every = list(dict.fromkeys(row for rows in _inputs(belief, default) for row in rows))
        somewhere = Finite.table({row: Fraction(not place) for place, row in enumerate(every)})
        return cls._played(belief, FiniteMechanism.random(release, somewhere), every, default)

    @classmethod
    def on(cls, belief: Finite, mechanism: FiniteMechanism, *, default: Hashable) -> "Games":
        """From a mechanism on the datasets of the belief, which must contain each dataset with the default put in."""
        return cls._played(belief, mechanism, list(belief.datasets()), default)

    @classmethod
    def _played(cls, belief: Finite, mechanism: FiniteMechanism, on: list[Dataset], default: Hashable) -> "Games":
        places = {row: place for place, row in enumerate(on)}
        inputs = _inputs(belief, default)
        missing = next((row for rows in inputs for row in rows if row not in places), None)
        if missing is not None:
            raise InputError(
                f"Every dataset with a record replaced by {default!r} must be listed in the belief, but {missing} is "
                "not. List it with probability 0, or use Games.of with a function."
            )
        states = (mechanism.state[[places[row] for row in rows]] for rows in inputs)
        real, *without = (FiniteMechanism(mechanism.outputs, state, mechanism.rows) for state in states)
        return cls(belief, real, tuple(without))

    def under(self, prior: Finite) -> "Games":
        """The same games for another belief over these datasets."""
        return Games(self.belief.weighed_by(prior), self.real, self.without)

    def chances(self) -> Masses:
        """How likely the belief holds each transcript of the real release."""
        law = self.real.law(self.belief, np.ones(self.belief.size, dtype=bool))
        return fractions([]) if law is None else law.mass

    def posteriors(self, transcript: Hashable, record: int) -> tuple[Masses | None, Masses | None]:
        """What is believed of each dataset after the transcript, in Game 0 and in the game without the record; None
        where the transcript is impossible.
        """
        require(transcript in self.real.outputs, f"one of the transcripts {self.real.outputs}", got=transcript)
        place = self.real.outputs.index(transcript)
        return self.real.posterior(self.belief, place), self.without[record].posterior(self.belief, place)


class _Spread(NamedTuple):
    """The largest over the least ratio, whether it stands for an undefined posterior, and the datasets of the two."""

    ratio: Fraction | float
    undefined: bool
    high: int
    low: int


@final
@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """The largest distance between the two beliefs, and where: the record, the transcript and the prior belief.

    `ratio` is the supremum of the beliefs' log ratio. An infinite size: the transcript cannot occur without the record.
    """

    size: Bracket
    ratio: Bracket
    record: int
    transcript: Hashable
    prior: Finite


# -- for a given belief ----------------------------------------------------------------------------------------------


def distances(games: Games) -> list[list[Fraction | float]]:
    """For each record and transcript the statistical distance of the two beliefs; infinite if one is undefined."""
    return [[_distance(*games.posteriors(t, record)) for t in games.real.outputs] for record in range(games.belief.n)]


def largest_shift(games: Games) -> Shift:
    """Definition 2.1 at this belief: the worst transcript that can occur, and the worst record."""
    possible = [place for place, chance in enumerate(games.chances().tolist()) if chance > 0]
    table = distances(games)
    size, record, place = max((row[place], record, place) for record, row in enumerate(table) for place in possible)
    return Shift(_around(size), largest_ratio(games), record, games.real.outputs[place], games.belief)


def largest_ratio(games: Games) -> Bracket:
    """The largest log ratio of the two beliefs, over transcripts that can occur and records (fundamentals, Theorem
    4.1: at most 2ε under ε-differential privacy); infinite if the belief without the record is undefined.
    """
    worst = NOTHING
    possible = [output for output, chance in zip(games.real.outputs, games.chances().tolist(), strict=True) if chance]
    for output, record in itertools.product(possible, range(games.belief.n)):
        real, other = games.posteriors(output, record)
        if real is None or other is None:
            return NEVER
        error = 0.0 if is_exact(real) and is_exact(other) else ROUNDING
        worst = worst.join(both_ratios(Outcomes(real, error), Outcomes(other, error)))
    return worst


def failure(games: Games, epsilon: Number) -> Bracket:
    """Definition 2.3 at this belief: the chance of a transcript at which a record shifts it by more than epsilon."""
    return _failing(games.chances(), distances(games), exact(epsilon, name="epsilon"))


def oblivious_failure(games: Games, epsilon: Number, realities: Iterable[Dataset] | None = None) -> Bracket:
    """Definition A.1 at this belief: the same when the true dataset is any of `realities` (all listed ones unless
    said), whatever the belief says about it. A transcript that the belief holds impossible is a failure.
    """
    places = {row: place for place, row in enumerate(games.belief.datasets())}
    table, level, worst = distances(games), exact(epsilon, name="epsilon"), NOTHING
    for reality in places if realities is None else realities:
        require(reality in places, "a dataset of the games", got=reality, remedy="List it in the belief.")
        worst = worst.join(_failing(games.real.row(places[reality]), table, level))
    return worst


# -- over all beliefs ------------------------------------------------------------------------------------------------


def worst_shift(games: Games) -> Shift:
    r"""Definition 2.1: the largest shift over **all** beliefs on the datasets of the games, in closed form.

    Fix a transcript t and a record i, and write w(x) = P(A(x) = t), v(x) = P(A(x_-i) = t), r = w / v. The answer is

    $$ (\sqrt{c} - 1) / (\sqrt{c} + 1) = \tanh(\tfrac14 \ln c), \qquad c = \max r / \min r, $$

    and a belief on two datasets, one with the largest r and one with the least, attains it.

    Proof. If w(x) > 0 = v(x) for some x, the belief that is sure of x has no posterior in Game i: a failure.
    Otherwise datasets with v = 0 have w = 0 and enter neither posterior. On the others the posterior q of Game i may be
    any distribution (believe b ∝ q / v), and that of Game 0 is q r / m with m = E_q r, so the distance is
    E_q |r / m - 1| / 2. For a given m this is the mean of a convex function of r, hence largest when q is moved, with
    the same mean, to the two ends of the range of r: two datasets suffice. With weight u on the larger end the
    distance is u (1 - u) (c - 1) / (1 + u (c - 1)); its derivative vanishes at u = 1 / (1 + √c) alone, where it is
    (√c - 1) / (√c + 1). If min r = 0, this tends to 1 as u tends to 0: a supremum that is not attained.

    Under ε-differential privacy r lies within e^±ε, so c ≤ e^2ε and the size is at most tanh(ε/2); if i is the one
    record that is not known, v is constant, c ≤ e^ε and it is at most tanh(ε/4). The log ratio of the beliefs has the
    supremum ln c, as u tends to 0. Proved here; the paper has e^ε - 1 for tanh(ε/2).
    """
    everywhere = np.arange(games.belief.size)
    return _worst(games, ((everywhere, record) for record in range(games.belief.n)))


def worst_informed_shift(games: Games, *, about: Literal["the unknown record", "any record"]) -> Shift:
    """The largest shift over all informed beliefs: every record but one is known.

    About the unknown record it is at most tanh(ε/4) under ε-differential privacy. About any record it may reach
    tanh(ε/2): whoever knows all but x1 can learn from x2's taking part (RR of x1 xor x2).
    """
    lines = [(where, free) for free in range(games.belief.n) for where in games.belief.lines(free)]
    if about == "the unknown record":
        return _worst(games, lines)
    require(about == "any record", '"the unknown record" or "any record"', got=about)
    return _worst(games, ((where, record) for where, _ in lines for record in range(games.belief.n)))


# -- noiseless privacy -----------------------------------------------------------------------------------------------


def noiseless_by_value(belief: Finite, mechanism: FiniteMechanism, epsilon: Number) -> Bracket:
    """Noiseless privacy as in coupled worlds (Definition 6): the least δ at which the release looks alike given
    X_i = a and given X_i = b, for every record, every two values that can occur, and all auxiliary information.

    It differs from `noiseless_by_presence`: fixing a value tells about every record that depends on it, while taking
    the record out does not. Where all records follow a common mean that is published, this δ is 1 and that one 0;
    where the number of records is published, this δ is 0 and that one 1. Both run in examples/papers/noiseless.py.
    """
    level, worst = exact(epsilon, name="epsilon"), NOTHING
    for record, side in itertools.product(range(belief.n), range(len(belief.sides))):
        places = (belief.side_is(side) & belief.record_is(record, value) for value in belief.values)
        laws = [law for law in (mechanism.law(belief, where) for where in places) if law is not None]
        for one, two in itertools.combinations(laws, 2):
            worst = worst.join(both_ways(one, two, level))
    return worst


def noiseless_by_presence(
    release: Release,
    belief: Finite,
    epsilon: Number,
    *,
    added: Iterable[Hashable],
    taken_out: Literal["given its value", "averaged"] = "given its value",
) -> Bracket:
    """Noiseless privacy as in Grining and Klonowski (Definitions 1 and 3, repaired): the least δ at which the release
    looks alike with and without one record, in both directions. An absent record is None, and comes last if added.

    The record that is added is independent of the data, so that a constant, one of `added`, is the worst. The record
    that is taken out is present with a value: "given its value" asks this for each value (the repair, as the engine
    does), "averaged" for the mixture of them (as printed), which is never more.
    """
    require(taken_out in ("given its value", "averaged"), '"given its value" or "averaged"', got=taken_out)
    level, worst, games = exact(epsilon, name="epsilon"), NOTHING, Games.of(release, belief, default=None)
    for record, side in itertools.product(range(belief.n), range(len(belief.sides))):
        present = belief.side_is(side) & ~belief.record_is(record, None)
        cuts = [belief.record_is(record, value) for value in belief.values] if taken_out == "given its value" else []
        for where in [present & cut for cut in cuts] or [present]:
            worst = worst.join(_apart(games, record, where, level))
    codes = np.column_stack([belief.codes, np.full(belief.size, len(belief.values))])
    longer = Finite((*belief.values, None), codes, belief.mass, belief.sides, belief.side)
    for value, side in itertools.product(added, range(len(belief.sides))):
        games = Games.of(release, longer, default=value)
        worst = worst.join(_apart(games, belief.n, belief.side_is(side), level))
    return worst


def _apart(games: Games, record: int, where: NDArray[np.bool_], level: Fraction) -> Bracket:
    """δ between the release and the one without the record, given that the dataset is one of those marked."""
    one, two = games.real.law(games.belief, where), games.without[record].law(games.belief, where)
    return NOTHING if one is None or two is None else both_ways(one, two, level)


def _inputs(belief: Finite, default: Hashable) -> list[list[Dataset]]:
    """What the mechanism is run on: in Game 0 the datasets, then for each record the datasets without it."""
    rows = list(belief.datasets())
    return [rows, *([replaced(row, record, default) for row in rows] for record in range(belief.n))]


def _distance(first: Masses | None, second: Masses | None) -> Fraction | float:
    if first is None or second is None:
        return math.inf
    if is_exact(first) and is_exact(second):
        return sum((max(a - b, Fraction(0)) for a, b in zip(first.tolist(), second.tolist(), strict=True)), Fraction(0))
    return float(np.abs(first.astype(float) - second.astype(float)).sum() / 2)


def _around(size: Fraction | float) -> Bracket:
    """Floats around a distance: exact for fractions, within `ROUNDING` for floats."""
    if isinstance(size, Fraction):
        near = float(size)
        return Bracket(*sorted((near, near if near == size else math.nextafter(near, 2.0 * (size > near)))))
    return Bracket(size, size) if math.isinf(size) else Bracket(max(0.0, size - ROUNDING), min(1.0, size + ROUNDING))


def _failing(chances: Masses, table: list[list[Fraction | float]], level: Fraction) -> Bracket:
    """The chance of the transcripts at which a distance exceeds the level; floats may be `ROUNDING` off."""
    worst = [max(column) for column in zip(*table, strict=True)]
    slack = [Fraction(0) if isinstance(size, Fraction) else Fraction(ROUNDING) for size in worst]
    surely, perhaps = (
        np.array([size > level + sign * error for size, error in zip(worst, slack, strict=True)]) for sign in (1, -1)
    )
    return Bracket(_around(total(chances[surely])).lower, _around(total(chances[perhaps])).upper)


def _worst(games: Games, choices: Iterable[tuple[NDArray[np.int64], int]]) -> Shift:
    """The worst belief over sets of datasets, each with the record that is taken out."""
    columns = range(len(games.real.outputs))
    real = [list(map(Fraction, games.real.likelihood(place).tolist())) for place in columns]
    other = [[list(map(Fraction, game.likelihood(place).tolist())) for place in columns] for game in games.without]
    best, at = _Spread(Fraction(1), undefined=False, high=0, low=0), (0, 0)
    for where, record in choices:
        for place in columns:
            found = _spread(real[place], other[record][place], where.tolist())
            if found is not None and found[:2] > best[:2]:
                best, at = found, (record, place)
    record, place = at
    prior = _two_points(games, best, other[record][place])
    size = NEVER if best.undefined else _shift_of(best.ratio)
    top, bottom = (1, 0) if best.ratio == math.inf else (best.ratio, 1)
    ratio = Outcomes(fractions([Fraction(top)])).epsilon(Outcomes(fractions([Fraction(bottom)])))
    return Shift(size, ratio, record, games.real.outputs[place], prior)


def _spread(w: list[Fraction], v: list[Fraction], where: list[int]) -> _Spread | None:
    """How far w / v spreads; None if the transcript never occurs in the real release."""
    lost = next((x for x in where if w[x] > 0 and v[x] == 0), None)
    if lost is not None:
        return _Spread(math.inf, undefined=True, high=lost, low=lost)
    ratios = [(w[x] / v[x], x) for x in where if v[x] > 0]
    if not ratios or max(ratios)[0] == 0:
        return None
    (top, high), (bottom, low) = max(ratios), min(ratios)
    return _Spread(top / bottom if bottom else math.inf, undefined=False, high=high, low=low)


def _two_points(games: Games, spread: _Spread, v: list[Fraction]) -> Finite:
    """The worst belief, to the precision of a float √c; near the supremum where that is not attained."""
    weights = [Fraction(0)] * games.belief.size
    if spread.high == spread.low:
        weights[spread.high] = Fraction(1)
    else:
        u = 1 / (1 + math.sqrt(min(spread.ratio, 1e24)))
        one, two = Fraction(u) / v[spread.high], Fraction(1 - u) / v[spread.low]
        weights[spread.high], weights[spread.low] = one / (one + two), two / (one + two)
    return Finite(games.belief.values, games.belief.codes, fractions(weights))


def _shift_of(spread: Fraction | float) -> Bracket:
    """(√c - 1) / (√c + 1), as (c - 1) / (√c + 1)²: no cancellation, within eight roundings."""
    if spread > 1e300:
        return Bracket(1 - 2.0**-52, 1.0)
    value = float(Fraction(spread) - 1) / (math.sqrt(spread) + 1) ** 2
    return Bracket(value * (1 - 2.0**-49), min(1.0, value * (1 + 2.0**-49)))
