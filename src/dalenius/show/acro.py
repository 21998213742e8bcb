"""The release as a folder that ACRO's reader and the SACRO viewer take: results.json, and a SHA-256 for every file.

The format is that of ACRO 1.0 (its `Records.finalise_json` and `write_checksums`): one record for the table, with its
verdict, and one for the report in words.

The viewer shows what stands before the first "; " of a summary as the status, so every summary begins with it; and it
puts every file that is listed into its own page, so only text and CSV are listed: a stylesheet in the report to sign
would restyle the viewer. The other files lie beside them, with their checksums.

The block `fair` names what was checked, in the words of ACRO's vocabulary: that figures which are published together,
and with all that is out, do not tell about a person. Thresholds are no part of that, so nothing is said about them.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from dalenius.basics.errors import InputError

ACRO_VERSION = "1.0.2"  # whose reader was tried; it wants to find its own version
EARLIEST = (0, 4)  # what the viewer takes
CONTEXT = "https://w3id.org/statbarnsdc#"
CHECK = "PresenceOfLinkedTableCheck"
STATBARNS = {"count": "Frequencies", "sum": "LinearAggregations", "mean": "LinearAggregations"}
TABLE = "figures.csv"
URL = "urn:dalenius"  # a name: there is no address that stays
SHOWN = (".csv", ".txt")  # what the viewer may put into its page
FOLDER = "checksums"


def reader_version(text: str) -> str:
    """The version of ACRO whose reader is to take the folder: it demands its own.

    >>> reader_version("0.4.12")
    '0.4.12'
    """
    if not re.fullmatch(r"\d{1,4}(\.\d{1,4}){1,3}", text) or tuple(map(int, text.split(".")[:2])) < EARLIEST:
        raise InputError(
            f"Needed a version of ACRO from 0.4 on, but got {text[:40]!r}. Write the one that is installed where the "
            f"folder is read, such as {ACRO_VERSION}."
        )
    return text


def results_json(
    decision: Mapping[str, Any],
    files: Mapping[str, bytes],
    *,
    software: str,
    timestamp: str,
    version: str = ACRO_VERSION,
) -> bytes:
    """Two records: figures.csv with the verdict, and the report in words. `decision` is the decision for machines, in
    brief at least. Without figures.csv, the report alone has the verdict.
    """
    figures = ", ".join(figure["name"] for figure in decision["figures"])
    verdict = str(decision["verdict"])
    table = _record(
        "output_0",
        verdict,
        "table",
        [TABLE],
        command=f"dalenius release: {figures}",
        summary=str(decision["answer"]),
        timestamp=timestamp,
        comments=[*map(str, decision["assumes"])],
        properties={"method": "dalenius", "mitigation": _mitigation(decision), "claim": decision["claim"]},
        fair=_fair(decision),
    )
    answer = "" if TABLE in files else f"{decision['answer']} "
    beside = [name for name in files if not name.endswith(SHOWN)]
    papers = _record(
        "output_1",
        verdict,
        "custom",
        [name for name in files if name != TABLE and name.endswith(SHOWN)],
        command="custom",
        summary=f"{answer}the report in words; beside it in the folder: {', '.join(beside)}",
        timestamp=timestamp,
        comments=["For the output checker; it carries no confidential value."],
        properties={},
        fair=_fair(decision),
    )
    records = {record["uid"]: record for record in (table, papers) if {*map(_name, record["files"])} <= {*files}}
    tool = {"@type": "SoftwareApplication", "name": "dalenius", "url": URL, "version": software}
    whole = {"version": version, "tool": tool, "results": records}
    return (json.dumps(whole, indent=4, ensure_ascii=False) + "\n").encode()


def _record(
    uid: str,
    status: str,
    kind: str,
    files: list[str],
    *,
    command: str,
    summary: str,
    timestamp: str,
    comments: list[str],
    properties: dict[str, Any],
    fair: dict[str, Any],
) -> dict[str, Any]:
    sdc = {"summary": {CHECK: 0}, "cells": {CHECK: []}} if kind == "table" else {}
    return {
        "uid": uid,
        "status": status,
        "type": kind,
        "properties": properties,
        "files": [{"name": name, "sdc": sdc} for name in files],
        "outcome": {},
        "command": command,
        "summary": f"{status}; {summary}",
        "timestamp": timestamp,
        "comments": comments,
        "exception": "",
        "fair": fair,
    }


def _name(file: Mapping[str, Any]) -> str:
    return str(file["name"])


def _fair(decision: Mapping[str, Any]) -> dict[str, Any]:
    """What kind of figures these are, and what was checked about them."""
    figures = decision["figures"]
    kinds = dict.fromkeys(STATBARNS.get(str(figure.get("kind")), "Frequencies") for figure in figures)
    return {
        "context": CONTEXT,
        "statbarn": next(iter(kinds), "Frequencies"),
        "risks": ["Differencing"],
        "checks_needed": [CHECK],
        "common_mitigations": ["Noise", "Suppression"],
        "check_status": {CHECK: str(decision["verdict"])},
        "dependent": ", ".join(dict.fromkeys(str(each["column"]) for each in figures if each.get("column")))
        or "unknown",
        "independent": list(dict.fromkeys(str(name) for figure in figures for name in figure.get("by") or ())),
    }


def _mitigation(decision: Mapping[str, Any]) -> str:
    """In ACRO's words: none, round, or noise."""
    told = " ".join(json.dumps(figure) for figure in decision["figures"])
    return "noise" if '"noise"' in told else "round" if '"round"' in told else "none"


def checksums(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """A file in the folder `checksums` for each file: its SHA-256, in hexadecimal digits.

    >>> checksums({"a.csv": b""})
    {'checksums/a.csv.txt': b'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'}
    """
    return {f"{FOLDER}/{name}.txt": hashlib.sha256(content).hexdigest().encode() for name, content in files.items()}
