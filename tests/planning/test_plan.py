"""What a plan says: its five answers, its alternatives, and what is wrong with a question."""

import math
import random
import re
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dalenius.basics.errors import InputError
from dalenius.facts.records import Numbers, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.judge.group import Laws
from dalenius.mechanisms import Chain, DiscreteGaussian, Rounded, RoundedGaussian, TwoSidedGeometric
from dalenius.plan import (
    AddNoise,
    Coarsen,
    Publish,
    Question,
    Refuse,
    Target,
    Undecided,
    largest_known,
    plan,
    verdict_of,
)
from dalenius.plan.advice import advice_of
from dalenius.plan.calibration import expected_error
from dalenius.plan.calibration.cells import coins_bound
from dalenius.plan.examination import MANY, examine, passes
from dalenius.plan.single import Single
from dalenius.plan.wishes import NOTHING_SPECIAL
from dalenius.show.plan import plan_json, plan_text
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from planning.specs import POINTS, SMOKERS, YES, question

TOTAL = Figure("all", "count", None, YES)


def cells(sizes: list[int], rate: str = "3/10", **more: object):
    names = [f"c{place}" for place in range(len(sizes))]
    return question(dict(zip(names, sizes, strict=True)), dict.fromkeys(names, rate), **more)


# The five answers ---------------------------------------------------------------------------------------------------


def test_figures_that_pass_are_published_as_they_are() -> None:
    assert isinstance(plan((SMOKERS,), History(), cells([800, 900])), Publish)


def test_rounding_is_chosen_where_it_costs_less_than_noise() -> None:
    found = plan((TOTAL,), History(), cells([50], "1/50", epsilon="1", delta="1e-2"))
    assert isinstance(found, Coarsen)
    (figure,) = found.figures
    assert figure.channel.links == (Rounded(3),)
    assert verdict_of(found) == "fail"


@pytest.mark.parametrize(("base", "people"), [(10, 7), (10, 8), (2505, 1), (3, 9), (500_001, 1)])
def test_a_rounded_number_is_off_by_no_more_than_the_advice_says(base: int, people: int) -> None:
    """In a mean of seven people, 5/7: three digits of it are too few, so the last one is rounded up."""
    mean = Figure("mean", "mean", "v", Where())
    desk = SimpleNamespace(
        docket=SimpleNamespace(columns={"v": POINTS}), wishes=NOTHING_SPECIAL, confirmed=lambda *_: True
    )
    one: Any = SimpleNamespace(
        figure=mean, desk=desk, part=None, setting=SimpleNamespace(smallest=people, move=3), alone=lambda: None
    )
    one._becomes = lambda _, channel: ((replace(mean, channel=channel),), (1, 1))
    one.worth = Single.worth.fget(one)  # type: ignore[attr-defined]  # a property of the class
    found = Single.changed(one, "rounding", Chain((Rounded(base),)), f"round: {base}")
    ((said,),) = (
        re.findall(r"at most ([\d.,]+)", remedy.error) for remedy in advice_of([found], shared=False).remedies
    )
    off = Fraction(base // 2, people)
    assert off <= Fraction(said.replace(",", "")) <= off * Fraction(101, 100)


def test_noise_beside_uncertain_data_is_less_than_noise_alone() -> None:
    found = plan((SMOKERS,), History(), cells([60, 80], delta="1e-3"))
    assert isinstance(found, AddNoise)
    ours, alone = ([w for w in found.alternatives if w.way == way] for way in ("data and noise", "noise alone"))
    for one, other in zip(ours, alone, strict=True):
        assert one.cost < other.cost
        assert one.changes[0].alone is not None


def test_nothing_reaches_epsilon_and_delta_zero_and_the_nearest_is_named() -> None:
    asked = cells([500], epsilon="0", delta="0")
    found = plan((TOTAL,), History(), asked)
    assert isinstance(found, Refuse)
    by_delta, by_epsilon = found.nearest
    assert by_delta.delta is not None
    assert 0.01 < by_delta.delta < 0.1
    met = replace(asked, target=replace(asked.target, delta=by_delta.delta))
    assert isinstance(plan((TOTAL,), History(), met), Publish)
    assert by_epsilon.epsilon is None
    assert "no epsilon up to 100 is met" in plan_text(found, asked, (TOTAL,))
    assert plan_json(found, asked, (TOTAL,), version="1")["nearest"][0]["delta"]


def test_the_least_epsilon_that_is_met_is_certified_and_nearly_least() -> None:
    """Nothing helps beside an exact figure that is out: the refusal names the targets that both meet."""
    asked = question({"a": 300, "b": 40}, {"a": "3/10", "b": "3/10"}, epsilon="1/2", delta="1e-3")
    old = History((replace(TOTAL, name="out"),))
    new = Figure("a", "count", None, Where((*YES.tests, ("r", OneOf(("a",))))))
    found = plan((new,), old, asked)
    assert isinstance(found, Refuse)
    least = found.nearest[1].epsilon
    assert least is not None
    for epsilon, passed in ((least, True), (least - Fraction(2, 1000), False)):
        assert passes((*old.figures, new), replace(asked, target=replace(asked.target, epsilon=epsilon))) == passed


@pytest.mark.slow
@pytest.mark.parametrize("spent", [0, 4])
def test_noise_hides_those_who_come_after_an_exact_figure(spent) -> None:
    """Whoever was in it is hidden as before; the newcomer only by noise, less what noise that is out has spent."""
    asked = question({"a": 400, "b": 1}, {"a": "3/10", "b": "3/10"}, epsilon="1", delta="1e-6")
    out = Figure("out", "count", None, Where((*YES.tests, ("r", OneOf(("a",))))))
    before = [replace(TOTAL, name="before", channel=Chain((TwoSidedGeometric(Fraction(spent)),)))] if spent else []
    old = History((out, *before))
    found = plan((TOTAL,), old, asked)
    assert isinstance(found, AddNoise)
    (noisy,) = found.figures
    scale = noisy.channel.links[0].scale
    assert Fraction(99, 100) < scale / (1 / (1 - Fraction(1, spent) if spent else 1)) < Fraction(101, 100)
    assert passes((*old.figures, noisy), asked)
    less = replace(noisy, channel=Chain((TwoSidedGeometric(scale * Fraction(98, 100)),)))
    assert not passes((*old.figures, less), asked)
    (chosen,) = [way for way in found.alternatives if way.chosen]
    assert chosen.why.endswith("whoever is in exact ones that are out is hidden as before")


def test_noise_does_not_help_whom_exact_figures_do_not_hide() -> None:
    """The exact figure that is out does not meet the target by itself."""
    asked = question({"a": 30, "b": 1}, {"a": "3/10", "b": "3/10"}, epsilon="1", delta="1e-6")
    out = Figure("out", "count", None, Where((*YES.tests, ("r", OneOf(("a",))))))
    found = plan((TOTAL,), History((out,)), asked)
    assert isinstance(found, Refuse)
    assert all("noise hides nobody" in way.why for way in found.alternatives if way.way == "noise alone")
    assert "cannot be taken back" in found.advice.words


def test_no_noise_is_looked_for_if_everybody_in_new_figures_is_in_exact_ones_too() -> None:
    """Others are in a noisy figure that is out, and in no new one: they need no share of epsilon."""
    asked = question({"a": 30, "b": 40}, {"a": "3/10", "b": "3/10"}, epsilon="1", delta="1e-6")
    exact = Figure("exact", "count", None, Where((*YES.tests, ("r", OneOf(("b",))))))
    noisy = replace(TOTAL, name="noisy", channel=Chain((TwoSidedGeometric(Fraction(4)),)))
    found = plan((replace(exact, name="new"),), History((exact, noisy)), asked)
    assert isinstance(found, Refuse)
    (alone,) = [way for way in found.alternatives if way.way == "noise alone"]
    assert "noise hides nobody" in alone.why


def test_a_fitted_belief_is_undecided_and_says_what_to_measure() -> None:
    asked = cells([800])
    fitted = replace(asked, beliefs=tuple(replace(belief, fitted=True) for belief in asked.beliefs))
    found = plan((SMOKERS,), History(), fitted)
    assert isinstance(found, Undecided)
    assert "public source" in found.next


@pytest.mark.slow
def test_a_figure_that_has_noise_and_gets_something_else_is_not_called_noisier() -> None:
    law = (*((Fraction(v), Fraction(9999, 50_000)) for v in range(5)), (Fraction(20), Fraction(1, 10_000)))
    asked = Question(
        Frame((), {(): 400}),
        {"visits": Numbers(Fraction(1), Fraction(0), Fraction(20))},
        (ColumnBelief("visits", {(): law}, "a register"),),
        Attacker(0),
        Value(),
        Target(Fraction(1, 2), Fraction(1, 1000)),
    )
    found = plan((Figure("v", "sum", "visits", channel=Chain((TwoSidedGeometric(Fraction(1)),))),), History(), asked)
    assert isinstance(found, Coarsen)
    assert found.figures[0].truncated is not None


# Alternatives -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_merging_makes_two_figures_that_pass() -> None:
    asked = cells([900, 800, 130, 140, 150, 700], delta="1e-5", epsilon="1/2")
    found = plan((SMOKERS,), History(), asked)
    assert isinstance(found, AddNoise)
    (merged,) = [way for way in found.alternatives if way.way == "merging" and way.lost < 5]
    assert merged.certified
    assert merged.lost == 2
    kept, other = merged.changes[0].becomes
    assert other.name == "smokers, other r"
    assert dict(other.where.tests)["r"] == OneOf(("c2", "c3", "c4"))
    assert passes((kept, other), asked)
    assert other.by == ()


@pytest.mark.slow
def test_overlapping_figures_get_noise_together() -> None:
    """One sum several times with Gaussian noise is judged beside uncertain data, other noise is composed."""
    asked = cells([60, 40], delta="1e-3")
    found = plan((TOTAL, SMOKERS), History(), asked)
    assert isinstance(found, AddNoise)
    assert passes(found.figures, asked)
    ways = {way.way: way for way in found.alternatives}
    assert ways["rounding"].why.startswith("rounding hides a number only")
    assert ways["leaving out"].certified or ways["leaving out"].why
    gaussian = {way.way: way for way in found.alternatives if way.changes and "gaussian" in way.changes[0].line}
    ours, alone = gaussian["data and noise"], gaussian["noise alone"]
    assert ours.certified
    assert ours.cost < 0.9 * alone.cost
    becomes = [change.becomes[0] for change in ours.changes]
    scales = [figure.channel.links[0].scale * Fraction(98, 100) for figure in becomes]
    less = [replace(f, channel=Chain((DiscreteGaussian(s),))) for f, s in zip(becomes, scales, strict=True)]
    assert not passes(less, asked)
    (geometric,) = [way for way in found.alternatives if way.way == "data and noise" and not way.changes]
    assert "geometric noise is judged as differential privacy composes it" in geometric.why


def test_the_worst_group_is_named_in_full_and_only_if_something_is_told() -> None:
    asked = cells([80, 60])
    figures = (TOTAL, Figure("first", "count", None, Where((*YES.tests, ("r", OneOf(("c0",)))))))
    found = Refuse(examine(figures, asked, lambda *_: None).findings)
    assert 'the worst: "all", not in "first": ' in " ".join(plan_text(found, asked, figures).split())
    noisy = replace(TOTAL, channel=Chain((TwoSidedGeometric(Fraction(10)),)))
    quiet = plan((noisy,), History(), asked)
    text = plan_text(quiet, asked, (noisy,))
    assert "worst" not in text
    assert "Delta is 0 for the only group of people" in text


def test_beside_an_exact_figure_that_is_out_noise_is_not_offered() -> None:
    asked = question({"a": 300, "b": 3}, {"a": "3/10", "b": "3/10"})
    new = Figure("a", "count", None, Where((*YES.tests, ("r", OneOf(("a",))))))
    found = plan((new,), History((TOTAL,)), asked)
    assert isinstance(found, Refuse)
    assert not any(way.certified for way in found.alternatives)
    assert "cannot be taken back" in found.advice.words


def test_parts_that_share_nobody_are_changed_each_by_itself() -> None:
    asked = question({"a": 60, "b": 900}, {"a": "3/10", "b": "3/10"})
    few, many = (Figure(n, "count", None, Where((*YES.tests, ("r", OneOf((n,)))))) for n in ("a", "b"))
    found = plan((few, many), History(), asked)
    assert isinstance(found, AddNoise)
    assert many in found.figures
    assert few not in found.figures


def test_costs() -> None:
    assert expected_error(Chain((Rounded(5),))) == pytest.approx((0 + 1 + 2 + 2 + 1) / 5)
    x = math.exp(-1 / 2)
    geometric = sum(abs(k) * (1 - x) / (1 + x) * x ** abs(k) for k in range(-200, 201))
    assert expected_error(Chain((TwoSidedGeometric(Fraction(2)),))) == pytest.approx(geometric)
    weights = {k: math.exp(-k * k / 18) for k in range(-100, 101)}
    gaussian = sum(abs(k) * w for k, w in weights.items()) / sum(weights.values())
    assert expected_error(Chain((DiscreteGaussian(Fraction(3)),))) == pytest.approx(gaussian)
    dice = np.random.default_rng(1).normal(0, 3, 400_000)
    assert expected_error(Chain((RoundedGaussian(Fraction(3)),))) == pytest.approx(abs(np.rint(dice)).mean(), rel=0.01)


# Many cells ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_many_cells_are_judged_as_one_by_one() -> None:
    dice = random.Random(3)
    sizes = [dice.randint(2, 400) for _ in range(MANY)]
    names = [f"c{place}" for place in range(MANY)]
    rates = {name: f"{dice.randint(1, 99)}/100" for name in names}
    asked = question(dict(zip(names, sizes, strict=True)), rates, known=3, delta="1e-2")
    at_once = examine((SMOKERS,), asked, lambda *_: None).findings
    for finding in at_once:
        cell = finding.atom.entries[0].cell[0]
        single = question({cell: finding.atom.size}, {cell: rates[cell]}, known=finding.known, delta="1e-2")
        (other,) = examine((SMOKERS,), single, lambda *_: None).findings
        assert other.verdict == finding.verdict
        assert other.delta.upper == pytest.approx(finding.delta.upper, rel=1e-8)
    found = plan((SMOKERS,), History(), asked)
    assert isinstance(found, AddNoise)
    assert isinstance(plan(found.figures, History(), asked), Publish)


@pytest.mark.slow
def test_the_largest_number_of_known_records_in_many_cells() -> None:
    names = [f"c{place}" for place in range(MANY)]
    asked = question(dict.fromkeys(names, 500), {name: f"{30 + i % 20}/100" for i, name in enumerate(names)})
    found = plan((SMOKERS,), History(), asked)
    assert isinstance(found, Publish)
    most = largest_known(found, asked)
    assert most is not None
    for known in (most, most + 1):
        again = replace(asked, attacker=replace(asked.attacker, known=known))
        assert passes((SMOKERS,), again) == (known == most)


def test_the_cheap_bound_of_many_kinds_holds_whoever_is_known() -> None:
    dice = np.random.default_rng(5)
    rates, removed, epsilon, wanted = dice.integers(5, 96, 600), 40, Fraction(1, 2), Fraction(1, 100)
    types = tuple((((((0,), 1 - Fraction(int(r), 100))), ((1,), Fraction(int(r), 100))), 1) for r in rates)
    bound = coins_bound(Laws(types, ((0,), (1,))), removed, epsilon, wanted)
    assert bound < 1
    by_variance = np.argsort(-rates * (100 - rates))
    for order in (by_variance, np.argsort(rates), np.argsort(-rates), dice.permutation(600)):
        law = np.ones(1)
        for rate in rates[order[removed:]] / 100:
            law = np.convolve(law, [1 - rate, rate])
        first, second = np.append(law, 0), np.insert(law, 0, 0)
        for one, two in ((first, second), (second, first)):
            assert np.maximum(one - math.exp(epsilon) * two, 0).sum() <= bound


# What is wrong with a question --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ladder", "word"), [((), "it is empty"), ((1,), "from 2 to"), ((5, True), "from 2 to"), ((2.5,), "from 2 to")]
)
def test_a_ladder_needs_bases(ladder: tuple[int, ...], word: str) -> None:
    with pytest.raises(InputError, match=word):
        plan((TOTAL,), History(), cells([10]), ladder=ladder)


def test_progress_is_reported_with_its_total() -> None:
    seen: list[tuple[str, int, int]] = []
    plan((SMOKERS,), History(), cells([60, 80]), progress=lambda *step: seen.append(step))
    assert ("judging groups of people", 2, 2) in seen
    assert any("rounding" in what for what, _, _ in seen)


# Post-processing -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, MANY])
def test_a_rounded_figure_is_never_bounded_above_the_exact_one(count: int) -> None:
    asked, rounded = cells([2000] * count, known=40), replace(SMOKERS, channel=Chain((Rounded(5),)))
    plain, coarse = (
        max(f.delta.upper for f in examine((figure,), asked, silent).findings) for figure in (SMOKERS, rounded)
    )
    assert 0 < coarse <= plain < 1e-12
    noisy = replace(SMOKERS, channel=Chain((TwoSidedGeometric(Fraction(1)), Rounded(7))))
    unrounded = replace(SMOKERS, channel=Chain((TwoSidedGeometric(Fraction(1)),)))
    before, after = (
        max(f.delta.upper for f in examine((figure,), asked, silent).findings) for figure in (unrounded, noisy)
    )
    assert after <= before


def silent(_what: str, _done: int, _of: int) -> None:
    """Nobody looks."""


def test_of_two_changes_that_cost_the_same_the_one_without_beliefs_is_chosen() -> None:
    """Nobody hides the only person of a cell: what the data and noise need together, noise alone needs."""
    found = plan((SMOKERS,), History(), question({"a": 1}, {"a": "3/10"}, delta="1e-3"))
    assert isinstance(found, AddNoise)
    geometric = [way for way in found.alternatives if way.possible and "geometric" in way.changes[0].line]
    assert {way.way for way in geometric} == {"data and noise", "noise alone"}
    assert len({way.cost for way in geometric}) == 1
    (chosen,) = [way for way in found.alternatives if way.chosen]
    assert chosen.way == "noise alone"
    (other,) = [way for way in geometric if way is not chosen]
    assert "costs as much, and rests on more" in other.why
    assert chosen.dominates(other)
