"""The verdict comes first: it is printed before anything else is looked for, and for --quick nothing else is."""

import contextlib
import io
import sys
import time

import pytest

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.cli import main
from dalenius.cli.bar import Bar
from dalenius.desk.session.budget import Budget
from edges.desk import INCOME, SMOKERS, dalenius, spec

SAFE = spec(target={"epsilon": "1", "delta": "1e-2"})
STRICT = {"epsilon": "0.1", "delta": "1e-6"}
NORTH = {**SMOKERS, "name": "in the north", "where": {"smoker": "yes", "region": "north"}}
UNSAFE = spec(target=STRICT, figures=[SMOKERS, NORTH])
SEARCHES = (
    "dalenius.plan.known.largest_known",
    "dalenius.plan.change.least_change",
    "dalenius.plan.margins.lines.margins",
    "dalenius.desk.curves.measured",
)


class Flushed(io.StringIO):
    """What has reached the reader."""

    seen = ""

    def flush(self) -> None:
        self.seen = self.getvalue()


def forbidden(*_: object, **__: object) -> None:
    raise AssertionError("nobody asked for this")


@pytest.fixture
def nothing_is_looked_for(monkeypatch):
    for search in SEARCHES:
        monkeypatch.setattr(search, forbidden)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "search", "first"),
    [
        (SAFE, "dalenius.plan.known.largest_known", "YES: these figures may go out exactly as they are."),
        (SAFE, "dalenius.plan.margins.lines.margins", "YES: these figures may go out exactly as they are."),
        (UNSAFE, "dalenius.plan.change.least_change", "NO: these figures may not go out as they stand."),
    ],
)
def test_the_verdict_has_reached_the_reader_before_anything_is_looked_for(desk, monkeypatch, asked, search, first):
    class NowError(Exception):
        pass

    def look(*_: object, **__: object) -> None:
        told.append(out.seen)
        raise NowError

    out, told = Flushed(), list[str]()
    monkeypatch.setattr(search, look)
    monkeypatch.setattr(sys, "argv", ["dalenius", "check", str(desk.put(asked))])
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()), pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 70  # the search broke: no answer, whatever was printed by then
    assert told[0].startswith(first) and "\nThe worst: " in told[0] and "This rests on" not in told[0]


@pytest.mark.usefixtures("nothing_is_looked_for")
@pytest.mark.parametrize(("asked", "code", "verdict"), [(SAFE, 0, "pass"), (UNSAFE, 1, "fail")])
def test_quick_stops_after_the_verdict_with_the_same_exit_code(desk, asked, code, verdict):
    path = desk.put(asked)
    answer = dalenius("check", path, "--quick")
    assert (answer.code, answer.err) == (code, "")
    assert "This rests on:" in answer.out and "Ledger: " in answer.out
    assert "may know" not in answer.out and "What would make them safe" not in answer.out
    told = dalenius("check", path, "--quick", "--json")
    assert (told.code, told.json["verdict"], told.json["margins"]) == (code, verdict, False)
    assert not {"remedies", "advice", "untried"} & set(told.json) and "largest_known" not in told.json["attacker"]


@pytest.mark.usefixtures("nothing_is_looked_for")
def test_a_decision_without_margins_has_its_verdict_and_looked_for_nothing(desk):
    decision = dl.decide(desk.put(UNSAFE), margins=False)
    assert decision.verdict == "fail" and decision.brief().startswith("NO: ")
    assert dl.decide(desk.put(SAFE), margins=False).verdict == "pass"


@pytest.mark.slow
def test_what_was_left_out_is_looked_for_when_it_is_asked_for(desk):
    for asked in (SAFE, UNSAFE):
        path = desk.put(asked)
        late, early = dl.decide(path, margins=False), dl.decide(path)
        assert late.story() == early.story() and late.json() == early.json()
        assert late.largest_known == early.largest_known and type(late.plan) is type(early.plan)
        assert late.story().startswith(late.brief()[: late.brief().index("\n\nRisk:")])


@pytest.mark.slow
def test_json_computes_no_more_than_it_prints(desk, monkeypatch):
    monkeypatch.setattr("dalenius.plan.margins.lines.margins", forbidden)
    monkeypatch.setattr("dalenius.desk.curves.measured", forbidden)
    told = dalenius("check", desk.put(SAFE), "--json").json
    assert told["margins"] is True and told["untried"] == [] and told["attacker"]["largest_known"] > 0
    assert dalenius("check", desk.put(UNSAFE), "--json").json["remedies"]


@pytest.mark.slow
def test_an_explanation_looks_for_no_change(desk, monkeypatch):
    monkeypatch.setattr("dalenius.plan.change.least_change", forbidden)
    monkeypatch.setattr("dalenius.plan.known.largest_known", forbidden)
    assert dalenius("explain", desk.put(UNSAFE)).code == 1


@pytest.mark.slow
def test_a_plan_looks_for_no_margins(desk, monkeypatch):
    monkeypatch.setattr("dalenius.plan.known.largest_known", forbidden)
    monkeypatch.setattr("dalenius.plan.margins.lines.margins", forbidden)
    assert dalenius("plan", desk.put(SAFE)).code == 0
    assert dalenius("plan", desk.put(UNSAFE)).code == 1


# -- seconds ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_without_time_the_verdict_stands_and_what_was_not_tried_is_named(desk):
    safe = dalenius("check", desk.put(SAFE), "--seconds", "0")
    assert safe.code == 0 and safe.out.startswith("YES: ")
    words = " ".join(safe.out.split())
    assert "Stopped because the 0 s for this were over (--seconds, or seconds= in Python, gives more)." in words
    assert "Not tried: how many records the attacker may know; how many people are enough; how far every" in words
    path = desk.put(UNSAFE)
    unsafe = dalenius("check", path, "--seconds", "0")
    assert unsafe.code == 1 and unsafe.out.startswith("NO: ") and "What would make them safe" not in unsafe.out
    assert "the least geometric noise of 2 figures together by itself" in " ".join(unsafe.out.split())
    assert "No noise and no rounding was found" not in unsafe.out  # nobody looked
    told = dalenius("check", path, "--seconds", "0", "--json").json
    assert told["verdict"] == "fail" and "which figures to leave out" in told["untried"]
    planned = dalenius("plan", path, "--seconds", "0")
    assert planned.code == 1 and "no change was found in the time that was given" in planned.out
    assert "Stopped because the 0 s" in planned.out
    assert dalenius("plan", path, "--seconds", "0", "--json").json["untried"]


@pytest.mark.slow
def test_what_is_certified_when_the_time_is_up_stands(desk, monkeypatch):
    """However long one looks: a change that is offered was certified, and with time enough nothing is left untried."""
    ticks = iter(range(10**9))
    monkeypatch.setattr("dalenius.desk.session.budget.monotonic", lambda: next(ticks))
    path = desk.put(spec(target=STRICT, figures=[INCOME]))
    whole = dl.decide(path)
    costs, untried = [], []
    for seconds in (0, 8, 30, 10**6):
        found = dl.decide(path, seconds=seconds)
        assert found.verdict == whole.verdict == "fail"
        chosen = [way for way in found.plan.alternatives if way.chosen]
        assert all(way.certified for way in chosen)
        costs.append(min((way.cost for way in chosen), default=float("inf")))
        untried.append(len(found.plan.untried))
    assert costs == sorted(costs, reverse=True) and untried == sorted(untried, reverse=True)
    assert untried[0] > 0 and untried[-1] == 0 and found.plan.alternatives == whole.plan.alternatives
    assert costs[1] < float("inf")  # noise by itself comes first: it takes little time


def test_only_time_that_is_spent_looking_counts():
    now = [0.0]
    budget = Budget(10, clock=lambda: now[0])
    for step, left_over in ((6, True), (6, False)):
        now[0] += 1000  # nobody looks
        with budget.running() as left:
            assert left()
            now[0] += step
            assert left() is left_over
    with Budget(clock=lambda: now[0]).running() as left:
        now[0] += 10**9
        assert left()


@pytest.mark.parametrize("seconds", [-1, float("nan"), "ten", True])
def test_seconds_that_are_none_are_refused(desk, seconds):
    with pytest.raises(InputError, match="seconds must be a number of at least 0"):
        dl.decide(desk.put(), seconds=seconds)


@pytest.mark.slow
def test_whoever_waits_hears_within_three_seconds_what_is_being_done(monkeypatch):
    assert Bar.FIRST <= 3 and Bar.EVERY <= 10
    monkeypatch.setattr(Bar, "FIRST", 1)
    err = io.StringIO()
    with contextlib.redirect_stderr(err), Bar() as bar:
        bar.show("counting", 2, 7)
        time.sleep(1.3)
    assert err.getvalue() == "still counting (2 of 7), 1 s\n"
