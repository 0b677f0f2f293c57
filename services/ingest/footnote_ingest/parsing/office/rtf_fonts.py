"""The code pages of the fonts of an RTF file: bytes behind a font with a character set are in that one's."""

import codecs
import re

_TABLE = "{\\fonttbl"
_LONGEST_TABLE = 200_000
_FONT = re.compile(r"\\f(\d{1,5})(?!\d)")
_CHARSET = re.compile(r"\\fcharset(\d{1,3})(?!\d)")
_PAGES = {
    "77": "mac_roman",
    "128": "cp932",
    "129": "cp949",
    "134": "cp936",
    "136": "cp950",
    "161": "cp1253",
    "162": "cp1254",
    "163": "cp1258",
    "177": "cp1255",
    "178": "cp1256",
    "186": "cp1257",
    "204": "cp1251",
    "222": "cp874",
    "238": "cp1250",
}
"""The code pages of the character sets of Windows (RTF 1.9.1, `\\fcharset`).

0 and 1 are missing: they stand for the file's own page, as most programs write them.
"""


def code_page(number: str) -> str:
    """The codec of `\\ansicpg`; that of Western Europe for a page that is not known."""
    try:
        return codecs.lookup(f"cp{number}").name
    except LookupError:
        return "cp1252"


def font_pages(data: str) -> dict[int, str]:
    """The codec of each font that has one of its own."""
    begin = data.find(_TABLE)
    if begin < 0:
        return {}
    pages: dict[int, str] = {}
    for entry in data[begin : begin + _LONGEST_TABLE].split(";"):
        font, charset = _FONT.search(entry), _CHARSET.search(entry)
        if charset is not None and font is not None and charset[1] in _PAGES:
            pages.setdefault(int(font[1]), _PAGES[charset[1]])
        if entry.startswith("}}"):
            break
    return pages
