"""Pufferfish, continued: secrets to within an error, composition, and deterministic constraints."""

import itertools
from collections.abc import Callable, Hashable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial

from dalenius.basics.errors import PreconditionError, require
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.papers.definitions.composability import composition
from dalenius.papers.definitions.finite import Neighbours
from dalenius.papers.definitions.instances import aggregate, public_count
from dalenius.papers.definitions.pufferfish import Fact, Pufferfish, independent_given, two_points
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.theorems.km import answering, power, stated
from dalenius.papers.theorems.papers import KM
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem
from dalenius.papers.worlds import Dataset, Finite

_entry = partial(entry, paper=KM)
_theorem = partial(theorem, paper=KM)

# -- to within an error ------------------------------------------------------------------------------------------------


@_theorem(
    "KM-L8.1",
    "Lemma 8.1",
    Status.TRUE,
    says="Laplace noise of scale 4k/ε hides each value to within ±k, from attackers who hold records independent",
    holds="as printed, and attained by attackers torn between y - k and nearly y + 3k",
    uses=("papers.definitions.instances.absolute_error", "mechanisms.margins.SumWithin"),
    tests=(
        "finite/test_instances.py::test_laplace_noise_of_scale_four_k_protects_to_within_k",
        "stated/test_margins.py::test_the_definition_on_finite_worlds_agrees",
    ),
    assumes=("attackers hold the records independent",),
)
def to_within(k: Number, *, scale: Number) -> Guarantee:
    """Two neighbouring intervals of length 2k hold values less than 4k apart, so the two worlds couple within 4k."""
    width, noise = exact(k, name="k"), exact(scale, name="scale")
    require(width > 0 and noise > 0, "k and a scale above 0", got=(k, scale))
    return proved(
        Notion.PUFFERFISH,
        epsilon=around(4 * width / noise, 4 * width / noise),
        because="values of neighbouring intervals are less than 4k apart",
        source="KM, Lemma 8.1",
        release="a sum with Laplace noise",
        hides="each value, to within ±k",
    )


def _factor_ten() -> Violation:
    """C = 0.1 puts the ends of [cy, y/c) a factor 100 apart; within 10 % would be at most 1.1/0.9."""
    return Violation(
        "values within 10 % of each other's centre are at most a factor 1.1/0.9 apart",
        "the interval [cy, y/c) at c = 0.1",
        evaluated(lambda: Decimal("1.1") / Decimal("0.9")),
        evaluated(lambda: 1 / Decimal("0.01")),
    )


@_theorem(
    "KM-S8.1.2",
    "Section 8.1.2",
    Status.REPAIRED,
    says="to protect values to within 10 %, set c = 0.1 and add noise to the logarithm",
    holds="c = 0.9 (or 1/1.1): noise of scale -4 ln(c)/ε on the logarithm",
    counterexample=_factor_ten,
    uses=("papers.definitions.instances.relative_error", "mechanisms.margins.GeometricMeanWithin"),
    tests=(
        "finite/test_instances.py::test_relative_error_is_absolute_error_on_a_logarithmic_scale",
        "stated/test_margins.py::test_golden_relative_margin",
    ),
    assumes=("attackers hold the records independent", "one value, published as its logarithm plus noise"),
)
def to_within_share(c: Number, *, scale: Number) -> Guarantee:
    """On the logarithm it is Lemma 8.1 with k = -ln c."""
    share, noise = exact(c, name="c"), exact(scale, name="scale")
    require(0 < share < 1 and noise > 0, "c between 0 and 1, and a scale above 0", got=(c, scale))
    return proved(
        Notion.PUFFERFISH,
        epsilon=evaluated(lambda: -4 * decimal(share).ln() / decimal(noise)),
        because="Lemma 8.1 on the logarithm",
        source="KM, Section 8.1.2, repaired",
        release="the logarithm of a value with Laplace noise",
        hides=f"a value, to within a factor {share}",
    )


def _cycle(cycle: list[Dataset]) -> Callable[[Dataset, Dataset], int]:
    def distance(a: Dataset, b: Dataset) -> int:
        gap = abs(cycle.index(a) - cycle.index(b))
        return 0 if not gap else 1 if gap in {1, len(cycle) - 1} else 2

    return distance


def _hybrids() -> Violation:
    """Two records on a cycle of six datasets: a product belief on two of them is on their hybrids too."""
    cycle: list[Dataset] = [(0, 0), (0, 1), (0, 2), (1, 2), (1, 0), (1, 1)]
    world = Finite.product([dict.fromkeys((0, 1), "1/2"), dict.fromkeys((0, 1, 2), Fraction(1, 3))])
    steps: dict[Dataset, Fraction] = {(0, 0): Fraction(1, 2), (1, 1): Fraction(-1, 2)}
    mechanism = answering(world, {row: Fraction(1, 10) * power(steps.get(row, Fraction(0))) for row in cycle})
    parts = [[part for size in (1, 2, 3) for part in itertools.combinations(d, size)] for d in ((0, 1), (0, 1, 2))]
    beliefs = [
        independent_given(world, [{v: Fraction(1, len(part)) for v in part} for part in both])
        for both in itertools.product(*parts)
    ]
    return Violation(
        "Pufferfish about aggregates at ε implies the same ratio for any two datasets within the distance",
        "two records, six datasets on a cycle; all beliefs that are even on products of subsets",
        aggregate(beliefs, _cycle(cycle), distance=1).epsilon(mechanism).value,
        Neighbours.within(world, _cycle(cycle), distance=1).epsilon(mechanism).value,
    )


def _long_way() -> Violation:
    """One record on a cycle of twelve: neighbours are one step apart, and balls reach everywhere."""
    cycle: list[Dataset] = [(k,) for k in range(12)]
    world = Finite.product([dict.fromkeys(range(12), Fraction(1, 12))])
    mechanism = answering(
        world, {row: Fraction(1, 10) * power(Fraction(min(k, 12 - k), 10)) for k, row in enumerate(cycle)}
    )
    beliefs = two_points(Neighbours.any_two(world))
    single = Neighbours.within(world, _cycle(cycle), distance=1).epsilon(mechanism).value
    return Violation(
        "the same ratio for datasets within the distance implies 4ε-Pufferfish about aggregates",
        "one record with twelve values on a cycle, any two of which are within twice the distance",
        Bracket(4 * single.lower, 4 * single.upper),
        aggregate(beliefs, _cycle(cycle), distance=1).epsilon(mechanism).value,
    )


_entry(
    "KM-T8.1",
    "Theorem 8.1",
    Status.REFUTED,
    covers=("Theorem 8.1", "Definition 8.2", "Definition 8.3"),
    says="privacy about aggregates implies the modified definition of Zhou, Ligett and Wasserman",
    holds="only for datasets that differ in one record, or if all beliefs are allowed",
    sketch="A product belief that supports two datasets supports their hybrids, which may be on the same side.",
    counterexample=_hybrids,
    uses=("papers.definitions.instances.aggregate", "papers.definitions.finite.Neighbours.within"),
    tests=("finite/test_instances.py::test_a_ball_does_not_imply_zlw",),
)
_entry(
    "KM-T8.1-converse",
    "Theorem 8.1, converse",
    Status.REFUTED,
    covers=("Theorem 8.1",),
    says="the modified definition implies 4ε-Pufferfish about aggregates",
    holds="3ε, if any two datasets within three times the distance are joined by three short steps",
    sketch="The distance need not be reached by short steps through datasets that are there.",
    counterexample=_long_way,
    uses=("papers.definitions.instances.aggregate", "papers.definitions.finite.Neighbours.within"),
    tests=("finite/test_instances.py::test_zlw_does_not_imply_a_ball",),
)

# -- composition -------------------------------------------------------------------------------------------------------


@_theorem(
    "KM-T9.1-DP",
    "Theorem 9.1, differential privacy",
    Status.TRUE,
    covers=("Theorem 9.1",),
    says="differentially private releases compose: the ε add up",
    holds="as printed; (3) means ε₁",
    uses=("papers.definitions.finite.Neighbours.epsilon",),
    tests=("finite/test_pufferfish.py::test_composing_definitions_add_up",),
)
def together(first: Number, second: Number) -> Guarantee:
    """On neighbouring datasets each factor of the joint probability changes by at most its e^ε."""
    at = sum((Fraction(stated(part, "ε").upper) for part in (first, second)), Fraction(0))
    return proved(
        Notion.DIFFERENTIAL,
        epsilon=around(at, at),
        because="two releases about the same data, with independent coins",
        source="KM, Theorem 9.1",
    )


def _changes_sides() -> Violation:
    """One record, a or b; noisy counts of those with a and of those with b: to replace it moves both."""
    world = Finite.product([{"a": "1/2", "b": "1/2"}])
    third = Fraction(1, 3)

    def noisy(value: Hashable, wanted: str) -> dict[Hashable, Fraction]:
        return {1: 1 - third, 0: third} if value == wanted else {1: third, 0: 1 - third}

    def both(row: Dataset) -> dict[Hashable, Fraction]:
        one, two = (noisy(row[0], wanted) for wanted in ("a", "b"))
        return {(i, j): p * q for i, p in one.items() for j, q in two.items()}

    replaced = Neighbours.replace(world)
    single = replaced.epsilon(FiniteMechanism.random(lambda row: noisy(row[0], "a"), world)).value
    return Violation(
        "counts of the records with a and of those with b, each ε-private, are ε-private together",
        "one record that may be replaced: it leaves one part and comes to the other",
        single,
        replaced.epsilon(FiniteMechanism.random(both, world)).value,
    )


@_theorem(
    "KM-T9.1-parallel",
    "Theorem 9.1, parallel composition",
    Status.REPAIRED,
    covers=("Theorem 9.1",),
    says="releases about two datasets without common records have the larger ε of the two",
    holds="the larger ε, if who belongs to which part does not depend on what is hidden; else a record that moves from "
    "one part to the other costs both",
    counterexample=_changes_sides,
    uses=("papers.definitions.finite.Neighbours.epsilon",),
    tests=("finite/test_scale.py::test_parallel_releases_have_the_larger_epsilon_if_nobody_changes_sides",),
    assumes=("which records are in which part is public", "the two releases have independent coins"),
)
def apart(first: Number, second: Number) -> Guarantee:
    """Neighbouring data differ in one part; the factor of the other part cancels."""
    at = max(Fraction(stated(part, "ε").upper) for part in (first, second))
    return proved(
        Notion.DIFFERENTIAL,
        epsilon=around(at, at),
        because="a record is in one of two parts, and the release about the other does not change",
        source="KM, Theorem 9.1, part 2",
        assumes=("which records are in which part is public",),
    )


def _undetermined() -> Violation:
    """Three datasets, an even belief: the law given {a, b} is the mean of those given a and given b, so its constraint
    follows from theirs, and for these each secret leaves one dataset.
    """
    world = Finite.product([dict.fromkeys((0, 1, 2), Fraction(1, 3))])
    rest, points = Fact.record_is(world, 0, 2), [Fact.record_is(world, 0, value) for value in (0, 1)]
    either = Fact.record_in(world, 0, (0, 1), "a or b")
    sure = Pufferfish(tuple((fact, rest) for fact in points), (world,))
    if composition(sure).linear is not True:
        raise AssertionError("each of these secrets leaves one dataset")
    left = float(either.where.sum())
    return Violation(
        "where releases compose, each secret leaves at most 1 dataset possible",
        "three datasets, the secrets {a, b}, {a} and {b} against {c}, which compose since {a} and {b} against {c} do",
        Bracket(1.0, 1.0),
        Bracket(left, left),
    )


@_theorem(
    "KM-T9.1",
    "Theorem 9.1, evolution scenarios",
    Status.REPAIRED,
    covers=("Theorem 9.1", "Corollary 9.4", "Definition 9.2", "Definition 9.3", "Section 9.1"),
    says="a definition composes linearly if and only if each secret leaves one dataset possible",
    holds="if, always; only if, for a single pair of secrets",
    counterexample=_undetermined,
    uses=("papers.definitions.composability.composition", "papers.definitions.together.together"),
    tests=(
        "finite/test_pufferfish.py::test_certain_attackers_compose",
        "finite/test_pufferfish.py::test_an_uncertain_attacker_need_not_break_composition",
        "finite/test_together.py::test_both_releases_are_what_the_sum_over_both_datasets_says",
    ),
)
def composes(definition: Pufferfish, first: Number, second: Number) -> Guarantee:
    """Where each secret leaves one dataset, the two worlds are two datasets, and independent coins make the joint ratio
    a product.
    """
    if composition(definition).linear is not True:
        raise PreconditionError(
            "Linear composition needs attackers for whom each secret leaves one dataset possible, but here one leaves "
            "several. Compute both releases together."
        )
    at = sum((Fraction(stated(part, "ε").upper) for part in (first, second)), Fraction(0))
    return proved(
        Notion.PUFFERFISH,
        epsilon=around(at, at),
        because="each secret leaves one dataset possible, for each attacker",
        source="KM, Theorem 9.1 and Corollary 9.4",
    )


# -- constraints -------------------------------------------------------------------------------------------------------

_entry(
    "KM-E10.5",
    "Example 10.5",
    Status.TRUE,
    covers=("Example 10.1", "Example 10.5"),
    says="the exam queue: noise that is ε-private for neighbours tells a place in the queue with a ratio far above e^ε",
    holds="as printed for two students or more; the noise's density needs its factor ε/2",
    sketch="Under an even belief the first student is there whenever anybody is, so the ratio grows with the queue.",
    uses=("papers.definitions.instances.constrained",),
    tests=("finite/test_instances.py::test_the_exam_queue",),
)


@_theorem(
    "KM-T10.1",
    "Theorem 10.1",
    Status.TRUE,
    covers=("Theorem 10.1", "Definition 10.2", "Definition 10.3", "Definition 10.4"),
    says="under deterministic constraints induced neighbours must be alike",
    holds="as printed: it is necessary; subsets of moves are proper and not empty",
    uses=("papers.definitions.finite.Neighbours.induced",),
    tests=("finite/test_differential.py::test_induced_neighbours_are_those_of_the_definition",),
)
def necessary(mechanism: FiniteMechanism, *, world: Finite) -> Guarantee:
    """Two induced neighbours are the only datasets of some product belief given the constraint."""
    found = proved(
        Notion.PUFFERFISH,
        epsilon=Neighbours.induced(world).epsilon(mechanism).value,
        because="no smaller ε can hold: induced neighbours are told apart by this much",
        source="KM, Theorem 10.1",
        breaks=("it is a lower bound: more may be told",),
    )
    return replace(found, notion=None)  # it promises nothing, so nothing follows from it


def _path() -> Violation:
    """Two records of which one counts; the induced neighbours form a path of four datasets."""
    world = Finite.product([{None: "1/3", "t": "1/3", "u": "1/3"}] * 2).constrained(lambda row: row.count("t") == 1)
    path: list[Dataset] = [("t", "u"), ("t", None), (None, "t"), ("u", "t")]
    mechanism = answering(
        world, {row: Fraction(1, 100) * power(Fraction(3 * (2 - k), 10)) for k, row in enumerate(path)}
    )
    return Violation(
        "what is ε-alike for induced neighbours is ε-Pufferfish for independent records given a count",
        "two records of which exactly one counts, ε = 0.3",
        Neighbours.induced(world).epsilon(mechanism).value,
        public_count(world, lambda value: value == "t").epsilon(mechanism).value,
    )


@_theorem(
    "KM-T10.2",
    "Theorem 10.2",
    Status.REPAIRED,
    covers=("Theorem 10.2", "Lemma L.1", "Lemma L.2"),
    says="for a public count, or a histogram, induced neighbours are enough",
    holds="for a public count four kinds of pairs are exact, and compose; induced neighbours cost up to 3ε",
    counterexample=_path,
    uses=("papers.definitions.finite.Neighbours.count",),
    tests=(
        "finite/test_instances.py::test_induced_neighbours_do_not_protect",
        "finite/test_instances.py::test_the_repaired_relation_is_exact",
    ),
)
def counted(mechanism: FiniteMechanism, *, world: Finite, counts: Callable[[object], bool]) -> Guarantee:
    """Draw the others with one more and with one less that count, independently, and move one of the surplus, chosen
    uniformly: the map keeps the measure, and the two datasets differ in one person.
    """
    return proved(
        Notion.PUFFERFISH,
        epsilon=Neighbours.count(world, counts).epsilon(mechanism).value,
        because="the exact relation for a public count",
        source="KM, Theorem 10.2, repaired",
        attacker="anybody who holds the records independent, given the count",
    )
