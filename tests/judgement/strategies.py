"""Random small worlds: a handful of persons, one or two confidential columns, one to three figures."""

from fractions import Fraction

from hypothesis import assume
from hypothesis import strategies as st

from dalenius.facts.records import Categories, Column, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Value
from dalenius.mechanisms import Chain, DiscreteGaussian, Rounded, TwoSidedGeometric
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from judgement.worlds import World

PUBLIC = ("r", "s")
EXACT = Chain(())
ROUNDED = [Chain((Rounded(base),)) for base in (2, 3, 4, 5)]
NOISY = [Chain((TwoSidedGeometric(Fraction(1)),)), Chain((DiscreteGaussian(Fraction(1, 2)),))]
BOTH = [Chain((TwoSidedGeometric(Fraction(1)), Rounded(2))), Chain((Rounded(3), TwoSidedGeometric(Fraction(1))))]
COLUMNS: list[Column] = [
    Categories(("no", "yes")),
    Categories(("p", "q", "z")),
    Numbers(Fraction(1), Fraction(0), Fraction(1)),
    Numbers(Fraction(1), Fraction(-1), Fraction(2)),
    Numbers(Fraction(2), Fraction(0), Fraction(4)),
]


@st.composite
def marginals(draw: st.DrawFn, column: Column) -> tuple:
    weights = draw(st.lists(st.sampled_from([0, 1, 1, 2, 5, 20]), min_size=column.size, max_size=column.size))
    assume(sum(weights))
    return tuple((value, Fraction(w, sum(weights))) for value, w in zip(column.values, weights, strict=True))


@st.composite
def figures(draw: st.DrawFn, name: str, columns: dict[str, Column], channels: list[Chain]) -> Figure:
    tests = [
        (column, OneOf((draw(st.sampled_from(labels)),)))
        for column, labels in zip(PUBLIC, ("ab", "xy"), strict=True)
        if draw(st.integers(0, 2)) == 0
    ]
    numbers = [column for column in columns if isinstance(columns[column], Numbers)]
    kind = draw(st.sampled_from(["count", "count", "sum", "mean"] if numbers else ["count"]))
    # a mean needs a public number of records
    if kind != "mean" and draw(st.integers(0, 9)) < (9 if kind == "count" else 2):
        column = draw(st.sampled_from(list(columns)))
        values = list(columns[column].values)
        some = draw(st.lists(st.sampled_from(values), min_size=1, max_size=max(1, len(values) - 1), unique=True))
        tests.append((column, OneOf(tuple(some))))
    by = draw(st.sampled_from([(), (), ("r",), ("s",), PUBLIC]))
    channel = draw(st.sampled_from(channels))
    summed = None if kind == "count" else draw(st.sampled_from(numbers))
    truncated = None
    if summed is not None and columns[summed].size > 2 and draw(st.integers(0, 2)) == 0:
        values = columns[summed].values
        first = draw(st.integers(0, 1))
        truncated = values[first], values[draw(st.integers(first + 1, len(values) - 2 + first))]
    return Figure(name, kind, summed, Where(tuple(tests)), by, channel, truncated)


@st.composite
def worlds(draw: st.DrawFn, channels: list[Chain], *, most: int = 5, figures_at_most: int = 3) -> World:
    cells = draw(
        st.lists(st.sampled_from([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]), min_size=1, max_size=3, unique=True)
    )
    groups = {cell: draw(st.integers(1, 3)) for cell in cells}
    assume(sum(groups.values()) <= most)
    names = draw(st.sampled_from([["u"], ["u"], ["u", "v"]]))
    columns = {name: draw(st.sampled_from(COLUMNS)) for name in names}
    beliefs = []
    for name, column in columns.items():
        by = draw(st.sampled_from([(), ("r",), ("s",), PUBLIC]))
        keys = dict.fromkeys(tuple(cell[PUBLIC.index(column)] for column in by) for cell in groups)
        beliefs.append(ColumnBelief(name, {key: draw(marginals(column)) for key in keys}, "test", by))
    count = draw(st.integers(1, figures_at_most))
    found = tuple(draw(figures(f"f{place}", columns, channels)) for place in range(count))
    known = draw(st.integers(0, sum(groups.values()) - 1))
    epsilon = Fraction(draw(st.sampled_from(["0", "0.1", "0.5", "1", "3"])))
    means = any(figure.kind == "mean" for figure in found)  # these need a public number of persons
    secret = draw(st.sampled_from([Value(), Value(), Presence()])) if not means else Value()
    world = World(Frame(PUBLIC, groups), columns, tuple(beliefs), found, secret, known, epsilon)
    noisy = sum(any(not isinstance(link, Rounded) for link in figure.channel.links) for figure, _ in world.numbers)
    assume(noisy <= (2 if len(world.numbers) == 2 else 1))  # or the laws grow too long to list
    return world
