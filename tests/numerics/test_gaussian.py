"""The exact profile of the normal law, against ball arithmetic and golden values."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.numerics.gaussian import GaussianCurve

GOLDEN = json.loads((Path(__file__).parent.parent / "golden/sums.json").read_text(encoding="utf-8"))


def exact(epsilon: Fraction, ratio: Fraction) -> arb:
    """Phi(-a) - e^eps Phi(-b) in balls of 300 bits."""
    before, ctx.prec = ctx.prec, 300
    try:
        eps, r = (arb(x.numerator) / arb(x.denominator) for x in (epsilon, ratio))
        a, b = eps / r - r / 2, eps / r + r / 2
        return ((a / arb(2).sqrt()).erfc() - eps.exp() * (b / arb(2).sqrt()).erfc()) / 2
    finally:
        ctx.prec = before


@given(epsilon=st.fractions(0, 20), ratio=st.fractions(Fraction(1, 1000), 20))
def test_the_bracket_holds_the_profile_and_is_narrow(epsilon: Fraction, ratio: Fraction) -> None:
    truth = exact(epsilon, ratio)
    bracket = GaussianCurve(ratio).delta(epsilon)
    assert not arb(bracket.lower) > truth  # not certainly above, nor below
    assert not arb(bracket.upper) < truth
    a = float(epsilon / ratio - ratio / 2)
    if -20 < a < 30:
        assert bracket.width <= 1e-9 * float(max(1, ratio**-1)) * bracket.upper + 1e-300


@pytest.mark.parametrize(("case", "value"), GOLDEN["gk_gauss_profile"].items())
def test_golden_profiles(case: str, value: float) -> None:
    epsilon, ratio = (Fraction(part.split("=")[1]) for part in case.split(","))
    bracket = GaussianCurve(ratio).delta(epsilon)
    assert bracket.lower <= value * (1 + 1e-9)
    assert bracket.upper >= value * (1 - 1e-9)
    assert bracket.width <= 1e-9 * value


@pytest.mark.parametrize(("case", "sigma"), GOLDEN["gauss_mech_sigma_shift1"].items())
def test_golden_scales_meet_their_target_just_so(case: str, sigma: float) -> None:
    epsilon, delta = (Fraction(part.split("=")[1]) for part in case.split(","))
    assert GaussianCurve(1 / Fraction(sigma * (1 + 1e-7))).delta(epsilon).certainly_at_most(delta)
    assert GaussianCurve(1 / Fraction(sigma * (1 - 1e-7))).delta(epsilon).certainly_above(delta)


def test_a_ratio_must_be_positive() -> None:
    with pytest.raises(InputError):
        GaussianCurve(Fraction(0))
