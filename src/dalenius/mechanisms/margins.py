"""Totals that protect a value, or a business's total, to within a margin: values that nobody bounds beforehand.

What is hidden is in which of two neighbouring ranges a value lies. If these ranges are at most W apart, and records (or
businesses) are independent, the figure plus Laplace noise of scale W/ε hides it within ε: given either range, the
figures can be coupled within W of each other, and the noise's density moves by at most e^(W/scale).
"""

import math
from abc import abstractmethod
from collections.abc import Iterable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.belief import Belief, Marginals
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.balls import Balls, log_of
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.formats import nearly, short
from dalenius.facts.records import exact
from dalenius.facts.secret import Secret, Within
from dalenius.mechanisms.laplace import STEPS, Lattice
from dalenius.mechanisms.stated import Answer, Stated, checked_epsilon, pure
from dalenius.numerics.exponentials import logarithm
from dalenius.numerics.law import Law
from dalenius.numerics.pure import GeometricCurve

Number = float | str | Fraction
FINE = 4096  # steps of a logarithm in a margin
HALF = 0.499
DIGITS = 60  # of a logarithm
CLOSEST = Fraction(1, 10**25)  # a step is then above 1e-29
SOURCE = "Kifer and Machanavajjhala 2014, {} (noise on a lattice)"


class _Margin(Stated):
    """A figure on a lattice plus Laplace noise, for ranges that are less than `shift` steps apart or as much."""

    lattice: Lattice
    shift: int

    def curve(self) -> GeometricCurve:
        """The exact curve of the noise at the largest distance; it is attained by values that are certain."""
        return GeometricCurve(self.shift, self.lattice.scale)

    def level(self) -> Bracket:
        """ε of what is released: the largest distance over the scale. Attained by two values, all else known."""
        return around(self.shift / self.lattice.scale, self.shift / self.lattice.scale)

    def law(self, figure: Number) -> Law:
        """The law of what is published of a figure, in steps."""
        return self.lattice.law(figure)

    @property
    def scale(self) -> Fraction:
        """The scale of the noise, in the units of the figure."""
        return self.lattice.scale * self.lattice.step

    @abstractmethod
    def told(self) -> str:
        """What is released, in one line."""


@final
class SumWithin(_Margin):
    """The total of values, each hidden to within ±k: that it lies in [x-k, x+k) against [x+k, x+3k) or [x-3k, x-k), for
    every x. Values may be as large as they like. The noise has scale 4k/ε.

    >>> SumWithin(1000, epsilon=1).scale
    Fraction(4000, 1)
    """

    def __init__(self, margin: Number, *, epsilon: Number, unit: Number = 1) -> None:
        self.margin, self.epsilon = exact(margin, name="margin"), checked_epsilon(epsilon)
        require(self.margin > 0, "a margin above 0", got=margin, remedy="Write 1000 to hide values to within ±1000.")
        self.lattice = Lattice(unit, 4 * self.margin / self.epsilon)
        # two multiples of the unit in half-open ranges are less than 4k apart
        self.shift = (math.ceil(4 * self.margin / self.lattice.unit) - 1) * STEPS
        require(self.shift > 0, "a margin above a quarter of the unit", got=margin, remedy="Use a finer unit.")

    def told(self) -> str:
        return f"the total plus Laplace noise of scale {short(self.scale)}, in steps of {short(self.lattice.step)}"

    def answers(self, belief: Belief, secret: Secret) -> Answer | None:
        """For independent records, whatever their laws and whoever is known, and values to within as much or less."""
        if not isinstance(belief, Marginals) or not isinstance(secret, Within) or secret.k > self.margin:
            return None
        for value in belief.domain():
            self.lattice.places(exact(value, name="A value"))
        return self.guarantees()[0], self.curve()

    def guarantees(self) -> tuple[Guarantee, ...]:
        return (
            pure(
                self,
                definition="Pufferfish with independent records",
                hides=f"a person's value to within ±{short(self.margin)}: in which of two neighbouring ranges it lies",
                attacker="believes that records are independent, with any laws",
                epsilon=self.level(),
                because="values in neighbouring ranges are less than four margins apart, and the noise hides that",
                assumes=("records are independent", "values are multiples of the unit", "the noise is drawn as stated"),
                breaks=("records that move together", "a person with more than one record: use BusinessTotal"),
                sources=(SOURCE.format("Lemma 8.1"),),
                notion=Notion.PUFFERFISH,
            ),
        )


@final
class GeometricMeanWithin(_Margin):
    """The total of the values' logarithms, which tells their geometric mean; each value is hidden to within a factor c:
    that it lies in [cy, y/c) against [y/c, y/c³) or [c³y, cy). For 10 % take c = 0.9; the paper's c = 0.1 is a
    factor of ten. The noise on the logarithm has scale 4k/ε with k = -ln c.

    A logarithm is rounded to k/4096, once for each record: that may add a step to the distance, and the last of its
    digits, of which there are at least twenty beyond the step, another; both are paid for.

    >>> print(f"{float(GeometricMeanWithin('0.9', epsilon=1).scale):.4f}")
    0.4215
    """

    def __init__(self, factor: Number, *, epsilon: Number) -> None:
        self.factor, self.epsilon = exact(factor, name="factor"), checked_epsilon(epsilon)
        if not 0 < self.factor < 1:
            raise InputError(
                f"factor must lie between 0 and 1, but got {factor}. Write 0.9 to hide values to within 10 %."
            )
        require(
            1 - self.factor >= CLOSEST,
            f"a factor of at most 1 - {float(CLOSEST):g}, or the noise is finer than logarithms can be computed",
            got=f"1 - {float(1 - self.factor):g}",
            remedy="Write 0.9 to hide values to within 10 %.",
        )
        apart = logarithm(1 / self.factor, 1 / self.factor)
        self.margin = apart  # k
        self.unit = Fraction(apart.lower) / FINE
        self.shift = math.ceil(4 * Fraction(apart.upper) / self.unit) + 2
        self.lattice = Lattice(self.unit, self.shift * self.unit / self.epsilon, steps=1)

    def figure(self, values: Iterable[Number]) -> Fraction:
        """The total of the rounded logarithms, a multiple of `unit`."""
        total = 0
        for value in values:
            number = exact(value, name="A value")
            if number <= 0:
                raise InputError("Relative protection needs values above 0, but one is not. Use SumWithin.")
            total += _steps(number, self.unit)
        return total * self.unit

    def told(self) -> str:
        return f"the total of logarithms plus Laplace noise of scale {nearly(self.scale, 4)}"

    def guarantees(self) -> tuple[Guarantee, ...]:
        return (
            pure(
                self,
                definition="Pufferfish with independent records",
                hides=f"a person's value to within a factor of {short(self.factor)}: in which of two neighbouring "
                "ranges it lies",
                attacker="believes that records are independent, with any laws",
                epsilon=Bracket(0.0, self.level().upper),
                because="logarithms in neighbouring ranges are less than four margins apart, and the noise hides that",
                assumes=("records are independent", "the noise is drawn as stated"),
                breaks=("records that move together", "a person with more than one record"),
                sources=(SOURCE.format("section 8.1.2, with c = 0.9 for 10 %"),),
                notion=Notion.PUFFERFISH,
            ),
        )


@final
class BusinessTotal(_Margin):
    """The total over independent businesses, with the own total of each hidden to within ±r: that it is at most r from
    some number against more than r but at most 2r, for every number. Records of one business may depend on each
    other. Such totals are at most 3r apart, so the noise has scale 3r/ε; with `ranges="neighbouring"` they are those of
    `SumWithin`, and it has 4r/ε.

    >>> import dalenius as dl
    >>> dl.mechanisms.BusinessTotal(50_000, epsilon="0.5", unit=100).scale
    Fraction(300000, 1)
    """

    def __init__(self, margin: Number, *, epsilon: Number, unit: Number = 1, ranges: str = "ring") -> None:
        self.margin, self.epsilon = exact(margin, name="margin"), checked_epsilon(epsilon)
        require(self.margin > 0, "a margin above 0", got=margin, remedy="Write the error that you can live with.")
        require(ranges in ("ring", "neighbouring"), 'ranges="ring" or ranges="neighbouring"', got=ranges)
        apart = 3 * self.margin if ranges == "ring" else 4 * self.margin
        self.lattice = Lattice(unit, apart / self.epsilon)
        steps = apart / self.lattice.unit
        self.shift = (math.floor(steps) if ranges == "ring" else math.ceil(steps) - 1) * STEPS
        require(self.shift > 0, "a margin of at least a unit", got=margin, remedy="Use a finer unit.")

    def told(self) -> str:
        return f"the total plus Laplace noise of scale {short(self.scale)}, in steps of {short(self.lattice.step)}"

    def guarantees(self) -> tuple[Guarantee, ...]:
        return (
            pure(
                self,
                definition="Pufferfish with independent businesses",
                hides=f"a business's own total to within ±{short(self.margin)}",
                attacker="believes that businesses are independent, with any laws, and each one's records in any way",
                epsilon=self.level(),
                because="own totals in the two ranges are no further apart than the noise hides",
                assumes=(
                    "businesses are independent",
                    "values are multiples of the unit",
                    "the noise is drawn as stated",
                ),
                breaks=("businesses that move together",),
                sources=(SOURCE.format("section 8.2 and Lemma 8.1"),),
                notion=Notion.PUFFERFISH,
            ),
        )


def _steps(number: Fraction, unit: Fraction) -> int:
    """A logarithm rounded to the unit: by floats where they tell, else with many digits."""
    steps = log_of(number) / Balls.of(unit)
    near = float(steps.middle)
    if float(steps.radius) + abs(near - round(near)) < HALF:
        return round(near)
    return round(_log(number) / unit)


def _log(number: Fraction) -> Fraction:
    """A logarithm to within 10^(2 - DIGITS) times the larger of those of numerator and denominator, of any fraction."""
    with localcontext(Context(prec=DIGITS)):
        return Fraction(Decimal(number.numerator).ln() - Decimal(number.denominator).ln())
