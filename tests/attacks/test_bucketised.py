"""The de Finetti attack: against all assignments of small groups, and on the passengers of the Titanic."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from amount import repetitions
from dalenius.basics.errors import InputError
from dalenius.papers.attacks.bucketised import BucketisedTable

F = Fraction
# The 2,201 people on board, as the British Board of Trade counted them (1912): survived, died.
TITANIC = {
    ("1st", "man"): (57, 118),
    ("1st", "woman"): (140, 4),
    ("1st", "child"): (6, 0),
    ("2nd", "man"): (14, 154),
    ("2nd", "woman"): (80, 13),
    ("2nd", "child"): (24, 0),
    ("3rd", "man"): (75, 387),
    ("3rd", "woman"): (76, 89),
    ("3rd", "child"): (27, 52),
    ("crew", "man"): (192, 670),
    ("crew", "woman"): (20, 3),
}


def by_all_assignments(people: tuple[str, ...], values: tuple[str, ...], rates: dict) -> list[dict[str, Fraction]]:
    whole, sums = F(0), [dict.fromkeys(values, F(0)) for _ in people]
    for given in set(itertools.permutations(values)):
        chance = math.prod((rates[p][v] for p, v in zip(people, given, strict=True)), start=F(1))
        whole += chance
        for law, value in zip(sums, given, strict=True):
            law[value] += chance
    return [{v: p / whole for v, p in law.items() if p} for law in sums]


@pytest.mark.parametrize("seed", range(repetitions(6, 60)))
def test_posteriors_are_those_of_all_assignments(seed: int) -> None:
    dice = random.Random(seed)
    kinds, values = "xyz", "abc"
    size = dice.randrange(1, 6)
    people = tuple(dice.choice(kinds) for _ in range(size))
    given = tuple(dice.choice(values) for _ in range(size))
    rates = {}
    for kind in kinds:
        weights = [dice.randrange(1, 9) for _ in values]
        rates[kind] = {v: F(w, sum(weights)) for v, w in zip(values, weights, strict=True)}
    ((*found,),) = BucketisedTable.of([(people, given)]).posteriors(rates)
    assert found == by_all_assignments(people, given, rates)


def titanic(seed: int) -> tuple[BucketisedTable, list[list[str]]]:
    """Everybody in groups of four, at random; those are published in which not all had the same fate."""
    dice = random.Random(seed)
    people = [
        (kind, fate)
        for kind, counts in TITANIC.items()
        for fate, many in zip(("survived", "died"), counts, strict=True)
        for _ in range(many)
    ]
    dice.shuffle(people)
    groups = [people[start : start + 4] for start in range(0, len(people), 4)]
    shown = [group for group in groups if len({fate for _, fate in group}) == 2]
    truth = [[fate for _, fate in group] for group in shown]
    return BucketisedTable.of(([k for k, _ in g], sorted(fate for _, fate in g)) for g in shown), truth


@pytest.mark.slow
def test_the_attack_finds_survivors_in_a_real_table() -> None:
    """Whoever points at somebody of each group as a survivor is right in 40 % by guessing, in 70 % by the attack."""
    table, truth = titanic(1)
    rates = table.learned(rounds=100)
    assert rates["1st", "woman"]["survived"] > F(8, 10)
    assert rates["crew", "man"]["survived"] < F(35, 100)
    share = sum(F(fates.count("survived"), len(fates)) for fates in truth) / len(truth)
    right = 0
    for group, fates in zip(table.posteriors(rates), truth, strict=True):
        best = max(range(len(fates)), key=lambda i: group[i].get("survived", F(0)))
        right += fates[best] == "survived"
    assert share < F(45, 100)
    assert right > F(65, 100) * len(truth)


def test_learning_explains_the_groups_best() -> None:
    """Two kinds, in groups of two: the likelihood of what was learned, against a fine grid of rates."""
    groups = [(("s", "o"), ("y", "n"))] * 7 + [(("s", "s"), ("y", "n"))] * 5 + [(("o", "o"), ("n", "n"))] * 8
    groups += [(("s", "s"), ("y", "y"))] * 2
    rates = BucketisedTable.of(groups).learned()

    def likelihood(s: float, o: float) -> float:
        one = {"s": s, "o": o}
        total = 0.0
        for people, values in groups:
            ways = set(itertools.permutations(values))
            total += math.log(
                sum(
                    math.prod(one[p] if v == "y" else 1 - one[p] for p, v in zip(people, way, strict=True))
                    for way in ways
                )
            )
        return total

    grid = [(k + 0.5) / 60 for k in range(60)]
    best = max(likelihood(s, o) for s in grid for o in grid)
    assert likelihood(float(rates["s"]["y"]), float(rates["o"]["y"])) >= best - 1e-6


def test_groups_and_rates_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="as many values"):
        BucketisedTable.of([(["a"], ["x", "y"])])
    with pytest.raises(InputError, match="at least one group"):
        BucketisedTable.of([])
    table = BucketisedTable.of([(["a", "b"], ["x", "y"])])
    with pytest.raises(InputError, match="every kind"):
        table.posteriors({"a": {"x": 1}})
    with pytest.raises(InputError, match="impossible"):
        table.posteriors({"a": {"x": 1}, "b": {"x": 1}})
