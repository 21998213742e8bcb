"""Chains whose ingredients are wrong by what they say, and each unit of rounding that is charged for them."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dalenius.enclosure import matrices
from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.numerics import chain as recursion
from dalenius.numerics import chaintilt
from dalenius.numerics.chain import MarkovChain, Side, world
from dalenius.numerics.chaintilt import ChainTilt
from oracle import balls

F = Fraction
LOST = 0.999 * UNIT  # what is lost when it is added to one


def coins(n: int, *rates: Fraction, adds: tuple[int, ...] = ()) -> MarkovChain:
    """Independent records, as a chain."""
    row = tuple(rates) or (F(1, 2), F(1, 2))
    return MarkovChain(row, (row,) * len(row), adds or tuple(range(len(row))), n)


STAYS = MarkovChain((F(1, 2), F(1, 2)), ((F(9, 10), F(1, 10)), (F(1, 5), F(4, 5))), (0, 1), 150)


# -- positive recursions ------------------------------------------------------------------------------------------


def side(*masses: float, sure: bool = True) -> Side:
    return Side(np.array([masses]), sure=sure)


ALONE = MarkovChain((F(1),), ((F(1),),), (0,), 1)


def test_every_term_of_the_last_product_is_charged() -> None:
    long = (1.0, *[LOST] * 300)
    law = world(side(*long), side(*[1.0] * 301), 0, ALONE)
    assert abs(sum(map(F, long)) - F(float(law.mass[300]))) <= F(float(law.error[300]))


@pytest.mark.parametrize(
    ("before", "after"),
    [(side(1e-200), side(1e-200)), (side(0.0, 1.0, sure=False), side(1.0)), (side(1.0), side(0.0, 1.0, sure=False))],
)
def test_what_vanishes_below_the_smallest_floats_is_charged(before: Side, after: Side) -> None:
    assert world(before, after, 0, ALONE).error[0] >= 1e-300


def test_a_step_whose_products_may_vanish_is_no_longer_sure() -> None:
    assert not recursion._step(side(1e-200), np.array([[1e-200]]), (0,)).sure
    assert not recursion._step(side(1.0, sure=False), np.ones((1, 1)), (0,)).sure
    assert recursion._step(side(1.0), np.ones((1, 1)), (0,)).sure


def test_a_chance_below_the_smallest_float_stays_a_chance() -> None:
    assert recursion._ratio(1, 10**400) > 0


# -- tilts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [0.0, -25.0, 25.0])
def test_an_entry_counts_its_exponential_its_turn_and_their_arguments(theta: float) -> None:
    """exp and its argument, cosine and sine and an angle of up to 2π in three roundings, and five products."""
    assert chaintilt.entry_of(STAYS, theta) >= (2 * LIBM + abs(theta) + 6 * math.pi + 5) * UNIT


def charge(of: MarkovChain, theta: float, monkeypatch: pytest.MonkeyPatch) -> float:
    """By how many units the bound on an exponential moment is raised."""
    found = []
    for unit in (0.0, 1e-6):
        monkeypatch.setattr(matrices, "UNIT", unit)
        found.append(chaintilt.bound(of, theta))
    return (found[1] - found[0]) / 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("of", "theta"),
    [(STAYS, -25.0), (STAYS, 25.0), (coins(150, *[F(1, 130)] * 130), 1e-3), (coins(150), 0.5)],
)
def test_the_bound_on_an_exponential_moment_counts_every_step(
    of: MarkovChain, theta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the largest quotient: exp, its argument, a sum, products; of its logarithm: eight units."""
    factors = np.exp(theta * np.array(of.adds))
    raised = np.array(of.moves, dtype=float) * factors
    scale = float(np.abs(np.linalg.eigvals(raised)).max())
    step = LIBM + abs(theta) * max(of.adds) + 4 + of.size + LIBM * abs(math.log(scale))
    assert charge(of, theta, monkeypatch) >= of.n * step


def test_the_bound_on_an_exponential_moment_counts_the_logarithm_of_its_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chaintilt, "_perron", lambda _: (1.0, np.array([1e-60, 1e-60, 1.0])))
    of = MarkovChain((F(0), F(0), F(1)), ((F(1, 2), F(1, 2), F(0)),) * 2 + ((F(0), F(1, 2), F(1, 2)),), (0, 1, 2), 2)
    begin = math.log(1e60)
    assert charge(of, 1e-9, monkeypatch) >= (LIBM + 2) * begin * 0.79


def test_a_logarithm_counts_although_another_cancels_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten steps of 1e-6 each, and a beginning of 1e60."""
    monkeypatch.setattr(chaintilt, "_perron", lambda _: (1.0, np.array([1.0, 1e-60])))
    rare = F(1, 10**6)
    of = MarkovChain((F(1), F(0)), ((rare, 1 - rare), (F(0), F(1))), (0, 1), 11)
    theta = math.log(1e-6)
    assert charge(of, theta, monkeypatch) >= 2 * LIBM * math.log(1e60)


def test_any_weights_of_states_bound_an_exponential_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    of = replace(STAYS, n=5)
    for theta in (-0.3, 0.4):
        row, factors = np.array(of.start, dtype=float), np.exp(theta * np.array(of.adds))
        for _ in range(of.n - 1):
            row = (row * factors) @ np.array(of.moves, dtype=float)
        truth = math.log(float(row @ factors))
        for weights in ([1.0, 0.5], [0.5, 1.0], [1.0, 1.0]):
            monkeypatch.setattr(chaintilt, "_perron", lambda _, h=weights: (1.0, np.array(h)))
            assert chaintilt.bound(of, theta) >= truth


@pytest.mark.parametrize("where", ["start", "moves", "both"])
def test_moves_that_are_left_out_as_faint_are_counted_at_every_record_and_state(where: str) -> None:
    """Two of three states are entered with hardly a chance: by exact numbers, once among n records."""
    chance = F(99, 100) * F(chaintilt.FAINT)
    rare, sure = (1 - 2 * chance, chance, chance), (F(1), F(0), F(0))
    of = MarkovChain(sure if where == "moves" else rare, (sure if where == "start" else rare,) * 3, (0, 1, 2), 40)
    left_out = {"start": 1, "moves": 39, "both": 40}[where]
    assert 1 - (1 - 2 * chance) ** left_out <= F(chaintilt.unlikely(of))
    start, moves = chaintilt.chances(of)
    assert start.tolist() == [1, 0, 0]
    assert moves.tolist() == [[1, 0, 0]] * 3


def test_mass_is_outside_at_both_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaintilt, "_beyond", lambda *_: 0.25)
    assert chaintilt.rungs(replace(STAYS, n=2000), 0.3, 10**9)[1] == 0.5


def exactly(number: Fraction) -> Fraction:
    return balls.lower(balls.exponential(number)) if number < 0 else F(1)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("far", [0, 10**14])
def test_the_mass_beyond_a_place_is_rounded_up(seed: int, far: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one slope is known."""
    place, k = chaintilt._Place(0.31 + seed / 100, 0.0, 1.0), far and far + seed
    slope = (place.theta + 0.5) * 0.7
    value = float(F(slope) * k) - 1.3 - seed / 7

    def bound(_: MarkovChain, theta: float) -> float:
        return value if theta == slope else math.inf

    monkeypatch.setattr(chaintilt, "bound", bound)
    assert exactly(F(value) - F(slope) * k) <= F(chaintilt._beyond(STAYS, place, k, 1))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("theta", "base", "edge"), [(0.0, 1e15, 3), (0.0, 0.0, 10**15), (5.0, 0.0, 10**15), (0.0, 0.0, 0)]
)
def test_the_mass_folded_in_is_rounded_up(
    theta: float, base: float, edge: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only one push is known, from below: to a tilt of zero, or of minus 0.3."""
    length, last = 20 + seed, edge + 20 + seed
    of = MarkovChain(STAYS.start, STAYS.moves, STAYS.adds, last + 5)  # nothing is above
    place = chaintilt._Place(theta, 0.0, math.sqrt(float(length) / (theta or 0.3)))
    push = (length - 0.0) / place.deviation**2
    chosen = theta - push
    scale = base / (of.n - 1)
    begin = (of.n - 1) * scale
    value = float(F(begin) + (F(chosen) - F(theta)) * (last - length) - 2 - F(seed, 7))

    def bound(_: MarkovChain, at: float) -> float:
        return value if at == chosen else math.inf

    monkeypatch.setattr(chaintilt, "bound", bound)
    tilt = ChainTilt(theta, scale, np.ones((1, 1)), np.ones(1), np.ones(1))
    found = chaintilt._alias(of, tilt, place, last, last, length)
    assert exactly(F(value) - (F(chosen) - F(theta)) * (last - length) - F(begin)) <= F(found)


def test_mass_is_folded_in_from_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaintilt, "bound", lambda _, theta: theta * (90 if theta > 0 else 20) - 1)
    tilt, place = ChainTilt(0.0, 0.0, np.ones((1, 1)), np.ones(1), np.ones(1)), chaintilt._Place(0.0, 50.0, 5.0)
    assert chaintilt._alias(STAYS, tilt, place, 50, 60, 40) >= 2 * math.exp(-1)


def kept(
    n: int, monkeypatch: pytest.MonkeyPatch, *, unit: float = 0.0, entry: float = 0.0, grown: float = 1.0
) -> tuple[list[int], float]:
    of = replace(STAYS, n=n)
    with monkeypatch.context() as local:
        local.setattr(matrices, "UNIT", unit)
        local.setattr(chaintilt, "entry_of", lambda *_: entry * unit)
        tilt = chaintilt.tilted(of, 0.0)
        found, dropped, _ = chaintilt._kept(of, replace(tilt, moves=tilt.moves * grown), 151)
    return found.tolist(), dropped


@pytest.mark.parametrize(("n", "damped", "entries", "products"), [(150, 1e-4, 2250, 2120), (2000, 1e-18, 2440, 2390)])
def test_frequencies_left_out_are_charged_for_the_errors_of_all_entries_and_products(
    n: int, damped: float, entries: int, products: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every entry too small by its error, each product by its own, or all rows too long. Errors stay as large as the
    norms that were multiplied, so that they count more often than there are records.
    """
    monkeypatch.setattr(chaintilt, "DAMPED", damped)
    plain, dropped = kept(n, monkeypatch)
    assert 0 < len(plain) < 76
    small = 1e-9
    for parts, least in (
        ({"unit": small / 1e6, "entry": 5e5}, entries),
        ({"unit": small / 16}, products),
        ({"grown": 1 + small}, n - 1),
    ):
        found, more = kept(n, monkeypatch, **parts)
        assert found == plain
        assert more >= dropped * (1 + small) ** least


def all_frequencies(monkeypatch: pytest.MonkeyPatch, n: int, damped: float) -> None:
    """Those that are left out are at least as large together as they are."""
    monkeypatch.setattr(chaintilt, "DAMPED", damped)
    of = replace(STAYS, n=n)
    tilt = chaintilt.tilted(of, 0.0)
    found, dropped, _ = chaintilt._kept(of, tilt, 151)
    left = np.setdiff1d(np.arange(76), found)
    turned = chaintilt.turns(left, np.array(of.adds), 151)
    total = 0.0
    for turn in turned:
        moves = tilt.moves * turn
        rows, columns = [tilt.first * turn], [tilt.last.astype(complex)]
        for _ in range(n - 1):
            rows.append(rows[-1] @ moves)
            columns.append(moves @ columns[-1])
        total += max(float(np.abs(row * column).max()) for row, column in zip(rows, columns[::-1], strict=True))
    assert 0 < 2 * total <= dropped


@pytest.mark.slow
@pytest.mark.parametrize(("n", "damped"), [(150, 1e-4), (600, 1e-18)])
def test_frequencies_left_out_are_charged_with_both_signs(
    n: int, damped: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_frequencies(monkeypatch, n, damped)


def test_frequencies_left_out_on_the_way_count_twice() -> None:
    """One state, and a product that halves with every record: ten frequencies are left out at once."""
    of, tilt = (
        MarkovChain((F(1),), ((F(1),),), (0,), 100),
        ChainTilt(0.0, 0.0, np.full((1, 1), 0.5), np.ones(1), np.ones(1)),
    )
    found, dropped, _ = chaintilt._kept(of, tilt, 21)
    assert found.tolist() == [0]
    assert dropped >= 2 * 10 * 0.5**97


def split(base: list[list[float]], error: float, product: float, pieces: int) -> float:
    one = np.array([base], dtype=complex)
    power = matrices.Powers(one, matrices.norms(one, product), np.full(1, error), product)
    return float(power.largest_split(pieces)[0])


def test_powers_of_a_matrix_are_charged_for_its_error_and_for_their_products() -> None:
    assert split([[1.0]], 1e-3, 0.0, 50) >= (1 + 1e-3) ** 50 * (1 - 1e-12)
    assert split([[1.0]], 0.0, 1e-3, 50) >= (1 + 1e-3) ** 49
    assert split([[1.0]], 0.25, 0.0, 1) >= 1.25
    assert split([[0.0, 2.0], [0.0, 0.0]], 0.0, 0.0, 2) >= 4.0
    assert split([[1e-200]], 0.0, 0.0, 4) > 0.0


def test_a_norm_counts_the_rounding_of_its_sum() -> None:
    assert matrices.norms(np.ones((1, 2, 2), dtype=complex), 0.25)[0] >= 2.5
