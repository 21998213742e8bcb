"""The peer to beat: a balanced tree of convolutions, direct at the leaves, by FFT above, as fast as scipy allows."""

import math

import numpy as np
import scipy.fft

from dalenius.numerics.law import Floats

LEAF = 32  # records a leaf; 16 to 64 are equally fast
LEAVES = 1024  # leaves at once, and
POINTS = 1 << 16  # points of FFTs at once: the working set stays in the cache
LEFT_OUT = 1e-18  # mass that trimming may cut off at each end of each law


def fft_tree(rates: Floats, *, trim: bool = False) -> tuple[int, Floats]:
    """The first value and the masses of the count's law.

    With `trim`, laws of m records are cut to windows of nine √m around their means (Hoeffding): faster, without tails.
    """
    laws, means = _leaves(rates)
    starts, records = np.zeros(len(laws), dtype=np.int64), LEAF
    while len(laws) > 1:
        if len(laws) % 2:
            laws = np.vstack([laws, np.eye(1, laws.shape[1])])
            means, starts = np.append(means, 0.0), np.append(starts, 0)
        laws, means, starts, records = _level(laws), means[::2] + means[1::2], starts[::2] + starts[1::2], 2 * records
        if trim:
            laws, starts = _trimmed(laws, means, starts, math.ceil(math.sqrt(records * -math.log(LEFT_OUT) / 2)))
    return int(starts[0]), laws[0]


def _leaves(rates: Floats) -> tuple[Floats, Floats]:
    """The law of each run of `LEAF` records, one record at a time, many runs at once."""
    runs = -(-len(rates) // LEAF)
    columns = np.ascontiguousarray(np.pad(rates, (0, runs * LEAF - len(rates))).reshape(runs, LEAF).T)
    result = np.empty((runs, LEAF + 1))
    for start in range(0, runs, LEAVES):
        block = columns[:, start : start + LEAVES]
        laws = np.zeros((LEAF + 1, block.shape[1]))
        laws[0] = 1.0
        for j in range(LEAF):
            moved = laws[: j + 1] * block[j]
            laws[: j + 1] -= moved
            laws[1 : j + 2] += moved
        result[start : start + LEAVES] = laws.T
    return result, columns.sum(axis=0)


def _level(laws: Floats) -> Floats:
    """Neighbours convolved: half as many laws."""
    size = 2 * laws.shape[1] - 1
    length = scipy.fft.next_fast_len(size, real=True)
    rows, parts = 2 * max(1, POINTS // length), []
    for start in range(0, len(laws), rows):
        spectrum = scipy.fft.rfft(laws[start : start + rows], length, axis=1)
        parts.append(scipy.fft.irfft(spectrum[::2] * spectrum[1::2], length, axis=1)[:, :size])
    return np.concatenate(parts)


def _trimmed(laws: Floats, means: Floats, starts: np.ndarray, reach: int) -> tuple[Floats, np.ndarray]:
    width = 2 * reach + 2
    if width > 0.8 * laws.shape[1]:
        return laws, starts
    first = np.clip(np.floor(means).astype(np.int64) - reach - starts, 0, laws.shape[1] - width)
    return np.take_along_axis(laws, first[:, None] + np.arange(width), axis=1), starts + first
