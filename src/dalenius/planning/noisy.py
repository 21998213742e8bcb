"""Noise on every figure of a group composes as differential privacy, whatever is known and believed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from dalenius.errors import InputError
from dalenius.figures import Figure
from dalenius.judgement import Judge
from dalenius.mechanisms import Chain
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import point
from dalenius.numerics.shifts import ShiftCurve

LARGEST_SCALE = 200_000  # units up to which the law of noise is listed


@final
@dataclass(frozen=True, slots=True, eq=False)
class Composed:
    """δ of noisy figures of one release about one person at the judge's ε; each combination is composed once."""

    judge: Judge
    _known: dict[tuple[str, ...], float] = field(default_factory=dict, repr=False)  # by names

    def upper(self, figures: Sequence[Figure]) -> float:
        """An upper bound; 1 if a figure that a person changes has no noise to begin with."""
        key = tuple(figure.name for figure in figures)
        if key not in self._known:
            self._known[key] = self._fresh(figures)
        return self._known[key]

    def _fresh(self, figures: Sequence[Figure]) -> float:
        moved = [(figure, self.judge.move(figure)) for figure in figures]
        noisy = [(Chain(figure.channel.links[:1]), far) for figure, far in moved if far]
        if any(not noise.random for noise, _ in noisy):
            return 1.0
        parts = [noise.pure(far) for noise, far in noisy]
        if sum((part for part in parts if part is not None), Fraction(0)) <= self.judge.epsilon and None not in parts:
            return 0.0
        try:
            curves = [(_alone(noise, far), 1) for noise, far in noisy]
            whole = curves[0][0] if len(curves) == 1 else compose(curves)
            return whole.delta(self.judge.epsilon).upper
        except InputError:  # too much to list
            return 1.0


def _alone(noise: Chain, far: int) -> Curve:
    """Noise against itself moved: it is log-concave, so the largest move tells most."""
    scale = getattr(noise.links[0], "scale", LARGEST_SCALE)
    if scale > LARGEST_SCALE:
        raise InputError(f"Noise of scale {float(scale):g} is too much to list. Declare a coarser unit.")
    return ShiftCurve(noise.push(point(0)), (far,))
