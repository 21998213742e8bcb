"""Certificates of version 4, where presence meant each value against absence only: nobody reads them as more."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from certificates.tampering import resealed
from certificates.test_forged import answers, made
from dalenius.facts.records import Numbers, Where
from dalenius.facts.secret import Presence, Value
from dalenius.record.certificate.recheck import WAS, recheck
from dalenius.tables.figures import ColumnBelief, Figure
from dalenius_checker.__main__ import WAS as WAS_TOO
from dalenius_checker.__main__ import run

F = Fraction
OLDER = "dalenius/certificate/4"
COLUMNS = {"u": Numbers(F(1), F(-5), F(5))}
BELIEF = ColumnBelief("u", {(): tuple((F(value), F(1, 11)) for value in range(-5, 6))}, "register")
TOTAL = Figure("total", "sum", "u", Where())


def document(secret: Presence | Value) -> dict[str, object]:
    return made(TOTAL, 200, "1e-2", COLUMNS, BELIEF, secret)


def checked(content: bytes, folder: Path) -> tuple[int, str]:
    (folder / "certificate.json").write_bytes(content)
    return run([str(folder / "certificate.json")])


@pytest.mark.slow
def test_presence_certifies_the_values_too(tmp_path: Path) -> None:
    found, value = document(Presence()), document(Value())
    assert found["schema"] == "dalenius/certificate/5"
    assert found["kinds"][0]["delta"] == value["kinds"][0]["delta"]
    assert answers(found, tmp_path) == (0, 0)
    assert WAS not in recheck(resealed(found)).text()


def test_what_held_for_absence_only_is_refused_and_it_is_said_why(tmp_path: Path) -> None:
    """The delta that version 4 stated of these 200 people: each value against absence."""
    found = document(Presence())
    found |= {"schema": OLDER}
    found["claim"]["delta_at_most"], found["kinds"][0]["delta"] = "2.54e-12", ["2.53e-12", "2.54e-12"]
    found["attacker"]["largest_known"] = 0
    content = resealed(found)
    again = recheck(content)
    assert again.code == 1
    assert again.json()["presence_meant_less"]
    assert f"{WAS}. Release the figures again" in again.text()
    code, words = checked(content, tmp_path)
    assert code == 1
    assert words.endswith(WAS_TOO)


def test_what_holds_for_all_facts_is_confirmed_and_it_is_said_what_changed(tmp_path: Path) -> None:
    content = resealed({**document(Presence()), "schema": OLDER})
    again = recheck(content)
    assert again.code == 0
    assert f"{WAS}, and it holds for both." in again.text()
    code, words = checked(content, tmp_path)
    assert code == 0
    assert words.endswith(WAS_TOO)


@pytest.mark.slow
def test_the_value_meant_the_same_in_version_4(tmp_path: Path) -> None:
    content = resealed({**document(Value()), "schema": OLDER})
    assert recheck(content).code == checked(content, tmp_path)[0] == 0
    assert WAS not in recheck(content).text()
    assert WAS_TOO not in checked(content, tmp_path)[1]


@pytest.mark.slow
def test_a_stored_one_that_two_jobs_contradict() -> None:
    """Two counts of one column: a person of job a and one of job b differ in both, absence in one."""
    content = (Path(__file__).parent / "presence_4.json").read_bytes()
    assert json.loads(content)["schema"] == OLDER
    again = recheck(content)
    assert again.code == 1
    assert WAS in again.text()
