"""The least change that makes something safe: noise, rounding, thresholds, numbers of records, and targets."""

from dalenius.calibration.error import expected_error
from dalenius.calibration.figure import LADDER, Case, Setting, checked_ladder
from dalenius.calibration.noise import NOISES, alone, least_noise
from dalenius.calibration.rounding import least_rounding
from dalenius.calibration.solve import Calibrated, calibrate

__all__ = [
    "LADDER",
    "NOISES",
    "Calibrated",
    "Case",
    "Setting",
    "alone",
    "calibrate",
    "checked_ladder",
    "expected_error",
    "least_noise",
    "least_rounding",
]
