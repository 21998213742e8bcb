"""May figures go out together? Pure mathematics: no file, no clock, no dice, no confidential value."""

from dalenius.planning.advice import Advice
from dalenius.planning.finding import Finding
from dalenius.planning.judging import Spreader
from dalenius.planning.plan import Plan, Publish, Refuse, Undecided, largest_known, plan, worst_of
from dalenius.planning.question import Progress, Question, Target

__all__ = [
    "Advice",
    "Finding",
    "Plan",
    "Progress",
    "Publish",
    "Question",
    "Refuse",
    "Spreader",
    "Target",
    "Undecided",
    "largest_known",
    "plan",
    "worst_of",
]
