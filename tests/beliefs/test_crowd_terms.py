"""What a crowd states about its records: laws that cover declared rates, weights from below, misses counted."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.beliefs import crowd, worst
from dalenius.beliefs.belief import IID
from dalenius.beliefs.crowd import SpanLaw, Types, YesNo, crowd_of
from dalenius.beliefs.worst import AsItIs, WorstCurve, coins_curve
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import UNIT
from dalenius.facts.secret import Pair
from dalenius.facts.statistics import Sum
from dalenius.judge.definition import noiseless
from dalenius.judge.verification import verify
from dalenius.mechanisms import Rounded, TwoSidedGeometric
from dalenius.numerics import charfun
from dalenius.numerics.cumulant import TypeSum
from dalenius.numerics.curve import Average, Constant, Curve
from dalenius.numerics.law import Law, law_of
from dalenius.numerics.search import Windows
from numerics.checks import assert_covers, rounded_up
from oracle import balls
from oracle import laws as lw

F = Fraction
RATES = [F(1, 3), F(1, 10), F(7, 10), 1 - F(1, 3 * 10**9), F(1, 3 * 10**9), F(1, 10**20), 1 - F(1, 10**20)]
STEP = (Pair(0, 1), Pair(1, 0))


@pytest.mark.parametrize("rate", RATES)
def test_the_law_of_one_record_covers_the_declared_rate(rate: Fraction) -> None:
    assert_covers(crowd._yes_no(float(rate)), {0: 1 - rate, 1: rate})


def test_the_law_of_one_record_of_several_values_covers_the_declared_chances() -> None:
    chances = [F(1, 3), F(1, 10), F(17, 30)]
    law = crowd._sparse(np.array([0, 2, 5]), np.array([float(chance) for chance in chances]))
    assert_covers(law, dict(zip((0, 2, 5), chances, strict=True)))


def test_many_records_of_a_few_rates_state_the_slip_of_their_complements(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[TypeSum] = []

    class CaughtError(Exception):
        pass

    def caught(total: TypeSum) -> None:
        seen.append(total)
        raise CaughtError

    monkeypatch.setattr(charfun, "ladder", caught)
    with pytest.raises(CaughtError):
        crowd.law_of_rates(np.array([float(rate) for rate in RATES]), np.full(len(RATES), 1000))
    for row, rate in zip(seen[0].chances, RATES, strict=True):
        for stored, truth in zip(row.tolist(), (1 - rate, rate), strict=True):
            assert abs(F(stored) - truth) <= 2 * F(UNIT) * truth + F(seen[0].slip)


def test_a_law_with_gaps_keeps_its_errors_and_its_tail() -> None:
    law = SpanLaw(Law(0, np.array([0.5, 0.25]), np.array([0.1, 0.2]), 0.25), 1, 3).spread_out()
    assert (law.start, law.error.tolist(), law.tail) == (1, [0.1, 0.0, 0.0, 0.2], 0.25)


@pytest.mark.parametrize("rate", RATES[:3])
def test_the_overlap_of_a_yes_no_record_is_from_below(rate: Fraction) -> None:
    people = YesNo(0, 1, np.array([float(rate)]), np.array([1]))
    assert F(float(people.overlaps(1)[0][0])) <= 2 * min(rate, 1 - rate)


@pytest.mark.parametrize("weights", [(1, 4, 2, 3), (3, 3, 3, 1), (1, 2, 3, 4), (7, 1, 1, 1)])
def test_the_overlap_of_a_record_of_several_values_is_from_below(weights: tuple[int, ...]) -> None:
    exact = {k: F(w, 10) for k, w in enumerate(weights)}
    people = Types(np.arange(4), np.array([[float(m) for m in exact.values()]]), np.array([1]))
    taken: dict[int, Fraction] = {}
    for k in range(4):
        taken[k] = max(F(0), min(2 * exact[k] - taken.get(k - 1, F(0)), 2 * exact.get(k + 1, F(0))))
    assert F(float(people.overlaps(1)[0][0])) <= sum(taken.values())


def test_chances_rounded_up_do_not_raise_the_overlap() -> None:
    """0.1 and 0.7 are floats above their decimals; many of them add up to more."""
    chances = [F(1, 10)] * 3 + [F(7, 10)]
    for count in (4, 60):
        exact = [chance / (count // 4) for chance in chances for _ in range(count // 4)]
        stored = np.nextafter([float(m) for m in exact], 1)
        people = Types(np.arange(count), stored[None, :], np.array([1]))
        taken: dict[int, Fraction] = {}
        for k in range(count):
            after = exact[k + 1] if k + 1 < count else F(0)
            taken[k] = max(F(0), min(2 * exact[k] - taken.get(k - 1, F(0)), 2 * after))
        assert F(float(people.overlaps(1)[0][0])) <= sum(taken.values())


def test_an_overlap_of_many_values_is_not_rounded_up() -> None:
    """A half, and a thousand terms of little more than half of its last place: each is rounded up to a whole one."""
    small = 0.2505 * UNIT
    stored = np.array([0.25, 0.25, *[small] * 2000])
    people = Types(np.arange(2002), stored[None, :], np.array([1]))
    assert F(float(people.overlaps(1)[0][0])) <= F(1, 2) + 2000 * F(small)


def test_the_coins_that_runs_share_are_there_but_for_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """At least so many of L records are the common coin: the chance of fewer, exactly."""
    people = YesNo(0, 1, np.array([0.25, 0.375]), np.array([3000, 3000]))
    windows = Windows(2000, 1500, 2500)
    seen = {}
    real = crowd.law_of_rates
    monkeypatch.setattr(crowd, "law_of_rates", lambda r, c: (seen.update(rates=r, counts=c), real(r, c))[1])
    found = people.shared(windows)
    assert found is not None
    coin, sure = F(float(seen["rates"][-1])), int(seen["counts"][-1])
    p, q = F(1, 4), F(3, 8)
    weight = min(p / coin, (1 - p) / (1 - coin), q / coin, (1 - q) / (1 - coin))
    missed = sum((m for k, m in lw.binomial(1000, weight.limit_denominator(10**6)).items() if k < sure), F(0))
    assert 0 < missed * F(101, 100) <= F(found[1])
    assert 0 < sure < 1000


def test_a_coin_that_is_nearly_sure_is_in_rates_as_they_were_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The float of a rate near 1 leaves ten in a hundred thousand more than the rate does: a hundred coins here."""
    p, q, length = F(1, 2), 1 - F(99995, 10**17), 2_000_000
    people = crowd_of([{0: 1 - rate, 1: rate} for rate in (p, q)], [3 * length, 3 * length])
    assert isinstance(people, YesNo)
    assert 1 - F(float(people.rates[1])) > (1 - q) * F(100_002, 100_000)
    seen: list[tuple[np.ndarray, np.ndarray]] = []
    monkeypatch.setattr(crowd, "law_of_rates", lambda rates, counts: seen.append((rates, counts)))
    people.shared(Windows(2 * length, length, 2 * length))
    coin, sure = F(float(seen[0][0][-1])), int(seen[0][1][-1])
    weight = min(p / coin, q / coin, (1 - q) / (1 - coin))
    missed = math.sqrt(60 * math.log(10) * length / 2)
    assert weight * length * F(9, 10) < sure <= weight * length - F(missed) + F(1, 100)


@pytest.mark.parametrize("values", [(0, 1), (0, 1, 2)])
def test_totals_that_no_array_holds_are_rounded_where_they_are(values: tuple[int, ...]) -> None:
    """Everybody's number is larger by a multiple of the base, and so is the total: 1.2e19, more than 64 bits hold."""
    chances = {2: ("0.9", "0.1"), 3: ("0.9", "0.05", "0.05")}[len(values)]
    beliefs = [
        IID(values={base + at: chance for at, chance in zip(values, chances, strict=True)}, n=12)
        for base in (0, 10**18 - 1)
    ]
    found = [verify(Sum() >> Rounded(3), noiseless(people), epsilon=1).delta for people in beliefs]
    assert found[0] == found[1]
    plain, large = (verify(Sum(), noiseless(people), epsilon=1) for people in beliefs)
    assert plain.delta == large.delta
    assert plain.witness is not None
    assert large.witness is not None
    assert (plain.witness.first, plain.witness.second) == (large.witness.first, large.witness.second)
    assert str(12 * (10**18 - 1))[:17] in large.witness.event


def test_where_sums_begin_and_end_is_counted_in_whole_numbers() -> None:
    high, many = 1 << 40, (1 << 24) + 1
    people = crowd_of([{high + at: F(1, 3) for at in range(3)}], [1 << 24])
    assert people.law(((1 << 24) - 64,)).offset == 64 * high
    total = TypeSum.of(np.array([high - 1, high]), np.array([[0.5, 0.5]]), np.array([many]))
    assert (total.low, total.high) == ((high - 1) * many, high * many)
    counts = [(1 << 53) + 1, 5]
    assert crowd_of([{0: F(1, 2), 1: F(1, 2)}, {0: F(1, 3), 1: F(2, 3)}], counts).counts.tolist() == counts


def test_what_is_missing_is_added_to_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    people = YesNo(0, 1, np.array([0.25, 0.375]), np.array([3000, 3000]))
    whole, windows = WorstCurve(people, STEP, AsItIs(), 1999), Windows(2000, 1500, 2500)
    plain = whole._bound(windows, epsilon=F(1, 20))
    law = people.shared(windows)
    assert law is not None
    monkeypatch.setattr(YesNo, "shared", lambda *_: (law[0], 0.25))
    assert whole._bound(windows, epsilon=F(1, 20)) >= plain + 0.25 - 1e-12


# -- live coins ---------------------------------------------------------------------------------------------------


def weights_of(curve: Curve) -> list[float]:
    assert isinstance(curve, Average)
    return list(curve.weights)


def test_a_number_of_live_coins_that_is_known_roughly_counts_from_below(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = lw.binomial(4, F(1, 2))
    mass = np.array([float(exact[k]) + 0.01 for k in range(5)])
    error = np.array([rounded_up(abs(exact[k] - F(float(m)))) for k, m in enumerate(mass)])
    monkeypatch.setattr(worst, "_count_law", lambda *_: Law(0, mass, error))
    curve = coins_curve(np.array([0.5]), np.array([4]), 0, rate=0.5, shift=1)
    for k, weight in enumerate(weights_of(curve)):
        assert F(weight) <= exact[k]


@pytest.mark.parametrize("seed", range(6))
def test_blocks_of_live_coins_are_added_up_from_below(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mass = np.random.default_rng(seed).dirichlet(np.ones(900))
    monkeypatch.setattr(worst, "_count_law", lambda *_: Law(5, mass, np.zeros(900)))
    monkeypatch.setattr(worst, "BLOCKS", 3)
    curve = coins_curve(np.array([0.5]), np.array([900]), 0, rate=0.5, shift=1)
    for i, weight in enumerate(weights_of(curve)):
        assert F(weight) <= sum(map(F, mass[300 * i : 300 * (i + 1)].tolist()))


def test_a_crowd_that_is_not_searched_reports_the_bound_above_its_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    people = Types(np.arange(3), np.random.default_rng(0).dirichlet(np.ones(3), 9), np.full(9, 3))
    whole = WorstCurve(people, STEP, AsItIs(), 2)
    monkeypatch.setattr(worst, "overlap_curve", lambda *_: Constant(0.875))
    monkeypatch.setattr(WorstCurve, "roughly", lambda _, __: 1.0)
    assert whole.delta(F(1, 2)).upper >= 0.875


def test_a_longer_move_is_bounded_by_a_longer_shift() -> None:
    """A person who moves the sum by 3 among records of steps 1: three times the shift."""
    people = YesNo(0, 1, np.array([0.5]), np.array([6]))
    near, far = (worst.overlap_curve(people, (Pair(0, by), Pair(by - 1, 0)), 1).delta(F(0)) for by in (2, 3))
    coins = lw.binomial(5, F(1, 2))
    for bracket, by in ((near, 2), (far, 3)):
        truth = lw.both_ways(coins, lw.shift(coins, by), F(0))
        assert balls.lower(truth) <= F(bracket.upper)
    assert isinstance(near, Bracket) and math.isfinite(far.upper)


def test_the_largest_move_is_not_the_worst_where_a_law_has_two_humps() -> None:
    humps = law_of({0: F(9, 20), 1: F(1, 10), 2: F(9, 20)})
    moves = (Pair(0, 1), Pair(1, 0), Pair(0, 2), Pair(2, 0))
    curve = worst.curve_of(SpanLaw(humps, 0, 1), moves, AsItIs(), log_concave=False, offsets=(0,))
    assert curve.delta(F(0)).upper >= 0.8
    gaps = SpanLaw(law_of(lw.binomial(4, F(1, 2))), 0, 2)
    noisy = worst.curve_of(gaps, moves, TwoSidedGeometric(F(1, 10)), log_concave=True, offsets=(0,))
    assert noisy.delta(F(0)).upper >= 0.99
