"""Many tables about the same people, judged as one release; and the next release beside a long history."""

import itertools
import time
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from benchmarks.claim import Row, at_most, remark
from dalenius.claims import Verdict
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.plan import Plan, Publish, Question, Target, plan
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History

PEOPLE = {"sex": 2, "age": 4, "region": 4, "education": 3, "household": 3, "citizen": 2}
MORE = {"sex": 2, "age": 6, "region": 8, "education": 3, "household": 3, "citizen": 2}
ANSWERS = {"employed": "3/5", "owner": "1/2", "voted": "2/3", "car": "3/5", "married": "1/2"}
DEMOGRAPHIC, SOCIAL = ("sex", "age", "region"), ("education", "household", "citizen")


def people(count: int, sizes: Mapping[str, int]) -> Frame:
    """Uneven groups: the first values of each column are the most common."""
    source = np.random.default_rng(7)
    columns = []
    for size in sizes.values():
        weights = 1 / (6 + np.arange(size))
        columns.append(source.choice(size, count, p=weights / weights.sum()).tolist())
    return Frame(tuple(sizes), dict(Counter(zip(*columns, strict=True))))


def question(frame: Frame, epsilon: str, delta: str, known: int) -> Question:
    columns = {name: Categories(("no", "yes")) for name in ANSWERS}
    beliefs = tuple(
        ColumnBelief(name, {(): (("no", 1 - Fraction(rate)), ("yes", Fraction(rate)))}, "census")
        for name, rate in ANSWERS.items()
    )
    return Question(frame, columns, beliefs, Attacker(known), Value(), Target(Fraction(epsilon), Fraction(delta)))


def crosstabs(answer: str, pairs: list[tuple[str, ...]]) -> list[Figure]:
    """Tables of those who said yes, with the margins of each."""
    cuts = {cut for pair in pairs for size in range(len(pair) + 1) for cut in itertools.combinations(pair, size)}
    yes = Where(((answer, OneOf(("yes",))),))
    return [Figure(f"{answer} by {' '.join(cut) or 'nothing'}", "count", None, yes, cut) for cut in sorted(cuts)]


def judged(figures: list[Figure], history: list[Figure], asked: Question) -> tuple[Plan, float]:
    """The plan, and the seconds of processor time that it took."""
    started = time.process_time()
    found = plan(figures, History(tuple(history)), asked)
    return found, time.process_time() - started


def counted(found: Plan) -> str:
    """How many groups of people pass, and how."""
    by = Counter(
        "moves" if "moves" in finding.because and finding.verdict == Verdict.PASS else str(finding.verdict)
        for finding in found.findings
    )
    return ", ".join(f"{number} {word}" for word, number in by.most_common())


def linked() -> list[Row]:
    """Forty crosstabs with margins over six public columns; the next release beside ten thousand figures."""
    return [*_forty(), *_next()]


def _forty() -> list[Row]:
    frame = people(20_000, PEOPLE)
    inside = [pair for block in (DEMOGRAPHIC, SOCIAL) for pair in itertools.combinations(block, 2)]
    inside += [DEMOGRAPHIC, SOCIAL]
    figures = [figure for answer in ANSWERS for figure in crosstabs(answer, inside)]
    found, seconds = judged(figures, [], question(frame, "2", "1/500", 20))
    rows = [
        at_most("40 crosstabs with margins, 20,000 people, 6 public columns, in", seconds, 60, " s"),
        at_most("... groups of people that do not pass", sum(f.verdict != Verdict.PASS for f in found.findings), 0),
        remark("... how they pass", counted(found)),
    ]
    every = list(itertools.combinations(PEOPLE, 2))
    figures = [f for answer, n in zip(ANSWERS, (15, 15, 10), strict=False) for f in crosstabs(answer, every[:n])]
    found, seconds = judged(figures, [], question(frame, "2", "1e-2", 0))
    rows.append(at_most("all pairs of columns for three answers (40 crosstabs), in", seconds, 60, " s"))
    rows.append(remark("... how they fare", counted(found)))
    return rows


def _next() -> list[Row]:
    frame = people(1_000_000, MORE)
    source = np.random.default_rng(8)
    history = []
    for place in range(10_000):
        tests = [(name, _some(source, MORE[name])) for name in source.choice(list(MORE), 3, replace=False).tolist()]
        where = Where((*tests, (list(ANSWERS)[place % 2], OneOf(("yes",)))))
        history.append(Figure(f"{place // 20}/{place}", "count", None, where))
    new = crosstabs("employed", [("region", "education")])
    found, seconds = judged(new, history, question(frame, "1", "1e-4", 20))
    return [
        at_most("the next release beside 10,000 figures about 1,000,000 people, in", seconds, 10, " s"),
        remark("... how they fare", f"{'publish' if isinstance(found, Publish) else 'not'}: {counted(found)}"),
    ]


def _some(source: np.random.Generator, size: int) -> OneOf:
    """Some of the values of a column, but not all."""
    return OneOf(tuple(source.choice(size, int(source.integers(1, size)), replace=False).tolist()))
