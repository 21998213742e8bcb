"""How figures are shown can be said in the interview, in a few words after what they are."""

from typing import Any
from unittest.mock import ANY

import pytest

from dalenius.basics.errors import SpecError
from dalenius.desk.interview.phrases import belief, figures
from dalenius.desk.interview.question import Asking
from dalenius.desk.spec import build, spec_of

ASKED = Asking("figures", "What do you want to publish?", "Counts and others.")
SPEC: dict[str, Any] = {
    "person": "id",
    "public": {"region": ["n", "s"]},
    "confidential": {"s": ["no", "yes"]},
    "beliefs": {"s": {"probabilities": {"yes": "0.3", "no": "rest"}, "answered": "0.75", "source": "a survey"}},
    "attacker": {"knows": 0, "source": "a guess"},
    "target": {"epsilon": "0.5", "delta": "1e-6"},
}


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("hidden below 10", {"hide": {"below": 10, "zeros": "hidden"}}),
        ("hidden below 10 but zeros", {"hide": {"below": 10, "zeros": "shown"}}),
        ("rounded to 5", {"round": 5}),
        ("with geometric noise 2.5", {"noise": {"geometric": "2.5"}}),
        ("exact where earned at 0.3 within 0.5", {"earned": {"chance": "0.3", "epsilon": "0.5"}}),
        ("likeliest of 0.1, 0.3", {"choose": ["0.1", "0.3"]}),
    ],
)
def test_a_count_is_shown_as_said(words: str, keys: dict[str, object]) -> None:
    plain = {"name": "smokers", "kind": "count", "where": "s = yes", "by": ["region"]}
    for comma in (", ", " "):
        found = figures(ASKED, f"smokers: count where s = yes by region{comma}{words}")
        assert found == [{**plain, **keys}]
        build(spec_of({**SPEC, "figures": found}))


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        (
            "which: model of s by region, among {yes: 0.3, no: rest} or {yes: 0.6, no: rest}",
            {"kind": "model", "models": [{"yes": "0.3", "no": "rest"}, {"yes": "0.6", "no": "rest"}]},
        ),
        ("middle: median of s, without its counts", {"kind": "median", "column": "s", "counts": "hidden"}),
        ("some: count where s = yes, with quilt noise 3", {"kind": "count", "noise": {"quilt": "3"}}),
    ],
)
def test_models_medians_and_noise_for_an_order_are_asked_for(line: str, keys: dict[str, object]) -> None:
    (found,) = figures(ASKED, line)
    assert {key: found[key] for key in keys} == keys
    spec_of({**SPEC, "figures": [found]})


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("{yes: 0.3, no: rest}, hedged 0.001", {"probabilities": {"yes": "0.3", "no": "rest"}, "hedged": "0.001"}),
        ("{yes: 0.3, no: rest}, answered 0.75", {"probabilities": {"yes": "0.3", "no": "rest"}, "answered": "0.75"}),
        ("varies by at least 100", {"variance": "100"}),
        (
            "in the order of day: {yes: 0.3, no: rest}, then {yes: {yes: 0.5, no: rest}, no: {yes: 0.2, no: rest}}",
            {
                "order": "day",
                "start": {"yes": "0.3", "no": "rest"},
                "moves": {"yes": {"yes": "0.5", "no": "rest"}, "no": {"yes": "0.2", "no": "rest"}},
            },
        ),
        ("{one_of: [{yes: 0.3, no: rest}, {yes: 0.2, no: rest}]}", {"one_of": ANY}),
    ],
)
def test_beliefs_about_all_records_can_be_typed(words: str, keys: dict[str, object]) -> None:
    found = belief(ASKED, words)
    assert found == keys
    if "variance" not in found:
        build(
            spec_of(
                {
                    **SPEC,
                    "beliefs": {"s": {**found, "source": "?"}},
                    "figures": figures(ASKED, "a: count where s = yes"),
                }
            )
        )


def test_other_words_are_refused_answers_are_asked_for() -> None:
    found = figures(ASKED, "first: winner of s by region; true: answers of s = yes")
    assert [one["kind"] for one in found] == ["winner", "answers"]
    for one in found:
        build(spec_of({**SPEC, "figures": [one]}))


def test_other_words_are_refused() -> None:
    with pytest.raises(SpecError, match="needs"):
        build(spec_of({**SPEC, "figures": figures(ASKED, "smokers: count where s = yes by region, hidden")}))
