"""Fonts whose names tell nothing, which their programs describe."""

import struct

import pytest

from footnote_ingest.parsing.pdf.font_programs import described, is_counted


def program(style: int, fixed: int = 0, *, kind: bytes = b"\0\1\0\0") -> bytes:
    """A font with the two tables that tell how it looks."""
    head, post = bytearray(54), bytearray(32)
    struct.pack_into(">H", head, 44, style)
    struct.pack_into(">I", post, 12, fixed)
    start = 12 + 2 * 16
    directory = struct.pack(">4sHHHH", kind, 2, 0, 0, 0)
    directory += struct.pack(">4sIII", b"head", 0, start, len(head))
    directory += struct.pack(">4sIII", b"post", 0, start + len(head), len(post))
    return bytes(directory + head + post)


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("CIDFont+F1", True),
        ("F12", True),
        ("ABCDEF+TT2", True),
        ("CMR10", False),
        ("Times-Roman", False),
        ("", False),
    ],
)
def test_a_program_may_count_its_fonts(name: str, *, counted: bool) -> None:
    assert is_counted(name) is counted


@pytest.mark.parametrize(
    ("style", "fixed", "looks"),
    [
        (0, 0, (False, False, False)),
        (1, 0, (True, False, False)),
        (2, 0, (False, False, True)),
        (3, 1, (True, True, True)),
    ],
)
def test_tells_whether_a_font_is_bold_slanted_and_of_one_width(
    style: int, fixed: int, looks: tuple[bool, bool, bool]
) -> None:
    font = described(program(style, fixed))
    assert font is not None
    assert (font.bold, font.mono, font.italic) == looks


@pytest.mark.parametrize(
    "damaged",
    [b"", b"\0\1\0\0", b"%!PS-AdobeFont", program(1)[:40], program(1)[:70], program(1, kind=b"wOFF")],
)
def test_a_damaged_font_or_one_of_another_kind_tells_nothing(damaged: bytes) -> None:
    assert described(damaged) is None
