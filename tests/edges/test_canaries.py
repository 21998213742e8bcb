"""Recognisable values are planted wherever something confidential can stand: in cells, in a first line that is a
record, in names of columns and folders, in addresses. None of them is ever said, written, or kept in an exception.
"""

import gzip
import json
import traceback

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from typer.testing import CliRunner

from dalenius.basics.errors import DaleniusError, DataError, LedgerError, SpecError, without_passwords
from dalenius.cli import app
from dalenius.data import open_table
from dalenius.desk.session import decide
from dalenius.desk.spec.load import parse_keys
from dalenius.record.ledger import open_ledger
from edges.desk import Answer, as_csv, dalenius, people, spec
from interview.test_interview import ANSWERS

CANARY = "canary7391"
RECORD = ["person-0", "north", CANARY, "smoker", "73519", "44"]


def said(answer: Answer) -> str:
    assert "Traceback" not in answer.err
    return answer.out + answer.err


def kept(error: BaseException | None) -> str:
    """All that an exception carries: its words, and those that it came from."""
    told = ""
    while error is not None:
        told += "".join(traceback.format_exception(error))
        error = error.__cause__ or error.__context__
    return told


def refusal(call) -> str:
    """What is said; nothing of what was planted is in the exception, nor in what led to it."""
    with pytest.raises(DaleniusError) as caught:
        call()
    assert CANARY not in str(caught.value)
    assert CANARY not in kept(caught.value).replace(str(caught.traceback), "")
    return str(caught.value)


def written(folder) -> bytes:
    """All files in a folder, but for the tables themselves and what the test wrote."""
    mine = {"people.csv", "people.parquet", "release.yaml", "answers.yaml"}
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name not in mine)


# A first line that is a record -------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".parquet"])
def test_a_first_record_is_not_repeated_even_if_a_field_of_it_is_a_declared_name(desk, suffix):
    """The first record holds the word smoker, which is also the name of a declared column."""
    path = desk.folder / f"rows{suffix}"
    text = "\n".join(("\t" if suffix == ".tsv" else ",").join(RECORD) for _ in range(3)) + "\n"
    if suffix == ".parquet":
        pq.write_table(pa.table({name: ["x"] for name in RECORD}), path)
    elif suffix == ".csv.gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    message = desk.refusal(spec(data=path.name))
    assert "Needed columns 'id', 'region', 'income' in " in message
    assert "none of its 6 columns is called by any of these names" in message
    assert not any(word in message for word in (CANARY, "person-0", "north", "73519"))
    assert ("If its first line is a record" in message) == (suffix != ".parquet")


def test_a_declared_name_in_other_letters_is_pointed_out_in_its_declared_form(desk):
    table = people()
    table[" INCOME"] = table.pop("income")
    table[CANARY] = table["id"]
    message = desk.refusal(spec(), table)
    assert "Needed a column 'income'" in message and "none of its 5 columns is called so" in message
    assert "There is 'income' in other capital letters, or with blanks" in message
    assert "INCOME" not in message and CANARY not in message


@pytest.mark.slow
def test_the_interview_shows_no_name_of_a_column_until_somebody_says_that_the_first_line_has_names(tmp_path):
    (tmp_path / "people.csv").write_text(f"{CANARY},north,yes,none\n" * 3, encoding="utf-8")

    def ask(**changes) -> Answer:
        given = {key: value for key, value in {**ANSWERS, **changes}.items() if value is not None}
        (tmp_path / "answers.yaml").write_text(yaml.safe_dump(given), encoding="utf-8")
        return dalenius(
            "new", tmp_path / "people.csv", "-o", tmp_path / "new.yaml", "--answers", tmp_path / "answers.yaml"
        )

    for changes in ({}, {"person": None}, {"person": CANARY[:-1]}, {"person": "north", "public": ["nort"]}):
        answer = ask(**changes)
        assert answer.code == 2 and "the 4 columns of the table" in answer.err
        assert answer.err.count(CANARY) == 0
    answer = ask(person="north", public=[], confidential={"smoker": "no, yes"})
    assert answer.code == 2 and CANARY not in said(answer)
    answer = ask(header=False)
    assert answer.code == 2 and "Put a line with them before the first record" in answer.err
    assert CANARY not in said(answer)
    (tmp_path / "people.csv").write_text(as_csv(people()), encoding="utf-8")
    assert "income" in ask(header="yes", person="who").err
    assert ask(header="yes").code == 0


def test_on_a_terminal_the_first_line_is_shown_after_somebody_said_that_it_has_names(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text(f"{CANARY},north,yes,none\n" * 3, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for typed in ("", "no\nno\n", "perhaps\n"):
        answer = CliRunner().invoke(app, ["new", "people.csv"], input=typed)
        assert isinstance(answer.exception, SpecError) and CANARY not in answer.output + str(answer.exception)
    assert CANARY in CliRunner().invoke(app, ["new", "people.csv"], input="yes\n").output


# Names of columns, folders and files -------------------------------------------------------------------------------


def test_a_partition_folder_and_the_files_in_it_are_not_named(tmp_path):
    (tmp_path / "one" / f"smoker={CANARY}").mkdir(parents=True)
    pq.write_table(pa.table({"id": [1]}), tmp_path / "one" / f"smoker={CANARY}" / "a.parquet")
    assert "named by a value" in refusal(lambda: open_table(tmp_path / "one"))
    (tmp_path / "two" / CANARY).mkdir(parents=True)
    (tmp_path / "two" / CANARY / "a.parquet").write_text("nothing")
    assert "its file cannot be read as one" in refusal(lambda: open_table(tmp_path / "two"))
    pq.write_table(pa.table({"id": [1], CANARY: [2]}), tmp_path / "two" / CANARY / "a.parquet")
    pq.write_table(pa.table({"id": [1]}), tmp_path / "two" / f"{CANARY}.parquet")
    assert "there are others" in refusal(lambda: open_table(tmp_path / "two"))


@pytest.mark.slow
@pytest.mark.parametrize("place", ["public", "confidential", "person"])
@pytest.mark.parametrize("form", ["csv", "frame", "duckdb"])
def test_a_cell_is_not_repeated_in_whatever_column_it_stands(desk, place, form):
    """A record whose fields are shifted has a confidential value in a public column."""
    table = people()
    column = {"public": "region", "confidential": "smoker", "person": "id"}[place]
    table[column][3:5] = [CANARY, CANARY]
    if form == "csv":
        message = desk.refusal(spec(), table)
    elif form == "duckdb":
        frame = pd.DataFrame(table)
        with duckdb.connect(desk.folder / "people.duckdb") as connection:
            connection.register("frame", frame)
            connection.execute("CREATE TABLE people AS SELECT * FROM frame")
        message = desk.refusal(spec(data="people.duckdb"), "")
    else:
        message = refusal(lambda: decide(spec(), pd.DataFrame(table), margins=False))
    assert f"Column {column!r} must" in message and CANARY not in message


@pytest.mark.slow
def test_a_file_of_public_counts_is_not_repeated(desk):
    """It may be the confidential table itself, named by mistake."""
    belief = {"counts": "counts.csv", "confidence": "0.999", "source": "x"}
    content = spec(beliefs={"smoker": belief})
    for text in (
        f"{CANARY},yes\n{CANARY},no\n",
        f"smoker,{CANARY}\nyes,1\n",
        f"smoker,count,{CANARY}\nyes,1,2\n",
        f"smoker,count\n{CANARY},1\n",
        f"smoker,count\nyes,{CANARY}\n",
        f"smoker,count\nyes,1,{CANARY}\n",
        f"smoker,count\n{CANARY},1\n{CANARY},1\n",
    ):
        (desk.folder / "counts.csv").write_text(text, encoding="utf-8")
        message = desk.refusal(content)
        assert CANARY not in message and "The belief about smoker" in message


@pytest.mark.parametrize(
    "text", ["id,x\n{0},{0}\n", "%{0} x\n", "!{0}! x\n", "&{0} [*{0}b]\n", "a: !{0} 1\n", "{0}: 1: 2\n"]
)
def test_a_table_given_for_a_specification_is_not_repeated(text):
    assert CANARY not in refusal(lambda: parse_keys(text.format(CANARY)))


@pytest.mark.slow
def test_a_release_says_and_writes_nothing_of_persons_and_of_columns_that_are_not_declared(desk):
    table = people()
    table["id"] = [f"{CANARY}{place}" for place in range(len(table["id"]))]
    table[f"{CANARY} column"] = [f"{CANARY} cell"] * len(table["id"])
    ledger = desk.folder / "ledger.sqlite"
    path = desk.put(spec(ledger=str(ledger)), table)
    target = ("-o", desk.folder / "out")
    for arguments in (
        ("check", path),
        ("check", path, "--json", "--report", desk.folder / "page.html"),
        ("explain", path),
        ("plan", path, "--write", desk.folder / "planned.yaml"),
        ("release", path, *target),
        ("verify", desk.folder / "out" / "certificate.json"),
        ("ledger", "list", "--ledger", ledger),
        ("ledger", "show", "R1", "--ledger", ledger),
        ("ledger", "export", "--ledger", ledger),
        ("ledger", "verify", "--ledger", ledger),
    ):
        answer = dalenius(*arguments)
        assert answer.code == 0, (arguments, answer)
        assert CANARY not in said(answer), arguments
    assert CANARY.encode() not in written(desk.folder)


# Addresses ---------------------------------------------------------------------------------------------------------

ADDRESSES = [
    form.format(kind=kind, host="127.0.0.1:9")
    for kind in ("postgresql://", "postgresql+psycopg://")
    for form in (
        "{kind}u:" + CANARY + "@{host}/d",
        "{kind}u@{host}/d?password=" + CANARY,
        "{kind}u@{host}/d?pass%77ord=" + CANARY,
        "{kind}u@{host}/d?sslpassword=" + CANARY,
        "{kind}u@{host}/d?sslkey=/x&sslpassword=" + CANARY,
        "{kind}u@{host}/d?PASSWORD=" + CANARY,
        "{kind}u@{host}/d?passwrd=" + CANARY,
        "{kind}u:x@" + CANARY + "@{host}/d",
        "{kind}u:x/" + CANARY + "@{host}/d",
        "{kind}u:12/" + CANARY + "@{host}/d",
        "{kind}u:x#" + CANARY + "@{host}/d",
        "{kind}u:x?" + CANARY + "@{host}/d",
        "{kind}u:" + CANARY,
        "{kind}u@h:" + CANARY + "/d",
        "{kind}u:x " + CANARY + "@{host}/d",
    )
] + [
    f"postgresql:/u:{CANARY}@127.0.0.1/d",
    f"u:{CANARY}@127.0.0.1/d",
    f"host=127.0.0.1 user=u password={CANARY}",
    f"host=127.0.0.1 user=u password='x {CANARY}'",
    f"spark://u:{CANARY}@127.0.0.1:9",
    f"duckdb://u:{CANARY}@127.0.0.1/people.duckdb",
    f"duckdb://people.duckdb?password={CANARY}",
    f"duckdb://people.duckdb?{CANARY}",
    f"mysql://u:{CANARY}@127.0.0.1/d",
    f"s3://key:{CANARY}@bucket/people.parquet",
    f"https://u:{CANARY}@host/people.csv?token={CANARY}",
    f"sqlite:///nowhere/u:{CANARY}@127.0.0.1/d",
]


@pytest.mark.slow
@pytest.mark.parametrize("address", [address for address in ADDRESSES if not address.startswith("spark:")])
def test_a_password_in_an_address_of_data_is_never_repeated(address, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dalenius.data.databases.SECONDS_TO_CONNECT", 2)
    assert refusal(lambda: open_table(address, "people" if address.startswith("post") else None))


@pytest.mark.parametrize("address", [address for address in ADDRESSES if not address.startswith("spark:")])
def test_a_password_in_an_address_of_a_ledger_is_never_repeated(address, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def entries() -> None:
        ledger = open_ledger(address)
        assert CANARY not in ledger.shown + repr(ledger.shown)
        if ledger.database.there:
            ledger.entries()
        else:
            raise LedgerError(f"There is no {ledger.shown}. Make one.")

    assert refusal(entries)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["data", "ledger", "policy", "attacker", "figures", "wrong"])
def test_a_password_at_a_wrong_key_of_a_specification_is_never_repeated(desk, key):
    for address in (*ADDRESSES[:3], *ADDRESSES[-12:-9]):
        for value in (address, [address], {address: address}):
            answer = desk.check(spec(**{key: value}), None, "--json")
            assert CANARY not in said(answer), (key, value)
            assert answer.code == 2, said(answer)


def test_what_masks_passwords_leaves_other_words_alone():
    for text in (
        "Needed a table at C:/people.csv: it is at noon@home.",
        "postgresql+psycopg://u@host:5432/d",
        "Column 'a': the probability of 1: 2, but got x@y.",
        "the password was refused. Check PGPASSWORD and ~/.pgpass.",
        "See https://example.org/page: it says so, at 12:30.",
        "//server/share/people.csv, and a@b at 10:15",
    ):
        assert without_passwords(text) == text
    assert without_passwords(json.dumps(ADDRESSES[:3])).count(CANARY) == 0
    assert str(DataError(f"u:{CANARY}@h")) == "u:***@h"
    for left in (f"//u:{CANARY}", f"//u@127.0.0.1:{CANARY}/d", f"u@127.0.0.1:{CANARY}/d", f"duckdb://u@h:{CANARY}"):
        assert CANARY not in without_passwords(f"needed figures, but got {left!r}. Write: count")


@pytest.mark.parametrize("left", [f"u:{CANARY}", f"u@127.0.0.1:{CANARY}/d", f"[{CANARY}/d", f"u:{CANARY}@h/d"])
def test_the_address_of_a_file_that_reads_like_a_servers_is_not_repeated(desk, left):
    for more in (("--data", f"duckdb://{left}"), ("--ledger", f"sqlite:///{left}")):
        answer = desk.check(spec(), None, "--json", *more)
        assert CANARY not in said(answer), more
        assert answer.code == 2, said(answer)
