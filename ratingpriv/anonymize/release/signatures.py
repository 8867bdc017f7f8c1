"""Signed manifests: who wrote a claim, by an Ed25519 key [RFC 8032].

The signature is made over the manifest's canonical bytes (:func:`canonical_bytes`), hence over the
hash of the release, and stands in the manifest under ``signature``. What is signed is what is said,
not how a file is indented.

Needs the package ``cryptography``: ``pip install 'ratingpriv[signatures]'``.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.inputs import small_bytes

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

PASSPHRASE = "RATINGPRIV_SIGNING_PASSPHRASE"  # noqa: S105 -- the name of a variable
"""The environment variable that holds the passphrase of an encrypted private key."""

_ALGORITHM = "Ed25519"
_NOT_SIGNED = ("signature", "replaces")
_MAKE = (
    "make a pair with 'openssl genpkey -algorithm ed25519 -out private.pem' and "
    "'openssl pkey -in private.pem -pubout -out public.pem'"
)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key, and whether more people than its owner may read its file."""

    path: Path
    readable_by_others: bool
    _key: Ed25519PrivateKey

    def sign(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the ``signature`` of a manifest."""
        return {
            "algorithm": _ALGORITHM,
            "public_key_sha256": _fingerprint(self._key.public_key()),
            "value": self._key.sign(canonical_bytes(content)).hex(),
        }


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key."""

    path: Path
    _key: Ed25519PublicKey

    @property
    def sha256(self) -> str:
        """SHA-256 of the key as DER (SubjectPublicKeyInfo), hex."""
        return _fingerprint(self._key)

    def problem(self, content: Mapping[str, Any]) -> str | None:
        """Return what is wrong with the signature of a manifest, in words.

        None if it is this key's.
        """
        from cryptography.exceptions import InvalidSignature

        signature = content.get("signature")
        if signature is None:
            return (
                "the manifest is not signed, and its signature was demanded: its author is unknown"
            )
        if not isinstance(signature, dict) or signature.get("algorithm") != _ALGORITHM:
            return f"the manifest's signature is none of {_ALGORITHM}"
        try:
            self._key.verify(bytes.fromhex(signature["value"]), canonical_bytes(content))
        except (InvalidSignature, KeyError, TypeError, ValueError):
            return (
                "the manifest's signature is not one by this public key over what the manifest "
                "says: the manifest was changed after it was signed, or another person signed it"
            )
        return None


def canonical_bytes(content: Mapping[str, Any]) -> bytes:
    r"""Return what is signed: a line ``ratingpriv.manifest/1``,
    and the manifest as JSON of one form.

    That is the manifest without ``signature`` and ``replaces``, keys sorted by code points, no
    blanks, everything beyond ASCII as ``\uXXXX``, numbers as Python writes them.
    """
    signed = {name: value for name, value in content.items() if name not in _NOT_SIGNED}
    text = json.dumps(
        signed, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
    return f"{content['schema']}\n{text}".encode("ascii")


def signing_key(path: str | Path) -> SigningKey:
    """Read an Ed25519 private key: PEM, PKCS #8,
    as ``openssl genpkey -algorithm ed25519`` makes it.
    """
    path, text = _pem("sign", path)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    word = os.environb.get(PASSPHRASE.encode()) if b"ENCRYPTED" in text else None
    if b"ENCRYPTED" in text and not word:
        remedy = f"put the passphrase into the environment variable {PASSPHRASE}"
        raise ParameterError("sign", str(path), "a private key that can be opened", remedy)
    expected = "an Ed25519 private key (PKCS #8, PEM)"
    none = ", which is no private key as PEM" + (", or has another passphrase" if word else "")
    key = _loaded("sign", path, lambda: load_pem_private_key(text, word), none, expected)
    if not isinstance(key, Ed25519PrivateKey):
        raise ParameterError("sign", f"{path}, a private key of another kind", expected, _MAKE)
    others = os.name == "posix" and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    return SigningKey(path, others, key)


def public_key(path: str | Path) -> PublicKey:
    """Read an Ed25519 public key: PEM, SubjectPublicKeyInfo,
    as ``openssl pkey -pubout`` makes it.
    """
    path, text = _pem("public_key", path)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    expected = "an Ed25519 public key (SubjectPublicKeyInfo, PEM)"
    if b"PRIVATE KEY" in text:
        remedy = "never give that away: 'openssl pkey -in private.pem -pubout -out public.pem'"
        raise ParameterError("public_key", f"{path}, a private key", expected, remedy)
    key = _loaded(
        "public_key", path, lambda: load_pem_public_key(text), ", which is none as PEM", expected
    )
    if not isinstance(key, Ed25519PublicKey):
        raise ParameterError("public_key", f"{path}, a public key of another kind", expected, _MAKE)
    return PublicKey(path, key)


def _fingerprint(key: Ed25519PublicKey) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return hashlib.sha256(
        key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    ).hexdigest()


def _pem(name: str, path: str | Path) -> tuple[Path, bytes]:
    """Return the file with a key, and what is in it; the package that reads keys is there."""
    path = checks.path(name, path)
    try:
        import cryptography.exceptions  # noqa: F401
    except ImportError as error:
        expected, remedy = "it installed, for signatures", "pip install 'ratingpriv[signatures]'"
        raise ParameterError(name, "no package cryptography", expected, remedy) from error
    try:
        return path, small_bytes(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "an impossible name"
        raise ParameterError(
            name, str(path), f"a small file with a key, that can be read ({why})"
        ) from error


def _loaded(name: str, path: Path, load: Callable[[], object], none: str, expected: str) -> object:
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return load()
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise ParameterError(name, f"{path}{none}", expected, _MAKE) from error
