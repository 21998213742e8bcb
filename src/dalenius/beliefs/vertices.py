"""Yes/no records whose rates may be anything in an interval: the worst of them all, exactly."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.answers import NOTHING, Adds, Answer, AsExact, BoundedBy, Crowded, Inquiry, Remainder, WorstOf
from dalenius.beliefs.belief import SHARE, Belief, Share, known_records, records_of
from dalenius.beliefs.crowd import SpanLaw, YesNo, crowd_of
from dalenius.beliefs.worst import residues
from dalenius.facts.records import Label, exact
from dalenius.numerics.law import point

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

LISTED = 48  # records up to which all vertices are listed where rounding breaks the order of the search


def corners(ends: tuple[Adds, Adds], asked: Inquiry, *, n: int) -> Answer:
    """δ of the worst rates, when every record adds one of two numbers with any rate between those of the two `ends`.

    For an event B, P(S in B) - e^ε P(S + a in B) is linear in the rate of each record. So its largest value over a box
    of rates is at a vertex: m of the n' = n - known - 1 records have the largest rate and the others the least one. The
    same m for every record set, so which records are known does not matter. All m = 0..n' are searched at once:
    they are what is left of n' records of each rate without a run of n' neighbours, and runs are searched by branch
    and bound (`WorstCurve`). The channel is any map of the total, so noise is covered; rounding, where the search does
    not apply, is judged at all vertices if they are few, and else as the exact figure, of which it is a function.
    """
    facts, channel, rest = asked.facts, asked.channel, n - asked.known - 1
    if rest == 0:
        alone = _placed([SpanLaw(point(0), 0, 0)], ends, asked)
        # a place that only stands for others bounds from above
        return BoundedBy((alone,)) if channel.period and facts.anywhere else alone
    if ends[0] == ends[1]:
        return Crowded(crowd_of([ends[0]], [n]))
    # the worst of all vertices is no crowd's own: nothing but δ is to be had from it
    every = WorstOf((Crowded(crowd_of(list(ends), [rest, rest]), known=rest - 1, anywhere=False, adds=frozenset()),))
    if channel.period == 0:
        return every
    steps = range(rest + 1) if rest <= LISTED else (0, rest // 4, rest // 2, 3 * rest // 4, rest)
    crowds = [crowd_of(list(ends), [m, rest - m]) for m in steps]
    laws = [crowd.law((0, 0)) for crowd in crowds if isinstance(crowd, YesNo)]
    placed = _placed(laws, ends, asked)
    exactly = AsExact(every)
    above = (exactly, placed) if rest <= LISTED and not facts.anywhere else (exactly,)
    return BoundedBy(above, () if facts.anywhere else (placed,), facts.reach)


def _placed(laws: Sequence[SpanLaw], ends: tuple[Adds, Adds], asked: Inquiry) -> Answer:
    """The worst of the laws, wherever the known records put a rounded figure: above, by any values of the declared
    domain; below, by those that some rates allow.
    """
    adds = frozenset(at for end in ends for at, chance in end.items() if chance)
    above, below = (
        WorstOf(tuple(Remainder(law, concave=True, places=places_of(some, asked)) for law in laws))
        for some in (adds | asked.facts.adds, adds)
    )
    return BoundedBy((above,), (below,), asked.facts.reach)


def places_of(values: frozenset[int], asked: Inquiry) -> Sequence[int]:
    """Where known records, who add some of these, may put a figure, as far as rounding cares."""
    if not asked.channel.period:
        return (0,)
    return range(asked.channel.period) if asked.facts.anywhere else residues(values, asked.known, asked.channel.period)


@final
class Rates(Belief):
    """n independent yes/no records whose rates are unknown, and may differ, between the two rates of `between`.

    δ is that of the worst rates, and exact: see `corners`.

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

    def answer(self, statistic: "Statistic", asked: Inquiry) -> Answer:
        zero, one = statistic.contribution(0), statistic.contribution(1)
        if not asked.facts.reach:
            return NOTHING
        if zero == one:  # presence of a person moves the figure, and all others add a constant
            laws = [{zero: Fraction(1)}, {zero: Fraction(1)}]
        else:
            laws = [{zero: 1 - rate, one: rate} for rate in self.between]
        return corners((laws[0], laws[1]), asked, n=self.n)

    def __str__(self) -> str:
        low, high = (f"{float(end):g}" for end in self.between)
        return f"independent records with rates from {low} to {high}, n={self.n}, attacker knows {self.known}"
