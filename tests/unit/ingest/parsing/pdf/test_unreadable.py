"""Pages whose fonts do not tell their letters, and pages that only have many signs."""

import pytest

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.unreadable import unreadable


def page(signs: int, letters: int) -> list[PdfLine]:
    return [PdfLine("¥" * signs + "a" * letters, 10, 700, 700)]


@pytest.mark.parametrize(
    ("pages", "numbers"),
    [
        ([page(41, 59)], {1}),
        ([page(40, 60)], set()),
        ([page(50, 49)], set()),
        ([page(41, 59), page(3, 97)], {1, 2}),
        ([page(41, 59), page(2, 98)], {1}),
        ([page(41, 59), page(3, 97), page(3, 97)], {1}),
        ([page(0, 100), page(3, 97), None, []], set()),
    ],
)
def test_signs_instead_of_letters(pages: list[list[PdfLine] | None], numbers: set[int]) -> None:
    assert unreadable(pages) == numbers
