"""Tracked changes and comments of Word documents: accepted and counted, or shown."""

import io

import docx
import pytest
from docx.oxml import parse_xml

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.parser_input import ParseChoices
from footnote_ingest.parsing.parsers import parse_bytes
from footnote_shared.settings.services import ParseReview
from tests.unit.ingest.defaults import parse_limits
from tests.unit.ingest.parsing.sample_files import check_ranges

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
BY = 'w:id="1" w:author="Ann"'


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def deleted(text: str) -> str:
    return f'<w:del {BY}><w:r><w:delText xml:space="preserve">{text}</w:delText></w:r></w:del>'


def inserted(text: str) -> str:
    return f"<w:ins {BY}>{run(text)}</w:ins>"


def moved_away(text: str) -> str:
    return f"<w:moveFrom {BY}>{run(text)}</w:moveFrom>"


def read(*paragraphs: str, comment: str | None = None, review: ParseReview = "accepted") -> Extracted:
    document = docx.Document()
    body = document.element.body
    for written in paragraphs:
        body.insert(len(body) - 1, parse_xml(f"<w:p {W}>{written}</w:p>"))
    if comment is not None:
        document.add_comment(document.paragraphs[0].runs, text=comment, author="Ann")
    file = io.BytesIO()
    document.save(file)
    extracted = parse_bytes(file.getvalue(), "a.docx", "", parse_limits(), choices=ParseChoices(review))
    check_ranges(extracted)
    return extracted


def test_the_text_is_that_of_the_accepted_document() -> None:
    extracted = read(
        run("The tide is ") + deleted("low") + inserted("high") + moved_away(" today") + run(".")
    )
    assert extracted.text == "The tide is high."
    assert extracted.warnings == ("3 tracked changes were read as accepted (FOOTNOTE_PARSE_REVIEW).",)


def test_changes_are_shown_where_that_is_chosen() -> None:
    extracted = read(run("It is ") + deleted("low") + inserted("high") + run("."), review="shown")
    assert extracted.text == "It is [deleted: low][inserted: high]."
    assert extracted.warnings == ()


def test_a_comment_is_left_out_and_counted_or_stands_behind_its_paragraph() -> None:
    paragraphs = (run("The harbour opens at six."), run("Next."))
    left_out = read(*paragraphs, comment="Is this still true?")
    assert left_out.text == "The harbour opens at six.\n\nNext."
    assert left_out.warnings == ("1 comment was left out (FOOTNOTE_PARSE_REVIEW).",)
    shown = read(*paragraphs, comment="Is this still true?", review="shown")
    assert shown.text == "The harbour opens at six.\n\n[Comment by Ann: Is this still true?]\n\nNext."


def test_a_document_without_either_has_no_warning() -> None:
    assert read(run("Plain.")).warnings == ()


@pytest.mark.parametrize("joined", [2, 3])
def test_paragraphs_whose_mark_was_deleted_become_one(joined: int) -> None:
    mark = f"<w:pPr><w:rPr><w:del {BY}/></w:rPr></w:pPr>"
    parts = [mark + run(f"part {n} ") for n in range(joined - 1)]
    extracted = read(*parts, run("end."), run("Next."))
    assert extracted.text == "".join(f"part {n} " for n in range(joined - 1)) + "end.\n\nNext."


def test_a_deleted_row_is_gone() -> None:
    document = docx.Document()
    table = document.add_table(3, 2)
    for at, row in enumerate(table.rows):
        for cell in row.cells:
            cell.text = f"row {at}"
    table.rows[1]._tr.get_or_add_trPr().append(parse_xml(f"<w:del {W} {BY}/>"))
    file = io.BytesIO()
    document.save(file)
    text = parse_bytes(file.getvalue(), "a.docx", "", parse_limits()).text
    assert "row 0" in text
    assert "row 2" in text
    assert "row 1" not in text
