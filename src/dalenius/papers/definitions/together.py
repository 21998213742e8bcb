"""Composition with somebody else's release on finite worlds (Kifer and Machanavajjhala 2014, section 9.1).

Alice publishes M of her data, Bob publishes A of his. How Bob's data may depend on hers is a set of conditional
distributions φ, each a function from her dataset to the law of his. For an attacker with belief θ and φ both
releases together are one release of Alice, M(D) beside the mean of A over φ(D) (equation 22); once Bob's output is
out, they are M alone against the belief that this output leaves. Both readings are computed here.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.basics.errors import require
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Number
from dalenius.numerics.outcomes import divided, joint, total
from dalenius.papers.definitions.pufferfish import Leak, Pufferfish
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset, Finite, Key, checked_law

Conditional: TypeAlias = Callable[[Dataset], Dataset | Mapping[Dataset, Number]]
Release: TypeAlias = Callable[[Dataset], Hashable | Mapping[Hashable, Number]]
Reply: TypeAlias = Callable[[Dataset, Hashable], Hashable | Mapping[Hashable, Number]]


def same_data(dataset: Dataset) -> dict[Dataset, Number]:
    """Bob has Alice's data: self-composition (section 9.2)."""
    return {dataset: 1}


def seen_by(world: Finite, conditional: Conditional, release: Release) -> FiniteMechanism:
    """Bob's release as a release about Alice: on each of her datasets, its mean over what Bob's may then be. Exact.

    Both functions return a dict from what they give to its probability, or what is certain.

    Cost: one law of Bob's for each dataset of hers.
    """
    return FiniteMechanism.random(lambda dataset: _mean(conditional(dataset), release), world)


def answered(mechanism: FiniteMechanism, world: Finite, conditional: Conditional, reply: Reply) -> FiniteMechanism:
    """Alice's output and Bob's, where Bob's release sees his data and her output."""
    laws = []
    for place, dataset in enumerate(world.datasets()):
        chances = zip(mechanism.outputs, mechanism.row(place).tolist(), strict=True)
        law: dict[Hashable, Fraction] = {}
        for output, chance in chances:
            if chance:
                said = _mean(conditional(dataset), lambda his, told=output: reply(his, told))  # type: ignore[misc]  # a lambda with a default
                law |= {(output, his): Fraction(chance) * share for his, share in said.items()}
        laws.append(law)
    found = iter(laws)
    return FiniteMechanism.random(lambda _: next(found), world)


def _mean(law: Dataset | Mapping[Dataset, Number], release: Release) -> dict[Hashable, Fraction]:
    found: dict[Hashable, Fraction] = {}
    for dataset, chance in checked_law(_certain(law), "Bob's data, given Alice's"):
        if chance:
            for output, share in checked_law(_certain(release(dataset)), "Bob's release"):
                found[output] = found.get(output, Fraction(0)) + chance * share
    return found


def _certain(drawn: Key | Mapping[Key, Number]) -> Mapping[Key, Number]:
    """A law; anything else is certain."""
    return drawn if isinstance(drawn, Mapping) else {drawn: 1}


@final
@dataclass(frozen=True, slots=True, eq=False)
class ToldTogether:
    """What two releases tell together, at the worst of the ways in which the data may be related (`relation`).

    `both` names the pair of secrets, the attacker and the two outputs at which it is worst; `alone` and `other` are
    the two releases by themselves, `after` is Alice's against the beliefs that Bob's outputs leave. `verdicts` says of
    each relation whether ε of both is at most the sum of the parts' upper bounds; None if rounding hides it.
    """

    relation: int
    both: Leak
    alone: Leak
    other: Leak
    after: Leak
    verdicts: tuple[bool | None, ...]

    @property
    def adds_up(self) -> bool | None:
        """Whether ε adds up for every one of the relations; None if rounding hides it."""
        if False in self.verdicts:
            return False
        return None if None in self.verdicts else True

    def __str__(self) -> str:
        verdict = {True: "it adds up", False: "it does not add up", None: "undecided"}[self.adds_up]
        fails = [place for place, one in enumerate(self.verdicts) if one is False]
        where = f", in relation {fails[0]}" if fails and self.relation not in fails else ""
        return f"together {self.both.value}; alone {self.alone.value}, the other {self.other.value}: {verdict}{where}"


def together(definition: Pufferfish, mechanism: FiniteMechanism, others: Sequence[FiniteMechanism]) -> ToldTogether:
    """ε of a release beside another party's, for each of the ways (`seen_by`) in which the data may be related.

    Proved here: ε of both is at most ε of the other plus ε of the first against the beliefs after the other,
    since P(ω, ω* | s) = P(ω* | s) P(ω | ω*, s). It need not be at most the sum of the two alone.
    """
    require(bool(others), "at least one way in which the data are related", got=others)
    alone = definition.epsilon(mechanism)
    both = [definition.epsilon(mechanism.beside(other)) for other in others]
    parts = [definition.epsilon(other) for other in others]
    verdicts = tuple(_adds_up(whole, alone, part) for whole, part in zip(both, parts, strict=True))
    worst = max(range(len(others)), key=lambda place: both[place].value.upper)
    left = _worst_after(definition, mechanism, others[worst])
    return ToldTogether(worst, both[worst], alone, parts[worst], left, verdicts)


def _adds_up(both: Leak, alone: Leak, other: Leak) -> bool | None:
    most = alone.value.upper + other.value.upper
    if both.value.upper <= most:
        return True
    return False if both.value.lower > most else None


def _worst_after(definition: Pufferfish, mechanism: FiniteMechanism, other: FiniteMechanism) -> Leak:
    leaks = [updated.epsilon(mechanism) for _, updated in after(definition, other)]
    worst, value = max(leaks, key=lambda leak: leak.value.upper), Bracket(0.0, 0.0)
    for leak in leaks:
        value = value.join(leak.value)
    skipped = tuple(skip for leak in leaks for skip in leak.skipped)
    return Leak(value, skipped, worst.pair, worst.scenario, worst.side, worst.output, worst.odds)


def after(definition: Pufferfish, other: FiniteMechanism) -> list[tuple[Hashable, Pufferfish]]:
    """The definition once an output of the other release is out, for each output that somebody holds possible.

    Its scenarios are the conditional distributions, one for each attacker who holds the output possible, with what
    they know besides. A secret that the output has ruled out is skipped, and reported, as the definition says:
    what the output itself told is the other release's to answer for.
    """
    found = []
    for place, output in enumerate(other.outputs):
        beliefs = tuple(belief for one in definition.scenarios if (belief := _given(one, other, place)) is not None)
        if beliefs:
            found.append((output, Pufferfish(definition.pairs, beliefs, definition.assumes)))
    return found


def _given(belief: Finite, other: FiniteMechanism, place: int) -> Finite | None:
    """The belief after an output, on the same list of datasets; None if it holds the output impossible."""
    require(len(other.state) == belief.size, f"a release on the {belief.size} datasets", got=len(other.state))
    both = joint(belief.mass, other.likelihood(place))
    weight = total(both)
    if not weight:
        return None
    return Finite(belief.values, belief.codes, divided(both, weight), belief.sides, belief.side)
