"""A hidden parameter against brute force over all datasets, and against the finite worlds."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.beliefs import mixture as module
from dalenius.beliefs.mixture import Mixture
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Facts, Presence, Value
from dalenius.facts.statistics import Count, Statistic, Sum
from dalenius.papers.finite import Finite, FiniteMechanism, noiseless_by_value
from oracle import laws as lw
from oracle import strategies
from oracle.channels import publish

from .worlds import RELEASES

EPSILONS = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(3)])
Part = tuple[Fraction, lw.Law]


def bracket(belief: Mixture, statistic: Statistic, epsilon: Fraction, release: str = "exact") -> Bracket:
    facts = Facts.of(Value(), [statistic.contribution(value) for value in belief.domain()])
    with np.errstate(all="ignore"):
        return belief.curve(statistic, facts, RELEASES[release][0], known=belief.known).delta(epsilon)


def truth(parts: list[Part], n: int, known: int, epsilon: Fraction, statistic: Statistic, release: str) -> Fraction:
    """Record 0 is the target, the next ones are known: all their values, and any number of them up to `known`."""
    rows: dict[tuple[int, ...], Fraction] = {}
    for weight, law in parts:
        for draw in itertools.product(law.items(), repeat=n):
            row = tuple(value for value, _ in draw)
            rows[row] = rows.get(row, Fraction(0)) + weight * math.prod(chance for _, chance in draw)
    worst = Fraction(0)
    for number in range(known + 1):
        worlds: dict[tuple[int, ...], dict[int, dict[int, Fraction]]] = {}
        for row, chance in rows.items():
            if chance:
                law = worlds.setdefault(row[1 : 1 + number], {}).setdefault(row[0], {})
                total = sum(statistic.contribution(value) for value in row)
                law[total] = law.get(total, Fraction(0)) + chance
        for laws in worlds.values():
            shown = [
                publish({k: m / sum(law.values()) for k, m in law.items()}, RELEASES[release][1])
                for law in laws.values()
            ]
            for one, two in itertools.permutations(shown, 2):
                worst = max(worst, Fraction(str(float(lw.hockey_stick(one, two, epsilon).mid()))))
    return worst


@st.composite
def mixtures(draw: st.DrawFn) -> list[Part]:
    values = draw(st.sampled_from([(0, 1), (0, 1, 2)]))
    count = draw(st.integers(1, 3))
    weights = draw(strategies.masses(count).filter(all))
    laws = [dict(zip(values, draw(strategies.masses(len(values))), strict=True)) for _ in range(count)]
    return list(zip(weights, laws, strict=True))


@given(
    parts=mixtures(),
    n=st.integers(2, 4),
    known=st.integers(0, 2),
    epsilon=EPSILONS,
    statistic=st.sampled_from([Sum(), Count()]),
    release=st.sampled_from(["exact", "exact", "rounded 2", "geometric 1"]),
)
def test_exact_where_known_values_are_listed_and_above_the_truth_where_they_are_not(
    parts: list[Part], n: int, known: int, epsilon: Fraction, statistic: Statistic, release: str
) -> None:
    used = {value for _, law in parts for value, chance in law.items() if chance}
    beliefs = [(w, dl.IID(values={v: c for v, c in law.items() if c}, n=n)) for w, law in parts]
    belief = Mixture(beliefs, known=min(known, n - 1))
    wanted = truth(parts, n, belief.known, epsilon, statistic, release) if len(used) > 1 else Fraction(0)
    found = bracket(belief, statistic, epsilon, release)
    assert Fraction(found.lower) - Fraction(1, 10**12) <= wanted <= Fraction(found.upper) + Fraction(1, 10**12)
    assert found.width <= 1e-9
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "VIEWS", 0)
        loose = bracket(belief, statistic, epsilon, release)
    assert Fraction(loose.lower) - Fraction(1, 10**12) <= wanted <= Fraction(loose.upper) + Fraction(1, 10**12)


def test_finite_worlds_agree() -> None:
    laws = [{0: Fraction(9, 10), 1: Fraction(1, 10)}, {0: Fraction(2, 5), 1: Fraction(3, 5)}]
    world = Finite.mixture([("1/3", Finite.product([laws[0]] * 4)), ("2/3", Finite.product([laws[1]] * 4))])
    wanted = noiseless_by_value(world, FiniteMechanism.of(dl.Count(), world), "1/2")
    belief = Mixture([("1/3", dl.IID(values=laws[0], n=4)), ("2/3", dl.IID(values=laws[1], n=4))])
    found = bracket(belief, Count(), Fraction(1, 2))
    assert found.upper == pytest.approx(wanted.upper, rel=1e-12)


def test_one_part_is_that_part() -> None:
    part = dl.IID(p="0.3", n=200)
    facts, release = Facts.of(Value(), (0, 1)), RELEASES["exact"][0]
    wanted = part.curve(Count(), facts, release, known=0).delta(Fraction(1, 5))
    found = bracket(Mixture([(1, part)]), Count(), Fraction(1, 5))
    assert found.upper == pytest.approx(wanted.upper, rel=1e-9)


def test_a_hidden_rate_costs_more_than_either_rate() -> None:
    parts = [("1/2", dl.IID(p="0.1", n=1000)), ("1/2", dl.IID(p="0.2", n=1000))]
    alone = [dl.verify(dl.Count(), dl.noiseless(part), epsilon="1/2").delta.upper for _, part in parts]
    hidden = bracket(Mixture(parts), Count(), Fraction(1, 2))
    assert max(alone) < 1e-5 < 0.01 < hidden.lower


def test_the_bound_for_many_known_records_falls_to_the_parts_beyond_the_ratio_of_weights() -> None:
    """Rates 0.4 and 0.5: one value changes the odds of the parts by at most 3/2, in either direction."""
    parts = [("1/2", dl.IID(p="0.4", n=5000)), ("1/2", dl.IID(p="0.5", n=5000))]
    belief = Mixture(parts, known=1000)
    assert bracket(belief, Count(), Fraction(1, 10)).upper > 0.2
    far = bracket(belief, Count(), Fraction(1))
    shifted = dl.verify(dl.Count(), dl.noiseless(dl.IID(p="0.4", n=5000, known=1000)), epsilon="0.59").delta
    assert far.upper <= shifted.upper


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Mixture([("1/2", dl.IID(p=0.1, n=3))]), "sum to 1"),
        (lambda: Mixture([(1, dl.Independent(rates=[0.1]))]), "must be IID"),
        (lambda: Mixture([(1, dl.IID(p=0.1, n=3, known=1))]), "without known records"),
        (lambda: Mixture([("1/2", dl.IID(p=0.1, n=3)), ("1/2", dl.IID(p=0.1, n=4))]), "same number"),
        (lambda: Mixture([(1, dl.IID(p=0, n=3))]), "positive probability"),
        (lambda: Mixture([(1, dl.IID(p=0.1, n=3))], known=3), "0 to 2 of 3"),
        (
            lambda: dl.verify(
                dl.Count(), dl.noiseless(Mixture([(1, dl.IID(p=0.1, n=3))]), secret=Presence()), epsilon=1
            ),
            "not whether a person",
        ),
    ],
)
def test_what_is_no_mixture_is_refused(make: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()  # type: ignore[operator]
