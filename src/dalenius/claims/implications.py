"""What a guarantee of one kind implies for others: a graph whose edges are theorems."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.claims.conversions import (
    balanced_from_coupled,
    dp_from_shift,
    dp_from_small_shift,
    pufferfish_delta,
    semantic_from_dp,
    shift_from_dp,
    variation_from_indistinguishability,
)
from dalenius.claims.notion import Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.formats import at_most
from dalenius.numerics.decimals import decimal, evaluated

Facts: TypeAlias = Mapping[str, int | bool]
Level: TypeAlias = tuple[Fraction, Fraction]  # ε and δ, both promised
NAMES = {
    "n": "the number of records",
    "pairs": "the number of private facts that are hidden at once",
    "independent": "that the records are independent, given what the attacker knows",
    "all_beliefs": "that it holds for every belief about the data",
    "no_side": "that the attacker knows nothing besides some of the other records",
    "one_belief": "that the attacker is one, with one belief",
    "binary": "that the secret is a yes or a no",
}


@final
@dataclass(frozen=True, slots=True)
class ImplicationStep:
    """One implication: by which theorem, from what to what, what else must be known, and what the numbers become."""

    theorem: str
    start: Notion
    end: Notion
    convert: Callable[[Fraction, Fraction, Facts], tuple[Bracket, Bracket] | None]
    needs: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.start} implies {self.end} ({self.theorem})"


NOTHING = Bracket(0.0, 0.0)


def _upper(number: Fraction) -> Bracket:
    """A number as the upper end of a bracket of floats."""
    return around(number, number)


def _same(epsilon: Fraction, delta: Fraction, _facts: Facts) -> tuple[Bracket, Bracket]:
    return _upper(epsilon), _upper(delta)


def _shift(epsilon: Fraction, delta: Fraction, _facts: Facts) -> tuple[Bracket, Bracket] | None:
    return (shift_from_dp(epsilon), NOTHING) if delta == 0 else None


def _drawn(epsilon: Fraction, delta: Fraction, facts: Facts) -> tuple[Bracket, Bracket] | None:
    """The simulator draws from one belief, so it says nothing of all of them."""
    return None if facts.get("all_beliefs") else _same(epsilon, delta, facts)


def _semantic(epsilon: Fraction, delta: Fraction, facts: Facts) -> tuple[Bracket, Bracket] | None:
    """tanh(ε/2) + 2√δ, except with the probability that goes with it."""
    if delta == 0:  # the theorem for pure differential privacy says as much, for any number of records
        return None
    above = Fraction(evaluated(lambda: 2 * decimal(delta).sqrt()).upper)
    return semantic_from_dp(epsilon, delta, n=int(facts["n"]), above=above)


def _from_shift(shift: Fraction, delta: Fraction, _facts: Facts) -> tuple[Bracket, Bracket] | None:
    return dp_from_shift(shift, delta) if shift < 1 else None


def _from_small_shift(shift: Fraction, delta: Fraction, _facts: Facts) -> tuple[Bracket, Bracket] | None:
    return dp_from_small_shift(shift, delta) if shift < Fraction(1, 2) else None


def _doubled(epsilon: Fraction, delta: Fraction, _facts: Facts) -> tuple[Bracket, Bracket]:
    """2ε and (1 + e^ε) δ: through the simulator and back."""
    both = pufferfish_delta(epsilon, _upper(delta), between=0, apart=NOTHING)
    return _upper(2 * epsilon), both


def _inference(epsilon: Fraction, delta: Fraction, facts: Facts) -> tuple[Bracket, Bracket]:
    return _upper(2 * epsilon), balanced_from_coupled(epsilon, delta, pairs=int(facts["pairs"]))


def _posterior(epsilon: Fraction, delta: Fraction, _facts: Facts) -> tuple[Bracket, Bracket]:
    return _upper(epsilon), evaluated(lambda: decimal(delta / 2).sqrt(), most=1.0)


def _variation(epsilon: Fraction, delta: Fraction, _facts: Facts) -> tuple[Bracket, Bracket]:
    return NOTHING, variation_from_indistinguishability(epsilon, delta)


def _ratio(epsilon: Fraction, delta: Fraction, _facts: Facts) -> tuple[Bracket, Bracket] | None:
    return (_upper(2 * epsilon), NOTHING) if delta == 0 else None


STEPS = (
    ImplicationStep("KS-2.2", Notion.DIFFERENTIAL, Notion.SEMANTIC, _shift),
    ImplicationStep("KS-2.2", Notion.DIFFERENTIAL, Notion.OBLIVIOUS, _shift),
    ImplicationStep("KS-2.4", Notion.DIFFERENTIAL, Notion.SEMANTIC, _semantic, ("n",)),
    ImplicationStep("KS-2.4-converse", Notion.SEMANTIC, Notion.DIFFERENTIAL, _from_shift),
    ImplicationStep("KS-2.4-converse", Notion.SEMANTIC, Notion.DIFFERENTIAL, _from_small_shift),
    ImplicationStep("CH-4.1", Notion.DIFFERENTIAL, Notion.RATIO, _ratio),
    ImplicationStep("CW-Gehrke", Notion.DIFFERENTIAL, Notion.DISTRIBUTIONAL, _same),
    ImplicationStep("CW-Gehrke", Notion.DISTRIBUTIONAL, Notion.DIFFERENTIAL, _doubled, ("all_beliefs",)),
    ImplicationStep("CW-C2", Notion.DISTRIBUTIONAL, Notion.NOISELESS, _doubled, ("independent",)),
    ImplicationStep(
        "CW-C2-back", Notion.NOISELESS, Notion.DISTRIBUTIONAL, _drawn, ("independent", "one_belief", "no_side")
    ),
    ImplicationStep("CW-D5", Notion.DISTRIBUTIONAL, Notion.COUPLED, _same),
    ImplicationStep("CW-T2", Notion.COUPLED, Notion.INFERENCE, _inference, ("pairs",)),
    ImplicationStep("KM-T6.1", Notion.DIFFERENTIAL, Notion.PUFFERFISH, _same, ("independent",)),
    ImplicationStep("GK-R1", Notion.DIFFERENTIAL, Notion.NOISELESS, _same, ("independent",)),
    ImplicationStep("CW-D7", Notion.NOISELESS, Notion.PUFFERFISH, _same),
    ImplicationStep("CW-D7-presence", Notion.PRESENCE, Notion.PUFFERFISH, _same),
    ImplicationStep("CW-D7-presence", Notion.PRESENCE, Notion.NOISELESS, _same),
    ImplicationStep("CW-D7-presence", Notion.PRESENCE, Notion.PRESENCE_ALONE, _same),
    ImplicationStep("CW-D7-presence", Notion.PRESENCE_ALONE, Notion.PUFFERFISH, _same),
    ImplicationStep("CW-D5-absence", Notion.PRESENCE_ALONE, Notion.DISTRIBUTIONAL, _same, ("independent",)),
    ImplicationStep("CW-C2-absence", Notion.PRESENCE_ALONE, Notion.NOISELESS, _doubled),
    ImplicationStep("CW-T7", Notion.PUFFERFISH, Notion.POSTERIOR, _posterior, ("binary",)),
    ImplicationStep("KS-3.3.6", Notion.INDISTINGUISHABLE, Notion.VARIATION, _variation),
    ImplicationStep("KS-3.3.6", Notion.DIFFERENTIAL, Notion.ADDITIVE, _variation),
    ImplicationStep("KS-3.3.6", Notion.NOISELESS, Notion.VARIATION, _variation),
    ImplicationStep("KS-3.3.6", Notion.PUFFERFISH, Notion.VARIATION, _variation),
)

# Where no path can be: the entry of the catalogue that shows it.
IMPOSSIBLE = {
    (Notion.NOISELESS, Notion.DIFFERENTIAL): "GK-noiseless-is-not-DP",
    (Notion.PUFFERFISH, Notion.DIFFERENTIAL): "GK-noiseless-is-not-DP",
    (Notion.PRESENCE, Notion.DIFFERENTIAL): "GK-noiseless-is-not-DP",
    (Notion.PRESENCE_ALONE, Notion.DIFFERENTIAL): "GK-noiseless-is-not-DP",
    (Notion.INFERENCE, Notion.COUPLED): "CW-E1",
    (Notion.NOISELESS, Notion.DISTRIBUTIONAL): "CW-E1",
    (Notion.ADDITIVE, Notion.DIFFERENTIAL): "CH-4.3",
    (Notion.DIFFERENTIAL, Notion.OBLIVIOUS): "KS-A.2",
    (Notion.DISTRIBUTIONAL, Notion.PUFFERFISH): "CW-hidden-mean",
    (Notion.DISTRIBUTIONAL, Notion.NOISELESS): "CW-hidden-mean",
}


@final
@dataclass(frozen=True, slots=True)
class Implication:
    """A path through the graph, and the numbers after each step."""

    steps: tuple[ImplicationStep, ...]
    levels: tuple[tuple[Bracket, Bracket], ...]  # one more than steps

    @property
    def epsilon(self) -> Bracket:
        return self.levels[-1][0]

    @property
    def delta(self) -> Bracket:
        return self.levels[-1][1]

    def __str__(self) -> str:
        start = self.steps[0].start if self.steps else "the same"
        lines = [f"{start}: {_told(self.levels[0])}"]
        for step, level in zip(self.steps, self.levels[1:], strict=True):
            lines.append(f"  implies {step.end}: {_told(level)}   [{step.theorem}]")
        return "\n".join(lines)


def _told(level: tuple[Bracket, Bracket]) -> str:
    return f"({at_most(level[0].upper)}, {at_most(level[1].upper)})"


def implications(start: Notion, end: Notion, level: tuple[Bracket, Bracket], facts: Facts) -> list[Implication]:
    """All paths without a loop whose needs are met, best first; a path that another beats in both numbers is left out.

    Each step takes the upper ends of the numbers before it. Cost: the graph is small, and paths are at most five steps.
    """
    found = list(_paths(start, end, Implication((), (level,)), facts))
    best = [
        one
        for one in found
        if not any(
            (other.epsilon.upper, other.delta.upper) != (one.epsilon.upper, one.delta.upper)
            and other.epsilon.upper <= one.epsilon.upper
            and other.delta.upper <= one.delta.upper
            for other in found
        )
    ]
    return sorted(best, key=lambda one: (one.epsilon.upper, one.delta.upper, len(one.steps)))


def _paths(at: Notion, end: Notion, so_far: Implication, facts: Facts) -> Iterator[Implication]:
    if at is end:
        yield so_far
        return
    seen = {step.start for step in so_far.steps}
    epsilon, delta = (Fraction(bracket.upper) for bracket in so_far.levels[-1])
    for step in STEPS:
        if step.start is not at or step.end in seen or not all(facts.get(need) for need in step.needs):
            continue
        try:
            level = step.convert(epsilon, min(delta, Fraction(1)), facts)
        except InputError:  # numbers beyond what the formula is for
            continue
        if level is not None:
            yield from _paths(step.end, end, Implication((*so_far.steps, step), (*so_far.levels, level)), facts)


def missing(start: Notion, end: Notion, level: tuple[Bracket, Bracket], facts: Facts) -> tuple[str, ...]:
    """What would have to be known for there to be a path at all; empty if there is none even so."""
    wanted = dict.fromkeys(need for step in STEPS for need in step.needs)
    paths = []
    for absent in ("one_belief", "all_beliefs"):  # one or the other
        whole: dict[str, int | bool] = {**dict.fromkeys(wanted, True), absent: False, "n": 1, **facts}
        paths += implications(start, end, level, whole)
    if not paths:
        return ()
    needs = [{need for step in path.steps for need in step.needs if not facts.get(need)} for path in paths]
    return min((tuple(sorted(need)) for need in needs), key=lambda need: (len(need), need))
