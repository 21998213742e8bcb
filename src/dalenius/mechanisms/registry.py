"""One row a channel that can be released: its name in files, its numbers, its sampler, its error.

Specifications, ledgers, certificates, plans and the release itself read this table, and have no other.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import final

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_GAUSSIAN, LARGEST_SCALE
from dalenius.mechanisms.channel import Channel, DiscreteGaussian, Rounded, RoundedGaussian, TwoSidedGeometric
from dalenius.mechanisms.choice import LikeliestRate, likeliest_rate
from dalenius.mechanisms.compared import MOST_COMPARED, OnlyCompared
from dalenius.mechanisms.earned_count import ExactIfEarned
from dalenius.mechanisms.small_counts import LARGEST_HIDDEN, SmallCountsHidden, Zeros

HIDING: Mapping[str, Zeros] = MappingProxyType({"hide": "hidden", "hide but zeros": "shown"})  # the zeros of each name
FEWEST_RATES, MOST_RATES = 2, 20  # of which one is chosen
FAR = 40  # standard deviations of normal noise beyond which nothing is added up
SMOOTH = 1000  # scales from which on sums are integrals, to a part in a million


@final
@dataclass(frozen=True, slots=True)
class ChannelRow:
    """A channel with its `size`: the scale of noise, the base of a rounding. Most are made of that one number."""

    name: str  # in specifications and certificates
    recorded: str  # in ledgers
    kind: type[Channel]
    made: Callable[..., Channel]
    size: Callable[[Channel], Fraction]
    error: Callable[[Fraction], float]  # expected and absolute, in units; of a rounding where every place is as likely
    largest: int  # size that may be asked for
    drawn: str = ""  # the sampler's name, if it rolls dice
    apply: Callable[[int, Channel], int] | None = None  # what it does to a total, if it does not
    holds: Callable[[Channel], bool] = bool  # which channels of the kind it is about, if not about all
    numbers: Callable[[Channel], tuple[Fraction, ...]] | None = None  # what it is made of, if of more than its size

    def all_numbers(self, link: Channel) -> tuple[Fraction, ...]:
        """What a channel is made of."""
        return (self.size(link),) if self.numbers is None else self.numbers(link)


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


def _ordered(among: Fraction, at: Fraction) -> OnlyCompared:
    return replace(_compared(among), at=at)


def _moved(among: Fraction, at: Fraction, scale: Fraction) -> OnlyCompared:
    return replace(_compared(among), at=at, moved=scale)


def _modelled(among: Fraction, *chances: Fraction) -> OnlyCompared:
    """The chances of the values under each model, one model after the other."""
    many = _compared(among).among
    if not chances or len(chances) % many:
        raise InputError(f"A model has a chance for each of {many} values, but got {len(chances)} chances in all.")
    models = tuple(chances[start : start + many] for start in range(0, len(chances), many))
    return replace(_compared(among), models=models)


def _by_models(link: Channel) -> bool:
    return isinstance(link, OnlyCompared) and bool(link.models)


def _among_models(link: Channel) -> tuple[Fraction, ...]:
    models = link.models if isinstance(link, OnlyCompared) else ()
    return (_among(link), *(chance for model in models for chance in model))


def _in_order(link: Channel) -> bool:
    return isinstance(link, OnlyCompared) and link.at is not None


def _noisy_in_order(link: Channel) -> bool:
    return isinstance(link, OnlyCompared) and link.moved is not None


def _among_in_order(link: Channel) -> tuple[Fraction, ...]:
    if not isinstance(link, OnlyCompared) or link.at is None:
        raise InputError(f"Only counts that are put in order have a place, but got {link}.")
    return (Fraction(link.among), link.at) if link.moved is None else (Fraction(link.among), link.at, link.moved)


def _among(link: Channel) -> Fraction:
    if not isinstance(link, OnlyCompared):
        raise InputError(f"Only counts that are compared are some among others, but got {link}.")
    return Fraction(link.among)


def _nothing(_total: int, _link: Channel) -> int:
    return 0


def _earned(link: Channel) -> tuple[Fraction, ...]:
    if not isinstance(link, ExactIfEarned):
        raise InputError(f"Only a count that is exact where that is earned has a range for it, but got {link}.")
    return link.low, link.high, link.scale


def _rates(link: Channel) -> tuple[Fraction, ...]:
    if not isinstance(link, LikeliestRate):
        raise InputError(f"Only what chooses a rate has some to choose from, but got {link}.")
    return link.rates


def _choosing(*rates: Fraction) -> LikeliestRate:
    if not FEWEST_RATES <= len(rates) <= MOST_RATES or len({*rates}) < len(rates):
        raise InputError(
            f"A rate is chosen from {FEWEST_RATES} to {MOST_RATES} different ones, but got {len(rates)}. List each "
            "once."
        )
    if not all(0 < rate < 1 for rate in rates):
        raise InputError("A rate is chosen from some above 0 and below 1, but not all are. Use 0.001 for what is rare.")
    return likeliest_rate(*rates)


def _plainly(link: Channel) -> bool:
    """Whether no rate has another weight, and the first of several wins."""
    return isinstance(link, LikeliestRate) and set(link.weights) == {Fraction(1)} and link.ties == "first"


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
            ChannelRow(
                "earned",
                "earned",
                ExactIfEarned,
                ExactIfEarned,
                lambda link: _earned(link)[2],
                _geometric,
                LARGEST_SCALE,
                numbers=_earned,
            ),
            ChannelRow(
                "compare",
                "compared",
                OnlyCompared,
                _compared,
                _among,
                float,
                MOST_COMPARED,
                apply=_nothing,
                holds=lambda link: not _in_order(link) and not _by_models(link),
            ),
            ChannelRow(
                "order",
                "in_order",
                OnlyCompared,
                _ordered,
                _among,
                float,
                MOST_COMPARED,
                apply=_nothing,
                holds=lambda link: _in_order(link) and not _noisy_in_order(link),
                numbers=_among_in_order,
            ),
            ChannelRow(
                "moved",
                "moved_in_order",
                OnlyCompared,
                _moved,
                _among,
                float,
                MOST_COMPARED,
                apply=_nothing,
                holds=_noisy_in_order,
                numbers=_among_in_order,
            ),
            ChannelRow(
                "model",
                "by_models",
                OnlyCompared,
                _modelled,
                _among,
                float,
                MOST_COMPARED,
                apply=_nothing,
                holds=_by_models,
                numbers=_among_models,
            ),
            ChannelRow(
                "choose",
                "chosen",
                LikeliestRate,
                _choosing,
                lambda link: Fraction(len(_rates(link))),
                float,
                MOST_RATES,
                holds=_plainly,
                numbers=_rates,
            ),
        )
    }
)
NOISES = tuple(name for name, row in ROWS.items() if row.drawn)
COMPARES = ("compare", "order", "moved", "model")  # counts that are not published
HIDES = (*HIDING, *COMPARES, "earned", "choose")


def row_of(link: Channel) -> ChannelRow:
    """The row of a channel."""
    for row in ROWS.values():
        if isinstance(link, row.kind) and row.holds(link):
            return row
    raise InputError(f"What is released is {', '.join(ROWS)}, but got {link}. This is a defect: report it.")


def written(link: Channel) -> tuple[str, str]:
    """A channel as it stands in files: its name and its numbers, exactly.

    >>> written(TwoSidedGeometric(Fraction(5, 2))), written(ExactIfEarned(Fraction(1, 5), Fraction(2, 5), Fraction(2)))
    (('geometric', '5/2'), ('earned', '1/5 2/5 2'))
    """
    row = row_of(link)
    return row.name, " ".join(map(str, row.all_numbers(link)))


def made(name: str, numbers: str) -> Channel:
    """The channel behind a name and its numbers."""
    if name not in ROWS:
        raise InputError(f"A channel is one of {', '.join(ROWS)}, but got {name!r}.")
    row, found = ROWS[name], [Fraction(number) for number in numbers.split()]
    try:
        return row.made(*found)
    except TypeError:
        raise InputError(f"{name} is made of another number of numbers than {len(found)}. Correct it.") from None
