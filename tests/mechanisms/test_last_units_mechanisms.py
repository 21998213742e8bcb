"""Rounding in what mechanisms claim: planted where it goes the wrong way, and made up for."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb

import dalenius as dl
from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.mechanisms import correlated, modes, randomized_response, response_total, wrong_models
from dalenius.mechanisms.laplace import LaplaceNoise
from dalenius.mechanisms.randomized_response import RandomizedResponse
from dalenius.mechanisms.response_total import ResponseTotal
from dalenius.mechanisms.selected import _exact_weights, _mixed
from dalenius.mechanisms.wrong_models import Among, _pure, _Wrong, chernoff_curve
from dalenius.papers.mechanisms.refuted import Violated
from numerics.test_last_units import GAINS, LOSES, off_by, summed
from oracle import balls

F = Fraction


@pytest.mark.parametrize("seed", range(30))
@balls.precise
def test_the_deviation_of_laplace_noise_is_rounded_outwards(seed: int) -> None:
    noise = LaplaceNoise(1, epsilon=f"{np.random.default_rng(seed).uniform(1e-7, 2e-7):.25f}")
    found, scale = noise.deviation(), balls.ball(noise.lattice.scale)
    truth = balls.ball(noise.lattice.step) / ((1 / (2 * scale)).sinh() * arb(2).sqrt())
    assert F(found.lower) <= balls.lower(truth) <= balls.upper(truth) <= F(found.upper)
    assert balls.upper(arb(2).sqrt() * balls.ball(noise.scale)) <= F(found.upper)


def test_two_values_that_overtake_are_added_up_with_room(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = {0: [0.25, 0.1 * UNIT], 1: [0.1 * UNIT, 0.0], 2: [0.0, 0.0]}
    monkeypatch.setattr(modes, "_overtakes", lambda _, __, a, ___: planted[a].pop())
    release, law = SimpleNamespace(values=(0, 1, 2)), (F(1, 3),) * 3
    found = modes.pairwise_curve(release, law, Among(9, noiseless=True))  # type: ignore[arg-type]
    assert F(found.most) >= F(1, 4) + 2 * F(0.1 * UNIT)


@pytest.mark.parametrize("t", [0.7, 1.0, 3.0, 15.0])
@pytest.mark.parametrize("way", [-LIBM, LIBM])
@balls.precise
def test_the_tail_of_answers_is_rounded_up(t: float, way: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hyperbolic tangent errs either way; the exponential is too small."""
    wrong = off_by(way, tanh=math.tanh)
    wrong.exp = lambda x: math.exp(x) * (1 - LIBM * UNIT)
    monkeypatch.setattr(randomized_response, "math", wrong)
    for epsilon in (F(1, 3), F(1), F(7, 3)):
        found = RandomizedResponse(epsilon=epsilon).tail_bound(t)
        half = balls.ball(epsilon) / 2
        truth = 2 * (-2 * half / half.tanh() * arb(t) ** 2).exp()
        assert min(F(1), balls.upper(truth)) <= F(found)


def test_a_claim_is_not_refuted_by_rounding() -> None:
    assert not Violated("m", "o", 1 + 1e-12, 1.0).refutes
    assert Violated("m", "o", 1 + 1e-6, 1.0).refutes


class StoppedError(Exception):
    """Enough is known."""


@pytest.mark.parametrize("keep", [F(2, 3), F(5, 7), F(9, 11), F(7, 9), F(10, 13)])
def test_no_more_coins_are_fair_than_there_are(keep: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []

    def stop(rates: np.ndarray, _: object) -> None:
        seen.extend(rates.tolist())
        raise StoppedError

    monkeypatch.setattr(response_total, "law_of_rates", stop)
    total = ResponseTotal(RandomizedResponse(keep=keep), dl.IID(p="1/3", n=100, known=50))
    with pytest.raises(StoppedError):
        total._with_fair_coins()
    assert 2 * (1 - keep) * (1 - F(1, 10**14)) <= F(seen[0]) <= 2 * (1 - keep)


@pytest.mark.parametrize("values", [LOSES, GAINS])
def test_models_are_mixed_with_room(values: np.ndarray) -> None:
    parts = [(np.full((1, 2, 2), value),) * 2 for value in values.tolist()]
    weights = np.ones((1, len(values)))
    found = _mixed(parts, weights, weights)
    assert F(float(found.least[0, 0, 0])) <= summed(values) <= F(float(found.most[0, 0, 0]))


def test_weights_of_models_are_rounded_outwards() -> None:
    laws = ((F(1, 3), F(2, 3)), (F(3, 7), F(4, 7)), (F(1, 2), F(1, 2)))
    for one in range(6):
        counts = np.array([one, 5 - one])
        least, most = _exact_weights(laws, (F(1, 3),) * 3, counts)
        chances = [law[0] ** one * law[1] ** (5 - one) for law in laws]
        for place, chance in enumerate(chances):
            assert F(float(least[0, place])) <= chance / sum(chances) <= F(float(most[0, place]))


# -- wrong models -------------------------------------------------------------------------------------------------


def test_chances_of_wrong_models_are_added_up_with_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum that loses is made up for, also where it is nearly one; and the logarithms are too small."""
    models = tuple((1 - p, p) for p in (F(1, 5), F(1, 2), F(4, 5)))
    wrong = _Wrong(models, (F(1, 3),) * 3, Among(50, least_prior=F(1, 10)))
    for large in (0.25, 1 - 1e-10):
        small = 0.2 * math.ulp(large)
        monkeypatch.setattr(_Wrong, "chance", lambda _, i, j, *, person, a=large, b=small: a if i == (j + 1) % 3 else b)
        monkeypatch.setattr(_Wrong, "log_chance", lambda *_, person: -800.0)
        release = SimpleNamespace(rates=(F(1, 5), F(1, 2), F(4, 5)), weights=(F(1, 3),) * 3)
        exact = F(large) + F(small)
        assert F(chernoff_curve(release, Among(50)).most) >= exact  # type: ignore[arg-type]
        truth = -balls.ball(1 - exact).log()
        assert F(_pure(wrong, 0, F(1, 10))) >= balls.upper(truth)
        monkeypatch.setattr(wrong_models, "math", off_by(-LIBM, log1p=math.log1p))
        if large < 0.5:
            assert F(_pure(wrong, 0, F(1, 10))) >= balls.upper(truth)
        monkeypatch.undo()


@balls.precise
def test_known_records_lead_by_no_more_than_is_said() -> None:
    for a, b in ((F(1, 3), F(1, 2)), (F(2, 7), F(5, 9)), (F(1, 10), F(3, 10)), (F(7, 10), F(1, 2))):
        models = ((1 - a, a), (1 - b, b))
        for known in (3, 7, 49, 97):
            found = _Wrong(models, (F(1, 2),) * 2, Among(200, known)).log_seen(0, 1)
            ratio = max(a / b, (1 - a) / (1 - b))
            assert balls.upper(known * balls.ball(ratio).log()) <= F(found)


# -- distances ----------------------------------------------------------------------------------------------------


def test_laws_that_nearly_tie_are_compared_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where sums in floats say next to nothing the distance is that of the exact laws."""
    moves = {0: {0: F(9, 10), 1: F(1, 10)}, 1: {0: F(1, 10), 1: F(9, 10)}}
    belief = dl.Markov(start={0: F(1, 2), 1: F(1, 2)}, moves=moves, n=8)
    truth = dl.mechanisms.wasserstein_distance(belief, dl.Count())
    assert truth[0] == truth[1] > 1
    monkeypatch.setattr(correlated, "distance", lambda *_: (1, 10**6))
    assert dl.mechanisms.wasserstein_distance(belief, dl.Count()) == truth
