"""Finite worlds: everything that is needed to list datasets and try a definition of privacy on them, in one place.

>>> import dalenius as dl
>>> coins = dl.papers.Finite.product([{0: "1/2", 1: "1/2"}] * 3)
>>> noisy = dl.papers.FiniteMechanism.of(dl.Count() >> dl.mechanisms.rational_geometric("1/3"), coins)
>>> print(dl.papers.Neighbours.replace(coins).epsilon(noisy))
[1.098, 1.099]: (0, 0, 0) against (1, 0, 0), output 0 or less
"""

from dalenius.claims import conversions
from dalenius.numerics.outcomes import Outcomes
from dalenius.papers.definitions import axioms, instances
from dalenius.papers.definitions.composability import composition, correlation_witness, value_correlation_witness
from dalenius.papers.definitions.coupled import CoupledWorlds, Simulator, coupled_delta, coupled_epsilon, distributional
from dalenius.papers.definitions.finite import Neighbours, indistinguishability, pointwise_indistinguishability
from dalenius.papers.definitions.games import Games
from dalenius.papers.definitions.hides import Hide, attributes, blurred, node, record, student
from dalenius.papers.definitions.ideal import canonical_delta, simulated_delta
from dalenius.papers.definitions.inference import (
    inference_delta,
    inference_failure,
    posteriors,
    pufferfish_failure,
    pufferfish_inference_delta,
)
from dalenius.papers.definitions.kanonymity import GeneralisedTable, candidates_in_all
from dalenius.papers.definitions.noiseless_worlds import noiseless_by_presence, noiseless_by_value
from dalenius.papers.definitions.pufferfish import (
    Fact,
    Pufferfish,
    absence_pairs,
    independent_given,
    odds,
    presence_pairs,
    restricted,
    value_pairs,
)
from dalenius.papers.definitions.semantic import (
    failure,
    largest_ratio,
    largest_shift,
    oblivious_failure,
    worst_informed_shift,
    worst_shift,
)
from dalenius.papers.definitions.simulator import best_simulator, canonical, factored, midpoint
from dalenius.papers.definitions.together import after, answered, same_data, seen_by, together
from dalenius.papers.definitions.worst_belief import worst_failure, worst_informed_failure, worst_oblivious_failure
from dalenius.papers.mechanisms.finite import FiniteMechanism, as_function
from dalenius.papers.sampling import bernoulli_sample, independent_draws, poisson_sample, simple_random_sample
from dalenius.papers.worlds import Dataset, Finite

__all__ = [
    "CoupledWorlds",
    "Dataset",
    "Fact",
    "Finite",
    "FiniteMechanism",
    "Games",
    "GeneralisedTable",
    "Hide",
    "Neighbours",
    "Outcomes",
    "Pufferfish",
    "Simulator",
    "absence_pairs",
    "after",
    "answered",
    "as_function",
    "attributes",
    "axioms",
    "bernoulli_sample",
    "best_simulator",
    "blurred",
    "candidates_in_all",
    "canonical",
    "canonical_delta",
    "composition",
    "conversions",
    "correlation_witness",
    "coupled_delta",
    "coupled_epsilon",
    "distributional",
    "factored",
    "failure",
    "independent_draws",
    "independent_given",
    "indistinguishability",
    "inference_delta",
    "inference_failure",
    "instances",
    "largest_ratio",
    "largest_shift",
    "midpoint",
    "node",
    "noiseless_by_presence",
    "noiseless_by_value",
    "oblivious_failure",
    "odds",
    "pointwise_indistinguishability",
    "poisson_sample",
    "posteriors",
    "presence_pairs",
    "pufferfish_failure",
    "pufferfish_inference_delta",
    "record",
    "restricted",
    "same_data",
    "seen_by",
    "simple_random_sample",
    "simulated_delta",
    "student",
    "together",
    "value_correlation_witness",
    "value_pairs",
    "worst_failure",
    "worst_informed_failure",
    "worst_informed_shift",
    "worst_oblivious_failure",
    "worst_shift",
]
