"""What an audit leaves behind: audit.json with proofs, a page, and what a checker's viewer shows of an ACRO folder."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dalenius.audit.examination import AuditAnswer, Conclusion, name_of
from dalenius.basics.errors import InputError, OutputError
from dalenius.basics.inputs import path_of
from dalenius.data.folder import check_new_file, replace_files, write_new_file
from dalenius.desk.audit.acro_folder import RESULTS, is_acro, load_results
from dalenius.desk.audit.auditing import Audit
from dalenius.record.proofs import audit_json
from dalenius.show.acro import FOLDER, checksums
from dalenius.show.html.audit import audit_html

CHECK = "PresenceOfLinkedTableCheck"
BEGINS = "dalenius audit: "
WORSE = ("pass", "review", "fail")


def check_outputs(output: Path | None, page: Path | None, folder: Sequence[str] | None) -> None:
    """InputError or OutputError unless everything that is asked for can be written."""
    if page is not None and page.suffix.lower() not in (".html", ".htm"):
        raise OutputError(f"Needed a file for a page, but got {page}. Let its name end with .html.")
    for path in (output, page):
        if path is not None:
            check_new_file(path)
    if folder is not None and (len(folder) != 1 or not is_acro(path_of(folder[0]))):
        raise InputError(
            f"--annotate needs one folder that ACRO wrote, with {RESULTS} in it, but got {', '.join(folder)[:200]}. "
            "Name that folder, and what else is out with --earlier."
        )


def write_outputs(audit: Audit, output: Path | None, page: Path | None, *, version: str) -> list[str]:
    """Write what is asked for; its names."""
    if output is not None:
        write_new_file(output, document(audit).encode())
    if page is not None:
        write_new_file(
            page,
            audit_html(
                audit.examined,
                audit.notes,
                audit.advice,
                version=version,
                unread=len(audit.gathered.unread),
                believed=audit.believed,
            ),
        )
    return [str(path) for path in (output, page) if path is not None]


def document(audit: Audit) -> str:
    """The content of audit.json: what follows to each attacker, every interval with its proof."""
    examined = audit.examined
    audits = {attacker.words: attacker.findings for attacker in (*examined.attackers, *examined.members)}
    return audit_json(audits, tables=audit.gathered.contents, notes=audit.notes)


def annotated(audit: Audit, folder: Path) -> list[str]:
    """Write what follows into results.json: the status of each output, its red cells, and a paragraph."""
    folder = path_of(folder)
    whole = load_results(folder)
    for uid, record in whole["results"].items():
        names = [name for name, own in audit.gathered.outputs.items() if own == uid]
        if names:
            annotate_record(record, names, audit)
    content = (json.dumps(whole, indent=4, ensure_ascii=False) + "\n").encode()
    files = {RESULTS: content}
    if (folder / FOLDER / f"{RESULTS}.txt").is_file():
        files |= checksums(files)
    replace_files(folder, files)
    return [str(folder / RESULTS)]


def annotate_record(record: dict[str, Any], names: Sequence[str], audit: Audit) -> None:
    """Write what follows about the tables of these names into one record, as results.json has it."""
    telling = [each for each in audit.examined.conclusions if each.tells and _concerns(each, names)]
    found = "fail" if telling else "pass" if audit.verdict == AuditAnswer.NOTHING else "review"
    status = max(str(record["status"]), found, key=lambda each: WORSE.index(each) if each in WORSE else 0)
    record["status"] = status
    own = "; ".join(f"{name_of(each.asked, audit.examined.tables)} is {each.interval}" for each in telling[:10])
    more = f"; and {len(telling) - 10} more" if len(telling) > 10 else ""
    paragraph = f"{BEGINS}{audit.answer}"
    if telling:
        paragraph += f" Of this output: {own}{more}."
        advice = [] if audit.advice is None else [remedy.words for remedy in audit.advice.remedies]
        paragraph += f" What would help: {' Or: '.join(advice)}" if advice else ""
    comments = [each for each in record.get("comments") or [] if not str(each).startswith(BEGINS)]
    record["comments"] = [*comments, paragraph]
    record["summary"] = f"{status}; {_bare(str(record['summary']))}"
    fair = record.get("fair")
    if isinstance(fair, dict):
        fair.setdefault("check_status", {})[CHECK] = found
    for file in record["files"]:
        places = [
            [cell.row, cell.column]
            for each in telling
            for name, cell in each.asked.cells
            if name in names and (name == file["name"] or name.endswith(f"/{file['name']}"))
        ]
        sdc = file.setdefault("sdc", {})
        sdc.setdefault("summary", {})[CHECK] = len(places)
        sdc.setdefault("cells", {})[CHECK] = sorted(places)


def _concerns(each: Conclusion, names: Sequence[str]) -> bool:
    """Whether a number stands in one of these tables or, if no table has it, follows from one of them."""
    if each.asked.cells:
        return any(name in names for name, _ in each.asked.cells)
    return any(line.startswith(f"{name}: ") for line in each.because for name in names)


def _bare(summary: str) -> str:
    """A summary without the status that stands before it."""
    first, mark, rest = summary.partition("; ")
    return rest if mark and first in WORSE else summary
