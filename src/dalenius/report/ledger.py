"""The ledger for readers and for machines."""

import re
from collections.abc import Iterator
from typing import Any

from dalenius.errors import LedgerError
from dalenius.ledger import Ledger, Recorded
from dalenius.ledger.canonical import canonical
from dalenius.ledger.words import figure_of
from dalenius.report.figures import decimal


def find(ledger: Ledger, release: str) -> Recorded:
    """The release of this id; LedgerError if there is none."""
    known = ledger.releases()
    for found in known:
        if found.id == release:
            return found
    some = f"the releases {known[0].id} to {known[-1].id}" if known[1:] else known[0].id if known else "none"
    raise LedgerError(
        f"Needed a release of the ledger {ledger.shown}, which has {some}, but got {release}. Correct it."
    )


def listed(ledger: Ledger) -> str:
    """One line a release."""
    pending = {release.id for release in ledger.pending()}
    rows = [("release", "when", "who", "dataset", "figures", "state")]
    rows += [
        (
            release.id,
            str(release.body["when"]),
            str(release.body["user"]),
            release.dataset + (f", edition {release.edition}" if release.edition else ""),
            ", ".join(figure["name"] for figure in release.body["figures"]),
            "recorded" if release.id in pending else "written",
        )
        for release in ledger.releases()
    ]
    if len(rows) == 1:
        return f"No releases in {ledger.shown}."
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def listed_json(ledger: Ledger) -> list[dict[str, Any]]:
    """The same for machines."""
    pending = {release.id for release in ledger.pending()}
    return [
        {
            "release": release.id,
            "when": release.body["when"],
            "user": release.body["user"],
            "dataset": release.dataset,
            "edition": release.body["edition"],
            "figures": [figure["name"] for figure in release.body["figures"]],
            "folder": release.folder,
            "state": "recorded" if release.id in pending else "written",
            "hash": release.hash,
        }
        for release in ledger.releases()
    ]


def shown(release: Recorded) -> str:
    """One release in full."""
    body = release.body
    columns, claim = release.confidential, body["guarantee"]
    lines = [
        f"{release.id}: entry {release.number}, {release.hash}",
        f"  when      {body['when']}, by {body['user']} on {body['host']}, with {body['software']}",
        f"  dataset   {release.dataset}" + (f", edition {release.edition}" if release.edition else ""),
        f"  claim     epsilon {claim['epsilon']}, delta at most {claim['delta_at_most']}: {claim['verdict']}",
        f"  secret    {body['secret']}; the attacker knows {body['attacker']['knows']} ({body['attacker']['source']})",
        f"  with      {body['after'] + ' and all before that' if body['after'] else 'nothing before it'}",
        f"  folder    {release.folder}",
    ]
    for figure, numbers in zip(map(figure_of, body["figures"]), release.numbers, strict=True):
        where = f" where {figure.where}" if figure.where.tests else ""
        what = figure.kind if figure.column is None else f"{figure.kind} of {figure.column}"
        lines.append(f"  figure    {figure.name}: {what}{where}; {figure.released(columns)}")
        for cell, number in numbers:
            told = "nobody" if number is None else decimal(number)
            lines.append(f"              {', '.join(map(str, cell)) or 'all'}: {told}")
    return "\n".join(lines)


def verified(ledger: Ledger, holds: str | None = None) -> dict[str, Any]:
    """How many entries the chain has, and its head; LedgerError if an entry or a file was changed, or if the entry with
    the hash `holds` is not there any more.
    """
    if holds is not None and not re.fullmatch(r"[0-9a-f]{64}", holds):
        raise LedgerError(
            f"Needed the hash of an entry, 64 digits from 0 to 9 and a to f, but got {holds!r}. `dalenius release` "
            "prints it behind Recorded, and `dalenius ledger export` with every entry."
        )
    entries = ledger.entries()
    for release in ledger.releases():
        ledger.files(release)
    if holds is not None and not any(entry.hash == holds for entry in entries):
        raise LedgerError(
            f"The ledger {ledger.shown} needs an entry {holds}, but has none: entries were cut off, or this is another "
            "ledger. Restore it from a backup."
        )
    return {"ledger": ledger.shown, "entries": len(entries), "head": entries[-1].hash if entries else None}


def lines(ledger: Ledger) -> Iterator[str]:
    """Each entry as canonical JSON: number, kind, release, dataset, body (as it was hashed), previous, hash."""
    for entry in ledger.entries():
        yield canonical(
            {
                "number": entry.number,
                "kind": entry.kind,
                "release": entry.release,
                "dataset": entry.dataset,
                "body": entry.body,
                "previous": entry.previous,
                "hash": entry.hash,
            }
        )
