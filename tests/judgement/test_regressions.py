"""Ways in which a release once looked safer, or worse, than it is. Each is the smallest case that was found."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import IID, Independent
from dalenius.beliefs.joint import VectorCurve, joint_law
from dalenius.claims import Verdict
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Secret, Value
from dalenius.facts.statistics import Count, Sum
from dalenius.judge.definition import differential_privacy, noiseless
from dalenius.judge.verification import curve, verify
from dalenius.mechanisms import Chain, Rounded, TwoSidedGeometric, two_sided_geometric
from dalenius.plan import Plan, Publish, Question, Target, assess
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from judgement.worlds import CLOSE, World, truth
from oracle.channels import rounded_half_up
from oracle.noiseless import Problem, worst_delta

BIT = Categories(("no", "yes"))
YES = Where((("u", OneOf(("yes",))),))
TEN = Chain((Rounded(10),))
Letters = dict[tuple[int, ...], Fraction]


def bits(
    figures: tuple[Figure, ...],
    *,
    groups: dict[tuple[str, ...], int],
    rate: str = "1/2",
    known: int = 0,
    epsilon: str = "1/2",
    secret: Secret = Value(),  # noqa: B008 - a frozen value
) -> World:
    columns = ("r",) if groups.keys() != {()} else ()
    law = (("no", 1 - Fraction(rate)), ("yes", Fraction(rate)))
    beliefs = (ColumnBelief("u", {(): law}, "test"),)
    return World(Frame(columns, groups), {"u": BIT}, beliefs, figures, secret, known, Fraction(epsilon))


def judged(world: World, delta: str) -> Plan:
    return assess(world.figures, History(), world.question(Fraction(delta))).answer


# -- rounding -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_rounded_counts_are_not_taken_for_differential_privacy() -> None:
    """Rounding has no noise: only around a total of 0 does nothing show, and totals are not 0."""
    world = bits((Figure("f", "count", None, YES, (), TEN), Figure("g", "count", None, YES, (), TEN)), groups={(): 10})
    assert truth(world) > 0.08
    assert not isinstance(judged(world, "1e-6"), Publish)


@pytest.mark.slow
@pytest.mark.parametrize(
    "links", [(Rounded(10), TwoSidedGeometric(Fraction(1))), (TwoSidedGeometric(Fraction(1)), Rounded(10))]
)
def test_rounding_before_or_after_noise_is_judged_at_its_worst_total(links: tuple) -> None:
    figures = tuple(Figure(name, "count", None, YES, (), Chain(links)) for name in "fg")
    world = bits(figures, groups={(): 6}, rate="9/10", epsilon="1/10")
    decision = judged(world, "1/2")
    assert truth(world) <= max(finding.delta.upper for finding in decision.findings) + CLOSE


def test_rounding_alone_is_not_differentially_private() -> None:
    """Four others and the target are 4 or 5, which round to 0 or 10."""
    guarantee = verify(Count() >> Rounded(10), differential_privacy(), epsilon=0.5, delta=1e-6)
    assert guarantee.delta.upper == 1
    assert guarantee.verdict == Verdict.FAIL


def test_rounding_before_noise_is_not_private_at_the_noises_level() -> None:
    """One person may move the rounded count by a whole step: tanh(1/4) at epsilon 1/2, against noise of scale 1."""
    guarantee = verify(
        Count() >> Rounded(10) >> two_sided_geometric(1), differential_privacy(), epsilon=0.5, delta=1e-6
    )
    x, factor = math.exp(-1), math.exp(0.5)
    least = 1 / (1 + x) - factor * x / (1 + x)  # the event "at most 0"
    assert guarantee.delta.upper >= least - CLOSE


def test_noise_before_rounding_is_judged_at_the_total_where_rounding_tells_most() -> None:
    guarantee = verify(
        Count() >> two_sided_geometric(1) >> Rounded(10), differential_privacy(), epsilon=0.5, delta=1e-4
    )
    x, factor = math.exp(-1), math.exp(0.5)
    assert guarantee.delta.upper >= 1 / (1 + x) - factor * x / (1 + x) - CLOSE


@pytest.mark.parametrize(
    ("records", "domain", "base", "epsilon"),
    [
        (
            [({1: "5/7", 3: "1/14", 6: "3/14"}, 3), ({6: "1"}, 1), ({1: "1/3", 3: "1/3", 6: "1/3"}, 1)],
            (1, 3, 6),
            4,
            "1/2",
        ),
        (
            [({3: "1/2", 6: "1/2"}, 2), ({2: "1/12", 3: "5/6", 6: "1/12"}, 2), ({2: "1/12", 3: "1/12", 6: "5/6"}, 3)],
            (2, 3, 6),
            7,
            "2",
        ),
    ],
)
def test_a_rounded_sum_over_several_types_of_record_is_bounded_from_above(
    records: list[tuple[dict[int, str], int]], domain: tuple[int, ...], base: int, epsilon: str
) -> None:
    """A family of removals is bounded by its union, but then what the union adds is known too, not zero."""
    laws = [({value: Fraction(chance) for value, chance in law.items()}, count) for law, count in records]
    belief = Independent(groups=laws, domain=domain)
    bracket = curve(Sum() >> Rounded(base), noiseless(belief)).delta(Fraction(epsilon))
    people = [law for law, count in laws for _ in range(count)]
    exact = worst_delta(Problem(people, domain=domain, channel=rounded_half_up(base)), Fraction(epsilon))
    assert exact.lower <= bracket.upper + Fraction(1, 10**12)
    assert bracket.lower <= exact.upper + Fraction(1, 10**12)


@pytest.mark.parametrize(
    ("records", "domain", "base", "known", "secret"),
    [
        ([({2: "1"}, 1), ({3: "1"}, 3)], (2, 3), 5, 1, "presence"),
        ([({2: "3/4", 4: "1/4"}, 1), ({4: "1"}, 3)], (2, 4), 7, 1, "value"),
        ([({0: "3/4", 3: "1/4"}, 3), ({0: "10/21", 1: "10/21", 3: "1/21"}, 2)], (0, 1, 3), 3, 2, "value"),
    ],
)
def test_known_records_have_only_values_that_they_can_have(
    records: list[tuple[dict[int, str], int]], domain: tuple[int, ...], base: int, known: int, secret: str
) -> None:
    """Otherwise a rounded figure fails for a total that no attacker can ever meet."""
    from dalenius.facts.secret import Presence

    laws = [({value: Fraction(chance) for value, chance in law.items()}, count) for law, count in records]
    belief = Independent(groups=laws, domain=domain, known=known)
    asked = noiseless(belief, secret=Value() if secret == "value" else Presence())
    bracket = curve(Sum() >> Rounded(base), asked).delta(Fraction(0))
    people = [law for law, count in laws for _ in range(count)]
    exact = worst_delta(
        Problem(people, domain=domain, channel=rounded_half_up(base), known=known, secret=secret), Fraction(0)
    )
    assert exact.lower <= bracket.upper + Fraction(1, 10**12)
    assert bracket.lower <= exact.upper + Fraction(1, 10**12)


def test_a_chance_too_small_for_a_float_beside_one_is_not_forgotten() -> None:
    """Five others who are almost surely 1: with probability 5e-20 one is not, and 4 or 5 rounds to 0 or 10."""
    chance = 1 - Fraction(1, 10**20)
    bracket = curve(Count() >> Rounded(10), noiseless(IID(chance, n=6))).delta(Fraction(1, 2))
    assert bracket.upper >= 4.9e-20


# -- the joint law of several figures -------------------------------------------------------------------------------


def convolved(letters: Letters, count: int) -> Letters:
    law: Letters = {(0,) * len(next(iter(letters))): Fraction(1)}
    for _ in range(count):
        following: Letters = defaultdict(Fraction)
        for (a, p), (b, q) in itertools.product(law.items(), letters.items()):
            following[tuple(x + y for x, y in zip(a, b, strict=True))] += p * q
        law = dict(following)
    return law


LETTERS = [
    {(2, -1): "5/12", (1, 2): "1/24", (2, 1): "5/12", (1, 1): "1/48", (0, -1): "5/48"},
    {(2, 1): "5/52", (0, 0): "5/13", (1, 1): "5/52", (0, 2): "1/26", (0, -1): "5/13"},
    {(0, 0): "1/12", (0, 1): "5/12", (1, 1): "1/2"},
    {(0, 0, 0): "1/2", (1, 0, 2): "1/4", (0, 3, 1): "1/4"},
    {(0, 0): "5/36", (3000, 1): "1/36", (877, 0): "5/9", (1500, 1): "10/36"},
]


@pytest.mark.slow
@pytest.mark.parametrize("letters", LETTERS)
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_a_joint_law_is_within_its_error_at_every_point(letters: dict[tuple[int, ...], str], count: int) -> None:
    chances = {vector: Fraction(chance) for vector, chance in letters.items()}
    law = joint_law(chances, count, 0.0)
    expected = np.zeros(law.mass.shape)
    for vector, mass in convolved(chances, count).items():
        expected[tuple(k - start for k, start in zip(vector, law.start, strict=True))] = float(mass)
    assert np.abs(law.mass - expected).max() <= law.error + 1e-16


@pytest.mark.slow
@pytest.mark.parametrize("letters", LETTERS[:4])
@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1), Fraction(2)])
def test_linked_figures_are_bounded_on_both_sides(
    letters: dict[tuple[int, ...], str], count: int, epsilon: Fraction
) -> None:
    chances = {vector: Fraction(chance) for vector, chance in letters.items()}
    law, factor = convolved(chances, count), math.exp(epsilon)
    for one, other in itertools.combinations(chances, 2):
        move = tuple(b - a for a, b in zip(one, other, strict=True))
        worst = 0.0
        for sign in (1, -1):
            there = {tuple(k + sign * step for k, step in zip(at, move, strict=True)): mass for at, mass in law.items()}
            worst = max(
                worst, math.fsum(max(0.0, float(mass) - factor * float(there.get(at, 0))) for at, mass in law.items())
            )
        bracket = VectorCurve(joint_law(chances, count, 1e-12), (move,)).delta(epsilon)
        assert bracket.lower - CLOSE <= worst <= bracket.upper + CLOSE


def test_a_sum_beside_a_count_of_the_same_column_is_not_published_at_a_delta_below_the_truth() -> None:
    """Three persons with 1, 2 or 3 of something: their total and how many have more than one, truth 80/81."""
    law = tuple((Fraction(k), Fraction(mass, 9)) for k, mass in enumerate((0, 4, 4, 1)))
    many = Figure("many", "count", None, Where((("v", OneOf((Fraction(2), Fraction(3)))),)))
    world = World(
        Frame((), {(): 3}),
        {"v": Numbers(Fraction(1), Fraction(0), Fraction(3))},
        (ColumnBelief("v", {(): law}, "test"),),
        (Figure("total", "sum", "v"), many),
        Value(),
        0,
        Fraction(0),
    )
    assert truth(world) == pytest.approx(80 / 81)
    assert not isinstance(judged(world, "0.8"), Publish)


# -- what is claimed beside the verdict -------------------------------------------------------------------------------


def test_the_lower_bound_of_an_atom_does_not_count_numbers_that_others_blur() -> None:
    """The rounded total of all says less about the three than their own count would."""
    columns = {"u": BIT}
    law = (("no", Fraction(5, 7)), ("yes", Fraction(2, 7)))
    own = Figure("own", "count", None, Where((("r", OneOf(("a",))), ("u", OneOf(("no",))))))
    whole = Figure("whole", "count", None, YES, (), Chain((Rounded(5),)))
    beliefs = (ColumnBelief("u", {(): law}, "test"),)
    world = World(Frame(("r",), {("a",): 2, ("b",): 3}), columns, beliefs, (own, whole), Value(), 0, Fraction(0))
    for finding in judged(world, "1").findings:
        assert finding.delta.lower <= truth(world, finding.atom) + CLOSE


@pytest.mark.slow
def test_the_witness_of_a_large_crowd_is_a_true_statement() -> None:
    """Both probabilities of the event are bounded, and together they prove the lower bound."""
    rates = np.linspace(0.1, 0.9, 200)
    found = verify(Count(), noiseless(Independent(rates=rates)), epsilon=0.1, delta=1e-9)
    assert found.witness is not None
    assert found.witness.second > 0  # "at least 104" is possible in both worlds
    assert found.witness.first - math.exp(0.1) * found.witness.second >= found.delta.lower * (1 - 1e-6)


@pytest.mark.slow
def test_a_share_known_in_every_published_group_may_lie_wholly_in_a_difference_of_two() -> None:
    """All but ten persons, and all: the ten are no published group, so a fifth of all may be known among them."""
    law = (("no", Fraction(1, 2)), ("yes", Fraction(1, 2)))
    most = Figure("most", "count", None, Where((("r", OneOf(("a",))), *YES.tests)))
    every = Figure("all", "count", None, YES)
    question = Question(
        Frame(("r",), {("a",): 990, ("b",): 10}),
        {"u": BIT},
        (ColumnBelief("u", {(): law}, "test"),),
        Attacker(0.2, in_every_group=True),
        Value(),
        Target(Fraction(1), Fraction(1, 2)),
    )
    decision = assess((most, every), History(), question).answer
    (few,) = [finding for finding in decision.findings if finding.atom.size == 10]
    assert few.known == 9


# -- input that must not be read as something else ------------------------------------------------------------------


def test_a_condition_on_a_column_that_nobody_declared_is_refused() -> None:
    """It would be left out, and the count of one named person judged as one of two hundred."""
    one = Figure("Alice", "count", None, Where((*YES.tests, ("name", OneOf(("Alice",))))))
    with pytest.raises(InputError):
        judged(bits((one,), groups={(): 200}), "1/10")


def test_a_belief_with_mass_outside_the_domain_is_refused() -> None:
    """Dropping it leaves laws that sum to less than one, and a delta that is too small."""
    column = Numbers(Fraction(1), Fraction(0), Fraction(2))
    third = (*tuple((Fraction(k), Fraction(1, 10)) for k in range(3)), (Fraction(7), Fraction(7, 10)))
    world = World(
        Frame((), {(): 3}),
        {"v": column},
        (ColumnBelief("v", {(): third}, "test"),),
        (Figure("f", "sum", "v"),),
        Value(),
        0,
        Fraction(1),
    )
    with pytest.raises(InputError):
        judged(world, "1/10")
