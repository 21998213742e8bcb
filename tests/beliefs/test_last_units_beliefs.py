"""Rounding in what beliefs are made of: planted where it goes the wrong way, and made up for."""

import math
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from dalenius.beliefs import crowd, joint, sample_sizes
from dalenius.beliefs.crowd import Types, YesNo
from dalenius.beliefs.markov_known import Stretches
from dalenius.beliefs.sample_sizes import others_in_sample, sufficient_threshold
from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.numerics.law import Law
from dalenius.numerics.search import Windows
from numerics.test_last_units import GAINS, LOSES, TERMS, off_by, summed
from oracle import balls

F = Fraction


# -- crowds -------------------------------------------------------------------------------------------------------


def test_coins_that_are_just_not_sure_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is lost is such that a whole number is reached in floats only; these rates are among the few for which a
    product and two quotients add up so.
    """
    p, q, length = 0.07924211844333486, 0.27686143307335814, 1008
    people, windows = YesNo(0, 1, np.array([p, q]), np.array([3000, 3000])), Windows(2000, 1500, 1500 + length)
    coin = p / (1 - (q - p))
    weight = min(F(p) / F(coin), F(q) / F(coin), (1 - F(q)) / (1 - F(coin)))
    near = (1 - q - 2 * UNIT) / (1 - coin) * length
    whole = math.floor(near)
    lost = near - whole
    seen: list[np.ndarray] = []
    monkeypatch.setattr(crowd, "math", SimpleNamespace(**{**vars(math), "sqrt": lambda _: lost}))
    monkeypatch.setattr(crowd, "law_of_rates", lambda _, counts: seen.append(counts))
    people.shared(windows)
    assert int(seen[0][-1]) <= weight * length - F(lost) < whole


@pytest.mark.parametrize("seed", range(20))
def test_an_overlap_is_no_more_than_its_chances(seed: int) -> None:
    """Values 0 and 1: twice the smaller chance, of chances that may each be a unit too large."""
    chance = float(np.random.default_rng(seed).uniform(0.1, 0.4))
    found = Types(np.array([0, 1]), np.array([[chance, 1 - chance]]), np.array([1])).overlaps(1)[0]
    assert F(float(found[0])) <= 2 * F(chance) * (1 - F(UNIT))
    assert found[0] >= 2 * chance * (1 - 1e-14)


def test_overlaps_of_many_values_are_added_up_with_room() -> None:
    """Pairs of values far from each other: their overlaps are what loses and gains in a sum."""
    values = np.array([at for k in range(TERMS) for at in (4 * k, 4 * k + 1)])
    found = Types(values, np.repeat(GAINS, 2)[None, :], np.array([1])).overlaps(1)[0]
    assert F(float(found[0])) <= 2 * summed(GAINS)


# -- parts that are sure ------------------------------------------------------------------------------------------


def test_what_is_missing_of_many_types_is_added_up_with_room(monkeypatch: pytest.MonkeyPatch) -> None:
    missed = [0.25, *[0.2 * UNIT] * 40]
    values = iter(missed)
    monkeypatch.setattr(joint, "sure_count", lambda *_: (1, next(values)))
    _, missing = joint.sure_parts([({(1,): F(1, 2)}, 5)] * len(missed), 1e-9)
    assert sum(map(F, missed)) <= F(missing)


@pytest.mark.parametrize("way", [-LIBM, LIBM])
@pytest.mark.parametrize("cost", [0.51, 0.6, 1.0, 3.0])
def test_an_epsilon_that_is_overspent_is_charged_from_above(
    way: int, cost: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = SimpleNamespace(
        chain=SimpleNamespace(n=1000),
        near=lambda _: {1: cost},
        _best=lambda *_: [SimpleNamespace(currency=None, levels=lambda *_: [{}])],
        _mean=lambda *_: 0.0,
    )
    monkeypatch.setattr("dalenius.beliefs.markov_known.math", off_by(way, expm1=math.expm1))
    found = Stretches.upper(one, 3, F(1))  # type: ignore[arg-type]
    assert 1 - balls.lower(balls.exponential(1 - 2 * F(cost))) <= F(found)


# -- sizes of samples ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_sizes_are_compared_with_the_rounding_of_their_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Masses less their errors, and plus them, that tie or change places in floats only."""
    rng, sure, possible = np.random.default_rng(8), 0, 0
    monkeypatch.setattr(sample_sizes, "exponential", lambda _: (1.7, 1.7))
    for n, f, e in rng.uniform([0.1, 1e-3, 1e-3], [0.15, 2e-3, 2e-3], (3000, 3)).tolist():
        near = 1.7 * (n + f) + e, 1.7 * (n - f) - e
        for m in (near[0], math.nextafter(near[0], 1), near[1], math.nextafter(near[1], 0)):
            law = Law(5, np.array([n, m]), np.array([f, e]))
            low, high = (part[:, None] for part in sample_sizes._bounds(law, 0))
            small, large = (low[0], high[0]), (low[1], high[1])
            both = [sample_sizes._mass(law, large, small, F(1)), sample_sizes._mass(law, small, large, F(1), both=True)]
            if F(m) - F(e) <= F(1.7) * (F(n) + F(f)):
                sure += 1
                assert [found.lower for found in both] == [0.0, 0.0]
            if F(m) + F(e) > F(1.7) * (F(n) - F(f)):
                possible += 1
                assert all(found.upper > 0 for found in both)
    assert sure > 1000 and possible > 1000


def test_sizes_that_stand_out_are_added_up_with_room() -> None:
    law, none = Law(0, LOSES, np.zeros(TERMS)), (np.zeros(TERMS), np.zeros(TERMS))
    found = sample_sizes._mass(law, (GAINS, LOSES), none, F(1))
    assert F(found.lower) <= summed(GAINS)
    assert F(sample_sizes._mass(law, (0 * LOSES, LOSES), none, F(1)).upper) >= summed(LOSES)
    tiny = Law(0, np.array([0.1 * UNIT]), np.zeros(1), 0.25)
    bounds = (tiny.mass, tiny.mass)
    assert F(sample_sizes._mass(tiny, bounds, (0 * tiny.mass,) * 2, F(1)).upper) >= F(1, 4) + F(0.1 * UNIT)


class Nearly:
    """A number of which only fifty digits are right: the quotient is 41 but for the fiftieth."""

    def __neg__(self) -> "Nearly":
        return self

    def ln(self) -> Decimal:
        return Decimal(0)

    def exp(self) -> Decimal:
        return Decimal(1)

    def __sub__(self, _: object) -> Decimal:
        return 41 - Decimal("1e-50")

    def __radd__(self, _: object) -> Decimal:
        return Decimal(1)


def test_a_threshold_does_not_trust_its_last_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_sizes, "decimal", lambda _: Nearly())
    assert sufficient_threshold("1/2", "1e-6") == 42


def test_a_total_that_is_known_roughly_makes_every_share_rough() -> None:
    """The mass of one size is exact, that of the other may be less by a third; then with a tail."""
    found = others_in_sample(Law(1, np.array([0.4, 0.6]), np.array([0.0, 0.3])), person=1)
    share = F(0.4) / (F(0.4) + F(0.6) - F(0.3))
    assert share - F(float(found.mass[0])) <= F(float(found.error[0]))
    found = others_in_sample(Law(1, np.array([0.8]), np.array([0.2]), 0.1), person=1)
    assert F(0.1) / (F(0.8) - F(0.2) + F(0.1)) <= F(found.tail)


# -- two kinds ----------------------------------------------------------------------------------------------------
