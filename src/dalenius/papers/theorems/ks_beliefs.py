"""Resistance to side information, continued: what most outputs do to beliefs, and what they do not."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial

from dalenius.basics.errors import PreconditionError, require
from dalenius.claims import Guarantee, Notion
from dalenius.claims.conversions import (
    dp_from_shift,
    dp_from_small_shift,
    failure_from_coupled,
    joint_from_most,
    oblivious_from_dp,
    semantic_from_dp,
    shift_from_dp,
)
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.numerics.gaussian import GaussianCurve
from dalenius.papers.definitions.finite import Neighbours, indistinguishability
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.theorems.papers import KS
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem
from dalenius.papers.worlds import Finite

_entry = partial(entry, paper=KS)
_theorem = partial(theorem, paper=KS)


def _number(value: Number, name: str) -> Bracket:
    found = exact(value, name=name)
    require(found >= 0, f"{name} of at least 0", got=value)
    return around(found, found)


@_theorem(
    "KS-3.3.5",
    "Claim 3.3(5)",
    Status.TRUE,
    says="what is computed from indistinguishable laws is as indistinguishable",
    holds="as printed",
    uses=("papers.definitions.axioms.post_processing",),
    tests=("finite/test_coupled.py::test_post_processing_convexity_and_weaker_sides_hold",),
)
def processed(epsilon: Number, delta: Number) -> Guarantee:
    """An event of the output is a weight between 0 and 1 on the input; the excess over e^ε is largest on an event."""
    return proved(
        Notion.INDISTINGUISHABLE,
        epsilon=_number(epsilon, "epsilon"),
        delta=_number(delta, "delta"),
        because="post-processing never tells more",
        source="KS, Claim 3.3(5)",
    )


_entry(
    "KS-3.2",
    "Definition 3.1",
    Status.TRUE,
    covers=("Definition 3.1", "Definition 3.2"),
    says="indistinguishable and point-wise indistinguishable laws",
    holds="the bad outcomes have mass at most δ under each of the two laws",
    sketch="The larger of the two masses counts: a set that is rare under one law only is not rare.",
    uses=("papers.definitions.finite.pointwise_indistinguishability",),
    tests=("finite/test_differential.py::test_pointwise_indistinguishability_is_the_mass_of_bad_outcomes",),
)
_entry(
    "KS-2.3",
    "Definition 2.3",
    Status.TRUE,
    says="approximate semantic privacy: no belief shifts by more than ε, except with probability δ",
    holds="the worst belief by branch and bound, certified; two datasets do not suffice",
    sketch="Which outputs fail depends on the belief, so the failing mass is searched over boxes of beliefs.",
    uses=("papers.definitions.worst_belief.worst_failure",),
    tests=(
        "finite/test_worst_belief.py::test_no_belief_fails_more_often_and_one_fails_that_often",
        "finite/test_worst_belief.py::test_two_datasets_do_not_make_the_worst_belief",
    ),
)
_entry(
    "KS-A.1",
    "Definition A.1",
    Status.TRUE,
    says="the same with the probability under the real data, whatever they are",
    holds="as printed",
    sketch="The failing outputs are weighed by their law on each dataset instead of their law under the belief.",
    uses=("papers.definitions.worst_belief.worst_oblivious_failure",),
    tests=("finite/test_worst_belief.py::test_a_fine_grid_of_beliefs_comes_up_to_the_worst",),
)


def _one_sided() -> Violation:
    """Outputs of two kinds, each the cheapest way to spoil a posterior: one has mass d on a secret, the other none."""
    epsilon, wanted, d = Fraction(1, 2), Fraction(1, 10_000), Fraction(1, 50)
    steep = Fraction(evaluated(lambda: decimal(epsilon).exp()).lower)
    more = d * Fraction(10_001, 10_000)
    first = wanted / more  # P of the first kind, and Q of the second
    second = steep * (1 - more) * first  # P of the second kind
    spared = (1 - more) * first / steep  # Q of the first kind
    p = ((first * more, first * (1 - more)), (Fraction(0), second), (Fraction(0), 1 - first - second))
    q = ((Fraction(0), spared), (first * more, first * (1 - more)), (Fraction(0), 1 - first - spared))
    delta = indistinguishability([m for row in p for m in row], [m for row in q for m in row], epsilon=epsilon)
    failing = Fraction(0)
    for one, other in zip(p, q, strict=True):
        alike = indistinguishability(*([m / sum(row) for m in row] for row in (one, other)), epsilon=3 * epsilon)
        failing += sum(one) if alike.lower > d else 0
    most = Fraction(delta.upper)
    allowed = evaluated(lambda: decimal(2 * most / d) + 2 * decimal(most) / (decimal(epsilon) * decimal(epsilon).exp()))
    return Violation(
        "posteriors are (3ε, d)-alike but with probability 2δ/d + 2δ / (ε e^ε)",
        f"two joint laws of a secret and one of three outputs, ε = 1/2, δ = {delta}, d = 1/50",
        allowed,
        around(failing, failing),
    )


@_theorem(
    "KS-4.1",
    "Lemma 4.1",
    Status.REPAIRED,
    says="if joint laws are (ε, δ)-alike, posteriors are (3ε, 2√δ)-alike but with probability √δ + 2δ / (ε e^ε)",
    holds="(2ε, d)-alike but with probability (δ/d)(1 + e^ε (1 - d)), for every d; sharp",
    counterexample=_one_sided,
    uses=("claims.conversions.failure_from_coupled",),
    tests=("finite/test_golden.py::test_posteriors_fail_as_often_as_the_sharp_lemma_allows",),
)
def posteriors(epsilon: Number, delta: Number, *, posterior_delta: Number) -> Guarantee:
    """For a bad t let h and h' be the excesses of the two joint laws at t, in either order. Then P(B = t) is at most
    h/d + e^ε (1 - d) h'/d, whichever posterior exceeds the other; sum over t.
    """
    at = exact(epsilon, name="epsilon")
    failing = failure_from_coupled(epsilon, _number(delta, "delta"), pairs=1, posterior_delta=posterior_delta)
    return proved(
        Notion.INFERENCE,
        epsilon=around(2 * at, 2 * at),
        delta=failing.join(_number(posterior_delta, "posterior_delta")),
        because=f"posteriors (2ε, {posterior_delta})-alike, except with probability {failing}",
        source="KS, Lemma 4.1, repaired",
    )


def _shifted(
    epsilon: Number, delta: Number, n: int, above: Number | None, source: str, assumes: tuple[str, ...] = ()
) -> Guarantee:
    """Semantic privacy at tanh(ε/2) + above; by default `above` is 2√δ."""
    d = exact(delta, name="delta")
    if d == 0:
        return proved(
            Notion.SEMANTIC, epsilon=shift_from_dp(epsilon), because="nothing fails", source=source, assumes=assumes
        )
    extra = Fraction(evaluated(lambda: 2 * decimal(d).sqrt()).upper) if above is None else exact(above, name="above")
    shift, failing = semantic_from_dp(epsilon, d, n=n, above=extra)
    return proved(
        Notion.SEMANTIC,
        epsilon=shift,
        delta=failing,
        because="an output that shifts a belief this far costs at least so much of δ, in one order or the other",
        source=source,
        assumes=assumes,
    )


def _for_one(found: Guarantee) -> Guarantee:
    """For the stated belief or pair of laws only, so that nothing follows about neighbouring data."""
    return replace(found, notion=None, attacker="has the stated belief")


@_theorem(
    "KS-4.2",
    "Corollary 4.2",
    Status.SHARPENED,
    says="under the lemma's hypothesis posteriors are within e^(3ε) - 1 + 2√δ but with probability of order √δ",
    holds="tanh(ε/2) + 2√δ but with probability at most √δ; any other distance with its own probability",
    uses=("claims.conversions.semantic_from_dp",),
    tests=("finite/test_conversions.py::test_the_sharp_lemma_on_statistical_distances",),
)
def close_posteriors(epsilon: Number, delta: Number, *, above: Number | None = None) -> Guarantee:
    """For one t the two excesses that a distance s between posteriors costs are linear in q/p, so two cases remain; the
    least costs h(s) and h₂(s) come from one event and its complement.
    """
    return _for_one(_shifted(epsilon, delta, 1, above, "KS, Corollary 4.2, sharpened"))


@_theorem(
    "KS-2.4",
    "Theorem 2.4, forward",
    Status.SHARPENED,
    covers=("Theorem 2.4",),
    says="(ε, δ)-differential privacy implies (e^(3ε) - 1 + 2√δ, O(n√δ))-semantic privacy",
    holds="tanh(ε/2) + 2√δ but with probability 2n√δ / (1 + e^ε); less, by the sharp lemma",
    uses=("claims.conversions.semantic_from_dp",),
    tests=("finite/test_conversions.py::test_semantic_from_approximate_differential_privacy",),
)
def mostly_semantic(epsilon: Number, delta: Number, *, n: int, above: Number | None = None) -> Guarantee:
    """(x, A(x)) and (x, A(x without i)) are (ε, δ)-alike for x drawn from any belief; the sharp lemma, for each of n
    records.
    """
    return _shifted(epsilon, delta, n, above, "KS, Theorem 2.4, sharpened")


def _as_pure() -> Violation:
    """With δ = 0 it is the converse of Theorem 2.2."""
    shift = evaluated(lambda: (Decimal("0.1").exp() - 1) / 2)
    least, most = (dp_from_shift(Fraction(end))[0] for end in (shift.lower, shift.upper))
    return Violation(
        "((e^ε - 1)/2, δ)-semantic privacy implies (2ε, 2δ)-differential privacy",
        "one bit, δ = 0, whose laws at an output have log ratio 4 artanh((e^ε - 1)/2), at ε = 0.1",
        evaluated(lambda: Decimal("0.2")),
        Bracket(least.lower, most.upper),
    )


@_theorem(
    "KS-2.4-converse",
    "Theorem 2.4, converse",
    Status.REPAIRED,
    covers=("Theorem 2.4",),
    says="((e^ε - 1)/2, δ)-semantic privacy implies (2ε, 2δ)-differential privacy",
    holds="(s, δ)-semantic implies (4 artanh s, 2δ/(1 - s)), and for s < 1/2 also (2 artanh 2s, 2δ)",
    counterexample=_as_pure,
    uses=("claims.conversions.dp_from_shift", "claims.conversions.dp_from_small_shift"),
    tests=(
        "finite/test_conversions.py::test_theorem_2_4_converse_as_printed_fails",
        "finite/test_conversions.py::test_approximate_differential_privacy_from_semantic",
    ),
    assumes=("a posterior that is undefined counts as a failure",),
)
def mostly_differential(shift: Number, delta: Number, *, even: bool = False) -> Guarantee:
    """The belief u = 1 / (1 + √c) on x and 1 - u on its neighbour: outputs with ratio above c shift it by more than s,
    so they have mass at most δ/u. With `even` the belief is one half on each.
    """
    epsilon, rest = dp_from_small_shift(shift, delta) if even else dp_from_shift(shift, delta)
    return proved(
        Notion.DIFFERENTIAL,
        epsilon=epsilon,
        delta=rest,
        because="two neighbours and a belief on them alone",
        source="KS, Theorem 2.4 (converse), repaired",
    )


@_theorem(
    "KS-5.1",
    "Theorem 5.1",
    Status.SHARPENED,
    says="if A is (ε, δ)-alike around all x of a set of probability 1 - δ, it is semantically private for that belief",
    holds="as Theorem 2.4 with x + (1 - x) δ for δ, x the probability of the exceptions",
    uses=("claims.conversions.joint_from_most", "claims.conversions.semantic_from_dp"),
    tests=(
        "finite/test_conversions.py::test_theorem_2_4_forward_golden",
        "finite/test_conversions.py::test_theorem_5_1_is_theorem_2_4_with_joint_laws",
    ),
)
def on_most_data(
    epsilon: Number, delta: Number, *, exceptions: Number, n: int, above: Number | None = None
) -> Guarantee:
    """Claim 3.3(4): the joint laws of data and output are (ε, x + (1 - x) δ)-alike. Then the sharp lemma."""
    return _for_one(_shifted(epsilon, joint_from_most(delta, exceptions), n, above, "KS, Theorem 5.1, sharpened"))


@_theorem(
    "KS-5.2",
    "Corollary 5.2",
    Status.SHARPENED,
    says="Laplace noise for a local sensitivity that the belief bounds with probability 1 - δ",
    holds="the joint laws are (ε, δ)-alike, not (ε, 2δ); the standard deviation of the noise is √2 times its scale",
    assumes=("the belief gives the exceptions at most the stated probability",),
    uses=("mechanisms.local_sensitivity.LocalLaplaceNoise",),
    tests=(
        "finite/test_conversions.py::test_theorem_5_1_is_theorem_2_4_with_joint_laws",
        "stated/test_noise.py::test_local_noise_is_indistinguishable_for_the_attacker",
    ),
)
def local_noise(epsilon: Number, *, exceptions: Number, n: int, above: Number | None = None) -> Guarantee:
    """Where the local sensitivity is at most s, noise of scale s/ε is ε-alike without a δ; Theorem 5.1 with δ = 0."""
    return _for_one(_shifted(epsilon, joint_from_most(0, exceptions), n, above, "KS, Corollary 5.2, sharpened"))


@_theorem(
    "KS-5-record",
    "Section 5, one random record",
    Status.TRUE,
    covers=("Section 5",),
    says="publishing one random record of n changes beliefs little: total variation 1/n",
    holds="exactly 1/n; and one person's record is out",
    uses=("papers.definitions.finite.Neighbours.additive_secrecy",),
    tests=("finite/test_examples.py::test_publishing_one_record_is_additively_secret",),
)
def one_record(mechanism: FiniteMechanism, *, world: Finite) -> Guarantee:
    """A changed record is published with probability 1/n, and otherwise nothing changes."""
    secrecy = Neighbours.replace(world).additive_secrecy(mechanism)
    return proved(
        Notion.ADDITIVE,
        delta=secrecy.value,
        because="computed from the rows of the mechanism",
        source="KS, Section 5",
    )


def _little_noise() -> Violation:
    """σ² = ln(1/δ)/ε² at ε = 1, δ = 1e-6, for a shift by one."""
    sigma = Fraction(evaluated(lambda: Decimal(10**6).ln().sqrt()).upper)
    return Violation(
        "Gaussian noise of variance ln(1/δ)/ε² is (ε, δ)-differentially private",
        "a count plus Gaussian noise, ε = 1, δ = 1e-6",
        evaluated(lambda: Decimal("0.000001")),
        GaussianCurve(1 / sigma).delta(Fraction(1)),
    )


_entry(
    "KS-A.2",
    "Theorem A.2",
    Status.TRUE,
    says="(ε, δ)-differential privacy promises nothing to those whose belief excludes the real data",
    holds="shifts come near 1/2 with probability near 1; pure differential privacy is not affected: tanh(ε/2) holds",
    sketch=(
        "The belief is even on two datasets, the truth is far from both: the output is where the ratio of both tails "
        "is large. The exponents' denominators are 2σ², a misprint."
    ),
    uses=("papers.definitions.semantic.oblivious_failure",),
    tests=("finite/test_semantic.py::test_who_is_wrong_about_reality_may_think_that_much_is_learned",),
)
_entry(
    "KS-A.2-noise",
    "Theorem A.2, the noise",
    Status.REFUTED,
    covers=("Theorem A.2",),
    says="Gaussian noise of variance ln(1/δ)/ε² is (ε, δ)-differentially private",
    holds="the exact profile of the noise is used instead",
    sketch="The tail of the normal law at the shifted place is heavier than its bound at the centre.",
    counterexample=_little_noise,
    uses=("mechanisms.channel.DiscreteGaussian",),
    tests=("mechanisms/test_channels.py::test_the_curve_of_noise_alone_holds_the_truth_and_is_narrow",),
)


@_theorem(
    "KS-A.3",
    "Theorem A.3",
    Status.SHARPENED,
    says="for beliefs that know all records but one, and know them right, semantic privacy holds whatever the data are",
    holds="tanh(ε/2) + x but with probability e^ε n δ (1/h + 1/h₂) + δ; the printed proof has a gap",
    uses=("claims.conversions.oblivious_from_dp", "papers.definitions.worst_belief.worst_informed_failure"),
    tests=("finite/test_conversions.py::test_semantic_from_approximate_differential_privacy",),
)
def informed(epsilon: Number, delta: Number, *, n: int, above: Number) -> Guarantee:
    """The law of the output on the real data is (ε, δ)-alike to its law under the belief, so failures grow by a factor
    e^ε and δ. The printed proof puts the one law for the other.
    """
    if exact(delta, name="delta") == 0:
        raise PreconditionError("With δ = 0 nothing fails, for any belief, but got δ = 0. Apply KS-2.2.")
    shift, failing = oblivious_from_dp(epsilon, delta, n=n, above=above)
    return proved(
        Notion.OBLIVIOUS,
        epsilon=shift,
        delta=failing,
        because="the output's law under an informed belief is (ε, δ)-alike to that on the real data",
        source="KS, Theorem A.3, repaired",
        attacker="knows every record but one, rightly",
    )
