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

if TYPE_CHECKING:
    from dalenius import finite
    from dalenius.beliefs.around import Around, Hull
    from dalenius.beliefs.at_least import AtLeast
    from dalenius.beliefs.belief import IID, Belief, Independent
    from dalenius.beliefs.blocks import Blocks
    from dalenius.beliefs.brackets import Brackets
    from dalenius.beliefs.markov import Markov
    from dalenius.beliefs.mixture import Mixture
    from dalenius.beliefs.moments import RangeVariance
    from dalenius.beliefs.uniform_part import simulated_sum, sum_by_value
    from dalenius.beliefs.vertices import Rates
    from dalenius.definitions import DifferentialPrivacy, NoiselessPrivacy, differential_privacy, noiseless
    from dalenius.errors import DaleniusError, DataError, InputError, OutputError, PreconditionError, SpecError
    from dalenius.guarantees import Evidence, Guarantee, Verdict, Witness
    from dalenius.guarantees.thresholds import threshold_curve, threshold_guarantee
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
    from dalenius.numerics.bracket import Bracket
    from dalenius.numerics.compose import compose
    from dalenius.numerics.curve import Curve
    from dalenius.numerics.law import Law
    from dalenius.numerics.moments import Moments
    from dalenius.secret import Presence, Value, Within
    from dalenius.session import Decision, decide, publish, release_folder
    from dalenius.statistics import Count, Mean, Statistic, Sum
    from dalenius.verification import curve, verify

__version__ = "0.1.0"

_HOMES = {
    "beliefs.around": ("Around", "Hull"),
    "beliefs.at_least": ("AtLeast",),
    "beliefs.belief": ("IID", "Belief", "Independent"),
    "beliefs.blocks": ("Blocks",),
    "beliefs.brackets": ("Brackets",),
    "beliefs.mixture": ("Mixture",),
    "beliefs.uniform_part": ("simulated_sum", "sum_by_value"),
    "beliefs.vertices": ("Rates",),
    "beliefs.markov": ("Markov",),
    "beliefs.moments": ("RangeVariance",),
    "definitions": ("DifferentialPrivacy", "NoiselessPrivacy", "differential_privacy", "noiseless"),
    "errors": ("DaleniusError", "DataError", "InputError", "OutputError", "PreconditionError", "SpecError"),
    "guarantees": ("Evidence", "Guarantee", "Verdict", "Witness"),
    "guarantees.thresholds": ("threshold_curve", "threshold_guarantee"),
    "mechanisms": (
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
    ),
    "numerics.bracket": ("Bracket",),
    "numerics.compose": ("compose",),
    "numerics.curve": ("Curve",),
    "numerics.law": ("Law",),
    "numerics.moments": ("Moments",),
    "secret": ("Presence", "Value", "Within"),
    "session": ("Decision", "decide", "publish", "release_folder"),
    "statistics": ("Count", "Mean", "Statistic", "Sum"),
    "verification": ("curve", "verify"),
}
_WHERE = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "IID",
    "Around",
    "AtLeast",
    "Belief",
    "Blocks",
    "Bracket",
    "Brackets",
    "Channel",
    "Count",
    "Curve",
    "DaleniusError",
    "DataError",
    "Decision",
    "DifferentialPrivacy",
    "DiscreteGaussian",
    "Evidence",
    "Exact",
    "Guarantee",
    "Hull",
    "Independent",
    "InputError",
    "Law",
    "Markov",
    "Mean",
    "Mechanism",
    "Mixture",
    "Moments",
    "NoiselessPrivacy",
    "OutputError",
    "PreconditionError",
    "Presence",
    "RangeVariance",
    "Rates",
    "RationalGeometric",
    "Rounded",
    "RoundedGaussian",
    "SpecError",
    "Statistic",
    "Sum",
    "TwoSidedGeometric",
    "Value",
    "Verdict",
    "Within",
    "Witness",
    "compose",
    "curve",
    "decide",
    "differential_privacy",
    "discrete_gaussian",
    "finite",
    "noiseless",
    "publish",
    "rational_geometric",
    "release_folder",
    "rounded_gaussian",
    "simulated_sum",
    "sum_by_value",
    "threshold_curve",
    "threshold_guarantee",
    "two_sided_geometric",
    "verify",
]


def __getattr__(name: str) -> object:
    if name == "finite":
        return import_module("dalenius.finite")
    if name not in _WHERE:
        raise AttributeError(f"module 'dalenius' has no attribute {name!r}")
    return getattr(import_module(f"dalenius.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return __all__
