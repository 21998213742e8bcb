"""Moves and parts beside noise: never below the truth of small worlds, near it, judged again from what is written."""

import json
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from amount import worlds as amount
from certificates.tampering import resealed
from dalenius.beliefs.coins import Coins
from dalenius.facts.records import Categories
from dalenius.facts.secret import Value
from dalenius.mechanisms import TwoSidedGeometric, discrete_gaussian
from dalenius.plan import Publish, plan
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import certificate
from dalenius.tables.figures import ColumnBelief, Frame
from dalenius.tables.history import History
from dalenius.tables.veiled import Veiled, listed, together
from dalenius_checker.__main__ import examined
from dalenius_checker.document import RefusedError, read
from judgement.clamped import clamped_truth
from judgement.worlds import World
from linked.noisy_cells import tables, worlds
from linked.tables import moves

F = Fraction
HAIR = 1e-9


def veiled(small: World, place: int, delta: float = 1e-6) -> float:
    """The bound by moves, or parts, beside noise, if so much is wanted."""
    found = moves(small, delta)
    target = int(np.flatnonzero(found.cover.member == place)[0])
    if found.docket.certain(found.cover.atoms[place].figures):
        return 1.0
    (topic,) = [topic for topic in found._all_topics() if found._covering(topic, target)]
    return float(found._veiled(topic, target)[0].delta(small.epsilon).upper)


@pytest.mark.slow
@settings(max_examples=amount(40, 1500))
@given(small=worlds(most=7))
def test_moves_beside_noise_are_never_below_the_truth(small: World):
    atoms = moves(small).cover.atoms
    for place, atom in enumerate(atoms):
        exact = clamped_truth(small, atom)
        assert exact <= veiled(small, place, max(exact, HAIR)) + HAIR


@pytest.mark.parametrize("number", [1, 2, 5, 40])
@pytest.mark.parametrize("profile", [((2, 1),), ((2, 1), (2, 1), (2, 1), (2, 1)), ((1, 3), (4, 1)), ((F(5, 2), 2),)])
@pytest.mark.parametrize("epsilon", ["0", "1/2", "2", "9"])
def test_coins_beside_geometric_noise_by_listing_all_results(number: int, profile: tuple, epsilon: str):
    """Results of noise below 0, between 0 and the move, and above it: one for each ratio of probabilities."""
    rate, at = 0.3, math.exp(F(epsilon))
    coins = [math.comb(number, k) * rate**k * (1 - rate) ** (number - k) for k in range(number + 1)]
    noise = [(1.0, 1.0)]
    for scale, far in profile:
        x = math.exp(-1 / scale)
        mass = [1 / (1 + x), *((1 - x) / (1 + x) * x**k for k in range(1, far)), x**far / (1 + x)]
        noise = [(p * mass[k], q * mass[far - k]) for p, q in noise for k in range(far + 1)]
    there, back = [*coins, 0.0], [0.0, *coins]
    exact = max(
        math.fsum(max(0.0, p * u - at * q * v) for p, q in zip(one, two, strict=True) for u, v in noise)
        for one, two in ((there, back), (back, there))
    )
    upper = together(number, rate, tuple((TwoSidedGeometric(F(scale)), far) for scale, far in profile), F(epsilon))
    assert exact * (1 - 1e-9) <= upper <= exact * (1 + 1e-6) + 1e-300


@pytest.mark.slow
def test_noise_of_other_sorts_is_composed():
    """Discrete Gaussian noise, and noise with too many losses; more noise hides better."""
    coins, one = Coins(), (np.array([1.0]), np.array([30]))
    rare = (np.array([0.25]), np.array([40]))
    told = [
        Veiled(one, rare, (((discrete_gaussian(scale), 1),) * 4,), 2, 0.5, coins).delta(F(1)).upper
        for scale in (2, 4, 8)
    ]
    assert told[0] > told[1] > told[2] > Veiled(one, rare, (), 2, 0.5, coins).delta(F(1)).upper
    assert listed(((discrete_gaussian(2), 1),)) is None
    assert listed(((TwoSidedGeometric(F(1)), 5000),)) is None
    wide = Veiled(one, rare, (((TwoSidedGeometric(F(9000)), 5000),),), 2, 0.5, coins).delta(F(2)).upper
    assert wide < 1


def test_known_records_are_lost_from_the_moves_that_leave_noise_nothing_to_hide():
    """Of thirty records and forty moves, or as if all moves were of the second kind where these weigh more."""
    coins, profile = Coins(), (((TwoSidedGeometric(F(3)), 1),) * 4,)
    one, rare = (np.array([1.0]), np.array([30])), (np.array([0.25]), np.array([40]))
    left = (np.array([1.0]), np.array([18]))
    told = Veiled(one, rare, profile, 12, 0.5, coins).delta(F(1)).upper
    assert told == Veiled(left, rare, profile, 0, 0.5, coins).delta(F(1)).upper
    turned = Veiled(rare, one, profile, 12, 0.5, coins).delta(F(1)).upper
    nothing = (np.array([0.0]), np.array([1]))
    both = (np.array([1.0, 0.25]), np.array([30, 40]))
    assert turned == Veiled(nothing, both, profile, 12, 0.5, coins).delta(F(1)).upper
    assert turned > told


def test_many_coins_are_counted_coarsely_and_from_above():
    coins, profile = Coins(), (((TwoSidedGeometric(F(8)), 1),) * 4,)
    few = [(np.array([1.0]), np.array([n])) for n in (900, 2000, 90_000)]
    told = [Veiled(one, one, profile, 0, 0.5, coins).delta(F(1)).upper for one in few]
    assert told[0] >= told[1] >= told[2]


def released(
    sizes: tuple[int, ...] = (12,) * 4,
    *,
    wide: int = 2,
    rate: str = "1/2",
    scale: int = 4,
    known: int = 0,
    epsilon: int = 1,
) -> World:
    """All cells of a table with noise, beside its exact margins."""
    column = Categories(("no", "yes"))
    groups = {divmod(at, wide): size for at, size in enumerate(sizes)}
    belief = ColumnBelief("x", {(): (("no", 1 - F(rate)), ("yes", F(rate)))}, "test")
    figures = tables(column, [("r",), ("c",)], F(scale))
    return World(Frame(("r", "c"), groups), {"x": column}, (belief,), figures, Value(), known, F(epsilon))


@pytest.mark.parametrize("scale", [2, 4])
@pytest.mark.parametrize("epsilon", [1, 2, 3])
@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (1, 1, 1, 1, 1, 1)])
def test_exact_margins_beside_noisy_cells_are_near_the_truth(sizes: tuple[int, ...], epsilon: int, scale: int):
    small = released(sizes, wide=len(sizes) // 2, scale=scale, epsilon=epsilon)
    exact = clamped_truth(small)
    upper = veiled(small, 0, exact)
    assert exact <= upper + HAIR
    assert upper <= 1.33 * exact  # what is left is that of moves in the exact margins


def written(small: World, delta: Fraction) -> tuple[dict[str, object], Publish]:
    question = small.question(delta)
    found = plan(small.figures, History(), question)
    assert isinstance(found, Publish)
    content = certificate(found, question, small.figures, (), version="0", largest_known=None, table=b"")
    return json.loads(content), found


CASES = {
    "moves": (released(), F(22, 1000)),
    "moves, some known": (released((14,) * 4, known=3), F(24, 1000)),
    "in parts": (released((6, 200, 200, 200), rate="1/20", scale=9), F(1, 20)),
    "side by side": (released((3,) * 6, wide=3, scale=4, epsilon=2), F(78, 1000)),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_both_programs_confirm_moves_beside_noise(case: tuple[World, Fraction]):
    document, found = written(*case)
    assert "moves" in {finding.method for finding in found.findings}
    content = json.dumps(document).encode()
    assert recheck(content).code == 0, recheck(content).text()
    assert examined(read(content)) == []


def rows(document: dict[str, object]) -> list[list[object]]:
    return document["moves"][0]["packings"][0]


def legs(document: dict[str, object]) -> list[dict[str, object]]:
    return next(way["legs"] for way in document["moves"][0]["ways"] if "legs" in way)


def beside(document: dict[str, object]) -> list[list[dict[str, object]]]:
    return next(way["beside"] for way in document["moves"][0]["ways"] if "beside" in way)


FORGED = {
    "a move more often than there are people": ("moves", lambda d: rows(d)[0].__setitem__(0, 13)),
    "a record of another cell": ("moves", lambda d: rows(d)[0][1][0].__setitem__(0, 3)),
    "a part that does not fit": ("in parts", lambda d: legs(d)[0].update(against=True)),
    "more people in a part": ("in parts", lambda d: legs(d)[0]["records"][0].__setitem__(0, 201)),
    "a part less": ("in parts", lambda d: legs(d).pop()),
    "a list beside parts that does not fit": ("side by side", lambda d: beside(d)[0][0].update(against=True)),
    "more people in a list beside": ("side by side", lambda d: beside(d)[0][0]["records"][0].__setitem__(0, 4)),
    "people in two lists beside": ("side by side", lambda d: beside(d)[0].__setitem__(0, beside(d)[1][0])),
    "less noise beside moves": ("moves", lambda d: d["figures"][2].update(channel=[["geometric", "1/64"]])),
    "less noise beside parts": ("in parts", lambda d: d["figures"][2].update(channel=[["geometric", "2"]])),
}


@pytest.mark.slow
@pytest.mark.parametrize(("case", "change"), FORGED.values(), ids=FORGED.keys())
def test_forged_moves_beside_noise_are_confirmed_by_none(case: str, change: Callable[[dict[str, object]], object]):
    document, _ = written(*CASES[case])
    change(document)
    content = resealed(document)
    assert recheck(content).code == 1
    try:
        left = examined(read(content))
    except RefusedError:
        left = ["refused"]
    assert left
