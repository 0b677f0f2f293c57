"""The public keys of an issuer as it publishes them (RFC 7517), each with the algorithm it is good for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt

ALGORITHMS = frozenset({"RS256", "ES256", "EdDSA"})
"""Signatures with a public key. With a secret that both sides know, an issuer's key would be ours to leak."""

MOST_BYTES = 64 * 1024
_MOST_KEYS = 50
_MOST_CHARS = 200
_RSA_BITS = range(2048, 8192 + 1)

# Only these members of a key are read: a private part that somebody published by mistake stays where it is.
_KINDS: Mapping[tuple[str, str], tuple[str, tuple[str, ...]]] = {
    ("RSA", ""): ("RS256", ("kty", "n", "e")),
    ("EC", "P-256"): ("ES256", ("kty", "crv", "x", "y")),
    ("OKP", "Ed25519"): ("EdDSA", ("kty", "crv", "x")),
}


@dataclass(frozen=True, slots=True)
class IssuerKey:
    """A public key and the algorithm of its signatures. A token cannot choose another one for it."""

    algorithm: str
    key: jwt.PyJWK


def read_key_set(body: bytes) -> dict[str, IssuerKey]:
    """The keys that sign, by their ids. Keys without an id, of other kinds or too weak are passed over.

    Raises ValueError for what is no set of keys.
    """
    try:
        listed = json.loads(body)["keys"]
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError("no set of keys") from error
    if not isinstance(listed, list):
        raise ValueError("no set of keys")
    found: dict[str, IssuerKey] = {}
    for fields in listed[:_MOST_KEYS]:
        key = _read_key(fields) if isinstance(fields, dict) else None
        if key is not None:
            found[str(fields["kid"])] = key
    return found


def _read_key(fields: dict[str, Any]) -> IssuerKey | None:
    key_id = fields.get("kid")
    kind = _KINDS.get((_said(fields, "kty"), "" if fields.get("kty") == "RSA" else _said(fields, "crv")))
    if kind is None or not isinstance(key_id, str) or not 0 < len(key_id) <= _MOST_CHARS:
        return None
    algorithm, members = kind
    operations = fields.get("key_ops")
    verifies = operations is None or (isinstance(operations, list) and "verify" in operations)
    signs = fields.get("use", "sig") == "sig" and verifies
    if not signs or fields.get("alg", algorithm) != algorithm:
        return None
    try:
        key = jwt.PyJWK({name: fields[name] for name in members}, algorithm)
    except (jwt.PyJWTError, KeyError, ValueError, TypeError):
        return None
    if algorithm == "RS256" and key.key.key_size not in _RSA_BITS:
        return None
    return IssuerKey(algorithm, key)


def _said(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
