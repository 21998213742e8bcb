"""Sums of independent records on a lattice plus normal noise: the divergence of densities, by summing over a grid.

Plain floats: good to about four digits (`CLOSE`) where delta is above 1e-11.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

FINE = 50  # steps per standard deviation of the noise, at least
CLOSE = 1e-4


@dataclass(frozen=True)
class Case:
    """Records with values k/q, k = 0..q; how many of each kind; noise, the target's shift and epsilon."""

    q: int
    kinds: tuple[tuple[tuple[float, ...], int], ...]
    tau: Fraction
    shift: Fraction
    epsilon: Fraction

    @property
    def variance(self) -> float:
        at = np.arange(self.q + 1) / self.q
        spreads = [(float(np.dot(law, at**2) - np.dot(law, at) ** 2), count) for law, count in self.kinds]
        return sum(spread * count for spread, count in spreads)

    def law(self) -> np.ndarray:
        """Masses of the sum at 0, 1/q, 2/q, ..."""
        whole = np.ones(1)
        for law, count in self.kinds:
            whole = np.convolve(whole, power(np.array(law), count))
        return whole

    def delta(self) -> float:
        """Both directions."""
        fine = (
            max(2, math.ceil(FINE / (2 * float(self.tau) * self.q * self.shift.denominator)))
            * self.shift.denominator
            * 2
        )
        f, step = density(self.law(), self.q, float(self.tau), fine), 1 / (self.q * fine)
        move = round(float(self.shift) / step)
        assert abs(move * step - float(self.shift)) < 1e-9
        here, there = np.append(f, np.zeros(move)), np.append(np.zeros(move), f)
        factor = math.exp(float(self.epsilon))
        return max(positive_part(p - factor * q) * step for p, q in ((here, there), (there, here)))


def positive_part(values: np.ndarray) -> float:
    """The integral of max(0, f) over a grid of step 1, f being linear between its values."""
    a, b = values[:-1], values[1:]
    top = np.maximum(0.0, np.maximum(a, b))
    crossing = a * b < 0
    part = np.where(crossing, top * top / (2 * (np.abs(a) + np.abs(b)) + 1e-320), (a + b) / 2)
    return float(np.where(crossing | (a + b > 0), part, 0.0).sum())


def power(law: np.ndarray, count: int) -> np.ndarray:
    """The law of the sum of `count` records."""
    whole, square = np.ones(1), law
    while count:
        if count % 2:
            whole = np.convolve(whole, square)
        count //= 2
        square = np.convolve(square, square) if count else square
    return whole


def density(law: np.ndarray, q: int, tau: float, fine: int) -> np.ndarray:
    """The density of the sum plus noise, on a grid of step 1/(q fine)."""
    reach = math.ceil(9 * tau * q) + 1
    f = np.zeros((len(law) + 2 * reach) * fine)
    for rest in range(fine):
        at = (np.arange(-reach, reach + 1) + rest / fine) / q
        kernel = np.exp(-(at**2) / (2 * tau * tau)) / (tau * math.sqrt(2 * math.pi))
        f[rest::fine] = np.convolve(law, kernel)
    return f


def random_law(rng: np.random.Generator, q: int) -> tuple[float, ...]:
    """A record that often has only the two ends of the range, or little between them."""
    law = np.zeros(q + 1)
    rate = rng.choice([0.5, rng.uniform(0.02, 0.98)])
    law[0], law[-1] = 1 - rate, rate
    if rng.random() < 0.5:
        law = (1 - (weight := rng.choice([0.01, 0.1, 1.0]))) * law + weight * rng.dirichlet(np.full(q + 1, 0.3))
    return tuple(law / law.sum())


def random_case(rng: np.random.Generator) -> Case:
    """Spans near the range, shifts that fall between lattice points, noise near the least that can be certified."""
    q = int(rng.choice([1, 1, 2, 2, 3, 4, 5]))
    wanted = float(np.exp(rng.uniform(np.log(3), np.log(200))))
    laws = [random_law(rng, q) for _ in range(rng.integers(1, 4))]
    shares = rng.dirichlet(np.ones(len(laws)))
    kinds = []
    for law, share in zip(laws, shares, strict=True):
        each = Case(q, ((law, 1),), Fraction(1), Fraction(1), Fraction(0)).variance
        kinds.append((law, max(1, min(4000, round(share * wanted / max(each, 0.01))))))
    tau = Fraction(int(rng.integers(40, 110)), 100)
    shift = Fraction(str(rng.choice(["1/4", "1/2", "1/2", "1/3", "1", "1", "2"])))
    epsilon = Fraction(int(rng.integers(1, 31)), 20) * max(shift, Fraction(1, 2))
    return Case(q, tuple(kinds), tau, shift, epsilon)
