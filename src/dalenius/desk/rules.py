"""What a rule of thumb is worth, as text and for machines."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast, final

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_RULE
from dalenius.numerics.formats import short
from dalenius.numerics.rounding import ASSUMPTIONS
from dalenius.plan import rules
from dalenius.plan.rules.worth import Secret, checked_delta, checked_epsilon
from dalenius.show.rule_chart import check_chart, draw_rules

if TYPE_CHECKING:
    from dalenius.plan.rules.rule import Zeros

ASSUMES = (
    "the others in the cell are independent of the person, as stated, and of the other cells",
    "no total, no other table and no earlier release tells a hidden count by subtraction",
    *ASSUMPTIONS,
)
COMPARED = (rules.CENSUS_COUNTS, rules.CENSUS_2000, rules.SUPPRESS_1_TO_10, rules.Threshold(1, base=5))


@final
@dataclass(frozen=True, slots=True)
class RulesReport:
    """The rule asked about, common rules beside it, and what a target needs."""

    asked: tuple[rules.Worth, ...]
    beside: tuple[rules.Worth, ...]
    needed: tuple[tuple[str, str], ...]  # a line each: at which ε, what

    def text(self) -> str:
        parts = [rules.table([*self.asked, *self.beside]), *(str(one) for one in self.asked)]
        if self.needed:
            parts.append("\n".join(f"{where}: {what}" for where, what in self.needed))
        parts += [f"Note: {rules.GROUP}.", "Assumes: " + "; ".join(ASSUMES) + "."]
        return "\n\n".join(parts)

    def json(self) -> dict[str, object]:
        return {
            "asked": rules.as_json(self.asked),
            "beside": rules.as_json(self.beside),
            "needed": [{"at": where, "needs": what} for where, what in self.needed],
            "note": rules.GROUP,
            "assumes": list(ASSUMES),
        }


def rules_report(
    threshold: int,
    *,
    zeros: str,
    base: int,
    epsilons: Sequence[str],
    delta: str | None,
    secret: str,
    rate: str | None,
    known: int,
    chart: Path | None = None,
) -> RulesReport:
    """Judge a rule at each epsilon, beside common ones; with `delta`, say what would keep it; with `chart`, draw it."""
    for what, number in (("--threshold", threshold), ("--round", base)):
        if number > LARGEST_RULE:
            raise InputError(f"{what} needs a number of at most {LARGEST_RULE}, but got {number}. Take a usual rule.")
    rule = rules.Threshold(threshold, zeros=cast("Zeros", zeros), base=base)
    against = rules.attack(secret=cast("Secret", secret), rate=rate, known=known)
    if chart is not None:
        check_chart(chart)
    levels = [checked_epsilon(epsilon) for epsilon in epsilons]
    wanted = None if delta is None else checked_delta(delta)
    asked = rules.worths([rule], epsilons=levels, against=against)
    beside = rules.worths([other for other in COMPARED if other != rule], epsilons=levels, against=against)
    needed = []
    for level in levels:
        if wanted is None:
            break
        least = rules.threshold_needed(epsilon=level, delta=wanted, against=against)
        coarse = rules.base_needed(epsilon=level, delta=wanted, against=against)
        rounding = f"or round to {coarse}" if coarse else "no rounding up to 1000 is enough"
        needed.append((f"δ = {short(wanted)} at ε = {short(level)}", f"hide below {least}, zeros too; {rounding}"))
    if chart is not None:
        draw_rules(chart, epsilons=levels, marked=threshold, zeros=rule.zeros, base=base, against=against)
    return RulesReport(tuple(asked), tuple(beside), tuple(needed))
