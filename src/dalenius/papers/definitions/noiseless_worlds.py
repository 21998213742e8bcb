"""Noiseless privacy on finite worlds, as in coupled worlds and as in the noiseless paper: they differ."""

import itertools
from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import require
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Number, exact
from dalenius.numerics.outcomes import both_ways
from dalenius.papers.definitions.games import Games, Release
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite

NOTHING = Bracket(0.0, 0.0)


def noiseless_by_value(belief: Finite, mechanism: FiniteMechanism, epsilon: Number) -> Bracket:
    """Noiseless privacy as in coupled worlds (Definition 6): the least δ at which the release looks alike given
    X_i = a and given X_i = b, for every record, every two values that can occur, and all auxiliary information.

    It differs from `noiseless_by_presence`: fixing a value tells about every record that depends on it, while taking
    the record out does not. Where all records follow a common mean that is published, this δ is 1 and that one 0;
    where the number of records is published, this δ is 0 and that one 1. Both run in examples/papers/noiseless.py.
    """
    level, worst = _level(epsilon), NOTHING
    for record, side in itertools.product(range(belief.n), range(len(belief.sides))):
        places = (belief.side_is(side) & belief.record_is(record, value) for value in belief.values)
        laws = [law for law in (mechanism.law(belief, where) for where in places) if law is not None]
        for one, two in itertools.combinations(laws, 2):
            worst = worst.join(both_ways(one, two, level))
    return worst


def noiseless_by_presence(
    release: Release,
    belief: Finite,
    epsilon: Number,
    *,
    added: Iterable[Hashable],
    taken_out: Literal["given its value", "averaged"] = "given its value",
) -> Bracket:
    """Noiseless privacy as in Grining and Klonowski (Definitions 1 and 3, repaired): the least δ at which the release
    looks alike with and without one record, in both directions. An absent record is None, and comes last if added.

    The record that is added is independent of the data, so that a constant, one of `added`, is the worst. The record
    that is taken out is present with a value: "given its value" asks this for each value (the repair, as the engine
    does), "averaged" for the mixture of them (as printed), which is never more.
    """
    require(taken_out in ("given its value", "averaged"), '"given its value" or "averaged"', got=taken_out)
    level, worst, games = _level(epsilon), NOTHING, Games.of(release, belief.forgetting(), default=None)
    for record, side in itertools.product(range(belief.n), range(len(belief.sides))):
        present = belief.side_is(side) & ~belief.record_is(record, None)
        cuts = [belief.record_is(record, value) for value in belief.values] if taken_out == "given its value" else []
        for where in [present & cut for cut in cuts] or [present]:
            worst = worst.join(_apart(games, record, where, level))
    codes = np.column_stack([belief.codes, np.full(belief.size, len(belief.values))])
    longer = Finite((*belief.values, None), codes, belief.mass)
    for value, side in itertools.product(added, range(len(belief.sides))):
        games = Games.of(release, longer, default=value)
        worst = worst.join(_apart(games, belief.n, belief.side_is(side), level))
    return worst


def _apart(games: Games, record: int, where: NDArray[np.bool_], level: Fraction) -> Bracket:
    """δ between the release and the one without the record, given that the dataset is one of those marked."""
    one, two = games.real.law(games.belief, where), games.without[record].law(games.belief, where)
    return NOTHING if one is None or two is None else both_ways(one, two, level)


def _level(epsilon: Number) -> Fraction:
    found = exact(epsilon, name="epsilon")
    require(found >= 0, "ε of at least 0", got=epsilon)
    return found
