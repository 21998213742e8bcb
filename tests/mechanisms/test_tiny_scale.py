"""Noise of next to no scale is no noise at all, and its law says so."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.mechanisms import discrete_gaussian, two_sided_geometric
from dalenius.numerics.law import Law


@pytest.mark.parametrize("scale", ["1e-300", "1e-30", "1/2000", "1/900"])
@pytest.mark.parametrize("noise", [two_sided_geometric, discrete_gaussian])
def test_nothing_is_added(noise, scale):
    before = Law(3, np.array([0.25, 0.5, 0.25]), np.full(3, 1e-17), 0.0)
    with np.errstate(over="raise", invalid="raise"):
        after = noise(Fraction(scale)).push(before)
    masses = {after.start + place: mass for place, mass in enumerate(after.mass) if mass > 1e-200}
    assert masses == pytest.approx({3: 0.25, 4: 0.5, 5: 0.25}, rel=1e-12)
    assert (after.error < 1e-10).all()
