"""Whether a certificate is signed with a key: Ed25519, over the bytes of the file."""

import base64
import binascii

from dalenius_checker.document import RefusedError, UnreadableError


def check_signature(content: bytes, signature: bytes, key: bytes) -> None:
    """RefusedError unless the signature fits; `key` is a public key in PEM, `signature` is base64."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        public = load_pem_public_key(key)
    except ValueError:
        raise UnreadableError("the key file has no public key in PEM format") from None
    if not isinstance(public, Ed25519PublicKey):
        raise UnreadableError("the key file has a public key of another kind than Ed25519")
    try:
        public.verify(base64.b64decode(signature.strip(), validate=True), content)
    except binascii.Error:
        raise UnreadableError("the signature file is not base64") from None
    except InvalidSignature:
        raise RefusedError("the signature does not fit: another key, or the certificate was changed") from None
