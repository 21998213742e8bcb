"""`python -m benchmarks.leaving_out`: numbers left out so that everybody is certified, beside pytauargus' optimum.

Two-way tables of how many smoke, with margins and a grand total, in which a few groups have so few people that their
counts do not pass. The plan leaves numbers out until every group passes. pytauargus is given the same groups as its
small cells and finds the fewest others with which these are not known, which no plan can undercut: it asks only that
one more and one less are possible, not that somebody else could have changed instead. Both patterns are judged.
"""

import json
import random
import subprocess
import tempfile
import time
from fractions import Fraction

from benchmarks.peers import HERE, environment
from dalenius.claims import Verdict
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.plan import Question, Target, plan
from dalenius.plan.examination import examine
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History

SMOKERS = Where((("smoker", OneOf(("yes",))),))
SHAPES = ((4, 4), (5, 4), (6, 4), (6, 6), (8, 6))
TABLES = 10
SMALL, LARGE = 3, 50  # what pytauargus is told of groups that do not pass, and of the others
TOTAL = "Total"
HEAD = "table  not passing  left out: ours, pytauargus  still not passing: ours, pytauargus  seconds: ours, pytauargus"


def main() -> int:
    """A line for each table; 1 if a claim is not met."""
    python = environment("pytauargus", ["pytauargus==0.6.0"])
    if python is None:
        print("pytauargus cannot be installed here")
        return 0
    questions = [question(seed) for seed in range(TABLES)]
    told = []
    for asked in questions:
        own = {finding.atom.groups[0][0] for finding in failing(figures(), asked)}
        told.append([[*cell, SMALL if cell in own else LARGE] for cell in asked.frame.groups])
    with tempfile.TemporaryDirectory() as folder:  # it leaves files where it runs
        script = HERE / "peer_scripts" / "run_pytauargus_counts.py"
        done = subprocess.run(
            [python, script],
            check=False,
            capture_output=True,
            text=True,
            timeout=900,
            cwd=folder,
            input=json.dumps(told),
        )
    if done.returncode:
        print(f"pytauargus fails here: {(done.stderr.strip().splitlines() or ['no message'])[-1][:120]}")
        return 0
    print(HEAD)
    sums = [0, 0, 0, 0]
    for asked, theirs in zip(questions, json.loads(done.stdout.splitlines()[-1]), strict=True):
        small = len(failing(figures(), asked))
        started = time.process_time()
        found = plan(tuple(figures()), History(), asked)
        took = time.process_time() - started
        ways = [way for way in getattr(found, "alternatives", ()) if way.way == "leaving out" and way.possible]
        best = min(ways, key=lambda way: way.lost, default=None)
        changes = {change.figure: change.becomes for change in best.changes} if best else {}
        ours = failing([new for figure in figures() for new in changes.get(figure.name, (figure,))], asked)
        hidden = [(row, column) for row, column, _, status in theirs["cells"] if status in "UM"]
        other = failing(without(hidden, asked), asked)
        lost = best.lost if best else 0
        sums = [a + b for a, b in zip(sums, (lost, len(hidden), len(ours), len(other)), strict=True)]
        size = "x".join(str(len({cell[at] for cell in asked.frame.groups})) for at in (0, 1))
        print(
            f"{size:5}  {small:11}  {lost:14}, {len(hidden):10}  {len(ours):24}, {len(other):10}  {took:13.1f}, "
            f"{theirs['seconds']:10.2f}",
            flush=True,
        )
    print(f"left out: {sums[0]}, and {sums[1]} by pytauargus; not passing then: {sums[2]} (claimed: 0), and {sums[3]}")
    return int(sums[2] > 0)


def question(seed: int) -> Question:
    """A table of groups, some of them of 5 to 30 people, the others of 400 to 1,500."""
    dice = random.Random(seed)
    rows, columns = random.Random(seed).choice(SHAPES)
    dice.seed(seed)
    sizes = {
        (f"r{row}", f"c{column}"): dice.randint(5, 30) if dice.random() < 0.12 else dice.randint(400, 1500)
        for row in range(rows)
        for column in range(columns)
    }
    return Question(
        Frame(("row", "column"), sizes),
        {"smoker": Categories(("no", "yes"))},
        (ColumnBelief("smoker", {(): (("no", Fraction(7, 10)), ("yes", Fraction(3, 10)))}, "drawn"),),
        Attacker(0, source="drawn"),
        Value(),
        Target(Fraction(1), Fraction(1, 10**6)),
    )


def figures() -> list[Figure]:
    """The table, its margins, and its total."""
    cuts = (("row", "column"), ("row",), ("column",), ())
    return [Figure(f"smokers by {' and '.join(cut) or 'nothing'}", "count", None, SMOKERS, cut) for cut in cuts]


def failing(asked: list[Figure], question: Question) -> list:
    """The groups that do not pass."""
    if not asked:
        return []
    found = examine(asked, question, lambda *_: None, witnesses=False).findings
    return [finding for finding in found if finding.verdict != Verdict.PASS]


def without(hidden: list[tuple[str, str]], question: Question) -> list[Figure]:
    """The figures without these numbers; a label Total is a margin."""
    rest = []
    for figure, many in zip(figures(), counts(question), strict=True):
        cells = [
            tuple(label for label in each if label != TOTAL)
            for each in hidden
            if tuple(name for name, label in zip(("row", "column"), each, strict=True) if label != TOTAL) == figure.by
        ]
        if len(cells) < many:
            rest.append(figure.without(cells) if cells else figure)
    return rest


def counts(question: Question) -> tuple[int, ...]:
    """How many numbers each figure has."""
    rows, columns = ({cell[at] for cell in question.frame.groups} for at in (0, 1))
    return len(rows) * len(columns), len(rows), len(columns), 1


if __name__ == "__main__":
    raise SystemExit(main())
