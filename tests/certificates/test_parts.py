"""The parts of a group, as a certificate has them: figures together where they share a confidential column."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.record.certificate.kinds import Shelves
from dalenius.record.certificate.written import extremes
from dalenius.tables.contributions import linked
from dalenius.tables.docket import Docket
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from dalenius.tables.history import Atom

HALF = (("no", Fraction(1, 2)), ("yes", Fraction(1, 2)))
COLUMNS = {name: Categories(("no", "yes")) for name in "abcd"}
BELIEFS = tuple(ColumnBelief(name, {(): HALF}, "test", ()) for name in COLUMNS)
ATOM = Atom((), (((), 5),))


def figure(place: int, columns: str) -> Figure:
    return Figure(f"{place}", "count", None, Where(tuple((name, OneOf(("yes",))) for name in sorted(columns))))


@given(st.lists(st.sets(st.sampled_from("abcd"), max_size=2).map("".join), min_size=1, max_size=7))
def test_parts_are_what_is_linked_and_have_its_laws(columns):
    figures = [figure(place, some) for place, some in enumerate(columns)]
    docket = Docket.of(COLUMNS, BELIEFS, Frame((), {(): 5}), Value(), Fraction(1), Fraction(1, 10))
    shelves = Shelves.of(figures, docket)
    found = {part[0]: part for part in shelves.parts(ATOM, range(len(figures)))}
    plain = [sorted(part, key=lambda one: int(one.name)) for part in linked(figures, COLUMNS, BELIEFS)]
    assert set(found) == {tuple(int(one.name) for one in part) for part in plain}
    laws, domains = list(shelves.laws.places), list(shelves.domains.places)
    for part in plain:
        _, domain, types, least, *_ = found[tuple(int(one.name) for one in part)]
        whole = docket.whole_laws(ATOM, part)
        assert [(laws[law], count) for law, count in types] == list(whole.types) and least is None
        assert [vector for vector, _ in domains[domain]] == sorted(whole.domain)


def test_the_least_and_the_most_that_a_record_adds():
    """Two parts with figure 1, where it stands in different places and has different ends."""
    domains = [[[[0, -2], [1, 3], 3]], [[[5], [0], 1], [[-1], [2], 2]]]
    parts = [{"figures": [0, 1], "domain": 0}, {"figures": [1], "domain": 1}]
    assert extremes([{"parts": [part]} for part in parts], domains) == {0: (0, 2), 1: (-2, 5)}
    assert extremes([], domains) == {}
