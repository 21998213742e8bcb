"""Small linked tables: people by public columns, a confidential one, and tables with margins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from hypothesis import strategies as st

from dalenius.facts.records import Categories, Column, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Secret, Value
from dalenius.tables.docket import Docket
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from dalenius.tables.history import Cover
from dalenius.tables.moves import Moves
from judgement.worlds import World

F = Fraction
YES = Where((("x", OneOf(("yes",))),))


def table(name: str, *by: str, where: Where = YES) -> Figure:
    """A count of "yes", split by public columns."""
    return Figure(name, "count", None, where, by)


def coin(rate: Fraction | str) -> tuple[tuple[str, Fraction], ...]:
    return ("no", 1 - F(rate)), ("yes", F(rate))


def yes_no(rate: Fraction | str = "1/2", **tests: object) -> tuple[dict[str, Column], tuple[ColumnBelief, ...]]:
    return {"x": Categories(("no", "yes"))}, (ColumnBelief("x", {(): coin(rate)}, "test"),)


def world(
    groups: Mapping[tuple[object, ...], int],
    figures: Sequence[Figure],
    *,
    names: tuple[str, ...] = ("r", "c"),
    rate: Fraction | str = "1/2",
    epsilon: str = "1/2",
    known: int = 0,
    secret: Secret | None = None,
) -> World:
    columns, beliefs = yes_no(rate)
    return World(Frame(names, groups), columns, beliefs, tuple(figures), secret or Value(), known, F(epsilon))


def moves(world: World, delta: float = 1e-6) -> Moves:
    """Moves that are looked for until such a delta is reached, or is out of reach."""
    docket = Docket.of(world.columns, world.beliefs, world.frame, world.secret, world.epsilon, F(delta))
    return Moves(Cover.of(world.figures, world.frame, world.columns), docket, world.known)


WHERES = [Where(), Where((("r", OneOf((0,))),)), Where((("c", OneOf((0, 1))),))]
SHAPES: list[Column] = [
    Categories(("no", "yes")),
    Categories(("no", "yes")),
    Numbers(F(1), F(0), F(1)),
    Numbers(F(1), F(-1), F(1)),
    Categories(("no", "some", "yes")),
]


@st.composite
def worlds(draw: st.DrawFn, *, most: int = 8) -> World:
    """Two public columns of two or three values, margins and sometimes a filter, everybody's law their own."""
    wide = draw(st.integers(2, 3))
    cells = [(r, c) for r in (0, 1) for c in range(wide)]
    sizes = draw(st.lists(st.integers(0, 3), min_size=len(cells), max_size=len(cells)))
    while sum(sizes) > most:
        sizes[sizes.index(max(sizes))] -= 1
    groups = {cell: n for cell, n in zip(cells, sizes, strict=True) if n} or {(0, 0): 2}
    column = draw(st.sampled_from(SHAPES))
    by = draw(st.sampled_from([(), (), ("r",), ("r", "c")]))
    keys = dict.fromkeys(tuple(cell["rc".index(name)] for name in by) for cell in groups)
    weights = st.lists(st.sampled_from([0, 1, 1, 1, 2, 3]), min_size=column.size, max_size=column.size).filter(any)
    belief = ColumnBelief("x", {key: _marginal(column, draw(weights)) for key in keys}, "test", by)
    figures = tuple(_figure(draw, f"f{place}", column, place) for place in range(draw(st.integers(2, 3))))
    known = draw(st.integers(0, min(2, sum(groups.values()) - 1)))
    secret = draw(st.sampled_from([Value(), Value(), Presence()]))
    epsilon = F(draw(st.sampled_from(["0", "0.3", "1", "2"])))
    return World(Frame(("r", "c"), groups), {"x": column}, (belief,), figures, secret, known, epsilon)


def _marginal(column: Column, weights: Sequence[int]) -> tuple[tuple[object, Fraction], ...]:
    return tuple((value, F(w, sum(weights))) for value, w in zip(column.values, weights, strict=True))


def _figure(draw: st.DrawFn, name: str, column: Column, place: int) -> Figure:
    by = (("r",), ("c",), draw(st.sampled_from([(), (), ("r",), ("r", "c")])))[place]
    public = draw(st.sampled_from(WHERES)).tests if draw(st.integers(0, 3)) == 0 else ()
    if isinstance(column, Numbers):
        return Figure(name, "sum", "x", Where(public), by)
    value = draw(st.sampled_from(column.values[1:]))
    return Figure(name, "count", None, Where((*public, ("x", OneOf((value,))))), by)
