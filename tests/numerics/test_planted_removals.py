"""Bounds over simplices of removals whose ingredients are wrong by exactly what they say; and each unit of rounding."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb

from dalenius.enclosure import linear
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import FFT, UNIT
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics import removals as engine
from dalenius.numerics.law import Floats
from dalenius.numerics.removals import LOOK, Removals, _Part, _Seen
from dalenius.numerics.simplices import SimplexSearch, halves
from dalenius.numerics.tilts import Tilt, TiltedRecords, TiltFrame
from numerics.test_removals import _at, gains, removals, some_simplices, terms
from oracle import balls

F = Fraction
LEVEL = F(3, 10)
LOST = 0.999 * UNIT  # what is lost when it is added to one
RIGHT = TiltedRecords.cumulants
SOME = [(8, 0, 0), (3, 2, 3), (0, 0, 8)]


def planted(monkeypatch: pytest.MonkeyPatch, error: float, off: Callable[[Complexes], Complexes | float]) -> None:
    """Every logarithm is off by that, and says that it may be off by `error`."""

    def cumulants(self: TiltedRecords, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        logs, errors = RIGHT(self, theta, t)
        return logs + off(logs), errors + error

    monkeypatch.setattr(TiltedRecords, "cumulants", cumulants)


@pytest.mark.slow
@pytest.mark.parametrize("off", [1e-6, -1e-6])
def test_logarithms_that_are_off_by_their_error_are_forgiven(off: float, monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, 1e-6, lambda _: off)
    _forgiven(1)


@pytest.mark.slow
@pytest.mark.parametrize("turn", [1, -1, 1j])
def test_a_gap_that_is_off_by_its_error_is_forgiven(turn: complex, monkeypatch: pytest.MonkeyPatch) -> None:
    right = linear.expm1_complex

    def blurred(x: Floats, y: Floats) -> tuple[Complexes, Floats]:
        value, error = right(x, y)
        return value + 1e-6 * turn, error + 1e-6

    monkeypatch.setattr(linear, "expm1_complex", blurred)
    _forgiven(-2)


def _forgiven(shift: int) -> None:
    """At a whole removal the inverse is the law, but for what is lost."""
    family, worst = removals(shift, LEVEL), 0.0
    for removal in SOME:
        point = np.array(removal, dtype=float)
        moved = family.frame.origin + float(family.frame.moved(point))
        for place, tilt in enumerate(family.tilts):
            _, _, lost, top = terms(family, place, (tuple(map(float, removal)),))
            for k, gain in gains(removal, shift, LEVEL):
                if tilt.first <= k - moved < tilt.last + 1:
                    exact = float(gain) * np.exp(tilt.theta * (k - moved) - top)
                    off = abs(_at(family, place, point, top, k - moved) - exact)
                    assert off <= lost
                    worst = max(worst, off)
    assert worst > 1e-9


def test_the_size_of_a_spectrum_counts_what_it_may_be_off_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """All logarithms too small by a thousandth: 28 of them are left."""
    right = removals(1, LEVEL)
    planted(monkeypatch, 1e-6, lambda _: -1e-6)
    family = removals(1, LEVEL)
    for vertex in [tuple(map(float, removal)) for removal in SOME]:
        for one, two in zip(family._vertex(vertex).parts, right._vertex(vertex).parts, strict=True):
            true_size = two.size * math.exp(two.scale - one.scale) * (1 - 1e-9)
            assert (one.size >= true_size).all()
            assert one.whole >= math.exp(28e-6) * (1 - 1e-9)


def test_slopes_that_are_too_gentle_by_their_error_are_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    """The logarithms of two types are moved towards each other: trading one for the other seems to cost less."""
    simplex = ((8.0, 0.0, 0.0), (0.0, 8.0, 0.0))
    right = removals(1, LEVEL)
    costs = [terms(right, place, simplex)[0] for place in range(len(right.tilts))]

    def nearer(logs: Complexes) -> Complexes:
        gap = logs[1] - logs[0]
        step = 2e-6 * np.where(np.abs(gap) > 0, gap / np.maximum(np.abs(gap), 1e-300), 0.0)
        return np.array([step, -step, 0 * step])

    planted(monkeypatch, 2e-6, nearer)
    family = removals(1, LEVEL)
    for place, cost in enumerate(costs):
        tilt, parts = family.tilts[place], [right._vertex(vertex).parts[place] for vertex in simplex]
        top = max(part.scale for part in parts)
        plain, moves = [part.grown(part.scale - top) for part in parts], np.array([np.subtract(*simplex)])
        forms, *_ = family._terms(place, tilt, plain, moves, tilt.slopes, tilt.theta)
        assert float(forms[0]) >= cost * (1 - 1e-9)


# -- the gap ------------------------------------------------------------------------------------------------------


@balls.precise
def _exact_gap(epsilon: Fraction, theta: float, length: int, j: int, shift: int) -> acb:
    w = acb(balls.ball(F(theta)), arb.pi() * 2 * j / length)
    return 1 - (balls.ball(epsilon) + w * shift).exp()


@balls.precise
def _distance(truth: acb, found: complex) -> Fraction:
    return balls.lower(abs(truth - acb(found.real, found.imag)))


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "theta", "shift"), [("1/3", -1e-4, 997), ("300.1", 0.1, 3), ("0", 0.3, -1)])
def test_the_gap_is_charged_for_the_rounding_of_its_argument(epsilon: str, theta: float, shift: int) -> None:
    tilt, length = removals(1, LEVEL).tilts[0], 9973
    for more in range(8):
        level = F(epsilon) + F(more, 97)
        tilt = replace(tilt, theta=theta, t=2 * math.pi / length * np.arange(4000))
        values, errors = linear.one_less(float(level + F(theta) * shift), tilt.t, shift)
        for j in range(0, 4000, 211):
            off = _distance(_exact_gap(level, theta, length, j, shift), complex(values[j]))
            assert off <= F(float(errors[j]))


@pytest.mark.slow
@pytest.mark.parametrize("shift", [1, -1, 2, -2])
def test_what_is_folded_in_may_count_with_both_of_its_laws(shift: int) -> None:
    """|1 - exp(epsilon + ws)| reaches 1 + exp(epsilon + theta s) where ws turns by half."""
    family = removals(shift, F(2))
    for tilt, jump in zip(family.tilts, family.jumps, strict=True):
        assert jump >= (1 + math.exp(2 + tilt.theta * shift)) * (1 - 1e-12)


# -- one vertex ---------------------------------------------------------------------------------------------------


def test_the_error_of_an_inverse_counts_its_terms_and_its_transform() -> None:
    """Three exponentials of eight units, and some forty more of products and arguments; then the FFT, in its norm."""
    family = removals(1, LEVEL)
    for place, tilt in enumerate(family.tilts):
        away = np.array([3.0, 2.0, 3.0]) - family.frame.middle
        part, _ = family._inverted(place, tilt, away)
        values = tilt.spectrum(away, part.scale) * family.gaps[place]
        terms_off = 2 * 63 * UNIT * float(np.abs(values).sum()) / tilt.length
        inverse = tilt.inverted(values, 1, 0)[0]
        norm = float(np.linalg.norm(np.fft.irfft(np.pad(values, (0, tilt.length // 2 + 1 - len(values))), tilt.length)))
        assert norm >= float(np.linalg.norm(inverse)) * (1 - 1e-9)
        assert part.error >= terms_off + FFT * math.log2(tilt.length) * UNIT * norm


@balls.precise
def _summed(tilt: Tilt, scale: float, row: Floats, part: Fraction) -> Fraction:
    """The sum of exp(scale - theta y) max(0, value), y = first + part .. last + part."""
    total, theta = arb(0), balls.ball(F(tilt.theta))
    for k, value in zip(range(tilt.first, tilt.last + 1), row.tolist(), strict=True):
        if value > 0:
            total += (balls.ball(F(scale)) - theta * balls.ball(k + part)).exp() * arb(value)
    return balls.lower(total)


def _plain(tilt: Tilt, away: Floats) -> Tilt:
    """Nothing is tilted, and Z(theta) is one at this removal."""
    return replace(tilt, theta=0.0, base=tilt.base - tilt.base[0].real - away @ tilt.slopes[:, 0].real)


def _moved(tilt: Tilt, far: int) -> Tilt:
    return replace(tilt, first=tilt.first + far, last=tilt.last + far)


FARTHER: list[Callable[[Tilt, Floats], Tilt]] = [
    lambda tilt, _: tilt,
    _plain,
    lambda tilt, _: _moved(replace(tilt, base=tilt.base + tilt.theta * (10**7 + 3)), 10**7 + 3),
    lambda tilt, _: _moved(tilt, int(600 / tilt.theta)),
]


@pytest.mark.slow
@pytest.mark.parametrize("changed", FARTHER)
def test_the_sum_over_places_is_no_less_than_the_exact_one(changed: Callable[[Tilt, Floats], Tilt]) -> None:
    """Also of places far away, where exponents are large, and their rounding with them."""
    family, seen = removals(1, LEVEL), 0
    away = np.array([3.0, 2.0, 3.0]) - family.frame.middle
    for place, one in enumerate(family.tilts):
        tilt = changed(one, away)
        part, sums = family._inverted(place, tilt, away)
        values = tilt.inverted(tilt.spectrum(away, part.scale) * family.gaps[place], family.fine, 0)
        for a in range(0, family.fine + 1, 3):
            exact = _summed(tilt, part.scale, values[a], F(a, family.fine))
            assert exact <= F(float(sums[a]))
            seen += exact > 0
    assert seen > 100


# -- a simplex ----------------------------------------------------------------------------------------------------


def _only(family: Removals, **changes: object) -> Removals:
    """With one tilt, which answers for a single cell at which exp(-theta y) is one."""
    tilt = replace(family.tilts[0], first=0, last=0, **changes)
    return replace(family, tilts=(tilt,), gaps=family.gaps[:1], gap_errors=family.gap_errors[:1], _seen={})


def test_corrections_are_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """One and two halves of a unit of it are more than one."""
    family = _only(removals(1, LEVEL), theta=0.0)
    monkeypatch.setattr(Removals, "_terms", lambda *_: (np.ones(1) / 4, LOST / 4, LOST / 4))
    monkeypatch.setattr(Removals, "_open", lambda *_: np.ones(1, dtype=bool))
    part = _Part(0.0, np.zeros(1), np.zeros(1), 0.0, np.zeros(8), 1.0, 0.0)
    family._seen[0.0, 0.0, 0.0] = _Seen(np.zeros(family.fine + 1), (part,), np.full(8, -1e9))
    assert F(family.bound([(0.0, 0.0, 0.0)]).most) >= (1 + 2 * F(LOST)) / 4


def test_a_cell_that_only_rounding_closes_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    family = _only(removals(1, LEVEL))
    monkeypatch.setattr(Removals, "_terms", lambda *_: (np.ones(1), LOST * (LOOK / family.fine) ** 2, LOST))
    tilt = family.tilts[0]
    part = _Part(0.0, np.zeros(1), np.full(1 + 2 * tilt.reach, -1.0), 0.0, np.zeros(8), 1.0, 0.0)
    seen = _Seen(np.zeros(1), (part,), np.zeros(8))
    assert family._open([seen], np.zeros((1, 3))).all()


def test_a_cell_is_looked_at_in_fewer_places_and_charged_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between J places the curve hides 1/(8J²) of its curvature, between `LOOK` of them 1/(8 LOOK²)."""
    family = _only(removals(1, LEVEL))
    monkeypatch.setattr(Removals, "_terms", lambda *_: (np.zeros(1), 1.0, 0.0))
    needed = (family.fine / LOOK) ** 2
    assert needed > 4
    tilt = family.tilts[0]
    part = _Part(0.0, np.zeros(1), np.full(1 + 2 * tilt.reach, -0.999 * needed), 0.0, np.zeros(8), 1.0, 0.0)
    assert family._open([_Seen(np.zeros(1), (part,), np.zeros(8))], np.zeros((1, 3))).all()


@pytest.mark.parametrize("given", [(0.0, 1.0), (1.0, 0.0)])
def test_a_cell_that_what_is_lost_may_open_is_open(given: tuple[float, float], monkeypatch: pytest.MonkeyPatch) -> None:
    family = _only(removals(1, LEVEL))
    monkeypatch.setattr(Removals, "_terms", lambda *_: (np.full(1, given[0]), 0.0, given[1]))
    part = _Part(0.0, np.zeros(1), np.full(1 + 2 * family.tilts[0].reach, -0.999), 0.0, np.zeros(8), 1.0, 0.0)
    assert family._open([_Seen(np.zeros(1), (part,), np.zeros(8))], np.zeros((1, 3))).all()


@pytest.mark.parametrize("way", [-1, 1])
def test_how_far_a_cell_moves_is_rounded_outwards(way: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It moves by one place, up to rounding, and something is gained in the cell that it only touches."""
    family = _only(removals(1, LEVEL))
    monkeypatch.setattr(Removals, "_terms", lambda *_: (np.zeros(1), 0.0, 0.0))
    tilt = family.tilts[0]
    peaks = np.full(1 + 2 * tilt.reach, -1.0)
    peaks[tilt.reach + 1 + way] = 1.0
    part = _Part(0.0, np.zeros(1), peaks, 0.0, np.zeros(8), 1.0, 1.0)
    assert family._open([_Seen(np.zeros(1), (part,), np.zeros(8))], np.zeros((1, 3))).all()


@pytest.mark.parametrize("given", [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)])
@pytest.mark.parametrize("theta", [-0.7, 0.7])
def test_a_cell_counts_by_its_higher_end(
    theta: float, given: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    family = _only(removals(1, LEVEL), theta=theta)
    monkeypatch.setattr(Removals, "_terms", lambda *_: (np.full(1, given[0]), *given[1:]))
    part = _Part(0.0, np.zeros(1), np.zeros(1), 0.0, np.zeros(8), 1.0, 0.0)
    more, _ = family._corrected(0, family.tilts[0], [part], np.zeros((1, 3)), np.ones(1, dtype=bool))
    assert more >= max(1.0, math.exp(-theta)) * (1 - 1e-12)


def test_what_is_known_of_a_vertex_grows_with_what_it_is_relative_to() -> None:
    part = _Part(0.0, np.ones(1), np.ones(1), 1.0, np.zeros(1), 1.0, 0.0).grown(1.0)
    assert [float(part.size[0]), part.error, part.whole] == pytest.approx([math.e] * 3, rel=1e-12)
    assert part.folded[0] == 1.0


def test_a_bound_that_is_no_number_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    family = removals(1, LEVEL)
    monkeypatch.setattr(Removals, "_corrected", lambda *_: (math.nan, np.zeros(3)))
    assert family.bound(some_simplices(0)[0]).most == 1.0


@pytest.mark.slow
def test_the_step_of_a_removal_at_a_border_is_both_of_its_neighbours() -> None:
    """Places c·(r - r0) that are a multiple of 1/J but for rounding."""
    family, missed = removals(1, LEVEL), 0
    for first in range(1, 40):
        slopes = np.array([first / 10 / family.fine, 0.3 / family.fine, 0.7 / family.fine])
        moved = replace(family, frame=TiltFrame(0, slopes, np.zeros(3)))
        points = np.array([[a, b, c] for a in range(5) for b in range(5) for c in range(5)], dtype=float)
        steps = np.column_stack(moved.offsets(points))
        for point, (one, two) in zip(points.tolist(), steps.tolist(), strict=True):
            place = -sum(F(c) * F(r) for c, r in zip(slopes.tolist(), point, strict=True))
            step = math.floor((place - math.floor(place)) * family.fine)
            assert step in (one, two)
            missed += one != two
    assert missed > 0


def test_every_frequency_counts_twice_and_with_the_error_of_its_gap() -> None:
    """Where the gap is known to be small and nothing else; both signs of a frequency count."""
    family = removals(1, LEVEL)
    tilt = family.tilts[0]
    none = replace(family, gaps=(0 * family.gaps[0],), gap_errors=(np.full(len(tilt.t), 1e-3),))
    part = _Part(0.0, np.ones(len(tilt.t)), np.zeros(1), 0.0, np.full(8, -np.inf), 0.0, 0.0)
    moves = np.array([[1.0, -1.0, 0.0]])
    forms, finer, lost = none._terms(0, tilt, [part, part], moves, tilt.slopes, 0.5)
    each = 2e-3 / tilt.length
    assert forms[0] >= each / 8 * float((np.abs(moves @ tilt.slopes) ** 2).sum()) * (1 - 1e-12)
    assert finer >= each / (8 * family.fine**2) * float((0.25 + tilt.t**2).sum()) * (1 - 1e-12)
    assert lost == 0.0


def test_what_is_lost_counts_with_both_laws_and_with_all_of_the_tilted_mass() -> None:
    family = removals(1, LEVEL)
    tilt = replace(family.tilts[0], rest=0.5)
    for fold, whole in ((0.0, 3.0), (0.25, 0.0)):
        with np.errstate(divide="ignore"):
            part = _Part(0.0, np.zeros(len(tilt.t)), np.zeros(1), 0.0, np.full(8, np.log(fold)), whole, 0.0)
        *_, lost = family._terms(0, tilt, [part], np.zeros((1, 3)), tilt.slopes, 0.5)
        assert lost >= family.jumps[0] * (2 * fold + whole * 0.5 / tilt.length) * (1 - 1e-12)
        *_, lost = family._terms(0, tilt, [part, replace(part, error=9.0)], np.zeros((1, 3)), tilt.slopes, 0.5)
        assert lost >= 9.0


def test_frequencies_that_are_not_known_are_left_out_and_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both signs of those above one half."""
    right = removals(1, LEVEL)

    def cumulants(self: TiltedRecords, theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
        logs, errors = RIGHT(self, theta, t)
        return logs, np.where(t > 0.5, np.inf, errors)

    monkeypatch.setattr(TiltedRecords, "cumulants", cumulants)
    for one, two in zip(removals(1, LEVEL).tilts, right.tilts, strict=True):
        assert one.usable.tolist() == (one.t <= 0.5).tolist()
        for removal in SOME:
            sizes = np.abs(two.spectrum(np.array(removal) - right.frame.middle, 0.0))
            assert one.rest >= 2 * float(sizes[~one.usable].sum() / sizes[0]) * (1 - 1e-9)


# -- halving ------------------------------------------------------------------------------------------------------


def test_an_edge_is_halved_exactly_or_not_at_all() -> None:
    near = 1.0 + 2 * UNIT
    assert halves(((1.0, 3.0), (near, 2.0)), (1, 0)) == ()
    both = halves(((1.0, 3.0), (0.25, 2.0)), (1, 0))
    assert both == (((1.0, 3.0), (0.625, 2.5)), ((0.625, 2.5), (0.25, 2.0)))


def test_a_search_that_cannot_halve_any_further_keeps_its_bound() -> None:
    search = SimplexSearch((3, 3), 2, lambda _: Bracket(0.1, 0.1), budget=10**6, few=0)
    steps = np.full(1, 0.5)
    search.run(lambda _: engine.Bound(steps, (1, 0)), lambda points: (np.zeros(len(points)),) * 2)
    assert search.upper == 0.5
    assert search.left > 0


@pytest.mark.parametrize("turned", [False, True])
def test_a_removal_at_a_border_counts_by_the_larger_of_its_bounds(turned: bool) -> None:
    search = SimplexSearch((3, 3), 2, lambda _: Bracket(0.1, 0.1), budget=0, few=0)
    steps = np.array([0.2, 0.6])
    search.run(
        lambda _: engine.Bound(steps[::-1] if turned else steps, (1, 0)),
        lambda points: (np.zeros(len(points)), np.ones(len(points))),
    )
    assert search.upper == 0.6
