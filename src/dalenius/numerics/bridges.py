r"""Bridges of a Markov chain: stretches between two records whose states are given, and the part of them that hides
others.

*Bridges.* M_s(u, v, x) is the chance, from state u, to be in v after s + 1 steps while the s records between add x:
M_0 = P, and one more record costs one product of positive terms. Given u and v the stretch has law M_s(u, v, ·) /
P^{s+1}(u, v), whatever is before and after it.

*Draws.* Let C be a law on a few neighbouring integers. If Σ_r w_r C(· - x_r) ≤ M_s(u, v, ·), then with probability
Σ w_r / P^{s+1}(u, v) the stretch is a number that is independent of the rest, plus a draw from C. The number N of
draws that a stretch is sure to contain has, for each c ≥ 0, F_s(u, v) = P^{s+1}(u, v) E e^{-cN}, and to reveal a
record inside a stretch splits it: F_{s+t+1} ≤ F_s F_t as matrices, the state between summed over. So

$$ F_s = \min\bigl(P^{s+1} - (1 - e^{-c}) w_s,\; F_{s_1} F_{s_2} : s_1 + s_2 = s - 1\bigr) $$

entry by entry: the best way to cut a stretch of any length, for the worst states at its ends.

*Every way to place g known records.* Let φ_s be the largest F_s(u, v) / P^{s+1}(u, v). For stretches of s_1, ..., s_G
unknown records, U in all, and any ν ≥ 0, E e^{-cK} ≤ Π φ_{s_k} ≤ exp(G max_s (log φ_s + νs) - νU): what the attacker
gains by short stretches is bounded by what the other records then hide. P(K < k) follows by Markov's inequality.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.outward import amply_down, amply_up
from dalenius.numerics.chain import MarkovChain
from dalenius.numerics.law import Floats

ROUNDS = 12  # places at which a law is looked for in a stretch
LEAST_GAIN = 5e-3
SLACK = 1e-12  # relative, a step: positive recursions lose far less
RATES = np.geomspace(1e-4, 12.0, 48)  # c
SLOPES = 50  # ν
TABLES = 3  # values of c that are tried
DOUBLINGS = 8
TINIEST = 1e-250  # chances and means below this are not told apart


@final
@dataclass(frozen=True, slots=True, eq=False)
class Bridges:
    """M_s(u, v, ·) for s = 0, ..., longest."""

    chain: MarkovChain
    masses: tuple[Floats, ...]

    @classmethod
    def of(cls, chain: MarkovChain, longest: int) -> "Bridges":
        """Cost O(longest² states³ max add)."""
        moves = np.array([[float(chance) for chance in row] for row in chain.moves])
        most, found = max(chain.adds), [moves[:, :, None]]
        for _ in range(longest):
            last = found[-1]
            wider = np.zeros((chain.size, chain.size, last.shape[2] + most))
            for state, add in enumerate(chain.adds):
                wider[:, :, add : add + last.shape[2]] += last[:, state, None, :] * moves[state][None, :, None]
            found.append(wider)
        return cls(chain, tuple(found))

    def chances(self, unknown: int) -> Floats:
        """P^{s+1}."""
        return np.asarray(self.masses[unknown].sum(axis=2))

    def law(self, unknown: int, one: int, two: int) -> Floats | None:
        """What a stretch adds given both its ends; None if they cannot follow each other."""
        mass = self.masses[unknown][one, two]
        whole = float(mass.sum())
        return mass / whole if whole > 0 else None

    @property
    def sound(self) -> bool:
        """Whether every chance that is not 0 is far from the smallest floats."""
        least = min(float(part.min(where=part > 0, initial=1.0)) for part in map(self.chances, range(len(self.masses))))
        return least > TINIEST and all(chance == 0 or chance > TINIEST for row in self.chain.moves for chance in row)

    def forgotten(self, steps: int, cyclic: NDArray[np.int64]) -> float:
        """The most by which the log odds of two states of one cyclic class may move when the state `steps` away, before
        or after, becomes known: the largest cross ratio of P^steps; infinite if some state tells one of them for sure.
        """
        power = self.chances(steps - 1)
        worst = 0.0
        for table in (power, power.T):
            alive = table > 0
            for one, two in np.ndindex(table.shape):
                if one == two or cyclic[one] != cyclic[two]:
                    continue
                if (alive[one] != alive[two]).any():
                    return math.inf
                ratio = np.log(table[one][alive[one]]) - np.log(table[two][alive[one]])
                worst = max(worst, float(ratio.max() - ratio.min()))
        return amply_up(worst) + (steps + 4) * SLACK  # four logarithms of chances above `TINIEST` err by less


@final
@dataclass(frozen=True)
class Currency:
    """A law on 0, ..., width: the middle of Binomial(tosses, 1/2), in whole numbers, hence log-concave."""

    weights: tuple[int, ...]

    @classmethod
    def of(cls, tosses: int, reach: int) -> "Currency":
        first = max(0, (tosses + 1) // 2 - reach)
        return cls(tuple(math.comb(tosses, j) for j in range(first, tosses - first + 1)))

    def law(self) -> dict[int, Fraction]:
        return {at: Fraction(weight, sum(self.weights)) for at, weight in enumerate(self.weights)}

    @cached_property
    def variance(self) -> float:
        at, chance = np.arange(len(self.weights)), np.array([float(c) for c in self.law().values()])
        return float(chance @ at**2 - (chance @ at) ** 2)


def currencies(widest: int) -> list[Currency]:
    """Some laws of at most this width, from a coin up."""
    found, tosses = {Currency.of(1, 1)}, 2
    while math.sqrt(tosses) < widest:
        found |= {Currency.of(tosses, max(1, math.ceil(part * math.sqrt(tosses) / 2))) for part in (1.0, 2.0)}
        tosses = max(tosses + 1, round(tosses * 2.2))
    return sorted((one for one in found if len(one.weights) <= widest + 1), key=lambda one: one.variance)


def contained(masses: Floats, currency: Currency) -> dict[int, Floats]:
    """For each row of masses, weights w_j with Σ_j Σ_r w_jr C^{*j}(· - x_jr) ≤ masses and w_j = Σ_r w_jr: greedy, what
    adds most draws first.
    """
    kernels = _bundles(currency, masses.shape[1])
    found = {draws: np.zeros(len(masses)) for draws in kernels}
    left, every = masses.copy(), np.arange(len(masses))
    for _ in range(ROUNDS if kernels else 0):
        fits = [
            (np.lib.stride_tricks.sliding_window_view(left, len(k), axis=1) / k).min(axis=2) for k in kernels.values()
        ]
        gains = np.stack([draws * fit.max(axis=1) for draws, fit in zip(kernels, fits, strict=True)])
        for place, (draws, kernel) in enumerate(kernels.items()):
            rows = every[(gains.argmax(axis=0) == place) & (gains[place] > 0)]
            at = fits[place][rows].argmax(axis=1)
            weight = fits[place][rows, at]
            left[rows[:, None], at[:, None] + np.arange(len(kernel))] -= weight[:, None] * kernel
            found[draws][rows] += weight
        np.maximum(left, 0.0, out=left)
        total = sum((draws * weight for draws, weight in found.items()), np.zeros(len(masses)))
        if not (gains.max(axis=0) > LEAST_GAIN * total).any():
            break
    # Where more was taken than there is, it was too much by some units for each round: far less than this
    return {draws: amply_down(weight) for draws, weight in found.items()}


def _bundles(currency: Currency, size: int) -> dict[int, Floats]:
    """C^{*j} for some j up to the largest that is no wider than so many integers."""
    base = np.array([float(chance) for chance in currency.law().values()])
    most = (size - 1) // (len(base) - 1)
    found, now, draws = dict[int, Floats](), base, 1
    while draws <= most:
        found[draws] = now
        more = max(1, min(draws // 3, most - draws))
        for _ in range(more):
            now = np.convolve(now, base)
        draws += more
    return found


@final
@dataclass(frozen=True, slots=True, eq=False)
class Hiding:
    """How many draws from a currency all unknown stretches contain, whichever records are known."""

    currency: Currency
    lines: Sequence[tuple[Floats, Floats]]  # ν, and the largest log φ_s + νs over all s, [c, ν]

    @classmethod
    def of(cls, bridges: Bridges, currency: Currency, longest: int) -> "Hiding":
        """Cost: to look for the currency in about thirty lengths of stretch."""
        matrices: dict[int, Floats] = {0: np.repeat(bridges.chances(0)[None], len(RATES), axis=0)}
        logs: dict[int, Floats] = {0: np.zeros(len(RATES))}
        for unknown in lengths(longest):
            whole, best = bridges.chances(unknown), _direct(bridges, unknown, currency)
            for one, matrix in matrices.items():
                if unknown - 1 - one in matrices:
                    best = np.minimum(best, matrix @ matrices[unknown - 1 - one])
            matrices[unknown] = np.maximum(best, whole * TINIEST)
            logs[unknown] = _worst(matrices[unknown], whole, unknown)
        last = max(matrices)
        short = np.zeros((len(RATES), last + 1))
        for unknown in range(1, last + 1):
            cuts = [short[:, unknown - 1 - one] + log for one, log in logs.items() if one < unknown]
            short[:, unknown] = np.min([*cuts, logs.get(unknown, cuts[0])], axis=0)
        doubled, matrix, power = [], matrices[last], bridges.chances(last)
        for _ in range(DOUBLINGS):
            doubled.append((last, _worst(matrix, power, last)))
            power = power @ power
            matrix, last = np.maximum(matrix @ matrix, power * TINIEST), 2 * last + 1
        return cls(currency, _lines(short, doubled))

    def exponents(self, unknown: int, stretches: int) -> Floats:
        """For each c a lower bound on -log E e^{-cK}, whatever the lengths of the stretches are."""
        # rounded down by more than the larger of two terms may be off, and their difference, and what is made of it
        gains = [np.max(slopes * amply_down(unknown) - stretches * most, axis=1) for slopes, most in self.lines]
        return np.asarray(np.maximum(np.max(gains, axis=0), 0.0))

    def levels(self, unknown: int, stretches: int, chances: Sequence[float]) -> list[dict[int, float]]:
        """Tables of numbers k > 0, falling, each with a chance p of those listed such that P(K < k) ≤ p.

        Each table is of one c. How stretches are cut to be counted depends on c, and so does K: what is said of
        different c must not be joined. Of the c that are best for some chance, a few are tried.
        """
        found = (self.exponents(unknown, stretches) + amply_up(np.log(np.array(chances)))[:, None]) / RATES
        best = list(dict.fromkeys(np.argmax(found, axis=1).tolist()))
        tables = []
        for place in best[:: max(1, len(best) // TABLES)]:
            numbers = [_few_bits(math.floor(1 + most)) for most in found[:, place].tolist()]
            tables.append({number: chance for number, chance in zip(numbers, chances, strict=True) if number > 0})
        return tables


def _lines(short: Floats, doubled: Sequence[tuple[int, Floats]]) -> list[tuple[Floats, Floats]]:
    """Slopes ν and the largest log φ_s + νs over all s, from log φ_s for short s, [c, s], and for s that are each one
    more than twice the one before. A longer stretch than those is cut into such as the last: ν is so small that this
    gains nothing; one between two of them is cut once.
    """
    found, steps = [], np.arange(short.shape[1])
    for used in range(1, len(doubled) + 1, 2):
        last, log = doubled[used - 1]
        slopes = np.linspace(0, 1, SLOPES) ** 2 * (-log / (last + 1))[:, None]
        most = np.max(short[:, None, :] + slopes[:, :, None] * steps, axis=2)
        for length, between in doubled[:used]:
            most = most + np.maximum(between[:, None] + slopes * (length + 1), 0.0)
        found.append((slopes, most))
    return found


def _few_bits(number: int) -> int:
    """Rounded down to six bits, so that few laws are needed."""
    spare = max(0, number.bit_length() - 6)
    return number >> spare << spare


def lengths(longest: int) -> list[int]:
    """Lengths of stretches that are looked at closely: all short ones, then fewer; each is twice another plus one."""
    found = [length for length in range(1, 13) if length <= longest]
    while found and (more := [2 * one + 1 for one in found[-6:] if found[-1] < 2 * one + 1 <= longest]):
        found += more
    return found


def _direct(bridges: Bridges, unknown: int, currency: Currency) -> Floats:
    """P^{s+1} E e^{-cN} for each c, the stretch being taken as it is."""
    size, whole = bridges.chain.size, bridges.chances(unknown)
    kept = contained(bridges.masses[unknown].reshape(size * size, -1), currency)
    best = np.repeat(whole[None], len(RATES), axis=0)
    for draws, weight in kept.items():
        best += np.expm1(-RATES * draws)[:, None, None] * weight.reshape(size, size)
    return best


def _worst(found: Floats, whole: Floats, unknown: int) -> Floats:
    """The logarithm of φ_s: the worst of all ends that are possible."""
    possible = whole > 0
    ratio = (found[:, possible] / whole[possible]).max(axis=1)
    return np.asarray(np.minimum(np.log(ratio) + (unknown + 2) * SLACK, 0.0))
