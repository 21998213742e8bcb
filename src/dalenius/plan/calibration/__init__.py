"""The least change that makes something safe: noise, rounding, thresholds, numbers of records, and targets.

`solve`, which is about any mechanism, is not loaded with the rest: a verdict about figures needs none of it.
"""

from dalenius.plan.calibration.error import expected_error
from dalenius.plan.calibration.figure import LADDER, CellCase, FigureSetting, checked_ladder
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
