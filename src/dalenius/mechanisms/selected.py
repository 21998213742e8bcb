"""How much choosing a model reveals, when the attacker thinks that the records follow one of the models.

Which one it is may have any prior probabilities, or such that each model has at least `least_prior`. The curve is worst
over them, over the person's value, and over what is known. Distributional privacy is that of the canonical simulator
(the choice without the person's record); `noiseless` compares two values of the record, for each model by itself.

- Any prior: divergences are jointly convex and the posterior weights are the same in both worlds, so the worst prior is
  sure of one model. With at least λ for each: the posterior is a projective map of the prior, which takes corners to
  corners, so the worst prior has λ for all models but one.
- Two values: by the number of ones, exactly, for millions of records. Several values: all histograms, where they can be
  listed, or those near the mean. Otherwise Chernoff bounds (`wrong_models`).
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import require
from dalenius.beliefs.crowd import law_of_rates
from dalenius.enclosure.balls import Balls, total
from dalenius.enclosure.outward import add_down, add_up, float_down, float_up, times_down, times_up
from dalenius.facts.records import Number, exact
from dalenius.mechanisms.choice import LikeliestRate
from dalenius.mechanisms.models import LikeliestModel, Mode
from dalenius.mechanisms.wrong_models import Among, Bounded, Corner, chernoff_curve
from dalenius.numerics.coupling import Coupling, CouplingCurve, CouplingSteps, joint
from dalenius.numerics.curve import Curve, Enclosed
from dalenius.numerics.histograms import LONGEST, Counts, Multinomial, histograms, how_many, near, windowed
from dalenius.numerics.intervals import Intervals
from dalenius.numerics.law import Floats

MOST_WORK = 2_000_000  # histograms times cases
MOST_NEAR = 10_000_000  # the same, where only those near the mean are listed
WINDOWED = 3  # cells up to which that is tried
MOST_KNOWN = 200_000
SMALLEST = Fraction(1, 10**15)  # rates that floats tell from 0 and 1


def model_curve(
    release: LikeliestRate | LikeliestModel,
    *,
    n: int,
    known: int = 0,
    seen: Sequence[int] | None = None,
    least_prior: Number | None = None,
    noiseless: bool = False,
) -> Curve:
    """δ(ε) of choosing a model from n records that follow one of the models; exact where that can be computed.

    >>> import dalenius as dl
    >>> quarters = dl.mechanisms.likeliest_rate(0.25, 0.75)
    >>> print(dl.mechanisms.model_curve(quarters, n=61).delta(0))
    [1.831e-5, 1.832e-5]
    """
    prior = None if least_prior is None else exact(least_prior, name="least_prior")
    among = Among(n, known, None if seen is None else tuple(seen), prior, noiseless)
    rates = release.as_rates() if isinstance(release, LikeliestModel) else release
    if rates is not None:
        return _by_ones(rates, among)
    bound = chernoff_curve(release, among)
    listed = isinstance(release, LikeliestModel) and listable(release, release.models, among)
    if listed is False or not isinstance(release, LikeliestModel):
        return bound
    # a value that no model allows excludes all of them: it is none that a record may have
    targets = [place for place in range(len(release.values)) if any(model[place] for model in release.models)]
    if listed:
        return by_histograms(release, release.models, among, targets=targets)
    return tightened(by_histograms(release, release.models, among, targets=targets, nearby=True), bound)


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


def _worlds_by_ones(choice: LikeliestRate, among: Among) -> Iterator[tuple[CouplingSteps, CouplingSteps, int]]:
    """The choice in both worlds as functions of the ones among all records but the person's, and the person's value."""
    here = choice.steps(among.n)
    if among.noiseless:
        yield here, here.moved(1), 0
    else:
        yield from ((here.moved(x), choice.steps(among.n - 1), x) for x in (0, 1))


def _weights(rates: Sequence[Fraction], prior: Corner, ones: NDArray[np.int64], records: int) -> tuple[Floats, Floats]:
    """Bounds on the posterior of each model given the ones among so many records: arrays [case, model]."""
    logs = [
        Balls.of(p).log() * ones + Balls.of(1 - p).log() * (records - ones) + Balls.of(w).log()
        for p, w in zip(rates, prior, strict=True)
    ]
    top = np.max([log.middle for log in logs], axis=0)
    ratios = [(log - top).exp() for log in logs]
    whole = total(ratios)
    found = [ratio / whole for ratio in ratios]
    least, most = np.array([one.positive for one in found]).T, np.array([one.upper for one in found]).T
    return least, np.minimum(most, 1.0)


def _mixed(parts: Sequence[tuple[Floats, Floats]], least: Floats, most: Floats) -> Coupling:
    """The worlds when it is open which model is true, with bounds on the weights [case, model]."""
    few, many = np.zeros((2, *parts[0][0].shape))
    for low_weight, high_weight, (low, high) in zip(least.T, most.T, parts, strict=True):
        few = add_down(few, times_down(low_weight[:, None, None], low))
        many = add_up(many, times_up(high_weight[:, None, None], high))
    return Coupling(few, many)


# -- histograms ------------------------------------------------------------------------------------------------------


def listable(release: LikeliestModel | Mode, laws: Sequence[tuple[Fraction, ...]], among: Among) -> bool | None:
    """Whether all histograms can be gone through, for each value and each histogram of the known records; None if only
    those near the mean can.
    """
    cells = len(release.values)
    cases = cells * (1 if among.seen is not None else how_many(among.known, cells))
    if how_many(among.others, cells) * cases <= MOST_WORK:
        return True
    if among.others > LONGEST or cells > WINDOWED:
        return False
    sizes = [math.prod(high - low for low, high in near(law, among.others)[0][:-1]) for law in laws]
    return None if max(sizes) * cases <= MOST_NEAR else False


def by_histograms(
    release: LikeliestModel | Mode,
    laws: Sequence[tuple[Fraction, ...]],
    among: Among,
    *,
    targets: Sequence[int] | None = None,
    nearby: bool = False,
) -> CouplingCurve:
    """The curve under each of the laws, exactly; `nearby` lists histograms near the mean only, and charges the rest.

    `targets`: the values, by place, that the person's record may have, all of them by default, whether or not a law
    gives them mass. Known records have values to which the laws give some: models that differ in what they allow at all
    are not compared.

    Cost O(histograms · known histograms · values · models).
    """
    cells = len(release.values)
    if nearby:
        spreads = [Multinomial.of(law, among.others, *windowed(law, among.others)) for law in laws]
    else:
        rows = histograms(among.others, cells)
        spreads = [Multinomial.of(law, among.others, rows) for law in laws]
    places = tuple(range(cells)) if targets is None else tuple(targets)
    known = histograms(among.known, cells) if among.seen is None else np.array([among.seen])
    never = np.array([all(law[cell] == 0 for law in laws) for cell in range(cells)])
    known = known[~((known > 0) & never).any(axis=1)]
    require(
        len(known) > 0,
        "known records that one of the models allows",
        got=among.seen,
        remedy="Count values to which some model gives a positive probability.",
    )
    found: list[Coupling] = []
    for seen in known:
        chosen = _chosen(release, spreads, seen, places, noiseless=among.noiseless)
        for x, parts in _joined(spreads, chosen, release.outputs):
            for corner in among.corners(len(laws)):
                if among.least_prior is None:
                    found.append(Coupling(*parts[corner.index(1)]))
                else:
                    seen_and_own = seen + np.eye(cells, dtype=np.int64)[x]
                    found.append(_mixed(parts, *_exact_weights(laws, corner, seen_and_own)))
    return CouplingCurve(tuple(found))


def _chosen(
    release: LikeliestModel | Mode,
    spreads: Sequence[Multinomial],
    seen: Counts,
    targets: Sequence[int],
    *,
    noiseless: bool,
) -> list[list[tuple[Counts, Counts, int]]]:
    """For each law the choice in both worlds, for each of its histograms; laws may share them."""
    made: dict[int, list[tuple[Counts, Counts, int]]] = {}
    for spread in spreads:
        if id(spread.rows) not in made:
            below = spread.rows + seen
            units = np.eye(len(seen), dtype=np.int64)
            after = [(x, release.winners(below + units[x])) for x in targets]
            before = None if noiseless else release.winners(below)
            made[id(spread.rows)] = list(_worlds_by_histogram(after, before))
    return [made[id(spread.rows)] for spread in spreads]


def _joined(
    spreads: Sequence[Multinomial], chosen: list[list[tuple[Counts, Counts, int]]], outputs: int
) -> Iterator[tuple[int, list[tuple[Floats, Floats]]]]:
    """The value of the person and the joint laws of the choice in both worlds under each law."""
    for cases in zip(*chosen, strict=True):
        parts = [spread.joint(one, two, outputs) for spread, (one, two, _) in zip(spreads, cases, strict=True)]
        yield cases[0][2], parts


def tightened(whole: CouplingCurve, bound: Bounded) -> Curve:
    """What is computed, or the bound above it where what was left out is more."""
    return whole if whole.delta(Fraction(0)).upper <= bound.most else Enclosed(whole, bound)


def _worlds_by_histogram(
    after: list[tuple[int, Counts]], before: Counts | None
) -> Iterator[tuple[Counts, Counts, int]]:
    """The choice in both worlds, and the value of the person's record in the first."""
    if before is None:
        for (x, one), (_, two) in combinations(after, 2):
            yield one, two, x
    else:
        yield from ((one, before, x) for x, one in after)


def _exact_weights(laws: Sequence[tuple[Fraction, ...]], prior: Corner, counts: Counts) -> tuple[Floats, Floats]:
    """Bounds on the posterior of each model given records with these counts: one case."""
    joint_chances = [
        weight * math.prod((p ** int(c) for p, c in zip(law, counts, strict=True)), start=Fraction(1))
        for law, weight in zip(laws, prior, strict=True)
    ]
    whole = sum(joint_chances)
    if not whole:
        return np.zeros((1, len(laws))), np.zeros((1, len(laws)))
    exactly = [chance / whole for chance in joint_chances]
    return np.array([[*map(float_down, exactly)]]), np.array([[*map(float_up, exactly)]])
