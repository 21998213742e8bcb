"""The fundamentals: randomised response, the first definition, and what it means for beliefs (the chapter)."""

import math
from collections.abc import Hashable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial

from dalenius.basics.errors import require
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Number, exact
from dalenius.facts.statistics import Count
from dalenius.mechanisms.channel import rational_geometric
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.papers.attacks.first_attempt import moved_belief
from dalenius.papers.definitions.finite import Neighbours
from dalenius.papers.definitions.kanonymity import GeneralisedTable
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.theorems.papers import CH
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem
from dalenius.papers.worlds import Finite

_entry = partial(entry, paper=CH)
_theorem = partial(theorem, paper=CH)


def _nonnegative(value: Number, name: str) -> Fraction:
    found = exact(value, name=name)
    require(found >= 0, f"{name} of at least 0", got=value)
    return found


# -- tables ------------------------------------------------------------------------------------------------------------

_entry(
    "CH-figures",
    "Figures 1 and 2",
    Status.TRUE,
    covers=("Figure 1", "Figure 2"),
    says="a 4-anonymous and a 6-anonymous table that together tell a patient's condition",
    holds="as printed: three and four conditions are left, and one is in both",
    sketch="Intersect the conditions of the two classes that the patient can be in.",
    uses=("papers.definitions.kanonymity.candidates_in_all",),
    tests=("finite/test_kanonymity.py::test_the_two_figures_leave_one_condition",),
)


def _gaps() -> Violation:
    """A record of the outside table aged 40: the classes are "<40" and ">40"."""
    rows = [("<40", "flu"), ("<40", "cancer"), (">40", "flu"), (">40", "cancer")]
    table = GeneralisedTable.read(("age",), rows)
    matched = len(table.candidates({"age": 40}))
    return Violation(
        "a record of an outside table fails to match k rows in 0 cases",
        f"a {table.k}-anonymous table with the classes <40 and >40, and a person aged 40, who matches {matched} rows",
        Bracket(0.0, 0.0),
        Bracket(1.0, 1.0) if matched < table.k else Bracket(0.0, 0.0),
    )


_entry(
    "CH-k",
    "Section 1, k-anonymity",
    Status.REPAIRED,
    covers=("Section 1",),
    says="in a k-anonymous table each record matches at least k records of another table",
    holds="an outside record that matches one row matches at least k rows",
    sketch="Rows of one class are alike in all columns that anybody else may know; classes may leave gaps.",
    counterexample=_gaps,
    uses=("papers.definitions.kanonymity.GeneralisedTable.k",),
    tests=("finite/test_kanonymity.py::test_a_table_agrees_with_counting",),
)

# -- randomised response -----------------------------------------------------------------------------------------------

_entry(
    "CH-P2.1",
    "Proposition 2.1",
    Status.SHARPENED,
    covers=("Algorithm 1", "Equation 1", "Proposition 2.1", "Exercise 2.2"),
    says="from answers that are right with probability 3/4 the total is estimated to within O(√n)",
    holds="the root mean square error of 2 ΣY - n/2 is √(3n)/2, whatever the data",
    sketch="Each answer has variance 3/16 and mean 1/4 + x/2; answers are independent.",
    uses=("mechanisms.randomized_response.RandomizedResponse.estimate",),
    tests=(
        "finite/test_golden.py::test_the_error_of_randomised_response",
        "stated/test_randomized_response.py::test_golden_estimate",
    ),
)


def _flipped_record() -> Violation:
    """φ(x) = 1 if |x - 1/2| > 1: then φ(1 - x) = φ(x), and the answer is always right."""

    def phi(x: Fraction) -> int:
        return int(abs(x - Fraction(1, 2)) > 1)

    world = Finite.table({(0,): "1/2", (2,): "1/2"})
    wrong = Fraction(evaluated(lambda: 1 / (Decimal(1).exp() + 1)).upper)

    def printed(row: tuple[Hashable, ...]) -> Mapping[Hashable, Number]:
        kept, flipped = phi(Fraction(str(row[0]))), phi(1 - Fraction(str(row[0])))
        return {kept: Fraction(1)} if kept == flipped else {kept: 1 - wrong, flipped: wrong}

    found = Neighbours.replace(world).epsilon(FiniteMechanism.random(printed, world)).value
    return Violation(
        "randomised response is ε-differentially private",
        "ε = 1, records 0 and 2, φ(x) = 1 if |x - 1/2| > 1",
        Bracket(1.0, 1.0),
        found,
    )


_entry(
    "CH-A2",
    "Algorithm 2",
    Status.REPAIRED,
    says="with probability 1 / (e^ε + 1) the answer is φ(1 - x)",
    holds="it must be 1 - φ(x): the answer is flipped, not the record",
    sketch="If φ(1 - x) = φ(x) the printed answer is always right, and nothing is hidden.",
    counterexample=_flipped_record,
    tests=("finite/test_golden.py::test_algorithm_2_as_printed_publishes_a_bit_in_clear",),
)
_entry(
    "CH-P2.3",
    "Proposition 2.3",
    Status.SHARPENED,
    covers=("Proposition 2.3", "Exercise 2.4"),
    says="the total is estimated to within e^(ε/2) / (e^ε - 1) √n",
    holds="with equality, whatever the data: √n / (2 sinh(ε/2))",
    sketch="aY - b with a = (e^ε + 1)/(e^ε - 1) and b = 1/(e^ε - 1) has mean φ(x) and the same variance for all x.",
    uses=("mechanisms.randomized_response.RandomizedResponse.rmse",),
    tests=(
        "finite/test_golden.py::test_the_error_of_randomised_response",
        "stated/test_randomized_response.py::test_the_estimate_is_unbiased_and_its_error_does_not_depend_on_the_data",
    ),
)
_entry(
    "CH-X2.5",
    "Exercise 2.5",
    Status.SHARPENED,
    says="an error of t (e^ε + 1)/(e^ε - 1) √n or more has probability at most 2 exp(-c t²)",
    holds="c = 2 for every t, and better ε coth(ε/2)",
    sketch="Hoeffding's inequality for the first, that of Kearns and Saul for the second.",
    uses=("mechanisms.randomized_response.RandomizedResponse.tail_bound",),
    tests=("stated/test_randomized_response.py::test_golden_tails",),
)
_entry(
    "CH-X2.6",
    "Exercise 2.6",
    Status.TRUE,
    says="how many records a wanted accuracy of the mean needs",
    holds="n = ⌈1 / (4 sinh²(ε/2) α²)⌉; half of α needs four times as many, half of ε needs 4 cosh²(ε/4) times as many",
    sketch="The standard deviation of the mean is 1 / (2 sinh(ε/2) √n).",
    uses=("mechanisms.randomized_response.RandomizedResponse.sample_size",),
    tests=("stated/test_randomized_response.py::test_golden_sample_sizes",),
)

# -- differential privacy ----------------------------------------------------------------------------------------------

_entry(
    "CH-D3.1",
    "Definition 3.1",
    Status.TRUE,
    covers=("Definition 3.1", "Figure 3"),
    says="ε-differential privacy for data of a fixed size",
    holds="as printed: neighbours differ in the value of one record",
    sketch="The definition is the special case of one attacker for each dataset, who knows all records but one.",
    uses=("papers.definitions.finite.Neighbours.epsilon",),
    tests=("finite/test_differential.py::test_epsilon_and_delta_are_those_of_the_worst_pair",),
)


@_theorem(
    "CH-P3.2",
    "Proposition 3.2",
    Status.TRUE,
    says="randomised response with probability e^ε / (e^ε + 1) is ε-differentially private",
    holds="exactly ε",
    uses=("papers.definitions.finite.Neighbours.epsilon",),
    tests=("finite/test_examples.py::test_proposition_3_2_randomised_response",),
)
def randomised_response(epsilon: Number) -> Guarantee:
    """Only one factor of the product over records changes, by e^ε at most, and by e^ε for one of the two answers."""
    at = _nonnegative(epsilon, "epsilon")
    return proved(
        Notion.DIFFERENTIAL,
        epsilon=around(at, at),
        because="one answer changes, and its two probabilities have ratio e^ε",
        source="CH, Proposition 3.2",
        release="randomised response",
    )


@_theorem(
    "CH-X3.3",
    "Exercise 3.3",
    Status.TRUE,
    says="for discrete outputs it is enough to compare each output",
    holds="as printed, and for densities too",
    uses=("papers.definitions.finite.Neighbours.epsilon",),
    tests=("finite/test_differential.py::test_epsilon_and_delta_are_those_of_the_worst_pair",),
)
def by_output(mechanism: FiniteMechanism, *, world: Finite) -> Guarantee:
    """The probability of an event is the sum over its outputs, and a sum of inequalities is one."""
    return proved(
        Notion.DIFFERENTIAL,
        epsilon=Neighbours.replace(world).epsilon(mechanism).value,
        because="the largest ratio of an output's two probabilities, over all neighbours",
        source="CH, Exercise 3.3",
    )


_entry(
    "CH-X3.4",
    "Exercise 3.4",
    Status.TRUE,
    says="between what a probability can lie on a neighbouring dataset",
    holds="from max(p/e^ε, 1 - e^ε (1 - p)) to min(e^ε p, 1 - (1 - p)/e^ε); both ends are attained",
    sketch="The event and its complement give two inequalities each.",
    uses=("claims.conversions.belief_range",),
    tests=("finite/test_conversions.py::test_beliefs_stay_in_the_range_of_exercise_3_4",),
)


@_theorem(
    "CH-4.1",
    "Theorem 4.1",
    Status.TRUE,
    covers=("Theorem 4.1", "Exercise 4.2"),
    says="posteriors with a record and without it are within e^(2ε), for every prior",
    holds="as printed; a supremum for two records or more, and ε for one",
    uses=("papers.definitions.semantic.largest_ratio",),
    tests=("finite/test_semantic.py::test_theorem_4_1_on_the_xor_of_two_bits",),
)
def posterior_ratio(epsilon: Number) -> Guarantee:
    """The ratio of posteriors is a ratio of output probabilities, within e^±ε, over a mean of such ratios."""
    at = _nonnegative(epsilon, "epsilon")
    return proved(
        Notion.RATIO,
        epsilon=around(2 * at, 2 * at),
        because="a ratio within e^±ε over the mean of such ratios",
        source="CH, Theorem 4.1",
    )


_entry(
    "CH-smoking",
    "Section 4, smoking and cancer",
    Status.TRUE,
    covers=("Section 4",),
    says="a study teaches about Alice what it would teach without her",
    holds="as told: the posterior about her moves as far if her record is left out",
    sketch="The study tells which of two laws all records follow; her own record changes that little.",
    uses=("papers.definitions.games.Games",),
    tests=("finite/test_examples.py::test_what_smoking_teaches_about_alice_by_hand",),
)

# -- additive secrecy --------------------------------------------------------------------------------------------------


def _one_of_two() -> Violation:
    """Publish one of n = 2 records: useful, and δ is not above 1/n. The printed inequality is 1/n < δ."""
    world = Finite.product([{0: "1/2", 1: "1/2"}] * 2)
    release = FiniteMechanism.random(lambda row: {(i, bit): Fraction(1, 2) for i, bit in enumerate(row)}, world)
    secrecy = Neighbours.replace(world).additive_secrecy(release).value
    return Violation(
        "a useful release has 1/n below its δ, so 1/n - δ is below 0",
        "one of two records, drawn at random, in clear",
        Bracket(-math.ulp(1.0), -math.ulp(0.0)),
        Bracket(0.5 - secrecy.upper, 0.5 - secrecy.lower),
    )


@_theorem(
    "CH-additive",
    "Section 4.1, additive secrecy",
    Status.REPAIRED,
    covers=("Section 4.1",),
    says="additive secrecy composes, and useful releases need δ above 1/n",
    holds="δs add up; δ of order 1/n is needed, and 1/n itself is attained by publishing one record",
    counterexample=_one_of_two,
    uses=("papers.definitions.finite.Neighbours.additive_secrecy",),
    tests=("finite/test_examples.py::test_additive_secrecy_composes",),
)
def both(first: Number, second: Number) -> Guarantee:
    """Total variation of pairs is at most the sum: change one part at a time."""
    one, other = _nonnegative(first, "first"), _nonnegative(second, "second")
    return proved(
        Notion.ADDITIVE,
        delta=evaluated(lambda: decimal(min(one + other, Fraction(1)))),
        because="two releases about the same data, with independent coins",
        source="CH, Section 4.1",
    )


@_theorem(
    "CH-4.3",
    "Exercise 4.3",
    Status.TRUE,
    says="naming each record with probability δ is δ-additively secret, and tells some records in clear",
    holds="total variation exactly δ; some record is out with probability 1 - (1 - δ)^n; no ε whatever",
    uses=("papers.definitions.finite.Neighbours.additive_secrecy",),
    tests=(
        "finite/test_examples.py::test_name_and_shame_is_additively_secret_and_tells_all",
        "finite/test_examples.py::test_name_and_shame_breaks_theorem_4_1_whenever_it_publishes",
    ),
)
def name_and_shame(delta: Number) -> Guarantee:
    """Unless the changed record is named, which has probability δ, the output is the same."""
    chance = _nonnegative(delta, "delta")
    require(chance <= 1, "a probability", got=delta)
    return proved(
        Notion.ADDITIVE,
        delta=around(chance, chance),
        because="the output changes only if the changed record is named",
        source="CH, Exercise 4.3",
        release="each record in clear with probability δ",
        breaks=("it is not differentially private: a record that is named is told",),
    )


def _half() -> Violation:
    """1/x - 1/(e^x - 1) tends to 1/2; of order x² would mean below x at small x."""
    x = Fraction(1, 1000)
    gap = evaluated(lambda: 1 / decimal(x) - 1 / (decimal(x).exp() - 1))
    return Violation("1/x - 1/(e^x - 1) is of order x², so below x once x is small", "x = 1/1000", around(x, x), gap)


_entry(
    "CH-e^x",
    "Appendix A",
    Status.REPAIRED,
    covers=("Appendix A", "Figure 4"),
    says="bounds on e^x: 1/(e^x - 1) ≥ 1/x - O(x²), 1/(1 - e^-x) ≤ 1/x + O(x²), e^x > 1 + x",
    holds="1/x - 1/2 ≤ 1/(e^x - 1) ≤ 1/x - 1/2 + x/12, 1/x + 1/2 ≤ 1/(1 - e^-x) ≤ 1/x + 1/2 + x/12, e^x ≥ 1 + x",
    sketch="The expansions begin 1/x ± 1/2 + x/12, and their remainders alternate. No function here needs them.",
    counterexample=_half,
)


# -- the first attempt -------------------------------------------------------------------------------------------------


def _alice() -> Violation:
    """Ten people, noise of ratio 1/3 on how many are ill: ln 3-differentially private. Alice is not among them."""
    world = Finite.product([{0: "1/2", 1: "1/2"}] * 10)
    noisy = FiniteMechanism.of(Count() >> rational_geometric("1/3"), world)
    moved = moved_belief(noisy, world)
    if moved is None:
        raise AssertionError("the noisy count tells something")
    return Violation(
        "no belief about Alice moves, whatever is known ahead",
        "a noisy count of ten people, to somebody who knows that Alice is ill if all of them are, and else nobody",
        around(moved.prior, moved.prior),
        around(moved.posterior, moved.posterior),
    )


_entry(
    "CH-first",
    "Section 4, the first attempt",
    Status.TRUE,
    covers=("Section 4, a first attempt",),
    says="that no attacker's belief about Alice changes cannot be promised by a release that is of use",
    holds="exactly: some attacker's belief about her moves unless the output has the same law on all data",
    sketch="Two datasets with different laws of the output, and an attacker torn between them who ties Alice to one.",
    counterexample=_alice,
    uses=("papers.attacks.first_attempt.moved_belief",),
    tests=("attacks/test_first_attempt.py::test_some_belief_moves_unless_the_output_tells_nothing",),
)
