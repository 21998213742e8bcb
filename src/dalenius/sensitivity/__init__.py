"""How certified numbers move with what was assumed, and how far each assumption may be wrong. Pure mathematics."""

from dalenius.sensitivity.case import Case, Setting
from dalenius.sensitivity.limits import Limit
from dalenius.sensitivity.table import Row, Sensitivity, sensitivity

__all__ = ["Case", "Limit", "Row", "Sensitivity", "Setting", "sensitivity"]
