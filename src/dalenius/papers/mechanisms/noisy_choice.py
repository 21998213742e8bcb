"""Choosing the likeliest model with a little noise, which is differentially private whatever the data are."""

import math
from collections.abc import Hashable, Mapping, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from dalenius.basics.errors import require
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import decimal
from dalenius.papers.worlds import Dataset

Model = Mapping[Hashable, Number]  # how likely each value is
DIGITS = 60


def noisy_choice(models: Sequence[Model], weights: Sequence[Number], *, scale: Number, data: Dataset) -> list[Decimal]:
    """How likely each model is chosen if noise of Gumbel's law of this scale is added to each log likelihood, and the
    largest wins: in proportion to (weight times likelihood) to the power of 1/scale.

    >>> coins = [{0: "1/4", 1: "3/4"}, {0: "3/4", 1: "1/4"}]
    >>> [str(round(chance, 4)) for chance in noisy_choice(coins, [1, 1], scale=1, data=(1, 1, 0))]
    ['0.7500', '0.2500']
    """
    noise = exact(scale, name="scale")
    require(noise > 0, "a scale above 0", got=scale)
    require(len(models) == len(weights) > 1, "a weight for each of several models", got=(len(models), len(weights)))
    found = [
        math.prod((exact(model[value], name="chance") for value in data), start=exact(weight, name="weight"))
        for model, weight in zip(models, weights, strict=True)
    ]
    require(min(found) > 0, "weights, and chances of values that occur, above 0", got=min(found))
    with localcontext(Context(prec=DIGITS)):
        leads = [((decimal(one).ln() - decimal(found[0]).ln()) / decimal(noise)).exp() for one in found]
        return [lead / sum(leads) for lead in leads]


def steepest(models: Sequence[Model]) -> Fraction:
    """The largest factor between the chances that two models give to one value.

    >>> steepest([{0: "1/4", 1: "3/4"}, {0: "1/2", 1: "1/2"}])
    Fraction(2, 1)
    """
    chances = [{value: exact(p, name="chance") for value, p in model.items()} for model in models]
    require(len({frozenset(model) for model in chances}) == 1, "the same values in all models", got=models)
    require(all(p > 0 for model in chances for p in model.values()), "chances above 0", got=models)
    return max(one[value] / other[value] for one in chances for other in chances for value in one)
