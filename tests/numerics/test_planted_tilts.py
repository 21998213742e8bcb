"""Spectra of sums without some records: each part of the error that they state, against exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb

from dalenius.enclosure.complexes import LOOSE
from dalenius.enclosure.linear import off_grid
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics import tilts as tilting
from dalenius.numerics.law import Floats
from dalenius.numerics.tilts import TiltedRecords, TiltFrame, chernoff
from oracle import balls

F = Fraction
COUNTS, SIZE = (7, 5, 9, 4), 6
CORNERS = tilting.corners_of(COUNTS, SIZE)
MIDDLE = CORNERS.mean(axis=0)
NOWHERE = TiltFrame(0, np.zeros(4), MIDDLE)
NONE = np.zeros(4)


def records() -> TiltedRecords:
    return TiltedRecords((np.arange(3),) * 4, (np.array([0.5, 0.25, 0.25]),) * 4, np.array(COUNTS, dtype=float), SIZE)


def removals() -> list[Floats]:
    """Corners, and what is between them."""
    weights = np.random.default_rng(1).dirichlet(np.ones(len(CORNERS)), 20)
    return [*CORNERS, *(weights @ CORNERS)]


def product(one: Complexes | Floats, two: Complexes | Floats) -> tuple[Fraction, Fraction]:
    """Of a real and a complex row, exactly."""
    pairs = list(zip(one.tolist(), two.tolist(), strict=True))
    return sum((F(a) * F(b.real) for a, b in pairs), F(0)), sum((F(a) * F(b.imag) for a, b in pairs), F(0))


def log_z(frame: TiltFrame, removal: Floats, w: complex, logs: Complexes) -> tuple[Fraction, Fraction]:
    """Σ (n - r) L - w (k0 + c·(r - r0)) of these floats."""
    real, imaginary = (
        sum((F(n) - F(r)) * F(part) for n, r, part in zip(COUNTS, removal.tolist(), parts, strict=True))
        for parts in (logs.real.tolist(), logs.imag.tolist())
    )
    move = F(frame.origin) + sum(
        F(c) * (F(r) - F(m)) for c, r, m in zip(frame.slopes.tolist(), removal.tolist(), MIDDLE.tolist(), strict=True)
    )
    return real - F(w.real) * move, imaginary - F(w.imag) * move


def far(truth: tuple[Fraction, Fraction], found: complex) -> Fraction:
    return max(abs(truth[0] - F(found.real)), abs(truth[1] - F(found.imag)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "origin", "slope"), [(1e3, 0, 0.0), (0.0, 10**9 + 7, 0.0), (0.0, 0, 1e3), (1.0, 77, 1.3)]
)
def test_the_logarithm_at_any_removal_is_charged_for_all_that_is_added_up(
    size: float, origin: int, slope: float
) -> None:
    """Each of its parts large by itself."""
    rng = np.random.default_rng(2)
    frame, shares = TiltFrame(origin, slope * rng.uniform(0.5, 1, 4), MIDDLE), [F(0)]
    w = 0.3 + 1j * rng.uniform(0, 3, 12)
    logs = size * (rng.uniform(-1, 1, (4, 12)) + 1j * rng.uniform(-1, 1, (4, 12)))
    base, slopes, error = tilting._linear(records(), frame, CORNERS, NONE, w, logs, np.zeros((4, 12)))
    for removal in removals():
        found = base + (removal - MIDDLE) @ slopes
        for j in range(12):
            off = far(log_z(frame, removal, complex(w[j]), logs[:, j]), complex(found[j]))
            assert off <= F(float(error[j]))
            shares.append(off / F(float(error[j])))
    assert max(shares) > F(1, 1000)


def test_errors_of_the_logarithms_count_once_for_each_record() -> None:
    errors = np.full((4, 3), 1e-3)
    *_, error = tilting._linear(records(), NOWHERE, CORNERS, NONE, np.ones(3, dtype=complex), 0j * errors, errors)
    assert error == pytest.approx(sum(COUNTS) * 1e-3, rel=1e-9)


@pytest.mark.parametrize(("size", "own"), [(1e6, 0.0), (0.0, 1e6)])
def test_a_slope_less_that_at_theta_and_moved_by_its_own_places_is_charged(size: float, own: float) -> None:
    """At theta a logarithm is large and elsewhere small; or places move far."""
    rng = np.random.default_rng(3)
    logs = np.column_stack([size * rng.uniform(0.5, 1, 4), rng.uniform(0, 1, 4)]).astype(complex)
    moved, t = own * rng.uniform(0.5, 1, 4), np.array([0.0, 0.7])
    _, slopes, error = tilting._linear(records(), NOWHERE, CORNERS, moved, 1j * t, logs, np.zeros((4, 2)))
    turned = slopes - slopes[:, :1] + 1j * np.multiply.outer(moved, t)
    seen = F(0)
    for one in removals():
        away = one - MIDDLE
        exact = product(away, logs[:, 0] - 0j), product(away, logs[:, 1]), product(away, moved)[0] * F(0.7)
        truth = exact[0][0] - exact[1][0], exact[0][1] - exact[1][1] + exact[2]
        off = far(truth, complex((away @ turned)[1]))
        place = abs(exact[2] - F(float(float(away @ moved) * 0.7)))
        assert max(off, place) <= F(float(error[1]))
        seen = max(seen, off, place)
    assert seen > F(1e-12)


@balls.precise
def _coin(t: arb, step: int) -> acb:
    """The logarithm of the transform of a fair coin that adds `step`."""
    return ((acb(0, 1) * t * step).exp() / 2 + acb("0.5")).log()


@balls.precise
def _grid(length: int, j: int) -> tuple[arb, arb]:
    """The frequency 2πj/N, and the float that stands for it."""
    return arb.pi() * 2 * j / length, arb(float((2 * math.pi / length * np.arange(length))[j]))


@balls.precise
def test_a_frequency_between_two_floats_is_charged_most_where_the_transform_nearly_vanishes() -> None:
    """cos(500 t) is small at some frequencies: its logarithm turns fast there."""
    step, length, worst = 1000, 4099, F(0)
    of = TiltedRecords((np.array([0, step]),), (np.array([0.5, 0.5]),), np.ones(1), 0)
    t = 2 * math.pi / length * np.arange(length // 2)
    logs, errors = of.cumulants(np.zeros(len(t)), t)
    error = off_grid(t, logs, of.most)
    for j in np.flatnonzero(errors[0] < LOOSE).tolist():
        exact, near = _grid(length, j)
        off = _coin(exact, step) - _coin(near, step)
        assert balls.lower(abs(off)) <= F(float(error[j]))
        worst = max(worst, balls.lower(abs(off)) / F(float(error[j])) if j else F(0))
    assert worst > F(1, 10)


TILTS = np.array([0.31, -0.7, 1.1])


def given(monkeypatch: pytest.MonkeyPatch, logs: Floats, errors: Floats) -> None:
    """Logarithms are from now on what is given here."""
    monkeypatch.setattr(TiltedRecords, "cumulants", lambda *_: (logs.astype(complex), errors))


@pytest.mark.parametrize(
    ("size", "origin", "slope", "edge", "kept"),
    [(1e6, 0, 0.0, 0, 0.0), (0.0, 10**9 + 7, 0.0, 0, 0.0), (0.0, 0, 1e6, 0, 0.0), (0.0, 0, 0.0, 10**9 + 7, 0.77)],
)
def test_a_chernoff_bound_is_above_the_exact_one_of_the_same_logarithms(
    size: float, origin: int, slope: float, edge: int, kept: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    logs, frame = size * rng.uniform(-1, 1, (4, 3)), TiltFrame(origin, slope * rng.uniform(0.5, 1, 4), MIDDLE)
    given(monkeypatch, logs, np.zeros((4, 3)))
    stays, edges = np.full(3, kept), np.full(3, float(edge))
    base, slopes = chernoff(records(), frame, CORNERS, TILTS, stays, edges)
    for removal in removals():
        found = base + (removal - MIDDLE) @ slopes
        for j, tilt in enumerate(TILTS.tolist()):
            truth = log_z(frame, removal, complex(tilt), logs[:, j].astype(complex))[0] - (F(tilt) - F(kept)) * edge
            assert truth <= F(float(found[j]))
            assert float(found[j]) - float(truth) <= 1e-5


def test_a_chernoff_bound_counts_the_errors_of_its_logarithms(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = np.full((4, 3), 1e-3)
    given(monkeypatch, 0 * errors, errors)
    base, slopes = chernoff(records(), NOWHERE, CORNERS, TILTS, 0 * TILTS, 0 * TILTS)
    for removal in removals():
        left = float(sum(COUNTS) - removal.sum())
        assert (base + (removal - MIDDLE) @ slopes >= left * 1e-3).all()


@pytest.mark.parametrize("error", [0.0, np.inf])
def test_where_a_logarithm_is_unknown_so_is_the_mass(error: float, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = np.full((4, 3), np.inf if error == 0 else 0.0)
    given(monkeypatch, logs, np.full((4, 3), error))
    with np.errstate(invalid="ignore"):
        base, slopes = chernoff(records(), NOWHERE, CORNERS, TILTS, 0 * TILTS, 0 * TILTS)
    assert (base == np.inf).all()
    assert (slopes == 0).all()


def test_where_a_logarithm_is_infinite_nothing_is_known() -> None:
    logs = np.array([[0.0, np.inf]] * 4).astype(complex)
    *_, error = tilting._linear(records(), NOWHERE, CORNERS, NONE, np.ones(2, dtype=complex), logs, np.zeros((4, 2)))
    assert error[0] < 1e-9
    assert error[1] == np.inf


def test_what_is_between_the_grid_and_its_floats_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tilting, "off_grid", lambda t, *_: np.full(len(t), 0.125))
    _, found = tilting.tilts(records(), CORNERS, -0.3, floor=1e-9, shift=1)
    assert all((tilt.error >= 0.125).all() for tilt in found)
