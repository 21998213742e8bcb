"""Laws of sums over wide ranges, against the law by its points: containment and tightness, with hidden lattices."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.enclosure.floats import UNIT
from dalenius.numerics.charfun import LatticeWindow
from dalenius.numerics.resonance import Tilted, cover, lattice_of, span_of, spare
from dalenius.numerics.runs import Runs, RunSum
from dalenius.numerics.wide import WideLaw, _spectrum, wide_law
from dalenius.numerics.widecurve import WideShifts, weights

F = Fraction
Run = tuple[int, int, int, F]
PLAIN: list[Run] = [(0, 1, 500, F(1, 2)), (500, 1, 700, F(1, 3)), (1200, 1, 801, F(1, 6))]


def soft(odd: F, step: int = 10) -> list[Run]:
    """Mostly multiples of the step, with a part of odd values."""
    coarse = [(0, step, 50, F(1, 2)), (500, step, 70, F(1, 3)), (1200, step, 81, F(1, 6))]
    return [*((a, s, m, w * (1 - odd)) for a, s, m, w in coarse), (0, 1, 2001, odd)]


def masses(runs: Sequence[Run]) -> np.ndarray:
    found = np.zeros(max(a + s * (m - 1) for a, s, m, _ in runs) + 1)
    for a, s, m, w in runs:
        found[a : a + s * m : s] += float(w) / m
    return found


def listed(runs: Sequence[Run], n: int, theta: float = 0.0) -> np.ndarray:
    """The law of the sum of n records, by one long FFT: good to about 1e-16 in absolute terms."""
    one = masses(runs)
    size = 1 << math.ceil(math.log2(len(one) * n))
    return np.maximum(np.fft.irfft(np.fft.rfft(one, size) ** n, size), 0.0)


def sticks(law: np.ndarray, shifts: Sequence[int], epsilon: float) -> float:
    worst = 0.0
    for shift in shifts:
        p, q = np.pad(law, (0, shift)), np.pad(law, (shift, 0))
        worst = max(worst, *(np.maximum(a - math.exp(epsilon) * b, 0.0).sum() for a, b in ((p, q), (q, p))))
    return worst


def law_of(runs: Sequence[Run], n: int, **more: int) -> WideLaw:
    types, chances = [Runs.of(runs)], [[run[3] for run in runs]]
    law = wide_law(types, chances, [n], lattice_of(types, chances, [n]), **more)
    assert law is not None
    return law


WORLDS = {"plain": PLAIN, "a little odd": soft(F(1, 100)), "odd": soft(F(1, 20)), "step 4": soft(F(1, 300), 4)}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_masses_are_within_their_errors(name: str) -> None:
    law, truth = law_of(WORLDS[name], 300), listed(WORLDS[name], 300)
    v, x = law.at(0, 0), law.nodes()
    inside = (x >= 0) & (x < len(truth))
    on = v.left + (law.q * law.at(0, 1).left if law.lattice else 0)
    error = v.left_error + (law.q * law.at(0, 1).left_error if law.lattice else 0)
    assert np.all(np.abs(on - truth[x.clip(0, len(truth) - 1)])[inside] <= error[inside] + 1e-15)
    if law.q == 1:
        assert law.rungs[0].errors[0] < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("plain", 1.04), ("a little odd", 1.2), ("odd", 1.04), ("step 4", 1.4)])
def test_delta_holds_the_truth(name: str, most: float) -> None:
    law, truth = law_of(WORLDS[name], 300, fine=200), listed(WORLDS[name], 300)
    for shift, epsilon in ((7, 0.0), (7, 0.1), (100, 0.0), (1501, 0.0), (1501, 0.5)):
        found = WideShifts(law, shift).delta(F(str(epsilon)))
        exact = sticks(truth, range(1, shift + 1) if shift < 10 else (shift - 1, shift), epsilon)
        assert found.lower <= exact + 1e-12
        assert exact <= found.upper + 1e-12
        assert found.upper <= most * found.lower + 1e-9


@pytest.mark.slow
def test_a_law_of_two_humps() -> None:
    """A rare bracket far away: the law rises and falls twice; ranges of shifts are cut instead."""
    runs: list[Run] = [(0, 1, 1000, F(998, 1000)), (20_000, 1, 1000, F(2, 1000))]
    law, truth = law_of(runs, 200, fine=60), listed(runs, 200)
    for shift, epsilon in ((40, 0.0), (40, 0.1), (4000, 0.5)):
        found = WideShifts(law, shift).delta(F(str(epsilon)))
        exact = sticks(truth, (shift,), epsilon)
        assert found.lower <= exact + 1e-12
        assert exact <= found.upper + 1e-12
        assert epsilon == 0 or found.upper <= 1.3 * exact + 1e-7


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.integers(0, 400), st.sampled_from([1, 1, 2, 5, 6]), st.integers(1, 60), st.integers(1, 9)),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 400),
    st.integers(0, 60),
    st.sampled_from([0.0, 0.05, 0.5]),
)
@settings(max_examples=12, deadline=None)
def test_any_runs(parts: list[tuple[int, int, int, int]], odd: int, shift: int, epsilon: float) -> None:
    whole = sum(weight for *_, weight in parts) + F(odd, 100)
    runs = [(a, s, m, F(w) / whole) for a, s, m, w in parts] + [(0, 1, 300, F(odd, 100) / whole)]
    types, chances = [Runs.of(runs)], [[run[3] for run in runs]]
    law = wide_law(types, chances, [200], lattice_of(types, chances, [200]), fine=60)
    if law is None or not shift:
        return
    found, exact = (
        WideShifts(law, shift).delta(F(str(epsilon))),
        sticks(listed(runs, 200), range(1, shift + 1), epsilon),
    )
    assert found.lower <= exact + 1e-11
    assert exact <= found.upper + 1e-11


def transform(runs: Sequence[Run], w: complex, base: int) -> complex:
    """E exp(w(X - base)) - 1, by its points."""
    at = np.concatenate([a + s * np.arange(m) - base for a, s, m, _ in runs])
    chance = np.concatenate([np.full(m, float(weight) / m) for *_, m, weight in runs])
    return complex((chance * np.expm1(w * at.astype(complex))).sum())


@pytest.mark.parametrize("step", [1, 7])
def test_the_closed_form(step: int) -> None:
    runs = [(3, step, 40, F(1, 4)), (200, step, 1, F(1, 4)), (150, step, 300, F(1, 2))]
    t = np.concatenate([[0.0], np.geomspace(1e-6, 3.1, 40), [2 * math.pi / 7]])
    for theta in (0.0, 1e-3, -2e-2):
        found, error = Runs.of(runs).grown(np.full(len(t), theta), t, 170)
        truth = np.array([transform(runs, complex(theta, each), 170) for each in t])
        assert np.all(np.abs(found - truth) <= error + 1e-12 * np.abs(truth) + 1e-17)
        assert theta or np.all(error[1:10] <= 1e-12 * np.abs(truth[1:10]) + 1e-19)


@pytest.mark.slow
@given(st.floats(1e-4, 3.1), st.floats(1e-5, 0.3), st.sampled_from([0.0, 1e-3, -3e-3]))
@settings(max_examples=30, deadline=None)
def test_between_frequencies(low: float, wide: float, theta: float) -> None:
    runs = [(0, 6, 80, F(3, 4)), (5, 1, 400, F(1, 8)), (480, 15, 20, F(1, 8))]
    one, high = Tilted.of(Runs.of(runs), theta), min(low + wide, math.pi)
    t = np.linspace(low, high, 41)
    base = transform(runs, complex(theta), 0) + 1
    truth = max(abs(transform(runs, complex(theta, each), 0) + 1) / abs(base) for each in t)
    ends, edges = np.array([low]), np.array([high])
    assert truth <= one.incoherent(ends, edges)[0] * (1 + 1e-12)
    sizes = one.sizes(np.array([low, high]))
    assert truth <= one.between(ends, edges, np.array([sizes.max()]))[0] * (1 + 1e-12)
    cells = cover([one], np.array([50.0]), low, high)
    assert np.isclose((cells.high - cells.low).sum(), high - low)
    some = slice(None, None, max(1, len(cells.low) // 40))
    for a, b, bound in zip(cells.low[some], cells.high[some], cells.bounds[0][some], strict=True):
        assert all(
            abs(transform(runs, complex(theta, x), 0) + 1) / abs(base) <= bound * (1 + 1e-12)
            for x in (a, (a + b) / 2, b)
        )


@pytest.mark.parametrize("odd", [F(1, 100), F(1, 5)])
@pytest.mark.parametrize("theta", [0.0, 2e-4])
def test_all_that_is_left_out_is_charged(odd: F, theta: float) -> None:
    runs, n, length, kept = soft(odd), 300, 12_000, 9
    types, chances = [Runs.of(runs)], [[run[3] for run in runs]]
    lattice = lattice_of(types, chances, [n])
    assert lattice is not None and lattice.q == 10
    law = masses(runs) * np.exp(theta * np.arange(2001))
    part = masses([(a, s, m, w if s == 10 else F(0)) for a, s, m, w in runs]) * np.exp(theta * np.arange(2001))
    whole, inner = (np.fft.fft(one / law.sum(), length) ** n for one in (law, part))
    left = np.ones(length, dtype=bool)
    left[: kept + 1] = left[length - kept :] = False
    found = spare(types, [n], theta, length=length, kept=kept, lattice=lattice)
    rest = np.abs(whole - inner)
    band = np.minimum(np.arange(length) % 1200, 1200 - np.arange(length) % 1200) <= kept
    assert rest[left & band].sum() <= found.bands * (1 + 1e-9) <= 30 * rest[left & band].sum() + 1e-9
    assert rest[left & ~band].sum() <= found.rest * (1 + 1e-9)
    first = np.abs(inner)[kept + 1 : 601].sum() + np.abs(inner)[length - 600 : length - kept].sum()
    assert first <= found.part * (1 + 1e-9)


def test_lattices_are_found() -> None:
    runs = soft(F(1, 50))
    types, chances = [Runs.of(runs)], [[run[3] for run in runs]]
    found = lattice_of(types, chances, [10])
    assert found is not None
    assert (found.q, found.remainders, found.shares) == (10, (0,), (F(49, 50),))
    assert math.isclose(math.exp(found.logarithm([10])), 0.98**10)
    assert span_of(types) == 1
    assert span_of([Runs.of([(3, 10, 5, F(1, 2)), (13, 15, 4, F(1, 2))])]) == 5
    assert span_of([Runs.of([(3, 1, 1, F(1))])]) == 0
    assert lattice_of([Runs.of(PLAIN)], [[run[3] for run in PLAIN]], [10]) is None
    points = [(20 * i + 7, 1, 1, F(1, 10)) for i in range(10)]
    mixed = lattice_of([Runs.of(points)], [[run[3] for run in points]], [3])
    assert mixed is not None and mixed.q % 20 == 0


def test_weights_of_a_chord() -> None:
    law = law_of(soft(F(1, 100)), 300, fine=20)
    assert law.cell % 10 == 0 and law.cell > 10
    for shift in (3, 27, 30):
        line = lambda k: 2.0 + 3.0 * k / law.cell  # noqa: E731  # a chord
        kinds = [0.0, 0.0, 0.0]
        for k in range(law.cell):
            kinds[0 if k % 10 == 0 else 1 if (k - shift) % 10 == 0 else 2] += line(k)
        ends = weights(law, shift)
        assert all(math.isclose(a * 2.0 + b * 5.0, kind) for (a, b), kind in zip(ends, kinds, strict=True))


def test_counts_and_types_add_up() -> None:
    one, two = Runs.of(PLAIN), Runs.of(soft(F(1, 2)))
    both = RunSum.of([one, two], [5, 7])
    theta, t = np.array([0.0, 1e-3]), np.array([1e-3, 0.02])
    values, errors = both.at(theta, t)
    for place in range(2):
        w = complex(theta[place], t[place])
        truth = (transform(PLAIN, w, 0) + 1) ** 5 * (transform(soft(F(1, 2)), w, 0) + 1) ** 7
        assert abs(np.exp(values[place]) - truth) <= (errors[place] + 1e-11) * abs(truth)


def precisely(runs: Sequence[Run], w: complex, base: int) -> acb:
    """E exp(w(X - base)) by the sum of a geometric series, in 300 bits."""
    whole, z = acb(0), acb(w.real, w.imag)
    for first, step, count, weight in runs:
        terms = ((z * step * count).exp() - 1) / ((z * step).exp() - 1)
        whole += acb(weight.numerator) / weight.denominator * (z * (first - base)).exp() * terms / count
    return whole


def far_off(value: complex, truth: acb) -> float:
    return float(abs(acb(value.real, value.imag) - truth).upper())


LONG: list[Run] = [(0, 1, 9_999_991, F(1, 3)), (7, 1000, 9_000, F(2, 3))]


@pytest.mark.parametrize("t", [2 * math.pi / 1000 * 123.0, 1.1, 2.9, 3e-7])
def test_long_runs_are_off_by_no_more_than_stated(t: float) -> None:
    """Where a run is turned millions of times, an ulp of the frequency counts."""
    theta = np.zeros(30)
    t_values = t * (1 + 1e-9 * np.arange(30))
    found, error = Runs.of(LONG).grown(theta, t_values, 5_000_000)
    values, errors = RunSum.of([Runs.of(LONG)], [1000]).at(theta, t_values)
    base = RunSum.of([Runs.of(LONG)], [1000]).base
    worst = 0.0
    for place, each in enumerate(t_values.tolist()):
        with ctx.workprec(300):
            truth = precisely(LONG, complex(0, each), 5_000_000)
            off = far_off(complex(found[place]), truth - 1)
            assert off <= error[place]
            worst = max(worst, off / error[place])
            if errors[place] < 0.5:
                turned = precisely(LONG, complex(0, each), base)
                ratio = float(abs(turned).log().mid()) * 1000
                assert abs(values[place].real - ratio) <= errors[place] + 1e-300
    assert worst > 1e-5  # and not by very much less


def test_too_few_records_are_not_smooth() -> None:
    assert wide_law([Runs.of(PLAIN)], [[run[3] for run in PLAIN]], [2], None) is None


def test_more_cells_are_not_needed() -> None:
    """The same bracket from coarse cells and fine ones, nested."""
    coarse, fine = (WideShifts(law_of(PLAIN, 300, fine=one), 700).delta(F(1, 10)) for one in (40, 400))
    assert coarse.lower <= fine.lower <= fine.upper <= coarse.upper


def test_the_rounding_of_frequencies_counts_where_the_spectrum_nearly_vanishes() -> None:
    """A rounding of t moves E exp(it(S - centre)) by that times E|S - centre|, however small the value itself is."""
    window = LatticeWindow(0.0, 0, 1000.0, -5000, 5000, 20_000, 4, 0.0, 1.0)
    t = 2 * np.pi / window.length * np.arange(4.0)
    values = np.full(4, -200.0 + 0.0j)
    spectrum, slip = _spectrum(window, t, 0.0, values, np.zeros(4))
    assert np.abs(spectrum).max() < 1e-80
    assert slip >= 2 * (3 * UNIT * t * window.deviation).sum() > 0
