"""How figures are shown can be said in the interview, in a few words after what they are."""

from typing import Any

import pytest

from dalenius.basics.errors import SpecError
from dalenius.desk.interview.phrases import figures
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


def test_winners_and_answers_are_asked_for() -> None:
    found = figures(ASKED, "first: winner of s by region; true: answers of s = yes")
    assert [one["kind"] for one in found] == ["winner", "answers"]
    for one in found:
        build(spec_of({**SPEC, "figures": [one]}))


def test_other_words_are_refused() -> None:
    with pytest.raises(SpecError, match="needs"):
        build(spec_of({**SPEC, "figures": figures(ASKED, "smokers: count where s = yes by region, hidden")}))
