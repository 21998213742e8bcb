"""How figures may be released, from the table to the verdict, at the size of real ones."""

import time
from fractions import Fraction

from benchmarks.claim import Row, at_most
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.judge.group import Target
from dalenius.mechanisms import Chain, OnlyCompared, TwoSidedGeometric
from dalenius.mechanisms.choice import likeliest_rate
from dalenius.mechanisms.earned_count import earned_at, hedged_at
from dalenius.plan import Question, assess
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from dalenius.tables.stances import Hedging, Ordered

MILLION, GROUPS = 1_000_000, 400
RATE, EPSILON = Fraction(3, 10), Fraction(1, 2)
YES = Where((("x", OneOf(("yes",))),))
REGIONS = Categories(tuple(f"r{k}" for k in range(GROUPS)))


def released() -> list[Row]:
    """Seconds of the processor until the verdict, once the table is read."""
    stated = ColumnBelief("x", {(): (("yes", RATE), ("no", 1 - RATE))}, "")
    earned = Chain((earned_at(RATE, EPSILON),))
    law = tuple(((name,), (("yes", RATE), ("no", 1 - RATE))) for name in REGIONS.values)
    hedged = ColumnBelief("x", dict(law), "", ("r",), stance=Hedging(Fraction(1, 1000)))
    hedge = hedged_at(RATE, MILLION // GROUPS, EPSILON, Fraction(1, 1000))
    chosen = Chain((likeliest_rate(RATE, "0.7"),))
    came = RATE / 2 + Fraction(1, 4)  # of answers that a coin kept with a chance of 3/4
    answered = ColumnBelief("x", {(): (("yes", came), ("no", 1 - came))}, "", answered=Fraction(3, 4))
    later = (("yes", (("yes", Fraction(1, 2)), ("no", Fraction(1, 2)))), ("no", (("yes", RATE), ("no", 1 - RATE))))
    chain = ColumnBelief("x", {(): (("yes", RATE), ("no", 1 - RATE))}, "", stance=Ordered("day", later[1][1], later))
    wide = Chain((TwoSidedGeometric(Fraction(12)),))  # about what a quilt asks for
    return [
        _measured("10^6 records in an order, with the noise of a quilt", chain, wide, 0, groups=1),
        _measured(f"10^6 randomised answers in {GROUPS} groups, 0 known", answered, Chain(()), 0),
        _measured(f"10^6 randomised answers in {GROUPS} groups, 100 known", answered, Chain(()), 100),
        _measured(f"10^6 people in {GROUPS} groups, a chosen rate, 0 known", stated, chosen, 0),
        _measured(f"10^6 people in {GROUPS} groups, a chosen rate, 100 known", stated, chosen, 100),
        *(_modelled(known) for known in (0, 100)),
        _measured(f"10^6 people in {GROUPS} groups, hedged", hedged, Chain(() if hedge is None else (hedge,)), 0),
        _measured(f"10^6 people in {GROUPS} groups, exact where earned, 0 known", stated, earned, 0),
        _measured(f"10^6 people in {GROUPS} groups, exact where earned, 100 known", stated, earned, 100),
    ]


def _measured(what: str, belief: ColumnBelief, channel: Chain, known: int, groups: int = GROUPS) -> Row:
    people = {(name,): MILLION // groups + place for place, name in enumerate(REGIONS.values[:groups])}
    figure = Figure("yes", "count", None, YES, ("r",), channel)
    question = Question(
        Frame(("r",), people),
        {"x": Categories(("yes", "no"))},
        (belief,),
        Attacker(known),
        Value(),
        Target(EPSILON, Fraction(1, 10**6)),
    )
    begun = time.process_time()
    findings = assess((figure,), History(), question).findings
    took = time.process_time() - begun
    delta = max(finding.delta.upper for finding in findings)
    verdict = "pass" if all(finding.verdict == "pass" for finding in findings) else "not all pass"
    return at_most(what, took, 60, " s", note=f"delta at most {delta:.3g}, {verdict}")


def _modelled(known: int) -> Row:
    """Which of five models of three values the people of each group follow."""
    shares = ((5, 3, 2), (3, 3, 4), (2, 2, 6), (1, 8, 1), (4, 4, 2))
    models = tuple(tuple(Fraction(share, 10) for share in each) for each in shares)
    labels = ("a", "b", "c")
    channel = Chain((OnlyCompared(len(labels), models=models),))
    people = {(name,): MILLION // GROUPS + place for place, name in enumerate(REGIONS.values)}
    figures = tuple(Figure(label, "count", None, Where((("x", OneOf((label,))),)), ("r",), channel) for label in labels)
    question = Question(
        Frame(("r",), people),
        {"x": Categories(labels)},
        (ColumnBelief("x", {(): tuple(zip(labels, models[0], strict=True))}, ""),),
        Attacker(known),
        Value(),
        Target(EPSILON, Fraction(1, 10**6)),
    )
    begun = time.process_time()
    findings = assess(figures, History(), question).findings
    took = time.process_time() - begun
    delta = max(finding.delta.upper for finding in findings)
    return at_most(
        f"10^6 people in {GROUPS} groups, one of 5 models, {known} known",
        took,
        60,
        " s",
        note=f"delta at most {delta:.3g}",
    )
