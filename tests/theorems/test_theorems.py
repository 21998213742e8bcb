"""The catalogue: every statement has an entry, every theorem holds on random worlds, every refutation refutes."""

import importlib
from pathlib import Path

import pytest

from dalenius.basics.errors import PreconditionError
from dalenius.papers.theorems import Status, Violation, catalogue
from theorems.trial import TRIALS, run

HERE = Path(__file__).parent
for found in sorted(HERE.glob("trials_*.py")):
    importlib.import_module(f"theorems.{found.stem}")

ENTRIES = catalogue()
NUMBERS = {
    found.stem.removeprefix("numbers_").upper(): found.read_text(encoding="utf-8").splitlines()
    for found in sorted(HERE.glob("numbers_*.txt"))
}


@pytest.mark.parametrize("paper", NUMBERS)
def test_every_numbered_statement_has_an_entry_and_nothing_else_has(paper):
    covered = {number for entry in ENTRIES if entry.paper.key == paper for number in entry.covers}
    assert covered == set(NUMBERS[paper])


def test_every_paper_of_the_catalogue_has_its_list():
    assert {entry.paper.key for entry in ENTRIES} == set(NUMBERS)


@pytest.mark.slow
@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry.rule], ids=lambda entry: entry.key)
def test_what_is_called_true_holds_on_random_worlds(entry):
    run(entry.key)


@pytest.mark.slow
@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry.counterexample], ids=lambda entry: entry.key)
def test_what_is_printed_wrongly_is_broken_by_its_counterexample(entry):
    violation = entry.counterexample()
    assert isinstance(violation, Violation)
    assert violation.holds, str(violation)


def test_trials_and_theorems_are_the_same():
    assert set(TRIALS) == {entry.key for entry in ENTRIES if entry.rule}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_an_entry_is_complete(entry):
    assert entry.says and entry.holds and entry.sketch and entry.covers
    assert "\n" not in entry.says + entry.holds
    if entry.status is Status.REFUTED:
        assert entry.rule is None and entry.counterexample is not None
        with pytest.raises(PreconditionError, match="counterexample"):
            entry()
    if entry.status in (Status.REPAIRED, Status.REFUTED):
        assert entry.counterexample or "unclear" in entry.sketch or "misprint" in entry.sketch
