"""Pufferfish, continued: how small δ must be, conditions of other definitions, and constraints of several cells."""

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import partial

from dalenius.basics.errors import require
from dalenius.claims import Guarantee, Notion
from dalenius.claims.conversions import semantic_from_dp
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import decimal, rounded
from dalenius.papers.definitions.finite import Neighbours, spread_of
from dalenius.papers.definitions.instances import constrained
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.theorems.km import answering, power
from dalenius.papers.theorems.papers import KM
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem
from dalenius.papers.worlds import Dataset, Finite

_entry = partial(entry, paper=KM)
_theorem = partial(theorem, paper=KM)
INSIDE = Fraction(10**9 - 1, 10**9)  # of a number that must not be exceeded

# -- how small δ must be -----------------------------------------------------------------------------------------------


def delta_enough(epsilon: Number, *, n: int, above: Number, failing: Number) -> Fraction:
    """A δ of differential privacy with which no belief about n records shifts by more than tanh(ε/2) + `above`, but
    with a chance of `failing`: (1 + e^ε) above failing / (4n), and so of order 1/n.

    >>> delta_enough(1, n=1000, above="0.1", failing="0.01") / delta_enough(1, n=1_000_000, above="0.1", failing="0.01")
    Fraction(1000, 1)
    """
    at, extra, chance = exact(epsilon, name="epsilon"), exact(above, name="above"), exact(failing, name="failing")
    require(n >= 1 and at >= 0, "at least one record and an ε of at least 0", got=(n, epsilon))
    require(extra > 0 and 0 < chance <= 1, "above more than 0, and a chance above 0", got=(above, failing))
    steep = Fraction(rounded(1 + decimal(at).exp()).lower)
    return min(Fraction(1), INSIDE * steep * min(extra, Fraction(2) / steep) * chance / 4) / n


def _a_million_records() -> Violation:
    """The same promise for a thousand and a million records: ε = 1, a shift of 0.1 more, but for one in a hundred."""
    few, many = (n * n * delta_enough(1, n=n, above="0.1", failing="0.01") for n in (1000, 10**6))
    return Violation(
        "δ must shrink like 1/N²: what is enough, times N², is the same for all N",
        "a million records against a thousand, ε = 1, shifts of at most tanh(1/2) + 0.1 but with a chance of 0.01",
        around(few, few),
        around(many, many),
    )


@_theorem(
    "KM-S6.3.1",
    "Section 6.3.1",
    Status.REPAIRED,
    says="a Bayesian analysis shows that δ must be of order 1/N², to keep an attacker from learning a value",
    holds="order 1/N is enough for any fixed shift beyond tanh(ε/2) and any fixed chance of more, and is needed; 1/N² "
    "comes from letting that shift be 2√δ",
    counterexample=_a_million_records,
    uses=("claims.conversions.semantic_from_dp", "papers.mechanisms.bad_examples.somebody_is_shamed"),
    tests=("theorems/test_conditions.py::test_a_delta_of_order_1_over_n_is_enough_and_needed",),
)
def small_enough(epsilon: Number, *, n: int, above: Number, failing: Number) -> Guarantee:
    """A shift by x more than tanh(ε/2) costs about x of δ at each output, in one order or the other, and each of n
    records may be the one. Publishing each record with chance δ lets one out with chance 1 - (1 - δ)^n.
    """
    shift, chance = semantic_from_dp(
        epsilon, delta_enough(epsilon, n=n, above=above, failing=failing), n=n, above=above
    )
    return proved(
        Notion.SEMANTIC,
        epsilon=shift,
        delta=chance,
        because="an output that shifts a belief this far costs at least so much of δ, in one order or the other",
        source="KM, Section 6.3.1, repaired",
    )


# -- conditions of other definitions -----------------------------------------------------------------------------------


def _nobody_else() -> Violation:
    """One record: two datasets that differ in it have no record in common, so that nothing is asked of them."""
    world = Finite.product([{"a": "1/2", "b": "1/2"}])
    telling = FiniteMechanism.random(lambda row: {row[0]: "3/4", "ab"[row[0] == "a"]: "1/4"}, world)

    def anything(_one: Dataset, _two: Dataset) -> int:
        return 1

    return Violation(
        "what is ε-private as Zhou, Ligett and Wasserman define it, for some metric, is ε-private where one record "
        "differs",
        "one record, and a mechanism that tells its value with a chance of 3/4",
        Neighbours.zlw(world, anything, distance=2).epsilon(telling).value,
        Neighbours.constrained(world, anything, distance=1).epsilon(telling).value,
    )


_entry(
    "KM-D8.2",
    "Definition 8.2, its own conditions",
    Status.REPAIRED,
    covers=("Definition 8.2", "Section 8.3"),
    says="constrained privacy is that of Zhou, Ligett and Wasserman with another metric, and its condition that "
    "datasets have a record in common can be had by a metric",
    holds="for two records or more: a metric with distances 1 and 2 says of any pairs which are compared; a single "
    "record has nothing in common with itself changed",
    sketch="Distances of 1 and 2 always satisfy the triangle inequality, so every symmetric relation is a ball.",
    counterexample=_nobody_else,
    uses=("papers.definitions.finite.Neighbours.zlw", "papers.definitions.finite.Neighbours.constrained"),
    tests=("theorems/test_conditions.py::test_a_metric_of_two_distances_says_which_datasets_are_compared",),
)

# -- constraints of several cells --------------------------------------------------------------------------------------


def _three_steps() -> Violation:
    """Three records, one of them in cell t and one in cell u: induced neighbours lead from (t, u, w) to (w, u, t) only
    over datasets in which somebody is absent.
    """
    world = Finite.product([dict.fromkeys((None, "t", "u", "w"), "1/4")] * 3).constrained(
        lambda row: row.count("t") == 1 and row.count("u") == 1
    )
    rows, induced = list(world.datasets()), Neighbours.induced(world)
    pairs = [(rows[one], rows[two]) for one, two in zip(*induced.pairs(), strict=True)]
    steps: dict[Dataset, int] = {("t", "u", "w"): 0}
    while len(steps) < len(rows):
        near = {b: steps[a] + 1 for one in pairs for a, b in (one, one[::-1]) if a in steps and b not in steps}
        steps |= near
    mechanism = answering(world, {row: Fraction(1, 100) * power(Fraction(3 * steps[row], 10)) for row in rows})
    torn: list[dict[Hashable, Number]] = [{"t": "1/2", "w": "1/2"}, {"u": 1}, {"t": "1/2", "w": "1/2"}]
    return Violation(
        "what is ε-alike for induced neighbours is ε-Pufferfish for independent records given a histogram",
        "three records, one in each of two cells, ε = 0.3; an attacker between (t, u, w) and (w, u, t)",
        induced.epsilon(mechanism).value,
        constrained(world, [torn]).epsilon(mechanism).value,
    )


@_theorem(
    "KM-T10.2-cells",
    "Theorem 10.2, several cells",
    Status.REPAIRED,
    covers=("Theorem 10.2",),
    says="the same for a histogram of several cells: induced neighbours are enough",
    holds="exactly, where everybody is there, in one of two cells of which one is counted, and only values are secret; "
    "where presence is secret too they are not enough for several cells either",
    counterexample=_three_steps,
    uses=("papers.definitions.finite.Neighbours.induced",),
    tests=("theorems/test_conditions.py::test_two_cells_of_people_who_are_there_have_the_relation_of_the_paper",),
    assumes=("records are independent, given the count",),
)
def two_cells(mechanism: FiniteMechanism, *, world: Finite, cell: Callable[[Hashable], bool]) -> Guarantee:
    """Draw the others with one more and with one less in the cell, independently, and let one of the surplus, chosen
    uniformly, change sides: the map keeps the measure, and the two datasets differ by one value, or by two people who
    change sides. These are the induced neighbours, since nobody may be absent in between.
    """
    require(None not in world.values, "people who are all there", got="somebody who may be absent")
    counts = {sum(cell(value) for value in row) for row in world.datasets()}
    require(len(counts) == 1, "datasets with one and the same count", got=sorted(counts))
    return proved(
        Notion.PUFFERFISH,
        epsilon=Neighbours.induced(world).epsilon(mechanism).value,
        because="induced neighbours, where nobody may be absent",
        source="KM, Theorem 10.2, repaired",
        hides="the value of each record",
        attacker="anybody who holds the records independent, given the count",
    )


def _too_little_noise() -> Violation:
    """A score of two people of whom exactly one is t: neighbours by the paper move it by 1, an attacker who is torn
    between two datasets sees 3.
    """
    world = Finite.product([{None: "1/3", "t": "1/3", "u": "1/3"}] * 2).constrained(lambda row: row.count("t") == 1)
    scores = ({"t": 0, None: 1, "u": 2}, {"u": 0, None: 1, "t": 1})

    def score(row: Dataset) -> int:
        return sum(one[None if value is None else str(value)] for one, value in zip(scores, row, strict=True))

    said, true = (
        spread_of(score, relation)
        for relation in (Neighbours.induced(world), Neighbours.count(world, lambda value: value == "t"))
    )
    return Violation(
        "Laplace noise of scale s/ε hides a record, where induced neighbours move the figure by at most s",
        "two people of whom exactly one counts, ε = 1; a score that the two of them have together",
        Bracket(1.0, 1.0),
        around(true / said, true / said),
    )


@_theorem(
    "KM-S10.3",
    "Section 10.3, mechanisms under a constraint",
    Status.REPAIRED,
    covers=("Section 10.3",),
    says="what adds noise for induced neighbours bounds an attacker's inference beside a count that is out",
    holds="noise for the largest change of the figure over the repaired relation: one record, or two that change sides",
    counterexample=_too_little_noise,
    uses=("papers.definitions.finite.spread_of", "papers.definitions.finite.Neighbours.count"),
    tests=("theorems/test_conditions.py::test_noise_beside_a_public_count_hides_what_it_says",),
    assumes=("records are independent, given the count", "Laplace noise is drawn as stated"),
)
def noise_beside_a_count(
    figure: Callable[[Dataset], Number], *, world: Finite, counts: Callable[[Hashable], bool], scale: Number
) -> Guarantee:
    """Over each pair of datasets of the relation the figure moves by at most s, which Laplace noise hides to s/scale;
    and that is enough for every attacker (Theorem 10.2, repaired).
    """
    noise = exact(scale, name="scale")
    require(noise > 0, "a scale above 0", got=scale)
    at = spread_of(figure, Neighbours.count(world, counts)) / noise
    return proved(
        Notion.PUFFERFISH,
        epsilon=around(at, at),
        because="the figure moves by no more between datasets that the repaired relation compares",
        source="KM, Section 10.3, repaired",
        release="a figure with Laplace noise, beside a count that is public",
        hides="presence and value of each record",
        attacker="anybody who holds the records independent, given the count",
    )
