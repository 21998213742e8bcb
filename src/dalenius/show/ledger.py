"""The ledger for readers and for machines."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from dalenius.basics.errors import LedgerError, without_passwords
from dalenius.data.completion import here, now, who
from dalenius.enclosure.formats import in_decimals
from dalenius.record.codec import canonical, figure_of
from dalenius.record.ledger import Ledger, Recorded
from dalenius.record.ledger.entry import LedgerEntry
from dalenius.record.ledger.keys import SHOWN, Keys, Signature
from dalenius.show.layout import table
from dalenius.show.review import approval_words


def check_there(ledger: Ledger) -> None:
    """LedgerError if there is no ledger, so that a wrong name, or a file that was emptied, is not taken for one."""
    if ledger.exists():
        return
    if ledger.database.file is not None and ledger.database.file.exists():
        raise LedgerError(
            f"Needed a ledger at {ledger.shown}, but the file is empty: nothing was recorded there, or all of it is "
            "lost. Restore it from a backup, if there were releases."
        )
    raise LedgerError(
        f"Needed a ledger at {ledger.shown}, but there is none. Check the name; the first release makes one."
    )


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
    pending, signatures = {release.id for release in ledger.pending()}, ledger.signatures()
    rows = [("release", "when", "who", "dataset", "figures", "state", *(["signed by"] if signatures else []))]
    rows += [
        (
            release.id,
            str(release.body["when"]),
            str(release.body["user"]),
            release.dataset + (f", edition {release.edition}" if release.edition else ""),
            ", ".join(figure["name"] for figure in release.body["figures"]),
            ("recorded" if release.id in pending else "written") + ("" if release.certified else ", not certified"),
            *([_signer(signatures.get(release.number))] if signatures else []),
        )
        for release in ledger.releases()
    ]
    if len(rows) == 1:
        return f"No releases in {ledger.shown}."
    masked_rows = [tuple(map(without_passwords, row)) for row in rows]  # before an address is folded
    return "\n".join(table(masked_rows, fold=4, rule=False))


def _signer(made: Signature | None) -> str:
    return "nobody" if made is None else f"{made.key[:SHOWN]}..."


def listed_json(ledger: Ledger) -> list[dict[str, Any]]:
    """The same for machines."""
    pending, signatures = {release.id for release in ledger.pending()}, ledger.signatures()
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
            "certified": release.certified,
            "hash": release.hash,
            "signed_by": signatures[release.number].key if release.number in signatures else None,
        }
        for release in ledger.releases()
    ]


def masked(found: Any) -> Any:
    """What is recorded, without passwords: whoever can write to a ledger can write anything."""
    match found:
        case str():
            return without_passwords(found)
        case dict():
            return {masked(key): masked(value) for key, value in found.items()}
        case list() | tuple():
            return [masked(value) for value in found]
        case _:
            return found


def shown(release: Recorded) -> str:
    """One release in full."""
    return without_passwords(release.read(lambda body: _lines(release, body)))


def _lines(release: Recorded, body: Mapping[str, Any]) -> str:
    columns, claim = release.confidential, body["guarantee"]
    lines = [
        f"{release.id}: entry {release.number}, {release.hash}",
        f"  when      {body['when']}, by {body['user']} on {body['host']}, with {body['software']}",
        f"  dataset   {release.dataset}" + (f", edition {release.edition}" if release.edition else ""),
        f"  claim     epsilon {claim['epsilon']}, delta at most {claim['delta_at_most']}: {claim['verdict']}"
        if release.certified
        else "  claim     none",
        *(() if release.approval is None else (f"  approval  {approval_words(release.approval)}",)),
        f"  secret    {body['secret']}; the attacker knows {body['attacker']['knows']} ({body['attacker']['source']})",
        f"  with      {body['after'] + ' and all before that' if body['after'] else 'nothing before it'}",
        f"  folder    {release.folder}",
    ]
    if release.together is not None:
        one = release.together
        lines.insert(
            lines.index(f"  folder    {release.folder}") - 1,
            f"  together  records of one {one.column}, each its own with weight {one.weight} ({one.source})",
        )
    for figure, numbers in zip(map(figure_of, body["figures"]), release.numbers, strict=True):
        where = f" where {figure.where}" if figure.where.tests else ""
        what = figure.kind if figure.column is None else f"{figure.kind} of {figure.column}"
        lines.append(f"  figure    {figure.name}: {what}{where}; {figure.released(columns)}")
        for cell, number in numbers:
            told = "nobody" if number is None else in_decimals(number)
            lines.append(f"              {', '.join(map(str, cell)) or 'all'}: {told}")
    lines += [f"  computed  {one.name}: {one.formula}" for one in release.computed]
    return "\n".join(lines)


def verified(ledger: Ledger, holds: str | None = None) -> dict[str, Any]:
    """How many entries the chain has, and its head; LedgerError if there is no ledger, if an entry or a file was
    changed, or if the entry with the hash `holds` is not there any more.
    """
    if holds is not None and not re.fullmatch(r"[0-9a-f]{64}", holds):
        raise LedgerError(
            f"Needed the hash of an entry, 64 digits from 0 to 9 and a to f, but got {holds!r}. `dalenius release` "
            "prints it behind Recorded, and `dalenius ledger export` with every entry."
        )
    check_there(ledger)
    entries = ledger.entries()
    for release in ledger.releases():
        release.check()
        ledger.files(release)
    for submission in ledger.submissions():
        ledger.files(submission)
    if holds is not None and not any(entry.hash == holds for entry in entries):
        raise LedgerError(
            f"The ledger {ledger.shown} needs an entry {holds}, but has none: entries were cut off, or this is another "
            "ledger. Restore it from a backup."
        )
    signatures = ledger.signatures()
    return {
        "ledger": ledger.shown,
        "entries": len(entries),
        "head": entries[-1].hash,
        "signed": len(signatures),
        "signed_by": sorted({made.key for made in signatures.values()}),
        "signatures_checked": bool(ledger.keys.trusted),
        "holds": holds,
    }


def verified_text(found: Mapping[str, Any]) -> str:
    """The same in words: what was checked, and what that does not show."""
    lines = [f"Unbroken: {found['entries']} entries, head {found['head']}"]
    keys = ", ".join(f"{key[:SHOWN]}..." for key in found["signed_by"])
    if found["signatures_checked"]:
        number = "1 signature" if found["signed"] == 1 else f"{found['signed']} signatures"
        lines.append(f"Signed: a key that you named answers for all of them ({number}, by {keys}).")
    elif found["signed"]:
        lines.append(
            f"Signatures: {found['signed']}, by {keys}. They were not checked: name the public keys with --ledger-key."
        )
    else:
        lines.append("Not signed: whoever can write to the database can rewrite all of it, hashes too.")
    if found["holds"] is None:
        lines.append("Entries cut off at the end are noticed by a noted hash only: --holds HASH.")
    else:
        lines.append("It holds the entry that you noted, and all before it.")
    return "\n".join(lines)


def vouch_for(ledger: Ledger, holds: str) -> LedgerEntry:
    """The entry by which the owner of the private key answers for all entries so far. LedgerError unless the chain is
    unbroken and has the entry with the hash `holds`: that is how the owner says which ledger they looked at.
    """
    if ledger.keys.private is None:
        raise LedgerError(
            f"Needed a private key to sign the ledger {ledger.shown} with, but none is named. Make one with `dalenius "
            "key new KEYFILE`, and name it with --ledger-key."
        )
    verified(replace(ledger, keys=Keys()), holds)
    with ledger.turn() as turn:
        return turn.vouch({"when": now(), "user": who(), "host": here()})


def lines(ledger: Ledger) -> Iterator[str]:
    """Each entry as canonical JSON: number, kind, release, dataset, body (as it was hashed), previous, hash; and, if it
    was signed, the fingerprint of the key and the signature.
    """
    signatures = ledger.signatures()
    for entry in ledger.entries():
        made = signatures.get(entry.number)
        yield canonical(
            {
                "number": entry.number,
                "kind": entry.kind,
                "release": entry.release,
                "dataset": entry.dataset,
                "body": entry.body,
                "previous": entry.previous,
                "hash": entry.hash,
                **({"key": made.key, "signature": made.signature} if made else {}),
            }
        )
