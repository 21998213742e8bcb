"""Many binomial totals at once, against sums in sixty digits that share no code with the engine."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from dalenius.mechanisms import DiscreteGaussian
from dalenius.numerics.law import Law as Drawn
from dalenius.numerics.many_binomials import Binomials

DIGITS = 60
SMALL = [(1, "1/2"), (2, "1/100"), (7, "1/3"), (12, "9/10"), (40, "1/7"), (40, "999/1000")]
Law = dict[int, Decimal]


def decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def binomial(count: int, rate: Fraction, *, reach: int = 10**9) -> Law:
    """By its recurrence from the mode, divided by its sum; beyond `reach` there is nothing to sixty digits."""
    odds, mode = decimal(rate / (1 - rate)), int(count * rate)
    found = {mode: Decimal(1)}
    for k in range(mode + 1, min(count, mode + reach) + 1):
        found[k] = found[k - 1] * (count + 1 - k) / k * odds
    for k in range(mode - 1, max(0, mode - reach) - 1, -1):
        found[k] = found[k + 1] * (k + 1) / (count - k) / odds
    whole = sum(found.values())
    return {k: mass / whole for k, mass in found.items()}


def noise(weight) -> Law:
    found = {k: weight(abs(k)) for k in range(-400, 401)}
    whole = sum(found.values())
    return {k: mass / whole for k, mass in found.items()}


def plus(one: Law, other: Law) -> Law:
    found: Law = {}
    for a, p in one.items():
        for b, q in other.items():
            found[a + b] = found.get(a + b, Decimal(0)) + p * q
    return found


def rounded(law: Law, base: int, moved: int = 0) -> Law:
    found: Law = {}
    for k, mass in law.items():
        place = (k + moved + base // 2) // base
        found[place] = found.get(place, Decimal(0)) + mass
    return found


def apart(first: Law, second: Law, epsilon: Fraction) -> Decimal:
    factor, nothing = decimal(epsilon).exp(), Decimal(0)
    keys = first.keys() | second.keys()
    return max(
        sum((max(nothing, one.get(k, nothing) - factor * two.get(k, nothing)) for k in keys), nothing)
        for one, two in ((first, second), (second, first))
    )


def moved(law: Law) -> Law:
    return {k + 1: mass for k, mass in law.items()}


def rows(cases: list[tuple[int, str]], tail: float = 40.0) -> Binomials:
    rates = [Fraction(rate) for _, rate in cases]
    counts = np.array([count for count, _ in cases], dtype=np.int64)
    return Binomials(counts, np.array([float(rate / (1 - rate)) for rate in rates]), tail)


@pytest.fixture(autouse=True)
def sixty_digits():
    with localcontext() as context:
        context.prec = DIGITS
        yield


@pytest.mark.parametrize("tail", [1.0, 4.0, 40.0])
@pytest.mark.parametrize("epsilon", ["0", "1/10", "1", "5"])
def test_exact_totals(epsilon: str, tail: float) -> None:
    """With a narrow window too: what is left out is charged."""
    at = Fraction(epsilon)
    lower, upper = rows(SMALL, tail).exact(at)
    for place, (count, rate) in enumerate(SMALL):
        law = binomial(count, Fraction(rate))
        truth = apart(law, moved(law), at)
        assert Decimal(float(lower[place])) <= truth <= Decimal(float(upper[place]))
        assert tail < 40 or upper[place] - lower[place] <= 1e-12 * float(truth) + 1e-15


@pytest.mark.slow
@pytest.mark.parametrize("rate", ["1/10", "3/7", "1/1000", "7/9"])
def test_errors_of_long_products_are_charged(rate: str) -> None:
    """A million records: the odds are rounded once, and that error grows with every step from the mode."""
    count, exact = 1_000_000, Fraction(rate)
    spread = float(count * exact * (1 - exact)) ** 0.5
    law = binomial(count, exact, reach=int(18 * spread))
    for steps in (2, 6):
        at = Fraction(round(1000 * steps / spread), 1000)
        lower, upper = rows([(count, rate)], 100.0).exact(at)
        truth = apart(law, moved(law), at)
        assert Decimal(float(lower[0])) <= truth <= Decimal(float(upper[0]))
        assert float(upper[0] - lower[0]) <= 1e-6 * float(truth)


@pytest.mark.slow
@pytest.mark.parametrize("tail", [1.5, 40.0])
@pytest.mark.parametrize("scale", ["1/2", "3/2", "4"])
def test_geometric_noise(scale: str, tail: float) -> None:
    at, step = Fraction(1, 5), decimal(Fraction(scale))
    upper = rows(SMALL[:4], tail).geometric(at, Fraction(scale))
    drawn = noise(lambda k: (-k / step).exp())
    for place, (count, rate) in enumerate(SMALL[:4]):
        law = plus(binomial(count, Fraction(rate)), drawn)
        truth = apart(law, moved(law), at)
        assert truth <= Decimal(float(upper[place]))
        assert tail < 40 or float(upper[place]) <= float(truth) * (1 + 1e-9) + 1e-14
    assert not rows(SMALL[:4]).geometric(Fraction(4), Fraction(1, 4)).any()  # differentially private by itself


@pytest.mark.parametrize("tail", [2.0, 40.0])
def test_gaussian_noise(tail: float) -> None:
    at, scale = Fraction(1, 5), Fraction(3, 2)
    upper = rows(SMALL[:4], tail).noisy(at, DiscreteGaussian(scale).noise())
    drawn = noise(lambda k: (-Decimal(k * k) / (2 * decimal(scale) ** 2)).exp())
    for place, (count, rate) in enumerate(SMALL[:4]):
        law = plus(binomial(count, Fraction(rate)), drawn)
        truth = apart(law, moved(law), at)
        assert truth <= Decimal(float(upper[place]))
        assert tail < 40 or float(upper[place]) <= float(truth) * (1 + 1e-9) + 1e-14


@pytest.mark.parametrize("base", [2, 3, 5, 10])
def test_rounding(base: int) -> None:
    at = Fraction(1, 5)
    still = rows(SMALL).rounded(at, base, np.zeros(len(SMALL), dtype=bool))
    anywhere = rows(SMALL).rounded(at, base, np.ones(len(SMALL), dtype=bool))
    for place, (count, rate) in enumerate(SMALL):
        law = binomial(count, Fraction(rate))
        truths = [apart(rounded(law, base, by), rounded(moved(law), base, by), at) for by in range(base)]
        assert truths[0] <= Decimal(float(still[place]))
        assert float(still[place]) <= float(truths[0]) * (1 + 1e-9) + 1e-15
        assert max(truths) <= Decimal(float(anywhere[place]))
        assert float(anywhere[place]) <= float(max(truths)) * (1 + 1e-9) + 1e-15


def test_noise_that_is_left_out_is_charged() -> None:
    """Narrow noise in a narrow window: what its law leaves out is more than anything that rounds up."""
    at, scale, count, rate = Fraction(1, 5), Fraction(3, 8), 2, "27/50"
    upper = rows([(count, rate)], 0.1).noisy(at, DiscreteGaussian(scale).noise())
    law = plus(binomial(count, Fraction(rate)), noise(lambda k: (-Decimal(k * k) / (2 * decimal(scale) ** 2)).exp()))
    assert Decimal("0.434") < apart(law, moved(law), at) <= Decimal(float(upper[0]))


def test_errors_of_the_noise_are_charged_both_ways() -> None:
    """Noise whose masses are known to a tenth only may be sharper than they say."""
    at, count, rate = Fraction(1, 5), 2, "1/2"
    stated = Drawn(-1, np.array([0.25, 0.5, 0.25]), np.full(3, 0.1))
    upper = rows([(count, rate)]).noisy(at, stated)
    for sides in ("0.15", "0.2", "0.25", "0.3"):
        sharper = {-1: Decimal(sides), 0: 1 - 2 * Decimal(sides), 1: Decimal(sides)}
        law = plus(binomial(count, Fraction(rate)), sharper)
        assert apart(law, moved(law), at) <= Decimal(float(upper[0]))
    uneven = dict(enumerate(map(Decimal, ("0.1", "0.3", "0.1", "0.3", "0.2"))))
    even = rows([(1, "1/1000")]).noisy(Fraction(0), Drawn(0, np.full(5, 0.2), np.full(5, 0.1)))
    law = plus(binomial(1, Fraction(1, 1000)), uneven)
    assert Decimal("0.49") < apart(law, moved(law), Fraction(0)) <= Decimal(float(even[0]))


def test_totals_that_are_left_out_may_be_rounded_to_multiples_of_their_own() -> None:
    """In a narrow window nothing shows at an epsilon of 3; the multiples outside of it do."""
    at, count, rate = Fraction(3), 60, "93/100"
    upper = rows([(count, rate)], 0.1).rounded(at, 2, np.zeros(1, dtype=bool))
    law = binomial(count, Fraction(rate))
    truth = apart(rounded(law, 2), rounded(moved(law), 2), at)
    assert Decimal("0.012") < truth <= Decimal(float(upper[0]))


def test_rows_of_very_different_widths_do_not_meet() -> None:
    cases = [(5, "1/2"), (4_000_000, "1/2"), (9, "1/3")]
    lower, upper = rows(cases).exact(Fraction(0))
    alone = [rows([case]).exact(Fraction(0))[1][0] for case in cases]
    assert np.allclose(upper, alone, rtol=1e-9)
    assert (lower <= upper).all()
