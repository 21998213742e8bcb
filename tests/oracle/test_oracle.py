"""The oracle checks itself: two ways to every number, and closed forms."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb, fmpq, fmpq_mat
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from oracle import balls, binomial, channels, linear, noise, strategies
from oracle import composition as comp
from oracle import laws as lw
from oracle import poisson_binomial as pb
from oracle.datasets import by_datasets, exponential_bracket
from oracle.noiseless import Problem, Secret, worst_delta, worst_epsilon

pytestmark = pytest.mark.slow

THIN = Fraction(1, 10**40)
few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
many = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def thin(value: arb, *, to: arb | None = None) -> bool:
    """Whether the ball is narrow, compared with the size of `to`."""
    size = balls.upper(to) if to is not None else Fraction(1)
    return balls.width(value) <= THIN * size


# --- laws ---------------------------------------------------------------------------------


@pytest.mark.slow
@many
@given(strategies.law_pairs(), strategies.epsilons())
def test_the_hockey_stick_agrees_with_a_taylor_series_in_fractions(
    pair: tuple[lw.Law, lw.Law], epsilon: Fraction
) -> None:
    p, q = pair
    value = lw.hockey_stick(p, q, epsilon)
    low, high = exponential_bracket(epsilon)

    def excess(alpha: Fraction) -> Fraction:
        zero = Fraction(0)
        return sum((max(zero, m - alpha * q.get(k, zero)) for k, m in p.items()), zero)

    assert balls.lower(value) <= excess(low) and excess(high) <= balls.upper(value)
    assert thin(value)


@pytest.mark.slow
@many
@given(strategies.law_pairs(), strategies.deltas())
def test_curve_epsilon_is_the_least_epsilon_that_reaches_delta(pair: tuple[lw.Law, lw.Law], delta: Fraction) -> None:
    p, q = pair
    ratio = lw.curve_ratio(p, q, delta)
    if ratio is None:
        assert lw.both_ways(p, q, Fraction(60)) > balls.ball(delta)
        assert balls.is_infinite(lw.curve_epsilon(p, q, delta))
        return

    def reached(alpha: Fraction) -> Fraction:
        zero = Fraction(0)
        return max(
            sum((max(zero, m - alpha * b.get(k, zero)) for k, m in a.items()), zero) for a, b in ((p, q), (q, p))
        )

    assert reached(ratio) <= delta
    assert ratio == 1 or reached(max(Fraction(1), ratio * (1 - THIN))) > delta


@few
@given(strategies.law_pairs(), strategies.deltas())
def test_curve_epsilon_agrees_with_bisection(pair: tuple[lw.Law, lw.Law], delta: Fraction) -> None:
    p, q = pair
    delta *= 1 + Fraction(1, 10**12 + 39)  # balls cannot decide exact ties
    exact = lw.curve_epsilon(p, q, delta)
    assume(delta > 0 and not balls.is_infinite(exact))
    found = balls.least_epsilon(lambda epsilon: lw.both_ways(p, q, epsilon), delta)
    assert found.overlaps(exact) and balls.width(found) <= Fraction(1, 10**15)


@few
@given(st.lists(strategies.laws(max_size=3), min_size=1, max_size=4))
def test_a_sum_of_laws_is_the_pushforward_of_the_product(parts: list[lw.Law]) -> None:
    joint = lw.pushforward(lw.product(parts), sum)
    assert lw.sum_of(parts) == joint
    lw.check(joint)


def test_powers_shifts_mixtures_and_vectors_on_known_cases() -> None:
    third = Fraction(1, 3)
    coin = lw.bernoulli(third)
    assert lw.power(coin, 5) == lw.sum_of([coin] * 5) == lw.binomial(5, third)
    assert lw.mixture([third, 1 - third], [lw.point(1), lw.point(0)]) == coin
    vectors = lw.pushforward(coin, lambda x: (x, 1 - x))
    assert lw.power(vectors, 2)[(1, 1)] == 2 * third * (1 - third)
    assert lw.total_variation(coin, lw.shift(coin, 1)) == 1 - third
    assert lw.max_divergence(coin, lw.bernoulli(1 - third)).overlaps(balls.ball(2).log())
    assert balls.is_infinite(lw.max_divergence(coin, lw.point(0)))


def test_noise_laws_have_mass_one_and_the_promised_ratio() -> None:
    for law in (noise.two_sided_geometric(Fraction(1, 5)), noise.discrete_gaussian(Fraction(4))):
        whole = balls.total([*law.masses.values(), balls.between(arb(0), law.missing)])
        assert whole.overlaps(arb(1)) and thin(whole)
    geometric = noise.two_sided_geometric(Fraction(1, 5))
    leak = lw.hockey_stick(geometric, noise.shift_balls(geometric, 1), Fraction(1, 5))
    assert leak.contains(arb(0)) and thin(leak)


# --- noiseless privacy --------------------------------------------------------------------

CHANNELS = [
    channels.exact,
    channels.rounded_half_up(3),
    channels.rounded_down(2),
    channels.parity,
    channels.suppressed_below(2),
    lambda total: {total: Fraction(6, 7), total + 1: Fraction(1, 7)},
]


@pytest.mark.slow
@few
@given(
    strategies.integer_records(max_size=4),
    st.sampled_from(CHANNELS),
    st.sampled_from(["value", "presence", "presence only"]),
    st.integers(0, 3),
    strategies.epsilons(),
)
def test_convolutions_agree_with_listing_all_datasets(
    records: list[lw.Law], channel: channels.Channel, secret: Secret, known: int, epsilon: Fraction
) -> None:
    assume(known < len(records))
    problem = Problem(records, (0, 1, 3), channel=channel, secret=secret, known=known)
    fast, dumb = worst_delta(problem, epsilon), by_datasets(problem, epsilon)
    assert fast.delta.overlaps(dumb.delta)
    assert thin(fast.delta) and thin(dumb.delta)


@pytest.mark.slow
@pytest.mark.parametrize("law", [noise.two_sided_geometric(Fraction(2)), noise.discrete_gaussian(Fraction(1, 2))])
def test_convolutions_agree_with_listing_all_datasets_under_noise(law: lw.BallLaw) -> None:
    records = [{0: Fraction(2, 7), 1: Fraction(5, 7)}, {0: Fraction(1, 13), 2: Fraction(12, 13)}]
    problem = Problem(records, (0, 1, 2), channel=law, known=1)
    fast, dumb = (way(problem, Fraction(1, 2)) for way in (worst_delta, by_datasets))
    assert fast.delta.overlaps(dumb.delta) and thin(fast.delta) and thin(dumb.delta)


@pytest.mark.slow
def test_vector_figures_agree_with_listing_all_datasets() -> None:
    records = [{0: Fraction(2, 7), 1: Fraction(3, 7), 2: Fraction(2, 7)}] * 3
    problem = Problem(records, (0, 1, 2), lambda x: tuple(int(x == c) for c in range(3)), known=1)
    for epsilon in strategies.TYPICAL_EPSILONS:
        fast, dumb = worst_delta(problem, epsilon), by_datasets(problem, epsilon)
        assert fast.delta.overlaps(dumb.delta) and thin(fast.delta)


@pytest.mark.parametrize("secret", ["value", "presence", "presence only"])
@pytest.mark.parametrize("rate", ["0.05", "0.95"])
def test_both_directions_count(secret: Secret, rate: str) -> None:
    p, epsilon = Fraction(rate), Fraction(1, 2)
    problem = Problem([lw.bernoulli(p)] * 8, secret=secret)
    directions = binomial.shift_profile(7, p, epsilon)
    assert worst_delta(problem, epsilon).delta.overlaps(balls.largest(directions))
    assert not directions[0].overlaps(directions[1])


def test_an_attacker_never_knows_an_impossible_value() -> None:
    half, certain = lw.bernoulli(Fraction(1, 2)), {0: Fraction(1), 9: Fraction(0)}
    problem = Problem([half, half, certain], channel=channels.suppressed_below(5), known=1)
    for way in (worst_delta, by_datasets):
        assert way(problem, Fraction(0)).upper == 0  # a total of at most 3 is always suppressed


@pytest.mark.slow
@few
@given(strategies.bit_records(min_size=2, max_size=5), strategies.epsilons(), st.data())
def test_knowing_more_records_never_helps_privacy(
    records: list[lw.Law], epsilon: Fraction, data: st.DataObject
) -> None:
    channel = data.draw(st.sampled_from(CHANNELS))
    deltas = [
        balls.upper(worst_delta(Problem(records, channel=channel, known=g), epsilon).delta) for g in range(len(records))
    ]
    assert all(a <= b + THIN for a, b in pairwise(deltas))
    assert deltas[-1] >= 1 - THIN or channel is not channels.exact


@few
@given(strategies.bit_records(max_size=4), strategies.deltas())
def test_worst_epsilon_reaches_delta(records: list[lw.Law], delta: Fraction) -> None:
    problem = Problem(records)
    epsilon = worst_epsilon(problem, delta)
    if balls.is_infinite(epsilon):
        assert worst_delta(problem, Fraction(60)).lower > delta
    else:
        assert worst_delta(problem, balls.upper(epsilon)).lower <= delta


# --- composition and linear algebra -------------------------------------------------------


@few
@given(st.lists(strategies.law_pairs(max_size=3), min_size=1, max_size=3), strategies.epsilons())
def test_composition_by_ratios_agrees_with_product_laws(pairs: list[tuple[lw.Law, lw.Law]], epsilon: Fraction) -> None:
    literal = comp.composed_hockey_stick(pairs, epsilon)
    merged = comp.composed_by_ratio(pairs, epsilon)
    assert literal.overlaps(merged) and thin(literal) and thin(merged)


@few
@given(strategies.law_pairs(max_size=3), st.integers(1, 6), strategies.epsilons())
def test_composition_by_types_agrees_with_composition_by_ratios(
    pair: tuple[lw.Law, lw.Law], copies: int, epsilon: Fraction
) -> None:
    types = comp.composed_copies(pair[0], pair[1], copies, epsilon)
    assert types.overlaps(comp.composed_by_ratio([pair] * copies, epsilon)) and thin(types)


@many
@given(
    st.integers(1, 5).flatmap(
        lambda atoms: st.lists(st.lists(st.integers(-2, 2), min_size=atoms, max_size=atoms), min_size=1, max_size=5)
    )
)
def test_revealed_atoms_are_those_that_do_not_raise_the_rank(rows: list[list[int]]) -> None:
    atoms = len(rows[0])
    found = linear.revealed_atoms(rows, atoms)
    rank = fmpq_mat([[fmpq(x) for x in row] for row in rows]).rank()
    for j in range(atoms):
        more = fmpq_mat([[fmpq(x) for x in row] for row in [*rows, linear.unit(atoms, j)]])
        assert (more.rank() == rank) == (j in found)
        assert j not in found or linear.combine(rows, found[j]) == linear.unit(atoms, j)


# --- binomials ----------------------------------------------------------------------------


@pytest.mark.slow
@many
@given(st.integers(0, 40), strategies.rates(), strategies.epsilons())
def test_binomial_profiles_agree_with_the_exact_law(n: int, p: Fraction, epsilon: Fraction) -> None:
    law = lw.binomial(n, p)
    truth = (
        lw.hockey_stick(law, lw.shift(law, 1), epsilon),
        lw.hockey_stick(lw.shift(law, 1), law, epsilon),
    )
    ways = [
        binomial.shift_profile(n, p, epsilon),
        pb.profile([p] * n, epsilon),
        pb.profile_of_types([(n, p)], epsilon),
    ]
    if 0 < p < 1:
        ways.append(binomial.closed_form_profile(n, p, epsilon))
    for profile in ways:
        assert all(a.overlaps(b) and thin(a) for a, b in zip(profile, truth, strict=True))


@few
@given(st.lists(strategies.rates(), max_size=9), strategies.epsilons())
def test_poisson_binomial_profiles_agree_with_the_exact_law(rates: list[Fraction], epsilon: Fraction) -> None:
    law = lw.sum_of([lw.bernoulli(p) for p in rates])
    truth = lw.hockey_stick(law, lw.shift(law, 1), epsilon)
    for way in (pb.profile(rates, epsilon), pb.profile_of_types([(1, p) for p in rates], epsilon)):
        assert way[0].overlaps(truth) and thin(way[0])
    for k, mass in enumerate(pb.poisson_binomial(rates)):
        assert mass.overlaps(balls.ball(law.get(k, Fraction(0)))) and thin(mass)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0", "0.02", "0.5", "50"])
def test_a_million_records_keep_their_digits_far_out_in_the_tail(epsilon: str) -> None:
    n, p = 10**6, Fraction(3, 10)
    direct = binomial.shift_profile(n, p, Fraction(epsilon))
    split = pb.profile_of_types([(n // 4, p), (3 * n // 4, p)], Fraction(epsilon))
    for a, b in zip(direct, split, strict=True):
        assert a.overlaps(b) and thin(a, to=a) and thin(b, to=a)


@pytest.mark.slow
def test_different_types_agree_with_different_records() -> None:
    types = [(700, Fraction(3, 10)), (400, Fraction(1, 97)), (300, Fraction(9, 13))]
    rates = [p for n, p in types for _ in range(n)]
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(2)):
        pairs = zip(pb.profile(rates, epsilon), pb.profile_of_types(types, epsilon), strict=True)
        assert all(a.overlaps(b) and thin(a, to=a) and thin(b, to=a) for a, b in pairs)
