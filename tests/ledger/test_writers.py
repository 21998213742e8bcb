"""Eight processes that release at once: of figures that only one may release, exactly one goes out."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from dalenius.basics.errors import OutputError
from dalenius.data.folder import only_maker
from dalenius.desk.session import carry_out, outcome
from dalenius.record.ledger import open_ledger
from ledger.killing import child, ended, leftovers
from ledger.stand import FULL, decided, up_to

WRITERS = 8
SETS = 125 if FULL else 3  # with eight attempts on each
TURNS = 3 if FULL else 1
pytestmark = pytest.mark.usefixtures("without_charts")


def attempts(place, folder, writer, answers) -> None:
    """Everybody goes through the datasets in the same order, each with a figure of their own: up to another rank. Any
    two of these differ by at most seven people, so that only one may go out.
    """
    for number in range(SETS):
        decision = decided(place, [up_to(59 - writer, name=f"of {writer}")], dataset=f"set {number}")
        outcome = carry_out(decision, folder / f"{number} by {writer}") if decision.verdict == "pass" else None
        overtaken = outcome is not None and outcome.release is None
        passed = outcome is not None and outcome.release is not None
        with answers.open("a") as lines:  # in one write, which does not mix with those of others
            lines.write(f"{number} {writer} {'pass' if passed else 'overtaken' if overtaken else 'no'}\n")


def turns(place, folder, writer) -> None:
    for turn in range(TURNS):
        decision = decided(place, [up_to(59, name=f"{writer} {turn}")])
        assert carry_out(decision, folder / f"{writer} {turn}").release is not None


@pytest.mark.slow
def test_of_what_only_one_may_release_exactly_one_passes(place, quick_path):
    noted = quick_path / "answers"
    writers = [child(partial(attempts, place, quick_path, n, noted)) for n in range(WRITERS)]
    assert [ended(pid) for pid in writers] == [0] * WRITERS
    answers = [line.split() for line in noted.read_text().splitlines()]
    assert len(answers) == WRITERS * SETS
    passed = Counter(number for number, _, answer in answers if answer == "pass")
    assert passed == Counter({str(number): 1 for number in range(SETS)})
    releases = open_ledger(place).releases()
    assert {release.folder for release in releases} == {str(path) for path in quick_path.glob("* by *")}
    assert len(releases) == SETS and not open_ledger(place).pending() and leftovers(quick_path) == []
    print(Counter(answer for _, _, answer in answers))


@pytest.mark.slow
def test_figures_that_may_all_go_out_all_do(place, quick_path):
    """The same exact figure tells nothing new: every writer is overtaken again and again, and comes through."""
    writers = [child(partial(turns, place, quick_path, n)) for n in range(WRITERS)]
    assert [ended(pid) for pid in writers] == [0] * WRITERS
    assert len(open_ledger(place).releases()) == TURNS * WRITERS


@pytest.mark.slow
@pytest.mark.parametrize("other", ["ledger.sqlite", "another.sqlite"])
def test_of_two_releases_into_one_folder_the_second_is_not_recorded(quick_path, monkeypatch, other):
    """Not even where another ledger has it, while the first one is recorded and about to be written."""
    target, place = quick_path / "out", str(quick_path / "ledger.sqlite")
    first = decided(place, [up_to(59)])
    second = decided(str(quick_path / other), [up_to(59)], dataset="b")
    recorded, write = threading.Event(), outcome.finish

    def finish(*rest):
        recorded.set()
        time.sleep(0.3)
        write(*rest)

    monkeypatch.setattr(outcome, "finish", finish)
    with ThreadPoolExecutor(1) as beside:
        writing = beside.submit(carry_out, first, target)
        assert recorded.wait(60)
        with pytest.raises(OutputError, match="out is there already"):
            carry_out(second, target)
        assert writing.result().release.id == "R1"
    assert [release.dataset for release in open_ledger(place).releases()] == ["data"]
    assert not open_ledger(quick_path / "another.sqlite").releases() and not open_ledger(place).pending()


def test_a_release_into_a_folder_that_somebody_else_holds_is_given_up(quick_path):
    with (
        only_maker(quick_path / "out"),
        pytest.raises(OutputError, match=r"writing there for 0.1 s. Nothing was released"),
        only_maker(quick_path / "other", patience=0.1),
    ):
        pass
