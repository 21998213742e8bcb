"""Values far from zero, chances and moments next to it: bounds hold where floats tell little apart, or nothing."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import acb, arb

from dalenius.basics.errors import InputError
from dalenius.enclosure import cumulants as kernels
from dalenius.enclosure import matrices
from dalenius.enclosure.floats import LIBM, SMALLEST, UNIT
from dalenius.numerics import bridges, chainspectrum, resonance
from dalenius.numerics.bridges import Bridges
from dalenius.numerics.chain import MarkovChain
from dalenius.numerics.chainbeside import Beside
from dalenius.numerics.chainsides import SideCells, Sides
from dalenius.numerics.chainspectrum import Points
from dalenius.numerics.chaintilt import rungs
from dalenius.numerics.chainworlds import worlds
from dalenius.numerics.curve import Constant
from dalenius.numerics.dependent_moments import GraphMoments
from dalenius.numerics.law import Law
from dalenius.numerics.mixing import Mixing
from dalenius.numerics.moments import MomentCurve, Moments
from dalenius.numerics.residues import ResidueCurve
from dalenius.numerics.resonance import ResonantLattice, Tilted, lattice_of
from dalenius.numerics.runs import Runs, RunSum
from dalenius.numerics.wide import Smooth, WideRung
from dalenius.numerics.widecurve import _left, _Losses
from numerics.test_last_units import off_by
from numerics.test_wide import far_off
from oracle import balls

F = Fraction
SECONDS = 1_700_000_000  # since 1970: such values are far from zero and near each other


# -- runs of values -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [0.1, -0.1, 0.03])
@balls.precise
def test_tilted_weights_of_values_far_from_zero(theta: float) -> None:
    runs = [(SECONDS, 1, 501, F(1, 2)), (SECONDS + 501, 1, 500, F(1, 2))]
    exact = [sum(((arb(theta) * (a - SECONDS + j)).exp() for j in range(m)), arb(0)) / m for a, _, m, _ in runs]
    for found, truth in zip(Runs.of(runs).tilted(theta)[0].tolist(), exact, strict=True):
        assert abs(float(arb(found) / (truth / sum(exact, arb(0))) - 1)) <= 1e-12


@pytest.mark.parametrize("place", [2**53 + 1, 2**60 + 1])
@balls.precise
def test_middles_beyond_all_floats_are_told_apart(place: int) -> None:
    """Two neighbours, and one value far from them: half a unit counts."""
    runs = Runs.of([(place, 1, 2, F(1, 2)), (place + 9, 1, 1, F(1, 2))])
    (value,), (error,) = runs.grown(np.zeros(1), np.array([0.5]), place)
    turn = acb(0, 0.5)
    assert far_off(complex(value), (1 + turn.exp()) / 4 + (9 * turn).exp() / 2 - 1) <= error <= 1e-13
    assert Tilted.of(runs, 0.0).spread >= 2 * (0.5 * 4.25**2 + 0.5 * 4.25**2) * (1 - 1e-12)


@balls.precise
def test_an_argument_that_is_turned_to_zero_need_not_be_zero() -> None:
    step, count = 5000, 10_000
    t = 2 * math.pi * 1666 / step
    (value,), (slip,) = (part[0] for part in kernels.run_spread(*map(np.atleast_1d, (0.0, t, step, count))))
    half = acb(0, t) * step / 2
    off = far_off(complex(value), (count * half).sinh() / (count * half.sinh()) - 1)
    assert 0 < off <= slip <= 1e-14


@pytest.mark.parametrize("lost", [1e-9, 1e-4])
@balls.precise
def test_an_argument_may_be_nearer_to_zero_than_it_is_known(lost: float) -> None:
    for at in (0.0, lost / 10, 1.0 + lost / 2):
        (value,), (error,) = kernels.sinhc(np.array([at * 1j]), np.array([lost]))
        for truth in (acb(0, at) + acb(0, lost), acb(0, at) - acb(0, lost * 0.99)):
            assert far_off(complex(value), truth.sinh() / truth - 1) <= error <= 3 * lost


@balls.precise
def test_a_place_beyond_all_floats_is_rounded_before_it_is_tilted() -> None:
    rng, worst = np.random.default_rng(0), F(0)
    for _ in range(100):
        theta, place = float(rng.uniform(1, 1.02)) * 2.0**-26, 2**53 + 1 + 2 * int(rng.integers(50))
        rung = WideRung(theta, theta * 2**53, 0, 4, 4, (np.zeros(1, dtype=complex),) * 2, (0.0, 0.0))
        (scale,), relative = rung.scale(np.array([place]))
        off = balls.upper(abs(arb(float(scale)) / (arb(rung.cumulant) - arb(theta) * place).exp() - 1))
        worst = max(worst, off / F(relative))
    assert F(4, 5) < worst <= 1


@pytest.mark.parametrize("seed", range(10))
def test_a_valley_far_below_what_comes_before_it_is_not_raised(seed: int) -> None:
    """What a point loses is nearly all of it: what is left is no more than the valley, although it is a difference."""
    rng = np.random.default_rng(seed)
    hill, valley = float(rng.uniform(0.5, 1)), float(10.0 ** rng.uniform(-16, -13))
    for heights in ([hill, valley, 2.0], [2.0, valley, hill]):
        values, none, never = np.array(heights), np.zeros(3), np.zeros(3, dtype=bool)
        smooth = Smooth(values, values, none, none, none)
        law = SimpleNamespace(at=lambda *_, found=smooth: found, slopes=lambda n=never: (n, n), cells=3)
        lost = _Losses.of(law)  # type: ignore[arg-type]
        for value, less in zip(values, np.maximum(lost.rising, lost.falling), strict=True):
            low = float(value - less)
            assert value == 2.0 or valley * (1 - 9e-16) - 4e-15 * hill <= low <= valley * (1 + 9e-16)


@pytest.mark.parametrize("seed", range(10))
def test_of_a_value_that_is_nearly_its_error_no_more_is_left_than_there_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    value, error = rng.uniform(0.5, 1), rng.uniform(0.01, 0.02)
    lost = value - error - 10.0 ** rng.uniform(-17, -15)
    exact = F(value) - F(error) - F(lost)
    ones = np.ones(1)
    assert exact - F(1e-14) <= F(float(_left(value * ones, error * ones, lost * ones)[0])) <= exact
    smooth = Smooth(value * ones, value * ones, lost * ones, lost * ones, error * ones)
    law = SimpleNamespace(at=lambda *_: smooth, slopes=lambda: (ones < 0, ones < 0), cells=1)
    assert F(float(_Losses.of(law).least[0])) <= max(F(0), exact)  # type: ignore[arg-type]


# -- the probability of a lattice ---------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [F(1, 10**15), F(1, 10**12), F(1, 2), F(2, 3), 1 - F(1, 10**15)])
@pytest.mark.parametrize("way", [-LIBM, LIBM])
@balls.precise
def test_an_unlikely_lattice_has_its_logarithm(share: Fraction, way: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resonance, "math", off_by(way, log=math.log, log1p=math.log1p))
    scale = ResonantLattice(1000, (0,), (np.ones(1, dtype=bool),), (share,)).logarithm([5])
    off = abs(float(arb(scale) - 5 * balls.ball(share).log()))
    _, (error,) = RunSum.of([Runs.of([(0, 1, 1, F(1))])], [5], scale).at(np.zeros(1), np.zeros(1))
    assert off <= error <= 40 * UNIT * abs(scale)


def test_a_lattice_next_to_impossible_is_no_error() -> None:
    chances = (1 - F(1, 10**20), F(1, 10**20))
    runs = Runs.of([(0, 1, 2000, chances[0]), (0, 1000, 9, chances[1])])
    found = lattice_of([runs], [chances], [5])
    assert found is not None and found.logarithm([5]) == pytest.approx(-100 * math.log(10))


# -- chains -------------------------------------------------------------------------------------------------------


def test_a_stretch_beside_a_chain_may_not_begin_in_a_way_that_is_left_out() -> None:
    """One record is known to be followed by what its likely values hardly lead to: it had the faint one with 0.25 %."""
    faint, rare = F(99, 10**292), F(2, 10**288)
    moves = ((F(1, 2), F(1, 2) - rare, rare), (F(1, 4), F(1, 4), F(1, 2)), (F(1, 3), F(1, 3), F(1, 3)))
    first = MarkovChain((1 - faint, faint, F(0)), moves, (0, 1, 0), 1, tuple(row[2] for row in moves))
    with pytest.raises(InputError, match=r"chances of at least .* Write 0 for what cannot happen"):
        worlds(MarkovChain(moves[2], moves, (0, 1, 0), 60, (), ((first, 1),)))


class Losing(np.ndarray):
    """Matrices whose products are summed one by one, real and imaginary parts of a factor apart: each sum loses."""

    loses = 1e-9

    def __matmul__(self, other: np.ndarray) -> np.ndarray:
        one, two = np.asarray(self), np.asarray(other)
        found = np.zeros((*one.shape[:-1], two.shape[-1]), dtype=complex)
        for k in range(one.shape[-1]):
            for part in (one.real, 1j * one.imag):
                found = (found + part[..., k, None] * two[..., None, k, :]) * (1 - self.loses)
        return found.view(Losing)


def test_a_product_of_complex_matrices_is_summed_in_two_steps_a_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nearly always the first state, whose term comes first: the others add nothing, but each sum is rounded."""
    size, steps = 24, 64
    rare = F(1, 10**12)
    row = (1 - (size - 1) * rare, *[rare] * (size - 1))
    chain = MarkovChain(row, (row,) * size, tuple(range(size)), steps + 1)
    moves = np.array(row, dtype=float) * np.ones((size, 1)) * np.exp(0.7j)
    found = chainspectrum._power(moves[None].view(Losing), steps)
    off = float(np.abs(np.asarray(found)[0] / np.linalg.matrix_power(moves, steps) - 1).max())
    assert off > steps * (size + 20) * Losing.loses
    monkeypatch.setattr(chainspectrum, "entry_of", lambda *_: 0.0)
    monkeypatch.setattr(matrices, "UNIT", Losing.loses)
    assert off <= Points.of(chain, rungs(chain, 1e-9, 10**9)[0]).slip.min() <= 2 * off
    beside = Beside.of(np.abs(moves), np.array([row], dtype=float), np.ones((1, size)), [steps + 1], [1], 0.0)
    assert off <= float(beside.slips[0]) <= 2 * off


def test_logarithms_of_the_least_chances_err_in_odds_that_hardly_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two columns of chances next to nothing, and nearly alike: four logarithms, each off so that they are more so."""
    low, high = F(1, 10**249), F(100_025, 10**254)
    rows = [(high, low), (low, high), (low, low)]
    moves = tuple((*row, 1 - sum(row)) for row in rows)
    found = Bridges.of(MarkovChain((F(1), F(0), F(0)), moves, (0, 1, 2), 9), 1)

    class Wrong:
        def __getattr__(self, name: str) -> object:
            return getattr(np, name)

        def log(self, values: np.ndarray) -> np.ndarray:
            return np.log(values) * (1 + np.where(values > float(low), LIBM, -LIBM) * UNIT)

    monkeypatch.setattr(bridges, "np", Wrong())
    truth = 2 * balls.ball(high / low).log()
    assert balls.upper(truth) <= F(found.forgotten(1, np.zeros(3, dtype=np.int64))) <= balls.upper(truth) + F(1, 10**11)


def test_what_is_below_all_floats_beside_a_target_hides_nothing() -> None:
    """The second law is so far out that nothing is seen of it: not e^-690, but as good as nothing."""
    cells = SideCells(np.array([1.0]), np.zeros(1), np.zeros(1), np.ones(1), 0.0)
    first, second = np.zeros((2, 1, 1401))
    first[0, 700], second[0, -1] = 1.0, 1.0
    (most,), (ratio,) = Sides(first, second).bounds(cells)
    assert (most, ratio) == (0.0, math.inf)


# -- moments, figures, means --------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [50, 100, 107, 400])
def test_the_unit_of_moments_is_of_no_account(digits: int) -> None:
    n, unit = 10**6, F(1, 10**digits)
    plain = GraphMoments(n, 2, F(2 * n), F(n), F(n))
    for scale in (unit, 1 / unit):
        found = GraphMoments(n, 2, 2 * n * scale**2, n * scale**3, n * scale**4)
        assert found.distance == plain.distance


@pytest.mark.parametrize("unit", [F(1, 10**154), F(1, 10**163), F(1, 10**164), F(1, 10**400), F(10**400)])
def test_the_unit_of_a_normal_law_is_of_no_account(unit: Fraction) -> None:
    one, other = (Moments.within(scale, records=10**6, variance=2 * 10**5 * scale**2) for scale in (F(1), unit))
    plain, found = (MomentCurve(of, scale, 1).delta(F(0)) for of, scale in ((one, F(1)), (other, unit)))
    assert plain == found
    assert MomentCurve(one, F(1, 10**200), 1).delta(F(1)).upper < 1e-2
    assert MomentCurve(one, F(10**200), 1).delta(F(1)).upper == 1.0


def test_moments_that_are_beyond_all_floats_bound_nothing() -> None:
    assert GraphMoments(10, 1, F(1), F(10**200), F(10**300)).distance == 1.0


@pytest.mark.parametrize("epsilon", [F(690), F(695), F(700), F(5000)])
def test_no_epsilon_is_so_large_that_a_small_mass_is_none(epsilon: Fraction) -> None:
    small = 4e-301
    curve = ResidueCurve(np.array([[1.0, 0.0], [small, 1.0]]), np.zeros((2, 2)), 0.0, 2, 1, np.array([[0, 1]]))
    (lower,), (upper,) = curve._sticks(np.array([0]), np.array([1]), 0, epsilon, forth=True)
    truth = 1 - F(small) * balls.upper(balls.exponential(epsilon))
    assert truth - F(1, 10**9) <= F(float(lower)) <= max(F(0), truth)
    assert truth <= upper
    (lower,), (upper,) = curve._sticks(np.array([0]), np.array([1]), 0, epsilon, forth=False)
    assert 0.999 <= lower <= upper == 1.0


def test_means_of_what_is_below_all_floats_are_not_lost() -> None:
    """Twelve blocks, each of which adds half of the smallest float, beside one that is impossible."""
    mass = np.full(4096, 1 / 4096)
    mass[0] = 0.0
    curves = [Constant(1.0), *(Constant(2.0 ** -(1062 + k.bit_length())) for k in range(1, 4096))]
    bracket = Mixing(Law(0, mass, np.zeros(4096)), lambda k: curves[k]).delta(F(1))
    truth = sum((F(1, 4096) * F(curve.value) for curve in curves[1:]), F(0))
    assert F(bracket.lower) <= truth <= F(bracket.upper) <= 10 * truth
    small = Mixing(Law(0, np.array([0.6]), np.zeros(1)), lambda _: Constant(SMALLEST)).delta(F(1))
    assert F(small.lower) <= F(SMALLEST) * F(0.6)
