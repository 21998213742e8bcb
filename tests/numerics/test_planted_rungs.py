"""Rungs, ladders and families that are wrong by exactly what they say: what is built on them must be forgiving."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import pytest
from flint import acb
from numpy.polynomial import chebyshev

from dalenius.enclosure.floats import UNIT
from dalenius.numerics import charfun, lawfamily
from dalenius.numerics.charfun import PUSHES, Ladder, Rung
from dalenius.numerics.cumulant import Cumulant
from dalenius.numerics.lawfamily import Cut, Expansion, LawFamily, family
from dalenius.numerics.yesno import RateSum
from numerics.checks import holds
from oracle import balls
from oracle import laws as lw

F = Fraction
LOST = 0.999 * UNIT  # what is lost when it is added to one


@dataclass
class Planted:
    """In place of a rung: whatever a test wants to be wrong."""

    values: np.ndarray = field(default_factory=lambda: np.zeros((1, 1)))
    bound: float = 0.0
    scaled: float = 1.0
    relative: float = 0.0
    spectrum: np.ndarray = field(default_factory=lambda: np.zeros(2, dtype=complex))
    spectrum_error: np.ndarray = field(default_factory=lambda: np.zeros(2))
    capped: float = 0.0
    dampened: float = 0.0
    alias: float = 0.0
    theta: float = 0.0
    length: int = 10
    first: int = 0

    @property
    def t(self) -> np.ndarray:
        return np.zeros(len(self.spectrum))

    @property
    def last(self) -> int:
        return self.first + self.values.shape[1] - 1

    def inverted(self, _: np.ndarray) -> tuple[np.ndarray, float]:
        return self.values, self.bound

    def cap(self, _: float) -> np.ndarray:
        return np.full(len(self.spectrum), self.capped)

    def damped(self, _: float) -> float:
        return self.dampened

    def scale(self) -> tuple[np.ndarray, float]:
        return np.full(self.values.shape[1], self.scaled), self.relative


# -- one rung -----------------------------------------------------------------------------------------------------


def one_mass(rung: Planted) -> tuple[Fraction, Fraction]:
    law = Ladder((rung,), 0.0, 0.0).law()  # type: ignore[arg-type]
    return F(law.mass[0].item()), F(law.error[0].item())


def test_a_scale_that_is_off_by_its_relative_error_is_forgiven() -> None:
    for sign in (-1, 1):
        mass, error = one_mass(Planted(np.array([[0.3]]), scaled=0.1, relative=1e-3))
        assert abs(mass - F(0.3) * F(0.1) * (1 + sign * F("0.999e-3"))) <= error
    mass, error = one_mass(Planted(bound=0.25, scaled=2.0, relative=0.5))
    assert F("0.75") <= mass + error


@pytest.mark.parametrize("seed", range(5))
def test_the_product_with_the_scale_is_rounded_and_may_vanish(seed: int) -> None:
    value, scale = np.random.default_rng(seed).uniform(0.1, 1, 2).tolist()
    mass, error = one_mass(Planted(np.array([[value]]), scaled=scale))
    assert abs(mass - F(value) * F(scale)) <= error
    mass, error = one_mass(Planted(np.array([[1e-200]]), scaled=1e-200))
    assert mass + error >= F("1e-400")


def bits(count: int) -> RateSum:
    return RateSum.of(np.full(count, 0.5), order=2)


def window(total: RateSum, **changes: object) -> charfun.LatticeWindow:
    place = charfun.Place(0.0, total.mean, math.sqrt(total.variance))
    return replace(charfun._plan(total, place, 0, total.high), **changes)


class Given(Cumulant):
    """A cumulant that answers with what it was given."""

    def __init__(self, values: np.ndarray, errors: np.ndarray) -> None:
        self.values, self.errors = values, errors
        self.low, self.high, self.mean, self.variance = 0, 4, 2.0, 1.0

    def at(self, _: np.ndarray, __: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.values, self.errors

    def decay(self, _: float) -> float:
        return 0.0


def filled(*, base: complex, values: Sequence[complex], errors: Sequence[float], **changes: object) -> Rung:
    """A rung made from these values of K, at theta and at its frequencies."""
    plan = window(bits(4), **{"length": 40, "frequencies": len(values), **changes})
    points = np.array([base] * PUSHES + list(values), dtype=complex)
    return charfun._filled(Given(points, np.array([errors[0]] * PUSHES + list(errors[1:]))), [plan])[0]


def test_the_scale_of_a_small_exponent_errs_like_an_exponential() -> None:
    rung = filled(base=0.0, values=[0.0], errors=[0.0, 0.0])
    for cumulant in np.random.default_rng(0).uniform(0, 1e-3, 50).tolist():
        values, relative = replace(rung, cumulant=cumulant).scale()
        exact = balls.exponential(F(cumulant))
        assert balls.lower(exact) <= F(values[0].item()) * (1 + F(relative))
        assert balls.upper(exact) >= F(values[0].item()) * (1 - F(relative))


@balls.precise
def test_the_scale_of_a_place_beyond_all_floats_counts_its_rounding() -> None:
    rung, rng = filled(base=0.0, values=[0.0], errors=[0.0, 0.0]), np.random.default_rng(0)
    for _ in range(300):
        theta, place = float(rng.uniform(1, 1.02)) * 2.0**-26, 2**53 + 1 + 2 * int(rng.integers(50))
        far = replace(rung, theta=theta, cumulant=theta * 2**53, first=place, last=place)
        values, relative = far.scale()
        truth = balls.exponential(F(far.cumulant) - F(theta) * place)
        assert balls.lower(truth) <= F(values[0].item()) * (1 + F(relative))
        assert balls.upper(truth) >= F(values[0].item()) * (1 - F(relative))


@pytest.mark.parametrize("frequencies", [1, 3])
@pytest.mark.parametrize("count", [1, 4])
def test_who_loses_a_record_loses_its_decay(count: int, frequencies: int) -> None:
    """|E exp(it(S - X))| of fair bits less one, at every frequency kept or left out of a rung of all of them."""
    total = bits(count)
    plan = replace(window(total, length=40), frequencies=frequencies)
    rung = charfun._filled(total, [plan])[0]
    size = np.abs(np.cos(np.arange(21) * math.pi / 40)) ** (count - 1)
    assert (size[:frequencies] <= rung.cap(0.25) * (1 + 1e-12)).all()
    assert 2 * size[frequencies:].sum() <= rung.damped(0.25)


def test_a_tilted_mass_above_one_raises_every_bound() -> None:
    """K(theta) is 0.4 too small, so everything relative to it is exp(0.4) times as large."""
    rung = filled(base=-0.4, values=[0.0, np.inf, np.inf], errors=[0.4, 0.4, np.inf, np.inf], decay=1.0)
    bound = math.exp(0.4) * np.exp(-2 * np.sin(np.arange(21) * math.pi / 40) ** 2)
    assert (rung.spectrum_error[1:] >= bound[1:3] * (1 - 1e-12)).all()
    assert (rung.cap(0.0) >= bound[:3] * (1 - 1e-12)).all()
    assert rung.damped(0.0) >= 2 * bound[3:].sum()


def test_a_value_that_only_its_angle_makes_useless_still_bounds_its_size() -> None:
    """The real part is known to 0.45; the angle is lost in a centre of 1e16."""
    rung = filled(base=0.0, values=[0.0, -1.0], errors=[0.0, 0.0, 0.45], decay=0.0, centre=10**16)
    assert rung.spectrum[1] == 0
    assert math.exp(-0.55) <= rung.spectrum_error[1] <= 1.0


@balls.precise
def _turned(real: Fraction, angle: Fraction) -> acb:
    return acb(balls.ball(real), balls.ball(angle)).exp()


@pytest.mark.parametrize("centre", [0, 10**9 + 7])
def test_the_turn_back_to_the_centre_is_charged_for_its_rounding(centre: int) -> None:
    t = 2 * math.pi / 40 * np.arange(12)
    values = [complex(7.3 - 0.01 * k, float(angle) * centre + 0.1 * k) for k, angle in enumerate(t)]
    rung = filled(base=7.3, values=values, errors=[0.0] * 13, centre=centre, decay=0.0)
    for k, value in enumerate(values):
        exact = _turned(F(value.real) - F(7.3), F(value.imag) - F(float(t[k])) * centre)
        found = complex(rung.spectrum[k])
        assert balls.lower(abs(exact - acb(found.real, found.imag))) <= F(rung.spectrum_error[k].item())


def exactly(number: Fraction) -> float:
    return math.exp(min(0.0, float(number)))


@pytest.mark.parametrize("far", [1, 10**15 + 1])
@pytest.mark.parametrize("error", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_folded_in_is_bounded_from_both_sides_with_all_errors(far: int, error: float, seed: int) -> None:
    """Values of K that are too small by their error, so large that products with them are rounded by a tenth."""
    total = RateSum.of(np.full(9, 0.3), order=2)
    total = replace(total, low=-(10**18), high=10**18)
    plan = window(total, theta=0.31, length=12, first=far, last=far + 4)
    tilts = [F(float(tilt)) for tilt in charfun.tilted_points(plan)[0][:PUSHES]]
    low, high = far + 4 - 11, far + 11
    ends = [F(0), *[high] * 6, *[low] * 6]
    rng = np.random.default_rng(seed)
    drop = [2 + F(float(x)) for x in rng.uniform(0, 3, PUSHES)]
    base = F(float(F(0.31) * far))
    true_k = [base + (tilt - F(0.31)) * end - more for tilt, end, more in zip(tilts, ends, drop, strict=True)]
    true_k[0] = base
    stored = np.array([float(k - F(error) * (i > 0)) for i, k in enumerate(true_k)])
    true_k = [F(s.item()) + F(error) * (i > 0) for i, s in enumerate(stored)]
    found = charfun.folded(total, plan, stored, np.array([0.0] + [error] * (PUSHES - 1)))
    sides = [
        min(exactly(true_k[i] - true_k[0] - (tilts[i] - F(0.31)) * ends[i]) for i in part)
        for part in (range(1, 7), range(7, 13))
    ]
    assert sum(sides) <= found


def test_where_no_tilt_is_known_everything_may_be_folded_in() -> None:
    plan = window(replace(bits(9), low=-50, high=50), length=4, first=3, last=5)
    nothing = np.array([0.0] + [np.inf] * (PUSHES - 1))
    with np.errstate(invalid="ignore"):
        assert charfun.folded(replace(bits(9), low=-50, high=50), plan, nothing, nothing) >= 2.0


@dataclass
class Flat:
    """In place of a cumulant: values of K, and what they may be wrong by."""

    value: float
    error: float

    def at(self, theta: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.value * theta + 0j, np.full(len(theta), self.error)


@pytest.mark.parametrize("seed", range(6))
def test_the_mass_beyond_a_rung_is_bounded_with_all_errors(seed: int) -> None:
    total = bits(4)
    plan = window(total, theta=0.7)
    assert charfun.beyond(Flat(-10.0, 0.5), plan, 0) >= math.exp(-7.7 + 0.5)  # type: ignore[arg-type]
    far = 10**15 + seed
    value = float(far - 5)
    found = charfun.beyond(Flat(value, 0.0), plan, far)  # type: ignore[arg-type]
    tilts = 0.7 * np.array([0.8, 0.9, 1.0, 1.1])
    assert min(exactly(F(float(value * x)) - F(float(x)) * far) for x in tilts) <= found


# -- families -----------------------------------------------------------------------------------------------------

ALONE = np.zeros((1, 2))


def made(rung: Planted, *, moved: float = 0.0, ends: tuple[float, float] = (0.0, 0.0), **parts: object) -> LawFamily:
    far = np.zeros(len(rung.spectrum), dtype=bool)
    whole: dict[str, object] = {"slip": np.zeros(len(far)), "far": far, "growth": 1.0, "less": 0.0, **parts}
    powers = np.zeros((len(rung.values), len(far)), dtype=complex)
    steps = Ladder((rung,), *ends)  # type: ignore[arg-type]
    return family(steps, lambda _: Expansion(powers, **whole), ALONE, moved=moved)  # type: ignore[arg-type]


SOME, FAR = np.array([0.0, 1e-3]), np.array([False, True])
SOURCES: list[tuple[Planted, dict[str, object], float]] = [
    (Planted(bound=1e-3, scaled=2.0), {}, 2e-3),
    (Planted(bound=1e-3, relative=0.5), {}, 1.5e-3),
    (Planted(spectrum=np.array([0.0, 0.5 + 0j])), {"slip": SOME}, 2 * 0.5e-3 / 10),
    (Planted(spectrum_error=np.array([0.0, 0.5])), {"slip": SOME}, 2 * 0.5e-3 / 10),
    (Planted(capped=0.25), {"far": FAR, "growth": 3.0}, 2 * 3 * 0.25 / 10),
    (Planted(dampened=0.25), {"growth": 3.0}, 3 * 0.25 / 10),
    (Planted(alias=0.25), {"growth": 3.0}, 3 * 0.25),
    (Planted(np.array([[0.5], [-0.25]]), relative=1e-3), {}, 0.75e-3),
    (Planted(np.array([[0.5], [-0.25]])), {}, 2 * 0.75 * UNIT),
    (Planted(), {}, 1e-300),
]


@pytest.mark.parametrize(("rung", "parts", "needed"), SOURCES)
def test_every_error_of_a_rung_reaches_its_family(rung: Planted, parts: dict[str, object], needed: float) -> None:
    laws = made(rung, **parts)
    for error in (laws.lower_error[0], laws.upper_error[0]):
        assert needed <= error <= 1.1 * needed + 20 * UNIT


def test_errors_and_roundings_add_up_along_a_family() -> None:
    laws = made(Planted(np.array([[1.0, *[LOST] * 3000]])))
    assert 1 + 3000 * F(LOST) - F(laws.lower[0, -1].item()) <= F(laws.lower_error[-1].item())
    laws = made(Planted(np.array([[*[LOST] * 3000, 1.0]])))
    assert 1 + 3000 * F(LOST) - F(laws.upper[0, 0].item()) <= F(laws.upper_error[0].item())
    laws = made(Planted(np.zeros((1, 5)), bound=0.01))
    assert min(laws.lower_error[-1], laws.upper_error[0]) >= 0.05


@pytest.mark.parametrize("ends", [(0.01, 0.0), (0.0, 0.01)])
def test_the_tails_of_a_family_grow_with_how_far_it_moves(ends: tuple[float, float]) -> None:
    assert made(Planted(theta=-0.5), moved=3.0, ends=ends).beyond >= 0.01 * math.exp(1.1 * 0.5 * 3)


def test_a_cell_may_bend_by_an_eighth_of_its_square() -> None:
    """A series of second derivative 1 rises by that much above a chord of width 1."""
    steps, none = Ladder((Planted(),), 0.0, 0.0), np.zeros(2)  # type: ignore[arg-type]
    powers = Expansion(np.zeros((1, 2), dtype=complex), none, none > 1, 1.0, 0.0)
    assert family(steps, lambda _: powers, np.array([[-0.5, 0.5]]), moved=0.0).gaps[0] >= 0.125


COINS = lw.binomial(4, F(1, 2))


def stored(signs: Sequence[int], size: Fraction, kept: range, *, beyond: float = 0.0) -> LawFamily:
    """Bin(4, 1/2) on some of its points; its sums are moved by `size`, up or down, and say so."""
    below = [sum((COINS[j] for j in kept if j <= k), F(0)) for k in kept]
    above = [sum((COINS[j] for j in kept if j >= k), F(0)) for k in kept]
    lower, upper = (
        np.array([[float(x + sign * size) for x, sign in zip(sums, signs, strict=False)]]) for sums in (below, above)
    )
    error = np.full(len(kept), float(size) * (1 + 1e-9) + 1e-16)
    return LawFamily(kept.start, lower, error, upper, error, beyond, ALONE, np.ones((2, 1)), np.zeros(1))


SIGNS = [(1, 1, 1, 1, 1), (-1, -1, -1, -1, -1), (1, -1, 1, -1, 1), (-1, 1, -1, 1, -1), (1, 1, -1, -1, 1)]


@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("epsilon", [F(0), F(1, 2), F(1), F(3)])
def test_sums_that_are_off_by_their_error_are_forgiven(signs: tuple[int, ...], epsilon: Fraction) -> None:
    truth = lw.both_ways(COINS, lw.shift(COINS, 1), epsilon)
    laws = stored(signs, F(1, 200), range(5))
    bracket, cut = laws.worst(epsilon)
    assert holds(bracket, truth)
    one, other = (COINS, lw.shift(COINS, 1)) if cut.below else (lw.shift(COINS, 1), COINS)
    for threshold in range(5):
        spoken, against = laws.odds(replace(cut, threshold=threshold))
        end = threshold if cut.below else threshold + 1
        inside = [k for k in range(6) if (k <= end if cut.below else k >= end)]
        assert F(spoken) <= sum(one.get(k, F(0)) for k in inside)
        assert sum(other.get(k, F(0)) for k in inside) <= F(against)


@pytest.mark.parametrize("kept", [range(1, 4), range(2, 5), range(3), range(4, 5)])
@pytest.mark.parametrize("epsilon", [F(0), F(1, 2), F(3), F(50)])
def test_mass_beyond_the_window_of_a_family_is_charged(kept: range, epsilon: Fraction) -> None:
    outside = sum(mass for k, mass in COINS.items() if k not in kept)
    laws = stored(SIGNS[0], F(0), kept, beyond=float(outside))
    assert holds(laws.worst(epsilon)[0], lw.both_ways(COINS, lw.shift(COINS, 1), epsilon))
    for threshold in kept:
        _, against = laws.odds(Cut(0.0, threshold, below=True))
        assert sum(mass for k, mass in COINS.items() if k + 1 <= threshold) <= F(against)


@pytest.mark.parametrize("epsilon", [F(1, 2), F(1)])
def test_an_exponential_known_roughly_widens_the_worst_of_a_family(
    epsilon: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = math.exp(float(epsilon))
    monkeypatch.setattr(lawfamily, "exponential", lambda _: (value * 0.98, value * 1.02))
    truth = lw.both_ways(COINS, lw.shift(COINS, 1), epsilon)
    bracket, _ = stored(SIGNS[0], F(0), range(5)).worst(epsilon)
    assert holds(bracket, truth)
    assert F(bracket.lower) <= balls.lower(truth) - F(1, 1000)


def exact_series(coefficients: np.ndarray, x: float) -> Fraction:
    before, now, total = F(1), F(x), F(float(coefficients[0]))
    for c in coefficients[1:].tolist():
        total, before, now = total + F(c) * now, now, 2 * F(x) * now - before
    return total


@pytest.mark.parametrize("seed", range(6))
def test_the_value_of_a_series_is_charged_for_its_rounding(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, coefficients = rng.uniform(-1, 1), np.concatenate([[1.0], rng.uniform(0, 0.1, 24)])
    cells = np.array([[x, x]])
    table = chebyshev.chebvander(cells.T.ravel(), 24)
    sums, none = coefficients[:, None], np.zeros(1)
    laws = LawFamily(0, sums, none, sums, none, 0.0, cells, table, none)
    truth = exact_series(coefficients, x)
    bracket, _ = laws._largest(coefficients, 0.0)
    assert F(bracket.lower) < truth < F(bracket.upper)
    assert F(laws.odds(Cut(x, 0, below=True))[0]) <= truth
    twice = LawFamily(0, np.hstack([sums, sums]), np.zeros(2), sums, none, 0.0, cells, table, none)
    assert min(truth, F(1)) <= F(twice.odds(Cut(x, 1, below=True))[1])


@pytest.mark.parametrize("factor", [1.0, 1.5, 4.0])
@pytest.mark.parametrize("seed", range(12))
def test_a_threshold_is_left_out_only_if_everybody_agrees(factor: float, seed: int) -> None:
    """At the first all members truly gain, at the last all truly lose, although the sums are off by their errors."""
    rng = np.random.default_rng(seed)
    exact = np.cumsum([float(lw.binomial(12, F(2, 5))[k]) for k in range(13)])
    bend = 0.02 * rng.uniform(-1, 1, 13) * (seed % 2)
    errors = np.full(13, 0.002)
    signs = rng.choice([-1, 1], 13)
    first, last = lawfamily._sure(np.array([exact + signs * errors, bend]), errors, factor, 0, 13)
    for x in (-1, 0, 1):
        terms = np.diff(exact + x * bend, prepend=[0.0])
        gains = terms - factor * np.concatenate([[0.0], terms[:-1]])
        assert first is None or gains[first] > 0
        assert last is None or gains[last] < 0
