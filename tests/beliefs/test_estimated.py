"""Marginals from public counts: the ends cover as they say, in whole numbers; the class holds what is in it."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv as beta_quantile

import dalenius as dl
from dalenius.basics.errors import InputError, PreconditionError
from dalenius.beliefs.around import coin_part
from dalenius.beliefs.estimated import region
from dalenius.beliefs.joint import sure_parts
from dalenius.claims import Evidence, Verdict
from dalenius.facts.secret import Facts, Value
from dalenius.facts.statistics import Sum
from dalenius.numerics import proportions
from dalenius.numerics.law import Law
from dalenius.numerics.proportions import least_share, least_shares, radius, tail_at_most
from oracle import laws as lw
from oracle.balls import lower
from oracle.channels import publish

from .worlds import RELEASES

RISKS = [Fraction(1, 20), Fraction(1, 1000), Fraction(1, 10**9)]


def tail(count: int, chance: Fraction, successes: int) -> Fraction:
    """The probability of at least so many successes, in fractions."""
    terms = (math.comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(successes, count + 1))
    return sum(terms, Fraction(0))


@pytest.mark.slow
@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("count", [1, 7, 40])
def test_an_end_is_below_clopper_and_pearsons_and_next_to_it(count: int, risk: Fraction) -> None:
    for successes in range(count + 1):
        end = least_share(successes, count, risk)
        assert 0 <= end < 1
        assert tail(count, end, successes) <= risk or end == successes == 0
        if successes:
            assert tail(count, end * (1 + Fraction(1, 10**5)), successes) > risk


@pytest.mark.parametrize("risk", RISKS[:2])
@pytest.mark.parametrize("count", [5, 23])
def test_ends_cover_every_share(count: int, risk: Fraction) -> None:
    """Exactly: over all outcomes, and at the worst shares, which are just above the ends."""
    ends = [least_share(successes, count, risk) for successes in range(count + 1)]
    shares = [*(Fraction(k, 50) for k in range(51)), *(end - Fraction(1, 10**12) for end in ends if end)]
    for share in shares:
        misled = (
            math.comb(count, x) * share**x * (1 - share) ** (count - x) for x in range(count + 1) if ends[x] > share
        )
        assert sum(misled, Fraction(0)) <= risk


@pytest.mark.slow
@pytest.mark.parametrize("shares", [(6, 3, 1), (5, 5, 0), (8, 1, 1)])
def test_regions_of_three_values_cover(shares: tuple[int, ...]) -> None:
    """Every table of twelve records, with its multinomial probability."""
    truth, risk, misled = [Fraction(share, 10) for share in shares], Fraction(1, 10), Fraction(0)
    for one in range(13):
        for two in range(13 - one):
            counts = (one, two, 12 - one - two)
            ends, distance = region(dict(enumerate(counts)), risk)
            far = sum(max(Fraction(0), Fraction(c, 12) - p) for c, p in zip(counts, truth, strict=True))
            if far > distance or any(ends[k] > p for k, p in enumerate(truth)):
                ways = math.factorial(12) // math.prod(map(math.factorial, counts))
                misled += ways * math.prod(p**c for c, p in zip(counts, truth, strict=True))
    assert misled <= risk


def test_the_tail_is_bounded_from_above() -> None:
    for count, chance, successes in itertools.product((1, 30), (Fraction(1, 3), Fraction(99, 100)), (0, 1, 17, 30)):
        exactly, found = tail(count, chance, successes), tail_at_most(count, chance, successes)
        assert exactly <= Fraction(found) <= exactly * (1 + Fraction(1, 10**12)) + Fraction(1, 10**55)


def test_errors_of_the_tail_count(monkeypatch: pytest.MonkeyPatch) -> None:
    law = Law(0, np.array([0.5, 0.4]), np.array([0.01, 0.02]), 0.07)
    monkeypatch.setattr(proportions, "binomial", lambda _count, _chance: law)
    assert tail_at_most(1, Fraction(1, 2), 1) >= 0.4 + 0.02 + 0.07
    assert tail_at_most(1, Fraction(1, 2), 0) >= 0.9 + 0.03 + 0.07


def test_an_end_is_checked_whatever_the_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    for factor in (1.000001, 1.5, 3):
        with monkeypatch.context() as patch:
            patch.setattr(
                "dalenius.numerics.proportions.candidate",
                lambda s, n, risk, by=factor: by * beta_quantile(s, n - s + 1, risk),
            )
            end = least_share(9, 40, Fraction(1, 100))
        assert end > 0 and tail(40, end, 9) <= Fraction(1, 100)


def test_large_samples_and_rare_values() -> None:
    assert float(least_share(10**6, 10**7, Fraction(1, 2000))) == pytest.approx(0.0996879, rel=1e-5)
    assert float(least_share(1, 10**8, Fraction(1, 2000))) == pytest.approx(5.00125e-12, rel=1e-4)
    assert least_shares([0, 5], Fraction(1, 100))[0] == 0
    with pytest.raises(PreconditionError, match="at least 1e-40"):
        least_share(1, 10, Fraction(1, 10**50))


@given(values=st.integers(2, 12), count=st.integers(1, 10**9), risk=st.sampled_from(RISKS))
def test_a_radius_is_hoeffdings_rounded_up(values: int, count: int, risk: Fraction) -> None:
    found = radius(values, count, risk)
    wanted = math.sqrt((values * math.log(2) - math.log(risk)) / (2 * count))
    assert found == 1 or wanted * (1 + 1e-10) < found <= wanted * (1 + 1e-5)
    assert found <= 1


@pytest.mark.slow
@settings(max_examples=50)
@given(
    counts=st.lists(st.integers(0, 40), min_size=2, max_size=3).filter(sum),
    n=st.integers(1, 4),
    known=st.integers(0, 2),
    epsilon=st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(2)]),
    release=st.sampled_from(["exact", "exact", "rounded 2", "geometric 1"]),
)
def test_no_law_that_is_left_open_is_worse(
    counts: list[int], n: int, known: int, epsilon: Fraction, release: str
) -> None:
    belief = dl.Estimated(dict(enumerate(counts)), confidence="0.9", n=n, known=min(known, n - 1))
    facts = Facts.of(Value(), list(range(len(counts))))
    with np.errstate(all="ignore"):
        found = belief.curve(Sum(), facts, RELEASES[release][0], known=belief.known).delta(epsilon)
    worst = Fraction(0)
    rest = n - 1 - belief.known
    for laws in itertools.combinations_with_replacement(vertices(belief), rest):
        whole = lw.sum_of(laws) if laws else lw.point(0)
        for place in range(4 if belief.known else 1):
            shown = [publish(lw.shift(whole, a + place), RELEASES[release][1]) for a in range(len(counts))]
            for one, two in itertools.combinations(shown, 2):
                worst = max(worst, lower(lw.both_ways(one, two, epsilon)))
    assert worst <= Fraction(found.upper) + Fraction(1, 10**12)


def vertices(belief: dl.Estimated) -> list[lw.Law]:
    """Laws at the ends: what is left of the mass goes to one value, as far as the distance allows."""
    whole = sum(belief.sample.values())
    shares = {value: Fraction(count, whole) for value, count in belief.sample.items()}
    found = [shares]
    for towards in shares:
        law = {value: belief.ends_of[value] for value in shares}
        law[towards] += 1 - sum(law.values())
        far = sum(max(Fraction(0), law[value] - shares[value]) for value in shares)
        share = min(Fraction(1), belief.radius / far) if far else Fraction(1)
        found.append({value: share * law[value] + (1 - share) * shares[value] for value in shares})
    return [{value: chance for value, chance in law.items() if chance} for law in found]


def test_coins_are_cut_by_twice_the_distance() -> None:
    """Ten values alike, of which four in the middle lose as much as they can: each was part of two coins."""
    belief = dl.Estimated(dict.fromkeys(range(10), 1000), confidence="0.999", n=50)
    law, left = dict.fromkeys(range(10), Fraction(1, 10)), belief.radius
    for value in (1, 3, 5, 7):
        taken = min(left, law[value] - belief.ends_of[value])
        law[value], law[9], left = law[value] - taken, law[9] + taken, left - taken
    assert left == 0
    assert 0 < belief.coins(Sum(), 1) <= coin_part([law], 1) + Fraction(1, 10**12)
    assert belief.coins(Sum(), 1) > sum(belief.ends_of.values()) * Fraction(9, 10)


def test_records_that_surely_follow_the_ends() -> None:
    masses = {(0,): Fraction(1, 2), (1,): Fraction(3, 10)}
    ((law, live),), missing = sure_parts([(masses, 30)], 1e-3)
    assert law == {(0,): Fraction(5, 8), (1,): Fraction(3, 8)}
    assert 15 < live < 24
    assert 1 - tail(30, Fraction(4, 5), live) <= Fraction(missing) <= Fraction(1, 1000)
    assert sure_parts([({(0,): Fraction(0)}, 30)], 1e-3) == ([], 0.0)


@pytest.mark.slow
def test_yes_no_counts_are_an_interval_of_rates() -> None:
    belief = dl.Estimated({0: 410, 1: 90}, confidence="0.99", n=60, known=5)
    low, high = belief.ends_of[1], 1 - belief.ends_of[0]
    assert tail(500, low, 90) <= Fraction(1, 200) and 1 - tail(500, high, 91) <= Fraction(1, 200)
    wanted = dl.verify(dl.Count(), dl.noiseless(dl.beliefs.Rates((low, high), n=60, known=5)), epsilon="1/2").delta
    found = dl.verify(dl.Count(), dl.noiseless(belief), epsilon="1/2").delta
    assert found.upper == pytest.approx(wanted.upper, rel=1e-6)


@pytest.mark.slow
def test_more_public_records_leave_less_open() -> None:
    found = [
        dl.verify(
            dl.Sum(), dl.noiseless(dl.Estimated({0: 5 * m, 1: 3 * m, 2: 2 * m}, confidence="0.999", n=500)), epsilon=1
        ).delta
        for m in (50, 500, 50_000)
    ]
    assert found[0].upper > found[1].upper > found[2].upper
    plain = dl.verify(dl.Sum(), dl.noiseless(dl.IID(values={0: "0.5", 1: "0.3", 2: "0.2"}, n=500)), epsilon=1).delta
    assert plain.upper <= found[2].upper * (1 + 1e-9)
    assert found[2].lower >= plain.lower * (1 - 1e-9)


def test_the_confidence_is_printed_and_how_it_fails() -> None:
    belief = dl.Estimated({0: 410, 1: 90}, confidence="0.999", n=60)
    guarantee = dl.verify(dl.Count(), dl.noiseless(belief), epsilon=1, delta="0.5")
    assert guarantee.evidence == Evidence.COMPUTED and guarantee.verdict == Verdict.PASS
    assert "at most 0.1 % of samples that mislead (confidence 0.999)" in str(guarantee)
    assert "a public sample of other people, or an unlucky one" in str(guarantee)


@pytest.mark.slow
@pytest.mark.parametrize("delta", ["0.5", "1e-30"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: dl.Estimated({0: 410, 1: 90}, confidence="0.999", n=60, fitted=True),
        lambda: dl.fitted(dl.IID(p=0.1, n=60)),
        lambda: dl.fitted(dl.Sampled({0: 50, 1: 50}, rate="0.5")),
        lambda: dl.fitted(dl.beliefs.Rates((0.1, 0.2), n=60)).knowing(3),
        lambda: dl.fitted(dl.Mixture([(1, dl.IID(p="0.3", n=60))])).knowing(1),
    ],
)
def test_what_was_fitted_to_the_data_neither_passes_nor_fails(make: object, delta: str) -> None:
    belief = make()  # type: ignore[operator]
    guarantee = dl.verify(dl.Count(), dl.noiseless(belief), epsilon=1, delta=delta)
    assert guarantee.evidence == Evidence.HEURISTIC
    assert guarantee.verdict == Verdict.REVIEW
    assert "heuristic" in str(guarantee) and "taken from the confidential data" in str(guarantee)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: dl.Estimated({0: 1, 1: 2}, confidence=1, n=3), "above 0 and below 1"),
        (lambda: dl.Estimated({0: 1, 1: 2}, confidence=0, n=3), "above 0 and below 1"),
        (lambda: dl.Estimated({0: 1, 1: 2}, confidence="sure", n=3), "finite number"),
        (lambda: dl.Estimated({0: -1, 1: 2}, confidence="0.9", n=3), "whole numbers of at least 0"),
        (lambda: dl.Estimated({0: 1.5, 1: 2}, confidence="0.9", n=3), "whole numbers of at least 0"),
        (lambda: dl.Estimated({0: True, 1: 2}, confidence="0.9", n=3), "whole numbers of at least 0"),
        (lambda: dl.Estimated({0: 0, 1: 0}, confidence="0.9", n=3), "all counts are 0"),
        (lambda: dl.Estimated({}, confidence="0.9", n=3), "all counts are 0"),
        (lambda: dl.Estimated({0: 3}, confidence="0.9", n=3), "at least two possible values"),
        (lambda: dl.Estimated({0: 3, 1: 2}, confidence="0.9", n=3, domain=[0, 2]), "1 is missing"),
        (lambda: dl.Estimated({0: 3, 1: 2}, confidence="0.9", n=0), "at least one record"),
        (lambda: dl.Estimated({0: 3, 1: 2}, confidence="0.9", n=3, known=3), "0 to 2 of 3"),
    ],
)
def test_what_is_no_public_sample_is_refused(make: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()  # type: ignore[operator]


def test_values_that_did_not_occur_are_still_possible() -> None:
    belief = dl.Estimated({0: 300, 1: 200}, confidence="0.99", n=50, domain=[0, 1, 2])
    assert belief.sample[2] == 0 and belief.ends_of[2] == 0
    assert float(sum(belief.ends_of.values())) < 0.97


@pytest.mark.parametrize("count", [1, 2, 40, 9_999, 10**7])
def test_a_candidate_is_the_quantile_of_the_beta_law(count: int) -> None:
    for successes in {1, (count + 1) // 2, max(1, count - 1), count}:
        for risk in (0.5, 1e-3, 1e-12, 1e-39):
            wanted = beta_quantile(successes, count - successes + 1, risk)
            assert proportions.candidate(successes, count, risk) == pytest.approx(wanted, rel=1e-8)
