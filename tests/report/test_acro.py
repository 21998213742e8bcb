"""The folder as ACRO's reader and the SACRO viewer take it: what they ask for is there."""

import hashlib
import json

import pytest

from edges.desk import Desk, spec

# What `acro.record.load_records` of ACRO 1.0.2 looks up in every record.
KEYS = {
    *("uid", "status", "type", "properties", "files", "outcome", "command", "summary"),
    *("timestamp", "comments", "exception", "fair"),
}
NOTHING = {"summary": {"PresenceOfLinkedTableCheck": 0}, "cells": {"PresenceOfLinkedTableCheck": []}}


@pytest.mark.slow
def test_the_folder_is_what_the_readers_look_for(tmp_path):
    assert Desk(tmp_path).release().code == 0
    folder = tmp_path / "out"
    whole = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert whole["version"].count(".") == 2
    assert list(whole["results"]) == ["output_0", "output_1"]
    for uid, record in whole["results"].items():
        assert record.keys() == KEYS and record["uid"] == uid and record["status"] == "pass" and record["files"]
        for file in record["files"]:
            assert file["sdc"] in ({}, NOTHING) and (folder / file["name"]).is_file()
            assert (folder / file["name"]).suffix in (".csv", ".txt")  # the viewer puts it into its page
        assert record["summary"].partition("; ")[0] == record["status"]  # what the viewer shows as the status
        assert record["fair"]["check_status"] == {"PresenceOfLinkedTableCheck": "pass"}
        assert record["fair"]["statbarn"] == "Frequencies" and isinstance(record["fair"]["independent"], list)
    assert whole["tool"].keys() == {"@type", "name", "url", "version"}
    listed = {uid: [file["name"] for file in record["files"]] for uid, record in whole["results"].items()}
    assert listed == {"output_0": ["figures.csv"], "output_1": ["report.txt"]}
    assert "report.html" in whole["results"]["output_1"]["summary"]


@pytest.mark.slow
def test_every_file_has_its_checksum(tmp_path):
    assert Desk(tmp_path).release().code == 0
    folder = tmp_path / "out"
    files = [path for path in folder.iterdir() if path.is_file()]
    assert len(files) == 5
    for path in files:
        stated = (folder / "checksums" / f"{path.name}.txt").read_text(encoding="utf-8")
        assert stated == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.slow
def test_the_certificate_is_not_mistaken_for_an_acro_file(tmp_path):
    """The viewer looks for the one JSON file that has a version and results."""
    assert Desk(tmp_path).release().code == 0
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert not {"version", "results"} <= certificate.keys()


@pytest.mark.slow
def test_a_reader_of_another_version_gets_its_own(tmp_path):
    desk = Desk(tmp_path)
    assert desk.release(None, None, "--acro", "0.4.12").code == 0
    assert json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["version"] == "0.4.12"
    refused = desk.check(None, None, "--desk", tmp_path / "other", "--acro", "new")
    assert refused.code == 2 and "version of ACRO" in refused.err


@pytest.mark.slow
def test_a_desk_folder_has_the_verdict_and_no_figures(tmp_path):
    """Whatever the verdict is: the checker sees why, and nothing is computed or recorded."""
    strict = spec(target={"epsilon": "0.001", "delta": "1e-9"})
    answer = Desk(tmp_path).check(strict, None, "--desk", tmp_path / "desk", "--quick")
    assert answer.code in (1, 3)
    folder = tmp_path / "desk"
    assert {path.name for path in folder.iterdir()} == {"report.txt", "report.html", "results.json", "checksums"}
    whole = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    (record,) = whole["results"].values()
    assert record["status"] in ("fail", "review") and record["summary"].startswith(f"{record['status']}; ")
    assert not (tmp_path / "dalenius-ledger.sqlite").exists()
