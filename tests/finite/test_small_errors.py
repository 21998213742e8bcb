"""What finite mechanisms, conversions and searches may be off by: each part is there, and each is needed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from dalenius.basics.errors import InputError
from dalenius.claims.conversions import (
    dp_from_shift,
    dp_from_small_shift,
    epsilon_from_stability,
    semantic_from_dp,
    variation_from_indistinguishability,
)
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import raised
from dalenius.facts.statistics import Count
from dalenius.judge.engine import Judgement
from dalenius.judge.group import Group, Laws
from dalenius.judge.verdict import most_known
from dalenius.mechanisms import Chain
from dalenius.mechanisms.channel import NOISE_TAIL, discrete_gaussian, two_sided_geometric
from dalenius.numerics.decimals import rounded
from dalenius.papers.mechanisms import finite
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.mechanisms.rows import published
from dalenius.papers.worlds import Finite
from dalenius.plan import calibration
from dalenius.plan.calibration.noise import shortened, told
from dalenius.plan.calibration.solve import _not_below, _shown
from oracle import balls

F = Fraction
COINS = Finite.product([{0: "1/3", 1: "2/3"}] * 4)
EVERY = np.ones(16, dtype=bool)
SCALE = F(13, 10)


def noisy() -> FiniteMechanism:
    return FiniteMechanism.of(Count() >> two_sided_geometric(SCALE), COINS)


# -- rows ---------------------------------------------------------------------------------------------------------


@balls.precise
def _chance(output: int, last: int) -> arb:
    """The probability of an output of the noisy count; 0 and `last` stand for all beyond."""
    x = balls.exponential(-1 / SCALE)
    total = arb(0)
    for j in range(5):
        weight = balls.ball(math.comb(4, j) * F(2, 3) ** j * F(1, 3) ** (4 - j))
        total += weight * x ** abs(output - j) / (1 + x) * (1 if output in (0, last) else 1 - x)
    return total


def test_rows_of_floats_are_within_their_error() -> None:
    law = noisy().law(COINS, EVERY)
    assert law is not None and len(law.mass) == 5
    for output, mass in enumerate(law.mass.tolist()):
        truth = _chance(output, 4)
        assert F(mass) * (1 - F(law.error)) <= balls.lower(truth)
        assert balls.upper(truth) <= F(mass) * (1 + F(law.error))


def test_a_slack_and_what_is_lost_reach_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    slack = replace(noisy(), slack=0.01)
    for made in (slack, slack.moved(np.arange(16))):
        law = made.law(COINS, EVERY)
        assert law is not None and law.slack >= 0.01
    assert slack.beside(replace(noisy(), slack=0.02)).slack >= 0.03
    monkeypatch.setattr(finite, "underflow", lambda *_: 0.25)
    law = noisy().law(COINS, EVERY)
    assert law is not None and law.slack >= 0.25


def test_products_below_the_smallest_float_are_a_slack() -> None:
    tiny = FiniteMechanism((0, 1), np.array([0]), np.array([[1e-200, 1.0]]))
    both = tiny.beside(tiny)
    assert F(both.slack) >= 2 * F(1e-200) * F(1e-200)


def test_noise_that_floats_cannot_hold_is_a_slack() -> None:
    """exp(-1000) is stored as zero."""
    found = published([two_sided_geometric(1)], np.array([0, 1000]))
    assert found.rows is not None
    assert found.rows.min() == 0
    assert balls.upper(balls.exponential(-1000)) <= F(found.slack)


def test_every_noise_that_is_cut_is_a_slack() -> None:
    once = published([discrete_gaussian(2)], np.arange(3)).slack
    assert once >= 2 * NOISE_TAIL
    assert published([discrete_gaussian(2)] * 2, np.arange(3)).slack >= 2 * once


# -- formulas -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [10, 30, 47, 80, 112, 119, 130, 300])
@pytest.mark.parametrize("times", [F(7, 3), F(11, 7), F(1)])
def test_digits_that_cancel_are_charged(size: int, times: Fraction) -> None:
    """Nearly nothing, as a difference of numbers of size one: tanh x is x, but for its third power."""
    small = times / F(10) ** size
    for found, truth, top in (
        (variation_from_indistinguishability(small, 0), small / 2, small / 2),
        (dp_from_shift(small)[0], 4 * small, 4 * small * (1 + small)),
        (dp_from_small_shift(small)[0], 4 * small, 4 * small * (1 + 4 * small)),
        (epsilon_from_stability(F(1, 2), small), 2 * small, 2 * small * (1 + 4 * small)),
    ):
        assert F(found.lower) <= top
        assert truth * (1 - small * small) <= F(found.upper) <= 2 * truth + F(1, 10**44)


@pytest.mark.parametrize("seed", range(12))
def test_a_decimal_is_between_two_floats(seed: int) -> None:
    number = F(int(np.random.default_rng(seed).integers(1, 2**62)), 3**40)
    with localcontext(Context(prec=120)):
        found = rounded(Decimal(number.numerator) / Decimal(number.denominator))
    assert F(found.lower) < number < F(found.upper)
    assert found.width <= 8 * math.ulp(found.lower)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [5, 60, 130, 300, 2000])
def test_a_shift_of_nearly_one_keeps_its_digits(epsilon: int) -> None:
    """s = tanh(ε/2) + a is 1 - (2 - b) / (1 + e^ε) for a = b / (1 + e^ε): h(s) and h₂(s) converge as ε grows."""
    power = math.floor(epsilon / math.log(10))
    above = F(1, 2 * 10**power)
    found = semantic_from_dp(epsilon, F(1, 10**6), n=1, above=above)[1]
    truth = _costs(epsilon, above)
    assert F(found.lower) <= balls.upper(truth) / 10**6
    assert balls.lower(truth) / 10**6 <= F(found.upper) <= balls.upper(truth) / 10**6 * (1 + F(1, 10**14))


def _costs(epsilon: int, above: Fraction) -> arb:
    """1/h + 1/h₂ as the definitions have them, with enough digits."""
    with ctx.workprec(256 + 10 * epsilon):
        steep = arb(epsilon).exp()
        s, c = 1 - 2 / (steep + 1) + arb(above.numerator) / arb(above.denominator), steep * steep
        first = s if s > 1 - 1 / c else s - (c - 1) * (1 - (c * s / (c - 1)).sqrt()) ** 2
        bent = (s / (c - 1)).sqrt() < 1 - s
        second = (2 * (s * (c - 1)).sqrt() - (c - 1) * (1 - s)) / steep if bent else s / (1 - s) / steep
        return 1 / first + 1 / second


# -- searches -----------------------------------------------------------------------------------------------------


def test_a_short_scale_is_never_below_the_scale() -> None:
    for number in np.random.default_rng(0).uniform(0.001, 1000, 200).tolist():
        short = shortened(F(number))
        assert F(number) <= short <= F(number) * F(1002, 1000)


def test_a_scale_that_is_told_is_never_below_the_scale() -> None:
    for scale in (F(1, 3), F(2, 3), F(22, 7), F(10**20 + 1, 3), F(5, 2)):
        assert scale <= F(told(scale)) <= scale * (1 + F(1, 10**16))


@dataclass(frozen=True)
class _Figure:
    channel: object = None


@dataclass
class _Judge:
    """In place of a judge: what it says of each case in turn."""

    deltas: Sequence[float]
    enough: float = 0.5

    def single(self, atom: int, *_: object, **__: object) -> Any:
        if self.deltas[atom] < 0:
            raise InputError("This is too large.")
        return SimpleNamespace(delta=Bracket(0.0, self.deltas[atom]))


@pytest.mark.parametrize(("deltas", "most"), [((0.1, 0.3, 0.2), 0.3), ((0.1, -1.0), 1.0), ((0.1, 0.9), 0.9)])
def test_a_change_is_as_bad_as_its_worst_case(deltas: tuple[float, ...], most: float) -> None:
    cases = [calibration.CellCase(atom, 0) for atom in range(len(deltas))]  # type: ignore[arg-type]
    setting = calibration.FigureSetting(_Judge(deltas), _Figure(), tuple(cases), 1)  # type: ignore[arg-type]
    assert setting._one_by_one(None, cases) == most  # type: ignore[arg-type]


def test_what_is_only_perhaps_safe_is_not_known_to_hold() -> None:
    """From 4 known records on delta is between 0 and 1; from 7 on it is too much to judge."""

    def judged(group: Group, *, quick: bool) -> Judgement:
        assert quick
        if group.known >= 7:
            raise InputError("This is too large.")
        return Judgement(Bracket(0.0, 1.0 if group.known >= 4 else 0.0), "")

    law = (((0,), F(1, 2)), ((1,), F(1, 2)))
    group = Group((Laws(((law, 9),), ((0,), (1,))),), (Chain(()),), 0)
    court: Any = SimpleNamespace(judged=judged, enough=F(1, 2))
    assert most_known(group, court) == 3


@pytest.mark.parametrize("seed", range(20))
def test_what_is_solved_for_is_printed_on_the_safe_side(seed: int) -> None:
    """Six digits: nobody who types them in again has less than what was found; nor is a lower end printed higher."""
    value = F(float(np.random.default_rng(seed).uniform(0, 10)))
    assert value <= F(_shown(value)) <= value * (1 + F(1, 10**4))
    assert value * (1 - F(1, 10**4)) <= F(_not_below(float(value)).split()[-1]) <= value
    assert _shown(F(22, 10)) == "2.2"


def test_more_than_a_float_has_is_rounded_up_too() -> None:
    """Numbers of six digits and a hair, whose float is below the six digits."""
    for part in range(100_000, 100_100):
        value = F(part, 10**6) + F(1, 10**30)
        assert value <= F(raised(value)) <= value + F(2, 10**6)
