"""What rules for totals promise: dominance and p %, as the relative precision of the largest contribution that they
hide.

A total T = x₁ + x₂ + R is published if a rule says so; x₁ is the largest contribution, and the second contributor, who
knows x₂, wants to know x₁. Both rules see to it that R ≥ s x₁:

- p %: T - x₁ - x₂ ≥ (p/100) x₁, so s = p/100;
- (n, k): the n largest make up at most k % of T. For n ≥ 2, T - x₁ - x₂ ≥ (100/k - 1) x₁, so s = 100/k - 1. For n = 1
  two equal contributors pass (k ≥ 50), R is 0, and one of them reads the other off: s = 0; for k < 50, s = 100/k - 2.

By itself that is an interval and not a probability: x₁ is overestimated by a share of s or more. It hides something
only from who is uncertain about R. If the attacker thinks R uniform within ±u of its middle R₀ (0 < u < 1), and the
rule holds for all that they think possible, then x₁ = y and x₁ = y (1 + c) lead to uniform laws of width 2 u R₀ that
are moved by c y against each other. At every ε ≥ 0 the divergence is c y / (2 u R₀), and R₀ (1 - u) ≥ s y (1 + c),
hence at worst

    δ = c (1 - u) / (2 u s (1 + c)).

This is Pufferfish with pairs of values up to a factor 1 + c, and it is attained.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.basics.errors import InputError, require
from dalenius.enclosure.formats import short
from dalenius.facts.records import exact

Number: TypeAlias = float | str | Fraction


@final
@dataclass(frozen=True, slots=True)
class SumRule:
    """A rule for totals: the others contribute at least `share` times the largest contribution."""

    name: str
    share: Fraction

    def delta(self, *, precision: Number, uncertain: Number) -> Fraction:
        """The least δ, at every ε, for values of the largest contributor that differ by this relative `precision`,
        against a second contributor who knows the rest to within ±`uncertain`, uniformly. Exact.

        >>> p_percent(10).delta(precision="1/100", uncertain="1/2")
        Fraction(5, 101)
        """
        change, doubt = exact(precision, name="precision"), _doubt(uncertain)
        require(change > 0, "a precision above 0", got=precision, remedy="Write 0.05 for 5 %.")
        if self.share == 0:
            return Fraction(1)
        return min(Fraction(1), change * (1 - doubt) / (2 * doubt * self.share * (1 + change)))

    def precision(self, *, delta: Number, uncertain: Number) -> Fraction | None:
        """The largest relative precision that is hidden at this δ; None if every one is.

        >>> p_percent(10).precision(delta="5/101", uncertain="1/2")
        Fraction(1, 100)
        """
        small, doubt = exact(delta, name="delta"), _doubt(uncertain)
        require(0 < small < 1, "a delta strictly between 0 and 1", got=delta)
        part = small * 2 * doubt * self.share / (1 - doubt)
        return part / (1 - part) if part < 1 else None

    def __str__(self) -> str:
        if self.share == 0:
            return f"{self.name}: hides nothing from the second contributor"
        return (
            f"{self.name}: the second contributor overestimates the largest by a share of {short(self.share)} or more"
        )


def p_percent(p: Number) -> SumRule:
    """The p % rule: a total is published if the second contributor cannot tell the largest to within p %."""
    share = exact(p, name="p") / 100
    require(share > 0, "a p above 0", got=p, remedy="Write 10 for the 10 % rule.")
    return SumRule(f"p % rule, p = {short(share * 100)}", share)


def dominance(n: int, k: Number) -> SumRule:
    """The (n, k) rule: a total is published if its n largest contributions make up at most k % of it."""
    part = exact(k, name="k") / 100
    if isinstance(n, bool) or n != int(n) or n < 1:
        raise InputError(f"The (n, k) rule needs a whole number n of at least 1, but got {n!r}. Common is (2, 85).")
    require(0 < part < 1, "a k strictly between 0 and 100", got=k)
    share = 1 / part - 1 if n >= 2 else max(Fraction(0), 1 / part - 2)  # x₂ ≤ x₁, so R ≥ T - 2 x₁
    return SumRule(f"dominance rule, n = {n}, k = {short(part * 100)}", share)


def _doubt(uncertain: Number) -> Fraction:
    doubt = exact(uncertain, name="uncertain")
    require(0 < doubt < 1, "an uncertainty strictly between 0 and 1", got=uncertain, remedy="Write 0.5 for ±50 %.")
    return doubt
