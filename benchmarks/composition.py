"""Many releases, beside dp-accounting and prv-accountant."""

import functools
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.pld.privacy_loss_distribution import from_two_probability_mass_functions
from prv_accountant import GaussianMechanism, LaplaceMechanism, PRVAccountant
from prv_accountant.privacy_random_variables import PrivacyRandomVariable
from scipy.stats import binom

from benchmarks.claim import Row, at_most
from benchmarks.timing import medians
from dalenius.beliefs.crowd import law_of_rates
from dalenius.enclosure.brackets import Bracket
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Curve, PairCurve
from dalenius.numerics.gaussian import GaussianCurve
from dalenius.numerics.pure import LaplaceCurve, ResponseCurve

PEOPLE, RATE, RELEASES, DELTA = 1000, 0.3, 100, Fraction(1, 10**6)
STEP = 1e-4
PRV_ERROR, PRV_DELTA = 0.01, 1e-9  # what prv-accountant is asked for: its error in ε, and in δ


@dataclass(frozen=True)
class Noise:
    """One noise in three libraries; prv-accountant has no randomised response."""

    curve: Curve
    losses: Callable[[bool], pld.PrivacyLossDistribution]  # pessimistic or optimistic
    variable: PrivacyRandomVariable | None


def _gaussian(scale: int) -> Noise:
    return Noise(
        GaussianCurve(Fraction(1, scale)),
        lambda worse: pld.from_gaussian_mechanism(
            scale, pessimistic_estimate=worse, value_discretization_interval=STEP
        ),
        GaussianMechanism(scale),
    )


def _laplace(level: Fraction) -> Noise:
    return Noise(
        LaplaceCurve(level),
        lambda worse: pld.from_laplace_mechanism(
            1 / float(level), pessimistic_estimate=worse, value_discretization_interval=STEP
        ),
        LaplaceMechanism(float(level)),
    )


def _answer(keep: Fraction) -> Noise:
    return Noise(
        ResponseCurve(keep, keep),
        lambda worse: pld.from_randomized_response(
            float(2 * (1 - keep)), 2, pessimistic_estimate=worse, value_discretization_interval=STEP
        ),
        None,
    )


Parts = Sequence[tuple[Noise, int]]
NOISES: dict[str, Parts] = {
    "1 Gaussian": [(_gaussian(10), 1)],
    "10 Gaussians": [(_gaussian(10), 10)],
    "100 Gaussians": [(_gaussian(10), 100)],
    "10 Laplace": [(_laplace(Fraction(1)), 10)],
    "100 randomised responses": [(_answer(Fraction(3, 4)), 100)],
    "Gaussians and Laplace": [(_gaussian(10), 10), (_laplace(Fraction(1, 10)), 5)],
    "all three": [(_gaussian(10), 10), (_laplace(Fraction(1, 10)), 5), (_answer(Fraction(2, 3)), 3)],
}


def noises() -> list[Row]:
    """Noises (scale 10; ε = 1; keep 3/4), ε at δ = 1e-6: both ends of the bracket at least as tight as those of the
    tighter peer, in no more time.
    """
    logging.getLogger().setLevel(logging.ERROR)  # dp-accounting warns that optimistic estimates are made otherwise
    return [row for name, parts in NOISES.items() for row in _compared(name, parts)]


def _compared(name: str, parts: Parts) -> list[Row]:
    found: dict[str, Bracket] = {}
    jobs: dict[str, Callable[[], None]] = {
        "ours": lambda: found.update(ours=_composed(parts)),
        "dp-accounting": lambda: found.update({"dp-accounting": _by_losses(parts)}),
    }
    if all(noise.variable is not None for noise, _ in parts):
        jobs["prv-accountant"] = lambda: found.update({"prv-accountant": _by_variables(parts)})
    seconds = medians(jobs)
    ours, peers = found.pop("ours"), found
    upper, lower = min(peer.upper for peer in peers.values()), max(peer.lower for peer in peers.values())
    told = ", ".join(f"{peer} [{ends.lower:.10g}, {ends.upper:.10g}]" for peer, ends in peers.items())
    tighter = min(peers, key=lambda peer: peers[peer].width)
    return [
        at_most(
            f"{name}: upper end - the least of the peers'",
            ours.upper - upper,
            0,
            note=f"[{ours.lower:.12g}, {ours.upper:.12g}] against {told}",
        ),
        at_most(f"{name}: the largest lower end of the peers - ours", lower - ours.lower, 0),
        at_most(
            f"{name}: time / the tighter peer's",
            seconds["ours"] / seconds[tighter],
            1,
            note=", ".join(f"{job} {1e3 * spent:.0f} ms" for job, spent in seconds.items()),
        ),
    ]


def _composed(parts: Parts) -> Bracket:
    return compose([(noise.curve, count) for noise, count in parts]).epsilon(DELTA)


def _by_losses(parts: Parts) -> Bracket:
    """Optimistic and pessimistic."""
    ends = []
    for worse in (False, True):
        composed = (noise.losses(worse).self_compose(count) for noise, count in parts)
        whole = functools.reduce(lambda one, two: one.compose(two), composed)
        ends.append(whole.get_epsilon_for_delta(float(DELTA)))
    return Bracket(*ends)


def _by_variables(parts: Parts) -> Bracket:
    counts = [count for _, count in parts]
    accountant = PRVAccountant(
        prvs=[noise.variable for noise, _ in parts],
        max_self_compositions=counts,
        eps_error=PRV_ERROR,
        delta_error=PRV_DELTA,
    )
    lower, _, upper = accountant.compute_epsilon(float(DELTA), counts)
    return Bracket(lower, upper)


def composition() -> list[Row]:
    """A count among 1000 people at rate 0.3, against itself moved by one, released 100 times: the bracket of ε at
    δ = 1e-6 is ten times narrower than dp-accounting's (pessimistic and optimistic, step 1e-4), in no more time.
    """
    found: dict[str, Bracket] = {}
    seconds = medians(
        {
            "ours": lambda: found.update(ours=_ours()),
            "dp-accounting": lambda: found.update(peer=_peer()),
        }
    )
    ours, peer = found["ours"], found["peer"]
    assert max(ours.lower, peer.lower) <= min(ours.upper, peer.upper), f"the brackets {ours} and {peer} are disjoint"
    return [
        at_most(
            "composition: width of ε / dp-accounting's",
            ours.width / peer.width,
            0.1,
            note=f"{ours.width:.1e} against {peer.width:.1e}",
        ),
        at_most(
            "composition: time / dp-accounting's",
            seconds["ours"] / seconds["dp-accounting"],
            1,
            note=f"{seconds['ours'] * 1e3:.0f} ms against {seconds['dp-accounting'] * 1e3:.0f} ms",
        ),
    ]


def _ours() -> Bracket:
    law = law_of_rates(np.array([RATE]), np.array([PEOPLE]))
    return compose([(PairCurve(law, law.shifted(1)), RELEASES)]).epsilon(DELTA)


def _peer() -> Bracket:
    logs = binom.logpmf(np.arange(PEOPLE + 1), PEOPLE, RATE)
    here, there = dict(enumerate(logs)), dict(enumerate(logs, start=1))
    return Bracket(
        *(
            from_two_probability_mass_functions(
                here, there, pessimistic_estimate=pessimistic, value_discretization_interval=STEP, symmetric=False
            )
            .self_compose(RELEASES)
            .get_epsilon_for_delta(float(DELTA))
            for pessimistic in (False, True)
        )
    )
