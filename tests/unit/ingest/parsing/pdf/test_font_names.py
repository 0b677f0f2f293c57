"""What the names of fonts of TeX and of its families tell."""

import pytest

from footnote_ingest.parsing.pdf.fonts import font_named


@pytest.mark.parametrize(
    ("name", "bold", "mono", "italic"),
    [
        ("ABCDEF+LinLibertineT", False, False, False),
        ("ABCDEF+LinLibertineTB", True, False, False),
        ("LinBiolinumOB-Identity-H", True, False, False),
        ("LinLibertineTI", False, False, True),
        ("LinLibertineTZI", True, False, True),
        ("LinLibertineMT", False, True, False),
        ("LinLibertineMO-Identity-H", False, True, False),
        ("LinLibertineMTB", True, True, False),
        ("LinLibertineO-Identity-H", False, False, False),
        ("SFSX1200", True, False, False),
        ("SFRB1000", True, False, False),
        ("SFBI1095", True, False, True),
        ("SFSI1000", False, False, True),
        ("SFIT1095", False, True, False),
        ("CMVTT10", False, True, False),
        ("CMB10", True, False, False),
        ("CMBSY10", False, False, False),
        ("CMSSI10", False, False, True),
        ("MinionPro-It-Identity-H", False, False, True),
        ("MinionPro-BoldIt", True, False, True),
        ("Recital-Roman", False, False, True),
        ("Felicity", False, False, False),
    ],
)
def test_a_name_tells_how_letters_look(name: str, *, bold: bool, mono: bool, italic: bool) -> None:
    font = font_named(name, 0)
    assert (font.bold, font.mono, font.italic) == (bold, mono, italic)
