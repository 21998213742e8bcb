"""Coupled worlds of up to millions of datasets, for a simulator that is given: without a list of the scrubbed data.

What the simulator makes of a scrubbed dataset is all that counts, so each dataset is taken straight to the law of its
simulated output. Where alt only removes records, the release is `statistic >> channel` and the simulator runs it on
what is left (the canonical one), totals are subtracted and nothing is called at all.
"""

from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from dalenius.basics.errors import require
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Number, exact
from dalenius.facts.statistics import Statistic
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.numerics.outcomes import ROUNDING, Masses, Outcomes, both_ways, is_exact, underflow
from dalenius.papers.definitions.coupled import CoupledWorlds, cells_of, laws_in, pushed, spread
from dalenius.papers.definitions.hides import check_same_outputs, on
from dalenius.papers.definitions.tables import Drawn, Listing, Places, places_of, tabulated
from dalenius.papers.mechanisms.finite import FiniteMechanism, check_numbers, published_on, totals_of
from dalenius.papers.worlds import Dataset, Finite

Run: TypeAlias = Mechanism | Statistic | Callable[[Dataset], Drawn]


def canonical_delta(definition: CoupledWorlds, release: Run, *, epsilon: Number) -> Bracket:
    """The least δ for the canonical simulator: the release itself, run on the scrubbed data.

    Cost: a function is called for each dataset, and once for each scrubbed one; `statistic >> channel` is not called
    (O(datasets) for each pair), if alt only removes records.

    >>> from dalenius.papers.definitions.coupled import distributional
    >>> coins = Finite.product_of_floats([{0: 0.5, 1: 0.5}] * 10)
    >>> print(canonical_delta(distributional([coins]), lambda data: sum(filter(None, data)), epsilon=0))
    [0.246, 0.2461]
    """
    if isinstance(release, Mechanism | Statistic):
        made = release if isinstance(release, Mechanism) else Mechanism(release)
        removed = [hide.removes for hide in definition.hides if hide.removes is not None]
        require(
            len(removed) == len(definition.hides),
            "pairs whose alt only removes records, for a statistic",
            got=[str(hide) for hide in definition.hides if hide.removes is None],
            remedy="Give the release as a function of the dataset.",
        )
        return _worst(_totals_faced(definition, made, removed), epsilon)
    return simulated_delta(definition, release, release, epsilon=epsilon)


def simulated_delta(
    definition: CoupledWorlds,
    release: Callable[[Dataset], Drawn] | FiniteMechanism,
    simulator: Callable[[Dataset], Drawn] | Callable[[Hashable], Drawn],
    *,
    epsilon: Number,
) -> Bracket:
    """The least δ for a simulator given as a function of what alt leaves. It is called once for each distinct one."""
    return _worst(_faced(definition, release, simulator), epsilon)


def _worst(faced: Iterator[tuple[Outcomes, Outcomes]], epsilon: Number) -> Bracket:
    at, worst = exact(epsilon, name="epsilon"), Bracket(0.0, 0.0)
    require(at >= 0, "ε of at least 0", got=epsilon)
    for real, ideal in faced:
        worst = worst.join(both_ways(real, ideal, at))
    return worst


def _faced(
    definition: CoupledWorlds,
    release: Callable[[Dataset], Drawn] | FiniteMechanism,
    simulator: Callable[[Dataset], Drawn] | Callable[[Hashable], Drawn],
) -> Iterator[tuple[Outcomes, Outcomes]]:
    for listing in map(Listing, definition.beliefs):
        made = on(release, listing, definition.beliefs[0])
        for h, hide in enumerate(definition.hides):
            alt = hide.scrubbed(listing, definition.beliefs[0])
            run = tabulated(simulator, alt.outputs)  # type: ignore[arg-type]  # what alt leaves may be a dataset or not
            if alt.rows is None:
                ideal = FiniteMechanism(run.outputs, run.state[alt.state], run.rows)
            else:
                ideal = _after(alt, alt.rows, run)
            del alt
            yield from _laws(listing.belief, definition.private(h, listing), made, ideal)


def _after(alt: FiniteMechanism, drawn: Masses, run: FiniteMechanism) -> FiniteMechanism:
    """The simulator on scrubbed data that are random, with the laws `drawn`."""
    every = np.full((len(run.state), len(run.outputs)), Fraction(0), dtype=object)
    every[np.arange(len(run.state)), run.state] = Fraction(1)
    rows = every if run.rows is None else run.rows[run.state]
    kind, laws = object if is_exact(drawn) else float, [pushed(row, rows) for row in drawn]
    lost = max(underflow(row, rows, law) for row, law in zip(drawn, laws, strict=True))
    return FiniteMechanism(run.outputs, alt.state, np.array(laws, kind), alt.slack + lost)


def _totals_faced(
    definition: CoupledWorlds, made: Mechanism, removed: list[tuple[int, ...]]
) -> Iterator[tuple[Outcomes, Outcomes]]:
    """The same by totals: what is left is the total less what the removed records add."""
    check_numbers(made.statistic, [(belief.values, belief.codes) for belief in definition.beliefs])
    totals: list[Places] = []
    for belief in definition.beliefs:
        whole = totals_of(made.statistic, belief.values, belief.codes)
        totals += [whole, *(whole - totals_of(made.statistic, belief.values, belief.codes, gone) for gone in removed)]
    found = published_on(made, totals)
    for listing in map(Listing, definition.beliefs):
        real = next(found)
        for h in range(len(removed)):
            yield from _laws(listing.belief, definition.private(h, listing), real, next(found))


def _laws(
    belief: Finite, priv: FiniteMechanism, real: FiniteMechanism, ideal: FiniteMechanism
) -> Iterator[tuple[Outcomes, Outcomes]]:
    """The two laws of the output, given each private value and side."""
    check_same_outputs(real.outputs, ideal.outputs)
    cells = cells_of(belief, priv)
    outputs = tuple(dict.fromkeys((*real.outputs, *ideal.outputs)))
    ours, theirs = (places_of(made.outputs, outputs) for made in (real, ideal))
    for one, two in zip(laws_in(cells, belief, real), laws_in(cells, belief, ideal), strict=True):
        yield _outcomes(one, real, ours, len(outputs)), _outcomes(two, ideal, theirs, len(outputs))


def _outcomes(states: tuple[Places, Masses], made: FiniteMechanism, places: Places, size: int) -> Outcomes:
    where, mass = states
    if made.rows is None:
        law = spread(mass, places[where], size)
        return Outcomes(law, 0.0 if is_exact(law) else 2 * ROUNDING, made.slack)
    drawn, rows = pushed(mass, made.rows[where]), made.rows[where]
    lost = underflow(mass, rows, drawn)
    return Outcomes(spread(drawn, places, size), 0.0 if is_exact(drawn) else 2 * ROUNDING, made.slack + lost)
