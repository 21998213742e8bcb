"""Pufferfish, section 7: counts and histograms that are exact where the data earn it."""

from decimal import Decimal
from fractions import Fraction
from functools import partial

from dalenius.basics.errors import require
from dalenius.claims import Guarantee
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number
from dalenius.mechanisms.hedging import HedgedCount
from dalenius.mechanisms.single_prior import Pairs, SinglePriorCount, window_for_values
from dalenius.numerics.decimals import evaluated
from dalenius.numerics.exponentials import logarithm
from dalenius.papers.mechanisms.refuted import printed_hedging_window, printed_noise_total
from dalenius.papers.theorems.papers import KM
from dalenius.papers.theorems.theorem import Status, Violation, entry, theorem

_entry = partial(entry, paper=KM)
_theorem = partial(theorem, paper=KM)


@_theorem(
    "KM-T7.1",
    "Theorem 7.1",
    Status.SHARPENED,
    covers=("Algorithm 1", "Theorem 7.1"),
    says="a count that is exact in a window around its expectation, and noisy elsewhere, is ε-private for one law",
    holds="the widest window has k/(nq) and (n-k)/(n(1-q)) within e^±ε; the leftover mass is (1 - x^a)(1 - x^b)",
    uses=("mechanisms.single_prior.SinglePriorCount", "papers.definitions.instances.single_prior"),
    tests=("stated/test_single_prior.py::test_the_definition_on_finite_worlds_agrees",),
    assumes=("records are independent and have exactly the stated law",),
)
def earned_count(q: Number, *, n: int, epsilon: Number, pairs: Pairs = "presence") -> Guarantee:
    """The likelihood ratio of an exact count is a ratio of binomial terms; noisy outputs of neighbouring counts have
    chances within e^ε. What is returned is the exact ε of all outputs.
    """
    presence, value = SinglePriorCount(q, n=n, epsilon=epsilon, pairs=pairs).guarantees()
    return presence if pairs == "presence" else value


def _five_people() -> Violation:
    """Four cells of chance 0.17 come out exactly with one record each; the fifth, of chance 0.32, is noisy."""
    share, epsilon = Fraction(17, 100), Fraction(1, 5)
    require(1 in window_for_values(share, 5, epsilon), "a window that holds 1", got=share)
    said = Fraction(1, 5) / (1 - 4 * share)
    return Violation(
        "the log likelihood ratio of every histogram is at most 2ε",
        "five records, cells of chances 0.17 (four times) and 0.32, ε = 0.2; exactly one record in each of the four",
        Bracket(0.4, 0.4),
        logarithm(1 / said, 1 / said),
    )


_entry(
    "KM-T7.2",
    "Theorem 7.2",
    Status.REFUTED,
    covers=("Algorithm 2", "Theorem 7.2"),
    says="applied to each cell of a histogram, the mechanism is 2ε-private for one law",
    holds="with an eligible set of cells and narrower windows: max(ε₃, ε₂ + 2ε₁)",
    sketch="The windows of single cells do not bound how many records the exact cells leave for the others.",
    counterexample=_five_people,
    uses=("papers.mechanisms.refuted.printed_histogram", "mechanisms.single_prior_histogram.SinglePriorHistogram"),
    tests=(
        "stated/test_histograms.py::test_algorithm_2_is_refuted_by_five_people",
        "stated/test_histograms.py::test_nobody_is_told_apart_by_more_than_stated",
    ),
)


def _empty_window() -> Violation:
    """A thousand records at rate 1/2, ε = 0.9, α = 0.001: the printed ends, and the middle that they should hold."""
    window = printed_hedging_window("1/2", n=1000, epsilon="0.9", alpha="0.001")
    return Violation(
        "for n large enough the window holds nq*: it ends there or later, so nq* is at most its printed end",
        "n = 1000, q* = 1/2, ε = 0.9, α = 0.001",
        around(Fraction(window.high), Fraction(window.high)),
        around(Fraction(500), Fraction(500)),
    )


@_theorem(
    "KM-T7.3",
    "Theorem 7.3, first half",
    Status.REPAIRED,
    covers=("Algorithm 3", "Theorem 7.3"),
    says="a hedged count is ε-private for every law that is mixed with the stated one",
    holds="with its window corrected; the exact window is far wider, and nothing else may be released",
    counterexample=_empty_window,
    uses=("mechanisms.hedging.HedgedCount", "papers.definitions.instances.hedging"),
    tests=(
        "stated/test_hedging.py::test_the_definition_on_finite_worlds_agrees",
        "stated/test_hedging.py::test_windows_hold_every_count_around_the_middle_that_keeps_epsilon",
    ),
    assumes=("nothing else is released about the same records", "attackers give the stated law the same weight always"),
)
def hedged_count(q: Number, *, n: int, epsilon: Number, alpha: Number, pairs: Pairs = "presence") -> Guarantee:
    """As printed the upper end of the window is upside down (a misprint), so that it is empty. The largest ratio over
    all laws is at the root of a quadratic, which gives the exact window.
    """
    (found,) = HedgedCount(q, n=n, epsilon=epsilon, alpha=alpha, pairs=pairs).guarantees()
    return found


def _two_people() -> Violation:
    """Chances 0.0005 and 0.9995 are stated; the other law holds the first cell to be impossible."""
    share, rare, epsilon = Fraction(49, 100), Fraction(5, 10_000), Fraction(3)
    window = printed_hedging_window(rare, n=2, epsilon=epsilon, alpha=share)
    require(1 in window, "a printed window that holds 1", got=window)
    ratio = (share * (1 - rare) + (1 - share)) / (share * 2 * rare * (1 - rare))
    return Violation(
        "the log likelihood ratio of every histogram is at most 2ε",
        "two records, ε = 3, α = 0.49, chances 0.0005 and 0.9995 against 0 and 1; exactly one record in the first cell",
        Bracket(6.0, 6.0),
        logarithm(ratio, ratio),
    )


_entry(
    "KM-T7.3-histogram",
    "Theorem 7.3, second half",
    Status.REFUTED,
    covers=("Algorithm 4", "Theorem 7.3"),
    says="applied to each cell of a histogram, the hedged count is 2ε-private",
    holds="no: noisy cells tell which law to believe in; a ball of laws composes instead",
    sketch="The exact cell was checked against the mixture with its own weights, and other outputs change the weights.",
    counterexample=_two_people,
    uses=(
        "papers.mechanisms.refuted.printed_hedging_histogram",
        "mechanisms.prior_ball.BallCount",
        "mechanisms.stated.combine",
    ),
    tests=(
        "stated/test_histograms.py::test_algorithm_4_is_refuted",
        "stated/test_prior_ball.py::test_a_noisy_release_beside_it_adds_up",
    ),
)


# -- the claims behind Theorem 7.3 -------------------------------------------------------------------------------------


def _no_law() -> Violation:
    """The printed weights at ε = 1/2 leave nearly half of the mass out."""
    total = printed_noise_total("1/2")
    return Violation(
        "the probabilities of the noise sum to 1: what is missing",
        "the noise (1 - e^-ε)/(1 + e^-ε) e^-|r|, ε = 1/2",
        Bracket(0.0, 0.0),
        Bracket(1 - total - 1e-12, 1 - total + 1e-12),
    )


_entry(
    "KM-S7.1.2",
    "Section 7.1.2, the noise",
    Status.REPAIRED,
    covers=("Section 7.1.2",),
    says="noise r has a probability in proportion to e^-|r|, with the factor of e^-ε|r|",
    holds="e^-ε|r|: as printed it is no law",
    sketch="A misprint: two-sided geometric noise is meant, here and in the footnote.",
    counterexample=_no_law,
    uses=("papers.mechanisms.refuted.printed_noise_total",),
    tests=("stated/test_histograms.py::test_the_printed_noise_is_no_law",),
)


def _upside_down() -> Violation:
    """Four records, none of them in the cell: 1/2 is likelier than 3/4, though the printed end is below 0."""
    chance, other, n, k = Fraction(1, 2), Fraction(3, 4), 4, 0
    require((1 - chance) ** n >= (1 - other) ** n, "a likelihood that is as large", got=k)
    below = evaluated(lambda: n * Decimal(2).ln() / Decimal(3).ln())
    return Violation(
        "if q* is as likely as q > q*, then k ≤ n log((1 - q)/(1 - q*)) / log(odds of q / odds of q*)",
        "q* = 1/2, q = 3/4, n = 4, k = 0, λ = 1",
        Bracket(-below.upper, -below.lower),
        around(Fraction(k), Fraction(k)),
    )


_entry(
    "KM-ClG.1",
    "Claim G.1",
    Status.REPAIRED,
    says="(q*)^k (1 - q*)^(n-k) ≥ λ q^k (1 - q)^(n-k) where k is beyond a linear function of n, on the side of q*",
    holds="as proved there; in the statement of (2), (1 - q)/(1 - q*) is upside down",
    sketch="Take logarithms, and divide by that of the ratio of odds, whose sign is that of q* - q. A misprint.",
    counterexample=_upside_down,
    uses=("mechanisms.hedging.corrected_window",),
    tests=(
        "theorems/test_claims.py::test_which_counts_speak_for_the_stated_chance",
        "stated/test_hedging.py::test_golden_least_sizes_of_the_paper_s_window",
    ),
)
_entry(
    "KM-ClG.2",
    "Claim G.2",
    Status.TRUE,
    covers=("Claim G.2", "Claim G.3", "Claim G.4"),
    says="such counts are beyond q, speak against every chance that is farther off, and the window fills as n grows",
    holds="as printed; in the proof of G.3 the second k₁ is k₂. Odds of k/n and q within e^±ε/3 of q* differ by e^2ε/3",
    sketch="A likelihood is largest at k/n and falls away from it. The window has a width in proportion to n.",
    tests=(
        "theorems/test_claims.py::test_counts_that_speak_for_the_stated_chance_are_beyond_the_other",
        "theorems/test_claims.py::test_odds_in_the_window",
    ),
)


def _below_one() -> Violation:
    """α = 2/5, ε = 3."""
    return Violation(
        "λ = (1 - α)/(α (e^(ε/3) - 1)) is above 1 as α is below 1/2: its inverse is at most 1",
        "α = 2/5, ε = 3",
        Bracket(1.0, 1.0),
        evaluated(lambda: 2 * (Decimal(1).exp() - 1) / 3),
    )


_entry(
    "KM-ClG.5",
    "Claim G.5",
    Status.REPAIRED,
    says="outside of the window of chances the mixture is decided by the stated law: ratios are within e^±ε",
    holds="with λ at least 1, which does not follow from α < 1/2 (it fails for ε above 3 ln(1/α)) and is seen to",
    sketch="Numerator and denominator are each within e^(ε/3) of their stated part, and Claim G.4 bounds the rest.",
    counterexample=_below_one,
    uses=("mechanisms.hedging.corrected_window",),
    tests=(
        "theorems/test_claims.py::test_mixtures_outside_of_the_window_keep_epsilon",
        "stated/test_hedging.py::test_golden_least_sizes_of_the_paper_s_window",
    ),
)
