"""Rounding of the bounds of wide ranges and of bridges: planted where it goes the wrong way, and made up for."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import acb, arb

from dalenius.enclosure.floats import FFT, LIBM, UNIT
from dalenius.numerics import bridges, resonance, wide, widecurve
from dalenius.numerics.bridges import RATES, Currency, Hiding, contained
from dalenius.numerics.chainbeside import Beside
from dalenius.numerics.charfun import PUSHES, LatticeWindow
from dalenius.numerics.resonance import FrequencyCells, ResonantLattice, Spare, Tilted, spare
from dalenius.numerics.runs import Runs, RunSum
from dalenius.numerics.wide import Smooth, WideLaw, WideRung, _Maker
from dalenius.numerics.widecurve import Moved, WideShifts, _Losses
from numerics.test_last_units import GAINS, LOSES, TERMS, summed
from numerics.test_wide import PLAIN, law_of
from oracle import balls

F = Fraction
ONES = Runs.of([(place, 1, 1, F(1, TERMS)) for place in range(TERMS)])
COIN = Runs.of([(0, 1, 2, F(1))])


def tilted(weights: np.ndarray, runs: Runs = ONES, spread: float = 0.0, kappa: float = math.inf) -> Tilted:
    return Tilted(runs, 0.0, weights, np.full(len(weights), kappa), np.ones(len(weights)), 1.0, spread)


# -- frequencies that are left out --------------------------------------------------------------------------------


def test_shares_of_runs_are_added_up_with_room(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = np.array([0.1]), np.array([0.2])
    assert summed(LOSES) <= F(float(tilted(LOSES).incoherent(*ends)[0]))
    monkeypatch.setattr(Runs, "tilted", lambda *_: (LOSES, np.ones(TERMS), np.ones(TERMS)))
    assert summed(LOSES) <= F(Tilted.of(ONES, 0.0).share)


@pytest.mark.parametrize("seed", range(20))
@balls.precise
def test_a_wave_of_a_long_run_is_known_up_to_its_argument(seed: int) -> None:
    t, count, kappa = float(np.random.default_rng(seed).uniform(0.5, 1.5)), 10**9 + 7, 1e-3
    found = tilted(np.ones(1), Runs.of([(0, 1, count, F(1))]), kappa=kappa).incoherent(np.array([t]), np.array([t]))
    half = arb(t) / 2
    truth = 2 * arb(kappa) * abs((half * count).sin()) / abs(half.sin())
    assert balls.lower(truth) <= F(float(found[0]))


@pytest.mark.parametrize("seed", range(20))
@balls.precise
def test_a_size_and_what_is_between_two_are_rounded_up(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    s = rng.uniform(-0.6, -0.1, 2) + 1j * rng.uniform(0, 0.1, 2)
    s[1] = abs(s[1])  # at t = 0 it is largest
    monkeypatch.setattr(Runs, "grown", lambda *_: (s, np.zeros(2)))
    found = float(tilted(np.ones(1), Runs.of([(0, 1, 1, F(1))])).sizes(np.ones(1))[0])
    at, whole = (acb(value.real, value.imag) + 1 for value in s.tolist())
    assert balls.upper(abs(at) / abs(whole)) <= F(found)
    low, spread, end = rng.uniform(0.1, 0.2, 3).tolist()
    high = low + 0.3
    between = tilted(np.ones(1), COIN, spread).between(*(np.array([x]) for x in (low, high, end)))
    exact = arb(end) ** 2 + arb(spread) * (arb(high) - arb(low)) ** 2 / 8
    assert balls.upper(exact.sqrt()) <= F(float(between[0]))


def of_cells(monkeypatch: pytest.MonkeyPatch, cells: FrequencyCells, gained: np.ndarray) -> list[float]:
    """Let `spare` find these cells and gains; where it starts to look is told."""
    starts: list[float] = []
    part = SimpleNamespace(
        sizes=lambda t: np.zeros(len(t)), incoherent=lambda low, _: np.zeros(len(low)), logarithms=lambda *_: 0.0
    )
    monkeypatch.setattr(resonance, "cover", lambda _, __, low, ___: starts.append(low) or cells)
    monkeypatch.setattr(resonance, "_gained", lambda *_: gained)
    monkeypatch.setattr(Tilted, "of", lambda *_: part)
    return starts


@pytest.mark.parametrize("seed", range(20))
@balls.precise
def test_what_an_inversion_leaves_out_is_rounded_up(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, length = np.random.default_rng(seed), 1009 + 2 * seed
    low, high = np.zeros(5), rng.uniform(0.1, 0.2, 5)
    cells = FrequencyCells(low, high, np.ones((1, 5)))
    starts = of_cells(monkeypatch, cells, LOSES[None, :])
    truth = 2 * sum((arb(h) * length / (2 * arb.pi()) + 1 for h in high.tolist()), arb(0))
    kept = TERMS - 1
    for lattice in (None, ResonantLattice(3, (0,), (np.ones(1, dtype=bool),), (F(1),))):
        found = spare([COIN], [5], 0.0, length=length, kept=kept, lattice=lattice)
        # with a lattice: one band, of which both sides count, and the part off the lattice has the bound 1 as well
        assert balls.upper(truth * (1 if lattice is None else 6)) <= F(found.rest)
        assert found.rest <= float(balls.upper(truth)) * (1 if lattice is None else 6) * (1 + 1e-8)
        if lattice is not None:
            assert balls.upper(truth) <= F(found.part)
            assert 4 * summed(LOSES) <= F(found.bands)
    assert all(F(start) <= balls.lower(2 * arb.pi() * (kept + 1) / length) for start in starts)


# -- sums of runs -------------------------------------------------------------------------------------------------


def run_sum(monkeypatch: pytest.MonkeyPatch, counts: list[int], s: list[complex], slips: list[float]) -> RunSum:
    """Types of which all that is known is planted."""
    planted = iter([(np.array([one]), np.array([slip])) for one, slip in zip(s, slips, strict=True)])
    monkeypatch.setattr(Runs, "grown", lambda *_: next(planted))
    return RunSum((COIN,) * len(counts), np.array(counts), 0, 1, 0.0, 1.0, 0)


@pytest.mark.parametrize("seed", range(20))
@balls.precise
def test_the_ceiling_of_many_runs_counts_absolute_values_and_logarithms(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1e15 records whose size is nearly one; and 1e12 of which nothing is known but that they are below 1e-200."""
    rng = np.random.default_rng(seed)
    turn = complex(np.exp(1j * rng.uniform(0.1, 1))) - 1
    tiny = float(10 ** rng.uniform(-290, -200))
    for count, s, slip in ((10**15 + seed, turn, 1e-12), (10**12 + 7 * seed, complex(-1), tiny)):
        total = run_sum(monkeypatch, [count], [s], [slip])
        values, errors = total.at(np.zeros(1), np.ones(1))
        assert errors[0] > 1
        truth = count * (abs(acb(s.real, s.imag) + 1) + arb(slip)).log()
        assert balls.upper(truth) <= F(float(values[0].real))


@pytest.mark.parametrize("seed", range(10))
def test_the_error_of_a_sum_of_runs_is_rounded_up(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    slips, counts = rng.uniform(0.1, 0.2, 3).tolist(), rng.integers(500, 1000, 3).tolist()
    _, errors = run_sum(monkeypatch, counts, [0j] * 3, slips).at(np.zeros(1), np.zeros(1))
    assert sum(n * F(e) / (1 - F(e)) for n, e in zip(counts, slips, strict=True)) <= F(float(errors[0]))


# -- rungs and cells ----------------------------------------------------------------------------------------------


def rung(spectrum: np.ndarray, length: int = 64) -> WideRung:
    return WideRung(0.0, 0.0, 0, length, 4, (spectrum.astype(complex), 0j * spectrum), (0.0, 0.0))


@balls.precise
def test_bounds_of_derivatives_and_of_a_transform_are_rounded_up() -> None:
    assert (2 * summed(LOSES) + F(1, 8)) / 64 <= F(rung(np.append(0.125, LOSES)).bound(0, 0))
    for seed in range(30):
        one = rung(np.random.default_rng(seed).uniform(0.1, 1, 5))
        sizes = [arb(float(abs(value))) for value in one.spectra[0]]
        norm = (2 * sum((size**2 for size in sizes), arb(0)) / 16).sqrt() / 4
        turns = (2 * arb.pi() * 4 + 4 * LIBM + 16) * arb(one.bound(0, 0))
        assert balls.upper((FFT * 4 + 4) * norm + turns) * F(UNIT) <= F(one.slip(0, 0))


def part_of(theta: float = 0.0, **parts: object) -> SimpleNamespace:
    return SimpleNamespace(theta=theta, **parts)


def law_with(one: SimpleNamespace) -> WideLaw:
    return WideLaw((one,), 0, 1, 4, np.zeros(1, dtype=np.int64), 0.0, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(20))
def test_an_error_grows_with_that_of_its_scale(seed: int) -> None:
    error, relative, scale, bound = np.random.default_rng(seed).uniform(0.01, 0.1, 4).tolist()
    one = part_of(
        values=lambda *_: (np.zeros(2), np.zeros(2)),
        scale=lambda _: (np.full(2, scale), relative),
        error=lambda _: error,
        bound=lambda *_: bound,
    )
    found = law_with(one)._within(one, np.zeros(1, dtype=np.int64), 0)  # type: ignore[arg-type]
    assert F(error) * (1 + F(relative)) * F(scale) <= F(float(found[2, 0]))
    assert 2 * F(bound) * F(scale) * (1 + F(relative)) <= F(float(found[4, 0]))


def test_a_cell_rises_only_if_its_slope_is_above_all_that_may_be_off() -> None:
    """The slope is what is to be exceeded, as computed, and less than that in truth."""
    counted = 0
    for seed in range(60):
        theta, *bounds = np.random.default_rng(seed).uniform(0.01, 0.1, 7).tolist()
        slack = 2.0 * (bounds[3] + abs(theta) * bounds[2])
        slack += bounds[4] + abs(theta) * bounds[5]
        slack += 8 * UNIT * (bounds[1] + abs(theta) * bounds[0])
        b = [F(bound) for bound in bounds]
        exact = 2 * (b[3] + F(theta) * b[2]) + b[4] + F(theta) * b[5] + 8 * F(UNIT) * (b[1] + F(theta) * b[0])
        if F(slack) < exact:
            counted += 1
            for sign in (1, -1):
                one = part_of(
                    theta,
                    values=lambda *_, s=sign, least=slack: (np.zeros(2), np.full(2, s * least)),
                    bound=lambda _, order, found=bounds: found[order],
                    slip=lambda _, order, found=bounds: found[5 - order],
                )
                rises, falls = law_with(one).slopes()
                assert not rises[0] and not falls[0]
    assert counted > 10


def test_what_is_beyond_both_ends_is_added_up_with_room(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = iter([0.25, 0.1 * UNIT])
    monkeypatch.setattr(wide, "beyond", lambda *_: next(ends))
    assert F(law_of(PLAIN, 300, fine=12).tail) >= F(1, 4) + F(0.1 * UNIT)


@pytest.mark.parametrize("seed", range(20))
def test_what_a_rung_leaves_out_is_rounded_up(seed: int) -> None:
    alias, rest, part, bands = np.random.default_rng(seed).uniform(100, 900, 4).tolist()
    window = LatticeWindow(0.0, 0, 1.0, -5, 5, 20, 2, 0.0, 1.0)
    maker = _Maker(None, None, (), (), None, 1)  # type: ignore[arg-type]
    nothing = np.zeros(PUSHES + 2, dtype=complex)
    found = maker._filled(window, nothing, np.zeros(PUSHES + 2), alias, Spare(rest, part, bands)).errors
    assert (F(rest) + F(bands)) / 20 + F(alias) <= F(found[0])
    assert F(part) / 20 + F(alias) <= F(found[1])


# -- curves -------------------------------------------------------------------------------------------------------


def smooth(left: np.ndarray) -> Smooth:
    none = np.zeros(len(left))
    return Smooth(left, left, none, none, none)


def shifts(found: dict[tuple[int, int], Smooth], cells: int, cell: int, q: int = 1) -> WideShifts:
    law = SimpleNamespace(
        cell=cell, cells=cells, q=q, lattice=None if q == 1 else q, tail=0.0, nodes=lambda: np.arange(cells) * cell
    )
    law.start = 0
    return WideShifts(law, 1, found)  # type: ignore[arg-type]


def lost(least: np.ndarray) -> _Losses:
    return _Losses(0 * least, 0 * least, least)


def test_a_sum_over_cells_is_rounded_outwards(monkeypatch: pytest.MonkeyPatch) -> None:
    here, nothing = smooth(LOSES), smooth(0 * LOSES)
    curve = shifts({(0, 0): here, (1, 0): nothing, (-1, 0): nothing}, TERMS, 1)
    curve._lost.append(lost(np.zeros(TERMS)))
    chosen = (np.zeros(TERMS, dtype=bool),) * 3
    monkeypatch.setattr(WideShifts, "_events", lambda *_: [Moved(1, chosen, 0.0)])
    monkeypatch.setattr(WideShifts, "_searched", lambda *_: math.inf)
    assert summed(LOSES) <= F(curve.delta(F(0)).upper)
    monkeypatch.setattr(WideShifts, "_pieces", lambda *_: [[]] * 3)
    monkeypatch.setattr(widecurve, "_below", lambda *_: GAINS)
    assert F(curve._least(F(0), 1).value) <= 3 * summed(GAINS)
    assert curve._least(F(0), 1).value >= float(3 * summed(GAINS)) * (1 - 1e-10)


def test_probabilities_of_an_event_are_rounded_outwards(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = iter([*GAINS[:3].tolist(), *LOSES[:3].tolist()])
    monkeypatch.setattr(WideShifts, "_pieces", lambda *_: [[]] * 3)
    monkeypatch.setattr(widecurve, "_sum", lambda *_: next(kinds))
    first, second = shifts({}, 1, 1).probabilities(1, (np.zeros(1, dtype=bool),) * 3)
    assert F(first) <= summed(GAINS[:3])
    assert summed(LOSES[:3]) <= F(second)


@pytest.mark.parametrize("seed", range(40))
def test_masses_that_nearly_cancel_over_a_range_of_shifts(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    factor, low = float(rng.uniform(1, 2)), float(rng.uniform(0.1, 0.2))
    most = factor * low * (1 + 2 * UNIT)
    monkeypatch.setattr(widecurve, "exponential", lambda _: (factor, factor))
    exact = F(factor) * F(low)
    alone = np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    plain = shifts({(0, 0): smooth(most * alone)}, 5, 3)
    plain._lost.append(lost(np.full(5, low)))
    found = plain._range(F(1), 0, 1)
    assert found < 1e-12
    assert 3 * (F(most) - exact) <= F(found)
    # the same on a lattice of every third point, of which the law itself is a third of the mass there
    third = most / 3
    on = shifts({(0, 0): smooth(0 * alone), (0, 1): smooth(third * alone)}, 5, 3, 3)
    on._lost.append(lost(np.full(5, low)))
    assert 3 * F(third) - exact <= F(on._range(F(1), 0, 1))


@pytest.mark.parametrize("seed", range(40))
def test_one_cell_whose_masses_nearly_cancel(seed: int) -> None:
    rng = np.random.default_rng(seed)
    factor, low = float(rng.uniform(1, 2)), float(rng.uniform(0.1, 0.2))
    most, lost = factor * low * (1 + 2 * UNIT), (np.zeros(1), np.zeros(1))
    ours, theirs, exact = smooth(np.array([most])), smooth(np.array([low])), F(most) - F(factor) * F(low)
    found = widecurve._above(ours, None, (theirs, theirs), lost, factor, (1.0, 0.0))
    assert exact <= F(found) < F(1, 10**13)
    assert F(float(widecurve._below([ours], [theirs], factor, (1.0, 0.0))[0])) <= exact


# -- bridges ------------------------------------------------------------------------------------------------------


def test_what_is_contained_is_no_more_than_there_is() -> None:
    coins = Currency((4, 6, 4))
    sizes = np.random.default_rng(1).uniform(0.1, 1, 200)
    masses = np.outer(sizes, [float(chance) for chance in coins.law().values()])
    weights = contained(masses, coins)[1]
    for weight, row in zip(weights.tolist(), masses.tolist(), strict=True):
        for mass, chance in zip(row, coins.law().values(), strict=True):
            assert F(weight) * chance <= F(mass)
    assert np.allclose(weights, sizes, rtol=1e-8)


def test_exponents_of_very_many_records_are_from_below() -> None:
    """The gain of all records, less what the stretches lose: nearly nothing is left of 1e15."""
    rng, unknown = np.random.default_rng(2), 10**15 + 1
    slopes = rng.uniform(0.5, 1, (len(RATES), 1))
    most = slopes * unknown / 3 * (1 - 2e-9)
    found = Hiding(Currency((1, 1)), [(slopes, most)]).exponents(unknown, 3)
    for value, slope, line in zip(found.tolist(), slopes[:, 0].tolist(), most[:, 0].tolist(), strict=True):
        assert 0 < F(value) <= F(slope) * unknown - 3 * F(line)


@pytest.mark.parametrize("way", [-LIBM, LIBM])
@balls.precise
def test_a_number_of_draws_is_sure_but_for_its_chance(way: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exponents at which a whole number is just reached, or just not; the logarithm of the chance errs."""
    wrong = SimpleNamespace(**{**vars(np), "log": lambda x: np.log(x) * (1 + way * UNIT)})
    monkeypatch.setattr(bridges, "np", wrong)
    for rate in RATES[::4].tolist():
        monkeypatch.setattr(bridges, "RATES", np.array([rate]))
        for chance in (1e-9, 1e-20, 1e-30):
            exponent = 5 * rate - float(np.log(chance))
            monkeypatch.setattr(Hiding, "exponents", lambda *_, e=exponent: np.array([e]))
            (number,) = Hiding(Currency((1, 1)), []).levels(1, 1, [chance])[0]
            assert number in (5, 6)
            assert balls.upper((arb(rate) * (number - 1) - arb(exponent)).exp()) <= F(chance)


@balls.precise
def test_the_worst_of_a_stretch_is_from_above() -> None:
    rng = np.random.default_rng(3)
    found, whole = rng.uniform(0.1, 0.5, (200, 1, 1)), np.array([[0.7]])
    worst = bridges._worst(found, whole, 0)
    for value, part in zip(worst.tolist(), found.ravel().tolist(), strict=True):
        assert balls.upper((arb(part) / arb(0.7)).log()) <= F(value)


@balls.precise
def test_the_size_of_stretches_beside_a_chain_is_from_above() -> None:
    """A thousand stretches of one record each."""
    for seed in range(30):
        first, last, whole = np.random.default_rng(seed).uniform(0.99, 1, 3).tolist()
        single = np.ones((1, 1))
        count, none = np.array([1000]), np.zeros(1)
        one = Beside(single, first * single, last * single, count // 1000, count, none, np.array([whole]), 0.0)
        found = one.most(np.ones((1, 1), dtype=complex))[0]
        exact = (arb(first) * arb(last) / arb(whole)) ** 1000
        assert min(F(1), balls.upper(exact)) <= F(float(found))
