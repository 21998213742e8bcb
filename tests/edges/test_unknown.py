"""Beliefs for people who have none: from the specification to the certificate, and what would be enough to assume."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dalenius as dl
from dalenius.basics.patience import TimeUpError
from dalenius.plan.margins.weakest import weakest_of
from dalenius_checker.__main__ import run
from edges.desk import INCOME, PATIENT, SMOKERS, Answer, Desk, dalenius, people, spec

SURE = {"smoker": "unknown", "income": "unknown"}


def with_belief(**smoker: object) -> dict:
    return spec(beliefs={"smoker": {**smoker, "source": "a guess"}}, figures=[SMOKERS])


def agrees(certificate: Path) -> bool:
    """Whether the independent checker confirms it."""
    return run([str(certificate)])[1].startswith("AGREES")


def worst_count(people_left: int, chance: float, epsilon: float) -> float:
    """The worst excess of a count of so many people, each with a rate of this or of one less this."""
    most, factor = 0.0, math.exp(epsilon)
    for high in range(people_left + 1):
        low_law = [
            math.comb(people_left - high, k) * chance**k * (1 - chance) ** (people_left - high - k)
            for k in range(people_left - high + 1)
        ]
        high_law = [math.comb(high, k) * (1 - chance) ** k * chance ** (high - k) for k in range(high + 1)]
        law = np.convolve(low_law, high_law)
        first, second = np.append(law, 0), np.append(0, law)
        for one, two in ((first, second), (second, first)):
            most = max(most, float(np.maximum(one - factor * two, 0).sum()))
    return most


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    """What is answered where nothing is assumed."""
    desk = Desk(tmp_path_factory.mktemp("refused"))
    unknown = spec(beliefs={"smoker": "unknown"}, figures=[SMOKERS])
    return desk.check(unknown, None, "--json", "--seconds", 3600)


@pytest.mark.slow
def test_nothing_is_assumed_and_the_answer_says_what_would_be_enough(refused: Answer) -> None:
    assert refused.code == 1
    found = refused.json
    assert found["groups"][0]["delta"] == [1.0, 1.0]
    assert "nothing is assumed of the values of smoker but which they may be" in found["assumes"]
    belief, crowd = found["weakest"]
    likely = belief["beliefs"]["smoker"]["none_above"]
    assert f"(none_above: {likely})" in belief["words"]
    assert crowd["assumption"] == "people"
    # exactly so many, within the 1 % that the search promises: brute force of all corners
    rate, left = 1 - float(likely), 400 - 20 - 1
    assert worst_count(left, rate, 0.5) <= 1e-3 < worst_count(left, rate * 0.98, 0.5)


@pytest.mark.slow
def test_the_sentence_can_be_written_as_a_belief(refused: Answer, desk: Desk) -> None:
    found = refused.json["weakest"]
    words, likely = found[0]["words"], found[0]["beliefs"]["smoker"]["none_above"]
    assert desk.check(with_belief(none_above=likely), None, "--quick").code == 0
    weight = words.rpartition("weight: ")[2].rstrip(")")
    assert desk.check(with_belief(none_above="0.9", weight=weight), None, "--quick").code == 0
    rarer = 1 - (1 - Fraction(likely)) * Fraction(97, 100)
    assert desk.check(with_belief(none_above=str(rarer)), None, "--quick").code == 1
    crowd = found[1]["people_in_the_smallest_group"]
    assert desk.check(with_belief(none_above="0.9"), people(crowd), "--quick").code == 0
    assert desk.check(with_belief(none_above="0.9"), people(crowd * 9 // 10), "--quick").code == 1


@pytest.mark.slow
def test_noise_passes_and_both_checkers_confirm_it(desk: Desk) -> None:
    noisy = [{**SMOKERS, "by": "region", "noise": {"geometric": 4}}, {**INCOME, "noise": {"geometric": 80}}]
    answer = desk.release(spec(beliefs=SURE, figures=noisy))
    assert answer.code == 0, answer.err
    certificate = desk.folder / "out" / "certificate.json"
    assert "HOLDS" in dalenius("verify", certificate).out
    assert agrees(certificate)
    assert "nothing is assumed" in json.loads(certificate.read_text())["beliefs"][0]["differ"]


@pytest.mark.slow
def test_a_release_that_rests_on_no_likely_value_is_confirmed_by_both_checkers(desk: Desk) -> None:
    answer = desk.release(with_belief(none_above="0.8"))
    assert answer.code == 0, answer.err
    certificate = desk.folder / "out" / "certificate.json"
    assert "HOLDS" in dalenius("verify", certificate).out
    assert agrees(certificate)
    assert "no value of smoker is more than 80 % likely, for anybody" in (desk.folder / "out/report.txt").read_text()


def test_a_table_of_values_says_how_unlikely_none_may_be(desk: Desk) -> None:
    table = spec(
        confidential={"smoker": ["no", "once", "yes"]},
        beliefs=[{"columns": ["smoker"], "unknown": True}],
        figures=[{"name": "all", "kind": "count", "by": "smoker"}],
        target={"epsilon": 2, "delta": "1e-2"},
    )
    found = desk.check(table, None, "--json", *PATIENT).json["weakest"][0]
    likely = found["beliefs"]["smoker"]["none_below"]
    assert "no value of smoker is less than" in found["words"]
    table["beliefs"] = {"smoker": {"none_below": likely, "source": "a guess"}}
    assert desk.check(table, None, "--quick").code == 0


@pytest.mark.slow
def test_what_one_would_have_to_assume_comes_before_any_change(desk: Desk) -> None:
    told = desk.check(spec(beliefs={"smoker": "unknown"}, figures=[SMOKERS]), None, *PATIENT).out
    assert told.index("no value of smoker is more than") < told.index("add noise")


@pytest.mark.slow
def test_the_plan_and_the_report_say_it_too(desk: Desk) -> None:
    path = desk.put(spec(beliefs={"smoker": "unknown"}, figures=[SMOKERS]))
    assert "no value of smoker is more than" in dalenius("plan", path).out
    assert json.loads(dalenius("plan", path, "--json").out)["weakest"][0]["assumption"] == "belief"
    page = dl.decide(path).html().decode()
    assert "Least assumption: no value of smoker is more than" in page


@pytest.mark.slow
@pytest.mark.parametrize("looks", [4, 9, 10**6])
def test_what_was_found_stands_when_time_is_up_and_it_passes(desk: Desk, looks: int) -> None:
    made = dl.decide(desk.put(spec(beliefs={"smoker": "unknown"}, figures=[SMOKERS])), margins=False)
    asked: list[int] = []

    def left() -> bool:
        asked.append(1)
        return len(asked) <= looks

    try:
        found = list(weakest_of(made, left))[:1]
    except TimeUpError:  # among these few looks: what was yielded before is what counts
        asked.clear()
        found = [next(weakest_of(made, left))]
    (one,) = found
    assert one.least == (looks == 10**6) == ("no time to look for less" not in one.words)
    likely = one.beliefs["smoker"]["none_above"]
    assert desk.check(with_belief(none_above=likely), None, "--quick").code == 0


@pytest.mark.slow
def test_people_who_differ_too_much_are_told_how_much_would_pass(desk: Desk) -> None:
    stated = {"probabilities": {"yes": "0.3", "no": "rest"}, "weight": "0.01"}
    found = desk.check(with_belief(**stated), None, "--json", *PATIENT).json["weakest"]
    each = {one["assumption"]: one["beliefs"]["smoker"] for one in found}
    probabilities = stated["probabilities"]
    assert desk.check(with_belief(probabilities=probabilities, **each["weight"]), None, "--quick").code == 0
    assert desk.check(with_belief(probabilities=probabilities, **each["within"]), None, "--quick").code == 0
    more = {"within": str(Fraction(each["within"]["within"]) * Fraction(103, 100))}
    assert desk.check(with_belief(probabilities=probabilities, **more), None, "--quick").code != 0


@pytest.mark.parametrize(
    ("belief", "told"),
    [
        ({"none_above": "0.4", "source": "x"}, "from 0.5 to below 1"),
        ({"none_below": "0.6", "source": "x"}, "at most 1/2"),
        ({"none_above": "0.9", "weight": 0, "source": "x"}, "weight needs a number above 0"),
        ({"none_above": "0.9", "none_below": "0.1", "source": "x"}, "none_above and none_below"),
        ({"none_above": "0.9"}, "source"),
        ({"unknown": True, "probabilities": {"yes": 1}}, "unknown and probabilities"),
        ({"unknown": True, "weight": "0.5"}, "unknown and weight"),
        ("unknwon", "unknwon"),
    ],
)
def test_bad_beliefs_are_told(desk: Desk, belief: object, told: str) -> None:
    assert told in desk.refusal(spec(beliefs={"smoker": belief}, figures=[SMOKERS]))


def test_none_above_is_refused_for_three_values(desk: Desk) -> None:
    three = {"smoker": ["no", "once", "yes"]}
    belief = {"smoker": {"none_above": "0.9", "source": "x"}}
    said = desk.refusal(spec(confidential=three, beliefs=belief, figures=[SMOKERS]))
    assert "none_above is for columns of two values" in said
    assert "none_below" in said


@pytest.mark.slow
def test_written_plans_keep_what_is_unknown(desk: Desk, tmp_path: Path) -> None:
    path = desk.put(spec(beliefs={"smoker": "unknown"}, figures=[SMOKERS]))
    written = tmp_path / "plan.yaml"
    assert dalenius("plan", path, "--write", written).code == 1
    assert dalenius("check", written, "--quick").code == 0
