"""What in a PDF is a heading, a paragraph or a running line, told by sizes and gaps."""

import io
import stat
from collections.abc import Sequence
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from PIL import Image

from tests.unit.ingest.parsing.here import parsed_here, titles
from tests.unit.ingest.parsing.sample_files import pdf_of

Line = tuple[float, float, str]


def lines(*texts: tuple[float, str], gap: float = 30) -> list[Line]:
    """Lines of (font size, text), each `gap` points below the one before."""
    return [(size, 800 - gap * place, text) for place, (size, text) in enumerate(texts)]


def at_gaps(*steps: tuple[float, str], size: float = 10) -> list[Line]:
    """Lines of (distance to the line above, text)."""
    found: list[Line] = []
    line = 3000.0
    for gap, text in steps:
        line -= gap
        found.append((size, line, text))
    return found


def texts(page: Sequence[Line]) -> list[str]:
    return [element.text for element in parsed_here(pdf_of([list(page)]), "a.pdf").elements]


class TestHeadings:
    @pytest.mark.parametrize(("size", "is_heading"), [(11.3, True), (11.2, False)])
    def test_are_larger_than_the_body_by_an_eighth(self, size: float, is_heading: bool) -> None:
        page = lines((size, "Heading"), *[(10, "Words of the body in a line.")] * 4)
        assert (titles(parsed_here(pdf_of([page]), "a.pdf")) == ["Heading"]) is is_heading

    @pytest.mark.parametrize(("large", "is_heading"), [(24, True), (25, False)])
    def test_are_less_than_a_quarter_of_the_text(self, large: int, is_heading: bool) -> None:
        page = lines((20, "h" * large), (10, "b" * 50), (10, "b" * (50 - large)))
        assert (titles(parsed_here(pdf_of([page]), "a.pdf")) != []) is is_heading

    @pytest.mark.parametrize(("sizes", "is_heading"), [(8, True), (9, False)])
    def test_have_eight_sizes_at_most(self, sizes: int, is_heading: bool) -> None:
        headings = [(20.0 + size, "Head") for size in range(sizes)]
        page = lines(*headings, *[(10, "Words of the body in a line.")] * 12)
        assert len(titles(parsed_here(pdf_of([page]), "a.pdf"))) == (sizes if is_heading else 0)

    @pytest.mark.parametrize(("length", "is_heading"), [(150, True), (151, False)])
    def test_have_150_characters_at_most(self, length: int, is_heading: bool) -> None:
        page = lines((20, "h" * length), *[(10, "b" * 60)] * 10)
        assert (titles(parsed_here(pdf_of([page]), "a.pdf")) != []) is is_heading

    @pytest.mark.parametrize(("gap", "count"), [(43.9, 1), (44.1, 2)])
    def test_end_where_the_next_line_is_further_than_two_lines_away(self, gap: float, count: int) -> None:
        body: list[Line] = [(10, 500 - 12 * n, "Words of the body in a line.") for n in range(6)]
        page = [(20.0, 800.0, "The first line of a long heading"), (20.0, 800 - gap, "second"), *body]
        assert len(titles(parsed_here(pdf_of([page]), "a.pdf"))) == count

    @pytest.mark.parametrize(
        ("first", "gap", "count"), [("a" * 30, 32.1, 2), ("a" * 31, 32.1, 1), ("a" * 30, 31.9, 1)]
    )
    def test_are_two_where_the_first_is_short_and_the_second_lies_apart(
        self, first: str, gap: float, count: int
    ) -> None:
        body: list[Line] = [(10, 500 - 12 * n, "Words of the body in a line.") for n in range(16)]
        page = [(20.0, 800.0, first), (20.0, 800 - gap, "second"), *body]
        assert len(titles(parsed_here(pdf_of([page]), "a.pdf"))) == count


class TestTitle:
    @pytest.mark.parametrize(
        ("name", "title"), [("12", None), ("ABC", "ABC"), ("q" * 200, "q" * 200), ("q" * 201, None)]
    )
    def test_is_the_largest_text_of_3_to_200_characters(self, name: str, title: str | None) -> None:
        page = lines((20, name), *[(10, "Words of the body in a line.")] * 40, gap=15)
        assert parsed_here(pdf_of([page]), "a.pdf").title == title


class TestRunningLines:
    def shown(self, line: str, on: int, pages: int) -> int:
        body = [f"The text of page {chr(97 + page)}." for page in range(pages)]
        made = [
            lines((10, line if page < on else f"Other {chr(97 + page)}"), (10, body[page]), gap=100)
            for page in range(pages)
        ]
        return parsed_here(pdf_of(made), "a.pdf").text.count(line)

    @pytest.mark.parametrize(("on", "pages", "count"), [(4, 8, 1), (3, 8, 3), (5, 15, 1), (4, 15, 4)])
    def test_return_on_four_pages_and_on_a_third_of_a_long_document(
        self, on: int, pages: int, count: int
    ) -> None:
        assert self.shown("Running head", on, pages) == count

    @pytest.mark.parametrize(("length", "on", "count"), [(100, 4, 1), (101, 4, 4), (101, 5, 1)])
    def test_return_on_half_of_the_pages_if_they_are_longer_than_100_characters(
        self, length: int, on: int, count: int
    ) -> None:
        assert self.shown("h" * length, on, 10) == count


class TestParagraphs:
    @pytest.mark.parametrize(
        ("usual", "gap", "count"), [(12, 16.6, 1), (12, 16.8, 2), (40, 54.4, 1), (40, 54.6, 2)]
    )
    def test_end_where_the_gap_is_a_third_larger(self, usual: float, gap: float, count: int) -> None:
        steps = [(usual, "a line of words")] * 6
        assert len(texts(at_gaps(*steps, (gap, "another line")))) == count

    @pytest.mark.parametrize(("size", "count"), [(8.5, 1), (8.4, 2)])
    def test_end_where_the_font_differs_by_more_than_a_point_and_a_half(
        self, size: float, count: int
    ) -> None:
        page = lines(*[(10, "a line of words")] * 4, (size, "another line"), gap=12)
        assert len(texts(page)) == count


class TestPictures:
    @pytest.mark.parametrize(("side", "pixels"), [(200, 834), (3000, 6325)])
    def test_for_ocr_have_300_dots_to_the_inch_and_40_million_pixels_at_most(
        self, tmp_path: Path, side: int, pixels: int
    ) -> None:
        program = tmp_path / "tesseract"
        program.write_text(f"#!/bin/sh\ncat > {tmp_path}/page.png\necho word\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        document = pdfium.PdfDocument.new()
        document.new_page(side, side)
        out = io.BytesIO()
        document.save(out)
        parsed_here(out.getvalue(), "scan.pdf", tesseract=str(program))
        with Image.open(tmp_path / "page.png") as picture:
            assert picture.size == (pixels, pixels)
