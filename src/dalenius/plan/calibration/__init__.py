"""The least change that makes something safe: noise, rounding, thresholds, numbers of records, and targets.

What searches is loaded when it is first used: a verdict does not need it.
"""

from typing import TYPE_CHECKING

from dalenius.basics.homes import lazily
from dalenius.plan.calibration.figure import LADDER, CellCase, FigureSetting, checked_ladder

if TYPE_CHECKING:
    from dalenius.plan.calibration.error import expected_error
    from dalenius.plan.calibration.noise import alone, least_noise
    from dalenius.plan.calibration.rounding import least_rounding

__all__ = [
    "LADDER",
    "CellCase",
    "FigureSetting",
    "alone",
    "checked_ladder",
    "expected_error",
    "least_noise",
    "least_rounding",
]

__getattr__, __dir__ = lazily(
    "dalenius.plan.calibration",
    {
        "plan.calibration.error": ("expected_error",),
        "plan.calibration.noise": ("alone", "least_noise"),
        "plan.calibration.rounding": ("least_rounding",),
    },
)
