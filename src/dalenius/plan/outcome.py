"""The five answers of a plan. `untried`: what was not tried to the end, where the time for a search was up."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias, final

from dalenius.claims import Verdict
from dalenius.plan.advice import Advice
from dalenius.plan.alternative import Alternative
from dalenius.plan.finding import Finding
from dalenius.tables.figures import Figure


@final
@dataclass(frozen=True, slots=True)
class Nearest:
    """A target that the figures meet as they are: what is wanted of one of the two numbers, and the least of the
    other; None if there is none.
    """

    epsilon: Fraction | None
    delta: Fraction | None
    words: str


@final
@dataclass(frozen=True, slots=True)
class Publish:
    """The figures may go out as they are."""

    findings: tuple[Finding, ...]


@final
@dataclass(frozen=True, slots=True)
class Coarsen:
    """The figures may go out after a change without dice: coarser rounding, merged cells, fewer figures. `figures` are
    the changed ones; they were judged again from scratch.
    """

    findings: tuple[Finding, ...]
    figures: tuple[Figure, ...]
    alternatives: tuple[Alternative, ...]
    advice: Advice = field(default_factory=Advice)
    untried: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class AddNoise:
    """The figures may go out with noise, perhaps beside other changes. `figures` are the changed ones; they were judged
    again from scratch.
    """

    findings: tuple[Finding, ...]
    figures: tuple[Figure, ...]
    alternatives: tuple[Alternative, ...]
    advice: Advice = field(default_factory=Advice)
    untried: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Refuse:
    """The figures may not go out, and no change was found: the findings that fail come with a witness."""

    findings: tuple[Finding, ...]
    advice: Advice = field(default_factory=Advice)
    alternatives: tuple[Alternative, ...] = ()
    nearest: tuple[Nearest, ...] = ()
    untried: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Undecided:
    """Neither a bound that passes nor a witness, and no certified change: somebody has to look. `next` says what to
    measure.
    """

    findings: tuple[Finding, ...]
    advice: Advice = field(default_factory=Advice)
    reason: str = ""
    alternatives: tuple[Alternative, ...] = ()
    next: str = ""
    untried: tuple[str, ...] = ()


Plan: TypeAlias = Publish | Coarsen | AddNoise | Refuse | Undecided


def verdict_of(plan: Plan) -> Literal["pass", "fail", "review"]:
    """Whether the figures may go out as they were specified: a change that is needed does not make them pass."""
    if isinstance(plan, Publish):
        return "pass"
    if isinstance(plan, Undecided):
        return "review"
    return "fail" if any(finding.verdict == Verdict.FAIL for finding in plan.findings) else "review"


def worst_of(plan: Plan) -> Finding:
    """The finding with the largest certified δ."""
    return max(plan.findings, key=lambda finding: (finding.delta.upper, finding.delta.lower))
