"""Certificates of more groups than are judged one by one: the engine recomputes what it took over from smaller ones."""

import json
from fractions import Fraction

import pytest

from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.plan import Publish, Question, Target, largest_known, plan
from dalenius.plan.finding import MANY
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import certificate, sealed
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History

F = Fraction
HALF = (("no", F(1, 2)), ("yes", F(1, 2)))
FIGURES = (Figure("a", "count", None, Where((("u", OneOf(("yes",))),)), ("r",)),)


@pytest.mark.slow
@pytest.mark.parametrize("estimated", [False, True])
@pytest.mark.parametrize("attacker", [Attacker(2, False, "x"), Attacker(F(1, 4), in_every_group=True, source="x")])
def test_the_engine_confirms_its_own_certificates(attacker, estimated):
    groups = {(place,): 12 + place % 9 for place in range(MANY + 2)}
    least = {(): tuple((value, chance * F(9, 10)) for value, chance in HALF)} if estimated else None
    belief = ColumnBelief("u", {(): HALF}, "test", (), least=least)
    columns = {"u": Categories(("no", "yes"))}
    asked = Question(Frame(("r",), groups), columns, (belief,), attacker, Value(), Target(F(1, 2), F(6, 10)))
    found = plan(FIGURES, History(), asked)
    assert isinstance(found, Publish)
    most = largest_known(found, asked)
    document = certificate(found, asked, FIGURES, (), version="0", largest_known=most, table=b"x")
    assert recheck(document).code == 0


@pytest.mark.slow
def test_a_larger_group_may_rest_on_a_smaller_one():
    """Of 163 records the parts are composed; of 164 a simpler bound is enough, and is larger than that of the 163."""
    groups = {(place,): 163 + place % 2 for place in range(MANY + 2)}
    columns = {name: Categories(("no", "yes")) for name in "uv"}
    beliefs = tuple(ColumnBelief(name, {(): HALF}, "test", ()) for name in "uv")
    figures = tuple(Figure(name, "count", None, Where(((name, OneOf(("yes",))),)), ("r",)) for name in "uv")
    attacker, target = Attacker(2, False, "x"), Target(F(1), F(1, 10))
    asked = Question(Frame(("r",), groups), columns, beliefs, attacker, Value(), target)
    found = plan(figures, History(), asked)
    most = largest_known(found, asked)
    document = certificate(found, asked, figures, (), version="0", largest_known=most, table=b"x")
    assert len({tuple(kind["delta"]) for kind in json.loads(document)["kinds"]}) == 1
    assert recheck(document).code == 0
    for place in (0, 1):  # less than was found for one of them, or for both
        changed = json.loads(document)
        for kind in changed["kinds"][place:]:
            kind["delta"][1] = "4.0e-7"
        changed["claim"]["delta_at_most"] = max((kind["delta"][1] for kind in changed["kinds"]), key=F)
        told = recheck(sealed({key: value for key, value in changed.items() if key != "sha256"}))
        assert told.code == 1 and "delta is" in told.refused[-1]
