"""The head of a JWT, read before anybody knows who made it: bounded, flat, and believed in nothing."""

import base64
import binascii
import json
from dataclasses import dataclass

LONGEST_TOKEN = 16 * 1024
"""Characters of the longest token that is looked at."""

_LONGEST_HEADER = 1024
_LONGEST_NAME = 200
_PLAIN_TYPES = frozenset({"", "jwt", "at+jwt", "application/at+jwt"})
"""Types of tokens that speak for a person (RFC 9068). An issuer signs others with the same key, such as the
notice that somebody has logged out."""


@dataclass(frozen=True, slots=True)
class TokenHeader:
    """What a token says of its signature. It decides which key is tried, and nothing else."""

    algorithm: str
    key_id: str
    speaks_for_a_person: bool


def read_header(token: str) -> TokenHeader | None:
    """The header of a compact JWT (RFC 7519); None where there is none that fits into 1024 characters."""
    if len(token) > LONGEST_TOKEN or token.count(".") != 2:
        return None
    head = token.partition(".")[0]
    if not head or len(head) > _LONGEST_HEADER:
        return None
    try:
        fields = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or "crit" in fields:
        return None
    algorithm, key_id, kind = (_text(fields.get(name, "")) for name in ("alg", "kid", "typ"))
    if algorithm is None or key_id is None or kind is None:
        return None
    return TokenHeader(algorithm, key_id, kind.lower() in _PLAIN_TYPES)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= _LONGEST_NAME else None
