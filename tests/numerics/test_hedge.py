"""The inequality behind hedged counts: said to hold only where it does, in balls, and nearly always where it does."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.floats import UNIT
from dalenius.numerics import hedge
from oracle.balls import ball, precise

F = Fraction


def hedged(m, r, c, side, rate, odds):
    """For numbers that are known exactly, but for the logarithm of the odds."""
    rates = tuple(Balls.of(F(share)) for share in rate)
    return hedge.hedged(m, r, c if isinstance(c, Balls) else Balls.of(c), side, rates, Balls.within(*odds))


@precise
def peak(m, r, c, side):
    """The largest log of q^m (1-q)^r s(1 - q/c), with the quadratic in q itself; None if it is nowhere positive."""
    a, b = (1, 1 / c) if side > 0 else (-1, -1 / c)
    # (m+r+1) b q² - (mb + (m+r)a + b) q + ma = 0
    first, middle, last = (m + r + 1) * b, -(m * b + (m + r) * a + b), m * a
    root = (ball(middle) * ball(middle) - 4 * ball(first) * ball(last)).sqrt()
    found = []
    for way in (1, -1):
        q = (-ball(middle) + way * root) / (2 * ball(first))
        factor = ball(side) * (1 - q / ball(c))
        if q > 0 and q < 1 and factor > 0:
            found.append(m * q.log() + r * (1 - q).log() + factor.log())
    if m == 0 and side > 0:
        found.append(ball(0))  # q = 0
    if r == 0 and side < 0 and c < 1:
        found.append((1 / ball(c) - 1).log())  # q = 1
    return max(found, key=lambda value: float(value.mid())) if found else None


@precise
def margin(m, r, c, side, q, odds):
    """How much room there is, in logarithms: positive if the inequality holds; None where it cannot or must."""
    room = side * (q / c - 1)
    if room <= 0:
        return False
    top = peak(m, r, c, side)
    if top is None:
        return True
    return ball(room).log() + m * ball(q).log() + r * (1 - ball(q)).log() - ball(odds).log() - top


places = st.fractions(F(1, 1000), F(999, 1000), max_denominator=10**4)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    m=st.integers(0, 10**6),
    r=st.integers(0, 10**6),
    c=places,
    q=places,
    side=st.sampled_from([1, -1]),
    odds=st.sampled_from([F(999), F(19), F(3, 2)]),
)
def test_the_inequality_is_said_to_hold_only_where_it_does(m, r, c, q, side, odds):
    found = ask(m, r, c, q, side, odds)
    truth = margin(m, r, F(float(c)), side, q, odds)
    if isinstance(truth, bool):
        assert found == truth or not found
        return
    if found:
        assert truth > 0
    else:
        assert truth < 1e-7  # what rounding may cost


def ask(m, r, c, q, side, odds):
    log_odds = float(np.log(float(odds)))
    rate = float(q), float(1 - q)
    return bool(
        hedged(np.array([float(m)]), np.array([float(r)]), np.array([float(c)]), side, rate, (log_odds, 1e-14))[0]
    )


@pytest.mark.parametrize("side", [1, -1])
def test_close_calls_are_not_said_to_hold(side):
    """The weight at which the inequality just fails, and then one that is smaller by far less than rounding costs."""
    for m, r, near, far in (
        (400, 500, F(1, 3), F(1, 2)),
        (90_000, 10_000, F(4, 5), F(17, 20)),
        (5, 3, F(2, 5), F(1, 2)),
    ):
        c, q = (near, far) if side > 0 else (far, near)
        place = F(float(c))
        room = _log_room(m, r, place, side, q)
        rate = float(q), float(1 - q)
        for slack, expected in ((-3e-16, False), (1e-6, True)):
            answer = hedged(
                np.array([m * 1.0]), np.array([r * 1.0]), np.array([float(c)]), side, rate, (room - slack, 0.0)
            )
            assert bool(answer[0]) == expected


@precise
def _log_room(m, r, c, side, q):
    top = peak(m, r, c, side)
    return float((ball(side * (q / c - 1)).log() + m * ball(q).log() + r * (1 - ball(q)).log() - top).mid())


def test_a_root_that_is_off_is_paid_for(monkeypatch):
    """If the root were wrong by one per cent, the bound would still be one."""
    m, r, c, q = 400, 500, F(1, 3), F(1, 2)
    room = _log_room(m, r, F(float(c)), 1, q)
    right = hedge._peak
    for off in (0.9, 0.99, 1.01, 1.1):
        monkeypatch.setattr(hedge, "_peak", lambda *given, off=off: right(*given) * off)
        answer = hedged(np.array([400.0]), np.array([500.0]), np.array([float(c)]), 1, (0.5, 0.5), (room - 1e-12, 0.0))
        assert not answer[0]
        far = hedged(np.array([400.0]), np.array([500.0]), np.array([float(c)]), 1, (0.5, 0.5), (room - 0.1, 0.0))
        assert far[0]


@pytest.mark.parametrize("side", [1, -1])
def test_the_place_may_be_on_the_stricter_side(side):
    """Where q* and c agree but for a dozen units there is no room that is certain."""
    q = 0.3
    c = Balls.within(np.array([q * (1 - side * 12 * UNIT)]), 13 * UNIT * q)
    assert not hedged(np.array([0.0]), np.array([9.0]), c, side, (q, 0.7), (-700.0, 0.0))[0]
    assert hedged(np.array([0.0]), np.array([9.0]), np.array([q * (1 - side * 1e-9)]), side, (q, 0.7), (-700.0, 0.0))[0]


def test_the_error_of_the_weights_counts():
    room = _log_room(400, 500, F(float(F(1, 3))), 1, F(1, 2))
    for error, expected in ((0.0, True), (2e-6, False)):
        odds = (room - 1e-6, error)
        assert hedged(np.array([400.0]), np.array([500.0]), np.array([1 / 3]), 1, (0.5, 0.5), odds)[0] == expected


def test_nobody_of_the_kind_is_the_worst_rate_for_one_person():
    """M = 0: the largest is at q = 0, where it is (1-q*)^-r."""
    for r in (3, 10**6):
        top = -r * float(np.log(0.99))
        for slack, expected in ((-1e-12, False), (1e-6, True)):
            odds = (float(np.log(0.01 / 0.001 - 1)) - top - slack, 0.0)
            assert hedged(np.zeros(1), np.array([r * 1.0]), np.array([0.001]), 1, (0.01, 0.99), odds)[0] == expected
