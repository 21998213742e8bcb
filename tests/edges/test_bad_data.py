"""A table that is not what the specification says, or a folder that cannot be written, stops everything: exit code 2,
nothing on paper, and no confidential value in the message.
"""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from dalenius.basics.errors import DataError
from dalenius.desk.session import decide
from edges.desk import INCOME, PEOPLE, Desk, dalenius, model, people, spec

DALENIUS = Path(sys.executable).parent / "dalenius"
PLANTED = "77123"


def with_cells(column: str, *values: object) -> dict[str, list]:
    """The table, with these values of the column from the eighth row on."""
    table = people()
    table[column][7 : 7 + len(values)] = values
    return table


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "needed", "came"),
    [
        (with_cells("income", f"about {PLANTED}"), "'income' must hold numbers", "some values are text"),
        (with_cells("income", "nan"), "a value in every row", "some are missing"),
        (with_cells("income", "inf"), "finite numbers", "some are NaN or infinite"),
        (with_cells("income", "-inf"), "finite numbers", "some are NaN or infinite"),
        (with_cells("income", PLANTED + "000"), "numbers from 0 to 9000", "some lie outside"),
        (with_cells("income", "-" + PLANTED + "000"), "numbers from 0 to 9000", "some lie outside"),
        (with_cells("income", "771.23"), "multiples of its unit 1000", "some are not"),
        (with_cells("income", ""), "a value in every row", "some are missing"),
        (with_cells("smoker", f"perhaps {PLANTED}"), "one of the labels no, yes", "some values are none of these"),
        (with_cells("id", PLANTED, PLANTED), "a different person in each row", "some persons come more than once"),
        (with_cells("id", ""), "must name a person in each row", "some rows name none"),
        (people(0), "Needed rows", "it has none"),
        ("", "Needed a header and rows", "the file is empty"),
    ],
)
def test_rows_that_break_their_declaration_are_refused_without_being_shown(desk, table, needed, came):
    message = desk.refusal(spec(), table)
    assert needed in message
    assert f"but {came}" in message or came in message
    assert PLANTED not in message and "771.23" not in message
    assert message.rstrip().endswith(".")


@pytest.mark.slow
def test_a_public_value_outside_its_domain_is_not_shown_it_may_be_one_of_another_column(desk):
    message = desk.refusal(spec(), with_cells("region", "mars"))
    assert "one of the labels north, south, but some values are none of these. Correct them" in message
    assert "mars" not in message


@pytest.mark.slow
def test_all_that_is_wrong_with_a_table_is_said_at_once(desk):
    table = with_cells("income", PLANTED, "-5")
    table["id"][20:22] = ["Q", "Q"]
    table["region"][30] = "mars"
    message = desk.refusal(spec(), table)
    assert len(message.splitlines()) == 4
    assert PLANTED not in message


@pytest.mark.slow
def test_a_column_that_is_not_there_is_refused_and_no_other_is_named(desk):
    table = people()
    table["Incomes"] = table.pop("income")
    message = desk.refusal(spec(), table)
    assert "Needed a column 'income'" in message
    assert "none of its 4 columns is called so. If its first line is a record" in message
    assert "Incomes" not in message


def test_a_table_that_is_not_there_is_refused(desk):
    assert "there is no such file" in desk.refusal(spec(data="nowhere.csv"))
    assert "there is no such file" in desk.refusal(spec(data="nowhere.parquet"))
    assert "Needed Parquet files in the folder" in desk.refusal(spec(data="."))
    answer = desk.check(spec(), None, "--data", desk.folder / "elsewhere.csv")
    assert (answer.code, answer.out) == (2, "")
    assert "elsewhere.csv" in answer.err


@pytest.mark.slow
def test_data_may_be_named_on_the_command_line(desk):
    path = desk.put(spec(data="nowhere.csv"))
    assert dalenius("check", path, "--data", desk.folder / "people.csv", "--quick").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("lower", [2**61, 2**54, -(2**61)])
def test_sums_that_might_overflow_are_refused_before_anything_is_judged(desk, lower):
    table = pd.DataFrame(people()).assign(income=lower)
    table.to_parquet(desk.folder / "people.parquet")
    content = spec(
        data="people.parquet",
        confidential={"income": {"unit": 1, "bounds": [lower, lower + 5]}},
        beliefs={"income": {"probabilities": {f"{lower} to {lower + 5}": 1}, "source": "x"}},
        figures=[INCOME],
    )
    message = desk.refusal(content)
    assert "needs sums below 2^62 units" in message
    assert "Declare a coarser unit." in message


@pytest.mark.slow
@pytest.mark.parametrize(("form", "missing"), [(pd.DataFrame, "some are missing"), (pl.DataFrame, "NaN or infinite")])
def test_frames_are_refused_like_files(form, missing):
    for value, said in ((float("nan"), missing), (float("inf"), "NaN or infinite"), (77123.0, "some lie outside")):
        table = people()
        table["income"] = [float(income) for income in table["income"]]
        table["income"][3] = value
        with pytest.raises(DataError, match=said) as caught:
            decide(model(), form(table), margins=False)
        assert PLANTED not in str(caught.value)


# Folders --------------------------------------------------------------------------------------------------------


def folder_refusal(desk: Desk, target: Path) -> str:
    path = desk.put()
    before = desk.files()
    answer = dalenius("release", path, "-o", target, "--seconds", 0)
    assert (answer.code, answer.out) == (2, "")
    assert desk.files() == before
    return answer.err


def test_a_folder_that_is_there_already_is_not_touched(desk):
    taken = desk.folder / "taken"
    taken.mkdir()
    (taken / "precious.txt").write_text("keep me")
    message = folder_refusal(desk, taken)
    assert "is there already. Choose another name, or remove it." in message
    assert "is there already" in folder_refusal(desk, taken / "precious.txt")
    assert "to put out in, but there is none. Create it first." in folder_refusal(desk, desk.folder / "no" / "out")
    assert "to put out in, but there is none" in folder_refusal(desk, taken / "precious.txt" / "out")
    assert (taken / "precious.txt").read_text() == "keep me"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system that nobody can write to")
def test_a_folder_that_cannot_be_written_is_refused(desk):
    message = folder_refusal(desk, Path("/proc/dalenius"))
    assert "Needed a folder to write in, but /proc is not writable" in message
    assert "Choose another, or ask for permission" in message


@pytest.mark.slow
def test_the_folder_is_looked_at_before_the_figures_are_judged(desk):
    content = spec(target={"epsilon": "0.5", "delta": 0})
    (desk.folder / "out").mkdir()
    assert desk.release(content, None, "--seconds", 0).code == 2
    (desk.folder / "out").rmdir()
    assert desk.release(content, None, "--seconds", 0).code == 1


@pytest.mark.slow
def test_a_write_that_breaks_off_leaves_nothing_behind(desk, monkeypatch):
    path = desk.put()
    before = desk.files()

    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dalenius.data.folder._write", broken)
    answer = dalenius("release", path, "-o", desk.folder / "out", "--seconds", 0)
    assert answer.code == 2
    assert "No space left on device" in answer.err
    assert desk.files() == before


# Machines, and the program itself -------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "release"])
def test_json_is_printed_for_bad_input_too(desk, command):
    path = desk.put(spec(persn="x"), None)
    more = ["-o", desk.folder / "out"] if command == "release" else []
    answer = dalenius(command, path, "--json", *more)
    assert answer.code == 2
    assert answer.json == {"verdict": None, "errors": ["persn: there is no such key. Did you mean 'person'?"]}
    assert answer.err.startswith("Error: persn")
    assert not (desk.folder / "out").exists()


@pytest.mark.slow
def test_too_little_memory_is_said_in_words(desk, monkeypatch):
    def hungry(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("dalenius.desk.session.decision.assess", hungry)
    assert "more memory than there is" in desk.refusal()


def program(*arguments: object) -> subprocess.CompletedProcess:
    """The installed program; on a busy machine it says that it is still at work, which is no error."""
    done = subprocess.run([DALENIUS, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60)
    done.stderr = "".join(line for line in done.stderr.splitlines(keepends=True) if not line.startswith("still "))
    return done


@pytest.mark.slow
def test_the_installed_program_ends_with_the_same_codes_and_never_with_a_traceback(desk):
    path = desk.put()
    done = program("release", path, "-o", desk.folder / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Written:" in done.stdout
    again = program("release", path, "-o", desk.folder / "out")
    assert (again.returncode, again.stdout) == (2, "")
    refused = program("check", desk.put(spec(attacker={"knows": PEOPLE - 1, "source": "x"})), "--json")
    assert refused.returncode == 1
    assert json.loads(refused.stdout)["verdict"] == "fail"
    wrong = program("check", desk.put(spec(), with_cells("income", PLANTED)))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("Error: Column 'income'")
    assert "Traceback" not in wrong.stderr + again.stderr + refused.stderr
    assert PLANTED not in wrong.stderr
