"""One of several laws, against every choice of laws in small worlds."""

import itertools
from fractions import Fraction
from math import exp

import pandas as pd
import pytest

import dalenius as dl
from amount import spread
from dalenius.basics.errors import SpecError

N = 9


def spec(laws, known=0, epsilon="1", **more):
    return {
        "person": "id",
        "confidential": {"smoker": ["no", "yes"]},
        "beliefs": {"smoker": {"one_of": [{"yes": p, "no": "rest"} for p in laws], "source": "two surveys", **more}},
        "attacker": {"knows": known, "source": "a guess"},
        "target": {"epsilon": epsilon, "delta": "1e-6"},
        "figures": [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}],
    }


def people(n=N):
    return pd.DataFrame({"id": range(n), "smoker": ["yes", "no", "no"] * (n // 3)})


def truth(rates, epsilon):
    """The count of independent people of these rates, against itself and one more."""
    law = [Fraction(1)]
    for rate in rates:
        law = [
            (law[at] * (1 - rate) if at < len(law) else 0) + (law[at - 1] * rate if at else 0)
            for at in range(len(law) + 1)
        ]
    one, two = [*law, Fraction(0)], [Fraction(0), *law]
    return max(
        sum(max(0.0, float(p) - exp(epsilon) * float(q)) for p, q in zip(a, b, strict=True))
        for a, b in ((one, two), (two, one))
    )


CASES = [(laws, known) for laws in (("1/5", "1/2"), ("3/10", "2/5", "1/2"), ("1/10", "9/10")) for known in (0, 2)]


@pytest.mark.slow
@pytest.mark.parametrize(("laws", "known"), spread(CASES, 3))
def test_no_choice_of_laws_tells_more_than_is_printed(tmp_path, laws, known):
    rates = [Fraction(p) for p in laws]
    mixed = [*rates, sum(rates) / len(rates)]
    chosen = itertools.combinations_with_replacement(mixed, N - 1 - known)
    worst = max(truth(some, 1.0) for some in chosen)
    found = dl.decide(spec(laws, known), people(), ledger=tmp_path / "ledger.sqlite", margins=False)
    deltas = [finding.delta for finding in found.as_specified.findings]
    assert max(delta.upper for delta in deltas) >= worst - 1e-12
    assert max(delta.lower for delta in deltas) <= worst + 1e-12


@pytest.mark.slow
def test_near_laws_cost_little_and_the_first_does_not_matter(tmp_path):
    table, ledger = people(3000), tmp_path / "ledger.sqlite"
    both = [
        dl.decide(spec(laws, 30), table, ledger=ledger, margins=False).as_specified.findings[0].delta.upper
        for laws in (("0.3", "0.35"), ("0.35", "0.3"), ("0.3", "0.3"))
    ]
    assert both[0] == pytest.approx(both[1]) and both[2] <= both[0] < 100 * both[2] < 1e-6
    text = " ".join(dl.decide(spec(("0.3", "0.35"), 30), table, ledger=ledger, margins=False).story().split())
    assert "by one of 2 stated laws or any mixture of them (source: two surveys)" in text


@pytest.mark.parametrize(
    ("laws", "more", "told"),
    [
        (("0.3",), {}, "at least two laws"),
        (("0.3", "0.4"), {"within": "0.1"}, "within beside it"),
        (("0.3", "0.4"), {"probabilities": {"yes": "0.3", "no": "rest"}}, "probabilities beside it"),
        (("0.3", "1.4"), {}, "smoker"),
    ],
)
def test_what_is_no_choice_of_laws_is_refused(laws, more, told):
    with pytest.raises(SpecError, match=told):
        dl.decide(spec(laws, **more), people(), margins=False)
