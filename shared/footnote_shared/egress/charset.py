"""The text of a body: in UTF-8 where its bytes say so, else as it declares, else as browsers guess."""

import codecs

_SNIFFED = 1024
_KNOWN = frozenset(
    (
        *(f"iso8859-{part}" for part in range(2, 17) if part != 12),
        *(f"cp{page}" for page in (866, 874, 932, 949, 950, *range(1250, 1259))),
        "big5",
        "euc_jp",
        "euc_kr",
        "gb18030",
        "gb2312",
        "gbk",
        "iso2022_jp",
        "koi8-r",
        "koi8-u",
        "mac-roman",
        "shift_jis",
        "utf-16",
        "utf-16-be",
        "utf-16-le",
    )
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_GUESS = "cp1252"
_NO_UTF_8 = ("iso2022_jp", "utf-16", "utf-16-be", "utf-16-le")
"""Charsets whose bytes can be valid UTF-8 all the same."""


def decoded(body: bytes, content_type: str) -> str:
    """The text of a body. What cannot be read becomes U+FFFD; the charsets are those of the Web (WHATWG)."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    declared = _codec(_parameter(content_type)) or _codec(_of_markup(body[:_SNIFFED]))
    if declared in _NO_UTF_8:
        return body.decode(declared, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode(declared or _GUESS, "replace")


def _parameter(content_type: str) -> str:
    """The charset that a header names."""
    for part in content_type.split(";")[1:8]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return ""


def _of_markup(start: bytes) -> str:
    """The charset that a page or an XML file names in its first bytes."""
    text = start.decode("latin-1").lower()
    for name in ("charset=", "encoding="):
        _, found, rest = text.partition(name)
        if found:
            value = rest[:40].lstrip("\"' ")
            for end in "\"' ;/?>":
                value = value.partition(end)[0]
            return value
    return ""


def _codec(name: str) -> str | None:
    """Python's name of a charset, if it is one of the Web and not UTF-8."""
    try:
        found = codecs.lookup(name[:40].strip()).name if name.isascii() and name else ""
    except (LookupError, ValueError):
        return None
    return found if found in _KNOWN else None
