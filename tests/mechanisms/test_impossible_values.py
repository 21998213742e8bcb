"""Values that a belief holds impossible: nobody knows a record that has one, though the target's may."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import settings

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.mechanisms.modes import mode_curve, pairwise_curve
from dalenius.mechanisms.selected import model_curve
from dalenius.mechanisms.wrong_models import Among

F = Fraction
Law = dict[object, Fraction]
Row = tuple[int, ...]
Pick = Callable[[Row], object]
Chances = Sequence[Fraction]


def most_frequent(row: Row, *, last: bool) -> int:
    best = [place for place, count in enumerate(row) if count == max(row)]
    return best[-1] if last else best[0]


def drawn(chances: Chances, number: int) -> Iterator[tuple[Row, Fraction]]:
    """Every dataset of so many records, as a histogram, with its probability."""
    for data in itertools.product(range(len(chances)), repeat=number):
        chance = math.prod((chances[value] for value in data), start=F(1))
        if chance:
            yield tuple(data.count(value) for value in range(len(chances))), chance


def published(pick: Pick, chances: Chances, others: int, more: Row) -> Law:
    law: Law = {}
    for row, chance in drawn(chances, others):
        output = pick(tuple(map(sum, zip(row, more, strict=True))))
        law[output] = law.get(output, F(0)) + chance
    return law


def excess(p: Law, q: Law, epsilon: Fraction) -> float:
    factor = F(math.exp(epsilon))
    return float(sum((max(F(0), mass - factor * q.get(output, F(0))) for output, mass in p.items()), F(0)))


def truth(
    pick: Pick, chances: Chances, targets: Sequence[int], *, n: int, known: int, epsilon: Fraction, absent: bool
) -> float:
    """The worst over what the known records are, of all that the law allows, and over two facts about the target."""
    worst = 0.0
    for seen, _ in drawn(chances, known):
        laws = []
        for target in targets:
            more = tuple(count + (place == target) for place, count in enumerate(seen))
            laws.append(published(pick, chances, n - 1 - known, more))
        without = published(pick, chances, n - 1 - known, seen)
        pairs = [(law, without) for law in laws] if absent else itertools.combinations(laws, 2)
        worst = max([worst, *(max(excess(p, q, epsilon), excess(q, p, epsilon)) for p, q in pairs)])
    return worst


def test_nobody_knows_a_record_of_an_impossible_value() -> None:
    """Of a, b, c with probabilities 0, 1/5 and 4/5, two known records are b or c: 0.64, and not 0.96."""
    belief = dl.IID(values={"a": 0, "b": "1/5", "c": "4/5"}, n=5, known=2)
    bracket = mode_curve(dl.mechanisms.mode("a", "b", "c"), belief).delta(F(5, 2))
    assert bracket.lower <= 0.64 <= bracket.upper < 0.6401
    found = dl.verify(
        dl.Histogram("a", "b", "c") >> dl.mechanisms.mode("a", "b", "c"), belief, epsilon="2.5", delta="0.9"
    )
    assert found.verdict == "pass"


def test_the_target_has_a_value_of_the_declared_domain() -> None:
    """Somebody who could be a would make a the first of two; but nobody declared that they could."""
    release, halves = dl.mechanisms.mode("a", "b", "c"), {"b": "1/2", "c": "1/2"}
    for domain, worst in ((None, 0.5), (["a", "b", "c"], 1.0)):
        bracket = mode_curve(release, dl.IID(values=halves, n=2, domain=domain)).delta(F(0))
        assert bracket.lower - 1e-12 <= worst <= bracket.upper + 1e-12
        assert bracket.width <= 1e-9
    assert mode_curve(release, dl.IID(values={"b": 1}, n=3)).delta(F(0)).upper == 0


def random_mode(seed: int) -> tuple[list[Fraction], list[int], int, int, Fraction, bool, bool]:
    """Chances of three or four values, some of them 0; which of these are declared; n, known, ε, ties, presence."""
    dice = np.random.default_rng(seed)
    cells = int(dice.integers(3, 5))
    weights = dice.integers(0, 5, cells) * (dice.random(cells) < 0.75)
    weights[int(dice.integers(cells))] += 1
    chances = [F(int(weight), int(weights.sum())) for weight in weights]
    declared = [place for place in range(cells) if chances[place] or dice.random() < 0.5]
    n = int(dice.integers(2, 7 if cells == 3 else 6))
    last, absent = (bool(dice.random() < 0.5) for _ in range(2))
    return chances, declared, n, int(dice.integers(0, min(n, 4))), F(int(dice.integers(0, 13)), 4), last, absent


@pytest.mark.parametrize("seed", range(max(40, settings.default.max_examples // 10)))
def test_random_modes_with_impossible_values(seed: int) -> None:
    chances, declared, n, known, epsilon, last, absent = random_mode(seed)
    names = "abcd"[: len(chances)]
    belief = dl.IID(
        values={name: chance for name, chance in zip(names, chances, strict=True) if chance},
        domain=[names[place] for place in declared],
        n=n,
        known=known,
    )
    release = dl.mechanisms.mode(*names, ties="last" if last else "first")
    bracket = mode_curve(release, belief, secret=dl.PresenceOnly() if absent else dl.Value()).delta(epsilon)
    worst = truth(
        lambda row: most_frequent(row, last=last),
        chances,
        declared,
        n=n,
        known=known,
        epsilon=epsilon,
        absent=absent,
    )
    assert bracket.lower - 1e-12 <= worst <= bracket.upper + 1e-12
    assert bracket.width <= 1e-9
    bound = pairwise_curve(release, tuple(chances), Among(n, known, noiseless=not absent))
    assert bound.delta(epsilon).upper >= worst - 1e-12


MODELS = [(F(1, 2), F(1, 3), F(1, 6), F(0)), (F(1, 6), F(1, 3), F(1, 2), F(0))]
LIKELIEST = dl.mechanisms.likeliest_model(*(dict(zip("abcd", model, strict=True)) for model in MODELS))


def likelier(row: Row) -> int:
    scores = [math.prod((p**c for p, c in zip(model, row, strict=True)), start=F(1)) for model in MODELS]
    return max(range(2), key=lambda place: (scores[place], -place))


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("known", [0, 1, 2, 3])
def test_nobody_knows_a_record_that_every_model_forbids(known: int, absent: bool) -> None:
    curve = model_curve(LIKELIEST, n=5, known=known, noiseless=not absent)
    for epsilon in (F(0), F(1, 4), F(1)):
        worst = max(
            truth(likelier, model, range(3), n=5, known=known, epsilon=epsilon, absent=absent) for model in MODELS
        )
        bracket = curve.delta(epsilon)
        assert bracket.lower - 1e-12 <= worst <= bracket.upper + 1e-12


def test_records_that_no_model_allows_are_no_known_records() -> None:
    with pytest.raises(InputError, match="that one of the models allows"):
        model_curve(LIKELIEST, n=5, known=1, seen=(0, 0, 0, 1))
    assert model_curve(LIKELIEST, n=5, known=1, seen=(0, 1, 0, 0)).delta(F(1))


@pytest.mark.slow
@pytest.mark.parametrize("known", [2, 3, 4, 70])
@pytest.mark.parametrize("p", [0, 1])
def test_no_known_answer_is_one_that_cannot_be(p: int, known: int) -> None:
    """Everybody's true answer is no: whoever knows some knows only that."""
    response = dl.mechanisms.RandomizedResponse(epsilon=1)
    total = dl.mechanisms.ResponseTotal(response, dl.IID(p=p, n=known + 6, known=known))
    chance = response.chances()[0]
    number = F(chance) if p else 1 - F(chance)
    law = {k: math.comb(known + 5, k) * number**k * (1 - number) ** (known + 5 - k) for k in range(known + 6)}
    worlds: list[Law] = [{}, {}]
    for answer in (0, 1):
        yes = F(chance) if answer else 1 - F(chance)
        for k, mass in law.items():
            worlds[answer][k] = worlds[answer].get(k, F(0)) + mass * (1 - yes)
            worlds[answer][k + 1] = worlds[answer].get(k + 1, F(0)) + mass * yes
    for epsilon in (F(0), F(1, 4)):
        worst = max(excess(worlds[0], worlds[1], epsilon), excess(worlds[1], worlds[0], epsilon))
        bracket = total.curve().delta(epsilon)
        assert bracket.lower - 1e-12 <= worst <= bracket.upper + 1e-12
        assert bracket.width <= 1e-9
