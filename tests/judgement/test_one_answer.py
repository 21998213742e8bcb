"""One question, one answer: whatever a specification can say of one figure, `verify` and a release answer alike.

The bracket is the same to the last digit, or that of the release lies inside: it also knows that rounding tells no more
than what it rounds, and that noise hides a record whatever else is believed. A mean needs a public number of records;
and where presence is secret a release knows sizes from below only, so that what is rounded may stand anywhere.
"""

from collections.abc import Mapping
from fractions import Fraction

import pytest

import dalenius as dl
from amount import spread
from dalenius.facts.records import Categories, Label, Numbers, OneOf, Where
from dalenius.mechanisms import Chain, Channel
from dalenius.numerics.proportions import least_shares
from dalenius.plan import Question, Target
from dalenius.plan.examination import examine
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame

F = Fraction
Law = Mapping[Label, Fraction]
WANTED = F(1, 10**6)
YES_NO: Law = {0: F("0.82"), 1: F("0.18")}
THREE: Law = {0: F(1, 2), 1: F(3, 10), 2: F(1, 5)}
COUNTS = {0: 4100, 1: 900}

STATISTICS = {
    "count": (Figure("f", "count", None, Where((("c", OneOf((1,))),))), dl.Count()),
    "sum": (Figure("f", "sum", "c"), dl.Sum()),
    "mean": (Figure("f", "mean", "c"), dl.Mean()),
}
CHANNELS = {
    "exact": (),
    "rounded": (dl.Rounded(3),),
    "geometric": (dl.two_sided_geometric(2),),
    "gaussian": (dl.discrete_gaussian(3),),
    "normal": (dl.rounded_gaussian(2),),
    "noisy and rounded": (dl.two_sided_geometric(1), dl.Rounded(2)),
}


def shares(counts: Mapping[int, int]) -> Law:
    return {value: F(count, sum(counts.values())) for value, count in counts.items()}


def beliefs(law: Law, n: int, known: Fraction) -> dict[str, tuple[Law, Law | None, dl.Belief]]:
    """What a specification says (the stated law, and what no probability is below), and what Python calls it."""
    near = {value: max(chance - F(1, 50), F(0)) for value, chance in law.items()}
    weight = sum(near.values(), F(0))
    found: dict[str, tuple[Law, Law | None, dl.Belief]] = {
        "stated": (law, None, dl.IID(values=law, n=n, known=known)),
        "weight": (
            law,
            {value: chance * F(4, 5) for value, chance in law.items()},
            dl.AtLeast(law, weight="0.8", n=n, known=known),
        ),
        "within": (
            law,
            near,
            dl.AtLeast({v: p / weight for v, p in near.items()}, weight=weight, n=n, known=known),
        ),
    }
    if len(law) == 2:
        ends = dict(zip(COUNTS, least_shares(list(COUNTS.values()), F(1, 1000)), strict=True))
        found["counts"] = (shares(COUNTS), ends, dl.Estimated(COUNTS, confidence="0.999", n=n, known=known))
    return found


def released(
    figure: Figure, law: Law, least: Law | None, secret: dl.Value | dl.Presence, n: int, **more: Fraction
) -> dl.Bracket:
    column = Categories(tuple(law)) if figure.kind == "count" else Numbers(F(1), F(min(law)), F(max(law)))
    belief = ColumnBelief(
        "c", {(): tuple(law.items())}, "a source", least=None if least is None else {(): tuple(least.items())}
    )
    question = Question(
        Frame((), {(): n}), {"c": column}, (belief,), Attacker(more["known"]), secret, Target(more["epsilon"], WANTED)
    )
    (finding,) = examine([figure], question, lambda _what, _done, _of: None).findings
    return finding.delta


BELIEFS = ("stated", "weight", "within", "counts")
EVERY = [
    (belief, kind, channel, secret)
    for belief in BELIEFS
    for kind in STATISTICS
    for channel in CHANNELS
    for secret in (dl.Value(), dl.Presence())
    if not (isinstance(secret, dl.Presence) and (kind == "mean" or any(link.period for link in CHANNELS[channel])))
]


@pytest.mark.slow
@pytest.mark.parametrize(("belief", "kind", "channel", "secret"), spread(EVERY, 20))
def test_a_release_is_judged_as_verify_judges(
    belief: str, kind: str, channel: str, secret: dl.Value | dl.Presence
) -> None:
    links: tuple[Channel, ...] = CHANNELS[channel]
    figure, statistic = STATISTICS[kind]
    mechanism = statistic
    for link in links:
        mechanism = mechanism >> link
    named = Figure(figure.name, figure.kind, figure.column, figure.where, (), Chain(links))
    law = YES_NO if kind == "count" or belief == "counts" else THREE
    sizes = ((150, F(1, 10), F(1, 2)), (40, F(1, 20), F(1)))
    for n, known, epsilon in sizes[channel != "exact" :]:
        stated, least, python = beliefs(law, n, known)[belief]
        mine = released(named, stated, least, secret, n, known=known, epsilon=epsilon)
        theirs = dl.curve(mechanism, dl.noiseless(python, secret=secret), enough=WANTED).delta(epsilon)
        if channel == "exact":
            assert mine == theirs or (theirs.lower <= mine.lower and mine.upper <= theirs.upper)
        assert theirs.lower <= mine.lower * (1 + 1e-12) or mine.upper < theirs.upper
        assert mine.upper <= theirs.upper
        assert mine.lower <= mine.upper


# The five questions that two engines once answered differently: [belief, epsilon, verdict].
@pytest.mark.slow
@pytest.mark.parametrize(
    ("belief", "n", "epsilon", "verdict"),
    [
        ("weight", 10_000, "0.110", "pass"),
        ("counts", 10_000, "0.1", "fail"),
        ("weight", 1000, "0.4", "fail"),
        ("counts", 10_000, "0.5", "pass"),
        ("weight of three", 1000, "0.44", "pass"),
        ("weight of three", 1000, "0.6", "pass"),
    ],
)
def test_questions_that_were_answered_differently(belief: str, n: int, epsilon: str, verdict: str) -> None:
    kind = "sum" if belief == "weight of three" else "count"
    figure, statistic = STATISTICS[kind]
    if belief == "weight of three":
        law, least = THREE, {value: chance * F(7, 10) for value, chance in THREE.items()}
        python: dl.Belief = dl.AtLeast(THREE, weight="0.7", n=n, known=0.05)
    else:
        law, least, python = beliefs(YES_NO, n, F(1, 20))[belief]
    mine = released(figure, law, least, dl.Value(), n, known=F(1, 20), epsilon=F(epsilon))
    theirs = dl.curve(statistic, dl.noiseless(python), enough=WANTED).delta(F(epsilon))
    assert theirs.lower <= mine.lower and mine.upper <= theirs.upper
    assert mine.certainly_at_most(WANTED) == (verdict == "pass")
    assert mine.certainly_above(WANTED) == (verdict == "fail")
