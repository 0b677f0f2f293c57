"""Long content sealed in segments, so that a part of it can be read and no more than one is held (spec 7.3).

A head names the data key and holds random bytes, from which a key for this content alone is derived for its
place (HKDF, RFC 5869). Each segment is AES-256-GCM under that key; its nonce is its number, and whether it is
the last. So segments that were moved, left out or cut off do not open.
"""

import secrets
from collections.abc import Iterable, Iterator

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from footnote_shared.kernel.errors import OurFault

SEGMENT = 64 * 1024
"""Bytes of content in each segment but the last, which may hold fewer, and none where there is no content."""

TAG = 16
SALT = 32
_STORED = SEGMENT + TAG


def sealed_segments(secret: bytes, salt: bytes, place: bytes, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """What the blocks become, segment by segment. At most one segment waits for more."""
    box = _box(secret, salt, place)
    waiting, number = bytearray(), 0
    for block in blocks:
        waiting += block
        # What is left is never empty: whether a segment is the last is known only when more comes.
        while len(waiting) > SEGMENT:
            yield box.encrypt(_nonce(number, last=False), bytes(waiting[:SEGMENT]), None)
            del waiting[:SEGMENT]
            number += 1
    yield box.encrypt(_nonce(number, last=True), bytes(waiting), None)


def opened_segments(
    secret: bytes, salt: bytes, place: bytes, stored: bytes, first: int, *, ends: bool
) -> bytes:
    """The content of whole segments, the first of which has this number. `ends`: the last one is among them.

    Raises OurFault for what was changed, moved or cut off.
    """
    box = _box(secret, salt, place)
    pieces = []
    for number, start in enumerate(range(0, max(len(stored), 1), _STORED), first):
        segment = stored[start : start + _STORED]
        last = ends and start + _STORED >= len(stored)
        try:
            pieces.append(box.decrypt(_nonce(number, last=last), segment, None))
        except (InvalidTag, ValueError) as error:
            raise OurFault("Encrypted content was changed, moved or cut off, and cannot be read.") from error
    return b"".join(pieces)


def stored_range(start: int, end: int) -> tuple[int, int, int]:
    """Where segments with the content `[start:end]` lie: the number of the first, and bytes from and to."""
    first, behind = start // SEGMENT, -(-end // SEGMENT)
    return first, first * _STORED, behind * _STORED


def content_size(stored: int) -> int:
    """How many bytes of content this many bytes of segments hold."""
    return stored - -(-stored // _STORED) * TAG


def new_salt() -> bytes:
    return secrets.token_bytes(SALT)


def _box(secret: bytes, salt: bytes, place: bytes) -> AESGCM:
    return AESGCM(HKDF(SHA256(), 32, salt, b"footnote segments 1\0" + place).derive(secret))


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])
