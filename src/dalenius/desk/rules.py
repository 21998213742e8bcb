"""What a rule of thumb is worth, as text and for machines."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, final

from dalenius.basics.errors import InputError
from dalenius.basics.limits import LARGEST_RULE
from dalenius.enclosure.floats import ASSUMPTIONS
from dalenius.enclosure.formats import percent, short
from dalenius.plan import rules
from dalenius.plan.rules.designed import design
from dalenius.plan.rules.dice import (
    CellKeys,
    Chances,
    Fixed,
    RandomRounding,
    RandomRule,
    RandomWorth,
    Repeated,
    Then,
    averaged,
    price,
)
from dalenius.plan.rules.worth import Secret, checked_delta, checked_epsilon
from dalenius.show.rule_chart import check_chart, draw_rules

if TYPE_CHECKING:
    from dalenius.plan.rules.rule import Zeros

ASSUMES = (
    "the others in the cell are independent of the person, as stated, and of the other cells",
    "no total, no other table and no earlier release tells a hidden count by subtraction",
    *ASSUMPTIONS,
)
DICE = (
    "presence is hidden against somebody who knows everybody else in the cell; which of two cells a person is in shows "
    "in both of them, so that it takes two cells"
)
KEYS = ("what is drawn for different cells is independent, and keys are as likely as each other",)
AVERAGED = 37  # people of the cell of which answers are averaged
ANSWERS = (1, 10, 100)
LARGEST_TABLE = 200  # rows of a table that are written out
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
    midpoint: int | None = None,
) -> RulesReport:
    """Judge a rule at each epsilon, beside common ones; with `delta`, say what would keep it; with `chart`, draw it.
    `midpoint`: the middles of intervals of so many counts instead.
    """
    for what, number in (("--threshold", threshold), ("--round", base)):
        if number > LARGEST_RULE:
            raise InputError(f"{what} needs a number of at most {LARGEST_RULE}, but got {number}. Take a usual rule.")
    hiding = rules.Threshold(threshold, zeros=cast("Zeros", zeros), base=base)
    rule = hiding if midpoint is None else rules.Midpoint(midpoint)
    if midpoint is not None and chart is not None:
        raise InputError("--chart draws thresholds, but --midpoint has none. Leave one of them out.")
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
        draw_rules(chart, epsilons=levels, marked=threshold, zeros=hiding.zeros, base=base, against=against)
    return RulesReport(tuple(asked), tuple(beside), tuple(needed))


@final
@dataclass(frozen=True, slots=True)
class Dice:
    """A rule with dice, as it was asked for: one of rounding at random, a table, or a table that is to be designed."""

    threshold: int
    random_round: int | None
    table: Path | None
    design: int | None
    zeros: Literal["kept", "free"]
    delta: str | None
    cells: int
    times: int
    repeated: Repeated

    def rule(self, epsilon: Fraction) -> RandomRule:
        """The rule; a designed one is another one for each epsilon."""
        if sum(way is not None for way in (self.random_round, self.table, self.design)) > 1:
            raise InputError("Needed one of --random-round, --table and --design, but got several. Keep one of them.")
        if self.table is not None:
            return CellKeys.read(self.table, least=self.threshold if self.threshold > 1 else 0)
        if self.random_round is not None:
            rounding = RandomRounding(self.random_round)
            return rounding if self.threshold == 1 else Then(Fixed(self.threshold), rounding)
        if self.delta is None:
            raise InputError("--design needs a --delta to keep, but got none. Write --delta 0.01, for example.")
        wanted = checked_delta(self.delta)
        found = design(epsilon=epsilon, delta=wanted, reach=self.design or 0, zeros=self.zeros == "kept")
        return found.table if self.threshold == 1 else Then(found.table, Fixed(self.threshold))


@final
@dataclass(frozen=True, slots=True)
class DiceReport:
    """What rules with dice are worth, and what is left of their noise once answers are averaged."""

    found: tuple[RandomWorth, ...]
    averages: tuple[tuple[int, float], ...]

    def text(self) -> str:
        """In plain words."""
        parts = ["\n".join(map(str, self.found))]
        if self.averages:
            told = ", ".join(f"{answers} answers {percent(Fraction(chance))}" for answers, chance in self.averages)
            parts.append(
                f"Averaging independent answers about one cell of {AVERAGED} people, rounded, gives the true count "
                f"with probability (about): {told}."
            )
        parts += [f"Note: {DICE}.", "Assumes: " + "; ".join(KEYS) + "."]
        return "\n\n".join(parts)

    def json(self) -> dict[str, object]:
        """The same for machines."""
        return {
            "asked": [
                {
                    "rule": str(one.rule),
                    "epsilon": float(one.epsilon),
                    "delta": [one.delta.lower, one.delta.upper],
                    "worst_between": [one.count, one.count + 1],
                    "cells": one.cells,
                    "times": one.times,
                    "repeated": one.repeated,
                    "variance_at_most": float(one.spread),
                    "bias_at_most": float(one.bias),
                }
                for one in self.found
            ],
            "table": [
                {"count": count, "add": {str(s): str(p) for s, p in sorted(law.items())}} for count, law in self._rows()
            ],
            "averages": [{"answers": answers, "true_count": chance} for answers, chance in self.averages],
            "note": DICE,
            "assumes": list(KEYS),
        }

    def _rows(self) -> list[tuple[int, Chances]]:
        """Of a designed table, for the last epsilon."""
        rule = self.found[-1].rule
        return sorted(rule.rows.items()) if isinstance(rule, CellKeys) and len(rule.rows) <= LARGEST_TABLE else []


def dice_report(dice: Dice, *, epsilons: Sequence[str]) -> DiceReport:
    """Judge a rule with dice at each epsilon."""
    levels = [checked_epsilon(epsilon) for epsilon in epsilons]
    rules_ = [dice.rule(level) for level in levels]
    found = [
        price(rule, epsilon=level, cells=dice.cells, times=dice.times, repeated=dice.repeated)
        for rule, level in zip(rules_, levels, strict=True)
    ]
    averages = [] if dice.repeated == "keyed" else [(many, averaged(rules_[0], AVERAGED, many)) for many in ANSWERS]
    return DiceReport(tuple(found), tuple(averages))
