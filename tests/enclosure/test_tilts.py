"""Complex exponentials, logarithms of means, Chebyshev series and tilts: never outside of what ball arithmetic finds,
and noticed if what a step loses is left out.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb

from amount import repetitions
from dalenius.enclosure import chebyshev, complexes, cumulants, exponents, linear
from dalenius.enclosure.complexes import LOOSE
from dalenius.enclosure.floats import UNIT
from enclosure.arrays import RNG, precise

COUNT = repetitions(40, 800)
Random = np.random.Generator


def number(value: complex) -> acb:
    return acb(float(value.real), float(value.imag))


def within(value: complex, error: float, truth: acb) -> bool:
    return error == math.inf or bool(abs(truth - number(value)) <= arb(error))


def points(rng: Random, count: int = 12, *, steep: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    """Tilts and frequencies of every size, 0 and next to π among them."""
    theta = rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-18, math.log10(steep), count)
    t = np.where(rng.uniform(size=count) < 0.5, 10.0 ** rng.uniform(-18, 0.49, count), rng.uniform(0, math.pi, count))
    theta[0], t[:2], t[2] = 0.0, 0.0, math.pi
    return theta, t


@precise
def test_exponentials_and_logarithms_of_every_size_are_enclosed() -> None:
    rng = RNG(41)
    for _ in range(COUNT):
        x, y = points(rng, steep=600.0)
        for value, error, a, b in zip(*complexes.expm1_complex(x, y), x.tolist(), y.tolist(), strict=True):
            assert within(value, error + 5e-324, acb(a, b).exp() - 1)
        s = 10.0 ** rng.uniform(-18, 8, 12) * np.exp(1j * rng.uniform(-math.pi, math.pi, 12))
        s[:3] = -1 + 10.0 ** rng.uniform(-7, 0), 1e150, 1e-300
        for value, error, one in zip(*complexes.log1p_complex(s), s.tolist(), strict=True):
            assert within(value, error + 5e-324, (1 + acb(one.real, one.imag)).log()) or not error < LOOSE


def test_a_value_that_a_move_makes_loose_becomes_a_ceiling() -> None:
    """The value was known within less than `LOOSE`, and with the move it no longer is: from there on its real part is
    read as an upper bound, also by the size of a spectrum.
    """
    theta, t, value = np.array([1e-3, 1e-3]), np.array([3.0, 3.0]), np.array([0.25 + 0j, 0.25 + 0j])
    steps, known = 10**15, np.array([0.49, 0.01])
    found, error = complexes.moved(value, known, steps, theta, t)
    assert (error >= LOOSE).all()
    most = [Fraction(0.25) + Fraction(one) + steps * Fraction(1e-3) for one in known.tolist()]
    assert all(Fraction(above) >= one for above, one in zip(found.real.tolist(), most, strict=True))
    base = float(steps * 1e-3)
    size = exponents.spectrum_of(found, error, base, t, 0)[2]
    assert (size >= np.exp(0.25 + known)).all()


@precise
def test_what_is_moved_and_added_is_enclosed_and_ceilings_stay_ceilings() -> None:
    rng = RNG(42)
    for _ in range(COUNT):
        theta, t = points(rng)
        steps, scale = int(rng.integers(-(10**17), 10**17)), float(rng.choice([0.0, 700.0, -1e-9]))
        value = (rng.normal(size=12) + 1j * rng.normal(size=12)) * 10.0 ** rng.uniform(-9, 17, 12)
        known = np.where(rng.uniform(size=12) < 0.5, 0.0, 1.0)
        found, error = complexes.moved(value, known, steps, theta, t, scale=scale)
        sums, errors = complexes.together([value, found], [known, error])
        for j in range(12):
            truth = number(value[j]) + steps * acb(theta[j], t[j]) + arb(scale)
            both = truth + number(value[j])
            if error[j] >= LOOSE:
                assert bool(truth.real <= arb(float(found[j].real)))
                assert bool(both.real <= arb(float(sums[j].real)))
            else:
                assert within(found[j], error[j], truth)
                assert within(sums[j], errors[j], both) if errors[j] < LOOSE else bool(both.real <= arb(sums[j].real))


def rates_of(rng: Random) -> np.ndarray:
    """A few rates, near each other or not, near 0 or near 1."""
    low, high = sorted(rng.uniform(0, 1, 2)) if rng.integers(2) else sorted(10.0 ** rng.uniform(-12, -1, 2))
    rates = rng.uniform(low, high, int(rng.integers(1, 9)))
    return rates if rng.integers(2) else 1 - rates


def sum_of(rates: np.ndarray, theta: np.ndarray, t: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray]:
    centre, half = (rates.min() + rates.max()) / 2, (rates.max() - rates.min()) / 2
    moments = chebyshev.moments_of(rates, order, centre, half) if half > 0 else np.array([float(len(rates))])
    mean = float(rates.sum())
    with np.errstate(all="ignore"):
        return chebyshev.log_sum(moments, (centre, half), len(rates), theta, t, mean=mean, slip=2 * UNIT * mean)


def off_of_the_exponential(value: complex, truth: acb) -> arb:
    return abs(number(value).exp() / truth - 1)


@precise
def sums_are_enclosed(seed: int, order: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT // 2):
        rates = rates_of(rng)
        theta, t = points(rng, steep=0.5)
        values, errors = sum_of(rates, theta, t, order)
        for value, error, a, b in zip(values, errors.tolist(), theta.tolist(), t.tolist(), strict=True):
            if error < LOOSE:
                truth = acb(1)
                for rate in rates.tolist():
                    truth *= 1 + arb(rate) * (acb(a, b).exp() - 1)
                if not bool(off_of_the_exponential(complex(value), truth) <= arb(error).exp() - 1):
                    return False
    return True


@pytest.mark.parametrize("order", [1, 3, 30])
def test_sums_of_any_rates_are_enclosed_by_their_series(order: int) -> None:
    assert sums_are_enclosed(43 + order, order)


@pytest.mark.parametrize("planted", ["the rest", "the exponential"])
def test_a_series_that_forgets_what_it_leaves_out_is_found(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if planted == "the rest":
        monkeypatch.setattr(chebyshev, "_cut_off", lambda *_: 0.0)
    else:
        right = chebyshev.expm1_on_grid
        monkeypatch.setattr(chebyshev, "expm1_on_grid", lambda *w: (right(*w)[0] * (1 + 1e-9), right(*w)[1]))
    assert not sums_are_enclosed(44, 3)


def values_of(powers: np.ndarray, x: float) -> np.ndarray:
    """Of a Chebyshev series, nearly exactly."""
    theta = np.arccos(np.clongdouble(x)).real
    return np.asarray((powers * np.cos(np.arange(len(powers), dtype=np.longdouble) * theta)[:, None]).sum(axis=0))


@precise
def series_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        theta, half = float(rng.uniform(-1, 1)), float(rng.uniform(0, 0.2))
        centre = float(rng.uniform(half, 1 - half))
        _, t = points(rng)
        powers, slip, far = chebyshev.reciprocal(theta, t, centre, half, int(rng.integers(1, 20)))
        one, two, times = float(rng.uniform()), float(rng.uniform()), float(rng.uniform(0.1, 4))
        traded, more, out = chebyshev.exchanged(theta, t, one, two, times)
        for x in (-1.0, float(rng.uniform(-1, 1)), 1.0):
            left, kept = values_of(powers, x), values_of(traded, x)
            room = 1e-17 * np.abs(powers).sum(axis=0), 1e-17 * np.abs(traded).sum(axis=0)  # of the sum here
            for j in range(len(t)):
                v = acb(theta, t[j]).exp() - 1
                truth = 1 / (1 + (arb(centre) + arb(half) * arb(x)) * v)
                if not far[j] and not within(complex(left[j]), float(slip[j] + room[0][j]), truth):
                    return False
                if not out[j]:
                    c = arb(times) * ((1 + arb(one) * v).log() - (1 + arb(two) * v).log())
                    if not within(complex(kept[j]), float(more[j] + room[1][j]), (c * arb(x)).exp()):
                        return False
    return True


def test_one_left_out_and_others_traded_are_enclosed() -> None:
    assert series_are_enclosed(45)


def test_a_series_with_a_wrong_exponential_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = chebyshev.expm1_on_grid
    monkeypatch.setattr(chebyshev, "expm1_on_grid", lambda *w: (right(*w)[0] * (1 + 1e-13), right(*w)[1]))
    assert not series_are_enclosed(45)


def test_values_and_running_sums_of_series_are_enclosed() -> None:
    rng = RNG(46)
    for _ in range(COUNT):
        table = rng.normal(size=(int(rng.integers(1, 12)), 30)) * 10.0 ** rng.uniform(-9, 0, 30)
        errors = np.full(30, 1e-300)
        charged = chebyshev.running_errors(table, errors)
        x = float(rng.uniform(-1, 1))
        steps = polynomials(x, len(table))
        exact = Fraction(0)
        sums = np.cumsum(table, axis=1)
        for k in range(30):
            exact += sum((Fraction(c) * s for c, s in zip(table[:, k].tolist(), steps, strict=True)), Fraction(0))
            found = sum((Fraction(c) * s for c, s in zip(sums[:, k].tolist(), steps, strict=True)), Fraction(0))
            assert abs(found - exact) <= Fraction(charged[k])
        value = float(np.polynomial.chebyshev.chebval(x, table[:, 0]))
        truth = sum((Fraction(c) * s for c, s in zip(table[:, 0].tolist(), steps, strict=True)), Fraction(0))
        assert abs(Fraction(value) - truth) <= Fraction(chebyshev.value_error(table[:, 0]))


def polynomials(x: float, count: int) -> list[Fraction]:
    found = [Fraction(1), Fraction(x)]
    while len(found) < count:
        found.append(2 * Fraction(x) * found[-1] - found[-2])
    return found[:count]


# -- logarithms of means ----------------------------------------------------------------------------------------------


@precise
def means_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        values = np.sort(rng.choice(np.arange(-6, 300), 4, replace=False))
        chances = rng.dirichlet(np.ones(4), 2)
        counts = rng.integers(1, 10**6, 2)
        theta, t = points(rng, steep=0.3)
        with np.errstate(all="ignore"):
            s, slip = cumulants.means(np.multiply.outer(theta, values), np.multiply.outer(t, values), chances, 0.0)
            found, errors = cumulants.log_means(s, slip, counts)
        for j in range(len(t)):
            w, product = acb(theta[j], t[j]), acb(1)
            for type_ in range(2):
                # probabilities are exact; chances are floats of them
                one = acb(1)
                for value, chance in zip(values.tolist(), chances[type_].tolist(), strict=True):
                    one += arb(chance) * ((w * value).exp() - 1)
                product *= one ** int(counts[type_])
            if errors[j] < LOOSE:
                if not bool(off_of_the_exponential(complex(found[j]), product) <= arb(float(errors[j])).exp() - 1):
                    return False
            elif not bool(abs(product) <= arb(float(found[j].real)).exp()):
                return False
    return True


def test_logarithms_of_means_are_enclosed_or_bounded() -> None:
    assert means_are_enclosed(47)


@pytest.mark.parametrize("name", ["expm1_complex", "log1p_complex"])
def test_logarithms_of_means_with_a_wrong_function_are_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right: Callable[..., tuple[np.ndarray, np.ndarray]] = getattr(cumulants, name)
    monkeypatch.setattr(cumulants, name, lambda *of: (right(*of)[0] * (1 + 1e-12), right(*of)[1]))
    assert not means_are_enclosed(47)


@precise
def test_one_transform_encloses_every_mean_and_its_logarithm() -> None:
    rng = RNG(48)
    for _ in range(COUNT // 2):
        away = np.sort(rng.choice(np.arange(-40, 60), 6, replace=False))
        chances, theta, length = rng.dirichlet(np.ones(6)), float(rng.uniform(-0.3, 0.3)), int(rng.choice([2, 36, 45]))
        values, error = cumulants.transformed(away, chances, theta, length, 0.0)
        count, turns = np.array([[int(rng.integers(1, 9))]]), np.zeros(len(values), dtype=complex)
        one, slip = values[None, :], np.array([[error]])
        ceiling = cumulants.log_ceilings(one, slip, count, turns)
        logs, errors = cumulants.log_sizes(one, slip, count, turns, ceiling)
        for j, value in enumerate(values):
            truth = acb(0)
            for place, chance in zip(away.tolist(), chances.tolist(), strict=True):
                truth += arb(chance) * (arb(theta) * place + acb(0, 2) * arb.pi() * j * place / length).exp()
            assert within(complex(value), error, truth)
            power = truth ** int(count[0, 0])
            assert bool(abs(power) <= arb(float(ceiling[j])).exp())
            if errors[j] < LOOSE:
                assert bool(off_of_the_exponential(complex(logs[j]), power) <= arb(float(errors[j])).exp() - 1)


@precise
def runs_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        step, count = rng.integers(1, 50, 3), rng.choice([1, 2, 7, 10**6], 3)
        away, weight = rng.integers(-400, 400, 3) + step * (count - 1) / 2, rng.dirichlet(np.ones(3))
        size = float(np.abs(step * count).max() + 400)
        theta, t = points(rng, steep=3.0)
        theta, t = theta / size, t / size if rng.integers(2) else t
        found, errors = cumulants.run_means(theta, t, away, step, count, weight)
        for j in range(len(t)):
            w, truth = acb(theta[j], t[j]), acb(0)
            for i in range(3):
                z, m = w * int(step[i]) / 2, int(count[i])
                spread = acb(1) if m == 1 or w == 0 else (z * m).sinh() / (z.sinh() * m)
                truth += arb(float(weight[i])) * ((w * arb(float(away[i]))).exp() * spread - 1)
            if not within(complex(found[j]), float(errors[j]) + 1e-320, truth):
                return False
    return True


def test_runs_of_values_are_enclosed_however_long() -> None:
    assert runs_are_enclosed(49)


def test_runs_with_a_wrong_quotient_of_sines_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = cumulants.sinhc
    monkeypatch.setattr(cumulants, "sinhc", lambda *of: (right(*of)[0] * (1 + 1e-12), right(*of)[1]))
    assert not runs_are_enclosed(49)


# -- tilts ------------------------------------------------------------------------------------------------------------


@precise
def spectra_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        _, t = points(rng)
        base, centre = float(rng.uniform(-50, 50)), int(rng.integers(-(10**6), 10**6))
        real = base - 10.0 ** rng.uniform(-3, 3, len(t))
        values = real + 1j * rng.uniform(-(10**6), 10**6, len(t))
        errors = rng.choice([0.0, 1e-12, 0.3, 0.6, math.inf], len(t))
        found, error, size = exponents.spectrum_of(values, errors, base, t, centre)
        for j in range(len(t)):
            off = arb(float(min(errors[j], LOOSE if errors[j] < LOOSE else 0.0)))
            for way in (-1, 1):
                truth = (number(values[j]) + way * off - arb(base) - acb(0, 1) * arb(float(t[j])) * centre).exp()
                if errors[j] < LOOSE and not within(complex(found[j]), float(error[j]), truth):
                    return False
                if not bool(abs(truth) <= arb(float(size[j]))):
                    return False
    return True


def test_spectra_are_enclosed_and_their_sizes_bounded() -> None:
    assert spectra_are_enclosed(50)


def test_a_spectrum_that_is_turned_wrongly_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exponents, "UNIT", 0.0)
    assert not spectra_are_enclosed(50)


@precise
def scales_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        theta = float(rng.choice([0.0, 1e-9, 0.7, -9.0]))
        places = np.sort(rng.integers(-20, 20, 9)) + int(rng.choice([0, 10**6, 2**60] if abs(theta) < 1e-8 else [0]))
        base = theta * float(places[0]) + float(rng.uniform(-30, 30))
        scale, relative = exponents.powers_of(base, theta, places)
        values = rng.normal(size=9)
        masses = exponents.scaled_masses(values, 1e-3, scale, relative)
        for j, place in enumerate(places.tolist()):
            truth = (arb(base) - arb(theta) * place).exp()
            if not bool(abs(arb(float(scale[j])) - truth) <= arb(relative) * truth):
                return False
            for way in (-1, 1):
                mass = truth * (arb(float(values[j])) + way * arb(1e-3))
                if bool(mass >= 0) and not bool(abs(mass - arb(masses.middle[j])) <= arb(masses.radius[j])):
                    return False
    return True


def test_scales_and_masses_are_enclosed_far_from_one() -> None:
    assert scales_are_enclosed(51)


def test_a_scale_that_is_thought_to_be_exact_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exponents, "UNIT", 1e-30)
    assert not scales_are_enclosed(51)


@precise
def test_the_least_exponential_is_from_above() -> None:
    rng = RNG(52)
    for _ in range(4 * COUNT):
        terms = [rng.normal(size=4) * 10.0 ** rng.uniform(-3, 6) for _ in range(3)]
        terms[0] = -terms[1] - terms[2] - rng.uniform(0, 60, 4)  # they cancel
        error = float(rng.choice([0.0, 1e-9]))
        found = exponents.least_exponential(terms, error)
        sums = [sum((arb(float(term[j])) for term in terms), arb(error)) for j in range(4)]
        assert bool(min(arb(1), *(one.exp() for one in sums)) <= arb(found))
    assert exponents.least_exponential([np.array([math.nan, math.inf, -math.inf])], 0.0) == 1.0
    assert exponents.mass_of(math.inf) < math.inf
    for rate, theta in ((0.3, 1.0), (1 - 1e-16, -40.0), (1e-9, 300.0), (0.0, 5.0)):
        low, high = exponents.tilted_mean(rate, theta)
        truth = 1 + arb(rate) * arb(theta).expm1()
        assert bool(arb(low) <= truth) or low == 1e-300
        assert bool(truth <= arb(high))


# -- what is linear in the removal ------------------------------------------------------------------------------------


@precise
def removals_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT):
        types, points_ = int(rng.integers(1, 5)), 4
        counts = rng.integers(1, 10**6, types).astype(float)
        away, middle = rng.uniform(0, 1, types) * counts, rng.uniform(0, 1, types) * counts
        logs = (rng.normal(size=(types, points_)) + 1j * rng.normal(size=(types, points_))) * 10.0 ** rng.uniform(-6, 1)
        slopes, w = rng.normal(size=types), rng.normal(size=points_) + 1j * rng.uniform(0, 3, points_)
        origin, scale = int(rng.integers(-(10**6), 10**6)), 0.0
        base, inner = (counts - middle) @ logs - w * origin, -(logs + np.multiply.outer(slopes, w))
        sizes = np.abs(logs) + np.abs(logs[:, :1])
        places = np.abs(w) * (abs(origin) + float(away @ np.abs(slopes)))
        error = linear.linear_slip(counts, away, sizes, np.zeros((types, points_)), places)
        removed = middle + rng.uniform(-1, 1, types) * away
        found = base + (removed - middle) @ inner - scale
        for j in range(points_):
            truth = acb(0)
            for t in range(types):
                left = arb(counts[t]) - arb(removed[t])
                moved = arb(slopes[t]) * (arb(removed[t]) - arb(middle[t]))
                truth += left * number(logs[t, j]) - number(w[j]) * moved
            truth -= number(w[j]) * origin
            if not within(complex(found[j]), float(error[j]), truth):
                return False
        moved = (removed - middle) @ slopes
        exact = sum(Fraction(s) * (Fraction(r) - Fraction(m)) for s, r, m in zip(slopes, removed, middle, strict=True))
        slip = linear.dot_slip(types, float(np.abs(removed - middle) @ np.abs(slopes)) + 1)
        if abs(Fraction(float(moved)) - exact) > Fraction(slip):
            return False
        first, last = linear.within_places(np.array([moved]), slip, 8)
        place = math.floor(exact % 1 * 8)
        if not (first[0] <= place <= last[0] or first[0] > last[0]):
            return False
    return True


def test_logarithms_without_some_records_are_enclosed() -> None:
    assert removals_are_enclosed(53)


def test_logarithms_without_their_units_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "UNIT", 0.0)
    assert not removals_are_enclosed(53)


@precise
def inverses_are_enclosed(seed: int) -> bool:
    rng = RNG(seed)
    for _ in range(COUNT // 4):
        length = int(rng.choice([8, 45, 100]))
        kept = length // 2 - int(rng.integers(1, 3))
        t = 2 * math.pi / length * np.arange(kept)
        theta, steps = float(rng.uniform(-1, 1)), int(rng.integers(-5, 6))
        exponents_ = rng.uniform(-20, 0, kept) + 1j * rng.uniform(-9, 9, kept)
        exponents_[0] = exponents_[0].real
        spectrum = np.exp(exponents_)
        factor, factor_error = linear.one_less(theta, t, steps)
        size, error = linear.inverted_error(spectrum, np.full(kept, 1e-15), factor, factor_error, length)
        table = np.zeros(length // 2 + 1, dtype=complex)
        table[:kept] = np.conj(spectrum * factor)
        found = np.fft.irfft(table, length)
        exact = []
        for j in range(kept):
            turn = acb(0, 2) * arb.pi() * j / length
            gap = 1 - (acb(theta) + turn * steps).exp()
            if not within(complex(factor[j]), float(factor_error[j]), gap):
                return False
            exact.append(number(exponents_[j]).exp() * gap)
            if not bool(abs(number(exponents_[j]).exp()) <= arb(float(size[j]))):
                return False
        for k in range(0, length, 7):
            truth = arb(0)
            for j, value in enumerate(exact):
                part = (value * (acb(0, -2) * arb.pi() * j * k / length).exp()).real
                truth += part if j == 0 else 2 * part
            if not bool(abs(truth / length - arb(float(found[k]))) <= arb(error)):
                return False
    return True


def test_inverses_of_spectra_times_factors_are_enclosed() -> None:
    assert inverses_are_enclosed(54)


def test_a_factor_that_is_off_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = linear.expm1_complex
    monkeypatch.setattr(linear, "expm1_complex", lambda *w: (right(*w)[0] * (1 + 1e-12), right(*w)[1]))
    assert not inverses_are_enclosed(54)


@precise
def test_weighed_sums_are_from_above_and_frequencies_off_the_grid_are_charged() -> None:
    rng = RNG(55)
    for _ in range(COUNT):
        values, theta, base = rng.normal(size=(2, 30)), float(rng.normal()), float(rng.uniform(-300, 300))
        places = base / (theta or 1.0) + np.arange(30.0)
        found = linear.weighed_up(values, base, theta, places)
        for row, bound in zip(values.tolist(), found.tolist(), strict=True):
            truth = arb(0)
            for value, place in zip(row, places.tolist(), strict=True):
                truth += (arb(base) - arb(theta) * arb(place)).exp() * arb(max(0.0, value))
            assert bool(truth <= arb(bound))
        faint = linear.weighed_up(10.0 ** rng.uniform(-300, -100, (1, 3)), base - 700, 0.0, np.arange(3.0))
        assert float(faint[0]) > 0.0  # what falls below the smallest floats is something
        length = int(rng.integers(5, 10**4))
        t = 2 * math.pi / length * np.arange(3)
        steps = np.array([0.0, float(rng.integers(1, 50))])
        logs = np.log([[(1 + np.exp(1j * x * steps[1])) / 2 for x in t]])
        moved = linear.off_grid(t, logs, np.array([100 * steps[1]]))
        for j in range(3):
            exact, near = 2 * arb.pi() * j / length, arb(float(t[j]))
            one, two = (((1 + (acb(0, 1) * x * steps[1]).exp()) / 2).log() for x in (exact, near))
            assert bool(100 * abs(one - two) <= arb(float(moved[j])))
