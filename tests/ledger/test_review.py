"""What persons decide stands in the chain: who may, how many, blind, once, and never called certified."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial
from threading import Thread

import pytest

from dalenius.basics.errors import DaleniusError, InputError, LedgerError
from dalenius.data import complete
from dalenius.data.folder import holds
from dalenius.desk.policy import policy_of
from dalenius.desk.review import approve, comment, decided_alike, may_decide, reject, submit
from dalenius.desk.session import carry_out
from dalenius.record.ledger import ReviewRule, open_ledger
from dalenius.show.ledger import listed, shown, verified
from dalenius.show.review import case, case_json
from ledger.killing import child, ended, steps
from ledger.reviewing import HARMLESS, TELLING, WORDS, approved, asked, deciding, releasing, submitting
from ledger.stand import FULL, Register, decided, rows, up_to

pytestmark = pytest.mark.usefixtures("without_charts")


def test_what_persons_let_out_is_recorded_in_their_names_and_never_called_certified(place, quick_path):
    found, case_ = approved(place)
    assert found.verdict == "fail" and case_.state == "approved"
    outcome = carry_out(found, quick_path / "out", submission=case_.id)
    assert outcome.release is not None and not outcome.release.certified
    files = {path.name: path.read_bytes() for path in (quick_path / "out").iterdir() if path.is_file()}
    assert "certificate.json" not in files
    said = json.loads(files["judgement.json"])
    assert said["certified"] is False and said["by"] == ["anna", "ben"]
    assert "delta_at_most" not in files["judgement.json"].decode() + files["results.json"].decode()
    for name in ("report.txt", "report.html", "results.json"):
        text = files[name].decode()
        assert "Released on the judgement of anna and ben because" in text and "does not certify" in text, name
    assert b"Yes." not in files["report.html"]
    (record,) = found.ledger.releases()
    assert record.body["guarantee"] == {"verdict": "none", "epsilon": "", "delta_at_most": ""}
    assert "not certified" in listed(found.ledger) and "claim     none" in shown(record)
    assert found.ledger.submission(case_.id).state == "released"
    assert verified(found.ledger)["entries"] == 5


def test_it_enters_the_history_like_everything_that_is_out(place, quick_path):
    found, case_ = approved(place, [up_to(58)], dataset="set")
    assert decided(place, [up_to(59, "all")], dataset="set").verdict != "fail"
    carry_out(found, quick_path / "out", submission=case_.id)
    later = decided(place, [up_to(59, "all")], dataset="set")
    assert later.verdict == "fail" and [one.name for one in later.prepared.history.figures] == ["R1/yes"]


@pytest.mark.parametrize(
    ("user", "told"),
    [("cleo", "did not submit"), ("dora", "whom the policy names"), ("anna", "one decision a person")],
)
def test_who_may_not_decide_does_not(tmp_path, user, told):
    found = asked(tmp_path / "ledger.sqlite")
    name = submit(found, WORDS, user="cleo").id
    approve(found.ledger, name, "fine", user="anna")
    for decide in (approve, reject):
        with pytest.raises(InputError, match=told):
            decide(found.ledger, name, "fine", user=user)
    assert len(found.ledger.submission(name).votes) == 1
    assert told in may_decide(found.ledger.submission(name), (), user, approves=True)


@pytest.mark.parametrize(
    ("review", "told"), [(None, "no policy lets persons"), ({"overrule": "review"}, "that may not be")]
)
def test_persons_overrule_only_what_a_policy_says(tmp_path, review, told):
    found = asked(tmp_path / "ledger.sqlite", review=review)
    name = submit(found, WORDS, user="cleo").id
    with pytest.raises(InputError, match=told):
        approve(found.ledger, name, "fine", user="anna")
    assert reject(found.ledger, name, "too few", user="anna").state == "rejected"


def test_a_reviewers_own_policy_binds_too(tmp_path):
    found = asked(tmp_path / "ledger.sqlite", review={"overrule": "fail"})
    name = submit(found, WORDS, user="cleo").id
    with pytest.raises(InputError, match="no policy lets"):
        approve(found.ledger, name, "fine", user="anna", policies=[policy_of({"review": {"overrule": "nothing"}})])
    approve(found.ledger, name, "fine", user="anna")
    held = replace(found, policies=(policy_of({"review": {"by": ["ben"], "overrule": "fail"}}),))
    with pytest.raises(InputError, match="whom the policy names"):
        carry_out(held, tmp_path / "out", submission=name)
    held = replace(found, policies=(policy_of({"review": {"signatures": 2, "overrule": "fail"}}),))
    with pytest.raises(InputError, match="2 persons"):
        carry_out(held, tmp_path / "out", submission=name)
    assert not found.ledger.releases() and not (tmp_path / "out").exists()


def test_decisions_are_blind_until_all_are_in(place):
    found = asked(place)
    name = submit(found, WORDS, user="cleo").id
    approve(found.ledger, name, "a reason of anna", user="anna")
    comment(found.ledger, name, "a question", user="ben")
    case_ = found.ledger.submission(name)
    for viewer, sees in (("anna", True), ("ben", False), ("cleo", False), ("dora", False)):
        text = case(case_, (), viewer) + json.dumps(case_json(case_, (), viewer))
        assert ("a reason of anna" in text) == sees, viewer
        assert "a question" in text
    case_ = reject(found.ledger, name, "a reason of ben", user="ben")
    assert case_.state == "rejected"
    assert "a reason of anna" in case(case_, (), "cleo") and "a reason of ben" in case(case_, (), "cleo")
    with pytest.raises(InputError, match="rejected"):
        approve(found.ledger, name, "late", user="anna")
    with pytest.raises(LedgerError, match="was rejected"):
        carry_out(found, "out", submission=name)


def test_what_was_approved_is_what_goes_out(tmp_path):
    place = tmp_path / "ledger.sqlite"
    found, case_ = approved(place, dataset="set")
    others = [
        asked(place, [up_to(57), up_to(59, "all")], dataset="set"),
        asked(place, TELLING, dataset="other"),
        asked(place, TELLING, dataset="set", target={"epsilon": 2, "delta": "1e-3"}),
        asked(place, TELLING, register=Register(rows(61)), dataset="set"),
    ]
    for other in others:
        with pytest.raises(DaleniusError, match=r"others now|dataset"):
            carry_out(other, tmp_path / "out", submission=case_.id)
    assert not found.ledger.releases()
    carry_out(asked(place, HARMLESS, review=None, dataset="set"), tmp_path / "between")
    again = asked(place, TELLING, dataset="set")
    for one in (found, again):
        with pytest.raises(LedgerError, match="since S1 was submitted"):
            carry_out(one, tmp_path / "out", submission=case_.id)
    assert len(found.ledger.releases()) == 1


def test_an_approval_is_used_once(place, quick_path):
    found, case_ = approved(place)
    carry_out(found, quick_path / "out", submission=case_.id)
    with pytest.raises(LedgerError, match="released already, as R1"):
        carry_out(found, quick_path / "again", submission=case_.id)
    assert not (quick_path / "again").exists() and len(found.ledger.releases()) == 1


def test_where_a_policy_wants_every_release_approved_none_goes_out_without(tmp_path):
    place, review = tmp_path / "ledger.sqlite", {"releases": "all"}
    found = asked(place, HARMLESS, review=review)
    with pytest.raises(InputError, match="persons approved"):
        carry_out(found, tmp_path / "out")
    name = submit(found, WORDS, user="cleo").id
    approve(found.ledger, name, "certified", user="anna")
    outcome = carry_out(found, tmp_path / "out", submission=name)
    assert outcome.release is not None and outcome.release.certified
    assert (tmp_path / "out" / "certificate.json").exists()
    assert "Approved by anna (S1)" in (tmp_path / "out" / "report.txt").read_text(encoding="utf-8")
    assert outcome.release.body["guarantee"]["verdict"] == "pass"


def test_what_was_decided_alike_before_is_listed(tmp_path):
    place = tmp_path / "ledger.sqlite"
    found, first = approved(place, dataset="a")
    carry_out(found, tmp_path / "out", submission=first.id)
    second = submit(asked(place, [up_to(30), up_to(31, "more")], dataset="b"), "again", user="cleo")
    other = submit(asked(place, [{"name": "n", "kind": "count"}], dataset="b"), "another", user="cleo")
    ledger = open_ledger(place)
    assert [one.id for one in decided_alike(second, ledger.submissions())] == ["S1"]
    assert decided_alike(other, ledger.submissions()) == ()
    assert "on the judgement of persons" in case(second, [ledger.submission("S1")], "anna")


def test_two_reviewers_at_once_and_a_third_who_is_late(place):
    found = asked(place, review={"signatures": 2, "overrule": "fail"})
    name = submit(found, WORDS, user="cleo").id
    refused = []

    def vote(user):
        try:
            approve(open_ledger(place), name, "fine", user=user)
        except DaleniusError:
            refused.append(user)

    threads = [Thread(target=vote, args=(user,)) for user in ("anna", "ben", "dora", "anna")]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    votes = found.ledger.submission(name).votes
    assert len(votes) == 2 and len({vote.user for vote in votes}) == 2 and len(refused) == 2


@pytest.mark.parametrize(
    ("words", "told"), [("", "got none"), ("  ", "got none"), ("x" * 4001, "4000"), ("a\x1b[2J", "printed")]
)
def test_bad_words_are_refused(tmp_path, words, told):
    with pytest.raises(InputError, match=told):
        submit(asked(tmp_path / "ledger.sqlite"), words, user="cleo")
    assert not (tmp_path / "ledger.sqlite").exists()


def test_a_submission_that_was_edited_is_found_out(tmp_path):
    place = tmp_path / "ledger.sqlite"
    found, _ = approved(place)
    with closing(sqlite3.connect(place)) as edited, edited:
        with pytest.raises(sqlite3.IntegrityError):
            edited.execute("UPDATE dalenius_entries SET body = '{}' WHERE number = 2")
        edited.execute("DROP TRIGGER dalenius_entries_update")
        edited.execute("UPDATE dalenius_entries SET body = replace(body, 'anna', 'otto') WHERE number = 2")
    with pytest.raises(LedgerError, match="does not match its hash"):
        found.ledger.submissions()


def test_a_ledger_from_before_stays_as_it_is_until_something_is_submitted(tmp_path):
    place = tmp_path / "ledger.sqlite"
    carry_out(asked(place, HARMLESS, review=None, dataset="set"), tmp_path / "out")
    versions = "SELECT schema FROM dalenius_ledger ORDER BY schema"
    with closing(sqlite3.connect(place)) as seen:
        assert seen.execute(versions).fetchall() == [(1,)]
    submit(asked(place, dataset="set"), WORDS, user="cleo")
    submit(asked(place, dataset="set"), WORDS, user="cleo")
    with closing(sqlite3.connect(place)) as seen:
        assert seen.execute(versions).fetchall() == [(1,), (3,)]  # an earlier dalenius leaves it alone
    assert [one.id for one in open_ledger(place).submissions()] == ["S1", "S2"]


@pytest.mark.parametrize(
    "one", [ReviewRule(), ReviewRule(("a", "b"), 1, True, "fail"), ReviewRule(("b",), 3, False, "review")]
)
def test_two_policies_are_as_strict_as_each(one):
    for other in (ReviewRule(), ReviewRule(("b", "c"), 2, False, "fail")):
        both = one.and_also(other)
        assert both.signatures >= max(one.signatures, other.signatures)
        assert both.everything == (one.everything or other.everything)
        for verdict in ("fail", "review"):
            assert both.may_overrule(verdict) == (one.may_overrule(verdict) and other.may_overrule(verdict))
        for rule in (one, other):
            assert not rule.by or (both.by and not {name for name in both.by if name in "abc"} - set(rule.by))


@pytest.mark.slow
def test_a_kill_at_any_step_loses_nothing_and_does_nothing_twice(place, quick_path):
    """Submit, vote and release, each killed at every step that changes something; then done again."""
    quiet = asked(place, HARMLESS, review=None, dataset="warm")
    carry_out(quiet, quick_path / "warm")
    ledger, kills = open_ledger(place), 0

    for number, at in enumerate(_chosen(steps(partial(submitting, place, "counted")))):
        before = len(ledger.submissions())
        code = ended(child(partial(submitting, place, number), at, crucial=True))
        added = len(ledger.submissions()) - before
        assert code in (0, -9) and added in (0, 1) and (code == -9 or added)
        kills += code == -9
    name = submit(asked(place, dataset="voted"), WORDS, user="cleo").id
    approve(ledger, name, "yes", user="anna")
    chosen = _chosen(steps(partial(deciding, place, submit(asked(place, dataset="v"), WORDS, user="cleo").id)))
    for at in chosen:
        votes = len(ledger.submission(name).votes)
        code = ended(child(partial(deciding, place, name), at, crucial=True))
        after = ledger.submission(name)
        assert code in (0, -9) and len(after.votes) - votes in (0, 1)
        kills += code == -9
        if after.state != "open":
            break
    first, case_ = approved(place, dataset="set counted 2")
    chosen = _chosen(steps(partial(releasing, place, quick_path, "counted 2", case_.id)))
    for number, at in enumerate(chosen, 1000):
        _, case_ = approved(place, dataset=f"set {number}")
        target, before = quick_path / f"out {number}", len(ledger.releases())
        code = ended(child(partial(releasing, place, quick_path, number, case_.id), at, crucial=True))
        assert code in (0, -9)
        kills += code == -9
        recorded = ledger.submission(case_.id).release
        assert len(ledger.releases()) - before == bool(recorded)
        assert recorded or not target.exists(), "figures are out that are not in the ledger"
        complete(ledger)
        assert target.exists() == bool(recorded)
        if recorded:
            (mine,) = [one for one in ledger.releases() if one.id == recorded]
            assert holds(target, ledger.files(mine)) and not mine.certified
            with pytest.raises(LedgerError, match="released already"):
                carry_out(first, quick_path / "never", submission=case_.id)
        else:
            releasing(place, quick_path, number, case_.id)
            assert ledger.submission(case_.id).state == "released" and target.exists()
    assert not ledger.pending() and verified(ledger)["entries"]
    print(f"{kills} kills")


def _chosen(found):
    return found if FULL else found[:: max(1, len(found) // 4)]
