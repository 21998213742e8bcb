"""A share known in every published group: what a refused number shows is a bound for that attacker, too."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dalenius.claims import Verdict
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.mechanisms import Chain, DiscreteGaussian, Rounded
from dalenius.plan import Question, Target
from dalenius.plan.examination import examine
from dalenius.plan.nearest import nearest_of
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from judgement.worlds import CLOSE, World, truth

F = Fraction
LAW = (("no", F(1, 6)), ("yes", F(5, 6)))
YES = Where((("u", OneOf(("yes",))),))


@pytest.mark.parametrize("channel", [Chain((DiscreteGaussian(F(3, 4)),)), Chain((Rounded(2),))])
def test_a_refused_number_is_bounded_for_an_attacker_who_knows_the_share(channel: Chain) -> None:
    """Half of two known is one: then only noise hides the other, and delta is 0.53, not 0.48."""
    figure = Figure("yes", "count", None, YES, (), channel)
    frame, columns = Frame((), {(): 2}), {"u": Categories(("no", "yes"))}
    beliefs = (ColumnBelief("u", {(): LAW}, "test"),)
    target = Target(F(0), F(1, 10))
    question = Question(frame, columns, beliefs, Attacker(F(2, 5), in_every_group=True), Value(), target)
    world = World(frame, columns, beliefs, (figure,), Value(), 1, F(0))
    examined = examine((figure,), question, lambda _what, _done, _of: None)
    (finding,) = examined.findings
    assert finding.verdict == Verdict.FAIL
    assert finding.delta.lower <= truth(replace(world, known=0)) + CLOSE
    assert finding.delta.upper >= truth(world) - CLOSE
    assert finding.known == 1
    at_epsilon, at_delta = nearest_of(examined, question)
    assert at_epsilon.delta is None or at_epsilon.delta >= truth(world) - CLOSE
    assert at_delta.epsilon is None or truth(replace(world, epsilon=at_delta.epsilon)) <= float(target.delta) + CLOSE
