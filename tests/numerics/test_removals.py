"""delta over simplices of removals: every bound holds for each whole removal, and each of its terms is needed."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from dalenius.enclosure.outward import exponential
from dalenius.numerics import tilts as tilting
from dalenius.numerics.law import Floats
from dalenius.numerics.removals import Removals, Vertex, _Seen
from dalenius.numerics.simplices import cover, halves, inside
from dalenius.numerics.tilts import Tilt, TiltedRecords, corners_of

EIGHTHS = ((4, 2, 2), (6, 1, 1), (1, 3, 4))  # chances of 0, 1, 2
COUNTS, SIZE = (14, 12, 10), 8
CORNERS = corners_of(COUNTS, SIZE)
EPSILONS = [Fraction(0), Fraction(3, 10), Fraction(2)]
SHIFTS = [1, -1, 2, -2]


def removals(shift: int, epsilon: Fraction, *, floor: float = 1e-30) -> Removals:
    steps = tuple(np.arange(3) for _ in EIGHTHS)
    records = TiltedRecords(steps, tuple(np.array(row) / 8 for row in EIGHTHS), np.array(COUNTS, dtype=float), SIZE)
    found = Removals.of(records, CORNERS, shift, epsilon, floor=floor)
    assert found is not None
    return found


@cache
def law(removal: tuple[int, ...]) -> list[Fraction]:
    total, scale = np.array([1], dtype=object), 1
    for row, count, taken in zip(EIGHTHS, COUNTS, removal, strict=True):
        for _ in range(count - taken):
            total, scale = np.convolve(total, np.array(row, dtype=object)), scale * 8
    return [Fraction(int(mass), scale) for mass in total]


def gains(removal: tuple[int, ...], shift: int, epsilon: Fraction) -> list[tuple[int, Fraction]]:
    """f(k) - e^epsilon f(k - shift), for every k that matters, to within rounding of e^epsilon."""
    masses, factor = law(removal), Fraction(exponential(epsilon)[1])
    mass = dict(enumerate(masses))
    return [
        (k, mass.get(k, Fraction(0)) - factor * mass.get(k - shift, Fraction(0))) for k in range(-2, len(masses) + 2)
    ]


def truth(removal: tuple[int, ...], shift: int, epsilon: Fraction) -> float:
    return float(sum(max(Fraction(0), gain) for _, gain in gains(removal, shift, epsilon))) * (1 - 1e-12)


def whole(simplex: tuple[Vertex, ...]) -> list[tuple[int, ...]]:
    """The whole removals in a simplex, its border included."""
    points = inside(simplex, COUNTS, SIZE)
    assert points is not None
    found = []
    for point in points:
        system = np.vstack([np.array(simplex).T, np.ones(len(simplex))])
        weights, *_ = np.linalg.lstsq(system, np.append(point, 1.0), rcond=None)
        if np.abs(system @ weights - np.append(point, 1.0)).max() < 1e-9 and weights.min() > -1e-9:
            found.append(tuple(int(r) for r in point))
    return found


def some_simplices(seed: int) -> list[tuple[Vertex, ...]]:
    """From the whole polytope down to a few records."""
    rng, found = np.random.default_rng(seed), []
    simplices = list(cover(COUNTS, SIZE))
    simplex = simplices[int(rng.integers(len(simplices)))]
    for _ in range(9):
        found.append(simplex)
        one, two = rng.choice(len(simplex), 2, replace=False).tolist()
        both = halves(simplex, (one, two))
        assert both
        simplex = both[int(rng.integers(2))]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("shift", SHIFTS)
def test_the_bound_of_a_simplex_holds_for_every_whole_removal_in_it(shift: int, epsilon: Fraction) -> None:
    family = removals(shift, epsilon)
    for simplex in [simplex for seed in range(3) for simplex in some_simplices(seed)]:
        bound = family.bound(simplex)
        for removal in whole(simplex):
            first, last = (int(a[0]) for a in family.offsets(np.array([removal], dtype=float)))
            assert truth(removal, shift, epsilon) <= max(bound.steps[first], bound.steps[last])


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("shift", SHIFTS)
def test_the_bound_of_a_single_removal_is_sharp(shift: int, epsilon: Fraction) -> None:
    family = removals(shift, epsilon)
    for removal in [(8, 0, 0), (3, 2, 3), (0, 0, 8)]:
        bound = family.bound([tuple(map(float, removal))])
        first, last = (int(a[0]) for a in family.offsets(np.array([removal], dtype=float)))
        assert min(bound.steps[first], bound.steps[last]) <= truth(removal, shift, epsilon) * 1.02 + 1e-10


def values(family: Removals, place: int, vertex: Vertex, *, top: float, fine: int) -> Floats:
    """What exp(theta y) H is relative to exp(top), at the tilt's cells."""
    tilt, away = family.tilts[place], np.array(vertex) - family.frame.middle
    return tilt.inverted(tilt.spectrum(away, top) * family.gaps[place], fine, 0)


def terms(family: Removals, place: int, simplex: tuple[Vertex, ...]) -> tuple[float, float, float, float]:
    """What _corrected charges: between removals, between places, lost; and relative to what."""
    tilt, parts = family.tilts[place], [family._vertex(vertex).parts[place] for vertex in simplex]
    top = max(part.scale for part in parts)
    moves = np.array([np.subtract(one, two) for one in simplex for two in simplex])
    plain = [part.grown(part.scale - top) for part in parts]
    forms, finer, lost = family._terms(place, tilt, plain, moves, tilt.slopes, tilt.theta)
    return float(forms.max()), finer, lost, top


@pytest.mark.slow
@pytest.mark.parametrize("shift", [1, -2])
def test_between_removals_a_law_rises_above_the_chord_by_what_is_charged_and_not_by_much_less(shift: int) -> None:
    family, shares = removals(shift, Fraction(3, 10)), []
    for simplex in some_simplices(1)[:6]:
        centre = tuple(np.mean(simplex, axis=0).tolist())
        for place in range(len(family.tilts)):
            between, _, _, top = terms(family, place, simplex)
            chord = np.mean([values(family, place, vertex, top=top, fine=2) for vertex in simplex], axis=0)
            rise = float((values(family, place, centre, top=top, fine=2) - chord).max())
            assert rise <= between + 1e-14
            shares.append(rise / between)
    assert max(shares) > 0.2


@pytest.mark.parametrize("shift", [1, -2])
def test_between_places_a_law_rises_above_the_chord_by_what_is_charged_and_not_by_much_less(shift: int) -> None:
    family, shares = replace(removals(shift, Fraction(3, 10)), fine=1, _seen={}), []
    vertex = (3.0, 2.5, 2.5)
    for place, tilt in enumerate(family.tilts):
        _, finer, _, top = terms(family, place, (vertex,))
        first, middle, last = values(family, place, vertex, top=top, fine=2)
        turn = np.exp(-tilt.theta / 2)
        rise = middle * turn - (first + last * turn**2) / 2  # all over exp(-theta y) at the left end of the cell
        assert float(rise.max()) <= finer * max(1.0, turn**2) + 1e-14
        shares.append(float(rise.max()) / finer)
    assert max(shares) > 0.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spare", "margin", "negligible"),
    [(8.0, 24, 48.0), (0.5, 0, 48.0), (0.0, -4, 48.0), (8.0, 24, 4.0), (8.0, 24, 1.0)],
)
def test_what_a_window_folds_in_and_leaves_out_is_charged(
    spare: float, margin: int, negligible: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a whole removal the inverse is the law, but for that."""
    monkeypatch.setattr(tilting, "SPARE", max(spare, 0.1))
    monkeypatch.setattr(tilting, "MARGIN", margin)
    monkeypatch.setattr(tilting, "NEGLIGIBLE", negligible)
    epsilon, worst = Fraction(3, 10), 0.0
    for shift in (1, -2):
        family = replace(removals(shift, epsilon), fine=64)
        for removal in [(8, 0, 0), (3, 2, 3), (0, 0, 8)]:
            point = np.array(removal, dtype=float)
            moved = family.frame.origin + float(family.frame.moved(point))
            for place, tilt in enumerate(family.tilts):
                _, _, lost, top = terms(family, place, (tuple(map(float, removal)),))
                for k, gain in gains(removal, shift, epsilon):
                    if tilt.first <= k - moved < tilt.last + 1:
                        exact = float(gain) * np.exp(tilt.theta * (k - moved) - top)
                        off = abs(_at(family, place, point, top, k - moved) - exact)
                        assert off <= lost + 1e-15
                        worst = max(worst, off / lost)
    assert worst > 1e-5 or (spare, negligible) == (8.0, 48.0)


def _at(family: Removals, place: int, point: Floats, top: float, y: float) -> float:
    tilt: Tilt = family.tilts[place]
    spectrum = tilt.spectrum(point - family.frame.middle, top) * family.gaps[place] * np.exp(-1j * tilt.t * y)
    ends = np.where((tilt.t == 0) | (2 * np.arange(len(tilt.t)) == tilt.length), 0.5, 1.0)
    return 2 * float((spectrum.real * ends).sum()) / tilt.length


@pytest.mark.parametrize("floor", [1e-1, 1e-3, 1e-9])
def test_mass_beyond_the_tilts_is_charged(floor: float) -> None:
    family = removals(1, Fraction(3, 10), floor=floor)
    for removal in [(8, 0, 0), (3, 2, 3), (0, 0, 8)]:
        moved = family.frame.origin + float(family.frame.moved(np.array(removal, dtype=float)))
        places = [(k - moved, mass) for k, mass in enumerate(law(removal))]
        below, above = family._vertex(tuple(map(float, removal))).tails.reshape(2, -1).min(axis=1)
        assert sum(mass for y, mass in places if y < family.tilts[0].first) <= np.exp(below)
        assert sum(mass for y, mass in places if y >= family.tilts[-1].last + 1) <= np.exp(above)
        assert np.exp(max(below, above)) <= 10 * floor


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("shift", SHIFTS)
def test_no_cell_is_closed_in_which_some_removal_gains(shift: int, epsilon: Fraction) -> None:
    family = removals(shift, epsilon)
    start, closed = family.tilts[0].first, 0
    for simplex in some_simplices(2):
        moves = np.array([np.subtract(one, two) for one in simplex for two in simplex])
        may = family._open([family._vertex(vertex) for vertex in simplex], moves)
        closed += int((~may).sum())
        for removal in whole(simplex):
            moved = family.frame.origin + float(family.frame.moved(np.array(removal, dtype=float)))
            cells = [int(np.floor(k - moved)) - start for k, gain in gains(removal, shift, epsilon) if gain > 0]
            assert all(may[cell] for cell in cells if 0 <= cell < len(may))
    assert closed > 0


@pytest.mark.parametrize("counts", [(5, 7), (3, 4, 9), (14, 12, 10), (2, 3, 4, 5), (6, 1, 1, 6)])
def test_simplices_cover_all_removals(counts: tuple[int, ...]) -> None:
    for size in range(1, sum(counts)):
        simplices = cover(counts, size)
        spread = [tuple(map(float, corner)) for corner in corners_of(counts, size)]
        points = inside(tuple(spread), counts, size)
        assert points is not None
        assert all(
            any(_holds(simplex, point) for simplex in simplices) for point in points[:: max(1, len(points) // 9)]
        )


def _holds(simplex: tuple[Vertex, ...], point: Floats) -> bool:
    system = np.vstack([np.array(simplex).T, np.ones(len(simplex))])
    weights, *_ = np.linalg.lstsq(system, np.append(point, 1.0), rcond=None)
    return bool(np.abs(system @ weights - np.append(point, 1.0)).max() < 1e-9 and weights.min() > -1e-9)


def test_a_bound_is_no_less_than_what_its_vertices_attain_at_either_end_of_a_step() -> None:
    family = removals(1, Fraction(3, 10))
    vertex = (3.0, 2.0, 3.0)
    sums = family._vertex(vertex).sums
    assert np.all(family.bound([vertex]).steps >= np.maximum(sums[:-1], sums[1:]))
    assert len(set(sums.tolist())) > 1


@pytest.mark.slow
@pytest.mark.parametrize("floor", [1e-1, 1e-2])
def test_what_is_gained_beyond_the_tilts_is_charged(floor: float) -> None:
    for shift in SHIFTS:
        family = removals(shift, Fraction(2), floor=floor)
        for removal in [(8, 0, 0), (3, 2, 3), (0, 0, 8)]:
            assert truth(removal, shift, Fraction(2)) <= family.bound([tuple(map(float, removal))]).most


def test_a_cell_in_which_the_vertices_are_hardly_negative_stays_open() -> None:
    family = removals(1, Fraction(3, 10))
    simplex = some_simplices(0)[0]
    hardly = [_with_peaks(family._vertex(vertex), -1e-12, None) for vertex in simplex]
    moves = np.array([np.subtract(one, two) for one in simplex for two in simplex])
    assert family._open(hardly, moves).all()


def test_a_cell_moves_with_its_removal() -> None:
    """One tilt alone sees one cell of its own in which something is gained: it is a cell of y for every vertex."""
    family = removals(1, Fraction(3, 10))
    simplex, start, closed = some_simplices(0)[0], family.tilts[0].first, 0
    moves = np.array([np.subtract(one, two) for one in simplex for two in simplex]) * 0
    for place, tilt in enumerate(family.tilts):
        cell = (tilt.first + tilt.last) // 2
        seen = [_with_peaks(family._vertex(vertex), 1.0, place) for vertex in simplex]
        for one in seen:
            one.parts[place].peaks[cell - tilt.first + tilt.reach] = 1.0
        may = family._open(seen, moves)
        homes = [int(np.floor(cell + 0.5 - one.parts[place].moved)) for one in seen]
        assert all(may[home - start] for home in homes if 0 <= home - start < len(may))
        closed += int((~may).sum())
    assert closed > 0


def _with_peaks(seen: _Seen, others: float, place: int | None) -> _Seen:
    """The same with this value in all cells; at one tilt, -1e9."""
    parts = [
        replace(part, peaks=np.full_like(part.peaks, -1e9 if i == place else others))
        for i, part in enumerate(seen.parts)
    ]
    return replace(seen, parts=tuple(parts))
