"""What an attacker infers: posteriors in the real and in the ideal world, exactly; and what coupled-worlds privacy
implies for posteriors, for two releases together, and for Pufferfish.

Bassily, Groce, Katz and Smith (2013), Definitions 2, 4 and 8 and Theorems 1, 2, 6, 7 and 16 with Corollary 2, with
Theorems 1, 2 and 7 as repaired or sharpened. A posterior that is not defined, because the output is impossible in the
ideal world, is a failure.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from typing import TypeAlias, final

import numpy as np

from dalenius.beliefs.finite import Dataset, Finite, Number
from dalenius.definitions.coupled import (
    Case,
    CoupledWorlds,
    Drawn,
    Hide,
    Release,
    Scene,
    Simulator,
    Worlds,
    coupled_delta,
    gathered,
    tabulated,
)
from dalenius.definitions.simulator import Check, alt_drawn, knowing_also, side_by_side
from dalenius.errors import PreconditionError, require
from dalenius.mechanisms.finite import ROUNDING, FiniteMechanism
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.divergence import exponential
from dalenius.numerics.outcomes import Masses, Outcomes, both_ways, divided, is_exact, total
from dalenius.numerics.rounding import UNIT, down, up
from dalenius.records import exact

UNDEFINED = Bracket(math.inf, math.inf)
Chance: TypeAlias = Fraction | float
Secrets: TypeAlias = Iterable[Callable[[Dataset], Hashable]]
Doubts: TypeAlias = dict[tuple[Hashable, int], tuple[Chance, Bracket]]  # side and output: how likely, how far apart

# -- posteriors -----------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """What belief b makes of pair h's private value after this output and side, in either world."""

    b: int
    h: int
    output: int  # its place
    side: Hashable
    chance: Chance  # of the output and the side, in the real world
    values: tuple[Hashable, ...]
    real: Outcomes
    ideal: Outcomes | None  # None if the output is impossible in the ideal world

    def delta(self, epsilon: Fraction) -> Bracket:
        """How far apart the two are at ε; infinite if one is not defined."""
        return UNDEFINED if self.ideal is None else both_ways(self.real, self.ideal, epsilon)


def posteriors(worlds: Worlds, simulator: Simulator) -> Iterator[Posterior]:
    """After every output that can be published, under every belief, for every pair and side."""
    groups: dict[tuple[int, int, Hashable], list[tuple[Case, Masses, Masses]]] = {}
    for case, real, ideal in worlds.faced(simulator):
        groups.setdefault((case.b, case.h, case.side), []).append((case, real.mass, ideal.mass))
    for (b, h, side), found in groups.items():
        values = tuple(case.value for case, _, _ in found)
        chances = _column([case.chance for case, _, _ in found])
        for output in range(len(found[0][1])):
            joint = chances * _column([mass[output] for _, mass, _ in found])
            known, simulated = _normal(joint), _normal(chances * _column([mass[output] for _, _, mass in found]))
            if known is not None:
                yield Posterior(b, h, output, side, total(joint), values, known, simulated)


def _column(values: Sequence[Chance]) -> Masses:
    exactly = all(isinstance(value, Fraction) for value in values)
    return np.array(values, dtype=object if exactly else float)


def _normal(mass: Masses) -> Outcomes | None:
    whole = total(mass)
    return Outcomes(divided(mass, whole), 0.0 if is_exact(mass) else 4 * ROUNDING) if whole else None


def inference_failure(worlds: Worlds, simulator: Simulator, *, epsilon: Number, delta: Number) -> Bracket:
    """Definition 4: the chance of an output and side after which, for some pair, the posteriors in the two worlds are
    more than (ε, δ) apart; worst over beliefs. F is (ε, δ)-inference-based private if this is at most δ.
    """
    limit = exact(delta, name="delta")
    return _worst(_failing(doubts, limit) for doubts in _doubts(worlds, simulator, epsilon).values())


def inference_delta(worlds: Worlds, simulator: Simulator, *, epsilon: Number) -> Bracket:
    """The least δ with which F is (ε, δ)-inference-based private for this simulator (Definitions 2 and 4)."""
    return _worst(_least(doubts) for doubts in _doubts(worlds, simulator, epsilon).values())


def pufferfish_failure(
    release: Release, beliefs: Iterable[Finite], secrets: Secrets, *, epsilon: Number, delta: Number
) -> Bracket:
    """Definition 8: the chance, given the side, of an output after which a secret's posterior is more than (ε, δ) from
    its prior; worst over beliefs, secrets and sides. A secret is a function of the dataset; None is "neither".
    """
    limit = exact(delta, name="delta")
    return _worst(_failing(doubts, limit) for doubts in _blind(release, beliefs, secrets, epsilon))


def pufferfish_inference_delta(
    release: Release, beliefs: Iterable[Finite], secrets: Secrets, *, epsilon: Number
) -> Bracket:
    """The least δ with which the release is (ε, δ)-inference-based Pufferfish private."""
    return _worst(_least(doubts) for doubts in _blind(release, beliefs, secrets, epsilon))


def _doubts(worlds: Worlds, simulator: Simulator, epsilon: Number) -> dict[int, Doubts]:
    """For each belief: every side and output, how likely it is, and how far apart the posteriors are at worst."""
    at = exact(epsilon, name="epsilon")
    found: dict[int, Doubts] = {}
    for one in posteriors(worlds, simulator):
        here = found.setdefault(one.b, {})
        before = here.get((one.side, one.output))
        apart = one.delta(at)
        here[one.side, one.output] = (one.chance, apart.join(before[1]) if before else apart)
    return found


def _blind(release: Release, beliefs: Iterable[Finite], secrets: Secrets, epsilon: Number) -> Iterator[Doubts]:
    """The same, by belief, secret and side, against an ideal world whose output says nothing."""
    everyone = tuple(beliefs)
    for secret in secrets:
        worlds = CoupledWorlds(everyone, (Hide(secret, lambda _: None),)).worlds(release)
        level = np.full((1, len(worlds.outputs)), Fraction(1, len(worlds.outputs)), dtype=object)
        for doubts in _doubts(worlds, Simulator(worlds.alts, worlds.outputs, level), epsilon).values():
            for side in dict.fromkeys(side for side, _ in doubts):
                part = {key: doubt for key, doubt in doubts.items() if key[0] == side}
                whole = sum((chance for chance, _ in part.values()), Fraction(0))
                yield {key: (chance / whole, apart) for key, (chance, apart) in part.items()}


def _failing(doubts: Doubts, limit: Fraction) -> Bracket:
    sure = sum((chance for chance, apart in doubts.values() if apart.certainly_above(limit)), Fraction(0))
    possible = sum((chance for chance, apart in doubts.values() if not apart.certainly_at_most(limit)), Fraction(0))
    return around(sure, possible)


def _least(doubts: Doubts) -> Bracket:
    """The least d that the chance of being more than d apart does not exceed: the k outputs furthest apart fail, for
    the best k. It grows with every distance, so that lower and upper distances give its bracket.
    """
    ends: list[Chance] = []
    for low in (True, False):
        far = [(Fraction(min(1.0, apart.lower if low else apart.upper)), chance) for chance, apart in doubts.values()]
        failed: Chance = Fraction(0)
        best: Chance = Fraction(1)
        for distance, chance in sorted(far, reverse=True):
            best = min(best, max(distance, failed))
            failed += chance
        ends.append(float(min(best, failed)) if isinstance(failed, float) else min(best, failed))
    return around(ends[0], ends[1])


def around(lower: Chance, upper: Chance) -> Bracket:
    """Floats around two numbers; floats among them may err by a few roundings, fractions do not."""
    ends = [float(lower), float(upper)]
    if isinstance(lower, float) or Fraction(ends[0]) > lower:
        ends[0] = down(ends[0], 1.0 if isinstance(lower, Fraction) else 8 * ROUNDING / UNIT)
    if isinstance(upper, float) or Fraction(ends[1]) < upper:
        ends[1] = up(ends[1], 1.0 if isinstance(upper, Fraction) else 8 * ROUNDING / UNIT)
    return Bracket(ends[0], ends[1])


def _worst(found: Iterable[Bracket]) -> Bracket:
    whole = Bracket(0.0, 0.0)
    for one in found:
        whole = whole.join(one)
    return whole


# -- what coupled-worlds privacy implies for posteriors ---------------------------------------------------------------


def failure_from_coupled(epsilon: Number, delta: Bracket, *, pairs: int, posterior_delta: Number) -> Bracket:
    r"""Theorems 1 and 2, repaired: (ε, δ)-private for `pairs` pairs implies posteriors (2ε, d)-close except with
    probability \(pairs · δ (1 + e^ε (1 - d)) / d\). Tight; no side condition.
    """
    d = exact(posterior_delta, name="posterior_delta")
    require(0 < d <= 1, "a posterior δ above 0 and at most 1", got=posterior_delta)
    steep = [Fraction(e) for e in exponential(exact(epsilon, name="epsilon"))]
    ends = [
        pairs * Fraction(end) * (1 + e * (1 - d)) / d for end, e in zip((delta.lower, delta.upper), steep, strict=True)
    ]
    return around(min(ends[0], Fraction(1)), min(ends[1], Fraction(1)))


def balanced_from_coupled(epsilon: Number, delta: Number, *, pairs: int) -> Bracket:
    """The d at which posterior δ and failure are equal in `failure_from_coupled`: (2ε, d)-inference-based private.

    It solves d² + b d = c with b = pairs δ e^ε and c = pairs δ (1 + e^ε), and it is at most √c.

    >>> print(balanced_from_coupled(0.5, 1e-8, pairs=100))
    [0.001626, 0.001627]
    """
    whole = pairs * exact(delta, name="delta")
    steep = math.exp(float(exact(epsilon, name="epsilon")))
    b, c = float(whole) * steep, float(whole) * (1 + steep)
    found = 2 * c / (b + math.sqrt(b * b + 4 * c)) if c else 0.0
    return Bracket(down(found, 64.0), min(1.0, up(found, 64.0)))


def failure_from_pufferfish(delta: Bracket, *, chance: Number, posterior_delta: Number) -> Bracket:
    """Theorem 7, sharpened: (ε, δ)-Pufferfish for a secret of probability π implies that its posterior is (ε, d)-close
    to π except with probability 2 π (1 - π) δ / d, given any side. Hence (ε, √(δ/2))-inference-based.
    """
    d, pi = exact(posterior_delta, name="posterior_delta"), exact(chance, name="The secret's probability")
    require(0 < d <= 1, "a posterior δ above 0 and at most 1", got=posterior_delta)
    require(0 <= pi <= 1, "a probability of the secret", got=chance)
    ends = [min(Fraction(1), 2 * pi * (1 - pi) * Fraction(end) / d) for end in (delta.lower, delta.upper)]
    return around(ends[0], ends[1])


# -- from coupled worlds to Pufferfish --------------------------------------------------------------------------------


def values_apart(worlds: Worlds, *, epsilon: Number) -> Bracket:
    """Definitions 6 and 7: δ at ε between the real outputs given two private values and the same side, at worst. Sides
    that are possible with one of them only are left out.
    """
    at = exact(epsilon, name="epsilon")
    return _worst(_outcomes(one.real).delta(_outcomes(other.real), at) for one, other in _rivals(worlds))


def chain_pufferfish(worlds: Worlds, simulator: Simulator, *, epsilon: Number, between: Number) -> Check:
    """Theorem 16: with F (ε, δ)-private by Sim, and Sim's outputs (ε₁, δ₁)-alike for any two private values, F is
    (2ε + ε₁, δ (1 + e^(ε + ε₁)) + δ₁ e^ε)-Pufferfish. `between` is ε₁. Tight. Every side must be possible with every
    value.
    """
    at, first = exact(epsilon, name="epsilon"), exact(between, name="between")
    _same_sides(worlds)
    ideal = {id(case): law for case, _, law in worlds.faced(simulator)}
    apart = _worst(ideal[id(one)].delta(ideal[id(other)], first) for one, other in _rivals(worlds))
    delta = coupled_delta(worlds, simulator, epsilon=at)
    ends = [
        Fraction(d) * (1 + Fraction(both)) + Fraction(d1) * Fraction(one)
        for d, d1, both, one in zip(
            (delta.lower, delta.upper),
            (apart.lower, apart.upper),
            exponential(at + first),
            exponential(at),
            strict=True,
        )
    ]
    found = values_apart(worlds, epsilon=2 * at + first)
    return Check("Theorem 16: coupled worlds to Pufferfish", around(ends[0], ends[1]), found)


def chain_noiseless(worlds: Worlds, simulator: Simulator, *, epsilon: Number) -> Check:
    """Corollary 2: if the scrubbed data do not depend on the private value given the side (independent records), F is
    (2ε, (1 + e^ε) δ)-noiselessly private. The condition is checked, exactly.
    """
    if not all(np.array_equal(one.seen, other.seen) for one, other in _rivals(worlds)):
        raise PreconditionError(
            "Corollary 2 needs scrubbed data that are independent of the private value given the side, but they are "
            "not. Use chain_pufferfish, which pays for the dependence."
        )
    return replace(chain_pufferfish(worlds, simulator, epsilon=epsilon, between=Fraction(0)), claim="Corollary 2")


def _rivals(worlds: Worlds) -> Iterator[tuple[Case, Case]]:
    groups: dict[tuple[int, int, Hashable], list[Case]] = {}
    for case in worlds.cases:
        groups.setdefault((case.b, case.h, case.side), []).append(case)
    for found in groups.values():
        yield from permutations(found, 2)


def _same_sides(worlds: Worlds) -> None:
    sides: dict[tuple[int, int], dict[Hashable, set[Hashable]]] = {}
    for case in worlds.cases:
        sides.setdefault((case.b, case.h), {}).setdefault(case.value, set()).add(case.side)
    if any(len({frozenset(one) for one in found.values()}) > 1 for found in sides.values()):
        raise PreconditionError(
            "Theorem 16 needs every side to be possible with every private value, but some are not. "
            "Use values_apart, which leaves those out."
        )


def _outcomes(mass: Masses) -> Outcomes:
    return Outcomes(mass, 0.0 if is_exact(mass) else 2 * ROUNDING)


# -- two releases together --------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Composition:
    """δ of each release under its side condition, and the check of both together at ε_F + ε_G."""

    first: Bracket  # of F, for an attacker who also knows Sim_G(alt(X))
    second: Bracket  # of G, for an attacker who also knows F(X)
    together: Check


def compose_coupled(
    definition: CoupledWorlds,
    releases: tuple[Callable[[Dataset], Drawn], Callable[[Dataset], Drawn]],
    simulators: tuple[Simulator, Simulator],
    *,
    epsilons: tuple[Number, Number],
) -> Composition:
    """Theorem 6: F and G together are (ε_F + ε_G, max(δ_F e^ε_G + δ_G, δ_F + δ_G e^ε_F))-private if G is private for
    whoever knows F(X), and F for whoever knows Sim_G(alt(X)). Both are computed here: separate privacy does not imply
    them. All coins are independent, except that both simulators see the same draw of a random alt.
    """
    at = [exact(epsilon, name="epsilon") for epsilon in epsilons]
    stages: tuple[list[tuple[Scene, FiniteMechanism]], ...] = ([], [], [])
    for scene in definition.scenes():
        drawn, origin = alt_drawn(scene)
        f, g = (tabulated(release, scene.belief).moved(origin) for release in releases)
        told = FiniteMechanism(simulators[1].outputs, drawn.alt.state, simulators[1].rows_for(drawn.alt.outputs))
        for stage, (known, made) in zip(stages, ((told, f), (f, g)), strict=False):
            after, rows = knowing_also(drawn, known)
            stage.append((after, made.moved(rows)))
        stages[2].append((drawn, f.beside(g)))
    first = coupled_delta(gathered(stages[0]), simulators[0], epsilon=at[0])
    second = coupled_delta(gathered(stages[1]), simulators[1], epsilon=at[1])
    whole = gathered(stages[2])
    found = coupled_delta(whole, side_by_side(simulators, whole.alts), epsilon=at[0] + at[1])
    return Composition(first, second, Check("Theorem 6: composition", _composed(first, second, at), found))


def _composed(first: Bracket, second: Bracket, at: Sequence[Fraction]) -> Bracket:
    ends: list[Fraction] = []
    for f, g, e_f, e_g in zip(
        *((one.lower, one.upper) for one in (first, second)), *(exponential(epsilon) for epsilon in at), strict=True
    ):
        one, two = Fraction(f), Fraction(g)
        ends.append(max(one * Fraction(e_g) + two, one + two * Fraction(e_f)))
    return around(ends[0], ends[1])
