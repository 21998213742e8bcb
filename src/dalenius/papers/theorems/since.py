"""The theory since the five papers: statements of our own, from the definitions that each group of papers is about.

The printed texts were not at hand. What stands here is stated and proved from the definitions, each next to the number
of the paper that the subject is from, and not compared with what is printed there.
"""

import math
from decimal import Decimal
from fractions import Fraction

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import exp_down, float_up
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.papers.definitions.finite import indistinguishability
from dalenius.papers.theorems.papers import CO, PC, PL, PP, RP, SD, SP
from dalenius.papers.theorems.theorem import Status, Violation, entry

HERE = "theorems/test_since.py::"
NOTHING = Bracket(0.0, 0.0)


def _two_halves() -> Violation:
    """A secret bit and a coin: the coin by itself, and the bit added to the coin."""
    apart = indistinguishability(["1/2", 0, 0, "1/2"], [0, "1/2", "1/2", 0], epsilon=10)
    return Violation(
        "δ = 0 at ε = 10, since each of the two releases has δ = 0 at ε = 0",
        "a coin, and a secret bit added to it modulo 2: the laws of both together, given either bit",
        NOTHING,
        apart,
    )


entry(
    "PC-1",
    "Statement 1",
    Status.REFUTED,
    paper=PC,
    says="two releases that are each ε-Pufferfish for the same secrets and beliefs are together 2ε-Pufferfish",
    holds="false for any ε: each may be perfectly private, and both together tell the secret",
    sketch="What one release says of the other records is what hid the secret in the other release.",
    counterexample=_two_halves,
    tests=(HERE + "test_two_perfect_releases_tell_all_together",),
)
entry(
    "PC-2",
    "Statement 2",
    Status.TRUE,
    paper=PC,
    says="if the first release is ε₁-Pufferfish, and the second ε₂ given every output of the first, both are (ε₁ + ε₂)",
    holds="and no less than that for some worlds: it is the chain rule",
    sketch="P(o₁, o₂ | s) = P(o₁ | s) P(o₂ | s, o₁), and each factor is at most e^ε times its like. Given an output is "
    "a belief of its own: the second release must be private for the attackers whom the first one made.",
    tests=(HERE + "test_releases_compose_given_each_output_of_the_first",),
)
entry(
    "PC-3",
    "Statement 3",
    Status.TRUE,
    paper=PC,
    says="an ε₁-Pufferfish release beside one with dice of its own, whose laws differ by at most e^ε₂ between "
    "any two datasets, is (ε₁ + ε₂)",
    holds="whatever the beliefs are; differing on neighbours only is not enough, nor are laws of each by itself where "
    "both share their dice",
    sketch="P(o₁, o₂ | s) is at most P(o₁ | s) times the largest M₂(o₂ | x), which is at most e^ε₂ times the least.",
    tests=(
        HERE + "test_a_release_that_no_dataset_moves_far_composes",
        HERE + "test_neighbours_or_dice_in_common_are_not_enough_to_compose",
    ),
)


def _two_values_alone() -> Violation:
    """Two values whose outputs are never those of somebody who was not drawn."""
    apart = indistinguishability(["1/2", "0.3", "0.2"], ["1/2", "0.2", "0.3"], epsilon="0.22314356")  # ln 1.25 is less
    return Violation(
        "δ = 0 at ε = ln(1 + (1.5 - 1)/2), since without sampling δ = 0 at ε = ln 1.5",
        "outputs 0.6/0.4 and 0.4/0.6 given the two values, half of the people drawn, a third output for whoever is not",
        NOTHING,
        apart,
    )


entry(
    "SP-1",
    "Statement 1",
    Status.REFUTED,
    paper=SP,
    says="drawing each person with chance λ makes (ln(1 + λ(e^ε - 1)), λδ) of (ε, δ) for two values of a record",
    holds="false where being drawn shows: then only δ shrinks, by λ, and ε does not",
    sketch="Given not drawn both worlds are alike, but may be unlike both values: then what drawn people tell is told.",
    counterexample=_two_values_alone,
    tests=(HERE + "test_sampling_two_values_alone_does_not_shrink_epsilon",),
)
entry(
    "SP-2",
    "Statement 2",
    Status.TRUE,
    paper=SP,
    says="it does so for a release that is (ε, δ) for two values of somebody who was drawn, and for each value against "
    "absence, the others being drawn as well",
    holds="for independent records, exact releases among them; not if it is (ε, δ) where everybody is in it: fewer "
    "people hide less",
    sketch="The laws are (1-λ)R + λP and (1-λ)R + λQ. Their excess at the smaller ε' is λ times that of P at ε over a "
    "mixture of R and Q (advanced joint convexity), which is at most the larger of two that are at most δ.",
    uses=("papers.definitions.finite.indistinguishability",),
    tests=(
        HERE + "test_sampling_shrinks_both_where_absence_is_hidden_too",
        HERE + "test_sampling_does_not_shrink_what_everybody_hides",
    ),
)


def _exact_beside_noise() -> Violation:
    apart = indistinguishability(["1/2", "1/2", 0, 0], [0, 0, "1/2", "1/2"], epsilon=10)
    return Violation(
        "δ = 0 at ε = 10, since the noise has δ = 0 at ε = 0",
        "an exact total of one unknown record, beside noise that tells nothing",
        NOTHING,
        apart,
    )


entry(
    "SD-1",
    "Statement 1",
    Status.REFUTED,
    paper=SD,
    says="exact public totals beside an ε-differentially private release are ε-differentially private",
    holds="false for any ε: datasets with different totals are told apart for sure",
    sketch="What is promised is promised among datasets that agree in what is public, and of nothing else.",
    counterexample=_exact_beside_noise,
    tests=(HERE + "test_exact_totals_are_told_for_sure",),
)
entry(
    "SD-2",
    "Statement 2",
    Status.TRUE,
    paper=SD,
    says="among datasets that agree in what is public, and differ in at most k records, an ε-private release is kε",
    holds="with k = 2 beside a public total of yes/no records; no smaller factor does",
    sketch="Change one record after the other: the way leads through datasets that need not agree in what is public.",
    tests=(HERE + "test_beside_a_public_total_two_records_change",),
)
entry(
    "PP-1",
    "Statement 1",
    Status.TRUE,
    paper=PP,
    says="by an (ε, δ) release nobody decides rightly between two equally likely facts above (e^ε + δ)/(1 + e^ε)",
    holds="attained by randomised response for δ = 0",
    sketch="A test has power at most e^ε times its error plus δ, and so has the other one; add both.",
    uses=("papers.definitions.finite.indistinguishability",),
    tests=(HERE + "test_no_decision_is_right_more_often",),
)
entry(
    "PP-2",
    "Statement 2",
    Status.TRUE,
    paper=PP,
    says="whatever a decision pays, between 0 and 1, a release that is (ε, δ) adds at most (e^ε - 1) of it and δ",
    holds="for every rule of decision, and every two facts",
    sketch="The expected pay under one fact is an integral of events' probabilities, each at most e^ε times as likely "
    "as under the other, plus δ.",
    uses=("papers.definitions.finite.indistinguishability",),
    tests=(HERE + "test_no_pay_rises_by_more",),
)


def _logarithm(number: Fraction) -> Bracket:
    return evaluated(lambda: decimal(number).ln())


def _estimated() -> Violation:
    """The estimated prior has a secret at a tenth where it is a twentieth."""
    law = Fraction(9, 10)  # of the output given the rare secret; given the other it is 1/100
    told = [law / (share * law + (1 - share) * Fraction(1, 100)) for share in (Fraction(1, 10), Fraction(1, 20))]
    allowed, found = map(_logarithm, told)
    return Violation(
        "the leakage of the output, as it is with the estimated prior",
        "an output with chance 0.9 given a rare secret and 0.01 otherwise; estimated 0.1, true 0.05",
        allowed,
        found,
    )


entry(
    "PL-1",
    "Statement 1",
    Status.REFUTED,
    paper=PL,
    says="the leakage of an output (log of its largest chance given a secret over its own) may be taken at an estimate",
    holds="false: the rarer the secret that it speaks for, the more the output tells",
    sketch="The chance of the output stands in the denominator, and the estimate may have it too large.",
    counterexample=_estimated,
    tests=(HERE + "test_leakage_at_an_estimate_is_too_small",),
)
entry(
    "PL-2",
    "Statement 2",
    Status.TRUE,
    paper=PL,
    says="leakage at a prior within r of the estimate, in total variation, is at most -ln(e^-l - r (1 - m/M))",
    holds="and no less where the likeliest secret has at least r at the estimate (M and m: the output's chances)",
    sketch="Moving r of the prior from the secret with M to that with m takes r (M - m) from the output's chance. The "
    "distance r comes from a sample by Hoeffding, event by event.",
    uses=("numerics.proportions.radius", "papers.theorems.since.leakage_near"),
    tests=(
        HERE + "test_leakage_near_an_estimate_is_bounded_and_the_bound_attained",
        HERE + "test_the_radius_of_a_sample_bounds_leakage_at_the_truth",
    ),
)
entry(
    "PL-3",
    "Statement 3",
    Status.TRUE,
    paper=PL,
    says="the largest leakage over all priors is the largest log-ratio of the output's chances: local privacy",
    holds="as stated, approached and not attained where no secret is certain",
    sketch="The prior that is nearly certain of the secret with the least chance makes the denominator nearly that.",
    tests=(HERE + "test_over_all_priors_leakage_is_local_privacy",),
)


def _two_outputs() -> Violation:
    apart = indistinguishability([1, 0], [0, 1], epsilon=10)
    return Violation(
        "δ = 0 at ε = 10 for a release of two outputs, which is one bit",
        "a count of yes/no records, to somebody who knows all but one of them",
        NOTHING,
        apart,
    )


entry(
    "CO-1",
    "Statement 1",
    Status.REFUTED,
    paper=CO,
    says="few outputs that one record can cause, given the others, hide the record",
    holds="false: two outputs, one bit, tell a yes/no record for sure; the number bounds what is told, not who",
    sketch="Counting outputs bounds how many values are told apart, and one bit is all that a secret bit has.",
    counterexample=_two_outputs,
    tests=(HERE + "test_two_outputs_tell_a_bit",),
)
entry(
    "CO-2",
    "Statement 2",
    Status.TRUE,
    paper=CO,
    says="the logarithms of the numbers of outputs that one record can cause add up over releases",
    holds="at most; fewer where one release follows from the other",
    sketch="Outputs of both are pairs of outputs.",
    tests=(HERE + "test_numbers_of_outputs_multiply_at_most",),
)
entry(
    "CO-3",
    "Statement 3",
    Status.TRUE,
    paper=CO,
    says="a sum rounded to multiples of b, in which a record has a range of w > 0, has at most ⌊w/b⌋ + 2 outputs",
    holds="attained, by ties to even if w is an odd multiple of b; one less if w is a multiple and ties always go up",
    sketch="An interval of length w meets at most ⌊w/b⌋ + 2 intervals of length b side by side, and at most "
    "⌈w/b⌉ + 1 if all are half-open at the same end.",
    tests=(HERE + "test_a_rounded_sum_has_few_outputs",),
)
entry(
    "RP-1",
    "Statement 1",
    Status.TRUE,
    paper=RP,
    says="normal noise of scale σ on figures that a coupling keeps within Δ has Rényi divergence at most αΔ²/(2σ²)",
    holds="for the laws given any two secrets whose ∞-Wasserstein distance is Δ; attained by two single points",
    sketch="Given the coupled pair the divergence of two normal laws is α(x-y)²/(2σ²); Rényi divergence is jointly "
    "quasi-convex, so the mixture over the coupling has no more than the largest.",
    tests=(HERE + "test_normal_noise_within_a_coupling",),
)
entry(
    "RP-2",
    "Statement 2",
    Status.TRUE,
    paper=RP,
    says="Rényi divergence ρ of order α gives (ε, δ) with ε = ρ + ln(1/δ)/(α - 1)",
    holds="as stated; sharper conversions are known, and the exact curve is what the library uses",
    sketch="By Markov's inequality the mass of outcomes whose log-ratio exceeds ε is at most e^((α-1)(ρ-ε)) = δ.",
    uses=("papers.definitions.finite.indistinguishability",),
    tests=(HERE + "test_renyi_divergence_gives_epsilon_and_delta",),
)


def leakage_near(leakage: float, ratio: Fraction, radius: Fraction) -> Bracket:
    """The most that an output may leak at any prior within `radius` of one at which it leaks so much; `ratio` is its
    least chance given a secret over its largest (PL-2). Infinite where the output may have no chance at all.

    >>> print(leakage_near(0.5, Fraction(1, 2), Fraction(1, 10)))
    [0.586, 0.5861]
    """
    moved = radius * (1 - ratio)
    if exp_down(-leakage) <= float_up(moved):
        return Bracket(0.0, math.inf)
    return evaluated(lambda: -((-Decimal(leakage)).exp() - decimal(moved)).ln())
