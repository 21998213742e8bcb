"""The probability that all of a cell are in a sample: what is open about its parts is open about it."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.beliefs.truncated import complete_cell
from dalenius.numerics.law import Law


def uncertain(masses, slip, tail=0.0):
    mass = np.array(masses)
    return Law(1, mass, np.full(len(mass), slip), tail)


def test_what_is_open_about_the_sizes_is_open_about_a_whole_cell():
    """Two others in the cell and two elsewhere: both are in samples of 2, 3, 4 others with chances 1/6, 1/2, 1."""
    found = complete_cell(uncertain([0.25, 0.25, 0.25, 0.25], 0.01, tail=0.05), 2, 2)
    assert found.lower <= 0.24 * (1 / 6 + 1 / 2 + 1) and found.upper >= 0.26 * (1 / 6 + 1 / 2 + 1) + 0.05


@pytest.mark.parametrize("short", [0, 1])
def test_what_is_open_about_the_draws_is_open_about_a_whole_cell(monkeypatch, short):
    """A law of the cell's count with errors, and one whose window stops short of the whole cell."""
    masses = np.array([0.5, 0.25, 0.25])[: 3 - short]
    made = Law(0, masses, np.full(len(masses), 0.01), 0.25 * short)
    monkeypatch.setattr("dalenius.beliefs.truncated.hypergeometric", lambda *_: made)
    found = complete_cell(uncertain([1.0], 0.0), 2, 2)
    assert found.lower <= (0.0 if short else 0.24) and found.upper >= (0.25 if short else 0.26)


@pytest.mark.parametrize(("mass", "top"), [(0.1, 0.1), (0.3, 0.7), (1 / 3, 0.9), (0.1, 0.7)])
def test_a_whole_cell_is_rounded_outwards(monkeypatch, mass, top):
    """Products of floats that are taken to be exact, in two places that add up."""
    monkeypatch.setattr("dalenius.beliefs.truncated.trimmed", lambda law, _: law)
    made = Law(0, np.array([1 - top, top]), np.zeros(2))
    monkeypatch.setattr("dalenius.beliefs.truncated.hypergeometric", lambda *_: made)
    found = complete_cell(Law(1, np.array([mass, mass / 3]), np.zeros(2)), 1, 2)
    truth = (Fraction(mass) + Fraction(mass / 3)) * Fraction(top)
    assert found.lower < truth < found.upper and found.width < 1e-15
