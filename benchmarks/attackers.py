"""Who attacks and what is secret, in the words of a specification, at the size of real ones."""

import time
from dataclasses import replace
from typing import Any

from benchmarks.claim import Row, at_most
from dalenius.desk.spec import build, spec_of
from dalenius.facts.near import OfHousehold
from dalenius.facts.secret import Household, hides_presence
from dalenius.plan import Question, assess
from dalenius.tables.figures import Frame

MILLION = 1_000_000
COUNT = [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}]
BASE = {
    "data": "people.csv",
    "person": "id",
    "confidential": {"smoker": ["no", "yes"], "income": {"bounds": [0, 40]}},
    "beliefs": {
        "smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"},
        "income": {"probabilities": {"0 to 40": 1}, "source": "tax tables"},
    },
    "attacker": {"knows": "1%", "source": "a guess"},
    "target": {"epsilon": "0.5", "delta": "1e-9"},
    "figures": [{"name": "income", "kind": "sum", "column": "income"}],
}
RICH = {"name": "rich smokers", "kind": "count", "where": {"smoker": "yes", "income": {"at_least": 20}}}
HISTOGRAM = {"name": "smokers and others", "kind": "count", "by": "smoker"}
TURNOVER = {"name": "turnover", "kind": "sum", "column": "income", "noise": {"geometric": 14}}
HOMES = {"column": "home", "weight": "0.5", "source": "a panel"}
LAWS = [{"yes": "0.3", "no": "rest"}, {"yes": "0.2", "no": "rest"}]
MEMBERS = {"of": "household", "members": {"smoker": {"having": "yes", "pairs": [[0, 1]]}}}
THERE = {**HOMES, "households": MILLION // 5, "largest": 4}


def attackers() -> list[Row]:
    """Seconds of the processor until the verdict, once the table is read."""
    scenarios = {"smoker": {"scenarios": LAWS, "source": "two surveys"}}
    return [
        _measured("the share of a business in a total", secret={"share": {"income": {"points": 1, "others": 100}}}),
        _measured("two scenarios", beliefs=scenarios, figures=COUNT),
        _measured(
            "the total of a household to within ±2", together=HOMES, secret={"of": "household", "within": {"income": 2}}
        ),
        _measured("how many of a household smoke", together=HOMES, secret=MEMBERS, figures=COUNT),
        _measured(
            "who of a household is there", together=THERE, secret="presence", sizes={"cells": MILLION}, figures=COUNT
        ),
        _measured("noise beside an exact figure", figures=[*COUNT, {**RICH, "noise": {"geometric": 20}}]),
        _measured("noise beside a count that is out", figures=[{**RICH, "noise": {"geometric": 20}}], published=COUNT),
        _measured(
            "a value to within ±2, whatever is believed",
            secret={"within": {"income": 2}},
            beliefs={"income": "unknown"},
            figures=[TURNOVER],
        ),
        _measured(
            "a histogram of which counts are earned",
            attacker={"knows": "0", "source": "nobody was asked"},
            figures=[{**HISTOGRAM, "earned": {"between": ["0.2", "0.8"], "scale": "2"}}],
        ),
    ]


def _measured(what: str, **words: Any) -> Row:
    """10^6 people, in households of four where they move together."""
    begun = time.process_time()
    asked = build(spec_of({**BASE, **words}))
    frame, secret = Frame((), {(): MILLION}), asked.secret
    if asked.together is not None:
        frame = replace(frame, together=replace(asked.together, coins={(): MILLION // 4}))
        only = secret if isinstance(secret, OfHousehold) else None
        secret = Household(4, presence=hides_presence(secret), only=only)
    question = Question(frame, asked.confidential, asked.beliefs, asked.attacker, secret, asked.target)
    findings = assess(asked.figures, asked.history, question).findings
    took = time.process_time() - begun
    delta = max(finding.delta.upper for finding in findings)
    verdict = "pass" if all(finding.verdict == "pass" for finding in findings) else "not all pass"
    return at_most(f"10^6 people: {what}", took, 10, " s", note=f"delta at most {delta:.3g}, {verdict}")
