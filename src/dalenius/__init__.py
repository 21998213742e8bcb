"""dalenius decides, with a certified number, whether a figure from confidential data may be published exactly.

>>> import dalenius as dl
>>> attacker = dl.IID(p=0.1, n=10_000, known=0.2)
>>> g = dl.verify(dl.Count() >> dl.Exact(), dl.noiseless(attacker), delta=1e-9)
>>> g.epsilon.upper < 0.21
True

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from dalenius.basics.homes import HOMES

if TYPE_CHECKING:
    from dalenius.basics.errors import (
        CombinationError,
        DaleniusError,
        DataError,
        InputError,
        LedgerError,
        OutputError,
        PreconditionError,
        SpecError,
    )
    from dalenius.beliefs.around import Around, Hull
    from dalenius.beliefs.at_least import AtLeast
    from dalenius.beliefs.belief import IID, Belief, Independent, fitted
    from dalenius.beliefs.blocks import Blocks
    from dalenius.beliefs.brackets import Brackets
    from dalenius.beliefs.estimated import Estimated
    from dalenius.beliefs.histogram import ExactHistogram
    from dalenius.beliefs.markov import Markov
    from dalenius.beliefs.mixture import Mixture
    from dalenius.beliefs.moments import RangeVariance
    from dalenius.beliefs.one_of import OneOfTheModels
    from dalenius.beliefs.sample_sizes import discarding
    from dalenius.beliefs.sampled import Sampled
    from dalenius.beliefs.truncated import TruncatedHistogram
    from dalenius.beliefs.uniform_part import simulated_sum, sum_by_value
    from dalenius.beliefs.vertices import Rates
    from dalenius.claims import Evidence, Guarantee, Verdict, Witness
    from dalenius.data.draws import noisy_figure, normal_figure, randomized_answers, told_count, told_histogram
    from dalenius.data.spread import on_cores, on_spark
    from dalenius.desk.explain import Explanation, explain
    from dalenius.desk.interview import file_asker, new_spec
    from dalenius.desk.policy import Policy, load_policy
    from dalenius.desk.proposal import Proposal, propose
    from dalenius.desk.session import Decision, decide, publish, release_folder
    from dalenius.facts.secret import Presence, PresenceOnly, Value, Within
    from dalenius.facts.statistics import Count, GeometricMean, Histogram, Mean, Statistic, Sum
    from dalenius.judge.correlated import correlated_guarantee
    from dalenius.judge.definition import (
        DifferentialPrivacy,
        DistributionalPrivacy,
        NoiselessPrivacy,
        differential_privacy,
        distributional,
        noiseless,
    )
    from dalenius.judge.odds import Odds, odds_from
    from dalenius.judge.posterior import Outcome, posteriors
    from dalenius.judge.selection import Stability, selection_guarantee, stability, theorem_15_counterexample
    from dalenius.judge.thresholds import threshold_curve, threshold_guarantee
    from dalenius.judge.verification import curve, verify
    from dalenius.mechanisms import (
        Channel,
        DiscreteGaussian,
        Exact,
        Mechanism,
        RationalGeometric,
        Rounded,
        RoundedGaussian,
        TwoSidedGeometric,
        discrete_gaussian,
        rational_geometric,
        rounded_gaussian,
        two_sided_geometric,
    )
    from dalenius.mechanisms.chain_noise import ChainNoise
    from dalenius.mechanisms.choice import likeliest_rate, majority, threshold
    from dalenius.mechanisms.correlated import (
        exact_epsilon,
        least_noise,
        markov_quilt,
        wasserstein,
        wasserstein_distance,
    )
    from dalenius.mechanisms.earned import Told, ToldLaw, Window
    from dalenius.mechanisms.gaussian import DiscreteGaussianNoise, GaussianNoise, least_scale
    from dalenius.mechanisms.hedging import HedgedCount
    from dalenius.mechanisms.histogram_release import HistogramRelease, Truncated
    from dalenius.mechanisms.laplace import LaplaceNoise
    from dalenius.mechanisms.local_sensitivity import LocalLaplaceNoise
    from dalenius.mechanisms.margins import BusinessTotal, GeometricMeanWithin, SumWithin
    from dalenius.mechanisms.models import likeliest_model, mode
    from dalenius.mechanisms.modes import mode_curve
    from dalenius.mechanisms.prior_ball import BallCount
    from dalenius.mechanisms.randomized_response import RandomizedResponse
    from dalenius.mechanisms.response_total import ResponseTotal
    from dalenius.mechanisms.selected import model_curve
    from dalenius.mechanisms.single_prior import SinglePriorCount
    from dalenius.mechanisms.single_prior_histogram import SinglePriorHistogram
    from dalenius.mechanisms.stated import Stated, combine
    from dalenius.mechanisms.steps import (
        BusinessMargin,
        Hedged,
        InBall,
        LeastNoise,
        QuiltNoise,
        RelativeMargin,
        SinglePrior,
        SinglePriorCells,
        Step,
        ValueMargin,
        WassersteinNoise,
    )
    from dalenius.numerics.bracket import Bracket
    from dalenius.numerics.compose import compose
    from dalenius.numerics.curve import Curve
    from dalenius.numerics.dependent_moments import BlockMoments, GraphMoments
    from dalenius.numerics.law import Law
    from dalenius.numerics.moments import Moments
    from dalenius.papers import finite
    from dalenius.papers.mechanisms.bad_examples import name_and_shame, publish_one_record, somebody_is_shamed
    from dalenius.plan import rules
    from dalenius.plan.calibration.solve import Calibrated, calibrate
    from dalenius.plan.margins.lines import sensitivity_lines
    from dalenius.record.ledger import Ledger, open_ledger

__version__ = "0.1.0"

_SPACES = {"finite": "papers.finite", "rules": "plan.rules"}
_WHERE = {name: home for home, names in HOMES.items() for name in names}

__all__ = [
    "IID",
    "Around",
    "AtLeast",
    "BallCount",
    "Belief",
    "BlockMoments",
    "Blocks",
    "Bracket",
    "Brackets",
    "BusinessMargin",
    "BusinessTotal",
    "Calibrated",
    "ChainNoise",
    "Channel",
    "CombinationError",
    "Count",
    "Curve",
    "DaleniusError",
    "DataError",
    "Decision",
    "DifferentialPrivacy",
    "DiscreteGaussian",
    "DiscreteGaussianNoise",
    "DistributionalPrivacy",
    "Estimated",
    "Evidence",
    "Exact",
    "ExactHistogram",
    "Explanation",
    "GaussianNoise",
    "GeometricMean",
    "GeometricMeanWithin",
    "GraphMoments",
    "Guarantee",
    "Hedged",
    "HedgedCount",
    "Histogram",
    "HistogramRelease",
    "Hull",
    "InBall",
    "Independent",
    "InputError",
    "LaplaceNoise",
    "Law",
    "LeastNoise",
    "Ledger",
    "LedgerError",
    "LocalLaplaceNoise",
    "Markov",
    "Mean",
    "Mechanism",
    "Mixture",
    "Moments",
    "NoiselessPrivacy",
    "Odds",
    "OneOfTheModels",
    "Outcome",
    "OutputError",
    "Policy",
    "PreconditionError",
    "Presence",
    "PresenceOnly",
    "Proposal",
    "QuiltNoise",
    "RandomizedResponse",
    "RangeVariance",
    "Rates",
    "RationalGeometric",
    "RelativeMargin",
    "ResponseTotal",
    "Rounded",
    "RoundedGaussian",
    "Sampled",
    "SinglePrior",
    "SinglePriorCells",
    "SinglePriorCount",
    "SinglePriorHistogram",
    "SpecError",
    "Stability",
    "Stated",
    "Statistic",
    "Step",
    "Sum",
    "SumWithin",
    "Told",
    "ToldLaw",
    "Truncated",
    "TruncatedHistogram",
    "TwoSidedGeometric",
    "Value",
    "ValueMargin",
    "Verdict",
    "WassersteinNoise",
    "Window",
    "Within",
    "Witness",
    "calibrate",
    "combine",
    "compose",
    "correlated_guarantee",
    "curve",
    "decide",
    "differential_privacy",
    "discarding",
    "discrete_gaussian",
    "distributional",
    "exact_epsilon",
    "explain",
    "file_asker",
    "finite",
    "fitted",
    "least_noise",
    "least_scale",
    "likeliest_model",
    "likeliest_rate",
    "load_policy",
    "majority",
    "markov_quilt",
    "mode",
    "mode_curve",
    "model_curve",
    "name_and_shame",
    "new_spec",
    "noiseless",
    "noisy_figure",
    "normal_figure",
    "odds_from",
    "on_cores",
    "on_spark",
    "open_ledger",
    "posteriors",
    "propose",
    "publish",
    "publish_one_record",
    "randomized_answers",
    "rational_geometric",
    "release_folder",
    "rounded_gaussian",
    "rules",
    "selection_guarantee",
    "sensitivity_lines",
    "simulated_sum",
    "somebody_is_shamed",
    "stability",
    "sum_by_value",
    "theorem_15_counterexample",
    "threshold",
    "threshold_curve",
    "threshold_guarantee",
    "told_count",
    "told_histogram",
    "two_sided_geometric",
    "verify",
    "wasserstein",
    "wasserstein_distance",
]


def __getattr__(name: str) -> object:
    if name in _SPACES:
        return import_module(f"dalenius.{_SPACES[name]}")
    if name not in _WHERE:
        raise AttributeError(f"module 'dalenius' has no attribute {name!r}")
    return getattr(import_module(f"dalenius.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return __all__
