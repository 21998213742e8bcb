"""The release as a folder that ACRO's reader and the SACRO viewer take: results.json, and a SHA-256 for every file.

The format is that of ACRO 1.0 (its `Records.finalise_json` and `write_checksums`): one record for the table, with its
verdict, and one for the papers that go with it.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

ACRO_VERSION = "1.0.2"  # whose reader was tried; it wants to find its own version
TABLE = "figures.csv"
FOLDER = "checksums"


def results_json(decision: Mapping[str, Any], files: Mapping[str, bytes], *, software: str, timestamp: str) -> bytes:
    """Two records: figures.csv with the verdict, and the other files. `decision` is the decision for machines, in
    brief at least.
    """
    figures = ", ".join(figure["name"] for figure in decision["figures"])
    summary = f"{decision['verdict']}; {decision['answer']}"
    table = _record(
        "output_0",
        str(decision["verdict"]),
        "table",
        [TABLE],
        command=f"dalenius release: {figures}",
        summary=summary,
        timestamp=timestamp,
        comments=[*map(str, decision["assumes"])],
        properties={"method": "dalenius", "claim": decision["claim"]},
    )
    beside = [name for name in files if name != TABLE]
    papers = _record(
        "output_1",
        str(decision["verdict"]),
        "custom",
        beside,
        command="custom",
        summary="the report to sign, the certificate and the story in words",
        timestamp=timestamp,
        comments=["For the output checker; they carry no confidential value."],
        properties={},
    )
    records = {record["uid"]: record for record in (table, papers) if record["files"]}
    whole = {"version": ACRO_VERSION, "tool": {"name": "dalenius", "version": software}, "results": records}
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
) -> dict[str, Any]:
    return {
        "uid": uid,
        "status": status,
        "type": kind,
        "properties": properties,
        "files": [{"name": name, "sdc": {}} for name in files],
        "outcome": {},
        "command": command,
        "summary": summary,
        "timestamp": timestamp,
        "comments": comments,
        "exception": "",
        "fair": {},
    }


def checksums(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """A file in the folder `checksums` for each file: its SHA-256, in hexadecimal digits.

    >>> checksums({"a.csv": b""})
    {'checksums/a.csv.txt': b'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'}
    """
    return {f"{FOLDER}/{name}.txt": hashlib.sha256(content).hexdigest().encode() for name, content in files.items()}
