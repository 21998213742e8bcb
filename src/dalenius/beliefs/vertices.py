"""Yes/no records whose rates may be anything in an interval: the worst of them all, exactly."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import SHARE, Belief, Share, crowd_of, known_records, records_of
from dalenius.beliefs.crowd import SpanLaw, YesNo
from dalenius.beliefs.worst import AsItIs, Push, WorstCurve, curve_of, residues
from dalenius.facts.records import Label, exact
from dalenius.facts.secret import Facts
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.curve import Constant, Curve, Enclosed, Supremum
from dalenius.numerics.law import point
from dalenius.numerics.mixing import Guarded

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

LISTED = 48  # records up to which all vertices are listed where rounding breaks the order of the search


@final
@dataclass(frozen=True, slots=True, eq=False)
class VertexCurve(Curve):
    """The worst of the vertices, as a curve of its own: no one crowd attains all of it."""

    vertices: WorstCurve

    def delta(self, epsilon: Fraction) -> Bracket:
        return self.vertices.delta(epsilon)


def vertex_curve(
    ends: tuple[Mapping[int, Fraction], Mapping[int, Fraction]],
    facts: Facts,
    channel: Push,
    *,
    n: int,
    known: int,
    enough: Fraction | None = None,
) -> Curve:
    """δ of the worst rates, when every record adds one of two numbers with any rate between those of the two `ends`.

    For an event B, P(S in B) - e^ε P(S + a in B) is linear in the rate of each record. So its largest value over a box
    of rates is at a vertex: m of the n' = n - known - 1 records have the largest rate and the others the least one. The
    same m for every record set, so which records are known does not matter. All m = 0..n' are searched at once:
    they are what is left of n' records of each rate without a run of n' neighbours, and runs are searched by branch
    and bound (`WorstCurve`). The channel is any map of the total, so noise is covered; rounding, where the search does
    not apply, is judged at all vertices if they are few, and else as the exact figure, of which it is a function.
    """
    rest = n - known - 1
    moved = facts.reach
    if rest == 0:
        alone = _placed([SpanLaw(point(0), 0, 0)], ends, facts, channel, known=known)
        # a place that only stands for others bounds from above
        return Enclosed(Constant(0.0), alone) if channel.period and facts.anywhere else alone
    if ends[0] == ends[1]:
        crowd, anywhere = crowd_of([ends[0]], [n]), facts.anywhere
        return WorstCurve(crowd, facts.pairs, channel, known, enough, anywhere=anywhere, adds=facts.adds)
    if channel.period == 0:
        crowd = crowd_of(list(ends), [rest, rest])
        return VertexCurve(WorstCurve(crowd, facts.pairs, channel, rest - 1, enough))
    exactly = vertex_curve(ends, facts, AsItIs(), n=n, known=known, enough=enough)
    steps = range(rest + 1) if rest <= LISTED else (0, rest // 4, rest // 2, 3 * rest // 4, rest)
    crowds = [crowd_of(list(ends), [m, rest - m]) for m in steps]
    laws = [crowd.law((0, 0)) for crowd in crowds if isinstance(crowd, YesNo)]
    placed = _placed(laws, ends, facts, channel, known=known)
    above = (exactly, placed) if rest <= LISTED and not facts.anywhere else (exactly,)
    return Guarded(above, () if facts.anywhere else (placed,), channel.pure(moved))


def _placed(
    laws: Sequence[SpanLaw],
    ends: tuple[Mapping[int, Fraction], Mapping[int, Fraction]],
    facts: Facts,
    channel: Push,
    *,
    known: int,
) -> Curve:
    """The worst of the laws, wherever the known records put a rounded figure: above, by any values of the declared
    domain; below, by those that some rates allow.
    """
    adds = frozenset(at for end in ends for at, chance in end.items() if chance)
    both: list[Curve] = []
    for some in (adds | facts.adds, adds):
        offsets: Sequence[int] = (0,)
        if channel.period:
            offsets = range(channel.period) if facts.anywhere else residues(some, known, channel.period)
        curves = (curve_of(law, facts.pairs, channel, log_concave=True, offsets=offsets) for law in laws)
        both.append(Supremum(tuple(curves)))
    return Guarded((both[0],), (both[1],), channel.pure(facts.reach))


@final
class Rates(Belief):
    """n independent yes/no records whose rates are unknown, and may differ, between the two rates of `between`.

    δ is that of the worst rates, and exact: see `vertex_curve`.

    >>> import dalenius as dl
    >>> belief = Rates(between=(0.02, 0.3), n=10_000, known=0.2)
    >>> print(dl.verify(dl.Count(), dl.noiseless(belief), epsilon=1).delta)
    [4.266e-22, 4.267e-22]
    """

    def __init__(self, between: Iterable[float | str | Fraction], *, n: int, known: Share = 0) -> None:
        if isinstance(between, str) or not isinstance(between, Iterable):
            raise InputError(
                f"Rates needs between=(lo, hi), two rates, but got {between!r}. Write between=(0.02, 0.3) if "
                "everybody's rate is from 2 % to 30 %; for one rate that is known, use IID(p=0.3, n=...)."
            )
        ends = [exact(end, name="A rate") for end in between]
        if len(ends) != 2 or not 0 <= ends[0] <= ends[1] <= 1:
            raise InputError(
                f"Rates needs between=(lo, hi) with 0 ≤ lo ≤ hi ≤ 1, but got {', '.join(map(str, ends)) or 'nothing'}. "
                "Write between=(0.02, 0.3) if everybody's rate is from 2 % to 30 %."
            )
        n = records_of(n)
        if n < 1:
            raise InputError(f"Rates needs at least one record, but got n={n}. Without records, nothing is to hide.")
        self.between = (ends[0], ends[1])
        self.n, self.known = n, known_records(known, n)

    @property
    def assumes(self) -> tuple[str, ...]:
        return "records are independent; their rates may differ, and be any of the stated interval", SHARE

    def domain(self) -> Sequence[Label | Fraction]:
        return (0, 1)

    @property
    def route(self) -> str:
        return "worst corner of the box of rates"

    def curve(
        self, statistic: "Statistic", facts: Facts, channel: Push, *, known: int, enough: Fraction | None = None
    ) -> Curve:
        zero, one = statistic.contribution(0), statistic.contribution(1)
        if not facts.reach:
            return Constant(0.0)
        if zero == one:  # presence of a person moves the figure, and all others add a constant
            laws = [{zero: Fraction(1)}, {zero: Fraction(1)}]
        else:
            laws = [{zero: 1 - rate, one: rate} for rate in self.between]
        return vertex_curve((laws[0], laws[1]), facts, channel, n=self.n, known=known, enough=enough)

    def __str__(self) -> str:
        low, high = (f"{float(end):g}" for end in self.between)
        return f"independent records with rates from {low} to {high}, n={self.n}, attacker knows {self.known}"
