"""The small print of single formats: how much of something is enough, and how much is too much."""

import io
import zipfile

import openpyxl
import pytest
from PIL import Image

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.table_text import html_table_rows
from tests.unit.ingest.parsing import sample_files
from tests.unit.ingest.parsing.here import parsed_here


class TestSheetLimits:
    def sheet(self, *row: object) -> str:
        book = openpyxl.Workbook()
        book.active.append(row)
        out = io.BytesIO()
        book.save(out)
        return parsed_here(out.getvalue(), "a.xlsx").elements[-1].text

    def test_have_2000_columns_at_most(self) -> None:
        assert self.sheet(*range(2001)).split(" | ") == [str(n) for n in range(2000)]

    def test_name_what_is_left_out_to_the_right(self) -> None:
        book = openpyxl.Workbook()
        book.active.append(["near"])
        book.active.cell(1, 2001, "far")
        out = io.BytesIO()
        book.save(out)
        assert any("2,000" in warning for warning in parsed_here(out.getvalue(), "a.xlsx").warnings)

    def test_are_the_cells_that_exist_and_not_the_size_that_a_sheet_claims(self) -> None:
        """A claim of one cell must hide nothing, and one of 17 billion must cost nothing."""
        part = "xl/worksheets/sheet1.xml"
        with zipfile.ZipFile(io.BytesIO(sample_files.workbook())) as archive:
            written = archive.read(part)
        texts = {
            parsed_here(
                sample_files.rezipped(sample_files.workbook(), {part: _claiming(written, size)}), "a.xlsx"
            ).text
            for size in ("A1:A1", "A1:XFD1048576", "")
        }
        assert texts == {parsed_here(sample_files.workbook(), "a.xlsx").text}

    @pytest.mark.parametrize(
        ("number", "shown"), [("9.99999999999999E14", "9" * 15), ("1E15", "1" + "0" * 15 + ".0")]
    )
    def test_show_a_number_as_an_integer_while_it_is_exact(self, number: str, shown: str) -> None:
        part = "xl/worksheets/sheet1.xml"
        with zipfile.ZipFile(io.BytesIO(sample_files.workbook())) as archive:
            written = archive.read(part).replace(b"<v>12</v>", f"<v>{number}</v>".encode())
        book = sample_files.rezipped(sample_files.workbook(), {part: written})
        assert f"007 | {shown}" in parsed_here(book, "a.xlsx").text.split("\n")

    @pytest.mark.parametrize(("lines", "cell"), [(19, "a"), (20, "a,b"), (21, "a,b")])
    def test_have_the_delimiter_of_their_first_20_lines(self, lines: int, cell: str) -> None:
        """Semicolons give two cells in each line; commas give three, in 13 or 14 of the lines."""
        shown = ["a,b;c,d"] * 13 + ["ab;cd"] * 6 + ["ab;cd", "a,b;c,d"][: max(0, lines - 19)]
        assert parsed_here("\n".join(shown), "a.csv").text.split(" | ")[0] == cell


def _claiming(sheet: bytes, size: str) -> bytes:
    head, _, rest = sheet.partition(b"<dimension")
    rest = rest.partition(b"/>")[2]
    return head + (f'<dimension ref="{size}"/>'.encode() if size else b"") + rest


class TestWebPageLimits:
    @pytest.mark.parametrize(("inside", "is_alone"), [(30, True), (29, False)])
    def test_main_stands_for_the_page_with_three_tenths_of_it(self, inside: int, is_alone: bool) -> None:
        page = f"<html><body><main><p>{'m' * inside}</p></main><p>{'o' * (100 - inside)}</p></body></html>"
        assert ("o" not in parsed_here(page, "a.html").text) is is_alone

    @pytest.mark.parametrize(("depth", "count"), [(116, 1), (117, 3)])
    def test_are_flattened_from_the_120th_level_on(self, depth: int, count: int) -> None:
        boxes = "<div>" * depth + "<p>one <b>two</b> three</p>" + "</div>" * depth
        assert len(parsed_here(f"<html><body>{boxes}</body></html>", "a.html").elements) == count

    def test_a_cell_spans_100_columns_at_most(self) -> None:
        rows = html_table_rows("<table><tr><td colspan=101>a</td><td>b</td></tr></table>")
        assert rows == [["a", *[""] * 99, "b"]]


class TestMailLimits:
    @pytest.mark.parametrize(("plain", "is_taken"), [(6, True), (5, False)])
    def test_a_plain_body_has_six_tenths_of_the_words(self, plain: int, is_taken: bool) -> None:
        message = (
            b"From: a@x.org\nSubject: s\nMIME-Version: 1.0\n"
            b"Content-Type: multipart/alternative; boundary=B\n\n--B\nContent-Type: text/plain\n\n"
            + b"plain " * plain
            + b"\n--B\nContent-Type: text/html\n\n<p>"
            + b"rich " * 10
            + b"</p>\n--B--\n"
        )
        assert ("plain" in parsed_here(message, "a.eml").text) is is_taken

    def test_the_name_of_an_attachment_is_cut_after_200_characters(self) -> None:
        name = "n" * 300
        message = (
            f"From: a@x.org\nSubject: s\nMIME-Version: 1.0\nContent-Type: text/csv\n"
            f'Content-Disposition: attachment; filename="{name}"\n\na,b\n'
        )
        assert [a.name for a in parsed_here(message, "a.eml").attachments] == ["n" * 200]


class TestRtfLimits:
    @pytest.mark.parametrize(("stand_ins", "text"), [(16, "€end"), (17, "€xend")])
    def test_an_escape_has_16_stand_ins_at_most(self, stand_ins: int, text: str) -> None:
        data = rf"{{\rtf1\uc{stand_ins} \u8364 {'x' * stand_ins}end\par}}"
        assert parsed_here(data, "a.rtf").text == text

    def test_groups_are_nested_2000_deep_at_most(self) -> None:
        parsed_here(r"{\rtf1" + "{" * 1999 + "words" + "}" * 2000, "a.rtf")
        with pytest.raises(ParseFailed, match="nested too deeply"):
            parsed_here(r"{\rtf1" + "{" * 2000 + "words" + "}" * 2001, "a.rtf")


class TestOpenDocumentLimits:
    def test_a_gap_has_100_spaces_at_most(self) -> None:
        content = (
            f"<office:document-content {sample_files.ODT_NAMES}><office:body><office:text>"
            '<text:p>a<text:s text:c="101"/>b</text:p></office:text></office:body></office:document-content>'
        )
        parts: dict[str, str | bytes] = {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": content,
        }
        assert parsed_here(sample_files.zipped(parts), "a.odt").text == "a" + " " * 100 + "b"


class TestXmlLimits:
    @pytest.mark.parametrize(("leaves", "kind"), [(9, "paragraph"), (10, "code")])
    def test_prose_has_words_beside_one_element_in_ten(self, leaves: int, kind: str) -> None:
        text = "<?xml version='1.0'?><a><p>some <b>words</b></p>" + "<v>1</v>" * leaves + "</a>"
        assert parsed_here(text, "a.xml").elements[0].kind == kind


def test_an_image_of_more_than_60_million_pixels_is_refused() -> None:
    out = io.BytesIO()
    Image.new("1", (60_001, 1000)).save(out, "PNG")
    with pytest.raises(ParseFailed, match="60 million pixels"):
        parsed_here(out.getvalue(), "a.png", tesseract="/bin/true")
