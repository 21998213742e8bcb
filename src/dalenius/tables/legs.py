r"""A change hidden in parts, all of them told at once, beside others of the person's own group.

A change a of all exact numbers is a sum a_1 + ... + a_J; leg j are records of others each of which can change
everything by a_j, and K_j of its coins fell. Other people of the person's own group change everything by a, as the
person does: K of these coins fell. All are independent, and no two share a record. Let D_j = K_j - K_1. What the coins
change is a (K + K_1) + a_2 D_2 + ... + a_J D_J, and the person changes none of the D_j: so the exact numbers tell these
and Q = K + K_1, and no more, and under the other fact Q is one more. With P_D the law of Q given the D_j,

$$ \delta(\epsilon) \le E \sum_q \max(0, P_D(q) - e^\epsilon P_D(q - 1)) $$

or the same the other way round. (Composed, the K_j are told one by one, and K does not hide anything.) More coins hide
better, so that numbers of coins that are certainly there but for `miss` stand for all.

*Several sums.* Let the changes of legs 1 ... J add up to a together with those of any of several other lists of legs,
i = 1 ... I, no record in two of all. Let S_i be the number of the first leg of list i, and tell how far the others of
the list are from it. Given that, the S_i are independent and log-concave: P(S_i = s) ~ P_1(s) P_2(s + D_2) ...; and so
is S = S_1 + ... + S_I. Then S stands for the number of one leg, of which D_1 ... D_J are the distances of the others,
and Q = K + S. So lists add up as coins do.

*Noise beside it.* Let T be K, and one more in the other world: the coins of the own group, and the person. Given D
and Q = q the rest is R = q - T. How the S_i share R, and which coins fell, has the same law in both worlds, given T;
and for all values of R at once it may be drawn so that, where R is one more, one S_i is one more, and one more coin of
each of its legs fell. (Of two log-concave variables given their sum R, the law of the first has likelihood ratios that
grow with R, and so has that of the second; so quantiles for one uniform number grow by 0 or 1. Of more variables take
the sum of all but the last, which is log-concave, and go on.) Tell how it is drawn. Then what noisy numbers are is a
function of T; where T is one more they differ by what a coin of the own group changes, less a coin of each leg of one
way. So given D, q, and how it was drawn, noise W_t at T = t is what is left to compare:

$$ \sum_t P(K = t | q) W_t  against  \sum_t P(K + 1 = t | q) W_t. $$

Divergences are jointly convex, so both may be cut into pieces, and the divergences of these be added up. T is cut into
runs of m values, and its law in the other world at the same quantiles; these quantiles are the same, or one above
(likelihood ratios, as before), so that m + 1 values matter of each piece. (What is beyond that, by rounding, is added.)
One piece is exact. With m = 1 noise has to hide a step with the probability that the quantiles differ.

*Geometric noise* on numbers that take m + 1 places: results beyond the places tell no more than the outermost ones, and
those with the same likelihoods, but for a factor, are one.

Laws are cut where they hardly are; cut laws are log-concave as well, and what is cut off is added. Rounding is bounded
for the masses as a whole.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias, final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dalenius.beliefs.coins import CoinsCurve
from dalenius.beliefs.crowd import law_of_rates
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.excess import largest_masses
from dalenius.judge.noise import Profile
from dalenius.mechanisms import TwoSidedGeometric
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import Floats

Signed: TypeAlias = tuple[Curve, int]  # the coins of a leg; -1 where they change everything by the opposite
MISS = 1e-4  # of what is enough, that there are fewer coins, and that is cut off each law; a hundredth of it, off the D
MOST_PLACES = 1 << 22  # of D and q
MOST_WORK = 1 << 25  # results that are looked at, of exact and of noisy numbers
MOST_LEGS = 4  # of each way
MOST_RESULTS = 1 << 9  # of noise
RUNS = (6, 4, 3, 2, 1)  # how many values of T are taken together, where not all are
TINY = 1e-250  # more than all that is lost to numbers below the smallest float
ROUNDING = 1e-9  # more than the sums of a few million terms lose


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Coins:
    """How many coins fell: masses where most of the law is, from 0 on, and what they may be off by."""

    mass: Floats
    error: float
    lost: float

    @classmethod
    def of(cls, rate: float, number: int, cut: float) -> "_Coins":
        """Without two ends that have at most `cut` together."""
        law = law_of_rates(np.array([rate]), np.array([number]))
        most = largest_masses(law.mass, law.error)
        low, high = np.cumsum(most), np.cumsum(most[::-1])[::-1]
        inside = (low > cut / 2) & (high > cut / 2) & (law.mass > 0)
        lost = float(most[~inside].sum()) * (1 + ROUNDING) + law.tail
        return cls(law.mass[inside], float(law.error[inside].sum()), lost)


@final
@dataclass(frozen=True, slots=True, eq=False)
class LegsCurve(Curve):
    """δ(ε), from above: coins of the person's own group, and for each D the masses of S_1 + ... + S_I; noise has to
    hide any of these profiles where T is one more. `error`: what all masses are off by. `lost`: what is left out.
    """

    own: Floats
    rest: Floats  # a row for each D
    profiles: tuple[Profile, ...]
    run: int
    error: float
    lost: float
    _found: dict[Fraction, Bracket] = field(default_factory=dict, repr=False, init=False)

    @classmethod
    def of(
        cls,
        own: Curve,
        legs: Sequence[Signed],
        beside: Sequence[Sequence[Signed]],
        profiles: Sequence[Profile],
        enough: Fraction,
        *,
        steps: int = 1,
        epsilon: Fraction | None = None,
    ) -> "LegsCurve | None":
        """The coins of the person's own group, of the legs, and of the lists beside them (if any); `steps`: how many
        different changes are left to noise. Where more than `enough` is told at `epsilon` without the noisy numbers,
        these are not looked at closely. None where it is too much to list.
        """
        miss = MISS * float(enough)
        if len(legs) + min(map(len, beside), default=0) < 2 or not all(beside):
            return None
        parts = [[_listed(curve, sign, miss) for curve, sign in some] for some in ([(own, 1)], legs, *beside)]
        parts[0] = [parts[0][0] or _Coins.of(0.5, 0, miss)]  # nobody else, or nobody unknown
        lists = [[part for part in some if part is not None] for some in parts]
        if list(map(len, lists)) != list(map(len, parts)) or max(map(len, lists)) > MOST_LEGS:
            return None
        mine, values = lists[0][0].mass, len(lists[0][0].mass) + 1
        rest, lost, many = _rest([[part.mass for part in some] for some in lists[1:]], miss / 100)
        if rest is None or len(rest) * (rest.shape[1] + values) > MOST_PLACES:
            return None
        many += 4 * (values + 1) * (values + 2) + max((_roundings(one, values) for one in profiles), default=0) + 64
        error = math.fsum([float(Balls.rounded(1.0, many).radius), *(part.error for some in lists for part in some)])
        lost = math.fsum([lost, *(part.lost for some in lists for part in some)]) * (1 + ROUNDING)
        error = error * (1 + ROUNDING) + TINY
        plain = cls(mine, rest, (), values, error, lost)
        if not profiles:
            return plain
        closely = epsilon is None or plain.delta(epsilon).upper <= enough
        runs = (values, *RUNS) if closely else RUNS[-1:]
        run = next((run for run in runs if _work(rest, values, profiles, run, steps) <= MOST_WORK), 0)
        return cls(mine, rest, tuple(profiles), run, error, lost) if run else None

    def delta(self, epsilon: Fraction) -> Bracket:
        if epsilon not in self._found:
            self._found[epsilon] = Bracket(0.0, min(1.0, self._upper(epsilon)))
        return self._found[epsilon]

    def _upper(self, epsilon: Fraction) -> float:
        factor, sums, left = math.exp(float(epsilon)), np.zeros(2), float(self._told(1).sum())
        for one, other in self._pieces():
            left -= float(other.sum())
            sums += self._most(one, other, factor)
        sums[1] += max(0.0, left)
        error = self.error + float(Balls.rounded(1.0, float(epsilon) + 8).radius)  # of the factor
        return float(sums.max()) * (1 + ROUNDING) + (1 + factor) * error + self.lost

    def _most(self, one: Floats, other: Floats, factor: float) -> Floats:
        """How far one piece exceeds the other so many times, and the other way round, by the worst of the noises."""
        worst = np.zeros((2, *one.shape[1:]))
        for chances in [_results(profile, len(one)) for profile in self.profiles] or [np.ones((1, len(one)))]:
            found = np.zeros_like(worst)
            for each in np.eye(len(one)) if chances is None else chances:  # T, where that is too much
                p, q = np.tensordot(each, one, 1), np.tensordot(each, other, 1)
                found[0] += np.maximum(p - factor * q, 0)
                found[1] += np.maximum(q - factor * p, 0)
            worst = np.maximum(worst, found)
        return np.asarray(worst.sum(axis=(1, 2)))

    def _pieces(self) -> Iterator[tuple[Floats, Floats]]:
        """T in runs: the masses of each value of T, for each D and q; and of what is at the same quantiles in the other
        world.
        """
        values, length = len(self.own) + 1, self.rest.shape[1]
        if not self.profiles:
            yield self._told(0)[None], self._told(1)[None]
            return
        if self.run >= values:
            yield self._placed(0, 0, values), self._placed(1, 0, values)
            return
        told, later = self._told(0), self._told(1)
        share = np.divide(later, told, out=np.zeros_like(told), where=told > TINY)
        before, behind = (
            np.zeros_like(told),
            np.zeros_like(told),
        )  # masses below the run; below its end in the other world
        for start in range(0, values, self.run):
            stop = min(start + self.run, values)
            high = min(stop + 1, values)
            here = slice(start, high - 1 + length)
            one, other = self._placed(0, start, high), self._placed(1, start, high)
            one[stop - start :] = 0
            low = before[:, here] * share[:, here]
            before[:, here] += one.sum(axis=0)
            top = later[:, here] if stop == values else before[:, here] * share[:, here]
            up_to = np.cumsum(np.concatenate([behind[None, :, here], other]), axis=0)
            yield one, np.maximum(np.minimum(up_to[1:], top) - np.maximum(up_to[:-1], low), 0)
            behind[:, here] = up_to[stop - start]

    def _told(self, world: int) -> Floats:
        """The masses of q for each D."""
        values, length = len(self.own) + 1, self.rest.shape[1]
        found = np.zeros((len(self.rest), values - 1 + length))
        for at, mass in enumerate(self.own.tolist()):
            found[:, at + world : at + world + length] += mass * self.rest
        return found

    def _placed(self, world: int, start: int, stop: int) -> Floats:
        """The same for each value of T from one to another, from the first q on that it can have."""
        length = self.rest.shape[1]
        found = np.zeros((stop - start, len(self.rest), stop - start - 1 + length))
        for at in range(start, stop):
            if 0 <= at - world < len(self.own):
                found[at - start, :, at - start : at - start + length] = self.own[at - world] * self.rest
        return found


def _listed(curve: Curve, sign: int, miss: float) -> _Coins | None:
    """Coins that are there but for a probability, in the direction of the change."""
    if not isinstance(curve, CoinsCurve):
        return None
    number, fewer = curve.surely(miss)
    coins = _Coins.of(curve.rate if sign > 0 else 1 - curve.rate, number, miss)
    return _Coins(coins.mass, coins.error, coins.lost + fewer)


def _rest(lists: Sequence[Sequence[Floats]], miss: float) -> tuple[Floats | None, float, int]:
    """The masses of the number of one leg of the first list, for each distance of its others from it; if there are more
    lists, the sum of the numbers of one leg of each stands for one more leg of the first. Also what was left out, and
    how many roundings went into each. None if there are too many.
    """
    first, *beside = [sorted(some, key=len) for some in lists]
    lost, many = 0.0, 2 * sum(map(len, lists))
    rows: Floats | None = first.pop(0)[None, :] if not beside else np.ones((1, 1))
    for some in beside:
        more = _told_apart(some[0][None, :], some[1:])
        if rows is None or more is None or len(rows) * len(more) * (rows.shape[1] + more.shape[1]) > MOST_PLACES:
            return None, 0.0, 0
        rows, missed = _likely(_added(rows, more), miss)
        lost += missed
        many += rows.shape[1]
    rows = None if rows is None else _told_apart(rows, first)
    if rows is None:
        return None, 0.0, 0
    rows, missed = _likely(rows, miss)
    return rows, lost + missed, many


def _told_apart(rows: Floats, others: Sequence[Floats]) -> Floats | None:
    """The masses of one number, a row for each distance of the others from it; None if there are too many."""
    length = rows.shape[1]
    for other in others:
        ends = np.zeros(length - 1)
        shifted = sliding_window_view(np.concatenate([ends, other, ends]), length)
        if len(rows) * shifted.size > MOST_PLACES:
            return None
        rows = (rows[:, None, :] * shifted[None, :, :]).reshape(-1, length)
    return rows


def _added(rows: Floats, more: Floats) -> Floats:
    """Sums of two numbers: a row for each row of both."""
    length = more.shape[1]
    found = np.zeros((len(rows), len(more), rows.shape[1] + length - 1))
    for at in range(rows.shape[1]):
        found[:, :, at : at + length] += rows[:, at, None, None] * more
    return found.reshape(-1, found.shape[2])


def _likely(rows: Floats, cut: float) -> tuple[Floats, float]:
    """Without the rows that are least likely, and how likely these are."""
    sums = rows.sum(axis=1)
    order = np.argsort(sums)
    below = np.cumsum(sums[order])
    gone = int(np.searchsorted(below, cut, side="right"))
    missed = float(below[gone - 1]) * (1 + ROUNDING) if gone else 0.0
    return rows[np.sort(order[gone:])], missed


def _work(rest: Floats, values: int, profiles: Sequence[Profile], run: int, steps: int) -> float:
    """How many results are looked at, in runs of so many values; infinite if that cannot be done."""
    if steps > 1 and run > 1:
        return math.inf
    places = min(run + 1, values)
    noises = [_results(profile, places) for profile in profiles]
    if any(noise is None for noise in noises):
        return math.inf
    many = sum(len(noise) for noise in noises if noise is not None)
    return float(math.ceil(values / run) * len(rest) * (rest.shape[1] + places) * places * many)


@lru_cache(maxsize=512)
def _results(profile: Profile, places: int) -> Floats | None:
    """Of geometric noise on several numbers, each of which takes so many places at equal distances: the probabilities
    of the results at each place, a row for those that have the same likelihoods but for a factor. None for other noise,
    or too many.

    >>> _results(((TwoSidedGeometric(Fraction(1)), 1),), 2).round(3).tolist()
    [[0.731, 0.269], [0.269, 0.731]]
    """
    scales = [noise.scale for noise, _ in profile if isinstance(noise, TwoSidedGeometric)]
    if len(scales) < len(profile):
        return None
    unit = math.lcm(*(Fraction(scale).numerator for scale in scales))
    found: dict[tuple[int, ...], Floats] = {(0,) * places: np.ones(places)}
    for scale, (_, far) in zip(map(Fraction, scales), profile, strict=True) if places > 1 else ():
        last = far * (places - 1)
        if (last + 1) * len(found) > 16 * MOST_RESULTS:
            return None
        x, times = math.exp(-float(1 / scale)), int(unit / scale)
        inside = -math.expm1(-float(1 / scale)) / (1 + x)
        after: dict[tuple[int, ...], Floats] = {}
        for at in range(last + 1):
            apart = [abs(at - far * place) for place in range(places)]
            end = 1 / (1 + x) if at in (0, last) else inside
            chances = np.array([end * math.exp(-float(some / scale)) for some in apart])
            for loss, before in found.items():
                key = tuple(one + times * (some - apart[0]) for one, some in zip(loss, apart, strict=True))
                after[key] = after.get(key, 0.0) + before * chances
        found = after
        if len(found) > MOST_RESULTS:
            return None
    return np.array(list(found.values()))


def _roundings(profile: Profile, places: int) -> int:
    """Of one probability in `_results`, at most."""
    spans = [(far * places, getattr(noise, "scale", Fraction(1))) for noise, far in profile]
    return sum(16 + 2 * span + math.ceil(2 * span / scale) for span, scale in spans)
