"""Resistance to side information: laws that are alike, and what beliefs become (Kasiviswanathan and Smith)."""

from decimal import Decimal
from fractions import Fraction
from functools import partial

from dalenius.claims import Guarantee, Notion
from dalenius.claims.conversions import (
    dp_from_shift,
    joint_from_most,
    pointwise_from_indistinguishability,
    shift_from_dp,
    variation_from_indistinguishability,
)
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.papers.definitions.finite import indistinguishability, pointwise_indistinguishability
from dalenius.papers.theorems.papers import KS
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem

_entry = partial(entry, paper=KS)
_theorem = partial(theorem, paper=KS)

_entry(
    "KS-1.1",
    "Definition 1.1",
    Status.TRUE,
    covers=("Definition 1.1", "Definition 1.2"),
    says="differential privacy, pure and approximate",
    holds="P(S) ≤ e^ε Q(S) + δ for all events and all neighbours, in both orders",
    sketch="The words after Definition 1.2 mean that it is weaker than 1.1, not stronger.",
    uses=("papers.definitions.finite.Neighbours.delta",),
    tests=("finite/test_differential.py::test_epsilon_and_delta_are_those_of_the_worst_pair",),
)
_entry(
    "KS-2.1",
    "Definition 2.1",
    Status.TRUE,
    says="semantic privacy: no belief shifts by more than ε when a record is left out",
    holds="the worst belief has a closed form and lives on two datasets",
    sketch="For one output the posterior is a ratio over its mean; total variation is largest when it has two values.",
    uses=("papers.definitions.semantic.worst_shift",),
    tests=("finite/test_semantic.py::test_no_belief_shifts_more_than_the_worst_and_two_points_attain_it",),
)


# -- two laws --------------------------------------------------------------------------------------------------------


def _three_points() -> Violation:
    """P = (a, b, rest) and Q = (b, a, rest): exactly δ apart at ε = 1, and the ratio beyond e^2 on two points."""
    b = Fraction(evaluated(lambda: Decimal("0.001") / (Decimal(2).exp() - Decimal(1).exp())).lower) * Fraction(
        999, 1000
    )
    a = Fraction(evaluated(lambda: Decimal("0.001") + Decimal(1).exp() * decimal(b)).lower)
    rest = 1 - a - b
    first, second = (a, b, rest), (b, a, rest)
    apart = indistinguishability(first, second, epsilon=1)
    allowed = evaluated(lambda: 2 * Decimal(apart.upper) / Decimal(1).exp())
    found = pointwise_indistinguishability(first, second, epsilon=2)
    return Violation(
        "the mass beyond 2ε is at most 2δ / (ε e^ε)", f"two laws on three points, ε = 1, δ = {apart}", allowed, found
    )


@_theorem(
    "KS-3.3.1",
    "Claim 3.3(1)",
    Status.TRUE,
    says="point-wise (ε, δ)-alike laws are (ε, δ)-indistinguishable",
    holds="as printed",
    uses=("papers.definitions.finite.pointwise_indistinguishability",),
    tests=("finite/test_differential.py::test_pointwise_indistinguishability_is_the_mass_of_bad_outcomes",),
)
def pointwise_is_enough(epsilon: Number, delta: Number) -> Guarantee:
    """Outside the bad set each mass is within e^ε of the other; the bad set has mass at most δ."""
    at, d = exact(epsilon, name="epsilon"), exact(delta, name="delta")
    return proved(
        Notion.INDISTINGUISHABLE,
        epsilon=around(at, at),
        delta=around(d, d),
        because="outside the bad set every mass is within e^ε of the other",
        source="KS, Claim 3.3(1)",
    )


@_theorem(
    "KS-3.3.2",
    "Claim 3.3(2)",
    Status.REPAIRED,
    says="(ε, δ)-indistinguishable laws are point-wise (2ε, 2δ / (ε e^ε))-alike",
    holds="the mass beyond e^ε₁ is below δ (1 + e^-ε₁) / (1 - e^(ε - ε₁)), sharp; the printed bound fails for every ε",
    counterexample=_three_points,
    uses=("claims.conversions.pointwise_from_indistinguishability",),
    tests=(
        "finite/test_examples.py::test_claim_3_3_2_is_refuted_by_three_points",
        "finite/test_conversions.py::test_claim_3_3_2_is_false_and_its_repair_is_sharp",
    ),
)
def pointwise(epsilon: Number, delta: Number, *, above: Number) -> Guarantee:
    """On B = {P > e^ε₁ Q}: P(B)(1 - e^(ε - ε₁)) < P(B) - e^ε Q(B) ≤ δ, and Q(B) < e^-ε₁ P(B); both orders at once."""
    limit = exact(above, name="above")
    return proved(
        Notion.POINTWISE,
        epsilon=around(limit, limit),
        delta=pointwise_from_indistinguishability(epsilon, delta, above=above),
        because="the mass where one law exceeds the other by more than e^above",
        source="KS, Claim 3.3(2), repaired",
    )


@_theorem(
    "KS-3.3.3",
    "Claim 3.3(3)",
    Status.TRUE,
    says="if A(a) and A'(a) are (ε, δ)-alike for every a, so are (X, A(X)) and (X, A'(X))",
    holds="as printed; the divergence of the joint laws is the mean of the divergences",
    uses=("claims.conversions.joint_from_most",),
    tests=("finite/test_conversions.py::test_joint_laws_that_are_close_for_most_values",),
)
def joint(epsilon: Number, delta: Number) -> Guarantee:
    """The joint laws have the same first part, so the excess over e^ε adds up over a."""
    return _jointly(epsilon, delta, 0, "KS, Claim 3.3(3)")


@_theorem(
    "KS-3.3.4",
    "Claim 3.3(4)",
    Status.SHARPENED,
    says="the same, if A(a) and A'(a) are alike for all but a share δ of the a: (ε, 2δ)",
    holds="2δ - δ², and with a share x of exceptions x + (1 - x) δ; attained",
    uses=("claims.conversions.joint_from_most",),
    tests=(
        "finite/test_examples.py::test_claim_3_3_4_costs_two_delta_less_its_square",
        "finite/test_conversions.py::test_joint_laws_that_are_close_for_most_values",
    ),
)
def mostly_joint(epsilon: Number, delta: Number, *, exceptions: Number) -> Guarantee:
    """On the exceptions the excess is at most 1, elsewhere at most δ."""
    return _jointly(epsilon, delta, exceptions, "KS, Claim 3.3(4)")


def _jointly(epsilon: Number, delta: Number, exceptions: Number, source: str) -> Guarantee:
    at, whole = exact(epsilon, name="epsilon"), joint_from_most(delta, exceptions)
    return proved(
        Notion.INDISTINGUISHABLE,
        epsilon=around(at, at),
        delta=evaluated(lambda: decimal(whole), most=1.0),
        because="the excess of joint laws with the same first part is the mean of the excesses",
        source=source,
    )


@_theorem(
    "KS-3.3.6",
    "Claim 3.3(6)",
    Status.SHARPENED,
    says="(ε, δ)-indistinguishable laws have total variation at most e^ε - 1 + δ",
    holds="at most (e^ε - 1 + 2δ) / (e^ε + 1), and attained; the printed proof adds δ once a point",
    uses=("claims.conversions.variation_from_indistinguishability",),
    tests=("finite/test_conversions.py::test_claim_3_3_6_is_tight",),
)
def variation(epsilon: Number, delta: Number) -> Guarantee:
    """With t = P(S) - Q(S): t ≤ (e^ε - 1) Q(S) + δ, and from the complement e^ε t ≤ (e^ε - 1)(1 - Q(S)) + δ; add."""
    return proved(
        Notion.VARIATION,
        delta=variation_from_indistinguishability(epsilon, delta),
        because="an event and its complement together",
        source="KS, Claim 3.3(6), sharpened",
    )


# -- beliefs ---------------------------------------------------------------------------------------------------------


@_theorem(
    "KS-2.2",
    "Theorem 2.2, forward",
    Status.SHARPENED,
    covers=("Theorem 2.2",),
    says="ε-differential privacy implies (e^ε - 1)-semantic privacy",
    holds="tanh(ε/2), attained with two records; the printed proof bounds the wrong ratio",
    uses=("claims.conversions.shift_from_dp",),
    tests=(
        "finite/test_semantic.py::test_theorem_2_2_forward_with_its_tight_constant",
        "finite/test_conversions.py::test_semantic_from_pure_differential_privacy_and_back",
    ),
)
def semantic(epsilon: Number) -> Guarantee:
    """The posterior ratio is r over its mean with r in [e^-ε, e^ε]; its total variation is largest if r has two
    values.
    """
    return proved(
        Notion.SEMANTIC,
        epsilon=shift_from_dp(epsilon),
        because="posteriors with and without the record differ by a ratio within e^±ε over its mean",
        source="KS, Theorem 2.2, sharpened",
    )


def _one_bit() -> Violation:
    """One bit with log ratio E at an output, where tanh(E/4) = (e^0.5 - 1)/2: semantic at that level, and E above 1."""
    shift = Fraction(evaluated(lambda: (Decimal("0.5").exp() - 1) / 2).upper)
    level, _ = dp_from_shift(shift)
    lower = Fraction(evaluated(lambda: (Decimal("0.5").exp() - 1) / 2).lower)
    least, _ = dp_from_shift(lower)
    return Violation(
        "(e^ε - 1)/2-semantic privacy implies 2ε-differential privacy",
        "one bit whose two laws at an output have log ratio 4 artanh((e^ε - 1)/2), at ε = 0.5",
        Bracket(1.0, 1.0),
        Bracket(least.lower, level.upper),
    )


@_theorem(
    "KS-2.2-converse",
    "Theorem 2.2, converse",
    Status.REPAIRED,
    covers=("Theorem 2.2",),
    says="(e^ε - 1)/2-semantic privacy implies 2ε-differential privacy",
    holds="s-semantic privacy implies 4 artanh(s)-differential privacy, and no less",
    counterexample=_one_bit,
    uses=("claims.conversions.dp_from_shift",),
    tests=(
        "finite/test_semantic.py::test_theorem_2_2_converse_is_refuted_by_one_bit",
        "finite/test_conversions.py::test_semantic_from_pure_differential_privacy_and_back",
    ),
    assumes=("a posterior that is undefined counts as a failure",),
)
def differential(shift: Number) -> Guarantee:
    """The belief (u, 1 - u) on two neighbours with u = 1 / (1 + √c) turns a ratio c into the shift tanh(ln(c)/4)."""
    return proved(
        Notion.DIFFERENTIAL,
        epsilon=dp_from_shift(shift)[0],
        because="two neighbours and a belief on them alone",
        source="KS, Theorem 2.2 (converse), repaired",
    )


_entry(
    "KS-footnote-4",
    "Footnote 4, reality-oblivious privacy",
    Status.REFUTED,
    covers=("Footnote 4",),
    says="reality-oblivious ((e^ε - 1)/2, δ)-semantic privacy implies (2ε, 2δ)-differential privacy",
    holds="as for Theorem 2.2: with δ = 0 a shift s allows a log ratio of 4 artanh(s), which is above 2 ln(1 + 2s)",
    sketch="Without δ every transcript counts, whatever is real: the two notions agree, and one bit refutes both.",
    counterexample=_one_bit,
    uses=("papers.definitions.worst_belief.worst_oblivious_failure",),
    tests=("finite/test_worst_belief.py::test_footnote_4_is_refuted_by_one_bit",),
)
