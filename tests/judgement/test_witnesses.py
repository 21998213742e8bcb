"""A witness is a true statement: its event has the stated probabilities, in the stated worlds, in the stated units."""

import itertools
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.facts.secret import Presence, Value

F = Fraction
EVENTS = [
    (r"is at least (-?[\d.]+)$", lambda x, a: x >= a),
    (r"is at most (-?[\d.]+)$", lambda x, a: x <= a),
    (r"is (-?[\d.]+)$", lambda x, a: x == a),
    (r"is not a multiple of ([\d.]+)$", lambda x, a: x % a != 0),
    (r"is a multiple of ([\d.]+)$", lambda x, a: x % a == 0),
    (r"leaves the remainder ([\d.]+) when divided by ([\d.]+)$", lambda x, a, b: x % b == a),
    (r"lies from (-?[\d.]+) to (-?[\d.]+)$", lambda x, a, b: a <= x <= b),
    (r"is odd$", lambda x: x % 2 == 1),
    (r"is even$", lambda x: x % 2 == 0),
    (r"is one of (.*)$", None),
]


def happens(event: str, total: Fraction) -> bool:
    for pattern, test in EVENTS:
        found = re.search(pattern, event)
        if found and test is not None:
            return test(total, *(F(number) for number in found.groups()))
        if found:
            return total in {F(number) for number in found[1].split(", ")}
    raise AssertionError(event)


def adds(world: str) -> Fraction:
    found = re.match(r"a person(?: whose rate is [\d.e-]+)? adds (-?[\d.]+)", world)
    assert found, world
    return F(found[1])


def chance(event: str, marginals: list[dict[int, Fraction]], own: Fraction, unit: Fraction, base: int) -> Fraction:
    """The probability of the event, by going through all the others' records."""
    whole = F(0)
    for values in itertools.product(*(law.items() for law in marginals)):
        total = own + sum(F(value) * unit for value, _ in values)
        if base > 1:
            step = base * unit
            total = (total + (base // 2) * unit) // step * step
        if happens(event, total):
            weight = F(1)
            for _, mass in values:
                weight *= mass
            whole += weight
    return whole


@st.composite
def crowds(draw: st.DrawFn) -> dict[int, Fraction]:
    values = draw(st.lists(st.integers(-3, 9), min_size=1, max_size=3, unique=True))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    return {value: F(w, sum(weights)) for value, w in zip(values, weights, strict=True)}


@pytest.mark.slow
@given(
    law=crowds(),
    more=st.sets(st.integers(-3, 9), max_size=2),
    n=st.integers(1, 4),
    base=st.sampled_from([1, 1, 2, 3, 5]),
    unit=st.sampled_from([F(1), F(10), F(1, 2)]),
    epsilon=st.sampled_from([0, "1/2", 3, 701]),
    presence=st.booleans(),
)
@settings(max_examples=150)
def test_what_a_witness_says_is_true(
    law: dict[int, Fraction], more: set[int], n: int, base: int, unit: Fraction, epsilon: object, presence: bool
) -> None:
    values = {value * unit: mass for value, mass in law.items()}
    domain = [value * unit for value in sorted(set(law) | more)]
    belief = dl.IID(values=values, n=n, domain=domain)
    mechanism = dl.Sum(unit=unit) >> (dl.Rounded(base) if base > 1 else dl.Exact())
    secret = Presence() if presence else Value()
    found = dl.verify(mechanism, dl.noiseless(belief, secret=secret), epsilon=epsilon).witness
    if found is None or found.event.endswith(" more"):  # not all of its values are told
        return
    laws = [law] * (n - 1)
    first, second = (chance(found.event, laws, adds(world), unit, base) for world in (found.one, found.other))
    assert F(found.first) <= first and second <= F(found.second)
    assert adds(found.one) != adds(found.other)
    assert first > second


@pytest.mark.slow
def test_the_witness_of_many_different_rates_speaks_of_totals() -> None:
    groups = [({3: 1 - F(i + 10, 200), 8: F(i + 10, 200)}, 1) for i in range(70)]
    found = dl.verify(dl.Sum(), dl.noiseless(dl.Independent(groups=groups)), epsilon=0.5).witness
    assert {adds(found.one), adds(found.other)} == {3, 8}
    threshold = F(re.search(r"at (?:most|least) (\d+)$", found.event)[1])
    assert 70 * 3 < threshold < 70 * 8
    assert threshold % 5 == 0


def test_a_known_sum_that_is_rounded_is_named() -> None:
    belief = dl.IID(values={0: "1/2", 1: "1/2"}, n=6, known=2)
    found = dl.verify(dl.Count() >> dl.Rounded(2), dl.noiseless(belief), epsilon=0).witness
    assert found.event.startswith("the count, less m, is ")
    assert re.search(r"a person adds \d and the known records m \+ [01] \(m is a multiple of 2\)", found.one)


def test_rungs_far_from_their_neighbours_have_room() -> None:
    law = {0: "1e-9", 337: F(999998899, 10**9), 338: "1e-7", 674: "1e-6"}
    assert dl.verify(dl.Sum(), dl.noiseless(dl.IID(values=law, n=5)), epsilon=1).delta.lower > 0.99


def test_a_rate_that_flips_to_one_is_not_certain() -> None:
    belief = dl.noiseless(dl.Independent(rates=[1e-17] * 1000))
    assert dl.verify(dl.Count(of=frozenset({0})), belief, epsilon=0).delta.lower < 1
