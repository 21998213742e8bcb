"""The whole curve of the worst of a million people."""

from benchmarks import people
from benchmarks.claim import Row, at_most
from benchmarks.timing import medians
from dalenius.numerics.law import Floats

LEVELS = 100


def curve_speed() -> list[Row]:
    """From a million rates to δ at 100 values of ε, down to δ = 1e-30, worst over all persons, takes at most five times
    as long as the law.
    """
    return [_beside(crowd.__name__, crowd(people.MILLION)) for crowd in people.CROWDS]


def _beside(name: str, rates: Floats) -> Row:
    seconds = medians({"law": lambda: people.law(rates), "curve": lambda: _curve(rates)}, repetitions=9)
    return at_most(
        f"whole curve, worst of 1e6 {name} people: time / law",
        seconds["curve"] / seconds["law"],
        5,
        note=f"{seconds['curve'] * 1e3:.0f} ms against {seconds['law'] * 1e3:.0f} ms",
    )


def _curve(rates: Floats) -> None:
    curve, total = people.everybody(rates)
    for epsilon in people.levels(total, LEVELS):
        curve.delta(epsilon)
