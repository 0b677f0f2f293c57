"""Comments of OpenDocument, PowerPoint and Excel: left out and counted, or shown, as those of Word."""

import io
import zipfile
from collections.abc import Mapping

import openpyxl
import pptx
import pytest
from openpyxl.comments import Comment
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.parser_input import ParseChoices
from footnote_ingest.parsing.parsers import parse_bytes
from footnote_shared.settings.services import ParseReview
from tests.unit.ingest.defaults import parse_limits
from tests.unit.ingest.parsing.sample_files import check_ranges

ODF = "urn:oasis:names:tc:opendocument:xmlns"
ODT_HEAD = (
    f'<office:document-content xmlns:office="{ODF}:office:1.0" xmlns:text="{ODF}:text:1.0" '
    f'xmlns:table="{ODF}:table:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><office:body><office:text>'
)
NOTE = (
    "<office:annotation><dc:creator>Ann</dc:creator><dc:date>2026-11-22T10:00:00</dc:date>"
    "<text:p>Still</text:p><text:p>true?</text:p></office:annotation>"
)
CHANGES = (
    '<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><text:p>low</text:p>'
    '</text:deletion></text:changed-region><text:changed-region text:id="c2"><text:insertion/>'
    "</text:changed-region></text:tracked-changes>"
)
TAKEN = '<text:change text:change-id="c1"/>'
REVIEWED = (
    f'{CHANGES}<text:p>The tide is {TAKEN}<text:change-start text:change-id="c2"/>'
    f'high<text:change-end text:change-id="c2"/>.{NOTE}</text:p><text:p>Next.</text:p>'
    f"<table:table><table:table-row><table:table-cell><text:p>Kiel{NOTE}</text:p></table:table-cell>"
    "</table:table-row></table:table>"
)

CELLS = (
    '<table:table-row><table:table-cell table:number-columns-repeated="9"/></table:table-row>'
    f"<table:table-row><table:table-cell/><table:table-cell>{NOTE}<text:p>Kiel</text:p></table:table-cell></table:table-row>"
)


def read(data: bytes, name: str, review: ParseReview) -> Extracted:
    extracted = parse_bytes(data, name, "", parse_limits(), choices=ParseChoices(review))
    check_ranges(extracted)
    return extracted


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return made.getvalue()


def opened(kind: str, body: str) -> bytes:
    content = (
        ODT_HEAD.replace("office:text>", f"office:{kind}>").replace(
            "<office:document-content", f'<office:document-content xmlns:draw="{ODF}:drawing:1.0"'
        )
        + f"{body}</office:{kind}></office:body></office:document-content>"
    )
    return zipped({"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content})


def odt(body: str) -> bytes:
    content = f"{ODT_HEAD}{body}</office:text></office:body></office:document-content>"
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def deck(slide_part: str, slide_kind: str, people_part: str, people_kind: str) -> bytes:
    """One slide with a part of comments; the parts are related as these kinds."""
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Tides"
    for owner, kind, name, content in (
        (slide.part, slide_kind, "/ppt/comments/one.xml", slide_part),
        (made.part, people_kind, "/ppt/people.xml", people_part),
    ):
        part = Part(PackURI(name), "application/xml", made.part.package, content.encode())
        owner.relate_to(part, f"http://schemas.example.org/{kind}")
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def workbook(extra: Mapping[str, str]) -> bytes:
    """A sheet with a note on `B2`, and `extra` parts, each put in or behind the head of one that is there."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title, sheet["B2"] = "Ports", "Kiel"
    sheet["B2"].comment = Comment("Still true?", "Ann")
    file = io.BytesIO()
    book.save(file)
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name, content in extra.items():
        parts[name] = (
            parts[name].replace(b"</Relationships>", content.encode()) if name in parts else content.encode()
        )
    return zipped(parts)


OLD_DECK = deck(
    '<p:cmLst xmlns:p="urn:p"><p:cm authorId="0" idx="1"><p:pos x="1" y="1"/><p:text>Still true?</p:text>'
    "</p:cm></p:cmLst>",
    "comments",
    '<p:cmAuthorLst xmlns:p="urn:p"><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>',
    "commentAuthors",
)
NEW_DECK = deck(
    '<p:cmLst xmlns:p="urn:p" xmlns:a="urn:a"><p:cm authorId="{1}"><p:replyLst><p:reply authorId="{2}">'
    "<p:txBody><a:p><a:r><a:t>It is.</a:t></a:r></a:p></p:txBody></p:reply></p:replyLst><p:txBody><a:p><a:r>"
    "<a:t>Still true?</a:t></a:r></a:p></p:txBody></p:cm></p:cmLst>",
    "2018/10/relationships/comments",
    '<p:authorLst xmlns:p="urn:p"><p:author id="{1}" name="Ann"/></p:authorLst>',
    "2018/10/relationships/authors",
)
THREAD = {
    "xl/worksheets/_rels/sheet1.xml.rels": '<Relationship Id="t" Type="urn:x/threadedComment" '
    'Target="../threadedComments/one.xml"/></Relationships>',
    "xl/threadedComments/one.xml": '<ThreadedComments xmlns="urn:t"><threadedComment ref="B2" personId="{1}">'
    '<text>Is it?</text></threadedComment><threadedComment ref="B2" personId="{2}"><text>It is.</text>'
    "</threadedComment></ThreadedComments>",
    "xl/persons/person.xml": '<personList xmlns="urn:t"><person displayName="Bob" id="{1}"/></personList>',
}


@pytest.mark.parametrize(
    ("data", "name", "shown"),
    [
        (
            odt(f"<text:p>Six.{NOTE}</text:p><text:p>Next.</text:p>"),
            "a.odt",
            ["Six.", "[Comment by Ann: Still true?]", "Next."],
        ),
        (
            opened("spreadsheet", f"<table:table table:name='Ports'>{CELLS}</table:table>"),
            "a.ods",
            ["Ports", "|  | Kiel |", "[Comment by Ann on B2: Still true?]"],
        ),
        (
            opened("presentation", f"<draw:page>{NOTE}<text:p>Kiel</text:p></draw:page>"),
            "a.odp",
            ["Kiel", "[Comment by Ann: Still true?]"],
        ),
        (OLD_DECK, "a.pptx", ["Tides", "[Comment by Ann: Still true?]"]),
        (NEW_DECK, "a.pptx", ["Tides", "[Comment by Ann: Still true?]", "[Comment by a reviewer: It is.]"]),
        (workbook({}), "a.xlsx", ["Ports", "|  | Kiel |", "[Comment by Ann on B2: Still true?]"]),
        (
            workbook(THREAD),
            "a.xlsx",
            [
                "Ports",
                "|  | Kiel |",
                "[Comment by Bob on B2: Is it?]",
                "[Comment by a reviewer on B2: It is.]",
            ],
        ),
    ],
    ids=["odt", "ods", "odp", "pptx of old", "pptx of today", "xlsx note", "xlsx thread"],
)
def test_comments_are_counted_or_shown(data: bytes, name: str, shown: list[str]) -> None:
    assert [element.text for element in read(data, name, "shown").elements] == shown
    left_out = read(data, name, "accepted")
    quiet = [text for text in shown if not text.startswith("[Comment")]
    assert [element.text for element in left_out.elements] == quiet
    counted = len(shown) - len(quiet)
    said = "1 comment was" if counted == 1 else f"{counted} comments were"
    assert left_out.warnings == (f"{said} left out (FOOTNOTE_PARSE_REVIEW).",)


def test_changes_of_opendocument_are_read_as_accepted_or_shown() -> None:
    accepted = read(odt(REVIEWED), "a.odt", "accepted")
    assert accepted.text == "The tide is high.\n\nNext.\n\nKiel"
    assert accepted.warnings == (
        "2 tracked changes were read as accepted and 2 comments were left out (FOOTNOTE_PARSE_REVIEW).",
    )
    shown = read(odt(REVIEWED), "a.odt", "shown")
    assert [element.text for element in shown.elements] == [
        "The tide is [deleted: low][inserted: high].",
        "[Comment by Ann: Still true?]",
        "Next.",
        "Kiel",
        "[Comment by Ann: Still true?]",
    ]
    assert shown.warnings == ()


def test_a_deletion_is_written_once_however_many_places_name_it() -> None:
    text = f"{CHANGES}<text:p>Low{TAKEN * 3}.</text:p>"
    assert read(odt(text), "a.odt", "shown").text == "Low[deleted: low]."
