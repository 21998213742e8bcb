"""Whether a person is there, and with which value: every two values, and every value and absence, must look alike."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dalenius.basics.errors import InputError
from dalenius.claims import Verdict
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Between, Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, PresenceOnly, Secret, Value
from dalenius.mechanisms import Chain, TwoSidedGeometric
from dalenius.plan import Publish, assess, plan
from dalenius.plan.examination import docket_of, examine
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from dalenius.tables.history import Atom, History
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
    found = assess(here.figures, History(), here.question(Fraction("0.01"))).answer
    assert exact > 0.01
    assert not isinstance(found, Publish)
    assert found.findings[0].delta.upper >= exact - CLOSE
    assert docket_of(here.question(Fraction("0.01"))).noise_alone(here.figures) >= exact - CLOSE


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


def elevenths(secret: Secret, *, least: int = -5, people: int = 200) -> World:
    values = [Fraction(value) for value in range(least, least + 11)]
    belief = ColumnBelief("u", {(): tuple((value, Fraction(1, 11)) for value in values)}, "test")
    numbers = {"u": Numbers(Fraction(1), values[0], values[-1])}
    figure = Figure("total", "sum", "u")
    return World(Frame((), {(): people}), numbers, (belief,), (figure,), secret, 0, Fraction(1, 2))


@pytest.mark.parametrize("least", [-5, 0, -10, 3])
def test_presence_is_never_less_strict_than_the_value(least: int) -> None:
    """A column of -5 to 5: each value hides beside absence, and -5 does not hide beside 5."""
    delta = Fraction(1, 10**6)
    value, both = (elevenths(secret, least=least).question(delta) for secret in (Value(), Presence()))
    figures = elevenths(Value(), least=least).figures
    one, two = (examine(figures, question, print).findings[0] for question in (value, both))
    assert one.verdict == two.verdict == Verdict.FAIL
    assert two.delta.lower >= one.delta.lower
    if least <= 0 <= least + 10:
        assert two.delta == one.delta


def test_a_witness_under_presence_may_be_two_values() -> None:
    here = elevenths(Presence())
    shown = examine(here.figures, here.question(Fraction(1, 10**6)), print).findings[0].witness
    assert shown is not None
    assert {shown.one, shown.other} == {"a person adds 5", "a person adds -5"}


def test_presence_alone_is_not_judged_for_figures_together() -> None:
    here = elevenths(PresenceOnly())
    with pytest.raises(InputError, match=r"Hide Value\(\) or Presence\(\), or judge each figure by itself"):
        plan(here.figures, History(), here.question(Fraction(1, 10**6)))


@pytest.mark.slow
@pytest.mark.parametrize("least", [-5, 2])
def test_small_crowds_under_presence_agree_with_brute_force(least: int) -> None:
    here = elevenths(Presence(), least=least, people=4)
    exact = truth(here)
    found = examine(here.figures, here.question(Fraction(1, 10**6)), print).findings[0].delta
    assert found.lower - CLOSE <= exact <= found.upper + CLOSE
    assert found.width < CLOSE


def labels(secret: Secret, *names: str, epsilon: str = "1") -> World:
    """Four people, of whom each has one of these labels; how many have a, and how many have b."""
    belief = ColumnBelief("u", {(): tuple((name, Fraction(1, len(names))) for name in names)}, "test")
    figures = tuple(Figure(name, "count", None, Where((("u", OneOf((name,))),))) for name in "ab")
    columns = {"u": Categories(names)}
    return World(Frame((), {(): 4}), columns, (belief,), figures, secret, 0, Fraction(epsilon))


def found_together(here: World) -> Bracket:
    found = examine(here.figures, here.question(Fraction(1, 2)), print)
    return found.docket.atom(found.atoms[0], here.known, alone=True).delta


def test_counts_of_all_labels_tell_how_many_persons_there_are() -> None:
    """Where everybody is a or b, the two counts move together if a value changes, and one of them if a person goes."""
    here = labels(Presence(), *"ab")
    assert truth(here) == 1
    assert found_together(here).lower > 1 - 1e-6


@pytest.mark.parametrize("epsilon", ["0", "0.5", "1"])
def test_labels_hide_from_each_other_under_presence(epsilon: str) -> None:
    """With a third label a person who goes changes one count, a person of the other label changes both."""
    here = labels(Presence(), *"abc", epsilon=epsilon)
    found = found_together(here)
    assert found.lower - CLOSE <= truth(here) <= found.upper + CLOSE
    assert truth(here) == truth(replace(here, secret=Value()))
    assert found.width < 1e-6


def test_a_mean_of_those_whom_a_confidential_value_chooses_is_refused() -> None:
    """Seven smokers of total 3 and eight of total 3 have the same sum, and not the same mean."""
    columns = {"u": Numbers(Fraction(1), Fraction(0), Fraction(1)), "s": Categories(("yes", "no"))}
    half = Fraction(1, 2)
    beliefs = (
        ColumnBelief("u", {(): ((Fraction(0), half), (Fraction(1), half))}, "test"),
        ColumnBelief("s", {(): (("yes", half), ("no", half))}, "test"),
    )
    for test in (("s", OneOf(("yes",))), ("u", Between(lower=Fraction(1)))):
        mean = Figure("m", "mean", "u", Where((test,)))
        here = World(Frame((), {(): 1000}), columns, beliefs, (mean,), Value(), 0, Fraction(1))
        for figures, history in (((mean,), History()), ((Figure("t", "sum", "u"),), History((mean,)))):
            with pytest.raises(InputError, match=r"'m': a mean needs a public number.* confidential column"):
                plan(figures, history, here.question(Fraction("0.01")))
        with pytest.raises(InputError, match="a mean needs a public number"):
            docket_of(here.question(Fraction("0.01"))).laws(Atom((), (((), 1000),)), [mean])
        total = replace(mean, kind="sum")
        assert isinstance(plan((total,), History(), here.question(Fraction("0.01"))), Publish)


def test_a_mean_of_those_whom_a_public_value_chooses_is_judged() -> None:
    numbers = {"u": Numbers(Fraction(1), Fraction(0), Fraction(1))}
    beliefs = (ColumnBelief("u", {(): ((Fraction(0), Fraction(1, 2)), (Fraction(1), Fraction(1, 2)))}, "test"),)
    mean = Figure("m", "mean", "u", Where((("region", OneOf(("a",))),)))
    frame = Frame(("region",), {("a",): 1000, ("b",): 1000})
    here = World(frame, numbers, beliefs, (mean,), Value(), 0, Fraction(1))
    assert isinstance(plan((mean,), History(), here.question(Fraction("0.01"))), Publish)
