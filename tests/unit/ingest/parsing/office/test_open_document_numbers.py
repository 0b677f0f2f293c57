"""Numbers that no program writes, in OpenDocument and in tables: the rest of the file is read."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here

URN = "urn:oasis:names:tc:opendocument:xmlns"


@pytest.mark.parametrize(
    "inner",
    [
        '<text:p>A<text:s text:c="{}"/>tide.</text:p>',
        '<text:h text:outline-level="{}">A tide.</text:h>',
        '<table:table><table:table-row><table:table-cell table:number-columns-repeated="{}"><text:p>A tide.'
        "</text:p></table:table-cell></table:table-row></table:table>",
    ],
)
def test_a_number_of_thousands_of_digits_does_not_stop_the_reading(inner: str) -> None:
    spaces = " ".join(f'xmlns:{name}="{URN}:{name}:1.0"' for name in ("office", "text", "table"))
    extracted = parsed_here(
        f'<?xml version="1.0"?><office:document {spaces} '
        'office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>'
        f"<text:p>Before.</text:p>{inner.format('9' * 5_000)}</office:text></office:body></office:document>",
        "a.fodt",
    )
    assert "tide." in extracted.elements[-1].text


def test_a_cell_of_html_across_columns_beyond_number_does_not_stop_the_reading() -> None:
    row = f'<tr><td colspan="{"9" * 5_000}">Ship</td><td>Draught</td></tr>'
    assert "Draught" in parsed_here(f"# T\n\n<table>{row * 3}</table>\n", "a.md").text
