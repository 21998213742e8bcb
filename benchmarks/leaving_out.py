"""`python -m benchmarks.leaving_out`: numbers left out so that everybody is certified, beside pytauargus' optimum.

Two-way tables of how many smoke, with margins and a grand total, in which a few groups have so few people that their
counts do not pass. The plan leaves numbers out until every group passes. pytauargus is given the same groups as its
small cells and finds the fewest others with which these are not known, which no plan can undercut: it asks only that
one more and one less are possible, so that small groups may hide each other. `fewest` is the least that any pattern
needs in which they do not: it is proved by an integer program that shares nothing with the plan. Both patterns are
judged, and audited like tables that somebody else made. The last table is of a census: three columns and all margins.

The examples that GaussSuppression publishes (vignettes on small counts and on linked tables) are audited as well,
beside what our audit would leave out.
"""

import json
import math
import random
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import TypeAlias

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from benchmarks.linked_census import records
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
SECONDS, CLOSE = 60.0, 1e-6  # of the program that proves how many are needed, and how close its bound is to a number
VARIABLES = ("age", "place", "year")
PLACES = {"Spain", "Iceland", "Portugal"}
Cuts: TypeAlias = tuple[tuple[str, ...], ...]
Nested: TypeAlias = dict[str, dict[str, tuple[str, ...]]]
People: TypeAlias = dict[tuple[str, ...], int]
Cell_: TypeAlias = tuple[str | int | bool | Fraction, ...]
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
    asked = [(figures(), question(seed)) for seed in range(TABLES)] + [census()]
    own = [{finding.atom.groups[0][0] for finding in failing(*one)} for one in asked]
    told = [
        [[*map(str, cell), SMALL if cell in small else LARGE] for cell in one.frame.groups]
        for (_, one), small in zip(asked, own, strict=True)
    ]
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
    sums = np.zeros(7, dtype=int)
    for (new, one), small, theirs in zip(asked, own, json.loads(done.stdout.splitlines()[-1]), strict=True):
        started = time.process_time()
        found = plan(tuple(new), History(), one)
        took = time.process_time() - started
        ways = [way for way in getattr(found, "alternatives", ()) if way.way == "leaving out" and way.possible]
        best = min(ways, key=lambda way: way.lost, default=None)
        becomes = {change.figure: change.becomes for change in best.changes} if best else {}
        left = [figure for old in new for figure in becomes.get(old.name, (old,))]
        mine = {*numbers(new, one)} - {*numbers(left, one)}
        hidden = {tuple(label.strip() for label in labels) for *labels, _, status in theirs["cells"] if status in "UM"}
        hidden &= {*numbers(new, one)}
        row = [len(mine), fewest(new, one, small), len(hidden), len(failing(left, one))]
        row += [
            len(failing(without(hidden, new, one), one)),
            *(follow(some, small, new, one) for some in (mine, hidden)),
        ]
        sums += row
        size = "x".join(str(len(set(labels))) for labels in zip(*one.frame.groups, strict=True))
        print(
            f"{size:5}  {len(small):11}  {row[0]:14}, {row[1]:6}, {row[2]:10}  {row[3]:24}, {row[4]:10}  "
            f"{row[5]:12}, {row[6]:10}  {took:13.1f}, {theirs['seconds']:10.2f}",
            flush=True,
        )
    print(f"left out: {sums[0]}, and {sums[2]} by pytauargus; not passing then: {sums[3]} (claimed: 0), and {sums[4]}")
    print(f"the fewest, where small groups do not hide each other: {sums[1]} (claimed: at most {MORE - 1:.0%} more)")
    print(f"follow from what is published: {sums[5]} (claimed: 0), and {sums[6]} by pytauargus' pattern")
    return int(sums[3] > 0 or sums[5] > 0 or sums[0] > MORE * sums[1] or gauss() > 0)


def numbers(asked: Sequence[Figure], question: Question) -> dict[tuple[str, ...], list[int]]:
    """What is published, by the label of each public column or Total: which groups each number covers."""
    found: dict[tuple[str, ...], list[int]] = {}
    for figure in asked:
        for at, cell in enumerate(question.frame.groups):
            inside = dict(zip(question.frame.columns, cell, strict=True))
            if tuple(inside[name] for name in figure.by) in figure.left_out:
                continue
            label = tuple(str(inside[name]) if name in figure.by else TOTAL for name in inside)
            found.setdefault(label, []).append(at)
    return found


def fewest(asked: Sequence[Figure], question: Question, own: set[Cell_]) -> int:
    """How many numbers at least any pattern leaves out in which no combination of the others is about groups of `own`
    alone, as far as an integer program proves within a time.

    There is none if and only if for each of them there are changes z of the groups (1 of it, 0 of the others of `own`)
    that no published number shows. In a table with margins those of least support, and what numbers show of them, are
    -1, 0 and 1.
    """
    cells, covers = list(question.frame.groups), list(numbers(asked, question).values())
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
    solved = milp(
        whole.astype(float),
        constraints=shown,
        integrality=whole.astype(int),
        bounds=Bounds(low, high),
        options={"time_limit": SECONDS},
    )
    return math.ceil(solved.mip_dual_bound - CLOSE)


def follow(hidden: set[tuple[str, ...]], own: set[Cell_], asked: Sequence[Figure], question: Question) -> int:
    """How many numbers follow from the others, if small groups have 3 people and the others 50."""
    sizes, made = [SMALL if cell in own else LARGE for cell in question.frame.groups], []
    small = {tuple(map(str, cell)) for cell in own}
    for label, cover in numbers(asked, question).items():
        number, shown = Fraction(sum(sizes[at] for at in cover)), tuple(None if one == TOTAL else one for one in label)
        if label in hidden:
            made.append(Cell(shown, None, None, "x" if label in small else SECONDARY))
        else:
            made.append(Cell(shown, number, number))
    table = PublishedTable("table", question.frame.columns, tuple(made))
    return sum(one.tells for one in audit([table], Convention(), seconds=None).conclusions)


def census() -> tuple[list[Figure], Question]:
    """10,000 people by sex, age and marital status, with all margins; confidential is who lives outside a family."""
    people = Counter[Cell_]()
    for row in records():
        people[row["sex"], row["age_l"], row["lms_l"]] += int(row["freq"])
    outside, names = Where((("lives", OneOf(("outside a family",))),)), ("sex", "age", "marital")
    rates = (("in a family", Fraction(77, 100)), ("outside a family", Fraction(23, 100)))
    asked = Question(
        Frame(names, dict(people)),
        {"lives": Categories(("in a family", "outside a family"))},
        (ColumnBelief("lives", {(): rates}, "national statistics"),),
        Attacker(0, source="drawn"),
        Value(),
        Target(Fraction(1), Fraction(1, 1000)),
    )
    cuts = [some for size in (3, 2, 1, 0) for some in combinations(names, size)]
    return [Figure(f"outside by {' and '.join(cut) or 'nothing'}", "count", None, outside, cut) for cut in cuts], asked


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


def failing(asked: Sequence[Figure], question: Question) -> list:
    """The groups that do not pass."""
    if not asked:
        return []
    found = examine(asked, question, lambda *_: None, witnesses=False).findings
    return [finding for finding in found if finding.verdict != Verdict.PASS]


def without(hidden: set[tuple[str, ...]], asked: Sequence[Figure], question: Question) -> list[Figure]:
    """The figures without these numbers; a label Total is a margin."""
    rest, names = [], question.frame.columns
    for figure in asked:
        every = list(numbers([figure], question))
        gone = [label for label in every if label in hidden]
        cells = [tuple(one for name, one in zip(names, label, strict=True) if name in figure.by) for label in gone]
        if len(gone) < len(every):
            rest.append(figure.without(cells) if cells else figure)
    return rest


if __name__ == "__main__":
    raise SystemExit(main())
