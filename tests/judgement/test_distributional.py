"""Distributional privacy of plain figures, against all datasets listed one by one."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import pytest

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.claims import Notion

F = Fraction
Law = dict[int, Fraction]


def apart(one: Law, other: Law, factor: Fraction) -> Fraction:
    """The larger of both directions of Σ max(0, P - factor Q)."""
    outcomes = {*one, *other}
    return max(
        sum((max(F(0), p.get(k, F(0)) - factor * q.get(k, F(0))) for k in outcomes), F(0))
        for p, q in ((one, other), (other, one))
    )


def truth(parts: list[tuple[Fraction, Law]], n: int, known: int, ratio: Fraction | None, factor: Fraction) -> Fraction:
    """Worst over the target's value and the values of the known records; given them, all datasets of the others.

    The real world publishes the total, the ideal world the others' total, both with geometric noise of this ratio.
    """
    values = sorted({value for _, law in parts for value in law})
    worst = F(0)
    for seen in itertools.product(values, repeat=1 + known):
        laws: tuple[dict[int, Fraction], dict[int, Fraction]] = (defaultdict(Fraction), defaultdict(Fraction))
        weights = [w * math.prod((law.get(v, F(0)) for v in seen), start=F(1)) for w, law in parts]
        if not sum(weights):
            continue
        for (_, law), weight in zip(parts, weights, strict=True):
            for rest in itertools.product(law.items(), repeat=n - 1 - known):
                chance = weight / sum(weights) * math.prod((p for _, p in rest), start=F(1))
                others = sum(v for v, _ in rest) + sum(seen[1:])
                laws[0][others + seen[0]] += chance
                laws[1][others] += chance
        worst = max(worst, apart(*(blurred(law, ratio) for law in laws), factor))
    return worst


def blurred(law: Law, ratio: Fraction | None) -> Law:
    """Two-sided geometric noise, up to 40 steps: what is beyond is below 1e-12 here."""
    if ratio is None:
        return dict(law)
    made: dict[int, Fraction] = defaultdict(Fraction)
    for total, chance in law.items():
        for step in range(-40, 41):
            made[total + step] += chance * (1 - ratio) / (1 + ratio) * ratio ** abs(step)
    return made


COIN = {0: F(3, 5), 1: F(2, 5)}
THREE = {0: F(1, 2), 1: F(1, 4), 3: F(1, 4)}
FACTOR = F(math.exp(0.5))


@pytest.mark.slow
@pytest.mark.parametrize("known", [0, 2])
@pytest.mark.parametrize("law", [COIN, THREE], ids=["count", "sum"])
@pytest.mark.parametrize("ratio", [None, F(1, 3)], ids=["exact", "noisy"])
def test_a_figure_is_compared_with_the_figure_of_the_others(law: Law, known: int, ratio: Fraction | None) -> None:
    figure = dl.Count() if law is COIN else dl.Sum()
    mechanism = figure >> (dl.Exact() if ratio is None else dl.mechanisms.rational_geometric(ratio))
    belief = dl.IID(values=dict(law), n=6, known=known)
    delta = dl.verify(mechanism, dl.distributional(belief), epsilon="1/2").delta
    exactly = float(truth([(F(1), law)], 6, known, ratio, FACTOR))
    assert delta.lower - 1e-12 <= exactly <= delta.upper + 1e-12
    assert delta.upper - delta.lower <= 1e-9
    assert dl.curve(mechanism, dl.distributional(belief)).delta(F(1, 2)).upper == pytest.approx(delta.upper)


@pytest.mark.parametrize("known", [0, 1])
def test_what_the_record_tells_of_a_hidden_part_does_not_count(known: int) -> None:
    """Noiseless privacy charges it: the two parts are far apart, and a record tells which is true."""
    laws = [{0: F(9, 10), 1: F(1, 10)}, {0: F(2, 5), 1: F(3, 5)}]
    parts = [(F(1, 2), law) for law in laws]
    belief = dl.beliefs.Mixture([(w, dl.IID(values=dict(law), n=6)) for w, law in parts], known=known)
    delta = dl.verify(dl.Count(), dl.distributional(belief), epsilon="1/2").delta
    exactly = float(truth(parts, 6, known, None, FACTOR))
    assert exactly <= delta.upper + 1e-12
    each = [dl.verify(dl.Count(), dl.distributional(dl.IID(values=dict(law), n=6, known=known)), epsilon="1/2")
            for law in laws]  # fmt: skip
    assert delta.upper == max(one.delta.upper for one in each)
    assert dl.curve(dl.Count(), dl.distributional(belief)).delta(F(1, 2)).upper == delta.upper


def test_a_million_records_and_a_target() -> None:
    """Independent value: yes/no records, so half-lines are the worst events; binomial tails by their own sums."""
    n, known = 1_000_000, 100_000
    guarantee = dl.verify(
        dl.Count(), dl.distributional(dl.IID(p="0.1", n=n, known=known)), epsilon="0.02", delta="1e-9"
    )
    others, p, top = n - 1 - known, 0.1, math.exp(0.02)

    def log_mass(k: int) -> float:
        return (math.lgamma(others + 1) - math.lgamma(k + 1) - math.lgamma(others - k + 1)
                + k * math.log(p) + (others - k) * math.log1p(-p))  # fmt: skip

    places = range(others // 10 - 4_000, others // 10 + 4_000)
    mass = [math.exp(log_mass(k)) for k in places]
    up = math.fsum(max(0.0, a - top * b) for a, b in itertools.pairwise(mass))
    down = math.fsum(max(0.0, b - top * a) for a, b in itertools.pairwise(mass))
    assert guarantee.delta.upper == pytest.approx(max(up, down), rel=1e-6)
    assert guarantee.verdict == "pass"
    assert guarantee.notion == Notion.DISTRIBUTIONAL


def test_records_that_move_together_are_refused() -> None:
    chain = dl.beliefs.Markov(
        start={0: "1/2", 1: "1/2"}, moves={0: {0: "0.9", 1: "0.1"}, 1: {0: "0.1", 1: "0.9"}}, n=10
    )
    with pytest.raises(InputError, match="independent given a hidden part"):
        dl.verify(dl.Count(), dl.distributional(chain), epsilon=1)
