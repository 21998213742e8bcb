"""The whole engine with brackets that are wide: what is safe rests on upper ends only, what fails on lower ones."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import wraps

import pytest

from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.curve import Curve

Ends = Callable[[Bracket], Bracket]


def lowered(found: Bracket) -> Bracket:
    """Nothing is known from below."""
    return Bracket(0.0, found.upper)


def raised(found: Bracket) -> Bracket:
    """Nothing is known from above."""
    return Bracket(found.lower, 1.0)


def kinds(kind: type[Curve] = Curve) -> Iterator[type[Curve]]:
    """All kinds of curves that are loaded."""
    for one in kind.__subclasses__():
        yield one
        yield from kinds(one)


def widen(monkeypatch: pytest.MonkeyPatch, ends: Ends) -> None:
    """Every curve answers with such brackets."""
    for kind in list(dict.fromkeys(kinds())):
        if "delta" in vars(kind):
            monkeypatch.setattr(kind, "delta", _wide(kind.delta, ends))


def _wide(delta: Callable[[Curve, Fraction], Bracket], ends: Ends) -> Callable[[Curve, Fraction], Bracket]:
    @wraps(delta)
    def wide(self: Curve, epsilon: Fraction) -> Bracket:
        return ends(delta(self, epsilon))

    return wide
