r"""Esscher tilts of a Markov chain, by its Perron vector: where the law of a long sum is looked at, and which
frequencies matter there.

With M(a, b) = P(a, b) e^{θ c(b)} and any positive h and λ, Q(a, b) = M(a, b) h(b) / (λ h(a)) has the same products up
to telescoping factors. With λ and h close to the Perron pair, rows of Q sum to about one: nothing grows or vanishes
however long the chain. Multiplying column b by e^{it c(b)} gives Q_t, and for every record i and state a

$$ E[e^{(θ+it)S};\, X_i = a] = λ^{n-1}\, (p_t Q_t^{i-1})_a\, (Q_t^{n-i} z)_a, \qquad
   p_t(x) = P(X_1 = x)\, e^{(θ+it)c(x)} h(x), \quad z = 1/h. $$

*Chernoff.* If M h ≤ λ h entrywise then E e^{θS} ≤ λ^{n-1} Σ_x P(X_1 = x) e^{θ c(x)} h(x) / min h (`bound`): no
eigenvalue is trusted. Given X_i = a it is at most 1 / P(X_i = a) times as much.

*Frequencies left out.* |(p_t Q_t^{i-1})_a (Q_t^{n-i} z)_a| ≤ |p|_1 max z ‖Q_t^W‖^{(n-1)/W - 2} for each W, in the norm
of absolute row sums: W is doubled, and a frequency is dropped as soon as that is negligible. At the last W, with
B = Q_t^W, it is at most |p|_1 max z times the largest ‖B^j‖ ‖B^k‖ with j + k = ⌊(n-1)/W⌋ - 1. (Rows of |Q_t| sum to
one, up to rounding, which is charged.)

*Chances below `FAINT`* are left out here, so that all that are kept have their full precision (`chances`). Some such
move is made with a chance of at most u = n · states · FAINT (`unlikely`), so P(S = k, X_i = a) and P(X_i = a) are each
too small by at most u, and their ratio is off by at most u / P(X_i = a).

*Stretches.* If what follows the last record is known, the chance e(x) of it from each last state comes in: z = e/h, and
P(X_i = a) is the chance of X_i = a and of the end. Other stretches that are added multiply all transforms by their own
(`chainbeside`), which is at most 1 in size, and Chernoff's bound by E e^{θR}.
"""

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.exponents import least_exponential
from dalenius.enclosure.matrices import Powers, entry_slip, log_growth, sum_up_logs
from dalenius.enclosure.outward import HELD, HIGHEST_POWER, bounds_up
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics.chain import MarkovChain
from dalenius.numerics.chainbeside import Beside
from dalenius.numerics.law import Floats

STRIDE = 2.5  # standard deviations between two rungs
WINDOW = 12.0  # standard deviations in a window
SPARE = 9.5  # and at least so many beyond the integers it answers for
STEEPEST = 25.0  # tilts go up to this, for the state that adds the most
FAINT = 1e-290  # chances below this are left out
DAMPED = 1e-18  # frequencies below this are left out
FOLDED = 1e-17  # mass that a window may fold back before it is made longer
LONGEST = 1 << 21
DEAREST = 100_000_000  # frequencies that matter times integers that a rung answers for
PIECES = 32  # into which a chain is cut to see how small a frequency is
PUSHES = (0.5, 0.7, 0.85, 1.0, 1.2)


def entry_of(chain: MarkovChain, theta: float) -> float:
    """Relative error of an entry of Q_t."""
    return entry_slip(abs(theta) * max(chain.adds))


def chances(chain: MarkovChain) -> tuple[Floats, Floats]:
    """The chances of the first state and of each move, but for those that are next to nothing."""
    start, moves = np.array(chain.start, dtype=float), np.array(chain.moves, dtype=float)
    return np.where(start < FAINT, 0.0, start), np.where(moves < FAINT, 0.0, moves)


def ending(chain: MarkovChain) -> Floats:
    """The chance of the end from each last state."""
    return np.array(chain.end or [1.0] * chain.size, dtype=float)


def unlikely(chain: MarkovChain) -> float:
    """A bound on the chance that the chain begins or moves in a way that `chances` leaves out; above 0 also if only a
    stretch beside it may begin so.
    """
    rows = (chain.start, *chain.moves, *(stretch.start for stretch, _ in chain.beside))
    left_out = any(0 < chance < FAINT for row in rows for chance in row)
    return bounds_up(chain.n * chain.size * FAINT) if left_out else 0.0


@final
@dataclass(frozen=True, slots=True, eq=False)
class ChainTilt:
    """One real tilt: Q, p and z, and the logarithm of λ."""

    theta: float
    log_scale: float
    moves: Floats
    first: Floats
    last: Floats
    beside: Beside | None = None  # other stretches, log E e^{θR} of them all, and its error
    log_beside: float = 0.0
    off: float = 0.0


def tilted(chain: MarkovChain, theta: float) -> ChainTilt:
    """The chain under a tilt. At θ = 0 it is the chain itself."""
    start, moves = chances(chain)
    if theta == 0:
        plain = ChainTilt(0.0, 0.0, moves, start, ending(chain))
        return _joined(chain, plain, np.ones(chain.size), np.ones(chain.size))
    factors = np.exp(theta * np.array(chain.adds, dtype=float))
    raised = moves * factors
    scale, h = _perron(raised)
    # the last product is the only one that may fall below the smallest floats
    alone = ChainTilt(
        theta, math.log(scale), raised * (h / (scale * h[:, None])), start * factors * h, ending(chain) / h
    )
    return _joined(chain, alone, factors, h)


def _joined(chain: MarkovChain, tilt: ChainTilt, factors: Floats, h: Floats) -> ChainTilt:
    """The tilt with what the stretches beside the chain have of it."""
    if not chain.beside:
        return tilt
    stretches, counts = zip(*chain.beside, strict=True)
    starts, ends = (np.array([part(one) for one in stretches]) for part in (lambda one: chances(one)[0], ending))
    lengths, entry = [one.n for one in stretches], entry_of(chain, tilt.theta)
    under = Beside.of(tilt.moves, starts * factors * h, ends / h, lengths, counts, entry)
    mean, off = under.log_mean(tilt.log_scale)
    if tilt.theta:
        plain, more = Beside.of(chances(chain)[1], starts, ends, lengths, counts, entry).log_mean(0.0)
        mean, off = mean - plain, off + more
    else:
        mean, off = 0.0, 0.0
    return replace(tilt, beside=under, log_beside=mean, off=off)  # with room for the difference of two such sums


def _perron(matrix: Floats) -> tuple[float, Floats]:
    values, vectors = np.linalg.eig(matrix)
    top = int(np.argmax(values.real))
    h = np.abs(vectors[:, top])
    return float(values[top].real), np.maximum(h / h.max(), 1e-60)


def bound(chain: MarkovChain, theta: float) -> float:
    """An upper bound on log E e^{θS}, times the chance of the end."""
    factors = np.exp(theta * np.array(chain.adds, dtype=float))
    start, moves = chances(chain)
    raised = moves * factors
    h = _perron(raised)[1]
    most = float((raised @ h / h).max())
    begin = float((start * factors * h).sum() * (ending(chain) / h).max())
    alone = log_growth(chain.n - 1, most, begin, entry_of(chain, theta), chain.size)
    if not chain.beside:
        return alone
    tilt = tilted(chain, theta)
    return sum_up_logs(alone, tilt.log_beside, tilt.off)


@final
@dataclass(frozen=True, slots=True, eq=False)
class ChainRung:
    """A tilt, the integers it answers for, and the frequencies 2πf/length that are kept; the length is odd."""

    tilt: ChainTilt
    first: int
    last: int
    length: int
    kept: NDArray[np.int64]
    dropped: float  # a bound on Σ |G| over both signs of the frequencies left out
    alias: float  # a bound on the tilted mass folded onto [first, last], in units of λ^{n-1}, times P(X_i = a)
    factors: Complexes | None = None  # what stretches beside the chain multiply the kept frequencies by

    @property
    def weights(self) -> Floats:
        """How often each kept frequency counts in the inverse transform."""
        return np.where(self.kept == 0, 1.0, 2.0) / self.length

    def turned(self, adds: tuple[int, ...]) -> Complexes:
        """e^{it c(b)} for each kept frequency and state."""
        return turns(self.kept, np.array(adds, dtype=np.int64), self.length)


def turns(frequencies: NDArray[np.int64], steps: NDArray[np.int64], length: int) -> Complexes:
    """exp(2πi f k / length), the product reduced in whole numbers first."""
    angles = (2 * math.pi / length) * (np.outer(frequencies, steps % length) % length)
    found = np.empty(angles.shape, dtype=complex)
    np.cos(angles, out=found.real)
    np.sin(angles, out=found.imag)
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    theta: float
    centre: float
    deviation: float


def rungs(chain: MarkovChain, floor: float, most: int) -> tuple[list[ChainRung], float] | None:
    """The rungs that leave out about `floor` of the mass at each end, and a bound on the mass outside them times
    P(X_i = a), whatever i and a. The tilt 0 is among them. None if they need more than `most` frequencies.
    """
    middle = _place(chain, 0.0, math.sqrt(chain.records) * max(chain.adds))
    for _ in range(2):
        middle = _place(chain, 0.0, middle.deviation)
    below, above = _climb(chain, middle, -1, floor), _climb(chain, middle, 1, floor)
    places = [*reversed(below), middle, *above]
    cuts = [math.floor((one.centre + two.centre) / 2) for one, two in pairwise(places)]
    own, left = round(middle.centre), len(below)  # the tilt 0 answers for one integer at least
    cuts = [*(min(cut, own - 1) for cut in cuts[:left]), *(max(cut, own) for cut in cuts[left:])]
    reach = [2.5 * place.deviation + 3 for place in places]
    firsts = [max(0, math.floor(places[0].centre - reach[0])), *[cut + 1 for cut in cuts]]
    lasts = [*cuts, min(chain.highest, math.ceil(places[-1].centre + reach[-1]))]
    found: list[ChainRung] = []
    for place, first, last in zip(places, firsts, lasts, strict=True):
        if first <= last:
            found.append(_rung(chain, place, first, last))
            most -= len(found[-1].kept)
            if most < 0:
                return None
    outside = 0.0
    if firsts[0] > 0:
        outside += _beyond(chain, places[0], firsts[0] - 1, -1)
    if lasts[-1] < chain.highest:
        outside += _beyond(chain, places[-1], lasts[-1] + 1, 1)
    return found, outside


def _cumulant(chain: MarkovChain, theta: float) -> float:
    """Log E e^{θS}, roughly."""
    if theta == 0:
        return 0.0
    tilt = tilted(chain, theta)
    return chain.n * tilt.log_scale + tilt.log_beside


def _place(chain: MarkovChain, theta: float, deviation: float) -> _Place:
    """Mean and standard deviation under a tilt, roughly: nothing rests on them."""
    step = min(0.1 / deviation, 1 / max(chain.adds))
    low, here, high = (_cumulant(chain, theta + shift) for shift in (-step, 0.0, step))
    mean = (high - low) / (2 * step)
    variance = max((high - 2 * here + low) / step**2, 0.09)
    return _Place(theta, min(max(mean, 0.0), float(chain.highest)), math.sqrt(variance))


def _climb(chain: MarkovChain, place: _Place, sign: int, floor: float) -> list[_Place]:
    found: list[_Place] = []
    while len(found) < 60:
        reached = place.centre + sign * 1.5 * place.deviation
        if not 0 < reached < chain.highest or bound(chain, place.theta) - place.theta * reached < math.log(floor):
            break
        theta = place.theta + sign * STRIDE / place.deviation
        if abs(theta) * max(chain.adds) > STEEPEST:
            break
        following = _place(chain, theta, place.deviation)
        if sign * (following.centre - place.centre) < 0.05 * place.deviation:
            break
        place = following
        found.append(place)
    return found


def _beyond(chain: MarkovChain, place: _Place, k: int, sign: int) -> float:
    """The mass at and beyond k on one side, by Chernoff."""
    slopes = [(abs(place.theta) + more / place.deviation) * part for part in PUSHES for more in (0.5, 2.5)]
    slopes = [sign * slope for slope in slopes if slope * max(chain.adds) < STEEPEST]
    bounds = np.array([bound(chain, slope) for slope in slopes])
    return bounds_up(least_exponential((bounds, -np.array(slopes) * k), 0.0))


def _rung(chain: MarkovChain, place: _Place, first: int, last: int) -> ChainRung:
    tilt = tilted(chain, place.theta)
    length = math.ceil(max(WINDOW * place.deviation, last - first + SPARE * place.deviation) + 24) | 1
    length = min(length, chain.highest + 1 | 1)
    alias = _alias(chain, tilt, place, first, last, length)
    while alias > FOLDED and length <= min(chain.highest, LONGEST):
        length = min(2 * length | 1, chain.highest + 1 | 1)
        alias = _alias(chain, tilt, place, first, last, length)
    if length <= 2 * LONGEST + 1:
        kept, dropped, factors = _kept(chain, tilt, length)
        if len(kept) * (last - first + 1) <= DEAREST:
            return ChainRung(tilt, first, last, length, kept, dropped, alias, factors)
    raise InputError(
        f"The sum of a chain of this many records must vary smoothly or by little, but it does unevenly, by {length} "
        "units. Declare a coarser unit, or judge a shorter stretch of the chain."
    )


def _alias(chain: MarkovChain, tilt: ChainTilt, place: _Place, first: int, last: int, length: int) -> float:
    total, base = 0.0, (chain.n - 1) * tilt.log_scale + tilt.log_beside
    away = (length - (last - first) / 2) / place.deviation**2
    for edge, sign in ((first + length, 1), (last - length, -1)):
        if not 0 <= edge <= chain.highest:
            continue
        gentle = np.geomspace(0.3 / place.deviation, away, 12).tolist()  # for tails that are longer than Gaussian ones
        steepest = STEEPEST / max(chain.adds)
        pushed = [tilt.theta + sign * push for push in (*(away * part for part in PUSHES), *gentle)]
        thetas = np.clip(pushed, -steepest, steepest)
        thetas = thetas[sign * (thetas - tilt.theta) > 0]
        bounds = np.array([bound(chain, theta) for theta in thetas.tolist()])
        terms = (bounds, -(thetas - tilt.theta) * edge, np.full(len(thetas), -base))
        beside = np.abs(thetas * edge) + abs(tilt.theta * edge)
        total += bounds_up(least_exponential(terms, tilt.off, beside=beside, most=HIGHEST_POWER))
    return total


def _kept(chain: MarkovChain, tilt: ChainTilt, length: int) -> tuple[NDArray[np.int64], float, Complexes | None]:
    """The frequencies that matter, and a bound on the rest; with what is beside the chain at the former."""
    kept = np.arange(length // 2 + 1, dtype=np.int64)
    turned = turns(kept, np.array(chain.adds, dtype=np.int64), length)
    size = float(tilt.first.sum()) * float(tilt.last.max())
    power = Powers.of(tilt.moves * turned[:, None, :], entry_of(chain, tilt.theta))
    grown = math.log(max(1.0, float(Powers.of(tilt.moves[None].astype(complex), entry_of(chain, tilt.theta)).most[0])))
    dropped, steps = 0.0, 1
    while PIECES * steps < chain.n and len(kept) > 1:
        sizes = size * _exp(((chain.n - 1) / steps - 2) * np.log(power.most) + 2 * steps * grown)
        out = _negligible(sizes) & (power.most < 1)
        dropped += 2 * float(sizes[out].sum())
        kept, power = kept[~out], power.only(~out)
        power, steps = power.times(power), 2 * steps
    split = power.largest_split((chain.n - 1) // steps - 1)
    sizes = size * _exp(np.log(np.maximum(split, HELD)) + 2 * steps * grown)
    if tilt.beside is not None:
        sizes *= tilt.beside.most(turned[kept])
    out = _negligible(sizes)
    factors = None if tilt.beside is None else tilt.beside.factors(turned[kept[~out]])
    return kept[~out], bounds_up(dropped + 2 * float(sizes[out].sum())), factors


def _exp(exponents: Floats) -> Floats:
    """What is beyond all bounds stays far from negligible."""
    return np.asarray(np.exp(np.minimum(exponents, 500.0)))


def _negligible(sizes: Floats) -> NDArray[np.bool_]:
    out = sizes < DAMPED
    out[0] = False  # t = 0 stays
    return np.asarray(out)
