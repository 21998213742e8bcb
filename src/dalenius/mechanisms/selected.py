"""How much choosing a model reveals, when the attacker thinks that the records follow one of the models.

Which one it is may have any prior probabilities, or such that each model has at least `least_prior`. The curve is worst
over them, over the person's value, and over what is known. Distributional privacy is that of the canonical simulator
(the choice without the person's record); `noiseless` compares two values of the record, for each model by itself.

- Any prior: divergences are jointly convex and the posterior weights are the same in both worlds, so the worst prior is
  sure of one model. With at least λ for each: the posterior is a projective map of the prior, which takes corners to
  corners, so the worst prior has λ for all models but one.
- Two values: by the number of ones, exactly, for millions of records. Several values: all histograms, where they can be
  listed. Otherwise Chernoff bounds (coupled worlds, Theorems 13 and 14 sharpened, and 15 repaired):

Let M_ij be the largest f_i/f_j, m the number of unknown records but the person's, and L that of the known ones. When j
is true, F(X) ≠ F(X without the person) only if some i beats j in one of the two, for which its lead over the unknown
records must reach -ln(π_i/π_j) - (L + 1) ln M_ij. So δ ≤ max_j Σ_i min_s (π_i/π_j M_ij^(L+1))^s C_s(i, j)^m.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.beliefs.belief import known_records
from dalenius.beliefs.crowd import law_of_rates
from dalenius.errors import InputError, require
from dalenius.mechanisms.choice import LikeliestRate
from dalenius.mechanisms.models import LikeliestModel, Mode
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.chernoff import affinities, exp_up, log_up
from dalenius.numerics.coupling import Coupling, CouplingCurve, Steps, joint
from dalenius.numerics.curve import Curve
from dalenius.numerics.histograms import LONGEST, Counts, Multinomial, histograms, how_many
from dalenius.numerics.intervals import Intervals
from dalenius.numerics.law import Floats
from dalenius.numerics.rounding import LIBM, TINY, UNIT
from dalenius.records import Number, exact

MOST_WORK = 8_000_000  # histograms times cases
MOST_KNOWN = 200_000
SMALLEST = Fraction(1, 10**15)  # rates that floats tell from 0 and 1

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


def model_curve(
    release: LikeliestRate | LikeliestModel,
    *,
    n: int,
    known: int = 0,
    seen: Sequence[int] | None = None,
    least_prior: Number | None = None,
    noiseless: bool = False,
) -> Curve:
    """δ(ε) of choosing a model from n records that follow one of the models; exact where that can be computed."""
    prior = None if least_prior is None else exact(least_prior, name="least_prior")
    among = Among(n, known, None if seen is None else tuple(seen), prior, noiseless)
    rates = release.as_rates() if isinstance(release, LikeliestModel) else release
    if rates is not None:
        return _by_ones(rates, among)
    if isinstance(release, LikeliestModel) and listable(release, among):
        return by_histograms(release, release.models, among)
    return chernoff_curve(release, among)


# -- two values ------------------------------------------------------------------------------------------------------


def _by_ones(choice: LikeliestRate, among: Among) -> CouplingCurve:
    """Cost: a law for each rate, then O(known) for each pair of worlds."""
    require(among.known <= MOST_KNOWN or among.least_prior is None, f"at most {MOST_KNOWN} known", got=among.known)
    for p in choice.rates:
        require(SMALLEST <= p <= 1 - SMALLEST, "rates between 1e-15 and 1 - 1e-15", got=str(p))
    offsets = np.arange(among.known + 1) if among.seen is None else np.array([among.seen[1]])
    laws = [Intervals.of(law_of_rates(np.array([float(p)]), np.array([among.others]))) for p in choice.rates]
    size, found = len(choice.rates), []
    for first, second, x in _worlds_by_ones(choice, among):
        parts = [joint(law, first, second, offsets, size) for law in laws]
        for corner in among.corners(size):
            if among.least_prior is None:
                found.append(Coupling(*parts[corner.index(1)]))
                continue
            least, most = _weights(choice.rates, corner, offsets + x, among.known + 1)
            found.append(_mixed(parts, least, most))
    return CouplingCurve(tuple(found))


def _worlds_by_ones(choice: LikeliestRate, among: Among) -> Iterator[tuple[Steps, Steps, int]]:
    """The choice in both worlds as functions of the ones among all records but the person's, and the person's value."""
    here = choice.steps(among.n)
    if among.noiseless:
        yield here, here.moved(1), 0
    else:
        yield from ((here.moved(x), choice.steps(among.n - 1), x) for x in (0, 1))


def _weights(rates: Sequence[Fraction], prior: Corner, ones: NDArray[np.int64], records: int) -> tuple[Floats, Floats]:
    """Bounds on the posterior of each model given the ones among so many records: arrays [case, model]."""
    logs, sizes = [], []
    for p, w in zip(rates, prior, strict=True):
        parts = [ones * math.log(p), (records - ones) * math.log(1 - p), np.full(len(ones), math.log(w))]
        logs.append(sum(parts))
        sizes.append(sum(abs(part) for part in parts) + records + 1)
    value, units = np.array(logs).T, (LIBM + 8) * UNIT * np.array(sizes).max(axis=0)
    ratios = np.exp(value - value.max(axis=1, keepdims=True))
    found = ratios / ratios.sum(axis=1, keepdims=True)
    slack = (4 * units + 4 * LIBM * UNIT)[:, None]
    return np.maximum(found * (1 - slack) - TINY, 0.0), np.minimum(found * (1 + slack) + TINY, 1.0)


def _mixed(parts: Sequence[tuple[Floats, Floats]], least: Floats, most: Floats) -> Coupling:
    """The worlds when it is open which model is true, with bounds on the weights [case, model]."""
    units = 2 * (len(parts) + 2) * UNIT
    few = sum(weight[:, None, None] * low for weight, (low, _) in zip(least.T, parts, strict=True))
    many = sum(weight[:, None, None] * high for weight, (_, high) in zip(most.T, parts, strict=True))
    return Coupling(np.asarray(few * (1 - units)), np.asarray(many * (1 + units)))


# -- histograms ------------------------------------------------------------------------------------------------------


def listable(release: LikeliestModel | Mode, among: Among) -> bool:
    """Whether all histograms can be gone through, for each value and each histogram of the known records."""
    cells = len(release.values)
    cases = cells * (1 if among.seen is not None else how_many(among.known, cells))
    return among.others <= LONGEST and how_many(among.others, cells) * cases <= MOST_WORK


def by_histograms(release: LikeliestModel | Mode, laws: Sequence[tuple[Fraction, ...]], among: Among) -> CouplingCurve:
    """The curve under each of the laws, exactly. Cost O(histograms · known histograms · values · models)."""
    cells = len(release.values)
    rows = histograms(among.others, cells)
    spreads = [Multinomial.of(law, among.others, rows) for law in laws]
    known = histograms(among.known, cells) if among.seen is None else np.array([among.seen])
    units, found = np.eye(cells, dtype=np.int64), []
    for seen in known:
        below = rows + seen
        after = [release.winners(below + unit) for unit in units]
        before = None if among.noiseless else release.winners(below)
        for first, second, x in _worlds_by_histogram(after, before):
            parts = [spread.joint(first, second, release.outputs) for spread in spreads]
            for corner in among.corners(len(laws)):
                if among.least_prior is None:
                    found.append(Coupling(*parts[corner.index(1)]))
                else:
                    found.append(_mixed(parts, *_exact_weights(laws, corner, seen + units[x])))
    return CouplingCurve(tuple(found))


def _worlds_by_histogram(after: list[Counts], before: Counts | None) -> Iterator[tuple[Counts, Counts, int]]:
    if before is None:
        for (x, one), (_, two) in combinations(enumerate(after), 2):
            yield one, two, x
    else:
        yield from ((one, before, x) for x, one in enumerate(after))


def _exact_weights(laws: Sequence[tuple[Fraction, ...]], prior: Corner, counts: Counts) -> tuple[Floats, Floats]:
    """Bounds on the posterior of each model given records with these counts: one case."""
    joint_chances = [
        weight * math.prod((p ** int(c) for p, c in zip(law, counts, strict=True)), start=Fraction(1))
        for law, weight in zip(laws, prior, strict=True)
    ]
    total = sum(joint_chances)
    near = np.array([[float(chance / total) for chance in joint_chances]]) if total else np.zeros((1, len(laws)))
    return near * (1 - 2 * UNIT), near * (1 + 2 * UNIT) + (TINY if total else 0.0)


# -- bounds ----------------------------------------------------------------------------------------------------------


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
    most = max(math.fsum(wrong.chance(i, j, person=True) for i in places if i != j) for j in places)
    pure = math.inf if among.least_prior is None else max(_pure(wrong, t, among.least_prior) for t in places)
    return Bounded(most * (1 + 4 * UNIT), pure)


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
            return self.among.known * self.log_ratio(i, j) * (1 + 4 * UNIT)
        pairs = zip(self.models[i], self.models[j], self.among.seen, strict=True)
        logs = [count * log_up(p / q) for p, q, count in pairs if q]
        return math.fsum(logs) + 8 * UNIT * math.fsum(map(abs, logs))

    def log_chance(self, i: int, j: int, *, person: bool) -> float:
        """An upper bound on the logarithm of the probability, with the person's record or without."""
        ahead = log_up(self.weights[i] / self.weights[j]) + self.log_seen(i, j)
        ahead += self.log_ratio(i, j) if person else 0.0
        return self._affinities[i, j].log_bound(ahead + 8 * UNIT * abs(ahead), self.among.others)

    def chance(self, i: int, j: int, *, person: bool) -> float:
        """The same without the logarithm."""
        return exp_up(self.log_chance(i, j, person=person))


def _pure(wrong: _Wrong, t: int, least: Fraction) -> float:
    """Theorem 14 for output t: ln max{(1 + κ b₁)/(1 - a₀), (1 + κ b₀)/(1 - a₁)}, where a bounds P(F ≠ t) if t is true
    and b bounds P(F = t) if it is not, with the person's record (1) or without (0), and κ bounds the odds against t
    given all that is known. Infinite unless a < 1.
    """
    rest = [i for i in wrong.places if i != t]
    odds = log_up((1 - least) / least) + max(wrong.log_seen(j, t) + wrong.log_ratio(j, t) for j in rest)
    missed, taken = [], []
    for person in (False, True):
        missed.append(math.fsum(wrong.chance(i, t, person=person) for i in rest) * (1 + 4 * UNIT))
        taken.append(exp_up(odds + max(wrong.log_chance(t, j, person=person) for j in rest) + 8 * UNIT * abs(odds)))
    if max(missed) >= 1 or max(taken) == math.inf:
        return math.inf
    sides = [math.log1p(taken[1]) - math.log1p(-missed[0]), math.log1p(taken[0]) - math.log1p(-missed[1])]
    return max(sides) * (1 + 4 * LIBM * UNIT)
