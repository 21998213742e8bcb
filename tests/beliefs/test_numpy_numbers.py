"""numpy's numbers are numbers: a count is a count whatever holds it, and no sum of small ones wraps."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import known_records
from dalenius.beliefs.histogram import ExactHistogram
from dalenius.beliefs.sample_sizes import others_in_sample
from dalenius.claims.conversions import belief_range
from dalenius.facts.records import is_integer, is_whole, whole
from dalenius.mechanisms.wrong_models import Among
from dalenius.papers import finite
from dalenius.plan import rules
from dalenius.plan.calibration.figure import checked_ladder
from dalenius.tables.figures import Attacker, Frame

F = Fraction
HALF = {0: "1/2", 1: "1/2"}
Whole = Callable[[int], object]
KINDS: dict[str, Whole] = {"uint8": np.uint8, "int16": np.int16, "int64": np.int64, "float": float, "int": int}

MADE: dict[str, Callable[[Whole], dl.Belief]] = {
    "IID": lambda w: dl.IID(p="1/2", n=w(200)),  # type: ignore[arg-type]
    "Independent": lambda w: dl.Independent(groups=[(HALF, w(200)), ({0: 1, 1: 0}, w(200)), (HALF, w(100))]),  # type: ignore[list-item]
    "AtLeast": lambda w: dl.AtLeast(HALF, weight="1/2", n=w(200)),  # type: ignore[arg-type]
    "Around": lambda w: dl.Around(HALF, "0.1", n=w(200)),  # type: ignore[arg-type]
    "Rates": lambda w: dl.beliefs.Rates((0.2, 0.7), n=w(200)),  # type: ignore[arg-type]
    "Markov": lambda w: dl.Markov(start=HALF, moves={0: HALF, 1: HALF}, n=w(200)),  # type: ignore[arg-type]
    "Brackets": lambda w: dl.beliefs.Brackets(groups=[([(0, 1, 1)], w(200)), ([(0, 3, 1)], w(200))]),  # type: ignore[list-item]
    "Blocks": lambda w: dl.Blocks(values=HALF, sizes={2: w(200), 3: w(200)}),  # type: ignore[dict-item]
    "RangeVariance": lambda w: dl.beliefs.RangeVariance(n=w(200), bounds=(0, 1), variance="1/10"),  # type: ignore[arg-type]
    "OneOfTheModels": lambda w: dl.beliefs.OneOfTheModels(n=w(200)),  # type: ignore[arg-type]
}
PEOPLE = {"Independent": 500, "Brackets": 400, "Blocks": 1000}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("name", MADE)
def test_no_number_of_people_wraps(name: str, kind: Whole) -> None:
    made = MADE[name](kind)
    assert type(made.n) is int
    assert made.n == PEOPLE.get(name, 200)
    assert str(made) == str(MADE[name](int))


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int64])
def test_populations_and_counts_do_not_wrap(kind: Whole) -> None:
    sampled = dl.Sampled({0: kind(200), 1: kind(200)}, size=kind(100))  # type: ignore[dict-item, arg-type]
    assert sampled.members == sampled.n == 400
    assert "population of 400" in str(sampled)
    estimated = dl.Estimated({0: kind(200), 1: kind(200)}, n=kind(100), confidence="0.99")  # type: ignore[dict-item, arg-type]
    assert str(estimated) == str(dl.Estimated({0: 200, 1: 200}, n=100, confidence="0.99"))
    assert Frame((), {("a",): kind(200), ("b",): kind(200)}).size == 400  # type: ignore[dict-item]
    histogram = ExactHistogram({"a": "1/2", "b": "1/2"}, kind(200), kind(100))  # type: ignore[arg-type]
    assert histogram.others == 99
    assert Among(kind(200), kind(100)).others == 99  # type: ignore[arg-type]
    assert finite.simple_random_sample(["a", "b", "c"], kind(2)).size == 3  # type: ignore[arg-type]
    assert others_in_sample({9: "1/2", 10: "1/2"}, person=kind(1)).start == 8  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int64])
def test_a_number_of_known_records_is_no_share(kind: Whole) -> None:
    assert known_records(kind(5), 100) == 5  # type: ignore[arg-type]
    assert known_records(kind(1), 100) == 1  # type: ignore[arg-type]
    assert type(dl.IID(p="1/2", n=100, known=kind(5)).known) is int  # type: ignore[arg-type]
    assert Attacker(known=kind(5)).known == 5 and type(Attacker(known=kind(5)).known) is int  # type: ignore[arg-type]
    assert known_records(np.float64(0.2), 100) == 20
    assert known_records(np.float32(0.5), 100) == 50  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [True, False, np.True_, np.False_])
def test_true_and_false_are_no_numbers(answer: object) -> None:
    makes: list[Callable[[], object]] = [
        lambda: known_records(answer, 100),  # type: ignore[arg-type]
        lambda: dl.IID(p="1/2", n=answer),  # type: ignore[arg-type]
        lambda: dl.Independent(groups=[(HALF, answer)]),  # type: ignore[list-item]
        lambda: dl.Sampled({0: answer, 1: 5}, size=2),  # type: ignore[dict-item]
        lambda: dl.Blocks(values=HALF, sizes={2: answer}),  # type: ignore[dict-item]
        lambda: dl.Rounded(answer),  # type: ignore[arg-type]
        lambda: dl.mechanisms.threshold(answer),  # type: ignore[arg-type]
        lambda: rules.Threshold(answer),  # type: ignore[arg-type]
        lambda: dl.beliefs.TruncatedHistogram(answer),  # type: ignore[arg-type]
        lambda: Attacker(known=answer),  # type: ignore[arg-type]
        lambda: dl.mechanisms.HedgedCount("1/2", n=answer, epsilon="0.9", alpha="0.001"),  # type: ignore[arg-type]
    ]
    for make in makes:
        with pytest.raises(InputError):
            make()


def test_what_is_no_whole_number_is_refused_and_never_a_traceback() -> None:
    for wrong in (2.5, float("nan"), float("inf"), "12", None, 1 + 2j, np.float64("nan"), F(1, 2)):
        with pytest.raises(InputError, match="whole number"):
            whole(wrong, name="A count")
    assert whole(np.uint8(200), name="A count") + whole(np.uint8(200), name="A count") == 400
    assert is_integer(np.int8(-3)) and not is_whole(np.int8(-3)) and not is_integer(np.True_)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int64])
def test_channels_and_rules_take_numpy_numbers(kind: Whole) -> None:
    assert dl.Rounded(kind(200)) == dl.Rounded(200)  # type: ignore[arg-type]
    assert type((dl.Count() >> dl.Rounded(kind(200)) >> dl.Rounded(kind(2))).channel.period) is int  # type: ignore[arg-type]
    assert (dl.Count() >> dl.Rounded(kind(200)) >> dl.Rounded(kind(2))).channel.period == 400  # type: ignore[arg-type]
    assert dl.mechanisms.threshold(kind(100), kind(120)) == dl.mechanisms.threshold(100, 120)  # type: ignore[arg-type]
    assert rules.Threshold(kind(10)) == rules.Threshold(10)  # type: ignore[arg-type]
    assert type(dl.beliefs.TruncatedHistogram(kind(10)).least) is int  # type: ignore[arg-type]
    assert checked_ladder([kind(5), kind(10)]) == (5, 10)  # type: ignore[list-item]


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int64])
def test_a_count_is_published_alike_whatever_holds_it(kind: Whole) -> None:
    """The window of counts that may be exact holds 9, also if an array does."""
    for made in (
        dl.mechanisms.SinglePriorCount("1/2", n=20, epsilon="0.9"),
        dl.mechanisms.SinglePriorCount("1/2", n=kind(20), epsilon="0.9"),  # type: ignore[arg-type]
        dl.mechanisms.BallCount("1/2", n=20, epsilon="0.9", beta="1/100"),
    ):
        plain, same = made.law(9), made.law(kind(9))  # type: ignore[arg-type]
        assert same.count == plain.count == 9 and type(same.count) is int
        assert same.exactly == plain.exactly
        assert same.noisy.start == plain.noisy.start
        assert np.array_equal(same.noisy.mass, plain.noisy.mass)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_gaussian_noise_is_that_of_the_number_whatever_holds_it(kind: Whole) -> None:
    """The noise begins below 0, where no unsigned number is, and ends above 127."""
    noises: list[Any] = [dl.mechanisms.DiscreteGaussianNoise(2, scale=30), dl.mechanisms.GaussianNoise(2, scale=30)]
    for made in noises:
        plain, same = made.law(100), made.law(kind(100))
        assert type(same.start) is int
        assert (same.start, same.stop) == (plain.start, plain.stop)
    moved = dl.mechanisms.DiscreteGaussianNoise(kind(2), scale=30)  # type: ignore[arg-type]
    assert moved.curve().delta(F(0)) == noises[0].curve().delta(F(0))
    with pytest.raises(InputError, match="The shift must be a whole number"):
        dl.mechanisms.DiscreteGaussianNoise(2.5, scale=30)  # type: ignore[arg-type]


def test_a_belief_in_something_nearly_impossible_stays_possible() -> None:
    """10⁻¹⁴⁴ is lost beside 1, but it is not 0."""
    for chance in ("1e-144", "1e-130", "1e-300"):
        for epsilon in (0, "1e-200", 1):
            least, most = belief_range(chance, epsilon)
            assert least.lower <= F(chance) <= most.upper
    assert belief_range(0, 1)[1].upper == 0
