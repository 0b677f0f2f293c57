"""Headers, footers and tables of contents of a PDF: what stands beside the text and is left out."""

import tracemalloc
from collections.abc import Sequence
from dataclasses import replace

import pytest

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.pdf.contents import without_contents
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.running import Running
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, words

LETTERS = "abcdefghijklmno"
NAMES = ("Apples", "Pears", "Plums", "Cherries", "Quinces", "Figs")


def at(y: float, text: str, *, size: float = 10, left: float = 50) -> PdfLine:
    """A line whose cells are parted by three spaces."""
    parts = text.split("   ")
    cells = tuple(Cell(part, left + 60 * place, left + 60 * place + 40) for place, part in enumerate(parts))
    return PdfLine(" ".join(parts), size, y, y, cells=cells)


def body(page: int, *, lines: int = 8, top: float = 700) -> list[PdfLine]:
    return [at(top - 12 * place, f"fruit{page} tree{place} that grows here") for place in range(lines)]


def kept(pages: Sequence[list[PdfLine]]) -> list[list[str]]:
    running = Running(pages)
    return [[line.text for line in running.without(lines, page)] for page, lines in enumerate(pages, 1)]


def headed(heads: Sequence[str], *, y: float = 760, size: float = 10) -> list[list[PdfLine]]:
    return [[at(y, head, size=size), *body(page)] for page, head in enumerate(heads, 1)]


def firsts(pages: list[list[PdfLine]]) -> list[str]:
    return [lines[0] for lines in kept(pages)]


class TestRunningRows:
    def test_alternate_and_carry_the_number_of_the_page(self) -> None:
        pages = headed([f"{p}   The orchard" if p % 2 else f"A. Grower   {p}" for p in range(11, 18)])
        assert all(first.startswith("fruit") for first in firsts(pages))

    @pytest.mark.parametrize(("count", "gone"), [(2, False), (3, True)])
    def test_with_numbers_are_on_three_pages_at_least(self, count: int, gone: bool) -> None:
        pages = headed([f"The orchard   {p}" for p in range(11, 11 + count)])
        assert all(first.startswith("fruit") for first in firsts(pages)) is gone

    @pytest.mark.parametrize(("first", "gone"), [("The orchard   May", True), ("The orchard   June", False)])
    def test_may_be_put_together_anew_on_the_first_page(self, first: str, gone: bool) -> None:
        heads = [f"{first}   1-8", *(f"The orchard   May   {page}" for page in range(2, 6))]
        assert (firsts(headed(heads))[0].startswith("The orchard")) is not gone

    @pytest.mark.parametrize(("count", "others", "shown"), [(3, 1, 3), (4, 1, 1), (3, 0, 1), (2, 0, 1)])
    def test_without_numbers_are_on_four_pages_or_on_all_and_kept_once(
        self, count: int, others: int, shown: int
    ) -> None:
        pages = [*headed(["The orchard"] * count), *(body(20 + page) for page in range(others))]
        assert firsts(pages).count("The orchard") == shown

    @pytest.mark.parametrize(("y", "size", "shown"), [(712, 10, 2), (760, 12, 2), (760, 10, 1)])
    def test_of_two_pages_stand_apart_and_are_small(self, y: float, size: float, shown: int) -> None:
        pages = headed(["The orchard"] * 2, y=y, size=size)
        assert firsts(pages).count("The orchard") == shown

    def test_that_count_the_pages_within_a_word_are_not_kept_once(self) -> None:
        heads = [f"USD:31-{p}   The orchard" if p % 2 else f"The orchard   USD:31-{p}" for p in range(1, 9)]
        assert all(first.startswith("fruit") for first in firsts(headed(heads)))

    def test_beside_the_number_of_a_single_page_and_below_it_are_left_out(self) -> None:
        page = [*body(1), at(60, "FC-140   Affidavit   Page 1 of 1"), at(47, "Revision of May"), at(640, "x")]
        assert [line for line in kept([page])[0] if not line.startswith("fruit")] == ["x"]
        other = [*body(1), at(60, "FC-140   Affidavit   Page 1 of 2"), at(47, "Revision of May")]
        assert len(kept([other])[0]) == len(other)

    def test_above_the_number_of_the_page_stay(self) -> None:
        page = [at(760, "The orchard"), at(748, "Page 1 of 1"), *body(1)]
        assert kept([page])[0][0] == "The orchard"

    @pytest.mark.parametrize(
        ("said", "gone"),
        [
            ("(continued from previous page)", True),
            ("(Fortsetzung auf der nächsten Seite)", True),
            ("(continued from the last page)", False),
        ],
    )
    def test_of_listings_that_go_over_a_page_are_left_out(self, said: str, gone: bool) -> None:
        page = [*body(1), at(560, said), *body(2, top=540)]
        assert (said not in kept([page])[0]) is gone

    def test_of_two_pages_are_their_numbers_and_no_names_with_numbers(self) -> None:
        assert all(first.startswith("fruit") for first in firsts(headed(["- 1 -", "- 2 -"])))
        assert firsts(headed(["Part 1", "Part 2"])) == ["Part 1", "Part 2"]

    @pytest.mark.parametrize(
        ("said", "gone"), [("Page {0} of 4", True), ("{0} / 4", True), ("Page {0} of 5", False)]
    )
    def test_that_tell_all_pages_may_be_third_from_the_edge(self, said: str, gone: bool) -> None:
        pages = [
            [*body(page), at(100, said.format(page)), at(88, f"own{page} words"), at(76, f"more{page} here")]
            for page in (1, 2)
        ]
        pages += [body(3), body(4)]
        assert (said.format(1) not in kept(pages)[0]) is gone

    @pytest.mark.parametrize(("count", "shown"), [(4, 4), (5, 1)])
    def test_of_fifteen_pages_are_on_five(self, count: int, shown: int) -> None:
        pages = [*headed(["The orchard"] * count), *(body(20 + p) for p in range(15 - count))]
        assert firsts(pages).count("The orchard") == shown

    @pytest.mark.parametrize(("count", "gone"), [(3, False), (4, True)])
    def test_with_numbers_are_on_four_of_twelve_pages(self, count: int, gone: bool) -> None:
        heads = headed([f"The orchard   {p}" for p in range(11, 11 + count)])
        pages = [*heads, *(body(20 + p) for p in range(12 - count))]
        assert all(first.startswith("fruit") for first in firsts(pages)) is gone

    @pytest.mark.parametrize(
        ("length", "pages", "count", "gone"),
        [(100, 12, 4, True), (101, 12, 5, False), (101, 12, 6, True), (101, 6, 3, False), (101, 6, 4, True)],
    )
    def test_that_are_long_are_on_half_of_the_pages(
        self, length: int, pages: int, count: int, gone: bool
    ) -> None:
        notice = "All rights in this orchard are reserved. ".ljust(length, "x")
        below = [*headed([notice] * count), *(body(20 + p) for p in range(pages - count))]
        assert (firsts(below).count(notice) == 1) is gone

    def test_with_words_of_their_own_on_each_page_are_headings(self) -> None:
        assert firsts(headed([f"{p} {name}" for p, name in enumerate(NAMES, 1)])) == [
            f"{p} {name}" for p, name in enumerate(NAMES, 1)
        ]

    @pytest.mark.parametrize(("pages", "different", "gone"), [(4, 3, True), (5, 4, False)])
    def test_may_have_as_many_words_as_three_quarters_of_the_pages(
        self, pages: int, different: int, gone: bool
    ) -> None:
        heads = [f"{NAMES[min(p, different - 1)]}   {p + 11}" for p in range(pages)]
        assert all(first.startswith("fruit") for first in firsts(headed(heads))) is gone

    @pytest.mark.parametrize(("named", "gone"), [(4, True), (3, False)])
    def test_name_sections_that_stand_in_the_text(self, named: int, gone: bool) -> None:
        pages = headed([f"{NAMES[page]}   {page + 11}" for page in range(5)])
        for page in range(named):
            pages[page].insert(4, at(690, NAMES[page]))
        assert all(first.startswith("fruit") for first in firsts(pages)) is gone

    @pytest.mark.parametrize(
        ("name", "gone"), [("The orchard of the town", True), ("The orchard grows", False), ("Part", False)]
    )
    def test_name_a_short_document_and_count_its_pages(self, name: str, gone: bool) -> None:
        assert all(first.startswith("fruit") for first in firsts(headed([f"{name} 1", f"{name} 2"]))) is gone

    def test_name_a_chapter_whose_long_word_is_parted_elsewhere(self) -> None:
        pages = headed(["Apples", "Apples", "KAPITEL 2. OBST-GARTEN", "Figs", "Figs", "Figs"])
        pages[2].insert(4, at(690, "Kapitel 2. Obstgarten"))
        assert firsts(pages)[2].startswith("fruit")

    def test_stay_where_the_number_does_not_count_with_the_pages(self) -> None:
        heads = ["Total   3", "Total   9", "Total   4", "Total   7", "Total   1"]
        assert firsts(headed(heads)) == [head.replace("   ", " ") for head in heads]

    def test_name_the_chapter_above_the_text(self) -> None:
        pages = headed(["Apples", "Apples", "2 Pears", "Figs", "Plums", "Plums"])
        pages[2][3:3] = [at(690, "1. Apples"), at(680, "Pears")]
        # "Plums" stands nowhere else, so it is kept once. "Figs" neither returns nor names a heading.
        assert [first for first in firsts(pages) if not first.startswith("fruit")] == ["Figs", "Plums"]

    def test_may_be_cut_with_an_ellipsis(self) -> None:
        named = [at(500 - 40 * p, f"{p + 1} {name} of the garden") for p, name in enumerate(NAMES)]
        below = [*body(9), *named, *body(9, top=200)]
        heads = headed([f"{name} of the\u2026" for name in NAMES])
        assert all(first.startswith("fruit") for first in firsts([*heads, below])[:6])
        other = [f"{name} in the\u2026" for name in NAMES]
        assert firsts([*headed(other), below])[:6] == other

    def test_may_name_a_large_heading_right_below(self) -> None:
        pages = [
            [at(760, name), at(740, f"{page} {name}", size=14), *body(page)]
            for page, name in enumerate(NAMES, 1)
        ]
        assert [lines[0] for lines in kept(pages)] == [f"{page} {name}" for page, name in enumerate(NAMES, 1)]

    @pytest.mark.parametrize(("y", "gone"), [(719, True), (717, False)])
    def test_lie_apart_from_the_text(self, y: float, gone: bool) -> None:
        pages = headed(["apples", "apples", "pears", "pears", "plums", "plums"], y=y)
        pages[0] += [at(500, "apples pears plums")]
        assert all(first.startswith("fruit") for first in firsts(pages)) is gone

    @pytest.mark.parametrize(("size", "gone"), [(11.2, True), (11.3, False)])
    def test_are_hardly_larger_than_the_text(self, size: float, gone: bool) -> None:
        pages = headed(["apples", "apples", "pears", "pears", "plums", "plums"], size=size)
        pages[0] += [at(500, "apples pears plums")]
        assert all(first.startswith("fruit") for first in firsts(pages)) is gone

    @pytest.mark.parametrize(("on", "plain", "gone"), [(4, 4, True), (5, 6, False)])
    def test_of_chapters_are_on_half_of_the_pages(self, on: int, plain: int, gone: bool) -> None:
        heads = ["apples", "apples", "pears", "pears", "pears"][:on]
        pages = [*headed(heads), *(body(6 + p) for p in range(plain))]
        pages[0] += [at(500, "apples pears")]
        assert all(first.startswith("fruit") for first in firsts(pages)) is gone

    @pytest.mark.parametrize(("off", "gone"), [(2.9, True), (3.1, False)])
    def test_stand_at_one_height(self, off: float, gone: bool) -> None:
        pages = [
            [at(760 + off * (page % 2), f"The orchard of {name}   {page + 11}"), *body(page)]
            for page, name in enumerate(("Ann", "Bob", "Ann"))
        ]
        assert all(first.startswith("fruit") for first in firsts(pages)) is gone

    def test_are_rows_without_tables(self) -> None:
        table = PdfLine("| 11 | 12 |", 10, 760, 740, is_table=True)
        assert firsts([[table, *body(page)] for page in range(6)]) == ["| 11 | 12 |"] * 6


def contents(names: Sequence[str], *, dots: str = " ....... ", start: int = 1) -> list[PdfLine]:
    return [at(700 - 12 * p, f"{p + 1}. {name}{dots}{p + start}") for p, name in enumerate(names)]


def chapters(names: Sequence[str]) -> list[PdfLine]:
    return [line for p, name in enumerate(names) for line in (at(600 - 40 * p, f"{p + 1} {name}"), *body(p))]


def left(*pages: list[PdfLine]) -> list[list[str]]:
    found, _ = without_contents(pages)
    return [[line.text for line in lines or ()] for lines in found]


class TestTablesOfContents:
    def test_are_left_out_with_their_name(self) -> None:
        page = [at(730, "Contents"), *contents(NAMES), at(500, "Preface to it all")]
        assert left(page, chapters(NAMES))[0] == ["Preface to it all"]

    def test_have_chapters_without_dots(self) -> None:
        page = [at(730, "I. Fruit   1"), *contents(NAMES[:3]), at(600, "II. More   7")]
        assert left(page, chapters(NAMES))[0] == []

    @pytest.mark.parametrize(("name", "gone"), [("Contents", True), ("Stock", False)])
    def test_of_one_level_have_no_dots_below_their_name(self, name: str, gone: bool) -> None:
        page = [at(730, name), *contents(NAMES, dots="   ")]
        assert (left(page, chapters(NAMES))[0] == []) is gone

    @pytest.mark.parametrize(("entries", "gone"), [(2, False), (3, True)])
    def test_have_three_entries_at_least(self, entries: int, gone: bool) -> None:
        assert (left(contents(NAMES[:entries]), chapters(NAMES))[0] == []) is gone

    def test_go_on_with_one_entry(self) -> None:
        assert left(contents(NAMES[:5]), contents(NAMES[5:]), chapters(NAMES))[1] == []

    @pytest.mark.parametrize(("others", "gone"), [(6, True), (7, False)])
    def test_name_what_stands_elsewhere_in_half_of_the_entries(self, others: int, gone: bool) -> None:
        page = contents([*NAMES, *(f"Price of {'abcdefg'[p]}" for p in range(others))])
        assert (left(page, chapters(NAMES))[0] == []) is gone

    @pytest.mark.parametrize(("between", "gone"), [(4, True), (5, False)])
    def test_are_entries_for_the_most_part(self, between: int, gone: bool) -> None:
        first, *others = contents(NAMES[:3])
        page = [first, *body(1, lines=between), *others]
        assert (left(page, chapters(NAMES))[0] == []) is gone

    def test_stay_where_there_is_little_else(self) -> None:
        page = contents(NAMES)
        assert len(left(page, [at(700, "Apples"), at(680, "Pears"), at(660, "Plums")])[0]) == len(NAMES)

    @pytest.mark.parametrize(
        ("dots", "gone"),
        [(" ... ", False), (" .... ", True), (". . . . ", True), (" \u2026 ", False), (" \u2026. ", True)],
    )
    def test_lead_to_the_page_with_four_dots(self, dots: str, gone: bool) -> None:
        assert (left(contents(NAMES, dots=dots), chapters(NAMES))[0] == []) is gone

    def test_dots_to_a_price_become_an_ellipsis(self) -> None:
        prices = [at(700, "Tea ......... 3"), at(688, "Coffee . . . . . . 4")]
        assert left([*prices, *body(1)], body(2))[0][:2] == ["Tea … 3", "Coffee … 4"]

    def test_dots_of_code_stay(self) -> None:
        code = replace(at(700, "int data[] = ....;"), mono=True)
        index = replace(at(688, "Tea ......... 3"), mono=True)
        assert left([code, index, *body(1)], body(2))[0][:2] == ["int data[] = ....;", "Tea … 3"]

    @pytest.mark.parametrize(("length", "gone"), [(80, True), (81, False)])
    def test_name_lines_of_80_characters_at_most(self, length: int, gone: bool) -> None:
        long = [f"{name} {'w' * 100}"[: length - 2] for name in NAMES]
        assert (left(contents(long), chapters(long))[0] == []) is gone

    @pytest.mark.parametrize(("shared", "gone"), [(30, True), (29, False)])
    def test_name_headings_by_their_first_30_characters(self, shared: int, gone: bool) -> None:
        """The heading goes on in a second line there, or is another one."""
        begun = [f"{name} of the orchard behind the house"[:shared] for name in NAMES]
        page = contents([f"{name}s and more" for name in begun])
        heads = [name if gone else f"{name}!" for name in begun]
        assert (left(page, chapters(heads))[0] == []) is gone

    @pytest.mark.parametrize("number", ["12", "iv", "A-3"])
    def test_have_page_numbers_of_every_kind(self, number: str) -> None:
        page = [at(700 - 12 * p, f"{name} ...... {number}") for p, name in enumerate(NAMES)]
        assert left(page, chapters(NAMES))[0] == []


@pytest.mark.parametrize(("count", "kept_once"), [(200, 0), (201, 1)])
def test_so_many_words_of_chapters_are_looked_for_within_longer_words(count: int, kept_once: int) -> None:
    """Each was looked for on each page: 4,000 pages with 2,000 names took 25 s."""
    chapters = [f"{first}{second}x" for first in LETTERS for second in LETTERS][:count]
    texts = [[*body(page, lines=6), at(640, f"{name}s")] for page, name in enumerate(chapters)]
    pages = [[at(760, name), *text] for name, text in zip(chapters, texts, strict=True) for _ in range(2)]
    assert sum(lines[0] in chapters for lines in kept(pages)) == kept_once


def test_contents_are_told_in_the_metadata() -> None:
    entries = [words(50, 700 - 14 * p, f"{name} ........ {p + 1}") for p, name in enumerate(NAMES)]
    texts = [words(50, 700 - 14 * p, f"{name} grow in the garden.") for p, name in enumerate(NAMES)]
    heads = [words(50, 400 - 14 * p, name) for p, name in enumerate(NAMES)]
    read: Extracted = parsed_here(drawn(entries, [*texts, *heads]), "a.pdf")
    assert "...." not in read.text
    assert read.metadata["left_out"] == "table of contents"


def test_a_long_line_of_numbers_costs_no_more_than_its_length() -> None:
    """Each number made another line of it, and a page of 35 kB took more than a gigabyte."""
    numbers = at(400, " ".join(map(str, range(4_000))))
    tracemalloc.start()
    assert kept([[numbers]]) == [[numbers.text]]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * len(numbers.text)
