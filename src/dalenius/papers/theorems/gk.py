"""Noiseless privacy: definitions, the binomial law, and what moments say of sums (Grining and Klonowski)."""

from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import comb

from dalenius.basics.errors import require
from dalenius.beliefs.belief import IID, Belief
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.facts.secret import Facts, Value
from dalenius.facts.statistics import Count, Statistic, Sum
from dalenius.judge.thresholds import threshold_guarantee
from dalenius.mechanisms import Mechanism
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.numerics.gaussian import GaussianCurve
from dalenius.numerics.moments import Moments
from dalenius.papers.definitions.finite import indistinguishability
from dalenius.papers.theorems.papers import GK
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem

_entry = partial(entry, paper=GK)
_theorem = partial(theorem, paper=GK)

COUNT = Count()


def exact_delta(belief: Belief, epsilon: Fraction, statistic: Statistic = COUNT) -> Bracket:
    """δ of the exact figure under a belief, by value, over all events."""
    facts = Facts.of(Value(), [statistic.contribution(value) for value in belief.domain()])
    channel = Mechanism(statistic).channel
    return belief.curve(statistic, facts, channel, known=belief.known, enough=None).delta(epsilon)


def printed_binomial(n: int, p: Fraction, epsilon: Fraction) -> Bracket:
    """The second half of Theorem 1 as printed: 2 exp(-2 n m² ((e^ε - 1) / (e^ε + m/(1 - m)))²), m = min(p, 1 - p)."""
    m = decimal(min(p, 1 - p))
    steep = decimal(epsilon).exp()
    return evaluated(lambda: 2 * (-2 * n * m * m * ((steep - 1) / (steep + m / (1 - m))) ** 2).exp())


def _binomial(n: int, p: Fraction) -> list[Fraction]:
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


# -- definitions -------------------------------------------------------------------------------------------------------


def _parity_record() -> Violation:
    """The record that is added is the parity of the others: then the total is always even."""
    n, epsilon = 100, Fraction(1)
    law = _binomial(n, Fraction(1, 2))
    added = [Fraction(0)] * (n + 2)
    for total, mass in enumerate(law):
        added[total + total % 2] += mass
    return Violation(
        "a hundred fair bits are (1, δ)-private with the δ of Theorem 1",
        "the record that is added is the parity of the others",
        printed_binomial(n, Fraction(1, 2), epsilon),
        indistinguishability([*law, Fraction(0)], added, epsilon=epsilon),
    )


_entry(
    "GK-D1",
    "Definition 1",
    Status.REPAIRED,
    says="adjacent random vectors: one record more, any random variable, or one less",
    holds="the record that is added must be independent of the data; then constants are the worst",
    sketch="A record that depends on the others can encode anything of them; an independent one is a mixture.",
    counterexample=_parity_record,
    uses=("papers.definitions.noiseless_worlds.noiseless_by_presence",),
    tests=("finite/test_examples.py::test_noiseless_privacy_agrees_with_brute_force",),
)
_entry(
    "GK-D2",
    "Definition 2",
    Status.REPAIRED,
    says="the sensitivity of the data: how much one record can move the sum",
    holds="the supremum is over the declared domain of a record, and infinite for unbounded data; unclear as printed",
    sketch="A value without mass under a belief is still possible, so the domain counts; the text is unclear on it.",
    uses=("facts.secret.Facts",),
    tests=("beliefs/test_mixture.py::test_one_part_is_that_part",),
)


def _one_way() -> Violation:
    """Bin(60, 1/20) against its shift by one, in one order and in the other."""
    law = _binomial(60, Fraction(1, 20))
    first, second = [*law, Fraction(0)], [Fraction(0), *law]
    steep = Fraction(evaluated(lambda: Decimal("0.5").exp()).upper)
    one = sum((max(q - steep * p, Fraction(0)) for p, q in zip(first, second, strict=True)), Fraction(0))
    return Violation(
        "P(M(X') in B) ≤ e^ε P(M(X) in B) + δ in one order bounds the other",
        "60 records at rate 1/20, with one record more",
        around(one * Fraction(1001, 1000), one * Fraction(1001, 1000)),
        indistinguishability(first, second, epsilon="0.5"),
    )


_entry(
    "GK-D3",
    "Definition 3",
    Status.REPAIRED,
    says="noiseless privacy, as one inequality",
    holds="both directions are required: they differ by orders of magnitude for rare events",
    sketch="A total of zero is likelier without the record; a large total is likelier with it.",
    counterexample=_one_way,
    uses=("judge.definition.NoiselessPrivacy",),
    tests=(
        "numerics/test_curve.py::test_one_direction_alone_is_not_enough",
        "finite/test_noiseless.py::test_independent_records_agree_with_the_engine",
    ),
)
_entry(
    "GK-D5",
    "Definition 5",
    Status.TRUE,
    covers=("Definition 5", "Definition 6"),
    says="the attacker knows a share of the records; two distances between laws",
    holds="as printed; the known records are the worst ones",
    sketch="Which records are the worst to know is searched, not guessed.",
    uses=("beliefs.worst.WorstCurve",),
    tests=("beliefs/test_worst.py::test_knowing_more_never_helps",),
)


@_theorem(
    "GK-R1",
    "Remark 1",
    Status.TRUE,
    says="differential privacy is the special case of data that are known",
    holds="(ε, δ)-differential privacy implies (ε, δ)-noiseless privacy for every belief of independent records",
    assumes=("records are independent given what the attacker knows",),
    uses=("judge.definition.differential_privacy",),
    tests=("beliefs/test_worst.py::test_differential_privacy_is_worst_over_all_other_records",),
)
def from_differential(epsilon: Number, delta: Number) -> Guarantee:
    """Given one record's value the others have the same law, so the two worlds are mixtures, with equal weights, of
    neighbouring datasets; the excess over e^ε is convex.
    """
    at, rest = exact(epsilon, name="epsilon"), exact(delta, name="delta")
    return proved(
        Notion.NOISELESS,
        epsilon=around(at, at),
        delta=around(rest, rest),
        because="the same mixture of neighbouring datasets in both worlds",
        source="GK, Remark 1",
    )


def _exact_count() -> Violation:
    """The exact count of a thousand fair bits, to an attacker who knows none of the others and to one who knows all."""
    some = exact_delta(IID(p="1/2", n=1001), Fraction(1))
    return Violation(
        "what is noiselessly private is differentially private with the same δ",
        "the exact count of 1001 fair bits, ε = 1; differential privacy is against whoever knows all other records",
        some,
        exact_delta(IID(p="1/2", n=1001, known=1000), Fraction(1)),
    )


_entry(
    "GK-noiseless-is-not-DP",
    "Section 2, the converse",
    Status.REFUTED,
    covers=("Section 2",),
    says="noiseless privacy is a coherent extension of differential privacy",
    holds="it is weaker: it promises nothing against an attacker who knows more than was assumed",
    sketch="An exact count has δ = 1 for whoever knows all other records, whatever somebody else believes.",
    counterexample=_exact_count,
    uses=("judge.definition.differential_privacy",),
    tests=("beliefs/test_worst.py::test_differential_privacy_is_worst_over_all_other_records",),
)


@_theorem(
    "GK-F5",
    "Fact 5",
    Status.TRUE,
    says="noiseless privacy is kept by post-processing",
    holds="as printed, and for randomised post-processing too",
    uses=("papers.definitions.axioms.post_processing",),
    tests=("finite/test_coupled.py::test_post_processing_convexity_and_weaker_sides_hold",),
)
def processed(epsilon: Number, delta: Number) -> Guarantee:
    """An event of what is computed from the release is a weight between 0 and 1 on the release."""
    at, rest = exact(epsilon, name="epsilon"), exact(delta, name="delta")
    return proved(
        Notion.NOISELESS,
        epsilon=around(at, at),
        delta=around(rest, rest),
        because="post-processing never tells more",
        source="GK, Fact 5",
    )


# -- the binomial law --------------------------------------------------------------------------------------------------


def _off_by_one() -> Violation:
    """N = 2, p = 1/2, λ = 1/10, u = 1 and v = 0: P(1)/P(0) = 2."""
    law = _binomial(2, Fraction(1, 2))
    return Violation(
        "near the mean neighbouring masses have a ratio of at most e^ε, ε = (λ/n)(1/(1 - p) + 1/(p - λ/n))",
        "two fair bits, λ = 1/10, the totals 1 and 0",
        evaluated(lambda: Decimal.exp(Decimal("0.05") * (2 + 1 / Decimal("0.45")))),
        around(law[1] / law[0], law[1] / law[0]),
    )


@_theorem(
    "GK-L1",
    "Lemma 1",
    Status.REPAIRED,
    says="binomial masses within λ of the mean and their neighbours have a ratio of at most e^ε",
    holds="ε = ln of the larger of (nq + λ + 1)p / ((np - λ)q) and the same with p and q = 1 - p exchanged",
    counterexample=_off_by_one,
    uses=("beliefs.worst.WorstCurve",),
    tests=("numerics/test_golden.py::test_exact_binomial_profiles",),
)
def near_the_mean(n: int, p: Number, *, within: Number) -> Guarantee:
    """P(k)/P(k - 1) = (n - k + 1) p / (k (1 - p)) is largest at the least k, and P(k)/P(k + 1) at the largest; which of
    the two is larger depends on λ. The mass further away is at most 2 exp(-2λ²/n) (Hoeffding). The printed ratio has
    n - k for n - k + 1.
    """
    rate, far = exact(p, name="p"), exact(within, name="within")
    m = min(rate, 1 - rate)
    require(n >= 1 and m > 0, "a rate between 0 and 1, and a record", got=(n, p), remedy="Set constants aside.")
    require(0 < far < n * m, f"λ above 0 and below n min(p, 1 - p) = {float(n * m):g}", got=within)
    ratio = max((n * (1 - r) + far + 1) * r / ((n * r - far) * (1 - r)) for r in (rate, 1 - rate))
    return proved(
        Notion.POINTWISE,
        epsilon=evaluated(lambda: decimal(ratio).ln()),
        delta=evaluated(lambda: 2 * (-2 * decimal(far) ** 2 / n).exp(), most=1.0),
        because="the ratio of neighbouring binomial masses, and Hoeffding's inequality for the rest",
        source="GK, Lemma 1, repaired",
    )


def _negative() -> Violation:
    """N = 50, p = 1/10, δ = 1/100: the printed ε is negative, so even δ at ε = 0 would have to be that small."""
    law = _binomial(50, Fraction(1, 10))
    return Violation(
        "(ε, 1/100)-private at an ε that is -1.51, and so at 0 too",
        "50 records at rate 1/10; their totals 0 and 50 have probability 0.0052, below δ",
        evaluated(lambda: Decimal("0.01")),
        indistinguishability([*law, Fraction(0)], [Fraction(0), *law], epsilon=0),
    )


@_theorem(
    "GK-T1",
    "Theorem 1",
    Status.REPAIRED,
    says="the count of n independent yes/no records at rate p: ε from δ, and δ from ε, in closed form",
    holds="the exact profile of the binomial law and its shift; the printed ε can be negative, the printed δ is loose",
    counterexample=_negative,
    covers=("Theorem 1", "Figure 1", "Figure 2"),
    uses=("beliefs.belief.IID",),
    tests=("numerics/test_golden.py::test_exact_binomial_profiles",),
    assumes=("records are independent, with the same rate",),
)
def exact_count(n: int, p: Number, epsilon: Number) -> Guarantee:
    """The likelihood ratio of the count and its shift is monotone, so half-lines are the worst events. `n` counts the
    records besides the target.
    """
    at = exact(epsilon, name="epsilon")
    return proved(
        Notion.NOISELESS,
        epsilon=around(at, at),
        delta=exact_delta(IID(p=p, n=n + 1), at),
        because="the exact law of the count, over all events",
        source="GK, Theorem 1, replaced by the exact profile",
        release="the exact count",
    )


# -- normal approximations ---------------------------------------------------------------------------------------------


def _textbook_noise() -> Violation:
    """ε = 10, δ = 1/20, σ = cΔ/ε with c² = 2 ln(1.25/δ), a little more."""
    ratio = Fraction(evaluated(lambda: 10 / (2 * Decimal(25).ln()).sqrt()).lower) * Fraction(999_999, 10**6)
    return Violation(
        "σ above cΔ/ε with c² = 2 ln(1.25/δ) suffices for any ε",
        "normal noise at ε = 10, δ = 1/20",
        evaluated(lambda: Decimal("0.05")),
        GaussianCurve(ratio).delta(Fraction(10)),
    )


@_theorem(
    "GK-F1",
    "Fact 1",
    Status.REPAIRED,
    says="normal noise of σ at least cΔ/ε with c² > 2 ln(1.25/δ) is (ε, δ)-private for any ε",
    holds="true for ε up to 1, false for ε = 10; the exact profile of the noise is used",
    counterexample=_textbook_noise,
    uses=("numerics.gaussian.GaussianCurve", "mechanisms.channel.DiscreteGaussian"),
    tests=(
        "numerics/test_gaussian.py::test_golden_profiles",
        "mechanisms/test_channels.py::test_discrete_gaussian_noise_covers_the_truth",
    ),
    assumes=("the noise is drawn from the normal law, and not in floats",),
)
def normal_noise(sigma: Number, *, sensitivity: Number, epsilon: Number) -> Guarantee:
    """Two normal laws have monotone likelihood ratio, so δ(ε) has a closed form (Balle and Wang 2018)."""
    scale, most = exact(sigma, name="sigma"), exact(sensitivity, name="sensitivity")
    at = exact(epsilon, name="epsilon")
    require(scale > 0 and most > 0, "a sigma and a sensitivity above 0", got=(str(sigma), str(sensitivity)))
    require(at >= 0, "epsilon of at least 0", got=epsilon)
    return proved(
        Notion.DIFFERENTIAL,
        epsilon=around(at, at),
        delta=GaussianCurve(most / scale).delta(at),
        because="the exact profile of two normal laws",
        source="GK, Fact 1, repaired",
        release=f"a figure that one record moves by at most {sensitivity}, with normal noise",
    )


_entry(
    "GK-F2",
    "Fact 2",
    Status.TRUE,
    covers=("Fact 2", "Fact 3"),
    says="Berry-Esseen for independent records; Kolmogorov and Wasserstein distance",
    holds="as printed, with the constant 0.56, which is cited; E X² = 0 is a misprint",
    sketch="Cited from Shevtsova 2013 and Ross 2011.",
    uses=("numerics.moments.Moments.distance",),
    tests=("numerics/test_moments.py::test_independent_blocks_are_records_of_their_own",),
)


def _odd_one_out() -> Violation:
    """Ten thousand records in {0, 2}, one that may be 1: the total is even or odd."""
    n = 10_000
    third = evaluated(lambda: Decimal(n) / (Decimal(n) ** Decimal("1.5")))
    epsilon = evaluated(lambda: 2 * (Decimal(n).ln() / n).sqrt())
    top = Fraction(epsilon.upper)
    claimed = evaluated(
        lambda: Decimal("1.12") * Decimal(third.upper) * (1 + decimal(top).exp()) + Decimal("0.8") / Decimal(n).sqrt()
    )
    attacker = IID(values={0: "1/2", 2: "1/2"}, n=n + 1, domain=(0, 1, 2))
    return Violation(
        f"the sum is (ε, δ)-private with ε = {epsilon} and the printed δ",
        "ten thousand records in {0, 2}, and one that may be 1: the event is that the total is odd",
        claimed,
        exact_delta(attacker, top, Sum()),
    )


@_theorem(
    "GK-T2",
    "Theorem 2",
    Status.REPAIRED,
    says="the sum of independent records with three moments is (ε, δ)-private, for all events",
    holds="for half-lines, intervals and ordered buckets only; no statement from moments holds for all events",
    counterexample=_odd_one_out,
    uses=("judge.thresholds.threshold_guarantee", "beliefs.worst.WorstCurve"),
    tests=(
        "numerics/test_golden.py::test_parity_gives_the_shift_by_one_away_and_halflines_do_not_see_it",
        "numerics/test_moments.py::test_no_exact_count_exceeds_what_moments_say",
        "numerics/test_moments.py::test_a_guarantee_for_thresholds_never_passes_a_figure",
    ),
    assumes=("records are independent", "the Berry-Esseen constant 0.56, which is cited"),
)
def by_moments(moments: Moments, *, shift: Number, epsilon: Number, intervals: bool = True) -> Guarantee:
    """The distribution function is within 0.56 Σ E|X|³ / s³ of the normal one; an interval is two of its values, in
    each world.
    """
    return threshold_guarantee(moments, shift=shift, events="intervals" if intervals else "half-lines", epsilon=epsilon)


def _impossible() -> Violation:
    """Mean variance 4 and Σ E|X|³ = 3n: but E|X|³ is at least (Var X)^(3/2) on average."""
    return Violation(
        "the mean third moment is 3",
        "records with mean variance 4",
        Bracket(3.0, 3.0),
        evaluated(lambda: Decimal(4) ** Decimal("1.5")),
    )


_entry(
    "GK-E1",
    "Example 1",
    Status.REFUTED,
    covers=("Example 1", "Figure 3", "Figure 4"),
    says="records with mean variance 4 and mean third moment 3",
    holds="no records have these moments; they are refused",
    sketch="E|X|³ ≥ (Var X)^(3/2) (Lyapunov), and the mean of the powers is at least the power of the mean.",
    counterexample=_impossible,
    uses=("numerics.moments.Moments",),
    tests=("numerics/test_moments.py::test_the_moments_of_example_1_are_impossible",),
)
