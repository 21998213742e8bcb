"""The pages: from a table to a release without scripts, two reviewers, and what a hostile visitor tries."""

import csv
import io
import re
import threading
from dataclasses import replace

import pytest
import yaml

from dalenius.plan.alternative import Alternative, Change
from dalenius.record.ledger import open_ledger
from dalenius.web.pages import _different
from web.bench import HOST, TOKEN, Visitor, served

CANARY = "canary7c1f"
PEOPLE = 600


def table(people=PEOPLE):
    """A table whose confidential columns, and those that nobody uses, are full of words that may reach no page."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["id", "region", "smoker", "diary", "income"])
    for place in range(people):
        smoker = "yes" if place % 3 == 0 else f"no{CANARY}"
        writer.writerow(
            [f"{CANARY}P{place}", ["north", "south"][place % 2], smoker, f"{CANARY}{place}", 7310031 + place]
        )
    return text.getvalue()


@pytest.fixture
def room(tmp_path):
    folder = tmp_path / "room"
    folder.mkdir()
    (folder / "people.csv").write_text(table(), encoding="utf-8")
    (folder / "policy.yaml").write_text(
        yaml.safe_dump({"name": "Rules 7", "review": {"by": ["anna", "ben"], "signatures": 2, "overrule": "fail"}}),
        encoding="utf-8",
    )
    return folder


@pytest.fixture
def visitor(room):
    with served(room) as client:
        found = Visitor(client)
        found.enter()
        yield found


def specified(visitor, epsilon="1", delta="1e-3", noise=None):
    """As far as the verdict, by forms only."""
    visitor.post("/begin", **{"from": "file", "name": "people.csv", "header": "yes"})
    draft = visitor.draft
    roles = {name: place for place, name in re.findall(r'name="role(\d+)" aria-label="([^"]+) is"', visitor.text)}
    form = {
        f"role{roles['id']}": "person",
        f"role{roles['region']}": "public",
        f"role{roles['smoker']}": "confidential",
    }
    form[f"domain{roles['smoker']}"] = f"yes, no{CANARY}"
    visitor.post(f"{draft}/columns", **form)
    add = {"do": "add", "name": "smokers", "kind": "count", "where_column": "smoker", "where_value": "yes"}
    visitor.post(f"{draft}/figures", **add, by="region")
    visitor.get(f"{draft}/beliefs")
    chances = f"yes: 0.3\nno{CANARY}: rest"
    visitor.post(f"{draft}/beliefs", how0="probabilities", probabilities0=chances, source0="a survey")
    visitor.get(f"{draft}/attacker")
    visitor.post(f"{draft}/attacker", knows="5 %", source="an employer", epsilon=epsilon, delta=delta)
    return draft


@pytest.mark.slow
def test_from_a_table_to_a_signed_release_without_scripts(visitor, room):
    draft = specified(visitor)
    assert visitor.at == f"{draft}/verdict" and "YES: these figures may go out" in visitor.text
    assert visitor.text.count('class="tells') >= 8
    visitor.get(f"{draft}/verdict?cell=0")
    assert "It covers a group of 300 people" in visitor.text
    asked = visitor.get(f"{draft}/dial", params={"knows": "0.9", "wrong": "0", "epsilon": "0.2"}).json()
    assert asked["verdict"] != "pass" and len(asked["cells"]) == 2
    visitor.get(f"{draft}/release")
    visitor.post(f"{draft}/release", do="release", folder="out")
    assert "R1 is out" in visitor.text and "with a certificate" in visitor.text
    assert (room / "out" / "certificate.json").exists()
    visitor.get("/timeline")
    assert "R1" in visitor.text and "smokers" in visitor.text
    report = visitor.get("/release/R1/report.html", params={"look": "1"})
    assert "sandbox" in report.headers["content-security-policy"]


@pytest.mark.slow
def test_no_confidential_value_in_any_response(visitor, room):
    (room / "pairs").mkdir()
    (room / "pairs" / "pairs.csv").write_text(f"name,count\n{CANARY},7310031\nTotal,7310031\n", encoding="utf-8")
    draft = specified(visitor)
    for page in ("columns", "figures", "beliefs", "attacker", "verdict", "plan", "release", "yaml"):
        visitor.get(f"{draft}/{page}")
    for place in ("/", "/timeline", "/desk", "/audit"):
        visitor.get(place)
    visitor.post(f"{draft}/release", do="release", folder="out")
    visitor.post("/audit", name="people.csv", threshold="10")
    visitor.post("/begin", **{"from": "file", "name": "people.csv", "header": ""})
    visitor.get("/audit")
    assert "people.csv" not in visitor.text
    for name in ("people.csv", "pairs", "pairs/pairs.csv", "."):  # a confidential table that looks like one of counts
        assert visitor.post("/audit", name=name, threshold="10").status_code == 400
        visitor.get("/audit")
    for answer in visitor.answers:
        said = answer.text.replace(f"no{CANARY}", "")  # a label that the visitor declared
        assert CANARY not in said and "73100" not in said, answer.url


@pytest.mark.slow
def test_the_specification_goes_both_ways(visitor):
    draft = specified(visitor)
    visitor.get(f"{draft}/yaml")
    from html import unescape

    text = unescape(re.search(r"<textarea[^>]*>(.*?)</textarea>", visitor.text, re.DOTALL)[1])
    keys = yaml.safe_load(text)
    assert keys["figures"][0]["name"] == "smokers"
    visitor.post(f"{draft}/yaml", text=text.replace("name: smokers", "name: who smokes"))
    assert "who smokes" in visitor.text and "YES" in visitor.text
    visitor.get(f"{draft}/figures")
    assert "who smokes" in visitor.text


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("data: ../secret.csv", "below the folder"),
        ("data: /etc/passwd", "below the folder"),
        ("data: postgresql://somewhere/people", "below the folder"),
        ("data: local[2]", "below the folder"),
        ("ledger: other.sqlite", "decided by whoever started"),
        ("policy: none.yaml", "decided by whoever started"),
        ("beliefs: {smoker: {counts: ../../etc/passwd, source: x}}", "counts needs"),
        ("beliefs: [{columns: smoker, counts: /etc/passwd, source: x}]", "counts needs"),
    ],
)
def test_a_specification_names_nothing_outside(visitor, room, change, told):
    (room.parent / "secret.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    visitor.post("/begin", **{"from": "file", "name": "people.csv", "header": "yes"})
    draft = visitor.draft
    visitor.get(f"{draft}/yaml")
    answer = visitor.post(f"{draft}/yaml", text=f"person: id\n{change}\n")
    assert answer.status_code == 400 and told in answer.text and "root:" not in answer.text


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", ".hidden.csv", "link.csv", "a\0b", "none.csv", ""])
def test_no_file_outside_the_folder_is_opened(visitor, room, name):
    (room.parent / "secret.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (room / "link.csv").symlink_to(room.parent / "secret.csv")
    (room / ".hidden.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    for form in ({"from": "file"}, {"from": "specification"}):
        answer = visitor.post("/begin", **form, name=name, header="yes")
        assert answer.status_code == 400
        visitor.get("/")
    assert "link.csv" not in visitor.text and ".hidden" not in visitor.text
    visitor.get("/audit")
    assert visitor.post("/audit", name=name or "x", threshold="10").status_code == 400


def test_who_has_no_token_comes_nowhere(room):
    with served(room) as client:
        for place in ("/", "/desk", "/timeline", "/draft/x/columns", "/?token=wrong", "/release/R1/figures.csv"):
            assert client.get(place).status_code == 401
        assert client.post("/begin", data={"from": "demo"}).status_code == 401
        assert client.get(f"/?token={TOKEN}", headers={"host": "evil.example"}).status_code == 421
        assert client.put("/").status_code in (401, 405)


def test_requests_from_other_sites_are_refused(visitor):
    form = {"csrf": visitor.csrf, "from": "file", "name": "people.csv", "header": "yes"}
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        assert visitor.client.post("/begin", data=form, headers=headers).status_code == 403
    for token in ("", "wrong"):
        assert visitor.client.post("/begin", data={**form, "csrf": token}).status_code == 403
    cookie = visitor.client.get(f"/?token={TOKEN}", follow_redirects=False).headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie


def test_answers_forbid_all_that_pages_do_not_need(visitor):
    for place in ("/", "/audit", "/static/style.css", "/nowhere", "/static/../pages.py"):
        headers = visitor.get(place).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store"
    for answer in visitor.answers:
        assert not re.search(r"<script(?![^>]*src=)|\son\w+=|style=|https?://", answer.text.replace("http-equiv", ""))


@pytest.mark.slow
def test_sessions_end_and_see_only_their_own(room):
    with served(room) as client, served(room) as _:
        one = Visitor(client)
        one.enter()
        draft = specified(one)
        mine = dict(client.cookies)
        client.cookies.clear()
        other = Visitor(client)
        other.enter()
        for page in ("columns", "verdict", "yaml", "release"):
            assert other.get(f"{draft}/{page}").status_code == 400
            assert "smokers" not in other.text
        client.cookies.clear()
        client.cookies.update(mine)
        one.get("/")
        one.post("/leave")
        assert client.get(f"{draft}/verdict").status_code == 401


HOSTILE = {
    "a bomb": "a: &a [x, x]\n"
    + "".join(
        f"{c}: &{c} [*{b}, *{b}, *{b}, *{b}, *{b}, *{b}, *{b}, *{b}]\n"
        for b, c in zip("abcdefghij", "bcdefghijk", strict=True)
    ),
    "a program": "person: !!python/object/apply:os.system ['true']\n",
    "depth": "a: " + "[" * 3000,
    "a number": "attacker: {knows: 1e99999999, source: x}\nperson: id\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_specification_is_refused_and_leaves_the_draft_as_it_was(visitor, name):
    visitor.post("/begin", **{"from": "file", "name": "people.csv", "header": "yes"})
    draft = visitor.draft
    visitor.get(f"{draft}/yaml")
    assert visitor.post(f"{draft}/yaml", text=HOSTILE[name]).status_code == 400
    assert visitor.get(f"{draft}/columns").status_code == 200 and "This does not work yet" not in visitor.text


@pytest.mark.slow
def test_tables_of_a_database_are_named_and_not_written(visitor, room):
    """A name is a name: no query, no address, no path."""
    import duckdb

    (room.parent / "secret.csv").write_text(f"a\n{CANARY}\n", encoding="utf-8")
    with duckdb.connect(str(room / "base.duckdb")) as base:
        base.execute("create table people (id int, smoker varchar)")
    for wrong in ("people' union select 1 --", "read_csv('../secret.csv')", "people&database=/etc", "../secret.csv"):
        visitor.get("/")
        answer = visitor.post("/begin", **{"from": "file", "name": "base.duckdb", "table": wrong})
        assert answer.status_code == 400 and CANARY not in answer.text
    visitor.post("/begin", **{"from": "file", "name": "base.duckdb", "table": "people"})
    draft = visitor.draft
    for number in ("x", "999", "-1", "1e9"):
        assert visitor.post(f"{draft}/plan", do="take", number=number).status_code in (200, 400)


@pytest.mark.slow
@pytest.mark.parametrize("number", ["1e99999999", "nan", "-1", "1/0", "9" * 5000, "0x10", "<b>"])
def test_a_dial_turned_by_hand_is_told_what_is_wrong(visitor, number):
    draft = specified(visitor)
    answer = visitor.client.get(f"{draft}/dial", params={"knows": number, "epsilon": "1"})
    assert answer.status_code == 200 and len(answer.json()["error"]) < 400


def test_a_proxy_is_asked_by_one_header_only(room):
    with served(room, header="x-user") as client:
        for headers in ([("x-user", "anna"), ("x-user", "ben")], [("x_user", "anna")], [("x-user", " ")], []):
            assert client.get("/", headers=[*headers, ("x-forwarded-for", "127.0.0.1")]).status_code == 401
        assert client.get(f"/?token={TOKEN}").status_code == 401
        assert client.get("/", headers=[("x-user", "anna"), ("content-length", "many")]).status_code == 413


def test_too_much_is_refused(visitor):
    visitor.get("/audit")
    large = {"files": ("t.csv", b"x" * 13_000_000)}
    answer = visitor.client.post("/audit", data={"csrf": visitor.csrf, "name": ""}, files=large)
    assert answer.status_code == 413


def test_what_cannot_be_is_said_where_it_was_asked_beside_what_was_typed(visitor):
    """Nobody has to go back and type it all again."""
    answer = visitor.post("/begin", **{"from": "file", "name": "people.csv"})
    assert answer.status_code == 400 and "Tick the box" in visitor.text and "<h1>May this figure" in visitor.text
    visitor.post("/begin", **{"from": "file", "name": "people.csv", "header": "yes"})
    draft = visitor.draft
    assert 'name="role0" aria-label="id is"' in visitor.text
    roles = {"role0": "person", "role1": "public", "role2": "confidential", "domain1": "north, south"}
    visitor.post(f"{draft}/columns", **roles)
    assert "smoker needs what it may contain" in visitor.text and 'value="north, south"' in visitor.text
    visitor.post(f"{draft}/columns", **roles, domain2=f"yes, no{CANARY}")
    add = {"do": "add", "kind": "sum", "where_column": "smoker", "where_value": "yes", "name": "mine"}
    visitor.post(f"{draft}/figures", **add)
    assert "A sum needs a column" in visitor.text and 'value="mine"' in visitor.text
    visitor.post(f"{draft}/figures", **{**add, "kind": "count", "name": ""}, by="region")
    assert visitor.at == f"{draft}/figures" and "count where smoker is yes" in visitor.text
    visitor.post(f"{draft}/figures", **{**add, "kind": "count", "name": ""}, by="region")
    assert "count where smoker is yes 2" in visitor.text
    visitor.post(f"{draft}/beliefs", how0="probabilities", probabilities0="yes: 0.7", source0="a survey")
    assert "must sum to 1" in visitor.text and "yes: 0.7" in visitor.text and "Still open: smoker" in visitor.text
    visitor.get(f"{draft}/attacker")
    visitor.post(f"{draft}/attacker", knows="many", source="an employer", epsilon="1", delta="1e-3")
    assert 'value="many"' in visitor.text and visitor.answers[-1].status_code == 400
    visitor.get(f"{draft}/yaml")
    visitor.post(f"{draft}/yaml", text="person: [id")
    assert "person: [id" in visitor.text and visitor.answers[-1].status_code == 400


def test_a_mean_of_what_may_be_missing_is_of_those_who_have_one(visitor):
    visitor.post("/begin", **{"from": "file", "name": "people.csv", "header": "yes"})
    draft = visitor.draft
    roles = {"role0": "person", "role4": "confidential", "domain4": "0 to 8000000 by 100000"}
    visitor.post(f"{draft}/columns", **roles)
    visitor.post(f"{draft}/figures", do="add", kind="mean", column="income")
    assert "of those who have one" not in visitor.text
    visitor.post(f"{draft}/columns", **{**roles, "domain4": "0 to 8000000 by 100000 or missing"})
    assert visitor.answers[-1].status_code == 200 and "of those who have one" in visitor.text
    visitor.post(f"{draft}/columns", **roles)
    assert "of those who have one" not in visitor.text


def test_a_policy_says_which_columns_may_be_called_public(room):
    """Whoever could call any column public would see its values, and how many people have each."""
    (room / "policy.yaml").write_text("name: Rules 7\npublic: [region]\n", encoding="utf-8")
    with served(room, room / "policy.yaml") as client:
        visitor = Visitor(client)
        visitor.enter()
        visitor.post("/begin", **{"from": "file", "name": "people.csv", "header": "yes"})
        draft, form = visitor.draft, {"role0": "person", "role1": "public", "role2": "public"}
        answer = visitor.post(f"{draft}/columns", **form)
        assert answer.status_code == 400 and "nothing but region" in answer.text
        text = f"person: id\npublic: {{smoker: ['yes', no{CANARY}]}}\nfigures: [{{name: all, kind: count}}]\n"
        text += "attacker: {knows: 0, source: x}\ntarget: {epsilon: 1, delta: '1e-3'}\n"
        visitor.get(f"{draft}/yaml")
        visitor.post(f"{draft}/yaml", text=text)
        visitor.get(f"{draft}/verdict")
        assert "nothing but region" in visitor.text and "people" not in visitor.text.partition("<main")[2][:200]
        visitor.get(f"{draft}/columns")
        visitor.post(f"{draft}/columns", **{**form, "role2": "not used"})
        assert visitor.at == f"{draft}/figures"


@pytest.mark.slow
def test_words_are_never_markup(visitor):
    evil = "<script>alert(1)</script>"
    draft = specified(visitor, epsilon="0.01", delta="1e-9")
    visitor.get(f"{draft}/release")
    visitor.post(f"{draft}/release", do="submit", words=evil)
    assert visitor.at == "/desk/S1" and evil not in visitor.text and "&lt;script&gt;" in visitor.text
    assert "certificate.json" not in visitor.get("/desk/S1/report.html?look=1").text
    visitor.get("/desk/S1")
    visitor.post("/desk/S1", do="comment", words=evil)
    assert evil not in visitor.text
    answer = visitor.post(f"{draft}/figures", do="add", name=evil, kind="count")
    assert evil not in answer.text
    for answer in visitor.answers:
        assert evil not in answer.text


@pytest.mark.slow
def test_two_reviewers_behind_a_proxy_let_out_what_is_not_certified(room):
    with served(room, room / "policy.yaml", header="x-user") as client:

        def by(user):
            client.cookies.clear()
            found = Visitor(client, {"x-user": user})
            found.get("/")
            return found

        assert client.get("/").status_code == 401
        cleo = by("cleo")
        draft = specified(cleo, epsilon="0.01", delta="1e-9")
        mine = dict(client.cookies)
        assert "NO: these figures may not go out" in cleo.text
        cleo.get(f"{draft}/release")
        cleo.post(f"{draft}/release", do="release", folder="out")
        assert "may not go out" in cleo.text and not (room / "out").exists()
        cleo.get(f"{draft}/release")
        cleo.post(f"{draft}/release", do="submit", words="the ministry asked")
        assert "Approve" not in cleo.text and "did not submit" in cleo.text
        assert cleo.post("/desk/S1", do="approve", words="mine").status_code == 400
        anna = by("anna")
        anna.get("/desk/S1")
        anna.post("/desk/S1", do="approve", words="reason-of-anna")
        ben = by("ben")
        ben.get("/desk/S1")
        assert "reason-of-anna" not in ben.text and "1 other has decided" in ben.text
        ben.post("/desk/S1", do="approve", words="reason-of-ben")
        assert "reason-of-anna" in ben.text and "approved, not released yet" in ben.text
        client.cookies.clear()
        client.cookies.update(mine)
        cleo.get(f"{draft}/release")
        cleo.post(f"{draft}/release", do="release", folder="out", submission="S1")
        assert "Released, and not certified" in cleo.text and "There is no certificate" in cleo.text
        assert not (room / "out" / "certificate.json").exists()
        (release,) = open_ledger(room / "dalenius-ledger.sqlite").releases()
        assert not release.certified
        client.cookies.clear()
        client.cookies.update(mine)
        assert client.post("/begin", headers={"x-user": "anna"}, data={}).status_code == 403


@pytest.mark.slow
def test_twenty_sessions_at_once_are_not_mixed_up(room):
    with served(room) as client:
        from starlette.testclient import TestClient

        wrong = []

        def visit(number):
            own = TestClient(client.app, base_url=f"http://{HOST}", follow_redirects=True)
            found = Visitor(own)
            found.enter()
            for again in range(3):
                found.post("/begin", **{"from": "file", "name": "people.csv", "header": "yes"})
                draft = found.draft
                roles = dict.fromkeys(("role0", "role1", "role2"), "public")
                found.post(f"{draft}/columns", **{**roles, "role0": "person", "role2": "not used", "domain1": "a, b"})
                found.post(f"{draft}/figures", do="add", name=f"mine{number}x{again}", kind="count", by="region")
                found.get(f"{draft}/figures")
                if f"mine{number}x{again}" not in found.text or re.search(rf"mine(?!{number}x)", found.text):
                    wrong.append(number)
            wrong.extend(answer.status_code for answer in found.answers if answer.status_code != 200)

        threads = [threading.Thread(target=visit, args=(number,)) for number in range(20)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert wrong == []


def begun(visitor, **roles):
    """A draft whose columns are said."""
    visitor.post("/begin", **{"from": "file", "name": "people.csv", "header": "yes"})
    draft = visitor.draft
    visitor.post(f"{draft}/columns", role0="person", **roles)
    return draft


TWO = {"role1": "public", "domain1": "north, south", "role2": "confidential", "domain2": f"yes, no{CANARY}"}
TWO |= {"role4": "confidential", "domain4": "0 to 8000000 by 1000000"}


def test_beliefs_of_several_columns_are_one_form_in_which_nothing_is_lost(visitor):
    draft = begun(visitor, **TWO)
    visitor.get(f"{draft}/beliefs")
    counts = {"counts0": ("survey.csv", f"smoker,count\nyes,300\nno{CANARY},700\n".encode())}
    form = {"how0": "probabilities", "confidence0": "0.999", "how1": "unknown"}
    visitor.post(f"{draft}/beliefs", files=counts, **form)  # what is put there means that it is meant
    assert "smoker: A belief needs its source" in visitor.text and "now: survey.csv" in visitor.text
    assert "Nothing is assumed of it" in visitor.text and "Still open: smoker" in visitor.text
    form |= {"how0": "counts", "kept0": "survey.csv", "source0": "a survey", "source1": "nobody knows"}
    visitor.post(f"{draft}/beliefs", do="on", **form)
    assert visitor.at == f"{draft}/attacker"
    told = yaml.safe_load(visitor.get(f"{draft}/yaml?download=1").text)["beliefs"]
    assert told["smoker"]["counts"] == "survey.csv" and told["income"]["unknown"] is True


def test_what_a_form_cannot_say_stays_as_it_was_written(visitor):
    draft = begun(visitor, **TWO)
    weighty = {"probabilities": {"yes": "0.3", f"no{CANARY}": "rest"}, "weight": "0.5", "source": "a survey"}
    keys = {"person": "id", "confidential": {"smoker": ["yes", f"no{CANARY}"]}, "beliefs": {"smoker": weighty}}
    keys |= {"attacker": {"knows": 0, "source": "x"}, "target": {"epsilon": 1, "delta": "1e-3"}}
    keys["figures"] = [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}]
    visitor.get(f"{draft}/yaml")
    visitor.post(f"{draft}/yaml", text=yaml.safe_dump(keys, sort_keys=False))
    visitor.get(f"{draft}/beliefs")
    shown = f"yes: 0.3\r\nno{CANARY}: rest"
    form = {"how0": "probabilities", "probabilities0": shown, "confidence0": "0.999", "source0": "a survey"}
    visitor.post(f"{draft}/beliefs", do="on", **form)
    visitor.get(f"{draft}/yaml")
    assert "weight: &#39;0.5&#39;" in visitor.text


@pytest.mark.parametrize("page", ["verdict", "plan", "release"])
def test_what_comes_first_is_said_where_it_can_be_said(visitor, page):
    visitor.post("/begin", **{"from": "file", "name": "people.csv", "header": "yes"})
    draft = visitor.draft
    visitor.get(f"{draft}/{page}")
    assert visitor.at == f"{draft}/columns" and "say what each column is" in visitor.text
    visitor.post(f"{draft}/columns", role0="person", **TWO)
    visitor.get(f"{draft}/{page}")
    assert visitor.at == f"{draft}/figures" and "say which figures are wanted" in visitor.text
    visitor.post(f"{draft}/figures", do="add", kind="count")
    visitor.get(f"{draft}/{page}")
    assert visitor.at == f"{draft}/attacker" and "say against whom" in visitor.text


@pytest.mark.parametrize(
    ("told", "meant"),
    [("0 - 60", "write 0 to 60"), ("18–67", "write 18 to 67"), ("yes/no", "commas between them: yes, no")],
)
def test_values_that_were_written_otherwise_are_understood(visitor, told, meant):
    begun(visitor, role2="confidential", domain2=told)
    assert "smoker needs at least two values" in visitor.text and meant in visitor.text


def test_a_change_that_several_searches_found_is_shown_once():
    one = Alternative("leaving out", ("a",), (), lost=1, certified=True)
    two = Alternative("leaving out", ("a",), (Change("a", (), "leave it out"),), lost=1, certified=True)
    chosen = replace(two, chosen=True)
    assert _different([two, chosen, one]) == [(2, chosen), (3, one)]


@pytest.mark.slow
def test_where_nobody_knows_the_plan_says_what_one_would_have_to_assume(visitor):
    draft = begun(visitor, role2="confidential", domain2=f"yes, no{CANARY}")
    visitor.post(f"{draft}/figures", do="add", kind="count", where_column="smoker", where_value="yes")
    visitor.get(f"{draft}/beliefs")
    visitor.post(f"{draft}/beliefs", how0="unknown", confidence0="0.999", do="on")
    visitor.post(f"{draft}/attacker", knows="1 %", source="an employer", epsilon="1", delta="1e-2")
    assert visitor.at == f"{draft}/verdict" and "NO: " in visitor.text
    visitor.get(f"{draft}/plan")
    assert "none_above" in visitor.text and "Take this" in visitor.text and ".." not in visitor.text


def test_an_audit_is_told_what_empty_cells_mean(visitor):
    visitor.get("/audit")
    table = b"region,young,old,Total\nnorth,12,<10,17\nsouth,[c],40,61\nTotal,,,78\n"
    visitor.post("/audit", files={"files": ("t.csv", table)}, threshold="10")
    assert "are they hidden too" in visitor.text
    visitor.get("/audit")
    visitor.post("/audit", files={"files": ("t.csv", table)}, threshold="10", blank="hidden")
    assert "Something follows" in visitor.text
