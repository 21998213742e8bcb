"""Each independent part of a record by itself, noise beside exact figures: never below the truth of small worlds."""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalenius as dl
from amount import examples
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Value
from dalenius.mechanisms import Chain
from dalenius.plan import Question, Target
from dalenius.plan.examination import examine
from dalenius.plan.finding import apart_of
from dalenius.plan.judging import docket_of
from dalenius.tables.apart import Apart
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import Cover

F = Fraction
REACH = 36  # places of noise that are listed on either side: at scale 1 less than 1e-15 is beyond
CLOSE = 1e-9
COLUMNS = {"x": Categories((0, 1)), "y": Numbers(F(1), F(0), F(2))}
REGIONS = ("n", "s")


def figures_of(names: Sequence[tuple[str, str, int]]) -> list[Figure]:
    """Counts of x = 1 or sums of y: of all, by region, or of one region; exact or with noise of this scale."""
    found = []
    for place, (column, whom, scale) in enumerate(names):
        tests = (("x", OneOf((1,))),) if column == "x" else ()
        tests += (("region", OneOf((whom,))),) if whom in REGIONS else ()
        by = ("region",) if whom == "by" else ()
        channel = Chain((dl.two_sided_geometric(scale),) if scale else ())
        kind, summed = ("count", None) if column == "x" else ("sum", "y")
        found.append(Figure(f"f{place}", kind, summed, Where(tests), by, channel))
    return found


Law = dict[tuple[int, ...], float]
Numbers_ = tuple[tuple[str, str, int], ...]  # column, region (or all), scale: one published number each


def numbers_of(names: Sequence[tuple[str, str, int]]) -> Numbers_:
    return tuple(
        (column, region, scale) for column, whom, scale in names for region in (REGIONS if whom == "by" else (whom,))
    )


def added(record: tuple[int, int], region: str, numbers: Numbers_) -> tuple[int, ...]:
    value = dict(zip("xy", record, strict=True))
    return tuple(value[column] if where in ("all", region) else 0 for column, where, _ in numbers)


def noise_law(scale: int) -> dict[int, float]:
    ratio = math.exp(-1 / scale)
    return {k: (1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(-REACH, REACH + 1)}


def told(
    law: dict[tuple[int, ...], float], other: dict[tuple[int, ...], float], numbers: Numbers_, factor: float
) -> float:
    """How far the one exceeds e^ε times the other, once the noisy numbers have their noise."""
    noisy = [at for at, (_, _, scale) in enumerate(numbers) if scale]
    plain = [at for at in range(len(numbers)) if at not in noisy]
    kernels = [np.array(list(noise_law(numbers[at][2]).values())) for at in noisy]
    excess = 0.0
    for exact in {tuple(v[at] for at in plain) for v in (*law, *other)}:
        arrays = []
        for some in (law, other):
            array = np.zeros((10,) * len(noisy))
            for vector, mass in some.items():
                if tuple(vector[at] for at in plain) == exact:
                    array[tuple(vector[at] for at in noisy)] += mass
            for axis, kernel in enumerate(kernels):
                array = np.apply_along_axis(lambda row, k=kernel: np.convolve(row, k), axis, array)
            arrays.append(array)
        excess += float(np.maximum(arrays[0] - factor * arrays[1], 0.0).sum())
    return excess


def truth(
    people: Sequence[str],
    laws: dict[str, list[float]],
    numbers: Numbers_,
    target: int,
    known: int,
    epsilon: float,
    *,
    presence: bool,
) -> float:
    """Worst over what the person's record may be (and absence) and over which others are known; all datasets listed."""
    records = list(itertools.product(range(2), range(3)))
    chances = {record: laws["x"][record[0]] * laws["y"][record[1]] for record in records}
    others = [place for place in range(len(people)) if place != target]
    worst = 0.0
    for seen in itertools.combinations(others, known):
        rest: dict[tuple[int, ...], float] = {(0,) * len(numbers): 1.0}
        for place in others:
            if place in seen:
                continue
            more: dict[tuple[int, ...], float] = defaultdict(float)
            for at, mass in rest.items():
                for record, chance in chances.items():
                    step = added(record, people[place], numbers)
                    more[tuple(a + b for a, b in zip(at, step, strict=True))] += mass * chance
            rest = dict(more)
        facts = {added(record, people[target], numbers) for record in records}
        facts |= {(0,) * len(numbers)} if presence else set()
        worlds = [{tuple(a + b for a, b in zip(at, fact, strict=True)): m for at, m in rest.items()} for fact in facts]
        for one, two in itertools.permutations(worlds, 2):
            worst = max(worst, told(one, two, numbers, math.exp(epsilon)))
    return worst


choices = st.tuples(st.sampled_from(["x", "y"]), st.sampled_from(["all", "by", "n"]), st.sampled_from([0, 0, 1]))


@pytest.mark.slow
@given(
    names=st.lists(choices, min_size=2, max_size=3, unique=True),
    sizes=st.tuples(st.integers(1, 2), st.integers(0, 2)),
    known=st.integers(0, 1),
    weights=st.tuples(st.integers(1, 4), st.lists(st.integers(1, 4), min_size=3, max_size=3)),
    epsilon=st.sampled_from([F(1, 2), F(1), F(2)]),
    presence=st.booleans(),
)
@settings(max_examples=examples(20))
def test_no_bound_is_below_the_truth(names, sizes, known, weights, epsilon, presence) -> None:
    assume(sum(scale > 0 for _, _, scale in names) <= 2 and sum(sizes) > known)
    numbers = numbers_of(names)
    assume(sum(scale > 0 for _, _, scale in numbers) <= 2)
    laws = {"x": [F(weights[0], 5), F(5 - weights[0], 5)], "y": [F(w, sum(weights[1])) for w in weights[1]]}
    beliefs = tuple(
        ColumnBelief(name, {(): tuple(zip(COLUMNS[name].values, law, strict=True))}, "a source")
        for name, law in laws.items()
    )
    frame = Frame(("region",), {("n",): sizes[0], ("s",): sizes[1]})
    secret = Presence() if presence else Value()
    question = Question(frame, COLUMNS, beliefs, Attacker(known), secret, Target(epsilon, F(1, 10**6)))
    figures = figures_of(names)
    cover = Cover.of(figures, frame, COLUMNS)
    apart = apart_of(cover, docket_of(question), question)
    people = ["n"] * sizes[0] + ["s"] * sizes[1]
    floats = {name: [float(p) for p in law] for name, law in laws.items()}
    released = examine(figures, question, lambda _what, _done, _of: None).findings
    for place, atom in enumerate(cover.atoms):
        cells = {cell[0] for cell, _ in atom.groups}
        target = next(at for at, region in enumerate(people) if region in cells)
        exact = truth(people, floats, numbers, target, known, float(epsilon), presence=presence)
        assert exact <= apart.judged(place).delta.upper + CLOSE
        found = next(finding for finding in released if finding.atom.entries == atom.entries)
        assert exact <= found.delta.upper + CLOSE


def asked(figures: Sequence[Figure], frame: Frame, beliefs: Sequence[ColumnBelief], epsilon: str) -> Question:
    return Question(frame, COLUMNS, tuple(beliefs), Attacker(0), Value(), Target(F(epsilon), F(1, 10**6)))


FAIR = ColumnBelief("x", {(): ((0, F(1, 2)), (1, F(1, 2)))}, "a source")
YES = Where((("x", OneOf((1,))),))


def test_noise_beside_an_exact_total_counts() -> None:
    """The total of 1,200 hides a person among all, and the noise of a cell of 20 in which cell they are."""
    frame = Frame(("region",), {("n",): 20, ("s",): 1180})
    cell = Figure(
        "cell", "count", None, Where((*YES.tests, ("region", OneOf(("n",))))), (), Chain((dl.two_sided_geometric(10),))
    )
    figures = [Figure("all", "count", None, YES), cell]
    for order in itertools.permutations(figures):
        found = examine(order, asked(order, frame, [FAIR], "1/2"), lambda _what, _done, _of: None).findings
        assert all(finding.verdict == "pass" for finding in found)
        small = next(finding for finding in found if finding.atom.size == 20)
        assert small.method == "apart" and 1e-40 < small.delta.upper < 1e-12


def test_columns_that_are_independent_are_cut_by_their_own_figures_only() -> None:
    """Twenty cells of one column, and one total of another: a person hides in the total among all."""
    frame = Frame(("region",), {(f"cell {place}",): 1000 for place in range(20)})
    score = ColumnBelief("y", {(): tuple((F(v), F(1, 3)) for v in range(3))}, "a source")
    ill = ColumnBelief("x", {(): ((0, F(9, 10)), (1, F(1, 10)))}, "a source")
    figures = [Figure("ill", "count", None, YES, ("region",)), Figure("score", "sum", "y")]
    question = asked(figures, frame, [ill, score], "1/2")
    found = examine(figures, question, lambda _what, _done, _of: None).findings
    assert {str(finding.verdict) for finding in found} == {"pass"}
    alone = examine(figures[:1], question, lambda _what, _done, _of: None).findings
    assert max(f.delta.upper for f in found) <= 1.2 * max(f.delta.upper for f in alone)


def test_figures_of_other_columns_do_not_matter_to_a_topic() -> None:
    frame = Frame(("region",), {("n",): 30, ("s",): 30})
    figures = [Figure("x", "count", None, YES), Figure("y", "sum", "y", Where(()), ("region",))]
    score = ColumnBelief("y", {(): tuple((F(v), F(1, 3)) for v in range(3))}, "a source")
    question = asked(figures, frame, [FAIR, score], "1")
    cover = Cover.of(figures, frame, COLUMNS)
    apart = Apart(cover, docket_of(question), 0)
    assert [len(topic.cover.atoms) for topic in apart.topics] == [1, 2] and apart.helps
