"""Curves and posteriors that draw themselves."""

from xml.etree import ElementTree as ET

import pytest

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.show.pictures import curve_picture, posterior_picture

BELIEF = dl.IID(p="0.2", n=100)


def test_a_curve_draws_itself_in_a_notebook() -> None:
    curve = dl.curve(dl.Count(), BELIEF)
    found = curve._repr_svg_()
    root = ET.fromstring(found)
    assert root.tag.endswith("svg")
    assert "δ falls from" in found
    assert f"{curve.delta(0).upper:.3g}" in found  # type: ignore[arg-type]  # a whole number is exact


def test_a_curve_of_nothing_says_so() -> None:
    from dalenius.numerics.curve import Constant

    assert "nothing is told" in curve_picture(Constant(0.0))
    with pytest.raises(InputError, match="above 0"):
        curve_picture(Constant(0.5), largest=0)


def test_posteriors_are_drawn_around_the_prior() -> None:
    made = dl.posteriors(dl.Count(), dl.noiseless(BELIEF), (1, 0))
    found = posterior_picture(made, prior="0.1")
    ET.fromstring(found)
    assert "A belief of 0.1 becomes" in found and ">before<" in found
    with pytest.raises(InputError, match="at least one outcome"):
        posterior_picture([], prior="0.1")
