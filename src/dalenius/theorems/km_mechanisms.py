"""Pufferfish, section 7: counts and histograms that are exact where the data earn it."""

from fractions import Fraction
from functools import partial

from dalenius.errors import require
from dalenius.mechanisms.refuted import printed_hedging_window
from dalenius.mechanisms.single_prior import window_for_values
from dalenius.numerics.bracket import Bracket
from dalenius.numerics.exponentials import logarithm
from dalenius.theorems.papers import KM
from dalenius.theorems.theorem import Status, Violation, entry

_entry = partial(entry, paper=KM)

_entry(
    "KM-T7.1",
    "Theorem 7.1",
    Status.SHARPENED,
    covers=("Algorithm 1", "Theorem 7.1"),
    says="a count that is exact in a window around its expectation, and noisy elsewhere, is ε-private for one law",
    holds="the widest window has k/(nq) and (n-k)/(n(1-q)) within e^±ε; the leftover mass is (1 - x^a)(1 - x^b)",
    sketch="The likelihood ratio of an exact count is a ratio of binomial terms; noisy outputs of neighbouring counts "
    "have chances within e^ε.",
    uses=("mechanisms.single_prior.SinglePriorCount", "definitions.instances.single_prior"),
    tests=("stated/test_single_prior.py::test_the_definition_on_finite_worlds_agrees",),
)


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
    uses=("mechanisms.refuted.printed_histogram", "mechanisms.single_prior_histogram.SinglePriorHistogram"),
    tests=(
        "stated/test_histograms.py::test_algorithm_2_is_refuted_by_five_people",
        "stated/test_histograms.py::test_nobody_is_told_apart_by_more_than_stated",
    ),
)
_entry(
    "KM-T7.3",
    "Theorem 7.3, first half",
    Status.REPAIRED,
    covers=("Algorithm 3", "Theorem 7.3"),
    says="a hedged count is ε-private for every law that is mixed with the stated one",
    holds="with its window corrected; the exact window is far wider, and nothing else may be released",
    sketch="As printed the upper end of the window is upside down (a misprint), so that it is empty. The largest ratio "
    "over all laws is at the root of a quadratic, which gives the exact window.",
    uses=("mechanisms.hedging.HedgedCount", "definitions.instances.hedging"),
    tests=(
        "stated/test_hedging.py::test_the_definition_on_finite_worlds_agrees",
        "stated/test_hedging.py::test_windows_hold_every_count_around_the_middle_that_keeps_epsilon",
    ),
)


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
        "mechanisms.refuted.printed_hedging_histogram",
        "mechanisms.prior_ball.BallCount",
        "mechanisms.stated.combine",
    ),
    tests=(
        "stated/test_histograms.py::test_algorithm_4_is_refuted",
        "stated/test_prior_ball.py::test_a_noisy_release_beside_it_adds_up",
    ),
)
