"""Certificates that contradict themselves, resealed as if they were true: both programs refuse them."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certificates.random_specs import FIGURES, passes
from certificates.tampering import resealed
from dalenius.errors import InputError
from dalenius.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.history import History
from dalenius.mechanisms import Chain, two_sided_geometric
from dalenius.planning import Publish, Question, Target, largest_known, plan
from dalenius.records import Categories, Numbers, OneOf, Where
from dalenius.report.certificate import certain_assumptions, certificate
from dalenius.report.grounds import grounds
from dalenius.report.recheck import recheck
from dalenius.secret import Value
from dalenius_checker.__main__ import run

F = Fraction
YES = ("smoker", OneOf(("yes",)))
SMOKERS = {"smoker": Categories(("no", "yes"))}
COIN = ColumnBelief("smoker", {(): (("no", F(1, 2)), ("yes", F(1, 2)))}, "survey")
Document = dict[str, Any]


def answers(document: Document, folder: Path) -> tuple[int, int]:
    """What the checker and the engine say."""
    (folder / "certificate.json").write_bytes(resealed(document))
    try:
        engine = recheck(resealed(document)).code
    except InputError:
        engine = 2
    return run([str(folder / "certificate.json")])[0], engine


def made(
    figure: Figure, people: int, delta: str, columns: dict[str, Any] = SMOKERS, belief: ColumnBelief = COIN
) -> Document:
    frame = Frame(("region",), {("n",): people // 2, ("s",): people // 2})
    question = Question(frame, columns, (belief,), Attacker(0, False, "why"), Value(), Target(F(1), F(delta)))
    found = passes((figure,), History(), question)
    assert found is not None
    most = largest_known(found, question)
    return json.loads(certificate(found, question, (figure,), (), version="0", largest_known=most, table=FIGURES))


def twice(document: Document) -> None:
    """The same people in both numbers of one figure."""
    kind = document["kinds"][0]
    document["groups"], kind["figures"], kind["alone"] = [[0, [0, 1]]], [0, 0], False
    document["people"]["all"], document["attacker"]["largest_known"] = 4, 3


def policy(document: Document) -> None:
    """The same people counted twice, so that they are as many as a policy wants."""
    limits = {"epsilon": None, "delta": None, "known": None, "safe_threshold": 300}
    document["policies"] = [{"name": "office", "sha256": None, **limits}]
    kind = document["kinds"][0]
    document["groups"], kind["figures"], kind["alone"], kind["delta"][0] = [[0, [0, 0]]], [0, 0], False, "0"


def less(document: Document) -> None:
    """A law of which less is certain than is said to be."""
    document["laws"] = [document["laws"][0], [[[0], [0], 1, "1"]]]
    kind = document["kinds"][0]
    kind["parts"][0] |= {"least": [[0, 200]], "types": [[1, 200]]}
    kind["delta"][0] = "5.0577e-13"
    document["assumes"] = certain_assumptions(presence=False, estimated=True, counted=False)


NOISY = Figure("one", "count", None, Where((YES,)), ("region",), Chain((two_sided_geometric(1),)))
PLAIN = Figure("one", "count", None, Where((YES,)))


@pytest.mark.parametrize(("figure", "people", "forge"), [(NOISY, 8, twice), (PLAIN, 200, policy), (PLAIN, 200, less)])
def test_a_certificate_that_contradicts_itself_is_refused(
    figure: Figure, people: int, forge: Callable[[Document], None], tmp_path: Path
) -> None:
    document = made(figure, people, "1e-3")
    assert answers(document, tmp_path) == (0, 0)
    forge(document)
    assert 0 not in answers(document, tmp_path)


def test_figures_of_one_column_are_not_independent(tmp_path: Path) -> None:
    """A sum and the same sum of truncated values tell who is above: as two parts they would seem to tell little."""
    columns = {"income": Numbers(F(1), F(0), F(3))}
    law = zip(range(4), (F(3333, 10000),) * 3 + (F(1, 10000),), strict=True)
    belief = ColumnBelief("income", {(): tuple((F(value), chance) for value, chance in law)}, "register")
    whole, cut = (
        made(Figure(name, "sum", "income", Where(), (), Chain(()), truncated), 600, "0.05", columns, belief)
        for name, truncated in (("whole", None), ("cut", (F(0), F(2))))
    )
    other = cut["kinds"][0]["parts"][0] | {"figures": [1], "domain": 1, "types": [[1, 600]]}
    kind = whole["kinds"][0]
    kind |= {"figures": [0, 1], "alone": False, "parts": [*kind["parts"], other]}
    for name in ("figures", "domains", "laws"):
        whole[name] += cut[name]
    whole |= {"numbers": [[0, []], [1, []]], "groups": [[0, [0, 1]]], "answer": cut["answer"]}
    kind["delta"] = ["0", "0.049"]
    whole["claim"]["delta_at_most"], whole["attacker"]["largest_known"] = "0.049", 0
    (tmp_path / "certificate.json").write_bytes(resealed(whole))
    code, words = run([str(tmp_path / "certificate.json")])
    assert code == 1 and "independent" in words
    assert any("independent" in line for line in recheck(resealed(whole)).refused)


def test_where_moves_decide_every_belief_is_needed() -> None:
    """Five people pass by the records of others, some of whom noise hides: what is believed of these counts."""
    noise = Chain((two_sided_geometric(4),))
    figures = (
        Figure("A", "count", None, Where((YES, ("region", OneOf(("t", "g1")))))),
        Figure("B", "count", None, Where((YES, ("region", OneOf(("g1", "g2"))))), (), noise),
        Figure("C", "count", None, Where((YES, ("job", OneOf(("a",))), ("region", OneOf(("g2",))))), (), noise),
    )
    job = ColumnBelief("job", {(): (("a", F(1, 2)), ("b", F(1, 2)))}, "register")
    frame = Frame(("region",), {("t",): 5, ("g1",): 400, ("g2",): 2000})
    columns = {**SMOKERS, "job": Categories(("a", "b"))}
    question = Question(frame, columns, (COIN, job), Attacker(0, False, "why"), Value(), Target(F(1), F(1, 1000)))
    found = plan(figures, History(), question)
    assert isinstance(found, Publish) and any(finding.method == "moves" for finding in found.findings)
    assert any("job" in line for line in grounds(found, question, figures, figures).needed)
