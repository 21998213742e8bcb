"""Rounding of sums, products and quotients of bounds: each is planted where it goes the wrong way, and is made up for.

1 + 0.999 u is 1 in floats, and 1 + 1.001 u is 1 + 2 u, so a sum of a few such terms is too small, or too large, by as
many units. Functions of the library are made to err by all that is assumed of them.
"""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb

from dalenius.enclosure.floats import UNIT
from dalenius.numerics import coupling
from dalenius.numerics.cells import _Comparison, _range_of_logs
from dalenius.numerics.coupling import Coupling, CouplingSteps, joint
from dalenius.numerics.curve import Charged, Constant
from dalenius.numerics.families import PoissonFamily
from dalenius.numerics.intervals import Intervals
from dalenius.numerics.labels import NOTHING, LabelCell, Labels
from dalenius.numerics.law import Law
from dalenius.numerics.sized import SizedCell
from dalenius.numerics.spans import ListedMeans
from oracle import balls

F = Fraction
TERMS = 7  # so many are added one after the other
LOSES = np.array([1.0, *[0.999 * UNIT] * (TERMS - 1)]) / 4
GAINS = np.array([1.0, *[1.001 * UNIT] * (TERMS - 1)]) / 4


def summed(values: np.ndarray) -> Fraction:
    return sum(map(F, values.ravel().tolist()), F(0))


def test_the_planted_sums_lose_and_gain() -> None:
    for values, way in ((LOSES, -1), (GAINS, 1)):
        for found in (values.sum(), np.cumsum(values)[-1]):
            off = (F(float(found)) - summed(values)) / F(UNIT / 4)
            assert way * off > 5


def law(mass: np.ndarray, tail: float = 0.0) -> Law:
    return Law(0, mass, np.zeros(len(mass)), tail)


# -- exponentials -------------------------------------------------------------------------------------------------


def off_by(units: float, **functions: object) -> SimpleNamespace:
    """The library's mathematics, with some functions that err by so many units."""
    wrong = {name: (lambda x, f=f: f(x) * (1 + units * UNIT)) for name, f in functions.items()}  # type: ignore[misc]
    return SimpleNamespace(**{**vars(math), **wrong})


def test_what_is_missing_is_not_lost_beside_a_large_delta() -> None:
    assert F(Charged(Constant(0.5), 0.2 * UNIT).delta(F(1)).upper) >= F(1, 2) + F(0.2 * UNIT)


# -- couplings and intervals --------------------------------------------------------------------------------------


def coupled(values: np.ndarray) -> np.ndarray:
    """The first is 0, the second anything else."""
    found = np.zeros((1, TERMS + 1, TERMS + 1))
    found[0, 0, 1:] = values
    return found


@pytest.mark.parametrize("epsilon", [F(0), F(1)])
def test_the_rounding_of_a_coupling_is_charged_to_its_gain(epsilon: Fraction) -> None:
    low, high = coupled(LOSES), coupled(GAINS)
    assert summed(LOSES) <= F(float(Coupling(low, low).hockey_sticks(epsilon)[1][0]))
    assert F(float(Coupling(high, high).hockey_sticks(epsilon)[0][0])) <= summed(GAINS)
    # of many outputs each differs a little: their sum loses
    for values in (LOSES, GAINS):
        found = np.zeros((1, TERMS + 1, TERMS + 1))
        found[0, :-1, -1] = values
        lower, upper = Coupling(found, found).hockey_sticks(epsilon)
        assert F(float(lower[0])) <= summed(values) <= F(float(upper[0]))


@pytest.mark.parametrize("seed", range(30))
def test_gains_and_losses_that_nearly_cancel(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    factor = float(rng.uniform(0.1, 2))
    monkeypatch.setattr(coupling, "growth", lambda _: (factor, factor))
    found = rng.uniform(0.01, 0.02, (1, 4, 4))
    found[0, 0, 0] = (found[0, 0, 1:].sum() - (1 + factor) * found[0, 1:, 0].sum()) / factor * (1 - 2 * UNIT)
    if found[0, 0, 0] > 0:
        lower, upper = Coupling(found, found).hockey_sticks(F(1))
        exact = [[F(value) for value in row] for row in found[0].tolist()]
        rows, columns = ([sum(line) for line in table] for table in (exact, list(zip(*exact, strict=True))))
        truth = sum(max(F(0), p - (1 + F(factor)) * q) for p, q in zip(rows, columns, strict=True))
        assert F(float(lower[0])) <= truth <= F(float(upper[0]))


class Pieces:
    """Probabilities of intervals, one after the other."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = iter(values.tolist())

    def between(self, lows: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value = next(self.values)
        return np.full(len(lows), value), np.full(len(lows), value)


def test_pieces_of_a_joint_law_are_added_up_with_room() -> None:
    one = CouplingSteps(tuple(range(TERMS - 1)), (0,) * TERMS)
    for values in (LOSES, GAINS):
        least, most = joint(Pieces(values), one, one, np.zeros(1, dtype=np.int64), 1)  # type: ignore[arg-type]
        assert F(float(least[0, 0, 0])) <= summed(values) <= F(float(most[0, 0, 0]))


def test_a_tail_does_not_swallow_an_interval() -> None:
    _, upper = Intervals.of(law(np.array([0.2 * UNIT]), 0.5)).between(np.array([-1]), np.array([1]))
    assert F(float(upper[0])) >= F(1, 2) + F(0.2 * UNIT)


@pytest.mark.parametrize("seed", range(10))
def test_differences_of_running_sums_hold(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mass = rng.uniform(0, 1, 300) / 300
    table, exact = Intervals.of(law(mass)), [F(value) for value in mass.tolist()]
    for first, last in ((0, 100), (1, 101), (150, 300), (0, 300), (2, 299), (100, 200)):
        lower, upper = table.between(np.array([first]), np.array([last]))
        assert F(float(lower[0])) <= sum(exact[first:last]) <= F(float(upper[0]))


# -- cells --------------------------------------------------------------------------------------------------------


class Planted:
    """A family of laws that bend by what is planted."""

    def __init__(self, bend: np.ndarray) -> None:
        self.planted = bend

    def largest(self, counts: np.ndarray, *_: object) -> np.ndarray:
        return np.ones(len(counts))

    def bend(self, *_: object) -> np.ndarray:
        return self.planted

    def swell(self, counts: np.ndarray, *_: object) -> np.ndarray:
        return np.zeros(len(counts))

    def lag(self, *_: object) -> float:
        return 0.0


@pytest.mark.parametrize("values", [LOSES, GAINS])
def test_labels_of_many_counts_are_added_up_with_room(values: np.ndarray) -> None:
    cell = LabelCell(Planted(values), ListedMeans((1.0, 2.0)), lambda counts: 0 * counts)  # type: ignore[arg-type]
    one = law(values, 0.25)
    found = cell._gathered((one, law(values, 0.1 * UNIT)), cell.codes, (1.0, 2.0))
    for low, high in zip(found.low.ravel().tolist(), found.high.ravel().tolist(), strict=True):
        assert F(low) <= summed(values) <= F(high)
    assert all(summed(values) <= F(bend) for bend in found.bend.ravel().tolist())
    assert F(found.tail) >= F(1, 4) + F(0.1 * UNIT)


def test_labels_count_the_errors_of_masses() -> None:
    cell = LabelCell(Planted(np.zeros(1)), ListedMeans((1.0,)), lambda counts: 0 * counts)  # type: ignore[arg-type]
    for mass, error in ((0.5, 0.2 * UNIT), (0.5, 0.7 * UNIT), (0.3, 0.1)):
        found = cell._gathered((Law(0, np.array([mass]), np.array([error])),), cell.codes, None)
        assert F(float(found.low[0, 0, 0])) <= F(mass) - F(error)
        assert F(float(found.high[0, 0, 0])) >= F(mass) + F(error)


def labels(p: float, q: float, tail: float = 0.0) -> Labels:
    """One label, with the person and without."""
    here = np.array([[[p], [q]]])
    return Labels(here, here, np.zeros((2, 1)), np.zeros((2, 1)), 0.0, tail)


def test_a_ratio_that_is_rounded_to_the_exponential_still_counts() -> None:
    """The quotient p/q is the factor in floats, and p is above the factor times q, in floats too."""
    rng, counted = np.random.default_rng(5), 0
    for q in rng.uniform(0.1, 0.4, 4000).tolist():
        factor = float(rng.uniform(1, 2))
        p = math.nextafter(factor * q, 1)
        if p / q <= factor:
            counted += 1
            assert F(p) - F(factor) * F(q) <= F(_Comparison(labels(p, q), NOTHING, 0, (factor, factor)).upper())
    assert counted > 20


def test_tails_of_two_cells_are_added_up_with_room() -> None:
    one, two = labels(0.1, 0.9, 0.25), labels(0.1, 0.9, 0.1 * UNIT)
    assert F(_Comparison(one, two, 0, (1e9, 1e9)).upper()) >= F(1, 4) + F(0.1 * UNIT)


@pytest.mark.parametrize("values", [LOSES, GAINS])
def test_labels_that_are_compared_are_added_up_with_room(values: np.ndarray) -> None:
    high = np.array([[values, np.zeros(TERMS)]])
    many = Labels(high, high, np.zeros((2, TERMS)), np.zeros((2, TERMS)), 0.0, 0.0)
    compared = _Comparison(many, NOTHING, 0, (1.0, 1.0))
    assert F(compared._lower(0, 0)) <= summed(values) <= F(compared.upper())


def test_what_a_box_adds_to_its_corners_is_rounded_up() -> None:
    """Labels that swell without limit count with all that they may be."""
    here = np.array([[LOSES, LOSES]] * 2)
    wild = Labels(here, here, np.zeros((2, TERMS)), np.full((2, TERMS), np.inf), 0.0, 0.0)
    ahead = np.array([LOSES, LOSES])
    chosen = np.ones((TERMS, 1), dtype=bool)
    found = _Comparison(wild, NOTHING, 0, (1.0, 1.0))._geometric(chosen, LOSES, ahead, ahead, np.ones(2))
    assert F(found) >= 1 + summed(LOSES)


@balls.precise
def test_ranges_of_logarithms_are_from_above() -> None:
    rng = np.random.default_rng(3)
    values, scale = 10 ** rng.uniform(-40, 0, (2, 200)), 10 ** rng.uniform(-40, 0, (2, 1))
    found = _range_of_logs(values, scale)
    rises = _Comparison._lag(Labels(values[:, None, :], values[:, None, :], found, found, 0.5, 0.0), 0)
    for place in range(200):
        one, two = (arb(v) for v in values[:, place].tolist())
        a, b = (arb(v) for v in scale[:, 0].tolist())
        assert balls.upper(abs((one / a).log() - (two / b).log())) <= F(float(found[place]))
        assert balls.upper((two / one).log()) / 2 <= F(float(rises[place]))


@balls.precise
def test_a_mass_between_two_means_is_from_above() -> None:
    """Means so close that the tangent is the function itself."""
    low, count = 7.3, np.arange(0.0, 60.0)
    high, mass = low * (1 + 1e-9), np.random.default_rng(2).uniform(1e-9, 1e-3, 60)
    found = PoissonFamily().largest(count, (low, high), (mass, np.full(60, np.inf)))
    for place, bound in enumerate(found.tolist()):
        moved = arb(float(mass[place])) * ((arb(high) / arb(low)).log() * place - (arb(high) - arb(low))).exp()
        assert balls.upper(moved) <= F(bound)


def test_a_cell_of_a_sample_is_added_up_with_room() -> None:
    """Others of a known number; then of a number that has a tail at each size."""
    for values in (LOSES, GAINS):
        inside = law(values)
        found = SizedCell.of(law(np.ones(1)), lambda _, one=inside: one, lambda counts: 0 * counts)  # type: ignore[misc]
        assert found is not None
        low, high = found.low[0].sum(), found.high[0].sum()
        assert F(float(low)) <= summed(values) <= F(float(high))
    sizes, tail = law(np.full(12, 1 / 16), 0.25), 16 * 0.24 * UNIT
    found = SizedCell.of(sizes, lambda _: law(np.array([0.5]), tail), lambda counts: 0 * counts)
    assert found is not None
    assert F(found.tail) >= F(1, 4) + 12 * F(1 / 16) * F(tail)


@pytest.mark.parametrize("seed", range(20))
def test_a_mass_of_a_cell_is_a_product_of_two_that_err(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (mass, weight), (error, slip) = rng.uniform(0.2, 0.4, 2).tolist(), rng.uniform(0, 0.1, 2).tolist()
    sizes, inside = (Law(0, np.array([m]), np.array([e])) for m, e in ((weight, slip), (mass, error)))
    found = SizedCell.of(sizes, lambda _: inside, lambda counts: 0 * counts)
    assert found is not None
    assert F(float(found.low.max())) <= (F(mass) - F(error)) * (F(weight) - F(slip))
    assert F(float(found.high.max())) >= (F(mass) + F(error)) * (F(weight) + F(slip))


def test_beyond_all_exponentials_a_cell_counts_what_is_sure_with_room() -> None:
    low = np.zeros((2, TERMS, 1))
    low[0, :, 0] = GAINS
    assert F(SizedCell(low, low, 0.0).directed(F(701), 0).lower) <= summed(GAINS)
