"""Pufferfish: the framework, its axioms, and differential privacy inside it (Kifer and Machanavajjhala)."""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import partial

from dalenius.basics.errors import require
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.papers.definitions.composability import correlation_witness
from dalenius.papers.definitions.crowd_blending import crowd_blending, never_below
from dalenius.papers.definitions.finite import Neighbours
from dalenius.papers.definitions.instances import indistinguishable
from dalenius.papers.definitions.pufferfish import Fact, Pufferfish, independent_given, restricted, value_pairs
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.theorems.papers import KM
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem
from dalenius.papers.worlds import Dataset, Finite

_entry = partial(entry, paper=KM)
_theorem = partial(theorem, paper=KM)


def stated(value: Number, name: str) -> Bracket:
    """A number of a hypothesis."""
    found = exact(value, name=name)
    require(found >= 0, f"{name} of at least 0", got=value)
    return around(found, found)


def answering(world: Finite, chances: Mapping[Dataset, Fraction]) -> FiniteMechanism:
    """A yes with these probabilities, else a no."""

    def rows(data: Dataset) -> Mapping[Hashable, Number]:
        return {"yes": chances[data], "no": 1 - chances[data]}

    return FiniteMechanism.random(rows, world)


def power(number: Number) -> Fraction:
    """E to the power of a number, as a fraction to fifteen digits."""
    at = exact(number, name="exponent")
    return Fraction(evaluated(lambda: decimal(at).exp()).upper)


# -- the framework -----------------------------------------------------------------------------------------------------

_entry(
    "KM-D3.4",
    "Definition 3.4",
    Status.TRUE,
    covers=("Definition 3.4", "Example 3.1", "Example 3.2", "Example 3.3", "Section 3.1"),
    says="Pufferfish privacy: the release given two secrets is alike, for every attacker of a class",
    holds="as printed, and the odds between the secrets change by at most e^ε; three classes of attackers as examples",
    sketch="The ratio of posterior and prior odds is the ratio of the two probabilities of the output.",
    uses=("papers.definitions.pufferfish.Pufferfish", "papers.definitions.pufferfish.odds"),
    tests=("finite/test_pufferfish.py::test_pufferfish_is_what_the_definition_says",),
)


@_theorem(
    "KM-T3.1",
    "Theorem 3.1",
    Status.TRUE,
    says="without assumptions about the attacker, no two datasets may be told apart by more than e^ε",
    holds="as printed, in both directions: attackers torn between two datasets are the worst",
    uses=("papers.definitions.instances.no_assumptions",),
    tests=("finite/test_instances.py::test_without_assumptions_no_two_datasets_may_differ",),
)
def no_free_lunch(mechanism: FiniteMechanism, *, world: Finite) -> Guarantee:
    """A belief on two datasets is one of all beliefs, and any other world is a mixture over datasets."""
    return proved(
        Notion.PUFFERFISH,
        epsilon=Neighbours.any_two(world).epsilon(mechanism).value,
        because="the largest ratio over any two datasets",
        source="KM, Theorem 3.1",
        attacker="anybody whatever",
    )


@_theorem(
    "KM-T5.1",
    "Theorem 5.1",
    Status.TRUE,
    covers=("Theorem 5.1", "Axiom 5.1", "Axiom 5.2"),
    says="Pufferfish is kept by post-processing and by choosing at random between two releases",
    holds="as printed",
    uses=("papers.definitions.axioms.post_processing", "papers.definitions.axioms.either"),
    tests=(
        "finite/test_axioms.py::test_one_release_or_the_other_is_as_private_as_the_worse",
        "finite/test_coupled.py::test_post_processing_convexity_and_weaker_sides_hold",
    ),
)
def axioms(epsilon: Number) -> Guarantee:
    """Each output of either release has probabilities within e^ε given the two secrets, and so have sums of them with
    weights that do not depend on the secret.
    """
    return proved(
        Notion.PUFFERFISH,
        epsilon=stated(epsilon, "epsilon"),
        because="sums with weights that the secret does not change",
        source="KM, Theorem 5.1",
    )


# -- differential privacy ----------------------------------------------------------------------------------------------


@_theorem(
    "KM-T6.1",
    "Theorem 6.1",
    Status.TRUE,
    covers=("Theorem 6.1", "Definition 6.1"),
    says="differential privacy is Pufferfish against all attackers who hold records independent",
    holds="as printed, in both directions",
    uses=("papers.definitions.instances.independent",),
    tests=("finite/test_instances.py::test_differential_privacy_is_pufferfish_with_independent_records",),
    assumes=("attackers hold the records independent",),
)
def from_differential(epsilon: Number, delta: Number = 0) -> Guarantee:
    """Given a record's fact the others have the same law, so the two worlds are the same mixture of neighbours."""
    return proved(
        Notion.PUFFERFISH,
        epsilon=stated(epsilon, "epsilon"),
        delta=stated(delta, "delta"),
        because="the same mixture of neighbouring datasets given either fact",
        source="KM, Theorem 6.1",
        attacker="anybody who holds the records independent",
    )


def _present_twins() -> Violation:
    """Two persons who are certainly there, with equal values: no secret about presence is possible."""
    listed = Finite.product([{None: "1/3", "t": "1/3", "u": "1/3"}] * 2)
    same = listed.record_is(0, "t") & listed.record_is(1, "t") | listed.record_is(0, "u") & listed.record_is(1, "u")
    found = correlation_witness(restricted(listed, same), factor=2)
    return Violation(
        "dependent records make some differentially private release fail, so 0 such beliefs are without one",
        "two persons who are certainly there and have equal values: beliefs of this kind for which nothing fails",
        Bracket(0.0, 0.0),
        Bracket(1.0, 1.0) if found is None else Bracket(0.0, 0.0),
    )


_entry(
    "KM-T6.2",
    "Theorem 6.2",
    Status.REPAIRED,
    covers=("Theorem 6.2", "Lemma D.1"),
    says="if any attacker holds records dependent, some differentially private release fails",
    holds="if and only if a record's presence with some value and its absence leave different laws of the others",
    sketch="Where absence is impossible the constraint is void. Else a release that tells the difference exceeds e^ε.",
    counterexample=_present_twins,
    uses=("papers.definitions.composability.correlation_witness",),
    tests=(
        "finite/test_pufferfish.py::test_there_is_a_witness_exactly_when_presence_says_something_about_the_others",
        "finite/test_pufferfish.py::test_correlation_without_uncertain_presence_is_no_witness",
    ),
)


def _other_record() -> Violation:
    """Two of four persons are there: person 0 is, and person 1 is not, which do not exclude each other."""
    world = Finite.product([{None: "1/2", "t": "1/2"}] * 4).constrained(lambda row: row.count(None) == 2)
    steps = {row: sum(value is not None for value in row[2:]) for row in world.datasets()}
    mechanism = answering(world, {row: Fraction(1, 100) * power(step) for row, step in steps.items()})
    odds = [Fraction(1), Fraction(10**24), Fraction(10**12), Fraction(10**12)]
    belief = independent_given(world, [{"t": o / (1 + o), None: 1 / (1 + o)} for o in odds])
    p = mechanism.law(belief, Fact.record_is(world, 0, "t").where)
    q = mechanism.law(belief, Fact.record_is(world, 1, None).where)
    if p is None or q is None:
        raise AssertionError("both secrets are possible")
    return Violation(
        "ε-indistinguishability implies ε for the pairs (person 0 is there, person 1 is not)",
        "two of four persons are there; a yes is likelier with each of the last two",
        Neighbours.modify(world).epsilon(mechanism).value,
        q.epsilon(p),
    )


@_theorem(
    "KM-S6.2",
    "Section 6.2",
    Status.REPAIRED,
    covers=("Section 6.2", "Definition 6.2"),
    says="ε-indistinguishability is Pufferfish with a public number of records, for pairs of any two persons",
    holds="for the presence and the absence of the same person; the pairs of equation 10 as printed cost 2ε",
    counterexample=_other_record,
    uses=("papers.definitions.instances.indistinguishable",),
    tests=(
        "finite/test_instances.py::test_indistinguishability_is_pufferfish_with_a_public_size",
        "finite/test_instances.py::test_the_pairs_of_equation_10_as_printed_cost_twice_as_much",
    ),
)
def public_size(mechanism: FiniteMechanism, *, world: Finite) -> Guarantee:
    """Couple "the others are one more" with "the others are one less" by moving one person, chosen uniformly; the two
    datasets differ in one record.
    """
    return proved(
        Notion.PUFFERFISH,
        epsilon=indistinguishable(world).epsilon(mechanism).value,
        because="datasets that differ in one record are the worst",
        source="KM, Section 6.2, repaired",
        attacker="anybody who holds the records independent, given how many there are",
    )


_entry(
    "KM-S6.3.2",
    "Section 6.3.2",
    Status.TRUE,
    says="k noisy cells whose neighbouring sums are out are k noisy answers about the first: a variance of 2/(kε²)",
    holds="as printed, for Laplace noise; geometric noise has a little less, and the step of a cell is told to kε",
    sketch="Each cell is the first with an alternating sum of what is out; independent noise averages out.",
    uses=("papers.attacks.averaging.Averaging",),
    tests=(
        "attacks/test_averaging.py::test_the_attack_on_many_cells_has_the_variance_that_is_printed",
        "attacks/test_averaging.py::test_what_sums_add_is_what_pufferfish_finds_on_all_tables",
    ),
)


_entry(
    "KM-S11",
    "Section 11",
    Status.TRUE,
    says="the attack on a bucketised table: a posterior of 0.84 from a prior of 0.05",
    holds="0.838983, odds 5.2105 (printed 5.25, from a rounded number), odds ratio exactly 99",
    sketch="Bayes' rule on two records of which one has the condition.",
    uses=("papers.definitions.pufferfish.odds", "papers.attacks.bucketised.BucketisedTable"),
    tests=(
        "finite/test_pufferfish.py::test_de_finetti",
        "attacks/test_bucketised.py::test_the_attack_finds_survivors_in_a_real_table",
    ),
)


def _who_knows_the_size() -> Violation:
    """At most three records, k = 2; Bob is there or not, and everybody knows that there are three."""
    release = never_below(2)
    blending = crowd_blending(release.on(("Bob", "Eve"), 4), ("Bob", "Eve"), k=2, epsilon=0, largest=4)
    world = Finite.table({("Bob", "Eve", "Eve"): "1/2", ("Eve", "Eve", "Eve"): "1/2"})
    there = value_pairs(world)[0]
    told = Pufferfish((there,), (world,)).delta(FiniteMechanism.of(release, world), epsilon=10).value
    return Violation(
        "a crowd-blending mechanism hides who is in the data, whoever asks (here: ε = 0 by the definition)",
        "max(k, records that are not Bob's), k = 2, to an attacker who knows that there are three records",
        Bracket(0.0, 0.0) if blending.holds else Bracket(1.0, 1.0),
        told,
    )


_entry(
    "KM-S4.1",
    "Section 4.1, crowd-blending privacy",
    Status.TRUE,
    covers=("Section 4.1",),
    says="crowd-blending privacy lets through a mechanism that tells who knows the size whether Bob is in the data",
    holds="as printed: the mechanism is crowd-blending with ε = 0, and δ = 1 for that attacker",
    sketch="Bob may be left out unseen, and all others blend; but the count of the others and the size differ by him.",
    counterexample=_who_knows_the_size,
    uses=("papers.definitions.crowd_blending.crowd_blending",),
    tests=("finite/test_crowd_blending.py::test_who_knows_the_size_sees_bob",),
)
