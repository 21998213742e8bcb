"""A large table, every cell of it with a belief of its own: how long the least change takes."""

import random
import time
from fractions import Fraction

from benchmarks.claim import Row, at_most, remark
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.plan import Plan, Question, Target, plan
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History

CELLS = 10_000
WHERE = Where((("smoker", OneOf(("yes",))),))
TARGETS = (
    ("passes in every cell", "2", "1e-3"),
    ("fails in some cells", "4/5", "1e-4"),
    ("fails in most", "3/10", "1e-4"),
)


def planning() -> list[Row]:
    """10,000 cells with their own sizes and rates are planned within ten seconds of one processor."""
    rows = []
    for name, epsilon, delta in TARGETS:
        seen: list[tuple[str, int, int]] = []
        started = time.process_time()
        found = table(CELLS, epsilon, delta, seen)
        seconds = time.process_time() - started
        rows.append(at_most(f"{CELLS} cells, a belief each: {name}", seconds, 10, " s", note=type(found).__name__))
        rows.append(remark("  progress was reported", f"{len(seen)} times"))
    return rows


def table(cells: int, epsilon: str, delta: str, seen: list[tuple[str, int, int]]) -> Plan:
    """The plan of a count by cell; sizes and rates are drawn once and for all."""
    dice = random.Random(1)
    names = [f"cell {place}" for place in range(cells)]
    frame = Frame(("cell",), {(name,): dice.randint(200, 2000) for name in names})
    rates = {(name,): Fraction(dice.randint(50, 500), 1000) for name in names}
    marginals = {cell: (("no", 1 - rate), ("yes", rate)) for cell, rate in rates.items()}
    question = Question(
        frame,
        {"smoker": Categories(("no", "yes"))},
        (ColumnBelief("smoker", marginals, "drawn", ("cell",)),),
        Attacker(Fraction(1, 20), in_every_group=True, source="drawn"),
        Value(),
        Target(Fraction(epsilon), Fraction(delta)),
    )
    figure = Figure("smokers", "count", None, WHERE, ("cell",))
    return plan((figure,), History(), question, progress=lambda *step: seen.append(step))
