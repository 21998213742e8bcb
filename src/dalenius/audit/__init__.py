"""What follows from tables that are already made, with proofs that travel. The namespace can be called: `dl.audit(...)`
audits files and folders (`dalenius.desk.audit.auditing.audit`); its names are what an audit is made of.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dalenius.basics.homes import SPACES, lazily

if TYPE_CHECKING:
    from dalenius.audit.dominance import n_k as n_k
    from dalenius.audit.dominance import p_percent as p_percent
    from dalenius.audit.examination import Examined as Examined
    from dalenius.audit.examination import examine as examine
    from dalenius.audit.findings import CellFinding as CellFinding
    from dalenius.audit.findings import CellStatus as CellStatus
    from dalenius.audit.findings import Findings as Findings
    from dalenius.audit.following import follow as follow
    from dalenius.audit.likelihood import Likely as Likely
    from dalenius.audit.likelihood import likely as likely
    from dalenius.audit.likelihood import odds_moved as odds_moved
    from dalenius.audit.linking import link as link
    from dalenius.audit.people import Found as Found
    from dalenius.audit.people import People as People
    from dalenius.audit.people import Said as Said
    from dalenius.audit.people import What as What
    from dalenius.audit.people import Who as Who
    from dalenius.audit.people import people_that_fit as people_that_fit
    from dalenius.audit.problem import ContradictionError as ContradictionError
    from dalenius.audit.problem import Problem as Problem
    from dalenius.audit.problem import Sought as Sought
    from dalenius.audit.problem import Statement as Statement
    from dalenius.audit.problem import Unknown as Unknown
    from dalenius.audit.reading import read_table as read_table
    from dalenius.audit.remedy import advise as advise
    from dalenius.audit.tables import Convention as Convention
    from dalenius.audit.tables import PublishedTable as PublishedTable

__getattr__, __dir__ = lazily("dalenius.audit", SPACES["audit"])


class _Called(ModuleType):
    """A namespace that can be called."""

    def __call__(self, *tables: Any, **options: Any) -> Any:
        return import_module("dalenius.desk.audit.auditing").audit(*tables, **options)


sys.modules[__name__].__class__ = _Called
