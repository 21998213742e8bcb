"""Laplace noise on a fine lattice."""

import math
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError, require
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.formats import apart, short
from dalenius.facts.records import exact
from dalenius.mechanisms.channel import TwoSidedGeometric
from dalenius.mechanisms.stated import Stated, checked_epsilon, drawn_scale, pure
from dalenius.numerics.law import Law, point
from dalenius.numerics.pure import GeometricCurve, LaplaceCurve

STEPS = 1024  # a unit is cut into as many before noise is drawn
LARGEST_SCALE = 2**40
LARGEST_LISTED = 2**16


@final
class Lattice:
    """Figures that are multiples of a unit, and noise of this scale on steps that are a part of it: two-sided geometric
    noise, which is Laplace noise for all that matters at such steps, and is drawn without rounding.
    """

    def __init__(self, unit: float | str | Fraction, scale: Fraction, *, steps: int = STEPS) -> None:
        self.unit, self.steps = exact(unit, name="unit"), steps
        require(self.unit > 0, "a unit above 0", got=unit, remedy="Write 1 for whole numbers, 0.01 for cents.")
        self.step = self.unit / steps
        self.scale = drawn_scale(scale / self.step)  # in steps
        if self.scale > LARGEST_SCALE:
            raise InputError(
                "Noise may have a scale of up to 2^40 steps, but it would be "
                f"{apart(self.scale, LARGEST_SCALE)} of {self.step}. Use a coarser unit."
            )

    def places(self, figure: float | str | Fraction) -> int:
        """The figure in steps. The message does not tell a confidential one."""
        found = exact(figure, name="The figure") / self.unit
        if found.denominator != 1:
            raise InputError(f"The figure must be a multiple of the unit {self.unit}, but it is not. Use a finer unit.")
        return int(found) * self.steps

    def law(self, figure: float | str | Fraction) -> Law:
        """The law of what is published, in steps. Cost O(scale)."""
        require(
            self.scale <= LARGEST_LISTED,
            f"noise of a scale of at most {LARGEST_LISTED} steps, to list it",
            got=float(self.scale),
            remedy="Use a coarser unit.",
        )
        return TwoSidedGeometric(self.scale).push(point(self.places(figure)))


@final
class LaplaceNoise(Stated):
    r"""A figure plus Laplace noise of scale s/ε, where one record moves the figure by at most s.

    It is ε-differentially private, and exactly $\delta(e) = \max(0, 1 - e^{(e-\epsilon)/2})$ at smaller e (`ideal`).
    What is released is on a lattice, with a curve of its own (`curve`), which is above that by at most ε²/(8m²)
    with m the steps of s. The standard deviation is √2 s/ε.

    >>> noise = LaplaceNoise(1, epsilon=1)
    >>> print(noise.ideal().delta(Fraction(1, 2)), noise.curve().delta(Fraction(1, 2)), noise.deviation())
    [0.2211, 0.2212] [0.2211, 0.2212] [1.414, 1.415]
    """

    differential = True

    def __init__(
        self,
        sensitivity: float | str | Fraction,
        *,
        epsilon: float | str | Fraction,
        unit: float | str | Fraction = 1,
    ) -> None:
        self.sensitivity, self.epsilon = exact(sensitivity, name="sensitivity"), checked_epsilon(epsilon)
        require(self.sensitivity > 0, "a sensitivity above 0", got=sensitivity)
        self.lattice = Lattice(unit, self.sensitivity / self.epsilon)

    @property
    def shift(self) -> int:
        """By how many steps one record moves the figure, which is a multiple of the unit."""
        return math.floor(self.sensitivity / self.lattice.unit) * STEPS

    @property
    def scale(self) -> Fraction:
        return self.lattice.scale * self.lattice.step

    def law(self, figure: float | str | Fraction) -> Law:
        """The law of what is published, in steps of 1/1024 unit."""
        return self.lattice.law(figure)

    def deviation(self) -> Bracket:
        """√2 times the scale; that of noise on the lattice is smaller by less than one part in 24 scale²."""
        wide = Balls.of(2 * self.scale**2).sqrt()
        thin = Balls.of(max(Fraction(0), 1 - 1 / (12 * self.lattice.scale**2)))
        return Bracket(max(0.0, float((wide * thin).lower)), float(wide.upper))

    def ideal(self) -> LaplaceCurve:
        """The curve of continuous Laplace noise of scale s/ε."""
        return LaplaceCurve(self.epsilon)

    def curve(self) -> GeometricCurve:
        """The curve of what is released: exact."""
        return GeometricCurve(self.shift, self.lattice.scale)

    def told(self) -> str:
        return f"the figure plus Laplace noise of scale {short(self.scale)}, in steps of {short(self.lattice.step)}"

    def guarantees(self) -> tuple[Guarantee, ...]:
        level = self.shift / self.lattice.scale
        return (
            pure(
                self,
                definition="differential privacy",
                hides="one record's value",
                attacker="knows every record but one",
                epsilon=around(level, level),
                because="the noise's likelihood ratio at the largest shift; larger shifts tell more",
                assumes=(
                    f"one record moves the figure by at most {short(self.sensitivity)}",
                    "the noise is drawn as stated",
                ),
                breaks=("a person with more than one record",),
                sources=("Dwork, McSherry, Nissim and Smith 2006",),
                notion=Notion.DIFFERENTIAL,
            ),
        )
