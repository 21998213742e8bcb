"""Ways around the ledger that somebody may take, by mistake or not: another name for the same thing."""

import pytest

from dalenius.basics.errors import LedgerError
from dalenius.desk.session import carry_out
from dalenius.record.ledger import Recorded, open_ledger
from ledger.stand import Register, decided, rows, up_to

ALL = up_to(59, name="all")
RANK = {"rank": {"unit": 1, "bounds": [0, 999]}}


@pytest.fixture
def release(tmp_path):
    """Release figures; the decision on the next ones."""

    def released(*figures, **changes):
        outcome = carry_out(decided(tmp_path / "ledger.sqlite", list(figures), **changes), tmp_path / "first")
        assert outcome.release is not None
        return lambda *more, **others: decided(tmp_path / "ledger.sqlite", list(more), **others)

    return released


def told(decision) -> str:
    return " ".join(decision.story().split())


@pytest.mark.slow
def test_a_confidential_column_under_another_name_is_for_review(release):
    decide = release(ALL)
    renamed = Register({**{k: v for k, v in row.items() if k != "answer"}, "reply": row["answer"]} for row in rows())
    less = {"name": "most", "kind": "count", "where": {"reply": "yes", "rank": {"at_most": 57}}}
    changes = {
        "confidential": {"reply": ["no", "yes"]},
        "beliefs": {"reply": {"probabilities": {"yes": "1/2", "no": "1/2"}, "source": "a survey"}},
    }
    decision = decide(less, register=renamed, **changes)
    assert decision.verdict == "review"
    assert "used the confidential column 'answer', which is not in the table any more, and 'reply' may be" in told(
        decision
    )


@pytest.mark.slow
def test_the_name_of_an_edition_does_not_make_other_rows_the_same(release):
    decide = release(ALL, edition={"now": "May"})
    assert decide(ALL, edition={"now": "May"}).verdict == "pass"
    one_more = Register([*rows(), {**rows()[0], "id": "new"}])
    decision = decide(ALL, register=one_more, edition={"now": "May"})
    assert decision.verdict == "review"
    assert "is about edition May, as this one is, but the table is not what it was" in told(decision)


@pytest.mark.slow
def test_a_figure_about_when_rows_leave_is_not_rebuilt_from_when_they_left(release):
    """Then it was about everybody; today it seems to have been about all but the one who left since."""
    columns = {**RANK, "since": {"bounds": [1, 9]}, "until": {"bounds": [1, 9]}}
    staying = {"name": "stay", "kind": "count", "where": {"answer": "yes", "until": 9}}
    edition = {"since": "since", "until": "until"}
    there = rows(since=1, until=9)
    decide = release(staying, register=Register(there), public=columns, edition={"now": 1, **edition})
    left = Register([{**there[0], "until": 1}, *there[1:]])
    decision = decide(staying, register=left, public=columns, edition={"now": 2, **edition})
    assert decision.verdict == "review"
    assert "the table is not what it was when R1 was released" in told(decision)


@pytest.mark.slow
def test_what_was_published_elsewhere_is_about_the_public_values_of_then(release):
    """A press release of those up to rank 57, named beside figures that do not depend on the rank."""
    changes = {
        "confidential": {"answer": ["no", "yes"], "ill": ["no", "yes"]},
        "beliefs": {
            name: {"probabilities": {"yes": "1/2", "no": "1/2"}, "source": "a survey"} for name in ("answer", "ill")
        },
    }
    sick = {"name": "sick", "kind": "count", "where": {"ill": "yes"}}
    there = rows(ill="no")
    decide = release(sick, register=Register(there), published=[up_to(57, name="press")], **changes)
    assert decide(up_to(57), register=Register(there), **changes).verdict == "pass"
    moved = Register([{**there[0], "rank": 58}, *there[1:]])
    decision = decide(up_to(57), register=moved, **changes)
    assert decision.verdict == "review"
    assert "the table is not what it was when R1 was released" in told(decision)


@pytest.mark.slow
def test_no_plan_takes_back_what_is_asked_for_again(release):
    """`all` is out. With noise on it, or without it, the one who is not in `most` would seem to be hidden."""
    decision = release(ALL)(ALL, up_to(57, name="most")).within(None)
    assert decision.verdict == "fail"
    assert decision.prepared.history.again == {"all"}
    ways = [way for way in decision.plan.alternatives if way.possible]
    assert [[change.figure for change in way.changes] for way in ways] == [["most"]]
    assert [figure.name for figure in decision.plan.figures] == ["all"]


@pytest.mark.slow
def test_the_same_persons_under_the_name_of_another_dataset_are_pointed_out(release):
    decide = release(ALL)
    other = decide(up_to(57), dataset="others")
    note = "the dataset 'data' has the same persons as 'others': what was released from it (R1) was not judged"
    assert note in told(other) and note in " ".join(other.json()["remarks"])
    assert note in other.html().decode().replace("&#x27;", "'")
    fewer = decide(up_to(57), register=Register(rows()[:-1]), dataset="others")
    assert "the same persons" not in told(fewer)
    assert "the same persons" not in told(decide(ALL))


@pytest.mark.slow
@pytest.mark.parametrize(
    "where",
    [
        {"answer": ["yes"], "rank": list(range(58))},
        {"answer": "yes", "rank": {"at_least": 0, "at_most": 57}},
        "answer = yes and (rank <= 20 or rank between 21 and 57)",
        "not answer = no and rank < 58",
    ],
)
def test_a_condition_in_other_words_is_the_same_condition(release, where):
    decision = release(ALL)({"name": "most", "kind": "count", "where": where})
    assert decision.verdict == "fail"
    assert "R1/all − most" in told(decision)


@pytest.mark.slow
def test_probabilities_by_a_column_that_is_gone_must_be_stated_again(release):
    more = {
        "public": {**RANK, "sex": ["f", "m"]},
        "confidential": {"answer": ["no", "yes"], "ill": ["no", "yes"]},
        "beliefs": {
            "answer": {"probabilities": {"yes": "1/2", "no": "1/2"}, "source": "a survey"},
            "ill": {"by": "sex", "cells": {s: {"yes": "1/3", "no": "rest"} for s in "fm"}, "source": "clinics"},
        },
        "target": {"epsilon": 1, "delta": "0.02"},
    }
    with_sex = Register({**row, "sex": "fm"[row["rank"] % 2], "ill": "no"} for row in rows())
    decide = release({"name": "ill", "kind": "count", "where": {"ill": "yes"}}, register=with_sex, **more)
    decision = decide(ALL, register=Register({**row, "ill": "no"} for row in rows()), target=more["target"])
    assert decision.verdict == "review"
    assert "the probabilities of 'ill', on which release R1 rests, were by a column that is not in" in told(decision)


@pytest.mark.slow
def test_a_ledger_that_is_replaced_after_the_decision_is_noticed(release, tmp_path):
    decision = release(ALL)(up_to(59, name="again"))
    (tmp_path / "ledger.sqlite").unlink()
    with pytest.raises(LedgerError, match="but R1 is not in it any more: somebody replaced it"):
        carry_out(decision, tmp_path / "second")
    assert not (tmp_path / "second").exists()


def test_an_entry_of_another_kind_is_not_read():
    with pytest.raises(
        LedgerError, match=r"Needed R1 \(entry 1\) as dalenius/record/ledger/1 says, but it is dalenius/record/ledger/2"
    ):
        Recorded.of("R1", 1, "", '{"schema":"dalenius/record/ledger/2"}')
    with pytest.raises(LedgerError, match=r"entry 1 \(R1\) is damaged"):
        Recorded.of("R1", 1, "", '{"schema":"dalenius/record/ledger/1"}')


@pytest.mark.slow
def test_a_server_that_isolates_more_shows_what_others_committed(postgres):
    """Where a transaction sees only what was there when it began, it must not begin before the others are done."""
    from ledger.conftest import fresh

    place = fresh(postgres)
    postgres.psql(
        f"ALTER DATABASE {place.rsplit('/', 1)[-1].split('?')[0]} SET default_transaction_isolation = 'serializable'"
    )
    with open_ledger(place).turn() as turn:
        level = turn.connection.exec_driver_sql("SHOW transaction_isolation").scalar()
    assert level == "read committed"
