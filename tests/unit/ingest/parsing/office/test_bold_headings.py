"""A short paragraph in bold above text is a heading, in Word, in OpenDocument and in RTF."""

import io
import zipfile
from collections.abc import Callable

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH

from footnote_ingest.parsing.office.bold_headings import reads_as_heading
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.sample_files import zipped

TEXT = "The tide turns twice a day. It takes the ferry with it."
Paragraph = tuple[str, str]
"""A style (`h`, `b` for bold, `half` for bold at its beginning, `item`, `cell`, or nothing) and a text."""


def word(paragraphs: list[Paragraph]) -> list[tuple[int | None, str]]:
    document = docx.Document()
    for style, text in paragraphs:
        if style == "h":
            document.add_heading(text, 2)
        elif style == "cell":
            document.add_table(1, 2).rows[0].cells[0].paragraphs[0].add_run(text).bold = True
        else:
            paragraph = document.add_paragraph(style="List Bullet" if style == "item" else None)
            for at, piece in enumerate(text.partition(" ")):
                paragraph.add_run(piece).bold = style in ("b", "item") or (style == "half" and at == 0)
    file = io.BytesIO()
    document.save(file)
    return found(file.getvalue(), "a.docx")


ODT = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"><office:automatic-styles>
<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="P" style:parent-style-name="B"/>
<style:style style:name="N"><style:text-properties fo:font-weight="normal"/></style:style>
</office:automatic-styles><office:body><office:text>{}</office:text></office:body></office:document-content>"""


def odt(paragraphs: list[Paragraph]) -> list[tuple[int | None, str]]:
    def written(style: str, text: str) -> str:
        first, _, rest = text.partition(" ")
        match style:
            case "h":
                return f'<text:h text:outline-level="2">{text}</text:h>'
            case "b":
                return f'<text:p text:style-name="P">{first} <text:span>{rest}</text:span></text:p>'
            case "half":
                plain = f'<text:span text:style-name="N">{rest}</text:span>'
                return f'<text:p text:style-name="P">{first} {plain}</text:p>'
        bold = f'<text:p><text:span text:style-name="B">{text}</text:span></text:p>'
        if style == "item":
            return f"<text:list><text:list-item>{bold}</text:list-item></text:list>"
        if style == "cell":
            row = f"<table:table-row><table:table-cell>{bold}</table:table-cell></table:table-row>"
            return f"<table:table>{row}</table:table>"
        return f"<text:p>{text}</text:p>"

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as to:
        to.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        to.writestr("content.xml", ODT.format("".join(written(*paragraph) for paragraph in paragraphs)))
    return found(file.getvalue(), "a.odt")


def rtf(paragraphs: list[Paragraph]) -> list[tuple[int | None, str]]:
    def written(style: str, text: str) -> str:
        first, _, rest = text.partition(" ")
        match style:
            case "h":
                return rf"\pard\outlinelevel1 {text}\par"
            case "b":
                return rf"\pard\plain\b {first} {rest}\b0\par"
            case "half":
                return rf"\pard {{\b {first} }}{rest}\par"
            case "item":
                return rf"\pard\ls1 {{\b {text}}}\par"
            case "cell":
                return rf"\trowd {{\b {text}}}\cell \cell\row"
        return rf"\pard\plain {text}\par"

    return found(("{\\rtf1 " + "".join(written(*one) for one in paragraphs) + "}").encode(), "a.rtf")


def found(data: bytes, name: str) -> list[tuple[int | None, str]]:
    return [(e.level, e.text) for e in parsed_here(data, name).elements if e.kind == "title"]


@pytest.mark.parametrize("read", [word, odt, rtf])
class TestBoldParagraph:
    def test_is_a_heading_below_the_one_before(
        self, read: Callable[[list[Paragraph]], list[tuple[int | None, str]]]
    ) -> None:
        assert read([("b", "Spring tides"), ("", TEXT)]) == [(1, "Spring tides")]
        paragraphs = [("h", "Tides"), ("b", "Spring tides"), ("", TEXT), ("b", "Neap tides"), ("item", "Low")]
        assert read(paragraphs) == [(2, "Tides"), (3, "Spring tides"), (3, "Neap tides")]

    @pytest.mark.parametrize(
        "paragraphs",
        [
            [("b", "Mind the gap."), ("", TEXT)],
            [("b", "Warning on tides"), ("", TEXT)],
            [("half", "Spring tides"), ("", TEXT)],
            [("item", "Spring tides"), ("", TEXT)],
            [("cell", "Spring tides"), ("", TEXT)],
            [("b", "Spring tides"), ("cell", "Neap")],
            [("b", "Spring tides")],
            [("", TEXT), ("", "Spring tides"), ("", TEXT)],
        ],
    )
    def test_is_none_in_a_sentence_a_list_a_table_or_without_text_below(
        self, read: Callable[[list[Paragraph]], list[tuple[int | None, str]]], paragraphs: list[Paragraph]
    ) -> None:
        assert read(paragraphs) == []

    def test_above_another_one_is_a_line_of_a_title_page(
        self, read: Callable[[list[Paragraph]], list[tuple[int | None, str]]]
    ) -> None:
        assert read([("b", "Harbour of Ulm"), ("b", "Yearly report"), ("", TEXT)]) == [(1, "Yearly report")]


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("T" + "h" * 79, True),
        ("T" + "h" * 80, False),
        ("abc", True),
        ("ab", False),
        ("a 1 b 2 c", True),
        ("a 1 b 2", False),
        ("one " * 11 + "one", True),
        ("one " * 12 + "one", False),
        ("Two\nlines", False),
        ("Name:\tAnn", False),
        ("Example 3", False),
    ],
)
def test_a_heading_is_one_short_line(line: str, is_heading: bool) -> None:
    assert reads_as_heading(line) is is_heading


@pytest.mark.parametrize(("before", "is_title"), [(0, True), (19, True), (20, False)])
def test_a_paragraph_in_the_style_of_titles_is_the_title(before: int, is_title: bool) -> None:
    style = '<style:style style:name="P1" style:parent-style-name="Title"/></office:automatic-styles>'
    empty = "<text:p/>" * before
    content = ODT.replace("</office:automatic-styles>", style).format(
        f'{empty}<text:p text:style-name="P1">The   Tides</text:p><text:p>{TEXT}</text:p>'
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", content)
    assert (parsed_here(file.getvalue(), "a.odt").title == "The Tides") is is_title


@pytest.mark.parametrize(
    ("first", "title"),
    [
        ('<text:p text:style-name="P1">Harbour</text:p>', "Harbour"),
        ('<text:p/><text:p text:style-name="Heading">Harbour</text:p>', "Harbour"),
        (
            '<text:h text:outline-level="1">Harbour</text:h><text:p text:style-name="Title">Tides</text:p>',
            "Harbour",
        ),
        ('<text:p>Harbour</text:p><text:p text:style-name="P1">Tides</text:p>', None),
        (
            '<text:h text:outline-level="2">Harbour</text:h><text:p text:style-name="Title">Tides</text:p>',
            "Tides",
        ),
    ],
)
def test_a_text_that_begins_like_a_heading_has_its_title_there(first: str, title: str | None) -> None:
    style = '<style:style style:name="P1" style:parent-style-name="Heading"/></office:automatic-styles>'
    content = ODT.replace("</office:automatic-styles>", style).format(f"{first}<text:p>{TEXT}</text:p>")
    parts = {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content}
    assert parsed_here(zipped({**parts}), "a.odt").title == title


@pytest.mark.parametrize(
    ("weight", "stand", "text", "title"),
    [
        ("bold", "center", "Spring tides", "Spring tides"),
        ("bold", "start", "Spring tides", None),
        ("normal", "center", "Spring tides", None),
        ("bold", "center", "Spring tides are higher.", None),
    ],
)
def test_what_begins_a_text_in_bold_in_the_middle_is_its_title(
    weight: str, stand: str, text: str, title: str | None
) -> None:
    style = (
        f'<style:style style:name="P1"><style:paragraph-properties fo:text-align="{stand}"/>'
        f'<style:text-properties fo:font-weight="{weight}"/></style:style>'
        '<style:style style:name="P2"><style:text-properties fo:font-weight="bold"/></style:style>'
        "</office:automatic-styles>"
    )
    more = "".join(f'<text:p text:style-name="P2">{name}</text:p><text:p>{TEXT}</text:p>' for name in "ab")
    body = (
        f'<text:p text:style-name="P1">{text}</text:p><text:p>{TEXT}</text:p>{more.replace(">a<", ">Ways<")}'
    )
    content = ODT.replace("</office:automatic-styles>", style).format(body.replace(">b<", ">Quays<"))
    parts = {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content}
    assert parsed_here(zipped({**parts}), "a.odt").title == title

    document = docx.Document()
    document.core_properties.title = ""
    first = document.add_paragraph()
    first.add_run(text).bold = weight == "bold"
    first.alignment = WD_ALIGN_PARAGRAPH.CENTER if stand == "center" else WD_ALIGN_PARAGRAPH.LEFT
    for name in ("Ways", "Quays"):
        document.add_paragraph(TEXT)
        document.add_paragraph().add_run(name).bold = True
    document.add_paragraph(TEXT)
    file = io.BytesIO()
    document.save(file)
    # A line of Word in the middle needs no weight where text that is not follows.
    named = text if (weight, stand) == ("normal", "center") else title
    assert parsed_here(file.getvalue(), "a.docx").title == named


@pytest.mark.parametrize("weighted", ["paragraph", "based", "character", "switched off", "fixed"])
def test_a_word_style_may_be_what_is_bold(weighted: str) -> None:
    document = docx.Document()
    heavy = document.styles.add_style("Heavy", WD_STYLE_TYPE.PARAGRAPH)
    heavy.font.bold = True
    heavier = document.styles.add_style("Heavier", WD_STYLE_TYPE.PARAGRAPH)
    heavier.base_style = heavy
    paragraph = document.add_paragraph(style={"paragraph": heavy, "based": heavier}.get(weighted))
    run = paragraph.add_run("Spring tides")
    if weighted == "character":
        run.style = "Strong"
    if weighted == "fixed":
        heavy.font.name = "Courier New"
        paragraph.style = heavy
    if weighted == "switched off":
        paragraph.style = heavy
        run.bold = False
    document.add_paragraph(TEXT)
    file = io.BytesIO()
    document.save(file)
    assert bool(found(file.getvalue(), "a.docx")) is (weighted not in ("switched off", "fixed"))


def _odt_of_lines(*paragraphs: str) -> bytes:
    styles = (
        '<style:style style:name="C" style:parent-style-name="M"/>'
        '<style:style style:name="M">'
        '<style:text-properties style:font-name="DejaVu Sans Mono"/></style:style>'
        "</office:automatic-styles>"
    )
    content = ODT.replace("</office:automatic-styles>", styles).format("".join(paragraphs))
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def test_lines_in_a_font_of_one_width_are_code_as_they_stand() -> None:
    said = f"<text:p>{TEXT}</text:p>"
    lines = (
        '<text:p text:style-name="C">Host harbour</text:p>',
        '<text:p text:style-name="C"><text:s text:c="4"/>User git</text:p>',
    )
    read = parsed_here(_odt_of_lines(said, *lines, said), "a.odt")
    assert [element.kind for element in read.elements] == ["paragraph", "code", "paragraph"]
    assert read.elements[1].text == "Host harbour\n    User git"


def test_a_text_that_is_all_in_a_font_of_one_width_is_no_code() -> None:
    read = parsed_here(_odt_of_lines(*3 * (f'<text:p text:style-name="C">{TEXT}</text:p>',)), "a.odt")
    assert {element.kind for element in read.elements} == {"paragraph"}


@pytest.mark.parametrize(
    ("below_in_the_middle", "first", "title"),
    [
        (False, "Video Release Form", "Video Release Form"),
        (True, "Video Release Form", None),
        (False, "{{ name_of_the_form }}", None),
        (False, "This form is for those who are filmed.", None),
    ],
)
def test_a_line_in_the_middle_above_text_that_is_not_is_the_title(
    below_in_the_middle: bool, first: str, title: str | None
) -> None:
    document = docx.Document()
    document.add_paragraph(first).alignment = WD_ALIGN_PARAGRAPH.CENTER
    below = document.add_paragraph("You are asked to take part in a film about ferries.")
    below.alignment = WD_ALIGN_PARAGRAPH.CENTER if below_in_the_middle else WD_ALIGN_PARAGRAPH.LEFT
    file = io.BytesIO()
    document.save(file)
    assert parsed_here(file.getvalue(), "a.docx").title == title
