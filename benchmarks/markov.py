"""Markov chains: the whole curve of the worst place in a million records."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from benchmarks.claim import Row, at_most
from benchmarks.timing import medians
from dalenius.beliefs.markov import Markov
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.statistics import Count
from dalenius.judge.definition import noiseless
from dalenius.judge.verification import curve
from dalenius.numerics.curve import Curve

MILLION = 1_000_000
SECONDS = 2.0
KNOWN_SECONDS = 5.0
PLACED_SECONDS = 6.0
THREE = {3: 0, 400_000: 1, 900_000: 1}
EPSILONS = np.linspace(0.0, 0.2, 100)


def markov() -> list[Row]:
    """A million records in two states with second eigenvalue 0.99, 0.5 or -0.99: δ at 100 values of ε, worst over all
    places, in at most 2 s, and the bracket is narrow; ten times as many take no longer than log n times the window. If
    a tenth of the records is known, one δ takes a few seconds; if stated records are known it is exact, and takes
    as long as the stretches between them.
    """
    rows = []
    for second in ("0.99", "0.5", "-0.99"):
        seconds = medians({"curve": lambda second=second: _whole(second, MILLION)}, repetitions=3)["curve"]
        rows.append(at_most(f"chain of 1e6 with eigenvalue {second}: whole curve", seconds, SECONDS, " s"))
        rows.append(at_most(f"chain of 1e6 with eigenvalue {second}: width / δ at ε = 0", _width(second), 1e-3))
    sizes = (MILLION // 10, MILLION, 10 * MILLION)
    times = medians({str(n): lambda n=n: _whole("0.9", n) for n in sizes}, repetitions=3)
    for few, many in pairwise(sizes):
        allowed = 10**0.5 * math.log(many) / math.log(few) * 1.25  # a quarter for noise
        rows.append(at_most(f"{many:.0e} records: time of {few:.0e}", times[str(many)] / times[str(few)], allowed))
    seconds = medians({"known": _known}, repetitions=3)["known"]
    rows.append(at_most("chain of 1e6, a tenth known: one δ", seconds, KNOWN_SECONDS, " s"))
    times = medians({"one": lambda: _at({MILLION // 3: 1}), "three": lambda: _at(THREE)}, repetitions=1)
    rows.append(at_most("chain of 1e6, one place known: one δ", times["one"], PLACED_SECONDS, " s"))
    rows.append(at_most("chain of 1e6, three places known: one δ", times["three"], 2 * PLACED_SECONDS, " s"))
    bracket = _at(THREE)
    rows.append(at_most("chain of 1e6, three places known: width / δ", bracket.width / bracket.lower, 1e-2))
    return rows


def _at(places: dict[int, int]) -> Bracket:
    """δ of the worst target if the records at these places have these values."""
    return curve(Count(), noiseless(_belief("0.5", MILLION).at(places))).delta(Fraction(1, 50))


def _known() -> None:
    attacker = _belief("0.5", MILLION).knowing(MILLION // 10)
    curve(Count(), noiseless(attacker)).delta(Fraction(1, 50))


def _belief(second: str, n: int) -> Markov:
    change = (1 - Fraction(second)) / 2
    moves = {0: {0: 1 - change, 1: change}, 1: {0: change, 1: 1 - change}}
    return Markov(start={0: "1/2", 1: "1/2"}, moves=moves, n=n)


def _curve(second: str, n: int) -> Curve:
    return curve(Count(), noiseless(_belief(second, n)))


def _whole(second: str, n: int) -> None:
    _curve(second, n).knots(EPSILONS)


def _width(second: str) -> float:
    bracket = _curve(second, MILLION).delta(Fraction(0))
    return bracket.width / bracket.lower
