"""May figures go out together, and what is the least change that lets them? Pure mathematics: no file, no clock, no
dice, no confidential value.

What searches is loaded when it is first used: a verdict does not need it.
"""

from typing import TYPE_CHECKING

from dalenius.basics.homes import lazily
from dalenius.judge.group import Target
from dalenius.plan.assessment import Assessment, assess
from dalenius.plan.finding import Finding
from dalenius.plan.judging import Spreader
from dalenius.plan.outcome import AddNoise, Coarsen, Nearest, Plan, Publish, Refuse, Undecided, verdict_of, worst_of
from dalenius.plan.plan import plan
from dalenius.plan.question import Progress, Question

if TYPE_CHECKING:
    from dalenius.plan.advice import Advice, Remedy
    from dalenius.plan.alternative import Alternative, Change
    from dalenius.plan.known import largest_known

__all__ = [
    "AddNoise",
    "Advice",
    "Alternative",
    "Assessment",
    "Change",
    "Coarsen",
    "Finding",
    "Nearest",
    "Plan",
    "Progress",
    "Publish",
    "Question",
    "Refuse",
    "Remedy",
    "Spreader",
    "Target",
    "Undecided",
    "assess",
    "largest_known",
    "plan",
    "verdict_of",
    "worst_of",
]

__getattr__, __dir__ = lazily(
    "dalenius.plan",
    {
        "plan.advice": ("Advice", "Remedy"),
        "plan.alternative": ("Alternative", "Change"),
        "plan.known": ("largest_known",),
    },
)
