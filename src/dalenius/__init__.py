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

from dalenius.basics.homes import TOP, lazily

if TYPE_CHECKING:
    from dalenius import beliefs, claims, data, facts, judge, mechanisms, numerics, papers
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
    from dalenius.beliefs.estimated import Estimated
    from dalenius.beliefs.markov import Markov
    from dalenius.beliefs.mixture import Mixture
    from dalenius.beliefs.sampled import Sampled
    from dalenius.claims import Guarantee, Verdict
    from dalenius.desk.audit.auditing import audit
    from dalenius.desk.audit.mechanisms import audit_mechanism
    from dalenius.desk.explain import explain
    from dalenius.desk.guard import Guard
    from dalenius.desk.interview import new_spec
    from dalenius.desk.policy import Policy, load_policy
    from dalenius.desk.proposal import propose
    from dalenius.desk.session import Decision, decide, publish, release_folder
    from dalenius.enclosure.brackets import Bracket
    from dalenius.facts.secret import Presence, PresenceOnly, Value, Within
    from dalenius.facts.statistics import Count, Histogram, Mean, Sum
    from dalenius.judge.definition import differential_privacy, distributional, noiseless
    from dalenius.judge.odds import odds_from
    from dalenius.judge.posterior import posteriors
    from dalenius.judge.verification import curve, verify
    from dalenius.mechanisms import Exact, Rounded, discrete_gaussian, rounded_gaussian, two_sided_geometric
    from dalenius.numerics.compose import compose
    from dalenius.numerics.curve import Curve
    from dalenius.plan import rules
    from dalenius.plan.calibration.solve import calibrate
    from dalenius.record.ledger import Ledger, open_ledger

__version__ = "0.1.0"

SPACES = ("audit", "beliefs", "claims", "data", "facts", "judge", "mechanisms", "numerics", "papers")

__all__ = [
    "IID",
    "Around",
    "AtLeast",
    "Belief",
    "Blocks",
    "Bracket",
    "CombinationError",
    "Count",
    "Curve",
    "DaleniusError",
    "DataError",
    "Decision",
    "Estimated",
    "Exact",
    "Guarantee",
    "Guard",
    "Histogram",
    "Hull",
    "Independent",
    "InputError",
    "Ledger",
    "LedgerError",
    "Markov",
    "Mean",
    "Mixture",
    "OutputError",
    "Policy",
    "PreconditionError",
    "Presence",
    "PresenceOnly",
    "Rounded",
    "Sampled",
    "SpecError",
    "Sum",
    "Value",
    "Verdict",
    "Within",
    "__version__",
    "audit",
    "audit_mechanism",
    "beliefs",
    "calibrate",
    "claims",
    "compose",
    "curve",
    "data",
    "decide",
    "differential_privacy",
    "discrete_gaussian",
    "distributional",
    "explain",
    "facts",
    "fitted",
    "judge",
    "load_policy",
    "mechanisms",
    "new_spec",
    "noiseless",
    "numerics",
    "odds_from",
    "open_ledger",
    "papers",
    "posteriors",
    "propose",
    "publish",
    "release_folder",
    "rounded_gaussian",
    "rules",
    "two_sided_geometric",
    "verify",
]

_FOUND, _NAMES = lazily("dalenius", TOP)


def __getattr__(name: str) -> object:
    if name == "rules":
        return import_module("dalenius.plan.rules")
    return import_module(f"dalenius.{name}") if name in SPACES else _FOUND(name)


def __dir__() -> list[str]:
    return sorted({*__all__, "__doc__", "__file__", "__name__", "__path__"})
