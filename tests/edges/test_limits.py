"""Every number, length, depth and count that a file, an option or an address can bring is refused in words where it is
too much.
"""

import json
import os
import resource
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from fractions import Fraction

import pytest
import yaml

from dalenius.basics import limits
from dalenius.basics.errors import DataError, InputError
from dalenius.basics.inputs import path_of, read_bytes
from dalenius.data import open_table
from dalenius.desk.spec.values import marginal
from dalenius.facts.records import Numbers, OneOf, exact, holds
from dalenius.record.ledger.entry import sealed
from edges.bad_inputs import BOMB, MERGES, OTHER_KEYS, deep
from edges.desk import INCOME, SMOKERS, dalenius, people, spec

LONG = ["a/" * 3000 + "x", "n" * 300, "x\0y", "~nosuch/x"]


def said(*arguments) -> str:
    answer = dalenius(*arguments)
    assert answer.code == 2, answer
    assert "Error: " in answer.err and "Traceback" not in answer.err, answer
    return answer.err


# Numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("power", ["1e999999999", "1E+999999999", "-1e-999999999", "1_0e9_9999"])
def test_a_number_that_would_fill_the_memory_is_refused(power):
    for number in (power, "9" * 5000, 10**5000):
        with pytest.raises(InputError, match=r"must be a number (of at most|with an exponent of at most)"):
            exact(number, name="epsilon")


def test_numbers_of_an_ordinary_size_are_what_they_are():
    assert exact("1e-1000", name="x") == exact(f"1/{10**300}", name="x") ** 3 / 10**100
    assert exact(5e-324, name="x") > 0
    assert exact(10**300, name="x") == 10**300


@pytest.mark.parametrize(
    ("option", "number", "needed"),
    [
        ("--epsilon", "1e308", "from 0 to 100"),
        ("--epsilon", "1e999999999", "exponent"),
        ("--rate", "1e-400", "at least 1e-12"),
        ("--rate", "1e-999999999", "exponent"),
        ("--delta", "1e-999999999", "exponent"),
        ("--threshold", "1000000000000", "at most 10000"),
        ("--round", "99999999", "at most 10000"),
        ("--known", "99999999", "at most 10000"),
        ("--known", "9" * 5000, "whole number"),
    ],
    ids=lambda given: given[:20],
)
def test_rules_refuse_numbers_that_no_rule_has(option, number, needed):
    assert needed in said("rules", option, number)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "needed"),
    [
        ({"attacker": {"knows": "9" * 4500, "source": "x"}}, "attacker.knows must be a number of at most"),
        ({"attacker": {"knows": "1e999999999 %", "source": "x"}}, "an exponent of at most 300"),
        ({"figures": [{**SMOKERS, "where": "income <= " + "9" * 900}]}, "number of at most 400"),
        ({"figures": [{**SMOKERS, "where": {"income": "1e999999999"}}]}, "exponent of at most"),
        ({"figures": [{**SMOKERS, "name": f"f{n}"} for n in range(1001)]}, "at most 1000 figures"),
        ({"published": [{**SMOKERS, "name": f"f{n}"} for n in range(3000)]}, "at most 1000 figures"),
        ({"confidential": {"smoker": ["yes", "no", *map(str, range(10_000))]}}, "at most 10000 labels"),
        (
            {
                "confidential": {"smoker": ["no", "yes"], "income": {"unit": 1, "bounds": [0, 4 * 10**7]}},
                "beliefs": {"income": {"probabilities": {"0 to 40000000": 1}, "source": "x"}},
            },
            "a column of up to 26000 values",
        ),
        ({"confidential": {"smoker": ["no", "yes"], "income": {"bounds": [0, 10**9]}}}, "at most 50000000 values"),
        (
            {"secret": "presence", "sizes": {"by": "region", "cells": {"north": 10**10 + 1, "south": 5}}},
            "from 0 to 10000000000,",
        ),
        ({"figures": [{**SMOKERS, "round": 100_001}]}, "round needs a number from 1 to 100000"),
        (
            {"figures": [{**SMOKERS, "round": 10_000, "noise": {"gaussian": 10_000}}]},
            "at most 50000000, but 10000",
        ),
        ({"figures": [{**SMOKERS, "round": 10_000, "noise": {"normal": 10_000}}]}, "choose less noise"),
        ({"figures": [{**INCOME, "round": 100_000}]}, "at most 50000000, but 100000 times about 3060 is more"),
        (
            {
                "public": {name: list(map(str, range(400))) for name in ("region", "b", "c")},
                "figures": [{**SMOKERS, "by": ["region", "b"]}],
            },
            "at most 100000 combinations of values, but region, b have 160000",
        ),
    ],
    ids=lambda given: given[:30] if isinstance(given, str) else "changed",
)
def test_a_specification_that_asks_for_too_much_is_refused_at_once(desk, changes, needed):
    assert needed in said("check", desk.put(spec(**changes)))


@pytest.mark.slow
def test_a_rounding_within_the_limit_is_judged(desk):
    for figure in ({**SMOKERS, "round": 20}, {**INCOME, "truncate": [0, 1000], "by": "region", "round": 5}):
        assert desk.check(spec(figures=[figure]), None, "--json").code in (0, 1, 3)


@pytest.mark.slow
def test_many_ranges_of_many_values_are_read_at_once():
    """Each range is counted from its own ends: to look through 10,000 values for each of 5,000 took minutes."""
    column = Numbers(Fraction(1, 2), Fraction(0), Fraction(4999) + Fraction(1, 2))
    stated = {f"{low} to {low}.5": Fraction(1, 5000) for low in range(5000)}
    law = marginal(stated, "income", column, "x")
    assert [value for value, _ in law] == list(column.values)
    assert {chance for _, chance in law} == {Fraction(1, 10_000)}


def test_a_condition_of_thousands_of_values_is_looked_up():
    wanted = OneOf((*(Fraction(2 * number) for number in range(5000)), True, "yes"))
    assert [value for value in range(10_000) if not holds(wanted, Fraction(value))] == list(range(1, 10_000, 2))
    assert holds(wanted, True) and holds(wanted, "yes") and not holds(wanted, False) and not holds(OneOf((1,)), True)
    assert wanted == OneOf(wanted.values) and hash(wanted) == hash(OneOf(wanted.values))


INSIDE = {
    "as many values as may be believed in": {
        "confidential": {"smoker": ["no", "yes"], "income": {"unit": 1, "bounds": [0, limits.LARGEST_BELIEVED - 1]}},
        "beliefs": {"income": {"probabilities": {f"0 to {limits.LARGEST_BELIEVED - 1}": 1}, "source": "x"}},
        "figures": [INCOME],
    },
    "the largest rounding": {"figures": [{**SMOKERS, "round": limits.LARGEST_ROUNDING}]},
    "rounding and noise": {"figures": [{**SMOKERS, "round": 1000, "noise": {"gaussian": 1700}}]},
    "a rounded sum": {"figures": [{**INCOME, "round": 16_000}]},
    "the most people": {
        "secret": "presence",
        "sizes": {"cells": limits.LARGEST_PEOPLE},
        "figures": [SMOKERS],
        "target": {"epsilon": "0.5", "delta": 0},
    },
    "the widest Gaussian": {"figures": [{**SMOKERS, "noise": {"gaussian": limits.LARGEST_GAUSSIAN}}]},
    "the widest normal": {"figures": [{**SMOKERS, "noise": {"normal": limits.LARGEST_GAUSSIAN}}]},
    "the widest geometric": {"figures": [{**SMOKERS, "noise": {"geometric": limits.LARGEST_SCALE}}]},
    "the largest epsilon": {"target": {"epsilon": limits.LARGEST_EPSILON, "delta": "1e-300"}},
    "the most figures": {
        "figures": [{**SMOKERS, "name": f"f{number}"} for number in range(limits.MOST_FIGURES)],
    },
}


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("HYPOTHESIS_PROFILE") not in ("thorough", "deep"), reason="minutes: deep runs only")
@pytest.mark.parametrize("changes", INSIDE.values(), ids=INSIDE)
def test_what_is_just_inside_a_limit_is_answered_in_about_a_minute(desk, changes):
    table = {**people(), "income": [0] * 400}
    before = time.process_time()
    assert desk.check(spec(**changes), table, "--json").code in (0, 1, 3)
    assert time.process_time() - before < 90


# Texts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        (MERGES, "at most 1000000 values, but * and << repeat more"),
        (BOMB, "at most 1000000 values, but * and << repeat more"),
        ("a: &a [*a]\n", "one that is inside itself"),
        (yaml.safe_dump({"a": deep(80)}), "at most 60 lists and keys inside each other"),
        ("x" * (limits.LARGEST_TEXT + 1), "at most 2000000 bytes"),
    ],
    ids=["merges", "aliases", "itself", "deep", "long"],
)
def test_a_text_that_repeats_or_nests_itself_is_refused(desk, text, needed):
    assert needed in said("check", desk.put(text))


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/full"])
def test_a_device_is_not_read(desk, place):
    belief = {"smoker": {"counts": place, "confidence": "0.999", "source": "x"}}
    for arguments in (
        ("check", place),
        ("check", desk.put(), "--policy", place),
        ("check", desk.put(), "--data", place),
        ("check", desk.put(spec(beliefs=belief))),
        ("verify", place),
        ("new", desk.folder / "people.csv", "-o", desk.folder / "new.yaml", "--answers", place),
    ):
        told = said(*arguments)
        assert "it is a device or a pipe" in told or "that is not a file" in told


def test_a_field_of_public_counts_may_not_be_endless(desk):
    (desk.folder / "counts.csv").write_text("smoker,count\n" + "y" * 200_000 + ",3\n")
    content = spec(beliefs={"smoker": {"counts": "counts.csv", "confidence": "0.999", "source": "x"}})
    assert "line 2 cannot be read as one" in said("check", desk.put(content))


def test_a_first_line_that_does_not_end_is_refused(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("id,x" * 1_000_000)
    with pytest.raises(DataError, match="at most 10000 columns"):
        open_table(path)
    path.write_text(",".join(f"c{n}" for n in range(10_001)) + "\n")
    with pytest.raises(DataError, match="at most 10000 columns"):
        open_table(path)
    path.write_text(",".join(f"c{n:0100}" for n in range(2000)) + "\n")  # longer than the csv module takes a field for
    assert len(open_table(path).columns()) == 2000


def test_a_folder_of_everything_is_not_searched(tmp_path, monkeypatch):
    monkeypatch.setattr("dalenius.data.files.MOST_FILES", 20)
    for number in range(21):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(DataError, match="at most 20 files in it"):
        open_table(tmp_path)


# Paths, keys, addresses --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("path", LONG, ids=["long", "long name", "NUL", "nobody"])
def test_a_path_that_no_file_can_have_is_refused_wherever_it_stands(desk, path, tmp_path):
    good, new = desk.put(), desk.folder / "never"
    for arguments in (
        ("check", path),
        ("check", good, "--data", path),
        ("check", good, "--ledger", path),
        ("check", good, "--policy", path),
        ("check", good, "--report", f"{path}.html"),
        ("plan", good, "--write", path),
        ("release", good, "-o", path),
        ("verify", path),
        ("sign", path, "--key", path),
        ("key", "new", path),
        ("ledger", "list", "--ledger", path),
        ("rules", "--chart", f"{path}.svg"),
        ("new", path, "-o", new),
        ("new", desk.folder / "people.csv", "-o", new, "--keep", path),
        ("explain", good, "--charts", path),
        ("check", desk.put(spec(data=path))),
        ("check", desk.put(spec(ledger=path))),
        ("check", desk.put(spec(policy=path))),
        ("check", desk.put(spec(beliefs={"smoker": {"counts": path, "confidence": "0.9", "source": "x"}}))),
    ):
        told = said(*arguments)
        assert ("Needed" in told or "null byte" in told or "needs text" in told) and "\0" not in told
    with pytest.raises(InputError, match="Needed"):
        read_bytes(tmp_path / "nowhere", 5, "a file")


def test_a_path_may_be_as_long_as_a_path_can_be(tmp_path):
    path = tmp_path / ("n" * limits.LONGEST_NAME)
    path.write_text("x")
    assert read_bytes(path_of(path), 5, "a file") == b"x"


def test_a_key_needs_a_name_and_its_own_type(desk):
    assert "Name a file" in said("key", "new", "")
    for private, public in OTHER_KEYS:
        (desk.folder / "other").write_bytes(private)
        (desk.folder / "other.pub").write_bytes(public)
        assert "Ed25519" in said("sign", desk.put(), "--key", desk.folder / "other")
    unknown = b"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2V4AyEA" + b"A" * 43 + b"=\n-----END PUBLIC KEY-----\n"
    (desk.folder / "other.pub").write_bytes(unknown)
    (desk.folder / "c.sig").write_bytes(b"AAAA")
    (desk.folder / "c.json").write_bytes(b"{}")
    assert said("verify", desk.folder / "c.json", "--key", desk.folder / "other.pub")


def test_half_a_character_is_in_no_path(desk):
    with pytest.raises(InputError, match="half a character"):
        path_of("\ud800")
    for option in ("--data", "--ledger"):
        assert "half a character" in said("check", desk.put(), option, "\ud800")


def test_what_is_no_host_of_a_ledger_is_not_repeated(desk):
    for address in ("postgresql://[canary7391/d", "postgresql://u@cana ry7391/d"):
        told = said("ledger", "list", "--ledger", address)
        assert "ry7391" not in told and "the name of a host" in told


@pytest.mark.parametrize("kind", ["data", "ledger"])
def test_a_port_that_is_no_number_is_refused(desk, kind):
    path = desk.put(spec(**{kind: "postgresql://me@host:port/people"}))
    assert "Needed" in said("check", path)


# Ledgers -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A ledger with one release, and its specification."""
    from edges.desk import Desk

    desk = Desk(tmp_path_factory.mktemp("recorded"))
    assert desk.release(spec(ledger="ledger.sqlite"), None, "--seconds", 0).code == 0
    return desk


def rewritten(desk, body: str, stored: object = None) -> str:
    """The ledger with another body of its first entry, sealed again; or with something else that is `stored` there."""
    path = desk.folder / "rewritten.sqlite"
    path.unlink(missing_ok=True)
    keys = ("number", "kind", "release", "dataset", "body", "previous")
    with closing(sqlite3.connect(desk.folder / "ledger.sqlite")) as good, closing(sqlite3.connect(path)) as bad:
        good.backup(bad)
        for (name,) in bad.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            bad.execute(f"DROP TRIGGER {name}")
        entry = dict(zip(keys, bad.execute(f"SELECT {', '.join(keys)} FROM dalenius_entries").fetchone(), strict=True))
        seal = sealed(**(entry | {"body": body}))
        row = entry | {"body": body if stored is None else stored}
        bad.execute("DELETE FROM dalenius_entries WHERE number > 1")
        bad.execute(
            f"UPDATE dalenius_entries SET {', '.join(f'{key} = ?' for key in keys)}, hash = ?", (*row.values(), seal)
        )
        bad.commit()
    return str(path)


CHANGES = {
    "figures are text": lambda body: body | {"figures": "x"},
    "a figure is a number": lambda body: body | {"figures": [5]},
    "a name is a list": lambda body: body | {"figures": [{**body["figures"][0], "name": []}]},
    "a condition is nested": lambda body: body | {"figures": [{**body["figures"][0], "where": deep(400)}]},
    "a number is endless": lambda body: (
        body | {"public": [["region", {"unit": "1e999999999", "lower": "0", "upper": "1"}]]}
    ),
    "a run is endless": lambda body: (
        body | {"beliefs": [{**body["beliefs"][0], "table": [[[], [[{"number": "0"}, "1", 10**15, "1"]]]]}]}
    ),
    "columns are a number": lambda body: body | {"confidential": [5]},
    "files are a list": lambda body: body | {"files": []},
    "the person is a number": lambda body: body | {"person": 5},
    "a belief has no table": lambda body: body | {"beliefs": [{"column": "smoker"}]},
    "noise of an unknown kind": lambda body: body | {"figures": [{**body["figures"][0], "channel": [{"magic": "1"}]}]},
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_an_entry_that_says_what_no_release_says_is_damaged(recorded, change):
    with closing(sqlite3.connect(recorded.folder / "ledger.sqlite")) as ledger:
        body = json.loads(ledger.execute("SELECT body FROM dalenius_entries").fetchone()[0])
    place = ("--ledger", rewritten(recorded, json.dumps(CHANGES[change](body))))
    told = [said("ledger", "verify", *place)]
    for command in (
        ("ledger", "list"),
        ("ledger", "show", "R1"),
        ("check", recorded.folder / "release.yaml", "--json"),
    ):
        answer = dalenius(*command, *place)
        assert answer.code in (0, 2)  # what is not needed is not read
        told += [answer.err] if answer.code else []
    assert all("entry 1 (R1) is damaged" in one for one in told)


@pytest.mark.parametrize("body", ["", "null", "[]", "5", "[" * 100_000, "{", '"x"'], ids=lambda body: body[:4])
def test_a_body_of_another_type_is_damaged(recorded, body):
    place = ("--ledger", rewritten(recorded, body))
    for command in (("list",), ("show", "R1"), ("verify",)):
        assert "entry 1 (R1) is damaged" in said("ledger", *command, *place)


def test_a_cell_of_the_database_of_another_type_is_damaged(recorded):
    place = ("--ledger", rewritten(recorded, "{}", b"\xff"))
    for command in (("list",), ("show", "R1"), ("verify",), ("export",)):
        assert "entry 1 is damaged" in said("ledger", *command, *place)


def test_what_could_not_be_completed_is_said_as_an_error(recorded):
    place = ("--ledger", recorded.folder / "ledger.sqlite", "-o", recorded.folder / "people.csv")
    assert "Error: R1 is recorded, but not written" in said("ledger", "complete", "R1", *place)
    answer = dalenius("ledger", "complete", "R1", "--json", *place)
    assert answer.code == 2 and "not written" in answer.err and json.loads(answer.out)[0]["problem"]


# Memory ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_chart_needs_little_memory(tmp_path):
    """Under a limit that would leave no room for a drawing library."""

    def narrow() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (900 * 2**20, 900 * 2**20))

    found = subprocess.run(
        [sys.executable, "-m", "dalenius", "rules", "--threshold", "3", "--chart", str(tmp_path / "x.svg")],
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=narrow,
        check=False,
    )
    assert found.returncode == 0 and "Traceback" not in found.stderr
    assert (tmp_path / "x.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_page_of_limits_has_all_of_them():
    constants = {value for name, value in vars(limits).items() if name.isupper() and isinstance(value, int)}
    assert constants <= {limit.most for limit in limits.LIMITS}
