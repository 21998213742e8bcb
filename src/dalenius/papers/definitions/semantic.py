"""Semantic privacy on finite worlds: what is believed after the real release, and after a release without one record.

Kasiviswanathan and Smith, "A Note on Differential Privacy: Defining Resistance to Arbitrary Side Information". Privacy
means that the belief of Game 0 and that of Game i (`games`) are close in statistical distance, for every record i:
always (Definition 2.1), except with probability δ over data drawn from the belief (Definition 2.3), or except with
probability δ whatever the data are (Definition A.1, reality-oblivious).

An undefined posterior (the transcript is impossible in that game) is a failure at every level, a distance of infinity:
without this the converse theorems are false. If the belief knows something besides, the worst of it is taken.
"""

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias, final

import numpy as np

from dalenius.basics.errors import require
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.outward import ABOVE_ZERO, HELD, lowered, raised
from dalenius.facts.records import Number, exact
from dalenius.numerics.outcomes import ROUNDING, Masses, Outcomes, both_ratios, collected, fractions, is_exact, total
from dalenius.papers.definitions.games import Games, Kinds
from dalenius.papers.definitions.tables import Places, named
from dalenius.papers.worlds import Dataset, Finite

Size: TypeAlias = Fraction | float
NOTHING = Bracket(0.0, 0.0)
NEVER = Bracket(math.inf, math.inf)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """The largest distance between the two beliefs, and where: the record, the transcript and the prior belief.

    `ratio` is the supremum of the beliefs' log ratio. An infinite size: the transcript cannot occur without the record.
    """

    size: Bracket
    ratio: Bracket
    record: int
    transcript: object
    prior: Finite

    def __str__(self) -> str:
        if math.isinf(self.size.lower):
            return f"{self.size}: transcript {self.transcript} cannot occur without record {self.record}"
        return (
            f"{self.size}: record {self.record}, transcript {self.transcript}; log ratio up to {self.ratio}\n"
            f"  believing {self.prior}"
        )


# -- for a given belief ----------------------------------------------------------------------------------------------


def distances(games: Games) -> list[list[Size]]:
    """For each record and transcript the statistical distance of the two beliefs; infinite if one is undefined.

    Exact for fractions, else within `rounding(games)`. Cost O(records x (datasets + kinds x transcripts)).
    """
    games.require_one_side()
    found: list[list[Size]] = []
    for record in range(games.belief.n):
        columns = _after(games, games.kinds([record]))
        found.append([_distance(real, other) for real, other in columns])
    return found


def largest_shift(games: Games) -> Shift:
    """Definition 2.1 at this belief: the worst transcript that can occur, and the worst record."""
    found = []
    for game in games.by_side():
        possible = [place for place, chance in enumerate(game.chances().tolist()) if chance > 0]
        table = distances(game)
        size, record, place = max((row[place], record, place) for record, row in enumerate(table) for place in possible)
        found.append((_around(size, game), record, game.real.outputs[place], game.belief))
    worst, record, transcript, belief = max(found, key=lambda one: (one[0].upper, one[0].lower))
    for other, *_ in found:
        worst = worst.join(other)
    return Shift(worst, largest_ratio(games), record, transcript, belief)


def largest_ratio(games: Games) -> Bracket:
    """The largest log ratio of the two beliefs, over transcripts that can occur and records (fundamentals, Theorem
    4.1: at most 2ε under ε-differential privacy); infinite if the belief without the record is undefined.
    """
    worst = NOTHING
    sides = [(game, game.chances().tolist()) for game in games.by_side()]
    for (game, chances), record in itertools.product(sides, range(games.belief.n)):
        for chance, (real, other) in zip(chances, _after(game, game.kinds([record])), strict=True):
            if not chance:
                continue
            if real is None or other is None:
                return NEVER
            error = 0.0 if is_exact(real) and is_exact(other) else rounding(game)
            worst = worst.join(both_ratios(Outcomes(real, error), Outcomes(other, error)))
    return worst


def failure(games: Games, epsilon: Number) -> Bracket:
    """Definition 2.3 at this belief: the chance of a transcript at which a record shifts it by more than epsilon."""
    level, worst = level_of(epsilon), NOTHING
    for game in games.by_side():
        worst = worst.join(_failing(game, game.chances(), distances(game), level))
    return worst


def oblivious_failure(games: Games, epsilon: Number, realities: Iterable[Dataset] | None = None) -> Bracket:
    """Definition A.1 at this belief: the same when the true dataset is any of `realities` (all listed ones unless
    said), whatever the belief says about it. A transcript that the belief holds impossible is a failure.
    """
    level, worst, places = level_of(epsilon), NOTHING, _distinct(games, realities)
    for game in games.by_side():
        table = distances(game)
        for place in places:
            worst = worst.join(_failing(game, game.real.row(place), table, level))
    return worst


def _distinct(games: Games, realities: Iterable[Dataset] | None) -> list[int]:
    """One dataset for each way in which the release can behave on the realities."""
    if realities is None:
        return [int(place) for place in np.unique(games.real.state, return_index=True)[1]]
    places = {row: place for place, row in enumerate(games.belief.datasets())}
    found: dict[int, int] = {}
    for reality in realities:
        require(reality in places, "a dataset of the games", got=reality, remedy="List it in the belief.")
        found.setdefault(int(games.real.state[places[reality]]), places[reality])
    return list(found.values())


def level_of(epsilon: Number) -> Fraction:
    """A distance as an exact number, checked."""
    level = exact(epsilon, name="epsilon")
    require(level >= 0, "an epsilon of at least 0", got=epsilon)
    return level


def rounding(games: Games) -> float:
    """The error charged for floats: masses are summed one after the other, so that it grows with their number."""
    return max(ROUNDING, float(Balls.rounded(1.0, 8 * games.belief.size).radius))


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
    return _worst(games, ((record, None) for record in range(games.belief.n)))


def worst_informed_shift(games: Games, *, about: Literal["the unknown record", "any record"]) -> Shift:
    """The largest shift over all informed beliefs: every record but one is known.

    About the unknown record it is at most tanh(ε/4) under ε-differential privacy. About any record it may reach
    tanh(ε/2): whoever knows all but x1 can learn from x2's taking part (RR of x1 xor x2).
    """
    require(about in ("the unknown record", "any record"), '"the unknown record" or "any record"', got=about)
    everybody = range(games.belief.n)
    if about == "the unknown record":
        return _worst(games, ((free, free) for free in everybody))
    return _worst(games, ((record, free) for free, record in itertools.product(everybody, everybody)))


class _Spread(NamedTuple):
    """The largest over the least ratio, whether it stands for an undefined posterior, and the kinds of the two."""

    ratio: Fraction | float
    undefined: bool
    high: int
    low: int


def _worst(games: Games, choices: Iterable[tuple[int, int | None]]) -> Shift:
    """The worst belief for a record that is taken out, over all datasets or over those that differ in a free record."""
    best, at, among = _Spread(Fraction(1), undefined=False, high=0, low=0), (0, 0), games.kinds([0])
    for record, free in choices:
        kinds = games.kinds([record])
        groups = [tuple(range(len(kinds.real)))] if free is None else list(lines(games, kinds.kind, free))
        for place in range(len(games.real.outputs)):
            w, v = (list(map(Fraction, rows[:, place].tolist())) for rows in (kinds.real, kinds.without[0]))
            for group in groups:
                found = spread(w, v, group)
                if found is not None and found[:2] > best[:2]:
                    best, at, among = found, (record, place), kinds
    record, place = at
    prior = _two_points(games, among, best, [Fraction(value) for value in among.without[0][:, place].tolist()])
    size = NEVER if best.undefined else _shift_of(best.ratio, games)
    top, bottom = (1, 0) if best.ratio == math.inf else (best.ratio, 1)
    ratio = Outcomes(fractions([Fraction(top)])).epsilon(Outcomes(fractions([Fraction(bottom)])))
    slack = 0.0 if _exactly(games) or best.undefined else 4 * ROUNDING
    around = Bracket(max(0.0, ratio.lower - slack), ratio.upper + slack)
    return Shift(size, around, record, games.real.outputs[place], prior)


def lines(games: Games, kind: Places, free: int) -> Iterator[tuple[int, ...]]:
    """The sets of kinds that occur together where only the free record is not known."""
    scrubbed = games.belief.codes.copy()
    scrubbed[:, free] = 0
    _, line = named(scrubbed, len(games.belief.values))
    pairs = np.sort(line * (int(kind.max()) + 1) + kind)
    pairs = pairs[np.append(True, np.diff(pairs) > 0)]  # quicker than np.unique, which hashes
    line, kinds = np.divmod(pairs, int(kind.max()) + 1)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(line)) + 1])
    sizes = np.diff(np.append(starts, len(kinds)))
    for size in np.flatnonzero(np.bincount(sizes)).tolist():
        sets = kinds[starts[sizes == size][:, None] + np.arange(size)]
        yield from map(tuple, sets[named(sets, int(kind.max()) + 1)[0]].tolist())


def spread(w: list[Fraction], v: list[Fraction], where: Iterable[int]) -> _Spread | None:
    """How far w / v spreads; None if the transcript never occurs in the real release."""
    some = list(where)
    lost = next((x for x in some if w[x] > 0 and v[x] == 0), None)
    if lost is not None:
        return _Spread(math.inf, undefined=True, high=lost, low=lost)
    ratios = [(w[x] / v[x], x) for x in some if v[x] > 0]
    if not ratios or max(ratios)[0] == 0:
        return None
    (top, high), (bottom, low) = max(ratios), min(ratios)
    return _Spread(top / bottom if bottom else math.inf, undefined=False, high=high, low=low)


# -- parts ------------------------------------------------------------------------------------------------------------


def _after(games: Games, kinds: Kinds) -> Iterator[tuple[Masses | None, Masses | None]]:
    """For each transcript the beliefs about the kind of the dataset, in Game 0 and in the other one."""
    mass = collected(kinds.kind, games.belief.mass, len(kinds.real))
    for place in range(len(games.real.outputs)):
        yield _bayes(mass, kinds.real[:, place]), _bayes(mass, kinds.without[0][:, place])


def _bayes(mass: Masses, likelihood: Masses) -> Masses | None:
    if is_exact(mass) and is_exact(likelihood):
        joint = np.asarray(mass * likelihood)
        weight = total(joint)
        return np.asarray(joint / weight) if weight > 0 else None
    alive = ((mass > 0) & (likelihood > 0)).astype(bool)
    if not alive.any():
        return None
    joint = np.asarray(mass.astype(float) * likelihood.astype(float))
    least = float(joint[alive].min())
    require(least > HELD, f"probabilities above {HELD}", got=least, remedy="Give the belief as fractions.")
    return np.asarray(joint / joint.sum())


def _distance(first: Masses | None, second: Masses | None) -> Size:
    if first is None or second is None:
        return math.inf
    if is_exact(first) and is_exact(second):
        return sum((max(a - b, Fraction(0)) for a, b in zip(first.tolist(), second.tolist(), strict=True)), Fraction(0))
    return float(np.abs(first.astype(float) - second.astype(float)).sum() / 2)


def _around(size: Size, games: Games) -> Bracket:
    """Floats around a distance or a chance: exact for fractions, within `rounding` for floats."""
    if isinstance(size, Fraction):
        return around(size, size)
    if math.isinf(size):
        return Bracket(size, size)
    slack = rounding(games)
    return Bracket(min(1.0, max(0.0, size - slack)), min(1.0, size + slack))


def _failing(games: Games, chances: Masses, table: list[list[Size]], level: Fraction) -> Bracket:
    """The chance of the transcripts at which a distance exceeds the level; floats may be `rounding` off."""
    worst = [max(column) for column in zip(*table, strict=True)]
    slack = [Fraction(0) if isinstance(size, Fraction) else Fraction(rounding(games)) for size in worst]
    surely, perhaps = (
        np.array([size > level + sign * error for size, error in zip(worst, slack, strict=True)]) for sign in (1, -1)
    )
    ends = [_around(total(chances[some]), games) if some.any() else NOTHING for some in (surely, perhaps)]
    return Bracket(ends[0].lower, ends[1].upper)


def _two_points(games: Games, kinds: Kinds, found: _Spread, v: list[Fraction]) -> Finite:
    """The worst belief, to the precision of a float √c; near the supremum where that is not attained."""
    weights = [Fraction(0)] * games.belief.size
    high, low = (int(np.flatnonzero(kinds.kind == kind)[0]) for kind in (found.high, found.low))
    if high == low:
        weights[high] = Fraction(1)
    else:
        u = 1 / (1 + math.sqrt(min(found.ratio, 1e24)))
        one, two = Fraction(u) / v[found.high], Fraction(1 - u) / v[found.low]
        weights[high], weights[low] = one / (one + two), two / (one + two)
    return Finite(games.belief.values, games.belief.codes, fractions(weights))


def _exactly(games: Games) -> bool:
    return all(game.rows is None or is_exact(game.rows) for game in (games.real, *games.without))


def _shift_of(ratio: Fraction | float, games: Games) -> Bracket:
    """(√c - 1) / (√c + 1), as (c - 1) / (√c + 1)²: no cancellation, within eight roundings. Chances given as floats
    may be off: a change of c by a factor 1 + η moves this by at most η / 4.
    """
    if ratio > 1e300:
        return Bracket(lowered(1.0, 1), 1.0)
    slack = 0.0 if _exactly(games) else 4 * ROUNDING
    value = float(Fraction(ratio) - 1) / (math.sqrt(ratio) + 1) ** 2
    slack += ABOVE_ZERO if ratio > 1 else 0.0
    return Bracket(max(0.0, lowered(value, 8) - slack), min(1.0, raised(value, 8) + slack))
