"""Lines of a text that begin or end with code, items with letters, and bullets of Symbol."""

from dataclasses import replace

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
    ("above", "text", "below", "is_code"),
    [
        ("Type this:", "maps -i log -o out", "The map is there.", True),
        ("Type the command", "maps -i log -o out", "The map is there.", False),
        ("Type this:", "maps -i log -o out", "and wait for it.", False),
        ("Type this:", "maps of the town", "The map is there.", False),
        ("Type this:", "Maps -i log -o out", "The map is there.", False),
    ],
)
def test_a_program_with_an_option_is_code_where_no_sentence_goes_through_it(
    above: str, text: str, below: str, is_code: bool
) -> None:
    lines = [line(above, 0, mono=False), line(text, 1, all_mono=True), line(below, 2, mono=False)]
    assert (("code", text) in read(*lines)) is is_code


@pytest.mark.parametrize(("size", "is_code"), [(11.1, True), (11.0, False)])
def test_a_heading_above_such_a_line_ends_there(size: float, is_code: bool) -> None:
    above = replace(line("Maps of the town", 0, mono=False), size=size)
    told = read(above, line("maps -i log -o out", 1, all_mono=True), line("The map is there.", 2, mono=False))
    assert (("code", "maps -i log -o out") in told) is is_code


@pytest.mark.parametrize(
    ("text", "kind"), [("(16. Jg.), S. 16", "paragraph"), ("(16) Jg.", "list"), ("16. Jg.", "list")]
)
def test_a_bracket_of_an_item_is_closed(text: str, kind: str) -> None:
    assert read(line(text, 0, mono=False))[0][0] == kind


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
