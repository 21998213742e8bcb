"""A hundred releases, beside dp-accounting."""

from fractions import Fraction

import numpy as np
from dp_accounting.pld.privacy_loss_distribution import from_two_probability_mass_functions
from scipy.stats import binom

from benchmarks.claim import Row, at_most
from benchmarks.timing import medians
from dalenius.beliefs.crowd import law_of_rates
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import PairCurve

PEOPLE, RATE, RELEASES, DELTA = 1000, 0.3, 100, Fraction(1, 10**6)
STEP = 1e-4


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
