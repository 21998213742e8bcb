"""The report says which definition its claim is one of, and what follows from it."""

from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest

import dalenius as dl
from dalenius.basics.errors import SpecError
from dalenius.desk.spec import build, spec_of
from dalenius.plan import Target, assess
from dalenius.plan.promise import broken_promise, promised

SPEC = {
    "person": "id",
    "confidential": {"smoker": ["no", "yes"], "income": {"bounds": [0, 9]}},
    "beliefs": {
        "smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"},
        "income": {"probabilities": {"0 to 9": 1}, "source": "a survey"},
    },
    "attacker": {"knows": 0, "source": "nobody is known"},
    "target": {"epsilon": "1", "delta": "1e-6"},
    "figures": [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}],
}
INCOME = [{"name": "incomes", "kind": "sum", "column": "income"}]
ROUNDED = {**SPEC, "figures": [{**SPEC["figures"][0], "round": 5}]}
NOISE = [{**SPEC["figures"][0], "noise": {"geometric": 1}}]
CHAIN = {
    "order": "id",
    "start": {"no": "0.7", "yes": "0.3"},
    "moves": {"no": {"no": "0.75", "yes": "0.25"}, "yes": {"no": "0.5", "yes": "0.5"}},
    "source": "an earlier year",
}
HOME = {"column": "home", "weight": "0.5", "source": "a panel"}


@pytest.mark.parametrize(
    ("changes", "said", "unsaid"),
    [
        ({}, ["noiseless privacy", "does not follow", "implies distributional", "more than 0.4"], []),
        ({"attacker": {"knows": 5, "source": "five"}}, ["noiseless privacy"], ["distributional"]),
        ({"beliefs": {"smoker": CHAIN}}, ["noiseless privacy", "more than 0.4"], ["distributional"]),
        ({"figures": NOISE}, ["The noise by itself gives differential privacy", "one record"], ["not differential"]),
        ({"figures": INCOME, "secret": {"within": {"income": 1}}}, ["Pufferfish", "less than 4 apart"], ["noiseless"]),
        ({"together": HOME}, ["Pufferfish", "any one household, of up to 2"], ["noiseless"]),
        ({"together": HOME, "figures": NOISE, "target": {"epsilon": "2", "delta": "1e-6"}}, ["one household"], []),
        ({"secret": "presence", "sizes": {"cells": 1900}}, ["Pufferfish", "is in the data"], ["noiseless"]),
    ],
)
def test_the_definition_is_named(tmp_path, changes, said, unsaid):
    table = pd.DataFrame({"id": range(2000), "smoker": ["yes", "no"] * 1000, "home": [i // 2 for i in range(2000)]})
    table["income"] = [i % 10 for i in range(2000)]
    found = dl.decide({**SPEC, **changes}, table, ledger=tmp_path / "ledger.sqlite", margins=False)
    assert found.verdict == "pass"
    told = " ".join(promised(found.as_specified, found.question))
    assert all(words in told for words in said), told
    assert not any(words in told for words in unsaid), told


@pytest.mark.slow
def test_the_page_says_it_and_what_fails_promises_nothing(tmp_path):
    table = pd.DataFrame({"id": range(2000), "smoker": ["yes", "no"] * 1000, "income": [1] * 2000})
    found = dl.decide(SPEC, table, ledger=tmp_path / "ledger.sqlite", margins=False)
    assert b"Which promise is this?" in found.html()
    few = dl.decide(SPEC, table[:10], ledger=tmp_path / "other.sqlite", margins=False)
    assert promised(few.as_specified, few.question) == []


WORDS = ("noiseless", "Pufferfish", "distributional", "coupled worlds", "semantic", "differential")
PASS, REVIEW, FAIL = "pass", "review", "fail"
KNOWN = {"attacker": {"knows": 5, "source": "five"}}
NEAR = {"figures": INCOME, "secret": {"within": {"income": 1}}}
PRESENCE = {"secret": "presence", "sizes": {"cells": 1900}}
OPEN = {"beliefs": {"smoker": {"none_above": "0.8", "source": "?"}}}
HEDGED = {
    "beliefs": {"smoker": {"probabilities": {"yes": "0.5", "no": "rest"}, "hedged": "0.01", "source": "?"}},
    "figures": [{**SPEC["figures"][0], "earned": {"chance": "0.5", "epsilon": 1, "hedged": "0.01", "people": 2000}}],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "verdicts"),
    [
        ({}, (PASS, PASS, PASS, PASS, FAIL, FAIL)),
        ({"figures": NOISE}, (PASS, PASS, PASS, PASS, PASS, PASS)),
        (KNOWN, (PASS, PASS, REVIEW, REVIEW, FAIL, FAIL)),
        (OPEN, (PASS, PASS, REVIEW, REVIEW, FAIL, FAIL)),
        ({"beliefs": {"smoker": CHAIN}}, (PASS, PASS, REVIEW, REVIEW, FAIL, FAIL)),
        (NEAR, (REVIEW, PASS, REVIEW, REVIEW, None, None)),
        (PRESENCE, (PASS, PASS, PASS, PASS, FAIL, FAIL)),
        ({"together": HOME}, (REVIEW, PASS, REVIEW, REVIEW, REVIEW, REVIEW)),
        (HEDGED, (REVIEW, REVIEW, REVIEW, REVIEW, REVIEW, REVIEW)),
    ],
)
def test_a_promise_that_does_not_follow_from_the_number_is_no_yes(tmp_path, changes, verdicts):
    """Each word beside each kind of certificate; without a word all of them pass."""
    table = pd.DataFrame({"id": range(2000), "smoker": ["yes", "no"] * 1000, "home": [i // 2 for i in range(2000)]})
    table["income"] = [i % 10 for i in range(2000)]
    for word, verdict in [(None, PASS), *zip(WORDS, verdicts, strict=True)]:
        keys = {**SPEC, **changes, "promise": word}
        if verdict is None:
            with pytest.raises(SpecError, match=f"promise: {word} privacy holds for any two values"):
                dl.decide(keys, table, ledger=tmp_path / "ledger.sqlite", margins=False)
            continue
        found = dl.decide(keys, table, ledger=tmp_path / "ledger.sqlite", margins=False)
        assert found.verdict == verdict, (word, found.brief())
        if verdict == REVIEW and word not in ("semantic", "differential"):
            assert "does not follow" in " ".join(found.brief().split()), word
        assert word is None or f"Promised is to be: {word} privacy." in found.brief()


def test_what_follows_is_told_with_its_numbers(tmp_path):
    """Noise with a delta: what it means for beliefs depends on how many people there are; too little is for review."""
    noise = {"promise": "semantic", "figures": [{**SPEC["figures"][0], "noise": {"gaussian": "9"}}]}
    verdicts = {}
    for people in (50, 2_000):
        table = pd.DataFrame({"id": range(people), "smoker": ["yes", "no"] * (people // 2), "income": [1] * people})
        found = dl.decide({**SPEC, **noise}, table, ledger=tmp_path / f"{people}.sqlite", margins=False)
        verdicts[people] = found.verdict
        told = " ".join(promised(found.as_specified, found.question))
        assert ("implies semantic privacy" in told) == (found.verdict == PASS)
    assert verdicts[50] == PASS


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"promise": "perfect"}, "promise"),
        ({"promise": "differential", "sample": {"of": 9000, "design": "simple", "source": "?"}}, "sample"),
    ],
)
def test_other_words_are_refused(changes, said):
    with pytest.raises(SpecError, match=said):
        build(spec_of({**SPEC, **changes}))


@pytest.mark.slow
def test_a_change_is_offered_only_if_it_keeps_what_is_promised(tmp_path):
    """Too much is told at so small a delta: noise keeps any promise. What rounding leaves is not distributional."""
    table = pd.DataFrame({"id": range(2000), "smoker": ["yes", "no"] * 1000, "income": [1] * 2000})
    keys = {**SPEC, **KNOWN, "target": {"epsilon": "1", "delta": "1e-62"}}
    for word in ("noiseless", "distributional", "differential"):
        found = dl.decide({**keys, "promise": word}, table, ledger=tmp_path / f"{word}.sqlite", margins=False)
        assert found.verdict != PASS
        (figure,) = found.plan.figures
        assert all(link.random for link in figure.channel.links)
    rounded = replace(found.plan, figures=tuple(build(spec_of(ROUNDED)).figures))
    for word, offered in (("noiseless", True), ("distributional", False)):
        question = replace(found.question, promise=word, target=Target(Fraction(1), Fraction(1, 10**6)))
        question = replace(question, beliefs=build(spec_of(SPEC)).beliefs[:1])
        again = assess(rounded.figures, found.prepared.history, question).answer
        assert (broken_promise(again, question) == "") == offered
