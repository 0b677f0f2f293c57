"""Bytes to text: which encoding, and whether it is text at all."""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from footnote_ingest.parsing.elements import storable
from footnote_ingest.parsing.errors import ParseFailed

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 64 * 1024
# C0 controls that no text holds; tab, newlines, form feed, backspace and escape (man pages, terminal logs) may be there.
_CONTROL = re.compile(r"[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_BYTES = bytes(b for b in range(32) if b not in b"\t\n\r\x0c\x08\x1b") + b"\x7f"
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""",
    re.I,
)
REPAIRED = "utf-8 (repaired)"


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with its encoding by name, and what had to be replaced, if anything."""

    text: str
    encoding: str
    warning: str | None = None


def detect(data: bytes, *, complete: bool = True) -> str | None:
    """The name of the encoding of these bytes, or None if they are not text. `complete` is False for a head only."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            usable = data if complete else data[: len(data) // 4 * 4]
            try:
                sample = usable[: _SAMPLE * 4].decode(
                    name, "strict" if complete and len(usable) <= _SAMPLE * 4 else "ignore"
                )
            except UnicodeDecodeError:
                return None
            return name if _mostly_printable(sample) else None
    if b"\x00" in data[:_SAMPLE]:
        return _utf16_without_mark(data)
    controls = len(data[:_SAMPLE]) - len(data[:_SAMPLE].translate(None, _CONTROL_BYTES))
    if controls > max(2, len(data[:_SAMPLE]) // 200):
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final=complete)
    except UnicodeDecodeError:
        return _legacy(data)
    return "utf-8"


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Decode, and say so when bytes had to be replaced. Raises `ParseFailed` if the bytes are not text."""
    name = encoding or detect(data)
    if name is None:
        raise ParseFailed("The file is not text: its bytes fit no character encoding.", "not_text")
    if name == REPAIRED:
        text = data.decode("utf-8", "replace")
        return Decoded(storable(text), name, f"{_broken(data)} bytes are not valid UTF-8 and were replaced.")
    try:
        return Decoded(storable(data.decode(name)), name)
    except UnicodeDecodeError:
        lost = data.decode(name, "replace")
        return Decoded(storable(lost), name, f"Some bytes are not valid {name} and were replaced.")


def _mostly_printable(sample: str) -> bool:
    return len(_CONTROL.findall(sample)) <= max(2, len(sample) // 200)


def _utf16_without_mark(data: bytes) -> str | None:
    """UTF-16 of mostly Latin text has its zeros at every second byte; anything else with zeros is binary."""
    sample = data[:4096]
    half = len(sample) // 2
    if half < 2:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 0.4 * half and even < 0.02 * half:
        name = "utf-16-le"
    elif even > 0.4 * half and odd < 0.02 * half:
        name = "utf-16-be"
    else:
        return None
    text = sample[: half * 2].decode(name, "ignore")
    return name if _mostly_printable(text) else None


def _legacy(data: bytes) -> str | None:
    """Not UTF-8: broken UTF-8, an encoding that the document declares, or one found by its statistics."""
    broken = _broken(data[: _SAMPLE * 4])
    whole = len(
        data[: _SAMPLE * 4]
        .decode("utf-8", "ignore")
        .encode("utf-8", "ignore")
        .translate(None, bytes(range(128)))
    )
    # Multi-byte sequences do not come about by chance in another encoding: two good bytes outweigh a bad one.
    if whole >= 4 * broken:
        return REPAIRED
    declared = _DECLARED.search(data[:4096])
    if declared:
        try:
            name = codecs.lookup((declared.group(1) or declared.group(2)).decode("ascii", "ignore")).name
            data[:_SAMPLE].decode(name)
        except (LookupError, UnicodeDecodeError):
            pass
        else:
            return "cp1252" if name == "iso8859-1" else name
    # The bytes that are not ASCII are the evidence: take the lines that have some.
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    sample = b"\n".join(lines)[:_SAMPLE]
    # Western prose with a few accents is by far the most common case, and too short for statistics.
    best = from_bytes(sample).best()
    if best is None or (len(sample) < 256 and best.encoding not in ("cp1252", "utf_8") and _western(sample)):
        return "cp1252" if _western(sample) else None
    return best.encoding


def _western(sample: bytes) -> bool:
    """Few high bytes, each within or next to ASCII letters, and all defined in Windows-1252."""
    high = sum(byte >= 0x80 for byte in sample)
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return False
    return high * 5 <= len(sample)


def _broken(data: bytes) -> int:
    return data.decode("utf-8", "replace").count("\ufffd") - data.count("\ufffd".encode())
