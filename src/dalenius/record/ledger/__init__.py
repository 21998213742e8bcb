from dalenius.record.codec import digest, digests
from dalenius.record.ledger.edition import Edition
from dalenius.record.ledger.recorded import Declared, Draft, Fingerprint, Recorded
from dalenius.record.ledger.review import Comment, ReviewRule, Submission, Vote
from dalenius.record.ledger.store import Ledger, Memory, Turn, open_ledger

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
