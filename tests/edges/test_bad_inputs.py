"""Hundreds of bad inputs of each kind, thousands in the deep profile: every one of them ends with an exit code that is
an answer, says why if it is bad input, takes no more than a minute, writes nothing half, and repeats nothing that was
planted.
"""

import os
import random
import signal

import pytest

from edges.bad_inputs import CANARY, KEYS, KINDS, NEARLY, TOP_KEYS, Stage, set_up
from edges.desk import dalenius
from edges.specimens import specimens

CASES = {"fast": 5, "default": 200, "thorough": 500, "deep": 3000}[os.environ.get("HYPOTHESIS_PROFILE", "default")]
SECONDS = 60  # of computing, for one command
WAITED = 900  # of the clock, on a busy machine too: a command that waits for something computes nothing
BELLS = ((signal.SIGPROF, signal.ITIMER_PROF, SECONDS), (signal.SIGALRM, signal.ITIMER_REAL, WAITED))
ANSWERED = (0, 1, 2, 3)


class Hang(BaseException):
    """A command that takes too long."""


def _stop(*_: object) -> None:
    raise Hang


@pytest.fixture(autouse=True)
def no_budget_ends():
    """Here searches end when their time is up, as they do for people: only how a command ends is looked at."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory) -> Stage:
    """One of everything, in its own folder."""
    found = Stage(tmp_path_factory.mktemp("stage"))
    for command in set_up(found):
        answer = dalenius(*command)
        assert answer.code == 0, (command, answer)
    os.mkfifo(found["pipe"])
    return found


def problem(arguments: tuple, stage: Stage) -> str:
    """What is wrong with how a command ended; nothing if nothing is."""
    for bell, timer, seconds in BELLS:
        signal.signal(bell, _stop)
        signal.setitimer(timer, seconds)
    try:
        answer = dalenius(*arguments)
    except Hang:
        return "it hangs"
    except BaseException as error:  # noqa: BLE001 - that is what is looked for
        return f"it raises {type(error).__name__}: {error}"
    finally:
        for _, timer, _ in BELLS:
            signal.setitimer(timer, 0)
    told = answer.out + answer.err
    if answer.code not in ANSWERED:
        return f"it ends with {answer.code}: {told[:500]}"
    told_by = answer.out if arguments[0] == "doctor" else answer.err  # which lists what is broken
    if answer.code == 2 and not told_by.strip():
        return f"it says nothing: {told[:300]}"
    if "Traceback" in told or "failed by itself" in told:
        return f"it has a traceback: {told[-500:]}"
    if CANARY in told:
        return f"it repeats what was planted: {told[max(0, told.index(CANARY) - 200) :][:300]}"
    if stage["never"].exists() or stage["never.yaml"].exists():
        return "it wrote what it must not"
    return ""


def _keys(tree: object) -> set[str]:
    """All keys of a specification, at any depth."""
    if isinstance(tree, list):
        return set().union(*map(_keys, tree))
    return {str(key) for key in tree}.union(*map(_keys, tree.values())) if isinstance(tree, dict) else set()


def test_every_key_of_a_specification_is_spoiled():
    put = _keys([TOP_KEYS, *NEARLY.values()])
    rest = {"table", "policy", "ledger", "data", "in_every_group"}  # options, and what has a kind of its own
    left = {*KEYS} - rest - put - _keys([specimen.keys for specimen in specimens().values()])
    assert not left, f"add wrong values of {left} to NEARLY or TOP_KEYS, or a specimen that has them"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_bad_input_of_each_kind_ends_with_words(kind, stage, monkeypatch):
    monkeypatch.chdir(stage["folder"])
    problems = []
    for number in range(CASES):
        arguments = KINDS[kind](random.Random(f"{kind} {number}"), stage)
        found = problem(arguments, stage)
        if found:
            problems.append(f"{kind} {number}: {[str(one)[:80] for one in arguments]}: {found}")
    mine = {
        "people.csv",
        "bad.json",
        "new.yaml",
        "bad.csv",
        "bad.tsv",
        "bad.parquet",
        "bad.yaml",
        "counts.csv",
        "bad.sqlite",
        "answers.yaml",
    }
    for path in stage.folder.rglob("*"):
        if path.is_file() and path.name not in mine and CANARY.encode() in path.read_bytes():
            problems.append(f"{kind}: {path} holds what was planted")
        assert not path.name.endswith(".partial"), path
    assert not problems, f"{len(problems)} of {CASES}:\n" + "\n".join(problems[:20])
