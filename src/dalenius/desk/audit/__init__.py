"""An audit of tables that are already made: reading them, asking what follows, saying it."""

from dalenius.desk.audit.asking import audit_tables
from dalenius.desk.audit.outcome import Audit

__all__ = ["Audit", "audit_tables"]
