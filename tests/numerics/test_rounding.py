"""The constants that every error bound rests on, stressed against ball arithmetic."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb

from dalenius.enclosure.chebyshev import RATIO, series
from dalenius.enclosure.floats import COMPLEX, FFT, LIBM, UNIT, pairwise
from dalenius.numerics import fourier
from dalenius.numerics.yesno import RateSum
from oracle.balls import precise, upper

COUNT = 4000
Random = np.random.Generator


def _anywhere(rng: Random, low: float, high: float) -> np.ndarray:
    return rng.uniform(low, high, COUNT)


def _of_any_size(rng: Random, least: float, most: float) -> np.ndarray:
    return rng.choice([-1.0, 1.0], COUNT) * 10 ** rng.uniform(least, most, COUNT)


ARGUMENTS: dict[str, Callable[[Random], np.ndarray]] = {
    "exp": lambda rng: np.concatenate([_anywhere(rng, -700, 700), _of_any_size(rng, -18, 2)]),
    "expm1": lambda rng: np.concatenate([_anywhere(rng, -50, 300), _of_any_size(rng, -18, 1)]),
    "log1p": lambda rng: np.concatenate(
        [_anywhere(rng, -0.99, 10), 10 ** rng.uniform(-18, 18, COUNT), -(10 ** rng.uniform(-18, 0, COUNT))]
    ),
    "sin": lambda rng: np.concatenate([_anywhere(rng, -7, 7), _of_any_size(rng, -18, 5), np.pi * np.arange(1, 200)]),
    "cos": lambda rng: np.concatenate(
        [_anywhere(rng, -7, 7), _of_any_size(rng, -18, 5), np.pi * np.arange(1, 400, 2) / 2]
    ),
}


@precise
def relative_error(name: str, x: float, value: float) -> Fraction:
    """How far the computed value is off, in units of UNIT relative to the truth."""
    truth = getattr(arb(x), name)()
    return upper(abs((arb(value) - truth) / truth)) / Fraction(UNIT)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARGUMENTS)
def test_elementary_functions_err_by_at_most_four_ulp(name: str) -> None:
    x = ARGUMENTS[name](np.random.default_rng(len(name)))
    values = getattr(np, name)(x)
    worst = max(
        relative_error(name, a, v) for a, v in zip(x.tolist(), values.tolist(), strict=True) if v and math.isfinite(v)
    )
    assert worst <= LIBM
    # blocks of other lengths and strides take other code paths of numpy
    for part in (x[:7], x[1:1000:3], x[::-1][:33]):
        assert (
            max(
                relative_error(name, a, v)
                for a, v in zip(part.tolist(), getattr(np, name)(part).tolist(), strict=True)
                if v
            )
            <= LIBM
        )


@precise
def _angle_error(y: float, x: float, value: float) -> Fraction:
    truth = arb.atan2(arb(y), arb(x))
    return upper(abs((arb(value) - truth) / truth)) / Fraction(UNIT)


def test_arctan2_errs_by_at_most_four_ulp() -> None:
    rng = np.random.default_rng(5)
    y, x = (
        _of_any_size(rng, -18, 2),
        np.concatenate([_anywhere(rng, -3, 3)[: COUNT // 2], _of_any_size(rng, -18, 2)[: COUNT // 2]]),
    )
    values = np.arctan2(y, x)
    assert max(map(_angle_error, y.tolist(), x.tolist(), values.tolist())) <= LIBM


def test_python_exp_and_log_err_by_at_most_four_ulp() -> None:
    rng = np.random.default_rng(6)
    for x in _anywhere(rng, -700, 700).tolist():
        assert relative_error("exp", x, math.exp(x)) <= LIBM
    for x in (10 ** rng.uniform(-300, 300, COUNT)).tolist():
        assert relative_error("log", x, math.log(x)) <= LIBM


def vectors(rng: Random, size: int) -> list[np.ndarray]:
    """Random signs, positive, a spike, a slope, a wave, bells of two widths, huge beside tiny."""
    k = np.arange(size)
    return [
        rng.choice([-1.0, 1.0], size) * rng.uniform(0.5, 1, size),
        rng.uniform(0, 1, size),
        np.where(k == size // 3, 1.0, 0.0) + 1e-3 / 3,
        (k + 1) / 3,
        np.cos(2 * np.pi * 7 * k / size) / 3,
        np.exp(-(((k - size / 2) / (size / 12)) ** 2)) / 3,
        np.exp(-(((k - 3) / 2.0) ** 2)) / 3,
        10.0 ** rng.uniform(-12, 0, size),
    ]


@precise
def _transform_error(x: np.ndarray, computed: np.ndarray) -> Fraction:
    """The relative Euclidean error of an FFT, in units, from the literal sum in balls (an oracle FFT: acb's)."""
    truth = acb.dft([acb(value) for value in x.tolist()])
    whole = computed.tolist() + [v.conjugate() for v in computed[1 : (len(x) + 1) // 2][::-1].tolist()]
    wrong, norm = arb(0), arb(0)
    for exact, value in zip(truth, whole, strict=True):
        wrong += abs(exact - acb(value.real, value.imag)) ** 2
        norm += abs(exact) ** 2
    return upper((wrong / norm).sqrt()) / Fraction(UNIT)


LENGTHS = [2, 3, 4, 5, 8, 15, 36, 45, 64, 75, 100, 125, 128, 135, 144, 256, 360, 625, 1000, 1024, 1350, 2187]


@pytest.mark.slow
@pytest.mark.parametrize("size", LENGTHS)
def test_real_transforms_err_less_than_assumed(size: int) -> None:
    assert fourier.next_fast_len(size, real=True) == size
    for x in vectors(np.random.default_rng(size), size):
        assert _transform_error(x, fourier.rfft(x)) <= FFT * math.log2(size)


@pytest.mark.parametrize("size", LENGTHS)
def test_inverse_transforms_err_less_than_assumed(size: int) -> None:
    """Forth and back: the way back adds no more than its share."""
    for x in vectors(np.random.default_rng(size + 1), size):
        spectrum = fourier.rfft(x)
        back = fourier.irfft(spectrum, size)
        longer = _inverse_in_long_doubles(spectrum, size)
        assert np.linalg.norm((longer - back).astype(float)) <= FFT * math.log2(size) * UNIT * np.linalg.norm(x)


def _inverse_in_long_doubles(spectrum: np.ndarray, size: int) -> np.ndarray:
    return fourier.irfft(spectrum.astype(np.clongdouble), size)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1 << 17, 100_000, 3**10, 17_017])
def test_long_transforms_err_less_than_assumed(size: int) -> None:
    """Beside long doubles, whose own error is two thousand times smaller."""
    size = fourier.next_fast_len(size, real=True)
    for x in vectors(np.random.default_rng(size), size):
        longer = fourier.rfft(x.astype(np.longdouble))
        wrong = np.linalg.norm((longer - fourier.rfft(x)).astype(complex))
        assert wrong <= FFT * math.log2(size) * UNIT * np.linalg.norm(longer.astype(complex))


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 100, 127, 128, 129, 1000, 8192, 100_003, 1 << 18])
def test_numpy_sums_err_less_than_a_pairwise_sum_may(size: int) -> None:
    rng = np.random.default_rng(size)
    for x in (rng.uniform(0, 1, size), rng.normal(size=size), 10.0 ** rng.uniform(-10, 10, size), np.full(size, 1 / 3)):
        numerators = [(int(m * 2**53), e) for m, e in map(math.frexp, x.tolist())]
        lowest = min(e for _, e in numerators)
        exact = Fraction(sum(m << (e - lowest) for m, e in numerators)) * Fraction(2) ** (lowest - 53)
        sizes = Fraction(float(np.abs(x).astype(np.longdouble).sum()))
        assert abs(Fraction(float(x.sum())) - exact) <= Fraction(pairwise(size) * UNIT) * sizes


def test_rows_of_a_contiguous_table_are_summed_pairwise() -> None:
    table = np.random.default_rng(0).uniform(0, 1, (3, 5000))
    for row, value in zip(table, table.sum(axis=1), strict=True):
        exact = sum(map(Fraction, row.tolist()))
        assert abs(Fraction(float(value)) - exact) <= Fraction(pairwise(5000) * UNIT) * exact


def _ball(number: complex) -> acb:
    return acb(float(number.real), float(number.imag))


def _complex_error(truth: acb, number: complex) -> Fraction:
    return upper(abs((_ball(number) - truth) / truth)) / Fraction(UNIT)


@precise
def test_complex_arithmetic_errs_by_less_than_assumed() -> None:
    """Of any size and angle, also where the square root's branch is cut."""
    rng = np.random.default_rng(7)
    angles = rng.uniform(-math.pi, math.pi, 600)
    angles[::3] = math.pi - 10.0 ** rng.uniform(-14, 0, 200)
    z = 10.0 ** rng.uniform(-12, 12, 600) * np.exp(1j * angles)
    w = 10.0 ** rng.uniform(-12, 12, 600) * np.exp(1j * rng.uniform(-math.pi, math.pi, 600))
    for one, other, product, quotient, root, size in zip(z, w, z * w, z / w, np.sqrt(z), np.abs(z), strict=True):
        a, b = _ball(one), _ball(other)
        assert _complex_error(a * b, product) <= COMPLEX
        assert _complex_error(a / b, quotient) <= COMPLEX
        assert _complex_error(a.sqrt(), root) <= COMPLEX
        assert _complex_error(acb(abs(a)), complex(size)) <= COMPLEX


@precise
def test_the_ratio_of_a_chebyshev_series_errs_by_less_than_assumed() -> None:
    """For the a that was rounded: what that costs is charged by itself."""
    rng = np.random.default_rng(8)
    seen = 0
    for theta, t in zip(rng.uniform(-4, 4, 600), rng.uniform(0, math.pi, 600), strict=True):
        centre = float(rng.uniform(0.001, 0.999))
        half = float(rng.uniform(0, 1)) * min(centre, 1 - centre)
        v = np.array([np.expm1(theta + 1j * t)])
        (a,), (r,) = series(v, centre, half)
        if abs(r) <= 0.75:
            beta = acb(half) * _ball(v[0]) / _ball(a)
            assert _complex_error(-beta / (1 + (1 - beta * beta).sqrt()), r) <= RATIO
            seen += 1
    assert seen > 300


def test_a_tilt_too_large_for_floats_is_unknown_and_no_warning() -> None:
    rates = RateSum.of(np.linspace(0.9, 1 - 1e-9, 70), order=20)
    for theta in (500.0, 709.0, 720.0, 1e4, -1e4):
        value, error = rates.at(np.array([theta]), np.array([0.1]))
        assert not np.isnan(value).any() and not np.isnan(error).any()
        assert (error < np.inf).all() or (value.real == np.inf).all()
