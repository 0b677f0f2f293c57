"""Unpacking a body that comes compressed, in pieces of bounded size."""

import zlib
from collections.abc import Iterator

PIECE_BYTES = 2**16
_AT_ONCE = 2**12
"""Packed bytes that zlib is given at once. It copies what is left of them for each member that ends."""

ACCEPTED = "gzip"
"""What a request asks for, and all that is understood. Other packings have no bounded reader at hand."""


class UnpackFailed(ValueError):
    """A body is not packed as it says, or in a way that was not asked for."""


class Unpacker:
    """Bytes as they come in, pieces of at most 64 KiB out, whatever the ratio of the compression is."""

    def __init__(self, encoding: str) -> None:
        """`encoding`: the header Content-Encoding. Raises UnpackFailed for what was not asked for."""
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip"):
            raise UnpackFailed("The answer is packed in a way that was not asked for.")
        self._packed = name in ("gzip", "x-gzip")
        self._member = _member()
        self._within = False

    def unpack(self, received: bytes) -> Iterator[bytes]:
        """The pieces that these bytes complete. Raises UnpackFailed for what is not packed as it says."""
        if not self._packed:
            yield from (received[at : at + PIECE_BYTES] for at in range(0, len(received), PIECE_BYTES))
            return
        for at in range(0, len(received), _AT_ONCE):
            yield from self._unpack_some(received[at : at + _AT_ONCE])

    def _unpack_some(self, received: bytes) -> Iterator[bytes]:
        # Several members may follow each other, and zeros may fill up the end (RFC 1952).
        left = received if self._within else received.lstrip(b"\0")
        more = bool(left)
        while more:
            self._within = True
            try:
                piece = self._member.decompress(left, PIECE_BYTES)
            except zlib.error as error:
                raise UnpackFailed("The answer is packed wrongly.") from error
            if piece:
                yield piece
            if self._member.eof:
                left = self._member.unused_data.lstrip(b"\0")
                self._member, self._within = _member(), False
                more = bool(left)
            else:
                # A full piece may have more behind it although all bytes are taken.
                left = self._member.unconsumed_tail
                more = bool(left) or len(piece) == PIECE_BYTES

    def check_end(self) -> None:
        """Raise UnpackFailed if the packed bytes broke off."""
        if self._within:
            raise UnpackFailed("The answer broke off in the middle.")


def _member() -> "zlib._Decompress":
    return zlib.decompressobj(wbits=31)
