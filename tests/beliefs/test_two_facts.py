"""Tables of counts by pairs of facts: against all multinomial outcomes in exact fractions, and ball arithmetic."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dalenius.beliefs import two_facts
from dalenius.beliefs.linked import LinkedCurve
from dalenius.beliefs.two_facts import TwoFacts, _lowest_pairs, least_likely, tells_all, two_facts_curve, worst_of_pairs
from dalenius.numerics.logconcave import binomial
from dalenius.numerics.two_cells import mean_excess
from numerics.checks import holds
from oracle import balls

F = Fraction
Vector = tuple[int, ...]
Law = dict[Vector, Fraction]
WANTED = F(1, 10**6)
epsilons = st.sampled_from([F(0), F(1, 10), F(1, 2), F(1), F(3)])


def units(number: int) -> list[Vector]:
    return [tuple(int(at == place) for at in range(number)) for place in range(number)]


@st.composite
def laws(draw: st.DrawFn, facts: int, *, zeros: bool = False) -> list[Fraction]:
    weights = draw(st.lists(st.integers(0 if zeros else 1, 9), min_size=facts, max_size=facts))
    assume(sum(weights))
    return [F(weight, sum(weights)) for weight in weights]


def totals(records: Sequence[Law]) -> Law:
    """The law of the sum of independent vectors."""
    whole: Law = {(0,) * len(next(iter(records[0]))): F(1)} if records else {}
    for law in records:
        more: Counter[Vector] = Counter()
        for (at, mass), (step, chance) in itertools.product(whole.items(), law.items()):
            if chance:
                more[tuple(a + b for a, b in zip(at, step, strict=True))] += mass * chance
        whole = dict(more)
    return whole


@balls.precise
def excess(whole: Law, one: Vector, two: Vector, epsilon: Fraction) -> arb:
    """How far the total and one fact exceed e^ε times the total and the other."""
    factor, total = balls.exponential(epsilon), arb(0)
    for at, mass in whole.items():
        before = tuple(a + b - c for a, b, c in zip(at, one, two, strict=True))
        gain = balls.ball(mass) - factor * balls.ball(whole.get(before, F(0)))
        total += gain.nonnegative_part()
    return total


def truth(records: Sequence[Law], facts: Sequence[Vector], known: int, epsilon: Fraction) -> arb:
    """The worst δ over all pairs of facts, persons and sets of known records, all totals listed."""
    worst = arb(0)
    for left in itertools.combinations(range(len(records)), len(records) - known - 1):
        whole = totals([records[at] for at in left]) or {(0,) * len(facts[0]): F(1)}
        for one, two in itertools.permutations(facts, 2):
            worst = worst.max(excess(whole, one, two, epsilon))
    return worst


@given(data=st.data(), facts=st.integers(2, 4), others=st.integers(0, 6), epsilon=epsilons)
def test_counts_of_all_values_are_judged_exactly_by_the_two_least_likely(
    data: st.DataObject, facts: int, others: int, epsilon: Fraction
) -> None:
    chances = data.draw(laws(facts, zeros=True))
    where = units(facts)
    law = dict(zip(where, chances, strict=True))
    bracket = LinkedCurve([law], [others + 1], where, 0, presence=False, enough=WANTED).delta(epsilon)
    assert holds(bracket, truth([law] * (others + 1), where, 0, epsilon))
    assert bracket.width <= 1e-10 * bracket.upper


@pytest.mark.slow
@given(data=st.data(), facts=st.integers(2, 3), number=st.integers(2, 5), known=st.integers(0, 3), epsilon=epsilons)
@settings(max_examples=40)
def test_records_of_several_laws_are_bounded(
    data: st.DataObject, facts: int, number: int, known: int, epsilon: Fraction
) -> None:
    assume(known < number)
    where = units(facts)
    some = [dict(zip(where, data.draw(laws(facts)), strict=True)) for _ in range(2)]
    first = data.draw(st.integers(1, number - 1))
    records = [some[0]] * first + [some[1]] * (number - first)
    exact = truth(records, where, known, epsilon)
    upper = worst_of_pairs(some, [first, number - first], known + 1, where, epsilon)
    assert upper >= balls.lower(exact)
    bracket = LinkedCurve(some, [first, number - first], where, known, presence=False, enough=WANTED).delta(epsilon)
    assert holds(bracket, exact)


@pytest.mark.slow
@given(data=st.data(), others=st.integers(0, 5), epsilon=epsilons)
@settings(max_examples=40)
def test_absence_is_one_of_the_facts_where_presence_is_secret(
    data: st.DataObject, others: int, epsilon: Fraction
) -> None:
    where = [(0, 0), (1, 0), (0, 1)]  # the third value is not counted, as if they were not there
    law = dict(zip(where, data.draw(laws(3)), strict=True))
    bracket = LinkedCurve([law], [others + 1], where, 0, presence=True, enough=WANTED).delta(epsilon)
    assert holds(bracket, truth([law] * (others + 1), where, 0, epsilon))
    for two in (where[1:], [(1, 0), (0, 1), (2, 2)]):  # nobody else can look absent: it shows
        some = dict(zip(two, data.draw(laws(len(two))), strict=True))
        shown = LinkedCurve([some], [others + 1], two, 0, presence=True, enough=WANTED).delta(epsilon)
        assert holds(shown, truth([some] * (others + 1), [*two, (0, 0)], 0, epsilon))


@pytest.mark.slow
@given(data=st.data(), others=st.integers(1, 6), epsilon=epsilons)
@settings(max_examples=40)
def test_numbers_that_do_not_tell_all_tell_no_more(data: st.DataObject, others: int, epsilon: Fraction) -> None:
    where = data.draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=5, unique=True))
    law = dict(zip(where, data.draw(laws(len(where))), strict=True))
    assert not tells_all(where)
    bracket = LinkedCurve([law], [others + 1], where, 0, presence=False, enough=WANTED).delta(epsilon)
    exact = truth([law] * (others + 1), where, 0, epsilon)
    assert holds(bracket, exact)
    assert TwoFacts(least_likely(law, where), others, WANTED).delta(epsilon).upper >= balls.lower(exact)


@balls.precise
def mean_of_coins(count: int, together: Fraction, share: Fraction, epsilon: Fraction) -> arb:
    """E of what Binomial(M, share) has more than e^ε times itself moved up, M ~ Binomial(count, together)."""
    factor, total = balls.exponential(epsilon), arb(0)
    for m in range(count + 1):
        one = [math.comb(m, k) * share**k * (1 - share) ** (m - k) for k in range(m + 1)]
        more = [F(0), *one]
        inner = arb(0)
        for k in range(m + 1):
            inner += (balls.ball(one[k]) - factor * balls.ball(more[k])).nonnegative_part()
        total += balls.ball(math.comb(count, m) * together**m * (1 - together) ** (count - m)) * inner
    return total


@given(
    count=st.integers(1, 30),
    together=st.fractions(F(1, 20), F(19, 20), max_denominator=60),
    share=st.fractions(F(1, 40), F(39, 40), max_denominator=80),
    epsilon=st.one_of(epsilons, st.fractions(F(0), F(8), max_denominator=30)),
)
def test_a_mean_over_coins_is_held_and_narrow(
    count: int, together: Fraction, share: Fraction, epsilon: Fraction
) -> None:
    bracket = mean_excess(binomial(count, together), share, epsilon)
    exact = mean_of_coins(count, together, share, epsilon)
    if bracket is None:
        assert balls.lower(exact) < 1e-40
        return
    assert holds(bracket, exact)
    # rare excesses, the sums of many small differences, are known to fewer digits
    assert bracket.width <= (1e-9 if bracket.upper > 1e-10 else 2e-8) * bracket.upper


# Independent values: the double sum over both cells in ball arithmetic, at 60 digits.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("others", "chances", "epsilon"),
    [(120, ("1/10", "1/5"), "1/2"), (150, ("1/50", "1/50"), "1"), (90, ("1/3", "1/3"), "1/10")],
)
def test_tables_of_real_size(others: int, chances: tuple[str, str], epsilon: str) -> None:
    low, high = map(F, chances)
    at = F(epsilon)

    @balls.precise
    def summed() -> arb:
        factor, ways = balls.exponential(at), [arb(0), arb(0)]
        a, b, rest = balls.ball(low), balls.ball(high), balls.ball(1 - low - high)
        for i in range(others + 2):
            for j in range(others + 2 - i):
                masses = []
                for x, y in ((i - 1, j), (i, j - 1)):
                    number = math.comb(others, x) * math.comb(others - x, y) if min(x, y) >= 0 else 0
                    masses.append(arb(number) * a**x * b**y * rest ** (others - x - y) if number else arb(0))
                ways[0] += (masses[0] - factor * masses[1]).nonnegative_part()
                ways[1] += (masses[1] - factor * masses[0]).nonnegative_part()
        return ways[0].max(ways[1])

    bracket = TwoFacts((low, high), others, WANTED).delta(at)
    assert holds(bracket, summed())
    assert bracket.width <= 1e-10 * bracket.upper


def test_more_likely_facts_are_hidden_better() -> None:
    chances = [(F(1, 20), F(1, 20)), (F(1, 20), F(1, 5)), (F(1, 10), F(1, 5)), (F(2, 5), F(1, 2))]
    for epsilon in map(F, ("0", "0.2", "1")):
        found = [TwoFacts(two, 200, WANTED).delta(epsilon) for two in chances]
        assert all(one.lower > two.upper for one, two in itertools.pairwise(found))


def test_who_cannot_be_like_anybody_else_shows() -> None:
    assert TwoFacts((F(0), F(1, 2)), 100, WANTED).delta(F(1)).lower == 1
    assert TwoFacts((F(1, 4), F(1, 2)), 0, WANTED).delta(F(1)).lower == 1


def test_a_law_too_thin_for_one_pass_is_taken_in_blocks() -> None:
    """What no binomial law resolves is still bounded, far below what anybody asks for."""
    assert TwoFacts((F(1, 50), F(1, 50)), 10**6, WANTED).delta(F(1, 2)).upper < 1e-30
    thin = TwoFacts((F(1, 10**12), F(1, 3)), 1000, WANTED).delta(F(1, 2))
    assert 1 - 1e-8 < thin.lower <= 1 - 1.6e-9 <= thin.upper  # 1 - 1000 e^0.5 / 10^12, nearly


def test_vectors_tell_all_if_none_is_a_combination_of_the_others() -> None:
    assert tells_all(units(5)) and tells_all([(0, 0), (1, 0), (0, 1)]) and tells_all([(3,), (5,)])
    assert not tells_all([(0,), (1,), (2,)]) and not tells_all([(0, 0), (1, 1), (2, 2)])
    assert not tells_all([(1, 0), (0, 1), (2, -1)])


@given(data=st.data(), facts=st.integers(2, 6), types=st.integers(1, 3))
def test_pairs_that_are_left_out_have_one_below_them(data: st.DataObject, facts: int, types: int) -> None:
    table = np.array(
        data.draw(
            st.lists(st.lists(st.integers(0, 3), min_size=facts, max_size=facts), min_size=types, max_size=types)
        ),
        dtype=float,
    )
    kept = {frozenset(pair) for pair in _lowest_pairs(table).tolist()}
    assert kept

    def below(pair: frozenset[int], other: frozenset[int]) -> bool:
        a, b = pair
        c, d = other
        return any(
            (table[:, a] <= table[:, x]).all() and (table[:, b] <= table[:, y]).all() for x, y in [(c, d), (d, c)]
        )

    for other in map(frozenset, itertools.combinations(range(facts), 2)):
        assert any(below(pair, other) for pair in kept)


rates = st.sampled_from([F(1, 3), F(1, 10**7), 1 - F(1, 10**7), F(1, 2), F(2, 7)])


@given(rates=st.lists(st.tuples(rates, rates), min_size=1, max_size=3))
def test_every_type_contains_the_coins_of_two_cells(rates: list[tuple[Fraction, Fraction]]) -> None:
    """A coin of the common rate, as often as its weight says: never more than a type has in either cell."""
    types = [{(0,): a * b, (1,): a * (1 - b), (2,): 1 - a} for a, b in rates]
    seen = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(two_facts, "coins_curve", lambda weights, *_, **rest: seen.update(rest, weights=weights))
        two_facts_curve(types, np.ones(len(types), dtype=np.int64), 1, (0,), (1,))
    whole = sum(law[0,] + law[1,] for law in types)
    wanted = min(max(sum(law[1,] for law in types) / whole, F(1, 10**6)), 1 - F(1, 10**6))
    rate = F(seen["rate"])
    assert rate == float(wanted)
    for law, weight in zip(types, map(F, seen["weights"].tolist()), strict=True):
        assert weight * rate <= law[1,]
        assert weight * (1 - rate) <= law[0,]
