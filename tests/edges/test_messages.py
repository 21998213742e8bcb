"""Mistakes that are easily made: the message says what is needed, what came, and what to do."""

import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dalenius as dl
from dalenius.basics.errors import without_passwords
from dalenius.cli import app
from dalenius.desk.examples import demo
from dalenius.mechanisms import Chain
from dalenius.papers.listing import listed
from dalenius.papers.theorems import catalogue
from dalenius.plan.advice import Advice, Remedy
from dalenius.show import text
from dalenius.tables.figures import Figure

worth = import_module("dalenius.plan.rules.worth")  # whose name in the package is that of a function
COUNT = dl.mechanisms.SinglePriorCount("0.3", n=20, epsilon="0.5")

SLIPS: dict[str, tuple[Callable[[], object], str]] = {
    "one rate for many": (lambda: dl.Independent(rates=0.3), "one rate for each record, but got 0.3. Write rates=["),
    "rates as text": (lambda: dl.Independent(rates="0.3"), "one rate for each record, but got '0.3'. Write rates=["),
    "rates that are words": (lambda: dl.Independent(rates=["a"]), "A rate must be a finite number, but got 'a'. Write"),
    "rates that are lists": (lambda: dl.Independent(rates=[[1], []]), "but some are no numbers. Correct them"),
    "one end of a range": (
        lambda: dl.beliefs.Rates(between=0.3, n=9),
        "between=(lo, hi), two rates, but got 0.3. Write",
    ),
    "a number for a rule": (lambda: worth.worth(10, epsilon=1), "a rule, such as Threshold(10), but got 10. Write"),
    "a word for a rule": (lambda: worth.worth("k", epsilon=1), "a rule, such as Threshold(10), but got 'k'. Write"),
    "a number to combine": (lambda: dl.mechanisms.combine(3), "such as LaplaceNoise(1, epsilon=1), but got 3. Judge"),
    "half a person": (
        lambda: dl.data.told_count(COUNT, 6.5),
        "a whole number, but this one is of the type float. Write",
    ),
    "a truth for a count": (lambda: COUNT.law(True), "of the type bool"),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_is_explained(name: str) -> None:
    made, said = SLIPS[name]
    with pytest.raises(dl.InputError) as problem:
        made()
    assert said in str(problem.value)


@pytest.mark.parametrize(("option", "example"), [("--threshold", 10), ("--round", 5), ("--known", 3)])
def test_a_word_for_a_number_on_the_command_line(option: str, example: int) -> None:
    result = CliRunner().invoke(app, ["rules", option, "ten"])
    assert isinstance(result.exception, dl.InputError)
    assert str(result.exception) == f"{option} needs a whole number, but got 'ten'. Write {option} {example}."


def test_one_statement_is_one() -> None:
    every = catalogue()
    assert "\n1 statement: 1 " in listed(every[:1])
    assert f"\n{len(every)} statements: " in listed(every)
    assert max(map(len, listed(every, 80).splitlines())) <= 80


def test_the_demo_looks_where_it_writes_before_it_tells(tmp_path: Path) -> None:
    said: list[str] = []
    with pytest.raises(dl.OutputError, match="Needed a new folder"):
        demo.run(tmp_path, said.append)
    assert not said


@pytest.mark.slow
def test_a_threshold_is_found_with_few_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes a second at small ε, where each search takes several."""
    searches: list[int] = []
    search = worth._find

    def counted(*args: object) -> object:
        searches.append(1)
        return search(*args)

    monkeypatch.setattr(worth, "_find", counted)
    found = {epsilon: worth.threshold_needed(epsilon=epsilon, delta="1e-3") for epsilon in ("0.25", "0.1")}
    assert found == {"0.25": 75, "0.1": 315}
    assert len(searches) <= 2 * len(found)


def test_the_first_number_is_the_first() -> None:
    for last in (2, 3, 9, 100, 1000):
        assert worth._first(lambda k, last=last: k >= last, 1, 2) == last
    assert worth._first(lambda _: False, 1, 2) is None


def test_advice_for_a_noisy_figure_says_noise_once() -> None:
    noise = Chain((dl.two_sided_geometric(2),))
    figures = [Figure("yes", "count", channel=noise), Figure("sick", "count")]
    remedies = tuple(Remedy(figure.name, noise, "noise: {geometric: 4}", "5.6") for figure in figures)
    lines = text._advice(Advice(remedies), figures)
    assert "  - yes: change it to noise: {geometric: 4} (5.6)" in lines
    assert "  - sick: add noise: {geometric: 4} (5.6)" in lines


@pytest.mark.parametrize("part", ["x", "a@", "a:", "a://", "a://b:c", ":/", "a:/b", "/", "@", "pass ", "a@b:", "x?"])
def test_passwords_are_looked_for_in_long_words_without_delay(part):
    """Each letter is looked at a few times, and not as often as there are letters before it."""
    started = time.process_time()
    without_passwords("x:" + part * 100_000)
    assert time.process_time() - started < 5
