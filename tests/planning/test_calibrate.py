"""One unknown, solved for: certified at the answer, not certified one step beside it."""

import re
from fractions import Fraction

import pytest

import dalenius as dl
from dalenius import rules
from dalenius.basics.errors import InputError
from dalenius.mechanisms.channel import Channel
from dalenius.plan.calibration import solve
from dalenius.plan.calibration.solve import calibrate

COUNT = dl.Count()
FIFTH = dl.noiseless(dl.IID(p="0.1", n=1000, known="0.2"))
FAIR = dl.noiseless(dl.IID(p="0.3", n=2000))
NOISES = {"geometric": dl.two_sided_geometric, "gaussian": dl.discrete_gaussian, "normal": dl.rounded_gaussian}


def delta(release: object, definition: object, epsilon: str) -> float:
    return dl.verify(release, definition, epsilon=epsilon).delta.upper


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize(("definition", "epsilon", "wanted"), [(FIFTH, "0.3", "1e-4"), (FIFTH, "0.1", "1e-2")])
def test_noise(kind: str, definition: object, epsilon: str, wanted: str) -> None:
    found = calibrate(COUNT, definition, "noise", epsilon=epsilon, delta=wanted, noise=kind)
    make = NOISES[kind]
    assert delta(COUNT >> make(found.value), definition, epsilon) <= float(wanted)
    assert delta(COUNT >> make(found.neighbour), definition, epsilon) > float(wanted)
    assert found.neighbour >= found.value * Fraction(98, 100)


@pytest.mark.slow
def test_noise_by_range_and_variance_alone() -> None:
    belief = dl.beliefs.RangeVariance(n=5000, bounds=(0, 1), variance="0.09", known=200)
    found = calibrate(COUNT, dl.noiseless(belief), "noise", epsilon="0.5", delta="1e-6", noise="normal")
    assert found.value == pytest.approx(float(belief.least_noise(COUNT, epsilon="0.5", delta="1e-6")), rel=0.011)
    exact = calibrate(COUNT, dl.noiseless(dl.IID(p="0.1", n=5000, known=200)), "noise", epsilon="0.5", delta="1e-6")
    assert exact.value == 0  # whoever believes the probabilities needs no noise at all
    assert exact.minimal == "no noise is needed"


def test_noise_for_differential_privacy() -> None:
    assert calibrate(COUNT, dl.differential_privacy(), "noise", epsilon="1/2", delta=0).value == 2


def test_rounding_is_minimal_on_the_ladder_and_says_so() -> None:
    definition = dl.noiseless(dl.IID(p="0.02", n=100))
    found = calibrate(COUNT, definition, "rounding", epsilon=1, delta="1e-2", ladder=[7, 2, 5])
    assert found.value == 5
    assert found.neighbour == 2
    assert "minimal on the ladder 2, 5, 7" in found.minimal
    assert delta(COUNT >> dl.Rounded(2), definition, "1") > 0.01 >= delta(COUNT >> dl.Rounded(5), definition, "1")


def test_the_least_number_of_records() -> None:
    found = calibrate(COUNT, FIFTH, "n", epsilon="0.5", delta="1e-6")
    for n, passed in ((found.value, True), (found.neighbour, False)):
        belief = dl.IID(p="0.1", n=n, known=Fraction(1, 5))
        assert (delta(COUNT, dl.noiseless(belief), "0.5") <= 1e-6) == passed
    assert found.value - found.neighbour == 1
    same = calibrate(COUNT, lambda n: dl.noiseless(dl.IID(p="0.1", n=n, known="0.2")), "n", epsilon="0.5", delta="1e-6")
    assert same.value == found.value


def test_the_largest_number_of_known_records() -> None:
    found = calibrate(COUNT, FAIR, "known", epsilon="0.5", delta="1e-3")
    for known, passed in ((found.value, True), (found.neighbour, False)):
        assert (delta(COUNT, dl.noiseless(FAIR.belief.knowing(known)), "0.5") <= 1e-3) == passed


def test_the_target() -> None:
    epsilon = calibrate(COUNT, FAIR, "epsilon", delta="1e-6")
    assert dl.verify(COUNT, FAIR, epsilon=epsilon.value).delta.certainly_at_most(Fraction(1, 10**6))
    assert epsilon.value <= epsilon.neighbour * Fraction(101, 100)
    found = calibrate(COUNT, FAIR, "delta", epsilon="0.1")
    assert found.value == Fraction(delta(COUNT, FAIR, "0.1"))


@pytest.mark.parametrize("unknown", ["epsilon", "delta"])
def test_what_is_read_of_the_target_is_met(unknown: str) -> None:
    """A float's own digits may be a little less than it is: what is solved for is rounded up wherever it stands."""
    for rate in ("0.11", "0.13", "0.17", "0.19", "0.23", "0.29"):
        given = {"delta": "1e-6"} if unknown == "epsilon" else {"epsilon": "0.1"}
        found = calibrate(COUNT, dl.noiseless(dl.IID(p=rate, n=200)), unknown, **given)  # type: ignore[arg-type]
        name = "ε" if unknown == "epsilon" else "δ"
        read = re.findall(rf"{name} = ([\d.e-]+)|^{unknown} = ([\d.e-]+)", str(found))
        assert len(read) == 2
        assert all(found.value <= Fraction("".join(one)) <= found.value * (1 + Fraction(1, 10**4)) for one in read)


def test_noise_is_told_as_it_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten thirds have no last digit, so that a little more was tried."""
    monkeypatch.setattr(solve, "least_from", lambda *_: Fraction(10, 3))
    found = calibrate(COUNT, FAIR, "noise", epsilon="0.01", delta="1e-6")
    assert found.value == Fraction("3.3333333333333334")


def test_the_largest_blocks() -> None:
    found = calibrate(COUNT, FAIR, "block size", epsilon="0.5", delta="1e-3")
    for size, passed in ((found.value, True), (found.neighbour, False)):
        sizes = {size: 2000 // size} | ({2000 % size: 1} if 2000 % size else {})
        belief = dl.Blocks(values={0: "0.7", 1: "0.3"}, sizes=sizes)
        assert (delta(COUNT, dl.noiseless(belief), "0.5") <= 1e-3) == passed


@pytest.mark.slow
def test_the_threshold_of_a_rule() -> None:
    found = calibrate(rules.Threshold(1), rules.attack(), "threshold", epsilon=1, delta="1e-4")
    for least, passed in ((found.value, True), (found.neighbour, False)):
        assert (rules.worth(rules.Threshold(least), epsilon=1).delta.upper <= 1e-4) == passed


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((COUNT, FIFTH, "noise", {"epsilon": 1}), "needs delta"),
        ((COUNT, FIFTH, "n", {"delta": "1e-3"}), "needs epsilon"),
        ((COUNT, FIFTH, "epsilon", {"epsilon": 1, "delta": "1e-3"}), "either given or unknown"),
        ((COUNT, FIFTH, "delta", {"epsilon": 1, "delta": "1e-3"}), "either given or unknown"),
        ((COUNT, FIFTH, "colour", {"epsilon": 1, "delta": "1e-3"}), "is one of noise, rounding"),
        ((COUNT, FIFTH, "noise", {"epsilon": -1, "delta": "1e-3"}), "at least 0"),
        ((COUNT, FIFTH, "noise", {"epsilon": 1, "delta": 2}), "between 0 and 1"),
        pytest.param(
            (COUNT, FIFTH, "noise", {"epsilon": 0, "delta": 0}),
            "No geometric noise was found",
            marks=pytest.mark.slow,
        ),
        ((COUNT, FIFTH, "noise", {"epsilon": 1, "delta": "1e-3", "noise": "pink"}), "geometric, gaussian, normal"),
        ((COUNT, FIFTH, "rounding", {"epsilon": 1, "delta": "1e-3", "ladder": []}), "it is empty"),
        ((COUNT, FIFTH, "rounding", {"epsilon": 0, "delta": 0, "ladder": [2]}), "No base of the ladder 2"),
        ((COUNT, FIFTH, "known", {"epsilon": 0, "delta": 0}), "not kept even if nobody is known"),
        ((COUNT, FIFTH, "block size", {"epsilon": 0, "delta": 0}), "not kept even by single records"),
        ((COUNT, FIFTH, "epsilon", {"delta": 0}), "No epsilon keeps"),
        ((COUNT, FIFTH, "threshold", {"epsilon": 1, "delta": "1e-3"}), "with a rule and an attack"),
        ((rules.Threshold(1), rules.attack(), "noise", {"epsilon": 1, "delta": "1e-3"}), "with a rule and an attack"),
        ((rules.Threshold(1), rules.attack(), "threshold", {"epsilon": 0, "delta": 0}), "above 0"),
        ((COUNT, lambda n: FIFTH, "noise", {"epsilon": 1, "delta": "1e-3"}), "Give the definition itself"),
        ((COUNT, dl.differential_privacy(), "known", {"epsilon": 1, "delta": "1e-3"}), "noiseless"),
        ((COUNT, dl.differential_privacy(), "n", {"epsilon": 1, "delta": "1e-3"}), "Only an IID belief"),
        ((COUNT >> dl.two_sided_geometric(1), FIFTH, "noise", {"epsilon": 1, "delta": "1e-3"}), "without noise"),
        ((COUNT >> dl.Rounded(5), FIFTH, "rounding", {"epsilon": 1, "delta": "1e-3"}), "needs the exact figure"),
        ((COUNT, 7, "noise", {"epsilon": 1, "delta": "1e-3"}), "A definition is"),
    ],
)
def test_what_is_missing_or_contradictory(arguments: tuple, word: str) -> None:
    *positional, named = arguments
    with pytest.raises(InputError, match=word):
        calibrate(*positional, **named)


def test_an_answer_reads_as_a_sentence() -> None:
    found = calibrate(COUNT, FIFTH, "known", epsilon="0.5", delta="1e-3")
    assert str(found).startswith(f"known = {found.value} (δ = 0.001 at ε = 0.5; count, exact; maximal to 1 of 1000)")
    assert not isinstance(found.value, Channel)
