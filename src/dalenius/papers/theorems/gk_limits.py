"""Noiseless privacy, continued: dependence, known records and noise, where the printed statements fail."""

from decimal import Decimal
from fractions import Fraction
from functools import partial

from dalenius.beliefs.belief import IID, Independent
from dalenius.beliefs.blocks import Blocks
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import evaluated
from dalenius.numerics.gaussian import GaussianCurve
from dalenius.papers.definitions.dependence import dependent_pairs, independent_blocks
from dalenius.papers.definitions.finite import indistinguishability
from dalenius.papers.theorems.gk import exact_delta
from dalenius.papers.theorems.papers import GK
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem
from dalenius.papers.worlds import Finite

_entry = partial(entry, paper=GK)
_theorem = partial(theorem, paper=GK)

PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651"
)


def _stein(n: Decimal, width: int, root: int) -> Decimal:
    """The printed Wasserstein bound for records ±1 with neighbourhoods of this size and variance n in all."""
    d = Decimal(width)
    return d * d / n.sqrt() + d ** Decimal("1.5") * Decimal(root).sqrt() / (n * PI.sqrt()) * n.sqrt()


def _common_sign_distance() -> Violation:
    """X_{2m-1} = e_m and X_{2m} = s e_m with a common fair sign s: half of the time the sum is 0."""
    n = Decimal(10**6)
    return Violation(
        "the normalised sum is within the printed Wasserstein distance of the normal law",
        "a million signs in pairs (e, s e) with one common sign s: W = 0 half of the time, so E|W| is at most √(1/2)",
        evaluated(lambda: _stein(n, 2, 28)),
        evaluated(lambda: (2 / PI).sqrt() - Decimal("0.5").sqrt()),
    )


def _common_sign() -> Violation:
    """The half-line up to 0, with and without a record 1: 3/4 against at most 1/4."""
    n = Decimal(10**8)
    epsilon = evaluated(lambda: n.ln().sqrt() / n.sqrt())
    steep = Decimal(epsilon.upper).exp()
    claimed = evaluated(
        lambda: 2 * (1 + steep) * (2 / PI) ** Decimal("0.25") * _stein(n, 2, 28).sqrt() + Decimal("0.8") / n.sqrt()
    )
    return Violation(
        f"the sum is (ε, δ)-private with ε = {epsilon} and the printed δ",
        "10^8 signs in pairs (e, s e) with one common sign s, and a record 1: the event is a total of at most 0",
        claimed,
        evaluated(lambda: Decimal("0.75") - steep * Decimal("0.25")),
    )


_entry(
    "GK-F4",
    "Fact 4",
    Status.REFUTED,
    covers=("Definition 4", "Fact 4"),
    says="Stein's bound for dependency neighbourhoods: each record is independent of all outside its own",
    holds="with a dependency graph (sets of records without an edge between them are independent), and √8 for √28",
    sketch="The variance term compares pairs of records; a sign common to all pairs is independent of each record.",
    counterexample=_common_sign_distance,
    uses=("numerics.dependent_moments.GraphMoments",),
    tests=(
        "finite/test_refuted.py::test_neighbourhoods_of_dependence_do_not_bound_a_sum",
        "numerics/test_dependent_moments.py::test_the_printed_theorem_is_refuted_and_its_pairs_are_no_graph",
    ),
)
_entry(
    "GK-T3",
    "Theorem 3",
    Status.REFUTED,
    says="sums of locally dependent records are (ε, δ)-private by Stein's bound",
    holds="false even for half-lines; with a dependency graph intervals, and constants only; blocks by their laws",
    sketch="It rests on Fact 4. Where dependence splits into blocks, the other blocks are independent of the target's.",
    counterexample=_common_sign,
    uses=("beliefs.blocks.Blocks", "judge.thresholds.threshold_guarantee"),
    tests=(
        "finite/test_refuted.py::test_neighbourhoods_of_dependence_do_not_bound_a_sum",
        "numerics/test_dependent_moments.py::test_a_graph_hides_constants_only",
        "beliefs/test_blocks.py::test_a_whole_household_moves_the_figure",
    ),
)


@_theorem(
    "GK-O1",
    "Observation 1",
    Status.TRUE,
    says="an attacker who knows some records faces the sum of the others",
    holds="as printed for independent records; knowing more never helps privacy, and the worst subset is searched",
    uses=("beliefs.worst.WorstCurve",),
    tests=(
        "beliefs/test_worst.py::test_knowing_more_never_helps",
        "beliefs/test_worst.py::test_the_worst_known_yes_no_records_are_found",
    ),
    assumes=("records are independent",),
)
def knowing(belief: Independent | IID, epsilon: Number) -> Guarantee:
    """Given the known values the sum is a constant plus the sum of the others; adding an independent record is
    post-processing.
    """
    at = exact(epsilon, name="epsilon")
    return proved(
        Notion.NOISELESS,
        epsilon=around(at, at),
        delta=exact_delta(belief, at),
        because="the law of the records that are not known, for the worst set of known ones",
        source="GK, Observation 1",
        attacker=str(belief),
    )


def _known_noise() -> Violation:
    """N = 10^6, γ = 0.999, ε = 1: the normal part of δ exceeds 4 / (5 √n)."""
    left = Decimal(1000)
    ratio = Fraction(evaluated(lambda: 1 / left.ln().sqrt()).lower)
    return Violation(
        "the normal part of δ is at most 4 / (5 √n)",
        "a million records of which a thousand are not known, ε = 1",
        evaluated(lambda: Decimal("0.0008")),
        GaussianCurve(ratio).delta(Fraction(1)),
    )


_entry(
    "GK-T4",
    "Theorem 4",
    Status.REFUTED,
    says="Theorem 2 with known records: δ has the term 4 / (5 √n)",
    holds="the number of unknown records belongs there; for all events the law of the unknown records is used",
    sketch="It fails for all events as Theorem 2 does, and for intervals by the wrong n.",
    counterexample=_known_noise,
    uses=("beliefs.worst.WorstCurve",),
    tests=("numerics/test_golden.py::test_parity_gives_the_shift_by_one_away_and_halflines_do_not_see_it",),
)


def _count_of(rates: tuple[Fraction, ...]) -> list[Fraction]:
    law = [Fraction(1)]
    for rate in rates:
        stays, moves = [*law, Fraction(0)], [Fraction(0), *law]
        law = [a * (1 - rate) + b * rate for a, b in zip(stays, moves, strict=True)]
    return law


def _greatest_variance() -> Violation:
    """Rates 0.3, 0.4 and 0.7, one of them known, ε = 1."""
    found = []
    for left in ((Fraction(3, 10), Fraction(7, 10)), (Fraction(3, 10), Fraction(4, 10))):
        law = _count_of(left)
        found.append(indistinguishability([*law, Fraction(0)], [Fraction(0), *law], epsilon=1))
    return Violation(
        "the record of greatest variance is the worst to know",
        "three yes/no records at rates 0.3, 0.4 and 0.7 beside the target, ε = 1: knowing 0.4 against knowing 0.7",
        found[0],
        found[1],
    )


_entry(
    "GK-T4-remark",
    "Theorem 4, remark",
    Status.REFUTED,
    covers=("Theorem 4",),
    says="the worst records to know are those of greatest variance",
    holds="false; the worst set is searched, and for yes/no records it is a run of neighbouring rates",
    sketch="Variance decides only for bounds that depend on the variance alone.",
    counterexample=_greatest_variance,
    uses=("beliefs.worst.WorstCurve",),
    tests=("beliefs/test_worst.py::test_the_record_of_greatest_variance_is_not_taken_for_the_worst",),
)


def _twins() -> Violation:
    """Fifty pairs of equal records, one of each known: nothing is left. The printed δ is below 0.149 at n = 10^8."""
    n = Decimal(10**8)
    left = n / 2
    epsilon = evaluated(lambda: left.ln().sqrt() / left.sqrt())
    steep = Decimal(epsilon.upper).exp()
    claimed = evaluated(
        lambda: (
            2 * (1 + steep) * (2 / PI) ** Decimal("0.25") * _stein(left, 2, 26).sqrt() + Decimal("0.8") / left.sqrt()
        )
    )
    pairs = Blocks(values={0: "1/2", 1: "1/2"}, sizes={2: 50}, known=50)
    return Violation(
        f"with one of each of 5·10^7 pairs known, the sum is (ε, δ)-private with ε = {epsilon} and the printed δ",
        "pairs of equal records, one of each known; the number of pairs does not matter",
        claimed,
        exact_delta(pairs, Fraction(epsilon.upper)),
    )


_entry(
    "GK-T5",
    "Theorem 5",
    Status.REFUTED,
    says="Theorem 3 with known records, by the variance of those that are not known",
    holds="the variance given the known records counts; a block with a known record is left out",
    sketch="A record that equals a known one has variance, and hides nothing.",
    counterexample=_twins,
    uses=("beliefs.blocks.Blocks",),
    tests=(
        "finite/test_refuted.py::test_knowing_one_of_each_pair_leaves_nothing_to_hide_in",
        "beliefs/test_blocks.py::test_one_of_each_pair_of_twins_tells_all",
    ),
)


def _two_points_of_noise() -> Violation:
    """A normal total with σ = Δ, and noise that is ±a: near -a it is as if there were no noise, with half the mass."""
    n, size = Decimal(10**6), Decimal(10**9)
    epsilon = evaluated(lambda: (n.ln() * n).sqrt() / (n + size * size).sqrt())
    steep = Decimal(epsilon.upper).exp()
    claimed = evaluated(
        lambda: Decimal("1.12") * 2 * (2 / PI).sqrt() / n.sqrt() * (1 + steep) + Decimal("0.8") / n.sqrt()
    )
    alone = GaussianCurve(Fraction(1)).delta(Fraction(epsilon.upper))
    return Violation(
        f"with noise of variance 10^18 the sum is (ε, δ)-private with ε = {epsilon} and the δ of Theorem 2",
        "a million standard normal records, sensitivity 1000, noise 10^9 or -10^9: a half-line near -10^9",
        claimed,
        Bracket(alone.lower / 2, 1.0),
    )


_entry(
    "GK-T6",
    "Theorem 6",
    Status.REFUTED,
    covers=("Theorem 6", "Observation 2", "Observation 3"),
    says="unbiased noise adds its variance to that of the data, whatever its law",
    holds="noise is judged by its law: the law of the sum with noise, or range, variance and normal noise",
    sketch="Noise of two values hides nothing, whatever its variance. The algebra of the two observations is right.",
    counterexample=_two_points_of_noise,
    uses=("beliefs.worst.WorstCurve", "beliefs.moments.RangeVariance"),
    tests=(
        "beliefs/test_worst.py::test_the_worst_known_yes_no_records_are_found_under_noise",
        "beliefs/test_moments.py::test_an_exact_belief_is_below_the_bound",
    ),
)


def _misprint() -> Violation:
    """The noise that Observation 2 asks for at n = 1350 with σ² = n/10, Δ = 10, ε = 0.2."""
    n = Decimal(1350)
    return Violation(
        "from n = 1350 on no noise is needed",
        "Δ = 10, σ² = n/10, ε = 0.2: the variance of the noise by Observation 2",
        Bracket(0.0, 0.0),
        evaluated(lambda: (100 * n.ln() - Decimal("0.04") * n / 10) / Decimal("0.04")),
    )


_entry(
    "GK-E2",
    "Example 2",
    Status.REPAIRED,
    covers=("Example 2", "Figure 5"),
    says="with σ² = n/10 noise is needed up to n = 1350, and less than Laplace's from n = 1050 on",
    holds="the figure is for σ = n/10: the curves meet at n = 1120, and no noise is needed from n = 1342 on",
    sketch="A misprint of the variance. The formula behind the figure is Theorem 6, which is false for all events.",
    counterexample=_misprint,
)
_entry(
    "GK-figure-6",
    "Figure 6",
    Status.REPAIRED,
    says="how to proceed: measure the data's randomness, add noise if it is not enough",
    holds="a plan must not depend on confidential values; it is `plan(figures, history, question)`; unclear as drawn",
    sketch="Whether noise is added is itself a release. What the chart takes its parameters from is unclear.",
    uses=("plan.plan",),
    tests=(
        "edges/test_blind.py::test_the_decision_is_the_same_whatever_the_confidential_columns_hold",
        "judgement/test_regressions.py::test_a_share_known_in_every_published_group_may_lie_wholly_in_a_difference_of_two",
        "planning/test_plan.py::test_rounding_is_chosen_where_it_costs_less_than_noise",
    ),
)


# -- who depends on whom -----------------------------------------------------------------------------------------------


def _parity_of_three() -> Violation:
    """Three bits with an even sum: every two are independent, and any two tell the third."""
    world = Finite.weighted([(0, 1)] * 3, lambda row: 1 - row.count(1) % 2)
    said, true = (1 if not dependent_pairs(world) else 2), max(map(len, independent_blocks(world)))
    return Violation(
        "tests for independence of records, such as χ², tell how many depend on each other at most",
        "three bits whose sum is even; every test of two of them finds nothing",
        Bracket(said, said),
        Bracket(true, true),
    )


_entry(
    "GK-S2.2",
    "Section 2.2, independence tests",
    Status.REFUTED,
    covers=("Section 2.2",),
    says="how many records depend on each other at most may come from tests for independence on the data",
    holds="for a stated law the finest independent groups are worked out exactly; no test finds them: one table is one "
    "draw of all records, and tests of pairs miss what three tell together",
    sketch="A law that is a product over two ways to split the records is one over what both have in common.",
    counterexample=_parity_of_three,
    uses=(
        "papers.definitions.dependence.independent_blocks",
        "papers.definitions.dependence.dependent_pairs",
    ),
    tests=("theorems/test_conditions.py::test_groups_of_records_that_depend_on_each_other_are_found",),
)
