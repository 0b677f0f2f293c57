"""Tables in a font of one width, and output of programs that only looks like one."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, words

TEXT = [
    words(50, 780, "Please check all of the information that is given for your vehicles below."),
    words(50, 600, "Some more words of the text, which stand below the table and fill a line."),
]
HEAD = "Make      Model      Color"
ROWS = ("Toyota    Camry      Brown", "Toyota    Prius      Grey")


def read(head: str, *rows: str, font: str = "mono_bold") -> list[tuple[str, str]]:
    page = [*TEXT, words(50, 740, head, font=font), paragraph(50, 728, *rows, font="mono")]
    return [(one.kind, one.text) for one in parsed_here(drawn(page), "a.pdf").elements]


def test_a_bold_row_names_the_columns_of_the_rows_below() -> None:
    table = "Make | Model | Color\n--- | --- | ---\nToyota | Camry | Brown\nToyota | Prius | Grey"
    assert ("table", table) in read(HEAD, *ROWS)


def test_a_cell_may_be_empty() -> None:
    table = "Make | Model | Color\n--- | --- | ---\nToyota | Camry | Brown\nToyota |  | Grey"
    assert ("table", table) in read(HEAD, ROWS[0], "Toyota               Grey")


@pytest.mark.parametrize(
    ("head", "rows", "font"),
    [
        (HEAD, ROWS, "mono"),
        (HEAD, ROWS[:1], "mono_bold"),
        ("Make      Model", ("Toyota    Camry", "Toyota    Prius"), "mono_bold"),
        (HEAD, ("Toyota Camry Brown", "Toyota Prius Grey"), "mono_bold"),
        (HEAD, (ROWS[0], "Toyota    Prius of a long name"), "mono_bold"),
    ],
)
def test_other_lines_stay_code(head: str, rows: tuple[str, ...], font: str) -> None:
    kinds = [kind for kind, _ in read(head, *rows, font=font)]
    assert set(kinds) == {"paragraph", "code"}
