from typing import TYPE_CHECKING

from dalenius.basics.homes import lazily
from dalenius.record.codec import digest, digests
from dalenius.record.ledger.edition import Edition
from dalenius.record.ledger.fingerprint import Fingerprint
from dalenius.record.ledger.store import Ledger, Memory, Turn, open_ledger

if TYPE_CHECKING:
    from dalenius.record.ledger.recorded import Declared, Draft, Recorded
    from dalenius.record.ledger.review import Comment, ReviewRule, Submission, Vote

__all__ = [
    "Comment",
    "Declared",
    "Draft",
    "Edition",
    "Fingerprint",
    "Ledger",
    "Memory",
    "Recorded",
    "ReviewRule",
    "Submission",
    "Turn",
    "Vote",
    "digest",
    "digests",
    "open_ledger",
]

__getattr__, __dir__ = lazily(
    "dalenius.record.ledger",
    {
        "record.ledger.recorded": ("Declared", "Draft", "Recorded"),
        "record.ledger.review": ("Comment", "ReviewRule", "Submission", "Vote"),
    },
)
