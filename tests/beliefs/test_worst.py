"""The worst person and the worst known records: found, whatever the figure, and no worse than they are."""

import itertools
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from beliefs.worlds import RELEASES, engine, problem
from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import Independent
from dalenius.beliefs.worst import WorstCurve
from dalenius.facts.secret import Value, pairs
from dalenius.facts.statistics import Count, Sum
from dalenius.judge.definition import differential_privacy
from dalenius.judge.verification import curve
from dalenius.mechanisms import Chain, Exact, Rounded, TwoSidedGeometric
from numerics.checks import fractions_of, holds, narrow
from oracle import balls, noise, profile, strategies
from oracle import laws as lw
from oracle.binomial import shift_profile
from oracle.noiseless import Secret, worst_delta

HAIR = Fraction(1, 10**9)
NOISY = [name for name in RELEASES if name.startswith(("geometric", "gaussian"))]
ROUNDED = [name for name in RELEASES if name.startswith("rounded")]
secrets = st.sampled_from(["value", "presence", "presence only"])


@st.composite
def bits(draw: st.DrawFn, *, most: int = 6) -> tuple[list[lw.Law], list[int], int]:
    """Some yes/no records whose one is worth 1, 2 or 3; a domain that may hold more; how many are known."""
    worth = draw(st.sampled_from([1, 1, 2, 3]))
    records = [{worth * k: m for k, m in law.items()} for law in draw(strategies.bit_records(max_size=most))]
    domain = sorted({0, worth, *draw(st.sampled_from([(), (1,), (2 * worth,), (-1,)]))})
    return records, domain, draw(st.integers(0, len(records) - 1))


@st.composite
def lattice(draw: st.DrawFn) -> tuple[list[lw.Law], list[int], int]:
    records = draw(strategies.integer_records(max_size=4))
    domain = sorted({*range(2), *(k for law in records for k in law)})
    return records, domain, draw(st.integers(0, len(records) - 1))


@pytest.mark.slow
@given(case=bits(), secret=secrets, epsilon=strategies.epsilons())
def test_the_worst_known_yes_no_records_are_found(
    case: tuple[list[lw.Law], list[int], int], secret: Secret, epsilon: Fraction
) -> None:
    records, domain, known = case
    bracket = engine(records, domain, "exact", known=known, secret=secret).delta(epsilon)
    truth = worst_delta(problem(records, domain, "exact", known=known, secret=secret), epsilon).delta
    assert holds(bracket, truth)
    if epsilon <= 10:  # beyond, a rate within 1e-20 of one is not known well enough
        assert bracket.width <= 2e-8


@pytest.mark.slow
@given(case=bits(most=4), release=st.sampled_from(NOISY), secret=secrets, epsilon=strategies.epsilons())
@settings(max_examples=30)
def test_the_worst_known_yes_no_records_are_found_under_noise(
    case: tuple[list[lw.Law], list[int], int], release: str, secret: Secret, epsilon: Fraction
) -> None:
    records, domain, known = case
    bracket = engine(records, domain, release, known=known, secret=secret).delta(epsilon)
    truth = worst_delta(problem(records, domain, release, known=known, secret=secret), epsilon).delta
    assert holds(bracket, truth)
    if epsilon <= 10:
        assert bracket.width <= 2e-8


@pytest.mark.slow
@given(case=lattice(), release=st.sampled_from(["exact", *NOISY]), secret=secrets, epsilon=strategies.epsilons())
@settings(max_examples=60)
def test_the_worst_known_lattice_records_are_found(
    case: tuple[list[lw.Law], list[int], int], release: str, secret: Secret, epsilon: Fraction
) -> None:
    records, domain, known = case
    bracket = engine(records, domain, release, known=known, secret=secret).delta(epsilon)
    truth = worst_delta(problem(records, domain, release, known=known, secret=secret), epsilon).delta
    assert holds(bracket, truth)
    assert bracket.width <= 1e-7 + 1e-11 * (1 + 2.0**-52 * float(balls.upper(balls.exponential(epsilon))))


@pytest.mark.slow
@given(
    case=st.one_of(bits(most=5), lattice()),
    release=st.sampled_from(ROUNDED),
    secret=secrets,
    epsilon=strategies.epsilons(),
)
def test_rounding_is_judged_at_the_worst_known_total(
    case: tuple[list[lw.Law], list[int], int], release: str, secret: Secret, epsilon: Fraction
) -> None:
    """Only containment: many rates with rounding are bounded, not searched. From below known records have values that
    are believed to occur, from above any of the domain.
    """
    records, domain, known = case
    bracket = engine(records, domain, release, known=known, secret=secret).delta(epsilon)
    likely, declared = both_truths(records, domain, release, known, secret, epsilon)
    assert Fraction(bracket.lower) <= balls.upper(likely) + HAIR
    assert balls.lower(declared) <= Fraction(bracket.upper) + HAIR


def both_truths(
    records: list[lw.Law], domain: list[int], release: str, known: int, secret: Secret, epsilon: Fraction
) -> list[arb]:
    asked = [problem(records, domain, release, known=known, secret=secret, declared=some) for some in (False, True)]
    return [worst_delta(one, epsilon).delta for one in asked]


@pytest.mark.slow
@pytest.mark.parametrize("secret", ["value", "presence"])
@pytest.mark.parametrize("release", ROUNDED)
@pytest.mark.parametrize("law", [{0: "1"}, {0: "1/2", 4: "1/2"}, {1: "1/3", 3: "2/3"}, {0: "1/6", 2: "1/3", 4: "1/2"}])
def test_known_records_may_have_values_that_the_belief_holds_impossible(
    law: dict[int, str], release: str, secret: Secret
) -> None:
    """Both ends are attained: the upper one by any values of the domain, the lower one by those believed to occur."""
    records = [{value: Fraction(chance) for value, chance in law.items()}] * 4
    domain = sorted({0, 1, 4, *law})
    for known, epsilon in itertools.product(range(4), (Fraction(0), Fraction(1, 2))):
        bracket = engine(records, domain, release, known=known, secret=secret).delta(epsilon)
        likely, declared = both_truths(records, domain, release, known, secret, epsilon)
        assert abs(Fraction(bracket.lower) - balls.lower(likely)) <= HAIR
        assert abs(Fraction(bracket.upper) - balls.upper(declared)) <= HAIR


def test_a_record_that_may_be_anybody_is_worst_over_what_the_others_can_be() -> None:
    """Taking out both types at once must look at every value of the one that is not the target."""
    f = Fraction
    records = [{3: f(5, 14), 2: f(9, 14)}, {3: f(7, 13), 0: f(6, 13)}, {2: f(1)}, {3: f(1)}]
    bracket = engine(records, [0, 1, 2, 3], "rounded 4").delta(f(1, 2))
    assert holds(bracket, worst_delta(problem(records, [0, 1, 2, 3], "rounded 4"), f(1, 2)).delta)


def test_known_records_that_cannot_reach_a_total_do_not_count_against_the_figure() -> None:
    records = [{0: Fraction(1)}, {1: Fraction(1)}, {0: Fraction(1)}]
    bracket = engine(records, [0, 1], "rounded 5", known=2).delta(Fraction(1))
    assert holds(bracket, worst_delta(problem(records, [0, 1], "rounded 5", known=2), Fraction(1)).delta)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["exact", "geometric 1/2", "gaussian 2"])
@pytest.mark.parametrize("worth", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_no_set_of_known_records_beats_the_runs_that_are_searched(release: str, worth: int, seed: int) -> None:
    """All subsets of the records, known and target together."""
    rng = np.random.default_rng(seed)
    count = 8 if release == "exact" else 5
    rates = fractions_of(rng.choice([rng.uniform(0, 1), 0.5, 0.1, 0.9, rng.uniform(0, 0.1)], count).tolist())
    rates = [p if i % 3 else (p + Fraction(i, 97)) / 2 for i, p in enumerate(rates)]
    records = [{0: 1 - p, worth: p} for p in rates]
    for known, epsilon in [(1, Fraction(1, 2)), (2, Fraction(0)), (count - 3, Fraction(1))]:
        bracket = engine(records, [0, worth], release, known=known).delta(epsilon)
        truth = worst_delta(problem(records, [0, worth], release, known=known), epsilon).delta
        assert holds(bracket, truth)
        assert narrow(bracket, truth, relative=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("known", [0, 1, 7, 20])
def test_runs_of_rates_in_a_larger_crowd_are_bracketed_and_beat_random_sets(known: int) -> None:
    rng = np.random.default_rng(known)
    rates = fractions_of(sorted(rng.beta(0.5, 1.5, 40).tolist()))
    records = [{0: 1 - p, 1: p} for p in rates]
    for epsilon in (Fraction(0), Fraction(1, 2)):
        bracket = engine(records, [0, 1], "exact", known=known).delta(epsilon)
        runs = [balls.largest(profile([*rates[:i], *rates[i + known + 1 :]], epsilon)) for i in range(40 - known)]
        truth = balls.largest(runs)
        assert holds(bracket, truth)
        assert narrow(bracket, truth, relative=1e-7)
        for _ in range(20):
            taken = set(rng.choice(40, known + 1, replace=False).tolist())
            other = balls.largest(profile([p for i, p in enumerate(rates) if i not in taken], epsilon))
            assert balls.lower(other) <= Fraction(bracket.upper)


def test_the_record_of_greatest_variance_is_not_taken_for_the_worst() -> None:
    records = [{0: 1 - p, 1: p} for p in map(Fraction, ("0.3", "0.4", "0.7", "0.5"))]
    bracket = engine(records, [0, 1], "exact", known=1).delta(Fraction(1))
    assert holds(bracket, worst_delta(problem(records, [0, 1], "exact", known=1), Fraction(1)).delta)
    assert bracket.lower == pytest.approx(0.42, rel=1e-12)


@pytest.mark.parametrize("n", [120, *(pytest.param(n, marks=pytest.mark.slow) for n in (66, 300, 1000))])
@pytest.mark.parametrize("spread", [(0.02, 0.05), (0.1, 0.9), (0.0, 1.0)])
def test_many_different_people_are_judged_as_sharply_as_few(n: int, spread: tuple[float, float]) -> None:
    """Above 64 different rates everybody is left out by series; small crowds must not lose accuracy by that."""
    rates = np.random.default_rng(n).uniform(*spread, n)
    belief = Independent(rates=rates)
    whole = WorstCurve(belief.crowd(Count()), tuple(pairs(Value(), [0, 1])), Exact(), 0)
    exact = fractions_of(np.sort(rates).tolist())
    people = range(n) if n <= 66 else [0, 1, n // 4, n // 2, n - 2, n - 1]
    for epsilon in (Fraction(1, 100), Fraction(1, 2)):
        bracket = whole.delta(epsilon)
        found = balls.largest(balls.largest(profile([*exact[:i], *exact[i + 1 :]], epsilon)) for i in people)
        assert balls.lower(found) <= Fraction(bracket.upper)
        assert bracket.width <= 1e-6 * bracket.upper


def test_a_figure_that_nobody_is_believed_to_enter_hides_nobody() -> None:
    """A hundred people who are 0 or 1, and a count of fives: anybody who is a five is alone."""
    belief = Independent(rates=[0.5] * 100, domain=(0, 1, 5))
    whole = WorstCurve(belief.crowd(Count(frozenset({5}))), tuple(pairs(Value(), [0, 1])), Exact(), 0)
    assert whole.delta(Fraction(1)).lower == 1.0


@pytest.mark.slow
@given(
    rates=st.lists(
        st.sampled_from([1 - Fraction(1, 10**20), Fraction(1, 2), Fraction(1), Fraction(1, 10**20)]),
        min_size=2,
        max_size=5,
    )
)
@settings(max_examples=30)
def test_a_rate_that_a_float_takes_for_one_is_not_taken_for_certain(rates: list[Fraction]) -> None:
    records = [{0: 1 - p, 1: p} for p in rates]
    for epsilon in (Fraction(1), Fraction(50)):
        bracket = engine(records, [0, 1], "exact").delta(epsilon)
        assert holds(bracket, worst_delta(problem(records, [0, 1], "exact"), epsilon).delta)


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(50)])
def test_the_complement_of_a_tiny_rate_is_not_taken_for_certain(epsilon: Fraction) -> None:
    """Counting zeros turns a rate of 1e-20 into one of 1 - 1e-20."""
    rates = [1e-20, 0.5, 1e-20, 0.25]
    belief = Independent(rates=rates)
    whole = WorstCurve(belief.crowd(Count(frozenset({0}))), tuple(pairs(Value(), [0, 1])), Exact(), 0)
    records = [{0: Fraction(p), 1: 1 - Fraction(p)} for p in rates]
    assert holds(whole.delta(epsilon), worst_delta(problem(records, [0, 1], "exact"), epsilon).delta)


@pytest.mark.parametrize("write", [Fraction, str, lambda rate: Decimal(rate.numerator) / Decimal(rate.denominator)])
def test_what_a_rate_leaves_of_one_is_as_exact_as_the_rate(write: Callable[[Fraction], Any]) -> None:
    """The float of 1 - 1/(3e9) knows only ten digits of 1/(3e9)."""
    rate, n, epsilon = 1 - Fraction(1, 3 * 10**9), 20_000, Fraction(0)
    belief = Independent(rates=(write(rate) for _ in range(n)))
    whole = WorstCurve(belief.crowd(Count(frozenset({0}))), tuple(pairs(Value(), [0, 1])), Exact(), 0)
    for truth in shift_profile(n - 1, 1 - rate, epsilon):
        assert holds(whole.delta(epsilon), truth)


@pytest.mark.parametrize("value", [10**390, -(2**63)])
def test_a_value_that_no_float_holds_is_refused_with_its_size(value: int) -> None:
    with pytest.raises(InputError, match=rf"may be 2\^{abs(value).bit_length() - 1} or more"):
        Independent(groups=[({0: "1/2", 1: "1/4", value: "1/4"}, 3)]).crowd(Sum())


@pytest.mark.slow
def test_differential_privacy_is_worst_over_all_other_records() -> None:
    """Rounding to tens: 4 and 5 round differently, whatever 0 and 1 do; noise of scale 1 after that gives ε = 1."""
    assert curve(Count() >> Rounded(10), differential_privacy()).delta(Fraction(5)).lower >= 1 - 1e-12
    noisy = curve(Count() >> Rounded(10) >> TwoSidedGeometric(Fraction(1)), differential_privacy())
    added = noise.two_sided_geometric(Fraction(1))
    truth = lw.both_ways(added, noise.shift_balls(added, 1), Fraction(1, 2))
    assert holds(noisy.delta(Fraction(1, 2)), truth)


@pytest.mark.parametrize("secret", ["value", "presence", "presence only"])
def test_knowing_more_never_helps(secret: Secret) -> None:
    records = [{0: 1 - p, 1: p, 3: Fraction(0)} for p in map(Fraction, ("0.2", "0.3", "0.45", "0.5", "0.9"))]
    deltas = [
        engine(records, [0, 1, 3], "exact", known=known, secret=secret).delta(Fraction(1, 3)) for known in range(5)
    ]
    for fewer, more in itertools.pairwise(deltas):
        assert fewer.lower <= more.upper


def test_a_chain_of_channels_is_its_links_one_after_the_other() -> None:
    """Rounding to twos, then to threes, has period six."""
    chain = Chain((Rounded(2), Rounded(3)))
    assert chain.period == 6
    belief = Independent(groups=[({0: "1/2", 1: "1/3", 2: "1/6"}, 3)], known=1)
    whole = WorstCurve(belief.crowd(Count(frozenset({1, 2}))), tuple(pairs(Value(), [0, 1])), chain, 1)
    assert 0 < whole.delta(Fraction(0)).lower <= whole.delta(Fraction(0)).upper <= 1
