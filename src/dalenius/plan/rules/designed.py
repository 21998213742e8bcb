r"""The perturbation table of least variance for a given (ε, δ).

A table says, for every count c, how likely each k is to be added: p_c(k), |k| <= D, without bias (but for a count of 0,
which can only become larger), and never below 0. From some count S on all rows are alike. Two neighbouring counts must
look alike to within (ε, δ), both ways:

$$ \sum_y \max(0, p_{c+1}(y - c - 1) - e^\epsilon p_c(y - c)) \le \delta, $$

and the variances (of the settled row above all) are as small as can be. That is a linear program: one variable for each
excess. **A solver only searches.** Its solution is written in fractions of a common denominator, whose sums and means
are made exact, and is then priced by `dice.price` in exact arithmetic; where it is beyond δ, the program is asked for
a little less.

*Zeros that stay zeros.* If a count of 0 is published as 0 for sure, a count of 1 may become more than 0 with
probability at most δ, a count of 2 with little more, and so on: **such small counts cannot be without bias**. Then only
settled rows are, and of the others the mean square of what is added is small.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from dalenius.basics.errors import InputError, require
from dalenius.enclosure.formats import nearly
from dalenius.facts.records import is_whole
from dalenius.numerics.law import Floats
from dalenius.plan.rules.dice import CellKeys, Chances, RandomWorth, price

LARGEST_REACH = 40
WHOLE = 10**9  # the common denominator of all chances
LESS = (Fraction(1, 10**6), Fraction(1, 10**4), Fraction(1, 100))  # of δ that is given up to rounding
EARLY = 1e-3  # what the variance of a small count weighs beside that of all larger ones
NEVER = "no table with steps of up to {reach} keeps δ = {delta:g} at ε = {epsilon:g}"


@final
@dataclass(frozen=True, slots=True)
class Designed:
    """A table, what it is worth, and its variances: of large counts, and the largest of all."""

    table: CellKeys
    worth: RandomWorth
    variance: Fraction

    def __str__(self) -> str:
        return f"{self.worth}; {nearly(self.variance, 4)} for large counts"

    def csv(self) -> str:
        """The table as lines of count, step and chance."""
        lines = ["count,step,chance"]
        for count, law in sorted(self.table.rows.items()):
            lines += [f"{count},{step},{chance}" for step, chance in sorted(law.items())]
        return "\n".join(lines) + "\n"


def design(*, epsilon: Fraction, delta: Fraction, reach: int, zeros: bool = False) -> Designed:
    """The table of least variance that keeps δ at ε, adding up to `reach` either way; `zeros`: whether a count of 0 is
    published as 0, always, which biases small counts.
    """
    require(is_whole(reach) and 1 <= reach <= LARGEST_REACH, f"steps of up to 1 to {LARGEST_REACH}", got=reach)
    if not 0 <= delta < 1:
        raise InputError(f"delta must be at least 0 and below 1, but got {float(delta):g}. Write 0.01, for example.")
    for less in LESS:
        rows = _solved(float(epsilon), float(delta * (1 - less)), reach, zeros=zeros)
        table = None if rows is None else _exact(rows, reach, zeros=zeros)
        if table is None:
            continue
        found = price(table, epsilon=epsilon)
        if found.delta.certainly_at_most(delta):
            law = table.law(table.last)
            mean = table.last
            return Designed(table, found, sum(((v - mean) ** 2 * p for v, p in law.items()), Fraction(0)))
    raise InputError(
        NEVER.format(reach=reach, delta=float(delta), epsilon=float(epsilon)).capitalize()
        + ". Allow larger steps, or a larger epsilon or delta."
    )


def _solved(epsilon: float, delta: float, reach: int, *, zeros: bool) -> list[Floats] | None:
    """Rows for counts from 0 to the first settled one, in floats; None if there are none."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    settled, width = (2 if zeros else 1) * reach + 1, 2 * reach + 1
    rows, factor = settled + 1, float(np.exp(epsilon))

    def at(count: int, value: int) -> int | None:
        """The variable of a published value, if the count may become it."""
        step = value - count
        return min(count, settled) * width + step + reach if abs(step) <= reach and value >= 0 else None

    number = rows * width
    cost = np.zeros(number)
    bounds: list[tuple[float, float | None]] = [(0.0, 1.0)] * number
    for count in range(rows):
        for step in range(-reach, reach + 1):
            place = count * width + step + reach
            cost[place] = step * step * (1.0 if count == settled else EARLY)
            if count + step < 0 or (zeros and count == 0 and step):
                bounds[place] = (0.0, 0.0)
    same = [(count, count * width + step + reach, 1.0) for count in range(rows) for step in range(-reach, reach + 1)]
    same += [
        (rows + count, count * width + step + reach, float(step))
        for count in range(settled if zeros else 1, rows)
        for step in range(-reach, reach + 1)
    ]
    equal = np.r_[np.ones(rows), np.zeros(rows)]
    most: list[tuple[int, int, float]] = []
    limits: list[float] = []
    for count in range(settled + 1):  # the last pair: a settled row against itself, moved
        for first, second in ((count, count + 1), (count + 1, count)):
            excesses = []
            for value in range(max(0, first - reach), first + reach + 1):
                one, other = at(first, value), at(second, value)
                if one is None:
                    continue
                excess, number = number, number + 1
                excesses.append(excess)
                most += [(len(limits), one, 1.0), (len(limits), excess, -1.0)]
                most += [(len(limits), other, -factor)] if other is not None else []
                limits.append(0.0)
            most += [(len(limits), excess, 1.0) for excess in excesses]
            limits.append(delta)
    bounds += [(0.0, None)] * (number - len(bounds))
    cost = np.r_[cost, np.zeros(number - len(cost))]

    def matrix(entries: list[tuple[int, int, float]], height: int) -> Any:
        where = np.array([entry[:2] for entry in entries]).T
        return coo_array((np.array([entry[2] for entry in entries]), (where[0], where[1])), (height, number)).tocsr()

    solved = linprog(
        cost,
        A_ub=matrix(most, len(limits)),
        b_ub=limits,
        A_eq=matrix(same, 2 * rows),
        b_eq=equal,
        bounds=bounds,
        method="highs",
    )
    return None if not solved.success else list(np.clip(solved.x[: rows * width], 0.0, 1.0).reshape(rows, width))


def _exact(rows: Sequence[Floats], reach: int, *, zeros: bool) -> CellKeys | None:
    """The rows as fractions: rounded to a common denominator, with sums and means mended where steps are small."""
    found: dict[int, Chances] = {}
    for count, row in enumerate(rows):
        parts = {step: round(float(row[step + reach]) * WHOLE) for step in range(-reach, reach + 1)}
        law = {0: WHOLE} if zeros and count == 0 else _mended(parts, biased=count < (len(rows) - 1 if zeros else 1))
        if min(law.values()) < 0:
            return None
        found[count] = {step: Fraction(many, WHOLE) for step, many in sorted(law.items()) if many}
    return CellKeys(found, 1, 0, f"designed, steps of up to {reach}")


def _mended(parts: Mapping[int, int], *, biased: bool) -> dict[int, int]:
    """Whole numbers that add up to `WHOLE`, and unless `biased` to nothing with their steps, by changes at -1 to 1."""
    law = {step: many for step, many in parts.items() if many}
    mean = sum(step * many for step, many in law.items()) if not biased else 0
    side = -1 if mean > 0 else 1
    if mean:
        law[side] = law.get(side, 0) + abs(mean)
    law[0] = law.get(0, 0) + WHOLE - sum(law.values())
    return law
