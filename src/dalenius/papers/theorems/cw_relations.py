"""Coupled worlds, continued: what keeps privacy, and how other definitions relate to it."""

from fractions import Fraction
from functools import partial

from dalenius.claims import Guarantee, Notion
from dalenius.claims.conversions import composed_delta, failure_from_pufferfish, pufferfish_delta
from dalenius.enclosure.brackets import around
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.papers.definitions.axioms import values_apart
from dalenius.papers.definitions.coupled import coupled_delta, distributional
from dalenius.papers.definitions.simulator import canonical
from dalenius.papers.theorems.cw import NOTHING, stated, total
from dalenius.papers.theorems.papers import CW
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem
from dalenius.papers.worlds import Dataset, Finite

_entry = partial(entry, paper=CW)
_theorem = partial(theorem, paper=CW)

# -- closure -----------------------------------------------------------------------------------------------------------


def _kept(epsilon: Number, delta: Number, because: str, source: str) -> Guarantee:
    return proved(
        Notion.COUPLED,
        epsilon=stated(epsilon, "epsilon"),
        delta=stated(delta, "delta"),
        because=because,
        source=source,
    )


@_theorem(
    "CW-T3",
    "Theorem 3",
    Status.TRUE,
    says="post-processing keeps coupled-worlds privacy",
    holds="as printed; the simulator is processed too",
    uses=("papers.definitions.axioms.post_processing",),
    tests=("finite/test_coupled.py::test_post_processing_convexity_and_weaker_sides_hold",),
)
def processed(epsilon: Number, delta: Number) -> Guarantee:
    """Process both worlds; an event of the result is a weight on the release."""
    return _kept(epsilon, delta, "the simulator is processed in the same way", "CW, Theorem 3")


@_theorem(
    "CW-T4",
    "Theorem 4",
    Status.TRUE,
    says="what is private for some beliefs is private for their mixtures",
    holds="as printed, since one simulator serves all of them",
    uses=("papers.definitions.axioms.convexity",),
    tests=("finite/test_coupled.py::test_post_processing_convexity_and_weaker_sides_hold",),
)
def mixed(epsilon: Number, delta: Number) -> Guarantee:
    """Given what is private, both worlds are mixtures with the same weights; the excess over e^ε is convex."""
    return _kept(epsilon, delta, "both worlds are mixed with the same weights", "CW, Theorem 4")


@_theorem(
    "CW-T5",
    "Theorem 5",
    Status.TRUE,
    says="who knows less learns less: privacy is kept if the auxiliary information is weakened",
    holds="as printed, if the coins that weaken it are independent of the data given it",
    uses=("papers.definitions.axioms.weaker_side",),
    tests=("finite/test_coupled.py::test_post_processing_convexity_and_weaker_sides_hold",),
    assumes=("the coins that weaken the auxiliary information are independent of the data given it",),
)
def weakened(epsilon: Number, delta: Number) -> Guarantee:
    """Given what is private and the weaker information, both worlds are mixed over the stronger, with equal weights."""
    return _kept(epsilon, delta, "both worlds are mixed over what was forgotten", "CW, Theorem 5")


@_theorem(
    "CW-T6",
    "Theorem 6",
    Status.TRUE,
    says="two releases compose, if each is private for whoever also knows the other (or its simulation)",
    holds="(ε_F + ε_G, max(δ_F e^ε_G + δ_G, δ_F + δ_G e^ε_F)), attained",
    uses=("papers.definitions.axioms.compose_coupled", "claims.conversions.composed_delta"),
    tests=(
        "finite/test_coupled.py::test_composition_holds_and_is_that_of_the_definition",
        "finite/test_coupled.py::test_theorem_6_is_tight",
        "finite/test_axioms.py::test_separate_privacy_does_not_compose_and_the_witness_says_where",
        "finite/test_conversions.py::test_the_formulas_of_theorems_6_and_16_and_corollary_2",
    ),
    assumes=(
        "G is private with (Z, F(X)) known, and F with (Z, Sim_G(alt(X))) known: neither follows from separate privacy",
        "the coins of both releases and both simulators are independent",
    ),
)
def composed(first: tuple[Number, Number], second: tuple[Number, Number]) -> Guarantee:
    """Exchange G for its simulator first, then F, or the other way round; each step costs its own (ε, δ), and the first
    δ is multiplied by the other e^ε.
    """
    (e_f, d_f), (e_g, d_g) = first, second
    at = exact(e_f, name="epsilon") + exact(e_g, name="epsilon")
    return proved(
        Notion.COUPLED,
        epsilon=around(at, at),
        delta=composed_delta((e_f, stated(d_f, "delta")), (e_g, stated(d_g, "delta"))),
        because="one release after the other is exchanged for its simulator",
        source="CW, Theorem 6",
    )


# -- other definitions -------------------------------------------------------------------------------------------------


@_theorem(
    "CW-D7",
    "Definition 7",
    Status.TRUE,
    covers=("Definition 6", "Definition 7"),
    says="noiseless privacy is Pufferfish privacy about the values of records",
    holds="as printed: the secrets are x_i = a and x_i = b, given the auxiliary information",
    uses=("papers.definitions.axioms.values_apart", "papers.definitions.noiseless_worlds.noiseless_by_value"),
    tests=(
        "finite/test_examples.py::test_noiseless_privacy_agrees_with_brute_force",
        "finite/test_coupled.py::test_pufferfish_is_not_monotone_in_auxiliary_information",
    ),
)
def as_pufferfish(epsilon: Number, delta: Number) -> Guarantee:
    """The two inequalities are the same."""
    return proved(
        Notion.PUFFERFISH,
        epsilon=stated(epsilon, "epsilon"),
        delta=stated(delta, "delta"),
        because="the secrets are the values of a record",
        source="CW, Definitions 6 and 7",
    )


@_theorem(
    "CW-D7-presence",
    "Definition 7, with absence",
    Status.TRUE,
    covers=("Definition 7",),
    says="(not printed) that a record is absent is a secret like its values",
    holds="what hides presence and value hides each by itself, and is Pufferfish privacy, with the same numbers",
    uses=("facts.secret.pairs",),
    tests=("judgement/test_implied.py::test_each_pair_of_facts_has_its_own_notion",),
)
def as_pufferfish_with_absence(epsilon: Number, delta: Number) -> Guarantee:
    """The secrets are x_i = a for each value, and that i is absent: fewer pairs of them are no harder to hide."""
    return proved(
        Notion.PUFFERFISH,
        epsilon=stated(epsilon, "epsilon"),
        delta=stated(delta, "delta"),
        because="the secrets are the values of a record and its absence",
        source="beside CW, Definition 7",
    )


@_theorem(
    "CW-T7",
    "Theorem 7",
    Status.SHARPENED,
    says="(ε, δ)-Pufferfish about a yes or no implies (3ε, 2√δ)-inference-based Pufferfish, if 2√δ < ε e^ε",
    holds="(ε, √(δ/2)), without a condition; (ε, d) but with probability 2 π (1 - π) δ/d; attained at ε = 0",
    uses=("claims.conversions.failure_from_pufferfish",),
    tests=(
        "finite/test_inference.py::test_pufferfish_implies_the_sharp_theorem_7",
        "finite/test_inference.py::test_theorem_7_is_tight_at_zero",
    ),
)
def posterior(
    epsilon: Number, delta: Number, *, chance: Number = "1/2", posterior_delta: Number | None = None
) -> Guarantee:
    """An output t whose posterior is off by more than d has d M(t) < π (1 - π) (P_0(t) - e^ε P_1(t)), or the same with
    0 and 1 exchanged, where M is the law of the output; sum over t.
    """
    rest = Fraction(stated(delta, "delta").upper)
    root = evaluated(lambda: decimal(rest / 2).sqrt(), most=1.0)
    if posterior_delta is not None:
        failing = failure_from_pufferfish(stated(delta, "delta"), chance=chance, posterior_delta=posterior_delta)
        root = failing.join(stated(posterior_delta, "posterior_delta"))
    return proved(
        Notion.POSTERIOR,
        epsilon=stated(epsilon, "epsilon"),
        delta=root,
        because="the posterior of a yes or no against its prior",
        source="CW, Theorem 7, sharpened",
    )


def _outliers() -> Violation:
    """Two records around the mean 1, which is known: 3, or rarely -20. One record decides the sign."""
    belief = Finite.product([{-20: "2/23", 3: "21/23"}] * 2)
    worlds = distributional([belief]).worlds(lambda data: total(data) > 0)
    return Violation(
        "with the mean known the sign of the sum is noiselessly private: δ = 0",
        "two records with the known mean 1, each 3 or rarely -20: one record decides the sign; ε = 5",
        NOTHING,
        values_apart(worlds, epsilon=5),
    )


_entry(
    "CW-mean",
    "Section II-E, a common mean",
    Status.REPAIRED,
    covers=("Section II-E",),
    says="a common mean in the auxiliary information makes the sign of the sum noiselessly private",
    holds="for records within less than 1 of the mean; Pufferfish is not monotone in auxiliary information",
    sketch="One extreme value flips the sign. Without the mean, a record tells the mean, and so the sign.",
    counterexample=_outliers,
    uses=("papers.definitions.axioms.values_apart",),
    tests=("finite/test_coupled.py::test_pufferfish_is_not_monotone_in_auxiliary_information",),
)


def _hidden_mean() -> Violation:
    """Two records within 1/2 of a common mean 1 or -1, which nobody knows; the sign of their sum is published."""
    steps = [Fraction(-1, 2), Fraction(0), Fraction(1, 2)]
    parts = [Finite.product([{mean + step: "1/3" for step in steps}] * 2) for mean in (Fraction(1), Fraction(-1))]
    belief = Finite.mixture(("1/2", part) for part in parts)

    def sign(data: Dataset) -> bool:
        return total(data) > 0

    worlds = distributional([belief]).worlds(sign)
    return Violation(
        "distributional privacy implies noiseless privacy, at twice the ε and (1 + e^ε) times the δ",
        "two records within 1/2 of a hidden mean 1 or -1: the sign tells what each record tells; ε = 5",
        coupled_delta(worlds, canonical(sign, worlds), epsilon=0),
        values_apart(worlds, epsilon=5),
    )


_entry(
    "CW-hidden-mean",
    "Section II-E, a hidden mean",
    Status.TRUE,
    covers=("Section II-E",),
    says="what all records tell alike is no breach of one: distributional privacy holds, noiseless privacy fails",
    holds="as told, for records within less than 1 of the mean",
    sketch="The other record gives the same sign, so a simulator without it is right; either record tells the sign.",
    counterexample=_hidden_mean,
    uses=("papers.definitions.axioms.values_apart",),
    tests=("finite/test_coupled.py::test_pufferfish_is_not_monotone_in_auxiliary_information",),
)


@_theorem(
    "CW-T16",
    "Theorem 16",
    Status.TRUE,
    covers=("Theorem 16", "Corollary 1"),
    says="coupled-worlds privacy implies Pufferfish, if the simulator's outputs are alike for the two secrets",
    holds="(2ε + ε₁, δ (1 + e^(ε + ε₁)) + δ₁ e^ε), attained",
    uses=("papers.definitions.axioms.chain_pufferfish", "claims.conversions.pufferfish_delta"),
    tests=(
        "finite/test_coupled.py::test_theorem_16_is_tight",
        "finite/test_axioms.py::test_theorem_16_holds_where_its_side_condition_does",
        "finite/test_conversions.py::test_the_formulas_of_theorems_6_and_16_and_corollary_2",
    ),
)
def chained(epsilon: Number, delta: Number, *, between: Number, apart: Number) -> Guarantee:
    """From the release to the simulator given one secret, to the simulator given the other, and back to the release."""
    at = 2 * exact(epsilon, name="epsilon") + exact(between, name="between")
    return proved(
        Notion.PUFFERFISH,
        epsilon=around(at, at),
        delta=pufferfish_delta(epsilon, stated(delta, "delta"), between=between, apart=stated(apart, "apart")),
        because="through the simulator, which the secret changes by (between, apart)",
        source="CW, Theorem 16",
    )


@_theorem(
    "CW-C2",
    "Corollary 2",
    Status.TRUE,
    says="distributional privacy implies noiseless privacy, if records are independent given the auxiliary information",
    holds="(2ε, (1 + e^ε) δ), attained",
    uses=("papers.definitions.axioms.chain_noiseless",),
    tests=("finite/test_coupled.py::test_gehrke_and_corollary_2_are_tight",),
    assumes=("records are independent given the auxiliary information",),
)
def noiseless(epsilon: Number, delta: Number) -> Guarantee:
    """The simulator sees the other records, whose law does not depend on this one: Theorem 16 with nothing between."""
    at = exact(epsilon, name="epsilon")
    return proved(
        Notion.NOISELESS,
        epsilon=around(2 * at, 2 * at),
        delta=pufferfish_delta(epsilon, stated(delta, "delta"), between=0, apart=NOTHING),
        because="both values of the record are (ε, δ)-alike to the same simulator",
        source="CW, Corollary 2",
    )


@_theorem(
    "CW-C2-back",
    "Corollary 2, the way back",
    Status.TRUE,
    covers=("Corollary 2",),
    says="(not printed) noiseless privacy implies distributional privacy for one belief of independent records",
    holds="with the same numbers: the simulator draws the missing record from the belief",
    uses=("papers.definitions.simulator.filled",),
    tests=("finite/test_simulator.py::test_an_even_number_of_values_has_two_middles",),
    assumes=("records are independent", "one belief", "the attacker knows nothing besides some of the other records"),
)
def simulated(epsilon: Number, delta: Number) -> Guarantee:
    """The simulated release is a mixture, over the record that is drawn, of releases that are each (ε, δ)-alike to the
    real one; the excess over e^ε is convex in either law.
    """
    return proved(
        Notion.DISTRIBUTIONAL,
        epsilon=stated(epsilon, "epsilon"),
        delta=stated(delta, "delta"),
        because="the simulator draws the missing record from the belief",
        source="beside CW, Corollary 2",
    )


@_theorem(
    "CW-D5-absence",
    "Definition 5, with absence",
    Status.TRUE,
    covers=("Definition 5",),
    says="(not printed) what hides presence is distributional privacy: the simulator leaves the record out",
    holds="with the same numbers, if records are independent given the auxiliary information",
    uses=("papers.definitions.simulator.canonical",),
    tests=("judgement/test_implied.py::test_absence_is_the_simulator_that_leaves_the_record_out",),
    assumes=("records are independent given the auxiliary information",),
)
def left_out(epsilon: Number, delta: Number) -> Guarantee:
    """Given x_i = a the other records have the law that they have anyway, so that what the simulator publishes has the
    law of the release where i is absent.
    """
    return proved(
        Notion.DISTRIBUTIONAL,
        epsilon=stated(epsilon, "epsilon"),
        delta=stated(delta, "delta"),
        because="the simulator leaves the record out, as if the person were absent",
        source="beside CW, Definition 5",
    )


@_theorem(
    "CW-C2-absence",
    "Corollary 2, with absence",
    Status.TRUE,
    covers=("Corollary 2",),
    says="(not printed) what hides presence alone hides the value less well",
    holds="(2ε, (1 + e^ε) δ), through absence",
    uses=("claims.conversions.pufferfish_delta",),
    tests=("judgement/test_implied.py::test_two_values_are_compared_through_absence",),
)
def through_absence(epsilon: Number, delta: Number) -> Guarantee:
    """P_a(S) <= e^ε P_0(S) + δ <= e^ε (e^ε P_b(S) + δ) + δ, where P_0 is the law of the release without the person."""
    at = exact(epsilon, name="epsilon")
    return proved(
        Notion.NOISELESS,
        epsilon=around(2 * at, 2 * at),
        delta=pufferfish_delta(epsilon, stated(delta, "delta"), between=0, apart=NOTHING),
        because="both values of the record are (ε, δ)-alike to its absence",
        source="beside CW, Corollary 2",
    )
