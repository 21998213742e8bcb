"""Links of the chain: what stands in the ledger, sealed by a hash that covers all that came before."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, final

from dalenius.basics.errors import LedgerError
from dalenius.record.codec import canonical, digest

FIRST = "0" * 64  # what the first entry follows
Kind: TypeAlias = Literal["release", "written", "vouched", "submitted", "comment", "vote"]


@final
@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One line of the ledger. `hash` covers everything else in it, and with `previous` all earlier lines."""

    number: int
    kind: str
    release: str
    dataset: str
    body: str
    previous: str
    hash: str

    @property
    def shown(self) -> str:
        """Which one it is; that somebody signs or comments is about no release."""
        return f"entry {self.number} (release {self.release})" if self.release else f"entry {self.number}"

    def seal(self) -> str:
        """The hash that the entry must have."""
        return sealed(self.number, self.kind, self.release, self.dataset, self.body, self.previous)


def sealed(number: int, kind: str, release: str, dataset: str, body: str, previous: str) -> str:
    """SHA-256 of the entry in canonical JSON."""
    return digest(
        canonical(
            {
                "number": number,
                "kind": kind,
                "release": release,
                "dataset": dataset,
                "body": body,
                "previous": previous,
            }
        )
    )


def follow(last: LedgerEntry | None, kind: Kind, release: str, dataset: str, body: str) -> LedgerEntry:
    """The next entry of the chain."""
    number, previous = (1, FIRST) if last is None else (last.number + 1, last.hash)
    return LedgerEntry(
        number, kind, release, dataset, body, previous, sealed(number, kind, release, dataset, body, previous)
    )


def checked(entries: Iterable[LedgerEntry], shown: str) -> Iterator[LedgerEntry]:
    """The same entries, as long as each follows the one before; LedgerError at the first that does not."""
    previous = FIRST
    for number, entry in enumerate(entries, start=1):
        if entry.number != number:
            raise LedgerError(
                f"The ledger {shown} needs its entries without gaps, but entry {number} is missing: the next one is "
                f"{entry.number}. {EDITED}"
            )
        if not all(isinstance(part, str) for part in (entry.kind, entry.release, entry.dataset, entry.body)):
            raise LedgerError(
                f"The ledger {shown} needs text in each entry, but entry {entry.number} is damaged: it has something "
                f"else. {EDITED}"
            )
        if entry.previous != previous or entry.seal() != entry.hash:
            raise LedgerError(
                f"The ledger {shown} needs each entry as it was recorded, but {entry.shown} does not match its "
                f"hash: it, or the one before, was changed. {EDITED}"
            )
        previous = entry.hash
        yield entry


EDITED = "Somebody edited it. Nothing is released from it; restore it from a backup."
