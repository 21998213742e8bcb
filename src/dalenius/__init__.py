"""dalenius decides, with a certified number, whether a figure from confidential data may be published exactly.

>>> import dalenius as dl
>>> attacker = dl.IID(p=0.1, n=10_000, known=0.2)
>>> g = dl.verify(dl.Count() >> dl.Exact(), dl.noiseless(attacker), delta=1e-9)
>>> g.epsilon.upper < 0.3
True
"""

from dalenius.beliefs.belief import IID, Belief, Independent
from dalenius.definitions import DifferentialPrivacy, NoiselessPrivacy, differential_privacy, noiseless
from dalenius.errors import DaleniusError, DataError, InputError, OutputError, PreconditionError, SpecError
from dalenius.guarantees import Evidence, Guarantee, Verdict, Witness
from dalenius.mechanisms import (
    Channel,
    DiscreteGaussian,
    Exact,
    Mechanism,
    Rounded,
    TwoSidedGeometric,
    discrete_gaussian,
    two_sided_geometric,
)
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.compose import compose
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import Law
from dalenius.records import Categories, Numbers, Where
from dalenius.secret import Presence, Value
from dalenius.statistics import Count, Mean, Statistic, Sum
from dalenius.verification import curve, verify

__version__ = "0.1.0"

__all__ = [
    "IID", "Belief", "Bracket", "Categories", "Channel", "Count", "Curve", "DaleniusError", "DataError", "DifferentialPrivacy",
    "DiscreteGaussian", "Evidence", "Exact", "Guarantee", "Independent", "InputError", "Law", "Mean", "Mechanism",
    "NoiselessPrivacy", "Numbers", "OutputError", "PreconditionError", "Presence", "Rounded", "SpecError", "Statistic", "Sum",
    "TwoSidedGeometric", "Value", "Verdict", "Where", "Witness", "compose", "curve", "differential_privacy", "discrete_gaussian",
    "noiseless", "two_sided_geometric", "verify",
]
