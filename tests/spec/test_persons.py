"""Several rows a person as one record a person: judged as the belief about the record says, never below the truth."""

import copy
from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import exp

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import examples
from dalenius.basics.errors import SpecError
from dalenius.desk.session import decide, release_folder
from dalenius.desk.spec import build, spec_of
from dalenius.record.certificate.recheck import recheck

EPSILON = 0.7
SPEC = {
    "person": "patient",
    "public": {"region": ["north", "south"]},
    "rows": {"cost": {"bounds": [0, 3]}, "fever": ["no", "yes"], "day": {"bounds": [0, 9]}},
    "per_person": {
        "visits": {"take": "number of rows", "limits": [1, 3]},
        "spent": {"take": "sum", "of": "cost", "limits": [0, 4]},
        "ever": {"take": "any", "where": "fever = yes"},
        "begun": {"take": "first", "of": "fever", "by": "day"},
    },
    "beliefs": {"visits": {"probabilities": {"1 to 3": 1}, "source": "made so"}},
    "attacker": {"knows": 0, "source": "made so"},
    "target": {"epsilon": str(EPSILON), "delta": "1e-3"},
    "figures": [{"name": "visits", "kind": "sum", "column": "visits", "by": "region"}],
}


def spec(**changes) -> dict:
    return copy.deepcopy({**SPEC, **changes})


def made(**changes) -> dict:
    """The specification with other entries under per_person."""
    return spec(per_person={**SPEC["per_person"], **changes})


# What rows may be: up to two of them, each a cost and a fever -------------------------------------------------------

ROW = list(product(range(3), ("no", "yes")))
LISTS = [(one,) for one in ROW] + list(product(ROW, ROW))
TAKES = {
    "visits": ({"take": "number of rows", "limits": [1, 2]}, lambda rows: min(max(len(rows), 1), 2)),
    "fevers": (
        {"take": "number of rows", "where": "fever = yes", "limits": [0, 1]},
        lambda rows: min(sum(fever == "yes" for _, fever in rows), 1),
    ),
    "spent": ({"take": "sum", "of": "cost", "limits": [1, 3]}, lambda rows: min(max(sum(c for c, _ in rows), 1), 3)),
    "dearest": ({"take": "largest", "of": "cost"}, lambda rows: max(cost for cost, _ in rows)),
    "least": ({"take": "smallest", "of": "cost"}, lambda rows: min(cost for cost, _ in rows)),
    "ill cost": (
        {"take": "sum", "of": "cost", "where": {"fever": "yes"}, "limits": [0, 2]},
        lambda rows: min(sum(cost for cost, fever in rows if fever == "yes"), 2),
    ),
}


@st.composite
def worlds(draw):
    """Persons whose rows follow one law over lists of rows, a column that is made of them, and what is known."""
    name = draw(st.sampled_from(sorted(TAKES)))
    lists = draw(st.lists(st.sampled_from(LISTS), min_size=2, max_size=5, unique=True))
    weights = draw(st.lists(st.integers(1, 5), min_size=len(lists), max_size=len(lists)))
    law = {rows: Fraction(weight, sum(weights)) for rows, weight in zip(lists, weights, strict=True)}
    people = draw(st.integers(2, 4))
    drawn = [draw(st.sampled_from(lists)) for _ in range(people)]
    return name, law, drawn, draw(st.integers(0, people - 1))


def truth(name: str, law: dict, people: int, known: int, domain: list) -> float:
    """The worst delta of the total over all tables of rows: given what the target's record says, and the records of
    those who are known, whatever these say.
    """
    derive = TAKES[name][1]
    others = people - 1 - min(known, people - 1)
    sums: dict[int, Fraction] = defaultdict(Fraction)
    for lists in product(law, repeat=others):  # every table of the rows of those who are unknown
        chance = Fraction(1)
        for rows in lists:
            chance *= law[rows]
        sums[sum(derive(rows) for rows in lists)] += chance
    worst = 0.0
    for one, two in product(domain, repeat=2):
        excess = sum(
            max(0.0, float(sums.get(total - one, 0)) - exp(EPSILON) * float(sums.get(total - two, 0)))
            for total in {value + fact for value in sums for fact in (one, two)}
        )
        worst = max(worst, excess)
    return worst


def compared(world) -> tuple[float, float, float]:
    """The truth, and between which bounds it is certified to be."""
    name, law, drawn, known = world
    derive, people = TAKES[name][1], len(drawn)
    believed: dict[int, Fraction] = defaultdict(Fraction)
    for rows, chance in law.items():
        believed[derive(rows)] += chance
    table = [(who, cost, fever) for who, rows in enumerate(drawn) for cost, fever in rows]
    keys = {"take": TAKES[name][0]["take"], **TAKES[name][0]}
    rows = {"cost": {"bounds": [0, 2]}, "fever": ["no", "yes"]}
    read = {keys.get("of")} | ({"fever"} if "where" in keys else set())
    decision = decide(
        {
            "person": "who",
            "rows": {name: column for name, column in rows.items() if name in read},
            "per_person": {"made": keys},
            "beliefs": {"made": {"probabilities": {str(k): str(v) for k, v in believed.items()}, "source": "so"}},
            "attacker": {"knows": known, "source": "made so"},
            "target": {"epsilon": str(EPSILON), "delta": "1e-9"},
            "figures": [{"name": "total", "kind": "sum", "column": "made"}],
        },
        pd.DataFrame(table, columns=["who", "cost", "fever"]),
        margins=False,
    )
    column = decision.prepared.confidential["made"]
    exact = truth(name, law, people, known, [int(value) for value in column.values])
    (finding,) = decision.as_specified.findings
    return exact, finding.delta.lower, finding.delta.upper


@pytest.mark.slow
@given(world=worlds())
@settings(max_examples=examples(25))
def test_what_is_judged_is_never_below_the_truth_about_the_rows(world) -> None:
    exact, lower, upper = compared(world)
    assert lower - 1e-9 <= exact <= upper + 1e-9


# A release, from rows to the ledger ---------------------------------------------------------------------------------


def visits(people: int = 400) -> pd.DataFrame:
    rows = [(who, row) for who in range(people) for row in range(1 + who * 7 % 4)]
    return pd.DataFrame(
        {
            "patient": [who for who, _ in rows],
            "region": ["north" if who % 2 else "south" for who, _ in rows],
            "cost": [(who + row) % 4 for who, row in rows],
            "fever": ["yes" if (who + 3 * row) % 5 == 0 else "no" for who, row in rows],
            "day": [(who * row) % 10 for who, row in rows],
        }
    )


@pytest.mark.slow
def test_a_release_of_records_is_told_recorded_and_certified(tmp_path) -> None:
    decision = decide(spec(), visits(), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert decision.verdict == "pass"
    told = decision.brief()
    assert "visits is the number of a person's rows, clipped: less than 1 counts as 1, more than 3 as 3." in told
    assert "what is made of several rows of a person is one record, and beliefs are about that" in " ".join(
        told.split()
    )
    published = release_folder(decision.within(0), tmp_path / "out")
    sizes = visits().groupby(["region", "patient"]).size().clip(1, 3).groupby("region").sum()
    assert [int(item.value) for item in published] == [sizes["north"], sizes["south"]]
    certificate = (tmp_path / "out" / "certificate.json").read_text()
    assert "what is made of several rows of a person is one record" in certificate
    assert "clipped: less than 1 counts as 1" in (tmp_path / "out" / "report.html").read_text()
    assert recheck(certificate.encode(), (tmp_path / "out" / "figures.csv").read_bytes()).code == 0

    again = decide(spec(), visits(), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert len(again.past.memory.releases) == 1 and not again.past.doubts
    with pytest.raises(SpecError, match="'visits' was made otherwise when R1 was released"):
        decide(
            made(visits={"take": "number of rows", "limits": [1, 3], "where": "cost >= 1"}),
            visits(),
            ledger=tmp_path / "ledger.sqlite",
            margins=False,
        )
    other = {"ever": {"probabilities": {"yes": 0.5, "no": 0.5}, "source": "so"}}
    later = spec(beliefs=other, figures=[{"name": "ill", "kind": "count", "by": ["region", "ever"]}])
    del later["per_person"]["visits"]
    decision = decide(later, visits(), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert not decision.past.doubts  # the rows still say how many visits there were
    assert "visits and ever are made of the same rows" not in decision.brief()


def test_columns_of_the_same_rows_are_told_to_be_taken_as_independent() -> None:
    beliefs = {**SPEC["beliefs"], "ever": {"probabilities": {"yes": 0.5, "no": 0.5}, "source": "so"}}
    figures = [*SPEC["figures"], {"name": "ill", "kind": "count", "where": {"ever": "yes"}}]
    decision = decide(spec(beliefs=beliefs, figures=figures), visits(), margins=False)
    assert "visits and ever are made of the same rows, and are taken to say nothing" in " ".join(
        decision.brief().split()
    )


@pytest.mark.slow
def test_each_row_a_person_is_an_assumption_that_is_printed(tmp_path) -> None:
    table = pd.DataFrame({"smoker": ["yes", "no", "no"] * 200})
    keys = {
        "person": "each row",
        "confidential": {"smoker": ["no", "yes"]},
        "beliefs": {"smoker": {"probabilities": {"yes": 0.3, "no": 0.7}, "source": "so"}},
        "attacker": {"knows": 5, "source": "so"},
        "target": {"epsilon": 1, "delta": "1e-4"},
        "figures": [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}],
    }
    decision = decide(keys, table, ledger=tmp_path / "ledger.sqlite", margins=False)
    assert decision.verdict == "pass" and decision.persons is None
    line = "each row is a person of its own, and nobody has two: no column says so"
    assert line in " ".join(decision.brief().split())
    assert [int(item.value) for item in release_folder(decision.within(0), tmp_path / "out")] == [200]
    assert line in (tmp_path / "out" / "certificate.json").read_text()
    more = pd.DataFrame({"smoker": ["yes", "no", "no"] * 201})
    assert decide(keys, more, ledger=tmp_path / "ledger.sqlite", margins=False).past.doubts


def test_several_visits_of_a_person_may_be_said_where_one_record_is_made_of_them() -> None:
    assert decide(spec(together="visits"), visits(), margins=False).verdict == "pass"
    with pytest.raises(SpecError, match="Say under per_person"):
        decide({**spec(together="visits"), "per_person": {}, "rows": {}}, visits(), margins=False)


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        (made(spent={"take": "sum", "of": "cost"}), "take: sum needs limits, to which it is clipped"),
        (made(visits={"take": "number of rows"}), "take: number of rows needs limits"),
        (made(spent={"take": "sum", "limits": [0, 4]}), "take: sum needs of"),
        (made(begun={"take": "first", "of": "fever"}), "take: first needs by"),
        (made(ever={"take": "any"}), "take: any needs where"),
        (made(ever={"take": "any", "where": "fever = yes", "limits": [0, 1]}), "limits does not go with take: any"),
        (made(spent={"take": "sum", "of": "fever", "limits": [0, 4]}), "a sum needs numbers, but fever has labels"),
        (made(spent={"take": "sum", "of": "costs", "limits": [0, 4]}), "Did you mean 'cost'"),
        (made(spent={"take": "sum", "of": "cost", "limits": [4, 0]}), "limits needs a low number and a higher one"),
        (made(spent={"take": "sum", "of": "cost", "limits": [0, "0.5"]}), "limits needs multiples of 1"),
        (
            made(visits={"take": "number of rows", "limits": [0, 9], "bins": [1, 3, 5]}),
            "bins needs to cover the limits, 0 to 9, but reaches from 1 to 5",
        ),
        (made(spent={"take": "sum", "of": "cost", "limits": [0, 4], "unit": "0.5"}), "unit needs a multiple of 1"),
        (made(fevers={"take": "number of rows", "where": "fever = yes", "limits": [0, 3]}), "ever follows from fevers"),
        (made(region={"take": "number of rows", "limits": [0, 3]}), "'region' is listed as another column too"),
        (spec(per_person={}), "there is no per_person"),
        (spec(person="each row"), "person is `each row`"),
        (spec(rows={**SPEC["rows"], "more": ["a", "b"]}), "nothing under per_person reads 'more'"),
        (spec(rows={"cost": {"bounds": [0, 3]}, "fever": ["no", "yes"]}), "'day', which is not declared"),
    ],
)
def test_what_cannot_be_meant_is_refused(keys: dict, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        build(spec_of(keys))
    assert says in str(caught.value)
