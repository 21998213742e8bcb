"""Every kind of figure against all datasets of small worlds: what is certified is never below the truth."""

import random

import pytest

from amount import worlds
from dalenius.desk.spec import build, spec_of
from dalenius.plan import Question
from dalenius.plan.assessment import assess
from dalenius.tables.figures import Frame
from dalenius.tables.history import History
from spec.kinds import KINDS, Kind, Small

WORLDS = worlds(2, 460)  # of each kind: ten thousand in the deep run
CLOSE = 1e-9


def certified(small: Small, kind: Kind) -> float:
    """What is certified of everybody: the largest bound."""
    asked = build(spec_of(small.specification(kind)))
    groups: dict[tuple[object, ...], int] = {}
    for region, weight in small.people:
        row = {"region": region, "w": asked.public["w"].values[int(weight) - 1]}
        cell = tuple(row[name] for name in asked.frame_columns)
        groups[cell] = groups.get(cell, 0) + 1
    question = Question(
        Frame(asked.frame_columns, groups),
        asked.confidential,
        asked.beliefs,
        asked.attacker,
        asked.secret,
        asked.target,
    )
    found = assess(asked.figures, History(), question).findings
    return max((finding.delta.upper for finding in found), default=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_no_kind_of_figure_tells_more_than_is_certified(name: str) -> None:
    dice, kind = random.Random(name), KINDS[name]
    for _ in range(WORLDS):
        small = Small.random(dice, most=4 if len(kind.uses) > 1 else 5)
        assert small.truth(kind.says, kind.uses) <= certified(small, kind) + CLOSE, small
