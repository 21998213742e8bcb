"""What happens to a statistic before it is published."""

from typing import TYPE_CHECKING

from dalenius.basics.homes import SPACES, lazily
from dalenius.mechanisms.channel import (
    Channel,
    DiscreteGaussian,
    Exact,
    RationalGeometric,
    Rounded,
    RoundedGaussian,
    TwoSidedGeometric,
    discrete_gaussian,
    rational_geometric,
    rounded_gaussian,
    two_sided_geometric,
)
from dalenius.mechanisms.mechanism import Chain, Mechanism

__all__ = [
    "Chain",
    "Channel",
    "DiscreteGaussian",
    "Exact",
    "Mechanism",
    "RationalGeometric",
    "Rounded",
    "RoundedGaussian",
    "TwoSidedGeometric",
    "discrete_gaussian",
    "rational_geometric",
    "rounded_gaussian",
    "two_sided_geometric",
]

if TYPE_CHECKING:
    from dalenius.mechanisms.chain_noise import ChainNoise as ChainNoise
    from dalenius.mechanisms.choice import likeliest_rate as likeliest_rate
    from dalenius.mechanisms.choice import majority as majority
    from dalenius.mechanisms.choice import threshold as threshold
    from dalenius.mechanisms.compared import OnlyCompared as OnlyCompared
    from dalenius.mechanisms.correlated import exact_epsilon as exact_epsilon
    from dalenius.mechanisms.correlated import least_noise as least_noise
    from dalenius.mechanisms.correlated import markov_quilt as markov_quilt
    from dalenius.mechanisms.correlated import wasserstein as wasserstein
    from dalenius.mechanisms.correlated import wasserstein_distance as wasserstein_distance
    from dalenius.mechanisms.earned import Told as Told
    from dalenius.mechanisms.earned import ToldLaw as ToldLaw
    from dalenius.mechanisms.earned import Window as Window
    from dalenius.mechanisms.earned_count import ExactIfEarned as ExactIfEarned
    from dalenius.mechanisms.earned_count import exact_if_earned as exact_if_earned
    from dalenius.mechanisms.gaussian import DiscreteGaussianNoise as DiscreteGaussianNoise
    from dalenius.mechanisms.gaussian import GaussianNoise as GaussianNoise
    from dalenius.mechanisms.gaussian import least_scale as least_scale
    from dalenius.mechanisms.hedging import HedgedCount as HedgedCount
    from dalenius.mechanisms.histogram_release import HistogramRelease as HistogramRelease
    from dalenius.mechanisms.histogram_release import Truncated as Truncated
    from dalenius.mechanisms.laplace import LaplaceNoise as LaplaceNoise
    from dalenius.mechanisms.local_sensitivity import LocalLaplaceNoise as LocalLaplaceNoise
    from dalenius.mechanisms.margins import BusinessTotal as BusinessTotal
    from dalenius.mechanisms.margins import GeometricMeanWithin as GeometricMeanWithin
    from dalenius.mechanisms.margins import SumWithin as SumWithin
    from dalenius.mechanisms.models import likeliest_model as likeliest_model
    from dalenius.mechanisms.models import mode as mode
    from dalenius.mechanisms.modes import mode_curve as mode_curve
    from dalenius.mechanisms.prior_ball import BallCount as BallCount
    from dalenius.mechanisms.randomized_response import RandomizedResponse as RandomizedResponse
    from dalenius.mechanisms.response_total import ResponseTotal as ResponseTotal
    from dalenius.mechanisms.selected import model_curve as model_curve
    from dalenius.mechanisms.single_prior import SinglePriorCount as SinglePriorCount
    from dalenius.mechanisms.single_prior_histogram import SinglePriorHistogram as SinglePriorHistogram
    from dalenius.mechanisms.small_counts import SmallCountsHidden as SmallCountsHidden
    from dalenius.mechanisms.small_counts import small_counts_hidden as small_counts_hidden
    from dalenius.mechanisms.stated import Stated as Stated
    from dalenius.mechanisms.stated import combine as combine

__getattr__, __dir__ = lazily("dalenius.mechanisms", SPACES["mechanisms"])
