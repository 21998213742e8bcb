"""Products, recurrences, convolutions and transforms hold what ball arithmetic finds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb

from amount import repetitions
from dalenius.enclosure import outward
from dalenius.enclosure.balls import LN_2, PI, Balls, gathered, log_of, log_sum_exp
from dalenius.enclosure.floats import UNIT
from dalenius.enclosure.products import continued, enclosed, geometric_rest, quotients, running_products, shares
from dalenius.enclosure.recurrences import smoothed
from dalenius.enclosure.transforms import convolution, inverse_real, transform_error
from dalenius.numerics.counts import binomial, poisson
from enclosure.arrays import RNG, inside, members, precise, radii, sizes

COUNT = repetitions(40, 1000)


@precise
def test_running_products_hold_every_member() -> None:
    rng = RNG(21)
    for _ in range(COUNT):
        length = int(rng.choice([1, 5, 400]))
        values = rng.choice(
            [rng.uniform(0, 2, length), rng.uniform(0.9, 1.1, length), 10.0 ** rng.uniform(-9, 0, length)]
        )
        ratios = Balls.within(values, values * 10.0 ** rng.uniform(-18, -6))
        with np.errstate(all="ignore"):
            found = running_products(ratios)
        for numbers in members(ratios, rng):
            product, truths = arb(1), []
            for number in numbers:
                product *= number
                truths.append(product)
            assert inside(found, truths)


def test_running_products_are_relative_far_out() -> None:
    ratios = Balls.of(np.full(600, 0.5))
    found = running_products(ratios)
    assert (found.radius <= 1.1 * UNIT * np.arange(1, 601) * found.middle)[:600].all()
    assert running_products(Balls.of(np.full(3, 1e-200))).radius[1] > 0
    lost = running_products(Balls.of(np.array([1e-200, 1e-200, 1e300])))
    assert lost.radius[-1] == math.inf
    doubtful = running_products(Balls.within(np.array([0.5, 0.0, 0.5]), np.array([0.0, 0.1, 0.0])))
    assert doubtful.radius[1:].tolist() == [math.inf, math.inf]
    gone = running_products(Balls.within(np.array([0.5, 0.0, 2.0]), np.array([0.1, 0.0, 0.1])))
    assert gone.radius[1:].tolist() == [0.0, 0.0] and gone.middle[1:].tolist() == [0.0, 0.0]
    wild = running_products(Balls.within(np.full(700, 0.25), 0.2))
    assert (wild.upper >= 0.45 ** np.arange(1.0, 701)).all()


@precise
def test_products_of_quotients_hold_every_factor_and_every_step() -> None:
    """Whole numbers over whole numbers times a number that is known within its radius, continued from a product
    before.
    """
    rng = RNG(31)
    for _ in range(COUNT):
        length, mode = int(rng.choice([1, 7, 500])), int(rng.integers(1, 10**6))
        k = np.arange(mode + 1.0, mode + length + 1.0)
        tops = [rng.integers(1, 10**9, length).astype(float) for _ in range(int(rng.integers(1, 3)))]
        near = float(rng.uniform(0.1, 2) * k.mean() / np.prod([top.mean() for top in tops]))
        factor = Balls.within(np.asarray(near), np.asarray(near * float(rng.choice([0.0, 1e-16, 1e-9]))))
        ratios = quotients(tops, [k], factor)
        half = length // 2
        first = continued(ratios.middle[:half], 1.0)
        rest = continued(ratios.middle[half:], float(first[-1]) if half else 1.0)
        found = enclosed(np.concatenate([first, rest]), ratios.relative)
        back = Balls.within(ratios.inverse().middle, ratios.inverse().middle * ratios.inverse().relative)
        for way in (-1, 0, 1):
            x = arb(near) + way * arb(float(factor.radius))
            product, truths, inverses = arb(1), [], []
            for place in range(length):
                ratio = x / arb(float(k[place]))
                for top in tops:
                    ratio *= arb(float(top[place]))
                product *= ratio
                truths.append(product)
                inverses.append(1 / ratio)
            with np.errstate(all="ignore"):
                assert inside(found, truths)
                assert inside(back, inverses)


def test_whole_numbers_that_floats_do_not_hold_leave_quotients_unknown() -> None:
    steps = 2.0**53 + np.arange(-2.0, 3.0)
    assert quotients([np.ones(5)], [steps], Balls.of(1e16)).relative == math.inf
    assert quotients([steps], [np.ones(5)], Balls.of(1e-16)).relative == math.inf
    assert quotients([np.ones(2)], [steps[:2]], Balls.of(1e16)).relative < 3 * UNIT
    for n, p in ((10**17, 1 - Fraction(1, 10**15)), (10**17 + 3, Fraction(1, 10**15))):
        law = binomial(n, p)
        assert (law.error >= 0).all() and law.tail >= 0
        assert float(law.error.max()) == math.inf
    unknown = poisson(Fraction(1, 10**305))
    assert unknown.tail == math.inf


@precise
def test_shares_of_weights_hold_whatever_lies_beyond() -> None:
    rng = RNG(22)
    for _ in range(COUNT):
        below, above = (Balls.of(rng.uniform(0, 1, int(rng.integers(1, 30)))) for _ in range(2))
        beyond = float(rng.choice([0.0, 1e-9, 0.3]))
        found, tail = shares(below, above, beyond)
        weights = [*map(arb, below.middle[::-1].tolist()), arb(1), *map(arb, above.middle.tolist())]
        for part in (0.0, 0.5, 1.0):
            whole = sum(weights, arb(0)) + arb(beyond) * arb(part)
            assert inside(found, [weight / whole for weight in weights])
            assert bool(arb(beyond) * arb(part) / whole <= arb(tail))


@precise
def test_what_is_beyond_falling_ratios() -> None:
    rng = RNG(23)
    for _ in range(COUNT):
        last, ratio = rng.uniform(0, 1), float(rng.choice([rng.uniform(0, 1), 1 - 1e-12]))
        found = geometric_rest(Balls.of(last), Balls.of(ratio))
        assert bool(arb(last) * arb(ratio) / (1 - arb(ratio)) <= arb(found))
    for ratio in (1.0, 1.5, 2.0):
        assert geometric_rest(Balls.of(1.0), Balls.of(ratio)) == math.inf


@precise
def test_smoothing_holds_every_ratio() -> None:
    rng = RNG(24)
    for _ in range(COUNT // 2):
        length = int(rng.choice([1, 2, 30]))
        values = sizes(rng, length)
        if values.max() > 1e200:
            continue
        near = float(rng.choice([rng.uniform(0, 1), 1e-12, 1 - 1e-9, 0.0]))
        ratio = Balls.within(np.asarray(near), np.asarray(near * 1e-15))
        found = smoothed(values, ratio)
        for sign in (-1, 0, 1):
            x = arb(near) + sign * arb(float(ratio.radius))
            powers = [x**k for k in range(length)]
            truths = [
                sum((arb(v) * powers[abs(k - j)] for j, v in enumerate(values.tolist())), arb(0)) for k in range(length)
            ]
            assert inside(found, truths)
        assert (found.radius <= found.middle * (length + 3) * 2e-15 + 1e-300).all()


def test_smoothing_by_next_to_nothing_is_not_nothing() -> None:
    faint = smoothed(np.array([[1e-200, 0.0]]), Balls.within(np.asarray(1e-300), 1e-316))
    assert (faint.radius > 0).all()
    assert smoothed(np.array([[1e-200, 0.0]]), Balls.of(0.0)).radius.tolist() == [[0.0, 0.0]]


@precise
@pytest.mark.parametrize("transformed", [False, True])
def test_convolutions_hold_every_pair_of_members(transformed: bool) -> None:
    rng = RNG(25)
    for _ in range(COUNT):
        p, q = (sizes(rng, int(rng.choice([1, 2, 40]))) for _ in range(2))
        if max(p.max(), q.max()) > 1e140:
            continue
        first, second = Balls.within(p, np.minimum(radii(rng, p), p)), Balls.within(q, np.minimum(radii(rng, q), q))
        length = max(2, 2 ** math.ceil(math.log2(len(p) + len(q)))) if transformed else None
        found = convolution(first, second, length=length)
        for a in members(first, rng):
            for b in members(second, rng):
                truths = [arb(0)] * (len(a) + len(b) - 1)
                for i, x in enumerate(a):
                    for j, y in enumerate(b):
                        truths[i + j] += x * y
                assert inside(found, truths)


def test_direct_convolutions_are_relative() -> None:
    p = 10.0 ** RNG(26).uniform(-70, -50, 300)
    found = convolution(Balls.of(p), Balls.of(p))
    assert (found.radius <= 1000 * UNIT * found.middle).all()


@precise
def test_inverse_transforms_err_by_less_than_their_norm_says() -> None:
    rng = RNG(27)
    for length in (2, 8, 45, 100):
        for scale in (1.0, 1e-80, 1e-170):
            kept = length // 2 + 1
            spectra = np.zeros((2, kept), dtype=complex)
            spectra[:] = scale * (rng.normal(size=(2, kept)) + 1j * rng.normal(size=(2, kept)))
            spectra[:, 0] = spectra[:, 0].real
            if length % 2 == 0:
                spectra[:, -1] = spectra[:, -1].real
            values, errors = inverse_real(spectra, length, kept)
            for row, spectrum, error in zip(values, spectra, errors, strict=True):
                whole = [acb(float(v.real), float(v.imag)) for v in spectrum]
                whole += [v.conjugate() for v in whole[1 : (length + 1) // 2]][::-1]
                truth = [v.real / length for v in acb.dft([v.conjugate() for v in whole])]
                off = [abs(arb(float(r)) - t) for r, t in zip(row, truth, strict=True)]
                assert all(bool(o <= arb(float(error))) for o in off)
    assert transform_error(1024, 1.0) == 44 * UNIT


@precise
def test_directed_sums_products_and_exponentials() -> None:
    rng = RNG(28)
    for _ in range(4 * COUNT):
        values = sizes(rng, int(rng.choice([1, 3, 200])))
        exact = [*map(arb, values.tolist())]
        total = sum(exact, arb(0))
        with np.errstate(all="ignore"):
            above, below = float(outward.sum_up(values)), float(outward.sum_down(values))
            running = outward.running_down(values), outward.running_up(values)
        assert above == math.inf or bool(arb(below) <= total <= arb(above))
        if total < arb(2) ** 1000:
            assert bool(arb(outward.total_down(values.tolist())) <= total)
            assert bool(total <= arb(outward.total_up(values.tolist())))
            part = arb(0)
            for number, low, high in zip(exact, *map(np.ndarray.tolist, running), strict=True):
                part += number
                assert bool(arb(low) <= part <= arb(high))
        x, y = float(rng.choice(values)), float(rng.choice(sizes(rng, 3)))
        assert bool(arb(x) * arb(y) <= arb(outward.times_up(x, y))) or outward.times_up(x, y) == math.inf
        assert bool(arb(min(outward.times_down(x, y), 1.7e308)) <= arb(x) * arb(y))
        assert bool(arb(outward.add_down(x, -y)) <= arb(x) - arb(y) <= arb(outward.add_up(x, -y)))
        assert bool(arb(outward.difference_down(x, y)) <= max(arb(0), arb(x) - arb(y)))
        power = float(rng.uniform(-800, 700))
        assert bool(arb(outward.exp_down(power)) <= arb(power).exp() <= arb(outward.exp_up(power)))
        number = 10.0 ** float(rng.uniform(-300, 300))
        assert bool(arb(outward.log_down(number)) <= arb(number).log() <= arb(outward.log_up(number)))
        epsilon = Fraction(int(rng.integers(0, 7000)), 10) / int(rng.choice([1, 10**9]))
        truth = (arb(epsilon.numerator) / epsilon.denominator).exp()
        low, high = outward.exponential(epsilon)
        assert bool(arb(low) <= truth <= arb(high))
        low, high = outward.growth(epsilon)
        assert bool(arb(low) <= truth - 1 <= arb(high))
        assert high <= low * (1 + 1e-11) + 1e-300
        for power, sign in ((epsilon, 1), (-epsilon, -1)):
            low, high = outward.exp_of(power)
            assert bool(arb(low) <= truth**sign <= arb(high))
        low, high = outward.fall_of(epsilon)
        assert bool(arb(low) <= 1 - 1 / truth <= arb(high))
        assert high <= low * (1 + 1e-13) + 1e-300
        if y:
            quotient = arb(x) / arb(y)
            assert bool(arb(min(outward.quotient_down(x, y), 1.7e308)) <= quotient)
            assert outward.quotient_up(x, y) == math.inf or bool(quotient <= arb(outward.quotient_up(x, y)))


def test_floats_beside_fractions() -> None:
    rng = RNG(29)
    for _ in range(COUNT):
        number = Fraction(int(rng.integers(-(10**9), 10**9)), int(rng.integers(1, 10**9))) ** int(
            rng.choice([1, 3, -35]) or 1
        )
        low, high = outward.float_down(number), outward.float_up(number)
        assert math.isinf(low) or Fraction(low) <= number
        assert math.isinf(high) or number <= Fraction(high)
        assert low == high or math.nextafter(low, math.inf) == high
    assert outward.float_up(Fraction(10) ** 400) == math.inf
    assert outward.float_up(Fraction(1, 10**400)) == 5e-324
    assert outward.float_down(Fraction(1, 10**400)) == 0.0


@precise
def test_logarithms_of_any_fraction_sums_of_exponentials_and_constants() -> None:
    rng = RNG(30)
    for _ in range(COUNT):
        number = Fraction(int(rng.integers(1, 10**9)), int(rng.integers(1, 10**9))) ** int(rng.integers(1, 200))
        truth = (arb(number.numerator) / number.denominator).log()
        assert inside(log_of(number).reshape(1), [truth])
        table = Balls.of(rng.uniform(-5000, 5000, (6, 3)))
        found = log_sum_exp(table)
        truths = [sum((arb(v).exp() for v in column), arb(0)).log() for column in table.middle.T.tolist()]
        assert inside(found, truths)
        places = rng.integers(0, 4, 50)
        balls = Balls.of(rng.uniform(-1, 1, 50))
        sums = [Fraction(0)] * 4
        for place, value in zip(places.tolist(), balls.middle.tolist(), strict=True):
            sums[place] += Fraction(value)
        together = gathered(balls, places, 4)
        for exact, m, r in zip(sums, together.middle.tolist(), together.radius.tolist(), strict=True):
            assert abs(exact - Fraction(m)) <= Fraction(r)
    assert inside(PI.reshape(1), [arb.pi()])
    assert inside(LN_2.reshape(1), [arb(2).log()])
