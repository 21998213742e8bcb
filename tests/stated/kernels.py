"""Earned counts by the letter of the paper, in fractions, and how far apart their worlds are. No code of the engine.

A kernel is given by n, a window and x = e^-ε as a fraction. Outputs are ("noisy", r) for r from -1 to n + 1, where the
two ends stand for all that is beyond (their likelihood ratios do not change there), and ("true", k).
"""

import itertools
from fractions import Fraction
from math import comb, factorial, log, prod


def kernel(n, window, x, k):
    """The law of the output on a true count k."""
    low, high = window
    c = (1 - x) / (1 + x)

    def noisy(r):
        if low <= k <= high and low <= r <= high:
            return c * x ** (2 + min(abs(r - low) + abs(low - k), abs(r - high) + abs(high - k)))
        return c * x ** abs(r - k)

    law = {("noisy", r): noisy(r) for r in range(n + 1)}
    law["noisy", -1] = x ** (k + 1) / (1 + x)  # all r <= -1: a geometric series
    law["noisy", n + 1] = x ** (n + 1 - k) / (1 + x)
    if low <= k <= high:
        law["true", k] = 1 - sum(law.values())  # the leftover mass
    assert low > high or min(law.values()) >= 0
    assert low <= k <= high or sum(law.values()) == 1
    return law


def binomial(n, q):
    return {k: comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)}


def worlds(n, window, x, weights):
    """Laws of the output given "yes", "no" and absence, for a mixture of rates: a list of (weight, rate)."""
    rows = [kernel(n, window, x, k) for k in range(n + 1)]
    found = {"yes": {}, "no": {}, "absent": {}}
    for weight, q in weights:
        for world, size, more in (("yes", n - 1, 1), ("no", n - 1, 0), ("absent", n, 0)):
            for k, p in binomial(size, q).items():
                for out, chance in rows[k + more].items():
                    found[world][out] = found[world].get(out, 0) + weight * p * chance
    return found


def apart(one, two):
    """The largest log ratio of two laws, either way; infinite where only one has mass."""
    ratios = [Fraction(1)]
    for out in set(one) | set(two):
        p, q = one.get(out, 0), two.get(out, 0)
        if p == q == 0:
            continue
        if not (p and q):
            return float("inf")
        ratios += [Fraction(p) / q, Fraction(q) / p]
    return log(max(ratios))


def presence(found):
    return max(apart(found["yes"], found["absent"]), apart(found["no"], found["absent"]))


def values(found):
    return apart(found["yes"], found["no"])


def multinomial(n, q):
    for counts in itertools.product(range(n + 1), repeat=len(q)):
        if sum(counts) == n:
            ways = factorial(n) // prod(map(factorial, counts))
            yield counts, ways * prod((p**h for p, h in zip(q, counts, strict=True)), start=Fraction(1))


def histogram(n, q, windows, x, person):
    """The law of a histogram's outputs where the person is in this cell, or (None) is not among the n records."""
    found = {}
    for counts, chance in multinomial(n - (person is not None), q):
        full = [h + (cell == person) for cell, h in enumerate(counts)]
        rows = [kernel(n, window, x, h).items() for window, h in zip(windows, full, strict=True)]
        for row in itertools.product(*rows):
            out = tuple(o for o, _ in row)
            found[out] = found.get(out, 0) + chance * prod((p for _, p in row), start=Fraction(1))
    return found
