"""Beliefs to start the search for the worst one with: a spread of them, and then steps from the best, all at once.

They only raise the lower end of a bracket, and are judged exactly before they count: nothing here is certified, and
nothing is left to chance (points of a Kronecker sequence take the place of dice).
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from dalenius.papers.definitions.belief_boxes import BeliefBoxes, Floats, exactly

SPREAD = 512  # beliefs in a round
ROUNDS = 12
BEST = 8  # from which the next round steps
ENTRIES = 4_000_000  # floats in a round, at most


def scouts(boxes: BeliefBoxes) -> Iterator[list[Fraction]]:
    """A few beliefs that fail often. Cost: `ROUNDS` passes over `SPREAD` beliefs, kinds, transcripts and records."""
    if not boxes.real:
        return
    size = max(16, min(SPREAD, ENTRIES // (boxes.kinds * len(boxes.real))))
    beliefs = _spread(size, boxes.kinds)
    for step in range(ROUNDS):
        order = np.argsort(-_scores(boxes, beliefs), kind="stable")[:BEST]
        best = beliefs[order]
        turns = 2 * _points(size, boxes.kinds, start=1 + step * size) - 1
        moved = (np.tile(best, (-(-size // len(best)), 1))[:size] + 0.02 / 2**step) * np.exp(4 * turns / 1.6**step)
        beliefs = np.concatenate([best, moved / moved.sum(axis=1, keepdims=True)])
    for belief in beliefs[np.argsort(-_scores(boxes, beliefs), kind="stable")[:3]]:
        found = exactly(belief)
        if found is not None:
            yield found


def _points(size: int, dimension: int, *, start: int = 1) -> Floats:
    """Points that fill the unit cube evenly: multiples of powers of the root of x^(d + 1) = x + 1, modulo 1."""
    root = 1.5
    for _ in range(60):
        root = (1 + root) ** (1 / (dimension + 1))
    powers = root ** -np.arange(1.0, dimension + 1)
    return np.asarray((0.5 + np.arange(start, start + size)[:, None] * powers) % 1.0)


def _spread(size: int, kinds: int) -> Floats:
    """Beliefs of all sorts: even ones, and ones on few kinds."""
    weights = -np.log(_points(size, kinds) * 0.999999999 + 1e-10)
    weights[1::2] **= 3
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _scores(boxes: BeliefBoxes, beliefs: Floats) -> Floats:
    """How often each belief fails, and a little for coming near."""
    real, level = np.array(boxes.real, dtype=float), float(boxes.level) + 1e-9
    bad, near = np.zeros((len(beliefs), len(real))), np.zeros((len(beliefs), len(real)))
    whole = beliefs @ real.T
    for rows in boxes.without:
        other = np.array(rows, dtype=float)
        rest = beliefs @ other.T
        for t in range(len(real)):
            after = beliefs * real[t] / np.maximum(whole[:, t : t + 1], 1e-300)
            shift = np.abs(after - beliefs * other[t] / np.maximum(rest[:, t : t + 1], 1e-300)).sum(axis=1) / 2
            shift = np.where(rest[:, t] <= 0, np.inf, shift)
            bad[:, t] = np.maximum(bad[:, t], shift > level)
            near[:, t] = np.maximum(near[:, t], np.minimum(1.0, shift / level))
    if boxes.realities is None:
        return np.asarray((whole * (bad + 0.3 * near)).sum(axis=1))
    truths = real[:, list(boxes.realities)]
    return np.asarray((bad @ truths).max(axis=1) + 0.3 * (near @ truths).max(axis=1))
