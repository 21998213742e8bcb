"""What `statistic >> channel >> channel` publishes on each dataset of a finite world, as rows of probabilities.

Rounding is a function. Geometric noise has infinitely many outputs, but below the least total that is possible, and
above the largest, the likelihood ratio of any two totals does not change any more: these outputs are read as one, "k or
less" and "k or more" (`Lump`), which loses nothing. What they stand for depends on which totals are possible, so laws
are compared only if they were made for the same range of totals. Other noises are cut where their tails hold 1e-40,
and the rows say so (`slack`).
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, require
from dalenius.enclosure.outward import HELD
from dalenius.mechanisms.channel import (
    NOISE_TAIL,
    Channel,
    DiscreteGaussian,
    RationalGeometric,
    Rounded,
    TwoSidedGeometric,
)
from dalenius.mechanisms.choice import Choice, ThresholdChoice
from dalenius.numerics.law import Floats
from dalenius.numerics.outcomes import Masses

Totals: TypeAlias = NDArray[np.int64]
FUNCTIONS = (Rounded, ThresholdChoice)
LARGEST_ROWS = 20_000_000
LARGEST_NOISE = 8_192  # points of noise, so that its sums err by less than is charged for
NOISE_UNITS = 1_024  # of a point of noise, more than any errs by; where noises meet, sums err by a unit a term
MOST_UNITS = 12_288  # of all noises, one after the other; the rest of what is charged is for sums over datasets


class Lump(str):
    """An output that stands for many, between which nothing is told: "k or less", "k or more", or "any"."""

    __slots__ = ()


def lumped(output: Hashable) -> bool:
    """Whether the output, or a part of it, stands for many."""
    return isinstance(output, Lump) or (isinstance(output, tuple) and any(map(lumped, output)))


@final
@dataclass(frozen=True, slots=True, eq=False)
class PublishedRow:
    """For each total a row with the probability of each output; no rows if the output is a function: then the state
    of each total is its output. The true laws are within `slack` in total variation.
    """

    outputs: tuple[int | str, ...]
    state: Totals
    rows: Masses | None = None
    slack: float = 0.0


def published(links: Sequence[Channel], totals: Totals) -> PublishedRow:
    """What these channels make of each of these different totals. Rounded figures are numbers of bases.

    Cost O(totals x outputs).
    """
    _refuse_people(links)
    first = next((place for place, link in enumerate(links) if not isinstance(link, FUNCTIONS)), len(links))
    values = _rounded(links[:first])(totals)
    if first == len(links):
        outputs, state = np.unique(values, return_inverse=True)
        return PublishedRow(tuple(outputs.tolist()), state.reshape(-1))
    inputs, state = np.unique(values, return_inverse=True)
    noise, rest = links[first], links[first + 1 :]
    if isinstance(noise, RationalGeometric | TwoSidedGeometric) and all(isinstance(link, Rounded) for link in rest):
        found = _geometric(noise, _rounded(rest), inputs)
    else:
        found = _cut(links[first:], inputs)
    return PublishedRow(found.outputs, state.reshape(-1), found.rows, found.slack)


def _refuse_people(links: Sequence[Channel]) -> None:
    """Rows are made for totals alone."""
    for link in links:
        require(
            not isinstance(link, Choice) or isinstance(link, ThresholdChoice),
            "a choice by the total alone",
            got=str(link),
            remedy="Fix the number of records with .among(n), or write a function of the dataset.",
        )


def _rounded(links: Sequence[Channel]) -> Callable[[Totals], Totals]:
    def apply(totals: Totals) -> Totals:
        for link in links:
            if isinstance(link, FUNCTIONS):
                totals = link.apply(totals)
        return totals

    return apply


def _geometric(
    noise: RationalGeometric | TwoSidedGeometric, after: Callable[[Totals], Totals], inputs: Totals
) -> PublishedRow:
    """Geometric noise and then a rounding, without loss.

    All outputs up to the least input have the same likelihood ratios, and so have all from the largest on. The ends are
    moved outwards to where a rounding cell begins, so that no cell mixes them with others.
    """
    low, high = int(inputs.min()), int(inputs.max())
    while _together(after, low):
        low -= 1
    while _together(after, high - 1):
        high += 1
    ends = after(np.arange(low, high + 1))
    start, size = int(ends.min()), int(ends.max() - ends.min()) + 1
    require(len(inputs) * len(ends) <= LARGEST_ROWS, f"at most {LARGEST_ROWS} totals times outputs", got=len(inputs))
    if isinstance(noise, RationalGeometric):
        rows: Masses = np.full((len(inputs), size), Fraction(0), dtype=object)
        chances: list[Masses] = [_exact_line(noise.ratio, int(value), low, high) for value in inputs]
        slack = 0.0
    else:
        rows = np.zeros((len(inputs), size))
        chances = [_float_line(float(noise.scale), int(value), low, high) for value in inputs]
        slack = HELD * len(ends) if (high - low) / float(noise.scale) > 600 else 0.0
    starts = _starts(ends)  # cells follow each other, and none is left out
    for row, line in zip(rows, chances, strict=True):
        row[:] = np.add.reduceat(line, starts)
    labels: list[int | str] = list(range(start, start + size))
    if size > 1:
        labels[0], labels[-1] = Lump(f"{labels[0]} or less"), Lump(f"{labels[-1]} or more")
    else:
        labels = [Lump("any")]
    return PublishedRow(tuple(labels), np.arange(len(inputs)), rows, slack)


def _together(after: Callable[[Totals], Totals], at: int) -> bool:
    """Whether this total and the next are rounded alike."""
    one, two = after(np.array([at, at + 1])).tolist()
    return bool(one == two)


def _exact_line(ratio: Fraction, value: int, low: int, high: int) -> Masses:
    """P(value + K = k) for low < k < high, and the two tails at low and high."""
    found = np.empty(high - low + 1, dtype=object)
    if low == high:
        found[0] = Fraction(1)
        return found
    peak = (1 - ratio) / (1 + ratio)
    found[:] = [peak * ratio ** abs(k - value) for k in range(low, high + 1)]
    found[0], found[-1] = ratio ** (value - low) / (1 + ratio), ratio ** (high - value) / (1 + ratio)
    return found


def _float_line(scale: float, value: int, low: int, high: int) -> Floats:
    if low == high:
        return np.ones(1)
    x = math.exp(-1 / scale)
    found = np.exp(-np.abs(np.arange(low, high + 1) - value) / scale) * (-math.expm1(-1 / scale) / (1 + x))
    found[0], found[-1] = math.exp(-(value - low) / scale) / (1 + x), math.exp(-(high - value) / scale) / (1 + x)
    return found


def _cut(links: Sequence[Channel], inputs: Totals) -> PublishedRow:
    """Any channels, each noise cut where its tail is 1e-40. Cost O(inputs x outputs x noise)."""
    lines, slack, units = [(int(value), np.ones(1)) for value in inputs], 0.0, 0
    for link in links:
        if isinstance(link, FUNCTIONS):
            lines = [_grouped(link, start, mass) for start, mass in lines]
        else:
            kernel = _kernel(link)
            slack += 4 * NOISE_TAIL
            units += NOISE_UNITS + min(len(kernel), max(len(mass) for _, mass in lines))
            require(
                units <= MOST_UNITS,
                f"noises that err by at most {MOST_UNITS} units together",
                got=units,
                remedy="Use fewer noises one after the other, or smaller scales.",
            )
            width = sum(len(mass) + len(kernel) for _, mass in lines)
            require(width <= LARGEST_ROWS, f"at most {LARGEST_ROWS} totals times outputs", got=width)
            lines = [(start - len(kernel) // 2, np.convolve(mass, kernel)) for start, mass in lines]
    low, high = min(start for start, _ in lines), max(start + len(mass) for start, mass in lines)
    require(len(lines) * (high - low) <= LARGEST_ROWS, f"at most {LARGEST_ROWS} totals times outputs", got=len(lines))
    rows = np.zeros((len(lines), high - low))
    for row, (start, mass) in zip(rows, lines, strict=True):
        row[start - low : start - low + len(mass)] = mass
    return PublishedRow(tuple(range(low, high)), np.arange(len(lines)), rows, slack)


def _grouped(link: Rounded | ThresholdChoice, start: int, mass: Floats) -> tuple[int, Floats]:
    places = link.apply(np.arange(start, start + len(mass)))
    starts = _starts(places)
    found = np.bincount(places[starts] - places.min(), weights=np.add.reduceat(mass, starts))
    return int(places.min()), found.astype(float)


def _starts(places: Totals) -> Totals:
    """Where runs of equal places begin: sums over runs are pairwise, and hardly err where millions are added."""
    return np.flatnonzero(np.diff(places, prepend=places[0] - 1))


def _kernel(link: Channel) -> Floats:
    """The noise on -c, ..., c, beyond which less than 2e-40 lies."""
    if isinstance(link, DiscreteGaussian):
        found = np.asarray(link.noise().mass)
    elif isinstance(link, RationalGeometric | TwoSidedGeometric):
        rate = link.rate if isinstance(link, RationalGeometric) else 1 / float(link.scale)
        cut = math.ceil(-math.log(NOISE_TAIL) / rate) + 1
        found = math.tanh(rate / 2) * np.exp(-rate * np.abs(np.arange(-cut, cut + 1)))
    else:
        raise InputError(f"A finite world needs rounding or one of the known noises, but got {link}. Give its matrix.")
    require(
        len(found) <= LARGEST_NOISE,
        f"noise of at most {LARGEST_NOISE} points",
        got=len(found),
        remedy="Use a smaller scale, or verify, which is made for large figures.",
    )
    return found
