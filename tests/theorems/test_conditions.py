"""Statements of the papers' discussions: how small δ must be, conditions of other definitions, constraints, samples."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from amount import repetitions
from dalenius.claims.conversions import semantic_from_dp
from dalenius.papers.definitions.dependence import dependent_pairs, independent_blocks
from dalenius.papers.definitions.finite import spread_of
from dalenius.papers.finite import Finite, FiniteMechanism, Neighbours
from dalenius.papers.mechanisms.bad_examples import somebody_is_shamed
from dalenius.papers.mechanisms.noisy_choice import noisy_choice, steepest
from dalenius.papers.theorems import find
from dalenius.papers.theorems.km_conditions import delta_enough
from theorems.trial import law

F = Fraction


def test_a_delta_of_order_1_over_n_is_enough_and_needed() -> None:
    """With a hundred times as much, publishing each record with chance δ lets one out more often than was promised."""
    for n in (10, 10**4, 10**7):
        delta = delta_enough("0.5", n=n, above="0.1", failing="0.05")
        shift, failing = semantic_from_dp("0.5", delta, n=n, above="0.1")
        assert shift.upper == pytest.approx(math.tanh(0.25) + 0.1)
        few = min(n, 100)  # fractions of more grow long
        assert float(somebody_is_shamed(delta * n / few, few)) <= failing.upper <= 0.05
        assert float(somebody_is_shamed(min(F(1), 100 * delta * n / few), few)) > 0.05  # a shift of 1/2, at any ε


def test_a_metric_of_two_distances_says_which_datasets_are_compared() -> None:
    """Any symmetric relation is a ball; of two records or more, changing one leaves another in common."""
    dice = random.Random("metric")
    for _ in range(repetitions(3, 100)):
        world = Finite.product([{0: "1/3", 1: "1/3", 2: "1/3"}] * dice.choice([2, 3]))
        rows = list(world.datasets())
        far = {(a, b): dice.randint(1, 3) for a, b in itertools.combinations(rows, 2)}

        def distance(a: object, b: object, far: dict = far) -> int:
            return far.get((a, b), far.get((b, a), 0))

        wanted = Neighbours.constrained(world, distance, distance=2)
        pairs = {frozenset(pair) for pair in zip(*wanted.pairs(), strict=True)}
        place = {row: at for at, row in enumerate(rows)}

        def two_distances(a: object, b: object, pairs: set = pairs, place: dict = place) -> int:
            return 0 if a == b else 1 if frozenset((place[a], place[b])) in pairs else 2

        found = Neighbours.zlw(world, two_distances, distance=2)
        assert {frozenset(pair) for pair in zip(*found.pairs(), strict=True)} == pairs
        every = {row for row in rows if dice.random() < 0.5}
        some = Neighbours.zlw(world, two_distances, distance=2, among=every.__contains__)
        assert {frozenset(pair) for pair in zip(*some.pairs(), strict=True)} == {
            pair for pair in pairs if all(rows[at] in every for at in pair)
        }


def given_a_count(dice: random.Random, n: int, values: str, cell: str, wanted: int, rows: list) -> Finite:
    """Independent records, given how many are in the cell; sometimes some values are impossible."""
    laws = [dict(zip(values, law(dice, len(values)), strict=True)) for _ in range(n)]
    chances = {row: math.prod((one[v] for one, v in zip(laws, row, strict=True)), start=F(1)) for row in rows}
    whole = sum(chances.values())
    return Finite.table({row: p / whole for row, p in chances.items()}) if whole else Finite.table({rows[0]: 1})


def test_two_cells_of_people_who_are_there_have_the_relation_of_the_paper() -> None:
    """Never below any product belief, and reached by one that is torn between the worst two datasets."""
    dice = random.Random("cells")
    for _ in range(repetitions(4, 200)):
        values, cell, n = "abc", dice.choice(["a", "ab"]), 3
        rows = [row for row in itertools.product(values, repeat=n) if sum(v in cell for v in row) == 1]
        world = Finite.table(dict.fromkeys(rows, F(1, len(rows))))
        told = {row: law(dice, 3, zeros=False) for row in rows}
        mechanism = FiniteMechanism.random(lambda row, told=told: dict(enumerate(told[row])), world)
        promised = find("KM-T10.2-cells")[0](mechanism=mechanism, world=world, cell=cell.__contains__).epsilon
        same = Neighbours.induced(world).epsilon(mechanism).value
        assert promised == same
        worst = 0.0
        for _ in range(10):
            belief = given_a_count(dice, n, values, cell, 1, rows)
            weights = dict(belief.items())
            for i, (x, y) in itertools.product(range(n), itertools.combinations(values, 2)):
                parts = [{row: p for row, p in weights.items() if row[i] == v and p} for v in (x, y)]
                if all(parts):
                    seen = [
                        [float(sum(p * told[row][t] for row, p in part.items()) / sum(part.values())) for t in range(3)]
                        for part in parts
                    ]
                    worst = max(worst, *(abs(math.log(p / q)) for p, q in zip(*seen, strict=True)))
        assert worst <= promised.upper + 1e-9


def test_noise_beside_a_public_count_hides_what_it_says() -> None:
    """A histogram's cell: one person, or two who change sides, move it by 1; a score moves by more."""
    world = Finite.product([{None: "1/3", "t": "1/3", "u": "1/3"}] * 3).constrained(lambda row: row.count("t") == 1)
    found = find("KM-S10.3")[0]
    counts = {"world": world, "counts": lambda value: value == "t", "scale": 2}
    assert found(figure=lambda row: row.count("u"), **counts).epsilon.upper == pytest.approx(0.5)
    everywhere = found(figure=lambda row: sum(k * (v == "t") for k, v in enumerate(row)), **counts)
    assert everywhere.epsilon.upper == pytest.approx(1.0)  # from the first person to the last
    assert spread_of(lambda row: row.count("u"), Neighbours.any_two(world)) == 2


def test_a_noisy_choice_is_as_private_as_is_said_and_hardly_ever_another_one() -> None:
    models = [{0: "1/5", 1: "4/5"}, {0: "1/2", 1: "1/2"}, {0: "7/10", 1: "3/10"}]
    assert steepest(models) == F(7, 2)
    for scale in ("1/2", 1, 10):
        promised = find("CW-S3C")[0](models=models, scale=scale).epsilon.upper
        worst = 0.0
        for rest in itertools.product((0, 1), repeat=4):
            one, two = (noisy_choice(models, [1, 2, 1], scale=scale, data=(*rest, value)) for value in (0, 1))
            worst = max(worst, *(abs(float((p / q).ln())) for p, q in zip(one, two, strict=True)))
        assert worst <= promised
    many = noisy_choice(models, [1, 2, 1], scale=10, data=(1,) * 800 + (0,) * 200)
    assert many[0] > 1 - 1e-6  # of a thousand records the first model's


@pytest.mark.parametrize("rate", ["1/10", "1/2"])
def test_samples_of_any_cell_are_as_private_as_is_said(rate: str) -> None:
    """By all sizes of the cell: known others, each drawn by a coin."""
    p, theorem = F(rate), find("CW-S3B-drawn")[0]
    for least, epsilon in ((3, F(1)), (10, F(1)), (20, F(7, 10))):
        promised = theorem(least=least, rate=p, epsilon=epsilon).delta.upper
        factor, worst = math.exp(epsilon), 0.0
        for size in range(1, 8 * least):
            laws = []
            for people in (size, size - 1):
                masses = [
                    math.comb(people, c) * float(p) ** c * float(1 - p) ** (people - c) for c in range(people + 1)
                ]
                laws.append([math.fsum(masses[:least]), *masses[least:], *[0.0] * (size - max(people, least - 1))])
            for one, two in itertools.permutations(laws):
                worst = max(worst, math.fsum(max(a - factor * b, 0.0) for a, b in zip(one, two, strict=False)))
        assert worst <= promised * (1 + 1e-9)
        assert promised <= 10 * worst**0.5  # and it is no empty promise


def test_groups_of_records_that_depend_on_each_other_are_found() -> None:
    """Blocks whose records are tied together, in any order of the records."""
    dice = random.Random("blocks")
    for _ in range(repetitions(5, 200)):
        order = dice.sample(range(5), 5)
        cut = dice.randint(1, 4)
        groups = [sorted(order[:cut]), sorted(order[cut:])]

        def even(row: tuple, groups: list = groups) -> int:
            return int(all(sum(row[i] for i in group) % 2 == 0 for group in groups if len(group) > 1))

        world = Finite.weighted([(0, 1)] * 5, even)
        assert independent_blocks(world) == tuple(sorted(map(tuple, groups)))
        pairs = {tuple(group) for group in groups if len(group) == 2}
        assert set(dependent_pairs(world)) == pairs
