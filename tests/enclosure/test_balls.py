"""Every operator and function of `Balls` holds what ball arithmetic finds, and is not wide."""

import math
import operator
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb

from amount import repetitions
from dalenius.enclosure.balls import Balls, choose
from dalenius.enclosure.floats import UNIT
from enclosure.arrays import RNG, inside, members, precise, radii, sizes

COUNT = repetitions(70, 1000)
LENGTH = 10


def drawn(rng: np.random.Generator, *, signed: bool = True, length: int = LENGTH) -> Balls:
    values = sizes(rng, length)
    if signed:
        values = values * rng.choice([-1.0, 1.0], length)
    return Balls.within(values, radii(rng, values))


OPERATORS: dict[str, Callable[..., object]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


@pytest.mark.parametrize("name", OPERATORS)
@precise
def test_operators_hold_every_pair_of_members(name: str) -> None:
    rng, operate = RNG(sum(name.encode())), OPERATORS[name]
    with np.errstate(all="ignore"):
        for _ in range(COUNT):
            one, two = drawn(rng), drawn(rng)
            result = operate(one, two)
            assert isinstance(result, Balls)
            for a in members(one, rng):
                for b in members(two, rng):
                    truths = [operate(x, y) if name != "/" or y != 0 else arb(0) for x, y in zip(a, b, strict=True)]
                    if name == "/":
                        known = [y != 0 for y in b]
                        kept = np.array(known)
                        assert inside(result[kept], [t for t, k in zip(truths, known, strict=True) if k])
                    else:
                        assert inside(result, truths)


@precise
def test_complex_numbers_below_the_normal_ones_are_as_large_as_they_are() -> None:
    rng = RNG(4)
    for _ in range(COUNT):
        parts = rng.integers(0, 9, (2, LENGTH)) * 5e-324
        tiny = Balls.of(parts[0] + 1j * parts[1])
        wide = Balls.within(np.ones(LENGTH, dtype=complex), 10.0 ** rng.uniform(250, 308, LENGTH))
        size, turned = abs(tiny), [tiny * wide, wide * tiny]
        for j, (x, y) in enumerate(parts.T.tolist()):
            exact = abs(acb(x, y))
            assert bool(exact <= arb(float(tiny.size[j])))
            assert bool(abs(exact - arb(float(size.middle[j]))) <= arb(float(size.radius[j])))
            for found in turned:
                off = abs(acb(x, y) * (1 + arb(float(wide.radius[j]))) - acb(complex(found.middle[j])))
                assert bool(off <= arb(float(found.radius[j])))
    assert (Balls.of(np.zeros(2, dtype=complex)).size == 0.0).all()


FUNCTIONS: dict[str, tuple[Callable[[Balls], Balls], Callable[[arb], arb]]] = {
    "exp": (Balls.exp, arb.exp),
    "expm1": (Balls.expm1, arb.expm1),
    "log": (Balls.log, arb.log),
    "log1p": (Balls.log1p, arb.log1p),
    "sqrt": (Balls.sqrt, arb.sqrt),
    "sin": (Balls.sin, arb.sin),
    "cos": (Balls.cos, arb.cos),
    "abs": (abs, abs),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@precise
def test_functions_hold_every_member(name: str) -> None:
    rng, (mine, exact) = RNG(len(name)), FUNCTIONS[name]
    for _ in range(2 * COUNT):
        balls = drawn(rng, signed=name not in ("log", "sqrt"))
        if name in ("exp", "expm1", "sin", "cos"):
            scale = 10.0 ** rng.uniform(-20, 3)
            values = rng.uniform(-1, 1, LENGTH) * scale
            balls = Balls.within(values, radii(rng, values))
        if name == "log1p" and rng.integers(2):
            values = -1 + 10.0 ** rng.uniform(-17, 0, LENGTH)
            balls = Balls.within(values, np.zeros(LENGTH))
        with np.errstate(all="ignore"):
            result = mine(balls)
        for numbers in members(balls, rng):
            for place, x in enumerate(numbers):
                truth = exact(x)
                if truth.is_finite():
                    assert inside(result[[place]], [truth]), (x, result.middle[place], result.radius[place])


@precise
def test_sums_running_sums_and_products_of_matrices_hold_every_member() -> None:
    rng = RNG(3)
    for _ in range(COUNT):
        length = int(rng.choice([1, 2, 7, 129, 300]))
        balls = drawn(rng, length=length)
        other = drawn(rng, length=length)
        with np.errstate(all="ignore"):
            whole, running, dot = balls.sum(), balls.cumsum(), balls @ other
        for numbers in members(balls, rng):
            sums = [arb(0)]
            for number in numbers:
                sums.append(sums[-1] + number)
            assert inside(running, sums[1:])
            assert inside(whole, sums[-1:])
            for more in members(other, rng):
                assert inside(dot, [sum((a * b for a, b in zip(numbers, more, strict=True)), arb(0))])


def test_sums_along_other_axes_and_of_turned_tables() -> None:
    rng = RNG(4)
    table = rng.uniform(0, 1, (40, 3)) * 10.0 ** rng.uniform(-9, 9, (40, 3))
    for mine, rows in ((Balls.of(table).sum(axis=0), table.T), (Balls.of(table.T).sum(axis=-1), table.T)):
        for middle, radius, row in zip(mine.middle.tolist(), mine.radius.tolist(), rows.tolist(), strict=True):
            assert abs(Fraction(middle) - sum(map(Fraction, row))) <= Fraction(radius)


def test_radii_that_lie_otherwise_in_memory_add_up_to_enough() -> None:
    """One error for all, or a turned table of errors: numpy adds those up one by one."""
    for size in (0.3, 0.7, 1 / 3):
        radius = np.asfortranarray(np.full((3, 200_000), size))
        whole = Balls.within(np.zeros(radius.shape), radius).sum(axis=-1)
        assert all(Fraction(one) >= 200_000 * Fraction(size) for one in whole.radius.tolist())


@precise
def test_complex_balls_hold_what_they_stand_for() -> None:
    rng = RNG(5)

    def some() -> np.ndarray:
        return 10.0 ** rng.uniform(-9, 9, LENGTH) * np.exp(1j * rng.uniform(-math.pi, math.pi, LENGTH))

    for _ in range(COUNT):
        a, b = some(), some()
        one, two = Balls.within(a, np.abs(a) * 1e-12), Balls.within(b, np.abs(b) * 1e-14)
        turned = Balls.within(1j * rng.uniform(-9, 9, LENGTH) + rng.uniform(-300, 300, LENGTH), np.full(LENGTH, 1e-15))
        results = (one + two, one * two, one / two, one - two, turned.exp(), (one @ two).reshape(1))
        for place in range(LENGTH):
            x, y, z = (acb(float(v.real), float(v.imag)) for v in (a[place], b[place], turned.middle[place]))
            # as far off as they may be, in a direction of their own
            x, y = x * (1 + acb(0, 1e-12 * 0.999)), y * (1 - acb(1e-14 * 0.999))
            for result, truth in zip(results, (x + y, x * y, x / y, x - y, z.exp()), strict=False):
                m, r = complex(result.middle[place]), float(result.radius[place])
                assert bool(abs(truth - acb(m.real, m.imag)) <= arb(r))


def test_radii_of_single_steps_are_a_few_units() -> None:
    """Tightness: what an operation adds to exact operands is a few units of the result."""
    rng = RNG(6)
    a, b = Balls.of(rng.uniform(0.1, 9, 50)), Balls.of(rng.uniform(0.1, 9, 50))
    for result, units in ((a + b, 1.1), (a * b, 1.1), (a / b, 1.1), (a.exp(), 8.1), (a.log1p(), 8.1), (a.sqrt(), 1.1)):
        assert (result.radius <= units * UNIT * np.abs(result.middle) + 1e-300).all()
    tiny = Balls.of(10.0 ** rng.uniform(-60, -50, 50))
    assert ((tiny * tiny).radius <= 1.1 * UNIT * (tiny * tiny).middle).all()  # relative at 1e-120 as anywhere


def test_what_is_exact_stays_exact() -> None:
    zero, some = Balls.of(np.zeros(3)), Balls.within(np.array([1.0, 2.0, 0.0]), np.array([0.5, 0.0, 1e-20]))
    assert (zero * some).radius.tolist() == [0.0, 0.0, 0.0]
    assert (zero / Balls.of(np.ones(3))).radius.tolist() == [0.0, 0.0, 0.0]
    assert ((some + zero).radius <= some.radius * (1 + 1e-14)).all()
    assert (-some).radius is some.radius
    assert (zero * Balls.within(np.zeros(3), np.inf)).radius.tolist() == [0.0] * 3
    assert Balls.of(np.array([0.0, 0.7, 0.0])).sum().radius == 0.0
    assert Balls.of(3).radius == 0.0


def test_what_overflows_or_leaves_its_domain_is_unknown_and_never_nan() -> None:
    big = Balls.of(np.array([1e300, 1e308, 800.0, -1.0, 0.0, np.inf, np.nan]))
    with np.errstate(all="ignore"):
        for result in (
            big * big,
            big.exp(),
            big.log(),
            big.sqrt(),
            big.log1p(),
            1 / big,
            big - big,
            big.sum(),
            big @ big,
        ):
            assert not np.isnan(result.middle).any()
            assert not np.isnan(result.radius).any()
            assert (np.isfinite(result.radius) | (result.middle == 0)).all()
    assert (1 / Balls.within(np.array([1.0]), 1.0)).radius[0] == np.inf
    assert big.upper[-1] == np.inf
    assert big.lower[-1] == -np.inf


def test_fractions_large_whole_numbers_and_ends_are_held() -> None:
    for number in (Fraction(1, 3), Fraction(10) ** 20 + 1, Fraction(1, 10**310), Fraction(-7, 9)):
        ball = Balls.of(number)
        assert Fraction(float(ball.lower)) <= number <= Fraction(float(ball.upper))
    whole = Balls.of(2**60 + 1)
    assert Fraction(float(whole.lower)) <= 2**60 + 1 <= Fraction(float(whole.upper))
    third = Balls.of([Fraction(1, 3), Fraction(2, 3)])
    assert (third.radius > 0).all() and third.shape == (2,)
    many = Balls.of(np.array([2**60 + 1]))
    assert Fraction(float(many.lower[0])) <= 2**60 + 1 <= Fraction(float(many.upper[0]))
    rng = RNG(8)
    low = rng.uniform(-1, 1, 50)
    for low_ends, high_ends in ((low, low + 1e-17), (low, low), (low, low + 1), (low * 1e-323, low * 1e-323 + 1e-323)):
        ball = Balls.between(low_ends, high_ends)
        for a, b, m, r in zip(low_ends, high_ends, ball.middle, ball.radius, strict=True):
            assert Fraction(m) - Fraction(r) <= Fraction(a) <= Fraction(b) <= Fraction(m) + Fraction(r)
    assert Balls.between(np.array([np.inf, 1.0]), np.inf).radius.tolist() == [np.inf, np.inf]


@precise
def test_the_larger_the_smaller_and_powers() -> None:
    rng = RNG(9)
    for _ in range(COUNT):
        one, two = drawn(rng), drawn(rng)
        most, few, cube = one.at_least(two), one.at_most(two), one**3
        picked = choose(one.middle > two.middle, one, two)
        assert picked.shape == one.shape
        for a in members(one, rng):
            with np.errstate(all="ignore"):
                assert inside(cube, [x * x * x for x in a])
            for b in members(two, rng):
                assert inside(most, [max(x, y) for x, y in zip(a, b, strict=True)])
                assert inside(few, [min(x, y) for x, y in zip(a, b, strict=True)])
