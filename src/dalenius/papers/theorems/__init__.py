"""Every statement of the five papers: true and tested, or refuted by a counterexample that anybody can run.

>>> from dalenius.papers.theorems import catalogue, find
>>> claim = find("KS-3.3.6")[0]
>>> claim.status
<Status.SHARPENED: 'sharpened'>
>>> print(claim(epsilon=1, delta="0.05").delta)
[0.489, 0.4891]
"""

from dalenius.papers.theorems.catalogue import catalogue, find
from dalenius.papers.theorems.theorem import Paper, Status, Theorem, Violation

__all__ = ["Paper", "Status", "Theorem", "Violation", "catalogue", "find"]

catalogue()  # all modules, in the order of the papers, whichever of them is asked for first
