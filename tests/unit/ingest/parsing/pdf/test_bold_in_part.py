"""Lines of a PDF that begin in bold and go on in light letters."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, words

BODY = ["The wheels turn as long as the car goes, and they stand still when it stops at a light."] * 3


@pytest.mark.parametrize(
    ("before", "bold", "light", "is_heading"),
    [
        ("", "underlineColor", " - Colour", False),
        ("", "Colours of the wheels and spokes", " - RAL", True),
        ("", "Colours of the wheels", "", True),
        ("The ", "colours of the wheels", "", False),
    ],
)
def test_a_line_is_a_heading_if_nearly_all_of_it_is_bold(
    before: str, bold: str, light: str, is_heading: bool
) -> None:
    shown = f"({before}) Tj /bold 10 Tf ({bold}) Tj /plain 10 Tf ({light}) Tj"
    behind = f"BT /plain 10 Tf 50 700 Td {shown} ET"
    page = [paragraph(50, 790, *BODY), behind, paragraph(50, 680, *BODY), words(50, 600, "The end of it.")]
    assert bool(titles(parsed_here(drawn(page), "a.pdf"))) is is_heading
