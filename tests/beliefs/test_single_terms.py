"""Each part of an error by itself, where the other parts would be too small, and the last rounding of a sum."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dalenius.beliefs import coins, interpreter, joint, sample_sizes, two_kinds
from dalenius.beliefs.coins import CoinsCurve, _rounded_down
from dalenius.beliefs.crowd import YesNo
from dalenius.beliefs.joint import JointLaw, VectorCurve, sure_count
from dalenius.beliefs.markov_known import Stretches
from dalenius.beliefs.sample_sizes import others_in_sample, repaired_bound
from dalenius.beliefs.worst import WorstCurve
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import UNIT
from dalenius.judge.witness import _Event
from dalenius.numerics import charfun
from dalenius.numerics.curve import Constant, Enclosed
from dalenius.numerics.law import Law
from dalenius.numerics.search import Windows
from dalenius.tables import moves
from numerics.test_last_units import summed
from oracle import balls
from oracle import laws as lw

F = Fraction
TINY = 0.05 * UNIT
BLOCK = np.array([1.0] * 8 + [0.999 * UNIT] * 112) / 64  # eight running sums, each of which loses fourteen units
SHARP: Any = SimpleNamespace(most=lambda *_: 1.0)


# -- sums that lose what is added last ------------------------------------------------------------------------------


def test_what_is_missing_of_a_joint_law_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VectorCurve, "_upper", lambda *_: 0.25)
    found = VectorCurve(JointLaw((0,), np.ones(1), 0.0, 0.0), ((1,),), TINY).delta(F(1))
    assert F(found.upper) >= F(1, 4) + F(TINY)


def test_what_is_missing_of_a_range_of_runs_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(YesNo, "shared", lambda *_: (None, TINY))
    curve = SimpleNamespace(delta=lambda _: Bracket(0.0, 0.25))
    asked: Any = SimpleNamespace(
        channel=SimpleNamespace(period=0),
        crowd=YesNo(0, 1, np.array([0.5]), np.array([9])),
        _curve=lambda *_: curve,
    )
    assert F(WorstCurve._bound(asked, Windows(1, 0, 8), epsilon=F(1))) >= F(1, 4) + F(TINY)


def test_what_is_left_of_a_mean_over_draws_is_not_lost() -> None:
    hides: Any = SimpleNamespace(hidden=lambda *_: SimpleNamespace(delta=lambda _: 0.25))
    nothing: Any = None  # what is asked does not matter here
    found = Stretches._mean(hides, nothing, {3: TINY}, 1, F(1), nothing)
    assert F(found) >= F(1, 4) + F(TINY)


def test_a_tail_does_not_swallow_what_is_in_an_event() -> None:
    assert F(_Event(0, None).probability(Law(0, np.full(1, TINY), np.zeros(1), 0.25))[1]) >= F(1, 4) + F(TINY)


def test_a_tail_does_not_swallow_the_chance_of_few_coins() -> None:
    law = Law(3, np.array([TINY, 0.5]), np.zeros(2), 0.25)
    count, miss = CoinsCurve(law, 0.5, SHARP).sure(0.3)
    assert count == 4
    assert F(miss) >= F(1, 4) + F(TINY)
    nobody = CoinsCurve(Law(0, np.ones(1), np.zeros(1), 0.25), 0.5, SHARP)
    assert nobody.sure(0.1) == (0, 0.25)


def test_a_long_sum_does_not_swallow_the_chance_of_few_coins() -> None:
    """Fifty thousand masses, each too small to move the sum of those before it."""
    masses = np.array([0.25, *[2.0**-56] * 50_000, 0.7])
    count, miss = CoinsCurve(Law(0, masses, np.zeros(len(masses))), 0.5, SHARP).sure(0.3)
    assert count > 40_000
    assert F(miss) >= F(1, 4) + (count - 1) * F(1, 2**56)


def test_topics_of_which_much_is_missing_lose_nothing_else() -> None:
    curves: Any = [CoinsCurve(Law(5, np.ones(1), np.zeros(1), 0.125), 0.5, SHARP)] * 2
    asked: Any = SimpleNamespace(epsilon=F(1), enough=F(9, 10), binomials=lambda _: TINY)
    assert F(moves.Several.together(asked, curves)) >= F(1, 4) + F(TINY)


def test_live_records_lose_nothing_to_errors_and_a_tail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three sums, each of which loses nearly a unit."""
    small = 0.999 * UNIT / 4
    law = Law(0, np.array([0.25, 0.0]), np.array([small, small]), small)
    monkeypatch.setattr(joint, "law_of_rates", lambda *_: law)
    live, missing = sure_count(5, F(1, 2), 0.3)
    assert live == 2
    assert F(missing) >= F(1, 4) + 3 * F(small)
    law = Law(0, np.array([TINY, 0.5]), np.zeros(2), 0.25)
    live, missing = sure_count(5, F(1, 2), 0.3)
    assert live == 1
    assert F(missing) >= F(1, 4) + F(TINY)


def test_numbers_of_coins_are_rounded_down() -> None:
    counts = np.arange(1, 200_000, 37)
    few = _rounded_down(counts)
    assert (few <= counts).all()
    assert len(set(few.tolist())) < len(counts)
    spread = CoinsCurve(Law(100_001, np.array([0.1, 0.9]), np.zeros(2)), 0.5, SHARP)
    assert spread.sure(0.2)[0] <= 100_002
    assert spread.sure(0.01)[0] <= 100_001


def test_what_a_record_has_at_the_ends_of_a_change_is_rounded_down() -> None:
    ends = [(F(part, 201), 1 - F(part, 201)) for part in range(1, 100)]
    topic: Any = SimpleNamespace(_masses={}, ends=lambda *_: ends, look_of=np.arange(99))
    for found, side in zip(moves._Topic.masses(topic, (1,), 0.5), (0, 1), strict=True):
        for mass, end in zip(found.tolist(), ends, strict=True):
            assert end[side] * (1 - F(1, 10**15)) <= F(mass) <= end[side]


# -- sizes of samples -----------------------------------------------------------------------------------------------


def test_long_sums_over_sizes_lose_more_than_short_ones() -> None:
    law, none = Law(1, BLOCK, np.zeros(120)), np.zeros(120)
    found = sample_sizes._mass(law, (none, BLOCK), (none, none), F(1))
    assert F(found.upper) >= summed(BLOCK)
    shares = others_in_sample(law, person=1)
    assert abs(F(float(shares.mass[0])) - F(1, 64) / summed(BLOCK)) <= F(float(shares.error[0]))


def test_shares_of_few_sizes_are_products_and_quotients() -> None:
    """Of two sizes: two products, a sum and a quotient may all err the same way."""
    worst = F(0)
    for a, b, first in np.random.default_rng(3).uniform([0.1, 0.1, 3], [0.5, 0.5, 900], (400, 3)).tolist():
        low = int(first)
        law = Law(low, np.array([a, b]), np.zeros(2))
        found = others_in_sample(law)
        truth = low * F(a) / (low * F(a) + (low + 1) * F(b))
        off = abs(F(float(found.mass[0])) - truth)
        assert off <= F(float(found.error[0]))
        worst = max(worst, off / truth)
    assert worst > 2 * F(UNIT)


@balls.precise
def test_a_repaired_bound_has_both_of_its_parts() -> None:
    twice = balls.ball(F(2))
    rare = 2 * (twice - 5 * ((-twice).exp() - 1 + twice)).exp()
    found = F(repaired_bound(5, 1, 0.25))
    assert F(1, 4) + balls.upper(rare) <= found <= F(1, 4) + balls.upper(rare) * (1 + F(1, 10**9))


# -- joint laws -----------------------------------------------------------------------------------------------------


def test_a_running_sum_at_the_end_of_a_box_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred masses at each end that do not change a plain sum, but are too much to be left out."""
    last = 2.0**-20
    end = [last, *[0.999 * UNIT * last] * 200]
    law = Law(0, np.array([*end, 0.5, *end[::-1]]), np.zeros(403))
    monkeypatch.setattr(charfun, "ladder", lambda *_, **__: SimpleNamespace(law=lambda: law))
    found = joint.joint_law({(0,): F(1, 2), (1,): F(1, 2)}, 402, 2 * float(np.nextafter(last, 1)))
    assert F(found.tail) >= 2 * sum(map(F, end[: found.start[0]]))


STEP = (0, 1)


def test_what_is_folded_into_a_box_may_count_twice_for_an_upper_bound() -> None:
    """A tenth of the mass is far away, where it tells everything, and stored where it hides another mass."""
    law = JointLaw((0, 0), np.array([[0.7, 0.1, 0.2]]), 0.0, 0.1)
    truth = {(0, 0): F(7, 10), (0, 2): F(2, 10), (0, 9): F(1, 10)}
    exact = lw.hockey_stick(truth, lw.shift(truth, STEP), F(1, 2))
    assert VectorCurve(law, (STEP,))._upper((0, 1), F(1, 2)) >= balls.lower(exact) * (1 - F(1, 10**15))


def test_what_is_outside_a_box_may_move_into_it() -> None:
    law = JointLaw((0, 0), np.array([[0.9]]), 0.0, 0.1)
    truth = {(0, -1): F(1, 10), (0, 0): F(9, 10)}
    exact = lw.hockey_stick(truth, lw.shift(truth, STEP), F(1))
    assert F(VectorCurve(law, (STEP,))._lower((0, 1), F(1))) <= balls.upper(exact)


# -- two kinds ------------------------------------------------------------------------------------------------------


def test_a_sum_of_many_parts_loses_a_unit_at_every_turn() -> None:
    """Fifteen in each of eight running sums, and one wherever two halves are added."""
    small = 0.999 * UNIT
    halves = [np.full(128 << k, 8 * small / (128 << k)) for k in range(3)]
    mass = np.concatenate([np.ones(8), np.full(120, small), *halves]) / 16
    law = Law(0, mass, np.zeros(1024), small / 2)
    assert F(two_kinds._mean(law, np.zeros(1024), F(1))) >= summed(mass) + F(small / 2)


# -- which end of a bracket -----------------------------------------------------------------------------------------

WIDE: Any = Enclosed(Constant(0.125), Constant(0.25))


def test_coins_count_with_their_upper_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coins, "ShiftCurve", lambda *_: WIDE)
    assert coins.Coins().most(0.5, F(1), 3) >= 0.25


def test_parts_of_a_mixture_count_with_their_upper_ends() -> None:
    assert interpreter.TiltedCurve(WIDE, F(2)).delta(F(5)).upper >= 0.25
    assert F(interpreter.TiltedCurve(WIDE, F(2)).delta(F(0)).upper) >= 1 - F(3, 4) / 2


def test_topics_count_with_their_upper_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    several = moves.Several(F(1), F(1, 10))
    assert several.together([WIDE]) >= 0.25
    assert several.together([WIDE, WIDE]) >= 0.5
    monkeypatch.setattr(moves, "composed", lambda _: WIDE)
    assert several.binomials(((0.5, 3),)) >= 0.25
    assert several.closely([WIDE], [WIDE]) >= 0.25
    assert several.closely([WIDE], [CoinsCurve(Law(3, np.ones(1), np.zeros(1)), 0.5, SHARP)]) >= 0.25


def test_a_range_of_runs_counts_with_its_upper_end() -> None:
    asked: Any = SimpleNamespace(
        channel=SimpleNamespace(period=2), crowd=None, _without=lambda *_, **__: WIDE.delta(F(1))
    )
    asked.crowd, asked._curve = SimpleNamespace(law=lambda _: None), lambda *_: WIDE
    assert WorstCurve._bound(asked, Windows(1, 0, 8), epsilon=F(1)) >= 0.25
    asked.channel.period = 0
    assert WorstCurve._bound(asked, Windows(1, 0, 8), epsilon=F(1)) >= 0.25
