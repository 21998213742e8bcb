"""One row a channel that can be released: its name in files, its one number, its sampler, its error.

Specifications, ledgers, certificates, plans and the release itself read this table, and have no other.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import final

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_GAUSSIAN, LARGEST_SCALE
from dalenius.mechanisms.channel import Channel, DiscreteGaussian, Rounded, RoundedGaussian, TwoSidedGeometric
from dalenius.mechanisms.compared import MOST_COMPARED, OnlyCompared
from dalenius.mechanisms.small_counts import LARGEST_HIDDEN, SmallCountsHidden, Zeros

HIDING: Mapping[str, Zeros] = MappingProxyType({"hide": "hidden", "hide but zeros": "shown"})  # the zeros of each name
FAR = 40  # standard deviations of normal noise beyond which nothing is added up
SMOOTH = 1000  # scales from which on sums are integrals, to a part in a million


@final
@dataclass(frozen=True, slots=True)
class ChannelRow:
    """A channel of one number, its `size`: the scale of noise, the base of a rounding."""

    name: str  # in specifications and certificates
    recorded: str  # in ledgers
    kind: type[Channel]
    made: Callable[[Fraction], Channel]
    size: Callable[[Channel], Fraction]
    error: Callable[[Fraction], float]  # expected and absolute, in units; of a rounding where every place is as likely
    largest: int  # size that may be asked for
    drawn: str = ""  # the sampler's name, if it rolls dice
    apply: Callable[[int, Channel], int] | None = None  # what it does to a total, if it does not
    holds: Callable[[Channel], bool] = bool  # which channels of the kind it is about, if not about all


def _scale(link: Channel) -> Fraction:
    if not isinstance(link, TwoSidedGeometric | DiscreteGaussian | RoundedGaussian):
        raise InputError(f"Only noise has a scale, but got {link}.")
    return link.scale


def _base(link: Channel) -> Fraction:
    if not isinstance(link, Rounded):
        raise InputError(f"Only a rounding has a base, but got {link}.")
    return Fraction(link.base)


def _rounded(base: Fraction) -> Rounded:
    if base.denominator != 1:
        raise InputError(f"rounding needs a whole number of steps, but got {base}")
    return Rounded(int(base))


def _round(total: int, link: Channel) -> int:
    base = int(_base(link))
    return (total + base // 2) // base


def _compared(among: Fraction) -> OnlyCompared:
    if among.denominator != 1:
        raise InputError(f"a whole number of counts is compared, but got {among}")
    return OnlyCompared(int(among))


def _among(link: Channel) -> Fraction:
    if not isinstance(link, OnlyCompared):
        raise InputError(f"Only counts that are compared are some among others, but got {link}.")
    return Fraction(link.among)


def _nothing(_total: int, _link: Channel) -> int:
    return 0


def _below(link: Channel) -> Fraction:
    if not isinstance(link, SmallCountsHidden):
        raise InputError(f"Only what hides small counts has a least count that is shown, but got {link}.")
    return Fraction(link.below)


def _hidden(below: Fraction, *, zeros: Zeros) -> SmallCountsHidden:
    if below.denominator != 1:
        raise InputError(f"hiding small counts needs a whole number below which they are hidden, but got {below}")
    return SmallCountsHidden(int(below), zeros)


def _zeros(link: Channel, *, zeros: Zeros) -> bool:
    return isinstance(link, SmallCountsHidden) and link.zeros == zeros


def _hide(total: int, link: Channel) -> int:
    """A hidden count is the largest one that is hidden."""
    below = int(_below(link))
    return below - 1 if total < below and (total != 0 or _zeros(link, zeros="hidden")) else total


def _of_hiding(below: Fraction) -> float:
    """Of a hidden count, taken for the middle of those that are, if each of them is as likely."""
    return float(below) / 4


def _of_rounding(base: Fraction) -> float:
    """b/4 for even bases b and (b² - 1)/4b for odd ones."""
    b = int(base)
    return b / 4 if b % 2 == 0 else (b * b - 1) / (4 * b)


def _geometric(scale: Fraction) -> float:
    """2x / (1 - x²) with x = exp(-1/scale)."""
    return 1 / math.sinh(1 / float(scale)) if scale > Fraction(1, 500) else 0.0


def _gaussian(size: Fraction) -> float:
    scale = float(size)
    if scale > SMOOTH:
        return scale * math.sqrt(2 / math.pi)
    weights = [math.exp(-k * k / (2 * scale * scale)) for k in range(1, math.ceil(FAR * scale) + 2)]
    total = 1 + 2 * math.fsum(weights)
    return 2 * math.fsum(k * weight for k, weight in enumerate(weights, 1)) / total


def _normal(size: Fraction) -> float:
    """E|round(s N)| = 2 Σ P(s N > k - 1/2)."""
    scale = float(size)
    if scale > SMOOTH:
        return scale * math.sqrt(2 / math.pi)
    return math.fsum(math.erfc((k - 0.5) / (scale * math.sqrt(2))) for k in range(1, math.ceil(FAR * scale) + 2))


ROWS: Mapping[str, ChannelRow] = MappingProxyType(
    {
        row.name: row
        for row in (
            ChannelRow(
                "geometric",
                "geometric",
                TwoSidedGeometric,
                TwoSidedGeometric,
                _scale,
                _geometric,
                LARGEST_SCALE,
                "two_sided_geometric",
            ),
            ChannelRow(
                "gaussian",
                "gaussian",
                DiscreteGaussian,
                DiscreteGaussian,
                _scale,
                _gaussian,
                LARGEST_GAUSSIAN,
                "discrete_gaussian",
            ),
            ChannelRow(
                "normal",
                "normal",
                RoundedGaussian,
                RoundedGaussian,
                _scale,
                _normal,
                LARGEST_GAUSSIAN,
                "rounded_gaussian",
            ),
            ChannelRow("round", "rounded", Rounded, _rounded, _base, _of_rounding, 2**60, apply=_round),
            *(
                ChannelRow(
                    name,
                    name.replace(" ", "_"),
                    SmallCountsHidden,
                    partial(_hidden, zeros=zeros),
                    _below,
                    _of_hiding,
                    LARGEST_HIDDEN,
                    apply=_hide,
                    holds=partial(_zeros, zeros=zeros),
                )
                for name, zeros in HIDING.items()
            ),
            ChannelRow("compare", "compared", OnlyCompared, _compared, _among, float, MOST_COMPARED, apply=_nothing),
        )
    }
)
NOISES = tuple(name for name, row in ROWS.items() if row.drawn)
HIDES = (*HIDING, "compare")


def row_of(link: Channel) -> ChannelRow:
    """The row of a channel."""
    for row in ROWS.values():
        if isinstance(link, row.kind) and row.holds(link):
            return row
    raise InputError(f"What is released is {', '.join(ROWS)}, but got {link}. This is a defect: report it.")


def written(link: Channel) -> tuple[str, Fraction]:
    """A channel as it stands in files: its name and its number."""
    row = row_of(link)
    return row.name, row.size(link)


def made(name: str, size: Fraction) -> Channel:
    """The channel behind a name and a number."""
    if name not in ROWS:
        raise InputError(f"A channel is one of {', '.join(ROWS)}, but got {name!r}.")
    return ROWS[name].made(size)
