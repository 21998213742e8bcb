"""Laws keep their promise: every true mass within its error, what is outside within the tail, and errors stay small."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError
from dalenius.enclosure.floats import UNIT
from dalenius.numerics import convolve as engine
from dalenius.numerics.law import Law, law_of, mixture, point
from numerics.checks import assert_covers, rounded_up, slack, wrong_laws
from oracle import laws as lw
from oracle import strategies

laws = strategies.laws(max_size=6)


@given(exact=laws)
def test_exact_masses_are_stored_to_the_last_digit(exact: lw.Law) -> None:
    law = law_of(exact)
    assert_covers(law, exact)
    assert law.relative <= 4 * UNIT
    assert law.tail == 0


def test_a_mass_below_the_smallest_float_is_not_taken_for_no_mass() -> None:
    tiny = Fraction(1, 10**340)
    assert_covers(law_of({0: tiny, 1: 1 - tiny}), {0: tiny, 1: 1 - tiny})


@pytest.mark.slow
@given(exact=laws, by=st.integers(-50, 50))
def test_shift_and_mirror_move_masses_and_change_nothing(exact: lw.Law, by: int) -> None:
    assert_covers(law_of(exact).shifted(by), lw.shift(exact, by))
    assert_covers(law_of(exact).mirrored(), lw.pushforward(exact, lambda k: -k))
    assert_covers(point(by), {by: Fraction(1)})


@pytest.mark.slow
@given(data=st.data(), parts=st.lists(laws, min_size=1, max_size=4))
def test_mixture_covers_the_truth_even_if_its_parts_are_as_wrong_as_they_may_be(
    data: st.DataObject, parts: list[lw.Law]
) -> None:
    weights = data.draw(strategies.masses(len(parts)))
    wrong = [data.draw(wrong_laws(exact)) for exact in parts]
    law = mixture(zip(weights, wrong, strict=True))
    assert_covers(law, lw.mixture(weights, parts))
    assert slack(law) <= 8 * sum(map(slack, wrong)) * max(len(law.mass), 1) + 1e-14


def test_a_tail_inside_the_window_of_another_part_is_charged_there() -> None:
    half = Fraction(1, 2)
    hidden = Law(0, np.array([0.5]), np.zeros(1), 0.5)  # half of it is somewhere: at 3, say
    law = mixture([(half, hidden), (half, law_of({2: half, 4: half}))])
    assert_covers(law, {0: half / 2, 3: half / 2, 2: half / 2, 4: half / 2})


def test_weights_that_do_not_sum_to_one_are_refused() -> None:
    with pytest.raises(InputError, match="sum to 1"):
        mixture([(Fraction(1, 3), point(0)), (Fraction(1, 3), point(1))])
    with pytest.raises(InputError, match="sum to 1"):
        law_of({0: Fraction(1, 3)})


@given(data=st.data(), exact=laws, base=st.integers(1, 5), offset=st.integers(0, 4))
def test_pushing_through_a_function_adds_masses_and_remembers_the_tail(
    data: st.DataObject, exact: lw.Law, base: int, offset: int
) -> None:
    wrong = data.draw(wrong_laws(exact))
    law = wrong.pushed((np.arange(wrong.start, wrong.stop) + offset) // base)
    truth = lw.pushforward(exact, lambda k: (k + offset) // base)
    assert_covers(law, truth)
    assert slack(law) <= slack(wrong) + wrong.tail * len(law.mass) + 1e-13


@given(data=st.data(), first=laws, second=laws)
def test_direct_convolution_covers_the_truth(data: st.DataObject, first: lw.Law, second: lw.Law) -> None:
    one, two = data.draw(wrong_laws(first)), data.draw(wrong_laws(second))
    law = engine.convolve(one, two)
    assert_covers(law, lw.convolve(first, second))
    assert slack(law) <= 2.1 * (len(law.mass) + 1) * (slack(one) + slack(two)) + 1e-13


@given(first=laws, second=laws)
def test_direct_convolution_keeps_relative_accuracy(first: lw.Law, second: lw.Law) -> None:
    law = engine.convolve(law_of(first), law_of(second))
    truth = lw.convolve(first, second)
    assert_covers(law, truth)
    for k, mass in truth.items():
        assert law.error[k - law.start] <= 60 * UNIT * float(mass) + 1e-299


@given(data=st.data(), first=laws, second=laws)
def test_fourier_convolution_covers_the_truth(data: st.DataObject, first: lw.Law, second: lw.Law) -> None:
    one, two = data.draw(wrong_laws(first)), data.draw(wrong_laws(second))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "DIRECT", 0)
        law = engine.convolve(one, two)
    assert_covers(law, lw.convolve(first, second))
    assert slack(law) <= 2.1 * (len(law.mass) + 1) * (slack(one) + slack(two)) + 1e-12


@given(exact=strategies.laws(max_size=4, low=-2, high=3), count=st.integers(1, 60))
def test_powers_cover_the_truth_directly_and_by_fourier(exact: lw.Law, count: int) -> None:
    truth = lw.power(exact, count)
    law = engine.power(law_of(exact), count)
    assert_covers(law, truth)
    for k, mass in truth.items():
        assert law.error[k - law.start] <= 4000 * UNIT * float(mass) + 1e-290
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "DIRECT", 0)
        rough = engine.power(law_of(exact), count)
    assert_covers(rough, truth)
    assert rough.additive <= 1e-10


def test_no_copies_sum_to_zero() -> None:
    assert_covers(engine.power(law_of({3: Fraction(1)}), 0), {0: Fraction(1)})


@given(data=st.data(), exact=laws, share=st.sampled_from([0.0, 1e-20, 1e-3, 0.1, 0.5, 1.0]))
def test_trimming_moves_the_ends_into_the_tail(data: st.DataObject, exact: lw.Law, share: float) -> None:
    wrong = data.draw(wrong_laws(exact))
    law = engine.trimmed(wrong, share)
    assert_covers(law, exact)
    assert law.tail <= (wrong.tail + share) * (1 + 1e-12)


def test_trimming_a_long_law_does_not_trust_a_running_sum() -> None:
    """Many equal small masses: a running sum drifts, and the floor stands at the drifted value."""
    n, mass = 20_000, 1e-3 / 3
    law = Law(0, np.full(n, mass), np.zeros(n))
    for cut in (101, 5003, 9001):
        running = np.cumsum(law.mass)[cut]
        kept = engine.trimmed(law, 2 * float(running))
        dropped = (kept.start - law.start + law.stop - kept.stop) * Fraction(mass)
        assert dropped <= Fraction(kept.tail)


@given(exact=laws)
def test_additive_bounds_the_distance_between_the_law_and_what_is_stored(exact: lw.Law) -> None:
    law = engine.convolve(law_of(exact), law_of(exact))
    truth = lw.convolve(exact, exact)
    distance = sum(abs(truth.get(law.start + i, Fraction(0)) - Fraction(m)) for i, m in enumerate(law.mass.tolist()))
    assert distance / 2 <= Fraction(law.additive)


def test_a_number_rounded_up_is_not_below() -> None:
    assert Fraction(rounded_up(Fraction(1, 3))) >= Fraction(1, 3)


def test_a_mixture_keeps_the_tails_of_its_parts() -> None:
    parts = [
        (Fraction(1, 4), Law(0, np.array([0.5]), np.zeros(1), 0.5)),
        (Fraction(3, 4), Law(2, np.array([0.75]), np.zeros(1), 0.25)),
    ]
    found = mixture(parts)
    assert Fraction(found.tail) >= Fraction(1, 4) * Fraction(1, 2) + Fraction(3, 4) * Fraction(1, 4)
    assert found.error[0] >= 0.75 * 0.25  # the tail of the second may lie where the first has its mass
    assert found.error[2] >= 0.25 * 0.5
