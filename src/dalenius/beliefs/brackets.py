"""Beliefs for wide ranges: public histograms of brackets, such as incomes, with equal chances inside each bracket."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_LATTICE
from dalenius.beliefs.answers import Answer, AsExact, BoundedBy, Crowded, Inquiry, Proved
from dalenius.beliefs.belief import Belief, Share, known_records
from dalenius.beliefs.crowd import crowd_of
from dalenius.beliefs.wide import WideCrowd, WideCurve
from dalenius.beliefs.worst import AsItIs
from dalenius.enclosure.formats import apart, nearly
from dalenius.facts.records import Label, Numbers, Steps, exact, whole
from dalenius.facts.secret import Facts, Pair, Secret, Within
from dalenius.facts.statistics import Count, Mean, Sum
from dalenius.numerics.runs import Runs, RunSum

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

Number: TypeAlias = float | str | Fraction
Bracket: TypeAlias = tuple[Number, Number, Number] | tuple[Number, Number, Number, Number]
Run: TypeAlias = tuple[int, int, int, Fraction]  # first, step, count and weight, in units of the domain

NARROW = 1000  # values up to which they are simply listed
SHORT = 40_000  # and the standard deviation, in units, up to which the law of the sum is


@final
class Brackets(Belief):
    """Independent records whose values have a histogram of brackets: (low, high, weight), both ends included.

    Inside a bracket all multiples of `unit` are equally likely; a fourth number is another step, for values that are
    coarser: (0, 9000, "0.2", 1000) are the multiples of 1000 up to 9000. Brackets may overlap: chances add up. The
    weights are exact and sum to one. `bounds` declare the domain of values, if it is wider than the brackets. Give
    `histogram` and `n`, or `groups`, a list of (histogram, how many).

    >>> print(Brackets([(0, 49_999, "0.7"), (50_000, 999_999, "0.3")], n=10_000, known=0.1))
    independent records with a histogram of 2 brackets from 0 to 999999, n=10000, attacker knows 1000
    """

    def __init__(
        self,
        histogram: Iterable[Bracket] | None = None,
        *,
        n: int | None = None,
        groups: Iterable[tuple[Iterable[Bracket], int]] | None = None,
        unit: Number = 1,
        bounds: tuple[Number, Number] | None = None,
        known: Share = 0,
    ) -> None:
        if (histogram is None) == (groups is None) or (histogram is None) != (n is None):
            raise InputError(
                "Brackets needs either a histogram and n=..., or groups=[(histogram, count), ...]. Give one of them."
            )
        self.unit = exact(unit, name="The unit")
        listed = [(histogram, n)] if histogram is not None and n is not None else list(groups or ())
        listed = [(some, whole(count, name="The number of records")) for some, count in listed]
        for _, count in listed:
            if count < (1 if histogram is not None else 0):
                raise InputError(f"A histogram needs a number of at least one record, but got {count}. Correct it.")
        merged: dict[tuple[Run, ...], int] = {}
        for brackets, count in listed:
            runs = tuple(_runs(brackets, self.unit))
            merged[runs] = merged.get(runs, 0) + count
        self.groups = tuple((runs, count) for runs, count in merged.items() if count)
        self.n = sum(count for _, count in self.groups)
        if not self.n:
            raise InputError("A belief needs at least one record, but got none. Without records nothing is hidden.")
        self.values = self._declared(bounds)
        self.known = known_records(known, self.n)

    def _declared(self, bounds: tuple[Number, Number] | None) -> Steps:
        runs = [run for runs, _ in self.groups for run in runs]
        low, high = min(first for first, *_ in runs), max(first + step * (count - 1) for first, step, count, _ in runs)
        given = (
            (low * self.unit, high * self.unit) if bounds is None else tuple(exact(b, name="A bound") for b in bounds)
        )
        column = Numbers(self.unit, given[0], given[1])  # which checks them
        if given[0] > low * self.unit or given[1] < high * self.unit:
            raise InputError(
                f"The bounds must hold all brackets, which reach from {low * self.unit} to {high * self.unit}, but got "
                f"{given[0]} to {given[1]}. Widen them."
            )
        return Steps(column.lower, self.unit, column.size)

    @property
    def resolution(self) -> int:
        return 1 if len(self.values) <= NARROW else max(1, self.n // 200)

    @property
    def assumes(self) -> tuple[str, ...]:
        return ("inside each bracket all values of its step are equally likely", *super().assumes)

    @property
    def breaks(self) -> str:
        return (
            "values that are rounded or heaped (multiples of 1000) where the histogram does not say so; "
            "records that move together (households, repeated visits)"
        )

    def domain(self) -> Sequence[Label | Fraction]:
        return self.values

    def pairs_of(self, statistic: "Statistic", secret: Secret) -> Facts:
        if isinstance(statistic, Count):
            return self._count_facts(statistic, secret)
        if isinstance(statistic, Sum | Mean) and not self._narrow(statistic):
            statistic.contribution(self.values[0]), statistic.contribution(self.values[min(1, len(self.values) - 1)])
            return Facts.every(secret, self.values, statistic.unit)
        return super().pairs_of(statistic, secret)

    def _count_facts(self, statistic: Count, secret: Secret) -> Facts:
        """A count is 0 or 1, whatever the number of values; two neighbours that differ are near enough for any k."""
        hits = sum(_holds(self.values, value) for value in statistic.of)
        both = [1] if hits == len(self.values) else [0, 1] if hits else [0]
        if isinstance(secret, Within):
            Facts.every(secret, self.values, self.unit)  # which checks k
            return Facts(tuple(Pair(a, 1 - a) for a in (0, 1)) if len(both) == 2 else (), adds=frozenset(both))
        return Facts.of(secret, both)

    @property
    def route(self) -> str:
        return "law over a wide range"

    def answer(self, statistic: "Statistic", asked: Inquiry) -> Answer:
        if getattr(asked.channel, "choice", None) is not None:  # a choice is a function of the figure
            before = replace(asked, channel=AsItIs())
            return BoundedBy((AsExact(self.answer(statistic, before)),))
        key = (statistic, self.groups)
        known_ones = self.__dict__.setdefault("_crowds", {})
        if isinstance(statistic, Count) or self._narrow(statistic):
            if key not in known_ones:
                laws = [self._law(runs, statistic) for runs, _ in self.groups]
                known_ones[key] = crowd_of(laws, [count for _, count in self.groups])
            return Crowded(known_ones[key])
        crowd = WideCrowd(
            tuple(Runs.of(runs) for runs, _ in self.groups),
            tuple(tuple(run[3] for run in runs) for runs, _ in self.groups),
            tuple(count for _, count in self.groups),
        )
        facts = asked.facts
        wide = WideCurve(crowd, facts.pairs[0], facts.grain, asked.channel, asked.known, asked.enough)
        return Proved(wide, "the law of a sum over a wide range, on cells of its lattice")

    def _narrow(self, statistic: "Statistic") -> bool:
        """Whether values and totals may be listed one by one."""
        if len(self.values) > LARGEST_LATTICE // 50_000 and not isinstance(statistic, Sum | Mean):
            raise InputError(
                f"Of a range of {len(self.values)} values the sum, the mean or a count can be judged, but got a "
                f"{statistic}. Choose one of these, or a coarser unit."
            )
        if len(self.values) > NARROW:
            return False
        total = RunSum.of([Runs.of(runs) for runs, _ in self.groups], [count for _, count in self.groups])
        return total.variance <= SHORT**2

    def _law(self, runs: Sequence[Run], statistic: "Statistic") -> dict[int, Fraction]:
        """What a record adds, with probabilities."""
        law: dict[int, Fraction] = {}
        if isinstance(statistic, Count):
            hit = sum((weight * _share(run, statistic, self.unit) for run in runs for weight in run[3:]), Fraction(0))
            return {0: 1 - hit, 1: hit}
        for first, step, count, weight in runs:
            for place in range(first, first + step * count, step):
                at = statistic.contribution(place * self.unit)
                law[at] = law.get(at, Fraction(0)) + weight / count
        return law

    def __str__(self) -> str:
        brackets = {len(runs) for runs, _ in self.groups}
        many = f"{len(self.groups)} histograms" if len(self.groups) > 1 else f"a histogram of {max(brackets)} brackets"
        low, high = (nearly(self.values[place], 15) for place in (0, -1))
        return f"independent records with {many} from {low} to {high}, n={self.n}, attacker knows {self.known}"


def _runs(brackets: Iterable[Bracket], unit: Fraction) -> Iterable[Run]:
    total, found = Fraction(0), list[Run]()
    for bracket in brackets:
        if len(bracket) not in (3, 4):
            raise InputError(
                f"A bracket is (low, high, weight) or (low, high, weight, step), but got {bracket}. Correct it."
            )
        low, high = (exact(end, name="The end of a bracket") for end in bracket[:2])
        weight = exact(bracket[2], name="The weight of a bracket")
        step = exact(bracket[3], name="The step of a bracket") if len(bracket) == 4 else unit
        if step <= 0 or high < low or (high - low) % step or low % unit or step % unit:
            raise InputError(
                f"A bracket holds the numbers from low to high, both included, in steps that are multiples of the unit "
                f"{unit}, but got {low} to {high} in steps of {step}. Write (0, 9999, weight), not (0, 10000, weight), "
                "before a bracket that begins at 10000, and keep to the lattice."
            )
        if not 0 <= weight <= 1:
            raise InputError(
                f"Weights must lie between 0 and 1, but {low} to {high} has {apart(weight, 1)}. Correct it."
            )
        total += weight
        if weight:
            count = int((high - low) / step) + 1
            found.append((int(low / unit), int(step / unit) if count > 1 else 1, count, weight))
    if total != 1:
        raise InputError(
            f'Weights must sum to 1, but they sum to {apart(total, 1)}. Correct them; write thirds as "1/3".'
        )
    return sorted(found)


def _holds(values: Steps, value: Label | Fraction) -> bool:
    if isinstance(value, str):
        return False
    place = (exact(int(value) if isinstance(value, bool) else value, name="value") - values.lower) / values.unit
    return place.denominator == 1 and 0 <= place < len(values)


def _share(run: Run, statistic: Count, unit: Fraction) -> Fraction:
    """The part of a run that is counted."""
    first, step, count, _ = run
    line = Steps(first * unit, step * unit, count)
    return Fraction(sum(_holds(line, value) for value in statistic.of), count)
