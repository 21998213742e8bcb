"""Certificates that are signed: Ed25519, over the bytes of the file, in a file of its own beside it.

The signature is detached, so that the certificate stays byte for byte what it was, and may be signed by several people.
"""

import base64
import binascii
import os
from pathlib import Path

from dalenius.basics.errors import InputError, OutputError
from dalenius.basics.inputs import path_of, read_bytes
from dalenius.basics.limits import LARGEST_CERTIFICATE, LARGEST_KEY
from dalenius.record.ledger.keys import MISSING, private_key, public_key


def new_key(target: Path) -> Path:
    """Write a new private key, for its owner's eyes only, and beside it the public key; returns where that is."""
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError:
        raise InputError(MISSING) from None
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    if not target.name:
        raise OutputError(f"Needed a new file for the key, but got {str(target)!r}, a folder. Name a file.")
    target = path_of(target, error=OutputError)
    beside = path_of(target.with_name(target.name + ".pub"), error=OutputError)
    if os.path.lexists(beside):
        raise OutputError(f"Needed a new file {beside}, but it is there already. Choose another name.")
    _write(target, private, 0o600)
    _write(beside, public, 0o644)
    return beside


def sign(certificate: Path, key: Path, output: Path | None = None) -> Path:
    """Sign a certificate; returns where the signature is: beside it, unless another place is given. Nothing else is
    signed, nor one that was changed, lacks something or contradicts itself; its deltas are not computed again.
    """
    from dalenius.record.certificate.recheck import faults_of  # which reads signatures

    private, content = private_key(read_key(key)), read_file(certificate)
    problems = faults_of(content)
    if problems:
        raise InputError(
            f"Needed a certificate as it was written, but {certificate} is not valid: {'; '.join(problems)}. Ask for "
            "the original."
        )
    target = output or certificate.with_suffix(".sig")
    _write(target, base64.b64encode(private.sign(content)) + b"\n", 0o644)
    return target


def signature_fits(content: bytes, signature: bytes, key: bytes) -> bool:
    """Whether the signature of these bytes was made with the private half of this public key."""
    public = public_key(key)
    from cryptography.exceptions import InvalidSignature

    try:
        public.verify(base64.b64decode(signature.strip(), validate=True), content)
    except binascii.Error:
        raise InputError("Needed a signature in base64, but the file has something else. Sign again.") from None
    except InvalidSignature:
        return False
    return True


def read_file(path: Path) -> bytes:
    """The bytes of a file that must be there."""
    return read_bytes(path, LARGEST_CERTIFICATE, "a file")


def read_key(path: Path) -> bytes:
    """The bytes of a key or a signature."""
    return read_bytes(path, LARGEST_KEY, "a key or a signature")


def _write(path: Path, content: bytes, mode: int) -> None:
    """A new file: one that is there is never overwritten."""
    path = path_of(path, error=OutputError)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as out:
            out.write(content)
    except OSError as error:
        raise OutputError(
            f"Needed a new file {path}, but it cannot be made: {error.strerror}. Choose another."
        ) from None
