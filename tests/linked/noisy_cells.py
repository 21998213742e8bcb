"""Small tables whose cells have noise, beside exact margins."""

from fractions import Fraction

from hypothesis import strategies as st

from dalenius.facts.records import Categories, Column, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Value
from dalenius.mechanisms import Chain, TwoSidedGeometric
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from judgement.worlds import World

F = Fraction


def noisy(scale: Fraction | int) -> Chain:
    return Chain((TwoSidedGeometric(F(scale)),))


def tables(column: Column, by: list[tuple[str, ...]], scale: Fraction) -> tuple[Figure, ...]:
    """Exact tables by these columns, and all cells with noise."""
    kind, of = ("sum", "x") if isinstance(column, Numbers) else ("count", None)
    where = Where() if of else Where((("x", OneOf((column.values[-1],))),))
    exact = [Figure(f"by {at}", kind, of, where, some) for at, some in enumerate(by)]
    return (*exact, Figure("cells", kind, of, where, ("r", "c"), noisy(scale)))


@st.composite
def worlds(draw: st.DrawFn, *, most: int) -> World:
    """Margins of a small table, exact; its cells with noise; sometimes only some margins, or the total."""
    cells = [(r, c) for r in (0, 1) for c in range(draw(st.sampled_from([2, 2, 3])))]
    sizes = draw(st.lists(st.integers(0, 2), min_size=len(cells), max_size=len(cells)))
    while sum(sizes) > most:
        sizes[sizes.index(max(sizes))] -= 1
    groups = {cell: n for cell, n in zip(cells, sizes, strict=True) if n} or {(0, 0): 2}
    column: Column = draw(
        st.sampled_from([Categories(("no", "yes"))] * 3 + [Categories(("a", "b", "c")), Numbers(F(1), F(0), F(2))])
    )
    by = draw(st.sampled_from([(), ("r",), ("r", "c")]))
    keys = dict.fromkeys(tuple(cell["rc".index(name)] for name in by) for cell in groups)
    weights = st.lists(st.sampled_from([0, 1, 1, 2, 3]), min_size=column.size, max_size=column.size).filter(any)
    laws = {key: draw(weights) for key in keys}
    table = {key: tuple(zip(column.values, [F(w, sum(row)) for w in row], strict=True)) for key, row in laws.items()}
    some = draw(st.sampled_from([[("r",), ("c",)], [("r",), ("c",)], [("r",)], [()], [(), ("c",)]]))
    figures = tables(column, some, F(draw(st.sampled_from(["1/2", "1", "2", "4"]))))
    known = draw(st.integers(0, min(2, sum(groups.values()) - 1)))
    secret = draw(st.sampled_from([Value(), Value(), Presence()]))
    epsilon = F(draw(st.sampled_from(["0", "0.3", "1", "2", "3"])))
    belief = ColumnBelief("x", table, "test", by)
    return World(Frame(("r", "c"), groups), {"x": column}, (belief,), figures, secret, known, epsilon)
