"""A guarantee: what is claimed, for whom, on what grounds, and what would break it."""

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, final

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.claims.notion import Notion
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import at_least, at_most, short

if TYPE_CHECKING:
    from dalenius.claims.implications import Implication


class Evidence(StrEnum):
    """How a number is known.

    >>> import dalenius as dl
    >>> print(dl.verify(dl.Count(), dl.noiseless(dl.IID(p="0.3", n=100)), epsilon=1).evidence)
    computed
    """

    PROVED = "proved"  # a theorem whose preconditions were checked
    COMPUTED = "computed"  # a certified bracket
    SIMULATED = "simulated"  # a confidence interval
    HEURISTIC = "heuristic"  # for example a belief fitted to the confidential data


class Verdict(StrEnum):
    """The words that output checkers use.

    >>> import dalenius as dl
    >>> print([str(verdict) for verdict in dl.Verdict])
    ['pass', 'fail', 'review']
    """

    PASS = "pass"
    FAIL = "fail"
    REVIEW = "review"


@final
@dataclass(frozen=True, slots=True)
class Witness:
    """An event that tells two worlds apart: its probability in `one` is at least `first`, in `other` at most
    `second`.

    >>> import dalenius as dl
    >>> found = dl.verify(dl.Count(), dl.noiseless(dl.IID(p="0.3", n=10)), epsilon="0.1", delta="1e-6")
    >>> found.witness.first > found.witness.second
    True
    """

    event: str
    one: str
    other: str
    first: float
    second: float

    def __str__(self) -> str:
        return (
            f"{self.event}: probability at least {at_least(self.first)} if {self.one}, at most {at_most(self.second)} "
            f"if {self.other}"
        )


class Defined(Protocol):
    """A definition that says which notion it is, such as `noiseless(belief)`."""

    @property
    def notion(self) -> Notion | None: ...


@final
@dataclass(frozen=True, slots=True)
class Guarantee:
    """A claim about a release, and all that a reader needs to judge it. Printing it tells the whole story.

    >>> import dalenius as dl
    >>> found = dl.verify(dl.Count(), dl.noiseless(dl.IID(p="0.3", n=1000)), epsilon=1, delta="1e-6")
    >>> print(found.verdict, found.delta.upper < 1e-6)
    pass True
    """

    definition: str
    hides: str
    attacker: str
    release: str
    epsilon: Bracket  # what is certified for `target_delta`, or the epsilon asked for
    delta: Bracket  # what is certified at `target_epsilon`, or the delta asked for
    target_epsilon: Fraction | None
    target_delta: Fraction | None
    because: str
    assumes: tuple[str, ...]
    breaks: tuple[str, ...]
    witness: Witness | None = None
    largest_known: str = ""
    evidence: Evidence = Evidence.COMPUTED
    events: str = "all events"
    sources: tuple[str, ...] = ()
    notion: Notion | None = None
    route: str = ""  # by which theorem it was found

    @property
    def verdict(self) -> Verdict:
        """Pass or fail only where a target was given and the bracket lies on one side of it; never from a
        heuristic.
        """
        if self.target_epsilon is None or self.target_delta is None or self.evidence == Evidence.HEURISTIC:
            return Verdict.REVIEW
        if self.delta.certainly_above(self.target_delta):
            return Verdict.FAIL
        sound = self.evidence in (Evidence.PROVED, Evidence.COMPUTED) and self.events == "all events"
        return Verdict.PASS if sound and self.delta.certainly_at_most(self.target_delta) else Verdict.REVIEW

    def implies(self, wanted: "Notion | Defined | str", **facts: int | bool) -> "Implication":
        """What the guarantee says in the words of another definition: the best path through proved implications.

        `facts` are what else is known: n=1000, independent=True, pairs=1, binary=True, all_beliefs=True. Where there is
        no path, the error says what is missing, or names the counterexample of the catalogue.
        """
        from dalenius.claims.implications import implications, missing

        end = _notion(wanted)
        if self.notion is None:
            raise PreconditionError(
                f"A guarantee about {self.events} of {self.definition!r} has no other reading. Apply a theorem to it."
            )
        if self.events != "all events":
            raise PreconditionError(
                f"Only a guarantee for all events implies another, but this is one for {self.events}. Certify all."
            )
        if self.evidence not in (Evidence.PROVED, Evidence.COMPUTED):
            raise PreconditionError(f"Only what is proved or computed implies more, but this is {self.evidence}.")
        if not (self.epsilon.upper < math.inf):
            raise PreconditionError("An infinite ε promises nothing, so nothing follows from it. Ask at a positive δ.")
        for name, value in facts.items():
            if value != int(value) or value < 0:
                raise InputError(f"{name} must be a whole number, true or false, but got {value!r}. Correct it.")
        level = (self.epsilon, self.delta)
        paths = implications(self.notion, end, level, facts)
        if not paths:
            raise PreconditionError(_no_path(self.notion, end, missing(self.notion, end, level, facts)))
        return paths[0]

    def __str__(self) -> str:
        return "\n".join([self._claim(), *(f"  {name:<10}{text}" for name, text in self._rows())])

    def _repr_html_(self) -> str:
        """In a notebook: the claim, and all that it rests on; `dalenius.show.html.notebook` draws it."""
        draw = import_module("dalenius.show.html.notebook").guarantee_fragment
        return str(draw(self._claim(), str(self.verdict), self._rows()))

    def _rows(self) -> list[tuple[str, str]]:
        """What the claim rests on."""
        rows = [
            ("defines", self.definition),
            ("hides", self.hides),
            ("attacker", self.attacker),
            ("release", self.release),
            ("because", self.because),
            ("route", self.route),
            ("witness", str(self.witness) if self.witness else ""),
            ("known", self.largest_known),
            ("evidence", f"{self.evidence}, {self.events}"),
            ("assumes", "; ".join(self.assumes)),
            ("broken by", "; ".join(self.breaks)),
            ("sources", "; ".join(self.sources)),
        ]
        return [(name, text) for name, text in rows if text]

    def _claim(self) -> str:
        if self.target_epsilon is None and self.target_delta is None:
            return f"ε {_between(self.epsilon)}, δ {_between(self.delta)}"
        if self.target_epsilon is None:
            return f"ε {_between(self.epsilon)} at δ = {short(self.target_delta or Fraction(0))}"
        claim = f"ε = {short(self.target_epsilon)}, δ {_between(self.delta, self.target_delta)}"
        if self.target_delta is not None:
            claim += f", wanted at most {short(self.target_delta)}: {self.verdict}"
        return claim


def _notion(wanted: "Notion | Defined | str") -> Notion:
    try:
        return Notion(wanted if isinstance(wanted, str) else wanted.notion or "")
    except ValueError:
        raise InputError(
            f"A definition is one of {', '.join(Notion)}, but got {str(wanted)!r}. Choose one of them."
        ) from None


def _no_path(start: Notion, end: Notion, needs: tuple[str, ...]) -> str:
    from dalenius.claims.implications import IMPOSSIBLE, NAMES

    shown = IMPOSSIBLE.get((start, end))
    if needs:
        told = " and ".join(f"{NAMES[need]} ({need}=...)" for need in needs)
        also = f" Without it the implication is false: see {shown}." if shown else ""
        return f"From {start} to {end} one must know {told}. Say so, if it is true.{also}"
    if shown:
        return f"{start.capitalize()} does not imply {end}: `dalenius theorems {shown}` shows why. Certify it directly."
    return f"No theorem of the catalogue leads from {start} to {end}. Certify it directly."


def _between(bracket: Bracket, wanted: Fraction | None = None) -> str:
    text = bracket.beside(wanted)
    return f"in {text}" if text.startswith("[") else f"= {text}"
