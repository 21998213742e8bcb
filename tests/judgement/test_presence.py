"""Whether a person is there: a noisy number of persons tells about it, beside any other noisy figure."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dalenius.errors import InputError
from dalenius.figures import ColumnBelief, Figure, Frame
from dalenius.history import History
from dalenius.mechanisms import Chain, TwoSidedGeometric
from dalenius.planning import Publish, plan
from dalenius.planning.examination import judge_of
from dalenius.planning.noisy import Composed
from dalenius.records import Categories, Numbers, OneOf, Where
from dalenius.secret import Presence, Value
from judgement.worlds import CLOSE, World, truth

NOISE = Chain((TwoSidedGeometric(Fraction(1)),))
HALF = (("no", Fraction(1, 2)), ("yes", Fraction(1, 2)))
PERSONS = Figure("persons", "count", None, Where(()), (), NOISE)
YES = Figure("yes", "count", None, Where((("u", OneOf(("yes",))),)), (), NOISE)


def world(epsilon: str) -> World:
    beliefs = (ColumnBelief("u", {(): HALF}, "test"),)
    columns = {"u": Categories(("no", "yes"))}
    return World(Frame((), {(): 2}), columns, beliefs, (PERSONS, YES), Presence(), 0, Fraction(epsilon))


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0.5", "1", "1.5", "1.9"])
def test_a_noisy_number_of_persons_is_composed_with_the_rest(epsilon: str) -> None:
    """It moves by one with the person, so two figures of epsilon 1 are not one of epsilon 1."""
    here = world(epsilon)
    exact = truth(here)
    found = plan(here.figures, History(), here.question(Fraction("0.01")))
    assert exact > 0.01
    assert not isinstance(found, Publish)
    assert found.findings[0].delta.upper >= exact - CLOSE
    assert Composed(judge_of(here.question(Fraction("0.01")))).upper(here.figures) >= exact - CLOSE


def test_two_figures_of_pure_noise_hide_presence_from_the_sum_of_their_epsilons_on() -> None:
    assert isinstance(plan((PERSONS, YES), History(), world("2").question(Fraction(0))), Publish)


def test_the_number_of_persons_is_no_secret_where_values_are() -> None:
    here = replace(world("1"), secret=Value())
    assert isinstance(plan(here.figures, History(), here.question(Fraction(0))), Publish)


def test_a_mean_is_refused_where_the_number_of_persons_is_secret() -> None:
    """Its denominator is that number: 3/7 and 3/8 tell whether there are seven or eight."""
    numbers = {"u": Numbers(Fraction(1), Fraction(0), Fraction(1))}
    beliefs = (ColumnBelief("u", {(): ((Fraction(0), Fraction(1, 2)), (Fraction(1), Fraction(1, 2)))}, "test"),)
    here = World(Frame((), {(): 1000}), numbers, beliefs, (Figure("m", "mean", "u"),), Presence(), 0, Fraction(1))
    with pytest.raises(InputError, match=r"'m': a mean needs a public number of records.* Publish the sum"):
        plan(here.figures, History(), here.question(Fraction("0.01")))
