"""Samples of a known population, against all samples of small ones."""

import math
import random
from fractions import Fraction
from itertools import combinations, product

import pytest

from amount import repetitions
from dalenius.claims import Verdict
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Presence, Value
from dalenius.judge.group import Target
from dalenius.mechanisms import Chain, Rounded, TwoSidedGeometric
from dalenius.plan import Question, assess
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from dalenius.tables.sample import DrawnBy

HAIR = 1e-9
LABELS = ("a", "b", "c")


def _count(name, labels, channel=None, by=("g",)):
    return Figure(name, "count", None, Where((("x", OneOf(labels)),)), by, channel or Chain(()))


def _judged(members, sample, known, epsilon, figures):
    """All findings; the shares are those of the population."""
    table = {
        cell: tuple((label, Fraction(some.count(label), len(some))) for label in LABELS)
        for cell, some in members.items()
    }
    belief = ColumnBelief("x", table, "test", by=("g",))
    question = Question(
        Frame(("g",), sample.members, sample=sample),
        {"x": Categories(LABELS)},
        (belief,),
        Attacker(known),
        Presence() if sample.secret else Value(),
        Target(Fraction(epsilon), Fraction(1, 100)),
    )
    return assess(figures, History(), question).findings


def _delta(one, other, epsilon):
    e = math.exp(epsilon)
    return max(
        sum(max(0.0, p - e * q.get(key, 0.0)) for key, p in some.items() for q in (rest,))
        for some, rest in ((one, other), (other, one))
    )


def _law(ways, told):
    """Of (weight, who was drawn), what is published."""
    found, whole = {}, sum(weight for weight, _ in ways)
    for weight, drawn in ways:
        key = told(drawn)
        found[key] = found.get(key, 0.0) + float(weight / whole)
    return found


def _truth(members, drawn_ways, secret, known, epsilon, told):
    """Worst over targets, what is known of others, and facts. `told(value of each member, who was drawn)`."""
    n, worst = len(members), 0.0
    for target in range(n):
        others = [member for member in range(n) if member != target]
        for seen in (some for k in range(known + 1) for some in combinations(others, k)):
            for which in product((False, True), repeat=len(seen)):
                fits = [
                    (weight, drawn)
                    for weight, drawn in drawn_ways
                    if all((member in drawn) == inside for member, inside in zip(seen, which, strict=True))
                ]
                inside = [(weight, drawn) for weight, drawn in fits if target in drawn]
                outside = [(weight, drawn) for weight, drawn in fits if target not in drawn]
                laws = []
                if inside:
                    for label in LABELS:
                        values = [*members[:target], label, *members[target + 1 :]]
                        laws.append(_law(inside, lambda drawn, values=values: told(values, drawn)))
                    own = laws[LABELS.index(members[target])]
                    if secret and outside:
                        worst = max(worst, _delta(own, _law(outside, lambda drawn: told(members, drawn)), epsilon))
                for one, other in combinations(laws, 2):
                    worst = max(worst, _delta(one, other, epsilon))
    return worst


def _population(rng, size):
    members = [rng.choice(LABELS) for _ in range(size)]
    members[:2] = ["a", "b"]
    return members


@pytest.mark.parametrize("seed", range(repetitions(10, 2000)))
def test_simple_samples_are_never_below_all_samples_and_close(seed):
    """One number of each stratum: at most the figure of one kind of member, exact or rounded."""
    rng = random.Random(seed)
    members = _population(rng, rng.randint(4, 7))
    size, known, secret = rng.randint(1, len(members) - 1), rng.randint(0, 1), rng.random() < 0.5
    epsilon, base = rng.choice([Fraction(1, 2), 1, 2]), rng.choice([1, 1, 2])
    labels = rng.choice([("a",), ("a", "b")])
    sample = DrawnBy("simple", ("g",), {("u",): len(members)}, "test", secret=secret, drawn={("u",): size})
    channel = Chain(()) if base == 1 else Chain((Rounded(base),))
    (finding,) = _judged({("u",): members}, sample, known, epsilon, (_count("some", labels, channel),))

    def told(values, drawn):
        return base * math.floor(Fraction(sum(values[member] in labels for member in drawn), base) + Fraction(1, 2))

    ways = [(Fraction(1), frozenset(drawn)) for drawn in combinations(range(len(members)), size)]
    truth = _truth(members, ways, secret, known, float(epsilon), told)
    assert finding.delta.upper >= truth - HAIR
    assert finding.delta.lower <= truth + HAIR
    if base == 1:
        assert finding.delta.upper <= truth + HAIR


@pytest.mark.parametrize("seed", range(repetitions(8, 2000)))
def test_samples_by_coins_are_never_below_all_samples(seed):
    """Several numbers at once, with rates that differ between strata."""
    rng = random.Random(seed)
    strata = {("u",): _population(rng, rng.randint(2, 4)), ("v",): _population(rng, rng.randint(2, 3))}
    rates = {cell: Fraction(rng.randint(1, 4), 5) for cell in strata}
    known, epsilon = rng.randint(0, 1), rng.choice([Fraction(1, 2), 1, 2])
    sizes = {cell: len(some) for cell, some in strata.items()}
    sample = DrawnBy("independent", ("g",), sizes, "test", rates)
    by = rng.choice([(), ("g",)])
    figures = [_count("some", ("a",), by=by), _count("others", ("b",), by=by), _count("both", ("a", "b"), by=())]
    figures = figures[: rng.randint(1, 3)]
    findings = _judged(strata, sample, known, epsilon, tuple(figures))
    cells = [cell for cell, some in strata.items() for _ in some]
    members = [label for some in strata.values() for label in some]

    def told(values, drawn):
        return tuple(
            sum(values[m] in labels and (not split or cells[m] == cell) for m in drawn)
            for labels, split in ((("a",), by), (("b",), by), (("a", "b"), ()))[: len(figures)]
            for cell in (strata if split else [None])
        )

    ways = []
    for inside in product((False, True), repeat=len(members)):
        chance = math.prod(
            (rates[cell] if there else 1 - rates[cell] for cell, there in zip(cells, inside, strict=True)),
            start=Fraction(1),
        )
        ways.append((chance, frozenset(m for m, there in enumerate(inside) if there)))
    truth = _truth(members, ways, True, known, float(epsilon), told)
    assert max(finding.delta.upper for finding in findings) >= truth - HAIR


def test_several_numbers_of_a_simple_sample_are_left_open():
    sample = DrawnBy("simple", ("g",), {("u",): 900}, "test", drawn={("u",): 300})
    figures = (_count("some", ("a",)), _count("others", ("b",)))
    (finding,) = _judged({("u",): list("abc" * 300)}, sample, 0, 1, figures)
    assert (finding.delta.upper, finding.verdict) == (1, Verdict.REVIEW)
    assert "several numbers" in finding.because


def test_noise_does_not_hide_who_was_drawn_by_itself():
    """Others are drawn instead of somebody, so that the figure moves by the difference of two people."""
    sample = DrawnBy("simple", ("g",), {("u",): 6}, "test", secret=True, drawn={("u",): 5})
    noisy = _count("some", ("a",), Chain((TwoSidedGeometric(Fraction(1, 2)),)))
    (finding,) = _judged({("u",): list("aabbcc")}, sample, 0, 1, (noisy,))
    assert finding.delta.upper > 0
