"""How certified numbers move with what was assumed, and how far each assumption may be wrong. Pure mathematics."""

from dalenius.plan.margins.case import Case, Setting
from dalenius.plan.margins.limits import MarginLimit
from dalenius.plan.margins.table import Row, Sensitivity, sensitivity

__all__ = ["Case", "MarginLimit", "Row", "Sensitivity", "Setting", "sensitivity"]
