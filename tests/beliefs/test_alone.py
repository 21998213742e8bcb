"""What rests on uncertain records does not compose about the same people; what rests on dice does."""

import itertools
from fractions import Fraction

import pytest

import dalenius as dl
from beliefs.test_contract import Case, every_case
from dalenius.basics.errors import CombinationError, InputError
from dalenius.beliefs.histogram import ExactHistogram
from dalenius.mechanisms.stated import Stated
from dalenius.numerics.curve import Average, Charged, Constant, Curve, Enclosed, PairCurve, Supremum
from dalenius.numerics.law import law_of
from dalenius.numerics.mixing import Guarded
from dalenius.numerics.pure import GeometricCurve, PureCurve
from dalenius.numerics.shifts import ShiftCurve
from oracle import balls
from oracle import laws as lw

F = Fraction
COINS = dl.IID(p="1/2", n=400)
PRESENCE = dl.Presence()
VARIED = dl.beliefs.RangeVariance(n=10_000, bounds=(0, 1), variance="1/10")
POPULATION = {0: 60, 1: 40}


def refused(*parts: tuple[Curve, int]) -> None:
    with pytest.raises(CombinationError, match="only release about its records"):
        dl.compose(parts)


@every_case
@pytest.mark.parametrize("channel", [dl.Exact(), dl.two_sided_geometric(1), dl.Rounded(2)], ids=str)
def test_no_belief_gives_a_curve_that_composes(case: Case, channel: dl.mechanisms.Channel) -> None:
    curve = dl.curve(dl.Sum() >> channel, dl.noiseless(case.belief()))
    assert curve.alone
    refused((curve, 2))


SAMPLES = {
    "rate": {"rate": "1/2"},
    "rate, secret": {"rate": "1/2", "participation": "secret"},
    "poisson": {"poisson": "1/2"},
    "size": {"size": 20},
    "size, secret": {"size": 20, "participation": "secret"},
    "size, again": {"size": 20, "replace": True},
    "sizes": {"sizes": {20: "1/2", 21: "1/2"}},
    "sizes, again": {"sizes": {20: "1/2", 21: "1/2"}, "replace": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("known", [0, 2])
@pytest.mark.parametrize("secret", [dl.Value(), PRESENCE], ids=str)
@pytest.mark.parametrize("drawn", SAMPLES.values(), ids=SAMPLES)
def test_nor_does_a_sample(drawn: dict[str, object], secret: dl.Value | dl.Presence, known: int) -> None:
    for population in (POPULATION, {0: 30, 1: 30, 3: 40}):
        belief = dl.Sampled(population, known=known, **drawn)  # type: ignore[arg-type]
        for channel in (dl.Exact(), dl.two_sided_geometric(1)):
            assert dl.curve(dl.Sum() >> channel, dl.noiseless(belief, secret=secret)).alone


DOORS = {
    "presence": lambda: dl.curve(dl.Count(), dl.noiseless(COINS, secret=PRESENCE)),
    "many kinds": lambda: dl.curve(dl.Count(), dl.Independent(rates=[k / 200 for k in range(200)])),
    "moments": lambda: dl.curve(dl.Sum() >> dl.rounded_gaussian(1), VARIED),
    "wide": lambda: dl.curve(dl.Sum(), dl.beliefs.Brackets([(0, 99_999, 1)], n=50)),
    "threshold": lambda: dl.curve(dl.Count() >> dl.mechanisms.threshold(200), COINS),
    "noisy threshold": lambda: dl.curve(dl.Count() >> dl.two_sided_geometric(1) >> dl.mechanisms.threshold(200), COINS),
    "exact histogram": lambda: dl.curve(dl.Histogram(0, 1) >> dl.Exact(), dl.noiseless(COINS)),
    "cell, value": lambda: ExactHistogram({"a": "1/2", "b": "1/2"}, 30).curve(dl.Value()),
    "cell, presence": lambda: ExactHistogram({"a": "1/2", "b": "1/2"}, 30).curve(PRESENCE),
    "mode": lambda: dl.mechanisms.mode_curve(dl.mechanisms.mode(0, 1), dl.IID(p="1/3", n=30)),
    "model": lambda: dl.mechanisms.model_curve(dl.mechanisms.likeliest_rate("1/3", "2/3"), n=30),
    "truncated, poisson": lambda: dl.beliefs.TruncatedHistogram(20).poisson([12, 40]),
    "truncated, bernoulli": lambda: dl.beliefs.TruncatedHistogram(5).bernoulli([20, 40], "1/2"),
    "truncated, draws": lambda: dl.beliefs.TruncatedHistogram(1).draws(["1/2", "1/2"], {9: "1/2", 10: "1/2"}),
    "truncated, sample": lambda: dl.beliefs.TruncatedHistogram(1).sample([20, 40], {9: "1/2", 10: "1/2"}),
    "uniform part": lambda: dl.beliefs.sum_by_value(51, density="1/2"),
    "simulated": lambda: dl.beliefs.simulated_sum(51, density="1/2"),
    "moments of events": lambda: dl.judge.threshold_curve(
        dl.numerics.Moments(records=10_000, variance=F(2500), third=F(1250)), shift=1, events="half-lines"
    ),
    "answers": lambda: (dl.mechanisms.RandomizedResponse(epsilon=1) >> dl.Count()).answers(COINS, dl.Value())[1],
    "many known answers": lambda: dl.mechanisms.ResponseTotal(
        dl.mechanisms.RandomizedResponse(epsilon=1), dl.IID(p="1/2", n=400, known=90)
    ).curve(),
    "local sensitivity": lambda: dl.mechanisms.LocalLaplaceNoise(1, epsilon=1, delta="1e-3").curve(),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_no_other_door_gives_one(door: object) -> None:
    curve = door()  # type: ignore[operator]
    assert curve.alone
    refused((curve, 1), (GeometricCurve(1, F(2)), 1))


DICE: dict[str, Curve] = {
    "geometric": dl.curve(dl.Count() >> dl.two_sided_geometric(2), dl.differential_privacy()),
    "gaussian": dl.curve(dl.Count() >> dl.discrete_gaussian(3), dl.differential_privacy((0, 1, 2))),
    "rounded": dl.curve(dl.Count() >> dl.two_sided_geometric(2) >> dl.Rounded(3), dl.differential_privacy()),
    "choice": dl.curve(
        dl.Count() >> dl.two_sided_geometric(2) >> dl.mechanisms.threshold(9), dl.differential_privacy()
    ),
    "add or remove": dl.curve(
        dl.Count() >> dl.two_sided_geometric(2), dl.differential_privacy(neighbours="add or remove")
    ),
    "laplace": dl.mechanisms.LaplaceNoise(1, epsilon=1).curve(),
    "normal": dl.mechanisms.GaussianNoise(1, scale=3).curve(),
    "discrete gaussian": dl.mechanisms.DiscreteGaussianNoise(1, scale=3).curve(),
    "response": dl.mechanisms.RandomizedResponse(epsilon=1).curve(),
    "margin": dl.mechanisms.SumWithin(10, epsilon=1).curve(),
}


@pytest.mark.slow
@pytest.mark.parametrize("curve", DICE.values(), ids=DICE)
def test_noise_composes_about_the_same_people_again_and_again(curve: Curve) -> None:
    twice = dl.compose([(curve, 2)])
    assert not twice.alone
    assert dl.compose([(twice, 1), (curve, 1)]).delta(F(3)).upper < 1


# -- what went wrong ------------------------------------------------------------------------------------------------


def test_counts_of_everybody_and_of_everybody_but_one_do_not_compose() -> None:
    """Their difference is a record, so that δ is 1; each by itself passes."""
    everybody, but_one = (dl.curve(dl.Count(), dl.IID(p="1/2", n=n)) for n in (400, 399))
    assert everybody.delta(F(1)).upper < 1e-9 > but_one.delta(F(1)).upper
    refused((everybody, 1), (but_one, 1))


def test_barely_noisy_figures_of_uncertain_records_do_not_compose() -> None:
    """Sixteen answers average the noise away, and the records may be even: then an odd one shows."""
    one = dl.curve(dl.Sum() >> dl.rounded_gaussian(1), dl.noiseless(VARIED))
    assert one.delta(F(1)).upper < 1e-6
    refused((one, 16))


def test_the_difference_of_two_counts_by_enumeration() -> None:
    """So that a composed number would be too small: coins of nine and of eight of them, one the target."""
    worlds: list[dict[object, Fraction]] = [{}, {}]
    for target, row in itertools.product((0, 1), itertools.product((0, 1), repeat=8)):
        seen = (target + sum(row), sum(row))
        worlds[target][seen] = worlds[target].get(seen, F(0)) + F(1, 2**8)
    truth = lw.both_ways(worlds[0], worlds[1], F(1))
    single = dl.curve(dl.Count(), dl.IID(p="1/2", n=9))
    assert balls.lower(truth) == 1
    assert dl.compose([(single, 2)], about="different people").delta(F(1)).upper < 0.5


def test_different_people_and_independent_columns_compose_if_that_is_said() -> None:
    """Two columns of coins, one sum each: the pair of sums, by enumeration."""
    coins = lw.binomial(8, F(1, 2))
    curve = dl.curve(dl.Count(), dl.IID(p="1/2", n=9))
    both = [lw.product([lw.shift(coins, at), lw.shift(coins, at)]) for at in (0, 1)]
    truth = lw.both_ways(both[0], both[1], F(1, 2))
    for about in ("different people", "independent columns"):
        whole = dl.compose([(curve, 2)], about=about)  # type: ignore[arg-type]
        assert balls.lower(truth) <= whole.delta(F(1, 2)).upper <= float(balls.upper(truth)) * 1.05
        assert whole.alone  # a third figure about these people is refused as the second was
        refused((whole, 1), (GeometricCurve(1, F(2)), 1))
    with pytest.raises(InputError, match="different people"):
        dl.compose([(curve, 2)], about="whatever")  # type: ignore[arg-type]
    assert dl.compose([(curve, 1)]) is curve


def test_combine_sends_nobody_to_compose_with_what_must_be_alone() -> None:
    total = dl.mechanisms.ResponseTotal(dl.mechanisms.RandomizedResponse(epsilon=1), COINS)
    local = dl.mechanisms.LocalLaplaceNoise(1, epsilon=1, delta="1e-3")
    noise = dl.mechanisms.LaplaceNoise(1, epsilon=1)
    for one in (total, local):
        for some in ((one, one), (one, noise), (noise, one)):
            with pytest.raises(CombinationError, match="only release about"):
                dl.mechanisms.combine(*some)
    with pytest.raises(InputError, match=r"compose\(\[\(mechanism.curve\(\), 1\)"):
        dl.mechanisms.combine(dl.mechanisms.GaussianNoise(1, scale=3), noise)
    assert dl.compose([(dl.mechanisms.GaussianNoise(1, scale=3).curve(), 1), (noise.curve(), 1)])
    with pytest.raises(InputError, match="in one specification"):
        dl.mechanisms.combine(dl.Count())  # type: ignore[arg-type]


def test_what_stands_for_several_is_alone_if_one_of_them_is() -> None:
    class Unsaid(Curve):
        def delta(self, epsilon: Fraction) -> dl.Bracket:
            return dl.Bracket(0.0, 1.0)

    law = law_of({0: F(1, 2), 1: F(1, 2)})
    dice, only = PureCurve(F(1)), PureCurve(F(1), only=True)
    assert Unsaid().alone  # a new kind of curve composes only if it says so
    assert PairCurve(law, law, only=True).alone and not PairCurve(law, law).alone
    assert ShiftCurve(law, (1,), only=True).alone and not ShiftCurve(law, (1,)).alone
    assert not Supremum((dice, dice)).alone and Supremum((dice, only)).alone
    assert not Enclosed(Constant(0.0), dice).alone
    assert Enclosed(only, dice).alone and Enclosed(dice, only).alone
    assert not Guarded((dice,), (dice,)).alone and Guarded((dice, only)).alone and Guarded((dice,), (only,)).alone
    assert Charged(dice, 0.1).alone and Average((1.0,), (dice,)).alone
    pairs = PairCurve(law, law), PairCurve(law, law, only=True)
    assert not dl.compose([(pairs[0], 2)]).alone
    assert dl.compose([(pairs[0], 1), (pairs[1], 1)], about="different people").alone


def test_every_stated_mechanism_says_the_same_in_both_places() -> None:
    """What `combine` lets nothing accompany, `compose` does not add up."""
    stated: list[Stated] = [
        dl.mechanisms.HedgedCount("1/2", n=100, epsilon="0.9", alpha="0.001"),
        dl.mechanisms.SinglePriorCount("1/2", n=100, epsilon="0.9"),
        dl.mechanisms.ResponseTotal(dl.mechanisms.RandomizedResponse(epsilon=1), COINS),
        dl.mechanisms.LaplaceNoise(1, epsilon=1),
        dl.mechanisms.GaussianNoise(1, scale=3),
    ]
    for one in stated:
        assert one.curve().alone == (one.company != "whatever composes by itself"), one.told()
