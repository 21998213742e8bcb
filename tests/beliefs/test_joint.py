"""Joint laws of several figures: every mass within its error, every part of the error counted, every bracket true."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import examples
from dalenius.beliefs import joint
from dalenius.beliefs.joint import (
    JointLaw,
    Vector,
    VectorCurve,
    common_part,
    joint_law,
    sure_count,
)
from dalenius.enclosure import transforms
from dalenius.enclosure.floats import FFT, UNIT
from dalenius.enclosure.transforms import PHASE
from dalenius.numerics import charfun
from dalenius.numerics.cumulant import TypeSum
from dalenius.numerics.law import Law
from numerics.checks import holds, rounded_up
from oracle import balls
from oracle import laws as lw

Letters = dict[Vector, Fraction]
F = Fraction


def exact_law(letters: Letters, count: int) -> Letters:
    return dict(lw.power({v: m for v, m in letters.items() if m}, count))


def wrongness(law: JointLaw, exact: Letters) -> tuple[Fraction, Fraction]:
    """What is wrong inside the box beyond the error, all points together; and what is outside the box."""
    inside, beyond = Fraction(0), dict(exact)
    for place, mass in np.ndenumerate(law.mass):
        at = tuple(a + b for a, b in zip(law.start, place, strict=True))
        inside += max(Fraction(0), abs(Fraction(float(mass)) - beyond.pop(at, Fraction(0))) - Fraction(law.error))
    return inside, sum(beyond.values(), Fraction(0))


@st.composite
def alphabets(draw: st.DrawFn) -> Letters:
    size = draw(st.integers(1, 2))
    vectors = draw(st.lists(st.tuples(*[st.integers(-1, 3)] * size), min_size=1, max_size=4, unique=True))
    weights = draw(st.lists(st.integers(1, 97), min_size=len(vectors), max_size=len(vectors)))
    return {v: F(w, sum(weights)) for v, w in zip(vectors, weights, strict=True)}


@pytest.mark.slow
@given(letters=alphabets(), count=st.integers(1, 12), outside=st.sampled_from([1e-18, 1e-6, 0.02, 0.3]))
@settings(max_examples=60)
def test_a_joint_law_covers_the_truth_and_what_is_folded_in_is_in_its_tail(
    letters: Letters, count: int, outside: float
) -> None:
    law = joint_law(letters, count, outside)
    inside, beyond = wrongness(law, exact_law(letters, count))
    assert inside <= Fraction(law.tail)
    assert beyond <= Fraction(law.tail)
    assert law.tail <= 2 * len(law.start) * outside + 1e-25
    assert law.error <= 1e-11


def test_a_box_that_leaves_much_out_says_so() -> None:
    letters = {(0, 0): F(1, 3), (1, 0): F(1, 3), (1, 3): F(1, 3)}
    law = joint_law(letters, 30, 0.2)
    _, beyond = wrongness(law, exact_law(letters, 30))
    assert 0.05 < beyond <= Fraction(law.tail)


LETTERS: list[tuple[Letters, int]] = [
    ({(0, 0): F(1, 2), (1, 0): F(1, 4), (1, 1): F(1, 4)}, 20),
    ({(0,): F(2, 3), (1,): F(1, 3)}, 1),
    ({(0, 0): F(9, 10), (0, 1): F(1, 20), (2, 1): F(1, 20)}, 7),
]


@pytest.mark.parametrize(("letters", "count"), LETTERS)
def test_the_error_counts_the_transform_its_power_and_its_turns(letters: Letters, count: int) -> None:
    law = joint_law(letters, count)
    grid = np.zeros(law.mass.shape)
    for vector, mass in letters.items():
        grid[tuple(step % size for step, size in zip(vector, grid.shape, strict=True))] += float(mass)
    one, turns = np.abs(np.fft.fftn(grid)), PHASE * grid.ndim
    powers = count * (len(letters) + turns) * float((one ** (count - 1)).mean())
    turned = turns * float((one**count).mean())
    transformed = FFT * math.log2(grid.size) * float(np.linalg.norm(law.mass))
    assert law.error >= (powers + turned + transformed) * UNIT * (1 - 1e-9)
    assert law.error <= 2 * (powers + turned + transformed + 8) * UNIT


def test_a_spectrum_that_is_off_by_all_it_may_be_is_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units of a millionth, and one record's transform wrong by all of them, so that one mass moves the most."""
    letters, count, size = {(0, 0): F(1, 2), (1, 0): F(1, 4), (1, 1): F(1, 4)}, 20, 1e-6
    right, at = joint._spectrum, (10, 5)

    def wrong(*args: object) -> np.ndarray:
        one = right(*args)
        places = np.meshgrid(*(np.arange(n) / n for n in one.shape), indexing="ij")
        wave = np.exp(-2j * np.pi * sum(p * k for p, k in zip(places, at, strict=True)))
        pull = one ** (count - 1) * wave
        return one + (len(letters) + 2 * PHASE) * size * np.conj(pull) / np.maximum(np.abs(pull), 1e-30)

    monkeypatch.setattr(transforms, "UNIT", size)
    monkeypatch.setattr(transforms, "transform_error", lambda *_: 0.0)
    monkeypatch.setattr(joint, "_spectrum", wrong)
    law = joint_law(letters, count)
    inside, _ = wrongness(law, exact_law(letters, count))
    assert inside <= Fraction(law.tail)
    assert law.error <= 0.01


@dataclass(frozen=True)
class Rough:
    """In place of a ladder: a law that is as wrong as it says."""

    found: Law

    def law(self) -> Law:
        return self.found


def rough_binomial(count: int, rate: Fraction, lost: int, size: float) -> tuple[Law, lw.Law]:
    """Bin(count, rate) with every mass stored too small, and `lost` points at each end in the tail."""
    exact = lw.binomial(count, rate)
    kept = range(lost, count + 1 - lost)
    mass = np.array([max(0.0, float(exact[k]) - size) for k in kept])
    error = np.array([rounded_up(abs(exact[k] - F(float(m)))) for k, m in zip(kept, mass, strict=True)])
    return Law(lost, mass, error, rounded_up(sum(m for k, m in exact.items() if k not in kept))), exact


@pytest.mark.parametrize("lost", [0, 3])
@pytest.mark.parametrize("outside", [1e-9, 0.05])
def test_the_ends_of_a_box_forgive_a_coordinate_that_is_known_roughly(
    lost: int, outside: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    law, exact = rough_binomial(20, F(1, 2), lost, 4e-3)
    monkeypatch.setattr(charfun, "ladder", lambda *_, **__: Rough(law))
    start, stop, beyond = joint._coordinate([(np.array([[0], [1]]), [F(1, 2), F(1, 2)], 20)], 0, outside)
    assert sum(m for k, m in exact.items() if not start <= k < stop) <= F(beyond)


@pytest.mark.parametrize("size", [0.0, 1e-3])
@pytest.mark.parametrize("lost", [0, 4])
def test_so_many_live_records_are_as_sure_as_it_says(lost: int, size: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rate = F(7, 10)
    law, exact = rough_binomial(20, rate, lost, size)
    monkeypatch.setattr(joint, "law_of_rates", lambda *_: law)
    for miss in (1e-4, 0.01, 0.2):
        live, missing = sure_count(20, rate, miss)
        assert sum(m for k, m in exact.items() if k < live) <= F(missing) <= F(miss)
    assert sure_count(20, F(1), 0.1) == (20, 0.0)


@pytest.mark.parametrize("weight", [F(1, 3), F(9, 10), 1 - F(1, 10**9)])
@pytest.mark.parametrize("miss", [1e-12, 1e-3, 0.3])
def test_the_number_of_live_records_is_that_of_a_binomial(weight: Fraction, miss: float) -> None:
    exact = lw.binomial(60, weight)
    live, missing = sure_count(60, weight, miss)
    assert sum((m for k, m in exact.items() if k < live), F(0)) <= F(missing) <= F(miss)
    if weight <= F(9, 10):  # a rare miss among few records is not known that well
        assert sum(m for k, m in exact.items() if k <= live) > F(miss) * F(99, 100)


def test_a_running_sum_of_live_records_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many equal small masses: the running sum falls behind."""
    law = Law(0, np.full(20_000, 1e-3 / 3), np.zeros(20_000))
    monkeypatch.setattr(joint, "law_of_rates", lambda *_: law)
    for cut in (101, 5003, 9001):
        live, missing = sure_count(20_000, F(1, 2), float(np.cumsum(law.mass)[cut]))
        assert live * F(1e-3 / 3) <= F(missing)


def sums_of(run: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> TypeSum:
    """The sum whose law is asked for."""
    found = []

    def caught(total: TypeSum, **_: object) -> Rough:
        found.append(total)
        return Rough(Law(0, np.ones(2) / 2, np.zeros(2)))

    monkeypatch.setattr(charfun, "ladder", caught)
    run()
    return found[0]


def test_chances_that_are_added_up_are_within_their_slip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty chances of one value: a running sum errs by more than two units, and the slip says so."""
    one = np.array([[0]] + [[1]] * 40), [F(1, 2)] + [F(1, 80)] * 40, 9
    total = sums_of(lambda: joint._coordinate([one], 0, 0.1), monkeypatch)
    for stored, truth in zip(total.chances[0].tolist(), (F(1, 2), F(1, 2)), strict=True):
        assert abs(F(stored) - truth) <= F(2 * UNIT) * truth + F(total.slip)
    assert total.slip >= 40 * UNIT


def planted(exact: Letters, moves: Letters, *, box: Vector, tail: float = 0.0) -> JointLaw:
    """A joint law on a box from the origin, whose masses are moved, and whose error is just that."""
    mass = np.zeros(box)
    for at in np.ndindex(*box):
        mass[at] = float(max(F(0), exact.get(at, F(0)) + moves.get(at, F(0))))
    error = max(abs(F(float(mass[at])) - exact.get(at, F(0))) for at in np.ndindex(*box)) if moves else F(0)
    return JointLaw((0,) * len(box), mass, rounded_up(error), tail)


STEEP = {(0, 0): F(1, 20), (0, 1): F(19, 20)}
FALLING = {(0, 0): F(19, 20), (0, 1): F(1, 20)}


@pytest.mark.parametrize("exact", [STEEP, FALLING])
@pytest.mark.parametrize("signs", [(-1, -1), (-1, 1), (1, -1), (1, 1)])
@pytest.mark.parametrize("epsilon", [F(0), F(1, 2), F(2)])
def test_every_error_of_a_joint_law_counts_in_every_direction(
    exact: Letters, signs: tuple[int, int], epsilon: Fraction
) -> None:
    moves = {(0, 0): signs[0] * F(1, 200), (0, 1): signs[1] * F(1, 200)}
    assert_each_way(planted(exact, moves, box=(1, 2)), exact, epsilon)
    bracket = VectorCurve(planted(exact, moves, box=(1, 2)), ((0, 1),)).delta(epsilon)
    assert holds(bracket, lw.both_ways(exact, lw.shift(exact, (0, 1)), epsilon))
    assert bracket.width <= 0.2


@pytest.mark.parametrize("sign", [-1, 1])
def test_errors_on_both_sides_of_a_gap_add_up(sign: int) -> None:
    """The middle is in no event, so an error there moves only the law that comes after it."""
    exact = {(0, 0): F(3, 10), (0, 1): F(1, 10), (0, 2): F(6, 10)}
    moves = {at: sign * way * F(1, 200) for at, way in zip(exact, (1, -1, 1), strict=True)}
    for epsilon in (F(0), F(1, 2)):
        assert_each_way(planted(exact, moves, box=(1, 3)), exact, epsilon)


def assert_each_way(law: JointLaw, exact: Letters, epsilon: Fraction) -> None:
    """Each direction by itself: the larger one must not hide what is wrong with the other."""
    curve = VectorCurve(law, ((0, 1),))
    for shift in ((0, 1), (0, -1)):
        truth = lw.hockey_stick(exact, lw.shift(exact, shift), epsilon)
        assert F(curve._lower(shift, epsilon)) <= balls.upper(truth)
        assert balls.lower(truth) <= F(curve._upper(shift, epsilon))


@pytest.mark.parametrize("exact", [STEEP, FALLING])
def test_an_exponential_known_roughly_widens_both_ends(exact: Letters, monkeypatch: pytest.MonkeyPatch) -> None:
    value = math.exp(0.5)
    monkeypatch.setattr(joint, "exponential", lambda _: (value * 0.98, value * 1.02))
    assert_each_way(planted(exact, {}, box=(1, 2)), exact, F(1, 2))


@pytest.mark.parametrize("exact", [STEEP, FALLING])
@pytest.mark.parametrize("place", [(0, 0), (0, 1)])
@pytest.mark.parametrize("epsilon", [F(0), F(1, 2), F(2)])
def test_mass_that_is_folded_onto_any_point_is_forgiven(exact: Letters, place: Vector, epsilon: Fraction) -> None:
    """A hundredth of the mass is far away, where it tells little, and stored where it is not."""
    truly = {at: mass * F(99, 100) for at, mass in exact.items()} | {(7, k): F(1, 1000) for k in range(10)}
    folded = {place: truly[place] + F(1, 100)}
    mass = np.array([[float((truly | folded)[0, k]) for k in (0, 1)]])
    law = JointLaw((0, 0), mass, 2.0**-52, rounded_up(F(1, 100)))
    assert_each_way(law, truly, epsilon)


def test_mass_outside_the_box_may_tell_everything() -> None:
    half = JointLaw((0, 0), np.array([[0.5]]), 0.0, 0.5)
    assert VectorCurve(half, ((0, 1),)).delta(F(5)).upper == 1.0


def test_the_worst_of_several_moves_counts_and_what_is_missing_is_added() -> None:
    exact = {(0, 0): F(1, 4), (0, 1): F(1, 2), (1, 0): F(1, 8), (1, 1): F(1, 8)}
    law, moves = planted(exact, {}, box=(2, 2)), ((0, 1), (1, 0), (1, -1))
    truth = balls.largest(lw.both_ways(exact, lw.shift(exact, move), F(1, 3)) for move in moves)
    bracket = VectorCurve(law, moves).delta(F(1, 3))
    assert holds(bracket, truth)
    assert bracket.width <= 1e-13
    less = VectorCurve(law, moves, 0.01).delta(F(1, 3))
    assert less.upper >= bracket.upper + 0.01 - 1e-15
    assert less.lower == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_a_long_sum_over_a_box_is_charged_for_its_rounding(seed: int) -> None:
    mass = np.random.default_rng(seed).uniform(0, 1, (1, 20_001)) ** 3 / 8000
    truth = sum(map(F, mass.ravel().tolist()))
    curve = VectorCurve(JointLaw((0, 0), mass, 0.0, 0.0), ((1, 0),))
    assert F(curve._lower((1, 0), F(0))) <= truth <= F(curve._upper((1, 0), F(0)))
    assert curve._upper((1, 0), F(0)) - curve._lower((1, 0), F(0)) <= 1e-13


def test_the_common_part_is_in_every_type() -> None:
    types = [{(0,): F(1, 2), (1,): F(1, 2)}, {(0,): F(1, 5), (1,): F(7, 10), (2,): F(1, 10)}]
    weight, shared = common_part(types)
    assert weight == F(7, 10)
    assert all(weight * mass <= law.get(at, 0) for law in types for at, mass in shared.items())


@given(letters=alphabets(), count=st.integers(1, 9))
@settings(max_examples=examples(20))
def test_bounds_at_many_epsilons_at_once_are_above_the_truth_and_close(letters: Letters, count: int) -> None:
    shifts = {tuple(b - a for a, b in zip(one, other, strict=True)) for one in letters for other in letters}
    moves = tuple(shift for shift in shifts if any(shift)) or ((1,) * len(next(iter(letters))),)
    epsilons = np.array([0.0, 0.01, 0.1, 0.5, 1.0, 3.0])
    _, uppers = VectorCurve(joint_law(letters, count), moves).knots(epsilons)
    exact = exact_law(letters, count)
    for epsilon, upper in zip(epsilons.tolist(), uppers.tolist(), strict=True):
        truth = max(_told(exact, way, epsilon) for move in moves for way in (move, tuple(-step for step in move)))
        assert truth - 1e-15 <= upper <= truth * (1 + 1e-9) + 1e-11


def _told(law: Letters, move: Vector, epsilon: float) -> float:
    """How much likelier than e^epsilon times in the other world, whose vectors are moved."""
    moved = {tuple(a + b for a, b in zip(at, move, strict=True)): mass for at, mass in law.items()}
    return math.fsum(max(0.0, float(mass) - math.exp(epsilon) * float(moved.get(at, 0))) for at, mass in law.items())
