"""Known records whose value the belief holds impossible: they may put a rounded figure anywhere the domain allows."""

import json
from fractions import Fraction
from pathlib import Path

import dalenius as dl
from certificates.random_specs import FIGURES, passes
from certificates.test_forged import answers
from dalenius.claims import Verdict
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.mechanisms import Chain, Rounded
from dalenius.plan import largest_known
from dalenius.plan.examination import examine
from dalenius.record.certificate.written import certificate
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from judgement.worlds import CLOSE, World, truth

F = Fraction
COUNT = Figure("ill", "count", None, Where((("u", OneOf(("yes",))),)), (), Chain((Rounded(4),)))


def world(*, rate: str = "0", known: int = 1, people: int = 11) -> World:
    """A count of "yes", rounded to 4: up to one, which is all that is believed possible, it is published as 0."""
    law = (("no", 1 - F(rate)), ("yes", F(rate)))
    columns = {"u": Categories(("no", "yes"))}
    belief = (ColumnBelief("u", {(): law}, "test"),)
    return World(Frame((), {(): people}), columns, belief, (COUNT,), Value(), known, F(1, 2))


def test_a_known_yes_that_was_held_impossible_takes_the_count_across_the_border() -> None:
    """One known "yes": with another the count is 2 and published as 4, without it is 1 and published as 0."""
    here = world()
    assert truth(here) == 0
    assert truth(here, declared=True) == 1
    (found,) = examine(here.figures, here.question(F(1, 100)), print).findings
    assert found.delta.lower == 0
    assert found.delta.upper == 1
    assert found.verdict == Verdict.REVIEW


def test_without_known_records_there_is_nothing_to_cross() -> None:
    here = world(known=0)
    assert truth(here, declared=True) == 0
    (found,) = examine(here.figures, here.question(F(1, 100)), print).findings
    assert found.delta.upper <= CLOSE
    assert found.verdict == Verdict.PASS


def test_in_python_too() -> None:
    rates = [dl.beliefs.Rates(between=(0, 0), n=n, known=1) for n in (11, 2)]
    for belief in (dl.IID(p=0, n=11, known=1), *rates):
        assert dl.verify(dl.Count() >> dl.Rounded(4), dl.noiseless(belief), epsilon=0.5).delta.upper == 1
    narrow = dl.beliefs.Brackets([(0, 0, 1)], n=11, known=1, bounds=(0, 1))
    assert dl.verify(dl.Sum() >> dl.Rounded(4), dl.noiseless(narrow), epsilon=0.5).delta.upper == 1


def test_both_programs_refuse_a_certificate_that_forgot_it(tmp_path: Path) -> None:
    """What was certified when known records had only values that are believed to occur."""
    here = world(known=0)
    question = here.question(F(1, 100))
    found = passes(here.figures, History(), question)
    assert found is not None
    most = largest_known(found, question)
    assert most == 0
    made = certificate(found, question, here.figures, (), version="0", largest_known=most, table=FIGURES)
    document = json.loads(made)
    assert answers(document, tmp_path) == (0, 0)
    document["attacker"]["knows"], document["kinds"][0]["known"], document["attacker"]["largest_known"] = "1", 1, 1
    assert answers(document, tmp_path) == (1, 1)
