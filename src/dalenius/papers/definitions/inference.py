"""What an attacker infers: posteriors in the real and in the ideal world, exactly.

Bassily, Groce, Katz and Smith (2013), Definitions 2, 4 and 8. A posterior that is not defined, because the output is
impossible in the ideal world, is a failure. What coupled-worlds privacy implies for posteriors stands in `conversions`.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np

from dalenius.basics.errors import require
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import float_down, float_up, times_down, times_up
from dalenius.facts.records import Number, exact
from dalenius.numerics.outcomes import ROUNDING, Masses, Outcomes, both_ways, divided, is_exact, joint, total
from dalenius.papers.definitions.coupled import CoupledCase, CoupledPairs, CoupledWorlds, Simulator
from dalenius.papers.definitions.hides import Hide, Release
from dalenius.papers.worlds import Dataset, Finite

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


def posteriors(worlds: CoupledPairs, simulator: Simulator) -> Iterator[Posterior]:
    """After every output that can be published, under every belief, for every pair and side."""
    cut = max((case.slack for case in worlds.cases), default=0.0)
    require(cut == 0, "a release known exactly", got=f"noise cut at {cut}", remedy="Use rational noise.")
    groups: dict[tuple[int, int, Hashable], list[tuple[CoupledCase, Masses, Masses]]] = {}
    for case, real, ideal in worlds.faced(simulator):
        require(ideal.slack == 0, "chances that floats can hold", got="smaller ones", remedy="Use fractions.")
        groups.setdefault((case.b, case.h, case.side), []).append((case, real.mass, ideal.mass))
    for (b, h, side), found in groups.items():
        values = tuple(case.value for case, _, _ in found)
        chances = _column([case.chance for case, _, _ in found])
        for output in range(len(found[0][1])):
            seen = joint(chances, _column([mass[output] for _, mass, _ in found]))
            known, simulated = _normal(seen), _normal(joint(chances, _column([mass[output] for _, _, mass in found])))
            if known is not None:
                yield Posterior(b, h, output, side, total(seen), values, known, simulated)


def _column(values: Sequence[Chance]) -> Masses:
    exactly = all(isinstance(value, Fraction) for value in values)
    return np.array(values, dtype=object if exactly else float)


def _normal(mass: Masses) -> Outcomes | None:
    whole = total(mass)
    return Outcomes(divided(mass, whole), 0.0 if is_exact(mass) else 8 * ROUNDING) if whole else None


def inference_failure(worlds: CoupledPairs, simulator: Simulator, *, epsilon: Number, delta: Number) -> Bracket:
    """Definition 4: the chance of an output and side after which, for some pair, the posteriors in the two worlds are
    more than (ε, δ) apart; worst over beliefs. F is (ε, δ)-inference-based private if this is at most δ.
    """
    limit = _limit(delta)
    return _worst(_failing(doubts, limit) for doubts in _doubts(worlds, simulator, epsilon).values())


def inference_delta(worlds: CoupledPairs, simulator: Simulator, *, epsilon: Number) -> Bracket:
    """The least δ with which F is (ε, δ)-inference-based private for this simulator (Definitions 2 and 4)."""
    return _worst(_least(doubts) for doubts in _doubts(worlds, simulator, epsilon).values())


def pufferfish_failure(
    release: Release, beliefs: Iterable[Finite], secrets: Secrets, *, epsilon: Number, delta: Number
) -> Bracket:
    """Definition 8: the chance, given the side, of an output after which a secret's posterior is more than (ε, δ) from
    its prior; worst over beliefs, secrets and sides. A secret is a function of the dataset; None is "neither".
    """
    limit = _limit(delta)
    return _worst(_failing(doubts, limit) for doubts in _blind(release, beliefs, secrets, epsilon))


def pufferfish_inference_delta(
    release: Release, beliefs: Iterable[Finite], secrets: Secrets, *, epsilon: Number
) -> Bracket:
    """The least δ with which the release is (ε, δ)-inference-based Pufferfish private."""
    return _worst(_least(doubts) for doubts in _blind(release, beliefs, secrets, epsilon))


def _limit(delta: Number) -> Fraction:
    found = exact(delta, name="delta")
    require(found >= 0, "δ of at least 0", got=delta)
    return found


def _doubts(worlds: CoupledPairs, simulator: Simulator, epsilon: Number) -> dict[int, Doubts]:
    """For each belief: every side and output, how likely it is, and how far apart the posteriors are at worst."""
    at = exact(epsilon, name="epsilon")
    require(at >= 0, "ε of at least 0", got=epsilon)
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
    found = around(sure, possible)
    return Bracket(min(found.lower, 1.0), min(found.upper, 1.0))


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
        ends[0] = float_down(lower) if isinstance(lower, Fraction) else times_down(ends[0], 1 - 32 * ROUNDING)
    if isinstance(upper, float) or Fraction(ends[1]) < upper:
        ends[1] = float_up(upper) if isinstance(upper, Fraction) else times_up(ends[1], 1 + 32 * ROUNDING)
    return Bracket(ends[0], ends[1])


def _worst(found: Iterable[Bracket]) -> Bracket:
    whole = Bracket(0.0, 0.0)
    for one in found:
        whole = whole.join(one)
    return whole
