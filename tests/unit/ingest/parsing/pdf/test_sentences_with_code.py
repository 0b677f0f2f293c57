"""Lines of a text that begin or end with code, items with letters, and bullets of Symbol."""

import pytest

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.page_text import PdfPageText
from footnote_ingest.parsing.pdf.paragraphs import pieces_of


def read(*lines: PdfLine) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in pieces_of(lines, [None] * len(lines), 1)]


def line(text: str, at: int, *, mono: bool = True, all_mono: bool = False, lead: str = "") -> PdfLine:
    top = 700 - 12 * at
    return PdfLine(text, 10, top, top, mono=mono, all_mono=all_mono, lead=lead, cells=(Cell(text, 50, 300),))


@pytest.mark.parametrize(
    ("text", "all_mono", "lead", "kind"),
    [
        ("free_all(x) works similarly.", False, "", "paragraph"),
        ("free_all(x) works similarly.", True, "", "code"),
        ("free_all(x)  # works similarly.", False, "", "code"),
        ("free_all(x) SIMILARLY.", False, "", "code"),
        ("libraries: (chezscheme)", False, "libraries:", "paragraph"),
        ("libraries: (chezscheme)", False, "libraries", "code"),
    ],
)
def test_words_at_its_end_or_a_label_before_it_make_a_line_text(
    text: str, all_mono: bool, lead: str, kind: str
) -> None:
    assert (
        read(line(text, 0, all_mono=all_mono, lead=lead), line("free(x) ;", 1, all_mono=True))[0][0] == kind
    )


@pytest.mark.parametrize(
    ("above", "kinds"),
    [
        ("some of these do this:", ["paragraph", "list"]),
        ("(a) some of these and", ["list", "list"]),
        ("some of these, as told by", ["paragraph"]),
    ],
)
def test_a_letter_in_brackets_begins_an_item_behind_a_finished_line(above: str, kinds: list[str]) -> None:
    told = read(line(above, 0, mono=False), line("(b) the rest of them", 1, mono=False))
    assert [kind for kind, _ in told] == kinds


@pytest.mark.parametrize(("sign", "kind"), [("▶", "list"), ("➢", "list"), ("→", "paragraph")])
def test_signs_before_items(sign: str, kind: str) -> None:
    assert read(line(f"{sign} an item", 0, mono=False))[0][0] == kind


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\uf0a7 An item", "• An item"),
        ("\uf06e An item", "• An item"),
        ("a \uf06e b", "a \uf06e b"),
        ("\uf06e", "\uf06e"),
        ("\uf0fc", "✓"),
        ("A \uf0e0 B", "A → B"),
        ("\ue06e An item", "\ue06e An item"),
    ],
)
def test_signs_of_symbol_and_wingdings(text: str, told: str) -> None:
    assert PdfPageText(text, lambda at: False).shown(text, 0) == told
