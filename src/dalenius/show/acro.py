"""The release as a folder that ACRO's reader and the SACRO viewer take: results.json, and a SHA-256 for every file.

The format is that of ACRO 1.0 (its `Records.finalise_json` and `write_checksums`): one record for the table, with its
verdict, and one for the report in words.

The viewer shows what stands before the first "; " of a summary as the status, so every summary begins with it; and it
puts every file that is listed into its own page, so only text and CSV are listed: a stylesheet in the report to sign
would restyle the viewer. The other files lie beside them, with their checksums.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

ACRO_VERSION = "1.0.2"  # whose reader was tried; it wants to find its own version
TABLE = "figures.csv"
SHOWN = (".csv", ".txt")  # what the viewer may put into its page
FOLDER = "checksums"


def results_json(decision: Mapping[str, Any], files: Mapping[str, bytes], *, software: str, timestamp: str) -> bytes:
    """Two records: figures.csv with the verdict, and the report in words. `decision` is the decision for machines, in
    brief at least.
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
        properties={"method": "dalenius", "claim": decision["claim"]},
    )
    beside = [name for name in files if not name.endswith(SHOWN)]
    papers = _record(
        "output_1",
        verdict,
        "custom",
        [name for name in files if name != TABLE and name.endswith(SHOWN)],
        command="custom",
        summary=f"the report in words; beside it in the folder: {', '.join(beside)}",
        timestamp=timestamp,
        comments=["For the output checker; it carries no confidential value."],
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
        "summary": f"{status}; {summary}",
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
