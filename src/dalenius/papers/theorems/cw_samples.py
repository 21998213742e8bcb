"""Coupled worlds, continued: exact histograms of samples whose size is uncertain."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial

from dalenius.basics.errors import require
from dalenius.beliefs.sample_sizes import (
    Discarding,
    Person,
    Sizes,
    discarding,
    equation_2,
    hidden_sizes,
    others_in_sample,
    poisson_bound,
    repaired_bound,
)
from dalenius.beliefs.truncated import TruncatedHistogram, complete_cell
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.numerics.counts import binomial, poisson
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.numerics.divergence import hockey_stick
from dalenius.numerics.law import law_of
from dalenius.papers.theorems.cw import stated
from dalenius.papers.theorems.papers import CW
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem

_entry = partial(entry, paper=CW)
_theorem = partial(theorem, paper=CW)
IID = "records are drawn independently from one law; only their number is uncertain in another way"
HALF = Fraction(1, 2)

# -- the size of a sample ----------------------------------------------------------------------------------------------


def _growing(most: int) -> Mapping[int, Number]:
    """P(N = n) in proportion to (3/2)^n, up to a largest n: each ratio is within e^±1/2."""
    weights = [3**n * 2 ** (most - n) for n in range(most + 1)]
    whole = sum(weights)
    return {n: Fraction(weight, whole) for n, weight in enumerate(weights)}


def _law(sizes: Mapping[int, Number]) -> dict[int, Fraction]:
    return {n: exact(chance, name="chance") for n, chance in sizes.items()}


def _one_sided() -> Violation:
    """P(N = n) grows by 3/2 up to n = 60. N + 1 has an outcome that N has not, with probability 1/3."""
    sizes = law_of(_law(_growing(60)))
    return Violation(
        "what satisfies equation 2 with (ε, δ) has N and N + 1 (ε, δ)-alike",
        "sample sizes 0 to 60 whose probabilities grow by 3/2, ε = 1/2",
        equation_2(sizes, HALF),
        hockey_stick(sizes.shifted(1), sizes, epsilon=HALF),
    )


@_theorem(
    "CW-D9",
    "Definition 9",
    Status.REPAIRED,
    covers=("Definition 9", "Equation 2"),
    says="equation 2, for n drawn from N, is slightly more than that N and N + 1 are (ε, δ)-alike",
    holds="if n is drawn from N and also from N + 1: then they are, point-wise",
    counterexample=_one_sided,
    uses=("beliefs.sample_sizes.equation_2", "beliefs.sample_sizes.hidden_sizes"),
    tests=("beliefs/test_truncated.py::test_equation_2_holds_where_sizes_are_not_hidden",),
)
def uncertain_size(sizes: Sizes, *, epsilon: Number, person: Person = "named") -> Guarantee:
    """Let p be the law of the others' number s. The excess of p(s) over e^ε p(s + 1) is at most p(s), and there only if
    the ratio is off; likewise over e^ε p(s - 1).
    """
    at = exact(epsilon, name="epsilon")
    return proved(
        Notion.INDISTINGUISHABLE,
        epsilon=stated(epsilon, "epsilon"),
        delta=hidden_sizes(others_in_sample(sizes, person=person), at),
        because="sizes at which a ratio of neighbours is off are rare from both sides",
        source="CW, Definition 9, repaired",
        hides="whether the person is counted in the size of the sample",
    )


def _poisson_tails() -> Violation:
    """λ = 400, ε = 0.1."""
    at = Fraction(1, 10)
    return Violation(
        "a Poisson size of mean λ satisfies equation 2 with δ = exp(-λ ε²)",
        "λ = 400, ε = 0.1",
        evaluated(lambda: Decimal(-4).exp()),
        equation_2(poisson(Fraction(400)), at),
    )


@_theorem(
    "CW-L2",
    "Lemma 2(1)",
    Status.REPAIRED,
    says="a Poisson size satisfies equation 2 with δ = exp(-λ ε²)",
    holds="exactly P(N < λ e^-ε) + P(N > λ e^ε), at most exp(-λ (1 - (1+ε) e^-ε)) + exp(-λ (1 + (ε-1) e^ε))",
    counterexample=_poisson_tails,
    uses=("beliefs.sample_sizes.equation_2",),
    tests=("beliefs/test_truncated.py::test_lemma_2_for_poisson_sizes",),
)
def poisson_size(mean: Number, *, epsilon: Number) -> Guarantee:
    """P(n)/P(n - 1) = λ/n, so what is off are two tails, each by Chernoff's bound; the exponents are about λ ε²/2, half
    of what is printed. Given that a person is present the number of others is Poisson too.
    """
    at, rate = exact(epsilon, name="epsilon"), exact(mean, name="mean")
    require(rate > 0, "a mean above 0", got=mean)
    return proved(
        Notion.INDISTINGUISHABLE,
        epsilon=stated(epsilon, "epsilon"),
        delta=hidden_sizes(poisson(rate), at),
        because="the two tails where λ/n is off",
        source="CW, Lemma 2, repaired",
        hides="whether the person is counted in the size of the sample",
    )


def _nearly_everybody() -> Violation:
    """A hundred thousand persons, each of whom is left out with probability 1e-5, ε = 1/5."""
    n, at = 100_000, Fraction(1, 5)
    chance = 1 - Fraction(1, n)
    return Violation(
        "a binomial size satisfies equation 2 with δ = exp(-c n p ε²), here with c = 1/100",
        "n = 100000, p = 0.99999, ε = 1/5",
        evaluated(lambda: 1 / decimal(n * chance * at**2 / 100).exp()),
        equation_2(binomial(n, chance), at),
    )


@_theorem(
    "CW-L2-binomial",
    "Lemma 2(2)",
    Status.REPAIRED,
    says="a binomial size satisfies equation 2 with δ = exp(-Ω(n p ε²))",
    holds="not uniformly in p, nor for large ε: the exponent is n p (1 - p) ε²/2 for small ε; the exact tails are used",
    counterexample=_nearly_everybody,
    uses=("beliefs.sample_sizes.equation_2",),
    tests=("beliefs/test_truncated.py::test_lemma_2_for_binomial_sizes",),
)
def binomial_size(n: int, *, rate: Number, epsilon: Number) -> Guarantee:
    """P(k)/P(k - 1) = (n + 1 - k) p / (k (1 - p)) falls with k, so what is off are two tails. Given that a person is
    present the number of others is binomial of n - 1.
    """
    at, chance = exact(epsilon, name="epsilon"), exact(rate, name="rate")
    require(0 < chance < 1, "a rate strictly between 0 and 1", got=rate)
    require(n >= 1, "a population of at least one person", got=n)
    return proved(
        Notion.INDISTINGUISHABLE,
        epsilon=stated(epsilon, "epsilon"),
        delta=hidden_sizes(binomial(n - 1, chance), at),
        because="the two tails where the ratio is off",
        source="CW, Lemma 2, repaired",
        hides="whether the person is counted in the size of the sample",
    )


def _more_discarded() -> Violation:
    """1000 records, ε = 1/2, δ = 1/100: t = 10 are discarded as a rule, and more than 20 at times."""
    scheme = discarding(1000, epsilon=HALF, delta="1/100")
    law = scheme.sizes
    left = scheme.records - 2 * scheme.usual - law.start
    beyond = law.balls[:left].sum()
    return Violation(
        "discarding changes at most 2 log(1/δ)/ε counts: the probability of more",
        "1000 records, ε = 1/2, δ = 1/100",
        Bracket(0.0, 0.0),
        Bracket(max(0.0, float(beyond.lower)), float(beyond.upper)),
    )


_entry(
    "CW-S3B",
    "Section III-B, discarding records",
    Status.REPAIRED,
    covers=("Section III-B",),
    says="of n₀ records, [Lap(1/ε) + log(1/δ)/ε]₊ are discarded; it hides the size and changes at most twice as many",
    holds="that many but with probability δ/2; and with about the same probability nothing is discarded, which counts",
    sketch="The noise has no bound. The sizes near n₀ have an atom at n₀, which the repaired condition charges.",
    counterexample=_more_discarded,
    uses=("beliefs.sample_sizes.Discarding",),
    tests=(
        "beliefs/test_truncated.py::test_golden_discarding",
        "beliefs/test_truncated.py::test_what_is_left_after_discarding_is_what_the_definition_says",
    ),
)

# -- histograms --------------------------------------------------------------------------------------------------------


def _top_size() -> Violation:
    """One cell, sizes up to 1000 that grow by 3/2, k = 900 > 48 log(1/δ)/ε² for ε = 1/2, δ = 1/100."""
    sizes, delta = _growing(1000), Fraction(1, 100)
    cell = TruncatedHistogram(900).draws([1], sizes, person=1)
    return Violation(
        "the k-truncated histogram is (3ε, 3δ)-private, if k is large and N satisfies equation 2 with (ε, δ)",
        "independent draws into one cell, their number grows by 3/2 up to 1000; k = 900, ε = 1/2, δ = 1/100",
        around(3 * delta, 3 * delta),
        cell.delta(3 * HALF),
    )


@_theorem(
    "CW-T10",
    "Theorem 10",
    Status.REPAIRED,
    says="for k > C log(1/δ)/ε² the k-truncated histogram is (3ε, 3δ)-private, if N satisfies equation 2 with (ε, δ)",
    holds="(3ε, d + 2 exp(2ε - k (e^-2ε - 1 + 2ε))) for independent draws, if sizes are hidden but for d",
    counterexample=_top_size,
    uses=("beliefs.sample_sizes.repaired_bound", "beliefs.sample_sizes.hidden_sizes"),
    tests=("beliefs/test_truncated.py::test_golden_repaired_theorem_10",),
    assumes=(IID,),
)
def truncated_histogram(least: int, *, sizes: Sizes, epsilon: Number, person: Person = "named") -> Guarantee:
    """The probability g of a in the person's cell and b elsewhere has g(a, b)/g(a - 1, b) = [p(s)/p(s - 1)] s q/a,
    s = a + b. If the size is not off, a must be beyond e^±2ε s q to be off by e^3ε: Chernoff bounds that for a ≥ k - 1.
    The hidden counts, taken together, are off only if the largest of them is.
    """
    at = exact(epsilon, name="epsilon")
    hidden = hidden_sizes(others_in_sample(sizes, person=person), at)
    upper = repaired_bound(least, at, hidden.upper)
    return proved(
        Notion.DISTRIBUTIONAL,
        epsilon=around(3 * at, 3 * at),
        delta=Bracket(0.0, upper),
        because=f"sizes are hidden but for {hidden}, and cells of {least} or more by Chernoff bounds",
        source="CW, Theorem 10, repaired",
        assumes=(IID,),
        release=f"counts of at least {least}, all others hidden",
    )


def _whole_cell() -> Violation:
    """200,000 persons, 400 of them in the cell, about ten are left out: mostly none of the cell."""
    scheme = Discarding(200_000, HALF, Fraction(1, 100))
    sizes = scheme.sizes
    allowed = Fraction(max(0.01, equation_2(sizes, HALF + Fraction(1, 10**9)).upper))
    return Violation(
        "the k-truncated histogram is (3ε, 3δ)-private, if k is large and N satisfies equation 2 with (ε, δ)",
        "200000 persons, 400 in the cell, about 10 are discarded; k = 300, ε = 1/2, δ = 1/100: the count is 400",
        around(3 * allowed, 3 * allowed),
        complete_cell(others_in_sample(sizes), 399, 199_600),
    )


_entry(
    "CW-T10-fraction",
    "Theorem 10 for large fractions of a population",
    Status.REFUTED,
    covers=("Theorem 10",),
    says="Theorem 10 holds for samples without replacement, however large a part of the population they are",
    holds="if hardly anybody is left out, a cell's count shows that the person is counted, whatever k is",
    sketch="With the person the count can be the size of the whole cell, and without it cannot. No simulator helps.",
    counterexample=_whole_cell,
    uses=("beliefs.truncated.TruncatedHistogram.sample", "beliefs.truncated.complete_cell"),
    tests=(
        "beliefs/test_truncated.py::test_a_sample_of_nearly_everybody_is_refused_with_the_reason",
        "theorems/test_golden.py::test_a_cell_of_which_nobody_is_discarded",
        "beliefs/test_truncated.py::test_samples_without_replacement_agree_with_finite_worlds",
    ),
)


@_theorem(
    "CW-T10-poisson",
    "Theorem 10 for Poisson samples",
    Status.SHARPENED,
    covers=("Theorem 10",),
    says="(not printed by itself) k-truncated histograms of Poisson samples",
    holds="(ε, exp(ε - k (e^-ε - 1 + ε))) whatever the means, in both directions; `rules.worth` is exact",
    uses=("beliefs.sample_sizes.poisson_bound", "beliefs.truncated.TruncatedHistogram.poisson"),
    tests=(
        "beliefs/test_truncated.py::test_golden_closed_form",
        "beliefs/test_truncated.py::test_golden_poisson_cells",
    ),
    assumes=("the counts of cells are independent Poisson numbers",),
)
def poisson_cells(least: int, *, epsilon: Number, means: Sequence[Number] | None = None) -> Guarantee:
    """Only the person's cell matters: B + 1 or B, truncated. With the means given, by the sum over counts; without, by
    Chernoff's bound at the mean k e^-ε, the worst.
    """
    at = exact(epsilon, name="epsilon")
    if means is None:
        found = Bracket(0.0, poisson_bound(least, at))
    else:
        found = TruncatedHistogram(least).poisson(means).delta(at)
    return proved(
        Notion.DISTRIBUTIONAL,
        epsilon=stated(epsilon, "epsilon"),
        delta=found,
        because="only the person's cell matters, and its count is Poisson",
        source="CW, Theorem 10, for Poisson samples",
        release=f"counts of at least {least}, all others hidden",
    )


@_theorem(
    "CW-T10-bernoulli",
    "Theorem 10 for Bernoulli samples",
    Status.SHARPENED,
    covers=("Theorem 10",),
    says="(not printed by itself) k-truncated histograms of samples that take each person with the same probability",
    holds="exactly, in both directions, for cells of stated sizes",
    uses=("beliefs.truncated.TruncatedHistogram.bernoulli",),
    tests=(
        "beliefs/test_truncated.py::test_golden_binomial_cells",
        "beliefs/test_truncated.py::test_bernoulli_samples_agree_with_finite_worlds",
    ),
    assumes=("each person is in the sample independently, with the stated probability",),
)
def bernoulli_cells(least: int, *, members: Sequence[int], rate: Number, epsilon: Number) -> Guarantee:
    """Cells are independent, so only the person's cell matters, whose others are binomial; the worst cell is found."""
    at = exact(epsilon, name="epsilon")
    return proved(
        Notion.DISTRIBUTIONAL,
        epsilon=stated(epsilon, "epsilon"),
        delta=TruncatedHistogram(least).bernoulli(members, rate).delta(at),
        because="only the person's cell matters, and the others in it are binomial",
        source="CW, Theorem 10, for Bernoulli samples",
        release=f"counts of at least {least}, all others hidden",
    )


def _one_of_a_kind() -> Violation:
    """Somebody who alone has a value: the sample's histogram shows it whenever she is drawn."""
    shown = Fraction(1, 10)
    return Violation(
        "the histogram of a sample is differentially private: for some ε there is no δ",
        "each person is drawn with a chance of 0.1, all counts are told, and one person alone is in her cell",
        Bracket(0.0, 0.0),
        around(shown, shown),
    )


@_theorem(
    "CW-S3B-drawn",
    "Section III-B, sample, then histogram",
    Status.REPAIRED,
    covers=("Section III-B",),
    says="to draw each record with probability p and to compute a histogram of the sample is differentially private",
    holds="if counts below k are hidden: with θ = 1 - (1 - p) e^-ε, for ε of at least -ln(1 - p), δ is at most "
    "exp(-(k/θ) D(θ‖p)), whatever the cell's size is",
    counterexample=_one_of_a_kind,
    tests=("theorems/test_conditions.py::test_samples_of_any_cell_are_as_private_as_is_said",),
    assumes=("each person is drawn by a coin of their own, and nobody knows who was",),
)
def drawn_histogram(least: int, *, rate: Number, epsilon: Number) -> Guarantee:
    """The others of a cell are known, m - 1 of them. Of m the sample has c with (1 - p) m / (m - c) times the chance
    that it has c of m - 1: more than e^ε beyond θm only, and less than e^-ε never, from -ln(1 - p) on. The mass beyond
    θm, and from k on, is at most exp(-m D(θ‖p)) for m of at least k/θ, and smaller for fewer. ∎
    """
    share, at = exact(rate, name="rate"), exact(epsilon, name="epsilon")
    require(least >= 1 and 0 < share < 1 and at > 0, "k, a rate inside 0 to 1, ε above 0", got=(least, rate, epsilon))
    floor = evaluated(lambda: -(1 - decimal(share)).ln())
    require(at >= Fraction(floor.upper), f"ε of at least -ln(1 - p), {floor}", got=epsilon)

    def bound() -> Decimal:
        p = decimal(share)
        theta = 1 - (1 - p) * (-decimal(at)).exp()
        apart = theta * (theta / p).ln() + (1 - theta) * ((1 - theta) / (1 - p)).ln()
        return (-least / theta * apart).exp()

    return proved(
        Notion.DIFFERENTIAL,
        epsilon=stated(epsilon, "epsilon"),
        delta=Bracket(0.0, min(1.0, evaluated(bound).upper)),
        because="so many of a cell are hardly ever drawn, unless it has so many that one more is hidden",
        source="CW, Section III-B, on Gehrke et al.",
        release=f"counts of a sample of at least {least}, all others hidden",
        hides="whether one person is among those of whom the sample is drawn",
    )


_entry(
    "CW-T10-tight",
    "Section III-B, how large k must be",
    Status.TRUE,
    covers=("Section III-B",),
    says="k of the order of log(1/δ)/ε² is needed",
    holds="as told: for Poisson samples the least k is computed; it is 0.4 to 2.1 times that for usual ε and δ",
    sketch="A Poisson count with mean k e^-ε is at least k with a probability whose logarithm is about -k ε²/2.",
    uses=("plan.rules.worth.threshold_needed",),
    tests=(
        "rules/test_worth.py::test_golden_least_thresholds",
        "theorems/test_golden.py::test_the_least_thresholds_by_the_closed_form",
    ),
)
