"""Lines of scripts that part words by no blank: the break within a word is taken away."""

import pytest

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.paragraphs import pieces_of


def read(*lines: tuple[str, float]) -> str:
    page = [
        PdfLine(text, 10, 700 - 14 * at, 700 - 14 * at, cells=(Cell(text, 50, right),))
        for at, (text, right) in enumerate(lines)
    ]
    return "".join(piece.text for piece in pieces_of(page, [None] * len(page), 1))


@pytest.mark.parametrize(
    ("above", "right", "below", "told"),
    [
        ("忽逢桃花", 300, "林，夾岸", "忽逢桃花林，夾岸"),
        ("中無雜樹，", 300, "芳草鮮美", "中無雜樹，芳草鮮美"),
        ("ひらがなと", 278, "カタカナ", "ひらがなとカタカナ"),
        ("ひらがなと", 277, "カタカナ", "ひらがなと\nカタカナ"),
        ("ภาษา", 300, "ไทย", "ภาษาไทย"),
        ("한국어", 300, "문장", "한국어\n문장"),
        ("使用 Debian", 300, "系统", "使用 Debian\n系统"),
        ("some words", 300, "of a text", "some words\nof a text"),
    ],
)
def test_full_lines_of_such_a_script_are_one_text(above: str, right: float, below: str, told: str) -> None:
    assert read((above, right), (below, 300)) == told
