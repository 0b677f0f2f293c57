"""Which bold lines of a PDF are headings: names that repeat, terms of lists, and what stands above tables."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from footnote_ingest.parsing.pdf.headings import Headings
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine

TEXT = "Some words of the text that are long enough to fill a line."


def line(text: str, y: float, left: float = 50, *, size: float = 10, bold: bool = False) -> PdfLine:
    return PdfLine(text, size, y, y, bold=bold, cells=(Cell(text, left, 300),))


def text(y: float, left: float = 50, count: int = 8) -> list[PdfLine]:
    return [line(TEXT, y - 12 * place, left) for place in range(count)]


def levels(*pages: Sequence[PdfLine], outline: bool = True) -> list[dict[str, int]]:
    """The headings of each page; the outline names one of the first page, if there is one."""
    told = Headings({1: {"parts": 1}} if outline else {}, [list(page) for page in pages])
    return [
        {one.text: level for one, level in zip(page, told.levels(page, at), strict=True) if level is not None}
        for at, page in enumerate(pages, 1)
    ]


def manual_page(name: str, *, above: float = 15, below: float = 15, left: float = 70) -> list[PdfLine]:
    """A page of text with a short bold line at its size, set in, and other text right below it."""
    end = 700 - 7 * 12
    return [
        *text(700),
        line(name, end - above, left, bold=True),
        line("Nothing.", end - above - below),
        *text(end - above - below - 30),
    ]


class TestNamesThatRepeat:
    @pytest.mark.parametrize(("pages", "are_headings"), [(3, True), (2, False)])
    def test_are_headings_that_the_outline_leaves_out(self, pages: int, are_headings: bool) -> None:
        found = levels(*(manual_page("Portability") for _ in range(pages)))
        assert all(("Portability" in page) == are_headings for page in found)

    @pytest.mark.parametrize(
        ("above", "below", "is_heading"), [(14.1, 14.1, True), (14, 14.1, False), (14.1, 14, False)]
    )
    def test_have_room_above_and_below(self, above: float, below: float, is_heading: bool) -> None:
        page = manual_page("Portability", above=above, below=below)
        found = levels(manual_page("Portability"), manual_page("Portability"), page)
        assert ("Portability" in found[2]) == is_heading

    def test_stand_at_one_place(self) -> None:
        moved = manual_page("Portability", left=90)
        found = levels(manual_page("Portability"), manual_page("Portability"), moved)
        assert "Portability" not in found[2]

    @pytest.mark.parametrize(("pages", "are_headings"), [(3, True), (2, False)])
    def test_may_differ_in_their_numbers(self, pages: int, are_headings: bool) -> None:
        found = levels(*(manual_page(f"Changes in version 0.1{page}-b") for page in range(pages)))
        assert all(bool(page) == are_headings for page in found)

    def test_are_more_than_numbers(self) -> None:
        found = levels(*(manual_page(f"1.{page}") for page in range(3)))
        assert found == [{}, {}, {}]


class TestLinesAlone:
    @pytest.mark.parametrize(("left", "is_heading"), [(50, True), (60, True), (60.1, False)])
    def test_begin_at_the_edge_of_the_text(self, left: float, is_heading: bool) -> None:
        (found,) = levels(manual_page("Portability", left=left))
        assert ("Portability" in found) == is_heading

    @pytest.mark.parametrize(("left", "is_heading"), [(70, True), (80, True), (80.1, False)])
    def test_begin_where_the_text_below_begins(self, left: float, is_heading: bool) -> None:
        head = line("Portability", 600, left, bold=True)
        (found,) = levels([*text(700), head, line(TEXT, 585, 70), *text(560)])
        assert ("Portability" in found) == is_heading

    @pytest.mark.parametrize(("room", "is_heading"), [(17.3, True), (17.2, False)])
    def test_have_more_room_than_lines_that_are_far_apart(self, room: float, is_heading: bool) -> None:
        spaced = [line(TEXT, 700 - 15 * place) for place in range(8)]
        end = 700 - 15 * 7
        page = [*spaced, line("Portability", end - room, bold=True), line("Nothing.", end - 2 * room)]
        (found,) = levels(page)
        assert ("Portability" in found) == is_heading

    def test_are_left_of_lists_where_a_page_has_nothing_else(self) -> None:
        items = [line(f"\u2022 {TEXT}", 680 - 12 * place, 80) for place in range(4)]
        (found,) = levels([line("Bug fixes", 700, bold=True), *items])
        assert "Bug fixes" in found

    def test_have_no_number_of_a_page_behind_them(self) -> None:
        page = manual_page("References", left=50)
        page = [
            replace(one, cells=(Cell("References", 50, 100), Cell("16", 290, 300))) if one.bold else one
            for one in page
        ]
        (found,) = levels(page)
        assert "References" not in found


class TestTerms:
    @pytest.mark.parametrize(
        ("left", "set_in", "gap", "is_heading"),
        [
            (50, 62, 12, False),
            (50, 60, 12, True),
            (50, 62, 13.6, True),
            # What begins further left than all text is the heading of a part of it.
            (49, 62, 12, True),
        ],
    )
    def test_that_the_text_below_explains_are_no_headings(
        self, left: float, set_in: float, gap: float, is_heading: bool
    ) -> None:
        term = line("term.breakline", 590, left, bold=True)
        page = [*text(700), term, *text(590 - gap, set_in, 2), *text(500)]
        (found,) = levels(page, outline=False)
        assert ("term.breakline" in found) == is_heading

    @pytest.mark.parametrize("item", ["• an item of a list that is long enough", "1. the first of the items"])
    def test_stand_above_no_list(self, item: str) -> None:
        page = [*text(700), line("New", 590, bold=True), line(item, 578, 70), *text(500)]
        assert "New" in levels(page, outline=False)[0]

    def test_are_told_from_a_paragraph_whose_first_line_is_indented(self) -> None:
        page = [*text(700), line("Methods", 590, bold=True), line(TEXT, 578, 62), *text(566)]
        assert "Methods" in levels(page, outline=False)[0]


class TestBoldBelow:
    @pytest.mark.parametrize(("gap", "is_heading"), [(15.1, True), (15, False)])
    def test_a_heading_stands_apart_from_a_table_whose_head_is_bold(
        self, gap: float, is_heading: bool
    ) -> None:
        table = PdfLine("a | b\n--- | ---", 10, 590 - gap, 500, bold=True, is_table=True)
        page = [*text(700), line("Other gases", 590, bold=True), table, *text(480)]
        assert ("Other gases" in levels(page, outline=False)[0]) == is_heading

    def test_a_section_with_a_number_stands_right_above_such_a_table(self) -> None:
        table = PdfLine("a | b\n--- | ---", 10, 576, 500, bold=True, is_table=True)
        page = [*text(700), line("10.1.2 Other gases", 590, bold=True), table, *text(480)]
        assert "10.1.2 Other gases" in levels(page, outline=False)[0]

    @pytest.mark.parametrize(
        ("size", "left", "is_heading"), [(10.5, 61, True), (10.4, 61, False), (10.5, 60, False)]
    )
    def test_a_larger_heading_stands_above_a_term_that_is_set_in(
        self, size: float, left: float, is_heading: bool
    ) -> None:
        page = [
            *text(700),
            line("FILES", 590, size=size, bold=True),
            line("config.lisp", 578, left, bold=True),
            *text(566, 80),
        ]
        assert ("FILES" in levels(page, outline=False)[0]) == is_heading


def test_a_number_before_a_question_is_no_part_of_its_name() -> None:
    page = [*text(700), line("3. What are the risks of it?", 590, bold=True), *text(560)]
    assert "3. What are the risks of it?" in levels(page)[0]
    unnamed = [*text(700), line("3. what are the risks of it?", 590, bold=True), *text(560)]
    assert levels(unnamed) == [{}]


def test_headings_beside_the_outline_lie_below_larger_ones() -> None:
    page = [
        line("REQUISITI", 760, 80, size=16, bold=True),
        line("MS DOS", 730, size=14, bold=True),
        *text(705),
        line("ATARI", 560, size=13, bold=True),
        *text(535),
        line("AMIGA", 400, size=12, bold=True),
        *text(375),
    ]
    # A second page, so that the first one is no front page of names.
    _, found = levels(text(700), page)
    base = found["REQUISITI"]
    assert found == {"REQUISITI": base, "MS DOS": base + 1, "ATARI": base + 2, "AMIGA": base + 2}


class TestAboveBoldWords:
    @pytest.mark.parametrize(("size", "is_heading"), [(11.3, True), (11.1, False)])
    def test_much_larger_words_are_headings(self, size: float, is_heading: bool) -> None:
        page = [
            *text(740, count=2),
            line("The menu of files", 700, size=size, bold=True),
            line("Open...", 680, 55, bold=True),
            *text(668, 80),
        ]
        assert ("The menu of files" in levels(page)[0]) is is_heading


@pytest.mark.parametrize(
    ("name", "is_heading"),
    [("samhain -w seconds", False), ("2.1 samhain -w", True), ("Waiting - a while", True)],
)
def test_commands_with_an_option_are_no_headings(name: str, is_heading: bool) -> None:
    page = [*text(740, count=2), line(name, 700, size=12, bold=True), *text(680)]
    assert (name in levels(page)[0]) is is_heading


@pytest.mark.parametrize(
    ("name", "is_heading"),
    [
        ("What Your Signature Means:", True),
        ("Your Signature Means:", True),
        ("Your Signature:", False),
        ("What your signature Means:", False),
        ("What You Own:", False),
        ("What Your Signature Means;", False),
    ],
)
def test_names_in_capitals_may_end_with_a_colon_and_labels_are_no_headings(
    name: str, is_heading: bool
) -> None:
    page = [*text(740, count=4), line(name, 670, bold=True), *text(650, count=20)]
    assert (name in levels(page, outline=False)[0]) is is_heading


class TestWhereMuchIsBold:
    @pytest.mark.parametrize(
        ("name", "above", "below", "is_heading"),
        [
            ("Option #1:", 15.1, 15.1, True),
            ("Option #1", 15.1, 15.1, True),
            ("Option #1", 15, 15.1, False),
            ("Option #1", 15.1, 15, False),
            ("Judge:", 20, 20, False),
            ("Take one of them.", 20, 20, False),
            ("Note:", 20, 20, False),
            ("o" * 60, 20, 20, True),
            ("o" * 61, 20, 20, False),
        ],
    )
    def test_single_lines_with_room_are_headings(
        self, name: str, above: float, below: float, is_heading: bool
    ) -> None:
        bold = [line(TEXT, 740 - 12 * place, bold=True) for place in range(5)]
        end = 740 - 4 * 12 - above
        page = [*bold, line(name, end, bold=True), *text(end - below)]
        assert (name in levels(page, outline=False)[0]) is is_heading

    @pytest.mark.parametrize(("pages", "are_headings"), [(6, True), (7, False)])
    def test_are_headings_in_short_documents(self, pages: int, are_headings: bool) -> None:
        bold = [line(TEXT, 740 - 12 * place, bold=True) for place in range(5)]
        page = [*bold, line("Option #1", 670, bold=True), *text(650)]
        assert ("Option #1" in levels(*[page] * pages, outline=False)[0]) is are_headings

    @pytest.mark.parametrize(("below", "is_heading"), [("o" * 20, True), ("o" * 19, False)])
    def test_stand_above_text(self, below: str, is_heading: bool) -> None:
        bold = [line(TEXT, 740 - 12 * place, bold=True) for place in range(5)]
        page = [*bold, line("Option #1", 670, bold=True), line(below, 650), *text(620)]
        assert ("Option #1" in levels(page, outline=False)[0]) is is_heading
