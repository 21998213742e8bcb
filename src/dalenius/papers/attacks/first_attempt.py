"""Why nobody can promise that beliefs stay as they were: for every release that tells anything there is an attacker,
who knows how Alice goes with the data, whose belief about her moves, though she is not in them.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.papers.definitions.finite import Neighbours
from dalenius.papers.definitions.neighbouring import state_law
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset, Finite


@final
@dataclass(frozen=True, slots=True)
class MovedRecord:
    """The attacker holds the data to be one of two, each as likely, and Alice to be ill if they are the first. After
    the output that moves most, "Alice is ill" has another probability than one half.
    """

    ill: Dataset
    well: Dataset
    output: object
    posterior: Fraction

    @property
    def prior(self) -> Fraction:
        return Fraction(1, 2)


def moved_belief(mechanism: FiniteMechanism, world: Finite) -> MovedRecord | None:
    """An attacker whose belief about Alice, who is not in the data, moves; None if the output has the same law whatever
    the data are, and nobody's belief does. Cost: the comparison of every two states of the mechanism.

    Proof. If two datasets give an output the probabilities p ≠ q, the even belief on them becomes p / (p + q). If all
    laws of the output are equal, every posterior is its prior.
    """
    found = Neighbours.any_two(world).delta(mechanism, epsilon=0)
    if found.value.upper == 0 or found.first is None or found.second is None:
        return None
    rows = list(world.datasets())
    place = mechanism.outputs.index(found.output)
    p, q = (_chance(mechanism, rows.index(row), place) for row in (found.first, found.second))
    if p < q:
        return MovedRecord(found.second, found.first, found.output, q / (p + q))
    return MovedRecord(found.first, found.second, found.output, p / (p + q))


def _chance(mechanism: FiniteMechanism, row: int, place: int) -> Fraction:
    state = int(mechanism.state[row])
    if mechanism.rows is None:
        return Fraction(state == place)
    return Fraction(state_law(mechanism, state).mass[place])
