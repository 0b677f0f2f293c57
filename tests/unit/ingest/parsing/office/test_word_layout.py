"""What a Word document only lays out, and what of it is code."""

import io
from collections.abc import Sequence

import docx
import pytest
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph

from footnote_ingest.parsing.elements import Extracted
from tests.unit.ingest.parsing.here import parsed_here

TEXT = "The tide turns twice a day. It takes the ferry with it."


def read(document: Document) -> Extracted:
    file = io.BytesIO()
    document.save(file)
    return parsed_here(file.getvalue(), "a.docx")


def said(document: Document) -> Sequence[tuple[str, str]]:
    return [(element.kind, element.text) for element in read(document).elements]


def put(paragraph: Paragraph, name: str, value: str = "") -> None:
    """Set a property of a paragraph, or of its run."""
    about = paragraph._p.get_or_add_pPr() if name == "w:outlineLvl" else paragraph.runs[0]._r.get_or_add_rPr()
    made = OxmlElement(name)
    if value:
        made.set(qn("w:val"), value)
    about.append(made)


def in_font(document: Document, text: str, font: str = "Courier New") -> Paragraph:
    paragraph = document.add_paragraph(text)
    paragraph.runs[0].font.name = font
    return paragraph


class TestCode:
    def test_paragraphs_in_a_font_of_one_width_are_one_piece_of_code(self) -> None:
        document = docx.Document()
        document.add_paragraph(TEXT)
        in_font(document, "def sail():")
        document.add_paragraph("")
        in_font(document, "    return 2", "Consolas")
        document.add_paragraph(TEXT)
        document.add_paragraph(TEXT)
        assert said(document)[1:3] == [("code", "def sail():\n\n    return 2"), ("paragraph", TEXT)]

    def test_a_word_in_such_a_font_is_none(self) -> None:
        document = docx.Document()
        in_font(document, "sail").add_run(" goes to sea.")
        document.add_paragraph(TEXT)
        assert said(document)[0] == ("paragraph", "sail goes to sea.")

    @pytest.mark.parametrize(("others", "is_code"), [(3, True), (2, False)])
    def test_a_document_that_is_mostly_in_such_a_font_is_no_code(self, others: int, *, is_code: bool) -> None:
        document = docx.Document()
        for _ in range(7 if is_code else 5):
            in_font(document, TEXT)
        for _ in range(others):
            document.add_paragraph(TEXT)
        assert (said(document)[0][0] == "code") is is_code

    @pytest.mark.parametrize("name", ["Source Code", "HTML Preformatted", "code"])
    def test_the_name_of_a_style_tells_code(self, name: str) -> None:
        document = docx.Document()
        document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        document.add_paragraph("sail 12", style=name)
        assert said(document) == [("code", "sail 12")]

    @pytest.mark.parametrize(("others", "is_code"), [(1, True), (0, False)])
    def test_a_document_that_is_wholly_as_it_was_typed_is_no_code(
        self, others: int, *, is_code: bool
    ) -> None:
        document = docx.Document()
        document.styles.add_style("Preformatted Text", WD_STYLE_TYPE.PARAGRAPH)
        document.add_paragraph("sail 12", style="Preformatted Text")
        for _ in range(others):
            document.add_paragraph(TEXT)
        assert (said(document)[0][0] == "code") is is_code

    def test_a_style_gives_its_font_to_those_that_are_made_from_it(self) -> None:
        document = docx.Document()
        fixed = document.styles.add_style("Screen", WD_STYLE_TYPE.PARAGRAPH)
        fixed.font.name = "Lucida Console"
        made = document.styles.add_style("Small Screen", WD_STYLE_TYPE.PARAGRAPH)
        made.base_style = fixed
        document.add_paragraph("sail 12", style="Small Screen")
        document.add_paragraph("sail 12", style="Small Screen").runs[0].font.name = "Arial"
        document.add_paragraph(TEXT)
        assert [kind for kind, _ in said(document)] == ["code", "paragraph", "paragraph"]

    @pytest.mark.parametrize("style", ["Heading 2", "Title", "List Bullet", "Caption"])
    def test_the_name_of_a_function_as_a_heading_is_none(self, style: str) -> None:
        document = docx.Document()
        in_font(document, "sail()").style = style
        for _ in range(2):
            document.add_paragraph(TEXT)
        assert "code" not in [kind for kind, _ in said(document)]

    def test_code_in_a_box_is_code(self) -> None:
        document = docx.Document()
        document.add_paragraph(TEXT)
        cell = document.add_table(1, 1).cell(0, 0)
        cell.paragraphs[0].add_run("sail 12").font.name = "Courier"
        document.add_paragraph(TEXT)
        assert said(document)[1] == ("code", "sail 12")


def test_a_box_around_text_is_no_table() -> None:
    document = docx.Document()
    document.add_table(1, 1).cell(0, 0).text = TEXT
    document.add_table(1, 2).cell(0, 1).text = "Kiel"
    assert [kind for kind, _ in said(document)] == ["paragraph", "table"]


@pytest.mark.parametrize(("value", "shown"), [("", False), ("1", False), ("0", True)])
def test_hidden_words_are_no_text(value: str, *, shown: bool) -> None:
    document = docx.Document()
    put(document.add_paragraph("Secret."), "w:vanish", value)
    document.add_paragraph(TEXT)
    found = read(document)
    assert ("Secret." in found.text) is shown
    assert ("left_out" in found.metadata) is not shown


def test_a_table_of_contents_and_an_index_are_left_out_and_told() -> None:
    document = docx.Document()
    for name in ("TOC Heading", "toc 1", "index 1"):
        if name not in document.styles:
            document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        document.add_paragraph(f"Harbours {name}\t3", style=name)
    document.add_heading("Harbours", 1)
    document.add_paragraph(TEXT)
    found = read(document)
    assert [element.text for element in found.elements] == ["Harbours", TEXT]
    assert found.metadata["left_out"] == "table of contents"


def test_contents_alone_stay() -> None:
    document = docx.Document()
    document.styles.add_style("toc 1", WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("Harbours\t3", style="toc 1")
    document.add_paragraph("")
    found = read(document)
    assert found.elements[0].text.startswith("Harbours")
    assert "left_out" not in found.metadata


class TestOutline:
    @pytest.mark.parametrize(
        ("level", "path"), [("1", ("Harbours", "Piers.")), ("0", ("Piers.",)), ("9", ("Harbours",))]
    )
    def test_a_paragraph_with_a_level_is_a_heading(self, level: str, path: tuple[str, ...]) -> None:
        document = docx.Document()
        document.add_heading("Harbours", 1)
        put(document.add_paragraph("Piers."), "w:outlineLvl", level)
        document.add_paragraph(TEXT)
        assert read(document).elements[-1].heading_path == path

    def test_a_style_with_a_level_is_one_of_headings_and_so_are_those_made_from_it(self) -> None:
        document = docx.Document()
        document.add_heading("Harbours", 1)
        own = document.styles.add_style("Clause", WD_STYLE_TYPE.PARAGRAPH)
        level = OxmlElement("w:outlineLvl")
        level.set(qn("w:val"), "2")
        own.element.get_or_add_pPr().append(level)
        made = document.styles.add_style("Clause Two", WD_STYLE_TYPE.PARAGRAPH)
        made.base_style = own
        for name in ("Clause", "Clause Two"):
            document.add_paragraph(f"{name}.", style=name)
            document.add_paragraph(TEXT)
        document.add_paragraph(TEXT, style="Clause Two")
        paths = [element.heading_path for element in read(document).elements if element.text == TEXT]
        # A clause that is a sentence is text, whatever its level.
        assert paths.pop() == ("Harbours", "Clause Two.")
        assert paths == [("Harbours", "Clause."), ("Harbours", "Clause Two.")]

    @pytest.mark.parametrize(
        ("mark", "name", "is_heading"),
        [
            ("_Toc12", "Piers.", True),
            ("Piers", "Piers.", False),
            ("_Toc12", "Figure 2: Piers.", False),
            ("_Toc12", "Piers " * 34, False),
            ("_Toc12", "Piers of all of the old harbours", True),
            ("_Toc12", "Piers of all of the harbours.", True),
            ("_Toc12", "Piers of all of the old harbours.", False),
            ("_Toc12", "Pier 1 " + "s" * 193, True),
            ("_Toc12", "Pier 1 " + "s" * 194, False),
        ],
    )
    def test_what_the_table_of_contents_names_is_a_heading(
        self, mark: str, name: str, *, is_heading: bool
    ) -> None:
        document = docx.Document()
        document.add_heading("Harbours", 1)
        bookmark = OxmlElement("w:bookmarkStart")
        bookmark.set(qn("w:id"), "1")
        bookmark.set(qn("w:name"), mark)
        document.add_paragraph(name)._p.append(bookmark)
        document.add_paragraph(TEXT)
        path = read(document).elements[-1].heading_path
        assert path == (("Harbours", name) if is_heading else ("Harbours",))

    def test_the_title_of_a_document_stays_its_title(self) -> None:
        document = docx.Document()
        title = document.add_paragraph("Ships", style="Title")
        put(title, "w:outlineLvl", "0")
        document.add_heading("Harbours", 1)
        document.add_paragraph(TEXT)
        found = read(document)
        assert (found.title, found.elements[-1].heading_path) == ("Ships", ("Ships", "Harbours"))
