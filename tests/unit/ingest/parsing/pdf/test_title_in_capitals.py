"""The title of a PDF that its properties do not tell: the largest words, or words in capitals."""

import pytest

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.printed_title import title_in_capitals, title_in_the_middle
from footnote_ingest.parsing.pdf.title import is_doubtful, largest_words, manual_page, newer, own_title

TITLE = ["ON THE GROWTH OF COEFFICIENTS OF", "CERTAIN POWER SERIES"]
WHOLE = " ".join(TITLE)


def page(*lines: str, bold: tuple[str, ...] = ()) -> list[PdfLine]:
    return [
        PdfLine(text, 10, 700 - 12 * at, 700 - 12 * at, bold=text in bold, cells=(Cell(text, 50, 300),))
        for at, text in enumerate(lines)
    ]


def test_is_the_first_words_in_capitals() -> None:
    assert title_in_capitals(page(*TITLE, "Jane Q. Example", "ABSTRACT AND MORE")) == WHOLE
    assert title_in_capitals(page("Jane Q. Example", "Some words.")) is None


def test_may_name_a_sign_of_one_small_letter() -> None:
    assert (
        title_in_capitals(page("ON MULTIVARIATE t TESTS", "JANE EXAMPLE"))
        == "ON MULTIVARIATE t TESTS JANE EXAMPLE"
    )
    assert title_in_capitals(page("ON MULTIVARIATE TESTS of it", "Jane")) is None


@pytest.mark.parametrize(
    ("first", "size", "title"),
    [
        ("WHEELS:", 12, "WHEELS: A Guide to Them"),
        ("WHEELS:", 11.9, "WHEELS:"),
        ("WHEELS", 12, "WHEELS"),
    ],
)
def test_goes_on_behind_a_colon_in_smaller_letters(first: str, size: float, title: str) -> None:
    lines = [
        PdfLine(first, 20, 700, 700, cells=(Cell(first, 50, 300),)),
        PdfLine("A Guide to Them", size, 670, 670, cells=(Cell("A Guide to Them", 50, 300),)),
    ]
    assert largest_words(lines, 10) == title


def test_stands_in_bold_below_the_name_of_a_journal_and_above_that_of_its_author() -> None:
    lines = page("TRANSACTIONS OF A SOCIETY", "Volume 3", *TITLE, "JANE EXAMPLE", bold=tuple(TITLE))
    assert title_in_capitals(lines) == WHOLE


@pytest.mark.parametrize(("above", "title"), [(7, "A SMALL TITLE"), (8, None)])
def test_is_among_the_first_eight_lines(above: int, title: str | None) -> None:
    assert title_in_capitals(page(*["Some words."] * above, "A SMALL TITLE")) == title


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("A TEN LETTERS", True),
        ("NINE LETTRS"[:10], False),
        ("INTRODUCTION", False),
        ("A " + "B" * 249, False),
    ],
)
def test_has_two_words_and_ten_letters(text: str, fits: bool) -> None:
    assert (title_in_capitals(page(text, "Some words.")) is not None) is fits


def line(text: str, left: float, right: float, top: float, *, bold: bool = False) -> PdfLine:
    return PdfLine(text, 10, top, top, bold=bold, cells=(Cell(text, left, right),))


@pytest.mark.parametrize(
    ("left", "right", "bold", "below", "found"),
    [
        (120, 280, True, False, True),
        (120, 280, False, False, False),
        (120, 280, True, True, False),
        (50, 210, True, False, False),
        (65, 335, True, False, False),
        (180, 340, True, False, False),
    ],
)
def test_may_be_bold_in_the_middle_above_the_text(
    left: float, right: float, *, bold: bool, below: bool, found: bool
) -> None:
    text = line("The ferry runs at noon and at night.", 50, 340, 680, bold=below)
    first = line("Agreement on the Ferry", left, right, 700, bold=bold)
    lines = [first, text, line("It carries bicycles.", 50, 350, 668)]
    assert title_in_the_middle(lines) == ("Agreement on the Ferry" if found else None)
    assert title_in_the_middle(lines[:1]) is None


def cover(*lines: tuple[str, float, float], bold: int = 0) -> list[PdfLine]:
    """Lines with their size and how far each is below the one above; the first ones may be bold."""
    y = 800.0
    found = []
    for at, (text, size, gap) in enumerate(lines):
        y -= gap
        found.append(PdfLine(text, size, y, y, bold=at < bold, cells=(Cell(text, 50, 300),)))
    return found


class TestLargestWords:
    def test_are_the_lines_below_each_other_in_one_font(self) -> None:
        page = cover(("A Guide to", 20, 0), ("Long Wheels*", 20, 24), ("by Jane", 12, 24), ("text", 10, 40))
        assert largest_words(page, 10) == "A Guide to Long Wheels"

    @pytest.mark.parametrize(
        "edition",
        [
            "Version 02",
            "Release 1.4 (beta)",
            "v3",
            "January 10, 2023",
            "2004-08",
            "First edition",
            "30 Sep-2008",
            "03/08/2017 (V1.3)",
        ],
    )
    def test_are_no_edition_and_no_date(self, edition: str) -> None:
        page = cover((edition, 20, 0), ("A Guide to Wheels", 16, 24), ("text", 10, 40))
        assert largest_words(page, 10) == "A Guide to Wheels"
        page = cover(("A Guide to Wheels", 20, 0), (edition, 20, 24), ("An Institute", 20, 24))
        assert largest_words(page, 10) == "A Guide to Wheels"

    def test_may_be_smaller_than_the_first_section_below_them(self) -> None:
        page = cover(("A Guide to Wheels", 12, 0), ("1. Introduction", 14, 60), ("text", 10, 40))
        assert largest_words(page, 10) == "A Guide to Wheels"
        assert largest_words(page[1:], 10) == "1. Introduction"

    @pytest.mark.parametrize("name", ["Version Control of Wheels", "Release Notes", "Draft Horses", "May I"])
    def test_may_begin_with_the_word_version(self, name: str) -> None:
        assert largest_words(cover((name, 20, 0)), 10) == name

    @pytest.mark.parametrize(("word", "whole"), [("or", "or "), ("for the", "")])
    def test_go_on_past_a_short_word_in_a_smaller_font(self, word: str, whole: str) -> None:
        page = cover(("How to Turn", 20, 0), (word, 14, 20), ("A Study of Wheels", 20, 20), ("text", 10, 40))
        name = largest_words(page, 10)
        assert name == (f"How to Turn {whole}A Study of Wheels" if whole else "How to Turn")

    @pytest.mark.parametrize(("gap", "bold", "whole"), [(59, 2, True), (60, 2, False), (59, 1, False)])
    def test_end_with_room_and_with_another_weight(self, gap: float, bold: int, whole: bool) -> None:
        page = cover(("Reference Card", 20, 0), ("Modes", 20, gap), ("text", 10, 40), bold=bold)
        assert largest_words(page, 10) == ("Reference Card Modes" if whole else "Reference Card")

    def test_do_not_go_on_in_the_next_column(self) -> None:
        page = cover(("Reference Card", 20, 0), ("some text", 10, 40), ("Modes", 20, -30))
        assert largest_words(page, 10) == "Reference Card"

    def test_are_larger_than_the_text(self) -> None:
        assert largest_words(cover(("A Guide", 11.2, 0), ("text", 10, 40)), 10) is None
        assert largest_words(cover(("A Guide", 11.3, 0), ("text", 10, 40)), 10) == "A Guide"


@pytest.mark.parametrize(
    ("first", "title"),
    [
        ("BASH(1) General Commands Manual BASH(1)", "BASH(1)"),
        ("git-log(1) git-log(1)", "git-log(1)"),
        ("BASH(1) and DASH(1)", None),
        ("BASH(1)", None),
        ("The Manual of The", None),
    ],
)
def test_a_manual_page_is_called_as_its_first_line_says(first: str, title: str | None) -> None:
    assert manual_page(page(first, "NAME", "bash - a shell")) == title
    assert manual_page([]) is None


@pytest.mark.parametrize(
    ("title", "filename", "is_name"),
    [
        ("Guide-features", "docs/guide-features.pdf", True),
        ("Guide-features", "other.pdf", False),
        ("A guide", "A guide.pdf", False),
        ("guide", "other.pdf", True),
        ("Guide", "other.pdf", False),
        ("manualA4", "maps-manualA4.pdf", True),
        ("manualA", "maps-manualA4.pdf", False),
        ("CMBX12", "other.pdf", True),
        ("Guide12", "other.pdf", False),
        ("GUIDE", "other.pdf", False),
        ("GUIDE 12", "other.pdf", False),
    ],
)
def test_the_name_of_a_file_is_a_doubtful_title(title: str, filename: str, is_name: bool) -> None:
    assert is_doubtful(title, filename) is is_name


@pytest.mark.parametrize(
    ("title", "own"), [("\u2761\u2665\u275b\u2767", None), ("C++: A Guide", "C++: A Guide"), ("a++++", None)]
)
def test_signs_of_a_font_without_an_encoding_are_no_title(title: str, own: str | None) -> None:
    assert own_title(title) == own


@pytest.mark.parametrize(
    ("text", "rise", "title"),
    [
        ("A Guide to Wheels 1", 4.1, "A Guide to Wheels"),
        ("A Guide to Wheels 1", 3.9, "A Guide to Wheels 1"),
        ("A Guide to Wheels ¹", 0, "A Guide to Wheels"),
        ("A Guide to km²", 0, "A Guide to km²"),
    ],
)
def test_leaves_out_the_number_of_a_note(text: str, rise: float, title: str) -> None:
    cells = (Cell(text, 50, 300),)
    assert largest_words([PdfLine(text, 20, 700, 700 + rise, cells=cells)], 10) == title


def large(*lines: tuple[str, float]) -> list[PdfLine]:
    return [
        PdfLine(text, size, 700 - 70 * at, 700 - 70 * at, cells=(Cell(text, 50, 300),))
        for at, (text, size) in enumerate(lines)
    ]


def test_is_in_latin_letters_where_the_page_is() -> None:
    names = ("Some Fonts", 30.0), ("User Guide", 25.0)
    assert largest_words(large(("ᦟᦲᧅᦷᦎᦺᦑ", 60), *names), 10) == "Some Fonts"
    assert largest_words(large(("統計上大中小", 60), ("劃分標準", 12), ("a b", 10)), 10) == "統計上大中小"


@pytest.mark.parametrize(
    ("own", "printed", "title"),
    [
        ("Press 5.0 Manual and Notes", "Press 5.2", "Press 5.2 Manual and Notes"),
        ("Press 5.0 Manual", "Print 5.2", "Press 5.0 Manual"),
        ("Press Manual", "Press 5.2", "Press Manual"),
        ("Press 5.0 for X 11", "Press 5.2", "Press 5.0 for X 11"),
    ],
)
def test_has_the_number_that_is_printed(own: str, printed: str, title: str) -> None:
    assert newer(own, large((printed, 30)), 10) == title


def test_may_be_the_word_title_if_that_is_printed() -> None:
    assert largest_words(large(("Title", 28), ("Heading", 16)), 11) == "Title"
    assert own_title("Title") is None
