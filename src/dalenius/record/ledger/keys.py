"""Who wrote an entry: signatures over the chain (Ed25519), made with keys that are kept outside of the database.

A signature is over the hash of an entry, which covers all entries before. So one that fits says of the whole chain up
to there that it is what the signer saw; and whoever adds an entry with a key looks first whether the last one has such
a signature. Without the private key nobody can make a chain that passes, however much of the database they rewrite.
What a signature cannot say is that nothing came after it, nor which ledger it is: entries cut off at the end, an older
copy, and another ledger that the same key signed are noticed by a noted hash only.
"""

import base64
import hashlib
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, final

from dalenius.basics.errors import InputError, LedgerError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

    from dalenius.record.ledger.entry import LedgerEntry

MISSING = (
    "Keys and signatures need the package cryptography, but it is not installed. Run pip install 'dalenius[signing]'."
)
DOMAIN = "dalenius/record/ledger/entry/1"  # what is signed is nothing else that the same key may sign
LARGEST_FILE = 1 << 16  # bytes that are read of a key
SHOWN = 12  # digits of a fingerprint that people compare


@final
@dataclass(frozen=True, slots=True)
class Signature:
    """That the owner of a key saw this entry, and all before it. `key` is the fingerprint of the public key."""

    number: int
    key: str
    signature: str


@final
@dataclass(frozen=True, slots=True)
class Keys:
    """The keys with which a ledger is used: `private` signs what is added, `trusted` are those whose signatures count,
    by their fingerprints (the private one's own is among them). Without any, nothing is signed and nothing checked.
    """

    private: bytes | None = field(default=None, repr=False)
    trusted: Mapping[str, bytes] = field(default_factory=dict)

    def sign(self, entry: "LedgerEntry") -> Signature:
        """The signature of an entry; only where there is a private key."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        key = Ed25519PrivateKey.from_private_bytes(self.private or b"")
        made = base64.b64encode(key.sign(_content(entry))).decode()
        return Signature(entry.number, fingerprint_of(key.public_key().public_bytes_raw()), made)

    def fits(self, entry: "LedgerEntry", signature: Signature | None) -> bool:
        """Whether one of the trusted keys made this signature of this entry."""
        if signature is None or signature.key not in self.trusted:
            return False
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        public = Ed25519PublicKey.from_public_bytes(self.trusted[signature.key])
        try:
            public.verify(base64.b64decode(signature.signature, validate=True), _content(entry))
        except (InvalidSignature, ValueError, TypeError):  # no base64 is a ValueError, and so are letters beyond ASCII
            return False
        return True

    def check(self, entries: "Sequence[LedgerEntry]", signatures: Mapping[int, Signature], shown: str) -> None:
        """LedgerError unless every signature of a trusted key fits, and the last entry has one: it covers all before.

        What was recorded without a key, or with one that is not trusted any more, is believed because somebody who is
        trusted signed after it, having seen it.
        """
        from dalenius.record.ledger.entry import EDITED

        if not self.trusted:
            return
        covered = 0
        for entry in entries:
            made = signatures.get(entry.number)
            if self.fits(entry, made):
                covered = entry.number
            elif made is not None and made.key in self.trusted:
                raise LedgerError(
                    f"The ledger {shown} needs each signature as it was made, but that of {entry.shown} does not "
                    f"fit: it, or an entry up to there, was changed. {EDITED}"
                )
        last = entries[-1].number if entries else 0
        if any(number > last for number in signatures):
            raise LedgerError(
                f"The ledger {shown} needs every entry that was signed, but ends at {last}, and there are signatures "
                f"of later ones: entries were cut off at its end. {EDITED}"
            )
        if covered < last:
            raise LedgerError(
                _unsigned(shown, max(covered + 1, entries[0].number), last, signatures.get(entries[-1].number))
            )


def _unsigned(shown: str, first: int, last: int, made: Signature | None) -> str:
    """What is said of entries for which nobody who is trusted answers, and what can be done."""
    which = f"entry {last} is" if first == last else f"entries {first} to {last} are"
    by = "" if made is None else f" (but {made.key[:SHOWN]}...)"
    return (
        f"The ledger {shown} needs its last entry signed with a key that you named, but {which} not{by}. If a "
        "colleague, or a key of before, signed: name that public key too, with --ledger-key. If it was never signed: "
        "look at it, and `dalenius ledger sign` answers for what is there. Otherwise somebody rewrote it: restore it "
        "from a backup."
    )


def _content(entry: "LedgerEntry") -> bytes:
    return f"{DOMAIN}\n{entry.hash}".encode()


def fingerprint_of(public: bytes) -> str:
    """SHA-256 of a public key's 32 bytes."""
    return hashlib.sha256(public).hexdigest()


def read_keys(paths: Sequence[str | Path]) -> Keys:
    """The keys in these files: one private key at most, and any number of public ones."""
    private: bytes | None = None
    trusted: dict[str, bytes] = {}
    for path in paths:
        content = _read(path)
        if b"PRIVATE KEY" in content:
            if private is not None:
                raise LedgerError(
                    f"Needed one private key, but {path} is a second one. Name its public key, {path}.pub."
                )
            _check_closed(Path(path))
            key = private_key(content)
            private, public = key.private_bytes_raw(), key.public_key().public_bytes_raw()
        else:
            public = public_key(content).public_bytes_raw()
        trusted[fingerprint_of(public)] = public
    return Keys(private, trusted)


def _read(path: object) -> bytes:
    if not isinstance(path, str | Path):
        raise LedgerError(
            f"Needed the path of a key, but got an object of the type {type(path).__name__}. Write a path."
        )
    content = b""
    with suppress(OSError, ValueError):
        if Path(path).is_file():  # a device may never end
            with Path(path).open("rb") as file:
                content = file.read(LARGEST_FILE)
    if not content:
        raise LedgerError(
            f"Needed a key for the ledger at {path}, but it cannot be read. Check its name, or make one: dalenius key "
            "new KEYFILE."
        )
    return content


def _check_closed(path: Path) -> None:
    """LedgerError if somebody else may read a private key: then it proves nothing."""
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise LedgerError(
            f"Needed a private key that only its owner may read, but others may read {path}. Close it with chmod 600; "
            "if somebody may have read it, make a new one."
        )


def private_key(content: bytes) -> "Ed25519PrivateKey":
    """The private key in a PEM file."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError:
        raise InputError(MISSING) from None
    try:
        key = load_pem_private_key(content, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise InputError(
            "Needed a private key in PEM format, but got none. Make one: dalenius key new KEYFILE."
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError("Needed an Ed25519 key, but got another kind. Make one: dalenius key new KEYFILE.")
    return key


def public_key(content: bytes) -> "Ed25519PublicKey":
    """The public key in a PEM file."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    except ImportError:
        raise InputError(MISSING) from None
    try:
        key = load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        raise InputError("Needed a public key in PEM format, but got none. It is the file KEYFILE.pub.") from None
    if not isinstance(key, Ed25519PublicKey):
        raise InputError("Needed an Ed25519 key, but got another kind. Ask for the right one.")
    return key
