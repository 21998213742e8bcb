"""What coupled-worlds privacy keeps when releases are processed, mixed and combined, and what it implies for
Pufferfish: each theorem is checked on given worlds, its side conditions with it.

Bassily, Groce, Katz and Smith (2013), Theorems 3 to 6 and 16 with Corollary 2. A side condition that fails is returned
as a witness: the case at which it fails.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from typing import final

import numpy as np

from dalenius.basics.errors import PreconditionError, require
from dalenius.claims.conversions import composed_delta, pufferfish_delta
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import HELD
from dalenius.facts.records import Number, exact
from dalenius.numerics.outcomes import Masses, is_exact, underflow
from dalenius.papers.definitions.coupled import (
    CoupledCase,
    CoupledPairs,
    CoupledWorlds,
    Scene,
    Simulator,
    coupled_delta,
    gathered,
    pushed,
    spread,
    worst_case,
)
from dalenius.papers.definitions.hides import check_same_outputs
from dalenius.papers.definitions.tables import Drawn, Listing, Places, law_of, places_of, tabulated
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset

NOTHING = Bracket(0.0, 0.0)


@final
@dataclass(frozen=True, slots=True)
class Check:
    """What a theorem promises, and what was found on these worlds."""

    claim: str
    promised: Bracket
    found: Bracket

    @property
    def holds(self) -> bool:
        """Whether what was found is not certainly above what was promised."""
        return self.found.lower <= self.promised.upper

    def __str__(self) -> str:
        verdict = "holds" if self.holds else "fails"
        return f"{self.claim} {verdict}: δ = {self.found} where {self.promised} was promised"


# -- one release -----------------------------------------------------------------------------------------------------


def post_processing(
    worlds: CoupledPairs, simulator: Simulator, after: Callable[[Hashable], Drawn], *, epsilon: Number
) -> Check:
    """Theorem 3: a function of the output, random or not, is as private as the output, with Sim processed alike."""
    every = Simulator.of(after, (*worlds.outputs, *simulator.outputs))
    rows = every.rows_for(worlds.outputs)
    laws = [pushed(case.real, rows) for case in worlds.cases]
    cases = tuple(
        replace(case, real=law, slack=case.slack + underflow(case.real, rows, law))
        for case, law in zip(worlds.cases, laws, strict=True)
    )
    later = CoupledPairs(every.outputs, worlds.alts, cases)
    ideal = Simulator(simulator.alts, every.outputs, simulator.rows @ every.rows_for(simulator.outputs))
    before, found = coupled_delta(worlds, simulator, epsilon=epsilon), coupled_delta(later, ideal, epsilon=epsilon)
    return Check("Theorem 3: post-processing", before, found)


def either(
    worlds: tuple[CoupledPairs, CoupledPairs],
    simulators: tuple[Simulator, Simulator],
    share: Number,
    *,
    epsilon: Number,
) -> Check:
    """Convexity: whoever tosses a coin and then runs one release or the other, without saying which, is as private as
    the worse of the two, with simulators tossed alike. Both worlds are of the same definition.
    """
    p = exact(share, name="share")
    require(0 <= p <= 1, "a share between 0 and 1", got=share)
    keys = [[(case.b, case.h, case.value, case.side) for case in one.cases] for one in worlds]
    same = keys[0] == keys[1] and worlds[0].alts == worlds[1].alts
    require(same, "worlds of the same definition", got="other cases", remedy="Build both from it.")
    for first, second in permutations([made.outputs for made in worlds] + [made.outputs for made in simulators], 2):
        check_same_outputs(first, second)
    outputs = tuple(dict.fromkeys((*worlds[0].outputs, *worlds[1].outputs)))
    said = tuple(dict.fromkeys((*simulators[0].outputs, *simulators[1].outputs)))
    ours = [places_of(one.outputs, outputs) for one in worlds]
    cases: list[CoupledCase] = []
    for pair in zip(worlds[0].cases, worlds[1].cases, strict=True):
        laws = [spread(case.real, places, len(outputs)) for case, places in zip(pair, ours, strict=True)]
        mixed, lost = _blend([p, 1 - p], laws)
        cases.append(replace(pair[0], real=mixed, slack=max(case.slack for case in pair) + lost))
    rows = [
        np.array([spread(row, places_of(sim.outputs, said), len(said)) for row in sim.rows_for(worlds[0].alts)])
        for sim in simulators
    ]
    whole = CoupledPairs(outputs, worlds[0].alts, tuple(cases))
    before = [coupled_delta(one, sim, epsilon=epsilon) for one, sim in zip(worlds, simulators, strict=True)]
    found = coupled_delta(whole, Simulator(whole.alts, said, p * rows[0] + (1 - p) * rows[1]), epsilon=epsilon)
    return Check("convexity: one release or the other", before[0].join(before[1]), found)


def convexity(worlds: CoupledPairs, simulator: Simulator, weights: Sequence[Number], *, epsilon: Number) -> Check:
    """Theorem 4: what is private under each belief is private under their mixture with these weights."""
    shares = [exact(weight, name="A weight") for weight in weights]
    fits = len(shares) == 1 + max(case.b for case in worlds.cases) and sum(shares) == 1 and min(shares) >= 0
    require(fits, "a weight for each belief, at least 0, that sum to 1", got=list(weights))
    mixed = _regrouped(worlds, lambda case: {(0, case.side): shares[case.b]})
    before, found = coupled_delta(worlds, simulator, epsilon=epsilon), coupled_delta(mixed, simulator, epsilon=epsilon)
    return Check("Theorem 4: convex hull of beliefs", before, found)


def weaker_side(
    worlds: CoupledPairs, simulator: Simulator, forget: Callable[[Hashable], Drawn], *, epsilon: Number
) -> Check:
    """Theorem 5: privacy survives if the attacker knows only f(Z), with coins of f that depend on nothing else."""
    vaguer = _regrouped(
        worlds, lambda case: {(case.b, side): chance for side, chance in law_of(forget(case.side)).items()}
    )
    before, found = coupled_delta(worlds, simulator, epsilon=epsilon), coupled_delta(vaguer, simulator, epsilon=epsilon)
    return Check("Theorem 5: weaker auxiliary information", before, found)


def _regrouped(
    worlds: CoupledPairs, share: Callable[[CoupledCase], Mapping[tuple[int, Hashable], Fraction]]
) -> CoupledPairs:
    """Cases merged by the belief and the side to which `share` assigns them."""
    parts: dict[tuple[int, int, Hashable, Hashable], list[tuple[Fraction | float, CoupledCase]]] = {}
    for case in worlds.cases:
        for (b, side), part in share(case).items():
            weight = case.chance * (part if isinstance(case.chance, Fraction) else float(part))
            if part:
                require(weight > HELD, "chances that floats can hold", got=weight, remedy="Use fractions.")
                parts.setdefault((b, case.h, case.value, side), []).append((weight, case))
    cases: list[CoupledCase] = []
    for (b, h, value, side), found in parts.items():
        whole = sum((weight for weight, _ in found), Fraction(0))
        shares = [weight / whole for weight, _ in found]
        real, lost = _blend(shares, [case.real for _, case in found])
        at = np.unique(np.concatenate([case.at for _, case in found]))
        sights = [spread(case.seen, np.searchsorted(at, case.at), len(at)) for _, case in found]
        seen, hidden = _blend(shares, sights)
        require(not hidden, "scrubbed data that floats can hold", got="chances below 1e-280", remedy="Use fractions.")
        slack = max(case.slack for _, case in found) + lost
        cases.append(CoupledCase(b, h, value, side, whole, real, seen, at, slack))
    return CoupledPairs(worlds.outputs, worlds.alts, tuple(cases))


def _blend(shares: Sequence[Fraction | float], laws: Sequence[Masses]) -> tuple[Masses, float]:
    """The mixture of the laws, and what floats may have lost of it."""
    exactly = all(isinstance(share, Fraction) for share in shares) and all(map(is_exact, laws))
    weights, rows, kind = np.array(shares, dtype=object), np.array(laws, dtype=object), object if exactly else float
    found = pushed(weights.astype(kind), rows.astype(kind))
    return found, underflow(weights, rows, found)


# -- from coupled worlds to Pufferfish --------------------------------------------------------------------------------


def values_apart(worlds: CoupledPairs, *, epsilon: Number) -> Bracket:
    """Definitions 6 and 7: δ at ε between the real outputs given two private values and the same side, at worst. Sides
    that are possible with one of them only are left out.
    """
    at, worst = exact(epsilon, name="epsilon"), NOTHING
    require(at >= 0, "ε of at least 0", got=epsilon)
    for one, other in _rivals(worlds):
        worst = worst.join(one.outcomes().delta(other.outcomes(), at))
    return worst


def chain_pufferfish(worlds: CoupledPairs, simulator: Simulator, *, epsilon: Number, between: Number) -> Check:
    """Theorem 16: with F (ε, δ)-private by Sim, and Sim's outputs (ε₁, δ₁)-alike for any two private values, F is
    (2ε + ε₁, δ (1 + e^(ε + ε₁)) + δ₁ e^ε)-Pufferfish. `between` is ε₁. Tight. Every side must be possible with every
    value (`missing_side`).
    """
    at, first, apart = exact(epsilon, name="epsilon"), exact(between, name="between"), NOTHING
    witness = missing_side(worlds)
    if witness is not None:
        raise PreconditionError(
            "Theorem 16 needs every side to be possible with every private value, but the side of a case is not "
            f"possible with another value of pair {witness.h}. Use values_apart, which leaves those out; missing_side "
            "gives the case."
        )
    ideal = {id(case): law for case, _, law in worlds.faced(simulator)}
    for one, other in _rivals(worlds):
        apart = apart.join(ideal[id(one)].delta(ideal[id(other)], first))
    delta = coupled_delta(worlds, simulator, epsilon=at)
    promised = pufferfish_delta(at, delta, between=first, apart=apart)
    found = values_apart(worlds, epsilon=2 * at + first)
    return Check("Theorem 16: coupled worlds to Pufferfish", promised, found)


def chain_noiseless(worlds: CoupledPairs, simulator: Simulator, *, epsilon: Number) -> Check:
    """Corollary 2: if the scrubbed data do not depend on the private value given the side (independent records), F is
    (2ε, (1 + e^ε) δ)-noiselessly private. The condition is checked, exactly (`dependence`).
    """
    if dependence(worlds) is not None:
        raise PreconditionError(
            "Corollary 2 needs scrubbed data that are independent of the private value given the side, but they are "
            "not: dependence gives two values. Use chain_pufferfish, which pays for the dependence."
        )
    return replace(chain_pufferfish(worlds, simulator, epsilon=epsilon, between=Fraction(0)), claim="Corollary 2")


def dependence(worlds: CoupledPairs) -> tuple[CoupledCase, CoupledCase] | None:
    """Two cases that differ in the private value alone, and in which the scrubbed data have other laws, if any."""
    return next(((one, other) for one, other in _rivals(worlds) if not one.sees_the_same(other)), None)


def missing_side(worlds: CoupledPairs) -> CoupledCase | None:
    """A case whose side is not possible with some other private value of the same pair and belief, if any."""
    values: dict[tuple[int, int], set[Hashable]] = {}
    here: dict[tuple[int, int, Hashable], set[Hashable]] = {}
    for case in worlds.cases:
        values.setdefault((case.b, case.h), set()).add(case.value)
        here.setdefault((case.b, case.h, case.side), set()).add(case.value)
    lacks = (case for case in worlds.cases if here[case.b, case.h, case.side] != values[case.b, case.h])
    return next(lacks, None)


def _rivals(worlds: CoupledPairs) -> Iterator[tuple[CoupledCase, CoupledCase]]:
    groups: dict[tuple[int, int, Hashable], list[CoupledCase]] = {}
    for case in worlds.cases:
        groups.setdefault((case.b, case.h, case.side), []).append(case)
    for found in groups.values():
        yield from permutations(found, 2)


# -- two releases together --------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, eq=False)
class Composing:
    """δ of each release under its side condition, with the case that is worst, and the check of both together."""

    first: Bracket  # of F at ε_F, for an attacker who also knows Sim_G(alt(X))
    second: Bracket  # of G at ε_G, for an attacker who also knows F(X)
    worst: tuple[CoupledCase, CoupledCase]
    together: Check

    def __str__(self) -> str:
        return f"{self.together}; alone {self.first}, and the other {self.second}"

    def witness(self, deltas: tuple[Number, Number]) -> CoupledCase | None:
        """A case at which a side condition with these δ fails for certain: its side is (z, what else is known)."""
        limits = [exact(delta, name="delta") for delta in deltas]
        for bracket, case, limit in zip((self.first, self.second), self.worst, limits, strict=True):
            if bracket.certainly_above(limit):
                return case
        return None


def compose_coupled(
    definition: CoupledWorlds,
    releases: tuple[Callable[[Dataset], Drawn], Callable[[Dataset], Drawn]],
    simulators: tuple[Simulator, Simulator],
    *,
    epsilons: tuple[Number, Number],
) -> Composing:
    """Theorem 6: F and G together are (ε_F + ε_G, max(δ_F e^ε_G + δ_G, δ_F + δ_G e^ε_F))-private if G is private for
    whoever knows F(X), and F for whoever knows Sim_G(alt(X)). Both are computed here: separate privacy does not imply
    them. All coins are independent, except that both simulators see the same draw of a random alt.
    """
    at = [exact(epsilon, name="epsilon") for epsilon in epsilons]
    stages: tuple[list[tuple[Scene, FiniteMechanism]], ...] = ([], [], [])
    for scene in definition.scenes():
        drawn, origin = alt_drawn(scene)
        rows = Listing(scene.belief).rows
        f, g = (tabulated(release, rows).moved(origin) for release in releases)
        told = FiniteMechanism(simulators[1].outputs, drawn.alt.state, simulators[1].rows_for(drawn.alt.outputs))
        for stage, (known, made) in zip(stages, ((told, f), (f, g)), strict=False):
            after, places = knowing_also(drawn, known)
            stage.append((after, made.moved(places)))
        stages[2].append((drawn, f.beside(g)))
    first, one = worst_case(gathered(stages[0]), simulators[0], epsilon=at[0])
    second, two = worst_case(gathered(stages[1]), simulators[1], epsilon=at[1])
    whole = gathered(stages[2])
    found = coupled_delta(whole, side_by_side(simulators, whole.alts), epsilon=at[0] + at[1])
    promised = composed_delta((at[0], first), (at[1], second))
    return Composing(first, second, (one, two), Check("Theorem 6: composition", promised, found))


def knowing_also(scene: Scene, tells: FiniteMechanism) -> tuple[Scene, Places]:
    """The scene for an attacker who also sees an output of `tells`, and the dataset from which each row comes."""
    origin, told, mass = tells.draws(scene.belief.mass)
    before = 0 if scene.belief.side is None else scene.belief.side[origin]
    sides = tuple((z, output) for z in scene.belief.sides for output in tells.outputs)
    side = np.asarray(before * len(tells.outputs) + told)
    belief = replace(scene.belief, codes=scene.belief.codes[origin], mass=mass, sides=sides, side=side)
    return Scene(scene.b, scene.h, belief, scene.priv.moved(origin), scene.alt.moved(origin)), origin


def alt_drawn(scene: Scene) -> tuple[Scene, Places]:
    """The scene with alt's coins thrown beforehand: a row for each dataset and each way they may fall."""
    origin, seen, mass = scene.alt.draws(scene.belief.mass)
    side = None if scene.belief.side is None else scene.belief.side[origin]
    belief = replace(scene.belief, codes=scene.belief.codes[origin], mass=mass, side=side)
    return Scene(scene.b, scene.h, belief, scene.priv.moved(origin), FiniteMechanism(scene.alt.outputs, seen)), origin


def side_by_side(simulators: tuple[Simulator, Simulator], alts: Sequence[Hashable]) -> Simulator:
    """Both simulators on the same scrubbed data, with independent coins."""
    one, two = (FiniteMechanism(sim.outputs, np.arange(len(alts)), sim.rows_for(alts)) for sim in simulators)
    both = one.beside(two)
    return Simulator(tuple(alts), both.outputs, np.array([both.row(place) for place in range(len(alts))], dtype=object))
