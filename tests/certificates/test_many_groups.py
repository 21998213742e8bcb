"""Certificates of more groups than are judged one by one: the engine recomputes what it took over from smaller ones."""

from fractions import Fraction

import pytest

from dalenius.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.history import History
from dalenius.planning import Publish, Question, Target, largest_known, plan
from dalenius.planning.finding import MANY
from dalenius.records import Categories, OneOf, Where
from dalenius.report.certificate import certificate
from dalenius.report.recheck import recheck
from dalenius.secret import Value

F = Fraction
HALF = (("no", F(1, 2)), ("yes", F(1, 2)))
FIGURES = (Figure("a", "count", None, Where((("u", OneOf(("yes",))),)), ("r",)),)


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
