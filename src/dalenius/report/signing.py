"""Certificates that are signed: Ed25519, over the bytes of the file, in a file of its own beside it.

The signature is detached, so that the certificate stays byte for byte what it was, and may be signed by several people.
"""

import base64
import binascii
import os
from pathlib import Path
from typing import TYPE_CHECKING

from dalenius.errors import InputError, OutputError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

MISSING = (
    "Keys and signatures need the package cryptography, but it is not installed. Run pip install 'dalenius[signing]'."
)


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
    beside = target.with_name(target.name + ".pub")
    if os.path.lexists(beside):
        raise OutputError(f"Needed a new file {beside}, but it is there already. Choose another name.")
    _write(target, private, 0o600)
    _write(beside, public, 0o644)
    return beside


def sign(certificate: Path, key: Path, output: Path | None = None) -> Path:
    """Sign a certificate; returns where the signature is: beside it, unless another place is given. Nothing else is
    signed, nor one that was changed.
    """
    from dalenius.report.recheck import sealed  # which reads signatures

    private, content = _private(read_file(key)), read_file(certificate)
    if not sealed(content):
        raise InputError(
            f"Needed a certificate as it was written, but {certificate} was changed since: its own sha256 does not "
            "fit. Ask for the original."
        )
    target = output or certificate.with_suffix(".sig")
    _write(target, base64.b64encode(private.sign(content)) + b"\n", 0o644)
    return target


def signature_fits(content: bytes, signature: bytes, key: bytes) -> bool:
    """Whether the signature of these bytes was made with the private half of this public key."""
    public = _public(key)
    from cryptography.exceptions import InvalidSignature

    try:
        public.verify(base64.b64decode(signature.strip(), validate=True), content)
    except binascii.Error:
        raise InputError("Needed a signature in base64, but the file has something else. Sign again.") from None
    except InvalidSignature:
        return False
    return True


def _private(content: bytes) -> "Ed25519PrivateKey":
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError:
        raise InputError(MISSING) from None
    try:
        key = load_pem_private_key(content, None)
    except (ValueError, TypeError):
        raise InputError(
            "Needed a private key in PEM format, but got none. Make one: dalenius key new KEYFILE."
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError("Needed an Ed25519 key, but got another kind. Make one: dalenius key new KEYFILE.")
    return key


def _public(content: bytes) -> "Ed25519PublicKey":
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    except ImportError:
        raise InputError(MISSING) from None
    try:
        key = load_pem_public_key(content)
    except ValueError:
        raise InputError("Needed a public key in PEM format, but got none. It is the file KEYFILE.pub.") from None
    if not isinstance(key, Ed25519PublicKey):
        raise InputError("Needed an Ed25519 key, but got another kind. Ask for the right one.")
    return key


def read_file(path: Path) -> bytes:
    """The bytes of a file that must be there."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"Needed the file {path}, but it cannot be read: {error.strerror}. Check its name.") from None


def _write(path: Path, content: bytes, mode: int) -> None:
    """A new file: one that is there is never overwritten."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as out:
            out.write(content)
    except OSError as error:
        raise OutputError(
            f"Needed a new file {path}, but it cannot be made: {error.strerror}. Choose another."
        ) from None
