"""A belief from a file of public counts: what passes, what is printed, and what is refused in words that help."""

from fractions import Fraction

import pytest

from dalenius.beliefs.worst import WorstCurve
from dalenius.desk.session import decide
from edges.desk import INCOME, PEOPLE, people, spec

COUNTS = "smoker,count\nyes,3000\nno,7000\n"
BY = "region,value,count\nnorth,yes,3000\nnorth,no,7000\nsouth,yes,2500\nsouth,no,7500\n"


def counted(**changes) -> dict:
    belief = {"counts": "survey.csv", "confidence": "0.999", "source": "a public survey", **changes}
    return spec(beliefs={"smoker": {key: value for key, value in belief.items() if value is not None}})


@pytest.fixture
def survey(desk):
    """A desk with a file of counts beside the specification."""

    def put(text: str | bytes = COUNTS):
        path = desk.folder / "survey.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return desk

    return put


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "by"),
    [(COUNTS, None), (BY, "region"), ("\ufeff" + COUNTS + "\n\n", None), (COUNTS.replace(",", ";"), None)],
)
def test_counts_decide_and_the_confidence_is_printed(survey, text, by):
    answer = survey(text).check(counted(by=by))
    assert (answer.code, answer.err) == (0, "")
    told = " ".join(answer.out.split())
    assert "as far as public counts tell them (source: a public survey)" in told
    assert "not one of the at most 0.1 % of samples that mislead (confidence 0.999)" in told


@pytest.mark.slow
def test_fewer_counts_tell_less_and_none_is_better_than_the_probabilities_themselves(survey, desk):
    stated = desk.verdict(spec()).json["groups"]
    most = max(group["delta"][1] for group in stated)
    found = []
    for text in (COUNTS, "smoker,count\nyes,300\nno,700\n", "smoker,count\nyes,30\nno,70\n"):
        groups = survey(text).verdict(counted()).json["groups"]
        found.append(max(group["delta"][1] for group in groups))
    assert most <= found[0] <= found[1] <= found[2]
    assert found[2] > 3 * most


@pytest.mark.slow
def test_the_certificate_carries_the_ends_and_the_confidence(survey):
    (belief,) = survey().check(counted(), None, "--json").json["beliefs"]
    assert belief["confidence"] == "999/1000"
    (cell,) = belief["cells"]
    assert cell["probabilities"] == {"no": "7/10", "yes": "3/10"}
    assert 0.28 < eval(cell["at_least"]["yes"]) < 0.3


@pytest.mark.slow
def test_counts_of_a_number_column_beside_another_column(survey):
    rows = "\n".join(f"{1000 * k},2000" for k in range(10))
    content = spec(
        beliefs={
            "income": {"counts": "survey.csv", "confidence": "0.99", "source": "tax tables"},
            "smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "x"},
        },
        figures=[{**INCOME, "where": {"smoker": "yes"}}],
        target={"epsilon": 2, "delta": "1e-3"},
    )
    answer = survey(f"income,count\n{rows}\n").check(content)
    assert (answer.code, answer.err) == (0, "")


@pytest.mark.slow
def test_a_figure_that_fails_for_the_estimate_itself_is_refused(survey):
    content = {**counted(), "attacker": {"knows": PEOPLE - 1, "source": "x"}}
    answer = survey().check(content)
    assert answer.code == 1
    assert answer.out.startswith("NO: ")


@pytest.mark.slow
@pytest.mark.parametrize("knows", ["0.01", PEOPLE - 1])
def test_counts_of_the_confidential_data_are_for_review_whatever_they_say(survey, knows):
    content = {**counted(fitted=True), "attacker": {"knows": knows, "source": "x"}}
    answer = survey().check(content, None, "--quick")
    assert answer.code == 3
    assert answer.out.startswith("REVIEW: ")
    assert "FITTED TO THE CONFIDENTIAL DATA" in " ".join(answer.out.split())
    found = survey().verdict(content).json
    assert found["claim"]["evidence"] == "heuristic"
    assert {group["verdict"] for group in found["groups"]} == {"review"}


@pytest.mark.slow
def test_a_dict_reads_the_file_from_where_one_stands(survey, monkeypatch):
    import pandas as pd

    monkeypatch.chdir(survey().folder)
    assert decide(counted(), pd.DataFrame(people()), margins=False).verdict == "pass"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "changes", "says"),
    [
        ("", {}, "header smoker,count, but the file is empty"),
        ("smoker,count\n", {}, "at least one line of counts"),
        ("smoker,count\nyes,-3\n", {}, "line 2: a count needs a whole number from 0"),
        ("smoker,count\nyes,nan\n", {}, "with at most 18 digits, but there is something else"),
        ("smoker,count\nyes,\n", {}, "with at most 18 digits, but there is nothing"),
        ("smoker,count\nyes,1.5\n", {}, "with at most 18 digits, but there is something else"),
        ("smoker,count\nyes,1e5\n", {}, "with at most 18 digits, but there is something else"),
        ("smoker,count\nyes,9999999999999999999999\n", {}, "whole number from 0, with at most 18 digits"),
        ("smoker,count\nmaybe,3\n", {}, "line 2: smoker needs one of"),
        ("smoker,count\nyes,3\nyes,4\n", {}, "line 3: its value of smoker stands in a line above"),
        ("smoker,count\nyes,0\nno,0\n", {}, "all counts are 0"),
        ("smoker,count\nyes,3,4\n", {}, "line 2 needs 2 fields, but has 3"),
        ("smoker,number\nyes,3\n", {}, "but 'count' is missing: it is none of the 2"),
        ("smoker|count\nyes|3\n", {}, "but 'smoker' is missing: it is none of the 1"),
        ("smoker;count;note\nyes;3;a\n", {}, "and no others, but there are 3"),
        ("smoker\nyes\n", {}, "'count' is missing"),
        ("smoker,count,count\nyes,3,3\n", {}, "has 'count' twice"),
        ("region,smoker,count\nnorth,yes,3\n", {}, "and no others, but there are 3"),
        (COUNTS, {"by": "region"}, "'region' is missing"),
        ("region,smoker,count\nnorth,yes,3\nnorth,no,3\n", {"by": "region"}, "says nothing for south"),
        ("region,smoker,count\neast,yes,3\n", {"by": "region"}, "line 2: region needs one of"),
        (b"smoker,count\n\xff\xfe,3\n", {}, "cannot be read as text"),
        (COUNTS, {"counts": "nowhere.csv"}, "nowhere.csv, but there is none"),
        (COUNTS, {"counts": "."}, "but it is a folder"),
        (COUNTS, {"confidence": None}, "needs a confidence"),
        (COUNTS, {"confidence": 1}, "above 0 and below 1"),
        (COUNTS, {"confidence": "sure"}, "finite number"),
        (COUNTS, {"probabilities": {"yes": "0.3", "no": "rest"}}, "but got two of them"),
        (COUNTS, {"counts": None, "probabilities": {"yes": "0.3", "no": "rest"}}, "confidence belongs to counts"),
        (COUNTS, {"counts": None, "confidence": None}, ". Give one of them"),
    ],
)
def test_what_are_no_counts_is_refused(survey, text, changes, says):
    assert says in survey(text).refusal(counted(**changes))


def test_columns_of_very_many_values_are_refused(survey):
    content = spec(
        confidential={"income": {"unit": 1, "bounds": [0, 9000]}},
        beliefs={"income": {"counts": "survey.csv", "confidence": "0.99", "source": "x"}},
        figures=[INCOME],
    )
    assert "up to 1000 values, but it has 9001" in survey("income,count\n0,3\n").refusal(content)


@pytest.mark.slow
def test_no_probability_that_the_counts_leave_open_is_worse(survey, desk):
    """The rates at both ends, stated instead of the counts."""
    text = "smoker,count\nyes,60\nno,140\n"
    found = survey(text).verdict(counted()).json
    (cell,) = found["beliefs"][0]["cells"]
    most = max(group["delta"][1] for group in found["groups"])
    for rate in (Fraction(cell["at_least"]["yes"]), 1 - Fraction(cell["at_least"]["no"]), Fraction(3, 10)):
        stated = {"probabilities": {"yes": str(rate), "no": "rest"}, "source": "x"}
        groups = desk.verdict(spec(beliefs={"smoker": stated})).json["groups"]
        assert max(group["delta"][1] for group in groups) <= most
    assert most < 0.2


@pytest.mark.slow
def test_rounding_does_not_rely_on_where_the_estimated_records_put_the_total(survey):
    """Records that are not known to follow the counts may move the total anywhere between two multiples."""
    figures = [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}, "round": 5}]
    answer = survey().verdict({**counted(), "figures": figures})
    exactly = survey().verdict({**counted(), "figures": [{**figures[0], "round": None}]})
    rounded, plain = (found.json["groups"][0]["delta"][1] for found in (answer, exactly))
    assert 0 < rounded <= plain * (1 + 1e-9) + 1e-5


@pytest.mark.slow
def test_rounding_is_judged_at_every_place(survey, monkeypatch):
    seen = []

    def spied(*arguments, **more):
        curve = WorstCurve(*arguments, **more)
        seen.append(curve.anywhere)
        return curve

    monkeypatch.setattr("dalenius.beliefs.interpreter.WorstCurve", spied)
    figures = [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}, "round": 5}]
    survey().check({**counted(), "figures": figures})
    assert True in seen and False in seen  # what all laws share; the estimate itself
