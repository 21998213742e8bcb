"""What a rule of thumb is worth: (ε, δ) of what it publishes, worst over the unknown size of the cell, and back.

The others in the cell are Poisson with any mean (Poisson sampling, or a rare attribute in a large population), or
binomial: each of any number of others is counted with probability `rate`. Counting each with a probability of their own
that is at most `rate` is no worse: it is a mixture, over who is counted with `rate`, of binomial counts. So is a
Poisson count. Both worlds have the same mixture, and δ is jointly convex.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Literal, TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError, require
from dalenius.basics.limits import LARGEST_EPSILON, LARGEST_RULE, RAREST
from dalenius.claims import Witness
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import at_least, at_most, nearly, short
from dalenius.enclosure.outward import add_up, exponential, sum_down, sum_up, times_outer_down, times_outer_up
from dalenius.facts.records import exact
from dalenius.numerics.cells import CLOSE, FoundCell, WorstMeans
from dalenius.numerics.families import BinomialFamily, Mean, MeansFamily, PoissonFamily
from dalenius.numerics.labels import Codes, Counts, LabelCell
from dalenius.numerics.least import climb, least, scan, whole_halfway
from dalenius.numerics.spans import AnyMean, AnyNumber, ListedMeans, Means
from dalenius.plan.rules.rule import Rule, Threshold

Number: TypeAlias = float | str | Fraction
Secret: TypeAlias = Literal["presence", "value"]
SURE = 0.999999999
CLOSE_PAIRS = 1e-2  # of two unknown means the search is wider
LARGEST_THRESHOLD = 1 << 20
BASES = (2, 3, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)

GROUP = (
    "a cell in which everybody has the attribute (the count is the size of the group) tells it of each of them; that "
    "is learned about the group, whether or not one took part, and no rule on small counts hides it"
)


@final
@dataclass(frozen=True, slots=True)
class Attack:
    """Against whom: what is secret, how others are counted, and how many of those in the cell are known.

    `rate` None: Poisson. `known`: up to so many of the others in a cell are known to be there.
    """

    secret: Secret = "presence"
    rate: Fraction | None = None
    known: int = 0

    @property
    def family(self) -> MeansFamily:
        return PoissonFamily() if self.rate is None else BinomialFamily(self.rate)

    @property
    def means(self) -> Means:
        return AnyMean() if self.rate is None else AnyNumber()

    def __str__(self) -> str:
        others = (
            "others in the cell: Poisson with any mean"
            if self.rate is None
            else f"others in the cell: any number, each counted with probability {short(self.rate)} at most"
        )
        knows = f"; up to {self.known} of them are known to be there" if self.known else ""
        what = {"presence": "whether the person is in the cell", "value": "in which of two cells the person is"}
        return f"secret: {what[self.secret]}; {others}{knows}"


def attack(*, secret: Secret = "presence", rate: Number | None = None, known: int = 0) -> Attack:
    """Against whom a rule is judged: `secret` is "presence" (whether the person is in the cell) or "value" (in which of
    two cells they are); others are counted with probability at most `rate`, or are Poisson; the attacker knows up to
    `known` of those who are in a cell.
    """
    require(secret in ("presence", "value"), '"presence" or "value" for the secret', got=secret)
    require(
        not isinstance(known, bool) and known == int(known) and known >= 0,
        "a whole number of known persons of at least 0",
        got=known,
    )
    chance = None if rate is None else exact(rate, name="rate")
    require(
        known <= LARGEST_RULE,
        f"at most {LARGEST_RULE} known persons in a cell",
        got=known,
        remedy="Take a cell that somebody hides.",
    )
    if chance is not None and 0 < chance < Fraction(1, 10**RAREST):
        raise InputError(
            f"A rate must be at least 1e-{RAREST}, but got {rate}. For small rates leave it out (Poisson)."
        )
    if chance is not None and not 0 < chance < 1:
        raise InputError(
            f"A rate must lie strictly between 0 and 1, but got {rate}. If everybody is counted (rate 1) the count of "
            "the others is known, and no rule hides the person; for small rates leave it out (Poisson)."
        )
    return Attack(secret, chance, known)


ANYBODY = Attack()


@final
@dataclass(frozen=True, slots=True)
class Worth:
    """What a rule is worth at one epsilon: δ, where it is worst, and an event that shows it."""

    rule: Rule
    attack: Attack
    epsilon: Fraction
    delta: Bracket
    at: tuple[Mean, ...]
    witness: Witness
    why: str = ""

    def __str__(self) -> str:
        where = " and ".join(nearly(float(mean) * float(self.attack.rate or 1), 4) for mean in self.at)
        lines = [
            f"{self.rule}: ε = {short(self.epsilon)}, δ = {self.delta}",
            f"  attacker  {self.attack}",
            f"  worst     about {where} others expected",
            f"  witness   {self.witness}",
        ]
        return "\n".join([*lines, f"  why       {self.why}"] if self.why else lines)


def worth(
    rule: Rule,
    *,
    epsilon: Number,
    against: Attack = ANYBODY,
    close: float | None = None,
) -> Worth:
    """δ of a rule at this ε, worst over the mean of the cell (of both cells, for a value), over both directions, and
    over how many of the `known` others are there.

    >>> print(worth(Threshold(10), epsilon=1).delta)
    [0.0009466, 0.0009467]
    """
    at = checked_epsilon(epsilon)
    checked_rule(rule)
    there, found = _find(rule, at, against, close, None)
    witness = _witness(rule, at, against, there, found)
    return Worth(rule, against, at, found.delta, found.at, witness, _why(rule, there[0], found))


def checked_rule(rule: object) -> None:
    """InputError unless it is a rule."""
    if not isinstance(rule, Rule):
        meant = f"Threshold({rule})" if isinstance(rule, int) else "Threshold(10)"
        raise InputError(
            f"What is judged is a rule, such as Threshold(10), but got {rule!r}. Write dl.rules.worth("
            f"dl.rules.{meant}, epsilon=1)."
        )


def checked_epsilon(epsilon: Number) -> Fraction:
    """The epsilon that was meant, at least 0."""
    at = exact(epsilon, name="epsilon")
    if not 0 <= at <= LARGEST_EPSILON:
        raise InputError(
            f"epsilon must be from 0 to {LARGEST_EPSILON}, but got {epsilon}: more is no promise. Typical values are "
            "0.1 to 2."
        )
    return at


def checked_delta(delta: Number) -> Fraction:
    """The delta that was meant, between 0 and 1."""
    wanted = exact(delta, name="delta")
    if not 0 < wanted < 1:
        raise InputError(f"delta must lie strictly between 0 and 1, but got {delta}. Typical values are 1e-3 to 1e-9.")
    return wanted


def _find(
    rule: Rule, epsilon: Fraction, against: Attack, close: float | None, enough: Fraction | None
) -> tuple[tuple[int, ...], FoundCell]:
    """The worst over the means and over the numbers of known persons in the cells, with those numbers."""
    best: tuple[tuple[int, ...], FoundCell] | None = None
    gap = close or (CLOSE_PAIRS if against.secret == "value" else CLOSE)
    for known in _known(rule, against):
        cells = tuple(LabelCell(against.family, against.means, _moved(rule, number)) for number in known)
        found = WorstMeans(cells, alike=len(known) == 2 and known[0] == known[1]).find(
            epsilon, close=gap, enough=enough
        )
        if best is None or found.delta.lower > best[1].delta.lower:
            delta = found.delta if best is None else best[1].delta.join(found.delta)
            best = (known, replace(found, delta=delta))
        else:
            best = (best[0], replace(best[1], delta=best[1].delta.join(found.delta)))
        if best[1].delta.lower >= SURE or (enough is not None and best[1].delta.lower > enough):
            if known != (against.known,) * len(known):  # the last of them: what is not looked at may be worse
                best = (best[0], replace(best[1], delta=Bracket(best[1].delta.lower, 1.0)))
            break
    if best is None:
        raise InputError("Needed at least one number of known persons, but got none. This is a defect: report it.")
    return best


def _known(rule: Rule, against: Attack) -> Iterable[tuple[int, ...]]:
    """How many known persons the cells may have. Where small counts are hidden, zeros too, and the others shown as they
    are, more known persons are never better: hiding below k is a function of hiding below k - 1. Other rules have no
    such order, so that all numbers are tried.
    """
    size = 2 if against.secret == "value" else 1
    if isinstance(rule, Threshold) and rule.base == 1 and (rule.zeros == "hidden" or rule.least == 1):
        return ((against.known,) * size,)
    return combinations_with_replacement(range(against.known + 1), size)


def _moved(rule: Rule, known: int) -> Codes:
    def codes(counts: Counts) -> Counts:
        return rule.codes(counts + known)

    return codes


def _witness(rule: Rule, epsilon: Fraction, against: Attack, known: tuple[int, ...], found: FoundCell) -> Witness:
    """An event at the worst means: labels that are more than e^ε times likelier in one world."""
    cells = [LabelCell(against.family, against.means, _moved(rule, number)) for number in known]
    sides = [cell.point(mean) for cell, mean in zip(cells, found.at, strict=True)]
    p, q = (0, 1) if found.forward else (1, 0)
    factor = exponential(epsilon)[1]
    if len(sides) == 1:
        low, high = sides[0].low[0], sides[0].high[0]
        chosen = low[p] > factor * high[q]
        counts = [int(count) + known[0] for count in cells[0].counts_at(found.at[0])]
        event = f"what is published is {_named(rule, counts, chosen)}"
        worlds = ("the person is in the cell", "the person is not")
        first, second = float(sum_down(low[p][chosen])), add_up(float(sum_up(high[q][chosen])), sides[0].tail)
        return Witness(event, worlds[p], worlds[q], first, second)
    one, two = sides
    ahead, behind = times_outer_down(one.low[0, p], two.low[0, q]), times_outer_up(one.high[0, q], two.high[0, p])
    chosen = ahead > factor * behind
    event = "the two cells show one of the pairs that are more than e^ε times likelier in the first case"
    worlds = ("the person is in the first cell", "the person is in the second")
    first, second = float(sum_down(ahead[chosen])), float(sum_up(behind[chosen]))
    return Witness(event, worlds[p], worlds[q], first, add_up(add_up(second, one.tail), two.tail))


def _named(rule: Rule, counts: Sequence[int], chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    """The labels chosen: the first or the last so many, since the likelihood ratio rises with the count."""
    shown = list(dict.fromkeys(rule.told(count) for count in range(min(counts), max(counts) + 2)))
    picked = [label for label, take in zip(shown, chosen.tolist(), strict=False) if take]
    if not picked:
        return "anything"
    if len(picked) == 1:
        return picked[0]
    return f"{picked[0]} or more" if picked[-1] == shown[-1] else f"{picked[0]} to {picked[-1]}"


def _why(rule: Rule, known: int, found: FoundCell) -> str:
    if found.delta.lower < 0.5:
        return ""
    one, none = rule.told(known + 1), rule.told(known)
    if one != none:
        return (
            f"where hardly anybody else is counted, the cell shows {one} with the person and {none} without: it tells "
            "for sure that somebody is there"
        )
    return "the number of the others is nearly known, so that the count tells whether the person is one of them"


def threshold_needed(
    *,
    epsilon: Number,
    delta: Number,
    against: Attack = ANYBODY,
) -> int:
    """The least k such that publishing counts of at least k, and hiding all others, zeros too, keeps δ at this ε.

    Hiding below k + 1 is a function of hiding below k, so δ falls with k, and bisection finds it: first for a lower
    bound of δ that is nearly it, at one mean, then from there on for δ itself, which is mostly looked at once.

    >>> threshold_needed(epsilon=1, delta=1e-6)
    26
    """
    at, wanted = checked_epsilon(epsilon), checked_delta(delta)

    def likely(least: int) -> bool:
        return _at_one_mean(least, at, against) <= wanted

    def enough(least: int) -> bool:
        return likely(least) and _find(Threshold(least), at, against, 1e-9, wanted)[1].delta.certainly_at_most(wanted)

    found = _first(likely, 1, 2)  # 1 hides nothing
    if found is not None:
        found = _first(enough, found - 1, found)
    if found is None:
        raise InputError(
            f"No threshold up to {LARGEST_THRESHOLD} keeps δ = {short(wanted)} at ε = {short(at)}. Allow a larger "
            "epsilon or delta."
        )
    return found


def _first(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """The first number above `low`, where it does not hold, at which it does; steps double from `high`."""
    below, above = scan(holds, low, climb(high, lambda at: 2 * at - low, lambda at: at > LARGEST_THRESHOLD))
    return None if above is None else least(holds, below, above, middle=whole_halfway)[1]


def _at_one_mean(least: int, epsilon: Fraction, against: Attack) -> float:
    """A lower bound on δ of a threshold: at (k - 1) e^-ε others expected, which is the worst mean or near it."""
    mean = max(0, least - 1 - against.known) * math.exp(-float(epsilon))
    at = mean if against.rate is None else round(mean / float(against.rate))
    cell = LabelCell(against.family, ListedMeans([at]), _moved(Threshold(least), against.known))
    return WorstMeans((cell,)).find(epsilon).delta.lower


def base_needed(
    *,
    epsilon: Number,
    delta: Number,
    least: int = 1,
    against: Attack = ANYBODY,
    bases: Sequence[int] = BASES,
) -> int | None:
    """The least base of the ladder such that rounding to it (and hiding counts below `least`) keeps δ at this ε; None
    if none does. Coarser may leak more, so each base is judged by itself.
    """
    at, wanted = checked_epsilon(epsilon), checked_delta(delta)
    for base in sorted(bases):
        if _find(Threshold(least, base=base), at, against, 1e-6, wanted)[1].delta.certainly_at_most(wanted):
            return base
    return None


def worths(
    rules: Sequence[Rule],
    *,
    epsilons: Sequence[Number],
    against: Attack = ANYBODY,
) -> list[Worth]:
    """Each rule at each epsilon. δ falls as ε rises, so that a bound at a smaller ε holds at a larger one too."""
    found = []
    for rule in rules:
        mine = [worth(rule, epsilon=epsilon, against=against) for epsilon in epsilons]
        for one in mine:
            upper = min(other.delta.upper for other in mine if other.epsilon <= one.epsilon)
            found.append(replace(one, delta=Bracket(min(one.delta.lower, upper), upper)))
    return found


def table(found: Sequence[Worth]) -> str:
    """A line a rule, a column an epsilon: δ from above, four digits."""
    epsilons = list(dict.fromkeys(one.epsilon for one in found))
    names = list(dict.fromkeys(str(one.rule) for one in found))
    cells = {(str(one.rule), one.epsilon): at_most(one.delta.upper) for one in found}
    heads = [f"δ at ε = {short(epsilon)}" for epsilon in epsilons]
    wide = max(len(name) for name in [*names, "rule"])
    lines = ["  ".join(["rule".ljust(wide), *(head.rjust(12) for head in heads)]).rstrip()]
    for name in names:
        values = [cells[name, epsilon].rjust(max(12, len(head))) for epsilon, head in zip(epsilons, heads, strict=True)]
        lines.append("  ".join([name.ljust(wide), *values]))
    return "\n".join(lines)


def as_json(found: Sequence[Worth]) -> list[dict[str, object]]:
    """For machines: bounds as numbers, and as they may be printed."""
    return [
        {
            "rule": str(one.rule),
            "epsilon": float(one.epsilon),
            "delta": [one.delta.lower, one.delta.upper],
            "delta_printed": [at_least(one.delta.lower), at_most(one.delta.upper)],
            "secret": one.attack.secret,
            "rate": None if one.attack.rate is None else str(one.attack.rate),
            "known": one.attack.known,
            "worst_others_expected": [float(mean) * float(one.attack.rate or 1) for mean in one.at],
            "witness": str(one.witness),
            "why": one.why,
        }
        for one in found
    ]
