"""Crowds of people whose answers are yes with different probabilities."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dalenius.numerics.charfun import ladder
from dalenius.numerics.cumulant import Cumulant
from dalenius.numerics.curve import Curve, EverybodyCurve
from dalenius.numerics.law import Floats, Law
from dalenius.numerics.leaveoneout import leave_one_out
from dalenius.numerics.yesno import rate_sum

MILLION = 1_000_000


def uniform(count: int) -> Floats:
    """Anything between never and always."""
    return np.random.default_rng(1).uniform(0, 1, count)


def skewed(count: int) -> Floats:
    """Mostly unlikely, a few likely."""
    return np.random.default_rng(2).beta(0.5, 3, count)


def clustered(count: int) -> Floats:
    """Twenty kinds of people, who still differ a little within each kind."""
    source = np.random.default_rng(3)
    return np.clip(source.uniform(0, 1, 20)[source.integers(0, 20, count)] + source.normal(0, 0.01, count), 0, 1)


def rare(count: int) -> Floats:
    """One in a million, give or take a half."""
    return np.random.default_rng(4).uniform(0.5e-6, 1.5e-6, count)


CROWDS: tuple[Callable[[int], Floats], ...] = (uniform, skewed, clustered, rare)


def law(rates: Floats) -> Law:
    """The law of the number of yeses."""
    return ladder(rate_sum(rates)).law()


def everybody(rates: Floats) -> tuple[Curve, Cumulant]:
    """The curve of the worst person, and the sum that it was made from."""
    total = rate_sum(rates)
    return EverybodyCurve(leave_one_out(rates, total)), total


def levels(total: Cumulant, count: int, *, reach: float = 12.0) -> list[Fraction]:
    """Values of ε from 0 to where δ has fallen to about 1e-32: one count more or less tilts the odds by about 1/σ."""
    return [Fraction(float(at)) for at in np.linspace(0, reach / np.sqrt(total.variance), count)]
