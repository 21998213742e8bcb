"""The report: one page that needs nothing else, that says what was decided, and that everybody can read."""

import itertools
import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest
import yaml

from dalenius.desk.curves import chance_of_more, charts, failing, falling, gauge, rising_points, sure_epsilon
from dalenius.desk.session import decide, publish
from dalenius.enclosure.formats import at_most
from dalenius.plan import plan
from dalenius.show.chart import ticks
from dalenius.show.factor import factor_of
from dalenius.show.html.account import after
from dalenius.show.html.style import COLOURS, PAIRS, contrast, sheet
from dalenius.tables.figures import Frame
from dalenius.tables.history import History
from edges.desk import INCOME, SMOKERS, Desk, dalenius, people, spec

VOID = {"meta", "br", "line", "circle", "polyline"}
EVIL = '<script>alert("x")</script>&"\'<img src=x onerror=alert(1)>'


class Page(HTMLParser):
    """Elements with their attributes, in order; whether all are closed; the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (self.open, tag)
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words += " " + data

    def of(self, tag: str) -> list[dict]:
        return [attributes for name, attributes in self.elements if name == tag]


class OnDemand(dict):
    """Cases that are made when they are first asked for: some take seconds."""

    def __init__(self, make) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, name):
        self[name] = self.make(name)
        return self[name]


@pytest.fixture(scope="module")
def decisions(tmp_path_factory):
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.put()
    two = [{**SMOKERS, "where": {"smoker": "yes", "region": "north"}}, {**SMOKERS, "name": "all smokers"}]
    before = [{"name": "earlier", "kind": "count", "where": {"smoker": "yes"}, "by": "region"}]
    cases = {
        "pass": spec(),
        "noisy": spec(figures=[{**SMOKERS, "noise": {"geometric": 4}}]),
        "fail": spec(figures=[*two, INCOME], target={"epsilon": "0.2", "delta": "1e-6"}),
        "history": spec(published=before, figures=[{**SMOKERS, "name": "again", "noise": {"geometric": 4}}]),
        "nobody": spec(figures=[{"name": "heads", "kind": "count", "by": "region"}], beliefs={}),
    }
    return OnDemand(lambda name: decide(cases[name], desk.folder / "people.csv"))


@pytest.fixture(scope="module")
def pages(decisions):
    return OnDemand(lambda name: decisions[name].html().decode())


NAMES = ("pass", "noisy", "fail", "history", "nobody")
HEAVY = ("fail", "history")
SOME_SLOW = [pytest.param(name, marks=pytest.mark.slow) if name in HEAVY else name for name in NAMES]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_well_formed_and_needs_no_network(pages, name):
    page = Page(pages[name])
    assert page.open == [] and page.of("html") == [{"lang": "en"}]
    assert not page.of("script") and not page.of("link") and not page.of("img") and not page.of("iframe")
    assert "http" not in re.sub(r"http-equiv", "", pages[name]) and "url(" not in pages[name]
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for key in ("aria-labelledby",):
            assert all(part in ids for part in attributes.get(key, "").split())


@pytest.mark.parametrize("name", SOME_SLOW)
def test_headings_are_in_order_and_tables_and_charts_can_be_read_aloud(pages, name):
    page = Page(pages[name])
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))
    assert all(attributes.get("scope") in ("row", "col") for attributes in page.of("th"))
    assert len(page.of("caption")) == len(page.of("table"))
    for chart in page.of("svg"):
        assert chart["role"] == "img" and chart["aria-labelledby"]
    assert len(page.of("desc")) == len(page.of("svg"))


def test_every_text_has_enough_contrast_and_no_other_colour_is_used():
    for text, ground in PAIRS:
        assert contrast(COLOURS[text], COLOURS[ground]) >= 4.5, (text, ground)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=1e-3)
    assert set(re.findall(r"#[0-9a-f]{3,8}\b", sheet())) == set(COLOURS.values())
    used = set(re.findall(r"(?:[;{]|fill:)color:var\(--([a-z-]+)\)", sheet())) | set(
        re.findall(r"fill:var\(--([a-z]+)\)", sheet())
    )
    assert used <= {text for text, _ in PAIRS}


@pytest.mark.parametrize(
    ("name", "answer", "sign"),
    [
        ("pass", "Yes.", "✓ may go out"),
        ("noisy", "Yes.", "✓ may go out"),
        pytest.param("fail", "No.", "✗ may not go out", marks=pytest.mark.slow),
    ],
)
def test_the_first_screen_has_no_greek_letters_and_the_answer_is_a_word_and_a_sign(pages, name, answer, sign):
    first = pages[name].split("<main>")[0]
    assert answer in first and not re.search(r"[α-ωΑ-Ω]", first)
    assert sign in pages[name]


def test_every_assumption_has_a_box_and_its_source(pages, decisions):
    page = Page(pages["pass"])
    boxes = [a for tag, a in page.elements if a.get("class") == "box"]
    assert len(boxes) >= 6 and "source: a survey" in page.words and "source: the largest employer" in page.words
    for line in decisions["pass"].json()["broken_by"]:
        assert line in page.words


@pytest.mark.slow
def test_the_history_is_told(pages):
    assert "earlier: count, where smoker = yes, by region; exact" in Page(pages["history"]).words
    assert "Nothing that was published before was named" in pages["pass"]


@pytest.mark.slow
def test_a_refusal_says_why_and_what_would_help(pages):
    words = Page(pages["fail"]).words
    assert "tells too much" in words and "What would make them safe" in words and "noise: {geometric:" in words


@pytest.mark.slow
def test_the_published_numbers_are_there_when_they_are_out(decisions):
    decision = decisions["pass"]
    page = Page(decision.html(publish(decision), "ab" * 32).decode())
    for item in publish(decision):
        assert str(item.value) in page.words
    assert "ab" * 32 in page.words


@pytest.mark.slow
def test_a_table_by_a_confidential_column_is_told_once_and_shown_as_one_table(tmp_path):
    desk = Desk(tmp_path)
    desk.put()
    asked = spec(figures=[{"name": "smoking", "kind": "count", "by": ["region", "smoker"], "noise": {"geometric": 9}}])
    decision = decide(asked, desk.folder / "people.csv", margins=False)
    page = decision.html(publish(decision), "ab" * 32).decode()
    told = page[page.index('id="figures"') : page.index('id="table"')]
    assert told.count("<h3") == 1 and "smoking (smoker no) · smoking (smoker yes)" in told
    assert told.count("one person stays hidden") == 1 and "where smoker = no" in told and "where smoker = yes" in told
    shown = page[page.index('id="table"') : page.index("SHA-256 of figures.csv")]
    assert shown.count("<table>") == 1 and shown.count("<tr>") == 1 + 2 * 2 and "2 figures by region" in shown


@pytest.mark.slow
def test_everything_from_the_specification_is_escaped(tmp_path):
    desk = Desk(tmp_path)
    desk.put()
    content = spec(
        public={"region": ["north", "south"]},
        figures=[{**spec()["figures"][0], "name": EVIL}],
        published=[{"name": EVIL + "old", "kind": "count", "where": {"smoker": "yes"}, "by": "region"}],
        attacker={"knows": "0.01", "source": EVIL},
        beliefs={"smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": EVIL}},
        policy="p.yaml",
    )
    (tmp_path / "p.yaml").write_text(yaml.safe_dump({"name": EVIL, "epsilon": 1}), encoding="utf-8")
    path = desk.put(content)
    answer = dalenius("release", path, "-o", tmp_path / "out", "--seconds", 0)
    assert answer.code == 0, answer.err
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not page.of("script") and not page.of("img") and "<script" not in text and "<img" not in text
    assert page.words.count("<script>") >= 5 and page.open == []


def binomial(n: int, rate: Fraction) -> dict[int, Fraction]:
    return {k: math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)}


def exceeds(first: dict[int, Fraction], second: dict[int, Fraction], factor: Fraction) -> Fraction:
    return sum((max(Fraction(0), mass - factor * second.get(k, 0)) for k, mass in first.items()), Fraction(0))


def test_the_curve_is_an_upper_bound_at_every_point(decisions):
    """Against exact fractions: the count of the unknown smokers, with a person who does not smoke and one who does."""
    decision = decisions["pass"]
    measure = gauge(decision.plan, decision.question)
    size = min(finding.atom.size for finding in measure.findings)
    for epsilon, known in itertools.product((Fraction(1, 4), Fraction(1, 2)), (0, 40)):
        law = binomial(size - 1 - known, Fraction(3, 10))
        up = {k + 1: mass for k, mass in law.items()}
        factor = Fraction(math.exp(epsilon))
        truth = float(max(exceeds(law, up, factor), exceeds(up, law, factor)))
        assert truth * (1 - 1e-9) <= measure.delta(epsilon, known) <= truth * (1 + 1e-6)


def test_the_epsilon_of_a_share_holds_and_less_does_not(decisions):
    decision = decisions["pass"]
    measure, wanted = gauge(decision.plan, decision.question), decision.question.target.delta
    for share in (Fraction(0), Fraction(1, 20), Fraction(1, 4)):
        found = Fraction(measure.epsilon(share))
        assert measure.delta(found, share) <= wanted < measure.delta(found * Fraction(9, 10), share)


def test_the_chance_that_odds_move_farther_is_a_bound(decisions):
    decision = decisions["pass"]
    measure = gauge(decision.plan, decision.question)
    for epsilon in (Fraction(1, 2), Fraction(1)):
        size = min(finding.atom.size for finding in measure.findings)
        law = binomial(size - 1 - 20, Fraction(3, 10))
        up = {k + 1: mass for k, mass in law.items()}
        factor = Fraction(2.718281828459045 ** float(epsilon))
        far = [k for k in {*law, *up} if law.get(k, 0) > factor * up.get(k, 0) or up.get(k, 0) > factor * law.get(k, 0)]
        truth = max(sum(law.get(k, Fraction(0)) for k in far), sum(up.get(k, Fraction(0)) for k in far))
        assert truth <= chance_of_more(measure, epsilon)
    epsilon, chance = sure_epsilon(measure)
    assert chance <= decision.question.target.delta and epsilon >= decision.question.target.epsilon


def test_beliefs_round_outwards():
    assert after(Fraction(1, 10), Fraction(1)) == ("3.9 %", "23.2 %")  # 3.928..., 23.197...
    assert after(Fraction(1, 1000), Fraction(1, 2)) == ("0.06 %", "0.17 %")


def test_charts_mark_the_target_and_describe_themselves(decisions):
    decision = decisions["pass"]
    found, whole = charts(gauge(decision.plan, decision.question), decision.largest_known)
    assert whole
    assert [chart.title.split()[1] for chart in found] == ["do", "if", "much"]
    for chart in found:
        assert chart.told and chart.marks and len(chart.points) >= 5
    rising = [y for _, y in found[1].points]
    assert rising == sorted(rising)
    noise = [y for _, y in found[2].points]
    assert noise == sorted(noise) and noise[0] == 0 and noise[-1] <= found[2].limits[0].at * 1.02


class Uneven:
    """A gauge whose bounds are not in order, as bounds by different routes may be."""

    def __init__(self, measure, deltas):
        self.question, self.findings, self.every, self.whom = measure.question, measure.findings, True, measure.whom
        self.deltas = iter(deltas)

    def delta(self, epsilon, known=None):
        return next(self.deltas)


def test_the_curve_falls_and_passes_through_the_certified_number(decisions):
    """An upper bound at a smaller ε is one at a larger ε, and the verdict's own number is one, too."""
    decision = decisions["pass"]
    measure = gauge(decision.plan, decision.question)
    target = decision.question.target
    judged = max(finding.delta.upper for finding in decision.plan.findings)
    at = [target.epsilon * part for part in (Fraction(1, 2), Fraction(3, 4), Fraction(1), Fraction(3, 2), Fraction(2))]
    found = falling(Uneven(measure, [0.2, 0.3, 0.9, 0.1 * judged, 0.5]), at)
    assert found == list(zip(at, [0.2, 0.2, judged, 0.1 * judged, 0.1 * judged], strict=True))
    (curve, *_), _ = charts(measure, decision.largest_known)
    values = [y for _, y in curve.points]
    assert values == sorted(values, reverse=True) and dict(curve.points)[float(target.epsilon)] == judged
    assert f"delta is at most {at_most(judged)}" in curve.told


def test_what_is_enough_for_many_known_records_is_enough_for_few():
    points = rising_points(zip([Fraction(0), Fraction(1, 10), Fraction(1, 5)], [3.0, 2.0, 5.0], strict=True))
    assert points == ((0.0, 2.0), (10.0, 2.0), (20.0, 5.0)) and rising_points([]) == ()


def test_where_there_is_nothing_to_see_nothing_is_drawn(decisions):
    """Noise that hides everybody leaves nothing over at any epsilon near the wanted one."""
    decision = decisions["noisy"]
    measure = gauge(decision.plan, decision.question)
    found = failing(Uneven(measure, itertools.repeat(0.0)))
    assert found.points == () and "There is no curve to draw" in found.told and "nothing is left" in found.told
    tiny = failing(Uneven(measure, [0.5, 0.1, *[1e-3] * 5, *[1e-20] * 20]))
    least = float(decision.question.target.delta / 10**6)
    assert min(y for _, y in tiny.points) == least and [y for _, y in tiny.points].count(least) == 1
    assert "The curve ends where less than 1e-9 is left" in tiny.told


def test_charts_have_a_budget_and_certificates_none(decisions):
    decision = decisions["pass"].within(0)
    decision.weigh()
    page = decision.html().decode()
    assert "Not tried: the points of all charts" in page
    assert "<polyline" not in page and "<polyline" in decisions["pass"].html().decode()
    known = json.loads(decision.certificate(b""))["attacker"]["largest_known"]
    assert known == decisions["pass"].largest_known is not None


def test_the_stated_share_is_marked_as_it_was_stated(decisions):
    """5 % of 399 people are 20 records, which are 5.01 % of them."""
    decision = decisions["pass"]
    odd = replace(decision.question, frame=Frame(("region",), {("north",): 200, ("south",): 199}))
    measure = gauge(plan(decision.prepared.figures, History(), odd), odd)
    found, _ = charts(measure, None)
    assert {mark.name for chart in found[1:] for mark in chart.marks} == {"stated: 5 %"}
    assert all(chart.marks[0].at == 5 for chart in found[1:])
    counted = replace(odd, attacker=replace(odd.attacker, known=20))
    (_, share, *_), _ = charts(gauge(plan(decision.prepared.figures, History(), counted), counted), None)
    assert share.marks[0].name == "stated: 20 records"


def test_a_factor_that_is_larger_than_the_promised_one_says_why(pages, decisions):
    decision = decisions["pass"]
    epsilon, _ = sure_epsilon(gauge(decision.plan, decision.question))
    assert epsilon > decision.question.target.epsilon
    words = " ".join(pages["pass"].split())
    assert f"at most a factor of {factor_of(epsilon)}" in words
    assert f"This factor is larger than the {factor_of(decision.question.target.epsilon)} of the promise" in words


def test_ticks_cover_all_values():
    for values in ([0.0, 0.0], [1e-30, 1.0], [0.3, 0.31], [5.0], [123456.0, 3.0]):
        for log in (False, True):
            if not log or min(values) > 0:
                marks = ticks(values, log=log)
                assert marks[0] <= min(values) and marks[-1] >= max(values) and 2 <= len(marks) <= 10


@pytest.mark.slow
def test_check_writes_a_report_and_overwrites_nothing(tmp_path):
    desk = Desk(tmp_path)
    answer = desk.check(None, None, "--report", tmp_path / "r.html")
    assert answer.code == 0 and b"<h1>" in (tmp_path / "r.html").read_bytes()
    again = desk.check(None, None, "--report", tmp_path / "r.html")
    assert again.code == 2 and "is there already" in again.err
    assert "Create it first" in desk.check(None, None, "--report", tmp_path / "no" / "r.html").err


@pytest.mark.slow
def test_no_value_of_the_table_is_in_a_report_without_figures(tmp_path):
    desk = Desk(tmp_path)
    table = people()
    desk.put(None, table)
    answer = dalenius("check", tmp_path / "release.yaml", "--report", tmp_path / "r.html")
    assert answer.code == 0
    assert not re.search(r"P000\d\d", (tmp_path / "r.html").read_text(encoding="utf-8"))


ODD = {
    "epsilon 0": {"target": {"epsilon": 0, "delta": "0.5"}},
    "delta 0": {"target": {"epsilon": 1, "delta": 0}, "figures": [{**SMOKERS, "noise": {"geometric": 4}}]},
    "delta 0, exact": {"target": {"epsilon": 1, "delta": 0}},
    "delta near 1": {"target": {"epsilon": 1, "delta": "0.9999"}},
    "tiny epsilon": {"target": {"epsilon": "1e-9", "delta": "0.5"}},
    "large epsilon": {"target": {"epsilon": 100, "delta": "1e-9"}},
    "nothing known": {"attacker": {"knows": 0, "source": "x"}},
    "nearly all known": {"attacker": {"knows": 398, "source": "x"}},
    "in every group": {"attacker": {"knows": "0.2", "in_every_group": True, "source": "x"}},
    "presence": {"secret": "presence", "sizes": {"by": "region", "cells": {"north": 100, "south": 100}}},
    "fitted": {"beliefs": {"smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "x", "fitted": True}}},
    "rounded": {"figures": [{**SMOKERS, "round": 5}]},
    "a sum over some": {"figures": [{**INCOME, "where": {"smoker": "yes"}}]},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_odd_questions_have_a_report_too(tmp_path, name):
    desk = Desk(tmp_path)
    desk.put()
    decision = decide(spec(**ODD[name]), tmp_path / "people.csv")
    page = Page(decision.html().decode())
    assert page.open == [] and "nan" not in page.words and "inf" not in re.sub("infor|insuff", "", page.words)


@pytest.mark.slow
def test_truncated_figures_do_not_go_out_exactly_as_they_are(tmp_path):
    desk = Desk(tmp_path)
    desk.put()
    cut = {**INCOME, "truncate": [0, 2000], "noise": {"geometric": 100}}
    page = Page(decide(spec(figures=[cut]), tmp_path / "people.csv").html().decode())
    assert "with the truncated values and noise that are" in page.words and "exactly as they are" not in page.words


@pytest.mark.slow
@pytest.mark.parametrize("people_", [1, 2])
def test_one_or_two_persons_have_a_report_too(tmp_path, people_):
    desk = Desk(tmp_path)
    desk.put(None, people(people_))
    content = spec(attacker={"knows": 0, "source": "x"}, figures=[SMOKERS])
    assert Page(decide(content, tmp_path / "people.csv").html().decode()).open == []
