"""Fonts of PDFs that claim of one letter that it stands for a great many: their maps are cut.

A map from letters to Unicode (ISO 32000-1, 9.10.3) may give each letter a text of its own, of any length, and
PDFium keeps 320 bytes for each character of it, on each place of the letter.
"""

import re
import zlib

from footnote_ingest.parsing.errors import ParseFailed

_MOST = 20
"""Characters that one letter may stand for. The longest that Unicode writes as one letter, U+FDFA, has 18."""

_LONG = re.compile(rb"<[0-9A-Fa-f]{%d}[0-9A-Fa-f]+>" % (4 * _MOST))
_STREAM = re.compile(rb"stream\r?\n")
_MARKS = (b"begincmap", b"beginbfchar", b"beginbfrange")
_HEAD, _MOST_UNPACKED = 2_000, 16_000_000
"""A map says what it is within so many characters, and is looked at up to so many."""

_MOST_READ = 256_000_000
"""All maps of a file have so many characters, counted packed and unpacked. A damaged file can hold many that
lie within each other, or that never end.
"""


def with_short_maps(data: bytes) -> tuple[bytes, bool]:
    """The file with maps in which no letter stands for more than 20 characters, and whether one did.

    Each map keeps its place and its length. One that is packed twice or encrypted stays as it is. Raises
    ParseFailed where all maps together are too large to be looked at.
    """
    read = 0
    mended: bytearray | None = None
    for found in _STREAM.finditer(data):
        begin = found.end()
        packed = data[begin : begin + 1] == b"x"
        head = _unpacked(data[begin : begin + _HEAD], _HEAD) if packed else data[begin : begin + _HEAD]
        if not any(mark in head for mark in _MARKS):
            continue
        end = data.find(b"endstream", begin)
        whole = data[begin : end if end >= 0 else len(data)]
        told = _unpacked(whole, _MOST_UNPACKED) if packed else whole
        read += len(whole) + len(told)
        if read > _MOST_READ:
            raise ParseFailed("The fonts of the PDF say too much of their letters to be read.", "bomb")
        cut = _LONG.sub(lambda long: long[0][: 4 * _MOST + 1] + b">", told)
        if cut == told:
            continue
        written = zlib.compress(cut, 9) if packed else cut
        if len(written) > len(whole):
            # Without its map a font is read by its own names of letters.
            written = zlib.compress(b"", 9)
        mended = bytearray(data) if mended is None else mended
        mended[begin : begin + len(whole)] = written.ljust(len(whole), b"\n")
    return (data, False) if mended is None else (bytes(mended), True)


def _unpacked(packed: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, most)
    except zlib.error:
        return b""
