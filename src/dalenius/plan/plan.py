"""plan(figures, history, ...): may these figures go out together, and if not, what is the least change that lets them?
Pure: it never sees a confidential value.
"""

from collections.abc import Sequence

from dalenius.basics.patience import Left, always
from dalenius.plan.assessment import assess
from dalenius.plan.calibration import LADDER, checked_ladder
from dalenius.plan.judging import Spreader
from dalenius.plan.outcome import Plan
from dalenius.plan.question import Progress, Question
from dalenius.plan.wishes import NOTHING_SPECIAL, Wishes
from dalenius.tables.figures import Figure
from dalenius.tables.history import History


def plan(
    figures: Sequence[Figure],
    history: History,
    question: Question,
    *,
    ladder: Sequence[int] = LADDER,
    progress: Progress = lambda _what, _done, _of: None,
    spread: Spreader | None = None,
    left: Left = always,
    wishes: Wishes = NOTHING_SPECIAL,
) -> Plan:
    """Judge the figures (`assess`); if they do not pass, look for the least change that lets them (`least_change`)."""
    from dalenius.plan.change import least_change

    ladder = checked_ladder(ladder)
    assessed = assess(figures, history, question, progress=progress, spread=spread)
    return least_change(assessed, ladder=ladder, progress=progress, left=left, wishes=wishes)
