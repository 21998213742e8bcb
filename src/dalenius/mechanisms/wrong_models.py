"""How often a wrong model beats the true one, by Chernoff bounds: coupled worlds, Theorems 13 and 14 sharpened and 15
repaired.

Let M_ij be the largest f_i/f_j, m the number of unknown records but the person's, and L that of the known ones. When j
is true, F(X) ≠ F(X without the person) only if some i beats j in one of the two, for which its lead over the unknown
records must reach -ln(π_i/π_j) - (L + 1) ln M_ij. So δ ≤ max_j Σ_i min_s (π_i/π_j M_ij^(L+1))^s C_s(i, j)^m.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.belief import known_records, records_of
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import exp_up, total_up
from dalenius.facts.records import whole
from dalenius.mechanisms.choice import LikeliestRate
from dalenius.mechanisms.models import LikeliestModel
from dalenius.numerics.chernoff import affinities, log_up
from dalenius.numerics.curve import Curve

Corner: TypeAlias = tuple[Fraction, ...]  # a prior


@final
@dataclass(frozen=True, slots=True)
class Among:
    """Who attacks: somebody who holds n records to follow one of the models, knows some, and has some prior.

    `seen` counts each value among the known records; None is the worst such counts.
    """

    n: int
    known: int = 0
    seen: tuple[int, ...] | None = None
    least_prior: Fraction | None = None
    noiseless: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", records_of(self.n))
        object.__setattr__(self, "known", whole(self.known, name="The number of known records"))
        require(self.n >= 1, "at least one record", got=self.n)
        known_records(self.known, self.n)
        if self.seen is not None:
            require(
                sum(self.seen) == self.known and min(self.seen) >= 0,
                f"counts of {self.known} known records",
                got=self.seen,
                remedy="Count every value among the known records.",
            )
        if self.noiseless and self.least_prior is not None:
            raise InputError(
                "Noiseless privacy needs independent records, but records of an unknown model tell about each other. "
                "Leave least_prior out: each model is judged by itself."
            )

    @property
    def others(self) -> int:
        """How many records are neither known nor the person's."""
        return self.n - 1 - self.known

    def corners(self, models: int) -> list[Corner]:
        """The priors of which one is the worst."""
        least = Fraction(0) if self.least_prior is None else self.least_prior
        if self.least_prior is not None:
            require(0 < least * models <= 1, f"a least prior above 0 and at most 1/{models}", got=str(least))
        rest = 1 - (models - 1) * least
        return sorted({tuple(rest if place == j else least for place in range(models)) for j in range(models)})


@final
@dataclass(frozen=True, slots=True)
class Bounded(Curve):
    """At most `most` at every epsilon, and 0 from epsilon `pure` on."""

    most: float
    pure: float = math.inf

    def delta(self, epsilon: Fraction) -> Bracket:
        return Bracket(0.0, 0.0 if epsilon >= self.pure else min(1.0, self.most))


def chernoff_curve(release: LikeliestRate | LikeliestModel, among: Among) -> Bounded:
    """The same by Chernoff bounds with the best exponent for each pair of models. Cost O(models² · values)."""
    models = release.models if isinstance(release, LikeliestModel) else tuple((1 - p, p) for p in release.rates)
    wrong = _Wrong(models, release.weights, among)
    places = range(len(models))
    most = max(total_up(wrong.chance(i, j, person=True) for i in places if i != j) for j in places)
    pure = math.inf if among.least_prior is None else max(_pure(wrong, t, among.least_prior) for t in places)
    return Bounded(most, pure)


@final
class _Wrong:
    """Bounds on the probability that model i beats the true model j."""

    def __init__(self, models: Sequence[tuple[Fraction, ...]], weights: Sequence[Fraction], among: Among) -> None:
        self.models, self.weights, self.among = models, weights, among
        self._affinities = affinities(models)

    @property
    def places(self) -> range:
        return range(len(self.models))

    def log_ratio(self, i: int, j: int) -> float:
        """An upper bound on the logarithm of the largest f_i / f_j."""
        return log_up(max(p / q for p, q in zip(self.models[i], self.models[j], strict=True) if q))

    def log_seen(self, i: int, j: int) -> float:
        """An upper bound on the logarithm of f_i / f_j of the known records."""
        if self.among.seen is None:
            return float((Balls.of(self.log_ratio(i, j)) * self.among.known).upper)
        pairs = zip(self.models[i], self.models[j], self.among.seen, strict=True)
        logs = [(log_up(p / q), count) for p, q, count in pairs if q]
        return float((Balls.of([log for log, _ in logs]) * [count for _, count in logs]).sum().upper)

    def log_chance(self, i: int, j: int, *, person: bool) -> float:
        """An upper bound on the logarithm of the probability, with the person's record or without."""
        ahead = [log_up(self.weights[i] / self.weights[j]), self.log_seen(i, j)]
        ahead += [self.log_ratio(i, j)] if person else []
        return self._affinities[i, j].log_bound(_sum_up(ahead), self.among.others)

    def chance(self, i: int, j: int, *, person: bool) -> float:
        """The same without the logarithm."""
        return exp_up(self.log_chance(i, j, person=person))


def _sum_up(bounds: Sequence[float]) -> float:
    """An upper bound on a sum, from upper bounds on its terms, which may cancel."""
    return float(Balls.of(bounds).sum().upper)


def _pure(wrong: _Wrong, t: int, least: Fraction) -> float:
    """Theorem 14 for output t: ln max{(1 + κ b₁)/(1 - a₀), (1 + κ b₀)/(1 - a₁)}, where a bounds P(F ≠ t) if t is true
    and b bounds P(F = t) if it is not, with the person's record (1) or without (0), and κ bounds the odds against t
    given all that is known. Infinite unless a < 1.
    """
    rest = [i for i in wrong.places if i != t]
    odds = [log_up((1 - least) / least), max(_sum_up([wrong.log_seen(j, t), wrong.log_ratio(j, t)]) for j in rest)]
    missed, taken = [], []
    for person in (False, True):
        missed.append(total_up(wrong.chance(i, t, person=person) for i in rest))
        taken.append(exp_up(_sum_up([*odds, max(wrong.log_chance(t, j, person=person) for j in rest)])))
    if max(missed) >= 1 or max(taken) == math.inf:
        return math.inf
    sides = Balls.of(taken[::-1]).log1p() - (-Balls.of(missed)).log1p()
    return float(sides.upper.max())
