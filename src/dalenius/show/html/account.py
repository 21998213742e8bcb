"""All that the report tells, and what an attacker could learn about one person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from typing import final

from dalenius.claims import Verdict
from dalenius.facts.records import Column
from dalenius.numerics.decimals import DIGITS
from dalenius.plan import Finding, Plan, Question
from dalenius.plan.views import View
from dalenius.show.chart import Chart
from dalenius.show.imprint import Imprint
from dalenius.tables.computed import Computed, ComputedNumber
from dalenius.tables.figures import Figure
from dalenius.tables.published import Published


@final
@dataclass(frozen=True, slots=True)
class Learning:
    """What the figures can teach about one person: odds move by at most e^ε, except with this probability; `rows` say
    so for beliefs that people may have. `apart`: whether the records of others say nothing about a person. `alike`:
    whether that is said of values that must look alike only.
    """

    epsilon: Fraction
    chance: float
    rows: tuple[View, ...]
    apart: bool = True
    alike: bool = False


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
    computed: tuple[Computed, ...] = ()
    computed_numbers: Sequence[ComputedNumber] | None = None  # unless the figures are out
    approved: str = ""  # by whom the figures were let out, if persons decided
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
