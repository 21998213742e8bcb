"""A published statement and what became of it: a theorem that can be applied, or a counterexample that can be run."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import final

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.claims import Evidence, Guarantee, Notion
from dalenius.enclosure.brackets import Bracket


class Status(StrEnum):
    """What became of a statement."""

    TRUE = "true"  # holds as printed, misprints aside
    SHARPENED = "sharpened"  # holds, and a better constant is known and used
    REPAIRED = "repaired"  # false or unclear as printed; what is here holds
    REFUTED = "refuted"  # false, and nothing of the kind is claimed


@final
@dataclass(frozen=True, slots=True)
class Paper:
    """One of the five, or a subject of the theory since."""

    key: str
    authors: str
    title: str

    def __str__(self) -> str:
        return f"{self.authors}, {self.title}"


@final
@dataclass(frozen=True, slots=True)
class Violation:
    """A printed inequality, and worlds that break it: at most `allowed` was promised, at least `found` is true."""

    promise: str  # the printed inequality, in words
    worlds: str  # what the worlds are
    allowed: Bracket
    found: Bracket

    @property
    def holds(self) -> bool:
        """Whether the promise is certainly broken."""
        return self.found.lower > self.allowed.upper

    def __str__(self) -> str:
        broken = "broken" if self.holds else "not shown to be broken"
        return f"{self.worlds}: {self.promise}, which is {self.allowed} here; the truth is {self.found}: {broken}"


Rule = Callable[..., Guarantee]
Counterexample = Callable[[], Violation]


@final
@dataclass(frozen=True, slots=True)
class Theorem:
    """One entry of the catalogue. Calling it checks the hypotheses and gives the guarantee."""

    key: str  # KS-2.2
    paper: Paper
    number: str  # Theorem 2.2, forward
    status: Status
    says: str  # what is printed, in our words
    holds: str  # what is true
    sketch: str  # why, in a few sentences
    covers: tuple[str, ...]  # the numbered statements of the paper that this entry answers
    rule: Rule | None = None
    counterexample: Counterexample | None = None
    uses: tuple[str, ...] = ()  # where the library computes it
    tests: tuple[str, ...] = ()  # what shows it
    assumes: tuple[str, ...] = ()  # hypotheses that no code can check

    def __call__(self, **given: object) -> Guarantee:
        if self.rule is None:
            remedy = (
                "Run its counterexample." if self.counterexample else f"It is about {', '.join(self.uses) or 'a word'}."
            )
            raise PreconditionError(
                f"{self.key} ({self.number}) is {self.status} and gives no guarantee: {self.holds}. {remedy}"
            )
        return self.rule(**given)


CATALOGUE: dict[str, Theorem] = {}


def entry(
    key: str,
    number: str,
    status: Status,
    *,
    paper: Paper,
    says: str,
    holds: str,
    sketch: str,
    covers: tuple[str, ...] = (),
    counterexample: Counterexample | None = None,
    uses: tuple[str, ...] = (),
    tests: tuple[str, ...] = (),
    assumes: tuple[str, ...] = (),
    rule: Rule | None = None,
) -> Theorem:
    """Put a statement into the catalogue. `covers` is the number itself, unless it says otherwise."""
    if key in CATALOGUE:
        raise ValueError(f"two entries for {key}")
    made = Theorem(
        key, paper, number, status, says, holds, sketch, covers or (number,), rule, counterexample, uses, tests, assumes
    )
    CATALOGUE[key] = made
    return made


def theorem(
    key: str,
    number: str,
    status: Status,
    *,
    paper: Paper,
    says: str,
    holds: str,
    covers: tuple[str, ...] = (),
    counterexample: Counterexample | None = None,
    uses: tuple[str, ...] = (),
    tests: tuple[str, ...] = (),
    assumes: tuple[str, ...] = (),
) -> Callable[[Rule], Theorem]:
    """The decorated function checks the hypotheses and returns the guarantee; its docstring is the proof sketch, its
    name becomes the entry.
    """
    if status is Status.REFUTED:
        raise ValueError(f"{key}: what is refuted gives no guarantee")

    def put(rule: Rule) -> Theorem:
        return entry(
            key,
            number,
            status,
            paper=paper,
            says=says,
            holds=holds,
            sketch=" ".join((rule.__doc__ or "").split()),
            covers=covers,
            counterexample=counterexample,
            uses=uses,
            tests=tests,
            assumes=assumes,
            rule=rule,
        )

    return put


def proved(
    notion: Notion,
    *,
    epsilon: Bracket | None = None,
    delta: Bracket | None = None,
    because: str,
    source: str,
    assumes: tuple[str, ...] = (),
    breaks: tuple[str, ...] = (),
    hides: str = "one record",
    attacker: str = "as the definition says",
    release: str = "any release that meets the hypotheses",
    events: str = "all events",
) -> Guarantee:
    """The guarantee that a theorem gives. The upper ends are what is promised; a missing number is zero."""
    nothing = Bracket(0.0, 0.0)
    for name, bracket, most in (("ε", epsilon, math.inf), ("δ", delta, 1.0)):
        if bracket is not None and not 0 <= bracket.lower <= most:
            raise InputError(f"{name} must be at least 0{' and at most 1' if most == 1 else ''}, but got {bracket}.")
    return Guarantee(
        definition=str(notion),
        hides=hides,
        attacker=attacker,
        release=release,
        epsilon=nothing if epsilon is None else epsilon,
        delta=nothing if delta is None else delta,
        target_epsilon=None,
        target_delta=None,
        because=because,
        assumes=assumes,
        breaks=breaks,
        evidence=Evidence.PROVED,
        events=events,
        sources=(source,),
        notion=notion,
    )
