"""Percentages for a data subject are never rounded to the wrong side."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import one_in, percent
from dalenius.show.subject import Subject


def test_percentages_and_chances_are_rounded_outwards() -> None:
    assert percent(Fraction(1, 3)) == "33.3 %" and percent(Fraction(1, 3), up=True) == "33.4 %"
    assert percent(Fraction(12345, 10**6)) == "1.23 %" and percent(Fraction(12345, 10**6), up=True) == "1.24 %"
    assert percent(Fraction(1)) == "100 %" and percent(Fraction(0)) == "0 %"
    assert percent(1 - Fraction(1, 10**6)) == "99.9999 %" and percent(1 - Fraction(1, 10**30)) == "99.9999999999 %"
    assert (
        percent(1 - Fraction(1, 10**7), up=True) == "99.99999 %"
        and percent(1 - Fraction(1, 10**30), up=True) == "100 %"
    )
    assert one_in(Fraction(3, 10**7)) == "1 in 3,333,333" and one_in(Fraction(1, 2)) == "50 %"
    hair = Fraction(1, 10**20)
    assert percent(Fraction(1, 8) + hair, up=True) == "12.6 %" and percent(Fraction(1, 8) - hair) == "12.4 %"


def test_percentage_points_are_not_rounded_down_before_they_are_rounded_up() -> None:
    """The float 0.003 is above 3/1000, and a hundred times it is 0.3 in floats."""
    odds = SimpleNamespace(log=1, factor=2.0, failure=0, shift=0.003, after=lambda _: Bracket(0.25, 0.5))
    here: Any = SimpleNamespace(
        odds=odds,
        presence=True,
        near=None,
        _shown=list,
        _tested=str,
        _records="your record",
        apart=True,
        _viewed=lambda _: [],
    )
    assert Fraction(0.003) > Fraction(3, 1000) and 100 * 0.003 == 0.3
    assert "moves by more than 0.301 percentage points" in "\n".join(Subject._with(here))
