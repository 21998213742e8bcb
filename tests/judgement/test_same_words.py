"""One judge, the other words: what a specification says of samples, orders, laws that nobody knows, hedged beliefs, one
of several laws, little that is known, near values and small counts hidden, through `verify` and through `decide`.

The same bracket to the last digit; or the release's one is tighter, and its route says why.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import dalenius as dl
from amount import spread
from dalenius.mechanisms import Mechanism, SmallCountsHidden

N = 60
LAW = {0: Fraction(7, 10), 1: Fraction(3, 10)}
OTHER = {0: Fraction(1, 2), 1: Fraction(1, 2)}
MOVES = {0: {0: Fraction(9, 10), 1: Fraction(1, 10)}, 1: {0: Fraction(3, 10), 1: Fraction(7, 10)}}
NUMBERS = {0: Fraction(2, 5), 1: Fraction(1, 5), 2: Fraction(1, 5), 3: Fraction(1, 5)}
POPULATION = {0: 140, 1: 60}
PLACES = (3, 17, 18)
VALUE, ABSENCE = dl.Value(), dl.Presence()


def said(law: Mapping[int, Fraction]) -> dict[str, str]:
    return {{0: "no", 1: "yes"}[value]: str(chance) for value, chance in law.items()}


@dataclass(frozen=True)
class Words:
    """The keys of a specification, and the same belief and secret in Python; how many records are known."""

    keys: dict[str, object]
    belief: dl.Belief
    secret: object = VALUE
    known: int = 0
    kind: str = "count"


def words(known: int) -> dict[str, Words]:
    """Each of them with so many known records, where it can be said of it."""
    scenarios = [
        {"weight": str(w), "probabilities": said(law)} for w, law in ((Fraction(1, 3), LAW), (Fraction(2, 3), OTHER))
    ]
    chain = {"start": said(OTHER), "moves": {{0: "no", 1: "yes"}[at]: said(law) for at, law in MOVES.items()}}
    sample = {"of": sum(POPULATION.values()), "source": "a register"}
    smoker = {"probabilities": said({at: Fraction(n, 200) for at, n in POPULATION.items()})}
    amounts = {"probabilities": {str(value): str(chance) for value, chance in NUMBERS.items()}}
    found = {
        "order": Words({"smoker": {"order": "day", **chain}}, dl.Markov(start=OTHER, moves=MOVES, n=N, known=known)),
        "nobody knows": Words(
            {"smoker": {"nobody_knows": scenarios}},
            dl.Mixture(
                [(Fraction(1, 3), dl.IID(values=LAW, n=N)), (Fraction(2, 3), dl.IID(values=OTHER, n=N))], known=known
            ),
        ),
        "one of": Words({"smoker": {"one_of": [said(LAW), said(OTHER)]}}, dl.Hull([LAW, OTHER], n=N, known=known)),
        "variance": Words(
            {"amount": {"variance": "1/2"}},
            dl.beliefs.RangeVariance(n=N, bounds=(0, 3), variance=Fraction(1, 2), known=known),
            kind="sum",
        ),
        "within": Words(
            {"amount": amounts}, dl.IID(values=NUMBERS, n=N, known=known), dl.Within(Fraction(1, 2)), kind="sum"
        ),
        "sample, secret": Words(
            {"smoker": smoker, "sample": {**sample, "design": "simple"}},
            dl.Sampled(POPULATION, size=N, known=known),
            ABSENCE,
        ),
        "sample, known": Words(
            {"smoker": smoker, "sample": {**sample, "design": "simple", "taking_part": "known"}},
            dl.Sampled(POPULATION, size=N, known=known),
        ),
        "sample of coins": Words(
            {"smoker": smoker, "sample": {**sample, "design": "Bernoulli", "rate": "0.3"}},
            dl.Sampled(POPULATION, rate=Fraction(3, 10), participation="secret", known=known),
            ABSENCE,
        ),
    }
    if known == len(PLACES):
        keys = {"smoker": {"order": {"column": "day", "known": list(PLACES)}, **chain}}
        found["order, these known"] = Words(keys, dl.Markov(start=OTHER, moves=MOVES, n=N, known_at=PLACES))
    if not known:
        found["hedged"] = Words({"smoker": {**smoker, "hedged": "0.1"}}, dl.beliefs.Hedged(LAW, weight="0.1", n=N))
    return {name: Words(one.keys, one.belief, one.secret, known, one.kind) for name, one in found.items()}


CHANNELS: dict[str, tuple[dict[str, object], tuple[object, ...]]] = {
    "exact": ({}, ()),
    "rounded": ({"round": 5}, (dl.Rounded(5),)),
    "geometric": ({"noise": {"geometric": 2}}, (dl.two_sided_geometric(2),)),
    "gaussian": ({"noise": {"gaussian": 2}}, (dl.discrete_gaussian(2),)),
    "normal": ({"noise": {"normal": 2}}, (dl.rounded_gaussian(2),)),
    "noise, then rounding": ({"noise": {"geometric": 2}, "round": 5}, (dl.two_sided_geometric(2), dl.Rounded(5))),
    "small ones hidden": ({"hide": {"below": 10, "zeros": "shown"}}, (SmallCountsHidden(10, "shown"),)),
}
COUNTED = ("small ones hidden",)  # what is done to counts only
# Whoever is drawn by a coin may be absent, and near values are told by how far they are apart: there a release judges
# rounding at every place.
LOOSER = {("sample of coins", "rounded"), ("within", "rounded")}
COMBINATIONS = [
    (name, channel, known)
    for known in (0, 3)
    for name, channel in itertools.product(words(known), CHANNELS)
    if words(known)[name].kind == "count" or channel not in COUNTED
]


def table() -> pd.DataFrame:
    smoker = ["yes" if i % 3 == 0 else "no" for i in range(N)]
    return pd.DataFrame({"id": range(N), "day": range(N), "smoker": smoker, "amount": [i % 4 for i in range(N)]})


def specification(one: Words, channel: str, epsilon: str) -> dict[str, object]:
    column = "smoker" if one.kind == "count" else "amount"
    keys = {name: {**value, "source": "a survey"} for name, value in one.keys.items() if name != "sample"}
    what = {"where": {"smoker": "yes"}} if one.kind == "count" else {"column": "amount"}
    secret = {"within": {"amount": "1/2"}} if isinstance(one.secret, dl.Within) else "value"
    return {
        "person": "id",
        "confidential": {column: ["no", "yes"] if one.kind == "count" else {"bounds": [0, 3]}},
        "beliefs": keys,
        "attacker": {"knows": one.known, "source": "a guess"},
        **({} if "sample" in one.keys else {"secret": secret}),
        **({"sample": one.keys["sample"]} if "sample" in one.keys else {}),
        "target": {"epsilon": epsilon, "delta": "1e-3"},
        "figures": [{"name": "it", "kind": one.kind, **what, **CHANNELS[channel][0]}],
    }


@pytest.mark.slow
@pytest.mark.parametrize(("name", "channel", "known"), spread(COMBINATIONS, 16), ids=str)
def test_verify_and_decide_say_the_same_of_the_other_words(name: str, channel: str, known: int, tmp_path: Path) -> None:
    one = words(known)[name]
    statistic = {"count": dl.Count(), "sum": dl.Sum()}[one.kind]
    mechanism = Mechanism(statistic, CHANNELS[channel][1])
    for epsilon in ("0.3", "1"):
        decision = dl.decide(specification(one, channel, epsilon), table(), ledger=tmp_path / "l.sqlite", margins=False)
        (finding,), (guarantee,) = decision.as_specified.findings, decision.guarantees
        definition = dl.noiseless(one.belief, secret=one.secret)
        assert (guarantee.delta, guarantee.verdict) == (finding.delta, finding.verdict)
        assert guarantee.route
        if name == "variance" and channel != "normal":  # then noise has to hide a record by itself, if there is any
            hidden = dl.verify(mechanism, dl.differential_privacy(domain=list(NUMBERS)), epsilon=epsilon).delta.upper
            assert finding.delta.lower == 0
            assert hidden <= finding.delta.upper <= hidden * (1 + 1e-9)
            assert (hidden < 1) == ("noise" in CHANNELS[channel][0])
            with pytest.raises(dl.PreconditionError):
                dl.verify(mechanism, definition, epsilon=epsilon)
            continue
        alone = dl.verify(mechanism, definition, epsilon=epsilon, delta="1e-3")
        mine, theirs = finding.delta, alone.delta
        assert mine.lower <= theirs.upper
        assert theirs.lower <= mine.upper
        if (name, channel) not in LOOSER:
            assert mine.upper <= theirs.upper * (1 + 1e-12), (mine, theirs, guarantee.route, alone.route)
            assert finding.verdict == dl.Verdict.PASS or alone.verdict != dl.Verdict.PASS
