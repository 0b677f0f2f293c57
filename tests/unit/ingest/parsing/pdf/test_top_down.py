"""Pages that are drawn out of order are read from their top, and columns of text are not touched."""

from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.top_down import from_top

LONG = "Some words of a column of running text"


def line(top: float, text: str = LONG, left: float = 50, right: float = 300) -> PdfLine:
    return PdfLine(text, 10, top, top, cells=(Cell(text, left, right),))


def tops(lines: list[PdfLine]) -> list[float]:
    return [one.top for one in from_top(lines)]


def test_a_frame_that_is_drawn_late_stands_where_a_person_sees_it() -> None:
    assert tops([line(at) for at in (800, 780, 600, 580, 740, 720, 500, 40)]) == [
        800, 780, 740, 720, 600, 580, 500, 40,
    ]  # fmt: skip


def test_a_head_and_a_foot_stay_where_they_are_drawn() -> None:
    drawn = [40, 780, 760, 740, 720, 800]
    assert tops([line(at) for at in drawn]) == drawn


def test_text_in_columns_keeps_its_order() -> None:
    left = [line(at) for at in (700, 680, 660, 640, 620)]
    right = [line(at, left=320, right=570) for at in (700, 680)]
    head = [line(at) for at in (800, 780, 760)]
    page = [*left, *right, *head]
    assert from_top(page) == page


def test_short_lines_beside_each_other_keep_their_order() -> None:
    beside = [line(600, "Right", left=200), line(602, "Left", right=90)]
    page = [line(800), line(500), line(480), *beside, line(700), line(40)]
    assert from_top(page) == [page[0], page[5], *beside, page[1], page[2], page[6]]


@given(st.lists(st.integers(0, 800), max_size=12))
def test_no_line_is_lost(places: list[int]) -> None:
    lines = [line(at) for at in places]
    assert sorted(tops(lines)) == sorted(places)


def test_the_name_of_a_slide_that_is_drawn_last_stands_first() -> None:
    text = [line(at) for at in (700, 680, 660, 40)]
    name = PdfLine("Name", 12, 780, 780, cells=(Cell("Name", 50, 100),))
    assert from_top([*text, name]) == [name, *text]
    head = PdfLine("Head", 11, 780, 780, cells=(Cell("Head", 50, 100),))
    assert from_top([*text, head]) == [*text, head]
