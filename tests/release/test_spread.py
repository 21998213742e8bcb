"""Many hands find what one finds."""

import os
from fractions import Fraction

import pytest

from dalenius.basics.errors import InputError
from dalenius.data.spread import on_cores
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.plan import Question, Target, plan
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History

pytestmark = pytest.mark.slow

CELLS = 12


def question(size: int = 100) -> Question:
    """Cells of different sizes, two of each."""
    names = [f"g{place}" for place in range(CELLS)]
    belief = ColumnBelief("u", {(): (("yes", Fraction(1, 4)), ("no", Fraction(3, 4)))}, "made up")
    frame = Frame(("g",), {(name,): size + 5 * (place // 2) for place, name in enumerate(names)})
    columns = {"u": Categories(("yes", "no"))}
    return Question(frame, columns, (belief,), Attacker(), Value(), Target(Fraction(1, 2), Fraction(1, 1000)))


FIGURES = (
    Figure("yes", "count", None, Where((("u", OneOf(("yes",))),)), ("g",)),
    Figure("some", "count", None, Where((("u", OneOf(("yes",))), ("g", OneOf(("g0", "g3")))))),
)


def test_processes_find_what_one_process_finds():
    alone = plan(FIGURES, History(), question())
    assert plan(FIGURES, History(), question(), spread=on_cores(2, worth=0)) == alone


def test_atoms_of_one_kind_are_one_task():
    seen = []

    def spied(work, tasks):
        seen.extend(task.places for task in tasks)
        return [work(task) for task in tasks]

    assert plan(FIGURES[:1], History(), question(), spread=spied) == plan(FIGURES[:1], History(), question())
    assert seen == [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11)]


def whose(task: int) -> tuple[int, int]:
    if task < 0:
        raise InputError("Needed a task.")
    return task, os.getpid()


def test_results_come_in_order_from_other_processes_only_if_it_pays():
    tasks = list(range(20))
    assert on_cores(2)(whose, tasks) == [(task, os.getpid()) for task in tasks]
    spread = on_cores(2, worth=0)(whose, tasks)
    assert [task for task, _ in spread] == tasks
    assert len({process for _, process in spread}) > 1
    assert on_cores(1, worth=0)(whose, tasks) == [(task, os.getpid()) for task in tasks]


def test_an_error_in_a_process_is_the_callers_error():
    with pytest.raises(InputError, match="Needed a task"):
        on_cores(2, worth=0)(whose, [1, 2, -1])
