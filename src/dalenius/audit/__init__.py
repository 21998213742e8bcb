"""What follows from tables that are already made, with proofs that travel."""

from typing import TYPE_CHECKING

from dalenius.basics.homes import SPACES, lazily

if TYPE_CHECKING:
    from dalenius.audit.findings import Finding as Finding
    from dalenius.audit.findings import Findings as Findings
    from dalenius.audit.findings import Status as Status
    from dalenius.audit.following import follow as follow
    from dalenius.audit.people import Found as Found
    from dalenius.audit.people import People as People
    from dalenius.audit.people import Said as Said
    from dalenius.audit.people import What as What
    from dalenius.audit.people import Who as Who
    from dalenius.audit.people import people_that_fit as people_that_fit
    from dalenius.audit.problem import ContradictionError as ContradictionError
    from dalenius.audit.problem import Problem as Problem
    from dalenius.audit.problem import Statement as Statement
    from dalenius.audit.problem import Target as Target
    from dalenius.audit.problem import Unknown as Unknown

__getattr__, __dir__ = lazily("dalenius.audit", SPACES["audit"])
