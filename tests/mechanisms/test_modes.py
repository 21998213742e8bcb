"""The most frequent value: brute force with both tie rules, the bound by pairs, and real sizes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.mechanisms.modes import mode_curve, pairwise_curve
from dalenius.mechanisms.selected import by_histograms
from dalenius.mechanisms.wrong_models import Among
from mechanisms import choosing
from mechanisms.test_choices import narrow
from mechanisms.test_selected import law

ZERO = Fraction(0)
NAMES = "abcd"


def most_frequent(row, *, last):
    best = [place for place, count in enumerate(row) if count == max(row)]
    return best[-1] if last else best[0]


@st.composite
def cases(draw):
    cells = draw(st.integers(2, 4))
    n = draw(st.integers(1, {2: 8, 3: 6, 4: 4}[cells]))
    return law(draw, cells), n, draw(st.integers(0, min(n - 1, 2))), draw(st.sampled_from(["first", "last"]))


@pytest.mark.slow
@settings(max_examples=30)
@given(cases(), st.sampled_from([dl.Value(), dl.PresenceOnly(), dl.Presence()]), st.sampled_from([0, 0.25, 1]))
def test_every_small_case(case, secret, epsilon):
    chances, n, known, ties = case
    belief = dl.IID(values=dict(zip(NAMES, chances, strict=False)), n=n, known=known)
    release = dl.mechanisms.mode(*NAMES[: len(chances)], ties=ties)
    curve = mode_curve(release, belief, secret=secret)
    truths = []
    for noiseless in {dl.Value(): [True], dl.PresenceOnly(): [False], dl.Presence(): [True, False]}[secret]:
        attack = {"n": n, "known": known, "noiseless": noiseless}
        pairs = list(choosing.worlds(lambda row: most_frequent(row, last=ties == "last"), [chances], **attack))
        truths.append(choosing.delta(pairs, epsilon))
        bound = pairwise_curve(release, chances, Among(**attack))
        assert bound.delta(Fraction(epsilon)).upper >= truths[-1] * (1 - 1e-12)
    assert narrow(curve.delta(Fraction(epsilon)), max(truths))


@pytest.mark.parametrize("ties", ["first", "last"])
def test_winners_by_the_tie_rule(ties):
    rows = np.array([[2, 2, 1], [0, 3, 3], [1, 1, 1], [5, 0, 0]])
    expected = [most_frequent(row, last=ties == "last") for row in rows.tolist()]
    assert dl.mechanisms.mode(*"abc", ties=ties).winners(rows).tolist() == expected


@pytest.mark.slow
def test_real_sizes():
    """Three cells by their exact law, more by pairs; the bound is within the number of cells of the truth."""
    thirds = dict.fromkeys("abc", Fraction(1, 3))
    truth = mode_curve(dl.mechanisms.mode(*"abc"), dl.IID(values=thirds, n=1000), secret=dl.PresenceOnly()).delta(ZERO)
    assert truth.width < 1e-9 * truth.upper
    bound = pairwise_curve(dl.mechanisms.mode(*"abc"), (Fraction(1, 3),) * 3, Among(1000)).most
    assert truth.upper <= bound <= 2.1 * truth.lower
    large = mode_curve(dl.mechanisms.mode(*"abc"), dl.IID(values=thirds, n=10**6), secret=dl.PresenceOnly()).delta(ZERO)
    assert 0.0009 < large.upper < 0.001
    clear = {"a": "0.4", "b": "0.2", "c": "0.2", "d": "0.1", "e": "0.1"}
    assert (
        mode_curve(dl.mechanisms.mode(*"abcde"), dl.IID(values=clear, n=10_000, known=0.05)).delta(ZERO).upper < 1e-50
    )


@pytest.mark.slow
def test_histograms_near_the_mean_are_enough():
    """Three cells of some hundred records: all histograms against those near the mean, whose rest is charged."""
    law, release = (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)), dl.mechanisms.mode(*"abc")
    for noiseless in (False, True):
        among = Among(400, 1, noiseless=noiseless)
        whole, part = (by_histograms(release, [law], among, nearby=nearby) for nearby in (False, True))
        for epsilon in (ZERO, Fraction(1, 20)):
            one, two = whole.delta(epsilon), part.delta(epsilon)
            assert two.lower <= one.upper and one.lower <= two.upper <= one.upper * (1 + 1e-9) + 1e-16
    large = mode_curve(release, dl.IID(values=dict(zip("abc", law, strict=True)), n=5000), secret=dl.PresenceOnly())
    assert 0 < large.delta(ZERO).upper < 1e-15


def test_two_values_are_told_apart_where_either_changes_the_winner():
    """A rare third value: level and one behind are both likely, and the bound must add them up."""
    law = (Fraction(49, 100), Fraction(49, 100), Fraction(1, 50))
    among = Among(150, noiseless=True)
    truth = by_histograms(dl.mechanisms.mode(*"abc"), [law], among).delta(ZERO)
    bound = pairwise_curve(dl.mechanisms.mode(*"abc"), law, among).most
    assert truth.lower > 1.5 * pairwise_curve(dl.mechanisms.mode(*"abc"), law, Among(150)).most
    assert truth.lower <= bound <= 1.2 * truth.lower


BAD = [
    (lambda: dl.mechanisms.mode("a"), "at least two different values"),
    (lambda: dl.mechanisms.mode("a", "a"), "at least two different values"),
    (lambda: dl.mechanisms.mode("a", "b", ties="b"), 'ties="first"'),
    (lambda: mode_curve(dl.mechanisms.mode("a", "b"), dl.IID(values={"a": 0.5, "c": 0.5}, n=5)), "List every value"),
]


@pytest.mark.parametrize(("make", "says"), BAD)
def test_bad_input(make, says):
    with pytest.raises(InputError, match=says):
        make()
