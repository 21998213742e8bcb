"""Coupled worlds: simulators and posteriors (Bassily, Groce, Katz and Smith)."""

from collections.abc import Hashable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial

from dalenius.basics.errors import require
from dalenius.claims import Guarantee, Notion
from dalenius.claims.conversions import (
    balanced_from_coupled,
    failure_from_coupled,
    pufferfish_delta,
)
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.papers.definitions.axioms import values_apart
from dalenius.papers.definitions.coupled import Simulator, coupled_delta, distributional
from dalenius.papers.definitions.inference import inference_delta, inference_failure
from dalenius.papers.definitions.simulator import best_simulator
from dalenius.papers.theorems.papers import CW
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem
from dalenius.papers.worlds import Dataset, Finite

_entry = partial(entry, paper=CW)
_theorem = partial(theorem, paper=CW)
NOTHING = Bracket(0.0, 0.0)
FAIR: Mapping[Hashable, Number] = {0: "1/2", 1: "1/2"}


def stated(value: Number, name: str) -> Bracket:
    """A number of a hypothesis."""
    found = exact(value, name=name)
    require(found >= 0, f"{name} of at least 0", got=value)
    return around(found, found)


# -- definitions -------------------------------------------------------------------------------------------------------

_entry(
    "CW-D2",
    "Definition 2",
    Status.TRUE,
    covers=("Definition 1", "Definition 2", "Definition 4", "Definition 8"),
    says="inference-based privacy: posteriors given the release and given the simulator are alike",
    holds="an undefined posterior counts as a failure",
    sketch="Without that convention, outputs that the simulator never gives would not count.",
    uses=("papers.definitions.inference.inference_failure", "papers.definitions.inference.pufferfish_failure"),
    tests=(
        "finite/test_inference.py::test_failures_are_those_of_the_definition",
        "finite/test_inference.py::test_pufferfish_failures_are_those_of_the_definition",
    ),
)


@_theorem(
    "CW-D5",
    "Definition 5",
    Status.TRUE,
    covers=("Definition 3", "Definition 5"),
    says="coupled-worlds privacy; distributional differential privacy is the case of one record left out",
    holds="as printed; the best simulator is a linear program, whose dual proves that there is no better one",
    uses=("papers.definitions.coupled.coupled_delta",),
    tests=("finite/test_coupled.py::test_delta_is_that_of_the_definition",),
)
def as_coupled(epsilon: Number, delta: Number) -> Guarantee:
    """Private is x_i, and the alternative is the data without it: one pair for each record."""
    return proved(
        Notion.COUPLED,
        epsilon=stated(epsilon, "epsilon"),
        delta=stated(delta, "delta"),
        because="the same inequality, record by record",
        source="CW, Definitions 3 and 5",
    )


def _empty_definition() -> Violation:
    """The identity on a bit that is known: the posterior is the prior, and a neighbour is told apart for sure."""
    points = [Finite.table({(bit,): 1}) for bit in (0, 1)]
    worlds = distributional(points).worlds(lambda data: data[0])
    coins = Simulator.of(lambda _: FAIR, worlds.alts)
    told = Finite.table({(0,): "1/2", (1,): "1/2"})
    real = distributional([told]).worlds(lambda data: data[0])
    return Violation(
        "Definition 2 for all point beliefs has the δ of differential privacy",
        "the identity on one bit, with fair coins for a simulator; any real belief tells",
        inference_delta(worlds, coins, epsilon=0),
        values_apart(real, epsilon=0),
    )


_entry(
    "CW-D2-points",
    "Definition 2 with point beliefs",
    Status.REFUTED,
    covers=("Definition 2",),
    says="the inference-based definition for all point beliefs is differential privacy",
    holds="it is empty then: a constant has the same posterior whatever is released",
    sketch="A point belief has nothing to learn. Definition 3 with all beliefs is meant.",
    counterexample=_empty_definition,
    uses=("papers.definitions.inference.inference_delta",),
    tests=("finite/test_inference.py::test_point_beliefs_make_the_inference_based_definition_empty",),
)


def _through_the_simulator() -> Violation:
    """One bit at ε = 1/2, δ = 1/100: the two laws are (1/2, δ)-alike to the simulator's, and not to each other."""
    delta, steep = Fraction(1, 100), Fraction(evaluated(lambda: Decimal("0.5").exp()).lower)
    atom = delta * (1 + steep)
    ideal: Mapping[Hashable, Number] = {"atom": delta, "rest": 1 - delta}

    def release(data: Dataset) -> Mapping[Hashable, Number]:
        return {"rest": 1} if data[0] == 1 else {"atom": atom, "rest": 1 - atom}

    worlds = distributional([Finite.table({(0,): "1/2", (1,): "1/2"})]).worlds(release)
    simulator = Simulator.of(lambda _: ideal, worlds.alts)
    return Violation(
        "distributional privacy for all beliefs is differential privacy with the same δ at the same ε",
        "one bit: an output has probability 0 given one value and (1 + √e)/100 given the other, 1/100 in the simulator",
        coupled_delta(worlds, simulator, epsilon="1/2"),
        values_apart(worlds, epsilon="1/2"),
    )


@_theorem(
    "CW-Gehrke",
    "Section II-A, all beliefs",
    Status.REPAIRED,
    covers=("Section II-A",),
    says="distributional differential privacy for all beliefs is differential privacy",
    holds="differential privacy implies it with the same numbers; back it is (2ε, (1 + e^ε) δ), and no less",
    counterexample=_through_the_simulator,
    uses=("claims.conversions.pufferfish_delta",),
    tests=(
        "finite/test_coupled.py::test_gehrke_and_corollary_2_are_tight",
        "finite/test_conversions.py::test_the_formulas_of_theorems_6_and_16_and_corollary_2",
    ),
    assumes=("for the way back: distributional privacy holds for every belief",),
)
def for_all_beliefs(epsilon: Number, delta: Number, *, back: bool = False) -> Guarantee:
    """Forth: the simulator runs the mechanism with a default record. Back: two neighbours are each (ε, δ)-alike to what
    the simulator makes of their common rest.
    """
    at = exact(epsilon, name="epsilon")
    if not back:
        return proved(
            Notion.DISTRIBUTIONAL,
            epsilon=stated(epsilon, "epsilon"),
            delta=stated(delta, "delta"),
            because="the simulator runs the mechanism with a default record",
            source="CW, Section II-A",
        )
    return proved(
        Notion.DIFFERENTIAL,
        epsilon=around(2 * at, 2 * at),
        delta=pufferfish_delta(epsilon, stated(delta, "delta"), between=0, apart=NOTHING),
        because="through the simulator, once in each direction",
        source="CW, Section II-A, repaired",
    )


# -- posteriors --------------------------------------------------------------------------------------------------------


def _many_values() -> Violation:
    """One record with 49 values, ε = 2, δ = 1e-4: every simulator's posterior is the prior, 1/49 on each value."""
    count, delta = 49, Fraction(1, 10_000)
    steep = Fraction(evaluated(lambda: Decimal(2).exp()).lower)
    sure = 1 - (count - 1) * steep * delta

    def release(data: Dataset) -> Mapping[Hashable, Number]:
        return {"none": sure, **{v: steep * delta for v in range(count) if v != data[0]}}

    worlds = distributional([Finite.product([dict.fromkeys(range(count), Fraction(1, count))])]).worlds(release)
    simulated: Mapping[Hashable, Number] = {"none": 1 - count * delta, **dict.fromkeys(range(count), delta)}
    ideal = Simulator.of(lambda _: simulated, worlds.alts)
    reached = Fraction(coupled_delta(worlds, ideal, epsilon=2).upper)
    allowed = evaluated(lambda: 2 * decimal(reached).sqrt())
    return Violation(
        "posteriors are (3ε, 2√δ)-alike but with probability 2√δ",
        "one record with 49 values, ε = 2, δ = 1e-4: each output but one excludes a value",
        allowed,
        inference_failure(worlds, ideal, epsilon=6, delta=Fraction(allowed.upper)),
    )


@_theorem(
    "CW-L1",
    "Lemma 1",
    Status.REPAIRED,
    says="joint laws that are (ε, δ)-alike have (3ε, d)-alike posteriors but with probability 2δ/d + 2δ/(ε e^ε)",
    holds="(2ε, d)-alike but with probability (δ/d)(1 + e^ε (1 - d)), as KS-4.1",
    counterexample=_many_values,
    uses=("claims.conversions.failure_from_coupled",),
    tests=("finite/test_golden.py::test_posteriors_fail_as_often_as_the_sharp_lemma_allows",),
)
def posteriors(epsilon: Number, delta: Number, *, posterior_delta: Number) -> Guarantee:
    """It is Lemma 4.1 of KS, with a free d, and fails in the same way. The repair charges each output at which
    posteriors differ to the excess of one joint law or of the other.
    """
    at, d = exact(epsilon, name="epsilon"), stated(posterior_delta, "posterior_delta")
    failing = failure_from_coupled(epsilon, stated(delta, "delta"), pairs=1, posterior_delta=posterior_delta)
    return proved(
        Notion.INFERENCE,
        epsilon=around(2 * at, 2 * at),
        delta=failing.join(d),
        because=f"posteriors are within (2ε, {posterior_delta}) but with probability {failing}",
        source="CW, Lemma 1, repaired",
    )


@_theorem(
    "CW-T2",
    "Theorem 2",
    Status.REPAIRED,
    covers=("Theorem 1", "Theorem 2"),
    says="(ε, δ)-coupled-worlds privacy for m private facts implies (3ε, 2√(mδ))-inference-based privacy",
    holds="(2ε, d) with d² = mδ (1 + e^ε (1 - d)), so d is at most √((1 + e^ε) mδ); no side condition",
    counterexample=_many_values,
    uses=("claims.conversions.balanced_from_coupled",),
    tests=(
        "finite/test_inference.py::test_theorems_1_and_2_as_printed_fail",
        "finite/test_inference.py::test_coupled_worlds_privacy_implies_the_repaired_theorem_2",
        "finite/test_inference.py::test_the_repaired_theorem_2",
    ),
)
def inference(epsilon: Number, delta: Number, *, pairs: int, posterior_delta: Number | None = None) -> Guarantee:
    """The repaired lemma for each private fact, and the sum of the failures. The printed one fails for every ε above
    ln 3, for some δ.
    """
    at = exact(epsilon, name="epsilon")
    if posterior_delta is None:
        worst = balanced_from_coupled(epsilon, delta, pairs=pairs)
    else:
        failing = failure_from_coupled(epsilon, stated(delta, "delta"), pairs=pairs, posterior_delta=posterior_delta)
        worst = failing.join(stated(posterior_delta, "posterior_delta"))
    return proved(
        Notion.INFERENCE,
        epsilon=around(2 * at, 2 * at),
        delta=worst,
        because=f"the repaired lemma for each of {pairs} private facts",
        source="CW, Theorem 2, repaired",
    )


def total(data: Dataset) -> Fraction:
    """The sum of a dataset of numbers."""
    return sum((Fraction(str(value)) for value in data if value is not None), Fraction(0))


def _parity() -> Violation:
    """Three fair bits; their parity is known, and released. A coin as the simulator leaves posteriors as they are."""

    def parity(data: Dataset) -> int:
        return int(total(data)) % 2

    aware = Finite.product([{0: "1/2", 1: "1/2"}] * 3).knowing(parity)
    worlds = distributional([aware]).worlds(parity)
    coin = Simulator.of(lambda _: FAIR, worlds.alts)
    return Violation(
        "what is inference-based private is coupled-worlds private with the same δ, for some simulator",
        "three fair bits whose parity is known and released, ε = 5: the data without a record do not tell it",
        inference_delta(worlds, coin, epsilon=0),
        best_simulator(worlds, epsilon=5).delta,
    )


_entry(
    "CW-E1",
    "Example 1",
    Status.TRUE,
    says="parity separates the two kinds of definition: posteriors do not move, and no simulator is right",
    holds="as printed: no simulator has δ below 1/2, at any ε; inference-based (0, 0)",
    sketch="The linear program of the best simulator has the value 1/2, and one dual solution serves every ε.",
    counterexample=_parity,
    uses=("papers.definitions.simulator.best_simulator",),
    tests=(
        "finite/test_simulator.py::test_parity_cannot_be_simulated",
        "finite/test_simulator.py::test_one_proof_for_parity_serves_every_epsilon",
        "finite/test_inference.py::test_parity_teaches_nothing",
    ),
)
_entry(
    "CW-instances",
    "Section II-D, instances",
    Status.TRUE,
    covers=("Section II-D",),
    says="a node of a network, private attributes, a school, a firm as what is private",
    holds="as told, each a pair of private fact and alternative",
    sketch="Each is a choice of the two functions; nothing else changes.",
    uses=(
        "papers.definitions.hides.node",
        "papers.definitions.hides.attributes",
        "papers.definitions.hides.student",
        "papers.definitions.hides.blurred",
    ),
    tests=(
        "finite/test_coupled.py::test_a_node_of_a_social_network_leaves_with_its_edges",
        "finite/test_coupled.py::test_public_attributes_stay",
        "finite/test_coupled.py::test_a_whole_school_stays_out",
        "finite/test_coupled.py::test_a_firm_with_noise_in_alt",
    ),
)
