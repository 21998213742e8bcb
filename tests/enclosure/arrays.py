"""Numbers that try floating point: of every size, tied, cancelling, below the normal ones, at the ends. And comparison
with ball arithmetic, in which numbers are exact or as narrow as 2400 bits allow: sums and products of two floats are
exact.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from flint import arb, ctx

from dalenius.enclosure.balls import Balls

Found = TypeVar("Found")
BITS = 2400
RNG = np.random.default_rng


def precise(test: Callable[..., Found]) -> Callable[..., Found]:
    """Ball arithmetic in so many bits."""

    @wraps(test)
    def wrapped(*args: Any, **kwargs: Any) -> Found:
        with ctx.workprec(BITS):
            return test(*args, **kwargs)

    return wrapped


def sizes(rng: np.random.Generator, count: int) -> np.ndarray:
    """Numbers at least 0 of one of many kinds."""
    kind = int(rng.integers(8))
    if kind == 0:
        return rng.uniform(0, 1, count)
    if kind == 1:
        return 10.0 ** rng.uniform(-80, 0, count)
    if kind == 2:  # below and around the normal numbers
        return 10.0 ** rng.uniform(-324, -300, count)
    if kind == 3:  # few different ones: ties
        return rng.choice(rng.uniform(0, 1, 3), count)
    if kind == 4:  # one large, the rest small
        values = 10.0 ** rng.uniform(-20, -10, count)
        values[rng.integers(count)] = 1.0
        return values
    if kind == 5:  # with zeros
        return rng.uniform(0, 1, count) * (rng.uniform(0, 1, count) < 0.5)
    if kind == 6:
        return 10.0 ** rng.uniform(0, 300, count)
    return np.full(count, 1 / 3)


def radii(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """Radii: none, tiny, relative, larger than the number."""
    size = np.abs(values)
    kind = int(rng.integers(6))
    if kind == 0:
        return np.zeros(len(values))
    if kind == 1:
        return size * 1e-17
    if kind == 2:
        return size * 10.0 ** rng.uniform(-18, -3, len(values))
    if kind == 3:
        return np.full(len(values), 5e-324)
    if kind == 4:
        return size * rng.choice([0.0, 1e-16, 0.5, 2.0], len(values))
    return np.full(len(values), 1e-18)


def members(balls: Balls, rng: np.random.Generator) -> Iterator[list[arb]]:
    """Numbers within the balls: midpoints, both ends, and ends at random; exact."""
    middle, radius = balls.middle.tolist(), balls.radius.tolist()
    for way in ("middle", "low", "high", "mixed"):
        sign = {"middle": 0, "low": -1, "high": 1}.get(way)
        signs = rng.choice([-1, 1], len(middle)) if sign is None else np.full(len(middle), sign)
        yield [arb(m) + int(s) * arb(r) for m, r, s in zip(middle, radius, signs, strict=True)]


def inside(balls: Balls, truths: Sequence[arb]) -> bool:
    """Whether every truth is within its ball, as exact numbers and as the two bounds say."""
    flat = balls.reshape(-1)
    rows = zip(
        flat.middle.tolist(), flat.radius.tolist(), flat.lower.tolist(), flat.upper.tolist(), truths, strict=True
    )
    return all(
        r == math.inf or (bool(abs(t - arb(m)) <= arb(r)) and bool(arb(low) <= t) and bool(t <= arb(high)))
        for m, r, low, high, t in rows
    )
