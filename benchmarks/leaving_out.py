"""`python -m benchmarks.leaving_out`: numbers left out so that everybody is certified, beside pytauargus' optimum.

Two-way tables of how many smoke, with margins and a grand total, in which a few groups have so few people that their
counts do not pass. The plan leaves numbers out until every group passes. pytauargus is given the same groups as its
small cells and finds the fewest others with which these are not known, which no plan can undercut: it asks only that
one more and one less are possible, so that small groups may hide each other. `fewest` is the least that any pattern
needs in which they do not: it is proved by an integer program that shares nothing with the plan. Both patterns are
judged, and audited like tables that somebody else made.

The example that GaussSuppression publishes (six cells with margins, of which one is 0, primary up to 1; four are left
out) is audited as well, beside what our audit would leave out.
"""

import json
import random
import subprocess
import tempfile
import time
from fractions import Fraction

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from benchmarks.peers import HERE, environment
from dalenius.audit.examination import examine as audit
from dalenius.audit.remedy import advise
from dalenius.audit.tables import SECONDARY, Cell, Convention, PublishedTable
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
MORE = 1.10  # of the fewest
GAUSS = (5, 2, 0, 6, 3, 4)  # young and old in Spain, Iceland, Portugal
GAUSS_HIDDEN = (1, 2, 4, 5)
HEAD = (
    "table  not passing  left out: ours, fewest, pytauargus  still not passing: ours, pytauargus  "
    "follow: ours, pytauargus  seconds: ours, pytauargus"
)


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
    sums = [0] * 7
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
        own = {finding.atom.groups[0][0] for finding in failing(figures(), asked)}
        mine = [label_of(figure.by, cell) for one in changes.values() for figure in one for cell in figure.left_out]
        told = follow(mine, own, asked), follow(hidden, own, asked)
        least = fewest(asked, own)
        sums = [a + b for a, b in zip(sums, (lost, len(hidden), len(ours), len(other), least, *told), strict=True)]
        size = "x".join(str(len({cell[at] for cell in asked.frame.groups})) for at in (0, 1))
        print(
            f"{size:5}  {small:11}  {lost:14}, {least:6}, {len(hidden):10}  {len(ours):24}, {len(other):10}  "
            f"{told[0]:12}, {told[1]:10}  {took:13.1f}, {theirs['seconds']:10.2f}",
            flush=True,
        )
    print(f"left out: {sums[0]}, and {sums[1]} by pytauargus; not passing then: {sums[2]} (claimed: 0), and {sums[3]}")
    print(f"the fewest, where small groups do not hide each other: {sums[4]} (claimed: at most {MORE - 1:.0%} more)")
    print(f"follow from what is published: {sums[5]} (claimed: 0), and {sums[6]} by pytauargus' pattern")
    return int(sums[2] > 0 or sums[5] > 0 or sums[0] > MORE * sums[4] or gauss() > 0)


def fewest(question: Question, own: set[tuple[str, str]]) -> int:
    """How many numbers any pattern leaves out in which no combination of the others is about groups of `own` alone.

    There is none if and only if for each of them there are changes z of the groups (1 of it, 0 of the others of `own`)
    that no published number shows. In a table with margins those of least support, and what numbers show of them, are
    -1, 0 and 1.
    """
    cells = list(question.frame.groups)
    covers = [[at] for at in range(len(cells))] + [list(range(len(cells)))]
    for place in (0, 1):
        for label in sorted({cell[place] for cell in cells}):
            covers += [[at for at, cell in enumerate(cells) if cell[place] == label]]
    many, rows = len(covers), list[tuple[int, int, float]]()
    low, high, count = [0.0] * many, [1.0] * many, 0
    for target in own:
        first = len(low)
        low += [float(cell == target) if cell in own else -1.0 for cell in cells]
        high += [float(cell == target) if cell in own else 1.0 for cell in cells]
        for at, cover in enumerate(covers):
            for sign in (1.0, -1.0):
                rows += [(count, first + cell, sign) for cell in cover] + [(count, at, -1.0)]
                count += 1
    if not own:
        return 0
    line, column, value = zip(*rows, strict=True)
    shown = LinearConstraint(csr_array((value, (line, column)), (count, len(low))), -np.inf, 0)
    whole = np.arange(len(low)) < many
    solved = milp(whole.astype(float), constraints=shown, integrality=whole.astype(int), bounds=Bounds(low, high))
    assert solved.status == 0
    return round(solved.mip_dual_bound)


def follow(hidden: list[tuple[str, ...]], own: set[tuple[str, str]], question: Question) -> int:
    """How many numbers follow from the others, if small groups have 3 people and the others 50."""
    sizes = {cell: SMALL if cell in own else LARGE for cell in question.frame.groups}
    return sum(one.tells for one in audit([published(sizes, hidden, own)], Convention(), seconds=None).conclusions)


def published(
    sizes: dict[tuple[str, str], int], hidden: list[tuple[str, ...]], own: set[tuple[str, str]]
) -> PublishedTable:
    """The table with its margins, some of it hidden."""
    rows, columns = ([*dict.fromkeys(cell[at] for cell in sizes), TOTAL] for at in (0, 1))
    made = []
    for row in rows:
        for column in columns:
            number = sum(n for cell, n in sizes.items() if row in (cell[0], TOTAL) and column in (cell[1], TOTAL))
            labels = tuple(None if label == TOTAL else label for label in (row, column))
            if (row, column) in hidden:
                made.append(Cell(labels, None, None, "x" if (row, column) in own else SECONDARY))
            else:
                made.append(Cell(labels, Fraction(number), Fraction(number)))
    return PublishedTable("table", ("row", "column"), tuple(made))


def gauss() -> int:
    """GaussSuppression's own example: how many of our numbers follow; prints both."""
    cells = [(age, place) for age in ("young", "old") for place in ("Spain", "Iceland", "Portugal")]
    sizes, small = dict(zip(cells, GAUSS, strict=True)), {cell for cell, n in zip(cells, GAUSS, strict=True) if n <= 1}
    theirs = [cells[at] for at in GAUSS_HIDDEN]
    told = sum(one.tells for one in audit([published(sizes, theirs, small)], Convention(), seconds=None).conclusions)
    found = audit([published(sizes, [*small], small)], Convention(threshold=2), seconds=None)
    hiding = [remedy for remedy in advise(found, seconds=60).remedies if remedy.kind == "hide"]
    ours = len(small) + (len(hiding[0].hidden) if hiding else 0)
    tables = hiding[0].tables if hiding else [published(sizes, [*small], small)]
    own = sum(one.tells for one in audit(tables, Convention(threshold=2), seconds=None).conclusions)
    print(f"GaussSuppression's example: hidden {ours}, and {len(theirs)} by it; follow {own} (claimed: 0), and {told}")
    return own


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


def label_of(by: tuple[str, ...], cell: tuple[object, ...]) -> tuple[str, ...]:
    """A number of a figure by its row and column."""
    labels = dict(zip(by, map(str, cell), strict=True))
    return tuple(labels.get(name, TOTAL) for name in ("row", "column"))


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
