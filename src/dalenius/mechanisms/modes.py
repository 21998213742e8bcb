r"""How much the most frequent value reveals, under independent records of one law.

Few records, or few cells: every histogram is listed, and the curve is exact. Otherwise pair by pair: a record in cell a
makes a the most frequent value only if a was one record behind the former winner b (or level with it, if b wins ties),
so that

$$ \delta(\epsilon) \le \sum_{b \ne a} P(h_a - h_b = -1 \text{ or } 0), $$

where h_a - h_b is a sum of independent steps of -1, 0 and 1, whose law is computed. Known records move it.
"""

import math
from fractions import Fraction
from typing import Literal, final

import numpy as np

from dalenius.basics.errors import require
from dalenius.beliefs.belief import IID
from dalenius.beliefs.crowd import YesNo, crowd_of
from dalenius.enclosure.outward import raised
from dalenius.facts.secret import BOTH, Presence, PresenceOnly, Secret, Value
from dalenius.facts.statistics import Count
from dalenius.mechanisms.choice import Majority
from dalenius.mechanisms.chosen import chosen_curve
from dalenius.mechanisms.models import Mode
from dalenius.mechanisms.selected import by_histograms, listable, tightened
from dalenius.mechanisms.wrong_models import Among, Bounded
from dalenius.numerics.coupling import FAR
from dalenius.numerics.curve import Constant, Curve, Supremum
from dalenius.numerics.intervals import Intervals

VALUE = Value()


def mode_curve(release: Mode, belief: IID, *, secret: Secret = VALUE) -> Curve:
    """δ(ε) of the most frequent value. With `PresenceOnly` for a secret: that of the canonical simulator.

    Exact where all histograms can be listed (three cells: up to some 20,000 records), else an upper bound.

    >>> import dalenius as dl
    >>> votes = dl.IID(values={"red": "0.4", "blue": "0.35", "green": "0.25"}, n=1000)
    >>> print(dl.mechanisms.mode_curve(dl.mechanisms.mode("red", "blue", "green"), votes).delta(0))
    [0.005318, 0.005319]
    """
    if isinstance(secret, Presence):
        return Supremum(tuple(mode_curve(release, belief, secret=one) for one in BOTH))
    chances = dict(belief.marginal)
    missing = [value for value in chances if value not in release.values]
    require(not missing, f"records among {list(release.values)}", got=missing, remedy="List every value.")
    if len(release.values) == 2:
        ties: Literal["yes", "no"] = "no" if release.ties == "first" else "yes"
        count = Count(of=frozenset({release.values[1]}))
        return chosen_curve(count >> Majority(ties), belief, secret, known=belief.known)
    law = tuple(chances.get(value, Fraction(0)) for value in release.values)
    among = Among(belief.n, belief.known, noiseless=not isinstance(secret, PresenceOnly))
    targets = [place for place, value in enumerate(release.values) if value in belief.domain()]
    if among.noiseless and len(targets) < 2:
        return Constant(0.0)
    listed, bound = listable(release, [law], among), pairwise_curve(release, law, among)
    if listed is False:
        return bound
    if listed:
        return by_histograms(release, [law], among, targets=targets)
    return tightened(by_histograms(release, [law], among, targets=targets, nearby=True), bound)


def pairwise_curve(release: Mode, law: tuple[Fraction, ...], among: Among) -> Bounded:
    """The bound by pairs. Two values of a record are each compared with its absence. Cost O(cells²) laws."""
    cells, ahead = range(len(release.values)), _Leads(law, among)
    moved = [math.fsum(_overtakes(release, ahead, a, b) for b in cells if b != a) for a in cells]
    worst = sum(sorted(moved)[-2:]) if among.noiseless else max(moved)
    return Bounded(min(1.0, raised(worst, 4)))


def _overtakes(release: Mode, ahead: "_Leads", a: int, b: int) -> float:
    """An upper bound on the probability that one more record in cell a takes it past b, which led before, whatever is
    known: then neither was behind any third cell, but for that one record.
    """
    found = ahead.exactly(a, b, -1 if release.wins_ties(a, b) else 0)
    for c in set(range(len(release.values))) - {a, b}:
        found = min(found, ahead.at_least(b, c, 0), ahead.at_least(a, c, -1))
    return found


@final
class _Leads:
    """Laws of h_a - h_b over the unknown records, and what the known ones may add."""

    def __init__(self, law: tuple[Fraction, ...], among: Among) -> None:
        self._law, self._among = law, among
        self._found: dict[tuple[int, int], Intervals] = {}

    def _lead(self, a: int, b: int) -> Intervals:
        if (a, b) not in self._found:
            steps = {1: self._law[a], -1: self._law[b], 0: 1 - self._law[a] - self._law[b]}
            crowd = crowd_of([steps], [self._among.others])
            whole = crowd.law((0, 0) if isinstance(crowd, YesNo) else (0,)).spread_out()
            self._found[a, b] = Intervals.of(whole)
        return self._found[a, b]

    def exactly(self, a: int, b: int, lead: int) -> float:
        """An upper bound on P(h_a - h_b = lead), at the worst that is known."""
        wanted = lead - np.arange(-self._known(b), self._known(a) + 1)
        return float(self._lead(a, b).between(wanted, wanted + 1)[1].max())

    def at_least(self, a: int, b: int, lead: int) -> float:
        """An upper bound on P(h_a - h_b >= lead), likewise."""
        return float(self._lead(a, b).between(np.array([lead - self._known(a)]), np.array([FAR]))[1][0])

    def _known(self, cell: int) -> int:
        """How many of the known records may be in a cell: none where the belief holds that impossible."""
        return self._among.known if self._law[cell] else 0
