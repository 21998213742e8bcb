"""`judge(group, secret, target)`: groups made by hand, against brute force; what is no group is refused."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalenius as dl
from dalenius.judge.group import Group, Laws, Rows, Target
from dalenius.judge.verification import one_group
from dalenius.mechanisms import Chain, Mechanism, TwoSidedGeometric

HALF = Fraction(1, 2)
COIN = (((0,), HALF), ((1,), HALF))
PLAIN = Laws(((COIN, 4),), ((0,), (1,)))
GROUP = Group((PLAIN,), (Chain(()),), 1)
TARGET = Target(Fraction(1), Fraction(1, 1000))


def truth(law: tuple, domain: tuple, others: int, epsilon: Fraction, *, presence: bool) -> float:
    """All pairs of facts, the sum of all others by listing."""
    sums: dict[tuple[int, ...], Fraction] = {}
    for rows in itertools.product(law, repeat=others):
        at = tuple(map(sum, zip(*(vector for vector, _ in rows), strict=True))) if rows else (0,) * len(domain[0])
        sums[at] = sums.get(at, Fraction(0)) + math.prod((chance for _, chance in rows), start=Fraction(1))
    facts = {*domain, (0,) * len(domain[0])} if presence else set(domain)
    worst, factor = 0.0, Fraction(math.exp(epsilon))
    for one, two in itertools.permutations(facts, 2):
        told = Fraction(0)
        for at, mass in sums.items():
            place = tuple(a + b - c for a, b, c in zip(at, one, two, strict=True))
            told += max(Fraction(0), mass - factor * sums.get(place, Fraction(0)))
        worst = max(worst, float(told))
    return worst


@st.composite
def laws(draw: st.DrawFn) -> tuple:
    axes = draw(st.integers(1, 2))
    vectors = st.tuples(*[st.integers(-1, 2)] * axes)
    domain = tuple(draw(st.lists(vectors, min_size=2, max_size=3, unique=True)))
    weights = draw(st.lists(st.integers(0, 4), min_size=len(domain), max_size=len(domain)).filter(any))
    return tuple((v, Fraction(w, sum(weights))) for v, w in zip(domain, weights, strict=True) if w), domain


@given(found=laws(), n=st.integers(1, 4), epsilon=st.sampled_from(["0", "0.3", "1"]), presence=st.booleans())
def test_exact_numbers_are_as_listing_has_them(found: tuple, n: int, epsilon: str, presence: bool) -> None:
    law, domain = found
    group = Group((Laws(((law, n),), domain),), (Chain(()),) * len(domain[0]), 0)
    secret = dl.Presence() if presence else dl.Value()
    guarantee = dl.judge.judge(group, secret, Target(Fraction(epsilon), Fraction(1, 1000)))
    exact = truth(law, domain, n - 1, Fraction(epsilon), presence=presence)
    assert guarantee.delta.lower - 1e-12 <= exact <= guarantee.delta.upper + 1e-12
    assert guarantee.route


def test_noise_by_itself_is_taken_from_the_domain() -> None:
    noisy = Group((PLAIN,), (Chain((TwoSidedGeometric(Fraction(1)),)),), 3)
    assert dl.judge.judge(noisy, dl.Value(), TARGET).delta.upper == 0
    wide = Laws(((COIN, 4),), ((0,), (1,), (5,)))
    assert dl.judge.judge(replace(noisy, others=(wide,)), dl.Value(), TARGET).delta.upper > 0.5


WRONG = {
    "nobody": replace(GROUP, others=()),
    "no number": replace(GROUP, release=()),
    "two parts of one number": replace(GROUP, others=(PLAIN, PLAIN)),
    "parts of other people": Group((PLAIN, Laws(((COIN, 5),), ((0,), (1,)))), (Chain(()),) * 2, 0),
    "everybody known": replace(GROUP, known=4),
    "less than nobody known": replace(GROUP, known=-1),
    "half a record": replace(GROUP, known=0.5),  # type: ignore[arg-type]
    "too little mass": replace(GROUP, others=(Laws((((((0,), HALF),), 4),), ((0,), (1,))),)),
    "negative": replace(GROUP, others=(Laws((((((0,), Fraction(2)), ((1,), Fraction(-1))), 4),), ((0,), (1,))),)),
    "outside": replace(GROUP, others=(Laws(((COIN, 4),), ((0,), (2,))),)),
    "no record": replace(GROUP, others=(Laws(((COIN, 0),), ((0,), (1,))),)),
    "lengths": replace(GROUP, others=(Laws(((COIN, 4),), ((0,), (1,), (1, 2))),)),
    "twice": replace(GROUP, others=(Laws(((COIN, 4),), ((0,), (1,), (1,))),)),
    "least of others": replace(GROUP, others=(Laws(((COIN, 4),), ((0,), (1,)), ((COIN, 3),)),)),
    "least above the law": replace(
        GROUP, others=(Laws(((COIN, 4),), ((0,), (1,)), (((((0,), Fraction(3, 4)),), 4),)),)
    ),
    "no chain": replace(GROUP, release=(dl.Exact(),)),  # type: ignore[arg-type]
    "no coordinate": replace(GROUP, others=(Laws((((((), Fraction(1)),), 4),), ((),)),)),
    "too many coordinates": replace(GROUP, others=(Laws((((((0, 1), Fraction(1)),), 4),), ((0, 1), (1, 1))),)),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_group_is_refused(name: str) -> None:
    with pytest.raises(dl.InputError):
        dl.judge.judge(WRONG[name], dl.Value(), TARGET)


def test_rows_that_somebody_claims_are_not_believed() -> None:
    """Records that move together are not hidden by noise on one of them, whatever rows say."""
    chain = dl.Markov(start={0: HALF, 1: HALF}, moves={0: {0: "0.99", 1: "0.01"}, 1: {0: "0.01", 1: "0.99"}}, n=20)
    noisy = Mechanism(dl.Count(), (dl.two_sided_geometric(1),))
    group = one_group(noisy, dl.noiseless(chain))
    claimed = replace(group, rows=(Rows((0,), ((0,), (1,)), (1,)),))
    assert dl.judge.judge(claimed, dl.Value(), TARGET).delta == dl.judge.judge(group, dl.Value(), TARGET).delta
    assert dl.judge.judge(claimed, dl.Value(), TARGET).delta.lower > 0.1
    exact = replace(GROUP, rows=(Rows((0,), ((0,),), (0,)),))
    assert dl.judge.judge(exact, dl.Value(), TARGET).delta == dl.judge.judge(GROUP, dl.Value(), TARGET).delta


def test_what_a_group_hides_is_said_once() -> None:
    group = one_group(Mechanism(dl.Sum()), dl.noiseless(dl.IID(values={0: "1/2", 9: "1/2"}, n=9), secret=dl.Within(5)))
    with pytest.raises(dl.InputError, match="Say one"):
        dl.judge.judge(group, dl.Value(), TARGET)
    with pytest.raises(dl.InputError, match="by their laws"):
        dl.judge.judge(GROUP, dl.Within(5), TARGET)
    known = one_group(Mechanism(dl.Count()), dl.noiseless(dl.IID(p="1/2", n=90, known=50)))
    with pytest.raises(dl.InputError, match="Say it once"):
        dl.judge.judge(replace(known, known=0), dl.Value(), TARGET)
    assert (
        dl.judge.judge(known, dl.Value(), TARGET).delta
        == dl.verify(dl.Count(), dl.IID(p="1/2", n=90, known=50), epsilon=1, delta="1e-3").delta
    )


@pytest.mark.parametrize("channel", [dl.Rounded(5), dl.two_sided_geometric(3)])
def test_a_guarantee_says_what_would_break_it(channel: object) -> None:
    found = dl.verify(dl.Count() >> channel, dl.IID(p="1/2", n=50), epsilon="1/10", delta="1e-6")
    assert any("overlapping records" in line for line in found.breaks)
    noisy = isinstance(channel, TwoSidedGeometric)
    assert any("two draws" in line for line in found.breaks) == noisy
    assert any("drawn as stated" in line for line in found.assumes) == noisy
