"""One question, one judge: how much the numbers that cover a group of people tell about one of them."""

from typing import TYPE_CHECKING

from dalenius.basics.homes import SPACES, lazily

if TYPE_CHECKING:
    from dalenius.judge.correlated import correlated_guarantee as correlated_guarantee
    from dalenius.judge.definition import DifferentialPrivacy as DifferentialPrivacy
    from dalenius.judge.definition import DistributionalPrivacy as DistributionalPrivacy
    from dalenius.judge.definition import NoiselessPrivacy as NoiselessPrivacy
    from dalenius.judge.definition import differential_privacy as differential_privacy
    from dalenius.judge.definition import distributional as distributional
    from dalenius.judge.definition import noiseless as noiseless
    from dalenius.judge.group import Believed as Believed
    from dalenius.judge.group import Group as Group
    from dalenius.judge.group import Laws as Laws
    from dalenius.judge.group import Target as Target
    from dalenius.judge.odds import Odds as Odds
    from dalenius.judge.odds import odds_from as odds_from
    from dalenius.judge.posterior import Outcome as Outcome
    from dalenius.judge.posterior import posteriors as posteriors
    from dalenius.judge.risk import Risk as Risk
    from dalenius.judge.risk import risk_from as risk_from
    from dalenius.judge.risk import risk_of as risk_of
    from dalenius.judge.selection import Stability as Stability
    from dalenius.judge.selection import selection_guarantee as selection_guarantee
    from dalenius.judge.selection import stability as stability
    from dalenius.judge.thresholds import threshold_curve as threshold_curve
    from dalenius.judge.thresholds import threshold_guarantee as threshold_guarantee
    from dalenius.judge.verification import curve as curve
    from dalenius.judge.verification import verify as verify

__getattr__, __dir__ = lazily("dalenius.judge", SPACES["judge"])
