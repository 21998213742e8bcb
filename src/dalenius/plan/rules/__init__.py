"""What a rule of thumb is worth, as certified (ε, δ), and which rule a target needs.

>>> import dalenius as dl
>>> print(dl.rules.worth(dl.rules.Threshold(20), epsilon=1).delta)
[9.154e-6, 9.155e-6]
>>> dl.rules.threshold_needed(epsilon=1, delta=1e-6)
26
"""

from dalenius.plan.rules.designed import Designed, design
from dalenius.plan.rules.dice import CellKeys, Fixed, RandomRounding, RandomRule, RandomWorth, Then, averaged, price
from dalenius.plan.rules.differences import difference_curve, difference_needed
from dalenius.plan.rules.rule import CENSUS_2000, CENSUS_COUNTS, SUPPRESS_1_TO_10, Graded, Midpoint, Rule, Threshold
from dalenius.plan.rules.sums import SumRule, dominance, p_percent
from dalenius.plan.rules.worth import (
    GROUP,
    Attack,
    Worth,
    as_json,
    attack,
    base_needed,
    table,
    threshold_needed,
    worth,
    worths,
)

__all__ = [
    "CENSUS_2000",
    "CENSUS_COUNTS",
    "GROUP",
    "SUPPRESS_1_TO_10",
    "Attack",
    "CellKeys",
    "Designed",
    "Fixed",
    "Graded",
    "Midpoint",
    "RandomRounding",
    "RandomRule",
    "RandomWorth",
    "Rule",
    "SumRule",
    "Then",
    "Threshold",
    "Worth",
    "as_json",
    "attack",
    "averaged",
    "base_needed",
    "design",
    "difference_curve",
    "difference_needed",
    "dominance",
    "p_percent",
    "price",
    "table",
    "threshold_needed",
    "worth",
    "worths",
]
