"""Certificates that contradict themselves, resealed as if they were true: both programs refuse them."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certificates.random_specs import FIGURES, passes
from certificates.tampering import resealed
from dalenius.basics.errors import InputError
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Secret, Value
from dalenius.mechanisms import Chain, Rounded, rounded_gaussian, two_sided_geometric
from dalenius.plan import Publish, Question, Target, largest_known, plan
from dalenius.plan.grounds import grounds
from dalenius.record.certificate.again import Again
from dalenius.record.certificate.document import CertificateModel
from dalenius.record.certificate.recheck import recheck, verify_certificate
from dalenius.record.certificate.written import certain_assumptions, certificate
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from dalenius_checker.__main__ import run

F = Fraction
YES = ("smoker", OneOf(("yes",)))
SMOKERS = {"smoker": Categories(("no", "yes"))}
COIN = ColumnBelief("smoker", {(): (("no", F(1, 2)), ("yes", F(1, 2)))}, "survey")
VALUE = Value()
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
    figure: Figure,
    people: int,
    delta: str,
    columns: dict[str, Any] = SMOKERS,
    belief: ColumnBelief | tuple[ColumnBelief, ...] = COIN,
    secret: Secret = VALUE,
) -> Document:
    frame = Frame(("region",), {("n",): people // 2, ("s",): people // 2})
    beliefs = belief if isinstance(belief, tuple) else (belief,)
    question = Question(frame, columns, beliefs, Attacker(0, False, "why"), secret, Target(F(1), F(delta)))
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
    document["assumes"] = certain_assumptions(
        presence=False, estimated=True, counted=False, about=[[one["column"]] for one in document["beliefs"]]
    )


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
    again = Again.of(CertificateModel.model_validate_json(resealed(whole)))
    kind["delta"][1] = whole["claim"]["delta_at_most"] = f"{again.upper(0, 0) * 1.0001:.6g}"
    most = bisect_right(range(600), 0.05, key=lambda known: again.upper(0, known)) - 1
    whole["attacker"]["largest_known"] = most
    for forge in (
        {"beliefs": []},
        {"figures": [{**figure, "confidential": []} for figure in whole["figures"]]},
        {"figures": [whole["figures"][0], {**whole["figures"][1], "confidential": ["wealth"]}]},
    ):
        assert answers({**whole, **forge}, tmp_path) == (1, 1)


def test_counts_by_one_column_are_not_independent(tmp_path: Path) -> None:
    """Smokers, counted twice as if the counts had nothing to do with each other."""
    document = made(PLAIN, 200, "1e-3")
    kind = document["kinds"][0]
    kind |= {"figures": [0, 1], "alone": False, "parts": [*kind["parts"], {**kind["parts"][0], "figures": [1]}]}
    document["figures"] += [{**document["figures"][0], "name": "two"}]
    document |= {"numbers": [[0, []], [1, []]], "groups": [[0, [0, 1]]]}
    (tmp_path / "certificate.json").write_bytes(resealed(document))
    assert "independent" in run([str(tmp_path / "certificate.json")])[1]
    assert any("independent" in line for line in recheck(resealed(document)).refused)


def somebody(document: Document) -> None:
    """One person in a number of its own, of whom it is said that nothing else was possible."""
    document["numbers"].append([0, ["Main Street 3"]])
    document["domains"].append([[[1], [0], 1]])
    document["laws"].append([[[1], [0], 1, "1"]])
    part = {"figures": [0], "domain": 1, "types": [[1, 1]], "least": None}
    about = {"known": 0, "alone": True, "delta": ["0", "0"], "evidence": {"method": "atom"}}
    document["kinds"].append({"figures": [0], "parts": [part], "people": 1, **about})
    document["groups"].append([len(document["kinds"]) - 1, [2]])
    document["people"]["all"] += 1


def everybody(document: Document) -> None:
    """The same of all."""
    document["domains"], document["laws"] = [[[[1], [0], 1]]], [[[[1], [0], 1, "1"]]]
    document["figures"][0]["least"] = "1"
    for kind in document["kinds"]:
        kind["delta"] = ["0", "0"]
    document["claim"]["delta_at_most"] = "0"
    document["attacker"]["largest_known"] = document["people"]["all"] - 1


@pytest.mark.parametrize("forge", [somebody, everybody])
def test_what_a_record_may_add_is_the_same_for_all(forge: Callable[[Document], None], tmp_path: Path) -> None:
    document = made(Figure("one", "count", None, Where((YES,)), ("region",)), 400, "1e-3")
    assert answers(document, tmp_path) == (0, 0)
    forge(document)
    assert answers(document, tmp_path) == (1, 1)


@pytest.mark.slow
def test_linked_figures_have_one_domain(tmp_path: Path) -> None:
    """Smokers who work are all smokers, in one region only: what is possible for a person is the same in both."""
    job = ColumnBelief("job", {(): (("a", F(1, 2)), ("b", F(1, 2)))}, "register")
    frame = Frame(("region",), {("n",): 300, ("s",): 400})
    columns = {**SMOKERS, "job": Categories(("a", "b"))}
    question = Question(frame, columns, (COIN, job), Attacker(0, False, "why"), Value(), Target(F(1), F(1, 1000)))
    figures = tuple(
        Figure(name, "count", None, Where(tests), ("region",))
        for name, tests in (("smokers", (YES,)), ("working", (YES, ("job", OneOf(("a",))))))
    )
    found = passes(figures, History(), question)
    assert found is not None
    most = largest_known(found, question)
    content = certificate(found, question, figures, (), version="0", largest_known=most, table=FIGURES)
    document = json.loads(content)
    assert [figure["confidential"] for figure in document["figures"]] == [["smoker"], ["job", "smoker"]]
    assert answers(document, tmp_path) == (0, 0)
    document["domains"].append([[[0, 0], [1, 1], 2]])
    document["laws"].append([[[0, 0], [1, 1], 2, "1/2"]])
    document["kinds"][1]["parts"][0] |= {"domain": 1, "types": [[1, document["kinds"][1]["people"]]]}
    (tmp_path / "certificate.json").write_bytes(resealed(document))
    assert "same domain" in run([str(tmp_path / "certificate.json")])[1]
    assert any("differs between kinds" in line for line in recheck(resealed(document)).refused)


def test_a_mean_tells_how_many_there_are(tmp_path: Path) -> None:
    columns = {"income": Numbers(F(1), F(0), F(3))}
    belief = ColumnBelief("income", {(): tuple((F(value), F(1, 4)) for value in range(4))}, "register")
    document = made(Figure("one", "sum", "income", Where()), 600, "1e-2", columns, belief, Presence())
    assert answers(document, tmp_path) == (0, 0)
    document["figures"][0]["kind"] = "mean"
    assert answers(document, tmp_path) == (1, 1)


def test_a_mean_of_those_whom_a_confidential_column_chooses_is_no_mean() -> None:
    both = Where((("smoker", OneOf(("yes",))),))
    columns = {"income": Numbers(F(1), F(0), F(3)), "smoker": Categories(("yes", "no"))}
    beliefs = (
        ColumnBelief("income", {(): tuple((F(value), F(1, 4)) for value in range(4))}, "register"),
        ColumnBelief("smoker", {(): (("yes", F(1, 2)), ("no", F(1, 2)))}, "register"),
    )
    document = made(Figure("one", "sum", "income", both), 600, "1e-2", columns, beliefs)
    assert not recheck(resealed(document)).refused
    document["figures"][0]["kind"] = "mean"
    assert any("confidential column decides" in line for line in recheck(resealed(document)).refused)


def test_a_figure_that_is_the_same_for_all_depends_on_no_column(tmp_path: Path) -> None:
    every = Where((("smoker", OneOf(("yes", "no"))),))
    document = made(Figure("one", "count", None, every), 10, "1e-3")
    assert document["figures"][0]["confidential"] == []
    assert answers(document, tmp_path) == (0, 0)


def test_what_cannot_be_computed_is_said(tmp_path: Path) -> None:
    """Noise so narrow that its square is no number of floating point; half a character; a last line break."""
    document = made(NOISY, 8, "1e-3")
    document["figures"][0]["channel"] = [["gaussian", "1e-160"]]
    assert answers(document, tmp_path) == (3, 3)
    document = made(PLAIN, 200, "1e-3")
    assert answers({**document, "software": "\ud800"}, tmp_path) == (2, 2)
    document["attacker"]["knows"] = "0\n"
    assert answers(document, tmp_path) == (2, 2)


def test_nothing_known_of_some_and_no_delta_at_all(tmp_path: Path) -> None:
    """True certificates: of some people no probability is known, or noise leaves no delta."""
    assert answers(made(NOISY, 8, "0"), tmp_path) == (0, 0)
    half = COIN.table[()]
    open_ = replace(COIN, by=("region",), table={("n",): half, ("s",): half}, least={("n",): half, ("s",): ()})
    document = made(PLAIN, 2000, "1e-3", belief=open_)
    assert [] in document["laws"]
    assert answers(document, tmp_path) == (0, 0)


ROUNDED = Figure("smokers", "count", None, Where((YES,)), ("region",), Chain((Rounded(10),)))
HEADER, TEN = "figure,region,value,release\n", "rounded to the nearest multiple of 10"
TABLE = f"{HEADER}smokers,n,100,{TEN}\nsmokers,s,70,{TEN}\nsmokers,w,0,{TEN}\n"
MEAN = Figure(
    "income", "mean", "income", Where(), ("region",), Chain((rounded_gaussian("1.25"), Rounded(3))), (F(0), F(1))
)
WORDS = (
    '"values truncated to 0 at least and 1 at most; total: plus rounded normal noise of scale 0.625, '
    'rounded to the nearest multiple of 1.5"'
)
MEANS = f"{HEADER}income,n,0.5175,{WORDS}\nincome,s,-0.0075,{WORDS}\nincome,w,,{WORDS}\n"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("", "", 0),
        ("100", "103", 1),
        ("100", "1e2", 1),
        ("100", "", 1),
        ("s,70", "n,70", 1),
        ("smokers,s,70", "smokers on Main Street 3,s,70", 1),
        (f"smokers,s,70,{TEN}\n", "", 1),
        ("w,0", "w,10", 1),
        ("w,0", ",0", 0),  # a cell of nobody
        (f"s,70,{TEN}", "s,70,exact", 1),
        (f"s,70,{TEN}", "s,70,rounded to the nearest multiple of 5", 1),
        (",value", ",sex,value", 1),
        (f"s,70,{TEN}", "s", 1),
        (f"s,70,{TEN}", 's,70,"', 1),
        ("figure,region,value,release\n", "", 1),
        ("0.5175", "0.5176", 1),
        ("w,,", "w,0,", 1),
        ("0.625", "1.25", 1),
        ("total: ", "", 1),
        ("0 at least", "-1 at least", 1),
    ],
)
def test_the_table_is_that_of_the_certificate(old: str, new: str, code: int, tmp_path: Path) -> None:
    """The hash fits; names, cells, values and words must as well."""
    columns = {"income": Numbers(F(1, 2), F(0), F(2))}
    belief = ColumnBelief("income", {(): tuple((F(value, 2), F(1, 5)) for value in range(5))}, "register")
    counts = old in TABLE
    document = made(ROUNDED, 400, "1e-3") if counts else made(MEAN, 400, "1e-3", columns, belief)
    table = (TABLE if counts else MEANS).replace(old, new, 1).encode()
    document["figures_sha256"] = hashlib.sha256(table).hexdigest()
    certificate_, figures = tmp_path / "certificate.json", tmp_path / "figures.csv"
    certificate_.write_bytes(resealed(document))
    figures.write_bytes(table)
    found = run([str(certificate_), "--figures", str(figures)])
    mine = verify_certificate(certificate_, figures)
    words = old in ("total: ", "0.625", "0 at least") or new.endswith("of 5")  # these the checker leaves to the engine
    assert (found[0], mine.code) == (0 if words else code, code), (found, mine.text())


def test_figures_in_which_nobody_is_are_named(tmp_path: Path) -> None:
    """A true certificate, if there is nobody; with the table the zeros are seen."""
    document = made(ROUNDED, 400, "1e-3")
    document["figures"][0].update(least=None, most=None)
    document |= {"numbers": [], "domains": [], "laws": [], "kinds": [], "groups": []}
    document["people"]["in_no_figure"], document["attacker"]["largest_known"] = 400, None
    document["claim"]["delta_at_most"] = "0"
    for value, code in ((0, 0), (10, 1)):
        table = f"{HEADER}smokers,n,{value},{TEN}\n".encode()
        document["figures_sha256"] = hashlib.sha256(table).hexdigest()
        certificate_, figures = tmp_path / "certificate.json", tmp_path / "figures.csv"
        certificate_.write_bytes(resealed(document))
        figures.write_bytes(table)
        found, mine = run([str(certificate_), "--figures", str(figures)]), verify_certificate(certificate_, figures)
        assert found[0] == mine.code == code
        assert code or all("nobody is in smokers" in words for words in (found[1], mine.text()))


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
