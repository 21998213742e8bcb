"""A mean over a random number of records: every error of its law is charged, in blocks as one by one."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.curve import Constant, Curve, Supremum
from dalenius.numerics.law import Law, law_of
from dalenius.numerics.mixing import Ahead, Guarded, Mixing
from oracle import strategies

ONE = Fraction(1)


def falling(rate: float) -> "type[Curve] | object":
    return lambda k: Constant(math.exp(-rate * k))


@given(masses=st.integers(2, 40).flatmap(strategies.masses), rate=st.sampled_from([0.0, 0.01, 1.0, 30.0]))
def test_the_mean_lies_in_its_bracket_and_the_bracket_is_as_narrow_as_wanted(
    masses: list[Fraction], rate: float
) -> None:
    wanted = math.fsum(float(mass) * math.exp(-rate * k) for k, mass in enumerate(masses))
    for close in (0.0, 0.01, 0.3):
        found = Mixing(law_of(dict(enumerate(masses))), falling(rate), close).delta(ONE)  # type: ignore[arg-type]
        assert found.lower * (1 - 1e-12) <= wanted <= found.upper * (1 + 1e-15)
        assert found.upper * (1 - close) <= wanted * (1 + 1e-11) + 1e-60


def test_errors_of_masses_and_the_tail_count() -> None:
    half = np.array([0.5, 0.5])
    plain = Mixing(Law(1, half, np.zeros(2)), falling(1.0))  # type: ignore[arg-type]
    loose = Mixing(Law(1, half, np.array([0.1, 0.0])), falling(1.0))  # type: ignore[arg-type]
    cut = Mixing(Law(1, half, np.zeros(2), 0.05), falling(1.0))  # type: ignore[arg-type]
    least = plain.delta(ONE)
    assert loose.delta(ONE).upper >= least.upper + 0.1 * math.exp(-1)
    assert loose.delta(ONE).lower <= least.lower - 0.1 * math.exp(-1) + 1e-12
    assert cut.delta(ONE).upper >= least.upper + 0.05


def test_a_mean_that_is_decided_is_not_looked_at_more_closely() -> None:
    asked: list[int] = []

    def at(k: int) -> Curve:
        asked.append(k)
        return Constant(math.exp(-0.1 * k))

    law = law_of({k: Fraction(1, 1000) for k in range(1000)})
    Mixing(law, at, 1e-6, enough=Fraction(9, 10)).delta(ONE)
    few = len(asked)
    Mixing(law, at, 1e-6).delta(ONE)
    assert few < 20 < len(asked) - few


def test_the_guard_takes_the_least_upper_and_the_largest_lower_end() -> None:
    guard = Guarded((Constant(0.5), Constant(0.3)), (Constant(0.1), Constant(0.2)), Fraction(3))
    assert guard.delta(ONE) == Bracket(0.2, 0.3)
    assert guard.delta(Fraction(3)) == Bracket(0.0, 0.0)
    assert Guarded(()).delta(ONE) == Bracket(0.0, 1.0)
    assert Guarded((Constant(0.3),), (Constant(0.3000001),)).delta(ONE) == Bracket(0.3, 0.3)


def test_one_direction_is_one_direction() -> None:
    law = law_of({0: Fraction(9, 10), 1: Fraction(1, 10)})
    assert Ahead(law, 1).delta(ONE).upper == pytest.approx(0.9)
    assert Ahead(law, -1).delta(ONE).upper == pytest.approx(1 - math.e / 10)


@pytest.mark.parametrize("seed", range(12))
def test_a_mean_is_rounded_outwards(seed: int) -> None:
    rng = np.random.default_rng(seed)
    masses, deltas = rng.dirichlet(np.ones(9)), np.sort(rng.uniform(0, 1, 9))[::-1]
    law = Law(0, masses, np.zeros(9))
    found = Mixing(law, lambda k: Constant(float(deltas[k])), 0.0).delta(ONE)
    exact = sum(Fraction(m) * Fraction(d) for m, d in zip(masses.tolist(), deltas.tolist(), strict=True))
    assert Fraction(found.lower) <= exact <= Fraction(found.upper)


def test_a_tail_does_not_swallow_a_mean() -> None:
    law = Law(0, np.array([2.0**-60]), np.zeros(1), 0.1)
    assert Fraction(Mixing(law, lambda _: Constant(1.0)).delta(ONE).upper) >= Fraction(0.1) + Fraction(2.0**-60)


class OneByOne(Curve):
    """A law against itself moved by one, asked at one ε after the other."""

    def __init__(self, law: Law) -> None:
        self.inner = Ahead(law, 1)

    def delta(self, epsilon: Fraction) -> Bracket:
        return self.inner.delta(epsilon)


@given(masses=st.integers(2, 40).flatmap(strategies.masses))
def test_bounds_between_knots_are_above_the_curve_and_of_several_the_least_and_the_worst_are_taken(
    masses: list[Fraction],
) -> None:
    curve, none = OneByOne(law_of(dict(enumerate(masses)))), Constant(0.3)
    epsilons = np.concatenate([[0.0], np.geomspace(1e-5, 30.0, 300)])
    some = epsilons[[0, 7, 120, 230, 260, 290, 300]]
    everywhere = dict(zip(epsilons.tolist(), curve.uppers(epsilons).tolist(), strict=True))
    least = dict(zip(epsilons.tolist(), Guarded((curve, none)).uppers(epsilons).tolist(), strict=True))
    worst = dict(zip(epsilons.tolist(), Supremum((curve, none)).uppers(epsilons).tolist(), strict=True))
    for at in some.tolist():
        truth = curve.delta(Fraction(at)).upper
        assert everywhere[at] >= truth * (1 - 1e-14)  # which is itself rounded up
        assert least[at] == pytest.approx(min(everywhere[at], 0.3)) and worst[at] >= max(truth * (1 - 1e-14), 0.3)
