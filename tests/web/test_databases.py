"""Tables in databases: those that were named when the server was started, and no others; no password on a page."""

import gc
import re

import pytest

from dalenius.web.drafts import keys_of, text_of
from dalenius.web.places import Places
from dalenius.web.sessions import Work
from ledger.conftest import fresh
from web.bench import Visitor, served

pytestmark = [  # a connection goes with the draft that it was for
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def collected():
    """What is left of connections goes here, and not in somebody else's test."""
    yield
    gc.collect()


@pytest.mark.slow
def test_a_table_in_postgresql_from_its_columns_to_the_release(postgres, tmp_path):
    from sqlalchemy import create_engine, text

    place = fresh(postgres)
    with create_engine(place).begin() as base:
        base.execute(text("create table people (id int, region text, smoker text)"))
        rows = [{"id": at, "region": "ns"[at % 2], "smoker": "yes" if at % 3 else "no"} for at in range(600)]
        base.execute(text("insert into people values (:id, :region, :smoker)"), rows)
    secret = place.replace("postgresql+psycopg://", "postgresql://")
    shown = re.sub(r"//([^:@/]*):[^@/]*@", r"//\1:***@", secret)
    with served(tmp_path, databases=(secret,)) as client:
        me = Visitor(client)
        me.enter()
        (offered,) = re.findall(r'<select id="db"[^>]*><option>([^<]*)</option>', me.text)
        me.post("/begin", **{"from": "database", "name": offered.replace("&amp;", "&"), "table": "people"})
        draft = me.draft
        me.post(f"{draft}/columns", role0="person", role1="public", role2="confidential", domain2="no, yes")
        me.post(f"{draft}/figures", do="add", kind="count", where_column="smoker", where_value="yes", by="region")
        chances = "yes: 2/3\nno: 1/3"
        me.post(f"{draft}/beliefs", how0="probabilities", probabilities0=chances, source0="a survey")
        me.post(f"{draft}/attacker", knows="5 %", source="an employer", epsilon="1", delta="1e-3")
        assert me.at == f"{draft}/verdict" and "YES: these figures may go out" in me.text
        me.get(f"{draft}/release")
        me.post(f"{draft}/release", do="release", folder="out")
        assert "R1 is out" in me.text and "200" in me.text
        me.get("/")
        other = {"from": "database", "name": shown + "x", "table": "people"}
        assert me.post("/begin", **other).status_code == 400
        me.get("/")
        wrong = me.post("/begin", **{"from": "database", "name": offered, "table": "people; drop table people"})
        assert wrong.status_code == 400
        password = re.search(r"//[^:@/]*:([^@/]+)@", secret)
        for answer in me.answers:
            assert password is None or password[1] not in answer.text


@pytest.mark.slow
def test_passwords_of_databases_are_on_no_page(tmp_path):
    places = Places(tmp_path, ("postgresql://me:word1@one/base", "postgresql://me:word2@one/base"))
    first, second = places.shown
    assert first != second and "word" not in first + second
    assert [places.data(name) for name in (first, second)] == list(places.databases)
    assert [places.name(address) for address in places.databases] == [first, second]
    work = Work(tmp_path, first, {})
    keys = keys_of(f"data: {places.databases[1]}\n", work, places)
    assert keys["data"] == second and "word" not in text_of(keys)
