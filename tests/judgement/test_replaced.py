"""A judge who remembers says exactly what one says who does not: at another epsilon, or with anything changed."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dalenius.facts.records import Categories, Column, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Secret, Value
from dalenius.judge.engine import EXACT
from dalenius.mechanisms import Chain, DiscreteGaussian, Rounded, TwoSidedGeometric
from dalenius.tables.docket import Docket
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from dalenius.tables.history import Atom, Cover
from dalenius.tables.moves import Moves

F = Fraction
COLUMNS: dict[str, Column] = {"x": Categories(("no", "yes")), "w": Numbers(F(1), F(1), F(3))}
FRAME = Frame(("r", "c"), {(0, 0): 2, (0, 1): 4, (1, 0): 4, (1, 1): 4})
YES = Where((("x", OneOf(("yes",))),))
NOISE = Chain((TwoSidedGeometric(F(1)),))
NORMAL = Chain((DiscreteGaussian(F(2)),))
FIGURES = {
    "margins": (Figure("a", "count", None, YES, ("r",)), Figure("b", "count", None, YES, ("c",))),
    "columns": (Figure("a", "count", None, YES), Figure("b", "sum", "w")),
    "linked": (Figure("a", "count", None, Where((*YES.tests, ("w", OneOf((F(1),)))))), Figure("b", "sum", "w")),
    "repeated": (Figure("a", "count", None, YES, (), NORMAL), Figure("b", "count", None, YES, ("r",), NORMAL)),
    "sum": (Figure("a", "sum", "w"),),  # absent is farther from 3 than 1 is
    "rounded": (Figure("a", "count", None, YES, (), Chain((Rounded(3),))),),
    "persons": (Figure("a", "count", None, Where(), (), NOISE), Figure("b", "count", None, YES, (), NOISE)),
}


def beliefs(*, rate: str = "1/3", estimated: bool = False) -> tuple[ColumnBelief, ...]:
    bit, number = (("no", 1 - F(rate)), ("yes", F(rate))), tuple((F(v), F(1, 3)) for v in (1, 2, 3))
    least = {(): tuple((value, chance * F(9, 10)) for value, chance in bit)} if estimated else None
    return ColumnBelief("x", {(): bit}, "test", least=least), ColumnBelief("w", {(): number}, "test")


def docket(secret: Secret, *, estimated: bool = False) -> Docket:
    return Docket.of(COLUMNS, beliefs(estimated=estimated), FRAME, secret, F(1, 2), F(1, 1000))


def changed_docket(first: Docket, **changed: object) -> Docket:
    mine = {name: value for name, value in changed.items() if name == "beliefs"}
    theirs = {name: value for name, value in changed.items() if name != "beliefs"}
    return replace(first, judge=replace(first.judge, **theirs), **mine)


def said(by: Docket, figures: tuple[Figure, ...]) -> list[object]:
    """All that a judge can be asked about a release."""
    cover = Cover.of(figures, FRAME, COLUMNS)
    found: list[object] = [by.pure(figures), by.certain(figures), *(by.move(figure) for figure in figures)]
    moves = Moves(cover, by, 1)
    for place, atom in enumerate(cover.atoms):
        found += [by.crowd(atom), by.atom(atom, 1, alone=len(figures) == 1), by.atom(atom, 0, alone=False, quick=True)]
        found += [moves.judged(place, 1)] if len(cover.atoms) > 1 else []
        for figure in figures:
            kind = by.laws(atom, [figure])
            found += [kind, by.single(atom, figure, 1, alone=False), by.witness(atom, figure, 0, alone=True)]
            found += [by.curve(kind, 0, EXACT).delta(by.epsilon)]
    return found


@pytest.mark.parametrize("secret", [Value(), Presence()])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n in ("columns", "repeated"))) for n in FIGURES]
)
def test_at_another_epsilon_a_judge_who_remembers_says_the_same(name: str, secret: Secret) -> None:
    first = docket(secret)
    said(first, FIGURES[name])
    epsilon = F(3, 2)
    fresh = changed_docket(docket(secret), epsilon=epsilon)
    assert said(first.at(epsilon), FIGURES[name]) == said(fresh, FIGURES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["margins", "rounded"])
def test_estimated_beliefs_too(name: str) -> None:
    first = docket(Value(), estimated=True)
    said(first, FIGURES[name])
    fresh = changed_docket(docket(Value(), estimated=True), epsilon=F(1))
    assert said(first.at(F(1)), FIGURES[name]) == said(fresh, FIGURES[name])


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed",
    [{"secret": Presence()}, {"enough": F(1, 10)}, {"beliefs": beliefs(rate="9/10")}, {"epsilon": F(2)}],
    ids=lambda changed: next(iter(changed)),
)
@pytest.mark.parametrize("name", ["margins", "persons", "sum"])
def test_a_judge_who_is_changed_remembers_nothing(name: str, changed: dict[str, object]) -> None:
    first = docket(Value())
    said(first, FIGURES[name])
    given = {field: getattr(first, field) for field in ("columns", "beliefs", "frame", "secret", "epsilon", "enough")}
    fresh = Docket.of(**{**given, **changed})
    assert said(changed_docket(first, **changed), FIGURES[name]) == said(fresh, FIGURES[name])


def test_people_of_another_kind_are_not_mistaken_for_those_judged_before() -> None:
    one = docket(Value())
    figure = FIGURES["columns"][0]
    sizes = (2, 5, 3)
    found = [one.single(Atom((), (((0, 0), size),)), figure, 0, alone=True).delta for size in sizes]
    assert found == [docket(Value()).single(Atom((), (((0, 0), n),)), figure, 0, alone=True).delta for n in sizes]
    assert len({bracket.upper for bracket in found}) == len(sizes)
