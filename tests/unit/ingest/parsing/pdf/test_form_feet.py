"""The number and the edition of a form at the foot of its only page."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, words

TEXT = "The ferry leaves the harbour of the town at noon and comes back in the evening."


def is_left_out(*foot: str, y: float = 40, gap: float = 10) -> bool:
    rows = [words(50, y + gap * at, row, size=8) for at, row in enumerate(reversed(foot))]
    page = [paragraph(50, 780, *[TEXT] * 20), *rows]
    read = "\n".join(one.text for one in parsed_here(drawn(page), "a.pdf").elements)
    assert TEXT in read
    return not any(row in read for row in foot)


@pytest.mark.parametrize(
    ("foot", "left_out"),
    [
        ("SCA-M111-1 P 1/06", True),
        ("SCA-FC-140 (12/01) Affidavit of the Harbour", True),
        ("N244 Application notice (08.18) Crown copyright", True),
        ("Guardianship of Ferries - Form 3 / 6-04", True),
        ("Revised: 12/13/2016; Docket Codes: MCAWO", True),
        ("Form 3 of the harbour", False),
        ("The ferry of 12/13/2016 (12/01)", False),
        ("Ferries of the harbour 12/01", False),
        ("N244 is a ferry of 08.18 and of the town", False),
    ],
)
def test_are_left_out(foot: str, *, left_out: bool) -> None:
    assert is_left_out(foot) is left_out


def test_take_up_to_three_rows() -> None:
    rows = ("Code of the Harbour, 12", "SCA-M111-1 P 1/06", "Docket Codes: MGPAT")
    assert is_left_out(*rows)
    assert not is_left_out("More of the Harbour", *rows)


@pytest.mark.parametrize(("y", "left_out"), [(538, True), (540, False)])
def test_lie_far_from_the_text(y: float, *, left_out: bool) -> None:
    """The last line of the text stands at 552, and the foot is 8 points high."""
    assert is_left_out("SCA-M111-1 P 1/06", y=y) is left_out


def test_a_long_row_is_text() -> None:
    assert is_left_out("Revised 12/01 " + "x" * 96)
    assert not is_left_out("Revised 12/01 " + "x" * 97)
