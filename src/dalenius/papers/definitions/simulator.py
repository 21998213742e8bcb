"""Simulators of the ideal world: the canonical one, the midpoint, any given one, and the best one with a proof."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, require
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.outward import LARGEST, add_down, add_up, amply_up, exponential, times_up
from dalenius.facts.records import Number, exact
from dalenius.facts.secret import ABSENT
from dalenius.facts.statistics import Statistic
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.numerics.outcomes import ROUNDING, Masses, fractions
from dalenius.papers.definitions.coupled import CoupledPairs, CoupledWorlds, Simulator, coupled_delta
from dalenius.papers.definitions.tables import Drawn, law_of
from dalenius.papers.worlds import Dataset

Exact: TypeAlias = NDArray[np.object_]
Run: TypeAlias = Mechanism | Statistic | Callable[[Dataset], Drawn]
STEEPEST = 1e6  # largest e^ε inside the floating-point program; what it returns is judged at the true e^ε
NEAR = 11  # digits to which floats are in the same proportion
DENOMINATORS = (100, 10_000, 10**9)
SLIVERS = (Fraction(0), Fraction(1, 10**9))  # spread evenly over all outputs, so that none is impossible

# -- simulators -----------------------------------------------------------------------------------------------------


def canonical(release: Run, worlds: CoupledPairs) -> Simulator:
    """The release itself, run on the scrubbed dataset: a function, or the `statistic >> channel` of the worlds."""
    run = _runnable(release, worlds)
    return Simulator.of(lambda alt: run(_dataset(alt)), worlds.alts)


def _runnable(release: Run, worlds: CoupledPairs) -> Callable[[Dataset], Drawn]:
    """The release as a function, with the outputs of the worlds."""
    if not isinstance(release, Mechanism | Statistic):
        kind = type(release).__name__
        require(callable(release), "a function of the dataset, or statistic >> channel", got=kind)
        return release
    made = release if isinstance(release, Mechanism) else Mechanism(release)
    if worlds.ranged is None or worlds.ranged.mechanism != made:
        raise InputError(
            f"To run {made} on scrubbed data, the worlds must be made from it, but they were made from "
            f"{'a function' if worlds.ranged is None else worlds.ranged.mechanism}. Use definition.worlds with the "
            "same statistic >> channel."
        )
    return worlds.ranged.law


def filled(release: Run, worlds: CoupledPairs, chances: Mapping[Hashable, Number]) -> Simulator:
    """The release, run with values drawn from `chances` in place of every absent record (Gehrke et al. 2011)."""
    law, made = law_of(chances), _runnable(release, worlds)

    def run(alt: Hashable) -> dict[Hashable, Fraction]:
        choices = [list(law.items()) if value is ABSENT else [(value, Fraction(1))] for value in _dataset(alt)]
        found: dict[Hashable, Fraction] = {}
        for row in product(*choices):
            weight = Fraction(1)
            for _, chance in row:
                weight *= chance
            for output, chance in law_of(made(tuple(value for value, _ in row))).items():
                found[output] = found.get(output, Fraction(0)) + weight * chance
        return found

    return Simulator.of(run, worlds.alts)


def midpoint(release: Run, worlds: CoupledPairs, values: Iterable[int | Fraction]) -> Simulator:
    """The release, run with the middle one of the values in place of an absent record: for sums, no value is further
    from it than half the range. With an even number of values, each of the two middle ones half the time.
    """
    found = sorted(set(values))
    require(bool(found), "the values that a record may have", got=found, remedy="List them.")
    middle = {found[(len(found) - 1) // 2], found[len(found) // 2]}
    return filled(release, worlds, {value: Fraction(1, len(middle)) for value in middle})


def factored(function: Callable[[Dataset], Drawn], definition: CoupledWorlds) -> Simulator:
    """A simulator written as a function of the whole dataset, which must not depend on what alt removes."""
    laws: dict[Hashable, dict[Hashable, Fraction]] = {}
    for scene in definition.scenes():
        for place, dataset in enumerate(scene.belief.datasets()):
            law = law_of(function(dataset))
            state = scene.alt.state[place]
            seen = [state] if scene.alt.rows is None else np.flatnonzero(scene.alt.rows[state])
            if any(laws.setdefault(scene.alt.outputs[alt], law) != law for alt in seen):
                raise InputError(
                    "A simulator may look only at what alt leaves, but this one answers differently on two datasets "
                    f"that look alike after alt has hidden {definition.hides[scene.h]}. Write it as a function of alt."
                )
    return Simulator.of(lambda alt: laws[alt], laws)


def _dataset(alt: Hashable) -> Dataset:
    if not isinstance(alt, tuple):
        raise InputError(
            f"A release can be run on scrubbed data only if alt leaves a dataset, but it leaves a "
            f"{type(alt).__name__}. Give a simulator with Simulator.of instead."
        )
    return alt


# -- the best one ---------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    r"""Weights x, y >= 0 for each case c and output t, which show that no simulator does better.

    Write P_c for the law of the output and w_c for that of the scrubbed data a. For every simulator S and both
    directions, δ >= Σ_t f(t) (P_c(t) - e^ε (w_c S)(t)) if 0 <= f <= 1, and the same with the two exchanged. Take these
    with f = x_c / max x_c and y_c / max y_c and average, weighted by the maxima. With s the sum of the maxima,

    $$ s δ \ge \sum_{c,t} (x_{ct} - e^ε y_{ct}) P_c(t) + \sum_a \min_t \sum_c w_c(a) (y_{ct} - e^ε x_{ct}) $$

    because each row of S is a law. The right side falls in e^ε, so a number above e^ε is safe.
    """

    x: Exact
    y: Exact

    def bound(self, worlds: CoupledPairs, *, epsilon: Fraction) -> Fraction:
        """A number that δ at ε is not below, for any simulator. Exact arithmetic; cost O(cases · alts · outputs).

        It holds for any weights of at least 0, wherever they came from.
        """
        require(worlds.is_exact, "worlds with exact probabilities", got="floats")
        require(0 <= epsilon <= LARGEST, f"ε between 0 and {LARGEST}", got=epsilon)
        fits = self.x.shape == self.y.shape == (len(worlds.cases), len(worlds.outputs))
        require(fits, "weights for each case and output", got=(self.x.shape, self.y.shape))
        require(min(self.x.min(), self.y.min()) >= 0, "weights of at least 0", got=min(self.x.min(), self.y.min()))
        steep = Fraction(exponential(epsilon)[1])
        real = np.array([case.real for case in worlds.cases], dtype=object)
        seen = worlds.sight()
        scale = sum((*self.x.max(axis=1), *self.y.max(axis=1)), Fraction(0))
        gain = ((self.x - steep * self.y) * real).sum()
        value = gain + (seen.T @ (self.y - steep * self.x)).min(axis=1).sum()
        return max(Fraction(0), Fraction(value) / scale) if scale else Fraction(0)

    def is_for_every_epsilon(self, worlds: CoupledPairs) -> bool:
        """Whether ε does not occur in the bound: all weight is on outputs that cannot be published."""
        return not self.x.any() and not any(
            (row * case.real).any() for row, case in zip(self.y, worlds.cases, strict=True)
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """A simulator, the δ that it reaches (upper) and that none can beat (lower), and why."""

    simulator: Simulator
    delta: Bracket
    proof: Proof

    def __str__(self) -> str:
        seen = len(self.simulator.alts)
        return f"δ = {self.delta}, by a simulator that sees {seen} scrubbed datasets; a dual proof has the lower end"


def best_simulator(worlds: CoupledPairs, *, epsilon: Number) -> Best:
    """The simulator of least δ at ε, by linear programming, with the dual solution as proof.

    The program runs in floating point, but neither side rests on it: the simulator is rounded to fractions and
    evaluated exactly, and the dual solution is rounded to fractions that prove a lower bound exactly. A simulator gains
    nothing by outputs that are never published: moving them to another output is post-processing.

    Scrubbed datasets whose probabilities are in the same proportion in all cases tell a simulator the same: to answer
    all of them by the mean of its answers changes nothing that is compared. So they count as one, and the program is as
    large as what differs: independent records of 100,000 datasets make a program of one row. Beliefs in floating point
    are read as the fractions that they are, and both ends are moved by (1 + e^ε) times what they may be off.
    """
    at = exact(epsilon, name="epsilon")
    require(0 <= at <= LARGEST, f"ε between 0 and {LARGEST}", got=epsilon)
    slack = max(case.slack for case in worlds.cases)
    require(slack == 0, "a release known exactly", got=f"noise cut at {slack}", remedy="Use rational noise.")
    steep = float(exponential(at)[1])
    pooled, group, off = _pooled(worlds)
    rows, x, y = _solved(pooled, steep)
    uppers = [(coupled_delta(pooled, one, epsilon=at).upper, one) for one in _simulators(pooled, rows)]
    lowers = [(one.bound(pooled, epsilon=at), one) for one in _proofs(pooled, x, y, steep)]
    upper, simulator = min(uppers, key=lambda pair: pair[0])
    lower, proof = max(lowers, key=lambda pair: pair[0])
    found = Bracket(around(lower, lower).lower, upper)
    if off:
        more = times_up(add_up(1.0, steep), off)
        found = Bracket(max(0.0, add_down(found.lower, -more)), min(1.0, add_up(found.upper, more)))
    answers = Simulator(worlds.alts, worlds.outputs, simulator.rows[group])
    return Best(answers, found, proof)


def _pooled(worlds: CoupledPairs) -> tuple[CoupledPairs, NDArray[np.int64], float]:
    """The worlds with scrubbed datasets in the same proportion as one, in fractions; where each one went; and how far
    the laws of a case may be off: 0 for fractions. Cost O(cases x scrubbed datasets).
    """
    exactly = worlds.is_exact
    columns: list[list[tuple[int, Fraction]]] = [[] for _ in worlds.alts]
    for c, case in enumerate(worlds.cases):
        masses = [Fraction(mass) for mass in case.seen.tolist()]
        whole = sum(masses, Fraction(0))
        for place, mass in zip(case.at.tolist(), masses, strict=True):
            if mass:
                columns[place].append((c, mass / whole))
    totals = [sum((mass for _, mass in column), Fraction(0)) for column in columns]
    keys: dict[tuple[tuple[int, Fraction | float], ...], int] = {}
    group = np.zeros(len(columns), dtype=np.int64)
    for place, (column, whole) in enumerate(zip(columns, totals, strict=True)):
        shares = tuple((c, mass / whole if exactly else round(float(mass / whole), NEAR)) for c, mass in column)
        group[place] = keys.setdefault(shares, len(keys))
    sums: list[dict[int, Fraction]] = [{} for _ in worlds.cases]
    weights = [Fraction(0)] * len(keys)
    for place, column in enumerate(columns):
        weights[group[place]] += totals[place]
        for c, mass in column:
            sums[c][int(group[place])] = sums[c].get(int(group[place]), Fraction(0)) + mass
    off = 0.0 if exactly else 4 * ROUNDING + _scattered(columns, totals, group, sums, weights)
    cases = [
        replace(case, real=_normal(case.real), seen=fractions(list(seen.values())), at=np.array(list(seen)))
        for case, seen in zip(worlds.cases, sums, strict=True)
    ]
    return CoupledPairs(worlds.outputs, tuple(range(len(keys))), tuple(cases)), group, off


def _scattered(
    columns: list[list[tuple[int, Fraction]]],
    totals: list[Fraction],
    group: NDArray[np.int64],
    sums: list[dict[int, Fraction]],
    weights: list[Fraction],
) -> float:
    """How far scrubbed datasets that count as one are from being in the same proportion: the worst case's sum."""
    apart = [0.0] * len(sums)
    for place, column in enumerate(columns):
        one = int(group[place])
        for c, mass in column:
            apart[c] += abs(float(mass - totals[place] * sums[c][one] / weights[one]))
    return amply_up(max(apart))


def _normal(mass: Masses) -> Exact:
    """A law as fractions with sum 1."""
    found = [Fraction(value) for value in mass.tolist()]
    whole = sum(found, Fraction(0))
    return fractions([value / whole for value in found])


def _solved(worlds: CoupledPairs, steep: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The rows of a good simulator and dual weights, in floating point.

    Unknowns: S (alts x outputs), the excess u and v of each case and output in either direction, and δ.
    """
    from scipy import sparse
    from scipy.optimize import linprog

    factor = min(steep, STEEPEST)
    real = np.array([case.real for case in worlds.cases]).astype(float)
    seen = sparse.csr_array(worlds.sight().astype(float))
    cases, outputs = real.shape
    ideal, every = sparse.kron(seen, sparse.eye_array(outputs)), sparse.eye_array(cases * outputs)
    sums, ones = sparse.kron(sparse.eye_array(cases), np.ones((1, outputs))), np.ones((cases, 1))
    above = sparse.block_array(
        [
            [-factor * ideal, -every, None, None],
            [ideal, None, -every, None],
            [None, sums, None, -ones],
            [None, None, sums, -ones],
        ]
    )
    whole = sparse.kron(sparse.eye_array(len(worlds.alts)), np.ones((1, outputs)))
    equal = sparse.hstack([whole, sparse.csr_array((len(worlds.alts), 2 * cases * outputs + 1))])
    cost = np.zeros(above.shape[1])
    cost[-1] = 1.0
    limits = np.concatenate([-real.ravel(), factor * real.ravel(), np.zeros(2 * cases)])
    found = linprog(
        cost, A_ub=above.tocsr(), b_ub=limits, A_eq=equal.tocsr(), b_eq=np.ones(len(worlds.alts)), method="highs"
    )
    require(found.status == 0, "a linear program that can be solved", got=found.message, remedy="Try a smaller ε.")
    size = cases * outputs
    duals = -np.asarray(found.ineqlin.marginals)
    rows = np.asarray(found.x[: len(worlds.alts) * outputs]).reshape(-1, outputs)
    return rows, duals[:size].reshape(cases, outputs), duals[size : 2 * size].reshape(cases, outputs)


def _simulators(worlds: CoupledPairs, rows: NDArray[np.float64]) -> Iterator[Simulator]:
    for limit, sliver in product(DENOMINATORS, SLIVERS):
        near = _near(rows, limit)
        near[near.sum(axis=1) == 0] = Fraction(1)
        laws = near / near.sum(axis=1, keepdims=True) * (1 - sliver) + sliver / len(worlds.outputs)
        yield Simulator(worlds.alts, worlds.outputs, laws)


def _proofs(worlds: CoupledPairs, x: NDArray[np.float64], y: NDArray[np.float64], steep: float) -> Iterator[Proof]:
    possible = np.array([case.real for case in worlds.cases]).astype(bool)
    for limit in DENOMINATORS:
        near_x, near_y = _near(x, limit), _near(y, limit)
        yield Proof(near_x, near_y)
        bare = near_y.copy()
        bare[possible] = Fraction(0)
        yield Proof(near_x * Fraction(min(1.0, STEEPEST / steep)), bare)
        yield Proof(np.full_like(near_x, Fraction(0)), bare)


def _near(values: NDArray[np.float64], limit: int) -> Exact:
    flat = [Fraction(max(0.0, value)).limit_denominator(limit) for value in values.ravel().tolist()]
    found = np.empty(len(flat), dtype=object)
    found[:] = flat
    return found.reshape(values.shape)
