"""From bytes to text: which encoding they have, and whether they are text at all."""

import codecs
import re
import unicodedata
from dataclasses import dataclass

from charset_normalizer import from_bytes

from footnote_ingest.parsing.elements import storable
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.telling_letters import encoding_by_letters

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE, _LONG_SAMPLE, _HEAD = 64 * 1024, 256 * 1024, 4096
_WIDEST = 4
"""The bytes of a character in UTF-32."""

_ASCII = bytes(range(128))
_FREE_CONTROLS, _CHARS_PER_CONTROL = 2, 200
"""Text may hold this many control characters, or one in this many characters."""

_MANY_ZEROS, _FEW_ZEROS = 0.4, 0.02
"""In UTF-16 of Latin text, this share of the high bytes is zero, and this share of the low bytes at most."""

_LETTERS = 0.5
"""At least this share of the characters of a text are letters."""

_NO_CHARACTER = frozenset({"Cc", "Cn", "Co", "Cs"})
"""Categories of Unicode: controls, and what is unassigned, private, or half of a pair."""

_MOST_ASCII = 0.9
"""At most this share of the bytes of a text in UTF-16 are those of printable ASCII."""

_PRINTABLE = re.compile(rb"[\x20-\x7e]")
_SPACES = (" ", "\n", "\u3000", "\u3002")
_GOOD_PER_BROKEN = 4
"""Broken UTF-8 has at least this many bytes in good sequences for each bad byte."""

_STATISTICS_NEED = 256
"""A sample of fewer bytes is too short for statistics."""

_WESTERN_BYTES_PER_HIGH = 5
"""In Western text at most one byte in this many is not ASCII."""

_TEXT_BYTES_PER_HIGH = 50
"""Where at most one byte in this many is not ASCII, it is a text, such as one with a table of all signs."""
# C0 controls that no text holds. Tab, newlines, form feed, backspace and escape may occur (manual pages,
# terminal logs).
_CONTROL = re.compile(r"[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*+[A-Za-z]")
_OF_INFO = re.compile(rb"\n\x1f(?=[\n\x0c])|\x7f(?=\d{1,9}\n)")
"""Controls that part the nodes of a manual of `info`, and their names from their places."""

_CONTROL_BYTES = bytes(b for b in range(32) if b not in b"\t\n\r\x0c\x08\x1b") + b"\x7f"
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*+=\s*+(?:["']\s*+)?([\w.:-]{2,40})|<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""",
    re.I,
)
_NOT_WESTERN = re.compile(
    rb"[\x9a\x9d-\x9f\xa5\xa9\xae\xb1\xb3\xb6\xb9\xba\xbe\xf5\xf8\xfd\xfe]"
    rb"|[\xec\xf2][a-z\x80-\xff]|[A-Za-z](?:\xbf|[\x81-\x84\x86-\x8b\x8d-\x90\x98\x9b])"
)
"""Bytes that are letters in the encodings of Central Europe or of DOS, and hardly occur in Western text."""

_JAPANESE_SHIFT = re.compile(rb"\x1b\$[@B]")
"""How ISO-2022-JP, in which mail of Japan is written, leaves ASCII."""

_OF_JAPANESE = ("cp932", "euc_jp")
_LEAST_KANA = 0.25
"""Japanese has more kana than this; Chinese and Korean, read as Japanese, have next to none."""

REPAIRED = "utf-8 (repaired)"


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the name of its encoding, and a warning if something had to be replaced."""

    text: str
    encoding: str
    warning: str | None = None


def detect(data: bytes, *, complete: bool = True) -> str | None:
    """The name of the encoding of these bytes; None if they are not text.

    `complete` is False if these are only the first bytes of a file.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            usable = data if complete else data[: len(data) // _WIDEST * _WIDEST]
            try:
                sample = usable[:_LONG_SAMPLE].decode(
                    name, "strict" if complete and len(usable) <= _LONG_SAMPLE else "ignore"
                )
            except UnicodeDecodeError:
                return None
            return name if _mostly_printable(sample) else None
    if b"\x00" in data[:_SAMPLE]:
        return _utf16_without_mark(data)
    controls = len(data[:_SAMPLE]) - len(data[:_SAMPLE].translate(None, _CONTROL_BYTES))
    if controls:
        controls -= sum(1 for _ in _OF_INFO.finditer(data[:_SAMPLE]))
    if controls > max(_FREE_CONTROLS, len(data[:_SAMPLE]) // _CHARS_PER_CONTROL):
        return None
    if _JAPANESE_SHIFT.search(data[:_HEAD]) and data.isascii() and _kana_share(data[:_SAMPLE], "iso2022_jp"):
        return "iso2022_jp"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final=complete)
    except UnicodeDecodeError:
        return _legacy(data)
    return "utf-8"


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Decode bytes, with a warning if some had to be replaced. Raises ParseFailed if they are not text."""
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


def without_terminal_codes(text: str) -> str:
    """The text as a terminal shows it: without what sets colours and moves the cursor (ECMA-48, 5.4)."""
    return _TERMINAL.sub("", text) if "\x1b" in text else text


def _mostly_printable(sample: str) -> bool:
    return len(_CONTROL.findall(sample)) <= max(_FREE_CONTROLS, len(sample) // _CHARS_PER_CONTROL)


def _utf16_without_mark(data: bytes) -> str | None:
    """Recognise UTF-16 without a byte order mark.

    In mostly Latin text every second byte is zero. Any other bytes with zeros are text of another script, or
    binary.
    """
    sample = data[:_HEAD]
    half = len(sample) // 2
    if half < 2:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > _MANY_ZEROS * half and even < _FEW_ZEROS * half:
        name = "utf-16-le"
    elif even > _MANY_ZEROS * half and odd < _FEW_ZEROS * half:
        name = "utf-16-be"
    else:
        return _utf16_of_another_script(sample[: half * 2])
    text = sample[: half * 2].decode(name, "ignore")
    return name if _mostly_printable(text) else None


def _utf16_of_another_script(sample: bytes) -> str | None:
    """The order of the bytes if they are UTF-16 of letters that are not Latin; None for anything else.

    The high bytes of a text are those of its few scripts, and the low bytes vary. Binary data soon has a unit
    that is no character, or a control character. Pairs of ASCII bytes look like Chinese, but without spaces.
    """
    if len(_PRINTABLE.findall(sample)) > _MOST_ASCII * len(sample):
        return None
    little = len(set(sample[1::2])) < len(set(sample[0::2]))
    name = "utf-16-le" if little else "utf-16-be"
    try:
        # The sample may end within a character.
        text = codecs.getincrementaldecoder(name)().decode(sample)
    except UnicodeDecodeError:
        return None
    kinds = [unicodedata.category(char) for char in text if char not in "\t\n\r\f\ufeff"]
    letters = sum(kind[0] in "LM" for kind in kinds)
    if any(kind in _NO_CHARACTER for kind in kinds) or not any(space in text for space in _SPACES):
        return None
    return name if letters >= _LETTERS * len(text) else None


def _legacy(data: bytes) -> str | None:
    """The encoding of bytes that are not valid UTF-8.

    They are broken UTF-8, or of an encoding that the document declares or that statistics find.
    """
    broken = _broken(data[:_LONG_SAMPLE])
    whole = len(
        data[:_LONG_SAMPLE].decode("utf-8", "ignore").encode("utf-8", "ignore").translate(None, _ASCII)
    )
    # In another encoding, multi-byte sequences of UTF-8 hardly occur by chance. Each of them has two bytes or
    # more, so this asks for at least two good sequences for each bad byte.
    if whole >= _GOOD_PER_BROKEN * broken:
        return REPAIRED
    declared = _DECLARED.search(data[:_HEAD])
    if declared:
        try:
            name = codecs.lookup((declared.group(1) or declared.group(2)).decode("ascii", "ignore")).name
            data[:_SAMPLE].decode(name)
        except (LookupError, UnicodeDecodeError):
            pass
        else:
            return "cp1252" if name == "iso8859-1" else name
    # Only bytes that are not ASCII tell an encoding, so the sample consists of lines that have some.
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    sample = b"\n".join(lines)[:_SAMPLE]
    for name in _OF_JAPANESE:
        if _kana_share(sample, name) >= _LEAST_KANA:
            return name
    told = encoding_by_letters(sample)
    if told is not None:
        return told
    # Western prose with a few accents is by far the most common case, and too little for statistics.
    guesses = from_bytes(sample)
    best = guesses.best()
    if best is None or (
        len(sample) < _STATISTICS_NEED and best.encoding not in ("cp1252", "utf_8") and _western(sample)
    ):
        return "cp1252" if _western(sample) or _nearly_ascii(data[:_SAMPLE]) else None
    if _western(sample) and not _NOT_WESTERN.search(sample) and "cp1252" in {g.encoding for g in guesses}:
        # Statistics take French of Windows for Czech: `è` of the one is `č` of the other.
        return "cp1252"
    return best.encoding


def _kana_share(sample: bytes, name: str) -> float:
    """The share of kana in what is not ASCII of a sample in this encoding of Japanese; 0 if it is in no such.

    The half-width kana do not count: any high byte is one of them in Shift-JIS.
    """
    try:
        # The sample may end within a character.
        text = codecs.getincrementaldecoder(name)().decode(sample)
    except UnicodeDecodeError:
        return 0.0
    high = [char for char in text if not char.isascii()]
    return sum("\u3041" <= char <= "\u30fe" for char in high) / max(1, len(high))


def _western(sample: bytes) -> bool:
    """Whether at most a fifth of the bytes are high, and all of them are defined in Windows-1252."""
    high = len(sample.translate(None, _ASCII))
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return False
    return high * _WESTERN_BYTES_PER_HIGH <= len(sample)


def _nearly_ascii(data: bytes) -> bool:
    return len(data.translate(None, _ASCII)) * _TEXT_BYTES_PER_HIGH <= len(data)


def _broken(data: bytes) -> int:
    return data.decode("utf-8", "replace").count("\ufffd") - data.count("\ufffd".encode())
