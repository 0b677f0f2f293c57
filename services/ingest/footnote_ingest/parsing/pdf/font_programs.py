"""What an embedded font tells of itself, where its name in the PDF tells nothing, such as "CIDFont+F1".

Printers of operating systems count their fonts so. The tables are those of TrueType and OpenType.
"""

import ctypes
import re
import struct

import pypdfium2.raw as raw

from footnote_ingest.parsing.pdf.fonts import Font

_COUNTED = re.compile(r"(?:\w{1,12}\+)?(?:F|TT|T|G)\d{1,4}")
_KINDS = (b"\0\1\0\0", b"true", b"OTTO")
_MOST_TABLES, _MOST_BYTES = 64, 32 * 1024 * 1024
_BOLD, _ITALIC = 1, 2
"""The bits of `macStyle`, in the table `head`."""


def is_counted(name: str) -> bool:
    """Whether a program made up the name of a font by counting."""
    return _COUNTED.fullmatch(name) is not None


def font_by_program(page: raw.FPDF_TEXTPAGE, char: int) -> Font | None:
    """The font of a character, as its program describes it; None if it is of another kind or damaged."""
    drawn = raw.FPDFText_GetTextObject(page, char)
    font = raw.FPDFTextObj_GetFont(drawn) if drawn else None
    if not font:
        return None
    size = ctypes.c_size_t()
    if not raw.FPDFFont_GetFontData(font, None, 0, size) or not 0 < size.value <= _MOST_BYTES:
        return None
    program = (ctypes.c_uint8 * size.value)()
    if not raw.FPDFFont_GetFontData(font, program, size.value, size):
        return None
    return described(bytes(program))


def described(program: bytes) -> Font | None:
    """Whether a font is bold, slanted and of one width; None if its tables do not say so."""
    if program[:4] not in _KINDS:
        return None
    try:
        (count,) = struct.unpack_from(">H", program, 4)
        tables: dict[bytes, int] = {}
        for at in range(min(count, _MOST_TABLES)):
            tag, _, offset, _ = struct.unpack_from(">4sIII", program, 12 + 16 * at)
            tables[tag] = offset
        (style,) = struct.unpack_from(">H", program, tables[b"head"] + 44)
        post = tables.get(b"post")
        fixed = post is not None and struct.unpack_from(">I", program, post + 12)[0] != 0
    except (struct.error, KeyError):
        return None
    return Font(bold=bool(style & _BOLD), mono=fixed, italic=bool(style & _ITALIC))
