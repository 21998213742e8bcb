"""Rounding of what noise, models and answers claim: met or planted, and made up for."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb

from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.mechanisms import correlated, hedging, response_total, single_prior, wrong_models
from dalenius.mechanisms.response_total import ResponseTotal
from dalenius.mechanisms.selected import _exact_weights, _weights
from dalenius.mechanisms.wrong_models import Among, _pure, _Wrong
from dalenius.numerics.law import Law
from numerics.test_last_units import GAINS, TERMS, off_by, summed
from oracle import balls

F = Fraction
SEEDS = range(12)
NONE = np.zeros(TERMS)


# -- noise --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@balls.precise
def test_the_loss_of_a_noisy_figure_counts_the_rounding_of_logarithms(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    masses = 10 ** np.random.default_rng(seed).uniform(-30, -1, (2, 3))
    monkeypatch.setattr(correlated, "smoothed", lambda *_, **__: (masses, masses))
    found = correlated._loss([(1, [None, None])], F(1))  # type: ignore[list-item]
    logs = [[arb(x).log() for x in row] for row in masses.tolist()]
    truth = balls.largest([abs(a - b) for a, b in zip(*logs, strict=True)])
    assert F(found.lower) <= balls.lower(truth) <= balls.upper(truth) <= F(found.upper)


# -- answers ------------------------------------------------------------------------------------------------------


def test_weights_of_blocks_of_coins_are_from_below(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, most in ((NONE, summed(GAINS)), (GAINS / 4, summed(GAINS) * F(3, 4))):
        monkeypatch.setattr(response_total, "law_of_rates", lambda *_, e=error: Law(0, GAINS, e))
        total = SimpleNamespace(
            belief=SimpleNamespace(known=TERMS, n=20),
            response=SimpleNamespace(chances=lambda: (F(1, 4), F(3, 4)), counts=lambda _: None),
            p=F(1, 2),
            _pair=lambda _: None,
        )
        found = ResponseTotal._with_fair_coins(total)  # type: ignore[arg-type]
        assert F(found.weights[0]) <= most  # type: ignore[attr-defined]


# -- models -------------------------------------------------------------------------------------------------------


def test_a_posterior_that_floats_cannot_hold_is_not_impossible() -> None:
    """Heads of a hundred to six hundred coins, all of them tails."""
    ones = np.zeros(1, dtype=np.int64)
    for rate in (F(1, 10), F(1, 7), F(2, 9)):
        for records in (300, 335, 338, 339, 340, 420, 430, 600):
            least, most = _weights((rate, 1 - rate), (F(1, 2), F(1, 2)), ones, records)
            odds = ((1 - rate) / rate) ** records
            assert F(float(least[0, 1])) <= 1 / (1 + odds) <= F(float(most[0, 1]))
            low, high = _exact_weights(((1 - rate, rate), (rate, 1 - rate)), (F(1, 2), F(1, 2)), np.array([records, 0]))
            assert F(float(low[0, 1])) <= 1 / (1 + odds) <= F(float(high[0, 1]))


def wrong(seen: tuple[int, ...] | None = None) -> _Wrong:
    models = ((F(1, 2), F(1, 2)), (F(1, 4), F(3, 4)))
    return _Wrong(models, (F(1, 2), F(1, 2)), Among(20, sum(seen or ()), seen))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_known_records_say_is_added_up_with_room(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logarithms that are right, of many records, which nearly cancel."""
    one, two = np.random.default_rng(seed).uniform(1, 2, 2).tolist()
    monkeypatch.setattr(wrong_models, "log_up", lambda ratio: one if ratio > 1 else -two)
    found = wrong((7, 5)).log_seen(0, 1)
    assert 7 * F(one) - 5 * F(two) <= F(found)


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_of_logarithms_are_rounded_up_though_they_cancel(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What weights, known records and the person say; the first two are far larger than all three."""
    seen: list[float] = []
    first, second, third = np.random.default_rng(seed).uniform(1e3, 2e3, 3).tolist()
    about, exact = wrong(), F(first) + F(second) + F(-first - second)
    monkeypatch.setattr(wrong_models, "log_up", lambda _: first)
    monkeypatch.setattr(_Wrong, "log_seen", lambda *_: second)
    monkeypatch.setattr(_Wrong, "log_ratio", lambda *_: -first - second)
    about._affinities = {(0, 1): SimpleNamespace(log_bound=lambda ahead, _: seen.append(ahead) or -1.0)}
    about.log_chance(0, 1, person=True)
    assert exact <= F(seen[-1]) <= exact + F(1, 10**10)
    monkeypatch.setattr(_Wrong, "log_chance", lambda *_, **__: -third)
    monkeypatch.setattr(_Wrong, "chance", lambda *_, **__: 0.0)
    monkeypatch.setattr(wrong_models, "exp_up", lambda total: seen.append(total) or 0.0)
    _pure(about, 0, F(1, 3))
    assert exact - F(third) <= F(seen[-1]) <= exact - F(third) + F(1, 10**10)


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_of_logarithms_of_different_sizes_are_rounded_up(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    first, small = float(np.random.default_rng(seed).uniform(1e3, 2e3)), math.pi * 1e-6 * (seed + 1)
    about, exact = wrong(), F(first) + F(small)
    monkeypatch.setattr(wrong_models, "log_up", lambda _: first)
    monkeypatch.setattr(_Wrong, "log_seen", lambda *_: 0.0)
    monkeypatch.setattr(_Wrong, "log_ratio", lambda *_: small)
    about._affinities = {(0, 1): SimpleNamespace(log_bound=lambda ahead, _: seen.append(ahead) or -1.0)}
    about.log_chance(0, 1, person=True)
    assert exact <= F(seen[-1])
    monkeypatch.setattr(_Wrong, "log_ratio", lambda *_: 0.0)
    monkeypatch.setattr(_Wrong, "log_chance", lambda *_, **__: small)
    monkeypatch.setattr(_Wrong, "chance", lambda *_, **__: 0.0)
    monkeypatch.setattr(wrong_models, "exp_up", lambda total: seen.append(total) or 0.0)
    _pure(about, 0, F(1, 3))
    assert exact <= F(seen[-1])


def test_logarithms_of_other_records_are_charged_for_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A running sum of sixty of them, in both worlds, the sums themselves being right."""
    n = 60
    kernel = SimpleNamespace(n=n, scale=F(1), exponents=lambda _, outputs: 0 * outputs)
    sums = iter([np.zeros(n + 1), np.full(n + 1, 0.25)])
    monkeypatch.setattr(single_prior, "_log_sums", lambda *_: next(sums))
    found = single_prior._noisy_part(kernel, F(1, 2), "value")  # type: ignore[arg-type]
    steps = sum(abs(math.log((n - 1 - k) / (k + 1))) for k in range(n - 1))
    assert 0.25 - found.lower >= 2 * n * steps * UNIT


# -- windows of hedged counts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [-LIBM, LIBM])
@balls.precise
def test_an_end_of_a_window_counts_what_a_rate_near_one_loses(way: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """1 - q (1 - 1/e^20) is 1e-6, and 1/e^20 is hardly seen; the end is a whole number and 6e-6."""
    q, n = 1 - F(1, 10**6), 1_018_889
    end = -(n - 1) * (1 + balls.ball(q) * (balls.exponential(F(-20)) - 1)).log() / 20
    assert 703_718 < balls.lower(end) <= balls.upper(end) < 703_718 + F(1, 10**5)
    monkeypatch.setattr(hedging, "math", off_by(way, expm1=math.expm1))
    assert hedging.corrected_window(q, n, F(60), F(1, 2)).low == 703_720
