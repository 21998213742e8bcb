"""Mechanisms with a theorem of their own, and `figure >> step`: what verify says, and the truth in small worlds."""

import itertools
import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.claims import Notion
from stated.kernels import apart, worlds

F = Fraction
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "semantics.json").read_text(encoding="utf-8"))
HALF = {0: "1/2", 1: "1/2"}
CHAIN = dl.Markov(start=HALF, moves={0: {0: "0.9", 1: "0.1"}, 1: {0: "0.1", 1: "0.9"}}, n=12)
CELLS = {"A": "0.11", "B": "0.39", "other": "0.5"}
HEDGED = dl.mechanisms.HedgedCount("1/2", n=1000, epsilon="0.9", alpha="0.001")
R2 = {"n": 100, "eligible": ["A", "B"], "noise": "0.25", "rest": "0.5", "exact": 1}

BUILT: dict[str, dl.mechanisms.Stated] = {
    "single prior": dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5", pairs="value"),
    "hedged": HEDGED,
    "ball": dl.mechanisms.BallCount("1/2", n=1000, epsilon="0.9", beta="0.3"),
    "cells": dl.mechanisms.SinglePriorHistogram(CELLS, **R2),
    "values": dl.mechanisms.SumWithin(1000, epsilon=1, unit=10),
    "factor": dl.mechanisms.GeometricMeanWithin("0.9", epsilon=1),
    "business": dl.mechanisms.BusinessTotal(50_000, epsilon="0.5", unit=100),
}


@pytest.mark.parametrize("name", BUILT)
def test_verify_says_what_the_mechanism_states(name: str) -> None:
    made = BUILT[name]
    assert str(dl.verify(made)) == str(made.guarantees()[0])
    assert dl.verify(made, delta=0).epsilon == made.guarantees()[0].epsilon
    at = dl.verify(made, epsilon="0.3", delta="1e-3")
    assert (at.delta, at.target_epsilon, at.target_delta) == (made.curve().delta(F(3, 10)), F(3, 10), F(1, 1000))


def test_golden_windows() -> None:
    assert str(dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5", pairs="value").window) == "5 to 8"
    assert str(HEDGED.window) == "280 to 720"
    cells = BUILT["cells"]
    assert isinstance(cells, dl.mechanisms.SinglePriorHistogram)
    assert {name: str(window) for name, window in cells.windows.items() if name != "other"} == {
        "A": "5 to 15",
        "B": "15 to 54",
    }


# -- a local mechanism comes first -----------------------------------------------------------------------------------


def test_randomised_answers_are_counted() -> None:
    counted = dl.mechanisms.RandomizedResponse(epsilon=1) >> dl.Count()
    assert dl.verify(counted, dl.differential_privacy(), delta=0).epsilon.upper == 1
    belief = dl.IID(p="0.1", n=1000)
    total = dl.mechanisms.ResponseTotal(dl.mechanisms.RandomizedResponse(epsilon=1), belief)
    assert dl.verify(counted, belief, epsilon="0.1").delta == total.curve().delta(F(1, 10))
    assert dl.curve(counted, dl.noiseless(belief)).delta(F(1, 10)) == total.curve().delta(F(1, 10))
    assert dl.verify(total, belief, epsilon="0.1").delta == total.curve().delta(F(1, 10))
    assert dl.verify(counted, dl.noiseless(belief), delta="1e-9").notion == Notion.NOISELESS


def test_randomised_answers_in_a_small_world() -> None:
    keep, p, n = F(3, 4), F(1, 3), 5
    found = dl.verify(dl.mechanisms.RandomizedResponse(keep=keep) >> dl.Count(), dl.IID(p=p, n=n), epsilon="0.2").delta
    rate, laws = keep * p + (1 - keep) * (1 - p), {}
    for answer in (0, 1):
        law = [F(0)] * (n + 1)
        yes = keep if answer else 1 - keep
        for k in range(n):
            others = math.comb(n - 1, k) * rate**k * (1 - rate) ** (n - 1 - k)
            law[k + 1] += others * yes
            law[k] += others * (1 - yes)
        laws[answer] = law
    factor = math.exp(0.2)
    truth = max(
        sum(max(0.0, float(a) - factor * float(b)) for a, b in zip(laws[i], laws[1 - i], strict=True)) for i in (0, 1)
    )
    assert found.lower - 1e-14 <= truth <= found.upper + 1e-14
    assert found.width < 1e-12


def test_answers_are_of_what_is_counted() -> None:
    """With three values, the chance of "yes" is that of what is counted."""
    counted = dl.mechanisms.RandomizedResponse(epsilon=1) >> dl.Count(frozenset({"b", "c"}))
    three = dl.IID(values={"a": "0.6", "b": "0.3", "c": "0.1"}, n=50)
    two = dl.mechanisms.RandomizedResponse(epsilon=1) >> dl.Count()
    assert dl.verify(counted, three, epsilon="0.1").delta == dl.verify(two, dl.IID(p="0.4", n=50), epsilon="0.1").delta


def test_differential_privacy_answers_for_independent_records() -> None:
    counted = dl.mechanisms.RandomizedResponse(keep="3/4") >> dl.Count()
    found = dl.verify(counted, dl.noiseless(dl.Independent(rates=[0.1, 0.5, 0.9], known=1)), delta=0)
    assert found.notion == Notion.NOISELESS
    assert math.log(3) <= found.epsilon.upper < math.log(3) + 1e-9
    assert "implies it" in found.because


# -- counts that the data may earn -----------------------------------------------------------------------------------


def test_a_single_prior_count_in_a_small_world() -> None:
    """Asked for the two answers of a person, under exactly its own law."""
    made = dl.mechanisms.SinglePriorCount("0.3", n=6, epsilon="0.9")
    found = dl.verify(made, dl.noiseless(dl.IID(p="0.3", n=6)), delta=0).epsilon
    x = F(math.exp(-0.9)).limit_denominator(10**9)
    seen = worlds(6, (made.window.low, made.window.high), x, [(F(1), F(3, 10))])
    assert found.lower - 1e-7 <= apart(seen["yes"], seen["no"]) <= found.upper + 1e-7


@pytest.mark.parametrize(
    "belief",
    [
        dl.IID(p="0.2", n=20),
        dl.IID(p="0.3", n=21),
        dl.IID(p="0.3", n=20, known=1),
        dl.fitted(dl.IID(p="0.3", n=20)),
        dl.IID(values={"a": "0.3", "b": "0.7"}, n=20),
        dl.Independent(rates=[0.3] * 20),
    ],
    ids=str,
)
def test_another_attacker_is_refused(belief: dl.Belief) -> None:
    made = dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5")
    with pytest.raises(dl.PreconditionError, match="This rests on Pufferfish with one belief"):
        dl.verify(made, belief, delta=0)
    with pytest.raises(dl.PreconditionError):
        dl.curve(made, dl.noiseless(belief))


def test_a_ball_covers_the_rates_in_it() -> None:
    made = dl.mechanisms.BallCount("1/2", n=1000, epsilon="0.9", beta="0.3")
    for p in ("0.43", "0.5", "0.57"):
        assert 1.8 <= dl.verify(made, dl.IID(p=p, n=1000), delta=0).epsilon.upper < 1.8 + 1e-9
    for p in ("0.42", "0.58", "0", "1"):
        with pytest.raises(dl.PreconditionError):
            dl.verify(made, dl.IID(p=p, n=1000), delta=0)


def test_a_hedged_count_goes_with_nothing() -> None:
    other = dl.mechanisms.SumWithin(1, epsilon=1)
    for beside in (other, dl.mechanisms.LaplaceNoise(1, epsilon=1)):
        with pytest.raises(dl.CombinationError, match="only release"):
            dl.mechanisms.combine(HEDGED, beside)
        with pytest.raises(dl.CombinationError):
            dl.compose([(HEDGED.curve(), 1), (beside.curve(), 1)])
    for asked in (dl.differential_privacy(), dl.IID(p="1/2", n=1000), dl.noiseless(dl.IID(p="1/2", n=1000))):
        with pytest.raises(dl.PreconditionError, match="hedging"):
            dl.verify(HEDGED, asked, epsilon=1)
    with pytest.raises(dl.PreconditionError, match="no other reading"):
        dl.verify(HEDGED, Notion.PUFFERFISH, epsilon=1)


def test_presence_is_no_value() -> None:
    made = dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5")
    with pytest.raises(dl.PreconditionError):
        dl.verify(made, dl.noiseless(dl.IID(p="0.3", n=20), secret=dl.Presence()), delta=0)
    with pytest.raises(dl.PreconditionError):
        dl.verify(
            dl.mechanisms.RandomizedResponse(epsilon=1) >> dl.Count(),
            dl.differential_privacy(neighbours="add or remove"),
            delta=0,
        )


def test_a_notion_is_answered_or_refused() -> None:
    made = dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5")
    assert dl.verify(made, "Pufferfish privacy").epsilon == made.guarantees()[0].epsilon
    with pytest.raises(dl.PreconditionError, match="No theorem"):
        dl.verify(made, Notion.NOISELESS, delta=0)
    with pytest.raises(dl.InputError, match="one of"):
        dl.verify(made, "secrecy", delta=0)
    local = dl.mechanisms.RandomizedResponse(epsilon=1) >> dl.Count()
    assert dl.verify(local, Notion.SEMANTIC, delta=0).epsilon.upper == pytest.approx(math.tanh(0.5))
    assert dl.verify(local, Notion.DISTRIBUTIONAL, epsilon=1, delta="1e-9").verdict == "pass"
    with pytest.raises(dl.PreconditionError, match="only with ε up to"):
        dl.verify(local, Notion.RATIO, epsilon="1.2")
    with pytest.raises(dl.PreconditionError, match="only with δ up to"):
        dl.verify(local, Notion.ADDITIVE, delta=0)


# -- margins ----------------------------------------------------------------------------------------------------------


def test_a_margin_answers_for_independent_records() -> None:
    made = dl.mechanisms.SumWithin(1000, epsilon=1)
    belief = dl.IID(values={0: "1/2", 5000: "1/2"}, n=10, known=3)
    assert dl.verify(made, dl.noiseless(belief, secret=dl.Within(1000)), epsilon=1).delta.upper == 0
    for secret in (dl.Within(1001), dl.Value()):
        with pytest.raises(dl.PreconditionError):
            dl.verify(made, dl.noiseless(belief, secret=secret), epsilon=1)
    with pytest.raises(dl.InputError, match="multiple of the unit"):
        dl.verify(made, dl.noiseless(dl.IID(values={0: "1/2", F(1, 2): "1/2"}, n=9), secret=dl.Within(9)), epsilon=1)
    with pytest.raises(dl.PreconditionError):
        dl.verify(made, dl.noiseless(CHAIN, secret=dl.Within(1000)), epsilon=1)


# -- chains -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("noise", "stated"),
    [
        (dl.mechanisms.ChainNoise.by_quilts, dl.mechanisms.markov_quilt),
        (dl.mechanisms.ChainNoise.by_distance, dl.mechanisms.wasserstein),
    ],
    ids=["quilt", "wasserstein"],
)
def test_noise_for_a_chain(noise: Callable[..., dl.mechanisms.ChainNoise], stated: Callable[..., object]) -> None:
    made, hidden = noise(CHAIN, dl.Count(), epsilon=1), stated(CHAIN, dl.Count(), epsilon=1)
    assert made.hidden == hidden
    assert dl.verify(made, CHAIN, epsilon=1, delta=0).verdict == "pass"
    assert dl.mechanisms.exact_epsilon(CHAIN, dl.Count(), scale=made.hidden.scale).upper <= 1 + 1e-9
    assert dl.verify(made).epsilon.upper == dl.judge.correlated_guarantee(made.hidden).epsilon.upper
    other = dl.Markov(start=HALF, moves={0: {0: "0.8", 1: "0.2"}, 1: {0: "0.1", 1: "0.9"}}, n=12)
    for asked in (
        other,
        CHAIN.knowing(1),
        CHAIN.at((3,)),
        CHAIN.at(target_at=3),
        dl.noiseless(CHAIN, secret=dl.Presence()),
    ):
        if asked is not other and isinstance(asked, dl.Markov) and asked.target_at:
            assert dl.verify(made, asked, epsilon=1).delta.upper == 0  # one record of those that it hides
            continue
        with pytest.raises(dl.PreconditionError):
            dl.verify(made, asked, epsilon=1)
    with pytest.raises(dl.CombinationError, match="move together"):
        dl.mechanisms.combine(made, made)


@pytest.mark.slow
def test_the_least_noise_is_that_of_the_search() -> None:
    made = dl.mechanisms.ChainNoise.least(CHAIN, dl.Count(), epsilon=1)
    assert made.hidden == dl.mechanisms.least_noise(CHAIN, dl.Count(), epsilon=1)[0]
    assert dl.verify(made).evidence == "computed"


# -- histograms -------------------------------------------------------------------------------------------------------


def test_an_exact_histogram_in_a_small_world() -> None:
    chances = {"a": F(1, 2), "b": F(1, 3), "c": F(1, 6)}
    belief = dl.IID(values=chances, n=4)
    found = dl.verify(dl.Histogram("a", "b", "c") >> dl.Exact(), belief, epsilon="0.4").delta
    laws = {}
    for mine in chances:
        law: dict[tuple[int, ...], Fraction] = {}
        for others in itertools.product(chances, repeat=3):
            seen = tuple([*others, mine].count(cell) for cell in chances)
            law[seen] = law.get(seen, F(0)) + math.prod(chances[cell] for cell in others)
        laws[mine] = law
    truth = max(
        sum(max(0.0, float(p) - math.exp(0.4) * float(laws[two].get(seen, 0))) for seen, p in laws[one].items())
        for one, two in itertools.permutations(laws, 2)
    )
    assert found.lower - 1e-13 <= truth <= found.upper + 1e-13
    assert found.width < 1e-5
    assert dl.beliefs.ExactHistogram(chances, 4).curve(dl.Value()).delta(F(2, 5)) == found


@pytest.mark.parametrize("case", GOLDEN["CW"]["thm10_bernoulli_bruteforce"], ids=str)
def test_truncated_histograms_are_those_of_the_paper(case: dict[str, object]) -> None:
    cells = dict(enumerate(case["cells"]))
    survey = dl.distributional(dl.Sampled(cells, rate=str(case["p"])))
    made = dl.Histogram(*cells) >> dl.mechanisms.Truncated(case["k"])
    found = dl.verify(made, survey, epsilon=str(case["eps"]))
    stated = dl.beliefs.TruncatedHistogram(case["k"]).bernoulli(case["cells"], str(case["p"]))
    assert found.delta == stated.delta(F(str(case["eps"])))
    assert found.delta.upper >= max(case["hs_real_sim"], case["hs_sim_real"]) * (1 - 1e-9)
    assert found.notion == Notion.DISTRIBUTIONAL


def test_truncated_histograms_of_every_design() -> None:
    cells, made = {"a": 40, "b": 360}, dl.Histogram("a", "b") >> dl.mechanisms.Truncated(3)
    stated = dl.beliefs.TruncatedHistogram(3)

    def delta(**design: object) -> dl.Bracket:
        return dl.verify(made, dl.distributional(dl.Sampled(cells, **design)), epsilon=1).delta

    sizes = {30: "1/3", 40: "2/3"}
    assert delta(poisson="0.1") == stated.poisson([F(39, 10), F(359, 10)]).delta(F(1))
    assert delta(size=40) == stated.sample([40, 360], {40: 1}).delta(F(1))
    assert delta(sizes=sizes) == stated.sample([40, 360], sizes).delta(F(1))
    assert delta(sizes=sizes, replace=True) == stated.draws(["0.1", "0.9"], sizes).delta(F(1))
    count = dl.Count(frozenset({"a"})) >> dl.mechanisms.Truncated(3)
    one = dl.verify(count, dl.distributional(dl.Sampled(cells, rate="0.1")), epsilon=1)
    assert one.delta == stated.bernoulli([40], "0.1").delta(F(1))
    with pytest.raises(dl.InputError, match="One truncated count"):
        dl.verify(count, dl.distributional(dl.Sampled(cells, size=40)), epsilon=1)
    with pytest.raises(dl.InputError, match="known=5"):
        dl.verify(made, dl.distributional(dl.Sampled(cells, rate="0.1", known=5)), epsilon=1)


def test_modes_and_models() -> None:
    values = ("a", "b", "c")
    belief = dl.IID(values={"a": "0.3", "b": "0.3", "c": "0.4"}, n=30)
    made = dl.Histogram(*values) >> dl.mechanisms.mode(*values)
    assert dl.verify(made, belief, epsilon=0).delta == dl.mechanisms.mode_curve(
        dl.mechanisms.mode(*values), belief
    ).delta(F(0))
    left_out = dl.mechanisms.mode_curve(dl.mechanisms.mode(*values), belief, secret=dl.PresenceOnly())
    assert dl.verify(made, dl.distributional(belief), epsilon=0).delta == left_out.delta(F(0))
    models = dl.mechanisms.likeliest_model({"a": "0.2", "b": "0.3", "c": "0.5"}, {"a": "0.5", "b": "0.3", "c": "0.2"})
    for noiseless, asked in ((True, dl.noiseless), (False, dl.distributional)):
        found = dl.verify(dl.Histogram(*values) >> models, asked(dl.beliefs.OneOfTheModels(n=40, known=2)), epsilon=0)
        assert found == dl.judge.selection_guarantee(models, n=40, known=2, noiseless=noiseless, epsilon=0)


@pytest.mark.parametrize("case", GOLDEN["CW"]["thm13"][:2], ids=lambda case: str(case["n"]))
def test_theorem_13_as_a_composition(case: dict[str, object]) -> None:
    made = dl.Count() >> dl.mechanisms.likeliest_rate(*map(str, case["thetas"]))
    found = dl.verify(made, dl.distributional(dl.beliefs.OneOfTheModels(n=case["n"] + 1)), epsilon=0).delta
    assert found.upper == pytest.approx(case["exact_tv_delta"], rel=1e-9)  # which counts the others
