"""Mechanisms that give records away and still keep a definition that is too weak: what additive secrecy allows.

Functions from a dataset to the law of the output, for `FiniteMechanism.random` and `Neighbours`, which fail them.
"""

import itertools
import math
from collections.abc import Callable, Hashable
from fractions import Fraction

from dalenius.basics.errors import require
from dalenius.facts.records import exact
from dalenius.papers.worlds import Dataset

Number = float | str | Fraction
Release = Callable[[Dataset], dict[Hashable, Fraction]]


def name_and_shame(chance: Number) -> Release:
    """Each record is published in clear with this chance δ, with its owner's place, else nothing is said of it.

    One record moves the law of the output by δ in total variation, and no more: additive secrecy. Some record comes out
    with chance 1 - (1-δ)^n, and no ε is large enough.

    >>> name_and_shame("1/10")(("ill",))
    {((0, 'ill'),): Fraction(1, 10), (None,): Fraction(9, 10)}
    """
    share = exact(chance, name="chance")
    require(0 <= share <= 1, "a chance between 0 and 1", got=chance)

    def law(dataset: Dataset) -> dict[Hashable, Fraction]:
        choices = [(((place, value), share), (None, 1 - share)) for place, value in enumerate(dataset)]
        return {
            tuple(out for out, _ in row): math.prod((p for _, p in row), start=Fraction(1))
            for row in itertools.product(*choices)
        }

    return law


def publish_one_record(dataset: Dataset) -> dict[Hashable, Fraction]:
    """One of the n records, drawn at random, is published in clear: δ = 1/n of additive secrecy, and no ε.

    >>> publish_one_record(("ill", "well"))
    {(0, 'ill'): Fraction(1, 2), (1, 'well'): Fraction(1, 2)}
    """
    require(len(dataset) > 0, "at least one record", got=0)
    return {(place, value): Fraction(1, len(dataset)) for place, value in enumerate(dataset)}


def somebody_is_shamed(chance: Number, n: int) -> Fraction:
    """The chance that `name_and_shame` publishes at least one of n records: 1 - (1-δ)^n.

    >>> import dalenius as dl
    >>> dl.papers.somebody_is_shamed("1/10", 2)
    Fraction(19, 100)
    """
    share = exact(chance, name="chance")
    require(0 <= share <= 1 and n >= 1, "a chance between 0 and 1 and at least one record", got=(chance, n))
    return 1 - (1 - share) ** n
