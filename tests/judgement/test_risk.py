"""Risk in words, against all tests and all guesses on small laws, in fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.enclosure.brackets import Bracket
from dalenius.judge.risk import risk_from, risk_of
from dalenius.numerics.curve import Curve, PairCurve
from dalenius.numerics.gaussian import GaussianCurve
from dalenius.numerics.law import Law

F = Fraction
HAIR = F(1, 10**12)

weights = st.lists(st.integers(0, 20), min_size=3, max_size=4).filter(any)
rates = st.fractions(0, 1, max_denominator=200)


def law_of(counts: list[int]) -> list[Fraction]:
    return [F(count, sum(counts)) for count in counts]


def stored(law: list[Fraction]) -> Law:
    mass = np.array([float(share) for share in law])
    return Law(0, mass, mass * 2.0**-52)


def best_test(p: list[Fraction], q: list[Fraction], rate: Fraction) -> Fraction:
    """The most powerful test at this rate, by Neyman and Pearson: outcomes in the order of their ratio."""
    order = sorted(range(len(p)), key=lambda at: (q[at] == 0, p[at] / q[at] if q[at] else 0), reverse=True)
    power, left = F(0), rate
    for at in order:
        share = F(1) if q[at] == 0 else min(F(1), left / q[at])
        power, left = power + share * p[at], left - share * q[at]
    return power


def delta_of(p: list[Fraction], q: list[Fraction], steep: Fraction) -> Fraction:
    """The larger excess of one over `steep` times the other."""
    return max(
        sum((max(F(0), a - steep * b) for a, b in zip(one, other, strict=True)), F(0))
        for one, other in ((p, q), (q, p))
    )


def padded(first: list[int], second: list[int]) -> tuple[list[Fraction], list[Fraction]]:
    size = max(len(first), len(second))
    return tuple(law_of(some + [0] * (size - len(some))) for some in (first, second))  # type: ignore[return-value]


@pytest.mark.slow
@given(first=weights, second=weights, rate=rates)
def test_the_best_test_on_a_pair_of_laws_lies_in_the_bracket(first, second, rate):
    p, q = padded(first, second)
    curve = PairCurve(*map(stored, (p, q)))
    truth = max(best_test(p, q, rate), best_test(q, p, rate))
    found = risk_of(curve).found(rate)
    assert F(found.lower) - HAIR <= truth <= F(found.upper) + HAIR
    assert found.width < 0.02  # where a line is flat, its cells are what remains
    variation = sum(max(F(0), a - b) for a, b in zip(p, q, strict=True))
    assert F(risk_of(curve).advantage.lower) - HAIR <= variation <= F(risk_of(curve).advantage.upper) + HAIR


@given(first=weights, second=weights, rate=rates, steeps=st.lists(st.integers(0, 12), min_size=1, max_size=5))
def test_no_test_finds_more_than_a_few_points_of_the_curve_allow(first, second, rate, steeps):
    """δ at points ε = log of a fraction that is below e^ε: from the exact excess, rounded up."""
    p, q = padded(first, second)
    points = [(F(steep, 4), float(delta_of(p, q, 1 + F(steep, 4))) + 1e-15) for steep in steeps]
    truth = max(best_test(p, q, rate), best_test(q, p, rate))
    assert truth <= F(risk_from(points).found(rate).upper) + HAIR


@given(
    laws=st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=2, max_size=3), steep=st.integers(0, 6)
)
def test_no_guess_is_right_more_often_than_is_said(laws, steep):
    worlds = [law_of(counts) for counts in laws]
    rises = 1 + F(steep, 4)  # below e^ε, so that δ there is no less
    delta = max(delta_of(p, q, rises) for p in worlds for q in worlds)
    right = max(
        sum((worlds[guess][at] for at, guess in enumerate(guesses)), F(0)) / len(worlds)
        for guesses in product(range(len(worlds)), repeat=3)
    )
    assert right <= F(risk_from([(F(steep, 4), float(delta) + 1e-15)]).guessed(len(worlds)).upper) + HAIR


def test_randomised_response_attains_the_chance_of_a_right_guess():
    """Of k values, the true one is said e times as often as each other: right with e / (e + k - 1)."""
    for values in (2, 3, 10):
        found = risk_from([(F(1), 0.0)]).guessed(values)
        assert found.upper == pytest.approx(2.718281828459045 / (2.718281828459045 + values - 1), abs=1e-15)


@pytest.mark.parametrize("ratio", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.3])
def test_normal_noise_is_told_from_its_shift_as_the_closed_form_says(ratio, rate):
    found = risk_of(GaussianCurve(F(ratio))).found(F(rate))
    assert found.lower - 1e-12 <= norm.cdf(norm.ppf(rate) + ratio) <= found.upper + 1e-12
    assert found.width < 1e-6


def test_a_curve_of_several_pairs_claims_no_attack():
    """The worst subset of known records may be another one for each ε: below, only blind guessing is certain."""
    risk = risk_of(dl.curve(dl.Count(), dl.noiseless(dl.IID(p="0.2", n=1000, known=10))))
    found = risk.found("0.01")
    assert 0.01 - 1e-15 < found.lower <= 0.01 < found.upper < 0.02
    assert risk.guessed(2).upper <= 0.5159


class Several(Curve):
    """What stands for several pairs of laws, and takes long to judge."""

    def __init__(self) -> None:
        self.asked: list[Fraction] = []

    def delta(self, epsilon: Fraction) -> Bracket:
        self.asked.append(epsilon)
        return GaussianCurve(F(1, 5)).delta(epsilon)


def test_what_claims_no_attack_is_asked_for_a_few_points_only():
    """Each may take a search over all records that may be known; the number is that of the pair by itself."""
    curve = Several()
    risk = risk_of(curve)
    assert risk.found("0.01").upper == pytest.approx(risk_of(GaussianCurve(F(1, 5))).found("0.01").upper, rel=1e-9)
    assert risk.guessed(2).upper == pytest.approx(risk_of(GaussianCurve(F(1, 5))).guessed(2).upper, rel=1e-9)
    assert len(curve.asked) < 120


def test_what_is_no_risk_is_refused():
    risk = risk_from([(F(1), 0.0)])
    for wrong in (lambda: risk.found(2), lambda: risk.guessed(1), lambda: risk_from([])):
        with pytest.raises(InputError, match="but got"):
            wrong()
