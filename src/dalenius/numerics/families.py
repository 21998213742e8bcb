"""Counts of other people of unknown size: Poisson with any mean, binomial among any number, and how such a law bends.

A rule publishes a function of a count. To bound what it gives away for every mean between two, the law at a mean in
between is compared with the laws at both.

*Chord.* For a smooth function |x(t) - chord| ≤ (t₂ - t₁)² max|x''| / 8, and for a sequence likewise with second
differences. Both families have a neat derivative:

    d/dλ P_λ(c) = P_λ(c - 1) - P_λ(c)   (Poisson),      P_(A+1)(c) - P_A(c) = p (P_A(c - 1) - P_A(c))   (binomial).

*Geometric mean.* P_t(c) ≤ e^k(c) P₁(c)^(1-s) P₂(c)^s with a small k(c), the `swell`: for a Poisson count
log P_λ(c) = c log λ - λ - log c!, and s is the place of log t between log t₁ and log t₂; for a binomial one log P_A(c)
is concave in A, and s is the place of A.
The probability of an interval of counts is log-concave in t: P_t(a ≤ B ≤ b) is the chance that the a-th arrival comes
by t and the next b - a + 1 do not, which is a convolution of two log-concave functions. So
P_t(L) ≥ P₁(L)^(1-σ) P₂(L)^σ with σ the place of t itself; s - σ is at most the `lag`.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias, final

import numpy as np

from dalenius.enclosure.outward import amply_up, raised
from dalenius.numerics.counts import binomial, poisson
from dalenius.numerics.law import Floats, Law

Mean: TypeAlias = float | int
MANY = 2**45  # roundings that leave nothing of a number


class MeansFamily(Protocol):
    """Laws of counts that grow with a parameter t: the count at t + s is that at t plus an independent one."""

    def law(self, at: Mean) -> Law: ...

    def largest(self, counts: Floats, ends: tuple[Mean, Mean], masses: tuple[Floats, Floats]) -> Floats:
        """Bounds on P_t(c) for all t between the ends, from bounds on the masses at the ends."""
        ...

    def bend(self, counts: Floats, ends: tuple[Mean, Mean], most: Floats) -> Floats:
        """Bounds on |P_t(c) - chord| for all t between the ends; `most` as found by `largest`."""
        ...

    def swell(self, counts: Floats, ends: tuple[Mean, Mean]) -> Floats:
        """Bounds on log P_t(c) less the mean of log P(c) at both ends; infinite where there is none."""
        ...

    def lag(self, ends: tuple[Mean, Mean]) -> float:
        """How far t may be behind its place by that mean."""
        ...


@final
@dataclass(frozen=True, slots=True)
class PoissonFamily:
    """Poisson counts; t is the mean."""

    def law(self, at: Mean) -> Law:
        return poisson(at)

    def largest(self, counts: Floats, ends: tuple[Mean, Mean], masses: tuple[Floats, Floats]) -> Floats:
        """The logarithm of P_λ(c), c log λ - λ + .. is concave in λ: its tangents at both ends lie above."""
        low, high = ends
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            # differences come first: next to one, a quotient's rounding would count as often as the means are apart
            up = np.exp((high - low) * (np.maximum(counts - low, 0.0) / low)) if low else np.full(len(counts), math.inf)
            down = np.exp((high - low) * (np.maximum(high - counts, 0.0) / high))
            return _least(masses[0] * up, masses[1] * down)

    def bend(self, counts: Floats, ends: tuple[Mean, Mean], most: Floats) -> Floats:
        """P'' = P(c - 2) - 2 P(c - 1) + P(c) = P(c) ((c/λ - 1)² - c/λ²)."""
        low, high = ends
        second = _plain(most)
        if low:
            steep = np.maximum(np.maximum((counts / low - 1) ** 2, (counts / high - 1) ** 2), counts / low**2)
            second = np.minimum(second, most * steep)
        return amply_up((high - low) ** 2 / 8 * second)

    def swell(self, counts: Floats, ends: tuple[Mean, Mean]) -> Floats:
        """(1 - s) t₁ + s t₂ - t₁^(1-s) t₂^s vanishes at both ends; its second derivative is at most t₂ log²(t₂/t₁)."""
        low, high = ends
        return np.full(len(counts), amply_up(_rate(low, high) ** 2 * high / 8))

    def lag(self, ends: tuple[Mean, Mean]) -> float:
        """This is s - (e^(rs) - 1) / (e^r - 1) with r = log(t₂/t₁); its second derivative: at most r² / (1 - e^-r)."""
        low, high = ends
        rate = _rate(low, high)
        return amply_up(rate * rate / -math.expm1(-rate) / 8)


@final
@dataclass(frozen=True, slots=True)
class BinomialFamily:
    """Successes among A with probability `chance` each; t is A."""

    chance: Fraction

    def law(self, at: Mean) -> Law:
        return binomial(int(at), self.chance)

    def largest(self, counts: Floats, ends: tuple[Mean, Mean], masses: tuple[Floats, Floats]) -> Floats:
        """P_(A+1)(c) / P_A(c) = (1 - p) (A + 1) / (A + 1 - c) falls with A."""
        low, high = ends
        stay = float(1 - self.chance)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            up = np.where(counts <= low, np.maximum(stay * (low + 1) / (low + 1 - counts), 1.0), math.inf)
            down = np.maximum((high - counts) / (high * stay), 1.0)
            # three roundings of a factor, as often as it is taken, and twice as many of the power
            roundings = 8 * (high - low) + 8
            if roundings > MANY:
                return np.ones(len(counts))
            below, above = masses[0] * up ** (high - low), masses[1] * down ** (high - low)
            return _least(raised(below, roundings), raised(above, roundings))

    def bend(self, counts: Floats, ends: tuple[Mean, Mean], most: Floats) -> Floats:
        """The second difference is p² P(c) ((ρ - 1)² - ρ (ρ - ρ')) with ρ = P(c - 1) / P(c), and ρ' that of c - 1."""
        low, high = ends
        chance, odds = float(self.chance), float(1 / self.chance - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(counts <= low, low - counts + 1, np.nan)
            first, last = counts * odds / room, counts * odds / (high - counts + 1)
            fall = odds * (low + 1) / (room * (room + 1))
            steep = np.maximum(np.maximum((first - 1) ** 2, (last - 1) ** 2), first * fall)
            second = np.fmin(_plain(most), most * steep)
        return amply_up((chance * (high - low)) ** 2 / 8 * second)

    def swell(self, counts: Floats, ends: tuple[Mean, Mean]) -> Floats:
        """The second difference of log P_A(c) is log(1 - c / ((A + 1) (A + 2 - c))), largest at the low end."""
        low, high = ends
        with np.errstate(divide="ignore", invalid="ignore"):
            second = -np.log1p(-counts / ((low + 1) * (low + 2 - counts)))
        return np.where(counts <= low, amply_up(second * ((high - low) ** 2 / 8)), np.inf)

    def lag(self, ends: tuple[Mean, Mean]) -> float:
        return 0.0


def _rate(low: Mean, high: Mean) -> float:
    """log(t₂/t₁), also of two that are close: their quotient would be rounded next to one."""
    return math.log1p((high - low) / low) if low else math.inf


def _least(left: Floats, right: Floats) -> Floats:
    """The lesser of two bounds, at most 1; 0 times infinity is no bound."""
    return np.minimum(amply_up(np.fmin(left, right)), 1.0)


def _plain(most: Floats) -> Floats:
    """|P(c - 2) - 2 P(c - 1) + P(c)| at most. The first two of the window stand for all before it."""
    before = np.concatenate([most[:1], most[:-1]])
    second = np.concatenate([most[:1], most[:1], most[:-2]])[: len(most)]
    return np.asarray(np.maximum(most + second, 2 * before))
