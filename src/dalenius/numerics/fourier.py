"""Discrete Fourier transforms, by the pocketfft that numpy carries (scipy's is the same, and takes longer to load)."""

from functools import lru_cache

import numpy as np

fftn, irfft, rfft = np.fft.fftn, np.fft.irfft, np.fft.rfft


@lru_cache(maxsize=4096)
def next_fast_len(least: int, *, real: bool = False) -> int:
    """The least length of a transform, from this one on, that has small prime factors only: up to 11, or up to 5 where
    the numbers are real.

    >>> next_fast_len(1021), next_fast_len(1021, real=True), next_fast_len(1)
    (1024, 1024, 1)
    >>> next_fast_len(13), next_fast_len(97, real=True)
    (14, 100)
    """
    best = 1 << max(least - 1, 0).bit_length()
    lengths = [1]
    for prime in (3, 5) if real else (3, 5, 7, 11):
        lengths = [length * power for length in lengths for power in _powers(prime, best // length)]
    for odd in lengths:
        length = odd << max(-(-least // odd) - 1, 0).bit_length()
        best = min(best, length) if length >= least else best
    return best


def _powers(prime: int, most: int) -> list[int]:
    found = [1]
    while found[-1] * prime <= most:
        found.append(found[-1] * prime)
    return found
