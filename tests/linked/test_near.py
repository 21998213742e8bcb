"""What of a column is secret, against all pairs of values of small worlds."""

import itertools
import random
from fractions import Fraction
from math import exp

import pytest

from amount import repetitions
from dalenius.basics.errors import InputError
from dalenius.claims import Verdict
from dalenius.facts.near import InIntervals, ListedPairs, Near, WithinPercent, WithinRange, WithinShare
from dalenius.facts.records import Between, Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.judge.group import Target
from dalenius.mechanisms import Chain, Rounded, two_sided_geometric
from dalenius.plan import Question, assess
from dalenius.plan.standing import Standing
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History

HAIR = 1e-9
INCOME = Numbers(Fraction(10), Fraction(0), Fraction(60))
SMOKER = Categories(("no", "yes"))


def compared(relation, one, two):
    """By the words of each secret, in another way than the engine's."""
    match relation:
        case WithinRange(k):
            return abs(one - two) < 4 * k
        case WithinPercent(p):
            least, most = sorted((abs(one), abs(two)))
            return one == two or (one * two > 0 and most * (1 - p / 100) ** 4 < least)
        case WithinShare(points, others):
            return abs(one / (one + others) - two / (two + others)) < 4 * points / 100
        case InIntervals(ends):
            place = [max(at for at, end in enumerate(ends[:-1]) if end <= value) for value in (one, two)]
            return place[0] != place[1]
        case ListedPairs(pairs):
            return (one, two) in pairs or (two, one) in pairs


def truth(law, adds, pairs, others, epsilon, shown=lambda total: total):
    """The worst pair of rows, among independent records of one law: of what each adds, after what is done to it."""
    total = {0: Fraction(1)}
    for _ in range(others):
        more = {}
        for at, p in total.items():
            for row, q in law.items():
                more[at + adds(row)] = more.get(at + adds(row), 0) + p * q
        total = more
    worst = 0.0
    for one, two in pairs:
        told = [{}, {}]
        for place, row in enumerate((one, two)):
            for at, p in total.items():
                out = shown(at + adds(row))
                told[place][out] = told[place].get(out, 0) + p
        worst = max(
            worst, sum(max(0.0, float(p) - exp(epsilon) * float(told[1].get(at, 0))) for at, p in told[0].items())
        )
    return worst


def judged(near, figure, law, n, known, epsilon):
    values = {value: sum(p for (x, _), p in law.items() if x == value) for value in INCOME.values}
    smokes = {value: sum(p for (_, s), p in law.items() if s == value) for value in SMOKER.values}
    beliefs = (
        ColumnBelief("income", {(): tuple(values.items())}, "test"),
        ColumnBelief("smoker", {(): tuple(smokes.items())}, "test"),
    )
    question = Question(
        Frame((), {(): n}),
        {"income": INCOME, "smoker": SMOKER},
        beliefs,
        Attacker(known),
        near,
        Target(Fraction(epsilon), Fraction(1, 10**6)),
    )
    (finding,) = assess([figure], History(), question).findings[-1:]
    return finding.delta


RELATIONS = [
    WithinRange(Fraction(5)),
    WithinRange(Fraction(8)),
    WithinPercent(Fraction(10)),
    WithinPercent(Fraction(35, 2)),
    WithinShare(Fraction(4), Fraction(75)),
    InIntervals((Fraction(0), Fraction(15), Fraction(40), Fraction(70))),
    ListedPairs(((Fraction(0), Fraction(30)), (Fraction(20), Fraction(60)))),
]
SUM = Figure("sum", "sum", "income")
SOME = Figure("some", "sum", "income", Where((("smoker", OneOf(("yes",))),)))
RICH = Figure("rich", "count", None, Where((("income", Between(Fraction(30), None)),)))


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("seed", range(repetitions(1, 200)))
def test_only_facts_that_are_compared_count_and_all_of_them_do(relation, seed):
    rng = random.Random(seed)
    figure = rng.choice([SUM, SOME, RICH])
    masses = [Fraction(rng.randint(1, 5)) for _ in INCOME.values]
    rate = Fraction(rng.randint(2, 8), 10)
    law = {
        (x, s): mass / sum(masses) * (rate if s == "yes" else 1 - rate)
        for x, mass in zip(INCOME.values, masses, strict=True)
        for s in SMOKER.values
    }
    n, known, epsilon = rng.randint(4, 7), rng.randint(0, 1), rng.choice([1, 2])

    def adds(row):
        if figure is RICH:
            return int(row[0] >= 30)
        return int(row[0] / 10) if figure is SUM or row[1] == "yes" else 0

    rows = list(law)
    pairs = [(a, b) for a, b in itertools.permutations(rows, 2) if a[0] == b[0] or compared(relation, a[0], b[0])]
    expected = truth(law, adds, pairs, n - 1 - known, float(epsilon))
    delta = judged(Near((("income", relation),)), figure, law, n, known, epsilon)
    assert delta.upper >= expected - HAIR
    assert delta.upper <= expected * (1 + 1e-6) + HAIR, "no other facts count"


def test_noise_need_only_hide_what_is_compared():
    law = {(x, s): Fraction(1, 14) for x in INCOME.values for s in SMOKER.values}
    near = Near((("income", WithinRange(Fraction(5))),))  # less than 20 apart: one step of 10
    one = Figure("sum", "sum", "income", channel=Chain((two_sided_geometric(1),)))
    assert judged(near, one, law, 3, 0, 1).upper == 0
    assert judged(Near((("income", WithinRange(Fraction(6))),)), one, law, 3, 2, 1).upper > 0


def test_rounding_may_stand_anywhere():
    law = {(x, s): Fraction(1, 14) for x in INCOME.values for s in SMOKER.values}
    near = Near((("income", WithinRange(Fraction(6))),))
    rounded = Figure("sum", "sum", "income", channel=Chain((Rounded(5),)))
    pairs = [(a, b) for a, b in itertools.permutations(law, 2) if abs(a[0] - b[0]) < 24]
    expected = truth(law, lambda row: int(row[0] / 10), pairs, 5, 1.0, lambda total: (2 * total + 5) // 10)
    assert judged(near, rounded, law, 6, 0, 1).upper >= expected - HAIR


def test_columns_of_one_belief_are_compared_with_all():
    """A fact about one of them says something about the other."""
    law = {(x, s): Fraction(1, 14) for x in INCOME.values for s in SMOKER.values}
    belief = ColumnBelief("income", {(): tuple(law.items())}, "test", beside=("smoker",))
    columns = {"income": INCOME, "smoker": SMOKER}
    near = Near((("income", WithinRange(Fraction(5))),))
    target = Target(Fraction(1), Fraction(1, 10**6))
    deltas = [
        assess([SUM], History(), Question(Frame((), {(): 8}), columns, (belief,), Attacker(0), one, target)).findings[
            -1
        ]
        for one in (near, Near((("income", WithinRange(Fraction(50))),)))
    ]
    assert deltas[0].delta == deltas[1].delta
    assert deltas[0].delta.lower == 0  # the worst two values may be ones that may be told apart
    assert deltas[0].witness is None


def two_columns(near, answered=None):
    """Thirty places of 20 people who are asked for income, and of 24 for wealth: columns of one law."""
    values = ("no", "yes")
    law = {(): tuple((value, Fraction(1, 2)) for value in values)} if near is None else None
    law = law or {(): tuple((value, Fraction(1, 7)) for value in INCOME.values)}
    column = Categories(values) if near is None else INCOME
    beliefs = (ColumnBelief("income", law, "test", answered=answered), ColumnBelief("wealth", law, "test"))
    asked = {"income": ("few", 20), "wealth": ("many", 24)}
    figures = [
        Figure(
            name,
            "count" if near is None else "sum",
            None if near is None else name,
            Where((("half", OneOf((half,))), *((name, OneOf(("yes",))) for _ in range(near is None)))),
            ("place",),
        )
        for name, (half, _) in asked.items()
    ]
    people = {(place, half): size for place in range(30) for half, size in asked.values()}
    frame, target = Frame(("place", "half"), people), Target(Fraction(1, 2), Fraction(1, 100))
    columns = dict.fromkeys(asked, column)
    return figures, Question(frame, columns, beliefs, Attacker(0), near or Value(), target)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("near", "answered"), [(Near((("income", WithinRange(Fraction(3))),)), None), (None, Fraction(3, 5))]
)
def test_of_many_groups_none_stands_for_those_of_another_column_with_the_same_law(near, answered):
    """Of one column less is compared, or a coin answered for it: that it passes says nothing about the other."""
    figures, question = two_columns(near, answered)
    alone = assess(figures[1:], History(), question).findings
    assert {finding.verdict for finding in alone} == {Verdict.FAIL}
    for order in (figures, figures[::-1]):
        found = assess(order, History(), question).findings
        verdicts = {finding.verdict for finding in found for told in finding.atom.figures if told.name == "wealth"}
        assert verdicts == {Verdict.FAIL}
    assert Standing(figures[:1], question).ask(figures[1]).verdict != Verdict.PASS


@pytest.mark.parametrize(
    ("relation", "told"),
    [
        (WithinRange(Fraction(0)), "above 0"),
        (WithinRange(Fraction(2)), "a larger number"),
        (WithinPercent(Fraction(100)), "below 100"),
        (WithinPercent(Fraction(1, 3)), "one digit"),
        (WithinShare(Fraction(25), Fraction(100)), "below 25"),
        (WithinShare(Fraction(1), Fraction(0)), "others that add more than 0"),
        (WithinShare(Fraction(1), Fraction(10**12 + 1)), "Round what the others add"),
        (InIntervals((Fraction(0), Fraction(70))), "three rising ends"),
        (InIntervals((Fraction(10), Fraction(20), Fraction(70))), "cover income"),
        (ListedPairs(()), "at least one pair"),
        (ListedPairs(((Fraction(10), Fraction(10)),)), "two different values"),
        (ListedPairs(((Fraction(10), Fraction(15)),)), "two different values"),
    ],
)
def test_a_secret_that_says_nothing_is_refused(relation, told):
    with pytest.raises(InputError, match=told):
        relation.check("income", INCOME)
