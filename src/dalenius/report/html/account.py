"""All that the report tells, and what an attacker could learn about one person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.guarantees import Verdict
from dalenius.numerics.decimals import DIGITS
from dalenius.planning import Finding, Plan, Publish, Question
from dalenius.records import Column, Either, Label, OneOf
from dalenius.report.figures import Published
from dalenius.report.grounds import used_beliefs
from dalenius.report.html.chart import Chart
from dalenius.report.html.curves import charts, gauge, sure_epsilon
from dalenius.report.imprint import Imprint
from dalenius.tables.figures import Figure

PRIORS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))


@final
@dataclass(frozen=True, slots=True)
class Learning:
    """What the figures can teach about one person: odds move by at most e^ε, except with this probability (None if that
    was not computed); `rows` say so for beliefs that people may have.
    """

    epsilon: Fraction
    chance: float | None
    rows: tuple[tuple[str, Fraction], ...]


@final
@dataclass(frozen=True, slots=True)
class Policed:
    """The policy that a release was held to."""

    name: str
    demands: tuple[str, ...]
    unused: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Account:
    """A decision, with all that the report says about it. `published` is None unless the figures are out."""

    plan: Plan
    question: Question
    figures: tuple[Figure, ...]
    history: tuple[Figure, ...]
    public: Mapping[str, Column]
    version: str
    largest_known: int | None = None
    published: Sequence[Published] | None = None
    sha256: str = ""
    policies: tuple[Policed, ...] = ()
    charts: tuple[Chart, ...] = ()
    learning: Learning | None = None
    notes: tuple[str, ...] = ()
    imprint: Imprint = field(kw_only=True)
    _covered: dict[str, list[Finding]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def verdict(self, figure: Figure) -> Verdict:
        """How one figure fares: refused if it is part of what reveals too much, for review if people in it are."""
        mine = self._about(figure)
        if any(finding.verdict == Verdict.FAIL and _part(finding, figure) for finding in mine):
            return Verdict.FAIL
        return Verdict.PASS if all(finding.verdict == Verdict.PASS for finding in mine) else Verdict.REVIEW

    def worst(self, figure: Figure) -> Finding | None:
        """The group of people for whom a figure tells most."""
        return max(self._about(figure), key=lambda finding: finding.delta.upper, default=None)

    def _about(self, figure: Figure) -> list[Finding]:
        """The groups of people that a new figure covers, all found at once: there may be thousands of groups."""
        if not self._covered:
            self._covered.update({new.name: [] for new in self.figures})
            for finding in self.plan.findings:
                names = [entry.figure.name for entry in finding.atom.entries]
                for name in self._covered.keys() & names:
                    self._covered[name].append(finding)
        return self._covered[figure.name]


def _part(finding: Finding, figure: Figure) -> bool:
    return finding.reveals is None or any(entry.figure == figure for _, entry in finding.reveals)


Measured: TypeAlias = tuple[tuple[Chart, ...], Learning | None]


def measured(plan: Plan, question: Question, figures: Sequence[Figure], largest: int | None) -> Measured:
    """The charts of a decision (none where they would take too long), and what an attacker could learn if the figures
    go out: certified where all groups of people can be looked at.
    """
    measure = gauge(plan, question)
    drawn = tuple(charts(measure, largest)) if measure else ()
    epsilon = question.target.epsilon
    if not isinstance(plan, Publish) or not plan.findings or not epsilon:
        return drawn, None
    chance = None
    if measure is not None and measure.every:
        epsilon, chance = sure_epsilon(measure)
    usual = [(f"anything held to be {_percent(p)} likely", p) for p in PRIORS]
    return drawn, Learning(epsilon, chance, (*_beliefs(question, figures), *usual))


def _beliefs(question: Question, figures: Sequence[Figure]) -> list[tuple[str, Fraction]]:
    """Facts that figures count, with the smallest and the largest stated probability."""
    found: list[tuple[str, Fraction]] = []
    for belief in used_beliefs(question, figures):
        values = [value for figure in figures for name, value in _counted(figure) if name == belief.column]
        for value in dict.fromkeys(values):
            chances = [dict(law).get(value, Fraction(0)) for law in belief.table.values()]
            ends = {min(chances): "rarest" if len(set(chances)) > 1 else "", max(chances): "most common"}
            for chance, where in ends.items():
                if 0 < chance < 1:
                    told = f", where it is {where}" if where and len(ends) > 1 else ""
                    found.append((f"{belief.column} = {value}{told}", chance))
    return found


def _counted(figure: Figure) -> list[tuple[str, Label | Fraction]]:
    plain = [item for item in figure.where.tests if not isinstance(item, Either)]
    return [(name, test.values[0]) for name, test in plain if isinstance(test, OneOf) and len(test.values) == 1]


def after(before: Fraction, epsilon: Fraction) -> tuple[str, str]:
    """What a belief can become if odds move by at most e^ε: least (rounded down) and most (rounded up), in per cent.

    >>> after(Fraction(1, 2), Fraction(1, 2))
    ('37.7 %', '62.3 %')
    """
    with localcontext(Context(prec=DIGITS)):
        factor = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
        p = Decimal(before.numerator) / Decimal(before.denominator)
        most, least = factor * p / (1 - p + factor * p), p / (p + factor * (1 - p))
        return _rounded(least, ROUND_FLOOR), _rounded(most, ROUND_CEILING)


def _rounded(share: Decimal, rounding: str) -> str:
    percent = 100 * share
    step = Decimal("0.1") if percent >= 1 else Decimal("0.01")
    return f"{percent.quantize(step, rounding=rounding).normalize():f} %"


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.3g} %"
