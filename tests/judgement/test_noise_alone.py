"""Noise by itself: of each pair of facts only the numbers count in which they differ; then the worst pair."""

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dalenius.facts.records import Categories, Column, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Secret, Value
from dalenius.judge.noise import differences, profiles_of
from dalenius.mechanisms import Chain, Channel, DiscreteGaussian, Rounded, RoundedGaussian, TwoSidedGeometric
from dalenius.plan import AddNoise, Publish, Question, Target, plan
from dalenius.plan.judging import docket_of
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History, atoms_of

F = Fraction
Facts = tuple[int, ...] | None  # what a person adds; None if absent


def histogram(labels: int, noise: Sequence[Channel] = ()) -> tuple[Figure, ...]:
    """The count of every label of one column."""
    return tuple(
        Figure(f"label {at}", "count", None, Where((("c", OneOf((f"v{at}",))),)), (), Chain(tuple(noise)))
        for at in range(labels)
    )


def question(labels: int, *, epsilon: str = "1", delta: str = "0", secret: Secret | None = None) -> Question:
    values = tuple(f"v{at}" for at in range(labels))
    belief = ColumnBelief("c", {(): tuple((value, F(1, labels)) for value in values)}, "test")
    target = Target(F(epsilon), F(delta))
    return Question(Frame((), {(): 30}), {"c": Categories(values)}, (belief,), Attacker(0), secret or Value(), target)


@pytest.mark.parametrize("labels", [2, 3, 6, 12, 50])
def test_counts_of_all_labels_need_scale_two_over_epsilon_as_opendp_says(labels: int) -> None:
    """Whoever changes the label moves two of the counts, however many there are."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    counts = dp.t.make_count_by_categories(
        *space, categories=[f"v{at}" for at in range(labels)], null_category=False, MO="L1Distance<i32>"
    )
    for scale in (2, 4, 7):
        theirs = (counts >> dp.m.then_laplace(float(scale))).map(d_in=2)  # one record out, another in
        ours = docket_of(question(labels)).pure(histogram(labels, [TwoSidedGeometric(F(scale))]))
        assert ours == F(2, scale)
        assert float(ours) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("labels", [2, 4])
def test_the_plan_adds_no_more_noise_than_two_counts_need(labels: int) -> None:
    found = plan(histogram(labels), History(), question(labels))
    assert isinstance(found, AddNoise)
    (way,) = [way for way in found.alternatives if way.chosen]
    assert way.way == "noise alone"
    assert {change.line for change in way.changes} == {"noise: {geometric: 2}"}
    assert all(change.alone == change.error == pytest.approx(1.919, abs=1e-3) for change in way.changes)
    assert isinstance(plan(found.figures, History(), question(labels)), Publish)


@pytest.mark.slow
def test_noise_that_is_out_is_spent_by_those_pairs_of_facts_that_it_hides() -> None:
    """Counts of two labels are out at half of epsilon each; whoever changes between the others spends nothing there."""
    out = tuple(figure for figure in histogram(4, [TwoSidedGeometric(F(4))])[:2])
    found = plan(histogram(4)[2:], History(out), question(4))
    assert isinstance(found, AddNoise)
    (way,) = [way for way in found.alternatives if way.chosen]
    # between a label that is out and one that is new: 1/4 and 1/f; between two new ones: 2/f
    assert {change.line for change in way.changes} == {"noise: {geometric: 2}"}


# -- brute force: every pair of facts, all outcomes --------------------------------------------------------------------


def noise_law(noise: Channel, reach: int) -> NDArray[np.float64]:
    steps = np.arange(-reach, reach + 1)
    if isinstance(noise, RoundedGaussian):
        tails = [math.erfc((k - 0.5) / float(noise.scale) / math.sqrt(2)) / 2 for k in range(-reach, reach + 2)]
        return -np.diff(tails)
    scale = float(noise.scale)  # type: ignore[attr-defined] # all others have one
    weights = np.exp(-np.abs(steps) / scale if isinstance(noise, TwoSidedGeometric) else -(steps**2) / (2 * scale**2))
    return weights / weights.sum()


def delta_of(moved: Sequence[tuple[Channel, int]], epsilon: float) -> float:
    """All outcomes of all numbers that are moved, one by one."""
    first, second = np.ones(1), np.ones(1)
    for noise, far in moved:
        reach = int(noise.scale * (40 if isinstance(noise, TwoSidedGeometric) else 9)) + abs(far) + 2  # type: ignore[attr-defined]
        law = noise_law(noise, reach)
        p, q = np.pad(law, (0, abs(far))), np.pad(law, (abs(far), 0))
        first, second = np.multiply.outer(first, p).ravel(), np.multiply.outer(second, q).ravel()
    # independent symmetric noises: turning all of them round exchanges the two worlds
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


def adds(figure: Figure, row: dict[str, object], columns: dict[str, Column]) -> int:
    if any(row[name] not in test.values for name, test in figure.where.tests):
        return 0
    return 1 if figure.column is None else int(row[figure.column])  # type: ignore[call-overload] # numbers, in steps of 1


def pairs_of(figures: Sequence[Figure], columns: dict[str, Column], secret: Secret) -> Iterator[tuple[Facts, Facts]]:
    rows = [
        dict(zip(columns, values, strict=True)) for values in itertools.product(*(c.values for c in columns.values()))
    ]
    facts = dict.fromkeys(tuple(adds(figure, row, columns) for figure in figures) for row in rows)
    yield from itertools.combinations(facts, 2)
    if isinstance(secret, Presence):
        yield from ((one, (0,) * len(figures)) for one in facts)


def truth(
    figures: Sequence[Figure], columns: dict[str, Column], secret: Secret, epsilon: Fraction
) -> tuple[Fraction, float]:
    """Pure ε (of geometric noise), and δ."""
    pure, delta, seen = F(0), 0.0, set[object]()
    for one, two in pairs_of(figures, columns, secret):
        assert one is not None
        assert two is not None
        moved = [(figure.channel.links[0], b - a) for figure, a, b in zip(figures, one, two, strict=True) if a != b]
        pure = max(pure, sum((abs(far) / noise.scale for noise, far in moved), F(0)))  # type: ignore[attr-defined]
        key = tuple(sorted((repr(noise), abs(far)) for noise, far in moved))
        if key not in seen and len(moved) <= 3:
            seen.add(key)
            delta = max(delta, delta_of(moved, float(epsilon)))
    return pure, delta


@st.composite
def releases(draw: st.DrawFn) -> tuple[dict[str, Column], tuple[Figure, ...], Secret, Fraction]:
    """A column or two, two or three noisy figures of them."""
    columns: dict[str, Column] = {"c": Categories(tuple("abcd"[: draw(st.integers(2, 4))]))}
    if draw(st.booleans()):
        low = draw(st.integers(-2, 0))
        columns["n"] = Numbers(F(1), F(low), F(low + draw(st.integers(1, 3))))
    figures = []
    for at in range(draw(st.integers(2, 3))):
        make = draw(st.sampled_from([TwoSidedGeometric, TwoSidedGeometric, DiscreteGaussian, RoundedGaussian]))
        noise = make(F(draw(st.sampled_from([1, 2, 3])), 2))
        sums = "n" in columns and draw(st.booleans())
        some = tuple(value for value in columns["c"].values if draw(st.booleans()))
        everybody = draw(st.integers(0, 3)) == 0 or not some
        tests = () if everybody else (("c", OneOf(some)),)
        after = draw(st.sampled_from([(), (), (Rounded(2),)]))
        figures.append(
            Figure(
                f"f{at}", "sum" if sums else "count", "n" if sums else None, Where(tests), (), Chain((noise, *after))
            )
        )
    return columns, tuple(figures), draw(st.sampled_from([Value(), Presence()])), F(draw(st.integers(0, 8)), 4)


def docket(columns: dict[str, Column], secret: Secret, epsilon: Fraction) -> Docket:
    even = [
        ColumnBelief(name, {(): tuple((v, F(1, len(c.values))) for v in c.values)}, "t") for name, c in columns.items()
    ]
    return Docket.of(columns, tuple(even), Frame((), {(): 1}), secret, epsilon, F(1, 1000))


@pytest.mark.slow
@given(release=releases())
def test_noise_hides_what_the_worst_pair_of_facts_shows(
    release: tuple[dict[str, Column], tuple[Figure, ...], Secret, Fraction],
) -> None:
    columns, figures, secret, epsilon = release
    pure, delta = truth(figures, columns, secret, epsilon)
    found = docket(columns, secret, epsilon)
    upper = found.noise_alone(figures)
    assert delta <= upper * (1 + 1e-9) + 1e-12
    assert upper <= delta * 1.01 + 1e-4
    if all(isinstance(figure.channel.links[0], TwoSidedGeometric) for figure in figures):
        assert found.pure(figures) == pure
    elif pure:
        assert found.pure(figures) >= pure or found.pure(figures) == math.inf
    (atom,) = atoms_of(figures, found.frame, found.columns)
    assert delta <= found.atom(atom, 0, alone=False).delta.upper * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_only_differences_that_others_exceed_are_left_out(seed: int) -> None:
    """Long domains are cut down to their edges, short ones listed: nothing that differs more is lost."""
    dice = random.Random(seed)
    numbers, size = dice.randint(1, 3), dice.choice([5, 30, 90])
    domain = list(dict.fromkeys(tuple(dice.randint(-9, 9) for _ in range(numbers)) for _ in range(size)))
    others = domain if seed % 2 else [(0,) * numbers]
    found = [dict(one) for one in differences(domain, others)]
    for one, two in itertools.product(domain, others):
        apart = [abs(a - b) for a, b in zip(one, two, strict=True)]
        assert any(all(far <= most.get(at, 0) for at, far in enumerate(apart)) for most in found) or not any(apart)
    real = [tuple(abs(a - b) for a, b in zip(one, two, strict=True)) for one, two in itertools.product(domain, others)]
    assert all(tuple(one.get(at, 0) for at in range(numbers)) in real for one in found)


def test_a_wide_column_beside_a_count_is_judged_at_its_edges() -> None:
    """Ten thousand values of a sum, and whether they are at least 5000: 4 edges, and one pair that moves both most."""
    domain = [(value, int(value >= 5000)) for value in range(10_001)]
    assert differences(domain, domain) == (((0, 10_000), (1, 1)),)


def test_a_middle_value_moves_its_own_count_and_half_of_the_sum() -> None:
    domain = [(value, int(value == 5000)) for value in range(10_001)]
    assert set(differences(domain, domain)) == {((0, 10_000),), ((0, 5000), (1, 1))}


def test_different_scales_are_worst_where_the_smallest_two_meet() -> None:
    figures = tuple(
        Figure(f"f{at}", "count", None, Where((("c", OneOf((f"v{at}",))),)), (), Chain((TwoSidedGeometric(F(at + 1)),)))
        for at in range(30)
    )
    found = docket_of(question(30, epsilon="1/2"))
    assert found.pure(figures) == F(3, 2)
    assert found.noise_alone(figures) == found.noise_alone(figures[:2])


@pytest.mark.parametrize("many", [1, 200])
@pytest.mark.parametrize("seed", range(30))
def test_moves_that_are_left_out_tell_less(seed: int, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By all outcomes: some of those that are kept, or the one that stands for all, tells at least as much."""
    monkeypatch.setattr("dalenius.judge.noise.MOST_COMPARED", many)
    dice = random.Random(seed)
    noises = [dice.choice([TwoSidedGeometric(F(1)), TwoSidedGeometric(F(2)), DiscreteGaussian(F(1))]) for _ in range(3)]
    apart = [
        tuple((place, dice.randint(1, 3)) for place in sorted(dice.sample(range(3), dice.randint(1, 2))))
        for _ in range(dice.randint(2, 6))
    ]
    kept = profiles_of(apart, noises)
    for epsilon in (0.0, 0.7, 1.5):
        worst = max(delta_of(profile, epsilon) for profile in kept)
        for one in apart:
            assert delta_of([(noises[place], far) for place, far in one], epsilon) <= worst + 1e-12


@pytest.mark.parametrize("far", [5, 2**70])
def test_the_largest_difference_is_that_of_a_value_and_the_other(far: int) -> None:
    assert differences([(far,), (0,)], [(-1,), (2,)]) == (((0, far + 1),),)
    assert differences([(-far,), (0,)], [(-1,), (2,)]) == (((0, far + 2),),)


def test_a_count_without_noise_is_hidden_by_nothing() -> None:
    noisy, plain = histogram(3, [TwoSidedGeometric(F(2))]), histogram(3)
    found = docket_of(question(3))
    for figures in (plain, (noisy[0], plain[1]), (plain[0],)):
        assert found.noise_alone(figures) == 1.0
        assert found.pure(figures) == math.inf
    rounded = histogram(3, [Rounded(5), TwoSidedGeometric(F(2))])
    assert found.noise_alone(rounded) == 1.0
