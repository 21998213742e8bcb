"""In which order figures are listed never matters: not for the verdict, not for the numbers, not for what is shown."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.claims import Verdict
from dalenius.facts.records import OneOf, Where
from dalenius.mechanisms import Chain, TwoSidedGeometric
from dalenius.plan import Finding
from dalenius.plan.examination import examine
from dalenius.tables.figures import Figure
from dalenius.tables.history import Entry
from judgement.strategies import EXACT, NOISY, ROUNDED, worlds
from judgement.test_regressions import YES, bits
from judgement.worlds import World

FEW = 12
NORTH = Where((*YES.tests, ("r", OneOf(("north",)))))
ALL = Figure("all", "count", None, YES)
BUT_ONE = Figure("all but one", "count", None, NORTH)
NOISE = Chain((TwoSidedGeometric(Fraction(3)),))
BLURRED = Figure("blurred", "count", None, YES, (), NOISE)


def found_of(world: World, figures: Sequence[Figure], delta: Fraction) -> dict[frozenset[Entry], Finding]:
    asked = replace(world, figures=tuple(figures)).question(delta)
    findings = examine(figures, asked, lambda *_: None).findings
    return {frozenset(finding.atom.entries): finding for finding in findings}


@pytest.mark.parametrize(
    "order",
    list(itertools.permutations((ALL, BUT_ONE, BLURRED))),
    ids=lambda order: ", ".join(one.name for one in order),
)
def test_what_two_exact_numbers_reveal_is_refused_wherever_a_noisy_one_stands(order: tuple[Figure, ...]) -> None:
    world = bits(order, groups={("north",): 40, ("south",): 1})
    found = found_of(world, order, Fraction("1e-6"))
    alone = found[frozenset({Entry(ALL, ()), Entry(BLURRED, ())})]
    assert alone.verdict == Verdict.FAIL
    assert alone.reveals is not None
    assert {entry.figure.name for _, entry in alone.reveals} == {"all", "all but one"}
    assert alone.witness is not None
    assert (alone.witness.first, alone.witness.second) == (1, 0)  # one person, exactly


@pytest.mark.parametrize("order", [(ALL, BLURRED), (BLURRED, ALL)], ids=["exact first", "noisy first"])
def test_an_event_has_the_probabilities_of_the_figure_that_it_names(order: tuple[Figure, ...]) -> None:
    """Three people, an exact count and a noisy one: the count is 3 with probability 1/4, or never."""
    world = bits(order, groups={("north",): 3})
    (finding,) = found_of(world, order, Fraction("1e-6")).values()
    assert finding.verdict == Verdict.FAIL
    assert finding.reveals == ((1, Entry(ALL, ())),)
    assert finding.witness is not None
    gained = finding.witness.first - math.exp(world.epsilon) * finding.witness.second
    exact = 0.25 + max(0, 0.5 - math.exp(0.5) * 0.25)  # 3, and 2, against the count of two coins alone
    assert gained == pytest.approx(exact, rel=1e-9)


def assert_alike(world: World, order: Sequence[Figure], delta: Fraction) -> None:
    first, second = found_of(world, world.figures, delta), found_of(world, order, delta)
    assert first.keys() == second.keys()
    for entries, one in first.items():
        other = second[entries]
        assert one.verdict == other.verdict
        assert one.delta.upper == pytest.approx(other.delta.upper, rel=1e-6, abs=1e-12)
        assert (one.witness is None) == (other.witness is None)


@pytest.mark.slow
@given(
    world=worlds([EXACT, EXACT, *NOISY, *ROUNDED], most=4),
    delta=st.sampled_from([Fraction(1, 1000), Fraction(1, 20), Fraction(1, 4)]),
    data=st.data(),
)
@settings(max_examples=FEW)
def test_figures_in_another_order_fare_alike(world: World, delta: Fraction, data: st.DataObject) -> None:
    assert_alike(world, data.draw(st.permutations(world.figures)), delta)
