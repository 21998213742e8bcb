"""Several numbers of the same people, some of them rounded: never below the truth, mostly the truth itself."""

import json
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings

from amount import worlds as amount
from certificates.tampering import resealed
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.mechanisms import Chain, Rounded, two_sided_geometric
from dalenius.plan import Publish, Question, Target, plan
from dalenius.plan.examination import examine
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import certificate
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from dalenius.tables.jointly_rounded import bases_of
from dalenius_checker.__main__ import examined
from dalenius_checker.document import RefusedError, read
from judgement.strategies import BOTH, EXACT, ROUNDED, worlds
from judgement.worlds import World, truth

F = Fraction
HAIR = 1e-9
LABELS = ("a", "b", "c")


@pytest.mark.slow
@settings(max_examples=amount(40, 1500))
@given(world=worlds([EXACT, *ROUNDED, *ROUNDED, *BOTH], most=4, figures_at_most=3))
def test_numbers_that_are_rounded_together_are_never_below_the_truth(world: World):
    for finding in examine(world.figures, world.question(F(1, 10**6)), lambda *_: None).findings:
        if finding.method == "rounded":
            assert truth(world, finding.atom, declared=True) <= finding.delta.upper + HAIR


def counts(*bases: int) -> tuple[Figure, ...]:
    """How many have each label, rounded."""
    links = [Chain((Rounded(base),)) if base > 1 else Chain(()) for base in bases]
    return tuple(
        Figure(label, "count", None, Where((("x", OneOf((label,))),)), (), link)
        for label, link in zip(LABELS, links, strict=False)
    )


def asked(people: int, known: int = 0, delta: str = "1e-9") -> Question:
    law = (("a", F(1, 2)), ("b", F(1, 3)), ("c", F(1, 6)))
    belief = ColumnBelief("x", {(): law}, "a table")
    columns, target = {"x": Categories(LABELS)}, Target(F(1), F(delta))
    return Question(Frame((), {(): people}), columns, (belief,), Attacker(known), Value(), target)


@pytest.mark.parametrize("bases", [(3, 4), (5, 1), (2, 2)])
@pytest.mark.parametrize("known", [0, 1])
def test_two_rounded_counts_of_a_dozen_people_are_told_to_the_last_digit(bases: tuple[int, ...], known: int):
    question, figures = asked(12, known), counts(*bases)
    small = World(question.frame, question.columns, question.beliefs, figures, Value(), known, F(1))
    exact = truth(small, declared=True)
    question = asked(12, known, str(1.001 * exact))
    (finding,) = examine(figures, question, lambda *_: None).findings
    assert exact - HAIR <= finding.delta.upper <= exact * (1 + 1e-6)
    assert finding.method == "rounded"
    assert finding.route == "joint law of the rounded numbers"


def test_rounding_counts_only_where_it_comes_first_and_the_number_covers_nobody_else():
    chains = [Chain((Rounded(5),)), Chain((Rounded(5),)), Chain((two_sided_geometric(2), Rounded(5))), Chain(())]
    assert bases_of(chains, [True, False, True, True]) == (5, 1, 1, 1)
    assert bases_of([Chain((Rounded(4), two_sided_geometric(2)))], [True]) == (4,)


def written(delta: str) -> dict[str, object]:
    question, figures = asked(25, delta=delta), counts(10, 10)
    found = plan(figures, History(), question)
    assert isinstance(found, Publish)
    assert [finding.method for finding in found.findings] == ["rounded"]
    content = certificate(found, question, figures, (), version="0", largest_known=None, table=b"")
    return json.loads(content)


def test_a_certificate_by_rounded_numbers_is_judged_again():
    document = written("0.01")
    content = json.dumps(document).encode()
    assert recheck(content).code == 0, recheck(content).text()
    assert examined(read(content)) == []


FORGED: dict[str, Callable[[dict[str, object]], object]] = {
    "rounded less": lambda d: d["figures"][0].update(channel=[["round", "2"]]),
    "not rounded": lambda d: [figure.update(channel=[]) for figure in d["figures"]],
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED.keys())
def test_a_certificate_that_rounds_less_is_refused(change: Callable[[dict[str, object]], object]):
    document = written("0.01")
    change(document)
    content = resealed(document)
    assert recheck(content).code == 1
    try:
        left = examined(read(content))
    except RefusedError:
        left = ["refused"]
    assert left
