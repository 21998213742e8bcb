"""plan() against small worlds, listed one by one: no bound on the wrong side, nothing unsafe, no false alarm."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.claims import Verdict
from dalenius.mechanisms import DiscreteGaussian, Rounded, TwoSidedGeometric
from dalenius.plan import AddNoise, Coarsen, Finding, Publish, assess, largest_known, plan
from dalenius.plan.examination import examine, passes
from dalenius.tables.figures import Figure, Frame
from dalenius.tables.history import History, atoms_of
from judgement.strategies import BOTH, EXACT, NOISY, ROUNDED, worlds
from judgement.worlds import CLOSE, World, truth

FEW = 30  # whole plans, with every change that they look for
factors = st.sampled_from([0.0, 0.5, 0.9, 1.05, 2.0])


def target(world: World, factor: float) -> Fraction:
    """A wanted delta on either side of the truth, often close to it."""
    return Fraction(min(1.0, factor * truth(world))).limit_denominator(10**6)


def judged(world: World, delta: Fraction) -> tuple[Finding, ...]:
    """How each group of people fares: what a plan begins with."""
    return examine(world.figures, world.question(delta), lambda *_: None).findings


def assert_sound(world: World, delta: Fraction) -> None:
    """Bounds from above hold for known records of any declared values, those from below rest on values that are
    believed to occur.
    """
    findings = judged(world, delta)
    if all(finding.verdict == Verdict.PASS for finding in findings) or passes(world.figures, world.question(delta)):
        assert truth(world, declared=True) <= float(delta) + CLOSE
    if any(finding.verdict == Verdict.FAIL for finding in findings):
        assert truth(world) >= float(delta) - CLOSE
    atoms = atoms_of(world.figures, world.frame, world.columns)
    for finding in findings[: len(atoms)]:
        assert truth(world, finding.atom, declared=True) <= finding.delta.upper + CLOSE
    for finding in findings:
        exact = truth(world, finding.atom)
        assert finding.delta.lower <= exact + CLOSE
        if finding.verdict == Verdict.FAIL:
            assert exact >= float(delta) - CLOSE


@pytest.mark.slow
@given(world=worlds([EXACT]), factor=factors)
def test_exact_figures_are_never_judged_safer_than_they_are(world: World, factor: float) -> None:
    assert_sound(world, target(world, factor))


@pytest.mark.slow
@given(world=worlds([EXACT, *ROUNDED, *ROUNDED]), factor=factors)
def test_rounded_figures_are_never_judged_safer_than_they_are(world: World, factor: float) -> None:
    assert_sound(world, target(world, factor))


@pytest.mark.slow
@given(world=worlds([*ROUNDED], figures_at_most=1), factor=factors)
def test_one_rounded_figure_is_never_judged_safer_than_it_is(world: World, factor: float) -> None:
    assert_sound(world, target(world, factor))


@pytest.mark.slow
@given(world=worlds([EXACT, *NOISY, *NOISY, *BOTH], most=4, figures_at_most=2), factor=factors)
def test_noisy_figures_beside_others_are_never_judged_safer_than_they_are(world: World, factor: float) -> None:
    assert_sound(world, target(world, factor))


@pytest.mark.slow
@given(world=worlds([EXACT, *ROUNDED], most=4), cut=st.integers(1, 2), factor=factors)
@settings(max_examples=FEW)
def test_what_is_already_out_is_judged_with_what_is_new(world: World, cut: int, factor: float) -> None:
    if len(world.figures) > cut:
        delta = target(world, factor)
        decision = assess(world.figures[cut:], History(world.figures[:cut]), world.question(delta)).answer
        if isinstance(decision, Publish):
            assert truth(world, declared=True) <= float(delta) + CLOSE


@pytest.mark.slow
@given(world=worlds([EXACT, *ROUNDED]), factor=st.sampled_from([1.05, 1.3, 2.0]))
def test_the_largest_number_of_known_records_is_safe(world: World, factor: float) -> None:
    few = replace(world, known=0)
    delta = target(few, factor)
    found = judged(few, delta)
    if found and all(finding.verdict == Verdict.PASS for finding in found):
        most = largest_known(Publish(found), few.question(delta))
        assert most is None or truth(replace(few, known=most), declared=True) <= float(delta) + CLOSE


@pytest.mark.slow
@given(world=worlds([EXACT], most=4, figures_at_most=2), factor=st.sampled_from([0.3, 0.7, 0.95]))
@settings(max_examples=FEW)
def test_a_remedy_makes_the_figures_safe(world: World, factor: float) -> None:
    delta = target(world, factor)
    decision = plan(world.figures, History(), world.question(delta))
    if isinstance(decision, Coarsen | AddNoise) and _few_outcomes(world, decision.figures):
        assert truth(replace(world, figures=decision.figures), declared=True) <= float(delta) + CLOSE


def _few_outcomes(world: World, changed: tuple[Figure, ...]) -> bool:
    numbers = replace(world, figures=changed).numbers
    scales = [
        link.scale
        for figure, _ in numbers
        for link in figure.channel.links
        if isinstance(link, TwoSidedGeometric | DiscreteGaussian)
    ]
    return len(scales) <= 2 and math.prod(max(1, int(scale)) for scale in scales) <= 30


@pytest.mark.slow
@given(world=worlds([EXACT, *ROUNDED], most=4), factor=st.sampled_from([0.3, 0.7, 0.95]))
def test_a_refusal_shows_an_event_that_proves_it(world: World, factor: float) -> None:
    delta = target(world, factor)
    for finding in judged(world, delta):
        if finding.verdict == Verdict.FAIL and delta > 0:
            assert finding.witness is not None
            assert finding.witness.first - math.exp(world.epsilon) * finding.witness.second >= float(delta) - CLOSE


def test_the_listing_of_worlds_knows_the_textbook_numbers() -> None:
    """Bin(2, 1/2) against its shift by one, at epsilon 0: a half."""
    from dalenius.facts.records import Categories, OneOf, Where
    from dalenius.facts.secret import Value
    from dalenius.tables.figures import ColumnBelief

    half = (("no", Fraction(1, 2)), ("yes", Fraction(1, 2)))
    figure = Figure("yes", "count", None, Where((("u", OneOf(("yes",))),)))
    world = World(
        Frame((), {(): 3}),
        {"u": Categories(("no", "yes"))},
        (ColumnBelief("u", {(): half}, "test"),),
        (figure,),
        Value(),
        0,
        Fraction(0),
    )
    assert truth(world) == 0.5
    assert truth(replace(world, known=1)) == 0.5
    assert truth(replace(world, known=2)) == 1.0
    assert truth(replace(world, figures=(replace(figure, channel=type(figure.channel)((Rounded(3),))),))) == 0.5
