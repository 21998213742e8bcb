"""What a belief answers with, when it is asked how well other people hide one person: a value, built of a few nodes.

A belief says *what is uncertain*, the interpreter (`beliefs.interpreter`) says *how much that hides*. The nodes are a
closed set, frozen, and compared by value:

- `Certain`: nothing is told, or everything;
- `Crowded`, `LinkedRecords`: independent records with these laws, the worst `known` of which are known;
- `Remainder`: *a law* of what all others add, whatever the target's fact is;
- `GivenFact`: a law of the total *given the target's fact*, one for each;
- `WorstOf`, `WorstKnown`: *the worst of several*, listed or searched;
- `MeanOf`: *a mean of several*, with weights that do not depend on the target's fact; `Reweighted`: with some that do;
- `CommonPart`, `SurePart`: *a common part with a weight*, which every record contains, whatever else it is;
- `BoundedBy`: not δ itself, but other answers that it is at most, and at least;
- `AsExact`: the answer for the figure before its channel;
- `Proved`: a curve that a theorem of its own gives: Markov chains, wide ranges, range and variance, draws without
  replacement from two kinds of members.

**Why worst and mean commute with δ.** For worlds P, Q and an event B let h(P, Q; B) = P(B) - e^ε Q(B); δ is the
supremum over B, in both directions. *Worst*: a secret is hidden to within δ if it is in each of the pairs of worlds
that an answer stands for, so that δ of all is the supremum of theirs: two suprema change places. *Mean*: if P = Σ w_k
P_k and Q = Σ w_k Q_k with the same weights, then h(P, Q; B) = Σ w_k h(P_k, Q_k; B) ≤ Σ w_k δ_k for every B (*joint
convexity*). So a mean of δ's bounds δ from above, and it is δ itself if the release shows which k it was. *Weights that
depend on the fact*: if P = Σ v_k P_k and Q = Σ w_k Q_k with v_k ≤ ρ w_k, then h(P, Q; B) ≤ Σ v_k (P_k(B) - (e^ε / ρ)
Q_k(B)), which is at most the worst of the H(P_k || (e^ε / ρ) Q_k). *A common part*: if record j is a draw from U with
probability w_j, and anything else otherwise, reveal which are draws, and all that is not one. That is a mean over the
number K of draws, with one law of K in both worlds, of the curves of K draws from U; a further draw only adds
independent noise, so that these fall with K, and the records to know are those of largest w_j. ∎

Bounds are in the order of what they cost: who asks only whether δ is at most `enough` may stop at the first that is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.beliefs.crowd import Crowd, SpanLaw
from dalenius.beliefs.worst import Push
from dalenius.facts.secret import Facts, Pair
from dalenius.numerics.curve import Curve
from dalenius.numerics.search import Removal

Adds: TypeAlias = Mapping[int, Fraction]  # what a record adds, with probabilities
Vector: TypeAlias = tuple[int, ...]
Masses: TypeAlias = Mapping[Vector, Fraction]


@final
@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked of a belief: pairs of facts, what happens to the total, how many records are known. A search may
    stop once it is decided whether δ is at most `enough`.
    """

    facts: Facts
    channel: Push
    known: int
    enough: Fraction | None = None


@final
@dataclass(frozen=True, slots=True)
class Certain:
    """The same δ at every ε: 0 where no fact changes the figure, 1 where one event tells them apart for sure."""

    delta: float


@final
@dataclass(frozen=True, slots=True)
class Crowded:
    """Independent records, of which the target and the worst `known` are taken out (by default as many as are asked
    about).

    `pairs`: of facts, if not all that are asked about; `anywhere`: what is rounded may stand at any place; `others`:
    what any number of further known records may add (differential privacy); `adds`: what known records may; `decided`:
    the search may stop once it is decided.
    """

    crowd: Crowd
    known: int | None = None
    pairs: tuple[Pair, ...] | None = None
    anywhere: bool | None = None
    others: frozenset[int] | None = None
    adds: frozenset[int] | None = None
    decided: bool = True


@final
@dataclass(frozen=True, slots=True)
class LinkedRecords:
    """Independent records that move several numbers at once, all of which are published as they are; `domain`: what a
    record may add to them; `presence`: whether absence is one of the facts.
    """

    laws: Sequence[Masses]
    counts: Sequence[int]
    domain: tuple[Vector, ...]
    presence: bool


@final
@dataclass(frozen=True, slots=True)
class Remainder:
    """One law of what all others add, whatever the target's fact is; `places`: what known records may add to it."""

    law: SpanLaw
    concave: bool = False
    places: Sequence[int] = (0,)
    pairs: tuple[Pair, ...] | None = None


@final
@dataclass(frozen=True, slots=True)
class GivenFact:
    """The law of the total given each fact of the target; `compared`: places in the list of two laws that must look
    alike, by default every two.
    """

    laws: tuple[SpanLaw, ...]
    places: Sequence[int] = (0,)
    compared: tuple[tuple[int, int], ...] | None = None


@final
@dataclass(frozen=True, slots=True)
class WorstOf:
    """The worst of these."""

    answers: "tuple[Answer, ...]"


@final
@dataclass(frozen=True, slots=True)
class WorstKnown:
    """The worst way to know `known` of these members or blocks, who are independent, by kind: searched, since knowing
    more never helps privacy, so that a family of ways is bounded by what it takes out together.

    `without(removal, anywhere)`: what is left when these are taken out; `anywhere`: at every place at which a rounded
    total may stand then, since those who are taken out together are not all known. `attained`: whether every way is one
    that an attacker may have; else only `some` are, and the others bound from above. `moved`: the most by which a fact
    moves the total.
    """

    counts: Removal
    known: int
    without: "Callable[[Removal, bool], Answer]"
    attained: bool = True
    some: tuple[Removal, ...] = ()
    moved: int | None = None


@final
@dataclass(frozen=True, slots=True)
class MeanOf:
    """The mean of these, with weights that sum to one, the same in both worlds. It bounds δ from above."""

    parts: "tuple[tuple[Fraction, Answer], ...]"

    def __post_init__(self) -> None:
        if sum(weight for weight, _ in self.parts) != 1 or any(weight < 0 for weight, _ in self.parts):
            raise ValueError("the weights of a mean are at least 0 and sum to 1")


@final
@dataclass(frozen=True, slots=True)
class Reweighted:
    """One part of a mean whose weights depend on the target's fact, in one world at most `ratio` times those in the
    other (None: no such number is known). It bounds δ from above.
    """

    part: "Answer"
    ratio: Fraction | None


@final
@dataclass(frozen=True, slots=True)
class CommonPart:
    """Every record that is left is a draw from this law with one of these weights, and otherwise anything: a mean over
    the number of draws.
    """

    law: tuple[tuple[int, Fraction], ...]
    weights: tuple[tuple[Fraction, int], ...]  # with how many records have them: those that are left


@final
@dataclass(frozen=True, slots=True)
class SurePart:
    """Masses that no probability is below, for each kind of record, with how many there are, the target and the known
    among them: as many draws from them as there certainly are, but for a hundredth of what is enough. One law stands
    for all numbers of draws then, which a mean over them, stopped early, may not come close to.
    """

    masses: tuple[tuple[tuple[tuple[Vector, Fraction], ...], int], ...]
    domain: tuple[Vector, ...] = ()  # where records move several numbers
    presence: bool = False


@final
@dataclass(frozen=True, slots=True)
class BoundedBy:
    """At most each of the answers `above`, at least each of those `below`; 0 from an ε on at which the channel hides
    whoever moves the total by at most `moved`.
    """

    above: "tuple[Answer, ...]"
    below: "tuple[Answer, ...]" = ()
    moved: int | None = None


@final
@dataclass(frozen=True, slots=True)
class AsExact:
    """The figure before its channel: what is done to it afterwards tells no more."""

    answer: "Answer"


@final
@dataclass(frozen=True, slots=True)
class Proved:
    """A curve that a theorem of its own gives; `by` names it."""

    curve: Curve
    by: str


Answer: TypeAlias = (
    Certain
    | Crowded
    | LinkedRecords
    | Remainder
    | GivenFact
    | WorstOf
    | WorstKnown
    | MeanOf
    | Reweighted
    | CommonPart
    | SurePart
    | BoundedBy
    | AsExact
    | Proved
)
NOTHING, EVERYTHING = Certain(0.0), Certain(1.0)
