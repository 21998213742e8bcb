"""Classes of marginals against brute force: no member, sampled or extreme, is worse than the bracket's upper end, and
some member is at least as bad as its lower end.
"""

import itertools
import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.beliefs.around import Around, Hull
from dalenius.beliefs.at_least import AtLeast
from dalenius.beliefs.belief import Belief
from dalenius.beliefs.vertices import Rates
from dalenius.beliefs.worst import coins_curve
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Facts, Value
from dalenius.facts.statistics import Sum
from oracle import laws as lw
from oracle import strategies
from oracle.noiseless import Problem, worst_delta

from .worlds import RELEASES

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text(encoding="utf-8"))
EPSILONS = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(3)])
WEIGHTS = st.sampled_from([Fraction(1, 5), Fraction(3, 7), Fraction(97, 101), Fraction(1)])
HAIR = Fraction(1, 10**9)
ONE = Fraction(1)


def bracket(belief: Belief, epsilon: Fraction, release: str = "exact") -> Bracket:
    facts = Facts.of(Value(), [Sum().contribution(value) for value in belief.domain()])
    with np.errstate(all="ignore"):
        return belief.curve(Sum(), facts, RELEASES[release][0], known=belief.known).delta(epsilon)


def truth(records: Sequence[lw.Law], belief: Belief, epsilon: Fraction, release: str = "exact") -> Fraction:
    """δ of one member, worst over the target and the known records; a lower bound within 1e-30."""
    domain = [int(value) for value in belief.domain()]
    problem = Problem(records, domain=domain, channel=RELEASES[release][1], known=belief.known)
    return worst_delta(problem, epsilon).lower


def mixed(law: lw.Law, weight: Fraction, rest: lw.Law) -> lw.Law:
    return lw.mixture([weight, 1 - weight], [law, rest])


def vertices(law: lw.Law, weights: Sequence[Fraction], domain: Sequence[int]) -> Iterator[list[lw.Law]]:
    for rests in itertools.product(domain, repeat=len(weights)):
        yield [mixed(law, weight, lw.point(rest)) for weight, rest in zip(weights, rests, strict=True)]


small_laws = strategies.laws(max_size=3, low=0, high=2).filter(lambda law: len(law) > 1)


@pytest.mark.slow
@given(
    law=small_laws,
    weights=st.lists(WEIGHTS, min_size=2, max_size=3),
    known=st.integers(0, 2),
    extra=st.sampled_from([0, 1, 5]),
    epsilon=EPSILONS,
    release=st.sampled_from(["exact", "rounded 3"]),
)
def test_at_least_holds_for_every_vertex_of_the_class(
    law: lw.Law, weights: list[Fraction], known: int, extra: int, epsilon: Fraction, release: str
) -> None:
    domain = sorted({*law, extra})
    weights = weights[:2] if release != "exact" else weights
    known = min(known, len(weights) - 1)
    belief = AtLeast(law, weights=weights, known=known, domain=domain)
    found = bracket(belief, epsilon, release)
    worst = max(truth(member, belief, epsilon, release) for member in vertices(law, weights, domain))
    assert Fraction(found.lower) - HAIR <= worst <= Fraction(found.upper) + Fraction(1, 10**30)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["geometric 1", "gaussian 1/3"])
@pytest.mark.parametrize("known", [0, 1])
def test_at_least_holds_for_every_vertex_beneath_noise(release: str, known: int) -> None:
    law, weights, epsilon = {0: Fraction(3, 7), 1: Fraction(4, 7)}, [Fraction(2, 5), Fraction(2, 3)], Fraction(1, 2)
    belief = AtLeast(law, weights=weights, known=known)
    found = bracket(belief, epsilon, release)
    worst = max(truth(member, belief, epsilon, release) for member in vertices(law, weights, [0, 1]))
    assert Fraction(found.lower) - HAIR <= worst <= Fraction(found.upper) + Fraction(1, 10**30)


@pytest.mark.slow
@given(
    law=small_laws,
    weight=WEIGHTS,
    rests=st.lists(strategies.laws(max_size=3, low=0, high=3), min_size=2, max_size=4),
    known=st.integers(0, 2),
    epsilon=EPSILONS,
)
def test_at_least_holds_for_members_in_the_middle_of_the_class(
    law: lw.Law, weight: Fraction, rests: list[lw.Law], known: int, epsilon: Fraction
) -> None:
    belief = AtLeast(law, weight=weight, n=len(rests), known=min(known, len(rests) - 1), domain=range(4))
    member = [mixed(law, weight, rest) for rest in rests]
    assert truth(member, belief, epsilon) <= Fraction(bracket(belief, epsilon).upper) + Fraction(1, 10**30)


@given(law=small_laws, weight=WEIGHTS, n=st.integers(2, 5), epsilon=EPSILONS)
def test_a_value_that_is_far_off_betrays_the_count_and_attains_the_bound(
    law: lw.Law, weight: Fraction, n: int, epsilon: Fraction
) -> None:
    """With one shift only: otherwise the far value itself is a secret that shows."""
    domain = [*law, 40]
    found = AtLeast(law, weight=weight, n=n, domain=domain)
    one = Facts.of(Value(), (0, 1))
    curve = found.curve(Sum(), one, RELEASES["exact"][0], known=0).delta(epsilon)
    assert curve.upper <= max(curve.lower, 1e-300) * 1.011


@pytest.mark.slow
@given(
    ends=st.tuples(strategies.rates(), strategies.rates()).map(sorted),
    n=st.integers(1, 6),
    known=st.integers(0, 3),
    epsilon=EPSILONS,
    release=st.sampled_from(["exact", "geometric 1/2", "gaussian 2", "rounded 2", "rounded 3"]),
)
def test_rates_are_as_bad_as_their_worst_vertex(
    ends: list[Fraction], n: int, known: int, epsilon: Fraction, release: str
) -> None:
    belief = Rates(ends, n=n, known=min(known, n - 1))
    found = bracket(belief, epsilon, release)
    rest = n - belief.known - 1
    worst = Fraction(0)
    for m in range(rest + 1):
        rates = [ends[1]] * m + [ends[0]] * (rest - m) + [ends[0] if ends[0] == ends[1] else sum(ends) / 2] * (n - rest)
        problem = Problem(
            [{0: 1 - p, 1: p} for p in rates], channel=RELEASES[release][1], known=belief.known, targets=[n - 1]
        )
        worst = max(worst, worst_delta(problem, epsilon).lower)
    assert worst <= Fraction(found.upper) + Fraction(1, 10**30)
    if release not in ("rounded 2", "rounded 3"):  # there the known records at hand need not be the worst
        assert Fraction(found.lower) - HAIR <= worst
        assert found.width <= 1e-7 + 1e-6 * found.upper


@given(
    ends=st.tuples(strategies.inner_rates(), strategies.inner_rates()).map(sorted),
    shares=st.lists(strategies.ugly_fractions(), min_size=2, max_size=5),
    known=st.integers(0, 2),
    epsilon=EPSILONS,
)
def test_rates_hold_for_rates_in_between(
    ends: list[Fraction], shares: list[Fraction], known: int, epsilon: Fraction
) -> None:
    belief = Rates(ends, n=len(shares), known=min(known, len(shares) - 1))
    rates = [ends[0] + share * (ends[1] - ends[0]) for share in shares]
    member = [{0: 1 - p, 1: p} for p in rates]
    assert truth(member, belief, epsilon) <= Fraction(bracket(belief, epsilon).upper) + Fraction(1, 10**30)


@pytest.mark.slow
@pytest.mark.parametrize("coin", ["1/10", "2/9", "1/4", "1/2"])
def test_rates_are_below_the_bound_of_every_common_coin(coin: str) -> None:
    """A Bernoulli(p) contains Bernoulli(r) with weight min(p/r, (1-p)/(1-r)): the worst rates are not above that."""
    lo, hi, r = Fraction(1, 10), Fraction(3, 10), Fraction(coin)
    weight = min(lo / r, (1 - hi) / (1 - r))
    bound = coins_curve(np.array([float(weight)]), np.array([299]), 0, rate=float(r), shift=1)
    assert bracket(Rates((lo, hi), n=300), Fraction(1, 2)).upper <= bound.delta(Fraction(1, 2)).upper


def within(draw: st.DrawFn, law: lw.Law, radius: Fraction, domain: Sequence[int]) -> lw.Law:
    """A law in the ball: some of the mass, at most the radius, goes elsewhere."""
    found, left = {at: law.get(at, Fraction(0)) for at in domain}, radius
    for _ in range(3):
        source, sink = draw(st.sampled_from(domain)), draw(st.sampled_from(domain))
        part = min(left, found[source]) * draw(st.sampled_from([ONE, Fraction(1, 3)]))
        found[source] -= part
        found[sink] += part
        left -= part
    return {at: chance for at, chance in found.items() if chance}


@pytest.mark.slow
@given(data=st.data(), law=small_laws, radius=st.sampled_from(["1/100", "1/7", "1/3"]), epsilon=EPSILONS)
def test_around_holds_within_the_ball(data: st.DataObject, law: lw.Law, radius: str, epsilon: Fraction) -> None:
    n, domain = data.draw(st.integers(2, 4)), sorted({*law, 0, 1})
    belief = Around(law, radius, n=n, known=data.draw(st.integers(0, n - 1)), domain=domain)
    member = [data.draw(st.composite(within)(law, Fraction(radius), domain)) for _ in range(n)]
    assert all(lw.total_variation(one, law) <= Fraction(radius) for one in member)
    found = bracket(belief, epsilon)
    assert truth(member, belief, epsilon) <= Fraction(found.upper) + Fraction(1, 10**30)


@pytest.mark.slow
@given(
    laws=st.lists(small_laws, min_size=1, max_size=3), n=st.integers(2, 3), known=st.integers(0, 1), epsilon=EPSILONS
)
def test_a_hull_is_between_its_worst_vertex_and_its_upper_bound(
    laws: list[lw.Law], n: int, known: int, epsilon: Fraction
) -> None:
    belief = Hull(laws, n=n, known=known)
    found = bracket(belief, epsilon)
    worst = max(truth(member, belief, epsilon) for member in itertools.product(laws, repeat=n))
    assert Fraction(found.lower) - HAIR <= worst <= Fraction(found.upper) + Fraction(1, 10**30)
    middle = [lw.mixture([Fraction(1, len(laws))] * len(laws), laws)] * n
    assert truth(middle, belief, epsilon) <= Fraction(found.upper) + Fraction(1, 10**30)


def test_the_class_of_a_golden_crowd_is_above_it_and_below_its_overlap_bound() -> None:
    """The 30 + 20 + 5 records of T1: fair coins of weight 0.6, 0.5 and 0 are what T2 uses, and the same number."""
    ((golden),) = GOLDEN["T1_T2"].values()
    weights = ["0.6"] * 30 + ["0.5"] * 20 + ["0"] * 5 + ["0.9"]  # the target goes first, being the likeliest
    belief = AtLeast({0: "1/2", 1: "1/2"}, weights=weights, domain=[0, 1, 2])
    one = Facts.of(Value(), (0, 1))
    for epsilon, value in golden["t2"].items():
        found = belief.curve(Sum(), one, RELEASES["exact"][0], known=0).delta(Fraction(epsilon))
        assert golden["exact"][epsilon] <= found.upper
        assert value * (1 - 1e-12) <= found.upper <= value * 1.011


@pytest.mark.parametrize("case", GOLDEN["Obs1_worst_subset"])
def test_golden_known_subsets(case: str) -> None:
    golden = GOLDEN["Obs1_worst_subset"][case]
    listed, known = case.removeprefix("ps=").split(",g=")
    weights = [2 * min(Fraction(str(p)), 1 - Fraction(str(p))) for p in json.loads(listed)]
    belief = AtLeast({0: "1/2", 1: "1/2"}, weights=[*weights, 1], known=int(known.split(",")[0]))
    found = bracket(belief, Fraction(1, 2))
    assert golden["exact_worst"] <= found.upper
    assert golden["t2"] * (1 - 1e-12) <= found.upper <= golden["t2"] * 1.011


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: AtLeast({0: 1}, n=3), "either weight"),
        (lambda: AtLeast({0: 1}, weight=2, n=3), "between 0 and 1"),
        (lambda: AtLeast({0: 1}, weight="1/2", n=0), "at least one record"),
        (lambda: AtLeast({0: 1}, weights=[]), "at least one record"),
        (lambda: AtLeast({0: 1}, weight="1/2", n=3, known=3), "0 to 2 of 3"),
        (lambda: AtLeast({0: "1/2"}, weight="1/2", n=3), "sum to 1"),
        (lambda: Rates((0.5, 0.2), n=3), "lo ≤ hi"),
        (lambda: Rates((0.5,), n=3), "lo ≤ hi"),
        (lambda: Rates((0, 0.2), n=0), "at least one record"),
        (lambda: Around({0: 1}, -1, n=3), "total variation"),
        (lambda: Around({0: 1}, "0.1", n=3, domain=[1]), "must hold every value"),
        (lambda: Hull([], n=3), "at least one law"),
    ],
)
def test_what_is_not_a_class_is_refused(make: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()  # type: ignore[operator]


def test_the_largest_share_of_known_records_is_found_for_a_class() -> None:
    belief = AtLeast({0: "1/2", 1: "1/4", 2: "1/4"}, weight="1/2", n=400)
    guarantee = dl.verify(dl.Sum(), dl.noiseless(belief), epsilon=1, delta="1e-3")
    assert "of 400 records known" in guarantee.largest_known
    assert "any of the stated class" in str(guarantee)
