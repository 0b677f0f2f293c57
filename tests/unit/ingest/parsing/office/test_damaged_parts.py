"""A part of an office file that is broken beside the text does not refuse the text."""

import io
import re
import zipfile
from collections.abc import Callable

import docx
import openpyxl
import pptx
import pytest

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from tests.unit.ingest.parsing.here import parsed_here, titles

Change = Callable[[bytes], bytes | None]


def with_part(data: bytes, name: str, change: Change | bytes | None) -> bytes:
    """The container with one part changed; None leaves it out."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(written, "w") as to:
        for held in dict.fromkeys([*given.namelist(), name]):
            content: bytes | None = given.read(held) if held in given.namelist() else b""
            if held == name:
                content = change(content or b"") if callable(change) else change
            if content is not None:
                to.writestr(held, content)
    return written.getvalue()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Fares"
    sheet.append(["Day", "Fare", "Share"])
    sheet.append(["Monday", 5, 0.25])
    sheet["C2"].number_format = "0.00%"
    book.properties.title = "Fares of the ferry"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Ferries", 1)
    document.add_paragraph("The last ferry leaves at ten.")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def slides() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Ferries"
    slide.placeholders[1].text = "The last ferry leaves at ten."
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def swapped(old: bytes, new: bytes) -> Change:
    def change(content: bytes) -> bytes:
        assert re.search(old, content), content
        return re.sub(old, new, content, count=1)

    return change


class TestWorkbook:
    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("xl/styles.xml", swapped(rb"<fill>.*?</fill>", b"<fill/>")),
            (
                "xl/styles.xml",
                swapped(rb"<numFmts[ >]|<fonts ", b'<numFmts><numFmt numFmtId="x"/></numFmts><fonts '),
            ),
            (
                "xl/workbook.xml",
                swapped(
                    b"<definedNames ?/>|</sheets>",
                    b'</sheets><definedNames><definedName hidden="maybe">a!</definedName></definedNames>',
                ),
            ),
            (
                "docProps/core.xml",
                swapped(rb">20\d\d-\d\d", b">2026-99"),
            ),
            ("docProps/core.xml", b"<broken"),
            (
                "[Content_Types].xml",
                swapped(
                    b"</Types>",
                    b'<Override PartName="/xl/gone.xml" ContentType="application/vnd.openxmlformats-'
                    b'officedocument.spreadsheetml.sharedStrings+xml"/></Types>',
                ),
            ),
            ("docProps/custom.xml", b"<Properties/><more"),
        ],
    )
    def test_is_read_with_a_fault_beside_its_cells(self, name: str, change: Change | bytes) -> None:
        extracted = parsed_here(with_part(workbook(), name, change), "a.xlsx")
        assert extracted.elements[-1].text == "Day | Fare | Share\n--- | --- | ---\nMonday | 5 | 25%"
        assert any("fault beside its cells" in warning for warning in extracted.warnings)

    @pytest.mark.parametrize(
        "more",
        [
            b'<conditionalFormatting sqref="?"><cfRule type="none"/></conditionalFormatting>',
            b'<dataValidations count="x"><dataValidation/></dataValidations>',
            b'<mergeCells><mergeCell ref="A1:??"/></mergeCells>',
            b"<hyperlinks><hyperlink/></hyperlinks>",
        ],
    )
    def test_rules_and_links_behind_the_cells_are_not_looked_at(self, more: bytes) -> None:
        data = with_part(
            workbook(), "xl/worksheets/sheet1.xml", swapped(b"</sheetData>", b"</sheetData>" + more)
        )
        extracted = parsed_here(data, "a.xlsx")
        assert "Monday | 5 | 25%" in extracted.text
        assert extracted.warnings == ()

    @pytest.mark.parametrize(
        ("cell", "shown"),
        [
            (b'<c r="B2" t="n"><v>five</v></c>', "five"),
            (b'<c r="B2" t="s"><v>999</v></c>', ""),
            (b'<c r="B2" t="d"><v>soon</v></c>', "soon"),
            (b'<c r="B2" s="77"><v>5</v></c>', "5"),
            (b'<c r="B2" s="none"><v>7</v></c>', "7"),
        ],
    )
    def test_a_damaged_cell_is_shown_as_it_is_stored(self, cell: bytes, shown: str) -> None:
        data = with_part(workbook(), "xl/worksheets/sheet1.xml", swapped(rb'<c r="B2".*?</c>', cell))
        extracted = parsed_here(data, "a.xlsx")
        assert f"Monday | {shown} | 25%" in extracted.text
        assert ("In a sheet 1 cell is damaged and is shown as stored." in extracted.warnings) is (
            shown != "5"
        )

    def test_keeps_the_title_of_damaged_properties(self) -> None:
        data = with_part(
            workbook(),
            "docProps/core.xml",
            swapped(rb">20\d\d-\d\d", b">2026-99"),
        )
        assert parsed_here(data, "a.xlsx").title == "Fares of the ferry"

    def test_is_refused_where_its_strings_are_damaged(self) -> None:
        part = b'<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-'
        part += b'officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
        listed = with_part(workbook(), "[Content_Types].xml", swapped(b"</Types>", part))
        damaged = with_part(listed, "xl/sharedStrings.xml", b"<sst><si><t>Day</t></si><si>")
        with pytest.raises(ParseFailed, match="sheets cannot be read"):
            parsed_here(damaged, "a.xlsx")

    @pytest.mark.parametrize("name", ["xl/worksheets/sheet1.xml", "xl/workbook.xml"])
    def test_is_refused_where_its_sheets_are_damaged(self, name: str) -> None:
        with pytest.raises(ParseFailed, match=r"sheets cannot be read|no cells"):
            parsed_here(with_part(workbook(), name, b"<worksheet><sheetData><row"), "a.xlsx")


@pytest.mark.parametrize(
    ("make", "ending", "parts"),
    [
        (word, "docx", ["word/styles.xml", "word/settings.xml", "word/numbering.xml", "docProps/core.xml"]),
        (
            slides,
            "pptx",
            ["docProps/core.xml", "docProps/app.xml", "ppt/theme/theme1.xml", "ppt/presProps.xml"],
        ),
    ],
)
class TestDamaged:
    def test_parts_beside_the_text_are_left_out(
        self, make: Callable[[], bytes], ending: str, parts: list[str]
    ) -> None:
        for part in parts:
            for content in (b"<broken", None):
                extracted = parsed_here(with_part(make(), part, content), f"a.{ending}")
                assert "The last ferry leaves at ten." in extracted.text, part
        broken = parsed_here(with_part(make(), parts[0], b"<broken"), f"a.{ending}")
        assert broken.warnings == (
            f"Parts of the file are damaged or missing and were left out: {parts[0]}.",
        )

    def test_the_text_itself_is_refused(
        self, make: Callable[[], bytes], ending: str, parts: list[str]
    ) -> None:
        text = "word/document.xml" if ending == "docx" else "ppt/slides/slide1.xml"
        with pytest.raises(ParseFailed, match="is damaged"):
            parsed_here(with_part(make(), text, lambda content: content[:-200]), f"a.{ending}")


def test_a_picture_that_is_not_there_does_not_refuse_a_document() -> None:
    relations = swapped(
        b"</Relationships>",
        b'<Relationship Id="rId99" Target="NULL" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        b'relationships/image"/></Relationships>',
    )
    extracted = parsed_here(with_part(word(), "word/_rels/document.xml.rels", relations), "a.docx")
    assert extracted.text.endswith("The last ferry leaves at ten.")
    assert "word/NULL" in extracted.warnings[0]


def strict(data: bytes) -> bytes:
    """The file with the namespaces of Strict Open XML."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(written, "w") as to:
        for name in given.namelist():
            content = given.read(name)
            if name.endswith((".xml", ".rels")):
                content = re.sub(
                    rb"http://schemas\.openxmlformats\.org/(officeDocument|\w+ml)/2006/",
                    rb"http://purl.oclc.org/ooxml/\1/",
                    content,
                )
            to.writestr(name, content)
    return written.getvalue()


def test_strict_open_xml_is_read() -> None:
    def told(extracted: Extracted) -> tuple[list[str], str]:
        return titles(extracted), extracted.text

    for data, ending in ((workbook(), "xlsx"), (word(), "docx"), (slides(), "pptx")):
        assert told(parsed_here(strict(data), f"a.{ending}")) == told(parsed_here(data, f"a.{ending}"))


def test_a_damaged_picture_takes_no_slide_away() -> None:
    picture = b"a picture of the last ferry" * 40
    data = with_part(slides(), "docProps/thumbnail.jpeg", picture)
    at = data.find(picture)
    assert at > 0, "the picture is stored, not packed"
    read = parsed_here(data[:at] + b"x" * 20 + data[at + 20 :], "a.pptx")
    assert "The last ferry leaves at ten." in read.text
    assert any("thumbnail.jpeg" in warning for warning in read.warnings)
