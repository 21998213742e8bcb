"""Beliefs, secrets, statistics, channels and groups are values: frozen, compared by what they are, shown as written."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import dalenius as dl
from dalenius.judge.group import Believed, Group
from dalenius.judge.verification import one_group
from dalenius.mechanisms import Mechanism

MOVES = {0: {0: "0.7", 1: "0.3"}, 1: {0: "0.4", 1: "0.6"}}
PAIR = {(0, 0): "1/2", (1, 1): "1/2"}
MAKERS: dict[str, Callable[[], object]] = {
    "IID": lambda: dl.IID(p="0.3", n=50, known=0.2),
    "IID of values": lambda: dl.IID(values={"a": "1/2", "b": "1/2"}, n=50),
    "Independent": lambda: dl.Independent(rates=[0.1, 0.5, 0.5]),
    "Independent of an array": lambda: dl.Independent(rates=np.array([0.1, 0.5])),
    "Independent of groups": lambda: dl.Independent(groups=iter([({0: "1/2", 1: "1/2"}, 3)])),
    "AtLeast": lambda: dl.AtLeast({0: "1/2", 1: "1/2"}, weight="0.8", n=20),
    "Around": lambda: dl.Around({0: "1/2", 1: "1/2"}, radius="0.1", n=20),
    "Hull": lambda: dl.Hull([{0: "1/2", 1: "1/2"}, {0: "1/3", 1: "2/3"}], n=20),
    "Estimated": lambda: dl.Estimated({0: 40, 1: 60}, confidence="0.99", n=20),
    "Mixture": lambda: dl.Mixture([("1/2", dl.IID(p="0.1", n=9)), ("1/2", dl.IID(p="0.2", n=9))]),
    "Blocks": lambda: dl.Blocks([(PAIR, 10)]),
    "Markov": lambda: dl.Markov(start={0: "1/2", 1: "1/2"}, moves=MOVES, n=20),
    "Sampled": lambda: dl.Sampled({0: 10, 1: 10}, size=5),
    "Rates": lambda: dl.beliefs.Rates(["0.1", "0.3"], n=20),
    "RangeVariance": lambda: dl.beliefs.RangeVariance(n=100, bounds=(0, 10), variance=4),
    "Count": dl.Count,
    "Sum": lambda: dl.Sum(unit=Fraction(10)),
    "Histogram": lambda: dl.Histogram("a", "b"),
    "Rounded": lambda: dl.Rounded(5),
    "noise": lambda: dl.two_sided_geometric(2),
    "Within": lambda: dl.Within(3),
    "noiseless": lambda: dl.noiseless(dl.IID(p="0.3", n=50)),
    "group": lambda: one_group(Mechanism(dl.Count()), dl.noiseless(dl.IID(p="0.3", n=50))),
}


@pytest.mark.parametrize("name", MAKERS)
def test_two_that_are_made_alike_are_one_value(name: str) -> None:
    one, two = MAKERS[name](), MAKERS[name]()
    assert one == two
    assert hash(one) == hash(two)
    assert type(one).__name__ in repr(one)
    assert one != object()


@pytest.mark.parametrize("name", MAKERS)
def test_nothing_can_be_set_afterwards(name: str) -> None:
    made = MAKERS[name]()
    with pytest.raises((AttributeError, TypeError)):
        made.n = 3  # type: ignore[attr-defined]


def test_what_differs_is_another_value() -> None:
    made = [maker() for maker in MAKERS.values()]
    assert all((one == two) == (i == j) for i, one in enumerate(made) for j, two in enumerate(made))
    assert dl.IID(p="0.3", n=50) != dl.IID(p="0.3", n=51)
    assert dl.IID(p="0.3", n=50, known=1) != dl.IID(p="0.3", n=50)
    assert dl.fitted(dl.IID(p="0.3", n=50)) != dl.IID(p="0.3", n=50)
    assert dl.IID(values={"1": "1/2", "0": "1/2"}, n=5) != dl.IID(values={1: "1/2", 0: "1/2"}, n=5)
    chain = MAKERS["Markov"]()
    assert chain != chain.knowing(3)  # type: ignore[attr-defined]
    assert chain.at((2,)) != chain.at((3,))  # type: ignore[attr-defined]


def test_numbers_are_what_they_are_however_they_are_written() -> None:
    assert dl.IID(p=0.1, n=1000, known=0.2) == dl.IID(p="1/10", n=1000, known=200)
    assert dl.IID(p=0.1, n=1000).knowing(200) == dl.IID(p=0.1, n=1000, known=200)
    assert repr(dl.IID(p=0.1, n=1000, known=0.2)) == "IID(p=0.1, n=1000, known=0.2)"
    assert repr(dl.IID(p=0.1, n=1000).knowing(5)) == "IID(p=0.1, n=1000, known=5)"


def test_a_list_that_is_changed_later_changes_nothing() -> None:
    rates = [0.1, 0.5]
    made = dl.Independent(rates=rates)
    rates.append(0.9)
    assert made == dl.Independent(rates=[0.1, 0.5])


def test_a_group_says_what_it_is() -> None:
    group = MAKERS["group"]()
    assert isinstance(group, Group)
    assert isinstance(group.others[0], Believed)
    assert "IID(p='0.3', n=50)" in repr(group)


DIFFERENT = {
    "rates in words": lambda rate: dl.Independent(rates=[rate] * 5),
    "states of a chain": lambda rate: dl.Markov(
        start={0: "1/2", rate: "1/2"}, moves={0: {0: "1/2", rate: "1/2"}, rate: {0: "1/2", rate: "1/2"}}, n=9
    ),
    "labels of groups": lambda rate: dl.Independent(groups=[({rate: "1/2", 0: "1/2"}, 9)]),
    "labels of a class": lambda rate: dl.AtLeast({rate: "1/2", 0: "1/2"}, weight="1/2", n=9),
    "labels around": lambda rate: dl.Around({rate: "1/2", 0: "1/2"}, radius="1/10", n=9),
    "labels of a hull": lambda rate: dl.Hull([{rate: "1/2", 0: "1/2"}], n=9),
    "labels of blocks": lambda rate: dl.Blocks([({(rate,): "1/2", (0,): "1/2"}, 9)]),
    "a domain": lambda rate: dl.IID(p="1/2", n=9, domain=[0, 1, rate]),
    "counts": lambda rate: dl.Estimated({rate: 5, 0: 5}, confidence="0.9", n=9),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_labels_are_not_numbers_and_numbers_are_told_apart(name: str) -> None:
    """Caches look questions up by their beliefs: two that differ must never meet."""
    make = DIFFERENT[name]
    values = ["1/3", "1/7"] if name == "rates in words" else ["7", 7] if name != "a domain" else ["7", 7, 8]
    made = [make(value) for value in values]
    assert all((one == two) == (i == j) for i, one in enumerate(made) for j, two in enumerate(made))
    assert len({repr(one) for one in made}) == len(made)


def test_what_was_given_may_be_changed_later_and_what_was_made_may_not() -> None:
    law = {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}
    before = dl.Blocks([(law, 500)])
    law.update({(0,): Fraction(1, 1000), (1,): Fraction(999, 1000)})
    after = dl.Blocks([(law, 500)])
    assert before != after
    assert (
        dl.verify(dl.Count(), before, epsilon="1/2").delta.upper
        < dl.verify(dl.Count(), after, epsilon="1/2").delta.upper
    )
    rates = dl.Independent(rates=np.array([0.5] * 50))
    with pytest.raises(ValueError, match="read-only"):
        rates.rates[:] = 0.1
    with pytest.raises(TypeError):
        dl.Sampled({0: 10, 1: 10}, size=5).cells[0] = 3
    with pytest.raises(AttributeError):
        del dl.IID(p="1/2", n=9).n


def test_what_is_left_out_is_its_default() -> None:
    assert dl.IID(p="0.1", n=10) == dl.IID(p="0.1", n=10, known=0)
    assert dl.IID(p="0.1", n=10).knowing(3).knowing(0) == dl.IID(p="0.1", n=10)
    chain = dl.Markov(start={1: "1/2", 0: "1/2"}, moves={1: {1: "1/2", 0: "1/2"}, 0: {1: "1/2", 0: "1/2"}}, n=9)
    assert "known_at={3: 0}" in repr(chain.at({3: 0}))
