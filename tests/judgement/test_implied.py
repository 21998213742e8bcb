"""What findings imply for other definitions, whatever is secret: a value, presence, a part of a value, a household."""

from fractions import Fraction

import pandas as pd
import pytest

import dalenius as dl
from dalenius.claims import Notion
from dalenius.claims.conversions import pufferfish_delta
from dalenius.claims.implications import implications
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.secret import ABSENT, pairs
from dalenius.papers.definitions.coupled import coupled_delta, distributional
from dalenius.papers.definitions.simulator import canonical
from dalenius.papers.theorems.cw import total
from dalenius.papers.worlds import Finite

FACTS = {"n": 2000, "pairs": 1, "independent": True, "no_side": True, "one_belief": True, "binary": True}
SPEC = {
    "person": "id",
    "confidential": {"smoker": ["no", "yes"], "income": {"bounds": [0, 9]}},
    "beliefs": {
        "smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"},
        "income": {"probabilities": {"0 to 9": 1}, "source": "a survey"},
    },
    "attacker": {"knows": 0, "source": "nobody is known"},
    "target": {"epsilon": "1", "delta": "1e-6"},
    "figures": [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}],
}
HOME = {"column": "home", "weight": "0.5", "source": "a panel"}
INCOME = [{"name": "incomes", "kind": "sum", "column": "income"}]


@pytest.mark.parametrize(
    ("changes", "notion"),
    [
        ({}, Notion.NOISELESS),
        ({"secret": "presence", "sizes": {"cells": 1900}}, Notion.PRESENCE),
        ({"figures": INCOME, "secret": {"within": {"income": 1}}}, Notion.PUFFERFISH),
        ({"together": HOME}, Notion.PUFFERFISH),
    ],
    ids=["value", "presence", "within", "household"],
)
def test_every_finding_implies_pufferfish_privacy(tmp_path, changes, notion):
    table = pd.DataFrame({"id": range(2000), "smoker": ["yes", "no"] * 1000, "home": [i // 2 for i in range(2000)]})
    table["income"] = [i % 10 for i in range(2000)]
    decision = dl.decide({**SPEC, **changes}, table, ledger=tmp_path / "ledger.sqlite", margins=False)
    assert decision.guarantees
    for guarantee in decision.guarantees:
        assert guarantee.notion is notion
        assert guarantee.implies("Pufferfish privacy").delta.upper == guarantee.delta.upper
        apart = guarantee.implies("total variation")
        assert 0 < apart.delta.upper < 0.5  # (e - 1 + 2δ) / (e + 1)
        assert guarantee.implies("inference-based Pufferfish privacy", binary=True).epsilon.upper == 1.0


def test_presence_of_a_release_and_of_verify_say_the_same():
    belief = dl.IID(p="0.3", n=2000)
    found = dl.verify(dl.Count(), dl.noiseless(belief, secret=dl.Presence()), epsilon=1, delta=1e-6)
    assert found.notion is Notion.PRESENCE
    for end in ("noiseless privacy", "distributional differential privacy", "coupled-worlds privacy"):
        assert found.implies(end, independent=True).delta.upper == found.delta.upper
    with pytest.raises(dl.PreconditionError, match="independent"):
        found.implies("distributional differential privacy")
    with pytest.raises(dl.PreconditionError, match="GK-noiseless-is-not-DP"):
        found.implies("differential privacy", **FACTS)


def test_each_pair_of_facts_has_its_own_notion():
    """The pairs of presence are those of the value and those with absence, and each is hidden at the same level."""
    assert ABSENT is None
    both = set(pairs(dl.Presence(), (1, 2)))
    assert both == set(pairs(dl.Value(), (1, 2))) | set(pairs(dl.PresenceOnly(), (1, 2)))
    belief = dl.IID(values={0: "0.5", 1: "0.3", 2: "0.2"}, n=12)
    found = dl.verify(dl.Sum(), dl.noiseless(belief, secret=dl.Presence()), epsilon="0.5")
    for secret, end in ((dl.Value(), Notion.NOISELESS), (dl.PresenceOnly(), Notion.PRESENCE_ALONE)):
        alone = dl.verify(dl.Sum(), dl.noiseless(belief, secret=secret), epsilon="0.5")
        assert alone.notion is end
        assert alone.delta.lower <= found.implies(end).delta.upper


def test_two_values_are_compared_through_absence():
    belief = dl.IID(values={0: "0.5", 1: "0.3", 2: "0.2"}, n=12)
    found = dl.verify(dl.Sum(), dl.noiseless(belief, secret=dl.PresenceOnly()), epsilon="0.25")
    implied = found.implies("noiseless privacy")
    assert implied.epsilon.upper == 0.5
    assert implied.delta.upper == pytest.approx(
        pufferfish_delta(Fraction(1, 4), found.delta, between=0, apart=Bracket(0.0, 0.0)).upper
    )
    straight = dl.verify(dl.Sum(), dl.noiseless(belief), epsilon="0.5")
    assert straight.delta.lower <= implied.delta.upper


def test_absence_is_the_simulator_that_leaves_the_record_out():
    """Two independent records of a finite world: the count, judged for presence by `verify`, and by enumeration of the
    worlds of distributional privacy with the simulator that publishes the count of the others.
    """
    rate = Fraction(3, 10)
    found = dl.verify(dl.Count(), dl.noiseless(dl.IID(p=rate, n=3), secret=dl.PresenceOnly()), epsilon="0.5")
    worlds = distributional([Finite.product([{0: 1 - rate, 1: rate}] * 3)]).worlds(total)
    true = coupled_delta(worlds, canonical(total, worlds), epsilon="0.5")
    implied = found.implies("distributional differential privacy", independent=True)
    assert true.lower <= implied.delta.upper <= true.upper * (1 + 1e-9)


def test_no_path_leads_from_dependence_to_a_simulator():
    """Records of an order that move together: nothing is said of a simulator."""
    level = (around(Fraction(1), Fraction(1)), around(Fraction(0), Fraction(0)))
    for start in (Notion.NOISELESS, Notion.PRESENCE, Notion.PRESENCE_ALONE):
        assert not implications(start, Notion.DISTRIBUTIONAL, level, {**FACTS, "independent": False})
