"""What the definitions on finite worlds charge: roundings, slacks and what floats lose reach every number."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dalenius.basics.errors import InputError
from dalenius.numerics.outcomes import Outcomes, fractions
from dalenius.papers.definitions import axioms, coupled, ideal, inference, neighbouring, semantic
from dalenius.papers.definitions.coupled import CoupledCase, CoupledPairs, CoupledWorlds, Simulator, coupled_delta
from dalenius.papers.definitions.finite import pointwise_indistinguishability
from dalenius.papers.definitions.games import Games
from dalenius.papers.definitions.hides import record
from dalenius.papers.mechanisms import finite
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite
from oracle import balls

F = Fraction
ONE, HALF = F(1), F(1, 2)
SLACK = 0.125
SIMULATOR = Simulator(("x",), ("a", "b"), np.array([[HALF, HALF]], dtype=object))
COINS = Finite.product([{0: HALF, 1: HALF}] * 2)


def worlds(*slacks: float, real: Any = (0.5, 0.5), chance: Any = ONE, seen: Any = (ONE,)) -> CoupledPairs:
    """One case for each belief, in which the release does what the simulator does."""
    sights = np.array(seen, dtype=object if isinstance(seen[0], Fraction) else float)
    cases = [
        CoupledCase(b, 0, 0, 0, chance, np.array(real), sights, np.array([0]), slack) for b, slack in enumerate(slacks)
    ]
    return CoupledPairs(("a", "b"), ("x",), tuple(cases))


def planted(monkeypatch: pytest.MonkeyPatch, module: Any) -> None:
    """As if floats had lost a quarter."""
    monkeypatch.setattr(module, "underflow", lambda *_: 0.25)


# -- axioms -----------------------------------------------------------------------------------------------------------


def processed(made: CoupledPairs) -> axioms.Check:
    return axioms.post_processing(made, SIMULATOR, lambda output: output, epsilon=0)


def hull(made: CoupledPairs) -> axioms.Check:
    beliefs = 1 + max(case.b for case in made.cases)
    return axioms.convexity(made, SIMULATOR, [F(1, beliefs)] * beliefs, epsilon=0)


def forgotten(made: CoupledPairs) -> axioms.Check:
    return axioms.weaker_side(made, SIMULATOR, lambda side: side, epsilon=0)


@pytest.mark.parametrize("axiom", [processed, hull, forgotten])
def test_a_slack_survives_each_axiom(
    axiom: Callable[[CoupledPairs], axioms.Check], monkeypatch: pytest.MonkeyPatch
) -> None:
    for slacks in ((SLACK,), (SLACK, 0.0), (0.0, SLACK)):
        assert axiom(worlds(*slacks)).found.upper >= SLACK
    assert axiom(worlds(0.0)).found.upper < 1e-9
    if axiom is processed:
        planted(monkeypatch, axioms)
        assert axiom(worlds(0.0)).found.upper >= 0.25


def test_a_release_by_the_toss_of_a_coin_keeps_the_larger_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    for slacks in ((SLACK, 0.0), (0.0, SLACK)):
        both = worlds(slacks[0]), worlds(slacks[1])
        assert axioms.either(both, (SIMULATOR, SIMULATOR), HALF, epsilon=0).found.upper >= SLACK
    planted(monkeypatch, axioms)
    calm = worlds(0.0), worlds(0.0)
    assert axioms.either(calm, (SIMULATOR, SIMULATOR), HALF, epsilon=0).found.upper >= 0.25


def test_what_a_mixture_loses_below_the_smallest_float_is_told() -> None:
    for shares, laws in (
        ([F(1, 10**400), 1 - F(1, 10**400)], [np.array([0.5, 0.5]), np.array([0.0, 1.0])]),
        ([1e-200, 1.0], [np.array([1e-200, 1.0]), np.array([0.0, 1.0])]),
    ):
        assert axioms._blend(shares, laws)[1] > 0
    assert axioms._blend([HALF, HALF], [fractions([F(1, 10**400)])] * 2) == (fractions([F(1, 10**400)]), 0.0)


def test_merged_cases_keep_small_chances_and_tell_what_they_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chances of 1e-299 times masses of 1e-22 are below what floats hold; shares of the whole are not."""
    rare = worlds(0.0, 0.0, real=(1e-22, 1.0), chance=1e-299)
    merged = axioms._regrouped(rare, lambda case: {(0, case.side): F(1)})
    assert merged.cases[0].real[0] == pytest.approx(1e-22, rel=2.0**-40)
    losing = [(np.array([0.5, 0.5]), 0.25), (fractions([F(1)]), 0.0)]
    monkeypatch.setattr(axioms, "_blend", lambda *_: losing.pop(0))
    assert axioms._regrouped(worlds(SLACK), lambda case: {(0, case.side): F(1)}).cases[0].slack >= SLACK + 0.25
    monkeypatch.setattr(axioms, "_blend", lambda *_: (np.array([0.5, 0.5]), 0.25))
    with pytest.raises(InputError, match="scrubbed data that floats can hold"):
        axioms._regrouped(worlds(0.0), lambda case: {(0, case.side): F(1)})


# -- coupled worlds ---------------------------------------------------------------------------------------------------


def test_masses_in_floats_are_off_by_two_roundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each mass a sixteenth off: δ at 0 is then up to 1/32."""
    monkeypatch.setattr(coupled, "ROUNDING", 1 / 32)
    assert coupled_delta(worlds(0.0), SIMULATOR, epsilon=0).upper >= 1 / 32
    exactly = worlds(0.0, real=(HALF, HALF), seen=(1.0,))
    assert coupled_delta(exactly, SIMULATOR, epsilon=0).upper >= 1 / 32
    (case,) = worlds(SLACK).cases
    assert (case.outcomes().error, case.outcomes().slack) == (1 / 16, SLACK)


def test_both_worlds_carry_what_their_laws_may_be_off_by(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, coupled)
    ((_, real, ideal_law),) = worlds(SLACK, seen=(1.0,)).faced(SIMULATOR)
    assert real.slack >= SLACK
    assert real.error >= 2 * finite.ROUNDING
    assert ideal_law.slack >= 0.25
    assert ideal_law.error >= 2 * finite.ROUNDING


def test_worlds_have_the_slack_of_their_release_and_what_floats_lose() -> None:
    made = FiniteMechanism((0, 1), np.arange(4), np.full((4, 2), 0.5), SLACK)
    found = CoupledWorlds((COINS,), (record(0),)).worlds(made)
    assert all(case.slack >= SLACK for case in found.cases)
    lossy = FiniteMechanism((0, 1), np.zeros(2, dtype=np.int64), np.array([[1e-200, 1.0]]))
    states = np.array([0]), np.array([1e-200])
    for slack in (0.0, SLACK):  # of the rows: what is lost comes on top
        assert coupled._published(states, replace(lossy, slack=slack))[2] > 0


def test_what_floats_lose_is_added_to_the_slack_of_a_release(monkeypatch: pytest.MonkeyPatch) -> None:
    made = FiniteMechanism((0, 1), np.arange(4), np.full((4, 2), 0.5), SLACK)
    monkeypatch.setattr(coupled, "underflow", lambda _, rows, law: 0.25 if len(law) == 2 else 0.0)
    found = CoupledWorlds((COINS,), (record(0),)).worlds(made)
    assert all(case.slack >= SLACK + 0.25 for case in found.cases)


def test_a_law_of_a_release_adds_what_floats_lose_to_its_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, finite)
    law = FiniteMechanism((0, 1), np.arange(4), np.full((4, 2), 0.5), SLACK).law(COINS, np.ones(4, dtype=bool))
    assert law is not None and law.slack >= SLACK + 0.25


# -- simulators without a list ----------------------------------------------------------------------------------------


def test_the_law_of_a_simulator_carries_its_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, ideal)
    states = np.array([0, 1]), np.array([0.5, 0.5])
    sure = FiniteMechanism((0, 1), np.arange(2), None, SLACK)
    drawn = FiniteMechanism((0, 1), np.arange(2), np.full((2, 2), 0.5), SLACK)
    for made, slack in ((sure, SLACK), (drawn, SLACK + 0.25)):
        law = ideal._outcomes(states, made, np.arange(2), 2)
        assert law.slack >= slack
        assert law.error >= 2 * finite.ROUNDING
    after = ideal._after(drawn, np.full((2, 2), 0.5), FiniteMechanism(("a", "b"), np.arange(2)))
    assert after.slack >= SLACK + 0.25
    lost = iter((0.0, 0.25))  # in the first row nothing
    monkeypatch.setattr(ideal, "underflow", lambda *_: next(lost))
    assert ideal._after(drawn, np.full((2, 2), 0.5), FiniteMechanism(("a", "b"), np.arange(2))).slack >= SLACK + 0.25


# -- posteriors -------------------------------------------------------------------------------------------------------


def test_posteriors_need_laws_without_a_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="a release known exactly"):
        list(inference.posteriors(worlds(0.0, SLACK), SIMULATOR))
    planted(monkeypatch, coupled)
    with pytest.raises(InputError, match="chances that floats can hold"):
        list(inference.posteriors(worlds(0.0), SIMULATOR))
    made = FiniteMechanism((0, 1), np.arange(4), np.full((4, 2), 0.5))
    with pytest.raises(InputError, match="a release known exactly"):
        Games(COINS, made, (made, replace(made, slack=SLACK)))


def test_a_posterior_in_floats_is_off_by_eight_roundings() -> None:
    found = inference._normal(np.array([0.25, 0.75]))
    assert found is not None and found.error >= 8 * finite.ROUNDING


# -- semantic privacy -------------------------------------------------------------------------------------------------


def answers(kind: type) -> Games:
    """Randomized response of the first of two bits, told truly with probability 3/4."""
    rows = np.array([[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]], dtype=object).astype(kind)
    made = FiniteMechanism((0, 1), np.array([0, 0, 1, 1]), rows)
    return Games(COINS, made, (made.moved(np.array([0, 1, 0, 1])), made))


def test_shifts_in_floats_are_off_by_their_roundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each chance off by 1 ± r: the ratio of ratios by its fourth power, its logarithm by 4r, tanh(ln c / 4) by r."""
    r = 1 / 256
    monkeypatch.setattr(semantic, "ROUNDING", r)
    size, ratio = (math.sqrt(3) - 1) / (math.sqrt(3) + 1), math.log(3)
    found = semantic.worst_shift(answers(float))
    assert found.ratio.lower <= ratio - 4 * r
    assert found.ratio.upper >= ratio + 4 * r
    assert found.size.lower <= size - r
    assert found.size.upper >= size + r
    exactly = semantic.worst_shift(answers(object))
    assert exactly.ratio.width < 1e-14
    assert exactly.size.width < 1e-14
    given = semantic.largest_ratio(answers(float))
    assert given.upper >= semantic.largest_ratio(answers(object)).upper + r


def test_the_rounding_of_posteriors_grows_with_their_number() -> None:
    assert semantic.rounding(answers(float)) >= finite.ROUNDING
    many: Any = SimpleNamespace(belief=SimpleNamespace(size=2**30))
    assert semantic.rounding(many) >= 2**33 * 2.0**-53


@balls.precise
def shift(ratio: Fraction) -> tuple[Fraction, Fraction]:
    root = balls.ball(ratio).sqrt()
    value = (root - 1) / (root + 1)
    return balls.lower(value), balls.upper(value)


def test_the_largest_shift_is_enclosed() -> None:
    games = answers(object)
    for ratio in [F(1000 + 37 * k, 997) for k in range(40)]:
        found, (least, most) = semantic._shift_of(ratio, games), shift(ratio)
        assert F(found.lower) <= most
        assert F(found.upper) >= least
        assert found.width < 1e-14
    assert semantic._shift_of(F(10) ** 301, games).lower < 1


# -- neighbours -------------------------------------------------------------------------------------------------------

FIRST, SECOND = np.array([0, 2]), np.array([1, 3])


def mechanism(rows: Any, slack: float = 0.0) -> FiniteMechanism:
    made = np.array(rows, dtype=object if isinstance(rows[0][0], Fraction) else float)
    return FiniteMechanism(tuple(range(made.shape[1])), np.arange(len(made)), made, slack)


def test_the_law_in_a_state_carries_its_errors() -> None:
    law = neighbouring.state_law(mechanism([[0.5, 0.5]], SLACK), 0)
    assert law.error >= finite.ROUNDING
    assert law.slack >= SLACK


def test_a_slack_hides_what_is_rare() -> None:
    """What one state alone says, with a chance of up to twice the slack, proves nothing; a factor of 3/2 does."""
    made = mechanism([[0, 0.0399, 0.9601], [0, 0, 1], [0, 0.6, 0.4], [0, 0.4, 0.6]], 0.02)
    found, pair = neighbouring.worst_states(made, FIRST, SECOND, None)
    assert found.lower >= math.log(0.58 / 0.44) - 1e-9
    assert found.upper == math.inf
    assert pair == (2, 3)


def test_two_states_may_be_worst_because_of_a_slack() -> None:
    """The first two differ more as they stand; but what the third says alone may be nearly all that it says."""
    slack, epsilon = 2.0**-12, F(7)
    steep = math.exp(7)
    made = mechanism([[0.001, 0.0, 0.999], [0, 0.0, 1], [0, 0.5, 0.5], [0, 0.5 / steep, 1 - 0.5 / steep]], slack)
    found, _ = neighbouring.worst_states(made, FIRST, SECOND, epsilon)
    assert found.upper >= 0.5 - steep * (0.5 / steep - slack)  # as if so much of it were elsewhere


@pytest.mark.parametrize("candidates", [4096, 1])
def test_a_first_look_leaves_room_for_its_rounding(candidates: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second pair is farther apart, and a look in floats sees it the other way round."""
    more = F(3, 10) + F(1, 10**10)
    made = mechanism([[F(1), F(0)], [F(7, 10), F(3, 10)], [F(1), F(0)], [1 - more, more]])
    monkeypatch.setattr(neighbouring, "CANDIDATES", candidates)
    monkeypatch.setattr(neighbouring, "_rough", lambda *_: np.array([0.3, 0.3 - 4e-10]))
    assert F(neighbouring.worst_states(made, FIRST, SECOND, F(0))[0].upper) >= more


def test_the_larger_slack_counts_where_two_laws_are_compared() -> None:
    for slacks in ((SLACK, 0.0), (0.0, SLACK)):
        one, two = (Outcomes(np.array([1.0]), 0.0, slack) for slack in slacks)
        assert pointwise_indistinguishability(one, two, epsilon=1).upper >= SLACK
