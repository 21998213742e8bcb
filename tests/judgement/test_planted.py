"""Each bound of the judge by itself, so that none of them can be turned round unnoticed."""

import itertools
import math
from fractions import Fraction

import pytest

from dalenius.basics.errors import InputError
from dalenius.beliefs import linked
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Secret, Value
from dalenius.judge.engine import composed
from dalenius.mechanisms import Chain, DiscreteGaussian, Rounded, TwoSidedGeometric
from dalenius.numerics.curve import Constant
from dalenius.tables.docket import Docket
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from dalenius.tables.history import Atom, Entry

F = Fraction
VALUE, PRESENCE = Value(), Presence()
NUMBERS = Numbers(F(1), F(1), F(3))
GEOMETRIC, GAUSSIAN, TWO = Chain((TwoSidedGeometric(F(4)),)), Chain((DiscreteGaussian(F(3)),)), Chain((Rounded(2),))
THIRDS = tuple((F(value), F(1, 3)) for value in (1, 2, 3))


def docket(secret: Secret = VALUE, epsilon: str = "1/2") -> Docket:
    belief = ColumnBelief("x", {(): THIRDS}, "test")
    letters = ColumnBelief("c", {(): (("a", F(1, 5)), ("b", F(2, 5)), ("d", F(2, 5)))}, "test")
    columns = {"x": NUMBERS, "c": Categories(("a", "b", "d"))}
    return Docket.of(columns, (belief, letters), Frame((), {(): 9}), secret, F(epsilon), F(1, 100))


def total(name: str, channel: Chain = Chain(())) -> Figure:  # noqa: B008 - a frozen value
    return Figure(name, "sum", "x", channel=channel)


def letter(name: str) -> Figure:
    return Figure(name, "count", None, Where((("c", OneOf((name,))),)))


def atom(*figures: Figure) -> Atom:
    return Atom(tuple(Entry(figure, ()) for figure in figures), (((), 9),))


def test_noise_of_several_figures_adds_up() -> None:
    assert docket().pure([total("f", GEOMETRIC), total("g", GEOMETRIC)]) == F(2, 4) + F(2, 4)
    assert docket(PRESENCE).pure([total("f", GEOMETRIC)]) == F(3, 4)
    assert docket().pure([total("f", GEOMETRIC), total("g", GAUSSIAN)]) == math.inf


def test_noise_of_several_figures_bounds_from_above_only() -> None:
    found = docket(epsilon="1/10").atom(atom(total("f", GEOMETRIC), total("g", GEOMETRIC)), 8, alone=False)
    assert found.delta.lower == 0 < found.delta.upper < 1


def test_the_better_of_two_bounds_is_used() -> None:
    noisy = atom(total("f", GEOMETRIC), total("g", GEOMETRIC))
    exact = atom(total("f"), total("g"))
    much, little = (
        docket(epsilon="1/10").atom(noisy, 8, alone=False),
        docket(epsilon="1/10").atom(noisy, 0, alone=False),
    )
    assert much.delta.upper < docket(epsilon="1/10").atom(exact, 8, alone=False).delta.upper
    assert little.delta.upper <= docket(epsilon="1/10").atom(exact, 0, alone=False).delta.upper


def test_rounding_counts_only_where_the_number_covers_nobody_else() -> None:
    rounded = total("f", TWO)
    alone, beside = (docket().single(atom(rounded), rounded, 0, alone=alone).delta for alone in (True, False))
    assert beside == docket().single(atom(total("f")), total("f"), 0, alone=True).delta
    assert alone != beside


def excess(whole: dict[tuple[int, int], Fraction], move: tuple[int, int]) -> float:
    """How far a law of pairs exceeds e^(1/2) times itself moved."""
    moved = {(at[0] + move[0], at[1] + move[1]): mass for at, mass in whole.items()}
    return sum(max(0.0, float(mass) - math.exp(0.5) * float(moved.get(at, F(0)))) for at, mass in whole.items())


def test_known_records_and_the_target_are_left_out_of_joint_laws() -> None:
    """Two letters of nine records, of which k are known: the pair of counts of 8 - k records against its shift."""
    law = {(1, 0): F(1, 5), (0, 1): F(2, 5), (0, 0): F(2, 5)}
    for known in (0, 3):
        whole = {(0, 0): F(1)}
        for _ in range(8 - known):
            more: dict[tuple[int, int], Fraction] = {}
            for (at, mass), (step, chance) in itertools.product(whole.items(), law.items()):
                key = (at[0] + step[0], at[1] + step[1])
                more[key] = more.get(key, F(0)) + mass * chance
            whole = more
        moves = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]
        truth = max(excess(whole, move) for move in moves)
        found = docket().atom(atom(letter("a"), letter("b")), known, alone=False).delta
        assert found.lower <= truth * (1 + 1e-9) and truth <= found.upper * (1 + 1e-9)
        assert found.upper <= truth * 1.001 + 1e-6


def test_pairs_of_facts_bound_the_joint_law(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = atom(letter("a"), letter("b"))
    joint = docket().atom(figures, 2, alone=False).delta

    def too_large(*_: object) -> None:
        raise InputError("too large")

    monkeypatch.setattr(linked, "joint_law", too_large)
    cells = docket().atom(figures, 2, alone=False).delta
    assert joint.lower <= cells.upper <= 1
    worst = [docket().atom(atom(letter("a"), letter("b")), known, alone=False).delta.upper for known in (0, 2, 6)]
    assert worst == sorted(worst)


def test_a_sure_disclosure_stays_sure_beside_others() -> None:
    assert composed([Constant(1.0), Constant(0.0), Constant(0.3)]).delta(F(1)).upper == 1
    persons = Figure("persons", "count")
    for figures in ([persons], [persons, total("f")]):
        assert docket(PRESENCE).atom(atom(*figures), 0, alone=True).delta.lower == 1


def test_where_presence_is_secret_rounding_may_stand_anywhere() -> None:
    """Sizes are lower bounds then, so what others add is not known; the worst place counts."""
    figure = total("f", Chain((Rounded(30),)))
    found = docket(PRESENCE).single(atom(figure), figure, 0, alone=True).delta
    fixed = docket().single(atom(figure), figure, 0, alone=True).delta
    assert found.lower == 0
    assert found.upper > fixed.upper
