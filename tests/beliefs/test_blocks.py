"""Blocks against brute force over all datasets, all targets, all known records and all their values."""

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.beliefs.blocks import Blocks
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Facts, Presence, Value
from dalenius.facts.statistics import Sum
from oracle import laws as lw
from oracle import strategies
from oracle.channels import publish

from .worlds import RELEASES

Joint = dict[tuple[int, ...], Fraction]
EPSILONS = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(3)])


def bracket(belief: Blocks, epsilon: Fraction, release: str = "exact") -> Bracket:
    facts = Facts.of(Value(), [Sum().contribution(value) for value in belief.domain()])
    with np.errstate(all="ignore"):
        return belief.curve(Sum(), facts, RELEASES[release][0], known=belief.known).delta(epsilon)


def truth(blocks: Sequence[Joint], known: int, epsilon: Fraction, release: str) -> Fraction:
    """Worst over targets, at most `known` other records, what they can be, and two possible values of the target."""
    whole: Joint = {(): Fraction(1)}
    for block in blocks:
        whole = {(*a, *b): p * q for (a, p), (b, q) in itertools.product(whole.items(), block.items()) if p * q}
    n, worst = len(next(iter(whole))), Fraction(0)
    for target, size in itertools.product(range(n), range(known + 1)):
        for seen in itertools.combinations([j for j in range(n) if j != target], size):
            worlds: dict[tuple[int, ...], dict[int, dict[int, Fraction]]] = {}
            for row, chance in whole.items():
                laws = worlds.setdefault(tuple(row[j] for j in seen), {})
                law = laws.setdefault(row[target], {})
                law[sum(row)] = law.get(sum(row), Fraction(0)) + chance
            for laws in worlds.values():
                shown = [publish(normal(law), RELEASES[release][1]) for law in laws.values()]
                for one, two in itertools.permutations(shown, 2):
                    worst = max(worst, Fraction(str(float(lw.hockey_stick(one, two, epsilon).mid()))))
    return worst


def normal(law: dict[int, Fraction]) -> lw.Law:
    whole = sum(law.values())
    return {at: mass / whole for at, mass in law.items()}


@st.composite
def joints(draw: st.DrawFn, *, largest: int = 2) -> Joint:
    states = list(itertools.product((0, 1), repeat=draw(st.integers(1, largest))))
    chances = draw(strategies.masses(len(states)))
    return dict(zip(states, chances, strict=True))


@given(
    blocks=st.lists(joints(), min_size=1, max_size=3),
    known=st.integers(0, 2),
    epsilon=EPSILONS,
    release=st.sampled_from(["exact", "exact", "rounded 2"]),
)
def test_the_upper_end_holds_and_the_lower_end_is_some_attack(
    blocks: list[Joint], known: int, epsilon: Fraction, release: str
) -> None:
    blocks = blocks if release == "exact" else blocks[:2]
    n = sum(len(next(iter(block))) for block in blocks)
    belief = Blocks([(block, 1) for block in blocks], known=min(known, n - 1), domain=(0, 1))
    found, wanted = bracket(belief, epsilon, release), truth(blocks, belief.known, epsilon, release)
    assert wanted <= Fraction(found.upper) + Fraction(1, 10**12)
    if all(len(next(iter(block))) > 1 for block in blocks):  # single records are judged for impossible values too
        assert Fraction(found.lower) <= wanted + Fraction(1, 10**9)
        if belief.known == 0:
            assert found.width <= 1e-9


@pytest.mark.slow
@given(rates=st.lists(strategies.inner_rates(), min_size=2, max_size=4), known=st.integers(0, 2), epsilon=EPSILONS)
def test_blocks_of_one_record_are_independent_records(rates: list[Fraction], known: int, epsilon: Fraction) -> None:
    known = min(known, len(rates) - 1)
    single = Blocks([({(0,): 1 - p, (1,): p}, 1) for p in rates], known=known)
    plain = dl.Independent(groups=[({0: 1 - p, 1: p}, 1) for p in rates], known=known)
    facts = Facts.of(Value(), (0, 1))
    with np.errstate(all="ignore"):
        wanted = plain.curve(Sum(), facts, RELEASES["exact"][0], known=known).delta(epsilon)
    found = bracket(single, epsilon)
    assert found.upper == pytest.approx(wanted.upper, rel=1e-7, abs=1e-12)
    assert found.lower <= wanted.lower * (1 + 1e-6) + 1e-9  # the worst blocks to know are not always found


def test_one_of_each_pair_of_twins_tells_all() -> None:
    """Grining and Klonowski, Theorem 5, counterexample: pairs of equal records, one of each known: nothing is left."""
    twins = Blocks(values={0: "1/2", 1: "1/2"}, sizes={2: 50}, known=50)
    assert bracket(twins, Fraction(1)).upper == 1.0
    assert bracket(twins.knowing(0), Fraction(1)).upper < 0.2


def test_a_whole_household_moves_the_figure() -> None:
    """Three who are always alike move a count by three, among multiples of three."""
    homes = Blocks(values={0: "1/2", 1: "1/2"}, sizes={3: 101})
    alone = dl.IID(p="1/2", n=101)
    wanted = dl.verify(dl.Count(), dl.noiseless(alone), epsilon="1/2").delta
    found = dl.verify(dl.Count(), dl.noiseless(homes), epsilon="1/2").delta
    assert found.upper == pytest.approx(wanted.upper, rel=1e-9)
    mixed = Blocks(values={0: "1/2", 1: "1/2"}, sizes={3: 101, 1: 300})
    assert dl.verify(dl.Count(), dl.noiseless(mixed), epsilon="1/2").delta.upper < found.lower


def test_many_blocks_are_quick_and_say_how_many_may_be_known() -> None:
    pair = {(0, 0): "0.5", (0, 1): "0.15", (1, 0): "0.15", (1, 1): "0.2"}
    homes = Blocks([(pair, 50_000)], known=0.1)
    guarantee = dl.verify(dl.Count(), dl.noiseless(homes), epsilon="0.1")
    assert 0 < guarantee.delta.upper < 1e-9


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (Blocks, "either blocks"),
        (lambda: Blocks(values={0: 1}), "either blocks"),
        (lambda: Blocks(values={0: 1}, sizes={-2: 3}), "size of at least 1 record, but got -2"),
        (lambda: Blocks(values={0: 1}, sizes={2: -3}), "count of at least 0, but got -3"),
        (lambda: Blocks([({(0, 1): "1/2", (0,): "1/2"}, 3)]), "one length"),
        (lambda: Blocks([({(0, 1): "1/2"}, 3)]), "sum to 1, but they sum to 0.5. Correct the joint law"),
        (lambda: Blocks([({(0,): "3/2", (1,): "-1/2"}, 3)]), "at least 0 and sum to 1, but the least is -0.5. Correct"),
        (lambda: Blocks([]), "at least one record"),
        (lambda: Blocks(values={0: 1}, sizes={2: 3}, known=6), "0 to 5 of 6 records, but got 6. Somebody must"),
        (lambda: Blocks(values={0: 1}, sizes={2: 3}, domain=[1]), "must hold every value"),
        (
            lambda: dl.verify(
                dl.Sum(), dl.noiseless(Blocks(values={1: 1}, sizes={2: 3}), secret=Presence()), epsilon=1
            ),
            "absence",
        ),
    ],
)
def test_what_is_not_a_crowd_of_blocks_is_refused(make: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()  # type: ignore[operator]


def test_a_guarantee_for_blocks_does_not_fear_households() -> None:
    homes = Blocks(values={0: "1/2", 1: "1/2"}, sizes={3: 11})
    broken = dl.verify(dl.Count(), dl.noiseless(homes), epsilon=1).breaks
    assert any(line.startswith("blocks that move together") for line in broken)
    assert not any(line.startswith("records that move together") for line in broken)
