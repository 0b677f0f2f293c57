"""What counts as the quoted message in a mail, and what as the sender's own words."""

import pytest

from footnote_ingest.chunking.quoted_replies import own_words
from tests.unit.ingest.chunking.extracts import made_of


def kept(text: str) -> str:
    extracted = made_of(*(("paragraph", piece) for piece in text.split("\n\n")), family="eml")
    return "\n\n".join(element.text for element in own_words(list(extracted.elements)))


@pytest.mark.parametrize(("length", "cut"), [(19, False), (20, True)])
def test_a_line_of_20_underscores_parts_off_the_quoted_message(length: int, cut: bool) -> None:
    assert ("old" in kept(f"new\n\n{'_' * length}\n\nold")) is not cut


@pytest.mark.parametrize(
    ("headers", "cut"),
    [
        ("Sent: Monday", False),
        ("Sent: Monday\nTo: Ann", True),
        ("a\nb\nc\nSent: Monday\nTo: Ann", True),
        ("a\nb\nc\nd\nSent: Monday\nTo: Ann", False),
    ],
)
def test_from_needs_two_more_headers_within_five_lines(headers: str, cut: bool) -> None:
    assert ("old words" in kept(f"new\n\nFrom: Bob\n{headers}\n\nold words")) is not cut
