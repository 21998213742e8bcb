"""Where each public name lives: importing the package, or a part of it, loads none of these until a name is used."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TypeAlias

Homes: TypeAlias = Mapping[str, Sequence[str]]  # module to names

TOP: Homes = {
    "numerics.compose": ("compose",),
    "basics.errors": (
        "CombinationError",
        "DaleniusError",
        "DataError",
        "InputError",
        "LedgerError",
        "OutputError",
        "PreconditionError",
        "SpecError",
    ),
    "beliefs.around": (
        "Around",
        "Hull",
    ),
    "beliefs.at_least": ("AtLeast",),
    "beliefs.belief": (
        "Belief",
        "IID",
        "Independent",
        "fitted",
    ),
    "beliefs.blocks": ("Blocks",),
    "beliefs.estimated": ("Estimated",),
    "beliefs.markov": ("Markov",),
    "beliefs.mixture": ("Mixture",),
    "beliefs.sampled": ("Sampled",),
    "claims": (
        "Guarantee",
        "Verdict",
    ),
    "desk.audit.mechanisms": ("audit_mechanism",),
    "desk.explain": ("explain",),
    "desk.guard": ("Guard",),
    "desk.interview": ("new_spec",),
    "desk.policy": (
        "Policy",
        "load_policy",
    ),
    "desk.proposal": ("propose",),
    "desk.session": (
        "Decision",
        "decide",
        "publish",
        "release_folder",
    ),
    "facts.secret": (
        "Presence",
        "PresenceOnly",
        "Value",
        "Within",
    ),
    "facts.statistics": (
        "Count",
        "Histogram",
        "Mean",
        "Sum",
    ),
    "judge.definition": (
        "differential_privacy",
        "distributional",
        "noiseless",
    ),
    "judge.odds": ("odds_from",),
    "judge.posterior": ("posteriors",),
    "judge.verification": (
        "curve",
        "verify",
    ),
    "mechanisms.channel": (
        "Exact",
        "Rounded",
        "discrete_gaussian",
        "rounded_gaussian",
        "two_sided_geometric",
    ),
    "enclosure.brackets": ("Bracket",),
    "numerics.curve": ("Curve",),
    "plan.calibration.solve": ("calibrate",),
    "record.ledger": (
        "Ledger",
        "open_ledger",
    ),
}

SPACES: Mapping[str, Homes] = {
    "audit": {
        "audit.dominance": ("n_k", "p_percent"),
        "audit.examination": ("Examined", "examine"),
        "audit.findings": ("CellFinding", "CellStatus", "Findings"),
        "audit.following": ("follow",),
        "audit.likelihood": ("Likely", "likely", "odds_moved"),
        "audit.linking": ("link",),
        "audit.people": ("Found", "People", "Said", "What", "Who", "people_that_fit"),
        "audit.problem": ("ContradictionError", "Problem", "Sought", "Statement", "Unknown"),
        "audit.reading": ("read_table",),
        "audit.remedy": ("advise",),
        "audit.tables": ("Convention", "PublishedTable"),
    },
    "beliefs": {
        "beliefs.brackets": ("Brackets",),
        "beliefs.hedged": ("Hedged",),
        "beliefs.histogram": ("ExactHistogram",),
        "beliefs.moments": ("RangeVariance",),
        "beliefs.one_of": ("OneOfTheModels",),
        "beliefs.sample_sizes": ("discarding",),
        "beliefs.truncated": ("TruncatedHistogram",),
        "beliefs.uniform_part": (
            "simulated_sum",
            "sum_by_value",
        ),
        "beliefs.vertices": ("Rates",),
    },
    "claims": {
        "claims": ("Evidence", "Witness"),
    },
    "data": {
        "data.datasets": ("DrawnData",),
        "data.drawing": (
            "Command",
            "InBatches",
        ),
        "data.draws": (
            "noisy_figure",
            "normal_figure",
            "randomized_answers",
            "told_count",
            "told_histogram",
        ),
        "data.spread": (
            "on_cores",
            "on_spark",
        ),
    },
    "facts": {
        "facts.statistics": ("Statistic",),
    },
    "judge": {
        "judge.correlated": ("correlated_guarantee",),
        "judge.definition": (
            "DifferentialPrivacy",
            "DistributionalPrivacy",
            "NoiselessPrivacy",
        ),
        "judge.group": ("Believed", "Group", "Laws", "Target"),
        "judge.risk": (
            "Risk",
            "risk_from",
            "risk_of",
        ),
        "judge.verdict": ("judge",),
        "judge.odds": ("Odds",),
        "judge.posterior": ("Outcome",),
        "judge.selection": (
            "Stability",
            "selection_guarantee",
            "stability",
        ),
        "judge.thresholds": (
            "threshold_curve",
            "threshold_guarantee",
        ),
    },
    "mechanisms": {
        "mechanisms.channel": (
            "Channel",
            "DiscreteGaussian",
            "RationalGeometric",
            "RoundedGaussian",
            "TwoSidedGeometric",
            "rational_geometric",
        ),
        "mechanisms.mechanism": ("Mechanism",),
        "mechanisms.chain_noise": ("ChainNoise",),
        "mechanisms.choice": (
            "likeliest_rate",
            "majority",
            "threshold",
        ),
        "mechanisms.compared": ("OnlyCompared",),
        "mechanisms.correlated": (
            "exact_epsilon",
            "least_noise",
            "markov_quilt",
            "wasserstein",
            "wasserstein_distance",
        ),
        "mechanisms.earned": (
            "Told",
            "ToldLaw",
            "Window",
        ),
        "mechanisms.gaussian": (
            "DiscreteGaussianNoise",
            "GaussianNoise",
            "least_scale",
        ),
        "mechanisms.hedging": ("HedgedCount",),
        "mechanisms.histogram_release": (
            "HistogramRelease",
            "Truncated",
        ),
        "mechanisms.laplace": ("LaplaceNoise",),
        "mechanisms.local_sensitivity": ("LocalLaplaceNoise",),
        "mechanisms.margins": (
            "BusinessTotal",
            "GeometricMeanWithin",
            "SumWithin",
        ),
        "mechanisms.models": (
            "likeliest_model",
            "mode",
        ),
        "mechanisms.modes": ("mode_curve",),
        "mechanisms.prior_ball": ("BallCount",),
        "mechanisms.randomized_response": ("RandomizedResponse",),
        "mechanisms.response_total": ("ResponseTotal",),
        "mechanisms.selected": ("model_curve",),
        "mechanisms.single_prior": ("SinglePriorCount",),
        "mechanisms.single_prior_histogram": ("SinglePriorHistogram",),
        "mechanisms.earned_count": ("ExactIfEarned", "exact_if_earned"),
        "mechanisms.small_counts": ("SmallCountsHidden", "small_counts_hidden"),
        "mechanisms.stated": (
            "Stated",
            "combine",
        ),
    },
    "numerics": {
        "numerics.dependent_moments": (
            "BlockMoments",
            "GraphMoments",
        ),
        "numerics.law": ("Law",),
        "numerics.moments": ("Moments",),
    },
    "papers": {
        "judge.selection": ("theorem_15_counterexample",),
        "papers.mechanisms.bad_examples": (
            "name_and_shame",
            "publish_one_record",
            "somebody_is_shamed",
        ),
    },
}


def lazily(package: str, homes: Homes) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__`: names that live elsewhere, loaded when they are first used. A part of
    the package has its own names of the top level, too.
    """
    space = package.partition(".")[2]
    own = {home: names for home, names in TOP.items() if space and home.partition(".")[0] == space}
    where = {name: home for each in (own, homes) for home, names in each.items() for name in names}

    def found(name: str) -> object:
        if name not in where:  # `from package import module` asks here first
            meant = "" if find_spec(f"{package}.{name}") else _elsewhere(name)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{meant}")
        return getattr(import_module(f"dalenius.{where[name]}"), name)

    return found, lambda: sorted({*where, *vars(import_module(package))})


def _elsewhere(name: str) -> str:
    """Where a name is, or what it might have been."""
    from difflib import get_close_matches

    spaces = {each: space for space, homes in SPACES.items() for names in homes.values() for each in names}
    tops = [each for names in TOP.values() for each in names]
    if name in spaces:
        return f". It is dalenius.{spaces[name]}.{name}."
    if name in tops:
        return f". It is dalenius.{name}."
    near = get_close_matches(name, [*tops, *spaces], n=1, cutoff=0.75)
    return f". Did you mean dalenius.{f'{spaces[near[0]]}.' if near[0] in spaces else ''}{near[0]}?" if near else ""
