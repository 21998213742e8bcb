r"""The value at a place of all records in order (median, quantile, smallest, largest), by itself.

Let the k-th of n records in order be published, of values 1, ..., m, and nothing else of these people. It is at most v
if and only if at least k of them are, so that, with N_v of the records whom nobody knows at most v, and c_v of the
known ones,

$$ P(T \le v \mid x) = P(N_v \ge k - c_v - [x \le v]), \qquad N_v \sim \mathrm{Binomial}(n - 1 - c_m, F(v)), $$

where x is the target's value. Hence T's law given x is known exactly, and P(T = v | x) depends on x only by whether it
is below v, v itself, or above, and on the known records only by c_{v-1} and c_v. Where nobody is known, δ is worked out
from these laws. Otherwise the sum of the largest terms, each over all c_{v-1} <= c_v, is at least that of the worst
way to know records, and the worst where all known records have one value is at most that. ∎
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import add_down, add_up, difference_down, exponential, times_down, times_up
from dalenius.judge.group import Group, Laws
from dalenius.judge.local_noise import clamped_noise, shifted_noise
from dalenius.mechanisms.compared import comparison
from dalenius.numerics.curve import Curve
from dalenius.numerics.intervals import FAR, Intervals
from dalenius.numerics.law import Floats, point
from dalenius.numerics.logconcave import LEAST, binomial

BELOW, SAME, ABOVE = range(3)  # where a person's value lies, seen from the value that is published
MOST_WORK = 20_000_000  # numbers of known records below two neighbouring values, for all values
MOST_PEOPLE = 5_000_000
CAREFUL = 1e-12  # far more than a sum of so many floats loses
ABOVE_TRUTH, BELOW_TRUTH = (1, 0), (0, 1)  # which of the two bounds on each chance


def order_curve(group: Group, *, presence: bool) -> Curve | None:
    """δ(ε) of the value at a place in order, where a group has nothing else, and the counts of all values of one column
    that it is found from cover nobody else, among independent records of one law. None where that is not what they are:
    then it tells no more than the counts do.

    Of the counts of all values one follows from the others and the number of people, so that the last of them has no
    coordinate of its own: its vector is 0.
    """
    others, many, link = group.others[0], len(group.release), comparison(group.release[0].links)
    if (
        len(group.others) > 1
        or not isinstance(others, Laws)
        or others.least
        or others.changes is not None
        or presence
        or others.answered is not None
    ):
        return None
    if link is None or link.at is None or len(others.types) != 1 or (group.known + 1) ** 2 * many > MOST_WORK:
        return None
    axes = len(others.domain[0])
    values = [tuple(int(axis == place) for axis in range(axes)) for place in range(many)]
    if axes not in (many - 1, many) or {*values} != {*others.domain} or others.size > MOST_PEOPLE:
        return None
    law = dict(others.types[0][0])
    chances = [law.get(value, Fraction(0)) for value in values]
    place = max(1, math.ceil(link.at * others.size))
    tails = _Tails.of(chances, others.size - group.known - 1, group.known, place)
    if tails is None:
        return None
    named = OrderCurve(tails, tuple(bool(chance) for chance in chances))
    if link.moved is None:
        return named
    shares = tuple(sum(chances[:value], Fraction(0)) for value in range(many + 1))
    return MovedCurve(named, shares, place, others.size - group.known - 1, link.moved)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Tails:
    """Bounds on P(N_v >= place - c), and on P(N_v < place - c), by v, from -1 to m - 1 in rows, and c = 0, ..., known +
    1. Each is relatively close where it is small.
    """

    reached: tuple[Floats, Floats]
    missed: tuple[Floats, Floats]
    known: int

    @classmethod
    def of(cls, chances: list[Fraction], left: int, known: int, place: int) -> "_Tails | None":
        wanted = place - np.arange(known + 2, dtype=np.int64)
        far = np.full(len(wanted), FAR, dtype=np.int64)
        rows = []
        for value in range(len(chances) + 1):
            share = sum(chances[:value], Fraction(0))
            if 0 < share < LEAST or 0 < 1 - share < LEAST:
                return None
            law = point(left if share == 1 else 0) if share in (0, 1) else binomial(left, share)
            sums = Intervals.of(law)
            rows.append((*sums.between(wanted, far), *sums.between(-far, wanted)))
        table = [np.clip(np.array(column), 0.0, 1.0) for column in zip(*rows, strict=True)]
        return cls((table[0], table[1]), (table[2], table[3]), known)

    def chance(
        self, value: int, side: int, before: NDArray[np.int64], upto: NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        """Bounds on P(T = value | x): with `before` of the known records below it, and `upto` at most it."""
        first, last = (value, before + (side == BELOW)), (value + 1, upto + (side != ABOVE))
        lower, upper = np.zeros(len(before)), np.ones(len(before))
        for (least, most), big, small in ((self.reached, last, first), (self.missed, first, last)):
            lower = np.maximum(lower, add_down(least[big], -most[small]))
            upper = np.minimum(upper, add_up(most[big], -least[small]))
        return lower, np.maximum(upper, 0.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class OrderCurve(Curve):
    """The curve; from above only where records are known. Cost of `delta`: values times known records, squared."""

    tails: _Tails
    possible: tuple[bool, ...]

    def delta(self, epsilon: Fraction) -> Bracket:
        known, many = self.tails.known, len(self.possible)
        before, upto = np.nonzero(np.tri(known + 1, dtype=bool).T)
        worst = [self._gains(exponential(epsilon)[0], value, before, upto, ABOVE_TRUTH) for value in range(many)]
        upper = min(1.0, self._summed(worst) * (1 + CAREFUL))
        lower = max((self._known_at(epsilon, value) for value in range(many) if self.possible[value]), default=0.0)
        return Bracket(min(lower * (1 - CAREFUL), upper), upper)

    def _known_at(self, epsilon: Fraction, at: int) -> float:
        """From below: all known records have one value."""
        known, factor = self.tails.known, exponential(epsilon)[1]
        gains = []
        for value in range(len(self.possible)):
            before, upto = np.array([known * (at < value)]), np.array([known * (at <= value)])
            gains.append(self._gains(factor, value, before, upto, BELOW_TRUTH))
        return self._summed(gains)

    def _gains(
        self, factor: float, value: int, before: NDArray[np.int64], upto: NDArray[np.int64], way: tuple[int, int]
    ) -> Floats:
        """By where two facts lie: the largest P(T = value | one) - factor P(T = value | other), at least 0; `way`:
        which bounds on the two are taken.
        """
        bounds = [self.tails.chance(value, side, before, upto) for side in (BELOW, SAME, ABOVE)]
        found = np.zeros((3, 3))
        for one, two in permutations((BELOW, SAME, ABOVE), 2):
            ahead, behind = bounds[one][way[0]], bounds[two][way[1]]
            if way == ABOVE_TRUTH:
                gain = add_up(ahead, -times_down(behind, factor))
            else:
                gain = difference_down(ahead, times_up(behind, factor))
            found[one, two] = max(0.0, float(gain.max()))
        return found

    @staticmethod
    def _summed(gains: list[Floats]) -> float:
        """The largest sum over all values, for two facts in either order."""
        many = len(gains)
        sides = np.sign(np.subtract.outer(np.arange(many), np.arange(many))) + 1  # of a fact (row), seen from a value
        total = np.zeros((many, many))
        for value, gain in enumerate(gains):
            side = sides[:, value]
            total += gain[side[:, None], side[None, :]]
        return float(total.max())


@final
@dataclass(frozen=True, slots=True, eq=False)
class MovedCurve(Curve):
    r"""The same where the value that is named is moved among the values by two-sided geometric noise, clamped to them.

    Where nobody is known the laws of T given each fact are known, and so are those of what is published. Otherwise by
    the *local sensitivity*: whatever the target's value is, T lies from the (k-1)-th to the k-th of the others in
    order, so that it moves by at most the gap between these two; with D the gap,

    $$ \delta \le E\, \delta_Z(D) = \sum_d (\delta_Z(d) - \delta_Z(d - 1))\, P(D \ge d), $$

    by joint convexity, given the others: δ_Z(d) is that of the noise against itself moved by d, which grows with d. And
    D is at least d only if for some v exactly k - 1 of the others are at most v, and none is from v + 1 to v + d - 1:
    the sum of these chances, each for the worst number of known records, is enough. ∎
    """

    named: OrderCurve
    shares: tuple[Fraction, ...]  # of the values below each, and of all
    place: int
    unknown: int
    scale: Fraction

    def delta(self, epsilon: Fraction) -> Bracket:
        if not self.named.tails.known:
            return self._exactly(epsilon)
        many = len(self.named.possible)
        noise = [shifted_noise(self.scale, far, epsilon) for far in range(many)]
        steps = (max(0.0, noise[far] - noise[far - 1]) * self._gap(far) for far in range(1, many))
        upper = min(math.fsum(steps) * (1 + CAREFUL), noise[-1], self.named.delta(epsilon).upper)
        return Bracket(0.0, min(1.0, upper))

    def _exactly(self, epsilon: Fraction) -> Bracket:
        """From the law of what is published given each fact."""
        many, nobody = len(self.named.possible), np.zeros(1, dtype=np.int64)
        ends = np.zeros((2, many, many))
        for fact in range(many):
            for value in range(many):
                side = SAME if fact == value else BELOW if fact < value else ABOVE
                ends[:, fact, value] = [float(end[0]) for end in self.named.tails.chance(value, side, nobody, nobody)]
        kernel = clamped_noise(self.scale, many)
        low, high = ends[0] @ kernel[0] * (1 - CAREFUL), ends[1] @ kernel[1] * (1 + CAREFUL)
        less, more = exponential(epsilon)
        lower = upper = 0.0
        for fact in range(many):
            upper = max(upper, float(np.maximum(add_up(high[fact], -times_down(low, less)), 0.0).sum(axis=1).max()))
            lower = max(lower, float(difference_down(low[fact][None, :], times_up(high, more)).sum(axis=1).max()))
        upper = min(1.0, upper * (1 + CAREFUL))
        return Bracket(min(lower * (1 - CAREFUL), upper), upper)

    def _gap(self, far: int) -> float:
        """At most the chance that the two others between which the value lies are at least so far apart."""
        known, many = self.named.tails.known, len(self.named.possible)
        starts = [-1] if self.place == 1 else range(many - far)
        return min(1.0, math.fsum(self._empty(value, far, known) for value in starts) * (1 + CAREFUL))

    def _empty(self, value: int, far: int, known: int) -> float:
        """At most the chance that k - 1 of the others are at most `value`, and none in the gap after it."""
        reached, missed = self.named.tails.reached, self.named.tails.missed
        row, counted = value + 1, np.arange(known + 1)
        exactly = np.minimum(
            add_up(reached[1][row, counted + 1], -reached[0][row, counted]),
            add_up(missed[1][row, counted], -missed[0][row, counted + 1]),
        )
        last = min(row + far - 1 + (value < 0), len(self.named.possible))
        left = 1 - self.shares[row]
        passed = float((1 - self.shares[last]) / left) if left else 1.0
        above = np.maximum(self.unknown - (self.place - 1 - counted), 0)
        chances = np.maximum(exactly, 0.0) * np.minimum(passed * (1 + CAREFUL), 1.0) ** above
        return float(chances.max()) * (1 + CAREFUL)
