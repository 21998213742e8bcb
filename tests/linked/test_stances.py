"""Beliefs about all records at once, against all datasets of small worlds."""

import math
import random
from fractions import Fraction
from itertools import combinations, pairwise, product

import pytest

from amount import repetitions
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.judge.group import Target
from dalenius.mechanisms import Chain, Rounded, RoundedGaussian
from dalenius.plan import Question, assess
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from dalenius.tables.stances import Ordered, Scenarios, Variation

HAIR = 1e-9
LABELS = ("a", "b", "c")


def _law(rng, values):
    weights = [rng.randint(0, 3) for _ in values]
    weights[rng.randrange(len(values))] += 1
    return tuple((value, Fraction(weight, sum(weights))) for value, weight in zip(values, weights, strict=True))


def _figure(rng, base=1):
    labels = rng.choice([("a",), ("a", "b")])
    channel = Chain(()) if base == 1 else Chain((Rounded(base),))
    return Figure("some", "count", None, Where((("x", OneOf(labels)),)), (), channel), labels


def _findings(stance, start, people, known, epsilon, figures, frame=None, more=()):
    belief = ColumnBelief("x", {(): start}, "test", stance=stance)
    columns = {"x": Categories(LABELS), "y": Categories(("no", "yes"))}
    question = Question(
        frame or Frame((), {(): people}),
        columns,
        (belief, *more),
        Attacker(known),
        Value(),
        Target(Fraction(epsilon), Fraction(1, 100)),
    )
    return assess(figures, History(), question).findings


def _truth(worlds, known, epsilon, told):
    """`worlds`: datasets with probabilities. Worst over targets, who is known, what they have, and two values."""
    e, worst = math.exp(epsilon), 0.0
    people = len(next(iter(worlds)))
    for target in range(people):
        others = [place for place in range(people) if place != target]
        for seen in (some for k in range(known + 1) for some in combinations(others, k)):
            laws = {}
            for data, chance in worlds.items():
                if chance:
                    key = tuple(data[place] for place in seen)
                    law = laws.setdefault(key, {}).setdefault(data[target], {})
                    law[told(data)] = law.get(told(data), 0) + chance
            for by_value in laws.values():
                norm = [{k: float(p / sum(law.values())) for k, p in law.items()} for law in by_value.values()]
                for one, other in combinations(norm, 2):
                    for p, q in ((one, other), (other, one)):
                        worst = max(worst, sum(max(0.0, mass - e * q.get(k, 0.0)) for k, mass in p.items()))
    return worst


def _told(labels, base):
    return lambda data: base * math.floor(Fraction(sum(v in labels for v in data), base) + Fraction(1, 2))


@pytest.mark.parametrize("seed", range(repetitions(10, 2000)))
def test_a_chain_is_never_below_all_its_runs(seed):
    rng = random.Random(seed)
    people, known, base = rng.randint(2, 6), rng.randint(0, 1), rng.choice([1, 1, 2])
    start, moves = _law(rng, LABELS), tuple((value, _law(rng, LABELS)) for value in LABELS)
    figure, labels = _figure(rng, base)
    epsilon = rng.choice([Fraction(1, 2), 1])
    (finding,) = _findings(Ordered("day", start, moves), start, people, known, epsilon, (figure,))
    rows = dict(moves)
    worlds = {}
    for data in product(LABELS, repeat=people):
        chance = dict(start)[data[0]]
        for one, two in pairwise(data):
            chance *= dict(rows[one])[two]
        worlds[data] = chance
    truth = _truth(worlds, known, float(epsilon), _told(labels, base))
    assert finding.delta.upper >= truth - HAIR
    assert finding.delta.lower <= truth + HAIR
    if not known and base == 1:
        assert finding.delta.upper <= truth + 1e-6


@pytest.mark.parametrize("seed", range(repetitions(10, 2000)))
def test_a_law_that_nobody_knows_is_never_below_all_datasets(seed):
    rng = random.Random(seed)
    people, known, base = rng.randint(2, 5), rng.randint(0, 1), rng.choice([1, 1, 2])
    weight = Fraction(rng.randint(1, 4), 5)
    one = tuple((v, Fraction(w, 6)) for v, w in zip(LABELS, rng.choice([(1, 2, 3), (4, 1, 1)]), strict=True))
    two = tuple((v, Fraction(w, 6)) for v, w in zip(LABELS, rng.choice([(2, 2, 2), (1, 4, 1)]), strict=True))
    parts = ((weight, one), (1 - weight, two))
    figure, labels = _figure(rng, base)
    epsilon = rng.choice([Fraction(1, 2), 1])
    (finding,) = _findings(Scenarios(parts), one, people, known, epsilon, (figure,))
    worlds = {
        data: sum(share * math.prod((dict(law)[v] for v in data), start=Fraction(1)) for share, law in parts)
        for data in product(LABELS, repeat=people)
    }
    truth = _truth(worlds, known, float(epsilon), _told(labels, base))
    assert finding.delta.upper >= truth - HAIR
    assert finding.delta.lower <= truth + HAIR
    if base == 1:
        assert finding.delta.upper <= truth + HAIR


def test_what_is_believed_of_all_records_is_not_judged_of_a_part_of_them():
    """A second column that is split by region makes groups of people; the chain covers all of them."""
    start = (("a", Fraction(1, 2)), ("b", Fraction(1, 2)), ("c", Fraction(0)))
    stance = Ordered("day", start, tuple((value, start) for value in LABELS))
    frame = Frame(("g",), {("u",): 30, ("v",): 30})
    even = ColumnBelief("y", {(): (("no", Fraction(1, 2)), ("yes", Fraction(1, 2)))}, "test")
    other = Figure("other", "count", None, Where((("y", OneOf(("yes",))),)), ("g",), Chain(()))
    some = Figure("some", "count", None, Where((("x", OneOf(("a",))),)), (), Chain(()))
    found = _findings(stance, start, 60, 0, 1, (some, other), frame, (even,))
    assert {finding.delta.upper for finding in found} == {1.0}
    assert all("all records at once" in finding.because for finding in found)


def test_columns_that_are_independent_of_a_chain_are_composed_with_it():
    start = (("a", Fraction(1, 2)), ("b", Fraction(1, 2)), ("c", Fraction(0)))
    stance = Ordered("day", start, tuple((value, start) for value in LABELS))  # a chain of independent records
    even = ColumnBelief("y", {(): (("no", Fraction(1, 2)), ("yes", Fraction(1, 2)))}, "test")
    other = Figure("other", "count", None, Where((("y", OneOf(("yes",))),)), (), Chain(()))
    some = Figure("some", "count", None, Where((("x", OneOf(("a",))),)), (), Chain(()))
    (by_chain,) = _findings(stance, start, 60, 0, 2, (some, other), more=(even,))
    (by_laws,) = _findings(None, start, 60, 0, 2, (some, other), more=(even,))
    assert by_chain.delta.upper == pytest.approx(by_laws.delta.upper, rel=0.05)


@pytest.mark.parametrize("seed", range(repetitions(4, 300)))
def test_range_and_variance_are_never_below_a_member_of_the_class(seed):
    """Records at the two ends of the range, or anywhere, with at least the stated variance."""
    rng = random.Random(seed)
    people, top, known = rng.randint(3, 9), rng.randint(1, 3), rng.randint(0, 1)
    law = [rng.randint(1, 4) if place in (0, top) else rng.randint(0, 2) for place in range(top + 1)]
    chances = [Fraction(weight, sum(law)) for weight in law]
    mean = sum(place * chance for place, chance in enumerate(chances))
    variance = sum(chance * (place - mean) ** 2 for place, chance in enumerate(chances))
    scale, epsilon = Fraction(rng.randint(1, 4) * top, 2), rng.choice([Fraction(1, 2), 1])
    column = Numbers(Fraction(1), Fraction(0), Fraction(top))
    even = tuple((value, Fraction(1, top + 1)) for value in column.values)
    none = {(): tuple((value, Fraction(0)) for value in column.values)}
    stance = Variation((Fraction(0), Fraction(top)), variance, Fraction(1))
    belief = ColumnBelief("x", {(): even}, "test", least=none, stated=False, widened=True, stance=stance)
    figure = Figure("total", "sum", "x", channel=Chain((RoundedGaussian(scale),)))
    target = Target(Fraction(epsilon), Fraction(1, 100))
    question = Question(Frame((), {(): people}), {"x": column}, (belief,), Attacker(known), Value(), target)
    (finding,) = assess((figure,), History(), question).findings
    rest = [Fraction(1)]
    for _ in range(people - 1 - known):
        rest = [
            sum(rest[k - v] * chances[v] for v in range(top + 1) if 0 <= k - v < len(rest))
            for k in range(len(rest) + top)
        ]

    def normal(at):
        return 0.5 * math.erfc(-at / (float(scale) * math.sqrt(2)))

    wide = range(-12 * top - 20, len(rest) + 12 * top + 20)
    laws = [
        [
            sum(float(p) * (normal(k - j - move + 0.5) - normal(k - j - move - 0.5)) for j, p in enumerate(rest))
            for k in wide
        ]
        for move in (0, top)
    ]
    e = math.exp(epsilon)
    truth = max(sum(max(0.0, p - e * q) for p, q in zip(a, b, strict=True)) for a, b in (laws, laws[::-1]))
    assert finding.delta.upper >= truth - 1e-7
