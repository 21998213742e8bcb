"""`python -m benchmarks.leaving_out`: numbers left out so that everybody is certified, beside pytauargus' optimum.

Two-way tables of how many smoke, with margins and a grand total, in which a few groups have so few people that their
counts do not pass. The plan leaves numbers out until every group passes. pytauargus is given the same groups as its
small cells and finds the fewest others with which these are not known, which no plan can undercut: it asks only that
one more and one less are possible, so that small groups may hide each other. `fewest` is the least that any pattern
needs in which they do not: it is proved by an integer program that shares nothing with the plan. Both patterns are
judged, and audited like tables that somebody else made.

The examples that GaussSuppression publishes (vignettes on small counts and on linked tables) are audited as well,
beside what our audit would leave out.
"""

import json
import random
import subprocess
import tempfile
import time
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import TypeAlias

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
VARIABLES = ("age", "place", "year")
PLACES = {"Spain", "Iceland", "Portugal"}
Cuts: TypeAlias = tuple[tuple[str, ...], ...]
Nested: TypeAlias = dict[str, dict[str, tuple[str, ...]]]
People: TypeAlias = dict[tuple[str, ...], int]
Label: TypeAlias = tuple[int, tuple[str | None, ...]]
EU: Nested = {"place": {"EU": ("Portugal", "Spain"), "nonEU": ("Iceland",)}}
SIX: People = dict(
    zip(product(("young", "old"), ("Spain", "Iceland", "Portugal"), ("2014",)), (5, 2, 0, 6, 3, 4), strict=True)
)
YEARS: People = {
    ("young", "Spain", "2014"): 6,
    ("young", "Iceland", "2014"): 8,
    ("old", "Spain", "2014"): 9,
    ("old", "Portugal", "2014"): 1,
    ("young", "Iceland", "2015"): 2,
    ("old", "Spain", "2015"): 4,
    ("old", "Portugal", "2015"): 3,
    ("young", "Spain", "2016"): 7,
    ("young", "Iceland", "2016"): 2,
    ("young", "Portugal", "2016"): 2,
}


def cells_of(*listed: tuple[str | None, ...], table: int = 0) -> set[Label]:
    """Every combination of some labels for each variable."""
    return {(table, cell) for cell in listed}


TWO = ("young", "old")
FOUR = cells_of(*product(TWO, ("Iceland", "Portugal", "EU", "nonEU")))
LATE = ("2015", "2016")
BY_AGE_AND_PLACE: Cuts = (("age", "place"),)
# cuts, hierarchy, people, the largest count that is hidden, what is shown all the same, and what it hides
GAUSS: dict[str, tuple[Cuts, Nested, People, int, set[Label], set[Label]]] = {
    "six cells, up to 1": (BY_AGE_AND_PLACE, {}, SIX, 1, set(), cells_of(*product(TWO, ("Iceland", "Portugal")))),
    "a hierarchy, up to 2": (BY_AGE_AND_PLACE, EU, SIX, 2, set(), FOUR),
    "a hierarchy, up to 4, zeros shown": (
        BY_AGE_AND_PLACE,
        EU,
        SIX,
        4,
        cells_of(("young", "Portugal")),
        (FOUR - cells_of(("young", "Portugal"))) | cells_of(("young", "Spain"), (None, "Portugal"), (None, "Spain")),
    ),
    "a hierarchy, up to 3": (BY_AGE_AND_PLACE, EU, SIX, 3, set(), FOUR),
    "two linked tables, up to 2": (
        (("age", "place", "year"), ("place", "year")),
        EU,
        YEARS,
        2,
        set(),
        cells_of(*product((None, "young"), (None, "nonEU"), LATE))
        | cells_of(*product((None, "Iceland"), LATE), *product(("Portugal", "Spain"), ("2014", "2016")), table=1),
    ),
}
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
    """GaussSuppression's own examples: how many of our numbers follow, and how many more we hide; prints all."""
    worse = 0
    for name, (cuts, nested, people, most, shown, hidden) in GAUSS.items():
        convention = Convention(threshold=most + 1, nested=nested)
        small = {cell for cell, n in counted(cuts, nested, people).items() if n <= most} - shown
        theirs = audit(tables_of(cuts, nested, people, hidden), convention, seconds=None).conclusions
        found = audit(tables_of(cuts, nested, people, small), convention, seconds=None)
        hiding = [remedy for remedy in advise(found, seconds=60).remedies if remedy.kind == "hide"]
        ours = len(small) + (len(hiding[0].hidden) if hiding else 0)
        left = hiding[0].tables if hiding else tables_of(cuts, nested, people, small)
        own = sum(one.tells for one in audit(left, convention, seconds=None).conclusions)
        told = sum(one.tells for one in theirs)
        print(
            f"GaussSuppression, {name}: hidden {ours}, and {len(hidden)} by it; follow {own} (claimed: 0), and {told}"
        )
        worse += own + max(0, ours - len(hidden))
    return worse


def counted(cuts: Cuts, nested: Nested, people: People) -> dict[Label, int]:
    """Every number of the tables by its table and labels; what no row is about is not there. Of two tables the first
    has groups of places, and the second places.
    """
    groups = {None: set[str]()} | {name: set(inside) for name, inside in nested.get("place", {}).items()}
    without = (PLACES, {*groups} - {None}) if len(cuts) > 1 else (set(),)
    found = Counter[Label]()
    for labels, many in people.items():
        above = {name: [label, None] for name, label in zip(VARIABLES, labels, strict=True)}
        above["place"] += [name for name, inside in groups.items() if labels[1] in inside]
        for at, cut in enumerate(cuts):
            for cell in product(*(above[name] for name in cut)):
                if not without[at].intersection(cell):
                    found[at, cell] += many
    return dict(found)


def tables_of(cuts: Cuts, nested: Nested, people: People, hidden: set[Label]) -> list[PublishedTable]:
    """The tables with these numbers hidden."""
    numbers, made = counted(cuts, nested, people), []
    for at, cut in enumerate(cuts):
        cells = [
            Cell(cell, None, None, "x") if (at, cell) in hidden else Cell(cell, Fraction(n), Fraction(n))
            for (table, cell), n in numbers.items()
            if table == at
        ]
        made.append(PublishedTable(f"table {at + 1}", cut, tuple(cells)))
    return made


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
