"""A new release is judged together with everything before it, and what cannot be judged is for review."""

import pytest

from dalenius.basics.errors import DataError, PreconditionError, SpecError
from dalenius.desk.session import carry_out, release_folder
from dalenius.record.ledger import open_ledger
from ledger.stand import Register, decided, rows, up_to

ALL = up_to(59, name="all")
EASY = {"target": {"epsilon": 1, "delta": "0.02"}}


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


class Desk:
    def __init__(self, folder):
        self.folder, self.place, self.count = folder, folder / "ledger.sqlite", 0

    def decide(self, *figures, register=None, **changes):
        return decided(self.place, list(figures), register, **changes)

    def release(self, *figures, register=None, **changes):
        self.count += 1
        outcome = carry_out(self.decide(*figures, register=register, **changes), self.folder / f"out {self.count}")
        return outcome.release

    def refused(self, *figures, register=None, **changes) -> str:
        with pytest.raises(SpecError) as caught:
            self.decide(*figures, register=register, **changes)
        return str(caught.value)


def told(decision) -> str:
    return " ".join(decision.story().split())


@pytest.mark.slow
def test_two_totals_that_differ_by_few_are_refused_with_both_releases_named(desk):
    assert desk.release(ALL).id == "R1"
    decision = desk.decide(up_to(57, name="most"))
    assert decision.verdict == "fail"
    assert "R1/all − most" in told(decision)
    assert desk.release(up_to(57, name="most")) is None
    assert len(open_ledger(desk.place).releases()) == 1


@pytest.mark.slow
def test_other_people_are_another_dataset(desk):
    assert desk.release(ALL)
    assert desk.release(up_to(57), dataset="others").id == "R2"
    assert desk.decide(up_to(57), dataset="third").verdict == "pass"


@pytest.mark.slow
def test_an_exact_figure_again_is_harmless_under_whatever_name(desk):
    first = desk.decide(ALL)
    assert desk.release(ALL)
    again = desk.decide(ALL)
    assert again.json() == first.json()
    assert desk.release({**ALL, "name": "once more"}).id == "R2"
    assert desk.decide(ALL).prepared.history.figures == ()
    rounded = up_to(59, name="rounded", round=5)
    before = desk.decide(rounded).verdict
    assert before == "pass"
    assert desk.release(rounded) and desk.release(rounded)


@pytest.mark.slow
def test_noise_again_is_a_new_draw(desk):
    noisy = up_to(59, name="noisy", noise={"geometric": 2})
    strict = {"target": {"epsilon": "0.6", "delta": "1e-9"}}
    assert desk.release(noisy, **strict)
    again = desk.decide(noisy, **strict)
    assert [figure.name for figure in again.prepared.history.figures] == ["R1/noisy"]
    assert again.verdict != "pass"


@pytest.mark.slow
def test_a_figure_that_is_another_number_now_is_not_released_again(desk):
    assert desk.release(ALL)
    corrected = rows()
    corrected[0]["answer"] = "yes"
    decision = desk.decide(ALL, register=Register(corrected))
    assert decision.verdict == "pass"  # what the data say decides nothing
    with pytest.raises(DataError, match="'all' is not what it was in R1"):
        release_folder(decision, desk.folder / "again")
    assert not (desk.folder / "again").exists() and len(open_ledger(desk.place).releases()) == 1


@pytest.mark.slow
def test_a_number_that_changed_is_found_in_whatever_order_the_columns_stand(desk):
    columns = {"public": {"half": ["low", "high"], "side": ["left", "right"]}}
    there = rows()
    for place, row in enumerate(there):
        row |= {"half": "low" if place < 40 else "high", "side": "left" if place % 5 else "right"}
    figure = {"name": "yes", "kind": "count", "where": {"answer": "yes"}}
    easy = {**columns, "target": {"epsilon": 1, "delta": "0.9"}}
    assert desk.release({**figure, "by": ["half", "side"]}, register=Register(there), **easy)
    turned = {**figure, "by": ["side", "half"]}
    assert desk.release(turned, register=Register(there), **easy)
    corrected = [{**there[0], "answer": "yes"}, *there[1:]]
    with pytest.raises(DataError, match="'yes' is not what it was in R1"):
        desk.release(turned, register=Register(corrected), **easy)


@pytest.mark.slow
def test_what_was_published_elsewhere_is_remembered(desk):
    assert desk.release(ALL, published=[up_to(29, name="a newspaper")], **EASY)
    decision = desk.decide(up_to(27, name="few"), published=[up_to(29, name="a newspaper")], **EASY)
    assert [figure.name for figure in decision.prepared.history.figures] == ["a newspaper", "R1/all"]
    forgotten = desk.decide(up_to(27, name="few"), **EASY)
    assert [figure.name for figure in forgotten.prepared.history.figures] == ["R1/all", "R1/a newspaper"]
    assert forgotten.verdict == "fail"
    assert "R1/a newspaper − few" in told(forgotten)


@pytest.mark.slow
def test_beliefs_and_columns_that_are_not_declared_any_more_come_from_the_ledger(desk):
    extra = [{**row, "sex": "fm"[row["rank"] % 2], "ill": "no"} for row in rows()]
    more = {
        "public": {"rank": {"unit": 1, "bounds": [0, 999]}, "sex": ["f", "m"]},
        "confidential": {"answer": ["no", "yes"], "ill": ["no", "yes"]},
        "beliefs": {
            "answer": {"probabilities": {"yes": "1/2", "no": "1/2"}, "source": "a survey"},
            "ill": {"probabilities": {"yes": "1/3", "no": "rest"}, "source": "the clinics"},
        },
        **EASY,
    }
    ill = {"name": "ill", "kind": "count", "where": {"ill": "yes", "sex": "f"}}
    assert desk.release(ill, register=Register(extra), **more)
    decision = desk.decide(ALL, register=Register(extra), **EASY)
    assert "R1/ill" in told(decision) and "the clinics" in told(decision)
    assert decision.verdict == "pass"
    lost = desk.decide(ALL, **EASY)  # a table without the column sex
    assert lost.verdict == "review"
    assert "release R1 used the column 'sex', which is not in the table any more" in told(lost)


def joined(editions: int, each: int = 40) -> Register:
    """A register that grows: the column since says in which edition a row came."""
    return Register(
        {"id": f"P{place}", "rank": 0, "answer": "yes", "since": place // each + 1, "until": 99}
        for place in range(editions * each)
    )


def edition(now, **more) -> dict:
    column = {"unit": 1, "bounds": [0, 99]}
    public = {"rank": {"unit": 1, "bounds": [0, 999]}, "since": column, "until": column}
    return {"public": public, "edition": {"now": now, "since": "since", **more}}


@pytest.mark.slow
def test_the_same_table_later_with_many_more_passes_and_with_one_more_does_not(desk):
    assert desk.release(ALL, register=joined(1), **edition(1))
    assert desk.release(ALL, register=joined(2), **edition(2)).id == "R2"
    one_more = joined(2)
    one_more.rows.append({"id": "new", "rank": 0, "answer": "no", "since": 3, "until": 99})
    decision = desk.decide(ALL, register=one_more, **edition(3))
    assert decision.verdict == "fail"
    assert "all − R2/all" in told(decision)


@pytest.mark.slow
def test_who_left_stays_in_the_table_and_gives_nobody_away_unnoticed(desk):
    assert desk.release(ALL, register=joined(2), **edition(2, until="until"))
    fewer = joined(2)
    fewer.rows[0]["until"] = 2
    decision = desk.decide(ALL, register=fewer, **edition(3, until="until"))
    assert decision.verdict == "fail"
    assert "R1/all − all" in told(decision)


@pytest.mark.slow
def test_the_editions_of_a_column_may_go_on(desk):
    labels = {"rank": {"unit": 1, "bounds": [0, 999]}, "since": ["May", "June"]}
    months = [{**row, "since": "May"} for row in rows()]
    assert desk.release(ALL, register=Register(months), public=labels, edition={"now": "May", "since": "since"})
    labels["since"].append("July")
    months += [{**row, "id": f"J{row['id']}", "since": "July"} for row in rows()]
    july = {"public": labels, "edition": {"now": "July", "since": "since"}}
    assert desk.release(ALL, register=Register(months), **july).id == "R2"
    labels["since"] = ["July", "May", "June"]
    assert "Column 'since' needs the domain" in desk.refused(ALL, register=Register(months), **july)


@pytest.mark.slow
@pytest.mark.parametrize("change", ["one more", "another person", "another rank"])
def test_a_table_that_changed_without_an_edition_is_for_review(desk, change):
    assert desk.release(ALL)
    changed = rows()
    if change == "one more":
        changed.append({**changed[0], "id": "new"})
    else:
        changed[3] |= {"id": "somebody else"} if change == "another person" else {"rank": 4}
    decision = desk.decide(ALL, register=Register(changed))
    assert decision.verdict == "review"
    assert "the table is not what it was when R1 was released" in told(decision)
    assert desk.release(ALL, register=Register(changed)) is None


def test_a_fail_stays_a_fail_beside_what_cannot_be_judged(desk):
    assert desk.release(ALL)
    changed = [*rows(), {**rows()[0], "id": "new"}]
    assert desk.decide(up_to(2), register=Register(changed)).verdict == "fail"


def test_numbers_of_other_rows_are_no_witness(desk):
    assert desk.release(ALL)
    changed = [*rows(), {**rows()[0], "id": "new"}]
    decision = desk.decide(up_to(57), register=Register(changed))
    assert decision.verdict == "review"
    assert decision.prepared.history.figures == ()


@pytest.mark.slow
def test_editions_that_are_only_named(desk):
    assert desk.release(ALL, edition={"now": "May"})
    assert desk.decide(ALL, edition={"now": "May"}).verdict == "pass"
    june = desk.decide(ALL, edition={"now": "June"})
    assert june.verdict == "review"
    assert "R1 is about edition May and this one about June" in told(june)


@pytest.mark.slow
def test_where_presence_is_secret_only_a_name_says_that_the_rows_are_the_same(desk):
    secret = {"secret": "presence", "sizes": {"cells": 40}, "target": {"epsilon": 2, "delta": "0.01"}}
    ask = {"name": "yes", "kind": "count", "where": {"answer": "yes"}}
    assert desk.release(ask, **secret)
    assert "where presence is secret" in told(desk.decide(ask, **secret))
    assert desk.decide(ask, **secret).verdict == "review"
    assert desk.release(ask, **secret, dataset="b", edition={"now": "May"})
    assert desk.decide(ask, **secret, dataset="b", edition={"now": "May"}).verdict == "pass"
    assert "secret: it was 'presence' when R1" in desk.refused(ask)


PUBLIC = {"rank": {"unit": 1, "bounds": [0, 999]}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"public": {**PUBLIC, "answer": ["no", "yes"]}, "confidential": {"a": [1]}, "beliefs": None}, "secret stays"),
        ({"person": "name"}, "names persons by 'id', but now it is 'name'"),
        ({"public": {"rank": {"unit": 1, "bounds": [0, 500]}}}, "Column 'rank' needs the domain and the unit"),
        ({"public": {"rank": {"unit": "1/2", "bounds": [0, 999]}}}, "but now it has others"),
        ({"confidential": {"answer": ["no", "yes", "maybe"]}}, "Column 'answer' needs the domain"),
        ({"public": {}, "confidential": {"answer": ["no", "yes"], **PUBLIC}}, "was declared public when R1"),
    ],
)  # fmt: skip
def test_a_specification_that_contradicts_the_ledger_is_refused(desk, changes, said):
    assert desk.release(ALL)
    figure = {"name": "people", "kind": "count"}
    assert said in desk.refused(figure, **changes)
    assert "person" in changes or desk.decide(figure, **changes, dataset="others").verdict == "pass"


@pytest.mark.slow
def test_labels_may_stand_in_another_order(desk):
    assert desk.release(ALL)
    assert desk.decide(ALL, confidential={"answer": ["yes", "no"]}).verdict == "pass"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"now": 1, "until": "rank"}, "until needs since beside it"),
        ({"now": 1, "since": "answer"}, "edition needs a public column"),
        ({"now": 1000, "since": "rank"}, "edition: now: rank = 1000 is not a multiple"),
        ({"now": 1, "since": "rnak"}, "Did you mean 'rank'"),
    ],
)
def test_bad_editions(desk, given, said):
    assert said in desk.refused(ALL, edition=given)


def test_what_is_doubted_is_no_guarantee(desk):
    """With the table as it was, the difference gives two people away; somebody new in it is a doubt, and no pass."""
    desk.release(ALL)
    decision = desk.decide(up_to(57), register=Register([*rows(), {**rows()[0], "id": "new"}]))
    assert decision.verdict == "review"
    for guarantee in decision.guarantees:
        assert guarantee.verdict == "review"
        assert "R1" in guarantee.because
        with pytest.raises(PreconditionError):
            guarantee.implies("Pufferfish privacy")
