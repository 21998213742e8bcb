"""Markov chains: the whole curve of the worst place in a million records."""

from fractions import Fraction

import numpy as np

from benchmarks.claim import Row, at_most
from benchmarks.timing import medians
from dalenius.beliefs.markov import Markov
from dalenius.definitions import noiseless
from dalenius.numerics.curve import Curve
from dalenius.statistics import Count
from dalenius.verification import curve

MILLION = 1_000_000
SECONDS = 2.0
EPSILONS = np.linspace(0.0, 0.2, 100)


def markov() -> list[Row]:
    """A million records in two states with second eigenvalue 0.99, 0.5 or -0.99: δ at 100 values of ε, worst over all
    places, in at most 2 s, and the bracket is narrow; ten times as many take no longer than log n times the window.
    """
    rows = []
    for second in ("0.99", "0.5", "-0.99"):
        seconds = medians({"curve": lambda second=second: _whole(second, MILLION)}, repetitions=3)["curve"]
        rows.append(at_most(f"chain of 1e6 with eigenvalue {second}: whole curve", seconds, SECONDS, " s"))
        rows.append(at_most(f"chain of 1e6 with eigenvalue {second}: width / δ at ε = 0", _width(second), 1e-3))
    jobs = {str(n): lambda n=n: _whole("0.9", n) for n in (MILLION, 10 * MILLION)}
    times = medians(jobs, repetitions=3)
    allowed = 10**0.5 * 7 / 6 * 1.25  # a quarter for noise
    rows.append(at_most("ten times as many records: time", times[str(10 * MILLION)] / times[str(MILLION)], allowed))
    return rows


def _curve(second: str, n: int) -> Curve:
    change = (1 - Fraction(second)) / 2
    moves = {0: {0: 1 - change, 1: change}, 1: {0: change, 1: 1 - change}}
    return curve(Count(), noiseless(Markov(start={0: "1/2", 1: "1/2"}, moves=moves, n=n)))


def _whole(second: str, n: int) -> None:
    _curve(second, n).knots(EPSILONS)


def _width(second: str) -> float:
    bracket = _curve(second, MILLION).delta(Fraction(0))
    return bracket.width / bracket.lower
