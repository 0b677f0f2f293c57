"""Numbers with more digits than Python reads end no parser."""

import io

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from footnote_ingest.parsing.errors import ParseFailed
from tests.unit.ingest.parsing.here import parsed_here

DIGITS = "1" * 5_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.srt", f"1\n00:00:01,000 --> 00:00:02,000\nSaid &#{DIGITS}; here &#233;\n"),
        ("a.pod", f"=pod\n\nSaid E<{DIGITS}> here E<233>\n"),
        ("a.md", f"Text\n\n<h2>Said &#{DIGITS}; here é</h2>\n"),
    ],
)
def test_a_reference_to_no_character_is_none(name: str, content: str) -> None:
    shown = parsed_here(content, name).text
    assert "Said" in shown
    assert "here é" in shown


def test_a_file_of_a_mail_whose_name_counts_its_parts_too_far_is_kept() -> None:
    mail = (
        "From: a@b\nSubject: c\nContent-Type: multipart/mixed; boundary=q\n\n--q\nContent-Type: text/plain\n"
        f'Content-Disposition: attachment; filename*{DIGITS}="tide.txt"\n\nword\n--q\n\nhello\n--q--\n'
    )
    extracted = parsed_here(mail, "a.eml")
    assert "hello" in extracted.text
    assert [attached.content for attached in extracted.attachments] == [b"word"]


def test_a_word_file_with_a_level_beyond_all_numbers_is_refused_with_a_reason() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Tides", style="List Bullet")
    numbers = OxmlElement("w:numPr")
    for tag in ("w:ilvl", "w:numId"):
        numbers.append(number := OxmlElement(tag))
        number.set(qn("w:val"), DIGITS)
    paragraph._p.get_or_add_pPr().append(numbers)
    file = io.BytesIO()
    document.save(file)
    with pytest.raises(ParseFailed) as refused:
        parsed_here(file.getvalue(), "a.docx")
    assert refused.value.code == "corrupt"
