"""Papers of courts in Word, which begin with the name of the court."""

import io

import docx
import pytest

from tests.unit.ingest.parsing.here import parsed_here

TEXT = "The ferry leaves the harbour at noon. It comes back in the evening."


@pytest.mark.parametrize(
    ("above", "title"),
    [
        (
            ("IN THE {{ court }} COURT OF OHIO COUNTY", "In re: the ferry", "{{ name }}"),
            "Petition for a Ferry",
        ),
        (("The Book of Courts",), "The Book of Courts"),
    ],
)
def test_are_called_by_their_own_name(above: tuple[str, ...], title: str) -> None:
    document = docx.Document()
    document.add_heading(above[0], 0)
    for name in (*above[1:], "Petition for a Ferry"):
        document.add_heading(name, 1)
    document.add_paragraph(TEXT)
    file = io.BytesIO()
    document.save(file)
    assert parsed_here(file.getvalue(), "a.docx").title == title


def test_are_called_by_the_court_if_nothing_else_is_a_heading() -> None:
    document = docx.Document()
    document.add_heading("STATE OF OHIO", 0)
    document.add_paragraph(TEXT)
    file = io.BytesIO()
    document.save(file)
    assert parsed_here(file.getvalue(), "a.docx").title == "STATE OF OHIO"
