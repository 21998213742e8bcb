"""Percentages for a data subject are never rounded to the wrong side."""

from fractions import Fraction

from dalenius.report.subject import one_in, percent


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
