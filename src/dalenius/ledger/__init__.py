from dalenius.ledger.canonical import digest, digests
from dalenius.ledger.edition import Edition
from dalenius.ledger.recorded import Declared, Draft, Fingerprint, Recorded
from dalenius.ledger.store import Ledger, Memory, Turn, open_ledger

__all__ = [
    "Declared",
    "Draft",
    "Edition",
    "Fingerprint",
    "Ledger",
    "Memory",
    "Recorded",
    "Turn",
    "digest",
    "digests",
    "open_ledger",
]
