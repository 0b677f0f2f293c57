"""Feet in small letters of documents of two or three pages."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, words

TEXT = "The ferry leaves the harbour of the town at noon and comes back in the evening."
NAME = "https://example.org/ferries"


def foot(*cells: str, size: float, y: float = 40) -> list[str]:
    return [words(50 + 200 * at, y, cell, size=size) for at, cell in enumerate(cells)]


@pytest.mark.parametrize(
    ("name", "size", "y", "stays"),
    [
        (NAME, 7, 40, False),
        (NAME, 8, 40, True),
        ("https://example.org/boats", 7, 40, True),
        (NAME, 7, 668, True),
    ],
)
def test_return_if_one_of_their_cells_is_on_each_page(
    name: str, size: float, y: float, *, stays: bool
) -> None:
    """They are smaller than 0.8 of the text, and far from it."""
    first = [paragraph(50, 780, *[TEXT] * 8), *foot(NAME, "Vignette of Ferries", size=size)]
    second = [paragraph(50, 780, *[TEXT] * 9), *foot("2", name, "Lun", size=size, y=y)]
    read = "\n".join(one.text for one in parsed_here(drawn(first, second), "a.pdf").elements)
    assert ("Vignette of Ferries" in read) is stays
    assert ("Lun" in read) is stays
