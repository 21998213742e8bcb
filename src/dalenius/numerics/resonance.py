"""Hidden lattices: frequencies at which a record of a wide range is far from random, and all others.

If nearly all values are multiples of q, then |E exp(itX)| comes near one again at t = 2πj/q. `lattice_of` looks for
such a q; `spare` bounds the sum of the characteristic function over all frequencies that an inversion leaves out.
Between two points of the frequency line it is bounded in two ways:

- incoherently, by runs: a run of m values, `step` apart, has about |sin(m step t/2)|/(m |sin(step t/2)|);
- coherently: F(t) = |E exp(itX)|² has |F''| <= E(X - X')², so between lo and hi it is at most the larger of its values
  there plus (hi - lo)²/8 times that.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.outward import amply_down, amply_up, raised
from dalenius.numerics.law import Floats
from dalenius.numerics.runs import Runs

SMALL = -46.0  # logarithm of a characteristic function that need not be known better
RATIO = 1.5  # of neighbouring cells, to begin with
HALVINGS = 40
MOST_CELLS = 4_000
HEAVIEST = 40  # runs among which lattices are looked for
SINGLE = 2048  # bands that are looked at one by one; then they come in blocks
SLACK = 1e-9  # of a sine near its zero, and of what bounds are off by
ROUNDINGS = 450  # more than a mean of runs, a difference and a quotient lose


@final
@dataclass(frozen=True, slots=True, eq=False)
class ResonantLattice:
    """Numbers that leave one remainder modulo `q`, one for each type of record, and the runs that consist of them."""

    q: int
    remainders: tuple[int, ...]
    inside: tuple[NDArray[np.bool_], ...]
    shares: tuple[Fraction, ...]  # the weight of these runs

    def logarithm(self, counts: Sequence[int]) -> float:
        """Log of the probability that all records are on it, within `LIBM` units and four."""
        return math.fsum(count * _log(share) for count, share in zip(counts, self.shares, strict=True))


def _log(share: Fraction) -> float:
    """Of a probability: by what is missing from one, or as it is, whichever is less (below 1e-300: not told apart)."""
    return math.log1p(-float(1 - share)) if 2 * share > 1 else math.log(max(float(share), 1e-300))


def span_of(types: Sequence[Runs]) -> int:
    """The largest number that divides all differences of values of a type; 0 if records are constant."""
    return math.gcd(
        *(int(first - one.first[0]) for one in types for first in one.first),
        *(int(step) for one in types for step, count in zip(one.step, one.count, strict=True) if count > 1),
    )


def lattice_of(
    types: Sequence[Runs], weights: Sequence[Sequence[Fraction]], counts: Sequence[int]
) -> ResonantLattice | None:
    """The lattice with q > 1 on which all records are most likely; None if there is none to speak of."""
    found = [_on(q, types, weights) for q in sorted(_candidates(types))]
    likely = [one for one in found if one is not None]
    return max(likely, key=lambda one: (one.logarithm(counts), one.q), default=None)


def _candidates(types: Sequence[Runs]) -> set[int]:
    """Common divisors of two runs, and of more and more of the heaviest."""
    found: set[int] = set()
    for one in types:
        order = np.argsort(-one.weight, kind="stable")[:HEAVIEST].tolist()
        runs = [(int(one.first[i]), int(one.step[i]) if one.count[i] > 1 else 0) for i in order]
        found |= {step for _, step in runs}
        found |= {math.gcd(a[1], b[1], a[0] - b[0]) for a, b in combinations(runs, 2)}
        common = 0
        for first, step in runs:
            common = math.gcd(common, step, first - runs[0][0])
            found.add(common)
    return {q for q in found if q > 1}


def _on(q: int, types: Sequence[Runs], weights: Sequence[Sequence[Fraction]]) -> ResonantLattice | None:
    remainders, masks, shares = [], [], []
    for one, chances in zip(types, weights, strict=True):
        whole = (one.step % q == 0) | (one.count == 1)
        places = one.first % q
        sums: dict[int, Fraction] = {}
        for place, fits, chance in zip(places.tolist(), whole.tolist(), chances, strict=True):
            if fits:
                sums[place] = sums.get(place, Fraction(0)) + chance
        if not sums:
            return None
        best = max(sums, key=lambda place: (sums[place], -place))
        remainders.append(best)
        masks.append(whole & (places == best))
        shares.append(sums[best])
    return ResonantLattice(q, tuple(remainders), tuple(masks), tuple(shares))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Tilted:
    """One type of record under a tilt, or the part of it on some runs; `share` is the weight of that part."""

    runs: Runs
    theta: float
    weights: Floats  # tilted; they sum to the share
    kappa: Floats
    faded: Floats  # d, see `Runs.tilted`
    share: float
    spread: float  # E(X - X')² at most, for the part, rescaled to a probability; `between` rounds it up

    @classmethod
    def of(cls, runs: Runs, theta: float, chosen: NDArray[np.bool_] | None = None) -> "Tilted":
        weights, kappa, faded = runs.tilted(theta)
        mask = np.ones(len(weights), dtype=bool) if chosen is None else chosen
        part = Runs(runs.first[mask], runs.step[mask], runs.count[mask], runs.weight[mask])
        weights, kappa, faded = weights[mask], kappa[mask], faded[mask]
        share = float(weights.sum())
        base = int(runs.first[0])  # values may be far from zero
        centre = float(weights @ part.away(base)) / share if share else 0.0
        reach = np.maximum(np.abs(part.first - base - centre), np.abs(part.last - base - centre))
        spread = 2 * float(weights @ reach**2) / share if share else 0.0
        return cls(part, theta, weights, kappa, faded, min(1.0, amply_up(share)), spread)

    def incoherent(self, low: Floats, high: Floats) -> Floats:
        """A bound on |Σ weights · characteristic functions| between low and high, by runs."""
        half = self.runs.step / 2
        one, two = np.multiply.outer(low, half), np.multiply.outer(high, half)
        least = np.minimum(np.abs(np.sin(one)), np.abs(np.sin(two)))
        crossed = np.floor(two / math.pi) > np.floor(one / math.pi)  # or nearly: then the sine is below its slack
        least = np.where(crossed, 0.0, np.maximum(least - SLACK * (1e-3 + 1e-6 * two), 0.0))
        wave = np.abs(np.sin((one + two) / 2 * self.runs.count)) + (two - one) / 2 * self.runs.count
        wave = np.minimum(1.0, wave + SLACK * (1 + 1e-6 * two * self.runs.count))
        top = self.kappa * (1 - self.faded + 2 * self.faded * wave)
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(least > 0, np.minimum(1.0, top / least), 1.0)
        return np.asarray(amply_up((each * self.weights).sum(axis=1)))

    def sizes(self, t: Floats) -> Floats:
        """Upper bounds on |Σ weights · characteristic functions| at these frequencies."""
        if not len(self.weights) or not self.share:
            return np.zeros(len(t))
        whole = self.runs.weight / self.runs.weight.sum()
        part = Runs(self.runs.first, self.runs.step, self.runs.count, whole)
        base = round(float(self.weights @ part.middle) / self.share)
        s, slip = part.grown(np.full(len(t) + 1, self.theta), np.append(t, 0.0), base)
        size = np.abs(1 + s) + slip
        quotient = raised(size[:-1] / (size[-1] - 2 * slip[-1]), ROUNDINGS)
        return np.asarray(np.minimum(quotient, 1.0) * self.share)

    def between(self, low: Floats, high: Floats, ends: Floats) -> Floats:
        """A bound on the same between low and high, where it is at most `ends` at one and `ends` at the other."""
        if not self.share:
            return np.zeros(len(low))
        bend = self.spread * (high - low) ** 2 / 8 * self.share**2
        return np.asarray(amply_up(np.minimum(self.share, np.sqrt(ends**2 + bend))))


@final
@dataclass(frozen=True, slots=True, eq=False)
class FrequencyCells:
    """Ranges of frequencies, and a bound on each type's characteristic function there: one row a type."""

    low: Floats
    high: Floats
    bounds: Floats

    def logarithms(self, counts: Floats, more: Floats | float = 0.0) -> Floats:
        return _logarithms(self.bounds + more, counts)

    def numbers(self, length: int) -> Floats:
        """How many multiples of 2π/length a cell may hold, before `spare` rounds their sum up."""
        return np.asarray((self.high - self.low) * (length / (2 * math.pi)) + 1)


def _logarithms(bounds: Floats, counts: Floats) -> Floats:
    """Log Π bounds^counts, from above. Bounds are off by `SLACK` at most, upwards."""
    with np.errstate(divide="ignore"):
        return np.asarray(_times(counts, np.log(np.minimum(bounds, 1.0))))


def _times(counts: Floats, values: Floats) -> Floats:
    """Σ over types of counts times values."""
    return np.asarray((values * counts.reshape(-1, *(1,) * (values.ndim - 1))).sum(axis=0))


def cover(types: Sequence[Tilted], counts: Floats, low: float, high: float) -> FrequencyCells:
    """Cells from low to high, halved until the characteristic function of the sum is negligible in each, as far as
    that can be shown with `MOST_CELLS`.
    """
    steps = max(1, math.ceil(math.log(high / low) / math.log(RATIO)))
    edges = np.append(low * RATIO ** np.arange(steps), high)
    edges = np.append(edges[edges < high], high)
    one, two = edges[:-1], edges[1:]
    kept: list[tuple[Floats, Floats, Floats]] = []
    done = 0
    for turn in range(HALVINGS):
        bounds = np.array([each.incoherent(one, two) for each in types])
        hard = np.flatnonzero(_logarithms(bounds, counts) > SMALL)
        if len(hard):
            points, where = np.unique(np.concatenate([one[hard], two[hard]]), return_inverse=True)
            for row, each in enumerate(types):
                sizes = each.sizes(points)[where]
                ends = np.maximum(sizes[: len(hard)], sizes[len(hard) :])
                bounds[row, hard] = np.minimum(bounds[row, hard], each.between(one[hard], two[hard], ends))
        bad = _logarithms(bounds, counts) > SMALL
        done += len(one)
        if turn == HALVINGS - 1 or done > MOST_CELLS:
            bad[:] = False
        kept.append((one[~bad], two[~bad], bounds[:, ~bad]))
        if not bad.any():
            break
        middle = (one[bad] + two[bad]) / 2
        one, two = np.concatenate([one[bad], middle]), np.concatenate([middle, two[bad]])
    return FrequencyCells(*(np.concatenate([part[i] for part in kept], axis=-1) for i in range(3)))


@final
@dataclass(frozen=True, slots=True)
class Spare:
    """Bounds on Σ over all frequencies 2πm/length that are left out, of both signs, relative to the sum at zero:
    of the law without the part on a lattice, apart from the lattice's frequencies (`rest`) and next to them
    (`bands`), and of that part, over one band of the lattice (`part`).
    """

    rest: float
    part: float
    bands: float


def spare(
    types: Sequence[Runs],
    counts: Sequence[int],
    theta: float,
    *,
    length: int,
    kept: int,
    lattice: ResonantLattice | None,
) -> Spare:
    """What is left out by an inversion that keeps the frequencies 2πm/length, |m| <= kept.

    With a lattice, v = p - u is inverted, u being the part of the law where all records are on the lattice: the
    transform of u repeats itself at every 2πj/q, and there |Π (a_t + b_t)^n_t - Π a_t^n_t| is at most the same of the
    absolute values, with the parts a_t on the lattice and b_t off it.
    """
    number, top = np.array(counts, dtype=float), 2 * math.pi * (kept + 0.5) / length
    everyone = [Tilted.of(one, theta) for one in types]
    q = lattice.q if lattice else 1
    if top >= math.pi / q:
        return Spare(math.inf, math.inf, math.inf)
    low = amply_down(2 * math.pi * (kept + 1) / length)
    whole = cover(everyone, number, low, math.pi / q)
    rest = 2 * float(np.exp(whole.logarithms(number)) @ whole.numbers(length))
    if lattice is None:
        return Spare(amply_up(rest), 0.0, 0.0)
    inner = [Tilted.of(one, theta, mask) for one, mask in zip(types, lattice.inside, strict=True)]
    outer = [Tilted.of(one, theta, ~mask) for one, mask in zip(types, lattice.inside, strict=True)]
    part_cells = cover(inner, number, low, math.pi / q)
    part = 2 * float(np.exp(part_cells.logarithms(number)) @ part_cells.numbers(length))
    t: Floats = 2 * math.pi / length * np.arange(kept + 1, dtype=float)
    near = np.array([each.sizes(t) for each in inner])
    first, last = np.array(_bands(q), dtype=float).T
    bands, start, stop = last - first + 1, 2 * math.pi / q * first, 2 * math.pi / q * last
    close = np.array([each.incoherent(start - top, stop + top) for each in outer])
    bound = 4 * float(bands @ _gained(near[:, None, :], close[:, :, None], number).sum(axis=1))
    far = np.array([each.incoherent(start - math.pi / q, stop + math.pi / q) for each in outer])
    logs = _logarithms(part_cells.bounds[:, None, :] + far[:, :, None], number)
    rest += 4 * float(bands @ (np.exp(logs) @ part_cells.numbers(length)) + bands.sum() * part / 2) + part
    return Spare(amply_up(rest), amply_up(part), amply_up(bound))


def _gained(near: Floats, close: Floats, counts: Floats) -> Floats:
    """Π (a + b)^n - Π a^n, the types along the first axis."""
    log_near = _logarithms(near, counts)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        more = _times(counts, np.log1p(close / near))
        product = np.exp(log_near) * np.expm1(more)
    upper = np.exp(np.minimum(0.0, _logarithms(near + close, counts)))
    return np.asarray(np.where(np.isfinite(product), np.minimum(product, upper), upper))


def _bands(q: int) -> list[tuple[int, int]]:
    """The multiples of 2π/q up to π, one by one and then in blocks."""
    last = q // 2
    edges = list(range(1, min(last, SINGLE) + 1))
    while edges and edges[-1] < last:
        edges.append(min(last, edges[-1] + max(1, edges[-1] // 16)))
    return [(a, b - 1) for a, b in pairwise([*edges, last + 1])] if edges else []
