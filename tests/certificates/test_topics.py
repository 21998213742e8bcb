"""Certificates of groups that pass topic by topic: both programs confirm them, and no claim that is too small."""

import itertools
import json
from fractions import Fraction

import pytest

from amount import spread
from certificates.tampering import resealed
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.mechanisms import Chain, discrete_gaussian, two_sided_geometric
from dalenius.plan import Publish, Question, Target
from dalenius.plan.examination import examine
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import certificate
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius_checker.__main__ import examined
from dalenius_checker.document import RefusedError, read

F = Fraction
COLUMNS = {"ill": Categories((0, 1)), "score": Numbers(F(1), F(0), F(2))}
ILL = (("ill", OneOf((1,))),)
SMALL = (("region", OneOf(("small",))),)
NOISES = {"": (), "geometric": (two_sided_geometric(4),), "gaussian": (discrete_gaussian(9),)}


def figure(name, column, whom, noise):
    by = ("region",) if whom == "by" else ()
    where = Where((*(ILL if column == "ill" else ()), *(SMALL if whom == "small" else ())))
    kind, summed = ("count", None) if column == "ill" else ("sum", "score")
    return Figure(name, kind, summed, where, by, Chain(NOISES[noise]))


def question(sizes, rate, *, knows=0, share=False, weight=None):
    table = {"ill": ((0, 1 - rate), (1, rate)), "score": tuple((F(v), F(1, 3)) for v in range(3))}
    beliefs = tuple(
        ColumnBelief(
            name, {(): law}, "a table", least=weight and {(): tuple((value, chance * weight) for value, chance in law)}
        )
        for name, law in table.items()
    )
    frame = Frame(("region",), {(name,): size for name, size in zip(("small", "rest"), sizes, strict=True)})
    return Question(frame, COLUMNS, beliefs, Attacker(knows, share), Value(), Target(F(1, 2), F(1, 10**3)))


def certified(figures, asked):
    found = examine(figures, asked, lambda _what, _done, _of: None).findings
    if any(finding.verdict != "pass" for finding in found):
        return None, found
    return certificate(Publish(found), asked, figures, (), version="0.1.0", largest_known=None, table=b""), found


BESIDE = (figure("all", "ill", "all", ""), figure("cell", "ill", "small", "geometric"))
TOPICS = (figure("ill", "ill", "by", ""), figure("score", "score", "all", ""))
SEVERAL = (*TOPICS, figure("cell", "ill", "small", "geometric"))
NORMAL = (figure("all", "ill", "all", ""), figure("cell", "ill", "small", "gaussian"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "known", "weight"),
    spread(
        itertools.product(
            [(BESIDE, (20, 1180)), (TOPICS, (140, 1400)), (SEVERAL, (200, 2000)), (NORMAL, (30, 1500))],
            [(0, False), (5, False), (F(1, 20), True)],
            [None, F(9, 10)],
        ),
        9,
    ),
)
def test_both_programs_confirm_what_is_certified(asked, known, weight):
    (figures, sizes), (knows, share) = asked, known
    document, findings = certified(figures, question(sizes, F(1, 2), knows=knows, share=share, weight=weight))
    methods = {finding.method for finding in findings}
    assert document is None or "apart" in methods or weight is not None or figures is SEVERAL
    if document is not None:
        assert recheck(document).code == 0
        examined(read(document))  # a refusal would be raised; what it leaves open is not one


@pytest.mark.slow
@pytest.mark.parametrize(
    ("figures", "sizes", "rate"),
    [(BESIDE, (20, 1180), F(1, 2)), (TOPICS, (120, 1200), F(1, 2))],
    ids=["beside", "topics"],
)
def test_a_claim_that_is_too_small_is_not_confirmed(figures, sizes, rate):
    document, findings = certified(figures, question(sizes, rate))
    assert "apart" in {finding.method for finding in findings}
    assert recheck(document).code == 0 and not examined(read(document))
    stated = json.loads(document)
    for kind in stated["kinds"]:
        if kind["evidence"]["method"] == "apart":
            kind["delta"] = ["0", str(F(kind["delta"][1]) * F(9, 10))]
    uppers = [F(kind["delta"][1]) for kind in stated["kinds"]]
    stated["claim"]["delta_at_most"] = stated["kinds"][uppers.index(max(uppers))]["delta"][1]
    assert recheck(resealed(stated)).code == 1


def test_the_order_of_figures_does_not_matter():
    asked = question((20, 1180), F(1, 2))
    found = [certified(order, asked)[1] for order in itertools.permutations(BESIDE)]
    assert len({frozenset((finding.atom.size, finding.delta.upper) for finding in some) for some in found}) == 1


def test_too_few_people_are_not_confirmed():
    """The same claim, with fewer people in the numbers on which it rests."""
    document, _ = certified(BESIDE, question((20, 1180), F(1, 2)))
    stated = json.loads(document)
    other = next(kind for kind in stated["kinds"] if kind["people"] == 1180)
    other["people"] = 30
    other["parts"][0]["types"][0][1] = 30
    stated["people"]["all"] = 50
    changed = resealed(stated)
    assert recheck(changed).code == 1
    with pytest.raises(RefusedError):
        examined(read(changed))
